/* From samples to a model: read the table, offer terms, let all sources propose, judge and choose, prove, bound. */
#include "regression/fit.h"

#include "base/choice.h"
#include "base/environment.h"
#include "measure/samples.h"
#include "regression/table/censored.h"
#include "regression/search/trees.h"
#include "regression/select/selection.h"

#include <math.h>

enum { MAX_GIVEN = 1024, MAX_POSITIVE_TERMS = 8 };

#define DEFAULT_QUANTILE 0.95

static int
check_choices(memmodel_context *context, const struct memmodel_fit_options *options)
{
    static const char *const bases[] = {"posynomial", "user", "general", NULL};
    static const char *const losses[] = {"default",   "relative", "squared", "mape",
                                         "log-ratio", "absolute", "pinball", NULL};
    static const char *const selections[] = {"default", "one standard error", "description length", NULL};
    int status = choice_check(context, NULL, "basis", options->basis, bases);

    status = status ? status : choice_check(context, NULL, "loss", options->loss, losses);
    status = status ? status : choice_check(context, NULL, "selection", options->selection, selections);
    status = status ? status : flag_check(context, NULL, "search", options->search);
    status = status ? status : flag_check(context, NULL, "integer_exponents", options->integer_exponents);
    status = status ? status : flag_check(context, NULL, "non_negative", options->non_negative);
    return status ? status : flag_check(context, NULL, "change_points", options->change_points);
}

static int
read_options(memmodel_context *context, const struct memmodel_fit_options *given, struct memmodel_fit_options *own)
{
    int status = options_copy(context, "memmodel_fit_options", given, own, sizeof *own);

    if (status)
        return status;
    if (own->quantile != 0 && (own->loss != MEMMODEL_FIT_LOSS_PINBALL || !(own->quantile > 0 && own->quantile < 1)))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "quantile is %g; it must be above 0 and below 1, and the loss pinball", own->quantile);
    if (own->term_count > MAX_GIVEN || (own->term_count > 0 && !own->terms))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "%zu terms given; 0 to %d may be",
                             own->term_count, MAX_GIVEN);
    if (!(own->capacity >= 0) || isinf(own->capacity))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "capacity is %g; it is a finite number of bytes", own->capacity);
    if (own->max_evaluations < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "max_evaluations must not be negative");
    if (own->reserved != 0 || own->reserved_2 != 0 || own->reserved_3 != 0 || own->threads < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "threads must not be negative, and reserved must be 0");
    return check_choices(context, own);
}

/* What the caller left open. */
static void
set_defaults(struct memmodel_fit_options *options)
{
    if (options->quantile == 0)
        options->quantile = DEFAULT_QUANTILE;
    if (options->loss == MEMMODEL_FIT_LOSS_SQUARED && options->basis == MEMMODEL_FIT_BASIS_POSYNOMIAL)
        options->basis = MEMMODEL_FIT_BASIS_GENERAL;
    if (options->loss == MEMMODEL_FIT_LOSS_DEFAULT)
        options->loss =
            options->basis == MEMMODEL_FIT_BASIS_GENERAL ? MEMMODEL_FIT_LOSS_SQUARED : MEMMODEL_FIT_LOSS_RELATIVE;
    if (options->selection == MEMMODEL_FIT_SELECTION_DEFAULT)
        options->selection = fit_is_general(options) ? MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH
                                                     : MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR;
}

/* When the basis is known. */
static int
check_max_terms(memmodel_context *context, const struct memmodel_fit_options *options)
{
    int most = fit_is_general(options) ? SUPPORT_MAX : MAX_POSITIVE_TERMS;

    if (options->max_terms < 0 || options->max_terms > most)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "max_terms is %d; it may be 1 to %d",
                             options->max_terms, most);
    return 0;
}

/* ---- the formula ---- */

/*
 * A limit of terms is a wish for a short formula, a change point a claim of its own, and units are those of single
 * terms.
 */
static bool
may_have_regimes(const struct fit *fit, const struct memmodel_fit_options *options)
{
    return options->basis == MEMMODEL_FIT_BASIS_POSYNOMIAL && options->max_terms == 0 && !fit->structure.change_point &&
           !fit->structure.has_units;
}

