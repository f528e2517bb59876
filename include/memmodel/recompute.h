/* Recomputation: activations that are not kept for the backward pass but recomputed, so that a job fits. */
#ifndef MEMMODEL_RECOMPUTE_H
#define MEMMODEL_RECOMPUTE_H

#include "memmodel/context.h"
#include "memmodel/job.h"
#include "memmodel/search.h"
#include "memmodel/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Blocks one after the other, and once solved the schedule that runs them within a budget. @since 0.1 */
typedef struct memmodel_chain memmodel_chain;

/** A block of a chain. Costs are in any unit, the same for all blocks. @since 0.1 */
struct memmodel_chain_block {
    size_t size;         /**< sizeof(struct memmodel_chain_block) */
    const char *name;    /**< for errors. @nullable */
    int64_t input_bytes; /**< of its input, which is what a checkpoint keeps. @unit bytes */
    int64_t saved_bytes; /**< that it keeps for its backward pass besides its input, its output included: no less than
                                 the input of the next block. @unit bytes */
    int64_t forward_workspace_bytes; /**< besides these, while it runs forward. @unit bytes */
    /** besides these and the gradients of its output and its input, while it runs backward. @unit bytes */
    int64_t backward_workspace_bytes;
    double forward_cost;  /**< of running it forward, 0 or more */
    double backward_cost; /**< of running it backward, 0 or more */
};

/** What a step of a schedule does with a block. @since 0.1 */
enum memmodel_chain_operation {
    MEMMODEL_CHAIN_OPERATION_FORWARD = 0,            /**< forward, nothing is kept but the output: the input goes */
    MEMMODEL_CHAIN_OPERATION_FORWARD_CHECKPOINT = 1, /**< forward, the input is kept: a checkpoint */
    /** forward, the input is kept and all that the backward pass needs */
    MEMMODEL_CHAIN_OPERATION_FORWARD_SAVE_ALL = 2,
    MEMMODEL_CHAIN_OPERATION_BACKWARD = 3, /**< backward; what was kept for it goes */
};

/**
 * Name of an operation, such as "forward with checkpoint".
 *
 * @param[in] operation  enum memmodel_chain_operation
 * @returns a static string; NULL if there is no such operation. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_chain_operation_name(int operation);

/** A step of a schedule. @since 0.1 */
struct memmodel_chain_step {
    size_t size;       /**< sizeof(struct memmodel_chain_step) */
    int32_t operation; /**< enum memmodel_chain_operation */
    int32_t block;     /**< number of the block, from 0 */
    int64_t live;      /**< bytes that are live after it. @unit bytes */
    int64_t peak;      /**< bytes in use during it. @unit bytes */
};

/** The result of a chain. @since 0.1 */
struct memmodel_chain_result {
    size_t size;      /**< sizeof(struct memmodel_chain_result) */
    int64_t peak;     /**< most bytes in use at a time. @unit bytes */
    int64_t min_peak; /**< the least peak that a schedule has. @unit bytes */
    int64_t max_peak; /**< the peak where nothing is computed twice. @unit bytes */
    double cost;      /**< of the schedule */
    double min_cost;  /**< where nothing is computed twice */
    int32_t status;   /**< enum memmodel_search_status: OPTIMAL, or INFEASIBLE: the schedule has the least peak then */
    int32_t reserved; /**< 0 */
};

/** How a chain is solved. Zero means the default for every field but the budget. @since 0.1 */
struct memmodel_chain_options {
    size_t size;    /**< sizeof(struct memmodel_chain_options) */
    int64_t budget; /**< that everything has to fit in: inputs, what is kept, gradients; above 0. @unit bytes */
    int64_t slots;  /**< that it is divided into, 1 to 100000. @default 500 */
};

