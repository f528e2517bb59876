/* Which formula it shall be: of candidates that a search of trees found, and the best sum of terms. */
#include "regression/logarithm.h"
#include "regression/search/contest.h"

#include <math.h>
#include <string.h>

enum { FOLDS = GENERAL_FOLDS, MOST_REPEATS = 3, REPEATED_ROWS = 1500 };

static const double unexplained = 1e-3; /* share of the target's variance */
static const double luck_share = 4;     /* of squared errors; 2 would do for formulas that know nothing of each other */

/* ---- judging ---- */

double
trees_loss_of(const struct trees *trees, size_t row, double error)
{
    double measured = trees->training->measured[row];

    if (trees->loss)
        return trees->training->weights[row] * loss_of(trees->loss, measured, measured - error);
    error *= trees->reading->roots[row];
    return error * error;
}

/* Of a formula that was fitted to the rows at hand, on all rows. */
static void
fill_values(struct trees *trees, const struct formula *formula)
{
    struct formula own = *formula;

    if (trees->loss)
        trees_refit(trees, &own);
    formula_values(&trees->hunt.fitter, &own, trees->column);
}

/* What the fold says of candidates of each size: the best formula of that size that was found without it. */
static void
judge_fold(struct trees *trees, size_t repeat, size_t fold)
{
    size_t rows = trees->training->columns.rows;

    for (size_t k = 0; k < trees->count; k++) {
        const struct candidate *candidate = &trees->general->candidates[trees->first + k];
        const struct formula *formula = archive_best(trees->fold_archive, candidate->nodes);

        if (formula)
            fill_values(trees, formula);
        for (size_t i = 0; i < rows; i++) {
            double value = formula ? model_respond(&candidate->response, trees->column[i]) : (double)NAN;

            if (trees->folds[i] != fold)
                continue;
            if (repeat == 0)
                trees->found[k][i] = trees->training->measured[i] - value;
            else
                trees->later[k] += trees_loss_of(trees, i, trees->training->measured[i] - value);
        }
    }
}

/*
 * A search without the fold may miss what was found with it. Then the error with each row left out stands in, raised by what
 * the best of all formulas tried may owe to chance: a formula's log likelihood of n rows is n / 2 ln(error), and of N of them
 * that say nothing one exceeds the others by ln N.
 */
static void
set_held_out(struct trees *trees, size_t k, size_t partitions)
{
    struct candidate *candidate = &trees->general->candidates[trees->first + k];
    size_t rows = trees->training->columns.rows;
    double share = trees_are_linear(trees) ? luck_share / 2 : luck_share;
    double luck = exponential(share * logarithm((double)trees->hunt.tried + 2) / (double)rows);
    double sum = trees->later[k];

    for (size_t i = 0; i < rows; i++)
        sum += trees_loss_of(trees, i, trees->found[k][i]);
    candidate->held_out_error = sum / (double)(partitions * rows);
    memcpy(trees->held_out[k], trees->found[k], rows * sizeof *trees->held_out[k]);
    if (candidate->held_out_error <= candidate->loo_error * luck)
        return;
    candidate->held_out_error = candidate->loo_error * luck;
    for (size_t i = 0; i < rows; i++)
        trees->held_out[k][i] = trees->left_out[k][i] * (trees_are_linear(trees) ? luck : sqrt(luck));
}

size_t
trees_repeats(const struct trees *trees)
{
    size_t most = REPEATED_ROWS / trees->training->columns.rows;

    return most < 1 || trees->evolves ? 1 : most > MOST_REPEATS ? MOST_REPEATS : most;
}

/* ---- choosing ---- */

/* Whether on rows held out the candidate is better than what was chosen, by more than chance makes of it. */
static bool
is_surely_better(const struct trees *trees, size_t k)
{
    size_t rows = trees->training->columns.rows;
    double sum = 0, squares = 0, mean, n = (double)rows;

    for (size_t i = 0; i < rows; i++) {
        double gain =
            trees_loss_of(trees, i, trees->general->held_out[i]) - trees_loss_of(trees, i, trees->held_out[k][i]);

        sum += gain;
        squares += gain * gain;
    }
    mean = sum / n;
    return mean > 0 && mean * mean * (n - 1) > squares / n - mean * mean;
}

/* A formula that leaves next to nothing unexplained on rows held out goes on beyond the samples, as straight lines do. */
static void
set_free(const struct trees *trees)
{
    struct general *general = trees->general;
    struct candidate *chosen = &general->candidates[general->chosen];
    double most = trees_are_linear(trees) ? sqrt(unexplained) : unexplained;

    if (!(chosen->held_out_error < most * general->candidates[0].held_out_error))
        return;
    chosen->response.least = -INFINITY;
    chosen->response.most = INFINITY;
}

/* The candidate to be chosen, by the errors on rows held out; how many there are if it is none of them. Sets their scores. */
static size_t
find_best(struct trees *trees)
{
    struct general *general = trees->general;
    double rows = (double)trees->training->columns.rows * (trees_are_linear(trees) ? 2 : 1);
    double floor = trees->loss ? loss_floor(trees->loss) : trees_error_floor(trees);
    double best = general->candidates[general->chosen].score;
    size_t chosen = trees->count;

    for (size_t k = 0; k < trees->count; k++) {
        struct candidate *candidate = &general->candidates[trees->first + k];

        candidate->score =
            rows / 4 * (logarithm(candidate->held_out_error + floor) + logarithm(candidate->loo_error + floor)) +
            trees_price(trees, &trees->chosen[k]);
        if (candidate->score < best && candidate->held_out_error < general->candidates[0].held_out_error &&
            is_surely_better(trees, k)) {
            best = candidate->score;
            chosen = k;
        }
    }
    return chosen;
}

/*
 * Whether any candidate may still be chosen: rows of folds that were not searched yet are told as if the search found just
 * the same without them.
 */
static bool
may_win(struct trees *trees, size_t partitions)
{
    for (size_t k = 0; k < trees->count; k++)
        set_held_out(trees, k, partitions);
    return find_best(trees) < trees->count;
}

static int
judge_partition(struct trees *trees, size_t repeat, bool *open)
{
    int status = 0;

    general_deal_folds(trees->training, repeat, trees->order, trees->group_folds, trees->folds);
    for (size_t fold = 0; !status && *open && fold < FOLDS; fold++) {
        status = trees_search_fold(trees, repeat, fold);
        judge_fold(trees, repeat, fold);
        *open = repeat > 0 || may_win(trees, 1);
    }
    return status;
}

/* Folds are searched as long as they can decide anything; what is out then is told by what stands in. */
int
trees_judge(struct trees *trees)
{
    size_t rows = trees->training->columns.rows, partitions = 0;
    bool open;
    int status = 0;

    for (size_t k = 0; k < trees->count; k++)
        memcpy(trees->found[k], trees->left_out[k], rows * sizeof *trees->found[k]);
    open = may_win(trees, 1);
    for (; !status && open && partitions < trees_repeats(trees); partitions++)
        status = judge_partition(trees, partitions, &open);
    for (size_t k = 0; !status && k < trees->count; k++) {
        trees->later[k] = open ? trees->later[k] : INFINITY;
        set_held_out(trees, k, partitions);
    }
    return status;
}

void
trees_choose(struct trees *trees)
{
    struct general *general = trees->general;
    size_t chosen = find_best(trees);

    if (chosen < trees->count) {
        general->chosen = trees->first + chosen;
        memcpy(general->held_out, trees->held_out[chosen], trees->training->columns.rows * sizeof *general->held_out);
    }
    set_free(trees);
}
