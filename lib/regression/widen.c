/* How unsure a prediction outside the training data is. */
#include "regression/widen.h"
#include "regression/bound.h"
#include "regression/decimal.h"

#include <math.h>
#include <string.h>

/* ---- which terms ---- */

static bool
is_listed(const struct wide_list *list, size_t column)
{
    for (size_t k = 0; k < list->count; k++)
        if (list->columns[k] == column)
            return true;
    return false;
}

void
widen_add(struct wide_list *list, size_t column)
{
    if (list->count < MODEL_MOST_WIDE_TERMS && !is_listed(list, column))
        list->columns[list->count++] = column;
}

enum { TERMS_AT_ONCE = 32 };

/* The growth of terms `first` to first + count - 1, given a program of them. */
static void
measure_growth(const struct expression_program *program, const double *point, size_t first, size_t count,
               struct matrix *growth)
{
    double before[TERMS_AT_ONCE], after[TERMS_AT_ONCE], moved[MODEL_MOST_INPUTS];

    memcpy(moved, point, growth->rows * sizeof *moved);
    expression_program_run(program, point, before);
    for (size_t i = 0; i < growth->rows; i++) {
        moved[i] = 2 * point[i];
        expression_program_run(program, moved, after);
        moved[i] = point[i];
        for (size_t k = 0; k < count; k++)
            matrix_column(growth, first + k)[i] = after[k] / before[k];
    }
}

/* Column j: how many times term j becomes greater where each input is twice what it is at the point. */
static int
find_growth(const struct basis *basis, const double *point, struct matrix *growth)
{
    for (size_t first = 0; first < basis->count; first += TERMS_AT_ONCE) {
        size_t count = basis->count - first < TERMS_AT_ONCE ? basis->count - first : TERMS_AT_ONCE;
        struct expression_program *program;
        int status = expression_compile(basis->pool, basis->terms + first, count, &program);

        if (status)
            return status;
        measure_growth(program, point, first, count, growth);
        expression_program_free(program);
    }
    return 0;
}

/* false for growth that is NaN */
static bool
grows_no_faster(const double *growth, const double *most, double slack, size_t inputs)
{
    for (size_t i = 0; i < inputs; i++)
        if (!(growth[i] <= most[i] * slack))
            return false;
    return true;
}

/* The growth of the fastest on the list, or of the input itself. */
static void
find_most(const struct wide_list *list, const struct matrix *growth, double *most)
{
    for (size_t i = 0; i < growth->rows; i++)
        most[i] = 2;
    for (size_t k = 0; k < list->count; k++)
        for (size_t i = 0; i < growth->rows; i++)
            most[i] = fmax(most[i], matrix_column(growth, list->columns[k])[i]);
}

static unsigned
longest_simple(const struct basis *basis)
{
    unsigned longest = 0;

    for (size_t j = 0; j < basis->count; j++)
        if (basis->plain[j] && basis->sizes[j] > longest)
            longest = basis->sizes[j];
    return longest;
}

static void
add_simple(struct wide_list *list, const struct wide_list *found, double slack, const struct basis *basis,
           const struct matrix *growth)
{
    double most[MODEL_MOST_INPUTS];
    unsigned longest = longest_simple(basis);

    find_most(found, growth, most);
    for (unsigned size = 1; size <= longest; size++)
        for (size_t j = 0; j < basis->count; j++)
            if (basis->plain[j] && basis->sizes[j] == size &&
                grows_no_faster(matrix_column(growth, j), most, slack, growth->rows))
                widen_add(list, j);
}

int
widen_add_simple(struct wide_list *list, const struct wide_list *found, double slack, memmodel_context *context,
                 const struct basis *basis, const double *point, size_t inputs)
{
    struct matrix growth;
    int status = matrix_new(context, inputs, basis->count, &growth);

    if (!status)
        status = find_growth(basis, point, &growth);
    if (!status)
        add_simple(list, found, slack, basis, &growth);
    matrix_release(&growth);
    return status;
}

/* ---- their leverage ---- */

/* A column with a row below it for what is known of its coefficient; false if it depends on those before it. */
static bool
append(struct qr *qr, const double *column, size_t count, const struct wide_rows *rows, double *extended)
{
    double greatest = 0;

    memset(extended, 0, qr->q.rows * sizeof *extended);
    for (size_t i = 0; i < count; i++) {
        extended[i] = rows->roots ? column[i] * rows->roots[i] : column[i];
        greatest = fmax(greatest, fabs(extended[i]));
    }
    extended[count + qr->count] = rows->error * greatest;
    return qr_append(qr, extended);
}

