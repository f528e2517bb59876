/* Exact leave-one-out errors of a subset of columns under non-negative least squares. */
#include "regression/leave_one_out.h"

#include <string.h>

enum { MAX_COLUMNS = SUBSET_TERMS + 1 };

static const double least_freedom = 1e-7; /* 1 - leverage below which a row decides a coefficient alone */

int
leave_one_out_new(memmodel_context *context, size_t rows, struct leave_one_out *work)
{
    int status;

    *work = (struct leave_one_out){.qr = {.count = 0}};
    status = qr_new(context, rows, MAX_COLUMNS, &work->qr);
    if (!status)
        status = nnls_new(context, rows, MAX_COLUMNS, &work->nnls);
    return status ? status : matrix_new(context, rows, MAX_COLUMNS + 1, &work->others);
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

/* Rows that are left out together, in rising order. */
struct left_out {
    const size_t *rows;
    size_t count;
};

/* `to` is `from` without those rows */
static void
copy_others(double *to, const double *from, size_t count, const struct left_out *group)
{
    size_t next = 0;

    for (size_t k = 0; k <= group->count; k++) {
        size_t end = k < group->count ? group->rows[k] : count;

        memcpy(to, from + next, (end - next) * sizeof *to);
        to += end - next;
        next = end + 1;
    }
}

static double
row_value(const struct matrix *columns, const struct subset *subset, const double *coefficients, size_t row)
{
    double value = 0;

    for (size_t k = 0; k < subset->count; k++)
        value += coefficients[k] * matrix_column(columns, subset->columns[k])[row];
    return value;
}

static void
errors_by_refit(struct leave_one_out *work, const struct matrix *columns, const double *right_side,
                const struct subset *subset, const struct left_out *group, double *errors)
{
    const double *others[MAX_COLUMNS];
    double coefficients[MAX_COLUMNS], *others_right_side = matrix_column(&work->others, MAX_COLUMNS);

    for (size_t k = 0; k < subset->count; k++) {
        copy_others(matrix_column(&work->others, k), matrix_column(columns, subset->columns[k]), columns->rows, group);
        others[k] = matrix_column(&work->others, k);
    }
    copy_others(others_right_side, right_side, columns->rows, group);
    nnls_solve(&work->nnls, columns->rows - group->count, others, subset->count, others_right_side, coefficients);
    for (size_t k = 0; k < group->count; k++)
        errors[group->rows[k]] = right_side[group->rows[k]] - row_value(columns, subset, coefficients, group->rows[k]);
}

/* The row's error from the factors of all rows; false where that is not exact. */
static bool
error_by_leverage(const struct leave_one_out *work, const double *coefficients, double residual, size_t row,
                  double *error)
{
    const struct qr *qr = &work->qr;
    double direction[MAX_COLUMNS], leverage = 0;

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

/* ---- rows of one point ---- */

/* x = (1 - sum of q q')^-1 sum of q r over the group's rows q of Q; false where the others do not tell all coefficients. */
static bool
solve_shift(const struct qr *qr, const struct left_out *group, const double *residuals, double *x)
{
    double a[MAX_COLUMNS][MAX_COLUMNS];
    size_t n = qr->count;

    for (size_t i = 0; i < n; i++) {
        const double *left = matrix_column(&qr->q, i);

        x[i] = 0;
        for (size_t k = 0; k < group->count; k++)
            x[i] += left[group->rows[k]] * residuals[k];
        for (size_t j = 0; j < n; j++) {
            a[i][j] = i == j;
            for (size_t k = 0; k < group->count; k++)
                a[i][j] -= left[group->rows[k]] * matrix_column(&qr->q, j)[group->rows[k]];
        }
    }
    for (size_t i = 0; i < n; i++) { /* positive definite: no pivots are needed */
        if (!(a[i][i] > least_freedom))
            return false;
        for (size_t j = i + 1; j < n; j++) {
            double factor = a[j][i] / a[i][i];

            for (size_t k = i; k < n; k++)
                a[j][k] -= factor * a[i][k];
            x[j] -= factor * x[i];
        }
    }
    for (size_t i = n; i-- > 0; x[i] /= a[i][i])
        for (size_t j = i + 1; j < n; j++)
            x[i] -= a[i][j] * x[j];
    return true;
}

/* `errors` has the residuals of the group's rows, and gets what they are without all of these. */
static bool
errors_by_factors(const struct leave_one_out *work, const double *coefficients, const struct left_out *group,
                  double *residuals)
{
    const struct qr *qr = &work->qr;
    double shift[MAX_COLUMNS], change[MAX_COLUMNS];

    if (!solve_shift(qr, group, residuals, shift))
        return false;
    memcpy(change, shift, qr->count * sizeof *change);
    qr_back_substitute(qr, change);
    for (size_t k = 0; k < qr->count; k++)
        if (!(coefficients[k] - change[k] > 0))
            return false;
    for (size_t i = 0; i < group->count; i++)
        for (size_t k = 0; k < qr->count; k++)
            residuals[i] += matrix_column(&qr->q, k)[group->rows[i]] * shift[k];
    return true;
}

static void
group_errors(struct leave_one_out *work, const struct matrix *columns, const double *right_side,
             const struct subset *subset, const double *coefficients, const struct left_out *group, double *errors)
{
    double *residuals = matrix_column(&work->others, MAX_COLUMNS);

    for (size_t k = 0; k < group->count; k++)
        residuals[k] = right_side[group->rows[k]] - row_value(columns, subset, coefficients, group->rows[k]);
    if (group->count == columns->rows || !errors_by_factors(work, coefficients, group, residuals))
        errors_by_refit(work, columns, right_side, subset, group, errors);
    else
        for (size_t k = 0; k < group->count; k++)
            errors[group->rows[k]] = residuals[k];
}

static void
row_error(struct leave_one_out *work, const struct matrix *columns, const double *right_side,
          const struct subset *subset, const double *coefficients, size_t row, double *errors)
{
    double residual = right_side[row] - row_value(columns, subset, coefficients, row);

    if (!error_by_leverage(work, coefficients, residual, row, &errors[row]))
        errors_by_refit(work, columns, right_side, subset, &(struct left_out){&row, 1}, errors);
}

bool
leave_one_out_errors(struct leave_one_out *work, const struct matrix *columns, const double *right_side,
                     const struct subset *subset, double *errors)
{
    const struct row_groups *groups = work->groups;
    size_t count = groups ? groups->count : columns->rows;
    double coefficients[MAX_COLUMNS];

    if (!subset_fit(work, columns, right_side, subset, coefficients))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t start = groups ? groups->starts[i] : i, size = groups ? groups->starts[i + 1] - start : 1;

        if (context_spend(work->qr.q.context, 1))
            return false;
        if (size == 1)
            row_error(work, columns, right_side, subset, coefficients, groups ? groups->rows[start] : i, errors);
        else if (size > 1)
            group_errors(work, columns, right_side, subset, coefficients,
                         &(struct left_out){groups->rows + start, size}, errors);
    }
    return true;
}

/* ---- groups ---- */

int
row_groups_new(memmodel_context *context, const size_t *points, size_t rows, size_t count, struct row_groups *groups)
{
    *groups = (struct row_groups){
        .count = count,
        .starts = memory_allocate_zeroed(context, count + 2, sizeof *groups->starts),
        .rows = memory_allocate_zeroed(context, rows, sizeof *groups->rows),
    };
    if (!groups->starts || !groups->rows)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < rows; i++)
        groups->starts[points[i] + 2]++;
    for (size_t g = 2; g < count + 2; g++)
        groups->starts[g] += groups->starts[g - 1];
    for (size_t i = 0; i < rows; i++)
        groups->rows[groups->starts[points[i] + 1]++] = i;
    return 0;
}

void
row_groups_release(memmodel_context *context, struct row_groups *groups)
{
    memory_release(context, groups->starts);
    memory_release(context, groups->rows);
}
