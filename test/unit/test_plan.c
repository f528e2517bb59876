/* memmodel_plan: buffers, what they share, and the plans of small and of famous tables. */
#include "allocations.h"
#include "check.h"
#include "plan/profile.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- what the tests ask ---- */

static memmodel_plan *
parse(memmodel_context *context, const char *text)
{
    memmodel_plan *plan;

    assert_int_equal(memmodel_plan_from_csv(context, "buffers", text, strlen(text), &plan), 0);
    return plan;
}

static struct memmodel_plan_result
solve_within(memmodel_plan *plan, int64_t capacity, int64_t nodes)
{
    const struct memmodel_plan_options options = {.size = sizeof options, .budget = capacity, .max_nodes = nodes};
    struct memmodel_plan_result result = {.size = sizeof result};

    assert_int_equal(memmodel_plan_solve(plan, &options), 0);
    assert_int_equal(memmodel_plan_get_result(plan, &result), 0);
    return result;
}

static struct memmodel_plan_result
solve(memmodel_plan *plan)
{
    return solve_within(plan, 0, 0);
}

static struct memmodel_plan_buffer
place_of(const memmodel_plan *plan, size_t index)
{
    struct memmodel_plan_buffer place = {.size = sizeof place};

    assert_int_equal(memmodel_plan_get_buffer(plan, index, &place), 0);
    return place;
}

static int64_t
offset_of(const memmodel_plan *plan, size_t index)
{
    return place_of(plan, index).offset;
}

/* Pair by pair, as slow and plain as can be; the greatest end. */
static int64_t
checked_peak(const memmodel_plan *plan)
{
    int64_t peak = 0;

    for (size_t i = 0; i < memmodel_plan_buffer_count(plan); i++) {
        struct memmodel_plan_buffer a = place_of(plan, i);

        assert_true(a.offset >= 0);
        for (size_t k = 0; k < i; k++) {
            struct memmodel_plan_buffer b = place_of(plan, k);

            if (a.lower < b.upper && b.lower < a.upper)
                assert_true(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
        }
        peak = a.offset + a.bytes > peak ? a.offset + a.bytes : peak;
    }
    return peak;
}

/* The whole of a plan that is refused: a message with `part` in it. */
static void
assert_refused(memmodel_context *context, const char *text, int status, const char *part)
{
    memmodel_plan *plan = NULL;

    assert_error(context, memmodel_plan_from_csv(context, "buffers", text, strlen(text), &plan), status, part);
    assert_null(plan);
}

/* ---- plans ---- */

static void
buffers_that_are_never_in_use_together_share_their_memory(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size\na,0,1,100\nb,1,2,60\nc,2,3,100\n");
    struct memmodel_plan_result result = solve(plan);

    assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_OPTIMAL);
    assert_int_equal(result.peak, 100);
    assert_int_equal(result.lower_bound, 100);
    assert_int_equal(result.total_bytes, 260);
    memmodel_plan_unref(plan);
}

/* The load is 16, but 6 bytes do not fit below what is fixed at 5, so that they lie above its end: 15 + 6. */
static void
a_load_that_no_plan_reaches_is_proven_so(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size,offset\nf,0,4,10,5\nb,1,3,6,\n");
    struct memmodel_plan_result result = solve(plan);

    assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_OPTIMAL);
    assert_int_equal(result.peak, 21);
    assert_int_equal(result.lower_bound, 21);
    assert_int_equal(checked_peak(plan), result.peak);
    memmodel_plan_unref(plan);
}

static void
an_alignment_is_kept(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size,alignment\na,0,9,10,\nb,0,9,10,64\nc,0,9,10,64\n");
    struct memmodel_plan_result result = solve(plan);

    assert_int_equal(offset_of(plan, 1) % 64, 0);
    assert_int_equal(offset_of(plan, 2) % 64, 0);
    assert_int_equal(result.peak, 74); /* 64 + 10; the free 54 bytes behind the first hold a */
    memmodel_plan_unref(plan);
}

