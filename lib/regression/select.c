/*
 * Which of the listed subsets becomes the formula, and how wrong formulas chosen that way are on rows they did not see.
 */
#include "regression/select.h"
#include "regression/leave_one_out.h"

#include <math.h>
#include <string.h>

enum {
    MOST_CANDIDATES = 2 * (SUBSET_TERMS + 1) * SUBSET_KEPT,
    MOST_GROUPS = 64,
    LEAST_GROUPS = 4,   /* left out in turn */
    GROUP_WORK = 16384, /* rows times groups beyond 64 rows: keeps large tables to seconds */
};

static const double exact = 1e-18;         /* squared error that counts as none: 1e-9 of the measurement */
static const double greatest_ratio = 1000; /* a prediction further below the measurement, or below 0, counts as this */

struct candidate {
    const struct subset *subset;
    bool plain;
    unsigned size; /* symbols of the formula */
    double score;  /* sum of squared leave-one-out errors */
};

struct selection {
    const struct select_problem *problem;
    struct candidate candidates[MOST_CANDIDATES];
    size_t count;
    struct leave_one_out work;
    struct row_groups groups; /* by point */
    double *errors, *least_errors;
};

static unsigned
subset_size(const struct select_problem *problem, const struct subset *subset)
{
    unsigned size = 0;

    for (size_t k = 0; k < subset->count; k++)
        size += problem->sizes[subset->columns[k]] + 2; /* its coefficient and its plus */
    return size;
}

static double
squared(double error)
{
    return fmax(error * error, exact);
}

/* Is there the same subset with the constant: does least squares put it above 0? */
static bool
lacks_constant(const struct subset_bin *bin, const struct subset *subset)
{
    for (size_t i = 0; i < bin->count; i++) {
        const struct subset *other = &bin->subsets[i];

        if (other->count == subset->count + 1 && other->columns[0] == 0 &&
            memcmp(other->columns + 1, subset->columns, subset->count * sizeof *subset->columns) == 0)
            return true;
    }
    return false;
}

static bool
is_exact(const struct selection *selection, const struct candidate *candidate)
{
    return candidate->score <= 2 * exact * (double)selection->problem->columns->rows;
}

static void
consider(struct selection *selection, const struct subset_bin *bin, size_t index, bool plain)
{
    const struct select_problem *problem = selection->problem;
    const struct subset *subset = &bin->subsets[index];
    struct candidate candidate = {.subset = subset, .plain = plain, .size = subset_size(problem, subset)};
    size_t place = selection->count;

    if (!leave_one_out_errors(&selection->work, problem->columns, problem->right_side, subset, selection->errors))
        return;
    for (size_t i = 0; i < problem->columns->rows; i++)
        candidate.score += squared(selection->errors[i]);
    if (!isfinite(candidate.score) || (lacks_constant(bin, subset) && !is_exact(selection, &candidate)))
        return;
    /* by size, then by score; of equal ones the first that came */
    for (; place > 0; place--) {
        const struct candidate *before = &selection->candidates[place - 1];

        if (before->size < candidate.size || (before->size == candidate.size && before->score <= candidate.score))
            break;
        selection->candidates[place] = *before;
    }
    selection->candidates[place] = candidate;
    selection->count++;
}

/*
 * Is the mean squared error above the least one by no more than the standard error of the difference? Rows of one point
 * err together: it is points that are counted.
 */
static bool
within_one_standard_error(struct selection *selection, const struct candidate *candidate)
{
    const struct select_problem *problem = selection->problem;
    const struct row_groups *groups = &selection->groups;
    size_t rows = problem->columns->rows, points = 0;
    double mean = 0, spread = 0;

    leave_one_out_errors(&selection->work, problem->columns, problem->right_side, candidate->subset, selection->errors);
    for (size_t i = 0; i < rows; i++) {
        selection->errors[i] = squared(selection->errors[i]) - squared(selection->least_errors[i]);
        mean += selection->errors[i] / (double)rows;
    }
    for (size_t g = 0; g < groups->count; g++) {
        double difference = 0;

        for (size_t k = groups->starts[g]; k < groups->starts[g + 1]; k++)
            difference += selection->errors[groups->rows[k]] - mean;
        spread += difference * difference;
        points += groups->starts[g + 1] > groups->starts[g];
    }
    return mean <= sqrt(spread / (double)(points - 1) / (double)rows * ((double)points / (double)rows));
}

