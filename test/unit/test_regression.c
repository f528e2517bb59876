/*
 * The numerics of fitting: least squares, sign constraints, best subsets, leave-one-out errors, Student's distribution.
 */
#include "near.h"

#include "regression/gains.h"
#include "regression/leave_one_out.h"
#include "regression/nnls.h"
#include "regression/select.h"
#include "regression/student.h"
#include "regression/subset.h"

enum { ROWS = 9, COLUMNS = 7 };

/* ---- helpers ---- */

/* SplitMix64, as a number in [0, 1) */
static double
draw(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A library whose column 0 is constant, and a right side that some of its columns make up, with an error. */
static void
draw_problem(memmodel_context *context, uint64_t seed, size_t columns, struct matrix *library, double *right_side)
{
    assert_int_equal(matrix_new(context, ROWS, columns, library), 0);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < ROWS; i++)
            matrix_column(library, j)[i] = j == 0 ? 1 : draw(&seed);
    for (size_t i = 0; i < ROWS; i++)
        right_side[i] = 0.2 + matrix_column(library, 1)[i] + 2 * matrix_column(library, 3)[i] + 0.3 * draw(&seed);
}

static double
squared_error(size_t rows, const double *const *columns, size_t count, const double *right_side, const double *solution)
{
    double sum = 0;

    for (size_t i = 0; i < rows; i++) {
        double left = right_side[i];

        for (size_t j = 0; j < count; j++)
            left -= columns[j][i] * solution[j];
        sum += left * left;
    }
    return sum;
}

/* ---- least squares ---- */

static void
a_line_through_three_points_is_the_one_worked_out_by_hand(void **state)
{
    /* (1, 1), (2, 2), (3, 2): slope 1/2, intercept 2/3 */
    static const double ones[] = {1, 1, 1}, x[] = {1, 2, 3}, y[] = {1, 2, 2};
    double solution[2];
    struct qr qr;

    assert_int_equal(qr_new(*state, 3, 2, &qr), 0);
    assert_true(qr_append(&qr, ones));
    assert_true(qr_append(&qr, x));
    qr_solve(&qr, y, solution);
    assert_near(solution[0], 2.0 / 3, 1e-15);
    assert_near(solution[1], 0.5, 1e-15);
    qr_release(&qr);
}

/* Laeuchli's matrix: its normal equations are singular in doubles, as 1 + e^2 = 1. */
static void
columns_that_are_almost_the_same_keep_their_coefficients(void **state)
{
    const double e = 1e-9;
    const double a[] = {1, e, 0, 0}, b[] = {1, 0, e, 0}, c[] = {1, 0, 0, e}, y[] = {6, e, 2 * e, 3 * e};
    double solution[3];
    struct qr qr;

    assert_int_equal(qr_new(*state, 4, 3, &qr), 0);
    assert_true(qr_append(&qr, a) && qr_append(&qr, b) && qr_append(&qr, c));
    qr_solve(&qr, y, solution);
    for (int k = 0; k < 3; k++)
        assert_near(solution[k], k + 1, 1e-6);
    qr_release(&qr);
}

static void
a_column_that_others_make_up_is_refused(void **state)
{
    static const double a[] = {1, 2, 3, 4}, b[] = {1, 0, 1, 0}, sum[] = {3, 4, 7, 8};
    struct qr qr;

    assert_int_equal(qr_new(*state, 4, 3, &qr), 0);
    assert_true(qr_append(&qr, a) && qr_append(&qr, b));
    assert_false(qr_append(&qr, sum));
    assert_int_equal(qr.count, 2);
    qr_release(&qr);
}

