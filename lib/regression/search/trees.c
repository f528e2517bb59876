/* Formulas of any shape for a table: searched on all rows, and judged by rows left out. */
#include "regression/search/trees.h"

#include "regression/linear/logarithm.h"
#include "regression/search/tree_search.h"
#include "regression/search/simplify.h"

#include <math.h>

enum { ROWS_PER_TERM = 3, MIN_RESTARTS = 2 };

_Static_assert((int)TREES_MAX *(int)FORMULA_MAX_TREES <= (int)BASIS_MAX_APPENDED - (int)BASIS_APPENDED,
               "the basis has a column for every tree");

static const double min_gain = 1;         /* of a logarithm of likelihood */
static const double restarts_each = 0.75; /* logarithm of what is explained */
static const double unexplained = 1e-3;   /* share of the target's variance */
static const double max_leverage = 0.95;  /* of a row */
static const double exact = 1e-21;        /* share of the target's size, squared, that counts as no error */
static const double digit_share = 0.01;   /* of the standard error of the mean squared error */
static const double same_values = 1e-6;   /* relative difference of a tree and its expression that counts as none */
static const double bias_share = 4; /* of squared errors; 2 would do for formulas that know nothing of each other */

struct trees {
    struct comparison *comparison;
    const struct training *table;
    struct tree_search tree_search;
    struct aim aim;
    struct archive *archive;
    double *column, *leverages;
    struct formula formulas[TREES_MAX];
    size_t first; /* candidate of a tree */
    size_t tried; /* formulas */
};

/* ---- description length ---- */

/* What it costs to say which operation, input or number stands at each node. */
static double
penalty_of(const struct trees *trees, const struct formula *formula)
{
    double nodes = 0, symbols = (double)(TREE_LEAF + 1 + trees->table->input_count);

    for (size_t k = 0; k < formula->count; k++)
        nodes += (double)formula->trees[k].count;
    return nodes * logarithm(symbols);
}

/* By the error on the samples; infinite where there are too few rows for coefficients and numbers. */
static double
first_score(const struct trees *trees, const struct formula *formula)
{
    double rows = (double)trees->table->columns.rows;
    size_t fitted = formula->count + formula_count_numbers(formula) + 1;

    if (formula->count == 0 || (double)(fitted * ROWS_PER_TERM) > rows)
        return INFINITY;
    return rows / 2 * logarithm(formula->error) + (double)fitted / 2 * logarithm(rows) + penalty_of(trees, formula);
}

static double
min_first_score(const struct trees *trees)
{
    double least = INFINITY;

    for (size_t i = 0; i <= ARCHIVE_MAX_NODES; i++)
        least = fmin(least, first_score(trees, &trees->archive->formulas[i]));
    return least;
}

/* ---- searching ---- */

static void
take_aim(struct trees *trees)
{
    const struct basis *basis = trees->comparison->basis;
    size_t rows = trees->table->columns.rows;
    double largest = 0;

    for (size_t i = 0; i < rows; i++)
        largest = fmax(largest, fabs(basis->response[i]));
    trees->aim = (struct aim){.target = trees->table->measured,
                              .sqrt_weights = trees->comparison->sqrt_weights,
                              .used = rows,
                              .floor = (double)rows * fmax(largest * largest * exact, 1e-300)};
    trees->tree_search.fitter.aim = &trees->aim;
}

/* What the constant leaves, squared. */
static double
squares_of_constant(const struct trees *trees)
{
    const struct basis *basis = trees->comparison->basis;
    size_t rows = trees->table->columns.rows;
    double mean = vector_dot(rows, basis->response, basis->sqrt_weights) /
                  vector_dot(rows, basis->sqrt_weights, basis->sqrt_weights),
           sum = 0;

    for (size_t i = 0; i < rows; i++) {
        double error = basis->response[i] - mean * basis->sqrt_weights[i];

        sum += error * error;
    }
    return sum;
}

