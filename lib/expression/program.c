/*
 * From expressions to programs. The order of operations is fixed here, and print.c writes the same one: terms are
 * summed in order; a term is its coefficient (where it is not 1) times its factors in order, from left to right; an
 * integer power repeats its factor, a negative one divides.
 */
#include "expression/program.h"
#include "expression/pool.h"

#include <math.h>

enum { IS_NEEDED = 1, IS_ROOT = 2 };

/* A program being written: values[e] is the operand of expression e. Errors are remembered. */
struct compiler {
    const struct expression_pool *pool;
    const expression *roots;
    size_t root_count;
    struct expression_program *program;
    unsigned char *marks;
    int32_t *values;
    int32_t next_value;
    int status;
};

static int32_t
emit(struct compiler *compiler, enum opcode opcode, int32_t left, int32_t right, double number)
{
    struct expression_program *program = compiler->program;

    if (!compiler->status)
        compiler->status = array_reserve(program->context, &program->instructions, &program->capacity,
                                         program->count + 1, sizeof *program->instructions);
    if (compiler->status)
        return 0;
    program->instructions[program->count++] = (struct instruction){opcode, compiler->next_value, left, right, number};
    return compiler->next_value++;
}

static int32_t
emit_number(struct compiler *compiler, double number)
{
    return emit(compiler, OP_NUMBER, 0, 0, number);
}

/* ---- terms ---- */

/* product * base or product / base; the first factor of a product that does not divide needs no operation */
static void
apply(struct compiler *compiler, int32_t *product, bool *empty, bool divides, int32_t base)
{
    if (*empty && divides)
        *product = emit_number(compiler, 1);
    if (*empty && !divides)
        *product = base;
    else
        *product = emit(compiler, divides ? OP_DIVIDE : OP_MULTIPLY, *product, base, 0);
    *empty = false;
}

static void
compile_factor(struct compiler *compiler, const struct factor *factor, int32_t *product, bool *empty)
{
    int32_t size = factor->numerator < 0 ? -factor->numerator : factor->numerator, repeat = 1;
    int32_t base = compiler->values[compiler->pool->atoms[factor->atom].self];

    switch (factor_form(factor)) {
    case POWER_REPEAT:
        repeat = size;
        break;
    case POWER_ROOT:
        base = emit(compiler, OP_ROOT, base, 0, 0);
        break;
    case POWER_GENERAL:
        base = emit(compiler, OP_POWER, base, 0, (double)size / (double)factor->denominator);
        break;
    }
    for (int32_t i = 0; i < repeat; i++)
        apply(compiler, product, empty, factor->numerator < 0, base);
}

static int32_t
compile_term(struct compiler *compiler, const struct term *term)
{
    const struct monomial *monomial = &compiler->pool->monomials[term->monomial];
    bool empty = rational_is(term->coefficient, 1) && monomial->count;
    int32_t product = empty ? 0 : emit_number(compiler, rational_double(term->coefficient));

    for (uint32_t i = 0; i < monomial->count; i++)
        compile_factor(compiler, &monomial_factors(compiler->pool, term->monomial)[i], &product, &empty);
    return product;
}

/* ---- expressions ---- */

static int32_t
compile_sum(struct compiler *compiler, expression a)
{
    const struct expression_pool *pool = compiler->pool;
    const struct term *terms = node_terms(pool, a);
    int32_t sum;

    if (pool->nodes[a].count == 0)
        return emit_number(compiler, 0);
    sum = compile_term(compiler, &terms[0]);
    for (uint32_t i = 1; i < pool->nodes[a].count; i++)
        sum = emit(compiler, OP_ADD, sum, compile_term(compiler, &terms[i]), 0);
    return sum;
}

static int32_t
compile_floor(struct compiler *compiler, const struct atom *atom)
{
    int32_t value = compiler->values[atom->arguments[0]];

    if (atom->divisor != 1)
        value = emit(compiler, OP_DIVIDE, value, emit_number(compiler, (double)atom->divisor), 0);
    return emit(compiler, OP_FLOOR, value, 0, 0);
}

