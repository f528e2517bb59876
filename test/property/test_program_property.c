/*
 * Trees as a search makes them: what one row gives, many give on vectors of every width, wherever the columns lie; and
 * their derivatives are those of differences.
 */
#include "random_expression.h"

#include "expression/kernels.h"

#include <string.h>

enum { TREES = 400, MAX_NODES = 63, INPUTS = 3, PARAMETERS = 2, ROWS = 333, APART = 3 };

static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074, 1e308, -1e308, 1e-310, 1, -1, 0.5};

/* ---- random trees ---- */

struct tree {
    struct tree_node nodes[MAX_NODES];
    size_t count;
};

static double
random_unit(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

static void
add_node(struct tree *tree, enum opcode opcode, int64_t index, double number)
{
    tree->nodes[tree->count++] = (struct tree_node){opcode, (int32_t)index, number};
}

static void
add_leaf(struct tree *tree, uint64_t *state)
{
    switch (random_next(state) % 4) {
    case 0:
        add_node(tree, OPCODE_NUMBER, 0, 0.25 + random_unit(state));
        break;
    case 1:
        add_node(tree, OPCODE_PARAMETER, random_between(state, 0, PARAMETERS - 1), 0);
        break;
    default:
        add_node(tree, OPCODE_SYMBOL, random_between(state, 0, INPUTS - 1), 0);
        break;
    }
}

/* Of the operations up to `last`; 2 leaves - 1 nodes and at times one of one operand over them. */
static void
grow(struct tree *tree, size_t leaves, enum opcode last, uint64_t *state)
{
    enum opcode opcode = (enum opcode)random_between(state, 0, last);

    if (leaves == 1) {
        add_leaf(tree, state);
    } else {
        size_t left = (size_t)random_between(state, 1, (int64_t)leaves - 1);

        grow(tree, left, last, state);
        grow(tree, leaves - left, last, state);
        add_node(tree, opcode < OPCODE_COPY ? opcode : OPCODE_ADD, 0, 0);
    }
    if (opcode >= OPCODE_COPY)
        add_node(tree, opcode, 0, 0);
}

static struct expression_program *
compile_for(const struct tree *tree, enum cpu_vectors width, enum tree_gradient gradient)
{
    struct expression_program *program;
    memmodel_context *context;

    assert_int_equal(memmodel_context_new(NULL, &context), 0);
    context_limit_vectors(context, width);
    assert_int_equal(expression_compile_tree(context, tree->nodes, tree->count, gradient, &program), 0);
    memmodel_context_unref(context);
    return program;
}

/* ---- the same bits ---- */

static bool
same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* A table row by row, each row APART doubles long, with one column behind it for what results. */
static double table[ROWS * APART + 1];
static double columns[INPUTS][ROWS + 1], results[2][ROWS + 1], spread[ROWS * 2];

static void
fill_table(uint64_t *state)
{
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < INPUTS; i++) {
            bool hard = random_next(state) % 3 == 0;

            table[row * APART + i] =
                hard ? special[random_next(state) % (sizeof special / sizeof special[0])] : 4 * random_unit(state) - 1;
            columns[i][row + 1] = table[row * APART + i];
        }
}

/* One row at a time, with vectors of the least width. */
static double
value_of_row(const struct expression_program *program, int row, const double *parameters)
{
    const double *const inputs[INPUTS] = {&table[row * APART], &table[row * APART + 1], &table[row * APART + 2]};
    double value;

    expression_program_run_rows(program,
                                &(struct expression_rows){inputs, NULL, (double *[]){&value}, NULL, 1, parameters});
    return value;
}

