/* What is reported of rows that a formula did not see: nothing of them may have helped to find it. */
#include "fitted.h"
#include "near.h"

#include "regression/corner.h"
#include "regression/held_out.h"
#include "regression/robust.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- least absolute errors ---- */

enum { MOST_ROWS = 24, LINE_COLUMNS = 2 };

struct prices {
    double above, below;
};

static double
price_of(size_t rows, const double *x, const double *aims, const double *weights, struct prices prices,
         const double line[2])
{
    double sum = 0;

    for (size_t i = 0; i < rows; i++) {
        double error = aims[i] - line[0] - line[1] * x[i];

        sum += weights[i] * (error > 0 ? prices.above * error : -prices.below * error);
    }
    return sum;
}

/*
 * The line with the least price, by trying all that meet two rows, and those that meet one and are level or go through
 * 0. A coefficient below 0 is none.
 */
static double
best_line(size_t rows, const double *x, const double *aims, const double *weights, struct prices prices, double best[2])
{
    double min = INFINITY;

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rows; j++) {
            double slope = (aims[j] - aims[i]) / (x[j] - x[i]), through = aims[i] / x[i];
            const double lines[3][2] = {{aims[i] - slope * x[i], slope}, {aims[i], 0}, {0, through}};

            for (size_t k = i < j && x[i] != x[j] ? 0 : 1; k < 3; k++) {
                double price = price_of(rows, x, aims, weights, prices, lines[k]);

                if (lines[k][0] < 0 || lines[k][1] < 0 || !(price < min))
                    continue;
                min = price;
                best[0] = lines[k][0];
                best[1] = lines[k][1];
            }
        }
    return min;
}

/*
 * Of some tables half of the rows lie on one line, so that many are met at once; of some two have the same x and aim.
 */
static void
no_line_is_better_than_the_corner_that_is_found(void **state)
{
    struct corner work;
    uint64_t seed = 5;

    assert_int_equal(corner_new(*state, MOST_ROWS, &work), 0);
    for (size_t repeat = 0; repeat < 300; repeat++) {
        double x[MOST_ROWS], ones[MOST_ROWS], aims[MOST_ROWS], weights[MOST_ROWS], above[MOST_ROWS], below[MOST_ROWS];
        double found[LINE_COLUMNS], expected[2] = {0, 0}, min;
        struct prices prices = {repeat % 4 == 0 ? 0.8 : 1, repeat % 4 == 0 ? 0.2 : 1};
        const double *columns[LINE_COLUMNS] = {ones, x};
        size_t rows = 3 + repeat % (MOST_ROWS - 2);
        struct corner_problem problem = {.rows = rows,
                                         .count = LINE_COLUMNS,
                                         .columns = columns,
                                         .aims = aims,
                                         .above = above,
                                         .below = below,
                                         .positive = true};

        for (size_t i = 0; i < rows; i++) {
            bool exact = repeat % 3 == 0 && i % 2 == 0, again = repeat % 5 == 0 && i % 3 == 1;

            ones[i] = 1;
            x[i] = again ? x[i - 1] : 0.1 + (double)(i + 1) / (double)rows;
            aims[i] = again ? aims[i - 1] : (0.5 + x[i]) * (1 + (exact ? 0 : 0.6) * random_error(&seed));
            weights[i] = repeat % 2 == 0 ? 1 : 1 + (double)(i % 3);
            above[i] = weights[i] * prices.above;
            below[i] = weights[i] * prices.below;
        }
        corner_fit(&work, &problem, found);
        min = best_line(rows, x, aims, weights, prices, expected);
        assert_true(found[0] >= 0 && found[1] >= 0);
        assert_near(price_of(rows, x, aims, weights, prices, found), min, 1e-8);
    }
    corner_release(*state, &work);
}

/* Columns 1 and 2 are the same, 3 is 0: one of the former has the slope. 2 - x goes below 0, which is allowed here. */
static void
columns_that_tell_nothing_have_no_coefficient(void **state)
{
    static const double ones[] = {1, 1, 1, 1, 1}, x[] = {1, 2, 3, 4, 5}, zero[5], aims[] = {1, 0, -1, 7, -3};
    const double *columns[] = {ones, x, x, zero};
    struct corner_problem problem = {
        .rows = 5, .count = 4, .columns = columns, .aims = aims, .above = ones, .below = ones};
    struct corner work;
    double found[4];

    assert_int_equal(corner_new(*state, 5, &work), 0);
    corner_fit(&work, &problem, found);
    assert_near(found[0], 2, 1e-12);
    assert_near(found[1] + found[2], -1, 1e-12);
    assert_true(found[1] == 0 || found[2] == 0);
    assert_near(found[3], 0, 0);
    corner_release(*state, &work);
}

/* ---- errors with each row left out ---- */