/* Takes the chosen candidate, or if it cannot be proven to be sound the next one, and so on. */
static int
choose_proven(struct fit *fit, memmodel_model **model)
{
    struct comparison *comparison = &fit->comparison;
    size_t refused = 0;

    for (;; refused++) {
        bool proven;
        int status;

        if (!choose(comparison))
            return context_error(fit->context, MEMMODEL_ERROR_DATA, fit->table.target,
                                 "no formula can be proven to be what it must be wherever the inputs are in their "
                                 "ranges");
        status = fit_write_proven(fit, &comparison->candidates[comparison->chosen], model, &proven);
        if (status)
            return status;
        if (proven)
            break;
        comparison->candidates[comparison->chosen].refused = true;
    }
    if (refused > 0)
        context_log(
            fit->context,
            "left out: %zu of the formulas, for it could not be proven that they are what they must be wherever "
            "the inputs are in their ranges",
            refused);
    return 0;
}

static int
prepare(struct fit *fit, const memmodel_samples *samples, const struct memmodel_fit_options *options,
        const struct training_limits *limits)
{
    struct workspace *workspace = &fit->workspace;
    int status = training_read(samples, options, limits, workspace, &fit->table);

    if (!status)
        status = structure_read(samples, &fit->table, options, &fit->structure);
    if (!status)
        status = basis_new(workspace, &fit->table, options, &fit->structure, &fit->basis);
    if (status)
        return status;
    fit->loss = training_loss(&fit->table, options);
    fit->rows = rows_all(workspace, &fit->table, &fit->basis, &fit->loss);
    fit->comparison = (struct comparison){.table = &fit->table,
                                          .structure = &fit->structure,
                                          .loss = &fit->loss,
                                          .basis = &fit->basis,
                                          .max_terms = (size_t)options->max_terms,
                                          .rule = options->selection,
                                          .regimes = may_have_regimes(fit, options)};
    return comparison_new(workspace, &fit->comparison);
}

static int
find_formula(struct fit *fit, const struct memmodel_fit_options *options, memmodel_model **model)
{
    int status = judge(&fit->comparison);

    if (!status && options->search)
        status = trees_search(&fit->comparison, options);
    return status ? status : choose_proven(fit, model);
}

static int
fit_table(const memmodel_samples *samples, const struct memmodel_fit_options *options,
          const struct training_limits *limits, memmodel_context *context, memmodel_model **model)
{
    struct fit *fit = memory_allocate_zeroed(context, 1, sizeof *fit);
    memmodel_model *new = NULL;
    int status;

    if (!fit)
        return MEMMODEL_ERROR_NO_MEMORY;
    fit->context = context;
    fit->workspace = WORKSPACE_INIT(context);
    status = prepare(fit, samples, options, limits);
    if (!status)
        status = find_formula(fit, options, &new);
    if (!status)
        status = fit_complete(fit, new);
    if (fit->basis.pool)
        expression_pool_free(fit->basis.pool);
    workspace_release(&fit->workspace);
    memory_release(context, fit);
    return model_hand_over(new, status, model);
}

/* Searches that have to end leave their loops without a word: what they found by then is no answer. */
static int
fit(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
    memmodel_model **model)
{
    OWN_ENVIRONMENT;
    struct memmodel_fit_options own;
    memmodel_model *fitted;
    int status = read_options(context, options, &own), ended;

    if (status)
        return status;
    set_defaults(&own);
    status = check_max_terms(context, &own);
    if (!status)
        training_note_texts(samples, &own, context);
    if (!status)
        status = censored_rows_fit(samples, &own, fit_table, context, &fitted);
    ended = context_look(context, 0);
    if (!status && ended)
        memmodel_model_unref(fitted);
    if (status || ended)
        return ended ? ended : status;
    fitted->unit = training_unit(samples, &own, fitted->target);
    *model = fitted;
    return 0;
}

int
memmodel_fit(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
             memmodel_model **model)
{
    int status;

    if (!samples || !model)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : samples->context;
    status = context_begin(context);
    return context_end(context, status ? status : fit(samples, options, context, model));
}
