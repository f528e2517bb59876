/*
 * Iterations of a loop that need not be run, since what the allocator does in them is proven.
 *
 * Of an allocator that goes by order (allocator.h) the pieces in the order of their addresses are a word (word.h), and
 * with it all is said. Let some letters x of the word U x V stay untouched in some iterations, which end with another
 * word. From U x x V the same iterations do the same, and leave the second x alone as well: its free pieces are no
 * better than those of the first, which were not taken either. So when the iterations lead from U x V to U x x V, and
 * leave an x untouched, as many more lead to U x ... x V; and when they lead from U x V y W to U V y y W, and leave an x
 * and a y untouched, as many more take one x after the other away and add as many y. Such an x, how long it is, and
 * how many of it are left out is a family. The word that is kept is that of a trace with fewer iterations. As long as some
 * of a family are left out, one copy that is there must stay untouched; which is looked at when the last of them are
 * consumed, or at the end.
 *
 * What counters add up to grows by the same with each period. So before or behind the iterations that are left out
 * each counter is at least as great as among them.
 */
#ifndef ALLOCATORS_PERIODS_H
#define ALLOCATORS_PERIODS_H

#include "allocators/word.h"

/* What an iteration does, in a number: by those a length of periods is guessed, which words then prove. */
struct period_search {
    uint64_t *signatures; /* of the iterations so far */
    size_t count, capacity;
    size_t next; /* how many there must be for the next look */
    uint64_t signature;
};

void
period_search_sign(struct period_search *search, int64_t number);

/* An iteration ends. 0, MEMMODEL_ERROR_NO_MEMORY. */
int
period_search_add(memmodel_context *context, struct period_search *search);

/* *length of the shortest period that the last iterations were twice, 0 if there is none or it is too early to look. */
int
period_search_find(memmodel_context *context, struct period_search *search, size_t *length);

/* Of a period, with copies that are there and ones that are left out. */
struct family {
    int64_t left_out;
    int64_t iterations;             /* that one copy is of */
    int64_t since;                  /* no copy was changed from that stamp on, when it was made */
    struct allocator_counters each; /* bytes of one */
    size_t length;
    int64_t *shifts;    /* by letter: how many instances on it is in the next copy */
    int64_t (*ends)[2]; /* of each copy: addresses of its first and its last letter */
    size_t copies;
};

struct periods {
    int64_t patience; /* how many periods are seen before others like it are left out */
    bool failed;
    int64_t seen; /* letters of words */
    struct family *families;
    size_t count, capacity;
    struct period_search search;
    /* the period of the walk that is run */
    bool inside;
    size_t period;
    int64_t owed;    /* iterations that must be left out, as they were where its blocks are from */
    int32_t owed_to; /* the repeat */
    int64_t skipped; /* iterations that were left out */
    int8_t *slopes;  /* by block of the trace */
    /* iterations that are compared, if any */
    int64_t iterations, next; /* of a period; after how many comes the next look */
    struct word before, after;
    struct word_row row;
    int64_t consumed; /* index of the family, -1: none */
    int guesses;      /* lengths that were tried before any is looked for */
};

/* 0 with run->periods, MEMMODEL_ERROR_NO_MEMORY */
int
periods_new(struct allocator_run *run, int64_t patience);

void
periods_delete(memmodel_context *context, struct periods *periods);

struct allocator_observer
periods_observer(struct periods *periods);

/* Whether this trace through this allocator may have any. */
bool
periods_possible(const struct allocator_run *run);

/* After each event. */
int
periods_step(struct allocator_run *run);

/* Adds the bytes of what is left out. */
void
periods_add(const struct periods *periods, struct allocator_counters *counters);

/* It cannot be proven that what was left out is as it was taken to be. */
bool
periods_failed(const struct periods *periods);

/* After the last event: whether all that is still left out is proven. */
int
periods_end(struct allocator_run *run, bool *proven);

#endif
