/*
 * PyTorch's CUDA caching allocator. Hand-worked cases, a branch each, with the arithmetic in the comment; then
 * test/data/cuda_caching: what libc10_cuda.so of PyTorch 2.13.0 did (test/frameworks/cuda_caching/record.py).
 */
#include "allocators/cuda_caching/caching.h"
#include "machine.h"

#include <inttypes.h>
#include <stdio.h>

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

static struct machine
machine(memmodel_context *context, const char *settings, int64_t capacity)
{
    return machine_start(context, &allocator_cuda_caching, settings, capacity);
}

static struct cuda_block *
allocate(struct machine *machine, int64_t bytes)
{
    return machine_allocate(machine, bytes);
}

static int64_t
reserved(const struct machine *machine)
{
    return machine_counters(machine).reserved;
}

static int64_t
allocated(const struct machine *machine)
{
    return machine_counters(machine).allocated;
}

/* ---- sizes ---- */

static void
requests_are_rounded_to_512(void **state)
{
    struct machine m = machine(*state, NULL, 0);

    assert_int_equal(allocate(&m, 1)->size, 512);
    assert_int_equal(allocate(&m, 512)->size, 512);
    assert_int_equal(allocate(&m, 513)->size, 1024);
    assert_int_equal(allocated(&m), 2048);
    assert_int_equal(machine_counters(&m).requested, 1 + 512 + 513);
    machine_stop(&m);
}

static void
a_segment_is_2_or_20_mib_or_the_request_in_steps_of_2(void **state)
{
    struct machine m = machine(*state, NULL, 0);

    allocate(&m, MIB); /* the largest small one: 2 MiB */
    assert_int_equal(reserved(&m), 2 * MIB);
    allocate(&m, MIB + 1); /* the smallest large one: 20 MiB more */
    assert_int_equal(reserved(&m), 22 * MIB);
    allocate(&m, 20 * MIB); /* does not fit into the 19 MiB that are left; from 10 MiB on a segment of its own */
    assert_int_equal(reserved(&m), 42 * MIB);
    allocate(&m, 20 * MIB + 1); /* 22 MiB */
    assert_int_equal(reserved(&m), 64 * MIB);
    machine_stop(&m);
}

static void
just_below_10_mib_shares_a_segment_and_10_mib_do_not(void **state)
{
    struct machine m = machine(*state, NULL, 0);

    allocate(&m, 10 * MIB - 512); /* 20 MiB */
    assert_int_equal(reserved(&m), 20 * MIB);
    allocate(&m, 10 * MIB); /* 10 MiB and 512 bytes are left of it */
    assert_int_equal(reserved(&m), 20 * MIB);
    allocate(&m, 10 * MIB);
    assert_int_equal(reserved(&m), 30 * MIB);
    machine_stop(&m);
}

static void
sizes_may_be_rounded_to_parts_of_a_power_of_two(void **state)
{
    struct machine m = machine(*state, "roundup_power2_divisions:4", 0);

    assert_int_equal(allocate(&m, 5 * MIB + 1)->size, 6 * MIB); /* steps of 4 MiB / 4 */
    assert_int_equal(allocate(&m, 8 * MIB)->size, 8 * MIB);     /* a power of two stays */
    assert_int_equal(allocate(&m, 2048)->size, 2048);           /* up to 4 * 512: as without */
    assert_int_equal(allocate(&m, 2049)->size, 2560);           /* 2048 / 4 = 512 */
    assert_int_equal(allocate(&m, 600)->size, 1024);
    machine_stop(&m);
}

/* ---- splitting ---- */

static void
a_small_block_is_split_from_512_bytes_on(void **state)
{
    struct machine m = machine(*state, NULL, 0);
    void *first = allocate(&m, 1024), *guard = allocate(&m, 512);

    machine_release(&m, first);
    assert_int_equal(allocate(&m, 512)->size, 512); /* 1024 - 512 = 512: split */
    assert_ptr_equal(((struct cuda_block *)guard)->previous->previous->previous, NULL);
    machine_stop(&m);
}

