/* The only place where formulas are compared. */
#include "regression/select/selection.h"

#include <math.h>

static const double rounding = 1e-9; /* share of a mean loss by which two may differ and be the same */

/* ---- comparison ---- */

double
selection_advantage(const struct comparison *comparison, const struct loss *loss, const double *a, const double *b)
{
    const struct training *table = comparison->table;
    double sum = 0, squares = 0, total = 0, points = 0, difference = 0, floor = loss_floor(loss), error;

    for (size_t i = 0; i < table->columns.rows; i++) {
        double measured = table->measured[i], less = fmax(loss_of(loss, measured, a[i]), floor),
               more = fmax(loss_of(loss, measured, b[i]), floor);

        if (comparison->folds[i] == comparison->hidden)
            continue;
        difference += comparison->weights[i] * (more - less);
        total += comparison->weights[i] * more;
        if (i + 1 < table->columns.rows && table->points[i + 1] == table->points[i])
            continue;
        sum += difference;
        squares += difference * difference;
        difference = 0;
        points++;
    }
    if (fabs(sum) <= rounding * total)
        return 0;
    error = sqrt(fmax(squares - sum * sum / points, 0) * points / (points - 1));
    return error > 0 ? sum / error : sum > 0 ? INFINITY : -INFINITY;
}

/* The same of two candidates, by predictions of all. */
static double
advantage(const struct comparison *comparison, const struct loss *loss, const struct matrix *predictions, size_t a,
          size_t b)
{
    return selection_advantage(comparison, loss, matrix_column(predictions, a), matrix_column(predictions, b));
}

/* ---- description length ---- */

static void
set_scores(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        struct candidate *candidate = &comparison->candidates[i];

        candidate->score = description_length(comparison, candidate, candidate->loo, candidate->nested);
    }
}

static bool
may_be(const struct comparison *comparison, size_t i, enum source source)
{
    return !comparison->candidates[i].refused && comparison->candidates[i].source == source;
}

static bool
is_shorter(const struct candidate *a, const struct candidate *b)
{
    return fabs(a->score - b->score) > rounding ? a->score < b->score : a->nodes < b->nodes;
}

/* comparison->count if there is none. */
static size_t
shortest_description(const struct comparison *comparison, enum source source)
{
    size_t best = comparison->count;

    for (size_t i = 0; i < comparison->count; i++)
        if (may_be(comparison, i, source) &&
            (best == comparison->count || is_shorter(&comparison->candidates[i], &comparison->candidates[best])))
            best = i;
    return best;
}

/* ---- one standard error ---- */

/*
 * Of positive terms, which are few, errors left out say as much as those held out, with less noise; of others, too
 * little.
 */
static const struct matrix *
judging_predictions(const struct comparison *comparison)
{
    return comparison->basis->positive ? &comparison->left_out : &comparison->held_out;
}

static double
judging_loss(const struct comparison *comparison, size_t i)
{
    return comparison->basis->positive ? comparison->candidates[i].loo : comparison->candidates[i].nested;
}

static size_t
min_loss(const struct comparison *comparison, uint8_t library)
{
    size_t least = comparison->count;

    for (size_t i = 0; i < comparison->count; i++)
        if (may_be(comparison, i, SOURCE_TERMS) && comparison->candidates[i].support.library <= library &&
            (least == comparison->count || judging_loss(comparison, i) < judging_loss(comparison, least)))
            least = i;
    return least;
}

static size_t
smallest_within_one_standard_error(const struct comparison *comparison, uint8_t library)
{
    const struct matrix *predictions = judging_predictions(comparison);
    size_t least = min_loss(comparison, library), best = least;

    for (size_t i = 0; i < comparison->count; i++) {
        const struct candidate *candidate = &comparison->candidates[i], *other = &comparison->candidates[best];

        if (!may_be(comparison, i, SOURCE_TERMS) || candidate->support.library > library ||
            candidate->nodes > other->nodes || (candidate->nodes == other->nodes && !is_shorter(candidate, other)))
            continue;
        if (advantage(comparison, comparison->loss, predictions, least, i) <= 1)
            best = i;
    }
    return best;
}

static size_t
choose_terms(const struct comparison *comparison)
{
    size_t best = shortest_description(comparison, SOURCE_TERMS);

    if (best == comparison->count || comparison->rule == MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH)
        return best;
    return smallest_within_one_standard_error(comparison, comparison->candidates[best].support.library);
}

/* ---- other sources ---- */

/*
 * Standard errors by which a maximum of sums must be better. Where it meets rows exactly, those that it does not meet
 * are no noise that a mean should weigh, so that the sizes of errors are compared, not their squares; and if it is
 * shorter, it need be no worse.
 */