/* Columns that begin at odd addresses, and columns of a table of rows with results two doubles apart. */
static void
run_both_ways(const struct expression_program *program, const double *parameters)
{
    const ptrdiff_t strides[INPUTS] = {APART, APART, APART}, result_strides[] = {2};

    expression_program_run_rows(program,
                                &(struct expression_rows){
                                    .columns = (const double *[]){&columns[0][1], &columns[1][1], &columns[2][1]},
                                    .results = (double *[]){&results[0][1]},
                                    .points = ROWS,
                                    .parameters = parameters,
                                });
    expression_program_run_rows(program, &(struct expression_rows){
                                             .columns = (const double *[]){table, table + 1, table + 2},
                                             .strides = strides,
                                             .results = (double *[]){spread},
                                             .result_strides = result_strides,
                                             .points = ROWS,
                                             .parameters = parameters,
                                         });
}

static void
rows_and_widths_and_strides_have_the_same_bits(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int t = 0; t < TREES; t++) {
        struct tree tree = {.count = 0};
        const double parameters[PARAMETERS] = {random_unit(&seed), -random_unit(&seed)};
        struct expression_program *narrow;

        grow(&tree, 1 + (size_t)(random_next(&seed) % 16), OPCODE_TANH, &seed);
        fill_table(&seed);
        narrow = compile_for(&tree, CPU_VECTORS_128, TREE_VALUE);
        for (enum cpu_vectors width = CPU_VECTORS_128; width <= cpu_vectors(); width++) {
            struct expression_program *wide = compile_for(&tree, width, TREE_VALUE);

            run_both_ways(wide, parameters);
            for (int row = 0; row < ROWS; row++) {
                double value = value_of_row(narrow, row, parameters);

                assert_true(same_bits(results[0][row + 1], value));
                assert_true(same_bits(spread[2 * row], value));
            }
            expression_program_free(wide);
        }
        expression_program_free(narrow);
    }
}

static void
a_run_writes_its_rows_and_no_more(void **state)
{
    struct tree tree = {{{OPCODE_SYMBOL, 0, 0}, {OPCODE_LOG, 0, 0}}, 2};
    struct expression_program *program = compile_for(&tree, cpu_vectors(), TREE_VALUE);
    double *to[] = {&results[0][0]};

    (void)state;
    for (size_t rows = 0; rows <= 17; rows++) {
        for (size_t i = 0; i <= rows; i++)
            results[0][i] = 7;
        columns[0][0] = 1;
        expression_program_run_block(program, (const double *[]){columns[0]}, rows, to);
        assert_true(results[0][rows] == 7);
        assert_true(rows == 0 || results[0][0] == 0);
    }
    expression_program_free(program);
}

/* ---- derivatives ---- */

struct point {
    double symbols[INPUTS], parameters[PARAMETERS];
};

static void
run_at(const struct expression_program *program, const struct point *point, double *values)
{
    const double *const inputs[INPUTS] = {&point->symbols[0], &point->symbols[1], &point->symbols[2]};
    double *to[1 + INPUTS + PARAMETERS];

    for (size_t i = 0; i < expression_program_result_count(program); i++)
        to[i] = &values[i];
    expression_program_run_rows(program, &(struct expression_rows){inputs, NULL, to, NULL, 1, point->parameters});
}

static double
difference(const struct expression_program *program, struct point point, double *of, const struct point *base,
           double step)
{
    double *moved = (double *)((char *)&point + ((char *)of - (const char *)base)), values[2], start = *moved;

    *moved = start + step;
    run_at(program, &point, &values[0]);
    *moved = start - step;
    run_at(program, &point, &values[1]);
    return (values[0] - values[1]) / (2 * step);
}

static int compared, undefined;

/* Where differences of two steps disagree they say nothing: there is an edge, or the value is huge. */
static void
assert_derivative(const struct expression_program *value, struct point *point, double *by, double derivative)
{
    double wide = difference(value, *point, by, point, 2e-5), narrow = difference(value, *point, by, point, 1e-5);
    double scale = fabs(narrow) + 1e-2;

    if (!(fabs(wide - narrow) < 1e-6 * scale) || scale > 1e6)
        return;
    if (isnan(derivative)) { /* of a side not taken, times 0 */
        undefined++;
        return;
    }
    compared++;
    assert_true(fabs(derivative - narrow) < 1e-4 * scale);
}

