/* Which configuration to measure next: what is advised, how well it serves, and what is refused. */
#include "allocations.h"
#include "base/shuffle.h"
#include "fitted.h"
#include "near.h"

#include <stdlib.h>

enum { INPUTS = 2 };

static memmodel_samples *
advise(memmodel_context *context, const memmodel_samples *samples, const struct memmodel_advise_options *options,
       int64_t *needed)
{
    struct memmodel_advise_result result = {.size = sizeof result};
    memmodel_samples *design;

    if (memmodel_advise(samples, options, context, &result, &design))
        fail_msg("%s", memmodel_context_error(context)->message);
    *needed = result.needed_count;
    return design;
}

static const char *const grid[] = {"dim=32:112:16", "batch=1,2,4,8,16"};

/* ---- what is advised ---- */

static void
advice_lies_in_the_domain_and_lowers_the_error(void **state)
{
    const struct memmodel_advise_options options = {
        .size = sizeof options, .domain = grid, .domain_count = 2, .count = 12};
    int64_t needed;
    memmodel_samples *advised = advise(*state, NULL, &options, &needed);
    const double *dim = memmodel_samples_column(advised, "dim"), *batch = memmodel_samples_column(advised, "batch"),
                 *cost = memmodel_samples_column(advised, "cost"), *error = memmodel_samples_column(advised, "error");

    assert_int_equal(memmodel_samples_row_count(advised), 12);
    for (size_t i = 0; i < 12; i++) {
        assert_true(dim[i] >= 32 && dim[i] <= 112 && fmod(dim[i], 16) == 0);
        assert_true(batch[i] == 1 || batch[i] == 2 || batch[i] == 4 || batch[i] == 8 || batch[i] == 16);
        assert_true(cost[i] == 1);
        assert_true(error[i] > 0.02 && (i == 0 || error[i] < error[i - 1]));
        for (size_t j = 0; j < i; j++)
            assert_true(dim[i] != dim[j] || batch[i] != batch[j]);
    }
    assert_true(needed > 4 && needed < 60);
    memmodel_samples_unref(advised);
}

/* As rows are measured one by one as in groups, the first five of ten are the five. */
static void
the_same_question_has_the_same_answer(void **state)
{
    struct memmodel_advise_options ten = {.size = sizeof ten, .domain = grid, .domain_count = 2}, five = ten;
    int64_t needed, again;
    memmodel_samples *a, *b;

    five.count = 5;
    a = advise(*state, NULL, &ten, &needed);
    b = advise(*state, NULL, &five, &again);
    assert_int_equal(memmodel_samples_row_count(a), 10);
    assert_int_equal(needed, again);
    for (size_t i = 0; i < 5; i++) {
        assert_true(memmodel_samples_column(a, "dim")[i] == memmodel_samples_column(b, "dim")[i]);
        assert_true(memmodel_samples_column(a, "error")[i] == memmodel_samples_column(b, "error")[i]);
    }
    memmodel_samples_unref(a);
    memmodel_samples_unref(b);
}

static double
sum(const memmodel_samples *samples, const char *name)
{
    double total = 0;

    for (size_t i = 0; i < memmodel_samples_row_count(samples); i++)
        total += memmodel_samples_column(samples, name)[i];
    return total;
}

static void
what_costs_more_is_advised_less(void **state)
{
    struct memmodel_advise_options plain = {.size = sizeof plain, .domain = grid, .domain_count = 2}, dear = plain;
    memmodel_samples *a, *b;
    int64_t needed;

    dear.cost = "dim^3*batch";
    a = advise(*state, NULL, &plain, &needed);
    b = advise(*state, NULL, &dear, &needed);
    assert_true(memmodel_samples_column(b, "cost")[0] ==
                pow(memmodel_samples_column(b, "dim")[0], 3) * memmodel_samples_column(b, "batch")[0]);
    assert_true(sum(b, "batch") < sum(a, "batch"));
    assert_true(sum(b, "dim") < sum(a, "dim"));
    memmodel_samples_unref(a);
    memmodel_samples_unref(b);
}

