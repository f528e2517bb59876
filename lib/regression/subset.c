/* Best subsets with positive coefficients: exhaustive, or by beam where there are too many. */
#include "regression/subset.h"
#include "regression/gains.h"

#include <math.h>
#include <string.h>

static const double exhaustive_work = 5e7; /* subsets times rows up to which all are tried */
static const double dependent = 1e-7;      /* share of a column's norm below which it depends on those picked before */

/* What is left of the right side beside the columns picked so far, and the pick that leads to the next level. */
struct level {
    double *residual; /* of the right side */
    double residual_error;
    uint16_t pick;
    double *direction;                    /* what is left of that pick */
    double pivot;                         /* its norm */
    double along;                         /* of the residual in that direction */
    double projections[SUBSET_TERMS + 1]; /* of the pick on the directions before it */
};

struct search {
    const struct subset_library *library;
    struct shortlist *shortlist;
    const struct matrix *columns; /* the library's, or with no more rows than needed */
    struct matrix compressed;
    struct gains gains;
    struct matrix values; /* of the levels, and `left` */
    double *left;         /* of the column that is being tried */
    struct level levels[SUBSET_TERMS + 1];
    size_t depth; /* columns picked */
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
 * Coefficient of every pick and of one more column with this pivot, this part of the right side and these projections: are all
 * positive?
 */
static bool
coefficients_positive(const struct search *search, const double *projections, double pivot, double along)
{
    double coefficients[SUBSET_TERMS + 2];

    coefficients[search->depth] = along / pivot;
    for (size_t i = search->depth; i-- > 0;) {
        const struct level *level = &search->levels[i];
        double sum = level->along - projections[i] * coefficients[search->depth];

        for (size_t k = i + 1; k < search->depth; k++)
            sum -= search->levels[k].projections[i] * coefficients[k];
        coefficients[i] = sum / level->pivot;
        if (coefficients[i] <= 0)
            return false;
    }
    return coefficients[search->depth] > 0;
}

/* Error from which on a subset is not listed: of the picks and one more column. */
static double
worst_listed(const struct search *search, uint16_t column)
{
    bool constant = column == 0 || (search->depth > 0 && search->levels[0].pick == 0);
    bool plain = search->library->plain[column];
    const struct subset_bin *bin;

    for (size_t i = 0; i < search->depth; i++)
        plain = plain && search->library->plain[search->levels[i].pick];
    bin = &search->shortlist->bins[!plain][search->depth + 1 - constant];
    return bin->count < SUBSET_KEPT ? INFINITY : bin->subsets[SUBSET_KEPT - 1].error;
}

/* Is the column of the picks' group? */
static bool
group_fits(const struct search *search, uint16_t column)
{
    const uint16_t *groups = search->library->groups;

    for (size_t i = 0; groups && groups[column] != 0 && i < search->depth; i++)
        if (groups[search->levels[i].pick] != 0 && groups[search->levels[i].pick] != groups[column])
            return false;
    return true;
}

/* What the picks leave of the column; false if that is nothing. */
static bool
take_out_picks(const struct search *search, uint16_t column, double *left, double *projections, double *pivot)
{
    size_t rows = search->columns->rows;

    memcpy(left, matrix_column(search->columns, column), rows * sizeof *left);
    for (size_t i = 0; i < search->depth; i++) {
        const struct level *level = &search->levels[i];

        projections[i] = vector_dot(rows, left, level->direction) / level->pivot;
        vector_add_scaled(rows, left, -(projections[i] / level->pivot), level->direction);
    }
    *pivot = sqrt(vector_dot(rows, left, left));
    return *pivot > dependent * search->gains.norms[column];
}

/* Lists the picks with one more column, if that makes all coefficients positive. */
static void
try_column(const struct search *search, uint16_t column)
{
    const struct level *level = &search->levels[search->depth];
    double worst = worst_listed(search, column), projections[SUBSET_TERMS + 1], alignment, pivot, along;
    struct subset subset = {.count = search->depth + 1};

    if (!gains_may_exceed(&search->gains, search->depth, column, level->residual_error - worst) ||
        !group_fits(search, column) || !take_out_picks(search, column, search->left, projections, &pivot))
        return;
    alignment = vector_dot(search->columns->rows, search->left, level->residual);
    along = alignment / pivot;
    subset.error = fmax(level->residual_error - along * along, 0);
    if (!(alignment > 0) || subset.error >= worst || !coefficients_positive(search, projections, pivot, along))
        return;
    for (size_t i = 0; i < search->depth; i++)
        subset.columns[i] = search->levels[i].pick;
    subset.columns[search->depth] = column;
    sort_columns(&subset);
    list_subset(bin_of(search, &subset), &subset);
}

/* Whether the call has to end; looking at all columns beside a subset is what is counted. */
static bool
must_stop(const struct search *search)
{
    return context_spend(search->columns->context, matrix_work(search->columns->rows, search->columns->columns));
}

/* Picks a column: takes its direction out of the right side. Columns before `first` will not be tried beside it. */
static bool
pick(struct search *search, uint16_t column, size_t first)
{
    struct level *here = &search->levels[search->depth], *next = here + 1;
    size_t rows = search->columns->rows;

    if (must_stop(search) || !take_out_picks(search, column, here->direction, here->projections, &here->pivot) ||
        !group_fits(search, column))
        return false;
    here->pick = column;
    here->along = vector_dot(rows, here->direction, here->residual) / here->pivot;
    memcpy(next->residual, here->residual, rows * sizeof *next->residual);
    vector_add_scaled(rows, next->residual, -(here->along / here->pivot), here->direction);
    next->residual_error = vector_dot(rows, next->residual, next->residual);
    gains_pick(&search->gains, search->depth++, column, first);
    return true;
}

/* ---- exhaustive ---- */

/* All subsets of the picks and up to `more` of the columns from `first` on. */
static void
try_all(struct search *search, size_t first, size_t more)
{
    size_t columns = search->columns->columns;

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

    if (must_stop(search))
        return;
    while (same < search->depth && same < subset->count && search->levels[same].pick == subset->columns[same])
        same++;
    search->depth = same;
    for (size_t i = same; i < subset->count; i++)
        if (!pick(search, subset->columns[i], 0))
            return;
    for (size_t j = 1; j < search->columns->columns; j++)
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
    double subsets = 1, total = 0, columns = (double)search->columns->columns - 1;

    for (size_t size = 0; size < search->library->max_terms; size++) {
        subsets *= fmax(columns - (double)size, 0) / (double)(size + 1);
        total += 2 * subsets;
    }
    return total * (double)search->columns->rows;
}

/*
 * With far more rows than columns: the same inner products from fewer rows, the coordinates along an orthonormal basis
 * Q of the columns and one more row for what no column reaches of the right side.
 */
static int
compress(memmodel_context *context, struct search *search)
{
    const struct matrix *given = search->library->columns;
    double *right_side = search->levels[0].residual;
    struct qr qr;
    int status = qr_new(context, given->rows, given->columns, &qr);

    if (!status) {
        double total = vector_dot(given->rows, search->library->right_side, search->library->right_side);

        for (size_t j = 0; j < given->columns; j++)
            qr_append(&qr, matrix_column(given, j));
        for (size_t i = 0; i < qr.count; i++) {
            const double *q = matrix_column(&qr.q, i);

            for (size_t j = 0; j < given->columns; j++)
                matrix_column(&search->compressed, j)[i] = vector_dot(given->rows, q, matrix_column(given, j));
            right_side[i] = vector_dot(given->rows, q, search->library->right_side);
            total -= right_side[i] * right_side[i];
        }
        right_side[given->columns] = sqrt(fmax(total, 0));
    }
    qr_release(&qr);
    return status;
}

static int
levels_new(memmodel_context *context, size_t rows, struct search *search)
{
    size_t levels = search->library->max_terms + 1;
    int status = matrix_new(context, rows, 2 * levels + 1, &search->values);

    if (status)
        return status;
    search->left = matrix_column(&search->values, 2 * levels);
    for (size_t i = 0; i < levels; i++) {
        search->levels[i].residual = matrix_column(&search->values, i);
        search->levels[i].direction = matrix_column(&search->values, levels + i);
    }
    return 0;
}

/* The library's columns and right side, with no more rows than needed. */
static int
take_rows(memmodel_context *context, struct search *search)
{
    const struct matrix *given = search->library->columns;
    size_t most = given->columns + 1, rows = given->rows > most ? most : given->rows;
    int status = levels_new(context, rows, search);

    search->columns = given;
    if (status)
        return status;
    if (given->rows == rows) {
        memcpy(search->levels[0].residual, search->library->right_side, rows * sizeof(double));
        return 0;
    }
    search->columns = &search->compressed;
    status = matrix_new(context, rows, given->columns, &search->compressed);
    return status ? status : compress(context, search);
}

static int
search_prepare(memmodel_context *context, struct search *search)
{
    struct level *start = &search->levels[0];
    int status = take_rows(context, search);

    if (status)
        return status;
    start->residual_error = vector_dot(search->columns->rows, start->residual, start->residual);
    return gains_new(context, search->columns, start->residual, search->library->max_terms, &search->gains);
}

static void
search_release(struct search *search)
{
    gains_release(&search->gains);
    matrix_release(&search->compressed);
    matrix_release(&search->values);
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
    search_release(&search);
    return status;
}

bool
subset_is_zero_somewhere(const struct matrix *columns, const struct subset *subset)
{
    for (size_t i = 0; i < columns->rows; i++) {
        size_t k = 0;

        while (k < subset->count && matrix_column(columns, subset->columns[k])[i] == 0)
            k++;
        if (k == subset->count)
            return true;
    }
    return false;
}
