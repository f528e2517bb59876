/* Forward selection by products with the residual, which are kept up to date instead of the columns. */
#include "regression/path.h"

#include <math.h>
#include <string.h>

static const double constant = 1e-10;     /* share of a column's size below which its spread is rounding */
static const double least_rest = 1e-4;    /* squared norm of what is new in a column that may be chosen */
static const double most_leverage = 0.95; /* of a row: beyond it, a coefficient describes that row alone */
static const double alone = 1 - 1e-9;     /* leverage of a row that nothing else says anything about */
static const double tie = 1e-12;          /* relative difference of gains that counts as none */

static int
allocate(memmodel_context *context, size_t rows, size_t columns, struct path *path)
{
    double **const of_rows[] = {&path->roots, &path->centred, &path->residuals, &path->leverages};
    double **const of_columns[] = {&path->means, &path->norms, &path->alignments, &path->rests,
                                   &path->first_alignments};

    for (size_t i = 0; i < sizeof of_rows / sizeof of_rows[0]; i++)
        if (!(*of_rows[i] = memory_allocate_zeroed(context, rows, sizeof **of_rows[i])))
            return MEMMODEL_ERROR_NOMEM;
    for (size_t i = 0; i < sizeof of_columns / sizeof of_columns[0]; i++)
        if (!(*of_columns[i] = memory_allocate_zeroed(context, columns, sizeof **of_columns[i])))
            return MEMMODEL_ERROR_NOMEM;
    path->refused = memory_allocate_zeroed(context, columns, sizeof *path->refused);
    return path->refused ? 0 : MEMMODEL_ERROR_NOMEM;
}

int
path_new(memmodel_context *context, size_t rows, size_t columns, const unsigned *sizes, struct path *path)
{
    int status;

    *path = (struct path){.sizes = sizes};
    status = matrix_new(context, rows, columns, &path->columns);
    if (!status)
        status = qr_new(context, rows, PATH_MOST, &path->qr);
    return status ? status : allocate(context, rows, columns, path);
}

void
path_release(memmodel_context *context, struct path *path)
{
    void *const blocks[] = {path->roots, path->centred,    path->residuals, path->leverages,        path->means,
                            path->norms, path->alignments, path->rests,     path->first_alignments, path->refused};

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (blocks[i])
            memory_release(context, blocks[i]);
    matrix_release(&path->columns);
    qr_release(&path->qr);
}

/* Takes the weighted mean out of numbers that are multiplied by the roots of the weights; returns it. */
static double
centre(const struct path *path, double *numbers)
{
    size_t rows = path->columns.rows;
    double mean = vector_dot(rows, path->roots, numbers) / vector_dot(rows, path->roots, path->roots);

    vector_add_scaled(rows, numbers, -mean, path->roots);
    return mean;
}

static void
set_column(struct path *path, size_t j)
{
    size_t rows = path->columns.rows;
    double *column = matrix_column(&path->columns, j), size = sqrt(vector_dot(rows, column, column)), norm;

    path->means[j] = centre(path, column);
    norm = sqrt(vector_dot(rows, column, column));
    path->norms[j] = norm > constant * size ? norm : 0;
    for (size_t i = 0; path->norms[j] > 0 && i < rows; i++)
        column[i] /= norm;
    path->first_alignments[j] = path->norms[j] > 0 ? vector_dot(rows, column, path->centred) : 0;
}

void
path_set(struct path *path, const double *right_side)
{
    size_t rows = path->columns.rows;

    memcpy(path->centred, right_side, rows * sizeof *right_side);
    path->mean = centre(path, path->centred);
    path->norms[0] = 0;
    for (size_t j = 1; j < path->columns.columns; j++)
        set_column(path, j);
    path->qr.q.rows = rows;
}