/* Numbers of sizes that differ, so that sums in another order have other bits. */
static void
many_columns_at_once_have_the_bits_of_one_after_the_other(void **state)
{
    enum { LONGEST = 15, COUNT = 11 };

    for (size_t rows = 1; rows <= LONGEST; rows++) {
        double vector[LONGEST], products[COUNT];
        struct matrix matrix;

        assert_int_equal(matrix_new(*state, rows, COUNT, &matrix), 0);
        for (size_t i = 0; i < rows * COUNT; i++)
            matrix.values[i] = ldexp(sin((double)i), (int)(i * 7 % 60));
        for (size_t i = 0; i < rows; i++)
            vector[i] = cos((double)i);
        matrix_multiply(&matrix, COUNT, vector, products);
        for (size_t j = 0; j < COUNT; j++)
            assert_true(products[j] == vector_dot(rows, matrix_column(&matrix, j), vector));
        matrix_release(&matrix);
    }
}

/* ---- non-negative least squares ---- */

/* Least squared error over all sets of free columns whose plain solution is not negative: what NNLS must reach. */
static double
least_error_by_trying(memmodel_context *context, const double *const *columns, size_t count, const double *right_side)
{
    double min = INFINITY;
    struct qr qr;

    assert_int_equal(qr_new(context, ROWS, count, &qr), 0);
    for (unsigned set = 0; set < 1u << count; set++) {
        const double *chosen[COLUMNS];
        double solution[COLUMNS];
        bool valid = true;
        size_t size = 0;

        qr.count = 0;
        for (size_t j = 0; j < count; j++)
            if (set & 1u << j)
                valid = qr_append(&qr, chosen[size++] = columns[j]) && valid;
        if (!valid)
            continue;
        qr_solve(&qr, right_side, solution);
        for (size_t k = 0; k < size; k++)
            valid = valid && solution[k] >= 0;
        if (valid)
            min = fmin(min, squared_error(ROWS, chosen, size, right_side, solution));
    }
    qr_release(&qr);
    return min;
}

static void
non_negative_solutions_are_the_best_of_all_sets_of_columns(void **state)
{
    struct nnls nnls;

    assert_int_equal(nnls_new(*state, ROWS, COLUMNS, &nnls), 0);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double right_side[ROWS], solution[COLUMNS], min;
        const double *columns[COLUMNS];
        struct matrix library;

        draw_problem(*state, seed, COLUMNS, &library, right_side);
        for (size_t j = 0; j < COLUMNS; j++)
            columns[j] = matrix_column(&library, j);
        nnls_solve(&nnls, ROWS, columns, COLUMNS, right_side, solution);
        for (size_t j = 0; j < COLUMNS; j++)
            assert_true(solution[j] >= 0);
        min = least_error_by_trying(*state, columns, COLUMNS, right_side);
        assert_near(squared_error(ROWS, columns, COLUMNS, right_side, solution), min, 1e-12);
        matrix_release(&library);
    }
    nnls_release(&nnls);
}

static void
columns_that_are_equal_or_zero_do_not_disturb(void **state)
{
    static const double a[] = {1, 2, 3}, zero[] = {0, 0, 0}, y[] = {2, 4, 6};
    const double *columns[] = {zero, a, a};
    double solution[3];
    struct nnls nnls;

    assert_int_equal(nnls_new(*state, 3, 3, &nnls), 0);
    nnls_solve(&nnls, 3, columns, 3, y, solution);
    assert_near(solution[0], 0, 0);
    assert_near(solution[1], 2, 1e-14);
    assert_near(solution[2], 0, 0);
    nnls_release(&nnls);
}

static void
a_right_side_that_points_away_has_the_zero_solution(void **state)
{
    static const double a[] = {1, 2, 3}, b[] = {3, 1, 1}, y[] = {-1, -1, -2};
    const double *columns[] = {a, b};
    double solution[2];
    struct nnls nnls;

    assert_int_equal(nnls_new(*state, 3, 2, &nnls), 0);
    nnls_solve(&nnls, 3, columns, 2, y, solution);
    assert_near(solution[0], 0, 0);
    assert_near(solution[1], 0, 0);
    nnls_release(&nnls);
}

/* ---- gains ---- */

/*
 * What the columns in `qr`, which has room for one more, leave of a column, and its product with the right side: of
 * norms 1.
 */
