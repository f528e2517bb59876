/*
 * Ranges of programs by interval arithmetic. Sums, products, quotients and square roots are rounded to nearest, which is
 * monotone: what they make of the ends of intervals holds every number that the machine computes. Of the other functions
 * the results are moved outward.
 *
 * A slope is the quotient of two differences, of the value and of a symbol, with all other symbols held: it also is known
 * of steps and kinks, which have no derivative. Slopes are real numbers: theirs is moved outward by each operation.
 */
#include "expression/function_terms.h"
#include "expression/program.h"

#include <math.h>

enum { FUNCTION_ERROR = 4 }; /* units in the last place that exp, log and powers may be off, doubled */

/* A value, its slope, and what it is. */
struct extent {
    struct expression_range value, slope;
    int32_t self;                /* equal only of what has the same value; 0: nothing is known */
    int32_t greater_of, less_of; /* it is the maximum or minimum of that value and a number; 0: it is not */
};

static const struct expression_range flat = {0, 0}, everything = {-INFINITY, INFINITY};

/* ---- slopes ---- */

static double
down(double value)
{
    return nextafter(value, -INFINITY);
}

static double
up(double value)
{
    return nextafter(value, INFINITY);
}

static bool
is_flat(struct expression_range slope)
{
    return slope.least == 0 && slope.greatest == 0;
}

static struct expression_range
hull(struct expression_range a, struct expression_range b)
{
    return (struct expression_range){fmin(a.least, b.least), fmax(a.greatest, b.greatest)};
}

/* Adding 0 is exact. */
static struct expression_range
slope_add(struct expression_range a, struct expression_range b)
{
    struct expression_range sum = {a.least + b.least, a.greatest + b.greatest};

    if (isnan(sum.least) || isnan(sum.greatest))
        return everything;
    if (a.least != 0 && b.least != 0)
        sum.least = down(sum.least);
    if (a.greatest != 0 && b.greatest != 0)
        sum.greatest = up(sum.greatest);
    return sum;
}

static struct expression_range
negative(struct expression_range a)
{
    return (struct expression_range){-a.greatest, -a.least};
}

/* 0 times infinity is 0: infinity only says that there is no bound. */
static struct expression_range
slope_multiply(struct expression_range a, struct expression_range b)
{
    const double lefts[] = {a.least, a.least, a.greatest, a.greatest};
    const double rights[] = {b.least, b.greatest, b.least, b.greatest};
    struct expression_range product = {INFINITY, -INFINITY};

    for (int i = 0; i < 4; i++) {
        bool zero = lefts[i] == 0 || rights[i] == 0;
        double value = zero ? 0 : lefts[i] * rights[i];

        product.least = fmin(product.least, zero ? 0 : down(value));
        product.greatest = fmax(product.greatest, zero ? 0 : up(value));
    }
    return product;
}

/* What jumps up, or down, with a value of this slope. */
static struct expression_range
slope_of_steps(struct expression_range slope)
{
    return (struct expression_range){slope.least < 0 ? -INFINITY : 0, slope.greatest > 0 ? INFINITY : 0};
}

/* ---- values ---- */

static struct expression_range
outward(double least, double greatest)
{
    for (int i = 0; i < FUNCTION_ERROR; i++) {
        least = down(least);
        greatest = up(greatest);
    }
    return (struct expression_range){least, greatest};
}

static struct expression_range
multiply(struct expression_range a, struct expression_range b)
{
    const double products[] = {a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest};
    struct expression_range product = {products[0], products[0]};

    for (int i = 1; i < 4; i++)
        product = hull(product, (struct expression_range){products[i], products[i]});
    return product;
}

static struct expression_range
square(struct expression_range a)
{
    double least = a.least > 0 ? a.least : a.greatest < 0 ? a.greatest : 0;
    double greatest = fmax(-a.least, a.greatest);

    return (struct expression_range){least * least, greatest * greatest};
}

static struct expression_range
inverse(struct expression_range a)
{
    return (struct expression_range){1 / a.greatest, 1 / a.least};
}

static bool
holds_zero(struct expression_range a)
{
    return a.least <= 0 && a.greatest >= 0;
}

/* ---- operations of two ---- */

static struct extent
add(const struct extent *a, const struct extent *b)
{
    return (struct extent){.value = {a->value.least + b->value.least, a->value.greatest + b->value.greatest},
                           .slope = slope_add(a->slope, b->slope)};
}

static struct extent
subtract(const struct extent *a, const struct extent *b)
{
    const struct extent minus = {.value = negative(b->value), .slope = negative(b->slope)};

    return add(a, &minus);
}