static void
a_large_block_is_split_only_if_more_than_1_mib_is_left(void **state)
{
    struct machine m = machine(*state, NULL, 0);
    void *block = allocate(&m, 12 * MIB);

    machine_release(&m, block);
    assert_int_equal(allocate(&m, 11 * MIB)->size, 12 * MIB); /* 1 MiB would be left: given whole, and counted */
    assert_int_equal(allocated(&m), 12 * MIB);
    machine_stop(&m);
    m = machine(*state, NULL, 0);
    block = allocate(&m, 12 * MIB);
    machine_release(&m, block);
    assert_int_equal(allocate(&m, 11 * MIB - 512)->size, 11 * MIB - 512);
    machine_stop(&m);
}

/* ---- which block ---- */

static void
the_smallest_block_that_fits_is_taken(void **state)
{
    struct machine m = machine(*state, NULL, 0);
    struct cuda_block *large = allocate(&m, 30 * MIB), *small = allocate(&m, 16 * MIB);
    int64_t address = small->address;

    machine_release(&m, large);
    machine_release(&m, small);
    assert_int_equal(allocate(&m, 15 * MIB)->address, address);
    machine_stop(&m);
}

static void
of_equal_blocks_the_oldest_segment_is_taken(void **state)
{
    struct machine m = machine(*state, NULL, 0);
    struct cuda_block *first = allocate(&m, 16 * MIB), *second = allocate(&m, 16 * MIB);
    int64_t address = first->address;

    machine_release(&m, second);
    machine_release(&m, first);
    assert_int_equal(allocate(&m, 16 * MIB)->address, address);
    machine_stop(&m);
}

static void
free_neighbours_become_one_block(void **state)
{
    struct machine m = machine(*state, NULL, 0);
    void *a = allocate(&m, 4 * MIB), *b = allocate(&m, 4 * MIB), *c = allocate(&m, 4 * MIB);

    /* one segment of 20 MiB: a, b, c and 8 MiB */
    machine_release(&m, a);
    machine_release(&m, c);
    machine_release(&m, b);
    assert_int_equal(allocate(&m, 20 * MIB)->size, 20 * MIB);
    assert_int_equal(reserved(&m), 20 * MIB);
    machine_stop(&m);
}

/* ---- streams ---- */

static void
a_block_is_used_again_on_its_own_stream_only(void **state)
{
    struct machine m = machine(*state, NULL, 0);

    machine_release(&m, allocate(&m, 16 * MIB));
    assert_non_null(machine_try(&m, 16 * MIB, 7));
    assert_int_equal(reserved(&m), 32 * MIB);
    assert_non_null(machine_try(&m, 16 * MIB, 0));
    assert_int_equal(reserved(&m), 32 * MIB);
    machine_stop(&m);
}

static void
what_other_streams_use_waits_for_them(void **state)
{
    struct machine m = machine(*state, NULL, 0);
    void *block = allocate(&m, 16 * MIB);

    assert_int_equal(allocator_cuda_caching.release(m.self, block, true), 0);
    assert_int_equal(allocated(&m), 0);
    assert_int_equal(machine_counters(&m).active, 16 * MIB);
    allocate(&m, 16 * MIB);
    assert_int_equal(reserved(&m), 32 * MIB);
    allocator_cuda_caching.finish(m.self, 0);
    allocate(&m, 16 * MIB);
    assert_int_equal(reserved(&m), 32 * MIB);
    machine_stop(&m);
}

/* ---- when the device is full ---- */

static void
a_full_device_gets_unused_segments_back_first(void **state)
{
    struct machine m = machine(*state, NULL, 50 * MIB);

    machine_release(&m, allocate(&m, 30 * MIB));
    allocate(&m, 20 * MIB); /* out of the 30 */
    assert_int_equal(reserved(&m), 30 * MIB);
    assert_null(machine_try(&m, 21 * MIB, 0)); /* the segment of 30 is in use */
    assert_int_equal(reserved(&m), 30 * MIB);
    machine_stop(&m);
    m = machine(*state, NULL, 50 * MIB);
    machine_release(&m, allocate(&m, 30 * MIB));
    allocate(&m, 40 * MIB);
    assert_int_equal(reserved(&m), 40 * MIB);
    assert_int_equal(machine_counters(&m).retries, 1);
    machine_stop(&m);
}

