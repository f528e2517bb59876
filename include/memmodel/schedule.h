/*
 * Schedules: how a network runs without a backward pass in little memory, operator by operator, and the plan of its
 * buffers.
 */
#ifndef MEMMODEL_SCHEDULE_H
#define MEMMODEL_SCHEDULE_H

#include "memmodel/job.h"
#include "memmodel/network.h"
#include "memmodel/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The operators of a network for given sizes, in the order in which they run, and their buffers. @since 0.1 */
typedef struct memmodel_schedule memmodel_schedule;

/** What a schedule may do to need less memory, see doc/guide/planning.md. @since 0.1 */
enum memmodel_schedule_pass {
    MEMMODEL_SCHEDULE_PASS_FUSION = 1,          /**< normalisations and activations are steps of what they follow */
    MEMMODEL_SCHEDULE_PASS_RESIDUAL_FUSION = 2, /**< so is what a residual adds; not without fusion */
    MEMMODEL_SCHEDULE_PASS_VIEW_ALIASING = 4,   /**< what has the bytes of another tensor is not copied */
    MEMMODEL_SCHEDULE_PASS_IN_PLACE = 8,        /**< element by element, an input that nobody needs is overwritten */
    MEMMODEL_SCHEDULE_PASS_CONCAT_ELIMINATION = 16, /**< parts are made where the result has them */
    MEMMODEL_SCHEDULE_PASS_REORDERING = 32,         /**< operators run in another order, if the plan needs less then */
};

/** How a network runs without a backward pass. Zero means the default for every field. @since 0.1 */
struct memmodel_schedule_options {
    size_t size;                                 /**< sizeof(struct memmodel_schedule_options) */
    const struct memmodel_symbol_value *symbols; /**< `symbol_count` values. @length symbol_count @nullable */
    size_t symbol_count;                         /**< number of `symbols` */
    /** how the plan is searched for; its budget and limits. NULL: the defaults of memmodel_plan_solve(). @length 1
     *  @nullable */
    const struct memmodel_plan_options *plan;
    uint64_t disabled_passes; /**< what to do without: a sum of enum memmodel_schedule_pass */
    /** of each buffer, a power of two. Parts of others lie where they lie. @unit bytes @default 1 */
    int64_t alignment;
    int32_t include_parameters; /**< 1: weights lie in the arena too, all the time; else they are constants elsewhere */
    int32_t reserved;           /**< 0 */
};

/** The result of a schedule. @since 0.1 */
struct memmodel_schedule_result {
    size_t size;          /**< sizeof(struct memmodel_schedule_result) */
    int64_t tensor_bytes; /**< inputs and what each layer makes, each in memory of its own; what only looks at another
                                tensor is not counted. @unit bytes */
    int64_t parameter_bytes; /**< weights, each once. @unit bytes */
    int64_t peak;            /**< of the plan. @unit bytes */
    int64_t lower_bound;     /**< no plan of these buffers in this order needs less. @unit bytes */
    int64_t multiply_adds;   /**< multiplications with addition of all layers; -1: more than 63 bits can say */
    /** of the plan in the order of the builder calls; `peak` is lower if another order was found. @unit bytes */
    int64_t peak_program_order;
};

/** An operator of a schedule. @since 0.1 */
struct memmodel_schedule_operator {
    size_t size;         /**< sizeof(struct memmodel_schedule_operator) */
    const char *name;    /**< of the layer that makes its output, owned by the schedule */
    int64_t first_layer; /**< index of the first layer that it runs, in the order of the builder calls */
    int64_t last_layer;  /**< index of the layer that makes its output: the same, or the last of its steps */
    int64_t live;        /**< in use while it runs. @unit bytes */
    int32_t is_noop;     /**< 1: its outputs are where they belong already */
    int32_t reserved;    /**< 0 */
};

/**
 * Schedule a network, and plan its buffers: times of the plan are operators, in the order in which they run.
 *
 * A buffer of the plan is a tensor, named after its layer, or what an operator needs while it runs. Inputs are there
 * from the begin and outputs stay to the end; inputs may be overwritten when nobody needs them any more.
 *
 * @param[in]  network   network
 * @param[in]  options   values of all symbols, and what to do without. NULL: no symbols, all defaults. @nullable
 * @param[in]  context   limits, memory and errors of this call; NULL: the network's own. @nullable
 * @param[out] schedule  new schedule with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOT_FOUND, MEMMODEL_ERROR_UNBOUND,
 *          MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_CALLBACK, MEMMODEL_ERROR_STRUCT_SIZE,
 *          MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own: the network is only read
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_schedule(const memmodel_network *network, const struct memmodel_schedule_options *options,
                          memmodel_context *context, memmodel_schedule **schedule);

/**
 * The plan of a schedule's buffers, solved.
 *
 * @param[in] schedule  schedule
 * @returns the plan, owned by the schedule; NULL if `schedule` is. @transfer none @nullable
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const memmodel_plan *
memmodel_schedule_plan(const memmodel_schedule *schedule);

/**
 * The plan's buffer of a tensor.
 *
 * @param[in]  schedule  schedule
 * @param[in]  tensor    of the network
 * @param[out] buffer    its number in the plan, untouched on error
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (no tensor of the network, a parameter, or one that is never in memory:
 *          within an operator of several layers)
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_schedule_find_buffer(const memmodel_schedule *schedule, memmodel_tensor tensor, size_t *buffer);

/**
 * Number of operators.
 *
 * @param[in] schedule  schedule
 * @returns operators
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_schedule_operator_count(const memmodel_schedule *schedule);

/**
 * An operator.
 *
 * @param[in]     schedule  schedule
 * @param[in]     index     from 0, in the order in which they run
 * @param[in,out] about     its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_schedule_get_operator(const memmodel_schedule *schedule, size_t index,
                               struct memmodel_schedule_operator *about);

/**
 * The result of a schedule.
 *
 * @param[in]     schedule  schedule
 * @param[in,out] result    its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_schedule_get_result(const memmodel_schedule *schedule, struct memmodel_schedule_result *result);

/** Take one more reference. @param[in] schedule  not NULL @returns `schedule` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_schedule *
memmodel_schedule_ref(memmodel_schedule *schedule);

/** Drop one reference. @param[in] schedule  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_schedule_unref(memmodel_schedule *schedule);

#ifdef __cplusplus
}
#endif

#endif
