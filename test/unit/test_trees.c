/* Search for formulas of any shape: trees, their forms and keys, numbers in them, and fits that search. */
#include "fitted.h"
#include "near.h"

#include "regression/search/breed.h"
#include "regression/search/checkpoint.h"
#include "regression/search/hunt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 24, INPUTS = 3, DRAWS = 400 };

struct table {
    double columns[INPUTS][ROWS];
    const double *inputs[INPUTS];
};

/* All inputs between 1 and 4. */
static void
draw_table(struct table *table)
{
    uint64_t seed = 7;

    for (size_t j = 0; j < INPUTS; j++) {
        table->inputs[j] = table->columns[j];
        for (size_t i = 0; i < ROWS; i++)
            table->columns[j][i] = 2.5 + 1.5 * random_error(&seed);
    }
}

static const struct breeding breeding = {INPUTS, 40, 4};

/* A random tree, after a few changes. */
static struct formula
draw_formula(uint64_t index)
{
    struct random random = random_stream(1, 2, 3, index);
    struct formula formula = {.count = 0}, child;

    breed_random(&breeding, &random, &formula);
    for (int i = 0; i < 4; i++)
        if (breed(&breeding, &random, &formula, &formula, &child))
            formula = child;
    return formula;
}

/* ---- small trees by hand ---- */

static struct tree
input(size_t index)
{
    return tree_input(index);
}

static struct tree
number(double value)
{
    return (struct tree){.count = 1, .genes = {{.operation = TREE_NUMBER, .number = value}}};
}

static struct tree
join(unsigned operation, struct tree first, struct tree second)
{
    struct tree joined;

    assert_true(tree_join(&joined, operation, &first, tree_operands(operation) > 1 ? &second : NULL));
    return joined;
}

static struct tree
apply(unsigned operation, struct tree of)
{
    return join(operation, of, of);
}

static uint64_t
key_of(struct tree tree)
{
    return residues_key(residues_of(&tree));
}

/* ---- keys ---- */

static void
expanded_and_factored_forms_have_one_key(void **state)
{
    struct tree x = input(0), y = input(1), sum = join(TREE_ADD, x, y);
    struct tree squares = join(TREE_ADD, apply(TREE_SQUARE, x), apply(TREE_SQUARE, y));
    struct tree twice = join(TREE_MULTIPLY, x, y);

    (void)state;
    assert_true(key_of(apply(TREE_SQUARE, sum)) ==
                key_of(join(TREE_ADD, join(TREE_ADD, squares, twice), join(TREE_MULTIPLY, y, x))));
    assert_true(key_of(join(TREE_DIVIDE, x, join(TREE_DIVIDE, y, x))) ==
                key_of(join(TREE_DIVIDE, apply(TREE_SQUARE, x), y)));
    assert_true(key_of(apply(TREE_ROOT, twice)) ==
                key_of(join(TREE_MULTIPLY, apply(TREE_ROOT, y), apply(TREE_ROOT, x))));
    assert_true(key_of(join(TREE_SUBTRACT, x, y)) == key_of(join(TREE_SUBTRACT, y, x))); /* a coefficient's sign */
}

static void
formulas_that_differ_have_different_keys(void **state)
{
    struct tree x = input(0), y = input(1);
    const struct tree trees[] = {x,
                                 y,
                                 join(TREE_ADD, x, y),
                                 join(TREE_SUBTRACT, x, y),
                                 join(TREE_MULTIPLY, x, y),
                                 join(TREE_DIVIDE, x, y),
                                 join(TREE_DIVIDE, y, x),
                                 join(TREE_MIN, x, y),
                                 join(TREE_MAX, x, y),
                                 apply(TREE_SQUARE, x),
                                 apply(TREE_ROOT, x),
                                 apply(TREE_LOG, x),
                                 apply(TREE_INVERSE, join(TREE_ADD, x, y))};

    (void)state;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(key_of(trees[i]) != key_of(trees[j]));
    assert_true(key_of(join(TREE_SUBTRACT, x, x)) == 0);
    assert_true(key_of(join(TREE_DIVIDE, x, x)) == 0);
}

/* ---- forms ---- */