static void
factor_one_more(struct qr *qr, const struct matrix *columns, size_t column, const double *right_side, double *left,
                double *alignment)
{
    const double *values = matrix_column(columns, column);
    size_t rows = columns->rows, picks = qr->count;
    double products[COLUMNS], norm = sqrt(vector_dot(rows, values, values));

    *left = *alignment = 0;
    if (!qr_append(qr, values))
        return;
    qr_align(qr, right_side, products);
    *left = matrix_column(&qr->r, picks)[picks] / norm;
    *alignment = *left * products[picks] / sqrt(vector_dot(rows, right_side, right_side));
    *left *= *left;
    qr->count--;
}

/* Columns 0, 1, ... picked in turn: every other column is held against its factors. Returns the largest doubt. */
static double
pick_in_turn(memmodel_context *context, const struct matrix *columns, const double *right_side, size_t picks)
{
    double size = vector_dot(columns->rows, right_side, right_side);
    struct gains gains;
    struct qr qr;

    assert_int_equal(gains_new(context, columns, right_side, picks, &gains), 0);
    assert_int_equal(qr_new(context, columns->rows, columns->columns, &qr), 0);
    for (size_t depth = 0; depth <= picks; depth++) {
        const struct gains_level *level = &gains.levels[depth];

        for (size_t j = depth; j < columns->columns; j++) {
            double left, alignment, gain;

            factor_one_more(&qr, columns, j, right_side, &left, &alignment);
            gain = alignment * alignment / left * size;
            assert_false(fabs(level->left[j] - left) > level->doubt);
            assert_false(fabs(level->alignments[j] - alignment) > level->doubt);
            assert_true(!(alignment > 0) || gains_may_exceed(&gains, depth, (uint16_t)j, gain * (1 - 1e-12)));
            assert_false(alignment < -2 * level->doubt && gains_may_exceed(&gains, depth, (uint16_t)j, 0));
            assert_true(level->doubt > 1e-9 || !gains_may_exceed(&gains, depth, (uint16_t)j, gain * 1.001 + 1e-6));
        }
        if (depth < picks) {
            gains_pick(&gains, depth, (uint16_t)depth, depth + 1);
            assert_true(qr_append(&qr, matrix_column(columns, depth)));
        }
    }
    size = gains.levels[picks].doubt;
    qr_release(&qr);
    gains_release(&gains);
    return size;
}

static void
gains_of_unlike_columns_are_those_of_their_factors(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double right_side[ROWS];
        struct matrix library;

        draw_problem(*state, seed, COLUMNS, &library, right_side);
        assert_true(pick_in_turn(*state, &library, right_side, 4) < 1e-9);
        matrix_release(&library);
    }
}

/* Powers of nearly one exponent: what two of them leave of a third is lost in the rounding of its products. */
static void
gains_of_columns_that_are_almost_the_same_are_doubted(void **state)
{
    for (int k = 1; k <= 12; k++) {
        double right_side[ROWS];
        struct matrix library;

        assert_int_equal(matrix_new(*state, ROWS, COLUMNS, &library), 0);
        for (size_t i = 0; i < ROWS; i++) {
            right_side[i] = (double)(i * i % 7 + 1);
            for (size_t j = 0; j < COLUMNS; j++)
                matrix_column(&library, j)[i] = pow((double)i + 2, 1 + ldexp((double)j, -k));
        }
        pick_in_turn(*state, &library, right_side, 2);
        matrix_release(&library);
    }
}

/* Column 3 and the one after so many more, whose products are kept where those of column 3 were. */
static void
a_pick_in_place_of_another_is_as_if_there_had_been_none(void **state)
{
    enum { LARGE = 300, LAST = 3 + 256 };
    double right_side[ROWS];
    struct gains gains, fresh;
    struct matrix library;

    draw_problem(*state, 1, LARGE, &library, right_side);
    assert_int_equal(gains_new(*state, &library, right_side, 1, &gains), 0);
    assert_int_equal(gains_new(*state, &library, right_side, 1, &fresh), 0);
    gains_pick(&gains, 0, 3, 0);
    gains_pick(&gains, 0, LAST, 0);
    gains_pick(&fresh, 0, LAST, 0);
    assert_memory_equal(gains.levels[1].left, fresh.levels[1].left, LARGE * sizeof(double));
    assert_memory_equal(gains.levels[1].alignments, fresh.levels[1].alignments, LARGE * sizeof(double));
    gains_release(&fresh);
    gains_release(&gains);
    matrix_release(&library);
}

