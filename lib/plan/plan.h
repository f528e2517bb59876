/* A plan from the inside: its buffers as they were given, and the offsets found for them. */
#ifndef PLAN_H
#define PLAN_H

#include "base/arena.h"
#include "base/context.h"
#include "memmodel/plan.h"

#include <stdatomic.h>
#include <stdbool.h>

/* An interval of time, [begin, end). */
struct plan_gap {
    int64_t begin, end;
    struct plan_gap *next; /* in time */
};

struct plan_buffer {
    const char *name; /* "" for none */
    int64_t bytes, begin, end, alignment;
    int64_t offset; /* where it has to lie, -1: anywhere; found ones are in memmodel_plan.offsets */
    struct plan_gap *gaps, *last_gap;
    size_t base; /* whose memory it shares, its own number if nobody's */
    int64_t displacement;
};

struct plan_row {
    const char *const *fields;
    int line; /* in the file */
};

/* What is written back: the fields of each row as they were. */
struct plan_table {
    const char *const *columns;
    size_t column_count;
    size_t offset;         /* the column that offsets go to; `column_count`: a new one */
    struct plan_row *rows; /* one a buffer */
    size_t row_count, row_capacity;
};

struct memmodel_plan {
    memmodel_context *context;
    atomic_int references;
    struct arena arena;
    struct plan_buffer *buffers;
    size_t count, capacity;
    int64_t total;      /* bytes of all buffers */
    int64_t max_height; /* no arena of these buffers is higher, wherever they lie */
    int64_t *offsets;   /* of each buffer; NULL while unsolved */
    struct memmodel_plan_result result;
    uint64_t without;         /* rules of the search, a sum of enum plan_rule */
    struct plan_table *table; /* the file that the buffers were read from; NULL: none */
};

/* The buffer that `buffer` lies in, nobody's own, and how far into it. */
size_t
plan_base(const memmodel_plan *plan, size_t buffer, int64_t *displacement);

/* The plan is unsolved again. */
void
plan_forget_offsets(memmodel_plan *plan);

/* Of the plan's table, if it has one. */
void
plan_table_release(memmodel_plan *plan);

#endif
