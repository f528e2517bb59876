/* The library as terms of a table: a constant and the trees, in three nested libraries. */
#include "regression/search/sums.h"

#include "regression/select/beam.h"

enum { ROWS_PER_TREE = 3 };

struct sums {
    const struct library *library;
    struct fitter *fitter;
    struct archive *archive;
    struct training table;
    struct basis basis;
    struct rows rows;
    struct shortlist shortlist;
};

static int
allocate(struct sums *sums, memmodel_context *context, size_t rows, size_t terms)
{
    int status = matrix_new(context, rows, terms, &sums->rows.columns);

    sums->basis.sizes = memory_allocate_zeroed(context, terms, sizeof *sums->basis.sizes);
    sums->basis.signs = memory_allocate_zeroed(context, terms, sizeof *sums->basis.signs);
    sums->basis.groups = memory_allocate_zeroed(context, terms, sizeof *sums->basis.groups);
    sums->rows.response = memory_allocate_zeroed(context, rows, sizeof *sums->rows.response);
    if (status || !sums->basis.sizes || !sums->basis.signs || !sums->basis.groups || !sums->rows.response)
        return MEMMODEL_ERROR_NO_MEMORY;
    return 0;
}

static void
release(struct sums *sums, memmodel_context *context)
{
    matrix_release(&sums->rows.columns);
    memory_release(context, sums->basis.sizes);
    memory_release(context, sums->basis.signs);
    memory_release(context, sums->basis.groups);
    memory_release(context, sums->rows.response);
    memory_release(context, sums);
}

static int
prepare(struct sums *sums)
{
    const struct library *library = sums->library;
    const struct aim *aim = sums->fitter->aim;
    size_t rows = library->values.rows;
    int status = allocate(sums, sums->table.context, rows, library->count + 1);

    sums->rows.table = &sums->table;
    sums->rows.basis = &sums->basis;
    sums->basis.ends[0] = library->ends[3] + 1;
    sums->basis.ends[1] = library->ends[5] + 1;
    sums->basis.ends[2] = library->count + 1;
    for (size_t i = 0; !status && i < rows; i++) {
        sums->rows.response[i] = aim->target[i] * aim->sqrt_weights[i];
        matrix_column(&sums->rows.columns, 0)[i] = aim->sqrt_weights[i];
        for (size_t j = 0; j < library->count; j++)
            matrix_column(&sums->rows.columns, j + 1)[i] = matrix_column(&library->values, j)[i] * aim->sqrt_weights[i];
    }
    for (size_t j = 0; !status && j < library->count; j++)
        sums->basis.sizes[j + 1] = library->features[j].nodes;
    return status;
}

static void
offer(const struct sums *sums, const struct support *support)
{
    struct formula formula = {.count = 0};

    for (size_t k = 0; k < support->count; k++)
        if (support->columns[k] > 0)
            formula.trees[formula.count++] = library_tree(sums->library, support->columns[k] - 1);
    if (formula.count > 0 && formula_fit_linear(sums->fitter, &formula))
        archive_offer(sums->archive, &formula);
}

int
sums_search(const struct library *library, struct fitter *fitter, struct archive *archive)
{
    memmodel_context *context = fitter->machine.context;
    struct sums *sums = memory_allocate_zeroed(context, 1, sizeof *sums);
    size_t most = fitter->aim->used / ROWS_PER_TREE;
    int status;

    if (!sums)
        return MEMMODEL_ERROR_NO_MEMORY;
    *sums = (struct sums){.library = library, .fitter = fitter, .archive = archive, .table.context = context};
    most = most < 2 ? 1 : most - 1 < FORMULA_MAX_TREES ? most - 1 : FORMULA_MAX_TREES;
    status = prepare(sums);
    for (size_t i = 0; !status && i < BASIS_LIBRARIES && fitter_may_go_on(fitter); i++) {
        if (i > 0 && sums->basis.ends[i] == sums->basis.ends[i - 1])
            continue;
        status = beam_search(&sums->rows, i, most, &sums->shortlist);
        for (size_t k = 0; !status && k < sums->shortlist.count && fitter_may_go_on(fitter); k++)
            offer(sums, &sums->shortlist.supports[k]);
    }
    release(sums, context);
    return status;
}
