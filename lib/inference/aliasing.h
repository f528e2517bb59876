/*
 * Which tensors lie in the memory of others when the operators run in some order, how long that memory is in use, and
 * so how much is in use at the time of the peak. Times are places in the order.
 */
#ifndef INFERENCE_ALIASING_H
#define INFERENCE_ALIASING_H

#include "inference/graph.h"

/* A tensor's memory: its own, or a part of another's. */
struct alias {
    int32_t base;         /* itself: its own */
    int64_t into;         /* bytes into that of `base` */
    int32_t next, newest; /* all that lie in one memory, from its owner on; -1: no more */
    int32_t begin, end;   /* while it is needed: begin <= time < end */
    int32_t first, last;  /* the same for a memory, of its owner */
};

struct aliasing {
    const struct graph *graph;
    uint64_t without;      /* enum memmodel_schedule_pass */
    struct alias *aliases; /* one a tensor */
    int32_t *place;        /* time of each operator */
    int64_t *load;         /* bytes in use at each time, and one place more */
    int32_t time_count;    /* at least 1 */
    int64_t peak;          /* greatest load */
    double area;           /* sum of all loads */
};

int
aliasing_new(const struct graph *graph, uint64_t without, struct aliasing *aliasing);

void
aliasing_release(struct aliasing *aliasing);

/*
 * Shares memory for one order of the operators, and for one choice: whether views and concatenations of which
 * `optional` is set share it (`chosen`, one an operator). Takes no memory.
 */
void
aliasing_evaluate(struct aliasing *aliasing, const int32_t *order, const bool *chosen);

/* The tensor in whose memory it lies, its own if in none, and how far into it. */
int32_t
aliasing_owner(const struct aliasing *aliasing, int32_t tensor, int64_t *into);

/*
 * Finds a choice of little load, beginning with all and with none: a local search that tries each operator in use at
 * the time of the peak the other way. `chosen` is the answer, and what was evaluated last.
 */
int
aliasing_choose(struct aliasing *aliasing, const int32_t *order, bool *chosen);

#endif
