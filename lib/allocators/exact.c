/*
 * Reserved is what is live. PyTorch's CPU allocator takes each tensor from posix_memalign and counts what was asked
 * for.
 */
#include "allocators/allocator.h"
#include "base/checked.h"

struct exact {
    memmodel_context *context;
    struct allocator_counters counters;
    int64_t capacity;
};

static int
exact_new(memmodel_context *context, const struct allocator_options *options, void **self)
{
    struct exact *exact = memory_allocate_zeroed(context, 1, sizeof *exact);

    if (!exact)
        return MEMMODEL_ERROR_NO_MEMORY;
    exact->context = context;
    exact->counters.resident = -1;
    exact->capacity = options->capacity > 0 ? options->capacity : INT64_MAX;
    *self = exact;
    return 0;
}

static void
exact_free(void *self)
{
    memory_release(((struct exact *)self)->context, self);
}

static void
count(struct exact *exact, int64_t bytes)
{
    int64_t live = exact->counters.reserved + bytes;

    exact->counters = (struct allocator_counters){live, live, live, live, -1, 0};
}

static int
exact_allocate(void *self, int64_t bytes, int64_t stream, int32_t owner, void **block)
{
    struct exact *exact = self;

    (void)stream;
    (void)owner;
    *block = NULL;
    if (bytes > exact->capacity - exact->counters.reserved)
        return 0;
    count(exact, bytes);
    *block = (void *)(uintptr_t)bytes;
    return 0;
}

static int
exact_release(void *self, void *block, bool shared)
{
    (void)shared;
    count(self, -(int64_t)(uintptr_t)block);
    return 0;
}

static const struct allocator_counters *
exact_counters(const void *self)
{
    return &((const struct exact *)self)->counters;
}

const struct allocator allocator_exact = {
    .name = "exact",
    .open = exact_new,
    .close = exact_free,
    .allocate = exact_allocate,
    .release = exact_release,
    .counters = exact_counters,
};
