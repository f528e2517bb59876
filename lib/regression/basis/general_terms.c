/*
 * The terms for tables of any kind. Knots and shifts come from the inputs of all rows; they do not see the target.
 *
 * An input of two levels has one shape, itself. One that is nowhere below 0 has roots, logarithms and reciprocals, the
 * latter two of x + shift where it has zeros.
 */
#include "regression/basis/libraries.h"
#include "base/numbers.h"
#include "regression/linear/decimal.h"

#include <math.h>
#include <string.h>

enum {
    MAX_KNOTS = 8,     /* inner levels of an input of at most ten */
    FEW_LEVELS = 6,    /* of which each has an indicator */
    CURVED_LEVELS = 4, /* it takes more to distinguish a square from other curves */
    MAX_FACTORS = 1 + 4 + MAX_KNOTS + FEW_LEVELS,
    MAX_FULL_INPUTS = 10, /* beyond, only x and 1/x of an input enter products */
};

/* What one shape is for: products take two shapes that share a group; of many inputs only the plainest. */
enum group { ALONE = 0, SMOOTH = 1, BROKEN = 2, PLAIN = 4 };

struct shape {
    expression value;
    unsigned size, groups;
};

/* An input: its symbol, its values in rising order, and its shapes. */
struct axis {
    expression x;
    double *sorted;
    size_t rows, levels;
    size_t count;
    struct shape shapes[MAX_FACTORS + 2];
};

struct shaping {
    struct basis *basis;
    const struct training *table;
    struct axis axes[TRAINING_MAX_INPUTS];
};

/* ---- numbers ---- */

static bool
all_whole(const struct axis *axis)
{
    for (size_t i = 0; i < axis->rows; i++)
        if (axis->sorted[i] != floor(axis->sorted[i]))
            return false;
    return true;
}

/* ---- shapes of one input: one that is an error shows when terms are made of it ---- */

static void
add_shape(struct axis *axis, expression value, unsigned size, unsigned groups)
{
    for (size_t i = 0; i < axis->count; i++)
        if (axis->shapes[i].value == value)
            return;
    axis->shapes[axis->count++] = (struct shape){value, size, groups};
}

/* sqrt(x), log(x + shift), 1/(x + shift) of an input that is nowhere below 0 */
static void
add_curves(struct expression_pool *pool, struct axis *axis)
{
    double median = axis->sorted[axis->rows / 2];
    struct rational shift = {0, 1};
    expression shifted;
    unsigned size = 2;

    if (axis->levels < 3 || axis->sorted[0] < 0)
        return;
    if (axis->sorted[0] == 0) {
        if (!decimal_exact(all_whole(axis) || median == 0 ? 1 : decimal_rounded(median / 10, DECIMAL_FEW), &shift))
            return;
        size = 4;
    }
    shifted = expression_add(pool, axis->x, expression_rational(pool, shift.numerator, shift.denominator));
    add_shape(axis, expression_power(pool, axis->x, 1, 2), 2, SMOOTH);
    add_shape(axis, expression_log(pool, shifted), size, SMOOTH);
    add_shape(axis, expression_power(pool, shifted, -1, 1), size, SMOOTH | PLAIN);
}

/* max(x - knot, 0) */
static void
add_hinge(struct expression_pool *pool, struct axis *axis, double knot)
{
    struct rational exact;

    if (knot > axis->sorted[0] && knot < axis->sorted[axis->rows - 1] && decimal_exact(knot, &exact))
        add_shape(axis, term_hinge(pool, axis->x, exact), 4, BROKEN);
}

static void
add_indicator(struct expression_pool *pool, struct axis *axis, double level)
{
    struct rational exact;

    if (decimal_exact(level, &exact))
        add_shape(axis, expression_equal(pool, axis->x, expression_rational(pool, exact.numerator, exact.denominator)),
                  3, BROKEN);
}

