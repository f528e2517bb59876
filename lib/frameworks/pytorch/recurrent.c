/*
 * Recurrent layers. An LSTM without projection is one oneDNN layer per layer and direction (lstm.c); GRU and RNN run
 * step by step. PyTorch: aten/src/ATen/native/RNN.cpp.
 */
#include "frameworks/pytorch/aten_ops.h"
#include "frameworks/pytorch/loops.h"
#include "frameworks/pytorch/recurrent.h"

#include <inttypes.h>
#include <string.h>

enum { HELD_PER_LAYER = 3 };

static struct cell
cell_of(const struct recurrence *r, int index)
{
    int weights = r->biases ? 4 : 2, count = weights + r->projected;
    struct value **own = r->parameters + index * count;

    return (struct cell){
        .input_weight = own[0],
        .hidden_weight = own[1],
        .input_bias = r->biases ? own[2] : NULL,
        .hidden_bias = r->biases ? own[3] : NULL,
        .projection = r->projected ? own[weights] : NULL,
    };
}

/* ---- one step of a GRU, an RNN, an LSTM that oneDNN does not run ---- */

/* Into views of one shape; false without memory. */
static bool
split(struct step *step, struct value *x, const struct shape *part, const int64_t *strides, int count,
      struct value **results)
{
    struct shape *parts = step_arena_allocate(step, (size_t)count * sizeof *parts);

    if (!parts)
        return false;
    for (int i = 0; i < count; i++)
        parts[i] = *part;
    aten_split(step, x, parts, strides, count, results);
    return true;
}

/* unsafe_chunk along the last axis: not known as views. */
void
chunks(struct step *step, struct value *x, int count, struct value *results[])
{
    struct shape part = x->shape;

    part.dims[1] /= count;
    if (!split(step, x, &part, x->strides, count, results))
        return;
    for (int i = 0; i < count; i++)
        value_forget_base(step, results[i]);
}

static struct value *
sigmoid_of_sum(struct step *step, struct value *into, struct value *other)
{
    value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_ADD, into, other));
    return aten_unary(step, "sigmoid_", into);
}

/* An operator of its own to autocast: operands are cast from the last to the first. */
static struct value *
linear(struct step *step, struct value *x, struct value *weight, struct value *bias)
{
    struct value *operands[] = {x, weight, bias}, *result;

    for (int i = 2; i >= 0; i--)
        operands[i] = autocast_operand(step, operands[i]);
    result = aten_linear(step, operands[0], operands[1], operands[2]);
    value_drop_all(step, operands, 3);
    return result;
}

/* h' = (h - n) * z + n with n = tanh(W x + r * U h): RNN.cpp, GRUCell */
struct value *
gru_step(struct step *step, struct value *input_gates, struct value *hidden, const struct cell *cell)
{
    enum { RESET, UPDATE, NEW, GATES };
    struct value *i[GATES] = {NULL}, *h[GATES] = {NULL};
    struct value *product, *reset, *update, *new, *result;

    chunks(step, input_gates, GATES, i);
    product = linear(step, hidden, cell->hidden_weight, cell->hidden_bias);
    chunks(step, product, GATES, h);
    value_drop(step, product);
    if (step->status)
        return &step->nothing;
    reset = sigmoid_of_sum(step, h[RESET], i[RESET]);
    update = sigmoid_of_sum(step, h[UPDATE], i[UPDATE]);
    value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_MULTIPLY, h[NEW], reset));
    new = aten_binary(step, MEMMODEL_BINARY_ADD, i[NEW], h[NEW]);
    value_drop(step, aten_unary(step, "tanh_", new));
    result = aten_binary(step, MEMMODEL_BINARY_SUBTRACT, hidden, new);
    value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_MULTIPLY, result, update));
    value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_ADD, result, new));
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
    struct value *gates = linear(step, hidden, cell->hidden_weight, cell->hidden_bias), *result;

    value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_ADD, gates, input_gates));
    result = aten_unary(step, kind == MEMMODEL_RECURRENT_RNN_RELU ? "relu" : "tanh", gates);
    value_drop(step, gates);
    return result;
}