/**
 * Make a chain without blocks.
 *
 * @param[in]  context  the chain keeps a reference
 * @param[in]  output   bytes of what the last block makes, and of the gradient that waits there from the beginning;
 *                      next to nothing where the last block is the loss. @unit bytes
 * @param[out] chain    new chain with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_chain_new(memmodel_context *context, int64_t output, memmodel_chain **chain);

/**
 * Add a block at the end of a chain; its number is the count of blocks before.
 *
 * @param[in] chain  chain
 * @param[in] block  copied
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (bytes or costs below 0, or the block before saves less than this one's
 *          input), MEMMODEL_ERROR_OVERFLOW (all bytes together), MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_chain_add_block(memmodel_chain *chain, const struct memmodel_chain_block *block);

/**
 * Find the schedule of least cost whose peak is within a budget.
 *
 * It is the cheapest of those that keep each checkpoint until the backward pass needs it, where every size is rounded
 * up to slots of `budget / slots` bytes: never above the budget, and exact where that is 1 byte. Found by the dynamic
 * programming of Beaumont, Eyraud-Dubois, Herrmann, Joly and Shilova (hal-02352969), and run step by step before it is
 * kept. Where no schedule fits in whole slots but one fits in bytes, that of the least peak is given.
 *
 * Where no schedule is within the budget, the one of the least peak is given, with the status
 * MEMMODEL_SEARCH_STATUS_INFEASIBLE.
 *
 * @param[in] chain    chain with at least one block
 * @param[in] options  its budget is needed
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (no blocks, no budget, no such slots, or the output of the last block is
 *          more than it keeps), MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @blocking
 * @complexity O(blocks^3 slots), in blocks^2 slots / 2 numbers of memory
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_chain_solve(memmodel_chain *chain, const struct memmodel_chain_options *options);

/**
 * The result of a chain.
 *
 * @param[in]     chain   chain
 * @param[in,out] result  its size is set by the caller; all else is 0 if the chain is not solved
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_chain_get_result(const memmodel_chain *chain, struct memmodel_chain_result *result);

/**
 * Number of steps of the schedule.
 *
 * @param[in] chain  chain
 * @returns steps; 0 if the chain is not solved
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_chain_step_count(const memmodel_chain *chain);

/**
 * A step of the schedule.
 *
 * @param[in]     chain  chain
 * @param[in]     index  from 0
 * @param[in,out] step   its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_chain_get_step(const memmodel_chain *chain, size_t index, struct memmodel_chain_step *step);

/** Take one more reference. @param[in] chain  not NULL @returns `chain` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_chain *
memmodel_chain_ref(memmodel_chain *chain);

/** Drop one reference. @param[in] chain  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_chain_unref(memmodel_chain *chain);

/** Scopes of a network, or segments of several, to run under torch.utils.checkpoint. @since 0.1 */
typedef struct memmodel_recomputation memmodel_recomputation;

/** The result of a search. @since 0.1 */
struct memmodel_recomputation_result {
    size_t size;              /**< sizeof(struct memmodel_recomputation_result) */
    int64_t peak_baseline;    /**< peak of the job without recomputation. @unit bytes */
    int64_t peak;             /**< peak of the selected point. @unit bytes */
    int64_t min_peak;         /**< lowest peak that was found. @unit bytes */
    int64_t simulation_count; /**< that the search took */
    double overhead;          /**< of a step's time, for what the selected point recomputes: 0.1 is 10 % */
    int32_t selected_point;   /**< number of the selected point of the curve */
    int32_t verdict; /**< enum memmodel_verdict: whether the selected point is within the budget; if not, it has the
                                 least peak */
    int32_t status;  /**< enum memmodel_search_status: CONVERGED, LIMIT or CANCELLED */
    int32_t metric;  /**< enum memmodel_metric of all peaks, never MEMMODEL_METRIC_DEFAULT */
};

/** A point of the curve: no other that was found is better in both peak and time. @since 0.1 */
struct memmodel_recomputation_point {
    size_t size;            /**< sizeof(struct memmodel_recomputation_point) */
    int64_t peak;           /**< of the job with these checkpoints, of the result's metric. @unit bytes */
    double overhead;        /**< of a step's time: 0.1 is 10 % */
    size_t segment_count;   /**< that are checkpointed, a segment of several scopes as one */
    const char *checkpoint; /**< these as memmodel_job.checkpoint has them, in few patterns: "encoder.*"; "" for none.
                                 Owned by the search */
};

/** What running a part of the forward pass once costs. @since 0.1 */
struct memmodel_layer_cost {
    const char *name; /**< a layer, or a scope, whose cost its layers share as they do operations */
    double cost;      /**< in any unit, such as seconds that were measured, 0 or more */
};

/** How memmodel_recompute() searches. Zero means the default for every field. @since 0.1 */
struct memmodel_recompute_options {
    size_t size; /**< sizeof(struct memmodel_recompute_options) */
    /**
     * what parts of the forward pass cost; parts without a cost then cost nothing, and the last that is given for a
     * layer counts. NULL: a layer costs its multiplications with addition, and one for each element that it makes.
     * @length cost_count @nullable
     */
    const struct memmodel_layer_cost *costs;
    size_t cost_count;       /**< number of `costs` */
    int64_t max_simulations; /**< 2 to 1000000. @default 2000 */
};

