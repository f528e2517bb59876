/* Numbers in rising order. */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

#include <stdlib.h>

static inline int
numbers_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static inline void
numbers_sort(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, numbers_compare);
}

#endif
