/* Formulas of any shape for a table: searched on all rows and without each fold, and judged by what the folds say. */
#include "regression/trees.h"
#include "regression/checkpoint.h"
#include "regression/hunt.h"
#include "regression/logarithm.h"
#include "regression/random.h"

#include <math.h>
#include <string.h>

enum {
    FOLDS = GENERAL_FOLDS,
    NO_FOLD = FOLDS,
    MOST_REPEATS = 3,
    REPEATED_ROWS = 1500,
    ROWS_PER_TERM = 3,
    MOST_DIGITS = 7
};

static const double number_price = 2.3;   /* ln of the places where a number may stand */
static const double unexplained = 1e-3;   /* share of the target's variance */
static const double luck_share = 4;       /* 2 would do for formulas that know nothing of each other */
static const double most_leverage = 0.95; /* of a row */
static const double exact = 1e-21;        /* share of the target's size, squared, that counts as no error */
static const double digit_share = 0.01;   /* of the standard error of the mean squared error */
static const double same_values = 1e-6;   /* relative difference of a tree and its expression that counts as none */

struct trees {
    const struct general_problem *problem;
    const struct training *training;
    struct basis *basis;
    struct general *general;
    const struct reading *reading;
    bool evolves;
    struct hunt hunt;
    struct checkpoint checkpoint;
    struct aim aim;
    struct archive *archive, *fold_archive;
    double *roots; /* of the rows at hand, 0 for those held out */
    double *column, *leverages;
    size_t *order;
    unsigned char *folds, *group_folds;
    double *held_out[GENERAL_TREES]; /* errors of each candidate, row by row, in the first partition */
    double *left_out[GENERAL_TREES]; /* the same with its coefficients and numbers alone fitted without the row */
    struct formula chosen[GENERAL_TREES];
    size_t count, first; /* candidates of trees, and the first of them in `general` */
};

/* ---- prices ---- */

/* What it costs to say which of all trees of that size it is, and where its numbers stand. */
static double
price(const struct trees *trees, const struct formula *formula)
{
    double sum = 0;

    for (size_t k = 0; k < formula->count; k++) {
        size_t numbers = tree_count_numbers(&formula->trees[k]), nodes = formula->trees[k].count - 2 * numbers;
        size_t known = nodes < LIBRARY_MOST_NODES ? nodes : LIBRARY_MOST_NODES;
        double trees_of_size = logarithm((double)trees->hunt.library.ends[known] + 1);

        sum += trees_of_size * (double)nodes / (double)known + number_price * (double)numbers;
    }
    return sum;
}

static double
error_floor(const struct trees *trees)
{
    double largest = 0;

    for (size_t i = 0; i < trees->training->columns.rows; i++)
        largest = fmax(largest, fabs(trees->reading->aims[i] * trees->reading->roots[i]));
    return fmax(largest * largest * exact, 1e-300);
}

/* ---- searching ---- */

