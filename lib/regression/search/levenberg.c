/* Least squares: coefficients exactly, numbers in the trees step by step. */
#include "regression/search/levenberg.h"

#include <math.h>
#include <string.h>

static const double dependent = 1e-9; /* what is left of a column, in its norm, that counts as nothing */
static const double first_damping = 1e-2, min_damping = 1e-12;
static const double worthless = 1e-6; /* share of the error: less is not worth a step */
static const double extreme = 1e100;

struct fitter
fitter_new(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count,
           const struct structure *structure)
{
    return (struct fitter){
        .machine = tree_machine_new(workspace, rows, inputs, input_count),
        .columns = matrix_new(workspace, rows, FORMULA_MAX_TREES),
        .slopes = matrix_new(workspace, rows, FORMULA_MAX_NUMBERS),
        .linear = qr_new(workspace, rows, FORMULA_MAX_TREES + 1 + FORMULA_MAX_NUMBERS),
        .numbers = qr_new(workspace, rows, FORMULA_MAX_NUMBERS),
        .damped = qr_new(workspace, 2 * FORMULA_MAX_NUMBERS, FORMULA_MAX_NUMBERS),
        .residual = workspace_take(workspace, rows, sizeof(double)),
        .structure = structure,
        .max_tried = SIZE_MAX,
    };
}

bool
fitter_may_go_on(const struct fitter *fitter)
{
    return fitter->tried < fitter->max_tried && !context_must_stop(fitter->machine.context);
}

size_t
formula_count_numbers(const struct formula *formula)
{
    size_t count = 0;

    for (size_t k = 0; k < formula->count; k++)
        count += tree_count_numbers(&formula->trees[k]);
    return count;
}

/* The constant, and of each term its coefficient, times and plus. */
size_t
formula_count_nodes(const struct formula *formula)
{
    size_t nodes = 1;

    for (size_t k = 0; k < formula->count; k++)
        nodes += formula->trees[k].count + 3;
    return nodes;
}

/* ---- coefficients ---- */

static bool
is_usable(const double *values, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (!(fabs(values[i]) < extreme))
            return false;
    return true;
}

static bool
append_constant(struct fitter *fitter)
{
    fitter->linear.count = 0;
    return qr_append(&fitter->linear, fitter->aim->sqrt_weights);
}

static bool
append_tree(struct fitter *fitter, const struct tree *tree, size_t k)
{
    size_t rows = fitter->machine.rows;
    double *column = matrix_column(&fitter->columns, k);
    const double *values;

    if (!tree_is_allowed(fitter->structure, tree) || !tree_is_sound(&fitter->machine, tree))
        return false;
    values = tree_run(&fitter->machine, tree);
    if (!is_usable(values, rows))
        return false;
    for (size_t i = 0; i < rows; i++)
        column[i] = values[i] * fitter->aim->sqrt_weights[i];
    return qr_append(&fitter->linear, column);
}

bool
formula_fit_linear(struct fitter *fitter, struct formula *formula)
{
    size_t rows = fitter->machine.rows;
    double solution[FORMULA_MAX_TREES + 1];

    fitter->tried++;
    if (!append_constant(fitter))
        return false;
    for (size_t k = 0; k < formula->count; k++)
        if (!append_tree(fitter, &formula->trees[k], k))
            return false;
    for (size_t i = 0; i < rows; i++)
        fitter->residual[i] = fitter->aim->target[i] * fitter->aim->sqrt_weights[i];
    qr_solve(&fitter->linear, fitter->residual, solution);
    formula->constant = solution[0];
    memcpy(formula->coefficients, solution + 1, formula->count * sizeof *solution);
    qr_project_out(&fitter->linear, fitter->residual);
    qr_project_out(&fitter->linear, fitter->residual);
    formula->error = fmax(vector_dot(rows, fitter->residual, fitter->residual), fitter->aim->floor);
    formula->nodes = formula_count_nodes(formula);
    return formula->error < INFINITY;
}

/* ---- numbers ---- */

/*
 * `taken`: of the numbers, those whose slopes are columns of fitter->numbers; their norms, and the residual along
 * these.
 */
struct step {
    size_t count, taken[FORMULA_MAX_NUMBERS];
    double numbers[FORMULA_MAX_NUMBERS], change[FORMULA_MAX_NUMBERS];
    double norms[FORMULA_MAX_NUMBERS], aligned[2 * FORMULA_MAX_NUMBERS];
    bool held[FORMULA_MAX_NUMBERS];
};

static struct step
read_numbers(const struct formula *formula)
{
    struct step step = {.count = 0};

    for (size_t k = 0; k < formula->count; k++)
        for (size_t i = 0; i < formula->trees[k].count; i++)
            if (formula->trees[k].genes[i].operation == TREE_NUMBER) {
                step.held[step.count] = formula->trees[k].genes[i].held;
                step.numbers[step.count++] = formula->trees[k].genes[i].number;
            }
    return step;
}

static void
write_numbers(struct formula *formula, const double *numbers)
{
    size_t number = 0;

    for (size_t k = 0; k < formula->count; k++)
        for (size_t i = 0; i < formula->trees[k].count; i++)
            if (formula->trees[k].genes[i].operation == TREE_NUMBER)
                formula->trees[k].genes[i].number = numbers[number++];
}

