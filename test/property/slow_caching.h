/*
 * PyTorch's CUDA caching allocator once more, for tests: the plainest program that follows the same rules. All pieces of
 * all segments lie in one array, in the order of addresses; everything is found by looking at all of them.
 */
#ifndef TEST_SLOW_CACHING_H
#define TEST_SLOW_CACHING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SLOW_PIECES = 4096 };

struct slow_rules {
    int64_t split_limit, rounding_limit, large_segment, divisions, capacity, allowed;
    double threshold;
    bool expandable;
};

enum slow_state { SLOW_FREE, SLOW_USED, SLOW_AWAITED, SLOW_DONE, SLOW_UNMAPPED };

struct slow_piece {
    int64_t address, size, requested, stream, freed_at, segment, page;
    int id;
    bool small;
    enum slow_state state;
};

struct slow {
    struct slow_rules rules;
    struct slow_piece pieces[SLOW_PIECES];
    int count;
    int64_t next_address, searches[2]; /* of the large pool, of the small one */
    int64_t allocated, requested, active, reserved;
};

static inline int64_t
slow_up(int64_t n, int64_t step)
{
    return (n + step - 1) / step * step;
}

static inline int64_t
slow_round(const struct slow *slow, int64_t bytes)
{
    int64_t floor = 1, d = slow->rules.divisions;

    if (bytes < 512)
        return 512;
    while (floor * 2 <= bytes)
        floor *= 2;
    return d > 1 && bytes > 512 * d ? slow_up(bytes, floor / d) : slow_up(bytes, 512);
}

static inline void
slow_remove(struct slow *slow, int at)
{
    memmove(&slow->pieces[at], &slow->pieces[at + 1], (size_t)(slow->count - at - 1) * sizeof *slow->pieces);
    slow->count--;
}

/* The piece at `at` becomes two: `size` bytes, and the rest. */
static inline void
slow_cut(struct slow *slow, int at, int64_t size)
{
    if (slow->count == SLOW_PIECES)
        abort();
    memmove(&slow->pieces[at + 1], &slow->pieces[at], (size_t)(slow->count - at) * sizeof *slow->pieces);
    slow->count++;
    slow->pieces[at].size = size;
    slow->pieces[at + 1].address += size;
    slow->pieces[at + 1].size -= size;
}

static inline bool
slow_same(const struct slow *slow, int a, int b)
{
    return b >= 0 && b < slow->count && slow->pieces[a].segment == slow->pieces[b].segment;
}

/* Joins with equal neighbours; where the whole is then. */
static inline int
slow_join(struct slow *slow, int at)
{
    if (slow_same(slow, at, at + 1) && slow->pieces[at + 1].state == slow->pieces[at].state) {
        slow->pieces[at].size += slow->pieces[at + 1].size;
        slow_remove(slow, at + 1);
    }
    if (slow_same(slow, at, at - 1) && slow->pieces[at - 1].state == slow->pieces[at].state) {
        slow->pieces[at].size += slow->pieces[at - 1].size;
        slow->pieces[at].address = slow->pieces[at - 1].address;
        slow_remove(slow, --at);
    }
    return at;
}

static inline void
slow_set_free(struct slow *slow, int at)
{
    slow->pieces[at].state = SLOW_FREE;
    slow->pieces[at].id = -1;
    slow->pieces[at].requested = 0;
    at = slow_join(slow, at);
    slow->pieces[at].freed_at = slow->searches[slow->pieces[at].small];
}

static inline void
slow_finish(struct slow *slow, bool all)
{
    for (int i = 0; i < slow->count; i++) {
        struct slow_piece *piece = &slow->pieces[i];

        if (piece->state != SLOW_DONE && !(all && piece->state == SLOW_AWAITED))
            continue;
        slow->active -= piece->size;
        slow->requested -= piece->requested;
        slow_set_free(slow, i);
        i = -1; /* the array has changed */
    }
}

static inline bool
slow_is_whole(const struct slow *slow, int at)
{
    return !slow_same(slow, at, at - 1) && !slow_same(slow, at, at + 1);
}

static inline void
slow_drop(struct slow *slow, int at)
{
    slow->reserved -= slow->pieces[at].size;
    slow_remove(slow, at);
}

/* The first free piece of a pool and stream behind (size, address) in that order, -1: none. */
static inline int
slow_after(const struct slow *slow, bool small, int64_t stream, int64_t size, int64_t address)
{
    int best = -1;

    for (int i = 0; i < slow->count; i++) {
        const struct slow_piece *p = &slow->pieces[i], *b = best < 0 ? NULL : &slow->pieces[best];

        if (p->state != SLOW_FREE || p->small != small || p->stream != stream || p->size < size ||
            (p->size == size && p->address <= address))
            continue;
        if (!b || p->size < b->size || (p->size == b->size && p->address < b->address))
            best = i;
    }
    return best;
}

