/*
 * From samples to a model: what is fitted, what is refused, what a file keeps, and that exports compute the same bits.
 */
#include "allocations.h"
#include "near.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- tables and models to work with ---- */

/* A 3D network: 900 MB, 1291.125 bytes a voxel and image, and 30,000 bytes a face; times an error in percent. */
static double
network_bytes(double dim, double batch)
{
    return 9e8 + 1291.125 * batch * dim * dim * dim + 3e4 * batch * dim * dim;
}

static uint64_t
next_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* evenly in [-1, 1) */
static double
random_error(uint64_t *seed)
{
    return (double)(int64_t)(next_random(seed) >> 10) * 0x1p-53 - 1;
}

static const double dims[] = {32, 48, 64, 80, 96, 112}, batches[] = {1, 2, 4, 8, 16};

enum { DIMS = sizeof dims / sizeof dims[0], BATCHES = sizeof batches / sizeof batches[0] };

/* columns dim, batch, peak_bytes */
static memmodel_samples *
network_samples(memmodel_context *context, double error, uint64_t seed)
{
    static const char *const columns[] = {"dim", "batch", "peak_bytes"};
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (size_t i = 0; i < DIMS; i++)
        for (size_t j = 0; j < BATCHES; j++) {
            double bytes = network_bytes(dims[i], batches[j]) * (1 + error * random_error(&seed));

            assert_int_equal(memmodel_samples_add(samples, (double[]){dims[i], batches[j], bytes}), 0);
        }
    return samples;
}

static memmodel_model *
fit(const memmodel_samples *samples, const struct memmodel_fit_options *options)
{
    memmodel_model *model;

    if (memmodel_fit(samples, options, &model))
        fail_msg("%s", memmodel_context_error(memmodel_samples_context(samples))->message);
    return model;
}

static memmodel_model *
network_model(memmodel_context *context, double error)
{
    memmodel_samples *samples = network_samples(context, error, 1);
    memmodel_model *model = fit(samples, NULL);

    memmodel_samples_unref(samples);
    return model;
}

static memmodel_samples *
parse(memmodel_context *context, const char *csv)
{
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_parse(context, "table", csv, strlen(csv), &samples), 0);
    return samples;
}

static char *
formula(memmodel_context *context, const memmodel_model *model, int language)
{
    char *text;

    assert_int_equal(memmodel_model_formula(model, language, context, &text), 0);
    return text;
}

/* ---- fitting ---- */

static void
exact_data_gives_back_the_formula_that_made_it(void **state)
{
    memmodel_model *model = network_model(*state, 0);
    struct memmodel_model_scores scores = {.size = sizeof scores};

    assert_int_equal(memmodel_model_scores(model, &scores), 0);
    assert_int_equal(scores.terms, 3);
    assert_int_equal(scores.samples, DIMS * BATCHES);
    assert_true(scores.loo_mape < 1e-12);
    assert_near(memmodel_model_evaluate(model, (double[]){200, 3}) / network_bytes(200, 3), 1, 1e-12);
    memmodel_model_unref(model);
}

/* An error evenly in +-2 % has a mean size of 1 %; the fit must not add much to it, nor hide it. */
static void
leave_one_out_error_is_about_the_error_of_the_measurements(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    struct memmodel_model_scores scores = {.size = sizeof scores};

    assert_int_equal(memmodel_model_scores(model, &scores), 0);
    assert_true(scores.loo_mape > 0.007 && scores.loo_mape < 0.015);
    assert_true(scores.training_mape < scores.loo_mape);
    assert_near(memmodel_model_evaluate(model, (double[]){88, 6}) / network_bytes(88, 6), 1, 0.02);
    memmodel_model_unref(model);
}

static void
the_same_rows_give_the_same_bits_for_any_number_of_threads(void **state)
{
    memmodel_samples *samples = network_samples(*state, 0.02, 5);
    struct memmodel_fit_options threads = {.size = sizeof threads, .threads = 2};
    memmodel_model *model = fit(samples, NULL), *again = fit(samples, &threads);
    char *text, *again_text;

    assert_int_equal(memmodel_model_to_json(model, &text), 0);
    assert_int_equal(memmodel_model_to_json(again, &again_text), 0);
    assert_string_equal(text, again_text);
    memmodel_free(*state, text);
    memmodel_free(*state, again_text);
    memmodel_model_unref(model);
    memmodel_model_unref(again);
    memmodel_samples_unref(samples);
}

