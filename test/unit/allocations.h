/* Memory that runs out: a context whose N-th allocation fails, for each N in turn. */
#ifndef TEST_ALLOCATIONS_H
#define TEST_ALLOCATIONS_H

#include "check.h"

#include <stdbool.h>
#include <stdlib.h>

struct allocations {
    int64_t until_failure; /* allocations that still succeed; negative: all do */
    int64_t alive;
};

static inline bool
allocations_fail(struct allocations *allocations)
{
    if (allocations->until_failure < 0)
        return false;
    return allocations->until_failure == 0 || allocations->until_failure-- == 0;
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

/*
 * Calls `work` with a context on which the first, then the second, ... allocation and all after it fail, until it
 * succeeds. Each failure must be MEMMODEL_ERROR_NOMEM, said by the context too, and leave nothing behind.
 */
static inline void
assert_survives_failing_allocations(int (*work)(memmodel_context *context))
{
    int status = MEMMODEL_ERROR_NOMEM;

    for (int64_t good = 0; status != 0; good++) {
        struct allocations allocations = {.until_failure = -1};
        struct memmodel_allocator allocator = {sizeof allocator, allocations_allocate, allocations_reallocate,
                                               allocations_release, &allocations};
        memmodel_context *context;

        assert_int_equal(memmodel_context_new(&allocator, &context), 0);
        allocations.until_failure = good;
        status = work(context);
        if (status) {
            assert_int_equal(status, MEMMODEL_ERROR_NOMEM);
            assert_int_equal(memmodel_context_error(context)->status, MEMMODEL_ERROR_NOMEM);
        } else {
            assert_true(good > 0);
        }
        memmodel_context_unref(context);
        assert_int_equal(allocations.alive, 0);
    }
}

#endif
