/* The terms that a fit to positive quantities chooses from: which are there, and what is said of those that are not. */
#include "fitted.h"

#include "measure/samples.h"
#include "regression/basis/basis.h"

enum { LONG = 10000, LONG_INPUTS = 13 };

/* ---- helpers ---- */

/* What samples are fitted by. */
struct terms {
    struct workspace workspace;
    struct training training;
    struct structure structure;
    struct basis basis;
};

static void
make_terms_of(const memmodel_samples *samples, const char *target, int32_t basis, struct terms *terms)
{
    const struct memmodel_fit_options options = {
        .size = sizeof options,
        .target = target,
        .basis = basis,
        .loss = basis == MEMMODEL_FIT_BASIS_GENERAL ? MEMMODEL_FIT_LOSS_SQUARED : MEMMODEL_FIT_LOSS_RELATIVE};

    terms->workspace = WORKSPACE_INIT(samples->context);
    assert_int_equal(training_read(samples, &options, NULL, &terms->workspace, &terms->training), 0);
    assert_int_equal(structure_read(samples, &terms->training, &options, &terms->structure), 0);
    assert_int_equal(basis_new(&terms->workspace, &terms->training, &options, &terms->structure, &terms->basis), 0);
}

static void
make_terms(const memmodel_samples *samples, const char *target, struct terms *terms)
{
    make_terms_of(samples, target, MEMMODEL_FIT_BASIS_POSYNOMIAL, terms);
}

static void
release_terms(struct terms *terms)
{
    expression_pool_free(terms->basis.pool);
    workspace_release(&terms->workspace);
}

/* ---- tests ---- */

/*
 * Eight runs of jobs: side and batch. No input is 1, so that of all terms hinges alone are 0 somewhere. The knot at the least
 * product of side^2 and batch, 128^2 * 2 = 32768, would be 32800 in three digits, above that one row and below all others.
 */
static void
at_least_two_rows_lie_on_either_side_of_a_hinge(void **state)
{
    static const double runs[][2] = {{128, 2}, {128, 3}, {256, 3}, {384, 3}, {512, 3}, {256, 2}, {256, 4}, {256, 5}};
    const size_t rows = sizeof runs / sizeof runs[0];
    size_t hinges = 0;
    memmodel_samples *samples;
    struct terms terms;

    assert_int_equal(memmodel_samples_new(*state, (const char *[]){"side", "batch", "bytes"}, 3, &samples), 0);
    for (size_t i = 0; i < rows; i++)
        assert_int_equal(
            memmodel_samples_add_row(
                samples, (double[]){runs[i][0], runs[i][1], 14e6 + 256 * runs[i][0] * runs[i][0] * runs[i][1]}),
            0);
    make_terms(samples, "bytes", &terms);
    for (size_t j = 0; j < terms.basis.count; j++) {
        size_t below = 0;

        for (size_t i = 0; i < rows; i++)
            below += matrix_column(&terms.basis.columns, j)[i] == 0;
        if (below == 0)
            continue;
        hinges++;
        assert_in_range(below, 2, rows - 2);
    }
    assert_true(hinges > 4);
    release_terms(&terms);
    memmodel_samples_unref(samples);
}

/*
 * Thirteen inputs have three powers each, of which two are bent. Of every two inputs 3 * 3 - 2 * 2 = 5 products are made, of 78
 * pairs 390, and 39 terms are there before: more than 2^22 numbers in 10,000 rows have room for.
 */
