/*
 * Optimizers, one row each. PyTorch: torch/optim/NAME.py, _single_tensor_NAME, which is what runs on CPU by default.
 *
 * The state of all parameters is made first, then the loop runs parameter by parameter. Variables of the loop's body
 * live on into the next round and go when they are bound again.
 */
#include "frameworks/pytorch/foreach.h"
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/optimizers.h"
#include "frameworks/pytorch/optimizer_cache.h"
#include "frameworks/pytorch/tensor_parallel.h"

#include <string.h>

/* Variables of the loop's body that hold tensors of their own. */
enum loop_name { GRAD, FIRST, SECOND, THIRD, FOURTH, FIFTH, LOOP_NAMES };

/* A round of the loop over the parameters. */
struct loop {
    struct value *names[LOOP_NAMES];
    uint32_t options;
};

/*
 * How a round begins: `grad = -grads[i]`, with or without `grad = grads[i]` before, or from zip(), behind the counter.
 */
enum beginning { NEGATED, NAMED_FIRST, COUNTED_FIRST };

struct optimizer_row {
    enum beginning beginning;
    void (*update)(struct step *step, struct loop *loop, struct variable *variable);
    bool fused;       /* has a kernel that does it all, by option */
    bool constructed; /* the state is made by the constructor */
    bool late;        /* the state is made by the first update */
    bool one_by_one;  /* on every device unless an option says so: torch/optim/_adafactor.py, adafactor */
};

/* ---- what updates are made of ---- */

/* Takes the reference; what the name held goes after. */
static void
bind(struct step *step, struct loop *loop, enum loop_name name, struct value *value)
{
    struct value *old = loop->names[name];

    loop->names[name] = value;
    value_drop(step, old);
}

static bool
has(const struct loop *loop, uint32_t option)
{
    return (loop->options & option) != 0;
}

/* t.mul_(number), t.add_(number) of a tensor of the parameter's type. */
static void
number(struct step *step, const struct variable *variable)
{
    number_in_place(step, variable->value->shape.dtype);
}

/* step_t += 1 */
static void
count_step(struct step *step)
{
    number_in_place(step, MEMMODEL_DTYPE_FLOAT32);
}

static struct value *
like_parameter(struct step *step, const struct variable *variable)
{
    return value_like(step, variable->value);
}

static struct value *
divided(struct step *step, const struct variable *variable)
{
    return number_result(step, variable->value);
}

/* grad = grad.add(param, alpha=weight_decay), or param.mul_(1 - lr * weight_decay) where it is decoupled */
static void
decay(struct step *step, struct loop *loop, struct variable *variable)
{
    if (!has(loop, OPTIMIZER_WEIGHT_DECAY))
        return;
    if (has(loop, OPTIMIZER_DECOUPLED))
        number(step, variable);
    else
        bind(step, loop, GRAD, like_parameter(step, variable));
}

/*
 * The gradient of an embedding of which a rank has some rows has all of them; each operator that it meets the parameter in
 * copies the rank's own. PyTorch: torch/distributed/tensor/_dispatch.py, redistribute_local_args.
 */
static void
copy_own_rows(struct step *step, const struct variable *variable, int times)
{
    struct value *copies;

    if (!tensor_parallel_has_all_rows(step, variable))
        return;
    copies = value_buffer(step, multiply_saturating(times, variable->value->storage->bytes));
    value_drop(step, copies);
}

static struct value *
like_gradient(struct step *step, const struct variable *variable)
{
    struct value *all, *clone;

    if (!tensor_parallel_has_all_rows(step, variable))
        return like_parameter(step, variable);
    all = value_buffer(step, variable->gradient->storage->bytes);
    clone = value_within(step, all, &variable->value->shape, variable->value->strides);
    value_drop(step, all);
    return clone;
}

/* ---- the updates ---- */