static inline int64_t
slow_reach(const struct slow *slow, int at)
{
    bool grows = slow_same(slow, at, at + 1) && slow->pieces[at + 1].state == SLOW_UNMAPPED;

    return slow->pieces[at].size + (grows ? slow->pieces[at + 1].size : 0);
}

static inline int
slow_find(struct slow *slow, bool small, int64_t stream, int64_t size)
{
    const struct slow_rules *rules = &slow->rules;
    int at = slow_after(slow, small, stream, size, -1);

    if (rules->threshold > 0 && rules->allowed != INT64_MAX)
        slow->searches[small]++;
    while (at >= 0 && rules->expandable) {
        int next = slow_after(slow, small, stream, slow->pieces[at].size, slow->pieces[at].address);

        if (next < 0 || slow_reach(slow, next) >= slow_reach(slow, at))
            break;
        at = next;
    }
    if (at < 0)
        return -1;
    if (size < rules->split_limit)
        return slow->pieces[at].size < rules->split_limit ? at : -1;
    return slow->pieces[at].size < size + rules->rounding_limit ? at : -1;
}

/* ---- giving back ---- */

static inline void
slow_unmap(struct slow *slow, int at)
{
    int64_t page = slow->pieces[at].page, base = slow->pieces[at].segment,
            freed_at = slow->searches[slow->pieces[at].small];
    int64_t begin = base + slow_up(slow->pieces[at].address - base, page);
    int64_t end = base + (slow->pieces[at].address + slow->pieces[at].size - base) / page * page;

    if (begin >= end)
        return;
    slow->pieces[at].freed_at = freed_at;
    if (slow->pieces[at].address < begin) {
        slow_cut(slow, at, begin - slow->pieces[at].address);
        at++;
    }
    if (slow->pieces[at].address + slow->pieces[at].size > end)
        slow_cut(slow, at, end - begin);
    slow->reserved -= end - begin;
    slow->pieces[at].state = SLOW_UNMAPPED;
    at = slow_join(slow, at);
    if (slow_is_whole(slow, at))
        slow_remove(slow, at);
}

/* From the highest address downwards; what is cut off above is not looked at again. */
static inline void
slow_release_all(struct slow *slow)
{
    int64_t below = INT64_MAX;

    slow_finish(slow, true);
    for (int i = slow->count - 1; i >= 0; i--) {
        if (i >= slow->count || slow->pieces[i].state != SLOW_FREE || slow->pieces[i].address >= below)
            continue;
        below = slow->pieces[i].address;
        if (slow->pieces[i].page)
            slow_unmap(slow, i);
        else if (slow_is_whole(slow, i))
            slow_drop(slow, i);
    }
}

static inline void
slow_collect(struct slow *slow)
{
    int64_t wanted = slow->reserved - (int64_t)(slow->rules.threshold * (double)slow->rules.allowed);
    int64_t age = 0, count = 0;

    for (int i = 0; i < slow->count; i++) {
        if (slow->pieces[i].state == SLOW_FREE && !slow->pieces[i].small && slow_is_whole(slow, i)) {
            age += slow->searches[0] - slow->pieces[i].freed_at;
            count++;
        }
    }
    for (bool any = true; wanted > 0 && any && count > 0;) {
        double mean = (double)age / (double)count;

        /* in the order of stream, size, address; what goes changes no other's age */
        any = false;
        for (int i = 0; i < slow->count; i++) {
            struct slow_piece *p = &slow->pieces[i];

            if (p->state != SLOW_FREE || p->small || !slow_is_whole(slow, i) || p->page ||
                (double)(slow->searches[0] - p->freed_at) < mean)
                continue;
            wanted -= p->size;
            age -= slow->searches[0] - p->freed_at;
            count--;
            any = true;
            slow_drop(slow, i--);
        }
    }
}

static inline bool
slow_release_oversized(struct slow *slow, bool small, int64_t stream, int64_t size)
{
    int64_t limit = slow->rules.split_limit, wanted = size > limit ? size : limit, released = 0;
    int at;

    if (limit == INT64_MAX)
        return false;
    at = slow_after(slow, small, stream, wanted, -1);
    if (at >= 0) {
        slow_drop(slow, at);
        return true;
    }
    while (released < wanted) {
        int largest = -1;

        for (int i = 0; i < slow->count; i++) {
            const struct slow_piece *p = &slow->pieces[i];

            if (p->state == SLOW_FREE && p->small == small && p->stream == stream && p->size >= limit &&
                (largest < 0 || p->size >= slow->pieces[largest].size))
                largest = i;
        }
        if (largest < 0)
            return false;
        released += slow->pieces[largest].size;
        slow_drop(slow, largest);
    }
    return true;
}

/* ---- growing ---- */

static inline int
slow_append(struct slow *slow, bool small, int64_t stream, int64_t size, int64_t page)
{
    if (slow->count == SLOW_PIECES)
        abort();
    slow->pieces[slow->count] = (struct slow_piece){.address = slow->next_address,
                                                    .segment = slow->next_address,
                                                    .size = size,
                                                    .stream = stream,
                                                    .page = page,
                                                    .small = small,
                                                    .id = -1,
                                                    .state = page ? SLOW_UNMAPPED : SLOW_FREE};
    slow->next_address += size;
    return slow->count++;
}

