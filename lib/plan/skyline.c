/* A tree of maxima. */
#include "plan/skyline.h"

#include "base/checked.h"

int
skyline_make(struct skyline *skyline, memmodel_context *context, int32_t sections)
{
    *skyline = (struct skyline){.context = context, .leaves = 1};
    while (skyline->leaves < (size_t)sections)
        skyline->leaves *= 2;
    skyline->throughout = memory_allocate_zeroed(context, 2 * skyline->leaves, sizeof *skyline->throughout);
    skyline->anywhere = memory_allocate_zeroed(context, 2 * skyline->leaves, sizeof *skyline->anywhere);
    if (skyline->throughout && skyline->anywhere)
        return 0;
    skyline_release(skyline);
    return MEMMODEL_ERROR_NOMEM;
}

void
skyline_release(struct skyline *skyline)
{
    memory_release(skyline->context, skyline->throughout);
    memory_release(skyline->context, skyline->anywhere);
    skyline->throughout = skyline->anywhere = NULL;
}

static void
raise_above(struct skyline *skyline, size_t node, int64_t top)
{
    for (node /= 2; node; node /= 2)
        skyline->anywhere[node] = max_i64(skyline->anywhere[node], top);
}

static void
raise_node(struct skyline *skyline, size_t node, int64_t top)
{
    skyline->throughout[node] = max_i64(skyline->throughout[node], top);
    skyline->anywhere[node] = max_i64(skyline->anywhere[node], top);
}

void
skyline_raise(struct skyline *skyline, struct stretch stretch, int64_t top)
{
    size_t left = skyline->leaves + (size_t)stretch.begin, right = skyline->leaves + (size_t)stretch.end;

    raise_above(skyline, left, top);
    raise_above(skyline, right - 1, top);
    for (; left < right; left /= 2, right /= 2) {
        if (left % 2)
            raise_node(skyline, left++, top);
        if (right % 2)
            raise_node(skyline, --right, top);
    }
}

static int64_t
top_above(const struct skyline *skyline, size_t node)
{
    int64_t top = 0;

    for (; node; node /= 2)
        top = max_i64(top, skyline->throughout[node]);
    return top;
}

int64_t
skyline_top(const struct skyline *skyline, struct stretch stretch)
{
    size_t left = skyline->leaves + (size_t)stretch.begin, right = skyline->leaves + (size_t)stretch.end;
    int64_t top = max_i64(top_above(skyline, left), top_above(skyline, right - 1));

    for (; left < right; left /= 2, right /= 2) {
        if (left % 2)
            top = max_i64(top, skyline->anywhere[left++]);
        if (right % 2)
            top = max_i64(top, skyline->anywhere[--right]);
    }
    return top;
}

int64_t
skyline_item_top(const struct skyline *skyline, const struct problem *problem, const struct item *item)
{
    int64_t top = 0;

    for (uint32_t k = 0; k < item->stretch_count; k++)
        top = max_i64(top, skyline_top(skyline, problem->stretches[item->stretch + k]));
    return top;
}
