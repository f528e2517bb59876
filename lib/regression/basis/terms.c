/* Terms and their columns. */
#include "regression/basis/terms.h"

#include <math.h>
#include <string.h>

enum { MAX_GENERAL_VALUES = 1 << 23 /* rows times terms, and as many again while they are fitted */ };

/* ---- terms ---- */

/* Sets *sign. Given terms may be anything: what is made of them is proven in the end. */
static bool
is_allowed(struct basis *basis, expression term, enum sign *sign)
{
    *sign = SIGN_ANY;
    if (basis->given)
        return true;
    if (!structure_allows(basis->structure, basis->pool, term))
        return false;
    basis->workspace->status = structure_sign(basis->structure, basis->pool, term, sign);
    return !basis->workspace->status && *sign != SIGN_NONE && !(*sign == SIGN_MINUS && basis->positive);
}

static bool
is_there(const struct basis *basis, expression term)
{
    for (size_t i = 0; i < basis->count; i++)
        if (basis->terms[i] == term)
            return true;
    return false;
}

void
basis_add_term(struct basis *basis, expression term, unsigned size)
{
    enum sign sign;

    if (basis->workspace->status)
        return;
    if (term < 0)
        basis->workspace->status = term;
    else if (!is_there(basis, term) && basis->count < basis->capacity && is_allowed(basis, term, &sign)) {
        basis->terms[basis->count] = term;
        basis->signs[basis->count] = (signed char)sign;
        basis->groups[basis->count] = basis->group;
        basis->sizes[basis->count++] = size;
    }
}

void
term_knots(const double *sorted, size_t count, double knots[TERM_KNOTS])
{
    static const double quantiles[TERM_KNOTS] = {0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9};

    for (size_t i = 0; i < TERM_KNOTS; i++)
        knots[i] = decimal_rounded(sorted[(size_t)(quantiles[i] * (double)(count - 1))], DECIMAL_FEW);
}

expression
term_hinge(struct expression_pool *pool, expression term, struct rational knot)
{
    expression beyond = expression_subtract(pool, term, expression_rational(pool, knot.numerator, knot.denominator));

    return expression_max(pool, beyond, expression_integer(pool, 0));
}

int
terms_evaluate(const struct expression_pool *pool, const expression *terms, size_t count, const struct training *table,
               double **values)
{
    const double *inputs[TRAINING_MAX_INPUTS];
    struct expression_program *program;
    int status = expression_compile(pool, terms, count, &program);

    if (status)
        return status;
    for (size_t i = 0; i < table->input_count; i++)
        inputs[i] = matrix_column(&table->columns, i);
    expression_program_run_block(program, inputs, table->columns.rows, values);
    expression_program_free(program);
    return 0;
}

/* ---- columns ---- */

enum { TERMS_AT_ONCE = 32 };

/* Values of terms from `first` on, on all rows, not yet scaled. */
static int
fill_values(struct basis *basis, const struct training *table, size_t first, size_t count)
{
    double *columns[TERMS_AT_ONCE] = {NULL};

    for (size_t j = 0; j < count; j++)
        columns[j] = matrix_column(&basis->columns, first + j);
    return terms_evaluate(basis->pool, basis->terms + first, count, table, columns);
}

static int
fill_all_values(struct basis *basis, const struct training *table)
{
    int status = 0;

    for (size_t first = 0; !status && first < basis->count; first += TERMS_AT_ONCE) {
        status = fill_values(basis, table, first,
                             basis->count - first < TERMS_AT_ONCE ? basis->count - first : TERMS_AT_ONCE);
        if (!status)
            status = context_check(table->context, matrix_work(table->columns.rows, TERMS_AT_ONCE));
    }
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
max_size(const double *column, size_t rows)
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
    double greatest = max_size(column, rows);

    return !(greatest > 0x1p-900 && greatest < 0x1p900);
}

