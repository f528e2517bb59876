/*
 * Plans of small random tables against all plans there are: an optimum is one of the plans that put the buffers in some
 * order, each at the lowest offset that is free, since pushing all of an optimal plan down leaves such a one.
 */
#include "base/splitmix.h"
#include "../unit/check.h"

#include <stdio.h>

enum { MOST_BUFFERS = 6, TABLES = 400, TIMES = 6 };

struct random {
    uint64_t state;
};

static int64_t
draw(struct random *random, int64_t below)
{
    random->state += SPLITMIX_STEP;
    return (int64_t)(splitmix(random->state) % (uint64_t)below);
}

struct buffer {
    int64_t lower, upper, bytes, alignment, fixed, gap_begin, gap_end;
};

struct table {
    struct buffer buffers[MOST_BUFFERS];
    int count;
};

/* What kinds of buffers a table has: bits. */
enum { ALIGNED = 1, FIXED = 2, GAPS = 4 };

static struct table
random_table(struct random *random, unsigned kinds)
{
    struct table table = {.count = 2 + (int)draw(random, MOST_BUFFERS - 1)};

    for (int i = 0; i < table.count; i++) {
        struct buffer *b = &table.buffers[i];

        b->lower = draw(random, TIMES);
        b->upper = b->lower + 1 + draw(random, TIMES);
        b->bytes = 1 + draw(random, 9);
        b->alignment = kinds & ALIGNED ? INT64_C(1) << draw(random, 3) : 1;
        b->fixed = -1;
        if (kinds & GAPS && b->upper - b->lower > 2 && draw(random, 2)) {
            b->gap_begin = b->lower + 1 + draw(random, b->upper - b->lower - 2);
            b->gap_end = b->gap_begin + 1 + draw(random, b->upper - 1 - b->gap_begin);
        }
    }
    if (kinds & FIXED)
        table.buffers[0].fixed = table.buffers[0].alignment * draw(random, 5);
    return table;
}

static int
is_in_use(const struct buffer *b, int64_t time)
{
    return time >= b->lower && time < b->upper && !(time >= b->gap_begin && time < b->gap_end);
}

static int
meet(const struct buffer *a, const struct buffer *b)
{
    for (int64_t time = 0; time < 2 * TIMES; time++)
        if (is_in_use(a, time) && is_in_use(b, time))
            return 1;
    return 0;
}

static int
collides(const struct table *table, const int64_t *offsets, unsigned placed, int item, int64_t offset)
{
    for (int k = 0; k < table->count; k++)
        if (placed >> k & 1 && meet(&table->buffers[k], &table->buffers[item]) &&
            offset < offsets[k] + table->buffers[k].bytes && offsets[k] < offset + table->buffers[item].bytes)
            return 1;
    return 0;
}

/* Least peak of all orders in which the rest is placed on top of what is. */
static int64_t
least_peak(const struct table *table, int64_t *offsets, unsigned placed, int64_t peak)
{
    int64_t best = INT64_MAX;

    if (placed == (1u << table->count) - 1)
        return peak;
    for (int i = 0; i < table->count; i++) {
        int64_t offset = 0, end, least;

        if (placed >> i & 1)
            continue;
        while (collides(table, offsets, placed, i, offset))
            offset += table->buffers[i].alignment;
        offsets[i] = offset;
        end = offset + table->buffers[i].bytes;
        least = least_peak(table, offsets, placed | 1u << i, end > peak ? end : peak);
        best = least < best ? least : best;
    }
    return best;
}

static int64_t
optimum(const struct table *table)
{
    int64_t offsets[MOST_BUFFERS];
    const struct buffer *first = &table->buffers[0];

    if (first->fixed < 0)
        return least_peak(table, offsets, 0, 0);
    offsets[0] = first->fixed;
    return least_peak(table, offsets, 1, first->fixed + first->bytes);
}