static void
what_is_fixed_stays_and_others_lie_around_it(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size,offset\nf,0,4,10,5\na,0,4,5,\nb,1,3,6,\n");
    struct memmodel_plan_result result = solve(plan);

    assert_int_equal(offset_of(plan, 0), 5);
    assert_int_equal(offset_of(plan, 1), 0);
    assert_int_equal(offset_of(plan, 2), 15);
    assert_int_equal(result.peak, 21);
    assert_int_equal(checked_peak(plan), 21);
    memmodel_plan_unref(plan);
}

static void
fixed_buffers_that_collide_are_named(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size,offset\nf,0,4,10,5\ng,3,6,10,12\n");

    assert_error(*state, memmodel_plan_solve(plan, NULL), MEMMODEL_ERROR_INVALID_ARGUMENT, "overlaps f");
    memmodel_plan_unref(plan);
}

/* While a is not needed b may have its bytes; without the gap they need 20. */
static void
a_gap_is_used_by_others(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size,gaps\na,0,9,10,2-7\nb,3,6,10,\n");

    assert_int_equal(solve(plan).peak, 10);
    memmodel_plan_unref(plan);
}

/* In place: the output takes over its input's bytes, so that the two are one buffer from 0 to 4. */
static void
buffers_that_share_their_memory_lie_at_one_place(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size,shares\nx,0,2,10,\ny,1,4,10,x\nz,1,3,5,\n");

    assert_int_equal(solve(plan).peak, 15);
    assert_int_equal(offset_of(plan, 0), offset_of(plan, 1));
    memmodel_plan_unref(plan);
}

/* x leaves its bytes from 2 to 7, but y needs them until 4: z fits in what is left of the gap, w does not. */
static void
shared_memory_is_left_to_others_where_one_has_a_gap_and_nobody_needs_it(void **state)
{
    static const char shared[] = "id,lower,upper,size,gaps,shares\nx,0,9,10,2-7,\ny,1,4,10,,x\n";
    char text[128];
    memmodel_plan *plan;

    snprintf(text, sizeof text, "%sz,4,7,10,,\n", shared);
    plan = parse(*state, text);
    assert_int_equal(solve(plan).peak, 10);
    memmodel_plan_unref(plan);

    snprintf(text, sizeof text, "%sw,3,6,10,,\n", shared);
    plan = parse(*state, text);
    assert_int_equal(solve(plan).peak, 20);
    memmodel_plan_unref(plan);
}

/* The view of x that is looked at from 5 on still has its bytes. */
static void
shared_memory_is_kept_between_two_lives(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size,shares\nx,0,2,10,\nview,5,7,10,x\nz,3,4,10,\n");

    assert_int_equal(solve(plan).peak, 20);
    memmodel_plan_unref(plan);
}

static void
a_part_that_cannot_be_aligned_is_named(void **state)
{
    memmodel_plan *plan =
        parse(*state, "id,lower,upper,size,alignment,shares\nwhole,0,2,64,,\npart,1,3,8,16,whole+24\n");

    assert_error(*state, memmodel_plan_solve(plan, NULL), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "it lies 24 bytes into another buffer, which is no multiple of its alignment, 16");
    memmodel_plan_unref(plan);
}

/* Of a whole at 0 the part that begins 64 bytes into it is at 64. */
static void
a_part_is_fixed_where_its_whole_says_or_refused(void **state)
{
    memmodel_plan *plan =
        parse(*state, "id,lower,upper,size,offset,shares\nwhole,0,4,256,0,\npart,1,3,64,128,whole+64\n");

    assert_error(*state, memmodel_plan_solve(plan, NULL), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "fixed at offsets that do not agree");
    memmodel_plan_unref(plan);
    plan = parse(*state, "id,lower,upper,size,offset,shares\nwhole,0,4,256,0,\npart,1,3,64,64,whole+64\n");
    assert_int_equal(solve(plan).peak, 256);
    memmodel_plan_unref(plan);
}

/* What is concatenated is written where the whole will be. */
static void
a_part_lies_in_its_whole(void **state)
{
    memmodel_plan *plan =
        parse(*state, "id,lower,upper,size,shares\nleft,0,3,10,whole\nright,1,3,20,whole+10\nwhole,2,5,30,\n");

    assert_int_equal(solve(plan).peak, 30);
    assert_int_equal(offset_of(plan, 1), offset_of(plan, 2) + 10);
    memmodel_plan_unref(plan);
}

