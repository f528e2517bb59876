/*
 * How others place buffers: short implementations of what they publish, for comparison. All keep what was placed in a list
 * by offset and look through it for each buffer, as they do.
 */
#ifndef BENCH_PLAN_BASELINES_H
#define BENCH_PLAN_BASELINES_H

#include <stddef.h>
#include <stdint.h>

struct buffer {
    int64_t lower, upper, bytes;
    int64_t offset; /* found; -1 while it is not placed */
    size_t conflicts;
};

struct baseline {
    const char *name;
    const char *source;
    /* Places all; the greatest end, -1 without memory. */
    int64_t (*place)(struct buffer *buffers, size_t count);
    size_t max_buffers; /* buffers that it is asked for in reasonable time */
};

extern const struct baseline baselines[];
extern const size_t baseline_count;

#endif
