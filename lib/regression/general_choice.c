/* The formula that is shortest to describe, and the smallest that is not surely worse than the best one, by rows held out. */
#include "regression/general_choice.h"

#include <math.h>
#include <string.h>

static const double same_score = 1e-9; /* difference of scores that counts as none */

static bool
is_better(const struct candidate *candidate, const struct candidate *best)
{
    if (fabs(candidate->score - best->score) > same_score)
        return candidate->score < best->score;
    return candidate->nodes < best->nodes;
}

void
general_choose_shortest(struct general *general)
{
    const struct candidate *candidates = general->candidates;
    size_t first = 0;

    while (candidates[first].refused)
        first++;
    general->chosen = first;
    for (size_t i = first; i < general->candidate_count; i++)
        if (!candidates[i].refused && is_better(&candidates[i], &candidates[general->chosen]))
            general->chosen = i;
    if (first == 0 && !(candidates[general->chosen].held_out_error < candidates[0].held_out_error))
        general->chosen = first;
}

int
general_choice_new(const struct training *training, size_t candidates, struct general_choice *choice)
{
    choice->differences = memory_allocate_zeroed(training->context, training->point_count, sizeof *choice->differences);
    if (!choice->differences)
        return MEMMODEL_ERROR_NO_MEMORY;
    return matrix_new(training->context, training->columns.rows, candidates, &choice->losses);
}

void
general_choice_release(memmodel_context *context, struct general_choice *choice)
{
    matrix_release(&choice->losses);
    memory_release(context, choice->differences);
}

/* Whether rows held out count more by a candidate than by another by at most one standard error: of points, as their rows err together. */
static bool
within_one_standard_error(const struct general_choice *choice, const struct training *training, size_t candidate,
                          size_t other)
{
    const double *losses = matrix_column(&choice->losses, candidate), *others = matrix_column(&choice->losses, other);
    size_t points = training->point_count;
    double mean = 0, spread = 0;

    memset(choice->differences, 0, points * sizeof *choice->differences);
    for (size_t i = 0; i < choice->losses.rows; i++) {
        choice->differences[training->points[i]] += losses[i] - others[i];
        mean += (losses[i] - others[i]) / (double)points;
    }
    for (size_t p = 0; p < points; p++)
        spread += (choice->differences[p] - mean) * (choice->differences[p] - mean);
    return mean <= fmax(sqrt(spread / (double)(points - 1) / (double)points), choice->floor);
}

/* The chosen one gives way to the sum of so many inputs if that is no larger and not worse by more than a standard error. */
static void
give_way(const struct general_choice *choice, const struct training *training, struct general *general, size_t inputs)
{
    const struct candidate *chosen = &general->candidates[general->chosen];

    for (size_t i = 0; i < general->candidate_count; i++) {
        const struct candidate *simple = &general->candidates[i];
        bool is_sum = simple->reading == 0 && (simple->library == 0 || simple->library == LINE);

        if (simple->refused || !is_sum || simple->terms != inputs || simple->nodes > chosen->nodes)
            continue;
        if (within_one_standard_error(choice, training, i, general->chosen))
            general->chosen = i;
        return;
    }
}

void
general_choose_smallest(const struct general_choice *choice, const struct training *training, struct general *general)
{
    const struct candidate *candidates = general->candidates;
    size_t least = general->candidate_count;

    for (size_t i = 0; i < general->candidate_count; i++)
        if (!candidates[i].refused &&
            (least == general->candidate_count || candidates[i].held_out_error < candidates[least].held_out_error))
            least = i;
    general->chosen = least;
    for (size_t i = 0; i < general->candidate_count; i++) {
        const struct candidate *chosen = &candidates[general->chosen], *candidate = &candidates[i];
        bool smaller =
            candidate->nodes < chosen->nodes || (candidate->nodes == chosen->nodes && candidate->score < chosen->score);

        if (!candidate->refused && smaller && within_one_standard_error(choice, training, i, least))
            general->chosen = i;
    }
    give_way(choice, training, general, choice->inputs);
    give_way(choice, training, general, 0);
}
