/* include/memmodel_arena.h: tensors where a plan put them, and the checks that none is overwritten. */
#include "check.h"
#include "memmodel_arena.h"

#include <stdlib.h>

/* ---- tables by hand ---- */

/* Made by operators 0, 1 and 2, which is in place; the last has the first's memory. */
static const struct memmodel_arena_buffer chain_buffers[] = {
    {"a", 0, 8, 0}, {"b", 8, 8, 1}, {"c", 8, 8, 1}, {"d", 0, 8, 3}};
static const struct memmodel_arena_live_range chain_live_ranges[] = {{0, 0, 2}, {1, 1, 3}, {2, 2, 4}, {3, 3, 4}};
static const struct memmodel_arena_plan chain = {16, 8, 4, 4, chain_buffers, chain_live_ranges};

static struct memmodel_arena
lay(const struct memmodel_arena_plan *plan, void *memory, size_t bytes)
{
    struct memmodel_arena arena;

    assert_int_equal(memmodel_arena_init(&arena, plan, memory, bytes), MEMMODEL_ARENA_OK);
    return arena;
}

static void
tensors_lie_at_their_offsets(void **state)
{
    _Alignas(8) unsigned char memory[16];
    struct memmodel_arena arena = lay(&chain, memory, sizeof memory);

    (void)state;
    assert_ptr_equal(memmodel_arena_address(&arena, 0), memory);
    assert_ptr_equal(memmodel_arena_address(&arena, 2), memory + 8);
    assert_null(memmodel_arena_address(&arena, 4));
}

static void
memory_that_will_not_do_is_refused(void **state)
{
    _Alignas(8) unsigned char memory[32];
    struct memmodel_arena arena;

    (void)state;
    assert_int_equal(memmodel_arena_init(&arena, &chain, memory, 15), MEMMODEL_ARENA_ERROR_TOO_SMALL);
    assert_int_equal(memmodel_arena_init(&arena, &chain, NULL, 16), MEMMODEL_ARENA_ERROR_TOO_SMALL);
    assert_int_equal(memmodel_arena_init(&arena, &chain, memory + 4, 16), MEMMODEL_ARENA_ERROR_MISALIGNED);
}

static void
a_sound_table_has_no_conflict(void **state)
{
    (void)state;
    assert_true(memmodel_arena_find_conflict(&chain) == MEMMODEL_ARENA_NONE);
}

static void
a_conflict_is_found(void **state)
{
    struct memmodel_arena_buffer buffers[4];
    struct memmodel_arena_plan broken = chain;

    (void)state;
    memcpy(buffers, chain_buffers, sizeof buffers);
    broken.buffers = buffers;
    buffers[1].offset = 7;
    assert_true(memmodel_arena_find_conflict(&broken) != MEMMODEL_ARENA_NONE);
    buffers[1].offset = 9;
    assert_int_equal(memmodel_arena_find_conflict(&broken), 1); /* beyond the end */
    buffers[1].bytes = SIZE_MAX;
    assert_int_equal(memmodel_arena_find_conflict(&broken), 1);
}

/* Operator `time` writes one byte at `offset`. */
static size_t
write_at(int64_t time, size_t offset)
{
    _Alignas(8) unsigned char memory[16] = {0};
    struct memmodel_arena arena = lay(&chain, memory, sizeof memory);
    uint64_t sums[4];

    memmodel_arena_checksum(&arena, time, sums);
    memory[offset] ^= 1;
    return memmodel_arena_find_clobbered(&arena, time, sums);
}

static void
what_is_in_use_may_not_change(void **state)
{
    (void)state;
    assert_true(write_at(0, 0) == MEMMODEL_ARENA_NONE); /* it is made */
    assert_int_equal(write_at(1, 7), 0);                /* "a" is read */
    assert_true(write_at(1, 8) == MEMMODEL_ARENA_NONE); /* "b" is made */
    assert_true(write_at(2, 8) == MEMMODEL_ARENA_NONE); /* "c" in place of "b" */
    assert_true(write_at(2, 0) == MEMMODEL_ARENA_NONE); /* nobody's by then */
    assert_int_equal(write_at(3, 15), 2);
}

/* ---- plans of the library's ---- */

enum { MOMENTS = 40, BUFFERS = 60 };

static uint32_t
draw(uint32_t *random, uint32_t below)
{
    *random = *random * 1664525 + 1013904223;
    return (*random >> 8) % below;
}

