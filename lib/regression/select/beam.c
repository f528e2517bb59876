/* Orthogonal least squares by beam: products with what is left are kept up to date instead of the columns. */
#include "regression/select/beam.h"

#include <math.h>

static const double dependent = 1e-14; /* share of a column's square below which it depends on the support */
static const double min_new =
    1e-4; /* the same, of what the constant leaves of it, where coefficients may have any sign */
static const double constant = 1e-20; /* share of a column's square below which what the constant leaves is rounding */
static const double exact = 1e-24;    /* share of the response's square that counts as no error */
static const double tie = 1e-12;      /* relative difference of errors that counts as none */

/* A support under extension. */
struct state {
    struct support support;
    uint16_t picks[SUPPORT_COLUMNS]; /* its columns as they came */
    uint16_t group;                  /* of its terms on one side of a change point; 0: it has none */
    struct qr qr;                    /* of the picks */
    double *along;                   /* of the response in each direction of the factors */
    struct matrix shares;            /* of every column in each direction */
    double *residuals_left,
        *alignments; /* of every column: squared norm, and product with the response, of what is new in it */
};

/* A support of the next size: that of a state, and one more column. */
struct extension {
    const struct state *state;
    struct support support;
};

struct beam {
    const struct rows *rows;
    size_t end, width; /* of the library's columns, and how many states there are of a size */
    double *least;     /* of every column: rests up to this are nothing new */
    struct state states[2][BEAM_WIDEST], *now, *next;
    size_t now_count, next_count;
};

/* ---- room ---- */

static struct state
state_new(struct workspace *workspace, size_t rows, size_t columns, size_t most)
{
    return (struct state){
        .qr = qr_new(workspace, rows, most),
        .along = workspace_take(workspace, most, sizeof(double)),
        .shares = matrix_new(workspace, columns, most),
        .residuals_left = workspace_take(workspace, columns, sizeof(double)),
        .alignments = workspace_take(workspace, columns, sizeof(double)),
    };
}

/* Behind the terms of the libraries before. */
static bool
has_change_points(const struct basis *basis, size_t library)
{
    return basis->groups[basis->ends[library] - 1] != 0;
}

static int
beam_new(struct workspace *workspace, const struct rows *rows, size_t library, size_t most, struct beam *beam)
{
    *beam = (struct beam){.rows = rows, .end = rows->basis->ends[library]};
    beam->width = rows->basis->positive || has_change_points(rows->basis, library) ? BEAM_WIDEST : BEAM_WIDTH;
    beam->now = beam->states[0];
    beam->next = beam->states[1];
    for (size_t i = 0; i < beam->width; i++) {
        beam->states[0][i] = state_new(workspace, rows->columns.rows, beam->end, most + 1);
        beam->states[1][i] = state_new(workspace, rows->columns.rows, beam->end, most + 1);
    }
    beam->least = workspace_take(workspace, beam->end, sizeof *beam->least);
    return workspace->status;
}

/* ---- a state ---- */

static void
set_empty(const struct beam *beam, struct state *state)
{
    const struct rows *rows = beam->rows;
    size_t n = rows->columns.rows;

    state->support = (struct support){.squares = vector_dot(n, rows->response, rows->response)};
    state->group = 0;
    state->qr.count = 0;
    state->qr.q.rows = n;
    matrix_multiply(&rows->columns, beam->end, rows->response, state->alignments);
    for (size_t j = 0; j < beam->end; j++)
        state->residuals_left[j] = vector_dot(n, matrix_column(&rows->columns, j), matrix_column(&rows->columns, j));
}

static void
copy_state(const struct beam *beam, const struct state *from, struct state *to)
{
    size_t count = from->qr.count, n = from->qr.q.rows;

    to->support = from->support;
    to->group = from->group;
    memcpy(to->picks, from->picks, sizeof to->picks);
    to->qr.count = count;
    to->qr.q.rows = n;
    memcpy(to->qr.q.values, from->qr.q.values, count * n * sizeof(double));
    memcpy(to->qr.r.values, from->qr.r.values, count * from->qr.r.rows * sizeof(double));
    memcpy(to->along, from->along, count * sizeof(double));
    memcpy(to->shares.values, from->shares.values, count * from->shares.rows * sizeof(double));
    memcpy(to->residuals_left, from->residuals_left, beam->end * sizeof(double));
    memcpy(to->alignments, from->alignments, beam->end * sizeof(double));
}

