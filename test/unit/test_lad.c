/* Least absolute deviations. */
#include "fitted.h"
#include "near.h"

#include "regression/linear/lad.h"

#include <math.h>
#include <stdbool.h>

/* ---- least absolute errors ---- */

enum { MOST_ROWS = 24, LINE_COLUMNS = 2 };

struct prices {
    double above, below;
};

static double
price_of(size_t rows, const double *x, const double *response, const double *weights, struct prices prices,
         const double line[2])
{
    double sum = 0;

    for (size_t i = 0; i < rows; i++) {
        double error = response[i] - line[0] - line[1] * x[i];

        sum += weights[i] * (error > 0 ? prices.above * error : -prices.below * error);
    }
    return sum;
}

/*
 * The line with the least price, by trying all that meet two rows, and those that meet one and are level or go through 0. A
 * coefficient below 0 is none.
 */
static double
best_line(size_t rows, const double *x, const double *response, const double *weights, struct prices prices,
          double best[2])
{
    double least = INFINITY;

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rows; j++) {
            double slope = (response[j] - response[i]) / (x[j] - x[i]), through = response[i] / x[i];
            const double lines[3][2] = {{response[i] - slope * x[i], slope}, {response[i], 0}, {0, through}};

            for (size_t k = i < j && x[i] != x[j] ? 0 : 1; k < 3; k++) {
                double price = price_of(rows, x, response, weights, prices, lines[k]);

                if (lines[k][0] < 0 || lines[k][1] < 0 || !(price < least))
                    continue;
                least = price;
                best[0] = lines[k][0];
                best[1] = lines[k][1];
            }
        }
    return least;
}

/* Of some tables half of the rows lie on one line, so that many are met at once; of some two have the same x and aim. */
static void
no_line_is_better_than_the_vertex_that_is_found(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    struct lad work;
    uint64_t seed = 5;

    work = lad_new(&workspace, MOST_ROWS);
    assert_int_equal(workspace.status, 0);
    for (size_t repeat = 0; repeat < 300; repeat++) {
        double x[MOST_ROWS], ones[MOST_ROWS], response[MOST_ROWS], weights[MOST_ROWS], above[MOST_ROWS],
            below[MOST_ROWS];
        double found[LINE_COLUMNS], expected[2] = {0, 0}, least;
        struct prices prices = {repeat % 4 == 0 ? 0.8 : 1, repeat % 4 == 0 ? 0.2 : 1};
        const double *columns[LINE_COLUMNS] = {ones, x};
        size_t rows = 3 + repeat % (MOST_ROWS - 2);
        struct lad_problem problem = {.rows = rows,
                                      .count = LINE_COLUMNS,
                                      .columns = columns,
                                      .response = response,
                                      .above = above,
                                      .below = below,
                                      .positive = true};

        for (size_t i = 0; i < rows; i++) {
            bool exact = repeat % 3 == 0 && i % 2 == 0, again = repeat % 5 == 0 && i % 3 == 1;

            ones[i] = 1;
            x[i] = again ? x[i - 1] : 0.1 + (double)(i + 1) / (double)rows;
            response[i] = again ? response[i - 1] : (0.5 + x[i]) * (1 + (exact ? 0 : 0.6) * random_error(&seed));
            weights[i] = repeat % 2 == 0 ? 1 : 1 + (double)(i % 3);
            above[i] = weights[i] * prices.above;
            below[i] = weights[i] * prices.below;
        }
        lad_fit(&work, &problem, found);
        least = best_line(rows, x, response, weights, prices, expected);
        assert_true(found[0] >= 0 && found[1] >= 0);
        assert_near(price_of(rows, x, response, weights, prices, found), least, 1e-8);
    }
    workspace_release(&workspace);
}

/* Columns 1 and 2 are the same, 3 is 0: one of the former has the slope. 2 - x goes below 0, which is allowed here. */
static void
columns_that_tell_nothing_have_no_coefficient(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    static const double ones[] = {1, 1, 1, 1, 1}, x[] = {1, 2, 3, 4, 5}, zero[5], response[] = {1, 0, -1, 7, -3};
    const double *columns[] = {ones, x, x, zero};
    struct lad_problem problem = {
        .rows = 5, .count = 4, .columns = columns, .response = response, .above = ones, .below = ones};
    struct lad work;
    double found[4];

    work = lad_new(&workspace, 5);
    assert_int_equal(workspace.status, 0);
    lad_fit(&work, &problem, found);
    assert_near(found[0], 2, 1e-12);
    assert_near(found[1] + found[2], -1, 1e-12);
    assert_true(found[1] == 0 || found[2] == 0);
    assert_near(found[3], 0, 0);
    workspace_release(&workspace);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(no_line_is_better_than_the_vertex_that_is_found),
        WITH_CONTEXT(columns_that_tell_nothing_have_no_coefficient),
    };

    return cmocka_run_group_tests_name("held out", tests, NULL, NULL);
}
