/* The best formula of each size of positive terms, with what is known of it on rows held out. */
#include "fitted.h"
#include "near.h"

#include "regression/select/front.h"

#include <math.h>

static struct memmodel_model_front_entry
entry_of(const memmodel_model *model, size_t index)
{
    struct memmodel_model_front_entry entry = {.size = sizeof entry};

    assert_int_equal(memmodel_model_get_front_entry(model, index, &entry), 0);
    return entry;
}

static void
each_size_is_better_than_all_smaller_ones_or_chosen(void **state)
{
    static const int32_t losses[] = {MEMMODEL_FIT_LOSS_RELATIVE, MEMMODEL_FIT_LOSS_MAPE, MEMMODEL_FIT_LOSS_ABSOLUTE};
    memmodel_samples *samples = network_samples(*state, 0.02, 5);

    for (size_t l = 0; l < sizeof losses / sizeof losses[0]; l++) {
        struct memmodel_fit_options options = {.size = sizeof options, .loss = losses[l]};
        memmodel_model *model = fit(samples, &options);
        const char *text = memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT);
        double min = INFINITY;
        int64_t nodes = 0, chosen = 0;

        assert_true(memmodel_model_front_count(model) >= 3);
        for (size_t i = 0; i < memmodel_model_front_count(model); i++) {
            struct memmodel_model_front_entry entry = entry_of(model, i);

            assert_true(entry.node_count > nodes);
            assert_true(entry.nested_cv_error < min || entry.selected);
            assert_true(entry.loo_error > 0);
            if (entry.selected)
                assert_string_equal(front_formula(model, i), text);
            chosen += entry.selected;
            nodes = entry.node_count;
            min = fmin(min, entry.nested_cv_error);
        }
        assert_int_equal(chosen, 1);
        memmodel_model_unref(model);
    }
    memmodel_samples_unref(samples);
}

/*
 * Least squares of relative errors 1 - c / y: c = sum(1 / y) / sum(1 / y^2), of all rows but the one that is predicted.
 */
static void
the_smallest_is_the_constant_with_its_error_on_rows_left_out(void **state)
{
    memmodel_samples *samples = network_samples(*state, 0.02, 5);
    memmodel_model *model = fit(samples, NULL);
    const struct memmodel_model_front_entry constant = entry_of(model, 0);
    const double *measured = memmodel_samples_column(samples, "peak_bytes");
    double squares = 0, first = 0, second = 0;
    size_t rows = memmodel_samples_row_count(samples);

    for (size_t i = 0; i < rows; i++) {
        double y = measured[i];

        first += 1 / y;
        second += 1 / (y * y);
    }
    for (size_t i = 0; i < rows; i++) {
        double y = measured[i], c = (first - 1 / y) / (second - 1 / (y * y));

        squares += (1 - c / y) * (1 - c / y);
    }
    assert_int_equal(constant.node_count, 1);
    assert_int_equal(constant.term_count, 1);
    assert_near(constant.loo_error, sqrt(squares / (double)rows), 1e-9);
    assert_near(constant.nested_cv_error / constant.loo_error, 1, 0.1); /* ten parts in place of rows */
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* A line and much noise: the best of many terms says less of the next row than each row left out makes believe. */
static void
what_is_found_by_chance_is_found_out(void **state)
{
    static const char *const columns[] = {"a", "b", "y"};
    size_t larger = 0;

    for (uint64_t table = 1; table <= 3; table++) {
        uint64_t seed = table;
        memmodel_samples *samples;
        memmodel_model *model;

        assert_int_equal(memmodel_samples_new(*state, columns, 3, &samples), 0);
        for (int i = 0; i < 16; i++) {
            double x = 2 + random_error(&seed), z = 2 + random_error(&seed);

            assert_int_equal(memmodel_samples_add_row(samples, (double[]){x, z, 10 + 3 * x + random_error(&seed)}), 0);
        }
        model = fit(samples, NULL);
        for (size_t i = 1; i < memmodel_model_front_count(model); i++) {
            const struct memmodel_model_front_entry entry = entry_of(model, i);

            assert_true(entry.nested_cv_error >= entry.loo_error * (1 - 1e-9));
            larger += entry.nested_cv_error > 1.001 * entry.loo_error;
        }
        memmodel_model_unref(model);
        memmodel_samples_unref(samples);
    }
    assert_true(larger > 0);
}

/* Formulas of many terms were tried and found too long; what nothing predicts is predicted by none of the front. */
static void
noise_is_predicted_by_no_formula(void **state)
{
    static const char *const columns[] = {"a", "b", "y"};

    for (int32_t search = 0; search < 2; search++) {
        struct memmodel_fit_options options = {.size = sizeof options, .search = search};
        memmodel_samples *samples;
        memmodel_model *model;
        uint64_t seed = 4;

        assert_int_equal(memmodel_samples_new(*state, columns, 3, &samples), 0);
        for (int i = 0; i < 40; i++) {
            double x = 2 + random_error(&seed), z = 2 + random_error(&seed);

            assert_int_equal(memmodel_samples_add_row(samples, (double[]){x, z, 10 + random_error(&seed)}), 0);
        }
        model = fit(samples, &options);
        for (size_t i = 0; i < memmodel_model_front_count(model); i++)
            assert_true(entry_of(model, i).nested_cv_error > 0.01);
        memmodel_model_unref(model);
        memmodel_samples_unref(samples);
    }
}

/* What an optimizer keeps, or what layers of 4000 bytes a voxel take: they cross within the table. */
static void
several_moments_stand_beside_sums_of_terms(void **state)
{
    static const char *const columns[] = {"dim", "batch", "peak_bytes"};
    memmodel_samples *samples;
    memmodel_model *model;
    size_t last;

    assert_int_equal(memmodel_samples_new(*state, columns, 3, &samples), 0);
    for (size_t i = 0; i < DIMS * BATCHES; i++) {
        double dim = dims[i / BATCHES], batch = batches[i % BATCHES];
        double bytes = fmax(2000000004, 100000000 + 4000 * batch * dim * dim * dim);

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){dim, batch, bytes}), 0);
    }
    model = fit(samples, NULL);
    last = memmodel_model_front_count(model) - 1;
    assert_true(last >= 2);
    assert_true(entry_of(model, last).selected);
    assert_non_null(strstr(front_formula(model, last), ", 2000000004)"));
    assert_true(entry_of(model, last).nested_cv_error < 1e-8);
    assert_true(entry_of(model, last - 1).nested_cv_error > 1e-3);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
