/*
 * The terms that a fit chooses from: a constant, the caller's formulas, and products of simple functions of the inputs.
 *
 * Coefficients are not negative, so a term must not be either. An input with values below 0 gives x, -x and x^2 on
 * their own and takes no part in products; roots need x >= 0, reciprocals x > 0, logarithms x >= 1, on all rows, or are
 * not offered.
 */
#include "regression/fit_general.h"
#include "regression/segments.h"
#include "regression/shapes.h"
#include "regression/symbols.h"

#include <math.h>
#include <string.h>

enum domain { BELOW_ZERO, FROM_ZERO, ABOVE_ZERO, FROM_ONE };

/*
 * sign x^(numerator / denominator) log(x)^logs, offered where all of an input's values lie in the domain. A product has
 * one bent factor at most: a tensor's size is a product of extents, of which one (a cube's side, a width) may come as a
 * power.
 */
struct form {
    int sign, numerator, denominator, logs;
    unsigned size;
    bool plain, bent;
    enum domain domain;
    size_t levels; /* different values of the input that it takes to tell this form from the others */
};

static const struct form forms[] = {
    {1, 1, 1, 0, .size = 1, .plain = true, .bent = false, .domain = FROM_ZERO, .levels = 2},
    {1, 2, 1, 0, .size = 2, .plain = true, .bent = true, .domain = FROM_ZERO, .levels = 2},
    {1, 3, 1, 0, .size = 2, .plain = true, .bent = true, .domain = FROM_ZERO, .levels = 2},
    {1, -1, 1, 0, .size = 2, .plain = false, .bent = false, .domain = ABOVE_ZERO, .levels = 2},
    {1, 1, 2, 0, .size = 2, .plain = false, .bent = true, .domain = FROM_ZERO, .levels = 4},
    {1, 0, 1, 1, .size = 2, .plain = false, .bent = true, .domain = FROM_ONE, .levels = 4},
    {1, 1, 1, 1, .size = 4, .plain = false, .bent = true, .domain = FROM_ONE, .levels = 4},
};

/* of inputs with negative values, each a term alone */
static const struct form signed_forms[] = {
    {1, 1, 1, 0, .size = 1, .plain = true, .bent = false, .domain = BELOW_ZERO, .levels = 2},
    {-1, 1, 1, 0, .size = 2, .plain = true, .bent = false, .domain = BELOW_ZERO, .levels = 2},
    {1, 2, 1, 0, .size = 2, .plain = true, .bent = true, .domain = BELOW_ZERO, .levels = 2},
};

enum {
    FORMS = sizeof forms / sizeof forms[0],
    SIGNED_FORMS = sizeof signed_forms / sizeof signed_forms[0],
    MOST_VALUES = 1 << 22,         /* rows times terms: 32 MB */
    MOST_GENERAL_VALUES = 1 << 23, /* here, and as many again while they are fitted */
    MOST_BENT_INPUTS = 3,
    MOST_EXPECTED_FACTORS = 2, /* of products whose absence is told */
};

/* One function of one input. */
struct factor {
    size_t input;
    expression value;
    unsigned size;
    bool plain, bent;
};

struct factors {
    size_t count;
    struct factor list[TRAINING_MOST_INPUTS * FORMS];
};

/* ---- terms ---- */

/* Sets *sign. Given terms may be anything: what is made of them is proven in the end. */
static int
check_term(const struct basis *basis, expression term, bool *allowed, enum sign *sign)
{
    int status;

    *sign = SIGN_ANY;
    *allowed = true;
    if (basis->given)
        return 0;
    *allowed = structure_allows(basis->structure, basis->pool, term);
    status = *allowed ? structure_sign(basis->structure, basis->pool, term, sign) : 0;
    if (*sign == SIGN_NONE || (*sign == SIGN_MINUS && basis->relative))
        *allowed = false;
    return status;
}

int
basis_add_term(struct basis *basis, expression term, unsigned size, bool plain)
{
    enum sign sign;
    bool allowed;
    int status;

    if (term < 0)
        return term;
    for (size_t i = 0; i < basis->count; i++)
        if (basis->terms[i] == term)
            return 0;
    if (basis->count == basis->capacity)
        return 0;
    status = check_term(basis, term, &allowed, &sign);
    if (status || !allowed)
        return status;
    basis->terms[basis->count] = term;
    basis->signs[basis->count] = (signed char)sign;
    basis->groups[basis->count] = basis->group;
    basis->sizes[basis->count] = size;
    basis->plain[basis->count++] = plain;
    return 0;
}

