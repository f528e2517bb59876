/* From trees in postfix order to programs, as they stand. */
#include "expression/program.h"

enum { NOT_AN_OPERATION = 0, ONE_OPERAND, TWO_OPERANDS };

/* Values whose operation is still to come. */
struct stack {
    operand *values;
    size_t count;
};

static size_t
operands_of(enum opcode opcode)
{
    return opcode < OPCODE_COPY ? TWO_OPERANDS : opcode < OPCODE_OPERATIONS ? ONE_OPERAND : NOT_AN_OPERATION;
}

static operand
leaf(struct expression_program *program, const struct tree_node *node)
{
    switch (node->opcode) {
    case OPCODE_SYMBOL:
        return program_symbol(program, (size_t)node->index);
    case OPCODE_PARAMETER:
        return program_parameter(program, (size_t)node->index);
    default:
        return program_number(program, node->number);
    }
}

static bool
is_valid(const struct stack *stack, const struct tree_node *node)
{
    bool indexed = node->opcode == OPCODE_SYMBOL || node->opcode == OPCODE_PARAMETER;

    return node->opcode <= OPCODE_NUMBER && (!indexed || (node->index >= 0 && node->index < REGISTER_LIMIT)) &&
           stack->count >= operands_of(node->opcode);
}

static void
compile_node(struct expression_program *program, struct stack *stack, const struct tree_node *node)
{
    size_t operands = operands_of(node->opcode);
    operand left, right, value;

    if (operands == NOT_AN_OPERATION) {
        value = leaf(program, node);
    } else {
        right = stack->values[stack->count - 1];
        left = stack->values[stack->count - operands];
        value = program_emit(program, node->opcode, left, right);
    }
    stack->count -= operands;
    stack->values[stack->count++] = value;
}

static int
compile_nodes(struct expression_program *program, struct stack *stack, const struct tree_node *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_valid(stack, &nodes[i]))
            return context_error(program->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                                 "node %zu of a tree is unknown, or has too few operands before it", i);
        compile_node(program, stack, &nodes[i]);
    }
    if (stack->count != 1)
        return context_error(program->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "a tree's nodes leave %zu values, not one", stack->count);
    return 0;
}

int
expression_compile_tree(memmodel_context *context, const struct tree_node *nodes, size_t count,
                        enum tree_gradient gradient, struct expression_program **program)
{
    struct stack stack = {.values = memory_allocate_zeroed(context, count, sizeof *stack.values)};
    struct expression_program *new;
    int status = stack.values ? program_new(context, &new) : MEMMODEL_ERROR_NO_MEMORY;

    if (status) {
        memory_release(context, stack.values);
        return status;
    }
    new->status = compile_nodes(new, &stack, nodes, count);
    if (!new->status)
        program_result(new, stack.values[0]);
    memory_release(context, stack.values);
    if (gradient != TREE_VALUE)
        program_gradient(new, gradient == TREE_GRADIENT_OF_SYMBOLS ? PLACE_SYMBOL : PLACE_PARAMETER);
    return program_finish(new, program);
}