/* Whether one more restart may pay: a law is the nearer, the less is left of what the constant leaves. */
static bool
has_future(const struct trees *trees, size_t restart, double gain, double most)
{
    const struct formula *best = archive_best(trees->archive, ARCHIVE_MAX_NODES);

    return restart < MIN_RESTARTS || gain > min_gain ||
           (best && (double)restart < restarts_each * logarithm(most / best->error));
}

static int
search_rows(struct trees *trees)
{
    double before = INFINITY, gain = INFINITY, most = squares_of_constant(trees);
    int status = 0;

    for (size_t restart = 0; !status && restart < TREE_SEARCH_RESTARTS && has_future(trees, restart, gain, most);
         restart++) {
        status = tree_search_restart(&trees->tree_search, restart, trees->archive);
        gain = before - min_first_score(trees);
        before = min_first_score(trees);
    }
    return status;
}

/* Into the column: sizes of a formula's errors. Infinite where it cannot be fitted. */
static double
wild_beyond(struct trees *trees, const struct formula *found)
{
    const struct training *table = trees->table;
    struct formula formula = *found;

    if (!formula_fit_linear(&trees->tree_search.fitter, &formula))
        return INFINITY;
    formula_values(&trees->tree_search.fitter, &formula, trees->column);
    return loss_wild_beyond(trees->comparison->loss, table->measured, trees->column, table->columns.rows);
}

/* By the formula that explains most rows best. */
static void
weigh_rows(struct trees *trees)
{
    const struct formula *formulas = trees->archive->formulas, *best = NULL;
    double least = INFINITY;

    for (size_t i = 0; i <= ARCHIVE_MAX_NODES; i++) {
        double bound = formulas[i].count > 0 ? wild_beyond(trees, &formulas[i]) : INFINITY;

        if (bound < least)
            best = &formulas[i];
        least = fmin(least, bound);
    }
    if (!best)
        return;
    wild_beyond(trees, best);
    for (size_t i = 0; i < trees->table->columns.rows; i++)
        comparison_weigh(trees->comparison, i, trees->column[i] > least ? least / trees->column[i] : 1);
}

/* Of linear losses again with rows weighed by what was found: few terms may not say which rows are wild. */
static int
search(struct trees *trees)
{
    int status;

    take_aim(trees);
    status = search_rows(trees);
    if (status || !loss_is_linear(trees->comparison->loss))
        return status;
    weigh_rows(trees);
    memset(trees->archive, 0, sizeof *trees->archive);
    return search_rows(trees);
}

/* ---- candidates ---- */

static bool
agree(const double *a, const double *b, const double *sqrt_weights, size_t rows, double scale)
{
    for (size_t i = 0; i < rows; i++)
        if (!(fabs(scale * a[i] / sqrt_weights[i] - b[i]) <= same_values * fabs(b[i])))
            return false;
    return true;
}

/* A pool takes symbols for numbers that are not negative: where they are, its form of a tree may be another. */
static int
add_terms(struct trees *trees, const struct formula *formula, struct support *support, bool *same)
{
    struct basis *basis = trees->comparison->basis;
    size_t rows = trees->table->columns.rows;

    *same = true;
    for (size_t k = 0; k < formula->count; k++) {
        double scale;
        expression term =
            expression_without_coefficient(basis->pool, tree_express(&formula->trees[k], basis->pool), &scale);
        size_t index;
        int status;

        if (status_ends_call(term))
            return (int)term;
        *same = term >= 0;
        if (!*same)
            return 0;
        status = basis_append(basis, trees->table, term, (unsigned)formula->trees[k].count, &index);
        if (status)
            return status;
        *same = agree(matrix_column(&basis->columns, index),
                      tree_run(&trees->tree_search.fitter.machine, &formula->trees[k]), basis->sqrt_weights, rows,
                      ldexp(scale, basis->exponents[index]));
        if (!*same)
            return 0;
        *support = support_with(support, (uint16_t)index);
    }
    return 0;
}

