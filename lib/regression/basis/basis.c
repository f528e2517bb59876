/* The terms that a fit chooses from: a constant, the caller's formulas, and three nested libraries. */
#include "regression/basis/basis.h"

#include "regression/basis/libraries.h"
#include "regression/basis/symbols.h"

#include <math.h>

/* ---- given terms ---- */

static bool
depends_on_inputs(const struct basis *basis, const struct training *table, expression term)
{
    for (size_t i = 0; i < table->input_count; i++)
        if (expression_depends_on(basis->pool, term, i))
            return true;
    return false;
}

/* A given term that is a number is the constant, which is there already. */
static int
add_given(struct basis *basis, const struct training *table, const char *text)
{
    expression term;

    if (!text)
        return context_error(table->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "a term without a formula");
    term = expression_parse(basis->pool, text, text);
    if (term < 0)
        return term;
    if (expression_symbol_count(basis->pool) > table->input_count)
        return context_error(table->context, MEMMODEL_ERROR_NOT_FOUND, text, "\"%s\" is no input of this fit",
                             expression_symbol_name(basis->pool, table->input_count));
    if (!structure_unit_fits(basis->structure, basis->pool, term))
        return context_error(table->context, MEMMODEL_ERROR_INVALID_ARGUMENT, text,
                             "the term is neither of the target's unit nor a pure number, or mixes units");
    if (depends_on_inputs(basis, table, term))
        basis_add_term(basis, term, 1);
    return basis->workspace->status;
}

/* The libraries behind the constant and the given terms. */
static void
add_libraries(struct basis *basis, const struct training *table, const struct memmodel_fit_options *options)
{
    for (size_t i = 0; i < BASIS_LIBRARIES; i++)
        basis->ends[i] = basis->count;
    if (options->basis == MEMMODEL_FIT_BASIS_GENERAL && !basis->relative) {
        general_terms_add(basis, table);
        return;
    }
    if (options->basis != MEMMODEL_FIT_BASIS_USER)
        powers_add(basis, table);
    basis->ends[1] = basis->count;
    change_points_add(basis, table, basis->ends[0]);
    basis->ends[2] = basis->count;
}

static int
add_terms(struct basis *basis, const struct training *table, const struct memmodel_fit_options *options)
{
    int status = symbols_define(basis->pool, table->context, table->inputs, table->input_count);

    if (status)
        return status;
    basis->given = true;
    basis_add_term(basis, expression_integer(basis->pool, 1), 1);
    status = basis->workspace->status;
    for (size_t i = 0; !status && i < options->term_count; i++)
        status = add_given(basis, table, options->terms[i]);
    if (status)
        return status;
    basis->given_end = basis->count;
    basis->given = false;
    add_libraries(basis, table, options);
    return basis->workspace->status;
}

/* Square roots of weights, of relative errors divided by what was measured. */
static void
weigh_rows(struct basis *basis, const struct training *table)
{
    for (size_t i = 0; i < table->columns.rows; i++) {
        double root = sqrt(table->weights[i]);

        basis->sqrt_weights[i] = basis->relative ? root / table->measured[i] : root;
        basis->response[i] = basis->relative ? root : root * table->measured[i];
    }
}

int
basis_new(struct workspace *workspace, const struct training *table, const struct memmodel_fit_options *options,
          const struct structure *structure, struct basis *basis)
{
    size_t appended = options->search ? BASIS_MAX_APPENDED : BASIS_APPENDED;
    int status;

    *basis = (struct basis){.workspace = workspace, .positive = !fit_is_general(options), .structure = structure};
    basis->relative = basis->positive || loss_is_relative(options->loss);
    status = expression_pool_new(table->context, &basis->pool);
    if (!status)
        status = basis_allocate(basis, table, options->term_count, appended);
    if (!status)
        status = add_terms(basis, table, options);
    if (status)
        return status;
    basis->capacity = basis->count + appended;
    basis->columns = matrix_new(workspace, table->columns.rows, basis->capacity);
    if (workspace->status)
        return workspace->status;
    weigh_rows(basis, table);
    return basis_fill_columns(basis, table);
}
