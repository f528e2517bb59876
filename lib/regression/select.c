/*
 * Which of the listed subsets becomes the formula, and how wrong formulas chosen that way are on rows they did not see.
 */
#include "regression/select.h"
#include "regression/leave_one_out.h"
#include "regression/logarithm.h"

#include <math.h>
#include <string.h>

enum {
    MOST_CANDIDATES = 2 * (SUBSET_TERMS + 1) * SUBSET_KEPT + 1,
    LEAST_GROUPS = 4,       /* left out in turn */
    GROUP_WORK = 8192,      /* rows times groups beyond 128 rows: keeps large tables to seconds */
    MOST_REWEIGHED = 16,    /* groups where each takes a fit step by step */
    REWEIGHED_WORK = 4096,  /* rows times groups of these, beyond 256 rows */
    LEFT_OUT_WORK = 131072, /* rows times parts of one formula's rows left out: each point alone up to 362 rows */
    SCREENED = 4,
};

static const double rounding = 1e-9; /* share of a mean error by which two may differ and be the same */
static const double exact = 1e-18;   /* squared error that counts as none: 1e-9 of the measurement */

struct candidate {
    const struct subset *subset;
    bool plain;
    unsigned size; /* symbols of the formula */
    double score;  /* sum of what rows count that are left out */
};

struct selection {
    const struct select_problem *problem;
    struct candidate candidates[MOST_CANDIDATES];
    size_t count;
    struct leave_one_out work;
    struct row_groups groups; /* by point */
    struct reweighing reweighing;
    size_t parts;                  /* that are left out in turn where fits go step by step */
    double *errors, *least_errors; /* of rows left out: what they count */
    double floor;                  /* what counts as no error */
};

static unsigned
subset_size(const struct select_problem *problem, const struct subset *subset)
{
    unsigned size = 0;

    for (size_t k = 0; k < subset->count; k++)
        size += problem->sizes[subset->columns[k]] + 2; /* its coefficient and its plus */
    return size;
}

/* Besides the constant. */
static size_t
terms_of(const struct subset *subset)
{
    return subset->count - (subset->columns[0] == 0);
}

/* ---- a loss ---- */

static struct reweigh_problem
loss_problem(const struct select_problem *problem, const struct subset *subset, const double **columns)
{
    for (size_t k = 0; k < subset->count; k++)
        columns[k] = matrix_column(problem->columns, subset->columns[k]);
    return (struct reweigh_problem){.loss = problem->loss,
                                    .rows = problem->columns->rows,
                                    .count = subset->count,
                                    .columns = columns,
                                    .right_side = problem->right_side,
                                    .roots = problem->roots,
                                    .measured = problem->measured,
                                    .weights = problem->weights,
                                    .positive = true};
}

static bool
all_above_zero(const double *coefficients, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!(coefficients[k] > 0))
            return false;
    return true;
}

bool
select_fit(struct reweighing *work, const struct select_problem *problem, const struct subset *subset,
           double *coefficients)
{
    const double *columns[SUBSET_TERMS + 1];
    const struct reweigh_problem fit = loss_problem(problem, subset, columns);

    reweigh_fit(work, &fit, coefficients);
    return all_above_zero(coefficients, subset->count);
}

/* The subset with its loss on all rows as its error; false if it is no candidate. */
static bool
screen_one(struct reweighing *work, const struct select_problem *problem, struct subset *subset)
{
    double coefficients[SUBSET_TERMS + 1];
    const double *columns[SUBSET_TERMS + 1];
    const struct reweigh_problem fit = loss_problem(problem, subset, columns);

    subset->error = reweigh_fit(work, &fit, coefficients);
    return isfinite(subset->error) && all_above_zero(coefficients, subset->count);
}

static void
screen_bin(struct reweighing *work, const struct select_problem *problem, struct subset_bin *bin)
{
    size_t count = bin->count;

    bin->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct subset subset = bin->subsets[i];
        size_t place = bin->count;

        if (!screen_one(work, problem, &subset))
            continue;
        for (; place > 0 && subset.error < bin->subsets[place - 1].error; place--)
            bin->subsets[place] = bin->subsets[place - 1];
        bin->subsets[place] = subset;
        bin->count++;
    }
    if (bin->count > SCREENED)
        bin->count = SCREENED;
}

int
select_screen(memmodel_context *context, const struct select_problem *problem, struct shortlist *shortlist)
{
    struct reweighing work;
    int status = reweighing_new(context, problem->columns->rows, SUBSET_TERMS + 1, &work);

    for (size_t kind = 0; !status && kind < 2; kind++)
        for (size_t size = 0; size <= SUBSET_TERMS; size++)
            screen_bin(&work, problem, &shortlist->bins[kind][size]);
    reweighing_release(context, &work);
    return status;
}