static void
what_a_long_table_has_no_room_for_is_reported(void **state)
{
    static const char *const columns[LONG_INPUTS + 1] = {"a", "b", "c", "d", "e", "f", "g",
                                                         "h", "i", "j", "k", "l", "m", "y"};
    char note[NOTE_BYTES] = "";
    uint64_t seed = 1;
    memmodel_samples *samples;
    struct terms terms;

    assert_int_equal(memmodel_samples_new(*state, columns, LONG_INPUTS + 1, &samples), 0);
    for (size_t i = 0; i < LONG; i++) {
        double row[LONG_INPUTS + 1] = {[LONG_INPUTS] = 7};

        for (size_t j = 0; j < LONG_INPUTS; j++) {
            row[j] = (double)(2 + next_random(&seed) % 5);
            row[LONG_INPUTS] += row[j];
        }
        assert_int_equal(memmodel_samples_add_row(samples, row), 0);
    }
    memmodel_context_set_log(*state, keep_note, note);
    make_terms(samples, "y", &terms);
    memmodel_context_set_log(*state, NULL, NULL);
    assert_string_equal(note, "the 390 products of 2 powers are left out: 10000 rows leave no room for "
                              "them; a part of the rows would");
    release_terms(&terms);
    memmodel_samples_unref(samples);
}

/* A tenth of the rows, and nothing is left out of the report. */
static void
a_short_table_has_room(void **state)
{
    char note[NOTE_BYTES] = "";
    memmodel_samples *samples;
    struct terms terms;

    assert_int_equal(memmodel_samples_new(*state, (const char *[]){"a", "b", "y"}, 3, &samples), 0);
    for (size_t i = 0; i < LONG / 10; i++) {
        double a = (double)(2 + i % 7), b = (double)(2 + i % 11);

        assert_int_equal(memmodel_samples_add_row(samples, (double[]){a, b, 1 + a * b}), 0);
    }
    memmodel_context_set_log(*state, keep_note, note);
    make_terms(samples, "y", &terms);
    memmodel_context_set_log(*state, NULL, NULL);
    assert_string_equal(note, "");
    release_terms(&terms);
    memmodel_samples_unref(samples);
}

/* The size of the term that the text says; 0 if there is none. */
static unsigned
size_of(const struct basis *basis, const char *text)
{
    expression term = expression_parse(basis->pool, "term", text);

    for (size_t j = 0; j < basis->count; j++)
        if (basis->terms[j] == term)
            return basis->sizes[j];
    return 0;
}

/* Inputs, numbers, signs and functions count one each, as do powers: log, x, + and 1 are four. */
static void
the_size_of_a_term_is_how_many_symbols_it_has(void **state)
{
    static const struct {
        const char *term;
        unsigned symbols;
    } cases[] = {{"x", 1},          {"x*y", 3},           {"sqrt(x)", 2},         {"x^2", 2},
                 {"log(x + 1)", 4}, {"1/(x + 1)", 4},     {"y/(x + 1)", 6},       {"log(y)", 2},
                 {"1/y", 2},        {"max(x - 2, 0)", 4}, {"sqrt(x)*sqrt(y)", 5}, {"equal(x, 0)", 3}};
    memmodel_samples *samples;
    struct terms terms;

    assert_int_equal(memmodel_samples_new(*state, (const char *[]){"x", "y", "bytes"}, 3, &samples), 0);
    for (int x = 0; x <= 4; x++)
        for (int y = 2; y <= 6; y++)
            assert_int_equal(memmodel_samples_add_row(samples, (double[]){x, y, 10 + x * y}), 0);
    make_terms_of(samples, "bytes", MEMMODEL_FIT_BASIS_GENERAL, &terms);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (size_of(&terms.basis, cases[i].term) != cases[i].symbols)
            fail_msg("%s has %u symbols", cases[i].term, size_of(&terms.basis, cases[i].term));
    release_terms(&terms);
    memmodel_samples_unref(samples);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(at_least_two_rows_lie_on_either_side_of_a_hinge),
        WITH_CONTEXT(what_a_long_table_has_no_room_for_is_reported),
        WITH_CONTEXT(a_short_table_has_room),
        WITH_CONTEXT(the_size_of_a_term_is_how_many_symbols_it_has),
    };

    return cmocka_run_group_tests_name("terms", tests, NULL, NULL);
}
