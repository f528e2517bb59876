/* Max-affine regression by alternating least squares. */
#include "regression/select/regimes.h"
#include "regression/linear/decimal.h"

#include "base/numbers.h"
#include "base/splitmix.h"

#include <math.h>
#include <string.h>

enum {
    MAX_ROWS = 256,
    MAX_INPUTS = 2,
    MIN_ROWS = 3, /* of a regime */
    ROWS_PER_TERM = 2,
    MAX_ROUNDS = 12,
    FINALISTS = 6, /* guesses that are refined by absolute errors */
    NOT_SEEN = 255,
};

static const double quantiles[] = {0.2, 0.35, 0.5, 0.65, 0.8};
static const double exactness = 1e-7; /* mean error of rows that are met, but for rounding */
static const double gain = 1e-6;      /* of the mean error, that makes another regime worth while */
static const double nothing = 1e-8;   /* share of what was measured that a coefficient may be left out for */

static const struct loss squares = {.kind = MEMMODEL_FIT_LOSS_RELATIVE, .unit = 1};
static const struct loss sizes = {.kind = MEMMODEL_FIT_LOSS_MAPE, .unit = 1};

/* ---- preparation ---- */

bool
regimes_may_be(const struct training *table, const struct basis *basis)
{
    return table->columns.rows <= MAX_ROWS && table->input_count <= MAX_INPUTS && basis->ends[0] > 1 &&
           basis->ends[0] <= REGIMES_COLUMNS;
}

/* Terms are without hinges, which would be regimes within regimes. */
int
regimes_search_new(struct workspace *workspace, const struct training *table, const struct basis *basis,
                   struct regimes_search *search)
{
    size_t rows = table->columns.rows, count = basis->ends[0];

    *search = (struct regimes_search){
        .table = table,
        .basis = basis,
        .count = count,
        .rows = rows_new(workspace, table, basis, &sizes, count),
        .keys = matrix_new(workspace, rows, count - 1),
        .sorted = workspace_take(workspace, rows, sizeof *search->sorted),
        .labels = workspace_take(workspace, rows, 1),
        .now = workspace_take(workspace, rows, 1),
    };
    for (size_t k = 1; !workspace->status && k < count; k++)
        for (size_t i = 0; i < rows; i++)
            matrix_column(&search->keys, k - 1)[i] = matrix_column(&basis->columns, k)[i] / basis->sqrt_weights[i];
    return workspace->status;
}

/* ---- a formula ---- */

static double
sum_of_regime(const struct regimes_search *search, const double *coefficients, size_t row)
{
    double sum = 0;

    for (size_t k = 0; k < search->count; k++)
        sum += coefficients[k] * matrix_column(&search->basis->columns, k)[row];
    return sum;
}

/* The regime that says most of the row, and what it says. */
static size_t
max_regime(const struct regimes_search *search, const struct regimes *regimes, size_t row, double *greatest)
{
    size_t place = 0;

    *greatest = -INFINITY;
    for (size_t m = 0; m < regimes->count; m++) {
        double sum = sum_of_regime(search, regimes->coefficients[m], row);

        if (sum > *greatest) {
            *greatest = sum;
            place = m;
        }
    }
    return place;
}

double
regimes_predict(const struct regimes_search *search, const struct regimes *regimes, size_t row)
{
    double greatest;

    max_regime(search, regimes, row, &greatest);
    return greatest / search->basis->response[row];
}

/* Mean loss of the rows that are seen. */
static double
loss_of_rows(const struct regimes_search *search, const struct loss *loss, const struct regimes *regimes)
{
    const struct training *table = search->table;
    double sum = 0, total = 0;

    for (size_t i = 0; i < table->columns.rows; i++) {
        if (search->now[i] == NOT_SEEN)
            continue;
        sum += table->weights[i] * loss_of(loss, 1, regimes_predict(search, regimes, i));
        total += table->weights[i];
    }
    return sum / total;
}

/* ---- from rows to regimes and back ---- */

/* A fit of a regime's rows by some of the terms. */
struct regime_fit {
    struct rows *rows;
    size_t count;
    uint16_t terms[REGIMES_COLUMNS];
    double coefficients[REGIMES_COLUMNS];
};

static double
regime_fit_solve(struct regime_fit *fit, const struct loss *loss)
{
    return rows_solve(fit->rows, loss, fit->terms, fit->count, fit->coefficients);
}

