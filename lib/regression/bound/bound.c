/* Upper bounds of predictions. */
#include "regression/bound/bound.h"
#include "base/environment.h"
#include "regression/linear/logarithm.h"
#include "regression/linear/student.h"
#include "regression/model/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* A held-out ratio, and how many there are of its point. */
struct held_out {
    double ratio;
    uint32_t repeats;
};

static int
compare_held_out(const void *a, const void *b)
{
    const struct held_out *x = a, *y = b;

    if (x->ratio != y->ratio)
        return x->ratio > y->ratio ? 1 : -1;
    return (x->repeats > y->repeats) - (x->repeats < y->repeats);
}

/* A lower triangle L so that |L t|^2 is the leverage of terms t: R^-T with the exponents of the columns. */
static void
bound_fill_leverage(double *triangle, const struct qr *qr, const int *exponents)
{
    double *row = triangle;

    /* Row k is column k of R^-1. */
    for (size_t k = 0; k < qr->count; row += ++k) {
        double column[MODEL_MAX_TERMS] = {0};

        column[k] = 1;
        qr_back_substitute(qr, column);
        for (size_t j = 0; j <= k; j++)
            row[j] = ldexp(column[j], -exponents[j]);
    }
}

/* repeats[i]: how many rows share row i's point. 0, or the workspace's status. */
static int
bound_count_repeats(const struct bound_rows *rows, size_t count, struct workspace *workspace, uint32_t *repeats)
{
    uint32_t *counts = workspace_take(workspace, rows->point_count, sizeof *counts);

    if (!counts)
        return workspace->status;
    for (size_t i = 0; i < count; i++)
        counts[rows->points[i]]++;
    for (size_t i = 0; i < count; i++)
        repeats[i] = counts[rows->points[i]];
    return 0;
}

static int
sort_ratios(struct workspace *workspace, struct model_bound *bound)
{
    struct held_out *pairs = workspace_take(workspace, bound->ratio_count, sizeof *pairs);

    if (!pairs)
        return workspace->status;
    for (size_t i = 0; i < bound->ratio_count; i++)
        pairs[i] = (struct held_out){bound->ratios[i], bound->repeats[i]};
    qsort(pairs, bound->ratio_count, sizeof *pairs, compare_held_out);
    for (size_t i = 0; i < bound->ratio_count; i++) {
        bound->ratios[i] = pairs[i].ratio;
        bound->repeats[i] = pairs[i].repeats;
    }
    return 0;
}

/* Root of the mean squared error of rows held out. */
static double
measure_sigma(const memmodel_model *model, const struct bound_rows *rows, const double *scales)
{
    const struct model_bound *bound = &model->bound;
    double squares = 0;

    for (size_t i = 0; i < bound->ratio_count; i++) {
        double error = (rows->ratios[i] - model->relative) / (scales ? scales[i] : 1);

        squares += rows->weights[i] * error * error;
    }
    return sqrt(squares / (double)bound->ratio_count);
}

/* Rising, with their repeats. */
static int
fill_ratios(memmodel_model *model, const struct bound_rows *rows, const double *scales, struct workspace *workspace)
{
    struct model_bound *bound = &model->bound;
    int status;

    for (size_t i = 0; i < bound->ratio_count; i++)
        bound->ratios[i] = scales ? 1 + (rows->ratios[i] - 1) / scales[i] : rows->ratios[i];
    status = bound_count_repeats(rows, bound->ratio_count, workspace, bound->repeats);
    return status ? status : sort_ratios(workspace, bound);
}

int
bound_fill(memmodel_model *model, const struct bound_rows *rows, struct workspace *workspace)
{
    struct model_bound *bound = &model->bound;
    int status;

    bound->points = (int64_t)rows->point_count;
    bound->dof = bound->points - (int64_t)(model->term_count + rows->numbers);
    bound->dof = bound->dof < 1 ? 1 : bound->dof;
    bound->sigma = measure_sigma(model, rows, NULL);
    status = fill_ratios(model, rows, NULL, workspace);
    if (status)
        return status;
    bound_fill_leverage(bound->leverage, rows->qr, rows->exponents);
    bound_prepare(bound);
    return 0;
}

/*
 * ---- errors that grow with leverage ----
 *
 * Formulas of exact measurements are wrong at the edges and right elsewhere; those of noisy ones have the same errors
 * everywhere. The standard deviation of an error at x is taken for s sqrt(1 + g h(x)), h the leverage of the
 * formula's terms, of a row held out without its point. Of the slopes g, 0 and powers of four, that is taken under
 * which the errors held out are likeliest (of Laplace's distribution, as large ones are not rare); it stays 0 unless
 * 0 is refused at a level of 5 %: Davidian and Carroll, "Variance function estimation" (1987). Bounds of errors
 * divided by such deviations: Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, "Distribution-free predictive inference
 * for regression" (2018).
 */

