/*
 * Values of trees, and their derivatives by the numbers in them: node by node on all rows, by the evaluator's
 * kernels.
 */
#include "regression/search/tree.h"
#include "expression/range.h"

#include <math.h>

static const double largest = 1e150;                           /* beyond it a square is infinite */
static const double min_logarithm = -745, max_logarithm = 710; /* of any number */

struct tree_machine
tree_machine_new(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count)
{
    memmodel_context *context = workspace->arena.context;
    struct tree_machine machine = {
        .context = context,
        .kernel = kernel_for(context_vectors(context)),
        .rows = rows,
        .inputs = inputs,
        .values = workspace_take(workspace, rows, TREE_MAX_NODES * sizeof(double)),
        .slopes = workspace_take(workspace, rows, TREE_MAX_NODES * sizeof(double)),
        .domain = workspace_take(workspace, input_count, sizeof *machine.domain),
    };

    for (size_t i = 0; !workspace->status && i < input_count; i++)
        machine.domain[i] = tree_range_of(inputs[i], rows);
    return machine;
}

struct expression_range
tree_range_of(const double *column, size_t rows)
{
    struct expression_range range = {column[0], column[0]};

    for (size_t i = 1; i < rows; i++) {
        range.min = fmin(range.min, column[i]);
        range.max = fmax(range.max, column[i]);
    }
    return range;
}

/* As range_operate(); false, too, if a square of it might be infinite. */
static bool
join_ranges(unsigned operation, struct expression_range first, struct expression_range second,
            struct expression_range *joined)
{
    struct expression_range left = operation == TREE_INVERSE ? (struct expression_range){1, 1} : first;

    return range_operate(tree_opcode(operation), left, second, operation == TREE_SQUARE, joined) &&
           joined->min > -largest && joined->max < largest;
}

bool
tree_join_ranges(unsigned operation, struct expression_range first, struct expression_range second,
                 struct expression_range *joined)
{
    if (!join_ranges(operation, first, second, joined))
        return false;
    if (operation == TREE_LOG)
        *joined = (struct expression_range){second.min >= 1 ? 0 : min_logarithm, second.max <= 1 ? 0 : max_logarithm};
    else if (operation == TREE_SIN || operation == TREE_COS)
        *joined = (struct expression_range){-1, 1};
    return true;
}

bool
tree_is_sound(const struct tree_machine *machine, const struct tree *tree)
{
    struct expression_range stack[TREE_MAX_NODES];
    size_t height = 0;

    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_gene *gene = &tree->genes[i];
        size_t operands = tree_operands(gene->operation);

        if (operands == 0) {
            stack[height++] = gene->operation == TREE_INPUT ? machine->domain[gene->input]
                                                            : (struct expression_range){gene->number, gene->number};
            continue;
        }
        height -= operands - 1;
        if (!join_ranges(gene->operation, stack[height - 1], stack[height + operands - 2], &stack[height - 1]))
            return false;
    }
    return true;
}

enum opcode
tree_opcode(unsigned operation)
{
    static const enum opcode opcodes[] = {
        [TREE_ADD] = OPCODE_ADD,         [TREE_SUBTRACT] = OPCODE_SUBTRACT, [TREE_MULTIPLY] = OPCODE_MULTIPLY,
        [TREE_DIVIDE] = OPCODE_DIVIDE,   [TREE_MIN] = OPCODE_MIN,           [TREE_MAX] = OPCODE_MAX,
        [TREE_SQUARE] = OPCODE_MULTIPLY, [TREE_ROOT] = OPCODE_ROOT,         [TREE_INVERSE] = OPCODE_DIVIDE,
        [TREE_LOG] = OPCODE_LOG,         [TREE_EXP] = OPCODE_EXP,           [TREE_SIN] = OPCODE_SIN,
        [TREE_COS] = OPCODE_COS,         [TREE_TANH] = OPCODE_TANH,
    };

    return opcodes[operation];
}

void
tree_apply(kernel run, unsigned operation, const double *first, const double *second, double *target, size_t rows)
{
    static const double one = 1;
    struct kernel_work work = {tree_opcode(operation), {second, false}, {second, false}, target, rows};

    if (tree_operands(operation) > 1)
        work.left.at = first;
    else if (operation == TREE_INVERSE)
        work.left = (struct kernel_operand){&one, true};
    run(&work);
}

/* Of a number the column is that number; of an input there is one. */
static void
run_node(const struct tree_machine *machine, const struct tree_gene *gene, size_t i, double *target)
{
    size_t first = tree_operands(gene->operation) > 1 ? tree_first_operand(machine->sizes, i) : 0;

    if (gene->operation == TREE_NUMBER)
        for (size_t row = 0; row < machine->rows; row++)
            target[row] = gene->number;
    else
        tree_apply(machine->kernel, gene->operation, machine->columns[first], machine->columns[i - 1], target,
                   machine->rows);
}

const double *
tree_run(struct tree_machine *machine, const struct tree *tree)
{
    tree_measure(tree, machine->sizes);
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_gene *gene = &tree->genes[i];
        double *target = machine->values + i * machine->rows;

        if (gene->operation != TREE_INPUT)
            run_node(machine, gene, i, target);
        machine->columns[i] = gene->operation == TREE_INPUT ? machine->inputs[gene->input] : target;
    }
    return machine->columns[tree->count - 1];
}

