/*
 * The foreach implementations of optimizers: each operation runs over all parameters before the next one begins. PyTorch:
 * torch/optim/NAME.py, _multi_tensor_NAME; on CPU each operation is a loop of plain ones,
 * aten/src/ATen/native/ForeachOpsKernels.cpp.
 */
#include "frameworks/pytorch/foreach.h"
#include "frameworks/pytorch/operators.h"

#include <string.h>

/* Lists of tensors, one a parameter, that an update makes on its way. */
enum list { GRADS, FIRST, SECOND, LISTS };

/* What an update works on. */
struct foreach {
    struct step *step;
    uint32_t options;
    struct variable **variables; /* that got a gradient */
    int count;
    struct value **lists[LISTS]; /* NULL where none was made */
};

static void
list_drop(struct foreach *all, enum list list)
{
    struct value **values = all->lists[list];

    if (!values)
        return;
    value_drop_all(all->step, values, all->count);
    object_pool_give(&all->step->pool, values, (size_t)all->count * sizeof *values);
    all->lists[list] = NULL;
}

static void
drop_lists(struct foreach *all)
{
    for (enum list list = GRADS; list < LISTS; list++)
        list_drop(all, list);
}

static bool
has(const struct foreach *all, uint32_t option)
{
    return (all->options & option) != 0;
}

/* What follows is of this parameter. */
static void
enter(struct foreach *all, const struct variable *variable)
{
    const struct step *step = all->step;

    step_enter(all->step, MEMMODEL_PHASE_OPTIMIZER, step->network->parameters[variable - step->variables].layer);
}

/* ---- operations ---- */

typedef struct value *(*list_operation)(struct step *step, const struct value *x);

/* Of each parameter; what the operation makes becomes the list. */
static void
make_list(struct foreach *all, enum list list, list_operation operation)
{
    struct value **values = step_pool_take(all->step, (size_t)all->count * sizeof(struct value *));

    for (int i = 0; i < all->count && values; i++) {
        struct variable *variable = all->variables[i];

        enter(all, variable);
        values[i] = operation(all->step, variable->value);
    }
    list_drop(all, list);
    all->lists[list] = values;
}

static struct value *
like(struct step *step, const struct value *x)
{
    return value_like(step, x);
}

/* _foreach_neg(grads), _foreach_sqrt(exp_avg_sqs), ... */
static void
results(struct foreach *all, enum list list)
{
    make_list(all, list, like);
}

/* _foreach_add(square_avgs, eps), ... */
static void
results_with_numbers(struct foreach *all, enum list list)
{
    make_list(all, list, number_result);
}

/* _foreach_mul_(tensors, number), each of the parameter's type. */
static void
numbers(struct foreach *all)
{
    for (int i = 0; i < all->count; i++) {
        enter(all, all->variables[i]);
        number_in_place(all->step, all->variables[i]->value->shape.dtype);
    }
}

/* The same of the float32 counters. */
static void
counter_numbers(struct foreach *all)
{
    for (int i = 0; i < all->count; i++)
        number_in_place(all->step, MEMMODEL_DTYPE_FLOAT32);
}

/* _foreach_add_(state_steps, torch.tensor(1.0), alpha=1.0) */
static void
count_steps(struct foreach *all)
{
    value_drop(all->step, value_on_host(all->step, MEMMODEL_DTYPE_FLOAT32));
}

static void
negate(struct foreach *all)
{
    if (has(all, OPTIMIZER_MAXIMIZE))
        results(all, GRADS);
}

/* Into the negated gradients, where there are any. */
static void
decay(struct foreach *all)
{
    if (!has(all, OPTIMIZER_WEIGHT_DECAY))
        return;
    if (has(all, OPTIMIZER_DECOUPLED))
        numbers(all);
    else if (!has(all, OPTIMIZER_MAXIMIZE))
        results(all, GRADS);
}

static void
begin(struct foreach *all)
{
    negate(all);
    count_steps(all);
    decay(all);
}

/* ---- the updates ---- */

