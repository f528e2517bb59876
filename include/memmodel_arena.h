/*
 * memmodel_arena: tensors of a network in one block of memory, where a plan put them. Needs nothing but C99: a runtime
 * includes this file and the table that `memmodel plan --c` or memmodel_plan_to_c() wrote. All functions are inline,
 * allocate nothing and keep no state of their own; one arena belongs to one thread at a time.
 *
 * A time of the plan is a number such as that of an operator: what operator t makes is in use from t on, what it reads
 * at least until t + 1.
 */
#ifndef MEMMODEL_ARENA_H
#define MEMMODEL_ARENA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a tensor lies. */
struct memmodel_arena_buffer {
    const char *name; /* "" for none */
    size_t offset;    /* of its first byte, from the arena's */
    size_t bytes;
    size_t base; /* the buffer whose memory it aliases, its own number if none */
};

/* Times [lower, upper) at which a buffer is in use; one with gaps has several, and keeps nothing from one to the
 * next. */
struct memmodel_arena_live_range {
    size_t buffer;
    int64_t lower, upper;
};

/* A plan as a table. */
struct memmodel_arena_plan {
    size_t bytes;     /* of the arena */
    size_t alignment; /* of the arena's first byte, a power of two */
    size_t buffer_count, live_range_count;
    const struct memmodel_arena_buffer *buffers;
    const struct memmodel_arena_live_range *live_ranges;
};

struct memmodel_arena {
    const struct memmodel_arena_plan *plan;
    unsigned char *memory;
};

enum memmodel_arena_status {
    MEMMODEL_ARENA_OK = 0,
    MEMMODEL_ARENA_ERROR_TOO_SMALL = -1,  /* the memory is smaller than the plan's bytes, or there is none */
    MEMMODEL_ARENA_ERROR_MISALIGNED = -2, /* the memory does not begin at a multiple of the plan's alignment */
};

/* No buffer. */
#define MEMMODEL_ARENA_NONE ((size_t)-1)

/* Lays the plan over `memory`, which has `bytes` bytes and stays the caller's; enum memmodel_arena_status. */
static inline int
memmodel_arena_init(struct memmodel_arena *arena, const struct memmodel_arena_plan *plan, void *memory, size_t bytes)
{
    if (!memory || bytes < plan->bytes)
        return MEMMODEL_ARENA_ERROR_TOO_SMALL;
    if ((uintptr_t)memory & (plan->alignment - 1))
        return MEMMODEL_ARENA_ERROR_MISALIGNED;
    arena->plan = plan;
    arena->memory = (unsigned char *)memory;
    return MEMMODEL_ARENA_OK;
}

/* First byte of a buffer; NULL if there is no such buffer. */
static inline void *
memmodel_arena_address(const struct memmodel_arena *arena, size_t buffer)
{
    return buffer < arena->plan->buffer_count ? arena->memory + arena->plan->buffers[buffer].offset : NULL;
}

/*
 * ---- checks, for a runtime's tests: is a tensor clobbered while it is in use? ----
 *
 * Before operator t runs, memmodel_arena_checksum() takes a checksum of every buffer that is in use and that t does not
 * make; after it, memmodel_arena_find_clobbered() names the first that is no longer the same: the operator wrote past
 * its own, the runtime runs in another order than was planned, or the table was altered.
 */

/* Whether two buffers have a byte in common. */
static inline int
memmodel_arena_overlap(const struct memmodel_arena_plan *plan, size_t a, size_t b)
{
    const struct memmodel_arena_buffer *x = &plan->buffers[a], *y = &plan->buffers[b];

    return x->offset < y->offset + y->bytes && y->offset < x->offset + x->bytes;
}

/* The buffer at the end of the chain of aliases. */
static inline size_t
memmodel_arena_base(const struct memmodel_arena_plan *plan, size_t buffer)
{
    while (plan->buffers[buffer].base != buffer)
        buffer = plan->buffers[buffer].base;
    return buffer;
}

/*
 * First of two buffers that are in use at one time, have bytes in common and are no aliases, or that lies outside the
 * arena; MEMMODEL_ARENA_NONE: the table is sound. O(live ranges ^ 2).
 */
static inline size_t
memmodel_arena_find_conflict(const struct memmodel_arena_plan *plan)
{
    for (size_t i = 0; i < plan->live_range_count; i++) {
        const struct memmodel_arena_live_range *a = &plan->live_ranges[i];
        const struct memmodel_arena_buffer *buffer = &plan->buffers[a->buffer];

        if (buffer->bytes > plan->bytes || buffer->offset > plan->bytes - buffer->bytes)
            return a->buffer;
        for (size_t k = 0; k < i; k++) {
            const struct memmodel_arena_live_range *b = &plan->live_ranges[k];

            if (a->lower < b->upper && b->lower < a->upper && memmodel_arena_overlap(plan, a->buffer, b->buffer) &&
                memmodel_arena_base(plan, a->buffer) != memmodel_arena_base(plan, b->buffer))
                return b->buffer;
        }
    }
    return MEMMODEL_ARENA_NONE;
}

/* Whether the live range has to come through t unchanged: none of its aliases begins then. */
static inline int
memmodel_arena_is_checked(const struct memmodel_arena_plan *plan, size_t live_range, int64_t t)
{
    const struct memmodel_arena_live_range *a = &plan->live_ranges[live_range];

    if (a->lower >= t || a->upper <= t)
        return 0;
    for (size_t k = 0; k < plan->live_range_count; k++) {
        const struct memmodel_arena_live_range *b = &plan->live_ranges[k];

        if (b->lower == t && memmodel_arena_base(plan, a->buffer) == memmodel_arena_base(plan, b->buffer) &&
            memmodel_arena_overlap(plan, a->buffer, b->buffer))
            return 0;
    }
    return 1;
}

/* 64-bit FNV-1a. */
static inline uint64_t
memmodel_arena_sum(const unsigned char *bytes, size_t count)
{
    uint64_t sum = 14695981039346656037u;

    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * 1099511628211u;
    return sum;
}

static inline uint64_t
memmodel_arena_sum_of(const struct memmodel_arena *arena, size_t live_range)
{
    const struct memmodel_arena_buffer *buffer = &arena->plan->buffers[arena->plan->live_ranges[live_range].buffer];

    return memmodel_arena_sum(arena->memory + buffer->offset, buffer->bytes);
}

/* Before operator t. `sums` has room for live_range_count numbers. */
static inline void
memmodel_arena_checksum(const struct memmodel_arena *arena, int64_t t, uint64_t *sums)
{
    for (size_t i = 0; i < arena->plan->live_range_count; i++)
        if (memmodel_arena_is_checked(arena->plan, i, t))
            sums[i] = memmodel_arena_sum_of(arena, i);
}

/* After it: the buffer that was clobbered; MEMMODEL_ARENA_NONE if none was. */
static inline size_t
memmodel_arena_find_clobbered(const struct memmodel_arena *arena, int64_t t, const uint64_t *sums)
{
    for (size_t i = 0; i < arena->plan->live_range_count; i++)
        if (memmodel_arena_is_checked(arena->plan, i, t) && sums[i] != memmodel_arena_sum_of(arena, i))
            return arena->plan->live_ranges[i].buffer;
    return MEMMODEL_ARENA_NONE;
}

#ifdef __cplusplus
}
#endif

#endif
