/* Best subsets with positive coefficients: exhaustive, or by beam where there are too many. */
#include "regression/subset.h"

#include <math.h>
#include <string.h>

static const double exhaustive_work = 5e7; /* subsets times rows up to which all are tried: a tenth of a second */
static const double dependent = 1e-7;      /* share of a column's norm below which it depends on those picked before */

/* What is left of every column and of the right side beside the columns picked so far. */
struct level {
    struct matrix left;
    double *residual;    /* of the right side */
    double *alignments;  /* products of every column and the residual */
    double *projections; /* of every column on the direction that leads to the next level */
    double residual_error;
};

struct search {
    const struct subset_library *library;
    struct shortlist *shortlist;
    struct matrix columns; /* with no more rows than needed */
    double *norms;         /* of the columns as given */
    struct level levels[SUBSET_TERMS + 1];
    size_t depth; /* columns picked */
    uint16_t picks[SUBSET_TERMS + 1];
    double pivots[SUBSET_TERMS + 1], along[SUBSET_TERMS + 1];
};

/* ---- the list ---- */

static bool
has_constant(const struct subset *subset)
{
    return subset->count > 0 && subset->columns[0] == 0;
}

static bool
is_plain(const struct subset_library *library, const struct subset *subset)
{
    for (size_t i = 0; i < subset->count; i++)
        if (!library->plain[subset->columns[i]])
            return false;
    return true;
}

static void
sort_columns(struct subset *subset)
{
    for (size_t i = 1; i < subset->count; i++)
        for (size_t j = i; j > 0 && subset->columns[j - 1] > subset->columns[j]; j--) {
            uint16_t swapped = subset->columns[j];

            subset->columns[j] = subset->columns[j - 1];
            subset->columns[j - 1] = swapped;
        }
}

static bool
same_columns(const struct subset *a, const struct subset *b)
{
    return a->count == b->count && memcmp(a->columns, b->columns, a->count * sizeof *a->columns) == 0;
}

static struct subset_bin *
bin_of(const struct search *search, const struct subset *subset)
{
    return &search->shortlist->bins[!is_plain(search->library, subset)][subset->count - has_constant(subset)];
}

static void
list_subset(struct subset_bin *bin, const struct subset *subset)
{
    size_t place = bin->count;

    for (size_t i = 0; i < bin->count; i++)
        if (same_columns(&bin->subsets[i], subset))
            return;
    while (place > 0 && subset->error < bin->subsets[place - 1].error)
        place--;
    if (place == SUBSET_KEPT)
        return;
    bin->count += bin->count < SUBSET_KEPT;
    memmove(&bin->subsets[place + 1], &bin->subsets[place], (bin->count - 1 - place) * sizeof *subset);
    bin->subsets[place] = *subset;
}

/* ---- picking columns ---- */

/*
 * Coefficient of every pick and of one more column with this pivot and this part of the right side: are all positive?
 */
static bool
coefficients_positive(const struct search *search, uint16_t column, double pivot, double along)
{
    double coefficients[SUBSET_TERMS + 2];

    coefficients[search->depth] = along / pivot;
    for (size_t i = search->depth; i-- > 0;) {
        double sum = search->along[i] - search->levels[i].projections[column] * coefficients[search->depth];

        for (size_t k = i + 1; k < search->depth; k++)
            sum -= search->levels[i].projections[search->picks[k]] * coefficients[k];
        coefficients[i] = sum / search->pivots[i];
        if (coefficients[i] <= 0)
            return false;
    }
    return coefficients[search->depth] > 0;
}

/* Error from which on a subset of this size is not listed, whatever its kind. */
static double
worst_listed(const struct search *search, size_t size)
{
    double worst = 0;

    for (size_t kind = 0; kind < 2; kind++) {
        const struct subset_bin *bin = &search->shortlist->bins[kind][size];

        worst = fmax(worst, bin->count < SUBSET_KEPT ? INFINITY : bin->subsets[SUBSET_KEPT - 1].error);
    }
    return worst;
}

/* Is the column of the picks' group? */
static bool
group_fits(const struct search *search, uint16_t column)
{
    const uint16_t *groups = search->library->groups;

    for (size_t i = 0; groups && groups[column] != 0 && i < search->depth; i++)
        if (groups[search->picks[i]] != 0 && groups[search->picks[i]] != groups[column])
            return false;
    return true;
}