static void
what_is_in_use_all_the_time_lies_at_the_bottom(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size\nw,0,9,7\na,0,4,3\nb,4,9,3\nv,0,9,2\n");
    struct memmodel_plan_result result = solve(plan);

    assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_OPTIMAL);
    assert_int_equal(result.peak, 12);
    assert_true(offset_of(plan, 1) >= 9);
    assert_int_equal(checked_peak(plan), 12);
    memmodel_plan_unref(plan);
}

static void
a_plan_of_nothing_but_whole_lives_is_their_sum(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size,alignment\nw,0,9,7,8\nv,0,9,2,8\nu,0,9,8,8\n");
    struct memmodel_plan_result result = solve(plan);

    assert_int_equal(result.peak, 18); /* v highest: 8 + 8 + 2 */
    assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_OPTIMAL);
    memmodel_plan_unref(plan);
}

/* b has its bytes behind the end of a and within the gap of c: both may lie where it does. a and c are in use together. */
static void
an_item_fits_where_its_own_times_leave_room(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size,gaps\na,0,2,10,\nb,2,4,10,\nc,0,6,10,2-4\n");
    struct problem problem;
    struct profile profile;
    int64_t offset = -1;

    assert_int_equal(problem_make(plan, &problem), 0);
    assert_int_equal(profile_make(&profile, &problem), 0);
    assert_int_equal(profile_take(&profile, &problem.items[1], 0), 0);
    assert_int_equal(profile_fit(&profile, &problem.items[0], 1, &offset), 0);
    assert_int_equal(offset, 0);
    assert_int_equal(profile_fit(&profile, &problem.items[2], 1, &offset), 0);
    assert_int_equal(offset, 0);
    assert_int_equal(profile_take(&profile, &problem.items[2], 0), 0);
    assert_int_equal(profile_fit(&profile, &problem.items[0], 1, &offset), 0);
    assert_int_equal(offset, 10);
    profile_release(&profile);
    problem_release(&problem);
    memmodel_plan_unref(plan);
}

/* ---- capacities and budgets ---- */

static memmodel_plan *
read_instance(memmodel_context *context, const char *name)
{
    char path[256];
    memmodel_plan *plan;

    snprintf(path, sizeof path, TEST_DATA "/minimalloc/%s.1048576.csv", name);
    assert_int_equal(memmodel_plan_load(context, path, &plan), 0);
    return plan;
}

static void
a_capacity_is_enough_or_proven_too_small(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size\na,0,2,4\nb,1,3,4\nc,2,4,4\n");

    assert_int_equal(solve_within(plan, 8, 0).status, MEMMODEL_SEARCH_STATUS_OPTIMAL);
    assert_int_equal(solve_within(plan, 7, 0).status, MEMMODEL_SEARCH_STATUS_INFEASIBLE);
    assert_int_equal(solve_within(plan, 7, 0).lower_bound, 8);
    memmodel_plan_unref(plan);
}

/* Its load is 986112, which is not reached here. */
static void
a_plan_within_the_capacity_need_not_be_the_least(void **state)
{
    memmodel_plan *plan = read_instance(*state, "D");

    assert_int_equal(solve_within(plan, 1500000, 0).status, MEMMODEL_SEARCH_STATUS_FEASIBLE);
    memmodel_plan_unref(plan);
}

static void
no_plan_is_within_less_than_the_largest_buffer(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size\na,0,2,4\nbig,1,3,9\n");
    const struct memmodel_plan_options options = {.size = sizeof options, .budget = 8};

    struct memmodel_plan_result result = {.size = sizeof result};

    assert_int_equal(memmodel_plan_solve(plan, &options), 0);
    assert_int_equal(memmodel_plan_get_result(plan, &result), 0);
    assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_INFEASIBLE);
    assert_int_equal(result.lower_bound, 13);
    memmodel_plan_unref(plan);
}

static int
stop_at_once(void *user, const struct memmodel_progress *progress)
{
    ++*(int *)user;
    return progress->best > 0;
}