/* Samples at small images only: the large ones are asked for. More samples leave less to be measured. */
static void
what_is_measured_already_counts(void **state)
{
    const struct memmodel_advise_options options = {.size = sizeof options,
                                                    .target = "peak_bytes",
                                                    .domain = grid,
                                                    .domain_count = 2,
                                                    .count = 1,
                                                    .cost = "prediction",
                                                    .noise = 0.02,
                                                    .target_error = 0.018};
    memmodel_samples *some = network_samples(*state, 0.02, 1), *small, *advised;
    int64_t none, all;
    size_t rows[10];

    for (size_t i = 0; i < 10; i++)
        rows[i] = i; /* images of 32 and 48 */
    assert_int_equal(memmodel_samples_select(some, rows, 10, NULL, &small), 0);
    advised = advise(*state, small, &options, &none);
    assert_true(memmodel_samples_column(advised, "dim")[0] >= 80);
    assert_true(memmodel_samples_column(advised, "cost")[0] > 1e9);
    memmodel_samples_unref(advised);
    memmodel_samples_unref(advise(*state, some, &options, &all));
    assert_true(none > 10 && all >= DIMS * BATCHES);
    memmodel_samples_unref(small);
    memmodel_samples_unref(some);
}

static void
no_number_of_samples_is_better_than_their_noise(void **state)
{
    const struct memmodel_advise_options options = {
        .size = sizeof options, .domain = grid, .domain_count = 2, .noise = 0.1, .target_error = 0.05};
    int64_t needed = 0;

    memmodel_samples_unref(advise(*state, NULL, &options, &needed));
    assert_int_equal(needed, -1);
}

/* ---- how well it serves: measured trainings of a 3D U-Net ---- */

enum { MAX_POINTS = 64, ADVISED = 10, TRIES = 41 };

/* A table's points: inputs, and the mean of what was measured. */
struct points {
    size_t count;
    double inputs[MAX_POINTS][INPUTS], peaks[MAX_POINTS];
};

static void
read_points(memmodel_context *context, const char *path, struct points *points)
{
    memmodel_samples *samples;
    double counts[MAX_POINTS] = {0};

    points->count = 0;
    if (memmodel_samples_load(context, path, &samples))
        fail_msg("%s", memmodel_context_error(context)->message);
    for (size_t row = 0; row < memmodel_samples_row_count(samples); row++) {
        double dim = memmodel_samples_column(samples, "dim")[row],
               batch = memmodel_samples_column(samples, "batch")[row];
        size_t i = 0;

        while (i < points->count && (points->inputs[i][0] != dim || points->inputs[i][1] != batch))
            i++;
        if (i == points->count) {
            assert_true(points->count < MAX_POINTS);
            points->inputs[points->count][0] = dim;
            points->inputs[points->count][1] = batch;
            points->peaks[points->count++] = 0;
        }
        points->peaks[i] += (memmodel_samples_column(samples, "peak_bytes")[row] - points->peaks[i]) / ++counts[i];
    }
    memmodel_samples_unref(samples);
}

/* The mean relative error, at the points that are not among them, of a fit to some points. */
static double
error_of(memmodel_context *context, const struct points *points, const size_t *chosen, size_t count)
{
    static const char *const columns[] = {"dim", "batch", "peak_bytes"};
    struct memmodel_fit_options options = {.size = sizeof options, .inputs = columns, .input_count = INPUTS};
    bool taken[MAX_POINTS] = {false};
    memmodel_samples *samples;
    memmodel_model *model;
    double errors = 0;
    size_t tested = 0;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (size_t i = 0; i < count; i++) {
        const double *inputs = points->inputs[chosen[i]];

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){inputs[0], inputs[1], points->peaks[chosen[i]]}),
                         0);
        taken[chosen[i]] = true;
    }
    model = fit(samples, &options);
    for (size_t i = 0; i < points->count; i++) {
        if (taken[i])
            continue;
        errors += fabs(memmodel_model_evaluate(model, points->inputs[i]) / points->peaks[i] - 1);
        tested++;
    }
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
    return errors / (double)tested;
}

