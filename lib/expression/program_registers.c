/* Registers for a program's values: one is used again when the last use of its value is past. */
#include "expression/program.h"

struct assignment {
    size_t *last_use;   /* of each value: index of the instruction */
    int32_t *registers; /* of each value */
    int32_t *free;      /* registers that were given back */
    size_t free_count, used;
};

static void
note_use(struct assignment *assignment, int32_t operand, size_t at)
{
    if (operand >= 0)
        assignment->last_use[operand] = at;
}

static void
find_last_uses(struct assignment *assignment, const struct expression_program *program)
{
    for (size_t i = 0; i < program->count; i++) {
        const struct instruction *instruction = &program->instructions[i];

        if (instruction->opcode != OP_RESULT)
            note_use(assignment, instruction->target, i);
        if (opcode_reads_left(instruction->opcode))
            note_use(assignment, instruction->left, i);
        if (opcode_reads_right(instruction->opcode))
            note_use(assignment, instruction->right, i);
    }
}

/* The operand's register, given back if this is its last use. */
static int32_t
read_operand(struct assignment *assignment, int32_t operand, size_t at)
{
    int32_t reg;

    if (operand < 0)
        return operand;
    reg = assignment->registers[operand];
    if (assignment->last_use[operand] == at) {
        assignment->free[assignment->free_count++] = reg;
        assignment->last_use[operand] = SIZE_MAX; /* given back once, though it may be both operands */
    }
    return reg;
}

static int32_t
new_register(struct assignment *assignment, int32_t value, size_t at)
{
    int32_t reg = assignment->free_count ? assignment->free[--assignment->free_count] : (int32_t)assignment->used++;

    assignment->registers[value] = reg;
    if (assignment->last_use[value] == at)
        assignment->free[assignment->free_count++] = reg; /* never read */
    return reg;
}

static void
assign(struct assignment *assignment, struct expression_program *program)
{
    for (size_t i = 0; i < program->count; i++) {
        struct instruction *instruction = &program->instructions[i];

        if (opcode_reads_left(instruction->opcode))
            instruction->left = read_operand(assignment, instruction->left, i);
        if (opcode_reads_right(instruction->opcode))
            instruction->right = read_operand(assignment, instruction->right, i);
        if (instruction->opcode != OP_RESULT)
            instruction->target = new_register(assignment, instruction->target, i);
    }
}

int
program_assign_registers(struct expression_program *program)
{
    memmodel_context *context = program->context;
    struct assignment assignment = {
        .last_use = memory_allocate_zeroed(context, program->count, sizeof *assignment.last_use),
        .registers = memory_allocate_zeroed(context, program->count, sizeof *assignment.registers),
        .free = memory_allocate_zeroed(context, program->count, sizeof *assignment.free),
    };
    int status = 0;

    if (assignment.last_use && assignment.registers && assignment.free) {
        find_last_uses(&assignment, program);
        assign(&assignment, program);
    } else {
        status = MEMMODEL_ERROR_NOMEM;
    }
    program->registers = assignment.used;
    memory_release(context, assignment.last_use);
    memory_release(context, assignment.registers);
    memory_release(context, assignment.free);
    if (!status && program->registers > REGISTER_LIMIT)
        status = context_error(context, MEMMODEL_ERROR_OVERFLOW, NULL,
                               "an expression needs %zu values at a time to be computed; %d are possible",
                               program->registers, REGISTER_LIMIT);
    return status;
}
