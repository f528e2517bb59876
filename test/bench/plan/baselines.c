#include "baselines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Greatest end. */
static int64_t
peak_of(const struct buffer *buffers, size_t count)
{
    int64_t peak = 0;

    for (size_t i = 0; i < count; i++)
        if (buffers[i].offset + buffers[i].bytes > peak)
            peak = buffers[i].offset + buffers[i].bytes;
    return peak;
}

/* ---- one buffer ---- */

/* What was placed, by offset. */
struct placed {
    struct buffer **buffers;
    size_t count;
};

static bool
meet(const struct buffer *a, const struct buffer *b)
{
    return a->lower < b->upper && b->lower < a->upper;
}

static void
insert(struct placed *placed, struct buffer *buffer)
{
    size_t i = placed->count++;

    for (; i > 0 && placed->buffers[i - 1]->offset > buffer->offset; i--)
        placed->buffers[i] = placed->buffers[i - 1];
    placed->buffers[i] = buffer;
}

/* The lowest gap that is large enough, or the smallest; above all if there is none. */
static void
fit(struct placed *placed, struct buffer *buffer, bool fits_best)
{
    int64_t end = 0, min_gap = INT64_MAX, place = -1;

    for (size_t i = 0; i < placed->count; i++) {
        const struct buffer *other = placed->buffers[i];

        if (!meet(other, buffer))
            continue;
        if (other->offset - end >= buffer->bytes && other->offset - end < min_gap) {
            place = end;
            min_gap = other->offset - end;
            if (!fits_best)
                break;
        }
        if (other->offset + other->bytes > end)
            end = other->offset + other->bytes;
    }
    buffer->offset = place < 0 ? end : place;
    insert(placed, buffer);
}

/* ---- orders ---- */

typedef int
comparison(const void *a, const void *b);

#define AS_BUFFERS const struct buffer *x = *(struct buffer *const *)a, *y = *(struct buffer *const *)b;

static int
compare(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

static int
by_place(const struct buffer *x, const struct buffer *y)
{
    return (x > y) - (x < y);
}

static int
by_size(const void *a, const void *b)
{
    AS_BUFFERS
    int order = compare(y->bytes, x->bytes);

    return order ? order : by_place(x, y);
}

/* As TFLite has it: equal sizes by their first use. */
static int
by_size_and_birth(const void *a, const void *b)
{
    AS_BUFFERS
    int order = compare(y->bytes, x->bytes);

    if (!order)
        order = compare(x->lower, y->lower);
    return order ? order : by_place(x, y);
}

static int
by_lifetime(const void *a, const void *b)
{
    AS_BUFFERS
    int order = compare(y->upper - y->lower, x->upper - x->lower);

    return order ? order : by_size(a, b);
}

static int
by_conflicts(const void *a, const void *b)
{
    AS_BUFFERS
    int order = compare((int64_t)y->conflicts, (int64_t)x->conflicts);

    return order ? order : by_size(a, b);
}

static int
by_birth(const void *a, const void *b)
{
    AS_BUFFERS
    int order = compare(x->lower, y->lower);

    return order ? order : by_place(x, y);
}

static struct buffer **
sorted(struct buffer *buffers, size_t count, comparison *order)
{
    struct buffer **list = malloc((count + 1) * sizeof *list);

    if (!list)
        return NULL;
    for (size_t i = 0; i < count; i++)
        list[i] = &buffers[i];
    qsort(list, count, sizeof *list, order);
    return list;
}

static int64_t
place_in_order(struct buffer *buffers, size_t count, comparison *order, bool fits_best)
{
    struct placed placed = {.buffers = malloc((count + 1) * sizeof *placed.buffers)};
    struct buffer **list = sorted(buffers, count, order);
    bool is_ready = list && placed.buffers;

    for (size_t i = 0; i < count && is_ready; i++)
        fit(&placed, list[i], fits_best);
    free(list);
    free(placed.buffers);
    return is_ready ? peak_of(buffers, count) : -1;
}

static int64_t
place_as_tflite(struct buffer *buffers, size_t count)
{
    return place_in_order(buffers, count, by_size_and_birth, true);
}

static int64_t
place_by_size(struct buffer *buffers, size_t count)
{
    return place_in_order(buffers, count, by_size, false);
}

static int64_t
place_as_xla_spatial(struct buffer *buffers, size_t count)
{
    return place_in_order(buffers, count, by_size, true);
}

static int64_t
place_as_xla_temporal(struct buffer *buffers, size_t count)
{
    return place_in_order(buffers, count, by_lifetime, true);
}

static int64_t
place_as_onnxruntime(struct buffer *buffers, size_t count)
{
    return place_in_order(buffers, count, by_birth, true);
}

static int64_t
place_by_conflicts(struct buffer *buffers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            buffers[i].conflicts += i != k && meet(&buffers[i], &buffers[k]);
    return place_in_order(buffers, count, by_conflicts, false);
}

/* ---- TVM's hill climb: swaps of neighbours in the order by size, five hundred attempts ---- */

enum { ATTEMPTS = 500 };

struct climb {
    struct buffer *buffers;
    size_t count;
    struct buffer **list; /* in order */
    size_t *place;        /* of each buffer in it */
    size_t *near, near_count, *far, far_count;
    struct placed placed;
    uint64_t random;
};

static size_t
draw(struct climb *climb, size_t below)
{
    climb->random = climb->random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(climb->random >> 33) % below;
}

static int64_t
place_list(struct climb *climb)
{
    climb->placed.count = 0;
    for (size_t i = 0; i < climb->count; i++)
        fit(&climb->placed, climb->list[i], false);
    return peak_of(climb->buffers, climb->count);
}

static void
swap(struct climb *climb, size_t a, size_t b)
{
    struct buffer *first = climb->list[a];

    climb->list[a] = climb->list[b];
    climb->list[b] = first;
    climb->place[climb->list[a] - climb->buffers] = a;
    climb->place[climb->list[b] - climb->buffers] = b;
}

/* Buffers in use together with `buffer` that come before it in the order. */
static size_t
list_before(const struct climb *climb, const struct buffer *buffer, size_t *found, size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < climb->place[buffer - climb->buffers] && count < room; i++)
        if (meet(climb->list[i], buffer))
            found[count++] = i;
    return count;
}

