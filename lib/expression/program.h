/* A compiled expression: what the compiler hands to the machine that runs it. */
#ifndef EXPRESSION_PROGRAM_H
#define EXPRESSION_PROGRAM_H

#include "base/context.h"
#include "expression/expression.h"

enum opcode {
    OP_NUMBER,   /* target = number */
    OP_ADD,      /* target = left + right */
    OP_MULTIPLY, /* target = left * right */
    OP_DIVIDE,   /* target = left / right */
    OP_MAX,      /* target = fmax(left, right) */
    OP_MIN,      /* target = fmin(left, right) */
    OP_EQUAL,    /* target = left == right */
    OP_FLOOR,    /* target = floor(left) */
    OP_LOG,      /* target = log(left) */
    OP_ROOT,     /* target = sqrt(left) */
    OP_POWER,    /* target = pow(left, number) */
    OP_RESULT,   /* results[target] = left */
};

enum { REGISTER_LIMIT = 1024 }; /* run() keeps them on its stack */

/* An operand is a register, or symbol s as -1 - s. */
struct instruction {
    enum opcode opcode;
    int32_t target, left, right;
    double number;
};

struct expression_program {
    memmodel_context *context;
    struct instruction *instructions;
    size_t count, capacity;
    size_t registers;
};

static inline bool
opcode_reads_left(enum opcode opcode)
{
    return opcode != OP_NUMBER;
}

static inline bool
opcode_reads_right(enum opcode opcode)
{
    return opcode >= OP_ADD && opcode <= OP_EQUAL;
}

/*
 * Gives each value of a program in which every target is new a register that is free for as long as the value is
 * used.
 */
int
program_assign_registers(struct expression_program *program);

#endif