/* Formulas that differ in what they do not need are one without it. */
static bool
is_listed(const struct trees *trees, const struct support *support)
{
    for (size_t c = trees->first; c < trees->comparison->count; c++)
        if (support_is_same(&trees->comparison->candidates[c].support, support))
            return true;
    return false;
}

/* A formula without what it does not need; `written` is false if it cannot be written. */
static int
add_simplified(struct trees *trees, const struct formula *found, bool *precise, bool *written)
{
    struct comparison *comparison = trees->comparison;
    struct candidate *candidate = &comparison->candidates[comparison->count];
    struct formula formula = *found;
    double growth = digit_share * sqrt(2 / (double)trees->table->columns.rows);
    int status;

    *written = false;
    if (!formula_simplify(&trees->tree_search.fitter, growth, precise, &formula))
        return 0;
    *candidate = (struct candidate){.source = SOURCE_TREES,
                                    .support = {.count = 1},
                                    .size = formula.count,
                                    .numbers = formula_count_numbers(&formula),
                                    .nodes = (unsigned)formula.nodes,
                                    .penalty = penalty_of(trees, &formula)};
    status = add_terms(trees, &formula, &candidate->support, written);
    if (status || !*written || is_listed(trees, &candidate->support))
        return status;
    trees->formulas[comparison->count++ - trees->first] = formula;
    return 0;
}

/* Numbers of many digits may be too long for what is made of them. */
static int
add_candidate(struct trees *trees, const struct formula *found)
{
    bool precise = true, written;
    int status = add_simplified(trees, found, &precise, &written);

    if (status || written || !precise)
        return status;
    precise = false;
    return add_simplified(trees, found, &precise, &written);
}

/* Those of the least description length, as many as there is room for. */
static int
list_candidates(struct trees *trees)
{
    const struct formula *formulas = trees->archive->formulas;
    bool tried[ARCHIVE_MAX_NODES + 1] = {false};
    int status = 0;

    trees->first = trees->comparison->count;
    while (!status && trees->comparison->count - trees->first < TREES_MAX) {
        size_t best = ARCHIVE_MAX_NODES + 1;

        for (size_t i = 0; i <= ARCHIVE_MAX_NODES; i++)
            if (!tried[i] && first_score(trees, &formulas[i]) < INFINITY &&
                (best > ARCHIVE_MAX_NODES || first_score(trees, &formulas[i]) < first_score(trees, &formulas[best])))
                best = i;
        if (best > ARCHIVE_MAX_NODES)
            break;
        tried[best] = true;
        status = add_candidate(trees, &formulas[best]);
    }
    return status;
}

/* ---- errors ---- */

/*
 * By coefficients and numbers fitted to the other rows; false if a row determines a number alone, but for formulas that
 * are exact.
 */
static bool
leave_out_squares(struct trees *trees, const struct formula *formula, double *predictions)
{
    struct formula own = *formula;

    if (!formula_fit_linear(&trees->tree_search.fitter, &own))
        return false;
    formula_values(&trees->tree_search.fitter, &own, trees->column);
    formula_leverages(&trees->tree_search.fitter, &own, trees->leverages);
    for (size_t i = 0; i < trees->table->columns.rows; i++) {
        double measured = trees->table->measured[i];

        if (own.error > trees->aim.floor && !(trees->leverages[i] < max_leverage))
            return false;
        predictions[i] = measured - (measured - trees->column[i]) / (1 - fmin(trees->leverages[i], max_leverage));
    }
    return true;
}

/*
 * Errors on rows that took no part in the search are those of rows left out, raised by what the best of all formulas
 * tried may gain by chance (selection bias): a formula's log likelihood of n rows is n / 2 ln(error), and of N of
 * them that say nothing one exceeds the others by ln N. Of a row that counted less in the search it gains less.
 */