static void
a_full_device_waits_for_other_streams(void **state)
{
    struct machine m = machine(*state, NULL, 50 * MIB);

    assert_int_equal(allocator_cuda_caching.release(m.self, allocate(&m, 30 * MIB), true), 0);
    allocate(&m, 40 * MIB);
    assert_int_equal(reserved(&m), 40 * MIB);
    machine_stop(&m);
}

static void
more_than_an_exabyte_is_never_there(void **state)
{
    struct machine m = machine(*state, NULL, 0);

    assert_null(machine_try(&m, INT64_MAX, 0));
    assert_null(machine_try(&m, INT64_C(1) << 60, 0));
    assert_non_null(machine_try(&m, (INT64_C(1) << 60) - 1, 0));
    machine_stop(&m);
}

/* ---- max_split_size_mb ---- */

static void
blocks_from_the_limit_on_serve_only_requests_nearly_as_large(void **state)
{
    struct machine m = machine(*state, "max_split_size_mb:32", 0);

    machine_release(&m, allocate(&m, 60 * MIB));
    allocate(&m, 31 * MIB); /* below the limit: not out of a block above it */
    assert_int_equal(reserved(&m), 92 * MIB);
    allocate(&m, 40 * MIB); /* 60 is not less than 40 + 20: a segment of its own */
    assert_int_equal(reserved(&m), 132 * MIB);
    assert_int_equal(allocate(&m, 42 * MIB)->size, 60 * MIB); /* 60 < 42 + 20, and it is not split */
    assert_int_equal(reserved(&m), 132 * MIB);
    machine_stop(&m);
}

static void
above_the_limit_one_block_that_is_large_enough_is_given_back(void **state)
{
    struct machine m = machine(*state, "max_split_size_mb:32", 150 * MIB);

    machine_release(&m, allocate(&m, 70 * MIB));
    machine_release(&m, allocate(&m, 40 * MIB));
    allocate(&m, 48 * MIB); /* 158 would be taken; 70 is the smallest that covers it: 40 + 48 are left */
    assert_int_equal(reserved(&m), 88 * MIB);
    assert_int_equal(machine_counters(&m).retries, 0);
    machine_stop(&m);
}

static void
above_the_limit_the_largest_blocks_are_given_back_until_they_suffice(void **state)
{
    struct machine m = machine(*state, "max_split_size_mb:32", 150 * MIB);

    machine_release(&m, allocate(&m, 34 * MIB));
    machine_release(&m, allocate(&m, 40 * MIB));
    machine_release(&m, allocate(&m, 60 * MIB));
    allocate(&m, 90 * MIB); /* 60 + 40 >= 90 go, 34 stay */
    assert_int_equal(reserved(&m), 124 * MIB);
    machine_stop(&m);
}

/* ---- garbage collection ---- */

static void
garbage_collection_gives_old_segments_back(void **state)
{
    struct machine m = machine(*state, "garbage_collection_threshold:0.5,per_process_memory_fraction:0.5", 400 * MIB);
    void *old, *young;

    /* allowed 200 MiB, threshold 100. Ages count searches of the large pool since the release. */
    old = allocate(&m, 60 * MIB);
    young = allocate(&m, 50 * MIB);
    machine_release(&m, old);
    allocate(&m, 70 * MIB); /* 110 > 100: the one of 60 goes, mean age is its own */
    assert_int_equal(reserved(&m), 120 * MIB);
    machine_release(&m, young);
    allocate(&m, 52 * MIB); /* 120 > 100: the one of 50 goes */
    assert_int_equal(reserved(&m), 122 * MIB);
    machine_stop(&m);
}