/* The buffer is a clone of the first gradient; later buf.mul_(momentum). */
static void
momentum(struct step *step, struct loop *loop, struct variable *variable)
{
    if (variable->has_state) {
        number(step, variable);
    } else {
        step->what = "momentum_buffer";
        variable->state[0] = like_gradient(step, variable);
        value_becomes(step, variable->state[0], MEMMODEL_CATEGORY_OPTIMIZER_STATE);
        variable->has_state = true;
    }
    bind(step, loop, GRAD, has(loop, OPTIMIZER_NESTEROV) ? like_parameter(step, variable) : NULL);
}

static void
sgd(struct step *step, struct loop *loop, struct variable *variable)
{
    decay(step, loop, variable);
    if (has(loop, OPTIMIZER_MOMENTUM))
        momentum(step, loop, variable);
    copy_own_rows(step, variable, 1);
}

/* denom = (exp_avg_sq.sqrt() / bias_correction2_sqrt).add_(eps) */
static void
adam(struct step *step, struct loop *loop, struct variable *variable)
{
    struct value *root, *denominator;

    count_step(step);
    decay(step, loop, variable);
    copy_own_rows(step, variable, 2); /* exp_avg_sq.addcmul_(grad, grad.conj()) */
    number(step, variable);           /* exp_avg_sq.mul_(beta2) */
    root = like_parameter(step, variable);
    denominator = number_result(step, root);
    value_drop(step, root);
    number(step, variable);
    bind(step, loop, FIRST, denominator);
}

/* denom = exp_avg_sq.div(bias_correction2).sqrt(); the schedule of the momentum is a tensor. */
static void
nadam(struct step *step, struct loop *loop, struct variable *variable)
{
    struct value *corrected;

    count_step(step);
    decay(step, loop, variable);
    count_step(step); /* mu_product *= mu */
    number(step, variable);
    corrected = divided(step, variable);
    bind(step, loop, FIRST, like_parameter(step, variable));
    value_drop(step, corrected);
    number(step, variable);
}

/*
 * bias_corrected * lr * rect * bias_correction2 ** 0.5 / (exp_avg_sq.sqrt() + eps). Takes the reference to the first.
 */
static void
rectify(struct step *step, const struct variable *variable, struct value *scaled)
{
    struct value *root = like_parameter(step, variable), *reciprocal, *adaptive, *product, *result;

    number(step, variable);
    reciprocal = like_parameter(step, variable);
    adaptive = number_result(step, root);
    value_drop(step, reciprocal);
    value_drop(step, root);
    product = like_parameter(step, variable);
    value_drop(step, scaled);
    value_drop(step, adaptive);
    result = number_result(step, product);
    value_drop(step, product);
    value_drop(step, result);
}

/* The variance is tractable from this step on with the default betas: rho_t > 5 in torch/optim/radam.py */
enum { FIRST_RECTIFIED_STEP = 6 };

/* The first step makes what an optimizer keeps, and starts without the results of one before. */
int
pytorch_settled_step(const struct memmodel_job *job)
{
    enum { FIRST_WITH_STATE = 2 };
    struct optimizer_choice choice;
    struct optimizer_part part;

    for (const char *rest = job->optimizer; optimizer_next_part(&rest, &part);)
        if (optimizer_parse(part.optimizer, &choice) && choice.id == OPTIMIZER_RADAM)
            return FIRST_RECTIFIED_STEP;
    return FIRST_WITH_STATE;
}

static void
radam(struct step *step, struct loop *loop, struct variable *variable)
{
    struct value *scaled;

    count_step(step);
    decay(step, loop, variable);
    number(step, variable);
    bind(step, loop, FIRST, divided(step, variable)); /* bias_corrected_exp_avg */
    scaled = divided(step, variable);
    if (step->number >= FIRST_RECTIFIED_STEP)
        rectify(step, variable, scaled);
    else
        value_drop(step, scaled);
}

static void
adamax(struct step *step, struct loop *loop, struct variable *variable)
{
    struct value *norm;

    count_step(step);
    decay(step, loop, variable);
    number(step, variable);
    norm = like_parameter(step, variable);
    number(step, variable);
    value_drop(step, norm);
}

