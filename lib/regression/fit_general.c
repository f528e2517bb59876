/* From samples to a model, for tables of any kind: read the table, offer terms, choose among them, make the model. */
#include "regression/fit_general.h"
#include "regression/bound.h"
#include "regression/front.h"
#include "regression/general.h"
#include "regression/noise.h"
#include "regression/reweigh.h"
#include "regression/settle.h"
#include "regression/shorten.h"
#include "regression/search/trees.h"
#include "regression/widen.h"

#include <math.h>

struct fit {
    memmodel_context *context;
    bool relative;
    struct loss loss;
    struct training training;
    struct structure structure;
    struct basis basis;
    struct general *general;
    struct qr qr;
    double *column;
    struct reweighing reweighing; /* of other losses than squares */
    struct matrix terms;          /* and the columns of a candidate */
};

/* ---- a candidate as a model ---- */

/* Column j of the basis, with the roots of the rows' weights, becomes the next column of the factors. */
static bool
append_column(struct fit *fit, const double *roots, size_t j)
{
    for (size_t i = 0; i < fit->training.columns.rows; i++)
        fit->column[i] = matrix_column(&fit->basis.columns, j)[i] * roots[i];
    return qr_append(&fit->qr, fit->column);
}

/* The constant is read last. */
static size_t
column_of(const struct candidate *candidate, size_t k)
{
    return k < candidate->terms ? candidate->chosen[k] : 0;
}

static int
set_terms(struct fit *fit, const struct candidate *candidate, memmodel_model *model)
{
    const struct reading *reading = &fit->general->readings[candidate->reading];

    fit->qr.count = 0;
    model->term_count = candidate->terms + 1;
    for (size_t k = 0; k < model->term_count; k++) {
        size_t j = column_of(candidate, k);

        if (!append_column(fit, reading->roots, j))
            return context_error(fit->context, MEMMODEL_ERROR_DATA, model->target, "the terms cannot be told apart");
        model->terms[k] = expression_copy_assuming(fit->basis.pool, fit->basis.terms[j], model->pool, NULL, NULL, 0);
        if (model->terms[k] < 0)
            return model->terms[k];
    }
    return 0;
}

static void
solve_by_loss(struct fit *fit, const struct candidate *candidate, const struct reading *reading, double *coefficients)
{
    const double *columns[PATH_MOST + 1];
    size_t rows = fit->training.columns.rows;

    for (size_t k = 0; k <= candidate->terms; k++) {
        const double *from = matrix_column(&fit->basis.columns, column_of(candidate, k));
        double *to = matrix_column(&fit->terms, k);

        for (size_t i = 0; i < rows; i++)
            to[i] = from[i] * reading->roots[i];
        columns[k] = to;
    }
    reweigh_fit(&fit->reweighing,
                &(struct reweigh_problem){.loss = &fit->loss,
                                          .rows = rows,
                                          .count = candidate->terms + 1,
                                          .columns = columns,
                                          .right_side = fit->column,
                                          .roots = reading->roots,
                                          .measured = fit->training.measured,
                                          .weights = fit->training.weights,
                                          .response = &candidate->response},
                coefficients);
}

static const double digit_share =
    0.01; /* of the standard error of the squares: numbers of what a search found are read */

/* With few digits; a constant that is not needed is 0. */
static void
solve_shortly(struct fit *fit, const struct candidate *candidate, double *coefficients)
{
    int exponents[PATH_MOST + 1];

    for (size_t k = 0; k < fit->qr.count; k++)
        exponents[k] = fit->basis.exponents[column_of(candidate, k)];
    shorten_solve(&fit->qr,
                  &(struct shorten_columns){
                      .exponents = exponents, .constant = true, .share = candidate->library == TREES ? digit_share : 0},
                  fit->column, coefficients);
}

/* While the factors are those of the candidate's terms. */
static void
solve(struct fit *fit, const struct candidate *candidate, const struct reading *reading, double *coefficients)
{
    for (size_t i = 0; i < fit->training.columns.rows; i++)
        fit->column[i] = reading->aims[i] * reading->roots[i];
    if (!loss_is_square(&fit->loss))
        solve_by_loss(fit, candidate, reading, coefficients);
    else
        solve_shortly(fit, candidate, coefficients);
}