static const double min_left = 1e-7; /* of 1 - leverage */
static const double min_slope = 0x1p-4, max_slope = 0x1p12, step = 4;
static const double refused = 3.841458820694124; /* chi-squared of one degree of freedom, at 95 % */
static const double exact = 1e-9;                /* mean error that is rounding */

/* The standard deviation at that leverage, as a multiple of that at a leverage of 0. */
static double
variance_function(double slope, double leverage)
{
    return sqrt(1 + slope * leverage);
}

/* What rows say of the variance function. */
struct variance_rows {
    double *errors, *leverages, *shares, *scales;
    double *counts, *taken; /* of every point: its rows, and their leverage */
};

/* The leverage of a row in a fit without its point, whose rows have the same terms. */
static void
fill_variance_rows(const struct bound_rows *rows, size_t count, struct variance_rows *variance)
{
    for (size_t i = 0; i < count; i++) {
        variance->taken[rows->points[i]] += qr_leverage(rows->qr, i);
        variance->counts[rows->points[i]]++;
    }
    for (size_t i = 0; i < count; i++) {
        size_t point = rows->points[i];

        variance->errors[i] = rows->ratios[i] - 1;
        variance->leverages[i] =
            qr_leverage(rows->qr, i) / rows->weights[i] / fmax(1 - variance->taken[point], min_left);
        variance->shares[i] = rows->weights[i] / variance->counts[point];
    }
}

/* The logarithm of a slope's likelihood, but for what is the same for all. */
static double
likelihood(const struct variance_rows *variance, size_t rows, double slope)
{
    double sizes = 0, scales = 0, total = 0;

    for (size_t i = 0; i < rows; i++) {
        double scale = variance_function(slope, variance->leverages[i]);

        sizes += variance->shares[i] * fabs(variance->errors[i]) / scale;
        scales += variance->shares[i] * logarithm(scale);
        total += variance->shares[i];
    }
    return -scales - total * logarithm(fmax(sizes / total, exact));
}

static double
likeliest_slope(const struct variance_rows *variance, size_t rows)
{
    double best = 0, most = likelihood(variance, rows, 0) + refused / 2;

    for (double slope = min_slope; slope <= max_slope; slope *= step) {
        double reached = likelihood(variance, rows, slope);

        if (reached > most) {
            most = reached;
            best = slope;
        }
    }
    return best;
}

static int
apply_variance(memmodel_model *model, const struct bound_rows *rows, const struct variance_rows *variance,
               struct workspace *workspace)
{
    struct model_bound *bound = &model->bound;
    int status;

    for (size_t i = 0; i < bound->ratio_count; i++)
        variance->scales[i] = variance_function(bound->variance.slope, variance->leverages[i]);
    bound->variance.sigma = measure_sigma(model, rows, variance->scales);
    status = fill_ratios(model, rows, variance->scales, workspace);
    if (!status)
        bound_prepare(bound);
    return status;
}

int
bound_fit_variance(memmodel_model *model, const struct bound_rows *rows, struct workspace *workspace)
{
    size_t count = model->bound.ratio_count;
    struct variance_rows variance = {
        .errors = workspace_take(workspace, count, sizeof(double)),
        .leverages = workspace_take(workspace, count, sizeof(double)),
        .shares = workspace_take(workspace, count, sizeof(double)),
        .scales = workspace_take(workspace, count, sizeof(double)),
        .counts = workspace_take(workspace, rows->point_count, sizeof(double)),
        .taken = workspace_take(workspace, rows->point_count, sizeof(double)),
    };

    if (workspace->status)
        return workspace->status;
    fill_variance_rows(rows, count, &variance);
    model->bound.variance.slope = likeliest_slope(&variance, count);
    return model->bound.variance.slope > 0 ? apply_variance(model, rows, &variance, workspace) : 0;
}

/* ---- levels ---- */

/* Levels that schedulers ask for with every job: a quantile takes as long as a hundred predictions. */
static const double usual_levels[MODEL_USUAL_LEVELS] = {0.9, 0.95, 0.99};

/*
 * n points with one measurement each: level (n + 1). Where measurements were repeated, the same rank among all of
 * them, each a share of its point: what a new measurement is, if its error has little to do with where it was made.
 */
static double
bound_rank(const struct model_bound *bound, double level)
{
    double points = (double)bound->points, rows = (double)bound->ratio_count;

    return fmin(level * (rows + 1) * (points / rows), points);
}

/*
 * Between two ratios in proportion (Hutson, "Calculating nonparametric confidence intervals for quantiles using
 * fractional order statistics", 1999): the greater one stands for more than was asked, with 25 points 96.2 % in place
 * of 95 %.
 */