/* Calls `add` with each level, the least and the greatest included. */
static void
add_at_levels(struct expression_pool *pool, struct axis *axis,
              void (*add)(struct expression_pool *pool, struct axis *axis, double level))
{
    for (size_t i = 0; i < axis->rows; i++)
        if (i == 0 || axis->sorted[i] != axis->sorted[i - 1])
            add(pool, axis, axis->sorted[i]);
}

static void
add_hinges(struct expression_pool *pool, struct axis *axis)
{
    double knots[TERM_KNOTS];

    if (axis->levels <= MAX_KNOTS + 2) {
        add_at_levels(pool, axis, add_hinge);
        return;
    }
    term_knots(axis->sorted, axis->rows, knots);
    for (size_t i = 0; i < TERM_KNOTS; i++)
        add_hinge(pool, axis, knots[i]);
}

static void
add_shapes(struct expression_pool *pool, struct axis *axis)
{
    add_shape(axis, axis->x, 1, SMOOTH | BROKEN | PLAIN);
    if (axis->levels > CURVED_LEVELS)
        add_shape(axis, expression_power(pool, axis->x, 2, 1), 2, ALONE);
    add_curves(pool, axis);
    if (axis->levels > 2)
        add_hinges(pool, axis);
    if (axis->levels > 2 && axis->levels <= FEW_LEVELS)
        add_at_levels(pool, axis, add_indicator);
}

static void
read_axis(struct shaping *shaping, size_t input)
{
    const struct training *table = shaping->table;
    struct expression_pool *pool = shaping->basis->pool;
    struct axis *axis = &shaping->axes[input];

    axis->rows = table->columns.rows;
    axis->x = expression_symbol(pool, expression_symbol_name(pool, input));
    axis->sorted = workspace_take(shaping->basis->workspace, axis->rows, sizeof *axis->sorted);
    if (!axis->sorted)
        return;
    memcpy(axis->sorted, matrix_column(&table->columns, input), axis->rows * sizeof *axis->sorted);
    numbers_sort(axis->sorted, axis->rows);
    axis->levels = 1;
    for (size_t i = 1; i < axis->rows; i++)
        axis->levels += axis->sorted[i] != axis->sorted[i - 1];
    add_shapes(pool, axis);
}

/* ---- terms ---- */

static void
add_single_shapes(struct shaping *shaping, const struct axis *axis)
{
    for (size_t i = 1; i < axis->count; i++)
        basis_add_term(shaping->basis, axis->shapes[i].value, axis->shapes[i].size);
}

static bool
makes_product(const struct shaping *shaping, const struct shape *left, const struct shape *right)
{
    unsigned shared = left->groups & right->groups;

    return shaping->table->input_count <= MAX_FULL_INPUTS ? shared != ALONE : shared & PLAIN;
}

static void
add_products(struct shaping *shaping, const struct axis *a, const struct axis *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            const struct shape *left = &a->shapes[i], *right = &b->shapes[j];

            if (makes_product(shaping, left, right))
                basis_add_term(shaping->basis, expression_multiply(shaping->basis->pool, left->value, right->value),
                               left->size + right->size + 1);
        }
}

static void
add_all(struct shaping *shaping)
{
    struct basis *basis = shaping->basis;
    size_t inputs = shaping->table->input_count;

    for (size_t i = 0; i < inputs; i++)
        read_axis(shaping, i);
    for (size_t i = 0; i < inputs; i++)
        basis_add_term(basis, shaping->axes[i].x, 1);
    basis->ends[0] = basis->count;
    for (size_t i = 0; i < inputs; i++)
        add_single_shapes(shaping, &shaping->axes[i]);
    basis->ends[1] = basis->count;
    for (size_t a = 0; a < inputs; a++)
        for (size_t b = a + 1; b < inputs; b++)
            add_products(shaping, &shaping->axes[a], &shaping->axes[b]);
    change_points_add(basis, shaping->table, basis->ends[0]);
    basis->ends[2] = basis->count;
}

void
general_terms_add(struct basis *basis, const struct training *table)
{
    struct shaping *shaping = workspace_take(basis->workspace, 1, sizeof *shaping);

    if (!shaping)
        return;
    shaping->basis = basis;
    shaping->table = table;
    add_all(shaping);
}
