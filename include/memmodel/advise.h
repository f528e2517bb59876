/* Which configuration to measure next: designs of experiments for fitted formulas. */
#ifndef MEMMODEL_ADVISE_H
#define MEMMODEL_ADVISE_H

#include "memmodel/context.h"
#include "memmodel/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What to advise. Zero means the default for every field; `domain` or `candidates` is needed.
 *
 * @since 0.1
 */
struct memmodel_advise_options {
    size_t size; /**< sizeof(struct memmodel_advise_options) */
    /** column of the samples that was measured. NULL: their last numeric one. @nullable */
    const char *target;
    /** an input each, with what it may be: "batch=1,2,4", or "dim=32:144:16", from, to and step. All combinations may
     *  be measured. @length domain_count @nullable */
    const char *const *domain;
    size_t domain_count; /**< number of `domain` */
    /** what a measurement costs: a formula in the inputs, or "prediction", what a fit to the samples says. NULL: all
     *  cost 1. @nullable */
    const char *cost;
    /** wanted mean relative error of a prediction, as a fraction below 1. 0: 0.03 */
    double target_error;
    /** assumed measurement noise: relative standard deviation of repeated measurements. 0: the error of a fit to the
     *  samples on rows that it did not see; without one 0.03 */
    double noise;
    int64_t count; /**< configurations to advise, at most 1000. 0: 10 */
    /** configurations to choose from, in place of `domain`: its numeric columns are the inputs. NULL: all of the
     *  domain. @nullable */
    const memmodel_samples *candidates;
};

/** What the samples and the design are good for. @since 0.1 */
struct memmodel_advise_result {
    size_t size;           /**< sizeof(struct memmodel_advise_result) */
    double expected_error; /**< mean relative error of a prediction with the samples there are, as a fraction */
    /** rows in all, the samples' among them, that probably give the target error when chosen like this; -1: no number
     *  does, as the noise alone is more, or 1000 new ones are not enough */
    int64_t needed_count;
};

/**
 * Advise what to measure next, one configuration after the other.
 *
 * The formula is taken for a sum of powers of the inputs and their products, up to cubes, each with a share of the
 * target that is not known. The next measurement is the one that lowers the variance of these shares most per cost,
 * given all before it (sequential D-optimal design). The same arguments give the same advice.
 *
 * @param[in]     samples  measured so far, with a column for each input and one for the target. NULL: nothing yet.
 *                         @nullable
 * @param[in]     options  what to advise
 * @param[in]     context  limits, memory and errors of this call; NULL: the samples' own, if there are samples.
 *                         @nullable
 * @param[in,out] result   its size is set by the caller; untouched on error
 * @param[out]    design   new table with one reference, untouched on error: the inputs, `cost`, and `error`, the
 *                         expected mean relative error of a prediction once the row is measured. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (a domain, in it a number that four samples or more say the input cannot
 *          have, as memmodel_model_check_points() has it, a cost that is not above 0, an option out of range),
 *          MEMMODEL_ERROR_PARSE (the cost), MEMMODEL_ERROR_NOT_FOUND (no such column, or in the cost no such
 *          input), MEMMODEL_ERROR_DATA (samples that cannot be fitted), MEMMODEL_ERROR_STRUCT_SIZE,
 *          MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own: the tables are only read
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_advise(const memmodel_samples *samples, const struct memmodel_advise_options *options,
                memmodel_context *context, struct memmodel_advise_result *result, memmodel_samples **design);

#ifdef __cplusplus
}
#endif

#endif
