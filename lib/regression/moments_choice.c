/* Whether a peak is the greatest of several moments: rows held out say so. */
#include "regression/moments.h"

#include <math.h>
#include <string.h>

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
    unsigned rival_nodes; /* of its formula of all rows */
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
        return MEMMODEL_ERROR_NO_MEMORY;
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

/* Measurement / prediction. What rounding leaves of a row that is met would decide between formulas that both meet it. */
static double
ratio_of(double predicted)
{
    return moments_is_met(predicted) ? 1 : loss_ratio(1, predicted);
}

static void
enter_rival(struct contest *contest, const struct moments_rival *rival)
{
    for (size_t i = 0; i < contest->ratios.rows; i++)
        matrix_column(&contest->ratios, 0)[i] = ratio_of(1 / rival->ratios[i]);
    contest->rival_nodes = rival->nodes;
}

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
    for (size_t i = 0; i < training->columns.rows; i++)
        if (contest->left_out[i])
            matrix_column(&contest->ratios, m)[i] = ratio_of(moments_predict(contest->problem, found, i));
}

/* ---- the choice ---- */

enum { NO_FOLD = MOMENTS_FOLDS }; /* all rows are seen */

static bool
is_seen(const struct contest *contest, size_t row, size_t fold)
{
    return fold == NO_FOLD || contest->problem->training->points[row] % contest->folds != fold;
}

/* Whether it meets more of the rows seen than its coefficients could. */
static bool
is_exact(const struct contest *contest, const struct moments *moments, size_t fold)
{
    size_t met = 0;

    for (size_t i = 0; i < contest->ratios.rows; i++)
        met += is_seen(contest, i, fold) && moments_meet(contest->problem, moments, i);
    return met >= moments_numbers(contest->problem, moments) + MOMENTS_WITNESSES;
}

/* differences[p]: how much less the rows of point p count by one formula than by its rival; of the points that are not seen 0. */
static void
compare(struct contest *contest, const struct loss *loss, size_t other, size_t rival, size_t fold)
{
    const struct training *training = contest->problem->training;

    memset(contest->differences, 0, training->point_count * sizeof *contest->differences);
    for (size_t i = 0; i < training->columns.rows; i++) {
        double measured = training->measured[i];

        if (is_seen(contest, i, fold))
            contest->differences[training->points[i]] +=
                training->weights[i] * (loss_of(loss, measured, measured / matrix_column(&contest->ratios, rival)[i]) -
                                        loss_of(loss, measured, measured / matrix_column(&contest->ratios, other)[i]));
    }
}

/* By how many standard errors a formula is better than another on rows held out: of points, as their rows err together. */
static double
advantage(struct contest *contest, const struct loss *loss, size_t other, size_t rival, size_t fold)
{
    size_t points = contest->problem->training->point_count, seen = 0;
    double mean = 0, spread = 0;

    compare(contest, loss, other, rival, fold);
    for (size_t p = 0; p < points; p++)
        seen += fold == NO_FOLD || p % contest->folds != fold;
    for (size_t p = 0; p < points; p++)
        mean += contest->differences[p] / (double)seen;
    for (size_t p = 0; p < points; p++)
        if (fold == NO_FOLD || p % contest->folds != fold)
            spread += (contest->differences[p] - mean) * (contest->differences[p] - mean);
    return mean / sqrt(spread / (double)(seen - 1) / (double)seen);
}

/* Whether a formula that meets rows exactly is shorter than the sum that it is compared with. */
static bool
is_shorter(const struct contest *contest, const struct moments *moments, size_t rival)
{
    return rival == 0 && moments_nodes(contest->problem, moments) < contest->rival_nodes;
}

/*
 * Whether formulas of m moments are better than those of `rival` by the rows seen. Where rows are met exactly, those that are
 * not are no noise that a mean should weigh, so that the sizes of errors are compared, not their squares.
 */
static bool
wins(struct contest *contest, const struct loss *loss, size_t m, size_t rival, size_t fold)
{
    static const struct loss sizes = {.kind = MEMMODEL_FIT_LOSS_MAPE, .unit = 1};
    const struct moments *formula = fold == NO_FOLD ? &contest->found[m - 1] : &contest->without[fold][m - 1];

    if (formula->count < m)
        return false;
    if (is_exact(contest, formula, fold)) {
        double better = advantage(contest, loss_is_relative(loss->kind) ? &sizes : loss, m, rival, fold);

        return is_shorter(contest, formula, rival) ? !(better < 0) : better > surely_exact;
    }
    return advantage(contest, loss, m, rival, fold) > surely;
}

/* Finds formulas of m moments, of all rows and without each fold; false if there is none. */
static bool
enter(struct contest *contest, size_t m)
{
    struct moments *found = &contest->found[m - 1];

    moments_find(&contest->search, NULL, m > 1 ? found - 1 : NULL, found);
    for (size_t fold = 0; found->count > 0 && fold < contest->folds; fold++)
        hold_out(contest, fold, m);
    return found->count > 0;
}

/*
 * chosen[fold]: of how many moments, by the errors of the rows that are seen without the fold; [NO_FOLD]: by those of all. What
 * is chosen by its errors on some rows is better on these than on others, so that the choice of all rows tells too little
 * of its own errors. A third moment is looked for only where a second is better than one, as most of the time goes there.
 */
static void
choose(struct contest *contest, const struct loss *loss, size_t chosen[MOMENTS_FOLDS + 1])
{
    memset(chosen, 0, (MOMENTS_FOLDS + 1) * sizeof *chosen);
    for (size_t m = 1; m <= MOMENTS_MOST && (m <= 2 || chosen[NO_FOLD] == m - 1); m++) {
        if (!enter(contest, m))
            return;
        for (size_t fold = 0; fold <= NO_FOLD; fold++)
            if ((fold < contest->folds || fold == NO_FOLD) && (m <= 2 || chosen[fold] == m - 1) &&
                wins(contest, loss, m, chosen[fold], fold))
                chosen[fold] = m;
    }
}

int
moments_choose(const struct moments_problem *problem, const struct loss *loss, const struct moments_rival *rival,
               struct moments_choice *choice)
{
    struct contest contest;
    size_t chosen[MOMENTS_FOLDS + 1];
    int status = contest_new(problem, &contest);

    *choice = (struct moments_choice){.folds = 0};
    if (!status) {
        enter_rival(&contest, rival);
        choose(&contest, loss, chosen);
        choice->folds = contest.folds;
        for (size_t fold = 0; fold < contest.folds; fold++)
            if (chosen[fold] > 0)
                choice->without[fold] = contest.without[fold][chosen[fold] - 1];
        if (chosen[NO_FOLD] > 0)
            choice->formula = contest.found[chosen[NO_FOLD] - 1];
        memcpy(choice->found, contest.found, sizeof choice->found);
        choice->ratios = contest.ratios;
        contest.ratios = (struct matrix){.values = NULL};
    }
    contest_release(&contest);
    return status;
}
