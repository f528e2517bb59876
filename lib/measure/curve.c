/* Memory over time, in bounded memory: when it is full, each two neighbours become the larger of them. */
#include "measure/curve.h"

static void
halve(struct curve *curve)
{
    struct memmodel_monitor_point *points = curve->points;
    size_t pairs = curve->count / 2;

    for (size_t i = 0; i < pairs; i++)
        points[i] = points[2 * i].bytes >= points[2 * i + 1].bytes ? points[2 * i] : points[2 * i + 1];
    if (curve->count % 2)
        points[pairs] = points[curve->count - 1];
    curve->filled = curve->count % 2 ? curve->stride : 2 * curve->stride;
    curve->count = pairs + curve->count % 2;
    curve->stride *= 2;
}

int
curve_add(struct curve *curve, double time, int64_t bytes)
{
    struct memmodel_monitor_point point = {.time = time, .bytes = bytes}, *last;

    if (curve->count == curve->limit && curve->filled == curve->stride)
        halve(curve);
    if (curve->count > 0 && curve->filled < curve->stride) {
        last = &curve->points[curve->count - 1];
        if (bytes > last->bytes)
            *last = point;
        curve->filled++;
        return 0;
    }
    if (array_reserve(curve->context, &curve->points, &curve->capacity, curve->count + 1, sizeof *curve->points))
        return MEMMODEL_ERROR_NO_MEMORY;
    curve->points[curve->count++] = point;
    curve->filled = 1;
    return 0;
}

void
curve_release(struct curve *curve)
{
    memory_release(curve->context, curve->points);
    *curve = CURVE_INIT(curve->context, curve->limit);
}
