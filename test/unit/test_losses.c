/* What fits make small, and how they measure it: losses, weights, repeated measurements. */
#include "fitted.h"
#include "near.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static struct memmodel_model_scores
scores_of(const memmodel_model *model)
{
    struct memmodel_model_scores scores = {.size = sizeof scores};

    assert_int_equal(memmodel_model_scores(model, &scores), 0);
    return scores;
}

/* ---- repeated measurements ---- */

static const char repeated[] = "x,y\n1,10\n1,12\n2,20\n2,20\n3,33\n3,27\n4,40\n5,50\n6,60\n";

/*
 * Of three points with two measurements each. In the unit: distances from the means 1, 1, 0, 0, 3, 3; their squares make
 * 20, and 20 / 3 is the square of the noise. Relative: 1/11, 0 and 3/30, twice each.
 */
static void
noise_is_the_spread_of_repeated_measurements(void **state)
{
    memmodel_samples *samples = parse(*state, repeated);
    memmodel_model *relative = fit(samples, NULL);
    memmodel_model *squared = fit(samples, &(struct memmodel_fit_options){.size = sizeof(struct memmodel_fit_options),
                                                                          .loss = MEMMODEL_FIT_LOSS_SQUARED});

    assert_near(scores_of(relative).noise, sqrt((2 / 121.0 + 2 / 100.0) / 3), 1e-12);
    assert_int_equal(scores_of(relative).noise_freedom, 3);
    assert_near(scores_of(squared).noise, sqrt(20.0 / 3), 1e-12);
    assert_int_equal(scores_of(squared).noise_freedom, 3);
    memmodel_model_unref(relative);
    memmodel_model_unref(squared);
    memmodel_samples_unref(samples);
}

static void
without_repeats_there_is_no_noise_to_tell(void **state)
{
    memmodel_model *model = network_model(*state, 0.01);
    char *text;

    assert_true(isnan(scores_of(model).noise));
    assert_int_equal(scores_of(model).noise_freedom, 0);
    assert_int_equal(memmodel_model_to_json(model, &text), 0);
    assert_null(strstr(text, "noise"));
    memmodel_free(*state, text);
    memmodel_model_unref(model);
}

static void
noise_is_kept_in_the_file(void **state)
{
    memmodel_samples *samples = parse(*state, repeated);
    memmodel_model *model = fit(samples, NULL), *read;
    char *text;

    assert_int_equal(memmodel_model_to_json(model, &text), 0);
    assert_int_equal(memmodel_model_from_json(*state, "model", text, strlen(text), &read), 0);
    assert_true(scores_of(read).noise == scores_of(model).noise);
    assert_int_equal(scores_of(read).noise_freedom, 3);
    memmodel_model_unref(read);
    memmodel_model_unref(model);
    memmodel_free(*state, text);
    memmodel_samples_unref(samples);
}

/* A weight of 4 halves the error that a row has: so does the noise then count. */
static void
noise_is_that_of_a_row_of_weight_one(void **state)
{
    memmodel_samples *samples = parse(*state, "x,y,w\n1,10,4\n1,12,4\n2,20,1\n2,26,1\n3,30,1\n4,40,1\n5,50,1\n");
    memmodel_model *model = fit(samples, &(struct memmodel_fit_options){.size = sizeof(struct memmodel_fit_options),
                                                                        .weight = "w",
                                                                        .loss = MEMMODEL_FIT_LOSS_SQUARED});

    /* weights of mean 1: 28/13 and 7/13; squares of distances 1 and 9, twice each */
    assert_near(scores_of(model).noise, sqrt((2 * 28 / 13.0 + 2 * 9 * 7 / 13.0) / 2), 1e-12);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
note_suspicion(void *user, const char *line)
{
    *(bool *)user |= strstr(line, "a term is missing") != NULL;
}

/* Every point twice: with an error of 1 %, and of none but by a mode that switches at odd batches. */
static void
an_error_of_many_times_the_noise_is_told(void **state)
{
    for (int switched = 0; switched < 2; switched++) {
        static const char *const columns[] = {"x", "y"};
        memmodel_samples *samples;
        bool suspicion = false;
        uint64_t seed = 3;

        memmodel_context_set_log(*state, note_suspicion, &suspicion);
        assert_int_equal(memmodel_samples_new(*state, columns, 2, &samples), 0);
        for (int i = 0; i < 40; i++) {
            double x = 1 + i / 2, error = 0.01 * random_error(&seed);

            assert_int_equal(memmodel_samples_add(samples, (double[]){x, (100 + x) * (1 + error) *
                                                                             (1 + 0.3 * switched * (i / 2 % 3 == 0))}),
                             0);
        }
        memmodel_model_unref(fit(samples, NULL));
        assert_int_equal(suspicion, switched);
        memmodel_samples_unref(samples);
        memmodel_context_set_log(*state, NULL, NULL);
    }
}

/*
 * Two measurements of each of eight points that agree with each other and with no formula: left out row by row the
 * error of a formula through most points would be small. Left out point by point it is that of the points.
 */
static void
points_are_left_out_whole(void **state)
{
    memmodel_samples *once = parse(*state, "x,y\n1,10\n2,14\n3,11\n4,18\n5,12\n6,20\n7,15\n8,24\n");
    memmodel_samples *twice = parse(*state, "x,y\n1,10\n2,14\n3,11\n4,18\n5,12\n6,20\n7,15\n8,24\n"
                                            "1,10\n2,14\n3,11\n4,18\n5,12\n6,20\n7,15\n8,24\n");
    struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 1};
    memmodel_model *single = fit(once, &options), *doubled = fit(twice, &options);

    assert_near(scores_of(doubled).loo_mape, scores_of(single).loo_mape, 1e-9);
    memmodel_model_unref(single);
    memmodel_model_unref(doubled);
    memmodel_samples_unref(once);
    memmodel_samples_unref(twice);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, context_setup, context_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(noise_is_the_spread_of_repeated_measurements),
        WITH_CONTEXT(without_repeats_there_is_no_noise_to_tell),
        WITH_CONTEXT(noise_is_kept_in_the_file),
        WITH_CONTEXT(noise_is_that_of_a_row_of_weight_one),
        WITH_CONTEXT(an_error_of_many_times_the_noise_is_told),
        WITH_CONTEXT(points_are_left_out_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