/* y = 7 + 5 floor(n / 10): no power of n is that, the given term is. */
static void
a_given_term_is_taken_where_no_power_will_do(void **state)
{
    static const char *const columns[] = {"n", "y"}, *const terms[] = {"floor(n/10)"};
    struct memmodel_fit_options options = {.size = sizeof options, .terms = terms, .term_count = 1};
    memmodel_samples *samples;
    memmodel_model *model;
    char *text;

    assert_int_equal(memmodel_samples_new(*state, columns, 2, &samples), 0);
    for (int n = 3; n < 60; n += 4)
        assert_int_equal(memmodel_samples_add(samples, (double[]){n, 7 + 5 * (n / 10)}), 0);
    model = fit(samples, &options);
    text = formula(*state, model, MEMMODEL_TEXT);
    assert_non_null(strstr(text, "floor(n/10)"));
    assert_near(memmodel_model_evaluate(model, (double[]){75}), 42, 1e-9);
    memmodel_free(*state, text);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
only_given_terms_are_used_when_asked_for(void **state)
{
    static const char *const terms[] = {"batch*dim^3"};
    struct memmodel_fit_options options = {
        .size = sizeof options, .terms = terms, .term_count = 1, .basis = MEMMODEL_BASIS_GIVEN};
    memmodel_samples *samples = network_samples(*state, 0.01, 1);
    struct memmodel_model_scores scores = {.size = sizeof scores};
    memmodel_model *model = fit(samples, &options);

    assert_int_equal(memmodel_model_scores(model, &scores), 0);
    assert_int_equal(scores.terms, 2);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* Seconds that fall with the number of threads, from 1 to 12 of them: 2 + 90 / threads. */
static void
what_falls_with_an_input_is_found_too(void **state)
{
    memmodel_samples *samples = parse(*state, "threads,seconds\n1,92\n2,47\n3,32\n4,24.5\n6,17\n9,12\n12,9.5\n");
    memmodel_model *model = fit(samples, NULL);

    assert_near(memmodel_model_evaluate(model, (double[]){5}), 20, 1e-9);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* y = 10 + 2 (x + 3), so that x is below 0 on some rows and y never is; and one with zeros: y = 4 + 3 sqrt(z). */
static void
inputs_may_be_zero_or_negative(void **state)
{
    memmodel_samples *below = parse(*state, "x,y\n-3,10\n-2,12\n-1,14\n0,16\n1,18\n2,20\n5,26\n");
    memmodel_samples *zero = parse(*state, "z,y\n0,4\n1,7\n4,10\n9,13\n16,16\n25,19\n36,22\n49,25\n64,28\n");
    memmodel_model *model = fit(below, NULL);

    assert_near(memmodel_model_evaluate(model, (double[]){3}), 22, 1e-9);
    memmodel_model_unref(model);
    model = fit(zero, NULL);
    assert_near(memmodel_model_evaluate(model, (double[]){6.25}), 11.5, 1e-9);
    memmodel_model_unref(model);
    memmodel_samples_unref(below);
    memmodel_samples_unref(zero);
}

/* The same measurements, once with a wrong row of weight 0, once with rows that miss a value: all the same fit. */
static void
rows_without_weight_or_with_missing_values_are_left_out(void **state)
{
    memmodel_samples *clean = parse(*state, "n,y,w\n1,5,1\n2,8,1\n3,11,1\n4,14,1\n5,17,1\n");
    memmodel_samples *mixed = parse(*state, "n,y,w\n1,5,1\n2,8,1\n9,999,0\n3,11,1\n4,14,1\n,7,1\n5,17,1\n8,,1\n");
    struct memmodel_fit_options options = {.size = sizeof options, .target = "y", .weight = "w"};
    memmodel_model *a = fit(clean, &options), *b = fit(mixed, &options);
    char *a_text = formula(*state, a, MEMMODEL_TEXT), *b_text = formula(*state, b, MEMMODEL_TEXT);

    assert_string_equal(a_text, b_text);
    assert_near(memmodel_model_evaluate(b, (double[]){7}), 23, 1e-9);
    memmodel_free(*state, a_text);
    memmodel_free(*state, b_text);
    memmodel_model_unref(a);
    memmodel_model_unref(b);
    memmodel_samples_unref(clean);
    memmodel_samples_unref(mixed);
}

/* Two measurements of each point disagree; the heavier one is right: y = 2 + 3 n. */
static void
heavy_rows_pull_the_formula_to_them(void **state)
{
    memmodel_samples *samples = parse(*state, "n,y,w\n1,5,1000000\n1,9,1\n2,8,1000000\n2,5,1\n3,11,1000000\n3,20,1\n"
                                              "5,17,1000000\n5,10,1\n8,26,1000000\n8,40,1\n");
    struct memmodel_fit_options options = {.size = sizeof options, .target = "y", .weight = "w"};
    memmodel_model *model = fit(samples, &options);

    assert_near(memmodel_model_evaluate(model, (double[]){4}), 14, 0.01);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
columns_with_curious_names_are_identifiers_in_formulas(void **state)
{
    memmodel_samples *samples =
        parse(*state, "hidden size,for,y\n1,2,9\n2,1,8\n3,5,21\n4,4,20\n5,9,37\n6,3,21\n7,7,35\n");
    memmodel_model *model = fit(samples, NULL);
    char *text = formula(*state, model, MEMMODEL_C);

    assert_string_equal(memmodel_model_input_name(model, 0), "hidden size");
    assert_string_equal(memmodel_model_input_symbol(model, 0), "hidden_size");
    assert_string_equal(memmodel_model_input_symbol(model, 1), "for_2");
    assert_null(memmodel_model_input_symbol(model, 2));
    assert_non_null(strstr(text, "hidden_size"));
    assert_non_null(strstr(text, "for_2"));
    memmodel_free(*state, text);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* ---- refusals ---- */

static const struct refusal {
    const char *csv, *target, *input, *weight, *term;
    int status;
    const char *message, *object;
} refusals[] = {
    {"n,y\n1,2\n2,3\n3,4\n", "y", NULL, NULL, NULL, MEMMODEL_ERROR_DATA, "too few", "y"},
    {"n,y\n1,2\n2,0\n3,4\n4,5\n", "y", NULL, NULL, NULL, MEMMODEL_ERROR_DATA, "row 2", "y"},
    {"n,y\n1,2\n2,3\n3,-4\n4,5\n", "y", NULL, NULL, NULL, MEMMODEL_ERROR_DATA, "row 3", "y"},
    {"n,y\n7,2\n7,3\n7,4\n7,5\n", "y", "n", NULL, NULL, MEMMODEL_ERROR_DATA, "constant", "n"},
    {"n,y\n7,2\n7,3\n7,4\n7,5\n", "y", NULL, NULL, NULL, MEMMODEL_ERROR_DATA, "no other numeric column", "y"},
    {"n,y\n1,2\n2,3\n3,4\n4,5\n", "z", NULL, NULL, NULL, MEMMODEL_ERROR_UNKNOWN_SYMBOL, "z", ""},
    {"n,y\n1,2\n2,3\n3,4\n4,5\n", "y", "m", NULL, NULL, MEMMODEL_ERROR_UNKNOWN_SYMBOL, "m", ""},
    {"n,y\n1,2\n2,3\n3,4\n4,5\n", "y", "y", NULL, NULL, MEMMODEL_ERROR_INVALID_ARGUMENT, "target", "y"},
    {"n,y,w\n1,2,1\n2,3,-1\n3,4,1\n4,5,1\n", "y", NULL, "w", NULL, MEMMODEL_ERROR_DATA, "row 2", "w"},
    {"n,s,y\n1,a,2\n2,b,3\n3,c,4\n4,d,5\n", "y", "s", NULL, NULL, MEMMODEL_ERROR_DATA, "", "s"},
    {"n,y\n1,2\n2,3\n3,4\n4,5\n", "y", NULL, NULL, "2*", MEMMODEL_ERROR_PARSE, "", ""},
    {"n,y\n1,2\n2,3\n3,4\n4,5\n", "y", NULL, NULL, "q*n", MEMMODEL_ERROR_UNKNOWN_SYMBOL, "q", ""},
    {"n,y\n1,2\n2,3\n3,4\n4,5\n", "y", NULL, NULL, "log(n-2)", MEMMODEL_ERROR_DATA, "row 1", ""},
};

static void
what_cannot_be_fitted_is_refused_by_name(void **state)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *refusal = &refusals[i];
        struct memmodel_fit_options options = {.size = sizeof options,
                                               .target = refusal->target,
                                               .inputs = refusal->input ? &refusal->input : NULL,
                                               .input_count = refusal->input != NULL,
                                               .weight = refusal->weight,
                                               .terms = &refusal->term,
                                               .term_count = refusal->term != NULL};
        memmodel_samples *samples = parse(*state, refusal->csv);
        memmodel_model *model = NULL;

        assert_error(*state, memmodel_fit(samples, &options, &model), refusal->status, refusal->message);
        if (refusal->object[0])
            assert_string_equal(memmodel_context_error(*state)->object, refusal->object);
        assert_null(model);
        memmodel_samples_unref(samples);
    }
}

static void
two_inputs_with_the_same_numbers_are_refused_or_one_is_left_out(void **state)
{
    static const char *const both[] = {"a", "b"};
    struct memmodel_fit_options options = {.size = sizeof options, .target = "y", .inputs = both, .input_count = 2};
    memmodel_samples *samples = parse(*state, "a,b,y\n1,1,2\n2,2,3\n3,3,4\n4,4,5\n6,6,7\n");
    memmodel_model *model;

    assert_error(*state, memmodel_fit(samples, &options, &model), MEMMODEL_ERROR_DATA, "same numbers as \"a\"");
    options.inputs = NULL;
    model = fit(samples, &options);
    assert_int_equal(memmodel_model_input_count(model), 1);
    assert_string_equal(memmodel_model_input_name(model, 0), "a");
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
options_out_of_range_are_refused(void **state)
{
    memmodel_samples *samples = parse(*state, "n,y\n1,2\n2,3\n3,4\n4,5\n");
    struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 9};
    memmodel_model *model;

    assert_error(*state, memmodel_fit(samples, &options, &model), MEMMODEL_ERROR_INVALID_ARGUMENT, "max_terms");
    options.max_terms = 0;
    options.basis = 7;
    assert_error(*state, memmodel_fit(samples, &options, &model), MEMMODEL_ERROR_INVALID_ARGUMENT, "basis");
    options.basis = 0;
    options.size = 0;
    assert_error(*state, memmodel_fit(samples, &options, &model), MEMMODEL_ERROR_STRUCT_SIZE, "memmodel_fit_options");
    memmodel_samples_unref(samples);
}

/* ---- prediction ---- */

static struct memmodel_prediction
predict(const memmodel_model *model, double dim, double batch, double level)
{
    struct memmodel_prediction prediction = {.size = sizeof prediction};

    assert_int_equal(memmodel_model_predict(model, (double[]){dim, batch}, level, &prediction), 0);
    return prediction;
}

static void
many_points_have_the_bits_of_one_after_the_other(void **state)
{
    enum { POINTS = 300 };
    memmodel_model *model = network_model(*state, 0.02);
    double dim[POINTS], batch[POINTS], results[POINTS];
    uint64_t seed = 2;

    for (int i = 0; i < POINTS; i++) {
        dim[i] = 100 + 80 * random_error(&seed);
        batch[i] = 40 + 39 * random_error(&seed);
    }
    memmodel_model_evaluate_many(model, (const double *const[]){dim, batch}, POINTS, results);
    for (int i = 0; i < POINTS; i++)
        assert_true(results[i] == memmodel_model_evaluate(model, (double[]){dim[i], batch[i]}));
    memmodel_model_unref(model);
}

static void
bounds_lie_above_the_prediction_and_rise_with_the_level(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    static const double levels[] = {0.5, 0.8, 0.9, 0.95, 0.99, 0.999};
    double before = 0;

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        struct memmodel_prediction prediction = predict(model, 64, 4, levels[i]);

        assert_true(prediction.upper >= prediction.value);
        assert_true(prediction.upper >= before);
        before = prediction.upper;
        assert_true(prediction.value == memmodel_model_evaluate(model, (double[]){64, 4}));
    }
    assert_true(before < 1.2 * predict(model, 64, 4, 0.95).value);
    memmodel_model_unref(model);
}

static void
bounds_widen_away_from_the_samples_and_say_so(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    struct memmodel_prediction inside = predict(model, 64, 4, 0.95), edge = predict(model, 112, 16, 0.95),
                               far_away = predict(model, 512, 16, 0.95);

    assert_false(inside.outside);
    assert_false(edge.outside);
    assert_true(far_away.outside);
    assert_true(predict(model, 64, 0.5, 0.95).outside);
    assert_true(far_away.upper / far_away.value >= inside.upper / inside.value);
    memmodel_model_unref(model);
}

/* 40 tables with other errors, 20 new measurements each: about 5 % of 800 may lie above the bound. */
static void
about_one_new_measurement_in_twenty_exceeds_the_bound_of_95_percent(void **state)
{
    int above = 0, measured = 0;
    uint64_t seed = 99;

    for (uint64_t table = 1; table <= 40; table++) {
        memmodel_samples *samples = network_samples(*state, 0.03, 1000 * table);
        struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 2};
        memmodel_model *model = fit(samples, &options);

        for (int i = 0; i < 20; i++) {
            double dim = dims[next_random(&seed) % DIMS], batch = batches[next_random(&seed) % BATCHES];

            above +=
                network_bytes(dim, batch) * (1 + 0.03 * random_error(&seed)) > predict(model, dim, batch, 0.95).upper;
            measured++;
        }
        memmodel_model_unref(model);
        memmodel_samples_unref(samples);
    }
    assert_true(above <= measured * 7 / 100);
}

static void
a_level_or_a_size_that_is_not_valid_is_refused(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    struct memmodel_prediction prediction = {.size = sizeof prediction, .upper = -1};
    double point[] = {64, 4};

    assert_int_equal(memmodel_model_predict(model, point, 0.4, &prediction), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(memmodel_model_predict(model, point, 1, &prediction), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(memmodel_model_predict(model, point, NAN, &prediction), MEMMODEL_ERROR_INVALID_ARGUMENT);
    prediction.size = 1;
    assert_int_equal(memmodel_model_predict(model, point, 0.95, &prediction), MEMMODEL_ERROR_STRUCT_SIZE);
    assert_true(prediction.upper == -1);
    memmodel_model_unref(model);
}

static void
the_largest_value_that_fits_fits_and_the_next_does_not(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    static const double budgets[] = {4e9, 16e9, 1e12};
    int64_t largest = -1;

    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(memmodel_model_solve(model, (double[]){96, 0}, "batch", 0.95, budgets[i], &largest), 0);
        assert_true(predict(model, 96, (double)largest, 0.95).upper <= budgets[i]);
        assert_true(predict(model, 96, (double)largest + 1, 0.95).upper > budgets[i]);
    }
    assert_int_equal(memmodel_model_solve(model, (double[]){96, 0}, "batch", 0.95, 1e8, &largest), 0);
    assert_int_equal(largest, 0);
    assert_int_equal(memmodel_model_solve(model, (double[]){96, 0}, "width", 0.95, 1e8, &largest),
                     MEMMODEL_ERROR_UNKNOWN_SYMBOL);
    assert_int_equal(memmodel_model_solve(model, (double[]){96, 0}, "batch", 2, 1e8, &largest),
                     MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(largest, 0);
    memmodel_model_unref(model);
}

/* ---- files ---- */

static memmodel_model *
read_back(memmodel_context *context, const char *text)
{
    memmodel_model *model;

    if (memmodel_model_from_json(context, "model.json", text, strlen(text), &model))
        fail_msg("%d: %s", memmodel_context_error(context)->line, memmodel_context_error(context)->message);
    return model;
}

static void
a_model_read_back_has_the_same_text_and_the_same_bits(void **state)
{
    memmodel_model *model = network_model(*state, 0.02), *back;
    uint64_t seed = 4;
    char *text, *again;

    assert_int_equal(memmodel_model_to_json(model, &text), 0);
    back = read_back(*state, text);
    assert_int_equal(memmodel_model_to_json(back, &again), 0);
    assert_string_equal(text, again);
    for (int i = 0; i < 200; i++) {
        double dim = 100 + 90 * random_error(&seed), batch = 30 + 29 * random_error(&seed);
        struct memmodel_prediction a = predict(model, dim, batch, 0.97), b = predict(back, dim, batch, 0.97);

        assert_true(a.value == b.value && a.upper == b.upper && a.outside == b.outside);
    }
    memmodel_free(*state, text);
    memmodel_free(*state, again);
    memmodel_model_unref(model);
    memmodel_model_unref(back);
}

static void
a_model_survives_a_file(void **state)
{
    static const char path[] = "test_model.json";
    memmodel_model *model = network_model(*state, 0.02), *back;

    assert_int_equal(memmodel_model_save(model, path), 0);
    assert_int_equal(memmodel_model_load(*state, path, &back), 0);
    assert_string_equal(memmodel_model_target(back), "peak_bytes");
    assert_true(predict(model, 50, 5, 0.9).upper == predict(back, 50, 5, 0.9).upper);
    memmodel_model_unref(back);
    remove(path);
    assert_error(*state, memmodel_model_load(*state, path, &back), MEMMODEL_ERROR_IO, path);
    assert_error(*state, memmodel_model_save(model, "no/such/folder/m.json"), MEMMODEL_ERROR_IO, "no/such/folder");
    memmodel_model_unref(model);
}

/* `text` with the first `from` replaced by `to`. */
static char *
replace(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *changed = malloc(strlen(text) + strlen(to) + 1);

    assert_non_null(at);
    assert_non_null(changed);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return changed;
}

static void
changed_files_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *from, *to, *message;
        int status;
    } changes[] = {
        {"\"version\": 1", "\"version\": 2", "reads 1 to 1", MEMMODEL_ERROR_NEWER},
        {"memmodel-model", "memmodel-network", "expected \"memmodel-model\"", MEMMODEL_ERROR_PARSE},
        {"\"sigma\"", "\"sigmb\"", "sigmb", MEMMODEL_ERROR_PARSE},
        {"\"scores\"", "\"score\"", "score", MEMMODEL_ERROR_PARSE},
        {"\"name\": \"batch\"", "\"name\": \"dim\"", "same name", MEMMODEL_ERROR_PARSE},
        {"\"name\": \"batch\"", "\"name\": 5", "string", MEMMODEL_ERROR_PARSE},
        {"\"term\": \"", "\"term\": \"width*", "width", MEMMODEL_ERROR_PARSE},
        {"\"term\": \"", "\"term\": \"(", "not a term", MEMMODEL_ERROR_PARSE},
        {"\"formula\": \"", "\"formula\": \"2", "not that of the terms", MEMMODEL_ERROR_PARSE},
        {"\"coefficient\": ", "\"coefficient\": -", "below 0", MEMMODEL_ERROR_PARSE},
        {"\"least\": ", "\"least\": 1e9, \"more\": ", "more", MEMMODEL_ERROR_PARSE},
        {"\"least\": 32", "\"least\": 320", "below 320", MEMMODEL_ERROR_PARSE},
        {"\"freedom\": ", "\"freedom\": -", "must be 1 to", MEMMODEL_ERROR_PARSE},
        {"\"samples\": ", "\"samples\": 0.", "integer", MEMMODEL_ERROR_PARSE},
    };
    memmodel_model *model = network_model(*state, 0.02), *read = NULL;
    char *text;

    assert_int_equal(memmodel_model_to_json(model, &text), 0);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char *changed = replace(text, changes[i].from, changes[i].to);

        assert_error(*state, memmodel_model_from_json(*state, "m", changed, strlen(changed), &read), changes[i].status,
                     changes[i].message);
        assert_true(memmodel_context_error(*state)->line > 0);
        assert_null(read);
        free(changed);
    }
    memmodel_free(*state, text);
    memmodel_model_unref(model);
}