/* ---- candidates ---- */

/* losses[i]: what row i counts when it is left out; false if the subset is no candidate. */
static bool
left_out_losses(struct selection *selection, const struct subset *subset, double *losses)
{
    const struct select_problem *problem = selection->problem;
    size_t rows = problem->columns->rows;
    double coefficients[SUBSET_TERMS + 1];
    const double *columns[SUBSET_TERMS + 1];
    struct reweigh_problem fit;

    if (!problem->loss) {
        if (!leave_one_out_errors(&selection->work, problem->columns, problem->right_side, subset, losses))
            return false;
        for (size_t i = 0; i < rows; i++)
            losses[i] = fmax(losses[i] * losses[i], selection->floor);
        return true;
    }
    if (!select_fit(&selection->reweighing, problem, subset, coefficients))
        return false;
    fit = loss_problem(problem, subset, columns);
    reweigh_leave_out(&selection->reweighing, &fit, problem->points, selection->parts, losses);
    for (size_t i = 0; i < rows; i++)
        losses[i] =
            problem->weights[i] * fmax(loss_of(problem->loss, problem->measured[i], losses[i]), selection->floor);
    return true;
}

/* Is there the same subset with the constant: does least squares put it above 0? */
static bool
lacks_constant(const struct subset_bin *bin, const struct subset *subset)
{
    for (size_t i = 0; i < bin->count; i++) {
        const struct subset *other = &bin->subsets[i];

        if (other->count == subset->count + 1 && other->columns[0] == 0 &&
            memcmp(other->columns + 1, subset->columns, subset->count * sizeof *subset->columns) == 0)
            return true;
    }
    return false;
}

static bool
is_exact(const struct selection *selection, const struct candidate *candidate)
{
    return candidate->score <= 2 * selection->floor * (double)selection->problem->columns->rows;
}

/* A subset of the bin, or one that the bin does not list. */
static void
consider(struct selection *selection, const struct subset_bin *bin, const struct subset *subset, bool plain)
{
    const struct select_problem *problem = selection->problem;
    struct candidate candidate = {.subset = subset, .plain = plain, .size = subset_size(problem, subset)};
    size_t place = selection->count;

    if (subset_is_zero_somewhere(problem->columns, subset) || !left_out_losses(selection, subset, selection->errors))
        return;
    for (size_t i = 0; i < problem->columns->rows; i++)
        candidate.score += selection->errors[i];
    if (!isfinite(candidate.score) || (lacks_constant(bin, subset) && !is_exact(selection, &candidate)))
        return;
    /* by size, then by score; of equal ones the first that came */
    for (; place > 0; place--) {
        const struct candidate *before = &selection->candidates[place - 1];

        if (before->size < candidate.size || (before->size == candidate.size && before->score <= candidate.score))
            break;
        selection->candidates[place] = *before;
    }
    selection->candidates[place] = candidate;
    selection->count++;
}

/*
 * Is the mean loss above the least one by no more than the standard error of the difference? Rows of one point
 * err together: it is points that are counted.
 */
static bool
within_one_standard_error(struct selection *selection, const struct candidate *candidate)
{
    const struct row_groups *groups = &selection->groups;
    size_t rows = selection->problem->columns->rows, points = 0;
    double mean = 0, spread = 0, least = 0;

    left_out_losses(selection, candidate->subset, selection->errors);
    for (size_t i = 0; i < rows; i++) {
        least += selection->least_errors[i] / (double)rows;
        selection->errors[i] -= selection->least_errors[i];
        mean += selection->errors[i] / (double)rows;
    }
    for (size_t g = 0; g < groups->count; g++) {
        double difference = 0;

        for (size_t k = groups->starts[g]; k < groups->starts[g + 1]; k++)
            difference += selection->errors[groups->rows[k]] - mean;
        spread += difference * difference;
        points += groups->starts[g + 1] > groups->starts[g];
    }
    return mean <= sqrt(spread / (double)(points - 1) / (double)rows * ((double)points / (double)rows)) ||
           mean <= rounding * least;
}

static bool
is_grouped(const struct select_problem *problem, size_t column)
{
    return problem->groups && problem->groups[column] != 0;
}

static size_t
grouped_terms(const struct select_problem *problem, const struct subset *subset)
{
    size_t grouped = 0;

    for (size_t k = 0; k < subset->count; k++)
        grouped += is_grouped(problem, subset->columns[k]);
    return grouped;
}