static void
a_search_that_is_asked_to_stop_keeps_its_best_plan(void **state)
{
    int calls = 0;
    memmodel_plan *plan = read_instance(*state, "D");
    struct memmodel_plan_result result = {.size = sizeof result};

    memmodel_context_set_progress(*state, stop_at_once, &calls);
    assert_int_equal(memmodel_plan_solve(plan, NULL), 0);
    assert_int_equal(memmodel_plan_get_result(plan, &result), 0);
    assert_int_equal(calls, 1);
    assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_CANCELLED);
    assert_int_equal(checked_peak(plan), result.peak);
    memmodel_plan_unref(plan);
}

static void
a_context_whose_time_is_over_limits_the_search(void **state)
{
    const struct memmodel_limits limits = {.size = sizeof limits, .seconds = 0.005};
    memmodel_plan *plan = read_instance(*state, "D");
    struct memmodel_plan_result result = {.size = sizeof result};

    assert_int_equal(memmodel_context_set_limits(*state, &limits), 0);
    assert_int_equal(memmodel_plan_solve(plan, NULL), 0);
    assert_int_equal(memmodel_plan_get_result(plan, &result), 0);
    assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_LIMIT);
    memmodel_plan_unref(plan);
}

static void
a_used_up_budget_is_said_and_the_same_nodes_give_the_same_plan(void **state)
{
    memmodel_plan *a = read_instance(*state, "D"), *b = read_instance(*state, "D");
    struct memmodel_plan_result first = solve_within(a, 0, 5000), second = solve_within(b, 0, 5000);

    assert_int_equal(first.status, MEMMODEL_SEARCH_STATUS_LIMIT);
    assert_true(first.node_count <= 5000);
    assert_int_equal(first.node_count, second.node_count);
    assert_int_equal(first.peak, second.peak);
    assert_int_equal(checked_peak(a), first.peak);
    for (size_t i = 0; i < memmodel_plan_buffer_count(a); i++)
        assert_int_equal(offset_of(a, i), offset_of(b, i));
    memmodel_plan_unref(a);
    memmodel_plan_unref(b);
}

/* ---- MiniMalloc's instances: all have a plan within 1048576 bytes (its authors' tables) ---- */

static void
every_instance_of_minimalloc_fits_where_it_is_known_to(void **state)
{
    static const char *const names[] = {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        memmodel_plan *plan = read_instance(*state, names[i]);
        struct memmodel_plan_result result = solve_within(plan, 1048576, 0);

        if (result.peak > 1048576)
            fail_msg("%s needs %" PRId64, names[i], result.peak);
        assert_int_equal(checked_peak(plan), result.peak);
        memmodel_plan_unref(plan);
    }
}

/* Its load, so it cannot be less. */
static void
instance_c_is_packed_at_its_load(void **state)
{
    memmodel_plan *plan = read_instance(*state, "C");
    struct memmodel_plan_result result = solve(plan);

    assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_OPTIMAL);
    assert_int_equal(result.peak, 1039360);
    memmodel_plan_unref(plan);
}

static void
the_example_of_minimalloc_takes_twelve_bytes(void **state)
{
    memmodel_plan *plan;

    assert_int_equal(memmodel_plan_load(*state, TEST_DATA "/minimalloc/input.12.csv", &plan), 0);
    assert_int_equal(solve(plan).peak, 12);
    memmodel_plan_unref(plan);
}

/* ---- files ---- */

static void
a_written_plan_is_the_input_with_offsets_and_read_again_it_is_fixed(void **state)
{
    char path[] = "/tmp/memmodel-plan-XXXXXX", line[64];
    memmodel_plan *plan = parse(*state, "# ours\nid,lower,upper,size,why\na,0,2,4,\"x, y\"\nb,2,3,4,z\n"), *again;
    FILE *file;

    assert_return_code(close(mkstemp(path)), 0);
    assert_error(*state, memmodel_plan_save(plan, path), MEMMODEL_ERROR_INVALID_ARGUMENT, "not solved");
    solve(plan);
    assert_int_equal(memmodel_plan_save(plan, path), 0);
    file = fopen(path, "r");
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "id,lower,upper,size,why,offset\n");
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "a,0,2,4,\"x, y\",0\n");
    fclose(file);
    assert_int_equal(memmodel_plan_load(*state, path, &again), 0);
    assert_int_equal(solve(again).peak, 4);
    unlink(path);
    memmodel_plan_unref(plan);
    memmodel_plan_unref(again);
}

