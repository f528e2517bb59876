/* Selection by products with the residual, which are kept up to date instead of the columns. */
#include "regression/path.h"
#include "regression/logarithm.h"

#include <math.h>
#include <string.h>

static const double constant = 1e-10;     /* share of a column's size below which its spread is rounding */
static const double least_rest = 1e-4;    /* squared norm of what is new in a column that may be chosen */
static const double most_leverage = 0.95; /* of a row: beyond it, a coefficient describes that row alone */
static const double alone = 1 - 1e-9;     /* leverage of a row that nothing else says anything about */
enum { LEAST_SHORTENED = 3 };             /* columns: the first one chosen is the best one by itself */

static const double tie = 1e-12; /* relative difference of gains that counts as none */

static int
allocate(memmodel_context *context, size_t rows, size_t columns, struct path *path)
{
    double **const of_rows[] = {&path->roots, &path->centred, &path->residuals, &path->leverages};
    double **const of_columns[] = {&path->means, &path->norms, &path->alignments, &path->rests, &path->first_alignments,
                                   &path->shares};

    for (size_t i = 0; i < sizeof of_rows / sizeof of_rows[0]; i++)
        if (!(*of_rows[i] = memory_allocate_zeroed(context, rows, sizeof **of_rows[i])))
            return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < sizeof of_columns / sizeof of_columns[0]; i++)
        if (!(*of_columns[i] = memory_allocate_zeroed(context, columns, sizeof **of_columns[i])))
            return MEMMODEL_ERROR_NO_MEMORY;
    path->refused = memory_allocate_zeroed(context, columns, sizeof *path->refused);
    return path->refused ? 0 : MEMMODEL_ERROR_NO_MEMORY;
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
    void *const blocks[] = {path->roots,  path->centred,    path->residuals, path->leverages,        path->means,
                            path->norms,  path->alignments, path->rests,     path->first_alignments, path->shares,
                            path->refused};

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

/* All columns may be chosen but for those that are. */
static void
allow_all(struct path *path)
{
    path->group = 0;
    memset(path->refused, 0, path->columns.columns * sizeof *path->refused);
    for (size_t k = 0; k < path->count; k++) {
        path->refused[path->chosen[k]] = true;
        if (path->groups && path->groups[path->chosen[k]] != 0)
            path->group = path->groups[path->chosen[k]];
    }
}

/* Back to the constant alone. */
static void
empty(struct path *path)
{
    size_t rows = path->columns.rows;
    double total = vector_dot(rows, path->roots, path->roots);

    path->count = path->qr.count = 0;
    allow_all(path);
    memcpy(path->residuals, path->centred, rows * sizeof *path->residuals);
    memcpy(path->alignments, path->first_alignments, path->library * sizeof *path->alignments);
    for (size_t i = 0; i < rows; i++)
        path->leverages[i] = path->roots[i] * path->roots[i] / total;
    for (size_t j = 0; j < path->library; j++)
        path->rests[j] = path->norms[j] > 0;
}

/* Is this the best of so many columns so far? Then it is kept. */
static bool
keep_best(struct path *path)
{
    double rest = vector_dot(path->columns.rows, path->residuals, path->residuals);
    struct path_step *best = &path->best[path->count];

    if (path->count <= path->longest && !(rest < best->rest * (1 - tie)))
        return false;
    if (path->count > path->longest)
        path->longest = path->count;
    best->rest = rest;
    memcpy(best->chosen, path->chosen, path->count * sizeof *path->chosen);
    return true;
}