static bool
in_domain(enum domain domain, double least)
{
    switch (domain) {
    case BELOW_ZERO:
        return least < 0;
    case FROM_ZERO:
        return least >= 0;
    case ABOVE_ZERO:
        return least > 0;
    case FROM_ONE:
        return least >= 1;
    }
    return false;
}

static bool
is_offered(const struct training *training, size_t input, const struct form *form)
{
    double least, most;

    training_range(training, input, &least, &most);
    return in_domain(form->domain, least) && training_levels(training, input, form->levels) >= form->levels;
}

static expression
form_value(struct expression_pool *pool, const char *symbol, const struct form *form)
{
    expression x = expression_symbol(pool, symbol);
    expression value = expression_multiply(pool, expression_integer(pool, form->sign),
                                           expression_power(pool, x, form->numerator, form->denominator));

    return form->logs ? expression_multiply(pool, value, expression_log(pool, x)) : value;
}

static int
make_factors(struct basis *basis, const struct training *training, const struct form *list, size_t count,
             struct factors *factors)
{
    factors->count = 0;
    for (size_t input = 0; input < training->input_count; input++)
        for (size_t i = 0; i < count; i++) {
            expression value;

            if (!is_offered(training, input, &list[i]))
                continue;
            value = form_value(basis->pool, expression_symbol_name(basis->pool, input), &list[i]);
            if (value < 0)
                return value;
            factors->list[factors->count++] = (struct factor){input, value, list[i].size, list[i].plain, list[i].bent};
        }
    return 0;
}

/* ---- products ---- */

/* All products of `order` factors of different inputs, plain ones only or all. */
struct product_group {
    size_t order;
    bool plain_only;
};

/* In the order in which they are taken in as long as there is room. */
static const struct product_group groups[] = {{1, false}, {2, true}, {3, true}, {2, false}, {4, true}, {3, false}};

/* A product being put together from factors in the order of the list. */
struct product {
    expression value;
    unsigned size;
    bool plain, bent;
};

/*
 * Visits the products of `more` factors from `first` on; adds them to the basis, or only counts them where it is NULL.
 */
static int
visit_products(struct basis *basis, const struct factors *factors, const struct product_group *group, size_t first,
               size_t more, const struct product *product, size_t *count)
{
    for (size_t i = first; i < factors->count; i++) {
        const struct factor *factor = &factors->list[i];
        struct product next = {product->value, product->size + factor->size + (product->size > 0),
                               product->plain && factor->plain, product->bent || factor->bent};
        size_t after = i + 1;
        int status = 0;

        if ((group->plain_only && !factor->plain) || (product->bent && factor->bent))
            continue;
        while (after < factors->count && factors->list[after].input == factor->input)
            after++;
        if (basis)
            next.value = expression_multiply(basis->pool, product->value, factor->value);
        if (more > 1)
            status = visit_products(basis, factors, group, after, more - 1, &next, count);
        else if (basis)
            status = basis_add_term(basis, next.value, next.size, next.plain);
        else
            ++*count;
        if (status)
            return status;
    }
    return 0;
}

/* A table of many rows has room for few terms. */
static void
tell_what_is_left_out(memmodel_context *context, const struct product_group *group, size_t rows, size_t count)
{
    if (rows * BASIS_MOST_TERMS > MOST_VALUES)
        context_log(
            context,
            "the %zu products of %zu %s are left out: %zu rows leave no room for them; a part of the rows would", count,
            group->order, group->plain_only ? "whole powers" : "powers or logarithms", rows);
}

static int
add_products(struct basis *basis, const struct training *training, const struct factors *factors)
{
    const struct product nothing = {expression_integer(basis->pool, 1), 0, true, false};

    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        size_t count = 0;
        int status;

        visit_products(NULL, factors, &groups[i], 0, groups[i].order, &nothing, &count);
        if (count > basis->capacity - basis->count) {
            if (groups[i].order <= MOST_EXPECTED_FACTORS)
                tell_what_is_left_out(training->context, &groups[i], training->columns.rows, count);
            continue;
        }
        status = visit_products(basis, factors, &groups[i], 0, groups[i].order, &nothing, &count);
        if (status)
            return status;
    }
    return 0;
}

/* ---- bends ---- */

/* Values of terms from `first` on, on all rows. */
static int
evaluate_terms(const struct basis *basis, const struct training *training, size_t first, size_t count, double **values)
{
    const double *inputs[TRAINING_MOST_INPUTS];
    struct expression_program *program;
    int status = expression_compile(basis->pool, basis->terms + first, count, &program);

    if (status)
        return status;
    for (size_t i = 0; i < training->input_count; i++)
        inputs[i] = matrix_column(&training->columns, i);
    expression_program_run_block(program, inputs, training->columns.rows, values);
    expression_program_free(program);
    return 0;
}