/* False, and nothing done, if the column depends on the support. */
static bool
extend(const struct beam *beam, struct state *state, uint16_t column)
{
    const struct rows *rows = beam->rows;
    size_t k = state->qr.count;
    double *shares = matrix_column(&state->shares, k);
    const double *q = matrix_column(&state->qr.q, k);

    if (!qr_append(&state->qr, matrix_column(&rows->columns, column)))
        return false;
    state->along[k] = vector_dot(rows->columns.rows, q, rows->response);
    matrix_multiply(&rows->columns, beam->end, q, shares);
    for (size_t j = 0; j < beam->end; j++) {
        state->residuals_left[j] -= shares[j] * shares[j];
        state->alignments[j] -= shares[j] * state->along[k];
    }
    state->picks[k] = column;
    state->support = support_with(&state->support, column);
    state->support.squares = fmax(state->support.squares - state->along[k] * state->along[k], 0);
    if (rows->basis->groups[column] != 0)
        state->group = rows->basis->groups[column];
    return true;
}

/* ---- extensions ---- */

static bool
has_column(const struct support *support, size_t column)
{
    for (size_t k = 0; k < support->count; k++)
        if (support->columns[k] == column)
            return true;
    return false;
}

/* Whether each coefficient of the state's columns and of one more has a sign that it may have. */
static bool
signs_are_right(const struct beam *beam, const struct state *state, size_t column)
{
    const struct basis *basis = beam->rows->basis;
    double solution[SUPPORT_COLUMNS], last = state->alignments[column] / state->residuals_left[column];

    if (basis->positive ? !(last > 0) : last * basis->signs[column] < 0)
        return false;
    for (size_t i = 0; i < state->qr.count; i++)
        solution[i] = state->along[i] - matrix_column(&state->shares, i)[column] * last;
    qr_back_substitute(&state->qr, solution);
    for (size_t i = 0; i < state->qr.count; i++)
        if (basis->positive ? !(solution[i] > 0) : solution[i] * basis->signs[state->picks[i]] < 0)
            return false;
    return true;
}

/* Is this better than another of its size? Of equal ones the shorter. */
static bool
is_better(const struct beam *beam, const struct support *a, const struct support *b)
{
    unsigned nodes_a = 0, nodes_b = 0;

    if (fabs(a->squares - b->squares) > tie * (a->squares + b->squares))
        return a->squares < b->squares;
    for (size_t k = 0; k < a->count; k++) {
        nodes_a += beam->rows->basis->sizes[a->columns[k]];
        nodes_b += beam->rows->basis->sizes[b->columns[k]];
    }
    return nodes_a < nodes_b;
}

static void
enter(const struct beam *beam, const struct extension *extension, struct extension *list, size_t *count)
{
    size_t place = *count;

    for (size_t i = 0; i < *count; i++)
        if (support_is_same(&list[i].support, &extension->support))
            return;
    while (place > 0 && is_better(beam, &extension->support, &list[place - 1].support))
        place--;
    if (place == beam->width)
        return;
    *count += *count < beam->width;
    memmove(&list[place + 1], &list[place], (*count - 1 - place) * sizeof *list);
    list[place] = *extension;
}

static bool
may_extend(const struct beam *beam, const struct state *state, size_t column)
{
    uint16_t group = beam->rows->basis->groups[column];

    return state->residuals_left[column] > beam->least[column] && !has_column(&state->support, column) &&
           (group == 0 || state->group == 0 || group == state->group);
}