a_file_keeps_the_front(void **state)
{
    memmodel_model *model = network_model(*state, 0.02), *again;
    char *text, *same;

    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    assert_int_equal(memmodel_model_from_json(*state, "model", text, strlen(text), &again), 0);
    assert_int_equal(memmodel_model_to_json(again, NULL, &same), 0);
    assert_string_equal(text, same);
    memmodel_free(same);
    memmodel_model_unref(again);
    assert_non_null(strstr(text, "\"front\":"));
    memmodel_free(text);
    memmodel_model_unref(model);
}

/* ---- the rule ---- */

static void
larger_and_worse_formulas_are_left_out_but_the_chosen_one(void **state)
{
    struct front_entry entries[] = {{.nodes = 9, .nested = 2, .place = 0},
                                    {.nodes = 3, .nested = 5, .place = 1},
                                    {.nodes = 3, .nested = 4, .place = 2},
                                    {.nodes = 7, .nested = 4, .place = 3},
                                    {.nodes = 8, .nested = 6, .place = 4, .chosen = true},
                                    {.nodes = 8, .nested = 1, .place = 5},
                                    {.nodes = 11, .nested = NAN, .place = 6},
                                    {.nodes = 12, .nested = 2, .place = 7}};

    (void)state;
    assert_int_equal(front_of(entries, sizeof entries / sizeof entries[0]), 3);
    assert_int_equal(entries[0].place, 2);
    assert_int_equal(entries[1].place, 4);
    assert_int_equal(entries[2].place, 0);
    assert_int_equal(front_of(entries, 0), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_WITH_CONTEXT(each_size_is_better_than_all_smaller_ones_or_chosen),
        WITH_CONTEXT(the_smallest_is_the_constant_with_its_error_on_rows_left_out),
        WITH_CONTEXT(what_is_found_by_chance_is_found_out),
        WITH_CONTEXT(noise_is_predicted_by_no_formula),
        WITH_CONTEXT(several_moments_stand_beside_sums_of_terms),
        WITH_CONTEXT(a_file_keeps_the_front),
        cmocka_unit_test(larger_and_worse_formulas_are_left_out_but_the_chosen_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