/* Multiplies rows, and divides by a power of two, so that columns are of size 1 and no bit of them is lost. */
static void
scale_column(const struct basis *basis, double *column, int *exponent)
{
    size_t rows = basis->columns.rows;

    for (size_t i = 0; i < rows; i++)
        column[i] *= basis->sqrt_weights[i];
    frexp(basis->relative ? sqrt(vector_dot(rows, column, column) / (double)rows) : max_size(column, rows), exponent);
    for (size_t i = 0; i < rows; i++)
        column[i] = ldexp(column[i], -*exponent);
}

/* Puts term `from` at place `to`, and where libraries end before it. */
static void
move_term(struct basis *basis, size_t from, size_t to)
{
    basis->terms[to] = basis->terms[from];
    basis->sizes[to] = basis->sizes[from];
    basis->signs[to] = basis->signs[from];
    basis->groups[to] = basis->groups[from];
    if (from != to)
        memcpy(matrix_column(&basis->columns, to), matrix_column(&basis->columns, from),
               basis->columns.rows * sizeof *basis->columns.values);
}

/* Terms that overflow somewhere, or nearly, are dropped; given ones, which come first, are reported. */
static int
keep_defined(struct basis *basis, const struct training *table)
{
    size_t kept = 0, rows = table->columns.rows, row, ends[BASIS_LIBRARIES] = {0};

    for (size_t j = 0; j < basis->count; j++) {
        bool undefined = first_undefined(matrix_column(&basis->columns, j), rows, &row);

        if (!undefined && j >= basis->given_end && !basis->relative)
            undefined = is_extreme(matrix_column(&basis->columns, j), rows);
        if (undefined && j < basis->given_end)
            return context_error(table->context, MEMMODEL_ERROR_DATA, NULL,
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

int
basis_fill_columns(struct basis *basis, const struct training *table)
{
    int status = fill_all_values(basis, table);

    if (!status)
        status = keep_defined(basis, table);
    for (size_t j = 0; !status && j < basis->count; j++) {
        scale_column(basis, matrix_column(&basis->columns, j), &basis->exponents[j]);
        status = context_check(table->context, matrix_work(table->columns.rows, 1));
    }
    return status;
}

int
basis_allocate(struct basis *basis, const struct training *table, size_t given, size_t appended)
{
    struct workspace *workspace = basis->workspace;
    size_t rows = table->columns.rows, room = (basis->relative ? BASIS_MAX_VALUES : MAX_GENERAL_VALUES) / rows, count;

    basis->capacity = 1 + given + (room < BASIS_MAX_TERMS ? room : BASIS_MAX_TERMS);
    count = basis->capacity + appended;
    basis->terms = workspace_take(workspace, count, sizeof *basis->terms);
    basis->sizes = workspace_take(workspace, count, sizeof *basis->sizes);
    basis->signs = workspace_take(workspace, count, sizeof *basis->signs);
    basis->groups = workspace_take(workspace, count, sizeof *basis->groups);
    basis->exponents = workspace_take(workspace, count, sizeof *basis->exponents);
    basis->response = workspace_take(workspace, rows, sizeof *basis->response);
    basis->sqrt_weights = workspace_take(workspace, rows, sizeof *basis->sqrt_weights);
    return workspace->status;
}

int
basis_append(struct basis *basis, const struct training *table, expression term, unsigned size, size_t *index)
{
    int status;

    for (*index = 0; *index < basis->count; ++*index)
        if (basis->terms[*index] == term)
            return 0;
    if (basis->count == basis->capacity)
        return MEMMODEL_ERROR_OVERFLOW;
    basis->terms[basis->count] = term;
    basis->sizes[basis->count] = size;
    basis->signs[basis->count] = SIGN_ANY;
    basis->groups[basis->count] = 0;
    status = fill_values(basis, table, basis->count, 1);
    if (status)
        return status;
    scale_column(basis, matrix_column(&basis->columns, basis->count), &basis->exponents[basis->count]);
    basis->columns.columns = ++basis->count;
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
