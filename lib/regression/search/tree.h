/* Formulas under search: trees in postfix order, in fixed room, which a copy of bytes moves. */
#ifndef SEARCH_TREE_H
#define SEARCH_TREE_H

#include "expression/expression.h"
#include "expression/kernels.h"
#include "regression/linear/matrix.h"

enum { TREE_MAX_NODES = 48, TREE_MAX_NUMBERS = 6 };

enum { TREE_DIGITS = 7, TREE_MAX_DIGITS = 15, TREE_FRACTION = 999 }; /* of numbers in trees that are returned */

enum tree_operation {
    TREE_ADD,
    TREE_SUBTRACT,
    TREE_MULTIPLY,
    TREE_DIVIDE,
    TREE_MIN,
    TREE_MAX,
    TREE_UNARY,
    TREE_SQUARE = TREE_UNARY,
    TREE_ROOT,
    TREE_INVERSE,
    TREE_LOG,
    TREE_EXP,
    TREE_SIN,
    TREE_COS,
    TREE_TANH,
    TREE_LEAF,
    TREE_INPUT = TREE_LEAF, /* input `input` */
    TREE_NUMBER,            /* `number`, which is fitted */
};

struct tree_gene {
    uint8_t operation, input;
    bool held; /* a number that fits leave as it is */
    double number;
};

struct tree {
    size_t count;
    struct tree_gene genes[TREE_MAX_NODES];
};

static inline size_t
tree_operands(unsigned operation)
{
    return operation < TREE_UNARY ? 2 : operation < TREE_LEAF ? 1 : 0;
}

/*
 * sizes[i]: nodes of the subtree that ends with node i. Its last operand ends at i - 1, of two the first before that.
 */
void
tree_measure(const struct tree *tree, size_t *sizes);

static inline size_t
tree_first_operand(const size_t *sizes, size_t node)
{
    return node - 1 - sizes[node - 1];
}

/* What computes it; of one operand but squares and inverses both operands are the same. */
enum opcode
tree_opcode(unsigned operation);

/* It on columns, of one operand on the second. */
void
tree_apply(kernel run, unsigned operation, const double *first, const double *second, double *target, size_t rows);

/* The tree of that one leaf, or an operation on other trees; false if there is no room. */
struct tree
tree_input(size_t input);

struct tree
tree_number(double number);

bool
tree_join(struct tree *joined, unsigned operation, const struct tree *first, const struct tree *second);

/* Nodes first to end - 1 of `tree` become `other`: they are a subtree. false, and nothing done, if there is no room. */
bool
tree_replace(struct tree *tree, size_t first, size_t end, const struct tree_gene *other, size_t count);

size_t
tree_count_numbers(const struct tree *tree);

/*
 * One form for trees that mean the same, in place: sums and products are flattened, numbers in them folded into one, equal
 * terms and factors joined, what is left sorted; what coefficients of the whole formula make superfluous is dropped.
 */
void
tree_simplify(struct tree *tree);

/* ---- where a tree has values ---- */

/*
 * What the operation makes of any two numbers of the ranges, the second that of the last operand; false if it may
 * have a pole there, no value, or one whose square is infinite. It says what is worth a try; what is returned is
 * proven of its program (expression_range()), where errors of functions count. Logarithms, sines and cosines are
 * taken for wider than they are: of so many trees with them in denominators others would not be listed.
 */
bool
tree_join_ranges(unsigned operation, struct expression_range first, struct expression_range second,
                 struct expression_range *joined);

/* What a column fills. */
struct expression_range
tree_range_of(const double *column, size_t rows);

/* ---- what is known of it ---- */

struct structure;

/* Whether such an operation may be: none but whole powers, if that is known. */
bool
tree_has_operation(const struct structure *structure, unsigned operation);

/*
 * Whether it has such operations only, adds and compares like things, and is of the target's unit or a pure number; e^x,
 * sine, cosine and tanh never stand within each other. NULL: nothing is known.
 */
bool
tree_is_allowed(const struct structure *structure, const struct tree *tree);

/* ---- values ---- */

/* Rows, and room for the values of all nodes of a tree on them. */
struct tree_machine {
    memmodel_context *context;
    kernel kernel;
    size_t rows;
    const double *const *inputs;     /* a column of each */
    struct expression_range *domain; /* of each */
    double *values, *slopes;         /* of every node a column */
    const double *columns[TREE_MAX_NODES];
    size_t sizes[TREE_MAX_NODES];
};

struct tree_machine
tree_machine_new(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count);

/*
 * Whether the tree has a value, and no pole, wherever each input is between the least and the greatest of its column.
 */
bool
tree_is_sound(const struct tree_machine *machine, const struct tree *tree);

/* The tree's values, valid until the next run. */
const double *
tree_run(struct tree_machine *machine, const struct tree *tree);

/* After tree_run() of the same tree: slopes[k] becomes its derivative by its number k, a column. */
void
tree_differentiate(struct tree_machine *machine, const struct tree *tree, double *const *slopes);

/* ---- into formulas ---- */

/*
 * The same as an expression of the pool whose symbol i is input i. Numbers must be as tree_round_numbers() leaves
 * them.
 */
expression
tree_express(const struct tree *tree, struct expression_pool *pool);

/*
 * Every number to the nearest one of so many decimal digits, but for fractions of small numbers: what is printed is
 * what is meant. false if one is out of range.
 */
bool
tree_round_numbers(struct tree *tree, int digits);

#endif