/* After the terms. */
static int
set_coefficients(struct fit *fit, const struct candidate *candidate, memmodel_model *model)
{
    const struct reading *reading = &fit->general->readings[candidate->reading];

    model->general = true;
    model->relative = fit->relative;
    model->loss = fit->loss.kind;
    model->quantile = fit->loss.quantile;
    model->response = candidate->response;
    solve(fit, candidate, reading, model->coefficients);
    for (size_t k = 0; k < model->term_count; k++) {
        model->coefficients[k] = ldexp(model->coefficients[k], -fit->basis.exponents[column_of(candidate, k)]);
        if (!isfinite(model->coefficients[k]))
            return context_error(fit->context, MEMMODEL_ERROR_DATA, model->target, "a coefficient is out of range");
    }
    return 0;
}

static void
set_domain(const struct fit *fit, memmodel_model *model)
{
    for (size_t i = 0; i < model->input_count; i++)
        training_range(&fit->training, i, &model->inputs[i].least, &model->inputs[i].most);
}

static int
make_candidate(struct fit *fit, const struct candidate *candidate, memmodel_model **model)
{
    const struct training *training = &fit->training;
    memmodel_model *new;
    int status = model_begin(fit->context, training->target, training->inputs, training->input_count, &new);

    if (status)
        return status;
    status = set_terms(fit, candidate, new);
    if (!status && candidate->library == TREES)
        status = model_settle(new);
    if (!status)
        status = set_coefficients(fit, candidate, new);
    if (status)
        memmodel_model_unref(new);
    else
        *model = new;
    return status;
}

/* Terms that a search found are of the powers and units that are known. */
static bool
has_allowed_terms(const struct fit *fit, const struct candidate *candidate)
{
    for (size_t k = 0; k < candidate->terms; k++)
        if (!structure_allows(&fit->structure, fit->basis.pool, fit->basis.terms[candidate->chosen[k]]))
            return false;
    return true;
}

/* A general_problem's accept(): is it proven to be what it must be? */
static int
is_sound(void *user, const struct candidate *candidate, bool *sound)
{
    struct fit *fit = user;
    memmodel_model *model;
    int status = make_candidate(fit, candidate, &model);

    *sound = false;
    if (!status && candidate->library == TREES && !has_allowed_terms(fit, candidate)) {
        memmodel_model_unref(model);
        return 0;
    }
    if (status) /* terms that cannot be told apart make no formula */
        return status_ends_call(status) ? status : 0;
    set_domain(fit, model);
    status = model_finish(model);
    if (!status)
        status = structure_proves(&fit->structure, model->value, fit->relative, sound);
    memmodel_model_unref(model);
    return status_ends_call(status) ? status : 0;
}

/* A mean error of candidates as people read it. */
static double
told(const struct fit *fit, double mean)
{
    return loss_is_square(&fit->loss) ? sqrt(mean) : loss_told(&fit->loss, mean);
}

/* ---- the front: of each size the best, if it is better than all smaller ones ---- */

/* Those that may become the formula; returns how many are on the front. */
static size_t
list_rivals(const struct general *general, struct front_rival *rivals)
{
    size_t count = 0;

    for (size_t i = 0; i < general->candidate_count; i++)
        if (!general->candidates[i].refused)
            rivals[count++] = (struct front_rival){.nodes = general->candidates[i].nodes,
                                                   .held_out = general->candidates[i].held_out_error,
                                                   .chosen = i == general->chosen,
                                                   .place = i};
    return front_of(rivals, count);
}

static int
describe_rival(struct fit *fit, const struct candidate *candidate, memmodel_model *model, struct model_rival *rival)
{
    memmodel_model *other;
    int status = make_candidate(fit, candidate, &other);

    if (status)
        return status;
    *rival = (struct model_rival){
        .nodes = candidate->nodes,
        .terms = (int64_t)candidate->terms + 1,
        .loo = told(fit, candidate->loo_error),
        .held_out = told(fit, candidate->held_out_error),
        .chosen = candidate == &fit->general->candidates[fit->general->chosen],
    };
    status = model_copy_formula(other, MEMMODEL_LANGUAGE_TEXT, &model->arena, &rival->formula);
    memmodel_model_unref(other);
    return status;
}

