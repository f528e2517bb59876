/* Vectors, column-major matrices, and a QR factorisation that grows column by column. */
#include "regression/linear/matrix.h"
#include "base/checked.h"

#include <math.h>
#include <string.h>

static const double dependent = 1e-10; /* share of a column's norm below which nothing of it is left but rounding */

/* ---- memory ---- */

static void *
take(struct workspace *workspace, size_t count, size_t size)
{
    size_t bytes;
    void *taken = NULL;

    if (workspace->status)
        return NULL;
    if (checked_size(count, size, &bytes))
        taken = arena_allocate(&workspace->arena, bytes);
    else
        context_error(workspace->arena.context, MEMMODEL_ERROR_NO_MEMORY, NULL,
                      "a table of %zu x %zu bytes is too large", count, size);
    workspace->status = taken ? 0 : MEMMODEL_ERROR_NO_MEMORY;
    return taken;
}

void *
workspace_take(struct workspace *workspace, size_t count, size_t size)
{
    void *taken = take(workspace, count, size);

    if (taken)
        memset(taken, 0, count * size);
    return taken;
}

void
workspace_release(struct workspace *workspace)
{
    arena_release(&workspace->arena);
}

/* ---- vectors ---- */

double
vector_dot(size_t n, const double *a, const double *b)
{
    double sums[4] = {0};
    size_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (size_t lane = 0; lane < 4; lane++)
            sums[lane] += a[i + lane] * b[i + lane];
    for (size_t lane = 0; i < n; i++, lane++)
        sums[lane] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* ---- many at once: one sum waits for its last addition, those of four columns do not wait for each other ---- */

enum { TOGETHER = 4 };

typedef double pair __attribute__((vector_size(2 * sizeof(double))));

static inline pair
load_pair(const double *from)
{
    pair loaded;

    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

static void
dot_together(size_t n, const double *columns, const double *b, double *products)
{
    pair low[TOGETHER] = {{0}}, high[TOGETHER] = {{0}};
    size_t whole = n - n % 4;

    for (size_t i = 0; i < whole; i += 4) {
        pair first = load_pair(b + i), second = load_pair(b + i + 2);

        for (size_t k = 0; k < TOGETHER; k++) {
            low[k] += load_pair(columns + k * n + i) * first;
            high[k] += load_pair(columns + k * n + i + 2) * second;
        }
    }
    for (size_t k = 0; k < TOGETHER; k++) {
        double sums[4] = {low[k][0], low[k][1], high[k][0], high[k][1]};

        for (size_t i = whole; i < n; i++)
            sums[i - whole] += columns[k * n + i] * b[i];
        products[k] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

void
matrix_multiply(const struct matrix *matrix, size_t columns, const double *vector, double *products)
{
    size_t j = 0;

    for (; j + TOGETHER <= columns; j += TOGETHER)
        dot_together(matrix->rows, matrix_column(matrix, j), vector, products + j);
    for (; j < columns; j++)
        products[j] = vector_dot(matrix->rows, matrix_column(matrix, j), vector);
}

/* ---- one ---- */

void
vector_add_scaled(size_t n, double *y, double factor, const double *x)
{
    for (size_t i = 0; i < n; i++)
        y[i] += factor * x[i];
}

struct matrix
matrix_new(struct workspace *workspace, size_t rows, size_t columns)
{
    memmodel_context *context = workspace->arena.context;
    struct matrix matrix = {.context = context,
                            .rows = rows,
                            .columns = columns,
                            .values = take(workspace, rows, columns * sizeof(double))};

    for (size_t j = 0; !workspace->status && j < columns; j++) {
        memset(matrix_column(&matrix, j), 0, rows * sizeof *matrix.values);
        workspace->status = context_check(context, matrix_work(rows, 1));
    }
    return matrix;
}

struct qr
qr_new(struct workspace *workspace, size_t rows, size_t capacity)
{
    return (struct qr){.q = matrix_new(workspace, rows, capacity), .r = matrix_new(workspace, capacity, capacity)};
}

static void
remove_projections(const struct qr *qr, double *column, double *coefficients)
{
    for (size_t j = 0; j < qr->count; j++) {
        double along = vector_dot(qr->q.rows, matrix_column(&qr->q, j), column);

        vector_add_scaled(qr->q.rows, column, -along, matrix_column(&qr->q, j));
        coefficients[j] += along;
    }
}

bool
qr_append(struct qr *qr, const double *column)
{
    size_t rows = qr->q.rows;
    double *q, *r, before, left;

    if (qr->count == qr->q.columns || qr->count == rows)
        return false;
    q = matrix_column(&qr->q, qr->count);
    r = matrix_column(&qr->r, qr->count);
    memcpy(q, column, rows * sizeof *q);
    memset(r, 0, qr->r.rows * sizeof *r);
    before = sqrt(vector_dot(rows, q, q));
    remove_projections(qr, q, r);
    remove_projections(qr, q, r);
    left = sqrt(vector_dot(rows, q, q));
    if (!(left > dependent * before))
        return false;
    for (size_t i = 0; i < rows; i++)
        q[i] /= left;
    r[qr->count++] = left;
    return true;
}

void
qr_back_substitute(const struct qr *qr, double *x)
{
    for (size_t i = qr->count; i-- > 0;) {
        for (size_t j = i + 1; j < qr->count; j++)
            x[i] -= matrix_column(&qr->r, j)[i] * x[j];
        x[i] /= matrix_column(&qr->r, i)[i];
    }
}

void
qr_align(const struct qr *qr, const double *response, double *products)
{
    for (size_t j = 0; j < qr->count; j++)
        products[j] = vector_dot(qr->q.rows, matrix_column(&qr->q, j), response);
}

void
qr_solve(const struct qr *qr, const double *response, double *solution)
{
    qr_align(qr, response, solution);
    qr_back_substitute(qr, solution);
}

void
qr_project_out(const struct qr *qr, double *vector)
{
    for (size_t k = 0; k < qr->count; k++) {
        const double *q = matrix_column(&qr->q, k);

        vector_add_scaled(qr->q.rows, vector, -vector_dot(qr->q.rows, q, vector), q);
    }
}

double
qr_leverage(const struct qr *qr, size_t row)
{
    double leverage = 0;

    for (size_t k = 0; k < qr->count; k++)
        leverage += matrix_column(&qr->q, k)[row] * matrix_column(&qr->q, k)[row];
    return leverage;
}
