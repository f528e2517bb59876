/* Programs from trees in postfix order, as they stand: nothing is reordered, so that every operation is reached with any operand. */
#ifndef TREE_PROGRAM_H
#define TREE_PROGRAM_H

#include "expression/program.h"

/* What a node is beside an operation. */
enum { LEAF_SYMBOL = OPCODE_OPERATIONS, LEAF_NUMBER };

/* After its operands. */
struct tree_node {
    int kind; /* enum opcode, or a leaf */
    int32_t index;
    double number;
};

static inline operand
tree_leaf(struct expression_program *program, const struct tree_node *node)
{
    return node->kind == LEAF_SYMBOL ? operand_at(PLACE_SYMBOL, (size_t)node->index)
                                     : program_number(program, node->number);
}

/* One result. 0, or what program_finish() returns. */
static inline int
tree_compile(memmodel_context *context, const struct tree_node *nodes, size_t count,
             struct expression_program **program)
{
    enum { MAX_NODES = 1024 };
    struct expression_program *new;
    operand stack[MAX_NODES];
    size_t top = 0;
    int status = program_new(context, &new);

    for (size_t i = 0; !status && i < count; i++) {
        if (nodes[i].kind >= OPCODE_OPERATIONS) {
            stack[top++] = tree_leaf(new, &nodes[i]);
        } else if (nodes[i].kind >= OPCODE_COPY) {
            stack[top - 1] = program_emit(new, (enum opcode)nodes[i].kind, stack[top - 1], stack[top - 1]);
        } else {
            top--;
            stack[top - 1] = program_emit(new, (enum opcode)nodes[i].kind, stack[top - 1], stack[top]);
        }
    }
    if (status)
        return status;
    program_result(new, stack[0]);
    return program_finish(new, program);
}

#endif