/* ---- subsets ---- */

static void
search_library(memmodel_context *context, const struct matrix *columns, const double *right_side, size_t max_terms,
               struct shortlist *shortlist)
{
    bool *plain = memory_allocate_zeroed(context, columns->columns, sizeof *plain);
    struct subset_library library = {
        .columns = columns, .right_side = right_side, .plain = plain, .max_terms = max_terms};

    for (size_t j = 0; j < columns->columns; j++)
        plain[j] = j % 2 == 0;
    assert_int_equal(subset_search(context, &library, shortlist), 0);
    memory_release(context, plain);
}

/* Least error of the non-negative fits to all sets of `size` columns besides the constant. */
static double
best_of_size_by_trying(memmodel_context *context, const struct matrix *library, const double *right_side, int size)
{
    double best = INFINITY, solution[COLUMNS];
    struct nnls nnls;

    assert_int_equal(nnls_new(context, ROWS, COLUMNS, &nnls), 0);
    for (unsigned set = 0; set < 1u << (COLUMNS - 1); set++) {
        const double *chosen[COLUMNS] = {matrix_column(library, 0)};
        size_t count = 1;

        for (size_t j = 1; j < COLUMNS; j++)
            if (set & 1u << (j - 1))
                chosen[count++] = matrix_column(library, j);
        if (count != (size_t)size + 1)
            continue;
        nnls_solve(&nnls, ROWS, chosen, count, right_side, solution);
        best = fmin(best, squared_error(ROWS, chosen, count, right_side, solution));
    }
    nnls_release(&nnls);
    return best;
}

/* Of up to `size` terms, of both kinds. */
static double
best_listed(const struct shortlist *shortlist, size_t size)
{
    double best = INFINITY;

    for (size_t kind = 0; kind < 2; kind++)
        for (size_t count = 0; count <= size; count++)
            if (shortlist->bins[kind][count].count > 0)
                best = fmin(best, shortlist->bins[kind][count].subsets[0].error);
    return best;
}

static void
the_list_has_the_best_subset_of_every_size(void **state)
{
    struct shortlist *shortlist = memory_allocate(*state, sizeof *shortlist);

    for (uint64_t seed = 1; seed <= 30; seed++) {
        double right_side[ROWS];
        struct matrix library;

        draw_problem(*state, seed, COLUMNS, &library, right_side);
        search_library(*state, &library, right_side, 3, shortlist);
        for (int size = 1; size <= 3; size++) {
            double best = best_of_size_by_trying(*state, &library, right_side, size);

            assert_near(best_listed(shortlist, (size_t)size), best, 1e-12);
        }
        matrix_release(&library);
    }
    memory_release(*state, shortlist);
}

/* 3000 columns are too many to try all sets of four: the beam must still meet the three that make up the right side. */
static void
a_large_library_is_searched_for_the_columns_that_made_the_data(void **state)
{
    enum { LARGE = 3000, SAMPLES = 40 };
    struct shortlist *shortlist = memory_allocate(*state, sizeof *shortlist);
    const struct subset *best;
    double right_side[SAMPLES];
    struct matrix library;
    uint64_t seed = 7;

    assert_int_equal(matrix_new(*state, SAMPLES, LARGE, &library), 0);
    for (size_t i = 0; i < SAMPLES * LARGE; i++)
        library.values[i] = i < SAMPLES ? 1 : draw(&seed);
    for (size_t i = 0; i < SAMPLES; i++)
        right_side[i] = 1 + matrix_column(&library, 11)[i] + matrix_column(&library, 700)[i] * 2 +
                        matrix_column(&library, 2999)[i] * 3;
    search_library(*state, &library, right_side, 4, shortlist);
    best = &shortlist->bins[1][3].subsets[0];
    assert_int_equal(best->count, 4);
    assert_int_equal(best->columns[0], 0);
    assert_int_equal(best->columns[1], 11);
    assert_int_equal(best->columns[2], 700);
    assert_int_equal(best->columns[3], 2999);
    matrix_release(&library);
    memory_release(*state, shortlist);
}

