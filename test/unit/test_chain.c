/* memmodel_chain: schedules against the binomial optimum, against all there are, and step by step. */
#include "allocations.h"
#include "check.h"
#include "recompute/chain.h"

#include <math.h>

/* ---- what the tests ask ---- */

static memmodel_chain *
chain_of(memmodel_context *context, int64_t output, const struct memmodel_chain_block *blocks, size_t count)
{
    memmodel_chain *chain;

    assert_int_equal(memmodel_chain_new(context, output, &chain), 0);
    for (size_t i = 0; i < count; i++) {
        struct memmodel_chain_block block = blocks[i];

        block.size = sizeof block;
        assert_int_equal(memmodel_chain_add_block(chain, &block), 0);
    }
    return chain;
}

static struct memmodel_chain_result
result_of(const memmodel_chain *chain)
{
    struct memmodel_chain_result result = {.size = sizeof result};

    assert_int_equal(memmodel_chain_get_result(chain, &result), 0);
    return result;
}

static int
try(memmodel_chain *chain, int64_t budget, int64_t slots)
{
    const struct memmodel_chain_options options = {.size = sizeof options, .budget = budget, .slots = slots};

    return memmodel_chain_solve(chain, &options);
}

static struct memmodel_chain_result
solve(memmodel_chain *chain, int64_t budget, int64_t slots)
{
    assert_int_equal(try(chain, budget, slots), 0);
    return result_of(chain);
}

static struct memmodel_chain_step
step_of(const memmodel_chain *chain, size_t index)
{
    struct memmodel_chain_step step = {.size = sizeof step};

    assert_int_equal(memmodel_chain_get_step(chain, index, &step), 0);
    return step;
}

/* A small generator of its own, so that the cases are the same everywhere. */
static int64_t
draw(uint64_t *state, int64_t min, int64_t max)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return min + (int64_t)((*state >> 33) % (uint64_t)(max - min + 1));
}

/* ---- uniform chains ---- */

static int64_t
binomial(int64_t n, int64_t k)
{
    int64_t result = 1;

    for (int64_t i = 1; i <= k; i++)
        result = result * (n - k + i) / i;
    return n < 0 ? 0 : result;
}

/*
 * Least number of forward steps that reverses `steps` steps with `checkpoints` checkpoints, the first state among them,
 * besides the one with which each step is recorded. A. Griewank, A. Walther, "Algorithm 799: Revolve", Proposition 1.
 */
static int64_t
forward_steps(int64_t steps, int64_t checkpoints)
{
    int64_t repeats = 0;

    while (binomial(checkpoints + repeats, checkpoints) < steps)
        repeats++;
    return repeats * steps - (repeats ? binomial(checkpoints + repeats, checkpoints + 1) : 0);
}

/* What a step records is so large that there is room for that of one step only, and for so many checkpoints. */
static void
uniform_chains_agree_with_the_binomial_optimum(void **state)
{
    enum { RECORD = 1000 };

    for (int64_t steps = 1; steps <= 30; steps++) {
        memmodel_chain *chain;

        assert_int_equal(memmodel_chain_new(*state, 1, &chain), 0);
        for (int64_t i = 0; i < steps; i++)
            assert_int_equal(
                memmodel_chain_add_block(chain, &(struct memmodel_chain_block){sizeof(struct memmodel_chain_block),
                                                                               NULL, 1, RECORD, 0, 0, 1, 0}),
                0);
        for (int64_t checkpoints = 1; checkpoints <= 7; checkpoints++) {
            int64_t budget = checkpoints + RECORD + 3; /* the state at hand, the gradients that come in and go out */
            int64_t min = steps + forward_steps(steps, checkpoints);

            assert_true(solve(chain, budget, budget).cost == (double)min);
        }
        memmodel_chain_unref(chain);
    }
}

