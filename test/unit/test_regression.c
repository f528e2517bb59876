/*
 * The numerics of fitting: least squares, sign constraints, leave-one-out errors, Student's distribution.
 */
#include "near.h"

#include "regression/linear/left_out.h"
#include "regression/linear/nnls.h"
#include "regression/linear/student.h"

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
draw_problem(struct workspace *workspace, uint64_t seed, size_t columns, struct matrix *library, double *right_side)
{
    *library = matrix_new(workspace, ROWS, columns);
    assert_int_equal(workspace->status, 0);
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
    struct workspace workspace = WORKSPACE_INIT(*state);
    /* (1, 1), (2, 2), (3, 2): slope 1/2, intercept 2/3 */
    static const double ones[] = {1, 1, 1}, x[] = {1, 2, 3}, y[] = {1, 2, 2};
    double solution[2];
    struct qr qr;

    qr = qr_new(&workspace, 3, 2);
    assert_int_equal(workspace.status, 0);
    assert_true(qr_append(&qr, ones));
    assert_true(qr_append(&qr, x));
    qr_solve(&qr, y, solution);
    assert_near(solution[0], 2.0 / 3, 1e-15);
    assert_near(solution[1], 0.5, 1e-15);
    workspace_release(&workspace);
}

/* Laeuchli's matrix: its normal equations are singular in doubles, as 1 + e^2 = 1. */
static void
columns_that_are_almost_the_same_keep_their_coefficients(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    const double e = 1e-9;
    const double a[] = {1, e, 0, 0}, b[] = {1, 0, e, 0}, c[] = {1, 0, 0, e}, y[] = {6, e, 2 * e, 3 * e};
    double solution[3];
    struct qr qr;

    qr = qr_new(&workspace, 4, 3);
    assert_int_equal(workspace.status, 0);
    assert_true(qr_append(&qr, a) && qr_append(&qr, b) && qr_append(&qr, c));
    qr_solve(&qr, y, solution);
    for (int k = 0; k < 3; k++)
        assert_near(solution[k], k + 1, 1e-6);
    workspace_release(&workspace);
}

static void
a_column_that_others_make_up_is_refused(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    static const double a[] = {1, 2, 3, 4}, b[] = {1, 0, 1, 0}, sum[] = {3, 4, 7, 8};
    struct qr qr;

    qr = qr_new(&workspace, 4, 3);
    assert_int_equal(workspace.status, 0);
    assert_true(qr_append(&qr, a) && qr_append(&qr, b));
    assert_false(qr_append(&qr, sum));
    assert_int_equal(qr.count, 2);
    workspace_release(&workspace);
}

/* Numbers of sizes that differ, so that sums in another order have other bits. */
static void
many_columns_at_once_have_the_bits_of_one_after_the_other(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    enum { LONGEST = 15, COUNT = 11 };

    for (size_t rows = 1; rows <= LONGEST; rows++) {
        double vector[LONGEST], products[COUNT];
        struct matrix matrix;

        matrix = matrix_new(&workspace, rows, COUNT);
        assert_int_equal(workspace.status, 0);
        for (size_t i = 0; i < rows * COUNT; i++)
            matrix.values[i] = ldexp(sin((double)i), (int)(i * 7 % 60));
        for (size_t i = 0; i < rows; i++)
            vector[i] = cos((double)i);
        matrix_multiply(&matrix, COUNT, vector, products);
        for (size_t j = 0; j < COUNT; j++)
            assert_true(products[j] == vector_dot(rows, matrix_column(&matrix, j), vector));
        workspace_release(&workspace);
    }
}

/* ---- non-negative least squares ---- */

/* Least squared error over all sets of free columns whose plain solution is not negative: what NNLS must reach. */
static double
least_error_by_trying(memmodel_context *context, const double *const *columns, size_t count, const double *right_side)
{
    struct workspace workspace = WORKSPACE_INIT(context);
    double min = INFINITY;
    struct qr qr;

    qr = qr_new(&workspace, ROWS, count);
    assert_int_equal(workspace.status, 0);
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
    workspace_release(&workspace);
    return min;
}

static void
non_negative_solutions_are_the_best_of_all_sets_of_columns(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    struct nnls nnls;

    nnls = nnls_new(&workspace, ROWS, COLUMNS);
    assert_int_equal(workspace.status, 0);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double right_side[ROWS], solution[COLUMNS], min;
        const double *columns[COLUMNS];
        struct matrix library;

        draw_problem(&workspace, seed, COLUMNS, &library, right_side);
        for (size_t j = 0; j < COLUMNS; j++)
            columns[j] = matrix_column(&library, j);
        nnls_solve(&nnls, ROWS, columns, COLUMNS, right_side, solution);
        for (size_t j = 0; j < COLUMNS; j++)
            assert_true(solution[j] >= 0);
        min = least_error_by_trying(*state, columns, COLUMNS, right_side);
        assert_near(squared_error(ROWS, columns, COLUMNS, right_side, solution), min, 1e-12);
    }
    workspace_release(&workspace);
}