/* x W', the reference to x taken; without a W it stays x. */
static struct value *
projected(struct step *step, struct value *x, struct value *projection)
{
    struct value *turned, *typed_projection, *typed, *result;

    if (!projection)
        return x;
    turned = aten_transpose(step, projection, 0, 1);
    typed_projection = autocast_operand(step, turned);
    typed = autocast_operand(step, x);
    result = aten_matmul(step, typed, typed_projection);
    value_drop(step, typed);
    value_drop(step, typed_projection);
    value_drop(step, turned);
    value_drop(step, x);
    return result;
}

/* c' = f c + i g; h' = (o tanh(c')) W: RNN.cpp, LSTMCell. `state` is bound anew. */
static struct value *
lstm_step(struct step *step, struct value *input_gates, struct value *hidden, struct value **state,
          const struct cell *cell)
{
    enum { INPUT, FORGET, NEW, OUTPUT, GATES };
    struct value *g[GATES] = {NULL}, *gates, *kept, *added, *squashed, *full, *result;

    gates = linear(step, hidden, cell->hidden_weight, cell->hidden_bias);
    value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_ADD, gates, input_gates));
    chunks(step, gates, GATES, g);
    value_drop(step, gates);
    if (step->status)
        return &step->nothing;
    for (int i = 0; i < GATES; i++)
        value_drop(step, aten_unary(step, i == NEW ? "tanh_" : "sigmoid_", g[i]));
    kept = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, g[FORGET], *state);
    added = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, g[INPUT], g[NEW]);
    value_drop(step, *state);
    *state = aten_binary_in_place(step, MEMMODEL_BINARY_ADD, kept, added);
    value_drop(step, added);
    value_drop(step, kept);
    squashed = aten_unary(step, "tanh", *state);
    full = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, g[OUTPUT], squashed);
    value_drop(step, squashed);
    result = projected(step, full, cell->projection);
    value_drop_all(step, g, GATES);
    return result;
}

/* ---- a layer, step by step ---- */

/* Along the first axis, of `count` elements. */
static void
unbind(struct step *step, struct value *x, int count, struct value **results)
{
    struct shape part = x->shape;

    part.rank--;
    memmove(part.dims, part.dims + 1, (MEMMODEL_MAX_RANK - 1) * sizeof part.dims[0]);
    split(step, x, &part, x->strides + 1, count, results);
}

static struct value *
one_step(struct recurrence *r, struct value *gates, struct value *hidden, struct value **state, const struct cell *cell)
{
    if (r->kind == MEMMODEL_RECURRENT_GRU)
        return gru_step(r->step, gates, hidden, cell);
    if (r->kind == MEMMODEL_RECURRENT_LSTM)
        return lstm_step(r->step, gates, hidden, state, cell);
    return rnn_step(r->step, gates, hidden, cell, r->kind);
}

/*
 * Runs over time, backwards for the second direction; what it ends with goes to r->last and r->last_states. The outputs
 * stay in `outputs`, in the order of time.
 */
static struct value *
run_direction(struct recurrence *r, struct value *gates, int index, struct value **outputs)
{
    struct step *step = r->step;
    bool backwards = index % r->directions == 1;
    struct cell cell = cell_of(r, index);
    struct value **inputs = step_arena_allocate(step, (size_t)r->steps * sizeof *inputs);
    struct value *hidden = value_keep(r->first[index]), *state = value_keep(r->first_states[index]);

    if (!inputs)
        return &step->nothing;
    memset(inputs, 0, (size_t)r->steps * sizeof *inputs);
    unbind(step, gates, r->steps, inputs);
    loops_begin(step, index, r->length);
    for (int t = 0; t < r->steps && !step->status; t++) {
        int at = backwards ? r->steps - 1 - t : t;
        struct value *old = hidden;

        loops_forward(step, t);
        hidden = one_step(r, inputs[at], old, &state, &cell);
        outputs[at] = value_keep(hidden);
        value_drop(step, old);
    }
    loops_forward_end(step);
    r->last[index] = hidden;
    r->last_states[index] = state;
    if (step->status)
        return &step->nothing;
    value_drop_all(step, inputs, r->steps);
    return aten_stack_of(step, outputs, r->steps, r->length, 0);
}