/* Lists the picks with one more column, if that makes all coefficients positive. */
static void
try_column(const struct search *search, uint16_t column)
{
    const struct level *level = &search->levels[search->depth];
    const double *left = matrix_column(&level->left, column);
    bool constant = column == 0 || (search->depth > 0 && search->picks[0] == 0);
    struct subset subset = {.count = search->depth + 1};
    double pivot, along;

    if (!(level->alignments[column] > 0) || !group_fits(search, column))
        return;
    pivot = sqrt(vector_dot(level->left.rows, left, left));
    along = level->alignments[column] / pivot;
    subset.error = fmax(level->residual_error - along * along, 0);
    if (!(pivot > dependent * search->norms[column]) || subset.error >= worst_listed(search, subset.count - constant) ||
        !coefficients_positive(search, column, pivot, along))
        return;
    memcpy(subset.columns, search->picks, search->depth * sizeof *subset.columns);
    subset.columns[search->depth] = column;
    sort_columns(&subset);
    list_subset(bin_of(search, &subset), &subset);
}

/* products[j]: of column j and the vector, for the columns from `first` on. */
static void
multiply(const struct matrix *matrix, size_t first, const double *vector, double *products)
{
    const struct matrix part = {.rows = matrix->rows, .values = matrix->values + first * matrix->rows};

    matrix_multiply(&part, matrix->columns - first, vector, products + first);
}

/* Picks a column: takes its direction out of the columns from `first` on and out of the right side. */
static bool
pick(struct search *search, uint16_t column, size_t first)
{
    struct level *here = &search->levels[search->depth], *next = here + 1;
    const double *direction = matrix_column(&here->left, column);
    size_t rows = here->left.rows;
    double pivot = sqrt(vector_dot(rows, direction, direction)), along;

    if (!(pivot > dependent * search->norms[column]) || !group_fits(search, column))
        return false;
    multiply(&here->left, first, direction, here->projections);
    for (size_t j = first; j < here->left.columns; j++) {
        const double *from = matrix_column(&here->left, j);
        double *to = matrix_column(&next->left, j);
        double projection = here->projections[j] / pivot;

        here->projections[j] = projection;
        for (size_t i = 0; i < rows; i++)
            to[i] = from[i] - projection / pivot * direction[i];
    }
    along = vector_dot(rows, direction, here->residual) / pivot;
    for (size_t i = 0; i < rows; i++)
        next->residual[i] = here->residual[i] - along / pivot * direction[i];
    next->residual_error = vector_dot(rows, next->residual, next->residual);
    multiply(&next->left, first, next->residual, next->alignments);
    search->pivots[search->depth] = pivot;
    search->along[search->depth] = along;
    search->picks[search->depth++] = column;
    return true;
}

/* ---- exhaustive ---- */

/* All subsets of the picks and up to `more` of the columns from `first` on. */
static void
try_all(struct search *search, size_t first, size_t more)
{
    size_t columns = search->columns.columns;

    for (size_t j = first; j < columns; j++)
        try_column(search, (uint16_t)j);
    for (size_t j = first; more > 1 && j + 1 < columns; j++)
        if (pick(search, (uint16_t)j, j + 1)) {
            try_all(search, j + 1, more - 1);
            search->depth--;
        }
}

static void
search_all(struct search *search)
{
    search->depth = 0;
    try_column(search, 0);
    try_all(search, 1, search->library->max_terms);
    if (pick(search, 0, 1))
        try_all(search, 1, search->library->max_terms);
}

/* ---- beam ---- */

/* Lists the subset with one more column. The picks that it begins with stay. */
static void
extend(struct search *search, const struct subset *subset)
{
    size_t same = 0;

    while (same < search->depth && same < subset->count && search->picks[same] == subset->columns[same])
        same++;
    search->depth = same;
    for (size_t i = same; i < subset->count; i++)
        if (!pick(search, subset->columns[i], 0))
            return;
    for (size_t j = 1; j < search->columns.columns; j++)
        try_column(search, (uint16_t)j);
}

static void
search_beam(struct search *search)
{
    static const struct subset nothing = {.count = 0};

    search->depth = 0;
    try_column(search, 0);
    extend(search, &nothing);
    for (size_t size = 0; size < search->library->max_terms; size++)
        for (size_t kind = 0; kind < 2; kind++) {
            const struct subset_bin *bin = &search->shortlist->bins[kind][size];

            for (size_t i = 0; i < bin->count; i++)
                extend(search, &bin->subsets[i]);
        }
}

/* ---- preparation ---- */

