/*
 * The cheapest schedule of a chain that keeps each checkpoint until the backward pass needs it. Source: O. Beaumont,
 * L. Eyraud-Dubois, J. Herrmann, A. Joly, A. Shilova, "Optimal Re-materialization Strategies for Heterogeneous Chains:
 * How to Train Deep Neural Networks with Limited Memory", hal-02352969.
 *
 * cost(s, t, m): of running the blocks s to t forward and backward, with the input of s held and m slots of memory for
 * all else, the gradient of the output of t among it.
 *
 *     saving:         cost of s + cost(s + 1, t, m - saved(s))
 *     a checkpoint k: forward cost of s .. k-1 + cost(k, t, m - input(k)) + cost(s, k - 1, m)
 *
 * each where m is enough for what runs meanwhile. The costs of one (s, t) for all m are a row, and every step of the
 * recursion adds two rows, one of them moved: loops over neighbours in memory. Rows are stored for s <= t alone. What was
 * chosen is not: it is found again along the way of the schedule, from the same sums.
 */
#include "base/checked.h"
#include "recompute/chain.h"

#include <math.h>

struct table {
    const memmodel_chain *chain;
    int64_t unit;  /* bytes of a slot */
    int64_t slots; /* beyond the input of the first block */
    double *costs; /* rows of slots + 1 numbers; INFINITY: not in so little memory */
};

/* What the blocks s to t cost in each number of slots. Rows of the same s are neighbours. */
static double *
row_of(const struct table *table, size_t s, size_t t)
{
    size_t n = table->chain->count, before = s * n - s * (s - 1) / 2; /* rows of s' < s; for s = 0, too */

    return table->costs + (before + t - s) * ((size_t)table->slots + 1);
}

static int64_t
slots_of(const struct table *table, int64_t bytes)
{
    return ceil_divide(bytes, table->unit);
}

/* ---- the two ways ---- */

/* One of the ways to run s to t: for m from `from`, base + after[m - moved] + before[m]. */
struct way {
    int64_t from, moved;
    double base;
    const double *after, *before; /* NULL: nothing */
};

static struct way
by_saving(const struct table *table, size_t s, size_t t)
{
    const struct chain_block *block = &table->chain->blocks[s];
    int64_t saved = slots_of(table, block->saved);
    struct way way = {
        .from = slots_of(table, chain_need_of_saving(table->chain, s, t)),
        .moved = saved,
        .base = block->forward_cost + block->backward_cost,
    };

    if (s < t) {
        way.after = row_of(table, s + 1, t);
        way.from = max_i64(way.from, saved);
    }
    return way;
}

/* `passing`: what it takes to run s to k - 1 keeping nothing, in bytes; `cost`: that this costs. */
static struct way
by_checkpoint(const struct table *table, size_t s, size_t t, size_t k, int64_t passing, double cost)
{
    int64_t moved = slots_of(table, chain_input(table->chain, k));

    return (struct way){
        .from = max_i64(slots_of(table, passing), moved),
        .moved = moved,
        .base = cost,
        .after = row_of(table, k, t),
        .before = row_of(table, s, k - 1),
    };
}

/* The cost at m, in the same order of sums as lower(). */
static double
cost_of_way(const struct way *way, int64_t m)
{
    if (m < way->from)
        return INFINITY;
    return way->base + (way->after ? way->after[m - way->moved] : 0) + (way->before ? way->before[m] : 0);
}

/* The inner loop: nearly all of the time is spent here. */
static void
lower_by_both(double *restrict row, const double *restrict after, const double *restrict before, double base,
              int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        double cost = base + after[i] + before[i];

        row[i] = cost < row[i] ? cost : row[i];
    }
}

static void
lower(double *row, const struct way *way, int64_t slots)
{
    if (way->from > slots)
        return;
    if (way->before) {
        lower_by_both(row + way->from, way->after + (way->from - way->moved), way->before + way->from, way->base,
                      slots + 1 - way->from);
        return;
    }
    for (int64_t m = way->from; m <= slots; m++)
        row[m] = fmin(row[m], cost_of_way(way, m));
}

/* ---- the table ---- */

static void
fill_row(const struct table *table, size_t s, size_t t)
{
    const memmodel_chain *chain = table->chain;
    double *row = row_of(table, s, t), cost = 0;
    int64_t passing = 0, waiting = chain_input(chain, t + 1);
    struct way way = by_saving(table, s, t);

    for (int64_t m = 0; m <= table->slots; m++)
        row[m] = INFINITY;
    lower(row, &way, table->slots);
    for (size_t k = s + 1; k <= t; k++) {
        passing = max_i64(passing, waiting + chain_need_of_passing(chain, s, k - 1));
        cost += chain->blocks[k - 1].forward_cost;
        way = by_checkpoint(table, s, t, k, passing, cost);
        lower(row, &way, table->slots);
    }
}

/* Nodes: a thousand sums of two numbers take a microsecond. */
static int64_t
work_of_row(size_t width, size_t length)
{
    return 1 + (int64_t)(width / 1024 * (length + 1) + (length + 1) / 64);
}