static void
no_truncated_file_is_read(void **state)
{
    memmodel_model *model = network_model(*state, 0.02), *read;
    size_t length;
    char *text;

    assert_int_equal(memmodel_model_to_json(model, &text), 0);
    length = strlen(text) - 2; /* the closing brace and the newline */
    for (size_t kept = 0; kept <= length; kept++)
        assert_int_equal(memmodel_model_from_json(*state, "m", text, kept, &read), MEMMODEL_ERROR_PARSE);
    memmodel_free(*state, text);
    memmodel_model_unref(model);
}

/* A flipped bit may be a digit, and then the file is read; it must be usable, or refused with a reason. */
static void
flipped_bits_are_refused_or_harmless(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    size_t length, refused = 0;
    char *text;

    assert_int_equal(memmodel_model_to_json(model, &text), 0);
    length = strlen(text);
    for (size_t bit = 0; bit < length * 8; bit += 3) {
        memmodel_model *read;

        text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
        if (memmodel_model_from_json(*state, "m", text, length, &read) == 0) {
            predict(read, 64, 4, 0.95);
            memmodel_model_unref(read);
        } else {
            assert_true(memmodel_context_error(*state)->message[0] != '\0');
            refused++;
        }
        text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
    }
    assert_true(refused > length);
    memmodel_free(*state, text);
    memmodel_model_unref(model);
}