static double
work_of_all(const struct search *search)
{
    double subsets = 1, total = 0, columns = (double)search->columns.columns - 1;

    for (size_t size = 0; size < search->library->max_terms; size++) {
        subsets *= fmax(columns - (double)size, 0) / (double)(size + 1);
        total += 2 * subsets;
    }
    return total * (double)search->columns.rows;
}

static int
level_new(memmodel_context *context, const struct matrix *columns, struct level *level)
{
    int status = matrix_new(context, columns->rows, columns->columns, &level->left);

    if (status)
        return status;
    level->residual = memory_allocate_zeroed(context, columns->rows + 1, sizeof *level->residual);
    level->alignments = memory_allocate_zeroed(context, columns->columns + 1, sizeof *level->alignments);
    level->projections = memory_allocate_zeroed(context, columns->columns + 1, sizeof *level->projections);
    return level->residual && level->alignments && level->projections ? 0 : MEMMODEL_ERROR_NOMEM;
}

/*
 * With far more rows than columns: the same inner products from fewer rows, the coordinates along an orthonormal basis
 * Q of the columns and one more row for what no column reaches of the right side.
 */
static int
compress(memmodel_context *context, struct search *search, double *right_side)
{
    const struct matrix *given = search->library->columns;
    struct qr qr;
    int status = qr_new(context, given->rows, given->columns, &qr);

    if (!status) {
        double total = vector_dot(given->rows, search->library->right_side, search->library->right_side);

        for (size_t j = 0; j < given->columns; j++)
            qr_append(&qr, matrix_column(given, j));
        for (size_t i = 0; i < qr.count; i++) {
            const double *q = matrix_column(&qr.q, i);

            for (size_t j = 0; j < given->columns; j++)
                matrix_column(&search->columns, j)[i] = vector_dot(given->rows, q, matrix_column(given, j));
            right_side[i] = vector_dot(given->rows, q, search->library->right_side);
            total -= right_side[i] * right_side[i];
        }
        right_side[given->columns] = sqrt(fmax(total, 0));
    }
    qr_release(&qr);
    return status;
}

static int
take_rows(memmodel_context *context, struct search *search, double *right_side)
{
    const struct matrix *given = search->library->columns;

    if (given->rows > search->columns.rows)
        return compress(context, search, right_side);
    memcpy(search->columns.values, given->values, given->rows * given->columns * sizeof *given->values);
    memcpy(right_side, search->library->right_side, given->rows * sizeof *right_side);
    return 0;
}

static int
search_prepare(memmodel_context *context, struct search *search)
{
    const struct matrix *given = search->library->columns;
    size_t rows = given->rows > given->columns + 1 ? given->columns + 1 : given->rows;
    struct level *start = &search->levels[0];
    int status = matrix_new(context, rows, given->columns, &search->columns);

    for (size_t i = 0; !status && i <= search->library->max_terms; i++)
        status = level_new(context, &search->columns, &search->levels[i]);
    if (!status)
        search->norms = memory_allocate_zeroed(context, given->columns, sizeof *search->norms);
    if (!search->norms)
        return MEMMODEL_ERROR_NOMEM;
    status = take_rows(context, search, start->residual);
    memcpy(start->left.values, search->columns.values, rows * given->columns * sizeof *given->values);
    start->residual_error = vector_dot(rows, start->residual, start->residual);
    multiply(&start->left, 0, start->residual, start->alignments);
    for (size_t j = 0; j < given->columns; j++)
        search->norms[j] = sqrt(vector_dot(rows, matrix_column(&start->left, j), matrix_column(&start->left, j)));
    return status;
}

static void
search_release(memmodel_context *context, struct search *search)
{
    for (size_t i = 0; i < sizeof search->levels / sizeof search->levels[0]; i++) {
        matrix_release(&search->levels[i].left);
        memory_release(context, search->levels[i].residual);
        memory_release(context, search->levels[i].alignments);
        memory_release(context, search->levels[i].projections);
    }
    matrix_release(&search->columns);
    memory_release(context, search->norms);
}

int
subset_search(memmodel_context *context, const struct subset_library *library, struct shortlist *shortlist)
{
    struct search search = {.library = library, .shortlist = shortlist};
    int status = search_prepare(context, &search);

    memset(shortlist, 0, sizeof *shortlist);
    if (!status && work_of_all(&search) * (double)(library->shares + !library->shares) <= exhaustive_work)
        search_all(&search);
    else if (!status)
        search_beam(&search);
    search_release(context, &search);
    return status;
}