/* Whether a term times its coefficient is more than rounding, anywhere. */
static bool
has_part(double coefficient, const double *column, const double *response, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (coefficient * column[i] > nothing * response[i])
            return true;
    return false;
}

/* Takes out the terms that have no part; returns how many have one. */
static size_t
keep_positive(struct regime_fit *fit)
{
    const struct rows *rows = fit->rows;
    size_t kept = 0;

    for (size_t k = 0; k < fit->count; k++)
        if (has_part(fit->coefficients[k], matrix_column(&rows->columns, fit->terms[k]), rows->response,
                     rows->columns.rows)) {
            fit->coefficients[kept] = fit->coefficients[k];
            fit->terms[kept++] = fit->terms[k];
        }
    return fit->count = kept;
}

/* Takes out the term that is missed least. */
static void
drop_term(struct regime_fit *fit)
{
    struct regime_fit least = *fit;
    double min_error = INFINITY;

    for (size_t k = 0; k < fit->count; k++) {
        struct regime_fit without = *fit;
        double error;

        without.terms[k] = without.terms[--without.count];
        error = regime_fit_solve(&without, &squares);
        if (error < min_error) {
            min_error = error;
            least = without;
        }
    }
    *fit = least;
}

/* Coefficients of a regime by its rows; false if these are too few. */
static bool
fit_regime(struct regimes_search *search, const struct loss *loss, size_t regime, double *coefficients)
{
    struct regime_fit fit = {.rows = &search->rows, .count = search->count};
    size_t rows;
    double error;

    rows_take(fit.rows, search->now, (unsigned)regime, true);
    rows = fit.rows->columns.rows;
    if (rows < MIN_ROWS || context_spend(search->table->context, matrix_work(rows, fit.count)))
        return false;
    for (size_t k = 0; k < fit.count; k++)
        fit.terms[k] = (uint16_t)k;
    error = regime_fit_solve(&fit, loss);
    if (!isfinite(error))
        return false;
    if (!loss_is_square(loss))
        while (keep_positive(&fit) > (error < exactness ? rows - 1 : rows / ROWS_PER_TERM)) {
            drop_term(&fit);
            error = regime_fit_solve(&fit, loss);
        }
    memset(coefficients, 0, search->count * sizeof *coefficients);
    for (size_t k = 0; k < fit.count; k++)
        coefficients[fit.terms[k]] = fit.coefficients[k];
    return true;
}

/* Whether rows were in these regimes before; remembers them. */
static bool
was_tried(struct regimes_search *search)
{
    uint64_t key = 0;

    for (size_t i = 0; i < search->table->columns.rows; i++)
        key = splitmix(key + SPLITMIX_STEP * (1 + search->now[i]));
    for (size_t i = 0; i < search->tried_count; i++)
        if (search->tried[i] == key)
            return true;
    if (search->tried_count < REGIMES_TRIED)
        search->tried[search->tried_count++] = key;
    return false;
}

/* From the rows' regimes `now` on; `best` has that loss, and is replaced by what is better. */
static double
alternate(struct regimes_search *search, const struct loss *loss, size_t count, struct regimes *best, double least)
{
    size_t rows = search->table->columns.rows;
    double before = INFINITY;

    for (size_t round = 0; round < MAX_ROUNDS; round++) {
        struct regimes regimes = {.count = count};
        double reached, ignored;

        if (was_tried(search))
            return least;
        for (size_t m = 0; m < count; m++)
            if (!fit_regime(search, loss, m, regimes.coefficients[m]))
                return least;
        reached = loss_of_rows(search, loss, &regimes);
        if (!(reached < before))
            return least;
        before = reached;
        if (reached < least) {
            least = reached;
            *best = regimes;
        }
        for (size_t i = 0; i < rows; i++)
            if (search->now[i] != NOT_SEEN)
                search->now[i] = (unsigned char)max_regime(search, &regimes, i, &ignored);
    }
    return least;
}

/* ---- guesses ---- */

struct finalists {
    size_t count;
    double losses[FINALISTS];
    struct regimes list[FINALISTS];
};

static void
enter(struct finalists *finalists, const struct regimes *regimes, double loss)
{
    size_t place = finalists->count;

    for (size_t i = 0; i < finalists->count; i++)
        if (finalists->losses[i] == loss) /* the same rows in the same regimes */
            return;
    if (place == FINALISTS && !(loss < finalists->losses[--place]))
        return;
    for (; place > 0 && loss < finalists->losses[place - 1]; place--) {
        finalists->losses[place] = finalists->losses[place - 1];
        finalists->list[place] = finalists->list[place - 1];
    }
    finalists->losses[place] = loss;
    finalists->list[place] = *regimes;
    finalists->count += finalists->count < FINALISTS;
}

