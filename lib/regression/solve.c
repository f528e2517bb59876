/* The largest input whose upper bound stays within a budget. */
#include "regression/bound.h"
#include "base/environment.h"
#include "regression/values.h"

#include <math.h>
#include <string.h>

enum { LARGEST_BITS = 53 }; /* doubles hold whole numbers up to 2^53 */

/* The inputs with one of them replaced. A model with limits knows nothing of what lies above its domain. */
static bool
fits(const memmodel_model *model, double *inputs, size_t input, int64_t number, const struct model_safety *safety,
     double budget)
{
    double value;

    if (model_has_limits(model) && (double)number > model->inputs[input].most)
        return false;
    inputs[input] = (double)number;
    return bound_upper(model, inputs, safety, &value) <= budget;
}

static int64_t
bisect(const memmodel_model *model, double *inputs, size_t input, const struct model_safety *safety, double budget)
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
    OWN_NUMBERS;
    double own[MODEL_MOST_INPUTS];
    struct model_safety safety;
    size_t solved;

    if (!model || model_lacks(model, inputs) || !input || !largest)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    solved = find_input(model, input);
    if (solved == model->input_count)
        return MEMMODEL_ERROR_UNKNOWN_SYMBOL;
    if (!bound_has_level(level) || isnan(budget) || !values_allow(model, inputs, solved))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    memcpy(own, inputs, model->input_count * sizeof *own);
    safety = bound_safety(&model->bound, level);
    *largest = bisect(model, own, solved, &safety, budget);
    return 0;
}
