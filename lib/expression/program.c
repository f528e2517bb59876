/*
 * From expressions to programs. The order of operations is fixed here, and print.c writes the same one: terms are
 * summed in order; a term is its coefficient (where it is not 1) times its factors in order, from left to right; a
 * factor is its parts (factor_parts()) from left to right, and a negative power divides by each.
 */
#include "expression/program.h"
#include "expression/pool.h"

#include <math.h>

enum { IS_NEEDED = 1 };

/* A program being written: values[e] is where expression e is. */
struct compiler {
    const struct expression_pool *pool;
    struct expression_program *program;
    const struct expression_sum *limits; /* of symbols; NULL: none */
    unsigned char *marks;
    operand *values;
};

static operand
emit_one(struct compiler *compiler, enum opcode opcode, operand of)
{
    return program_emit(compiler->program, opcode, of, of);
}

/* ---- terms ---- */

/* product * base or product / base; the first factor of a product that does not divide needs no operation */
static void
apply(struct compiler *compiler, operand *product, bool *empty, bool divides, operand base)
{
    if (*empty && divides)
        *product = program_number(compiler->program, 1);
    if (*empty && !divides)
        *product = base;
    else
        *product = program_emit(compiler->program, divides ? OPCODE_DIVIDE : OPCODE_MULTIPLY, *product, base);
    *empty = false;
}

static operand
compile_part(struct compiler *compiler, enum power_kind kind, const struct factor *factor)
{
    operand base = compiler->values[compiler->pool->atoms[factor->atom].self];
    double size = fabs((double)factor->numerator);

    switch (kind) {
    case POWER_WHOLE:
        break;
    case POWER_ROOT:
        return emit_one(compiler, OPCODE_ROOT, base);
    case POWER_CUBE_ROOT:
        return emit_one(compiler, OPCODE_CUBE_ROOT, base);
    case POWER_FOURTH_ROOT:
        return emit_one(compiler, OPCODE_ROOT, emit_one(compiler, OPCODE_ROOT, base));
    case POWER_GENERAL:
        return program_emit(compiler->program, OPCODE_POWER, base,
                            program_number(compiler->program, size / (double)factor->denominator));
    }
    return base;
}

static void
compile_factor(struct compiler *compiler, const struct factor *factor, operand *product, bool *empty)
{
    struct power_part parts[POWER_PARTS];
    size_t count = factor_parts(factor, parts);

    for (size_t i = 0; i < count; i++) {
        operand part = compile_part(compiler, parts[i].kind, factor);

        for (int32_t repeat = 0; repeat < parts[i].count; repeat++)
            apply(compiler, product, empty, factor->numerator < 0, part);
    }
}

static operand
compile_term(struct compiler *compiler, const struct term *term)
{
    const struct monomial *monomial = &compiler->pool->monomials[term->monomial];
    bool empty = rational_is(term->coefficient, 1) && monomial->count;
    operand product = empty ? 0 : program_number(compiler->program, rational_double(term->coefficient));

    for (uint32_t i = 0; i < monomial->count; i++)
        compile_factor(compiler, &monomial_factors(compiler->pool, term->monomial)[i], &product, &empty);
    return product;
}

/* ---- expressions ---- */

static operand
compile_sum(struct compiler *compiler, expression a)
{
    const struct expression_pool *pool = compiler->pool;
    const struct term *terms = node_terms(pool, a);
    operand sum;

    if (pool->nodes[a].count == 0)
        return program_number(compiler->program, 0);
    sum = compile_term(compiler, &terms[0]);
    for (uint32_t i = 1; i < pool->nodes[a].count; i++)
        sum = program_emit(compiler->program, OPCODE_ADD, sum, compile_term(compiler, &terms[i]));
    return sum;
}

static operand
compile_floor(struct compiler *compiler, const struct atom *atom)
{
    operand value = compiler->values[atom->arguments[0]];

    if (atom->divisor != 1)
        value = program_emit(compiler->program, OPCODE_DIVIDE, value,
                             program_number(compiler->program, (double)atom->divisor));
    return emit_one(compiler, OPCODE_FLOOR, value);
}

static operand
compile_limited(struct expression_program *program, operand value, double min, double max)
{
    operand raised = program_emit(program, OPCODE_AT_LEAST, value, program_number(program, min));

    return program_emit(program, OPCODE_AT_MOST, raised, program_number(program, max));
}

static operand
compile_symbol(struct compiler *compiler, size_t symbol)
{
    operand value = operand_at(PLACE_SYMBOL, symbol);

    if (!compiler->limits)
        return value;
    return compile_limited(compiler->program, value, compiler->limits->symbols_min[symbol],
                           compiler->limits->symbols_max[symbol]);
}