/* ---- exports ---- */

static void
formulas_print_in_every_language(void **state)
{
    memmodel_model *model = network_model(*state, 0);
    static const char *const parts[] = {"dim^3*batch", "dim*dim*dim*batch", "dim*dim*dim*batch", "^{3}"};
    char *text;

    for (int language = MEMMODEL_TEXT; language <= MEMMODEL_LATEX; language++) {
        text = formula(*state, model, language);
        assert_non_null(strstr(text, parts[language]));
        memmodel_free(*state, text);
    }
    assert_error(*state, memmodel_model_formula(model, 4, *state, &text), MEMMODEL_ERROR_INVALID_ARGUMENT, "4");
    memmodel_model_unref(model);
}

enum { EXPORT_POINTS = 1000 };

/* Terms with logarithms, roots, quotients, sums and floors, so that every kind of operation is exported. */
static memmodel_model *
curious_model(memmodel_context *context)
{
    static const char *const terms[] = {"dim*log(dim)*sqrt(batch)", "batch/dim", "floor(dim/16)*batch + 3*dim",
                                        "max(dim, 20*batch)"};
    struct memmodel_fit_options options = {
        .size = sizeof options, .terms = terms, .term_count = 4, .basis = MEMMODEL_BASIS_GIVEN};
    static const char *const columns[] = {"dim", "batch", "y"};
    memmodel_samples *samples;
    memmodel_model *model;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (size_t i = 0; i < DIMS; i++)
        for (size_t j = 0; j < BATCHES; j++) {
            double dim = dims[i], batch = batches[j];
            double y = 0.1 + 0.3 * dim * log(dim) * sqrt(batch) + 70.0 / 3 * batch / dim +
                       0.7 * (floor(dim / 16) * batch + 3 * dim) + 0.9 * fmax(dim, 20 * batch);

            assert_int_equal(memmodel_samples_add(samples, (double[]){dim, batch, y}), 0);
        }
    model = fit(samples, &options);
    memmodel_samples_unref(samples);
    return model;
}