void
path_begin(struct path *path, size_t library)
{
    path->library = library;
    path->longest = 0;
    path->best[0].rest = INFINITY;
    empty(path);
    keep_best(path);
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

/* Of all columns that the factors have. */
static bool
signs_are_right(const struct path *path)
{
    double coefficients[PATH_MOST];

    if (!path->signs)
        return true;
    qr_solve(&path->qr, path->centred, coefficients);
    for (size_t k = 0; k < path->qr.count; k++)
        if (coefficients[k] * path->signs[path->chosen[k]] < 0)
            return false;
    return true;
}

/* Column q of the factors explains its share of the rows: what of the right side lies along it. */
static double
explain_rows(struct path *path, const double *q)
{
    size_t rows = path->columns.rows;
    double along = vector_dot(rows, q, path->residuals);

    vector_add_scaled(rows, path->residuals, -along, q);
    for (size_t i = 0; i < rows; i++)
        path->leverages[i] += q[i] * q[i];
    return along;
}

/* Of all columns their shares in the direction q: taken out, with a sign of 1, or put back, with -1. */
static void
take_out(struct path *path, const double *q, double along, double sign)
{
    matrix_multiply(&path->columns, path->library, q, path->shares);
    for (size_t j = 1; j < path->library; j++) {
        path->alignments[j] -= sign * path->shares[j] * along;
        path->rests[j] -= sign * path->shares[j] * path->shares[j];
    }
}

static void
choose(struct path *path, size_t column)
{
    path->refused[column] = true;
    if (path->groups && path->groups[column] != 0)
        path->group = path->groups[column];
    path->chosen[path->count++] = (uint16_t)column;
}

static bool
extend(struct path *path)
{
    size_t best;

    for (; (best = best_column(path)) != 0; path->refused[best] = true) {
        const double *q = matrix_column(&path->qr.q, path->qr.count);

        if (!qr_append(&path->qr, matrix_column(&path->columns, best)))
            continue;
        path->chosen[path->count] = (uint16_t)best;
        if (leverages_allow(path, q, most_leverage) && signs_are_right(path)) {
            choose(path, best);
            take_out(path, q, explain_rows(path, q), 1);
            return true;
        }
        path->qr.count--;
    }
    return false;
}

/* By how much the squared error grows without the column that was chosen as the k-th, which has this coefficient. */
static double
worth(const struct path *path, size_t k, double coefficient)
{
    double row[PATH_MOST], square = 0; /* of the inverse of the triangle, from k on */

    for (size_t i = k; i < path->count; i++) {
        const double *r = matrix_column(&path->qr.r, i);

        row[i] = i == k;
        for (size_t j = k; j < i; j++)
            row[i] -= r[j] * row[j];
        row[i] /= r[i];
        square += row[i] * row[i];
    }
    return coefficient * coefficient / square;
}

/* The chosen column that is worth least, and what the squared error is without it. */
static size_t
least_worth(const struct path *path, double *rest)
{
    double coefficients[PATH_MOST], least = INFINITY;
    size_t vain = 0;

    qr_solve(&path->qr, path->centred, coefficients);
    for (size_t k = 0; k < path->count; k++) {
        double of_column = worth(path, k, coefficients[k]);

        if (of_column < least) {
            least = of_column;
            vain = k;
        }
    }
    *rest = least + vector_dot(path->columns.rows, path->residuals, path->residuals);
    return vain;
}

static void
remove_column(struct path *path, size_t k)
{
    const double *q = matrix_column(&path->qr.q, path->count - 1);
    size_t rows = path->columns.rows;
    double along;

    qr_remove(&path->qr, k);
    path->count--;
    memmove(path->chosen + k, path->chosen + k + 1, (path->count - k) * sizeof *path->chosen);
    along = vector_dot(rows, q, path->centred);
    vector_add_scaled(rows, path->residuals, along, q);
    for (size_t i = 0; i < rows; i++)
        path->leverages[i] -= q[i] * q[i];
    take_out(path, q, along, -1);
    allow_all(path);
}

/*
 * The column that is worth least, if without it the others are better than the best of their number so far by what a choice
 * among all columns is worth; else path->count.
 */
static size_t
vain_column(const struct path *path)
{
    double rest, gain;
    size_t vain;

    if (path->count < LEAST_SHORTENED)
        return path->count;
    vain = least_worth(path, &rest);
    gain = logarithm(path->best[path->count - 1].rest) - logarithm(rest);
    return (double)path->columns.rows / 2 * gain > logarithm((double)path->library) ? vain : path->count;
}

bool
path_step(struct path *path, size_t most)
{
    while (!context_spend(path->columns.context, matrix_work(path->columns.rows, path->library))) {
        size_t vain = vain_column(path);

        if (vain < path->count) {
            remove_column(path, vain);
            return signs_are_right(path) && keep_best(path);
        }
        if (path->count >= most || !extend(path))
            return false;
        if (keep_best(path))
            return true;
    }
    return false;
}

void
path_recall(struct path *path, size_t count)
{
    empty(path);
    for (size_t k = 0; k < count; k++) {
        size_t column = path->best[count].chosen[k];
        const double *q = matrix_column(&path->qr.q, path->qr.count);

        if (!qr_append(&path->qr, matrix_column(&path->columns, column)))
            continue;
        choose(path, column);
        explain_rows(path, q);
    }
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
        choose(path, j);
        explain_rows(path, q);
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