static void
the_formula_for_uniform_chains_counts_as_by_hand(void **state)
{
    (void)state;
    assert_int_equal(forward_steps(1, 1), 0);
    assert_int_equal(forward_steps(4, 1), 3 + 2 + 1);
    assert_int_equal(forward_steps(3, 2), 2); /* over two, each kept */
    assert_int_equal(forward_steps(4, 2), 3 + 1);
    assert_int_equal(forward_steps(10, 3), 15); /* Griewank & Walther, figure 1: 10 steps with 3 snapshots */
}

/* ---- all schedules of small chains ---- */

enum { MAX = 4, NONE = MAX + 1 };

/*
 * All that a schedule may have in memory between two steps: kept inputs and what is saved, as bits; the newest output
 * if nobody has taken it; and how far backward it is.
 */
struct state {
    unsigned kept, saved;
    int fresh, gradient;
};

struct exhaustive {
    const struct memmodel_chain_block *blocks;
    int count;
    int64_t output, budget;
    double best[16][32][MAX + 2][MAX + 1]; /* saved, kept, fresh, gradient */
    bool changed;
};

static int64_t
input_of(const struct exhaustive *all, int block)
{
    return block < all->count ? all->blocks[block].input_bytes : all->output;
}

static int64_t
bytes_of(const struct exhaustive *all, const struct state *state)
{
    int64_t bytes = input_of(all, state->gradient);

    for (int i = 0; i < all->count; i++) {
        bool within = i > 0 && state->saved >> (i - 1) & 1;

        bytes += state->saved >> i & 1 ? all->blocks[i].saved_bytes : 0;
        bytes += state->kept >> i & 1 && !within ? all->blocks[i].input_bytes : 0;
    }
    return bytes + (state->fresh != NONE ? input_of(all, state->fresh) : 0);
}

static double *
cost_of(struct exhaustive *all, const struct state *state)
{
    return &all->best[state->saved][state->kept][state->fresh][state->gradient];
}

static void
reach(struct exhaustive *all, const struct state *from, const struct state *to, int64_t extra, double cost)
{
    double total = *cost_of(all, from) + cost;

    if (bytes_of(all, to) + extra > all->budget || total >= *cost_of(all, to))
        return;
    *cost_of(all, to) = total;
    all->changed = true;
}

static void
try_forward(struct exhaustive *all, const struct state *now, int block)
{
    const struct memmodel_chain_block *is = &all->blocks[block];
    struct state to = *now;

    if (block >= all->count || (now->fresh != block && !(now->kept >> block & 1)))
        return;
    to.fresh = block + 1;
    if (now->fresh == block)
        reach(all, now, &to, is->input_bytes + is->forward_workspace_bytes,
              is->forward_cost); /* its input goes when it is done */
    to.kept |= 1u << block;
    reach(all, now, &to, is->forward_workspace_bytes, is->forward_cost);
    if (now->saved >> block & 1)
        return;
    to.fresh = NONE;
    to.saved |= 1u << block;
    to.kept |= block + 1 < all->count ? 2u << block : 0;
    reach(all, now, &to, is->forward_workspace_bytes, is->forward_cost);
}

static void
try_backward(struct exhaustive *all, const struct state *now)
{
    int block = now->gradient - 1;
    const struct memmodel_chain_block *is = &all->blocks[block];
    struct state to = *now, during = *now;

    if (!(now->saved >> block & 1) || !(now->kept >> block & 1))
        return;
    to.fresh = during.fresh = NONE;
    to.saved &= ~(1u << block);
    to.kept &= ~(3u << block);
    to.gradient = block;
    if (bytes_of(all, &during) + is->input_bytes + is->backward_workspace_bytes <= all->budget)
        reach(all, now, &to, 0, is->backward_cost);
}

static void
try_all(struct exhaustive *all)
{
    struct state now;

    all->changed = false;
    for (now.saved = 0; now.saved < 16; now.saved++)
        for (now.kept = 0; now.kept < 32; now.kept++)
            for (now.fresh = 0; now.fresh <= NONE; now.fresh++)
                for (now.gradient = 1; now.gradient <= all->count; now.gradient++) {
                    if (!isfinite(*cost_of(all, &now)))
                        continue;
                    for (int i = 0; i < all->count; i++)
                        try_forward(all, &now, i);
                    try_backward(all, &now);
                }
}

