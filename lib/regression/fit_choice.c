/*
 * Which sum of positive terms becomes the formula: of those that are proven the one that predicts rows left out best for its size,
 * unless a simpler one predicts rows held out as well.
 */
#include "regression/fit_positive.h"

#include <math.h>

/* ---- what is proven ---- */

/* The best formula that is defined, finite and not negative on the whole box of the samples, if there is one. */
static int
select_proven(struct fit *fit, bool *found)
{
    struct select_problem problem = fit_selection(fit);
    size_t refused = 0;
    int status = 0;

    *found = false;
    while (!status && !*found) {
        status = select_subset(fit->context, &problem, fit->shortlist, &fit->selected);
        if (status || fit->selected.chosen.count == 0)
            break;
        fit->formula = fit_sum(fit, &fit->selected.chosen);
        status = fit_prove(fit, &fit->formula, found);
        if (status || *found)
            break;
        select_drop(fit->shortlist, &fit->line, &fit->selected.chosen);
        refused++;
    }
    if (!status && refused > 0)
        context_log(
            fit->context,
            "left out: %zu of the formulas, for it could not be proven that they are what they must be wherever the "
            "inputs are in their ranges",
            refused);
    return status;
}

/* Of a sum of columns. */
static int
prove_held_out(void *fit, const struct subset *subset, const double *coefficients, bool *proven)
{
    const struct basis *basis = &((struct fit *)fit)->basis;
    double scaled[SUBSET_TERMS + 1];

    for (size_t k = 0; k < subset->count; k++)
        scaled[k] = ldexp(coefficients[k], -basis->exponents[subset->columns[k]]);
    return fit_prove_sum(fit, subset, scaled, proven);
}

/* How wrong the selected formula, and formulas selected like it, are on rows they did not see. */
static int
judge(struct fit *fit)
{
    struct select_problem problem = fit_selection(fit);
    const struct held_out_search search = {
        .problem = &problem,
        .library = fit->only.count > 0 ? NULL : &fit->library,
        .only = &fit->only,
        .prove = prove_held_out,
        .user = fit,
    };

    fit->work.groups = &fit->groups;
    fit_leave_out(fit, &fit->formula.subset, fit->errors);
    return held_out_find(fit->context, &search, &fit->held_out);
}

/* ---- simpler formulas ---- */

/* What a row counts that is held out. */
static double
row_loss(const struct fit *fit, const double *ratios, size_t row)
{
    double measured = fit->training.measured[row];

    return fit->training.weights[row] * loss_of(&fit->loss, measured, measured / ratios[row]);
}

/* Whether the choice is better than by these ratios by more than a standard error: of points, as their rows err together. */
static bool
is_better_than(const struct fit *fit, const double *ratios)
{
    const struct row_groups *groups = &fit->groups;
    double sum = 0, squares = 0, points = (double)groups->count;

    for (size_t g = 0; g < groups->count; g++) {
        double difference = 0;

        for (size_t k = groups->starts[g]; k < groups->starts[g + 1]; k++)
            difference += row_loss(fit, ratios, groups->rows[k]) - row_loss(fit, fit->held_out.ratios, groups->rows[k]);
        sum += difference;
        squares += difference * difference;
    }
    return sum > sqrt(fmax(squares - sum * sum / points, 0) * points / (points - 1));
}

/* The only candidate that is left, if it is proven; else all stays. */
static int
leave_only(struct fit *fit, const struct subset *subset)
{
    struct shortlist *shortlist = memory_allocate_zeroed(fit->context, 1, sizeof *shortlist);
    const struct fit before = *fit;
    bool found = false;
    int status;

    if (!shortlist)
        return MEMMODEL_ERROR_NO_MEMORY;
    shortlist->bins[0][0].subsets[0] = *subset;
    shortlist->bins[0][0].count = 1;
    fit->shortlist = shortlist;
    fit->only = *subset;
    fit->line.count = 0;
    status = select_proven(fit, &found);
    if (!found) {
        fit->shortlist = before.shortlist;
        fit->selected = before.selected;
        fit->formula = before.formula;
        fit->only = before.only;
        fit->line = before.line;
    }
    memory_release(fit->context, found ? before.shortlist : shortlist);
    return status || !found ? status : judge(fit);
}

/*
 * Of many terms some follow any rows, and each row left out by itself does not tell: formulas chosen without it do. What predicts
 * points no better than the constant does, or than the line if that is smaller, gives way to it.
 */
static int
give_way(struct fit *fit, const struct subset *simple, size_t column)
{
    struct sum sum = fit_sum(fit, simple);
    bool lacks_constant = simple->columns[0] != 0 && fit->formula.subset.columns[0] == 0;

    if (fit->rule != MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR || simple->count == 0 || lacks_constant ||
        sum.nodes >= fit->formula.nodes || is_better_than(fit, matrix_column(&fit->held_out.front, column)))
        return 0;
    return leave_only(fit, &sum.subset);
}

/* ---- the choice ---- */

int
fit_choose(struct fit *fit)
{
    static const struct subset constant = {.count = 1, .columns = {0}};
    bool found;
    int status = select_proven(fit, &found);

    if (!status && !found)
        status = context_error(fit->context, MEMMODEL_ERROR_DATA, NULL, "no formula of the basis fits these samples");
    if (!status)
        status = judge(fit);
    if (!status)
        status = give_way(fit, &fit->line, HELD_OUT_LINE);
    return status ? status : give_way(fit, &constant, 0);
}
