/* Recomputation: activations that are not kept for the backward pass but computed again, so that a job fits. */
#ifndef MEMMODEL_RECOMPUTE_H
#define MEMMODEL_RECOMPUTE_H

#include "memmodel/context.h"
#include "memmodel/job.h"
#include "memmodel/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Blocks one after the other, and once solved the schedule that runs them within a budget. @since 0.1 */
typedef struct memmodel_chain memmodel_chain;

/** A block of a chain. Costs are in any unit, the same for all blocks. @since 0.1 */
struct memmodel_chain_block {
    size_t size;           /**< sizeof(struct memmodel_chain_block) */
    const char *name;      /**< for errors. @nullable */
    int64_t input;         /**< of its input, which is what a checkpoint keeps. @unit bytes */
    int64_t saved;         /**< that it keeps for its backward pass besides its input, its output included: no less than
                                 the input of the next block. @unit bytes */
    int64_t forward_bytes; /**< besides these, while it runs forward. @unit bytes */
    int64_t backward_bytes; /**< besides these and the gradients of its output and its input, while it runs backward.
                                 @unit bytes */
    double forward_cost;    /**< of running it forward, 0 or more */
    double backward_cost;   /**< of running it backward, 0 or more */
};

/** What a step of a schedule does with a block. @since 0.1 */
enum memmodel_chain_operation {
    MEMMODEL_CHAIN_FORWARD = 0,  /**< forward, nothing is kept but the output: the input goes */
    MEMMODEL_CHAIN_KEEP = 1,     /**< forward, the input is kept: a checkpoint */
    MEMMODEL_CHAIN_SAVE = 2,     /**< forward, the input is kept and all that the backward pass needs */
    MEMMODEL_CHAIN_BACKWARD = 3, /**< backward; what was kept for it goes */
};

/** A step of a schedule. @since 0.1 */
struct memmodel_chain_step {
    size_t size;       /**< sizeof(struct memmodel_chain_step) */
    int32_t operation; /**< enum memmodel_chain_operation */
    int32_t block;     /**< number of the block, from 0 */
    int64_t held;      /**< bytes that are held after it. @unit bytes */
    int64_t peak;      /**< bytes in use during it. @unit bytes */
};

/** What a chain came to. @since 0.1 */
struct memmodel_chain_result {
    size_t size;       /**< sizeof(struct memmodel_chain_result) */
    int64_t peak;      /**< most bytes in use at a time. @unit bytes */
    int64_t least;     /**< the least peak that a schedule has. @unit bytes */
    int64_t most;      /**< the peak where nothing is computed twice. @unit bytes */
    double cost;       /**< of the schedule */
    double least_cost; /**< where nothing is computed twice */
};

/**
 * Make a chain without blocks.
 *
 * @param[in]  context  the chain keeps a reference
 * @param[in]  output   bytes of what the last block makes, and of the gradient that waits there from the beginning; next
 *                      to nothing where the last block is the loss. @unit bytes
 * @param[out] chain    new chain with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT
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
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (bytes or costs below 0, or the block before keeps less than this one's
 *          input), MEMMODEL_ERROR_OVERFLOW (all bytes together), MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NOMEM,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_chain_add(memmodel_chain *chain, const struct memmodel_chain_block *block);

/**
 * Find the schedule of least cost whose peak is within a budget.
 *
 * It is the cheapest of those that keep each checkpoint until the backward pass needs it, where every size is rounded up
 * to slots of `budget / slots` bytes: never above the budget, and exact where that is 1 byte. Found by the dynamic
 * programming of Beaumont, Eyraud-Dubois, Herrmann, Joly and Shilova (hal-02352969), and run step by step before it is
 * kept. Where no schedule fits in whole slots but one fits in bytes, that of the least peak is given.
 *
 * @param[in] chain   chain with at least one block
 * @param[in] budget  that everything has to fit in: inputs, what is kept, gradients. @unit bytes
 * @param[in] slots   1 to 100000; 0: 500
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (no blocks, no such slots, the output of the last block is more than it
 *          keeps, or a budget below the least peak: the text says how much that is and which block needs it),
 *          MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @blocking
 * @complexity O(blocks^3 slots), in blocks^2 slots / 2 numbers of memory
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_chain_solve(memmodel_chain *chain, int64_t budget, int64_t slots);

/**
 * What the chain came to.
 *
 * @param[in]     chain   chain
 * @param[in,out] result  its size is set by the caller; all else is 0 if the chain is not solved
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_chain_result(const memmodel_chain *chain, struct memmodel_chain_result *result);

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
memmodel_chain_step(const memmodel_chain *chain, size_t index, struct memmodel_chain_step *step);

/** Take one more reference. @param[in] chain  not NULL @returns `chain` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_chain *
memmodel_chain_ref(memmodel_chain *chain);

/** Drop one reference. @param[in] chain  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_chain_unref(memmodel_chain *chain);

/** The search for scopes of a network, or groups of them, to wrap in torch.utils.checkpoint; what it found. @since 0.1 */
typedef struct memmodel_recomputation memmodel_recomputation;

/** What a search came to. @since 0.1 */
struct memmodel_recomputation_result {
    size_t size;         /**< sizeof(struct memmodel_recomputation_result) */
    int64_t before;      /**< peak of the job with nothing wrapped. @unit bytes */
    int64_t peak;        /**< peak as advised. @unit bytes */
    int64_t least;       /**< least peak that was found. @unit bytes */
    int64_t simulations; /**< that the search took */
    double extra;        /**< of a step's time, for what is computed again as advised: 0.1 is 10 % */
    int32_t point;       /**< number of the advised point of the curve */
    int32_t fits;        /**< 1: the advice is within the budget; 0: nothing that was found is, and it is the least */
    int32_t settled; /**< 1: no point has a neighbour that is better; 0: simulations were used up, or it was stopped */
    int32_t measure; /**< enum memmodel_measure of all peaks, never MEMMODEL_MEASURE_DEFAULT; 0 before any search */
};

