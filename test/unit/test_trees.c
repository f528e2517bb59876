/* Formulas of any shape: trees, their forms, numbers in them, and which may be. */
#include "fitted.h"
#include "near.h"

#include "regression/linear/decimal.h"
#include "regression/prove/structure.h"
#include "regression/search/variation.h"
#include "regression/search/tree_search.h"
#include "regression/search/simplify.h"

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

static const struct variation variation = {INPUTS, 40, 4};

/* A random tree, after a few changes. */
static struct formula
draw_formula(uint64_t index)
{
    struct random random = random_stream(1, 2, 3, index);
    struct formula formula = {.count = 0}, child;

    variation_random(&variation, &random, &formula);
    for (int i = 0; i < 4; i++)
        if (variation_child(&variation, &random, &formula, &formula, &child))
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

/* ---- forms ---- */

static void
a_simplified_tree_has_the_values_of_the_tree_but_for_scale_and_constant(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    struct table table;
    struct fitter fitter;
    double column[ROWS], ones[ROWS];
    struct aim aim = {.target = column, .sqrt_weights = ones, .used = ROWS};
    size_t compared = 0;

    draw_table(&table);
    fitter = fitter_new(&workspace, ROWS, table.inputs, INPUTS, NULL);
    assert_int_equal(workspace.status, 0);
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
        if (!(size > 1e-24 && size < 1e12) || !formula_fit_linear(&fitter, &simplified)) /* e^log(x) - x is rounding */
            continue;
        assert_true(simplified.error <= 1e-16 * size);
        compared++;
    }
    assert_true(compared > DRAWS / 4);
    workspace_release(&workspace);
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
    struct workspace workspace = WORKSPACE_INIT(*state);
    struct table table;
    struct tree_machine machine;
    double slopes[TREE_MAX_NUMBERS][ROWS], *columns[TREE_MAX_NUMBERS], above[ROWS], below[ROWS];
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
    for (size_t k = 0; k < TREE_MAX_NUMBERS; k++)
        columns[k] = slopes[k];
    machine = tree_machine_new(&workspace, ROWS, table.inputs, INPUTS);
    assert_int_equal(workspace.status, 0);
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
    workspace_release(&workspace);
}

/* Between the rows of a table there are points, too. */
/* A leaf becomes trees that fill it to the last node, and to one more. */
static void
a_tree_takes_as_many_nodes_as_there_is_room_for(void **state)
{
    struct tree tree = {.count = 1}, other = {.count = 0};

    (void)state;
    tree.genes[0] = (struct tree_gene){.operation = TREE_NUMBER, .number = 2};
    for (; other.count < TREE_MAX_NODES; other.count++)
        other.genes[other.count] = (struct tree_gene){.operation = TREE_NUMBER, .number = 3};
    assert_true(tree_replace(&tree, 0, 1, other.genes, TREE_MAX_NODES));
    assert_int_equal(tree.count, TREE_MAX_NODES);
    assert_false(tree_replace(&tree, 0, 1, other.genes, 2));
    assert_int_equal(tree.count, TREE_MAX_NODES);
}

static void
a_tree_with_a_pole_between_rows_is_not_sound(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
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
    machine = tree_machine_new(&workspace, ROWS, table.inputs, INPUTS);
    assert_int_equal(workspace.status, 0);
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++)
        assert_true(tree_is_sound(&machine, &sound[i]));
    for (size_t i = 0; i < sizeof unsound / sizeof *unsound; i++)
        assert_false(tree_is_sound(&machine, &unsound[i]));
    workspace_release(&workspace);
}