static bool
depends_on_all(const struct basis *basis, const struct training *training, expression term)
{
    for (size_t i = 0; i < training->input_count; i++)
        if (!expression_depends_on(basis->pool, term, i))
            return false;
    return true;
}

/*
 * A peak is the greatest of what several moments need, each a sum of products: as the work grows, another moment takes
 * over, and the sum goes on more steeply. So the plain products of all inputs may bend, where these are few.
 */
static int
add_bends(struct basis *basis, const struct training *training, size_t first)
{
    size_t end = basis->count, rows = training->columns.rows;
    double *values;
    int status = 0;

    if (training->input_count > MOST_BENT_INPUTS)
        return 0;
    values = memory_allocate_zeroed(training->context, rows, sizeof *values);
    if (!values)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t j = first; !status && j < end; j++) {
        if (!basis->plain[j] || !depends_on_all(basis, training, basis->terms[j]))
            continue;
        status = evaluate_terms(basis, training, j, 1, &values);
        if (!status)
            status = shapes_add_bends(basis, j, values, rows);
    }
    memory_release(training->context, values);
    return status;
}

static int
add_posynomial(struct basis *basis, const struct training *training)
{
    struct factors *factors = memory_allocate(training->context, sizeof *factors);
    size_t given = basis->count;
    int status;

    if (!factors)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = make_factors(basis, training, forms, FORMS, factors);
    if (!status)
        status = add_products(basis, training, factors);
    if (!status)
        status = add_bends(basis, training, given);
    if (!status)
        status = make_factors(basis, training, signed_forms, SIGNED_FORMS, factors);
    for (size_t i = 0; !status && i < factors->count && basis->count < basis->capacity; i++)
        status = basis_add_term(basis, factors->list[i].value, factors->list[i].size, factors->list[i].plain);
    memory_release(training->context, factors);
    return status;
}

/* ---- given terms ---- */

static bool
depends_on_inputs(const struct basis *basis, const struct training *training, expression term)
{
    for (size_t i = 0; i < training->input_count; i++)
        if (expression_depends_on(basis->pool, term, i))
            return true;
    return false;
}

/* A given term that is a number is the constant, which is there already. */
static int
add_given(struct basis *basis, const struct training *training, const char *text)
{
    expression term;

    if (!text)
        return context_error(training->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "a term without a formula");
    term = expression_parse(basis->pool, text, text);
    if (term < 0)
        return term;
    if (expression_symbol_count(basis->pool) > training->input_count)
        return context_error(training->context, MEMMODEL_ERROR_NOT_FOUND, text, "\"%s\" is no input of this fit",
                             expression_symbol_name(basis->pool, training->input_count));
    if (!structure_unit_fits(basis->structure, basis->pool, term))
        return context_error(training->context, MEMMODEL_ERROR_INVALID_ARGUMENT, text,
                             "the term is neither of the target's unit nor a pure number, or mixes units");
    return depends_on_inputs(basis, training, term) ? basis_add_term(basis, term, 1, true) : 0;
}

/* ---- columns ---- */

enum { TERMS_AT_ONCE = 32 };

/* Values of terms from `first` on, on all rows, not yet scaled. */
static int
fill_values(struct basis *basis, const struct training *training, size_t first, size_t count)
{
    double *columns[TERMS_AT_ONCE] = {NULL};

    for (size_t j = 0; j < count; j++)
        columns[j] = matrix_column(&basis->columns, first + j);
    return evaluate_terms(basis, training, first, count, columns);
}

static int
fill_all_values(struct basis *basis, const struct training *training)
{
    int status = 0;

    for (size_t first = 0; !status && first < basis->count; first += TERMS_AT_ONCE)
        status = fill_values(basis, training, first,
                             basis->count - first < TERMS_AT_ONCE ? basis->count - first : TERMS_AT_ONCE);
    return status;
}

static bool
first_undefined(const double *column, size_t rows, size_t *row)
{
    for (*row = 0; *row < rows; ++*row)
        if (!isfinite(column[*row]))
            return true;
    return false;
}

static double
greatest_size(const double *column, size_t rows)
{
    double greatest = 0;

    for (size_t i = 0; i < rows; i++)
        greatest = fmax(greatest, fabs(column[i]));
    return greatest;
}

