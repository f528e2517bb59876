/* Least squares with coefficients that are not negative: Lawson and Hanson's active set method on QR. */
#include "regression/linear/nnls.h"

#include <math.h>
#include <string.h>

static const double gradient_tolerance =
    1e-12; /* of |column| |right side|: below it, a column has nothing left to gain */

enum column_state { HELD, FREE, REFUSED };

struct nnls
nnls_new(struct workspace *workspace, size_t rows, size_t columns)
{
    return (struct nnls){
        .qr = qr_new(workspace, rows, columns),
        .numbers = workspace_take(workspace, rows + 2 * columns + 2, sizeof(double)),
        .free_columns = workspace_take(workspace, columns + 1, sizeof(size_t)),
        .states = workspace_take(workspace, columns + 1, 1),
    };
}

/* One problem being solved. */
struct problem {
    struct nnls *nnls;
    size_t rows, count;
    const double *const *columns;
    const double *response;
    double *solution, *norms; /* of every column */
    double size;              /* of the right side */
};

static void
residual(const struct problem *problem, double *left)
{
    memcpy(left, problem->response, problem->rows * sizeof *left);
    for (size_t j = 0; j < problem->count; j++)
        if (problem->solution[j] > 0)
            vector_add_scaled(problem->rows, left, -problem->solution[j], problem->columns[j]);
}

/* The held column along which the error falls fastest, the first of equals; `count` if it falls along none. */
static size_t
steepest_column(const struct problem *problem, double *left)
{
    double greatest = gradient_tolerance * problem->size;
    size_t steepest = problem->count;

    residual(problem, left);
    for (size_t j = 0; j < problem->count; j++) {
        double slope;

        if (problem->nnls->states[j] != HELD)
            continue;
        slope = vector_dot(problem->rows, problem->columns[j], left);
        if (slope > greatest * problem->norms[j]) {
            greatest = slope / problem->norms[j];
            steepest = j;
        }
    }
    return steepest;
}

/* false, and the column refused, if it depends on the free ones or wants to be negative beside them: rounding, both */
static bool
free_column(const struct problem *problem, size_t column, double *wanted)
{
    struct nnls *nnls = problem->nnls;
    struct qr *qr = &nnls->qr;

    nnls->states[column] = REFUSED;
    if (!qr_append(qr, problem->columns[column]))
        return false;
    qr_solve(qr, problem->response, wanted);
    if (wanted[qr->count - 1] <= 0) {
        qr->count--;
        return false;
    }
    nnls->states[column] = FREE;
    nnls->free_columns[qr->count - 1] = column;
    return true;
}

/* Holds every free column whose coefficient has come down to 0, and factorises the others again. */
static void
hold_zeros(const struct problem *problem)
{
    struct nnls *nnls = problem->nnls;
    size_t count = nnls->qr.count;

    nnls->qr.count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t column = nnls->free_columns[i];

        if (problem->solution[column] > 0 && qr_append(&nnls->qr, problem->columns[column])) {
            nnls->free_columns[nnls->qr.count - 1] = column;
        } else {
            problem->solution[column] = 0;
            nnls->states[column] = HELD;
        }
    }
}

/* How far from the solution towards `wanted` all coefficients stay >= 0, and the column that meets 0 there. */
static double
longest_step(const struct problem *problem, const double *wanted, size_t *blocking)
{
    double step = 1;

    for (size_t i = 0; i < problem->nnls->qr.count; i++) {
        double now = problem->solution[problem->nnls->free_columns[i]];

        if (wanted[i] <= 0 && now < step * (now - wanted[i])) {
            step = now / (now - wanted[i]);
            *blocking = problem->nnls->free_columns[i];
        }
    }
    return step;
}

/* Moves the free coefficients to `wanted`, as far as none turns negative; holds those that would, and goes on. */
static void
settle(const struct problem *problem, double *wanted)
{
    const struct nnls *nnls = problem->nnls;

    for (;;) {
        size_t blocking = problem->count;
        double step = longest_step(problem, wanted, &blocking);

        for (size_t i = 0; i < nnls->qr.count; i++) {
            double *coefficient = &problem->solution[nnls->free_columns[i]];

            *coefficient = step < 1 ? *coefficient + step * (wanted[i] - *coefficient) : wanted[i];
        }
        if (blocking == problem->count)
            return;
        problem->solution[blocking] = 0;
        hold_zeros(problem);
        qr_solve(&nnls->qr, problem->response, wanted);
    }
}

static void
reconsider_refused(const struct problem *problem)
{
    for (size_t j = 0; j < problem->count; j++)
        if (problem->nnls->states[j] == REFUSED)
            problem->nnls->states[j] = HELD;
}

void
nnls_solve(struct nnls *nnls, size_t rows, const double *const *columns, size_t count, const double *response,
           double *solution)
{
    double *left = nnls->numbers, *wanted = left + rows;
    struct problem problem = {nnls, rows, count, columns, response, solution, wanted + count + 1, 0};

    nnls->qr.count = 0;
    nnls->qr.q.rows = rows;
    memset(nnls->states, HELD, count);
    memset(solution, 0, count * sizeof *solution);
    problem.size = sqrt(vector_dot(rows, response, response));
    for (size_t j = 0; j < count; j++)
        problem.norms[j] = sqrt(vector_dot(rows, columns[j], columns[j]));
    for (size_t iteration = 0; iteration < 3 * count + 1; iteration++) {
        if (context_spend(nnls->qr.q.context, matrix_work(rows, count)))
            return;
        size_t column = steepest_column(&problem, left);

        if (column == count)
            return;
        if (free_column(&problem, column, wanted)) {
            settle(&problem, wanted);
            reconsider_refused(&problem);
        }
    }
}
