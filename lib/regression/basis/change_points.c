/* Terms on one side of a change point: equal(max(x, k), x) is 1 from k on and 0 below, equal(min(x, k), x) up to k. */
#include "regression/basis/libraries.h"
#include "base/numbers.h"
#include "regression/linear/decimal.h"

enum { MAX_KNOTS = 16, MAX_TERMS = 24, LEVELS_BESIDE = 2, ROWS_BESIDE = 3, MIN_SHARE = 10, STEP_SIZE = 5 };

/* Different values of an input, in rising order; returns how many. */
static size_t
find_levels(const struct training *table, size_t input, double *levels)
{
    const double *column = matrix_column(&table->columns, input);
    size_t rows = table->columns.rows, count = 0;

    for (size_t i = 0; i < rows; i++)
        levels[i] = column[i];
    numbers_sort(levels, rows);
    for (size_t i = 0; i < rows; i++)
        if (i == 0 || levels[i] != levels[count - 1])
            levels[count++] = levels[i];
    return count;
}

/* Are there enough rows on either side, three and a tenth of all, to be distinguished from a few outliers? */
static bool
rows_beside(const struct training *table, size_t input, double level)
{
    const double *column = matrix_column(&table->columns, input);
    size_t rows = table->columns.rows, below = 0, least = rows / MIN_SHARE;

    least = least < ROWS_BESIDE ? ROWS_BESIDE : least;
    for (size_t i = 0; i < rows; i++)
        below += column[i] <= level;
    return below >= least && rows - below >= least;
}

/* A short number between two; false if there is none. */
static bool
between(double least, double most, struct rational *knot)
{
    double middle = least + (most - least) / 2, few = decimal_rounded(middle, DECIMAL_FEW);

    if (few > least && few < most)
        middle = few;
    return middle > least && middle < most && decimal_exact(middle, knot);
}

static void
add_side(struct basis *basis, expression side, size_t count)
{
    for (size_t j = 0; j < count && j < MAX_TERMS; j++)
        basis_add_term(basis, expression_multiply(basis->pool, basis->terms[j], side),
                       (j ? basis->sizes[j] + 1 : 0) + STEP_SIZE);
}

static void
add_knot(struct basis *basis, size_t input, struct rational knot, size_t count)
{
    struct expression_pool *pool = basis->pool;
    expression x = expression_symbol(pool, expression_symbol_name(pool, input));
    expression k = expression_rational(pool, knot.numerator, knot.denominator);

    basis->group++;
    add_side(basis, expression_equal(pool, expression_max(pool, x, k), x), count);
    add_side(basis, expression_equal(pool, expression_min(pool, x, k), x), count);
}

static void
add_input(struct basis *basis, const struct training *table, size_t input, double *levels, size_t count)
{
    size_t level_count = find_levels(table, input, levels), gaps, stride;

    if (level_count < 2 * (size_t)LEVELS_BESIDE)
        return;
    gaps = level_count - 2 * LEVELS_BESIDE + 1;
    stride = (gaps + MAX_KNOTS - 1) / MAX_KNOTS;
    for (size_t gap = 0; gap < gaps; gap += stride) {
        size_t below = LEVELS_BESIDE - 1 + gap;
        struct rational knot;

        if (rows_beside(table, input, levels[below]) && between(levels[below], levels[below + 1], &knot))
            add_knot(basis, input, knot, count);
    }
}

void
change_points_add(struct basis *basis, const struct training *table, size_t count)
{
    double *levels;

    if (!basis->structure->change_point)
        return;
    levels = workspace_take(basis->workspace, table->columns.rows, sizeof *levels);
    for (size_t input = 0; levels && input < table->input_count; input++)
        add_input(basis, table, input, levels, count);
    basis->group = 0;
}