static double
ratio_of_rank(const struct model_bound *bound, double rank)
{
    double below = 0, part;
    size_t k = 0;

    while (k + 1 < bound->ratio_count && below + 1.0 / bound->repeats[k] < rank)
        below += 1.0 / bound->repeats[k++];
    if (k == 0)
        return bound->ratios[0];
    part = fmin((rank - below) * bound->repeats[k], 1);
    return (1 - part) * bound->ratios[k - 1] + part * bound->ratios[k];
}

static struct model_safety
compute_safety(const struct model_bound *bound, double level)
{
    double rank = bound_rank(bound, level);

    return (struct model_safety){
        .conformal = ratio_of_rank(bound, rank),
        .attained = rank / (double)(bound->points + 1),
        .quantile = student_quantile(level, (int)bound->dof),
    };
}

void
bound_prepare(struct model_bound *bound)
{
    for (size_t i = 0; i < MODEL_USUAL_LEVELS; i++)
        bound->safeties[i] = compute_safety(bound, usual_levels[i]);
}

struct model_safety
bound_safety(const struct model_bound *bound, double level)
{
    for (size_t i = 0; i < MODEL_USUAL_LEVELS; i++)
        if (level == usual_levels[i])
            return bound->safeties[i];
    return compute_safety(bound, level);
}

bool
bound_has_level(double level)
{
    return level >= 0.5 && level <= 0.999;
}

/* ---- one point ---- */

/* What a row with this prediction would have been divided by in the fit. */
static double
point_scale(const memmodel_model *model, double value)
{
    return model->relative ? value : 1;
}

static double
squared_norm(const double *triangle, const double *terms, size_t count, double scale)
{
    const double *row = triangle;
    double sum = 0;

    for (size_t k = 0; k < count; row += ++k) {
        double coordinate = 0;

        for (size_t j = 0; j <= k; j++)
            coordinate += row[j] * (terms[j] / scale);
        sum += coordinate * coordinate;
    }
    return sum;
}

/* Below them a bound is that of the formula alone: where little is measured, little is needed. */
static bool
is_beyond(const memmodel_model *model, const double *inputs)
{
    for (size_t i = 0; i < model->input_count; i++)
        if (inputs[i] > model->most[i])
            return true;
    return false;
}

/* The greatest prediction there of what may be the formula. */
static double
max_prediction(const memmodel_model *model, const double *inputs, double value)
{
    for (size_t i = 0; i < model->alternative_count && is_beyond(model, inputs); i++) {
        double other;

        expression_program_run(model->alternatives[i].value, inputs, &other);
        value = other > value ? other : value;
    }
    return value;
}

static bool
outside(const memmodel_model *model, const double *inputs, double value)
{
    if (isnan(value) || (model->relative && !(value > 0)))
        return true;
    for (size_t i = 0; i < model->input_count; i++)
        if (!(inputs[i] >= model->least[i] && inputs[i] <= model->most[i]))
            return true;
    return false;
}

/* A point under prediction. */
struct point {
    const memmodel_model *model;
    const double *inputs;
    const struct model_safety *safety;
    double value, terms[MODEL_MAX_TERMS];
    bool outside;
};

static void
look_at(struct point *point)
{
    point->value = model_evaluate_terms(point->model, point->inputs, point->terms);
    point->outside = outside(point->model, point->inputs, point->value);
}

static bool
has_bound(const struct point *point)
{
    return !isnan(point->value) && (!point->model->relative || point->value > 0);
}

/* The bound that a margin stands for: never below the value. */
static double
apply(const struct point *point, double margin)
{
    double value = max_prediction(point->model, point->inputs, point->value);

    return point->model->relative ? value * fmax(margin, 1) : value + fmax(margin, 0);
}

static double
point_leverage(const struct point *point)
{
    const memmodel_model *model = point->model;

    return squared_norm(model->bound.leverage, point->terms, model->term_count, point_scale(model, point->value));
}

/* How much greater the standard deviation of errors is here than where the leverage is 0. */
static double
deviation_here(const struct point *point)
{
    double slope = point->model->bound.variance.slope;

    return slope == 0 ? 1 : variance_function(slope, point_leverage(point));
}

/* What t s sqrt(1 + h) says, of the same kind as the held-out ratio or difference. */
static double
student_margin(const struct point *point)
{
    const struct model_bound *bound = &point->model->bound;
    double sigma = bound->variance.slope == 0 ? bound->sigma : bound->variance.sigma;

    return point->model->relative +
           point->safety->quantile * sigma * deviation_here(point) * sqrt(1 + point_leverage(point));
}

static double
held_out_margin(const struct point *point)
{
    double margin = point->safety->conformal;

    return point->model->bound.variance.slope == 0 ? margin : 1 + (margin - 1) * deviation_here(point);
}

/*
 * The bound by one method; by default by that which gives the larger one, which *method becomes. NaN, or a prediction
 * that is not above 0 where it must be, is its own bound, by no method.
 */
