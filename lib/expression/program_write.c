/* Programs while they are written: one instruction for each value, constants folded. */
#include "expression/program.h"

#include <string.h>

enum { NUMBERS_COMPARED = 32, INSTRUCTIONS_COMPARED = 32 }; /* of the last ones, to find one again */

int
program_new(memmodel_context *context, struct expression_program **program)
{
    struct expression_program *new = memory_allocate_zeroed(context, 1, sizeof *new);

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    new->context = memmodel_context_ref(context);
    new->kernel = kernel_for(context_vectors(context));
    *program = new;
    return 0;
}

void
expression_program_free(struct expression_program *program)
{
    memmodel_context *context;

    if (!program)
        return;
    context = program->context;
    memory_release(context, program->instructions);
    memory_release(context, program->numbers);
    memory_release(context, program->results);
    memory_release(context, program);
    memmodel_context_unref(context);
}

/* ---- operands ---- */

static bool
same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

operand
program_number(struct expression_program *program, double number)
{
    size_t count = program->number_count;

    for (size_t back = 1; back <= count && back <= NUMBERS_COMPARED; back++)
        if (same_bits(program->numbers[count - back], number))
            return operand_at(PLACE_NUMBER, count - back);
    if (!program->status)
        program->status = array_reserve(program->context, &program->numbers, &program->number_capacity, count + 1,
                                        sizeof *program->numbers);
    if (program->status)
        return 0;
    program->numbers[program->number_count++] = number;
    return operand_at(PLACE_NUMBER, count);
}

void
program_result(struct expression_program *program, operand value)
{
    if (!program->status)
        program->status = array_reserve(program->context, &program->results, &program->result_capacity,
                                        program->result_count + 1, sizeof *program->results);
    if (!program->status)
        program->results[program->result_count++] = value;
}

/* ---- operations ---- */

static bool
is_number(operand of)
{
    return operand_place(of) == PLACE_NUMBER;
}

/* The value of an instruction that is there already, or -1. */
static operand
find_again(const struct expression_program *program, enum opcode opcode, operand left, operand right)
{
    size_t count = program->count;

    for (size_t back = 1; back <= count && back <= INSTRUCTIONS_COMPARED; back++) {
        const struct instruction *instruction = &program->instructions[count - back];

        if (instruction->opcode == opcode && instruction->left == left && instruction->right == right)
            return instruction->target;
    }
    return -1;
}

operand
program_emit(struct expression_program *program, enum opcode opcode, operand left, operand right)
{
    operand again = find_again(program, opcode, left, right);

    if (again >= 0)
        return again;
    if (!program->status)
        program->status = array_reserve(program->context, &program->instructions, &program->capacity,
                                        program->count + 1, sizeof *program->instructions);
    if (program->status)
        return 0;
    if (is_number(left) && is_number(right))
        return program_number(program, kernel_point(opcode, program->numbers[operand_index(left)],
                                                    program->numbers[operand_index(right)]));
    program->instructions[program->count] =
        (struct instruction){opcode, operand_at(PLACE_REGISTER, program->count), left, right};
    return operand_at(PLACE_REGISTER, program->count++);
}
