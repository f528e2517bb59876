/* The best formulas of trees as candidates beside sums of terms. */
#include "regression/logarithm.h"
#include "regression/search/contest.h"
#include "regression/search/plain.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_TERM = 3 };

static const double number_price = 2.3;   /* ln of the places where a number may stand */
static const double most_leverage = 0.95; /* of a row */
static const double exact = 1e-21;        /* share of the target's size, squared, that counts as no error */
static const double digit_share = 0.01;   /* of the standard error of the mean squared error */
static const double same_values = 1e-6;   /* relative difference of a tree and its expression that counts as none */

/* ---- prices ---- */

double
trees_price(const struct trees *trees, const struct formula *formula)
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

double
trees_error_floor(const struct trees *trees)
{
    double largest = 0;

    for (size_t i = 0; i < trees->training->columns.rows; i++)
        largest = fmax(largest, fabs(trees->reading->aims[i] * trees->reading->roots[i]));
    return fmax(largest * largest * exact, 1e-300);
}

double
trees_first_score(const struct trees *trees, const struct formula *formula)
{
    double rows = (double)trees->training->columns.rows;
    size_t fitted = formula->count + formula_count_numbers(formula) + 1;

    if (formula->count == 0 || (double)(fitted * ROWS_PER_TERM) > rows)
        return INFINITY;
    return rows / 2 * logarithm(formula->error) + (double)fitted / 2 * logarithm(rows) + trees_price(trees, formula);
}

/* ---- candidates ---- */

/* While leverages and values are at hand. */
static double
left_out_square(struct trees *trees, double *errors)
{
    size_t rows = trees->training->columns.rows;
    double sum = 0;

    for (size_t i = 0; i < rows; i++) {
        double aim = trees->reading->aims[i], value;

        aim -= (aim - trees->column[i]) / (1 - fmin(trees->leverages[i], most_leverage));
        value = model_respond(&trees->reading->response, aim);
        errors[i] = trees->training->measured[i] - value;
        sum += trees_loss_of(trees, i, errors[i]);
    }
    return sum / (double)rows;
}

/*
 * Mean loss of each row, predicted by the formula's coefficients and numbers fitted to the others. NaN: a row decides a number
 * alone, and nobody else bears witness to it; but for formulas that are exact.
 */
static double
loo_error(struct trees *trees, const struct formula *formula, double *errors)
{
    struct formula own = *formula;

    if (!formula_fit_linear(&trees->hunt.fitter, &own))
        return (double)NAN;
    formula_values(&trees->hunt.fitter, &own, trees->column);
    formula_leverages(&trees->hunt.fitter, &own, trees->leverages);
    for (size_t i = 0; own.error > trees->aim.floor && i < trees->training->columns.rows; i++)
        if (!(trees->leverages[i] < most_leverage))
            return (double)NAN;
    return trees->loss ? trees_leave_out(trees, &own, errors) : left_out_square(trees, errors);
}

static bool
agree(const double *a, const double *b, size_t rows, double scale)
{
    for (size_t i = 0; i < rows; i++)
        if (!(fabs(scale * a[i] - b[i]) <= same_values * fabs(b[i])))
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
        status = basis_append(basis, trees->training, term, (unsigned)formula->trees[k].count, &index);
        if (status)
            return status;
        *same = agree(matrix_column(&basis->columns, index), tree_run(&trees->hunt.fitter.machine, &formula->trees[k]),
                      rows, ldexp(scale, basis->exponents[index]));
        if (!*same)
            return 0;
        candidate->chosen[k] = (uint16_t)index;
    }
    return 0;
}

/* Formulas that differ in what they do not need are one without it. */
static bool
is_listed(const struct trees *trees, const struct candidate *candidate)
{
    for (size_t k = 0; k < trees->count; k++) {
        const struct candidate *other = &trees->general->candidates[trees->first + k];

        if (other->terms == candidate->terms &&
            memcmp(other->chosen, candidate->chosen, candidate->terms * sizeof *other->chosen) == 0)
            return true;
    }
    return false;
}

/* A formula without what it does not need; `written` is false if it cannot be written, or is not accepted. */
static int
add_plain(struct trees *trees, const struct formula *found, bool *precise, bool *written)
{
    struct general *general = trees->general;
    struct formula formula = *found;
    struct candidate candidate = {.library = TREES, .response = trees->reading->response};
    double growth = digit_share * sqrt(2 / (double)trees->training->columns.rows);
    int status;

    *written = false;
    if (!formula_make_plain(&trees->hunt.fitter, &trees->hunt.grammar, growth, precise, &formula))
        return 0;
    candidate.terms = formula.count;
    candidate.nodes = (unsigned)formula.nodes;
    candidate.numbers = formula_count_numbers(&formula);
    candidate.loo_error = loo_error(trees, &formula, trees->left_out[trees->count]);
    if (isnan(candidate.loo_error))
        return 0;
    status = add_terms(trees, &formula, &candidate, written);
    if (status || !*written || is_listed(trees, &candidate))
        return status;
    status = trees->problem->accept(trees->problem->user, &candidate, written);
    if (status) {
        *written = false;
        return status == MEMMODEL_ERROR_DATA ? 0 : status; /* its terms cannot be told apart, or not be written */
    }
    if (!*written)
        return 0;
    trees->chosen[trees->count++] = formula;
    general->candidates[general->candidate_count++] = candidate;
    return 0;
}

/* Numbers of many digits may be too long for what is made of them. */
static int
add_candidate(struct trees *trees, const struct formula *found)
{
    bool precise = true, written;
    int status = add_plain(trees, found, &precise, &written);

    if (status || written || !precise)
        return status;
    precise = false;
    return add_plain(trees, found, &precise, &written);
}

int
trees_list_candidates(struct trees *trees)
{
    const struct formula *formulas = trees->archive->formulas;
    bool tried[ARCHIVE_MOST_NODES + 1] = {false};
    int status = 0;

    trees->first = trees->general->candidate_count;
    while (!status && trees->count < GENERAL_TREES) {
        size_t best = ARCHIVE_MOST_NODES + 1;

        for (size_t i = 0; i <= ARCHIVE_MOST_NODES; i++)
            if (!tried[i] && trees_first_score(trees, &formulas[i]) < INFINITY &&
                (best > ARCHIVE_MOST_NODES ||
                 trees_first_score(trees, &formulas[i]) < trees_first_score(trees, &formulas[best])))
                best = i;
        if (best > ARCHIVE_MOST_NODES)
            break;
        tried[best] = true;
        status = add_candidate(trees, &formulas[best]);
    }
    return status;
}