static void
rmsprop(struct step *step, struct loop *loop, struct variable *variable)
{
    count_step(step);
    decay(step, loop, variable);
    number(step, variable); /* square_avg.mul_(alpha) */
    bind(step, loop, FIRST, like_parameter(step, variable));
    number(step, variable);
    if (has(loop, OPTIMIZER_MOMENTUM))
        number(step, variable);
}

static void
adagrad(struct step *step, struct loop *loop, struct variable *variable)
{
    struct value *deviation;

    decay(step, loop, variable);
    deviation = like_parameter(step, variable);
    number(step, variable);
    bind(step, loop, FIRST, deviation);
}

static void
adadelta(struct step *step, struct loop *loop, struct variable *variable)
{
    decay(step, loop, variable);
    number(step, variable); /* square_avg.mul_(rho) */
    bind(step, loop, FIRST, divided(step, variable));
    bind(step, loop, SECOND, divided(step, variable));
    number(step, variable); /* acc_delta.mul_(rho) */
}

/* ---- adafactor ---- */

struct shape
factored_shape(const struct value *parameter, bool last, bool before)
{
    struct shape shape = parameter->shape;

    if (last)
        shape.dims[shape.rank - 1] = 1;
    if (before)
        shape.dims[shape.rank - 2] = 1;
    return shape;
}

static struct value *
mean_of_squares(struct step *step, const struct variable *variable, bool last, bool before)
{
    struct shape shape = factored_shape(variable->value, last, before);
    struct value *mean = value_empty(step, &shape);

    number(step, variable);
    return mean;
}

static void
adafactor(struct step *step, struct loop *loop, struct variable *variable)
{
    enum loop_name rows = FIRST, columns = SECOND, estimate = THIRD, update = FOURTH, squares = FIFTH;

    count_step(step);
    value_drop(step, value_scalar(step, MEMMODEL_DTYPE_FLOAT32)); /* the norm of the parameter */
    if (has(loop, OPTIMIZER_WEIGHT_DECAY))
        number(step, variable);
    if (variable->value->shape.rank > 1) {
        bind(step, loop, rows, mean_of_squares(step, variable, true, false));
        bind(step, loop, columns, mean_of_squares(step, variable, false, true));
        bind(step, loop, estimate, like_parameter(step, variable));
        step->device->product(step, /* row_var @ col_var */
                              &(struct matrix_product){PRODUCT_UNSUMMED, loop->names[estimate], NULL, NULL, 1});
        value_drop(step, mean_of_squares(step, variable, true, true));
    } else {
        bind(step, loop, squares, like_parameter(step, variable));
        bind(step, loop, estimate, like_parameter(step, variable));
    }
    bind(step, loop, update, value_keep(loop->names[estimate]));
    value_drop(step, value_scalar(step, MEMMODEL_DTYPE_FLOAT32)); /* the norm of the update */
}

/* ---- the rows ---- */

static const struct optimizer_row rows[OPTIMIZERS] = {
    [OPTIMIZER_SGD] = {.update = sgd, .fused = true, .late = true},
    [OPTIMIZER_ADAM] = {.update = adam, .fused = true},
    [OPTIMIZER_ADAMW] = {.update = adam, .fused = true},
    [OPTIMIZER_NADAM] = {.update = nadam},
    [OPTIMIZER_RADAM] = {.update = radam},
    [OPTIMIZER_ADAMAX] = {.update = adamax, .beginning = NAMED_FIRST},
    [OPTIMIZER_RMSPROP] = {.update = rmsprop, .beginning = NAMED_FIRST},
    [OPTIMIZER_ADAGRAD] = {.update = adagrad, .beginning = COUNTED_FIRST, .fused = true, .constructed = true},
    [OPTIMIZER_ADADELTA] = {.update = adadelta, .beginning = COUNTED_FIRST},
    [OPTIMIZER_ADAFACTOR] = {.update = adafactor, .one_by_one = true},
};

