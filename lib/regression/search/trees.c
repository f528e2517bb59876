/* Formulas of any shape for a table: searched on all rows and without each fold. */
#include "regression/search/trees.h"
#include "regression/search/contest.h"
#include "regression/search/random.h"

#include <math.h>
#include <string.h>

enum { FOLDS = GENERAL_FOLDS, NO_FOLD = FOLDS, LEAST_AGES = 2 };

static const double least_gain = 1;     /* of a logarithm of likelihood */
static const double unexplained = 1e-3; /* share of the target's variance */

/* ---- searching ---- */

/* The rows that are not in the fold are what is to be explained. */
static void
take_aim(struct trees *trees, size_t fold)
{
    size_t rows = trees->training->columns.rows;

    trees->aim = (struct aim){
        .target = trees->reading->aims, .roots = trees->roots, .floor = (double)rows * trees_error_floor(trees)};
    for (size_t i = 0; i < rows; i++) {
        trees->roots[i] = trees->folds[i] == fold ? 0 : trees->reading->roots[i];
        trees->aim.used += trees->folds[i] != fold;
    }
    trees->hunt.fitter.aim = &trees->aim;
}

/* One part of the search, or what the checkpoint has of it. */
static int
search_part(struct trees *trees, uint64_t part, uint64_t age, double share, struct archive *archive)
{
    int status;

    if (trees->checkpoint.parts && trees->checkpoint.next < json_array_size(trees->checkpoint.parts)) {
        memset(archive, 0, sizeof *archive);
        checkpoint_take(&trees->checkpoint, &trees->hunt.fitter, trees->training->input_count, &trees->hunt.tried,
                        archive);
        return 0;
    }
    status = hunt_age(&trees->hunt, &trees->aim, part, age, share, archive);
    return status ? status : checkpoint_add(&trees->checkpoint, trees->hunt.tried, archive);
}

static double
least_first_score(const struct trees *trees)
{
    double least = INFINITY;

    for (size_t i = 0; i <= ARCHIVE_MOST_NODES; i++)
        least = fmin(least, trees_first_score(trees, &trees->archive->formulas[i]));
    return least;
}

/* Whether next to nothing is left of the target: a law is near, if it is not found. */
static bool
explains_nearly_all(const struct trees *trees)
{
    const struct formula *best = archive_best(trees->archive, ARCHIVE_MOST_NODES);
    double rows = (double)trees->training->columns.rows;

    return best && best->error < unexplained * rows * trees->general->candidates[0].held_out_error;
}

/* Whether one more age of evolution, which begins again from the best so far, may pay. */
static bool
has_future(const struct trees *trees, size_t age, double gain)
{
    return age < LEAST_AGES || gain > least_gain || explains_nearly_all(trees);
}

static int
search_all(struct trees *trees)
{
    size_t ages = trees->evolves ? HUNT_AGES : 1;
    double before = INFINITY, gain = INFINITY;
    int status = 0;

    memset(trees->folds, NO_FOLD, trees->training->columns.rows);
    take_aim(trees, FOLDS + 1);
    for (size_t age = 0; !status && age < ages && has_future(trees, age, gain); age++) {
        status = search_part(trees, 0, age, 0.5 * (double)(age + 1) / (double)ages, trees->archive);
        gain = before - least_first_score(trees);
        before = least_first_score(trees);
    }
    return status;
}

int
trees_search_fold(struct trees *trees, size_t repeat, size_t fold)
{
    double parts = (double)(trees_repeats(trees) * FOLDS), part = (double)(repeat * FOLDS + fold);

    take_aim(trees, fold);
    memset(trees->fold_archive, 0, sizeof *trees->fold_archive);
    return search_part(trees, 1 + repeat * FOLDS + fold, 0, 0.5 + 0.5 * (part + 1) / parts, trees->fold_archive);
}

/* ---- the whole ---- */

