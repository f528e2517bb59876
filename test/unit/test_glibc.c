/*
 * malloc of glibc: the arithmetic of malloc.c by hand. K is 1024 bytes. A heap begins with the table of the cache, a
 * chunk of 656 bytes.
 */
#include "machine.h"

#include <inttypes.h>
#include <stdio.h>

#define K INT64_C(1024)
#define MIB (K * K)

static struct machine
heap(memmodel_context *context, int64_t capacity)
{
    return machine_start(context, &allocator_glibc, NULL, capacity);
}

static int64_t
reserved(const struct machine *machine)
{
    return machine_counters(machine).reserved;
}

static void
a_chunk_has_a_header_and_steps_of_16(void **state)
{
    struct machine m = heap(*state, 0);

    machine_allocate(&m, 24);
    assert_int_equal(machine_counters(&m).allocated, 32);
    machine_allocate(&m, 25);
    assert_int_equal(machine_counters(&m).allocated, 32 + 48);
    machine_allocate(&m, 1);
    assert_int_equal(machine_counters(&m).allocated, 32 + 48 + 32);
    assert_int_equal(machine_counters(&m).requested, 50);
    machine_stop(&m);
}

/* 656 + 32 + 128 K in pages: 132 K, as every process has them. One page of it was written to. */
static void
the_heap_begins_with_132_k(void **state)
{
    struct machine m = heap(*state, 0);

    machine_allocate(&m, 24);
    assert_int_equal(reserved(&m), 132 * K);
    assert_int_equal(machine_counters(&m).resident, 4 * K);
    machine_stop(&m);
}

/* 140 K + 16 are above the threshold and the top; with a header in pages: 144 K besides the heap. */
static void
large_blocks_are_mappings_that_go_when_they_are_freed(void **state)
{
    struct machine m = heap(*state, 0);
    void *block = machine_allocate(&m, 140 * K);

    assert_int_equal(reserved(&m), 132 * K + 144 * K);
    assert_int_equal(machine_counters(&m).resident, 4 * K + 144 * K);
    machine_release(&m, block);
    assert_int_equal(reserved(&m), 132 * K);
    assert_int_equal(machine_counters(&m).resident, 4 * K);
    machine_stop(&m);
}

/*
 * The freed mapping moves the threshold to 144 K, that of trimming to 288 K. The same again: the top has 132 K - 656 =
 * 134,512; 143,376 + 32 + 131,072 - 134,512 = 139,968 more in pages are 140 K.
 */
static void
a_freed_mapping_moves_its_size_to_the_heap(void **state)
{
    struct machine m = heap(*state, 0);
    void *block;

    machine_release(&m, machine_allocate(&m, 140 * K));
    block = machine_allocate(&m, 140 * K);
    assert_int_equal(reserved(&m), 132 * K + 140 * K);
    machine_release(&m, block); /* the top is 272 K - 656, less than 288 K: it stays */
    assert_int_equal(reserved(&m), 132 * K + 140 * K);
    machine_stop(&m);
}

static void
above_32_mib_blocks_are_always_mappings(void **state)
{
    struct machine m = heap(*state, 0);

    for (int i = 0; i < 2; i++) {
        void *block = machine_allocate(&m, 40 * MIB);

        assert_int_equal(reserved(&m), 132 * K + 40 * MIB + 4 * K);
        machine_release(&m, block);
        assert_int_equal(reserved(&m), 132 * K);
    }
    machine_stop(&m);
}

/*
 * Twice 100,000 (chunks of 100,016): the first leaves 34,496 of the top, for the second 100,016 + 32 + 131,072 - 34,496
 * = 196,624 more in pages, 49 of them: 335,872. Without the second the top is 235,200; 235,200 - 33 - 131,072 =
 * 104,095, so 25 pages go. Without the first it is 232,816; 101,711: 24 pages.
 */
static void
the_top_is_trimmed_to_128_k(void **state)
{
    struct machine m = heap(*state, 0);
    void *first = machine_allocate(&m, 100000), *second = machine_allocate(&m, 100000);

    assert_int_equal(reserved(&m), 335872);
    machine_release(&m, second);
    assert_int_equal(reserved(&m), 335872 - 25 * 4096);
    machine_release(&m, first);
    assert_int_equal(reserved(&m), 335872 - 49 * 4096);
    assert_int_equal(machine_counters(&m).resident, 132 * K); /* what is left was all written to */
    machine_stop(&m);
}

static void
a_block_in_use_on_top_keeps_what_is_below_it(void **state)
{
    struct machine m = heap(*state, 0);
    void *low = machine_allocate(&m, 100000);

    machine_allocate(&m, 100000);
    machine_release(&m, low);
    assert_int_equal(reserved(&m), 335872);
    assert_ptr_equal(machine_allocate(&m, 90000), low);
    machine_stop(&m);
}