/* A random plan as a table, as an embedding runtime would fill one in. */
struct random_plan {
    struct memmodel_arena_buffer buffers[BUFFERS];
    struct memmodel_arena_live_range live_ranges[BUFFERS];
    struct memmodel_arena_plan table;
};

static void
plan_at_random(memmodel_context *context, uint32_t *random, struct random_plan *made)
{
    const struct memmodel_plan_options few = {.size = sizeof few, .max_nodes = 1000};
    struct memmodel_plan_result result = {.size = sizeof result};
    memmodel_plan *plan;

    assert_int_equal(memmodel_plan_new(context, &plan), 0);
    for (int i = 0; i < BUFFERS; i++) {
        struct memmodel_plan_buffer buffer = {.size = sizeof buffer, .bytes = 1 + draw(random, 500), .alignment = 8};

        buffer.lower = draw(random, MOMENTS);
        buffer.upper = buffer.lower + 1 + draw(random, 8);
        assert_int_equal(memmodel_plan_add_buffer(plan, &buffer), 0);
    }
    assert_int_equal(memmodel_plan_solve(plan, &few), 0);
    for (size_t i = 0; i < BUFFERS; i++) {
        struct memmodel_plan_buffer place = {.size = sizeof place};

        assert_int_equal(memmodel_plan_get_buffer(plan, i, &place), 0);
        made->buffers[i] = (struct memmodel_arena_buffer){"", (size_t)place.offset, (size_t)place.bytes, i};
        made->live_ranges[i] = (struct memmodel_arena_live_range){i, place.lower, place.upper};
    }
    assert_int_equal(memmodel_plan_get_result(plan, &result), 0);
    made->table =
        (struct memmodel_arena_plan){(size_t)result.peak, 8, BUFFERS, BUFFERS, made->buffers, made->live_ranges};
    memmodel_plan_unref(plan);
}

/* Every operator fills what it makes with noise; what it overwrites besides is returned. */
static size_t
run_noise(const struct memmodel_arena *arena, uint32_t *random)
{
    uint64_t sums[BUFFERS];

    for (int64_t time = 0; time < MOMENTS + 8; time++) {
        size_t victim;

        memmodel_arena_checksum(arena, time, sums);
        for (size_t i = 0; i < BUFFERS; i++)
            for (size_t k = 0; arena->plan->live_ranges[i].lower == time && k < arena->plan->buffers[i].bytes; k++)
                ((unsigned char *)memmodel_arena_address(arena, i))[k] = (unsigned char)draw(random, 256);
        victim = memmodel_arena_find_clobbered(arena, time, sums);
        if (victim != MEMMODEL_ARENA_NONE)
            return victim;
    }
    return MEMMODEL_ARENA_NONE;
}

/* The first buffer that another, made later, could be put on top of. */
static size_t
find_victim(const struct random_plan *made, size_t *culprit)
{
    for (size_t i = 0; i < BUFFERS; i++)
        for (size_t k = 0; k < BUFFERS; k++)
            if (made->live_ranges[i].lower < made->live_ranges[k].lower &&
                made->live_ranges[k].lower < made->live_ranges[i].upper &&
                made->buffers[i].offset + made->buffers[k].bytes <= made->table.bytes && made->buffers[k].bytes > 16) {
                *culprit = k;
                return i;
            }
    return MEMMODEL_ARENA_NONE;
}

static void
no_buffer_of_a_plan_is_clobbered_and_a_broken_plan_is_reported(void **state)
{
    uint32_t random = 7;

    for (int i = 0; i < 50; i++) {
        struct random_plan made;
        struct memmodel_arena arena;
        size_t victim, culprit = 0;
        void *memory;

        plan_at_random(*state, &random, &made);
        assert_true(memmodel_arena_find_conflict(&made.table) == MEMMODEL_ARENA_NONE);
        memory = malloc(made.table.bytes);
        assert_non_null(memory);
        arena = lay(&made.table, memory, made.table.bytes);
        assert_true(run_noise(&arena, &random) == MEMMODEL_ARENA_NONE);
        victim = find_victim(&made, &culprit);
        assert_true(victim != MEMMODEL_ARENA_NONE);
        made.buffers[culprit].offset = made.buffers[victim].offset;
        assert_true(memmodel_arena_find_conflict(&made.table) != MEMMODEL_ARENA_NONE);
        assert_true(run_noise(&arena, &random) != MEMMODEL_ARENA_NONE);
        free(memory);
    }
}