static void
a_simplified_tree_has_the_values_of_the_tree_but_for_scale_and_constant(void **state)
{
    struct table table;
    struct fitter fitter;
    double column[ROWS], ones[ROWS];
    struct aim aim = {.target = column, .roots = ones, .used = ROWS};
    size_t compared = 0;

    draw_table(&table);
    assert_int_equal(fitter_new(*state, ROWS, table.inputs, INPUTS, &fitter), 0);
    fitter.aim = &aim;
    for (size_t i = 0; i < ROWS; i++)
        ones[i] = 1;
    for (size_t draw = 0; draw < DRAWS; draw++) {
        struct tree tree = draw_formula(draw).trees[0];
        struct formula simplified = {.count = 1};
        const double *values;
        double size = 0;

        if (tree_count_numbers(&tree) > 0) /* numbers of numbers become one that is fitted */
            continue;
        tree = join(TREE_ADD, join(TREE_MULTIPLY, tree, input(draw % INPUTS)), tree);
        simplified.trees[0] = tree;
        tree_simplify(&simplified.trees[0]);
        values = tree_run(&fitter.machine, &tree);
        memcpy(column, values, sizeof column);
        for (size_t i = 0; i < ROWS; i++)
            size += column[i] * column[i];
        if (!(size < 1e12) || !formula_fit_linear(&fitter, &simplified))
            continue;
        assert_true(simplified.error <= 1e-16 * size);
        compared++;
    }
    assert_true(compared > DRAWS / 4);
    fitter_release(&fitter);
}

static void
a_simplified_tree_is_simplified(void **state)
{
    (void)state;
    for (size_t draw = 0; draw < DRAWS; draw++) {
        struct tree tree = draw_formula(draw).trees[0], again;

        tree_simplify(&tree);
        again = tree;
        tree_simplify(&again);
        assert_int_equal(again.count, tree.count);
    }
}

static void
equal_factors_become_powers_and_inverse_ones_go_away(void **state)
{
    struct tree x = input(0), y = input(1), tree = join(TREE_MULTIPLY, join(TREE_DIVIDE, x, y), y);

    (void)state;
    tree_simplify(&tree);
    assert_int_equal(tree.count, 1);
    tree = join(TREE_MULTIPLY, x, join(TREE_MULTIPLY, y, x));
    tree_simplify(&tree);
    assert_int_equal(tree.count, 4); /* x ^ 2 y */
}

/* ---- numbers ---- */

static void
derivatives_by_numbers_are_those_of_differences(void **state)
{
    struct table table;
    struct tree_machine machine;
    double slopes[TREE_MOST_NUMBERS][ROWS], *columns[TREE_MOST_NUMBERS], above[ROWS], below[ROWS];
    struct tree x = input(0), y = input(1), z = input(2);
    struct tree shapes[] = {
        join(TREE_DIVIDE, x, join(TREE_ADD, y, number(0.7))),
        apply(TREE_LOG, join(TREE_ADD, join(TREE_MULTIPLY, number(1.3), x), number(0.2))),
        apply(TREE_ROOT, join(TREE_ADD, apply(TREE_SQUARE, join(TREE_SUBTRACT, x, number(1.1))), y)),
        apply(TREE_INVERSE, join(TREE_MULTIPLY, number(2), join(TREE_MAX, z, join(TREE_ADD, x, number(0.25))))),
        join(TREE_MIN, join(TREE_MULTIPLY, y, number(1.5)), apply(TREE_SQUARE, number(1.7))),
        join(TREE_MULTIPLY, apply(TREE_SIN, join(TREE_MULTIPLY, x, number(1.3))), apply(TREE_EXP, number(-0.4))),
        join(TREE_ADD, apply(TREE_COS, join(TREE_ADD, x, number(0.3))),
             apply(TREE_TANH, join(TREE_MULTIPLY, y, number(0.2)))),
    };

    draw_table(&table);
    for (size_t k = 0; k < TREE_MOST_NUMBERS; k++)
        columns[k] = slopes[k];
    assert_int_equal(tree_machine_new(*state, ROWS, table.inputs, INPUTS, &machine), 0);
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
        struct tree *tree = &shapes[shape];
        size_t index = 0;

        tree_run(&machine, tree);
        tree_differentiate(&machine, tree, columns);
        for (size_t node = 0; node < tree->count; node++) {
            double old = tree->genes[node].number, step = 1e-6;

            if (tree->genes[node].operation != TREE_NUMBER)
                continue;
            tree->genes[node].number = old + step;
            memcpy(above, tree_run(&machine, tree), sizeof above);
            tree->genes[node].number = old - step;
            memcpy(below, tree_run(&machine, tree), sizeof below);
            tree->genes[node].number = old;
            for (size_t i = 0; i < ROWS; i++)
                assert_near(slopes[index][i], (above[i] - below[i]) / (2 * step), 1e-6);
            index++;
        }
    }
    tree_machine_release(&machine);
}

