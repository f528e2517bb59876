/* Upper bounds of predictions. */
#include "regression/bound.h"
#include "regression/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

static int
compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/*
 * A row u of the scaled columns has leverage |R^-T u|^2; triangle = R^-T diag(2^-exponent) takes terms / prediction.
 * Its row k is column k of R^-1.
 */
static void
fill_leverage(struct model_bound *bound, const struct qr *qr, const int *exponents)
{
    double *row = bound->leverage;

    for (size_t k = 0; k < qr->count; row += ++k) {
        double column[MODEL_MOST_TERMS] = {0};

        column[k] = 1;
        qr_back_substitute(qr, column);
        for (size_t j = 0; j <= k; j++)
            row[j] = ldexp(column[j], -exponents[j]);
    }
}

/* Levels that schedulers ask for with every job: a quantile takes as long as a hundred predictions. */
static const double usual_levels[MODEL_USUAL_LEVELS] = {0.9, 0.95, 0.99};

void
bound_prepare(struct model_bound *bound)
{
    for (size_t i = 0; i < MODEL_USUAL_LEVELS; i++)
        bound->quantiles[i] = student_quantile(usual_levels[i], (int)bound->freedom);
}

void
bound_fill(memmodel_model *model, const struct qr *qr, const int *exponents, const double *ratios,
           const double *weights)
{
    struct model_bound *bound = &model->bound;
    double squares = 0;

    for (size_t i = 0; i < bound->ratio_count; i++)
        squares += weights[i] * (ratios[i] - model->relative) * (ratios[i] - model->relative);
    bound->sigma = sqrt(squares / (double)bound->ratio_count);
    bound->freedom = (int64_t)bound->ratio_count - (int64_t)model->term_count;
    bound->freedom = bound->freedom < 1 ? 1 : bound->freedom;
    memcpy(bound->ratios, ratios, bound->ratio_count * sizeof *ratios);
    qsort(bound->ratios, bound->ratio_count, sizeof *bound->ratios, compare_numbers);
    fill_leverage(bound, qr, exponents);
    bound_prepare(bound);
}

/* ---- using ---- */

/* What a row with this prediction would have been divided by in the fit. */
static double
point_scale(const memmodel_model *model, double value)
{
    if (!model->relative)
        return 1;
    return model->response.square ? sqrt(value) / 2 : value;
}

static double
point_leverage(const memmodel_model *model, const double *terms, double value)
{
    const double *row = model->bound.leverage;
    double leverage = 0, scale = point_scale(model, value);

    for (size_t k = 0; k < model->term_count; row += ++k) {
        double coordinate = 0;

        for (size_t j = 0; j <= k; j++)
            coordinate += row[j] * (terms[j] / scale);
        leverage += coordinate * coordinate;
    }
    return leverage;
}

static double
conformal_factor(const struct model_bound *bound, double level)
{
    double rank = ceil(level * (double)(bound->ratio_count + 1));
    size_t k = rank > (double)bound->ratio_count ? bound->ratio_count : (size_t)rank;

    return bound->ratios[k > 0 ? k - 1 : 0];
}

static double
quantile(const struct model_bound *bound, double level)
{
    for (size_t i = 0; i < MODEL_USUAL_LEVELS; i++)
        if (level == usual_levels[i])
            return bound->quantiles[i];
    return student_quantile(level, (int)bound->freedom);
}

/* What a level means for one model. */
struct safety {
    double conformal, quantile;
};

static struct safety
safety_at(const memmodel_model *model, double level)
{
    return (struct safety){conformal_factor(&model->bound, level), quantile(&model->bound, level)};
}

/* What t s sqrt(1 + h) says, of the same kind as the conformal ratio or difference. */
static double
student_excess(const struct model_bound *bound, struct safety safety, double leverage)
{
    return safety.quantile * bound->sigma * sqrt(1 + leverage);
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

static double
upper_bound(const memmodel_model *model, const double *inputs, struct safety safety, double *value)
{
    double terms[MODEL_MOST_TERMS], excess;

    *value = model_evaluate_terms(model, inputs, terms);
    if (isnan(*value) || (model->relative && !(*value > 0)))
        return *value;
    excess = student_excess(&model->bound, safety, point_leverage(model, terms, *value));
    if (!model->relative)
        return *value + fmax(fmax(safety.conformal, excess), 0);
    return *value * fmax(fmax(safety.conformal, 1 + excess), 1);
}

bool
bound_has_level(double level)
{
    return level >= 0.5 && level <= 0.999;
}

int
memmodel_model_predict(const memmodel_model *model, const double *inputs, double level,
                       struct memmodel_prediction *prediction)
{
    struct memmodel_prediction own = {.size = sizeof own};

    if (!bound_has_level(level))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    own.upper = upper_bound(model, inputs, safety_at(model, level), &own.value);
    own.outside = outside(model, inputs, own.value);
    return result_copy(&own, sizeof own, prediction);
}

int
memmodel_model_predict_many(const memmodel_model *model, const double *const *columns, size_t count, double level,
                            double *values, double *upper, int32_t *outsides)
{
    struct safety safety;
    double inputs[MODEL_MOST_INPUTS];

    if (!bound_has_level(level))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    safety = safety_at(model, level);
    for (size_t point = 0; point < count; point++) {
        for (size_t i = 0; i < model->input_count; i++)
            inputs[i] = columns[i][point];
        upper[point] = upper_bound(model, inputs, safety, &values[point]);
        outsides[point] = outside(model, inputs, values[point]);
    }
    return 0;
}

/* ---- solving ---- */

enum { LARGEST_BITS = 53 }; /* doubles hold whole numbers up to 2^53 */

/* The inputs with one of them replaced. A model with limits knows nothing of what lies above its domain. */
static bool
fits(const memmodel_model *model, double *inputs, size_t input, int64_t number, struct safety safety, double budget)
{
    double value;

    if (model_has_limits(model) && (double)number > model->inputs[input].most)
        return false;
    inputs[input] = (double)number;
    return upper_bound(model, inputs, safety, &value) <= budget;
}

static int64_t
bisect(const memmodel_model *model, double *inputs, size_t input, struct safety safety, double budget)
{
    int64_t least = 0, most = 1;

    while (most < (INT64_C(1) << LARGEST_BITS) && fits(model, inputs, input, most, safety, budget)) {
        least = most;
        most *= 2;
    }
    if (most == (INT64_C(1) << LARGEST_BITS) && fits(model, inputs, input, most, safety, budget))
        return most;
    while (most - least > 1) {
        int64_t middle = least + (most - least) / 2;

        if (fits(model, inputs, input, middle, safety, budget))
            least = middle;
        else
            most = middle;
    }
    return least;
}

static size_t
find_input(const memmodel_model *model, const char *name)
{
    size_t input = 0;

    while (input < model->input_count && strcmp(model->inputs[input].name, name) != 0)
        input++;
    return input;
}

int
memmodel_model_solve(const memmodel_model *model, const double *inputs, const char *input, double level, double budget,
                     int64_t *largest)
{
    double own[MODEL_MOST_INPUTS];
    size_t solved = find_input(model, input);

    if (solved == model->input_count)
        return MEMMODEL_ERROR_UNKNOWN_SYMBOL;
    if (!bound_has_level(level) || isnan(budget))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    memcpy(own, inputs, model->input_count * sizeof *own);
    *largest = bisect(model, own, solved, safety_at(model, level), budget);
    return 0;
}