/*
 * Runs `command`, which prints numbers in hexadecimal, and compares them with the evaluator at the same random points.
 */
static void
assert_prints_the_same_bits(const char *command, const memmodel_model *model)
{
    FILE *numbers = popen(command, "r");
    char line[64];

    assert_non_null(numbers);
    for (int i = 0; i < EXPORT_POINTS; i++) {
        double point[] = {16 + i * 0.37, 1 + (i * 7 % 64) * 0.9};

        assert_non_null(fgets(line, sizeof line, numbers));
        assert_true(strtod(line, NULL) == memmodel_model_evaluate(model, point));
    }
    assert_int_equal(pclose(numbers), 0);
}

static void
write_file(const char *path, const char *format, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, format, text);
    assert_int_equal(fclose(file), 0);
}

static void
exported_c_computes_the_same_bits(void **state)
{
    memmodel_model *models[] = {network_model(*state, 0.02), curious_model(*state)};

    for (size_t i = 0; i < 2; i++) {
        char *text = formula(*state, models[i], MEMMODEL_C);

        write_file("test_model_export.c",
                   "#include <math.h>\n#include <stdio.h>\nstatic double f(double dim, double batch) { return %s; }\n"
                   "int main(void) { for (int i = 0; i < 1000; i++)\n"
                   "printf(\"%%a\\n\", f(16 + i * 0.37, 1 + (i * 7 %% 64) * 0.9)); return 0; }\n",
                   text);
        assert_int_equal(system("cc -std=c11 -O2 -ffp-contract=off -o test_model_export test_model_export.c -lm"), 0);
        assert_prints_the_same_bits("./test_model_export", models[i]);
        memmodel_free(*state, text);
        memmodel_model_unref(models[i]);
    }
    remove("test_model_export");
    remove("test_model_export.c");
}