/* What it takes to say the errors, and which columns of its library the candidate has. */
static double
description_length(const struct selection *selection, const struct candidate *candidate)
{
    const struct select_problem *problem = selection->problem;
    double rows = (double)problem->columns->rows;
    size_t library = 0, terms = terms_of(candidate->subset);
    size_t grouped = grouped_terms(problem, candidate->subset);

    for (size_t j = 1; j < problem->columns->columns; j++)
        library += (problem->plain[j] || !candidate->plain) && (grouped > 0 || !is_grouped(problem, j));
    if (problem->loss && loss_is_linear(problem->loss))
        rows *= 2;
    return rows / 2 * logarithm(candidate->score) + (double)(terms + grouped) * logarithm((double)library);
}

typedef bool (*quality)(const struct select_problem *problem, const struct candidate *candidate);

static bool
has_no_change_point(const struct select_problem *problem, const struct candidate *candidate)
{
    return grouped_terms(problem, candidate->subset) == 0;
}

static bool
is_plain(const struct select_problem *problem, const struct candidate *candidate)
{
    (void)problem;
    return candidate->plain;
}

/* Drops the candidates without that quality, unless the best of them is worth its larger library. */
static void
prefer(struct selection *selection, quality has)
{
    const struct select_problem *problem = selection->problem;
    double least[2] = {INFINITY, INFINITY};
    size_t kept = 0;

    for (size_t i = 0; i < selection->count; i++) {
        const struct candidate *candidate = &selection->candidates[i];
        size_t kind = has(problem, candidate);

        least[kind] = fmin(least[kind], description_length(selection, candidate));
    }
    if (least[false] < least[true])
        return;
    for (size_t i = 0; i < selection->count; i++)
        if (has(problem, &selection->candidates[i]))
            selection->candidates[kept++] = selection->candidates[i];
    selection->count = kept;
}

/* Of `count` candidates. */
static const struct candidate *
shortest_description(const struct selection *selection, const struct candidate *candidates, size_t count)
{
    const struct candidate *shortest = candidates;

    for (size_t i = 1; i < count; i++)
        if (description_length(selection, &candidates[i]) < description_length(selection, shortest))
            shortest = &candidates[i];
    return shortest;
}

/* The smallest that is within a standard error of the best; of equally small ones the one of the shortest description. */
static const struct candidate *
smallest_within_one_standard_error(struct selection *selection)
{
    const struct candidate *least = &selection->candidates[0], *chosen = NULL;

    for (size_t i = 1; i < selection->count; i++)
        if (selection->candidates[i].score < least->score)
            least = &selection->candidates[i];
    left_out_losses(selection, least->subset, selection->least_errors);
    for (size_t i = 0; i < selection->count; i++) {
        const struct candidate *candidate = &selection->candidates[i];

        if (chosen && candidate->size > chosen->size)
            break;
        if (candidate != least && !within_one_standard_error(selection, candidate))
            continue;
        if (!chosen || description_length(selection, candidate) < description_length(selection, chosen))
            chosen = candidate;
    }
    return chosen;
}

static bool
is_same(const struct subset *a, const struct subset *b)
{
    return a->count == b->count && memcmp(a->columns, b->columns, a->count * sizeof *a->columns) == 0;
}

/* The candidate, or what stands for `simple` if that is no larger and not worse by more than a standard error. */
static const struct candidate *
give_way(struct selection *selection, const struct candidate *candidate, const struct subset *simple)
{
    for (const struct candidate *other = selection->candidates; other->size <= candidate->size; other++) {
        if (other == candidate)
            break;
        if (!is_same(other->subset, simple))
            continue;
        left_out_losses(selection, candidate->subset, selection->least_errors);
        if (within_one_standard_error(selection, other))
            return other;
    }
    return candidate;
}

static const struct candidate *
choose(struct selection *selection)
{
    static const struct subset constant = {.count = 1, .columns = {0}};
    const struct select_problem *problem = selection->problem;
    const struct candidate *chosen;

    if (problem->rule == MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH)
        return shortest_description(selection, selection->candidates, selection->count);
    chosen = smallest_within_one_standard_error(selection);
    if (problem->line && problem->line->count > 0)
        chosen = give_way(selection, chosen, problem->line);
    return give_way(selection, chosen, &constant);
}

static void
list_best(const struct selection *selection, struct subset best[SUBSET_TERMS + 1])
{
    double least[SUBSET_TERMS + 1];

    for (size_t i = 0; i < selection->count; i++) {
        const struct candidate *candidate = &selection->candidates[i];
        size_t terms = terms_of(candidate->subset);

        if (best[terms].count > 0 && least[terms] <= candidate->score)
            continue;
        best[terms] = *candidate->subset;
        least[terms] = candidate->score;
    }
}