/* The least cost of any schedule that keeps its checkpoints until the backward pass; INFINITY: none fits. */
static double
least_cost(const struct memmodel_chain_block *blocks, int count, int64_t output, int64_t budget)
{
    static struct exhaustive all;
    double best = INFINITY, *costs = &all.best[0][0][0][0];

    all.blocks = blocks;
    all.count = count;
    all.output = output;
    all.budget = budget;
    for (size_t i = 0; i < sizeof all.best / sizeof *costs; i++)
        costs[i] = INFINITY;
    *cost_of(&all, &(struct state){1, 0, NONE, count}) = 0;
    do
        try_all(&all);
    while (all.changed);
    for (int fresh = 0; fresh <= NONE; fresh++)
        for (unsigned kept = 0; kept < 32; kept++)
            for (unsigned saved = 0; saved < 16; saved++)
                best = fmin(best, *cost_of(&all, &(struct state){kept, saved, fresh, 0}));
    return best;
}

static int
draw_blocks(uint64_t *state, struct memmodel_chain_block *blocks, int64_t *output)
{
    int count = (int)draw(state, 1, MAX);

    *output = draw(state, 0, 3);
    for (int i = count - 1; i >= 0; i--) {
        int64_t makes = i + 1 < count ? blocks[i + 1].input_bytes : *output;

        blocks[i] = (struct memmodel_chain_block){
            .input_bytes = draw(state, 0, 5),
            .saved_bytes = makes + draw(state, 0, 6),
            .forward_workspace_bytes = draw(state, 0, 3),
            .backward_workspace_bytes = draw(state, 0, 3),
            .forward_cost = (double)draw(state, 1, 9),
            .backward_cost = (double)draw(state, 1, 9),
        };
    }
    return count;
}

static void
small_chains_cost_no_more_than_any_schedule(void **state)
{
    uint64_t seed = 2352969;
    int solved = 0;

    for (int i = 0; i < 60; i++) {
        struct memmodel_chain_block blocks[MAX];
        int64_t output, budget;
        int count = draw_blocks(&seed, blocks, &output);
        memmodel_chain *chain = chain_of(*state, output, blocks, (size_t)count);

        for (budget = 4; budget <= 44; budget += 2) {
            double min = least_cost(blocks, count, output, budget);

            if (isfinite(min)) {
                assert_true(solve(chain, budget, budget).cost == min);
                assert_true(result_of(chain).peak <= budget);
                solved++;
            } else {
                assert_true(solve(chain, budget, budget).peak > budget);
                assert_int_equal(result_of(chain).status, MEMMODEL_SEARCH_STATUS_INFEASIBLE);
            }
        }
        memmodel_chain_unref(chain);
    }
    assert_true(solved > 500);
}

/* ---- slots and budgets ---- */

static void
draw_chain(uint64_t *seed, memmodel_chain *chain, int64_t count)
{
    int64_t input = draw(seed, 1, 1000000);

    for (int64_t i = 0; i < count; i++) {
        int64_t next = draw(seed, 1, 1000000);
        struct memmodel_chain_block block = {
            .size = sizeof block,
            .input_bytes = input,
            .saved_bytes = 1000000 + draw(seed, 0, 3000000),
            .forward_workspace_bytes = draw(seed, 0, 500000),
            .backward_workspace_bytes = draw(seed, 0, 500000),
            .forward_cost = (double)draw(seed, 1, 100),
            .backward_cost = (double)draw(seed, 1, 200),
        };

        assert_int_equal(memmodel_chain_add_block(chain, &block), 0);
        input = next;
    }
}

