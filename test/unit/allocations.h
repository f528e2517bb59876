/* Memory that runs out: a context whose N-th allocation fails, for each N in turn, alone or with all after it. */
#ifndef TEST_ALLOCATIONS_H
#define TEST_ALLOCATIONS_H

#include "check.h"

#include <stdbool.h>
#include <stdlib.h>

struct allocations {
    int64_t until_failure; /* allocations that still succeed; negative: all do */
    int64_t alive;
    int64_t failures;
    bool once; /* only one fails */
};

static inline bool
allocations_fail(struct allocations *allocations)
{
    if (allocations->until_failure < 0 || (allocations->once && allocations->failures > 0))
        return false;
    if (allocations->until_failure > 0) {
        allocations->until_failure--;
        return false;
    }
    allocations->failures++;
    return true;
}

static inline void *
allocations_allocate(void *user, size_t bytes)
{
    struct allocations *allocations = user;
    void *block = allocations_fail(allocations) ? NULL : malloc(bytes);

    allocations->alive += block != NULL;
    return block;
}

static inline void *
allocations_reallocate(void *user, void *block, size_t bytes)
{
    struct allocations *allocations = user;
    void *moved = allocations_fail(allocations) ? NULL : realloc(block, bytes);

    allocations->alive += moved && !block;
    return moved;
}

static inline void
allocations_release(void *user, void *block)
{
    struct allocations *allocations = user;

    allocations->alive -= block != NULL;
    free(block);
}

/* Calls `work` with `good` allocations before one fails. Returns true when none had to. */
static inline bool
survives_failure_after(int64_t good, bool once, int (*work)(memmodel_context *context))
{
    struct allocations allocations = {.until_failure = -1, .once = once};
    struct memmodel_allocator allocator = {sizeof allocator, allocations_allocate, allocations_reallocate,
                                           allocations_release, &allocations};
    memmodel_context *context;
    int status;

    assert_int_equal(memmodel_context_new(&allocator, &context), 0);
    allocations.until_failure = good;
    status = work(context);
    assert_int_equal(status, allocations.failures ? MEMMODEL_ERROR_NO_MEMORY : 0);
    if (status) {
        assert_int_equal(memmodel_context_error(context)->status, MEMMODEL_ERROR_NO_MEMORY);
        assert_true(memmodel_context_error(context)->message[0] != '\0');
    }
    memmodel_context_unref(context);
    assert_int_equal(allocations.alive, 0);
    return allocations.failures == 0;
}

/*
 * Calls `work` with a context on which the first, then the second, ... allocation fails, alone and with all after it,
 * until none has to. Each failure must be MEMMODEL_ERROR_NO_MEMORY, said by the context too, and leave nothing behind.
 */
static inline void
assert_survives_failing_allocations(int (*work)(memmodel_context *context))
{
    for (int once = 0; once <= 1; once++) {
        int64_t good = 0;

        while (!survives_failure_after(good, once, work))
            good++;
        assert_true(good > 0);
    }
}

#endif