static int
allocate(struct trees *trees)
{
    memmodel_context *context = trees->training->context;
    size_t rows = trees->training->columns.rows;

    trees->archive = memory_allocate_zeroed(context, 1, sizeof *trees->archive);
    trees->fold_archive = memory_allocate_zeroed(context, 1, sizeof *trees->fold_archive);
    trees->roots = memory_allocate_zeroed(context, rows * (3 + 3 * GENERAL_TREES), sizeof *trees->roots);
    trees->order = memory_allocate_zeroed(context, rows, sizeof *trees->order);
    trees->folds = memory_allocate_zeroed(context, 2 * rows, 1);
    if (!trees->archive || !trees->fold_archive || !trees->roots || !trees->order || !trees->folds)
        return MEMMODEL_ERROR_NO_MEMORY;
    trees->group_folds = trees->folds + rows;
    trees->column = trees->roots + rows;
    trees->leverages = trees->column + rows;
    for (size_t k = 0; k < GENERAL_TREES; k++) {
        trees->held_out[k] = trees->leverages + (3 * k + 1) * rows;
        trees->left_out[k] = trees->held_out[k] + rows;
        trees->found[k] = trees->left_out[k] + rows;
    }
    return 0;
}

static void
release(struct trees *trees)
{
    memmodel_context *context = trees->training->context;

    checkpoint_release(&trees->checkpoint);
    hunt_release(context, &trees->hunt);
    trees_release_refit(trees);
    memory_release(context, trees->archive);
    memory_release(context, trees->fold_archive);
    memory_release(context, trees->roots);
    memory_release(context, trees->order);
    memory_release(context, trees->folds);
    memory_release(context, trees);
}

static uint64_t
mix_numbers(uint64_t key, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;

        memcpy(&bits, &numbers[i], sizeof bits);
        key = splitmix(key * 31 + bits);
    }
    return key;
}

/* Of all that the search depends on. */
static uint64_t
key_of(const struct trees *trees, const struct memmodel_fit_options *options)
{
    const struct training *training = trees->training;
    size_t rows = training->columns.rows;
    const uint64_t words[] = {
        (uint64_t)rows,          (uint64_t)training->input_count,    (uint64_t)options->search,
        (uint64_t)options->seed, (uint64_t)options->max_evaluations, (uint64_t)options->integer_exponents,
        (uint64_t)options->loss};
    const struct structure *structure = trees->problem->structure;
    uint64_t key = 1;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        key = splitmix(key * 31 + words[i]);
    for (size_t i = 0; i < training->input_count; i++)
        key = mix_numbers(key, matrix_column(&training->columns, i), rows);
    for (size_t i = 0; structure && structure->has_units && i < training->input_count; i++)
        key = mix_numbers(key, structure->inputs[i].powers, DIMENSION_MOST);
    for (size_t i = 0; i < options->forbidden_count; i++)
        for (const char *at = options->forbidden[i]; at && *at; at++)
            key = splitmix(key * 31 + (uint64_t)(unsigned char)*at);
    if (structure && structure->has_units)
        key = mix_numbers(key, structure->target.powers, DIMENSION_MOST);
    return mix_numbers(mix_numbers(key, trees->reading->aims, rows), trees->reading->roots, rows);
}

static int
run(struct trees *trees, const struct memmodel_fit_options *options)
{
    const struct training *training = trees->training;
    const double *inputs[TRAINING_MOST_INPUTS];
    int status;

    for (size_t i = 0; i < training->input_count; i++)
        inputs[i] = matrix_column(&training->columns, i);
    status = hunt_new(training->context, options, trees->problem->structure, training->columns.rows, inputs,
                      training->input_count, &trees->hunt);
    if (!status)
        status = allocate(trees);
    if (!status)
        status = trees_new_refit(trees);
    if (!status)
        status = checkpoint_open(training->context, options->resume_path, key_of(trees, options), &trees->checkpoint);
    if (!status)
        status = search_all(trees);
    if (!status)
        status = trees_list_candidates(trees);
    if (!status)
        status = trees_judge(trees);
    if (status)
        return status;
    trees_choose(trees);
    checkpoint_remove(&trees->checkpoint);
    return 0;
}

int
trees_fit(const struct general_problem *problem, const struct memmodel_fit_options *options, struct basis *basis,
          struct general *general)
{
    struct trees *trees = memory_allocate_zeroed(problem->training->context, 1, sizeof *trees);
    int status;

    if (!trees)
        return MEMMODEL_ERROR_NO_MEMORY;
    trees->problem = problem;
    trees->training = problem->training;
    trees->loss = loss_is_square(problem->loss) ? NULL : problem->loss;
    trees->evolves = options->search & MEMMODEL_FIT_SEARCH_EVOLVE;
    trees->basis = basis;
    trees->general = general;
    trees->reading = &general->readings[0];
    status = run(trees, options);
    release(trees);
    return status;
}
