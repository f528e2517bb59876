/*
 * Plans of small random tables against all plans there are: an optimum is one of the plans that put the buffers in some
 * order, each at the lowest offset that is free, since pushing all of an optimal plan down leaves such a one.
 */
#include "base/splitmix.h"
#include "plan/rules.h"
#include "../unit/check.h"

#include <stdio.h>

enum { MAX_BUFFERS = 6, TABLES = 400, TIMES = 6 };

struct random {
    uint64_t state;
};

static int64_t
draw(struct random *random, int64_t below)
{
    random->state += SPLITMIX_STEP;
    return (int64_t)(splitmix(random->state) % (uint64_t)below);
}

struct life {
    int64_t lower, upper, gap_begin, gap_end;
};

/* With at most one other buffer in it. */
struct buffer {
    struct life life, part_life;
    int64_t bytes, alignment, fixed, part_bytes, displacement; /* no part: of no bytes */
};

struct table {
    struct buffer buffers[MAX_BUFFERS];
    int count;
};

/* What kinds of buffers a table has: bits. */
enum { ALIGNED = 1, FIXED = 2, GAPS = 4, SHARED = 8 };

static struct life
random_life(struct random *random, unsigned kinds)
{
    struct life life = {.lower = draw(random, TIMES)};

    life.upper = life.lower + 1 + draw(random, TIMES);
    if (kinds & GAPS && life.upper - life.lower > 2 && draw(random, 2)) {
        life.gap_begin = life.lower + 1 + draw(random, life.upper - life.lower - 2);
        life.gap_end = life.gap_begin + 1 + draw(random, life.upper - 1 - life.gap_begin);
    }
    return life;
}

static struct table
random_table(struct random *random, unsigned kinds)
{
    struct table table = {.count = 2 + (int)draw(random, MAX_BUFFERS - 1)};

    for (int i = 0; i < table.count; i++) {
        struct buffer *b = &table.buffers[i];

        b->life = random_life(random, kinds);
        b->bytes = 1 + draw(random, 9);
        b->alignment = kinds & ALIGNED ? INT64_C(1) << draw(random, 3) : 1;
        b->fixed = -1;
        if (kinds & SHARED && draw(random, 2)) {
            b->part_life = random_life(random, kinds);
            b->part_bytes = 1 + draw(random, 9);
            b->displacement = b->alignment * draw(random, 3);
        }
    }
    if (kinds & FIXED)
        table.buffers[0].fixed = table.buffers[0].alignment * draw(random, 5);
    return table;
}

static int
is_in_gap(const struct life *life, int64_t time)
{
    return time >= life->gap_begin && time < life->gap_end;
}

static int
is_needed(const struct life *life, int64_t time)
{
    return time >= life->lower && time < life->upper && !is_in_gap(life, time);
}

/* Between two lives it is kept, in a gap of one only for the other. */
static int
is_in_use(const struct buffer *b, int64_t time)
{
    const struct life *life = &b->life, *part = &b->part_life;

    if (is_needed(life, time))
        return 1;
    if (!b->part_bytes)
        return 0;
    if (is_needed(part, time))
        return 1;
    if (is_in_gap(life, time) || is_in_gap(part, time))
        return 0;
    return (time >= life->upper && time < part->lower) || (time >= part->upper && time < life->lower);
}

static int64_t
end_of(const struct buffer *b, int64_t offset)
{
    int64_t part_end = b->part_bytes ? b->displacement + b->part_bytes : 0;

    return offset + (b->bytes > part_end ? b->bytes : part_end);
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
            offset < end_of(&table->buffers[k], offsets[k]) && offsets[k] < end_of(&table->buffers[item], offset))
            return 1;
    return 0;
}

/* Least peak of all orders in which the rest is placed on top of what is. */
static int64_t
min_peak(const struct table *table, int64_t *offsets, unsigned placed, int64_t peak)
{
    int64_t best = INT64_MAX;

    if (placed == (1u << table->count) - 1)
        return peak;
    for (int i = 0; i < table->count; i++) {
        int64_t offset = 0, end, min;

        if (placed >> i & 1)
            continue;
        while (collides(table, offsets, placed, i, offset))
            offset += table->buffers[i].alignment;
        offsets[i] = offset;
        end = end_of(&table->buffers[i], offset);
        min = min_peak(table, offsets, placed | 1u << i, end > peak ? end : peak);
        best = min < best ? min : best;
    }
    return best;
}

static int64_t
optimum(const struct table *table)
{
    int64_t offsets[MAX_BUFFERS];
    const struct buffer *first = &table->buffers[0];

    if (first->fixed < 0)
        return min_peak(table, offsets, 0, 0);
    offsets[0] = first->fixed;
    return min_peak(table, offsets, 1, end_of(first, first->fixed));
}

static void
add_gap(memmodel_plan *plan, size_t buffer, const struct life *life)
{
    if (life->gap_end)
        assert_int_equal(memmodel_plan_add_gap(plan, buffer, life->gap_begin, life->gap_end), 0);
}

