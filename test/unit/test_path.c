/* Paths of columns: what is kept up to date while columns come and go, and the best columns of each number. */
#include "near.h"

#include "regression/path.h"

enum { ROWS = 60, COLUMNS = 12, SEEDS = 40 };

static const unsigned sizes[COLUMNS] = {0};

/* ---- helpers ---- */

/* SplitMix64, as a number in [-1, 1) */
static double
draw(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/*
 * The right side is the sum of columns 2 and 3 with a little noise, column 1 that with much: alone it explains most,
 * beside them nothing. The others are drawn.
 */
static void
draw_path(memmodel_context *context, uint64_t seed, struct path *path)
{
    double right_side[ROWS];

    assert_int_equal(path_new(context, ROWS, COLUMNS, sizes, path), 0);
    for (size_t i = 0; i < ROWS; i++) {
        path->roots[i] = 1;
        for (size_t j = 0; j < COLUMNS; j++)
            matrix_column(&path->columns, j)[i] = j == 0 ? 1 : draw(&seed);
        right_side[i] = 7;
        matrix_column(&path->columns, 1)[i] *= 0.7;
        for (size_t j = 2; j <= 3; j++) {
            right_side[i] += matrix_column(&path->columns, j)[i];
            matrix_column(&path->columns, 1)[i] += matrix_column(&path->columns, j)[i];
        }
        right_side[i] += 0.05 * draw(&seed);
    }
    path_set(path, right_side);
    path_begin(path, COLUMNS);
}

/* The part of a centred column that no chosen one explains, by Gram's and Schmidt's method. */
static void
unexplained(const struct path *path, const double *column, double *rest)
{
    double bases[PATH_MOST][ROWS];

    for (size_t k = 0; k <= path->count; k++) {
        double *base = k < path->count ? bases[k] : rest;

        memcpy(base, k < path->count ? matrix_column(&path->columns, path->chosen[k]) : column, sizeof bases[0]);
        for (size_t l = 0; l < 2 * k; l++)
            vector_add_scaled(ROWS, base, -vector_dot(ROWS, base, bases[l / 2]), bases[l / 2]);
        if (k < path->count) {
            double norm = sqrt(vector_dot(ROWS, base, base));

            for (size_t i = 0; i < ROWS; i++)
                base[i] /= norm;
        }
    }
}

static void
assert_up_to_date(const struct path *path)
{
    double rest[ROWS], leverage = 0;

    unexplained(path, path->centred, rest);
    for (size_t i = 0; i < ROWS; i++) {
        assert_near(path->residuals[i], rest[i], 1e-12);
        leverage += path->leverages[i];
    }
    assert_near(leverage, (double)path->count + 1, 1e-12);
    for (size_t j = 1; j < COLUMNS; j++) {
        const double *column = matrix_column(&path->columns, j);

        unexplained(path, column, rest);
        assert_near(path->rests[j], vector_dot(ROWS, rest, rest), 1e-12);
        assert_near(path->alignments[j], vector_dot(ROWS, column, path->residuals), 1e-12);
    }
}

static bool
has(const uint16_t *columns, size_t count, size_t column)
{
    for (size_t k = 0; k < count; k++)
        if (columns[k] == column)
            return true;
    return false;
}

/* ---- tests ---- */

static void
what_columns_that_come_and_go_leave_is_what_projections_say(void **state)
{
    size_t shortened = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct path path;
        size_t before = 0;

        draw_path(*state, seed, &path);
        assert_up_to_date(&path);
        while (path_step(&path, 6)) {
            shortened += path.count < before;
            before = path.count;
            assert_up_to_date(&path);
        }
        path_release(*state, &path);
    }
    assert_true(shortened >= SEEDS / 2);
}

/* What is shortened and grows again goes on until it has explained more than before, or has more columns. */
static void
a_step_leads_to_the_best_of_its_number_so_far(void **state)
{
    for (uint64_t seed = 1; seed <= 100 * SEEDS; seed++) {
        double min[PATH_MOST + 1];
        struct path path;

        for (size_t count = 0; count <= PATH_MOST; count++)
            min[count] = INFINITY;
        draw_path(*state, seed, &path);
        while (path_step(&path, 6)) {
            double rest = vector_dot(ROWS, path.residuals, path.residuals);

            assert_true(rest < min[path.count] * (1 - 1e-12)); /* more than rounding */
            min[path.count] = rest;
        }
        path_release(*state, &path);
    }
}

