/*
 * Random allocations, releases, other streams and full devices: the CUDA caching allocator does what a second, slow and
 * plain one does, and no allocator ever loses or doubles a byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "allocators/allocator.h"
#include "base/checked.h"
#include "slow_caching.h"

#include <inttypes.h>

#define MIB (INT64_C(1) << 20)
enum { ROUNDS = 40, ACTIONS = 400 };

/* xorshift64*: the same numbers everywhere. */
static uint64_t
draw(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

static int64_t
draw_below(uint64_t *seed, int64_t limit)
{
    return (int64_t)(draw(seed) >> 1) % limit;
}

/* Sizes around the borders of the rules, or of any order. */
static int64_t
draw_bytes(uint64_t *seed)
{
    static const int64_t borders[] = {512, 1024, MIB, 2 * MIB, 10 * MIB, 20 * MIB, 32 * MIB, 40 * MIB};
    int64_t border = borders[draw_below(seed, 8)];

    if (draw_below(seed, 3) == 0)
        return 1 + draw_below(seed, INT64_C(1) << (1 + draw_below(seed, 26)));
    return max_i64(border + (draw_below(seed, 3) - 1) * draw_below(seed, 600), 1);
}

struct setting {
    const char *text;
    struct slow_rules rules;
};

/* What is zero is PyTorch's default. */
static const struct setting settings[] = {
    {NULL, {.capacity = 1000 * MIB}},
    {NULL, {.capacity = 120 * MIB}},
    {"max_split_size_mb:20", {.split_limit = 20 * MIB, .capacity = 300 * MIB}},
    {"max_split_size_mb:32,max_non_split_rounding_mb:24",
     {.split_limit = 32 * MIB, .rounding_limit = 24 * MIB, .capacity = 200 * MIB}},
    {"roundup_power2_divisions:8", {.divisions = 8, .capacity = 1000 * MIB}},
    {"large_segment_size_mb:44", {.large_segment = 44 * MIB, .capacity = 400 * MIB}},
    {"expandable_segments:True", {.expandable = true, .capacity = 1000 * MIB}},
    {"expandable_segments:True", {.expandable = true, .capacity = 150 * MIB}},
    {"garbage_collection_threshold:0.5,per_process_memory_fraction:0.5",
     {.threshold = 0.5, .capacity = 600 * MIB, .allowed = 300 * MIB}},
    {"garbage_collection_threshold:0.25,per_process_memory_fraction:0.75,max_split_size_mb:24",
     {.threshold = 0.25, .split_limit = 24 * MIB, .capacity = 400 * MIB, .allowed = 300 * MIB}},
    {"expandable_segments:True,garbage_collection_threshold:0.5,per_process_memory_fraction:0.5",
     {.expandable = true, .threshold = 0.5, .capacity = 600 * MIB, .allowed = 300 * MIB}},
};

struct pair {
    const struct setting *setting;
    void *fast;
    struct slow *slow;
    void *blocks[ACTIONS];
    int live[ACTIONS], awaited[ACTIONS];
    int made, live_count, awaited_count;
};

static void
check(const struct pair *pair, uint64_t round)
{
    const struct allocator_counters *fast = allocator_cuda_caching.counters(pair->fast);
    const struct slow *slow = pair->slow;

    if (fast->allocated != slow->allocated || fast->requested != slow->requested || fast->active != slow->active ||
        fast->reserved != slow->reserved)
        fail_msg(
            "%s, round %" PRIu64 ", block %d: reserved %" PRId64 " and %" PRId64 ", allocated %" PRId64 " and %" PRId64,
            pair->setting->text, round, pair->made, fast->reserved, slow->reserved, fast->allocated, slow->allocated);
}

static void
allocate(struct pair *pair, uint64_t *seed)
{
    int64_t bytes = draw_bytes(seed), stream = draw_below(seed, 4) == 0 ? 5 : 0;
    int id = pair->made++;

    assert_int_equal(allocator_cuda_caching.allocate(pair->fast, bytes, stream, id, &pair->blocks[id]), 0);
    assert_int_equal(slow_allocate(pair->slow, id, bytes, stream), pair->blocks[id] != NULL);
    if (pair->blocks[id])
        pair->live[pair->live_count++] = id;
}

static void
release(struct pair *pair, uint64_t *seed)
{
    int at = (int)draw_below(seed, pair->live_count), id = pair->live[at];
    bool shared = draw_below(seed, 6) == 0;

    pair->live[at] = pair->live[--pair->live_count];
    assert_int_equal(allocator_cuda_caching.release(pair->fast, pair->blocks[id], shared), 0);
    slow_release(pair->slow, id, shared);
    if (shared)
        pair->awaited[pair->awaited_count++] = id;
}

static void
finish(struct pair *pair, uint64_t *seed)
{
    int at = (int)draw_below(seed, pair->awaited_count), id = pair->awaited[at];

    pair->awaited[at] = pair->awaited[--pair->awaited_count];
    allocator_cuda_caching.finish(pair->fast, id);
    slow_finish_one(pair->slow, id);
}

static void
act(struct pair *pair, uint64_t *seed)
{
    int64_t what = draw_below(seed, 10);

    if (what < 4 && pair->live_count > 0)
        release(pair, seed);
    else if (what == 4 && pair->awaited_count > 0)
        finish(pair, seed);
    else
        allocate(pair, seed);
}

static struct slow_rules
with_defaults(struct slow_rules rules)
{
    rules.large_segment = rules.large_segment ? rules.large_segment : 20 * MIB;
    rules.rounding_limit = rules.rounding_limit ? rules.rounding_limit : rules.large_segment;
    rules.split_limit = rules.split_limit ? rules.split_limit : INT64_MAX;
    rules.allowed = rules.allowed ? rules.allowed : INT64_MAX;
    return rules;
}

static void
play(const struct setting *setting, uint64_t round)
{
    struct allocator_options options = {.settings = setting->text, .capacity = setting->rules.capacity};
    struct pair pair = {.setting = setting};
    uint64_t seed = (round + 1) * UINT64_C(0x9e3779b97f4a7c15);
    memmodel_context *context;

    assert_int_equal(memmodel_context_new(NULL, &context), 0);
    assert_int_equal(allocator_cuda_caching.open(context, &options, &pair.fast), 0);
    pair.slow = calloc(1, sizeof *pair.slow);
    assert_non_null(pair.slow);
    pair.slow->rules = with_defaults(setting->rules);
    pair.slow->next_address = INT64_C(1) << 30;
    while (pair.made < ACTIONS) {
        act(&pair, &seed);
        check(&pair, round);
    }
    allocator_cuda_caching.close(pair.fast);
    free(pair.slow);
    memmodel_context_unref(context);
}

static void
the_caching_allocator_does_what_a_slow_and_plain_one_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        for (uint64_t round = 0; round < ROUNDS; round++)
            play(&settings[i], round);
}

