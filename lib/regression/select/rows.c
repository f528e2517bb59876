/* Rows that are seen, gathered, so that whoever works on them need not know of others. */
#include "regression/select/rows.h"

#include <math.h>

enum {
    REFIT_WORK = 8192,
    MIN_REFITS = 4,
    MAX_REFITS = 16
}; /* parts in which other losses than squares leave rows out */

struct rows
rows_all(struct workspace *workspace, const struct training *table, const struct basis *basis, const struct loss *loss)
{
    size_t count = table->columns.rows;
    struct rows rows = {
        .table = table,
        .basis = basis,
        .loss = loss,
        .columns = basis->columns,
        .response = basis->response,
        .sqrt_weights = basis->sqrt_weights,
        .measured = table->measured,
        .weights = table->weights,
        .points = table->points,
        .point_count = table->point_count,
        .qr = qr_new(workspace, count, SUPPORT_COLUMNS),
    };

    if (!loss_is_square(loss))
        rows.irls = irls_new(workspace, count, SUPPORT_COLUMNS);
    return rows;
}

struct rows
rows_new(struct workspace *workspace, const struct training *table, const struct basis *basis, const struct loss *loss,
         size_t columns)
{
    struct rows rows = rows_all(workspace, table, basis, loss);
    size_t count = table->columns.rows;

    rows.columns = matrix_new(workspace, count, columns);
    rows.response = workspace_take(workspace, count, sizeof *rows.response);
    rows.sqrt_weights = workspace_take(workspace, count, sizeof *rows.sqrt_weights);
    rows.measured = workspace_take(workspace, count, sizeof *rows.measured);
    rows.weights = workspace_take(workspace, count, sizeof *rows.weights);
    rows.points = workspace_take(workspace, count, sizeof *rows.points);
    rows.indices = workspace_take(workspace, count, sizeof *rows.indices);
    return rows;
}

/* Rows of one point stand next to each other. */
static void
number_points(struct rows *rows)
{
    const size_t *points = rows->table->points;

    rows->point_count = 0;
    for (size_t i = 0; i < rows->columns.rows; i++) {
        bool same = i > 0 && points[rows->indices[i]] == points[rows->indices[i - 1]];

        rows->points[i] = same ? rows->points[i - 1] : rows->point_count++;
    }
}

void
rows_take(struct rows *rows, const unsigned char *labels, unsigned label, bool having)
{
    const struct basis *basis = rows->basis;
    size_t count = rows->table->columns.rows, seen = 0, others = count;

    for (size_t i = count; i-- > 0;)
        if ((labels[i] == label) != having)
            rows->indices[--others] = i;
    for (size_t i = 0; i < count; i++)
        if ((labels[i] == label) == having)
            rows->indices[seen++] = i;
    rows->columns.rows = seen;
    for (size_t i = 0; i < seen; i++) {
        size_t row = rows->indices[i];

        rows->response[i] = basis->response[row];
        rows->sqrt_weights[i] = basis->sqrt_weights[row];
        rows->measured[i] = rows->table->measured[row];
        rows->weights[i] = rows->table->weights[row];
    }
    for (size_t j = 0; j < rows->columns.columns; j++) /* not those that were appended since */
        for (size_t i = 0; i < seen; i++)
            matrix_column(&rows->columns, j)[i] = matrix_column(&basis->columns, j)[rows->indices[i]];
    number_points(rows);
}

void
rows_weigh(struct rows *rows, size_t row, double factor)
{
    rows->response[row] *= factor;
    rows->sqrt_weights[row] *= factor;
    for (size_t j = 0; j < rows->columns.columns; j++)
        matrix_column(&rows->columns, j)[row] *= factor;
}

/* ---- fits ---- */

static struct irls_problem
irls_problem(const struct rows *rows, const struct loss *loss, const uint16_t *columns, size_t count,
             const double **values)
{
    for (size_t k = 0; k < count; k++)
        values[k] = matrix_column(&rows->columns, columns[k]);
    return (struct irls_problem){.loss = loss,
                                 .rows = rows->columns.rows,
                                 .count = count,
                                 .columns = values,
                                 .response = rows->response,
                                 .sqrt_weights = rows->sqrt_weights,
                                 .measured = rows->measured,
                                 .weights = rows->weights,
                                 .positive = rows->basis->positive};
}

double
rows_solve(struct rows *rows, const struct loss *loss, const uint16_t *columns, size_t count, double *coefficients)
{
    const double *values[SUPPORT_COLUMNS];
    struct irls_problem problem = irls_problem(rows, loss, columns, count, values);

    return irls_fit(&rows->irls, &problem, coefficients);
}

static bool
signs_are_right(const struct basis *basis, const struct support *support, const double *coefficients)
{
    for (size_t k = 0; k < support->count; k++)
        if (basis->positive ? !(coefficients[k] > 0) : coefficients[k] * basis->signs[support->columns[k]] < 0)
            return false;
    return true;
}

double
rows_fit(struct rows *rows, const struct support *support, double *coefficients)
{
    double loss = INFINITY;

    if (!loss_is_square(rows->loss))
        loss = rows_solve(rows, rows->loss, support->columns, support->count, coefficients);
    else if (left_out_fit(&rows->qr, &rows->columns, rows->response, support, coefficients))
        loss = support->squares / (double)rows->columns.rows;
    return isfinite(loss) && signs_are_right(rows->basis, support, coefficients) ? loss : INFINITY;
}

static size_t
refits(const struct rows *rows)
{
    size_t count = REFIT_WORK / rows->columns.rows;

    count = count > MAX_REFITS ? MAX_REFITS : count < MIN_REFITS ? MIN_REFITS : count;
    return count < rows->point_count ? count : rows->point_count;
}

bool
rows_leave_out(struct rows *rows, const struct support *support, double *predictions)
{
    const double *values[SUPPORT_COLUMNS];
    struct irls_problem problem;

    if (!loss_is_square(rows->loss)) {
        problem = irls_problem(rows, rows->loss, support->columns, support->count, values);
        irls_leave_out(&rows->irls, &problem, rows->points, refits(rows), predictions);
        return true;
    }
    if (!left_out_errors(&rows->qr, &rows->columns, rows->response, rows->points, support, predictions))
        return false;
    for (size_t i = 0; i < rows->columns.rows; i++)
        predictions[i] = (rows->response[i] - predictions[i]) / rows->sqrt_weights[i];
    return true;
}

double
rows_predict(const struct rows *rows, const struct support *support, const double *coefficients, size_t row)
{
    double sum = 0;

    for (size_t k = 0; k < support->count; k++)
        sum += coefficients[k] * matrix_column(&rows->basis->columns, support->columns[k])[row];
    return sum / rows->basis->sqrt_weights[row];
}