size_t
select_groups(const struct select_problem *problem, bool step_by_step)
{
    size_t most = step_by_step ? MOST_REWEIGHED : SELECT_MOST_GROUPS;
    size_t groups = (step_by_step ? REWEIGHED_WORK : GROUP_WORK) / problem->columns->rows;

    groups = groups > most ? most : groups < LEAST_GROUPS ? LEAST_GROUPS : groups;
    return groups < problem->point_count ? groups : problem->point_count;
}

/* Into how many parts the points fall of which one formula's errors are told. */
static size_t
left_out_parts(const struct select_problem *problem)
{
    size_t parts = LEFT_OUT_WORK / problem->columns->rows;

    parts = parts < LEAST_GROUPS ? LEAST_GROUPS : parts;
    return parts < problem->point_count ? parts : problem->point_count;
}

void
select_left_out(struct reweighing *work, const struct select_problem *problem, const struct subset *subset,
                double *errors)
{
    const double *columns[SUBSET_TERMS + 1];
    const struct reweigh_problem fit = loss_problem(problem, subset, columns);

    reweigh_leave_out(work, &fit, problem->points, left_out_parts(problem), errors);
    for (size_t i = 0; i < problem->columns->rows; i++)
        errors[i] = (problem->measured[i] - errors[i]) * problem->roots[i];
}

static void
selection_free(memmodel_context *context, struct selection *selection)
{
    leave_one_out_release(&selection->work);
    row_groups_release(context, &selection->groups);
    if (selection->problem->loss)
        reweighing_release(context, &selection->reweighing);
    memory_release(context, selection->errors);
    memory_release(context, selection->least_errors);
    memory_release(context, selection);
}

static int
selection_new(memmodel_context *context, const struct select_problem *problem, struct selection **selection)
{
    struct selection *new = memory_allocate_zeroed(context, 1, sizeof *new);
    int status;

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    new->problem = problem;
    status = leave_one_out_new(context, problem->columns->rows, &new->work);
    if (!status)
        status = row_groups_new(context, problem->points, problem->columns->rows, problem->point_count, &new->groups);
    if (!status && problem->loss)
        status = reweighing_new(context, problem->columns->rows, SUBSET_TERMS + 1, &new->reweighing);
    if (!status) {
        new->work.groups = &new->groups;
        new->floor = problem->loss ? loss_floor(problem->loss) : exact;
        new->parts = select_groups(problem, problem->inner);
        new->errors = memory_allocate_zeroed(context, problem->columns->rows, sizeof *new->errors);
        new->least_errors = memory_allocate_zeroed(context, problem->columns->rows, sizeof *new->least_errors);
    }
    if (!new->errors || !new->least_errors) {
        selection_free(context, new);
        return MEMMODEL_ERROR_NO_MEMORY;
    }
    *selection = new;
    return 0;
}

int
select_subset(memmodel_context *context, const struct select_problem *problem, const struct shortlist *shortlist,
              struct selected *selected)
{
    struct selection *selection;
    int status = selection_new(context, problem, &selection);

    if (status)
        return status;
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t size = 0; size <= SUBSET_TERMS; size++)
            for (size_t i = 0; i < shortlist->bins[kind][size].count; i++)
                consider(selection, &shortlist->bins[kind][size], &shortlist->bins[kind][size].subsets[i], kind == 0);
    if (problem->line && problem->line->count > 0)
        consider(selection, &shortlist->bins[0][terms_of(problem->line)], problem->line, true);
    if (problem->groups)
        prefer(selection, has_no_change_point);
    prefer(selection, is_plain);
    *selected = (struct selected){.chosen.count = 0};
    if (selection->count > 0) {
        selected->chosen = *choose(selection)->subset;
        list_best(selection, selected->best);
    }
    selection_free(context, selection);
    return 0;
}

static void
drop(struct subset_bin *bin, const struct subset *subset)
{
    for (size_t i = 0; i < bin->count; i++)
        if (is_same(&bin->subsets[i], subset)) {
            bin->count--;
            memmove(&bin->subsets[i], &bin->subsets[i + 1], (bin->count - i) * sizeof *bin->subsets);
        }
}

void
select_drop(struct shortlist *shortlist, struct subset *line, const struct subset *subset)
{
    if (is_same(line, subset))
        line->count = 0;
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t size = 0; size <= SUBSET_TERMS; size++)
            drop(&shortlist->bins[kind][size], subset);
}