/* What is on by default on the device is replaced by fused, and where the optimizer has no such form. */
static bool
choose(const struct optimizer_choice *choice, uint32_t on, struct optimizer_group *group)
{
    uint32_t forms = OPTIMIZER_FOREACH | OPTIMIZER_FUSED, has = foreach_exists(choice->id) ? OPTIMIZER_FOREACH : 0;

    has |= rows[choice->id].fused ? OPTIMIZER_FUSED : 0;
    if (choice->on & forms || rows[choice->id].one_by_one)
        on &= ~forms;
    group->kind = &optimizer_kinds[choice->id];
    group->row = &rows[choice->id];
    group->options = optimizer_options(choice, group->kind->defaults | (on & has));
    return !(choice->on & forms & ~has) && (choice->on & forms) != forms;
}

/* False if there is none of that name, or the options are none. */
static bool
find(const char *text, uint32_t on, struct optimizer_group *group)
{
    struct optimizer_choice choice;

    return optimizer_parse(text, &choice) && choice.id < OPTIMIZERS && choose(&choice, on, group);
}

static int
unknown(memmodel_context *context, const char *text)
{
    struct text names = TEXT_INIT(context);
    int status;

    optimizer_print_names(&names);
    status = context_error(context, MEMMODEL_ERROR_UNSUPPORTED, text,
                           "PyTorch has no rule for this optimizer; use %s, with options such as "
                           "sgd(momentum, nesterov)",
                           names.failed ? "another" : names.bytes);
    text_release(&names);
    return status;
}

static int
fill_groups(memmodel_context *context, const char *text, uint32_t on, struct optimizer *optimizer)
{
    struct optimizer_part part;

    for (const char *rest = text; optimizer_next_part(&rest, &part); optimizer->count++) {
        struct optimizer_group *group = &optimizer->groups[optimizer->count];
        size_t begin = optimizer_members_begin(&optimizer->members, optimizer->count);

        if (!find(part.optimizer, on, group))
            return unknown(context, text);
        group->parameters = optimizer->members.parameters + begin;
        group->count = optimizer->members.ends[optimizer->count] - begin;
    }
    return 0;
}

int
optimizer_new(memmodel_context *context, const struct memmodel_network *network, const char *text, uint32_t on,
              struct optimizer *optimizer)
{
    int status;

    *optimizer = (struct optimizer){.count = 0};
    status = optimizer_members_new(context, network, text, &optimizer->members);
    if (status)
        return status;
    optimizer->groups = memory_allocate_zeroed(context, optimizer->members.parts, sizeof *optimizer->groups);
    return optimizer->groups ? fill_groups(context, text, on, optimizer) : MEMMODEL_ERROR_NO_MEMORY;
}

void
optimizer_release(memmodel_context *context, struct optimizer *optimizer)
{
    optimizer_members_release(context, &optimizer->members);
    memory_release(context, optimizer->groups);
}

/* ---- running them ---- */

/* NULL where a parameter of its rank has no such state. */
static struct value *
state_like(struct step *step, enum state_kind kind, const struct variable *variable, bool fused)
{
    bool vector = variable->value->shape.rank < 2;
    struct shape shape;

    if (kind == STATE_COUNTER) /* a kernel counts on its device */
        return fused ? value_scalar(step, MEMMODEL_DTYPE_FLOAT32) : value_on_host(step, MEMMODEL_DTYPE_FLOAT32);
    if (kind == STATE_LIKE_PARAMETER || (kind == STATE_LIKE_VECTOR && vector))
        return like_parameter(step, variable);
    if (kind == STATE_LIKE_VECTOR || vector)
        return NULL;
    shape = factored_shape(variable->value, kind == STATE_ROW_SUMS, kind == STATE_COLUMN_SUMS);
    return value_empty(step, &shape);
}

