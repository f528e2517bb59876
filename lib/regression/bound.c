/* Upper bounds of predictions. */
#include "regression/bound.h"
#include "base/environment.h"
#include "regression/jackknife.h"
#include "regression/spread.h"
#include "regression/student.h"
#include "regression/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

static const int64_t enough_points = 19; /* whose greatest error vouches for 95 % */

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

void
bound_fill_leverage(double *triangle, const struct qr *qr, const int *exponents)
{
    double *row = triangle;

    /* Row k is column k of R^-1. */
    for (size_t k = 0; k < qr->count; row += ++k) {
        double column[MODEL_MOST_WIDE_TERMS] = {0};

        column[k] = 1;
        qr_back_substitute(qr, column);
        for (size_t j = 0; j <= k; j++)
            row[j] = ldexp(column[j], -exponents[j]);
    }
}

int
bound_count_repeats(memmodel_context *context, const size_t *points, size_t point_count, size_t rows, uint32_t *repeats)
{
    uint32_t *counts;

    for (size_t i = 0; i < rows; i++)
        repeats[i] = 1;
    if (!points)
        return 0;
    counts = memory_allocate_zeroed(context, point_count, sizeof *counts);
    if (!counts)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < rows; i++)
        counts[points[i]]++;
    for (size_t i = 0; i < rows; i++)
        repeats[i] = counts[points[i]];
    memory_release(context, counts);
    return 0;
}

static int
sort_ratios(memmodel_context *context, struct model_bound *bound)
{
    struct held_out *pairs = memory_allocate_zeroed(context, bound->ratio_count, sizeof *pairs);

    if (!pairs)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < bound->ratio_count; i++)
        pairs[i] = (struct held_out){bound->ratios[i], bound->repeats[i]};
    qsort(pairs, bound->ratio_count, sizeof *pairs, compare_held_out);
    for (size_t i = 0; i < bound->ratio_count; i++) {
        bound->ratios[i] = pairs[i].ratio;
        bound->repeats[i] = pairs[i].repeats;
    }
    memory_release(context, pairs);
    return 0;
}

/* The share of a row's own squared error in that of a prediction that did not see it: 1 - leverage. */
static double
own_share(const struct qr *qr, size_t row)
{
    double leverage = 0;

    for (size_t k = 0; k < qr->count; k++)
        leverage += matrix_column(&qr->q, k)[row] * matrix_column(&qr->q, k)[row];
    return fmax(1 - leverage, 0);
}

/*
 * Of a prediction where leverage is 0. With fewer points than vouch for 95 % the leverage stays in: Student's bound then
 * stands alone, and the search for terms makes predictions less sure than the leverage of those found can tell.
 */
static double
measure_sigma(const memmodel_model *model, const struct bound_rows *rows, const double *scales)
{
    const struct model_bound *bound = &model->bound;
    double squares = 0;

    for (size_t i = 0; i < bound->ratio_count; i++) {
        double error = (rows->ratios[i] - model->relative) / (scales ? scales[i] : 1);
        double share = bound->points < enough_points ? 1 : own_share(rows->qr, i);

        squares += rows->weights[i] * share * error * error;
    }
    return sqrt(squares / (double)bound->ratio_count);
}

/* Rising, with their repeats. */
static int
fill_ratios(memmodel_model *model, const struct bound_rows *rows, const double *scales)
{
    struct model_bound *bound = &model->bound;
    int status;

    for (size_t i = 0; i < bound->ratio_count; i++)
        bound->ratios[i] = scales ? 1 + (rows->ratios[i] - 1) / scales[i] : rows->ratios[i];
    status = bound_count_repeats(model->context, rows->points, rows->point_count, bound->ratio_count, bound->repeats);
    return status ? status : sort_ratios(model->context, bound);
}

int
bound_fill(memmodel_model *model, const struct bound_rows *rows)
{
    struct model_bound *bound = &model->bound;
    int status;

    bound->points = (int64_t)(rows->points ? rows->point_count : bound->ratio_count);
    bound->freedom = bound->points - (int64_t)(model->term_count + rows->numbers);
    bound->freedom = bound->freedom < 1 ? 1 : bound->freedom;
    bound->sigma = measure_sigma(model, rows, NULL);
    status = fill_ratios(model, rows, NULL);
    if (status)
        return status;
    bound_fill_leverage(bound->leverage, rows->qr, rows->exponents);
    bound_prepare(bound);
    return 0;
}

