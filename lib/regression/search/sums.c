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
prepare(struct sums *sums, struct workspace *workspace)
{
    const struct library *library = sums->library;
    const struct aim *aim = sums->fitter->aim;
    size_t rows = library->values.rows, terms = library->count + 1;

    sums->basis.sizes = workspace_take(workspace, terms, sizeof *sums->basis.sizes);
    sums->basis.signs = workspace_take(workspace, terms, sizeof *sums->basis.signs);
    sums->basis.groups = workspace_take(workspace, terms, sizeof *sums->basis.groups);
    sums->rows.response = workspace_take(workspace, rows, sizeof *sums->rows.response);
    sums->rows.columns = matrix_new(workspace, rows, terms);
    if (workspace->status)
        return workspace->status;
    sums->rows.table = &sums->table;
    sums->rows.basis = &sums->basis;
    sums->basis.ends[0] = library->ends[3] + 1;
    sums->basis.ends[1] = library->ends[5] + 1;
    sums->basis.ends[2] = terms;
    for (size_t i = 0; i < rows; i++) {
        sums->rows.response[i] = aim->target[i] * aim->sqrt_weights[i];
        matrix_column(&sums->rows.columns, 0)[i] = aim->sqrt_weights[i];
        for (size_t j = 0; j < library->count; j++)
            matrix_column(&sums->rows.columns, j + 1)[i] = matrix_column(&library->values, j)[i] * aim->sqrt_weights[i];
    }
    for (size_t j = 0; j < library->count; j++)
        sums->basis.sizes[j + 1] = library->features[j].nodes;
    return 0;
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
    struct workspace workspace = WORKSPACE_INIT(context);
    struct sums *sums = workspace_take(&workspace, 1, sizeof *sums);
    size_t most = fitter->aim->used / ROWS_PER_TREE;
    int status;

    if (!sums)
        return workspace.status;
    *sums = (struct sums){.library = library, .fitter = fitter, .archive = archive, .table.context = context};
    most = most < 2 ? 1 : most - 1 < FORMULA_MAX_TREES ? most - 1 : FORMULA_MAX_TREES;
    status = prepare(sums, &workspace);
    for (size_t i = 0; !status && i < BASIS_LIBRARIES && fitter_may_go_on(fitter); i++) {
        if (i > 0 && sums->basis.ends[i] == sums->basis.ends[i - 1])
            continue;
        status = beam_search(&sums->rows, i, most, &sums->shortlist);
        for (size_t k = 0; !status && k < sums->shortlist.count && fitter_may_go_on(fitter); k++)
            offer(sums, &sums->shortlist.supports[k]);
    }
    workspace_release(&workspace);
    return status;
}
