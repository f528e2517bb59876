/*
 * torch.distributed.optim.ZeroRedundancyOptimizer over DistributedDataParallel: each parameter's state is on one rank,
 * which sends the others what it becomes. PyTorch: torch/distributed/optim/zero_redundancy_optimizer.py.
 *
 * Parameters are broadcast one by one, where they are.
 */
#include "base/checked.h"
#include "frameworks/pytorch/data_parallel.h"
#include "frameworks/pytorch/optimizers.h"
#include "frameworks/pytorch/tensor.h"

#include <stdlib.h>

/* A parameter as the ranks share it out. */
struct share {
    int64_t elements;
    int32_t parameter;
    size_t place; /* in its group */
    int64_t rank;
};

/* Largest first; of equals the first: sorted(..., reverse=True) is stable. */
static int
compare_shares(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    if (x->elements != y->elements)
        return x->elements > y->elements ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

static int64_t
min_loaded(const int64_t *sizes, int64_t ranks)
{
    int64_t min = 0;

    for (int64_t i = 1; i < ranks; i++)
        if (sizes[i] < sizes[min])
            min = i;
    return min;
}

/* The module's parameters of a group; returns how many. */
static size_t
collect(const struct step *step, const struct optimizer_group *group, struct share *shares)
{
    size_t count = 0;

    for (size_t i = 0; i < group->count; i++) {
        size_t parameter = (size_t)group->parameters[i];

        if (data_is_buffer(step, parameter))
            continue;
        shares[count] = (struct share){value_elements(step->variables[parameter].value), (int32_t)parameter, count, 0};
        count++;
    }
    return count;
}

/* _partition_parameters: each to the rank that has the least so far. `shares` has room for the group. */
static size_t
share_out(struct step *step, const struct optimizer_group *group, int64_t *sizes, struct share *shares)
{
    int64_t ranks = step->parallel.world;
    size_t count = collect(step, group, shares);

    qsort(shares, count, sizeof *shares, compare_shares);
    for (size_t i = 0; i < count && !step->status; i++) {
        shares[i].rank = min_loaded(sizes, ranks);
        sizes[shares[i].rank] = add_saturating(sizes[shares[i].rank], shares[i].elements);
        step_fail(step, context_check(step->context, context_nodes((size_t)ranks)));
    }
    return count;
}

/* parameters_as_bucket_view: those of a rank move into one buffer, which stays. */
static void
move_into_buffer(struct step *step, const struct share *shares, size_t count, int64_t rank)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        if (shares[i].rank == rank && step->variables[shares[i].parameter].accumulate)
            bytes = add_saturating(bytes, data_parameter_bytes(step, (size_t)shares[i].parameter));
    value_becomes(step, data_buffer(step, "zero parameters", bytes ? bytes : dtype_bytes(MEMMODEL_DTYPE_FLOAT32)),
                  MEMMODEL_CATEGORY_PARAMETERS);
    for (size_t i = 0; i < count; i++)
        if (shares[i].rank == rank && step->variables[shares[i].parameter].accumulate)
            value_empty_storage(step, step->variables[shares[i].parameter].value);
}

static void
keep_own(struct step *step, const struct share *shares, size_t count, struct optimizer_group *own)
{
    int32_t *parameters = step_arena_allocate(step, (count + 1) * sizeof *parameters);

    own->count = 0;
    own->parameters = parameters;
    for (size_t i = 0; parameters && i < count; i++)
        if (shares[i].rank == step->parallel.place)
            parameters[own->count++] = shares[i].parameter;
}

static void
share_group(struct step *step, struct optimizer_group *group, int64_t *sizes)
{
    size_t bytes = (group->count + 1) * sizeof(struct share);
    struct share *shares = step_pool_take(step, bytes);
    size_t count;

    if (!shares)
        return;
    count = share_out(step, group, sizes, shares);
    for (int64_t i = 0; i < step->parallel.world && step->parallel.options.parameters_as_bucket_view; i++)
        move_into_buffer(step, shares, count, i);
    keep_own(step, shares, count, group);
    object_pool_give(&step->pool, shares, bytes);
}

static void
zero1_optimizer_construct(struct step *step, const struct optimizer *all)
{
    struct optimizer *own = step_arena_allocate(step, sizeof *own);
    struct optimizer_group *groups = step_arena_allocate(step, (all->count + 1) * sizeof *groups);
    size_t bytes = (size_t)step->parallel.world * sizeof(int64_t);
    int64_t *sizes = step_pool_take(step, bytes);

    if (!own || !groups || !sizes)
        return;
    *own = (struct optimizer){.groups = groups, .count = all->count};
    for (size_t i = 0; i < all->count && !step->status; i++) {
        groups[i] = all->groups[i];
        share_group(step, &groups[i], sizes);
    }
    object_pool_give(&step->pool, sizes, bytes);
    step->data_optimizer = own;
}

static const struct optimizer *
zero1_optimizer_begin(struct step *step, const struct optimizer *all)
{
    return step->data_optimizer ? step->data_optimizer : all;
}

const struct data_strategy pytorch_zero1 = {
    .construct = ddp_construct,
    .forward_begin = ddp_forward_begin,
    .forward_end = ddp_forward_end,
    .gradient = ddp_gradient,
    .backward_end = ddp_backward_end,
    .optimizer_construct = zero1_optimizer_construct,
    .optimizer_begin = zero1_optimizer_begin,
};