/* ---- derivatives, from the root to the leaves ---- */

/* d(a operation b) / da and / db, in one row; value: what the operation gives */
static inline __attribute__((always_inline)) void
partials(unsigned operation, double a, double b, double value, double *by_a, double *by_b)
{
    *by_a = 1;
    *by_b = 1;
    switch (operation) {
    case TREE_SUBTRACT:
        *by_b = -1;
        break;
    case TREE_MULTIPLY:
        *by_a = b;
        *by_b = a;
        break;
    case TREE_DIVIDE:
        *by_a = 1 / b;
        *by_b = -value / b;
        break;
    case TREE_MIN:
        *by_a = a <= b;
        *by_b = a > b;
        break;
    case TREE_MAX:
        *by_a = a >= b;
        *by_b = a < b;
        break;
    case TREE_SQUARE:
        *by_b = 2 * b;
        break;
    case TREE_ROOT:
        *by_b = 0.5 / value;
        break;
    case TREE_INVERSE:
        *by_b = -value * value;
        break;
    case TREE_LOG:
        *by_b = 1 / b;
        break;
    case TREE_EXP:
        *by_b = value;
        break;
    case TREE_TANH:
        *by_b = 1 - value * value;
        break;
    default:
        break;
    }
}

/* Columns of one node: what it is made of, and derivatives by it and by these. */
struct passage {
    size_t rows;
    const double *a, *b, *value, *above;
    double *to_a, *to_b;
};

static inline __attribute__((always_inline)) void
pass_rows(const struct passage *at, unsigned operation)
{
    for (size_t row = 0; row < at->rows; row++) {
        double by_a, by_b, above = at->above[row];

        partials(operation, at->a[row], at->b[row], at->value[row], &by_a, &by_b);
        at->to_a[row] = above * by_a;
        at->to_b[row] = above * by_b;
    }
}

/* Of a sine or cosine, whose derivative takes a kernel. */
static void
pass_wave(const struct passage *at, kernel run, unsigned operation)
{
    double sign = operation == TREE_SIN ? 1 : -1;

    tree_apply(run, operation == TREE_SIN ? TREE_COS : TREE_SIN, at->b, at->b, at->to_b, at->rows);
    for (size_t row = 0; row < at->rows; row++)
        at->to_b[row] *= sign * at->above[row];
}

/* A loop of its own for each operation: none asks row by row which it is. */
static void
pass(const struct passage *at, kernel run, unsigned operation)
{
    switch (operation) {
    case TREE_ADD:
        pass_rows(at, TREE_ADD);
        break;
    case TREE_SUBTRACT:
        pass_rows(at, TREE_SUBTRACT);
        break;
    case TREE_MULTIPLY:
        pass_rows(at, TREE_MULTIPLY);
        break;
    case TREE_DIVIDE:
        pass_rows(at, TREE_DIVIDE);
        break;
    case TREE_SQUARE:
        pass_rows(at, TREE_SQUARE);
        break;
    case TREE_INVERSE:
        pass_rows(at, TREE_INVERSE);
        break;
    case TREE_EXP:
        pass_rows(at, TREE_EXP);
        break;
    case TREE_SIN:
    case TREE_COS:
        pass_wave(at, run, operation);
        break;
    default:
        pass_rows(at, operation);
    }
}

static void
pass_down(const struct tree_machine *machine, unsigned operation, size_t i)
{
    size_t rows = machine->rows, second = i - 1;
    size_t first = tree_operands(operation) > 1 ? tree_first_operand(machine->sizes, i) : second;

    pass(&(struct passage){rows, machine->columns[first], machine->columns[second], machine->columns[i],
                           machine->slopes + i * rows, machine->slopes + first * rows, machine->slopes + second * rows},
         machine->kernel, operation);
}

/* Which nodes have a number below them. */
static void
mark_numbers(const struct tree_machine *machine, const struct tree *tree, bool *marks)
{
    for (size_t i = 0; i < tree->count; i++) {
        size_t operands = tree_operands(tree->genes[i].operation);

        marks[i] = tree->genes[i].operation == TREE_NUMBER || (operands > 0 && marks[i - 1]) ||
                   (operands > 1 && marks[tree_first_operand(machine->sizes, i)]);
    }
}

void
tree_differentiate(struct tree_machine *machine, const struct tree *tree, double *const *slopes)
{
    bool marks[TREE_MAX_NODES];
    size_t rows = machine->rows, number = tree_count_numbers(tree);

    mark_numbers(machine, tree, marks);
    for (size_t row = 0; row < rows; row++)
        machine->slopes[(tree->count - 1) * rows + row] = 1;
    for (size_t i = tree->count; i-- > 0;) {
        unsigned operation = tree->genes[i].operation;

        if (!marks[i])
            continue;
        if (operation != TREE_NUMBER)
            pass_down(machine, operation, i);
        else if (slopes[--number] != NULL)
            for (size_t row = 0; row < rows; row++)
                slopes[number][row] = machine->slopes[i * rows + row];
    }
}
