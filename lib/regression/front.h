/* Which formulas are the best of their size. */
#ifndef REGRESSION_FRONT_H
#define REGRESSION_FRONT_H

#include <stdbool.h>
#include <stddef.h>

struct front_rival {
    unsigned nodes;
    double held_out; /* error */
    bool chosen;     /* it stays, and before others of its size */
    size_t place;    /* in the caller's list */
};

/* Sorts them by rising size and leaves those than which no smaller one is as good. Returns how many. */
size_t
front_of(struct front_rival *rivals, size_t count);

#endif
