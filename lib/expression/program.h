/* A compiled expression: what the compilers write and the machine runs. */
#ifndef EXPRESSION_PROGRAM_H
#define EXPRESSION_PROGRAM_H

#include "base/context.h"
#include "expression/expression.h"
#include "expression/kernels.h"

enum { REGISTER_LIMIT = 1024 }; /* a run keeps them on its stack */

/* Where an operand is. A program being written has values, each of the instruction of that index, for registers. */
enum place { PLACE_REGISTER, PLACE_RESULT, PLACE_SYMBOL, PLACE_NUMBER, PLACE_COUNT };

/* An index into a place, in one number. */
typedef int32_t operand;

static inline operand
operand_at(enum place place, size_t index)
{
    return (operand)(index << 3) | (operand)place;
}

static inline enum place
operand_place(operand of)
{
    return (enum place)(of & 7);
}

static inline size_t
operand_index(operand of)
{
    return (size_t)of >> 3;
}

/* target = left opcode right; where there is one operand both are it. The target is a register or a result. */
struct instruction {
    enum opcode opcode;
    operand target, left, right;
};

struct expression_program {
    memmodel_context *context;
    kernel kernel;
    struct instruction *instructions;
    double *numbers;
    operand *results; /* while it is written: what becomes result r */
    size_t count, capacity;
    size_t number_count, number_capacity;
    size_t result_count, result_capacity;
    size_t registers;
    int status; /* of the first step that failed: the following ones do nothing */
};

/* ---- writing a program (program_write.c) ---- */

int
program_new(memmodel_context *context, struct expression_program **program);

/* Operands that are all numbers are computed now; what was computed shortly before is reused. */
operand
program_emit(struct expression_program *program, enum opcode opcode, operand left, operand right);

operand
program_number(struct expression_program *program, double number);

/* The next result. */
void
program_result(struct expression_program *program, operand value);

/*
 * Drops what no result needs, and gives each value a register that is free for as long as the value is used, or its
 * result (program_registers.c). Frees the program on error.
 */
int
program_finish(struct expression_program *program, struct expression_program **finished);

#endif