static void
correct_selection_bias(struct trees *trees, size_t candidate)
{
    struct comparison *comparison = trees->comparison;
    const double *left_out = matrix_column(&comparison->left_out, candidate);
    double *held_out = matrix_column(&comparison->held_out, candidate), rows = (double)comparison->left_out.rows;
    double bias = exponential(bias_share / 2 * logarithm((double)trees->tried + 2) / rows) - 1;

    for (size_t i = 0; i < comparison->left_out.rows; i++) {
        double measured = trees->table->measured[i],
               counted = comparison->sqrt_weights[i] / comparison->basis->sqrt_weights[i];

        held_out[i] = measured + (1 + bias * counted * counted) * (left_out[i] - measured);
    }
    judge_losses(comparison, candidate);
}

/* A formula that leaves next to nothing unexplained goes on beyond the samples, as straight lines do. */
static void
judge_candidate(struct trees *trees, struct rows *rows, size_t c)
{
    struct comparison *comparison = trees->comparison;
    struct candidate *candidate = &comparison->candidates[c];
    double *left_out = matrix_column(&comparison->left_out, c),
           most = loss_is_linear(comparison->loss) ? sqrt(unexplained) : unexplained;

    candidate->refused = loss_is_square(comparison->loss)
                             ? !leave_out_squares(trees, &trees->formulas[c - trees->first], left_out)
                             : !rows_leave_out(rows, &candidate->support, left_out);
    comparison_limit(comparison, candidate);
    for (size_t i = 0; i < comparison->left_out.rows; i++)
        left_out[i] = comparison_clamp(candidate, left_out[i]);
    correct_selection_bias(trees, c);
    if (candidate->nested < most * comparison->candidates[0].nested) {
        candidate->least = -INFINITY;
        candidate->most = INFINITY;
    }
}

/* Terms that the search finds, too, are the same formula: it goes on where the tree does. */
static void
share_limits(struct comparison *comparison, size_t tree)
{
    const struct candidate *found = &comparison->candidates[tree];

    for (size_t i = 0; i < tree; i++)
        if (comparison->candidates[i].source == SOURCE_TERMS &&
            support_is_same(&comparison->candidates[i].support, &found->support)) {
            comparison->candidates[i].least = found->least;
            comparison->candidates[i].most = found->most;
        }
}

static int
judge_candidates(struct trees *trees, struct workspace *workspace)
{
    struct comparison *comparison = trees->comparison;
    struct rows rows = rows_all(workspace, comparison->table, comparison->basis, comparison->loss);

    if (workspace->status)
        return workspace->status;
    for (size_t c = trees->first; c < comparison->count; c++)
        judge_candidate(trees, &rows, c);
    for (size_t c = trees->first; c < comparison->count; c++)
        share_limits(comparison, c);
    return 0;
}

/* ---- the whole ---- */

static int
run(struct trees *trees, const struct memmodel_fit_options *options, struct workspace *workspace)
{
    const struct training *table = trees->table;
    const double *inputs[TRAINING_MAX_INPUTS];
    size_t rows = table->columns.rows;
    int status;

    for (size_t i = 0; i < table->input_count; i++)
        inputs[i] = matrix_column(&table->columns, i);
    trees->archive = workspace_take(workspace, 1, sizeof *trees->archive);
    trees->column = workspace_take(workspace, 2 * rows, sizeof *trees->column);
    trees->leverages = workspace_take(workspace, rows, sizeof *trees->leverages);
    status = tree_search_new(workspace, options, trees->comparison->structure, rows, inputs, table->input_count,
                             &trees->tree_search);
    if (status)
        return status;
    status = search(trees);
    trees->tried = trees->tree_search.fitter.tried;
    if (!status)
        status = list_candidates(trees);
    return status ? status : judge_candidates(trees, workspace);
}

int
trees_search(struct comparison *comparison, const struct memmodel_fit_options *options)
{
    struct workspace workspace = WORKSPACE_INIT(comparison->table->context);
    struct trees *trees = workspace_take(&workspace, 1, sizeof *trees);
    int status = workspace.status;

    if (!status) {
        trees->comparison = comparison;
        trees->table = comparison->table;
        status = run(trees, options, &workspace);
        world_release(&trees->tree_search.world);
    }
    workspace_release(&workspace);
    return status;
}