/* Maps `bytes`, in pages, of the unmapped piece; false: no memory. */
static inline bool
slow_map(struct slow *slow, int at, int64_t bytes)
{
    bytes = slow_up(bytes, slow->pieces[at].page);
    if (slow->reserved + bytes > slow->rules.capacity)
        return false;
    if (bytes < slow->pieces[at].size)
        slow_cut(slow, at, bytes);
    slow->reserved += bytes;
    slow_set_free(slow, at);
    return true;
}

static inline int
slow_expand(struct slow *slow, bool small, int64_t stream, int64_t size)
{
    int64_t page = small ? 2 << 20 : slow->rules.large_segment, room, start;
    int at = -1;

    for (int i = 0; i < slow->count && at < 0; i++) {
        const struct slow_piece *p = &slow->pieces[i];

        if (p->state != SLOW_UNMAPPED || p->small != small || p->stream != stream)
            continue;
        at = slow_same(slow, i, i - 1) && slow->pieces[i - 1].state == SLOW_FREE ? i - 1 : i;
        room = 0;
        for (int j = at; slow_same(slow, at, j); j++) {
            if (slow->pieces[j].state != SLOW_FREE && slow->pieces[j].state != SLOW_UNMAPPED)
                break;
            room += slow->pieces[j].size;
        }
        if (room < size)
            at = -1;
    }
    if (at < 0)
        at = slow_append(slow, small, stream, slow_up(slow->rules.capacity + slow->rules.capacity / 8, page), page);
    start = slow->pieces[at].address;
    for (;;) {
        int64_t have;

        for (at = 0; slow->pieces[at].address != start; at++)
            ;
        have = slow->pieces[at].state == SLOW_FREE ? slow->pieces[at].size : 0;
        if (have >= size)
            return at;
        if (have)
            at++;
        room = slow->pieces[at].size < size - have ? slow->pieces[at].size : size - have;
        if (!slow_map(slow, at, room))
            return -1;
    }
}

static inline int
slow_grow(struct slow *slow, bool small, int64_t stream, int64_t size)
{
    int64_t segment = small ? 2 << 20 : size < 10 << 20 ? slow->rules.large_segment : slow_up(size, 2 << 20);

    if (slow->reserved + segment > slow->rules.allowed)
        return -1;
    if (slow->rules.expandable)
        return slow_expand(slow, small, stream, size);
    if (slow->reserved + segment > slow->rules.capacity)
        return -1;
    slow->reserved += segment;
    return slow_append(slow, small, stream, segment, 0);
}

/* ---- what a caller does ---- */

static inline bool
slow_allocate(struct slow *slow, int id, int64_t bytes, int64_t stream)
{
    int64_t size = slow_round(slow, bytes), rest;
    bool small = size <= 1 << 20;
    int at;

    slow_finish(slow, false);
    at = slow_find(slow, small, stream, size);
    if (at < 0 && slow->rules.threshold > 0 && slow->rules.allowed != INT64_MAX)
        slow_collect(slow);
    if (at < 0)
        at = slow_grow(slow, small, stream, size);
    if (at < 0 && slow_release_oversized(slow, small, stream, size))
        at = slow_grow(slow, small, stream, size);
    if (at < 0) {
        slow_release_all(slow);
        at = slow_grow(slow, small, stream, size);
    }
    if (at < 0)
        return false;
    rest = slow->pieces[at].size - size;
    if (small || slow->rules.expandable ? rest >= 512 : size < slow->rules.split_limit && rest > 1 << 20) {
        slow_cut(slow, at, size);
        slow->pieces[at + 1].freed_at = slow->searches[small];
    }
    slow->pieces[at].state = SLOW_USED;
    slow->pieces[at].id = id;
    slow->pieces[at].requested = bytes;
    slow->allocated += slow->pieces[at].size;
    slow->active += slow->pieces[at].size;
    slow->requested += bytes;
    return true;
}

static inline void
slow_release(struct slow *slow, int id, bool shared)
{
    for (int i = 0; i < slow->count; i++) {
        struct slow_piece *piece = &slow->pieces[i];

        if (piece->id != id || piece->state != SLOW_USED)
            continue;
        slow->allocated -= piece->size;
        piece->state = SLOW_AWAITED;
        if (shared)
            return;
        slow->active -= piece->size;
        slow->requested -= piece->requested;
        slow_set_free(slow, i);
        return;
    }
}

static inline void
slow_finish_one(struct slow *slow, int id)
{
    for (int i = 0; i < slow->count; i++)
        if (slow->pieces[i].id == id && slow->pieces[i].state == SLOW_AWAITED)
            slow->pieces[i].state = SLOW_DONE;
}

#endif