static void
numbers_are_found_though_one_of_them_is_superfluous(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    struct table table;
    struct fitter fitter;
    double target[ROWS], ones[ROWS];
    struct aim aim = {.target = target, .sqrt_weights = ones, .used = ROWS};
    struct formula formula = {.count = 1};

    draw_table(&table);
    for (size_t i = 0; i < ROWS; i++) {
        ones[i] = 1;
        target[i] = 3 + 2 * table.columns[0][i] / (table.columns[1][i] + 1.7);
    }
    fitter = fitter_new(&workspace, ROWS, table.inputs, INPUTS, NULL);
    assert_int_equal(workspace.status, 0);
    fitter.aim = &aim;
    /* x / (c + d y): only c / d matters beside a coefficient */
    formula.trees[0] =
        join(TREE_DIVIDE, input(0), join(TREE_ADD, number(0.3), join(TREE_MULTIPLY, number(0.9), input(1))));
    assert_true(formula_fit(&fitter, &formula, 50));
    assert_true(formula.error < 1e-16);
    assert_near(formula.constant, 3, 1e-6);
    assert_near(formula.trees[0].genes[1].number / formula.trees[0].genes[2].number, 1.7, 1e-6);
    workspace_release(&workspace);
}

/* ---- simplification ---- */

/* What becomes of the tree if a law that it can meet is searched for; `law`: of a row's inputs. */
static struct formula
simplified(memmodel_context *context, struct tree tree, double (*law)(const double *x))
{
    struct workspace workspace = WORKSPACE_INIT(context);
    struct table table;
    struct fitter fitter;
    double target[ROWS], ones[ROWS];
    struct aim aim = {.target = target, .sqrt_weights = ones, .used = ROWS};
    struct formula formula = {.count = 1, .trees = {tree}};
    bool precise = true;

    draw_table(&table);
    for (size_t i = 0; i < ROWS; i++) {
        ones[i] = 1;
        target[i] = law((double[]){table.columns[0][i], table.columns[1][i], table.columns[2][i]});
    }
    fitter = fitter_new(&workspace, ROWS, table.inputs, INPUTS, NULL);
    assert_int_equal(workspace.status, 0);
    fitter.aim = &aim;
    assert_true(formula_simplify(&fitter, 0.003, &precise, &formula));
    assert_true(precise);
    workspace_release(&workspace);
    return formula;
}

static void
assert_tree(const struct tree *tree, struct tree wanted)
{
    assert_int_equal(tree->count, wanted.count);
    for (size_t i = 0; i < tree->count; i++) {
        assert_int_equal(tree->genes[i].operation, wanted.genes[i].operation);
        assert_int_equal(tree->genes[i].input, wanted.genes[i].input);
        assert_true(tree->genes[i].number == wanted.genes[i].number);
    }
}

static double
root_law(const double *x)
{
    return 1 + 2 * sqrt(x[0]);
}

static void
a_number_that_is_not_there_goes(void **state)
{
    struct tree wanted = apply(TREE_ROOT, input(0));
    const struct tree found[] = {
        apply(TREE_ROOT, join(TREE_SUBTRACT, input(0), number(0.000000004))),
        apply(TREE_ROOT, join(TREE_MULTIPLY, input(0), number(0.99999999))),
        apply(TREE_ROOT, join(TREE_MULTIPLY, number(350), input(0))),
        apply(TREE_ROOT, join(TREE_MAX, number(0.02), input(0))),
        join(TREE_DIVIDE, apply(TREE_TANH, join(TREE_ADD, input(1), number(500))),
             apply(TREE_INVERSE, apply(TREE_ROOT, input(0)))),
    };

    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        struct formula simple = simplified(*state, found[i], root_law);

        if (i == 4) /* 1 / (1 / sqrt x): what simplifies forms does not come after */
            wanted = apply(TREE_INVERSE, apply(TREE_INVERSE, wanted));
        assert_int_equal(simple.count, 1);
        assert_tree(&simple.trees[0], wanted);
        assert_int_equal(simple.nodes, formula_count_nodes(&simple));
        assert_near(simple.constant, 1, 1e-12);
        assert_near(simple.coefficients[0], 2, 1e-12);
    }
}

static double
wave_law(const double *x)
{
    return x[1] * sin(x[0]);
}

