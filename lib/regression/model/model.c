/* A fitted formula: made once, then only read, by any thread. */
#include "regression/model/model.h"
#include "base/environment.h"
#include "regression/prove/certify.h"
#include "regression/basis/symbols.h"

#include <math.h>

int
model_hand_over(memmodel_model *made, int status, memmodel_model **model)
{
    if (status)
        memmodel_model_unref(made);
    else
        *model = made;
    return status;
}

static int
model_new(memmodel_context *context, memmodel_model **model)
{
    memmodel_model *new = memory_allocate_zeroed(context, 1, sizeof *new);

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    atomic_init(&new->references, 1);
    new->context = memmodel_context_ref(context);
    new->arena = ARENA_INIT(context);
    new->relative = true;
    new->scores = (struct memmodel_model_scores){.size = sizeof new->scores,
                                                 .training_mape = NAN,
                                                 .loo_mape = NAN,
                                                 .training_error = NAN,
                                                 .loo_error = NAN,
                                                 .nested_cv_error = NAN,
                                                 .baseline_error = NAN,
                                                 .loss = MEMMODEL_FIT_LOSS_RELATIVE,
                                                 .noise = NAN};
    new->response = (struct model_response){.least = -INFINITY, .most = INFINITY};
    return model_hand_over(new, expression_pool_new(context, &new->pool), model);
}

static int
copy_inputs(memmodel_model *model, const char *target, const char *const *names)
{
    model->target = arena_copy_text(&model->arena, target);
    model->inputs = arena_allocate(&model->arena, model->input_count * sizeof *model->inputs);
    if (!model->target || !model->inputs)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < model->input_count; i++) {
        model->inputs[i] = (struct model_input){.name = arena_copy_text(&model->arena, names[i])};
        if (!model->inputs[i].name)
            return MEMMODEL_ERROR_NO_MEMORY;
    }
    return symbols_define(model->pool, model->context, names, model->input_count);
}

int
model_begin(memmodel_context *context, const char *target, const char *const *names, size_t input_count,
            memmodel_model **model)
{
    memmodel_model *new;
    int status = model_check_name(context, target);

    for (size_t i = 0; !status && i < input_count; i++)
        status = model_check_name(context, names[i]);
    if (!status)
        status = model_new(context, &new);
    if (status)
        return status;
    new->input_count = input_count;
    new->unit = byte_unit_of_name(target);
    status = copy_inputs(new, target, names);
    return model_hand_over(new, status, model);
}

static double *
allocate_numbers(memmodel_model *model, size_t count)
{
    return arena_allocate(&model->arena, count * sizeof(double));
}