/* What the losses make of a mean, of rows that a line of x predicts which saw no row of their point. */
static double
loo_by_hand(int32_t loss, size_t rows, const double *x, const double *y, double quantile)
{
    bool relative = loss == MEMMODEL_FIT_LOSS_MAPE;
    struct prices prices = {loss == MEMMODEL_FIT_LOSS_PINBALL ? quantile : 1,
                            loss == MEMMODEL_FIT_LOSS_PINBALL ? 1 - quantile : 1};
    double sum = 0;

    for (size_t left_out = 0; left_out < rows; left_out++) {
        double other_x[MOST_ROWS], other_y[MOST_ROWS], weights[MOST_ROWS], line[2];
        size_t others = 0;

        for (size_t i = 0; i < rows; i++) {
            if (x[i] == x[left_out])
                continue;
            other_x[others] = x[i];
            other_y[others] = y[i];
            weights[others++] = relative ? 1 / y[i] : 1;
        }
        best_line(others, other_x, other_y, weights, prices, line);
        sum += price_of(1, &x[left_out], &y[left_out], &(double){relative ? 1 / y[left_out] : 1}, prices, line);
    }
    return sum / (double)rows;
}

static struct memmodel_model_scores
scores_of_line(memmodel_context *context, int32_t loss, size_t rows, const double *x, const double *y, double quantile)
{
    static const char *const columns[] = {"x", "y"}, *const terms[] = {"x"};
    const struct memmodel_fit_options options = {.size = sizeof options,
                                                 .loss = loss,
                                                 .quantile = loss == MEMMODEL_FIT_LOSS_PINBALL ? quantile : 0,
                                                 .basis = MEMMODEL_FIT_BASIS_USER,
                                                 .terms = terms,
                                                 .term_count = 1};
    struct memmodel_model_scores scores = {.size = sizeof scores};
    memmodel_samples *samples;
    memmodel_model *model;

    assert_int_equal(memmodel_samples_new(context, columns, 2, &samples), 0);
    for (size_t i = 0; i < rows; i++)
        assert_int_equal(memmodel_samples_add_row(samples, (double[]){x[i], y[i]}), 0);
    model = fit(samples, &options);
    assert_int_equal(memmodel_model_get_scores(model, &scores), 0);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
    return scores;
}

/*
 * Weights found on all rows would know the row that is left out, above all if it is one of the wild ones. At even steps
 * of x, or between two rows of each point that weigh the same, several lines would be the best.
 */
static void
the_leave_one_out_error_is_that_of_fits_without_the_point(void **state)
{
    enum { ROWS = 14 };
    uint64_t seed = 21;

    for (size_t repeat = 0; repeat < 20; repeat++)
        for (int32_t loss = MEMMODEL_FIT_LOSS_MAPE; loss <= MEMMODEL_FIT_LOSS_PINBALL; loss++) {
            double x[ROWS], y[ROWS], quantile = 0.63; /* no number of rows has a row at it */
            bool paired = repeat % 2 == 1 && loss != MEMMODEL_FIT_LOSS_ABSOLUTE;
            struct memmodel_model_scores scores;

            if (loss == MEMMODEL_FIT_LOSS_LOG_RATIO)
                continue;
            for (size_t i = 0; i < ROWS; i++) {
                x[i] = paired && i % 2 == 1 ? x[i - 1] : (double)i + 1 + 0.4 * random_error(&seed);
                y[i] = (50 + 20 * x[i]) * (1 + 0.1 * random_error(&seed)) * (i % 5 == 3 ? 1.6 : 1);
            }
            scores = scores_of_line(*state, loss, ROWS, x, y, quantile);
            assert_int_equal(scores.term_count, 2);
            assert_near(scores.loo_error / loo_by_hand(loss, ROWS, x, y, quantile), 1, 1e-9);
        }
}

/* ---- formulas without some rows ---- */

enum { TABLE_ROWS = 14, TABLE_COLUMNS = 60, TABLE_TERMS = 2 };

struct table {
    struct matrix columns;
    double right_side[TABLE_ROWS];
    size_t points[TABLE_ROWS];
    unsigned sizes[TABLE_COLUMNS];
    bool plain[TABLE_COLUMNS];
    struct subset_library library;
    struct select_problem problem;
};

/* Noise: which of the columns are found depends on every row. Row `without` is not there. */
static void
draw_table(memmodel_context *context, uint64_t seed, size_t without, struct table *table)
{
    size_t rows = TABLE_ROWS - (without < TABLE_ROWS), kept = 0;

    *table = (struct table){.points = {0}};
    assert_int_equal(matrix_new(context, rows, TABLE_COLUMNS, &table->columns), 0);
    for (size_t i = 0; i < TABLE_ROWS; i++) {
        double right_side = 1 + 0.4 * random_error(&seed);

        for (size_t j = 0; j < TABLE_COLUMNS; j++) {
            double value = j == 0 ? 1 : 1 + random_error(&seed);

            if (i != without)
                matrix_column(&table->columns, j)[kept] = value;
        }
        table->right_side[kept] = right_side;
        table->points[kept] = kept;
        kept += i != without;
    }
    for (size_t j = 0; j < TABLE_COLUMNS; j++) {
        table->sizes[j] = 1;
        table->plain[j] = true;
    }
    table->library = (struct subset_library){
        .columns = &table->columns, .right_side = table->right_side, .plain = table->plain, .max_terms = TABLE_TERMS};
    table->problem = (struct select_problem){.columns = &table->columns,
                                             .right_side = table->right_side,
                                             .sizes = table->sizes,
                                             .plain = table->plain,
                                             .points = table->points,
                                             .point_count = rows,
                                             .rule = MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH};
}

