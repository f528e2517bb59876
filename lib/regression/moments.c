/* A peak as the greatest of several moments. */
#include "regression/moments.h"
#include "regression/decimal.h"

#include "base/numbers.h"
#include "base/splitmix.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 256,
    MOST_INPUTS = 2,
    LEAST_ROWS = 3, /* of a moment */
    ROWS_PER_TERM = 2,
    MOST_ROUNDS = 12,
    FINALISTS = 6, /* guesses that are refined by absolute errors */
    NOT_SEEN = 255,
};

enum { RIGHT_SIDE, MEASURED, WEIGHTS, ROOTS, VALUES };

static const double quantiles[] = {0.2, 0.35, 0.5, 0.65, 0.8};
static const double exactness = 1e-7; /* mean error of rows that are met, but for rounding */
static const double gain = 1e-6;      /* of the mean error, that makes another moment worth while */
static const double nothing = 1e-8;   /* share of what was measured that a coefficient may be left out for */

static const struct loss squares = {.kind = MEMMODEL_FIT_LOSS_RELATIVE, .unit = 1};
static const struct loss sizes = {.kind = MEMMODEL_FIT_LOSS_MAPE, .unit = 1};

/* ---- preparation ---- */

/* A product of powers, or given: no bend, which would be a moment within a moment. */
static bool
is_simple(const struct basis *basis, size_t column)
{
    return basis->plain[column] && basis->groups[column] == 0;
}

bool
moments_prepare(const struct training *training, const struct basis *basis, struct moments_problem *problem)
{
    *problem = (struct moments_problem){.training = training, .basis = basis};
    if (training->columns.rows > MOST_ROWS || training->input_count > MOST_INPUTS)
        return false;
    for (size_t j = 0; j < basis->count; j++) {
        if (!is_simple(basis, j))
            continue;
        if (problem->count == MOMENTS_COLUMNS)
            return false;
        problem->columns[problem->count++] = (uint16_t)j;
    }
    return problem->count > 1;
}

/* Terms, and of each two inputs the quotient. */
static void
fill_keys(struct moments_search *search)
{
    const struct training *training = search->problem->training;
    size_t inputs = training->input_count, key = 0;

    for (size_t k = 1; k < search->problem->count; k++, key++)
        for (size_t i = 0; i < training->columns.rows; i++)
            matrix_column(&search->keys, key)[i] =
                matrix_column(&search->problem->basis->columns, search->problem->columns[k])[i] / search->roots[i];
    for (size_t a = 0; a < inputs; a++)
        for (size_t b = 0; b < a; b++, key++)
            for (size_t i = 0; i < training->columns.rows; i++)
                matrix_column(&search->keys, key)[i] =
                    matrix_column(&training->columns, a)[i] / matrix_column(&training->columns, b)[i];
}

int
moments_search_new(const struct moments_problem *problem, struct moments_search *search)
{
    const struct training *training = problem->training;
    memmodel_context *context = training->context;
    size_t rows = training->columns.rows, inputs = training->input_count;
    int status;

    *search = (struct moments_search){.problem = problem};
    status = reweighing_new(context, rows, problem->count, &search->reweighing);
    if (!status)
        status = matrix_new(context, rows, problem->count + VALUES, &search->part);
    if (!status)
        status = matrix_new(context, rows, problem->count - 1 + inputs * (inputs - 1) / 2, &search->keys);
    if (status)
        return status;
    search->sorted = memory_allocate_zeroed(context, rows, sizeof *search->sorted);
    search->roots = memory_allocate_zeroed(context, rows, sizeof *search->roots);
    search->labels = memory_allocate_zeroed(context, rows, 1);
    search->now = memory_allocate_zeroed(context, rows, 1);
    if (!search->sorted || !search->roots || !search->labels || !search->now)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < rows; i++)
        search->roots[i] = sqrt(training->weights[i]) / training->measured[i];
    fill_keys(search);
    return 0;
}

void
moments_search_release(struct moments_search *search)
{
    memmodel_context *context = search->problem->training->context;

    reweighing_release(context, &search->reweighing);
    matrix_release(&search->part);
    matrix_release(&search->keys);
    memory_release(context, search->sorted);
    memory_release(context, search->roots);
    memory_release(context, search->labels);
    memory_release(context, search->now);
}

/* ---- a formula ---- */

