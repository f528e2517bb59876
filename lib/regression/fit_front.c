/* The best formula of each size, and how wrong it is on rows it did not see. */
#include "regression/fit_positive.h"
#include "regression/front.h"

#include <string.h>

static bool
is_same(const struct subset *a, const struct subset *b)
{
    return a->count == b->count && memcmp(a->columns, b->columns, a->count * sizeof *a->columns) == 0;
}

/* The formula with what was found of it, while `errors` has those of rows left out. */
static void
add_chosen(struct fit *fit)
{
    fit->rivals[fit->rival_count++] = (struct rival){.formula = fit->formula,
                                                     .loo = fit_told_of_errors(fit, fit->errors),
                                                     .held_out = fit_told_of_ratios(fit, fit->held_out.ratios),
                                                     .chosen = true};
}

/* Sums of each number of terms. */
static int
add_sums(struct fit *fit, double *errors)
{
    int status = 0;

    for (size_t k = 0; !status && k <= SUBSET_TERMS; k++) {
        const struct subset *subset = &fit->selected.best[k];
        struct rival rival = {.formula = fit_sum(fit, subset)};
        bool proven;

        if (subset->count == 0 || (fit->formula.scale == 0 && is_same(subset, &fit->selected.chosen)))
            continue;
        status = fit_prove(fit, &rival.formula, &proven);
        if (status || !proven)
            continue;
        fit_leave_out(fit, subset, errors);
        rival.loo = fit_told_of_errors(fit, errors);
        rival.held_out = fit_told_of_ratios(fit, matrix_column(&fit->held_out.front, k));
        fit->rivals[fit->rival_count++] = rival;
    }
    return status;
}

/* The formula's text, kept by `model`. */
static int
print(struct fit *fit, const struct sum *formula, memmodel_model *model, const char **kept)
{
    const struct training *training = &fit->training;
    int exponents[SUBSET_TERMS + 1], status;
    memmodel_model *other;

    status = model_begin(fit->context, training->target, training->inputs, training->input_count, &other);
    if (status)
        return status;
    status = fit_write(fit, formula, other, exponents);
    if (!status)
        status = model_copy_formula(other, MEMMODEL_LANGUAGE_TEXT, &model->arena, kept);
    memmodel_model_unref(other);
    return status;
}

static int
describe(struct fit *fit, const struct rival *rival, memmodel_model *model, struct model_rival *entry)
{
    *entry = (struct model_rival){.nodes = rival->formula.nodes,
                                  .terms = (int64_t)rival->formula.subset.count,
                                  .loo = rival->loo,
                                  .held_out = rival->held_out,
                                  .chosen = rival->chosen};
    return print(fit, &rival->formula, model, &entry->formula);
}

static int
write_front(struct fit *fit, memmodel_model *model)
{
    struct front_rival list[FIT_MOST_RIVALS];
    int status;

    for (size_t i = 0; i < fit->rival_count; i++)
        list[i] = (struct front_rival){.nodes = fit->rivals[i].formula.nodes,
                                       .held_out = fit->rivals[i].held_out,
                                       .chosen = fit->rivals[i].chosen,
                                       .place = i};
    model->front_count = front_of(list, fit->rival_count);
    status = model_allocate_front(model);
    for (size_t i = 0; !status && i < model->front_count; i++)
        status = describe(fit, &fit->rivals[list[i].place], model, &model->front[i]);
    return status;
}

int
fit_set_front(struct fit *fit, memmodel_model *model)
{
    double *errors = memory_allocate_zeroed(fit->context, fit->training.columns.rows, sizeof *errors);
    int status;

    if (!errors)
        return MEMMODEL_ERROR_NO_MEMORY;
    add_chosen(fit);
    status = add_sums(fit, errors);
    memory_release(fit->context, errors);
    return status ? status : write_front(fit, model);
}