static int
set_front(struct fit *fit, memmodel_model *model)
{
    struct front_rival rivals[GENERAL_MOST];
    int status;

    model->front_count = list_rivals(fit->general, rivals);
    status = model_allocate_front(model);
    for (size_t i = 0; !status && i < model->front_count; i++)
        status = describe_rival(fit, &fit->general->candidates[rivals[i].place], model, &model->front[i]);
    return status;
}

/* ---- the model ---- */

/* Measurement / prediction, or their difference, of rows held out; into fit->column. */
static void
list_ratios(struct fit *fit)
{
    for (size_t i = 0; i < fit->training.columns.rows; i++) {
        double measured = fit->training.measured[i], error = fit->general->held_out[i];

        fit->column[i] = fit->relative ? loss_ratio(measured, measured - error) : error;
    }
}

/* While the factors are those of the chosen candidate. */
static int
set_bound(struct fit *fit, memmodel_model *model)
{
    const struct candidate *candidate = &fit->general->candidates[fit->general->chosen];
    size_t rows = fit->training.columns.rows;
    int exponents[PATH_MOST + 1];
    const struct bound_rows bound = {.qr = &fit->qr,
                                     .exponents = exponents,
                                     .ratios = fit->column,
                                     .weights = fit->training.weights,
                                     .numbers = candidate->numbers};
    int status = model_allocate_bound(model, rows);

    if (status)
        return status;
    for (size_t k = 0; k < model->term_count; k++)
        exponents[k] = fit->basis.exponents[column_of(candidate, k)];
    list_ratios(fit);
    return bound_fill(model, &bound);
}

/* Whether the chosen formula is one that a search of trees found. */
static bool
is_searched(const struct fit *fit)
{
    return fit->general->candidates[fit->general->chosen].library == TREES;
}

/* While fit->column has the ratios. */
static int
set_left_out(struct fit *fit, memmodel_model *model)
{
    const struct left_out_rows left_out = {
        .formulas = fit->general->formulas,
        .count = fit->general->formula_count,
        .groups = fit->general->folds,
        .ratios = fit->column,
    };

    return jackknife_fill(model, &fit->basis, &left_out);
}

/*
 * A plane through the inputs may run on outside the samples: as steep as they leave open, and where the formula does not go
 * on at all, as they say.
 */
static int
set_wide(struct fit *fit, memmodel_model *model)
{
    struct wide_rows rows = {.roots = fit->general->readings[0].roots};
    struct wide_list list = {.count = 1}; /* the constant */
    double least, most, spread;

    training_measured_range(&fit->training, &least, &most);
    spread = fit->relative ? 1 : most - least;
    for (size_t j = fit->basis.first_input; j < fit->basis.ends[0]; j++)
        widen_add(&list, j);
    rows.error = spread > 0 ? model->bound.sigma / spread : 0;
    rows.measured = model_has_limits(model) ? fit->training.measured : NULL;
    return widen_fill(model, &model->bound.wide, &fit->basis, &list, &rows);
}

/* When the model can be evaluated. */
static void
set_scores(struct fit *fit, memmodel_model *model)
{
    const struct candidate *candidate = &fit->general->candidates[fit->general->chosen];
    size_t rows = fit->training.columns.rows;
    const double *inputs[MODEL_MOST_INPUTS];
    double sum = 0;

    for (size_t i = 0; i < model->input_count; i++)
        inputs[i] = matrix_column(&fit->training.columns, i);
    memmodel_model_evaluate_many(model, inputs, 1, rows, fit->column);
    for (size_t i = 0; i < rows; i++) {
        double error = (fit->training.measured[i] - fit->column[i]) * fit->general->readings[0].roots[i];

        sum += loss_is_square(&fit->loss)
                   ? error * error
                   : fit->training.weights[i] * loss_of(&fit->loss, fit->training.measured[i], fit->column[i]);
    }
    model->samples = (int64_t)rows;
    model->training_mape = model->loo_mape = (double)NAN;
    model->errors = (struct model_errors){
        .training = told(fit, sum / (double)rows),
        .loo = told(fit, candidate->loo_error),
        .held_out = told(fit, candidate->held_out_error),
        .constant = told(fit, fit->general->candidates[0].held_out_error),
    };
}

