/* Which formulas are the best of their size. */
#include "regression/front.h"

#include <math.h>

/* Of equal ones the first in the caller's list. */
static bool
stands_before(const struct front_rival *a, const struct front_rival *b)
{
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes;
    if (a->chosen != b->chosen)
        return a->chosen;
    return a->held_out < b->held_out;
}

static void
sort(struct front_rival *rivals, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct front_rival rival = rivals[i];
        size_t place = i;

        for (; place > 0 && stands_before(&rival, &rivals[place - 1]); place--)
            rivals[place] = rivals[place - 1];
        rivals[place] = rival;
    }
}

size_t
front_of(struct front_rival *rivals, size_t count)
{
    double error = INFINITY;
    unsigned nodes = 0;
    size_t kept = 0;

    sort(rivals, count);
    for (size_t i = 0; i < count; i++) {
        if (rivals[i].nodes == nodes || !(rivals[i].held_out < error || rivals[i].chosen))
            continue;
        nodes = rivals[i].nodes;
        error = fmin(error, rivals[i].held_out);
        rivals[kept++] = rivals[i];
    }
    return kept;
}