static double
error_of_advice(memmodel_context *context, const struct points *points)
{
    static const char *const columns[] = {"dim", "batch"};
    struct memmodel_advise_options options = {.size = sizeof options, .count = ADVISED};
    memmodel_samples *candidates, *advised;
    size_t chosen[ADVISED];
    int64_t needed;

    assert_int_equal(memmodel_samples_new(context, columns, INPUTS, &candidates), 0);
    for (size_t i = 0; i < points->count; i++)
        assert_int_equal(memmodel_samples_add_row(candidates, points->inputs[i]), 0);
    options.candidates = candidates;
    advised = advise(context, NULL, &options, &needed);
    for (size_t i = 0; i < ADVISED; i++)
        for (size_t j = 0; j < points->count; j++)
            if (points->inputs[j][0] == memmodel_samples_column(advised, "dim")[i] &&
                points->inputs[j][1] == memmodel_samples_column(advised, "batch")[i])
                chosen[i] = j;
    memmodel_samples_unref(advised);
    memmodel_samples_unref(candidates);
    return error_of(context, points, chosen, ADVISED);
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double
median_of_random(memmodel_context *context, const struct points *points, size_t count)
{
    double errors[TRIES];

    for (uint64_t seed = 0; seed < TRIES; seed++) {
        size_t order[MAX_POINTS];

        shuffle_numbers(seed, points->count, order);
        errors[seed] = error_of(context, points, order, count);
    }
    qsort(errors, TRIES, sizeof errors[0], compare);
    return errors[TRIES / 2];
}

static void
ten_advised_trainings_are_worth_more_than_ten_random_ones(void **state)
{
    static const char *const tables[] = {CASE_STUDY "/keras_samples.csv", CASE_STUDY "/torch_samples.csv"};

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct points points;
        double advised, random;

        read_points(*state, tables[i], &points);
        advised = error_of_advice(*state, &points);
        random = median_of_random(*state, &points, ADVISED);
        print_message("advised %.4f, random %.4f\n", advised, random);
        assert_true(advised < 0.95 * random);
    }
}

/* ---- what is refused ---- */

#define DOMAIN(...)                                                                                                    \
    .domain = (const char *const[]){__VA_ARGS__}, .domain_count = sizeof(const char *[]){__VA_ARGS__} / sizeof(char *)