int
model_allocate_bound(memmodel_model *model, size_t ratio_count)
{
    struct model_bound *bound = &model->bound;

    bound->ratio_count = ratio_count;
    bound->leverage = allocate_numbers(model, model->term_count * (model->term_count + 1) / 2);
    bound->ratios = allocate_numbers(model, ratio_count);
    bound->repeats = arena_allocate(&model->arena, ratio_count * sizeof *bound->repeats);
    return bound->leverage && bound->ratios && bound->repeats ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

int
model_allocate_front(memmodel_model *model)
{
    model->front = arena_allocate(&model->arena, model->front_count * sizeof *model->front);
    return model->front ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static int
compile_value(memmodel_model *model)
{
    const struct expression_sum sum = {
        .terms = model->terms,
        .coefficients = model->coefficients,
        .count = model->term_count,
        .limited = model_has_limits(model),
        .symbols_min = model->least,
        .symbols_max = model->most,
        .min = model->response.least,
        .max = model->response.most,
    };

    return expression_compile_sum(model->pool, &sum, &model->value);
}

static int
prove(const memmodel_model *model, bool *proven)
{
    return certify(&(struct certify_problem){.program = model->value,
                                             .least = model->least,
                                             .most = model->most,
                                             .input_count = model->input_count,
                                             .not_negative = model->relative},
                   proven);
}

int
model_finish(memmodel_model *model)
{
    bool proven = false;
    int status = expression_compile(model->pool, model->terms, model->term_count, &model->program);

    if (!status)
        status = compile_value(model);
    if (!status)
        status = prove(model, &proven);
    model->scores.certified = proven;
    model->scores.term_count = (int64_t)model->term_count;
    return status;
}

int
model_add_alternative(memmodel_model *model)
{
    struct model_sum *sum = &model->alternatives[model->alternative_count];
    int status = expression_compile_sum(
        model->pool,
        &(struct expression_sum){.terms = sum->terms, .coefficients = sum->coefficients, .count = sum->count},
        &sum->value);

    model->alternative_count += status == 0;
    return status;
}

DEFINE_REF(memmodel_model)

void
memmodel_model_unref(memmodel_model *model)
{
    memmodel_context *context;

    if (!model || atomic_fetch_sub(&model->references, 1) != 1)
        return;
    context = model->context;
    expression_program_free(model->program);
    expression_program_free(model->value);
    for (size_t i = 0; i < model->alternative_count; i++)
        expression_program_free(model->alternatives[i].value);
    if (model->pool)
        expression_pool_free(model->pool);
    arena_release(&model->arena);
    memory_release(context, model);
    memmodel_context_unref(context);
}

/* ---- evaluate ---- */

bool
model_has_limits(const memmodel_model *model)
{
    return isfinite(model->response.most);
}

/* The nearest number within the limits; NaN stays. */
static double
limited(double number, double least, double most)
{
    return number < least ? least : number > most ? most : number;
}

/* The prediction that a sum of terms stands for. */
static double
model_respond(const struct model_response *response, double sum)
{
    return limited(sum, response->least, response->most);
}

/* The inputs, moved into the domain where the model has limits; then they are in `moved`. */
static const double *
model_move(const memmodel_model *model, const double *inputs, double *moved)
{
    if (!model_has_limits(model))
        return inputs;
    for (size_t i = 0; i < model->input_count; i++)
        moved[i] = limited(inputs[i], model->least[i], model->most[i]);
    return moved;
}

/* Terms are added from first to last, as model->value does, with the same bits. */
double
model_evaluate_terms(const memmodel_model *model, const double *inputs, double *terms)
{
    double moved[MODEL_MAX_INPUTS], sum;

    expression_program_run(model->program, model_move(model, inputs, moved), terms);
    sum = model->coefficients[0] * terms[0];
    for (size_t k = 1; k < model->term_count; k++)
        sum += model->coefficients[k] * terms[k];
    return model_respond(&model->response, sum);
}

double
memmodel_model_evaluate(const memmodel_model *model, const double *inputs)
{
    OWN_NUMBERS;
    double value;

    if (!model || model_lacks(model, inputs))
        return NAN;
    expression_program_run(model->value, inputs, &value);
    return value;
}

void
memmodel_model_evaluate_many(const memmodel_model *model, const double *const *columns, size_t stride, size_t count,
                             double *results)
{
    OWN_NUMBERS;
    ptrdiff_t strides[MODEL_MAX_INPUTS];

    if (!model || !count || model_lacks(model, columns) || !results)
        return;
    for (size_t i = 0; i < model->input_count; i++)
        strides[i] = (ptrdiff_t)stride;
    expression_program_run_rows(model->value, &(struct expression_rows){.columns = columns,
                                                                        .strides = stride == 1 ? NULL : strides,
                                                                        .results = &results,
                                                                        .points = count});
}

/* ---- ask ---- */

size_t
memmodel_model_input_count(const memmodel_model *model)
{
    return model ? model->input_count : 0;
}

int
memmodel_model_get_input(const memmodel_model *model, size_t index, struct memmodel_model_input *input)
{
    struct memmodel_model_input own = {.size = sizeof own};
    const struct model_input *known;

    if (!model || index >= model->input_count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    known = &model->inputs[index];
    own.name = known->name;
    own.symbol = expression_symbol_name(model->pool, index);
    own.min = model->least[index];
    own.max = model->most[index];
    own.is_whole = known->values.whole;
    return result_copy(&own, sizeof own, input);
}

const char *
memmodel_model_target(const memmodel_model *model)
{
    return model ? model->target : NULL;
}

const char *
memmodel_model_unit(const memmodel_model *model)
{
    return model && model->unit ? model->unit->name : NULL;
}

double
memmodel_model_unit_bytes(const memmodel_model *model)
{
    if (!model)
        return (double)NAN;
    return model->unit ? model->unit->bytes : 0;
}

int
memmodel_model_get_scores(const memmodel_model *model, struct memmodel_model_scores *scores)
{
    if (!model)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&model->scores, sizeof model->scores, scores);
}

int
memmodel_model_output_range(const memmodel_model *model, double *min, double *max)
{
    if (!model || !min || !max)
        return 0;
    *min = model->response.least;
    *max = model->response.most;
    return model_has_limits(model);
}

/* ---- formulas that were not chosen ---- */

size_t
memmodel_model_front_count(const memmodel_model *model)
{
    return model ? model->front_count : 0;
}

int
memmodel_model_get_front_entry(const memmodel_model *model, size_t index, struct memmodel_model_front_entry *entry)
{
    if (!model || index >= model->front_count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&model->front[index], sizeof model->front[index], entry);
}

/* ---- names ---- */

const char *
memmodel_fit_loss_name(int loss)
{
    static const char *const names[] = {
        [MEMMODEL_FIT_LOSS_DEFAULT] = "default",     [MEMMODEL_FIT_LOSS_RELATIVE] = "relative",
        [MEMMODEL_FIT_LOSS_SQUARED] = "squared",     [MEMMODEL_FIT_LOSS_MAPE] = "mape",
        [MEMMODEL_FIT_LOSS_LOG_RATIO] = "log-ratio", [MEMMODEL_FIT_LOSS_ABSOLUTE] = "absolute",
        [MEMMODEL_FIT_LOSS_PINBALL] = "pinball",
    };

    return loss >= 0 && loss < (int)(sizeof names / sizeof names[0]) ? names[loss] : NULL;
}