/* With more rows than columns the search works on fewer rows that stand for all: errors must be those of all rows. */
static void
errors_of_tall_tables_are_those_of_all_rows(void **state)
{
    enum { TALL = 200 };
    uint64_t seed = 3;
    struct shortlist *shortlist = memory_allocate(*state, sizeof *shortlist);
    double right_side[TALL], coefficients[3];
    struct leave_one_out work;
    struct matrix library;

    assert_int_equal(matrix_new(*state, TALL, 4, &library), 0);
    for (size_t i = 0; i < TALL * 4; i++)
        library.values[i] = i < TALL ? 1 : draw(&seed);
    for (size_t i = 0; i < TALL; i++)
        right_side[i] = 1 + matrix_column(&library, 2)[i] + draw(&seed);
    search_library(*state, &library, right_side, 2, shortlist);
    assert_int_equal(leave_one_out_new(*state, TALL, &work), 0);
    for (size_t i = 0; i < shortlist->bins[0][1].count; i++) {
        const struct subset *subset = &shortlist->bins[0][1].subsets[i];
        const double *columns[3] = {NULL};

        for (size_t k = 0; k < subset->count; k++)
            columns[k] = matrix_column(&library, subset->columns[k]);
        assert_true(subset_fit(&work, &library, right_side, subset, coefficients));
        assert_near(squared_error(TALL, columns, subset->count, right_side, coefficients), subset->error, 1e-9);
    }
    assert_true(shortlist->bins[0][1].count > 0);
    leave_one_out_release(&work);
    matrix_release(&library);
    memory_release(*state, shortlist);
}

/* ---- leave-one-out ---- */

/* The error of row `left_out` when nnls is run on the others. */
static double
error_without(struct nnls *nnls, const struct matrix *library, const double *right_side, const struct subset *subset,
              size_t left_out)
{
    double rest[COLUMNS][ROWS], rest_side[ROWS], solution[COLUMNS], error = right_side[left_out];
    const double *columns[COLUMNS];
    size_t rows = 0;

    for (size_t i = 0; i < ROWS; i++) {
        if (i == left_out)
            continue;
        for (size_t k = 0; k < subset->count; k++)
            rest[k][rows] = matrix_column(library, subset->columns[k])[i];
        rest_side[rows++] = right_side[i];
    }
    for (size_t k = 0; k < subset->count; k++)
        columns[k] = rest[k];
    nnls_solve(nnls, rows, columns, subset->count, rest_side, solution);
    for (size_t k = 0; k < subset->count; k++)
        error -= solution[k] * matrix_column(library, subset->columns[k])[left_out];
    return error;
}

/* Some of these problems lose a coefficient when a row goes: 0.1 of the third column only just stays positive. */
static void
leave_one_out_errors_are_those_of_as_many_refits(void **state)
{
    static const struct subset subset = {.count = 4, .columns = {0, 1, 3, 5}};
    struct leave_one_out work;
    struct nnls nnls;
    int fitted = 0;

    assert_int_equal(leave_one_out_new(*state, ROWS, &work), 0);
    assert_int_equal(nnls_new(*state, ROWS, COLUMNS, &nnls), 0);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        double right_side[ROWS], errors[ROWS];
        struct matrix library;

        draw_problem(*state, seed, COLUMNS, &library, right_side);
        if (leave_one_out_errors(&work, &library, right_side, &subset, errors)) {
            fitted++;
            for (size_t i = 0; i < ROWS; i++)
                assert_near(errors[i], error_without(&nnls, &library, right_side, &subset, i), 1e-10);
        }
        matrix_release(&library);
    }
    assert_in_range(fitted, 10, 59);
    nnls_release(&nnls);
    leave_one_out_release(&work);
}