static void
clone_gradients(struct foreach *all)
{
    for (int i = 0; i < all->count; i++) {
        struct variable *variable = all->variables[i];

        all->step->what = "momentum_buffer";
        enter(all, variable);
        variable->state[0] = value_like(all->step, variable->value);
        value_becomes(all->step, variable->state[0], MEMMODEL_CATEGORY_OPTIMIZER_STATE);
        variable->has_state = true;
    }
}

static void
sgd(struct foreach *all)
{
    negate(all);
    decay(all);
    if (!has(all, OPTIMIZER_MOMENTUM))
        return;
    if (all->variables[0]->has_state)
        numbers(all); /* bufs.mul_(momentum) */
    else
        clone_gradients(all);
}

/* sqrt(exp_avg_sq).div_(bias_correction2_sqrt).add_(eps) */
static void
adam(struct foreach *all)
{
    begin(all);
    numbers(all); /* exp_avg_sqs.mul_(beta2) */
    list_drop(all, GRADS);
    results(all, FIRST);
    numbers(all);
    numbers(all);
}

static void
nadam(struct foreach *all)
{
    begin(all);
    numbers(all);
    results(all, FIRST);
    counter_numbers(all); /* mu_products.mul_(mus) */
    numbers(all);
    numbers(all);
}

/* sqrt(exp_avg_sq).add_(eps).div_(bias_correction2).reciprocal_().add_(step_size) */
static void
radam(struct foreach *all)
{
    count_steps(all);
    negate(all);
    decay(all);
    numbers(all);
    list_drop(all, GRADS);
    results(all, FIRST);
    numbers(all);
    numbers(all);
    numbers(all);
}

/* The gradients become their absolute values, in place where they are copies. */
static void
adamax(struct foreach *all)
{
    begin(all);
    numbers(all); /* exp_infs.mul_(beta2) */
    if (!all->lists[GRADS])
        results(all, GRADS);
    numbers(all);
}

static void
rmsprop(struct foreach *all)
{
    begin(all);
    numbers(all); /* square_avgs.mul_(alpha) */
    results(all, FIRST);
    numbers(all);
    if (has(all, OPTIMIZER_MOMENTUM))
        numbers(all);
}

/* The gradients are scaled, in place where they are copies. */
static void
adagrad(struct foreach *all)
{
    begin(all);
    results(all, FIRST);
    numbers(all);
    if (all->lists[GRADS])
        numbers(all);
    else
        results_with_numbers(all, GRADS);
}

static void
adadelta(struct foreach *all)
{
    count_steps(all);
    negate(all);
    decay(all);
    numbers(all); /* square_avgs.mul_(rho) */
    results_with_numbers(all, FIRST);
    results_with_numbers(all, SECOND);
    numbers(all); /* acc_deltas.mul_(rho) */
}

/* ---- adafactor: matrices and vectors apart ---- */

/* tensor.norm(2).item() each */
static void
norms(struct foreach *all)
{
    for (int i = 0; i < all->count; i++)
        value_drop(all->step, value_scalar(all->step, MEMMODEL_DTYPE_FLOAT32));
}

static struct value *
summed(struct step *step, const struct value *x, bool last, bool before)
{
    struct shape shape = factored_shape(x, last, before);

    return value_empty(step, &shape);
}

static struct value *
row_norm(struct step *step, const struct value *x)
{
    return summed(step, x, true, false);
}

static struct value *
column_norm(struct step *step, const struct value *x)
{
    return summed(step, x, false, true);
}

/* row_var.mean(dim=-2, keepdim=True): a sum, then divided. */
static struct value *
row_mean(struct step *step, const struct value *x)
{
    struct value *mean = summed(step, x, true, true);

    number_in_place(step, x->shape.dtype);
    return mean;
}

/* norm().square_().div_(size), which goes when the state has taken it up. */
static void
mean_squares(struct foreach *all, list_operation norm)
{
    make_list(all, SECOND, norm);
    numbers(all);
    list_drop(all, SECOND);
}

/* row_var @ col_var */
static struct value *
outer_product(struct step *step, const struct value *x)
{
    struct value *product = value_like(step, x);

    step->device->product(step, &(struct matrix_product){PRODUCT_UNSUMMED, product, NULL, NULL, 1});
    return product;
}

