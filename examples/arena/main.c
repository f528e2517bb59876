/*
 * A small network that runs in a planned arena: `memmodel plan small_net.csv --c small_net.h` wrote the table, which gives
 * every tensor its place. Two convolutions around a path of half the size; ReLU works in place, and what is concatenated
 * is written to where it will lie.
 *
 * usage: arena [--broken]
 *
 * Runs the network in the arena and with a block of memory for each tensor, and compares. After each operator it is
 * checked that nothing was overwritten that is still in use; with --broken the table is altered, and the check tells.
 */
#include "small_net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, CHANNELS = 4, CLASSES = 2, TENSORS = small_net_count };
enum { PIXELS = SIDE * SIDE, LIVE_RANGES = sizeof small_net_live_ranges / sizeof small_net_live_ranges[0] };

/* ---- operators: tensors are found by their numbers in the table ---- */

typedef float *tensors[TENSORS];

static float
pixel(const float *image, int y, int x)
{
    return y < 0 || x < 0 || y >= SIDE || x >= SIDE ? 0 : image[y * SIDE + x];
}

static void
convolve(tensors at)
{
    for (int c = 0; c < CHANNELS; c++)
        for (int i = 0; i < PIXELS; i++) {
            float sum = 0;

            for (int k = 0; k < 9; k++)
                sum += (float)((k * (c + 3)) % 7 - 3) *
                       pixel(at[SMALL_NET_IMAGE], i / SIDE + k / 3 - 1, i % SIDE + k % 3 - 1);
            at[SMALL_NET_EDGES][c * PIXELS + i] = sum;
        }
}

static void
rectify(tensors at)
{
    for (int i = 0; i < CHANNELS * PIXELS; i++)
        at[SMALL_NET_ACTIVE][i] = fmaxf(at[SMALL_NET_EDGES][i], 0);
}

static void
pool(tensors at)
{
    for (int i = 0; i < CHANNELS * PIXELS / 4; i++) {
        int y = i / (SIDE / 2) * 2, x = i % (SIDE / 2) * 2; /* y counts on over the channels */
        const float *corner = at[SMALL_NET_ACTIVE] + y * SIDE + x;

        at[SMALL_NET_POOLED][i] = fmaxf(fmaxf(corner[0], corner[1]), fmaxf(corner[SIDE], corner[SIDE + 1]));
    }
}

static void
raise(tensors at)
{
    for (int i = 0; i < CHANNELS * PIXELS; i++)
        at[SMALL_NET_RAISED][i] = at[SMALL_NET_POOLED][i / SIDE / 2 * (SIDE / 2) + i % SIDE / 2];
}

/* Nothing to do for what lies there already. */
static void
copy_unless_there(float *to, const float *from)
{
    if (to != from)
        memcpy(to, from, CHANNELS * PIXELS * sizeof *to);
}

static void
concatenate(tensors at)
{
    copy_unless_there(at[SMALL_NET_JOINED], at[SMALL_NET_ACTIVE]);
    copy_unless_there(at[SMALL_NET_JOINED] + CHANNELS * PIXELS, at[SMALL_NET_RAISED]);
}

static void
classify(tensors at)
{
    for (int k = 0; k < CLASSES; k++)
        for (int i = 0; i < PIXELS; i++) {
            float sum = 0;

            for (int c = 0; c < 2 * CHANNELS; c++)
                sum += (float)((c + k) % 5 - 2) * at[SMALL_NET_JOINED][c * PIXELS + i];
            at[SMALL_NET_SCORES][k * PIXELS + i] = sum;
        }
}

/* The plan's times. */
static void (*const operators[])(tensors) = {convolve, rectify, pool, raise, concatenate, classify};

enum { OPERATORS = sizeof operators / sizeof operators[0] };

static void
draw_image(float *image)
{
    for (int i = 0; i < PIXELS; i++)
        image[i] = (float)((i * 37 + i / SIDE * 11) % 101) / 101;
}

/* ---- two ways to run it ---- */

/* Each tensor in memory of its own; false if there is none left. */
static int
run_apart(float *scores)
{
    tensors at;
    int is_complete = 1;

    for (size_t i = 0; i < TENSORS; i++) {
        at[i] = malloc(small_net_buffers[i].bytes);
        is_complete &= at[i] != NULL;
    }
    if (is_complete) {
        draw_image(at[SMALL_NET_IMAGE]);
        for (size_t time = 0; time < OPERATORS; time++)
            operators[time](at);
        memcpy(scores, at[SMALL_NET_SCORES], small_net_buffers[SMALL_NET_SCORES].bytes);
    }
    for (size_t i = 0; i < TENSORS; i++)
        free(at[i]);
    return is_complete;
}

/* The number of the buffer that an operator destroyed; MEMMODEL_ARENA_NONE if all went well. */
static size_t
run_in_arena(const struct memmodel_arena *arena, float *scores)
{
    uint64_t sums[LIVE_RANGES];
    tensors at;

    for (size_t i = 0; i < TENSORS; i++)
        at[i] = memmodel_arena_address(arena, i);
    draw_image(at[SMALL_NET_IMAGE]);
    for (size_t time = 0; time < OPERATORS; time++) {
        size_t clobbered;

        memmodel_arena_checksum(arena, (int64_t)time, sums);
        operators[time](at);
        clobbered = memmodel_arena_find_clobbered(arena, (int64_t)time, sums);
        if (clobbered != MEMMODEL_ARENA_NONE) {
            printf("operator %zu overwrote \"%s\", which is still in use\n", time,
                   arena->plan->buffers[clobbered].name);
            return clobbered;
        }
    }
    memcpy(scores, at[SMALL_NET_SCORES], small_net_buffers[SMALL_NET_SCORES].bytes);
    return MEMMODEL_ARENA_NONE;
}

/* ---- the program ---- */

/* 0 if both ways gave the same. */
static int
compare(const struct memmodel_arena_plan *plan)
{
    float scores[CLASSES * PIXELS], scores_apart[CLASSES * PIXELS];
    struct memmodel_arena arena;
    void *memory =
        aligned_alloc(plan->alignment, (plan->bytes + plan->alignment - 1) / plan->alignment * plan->alignment);
    size_t apart = 0;
    int is_same = 0;

    for (size_t i = 0; i < TENSORS; i++)
        apart += plan->buffers[i].bytes;
    if (memmodel_arena_init(&arena, plan, memory, plan->bytes) == MEMMODEL_ARENA_OK &&
        run_in_arena(&arena, scores) == MEMMODEL_ARENA_NONE && run_apart(scores_apart)) {
        is_same = memcmp(scores, scores_apart, sizeof scores) == 0;
        printf("%zu bytes instead of %zu, scores %s\n", plan->bytes, apart, is_same ? "the same" : "DIFFERENT");
    }
    free(memory);
    return !is_same;
}

int
main(int argc, char **argv)
{
    struct memmodel_arena_buffer buffers[TENSORS];
    struct memmodel_arena_plan broken = small_net;
    size_t conflict;

    if (argc < 2)
        return compare(&small_net);
    if (strcmp(argv[1], "--broken") != 0) {
        fprintf(stderr, "usage: %s [--broken]\n", argv[0]);
        return 2;
    }
    memcpy(buffers, small_net_buffers, sizeof buffers);
    buffers[SMALL_NET_POOLED].offset = buffers[SMALL_NET_ACTIVE].offset;
    broken.buffers = buffers;
    conflict = memmodel_arena_find_conflict(&broken);
    if (conflict != MEMMODEL_ARENA_NONE)
        printf("the table has two buffers in one place; one is \"%s\"\n", buffers[conflict].name);
    return compare(&broken);
}