/* A row that alone has a term: without it the term is gone, and the others predict 0 for it. */
static void
a_row_that_decides_a_coefficient_alone_is_predicted_without_it(void **state)
{
    static const struct subset subset = {.count = 2, .columns = {0, 1}};
    static const double right_side[] = {1, 1, 3};
    struct leave_one_out work;
    struct matrix library;
    double errors[3];

    assert_int_equal(matrix_new(*state, 3, 2, &library), 0);
    matrix_column(&library, 0)[0] = matrix_column(&library, 0)[1] = 1;
    matrix_column(&library, 1)[2] = 1;
    assert_int_equal(leave_one_out_new(*state, 3, &work), 0);
    assert_true(leave_one_out_errors(&work, &library, right_side, &subset, errors));
    assert_near(errors[0], 0, 1e-15);
    assert_near(errors[2], 3, 1e-15);
    leave_one_out_release(&work);
    matrix_release(&library);
}

/* ---- Student's distribution ---- */

/* Any printed table of its quantiles, for instance Abramowitz and Stegun, table 26.10. */
static void
quantiles_are_those_of_the_printed_tables(void **state)
{
    static const struct {
        double level;
        int freedom;
        double quantile;
    } printed[] = {
        {0.95, 1, 6.314},   {0.95, 2, 2.920},  {0.975, 3, 3.182}, {0.99, 5, 3.365},   {0.995, 4, 4.604},
        {0.975, 10, 2.228}, {0.95, 30, 1.697}, {0.95, 60, 1.671}, {0.95, 120, 1.658}, {0.9, 7, 1.415},
    };

    (void)state;
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++)
        assert_near(student_quantile(printed[i].level, printed[i].freedom), printed[i].quantile, 5e-4);
    /* closed forms: tan(pi (p - 1/2)), and (2 p - 1) / sqrt(2 p (1 - p)) */
    assert_near(student_quantile(0.999, 1), 318.30883898555048, 1e-8);
    assert_near(student_quantile(0.999, 2), 0.998 / sqrt(2 * 0.999 * 0.001), 1e-9);
    assert_near(student_quantile(0.75, 1), 1, 1e-12);
    assert_near(student_quantile(0.5, 9), 0, 1e-12);
    assert_near(student_quantile(0.95, 1000000), 1.645, 5e-3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_line_through_three_points_is_the_one_worked_out_by_hand),
        WITH_CONTEXT(columns_that_are_almost_the_same_keep_their_coefficients),
        WITH_CONTEXT(a_column_that_others_make_up_is_refused),
        WITH_CONTEXT(many_columns_at_once_have_the_bits_of_one_after_the_other),
        WITH_CONTEXT(non_negative_solutions_are_the_best_of_all_sets_of_columns),
        WITH_CONTEXT(columns_that_are_equal_or_zero_do_not_disturb),
        WITH_CONTEXT(a_right_side_that_points_away_has_the_zero_solution),
        WITH_CONTEXT(gains_of_unlike_columns_are_those_of_their_factors),
        WITH_CONTEXT(gains_of_columns_that_are_almost_the_same_are_doubted),
        WITH_CONTEXT(a_pick_in_place_of_another_is_as_if_there_had_been_none),
        WITH_CONTEXT(the_list_has_the_best_subset_of_every_size),
        WITH_CONTEXT(a_large_library_is_searched_for_the_columns_that_made_the_data),
        WITH_CONTEXT(errors_of_tall_tables_are_those_of_all_rows),
        WITH_CONTEXT(leave_one_out_errors_are_those_of_as_many_refits),
        WITH_CONTEXT(a_row_that_decides_a_coefficient_alone_is_predicted_without_it),
        cmocka_unit_test(quantiles_are_those_of_the_printed_tables),
    };

    return cmocka_run_group_tests_name("regression", tests, NULL, NULL);
}
