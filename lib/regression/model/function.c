/* A fitted formula, or its upper bound, as a plain C function. */
#include "memmodel/function.h"
#include "regression/bound/bound.h"
#include "regression/model/closure.h"

#include <math.h>

struct memmodel_function {
    atomic_int references;
    memmodel_context *context;
    memmodel_model *model;
    double level; /* 0: the value itself */
    struct closure *closure;
    memmodel_formula_function pointer;
};

static double
value(const void *user, const double *inputs)
{
    const memmodel_function *function = user;

    return memmodel_model_evaluate(function->model, inputs);
}

static double
upper_bound(const void *user, const double *inputs)
{
    const memmodel_function *function = user;
    const struct memmodel_predict_options options = {.size = sizeof options, .level = function->level};
    struct memmodel_prediction prediction = {.size = sizeof prediction, .upper = NAN};

    memmodel_model_predict(function->model, inputs, &options, &prediction);
    return prediction.upper;
}

int
memmodel_function_new(memmodel_context *context, memmodel_model *model, double level, memmodel_function **function)
{
    memmodel_function *new;
    int status;

    if (!context || !model || !function)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (level != 0 && !bound_has_level(level))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "level",
                             "must be 0 for the formula itself, or 0.5 to 0.999 for its upper bound, not %g", level);
    new = memory_allocate_zeroed(context, 1, sizeof *new);
    if (!new)
        return context_status(context, MEMMODEL_ERROR_NO_MEMORY);
    atomic_init(&new->references, 1);
    new->context = memmodel_context_ref(context);
    new->model = memmodel_model_ref(model);
    new->level = level;
    status = closure_new(context, level == 0 ? value : upper_bound, new, &new->closure, &new->pointer);
    if (status)
        memmodel_function_unref(new);
    else
        *function = new;
    return context_status(context, status);
}

memmodel_formula_function
memmodel_function_pointer(const memmodel_function *function)
{
    return function ? function->pointer : NULL;
}

DEFINE_REF(memmodel_function)

void
memmodel_function_unref(memmodel_function *function)
{
    memmodel_context *context;

    if (!function || atomic_fetch_sub(&function->references, 1) != 1)
        return;
    context = function->context;
    closure_free(context, function->closure);
    memmodel_model_unref(function->model);
    memory_release(context, function);
    memmodel_context_unref(context);
}
