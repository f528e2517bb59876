/* The machine that runs programs, on one point or on blocks of rows with the same operations. */
#include "expression/program.h"

enum {
    BLOCK_DOUBLES = 4096, /* 32 KB: what the nearest cache holds */
    BLOCK_LANES = 128,    /* more make a block's columns leave it */
    LANE_GROUP = 8,       /* the widest vector */
};

/* ---- one point ---- */

static double
apply(enum opcode opcode, double left, double right)
{
    switch (opcode) {
    case OPCODE_ADD:
        return left + right;
    case OPCODE_SUBTRACT:
        return left - right;
    case OPCODE_MULTIPLY:
        return left * right;
    case OPCODE_DIVIDE:
        return left / right;
    case OPCODE_COPY:
        return left;
    default:
        return kernel_point(opcode, left, right);
    }
}

/* The last value is at hand: to wait until it can be read again would take longer than to compute with it. */
void
expression_program_run(const struct expression_program *program, const double *symbols, double *results)
{
    double registers[REGISTER_LIMIT], value = 0;
    double *const targets[] = {[PLACE_REGISTER] = registers, [PLACE_RESULT] = results};
    const double *const places[PLACE_COUNT] = {registers, results, symbols, program->numbers};
    operand last = -1;

    for (size_t k = 0; k < program->count; k++) {
        const struct instruction *instruction = &program->instructions[k];
        operand left = instruction->left, right = instruction->right;
        double a = left == last ? value : places[operand_place(left)][operand_index(left)];
        double b = right == last ? value : places[operand_place(right)][operand_index(right)];

        last = instruction->target;
        value = apply(instruction->opcode, a, b);
        targets[operand_place(last)][operand_index(last)] = value;
    }
}

/* ---- blocks of rows ---- */

/* `lanes` rows from `row` on. `spare`: two columns for symbols whose rows are apart, and one for each such result. */
struct block {
    const struct expression_program *program;
    const struct expression_rows *rows;
    double *registers, *spare;
    size_t row, lanes, pitch;
};

static ptrdiff_t
stride_of(const ptrdiff_t *strides, size_t index)
{
    return strides ? strides[index] : 1;
}

static const double *
gather(const struct block *block, size_t symbol, ptrdiff_t stride, size_t side)
{
    const double *from = block->rows->columns[symbol] + (ptrdiff_t)block->row * stride;
    double *to = block->spare + side * block->pitch;

    for (size_t i = 0; i < block->lanes; i++)
        to[i] = from[(ptrdiff_t)i * stride];
    return to;
}

static double *
result_column(const struct block *block, size_t result)
{
    if (stride_of(block->rows->result_strides, result) == 1)
        return block->rows->results[result] + block->row;
    return block->spare + (2 + result) * block->pitch;
}

/* side: 0 of the left operand, 1 of the right one */
static struct kernel_operand
find(const struct block *block, operand of, size_t side)
{
    size_t index = operand_index(of);
    ptrdiff_t stride;

    switch (operand_place(of)) {
    case PLACE_REGISTER:
        return (struct kernel_operand){block->registers + index * block->pitch, false};
    case PLACE_RESULT:
        return (struct kernel_operand){result_column(block, index), false};
    case PLACE_SYMBOL:
        stride = stride_of(block->rows->strides, index);
        if (stride != 1)
            return (struct kernel_operand){gather(block, index, stride, side), false};
        return (struct kernel_operand){block->rows->columns[index] + block->row, false};
    default:
        return (struct kernel_operand){block->program->numbers + index, true};
    }
}

static void
scatter_results(const struct block *block)
{
    for (size_t r = 0; r < block->program->result_count; r++) {
        ptrdiff_t stride = stride_of(block->rows->result_strides, r);
        double *to = block->rows->results[r] + (ptrdiff_t)block->row * stride;
        const double *from = result_column(block, r);

        for (size_t i = 0; stride != 1 && i < block->lanes; i++)
            to[(ptrdiff_t)i * stride] = from[i];
    }
}

static void
run_block(const struct block *block)
{
    const struct expression_program *program = block->program;

    for (size_t k = 0; k < program->count; k++) {
        const struct instruction *instruction = &program->instructions[k];
        size_t target = operand_index(instruction->target);
        struct kernel_work work = {
            .opcode = instruction->opcode,
            .left = find(block, instruction->left, 0),
            .right = find(block, instruction->right, instruction->right != instruction->left),
            .target = operand_place(instruction->target) == PLACE_RESULT ? result_column(block, target)
                                                                         : block->registers + target * block->pitch,
            .lanes = block->lanes,
        };

        program->kernel(&work);
    }
    if (block->rows->result_strides)
        scatter_results(block);
}

/* Whole vectors, as many as fit with a column for each of `columns` values. */
static size_t
lanes_for(size_t columns)
{
    size_t lanes = columns ? BLOCK_DOUBLES / columns : BLOCK_LANES;

    if (lanes > BLOCK_LANES)
        return BLOCK_LANES;
    return lanes < LANE_GROUP ? lanes : lanes / LANE_GROUP * LANE_GROUP;
}

void
expression_program_run_rows(const struct expression_program *program, const struct expression_rows *rows)
{
    _Alignas(64) double memory[BLOCK_DOUBLES];
    size_t spare = (rows->strides ? 2 : 0) + (rows->result_strides ? 2 + program->result_count : 0);
    struct block block = {.program = program, .rows = rows, .registers = memory};

    block.pitch = lanes_for(program->registers + spare);
    block.spare = memory + program->registers * block.pitch;
    for (; block.row < rows->points; block.row += block.pitch) {
        block.lanes = rows->points - block.row < block.pitch ? rows->points - block.row : block.pitch;
        run_block(&block);
    }
}

void
expression_program_run_block(const struct expression_program *program, const double *const *columns, size_t points,
                             double *const *results)
{
    expression_program_run_rows(program,
                                &(struct expression_rows){.columns = columns, .results = results, .points = points});
}