static void
tables_that_are_wrong_are_refused_with_their_place(void **state)
{
    memmodel_context *context = *state;

    assert_refused(context, "", MEMMODEL_ERROR_PARSE, "names of the columns");
    assert_refused(context, "id,lower,upper,size\n", MEMMODEL_ERROR_PARSE, "no buffers");
    assert_refused(context, "id,lower,size\na,0,1\n", MEMMODEL_ERROR_PARSE, "no column \"upper\"");
    assert_refused(context, "id,lower,upper,size,id\n", MEMMODEL_ERROR_PARSE, "already");
    assert_refused(context, "id,lower,upper,size\na,0,1\n", MEMMODEL_ERROR_PARSE, "3 fields");
    assert_refused(context, "id,lower,upper,size\na,0,x,1\n", MEMMODEL_ERROR_PARSE, "\"x\" is no whole number");
    assert_int_equal(memmodel_context_error(context)->line, 2);
    assert_int_equal(memmodel_context_error(context)->column, 5);
    assert_refused(context, "id,lower,upper,size\na,3,3,1\n", MEMMODEL_ERROR_INVALID_ARGUMENT, "end after it begins");
    assert_refused(context, "id,lower,upper,size\na,3,2,1\n", MEMMODEL_ERROR_INVALID_ARGUMENT, "end after it begins");
    assert_refused(context, "id,lower,upper,size\na,0,1,0\n", MEMMODEL_ERROR_INVALID_ARGUMENT, "above 0");
    assert_refused(context, "id,lower,upper,size\na,0,1,-8\n", MEMMODEL_ERROR_INVALID_ARGUMENT, "-8");
    assert_int_equal(memmodel_context_error(context)->line, 2);
    assert_refused(context, "id,lower,upper,size\na,0,1,9223372036854775807\n", MEMMODEL_ERROR_OVERFLOW, "exceed");
    assert_refused(context, "id,lower,upper,size,alignment\na,0,1,9223372036854775807,1\n", MEMMODEL_ERROR_OVERFLOW,
                   "exceed");
    assert_refused(context, "id,lower,upper,size\na,0,1,1\nb,1,2,9223372036854775807\n", MEMMODEL_ERROR_OVERFLOW,
                   "exceed");
    assert_refused(context, "id,lower,upper,size\na,0,1,9223372036854775808\n", MEMMODEL_ERROR_PARSE,
                   "no whole number");
    assert_refused(context, "id,lower,upper,size,alignment\na,0,1,4,24\n", MEMMODEL_ERROR_INVALID_ARGUMENT,
                   "power of two");
    assert_refused(context, "id,lower,upper,size,alignment,offset\na,0,1,4,8,12\n", MEMMODEL_ERROR_INVALID_ARGUMENT,
                   "no multiple");
    assert_refused(context, "id,lower,upper,size,offset\na,0,1,4,-1\n", MEMMODEL_ERROR_INVALID_ARGUMENT, "negative");
    assert_refused(context, "id,lower,upper,size,gaps\na,0,9,4,2:3\n", MEMMODEL_ERROR_PARSE, "7-9 12-16");
    assert_refused(context, "id,lower,upper,size,gaps\na,0,9,4,5-9\n", MEMMODEL_ERROR_INVALID_ARGUMENT, "gap");
    assert_refused(context, "id,lower,upper,size,shares\na,0,9,4,b\n", MEMMODEL_ERROR_PARSE, "no buffer");
    assert_refused(context, "id,lower,upper,size,shares\na,0,9,4,b\nb,0,9,4,a\n", MEMMODEL_ERROR_INVALID_ARGUMENT,
                   "its own memory");
    assert_refused(context, "id,lower,upper,size\na,0,1,4\nb,0,1,4\na,1,2,4\n", MEMMODEL_ERROR_PARSE,
                   "a buffer \"a\" already, on line 2");
    assert_int_equal(memmodel_context_error(context)->line, 4);
}