static bool
regimes_win(const struct comparison *comparison, size_t regimes, size_t chosen)
{
    static const struct loss sizes = {.kind = MEMMODEL_FIT_LOSS_MAPE, .unit = 1};
    const struct candidate *candidate = &comparison->candidates[regimes], *other = &comparison->candidates[chosen];
    const struct loss *loss = candidate->exact && loss_is_relative(comparison->loss->kind) ? &sizes : comparison->loss;
    double better = advantage(comparison, loss, &comparison->held_out, regimes, chosen);

    if (candidate->exact && other->source == SOURCE_TERMS && candidate->nodes < other->nodes)
        return !(better < 0);
    return better > (candidate->exact ? 1 : 2);
}

static size_t
choose_regimes(const struct comparison *comparison, size_t chosen)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (may_be(comparison, i, SOURCE_REGIMES) &&
            (chosen == comparison->count || regimes_win(comparison, i, chosen)))
            chosen = i;
    return chosen;
}

/*
 * A formula of any shape must be better by more than a standard error, its errors raised by what the best of so many
 * tried gains by chance; a smaller one need be no worse with each row left out.
 */
static bool
tree_wins(const struct comparison *comparison, size_t tree, size_t chosen)
{
    if (advantage(comparison, comparison->loss, &comparison->held_out, tree, chosen) > 1)
        return is_shorter(&comparison->candidates[tree], &comparison->candidates[chosen]);
    return comparison->candidates[tree].nodes < comparison->candidates[chosen].nodes &&
           advantage(comparison, comparison->loss, &comparison->left_out, tree, chosen) > 0;
}

static size_t
choose_trees(const struct comparison *comparison, size_t chosen)
{
    size_t best = chosen;

    for (size_t i = 0; i < comparison->count; i++)
        if (may_be(comparison, i, SOURCE_TREES) && (chosen == comparison->count || tree_wins(comparison, i, chosen)) &&
            (best == chosen || is_shorter(&comparison->candidates[i], &comparison->candidates[best])))
            best = i;
    return best;
}

/* ---- the choice ---- */

static size_t
choose_by_rows(struct comparison *comparison)
{
    size_t chosen;

    for (size_t i = 0; i < comparison->count; i++)
        judge_losses(comparison, i);
    set_scores(comparison);
    chosen = choose_terms(comparison);
    chosen = choose_regimes(comparison, chosen);
    return choose_trees(comparison, chosen);
}

/*
 * What is chosen by its errors on some rows is better on these than on others, so that each part's rows have no say
 * in its choice.
 */
static void
fill_nested(struct comparison *comparison)
{
    for (unsigned fold = 0; fold < comparison->fold_count; fold++) {
        size_t chosen;

        comparison->hidden = fold;
        chosen = choose_by_rows(comparison);
        for (size_t i = 0; i < comparison->held_out.rows; i++)
            if (comparison->folds[i] == fold)
                comparison->nested[i] = matrix_column(&comparison->held_out, chosen)[i];
    }
    comparison->hidden = ROWS_MAX_FOLDS;
}

/*
 * Whether rows held out are predicted no better than by the constant: by more than a standard error, if that is the
 * rule.
 */
static bool
is_constant(const struct comparison *comparison)
{
    const double *constant = matrix_column(&comparison->held_out, 0);
    double better = selection_advantage(comparison, comparison->loss, comparison->nested, constant);

    return !comparison->candidates[0].refused &&
           !(better > (comparison->rule == MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH ? 0 : 1));
}

/* What is said of errors counts every row as the caller does, wild or not. */
static void
report_losses(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->held_out.rows; i++)
        comparison_weigh(comparison, i, 1);
    for (size_t i = 0; i < comparison->count; i++)
        judge_losses(comparison, i);
}

/*
 * Where what a search found is not better than the constant, for its errors on rows held out are raised by what chance
 * may have gained, terms alone may be. Whether there were any to refuse.
 */
static bool
refuse_trees(struct comparison *comparison)
{
    bool any = false;

    for (size_t i = 0; i < comparison->count; i++)
        if (may_be(comparison, i, SOURCE_TREES))
            any = comparison->candidates[i].refused = true;
    return any;
}

bool
choose(struct comparison *comparison)
{
    comparison->chosen = choose_by_rows(comparison);
    if (comparison->chosen == comparison->count)
        return false;
    fill_nested(comparison);
    comparison->chosen = choose_by_rows(comparison);
    if (is_constant(comparison)) {
        if (refuse_trees(comparison))
            return choose(comparison);
        comparison->chosen = 0;
        memcpy(comparison->nested, matrix_column(&comparison->held_out, 0), comparison->held_out.rows * sizeof(double));
    }
    report_losses(comparison);
    return true;
}