/* ---- errors that spread ---- */

static const double least_left = 1e-7; /* of 1 - leverage */

/* What rows tell of the spread. */
struct spread_rows {
    double *errors, *open, *shares, *scales;
    double *counts, *taken; /* of every point: its rows, and their leverage */
};

static int
spread_rows_new(memmodel_context *context, size_t rows, size_t points, struct spread_rows *spread)
{
    spread->errors = memory_allocate_zeroed(context, 4 * rows + 2 * points, sizeof *spread->errors);
    if (!spread->errors)
        return MEMMODEL_ERROR_NO_MEMORY;
    spread->open = spread->errors + rows;
    spread->shares = spread->open + rows;
    spread->scales = spread->shares + rows;
    spread->counts = spread->scales + rows;
    spread->taken = spread->counts + points;
    return 0;
}

/* What is left open at a row without its point, whose rows have the same terms. */
static void
fill_spread_rows(const struct bound_rows *rows, size_t count, const double *leverages, struct spread_rows *spread)
{
    for (size_t i = 0; i < count; i++) {
        size_t point = rows->points ? rows->points[i] : i;

        spread->taken[point] += leverages[i];
        spread->counts[point]++;
    }
    for (size_t i = 0; i < count; i++) {
        size_t point = rows->points ? rows->points[i] : i;

        spread->errors[i] = rows->ratios[i] - 1;
        spread->open[i] = leverages[i] / rows->weights[i] / fmax(1 - spread->taken[point], least_left);
        spread->shares[i] = rows->weights[i] / spread->counts[point];
    }
}

static int
apply_spread(memmodel_model *model, const struct bound_rows *rows, const struct spread_rows *spread)
{
    struct model_bound *bound = &model->bound;
    int status;

    for (size_t i = 0; i < bound->ratio_count; i++)
        spread->scales[i] = spread_scale(bound->spread.growth, spread->open[i]);
    bound->spread.sigma = measure_sigma(model, rows, spread->scales);
    status = fill_ratios(model, rows, spread->scales);
    if (!status)
        bound_prepare(bound);
    return status;
}

int
bound_spread(memmodel_model *model, const struct bound_rows *rows, const struct model_wide *open,
             const double *leverages)
{
    size_t count = model->bound.ratio_count;
    struct spread_rows spread = {.errors = NULL};
    int status = spread_rows_new(model->context, count, rows->points ? rows->point_count : count, &spread);
    double growth = 0;

    if (!status) {
        fill_spread_rows(rows, count, leverages, &spread);
        growth = spread_find(spread.errors, spread.open, spread.shares, count);
    }
    if (growth > 0) {
        model->bound.spread = (struct model_spread){.growth = growth, .open = *open};
        status = apply_spread(model, rows, &spread);
    }
    memory_release(model->context, spread.errors);
    return status;
}

/* ---- levels ---- */

/* Levels that schedulers ask for with every job: a quantile takes as long as a hundred predictions. */
static const double usual_levels[MODEL_USUAL_LEVELS] = {0.9, 0.95, 0.99};

/*
 * n points with one measurement each: level (n + 1). Where measurements were repeated, the same rank among all of them, each
 * a share of its point: what a new measurement is, if its error has little to do with where it was made.
 */
double
bound_rank(const struct model_bound *bound, double level)
{
    double points = (double)bound->points, rows = (double)bound->ratio_count;

    return fmin(level * (rows + 1) * (points / rows), points);
}

/*
 * Between two ratios in proportion (Hutson, "Calculating nonparametric confidence intervals for quantiles using fractional
 * order statistics", 1999): the greater one stands for more than was asked, with 25 points 96.2 % in place of 95 %.
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
        .quantile = student_quantile(level, (int)bound->freedom),
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
    if (!model->relative)
        return 1;
    return model->response.square ? sqrt(value) / 2 : value;
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

/* What t s sqrt(1 + h) says, of the same kind as the held-out ratio or difference. */
static double
student_margin(const memmodel_model *model, const struct model_safety *safety, double leverage)
{
    return model->relative + safety->quantile * model->bound.sigma * sqrt(1 + leverage);
}

