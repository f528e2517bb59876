/* Places for a program's values: a register is used again when the last use of its value is past. */
#include "expression/program.h"

struct assignment {
    size_t *last_use; /* of each value: index of the instruction, or KEPT */
    operand *homes;   /* of each value */
    size_t *free;     /* registers that were given back */
    size_t free_count, used;
};

/* Never used; or a result, which is no register to be used again. */
enum { UNUSED = 0 };
static const size_t KEPT = SIZE_MAX;

static bool
is_value(operand of)
{
    return operand_place(of) == PLACE_REGISTER;
}

/* ---- what lives, and how long ---- */

static void
note_use(struct assignment *assignment, operand of, size_t at)
{
    if (is_value(of) && assignment->last_use[operand_index(of)] == UNUSED)
        assignment->last_use[operand_index(of)] = at;
}

/* The first result that is a value is where it is computed; other results are copies. */
static void
place_results(struct assignment *assignment, struct expression_program *program)
{
    for (size_t r = 0; r < program->result_count; r++) {
        operand value = program->results[r];

        if (!is_value(value) || assignment->last_use[operand_index(value)] == KEPT)
            continue;
        assignment->last_use[operand_index(value)] = KEPT;
        assignment->homes[operand_index(value)] = operand_at(PLACE_RESULT, r);
    }
}

/* From the end, so that the first use seen is the last one, and what only the dead use is dead. */
static void
find_last_uses(struct assignment *assignment, const struct expression_program *program)
{
    for (size_t i = program->count; i-- > 0;) {
        if (assignment->last_use[i] == UNUSED)
            continue;
        note_use(assignment, program->instructions[i].left, i);
        note_use(assignment, program->instructions[i].right, i);
    }
}

/* ---- places ---- */

/* Where the operand is; its register is given back if this is its last use. */
static operand
read_operand(struct assignment *assignment, operand of, size_t at)
{
    size_t value = operand_index(of);

    if (!is_value(of))
        return of;
    if (assignment->last_use[value] == at) {
        assignment->free[assignment->free_count++] = operand_index(assignment->homes[value]);
        assignment->last_use[value] = KEPT; /* given back once, though it may be both operands */
    }
    return assignment->homes[value];
}

static operand
new_home(struct assignment *assignment, size_t value)
{
    size_t reg;

    if (assignment->last_use[value] == KEPT)
        return assignment->homes[value];
    reg = assignment->free_count ? assignment->free[--assignment->free_count] : assignment->used++;
    assignment->homes[value] = operand_at(PLACE_REGISTER, reg);
    return assignment->homes[value];
}

static void
assign(struct assignment *assignment, struct expression_program *program)
{
    size_t kept = 0;

    for (size_t i = 0; i < program->count; i++) {
        struct instruction instruction = program->instructions[i];

        if (assignment->last_use[i] == UNUSED)
            continue;
        instruction.left = read_operand(assignment, instruction.left, i);
        instruction.right = read_operand(assignment, instruction.right, i);
        instruction.target = new_home(assignment, i);
        program->instructions[kept++] = instruction;
    }
    program->count = kept;
    program->registers = assignment->used;
}

/* Results that are no value of their own: numbers, symbols, and values that are a result already. */
static void
copy_results(const struct assignment *assignment, struct expression_program *program)
{
    for (size_t r = 0; r < program->result_count; r++) {
        operand from = program->results[r], to = operand_at(PLACE_RESULT, r);

        if (is_value(from))
            from = assignment->homes[operand_index(from)];
        if (from != to)
            program->instructions[program->count++] = (struct instruction){OPCODE_COPY, to, from, from};
    }
}

static void
assign_places(struct assignment *assignment, struct expression_program *program)
{
    size_t values = program->count, room = program->count + program->result_count;

    program->status = array_reserve(program->context, &program->instructions, &program->capacity, room,
                                    sizeof *program->instructions);
    assignment->last_use = memory_allocate_zeroed(program->context, values, sizeof *assignment->last_use);
    assignment->homes = memory_allocate_zeroed(program->context, values, sizeof *assignment->homes);
    assignment->free = memory_allocate_zeroed(program->context, values, sizeof *assignment->free);
    if (program->status || !assignment->last_use || !assignment->homes || !assignment->free) {
        program->status = MEMMODEL_ERROR_NO_MEMORY;
        return;
    }
    place_results(assignment, program);
    find_last_uses(assignment, program);
    assign(assignment, program);
    copy_results(assignment, program);
}

int
program_finish(struct expression_program *program, struct expression_program **finished)
{
    memmodel_context *context = program->context;
    struct assignment assignment = {.used = 0};
    int status;

    if (!program->status)
        assign_places(&assignment, program);
    memory_release(context, assignment.last_use);
    memory_release(context, assignment.homes);
    memory_release(context, assignment.free);
    if (!program->status && program->registers > REGISTER_LIMIT)
        program->status = context_error(context, MEMMODEL_ERROR_OVERFLOW, NULL,
                                        "an expression needs %zu values at a time to be computed; %d are possible",
                                        program->registers, REGISTER_LIMIT);
    status = program->status;
    if (status)
        expression_program_free(program);
    else
        *finished = program;
    return status;
}
