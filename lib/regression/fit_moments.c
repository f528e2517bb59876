/* A formula of several moments in place of a sum of terms. */
#include "regression/fit_positive.h"
#include "regression/moments.h"

#include <math.h>

/* A term that is the formula but for a factor, and that factor: of the basis' column. */
static int
append_moments(struct fit *fit, const struct moments_problem *problem, const struct moments *moments, uint16_t *column,
               double *scale)
{
    double unit;
    expression term = moments_express(problem, moments, &unit);
    size_t index;
    int status = term < 0 ? term : basis_append(&fit->basis, &fit->training, term, 1, &index);

    if (status)
        return status;
    *column = (uint16_t)index;
    *scale = ldexp(unit, fit->basis.exponents[index]);
    return 0;
}

/* The formula without the fold, and what its rows are to it as it is written; without a formula of moments as they were. */
static int
hold_out_moments(struct fit *fit, const struct moments_problem *problem, const struct moments_choice *choice,
                 size_t fold, struct held_out *held_out)
{
    struct held_out_formula *formula = &held_out->formulas[held_out->count];
    int status;

    if (choice->without[fold].count == 0)
        return 0;
    *formula = (struct held_out_formula){.subset.count = 1};
    status = append_moments(fit, problem, &choice->without[fold], formula->subset.columns, formula->coefficients);
    for (size_t i = 0; !status && i < fit->training.columns.rows; i++)
        if (fit->training.points[i] % choice->folds == fold) {
            held_out->ratios[i] =
                held_out_ratio(&fit->basis.columns, fit->basis.right_side, &formula->subset, formula->coefficients, i);
            held_out->groups[i] = held_out->count;
        }
    held_out->count++;
    return status;
}

/* Formulas that all of their rows have left are no more. */
static void
drop_idle(struct held_out *held_out, size_t rows)
{
    size_t places[SELECT_MOST_GROUPS + MOMENTS_FOLDS], kept = 0;
    bool used[SELECT_MOST_GROUPS + MOMENTS_FOLDS] = {false};

    for (size_t i = 0; i < rows; i++)
        used[held_out->groups[i]] = true;
    for (size_t g = 0; g < held_out->count; g++) {
        places[g] = kept;
        if (used[g])
            held_out->formulas[kept++] = held_out->formulas[g];
    }
    for (size_t i = 0; i < rows; i++)
        held_out->groups[i] = places[held_out->groups[i]];
    held_out->count = kept;
}

/* The moments as a formula; *proven says whether that could be written and is what it must be. */
static int
express(struct fit *fit, const struct moments_problem *problem, const struct moments *moments, struct sum *formula,
        bool *proven)
{
    int status;

    *proven = false;
    *formula = (struct sum){.subset = {.count = 1}, .nodes = moments_nodes(problem, moments)};
    status = append_moments(fit, problem, moments, formula->subset.columns, &formula->scale);
    if (status)
        return status == MEMMODEL_ERROR_OVERFLOW ? 0 : status;
    formula->numbers = moments_numbers(problem, moments) - 1;
    return subset_is_zero_somewhere(&fit->basis.columns, &formula->subset) ? 0 : fit_prove(fit, formula, proven);
}

/* The chosen moments become the formula, if that can be written and proven. */
static int
take_moments(struct fit *fit, const struct moments_problem *problem, const struct moments *moments)
{
    struct sum formula;
    bool proven;
    int status = express(fit, problem, moments, &formula, &proven);

    if (!status && proven)
        fit->formula = formula;
    return status;
}

/* Formulas of other numbers of moments than the chosen one's. */
static int
list_rivals(struct fit *fit, const struct moments_problem *problem, const struct moments_choice *choice)
{
    int status = 0;

    for (size_t m = 0; !status && m < MOMENTS_MOST; m++) {
        struct rival *rival = &fit->rivals[fit->rival_count];
        bool proven;

        if (choice->found[m].count != m + 1 || choice->formula.count == m + 1)
            continue;
        status = express(fit, problem, &choice->found[m], &rival->formula, &proven);
        rival->loo = rival->held_out = fit_told_of_ratios(fit, matrix_column(&choice->ratios, m + 1));
        fit->rival_count += !status && proven;
    }
    return status;
}

/* The formula, and what rows held out know of the choice. A formula that cannot be written without a fold leaves the rival's. */
static int
take_choice(struct fit *fit, const struct moments_problem *problem, const struct moments_choice *choice)
{
    size_t rows = fit->training.columns.rows;
    int status = 0;

    for (size_t fold = 0; !status && fold < choice->folds; fold++) {
        status = hold_out_moments(fit, problem, choice, fold, &fit->held_out);
        status = status == MEMMODEL_ERROR_OVERFLOW ? 0 : status;
    }
    if (status)
        return status;
    drop_idle(&fit->held_out, rows);
    if (choice->formula.count > 0)
        status = take_moments(fit, problem, &choice->formula);
    for (size_t i = 0; fit->formula.scale > 0 && i < rows; i++)
        fit->errors[i] = sqrt(fit->training.weights[i]) * (1 - 1 / fit->held_out.ratios[i]);
    return status;
}

/* A limit of terms is a wish for a short formula, a change point a claim of its own, and units are those of single terms. */
static bool
may_have_moments(const struct fit *fit, const struct memmodel_fit_options *options)
{
    return options->basis == MEMMODEL_FIT_BASIS_POSYNOMIAL && options->max_terms == 0 && !fit->structure.change_point &&
           !fit->structure.has_units;
}

int
fit_consider_moments(struct fit *fit, const struct memmodel_fit_options *options)
{
    struct moments_problem problem;
    struct moments_choice *choice;
    int status;

    if (!may_have_moments(fit, options) || !moments_prepare(&fit->training, &fit->basis, &problem))
        return 0;
    choice = memory_allocate_zeroed(fit->context, 1, sizeof *choice);
    if (!choice)
        return MEMMODEL_ERROR_NO_MEMORY;
    status =
        moments_choose(&problem, &fit->loss, &(struct moments_rival){fit->held_out.ratios, fit->formula.nodes}, choice);
    if (!status)
        status = take_choice(fit, &problem, choice);
    if (!status)
        status = list_rivals(fit, &problem, choice);
    matrix_release(&choice->ratios);
    memory_release(fit->context, choice);
    return status;
}