/* Between the rows of a table there are points, too. */
static void
a_tree_with_a_pole_between_rows_is_not_sound(void **state)
{
    struct table table;
    struct tree_machine machine;
    struct tree x = input(0), y = input(1), difference = join(TREE_SUBTRACT, x, y);
    const struct tree sound[] = {apply(TREE_INVERSE, x), apply(TREE_LOG, join(TREE_MULTIPLY, x, y)),
                                 apply(TREE_ROOT, join(TREE_ADD, apply(TREE_SQUARE, difference), x)),
                                 join(TREE_DIVIDE, x, join(TREE_MAX, difference, number(0.1)))};
    const struct tree unsound[] = {apply(TREE_INVERSE, difference), apply(TREE_INVERSE, apply(TREE_SQUARE, difference)),
                                   apply(TREE_LOG, difference), apply(TREE_ROOT, difference),
                                   join(TREE_DIVIDE, x, join(TREE_ADD, y, number(-2)))};

    draw_table(&table);
    assert_int_equal(tree_machine_new(*state, ROWS, table.inputs, INPUTS, &machine), 0);
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++)
        assert_true(tree_is_sound(&machine, &sound[i]));
    for (size_t i = 0; i < sizeof unsound / sizeof *unsound; i++)
        assert_false(tree_is_sound(&machine, &unsound[i]));
    tree_machine_release(&machine);
}

static void
numbers_are_found_though_one_of_them_is_superfluous(void **state)
{
    struct table table;
    struct fitter fitter;
    double target[ROWS], ones[ROWS];
    struct aim aim = {.target = target, .roots = ones, .used = ROWS};
    struct formula formula = {.count = 1};

    draw_table(&table);
    for (size_t i = 0; i < ROWS; i++) {
        ones[i] = 1;
        target[i] = 3 + 2 * table.columns[0][i] / (table.columns[1][i] + 1.7);
    }
    assert_int_equal(fitter_new(*state, ROWS, table.inputs, INPUTS, &fitter), 0);
    fitter.aim = &aim;
    /* x / (c + d y): only c / d matters beside a coefficient */
    formula.trees[0] =
        join(TREE_DIVIDE, input(0), join(TREE_ADD, number(0.3), join(TREE_MULTIPLY, number(0.9), input(1))));
    assert_true(formula_fit(&fitter, &formula, 50));
    assert_true(formula.error < 1e-16);
    assert_near(formula.constant, 3, 1e-6);
    assert_near(formula.trees[0].genes[1].number / formula.trees[0].genes[2].number, 1.7, 1e-6);
    fitter_release(&fitter);
}