static void
a_fraction_limits_what_is_reserved(void **state)
{
    struct machine m = machine(*state, "per_process_memory_fraction:0.5", 100 * MIB);

    assert_non_null(machine_try(&m, 50 * MIB, 0));
    assert_null(machine_try(&m, 512, 0));
    machine_stop(&m);
}

/* ---- expandable segments ---- */

static void
an_expandable_segment_grows_by_pages(void **state)
{
    struct machine m = machine(*state, "expandable_segments:True", 1000 * MIB);
    struct cuda_block *first = allocate(&m, 30 * MIB), *second;

    assert_int_equal(reserved(&m), 40 * MIB); /* pages of 20 */
    second = allocate(&m, 30 * MIB);          /* 10 are left, 20 more do */
    assert_int_equal(reserved(&m), 60 * MIB);
    assert_int_equal(second->address, first->address + 30 * MIB);
    allocate(&m, 1); /* the small pool has its own, with pages of 2 */
    assert_int_equal(reserved(&m), 62 * MIB);
    machine_stop(&m);
}

static void
a_full_device_gets_whole_unused_pages_back(void **state)
{
    struct machine m = machine(*state, "expandable_segments:True", 100 * MIB);
    void *first = allocate(&m, 30 * MIB), *last;

    last = allocate(&m, 30 * MIB); /* 60 mapped: [0, 30) and [30, 60) */
    machine_release(&m, first);
    /* 70 more would be needed for a page-rounded 80 > 40 left; [0, 20) is given back, [20, 30) shares its page */
    assert_null(machine_try(&m, 70 * MIB, 0));
    assert_int_equal(reserved(&m), 40 * MIB);
    assert_non_null(machine_try(&m, 25 * MIB, 0)); /* page [0, 20) again, joined with [20, 30) */
    assert_int_equal(reserved(&m), 60 * MIB);
    machine_release(&m, last);
    machine_stop(&m);
}

/* ---- settings ---- */

static void
expect_refused(void *context, const char *settings, int expected, const char *why)
{
    struct cuda_settings read = {.max_split_size = 7};

    assert_error(context, cuda_settings_parse(context, settings, &read), expected, why);
    assert_int_equal(read.max_split_size, 7);
}

static void
settings_that_pytorch_refuses_are_refused_with_a_reason(void **state)
{
    const int parse = MEMMODEL_ERROR_PARSE;

    expect_refused(*state, "max_split_size_mb:19", parse, "at least the large segment size, 20 MiB");
    expect_refused(*state, "max_split_size_mb:30,large_segment_size_mb:40", parse, "40 MiB");
    expect_refused(*state, "large_segment_size_mb:10", parse, "above 10");
    expect_refused(*state, "max_non_split_rounding_mb:10", parse, "max_non_split_rounding_mb");
    expect_refused(*state, "garbage_collection_threshold:1.0", parse, "between 0 and 1");
    expect_refused(*state, "garbage_collection_threshold:0", parse, "between 0 and 1");
    expect_refused(*state, "per_process_memory_fraction:1.5", parse, "between 0 and 1");
    expect_refused(*state, "roundup_power2_divisions:3", parse, "power of two");
    expect_refused(*state, "roundup_power2_divisions:0", parse, "power of two"); /* 0 turns it off in intervals only */
    expect_refused(*state, "roundup_power2_divisions:[256:3]", parse, "power of two");
    expect_refused(*state, "roundup_power2_divisions:[0:2]", parse, "power of two of mebibytes");
    expect_refused(*state, "roundup_power2_divisions:[300:4]", parse, "power of two of mebibytes");
    expect_refused(*state, "roundup_power2_divisions:[256:2", parse, "ends with ]");
    expect_refused(*state, "expandable_segments:true", parse, "neither True nor False");
    expect_refused(*state, "max_split_size_mb", parse, "NAME:VALUE");
    expect_refused(*state, "max_split_size_mb:", parse, "a number is missing");
    expect_refused(*state, "max_split_size_mb:abc", parse, "whole number");
    expect_refused(*state, "max_split_size_mb:64 expandable_segments:True", parse, "commas");
    expect_refused(*state, "max_split_sise_mb:64", parse, "max_split_sise_mb is no option");
    expect_refused(*state, "backend:cudaMallocAsync", MEMMODEL_ERROR_UNSUPPORTED, "native");
}

