/*
 * Ranges of programs, and of their slopes. A slope is the quotient of two differences, of the value and of a symbol,
 * with all other symbols fixed: it also is known of steps and kinks, which have no derivative. Slopes are real numbers:
 * theirs is moved outward by each operation.
 */
#include "expression/program.h"
#include "expression/range.h"

#include <math.h>

enum {
    FUNCTION_ERROR = 4
}; /* units in the last place that the error of exp, log, powers, sin and cos may have, doubled */

/* A value, its slope, and what it is. */
struct extent {
    struct expression_range value, slope;
    int32_t self;                /* equal only of what has the same value; 0: nothing is known */
    int32_t greater_of, less_of; /* it is the maximum or minimum of that value and a number; 0: it is not */
};

static const struct expression_range flat = {0, 0}, everything = {-INFINITY, INFINITY};

static bool
is_flat(struct expression_range slope)
{
    return slope.min == 0 && slope.max == 0;
}

static bool
is_number(const struct extent *a)
{
    return a->value.min == a->value.max && is_flat(a->slope);
}

/* ---- outward ---- */

static struct expression_range
outward(double min, double max)
{
    for (int i = 0; i < FUNCTION_ERROR; i++) {
        min = nextafter(min, -INFINITY);
        max = nextafter(max, INFINITY);
    }
    return (struct expression_range){min, max};
}

/* What the operation makes of two numbers of the ranges, whatever its error. */
static bool
value_of(enum opcode opcode, struct expression_range a, struct expression_range b, bool same,
         struct expression_range *value)
{
    static const struct limits {
        bool inexact;
        double min, max;
    } functions[OPCODE_OPERATIONS] = {
        [OPCODE_POWER] = {true, 0, INFINITY}, [OPCODE_CUBE_ROOT] = {true, 0, INFINITY},
        [OPCODE_EXP] = {true, 0, INFINITY},   [OPCODE_LOG] = {true, -INFINITY, INFINITY},
        [OPCODE_SIN] = {true, -1, 1},         [OPCODE_COS] = {true, -1, 1},
        [OPCODE_TANH] = {true, -1, 1},
    };
    const struct limits *limits = &functions[opcode];

    if (!range_operate(opcode, a, b, same, value))
        return false;
    if (limits->inexact) {
        *value = outward(value->min, value->max);
        value->min = fmax(value->min, limits->min);
        value->max = fmin(value->max, limits->max);
    }
    return true;
}

/* ---- arithmetic of slopes ---- */

/* Adding 0 is exact. */
static struct expression_range
add(struct expression_range a, struct expression_range b)
{
    struct expression_range sum = {a.min + b.min, a.max + b.max};

    if (isnan(sum.min) || isnan(sum.max))
        return everything;
    if (a.min != 0 && b.min != 0)
        sum.min = nextafter(sum.min, -INFINITY);
    if (a.max != 0 && b.max != 0)
        sum.max = nextafter(sum.max, INFINITY);
    return sum;
}

static struct expression_range
negative(struct expression_range a)
{
    return (struct expression_range){-a.max, -a.min};
}

/* 0 times infinity is 0: infinity only says that there is no bound. */
static struct expression_range
multiply(struct expression_range a, struct expression_range b)
{
    const double lefts[] = {a.min, a.min, a.max, a.max};
    const double rights[] = {b.min, b.max, b.min, b.max};
    struct expression_range product = {INFINITY, -INFINITY};

    for (int i = 0; i < 4; i++) {
        bool zero = lefts[i] == 0 || rights[i] == 0;
        double value = zero ? 0 : lefts[i] * rights[i];

        product.min = fmin(product.min, zero ? 0 : nextafter(value, -INFINITY));
        product.max = fmax(product.max, zero ? 0 : nextafter(value, INFINITY));
    }
    return product;
}

static struct expression_range
inverse(struct expression_range a)
{
    return (struct expression_range){1 / a.max, 1 / a.min};
}

/* Of what jumps up, or down, with something of that slope. */
static struct expression_range
steps(struct expression_range value, struct expression_range slope)
{
    if (value.min == value.max)
        return flat;
    return (struct expression_range){slope.min < 0 ? -INFINITY : 0, slope.max > 0 ? INFINITY : 0};
}

/* ---- slopes of operations, whose value is known ---- */

static struct expression_range
slope_of_product(const struct extent *a, const struct extent *b, bool same)
{
    if (same)
        return multiply(multiply((struct expression_range){2, 2}, a->value), a->slope);
    return add(multiply(a->value, b->slope), multiply(b->value, a->slope));
}

/* a / b is a1 / b1 - a2 / b2 = ((a1 - a2) - a2 / b2 (b1 - b2)) / b1 */
static struct expression_range
slope_of_quotient(const struct extent *a, const struct extent *b, struct expression_range value)
{
    return multiply(add(a->slope, negative(multiply(value, b->slope))), inverse(b->value));
}

/* Of what is one of the two, in the whole range the first or the second. */
static struct expression_range
slope_of_choice(const struct extent *a, const struct extent *b, bool first, bool second)
{
    if (first || second)
        return first ? a->slope : b->slope;
    return (struct expression_range){fmin(a->slope.min, b->slope.min), fmax(a->slope.max, b->slope.max)};
}