static void
an_expression_has_the_values_of_its_tree(void **state)
{
    struct table table;
    struct tree_machine machine;
    struct expression_pool *pool;
    double symbols[INPUTS];
    size_t compared = 0;

    draw_table(&table);
    assert_int_equal(expression_pool_new(*state, &pool), 0);
    for (size_t j = 0; j < INPUTS; j++)
        expression_symbol(pool, (const char *[]){"a", "b", "c"}[j]);
    assert_int_equal(tree_machine_new(*state, ROWS, table.inputs, INPUTS, &machine), 0);
    for (size_t draw = 0; draw < DRAWS; draw++) {
        struct tree tree = draw_formula(draw).trees[0];
        expression value;
        double expected, found;

        if (!tree_round_numbers(&tree))
            continue;
        value = tree_express(&tree, pool);
        expected = tree_run(&machine, &tree)[0];
        for (size_t j = 0; j < INPUTS; j++)
            symbols[j] = table.columns[j][0];
        if (value < 0 || !(fabs(expected) < 1e6))
            continue;
        found = expression_evaluate(pool, value, symbols);
        /* (a - b) ^ 2 is multiplied out, and loses digits */
        if (isfinite(found) && fabs(expected) > 1e-3 && fabs(found - expected) < 1e-6 * fabs(expected))
            compared++;
    }
    assert_true(compared > DRAWS / 2);
    tree_machine_release(&machine);
    expression_pool_free(pool);
}

/* ---- fits ---- */

/* Columns x, z, y: y by `shape`, times an error. */
static memmodel_samples *
shape_samples(memmodel_context *context, double (*shape)(double, double), double error, size_t rows)
{
    static const char *const columns[] = {"x", "z", "y"};
    memmodel_samples *samples;
    uint64_t seed = 11;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (size_t i = 0; i < rows; i++) {
        double x = 3 + 2 * random_error(&seed), z = 3 + 2 * random_error(&seed);
        double y = shape(x, z) * (1 + error * random_error(&seed));

        assert_int_equal(memmodel_samples_add(samples, (double[]){x, z, y}), 0);
    }
    return samples;
}

static double
quotient(double x, double z)
{
    return 2 + 3 * x / (z + 2.5);
}

static double
line(double x, double z)
{
    return 2 * x + z;
}

static char *
fit_to_json(const memmodel_samples *samples, int32_t search, int64_t evaluations, int32_t threads)
{
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                           .search = search,
                                           .threads = threads,
                                           .evaluations = evaluations,
                                           .seed = 5};
    memmodel_model *model = fit(samples, &options);
    char *text;

    assert_int_equal(memmodel_model_to_json(model, &text), 0);
    memmodel_model_unref(model);
    return text;
}

static void
a_quotient_with_a_number_in_it_is_found_and_survives_its_file(void **state)
{
    memmodel_samples *samples = shape_samples(*state, quotient, 0, 30);
    char *text = fit_to_json(samples, MEMMODEL_FIT_SEARCH_ENUMERATE, 100000, 1);
    struct memmodel_prediction prediction = {.size = sizeof prediction};
    memmodel_model *model;

    assert_int_equal(memmodel_model_from_json(*state, "model", text, strlen(text), &model), 0);
    assert_near(memmodel_model_evaluate(model, (double[]){1.75, 4.5}), quotient(1.75, 4.5), 1e-12);
    assert_int_equal(memmodel_model_predict(model, (double[]){1.75, 4.5}, 0.95, &prediction), 0);
    assert_true(prediction.upper >= prediction.value && prediction.upper < prediction.value * 1.000001);
    memmodel_model_unref(model);
    memmodel_free(*state, text);
    memmodel_samples_unref(samples);
}

static double
tangled(double x, double z)
{
    return x / (1 + z) / sqrt(x + z) + log(x + 3 * z) / (2 + x * z);
}

struct count {
    int reports;
};

static int
count_reports(void *user, const struct memmodel_fit_progress *progress)
{
    (void)progress;
    ++((struct count *)user)->reports;
    return 0;
}

static double
flat(double x, double z)
{
    return 7 + 0 * x * z;
}

/* Of noise alone no formula is better than the mean even on the rows that it was found with, but for their number. */
static void
folds_are_searched_only_if_they_can_decide_anything(void **state)
{
    struct count noise = {0}, law = {0};
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                           .search = MEMMODEL_FIT_SEARCH_ENUMERATE,
                                           .evaluations = 20000,
                                           .max_terms = 5,
                                           .progress = count_reports};
    memmodel_samples *samples = shape_samples(*state, flat, 1, 40);

    options.user = &noise;
    memmodel_model_unref(fit(samples, &options));
    memmodel_samples_unref(samples);
    samples = shape_samples(*state, tangled, 0.01, 40);
    options.user = &law;
    memmodel_model_unref(fit(samples, &options));
    memmodel_samples_unref(samples);
    assert_true(noise.reports <= 2 && law.reports >= 6);
}