static void
an_error_in_settings_says_where(void **state)
{
    expect_refused(*state, "backend:native, max_split_size_mb:x", MEMMODEL_ERROR_PARSE, "whole number");
    assert_int_equal(memmodel_context_error(*state)->column, 35);
}

static void
settings_have_pytorchs_defaults(void **state)
{
    struct cuda_settings read;

    assert_int_equal(cuda_settings_parse(*state, NULL, &read), 0);
    assert_int_equal(read.large_segment_size, 20971520);
    assert_int_equal(read.max_non_split_rounding, 20971520);
    assert_int_equal(read.max_split_size, INT64_MAX);
    assert_false(read.expandable_segments);
    assert_int_equal(cuda_settings_parse(*state, "large_segment_size_mb:40, pinned_use_background_threads:True", &read),
                     0);
    assert_int_equal(read.max_non_split_rounding, 41943040);
}

/* As AcceleratorAllocatorConfig::roundup_power2_divisions() of PyTorch 2.13.0 answered for 2^k bytes, k = 28 to 31. */
static void
divisions_go_by_interval(void **state)
{
    struct cuda_settings read;

    assert_int_equal(cuda_settings_parse(*state, "roundup_power2_divisions:[256:2,512:4,>:8]", &read), 0);
    assert_int_equal(read.divisions[0], 2);
    assert_int_equal(read.divisions[8], 2);
    assert_int_equal(read.divisions[9], 4);
    assert_int_equal(read.divisions[10], 8);
    assert_int_equal(read.divisions[15], 8);
    assert_int_equal(cuda_settings_parse(*state, "roundup_power2_divisions:[4:2,1:8]", &read), 0);
    assert_int_equal(read.divisions[0], 8);
    assert_int_equal(read.divisions[1], 2);
    assert_int_equal(read.divisions[2], 2);
    assert_int_equal(read.divisions[3], 0);
}

static void
a_fraction_of_an_unknown_device_is_refused(void **state)
{
    struct allocator_options options = {.settings = "per_process_memory_fraction:0.5"};
    void *self;

    assert_error(*state, allocator_cuda_caching.open(*state, &options, &self), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "capacity");
}

/* ---- recordings of PyTorch's own ---- */

static const char *const recordings[] = {
    "defaults",
    "full",
    "split_20",
    "split_32_rounding_40",
    "divisions_4",
    "large_segment_40",
    "expandable",
    "expandable_full",
    "expandable_32_split_40",
    "divisions_by_interval",
    "collection",
    "collection_expandable",
    "fraction_rejects_early",
};

struct player {
    struct machine machine;
    void *blocks[512];
    int64_t streams[512];
    bool shared[512];
};

/* Plays one action; false if it was an allocation that failed. */
static bool
play(struct player *player, const char *line)
{
    struct cuda_caching *caching = player->machine.self;
    int64_t number = 0, bytes = 0, stream = 0;

    if (line[0] == 'a') {
        assert_int_equal(sscanf(line, "a %" SCNd64 " %" SCNd64 " %" SCNd64, &number, &bytes, &stream), 3);
        player->blocks[number] = machine_try(&player->machine, bytes, stream);
        player->streams[number] = stream;
        player->shared[number] = false;
        return player->blocks[number] != NULL;
    }
    if (line[0] == 'u') {
        assert_int_equal(sscanf(line, "u %" SCNd64 " %" SCNd64, &number, &stream), 2);
        player->shared[number] |= stream != player->streams[number];
    } else if (line[0] == 'f') {
        assert_int_equal(sscanf(line, "f %" SCNd64, &number), 1);
        assert_int_equal(allocator_cuda_caching.release(caching, player->blocks[number], player->shared[number]), 0);
    } else if (line[0] == 's') {
        cuda_finish_all(caching);
    } else {
        assert_int_equal(cuda_release_all(caching), 0);
    }
    return true;
}

