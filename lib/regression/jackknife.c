/* The jackknife+ bound: what the formulas that did not see a row say about a new point. */
#include "regression/jackknife.h"
#include "regression/bound.h"
#include "regression/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

struct row {
    size_t group;
    double ratio;
    uint32_t repeats;
};

static int
compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->group != y->group)
        return x->group > y->group ? 1 : -1;
    if (x->ratio != y->ratio)
        return x->ratio > y->ratio ? 1 : -1;
    return (x->repeats > y->repeats) - (x->repeats < y->repeats);
}

/* The different columns of all formulas; false if there are too many. */
static bool
list_columns(const struct left_out_rows *rows, uint16_t columns[MODEL_MOST_LEFT_OUT_TERMS], size_t *count)
{
    bool taken[BASIS_MOST_TERMS + 2048] = {false};

    *count = 0;
    for (size_t i = 0; i < rows->count; i++)
        for (size_t k = 0; k < rows->formulas[i].count; k++) {
            uint16_t column = rows->formulas[i].columns[k];

            if (taken[column])
                continue;
            if (*count == MODEL_MOST_LEFT_OUT_TERMS)
                return false;
            taken[column] = true;
            columns[(*count)++] = column;
        }
    return true;
}

static int
copy_terms(memmodel_model *model, const struct basis *basis, const uint16_t *columns)
{
    struct model_left_out *left_out = &model->bound.left_out;

    for (size_t k = 0; k < left_out->term_count; k++) {
        left_out->terms[k] =
            expression_copy_assuming(basis->pool, basis->terms[columns[k]], model->pool, NULL, NULL, 0);
        if (left_out->terms[k] < 0)
            return left_out->terms[k];
    }
    return 0;
}

static void
copy_formulas(struct model_left_out *left_out, const struct basis *basis, const uint16_t *columns,
              const struct left_out_formula *formulas)
{
    for (size_t i = 0; i < left_out->count; i++) {
        double *coefficients = left_out->coefficients + i * left_out->term_count;

        left_out->offsets[i] = decimal_shortened(formulas[i].offset);
        memset(coefficients, 0, left_out->term_count * sizeof *coefficients);
        for (size_t k = 0; k < formulas[i].count; k++) {
            uint16_t column = formulas[i].columns[k];
            size_t term = 0;

            while (columns[term] != column)
                term++;
            coefficients[term] = decimal_shortened(ldexp(formulas[i].coefficients[k], -basis->exponents[column]));
        }
    }
}

static int
copy_ratios(memmodel_model *model, const struct left_out_rows *rows)
{
    struct model_left_out *left_out = &model->bound.left_out;
    size_t count = model->bound.ratio_count;
    struct row *list = memory_allocate_zeroed(model->context, count, sizeof *list);
    int status;

    if (!list)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = bound_count_repeats(model->context, rows->points, rows->point_count, count, left_out->repeats);
    for (size_t i = 0; !status && i < count; i++)
        list[i] = (struct row){rows->groups[i], rows->ratios[i], left_out->repeats[i]};
    if (!status)
        qsort(list, count, sizeof *list, compare_rows);
    for (size_t i = 0; !status && i < count; i++) {
        left_out->ratios[i] = list[i].ratio;
        left_out->repeats[i] = list[i].repeats;
        left_out->ends[list[i].group] = i + 1;
    }
    memory_release(model->context, list);
    return status;
}

int
jackknife_fill(memmodel_model *model, const struct basis *basis, const struct left_out_rows *rows)
{
    struct model_left_out *left_out = &model->bound.left_out;
    uint16_t columns[MODEL_MOST_LEFT_OUT_TERMS];
    size_t count;
    int status;

    if (!list_columns(rows, columns, &count))
        return 0;
    status = model_allocate_left_out(model, rows->count, count);
    if (status)
        return status;
    left_out->count = rows->count;
    left_out->term_count = count;
    copy_formulas(left_out, basis, columns, rows->formulas);
    status = copy_terms(model, basis, columns);
    return status ? status : copy_ratios(model, rows);
}

/* ---- using ---- */

/* A point under prediction. */
struct point {
    const memmodel_model *model;
    double terms[MODEL_MOST_LEFT_OUT_TERMS];
};

static double
predict(const struct point *point, size_t formula)
{
    const struct model_left_out *left_out = &point->model->bound.left_out;
    const double *coefficients = left_out->coefficients + formula * left_out->term_count;
    struct model_response response = point->model->response;
    double sum = 0;

    for (size_t k = 0; k < left_out->term_count; k++)
        if (coefficients[k] != 0)
            sum += coefficients[k] * point->terms[k];
    response.offset = left_out->offsets[formula];
    return model_respond(&response, sum);
}

/* What a formula says of the point by one of its ratios. A prediction that ratios are not of says nothing. */
static double
candidate(const struct point *point, double predicted, double ratio)
{
    if (!point->model->relative)
        return isnan(predicted) ? INFINITY : predicted + ratio;
    return predicted > 0 ? predicted * ratio : INFINITY;
}

/* How many of a formula's points lie at `limit` or below. */
static double
count_below(const struct point *point, size_t formula, double predicted, double limit)
{
    const struct model_left_out *left_out = &point->model->bound.left_out;
    double below = 0;

    for (size_t i = formula > 0 ? left_out->ends[formula - 1] : 0; i < left_out->ends[formula]; i++) {
        if (!(candidate(point, predicted, left_out->ratios[i]) <= limit))
            break;
        below += 1.0 / left_out->repeats[i];
    }
    return below;
}

static double
count_all_below(const struct point *point, double limit)
{
    double below = 0;

    for (size_t i = 0; i < point->model->bound.left_out.count; i++)
        below += count_below(point, i, predict(point, i), limit);
    return below;
}

/* The least and the greatest candidate of all. */
static void
find_range(const struct point *point, double *least, double *most)
{
    const struct model_left_out *left_out = &point->model->bound.left_out;

    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < left_out->count; i++) {
        double predicted = predict(point, i);

        *least = fmin(*least, candidate(point, predicted, left_out->ratios[i > 0 ? left_out->ends[i - 1] : 0]));
        *most = fmax(*most, candidate(point, predicted, left_out->ratios[left_out->ends[i] - 1]));
    }
}

enum { HALVINGS = 64 };

static const double rounding = 1e-9; /* of sums of shares of points */

/*
 * The candidate of the rank is found by halving the range: n numbers cannot be sorted without memory. What is left of
 * the range after that is below the rounding of a prediction; the upper end is given back.
 */
double
jackknife_upper(const memmodel_model *model, const double *inputs, double level)
{
    struct point point = {.model = model};
    double moved[MODEL_MOST_INPUTS], least, most, rank = bound_rank(&model->bound, level) - rounding;

    expression_program_run(model->bound.left_out.program, model_move(model, inputs, moved), point.terms);
    find_range(&point, &least, &most);
    if (!isfinite(least) || count_all_below(&point, least) >= rank)
        return least;
    if (!isfinite(most))
        return most;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = least + (most - least) / 2;

        if (!(middle > least && middle < most))
            break;
        if (count_all_below(&point, middle) >= rank)
            most = middle;
        else
            least = middle;
    }
    return most;
}