/* In the last buffer of the plan. */
static void
add_part(memmodel_plan *plan, const struct buffer *b)
{
    const struct memmodel_plan_buffer part = {
        .size = sizeof part, .bytes = b->part_bytes, .lower = b->part_life.lower, .upper = b->part_life.upper};
    size_t number = memmodel_plan_buffer_count(plan);

    assert_int_equal(memmodel_plan_add_buffer(plan, &part), 0);
    assert_int_equal(memmodel_plan_add_alias(plan, number, number - 1, b->displacement), 0);
    add_gap(plan, number, &b->part_life);
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
                                                    .lower = b->life.lower,
                                                    .upper = b->life.upper,
                                                    .alignment = b->alignment,
                                                    .fixed = b->fixed >= 0,
                                                    .offset = b->fixed >= 0 ? b->fixed : 0};

        assert_int_equal(memmodel_plan_add_buffer(plan, &buffer), 0);
        add_gap(plan, memmodel_plan_buffer_count(plan) - 1, &b->life);
        if (b->part_bytes)
            add_part(plan, b);
    }
    return plan;
}

static void
check_plan(const struct table *table, const memmodel_plan *plan)
{
    int64_t offsets[MAX_BUFFERS];
    size_t number = 0;

    for (int i = 0; i < table->count; i++, number++) {
        struct memmodel_plan_buffer place = {.size = sizeof place}, part = {.size = sizeof part};

        assert_int_equal(memmodel_plan_get_buffer(plan, number, &place), 0);
        offsets[i] = place.offset;
        assert_int_equal(place.offset % table->buffers[i].alignment, 0);
        assert_true(table->buffers[i].fixed < 0 || table->buffers[i].fixed == place.offset);
        if (table->buffers[i].part_bytes) {
            assert_int_equal(memmodel_plan_get_buffer(plan, ++number, &part), 0);
            assert_int_equal(part.offset, place.offset + table->buffers[i].displacement);
        }
        assert_false(collides(table, offsets, (1u << i) - 1, i, place.offset));
    }
}

static void
print_life(const struct life *life)
{
    print_error("%d,%d,", (int)life->lower, (int)life->upper);
    print_error(life->gap_end ? "%d-%d," : ",", (int)life->gap_begin, (int)life->gap_end);
}

static void
print_table(const struct table *table)
{
    print_error("id,lower,upper,gaps,size,alignment,offset,shares\n");
    for (int i = 0; i < table->count; i++) {
        const struct buffer *b = &table->buffers[i];

        print_error("%d,", i);
        print_life(&b->life);
        print_error("%d,%d,", (int)b->bytes, (int)b->alignment);
        print_error(b->fixed >= 0 ? "%d,\n" : ",\n", (int)b->fixed);
        if (!b->part_bytes)
            continue;
        print_error("part of %d,", i);
        print_life(&b->part_life);
        print_error("%d,,,%d+%d\n", (int)b->part_bytes, i, (int)b->displacement);
    }
}

static void
check_optimum(memmodel_context *context, const struct table *table, uint64_t without)
{
    memmodel_plan *plan = plan_of(context, table);
    int64_t min = optimum(table);
    struct memmodel_plan_options options = {.size = sizeof options};
    struct memmodel_plan_result result = {.size = sizeof result};

    plan_leave_out(plan, without);
    assert_int_equal(memmodel_plan_solve(plan, &options), 0);
    assert_int_equal(memmodel_plan_get_result(plan, &result), 0);
    if (result.peak != min || result.status != MEMMODEL_SEARCH_STATUS_OPTIMAL) {
        print_table(table);
        fail_msg("%s with %lld bytes, without rules %llu, where the least is %lld",
                 memmodel_search_status_name(result.status), (long long)result.peak, (unsigned long long)without,
                 (long long)min);
    }
    assert_int_equal(result.lower_bound, min);
    check_plan(table, plan);
    options.budget = min - 1;                                     /* 0: none */
    if (options.budget && !memmodel_plan_solve(plan, &options)) { /* else the largest buffer is too large */
        assert_int_equal(memmodel_plan_get_result(plan, &result), 0);
        assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_INFEASIBLE);
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
    for (unsigned kinds = 0; kinds < 16; kinds++)
        check_tables(*state, kinds, 0);
}

static void
no_rule_of_the_search_is_needed_to_be_right(void **state)
{
    for (uint64_t rule = 1; rule <= PLAN_RULE_RESTART; rule *= 2) {
        check_tables(*state, 0, rule | PLAN_RULE_PREORDERING);
        check_tables(*state, ALIGNED | FIXED | GAPS | SHARED, rule | PLAN_RULE_PREORDERING);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(small_tables_are_solved_to_the_optimum_whatever_their_kinds),
        WITH_CONTEXT(no_rule_of_the_search_is_needed_to_be_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