static double
sum_of_moment(const struct moments_problem *problem, const double *coefficients, size_t row)
{
    double sum = 0;

    for (size_t k = 0; k < problem->count; k++)
        sum += coefficients[k] * matrix_column(&problem->basis->columns, problem->columns[k])[row];
    return sum;
}

/* The moment that says most of the row, and what it says. */
static size_t
greatest_moment(const struct moments_problem *problem, const struct moments *moments, size_t row, double *greatest)
{
    size_t place = 0;

    *greatest = -INFINITY;
    for (size_t m = 0; m < moments->count; m++) {
        double sum = sum_of_moment(problem, moments->coefficients[m], row);

        if (sum > *greatest) {
            *greatest = sum;
            place = m;
        }
    }
    return place;
}

double
moments_predict(const struct moments_problem *problem, const struct moments *moments, size_t row)
{
    double greatest;

    greatest_moment(problem, moments, row, &greatest);
    return greatest / problem->basis->right_side[row];
}

/* Mean loss of the rows that are seen. */
static double
loss_of_rows(const struct moments_search *search, const struct loss *loss, const struct moments *moments)
{
    const struct training *training = search->problem->training;
    double sum = 0, total = 0;

    for (size_t i = 0; i < training->columns.rows; i++) {
        if (search->now[i] == NOT_SEEN)
            continue;
        sum += training->weights[i] * loss_of(loss, 1, moments_predict(search->problem, moments, i));
        total += training->weights[i];
    }
    return sum / total;
}

/* ---- from rows to moments and back ---- */

static void
gather(struct moments_search *search, size_t moment)
{
    const struct moments_problem *problem = search->problem;
    const struct training *training = problem->training;
    const double *const values[VALUES] = {problem->basis->right_side, training->measured, training->weights,
                                          search->roots};
    size_t kept = 0;

    for (size_t i = 0; i < training->columns.rows; i++)
        kept += search->now[i] == moment;
    search->part.rows = kept;
    kept = 0;
    for (size_t i = 0; i < training->columns.rows; i++) {
        if (search->now[i] != moment)
            continue;
        for (size_t k = 0; k < problem->count; k++)
            matrix_column(&search->part, k)[kept] = matrix_column(&problem->basis->columns, problem->columns[k])[i];
        for (size_t v = 0; v < VALUES; v++)
            matrix_column(&search->part, problem->count + v)[kept] = values[v][i];
        kept++;
    }
}

/* A fit of a moment's rows by some of the terms. */
struct moment_fit {
    struct moments_search *search;
    struct reweigh_problem problem;
    const double *columns[MOMENTS_COLUMNS];
    size_t terms[MOMENTS_COLUMNS];
    double coefficients[MOMENTS_COLUMNS];
};

static struct moment_fit
moment_fit_begin(struct moments_search *search, size_t moment)
{
    const size_t count = search->problem->count;
    struct moment_fit fit = {.search = search};

    gather(search, moment);
    fit.problem = (struct reweigh_problem){
        .rows = search->part.rows,
        .count = count,
        .right_side = matrix_column(&search->part, count + RIGHT_SIDE),
        .measured = matrix_column(&search->part, count + MEASURED),
        .weights = matrix_column(&search->part, count + WEIGHTS),
        .roots = matrix_column(&search->part, count + ROOTS),
        .positive = true,
    };
    for (size_t k = 0; k < count; k++)
        fit.terms[k] = k;
    return fit;
}

static double
moment_fit_solve(struct moment_fit *fit, const struct loss *loss)
{
    for (size_t k = 0; k < fit->problem.count; k++)
        fit->columns[k] = matrix_column(&fit->search->part, fit->terms[k]);
    fit->problem.columns = fit->columns;
    fit->problem.loss = loss;
    return reweigh_fit(&fit->search->reweighing, &fit->problem, fit->coefficients);
}

/* Whether a term times its coefficient is more than rounding, anywhere. */
static bool
has_part(const struct moment_fit *fit, size_t k)
{
    for (size_t i = 0; i < fit->problem.rows; i++)
        if (fit->coefficients[k] * fit->columns[k][i] > nothing * fit->problem.right_side[i])
            return true;
    return false;
}

/* Takes out the terms that have no part; returns how many have one. */
static size_t
keep_positive(struct moment_fit *fit)
{
    size_t kept = 0;

    for (size_t k = 0; k < fit->problem.count; k++)
        if (has_part(fit, k)) {
            fit->coefficients[kept] = fit->coefficients[k];
            fit->terms[kept++] = fit->terms[k];
        }
    return fit->problem.count = kept;
}