static void
a_quarter_turn_is_the_other_wave(void **state)
{
    struct tree found = join(TREE_MULTIPLY, input(1), apply(TREE_COS, join(TREE_ADD, input(0), number(1.5707963))));
    struct formula simple = simplified(*state, found, wave_law);

    assert_tree(&simple.trees[0], join(TREE_MULTIPLY, input(1), apply(TREE_SIN, input(0))));
    assert_near(simple.coefficients[0], 1, 1e-12);
}

static double
sum_law(const double *x)
{
    return (x[0] + x[1]) / (x[2] + 1.0 / 3);
}

/* 350 x + 350 y behind a coefficient: a factor that both terms share is none. */
static void
a_shared_factor_goes_and_a_third_is_a_fraction(void **state)
{
    struct tree terms =
        join(TREE_ADD, join(TREE_MULTIPLY, input(0), number(350)), join(TREE_MULTIPLY, input(1), number(350.0001)));
    struct tree found = join(TREE_DIVIDE, terms, join(TREE_ADD, input(2), number(0.333)));
    struct formula simple = simplified(*state, found, sum_law);

    assert_tree(&simple.trees[0],
                join(TREE_DIVIDE, join(TREE_ADD, input(0), input(1)), join(TREE_ADD, input(2), number(1.0 / 3))));
    assert_near(simple.coefficients[0], 1, 1e-12);
}

static double
turn_law(const double *x)
{
    return sin(6.283185307179586 * x[0]) + 2 * exp(0.5 * x[1]);
}

/* Seven digits would leave a ten millionth, which the coefficients would have to make up for. */
static void
a_formula_that_meets_all_rows_keeps_the_digits_that_this_takes(void **state)
{
    struct tree wave = apply(TREE_SIN, join(TREE_MULTIPLY, input(0), number(6.2832)));
    struct tree power = apply(TREE_EXP, join(TREE_MULTIPLY, input(1), number(0.49)));
    struct formula simple = simplified(*state, join(TREE_ADD, wave, join(TREE_MULTIPLY, power, number(1.9))), turn_law);
    const struct tree_gene *genes = simple.trees[0].genes;

    assert_near(genes[1].number, 6.283185307179586, 1e-12);
    assert_true(genes[1].number == decimal_rounded(genes[1].number, 14)); /* and no more */
    assert_true(genes[5].number == 0.5);
    assert_true(genes[8].number == 2);
    assert_near(simple.coefficients[0], 1, 1e-12);
}

static void
a_fraction_is_written_as_one(void **state)
{
    struct tree tree = join(TREE_ADD, input(0), number(1.0 / 173));
    struct expression_pool *pool;
    struct text text = TEXT_INIT(*state);

    assert_int_equal(expression_pool_new(*state, &pool), 0);
    expression_symbol(pool, "a");
    assert_true(tree_round_numbers(&tree, TREE_DIGITS));
    expression_print(pool, tree_express(&tree, pool), EXPRESSION_TEXT, &text);
    assert_string_equal(text.bytes, "a + 1/173");
    text_release(&text);
    expression_pool_free(pool);
}

static void
a_number_keeps_so_many_digits(void **state)
{
    struct tree tree = number(1234.56789);

    (void)state;
    assert_true(tree_round_numbers(&tree, 7));
    assert_true(tree.genes[0].number == 1234.568);
}

static void
an_expression_has_the_values_of_its_tree(void **state)
{
    struct workspace workspace = WORKSPACE_INIT(*state);
    struct table table;
    struct tree_machine machine;
    struct expression_pool *pool;
    double symbols[INPUTS];
    size_t compared = 0;

    draw_table(&table);
    assert_int_equal(expression_pool_new(*state, &pool), 0);
    for (size_t j = 0; j < INPUTS; j++)
        expression_symbol(pool, (const char *[]){"a", "b", "c"}[j]);
    machine = tree_machine_new(&workspace, ROWS, table.inputs, INPUTS);
    assert_int_equal(workspace.status, 0);
    for (size_t draw = 0; draw < DRAWS; draw++) {
        struct tree tree = draw_formula(draw).trees[0];
        expression value;
        double expected, found;

        if (!tree_round_numbers(&tree, TREE_DIGITS))
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
    workspace_release(&workspace);
    expression_pool_free(pool);
}

static void
a_square_a_root_and_an_inverse_are_expressed_as_powers(void **state)
{
    const struct {
        unsigned operation;
        double of_4;
    } powers[] = {{TREE_SQUARE, 16}, {TREE_ROOT, 2}, {TREE_INVERSE, 0.25}};
    struct expression_pool *pool;

    assert_int_equal(expression_pool_new(*state, &pool), 0);
    expression_symbol(pool, "a");
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        struct tree tree = apply(powers[i].operation, input(0));

        assert_true(expression_evaluate(pool, tree_express(&tree, pool), &(double){4}) == powers[i].of_4);
    }
    expression_pool_free(pool);
}

