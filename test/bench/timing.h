/* What benchmarks share: a clock of the processor time they took, and the order of what it said, for medians by qsort(). */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <time.h>

static inline double
milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static inline int
compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

#endif