/* The rows that are not in the fold are what is to be explained. */
static void
take_aim(struct trees *trees, size_t fold)
{
    size_t rows = trees->training->columns.rows;

    trees->aim =
        (struct aim){.target = trees->reading->aims, .roots = trees->roots, .floor = (double)rows * error_floor(trees)};
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

static int
search_all(struct trees *trees)
{
    size_t ages = trees->evolves ? HUNT_AGES : 1;
    int status = 0;

    memset(trees->folds, NO_FOLD, trees->training->columns.rows);
    take_aim(trees, FOLDS + 1);
    for (size_t age = 0; !status && age < ages; age++)
        status = search_part(trees, 0, age, 0.5 * (double)(age + 1) / (double)ages, trees->archive);
    return status;
}

static int
search_fold(struct trees *trees, size_t repeat, size_t fold)
{
    take_aim(trees, fold);
    memset(trees->fold_archive, 0, sizeof *trees->fold_archive);
    return search_part(trees, 1 + repeat * FOLDS + fold, 0, 0.5 + 0.1 * (double)(fold + 1), trees->fold_archive);
}

/* ---- candidates ---- */

static double
weighted_square(const struct trees *trees, size_t row, double value)
{
    double error = (trees->training->measured[row] - value) * trees->reading->roots[row];

    return error * error;
}

/*
 * Mean squared error of each row, predicted by the formula's coefficients and numbers fitted to the others. NaN: a row decides
 * a number alone, and nobody else bears witness to it; but for formulas that are exact.
 */
static double
loo_error(struct trees *trees, const struct formula *formula, double *errors)
{
    size_t rows = trees->training->columns.rows;
    struct formula own = *formula;
    double sum = 0;

    if (!formula_fit_linear(&trees->hunt.fitter, &own))
        return (double)NAN;
    formula_leverages(&trees->hunt.fitter, &own, trees->leverages);
    formula_values(&trees->hunt.fitter, &own, trees->column);
    for (size_t i = 0; i < rows; i++) {
        double aim = trees->reading->aims[i], value;

        if (!(trees->leverages[i] < most_leverage) && own.error > trees->aim.floor)
            return (double)NAN;
        aim -= (aim - trees->column[i]) / (1 - fmin(trees->leverages[i], most_leverage));
        value = model_respond(&trees->reading->response, aim);
        sum += weighted_square(trees, i, value);
        errors[i] = trees->training->measured[i] - value;
    }
    return sum / (double)rows;
}

static bool
agree(const double *a, const double *b, size_t rows, int exponent)
{
    for (size_t i = 0; i < rows; i++)
        if (!(fabs(ldexp(a[i], exponent) - b[i]) <= same_values * fabs(b[i])))
            return false;
    return true;
}

/* A pool takes symbols for numbers that are not negative: where they are, its form of a tree may be another. */
static int
add_terms(struct trees *trees, const struct formula *formula, struct candidate *candidate, bool *same)
{
    struct basis *basis = trees->basis;
    size_t rows = trees->training->columns.rows;

    *same = true;
    for (size_t k = 0; k < formula->count; k++) {
        expression term = tree_express(&formula->trees[k], basis->pool);
        size_t index;
        int status;

        if (term == MEMMODEL_ERROR_NOMEM)
            return (int)term;
        *same = term >= 0;
        if (!*same)
            return 0;
        status = basis_append(basis, trees->training, term, (unsigned)formula->trees[k].count, &index);
        if (status)
            return status;
        *same = agree(matrix_column(&basis->columns, index), tree_run(&trees->hunt.fitter.machine, &formula->trees[k]),
                      rows, basis->exponents[index]);
        if (!*same)
            return 0;
        candidate->chosen[k] = (uint16_t)index;
    }
    return 0;
}

static bool
round_numbers(struct formula *formula)
{
    for (size_t k = 0; k < formula->count; k++)
        if (!tree_round_numbers(&formula->trees[k]))
            return false;
    return true;
}

/* One number to as few digits as its error's growth allows, coefficients following; 0 stays. */
static void
shorten_number(struct trees *trees, struct formula *formula, struct tree_gene *gene, double most_error)
{
    double number = gene->number;

    for (int digits = 1; digits < MOST_DIGITS; digits++) {
        gene->number = tree_round_number(number, digits);
        if (formula_fit_linear(&trees->hunt.fitter, formula) && formula->error <= most_error)
            return;
    }
    gene->number = number;
    formula_fit_linear(&trees->hunt.fitter, formula);
}

/* Every number in turn, so that a person can read them: the squared error grows by less than can be known of it. */
static void
shorten_numbers(struct trees *trees, struct formula *formula)
{
    double growth = digit_share * sqrt(2 / (double)trees->training->columns.rows), most;

    if (!formula_fit_linear(&trees->hunt.fitter, formula))
        return;
    most = formula->error * (1 + growth);
    for (size_t k = 0; k < formula->count; k++)
        for (size_t i = 0; i < formula->trees[k].count; i++)
            if (formula->trees[k].genes[i].operation == TREE_NUMBER)
                shorten_number(trees, formula, &formula->trees[k].genes[i], most);
}

static int
add_candidate(struct trees *trees, const struct formula *found)
{
    struct general *general = trees->general;
    struct formula formula = *found;
    struct candidate candidate = {.library = TREES,
                                  .terms = formula.count,
                                  .nodes = (unsigned)formula.nodes,
                                  .numbers = formula_count_numbers(&formula),
                                  .response = trees->reading->response};
    bool same, accepted;
    int status;

    if (!round_numbers(&formula))
        return 0;
    shorten_numbers(trees, &formula);
    candidate.loo_error = loo_error(trees, &formula, trees->left_out[trees->count]);
    if (isnan(candidate.loo_error))
        return 0;
    status = add_terms(trees, &formula, &candidate, &same);
    if (status || !same)
        return status;
    status = trees->problem->accept(trees->problem->user, &candidate, &accepted);
    if (status == MEMMODEL_ERROR_DATA) /* its terms cannot be told apart, or not be written */
        return 0;
    if (status || !accepted)
        return status;
    trees->chosen[trees->count++] = formula;
    general->candidates[general->candidate_count++] = candidate;
    return 0;
}

/* As score(), by the error on the samples; infinite where there are too few rows for the coefficients and numbers. */
static double
first_score(const struct trees *trees, const struct formula *formula)
{
    double rows = (double)trees->training->columns.rows;
    size_t fitted = formula->count + formula_count_numbers(formula) + 1;

    if (formula->count == 0 || (double)(fitted * ROWS_PER_TERM) > rows)
        return INFINITY;
    return rows / 2 * logarithm(formula->error) + (double)fitted / 2 * logarithm(rows) + price(trees, formula);
}

/* Those of the least description length, as many as there is room for. */
static int
list_candidates(struct trees *trees)
{
    const struct formula *formulas = trees->archive->formulas;
    bool tried[ARCHIVE_MOST_NODES + 1] = {false};
    int status = 0;

    trees->first = trees->general->candidate_count;
    while (!status && trees->count < GENERAL_TREES) {
        size_t best = ARCHIVE_MOST_NODES + 1;

        for (size_t i = 0; i <= ARCHIVE_MOST_NODES; i++)
            if (!tried[i] && first_score(trees, &formulas[i]) < INFINITY &&
                (best > ARCHIVE_MOST_NODES || first_score(trees, &formulas[i]) < first_score(trees, &formulas[best])))
                best = i;
        if (best > ARCHIVE_MOST_NODES)
            break;
        tried[best] = true;
        status = add_candidate(trees, &formulas[best]);
    }
    return status;
}

/* ---- judging ---- */

/* What the fold says of candidates of each size: the best formula of that size that was found without it. */
static void
judge_fold(struct trees *trees, size_t repeat, size_t fold)
{
    size_t rows = trees->training->columns.rows;

    for (size_t k = 0; k < trees->count; k++) {
        struct candidate *candidate = &trees->general->candidates[trees->first + k];
        const struct formula *formula = archive_best(trees->fold_archive, candidate->nodes);

        if (formula)
            formula_values(&trees->hunt.fitter, formula, trees->column);
        for (size_t i = 0; i < rows; i++) {
            double value = formula ? model_respond(&candidate->response, trees->column[i]) : (double)NAN;

            if (trees->folds[i] != fold)
                continue;
            candidate->held_out_error += weighted_square(trees, i, value);
            if (repeat == 0)
                trees->held_out[k][i] = trees->training->measured[i] - value;
        }
    }
}

/*
 * A search without the fold may miss what was found with it. Then the error with each row left out stands in, raised by what
 * the best of all formulas tried may owe to chance: a formula's log likelihood of n rows is n / 2 ln(error), and of N of them
 * that say nothing one exceeds the others by ln N.
 */
static void
allow_for_luck(struct trees *trees, size_t k)
{
    struct candidate *candidate = &trees->general->candidates[trees->first + k];
    size_t rows = trees->training->columns.rows;
    double luck = exponential(luck_share * logarithm((double)trees->hunt.tried + 2) / (double)rows);

    if (candidate->held_out_error <= candidate->loo_error * luck)
        return;
    candidate->held_out_error = candidate->loo_error * luck;
    for (size_t i = 0; i < rows; i++)
        trees->held_out[k][i] = trees->left_out[k][i] * sqrt(luck);
}

static size_t
repeats(const struct trees *trees)
{
    size_t most = REPEATED_ROWS / trees->training->columns.rows;

    return most < 1 || trees->evolves ? 1 : most > MOST_REPEATS ? MOST_REPEATS : most;
}

static int
judge(struct trees *trees)
{
    size_t rows = trees->training->columns.rows;
    int status = 0;

    for (size_t repeat = 0; repeat < repeats(trees); repeat++) {
        general_deal_folds(trees->training, repeat, trees->order, trees->group_folds, trees->folds);
        for (size_t fold = 0; !status && fold < FOLDS; fold++) {
            status = search_fold(trees, repeat, fold);
            judge_fold(trees, repeat, fold);
        }
    }
    for (size_t k = 0; k < trees->count; k++) {
        trees->general->candidates[trees->first + k].held_out_error /= (double)(repeats(trees) * rows);
        allow_for_luck(trees, k);
    }
    return status;
}

/* ---- choosing ---- */

/* Whether on rows held out the candidate is better than what was chosen, by more than chance makes of it. */
static bool
is_surely_better(const struct trees *trees, size_t k)
{
    size_t rows = trees->training->columns.rows;
    double sum = 0, squares = 0, mean, n = (double)rows;

    for (size_t i = 0; i < rows; i++) {
        double root = trees->reading->roots[i];
        double before = trees->general->held_out[i] * root, now = trees->held_out[k][i] * root;
        double gain = before * before - now * now;

        sum += gain;
        squares += gain * gain;
    }
    mean = sum / n;
    return mean > 0 && mean * mean * (n - 1) > squares / n - mean * mean;
}

/* A formula that leaves next to nothing unexplained on rows held out goes on beyond the samples, as straight lines do. */
static void
set_free(struct general *general)
{
    struct candidate *chosen = &general->candidates[general->chosen];

    if (!(chosen->held_out_error < unexplained * general->candidates[0].held_out_error))
        return;
    chosen->response.least = -INFINITY;
    chosen->response.most = INFINITY;
}

static void
choose(struct trees *trees)
{
    struct general *general = trees->general;
    double rows = (double)trees->training->columns.rows, floor = error_floor(trees);
    double best = general->candidates[general->chosen].score;
    size_t chosen = trees->count;

    for (size_t k = 0; k < trees->count; k++) {
        struct candidate *candidate = &general->candidates[trees->first + k];

        candidate->score =
            rows / 4 * (logarithm(candidate->held_out_error + floor) + logarithm(candidate->loo_error + floor)) +
            price(trees, &trees->chosen[k]);
        if (candidate->score < best && candidate->held_out_error < general->candidates[0].held_out_error &&
            is_surely_better(trees, k)) {
            best = candidate->score;
            chosen = k;
        }
    }
    if (chosen < trees->count) {
        general->chosen = trees->first + chosen;
        memcpy(general->held_out, trees->held_out[chosen], trees->training->columns.rows * sizeof *general->held_out);
    }
    set_free(general);
}

/* ---- the whole ---- */

static int
allocate(struct trees *trees)
{
    memmodel_context *context = trees->training->context;
    size_t rows = trees->training->columns.rows;

    trees->archive = memory_allocate_zeroed(context, 1, sizeof *trees->archive);
    trees->fold_archive = memory_allocate_zeroed(context, 1, sizeof *trees->fold_archive);
    trees->roots = memory_allocate_zeroed(context, rows * (3 + 2 * GENERAL_TREES), sizeof *trees->roots);
    trees->order = memory_allocate_zeroed(context, rows, sizeof *trees->order);
    trees->folds = memory_allocate_zeroed(context, 2 * rows, 1);
    if (!trees->archive || !trees->fold_archive || !trees->roots || !trees->order || !trees->folds)
        return MEMMODEL_ERROR_NOMEM;
    trees->group_folds = trees->folds + rows;
    trees->column = trees->roots + rows;
    trees->leverages = trees->column + rows;
    for (size_t k = 0; k < GENERAL_TREES; k++) {
        trees->held_out[k] = trees->leverages + (2 * k + 1) * rows;
        trees->left_out[k] = trees->held_out[k] + rows;
    }
    return 0;
}

static void
release(struct trees *trees)
{
    memmodel_context *context = trees->training->context;

    checkpoint_release(&trees->checkpoint);
    hunt_release(context, &trees->hunt);
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
        (uint64_t)rows,          (uint64_t)training->input_count, (uint64_t)options->search,
        (uint64_t)options->seed, (uint64_t)options->evaluations,  (uint64_t)options->integer_exponents};
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
        status = checkpoint_open(training->context, options->checkpoint, key_of(trees, options), &trees->checkpoint);
    if (!status)
        status = search_all(trees);
    if (!status)
        status = list_candidates(trees);
    if (!status)
        status = judge(trees);
    if (status)
        return status;
    choose(trees);
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
        return MEMMODEL_ERROR_NOMEM;
    trees->problem = problem;
    trees->training = problem->training;
    trees->evolves = options->search & MEMMODEL_FIT_SEARCH_EVOLVE;
    trees->basis = basis;
    trees->general = general;
    trees->reading = &general->readings[0];
    status = run(trees, options);
    release(trees);
    return status;
}