static void
check_line(struct player *player, const char *name, int number, const char *line)
{
    const struct allocator_counters *counters = allocator_cuda_caching.counters(player->machine.self);
    const char *expected = strstr(line, "= ") + 2;
    char got[128];

    if (play(player, line))
        snprintf(got, sizeof got, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", counters->allocated,
                 counters->requested, counters->active, counters->reserved);
    else
        snprintf(got, sizeof got, "oom\n");
    if (strcmp(got, expected) != 0)
        fail_msg("%s.txt:%d: %s instead of %s", name, number, got, line);
}

static void
check_recording(void *context, const char *name)
{
    struct player player = {.machine = {NULL, NULL}};
    char path[512], line[256], settings[256];
    int64_t capacity;
    int number = 2;
    FILE *file;

    snprintf(path, sizeof path, "%s/cuda_caching/%s.txt", TEST_DATA, name);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "settings %255s capacity %" SCNd64 "\n", settings, &capacity), 2);
    player.machine = machine(context, settings[0] == '-' ? NULL : settings, capacity);
    while (fgets(line, sizeof line, file))
        check_line(&player, name, ++number, line);
    assert_true(number > 200);
    machine_stop(&player.machine);
    fclose(file);
}

static void
counters_are_those_of_pytorch_after_each_action(void **state)
{
    for (size_t i = 0; i < sizeof recordings / sizeof recordings[0]; i++)
        check_recording(*state, recordings[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(requests_are_rounded_to_512),
        WITH_CONTEXT(a_segment_is_2_or_20_mib_or_the_request_in_steps_of_2),
        WITH_CONTEXT(just_below_10_mib_shares_a_segment_and_10_mib_do_not),
        WITH_CONTEXT(sizes_may_be_rounded_to_parts_of_a_power_of_two),
        WITH_CONTEXT(a_small_block_is_split_from_512_bytes_on),
        WITH_CONTEXT(a_large_block_is_split_only_if_more_than_1_mib_is_left),
        WITH_CONTEXT(the_smallest_block_that_fits_is_taken),
        WITH_CONTEXT(of_equal_blocks_the_oldest_segment_is_taken),
        WITH_CONTEXT(free_neighbours_become_one_block),
        WITH_CONTEXT(a_block_is_used_again_on_its_own_stream_only),
        WITH_CONTEXT(what_other_streams_use_waits_for_them),
        WITH_CONTEXT(a_full_device_gets_unused_segments_back_first),
        WITH_CONTEXT(a_full_device_waits_for_other_streams),
        WITH_CONTEXT(more_than_an_exabyte_is_never_there),
        WITH_CONTEXT(blocks_from_the_limit_on_serve_only_requests_nearly_as_large),
        WITH_CONTEXT(above_the_limit_one_block_that_is_large_enough_is_given_back),
        WITH_CONTEXT(above_the_limit_the_largest_blocks_are_given_back_until_they_suffice),
        WITH_CONTEXT(garbage_collection_gives_old_segments_back),
        WITH_CONTEXT(a_fraction_limits_what_is_reserved),
        WITH_CONTEXT(an_expandable_segment_grows_by_pages),
        WITH_CONTEXT(a_full_device_gets_whole_unused_pages_back),
        WITH_CONTEXT(settings_that_pytorch_refuses_are_refused_with_a_reason),
        WITH_CONTEXT(an_error_in_settings_says_where),
        WITH_CONTEXT(settings_have_pytorchs_defaults),
        WITH_CONTEXT(divisions_go_by_interval),
        WITH_CONTEXT(a_fraction_of_an_unknown_device_is_refused),
        WITH_CONTEXT(counters_are_those_of_pytorch_after_each_action),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
