/*
 * Recurrent layers. An LSTM without projection is one oneDNN layer per layer and direction (lstm.c); GRU and RNN run
 * step by step. PyTorch: aten/src/ATen/native/RNN.cpp.
 */
#include "frameworks/pytorch/recurrent.h"

#include <string.h>

/* All of a recurrent layer while it runs. */
struct recurrence {
    struct step *step;
    const struct layer *layer;
    const struct memmodel_recurrent *options;
    int directions, cells;         /* cells: layers * directions */
    struct value *hidden, *states; /* initial ones; states: the LSTM's cells */
    struct value **last, **last_states;
};

static struct cell
cell_of(const struct recurrence *r, int index)
{
    int count = r->options->no_bias ? 2 : 4;
    struct value *parameters[4] = {NULL};

    for (int i = 0; i < count; i++)
        parameters[i] = r->step->variables[r->layer->parameters[index * count + i]].value;
    return (struct cell){parameters[0], parameters[1], parameters[2], parameters[3]};
}

/* ---- GRU and RNN: one step ---- */

/* unsafe_chunk along the last axis: not known as views. */
static void
chunks(struct step *step, struct value *x, int count, struct value *results[])
{
    struct shape *parts = arena_allocate(&step->pool.arena, (size_t)count * sizeof *parts);

    if (!parts) {
        step_fail(step, MEMMODEL_ERROR_NOMEM);
        return;
    }
    for (int i = 0; i < count; i++) {
        parts[i] = x->shape;
        parts[i].dims[1] /= count;
    }
    aten_split(step, x, parts, x->strides, count, results);
    for (int i = 0; i < count; i++)
        value_forget_base(step, results[i]);
}

static struct value *
sigmoid_of_sum(struct step *step, struct value *into, struct value *other)
{
    value_drop(step, aten_binary_in_place(step, MEMMODEL_ADD, into, other));
    return aten_pointwise_in_place(step, MEMMODEL_SIGMOID, into);
}

/* h' = (h - n) * z + n with n = tanh(W x + r * U h): RNN.cpp, GRUCell */
static struct value *
gru_step(struct step *step, struct value *input_gates, struct value *hidden, const struct cell *cell, int kind)
{
    enum { RESET, UPDATE, NEW, GATES };
    struct value *i[GATES] = {NULL}, *h[GATES] = {NULL};
    struct value *product, *reset, *update, *new, *result;

    (void)kind;
    chunks(step, input_gates, GATES, i);
    product = aten_linear(step, hidden, cell->hidden_weight, cell->hidden_bias);
    chunks(step, product, GATES, h);
    value_drop(step, product);
    if (step->status)
        return &step->nothing;
    reset = sigmoid_of_sum(step, h[RESET], i[RESET]);
    update = sigmoid_of_sum(step, h[UPDATE], i[UPDATE]);
    value_drop(step, aten_binary_in_place(step, MEMMODEL_MULTIPLY, h[NEW], reset));
    new = aten_binary(step, MEMMODEL_ADD, i[NEW], h[NEW]);
    value_drop(step, aten_pointwise_in_place(step, MEMMODEL_TANH, new));
    result = aten_binary(step, MEMMODEL_SUBTRACT, hidden, new);
    value_drop(step, aten_binary_in_place(step, MEMMODEL_MULTIPLY, result, update));
    value_drop(step, aten_binary_in_place(step, MEMMODEL_ADD, result, new));
    value_drop(step, new);
    value_drop(step, update);
    value_drop(step, reset);
    value_drop_all(step, h, GATES);
    value_drop_all(step, i, GATES);
    return result;
}

static struct value *
rnn_step(struct step *step, struct value *input_gates, struct value *hidden, const struct cell *cell, int kind)
{
    struct value *gates = aten_linear(step, hidden, cell->hidden_weight, cell->hidden_bias), *result;

    value_drop(step, aten_binary_in_place(step, MEMMODEL_ADD, gates, input_gates));
    result = aten_pointwise(step, kind == MEMMODEL_RNN_RELU ? MEMMODEL_RELU : MEMMODEL_TANH, gates);
    value_drop(step, gates);
    return result;
}

/* ---- GRU and RNN: a layer ---- */