static void
columns_that_are_equal_or_zero_do_not_disturb(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    static const double a[] = {1, 2, 3}, zero[] = {0, 0, 0}, y[] = {2, 4, 6};
    const double *columns[] = {zero, a, a};
    double solution[3];
    struct nnls nnls;

    nnls = nnls_new(&workspace, 3, 3);
    assert_int_equal(workspace.status, 0);
    nnls_solve(&nnls, 3, columns, 3, y, solution);
    assert_near(solution[0], 0, 0);
    assert_near(solution[1], 2, 1e-14);
    assert_near(solution[2], 0, 0);
    workspace_release(&workspace);
}

static void
a_right_side_that_points_away_has_the_zero_solution(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    static const double a[] = {1, 2, 3}, b[] = {3, 1, 1}, y[] = {-1, -1, -2};
    const double *columns[] = {a, b};
    double solution[2];
    struct nnls nnls;

    nnls = nnls_new(&workspace, 3, 2);
    assert_int_equal(workspace.status, 0);
    nnls_solve(&nnls, 3, columns, 2, y, solution);
    assert_near(solution[0], 0, 0);
    assert_near(solution[1], 0, 0);
    workspace_release(&workspace);
}

/* ---- leave-one-out ---- */

/* The error of row `left_out` by a fit to the others but those of its point. */
static double
error_without(memmodel_context *context, const struct matrix *library, const double *response, const size_t *points,
              const struct support *support, size_t left_out)
{
    struct workspace workspace = WORKSPACE_INIT(context);
    double rest_response[ROWS], solution[SUPPORT_COLUMNS], error = response[left_out];
    struct matrix rest;
    struct qr work;
    size_t rows = 0;

    rest = matrix_new(&workspace, ROWS, COLUMNS);
    assert_int_equal(workspace.status, 0);
    work = qr_new(&workspace, ROWS, SUPPORT_COLUMNS);
    assert_int_equal(workspace.status, 0);
    for (size_t i = 0; i < ROWS; i++)
        rows += points[i] != points[left_out];
    rest.rows = rows;
    rows = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (points[i] == points[left_out])
            continue;
        for (size_t j = 0; j < COLUMNS; j++)
            matrix_column(&rest, j)[rows] = matrix_column(library, j)[i];
        rest_response[rows++] = response[i];
    }
    assert_true(left_out_fit(&work, &rest, rest_response, support, solution));
    for (size_t k = 0; k < support->count; k++)
        error -= solution[k] * matrix_column(library, support->columns[k])[left_out];
    workspace_release(&workspace);
    workspace_release(&workspace);
    return error;
}

/* Rows 3 and 4, and the last three, are of one point each: they are left out together. */
static void
leave_one_out_errors_are_those_of_as_many_refits(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state), kept = WORKSPACE_INIT(*state);
    static const struct support support = {.count = 3, .columns = {0, 1, 3}};
    static const size_t points[ROWS] = {0, 1, 2, 3, 3, 4, 5, 5, 5};
    struct qr work;

    work = qr_new(&kept, ROWS, SUPPORT_COLUMNS);
    assert_int_equal(kept.status, 0);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        double response[ROWS], errors[ROWS];
        struct matrix library;

        draw_problem(&workspace, seed, COLUMNS, &library, response);
        assert_true(left_out_errors(&work, &library, response, points, &support, errors));
        for (size_t i = 0; i < ROWS; i++)
            assert_near(errors[i], error_without(*state, &library, response, points, &support, i), 1e-9);
        workspace_release(&workspace);
    }
    workspace_release(&kept);
}

/* A row that alone has a term: nothing else tells its coefficient. */
static void
a_row_that_decides_a_coefficient_alone_has_no_error(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    static const struct support support = {.count = 2, .columns = {0, 1}};
    static const double response[] = {1, 1, 3};
    static const size_t points[] = {0, 1, 2};
    struct qr work;
    struct matrix library;
    double errors[3];

    library = matrix_new(&workspace, 3, 2);
    assert_int_equal(workspace.status, 0);
    matrix_column(&library, 0)[0] = matrix_column(&library, 0)[1] = 1;
    matrix_column(&library, 1)[2] = 1;
    work = qr_new(&workspace, 3, SUPPORT_COLUMNS);
    assert_int_equal(workspace.status, 0);
    assert_false(left_out_errors(&work, &library, response, points, &support, errors));
    workspace_release(&workspace);
    workspace_release(&workspace);
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
        WITH_CONTEXT(leave_one_out_errors_are_those_of_as_many_refits),
        WITH_CONTEXT(a_row_that_decides_a_coefficient_alone_has_no_error),
        cmocka_unit_test(quantiles_are_those_of_the_printed_tables),
    };

    return cmocka_run_group_tests_name("regression", tests, NULL, NULL);
}