static void
exported_python_computes_the_same_bits(void **state)
{
    memmodel_model *models[] = {network_model(*state, 0.02), curious_model(*state)};

    if (system("python3 -c 'import math' > /dev/null 2>&1") != 0)
        skip();
    for (size_t i = 0; i < 2; i++) {
        char *text = formula(*state, models[i], MEMMODEL_PYTHON);

        write_file("test_model_export.py",
                   "import math\ndef f(dim, batch): return %s\n"
                   "for i in range(1000): print(float(f(16 + i * 0.37, 1 + (i * 7 %% 64) * 0.9)).hex())\n",
                   text);
        assert_prints_the_same_bits("python3 test_model_export.py", models[i]);
        memmodel_free(*state, text);
        memmodel_model_unref(models[i]);
    }
    remove("test_model_export.py");
}

/* ---- memory ---- */

static int
use_model(memmodel_context *context, memmodel_model *model)
{
    static const char path[] = "test_model_memory.json";
    memmodel_model *back;
    char *text;
    int status = memmodel_model_to_json(model, &text);

    if (status)
        return status;
    status = memmodel_model_from_json(context, "model", text, strlen(text), &back);
    memmodel_free(context, text);
    if (status)
        return status;
    memmodel_model_unref(back);
    for (int language = MEMMODEL_TEXT; !status && language <= MEMMODEL_LATEX; language++) {
        status = memmodel_model_formula(model, language, context, &text);
        if (!status)
            memmodel_free(context, text);
    }
    if (!status)
        status = memmodel_model_save(model, path);
    if (!status)
        status = memmodel_model_load(context, path, &back);
    if (!status)
        memmodel_model_unref(back);
    remove(path);
    return status;
}

