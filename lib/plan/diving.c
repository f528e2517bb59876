/*
 * Dives: what the exact search would find first, for any number of items. A heap has the items by the lowest offset
 * that is known of each; what is placed raises those of others, which is seen when their turn comes.
 */
#include "base/checked.h"
#include "plan/greedy.h"
#include "plan/skyline.h"

enum { MAX_TURNS = 64 }; /* an item: long live ranges over many short ones have their turn again and again */

struct heap_entry {
    int64_t offset;
    uint32_t rank, item;
};

struct heap {
    struct heap_entry *entries;
    size_t count;
};

static bool
comes_before(const struct heap_entry *a, const struct heap_entry *b)
{
    return a->offset != b->offset ? a->offset < b->offset : a->rank < b->rank;
}

/* Moves the entry at `i` down to its place. */
static void
sift_down(struct heap *heap, size_t i)
{
    struct heap_entry entry = heap->entries[i];

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && comes_before(&heap->entries[child + 1], &heap->entries[child]))
            child++;
        if (!comes_before(&heap->entries[child], &entry))
            break;
        heap->entries[i] = heap->entries[child];
        i = child;
    }
    heap->entries[i] = entry;
}

/* Ranks rise from the first, so that they are a heap as they are. */
static void
fill_heap(struct heap *heap, const struct greedy *greedy)
{
    heap->count = greedy->problem->count;
    for (size_t k = 0; k < heap->count; k++)
        heap->entries[k] = (struct heap_entry){0, (uint32_t)k, greedy->items[k]};
}

/* The first item is placed if it can lie where it was thought to, else has to wait. */
static void
take_turn(struct greedy *greedy, struct heap *heap, struct skyline *skyline)
{
    const struct problem *problem = greedy->problem;
    struct heap_entry *first = &heap->entries[0];
    const struct item *item = &problem->items[first->item];
    int64_t lowest = align_up(skyline_item_top(skyline, problem, item), item->alignment);

    if (lowest > first->offset) {
        first->offset = lowest;
    } else {
        greedy->offsets[first->item] = lowest;
        for (uint32_t k = 0; k < item->interval_count; k++)
            skyline_raise(skyline, problem->intervals[item->interval + k], lowest + item->bytes);
        *first = heap->entries[--heap->count];
    }
    if (heap->count)
        sift_down(heap, 0);
}

static void
dive(struct greedy *greedy, struct heap *heap, struct skyline *skyline)
{
    size_t turns = 0, max = MAX_TURNS * greedy->problem->count;

    fill_heap(heap, greedy);
    for (; heap->count && turns < max && !greedy_is_hopeless(greedy, turns); turns++) {
        const struct heap_entry *first = &heap->entries[0];

        if (first->offset + greedy->problem->items[first->item].bytes >= greedy->best->peak)
            return;
        take_turn(greedy, heap, skyline);
    }
    if (!heap->count)
        greedy_keep(greedy);
}

int
greedy_dive(struct greedy *greedy)
{
    const struct problem *problem = greedy->problem;
    struct heap heap = {.count = problem->count};
    struct skyline skyline;
    int status = skyline_make(&skyline, problem->context, problem->section_count);

    if (status)
        return status;
    heap.entries = memory_allocate_zeroed(problem->context, problem->count, sizeof *heap.entries);
    if (heap.entries)
        dive(greedy, &heap, &skyline);
    else
        status = MEMMODEL_ERROR_NO_MEMORY;
    memory_release(problem->context, heap.entries);
    skyline_release(&skyline);
    return status;
}
