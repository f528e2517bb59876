/* A chain from the inside: its blocks, the schedule found for them, and the stages that find and check it. */
#ifndef RECOMPUTE_CHAIN_H
#define RECOMPUTE_CHAIN_H

#include "base/arena.h"
#include "memmodel/recompute.h"

#include <stdatomic.h>
#include <stdbool.h>

struct chain_block {
    const char *name;
    int64_t input, saved, forward_bytes, backward_bytes;
    double forward_cost, backward_cost;
};

struct chain_step {
    int32_t operation; /* enum memmodel_chain_operation */
    int32_t block;
    int64_t held, peak; /* bytes after and during it */
};

/* Steps as they are found. */
struct chain_schedule {
    struct chain_step *steps;
    size_t count, capacity;
};

struct memmodel_chain {
    memmodel_context *context;
    atomic_int references;
    struct arena arena;
    struct chain_block *blocks;
    size_t count, capacity;
    int64_t output; /* bytes of what the last block makes */
    int64_t total;  /* no schedule holds more bytes */
    struct chain_schedule schedule;
    struct memmodel_chain_result result;
};

/*
 * Bytes of the input of block `i`, or after the last of the chain's output. Gradients are as large as what they are of.
 */
static inline int64_t
chain_input(const memmodel_chain *chain, size_t i)
{
    return i < chain->count ? chain->blocks[i].input : chain->output;
}

/*
 * Bytes beyond the input of block `s`, which is held, that the blocks `s` to `t` need while the gradient of the output
 * of `t` waits: to run `s` keeping all and later backward; and to run `s` to `last` keeping nothing.
 */
int64_t
chain_need_of_saving(const memmodel_chain *chain, size_t s, size_t t);

int64_t
chain_need_of_passing(const memmodel_chain *chain, size_t s, size_t last);

int
chain_append(const memmodel_chain *chain, struct chain_schedule *schedule, enum memmodel_chain_operation operation,
             size_t block);

/* ---- chain_floor.c ---- */

/* The least peak of any schedule in `min`, a block that needs it in `block`, and where `schedule` is not NULL how. */
int
chain_floor(const memmodel_chain *chain, int64_t *min, size_t *block, struct chain_schedule *schedule);

/* ---- chain_optimum.c ---- */

/* The schedule of least cost within `budget` bytes, in `slots` of memory; without steps if there is none in these. */
int
chain_optimum(const memmodel_chain *chain, int64_t budget, int64_t slots, struct chain_schedule *schedule);

/* ---- chain_verify.c ---- */

/*
 * Runs a schedule step by step, knowing nothing of how it was found; fills the bytes of its steps, and the peak and the
 * cost. MEMMODEL_ERROR_INVALID_ARGUMENT names the block whose step is missing what it needs.
 */
int
chain_verify(const memmodel_chain *chain, struct chain_schedule *schedule, int64_t *peak, double *cost);

#endif