static memmodel_plan *
plan_of(memmodel_context *context, const struct table *table)
{
    memmodel_plan *plan;

    assert_int_equal(memmodel_plan_new(context, &plan), 0);
    for (int i = 0; i < table->count; i++) {
        const struct buffer *b = &table->buffers[i];
        const struct memmodel_plan_buffer buffer = {.size = sizeof buffer,
                                                    .bytes = b->bytes,
                                                    .lower = b->lower,
                                                    .upper = b->upper,
                                                    .alignment = b->alignment,
                                                    .fixed = b->fixed >= 0,
                                                    .offset = b->fixed >= 0 ? b->fixed : 0};

        assert_int_equal(memmodel_plan_add(plan, &buffer), 0);
        if (b->gap_end)
            assert_int_equal(memmodel_plan_gap(plan, (size_t)i, b->gap_begin, b->gap_end), 0);
    }
    return plan;
}

static void
check_plan(const struct table *table, const memmodel_plan *plan)
{
    int64_t offsets[MOST_BUFFERS];

    for (int i = 0; i < table->count; i++) {
        struct memmodel_plan_place place = {.size = sizeof place};

        assert_int_equal(memmodel_plan_place(plan, (size_t)i, &place), 0);
        offsets[i] = place.offset;
        assert_int_equal(place.offset % table->buffers[i].alignment, 0);
        assert_true(table->buffers[i].fixed < 0 || table->buffers[i].fixed == place.offset);
        assert_false(collides(table, offsets, (1u << i) - 1, i, place.offset));
    }
}

static void
print_table(const struct table *table)
{
    print_error("id,lower,upper,size,alignment,offset,gaps\n");
    for (int i = 0; i < table->count; i++) {
        const struct buffer *b = &table->buffers[i];

        print_error("%d,%d,%d,%d,%d,", i, (int)b->lower, (int)b->upper, (int)b->bytes, (int)b->alignment);
        print_error(b->fixed >= 0 ? "%d," : ",", (int)b->fixed);
        print_error(b->gap_end ? "%d-%d\n" : "\n", (int)b->gap_begin, (int)b->gap_end);
    }
}

static void
check_optimum(memmodel_context *context, const struct table *table, uint64_t without)
{
    memmodel_plan *plan = plan_of(context, table);
    int64_t least = optimum(table);
    struct memmodel_plan_options options = {.size = sizeof options, .without = without};
    struct memmodel_plan_result result = {.size = sizeof result};

    assert_int_equal(memmodel_plan_solve(plan, &options), 0);
    assert_int_equal(memmodel_plan_result(plan, &result), 0);
    if (result.peak != least || result.status != MEMMODEL_PLAN_OPTIMAL) {
        print_table(table);
        fail_msg("%s with %lld bytes, without rules %llu, where the least is %lld",
                 memmodel_plan_status_name(result.status), (long long)result.peak, (unsigned long long)without,
                 (long long)least);
    }
    assert_int_equal(result.lower_bound, least);
    check_plan(table, plan);
    options.capacity = least - 1;                                   /* 0: none */
    if (options.capacity && !memmodel_plan_solve(plan, &options)) { /* else the largest buffer is too large */
        assert_int_equal(memmodel_plan_result(plan, &result), 0);
        assert_int_equal(result.status, MEMMODEL_PLAN_INFEASIBLE);
    }
    memmodel_plan_unref(plan);
}

static void
check_tables(memmodel_context *context, unsigned kinds, uint64_t without)
{
    struct random random = {.state = kinds * 1000 + without};

    for (int i = 0; i < TABLES; i++) {
        struct table table = random_table(&random, kinds);

        check_optimum(context, &table, without);
    }
}

static void
small_tables_are_solved_to_the_optimum_whatever_their_kinds(void **state)
{
    for (unsigned kinds = 0; kinds < 8; kinds++)
        check_tables(*state, kinds, 0);
}

static void
no_rule_of_the_search_is_needed_to_be_right(void **state)
{
    for (uint64_t rule = 1; rule <= MEMMODEL_PLAN_RESTART; rule *= 2) {
        check_tables(*state, 0, rule | MEMMODEL_PLAN_GREEDY);
        check_tables(*state, ALIGNED | FIXED | GAPS, rule | MEMMODEL_PLAN_GREEDY);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(small_tables_are_solved_to_the_optimum_whatever_their_kinds),
        TEST(no_rule_of_the_search_is_needed_to_be_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