/* Takes out the term that is missed least. */
static void
drop_term(struct moment_fit *fit)
{
    struct moment_fit least = *fit;
    double least_error = INFINITY;

    for (size_t k = 0; k < fit->problem.count; k++) {
        struct moment_fit without = *fit;
        double error;

        without.terms[k] = without.terms[--without.problem.count];
        error = moment_fit_solve(&without, &squares);
        if (error < least_error) {
            least_error = error;
            least = without;
        }
    }
    *fit = least;
}

/* Coefficients of a moment by its rows; false if these are too few. */
static bool
fit_moment(struct moments_search *search, const struct loss *loss, size_t moment, double *coefficients)
{
    struct moment_fit fit = moment_fit_begin(search, moment);
    size_t rows = fit.problem.rows;
    double error;

    if (rows < LEAST_ROWS || context_spend(search->problem->training->context, matrix_work(rows, fit.problem.count)))
        return false;
    error = moment_fit_solve(&fit, loss);
    if (!isfinite(error))
        return false;
    if (!loss_is_square(loss))
        while (keep_positive(&fit) > (error < exactness ? rows - 1 : rows / ROWS_PER_TERM)) {
            drop_term(&fit);
            error = moment_fit_solve(&fit, loss);
        }
    memset(coefficients, 0, search->problem->count * sizeof *coefficients);
    for (size_t k = 0; k < fit.problem.count; k++)
        coefficients[fit.terms[k]] = fit.coefficients[k];
    return true;
}

/* Whether rows were in these moments before; remembers them. */
static bool
was_tried(struct moments_search *search)
{
    uint64_t key = 0;

    for (size_t i = 0; i < search->problem->training->columns.rows; i++)
        key = splitmix(key + SPLITMIX_STEP * (1 + search->now[i]));
    for (size_t i = 0; i < search->tried_count; i++)
        if (search->tried[i] == key)
            return true;
    if (search->tried_count < MOMENTS_TRIED)
        search->tried[search->tried_count++] = key;
    return false;
}

/* From the rows' moments `now` on; `best` has that loss, and is replaced by what is better. */
static double
alternate(struct moments_search *search, const struct loss *loss, size_t count, struct moments *best, double least)
{
    size_t rows = search->problem->training->columns.rows;
    double before = INFINITY;

    for (size_t round = 0; round < MOST_ROUNDS; round++) {
        struct moments moments = {.count = count};
        double reached, ignored;

        if (was_tried(search))
            return least;
        for (size_t m = 0; m < count; m++)
            if (!fit_moment(search, loss, m, moments.coefficients[m]))
                return least;
        reached = loss_of_rows(search, loss, &moments);
        if (!(reached < before))
            return least;
        before = reached;
        if (reached < least) {
            least = reached;
            *best = moments;
        }
        for (size_t i = 0; i < rows; i++)
            if (search->now[i] != NOT_SEEN)
                search->now[i] = (unsigned char)greatest_moment(search->problem, &moments, i, &ignored);
    }
    return least;
}

/* ---- guesses ---- */

struct finalists {
    size_t count;
    double losses[FINALISTS];
    struct moments list[FINALISTS];
};

static void
enter(struct finalists *finalists, const struct moments *moments, double loss)
{
    size_t place = finalists->count;

    for (size_t i = 0; i < finalists->count; i++)
        if (finalists->losses[i] == loss) /* the same rows in the same moments */
            return;
    if (place == FINALISTS && !(loss < finalists->losses[--place]))
        return;
    for (; place > 0 && loss < finalists->losses[place - 1]; place--) {
        finalists->losses[place] = finalists->losses[place - 1];
        finalists->list[place] = finalists->list[place - 1];
    }
    finalists->losses[place] = loss;
    finalists->list[place] = *moments;
    finalists->count += finalists->count < FINALISTS;
}

/* Rows of one moment that lie above a quantile of a key become another. */
static void
guess(struct moments_search *search, size_t key, double quantile, size_t split, size_t fresh)
{
    const double *values = matrix_column(&search->keys, key);
    size_t rows = search->problem->training->columns.rows, count = 0;
    double limit;

    for (size_t i = 0; i < rows; i++)
        if (search->labels[i] == split)
            search->sorted[count++] = values[i];
    numbers_sort(search->sorted, count);
    limit = count > 0 ? search->sorted[(size_t)(quantile * (double)(count - 1))] : 0;
    for (size_t i = 0; i < rows; i++)
        search->now[i] = search->labels[i] == split && values[i] > limit ? (unsigned char)fresh : search->labels[i];
}

