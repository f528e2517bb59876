/* Budgets: what has to be done so that a job is within so many bytes, one means after the other, and what each gives. */
#ifndef MEMMODEL_BUDGET_H
#define MEMMODEL_BUDGET_H

#include "memmodel/job.h"
#include "memmodel/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What brings a job within a budget. @since 0.1 */
typedef struct memmodel_budget memmodel_budget;

/** Means to need less memory, in the order in which they are tried. @since 0.1 */
enum memmodel_budget_means {
    MEMMODEL_BUDGET_APART = 0,     /**< none: every tensor has memory of its own */
    MEMMODEL_BUDGET_REUSE = 1,     /**< memory that nobody needs any more goes to others */
    MEMMODEL_BUDGET_ORDER = 2,     /**< operators run in another order */
    MEMMODEL_BUDGET_RECOMPUTE = 3, /**< parts of the network are computed again in the backward pass */
    MEMMODEL_BUDGET_TILE = 4,      /**< images and volumes are cut into tiles, one after the other */
    MEMMODEL_BUDGET_BATCH = 5,     /**< the batch is smaller */
};

/**
 * Name of a means, such as "recompute".
 *
 * @param[in] means  enum memmodel_budget_means
 * @returns a static string; NULL if there is no such means. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_budget_means_name(int means);

/** A means, and what it gave. @since 0.1 */
struct memmodel_budget_step {
    size_t size;  /**< sizeof(struct memmodel_budget_step) */
    int64_t peak; /**< of the job after it. @unit bytes */
    double extra; /**< time or multiplications that it adds: 0.1 is 10 % more. Below 0 for a batch that is so small that
                           less has to be computed again */
    const char *what; /**< what was chosen: job->checkpoint for recompute, "48 x 48 x 36, 8 tiles", "batch=4"; where
                           nothing was, why. Owned by the budget */
    int32_t means;    /**< enum memmodel_budget_means */
    int32_t taken;    /**< 1: it needs less than what was before; 0: it cannot be had here, or gives nothing */
};

/** What the budget came to. @since 0.1 */
struct memmodel_budget_result {
    size_t size;            /**< sizeof(struct memmodel_budget_result) */
    int64_t peak;           /**< with all that was taken. @unit bytes */
    int64_t batch;          /**< value of the symbol "batch"; 0: there is none */
    double extra;           /**< of all that was taken together: 0.1 is 10 % more */
    const char *checkpoint; /**< what to give as job->checkpoint; "" for nothing. Owned by the budget */
    int32_t fits;           /**< 1: the peak is within the budget */
    int32_t measure;        /**< enum memmodel_measure of a training's peaks; 0 for an inference, planned and not run */
};

/**
 * Bring a job within a budget: reuse, another order, recomputation, tiles, a smaller batch, one after the other until it is.
 *
 * With job->inference the network's forward pass is planned by memmodel_schedule_new() and memmodel_tiling_new(); bytes are
 * those of the plan and of the weights, and job's framework, optimizer and device do not matter. Else the bytes are those of
 * job->measure of the simulated training step; there the order is the program's and tiles cannot be had; with "pytorch"
 * what is computed again is found by memmodel_recomputation_solve(). The last means is the largest batch that is within the
 * budget after all others.
 *
 * @param[in]  network  built network; a smaller batch can be had if it has a symbol "batch"
 * @param[in]  job      how it is run, with a value for every symbol. NULL: all defaults. @nullable
 * @param[in]  bytes    the budget, above 0. @unit bytes
 * @param[out] budget   new object with one reference, untouched on error. @transfer full
 * @returns 0 also where nothing brings it within the budget (memmodel_budget_result() tells), MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          what memmodel_schedule_new() or memmodel_estimate() return
 * @threads the network's context's
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_budget_new(memmodel_network *network, const struct memmodel_job *job, int64_t bytes, memmodel_budget **budget);

/**
 * What it came to.
 *
 * @param[in]     budget  budget
 * @param[in,out] result  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_budget_result(const memmodel_budget *budget, struct memmodel_budget_result *result);

/**
 * Number of means that were looked at, the job as it is among them.
 *
 * @param[in] budget  budget
 * @returns steps, at least 1
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_budget_step_count(const memmodel_budget *budget);

/**
 * A means that was looked at.
 *
 * @param[in]     budget  budget
 * @param[in]     index   from 0, in the order of enum memmodel_budget_means
 * @param[in,out] step    its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the network's context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_budget_step(const memmodel_budget *budget, size_t index, struct memmodel_budget_step *step);

/**
 * All of it as a paragraph in English: what was done, and what each step gave.
 *
 * @param[in] budget  budget
 * @returns the text, owned by the budget. @transfer none
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_budget_text(const memmodel_budget *budget);

/** Take one more reference. @param[in] budget  not NULL @returns `budget` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_budget *
memmodel_budget_ref(memmodel_budget *budget);

/** Drop one reference. @param[in] budget  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_budget_unref(memmodel_budget *budget);

#ifdef __cplusplus
}
#endif

#endif