/* a^b = exp(b ln a), where a is above 0 */
static struct expression_range
slope_of_power(const struct extent *a, const struct extent *b, struct expression_range value)
{
    struct expression_range exponent = multiply(b->value, multiply(inverse(a->value), a->slope)), logarithm;

    if (!value_of(OPCODE_LOG, a->value, a->value, true, &logarithm))
        return !is_number(b) ? everything : is_flat(a->slope) ? flat : steps(value, a->slope);
    return multiply(value, add(exponent, multiply(logarithm, b->slope)));
}

/* a ^ exponent, whose steepness exponent * value / a falls */
static struct expression_range
slope_of_root(const struct extent *a, struct expression_range value, double exponent)
{
    struct expression_range steepness = {a->value.max > 0 ? exponent * value.min / a->value.max : 0,
                                         a->value.min > 0 ? exponent * value.max / a->value.min : INFINITY};

    return multiply(steepness, a->slope);
}

/* Of sine or cosine, whose derivative is the other one, or less than it. */
static struct expression_range
slope_of_wave(enum opcode opcode, const struct extent *a)
{
    struct expression_range derivative = everything;

    value_of(opcode == OPCODE_SIN ? OPCODE_COS : OPCODE_SIN, a->value, a->value, true, &derivative);
    return multiply(opcode == OPCODE_SIN ? derivative : negative(derivative), a->slope);
}

/* The derivative of the hyperbolic tangent is 1 - tanh^2. */
static struct expression_range
slope_of_tanh(const struct extent *a, struct expression_range value)
{
    struct expression_range squares = {0, 1};

    value_of(OPCODE_MULTIPLY, value, value, true, &squares);
    squares = outward(1 - squares.max, 1 - squares.min);
    squares.min = fmax(squares.min, 0);
    return multiply(squares, a->slope);
}

static struct expression_range
slope_of(enum opcode opcode, const struct extent *a, const struct extent *b, bool same, struct expression_range value)
{
    bool above = a->value.min >= b->value.max, below = b->value.min >= a->value.max;

    switch (opcode) {
    case OPCODE_ADD:
        return add(a->slope, b->slope);
    case OPCODE_SUBTRACT:
        return add(a->slope, negative(b->slope));
    case OPCODE_MULTIPLY:
        return slope_of_product(a, b, same);
    case OPCODE_DIVIDE:
        return slope_of_quotient(a, b, value);
    case OPCODE_MAX:
    case OPCODE_AT_LEAST:
        return slope_of_choice(a, b, above, below);
    case OPCODE_MIN:
    case OPCODE_AT_MOST:
        return slope_of_choice(a, b, below, above);
    case OPCODE_NOT_LESS:
        return steps(value, add(a->slope, negative(b->slope)));
    case OPCODE_POWER:
        return slope_of_power(a, b, value);
    case OPCODE_COPY:
        return a->slope;
    case OPCODE_FLOOR:
        return steps(value, a->slope);
    case OPCODE_ROOT:
        return slope_of_root(a, value, 0.5);
    case OPCODE_CUBE_ROOT:
        return slope_of_root(a, value, 1.0 / 3);
    case OPCODE_EXP:
        return multiply(value, a->slope);
    case OPCODE_LOG:
        return multiply(inverse(a->value), a->slope);
    case OPCODE_SIN:
    case OPCODE_COS:
        return slope_of_wave(opcode, a);
    case OPCODE_TANH:
        return slope_of_tanh(a, value);
    default:
        return everything;
    }
}

/* ---- the machine ---- */

/* max(a, number) = a where a is not below the number: a step up with a; min(a, number) = a is one down. */
static void
compare(const struct extent *a, const struct extent *b, struct extent *result)
{
    const struct extent *extreme = a->greater_of || a->less_of ? a : b, *other = extreme == a ? b : a;
    struct expression_range slope = is_flat(a->slope) && is_flat(b->slope) ? flat : everything;
    bool always = false;

    if (other->self != 0 && extreme->greater_of == other->self) {
        always = extreme->value.min <= other->value.min;
        slope = other->slope;
    } else if (other->self != 0 && extreme->less_of == other->self) {
        always = extreme->value.max >= other->value.max;
        slope = negative(other->slope);
    }
    if (always)
        result->value.min = 1;
    result->slope = steps(result->value, slope);
}

/* false where the operation may be undefined */
static bool
operate(enum opcode opcode, const struct extent *a, const struct extent *b, bool same, struct extent *result)
{
    if (!value_of(opcode, a->value, b->value, same, &result->value))
        return false;
    if (opcode == OPCODE_EQUAL)
        compare(a, b, result);
    else
        result->slope = slope_of(opcode, a, b, same, result->value);
    return true;
}

static bool
is_finite(const struct extent *a)
{
    return isfinite(a->value.min) && isfinite(a->value.max) && !isnan(a->slope.min) && !isnan(a->slope.max);
}

struct expression_ranging {
    const struct expression_program *program;
    struct extent registers[];
};

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

int
expression_ranging_new(const struct expression_program *program, struct expression_ranging **ranging)
{
    struct expression_ranging *new =
        memory_allocate(program->context, sizeof *new + program->registers * sizeof new->registers[0]);

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    new->program = program;
    *ranging = new;
    return 0;
}

void
expression_ranging_free(struct expression_ranging *ranging)
{
    memory_release(ranging->program->context, ranging);
}

bool
expression_range(struct expression_ranging *ranging, const double *lower, const double *upper, size_t symbol,
                 struct expression_range *value, struct expression_range *slope)
{
    const struct expression_program *program = ranging->program;
    const struct region region = {program, lower, upper, symbol};
    struct extent *registers = ranging->registers, result = {.value = flat};

    if (program->result_count != 1)
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