static bool
outside(const memmodel_model *model, const double *inputs, double value)
{
    if (isnan(value) || (model->relative && !(value > 0)))
        return true;
    for (size_t i = 0; i < model->input_count; i++)
        if (!(inputs[i] >= model->inputs[i].least && inputs[i] <= model->inputs[i].most))
            return true;
    return false;
}

/* A point under prediction. */
struct point {
    const memmodel_model *model;
    const double *inputs;
    const struct model_safety *safety;
    double value, terms[MODEL_MOST_TERMS];
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
    return point->model->relative ? point->value * fmax(margin, 1) : point->value + fmax(margin, 0);
}

/* What errors at the point are divided by. */
static double
relative_scale(const struct point *point)
{
    return point->model->relative ? point->value : 1;
}

/* How much further off predictions are here than where nothing is left open: NaN where a term is no number. */
static double
spread_here(const struct point *point)
{
    const struct model_spread *spread = &point->model->bound.spread;
    const struct model_wide *open = &spread->open;
    double terms[MODEL_MOST_WIDE_TERMS];

    expression_program_run(open->program, point->inputs, terms);
    return spread_scale(spread->growth, squared_norm(open->leverage, terms, open->term_count, relative_scale(point)));
}

static double
point_margin(const struct point *point)
{
    const struct model_spread *spread = &point->model->bound.spread;
    const memmodel_model *model = point->model;
    double leverage =
        squared_norm(model->bound.leverage, point->terms, model->term_count, point_scale(model, point->value));

    if (spread->growth == 0)
        return student_margin(model, point->safety, leverage);
    return 1 + point->safety->quantile * spread->sigma * spread_here(point) * sqrt(1 + leverage);
}

static double
held_out_margin(const struct point *point)
{
    double margin = point->safety->conformal;

    return point->model->bound.spread.growth == 0 ? margin : 1 + (margin - 1) * spread_here(point);
}

/* What the plane may rise by from the nearest point inside: the prediction stays as it is there. */
static double
plane_margin(const struct point *point, double *terms)
{
    const struct model_wide *wide = &point->model->bound.wide;
    double inside[MODEL_MOST_WIDE_TERMS], moved[MODEL_MOST_INPUTS], rise = 0, scale = relative_scale(point);

    expression_program_run(wide->program, model_move(point->model, point->inputs, moved), inside);
    for (size_t k = 0; k < wide->term_count; k++) {
        terms[k] -= inside[k];
        rise += wide->coefficients[k] * terms[k];
    }
    return fmax(rise / scale, 0) +
           point->safety->quantile * wide->sigma * sqrt(squared_norm(wide->leverage, terms, wide->term_count, scale));
}

/* Terms that the formula does not have are not moved into the domain: what they do outside is what is asked. */
static double
wide_margin(const struct point *point, double inside)
{
    const struct model_wide *wide = &point->model->bound.wide;
    double terms[MODEL_MOST_WIDE_TERMS], margin;

    expression_program_run(wide->program, point->inputs, terms);
    if (wide->coefficients)
        margin = inside + plane_margin(point, terms);
    else
        margin = student_margin(point->model, point->safety,
                                squared_norm(wide->leverage, terms, wide->term_count, relative_scale(point)));
    return isnan(margin) ? INFINITY : margin;
}

/* The larger of the two rules for points inside, and which that is. */
static double
inside_margin(const struct point *point, int32_t *rule)
{
    double margin = held_out_margin(point), other = point_margin(point);

    *rule = other > margin ? MEMMODEL_BOUND_METHOD_STUDENT_T : MEMMODEL_BOUND_METHOD_CONFORMAL;
    return fmax(margin, other);
}

/* The larger of the rules, and which that is. */
static double
larger_margin(const struct point *point, int32_t *rule)
{
    double margin = inside_margin(point, rule), other;

    if (!point->outside || point->model->bound.wide.term_count == 0)
        return margin;
    other = wide_margin(point, margin);
    if (other > margin)
        *rule = MEMMODEL_BOUND_METHOD_EXTRAPOLATION;
    return fmax(margin, other);
}

/* NaN, or a prediction that is not above 0 where it must be, is its own bound, by no rule. */
static double
larger_bound(const struct point *point, int32_t *rule)
{
    if (has_bound(point))
        return apply(point, larger_margin(point, rule));
    *rule = MEMMODEL_BOUND_METHOD_DEFAULT;
    return point->value;
}