/* Where a coefficient might leave the range of doubles. */
static bool
is_extreme(const double *column, size_t rows)
{
    double greatest = greatest_size(column, rows);

    return !(greatest > 0x1p-900 && greatest < 0x1p900);
}

static void
scale_down(double *column, size_t rows, int exponent)
{
    for (size_t i = 0; i < rows; i++)
        column[i] = ldexp(column[i], -exponent);
}

/* Divides by the measurements and by a power of two, so that columns are of size 1 and no bit of them is lost. */
static void
make_relative(const struct training *training, double *column, int *exponent)
{
    size_t rows = training->columns.rows;

    for (size_t i = 0; i < rows; i++)
        column[i] *= sqrt(training->weights[i]) / training->measured[i];
    frexp(sqrt(vector_dot(rows, column, column) / (double)rows), exponent);
    scale_down(column, rows, *exponent);
}

/* Divides by a power of two, so that the greatest number is about 1. */
static void
make_unit(const struct training *training, double *column, int *exponent)
{
    frexp(greatest_size(column, training->columns.rows), exponent);
    scale_down(column, training->columns.rows, *exponent);
}

/* Puts term `from` at place `to`, and where libraries end before it. */
static void
move_term(struct basis *basis, size_t from, size_t to)
{
    basis->terms[to] = basis->terms[from];
    basis->sizes[to] = basis->sizes[from];
    basis->plain[to] = basis->plain[from];
    basis->signs[to] = basis->signs[from];
    basis->groups[to] = basis->groups[from];
    if (from != to)
        memcpy(matrix_column(&basis->columns, to), matrix_column(&basis->columns, from),
               basis->columns.rows * sizeof *basis->columns.values);
}

/* Terms that overflow somewhere, or nearly, are dropped; given ones, which come first, are reported. */
static int
keep_defined(struct basis *basis, const struct training *training, size_t given)
{
    size_t kept = 0, rows = training->columns.rows, row, ends[BASIS_LIBRARIES] = {0};

    for (size_t j = 0; j < basis->count; j++) {
        bool undefined = first_undefined(matrix_column(&basis->columns, j), rows, &row);

        if (!undefined && j >= given && !basis->relative)
            undefined = is_extreme(matrix_column(&basis->columns, j), rows);
        if (undefined && j < given)
            return context_error(training->context, MEMMODEL_ERROR_DATA, NULL,
                                 "given term %zu is not a finite number at the inputs of row %zu", j, row + 1);
        if (!undefined)
            move_term(basis, j, kept++);
        for (size_t i = 0; i < BASIS_LIBRARIES; i++)
            ends[i] += !undefined && j < basis->ends[i];
    }
    memcpy(basis->ends, ends, sizeof ends);
    basis->count = basis->columns.columns = kept;
    return 0;
}

static int
fill_columns(struct basis *basis, const struct training *training, size_t given)
{
    int status = fill_all_values(basis, training);

    if (!status)
        status = keep_defined(basis, training, given);
    for (size_t j = 0; !status && j < basis->count; j++)
        (basis->relative ? make_relative : make_unit)(training, matrix_column(&basis->columns, j),
                                                      &basis->exponents[j]);
    return status;
}

static int
allocate(struct basis *basis, const struct training *training, size_t given)
{
    memmodel_context *context = training->context;
    size_t rows = training->columns.rows, room = (basis->relative ? MOST_VALUES : MOST_GENERAL_VALUES) / rows;

    basis->capacity = 1 + given + (room < BASIS_MOST_TERMS ? room : BASIS_MOST_TERMS);
    basis->terms = memory_allocate_zeroed(context, basis->capacity, sizeof *basis->terms);
    basis->sizes = memory_allocate_zeroed(context, basis->capacity, sizeof *basis->sizes);
    basis->plain = memory_allocate_zeroed(context, basis->capacity, sizeof *basis->plain);
    basis->signs = memory_allocate_zeroed(context, basis->capacity, sizeof *basis->signs);
    basis->groups = memory_allocate_zeroed(context, basis->capacity, sizeof *basis->groups);
    basis->exponents = memory_allocate_zeroed(context, basis->capacity, sizeof *basis->exponents);
    basis->right_side = memory_allocate_zeroed(context, rows, sizeof *basis->right_side);
    if (!basis->terms || !basis->sizes || !basis->plain || !basis->signs || !basis->groups || !basis->exponents ||
        !basis->right_side)
        return MEMMODEL_ERROR_NO_MEMORY;
    return 0;
}