static void
relabel(struct moments_search *search, const struct moments *moments, unsigned char *labels)
{
    double ignored;

    for (size_t i = 0; i < search->problem->training->columns.rows; i++)
        if (labels[i] != NOT_SEEN)
            labels[i] = (unsigned char)greatest_moment(search->problem, moments, i, &ignored);
}

/* ---- rows that are met exactly ---- */

bool
moments_is_met(double predicted)
{
    return fabs(predicted - 1) < exactness;
}

bool
moments_meet(const struct moments_problem *problem, const struct moments *moments, size_t row)
{
    return moments_is_met(moments_predict(problem, moments, row));
}

/* Rows that are seen and met, less the coefficients that it took. */
static ptrdiff_t
witnesses(const struct moments_search *search, const struct moments *moments)
{
    ptrdiff_t met = 0;

    for (size_t i = 0; i < search->problem->training->columns.rows; i++)
        met += search->labels[i] != NOT_SEEN && moments_meet(search->problem, moments, i);
    return met - (ptrdiff_t)moments_numbers(search->problem, moments);
}

/*
 * One moment that meets more rows than chance would: a few rows with none of another moment among them tell it. False
 * if there is none.
 */
static bool
find_exact(struct moments_search *search, struct moments *best)
{
    struct moments moments = {.count = 1};
    ptrdiff_t most = MOMENTS_WITNESSES - 1;

    for (size_t key = 0; key < search->keys.columns; key++)
        for (size_t q = 0; q < sizeof quantiles / sizeof quantiles[0]; q++)
            for (size_t side = 0; side < 2; side++) {
                ptrdiff_t found;

                guess(search, key, quantiles[q], 0, 1);
                if (!fit_moment(search, &squares, side, moments.coefficients[0]))
                    continue;
                found = witnesses(search, &moments);
                if (found <= most)
                    continue;
                most = found;
                *best = moments;
            }
    return most >= MOMENTS_WITNESSES;
}

/* Rows that are not met become one more moment. */
static void
guess_unmet(struct moments_search *search, const struct moments *before)
{
    for (size_t i = 0; i < search->problem->training->columns.rows; i++)
        search->now[i] = search->labels[i] != NOT_SEEN && !moments_meet(search->problem, before, i)
                             ? (unsigned char)before->count
                             : search->labels[i];
}

/* One more moment than `before` has, if that is better: than `least`. */
static void
add_moment(struct moments_search *search, const struct moments *before, struct moments *best, double least)
{
    struct finalists finalists = {.count = 0};
    size_t count = before->count + 1;

    relabel(search, before, search->labels);
    search->tried_count = 0;
    for (size_t key = 0; key < search->keys.columns; key++)
        for (size_t q = 0; q < sizeof quantiles / sizeof quantiles[0]; q++)
            for (size_t split = 0; split < before->count; split++) {
                struct moments moments;
                double loss;

                guess(search, key, quantiles[q], split, before->count);
                loss = alternate(search, &squares, count, &moments, INFINITY);
                if (loss < INFINITY)
                    enter(&finalists, &moments, loss);
            }
    search->tried_count = 0;
    guess_unmet(search, before);
    least = alternate(search, &sizes, count, best, least);
    for (size_t i = 0; i < finalists.count; i++) {
        memcpy(search->now, search->labels, search->problem->training->columns.rows);
        relabel(search, &finalists.list[i], search->now);
        least = alternate(search, &sizes, count, best, least);
    }
}

/* One moment: that which meets many rows exactly, if there is one. */
static void
find_first(struct moments_search *search, struct moments *found)
{
    if (!find_exact(search, found)) {
        search->tried_count = 0;
        memcpy(search->now, search->labels, search->problem->training->columns.rows);
        alternate(search, &sizes, 1, found, INFINITY);
    }
}

void
moments_find(struct moments_search *search, const unsigned char *left_out, const struct moments *before,
             struct moments *found)
{
    double least;

    *found = (struct moments){.count = 0};
    for (size_t i = 0; i < search->problem->training->columns.rows; i++)
        search->now[i] = search->labels[i] = left_out && left_out[i] ? NOT_SEEN : 0;
    least = before && before->count > 0 ? loss_of_rows(search, &sizes, before) : 0;
    if (!before)
        find_first(search, found);
    else if (least > exactness)
        add_moment(search, before, found, least * (1 - gain));
}

