/* Whether a peak is the greatest of several moments: rows held out say so. */
#include "regression/moments.h"

#include <math.h>
#include <string.h>

static const double greatest_ratio = 1000; /* a prediction further below the measurement, or below 0, counts as this */

/* Standard errors by which a formula must be better; one that meets rows exactly has other witnesses besides. */
static const double surely = 2, surely_exact = 1;

/* The rival, and formulas of 1 to MOMENTS_MOST moments that were found side by side. */
struct contest {
    const struct moments_problem *problem;
    struct moments_search search;
    struct moments found[MOMENTS_MOST];
    struct moments (*without)[MOMENTS_MOST]; /* of every fold */
    size_t folds;
    unsigned char *left_out;
    struct matrix ratios; /* of every row by a formula of so many moments as the column; the first is the rival's */
    double *differences;  /* of every point */
};

static int
contest_new(const struct moments_problem *problem, struct contest *contest)
{
    const struct training *training = problem->training;
    memmodel_context *context = training->context;
    size_t rows = training->columns.rows;
    int status;

    *contest = (struct contest){.problem = problem};
    contest->folds = training->point_count < MOMENTS_FOLDS ? training->point_count : MOMENTS_FOLDS;
    status = moments_search_new(problem, &contest->search);
    if (!status)
        status = matrix_new(context, rows, MOMENTS_MOST + 1, &contest->ratios);
    contest->without = memory_allocate_zeroed(context, MOMENTS_FOLDS, sizeof *contest->without);
    contest->left_out = memory_allocate_zeroed(context, rows, 1);
    contest->differences = memory_allocate_zeroed(context, training->point_count, sizeof *contest->differences);
    if (!contest->without || !contest->left_out || !contest->differences)
        return MEMMODEL_ERROR_NOMEM;
    return status;
}

static void
contest_release(struct contest *contest)
{
    memmodel_context *context = contest->problem->training->context;

    moments_search_release(&contest->search);
    matrix_release(&contest->ratios);
    memory_release(context, contest->without);
    memory_release(context, contest->left_out);
    memory_release(context, contest->differences);
}

/* ---- rows held out ---- */

/* Formulas of m moments, and of each row the ratio by that which did not see it. */
static void
hold_out(struct contest *contest, size_t fold, size_t m)
{
    const struct training *training = contest->problem->training;
    const struct moments *before = m > 1 ? &contest->without[fold][m - 2] : NULL;
    struct moments *found = &contest->without[fold][m - 1];

    for (size_t i = 0; i < training->columns.rows; i++)
        contest->left_out[i] = training->points[i] % contest->folds == fold;
    moments_find(&contest->search, contest->left_out, before, found);
    if (found->count == 0 && before)
        *found = *before;
    for (size_t i = 0; i < training->columns.rows; i++) {
        double predicted = contest->left_out[i] ? moments_predict(contest->problem, found, i) : 1;

        if (contest->left_out[i])
            matrix_column(&contest->ratios, m)[i] = predicted * greatest_ratio > 1 ? 1 / predicted : greatest_ratio;
    }
}

/* ---- the choice ---- */

static bool
is_exact(const struct moments_problem *problem, const struct moments *moments)
{
    size_t met = 0;

    for (size_t i = 0; i < problem->training->columns.rows; i++)
        met += moments_meet(problem, moments, i);
    return met >= moments_numbers(problem, moments) + MOMENTS_WITNESSES; /* more than its coefficients could */
}

/* By how many standard errors a formula is better than another on rows held out: of points, as their rows err together. */
static double
advantage(struct contest *contest, const struct loss *loss, size_t other, size_t rival)
{
    const struct training *training = contest->problem->training;
    size_t points = training->point_count;
    double mean = 0, spread = 0;

    memset(contest->differences, 0, points * sizeof *contest->differences);
    for (size_t i = 0; i < training->columns.rows; i++) {
        double measured = training->measured[i];

        contest->differences[training->points[i]] +=
            training->weights[i] * (loss_of(loss, measured, measured / matrix_column(&contest->ratios, rival)[i]) -
                                    loss_of(loss, measured, measured / matrix_column(&contest->ratios, other)[i]));
    }
    for (size_t p = 0; p < points; p++)
        mean += contest->differences[p] / (double)points;
    for (size_t p = 0; p < points; p++)
        spread += (contest->differences[p] - mean) * (contest->differences[p] - mean);
    return mean / sqrt(spread / (double)(points - 1) / (double)points);
}

/*
 * Whether formulas of m moments are better than those of `rival`: finds them. Where rows are met exactly, those that are not are
 * no noise that a mean should weigh, so that the sizes of errors are compared, not their squares.
 */
static bool
wins(struct contest *contest, const struct loss *loss, size_t m, size_t rival)
{
    static const struct loss sizes = {.kind = MEMMODEL_FIT_LOSS_MAPE, .unit = 1};
    struct moments *found = &contest->found[m - 1];

    moments_find(&contest->search, NULL, m > 1 ? found - 1 : NULL, found);
    if (found->count == 0)
        return false;
    for (size_t fold = 0; fold < contest->folds; fold++)
        hold_out(contest, fold, m);
    if (is_exact(contest->problem, found))
        return advantage(contest, loss_is_relative(loss->kind) ? &sizes : loss, m, rival) > surely_exact;
    return advantage(contest, loss, m, rival) > surely;
}

/* A third moment is looked for only where a second is better than one, as most of the time goes there. */
static void
choose(struct contest *contest, const struct loss *loss, struct moments_choice *choice)
{
    size_t chosen = 0;

    for (size_t m = 1; m <= MOMENTS_MOST && (m <= 2 || chosen == m - 1); m++)
        if (wins(contest, loss, m, chosen))
            chosen = m;
    if (chosen == 0)
        return;
    choice->formula = contest->found[chosen - 1];
    choice->folds = contest->folds;
    for (size_t fold = 0; fold < contest->folds; fold++)
        choice->without[fold] = contest->without[fold][chosen - 1];
    memcpy(choice->ratios, matrix_column(&contest->ratios, chosen), contest->ratios.rows * sizeof *choice->ratios);
}

int
moments_choose(const struct moments_problem *problem, const struct loss *loss, const double *ratios,
               struct moments_choice *choice)
{
    struct contest contest;
    int status = contest_new(problem, &contest);

    choice->formula.count = 0;
    if (!status) {
        memcpy(matrix_column(&contest.ratios, 0), ratios, contest.ratios.rows * sizeof *ratios);
        choose(&contest, loss, choice);
    }
    contest_release(&contest);
    return status;
}