static void
check_gradient(const struct tree *tree, struct point *point, enum tree_gradient gradient)
{
    struct expression_program *value = compile_for(tree, CPU_VECTORS_128, TREE_VALUE);
    struct expression_program *all = compile_for(tree, cpu_vectors(), gradient);
    double values[1 + INPUTS + PARAMETERS], alone;
    double *by = gradient == TREE_GRADIENT_OF_SYMBOLS ? point->symbols : point->parameters;

    run_at(value, point, &alone);
    run_at(all, point, values);
    assert_true(same_bits(values[0], alone));
    for (size_t i = 0; isfinite(alone) && i + 1 < expression_program_result_count(all); i++)
        assert_derivative(value, point, &by[i], values[1 + i]);
    expression_program_free(value);
    expression_program_free(all);
}

static void
gradients_are_those_of_differences(void **state)
{
    uint64_t seed = 3;

    (void)state;
    compared = undefined = 0;
    for (int t = 0; t < 10 * TREES; t++) {
        struct tree tree = {.count = 0};
        struct point point;

        for (size_t i = 0; i < INPUTS; i++)
            point.symbols[i] = 0.5 + random_unit(&seed);
        for (size_t i = 0; i < PARAMETERS; i++)
            point.parameters[i] = 0.5 + random_unit(&seed);
        grow(&tree, 1 + (size_t)(random_next(&seed) % 6), OPCODE_TANH, &seed);
        /* steps have no derivative to compare with, and floor none that is true */
        for (size_t i = 0; i < tree.count; i++)
            if (tree.nodes[i].opcode == OPCODE_FLOOR)
                tree.nodes[i].opcode = OPCODE_COPY;
        check_gradient(&tree, &point, TREE_GRADIENT_OF_SYMBOLS);
        check_gradient(&tree, &point, TREE_GRADIENT_OF_PARAMETERS);
    }
    assert_true(compared > 5 * TREES && undefined < compared / 100);
}

/* ---- errors ---- */

static void
what_is_no_tree_is_refused(void **state)
{
    static const struct {
        struct tree_node nodes[3];
        size_t count;
    } wrong[] = {
        {{{OPCODE_NUMBER, 0, 1}}, 0},
        {{{OPCODE_ADD, 0, 0}}, 1},
        {{{OPCODE_NUMBER, 0, 1}, {OPCODE_ADD, 0, 0}}, 2},
        {{{OPCODE_NUMBER, 0, 1}, {OPCODE_NUMBER, 0, 1}}, 2},
        {{{OPCODE_SYMBOL, -1, 0}}, 1},
        {{{OPCODE_PARAMETER, 1 << 20, 0}}, 1},
        {{{(enum opcode)(OPCODE_NUMBER + 1), 0, 0}}, 1},
    };
    struct expression_program *program;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(expression_compile_tree(*state, wrong[i].nodes, wrong[i].count, TREE_VALUE, &program),
                         MEMMODEL_ERROR_INVALID_ARGUMENT);
}

static void
constants_are_computed_once(void **state)
{
    static const struct tree_node nodes[] = {
        {OPCODE_NUMBER, 0, 8}, {OPCODE_CUBE_ROOT, 0, 0}, {OPCODE_NUMBER, 0, 3}, {OPCODE_MULTIPLY, 0, 0}};
    struct expression_program *program;
    double value;

    assert_int_equal(expression_compile_tree(*state, nodes, 4, TREE_GRADIENT_OF_SYMBOLS, &program), 0);
    assert_int_equal(expression_program_result_count(program), 1);
    expression_program_run(program, NULL, &value);
    assert_true(value == 6);
    expression_program_free(program);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_widths_and_strides_have_the_same_bits),
        cmocka_unit_test(a_run_writes_its_rows_and_no_more),
        cmocka_unit_test(gradients_are_those_of_differences),
        cmocka_unit_test_setup_teardown(what_is_no_tree_is_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(constants_are_computed_once, context_setup, context_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
