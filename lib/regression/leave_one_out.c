/* Exact leave-one-out errors of a subset of columns under non-negative least squares. */
#include "regression/leave_one_out.h"

#include <string.h>

enum { MOST_COLUMNS = SUBSET_TERMS + 1 };

static const double least_freedom = 1e-7; /* 1 - leverage below which a row decides a coefficient alone */

int
leave_one_out_new(memmodel_context *context, size_t rows, struct leave_one_out *work)
{
    int status;

    *work = (struct leave_one_out){.qr = {.count = 0}};
    status = qr_new(context, rows, MOST_COLUMNS, &work->qr);
    if (!status)
        status = nnls_new(context, rows, MOST_COLUMNS, &work->nnls);
    return status ? status : matrix_new(context, rows, MOST_COLUMNS + 1, &work->others);
}

void
leave_one_out_release(struct leave_one_out *work)
{
    qr_release(&work->qr);
    nnls_release(&work->nnls);
    matrix_release(&work->others);
}

bool
subset_fit(struct leave_one_out *work, const struct matrix *columns, const double *right_side,
           const struct subset *subset, double *coefficients)
{
    work->qr.count = 0;
    work->qr.q.rows = columns->rows;
    for (size_t k = 0; k < subset->count; k++)
        if (!qr_append(&work->qr, matrix_column(columns, subset->columns[k])))
            return false;
    qr_solve(&work->qr, right_side, coefficients);
    for (size_t k = 0; k < subset->count; k++)
        if (!(coefficients[k] > 0))
            return false;
    return true;
}

/* `to` is `from` without one element */
static void
copy_others(double *to, const double *from, size_t count, size_t left_out)
{
    memcpy(to, from, left_out * sizeof *to);
    memcpy(to + left_out, from + left_out + 1, (count - left_out - 1) * sizeof *to);
}

static double
row_value(const struct matrix *columns, const struct subset *subset, const double *coefficients, size_t row)
{
    double value = 0;

    for (size_t k = 0; k < subset->count; k++)
        value += coefficients[k] * matrix_column(columns, subset->columns[k])[row];
    return value;
}

static double
error_by_refit(struct leave_one_out *work, const struct matrix *columns, const double *right_side,
               const struct subset *subset, size_t row)
{
    const double *others[MOST_COLUMNS];
    double coefficients[MOST_COLUMNS], *others_right_side = matrix_column(&work->others, MOST_COLUMNS);

    for (size_t k = 0; k < subset->count; k++) {
        copy_others(matrix_column(&work->others, k), matrix_column(columns, subset->columns[k]), columns->rows, row);
        others[k] = matrix_column(&work->others, k);
    }
    copy_others(others_right_side, right_side, columns->rows, row);
    nnls_solve(&work->nnls, columns->rows - 1, others, subset->count, others_right_side, coefficients);
    return right_side[row] - row_value(columns, subset, coefficients, row);
}

/* The row's error from the factors of all rows; false where that is not exact. */
static bool
error_by_leverage(const struct leave_one_out *work, const double *coefficients, double residual, size_t row,
                  double *error)
{
    const struct qr *qr = &work->qr;
    double direction[MOST_COLUMNS], leverage = 0;

    for (size_t k = 0; k < qr->count; k++) {
        direction[k] = matrix_column(&qr->q, k)[row];
        leverage += direction[k] * direction[k];
    }
    if (!(1 - leverage > least_freedom))
        return false;
    *error = residual / (1 - leverage);
    qr_back_substitute(qr, direction);
    for (size_t k = 0; k < qr->count; k++)
        if (!(coefficients[k] - direction[k] * *error > 0))
            return false;
    return true;
}

bool
leave_one_out_errors(struct leave_one_out *work, const struct matrix *columns, const double *right_side,
                     const struct subset *subset, double *errors)
{
    double coefficients[MOST_COLUMNS];

    if (!subset_fit(work, columns, right_side, subset, coefficients))
        return false;
    for (size_t row = 0; row < columns->rows; row++) {
        double residual = right_side[row] - row_value(columns, subset, coefficients, row);

        if (!error_by_leverage(work, coefficients, residual, row, &errors[row]))
            errors[row] = error_by_refit(work, columns, right_side, subset, row);
    }
    return true;
}
