/* The machine that runs programs, on one point or on blocks of them with the same operations. */
#include "expression/program.h"

#include <math.h>

enum { BLOCK_DOUBLES = 4 * REGISTER_LIMIT, BLOCK_LANES = 128 };

/* Where a run finds its symbols: one point's numbers, or columns from a row on. */
struct input {
    const double *symbols;
    const double *const *columns;
    size_t row;
};

static const double *
operand(const struct input *input, const double *registers, size_t lanes, int32_t index)
{
    if (index >= 0)
        return registers + (size_t)index * lanes;
    return input->columns ? input->columns[-1 - index] + input->row : input->symbols + (-1 - index);
}

#define EACH_LANE(value)                                                                                               \
    for (size_t i = 0; i < lanes; i++)                                                                                 \
    target[i] = (value)

static void
execute(const struct instruction *instruction, const double *left, const double *right, double *target, size_t lanes)
{
    double number = instruction->number;

    switch (instruction->opcode) {
    case OP_NUMBER:
        EACH_LANE(number);
        break;
    case OP_ADD:
        EACH_LANE(left[i] + right[i]);
        break;
    case OP_MULTIPLY:
        EACH_LANE(left[i] * right[i]);
        break;
    case OP_DIVIDE:
        EACH_LANE(left[i] / right[i]);
        break;
    case OP_MAX:
        EACH_LANE(fmax(left[i], right[i]));
        break;
    case OP_MIN:
        EACH_LANE(fmin(left[i], right[i]));
        break;
    case OP_EQUAL:
        EACH_LANE(left[i] == right[i]);
        break;
    case OP_FLOOR:
        EACH_LANE(floor(left[i]));
        break;
    case OP_LOG:
        EACH_LANE(log(left[i]));
        break;
    case OP_ROOT:
        EACH_LANE(sqrt(left[i]));
        break;
    case OP_POWER:
        EACH_LANE(pow(left[i], number));
        break;
    case OP_RESULT:
        EACH_LANE(left[i]);
        break;
    }
}

static void
run(const struct expression_program *program, const struct input *input, double *registers, size_t lanes,
    double *const *columns, double *results)
{
    for (size_t k = 0; k < program->count; k++) {
        const struct instruction *instruction = &program->instructions[k];
        const double *left = NULL, *right = NULL;
        double *target;

        if (opcode_reads_left(instruction->opcode))
            left = operand(input, registers, lanes, instruction->left);
        if (opcode_reads_right(instruction->opcode))
            right = operand(input, registers, lanes, instruction->right);
        if (instruction->opcode != OP_RESULT)
            target = registers + (size_t)instruction->target * lanes;
        else
            target = columns ? columns[instruction->target] + input->row : results + instruction->target;
        execute(instruction, left, right, target, lanes);
    }
}

void
expression_program_run(const struct expression_program *program, const double *symbols, double *results)
{
    double registers[REGISTER_LIMIT];

    run(program, &(struct input){.symbols = symbols}, registers, 1, NULL, results);
}

void
expression_program_run_block(const struct expression_program *program, const double *const *columns, size_t points,
                             double *const *results)
{
    double registers[BLOCK_DOUBLES];
    size_t lanes = program->registers ? BLOCK_DOUBLES / program->registers : BLOCK_LANES;

    if (lanes > BLOCK_LANES)
        lanes = BLOCK_LANES;
    for (size_t row = 0; row < points; row += lanes)
        run(program, &(struct input){.columns = columns, .row = row}, registers,
            points - row < lanes ? points - row : lanes, results, NULL);
}