/* The bound by one rule, which the model has. */
static double
bound_by(const struct point *point, double level, int32_t *rule)
{
    const memmodel_model *model = point->model;
    int32_t inside;

    if (!has_bound(point) || *rule == MEMMODEL_BOUND_METHOD_DEFAULT)
        return larger_bound(point, rule);
    switch (*rule) {
    case MEMMODEL_BOUND_METHOD_CONFORMAL:
        return apply(point, held_out_margin(point));
    case MEMMODEL_BOUND_METHOD_STUDENT_T:
        return apply(point, point_margin(point));
    case MEMMODEL_BOUND_METHOD_EXTRAPOLATION:
        return apply(point, wide_margin(point, inside_margin(point, &inside)));
    default:
        return fmax(point->value, jackknife_upper(model, point->inputs, level));
    }
}

double
bound_upper(const memmodel_model *model, const double *inputs, const struct memmodel_predict_options *options,
            const struct model_safety *safety)
{
    struct point point = {.model = model, .inputs = inputs, .safety = safety};
    int32_t method = options->method;

    look_at(&point);
    return bound_by(&point, options->level, &method);
}

/* ---- predictions ---- */

static const double default_level = 0.95;

static int
check_method(const memmodel_model *model, int32_t method)
{
    if (method < MEMMODEL_BOUND_METHOD_DEFAULT || method > MEMMODEL_BOUND_METHOD_JACKKNIFE_PLUS)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if ((method == MEMMODEL_BOUND_METHOD_EXTRAPOLATION && model->bound.wide.term_count == 0) ||
        (method == MEMMODEL_BOUND_METHOD_JACKKNIFE_PLUS && model->bound.left_out.count == 0))
        return MEMMODEL_ERROR_UNSUPPORTED;
    return 0;
}

const char *const bound_method_names[] = {
    [MEMMODEL_BOUND_METHOD_DEFAULT] = "default",
    [MEMMODEL_BOUND_METHOD_CONFORMAL] = "conformal",
    [MEMMODEL_BOUND_METHOD_STUDENT_T] = "student-t",
    [MEMMODEL_BOUND_METHOD_EXTRAPOLATION] = "extrapolation",
    [MEMMODEL_BOUND_METHOD_JACKKNIFE_PLUS] = "jackknife-plus",
    NULL,
};

const char *
memmodel_bound_method_name(int method)
{
    return method >= 0 && method <= MEMMODEL_BOUND_METHOD_JACKKNIFE_PLUS ? bound_method_names[method] : NULL;
}

int
bound_read_options(const memmodel_model *model, const struct memmodel_predict_options *options,
                   struct memmodel_predict_options *own)
{
    int status = options_copy_quietly(options, own, sizeof *own);

    if (status)
        return status;
    own->level = own->level == 0 ? default_level : own->level;
    if (!bound_has_level(own->level) || own->reserved != 0)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return check_method(model, own->method);
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
    status = bound_read_options(model, options, &asked);
    if (status || !values_allow(model, inputs, model->input_count))
        return status ? status : MEMMODEL_ERROR_INVALID_ARGUMENT;
    safety = bound_safety(&model->bound, asked.level);
    look_at(&point);
    own.calibration_count = model->bound.points;
    own.value = point.value;
    own.extrapolated = point.outside;
    own.method = asked.method;
    own.upper = bound_by(&point, asked.level, &own.method);
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
    double inputs[MODEL_MOST_INPUTS];

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
    double inputs[MODEL_MOST_INPUTS];
    struct point point = {.model = model, .inputs = inputs, .safety = &safety};
    int status;

    if (!model || (count && (model_lacks(model, columns) || !values || !upper || !extrapolated)))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = bound_read_options(model, options, &asked);
    if (status || !allows_points(model, &points))
        return status ? status : MEMMODEL_ERROR_INVALID_ARGUMENT;
    safety = bound_safety(&model->bound, asked.level);
    for (size_t i = 0; i < count; i++) {
        int32_t method = asked.method;

        take_point(model, &points, i, inputs);
        look_at(&point);
        values[i] = point.value;
        upper[i] = bound_by(&point, asked.level, &method);
        extrapolated[i] = point.outside;
    }
    return 0;
}