static int
fit_and_use(memmodel_context *context)
{
    static const char *const columns[] = {"dim", "batch size", "y"}, *const terms[] = {"dim^3"};
    struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 2, .terms = terms, .term_count = 1};
    memmodel_samples *samples;
    memmodel_model *model;
    int status = memmodel_samples_new(context, columns, 3, &samples);

    if (status)
        return status;
    for (int i = 1; !status && i < 12; i++)
        status = memmodel_samples_add(samples, (double[]){i, i * 7 % 5 + 1, 10 + i * i * i * (i * 7 % 5 + 1) + i % 3});
    if (!status)
        status = memmodel_fit(samples, &options, &model);
    memmodel_samples_unref(samples);
    if (status)
        return status;
    status = use_model(context, model);
    memmodel_model_unref(model);
    return status;
}

static void
every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_failing_allocations(fit_and_use);
}

/* The context's hook refuses everything while a model is evaluated. */
static void
evaluating_takes_no_memory(void **state)
{
    struct allocations allocations = {.until_failure = -1};
    struct memmodel_allocator allocator = {sizeof allocator, allocations_allocate, allocations_reallocate,
                                           allocations_release, &allocations};
    memmodel_context *context;
    memmodel_model *model;
    double result;
    int64_t largest;

    (void)state;
    assert_int_equal(memmodel_context_new(&allocator, &context), 0);
    model = network_model(context, 0.02);
    allocations.until_failure = 0;
    assert_true(memmodel_model_evaluate(model, (double[]){64, 4}) > 0);
    memmodel_model_evaluate_many(model, (const double *const[]){(double[]){64}, (double[]){4}}, 1, &result);
    predict(model, 64, 4, 0.95);
    assert_int_equal(memmodel_model_solve(model, (double[]){64, 4}, "batch", 0.95, 16e9, &largest), 0);
    assert_int_equal(allocations.failures, 0);
    memmodel_model_unref(model);
    memmodel_context_unref(context);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, context_setup, context_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(exact_data_gives_back_the_formula_that_made_it),
        WITH_CONTEXT(leave_one_out_error_is_about_the_error_of_the_measurements),
        WITH_CONTEXT(the_same_rows_give_the_same_bits_for_any_number_of_threads),
        WITH_CONTEXT(a_given_term_is_taken_where_no_power_will_do),
        WITH_CONTEXT(only_given_terms_are_used_when_asked_for),
        WITH_CONTEXT(what_falls_with_an_input_is_found_too),
        WITH_CONTEXT(inputs_may_be_zero_or_negative),
        WITH_CONTEXT(rows_without_weight_or_with_missing_values_are_left_out),
        WITH_CONTEXT(heavy_rows_pull_the_formula_to_them),
        WITH_CONTEXT(columns_with_curious_names_are_identifiers_in_formulas),
        WITH_CONTEXT(what_cannot_be_fitted_is_refused_by_name),
        WITH_CONTEXT(two_inputs_with_the_same_numbers_are_refused_or_one_is_left_out),
        WITH_CONTEXT(options_out_of_range_are_refused),
        WITH_CONTEXT(many_points_have_the_bits_of_one_after_the_other),
        WITH_CONTEXT(bounds_lie_above_the_prediction_and_rise_with_the_level),
        WITH_CONTEXT(bounds_widen_away_from_the_samples_and_say_so),
        WITH_CONTEXT(about_one_new_measurement_in_twenty_exceeds_the_bound_of_95_percent),
        WITH_CONTEXT(a_level_or_a_size_that_is_not_valid_is_refused),
        WITH_CONTEXT(the_largest_value_that_fits_fits_and_the_next_does_not),
        WITH_CONTEXT(a_model_read_back_has_the_same_text_and_the_same_bits),
        WITH_CONTEXT(a_model_survives_a_file),
        WITH_CONTEXT(changed_files_are_refused_with_their_place),
        WITH_CONTEXT(no_truncated_file_is_read),
        WITH_CONTEXT(flipped_bits_are_refused_or_harmless),
        WITH_CONTEXT(formulas_print_in_every_language),
        WITH_CONTEXT(exported_c_computes_the_same_bits),
        WITH_CONTEXT(exported_python_computes_the_same_bits),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(evaluating_takes_no_memory),
    };

    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
