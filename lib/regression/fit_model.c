/* From a candidate to a model. */
#include "regression/fit.h"

#include "regression/bound/alternatives.h"
#include "regression/bound/bound.h"
#include "regression/table/noise.h"
#include "regression/select/front.h"
#include "regression/select/canonical_order.h"
#include "regression/select/rounding.h"
#include "regression/model/values.h"

#include <math.h>

static const double digit_share = 0.01; /* of the standard error of the squares, for numbers that a search found */

/* ---- terms and coefficients ---- */

/* The constant is read last. */
static size_t
column_of(const struct support *support, size_t k)
{
    return support_has_constant(support) ? support->columns[(k + 1) % support->count] : support->columns[k];
}

static int
set_terms(struct fit *fit, const struct support *support, memmodel_model *model)
{
    fit->rows.qr.count = 0;
    model->term_count = support->count;
    for (size_t k = 0; k < model->term_count; k++) {
        size_t column = column_of(support, k);

        if (!qr_append(&fit->rows.qr, matrix_column(&fit->basis.columns, column)))
            return MEMMODEL_ERROR_DATA; /* the terms cannot be distinguished */
        model->terms[k] =
            expression_copy_assuming(fit->basis.pool, fit->basis.terms[column], model->pool, NULL, NULL, 0);
        if (model->terms[k] < 0)
            return model->terms[k];
    }
    return 0;
}

static void
solve_by_loss(struct fit *fit, const struct support *support, double *coefficients)
{
    uint16_t columns[SUPPORT_COLUMNS];

    for (size_t k = 0; k < support->count; k++)
        columns[k] = (uint16_t)column_of(support, k);
    rows_solve(&fit->rows, &fit->loss, columns, support->count, coefficients);
}

static bool
all_positive(const double *coefficients, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!(coefficients[k] > 0))
            return false;
    return true;
}

/* With few digits, unless one is not above 0 then where it must be. While the factors are those of the support. */
static void
solve_squares(struct fit *fit, const struct candidate *candidate, const int *exponents, double *coefficients)
{
    const struct rounding_columns columns = {.exponents = exponents,
                                             .constant = !fit->basis.positive,
                                             .share = candidate->source == SOURCE_TREES ? digit_share : 0};

    rounding_solve(&fit->rows.qr, &columns, fit->basis.response, coefficients);
    if (fit->basis.positive && candidate->source != SOURCE_TREES && !all_positive(coefficients, fit->rows.qr.count))
        qr_solve(&fit->rows.qr, fit->basis.response, coefficients);
}

static int
set_coefficients(struct fit *fit, const struct candidate *candidate, memmodel_model *model)
{
    int exponents[SUPPORT_COLUMNS];

    for (size_t k = 0; k < model->term_count; k++)
        exponents[k] = fit->basis.exponents[column_of(&candidate->support, k)];
    if (candidate->scale > 0)
        model->coefficients[0] = candidate->scale;
    else if (loss_is_square(&fit->loss))
        solve_squares(fit, candidate, exponents, model->coefficients);
    else
        solve_by_loss(fit, &candidate->support, model->coefficients);
    for (size_t k = 0; k < model->term_count; k++) {
        model->coefficients[k] = ldexp(model->coefficients[k], -exponents[k]);
        if (!isfinite(model->coefficients[k]))
            return MEMMODEL_ERROR_DATA;
    }
    return !model->general && !all_positive(model->coefficients, model->term_count) ? MEMMODEL_ERROR_DATA : 0;
}

/* ---- the model ---- */

static void
set_kind(const struct fit *fit, const struct candidate *candidate, memmodel_model *model)
{
    model->general = !fit->basis.positive || candidate->source == SOURCE_TREES;
    model->relative = fit->basis.relative;
    model->scores.loss = fit->loss.kind;
    model->quantile = fit->loss.quantile;
    model->response.least = candidate->least;
    model->response.most = candidate->most;
}

static void
set_domain(const struct fit *fit, memmodel_model *model)
{
    const struct training *table = &fit->table;

    for (size_t i = 0; i < model->input_count; i++) {
        training_range(table, i, &model->least[i], &model->most[i]);
        if (!model->general)
            model->inputs[i].values = values_of_column(matrix_column(&table->columns, i), table->columns.rows);
    }
}

/* Something was measured there, of which a bound would be a multiple of 0. */
static bool
is_zero_somewhere(const struct fit *fit, const struct support *support)
{
    for (size_t i = 0; i < fit->table.columns.rows; i++) {
        size_t k = 0;

        while (k < support->count && matrix_column(&fit->basis.columns, support->columns[k])[i] == 0)
            k++;
        if (k == support->count)
            return true;
    }
    return false;
}

/* Terms that a search found are of the powers and units that are known. */
static bool
has_allowed_terms(const struct fit *fit, const struct candidate *candidate)
{
    const struct support *support = &candidate->support;

    if (fit->basis.positive && is_zero_somewhere(fit, support))
        return false;
    for (size_t k = 0; candidate->source == SOURCE_TREES && k < support->count; k++)
        if (support->columns[k] != 0 &&
            !structure_allows(&fit->structure, fit->basis.pool, fit->basis.terms[support->columns[k]]))
            return false;
    return true;
}

static int
write(struct fit *fit, const struct candidate *candidate, memmodel_model *model, bool *proven)
{
    int status;

    set_kind(fit, candidate, model);
    set_domain(fit, model);
    status = set_terms(fit, &candidate->support, model);
    if (!status && candidate->source != SOURCE_TERMS)
        status = model_put_in_canonical_order(model);
    if (!status)
        status = set_coefficients(fit, candidate, model);
    if (!status)
        status = model_finish(model);
    return status ? status : structure_proves(&fit->structure, model->value, fit->basis.relative, proven);
}