/** A point of the curve: no other that was found is better in both peak and time. @since 0.1 */
struct memmodel_recomputation_point {
    size_t size;            /**< sizeof(struct memmodel_recomputation_point) */
    int64_t peak;           /**< of the job so wrapped, of the result's measure. @unit bytes */
    double extra;           /**< of a step's time: 0.1 is 10 % */
    size_t scopes;          /**< that are wrapped, a group of several as one */
    const char *checkpoint; /**< these as memmodel_job.checkpoint has them, in few patterns: "encoder.*"; "" for none.
                                 Owned by the search */
};

/**
 * Told of a search after each simulation.
 *
 * @param[in] user         what memmodel_recomputation_observe() was given. @nullable
 * @param[in] simulations  done so far
 * @param[in] least        least peak so far. @unit bytes
 * @returns 0: go on; anything else: stop, with what was found so far
 * @threads the caller's of memmodel_recomputation_solve()
 * @since 0.1
 */
typedef int (*memmodel_recomputation_observer)(void *user, int64_t simulations, int64_t least);

/**
 * Make a search.
 *
 * @param[in]  network        built network; the search keeps a reference and its context
 * @param[out] recomputation  new search with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, the network's own status (memmodel_network_status()),
 *          MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_new(memmodel_network *network, memmodel_recomputation **recomputation);

/**
 * Say what a part of the forward pass costs, such as seconds that were measured. Once a cost is given, parts without one
 * cost nothing; the last that is given for a layer counts.
 *
 * Without any, a layer costs its multiplications with addition, and one for each element that it makes. A step costs
 * three forward passes, for its backward pass computes two gradients; what is computed again comes on top. PyTorch ends
 * a recomputation with the last tensor that is needed: the layers behind it cost nothing.
 *
 * @param[in] recomputation  search
 * @param[in] name           a layer, or a scope, whose cost its layers share as they do operations
 * @param[in] cost           of running it forward once, in any unit, 0 or more
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_cost(memmodel_recomputation *recomputation, const char *name, double cost);

/**
 * Be told of the searches that follow.
 *
 * @param[in] recomputation  search
 * @param[in] observer       NULL for none. @nullable
 * @param[in] user           handed to each call of `observer`. @nullable
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_observe(memmodel_recomputation *recomputation, memmodel_recomputation_observer observer,
                               void *user);

/**
 * Find which scopes, or groups of several that follow one another, to wrap so that the job's peak is within a budget and
 * the time that is added is least; and the curve between peak and time. Every point of it is simulated in full.
 *
 * Sets to begin with come from knapsacks of what each scope keeps less and costs; a local search then adds, leaves out
 * and exchanges scopes, at all levels. The same network, job and number of simulations give the same answer on every
 * machine. A budget that nothing is within is no error: the point of the least peak is advised then.
 *
 * @param[in] recomputation  search
 * @param[in] job            a training with "pytorch"; what its `checkpoint` names is left out. NULL for defaults; every
 *                           symbol of the network needs a value. @nullable
 * @param[in] budget         of job->measure, to be within; 0: as little as was found. @unit bytes
 * @param[in] simulations    most simulations, 2 to 1000000; 0: 2000
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (a budget or number out of range, a cost for what the network does not
 *          have), MEMMODEL_ERROR_UNSUPPORTED (another framework, inference), or what memmodel_estimate() returns
 * @threads any, each with a context of its own in the job
 * @blocking
 * @complexity O(simulations) simulations
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_solve(memmodel_recomputation *recomputation, const struct memmodel_job *job, int64_t budget,
                             int64_t simulations);

/**
 * What the search came to.
 *
 * @param[in]     recomputation  search
 * @param[in,out] result         its size is set by the caller; all else is 0 if nothing was searched for
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_result(const memmodel_recomputation *recomputation,
                              struct memmodel_recomputation_result *result);

/**
 * Number of points of the curve.
 *
 * @param[in] recomputation  search
 * @returns points; 0 if nothing was searched for
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
 * @param[in]     index          from 0, which wraps nothing; each takes more time and less memory than those before
 * @param[in,out] point          its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_point(const memmodel_recomputation *recomputation, size_t index,
                             struct memmodel_recomputation_point *point);

/**
 * Name of a scope that a point wraps, in the order of the forward pass; of a group of several that one call of checkpoint()
 * runs, the first and the last: "h.0..3".
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
memmodel_recomputation_scope(const memmodel_recomputation *recomputation, size_t point, size_t index);

/**
 * Name of a module that a call of checkpoint() runs: the scope itself, or each of a group in the order of their calls.
 *
 * @param[in] recomputation  search
 * @param[in] point          number of the point
 * @param[in] scope          as memmodel_recomputation_scope() counts
 * @param[in] index          from 0
 * @returns the name, owned by the search; NULL if there is none of that index. @transfer none @nullable
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_recomputation_module(const memmodel_recomputation *recomputation, size_t point, size_t scope, size_t index);

/**
 * The advice and the curve as JSON text (doc/formats.md).
 *
 * @param[in]  recomputation  search
 * @param[out] text           give it back with memmodel_free(context, text); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (nothing was searched for), MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_to_json(const memmodel_recomputation *recomputation, char **text);

/**
 * The curve as a picture: time that is added across, peak up.
 *
 * @param[in]  recomputation  search
 * @param[out] svg            give it back with memmodel_free(context, svg); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (nothing was searched for), MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recomputation_to_svg(const memmodel_recomputation *recomputation, char **svg);

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
