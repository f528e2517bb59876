/* Iteratively reweighted least squares, and vertices. */
#include "regression/linear/irls.h"

#include <math.h>
#include <string.h>

enum {
    MAX_STEPS = 60,
    PATIENCE = 4, /* steps that gain nothing */
    MAX_COLUMNS = LAD_MAX,
};

static const double gain = 1e-10; /* relative, that counts as one */

struct irls
irls_new(struct workspace *workspace, size_t rows, size_t columns)
{
    return (struct irls){
        .qr = qr_new(workspace, rows, columns),
        .nnls = nnls_new(workspace, rows, columns),
        .scaled = matrix_new(workspace, rows, columns),
        .response = workspace_take(workspace, rows, sizeof(double)),
        .predictions = workspace_take(workspace, rows, sizeof(double)),
        .left_out = workspace_take(workspace, rows, 1),
        .lad = lad_new(workspace, rows),
        .above = workspace_take(workspace, rows, sizeof(double)),
        .below = workspace_take(workspace, rows, sizeof(double)),
    };
}

/* ---- predictions ---- */

static double
sum_of(const struct irls_problem *problem, const double *coefficients, size_t row)
{
    double sum = 0;

    for (size_t k = 0; k < problem->count; k++)
        sum += coefficients[k] * problem->columns[k][row];
    return sum / problem->sqrt_weights[row];
}

/* Mean loss of the rows that count. */
static double
mean_loss(struct irls *work, const struct irls_problem *problem, const double *coefficients)
{
    double losses = 0, total = 0;

    for (size_t i = 0; i < problem->rows; i++) {
        double weight = work->left_out[i] ? 0 : problem->weights[i];

        work->predictions[i] = sum_of(problem, coefficients, i);
        losses += weight * loss_of(problem->loss, problem->measured[i], work->predictions[i]);
        total += weight;
    }
    return losses / total;
}

/* ---- steps ---- */

/* Multiplies the rows: by 1 the first time, then by what the last predictions make of them. */
static void
scale_rows(struct irls *work, const struct irls_problem *problem, bool first)
{
    for (size_t i = 0; i < problem->rows; i++) {
        double factor = 1;

        if (work->left_out[i])
            factor = 0;
        else if (!first)
            factor = sqrt(problem->weights[i] * loss_weight(problem->measured[i], work->predictions[i])) /
                     problem->sqrt_weights[i];
        work->response[i] = factor * problem->response[i];
        for (size_t k = 0; k < problem->count; k++)
            matrix_column(&work->scaled, k)[i] = factor * problem->columns[k][i];
    }
}

/* A column that depends on those before it has the coefficient 0. */
static void
solve(struct irls *work, const struct irls_problem *problem, double *coefficients)
{
    const double *columns[MAX_COLUMNS];
    size_t taken[MAX_COLUMNS];
    double solution[MAX_COLUMNS];

    for (size_t k = 0; k < problem->count; k++) {
        columns[k] = matrix_column(&work->scaled, k);
        coefficients[k] = 0;
    }
    if (problem->positive) {
        nnls_solve(&work->nnls, problem->rows, columns, problem->count, work->response, coefficients);
        return;
    }
    work->qr.count = 0;
    for (size_t k = 0; k < problem->count; k++)
        if (qr_append(&work->qr, columns[k]))
            taken[work->qr.count - 1] = k;
    qr_solve(&work->qr, work->response, solution);
    for (size_t j = 0; j < work->qr.count; j++)
        coefficients[taken[j]] = solution[j];
}

static void
set_shape(struct irls *work, const struct irls_problem *problem)
{
    work->scaled.rows = work->qr.q.rows = problem->rows;
}

/* ---- vertices ---- */

/*
 * Linear losses of a sum of terms are least where as many rows are met as there are coefficients. Reweighted least
 * squares only comes near such a vertex, and which one depends on where it began; this finds it.
 */
static void
find_vertex(struct irls *work, const struct irls_problem *problem, double *coefficients)
{
    const double *columns[MAX_COLUMNS];
    struct lad_problem lad = {.count = problem->count,
                              .columns = columns,
                              .response = work->response,
                              .above = work->above,
                              .below = work->below,
                              .positive = problem->positive};

    for (size_t k = 0; k < problem->count; k++)
        columns[k] = matrix_column(&work->scaled, k);
    for (size_t i = 0; i < problem->rows; i++) {
        double scale = loss_scale(problem->loss, problem->measured[i]);

        if (work->left_out[i])
            continue;
        for (size_t k = 0; k < problem->count; k++)
            matrix_column(&work->scaled, k)[lad.rows] = problem->columns[k][i] / (problem->sqrt_weights[i] * scale);
        work->response[lad.rows] = problem->measured[i] / scale;
        work->above[lad.rows] = problem->weights[i] * loss_of(problem->loss, scale, 0);
        work->below[lad.rows++] = problem->weights[i] * loss_of(problem->loss, scale, 2 * scale);
    }
    lad_fit(&work->lad, &lad, coefficients);
}

/* Steps of log ratios from `best` on, which has that loss and is replaced by what is better. */
static double
improve(struct irls *work, const struct irls_problem *problem, double *best, double best_loss)
{
    double coefficients[MAX_COLUMNS], loss = best_loss;
    size_t idle = 0;

    for (size_t step = 0; step < MAX_STEPS && idle < PATIENCE && loss > 0; step++) {
        scale_rows(work, problem, false);
        solve(work, problem, coefficients);
        loss = mean_loss(work, problem, coefficients);
        if (!isfinite(loss))
            break;
        idle = loss < best_loss * (1 - gain) ? 0 : idle + 1;
        if (loss >= best_loss)
            continue;
        memcpy(best, coefficients, problem->count * sizeof *best);
        best_loss = loss;
    }
    return best_loss;
}

/* The fit of the rows that are not left out. */
static double
fit_rows(struct irls *work, const struct irls_problem *problem, double *coefficients)
{
    double loss;

    if (loss_is_linear(problem->loss)) {
        find_vertex(work, problem, coefficients);
        return mean_loss(work, problem, coefficients);
    }
    scale_rows(work, problem, true);
    solve(work, problem, coefficients);
    loss = mean_loss(work, problem, coefficients);
    if (loss_is_square(problem->loss) || !isfinite(loss))
        return loss;
    return improve(work, problem, coefficients, loss);
}

double
irls_fit(struct irls *work, const struct irls_problem *problem, double *coefficients)
{
    set_shape(work, problem);
    memset(work->left_out, 0, problem->rows);
    return fit_rows(work, problem, coefficients);
}

void
irls_leave_out(struct irls *work, const struct irls_problem *problem, const size_t *parts, size_t part_count,
               double *predictions)
{
    double without[MAX_COLUMNS];

    set_shape(work, problem);
    for (size_t part = 0; part < part_count; part++) {
        for (size_t i = 0; i < problem->rows; i++)
            work->left_out[i] = (parts ? parts[i] : i) % part_count == part;
        fit_rows(work, problem, without);
        for (size_t i = 0; i < problem->rows; i++)
            if (work->left_out[i])
                predictions[i] = sum_of(problem, without, i);
    }
    memset(work->left_out, 0, problem->rows);
}
