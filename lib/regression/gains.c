/*
 * Gains from inner products. What they are wrong by: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
 * theorem 10.3: computed factors are exact ones of inner products that differ by a few units of rounding.
 */
#include "regression/gains.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SLOTS = 256, /* columns whose products with all others are kept: more than a beam picks */
    LEVEL_VALUES = 3,
    CAUTION = 16, /* times what a sum of so many products may be wrong by */
};

static const double last_digits = 1e-9; /* share that few roundings stay below */

static int
levels_new(memmodel_context *context, size_t picks, struct gains *gains)
{
    int status = matrix_new(context, gains->columns->columns, LEVEL_VALUES * (picks + 1), &gains->values);

    for (size_t depth = 0; !status && depth <= picks; depth++) {
        struct gains_level *level = &gains->levels[depth];

        level->left = matrix_column(&gains->values, LEVEL_VALUES * depth);
        level->alignments = matrix_column(&gains->values, LEVEL_VALUES * depth + 1);
        level->factors = matrix_column(&gains->values, LEVEL_VALUES * depth + 2);
    }
    return status;
}

/*
 * Inner products of vectors of norm 1 that are wrong by e change what is left of a column, and its alignment, by at most
 * e (1 + |w|)^2 for the coefficients w of the column, or of the right side, by the picks. |w| is at most sqrt(picks) times the norm of the
 * inverse factor.
 */
static void
set_doubt(const struct gains *gains, struct gains_level *level, size_t depth)
{
    double rounding = CAUTION * (double)(gains->columns->rows + SUBSET_TERMS) * DBL_EPSILON;

    level->doubt = 2 * rounding * (1 + (double)depth * level->inverse);
}

static void
start(struct gains *gains, const double *right_side)
{
    const struct matrix *columns = gains->columns;
    struct gains_level *level = &gains->levels[0];

    gains->size = sqrt(vector_dot(columns->rows, right_side, right_side));
    matrix_multiply(columns, columns->columns, right_side, level->alignments);
    for (size_t j = 0; j < columns->columns; j++) {
        const double *column = matrix_column(columns, j);

        gains->norms[j] = sqrt(vector_dot(columns->rows, column, column));
        level->left[j] = 1;
        level->alignments[j] /= gains->norms[j] * gains->size;
    }
    set_doubt(gains, level, 0);
}

int
gains_new(memmodel_context *context, const struct matrix *columns, const double *right_side, size_t picks,
          struct gains *gains)
{
    size_t count = columns->columns;
    int status;

    *gains = (struct gains){.columns = columns};
    status = levels_new(context, picks, gains);
    if (!status)
        status = matrix_new(context, count, count < SLOTS ? count : SLOTS, &gains->products);
    if (status)
        return status;
    gains->norms = memory_allocate_zeroed(context, count, sizeof *gains->norms);
    gains->held = memory_allocate_zeroed(context, gains->products.columns, sizeof *gains->held);
    if (!gains->norms || !gains->held)
        return MEMMODEL_ERROR_NO_MEMORY;
    start(gains, right_side);
    return 0;
}

void
gains_release(struct gains *gains)
{
    memmodel_context *context = gains->values.context;

    if (!context)
        return;
    memory_release(context, gains->norms);
    memory_release(context, gains->held);
    matrix_release(&gains->products);
    matrix_release(&gains->values);
}

/* Of the column with every column. */
static const double *
products_of(struct gains *gains, uint16_t column)
{
    const struct matrix *columns = gains->columns;
    size_t slot = column % gains->products.columns;
    double *products = matrix_column(&gains->products, slot);

    if (gains->held[slot] == column + 1u)
        return products;
    matrix_multiply(columns, columns->columns, matrix_column(columns, column), products);
    for (size_t j = 0; j < columns->columns; j++)
        products[j] /= gains->norms[column] * gains->norms[j];
    gains->held[slot] = column + 1u;
    return products;
}

/* Squared norm of the coefficients of a column by the picks. */
static double
coefficients_squared(const struct gains *gains, size_t depth, uint16_t column)
{
    double coefficients[SUBSET_TERMS], sum = 0;

    for (size_t i = depth; i-- > 0;) {
        const struct gains_level *level = &gains->levels[i];

        coefficients[i] = level->factors[column];
        for (size_t k = i + 1; k < depth; k++)
            coefficients[i] -= level->factors[gains->levels[k].pick] * coefficients[k];
        coefficients[i] /= level->pivot;
        sum += coefficients[i] * coefficients[i];
    }
    return sum;
}

void
gains_pick(struct gains *gains, size_t depth, uint16_t column, size_t first)
{
    struct gains_level *here = &gains->levels[depth], *next = here + 1;
    const double *products = products_of(gains, column);
    size_t columns = gains->columns->columns;
    double along;

    here->pick = column;
    here->pivot = sqrt(here->left[column]);
    along = here->alignments[column] / here->pivot;
    memcpy(here->factors + first, products + first, (columns - first) * sizeof *products);
    for (size_t i = 0; i < depth; i++)
        vector_add_scaled(columns - first, here->factors + first, -gains->levels[i].factors[column],
                          gains->levels[i].factors + first);
    for (size_t j = first; j < columns; j++) {
        double factor = here->factors[j] / here->pivot;

        here->factors[j] = factor;
        next->left[j] = here->left[j] - factor * factor;
        next->alignments[j] = here->alignments[j] - factor * along;
    }
    next->inverse = here->inverse + (1 + coefficients_squared(gains, depth, column)) / here->left[column];
    set_doubt(gains, next, depth + 1);
}

/* What is no number passes. */
bool
gains_may_exceed(const struct gains *gains, size_t depth, uint16_t column, double least)
{
    const struct gains_level *level = &gains->levels[depth];
    double alignment = level->alignments[column] + level->doubt;
    double left = level->left[column] > level->doubt ? level->left[column] - level->doubt : 0;
    double share = least / (gains->size * gains->size);

    return !(alignment <= 0 || alignment * alignment * (1 + last_digits) <= share * left);
}