static void
make_state(struct step *step, const struct optimizer_group *group, struct variable *variable)
{
    const struct optimizer_kind *kind = group->kind;

    for (int i = 0; i < OPTIMIZER_STATES && kind->state[i].kind != STATE_NONE && !group->row->late; i++) {
        if (kind->state[i].needs & ~group->options)
            continue;
        step->what = kind->state[i].name;
        variable->state[i] = state_like(step, kind->state[i].kind, variable, group->options & OPTIMIZER_FUSED);
        if (variable->state[i])
            value_becomes(step, variable->state[i], MEMMODEL_CATEGORY_OPTIMIZER_STATE);
        variable->has_state = true;
    }
}

/* The variable of a group's parameter; what follows is of it. */
static struct variable *
enter_parameter(struct step *step, enum memmodel_phase phase, const struct optimizer_group *group, size_t place)
{
    int32_t parameter = group->parameters[place];

    step_enter(step, phase, step->network->parameters[parameter].layer);
    return &step->variables[parameter];
}

void
optimizer_construct(struct step *step, const struct optimizer *optimizer)
{
    for (size_t i = 0; i < optimizer->count; i++) {
        const struct optimizer_group *group = &optimizer->groups[i];

        for (size_t k = 0; k < group->count && group->row->constructed; k++) {
            struct variable *variable = enter_parameter(step, MEMMODEL_PHASE_SETUP, group, k);

            if (variable->accumulate)
                make_state(step, group, variable);
        }
    }
}

/* What each round begins with: -grad where it is maximized, else the gradient itself. */
static void
begin_round(struct step *step, struct loop *loop, enum beginning beginning, const struct variable *variable)
{
    if (beginning != NEGATED)
        bind(step, loop, GRAD, NULL);
    if (beginning == COUNTED_FIRST)
        count_step(step);
    bind(step, loop, GRAD, has(loop, OPTIMIZER_MAXIMIZE) ? like_parameter(step, variable) : NULL);
}

static void
make_states(struct step *step, const struct optimizer_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        struct variable *variable = enter_parameter(step, MEMMODEL_PHASE_OPTIMIZER, group, i);

        if (variable->gradient && !variable->has_state)
            make_state(step, group, variable);
    }
}

static void
run_loop(struct step *step, const struct optimizer_group *group)
{
    const struct optimizer_row *row = group->row;
    struct loop loop = {{NULL}, group->options};

    for (size_t i = 0; i < group->count; i++) {
        struct variable *variable = enter_parameter(step, MEMMODEL_PHASE_OPTIMIZER, group, i);

        if (!variable->gradient)
            continue;
        step->what = group->kind->name;
        begin_round(step, &loop, row->beginning, variable);
        row->update(step, &loop, variable);
    }
    value_drop_all(step, loop.names, LOOP_NAMES);
}

static void
run_updates(struct step *step, const struct optimizer_group *group)
{
    step->what = group->kind->name;
    if (group->options & (OPTIMIZER_FOREACH | OPTIMIZER_FUSED))
        foreach_run(step, group);
    else
        run_loop(step, group);
}

void
optimizer_run_group(struct step *step, const struct optimizer_group *group)
{
    if (!group->row->update)
        return;
    make_states(step, group);
    run_updates(step, group);
}

/* The updates of one group can be those of a simulation before, where the states are made ahead of them. */
static void
run_only_group(struct step *step, const struct optimizer_group *group)
{
    int64_t before, peak;

    if (!group->row->update)
        return;
    make_states(step, group);
    if (optimizer_cache_repeat(step))
        return;
    before = step->trace->live;
    peak = step->trace->peak;
    step->trace->peak = before;
    run_updates(step, group);
    optimizer_cache_keep(step, before);
    step->trace->peak = max_i64(peak, step->trace->peak);
}

/* Only parameters that got a gradient take part. */
void
optimizer_run(struct step *step, const struct optimizer *optimizer)
{
    if (optimizer->count == 1) {
        run_only_group(step, &optimizer->groups[0]);
        return;
    }
    for (size_t i = 0; i < optimizer->count && !step->status; i++)
        optimizer_run_group(step, &optimizer->groups[i]);
}