/* ---- tables that the library writes ---- */

static memmodel_plan *
parse_and_solve(memmodel_context *context, const char *text)
{
    memmodel_plan *plan;

    assert_int_equal(memmodel_plan_from_csv(context, "buffers", text, strlen(text), &plan), 0);
    assert_int_equal(memmodel_plan_solve(plan, NULL), 0);
    return plan;
}

static void
names_become_enumerators_unless_two_would_be_the_same(void **state)
{
    memmodel_plan *plan = parse_and_solve(*state, "id,lower,upper,size\nconv.1,0,2,8\nconv/1,1,3,8\nresize,1,2,8\n");
    char *code;

    assert_int_equal(memmodel_plan_to_c(plan, "net", NULL, &code), 0);
    assert_null(strstr(code, "NET_CONV_1"));
    assert_non_null(strstr(code, " NET_RESIZE = 2,"));
    assert_non_null(strstr(code, " net_count = 3\n"));
    memmodel_free(code);
    memmodel_plan_unref(plan);
}

static void
a_gap_makes_two_live_ranges(void **state)
{
    memmodel_plan *plan = parse_and_solve(*state, "id,lower,upper,size,gaps\na,0,9,8,2-5\nb,2,5,8,\n");
    char *code;

    assert_int_equal(memmodel_plan_to_c(plan, "net", NULL, &code), 0);
    assert_non_null(strstr(code, "{0u, 0, 2},\n    {0u, 5, 9},\n    {1u, 2, 5},\n"));
    assert_non_null(strstr(code, "net = {8u, 1u, 2u, 3u, net_buffers, net_live_ranges};"));
    memmodel_free(code);
    memmodel_plan_unref(plan);
}

static void
hostile_names_are_plain_text(void **state)
{
    memmodel_plan *plan = parse_and_solve(*state, "id,lower,upper,size\n\"a\"\"; x(\\1?\",0,2,8\n");
    char *code;

    assert_int_equal(memmodel_plan_to_c(plan, "net", NULL, &code), 0);
    assert_non_null(strstr(code, "{\"a\\042; x(\\1341\\077\", 0u, 8u, 0u}"));
    memmodel_free(code);
    memmodel_plan_unref(plan);
}

static void
every_name_of_c_is_written(void **state)
{
    static const char *const names[] = {"a", "z", "A", "Z", "_", "_09azAZ"};
    memmodel_plan *plan = parse_and_solve(*state, "id,lower,upper,size\na,0,2,8\n");
    char *code, expected[64];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(memmodel_plan_to_c(plan, names[i], *state, &code), 0);
        snprintf(expected, sizeof expected, " %s = {", names[i]);
        assert_non_null(strstr(code, expected));
        memmodel_free(code);
    }
    memmodel_plan_unref(plan);
}

static void
only_names_of_c_and_solved_plans_are_written(void **state)
{
    static const char *const names[] = {"", "2net", "a b", "a-b", "net\n"};
    memmodel_plan *plan = parse_and_solve(*state, "id,lower,upper,size\na,0,2,8\n"), *unsolved;
    char *code = NULL;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_error(*state, memmodel_plan_to_c(plan, names[i], NULL, &code), MEMMODEL_ERROR_INVALID_ARGUMENT,
                     "no name in C");
    assert_int_equal(memmodel_plan_new(*state, &unsolved), 0);
    assert_error(*state, memmodel_plan_to_c(unsolved, "net", NULL, &code), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "not solved");
    assert_null(code);
    memmodel_plan_unref(unsolved);
    memmodel_plan_unref(plan);
}

/* ---- the program ---- */

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_lie_at_their_offsets),
        cmocka_unit_test(memory_that_will_not_do_is_refused),
        cmocka_unit_test(a_sound_table_has_no_conflict),
        cmocka_unit_test(a_conflict_is_found),
        cmocka_unit_test(what_is_in_use_may_not_change),
        WITH_CONTEXT(no_buffer_of_a_plan_is_clobbered_and_a_broken_plan_is_reported),
        WITH_CONTEXT(names_become_enumerators_unless_two_would_be_the_same),
        WITH_CONTEXT(a_gap_makes_two_live_ranges),
        WITH_CONTEXT(hostile_names_are_plain_text),
        WITH_CONTEXT(every_name_of_c_is_written),
        WITH_CONTEXT(only_names_of_c_and_solved_plans_are_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