static void
no_schedule_takes_more_than_its_budget_whatever_the_slots(void **state)
{
    uint64_t seed = 7;

    for (int i = 0; i < 10; i++) {
        memmodel_chain *chain;
        int64_t min;

        assert_int_equal(memmodel_chain_new(*state, 4, &chain), 0);
        draw_chain(&seed, chain, 12);
        min = solve(chain, INT64_MAX, 0).min_peak;
        for (int64_t slots = 1; slots <= 1000; slots *= 3)
            for (int64_t budget = min; budget < 5 * min; budget += min / 3)
                assert_in_range(solve(chain, budget, slots).peak, 1, budget);
        memmodel_chain_unref(chain);
    }
}

static void
more_memory_never_costs_more(void **state)
{
    uint64_t seed = 11;
    memmodel_chain *chain;
    struct memmodel_chain_result result;
    double before = INFINITY;

    assert_int_equal(memmodel_chain_new(*state, 4, &chain), 0);
    draw_chain(&seed, chain, 20);
    result = solve(chain, INT64_MAX, 0);
    for (int64_t budget = result.min_peak; budget <= result.max_peak; budget += result.min_peak / 4) {
        double cost = solve(chain, budget, 2000).cost;

        assert_true(cost <= before);
        before = cost;
    }
    assert_true(before >= result.min_cost);
    memmodel_chain_unref(chain);
}

static void
a_budget_that_holds_all_computes_nothing_twice(void **state)
{
    uint64_t seed = 3;
    memmodel_chain *chain;
    struct memmodel_chain_result result;

    assert_int_equal(memmodel_chain_new(*state, 4, &chain), 0);
    draw_chain(&seed, chain, 9);
    result = solve(chain, INT64_MAX, 0);
    assert_true(result.cost == result.min_cost);
    assert_int_equal(result.peak, result.max_peak);
    assert_int_equal(memmodel_chain_step_count(chain), 18);
    memmodel_chain_unref(chain);
}

/*
 * Three blocks of 10 bytes, of which the second uses 100 while it runs backward: 1 + 10 + 1 + 1 + 100, and its input.
 */
static void
a_budget_below_the_least_peak_gets_the_schedule_of_that_peak(void **state)
{
    const struct memmodel_chain_block blocks[] = {
        {.name = "stem", .input_bytes = 1, .saved_bytes = 10, .forward_cost = 1},
        {.name = "wide", .input_bytes = 1, .saved_bytes = 10, .backward_workspace_bytes = 100, .forward_cost = 1},
        {.name = "head", .input_bytes = 1, .saved_bytes = 10, .forward_cost = 1},
    };
    memmodel_chain *chain = chain_of(*state, 1, blocks, 3);
    int64_t min = 1 + 1 + 10 + 1 + 1 + 100; /* both inputs, what is saved, both gradients */

    assert_int_equal(solve(chain, min, 0).peak, min);
    assert_int_equal(result_of(chain).min_peak, min);
    assert_int_equal(result_of(chain).status, MEMMODEL_SEARCH_STATUS_OPTIMAL);
    assert_int_equal(solve(chain, min - 1, 0).status, MEMMODEL_SEARCH_STATUS_INFEASIBLE);
    assert_int_equal(result_of(chain).peak, min);
    assert_int_equal(result_of(chain).min_peak, min);
    memmodel_chain_unref(chain);
}

/* ---- steps ---- */