static int
fill_table(struct table *table)
{
    size_t n = table->chain->count, width = (size_t)table->slots + 1, rows, cells;
    int status = 0;

    if (!checked_size(n, n + 1, &rows) || !checked_size(rows / 2, width, &cells))
        return MEMMODEL_ERROR_NO_MEMORY;
    table->costs = memory_allocate_zeroed(table->chain->context, cells, sizeof *table->costs);
    if (!table->costs)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t length = 0; length < n && !status; length++)
        for (size_t s = 0; s + length < n && !status; s++) {
            status = context_check(table->chain->context, work_of_row(width, length));
            if (!status)
                fill_row(table, s, s + length);
        }
    return status;
}

/* ---- the schedule ---- */

/* The checkpoint after s that the row was lowered by, and how much memory it takes; s: it is saved. */
static size_t
find_split(const struct table *table, size_t s, size_t t, int64_t m, int64_t *moved)
{
    const memmodel_chain *chain = table->chain;
    int64_t passing = 0, waiting = chain_input(chain, t + 1);
    double best = row_of(table, s, t)[m], cost = 0;
    struct way way = by_saving(table, s, t);
    size_t split = s;

    for (size_t k = s + 1; cost_of_way(&way, m) > best && k <= t; k++) {
        passing = max_i64(passing, waiting + chain_need_of_passing(chain, s, k - 1));
        cost += chain->blocks[k - 1].forward_cost;
        way = by_checkpoint(table, s, t, k, passing, cost);
        split = k;
    }
    *moved = way.moved;
    return split;
}

/* Blocks s to t that are still to be run in so much memory, or the backward pass of s alone. */
struct pending {
    size_t s, t;
    int64_t m;
    bool is_saved;
};

struct recovery {
    const struct table *table;
    struct chain_schedule *schedule;
    struct pending *stack; /* what is last is next */
    size_t count, capacity;
};

static int
push(struct recovery *recovery, struct pending pending)
{
    int status = array_reserve(recovery->table->chain->context, &recovery->stack, &recovery->capacity,
                               recovery->count + 1, sizeof *recovery->stack);

    if (!status)
        recovery->stack[recovery->count++] = pending;
    return status;
}

static int
save_first(struct recovery *recovery, struct pending blocks, int64_t moved)
{
    int status =
        chain_append(recovery->table->chain, recovery->schedule, MEMMODEL_CHAIN_OPERATION_FORWARD_SAVE_ALL, blocks.s);

    if (!status)
        status = push(recovery, (struct pending){.s = blocks.s, .is_saved = true});
    if (!status && blocks.s < blocks.t)
        status = push(recovery, (struct pending){blocks.s + 1, blocks.t, blocks.m - moved, false});
    return status;
}

static int
pass_to(struct recovery *recovery, struct pending blocks, size_t split, int64_t moved)
{
    const memmodel_chain *chain = recovery->table->chain;
    int status = chain_append(chain, recovery->schedule, MEMMODEL_CHAIN_OPERATION_FORWARD_CHECKPOINT, blocks.s);

    for (size_t i = blocks.s + 1; i < split && !status; i++)
        status = chain_append(chain, recovery->schedule, MEMMODEL_CHAIN_OPERATION_FORWARD, i);
    if (!status)
        status = push(recovery, (struct pending){blocks.s, split - 1, blocks.m, false});
    return status ? status : push(recovery, (struct pending){split, blocks.t, blocks.m - moved, false});
}

static int
run_next(struct recovery *recovery)
{
    struct pending next = recovery->stack[--recovery->count];
    int64_t moved;
    size_t split;

    if (next.is_saved)
        return chain_append(recovery->table->chain, recovery->schedule, MEMMODEL_CHAIN_OPERATION_BACKWARD, next.s);
    split = find_split(recovery->table, next.s, next.t, next.m, &moved);
    return split == next.s ? save_first(recovery, next, moved) : pass_to(recovery, next, split, moved);
}

static int
recover(const struct table *table, struct chain_schedule *schedule)
{
    struct recovery recovery = {.table = table, .schedule = schedule};
    memmodel_context *context = table->chain->context;
    int status = push(&recovery, (struct pending){0, table->chain->count - 1, table->slots, false});

    while (!status && recovery.count > 0) {
        status = run_next(&recovery);
        if (!status)
            status = context_check(context, 1);
    }
    memory_release(context, recovery.stack);
    return status;
}

int
chain_optimum(const memmodel_chain *chain, int64_t budget, int64_t slots, struct chain_schedule *schedule)
{
    struct table table = {.chain = chain};
    int64_t memory = min_i64(budget, chain->total) - chain->blocks[0].input; /* more is of no use */
    size_t last = chain->count - 1;
    int status;

    table.unit = max_i64(ceil_divide(memory, slots), 1);
    table.slots = memory / table.unit;
    status = fill_table(&table);
    if (!status && isfinite(row_of(&table, 0, last)[table.slots]))
        status = recover(&table, schedule);
    memory_release(chain->context, table.costs);
    return status;
}