/* Seven chunks of a size wait for the next of that size; the eighth of more than 128 bytes joins what is free. */
static void
small_chunks_are_cached_by_size(void **state)
{
    struct machine m = heap(*state, 0);
    void *blocks[9], *guard;

    for (int i = 0; i < 9; i++)
        blocks[i] = machine_allocate(&m, 1000);
    guard = machine_allocate(&m, 1000);
    for (int i = 0; i < 9; i++)
        machine_release(&m, blocks[i]);
    assert_ptr_equal(machine_allocate(&m, 1000), blocks[6]); /* last in, first out */
    machine_allocate(&m, 2000);                              /* 2 * 1008 = 2016: the eighth and ninth together */
    assert_ptr_not_equal(guard, NULL);
    assert_int_equal(machine_counters(&m).allocated, 2 * 1008 + 2016);
    assert_int_equal(reserved(&m), 132 * K);
    machine_stop(&m);
}

static void
a_full_system_refuses(void **state)
{
    struct machine m = heap(*state, 200 * K);

    machine_allocate(&m, 24);
    assert_null(machine_try(&m, 140 * K, 0)); /* more than the top has, and a mapping of 144 K */
    machine_allocate(&m, 128 * K);            /* out of the top, which is asked first */
    assert_null(machine_try(&m, INT64_MAX, 0));
    assert_int_equal(reserved(&m), 132 * K);
    machine_stop(&m);
}

/* ---- recordings ---- */

/* Each action's line ends with the bytes that malloc then held of the system (test/frameworks/record_malloc.py). */
static void
check_recording(memmodel_context *context, const char *name, const char *settings)
{
    struct machine m = machine_start(context, &allocator_glibc, settings, 0);
    static void *blocks[4096];
    char path[512], kind;
    int number, lines = 0;
    int64_t bytes = 0, expected;
    FILE *file;

    snprintf(path, sizeof path, "%s/glibc/%s.txt", TEST_DATA, name);
    file = fopen(path, "r");
    assert_non_null(file);
    while (fscanf(file, " %c %d", &kind, &number) == 2) {
        if (kind == 'a') {
            assert_int_equal(fscanf(file, "%" SCNd64, &bytes), 1);
            blocks[number] = machine_allocate(&m, bytes);
        } else {
            machine_release(&m, blocks[number]);
        }
        assert_int_equal(fscanf(file, " = %" SCNd64, &expected), 1);
        lines++;
        if (reserved(&m) != expected)
            fail_msg("%s.txt:%d: %" PRId64 " instead of %" PRId64, name, lines, reserved(&m), expected);
    }
    assert_true(lines == 1000);
    fclose(file);
    machine_stop(&m);
}

static void
what_the_heap_holds_is_what_glibc_held_after_each_action(void **state)
{
    check_recording(*state, "small", NULL);
    check_recording(*state, "any", NULL);
    check_recording(*state, "few_sizes", NULL);
}

static void
aligned_blocks_are_those_of_posix_memalign(void **state)
{
    check_recording(*state, "aligned_small", "alignment:64");
    check_recording(*state, "aligned_any", "alignment:64");
    check_recording(*state, "aligned_few_sizes", "alignment:64");
}

static void
other_settings_are_refused(void **state)
{
    struct allocator_options options = {.settings = "alignment:48"};
    void *self;

    assert_error(*state, allocator_glibc.open(*state, &options, &self), MEMMODEL_ERROR_PARSE, "power of two");
    options.settings = "alignment:";
    assert_error(*state, allocator_glibc.open(*state, &options, &self), MEMMODEL_ERROR_PARSE, "power of two");
    options.settings = "arenas:1";
    assert_error(*state, allocator_glibc.open(*state, &options, &self), MEMMODEL_ERROR_PARSE, "alignment:BYTES");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_chunk_has_a_header_and_steps_of_16),
        WITH_CONTEXT(the_heap_begins_with_132_k),
        WITH_CONTEXT(large_blocks_are_mappings_that_go_when_they_are_freed),
        WITH_CONTEXT(a_freed_mapping_moves_its_size_to_the_heap),
        WITH_CONTEXT(above_32_mib_blocks_are_always_mappings),
        WITH_CONTEXT(the_top_is_trimmed_to_128_k),
        WITH_CONTEXT(a_block_in_use_on_top_keeps_what_is_below_it),
        WITH_CONTEXT(small_chunks_are_cached_by_size),
        WITH_CONTEXT(a_full_system_refuses),
        WITH_CONTEXT(what_the_heap_holds_is_what_glibc_held_after_each_action),
        WITH_CONTEXT(aligned_blocks_are_those_of_posix_memalign),
        WITH_CONTEXT(other_settings_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