static int
add_terms(struct basis *basis, const struct training *training, const struct memmodel_fit_options *options,
          size_t *given)
{
    int status = symbols_define(basis->pool, training->context, training->inputs, training->input_count);

    basis->given = true;
    if (!status)
        status = basis_add_term(basis, expression_integer(basis->pool, 1), 1, true);
    for (size_t i = 0; !status && i < options->term_count; i++)
        status = add_given(basis, training, options->terms[i]);
    *given = basis->count;
    basis->given = false;
    if (!status && options->basis == MEMMODEL_FIT_BASIS_POSYNOMIAL)
        status = add_posynomial(basis, training);
    if (!status && options->basis != MEMMODEL_FIT_BASIS_GENERAL)
        status = segments_add(basis, training, basis->count);
    for (size_t i = 0; i < BASIS_LIBRARIES; i++)
        basis->ends[i] = basis->count;
    if (!status && options->basis == MEMMODEL_FIT_BASIS_GENERAL)
        status = shapes_add(basis, training);
    return status;
}

int
basis_new(const struct training *training, const struct memmodel_fit_options *options,
          const struct structure *structure, struct basis *basis)
{
    size_t given;
    int status;

    *basis = (struct basis){.relative = !fit_is_general(options), .structure = structure};
    status = expression_pool_new(training->context, &basis->pool);
    if (!status)
        status = allocate(basis, training, options->term_count);
    if (!status)
        status = add_terms(basis, training, options, &given);
    if (!status)
        status = matrix_new(training->context, training->columns.rows, basis->count, &basis->columns);
    if (!status)
        status = fill_columns(basis, training, given);
    for (size_t i = 0; !status && i < training->columns.rows; i++)
        basis->right_side[i] = sqrt(training->weights[i]);
    return status;
}

/* Room for one more term. */
static int
widen(struct basis *basis, memmodel_context *context)
{
    size_t capacity = basis->capacity, needed = basis->count + 1, columns = basis->columns.columns;
    struct matrix wider;
    int status = matrix_new(context, basis->columns.rows, needed, &wider);

    if (status)
        return status;
    memcpy(wider.values, basis->columns.values, columns * basis->columns.rows * sizeof *wider.values);
    matrix_release(&basis->columns);
    basis->columns = wider;
    if (needed <= capacity)
        return 0;
    status = array_reserve(context, &basis->terms, &(size_t){capacity}, needed, sizeof *basis->terms);
    if (!status)
        status = array_reserve(context, &basis->sizes, &(size_t){capacity}, needed, sizeof *basis->sizes);
    if (!status)
        status = array_reserve(context, &basis->plain, &(size_t){capacity}, needed, sizeof *basis->plain);
    if (!status)
        status = array_reserve(context, &basis->signs, &(size_t){capacity}, needed, sizeof *basis->signs);
    if (!status)
        status = array_reserve(context, &basis->groups, &(size_t){capacity}, needed, sizeof *basis->groups);
    if (!status)
        status = array_reserve(context, &basis->exponents, &basis->capacity, needed, sizeof *basis->exponents);
    return status;
}

int
basis_append(struct basis *basis, const struct training *training, expression term, unsigned size, size_t *index)
{
    int status;

    for (*index = 0; *index < basis->count; ++*index)
        if (basis->terms[*index] == term)
            return 0;
    status = widen(basis, training->context);
    if (status)
        return status;
    basis->terms[basis->count] = term;
    basis->sizes[basis->count] = size;
    basis->plain[basis->count] = false;
    basis->signs[basis->count] = SIGN_ANY;
    basis->groups[basis->count] = 0;
    status = fill_values(basis, training, basis->count, 1);
    if (status)
        return status;
    (basis->relative ? make_relative : make_unit)(training, matrix_column(&basis->columns, basis->count),
                                                  &basis->exponents[basis->count]);
    basis->count++;
    return 0;
}

unsigned
basis_sum_nodes(const struct basis *basis, const uint16_t *columns, size_t count)
{
    unsigned nodes = count > 0 ? (unsigned)count - 1 : 0; /* what adds them up */

    for (size_t k = 0; k < count; k++)
        nodes += columns[k] == 0 ? 1 : basis->sizes[columns[k]] + 2; /* its coefficient and their product */
    return nodes;
}

void
basis_release(memmodel_context *context, struct basis *basis)
{
    matrix_release(&basis->columns);
    memory_release(context, basis->terms);
    memory_release(context, basis->sizes);
    memory_release(context, basis->plain);
    memory_release(context, basis->signs);
    memory_release(context, basis->groups);
    memory_release(context, basis->exponents);
    memory_release(context, basis->right_side);
    if (basis->pool)
        expression_pool_free(basis->pool);
}