/**
 * Find which scopes, or segments of several that follow one another, to checkpoint so that the job's peak is within its
 * budget and the time that is added is least; and the curve between peak and time. Every point of it is simulated in
 * full.
 *
 * A step costs three forward passes, for its backward pass computes two gradients; what is recomputed comes on top.
 * PyTorch ends a recomputation with the last tensor that is needed: the layers behind it cost nothing. Sets to begin
 * with come from knapsacks of the bytes that each scope saves and its cost; a local search then adds, leaves out and
 * exchanges scopes, at all levels. The same network, job and number of simulations give the same answer on every
 * machine. Without a budget, and where nothing is within it, the point of the least peak is selected.
 *
 * @param[in]  network        built network
 * @param[in]  job            a training with "pytorch", with its budget, if any; what its `checkpoint` names is left
 *                            out. NULL for defaults; every symbol of the network needs a value. @nullable
 * @param[in]  options        NULL for defaults. @nullable
 * @param[in]  context        limits, progress, memory and errors of this call; NULL: the network's own. @nullable
 * @param[out] recomputation  new object with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (a budget or number out of range, a cost for what the network does not
 *          have), MEMMODEL_ERROR_UNSUPPORTED (another framework, inference), or what memmodel_estimate() returns
 * @threads any, each with a context of its own
 * @blocking
 * @complexity O(max_simulations) simulations
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recompute(const memmodel_network *network, const struct memmodel_job *job,
                   const struct memmodel_recompute_options *options, memmodel_context *context,
                   memmodel_recomputation **recomputation);

/**
 * The result of the search.
 *
 * @param[in]     recomputation  search
 * @param[in,out] result         its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_get_result(const memmodel_recomputation *recomputation,
                                  struct memmodel_recomputation_result *result);

/**
 * Number of points of the curve.
 *
 * @param[in] recomputation  search
 * @returns points
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_recomputation_point_count(const memmodel_recomputation *recomputation);

/**
 * A point of the curve.
 *
 * @param[in]     recomputation  search
 * @param[in]     index          from 0, which recomputes nothing; each takes more time and less memory than those
 *                               before it
 * @param[in,out] point          its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_get_point(const memmodel_recomputation *recomputation, size_t index,
                                 struct memmodel_recomputation_point *point);

/**
 * Name of a scope that a point checkpoints, in the order of the forward pass; of a segment that one call of
 * checkpoint() runs, the first and the last: "h.0..3".
 *
 * @param[in] recomputation  search
 * @param[in] point          number of the point
 * @param[in] index          from 0
 * @returns the name, owned by the search; NULL if there is none of that index. @transfer none @nullable
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_recomputation_segment(const memmodel_recomputation *recomputation, size_t point, size_t index);

/**
 * Name of a module that a call of checkpoint() runs: the scope itself, or each of a group in the order of their calls.
 *
 * @param[in] recomputation  search
 * @param[in] point          number of the point
 * @param[in] segment        as memmodel_recomputation_segment() counts
 * @param[in] index          from 0
 * @returns the name, owned by the search; NULL if there is none of that index. @transfer none @nullable
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_recomputation_segment_module(const memmodel_recomputation *recomputation, size_t point, size_t segment,
                                      size_t index);

/**
 * The advice and the curve as JSON text (doc/guide/formats.md).
 *
 * @param[in]  recomputation  search
 * @param[in]  context        limits, memory and errors of this call; NULL: the recomputation's own. @nullable
 * @param[out] text           give it back with memmodel_free(); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_to_json(const memmodel_recomputation *recomputation, memmodel_context *context, char **text);

/**
 * The curve as a picture: time that is added across, peak up.
 *
 * @param[in]  recomputation  search
 * @param[in]  context        limits, memory and errors of this call; NULL: the recomputation's own. @nullable
 * @param[out] svg            give it back with memmodel_free(); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_to_svg(const memmodel_recomputation *recomputation, memmodel_context *context, char **svg);

/** Take one more reference. @param[in] recomputation  not NULL @returns `recomputation` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_recomputation *
memmodel_recomputation_ref(memmodel_recomputation *recomputation);

/** Drop one reference. @param[in] recomputation  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_recomputation_unref(memmodel_recomputation *recomputation);

#ifdef __cplusplus
}
#endif

#endif