/* ---- as an expression ---- */

static const double greatest_number = 0x1p40;
static const double rounding = 0x1p-38; /* share of what was measured that is no part of a coefficient */
static const double chance = 0x1p-5;    /* that a number has digits to spare which has none that mean anything */

enum { DIGITS = 9 }; /* of such a number */

/* A power of two: how many times greater coefficients are written. */
static double
scale_of(const struct moments_problem *problem, const struct moments *moments)
{
    double greatest = 0, scale = 1;

    for (size_t m = 0; m < moments->count; m++)
        for (size_t k = 0; k < problem->count; k++)
            greatest =
                fmax(greatest, ldexp(moments->coefficients[m][k], -problem->basis->exponents[problem->columns[k]]));
    while (greatest * scale > greatest_number)
        scale /= 2;
    while (greatest > 0 && greatest * scale < 1)
        scale *= 2;
    return scale;
}

/* By how much a coefficient may be wrong by rounding alone. */
static double
tolerance_of(const struct moments_problem *problem, size_t k)
{
    const struct basis *basis = problem->basis;
    const double *column = matrix_column(&basis->columns, problem->columns[k]);
    double greatest = 0;

    for (size_t i = 0; i < problem->training->columns.rows; i++)
        greatest = fmax(greatest, column[i] / basis->right_side[i]);
    return rounding / greatest;
}

/* Whether a coefficient says something of a row. */
static bool
matters(const struct moments_problem *problem, double coefficient, size_t k)
{
    const struct basis *basis = problem->basis;
    const double *column = matrix_column(&basis->columns, problem->columns[k]);

    for (size_t i = 0; i < problem->training->columns.rows; i++)
        if (coefficient * column[i] > nothing * basis->right_side[i])
            return true;
    return false;
}

size_t
moments_numbers(const struct moments_problem *problem, const struct moments *moments)
{
    size_t numbers = 0;

    for (size_t m = 0; m < moments->count; m++)
        for (size_t k = 0; k < problem->count; k++)
            numbers += matters(problem, moments->coefficients[m][k], k);
    return numbers;
}

unsigned
moments_nodes(const struct moments_problem *problem, const struct moments *moments)
{
    unsigned nodes = (unsigned)moments->count - 1;

    for (size_t m = 0; m < moments->count; m++) {
        uint16_t columns[MOMENTS_COLUMNS];
        size_t count = 0;

        for (size_t k = 0; k < problem->count; k++)
            if (matters(problem, moments->coefficients[m][k], k))
                columns[count++] = problem->columns[k];
        nodes += basis_sum_nodes(problem->basis, columns, count);
    }
    return nodes;
}

/*
 * A number that few digits to base two tell, such as a count of bytes, is written exactly, in any unit; any other one to nine
 * decimal digits, or as many as there is room for. False without room.
 */
static bool
write_number(double number, double tolerance, struct rational *exact)
{
    if (binary_near(number, tolerance, tolerance / chance, exact))
        return true;
    for (int digits = DIGITS; digits > 0; digits--)
        if (decimal_exact(decimal_rounded(number, digits), exact))
            return true;
    return false;
}

/* A moment; an expression below 0 is an error. */
static expression
express_moment(const struct moments_problem *problem, const double *coefficients, double scale)
{
    const struct basis *basis = problem->basis;
    expression sum = expression_integer(basis->pool, 0);

    for (size_t k = 0; k < problem->count && sum >= 0; k++) {
        size_t column = problem->columns[k];
        double unit = ldexp(scale, -basis->exponents[column]);
        struct rational number;

        if (!matters(problem, coefficients[k], k))
            continue;
        if (!write_number(coefficients[k] * unit, tolerance_of(problem, k) * unit, &number))
            return MEMMODEL_ERROR_OVERFLOW;
        sum = expression_add(basis->pool, sum,
                             expression_multiply(basis->pool,
                                                 expression_rational(basis->pool, number.numerator, number.denominator),
                                                 basis->terms[column]));
    }
    return sum;
}

expression
moments_express(const struct moments_problem *problem, const struct moments *moments, double *unit)
{
    double scale = scale_of(problem, moments);
    expression greatest = express_moment(problem, moments->coefficients[0], scale);

    for (size_t m = 1; m < moments->count && greatest >= 0; m++)
        greatest =
            expression_max(problem->basis->pool, greatest, express_moment(problem, moments->coefficients[m], scale));
    *unit = 1 / scale;
    return greatest;
}
