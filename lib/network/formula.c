/* A network's counts as closed formulas. */
#include "network/formula.h"
#include "base/checked.h"

#include <math.h>

enum { NOT_YET = INT32_MIN };

struct formula_space {
    memmodel_context *context;
    const memmodel_network *network;
    struct expression_pool *pool;
    expression *memo;     /* per expression of the network's pool */
    const char **symbols; /* that are taken to be multiples, */
    int64_t *multiples;   /* of these */
    size_t assumption_count;
};

/* ---- assumptions ---- */

/* The symbol is a multiple of both what it was and `multiple`. One that would not fit in 63 bits says nothing new. */
static void
assume(struct formula_space *space, const char *symbol, int64_t multiple)
{
    size_t i = 0;

    while (i < space->assumption_count && space->symbols[i] != symbol)
        i++;
    if (i < space->assumption_count) {
        int64_t *old = &space->multiples[i];

        checked_multiply(*old / common_divisor(*old, multiple), multiple, old);
        return;
    }
    space->symbols[i] = symbol;
    space->multiples[i] = multiple;
    space->assumption_count++;
}

static void
assume_constraints(struct formula_space *space)
{
    const memmodel_network *network = space->network;

    for (size_t i = 0; i < network->constraint_count; i++) {
        const struct constraint *constraint = &network->constraints[i];
        size_t symbol;
        int64_t multiple;

        if (constraint->at_most || constraint->given >= 0 || constraint->needed >= 0)
            continue;
        if (expression_implies_multiple(network->pool, expression_of_dim(constraint->given),
                                        expression_of_dim(constraint->needed), &symbol, &multiple))
            assume(space, expression_symbol_name(network->pool, symbol), multiple);
    }
}

size_t
formula_assumption_count(const struct formula_space *space)
{
    return space->assumption_count;
}

const char *
formula_assumption(const struct formula_space *space, size_t index, int64_t *multiple)
{
    *multiple = space->multiples[index];
    return space->symbols[index];
}

/* ---- life ---- */

static int
prepare(struct formula_space *space)
{
    const memmodel_network *network = space->network;
    size_t symbols = expression_symbol_count(network->pool), expressions = expression_count(network->pool);
    int status = expression_pool_new(space->context, &space->pool);

    if (status)
        return status;
    space->symbols = memory_allocate_zeroed(space->context, symbols + 1, sizeof *space->symbols);
    space->multiples = memory_allocate_zeroed(space->context, symbols + 1, sizeof *space->multiples);
    space->memo = memory_allocate_zeroed(space->context, expressions + 1, sizeof *space->memo);
    if (!space->symbols || !space->multiples || !space->memo)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < expressions; i++)
        space->memo[i] = NOT_YET;
    /* the network's symbols in the network's order, so that values serve both pools */
    for (size_t i = 0; i < symbols; i++) {
        expression symbol = expression_symbol(space->pool, expression_symbol_name(network->pool, i));

        if (symbol < 0)
            return symbol;
    }
    assume_constraints(space);
    return 0;
}

int
formula_space_new(memmodel_context *context, const memmodel_network *network, struct formula_space **space)
{
    struct formula_space *new = memory_allocate_zeroed(context, 1, sizeof *new);
    int status;

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    new->context = context;
    new->network = network;
    status = prepare(new);
    if (status)
        formula_space_free(new);
    else
        *space = new;
    return status;
}

void
formula_space_free(struct formula_space *space)
{
    if (!space)
        return;
    if (space->pool)
        expression_pool_free(space->pool);
    memory_release(space->context, space->symbols);
    memory_release(space->context, space->multiples);
    memory_release(space->context, space->memo);
    memory_release(space->context, space);
}

struct expression_pool *
formula_pool(const struct formula_space *space)
{
    return space->pool;
}

/* ---- formulas ---- */

expression
formula_dim(struct formula_space *space, memmodel_dim dim)
{
    expression *memo;

    if (dim >= 0)
        return expression_integer(space->pool, dim);
    memo = &space->memo[expression_of_dim(dim)];
    if (*memo == NOT_YET)
        *memo = expression_copy_assuming(space->network->pool, expression_of_dim(dim), space->pool, space->symbols,
                                         space->multiples, space->assumption_count);
    return *memo;
}

static expression
product_of(struct formula_space *space, const memmodel_dim *dims, int count)
{
    expression product = expression_integer(space->pool, 1);

    for (int i = 0; i < count; i++)
        product = expression_multiply(space->pool, product, formula_dim(space, dims[i]));
    return product;
}

expression
formula_tensor_elements(struct formula_space *space, memmodel_tensor tensor)
{
    const struct tensor *of = &space->network->tensors[tensor];

    return product_of(space, of->dims, of->rank);
}

expression
formula_parameter_elements(struct formula_space *space, int32_t parameter)
{
    const struct parameter *of = &space->network->parameters[parameter];

    return product_of(space, of->dims, of->rank);
}

int
formula_evaluate(const struct formula_space *space, expression e, const int64_t *symbols, double *value)
{
    size_t count = expression_symbol_count(space->pool);
    double *values = memory_allocate_zeroed(space->context, count + 1, sizeof *values);
    struct expression_program *program;
    int status = values ? expression_compile(space->pool, &e, 1, &program) : MEMMODEL_ERROR_NO_MEMORY;

    for (size_t i = 0; values && i < count; i++)
        values[i] = (double)symbols[i];
    if (!status) {
        expression_program_run(program, values, value);
        expression_program_free(program);
    }
    memory_release(space->context, values);
    return status;
}
