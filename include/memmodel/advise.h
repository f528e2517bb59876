/* Which configuration to measure next: designs of experiments for fitted formulas. */
#ifndef MEMMODEL_ADVISE_H
#define MEMMODEL_ADVISE_H

#include "memmodel/context.h"
#include "memmodel/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What to advise. Zero means the default for every field but `domain`.
 *
 * @since 0.1
 */
struct memmodel_advise_options {
    size_t size;               /**< sizeof(struct memmodel_advise_options) */
    const char *target;        /**< column of the samples that was measured. NULL: their last numeric one. @nullable */
    const char *const *domain; /**< an input each, with what it may be: "batch=1,2,4", or "dim=32:144:16", from, to and
                                    step. All combinations may be measured. @length domain_count @nullable */
    size_t domain_count;       /**< number of `domain` */
    const char *cost;          /**< what a measurement costs: a formula in the inputs, or "prediction", what a fit to
                                    the samples says. NULL: all cost 1. @nullable */
    double accuracy;           /**< wanted mean relative error of a prediction, as a fraction below 1. 0: 0.03 */
    double noise;  /**< relative error of a measurement. 0: that of a fit to the samples, held out; without one 0.03 */
    int64_t count; /**< configurations to advise, at most 1000. 0: 10 */
};

/**
 * Advise what to measure next, one configuration after the other.
 *
 * The formula is taken for a sum of powers of the inputs and their products, up to cubes, each with a share of the target
 * that is not known. The next measurement is the one that tells most of these shares per cost, given all before it
 * (D-optimal). The same arguments give the same advice.
 *
 * @param[in]  context     used by the table
 * @param[in]  samples     measured so far, with a column for each input and one for the target. NULL: nothing yet.
 *                         @nullable
 * @param[in]  candidates  configurations to choose from, in place of `domain`: its numeric columns are the inputs.
 *                         @nullable
 * @param[in]  options     what to advise
 * @param[out] advised     new table with one reference, untouched on error: the inputs, `cost`, and `error`, the
 *                         expected mean relative error of a prediction once the row is measured. @transfer full
 * @param[out] error       the same with the samples there are
 * @param[out] needed      rows in all, the samples' among them, that probably give the wanted accuracy when chosen like
 *                         this; -1: no number does, as the noise alone is more, or 1000 new ones are not enough
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (a domain, in it a number that four samples or more say the input cannot
 *          have, as memmodel_model_check_points() has it, a cost that is not above 0, an option out of range),
 *          MEMMODEL_ERROR_PARSE (the cost), MEMMODEL_ERROR_UNKNOWN_SYMBOL (no such column, or in the cost no such
 *          input), MEMMODEL_ERROR_DATA (samples that cannot be fitted), MEMMODEL_ERROR_STRUCT_SIZE,
 *          MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_advise(memmodel_context *context, const memmodel_samples *samples, const memmodel_samples *candidates,
                const struct memmodel_advise_options *options, memmodel_samples **advised, double *error,
                int64_t *needed);

#ifdef __cplusplus
}
#endif

#endif