/* Rows of one regime that lie above a quantile of a key become another. */
static void
guess(struct regimes_search *search, size_t key, double quantile, size_t split, size_t fresh)
{
    const double *values = matrix_column(&search->keys, key);
    size_t rows = search->table->columns.rows, count = 0;
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
relabel(struct regimes_search *search, const struct regimes *regimes, unsigned char *labels)
{
    double ignored;

    for (size_t i = 0; i < search->table->columns.rows; i++)
        if (labels[i] != NOT_SEEN)
            labels[i] = (unsigned char)max_regime(search, regimes, i, &ignored);
}

/* ---- rows that are met exactly ---- */

bool
regimes_is_met(double predicted)
{
    return fabs(predicted - 1) < exactness;
}

static bool
regimes_meet(const struct regimes_search *search, const struct regimes *regimes, size_t row)
{
    return regimes_is_met(regimes_predict(search, regimes, row));
}

/* Rows that are seen and met, less the coefficients that it took. */
static ptrdiff_t
witnesses(const struct regimes_search *search, const struct regimes *regimes)
{
    ptrdiff_t met = 0;

    for (size_t i = 0; i < search->table->columns.rows; i++)
        met += search->labels[i] != NOT_SEEN && regimes_meet(search, regimes, i);
    return met - (ptrdiff_t)regimes_numbers(search, regimes);
}

/*
 * One regime that meets more rows than chance would: a few rows with none of another regime among them determine it. False
 * if there is none.
 */
static bool
find_exact(struct regimes_search *search, struct regimes *best)
{
    struct regimes regimes = {.count = 1};
    ptrdiff_t most = REGIMES_WITNESSES - 1;

    for (size_t key = 0; key < search->keys.columns; key++)
        for (size_t q = 0; q < sizeof quantiles / sizeof quantiles[0]; q++)
            for (size_t side = 0; side < 2; side++) {
                ptrdiff_t found;

                guess(search, key, quantiles[q], 0, 1);
                if (!fit_regime(search, &squares, side, regimes.coefficients[0]))
                    continue;
                found = witnesses(search, &regimes);
                if (found <= most)
                    continue;
                most = found;
                *best = regimes;
            }
    return most >= REGIMES_WITNESSES;
}

/* One more regime than `before` has, if that is better: than `least`. */
static void
add_regime(struct regimes_search *search, const struct regimes *before, struct regimes *best, double least)
{
    struct finalists finalists = {.count = 0};
    size_t count = before->count + 1;

    relabel(search, before, search->labels);
    search->tried_count = 0;
    for (size_t key = 0; key < search->keys.columns; key++)
        for (size_t q = 0; q < sizeof quantiles / sizeof quantiles[0]; q++)
            for (size_t split = 0; split < before->count; split++) {
                struct regimes regimes;
                double loss;

                guess(search, key, quantiles[q], split, before->count);
                loss = alternate(search, &squares, count, &regimes, INFINITY);
                if (loss < INFINITY)
                    enter(&finalists, &regimes, loss);
            }
    search->tried_count = 0;
    for (size_t i = 0; i < finalists.count; i++) {
        memcpy(search->now, search->labels, search->table->columns.rows);
        relabel(search, &finalists.list[i], search->now);
        least = alternate(search, &sizes, count, best, least);
    }
}

/* One regime: that which meets many rows exactly, if there is one. */
static void
find_first(struct regimes_search *search, struct regimes *found)
{
    if (!find_exact(search, found)) {
        search->tried_count = 0;
        memcpy(search->now, search->labels, search->table->columns.rows);
        alternate(search, &sizes, 1, found, INFINITY);
    }
}

void
regimes_find(struct regimes_search *search, const unsigned char *folds, unsigned fold, const struct regimes *before,
             struct regimes *found)
{
    double least;

    *found = (struct regimes){.count = 0};
    for (size_t i = 0; i < search->table->columns.rows; i++)
        search->now[i] = search->labels[i] = folds[i] == fold ? NOT_SEEN : 0;
    least = before && before->count > 0 ? loss_of_rows(search, &sizes, before) : 0;
    if (!before)
        find_first(search, found);
    else if (least > exactness)
        add_regime(search, before, found, least * (1 - gain));
}

/* ---- as an expression ---- */

static const double max_scaled_number = 0x1p40;
static const double rounding = 0x1p-38; /* share of what was measured that is no part of a coefficient */
static const double chance = 0x1p-5;    /* that a number has digits to spare which has none that mean anything */

enum { DIGITS = 9 }; /* of such a number */

/* A power of two: how many times greater coefficients are written. */
static double
scale_of(const struct regimes_search *search, const struct regimes *regimes)
{
    double greatest = 0, scale = 1;

    for (size_t m = 0; m < regimes->count; m++)
        for (size_t k = 0; k < search->count; k++)
            greatest = fmax(greatest, ldexp(regimes->coefficients[m][k], -search->basis->exponents[k]));
    while (greatest * scale > max_scaled_number)
        scale /= 2;
    while (greatest > 0 && greatest * scale < 1)
        scale *= 2;
    return scale;
}

/* By how much a coefficient may be wrong by rounding alone. */
static double
tolerance_of(const struct regimes_search *search, size_t k)
{
    const struct basis *basis = search->basis;
    const double *column = matrix_column(&basis->columns, k);
    double greatest = 0;

    for (size_t i = 0; i < search->table->columns.rows; i++)
        greatest = fmax(greatest, column[i] / basis->response[i]);
    return rounding / greatest;
}

static bool
matters(const struct regimes_search *search, double coefficient, size_t k)
{
    return has_part(coefficient, matrix_column(&search->basis->columns, k), search->basis->response,
                    search->table->columns.rows);
}

bool
regimes_are_exact(const struct regimes_search *search, const struct regimes *regimes)
{
    size_t met = 0;

    for (size_t i = 0; i < search->table->columns.rows; i++)
        met += regimes_meet(search, regimes, i);
    return met >= regimes_numbers(search, regimes) + REGIMES_WITNESSES;
}

size_t
regimes_numbers(const struct regimes_search *search, const struct regimes *regimes)
{
    size_t numbers = 0;

    for (size_t m = 0; m < regimes->count; m++)
        for (size_t k = 0; k < search->count; k++)
            numbers += matters(search, regimes->coefficients[m][k], k);
    return numbers;
}

unsigned
regimes_nodes(const struct regimes_search *search, const struct regimes *regimes)
{
    unsigned nodes = (unsigned)regimes->count - 1;

    for (size_t m = 0; m < regimes->count; m++) {
        uint16_t columns[REGIMES_COLUMNS];
        size_t count = 0;

        for (size_t k = 0; k < search->count; k++)
            if (matters(search, regimes->coefficients[m][k], k))
                columns[count++] = (uint16_t)k;
        nodes += basis_sum_nodes(search->basis, columns, count);
    }
    return nodes;
}

/*
 * A number that few digits to base two can write, such as a count of bytes, is written exactly, in any unit; any
 * other one to nine decimal digits, or as many as there is room for. False without room.
 */
static bool
write_number(double number, double tolerance, struct rational *exact)
{
    return binary_near(number, tolerance, tolerance / chance, exact) || decimal_near(number, DIGITS, exact);
}

/* A regime; an expression below 0 is an error. */
static expression
express_regime(const struct regimes_search *search, const double *coefficients, double scale)
{
    const struct basis *basis = search->basis;
    expression sum = expression_integer(basis->pool, 0);

    for (size_t k = 0; k < search->count && sum >= 0; k++) {
        double unit = ldexp(scale, -basis->exponents[k]);
        struct rational number;

        if (!matters(search, coefficients[k], k))
            continue;
        if (!write_number(coefficients[k] * unit, tolerance_of(search, k) * unit, &number))
            return MEMMODEL_ERROR_OVERFLOW;
        sum = expression_add(basis->pool, sum,
                             expression_multiply(basis->pool,
                                                 expression_rational(basis->pool, number.numerator, number.denominator),
                                                 basis->terms[k]));
    }
    return sum;
}

expression
regimes_express(const struct regimes_search *search, const struct regimes *regimes, double *unit)
{
    double scale = scale_of(search, regimes);
    expression greatest = express_regime(search, regimes->coefficients[0], scale);

    for (size_t m = 1; m < regimes->count && greatest >= 0; m++)
        greatest =
            expression_max(search->basis->pool, greatest, express_regime(search, regimes->coefficients[m], scale));
    *unit = 1 / scale;
    return greatest;
}