static double
bound_by(const struct point *point, int32_t *method)
{
    double held_out, student;

    if (!has_bound(point)) {
        *method = MEMMODEL_BOUND_METHOD_DEFAULT;
        return point->value;
    }
    held_out = held_out_margin(point);
    student = student_margin(point);
    if (*method == MEMMODEL_BOUND_METHOD_DEFAULT)
        *method = student > held_out ? MEMMODEL_BOUND_METHOD_STUDENT_T : MEMMODEL_BOUND_METHOD_CONFORMAL;
    return apply(point, *method == MEMMODEL_BOUND_METHOD_CONFORMAL ? held_out : student);
}

double
bound_upper(const memmodel_model *model, const double *inputs, const struct memmodel_predict_options *options,
            const struct model_safety *safety)
{
    struct point point = {.model = model, .inputs = inputs, .safety = safety};
    int32_t method = options->method;

    look_at(&point);
    return bound_by(&point, &method);
}

/* ---- predictions ---- */

static const double default_level = 0.95;

const char *const bound_method_names[] = {
    [MEMMODEL_BOUND_METHOD_DEFAULT] = "default",
    [MEMMODEL_BOUND_METHOD_CONFORMAL] = "conformal",
    [MEMMODEL_BOUND_METHOD_STUDENT_T] = "student-t",
    NULL,
};

const char *
memmodel_bound_method_name(int method)
{
    return method >= 0 && method <= MEMMODEL_BOUND_METHOD_STUDENT_T ? bound_method_names[method] : NULL;
}

int
bound_read_options(const struct memmodel_predict_options *options, struct memmodel_predict_options *own)
{
    int status = options_copy_quietly(options, own, sizeof *own);

    if (status)
        return status;
    own->level = own->level == 0 ? default_level : own->level;
    if (!bound_has_level(own->level) || own->reserved != 0 || !memmodel_bound_method_name(own->method))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return 0;
}

int
memmodel_model_predict(const memmodel_model *model, const double *inputs,
                       const struct memmodel_predict_options *options, struct memmodel_prediction *prediction)
{
    OWN_NUMBERS;
    struct memmodel_prediction own = {.size = sizeof own};
    struct memmodel_predict_options asked;
    struct model_safety safety;
    struct point point = {.model = model, .inputs = inputs, .safety = &safety};
    int status;

    if (!model || model_lacks(model, inputs))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = bound_read_options(options, &asked);
    if (status || !values_allow(model, inputs, model->input_count))
        return status ? status : MEMMODEL_ERROR_INVALID_ARGUMENT;
    safety = bound_safety(&model->bound, asked.level);
    look_at(&point);
    own.calibration_count = model->bound.points;
    own.value = point.value;
    own.extrapolated = point.outside;
    own.method = asked.method;
    own.upper = bound_by(&point, &own.method);
    own.distribution_free_level = safety.attained;
    return result_copy(&own, sizeof own, prediction);
}

/* Columns whose points lie `stride` numbers apart. */
struct points {
    const double *const *columns;
    size_t stride, count;
};

static void
take_point(const memmodel_model *model, const struct points *points, size_t point, double *inputs)
{
    for (size_t k = 0; k < model->input_count; k++)
        inputs[k] = points->columns[k][point * points->stride];
}

/* Before the first is written: results are whole, or are not touched. */
static bool
allows_points(const memmodel_model *model, const struct points *points)
{
    double inputs[MODEL_MAX_INPUTS];

    for (size_t i = 0; i < points->count; i++) {
        take_point(model, points, i, inputs);
        if (!values_allow(model, inputs, model->input_count))
            return false;
    }
    return true;
}

int
memmodel_model_predict_many(const memmodel_model *model, const double *const *columns, size_t stride, size_t count,
                            const struct memmodel_predict_options *options, double *values, double *upper,
                            int32_t *extrapolated)
{
    OWN_NUMBERS;
    const struct points points = {.columns = columns, .stride = stride, .count = count};
    struct memmodel_predict_options asked;
    struct model_safety safety;
    double inputs[MODEL_MAX_INPUTS];
    struct point point = {.model = model, .inputs = inputs, .safety = &safety};
    int status;

    if (!model || (count && (model_lacks(model, columns) || !values || !upper || !extrapolated)))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = bound_read_options(options, &asked);
    if (status || !allows_points(model, &points))
        return status ? status : MEMMODEL_ERROR_INVALID_ARGUMENT;
    safety = bound_safety(&model->bound, asked.level);
    for (size_t i = 0; i < count; i++) {
        int32_t method = asked.method;

        take_point(model, &points, i, inputs);
        look_at(&point);
        values[i] = point.value;
        upper[i] = bound_by(&point, &method);
        extrapolated[i] = point.outside;
    }
    return 0;
}