int
fit_write_proven(struct fit *fit, const struct candidate *candidate, memmodel_model **model, bool *proven)
{
    const struct training *table = &fit->table;
    memmodel_model *new;
    int status;

    *proven = false;
    if (!has_allowed_terms(fit, candidate))
        return 0;
    status = model_begin(fit->context, table->target, table->inputs, table->input_count, &new);
    if (status)
        return status;
    status = write(fit, candidate, new, proven);
    if (status || !*proven)
        memmodel_model_unref(new);
    else
        *model = new;
    return status_ends_call(status) ? status : 0;
}

/* ---- what is known of it ---- */

/* A maximum of sums is written with fewer digits than it was found with. */
static double
ratio_as_written(const struct fit *fit, const struct candidate *candidate, size_t row)
{
    const double *column = matrix_column(&fit->basis.columns, candidate->support.columns[0]);

    return loss_ratio(fit->table.measured[row], candidate->scale * column[row] / fit->basis.sqrt_weights[row]);
}

/* While the factors are those of its terms. */
static int
set_bound(struct fit *fit, const struct candidate *candidate, memmodel_model *model)
{
    const struct training *table = &fit->table;
    size_t rows = table->columns.rows;
    const double *predicted = fit->comparison.nested;
    double *ratios = workspace_take(&fit->workspace, rows, sizeof *ratios);
    int exponents[SUPPORT_COLUMNS], status = ratios ? model_allocate_bound(model, rows) : fit->workspace.status;
    const struct bound_rows bound = {.qr = &fit->rows.qr,
                                     .exponents = exponents,
                                     .ratios = ratios,
                                     .weights = table->weights,
                                     .points = table->points,
                                     .point_count = table->point_count,
                                     .numbers = candidate->numbers};

    for (size_t k = 0; k < model->term_count; k++)
        exponents[k] = fit->basis.exponents[column_of(&candidate->support, k)];
    for (size_t i = 0; !status && i < rows; i++)
        ratios[i] = model->relative ? loss_ratio(table->measured[i], predicted[i]) : table->measured[i] - predicted[i];
    for (size_t i = 0; !status && i < rows && candidate->source == SOURCE_REGIMES; i++)
        ratios[i] = fmax(ratios[i], ratio_as_written(fit, candidate, i));
    if (!status)
        status = bound_fill(model, &bound, &fit->workspace);
    if (!status && model->relative)
        status = bound_fit_variance(model, &bound, &fit->workspace);
    return status;
}

static double
mean_absolute_relative(const struct fit *fit, const double *predicted)
{
    const struct training *table = &fit->table;
    double sum = 0;

    for (size_t i = 0; i < table->columns.rows; i++)
        sum += table->weights[i] * fabs(1 - predicted[i] / table->measured[i]);
    return sum / (double)table->columns.rows;
}

/* When the model can be evaluated. */
static int
set_scores(struct fit *fit, memmodel_model *model)
{
    const struct candidate *candidate = &fit->comparison.candidates[fit->comparison.chosen];
    size_t rows = fit->table.columns.rows;
    struct memmodel_model_scores *scores = &model->scores;
    const double *inputs[MODEL_MAX_INPUTS];
    double *predicted = workspace_take(&fit->workspace, rows, sizeof *predicted);

    if (!predicted)
        return fit->workspace.status;
    for (size_t i = 0; i < model->input_count; i++)
        inputs[i] = matrix_column(&fit->table.columns, i);
    memmodel_model_evaluate_many(model, inputs, 1, rows, predicted);
    scores->sample_count = (int64_t)rows;
    if (!model->general) {
        scores->training_mape = mean_absolute_relative(fit, predicted);
        scores->loo_mape =
            mean_absolute_relative(fit, matrix_column(&fit->comparison.left_out, fit->comparison.chosen));
    }
    if (model->general || !loss_is_square(&fit->loss)) {
        scores->training_error = loss_reported(&fit->loss, comparison_mean(&fit->comparison, predicted));
        scores->loo_error = loss_reported(&fit->loss, candidate->loo);
        scores->nested_cv_error = loss_reported(&fit->loss, comparison_mean(&fit->comparison, fit->comparison.nested));
    }
    if (model->general)
        scores->baseline_error = loss_reported(&fit->loss, fit->comparison.candidates[0].nested);
    return 0;
}

static void
compare_with_noise(struct fit *fit, memmodel_model *model)
{
    const struct training *table = &fit->table;
    const double *predicted = matrix_column(&fit->comparison.left_out, fit->comparison.chosen);
    bool relative = loss_is_relative(fit->loss.kind);
    double squares = 0;

    noise_measure(table, relative, &model->scores);
    if (fit->loss.kind == MEMMODEL_FIT_LOSS_PINBALL)
        return;
    for (size_t i = 0; i < table->columns.rows; i++) {
        double error = (table->measured[i] - predicted[i]) / (relative ? table->measured[i] : 1);

        squares += table->weights[i] * error * error;
    }
    noise_compare(table, relative, &model->scores, sqrt(squares / (double)table->columns.rows));
}

int
fit_complete(struct fit *fit, memmodel_model *model)
{
    const struct candidate *candidate = &fit->comparison.candidates[fit->comparison.chosen];
    int status = set_bound(fit, candidate, model);

    if (!status)
        status = alternatives_find(fit, model);
    if (!status)
        status = set_scores(fit, model);
    if (!status)
        status = model_keep_formulas(model);
    if (!status)
        status = front_fill(fit, model);
    if (!status)
        compare_with_noise(fit, model);
    return status;
}