static void
a_lifetime_is_at_most_as_long_as_63_bits_can_say(void **state)
{
    memmodel_context *context = *state;
    memmodel_plan *plan;

    assert_refused(context, "id,lower,upper,size\na,-9223372036854775808,1,4\n", MEMMODEL_ERROR_INVALID_ARGUMENT,
                   "begin before -2^62");
    assert_refused(context, "id,lower,upper,size\na,-4611686018427387905,1,4\n", MEMMODEL_ERROR_INVALID_ARGUMENT,
                   "-4611686018427387905");
    assert_refused(context, "id,lower,upper,size\na,0,4611686018427387904,4\n", MEMMODEL_ERROR_INVALID_ARGUMENT,
                   "end before 2^62");
    plan = parse(context, "id,lower,upper,size\na,-4611686018427387904,4611686018427387903,4\nb,0,1,4\n");
    assert_int_equal(solve(plan).peak, 8);
    memmodel_plan_unref(plan);
}

static void
buffers_of_one_name_are_not_written(void **state)
{
    const struct memmodel_plan_buffer buffer = {.size = sizeof buffer, .name = "x", .bytes = 8, .upper = 2};
    memmodel_plan *plan;

    assert_int_equal(memmodel_plan_new(*state, &plan), 0);
    assert_int_equal(memmodel_plan_add_buffer(plan, &buffer), 0);
    assert_int_equal(memmodel_plan_add_buffer(plan, &buffer), 0);
    assert_int_equal(solve(plan).peak, 16);
    assert_error(*state, memmodel_plan_save(plan, "test_plan.csv"), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "buffers 0 and 1 are both called \"x\"");
    memmodel_plan_unref(plan);
}

/* ---- calls ---- */

static void
a_plan_made_by_calls_is_as_one_read(void **state)
{
    memmodel_plan *plan;

    assert_int_equal(memmodel_plan_new(*state, &plan), 0);
    assert_error(*state, memmodel_plan_solve(plan, NULL), MEMMODEL_ERROR_INVALID_ARGUMENT, "at least one buffer");
    for (int i = 0; i < 3; i++) {
        const struct memmodel_plan_buffer buffer = {.size = sizeof buffer, .bytes = 8, .lower = i, .upper = i + 2};

        assert_int_equal(memmodel_plan_add_buffer(plan, &buffer), 0);
    }
    assert_int_equal(offset_of(plan, 0), -1);
    assert_int_equal(solve(plan).peak, 16);
    assert_int_equal(memmodel_plan_add_gap(plan, 3, 0, 1), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(memmodel_plan_add_alias(plan, 1, 0, -1), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(memmodel_plan_add_alias(plan, 1, 0, 0), 0);
    assert_int_equal(offset_of(plan, 0), -1); /* what was solved holds no more */
    assert_int_equal(solve(plan).peak, 16);
    memmodel_plan_unref(plan);
}

static void
every_status_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i <= MEMMODEL_SEARCH_STATUS_INFEASIBLE; i++)
        assert_non_null(memmodel_search_status_name(i));
    assert_string_equal(memmodel_search_status_name(MEMMODEL_SEARCH_STATUS_OPTIMAL), "optimal");
    assert_null(memmodel_search_status_name(MEMMODEL_SEARCH_STATUS_INFEASIBLE + 1));
    assert_null(memmodel_search_status_name(-1));
}

static void
the_blocks_of_a_trace_are_planned(void **state)
{
    memmodel_network *network;
    memmodel_report *report;
    memmodel_plan *plan;
    const struct memmodel_job job = {.size = sizeof job, .optimizer = "sgd"};
    struct memmodel_plan_result result;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(*state, &network), 0);
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){8, 16});
    assert_true(memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 32)) >= 0);
    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    assert_int_equal(memmodel_plan_from_trace(*state, memmodel_report_trace(report), &plan), 0);
    result = solve(plan);
    assert_true(result.peak >= 4 * (16 * 32 + 32)); /* the weights alone */
    assert_int_equal(checked_peak(plan), result.peak);
    memmodel_plan_unref(plan);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
