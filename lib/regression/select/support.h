/* Sums of a few columns. */
#ifndef REGRESSION_SUPPORT_H
#define REGRESSION_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SUPPORT_MAX = 31 /* terms besides the constant */, SUPPORT_COLUMNS };

/* Columns in rising order; column 0 is the constant. */
struct support {
    uint16_t columns[SUPPORT_COLUMNS];
    uint8_t count, library; /* the least library that has all of them */
    double squares;         /* weighted squared errors on the rows that it was found by */
};

static inline bool
support_has_constant(const struct support *support)
{
    return support->count > 0 && support->columns[0] == 0;
}

/* Besides the constant. */
static inline size_t
support_terms(const struct support *support)
{
    return support->count - (size_t)support_has_constant(support);
}

static inline bool
support_is_same(const struct support *a, const struct support *b)
{
    return a->count == b->count && memcmp(a->columns, b->columns, a->count * sizeof *a->columns) == 0;
}

/* With one more column. */
static inline struct support
support_with(const struct support *support, uint16_t column)
{
    struct support with = *support;
    size_t place = with.count++;

    for (; place > 0 && with.columns[place - 1] > column; place--)
        with.columns[place] = with.columns[place - 1];
    with.columns[place] = column;
    return with;
}

#endif