static operand
compile_atom(struct compiler *compiler, const struct atom *atom)
{
    static const enum opcode opcodes[] = {
        [ATOM_MAX] = OPCODE_MAX, [ATOM_MIN] = OPCODE_MIN, [ATOM_EQUAL] = OPCODE_EQUAL, [ATOM_LOG] = OPCODE_LOG,
        [ATOM_EXP] = OPCODE_EXP, [ATOM_SIN] = OPCODE_SIN, [ATOM_COS] = OPCODE_COS,     [ATOM_TANH] = OPCODE_TANH};

    if (atom->kind == ATOM_SYMBOL)
        return compile_symbol(compiler, (size_t)atom->arguments[0]);
    if (atom->kind == ATOM_FLOOR)
        return compile_floor(compiler, atom);
    return program_emit(compiler->program, opcodes[atom->kind], compiler->values[atom->arguments[0]],
                        compiler->values[atom->arguments[1]]);
}

static void
compile_node(struct compiler *compiler, expression a)
{
    int32_t atom = compiler->pool->nodes[a].atom;

    compiler->values[a] = atom >= 0 ? compile_atom(compiler, &compiler->pool->atoms[atom]) : compile_sum(compiler, a);
}

/* ---- programs ---- */

/* In the order of their handles, so that what an expression needs is there. */
static void
compile_roots(struct compiler *compiler, const expression *roots, size_t root_count, expression last)
{
    for (size_t i = 0; i < root_count; i++)
        compiler->marks[roots[i]] = IS_NEEDED;
    expression_mark(compiler->pool, last, compiler->marks);
    for (expression e = 0; e <= last && !compiler->program->status; e++)
        if (compiler->marks[e])
            compile_node(compiler, e);
}

static void
add_sum(struct compiler *compiler, const struct expression_sum *of)
{
    struct expression_program *program = compiler->program;
    operand sum = 0;

    for (size_t i = 0; i < of->count; i++) {
        operand term = program_emit(program, OPCODE_MULTIPLY, program_number(program, of->coefficients[i]),
                                    compiler->values[of->terms[i]]);

        sum = i ? program_emit(program, OPCODE_ADD, sum, term) : term;
    }
    if (of->limited)
        sum = compile_limited(program, sum, of->min, of->max);
    program_result(program, sum);
}

static expression
max_root(const expression *roots, size_t count)
{
    expression last = -1;

    for (size_t i = 0; i < count; i++) {
        if (roots[i] < 0)
            return roots[i];
        last = roots[i] > last ? roots[i] : last;
    }
    return last;
}

static int
compiler_begin(struct compiler *compiler, expression last)
{
    memmodel_context *context = compiler->pool->context;
    int status = program_new(context, &compiler->program);

    if (status)
        return status;
    compiler->marks = memory_allocate_zeroed(context, (size_t)last + 1, 1);
    compiler->values = memory_allocate_zeroed(context, (size_t)last + 1, sizeof *compiler->values);
    if (!compiler->marks || !compiler->values)
        compiler->program->status = MEMMODEL_ERROR_NO_MEMORY;
    return 0;
}

/* sum: whose terms the roots are, or NULL */
static int
compile(const struct expression_pool *pool, const expression *roots, size_t root_count,
        const struct expression_sum *sum, struct expression_program **program)
{
    struct compiler compiler = {.pool = pool, .limits = sum && sum->limited ? sum : NULL};
    expression last = max_root(roots, root_count);
    int status = last < 0 && root_count > 0 ? last : compiler_begin(&compiler, last);

    if (status)
        return status;
    if (!compiler.program->status)
        compile_roots(&compiler, roots, root_count, last);
    if (compiler.program->status == 0 && sum)
        add_sum(&compiler, sum);
    for (size_t i = 0; !sum && !compiler.program->status && i < root_count; i++)
        program_result(compiler.program, compiler.values[roots[i]]);
    memory_release(pool->context, compiler.marks);
    memory_release(pool->context, compiler.values);
    return program_finish(compiler.program, program);
}

int
expression_compile_sum(const struct expression_pool *pool, const struct expression_sum *sum,
                       struct expression_program **program)
{
    return compile(pool, sum->terms, sum->count, sum, program);
}

int
expression_compile(const struct expression_pool *pool, const expression *roots, size_t root_count,
                   struct expression_program **program)
{
    return compile(pool, roots, root_count, NULL, program);
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
