/* The best formula of each size, if it is better than all smaller ones. */
#include "regression/select/front.h"

#include <math.h>

/* Of equal ones the first in the caller's list. */
static bool
stands_before(const struct front_entry *a, const struct front_entry *b)
{
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes;
    if (a->chosen != b->chosen)
        return a->chosen;
    return a->nested < b->nested;
}

static void
sort(struct front_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct front_entry entry = entries[i];
        size_t place = i;

        for (; place > 0 && stands_before(&entry, &entries[place - 1]); place--)
            entries[place] = entries[place - 1];
        entries[place] = entry;
    }
}

size_t
front_of(struct front_entry *entries, size_t count)
{
    double error = INFINITY;
    unsigned nodes = 0;
    size_t kept = 0;

    sort(entries, count);
    for (size_t i = 0; i < count; i++) {
        if (entries[i].nodes == nodes || !(entries[i].nested < error || entries[i].chosen))
            continue;
        nodes = entries[i].nodes;
        error = fmin(error, entries[i].nested);
        entries[kept++] = entries[i];
    }
    return kept;
}

/* For the chosen one its choice is repeated, too. */
static double
nested_of(const struct comparison *comparison, size_t place)
{
    return place == comparison->chosen ? comparison_mean(comparison, comparison->nested)
                                       : comparison->candidates[place].nested;
}

/* Sets *proven; what is not is no entry. */
static int
describe(struct fit *fit, size_t place, memmodel_model *model, struct memmodel_model_front_entry *entry, bool *proven)
{
    const struct candidate *candidate = &fit->comparison.candidates[place];
    memmodel_model *other;
    int status = fit_write_proven(fit, candidate, &other, proven);

    if (status || !*proven)
        return status;
    *entry = (struct memmodel_model_front_entry){.size = sizeof *entry,
                                                 .node_count = candidate->nodes,
                                                 .term_count = candidate->support.count,
                                                 .loo_error = loss_reported(&fit->loss, candidate->loo),
                                                 .nested_cv_error =
                                                     loss_reported(&fit->loss, nested_of(&fit->comparison, place)),
                                                 .selected = place == fit->comparison.chosen};
    status = model_copy_formula(other, MEMMODEL_LANGUAGE_TEXT, &model->arena, &entry->formula);
    memmodel_model_unref(other);
    return status;
}

int
front_fill(struct fit *fit, memmodel_model *model)
{
    struct front_entry entries[CANDIDATES_MAX];
    const struct comparison *comparison = &fit->comparison;
    size_t count = 0;
    int status;

    for (size_t i = 0; i < comparison->count; i++)
        if (!comparison->candidates[i].refused)
            entries[count++] = (struct front_entry){.nodes = comparison->candidates[i].nodes,
                                                    .nested = nested_of(comparison, i),
                                                    .chosen = i == comparison->chosen,
                                                    .place = i};
    model->front_count = count = front_of(entries, count);
    status = model_allocate_front(model);
    model->front_count = 0;
    for (size_t i = 0; !status && i < count; i++) {
        bool proven = false;

        status = describe(fit, entries[i].place, model, &model->front[model->front_count], &proven);
        model->front_count += proven;
    }
    return status;
}
