/* A tree of maxima. */
#include "plan/skyline.h"

#include "base/checked.h"
#include "plan/segment_tree.h"

int
skyline_make(struct skyline *skyline, memmodel_context *context, int32_t sections)
{
    *skyline = (struct skyline){.context = context, .leaves = segment_tree_leaves(sections)};
    skyline->throughout = memory_allocate_zeroed(context, 2 * skyline->leaves, sizeof *skyline->throughout);
    skyline->anywhere = memory_allocate_zeroed(context, 2 * skyline->leaves, sizeof *skyline->anywhere);
    if (skyline->throughout && skyline->anywhere)
        return 0;
    skyline_release(skyline);
    return MEMMODEL_ERROR_NO_MEMORY;
}

void
skyline_release(struct skyline *skyline)
{
    memory_release(skyline->context, skyline->throughout);
    memory_release(skyline->context, skyline->anywhere);
    skyline->throughout = skyline->anywhere = NULL;
}

static void
lift(int64_t *top, int64_t to)
{
    *top = max_i64(*top, to);
}

void
skyline_raise(struct skyline *skyline, struct interval interval, int64_t top)
{
    struct segment_tree_nodes nodes;

    segment_tree_find(skyline->leaves, interval, &nodes);
    for (int i = 0; i < nodes.above_count; i++)
        lift(&skyline->anywhere[nodes.above[i]], top);
    for (int i = 0; i < nodes.whole_count; i++) {
        lift(&skyline->anywhere[nodes.whole[i]], top);
        lift(&skyline->throughout[nodes.whole[i]], top);
    }
}

static int64_t
skyline_top(const struct skyline *skyline, struct interval interval)
{
    struct segment_tree_nodes nodes;
    int64_t top = 0;

    segment_tree_find(skyline->leaves, interval, &nodes);
    for (int i = 0; i < nodes.above_count; i++)
        lift(&top, skyline->throughout[nodes.above[i]]);
    for (int i = 0; i < nodes.whole_count; i++)
        lift(&top, skyline->anywhere[nodes.whole[i]]);
    return top;
}

int64_t
skyline_item_top(const struct skyline *skyline, const struct problem *problem, const struct item *item)
{
    int64_t top = 0;

    for (uint32_t k = 0; k < item->interval_count; k++)
        top = max_i64(top, skyline_top(skyline, problem->intervals[item->interval + k]));
    return top;
}