static void
what_cannot_be_advised_is_refused_by_name(void **state)
{
    const struct {
        struct memmodel_advise_options options;
        int status;
        const char *message;
    } cases[] = {
        {{.size = 0}, MEMMODEL_ERROR_INVALID_ARGUMENT, "the domain has 0 inputs"},
        {{DOMAIN("batch")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "\"batch\" is not INPUT=NUMBERS"},
        {{DOMAIN("=1,2")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "is not INPUT=NUMBERS"},
        {{DOMAIN("batch=")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "no list of numbers"},
        {{DOMAIN("batch=1,,2")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "no list of numbers"},
        {{DOMAIN("batch=1,x")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "no list of numbers"},
        {{DOMAIN("batch=1,2,1")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "the same number twice"},
        {{DOMAIN("dim=32:144")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "no range FROM:TO:STEP"},
        {{DOMAIN("dim=144:32:16")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "empty range"},
        {{DOMAIN("dim=32:144:0")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "STEP must be above 0"},
        {{DOMAIN("dim=0:1e9:1")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "too many numbers"},
        {{DOMAIN("a=1:200:1", "b=1:200:1")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "more than 10000 configurations"},
        {{DOMAIN("batch=1,2", "batch=4,8")}, MEMMODEL_ERROR_INVALID_ARGUMENT, "batch"},
        {{DOMAIN("batch=1,2,4"), .cost = "dim"}, MEMMODEL_ERROR_NOT_FOUND, "\"dim\" in it, which is no input"},
        {{DOMAIN("batch=1,2,4"), .cost = "batch+("}, MEMMODEL_ERROR_PARSE, ""},
        {{DOMAIN("batch=1,2,4"), .cost = "batch-2"}, MEMMODEL_ERROR_INVALID_ARGUMENT, "is -1 at configuration 1"},
        {{DOMAIN("batch=1,2,4"), .cost = "prediction"}, MEMMODEL_ERROR_INVALID_ARGUMENT, "at least 4 samples"},
        {{DOMAIN("batch=1,2,4"), .target_error = 1}, MEMMODEL_ERROR_INVALID_ARGUMENT, "target_error"},
        {{DOMAIN("batch=1,2,4"), .target_error = -1}, MEMMODEL_ERROR_INVALID_ARGUMENT, "target_error"},
        {{DOMAIN("batch=1,2,4"), .target_error = NAN}, MEMMODEL_ERROR_INVALID_ARGUMENT, "target_error"},
        {{DOMAIN("batch=1,2,4"), .noise = 2}, MEMMODEL_ERROR_INVALID_ARGUMENT, "noise"},
        {{DOMAIN("batch=1,2,4"), .count = -1}, MEMMODEL_ERROR_INVALID_ARGUMENT, "1 to 1000"},
        {{DOMAIN("batch=1,2,4"), .count = 1001}, MEMMODEL_ERROR_INVALID_ARGUMENT, "1 to 1000"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct memmodel_advise_options options = cases[i].options;
        memmodel_samples *advised = NULL;
        struct memmodel_advise_result result = {.size = sizeof result, .expected_error = -5, .needed_count = -5};

        options.size = sizeof options;
        assert_error(*state, memmodel_advise(NULL, &options, *state, &result, &advised), cases[i].status,
                     cases[i].message);
        assert_null(advised);
        assert_true(result.expected_error == -5 && result.needed_count == -5);
    }
}

static void
samples_that_do_not_fit_the_domain_are_refused(void **state)
{
    static const struct {
        const char *csv, *target;
        int status;
        const char *message;
    } cases[] = {
        {"dim,peak\n1,2\n", "peak", MEMMODEL_ERROR_NOT_FOUND, "no column of the table"},
        {"batch,dim,peak\n1,2,3\n", "bytes", MEMMODEL_ERROR_NOT_FOUND, "no column of the table"},
        {"batch,dim,peak\n1,2,3\n", "dim", MEMMODEL_ERROR_INVALID_ARGUMENT, "an input and the target"},
        {"batch,dim,peak\n1,2,3\n2,3,4\n3,4,0\n4,5,6\n", "peak", MEMMODEL_ERROR_DATA, "peak"},
    };
    static const char *const domain[] = {"dim=1:8:1", "batch=1,2"};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct memmodel_advise_options options = {
            .size = sizeof options, .domain = domain, .domain_count = 2, .target = cases[i].target};
        memmodel_samples *samples = parse(*state, cases[i].csv), *advised = NULL;
        struct memmodel_advise_result result = {.size = sizeof result};

        assert_error(*state, memmodel_advise(samples, &options, *state, &result, &advised), cases[i].status,
                     cases[i].message);
        assert_null(advised);
        memmodel_samples_unref(samples);
    }
}

/* Rows of one configuration, and inputs that were never varied, tell little but are no mistake. */
static void
few_and_repeated_samples_are_taken_as_they_are(void **state)
{
    static const char *const domain[] = {"dim=1:8:1", "batch=1,2", "width=16"};
    const struct memmodel_advise_options options = {.size = sizeof options, .domain = domain, .domain_count = 3};
    static const char *const tables[] = {
        "batch,dim,width,peak\n",
        "batch,dim,width,peak\n1,2,16,3\n",
        "batch,dim,width,peak\n1,2,16,3\n1,2,16,3\n1,2,16,3.1\n1,2,16,3.2\n1,2,16,2.9\n",
        "batch,dim,width,peak\n1,2,16,30\n1,3,16,40\n1,4,16,51\n1,5,16,62\n1,,16,29\n1,9,16,\n",
    };

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        memmodel_samples *samples = parse(*state, tables[i]);
        int64_t needed;

        if (memmodel_samples_row_count(samples) > 0)
            memmodel_samples_unref(advise(*state, samples, &options, &needed));
        memmodel_samples_unref(samples);
    }
}

static int
advise_and_drop(memmodel_context *context)
{
    static const char csv[] = "batch,dim,peak\n1,2,30\n1,3,40\n2,4,51\n2,5,62\n4,8,120\n";
    static const char *const domain[] = {"dim=1:8:1", "batch=1,2"};
    const struct memmodel_advise_options options = {
        .size = sizeof options, .domain = domain, .domain_count = 2, .count = 3, .cost = "dim*batch"};
    memmodel_samples *samples, *advised;
    struct memmodel_advise_result result = {.size = sizeof result};
    int status = memmodel_samples_from_csv(context, "table", csv, sizeof csv - 1, &samples);

    if (status)
        return status;
    status = memmodel_advise(samples, &options, context, &result, &advised);
    if (!status)
        memmodel_samples_unref(advised);
    memmodel_samples_unref(samples);
    return status;
}

static void
every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_failing_allocations(advise_and_drop);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(advice_lies_in_the_domain_and_lowers_the_error),
        WITH_CONTEXT(the_same_question_has_the_same_answer),
        WITH_CONTEXT(what_costs_more_is_advised_less),
        WITH_CONTEXT(what_is_measured_already_counts),
        WITH_CONTEXT(no_number_of_samples_is_better_than_their_noise),
        LONG_WITH_CONTEXT(ten_advised_trainings_are_worth_more_than_ten_random_ones),
        WITH_CONTEXT(what_cannot_be_advised_is_refused_by_name),
        WITH_CONTEXT(samples_that_do_not_fit_the_domain_are_refused),
        WITH_CONTEXT(few_and_repeated_samples_are_taken_as_they_are),
        LONG_UNIT_TEST(every_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("advise", tests, NULL, NULL);
}
