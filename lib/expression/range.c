/*
 * The rules of interval arithmetic: what only rises or only falls with each operand is least and greatest at their
 * ends.
 */
#include "expression/range.h"
#include "expression/function_terms.h"
#include "expression/kernels.h"

#include <math.h>

static bool
has_values(enum opcode opcode, struct expression_range a, struct expression_range b)
{
    switch (opcode) {
    case OPCODE_DIVIDE:
        return b.min > 0 || b.max < 0;
    case OPCODE_POWER: /* from 0 on where the exponent is one number above 0 */
        return a.min > 0 || (a.min == 0 && b.min == b.max && b.min > 0);
    case OPCODE_ROOT:
    case OPCODE_CUBE_ROOT:
        return a.min >= 0;
    case OPCODE_LOG:
        return a.min > 0;
    case OPCODE_SIN:
    case OPCODE_COS:
        return a.min >= -MAX_ANGLE && a.max <= MAX_ANGLE;
    default:
        return opcode < OPCODE_OPERATIONS;
    }
}

static struct expression_range
at_ends(enum opcode opcode, struct expression_range a, struct expression_range b)
{
    double first = kernel_point(opcode, a.min, b.min), second = kernel_point(opcode, a.max, b.max);
    struct expression_range value = {fmin(first, second), fmax(first, second)};

    if (opcode >= OPCODE_COPY)
        return value;
    first = kernel_point(opcode, a.min, b.max);
    second = kernel_point(opcode, a.max, b.min);
    return (struct expression_range){fmin(value.min, fmin(first, second)), fmax(value.max, fmax(first, second))};
}

static struct expression_range
square(struct expression_range a)
{
    double min = a.min > 0 ? a.min : a.max < 0 ? a.max : 0;
    double max = fmax(-a.min, a.max);

    return (struct expression_range){min * min, max * max};
}

static struct expression_range
equal(struct expression_range a, struct expression_range b)
{
    bool always = a.min == a.max && b.min == b.max && a.min == b.min;
    bool never = a.min > b.max || a.max < b.min;

    return (struct expression_range){always, !never};
}

/* Whether a number first + 2 pi k may lie in the range. */
static bool
may_hold(struct expression_range range, double first)
{
    static const double turn = 6.283185307179586, margin = 1e-6;

    return floor((range.max - first) / turn + margin) >= ceil((range.min - first) / turn - margin);
}

/* of sine or cosine, whose maxima are `top` and every turn from it */
static struct expression_range
wave(enum opcode opcode, struct expression_range a, double top)
{
    static const double half_turn = 3.141592653589793;
    struct expression_range ends = at_ends(opcode, a, a);

    return (struct expression_range){may_hold(a, top + half_turn) ? -1 : ends.min, may_hold(a, top) ? 1 : ends.max};
}

static struct expression_range
apply(enum opcode opcode, struct expression_range a, struct expression_range b, bool same)
{
    switch (opcode) {
    case OPCODE_MULTIPLY:
        return same ? square(a) : at_ends(opcode, a, b);
    case OPCODE_EQUAL:
        return equal(a, b);
    case OPCODE_SIN:
        return wave(opcode, a, 1.5707963267948966);
    case OPCODE_COS:
        return wave(opcode, a, 0);
    default:
        return at_ends(opcode, a, b);
    }
}

bool
range_operate(enum opcode opcode, struct expression_range a, struct expression_range b, bool same,
              struct expression_range *value)
{
    if (!has_values(opcode, a, b))
        return false;
    *value = apply(opcode, a, b, same);
    return true;
}
