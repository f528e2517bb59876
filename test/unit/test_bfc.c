/* TensorFlow's pool. The large case is a measured one: a convolution in TensorFlow 2.21 on a CPU, batch 8. */
#include "machine.h"

#define MIB (INT64_C(1) << 20)
#define TENSOR (9 * MIB) /* batch 8, 96 x 96 x 32 float32: 9,437,184 bytes */

static struct machine
bfc(memmodel_context *context, int64_t capacity)
{
    return machine_start(context, &allocator_bfc, NULL, capacity);
}

static int64_t
reserved(const struct machine *machine)
{
    return machine_counters(machine).reserved;
}

static void
requests_are_rounded_to_256(void **state)
{
    struct machine m = bfc(*state, 0);

    machine_allocate(&m, 1);
    assert_int_equal(machine_counters(&m).allocated, 256);
    machine_allocate(&m, 257);
    assert_int_equal(machine_counters(&m).allocated, 256 + 512);
    assert_int_equal(machine_counters(&m).requested, 258);
    assert_int_equal(reserved(&m), 2 * MIB);
    machine_stop(&m);
}

/* 2 -> 16 to hold x; y: 16, then 32 is next; the constant: 32, then 64 is next; three temporaries fit into it. */
static void
regions_grow_as_they_were_measured(void **state)
{
    struct machine m = bfc(*state, 0);

    machine_allocate(&m, TENSOR);
    assert_int_equal(reserved(&m), 16 * MIB);
    assert_int_equal(machine_counters(&m).allocated, 16 * MIB); /* 16 < 2 * 9: not split */
    machine_allocate(&m, TENSOR);
    assert_int_equal(reserved(&m), 32 * MIB);
    machine_allocate(&m, 294912);
    assert_int_equal(reserved(&m), 64 * MIB);
    assert_int_equal(machine_counters(&m).allocated, 32 * MIB + 294912);
    for (int i = 0; i < 3; i++)
        machine_allocate(&m, TENSOR);
    assert_int_equal(reserved(&m), 64 * MIB);
    machine_allocate(&m, TENSOR);
    assert_int_equal(reserved(&m), 128 * MIB);
    machine_stop(&m);
}

/* Pages of what was asked for, not of the chunk, from byte 64 of a page on, and 8 bytes a 256 of the region. */
static void
pages_of_tensors_stay_touched(void **state)
{
    struct machine m = bfc(*state, 0);
    void *block = machine_allocate(&m, TENSOR);

    assert_int_equal(machine_counters(&m).resident, TENSOR + 4096 + 16 * MIB / 32);
    machine_release(&m, block);
    machine_allocate(&m, MIB); /* where the tensor was */
    assert_int_equal(machine_counters(&m).resident, TENSOR + 4096 + 16 * MIB / 32);
    assert_int_equal(reserved(&m), 16 * MIB);
    machine_stop(&m);
}

static void
a_chunk_is_split_at_twice_the_request_or_128_mib_beyond_it(void **state)
{
    struct machine m = bfc(*state, 0);
    void *block;

    block = machine_allocate(&m, 512 * MIB);
    machine_release(&m, block);
    block = machine_allocate(&m, 385 * MIB); /* 127 MiB more, less than twice: whole */
    assert_int_equal(machine_counters(&m).allocated, 512 * MIB);
    machine_release(&m, block);
    block = machine_allocate(&m, 384 * MIB); /* 128 MiB more: split */
    assert_int_equal(machine_counters(&m).allocated, 384 * MIB);
    machine_release(&m, block);
    machine_allocate(&m, 256 * MIB);
    assert_int_equal(machine_counters(&m).allocated, 256 * MIB);
    machine_stop(&m);
}

static void
neighbours_that_are_free_become_one(void **state)
{
    struct machine m = bfc(*state, 0);
    void *a = machine_allocate(&m, 512 * 1024), *b = machine_allocate(&m, 512 * 1024);
    void *c = machine_allocate(&m, 512 * 1024);

    machine_release(&m, a);
    machine_release(&m, c);
    machine_release(&m, b);
    machine_allocate(&m, 2 * MIB);
    assert_int_equal(reserved(&m), 2 * MIB);
    machine_stop(&m);
}

static void
the_smallest_chunk_that_fits_is_taken(void **state)
{
    struct machine m = bfc(*state, 0);
    void *large = machine_allocate(&m, MIB), *guard = machine_allocate(&m, 256), *small = machine_allocate(&m, 4096);

    machine_allocate(&m, 256);
    machine_release(&m, large);
    machine_release(&m, small);
    assert_ptr_equal(machine_allocate(&m, 4000), small);
    assert_ptr_not_equal(guard, small);
    machine_stop(&m);
}

static void
the_limit_cuts_the_last_region_and_then_refuses(void **state)
{
    struct machine m = bfc(*state, 5 * MIB);

    machine_allocate(&m, 2 * MIB); /* region 2, next 4 */
    machine_allocate(&m, 3 * MIB); /* 4 wanted, 3 left */
    assert_int_equal(reserved(&m), 5 * MIB);
    assert_null(machine_try(&m, 256, 0));
    assert_null(machine_try(&m, INT64_MAX, 0));
    machine_stop(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(requests_are_rounded_to_256),
        WITH_CONTEXT(regions_grow_as_they_were_measured),
        WITH_CONTEXT(pages_of_tensors_stay_touched),
        WITH_CONTEXT(a_chunk_is_split_at_twice_the_request_or_128_mib_beyond_it),
        WITH_CONTEXT(neighbours_that_are_free_become_one),
        WITH_CONTEXT(the_smallest_chunk_that_fits_is_taken),
        WITH_CONTEXT(the_limit_cuts_the_last_region_and_then_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