/* The steps of one direction; they stay in `outputs`, in the order of time. */
struct direction {
    struct value **outputs;
    int length;
};

static void
unbind(struct step *step, struct value *x, struct value **results)
{
    int count = (int)x->shape.dims[0];
    struct shape *parts = arena_allocate(&step->pool.arena, (size_t)count * sizeof *parts);

    if (!parts) {
        step_fail(step, MEMMODEL_ERROR_NOMEM);
        return;
    }
    for (int i = 0; i < count; i++) {
        parts[i] = x->shape;
        parts[i].rank--;
        memmove(parts[i].dims, parts[i].dims + 1, (MEMMODEL_MAX_RANK - 1) * sizeof parts[i].dims[0]);
    }
    aten_split(step, x, parts, x->strides + 1, count, results);
}

/* Runs over time, backwards for the second direction; the last hidden state goes to r->last[index]. */
static struct value *
run_direction(struct recurrence *r, struct value *gates, int index, struct direction *direction)
{
    struct step *step = r->step;
    bool backwards = index % r->directions == 1;
    struct cell cell = cell_of(r, index);
    struct value **inputs = arena_allocate(&step->pool.arena, (size_t)direction->length * sizeof *inputs);
    struct value *hidden = aten_select(step, r->hidden, 0);

    if (!inputs) {
        step_fail(step, MEMMODEL_ERROR_NOMEM);
        return &step->nothing;
    }
    memset(inputs, 0, (size_t)direction->length * sizeof *inputs);
    unbind(step, gates, inputs);
    for (int t = 0; t < direction->length && !step->status; t++) {
        int at = backwards ? direction->length - 1 - t : t;
        struct value *old = hidden;

        hidden = r->options->kind == MEMMODEL_GRU ? gru_step(step, inputs[at], old, &cell, r->options->kind)
                                                  : rnn_step(step, inputs[at], old, &cell, r->options->kind);
        direction->outputs[at] = value_keep(hidden);
        value_drop(step, old);
    }
    r->last[index] = hidden;
    if (step->status)
        return &step->nothing;
    value_drop_all(step, inputs, direction->length);
    return aten_stack(step, direction->outputs, direction->length, 0);
}

static struct value *
step_by_step_layer(struct recurrence *r, struct value *x, int layer, struct value **gates)
{
    enum { BOTH = 2 };
    struct step *step = r->step;
    struct direction directions[BOTH] = {{NULL, 0}};
    struct value *results[BOTH] = {NULL}, *joined;

    for (int d = 0; d < r->directions && !step->status; d++) {
        int index = layer * r->directions + d;
        struct cell cell = cell_of(r, index);
        struct value *old = *gates;

        directions[d].length = (int)x->shape.dims[0];
        directions[d].outputs =
            arena_allocate(&step->pool.arena, (size_t)directions[d].length * sizeof(struct value *));
        if (!directions[d].outputs) {
            step_fail(step, MEMMODEL_ERROR_NOMEM);
            return &step->nothing;
        }
        *gates = aten_linear(step, x, cell.input_weight, cell.input_bias);
        value_drop(step, old);
        results[d] = run_direction(r, *gates, index, &directions[d]);
        if (r->directions == 1 && !step->status)
            value_drop_all(step, directions[d].outputs, directions[d].length);
    }
    if (r->directions == 1 || step->status)
        return results[0] ? results[0] : &step->nothing;
    joined = aten_concat(step, results, BOTH, 2, results[0]->shape.dtype);
    for (int d = BOTH - 1; d >= 0; d--) {
        value_drop(step, results[d]);
        value_drop_all(step, directions[d].outputs, directions[d].length);
    }
    return joined;
}

/* ---- all layers ---- */

static struct value *
between_layers(struct recurrence *r, struct value *x, int layer)
{
    struct value *result;

    if (r->options->dropout <= 0 || !r->step->training || layer + 1 == r->options->layers)
        return x;
    result = aten_dropout(r->step, x);
    value_drop(r->step, x);
    return result;
}

static struct value *
run_step_by_step(struct recurrence *r, struct value *x)
{
    struct value *gates = NULL;

    for (int layer = 0; layer < r->options->layers && !r->step->status; layer++) {
        struct value *old = x;

        x = step_by_step_layer(r, old, layer, &gates);
        value_drop(r->step, old);
        value_drop(r->step, gates);
        gates = NULL;
        x = between_layers(r, x, layer);
    }
    return x;
}

