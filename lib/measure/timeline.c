/* Memory over time, in bounded memory: when it is full, each two neighbours become the larger of them. */
#include "measure/timeline.h"

static void
halve(struct timeline *timeline)
{
    struct memmodel_monitor_point *points = timeline->points;
    size_t pairs = timeline->count / 2;

    for (size_t i = 0; i < pairs; i++)
        points[i] = points[2 * i].bytes >= points[2 * i + 1].bytes ? points[2 * i] : points[2 * i + 1];
    if (timeline->count % 2)
        points[pairs] = points[timeline->count - 1];
    timeline->filled = timeline->count % 2 ? timeline->stride : 2 * timeline->stride;
    timeline->count = pairs + timeline->count % 2;
    timeline->stride *= 2;
}

int
timeline_add(struct timeline *timeline, double time, int64_t bytes)
{
    struct memmodel_monitor_point point = {.time = time, .bytes = bytes}, *last;

    if (timeline->count == timeline->limit && timeline->filled == timeline->stride)
        halve(timeline);
    if (timeline->count > 0 && timeline->filled < timeline->stride) {
        last = &timeline->points[timeline->count - 1];
        if (bytes > last->bytes)
            *last = point;
        timeline->filled++;
        return 0;
    }
    if (array_reserve(timeline->context, &timeline->points, &timeline->capacity, timeline->count + 1,
                      sizeof *timeline->points))
        return MEMMODEL_ERROR_NO_MEMORY;
    timeline->points[timeline->count++] = point;
    timeline->filled = 1;
    return 0;
}

void
timeline_release(struct timeline *timeline)
{
    memory_release(timeline->context, timeline->points);
    *timeline = TIMELINE_INIT(timeline->context, timeline->limit);
}
