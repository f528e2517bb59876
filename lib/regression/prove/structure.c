/* What is known of a formula before it is fitted. */
#include "regression/prove/structure.h"
#include "expression/pool.h"
#include "measure/samples.h"

#include <math.h>
#include <string.h>

/* ---- the options ---- */

struct reader {
    const memmodel_samples *samples;
    const struct training *table;
    struct structure *structure;
    struct base_units units;
    bool target_has_unit;
};

static size_t
find_input(const struct training *table, const char *name, size_t length)
{
    size_t input = 0;

    while (input < table->input_count &&
           (strncmp(table->inputs[input], name, length) != 0 || table->inputs[input][length] != 0))
        input++;
    return input;
}

/* Of a column that is no input: one that the table has was left out of the fit, and nothing can be said of it. */
static int
check_column(const struct reader *reader, const char *name)
{
    const double *numbers;

    return samples_need_numbers(reader->samples, name, reader->table->context, &numbers);
}

static int
read_directions(struct reader *reader, const char *const *names, size_t count, signed char direction)
{
    const struct training *table = reader->table;
    struct structure *structure = reader->structure;

    for (size_t i = 0; i < count; i++) {
        size_t input = names && names[i] ? find_input(table, names[i], strlen(names[i])) : 0;
        int status = 0;

        if (!names || !names[i])
            return context_error(table->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "an input without a name");
        if (strcmp(names[i], table->target) == 0)
            return context_error(table->context, MEMMODEL_ERROR_INVALID_ARGUMENT, names[i],
                                 "is the target; it is an input with which it rises or falls");
        if (input == table->input_count)
            status = check_column(reader, names[i]);
        else if (structure->directions[input] == -direction)
            status = context_error(table->context, MEMMODEL_ERROR_INVALID_ARGUMENT, names[i],
                                   "is both increasing and decreasing: leave it out of the inputs");
        else
            structure->directions[input] = direction;
        if (status)
            return status;
        structure->directed = true;
    }
    return 0;
}

static int
set_unit(struct reader *reader, const char *text, size_t length, const struct dimension *dimension)
{
    const struct training *table = reader->table;
    size_t input = find_input(table, text, length);
    char *name;
    int status;

    if (input < table->input_count) {
        reader->structure->inputs[input] = *dimension;
        return 0;
    }
    if (strncmp(table->target, text, length) == 0 && table->target[length] == 0) {
        reader->structure->target = *dimension;
        reader->target_has_unit = true;
        return 0;
    }
    name = memory_copy_text(table->context, text);
    if (!name)
        return MEMMODEL_ERROR_NO_MEMORY;
    name[length] = 0;
    status = check_column(reader, name);
    memory_release(table->context, name);
    return status;
}

static int
read_units(struct reader *reader, const char *const *units, size_t count)
{
    memmodel_context *context = reader->table->context;

    for (size_t i = 0; i < count; i++) {
        const char *text = units ? units[i] : NULL, *equals = text ? strrchr(text, '=') : NULL, *wrong;
        struct dimension dimension;
        int status;

        if (!equals || equals == text)
            return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, text,
                                 "a unit is COLUMN=UNIT, such as peak=B or speed=m/s");
        if (!dimension_parse(&reader->units, equals + 1, &dimension, &wrong))
            return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, text, "%s", wrong);
        status = set_unit(reader, text, (size_t)(equals - text), &dimension);
        if (status)
            return status;
    }
    reader->structure->has_units = count > 0;
    if (count > 0 && !reader->target_has_unit)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, reader->table->target,
                             "units of inputs say nothing without one of the target, such as %s=B",
                             reader->table->target);
    return 0;
}

static int
read_numbers(const struct training *table, const struct memmodel_fit_options *options, struct structure *structure)
{
    if (!(options->max_exponent >= 0) || isinf(options->max_exponent))
        return context_error(table->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "max_exponent is %g; it is a number above 0, or 0 for no limit", options->max_exponent);
    structure->non_negative = options->non_negative != 0;
    structure->integer_exponents = options->integer_exponents != 0;
    structure->max_exponent = options->max_exponent;
    structure->change_point = options->change_points != 0;
    for (size_t i = 0; i < table->input_count; i++)
        training_range(table, i, &structure->least[i], &structure->most[i]);
    return 0;
}

int
structure_read(const memmodel_samples *samples, const struct training *table,
               const struct memmodel_fit_options *options, struct structure *structure)
{
    struct reader reader = {.samples = samples, .table = table, .structure = structure};
    int status;

    *structure = (struct structure){.input_count = table->input_count};
    status = read_numbers(table, options, structure);
    if (!status)
        status = read_directions(&reader, options->increasing, options->increasing_count, 1);
    if (!status)
        status = read_directions(&reader, options->decreasing, options->decreasing_count, -1);
    return status ? status : read_units(&reader, options->units, options->unit_count);
}