/* A reader meets the parts of a term in another order than the search did. */
static void
every_searched_formula_is_read_back_as_it_was_written(void **state)
{
    for (int64_t seed = 0; seed < 4; seed++) {
        memmodel_samples *samples = shape_samples(*state, seed % 2 ? tangled : quotient, seed < 2 ? 0 : 0.001, 60);
        struct memmodel_fit_options options = {.size = sizeof options,
                                               .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                               .search = MEMMODEL_FIT_SEARCH_ALL,
                                               .evaluations = 20000,
                                               .seed = seed};
        memmodel_model *model = fit(samples, &options), *back;
        char *text, *again;

        assert_int_equal(memmodel_model_to_json(model, &text), 0);
        assert_int_equal(memmodel_model_from_json(*state, "model", text, strlen(text), &back), 0);
        assert_int_equal(memmodel_model_to_json(back, &again), 0);
        assert_string_equal(text, again);
        assert_true(memmodel_model_evaluate(model, (double[]){2, 3}) ==
                    memmodel_model_evaluate(back, (double[]){2, 3}));
        memmodel_free(*state, text);
        memmodel_free(*state, again);
        memmodel_model_unref(model);
        memmodel_model_unref(back);
        memmodel_samples_unref(samples);
    }
}

static void
a_line_stays_a_line_however_hard_is_searched(void **state)
{
    memmodel_samples *samples = shape_samples(*state, line, 0.1, 40);
    struct memmodel_fit_options terms = {.size = sizeof terms, .loss = MEMMODEL_FIT_LOSS_SQUARED};
    struct memmodel_fit_options all = {
        .size = sizeof all, .loss = MEMMODEL_FIT_LOSS_SQUARED, .search = MEMMODEL_FIT_SEARCH_ALL, .evaluations = 40000};
    memmodel_model *before = fit(samples, &terms), *after = fit(samples, &all);

    assert_true(memmodel_model_evaluate(before, (double[]){2, 3}) == memmodel_model_evaluate(after, (double[]){2, 3}));
    memmodel_model_unref(before);
    memmodel_model_unref(after);
    memmodel_samples_unref(samples);
}

static void
the_same_seed_gives_the_same_bytes_on_any_number_of_threads(void **state)
{
    memmodel_samples *samples = shape_samples(*state, quotient, 0.01, 30);
    char *one = fit_to_json(samples, MEMMODEL_FIT_SEARCH_ALL, 30000, 1);

    for (int32_t threads = 2; threads <= 8; threads += 3) { /* fewer than islands, and more */
        char *several = fit_to_json(samples, MEMMODEL_FIT_SEARCH_ALL, 30000, threads);

        assert_string_equal(one, several);
        memmodel_free(*state, several);
    }
    memmodel_free(*state, one);
    memmodel_samples_unref(samples);
}

/* ---- grammar ---- */

static void
forbidden_nestings_are_read_and_kept_to(void **state)
{
    struct grammar grammar = {.forbidden = {{false}}};
    struct formula formula = {.count = 1};

    (void)state;
    assert_true(grammar_forbid(&grammar, "log(log)"));
    assert_true(grammar_forbid(&grammar, "sqrt(/)"));
    formula.trees[0] = apply(TREE_LOG, join(TREE_ADD, input(0), apply(TREE_LOG, input(1))));
    assert_false(grammar_allows(&grammar, &formula));
    formula.trees[0] = apply(TREE_ROOT, apply(TREE_INVERSE, input(1)));
    assert_false(grammar_allows(&grammar, &formula));
    formula.trees[0] = apply(TREE_INVERSE, apply(TREE_ROOT, input(1)));
    assert_true(grammar_allows(&grammar, &formula));
    assert_true(grammar_forbid(&grammar, "cos"));
    formula.trees[0] = apply(TREE_COS, input(0));
    assert_false(grammar_allows(&grammar, &formula));
    formula.trees[0] = apply(TREE_SIN, input(0));
    assert_true(grammar_allows(&grammar, &formula));
    assert_false(grammar_forbid(&grammar, "tree"));
    assert_false(grammar_forbid(&grammar, "log(tree)"));
    assert_false(grammar_forbid(&grammar, "log()"));
    assert_false(grammar_forbid(&grammar, "(log)"));
    assert_false(grammar_forbid(&grammar, ""));
    assert_false(grammar_forbid(&grammar, NULL));
}

