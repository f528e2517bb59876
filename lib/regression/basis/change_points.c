/* Terms on one side of a change point: equal(max(x, k), x) is 1 from k on and 0 below, equal(min(x, k), x) up to k. */
#include "regression/basis/change_points.h"
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

static int
add_side(struct basis *basis, expression side, size_t count)
{
    size_t added = 0;
    int status = side < 0 ? side : 0;

    for (size_t j = 0; !status && j < count && added < MAX_TERMS; j++) {
        added++;
        status = basis_add_term(basis, expression_multiply(basis->pool, basis->terms[j], side),
                                (j ? basis->sizes[j] + 1 : 0) + STEP_SIZE);
    }
    return status;
}

static int
add_knot(struct basis *basis, size_t input, struct rational knot, size_t count)
{
    struct expression_pool *pool = basis->pool;
    expression x = expression_symbol(pool, expression_symbol_name(pool, input));
    expression k = expression_rational(pool, knot.numerator, knot.denominator);
    int status;

    basis->group++;
    status = add_side(basis, expression_equal(pool, expression_max(pool, x, k), x), count);
    return status ? status : add_side(basis, expression_equal(pool, expression_min(pool, x, k), x), count);
}

static int
add_input(struct basis *basis, const struct training *table, size_t input, double *levels, size_t count)
{
    size_t level_count = find_levels(table, input, levels), gaps, stride;
    int status = 0;

    if (level_count < 2 * (size_t)LEVELS_BESIDE)
        return 0;
    gaps = level_count - 2 * LEVELS_BESIDE + 1;
    stride = (gaps + MAX_KNOTS - 1) / MAX_KNOTS;
    for (size_t gap = 0; !status && gap < gaps; gap += stride) {
        size_t below = LEVELS_BESIDE - 1 + gap;
        struct rational knot;

        if (rows_beside(table, input, levels[below]) && between(levels[below], levels[below + 1], &knot))
            status = add_knot(basis, input, knot, count);
    }
    return status;
}

int
change_points_add(struct basis *basis, const struct training *table, size_t count)
{
    double *levels;
    int status = 0;

    if (!basis->structure->change_point)
        return 0;
    levels = workspace_take(basis->workspace, table->columns.rows, sizeof *levels);
    if (!levels)
        return basis->workspace->status;
    for (size_t input = 0; !status && input < table->input_count; input++)
        status = add_input(basis, table, input, levels, count);
    basis->group = 0;
    return status;
}
