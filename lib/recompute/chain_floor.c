/*
 * The least peak of a chain, exactly in bytes: the recursion of chain_optimum.c with the greater of two needs in place
 * of the sum of two costs.
 *
 *     least(s, t) = min(max(need to save s, saved(s) + least(s + 1, t)),
 *                       min over k of max(need to pass s .. k-1, input(k) + least(k, t), least(s, k - 1)))
 *
 * beyond the input of s. Whatever needs most names its block.
 */
#include "base/checked.h"
#include "recompute/chain.h"

/* The least peak of the blocks s to t. */
struct range {
    int64_t min;
    size_t block; /* that needs it */
    size_t split; /* the checkpoint after s; s: it is saved */
};

struct search {
    const memmodel_chain *chain;
    struct range *ranges; /* of s, t at s * blocks + t */
};

static struct range *
range_of(const struct search *search, size_t s, size_t t)
{
    return &search->ranges[s * search->chain->count + t];
}

static void
raise_to(struct range *range, int64_t need, size_t block)
{
    if (need <= range->min)
        return;
    range->min = need;
    range->block = block;
}

static struct range
by_saving(const struct search *search, size_t s, size_t t)
{
    struct range range = {chain_need_of_saving(search->chain, s, t), s, s};

    if (s < t) {
        const struct range *rest = range_of(search, s + 1, t);

        raise_to(&range, search->chain->blocks[s].saved + rest->min, rest->block);
    }
    return range;
}

/* `passing`: what it takes to run s to k - 1 keeping nothing. */
static struct range
by_checkpoint(const struct search *search, size_t s, size_t t, size_t k, const struct range *passing)
{
    const struct range *after = range_of(search, k, t), *before = range_of(search, s, k - 1);
    struct range range = *passing;

    range.split = k;
    raise_to(&range, chain_input(search->chain, k) + after->min, after->block);
    raise_to(&range, before->min, before->block);
    return range;
}

static void
find(const struct search *search, size_t s, size_t t)
{
    struct range best = by_saving(search, s, t), passing = {0, s, s};
    int64_t waiting = chain_input(search->chain, t + 1);

    for (size_t k = s + 1; k <= t; k++) {
        struct range range;

        raise_to(&passing, waiting + chain_need_of_passing(search->chain, s, k - 1), k - 1);
        range = by_checkpoint(search, s, t, k, &passing);
        if (range.min < best.min)
            best = range;
    }
    *range_of(search, s, t) = best;
}

/* As recover() of chain_optimum.c. */
static int
write_range(const struct search *search, size_t s, size_t t, struct chain_schedule *schedule)
{
    size_t split = range_of(search, s, t)->split;
    int status;

    if (split == s) {
        status = chain_append(search->chain, schedule, MEMMODEL_CHAIN_OPERATION_FORWARD_SAVE_ALL, s);
        if (!status && s < t)
            status = write_range(search, s + 1, t, schedule);
        return status ? status : chain_append(search->chain, schedule, MEMMODEL_CHAIN_OPERATION_BACKWARD, s);
    }
    status = chain_append(search->chain, schedule, MEMMODEL_CHAIN_OPERATION_FORWARD_CHECKPOINT, s);
    for (size_t i = s + 1; i < split && !status; i++)
        status = chain_append(search->chain, schedule, MEMMODEL_CHAIN_OPERATION_FORWARD, i);
    if (!status)
        status = write_range(search, split, t, schedule);
    return status ? status : write_range(search, s, split - 1, schedule);
}

int
chain_floor(const memmodel_chain *chain, int64_t *min, size_t *block, struct chain_schedule *schedule)
{
    struct search search = {.chain = chain};
    size_t n = chain->count, cells;
    int status = 0;

    if (!checked_size(n, n, &cells))
        return MEMMODEL_ERROR_NO_MEMORY;
    search.ranges = memory_allocate_zeroed(chain->context, cells, sizeof *search.ranges);
    if (!search.ranges)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t length = 0; length < n; length++)
        for (size_t s = 0; s + length < n; s++)
            find(&search, s, s + length);
    *min = chain->blocks[0].input + range_of(&search, 0, n - 1)->min;
    *block = range_of(&search, 0, n - 1)->block;
    if (schedule)
        status = write_range(&search, 0, n - 1, schedule);
    memory_release(chain->context, search.ranges);
    return status;
}