static void
fill_leverages(const struct qr *qr, size_t rows, double *leverages)
{
    for (size_t i = 0; i < rows; i++) {
        leverages[i] = 0;
        for (size_t k = 0; k < qr->count; k++)
            leverages[i] += matrix_column(&qr->q, k)[i] * matrix_column(&qr->q, k)[i];
    }
}

/* ---- the plane ---- */

static const double least_left = 0.05; /* of 1 - leverage */

/* Measured less its mean, with the factors of the rows: what the constant is, a rise does not depend on. */
static void
fill_aims(const struct wide_rows *rows, size_t count, double *aims)
{
    double mean = 0;

    for (size_t i = 0; i < count; i++)
        mean += rows->measured[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        aims[i] = rows->roots[i] * (rows->measured[i] - mean);
}

/* Root of the mean squared error of rows left out, each less the share of its leverage: see bound.c. */
static double
plane_sigma(const struct qr *qr, const double *aims, size_t rows)
{
    double along[MODEL_MOST_WIDE_TERMS], squares = 0;

    for (size_t k = 0; k < qr->count; k++)
        along[k] = vector_dot(rows, matrix_column(&qr->q, k), aims);
    for (size_t i = 0; i < rows; i++) {
        double residual = aims[i], left = 1;

        for (size_t k = 0; k < qr->count; k++) {
            double q = matrix_column(&qr->q, k)[i];

            residual -= along[k] * q;
            left -= q * q;
        }
        squares += residual * residual / fmax(left, least_left);
    }
    return sqrt(squares / (double)rows);
}

/* `aims` has room for the rows of the factors, and those below the rows of the basis are about 0. */
static void
lay_plane(struct model_wide *wide, const struct qr *qr, const int *exponents, const struct wide_rows *rows,
          size_t count, double *aims)
{
    memset(aims, 0, qr->q.rows * sizeof *aims);
    fill_aims(rows, count, aims);
    qr_solve(qr, aims, wide->coefficients);
    for (size_t k = 0; k < wide->term_count; k++)
        wide->coefficients[k] = decimal_shortened(ldexp(wide->coefficients[k], -exponents[k]));
    wide->sigma = plane_sigma(qr, aims, count);
}

/* Fewer digits in the file; in other units they are others. */
static void
shorten_leverage(struct model_wide *wide)
{
    for (size_t k = 0; k < wide->term_count * (wide->term_count + 1) / 2; k++)
        wide->leverage[k] = decimal_shortened(wide->leverage[k]);
}

static int
fill(memmodel_model *model, struct model_wide *wide, const struct basis *basis, const struct wide_list *list,
     const struct wide_rows *rows, struct qr *qr, double *extended)
{
    int exponents[MODEL_MOST_WIDE_TERMS], status;
    size_t count = basis->columns.rows;

    wide->term_count = 0;
    for (size_t k = 0; k < list->count; k++) {
        size_t column = list->columns[k];
        expression term;

        if (!append(qr, matrix_column(&basis->columns, column), count, rows, extended))
            continue;
        term = expression_copy_assuming(basis->pool, basis->terms[column], model->pool, NULL, NULL, 0);
        if (term < 0)
            return term;
        exponents[wide->term_count] = basis->exponents[column];
        wide->terms[wide->term_count++] = term;
    }
    status = model_allocate_wide(model, wide, wide->term_count, rows->measured);
    if (status)
        return status;
    bound_fill_leverage(wide->leverage, qr, exponents);
    if (rows->leverages)
        fill_leverages(qr, count, rows->leverages);
    else
        shorten_leverage(wide);
    if (rows->measured)
        lay_plane(wide, qr, exponents, rows, count, extended);
    return 0;
}

int
widen_fill(memmodel_model *model, struct model_wide *wide, const struct basis *basis, const struct wide_list *list,
           const struct wide_rows *rows)
{
    size_t extended_rows = basis->columns.rows + list->count;
    struct qr qr;
    double *extended;
    int status = qr_new(model->context, extended_rows, list->count, &qr);

    if (!status) {
        extended = memory_allocate_zeroed(model->context, extended_rows, sizeof *extended);
        status = extended ? fill(model, wide, basis, list, rows, &qr, extended) : MEMMODEL_ERROR_NO_MEMORY;
        memory_release(model->context, extended);
    }
    qr_release(&qr);
    return status;
}
