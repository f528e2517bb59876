/* Subsets for losses under which least squares would be led astray by a few wild measurements. */
#include "regression/robust.h"

#include <math.h>
#include <string.h>

/* The library with its rows multiplied. */
struct weighed {
    struct matrix columns;
    double *right_side;
};

static const struct subset *
best_listed(const struct shortlist *shortlist)
{
    const struct subset *best = NULL;

    for (size_t kind = 0; kind < 2; kind++)
        for (size_t size = 0; size <= SUBSET_TERMS; size++) {
            const struct subset_bin *bin = &shortlist->bins[kind][size];

            if (bin->count > 0 && (!best || bin->subsets[0].error < best->error))
                best = &bin->subsets[0];
        }
    return best;
}

/* errors[i]: what row i is off by, as its loss is scaled; returns their mean. */
static double
errors_of(struct reweighing *work, const struct select_problem *problem, const struct subset *subset, double *errors)
{
    double coefficients[SUBSET_TERMS + 1], mean = 0, total = 0;

    select_fit(work, problem, subset, coefficients);
    for (size_t i = 0; i < problem->columns->rows; i++) {
        double sum = 0;

        for (size_t k = 0; k < subset->count; k++)
            sum += coefficients[k] * matrix_column(problem->columns, subset->columns[k])[i];
        errors[i] =
            fabs(problem->measured[i] - sum / problem->roots[i]) / loss_scale(problem->loss, problem->measured[i]);
        mean += problem->weights[i] * errors[i];
        total += problem->weights[i];
    }
    return mean / total;
}

/* Rows that are off by more than the mean count in proportion less, as in Huber's estimate. */
static void
weigh(const struct subset_library *library, const double *errors, double mean, struct weighed *weighed)
{
    for (size_t i = 0; i < library->columns->rows; i++) {
        double factor = errors[i] > mean ? sqrt(mean / errors[i]) : 1;

        weighed->right_side[i] = factor * library->right_side[i];
        for (size_t j = 0; j < library->columns->columns; j++)
            matrix_column(&weighed->columns, j)[i] = factor * matrix_column(library->columns, j)[i];
    }
}

static void
merge_bin(struct subset_bin *bin, const struct subset_bin *more)
{
    for (size_t i = 0; i < more->count && bin->count < SUBSET_KEPT; i++) {
        bool known = false;

        for (size_t j = 0; j < bin->count; j++)
            known = known || (bin->subsets[j].count == more->subsets[i].count &&
                              memcmp(bin->subsets[j].columns, more->subsets[i].columns,
                                     more->subsets[i].count * sizeof *more->subsets[i].columns) == 0);
        if (!known)
            bin->subsets[bin->count++] = more->subsets[i];
    }
}

static int
search_weighed(memmodel_context *context, const struct subset_library *library, const struct select_problem *problem,
               const struct weighed *weighed, struct shortlist *shortlist)
{
    struct subset_library again = *library;
    struct shortlist *more = memory_allocate(context, sizeof *more);
    int status;

    if (!more)
        return MEMMODEL_ERROR_NO_MEMORY;
    again.columns = &weighed->columns;
    again.right_side = weighed->right_side;
    status = subset_search(context, &again, more);
    if (!status)
        status = select_screen(context, problem, more);
    for (size_t kind = 0; !status && kind < 2; kind++)
        for (size_t size = 0; size <= SUBSET_TERMS; size++)
            merge_bin(&shortlist->bins[kind][size], &more->bins[kind][size]);
    memory_release(context, more);
    return status;
}

static int
search_again(memmodel_context *context, const struct subset_library *library, const struct select_problem *problem,
             struct shortlist *shortlist)
{
    size_t rows = library->columns->rows;
    const struct subset *best = best_listed(shortlist);
    struct weighed weighed = {.right_side = memory_allocate_zeroed(context, rows, sizeof(double))};
    double *errors = memory_allocate_zeroed(context, rows, sizeof *errors), mean = 0;
    struct reweighing work;
    int status = reweighing_new(context, rows, SUBSET_TERMS + 1, &work);

    if (!status)
        status = matrix_new(context, rows, library->columns->columns, &weighed.columns);
    if (!status && (!weighed.right_side || !errors))
        status = MEMMODEL_ERROR_NO_MEMORY;
    if (!status && best)
        mean = errors_of(&work, problem, best, errors);
    if (!status && mean > loss_floor(problem->loss)) {
        weigh(library, errors, mean, &weighed);
        status = search_weighed(context, library, problem, &weighed, shortlist);
    }
    reweighing_release(context, &work);
    matrix_release(&weighed.columns);
    memory_release(context, weighed.right_side);
    memory_release(context, errors);
    return status;
}

int
robust_search(memmodel_context *context, const struct subset_library *library, const struct select_problem *problem,
              struct shortlist *shortlist)
{
    int status = subset_search(context, library, shortlist);

    if (status || !problem->loss)
        return status;
    status = select_screen(context, problem, shortlist);
    if (!status && loss_is_linear(problem->loss))
        status = search_again(context, library, problem, shortlist);
    return status;
}