static struct extent
times(const struct extent *a, const struct extent *b, bool same)
{
    if (same)
        return (struct extent){.value = square(a->value),
                               .slope =
                                   slope_multiply(slope_multiply((struct expression_range){2, 2}, a->value), a->slope)};
    return (struct extent){.value = multiply(a->value, b->value),
                           .slope = slope_add(slope_multiply(a->value, b->slope), slope_multiply(b->value, a->slope))};
}

/* a / b is a1 / b1 - a2 / b2 = ((a1 - a2) - a2 / b2 (b1 - b2)) / b1 */
static bool
divide(const struct extent *a, const struct extent *b, struct extent *quotient)
{
    struct expression_range numerator;

    if (holds_zero(b->value))
        return false;
    quotient->value = hull(
        (struct expression_range){fmin(a->value.least / b->value.least, a->value.least / b->value.greatest),
                                  fmax(a->value.least / b->value.least, a->value.least / b->value.greatest)},
        (struct expression_range){fmin(a->value.greatest / b->value.least, a->value.greatest / b->value.greatest),
                                  fmax(a->value.greatest / b->value.least, a->value.greatest / b->value.greatest)});
    numerator = slope_add(a->slope, negative(slope_multiply(quotient->value, b->slope)));
    quotient->slope = slope_multiply(numerator, inverse(b->value));
    return true;
}

static struct extent
maximum(const struct extent *a, const struct extent *b)
{
    struct extent result = {.value = {fmax(a->value.least, b->value.least), fmax(a->value.greatest, b->value.greatest)},
                            .slope = hull(a->slope, b->slope)};

    if (a->value.least >= b->value.greatest)
        result.slope = a->slope;
    else if (b->value.least >= a->value.greatest)
        result.slope = b->slope;
    return result;
}

static struct extent
minimum(const struct extent *a, const struct extent *b)
{
    const struct extent left = {.value = negative(a->value), .slope = negative(a->slope)};
    const struct extent right = {.value = negative(b->value), .slope = negative(b->slope)};
    struct extent result = maximum(&left, &right);

    return (struct extent){.value = negative(result.value), .slope = negative(result.slope)};
}

/* Of a condition that holds where `above` is not below 0, which has that slope. */
static struct extent
step(bool always, bool never, struct expression_range slope)
{
    if (always || never)
        return (struct extent){.value = {always, always}, .slope = flat};
    return (struct extent){.value = {0, 1}, .slope = slope_of_steps(slope)};
}

static struct extent
not_less(const struct extent *a, const struct extent *b)
{
    return step(a->value.least >= b->value.greatest, a->value.greatest < b->value.least,
                slope_add(a->slope, negative(b->slope)));
}

/* max(a, number) = a where a is not below the number: a step up with a; min(a, number) = a is one down. */
static struct extent
equal(const struct extent *a, const struct extent *b)
{
    const struct extent *extreme = a->greater_of || a->less_of ? a : b, *other = extreme == a ? b : a;
    bool always =
        a->value.least == a->value.greatest && b->value.least == b->value.greatest && a->value.least == b->value.least;
    bool never = a->value.least > b->value.greatest || a->value.greatest < b->value.least;

    if (other->self != 0 && extreme->greater_of == other->self)
        return step(always || extreme->value.least <= other->value.least, never, other->slope);
    if (other->self != 0 && extreme->less_of == other->self)
        return step(always || extreme->value.greatest >= other->value.greatest, never, negative(other->slope));
    return step(always, never, is_flat(a->slope) && is_flat(b->slope) ? flat : everything);
}

static bool
is_number(const struct extent *a)
{
    return a->value.least == a->value.greatest && is_flat(a->slope);
}

/* a^b = exp(b ln a), for a above 0; or from 0 on, where b is a number above 0 */
static bool
power(const struct extent *a, const struct extent *b, struct extent *result)
{
    const double bases[] = {a->value.least, a->value.least, a->value.greatest, a->value.greatest};
    const double exponents[] = {b->value.least, b->value.greatest, b->value.least, b->value.greatest};
    struct expression_range logarithm, exponent = b->value;

    if (!(a->value.least > 0) && !(a->value.least == 0 && is_number(b) && b->value.least > 0))
        return false;
    result->value = (struct expression_range){INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) {
        double value = kernel_point(OPCODE_POWER, bases[i], exponents[i]);

        result->value = hull(result->value, (struct expression_range){value, value});
    }
    result->value = outward(result->value.least, result->value.greatest);
    result->value.least = fmax(result->value.least, 0);
    if (!(a->value.least > 0)) {
        result->slope = is_flat(a->slope) ? flat : slope_of_steps(a->slope);
        return true;
    }
    logarithm = outward(kernel_point(OPCODE_LOG, a->value.least, 0), kernel_point(OPCODE_LOG, a->value.greatest, 0));
    exponent = slope_multiply(exponent, slope_multiply(inverse(a->value), a->slope));
    result->slope = slope_multiply(result->value, slope_add(exponent, slope_multiply(logarithm, b->slope)));
    return true;
}