/* What it takes to say the errors, and which columns of its library the candidate has. */
static double
description_length(const struct selection *selection, const struct candidate *candidate)
{
    const struct select_problem *problem = selection->problem;
    size_t library = 0, terms = candidate->subset->count - (candidate->subset->columns[0] == 0);

    for (size_t j = 1; j < problem->columns->columns; j++)
        library += problem->plain[j] || !candidate->plain;
    return (double)problem->columns->rows / 2 * log(candidate->score) + (double)terms * log((double)library);
}

/* Drops the candidates that are not plain, unless the best of them is worth its larger library. */
static void
prefer_plain(struct selection *selection)
{
    double least[2] = {INFINITY, INFINITY};
    size_t kept = 0;

    for (size_t i = 0; i < selection->count; i++) {
        const struct candidate *candidate = &selection->candidates[i];

        least[candidate->plain] = fmin(least[candidate->plain], description_length(selection, candidate));
    }
    if (least[false] < least[true])
        return;
    for (size_t i = 0; i < selection->count; i++)
        if (selection->candidates[i].plain)
            selection->candidates[kept++] = selection->candidates[i];
    selection->count = kept;
}

static const struct candidate *
choose(struct selection *selection)
{
    const struct select_problem *problem = selection->problem;
    const struct candidate *least = &selection->candidates[0], *chosen = selection->candidates;

    for (size_t i = 1; i < selection->count; i++)
        if (selection->candidates[i].score < least->score)
            least = &selection->candidates[i];
    leave_one_out_errors(&selection->work, problem->columns, problem->right_side, least->subset,
                         selection->least_errors);
    while (chosen != least && !within_one_standard_error(selection, chosen))
        chosen++;
    return chosen;
}

static void
selection_free(memmodel_context *context, struct selection *selection)
{
    leave_one_out_release(&selection->work);
    row_groups_release(context, &selection->groups);
    memory_release(context, selection->errors);
    memory_release(context, selection->least_errors);
    memory_release(context, selection);
}

static int
selection_new(memmodel_context *context, const struct select_problem *problem, struct selection **selection)
{
    struct selection *new = memory_allocate_zeroed(context, 1, sizeof *new);
    int status;

    if (!new)
        return MEMMODEL_ERROR_NOMEM;
    new->problem = problem;
    status = leave_one_out_new(context, problem->columns->rows, &new->work);
    if (!status)
        status = row_groups_new(context, problem->points, problem->columns->rows, problem->point_count, &new->groups);
    if (!status) {
        new->work.groups = &new->groups;
        new->errors = memory_allocate_zeroed(context, problem->columns->rows, sizeof *new->errors);
        new->least_errors = memory_allocate_zeroed(context, problem->columns->rows, sizeof *new->least_errors);
    }
    if (!new->errors || !new->least_errors) {
        selection_free(context, new);
        return MEMMODEL_ERROR_NOMEM;
    }
    *selection = new;
    return 0;
}

int
select_subset(memmodel_context *context, const struct select_problem *problem, const struct shortlist *shortlist,
              struct subset *selected)
{
    struct selection *selection;
    int status = selection_new(context, problem, &selection);

    if (status)
        return status;
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t size = 0; size <= SUBSET_TERMS; size++)
            for (size_t i = 0; i < shortlist->bins[kind][size].count; i++)
                consider(selection, &shortlist->bins[kind][size], i, kind == 0);
    prefer_plain(selection);
    if (selection->count > 0)
        *selected = *choose(selection)->subset;
    else
        status = context_error(context, MEMMODEL_ERROR_DATA, NULL, "no formula of the basis fits these samples");
    selection_free(context, selection);
    return status;
}