a_picture_has_a_rectangle_for_each_buffer(void **state)
{
    memmodel_plan *plan = parse(*state, "id,lower,upper,size\n<a>,0,2,4\nb,1,3,4\n");
    char *svg;
    size_t titles = 0;

    assert_error(*state, memmodel_plan_to_svg(plan, NULL, &svg), MEMMODEL_ERROR_INVALID_ARGUMENT, "not solved");
    solve(plan);
    assert_int_equal(memmodel_plan_to_svg(plan, NULL, &svg), 0);
    for (const char *at = svg; (at = strstr(at, "<title>")) != NULL; at++)
        titles++;
    assert_int_equal(titles, 2);
    assert_non_null(strstr(svg, "&#60;a&#62;: 4 bytes"));
    assert_non_null(strstr(svg, ">2 buffers of 8 B in 8 B: "));
    memmodel_free(svg);
    memmodel_plan_unref(plan);
}

/* A plan of buffers that live one after the other. */
static memmodel_plan *
buffers_in_turn(memmodel_context *context, size_t count)
{
    char text[1024] = "id,lower,upper,size\n";

    for (size_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%zu,%zu,%zu,1\n", i, i, i + 1);
    return parse(context, text);
}

/* Twelve hues, and three shades of each. */
static void
no_two_of_36_buffers_have_the_same_color(void **state)
{
    enum { BUFFERS = 36 };
    memmodel_plan *plan = buffers_in_turn(*state, BUFFERS);
    char *svg, *at;
    size_t count = 0;

    solve(plan);
    assert_int_equal(memmodel_plan_to_svg(plan, NULL, &svg), 0);
    at = svg;
    while ((at = strstr(at, "fill=\"hsl(")) != NULL) {
        char color[64];

        snprintf(color, sizeof color, "%.*s)", (int)strcspn(at, ")"), at);
        at += strlen(color);
        assert_null(strstr(at, color));
        count++;
    }
    assert_int_equal(count, BUFFERS);
    memmodel_free(svg);
    memmodel_plan_unref(plan);
}

/* Whole numbers of no digit after the point would hide it: three buffers, whose edges lie at thirds. */
static char *
picture_of_thirds(memmodel_context *context)
{
    memmodel_plan *plan = parse(context, "id,lower,upper,size\na,0,1,1\nb,0,2,1\nc,0,3,1\n");
    char *svg;

    solve(plan);
    assert_int_equal(memmodel_plan_to_svg(plan, NULL, &svg), 0);
    memmodel_plan_unref(plan);
    return svg;
}

static void
a_picture_is_the_same_where_numbers_have_a_comma(void **state)
{
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8", "pt_BR.UTF-8"};
    char *svg, *same;
    size_t i = 0;

    svg = picture_of_thirds(*state);
    assert_non_null(strstr(svg, "width=\"373.33\""));
    while (i < sizeof locales / sizeof locales[0] && !setlocale(LC_NUMERIC, locales[i]))
        i++;
    same = picture_of_thirds(*state);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(same, svg);
    memmodel_free(svg);
    memmodel_free(same);
}

/* ---- memory ---- */

static int
read_and_solve(memmodel_context *context)
{
    static const char text[] = "id,lower,upper,size,alignment,gaps,shares,offset\n"
                               "a,0,2,7,,,,\nb,1,4,5,4,,,\nc,2,6,9,,3-4,,\nd,5,7,5,,,c,\ne,3,7,3,,,,\nf,0,3,6,,,,40\n";
    const struct memmodel_plan_options options = {.size = sizeof options, .max_nodes = 2000};
    memmodel_plan *plan;
    char *svg, *code;
    int status = memmodel_plan_from_csv(context, "buffers", text, sizeof text - 1, &plan);

    if (status)
        return status;
    status = memmodel_plan_solve(plan, &options);
    if (!status)
        status = memmodel_plan_to_svg(plan, NULL, &svg);
    if (!status) {
        memmodel_free(svg);
        status = memmodel_plan_to_c(plan, "net", NULL, &code);
    }
    if (!status)
        memmodel_free(code);
    memmodel_plan_unref(plan);
    return status;
}

static void
a_failing_allocation_anywhere_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    assert_survives_failing_allocations(read_and_solve);
}