/* Every fourth row is three times the law, and weighs next to nothing if `weight` is given. */
static double
error_among_wild_rows(memmodel_context *context, const char *weight)
{
    static const char *const columns[] = {"x", "z", "w", "y"}, *const inputs[] = {"x", "z"};
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .target = "y",
                                           .inputs = inputs,
                                           .input_count = 2,
                                           .weight = weight,
                                           .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                           .search = MEMMODEL_FIT_SEARCH_ENUMERATE,
                                           .evaluations = 40000};
    memmodel_samples *samples;
    memmodel_model *model;
    uint64_t seed = 11;
    double error;

    assert_int_equal(memmodel_samples_new(context, columns, 4, &samples), 0);
    for (size_t i = 0; i < 40; i++) {
        double x = 3 + 2 * random_error(&seed), z = 3 + 2 * random_error(&seed);
        bool wild = i % 4 == 0;

        assert_int_equal(
            memmodel_samples_add(samples, (double[]){x, z, wild ? 1e-9 : 1, (wild ? 3 : 1) * quotient(x, z)}), 0);
    }
    model = fit(samples, &options);
    error = fabs(memmodel_model_evaluate(model, (double[]){3.5, 2.5}) / quotient(3.5, 2.5) - 1);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
    return error;
}

static void
a_search_weighs_rows_as_it_is_told(void **state)
{
    assert_true(error_among_wild_rows(*state, NULL) > 0.05);
    assert_true(error_among_wild_rows(*state, "w") < 0.001);
}

static void
a_nesting_that_is_none_is_refused(void **state)
{
    memmodel_samples *samples = shape_samples(*state, line, 0.1, 12);
    const char *const forbidden[] = {"log(tree)"};
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                           .search = MEMMODEL_FIT_SEARCH_ENUMERATE,
                                           .forbidden = forbidden,
                                           .forbidden_count = 1};
    memmodel_model *model;

    assert_error(*state, memmodel_fit(samples, &options, &model), MEMMODEL_ERROR_INVALID_ARGUMENT, "log(tree)");
    memmodel_samples_unref(samples);
}

static void
less_than_nothing_cannot_be_tried(void **state)
{
    memmodel_samples *samples = shape_samples(*state, line, 0.1, 12);
    struct memmodel_fit_options options = {
        .size = sizeof options, .search = MEMMODEL_FIT_SEARCH_ALL, .evaluations = -1};
    memmodel_model *model;

    assert_error(*state, memmodel_fit(samples, &options, &model), MEMMODEL_ERROR_INVALID_ARGUMENT, "evaluations");
    options.evaluations = 0;
    options.seconds = (double)NAN;
    assert_error(*state, memmodel_fit(samples, &options, &model), MEMMODEL_ERROR_INVALID_ARGUMENT, "seconds");
    memmodel_samples_unref(samples);
}

/* Tables that leave little to search, or nearly leave the numbers that there are. */
static void
tables_at_the_limits_are_searched_or_refused(void **state)
{
    static const double sizes[] = {1e-300, 1e-30, 1, 1e30, 1e130};
    static const char *const columns[] = {"x", "z", "y"};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t rows = 4; rows <= 12; rows += 4) {
            struct memmodel_fit_options options = {.size = sizeof options,
                                                   .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                                   .search = MEMMODEL_FIT_SEARCH_ALL,
                                                   .evaluations = 10000};
            memmodel_samples *samples;
            memmodel_model *model;

            assert_int_equal(memmodel_samples_new(*state, columns, 3, &samples), 0);
            for (size_t row = 0; row < rows; row++)
                assert_int_equal(
                    memmodel_samples_add(samples, (double[]){sizes[i] * (double)(row + 1), 2 * (double)row - 7,
                                                             sizes[i] * (double)(row % 3)}),
                    0);
            if (memmodel_fit(samples, &options, &model) == 0) {
                assert_true(isfinite(memmodel_model_evaluate(model, (double[]){sizes[i] * 2, 1})));
                memmodel_model_unref(model);
            }
            memmodel_samples_unref(samples);
        }
}

