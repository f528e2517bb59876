/* Memory over time, in bounded memory: when it is full, each two neighbours become the larger of them. */
#ifndef MEASURE_CURVE_H
#define MEASURE_CURVE_H

#include "base/context.h"
#include "memmodel/monitor.h"

struct curve {
    memmodel_context *context;
    struct memmodel_monitor_point *points;
    size_t count, capacity, limit;
    size_t stride; /* points added for each that is kept */
    size_t filled; /* how many of them the last kept one stands for so far */
};

#define CURVE_INIT(context_, limit_) ((struct curve){.context = (context_), .limit = (limit_), .stride = 1})

/* 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
curve_add(struct curve *curve, double time, int64_t bytes);

void
curve_release(struct curve *curve);

#endif