/* ---- rows held out ---- */

/* The rows that are not in the group, as a problem of its own. */
struct rest {
    struct matrix columns;
    double *right_side;
    size_t *points;
};

static bool
in_group(const struct select_problem *problem, size_t row, size_t group, size_t groups)
{
    return problem->points[row] % groups == group;
}

static void
take_rest(const struct select_problem *problem, size_t group, size_t groups, struct rest *rest)
{
    size_t kept = 0;

    for (size_t i = 0; i < problem->columns->rows; i++)
        kept += !in_group(problem, i, group, groups);
    rest->columns.rows = kept;
    kept = 0;
    for (size_t i = 0; i < problem->columns->rows; i++) {
        if (in_group(problem, i, group, groups))
            continue;
        for (size_t j = 0; j < problem->columns->columns; j++)
            matrix_column(&rest->columns, j)[kept] = matrix_column(problem->columns, j)[i];
        rest->points[kept] = problem->points[i];
        rest->right_side[kept++] = problem->right_side[i];
    }
}

static double
ratio(const struct select_problem *problem, const struct subset *subset, const double *coefficients, size_t row)
{
    double predicted = 0;

    for (size_t k = 0; k < subset->count; k++)
        predicted += coefficients[k] * matrix_column(problem->columns, subset->columns[k])[row];
    return predicted * greatest_ratio > problem->right_side[row] ? problem->right_side[row] / predicted
                                                                 : greatest_ratio;
}

static int
hold_out(memmodel_context *context, const struct select_problem *problem, const struct shortlist *shortlist,
         size_t group, size_t groups, struct rest *rest, double *ratios)
{
    struct select_problem others = *problem;
    double coefficients[SUBSET_TERMS + 1];
    struct leave_one_out work;
    struct subset subset;
    int status;

    take_rest(problem, group, groups, rest);
    others.columns = &rest->columns;
    others.right_side = rest->right_side;
    others.points = rest->points;
    status = select_subset(context, &others, shortlist, &subset);
    if (status)
        return status;
    status = leave_one_out_new(context, rest->columns.rows, &work);
    if (!status) {
        subset_fit(&work, &rest->columns, rest->right_side, &subset, coefficients);
        for (size_t i = 0; i < problem->columns->rows; i++)
            if (in_group(problem, i, group, groups))
                ratios[i] = ratio(problem, &subset, coefficients, i);
    }
    leave_one_out_release(&work);
    return status;
}

static size_t
group_count(const struct select_problem *problem)
{
    size_t groups = GROUP_WORK / problem->columns->rows;

    groups = groups > MOST_GROUPS ? MOST_GROUPS : groups < LEAST_GROUPS ? LEAST_GROUPS : groups;
    return groups < problem->point_count ? groups : problem->point_count;
}

int
select_held_out_ratios(memmodel_context *context, const struct select_problem *problem,
                       const struct shortlist *shortlist, double *ratios)
{
    struct rest rest = {.right_side = NULL};
    size_t groups = group_count(problem);
    int status = matrix_new(context, problem->columns->rows, problem->columns->columns, &rest.columns);

    if (!status) {
        rest.right_side = memory_allocate_zeroed(context, problem->columns->rows, sizeof *rest.right_side);
        rest.points = memory_allocate_zeroed(context, problem->columns->rows, sizeof *rest.points);
        status = rest.right_side && rest.points ? 0 : MEMMODEL_ERROR_NOMEM;
    }
    for (size_t group = 0; !status && group < groups; group++)
        status = hold_out(context, problem, shortlist, group, groups, &rest, ratios);
    memory_release(context, rest.right_side);
    memory_release(context, rest.points);
    matrix_release(&rest.columns);
    return status;
}
