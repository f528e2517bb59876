/*
 * Optimizers, one row each. PyTorch: torch/optim/NAME.py, _single_tensor_NAME, which is what runs on CPU by default.
 *
 * The state of all parameters is made first, then the loop runs parameter by parameter. Variables of the loop's body
 * live on into the next round and go when they are bound again.
 */
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/step.h"

#include <string.h>

enum { LOOP_NAMES = 2 };

/* A round of the loop over the parameters. */
struct loop {
    struct value *names[LOOP_NAMES];
};

/* What a state tensor is like. */
enum state_kind { NO_STATE, COUNTER, LIKE_PARAMETER };

struct optimizer {
    const char *name;
    struct {
        enum state_kind kind;
        const char *name;
    } state[OPTIMIZER_STATES]; /* made before the loop */
    void (*update)(struct step *step, struct loop *loop, struct variable *variable);
};

static void
bind(struct step *step, struct value **name, struct value *value)
{
    struct value *old = *name;

    *name = value;
    value_drop(step, old);
}

static void
sgd(struct step *step, struct loop *loop, struct variable *variable)
{
    (void)step;
    (void)loop;
    (void)variable;
}

/* The buffer is a clone of the first gradient; later buf.mul_(momentum). */
static void
momentum(struct step *step, struct loop *loop, struct variable *variable)
{
    (void)loop;
    if (variable->has_state) {
        number_in_place(step, variable->value->shape.dtype);
        return;
    }
    step->what = "momentum_buffer";
    variable->state[0] = value_like(step, variable->value);
    value_becomes(step, variable->state[0], MEMMODEL_OPTIMIZER_STATE);
    variable->has_state = true;
}

/* After the step counter and the decay. denom = (exp_avg_sq.sqrt() / bias_correction2_sqrt).add_(eps) */
static void
adam_tail(struct step *step, struct loop *loop, struct variable *variable)
{
    int dtype = variable->value->shape.dtype;
    struct value *root, *denominator;

    number_in_place(step, dtype); /* exp_avg_sq.mul_(beta2) */
    root = value_like(step, variable->value);
    denominator = number_result(step, root);
    value_drop(step, root);
    number_in_place(step, dtype);
    bind(step, &loop->names[0], denominator);
}

static void
adam(struct step *step, struct loop *loop, struct variable *variable)
{
    number_in_place(step, MEMMODEL_FLOAT32); /* step_t += 1 */
    adam_tail(step, loop, variable);
}

static void
adamw(struct step *step, struct loop *loop, struct variable *variable)
{
    number_in_place(step, MEMMODEL_FLOAT32);
    number_in_place(step, variable->value->shape.dtype); /* param.mul_(1 - lr * weight_decay) */
    adam_tail(step, loop, variable);
}

static void
adamax(struct step *step, struct loop *loop, struct variable *variable)
{
    struct value *norm;

    (void)loop;
    number_in_place(step, MEMMODEL_FLOAT32);
    number_in_place(step, variable->value->shape.dtype);
    norm = value_like(step, variable->value);
    number_in_place(step, variable->value->shape.dtype);
    value_drop(step, norm);
}

static void
rmsprop(struct step *step, struct loop *loop, struct variable *variable)
{
    int dtype = variable->value->shape.dtype;

    number_in_place(step, MEMMODEL_FLOAT32);
    number_in_place(step, dtype); /* square_avg.mul_(alpha) */
    bind(step, &loop->names[0], value_like(step, variable->value));
    number_in_place(step, dtype);
}

static void
adadelta(struct step *step, struct loop *loop, struct variable *variable)
{
    int dtype = variable->value->shape.dtype;

    number_in_place(step, MEMMODEL_FLOAT32);
    number_in_place(step, dtype); /* square_avg.mul_(rho) */
    bind(step, &loop->names[0], number_result(step, variable->value));
    bind(step, &loop->names[1], number_result(step, variable->value));
    number_in_place(step, dtype); /* acc_delta.mul_(rho) */
}

static const struct optimizer optimizers[] = {
    {.name = "none"},
    {.name = "sgd", .update = sgd},
    {.name = "momentum", .update = momentum},
    {.name = "adam",
     .update = adam,
     .state = {{COUNTER, "step"}, {LIKE_PARAMETER, "exp_avg"}, {LIKE_PARAMETER, "exp_avg_sq"}}},
    {.name = "adamw",
     .update = adamw,
     .state = {{COUNTER, "step"}, {LIKE_PARAMETER, "exp_avg"}, {LIKE_PARAMETER, "exp_avg_sq"}}},
    {.name = "adamax",
     .update = adamax,
     .state = {{COUNTER, "step"}, {LIKE_PARAMETER, "exp_avg"}, {LIKE_PARAMETER, "exp_inf"}}},
    {.name = "rmsprop", .update = rmsprop, .state = {{COUNTER, "step"}, {LIKE_PARAMETER, "square_avg"}}},
    {.name = "adadelta",
     .update = adadelta,
     .state = {{COUNTER, "step"}, {LIKE_PARAMETER, "square_avg"}, {LIKE_PARAMETER, "acc_delta"}}},
};

enum { OPTIMIZER_COUNT = sizeof optimizers / sizeof optimizers[0] };

const struct optimizer *
optimizer_find(const char *name)
{
    for (size_t i = 0; i < OPTIMIZER_COUNT; i++)
        if (strcmp(optimizers[i].name, name) == 0)
            return &optimizers[i];
    return NULL;
}

const char *
optimizer_names(void)
{
    return "none, sgd, momentum, adam, adamw, adamax, rmsprop or adadelta";
}

static void
make_state(struct step *step, const struct optimizer *optimizer, struct variable *variable)
{
    for (int i = 0; i < OPTIMIZER_STATES && optimizer->state[i].kind != NO_STATE; i++) {
        step->what = optimizer->state[i].name;
        variable->state[i] = optimizer->state[i].kind == COUNTER ? value_scalar(step, MEMMODEL_FLOAT32)
                                                                 : value_like(step, variable->value);
        value_becomes(step, variable->state[i], MEMMODEL_OPTIMIZER_STATE);
        variable->has_state = true;
    }
}

/* Only parameters that got a gradient take part. */
void
optimizer_run(struct step *step, const struct optimizer *optimizer)
{
    struct loop loop = {{NULL}};

    for (size_t i = 0; i < step->network->parameter_count && optimizer->update; i++) {
        struct variable *variable = &step->variables[i];

        step_enter(step, MEMMODEL_PHASE_OPTIMIZER, step->network->parameters[i].layer);
        if (variable->gradient && !variable->has_state)
            make_state(step, optimizer, variable);
    }
    for (size_t i = 0; i < step->network->parameter_count && optimizer->update; i++) {
        step_enter(step, MEMMODEL_PHASE_OPTIMIZER, step->network->parameters[i].layer);
        step->what = optimizer->name;
        if (step->variables[i].gradient)
            optimizer->update(step, &loop, &step->variables[i]);
    }
    for (int i = 0; i < LOOP_NAMES; i++)
        value_drop(step, loop.names[i]);
}