static void
a_column_that_later_ones_make_vain_goes(void **state)
{
    size_t masked = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct path path;

        draw_path(*state, seed, &path);
        assert_true(path_step(&path, 6));
        masked += path.chosen[0] == 1;
        while (path_step(&path, 6))
            ;
        assert_int_equal(path.longest, 6);
        for (size_t count = 2; count <= path.longest; count++)
            for (size_t column = 2; column <= 3; column++)
                assert_true(has(path.best[count].chosen, count, column));
        path_release(*state, &path);
    }
    assert_true(masked >= SEEDS / 2);
}

/* Columns 2 and 3 explain most together, but are of two groups; those from 6 on are of none. */
static void
a_path_keeps_to_one_group_and_to_columns_of_none(void **state)
{
    static const uint16_t groups[COLUMNS] = {0, 1, 1, 2, 2, 1};
    size_t grouped = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct path path;

        draw_path(*state, seed, &path);
        path.groups = groups;
        while (path_step(&path, 6)) {
            bool first =
                has(path.chosen, path.count, 1) || has(path.chosen, path.count, 2) || has(path.chosen, path.count, 5);
            bool second = has(path.chosen, path.count, 3) || has(path.chosen, path.count, 4);

            assert_false(first && second);
            grouped += first || second;
        }
        assert_int_equal(path.longest, 6);
        path_release(*state, &path);
    }
    assert_true(grouped >= SEEDS);
}

static void
what_is_recalled_is_the_best_of_its_number(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct path path;

        draw_path(*state, seed, &path);
        while (path_step(&path, 6))
            ;
        for (size_t count = 0; count <= path.longest; count++) {
            double coefficients[PATH_MOST], offset, rest[ROWS];

            path_recall(&path, count);
            assert_int_equal(path.count, count);
            assert_memory_equal(path.chosen, path.best[count].chosen, count * sizeof *path.chosen);
            unexplained(&path, path.centred, rest);
            assert_near(path.best[count].rest, vector_dot(ROWS, rest, rest), 1e-12);
            offset = path_solve(&path, coefficients);
            for (size_t i = 0; i < ROWS; i++) {
                double value = offset;

                for (size_t k = 0; k < count; k++) {
                    size_t j = path.chosen[k];

                    value += coefficients[k] * (matrix_column(&path.columns, j)[i] * path.norms[j] + path.means[j]);
                }
                assert_near(path.mean + path.centred[i] - value, rest[i], 1e-12);
            }
        }
        for (size_t count = 1; count <= path.longest; count++)
            assert_true(path.best[count].rest < path.best[count - 1].rest);
        path_release(*state, &path);
    }
}

/* Signs are drawn, so that what may go is not always what is worth least. */
static void
without_a_column_the_others_have_their_signs(void **state)
{
    for (uint64_t seed = 1; seed <= 100 * SEEDS; seed++) {
        signed char signs[COLUMNS];
        uint64_t of_signs = seed;
        struct path path;

        for (size_t j = 0; j < COLUMNS; j++)
            signs[j] = draw(&of_signs) < 0 ? -1 : 1;
        draw_path(*state, seed, &path);
        path.signs = signs;
        while (path_step(&path, 6)) {
            double coefficients[PATH_MOST];

            path_solve(&path, coefficients);
            for (size_t k = 0; k < path.count; k++)
                assert_true(coefficients[k] * signs[path.chosen[k]] >= 0);
        }
        path_release(*state, &path);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(what_columns_that_come_and_go_leave_is_what_projections_say),
        WITH_CONTEXT(a_step_leads_to_the_best_of_its_number_so_far),
        WITH_CONTEXT(a_column_that_later_ones_make_vain_goes),
        WITH_CONTEXT(a_path_keeps_to_one_group_and_to_columns_of_none),
        WITH_CONTEXT(what_is_recalled_is_the_best_of_its_number),
        WITH_CONTEXT(without_a_column_the_others_have_their_signs),
    };

    return cmocka_run_group_tests_name("paths", tests, NULL, NULL);
}
