/* How wrong formulas are on points that took no part in finding, choosing and fitting them. */
#include "regression/held_out.h"
#include "regression/robust.h"

#include <string.h>

/* The rows that are not in the group, as a problem of its own. */
struct rest {
    struct matrix columns, values; /* values: right side, measured, weights, roots */
    size_t *points;
    size_t *rows; /* of the problem */
};

enum { RIGHT_SIDE, MEASURED, WEIGHTS, ROOTS, VALUES };

static bool
in_group(const struct select_problem *problem, size_t row, size_t group, size_t groups)
{
    return problem->points[row] % groups == group;
}

/* to[i] = from[rows[i]] */
static void
gather(const double *from, const size_t *rows, size_t count, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[rows[i]];
}

static void
take_rest(const struct select_problem *problem, size_t group, size_t groups, struct rest *rest)
{
    const double *const values[VALUES] = {problem->right_side, problem->measured, problem->weights, problem->roots};
    size_t kept = 0;

    for (size_t i = 0; i < problem->columns->rows; i++) {
        if (in_group(problem, i, group, groups))
            continue;
        rest->points[kept] = problem->points[i];
        rest->rows[kept++] = i;
    }
    rest->columns.rows = rest->values.rows = kept;
    for (size_t j = 0; j < problem->columns->columns; j++)
        gather(matrix_column(problem->columns, j), rest->rows, kept, matrix_column(&rest->columns, j));
    for (size_t j = 0; j < VALUES && values[j]; j++)
        gather(values[j], rest->rows, kept, matrix_column(&rest->values, j));
}

static struct select_problem
problem_of_rest(const struct select_problem *problem, const struct rest *rest)
{
    struct select_problem others = *problem;

    others.columns = &rest->columns;
    others.points = rest->points;
    others.right_side = matrix_column(&rest->values, RIGHT_SIDE);
    others.measured = matrix_column(&rest->values, MEASURED);
    others.weights = matrix_column(&rest->values, WEIGHTS);
    others.roots = matrix_column(&rest->values, ROOTS);
    others.inner = true;
    return others;
}

double
held_out_ratio(const struct matrix *columns, const double *right_side, const struct subset *subset,
               const double *coefficients, size_t row)
{
    double predicted = 0;

    for (size_t k = 0; k < subset->count; k++)
        predicted += coefficients[k] * matrix_column(columns, subset->columns[k])[row];
    return loss_ratio(right_side[row], predicted);
}

static int
fit_rest(memmodel_context *context, const struct select_problem *others, const struct subset *subset,
         double *coefficients)
{
    struct leave_one_out work;
    struct reweighing reweighing;
    int status;

    if (others->loss) {
        status = reweighing_new(context, others->columns->rows, SUBSET_TERMS + 1, &reweighing);
        if (!status)
            select_fit(&reweighing, others, subset, coefficients);
        reweighing_release(context, &reweighing);
        return status;
    }
    status = leave_one_out_new(context, others->columns->rows, &work);
    if (!status)
        subset_fit(&work, others->columns, others->right_side, subset, coefficients);
    leave_one_out_release(&work);
    return status;
}

/* The subset's columns that least squares leaves above 0. */
static int
take_positive(memmodel_context *context, const struct select_problem *problem, const struct subset *subset,
              struct subset *positive)
{
    const double *columns[SUBSET_TERMS + 1];
    double coefficients[SUBSET_TERMS + 1];
    size_t rows = problem->columns->rows;
    struct nnls nnls;
    int status = nnls_new(context, rows, SUBSET_TERMS + 1, &nnls);

    *positive = (struct subset){.count = 0};
    for (size_t k = 0; k < subset->count; k++)
        columns[k] = matrix_column(problem->columns, subset->columns[k]);
    if (!status)
        nnls_solve(&nnls, rows, columns, subset->count, problem->right_side, coefficients);
    for (size_t k = 0; !status && k < subset->count; k++)
        if (coefficients[k] > 0)
            positive->columns[positive->count++] = subset->columns[k];
    nnls_release(&nnls);
    return status;
}

/* Ratios of the group's rows by the best formula of each number of terms that was found without them, and by the line. */
static int
hold_out_front(memmodel_context *context, const struct select_problem *problem, const struct select_problem *others,
               const struct selected *selected, size_t group, size_t groups, struct matrix *front)
{
    double coefficients[SUBSET_TERMS + 1];
    struct subset line = {.count = 0};
    int status = problem->line ? take_positive(context, others, problem->line, &line) : 0;

    for (size_t k = 0; !status && k < HELD_OUT_COLUMNS; k++) {
        const struct subset *subset = k < HELD_OUT_LINE ? &selected->best[k] : &line;

        if (subset->count > 0)
            status = fit_rest(context, others, subset, coefficients);
        for (size_t i = 0; !status && i < problem->columns->rows; i++)
            if (in_group(problem, i, group, groups))
                matrix_column(front, k)[i] =
                    subset->count > 0 ? held_out_ratio(problem->columns, problem->right_side, subset, coefficients, i)
                    : k > 0           ? matrix_column(front, k - 1)[i]
                                      : LOSS_GREATEST_RATIO;
    }
    return status;
}

