/*
 * Derivatives of a program's value, as more instructions of the same program: from the last instruction to the first, each
 * hands its own derivative on to its operands (reverse accumulation). One run then gives the value and all of them.
 */
#include "expression/program.h"

/* adjoints[v]: the derivative of the result by value v; sums[i]: by symbol or parameter i. Operands, or NOTHING yet. */
struct reversal {
    struct expression_program *program;
    enum place place;
    operand *adjoints, *sums;
};

static const operand NOTHING = -1;

static operand
number(struct reversal *reversal, double value)
{
    return program_number(reversal->program, value);
}

/* An operation that leaves out multiplications by 1. */
static operand
emit(struct reversal *reversal, enum opcode opcode, operand left, operand right)
{
    if (opcode == OPCODE_MULTIPLY && left == number(reversal, 1))
        return right;
    if (opcode == OPCODE_MULTIPLY && right == number(reversal, 1))
        return left;
    return program_emit(reversal->program, opcode, left, right);
}

static operand
multiply(struct reversal *reversal, operand left, operand right)
{
    return emit(reversal, OPCODE_MULTIPLY, left, right);
}

static operand
divide(struct reversal *reversal, operand left, operand right)
{
    return emit(reversal, OPCODE_DIVIDE, left, right);
}

static operand
negative(struct reversal *reversal, operand of)
{
    return emit(reversal, OPCODE_MULTIPLY, number(reversal, -1), of);
}

/* Where the derivative by that operand is summed; NULL if nobody asks for it. */
static operand *
sum_of(struct reversal *reversal, operand of)
{
    if (operand_place(of) == PLACE_REGISTER)
        return &reversal->adjoints[operand_index(of)];
    return operand_place(of) == reversal->place ? &reversal->sums[operand_index(of)] : NULL;
}

static void
add_to(struct reversal *reversal, operand to, operand derivative)
{
    operand *sum = sum_of(reversal, to);

    if (sum)
        *sum = *sum == NOTHING ? derivative : emit(reversal, OPCODE_ADD, *sum, derivative);
}

/* ---- one operation: `own` is the derivative by its value ---- */

static void
hand_on_power(struct reversal *reversal, const struct instruction *of, operand own)
{
    operand less = emit(reversal, OPCODE_SUBTRACT, of->right, number(reversal, 1));
    operand slope = multiply(reversal, of->right, emit(reversal, OPCODE_POWER, of->left, less));
    operand zero = emit(reversal, OPCODE_EQUAL, of->left, number(reversal, 0));
    operand base = emit(reversal, OPCODE_ADD, of->left, zero); /* a power of 0 stays 0 */
    operand growth = multiply(reversal, of->target, emit(reversal, OPCODE_LOG, base, base));

    add_to(reversal, of->left, multiply(reversal, own, slope));
    add_to(reversal, of->right, multiply(reversal, own, growth));
}

/* Of equal operands the left one is taken; of one that is no number the other. */
static void
hand_on_extreme(struct reversal *reversal, const struct instruction *of, operand own)
{
    operand taken = emit(reversal, OPCODE_EQUAL, of->target, of->left);

    add_to(reversal, of->left, multiply(reversal, own, taken));
    add_to(reversal, of->right, multiply(reversal, own, emit(reversal, OPCODE_SUBTRACT, number(reversal, 1), taken)));
}

static void
hand_on_cube_root(struct reversal *reversal, const struct instruction *of, operand own)
{
    operand square = multiply(reversal, of->target, of->target);

    add_to(reversal, of->left, divide(reversal, own, multiply(reversal, number(reversal, 3), square)));
}

static void
hand_on_quotient(struct reversal *reversal, const struct instruction *of, operand own)
{
    operand slope = divide(reversal, own, of->right);

    add_to(reversal, of->left, slope);
    add_to(reversal, of->right, negative(reversal, multiply(reversal, slope, of->target)));
}

