/*
 * The scratchpad of a primitive is one buffer: the sum of its bookings, each with room for its alignment.
 * oneDNN: src/common/memory_tracking.hpp, src/cpu/x64/cpu_reducer.cpp, cpu_barrier.hpp.
 */
#ifndef ONEDNN_SCRATCHPAD_H
#define ONEDNN_SCRATCHPAD_H

#include <stdint.h>

void
scratchpad_book(int64_t *scratchpad, int64_t bytes);

/* The same, aligned to a page. */
void
scratchpad_book_pages(int64_t *scratchpad, int64_t bytes);

/* Where `count` groups of threads wait for each other. */
void
scratchpad_book_barriers(int64_t *scratchpad, int64_t count);

/* The scratchpad of a primitive that runs inside another one. */
int64_t
scratchpad_nested(int64_t scratchpad);

/* How `threads` threads share `jobs` sums of `job` floats over `reduction` parts. */
struct balance {
    int64_t groups, threads_per_group, jobs_per_group, job;
};

/* `limit`: floats that the partial sums of all threads may take. */
struct balance
balance_reduction(int64_t threads, int64_t job, int64_t jobs, int64_t reduction, int64_t limit);

/* Partial sums of all threads of a group but its first, which adds in place. */
void
scratchpad_book_reducer(int64_t *scratchpad, struct balance balance);

#endif