/* ---- operations of one ---- */

static struct extent
whole(const struct extent *a)
{
    struct extent result = {.value = {floor(a->value.least), floor(a->value.greatest)}};

    result.slope = result.value.least == result.value.greatest ? flat : slope_of_steps(a->slope);
    return result;
}

/* The root of that opcode, which is the power `exponent`. */
static bool
root(enum opcode opcode, const struct extent *a, double exponent, struct extent *result)
{
    struct expression_range steepness;

    if (a->value.least < 0)
        return false;
    result->value =
        (struct expression_range){kernel_point(opcode, a->value.least, 0), kernel_point(opcode, a->value.greatest, 0)};
    if (opcode != OPCODE_ROOT)
        result->value = outward(result->value.least, result->value.greatest);
    result->value.least = fmax(result->value.least, 0);
    /* exponent * root / a, which falls */
    steepness =
        (struct expression_range){exponent * result->value.least / a->value.greatest,
                                  a->value.least > 0 ? exponent * result->value.greatest / a->value.least : INFINITY};
    if (a->value.greatest == 0)
        steepness.least = 0;
    result->slope = slope_multiply(steepness, a->slope);
    return true;
}

static struct extent
exponential(const struct extent *a)
{
    struct extent result = {
        .value = outward(kernel_point(OPCODE_EXP, a->value.least, 0), kernel_point(OPCODE_EXP, a->value.greatest, 0))};

    result.value.least = fmax(result.value.least, 0);
    result.slope = slope_multiply(result.value, a->slope);
    return result;
}

static bool
logarithm(const struct extent *a, struct extent *result)
{
    if (!(a->value.least > 0))
        return false;
    result->value =
        outward(kernel_point(OPCODE_LOG, a->value.least, 0), kernel_point(OPCODE_LOG, a->value.greatest, 0));
    result->slope = slope_multiply(inverse(a->value), a->slope);
    return true;
}

/* Whether a number first + 2 pi k may lie in the range. */
static bool
may_hold(struct expression_range range, double first)
{
    static const double turn = 6.283185307179586, margin = 1e-6;

    return floor((range.greatest - first) / turn + margin) >= ceil((range.least - first) / turn - margin);
}

/* of sine or cosine, whose maxima are `top` and every turn from it */
static struct expression_range
wave(enum opcode opcode, struct expression_range a, double top)
{
    static const double half_turn = 3.141592653589793;
    double first = kernel_point(opcode, a.least, 0), last = kernel_point(opcode, a.greatest, 0);
    struct expression_range range = outward(fmin(first, last), fmax(first, last));

    return (struct expression_range){may_hold(a, top + half_turn) ? -1 : fmax(range.least, -1),
                                     may_hold(a, top) ? 1 : fmin(range.greatest, 1)};
}

static struct expression_range
sine_of(struct expression_range a)
{
    return wave(OPCODE_SIN, a, 1.5707963267948966);
}

static struct expression_range
cosine_of(struct expression_range a)
{
    return wave(OPCODE_COS, a, 0);
}

static bool
oscillation(enum opcode opcode, const struct extent *a, struct extent *result)
{
    bool sine = opcode == OPCODE_SIN;

    if (!(a->value.least >= -MOST_ANGLE && a->value.greatest <= MOST_ANGLE))
        return false;
    result->value = sine ? sine_of(a->value) : cosine_of(a->value);
    result->slope = slope_multiply(sine ? cosine_of(a->value) : negative(sine_of(a->value)), a->slope);
    return true;
}

/* Its derivative 1 - tanh^2 is greatest where the argument is nearest 0. */
static struct extent
hyperbolic_tangent(const struct extent *a)
{
    struct extent result = {.value = outward(kernel_point(OPCODE_TANH, a->value.least, 0),
                                             kernel_point(OPCODE_TANH, a->value.greatest, 0))};
    struct expression_range squares;

    result.value = (struct expression_range){fmax(result.value.least, -1), fmin(result.value.greatest, 1)};
    squares = square(result.value);
    squares = outward(1 - squares.greatest, 1 - squares.least);
    squares.least = fmax(squares.least, 0);
    result.slope = slope_multiply(squares, a->slope);
    return result;
}