static struct value *
step_by_step_layer(struct recurrence *r, struct value *x, int layer, struct value **gates)
{
    enum { BOTH = 2 };
    struct step *step = r->step;
    struct value **outputs[BOTH] = {NULL}, *results[BOTH] = {NULL}, *joined;

    for (int d = 0; d < r->directions && !step->status; d++) {
        int index = layer * r->directions + d;
        struct cell cell = cell_of(r, index);
        struct value *old = *gates;

        outputs[d] = step_arena_allocate(step, (size_t)r->steps * sizeof(struct value *));
        if (!outputs[d])
            return &step->nothing;
        *gates = linear(step, x, cell.input_weight, cell.input_bias);
        value_drop(step, old);
        results[d] = run_direction(r, *gates, index, outputs[d]);
        if (r->directions == 1 && !step->status)
            value_drop_all(step, outputs[d], r->steps);
    }
    if (r->directions == 1 || step->status)
        return results[0] ? results[0] : &step->nothing;
    joined = aten_concat(step, results, BOTH, 2, results[0]->shape.dtype);
    for (int d = BOTH - 1; d >= 0; d--) {
        value_drop(step, results[d]);
        value_drop_all(step, outputs[d], r->steps);
    }
    return joined;
}

/* ---- all layers ---- */

static struct value *
between_layers(struct recurrence *r, struct value *x, int layer)
{
    struct value *result;

    if (r->dropout <= 0 || layer + 1 == r->layers)
        return x;
    result = aten_dropout(r->step, x);
    value_drop(r->step, x);
    return result;
}

static struct value *
run_step_by_step(struct recurrence *r, struct value *x)
{
    struct value *gates = NULL;

    for (int layer = 0; layer < r->layers && !r->step->status; layer++) {
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

        lstm_cell(r->step, x, cell_of(r, index), r->first[index], r->first_states[index], results[d]);
        r->last[index] = results[d][1];
        r->last_states[index] = results[d][2];
    }
    if (r->step->status)
        return &r->step->nothing;
    if (r->directions == 1) {
        value_drop(r->step, x);
        return results[0][0];
    }
    joined =
        aten_concat(r->step, (struct value *[]){results[0][0], results[1][0]}, BOTH, 2, results[0][0]->shape.dtype);
    held[0] = results[0][0];
    held[1] = results[1][0];
    held[2] = x;
    return joined;
}

static struct value *
run_lstm(struct recurrence *r, struct value *given)
{
    struct value *x = aten_contiguous(r->step, given);

    r->sequence = value_keep(x);
    value_drop(r->step, given);
    for (int layer = 0; layer < r->layers && !r->step->status; layer++) {
        x = lstm_layer(r, x, layer, r->held + HELD_PER_LAYER * layer);
        x = between_layers(r, x, layer);
    }
    return x;
}

/* RNN.cpp, use_mkldnn: float32, and half types where oneDNN has kernels for them. */
static bool
is_whole_lstm(const struct recurrence *r, const struct value *x)
{
    bool half = value_is_half(x) && r->step->machine.isa == CPU_ISA_AVX512;

    return r->kind == MEMMODEL_RECURRENT_LSTM && !r->projected && (half || x->shape.dtype == MEMMODEL_DTYPE_FLOAT32);
}

/* A whole one that computes in a half type; use_mkldnn asks before autocast makes its input one. */
static bool
is_half_lstm(const struct recurrence *r, const struct value *x)
{
    return strcmp(r->step->job->device, "cpu") == 0 && (r->step->autocast.on || value_is_half(x)) &&
           is_whole_lstm(r, x);
}

/* Of bfloat16, with AVX-512 and without AMX. */
static bool
is_listed_half(const struct recurrence *r, const struct value *x)
{
    int dtype = r->step->autocast.on ? r->step->autocast.dtype : x->shape.dtype;

    return dtype == MEMMODEL_DTYPE_BFLOAT16 && r->step->machine.isa == CPU_ISA_AVX512 && !r->step->machine.tiles &&
           r->step->version >= VERSION(2, 11);
}

/* Others of oneDNN's layers in half types are not listed; without AVX-512 there are none, and PyTorch fails. */
static void
run_half_lstm(struct step *step, const struct layer *layer)
{
    if (step->machine.isa == CPU_ISA_AVX512 && layer->op == OP_CUSTOM)
        aten_op_estimate(step, layer);
    else if (step->machine.isa == CPU_ISA_AVX512)
        estimate_forward(step, layer);
    else if (!step->status)
        step->status = context_error(step->context, MEMMODEL_ERROR_UNSUPPORTED, layer->name,
                                     "PyTorch runs an LSTM under autocast on processors with AVX-512 only");
}

