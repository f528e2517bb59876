/* The largest input whose upper bound stays within a budget. */
#include "regression/bound/bound.h"

#include "base/choice.h"
#include "base/environment.h"

#include <math.h>
#include <string.h>

enum { MAX_BITS = 53 }; /* doubles hold whole numbers up to 2^53 */

/* What is asked: the largest number of one of the inputs. */
struct search {
    const memmodel_model *model;
    const struct memmodel_predict_options *options;
    struct model_safety safety;
    double inputs[MODEL_MAX_INPUTS];
    size_t input;
    double budget;
};

/* A model with limits knows nothing of what lies above its domain. */
static bool
fits(struct search *search, int64_t number)
{
    const memmodel_model *model = search->model;

    if (model_has_limits(model) && (double)number > model->most[search->input])
        return false;
    search->inputs[search->input] = (double)number;
    return bound_upper(model, search->inputs, search->options, &search->safety) <= search->budget;
}

static int64_t
bisect(struct search *search)
{
    int64_t least = 0, most = 1;

    while (most < (INT64_C(1) << MAX_BITS) && fits(search, most)) {
        least = most;
        most *= 2;
    }
    if (most == (INT64_C(1) << MAX_BITS) && fits(search, most))
        return most;
    while (most - least > 1) {
        int64_t middle = least + (most - least) / 2;

        if (fits(search, middle))
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

static int
read_options(const struct memmodel_predict_options *options, memmodel_context *context,
             struct memmodel_predict_options *own)
{
    int status = bound_read_options(options, own);

    switch (status) {
    case 0:
        return 0;
    case MEMMODEL_ERROR_STRUCT_SIZE:
        return context_error(context, status, "memmodel_predict_options", "this library cannot accept its size");
    default:
        if (choice_check(context, "memmodel_predict_options", "method", own->method, bound_method_names))
            return status;
        return context_error(context, status, "level", "%g is no level from 0.5 to 0.999, or reserved is not 0",
                             own->level);
    }
}

/* The other inputs: NaN is not judged. */
static int
check_inputs(struct search *search, memmodel_context *context)
{
    const double *columns[MODEL_MAX_INPUTS];

    search->inputs[search->input] = (double)NAN;
    for (size_t i = 0; i < search->model->input_count; i++)
        columns[i] = &search->inputs[i];
    return memmodel_model_check_points(search->model, columns, 1, context);
}

int
memmodel_model_predict_max(const memmodel_model *model, const double *inputs, const char *input,
                           const struct memmodel_predict_options *options, double budget, memmodel_context *context,
                           int64_t *max)
{
    OWN_NUMBERS;
    struct memmodel_predict_options own;
    struct search search = {.model = model, .options = &own, .budget = budget};
    int status;

    if (!model || model_lacks(model, inputs) || !input || !max)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : model->context;
    search.input = find_input(model, input);
    if (search.input == model->input_count)
        return context_error(context, MEMMODEL_ERROR_NOT_FOUND, input, "no input of the model");
    if (isnan(budget))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "budget", "is no number");
    memcpy(search.inputs, inputs, model->input_count * sizeof *inputs);
    status = read_options(options, context, &own);
    if (!status)
        status = check_inputs(&search, context);
    if (status)
        return status;
    search.safety = bound_safety(&model->bound, own.level);
    *max = bisect(&search);
    return 0;
}
