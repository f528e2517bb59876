/*
 * Memory that several processes of a tree share, counted once: the peak of it, and when PSS is to be looked at.
 *
 * RSS counts a shared page in each process, PSS in all of them together once. Reading PSS makes the kernel walk all
 * pages, so it is looked at seldom; in between, what was shared at the last look is taken off RSS. Memory that came
 * since then may be shared or not: the truth is between what is known to be there at least and this sum, and a look is
 * needed where they are far apart.
 */
#ifndef MEASURE_SHARING_H
#define MEASURE_SHARING_H

#include "measure/tree.h"

struct sharing {
    double start, last; /* on process_clock(): the beginning, and the last look at all processes */
    double spent;       /* seconds of processor time that looks took */
    int looks;          /* how many there were at all processes */
    int64_t known;      /* what the tree had at some time, at least */
    int64_t pending;    /* what it may have had since the last look */
};

/*
 * Whether a look is needed for a new peak, and may be afforded. `limit`: bytes above which the caller would act, or 0.
 */
bool
sharing_needs_look(const struct sharing *sharing, const struct tree_size *size, int64_t limit, double now);

/* Whether one is due because the last was long ago. */
bool
sharing_look_is_due(const struct sharing *sharing, const struct tree_size *size, double now);

/* A reading without a look at all processes, or with one that failed. */
void
sharing_note(struct sharing *sharing, const struct tree_size *size);

/* A look at all processes; `before` is the size without it. */
void
sharing_confirm(struct sharing *sharing, const struct tree_size *before, const struct tree_size *size, double now);

/* The most that a single process had. */
void
sharing_note_process(struct sharing *sharing, int64_t bytes);

int64_t
sharing_peak(const struct sharing *sharing);

#endif