/* Each cell's part of the initial states. */
static void
spread_states(struct recurrence *r)
{
    unbind(r->step, r->hidden, r->cells, r->first);
    if (r->states)
        unbind(r->step, r->states, r->cells, r->first_states);
}

static void
drop_states(struct recurrence *r)
{
    value_drop_all(r->step, r->last_states, r->cells);
    value_drop_all(r->step, r->last, r->cells);
    value_drop_all(r->step, r->held, HELD_PER_LAYER * r->layers);
    value_drop_all(r->step, r->first_states, r->cells);
    value_drop_all(r->step, r->first, r->cells);
    value_drop(r->step, r->sequence);
}

/* Outputs: y, last hidden states, last cells. */
static void
run_layers(struct recurrence *r, const struct layer *layer, struct value *given)
{
    struct step *step = r->step;
    bool whole = is_whole_lstm(r, given);
    struct value *x = r->batch_first ? aten_transpose(step, given, 0, 1) : value_keep(given);
    struct value *result, *last, *last_states = NULL;

    spread_states(r);
    if (step->status)
        return;
    result = whole ? run_lstm(r, x) : run_step_by_step(r, x);
    if (step->status)
        return;
    if (r->states)
        last_states = aten_stack(step, r->last_states, r->cells, 0);
    last = aten_stack(step, r->last, r->cells, 0);
    drop_states(r);
    step_output(step, layer, 0, r->batch_first ? aten_transpose(step, result, 0, 1) : value_keep(result));
    value_drop(step, result);
    step_output(step, layer, 1, last);
    if (last_states)
        step_output(step, layer, 2, last_states);
}

/* RNN.cpp: "Expected sequence length to be larger than 0 in RNN" */
static void
count_steps(struct recurrence *r, const struct layer *layer, const struct value *given)
{
    r->length = given->shape.dims[r->batch_first ? 1 : 0];
    if (r->length == 0 && !r->step->status)
        r->step->status = context_error(r->step->context, MEMMODEL_ERROR_SHAPE, layer->name,
                                        "the sequence has length 0, needs at least 1");
    if (!is_whole_lstm(r, given))
        r->steps = loops_steps(r->step, r->length);
}

void
cpu_recurrent(struct recurrence *r, const struct layer *layer, struct value *given)
{
    size_t count = 4 * (size_t)r->cells + HELD_PER_LAYER * (size_t)r->layers;
    struct value **room;

    count_steps(r, layer, given);
    if (r->step->status)
        return;
    if (is_half_lstm(r, given) && !is_listed_half(r, given)) {
        run_half_lstm(r->step, layer);
        return;
    }
    room = step_pool_take(r->step, count * sizeof *room);
    if (!room)
        return;
    r->first = room;
    r->first_states = room + r->cells;
    r->last = room + 2 * r->cells;
    r->last_states = room + 3 * r->cells;
    r->held = room + 4 * r->cells;
    run_layers(r, layer, given);
    object_pool_give(&r->step->pool, room, count * sizeof *room);
}

/* ---- rules ---- */

static struct value *
initial_state(struct recurrence *r, const struct value *x, int64_t width)
{
    struct shape shape = {.dims = {r->cells, x->shape.dims[r->batch_first ? 0 : 1], width}, .rank = 3};

    shape.dtype = x->shape.dtype;
    return value_empty(r->step, &shape);
}

static struct value **
layer_parameters(struct step *step, const struct layer *layer)
{
    struct value **values = step_arena_allocate(step, (size_t)layer->parameter_count * sizeof *values);

    for (int i = 0; values && i < layer->parameter_count; i++)
        values[i] = step->variables[layer->parameters[i]].value;
    return values;
}