static void
hand_on_tanh(struct reversal *reversal, const struct instruction *of, operand own)
{
    operand square = multiply(reversal, of->target, of->target);

    add_to(reversal, of->left, multiply(reversal, own, emit(reversal, OPCODE_SUBTRACT, number(reversal, 1), square)));
}

static void
hand_on(struct reversal *reversal, const struct instruction *of, operand own)
{
    switch (of->opcode) {
    case OPCODE_ADD:
        add_to(reversal, of->left, own);
        add_to(reversal, of->right, own);
        break;
    case OPCODE_SUBTRACT:
        add_to(reversal, of->left, own);
        add_to(reversal, of->right, negative(reversal, own));
        break;
    case OPCODE_MULTIPLY:
        add_to(reversal, of->left, multiply(reversal, own, of->right));
        add_to(reversal, of->right, multiply(reversal, own, of->left));
        break;
    case OPCODE_DIVIDE:
        hand_on_quotient(reversal, of, own);
        break;
    case OPCODE_MAX:
    case OPCODE_MIN:
    case OPCODE_AT_LEAST:
    case OPCODE_AT_MOST:
        hand_on_extreme(reversal, of, own);
        break;
    case OPCODE_POWER:
        hand_on_power(reversal, of, own);
        break;
    case OPCODE_COPY:
    case OPCODE_FLOOR:
        add_to(reversal, of->left, own);
        break;
    case OPCODE_ROOT:
        add_to(reversal, of->left, divide(reversal, own, multiply(reversal, number(reversal, 2), of->target)));
        break;
    case OPCODE_CUBE_ROOT:
        hand_on_cube_root(reversal, of, own);
        break;
    case OPCODE_EXP:
        add_to(reversal, of->left, multiply(reversal, own, of->target));
        break;
    case OPCODE_LOG:
        add_to(reversal, of->left, divide(reversal, own, of->left));
        break;
    case OPCODE_SIN:
        add_to(reversal, of->left, multiply(reversal, own, emit(reversal, OPCODE_COS, of->left, of->left)));
        break;
    case OPCODE_COS:
        add_to(reversal, of->left,
               negative(reversal, multiply(reversal, own, emit(reversal, OPCODE_SIN, of->left, of->left))));
        break;
    case OPCODE_TANH:
        hand_on_tanh(reversal, of, own);
        break;
    default:
        break;
    }
}

/* ---- the whole program ---- */

/* The value is an instruction's, or it is a symbol or number itself. */
static void
reverse(struct reversal *reversal, size_t values)
{
    struct expression_program *program = reversal->program;

    add_to(reversal, program->results[0], number(reversal, 1));
    for (size_t i = values; i-- > 0 && !program->status;) {
        struct instruction instruction = program->instructions[i];

        if (reversal->adjoints[i] != NOTHING)
            hand_on(reversal, &instruction, reversal->adjoints[i]);
    }
}

static void
fill_nothing(operand *operands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        operands[i] = NOTHING;
}

void
program_gradient(struct expression_program *program, enum place place)
{
    size_t values = program->count, count = place == PLACE_SYMBOL ? program->symbols : program->parameters;
    struct reversal reversal = {.program = program, .place = place};

    if (program->status)
        return;
    reversal.adjoints = memory_allocate(program->context, values * sizeof *reversal.adjoints);
    reversal.sums = memory_allocate(program->context, count * sizeof *reversal.sums);
    if (reversal.adjoints && reversal.sums) {
        fill_nothing(reversal.adjoints, values);
        fill_nothing(reversal.sums, count);
        reverse(&reversal, values);
        for (size_t i = 0; i < count; i++)
            program_result(program, reversal.sums[i] == NOTHING ? number(&reversal, 0) : reversal.sums[i]);
    } else {
        program->status = MEMMODEL_ERROR_NO_MEMORY;
    }
    memory_release(program->context, reversal.adjoints);
    memory_release(program->context, reversal.sums);
}