/* Room for what one of two blocks saves: the second is done first, then the first again. */
static void
steps_are_in_the_order_in_which_they_run(void **state)
{
    static const int expected[][2] = {{MEMMODEL_CHAIN_OPERATION_FORWARD_CHECKPOINT, 0},
                                      {MEMMODEL_CHAIN_OPERATION_FORWARD_SAVE_ALL, 1},
                                      {MEMMODEL_CHAIN_OPERATION_BACKWARD, 1},
                                      {MEMMODEL_CHAIN_OPERATION_FORWARD_SAVE_ALL, 0},
                                      {MEMMODEL_CHAIN_OPERATION_BACKWARD, 0}};
    const struct memmodel_chain_block blocks[] = {
        {.input_bytes = 1, .saved_bytes = 10, .forward_cost = 1, .backward_cost = 2},
        {.input_bytes = 1, .saved_bytes = 10, .forward_cost = 1, .backward_cost = 2},
    };
    memmodel_chain *chain = chain_of(*state, 1, blocks, 2);

    assert_true(solve(chain, 15, 0).cost == 1 + 1 + 2 + 1 + 2);
    assert_int_equal(memmodel_chain_step_count(chain), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(step_of(chain, i).operation, expected[i][0]);
        assert_int_equal(step_of(chain, i).block, expected[i][1]);
    }
    assert_int_equal(step_of(chain, 0).live, 1 + 1 + 1);      /* the input, the output, the gradient that waits */
    assert_int_equal(step_of(chain, 1).peak, 1 + 1 + 1 + 10); /* the output is among what is saved */
    assert_int_equal(step_of(chain, 2).peak, 1 + 1 + 1 + 10 + 1);
    assert_int_equal(step_of(chain, 2).live, 1 + 1);
    assert_int_equal(step_of(chain, 4).live, 1);
    assert_int_equal(memmodel_chain_get_step(chain, 5, &(struct memmodel_chain_step){.size = sizeof(int64_t) * 8}),
                     MEMMODEL_ERROR_INVALID_ARGUMENT);
    memmodel_chain_unref(chain);
}

static void
verify_these(memmodel_chain *chain, const struct chain_step *steps, size_t count, int expected, const char *why)
{
    struct chain_step own[8];
    struct chain_schedule schedule = {own, count, count};
    int64_t peak;
    double cost;

    memcpy(own, steps, count * sizeof *steps);
    if (expected)
        assert_error(chain->context, chain_verify(chain, &schedule, &peak, &cost), expected, why);
    else
        assert_int_equal(chain_verify(chain, &schedule, &peak, &cost), 0);
}

static void
schedules_that_do_not_run_are_not_verified(void **state)
{
    enum { FORWARD, KEEP, SAVE, BACKWARD, WRONG = MEMMODEL_ERROR_INVALID_ARGUMENT };
    const struct memmodel_chain_block blocks[] = {{.input_bytes = 1, .saved_bytes = 10},
                                                  {.input_bytes = 1, .saved_bytes = 10}};
    memmodel_chain *chain = chain_of(*state, 1, blocks, 2);

#define VERIFY(expected, why, ...)                                                                                     \
    verify_these(chain, (struct chain_step[]){__VA_ARGS__},                                                            \
                 sizeof(struct chain_step[]){__VA_ARGS__} / sizeof(struct chain_step), expected, why)
    VERIFY(0, "", {SAVE, 0, 0, 0}, {SAVE, 1, 0, 0}, {BACKWARD, 1, 0, 0}, {BACKWARD, 0, 0, 0});
    VERIFY(WRONG, "its input", {SAVE, 1, 0, 0});
    VERIFY(WRONG, "may go", {FORWARD, 0, 0, 0});
    VERIFY(WRONG, "the gradient", {SAVE, 0, 0, 0}, {BACKWARD, 0, 0, 0});
    VERIFY(WRONG, "save for its", {KEEP, 0, 0, 0}, {FORWARD, 1, 0, 0}, {BACKWARD, 1, 0, 0});
    VERIFY(WRONG, "its backward pass", {KEEP, 0, 0, 0}, {SAVE, 1, 0, 0}, {BACKWARD, 1, 0, 0});
    VERIFY(WRONG, "block 0", {KEEP, 0, 0, 0}, {SAVE, 1, 0, 0}, {BACKWARD, 1, 0, 0}, {BACKWARD, 0, 0, 0});
#undef VERIFY
    memmodel_chain_unref(chain);
}

/* ---- bad input ---- */

static void
add_refused(memmodel_chain *chain, struct memmodel_chain_block block, int status, const char *why)
{
    block.size = sizeof block;
    assert_error(chain->context, memmodel_chain_add_block(chain, &block), status, why);
}