/* ---- powers and units ---- */

static bool
powers_allowed(const struct structure *structure, const struct expression_pool *pool, expression a);

static bool
atom_allowed(const struct structure *structure, const struct expression_pool *pool, const struct atom *atom)
{
    if (atom->kind == ATOM_SYMBOL)
        return true;
    if (atom_is_transcendental(atom->kind) && structure->integer_exponents)
        return false;
    return powers_allowed(structure, pool, atom->arguments[0]) && powers_allowed(structure, pool, atom->arguments[1]);
}

static bool
factor_allowed(const struct structure *structure, const struct expression_pool *pool, const struct factor *factor)
{
    double size = fabs((double)factor->numerator / (double)factor->denominator);

    if (structure->integer_exponents && factor->denominator != 1)
        return false;
    if (structure->max_exponent > 0 && size > structure->max_exponent)
        return false;
    return atom_allowed(structure, pool, &pool->atoms[factor->atom]);
}

static bool
powers_allowed(const struct structure *structure, const struct expression_pool *pool, expression a)
{
    int32_t atom = pool->nodes[a].atom;

    if (atom >= 0 && pool->atoms[atom].kind != ATOM_GROUP)
        return atom_allowed(structure, pool, &pool->atoms[atom]);
    for (uint32_t i = 0; i < pool->nodes[a].count; i++) {
        int32_t monomial = node_terms(pool, a)[i].monomial;

        for (uint32_t j = 0; j < pool->monomials[monomial].count; j++)
            if (!factor_allowed(structure, pool, &monomial_factors(pool, monomial)[j]))
                return false;
    }
    return true;
}

bool
structure_unit_fits(const struct structure *structure, const struct expression_pool *pool, expression term)
{
    struct dimension dimension;

    if (!structure->has_units)
        return true;
    return dimension_of(pool, term, structure->inputs, &dimension) &&
           (dimension_is_number(&dimension) || dimension_equal(&dimension, &structure->target));
}

static bool
is_input(const struct expression_pool *pool, expression a)
{
    int32_t atom = pool->nodes[a].atom;

    return atom >= 0 && pool->atoms[atom].kind == ATOM_SYMBOL;
}

bool
structure_allows(const struct structure *structure, const struct expression_pool *pool, expression term)
{
    if (structure->max_exponent > 0 && structure->max_exponent < 1 && is_input(pool, term))
        return false;
    if ((structure->integer_exponents || structure->max_exponent > 0) && !powers_allowed(structure, pool, term))
        return false;
    return structure_unit_fits(structure, pool, term);
}

/* ---- directions ---- */

/* Whether the program never falls (1) or never rises (-1) with the input. */
static int
goes(const struct structure *structure, const struct expression_program *program, size_t input, signed char direction,
     bool *proven)
{
    signed char directions[TRAINING_MAX_INPUTS] = {0};

    directions[input] = direction;
    return certify(&(struct certify_problem){.program = program,
                                             .least = structure->least,
                                             .most = structure->most,
                                             .input_count = structure->input_count,
                                             .directions = directions},
                   proven);
}

/* The sign with which it goes in the wanted direction along one input. */
static int
sign_along(const struct structure *structure, const struct expression_program *program, size_t input, enum sign *sign)
{
    bool with = false, against = false;
    int status = goes(structure, program, input, structure->directions[input], &with);

    if (!status && !with)
        status = goes(structure, program, input, (signed char)-structure->directions[input], &against);
    *sign = with ? SIGN_PLUS : against ? SIGN_MINUS : SIGN_NONE;
    return status;
}

static int
sign_of(const struct structure *structure, const struct expression_program *program, enum sign *sign)
{
    int status = 0;

    for (size_t i = 0; i < structure->input_count && !status && *sign != SIGN_NONE; i++) {
        enum sign wanted;

        if (structure->directions[i] == 0 || !expression_program_uses(program, i))
            continue;
        status = sign_along(structure, program, i, &wanted);
        *sign = *sign == SIGN_ANY || *sign == wanted ? wanted : SIGN_NONE;
    }
    return status;
}

int
structure_sign(const struct structure *structure, const struct expression_pool *pool, expression term, enum sign *sign)
{
    struct expression_program *program;
    int status;

    *sign = SIGN_ANY;
    if (!structure->directed)
        return 0;
    status = expression_compile(pool, &term, 1, &program);
    if (status)
        return status;
    status = sign_of(structure, program, sign);
    expression_program_free(program);
    return status;
}

int
structure_proves(const struct structure *structure, const struct expression_program *program, bool not_negative,
                 bool *proven)
{
    return certify(&(struct certify_problem){.program = program,
                                             .least = structure->least,
                                             .most = structure->most,
                                             .input_count = structure->input_count,
                                             .not_negative = not_negative || structure->non_negative,
                                             .directions = structure->directed ? structure->directions : NULL},
                   proven);
}