static void
list_extensions(const struct beam *beam, const struct state *state, struct extension *list, size_t *count)
{
    for (size_t j = 1; j < beam->end; j++) {
        double squares =
            state->support.squares - state->alignments[j] * state->alignments[j] / state->residuals_left[j];
        struct extension extension = {.state = state};

        if (!may_extend(beam, state, j) ||
            (*count == beam->width && squares > list[beam->width - 1].support.squares * (1 + tie)) ||
            !signs_are_right(beam, state, j))
            continue;
        extension.support = support_with(&state->support, (uint16_t)j);
        extension.support.squares = fmax(squares, 0);
        enter(beam, &extension, list, count);
    }
}

static uint16_t
added_column(const struct extension *extension)
{
    size_t k = 0;

    while (k < extension->state->support.count && extension->support.columns[k] == extension->state->support.columns[k])
        k++;
    return extension->support.columns[k];
}

/* From the states of one size to those of the next; false if there are none. */
static bool
step(struct beam *beam)
{
    struct extension list[BEAM_WIDEST + 1];
    struct state *states = beam->next;
    size_t count = 0;

    for (size_t i = 0; i < beam->now_count; i++)
        list_extensions(beam, &beam->now[i], list, &count);
    beam->next_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct state *state = &states[beam->next_count];

        if (context_spend(beam->rows->table->context, matrix_work(beam->rows->columns.rows, beam->end)))
            return false;
        copy_state(beam, list[i].state, state);
        beam->next_count += extend(beam, state, added_column(&list[i]));
    }
    beam->next = beam->now;
    beam->now = states;
    beam->now_count = beam->next_count;
    return beam->now_count > 0;
}

/* ---- the search ---- */

static void
set_min(struct beam *beam, const struct state *empty, const struct state *with_constant)
{
    bool positive = beam->rows->basis->positive;

    for (size_t j = 1; j < beam->end; j++)
        beam->least[j] = positive
                             ? dependent * empty->residuals_left[j]
                             : fmax(min_new * with_constant->residuals_left[j], constant * empty->residuals_left[j]);
}

static bool
is_listed(const struct shortlist *shortlist, const struct support *support)
{
    for (size_t i = 0; i < shortlist->count; i++)
        if (support_is_same(&shortlist->supports[i], support))
            return true;
    return false;
}

/* The caller's own terms have a constant, unless it would have a sign that it must not have. */
static bool
lacks_constant(const struct beam *beam, const struct shortlist *shortlist, const struct support *support)
{
    struct support with;

    if (support_has_constant(support) || support->columns[support->count - 1] >= beam->rows->basis->given_end)
        return false;
    with = support_with(support, 0);
    return is_listed(shortlist, &with);
}

static void
list_states(const struct beam *beam, size_t library, struct shortlist *shortlist)
{
    for (size_t i = 0; i < beam->now_count && shortlist->count < SHORTLIST_MAX; i++)
        if (beam->now[i].support.count > 0 && !lacks_constant(beam, shortlist, &beam->now[i].support)) {
            shortlist->supports[shortlist->count] = beam->now[i].support;
            shortlist->supports[shortlist->count++].library = (uint8_t)library;
        }
}

static void
search_from(struct beam *beam, bool with_constant, size_t library, size_t most, struct shortlist *shortlist)
{
    double total;

    set_empty(beam, beam->now);
    total = beam->now->support.squares;
    copy_state(beam, beam->now, beam->next);
    extend(beam, beam->next, 0);
    set_min(beam, beam->now, beam->next);
    if (with_constant) {
        struct state *states = beam->next;

        beam->next = beam->now;
        beam->now = states;
    }
    beam->now_count = 1;
    list_states(beam, library, shortlist);
    for (size_t size = 0; size < most && beam->now[0].support.squares > exact * total && step(beam); size++)
        list_states(beam, library, shortlist);
}

int
beam_search(const struct rows *rows, size_t library, size_t most, struct shortlist *shortlist)
{
    struct workspace workspace = WORKSPACE_INIT(rows->table->context);
    struct beam beam;
    int status = beam_new(&workspace, rows, library, most, &beam);

    shortlist->count = 0;
    if (!status)
        search_from(&beam, true, library, most, shortlist);
    if (!status && rows->basis->relative)
        search_from(&beam, false, library, most, shortlist);
    workspace_release(&workspace);
    return status ? status : context_look(rows->table->context, 0);
}
