/* Coefficients of formulas of trees by other losses than squares, on columns that the fitter has. */
#include "regression/search/contest.h"

enum { MAX_COLUMNS = 1 + FORMULA_MOST_TREES + FORMULA_MOST_NUMBERS };

int
trees_new_refit(struct trees *trees)
{
    memmodel_context *context = trees->training->context;
    size_t rows = trees->training->columns.rows;
    struct refit *refit = &trees->refit;
    int status;

    if (!trees->loss)
        return 0;
    status = reweighing_new(context, rows, MAX_COLUMNS, &refit->reweighing);
    if (!status)
        status = matrix_new(context, rows, MAX_COLUMNS, &refit->columns);
    if (status)
        return status;
    refit->right_side = memory_allocate_zeroed(context, 5 * rows, sizeof *refit->right_side);
    if (!refit->right_side)
        return MEMMODEL_ERROR_NO_MEMORY;
    refit->roots = refit->right_side + rows;
    refit->measured = refit->roots + rows;
    refit->weights = refit->measured + rows;
    refit->predictions = refit->weights + rows;
    return 0;
}

void
trees_release_refit(struct trees *trees)
{
    if (!trees->refit.reweighing.qr.q.context)
        return;
    reweighing_release(trees->training->context, &trees->refit.reweighing);
    matrix_release(&trees->refit.columns);
    memory_release(trees->training->context, trees->refit.right_side);
}

/* Column k of what is fitted: the constant, then trees, then slopes by their numbers; all times the roots. */
static const double *
source_of(const struct trees *trees, const struct formula *formula, size_t k)
{
    const struct fitter *fitter = &trees->hunt.fitter;

    if (k == 0)
        return trees->roots;
    return k <= formula->count ? matrix_column(&fitter->columns, k - 1)
                               : matrix_column(&fitter->slopes, k - 1 - formula->count);
}

/* The rows that count, one after the other. */
static struct reweigh_problem
gather(struct trees *trees, const struct formula *formula, size_t count, const double **columns)
{
    struct refit *refit = &trees->refit;
    size_t kept = 0;

    for (size_t i = 0; i < trees->training->columns.rows; i++) {
        if (!(trees->roots[i] > 0))
            continue;
        for (size_t k = 0; k < count; k++)
            matrix_column(&refit->columns, k)[kept] = source_of(trees, formula, k)[i];
        refit->roots[kept] = trees->roots[i];
        refit->right_side[kept] = trees->reading->aims[i] * trees->roots[i];
        refit->measured[kept] = trees->training->measured[i];
        refit->weights[kept++] = trees->training->weights[i];
    }
    for (size_t k = 0; k < count; k++)
        columns[k] = matrix_column(&refit->columns, k);
    return (struct reweigh_problem){.loss = trees->loss,
                                    .rows = kept,
                                    .count = count,
                                    .columns = columns,
                                    .right_side = refit->right_side,
                                    .roots = refit->roots,
                                    .measured = refit->measured,
                                    .weights = refit->weights};
}

void
trees_refit(struct trees *trees, struct formula *formula)
{
    const double *columns[MAX_COLUMNS];
    double coefficients[MAX_COLUMNS];
    struct reweigh_problem problem;

    if (!formula_fit_linear(&trees->hunt.fitter, formula))
        return;
    problem = gather(trees, formula, 1 + formula->count, columns);
    reweigh_fit(&trees->refit.reweighing, &problem, coefficients);
    formula->constant = coefficients[0];
    for (size_t k = 0; k < formula->count; k++)
        formula->coefficients[k] = coefficients[1 + k];
}

double
trees_leave_out(struct trees *trees, const struct formula *formula, double *errors)
{
    const double *columns[MAX_COLUMNS];
    double sum = 0;
    size_t count = 1 + formula->count + formula_count_numbers(formula), rows = trees->training->columns.rows;
    struct reweigh_problem problem = gather(trees, formula, count, columns);

    reweigh_leave_out(&trees->refit.reweighing, &problem, trees->training->points,
                      general_left_out_parts(trees->training), trees->refit.predictions);
    for (size_t i = 0; i < rows; i++) {
        errors[i] =
            trees->training->measured[i] - model_respond(&trees->reading->response, trees->refit.predictions[i]);
        sum += trees_loss_of(trees, i, errors[i]);
    }
    return sum / (double)rows;
}