static void
estimate_matrices(struct foreach *all)
{
    mean_squares(all, row_norm);
    mean_squares(all, column_norm);
    make_list(all, FIRST, outer_product);
    make_list(all, SECOND, row_mean);
    list_drop(all, SECOND);
}

static void
estimate_vectors(struct foreach *all)
{
    results(all, SECOND); /* grads * grads */
    list_drop(all, SECOND);
    results(all, FIRST);
}

static bool
is_matrix(const struct variable *variable)
{
    return variable->value->shape.rank > 1;
}

/* What the group before has left goes when its names are bound anew. */
static void
adafactor_group(struct foreach *all, struct foreach *before)
{
    list_drop(before, GRADS);
    negate(all);
    count_steps(all);
    norms(all);
    if (has(all, OPTIMIZER_WEIGHT_DECAY))
        numbers(all);
    if (is_matrix(all->variables[0]))
        estimate_matrices(all);
    else
        estimate_vectors(all);
    list_drop(before, FIRST);
    norms(all);
    numbers(all);
}

/* Those of `all` that are like the first, or the others. */
static void
take_group(const struct foreach *all, bool like_first, struct foreach *group)
{
    *group = (struct foreach){.step = all->step, .options = all->options};
    group->variables = step_pool_take(all->step, (size_t)all->count * sizeof *group->variables);
    for (int i = 0; i < all->count && group->variables; i++)
        if ((is_matrix(all->variables[i]) == is_matrix(all->variables[0])) == like_first)
            group->variables[group->count++] = all->variables[i];
}

static void
adafactor(struct foreach *all)
{
    struct foreach groups[2];

    for (int i = 0; i < 2; i++)
        take_group(all, i == 0, &groups[i]);
    for (int i = 0; i < 2 && !all->step->status; i++)
        if (groups[i].count > 0)
            adafactor_group(&groups[i], &groups[1 - i]);
    for (int i = 0; i < 2; i++) {
        drop_lists(&groups[i]);
        if (groups[i].variables)
            object_pool_give(&all->step->pool, groups[i].variables, (size_t)all->count * sizeof *groups[i].variables);
    }
}

/* ---- fused: one kernel does it all but for the counters, and for the momentum that it begins with ---- */

static void
fused(struct foreach *all)
{
    if (has(all, OPTIMIZER_MOMENTUM)) {
        if (!all->variables[0]->has_state)
            clone_gradients(all);
    } else if (all->variables[0]->has_state) {
        counter_numbers(all);
    }
}

/* ---- running them ---- */

typedef void (*foreach_update)(struct foreach *all);

static const foreach_update updates[OPTIMIZERS] = {
    [OPTIMIZER_SGD] = sgd,           [OPTIMIZER_ADAM] = adam,
    [OPTIMIZER_ADAMW] = adam,        [OPTIMIZER_NADAM] = nadam,
    [OPTIMIZER_RADAM] = radam,       [OPTIMIZER_ADAMAX] = adamax,
    [OPTIMIZER_RMSPROP] = rmsprop,   [OPTIMIZER_ADAGRAD] = adagrad,
    [OPTIMIZER_ADADELTA] = adadelta, [OPTIMIZER_ADAFACTOR] = adafactor,
};

bool
foreach_exists(enum optimizer_id optimizer)
{
    return updates[optimizer] != NULL;
}

/* The parameters that got a gradient. */
static void
take_variables(struct foreach *all, const struct optimizer_group *group)
{
    struct step *step = all->step;

    all->variables = step_pool_take(step, (group->count + 1) * sizeof *all->variables);
    if (!all->variables)
        return;
    for (size_t i = 0; i < group->count; i++)
        if (step->variables[group->parameters[i]].gradient)
            all->variables[all->count++] = &step->variables[group->parameters[i]];
}

void
foreach_run(struct step *step, const struct optimizer_group *group)
{
    struct foreach all = {.step = step, .options = group->options};
    foreach_update update = group->options & OPTIMIZER_FUSED ? fused : updates[group->kind - optimizer_kinds];

    take_variables(&all, group);
    if (all.count > 0)
        update(&all);
    drop_lists(&all);
    if (all.variables)
        object_pool_give(&step->pool, all.variables, (group->count + 1) * sizeof *all.variables);
}