void
path_begin(struct path *path, size_t library)
{
    size_t rows = path->columns.rows;
    double total = vector_dot(rows, path->roots, path->roots);

    path->library = library;
    path->count = path->qr.count = 0;
    path->group = 0;
    memcpy(path->residuals, path->centred, rows * sizeof *path->residuals);
    memcpy(path->alignments, path->first_alignments, library * sizeof *path->alignments);
    for (size_t i = 0; i < rows; i++)
        path->leverages[i] = path->roots[i] * path->roots[i] / total;
    for (size_t j = 0; j < library; j++) {
        path->rests[j] = path->norms[j] > 0;
        path->refused[j] = false;
    }
}

static double
gain(const struct path *path, size_t j)
{
    if (path->refused[j] || !(path->rests[j] > least_rest))
        return 0;
    if (path->groups && path->groups[j] != 0 && path->group != 0 && path->groups[j] != path->group)
        return 0;
    return path->alignments[j] * path->alignments[j] / path->rests[j];
}

/* 0, the constant, if no column is left that gains anything. */
static size_t
best_column(const struct path *path)
{
    double most = 0;
    size_t best = 0;

    for (size_t j = 1; j < path->library; j++)
        most = fmax(most, gain(path, j));
    if (!(most > 0))
        return 0;
    for (size_t j = 1; j < path->library; j++)
        if (gain(path, j) >= most * (1 - tie) && (best == 0 || path->sizes[j] < path->sizes[best]))
            best = j;
    return best;
}

static bool
leverages_allow(const struct path *path, const double *q, double most)
{
    for (size_t i = 0; i < path->columns.rows; i++)
        if (path->leverages[i] + q[i] * q[i] > most)
            return false;
    return true;
}

/* With one more column, which the factors already have: are all coefficients of the sign that they must have? */
static bool
signs_allow(const struct path *path, size_t column)
{
    double coefficients[PATH_MOST];

    if (!path->signs)
        return true;
    qr_solve(&path->qr, path->centred, coefficients);
    for (size_t k = 0; k <= path->count; k++)
        if (coefficients[k] * path->signs[k < path->count ? path->chosen[k] : column] < 0)
            return false;
    return true;
}

/* What column q of the factors explains is taken out of everything. */
static void
take_out(struct path *path, const double *q)
{
    size_t rows = path->columns.rows;
    double along = vector_dot(rows, q, path->residuals);

    vector_add_scaled(rows, path->residuals, -along, q);
    for (size_t i = 0; i < rows; i++)
        path->leverages[i] += q[i] * q[i];
    for (size_t j = 1; j < path->library; j++) {
        double share;

        if (!(path->rests[j] > least_rest))
            continue;
        share = vector_dot(rows, matrix_column(&path->columns, j), q);
        path->alignments[j] -= share * along;
        path->rests[j] -= share * share;
    }
}

bool
path_extend(struct path *path)
{
    size_t best;

    if (path->count == PATH_MOST)
        return false;
    for (; (best = best_column(path)) != 0; path->refused[best] = true) {
        const double *q = matrix_column(&path->qr.q, path->qr.count);

        if (!qr_append(&path->qr, matrix_column(&path->columns, best)))
            continue;
        if (leverages_allow(path, q, most_leverage) && signs_allow(path, best)) {
            path->refused[best] = true;
            if (path->groups && path->groups[best] != 0)
                path->group = path->groups[best];
            path->chosen[path->count++] = (uint16_t)best;
            take_out(path, q);
            return true;
        }
        path->qr.count--;
    }
    return false;
}

bool
path_take(struct path *path, size_t first, size_t end)
{
    for (size_t j = first; j < end && path->count < PATH_MOST; j++) {
        const double *q = matrix_column(&path->qr.q, path->qr.count);

        if (path->norms[j] == 0 || !qr_append(&path->qr, matrix_column(&path->columns, j)))
            continue;
        if (!leverages_allow(path, q, alone))
            return false;
        path->chosen[path->count++] = (uint16_t)j;
        take_out(path, q);
    }
    return true;
}

double
path_solve(const struct path *path, double *coefficients)
{
    double offset = path->mean;

    qr_solve(&path->qr, path->centred, coefficients);
    for (size_t k = 0; k < path->count; k++) {
        coefficients[k] /= path->norms[path->chosen[k]];
        offset -= coefficients[k] * path->means[path->chosen[k]];
    }
    return offset;
}
