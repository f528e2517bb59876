/*
 * Optimization: what has to be done so that a job is within its budget, one technique after the other, and what each
 * gives.
 */
#ifndef MEMMODEL_OPTIMIZE_H
#define MEMMODEL_OPTIMIZE_H

#include "memmodel/job.h"
#include "memmodel/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What brings a job within a budget. @since 0.1 */
typedef struct memmodel_optimization memmodel_optimization;

/** Techniques to need less memory, in the order in which they are tried. @since 0.1 */
enum memmodel_technique {
    MEMMODEL_TECHNIQUE_NO_REUSE = 0,  /**< none: every tensor has memory of its own */
    MEMMODEL_TECHNIQUE_REUSE = 1,     /**< memory that nobody needs any more goes to others */
    MEMMODEL_TECHNIQUE_REORDER = 2,   /**< operators run in another order */
    MEMMODEL_TECHNIQUE_RECOMPUTE = 3, /**< parts of the network are recomputed in the backward pass */
    MEMMODEL_TECHNIQUE_TILE = 4,      /**< images and volumes are cut into tiles, one after the other */
    MEMMODEL_TECHNIQUE_BATCH = 5,     /**< the batch is smaller */
};

/**
 * Name of a technique, such as "recompute".
 *
 * @param[in] technique  enum memmodel_technique
 * @returns a static string; NULL if there is no such technique. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_technique_name(int technique);

/** A technique, and what it gave. @since 0.1 */
struct memmodel_optimization_step {
    size_t size;  /**< sizeof(struct memmodel_optimization_step) */
    int64_t peak; /**< of the job after it. @unit bytes */
    /** time or multiplications that it adds: 0.1 is 10 % more. Below 0 for a batch that is so small that less has
     *  to be recomputed */
    double overhead;
    const char *detail; /**< what was chosen: job->checkpoint for recompute, "48 x 48 x 36, 8 tiles", "batch=4"; where
                           nothing was, why. Owned by the optimization */
    int32_t technique;  /**< enum memmodel_technique */
    int32_t applied;    /**< 1: it needs less than what was before; 0: it cannot be had here, or gives nothing */
};

/** The result of an optimization. @since 0.1 */
struct memmodel_optimization_result {
    size_t size;            /**< sizeof(struct memmodel_optimization_result) */
    int64_t peak;           /**< with all that was applied. @unit bytes */
    int64_t batch;          /**< value of the symbol "batch"; 0: there is none */
    double overhead;        /**< of all that was applied together: 0.1 is 10 % more */
    const char *checkpoint; /**< what to give as job->checkpoint; "" for nothing. Owned by the optimization */
    /** what was done and what each step gave, a paragraph in English. Owned by the optimization */
    const char *summary;
    int32_t verdict; /**< enum memmodel_verdict: whether the peak is within the budget */
    int32_t metric;  /**< enum memmodel_metric of a training's peaks; 0 for an inference, planned and not run */
};

/**
 * Bring a job within its budget: reuse, another order, recomputation, tiles, a smaller batch, one after the other until
 * it is.
 *
 * With MEMMODEL_MODE_INFERENCE the network's forward pass is planned by memmodel_network_schedule() and
 * memmodel_network_tile(); bytes are those of the plan and of the weights, and the job's framework, optimizer and
 * device do not matter. Else the bytes are those of job->metric of the simulated training step; there the order is the
 * program's and tiles cannot be had; with "pytorch" what is recomputed is found by memmodel_recompute(). The last
 * technique is the largest batch that is within the budget after all others.
 *
 * @param[in]  network       built network; a smaller batch can be had if it has a symbol "batch"
 * @param[in]  job           how it is run, with its budget and a value for every symbol
 * @param[in]  context       limits, progress, memory and errors of this call; NULL: the network's own. @nullable
 * @param[out] optimization  new object with one reference, untouched on error. @transfer full
 * @returns 0 also where nothing brings it within the budget (the verdict of memmodel_optimization_get_result()),
 *          MEMMODEL_ERROR_INVALID_ARGUMENT (also a job without a budget), what memmodel_network_schedule() or
 *          memmodel_estimate() return
 * @threads any, each with a context of its own
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_optimize(const memmodel_network *network, const struct memmodel_job *job, memmodel_context *context,
                  memmodel_optimization **optimization);

/**
 * The result of an optimization.
 *
 * @param[in]     optimization  budget
 * @param[in,out] result  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_optimization_get_result(const memmodel_optimization *optimization,
                                 struct memmodel_optimization_result *result);

/**
 * Number of techniques that were looked at, the job as it is among them.
 *
 * @param[in] optimization  optimization
 * @returns steps, at least 1
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_optimization_step_count(const memmodel_optimization *optimization);

/**
 * A technique that was looked at.
 *
 * @param[in]     optimization  budget
 * @param[in]     index   from 0, in the order of enum memmodel_technique
 * @param[in,out] step    its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_optimization_get_step(const memmodel_optimization *optimization, size_t index,
                               struct memmodel_optimization_step *step);

/** Take one more reference. @param[in] optimization  not NULL @returns `optimization` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_optimization *
memmodel_optimization_ref(memmodel_optimization *optimization);

/** Drop one reference. @param[in] optimization  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_optimization_unref(memmodel_optimization *optimization);

#ifdef __cplusplus
}
#endif

#endif