/* Ratio of a row by what is found in a table without it. */
static double
ratio_by_hand(memmodel_context *context, const struct table *table, uint64_t seed, size_t row)
{
    struct shortlist *list = memory_allocate(context, sizeof *list);
    double coefficients[SUBSET_TERMS + 1], ratio;
    struct leave_one_out work;
    struct selected selected;
    struct table others;

    assert_non_null(list);
    draw_table(context, seed, row, &others);
    assert_int_equal(subset_search(context, &others.library, list), 0);
    assert_int_equal(select_subset(context, &others.problem, list, &selected), 0);
    assert_int_equal(leave_one_out_new(context, TABLE_ROWS - 1, &work), 0);
    assert_true(subset_fit(&work, &others.columns, others.right_side, &selected.chosen, coefficients));
    ratio = held_out_ratio(&table->columns, table->right_side, &selected.chosen, coefficients, row);
    leave_one_out_release(&work);
    matrix_release(&others.columns);
    memory_release(context, list);
    return ratio;
}

static int
anything_goes(void *user, const struct subset *subset, const double *coefficients, bool *proven)
{
    (void)user, (void)subset, (void)coefficients;
    *proven = true;
    return 0;
}

/* user: the column that no formula may have. */
static int
all_but_one(void *user, const struct subset *subset, const double *coefficients, bool *proven)
{
    (void)coefficients;
    *proven = true;
    for (size_t k = 0; k < subset->count; k++)
        *proven = *proven && subset->columns[k] != *(const uint16_t *)user;
    return 0;
}

struct found {
    double ratios[TABLE_ROWS];
    size_t groups[TABLE_ROWS];
    struct held_out_formula formulas[SELECT_MOST_GROUPS];
};

static void
find(memmodel_context *context, const struct held_out_search *search, struct found *found)
{
    struct held_out held_out = {.ratios = found->ratios, .groups = found->groups, .formulas = found->formulas};

    assert_int_equal(matrix_new(context, TABLE_ROWS, HELD_OUT_COLUMNS, &held_out.front), 0);
    assert_int_equal(held_out_find(context, search, &held_out), 0);
    assert_int_equal(held_out.count, TABLE_ROWS);
    matrix_release(&held_out.front);
}

static void
formulas_held_out_are_searched_for_among_all_columns(void **state)
{
    struct found *found = memory_allocate(*state, sizeof *found);

    assert_non_null(found);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct table table;
        struct held_out_search search = {.problem = &table.problem, .library = &table.library, .prove = anything_goes};

        draw_table(*state, seed, TABLE_ROWS, &table);
        find(*state, &search, found);
        for (size_t i = 0; i < TABLE_ROWS; i++)
            assert_near(found->ratios[i], ratio_by_hand(*state, &table, seed, i), 1e-9);
        matrix_release(&table.columns);
    }
    memory_release(*state, found);
}

/* A column of one formula is not allowed any more: none has it, and others are found. */
static void
what_a_formula_may_not_have_none_has_that_is_held_out(void **state)
{
    struct found *found = memory_allocate(*state, sizeof *found);
    struct table table;
    struct held_out_search search = {.problem = &table.problem, .library = &table.library, .prove = anything_goes};
    uint16_t refused = 0;
    size_t terms = 0;

    assert_non_null(found);
    draw_table(*state, 3, TABLE_ROWS, &table);
    find(*state, &search, found);
    for (size_t i = 0; i < TABLE_ROWS; i++)
        if (found->formulas[i].subset.count > 1)
            refused = found->formulas[i].subset.columns[1];
    assert_int_not_equal(refused, 0);
    search.prove = all_but_one;
    search.user = &refused;
    find(*state, &search, found);
    for (size_t i = 0; i < TABLE_ROWS; i++)
        for (size_t k = 0; k < found->formulas[i].subset.count; k++, terms++)
            assert_int_not_equal(found->formulas[i].subset.columns[k], refused);
    assert_true(terms >= TABLE_ROWS);
    matrix_release(&table.columns);
    memory_release(*state, found);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(no_line_is_better_than_the_corner_that_is_found),
        WITH_CONTEXT(columns_that_tell_nothing_have_no_coefficient),
        WITH_CONTEXT(the_leave_one_out_error_is_that_of_fits_without_the_point),
        WITH_CONTEXT(formulas_held_out_are_searched_for_among_all_columns),
        WITH_CONTEXT(what_a_formula_may_not_have_none_has_that_is_held_out),
    };

    return cmocka_run_group_tests_name("held out", tests, NULL, NULL);
}
