/* Exact leave-one-out errors of least squares, from the factors of all rows. */
#include "regression/linear/left_out.h"

static const double min_dof = 1e-7; /* 1 - leverage below which a point determines a coefficient alone */

bool
left_out_fit(struct qr *qr, const struct matrix *columns, const double *response, const struct support *support,
             double *coefficients)
{
    qr->count = 0;
    qr->q.rows = columns->rows;
    for (size_t k = 0; k < support->count; k++)
        if (!qr_append(qr, matrix_column(columns, support->columns[k])))
            return false;
    qr_solve(qr, response, coefficients);
    return true;
}

/* What the columns leave of the response. */
static void
fill_residuals(const struct qr *qr, const double *response, double *residuals)
{
    memcpy(residuals, response, qr->q.rows * sizeof *residuals);
    for (size_t k = 0; k < qr->count; k++)
        vector_add_scaled(qr->q.rows, residuals, -vector_dot(qr->q.rows, matrix_column(&qr->q, k), residuals),
                          matrix_column(&qr->q, k));
}

/* Rows of the factors, from `first` to before `end`. */
struct point {
    const struct qr *qr;
    size_t first, end;
};

/* A = 1 - sum of q q' over the point's rows q, b = sum of q r. */
static void
fill_system(const struct point *point, const double *residuals, double a[][SUPPORT_COLUMNS], double *b)
{
    const struct qr *qr = point->qr;

    for (size_t i = 0; i < qr->count; i++) {
        const double *left = matrix_column(&qr->q, i);

        b[i] = 0;
        for (size_t row = point->first; row < point->end; row++)
            b[i] += left[row] * residuals[row];
        for (size_t j = 0; j < qr->count; j++) {
            a[i][j] = i == j;
            for (size_t row = point->first; row < point->end; row++)
                a[i][j] -= left[row] * matrix_column(&qr->q, j)[row];
        }
    }
}

/* b = A^-1 b of a positive definite A, which needs no pivots; false if it is not. */
static bool
solve(size_t n, double a[][SUPPORT_COLUMNS], double *b)
{
    for (size_t i = 0; i < n; i++) {
        if (!(a[i][i] > min_dof))
            return false;
        for (size_t j = i + 1; j < n; j++) {
            double factor = a[j][i] / a[i][i];

            for (size_t k = i; k < n; k++)
                a[j][k] -= factor * a[i][k];
            b[j] -= factor * b[i];
        }
    }
    for (size_t i = n; i-- > 0; b[i] /= a[i][i])
        for (size_t j = i + 1; j < n; j++)
            b[i] -= a[i][j] * b[j];
    return true;
}

/* (1 - Q Q')^-1 r = r + Q (1 - Q' Q)^-1 Q' r */
static bool
leave_out(const struct point *point, double *residuals)
{
    double a[SUPPORT_COLUMNS][SUPPORT_COLUMNS], shift[SUPPORT_COLUMNS];

    fill_system(point, residuals, a, shift);
    if (!solve(point->qr->count, a, shift))
        return false;
    for (size_t row = point->first; row < point->end; row++)
        for (size_t k = 0; k < point->qr->count; k++)
            residuals[row] += matrix_column(&point->qr->q, k)[row] * shift[k];
    return true;
}

static bool
leave_out_row(const struct qr *qr, size_t row, double *residuals)
{
    double dof = 1 - qr_leverage(qr, row);

    residuals[row] /= dof;
    return dof > min_dof;
}

bool
left_out_errors(struct qr *qr, const struct matrix *columns, const double *response, const size_t *points,
                const struct support *support, double *errors)
{
    double coefficients[SUPPORT_COLUMNS];
    size_t rows = columns->rows, end;

    if (!left_out_fit(qr, columns, response, support, coefficients))
        return false;
    fill_residuals(qr, response, errors);
    for (size_t row = 0; row < rows; row = end) {
        for (end = row + 1; end < rows && points[end] == points[row];)
            end++;
        if (end == row + 1 ? !leave_out_row(qr, row, errors) : !leave_out(&(struct point){qr, row, end}, errors))
            return false;
    }
    return true;
}