/* ---- one group ---- */

/* The turn of a group. */
struct turn {
    const struct held_out_search *search;
    size_t group, groups;
    struct rest *rest;
    struct shortlist *shortlist; /* of the rest */
};

/* The subsets that are found without the group. */
static int
list_others(memmodel_context *context, const struct turn *turn, const struct select_problem *others)
{
    struct subset_library library;

    if (!turn->search->library) {
        memset(turn->shortlist, 0, sizeof *turn->shortlist);
        turn->shortlist->bins[0][0].subsets[0] = *turn->search->only;
        turn->shortlist->bins[0][0].count = 1;
        return 0;
    }
    library = *turn->search->library;
    library.columns = others->columns;
    library.right_side = others->right_side;
    library.shares = turn->groups;
    return robust_search(context, &library, others, turn->shortlist);
}

/* What stands in where no subset is a candidate. */
static int
stand_in(memmodel_context *context, const struct turn *turn, const struct select_problem *others,
         struct held_out_formula *formula)
{
    static const struct subset constant = {.count = 1, .columns = {0}};
    const struct subset *of = turn->search->library ? &constant : turn->search->only;
    int status = take_positive(context, others, of, &formula->subset);

    return status ? status : fit_rest(context, others, &formula->subset, formula->coefficients);
}

/* The formula that is chosen of those listed, and may be. */
static int
choose_others(memmodel_context *context, const struct turn *turn, const struct select_problem *others,
              struct selected *selected, struct held_out_formula *formula)
{
    struct subset line = others->line ? *others->line : (struct subset){.count = 0};
    struct select_problem problem = *others;
    bool proven = false;

    problem.line = &line;
    while (!proven) {
        int status = select_subset(context, &problem, turn->shortlist, selected);

        if (status)
            return status;
        if (selected->chosen.count == 0)
            return stand_in(context, turn, others, formula);
        formula->subset = selected->chosen;
        status = fit_rest(context, others, &formula->subset, formula->coefficients);
        if (!status)
            status = turn->search->prove(turn->search->user, &formula->subset, formula->coefficients, &proven);
        if (status)
            return status;
        if (!proven)
            select_drop(turn->shortlist, &line, &formula->subset);
    }
    return 0;
}

static int
hold_out(memmodel_context *context, const struct turn *turn, struct held_out *held_out)
{
    const struct select_problem *problem = turn->search->problem;
    struct held_out_formula *formula = &held_out->formulas[turn->group];
    struct select_problem others;
    struct selected selected;
    int status;

    take_rest(problem, turn->group, turn->groups, turn->rest);
    others = problem_of_rest(problem, turn->rest);
    status = list_others(context, turn, &others);
    if (!status)
        status = choose_others(context, turn, &others, &selected, formula);
    for (size_t i = 0; !status && i < problem->columns->rows; i++)
        if (in_group(problem, i, turn->group, turn->groups)) {
            held_out->ratios[i] =
                held_out_ratio(problem->columns, problem->right_side, &formula->subset, formula->coefficients, i);
            held_out->groups[i] = turn->group;
        }
    if (status)
        return status;
    return hold_out_front(context, problem, &others, &selected, turn->group, turn->groups, &held_out->front);
}

int
held_out_find(memmodel_context *context, const struct held_out_search *search, struct held_out *held_out)
{
    const struct select_problem *problem = search->problem;
    size_t rows = problem->columns->rows;
    struct rest rest = {.points = NULL};
    struct turn turn = {.search = search, .groups = select_groups(problem, problem->loss != NULL), .rest = &rest};
    int status = matrix_new(context, rows, problem->columns->columns, &rest.columns);

    if (!status)
        status = matrix_new(context, rows, VALUES, &rest.values);
    rest.points = memory_allocate_zeroed(context, rows, sizeof *rest.points);
    rest.rows = memory_allocate_zeroed(context, rows, sizeof *rest.rows);
    turn.shortlist = memory_allocate(context, sizeof *turn.shortlist);
    if (!rest.points || !rest.rows || !turn.shortlist)
        status = MEMMODEL_ERROR_NO_MEMORY;
    for (; !status && turn.group < turn.groups; turn.group++)
        status = hold_out(context, &turn, held_out);
    held_out->count = turn.groups;
    memory_release(context, turn.shortlist);
    memory_release(context, rest.points);
    memory_release(context, rest.rows);
    matrix_release(&rest.values);
    matrix_release(&rest.columns);
    return status;
}