/* ---- the machine ---- */

/* false where the operation may be undefined */
static bool
operate(enum opcode opcode, const struct extent *a, const struct extent *b, bool same, struct extent *result)
{
    switch (opcode) {
    case OPCODE_ADD:
        *result = add(a, b);
        return true;
    case OPCODE_SUBTRACT:
        *result = subtract(a, b);
        return true;
    case OPCODE_MULTIPLY:
        *result = times(a, b, same);
        return true;
    case OPCODE_DIVIDE:
        return divide(a, b, result);
    case OPCODE_MAX:
    case OPCODE_AT_LEAST:
        *result = maximum(a, b);
        return true;
    case OPCODE_MIN:
    case OPCODE_AT_MOST:
        *result = minimum(a, b);
        return true;
    case OPCODE_NOT_LESS:
        *result = not_less(a, b);
        return true;
    case OPCODE_EQUAL:
        *result = equal(a, b);
        return true;
    case OPCODE_POWER:
        return power(a, b, result);
    case OPCODE_COPY:
        *result = *a;
        return true;
    case OPCODE_FLOOR:
        *result = whole(a);
        return true;
    case OPCODE_ROOT:
        return root(opcode, a, 0.5, result);
    case OPCODE_CUBE_ROOT:
        return root(opcode, a, 1.0 / 3, result);
    case OPCODE_EXP:
        *result = exponential(a);
        return true;
    case OPCODE_LOG:
        return logarithm(a, result);
    case OPCODE_SIN:
    case OPCODE_COS:
        return oscillation(opcode, a, result);
    case OPCODE_TANH:
        *result = hyperbolic_tangent(a);
        return true;
    default:
        return false;
    }
}

static bool
is_finite(const struct extent *a)
{
    return isfinite(a->value.least) && isfinite(a->value.greatest) && !isnan(a->slope.least) &&
           !isnan(a->slope.greatest);
}

struct region {
    const struct expression_program *program;
    const double *lower, *upper;
    size_t symbol;
};

/* Symbols are known by 1 and on, what instructions compute by -1 and on. */
static struct extent
extent_of(const struct region *region, const struct extent *registers, const struct extent *results, operand of)
{
    size_t index = operand_index(of);

    switch (operand_place(of)) {
    case PLACE_REGISTER:
        return registers[index];
    case PLACE_RESULT:
        return results[index];
    case PLACE_SYMBOL:
        return (struct extent){.value = {region->lower[index], region->upper[index]},
                               .slope = {index == region->symbol, index == region->symbol},
                               .self = (int32_t)index + 1};
    default:
        return (struct extent){.value = {region->program->numbers[index], region->program->numbers[index]}};
    }
}

static void
note_what_it_is(enum opcode opcode, const struct extent *a, const struct extent *b, size_t instruction,
                struct extent *result)
{
    int32_t of = is_number(b) ? a->self : is_number(a) ? b->self : 0;

    if (opcode == OPCODE_COPY)
        return;
    result->self = -1 - (int32_t)instruction;
    result->greater_of = opcode == OPCODE_MAX ? of : 0;
    result->less_of = opcode == OPCODE_MIN ? of : 0;
}

bool
expression_program_range(const struct expression_program *program, const double *lower, const double *upper,
                         size_t symbol, struct expression_range *value, struct expression_range *slope)
{
    const struct region region = {program, lower, upper, symbol};
    struct extent registers[REGISTER_LIMIT], result = {.value = flat};

    if (program->parameters > 0 || program->result_count != 1)
        return false;
    for (size_t k = 0; k < program->count; k++) {
        const struct instruction *instruction = &program->instructions[k];
        struct extent left = extent_of(&region, registers, &result, instruction->left), next = {.self = 0};
        struct extent right = extent_of(&region, registers, &result, instruction->right);

        if (!operate(instruction->opcode, &left, &right, instruction->left == instruction->right, &next) ||
            !is_finite(&next))
            return false;
        note_what_it_is(instruction->opcode, &left, &right, k, &next);
        if (operand_place(instruction->target) == PLACE_RESULT)
            result = next;
        else
            registers[operand_index(instruction->target)] = next;
    }
    *value = result.value;
    *slope = result.slope;
    return true;
}

bool
expression_program_uses(const struct expression_program *program, size_t symbol)
{
    operand of = operand_at(PLACE_SYMBOL, symbol);

    for (size_t k = 0; k < program->count; k++)
        if (program->instructions[k].left == of || program->instructions[k].right == of)
            return true;
    return false;
}

size_t
expression_program_size(const struct expression_program *program)
{
    return program->count;
}