/* ---- what may be ---- */

static void
waves_of_waves_and_what_no_whole_power_makes_may_not_be(void **state)
{
    const struct structure whole = {.integer_exponents = true};
    struct tree wave = apply(TREE_COS, join(TREE_ADD, input(0), apply(TREE_EXP, input(1))));
    struct tree root = apply(TREE_ROOT, input(0)), power = apply(TREE_INVERSE, apply(TREE_SQUARE, input(0)));

    (void)state;
    assert_false(tree_is_allowed(NULL, &wave));
    assert_true(tree_is_allowed(NULL, &root));
    assert_false(tree_is_allowed(&whole, &root));
    assert_true(tree_is_allowed(&whole, &power));
}

/* ---- units ---- */

/* x has a unit of its own, and y that of the target: (x + x) * y has both, and (x + x) / x * y only the target's. */
static void
a_tree_of_the_target_s_unit_and_another_s_does_not_fit(void **state)
{
    struct structure structure = {.has_units = true, .target.powers = {0, 1}, .inputs = {{{1}}, {{0, 1}}}};
    struct tree x = input(0), y = input(1), sum = join(TREE_ADD, x, x);
    const struct tree fitting[] = {y, join(TREE_MULTIPLY, join(TREE_DIVIDE, sum, x), y), join(TREE_DIVIDE, sum, x)};
    const struct tree unfit[] = {x, join(TREE_MULTIPLY, sum, y), join(TREE_DIVIDE, sum, y), join(TREE_ADD, x, y)};

    (void)state;
    for (size_t i = 0; i < sizeof fitting / sizeof *fitting; i++)
        assert_true(tree_is_allowed(&structure, &fitting[i]));
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
        assert_false(tree_is_allowed(&structure, &unfit[i]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_simplified_tree_has_the_values_of_the_tree_but_for_scale_and_constant),
        WITH_CONTEXT(a_simplified_tree_is_simplified),
        WITH_CONTEXT(equal_factors_become_powers_and_inverse_ones_go_away),
        WITH_CONTEXT(derivatives_by_numbers_are_those_of_differences),
        cmocka_unit_test(a_tree_takes_as_many_nodes_as_there_is_room_for),
        WITH_CONTEXT(a_tree_with_a_pole_between_rows_is_not_sound),
        WITH_CONTEXT(numbers_are_found_though_one_of_them_is_superfluous),
        WITH_CONTEXT(a_number_that_is_not_there_goes),
        WITH_CONTEXT(a_quarter_turn_is_the_other_wave),
        WITH_CONTEXT(a_shared_factor_goes_and_a_third_is_a_fraction),
        WITH_CONTEXT(a_formula_that_meets_all_rows_keeps_the_digits_that_this_takes),
        WITH_CONTEXT(a_fraction_is_written_as_one),
        WITH_CONTEXT(a_number_keeps_so_many_digits),
        WITH_CONTEXT(an_expression_has_the_values_of_its_tree),
        WITH_CONTEXT(a_square_a_root_and_an_inverse_are_expressed_as_powers),
        WITH_CONTEXT(waves_of_waves_and_what_no_whole_power_makes_may_not_be),
        WITH_CONTEXT(a_tree_of_the_target_s_unit_and_another_s_does_not_fit),
    };

    return cmocka_run_group_tests_name("trees", tests, NULL, NULL);
}