/* ---- watching ---- */

struct watch {
    int calls;
    int64_t evaluations;
};

static int
watch_until_three(void *user, const struct memmodel_fit_progress *progress)
{
    struct watch *watch = user;

    assert_true(progress->evaluations >= watch->evaluations);
    watch->evaluations = progress->evaluations;
    return ++watch->calls == 3;
}

static void
a_search_is_watched_and_stopped(void **state)
{
    memmodel_samples *samples = shape_samples(*state, quotient, 0.01, 30);
    struct watch watch = {0, 0};
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .loss = MEMMODEL_FIT_LOSS_SQUARED,
                                           .search = MEMMODEL_FIT_SEARCH_ALL,
                                           .evaluations = 40000,
                                           .progress = watch_until_three,
                                           .user = &watch};
    memmodel_model *model;

    assert_int_equal(memmodel_fit(samples, &options, &model), MEMMODEL_ERROR_CALLBACK);
    assert_int_equal(watch.calls, 3);
    assert_true(watch.evaluations > 0);
    memmodel_samples_unref(samples);
}

/* ---- checkpoints ---- */

static const char checkpoint_path[] = "test_trees_checkpoint.json";

struct interruption {
    int calls, stop_at;
};

static int
interrupt(void *user, const struct memmodel_fit_progress *progress)
{
    struct interruption *interruption = user;

    (void)progress;
    return ++interruption->calls == interruption->stop_at;
}

static int
fit_with_checkpoint(const memmodel_samples *samples, int32_t loss, int64_t seed, int stop_at, memmodel_model **model,
                    int *calls)
{
    struct interruption interruption = {0, stop_at};
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .loss = loss,
                                           .search = MEMMODEL_FIT_SEARCH_ALL,
                                           .evaluations = 20000,
                                           .seed = seed,
                                           .checkpoint = checkpoint_path,
                                           .progress = interrupt,
                                           .user = &interruption};
    int status = memmodel_fit(samples, &options, model);

    *calls = interruption.calls;
    return status;
}

static void
an_interrupted_search_goes_on_and_comes_to_the_same_bytes(void **state)
{
    memmodel_samples *samples = shape_samples(*state, quotient, 0.01, 30);
    char *whole = fit_to_json(samples, MEMMODEL_FIT_SEARCH_ALL, 20000, 1), *resumed;
    memmodel_model *model;
    int calls, all_calls;

    remove(checkpoint_path);
    assert_int_equal(fit_with_checkpoint(samples, MEMMODEL_FIT_LOSS_SQUARED, 5, 0, &model, &all_calls), 0);
    memmodel_model_unref(model);
    assert_true(all_calls > 2);
    for (int stop_at = 1; stop_at < all_calls; stop_at += all_calls - 2) {
        assert_int_equal(fit_with_checkpoint(samples, MEMMODEL_FIT_LOSS_SQUARED, 5, stop_at, &model, &calls),
                         MEMMODEL_ERROR_CALLBACK);
        assert_int_equal(fit_with_checkpoint(samples, MEMMODEL_FIT_LOSS_SQUARED, 5, 0, &model, &calls), 0);
        assert_true(calls <= all_calls);
        assert_int_equal(memmodel_model_to_json(model, &resumed), 0);
        assert_string_equal(whole, resumed);
        memmodel_free(*state, resumed);
        memmodel_model_unref(model);
        assert_null(fopen(checkpoint_path, "r")); /* it is gone */
    }
    assert_true(calls < all_calls / 2);
    memmodel_free(*state, whole);
    memmodel_samples_unref(samples);
}

