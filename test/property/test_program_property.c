/* Trees as a search makes them: what one row gives, many give on vectors of every width, wherever the columns lie. */
#include "random_expression.h"
#include "tree_program.h"

#include "expression/kernels.h"

#include <string.h>

enum { TREES = 400, MAX_NODES = 63, INPUTS = 3, ROWS = 333, APART = 3 };

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
add_node(struct tree *tree, int kind, int64_t index, double number)
{
    tree->nodes[tree->count++] = (struct tree_node){kind, (int32_t)index, number};
}

static void
add_leaf(struct tree *tree, uint64_t *state)
{
    if (random_next(state) % 2)
        add_node(tree, LEAF_NUMBER, 0, 2 * random_unit(state) - 1);
    else
        add_node(tree, LEAF_SYMBOL, random_between(state, 0, INPUTS - 1), 0);
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
        add_node(tree, opcode < OPCODE_COPY ? (int)opcode : OPCODE_ADD, 0, 0);
    }
    if (opcode >= OPCODE_COPY)
        add_node(tree, (int)opcode, 0, 0);
}

static struct expression_program *
compile_for(const struct tree *tree, enum cpu_vectors width)
{
    struct expression_program *program;
    memmodel_context *context;

    assert_int_equal(memmodel_context_new(NULL, &context), 0);
    context_limit_vectors(context, width);
    assert_int_equal(tree_compile(context, tree->nodes, tree->count, &program), 0);
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
value_of_row(const struct expression_program *program, int row)
{
    const double *const inputs[INPUTS] = {&table[row * APART], &table[row * APART + 1], &table[row * APART + 2]};
    double value;

    expression_program_run_rows(program, &(struct expression_rows){inputs, NULL, (double *[]){&value}, NULL, 1});
    return value;
}

/* Columns that begin at odd addresses, and columns of a table of rows with results two doubles apart. */
static void
run_both_ways(const struct expression_program *program)
{
    const ptrdiff_t strides[INPUTS] = {APART, APART, APART}, result_strides[] = {2};

    expression_program_run_rows(program,
                                &(struct expression_rows){
                                    .columns = (const double *[]){&columns[0][1], &columns[1][1], &columns[2][1]},
                                    .results = (double *[]){&results[0][1]},
                                    .points = ROWS,
                                });
    expression_program_run_rows(program, &(struct expression_rows){
                                             .columns = (const double *[]){table, table + 1, table + 2},
                                             .strides = strides,
                                             .results = (double *[]){spread},
                                             .result_strides = result_strides,
                                             .points = ROWS,
                                         });
}

static void
rows_and_widths_and_strides_have_the_same_bits(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int t = 0; t < TREES; t++) {
        struct tree tree = {.count = 0};
        struct expression_program *narrow;

        grow(&tree, 1 + (size_t)(random_next(&seed) % 16), OPCODE_TANH, &seed);
        fill_table(&seed);
        narrow = compile_for(&tree, CPU_VECTORS_128);
        for (enum cpu_vectors width = CPU_VECTORS_128; width <= cpu_vectors(); width++) {
            struct expression_program *wide = compile_for(&tree, width);

            run_both_ways(wide);
            for (int row = 0; row < ROWS; row++) {
                double value = value_of_row(narrow, row);

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
    struct tree tree = {{{LEAF_SYMBOL, 0, 0}, {OPCODE_LOG, 0, 0}}, 2};
    struct expression_program *program = compile_for(&tree, cpu_vectors());
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

/* ---- constants ---- */

static void
constants_are_computed_once(void **state)
{
    static const struct tree_node nodes[] = {
        {LEAF_NUMBER, 0, 8}, {OPCODE_CUBE_ROOT, 0, 0}, {LEAF_NUMBER, 0, 3}, {OPCODE_MULTIPLY, 0, 0}};
    struct expression_program *program;
    double value;

    assert_int_equal(tree_compile(*state, nodes, 4, &program), 0);
    assert_int_equal(expression_program_size(program), 1);
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
        cmocka_unit_test_setup_teardown(constants_are_computed_once, context_setup, context_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
