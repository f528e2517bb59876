/* The best formulas of trees as candidates beside sums of terms. */
#include "regression/logarithm.h"
#include "regression/search/contest.h"

#include <math.h>

enum { ROWS_PER_TERM = 3, MOST_DIGITS = 7 };

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