static void
a_checkpoint_of_another_fit_is_refused(void **state)
{
    memmodel_samples *samples = shape_samples(*state, quotient, 0.01, 30);
    memmodel_model *model;
    int calls;

    for (int32_t loss = MEMMODEL_FIT_LOSS_RELATIVE; loss <= MEMMODEL_FIT_LOSS_SQUARED; loss++) {
        remove(checkpoint_path);
        assert_int_equal(fit_with_checkpoint(samples, loss, 5, 6, &model, &calls), MEMMODEL_ERROR_CALLBACK);
        assert_error(*state, fit_with_checkpoint(samples, loss, 6, 0, &model, &calls), MEMMODEL_ERROR_INVALID_ARGUMENT,
                     "another table");
    }
    remove(checkpoint_path);
    memmodel_samples_unref(samples);
}

static int
parse_checkpoint(memmodel_context *context, const char *text)
{
    struct checkpoint checkpoint = {.context = context, .key = 1};
    int status = checkpoint_parse("checkpoint", text, strlen(text), &checkpoint);

    checkpoint_release(&checkpoint);
    return status;
}

static void
checkpoints_that_are_none_are_refused(void **state)
{
#define HEAD "{\"format\": \"memmodel-fit-checkpoint\", \"version\": 1, \"fit\": \"0000000000000001\", \"parts\": "
    assert_int_equal(parse_checkpoint(*state, HEAD "[{\"tried\": 1, \"formulas\": [[\"x0\"]]}]}"), 0);
    assert_int_equal(parse_checkpoint(*state, ""), MEMMODEL_ERROR_PARSE);
    assert_int_equal(parse_checkpoint(*state, "{}"), MEMMODEL_ERROR_PARSE);
    assert_int_equal(parse_checkpoint(*state, HEAD "1}"), MEMMODEL_ERROR_PARSE);
    assert_int_equal(parse_checkpoint(*state, HEAD "[1]}"), MEMMODEL_ERROR_PARSE);
    assert_int_equal(parse_checkpoint(*state, HEAD "[{\"tried\": -1, \"formulas\": []}]}"), MEMMODEL_ERROR_PARSE);
    assert_int_equal(parse_checkpoint(*state, HEAD "[{\"tried\": 1}]}"), MEMMODEL_ERROR_PARSE);
#undef HEAD
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, context_setup, context_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(expanded_and_factored_forms_have_one_key),
        WITH_CONTEXT(formulas_that_differ_have_different_keys),
        WITH_CONTEXT(a_simplified_tree_has_the_values_of_the_tree_but_for_scale_and_constant),
        WITH_CONTEXT(a_simplified_tree_is_simplified),
        WITH_CONTEXT(equal_factors_become_powers_and_inverse_ones_go_away),
        WITH_CONTEXT(derivatives_by_numbers_are_those_of_differences),
        WITH_CONTEXT(a_tree_with_a_pole_between_rows_is_not_sound),
        WITH_CONTEXT(numbers_are_found_though_one_of_them_is_superfluous),
        WITH_CONTEXT(an_expression_has_the_values_of_its_tree),
        WITH_CONTEXT(a_quotient_with_a_number_in_it_is_found_and_survives_its_file),
        WITH_CONTEXT(folds_are_searched_only_if_they_can_decide_anything),
        WITH_CONTEXT(every_searched_formula_is_read_back_as_it_was_written),
        WITH_CONTEXT(a_line_stays_a_line_however_hard_is_searched),
        WITH_CONTEXT(the_same_seed_gives_the_same_bytes_on_any_number_of_threads),
        WITH_CONTEXT(forbidden_nestings_are_read_and_kept_to),
        WITH_CONTEXT(a_search_weighs_rows_as_it_is_told),
        WITH_CONTEXT(a_nesting_that_is_none_is_refused),
        WITH_CONTEXT(less_than_nothing_cannot_be_tried),
        WITH_CONTEXT(tables_at_the_limits_are_searched_or_refused),
        WITH_CONTEXT(a_search_is_watched_and_stopped),
        WITH_CONTEXT(an_interrupted_search_goes_on_and_comes_to_the_same_bytes),
        WITH_CONTEXT(a_checkpoint_of_another_fit_is_refused),
        WITH_CONTEXT(checkpoints_that_are_none_are_refused),
    };

    return cmocka_run_group_tests_name("trees", tests, NULL, NULL);
}
