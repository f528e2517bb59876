/*
 * Vectors, column-major matrices, and a QR factorisation that grows column by column.
 *
 * Sums run in one fixed order (four interleaved partial sums), so results have the same bits on every machine.
 */
#ifndef REGRESSION_MATRIX_H
#define REGRESSION_MATRIX_H

#include "base/arena.h"

/*
 * Memory of a fit or of a part of it, given back all at once. What could not be had is NULL, a matrix without values:
 * whoever takes it asks for the status once before it is used.
 */
struct workspace {
    struct arena arena;
    int status; /* 0, MEMMODEL_ERROR_NO_MEMORY, or what context_check() returned */
};

#define WORKSPACE_INIT(context_) ((struct workspace){.arena = ARENA_INIT(context_)})

/* So many of that size, all zero. */
void *
workspace_take(struct workspace *workspace, size_t count, size_t size);

void
workspace_release(struct workspace *workspace);

double
vector_dot(size_t n, const double *a, const double *b);

/* y += factor * x */
void
vector_add_scaled(size_t n, double *y, double factor, const double *x);

struct matrix {
    memmodel_context *context;
    size_t rows, columns;
    double *values;
};

/* All zero. */
struct matrix
matrix_new(struct workspace *workspace, size_t rows, size_t columns);

/* Nodes of context_spend() for a look at every number of so many columns: a thousand take a microsecond. */
static inline int64_t
matrix_work(size_t rows, size_t columns)
{
    return 1 + (int64_t)((double)rows * (double)columns / 1024);
}

static inline double *
matrix_column(const struct matrix *matrix, size_t column)
{
    return matrix->values + column * matrix->rows;
}

/* products[j] = vector_dot() of column j and the vector, the same bits, for the first columns */
void
matrix_multiply(const struct matrix *matrix, size_t columns, const double *vector, double *products);

/*
 * A = Q R for the columns appended so far, Q with orthonormal columns, R upper triangular. Classical Gram-Schmidt done
 * twice a column, which keeps Q orthogonal to machine precision as Householder's method does (Giraud, Langou, Rozloznik
 * and van den Eshof, 2005: "twice is enough") and gives Q itself, whose rows are the leverages.
 */
struct qr {
    struct matrix q, r;
    size_t count;
};

struct qr
qr_new(struct workspace *workspace, size_t rows, size_t capacity);

/*
 * false, and nothing appended, if the column depends on those before it: what is left of it is below 1e-10 of its norm
 */
bool
qr_append(struct qr *qr, const double *column);

/* products[i]: of column i of Q and the vector */
void
qr_align(const struct qr *qr, const double *response, double *products);

/* solution[i]: least squares coefficients of the appended columns */
void
qr_solve(const struct qr *qr, const double *response, double *solution);

/* What the columns leave of a vector, in place. */
void
qr_project_out(const struct qr *qr, double *vector);

/* Squared norm of that row of Q. */
double
qr_leverage(const struct qr *qr, size_t row);

/* x = R^-1 x, in place */
void
qr_back_substitute(const struct qr *qr, double *x);

#endif