static const enum opcode opcodes[] = {
    [ATOM_MAX] = OP_MAX, [ATOM_MIN] = OP_MIN, [ATOM_EQUAL] = OP_EQUAL, [ATOM_LOG] = OP_LOG};

static int32_t
compile_atom(struct compiler *compiler, const struct atom *atom)
{
    if (atom->kind == ATOM_SYMBOL)
        return -1 - atom->arguments[0];
    if (atom->kind == ATOM_FLOOR)
        return compile_floor(compiler, atom);
    return emit(compiler, opcodes[atom->kind], compiler->values[atom->arguments[0]],
                compiler->values[atom->arguments[1]], 0);
}

static void
compile_expression(struct compiler *compiler, expression a)
{
    int32_t atom = compiler->pool->nodes[a].atom;

    compiler->values[a] = atom >= 0 ? compile_atom(compiler, &compiler->pool->atoms[atom]) : compile_sum(compiler, a);
}

/* Right after the value is there, so that its register is free again. */
static void
emit_results(struct compiler *compiler, expression a)
{
    for (size_t i = 0; i < compiler->root_count; i++) {
        if (compiler->roots[i] != a)
            continue;
        emit(compiler, OP_RESULT, compiler->values[a], 0, 0);
        if (!compiler->status)
            compiler->program->instructions[compiler->program->count - 1].target = (int32_t)i;
    }
}

/* In the order of their handles, so that what an expression needs is there. */
static void
compile_marked(struct compiler *compiler, expression last)
{
    for (expression e = 0; e <= last && !compiler->status; e++) {
        if (compiler->marks[e])
            compile_expression(compiler, e);
        if (compiler->marks[e] & IS_ROOT)
            emit_results(compiler, e);
    }
}

static int
compile_roots(struct compiler *compiler)
{
    expression last = -1;

    for (size_t i = 0; i < compiler->root_count; i++) {
        if (compiler->roots[i] < 0)
            return compiler->roots[i];
        last = compiler->roots[i] > last ? compiler->roots[i] : last;
    }
    compiler->marks = memory_allocate_zeroed(compiler->pool->context, (size_t)last + 1, 1);
    compiler->values = memory_allocate_zeroed(compiler->pool->context, (size_t)last + 1, sizeof *compiler->values);
    if (!compiler->marks || !compiler->values)
        return MEMMODEL_ERROR_NOMEM;
    for (size_t i = 0; i < compiler->root_count; i++)
        compiler->marks[compiler->roots[i]] = IS_NEEDED | IS_ROOT;
    expression_mark(compiler->pool, last, compiler->marks);
    compile_marked(compiler, last);
    return compiler->status ? compiler->status : program_assign_registers(compiler->program);
}

int
expression_compile(const struct expression_pool *pool, const expression *roots, size_t root_count,
                   struct expression_program **program)
{
    struct compiler compiler = {.pool = pool, .roots = roots, .root_count = root_count};
    int status;

    compiler.program = memory_allocate_zeroed(pool->context, 1, sizeof *compiler.program);
    if (!compiler.program)
        return MEMMODEL_ERROR_NOMEM;
    compiler.program->context = memmodel_context_ref(pool->context);
    status = compile_roots(&compiler);
    memory_release(pool->context, compiler.marks);
    memory_release(pool->context, compiler.values);
    if (status)
        expression_program_free(compiler.program);
    else
        *program = compiler.program;
    return status;
}

void
expression_program_free(struct expression_program *program)
{
    memmodel_context *context;

    if (!program)
        return;
    context = program->context;
    memory_release(context, program->instructions);
    memory_release(context, program);
    memmodel_context_unref(context);
}

double
expression_evaluate(const struct expression_pool *pool, expression a, const double *symbols)
{
    struct expression_program *program;
    double value;

    if (expression_compile(pool, &a, 1, &program))
        return (double)NAN;
    expression_program_run(program, symbols, &value);
    expression_program_free(program);
    return value;
}