/* slopes[j]: root * coefficient * d tree / d number j */
static bool
fill_slopes(struct fitter *fitter, const struct formula *formula)
{
    size_t rows = fitter->machine.rows, number = 0;

    for (size_t k = 0; k < formula->count; k++) {
        size_t count = tree_count_numbers(&formula->trees[k]);
        double *slopes[FORMULA_MAX_NUMBERS];

        if (count == 0)
            continue;
        for (size_t j = 0; j < count; j++)
            slopes[j] = matrix_column(&fitter->slopes, number + j);
        tree_run(&fitter->machine, &formula->trees[k]);
        tree_differentiate(&fitter->machine, &formula->trees[k], slopes);
        for (size_t j = 0; j < count; j++) {
            for (size_t i = 0; i < rows; i++)
                slopes[j][i] *= formula->coefficients[k] * fitter->aim->sqrt_weights[i];
            if (!is_usable(slopes[j], rows))
                return false;
        }
        number += count;
    }
    return true;
}

/*
 * After formula_fit_linear(), which left the residual: the slopes less what coefficients could do, factored. Those
 * that are nothing then, hang on others, or are of numbers that are held, are not taken.
 */
static bool
linearize(struct fitter *fitter, const struct formula *formula, struct step *step)
{
    size_t rows = fitter->machine.rows;

    if (!fill_slopes(fitter, formula))
        return false;
    fitter->numbers.count = 0;
    for (size_t j = 0; j < step->count; j++) {
        double *slopes = matrix_column(&fitter->slopes, j);
        double size = sqrt(vector_dot(rows, slopes, slopes)), left;
        size_t k = fitter->numbers.count;

        qr_project_out(&fitter->linear, slopes);
        left = sqrt(vector_dot(rows, slopes, slopes));
        if (step->held[j] || !(left > dependent * size) || !qr_append(&fitter->numbers, slopes))
            continue;
        step->taken[k] = j;
        step->norms[k] = left;
    }
    memset(step->aligned, 0, sizeof step->aligned);
    qr_align(&fitter->numbers, fitter->residual, step->aligned);
    return true;
}

/*
 * The step that is least squares of the residual and of its own size, times the damping: what is left of the rows is
 * the factors' triangle. Returns what it would gain if slopes stayed as they are.
 */
static double
solve_damped(struct fitter *fitter, struct step *step, double damping)
{
    double solution[FORMULA_MAX_NUMBERS], gain = 0;

    fitter->damped.count = 0;
    for (size_t k = 0; k < fitter->numbers.count; k++) {
        double column[2 * FORMULA_MAX_NUMBERS] = {0};

        memcpy(column, matrix_column(&fitter->numbers.r, k), (k + 1) * sizeof *column);
        column[FORMULA_MAX_NUMBERS + k] = sqrt(damping) * step->norms[k];
        if (!qr_append(&fitter->damped, column))
            break;
    }
    qr_align(&fitter->damped, step->aligned, solution);
    for (size_t k = 0; k < fitter->damped.count; k++)
        gain += solution[k] * solution[k];
    qr_back_substitute(&fitter->damped, solution);
    memset(step->change, 0, sizeof step->change);
    for (size_t k = 0; k < fitter->damped.count; k++)
        step->change[step->taken[k]] = solution[k];
    return gain;
}

/*
 * One step that makes the error less; false if there is none worth it: damping makes steps shorter until they are
 * not.
 */
static bool
improve(struct fitter *fitter, struct formula *formula, double *damping)
{
    struct step step = read_numbers(formula);
    double moved[FORMULA_MAX_NUMBERS];

    if (!linearize(fitter, formula, &step))
        return false;
    for (; solve_damped(fitter, &step, *damping) > worthless * formula->error; *damping *= 8) {
        struct formula changed = *formula;

        for (size_t j = 0; j < step.count; j++)
            moved[j] = step.numbers[j] + step.change[j];
        write_numbers(&changed, moved);
        if (formula_fit_linear(fitter, &changed) && changed.error < formula->error) {
            *damping = fmax(*damping / 16, min_damping);
            *formula = changed;
            return true;
        }
    }
    return false;
}

bool
formula_fit(struct fitter *fitter, struct formula *formula, size_t steps)
{
    double damping = first_damping;
    size_t numbers = formula_count_numbers(formula);

    if (numbers > FORMULA_MAX_NUMBERS || !formula_fit_linear(fitter, formula))
        return false;
    for (size_t step = 0; numbers > 0 && step < steps && formula->error > fitter->aim->floor; step++)
        if (!improve(fitter, formula, &damping))
            return formula_fit_linear(fitter, formula);
    return true;
}

/* ---- what a formula says ---- */

void
formula_values(struct fitter *fitter, const struct formula *formula, double *values)
{
    size_t rows = fitter->machine.rows;

    for (size_t i = 0; i < rows; i++)
        values[i] = formula->constant;
    for (size_t k = 0; k < formula->count; k++)
        vector_add_scaled(rows, values, formula->coefficients[k], tree_run(&fitter->machine, &formula->trees[k]));
}

void
formula_leverages(struct fitter *fitter, const struct formula *formula, double *leverages)
{
    size_t rows = fitter->machine.rows, numbers = formula_count_numbers(formula);

    if (numbers > 0 && fill_slopes(fitter, formula))
        for (size_t j = 0; j < numbers; j++)
            qr_append(&fitter->linear, matrix_column(&fitter->slopes, j));
    for (size_t i = 0; i < rows; i++)
        leverages[i] = qr_leverage(&fitter->linear, i);
}
