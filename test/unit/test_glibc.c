/* malloc of glibc: the arithmetic of malloc.c by hand. K is 1024 bytes. */
#include "machine.h"

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

/* 32 + 32 + 128 K in pages: 132 K, as every process has them. One page of it was written to. */
static void
the_heap_begins_with_132_k(void **state)
{
    struct machine m = heap(*state, 0);

    machine_allocate(&m, 24);
    assert_int_equal(reserved(&m), 132 * K);
    assert_int_equal(machine_counters(&m).touched, 4 * K);
    machine_stop(&m);
}

/* 128 K + 16 reach the threshold; with a header in pages: 132 K. */
static void
large_blocks_are_mappings_that_go_when_they_are_freed(void **state)
{
    struct machine m = heap(*state, 0);
    void *block = machine_allocate(&m, 128 * K);

    assert_int_equal(reserved(&m), 132 * K);
    assert_int_equal(machine_counters(&m).touched, 132 * K);
    machine_release(&m, block);
    assert_int_equal(reserved(&m), 0);
    assert_int_equal(machine_counters(&m).touched, 0);
    machine_stop(&m);
}

/* The freed mapping of 132 K moves the threshold there; the next 128 K + 16 lie on a heap of that, 32 and 128 K: 260 K. */
static void
a_freed_mapping_moves_its_size_to_the_heap(void **state)
{
    struct machine m = heap(*state, 0);
    void *block;

    machine_release(&m, machine_allocate(&m, 128 * K));
    block = machine_allocate(&m, 128 * K);
    assert_int_equal(reserved(&m), 260 * K);
    machine_release(&m, block); /* trimmed from 264 K on: it stays */
    assert_int_equal(reserved(&m), 260 * K);
    machine_stop(&m);
}

static void
above_32_mib_blocks_are_always_mappings(void **state)
{
    struct machine m = heap(*state, 0);

    for (int i = 0; i < 2; i++) {
        void *block = machine_allocate(&m, 40 * MIB);

        assert_int_equal(reserved(&m), 40 * MIB + 4 * K);
        machine_release(&m, block);
        assert_int_equal(reserved(&m), 0);
    }
    machine_stop(&m);
}

/*
 * Twice 100,000 (chunks of 100,016): a heap of 100,016 + 32 + 131,072 in pages, 233,472. Without the second, the top is
 * 133,456: above 128 K, but less than a page more than 128 K + 33. Without the first, 233,472 - 131,072 - 33 = 102,367:
 * 24 pages go.
 */
static void
the_top_is_trimmed_to_128_k(void **state)
{
    struct machine m = heap(*state, 0);
    void *first = machine_allocate(&m, 100000), *second = machine_allocate(&m, 100000);

    assert_int_equal(reserved(&m), 233472);
    machine_release(&m, second);
    assert_int_equal(reserved(&m), 233472);
    machine_release(&m, first);
    assert_int_equal(reserved(&m), 233472 - 24 * 4096);
    assert_int_equal(machine_counters(&m).touched, 135168); /* what is left was all written to */
    machine_stop(&m);
}

static void
a_block_in_use_on_top_keeps_what_is_below_it(void **state)
{
    struct machine m = heap(*state, 0);
    void *low = machine_allocate(&m, 100000);

    machine_allocate(&m, 100000);
    machine_release(&m, low);
    assert_int_equal(reserved(&m), 233472);
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

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, context_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_chunk_has_a_header_and_steps_of_16),
        TEST(the_heap_begins_with_132_k),
        TEST(large_blocks_are_mappings_that_go_when_they_are_freed),
        TEST(a_freed_mapping_moves_its_size_to_the_heap),
        TEST(above_32_mib_blocks_are_always_mappings),
        TEST(the_top_is_trimmed_to_128_k),
        TEST(a_block_in_use_on_top_keeps_what_is_below_it),
        TEST(small_chunks_are_cached_by_size),
        TEST(a_full_system_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
