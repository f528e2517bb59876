/* Where trees have values: arithmetic of intervals. */
#include "regression/search/tree.h"

#include <math.h>

static const double largest = 1e150; /* beyond it a square is infinite */
static const double most_angle = 0x1p30;

static struct interval
spanned(double a, double b, double c, double d)
{
    return (struct interval){fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d))};
}

static struct interval
product(struct interval a, struct interval b)
{
    return spanned(a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most);
}

static struct interval
square(struct interval a)
{
    double least = a.least * a.least, most = a.most * a.most;
    bool has_zero = a.least <= 0 && a.most >= 0;

    return (struct interval){has_zero ? 0 : fmin(least, most), fmax(least, most)};
}

static struct interval
apply(unsigned operation, struct interval a, struct interval b)
{
    switch (operation) {
    case TREE_ADD:
        return (struct interval){a.least + b.least, a.most + b.most};
    case TREE_SUBTRACT:
        return (struct interval){a.least - b.most, a.most - b.least};
    case TREE_MULTIPLY:
        return product(a, b);
    case TREE_DIVIDE:
        return product(a, (struct interval){1 / b.most, 1 / b.least});
    case TREE_MIN:
        return (struct interval){fmin(a.least, b.least), fmin(a.most, b.most)};
    case TREE_MAX:
        return (struct interval){fmax(a.least, b.least), fmax(a.most, b.most)};
    case TREE_SQUARE:
        return square(b);
    case TREE_ROOT:
        return (struct interval){sqrt(b.least), sqrt(b.most)};
    case TREE_INVERSE:
        return (struct interval){1 / b.most, 1 / b.least};
    case TREE_EXP:
    case TREE_TANH:
        return (struct interval){kernel_point(tree_opcode(operation), b.least, 0),
                                 kernel_point(tree_opcode(operation), b.most, 0)};
    case TREE_SIN:
    case TREE_COS:
        return (struct interval){-1, 1};
    default: /* a logarithm; its size is all that matters, and -745 to 710 is all there is */
        return (struct interval){b.least >= 1 ? 0 : -745, b.most <= 1 ? 0 : 710};
    }
}

bool
interval_join(unsigned operation, struct interval first, struct interval second, struct interval *joined)
{
    bool divides = operation == TREE_DIVIDE || operation == TREE_INVERSE;

    if ((divides && second.least <= 0 && second.most >= 0) || (operation == TREE_ROOT && second.least < 0) ||
        (operation == TREE_LOG && !(second.least > 0)))
        return false;
    if ((operation == TREE_SIN || operation == TREE_COS) && !(second.least >= -most_angle && second.most <= most_angle))
        return false;
    *joined = apply(operation, first, second);
    return joined->least > -largest && joined->most < largest;
}

struct interval
interval_of(const double *column, size_t rows)
{
    struct interval interval = {column[0], column[0]};

    for (size_t i = 1; i < rows; i++) {
        interval.least = fmin(interval.least, column[i]);
        interval.most = fmax(interval.most, column[i]);
    }
    return interval;
}
