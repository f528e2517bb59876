/*
 * When buffers that share their memory are in use, as one: from the first begin to the last end, but for the moments at which
 * one of them has a gap and none of the others needs it.
 */
#ifndef PLAN_LIVES_H
#define PLAN_LIVES_H

#include "plan/plan.h"

/* Of the caller's time, [begin, end). */
struct span {
    int64_t begin, end;
};

struct lives {
    struct span *spans;
    size_t *first; /* of each buffer: where its spans begin, up to those of the next; one in another has none */
    size_t count;
};

/* 0 or MEMMODEL_ERROR_NOMEM. */
int
lives_make(const memmodel_plan *plan, struct lives *lives);

void
lives_release(struct lives *lives, memmodel_context *context);

#endif