static void
recurrent_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_recurrent *options = layer->options;
    struct value *x = step_input(step, layer, 0);
    struct recurrence r = {
        .step = step,
        .kind = options->kind,
        .layers = (int)options->layer_count,
        .directions = options->bidirectional ? 2 : 1,
        .cells = (int)options->layer_count * (options->bidirectional ? 2 : 1),
        .hidden_size = options->hidden_size,
        .dropout = step->training ? options->dropout : 0,
        .biases = !options->no_bias,
        .projected = options->projection_size > 0,
        .batch_first = options->batch_first,
        .training = step->training,
        .parameters = layer_parameters(step, layer),
        .parameter_count = layer->parameter_count,
    };

    if (!r.parameters)
        return;
    r.hidden = initial_state(&r, x, r.projected ? options->projection_size : r.hidden_size);
    r.states = r.kind == MEMMODEL_RECURRENT_LSTM ? initial_state(&r, x, r.hidden_size) : NULL;
    step->device->recurrent(&r, layer, x);
    value_drop(step, r.states);
    value_drop(step, r.hidden);
}

const struct rule pytorch_recurrent = {OP_RECURRENT, recurrent_forward};

/* ---- by name. Inputs: x, the initial states, the parameters ---- */

/* Parameters and states of each cell; what is missing makes it a form without a rule. */
static bool
is_complete(const struct recurrence *r, const struct layer *layer, int first_parameter)
{
    int each = (r->biases ? 4 : 2) + r->projected;

    if (r->cells <= 0 || r->parameter_count != r->cells * each || r->hidden->shape.dims[0] != r->cells ||
        (r->states && r->states->shape.dims[0] != r->cells))
        return false;
    for (int i = 0; i < r->parameter_count; i++) {
        const struct value *parameter = step_input(r->step, layer, first_parameter + i);

        if (!parameter || parameter->shape.rank < 1)
            return false;
    }
    return true;
}

static struct recurrence
aten_op_recurrence(struct step *step, const struct layer *layer, int kind)
{
    int directions = attribute_integer(layer, "bidirectional", 0) ? 2 : 1;
    int64_t said = attribute_integer(layer, "num_layers", 1);
    int layers = (int)min_i64(max_i64(said, 0), layer->input_count); /* each has inputs */
    bool training = attribute_integer(layer, "train", 0) != 0;
    struct recurrence r = {
        .step = step,
        .kind = kind,
        .layers = layers,
        .directions = directions,
        .cells = layers * directions,
        .dropout = training ? attribute_number(layer, "dropout", 0) : 0,
        .biases = attribute_integer(layer, "has_biases", 1) != 0,
        .batch_first = attribute_integer(layer, "batch_first", 0) != 0,
        .training = training,
        .hidden = step_input(step, layer, 1),
        .states = kind == MEMMODEL_RECURRENT_LSTM ? step_input(step, layer, 2) : NULL,
    };

    r.hidden_size = (r.states ? r.states : r.hidden)->shape.dims[2];
    r.projected = r.states && r.hidden->shape.dims[2] != r.states->shape.dims[2];
    return r;
}

static void
aten_op_recurrent_forward(struct step *step, const struct layer *layer, int kind)
{
    int first_parameter = kind == MEMMODEL_RECURRENT_LSTM ? 3 : 2;
    size_t bytes = (size_t)layer->input_count * sizeof(struct value *);
    struct recurrence r = aten_op_recurrence(step, layer, kind);

    r.parameter_count = layer->input_count - first_parameter;
    if (!is_complete(&r, layer, first_parameter)) {
        aten_op_estimate(step, layer);
        return;
    }
    r.parameters = step_pool_take(step, bytes);
    if (!r.parameters)
        return;
    for (int i = 0; i < r.parameter_count; i++)
        r.parameters[i] = step_input(step, layer, first_parameter + i);
    step->device->recurrent(&r, layer, step_input(step, layer, 0));
    object_pool_give(&step->pool, r.parameters, bytes);
}

static const struct aten_op_rule aten_op_rules[] = {
    {"aten.gru.input", aten_op_recurrent_forward, MEMMODEL_RECURRENT_GRU, "33"},
    {"aten.lstm.input", aten_op_recurrent_forward, MEMMODEL_RECURRENT_LSTM, "333"},
    {"aten.mkldnn_rnn_layer.default", mkldnn_lstm_forward, 0, "3221122"},
    {"aten.rnn_relu.input", aten_op_recurrent_forward, MEMMODEL_RECURRENT_RNN_RELU, "33"},
    {"aten.rnn_tanh.input", aten_op_recurrent_forward, MEMMODEL_RECURRENT_RNN_TANH, "33"},
};

const struct aten_ops aten_op_recurrent = ATEN_OPS(aten_op_rules);