/* ---- every allocator ---- */

struct sums {
    int64_t requested, used, total;
};

static int
add_block(void *user, const struct allocator_block *block)
{
    struct sums *sums = user;

    sums->total += block->bytes;
    sums->requested += block->requested;
    sums->used += block->owner >= 0 ? block->bytes : 0;
    return 0;
}

/* What the blocks add up to is what the counters say; what is asked for is no more than what is taken. */
static void
check_sums(const struct allocator *allocator, const void *self, int64_t asked)
{
    const struct allocator_counters *counters = allocator->counters(self);
    struct sums sums = {0, 0, 0};

    assert_int_equal(counters->requested, asked);
    assert_true(counters->allocated >= asked && counters->reserved >= counters->active);
    if (!allocator->walk)
        return;
    assert_int_equal(allocator->walk(self, add_block, &sums), 0);
    assert_int_equal(sums.total, counters->reserved);
    assert_int_equal(sums.requested, counters->requested);
    assert_int_equal(sums.used, counters->active);
}

static void
keep_books(const struct allocator *allocator, uint64_t seed)
{
    struct allocator_options options = {.capacity = 600 * MIB};
    static void *blocks[ACTIONS];
    static int64_t bytes[ACTIONS];
    int64_t asked = 0;
    memmodel_context *context;
    void *self;

    assert_int_equal(memmodel_context_new(NULL, &context), 0);
    assert_int_equal(allocator->open(context, &options, &self), 0);
    memset(blocks, 0, sizeof blocks);
    for (int i = 0; i < 4 * ACTIONS; i++) {
        int at = (int)draw_below(&seed, ACTIONS / 8);

        if (blocks[at]) {
            assert_int_equal(allocator->release(self, blocks[at], false), 0);
            asked -= bytes[at];
            blocks[at] = NULL;
        } else {
            bytes[at] = draw_bytes(&seed);
            assert_int_equal(allocator->allocate(self, bytes[at], 0, at, &blocks[at]), 0);
            asked += blocks[at] ? bytes[at] : 0;
        }
        check_sums(allocator, self, asked);
    }
    allocator->close(self);
    memmodel_context_unref(context);
}

static void
no_allocator_loses_or_doubles_a_byte(void **state)
{
    static const char *const names[] = {"exact", "cuda_caching", "bfc", "glibc"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (uint64_t seed = 1; seed <= ROUNDS; seed++)
            keep_books(allocator_find(names[i]), seed * UINT64_C(0x9e3779b97f4a7c15));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_caching_allocator_does_what_a_slow_and_plain_one_does),
        cmocka_unit_test(no_allocator_loses_or_doubles_a_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