/* What may be swapped for a buffer at the top: those before it, and those before these. */
static void
list_neighbours(struct climb *climb, const struct buffer *top)
{
    climb->near_count = list_before(climb, top, climb->near, climb->count);
    climb->far_count = 0;
    for (size_t i = 0; i < climb->near_count; i++)
        climb->far_count += list_before(climb, climb->list[climb->near[i]], climb->far + climb->far_count,
                                        climb->count * climb->count - climb->far_count);
}

static const struct buffer *
pick_top(struct climb *climb, int64_t peak)
{
    size_t tops = 0, picked;

    for (size_t i = 0; i < climb->count; i++)
        tops += climb->list[i]->offset + climb->list[i]->bytes == peak;
    picked = draw(climb, tops);
    for (size_t i = 0;; i++)
        if (climb->list[i]->offset + climb->list[i]->bytes == peak && picked-- == 0)
            return climb->list[i];
}

/* Two places to swap; false if there are none. */
static bool
pick_pair(struct climb *climb, size_t pair[2])
{
    if (!climb->near_count)
        return false;
    pair[0] = climb->near[draw(climb, climb->near_count)];
    pair[1] = climb->far_count && draw(climb, 100) > 25 ? climb->far[draw(climb, climb->far_count)]
                                                        : climb->near[draw(climb, climb->near_count)];
    return pair[0] != pair[1];
}

static int64_t
hill_climb(struct climb *climb)
{
    int64_t best = INT64_MAX, current = INT64_MAX;
    size_t pair[2] = {0, 0};

    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int64_t peak = place_list(climb);

        if (peak < current || (attempt > 0 && (int64_t)draw(climb, 100) < 50 * (peak - current) / peak / attempt)) {
            current = peak;
        } else {
            swap(climb, pair[1], pair[0]);
            peak = place_list(climb);
        }
        best = current < best ? current : best;
        list_neighbours(climb, pick_top(climb, peak));
        if (pick_pair(climb, pair))
            swap(climb, pair[0], pair[1]);
        else
            pair[0] = pair[1] = 0;
    }
    return best;
}

static int64_t
place_as_tvm_hill_climb(struct buffer *buffers, size_t count)
{
    struct climb climb = {.buffers = buffers,
                          .count = count,
                          .list = sorted(buffers, count, by_size),
                          .place = malloc((count + 1) * sizeof *climb.place),
                          .near = malloc((count + 1) * sizeof *climb.near),
                          .far = malloc((count * count + 1) * sizeof *climb.far),
                          .placed = {.buffers = malloc((count + 1) * sizeof *climb.placed.buffers)},
                          .random = 1};
    bool is_ready = climb.list && climb.place && climb.near && climb.far && climb.placed.buffers;
    int64_t best = -1;

    if (is_ready) {
        for (size_t i = 0; i < count; i++)
            climb.place[climb.list[i] - buffers] = i;
        best = hill_climb(&climb);
    }
    free(climb.list);
    free(climb.place);
    free(climb.near);
    free(climb.far);
    free(climb.placed.buffers);
    return best;
}

/* ---- all ---- */

const struct baseline baselines[] = {
    {"TFLite", "lite/simple_memory_arena.cc: by size, smallest gap", place_as_tflite, 70000},
    {"TFLM, OpenVINO, TVM by size", "greedy_memory_planner.cc, memory_solver.hpp: by size, lowest gap", place_by_size,
     70000},
    {"TVM by conflicts", "usmp/algo/greedy.cc: by number of conflicts, lowest gap", place_by_conflicts, 70000},
    {"TVM hill climb", "usmp/algo/hill_climb.cc: 500 attempts", place_as_tvm_hill_climb, 2000},
    {"XLA spatial", "heap_simulator.cc: by size, smallest gap", place_as_xla_spatial, 70000},
    {"XLA temporal", "heap_simulator.cc: by lifetime, smallest gap", place_as_xla_temporal, 70000},
    {"ONNX Runtime", "mem_pattern_planner.h: by birth, smallest gap", place_as_onnxruntime, 70000},
};

const size_t baseline_count = sizeof baselines / sizeof baselines[0];
