/* Least absolute errors by the simplex method. */
#include "regression/linear/lad.h"

#include <math.h>
#include <string.h>

enum { STEPS = 64, STEPS_PER_COLUMN = 16, REFINEMENTS = 2 };

static const double min_slope = 1e-11; /* share of the steepest possible one that counts as none */
static const double min_along = 1e-10; /* share of a row's greatest possible change that counts as none */

/*
 * Aims are moved by shares of this, so that no more rows are met at once than there are coefficients: where more are,
 * as with measurements that are the same in every run, there may be no better edge though the vertex is not the best
 * one.
 */
static const double shift = 0x1p-33;

/* A row that changes its side, or a coefficient that gets 0, so far along an edge. */
struct crossing {
    double distance, gain; /* gain: how much less the sum falls from there on */
    size_t constraint;
};

/*
 * A vertex: as many constraints hold as there are coefficients. Constraint i < rows: row i is met; rows + k:
 * coefficient k is 0.
 */
struct state {
    const struct lad_problem *problem;
    struct lad *work;
    size_t held[LAD_MAX];
    bool at_zero[LAD_MAX];             /* of every coefficient */
    double edges[LAD_MAX][LAD_MAX];    /* edge l leaves constraint l, by 1 */
    double x[LAD_MAX], sizes[LAD_MAX]; /* sizes: of every column */
    double price;                      /* of all rows */
};

struct lad
lad_new(struct workspace *workspace, size_t rows)
{
    return (struct lad){
        .context = workspace->arena.context,
        .residuals = workspace_take(workspace, rows, sizeof(double)),
        .along = workspace_take(workspace, rows, sizeof(double)),
        .met = workspace_take(workspace, rows, 1),
        .crossings = workspace_take(workspace, rows + LAD_MAX, sizeof(struct crossing)),
    };
}

/* Between -shift and shift, another one for every row. */
static double
shift_of(size_t row)
{
    uint64_t mixed = (row + 1) * UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return shift * ((double)(mixed >> 11) * 0x1p-52 - 1);
}

/* products[i]: of row i and the vector. */
static void
multiply(const struct lad_problem *problem, const double *vector, double *products)
{
    memset(products, 0, problem->rows * sizeof *products);
    for (size_t k = 0; k < problem->count; k++)
        if (vector[k] != 0)
            vector_add_scaled(problem->rows, products, vector[k], problem->columns[k]);
}

static void
begin(struct state *state)
{
    const struct lad_problem *problem = state->problem;

    memset(state->work->met, 0, problem->rows);
    memset(state->edges, 0, sizeof state->edges);
    for (size_t k = 0; k < problem->count; k++) {
        state->held[k] = problem->rows + k;
        state->at_zero[k] = true;
        state->edges[k][k] = 1;
        state->x[k] = 0;
        for (size_t i = 0; i < problem->rows; i++)
            state->sizes[k] += fabs(problem->columns[k][i]) / (double)problem->rows;
    }
    for (size_t i = 0; i < problem->rows; i++)
        state->price += problem->above[i] + problem->below[i];
}

static void
find_residuals(struct state *state)
{
    const struct lad_problem *problem = state->problem;

    multiply(problem, state->x, state->work->residuals);
    for (size_t i = 0; i < problem->rows; i++)
        state->work->residuals[i] = problem->response[i] + shift_of(i) - state->work->residuals[i];
}

/* Of the sum over rows that are not met. */
static void
find_gradient(const struct state *state, double *gradient)
{
    const struct lad_problem *problem = state->problem;

    for (size_t k = 0; k < problem->count; k++) {
        double sum = 0;

        for (size_t i = 0; i < problem->rows; i++)
            if (!state->work->met[i])
                sum +=
                    problem->columns[k][i] * (state->work->residuals[i] > 0 ? -problem->above[i] : problem->below[i]);
        gradient[k] = sum;
    }
}

/* How steeply the sum rises along the edge, there (1) or back (-1). */
static double
slope_of(const struct state *state, const double *gradient, size_t edge, int direction)
{
    const struct lad_problem *problem = state->problem;
    double slope = direction * vector_dot(problem->count, gradient, state->edges[edge]);
    size_t held = state->held[edge];

    if (held < problem->rows)
        return slope + (direction > 0 ? problem->below[held] : problem->above[held]);
    return direction < 0 && problem->positive ? 0 : slope;
}

/* How much predictions may change along the edge. */
static double
length_of(const struct state *state, size_t edge)
{
    double length = 0;

    for (size_t k = 0; k < state->problem->count; k++)
        length += fabs(state->edges[edge][k]) * state->sizes[k];
    return length;
}

/* The edge on which the sum falls most steeply, and which way; false if there is none. */
static bool
choose_edge(const struct state *state, size_t *edge, int *direction, double *slope)
{
    double gradient[LAD_MAX], steepest = -min_slope * state->price;

    find_gradient(state, gradient);
    *direction = 0;
    for (size_t l = 0; l < state->problem->count; l++)
        for (int way = -1; way <= 1; way += 2) {
            double rise = slope_of(state, gradient, l, way), length = length_of(state, l);

            if (!(rise < steepest * length))
                continue;
            steepest = rise / length;
            *edge = l;
            *direction = way;
            *slope = rise;
        }
    return *direction != 0;
}