/* Both directions of an LSTM layer, joined. What was joined lives to the end of the last layer: `held`. */
static struct value *
lstm_layer(struct recurrence *r, struct value *x, int layer, struct value **held)
{
    enum { BOTH = 2 };
    struct value *results[BOTH][3] = {{NULL}}, *joined;

    for (int d = 0; d < r->directions && !r->step->status; d++) {
        int index = layer * r->directions + d;
        struct value *hx = aten_select(r->step, r->hidden, 0), *cx = aten_select(r->step, r->states, 0);

        lstm_cell(r->step, x, cell_of(r, index), hx, cx, results[d]);
        r->last[index] = results[d][1];
        r->last_states[index] = results[d][2];
        value_drop(r->step, hx);
        value_drop(r->step, cx);
    }
    if (r->step->status)
        return &r->step->nothing;
    if (r->directions == 1) {
        value_drop(r->step, x);
        return results[0][0];
    }
    joined = aten_concat(r->step, (struct value *[]){results[0][0], results[1][0]}, BOTH, 2, MEMMODEL_FLOAT32);
    held[0] = results[0][0];
    held[1] = results[1][0];
    held[2] = x;
    return joined;
}

static struct value *
run_lstm(struct recurrence *r, struct value *given, struct value **held)
{
    struct value *x = aten_contiguous(r->step, given);

    value_drop(r->step, given);
    for (int layer = 0; layer < r->options->layers && !r->step->status; layer++) {
        x = lstm_layer(r, x, layer, held + 3 * layer);
        x = between_layers(r, x, layer);
    }
    return x;
}

static struct value *
initial_state(struct recurrence *r, const struct value *x)
{
    struct shape shape = {.dims = {r->cells, x->shape.dims[1], r->options->hidden}, .rank = 3, .dtype = x->shape.dtype};

    return value_empty(r->step, &shape);
}

static void
run(struct recurrence *r, struct value **held)
{
    struct step *step = r->step;
    bool lstm = r->options->kind == MEMMODEL_LSTM, turned = r->options->batch_first;
    struct value *given = step_input(step, r->layer, 0), *x, *result, *last, *last_states;

    x = turned ? aten_transpose(step, given, 0, 1) : value_keep(given);
    r->hidden = initial_state(r, x);
    r->states = lstm ? initial_state(r, x) : NULL;
    result = lstm ? run_lstm(r, x, held) : run_step_by_step(r, x);
    if (step->status)
        return;
    last = aten_stack(step, r->last, r->cells, 0);
    last_states = lstm ? aten_stack(step, r->last_states, r->cells, 0) : NULL;
    value_drop_all(step, r->last_states, lstm ? r->cells : 0);
    value_drop_all(step, r->last, r->cells);
    value_drop_all(step, held, 3 * (int)r->options->layers);
    step_output(step, r->layer, 0, turned ? aten_transpose(step, result, 0, 1) : value_keep(result));
    value_drop(step, result);
    step_output(step, r->layer, 1, last);
    if (lstm)
        step_output(step, r->layer, 2, last_states);
    value_drop(step, r->states);
    value_drop(step, r->hidden);
}

static void
recurrent_forward(struct step *step, const struct layer *layer)
{
    struct recurrence r = {.step = step, .layer = layer, .options = layer->options};
    size_t pointers;
    struct value **room;

    if (r.options->projection > 0) {
        estimate_forward(step, layer);
        return;
    }
    r.directions = r.options->bidirectional ? 2 : 1;
    r.cells = (int)r.options->layers * r.directions;
    pointers = 2 * (size_t)r.cells + 3 * (size_t)r.options->layers;
    room = pool_take(&step->pool, pointers * sizeof *room);
    if (!room) {
        step_fail(step, MEMMODEL_ERROR_NOMEM);
        return;
    }
    r.last = room;
    r.last_states = room + r.cells;
    run(&r, room + 2 * r.cells);
    pool_give(&step->pool, room, pointers * sizeof *room);
}

const struct rule pytorch_recurrent = {OP_RECURRENT, recurrent_forward};