static void
bad_blocks_are_refused(void **state)
{
    typedef struct memmodel_chain_block block;
    memmodel_chain *chain = chain_of(*state, 1, &(block){.input_bytes = 1, .saved_bytes = 10}, 1);
    const int wrong = MEMMODEL_ERROR_INVALID_ARGUMENT;

    add_refused(chain, (block){.name = "b", .input_bytes = -1}, wrong, "negative");
    add_refused(chain, (block){.saved_bytes = -1}, wrong, "block 1");
    add_refused(chain, (block){.forward_cost = -1}, wrong, "costs");
    add_refused(chain, (block){.backward_cost = NAN}, wrong, "costs");
    add_refused(chain, (block){.forward_cost = INFINITY}, wrong, "finite");
    add_refused(chain, (block){.input_bytes = 11, .saved_bytes = 11}, wrong, "block 0");
    add_refused(chain, (block){.saved_bytes = INT64_MAX}, MEMMODEL_ERROR_OVERFLOW, "together");
    assert_int_equal(memmodel_chain_add_block(NULL, NULL), wrong);
    assert_int_equal(memmodel_chain_add_block(chain, NULL), wrong);
    memmodel_chain_unref(chain);
}

static void
chains_that_cannot_be_solved_say_why(void **state)
{
    memmodel_chain *chain = NULL, *none = NULL;
    const struct memmodel_chain_block block = {
        .size = sizeof block, .name = "last", .input_bytes = 1, .saved_bytes = 10};
    const int wrong = MEMMODEL_ERROR_INVALID_ARGUMENT;

    assert_error(*state, memmodel_chain_new(*state, -1, &none), wrong, "-1");
    assert_null(none);
    assert_int_equal(memmodel_chain_new(*state, 11, &chain), 0);
    assert_error(*state, try(chain, 100, 0), wrong, "at least one block");
    assert_int_equal(memmodel_chain_add_block(chain, &block), 0);
    assert_error(*state, try(chain, 100, 0), wrong, "last");
    assert_error(*state, try(chain, 100, -1), wrong, "slots");
    assert_error(*state, try(chain, 100, 100001), wrong, "100001");
    assert_int_equal(try(NULL, 100, 0), wrong);
    assert_int_equal(result_of(chain).peak, 0);
    assert_int_equal(memmodel_chain_step_count(chain), 0);
    memmodel_chain_unref(chain);
    memmodel_chain_unref(NULL);
}

static int
solve_a_chain(memmodel_context *context)
{
    const struct memmodel_chain_block block = {
        .size = sizeof block, .input_bytes = 1, .saved_bytes = 10, .forward_cost = 1};
    memmodel_chain *chain;
    int status = memmodel_chain_new(context, 1, &chain);

    if (status)
        return status;
    for (int i = 0; i < 3 && !status; i++)
        status = memmodel_chain_add_block(chain, &block);
    if (!status)
        status = try(chain, 20, 0);
    if (!status)
        status = try(chain, 15, 1); /* in bytes: no slots would do */
    memmodel_chain_unref(chain);
    return status;
}

static void
a_failing_allocation_anywhere_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    assert_survives_failing_allocations(solve_a_chain);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(uniform_chains_agree_with_the_binomial_optimum),
        WITH_CONTEXT(the_formula_for_uniform_chains_counts_as_by_hand),
        WITH_CONTEXT(small_chains_cost_no_more_than_any_schedule),
        WITH_CONTEXT(no_schedule_takes_more_than_its_budget_whatever_the_slots),
        WITH_CONTEXT(more_memory_never_costs_more),
        WITH_CONTEXT(a_budget_that_holds_all_computes_nothing_twice),
        WITH_CONTEXT(a_budget_below_the_least_peak_gets_the_schedule_of_that_peak),
        WITH_CONTEXT(steps_are_in_the_order_in_which_they_run),
        WITH_CONTEXT(schedules_that_do_not_run_are_not_verified),
        WITH_CONTEXT(bad_blocks_are_refused),
        WITH_CONTEXT(chains_that_cannot_be_solved_say_why),
        WITH_CONTEXT(a_failing_allocation_anywhere_is_reported_and_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