static int
complete_model(struct fit *fit, memmodel_model *model)
{
    int status = set_bound(fit, model);

    set_domain(fit, model);
    if (!status)
        status =
            is_searched(fit) ? 0 : set_left_out(fit, model); /* each part of a search has formulas of its own shape */
    if (!status)
        status = set_wide(fit, model);
    if (!status)
        status = model_finish(model);
    if (!status)
        status = model_keep_formulas(model);
    if (!status)
        status = set_front(fit, model);
    if (!status)
        status = noise_measure(&fit->training, fit->relative, &model->noise);
    if (status)
        return status;
    set_scores(fit, model);
    if (loss_is_square(&fit->loss)) /* what others tell is no standard deviation */
        noise_compare(&fit->training, fit->relative, &model->noise, model->errors.held_out);
    return 0;
}

static int
make_model(struct fit *fit, memmodel_model **model)
{
    memmodel_model *new;
    int status = make_candidate(fit, &fit->general->candidates[fit->general->chosen], &new);

    if (status)
        return status;
    status = complete_model(fit, new);
    if (status)
        memmodel_model_unref(new);
    else
        *model = new;
    return status;
}

/* ---- the fit ---- */

static int
search(struct fit *fit, const struct memmodel_fit_options *options)
{
    size_t rows = fit->training.columns.rows;
    struct general_problem problem;
    int status = qr_new(fit->context, rows, PATH_MOST + 1, &fit->qr);

    if (status)
        return status;
    fit->column = memory_allocate_zeroed(fit->context, rows, sizeof *fit->column);
    fit->general = memory_allocate_zeroed(fit->context, 1, sizeof *fit->general);
    if (!fit->column || !fit->general)
        return MEMMODEL_ERROR_NO_MEMORY;
    if (!loss_is_square(&fit->loss)) {
        status = matrix_new(fit->context, rows, PATH_MOST + 1, &fit->terms);
        if (!status)
            status = reweighing_new(fit->context, rows, PATH_MOST + 1, &fit->reweighing);
        if (status)
            return status;
    }
    problem = (struct general_problem){.training = &fit->training,
                                       .basis = &fit->basis,
                                       .loss = &fit->loss,
                                       .structure = &fit->structure,
                                       .most_terms = (size_t)options->max_terms,
                                       .rule = options->selection,
                                       .accept = is_sound,
                                       .user = fit};
    status = general_fit(&problem, fit->general);
    if (!status && options->search != MEMMODEL_FIT_SEARCH_NONE)
        status = trees_fit(&problem, options, &fit->basis, fit->general);
    return status;
}

static void
fit_free(struct fit *fit)
{
    qr_release(&fit->qr);
    matrix_release(&fit->terms);
    if (fit->reweighing.qr.q.context)
        reweighing_release(fit->context, &fit->reweighing);
    if (fit->general)
        general_release(fit->context, fit->general);
    memory_release(fit->context, fit->general);
    memory_release(fit->context, fit->column);
    basis_release(fit->context, &fit->basis);
    training_release(&fit->training);
    memory_release(fit->context, fit);
}

static int
find_formula(struct fit *fit, const memmodel_samples *samples, const struct memmodel_fit_options *options)
{
    int status = training_read(samples, options, fit->context, &fit->training);

    if (!status)
        status = structure_read(samples, &fit->training, options, &fit->structure);
    if (status)
        return status;
    fit->loss = training_loss(&fit->training, options);
    status = basis_new(&fit->training, options, &fit->structure, &fit->basis);
    return status ? status : search(fit, options);
}

/* What is asked of the outcome: any, or NULL in place of sums of terms. */
static int
fit_table(const memmodel_samples *samples, const struct memmodel_fit_options *options, bool searched_only,
          memmodel_context *context, memmodel_model **model)
{
    struct fit *fit = memory_allocate_zeroed(context, 1, sizeof *fit);
    int status;

    if (!fit)
        return MEMMODEL_ERROR_NO_MEMORY;
    fit->context = context;
    fit->relative = loss_is_relative(options->loss);
    status = find_formula(fit, samples, options);
    if (!status && searched_only && !is_searched(fit))
        *model = NULL;
    else if (!status)
        status = make_model(fit, model);
    fit_free(fit);
    return status;
}

int
fit_general(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
            memmodel_model **model)
{
    return fit_table(samples, options, false, context, model);
}

int
fit_searched(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
             memmodel_model **model)
{
    return fit_table(samples, options, true, context, model);
}