static bool
is_nearer(const struct crossing *a, const struct crossing *b)
{
    return a->distance != b->distance ? a->distance < b->distance : a->constraint < b->constraint;
}

/* Puts the crossing at `place` of the heap where it belongs among those behind it. */
static void
sink(struct crossing *heap, size_t count, size_t place)
{
    struct crossing sinking = heap[place];

    for (size_t below; (below = 2 * place + 1) < count; place = below) {
        below += below + 1 < count && is_nearer(&heap[below + 1], &heap[below]);
        if (!is_nearer(&heap[below], &sinking))
            break;
        heap[place] = heap[below];
    }
    heap[place] = sinking;
}

/* Takes the nearest crossing from the heap. */
static struct crossing
take_nearest(struct crossing *heap, size_t *count)
{
    struct crossing nearest = heap[0];

    heap[0] = heap[--*count];
    sink(heap, *count, 0);
    return nearest;
}

/* As a heap, the nearest one first. */
static size_t
list_crossings(struct state *state, const double *edge, double length)
{
    const struct lad_problem *problem = state->problem;
    struct lad *work = state->work;
    size_t count = 0;

    multiply(problem, edge, work->along);
    for (size_t i = 0; i < problem->rows; i++)
        if (!work->met[i] && fabs(work->along[i]) > min_along * length &&
            (work->residuals[i] > 0) == (work->along[i] > 0))
            work->crossings[count++] = (struct crossing){
                work->residuals[i] / work->along[i], (problem->above[i] + problem->below[i]) * fabs(work->along[i]), i};
    for (size_t k = 0; problem->positive && k < problem->count; k++)
        if (!state->at_zero[k] && edge[k] < 0)
            work->crossings[count++] = (struct crossing){fmax(state->x[k], 0) / -edge[k], INFINITY, problem->rows + k};
    for (size_t i = count / 2; i-- > 0;)
        sink(work->crossings, count, i);
    return count;
}

/* Product of the constraint's row and an edge. */
static double
product(const struct state *state, size_t constraint, const double *edge)
{
    const struct lad_problem *problem = state->problem;
    double sum = 0;

    if (constraint >= problem->rows)
        return edge[constraint - problem->rows];
    for (size_t k = 0; k < problem->count; k++)
        sum += problem->columns[k][constraint] * edge[k];
    return sum;
}

static void
set_held(struct state *state, size_t constraint, bool held)
{
    if (constraint < state->problem->rows)
        state->work->met[constraint] = held;
    else
        state->at_zero[constraint - state->problem->rows] = held;
}

/* The constraint takes the place of that which the edge leaves. */
static void
exchange(struct state *state, size_t edge, size_t constraint)
{
    double *left = state->edges[edge], pivot = product(state, constraint, left);
    size_t count = state->problem->count;

    for (size_t k = 0; k < count; k++)
        left[k] /= pivot;
    for (size_t l = 0; l < count; l++)
        if (l != edge)
            vector_add_scaled(count, state->edges[l], -product(state, constraint, state->edges[l]), left);
    set_held(state, state->held[edge], false);
    set_held(state, constraint, true);
    state->held[edge] = constraint;
}

/* Where the sum stops to fall along the edge; false if nowhere. */
static bool
find_crossing(struct state *state, const double *edge, double length, double slope, struct crossing *found)
{
    size_t count = list_crossings(state, edge, length);

    while (count > 0) {
        *found = take_nearest(state->work->crossings, &count);
        slope += found->gain;
        if (slope >= 0)
            return true;
    }
    return false;
}

/* One edge further; false at the end. */
static bool
step(struct state *state)
{
    double edge[LAD_MAX], slope;
    size_t leaving = 0, count = state->problem->count;
    struct crossing crossing;
    int direction;

    find_residuals(state);
    if (!choose_edge(state, &leaving, &direction, &slope))
        return false;
    for (size_t k = 0; k < count; k++)
        edge[k] = direction * state->edges[leaving][k];
    if (!find_crossing(state, edge, length_of(state, leaving), slope, &crossing))
        return false;
    vector_add_scaled(count, state->x, crossing.distance, edge);
    exchange(state, leaving, crossing.constraint);
    return true;
}

/* The vertex itself: without the shifts, and without what rounding has left of so many steps. */
static void
settle(struct state *state)
{
    const struct lad_problem *problem = state->problem;
    double misses[LAD_MAX];

    for (size_t l = 0; l < problem->count; l++)
        misses[l] = (state->held[l] < problem->rows ? problem->response[state->held[l]] : 0) -
                    product(state, state->held[l], state->x);
    for (size_t l = 0; l < problem->count; l++)
        vector_add_scaled(problem->count, state->x, misses[l], state->edges[l]);
    for (size_t k = 0; k < problem->count; k++)
        if (state->at_zero[k] || (problem->positive && state->x[k] < 0))
            state->x[k] = 0;
}

void
lad_fit(struct lad *work, const struct lad_problem *problem, double *coefficients)
{
    struct state state = {.problem = problem, .work = work};
    size_t steps = STEPS + STEPS_PER_COLUMN * problem->count;

    begin(&state);
    while (steps > 0 && !context_spend(work->context, matrix_work(problem->rows, problem->count)) && step(&state))
        steps--;
    for (int i = 0; i < REFINEMENTS; i++)
        settle(&state);
    memcpy(coefficients, state.x, problem->count * sizeof *coefficients);
}
