/* Memory over time, in bounded memory: when it is full, each two neighbours become the larger of them. */
#ifndef MEASURE_TIMELINE_H
#define MEASURE_TIMELINE_H

#include "base/context.h"
#include "memmodel/monitor.h"

struct timeline {
    memmodel_context *context;
    struct memmodel_monitor_point *points;
    size_t count, capacity, limit;
    size_t stride; /* points added for each that is kept */
    size_t filled; /* how many of them the last kept one stands for so far */
};

#define TIMELINE_INIT(context_, limit_) ((struct timeline){.context = (context_), .limit = (limit_), .stride = 1})

/* 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
timeline_add(struct timeline *timeline, double time, int64_t bytes);

void
timeline_release(struct timeline *timeline);

#endif