/* At 2 and at 4 there are 6 bytes in use, which greedy orders do not reach: branches are searched. */
static int
search(memmodel_context *context)
{
    static const char text[] = "id,lower,upper,size\na,4,5,4\nb,1,4,2\nc,2,5,2\nd,0,3,2\ne,0,1,3\n";
    struct memmodel_plan_result result = {.size = sizeof result};
    memmodel_plan *plan;
    int status = memmodel_plan_from_csv(context, "buffers", text, sizeof text - 1, &plan);

    if (status)
        return status;
    status = memmodel_plan_solve(plan, NULL);
    if (!status) {
        memmodel_plan_get_result(plan, &result);
        assert_int_equal(result.peak, 6);
        assert_true(result.node_count > 0);
    }
    memmodel_plan_unref(plan);
    return status;
}

static void
a_search_leaves_nothing_behind(void **state)
{
    (void)state;
    assert_survives_failing_allocations(search);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(buffers_that_are_never_in_use_together_share_their_memory),
        WITH_CONTEXT(a_load_that_no_plan_reaches_is_proven_so),
        WITH_CONTEXT(an_alignment_is_kept),
        WITH_CONTEXT(what_is_fixed_stays_and_others_lie_around_it),
        WITH_CONTEXT(fixed_buffers_that_collide_are_named),
        WITH_CONTEXT(a_gap_is_used_by_others),
        WITH_CONTEXT(buffers_that_share_their_memory_lie_at_one_place),
        WITH_CONTEXT(shared_memory_is_left_to_others_where_one_has_a_gap_and_nobody_needs_it),
        WITH_CONTEXT(shared_memory_is_kept_between_two_lives),
        WITH_CONTEXT(a_part_that_cannot_be_aligned_is_named),
        WITH_CONTEXT(a_part_is_fixed_where_its_whole_says_or_refused),
        WITH_CONTEXT(a_part_lies_in_its_whole),
        WITH_CONTEXT(what_is_in_use_all_the_time_lies_at_the_bottom),
        WITH_CONTEXT(a_plan_of_nothing_but_whole_lives_is_their_sum),
        WITH_CONTEXT(an_item_fits_where_its_own_times_leave_room),
        WITH_CONTEXT(a_capacity_is_enough_or_proven_too_small),
        WITH_CONTEXT(a_plan_within_the_capacity_need_not_be_the_least),
        WITH_CONTEXT(no_plan_is_within_less_than_the_largest_buffer),
        WITH_CONTEXT(a_search_that_is_asked_to_stop_keeps_its_best_plan),
        WITH_CONTEXT(a_context_whose_time_is_over_limits_the_search),
        WITH_CONTEXT(a_used_up_budget_is_said_and_the_same_nodes_give_the_same_plan),
        WITH_CONTEXT(every_instance_of_minimalloc_fits_where_it_is_known_to),
        WITH_CONTEXT(instance_c_is_packed_at_its_load),
        WITH_CONTEXT(the_example_of_minimalloc_takes_twelve_bytes),
        WITH_CONTEXT(a_written_plan_is_the_input_with_offsets_and_read_again_it_is_fixed),
        WITH_CONTEXT(tables_that_are_wrong_are_refused_with_their_place),
        WITH_CONTEXT(a_lifetime_is_at_most_as_long_as_63_bits_can_say),
        WITH_CONTEXT(buffers_of_one_name_are_not_written),
        WITH_CONTEXT(a_plan_made_by_calls_is_as_one_read),
        WITH_CONTEXT(every_status_has_a_name),
        WITH_CONTEXT(the_blocks_of_a_trace_are_planned),
        WITH_CONTEXT(a_picture_has_a_rectangle_for_each_buffer),
        WITH_CONTEXT(no_two_of_36_buffers_have_the_same_color),
        WITH_CONTEXT(a_picture_is_the_same_where_numbers_have_a_comma),
        WITH_CONTEXT(a_failing_allocation_anywhere_is_reported_and_leaks_nothing),
        WITH_CONTEXT(a_search_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
