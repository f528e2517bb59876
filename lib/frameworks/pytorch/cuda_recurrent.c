/*
 * Recurrent layers on a GPU: one call of cuDNN for all layers and directions. PyTorch:
 * aten/src/ATen/native/cudnn/RNN.cpp, _cudnn_rnn, _cudnn_rnn_backward.
 */
#include "base/checked.h"
#include "frameworks/cuda/gpu.h"
#include "frameworks/cuda/recurrent.h"
#include "frameworks/pytorch/aten_ops.h"
#include "frameworks/pytorch/recurrent.h"

/* What the backward pass must know. */
struct recurrent_sizes {
    struct recurrent_call call;
    int dtype;
    bool batch_first, projected;
};

enum { SAVED_X, SAVED_HIDDEN, SAVED_STATES, SAVED_RESULT, SAVED_RESERVE, SAVED_COUNT };
enum { EDGE_X, EDGE_HIDDEN, EDGE_STATES, FIRST_WEIGHT };
enum { OUTPUT, LAST_HIDDEN, LAST_STATES, RESULTS };

/* get_algo(): kernels for small cells, up to so many units in each pass. cuDNN has none for bfloat16. */
static bool
is_for_small_cells(const struct recurrent_sizes *s, bool backward)
{
    enum { PLAIN = 384, PLAIN_BACKWARD = 256, GATED = 192, GATED_BACKWARD = 128 };
    int64_t most = backward ? GATED_BACKWARD : GATED;

    if (s->call.gates == RECURRENT_PLAIN_GATES)
        most = backward ? PLAIN_BACKWARD : PLAIN;
    return !s->projected && (s->dtype == MEMMODEL_DTYPE_FLOAT32 || s->dtype == MEMMODEL_DTYPE_FLOAT16) &&
           s->call.hidden <= most;
}

static struct value *
workspace(struct step *step, const struct recurrent_sizes *s, bool backward)
{
    struct recurrent_call call = s->call;

    call.small_cells = is_for_small_cells(s, backward);
    return value_buffer(step, recurrent_workspace_bytes(&call));
}

/* The sequence first, laid out in that order. */
static struct value *
sequence_first(struct step *step, struct value *x, bool batch_first)
{
    struct value *turned = batch_first ? aten_transpose(step, x, 0, 1) : value_keep(x);
    struct value *result = value_is_contiguous(turned) ? value_keep(turned) : value_copy(step, turned);

    value_drop(step, turned);
    return result;
}

static struct value *
sequence_of(struct step *step, const struct recurrent_sizes *s, int64_t width)
{
    struct shape shape = {.dims = {s->call.length, s->call.batch, width}, .rank = 3, .dtype = s->dtype};

    return value_empty(step, &shape);
}

/* ---- backward ---- */

/* Zeros where no gradient came. */
static struct value *
state_gradient(struct step *step, const struct value *state, const struct value *incoming)
{
    return state && !incoming ? value_like(step, state) : NULL;
}

/* _cudnn_rnn_backward_input */
static void
input_gradients(struct step *step, const struct node *node, struct value *const *incoming, struct value **gradients)
{
    const struct recurrent_sizes *s = node->options;
    struct value *x = sequence_first(step, node->saved[SAVED_X], s->batch_first), *of_output, *made;

    of_output = incoming[OUTPUT] ? sequence_first(step, incoming[OUTPUT], s->batch_first)
                                 : value_like(step, node->saved[SAVED_RESULT]);
    made = sequence_of(step, s, s->call.input);
    gradients[EDGE_HIDDEN] = value_like(step, node->saved[SAVED_HIDDEN]);
    if (node->saved[SAVED_STATES])
        gradients[EDGE_STATES] = value_like(step, node->saved[SAVED_STATES]);
    value_drop(step, workspace(step, s, true));
    value_drop(step, of_output);
    value_drop(step, x);
    gradients[EDGE_X] = s->batch_first ? aten_transpose(step, made, 0, 1) : value_keep(made);
    value_drop(step, made);
}

/* _cudnn_rnn_backward_weight: all lie in one buffer. */
static void
weight_gradients(struct step *step, const struct node *node, struct value **gradients)
{
    const struct recurrent_sizes *s = node->options;
    struct value *x = sequence_first(step, node->saved[SAVED_X], s->batch_first);
    struct value *all = value_buffer(step, s->call.parameter_bytes);

    value_drop(step, workspace(step, s, true));
    for (int i = FIRST_WEIGHT; i < node->edge_count; i++) {
        int64_t strides[MEMMODEL_MAX_RANK] = {0};

        shape_strides(&node->edges[i].shape, strides);
        gradients[i] = value_within(step, all, &node->edges[i].shape, strides);
    }
    value_drop(step, all);
    value_drop(step, x);
}

static bool
wants_weights(const struct node *node)
{
    for (int i = FIRST_WEIGHT; i < node->edge_count; i++)
        if (node_wants(node, i))
            return true;
    return false;
}

static void
recurrent_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *zeros[] = {
        state_gradient(step, node->saved[SAVED_HIDDEN], incoming[LAST_HIDDEN]),
        state_gradient(step, node->saved[SAVED_STATES], incoming[LAST_STATES]),
    };

    input_gradients(step, node, incoming, gradients);
    if (wants_weights(node))
        weight_gradients(step, node, gradients);
    value_drop_all(step, zeros, 2);
    for (int i = 0; i < node->edge_count; i++)
        if (!node_wants(node, i))
            value_drop_all(step, &gradients[i], 1);
}

/* ---- forward ---- */

static int
gates_of(int kind)
{
    switch (kind) {
    case MEMMODEL_RECURRENT_LSTM:
        return RECURRENT_LSTM_GATES;
    case MEMMODEL_RECURRENT_GRU:
        return RECURRENT_GRU_GATES;
    default:
        return RECURRENT_PLAIN_GATES;
    }
}

static void
count_parameter(struct recurrent_call *call, const struct value *parameter)
{
    int64_t bytes = multiply_saturating(value_elements(parameter), dtype_bytes(parameter->shape.dtype));

    call->parameter_bytes = add_saturating(call->parameter_bytes, bytes);
    if (parameter->shape.rank > 1)
        call->matrix_bytes = add_saturating(call->matrix_bytes, bytes);
}

static struct recurrent_sizes *
sizes_of(const struct recurrence *r, const struct value *x)
{
    struct recurrent_sizes *s = step_arena_allocate(r->step, sizeof *s);

    if (!s)
        return NULL;
    s->dtype = x->shape.dtype;
    s->batch_first = r->batch_first;
    s->projected = r->projected;
    s->call = (struct recurrent_call){
        .gates = gates_of(r->kind),
        .layers = r->layers,
        .directions = r->directions,
        .length = x->shape.dims[r->batch_first ? 1 : 0],
        .batch = x->shape.dims[r->batch_first ? 0 : 1],
        .input = x->shape.dims[2],
        .hidden = r->hidden_size,
        .element_bytes = dtype_bytes(x->shape.dtype),
        .drops = r->training && r->dropout > 0,
        .trains = r->training,
    };
    for (int i = 0; i < r->parameter_count; i++)
        count_parameter(&s->call, r->parameters[i]);
    return s;
}

static void
record(const struct recurrence *r, struct value *x, struct value *const results[RESULTS], struct value *reserve,
       const struct recurrent_sizes *sizes)
{
    static const struct derivative cudnn = {"cudnn_rnn", recurrent_backward};
    struct step *step = r->step;
    int count = FIRST_WEIGHT + r->parameter_count;
    size_t bytes = (size_t)count * sizeof(struct value *);
    struct value **inputs = step_pool_take(step, bytes);
    struct value *saved[] = {x, r->hidden, r->states, results[OUTPUT], reserve};
    struct node *node;

    if (!inputs)
        return;
    for (int i = 0; i < FIRST_WEIGHT; i++)
        inputs[i] = saved[i];
    for (int i = 0; i < r->parameter_count; i++)
        inputs[FIRST_WEIGHT + i] = r->parameters[i];
    node = node_new(step, &cudnn, inputs, count, RESULTS);
    object_pool_give(&step->pool, inputs, bytes);
    for (int i = 0; i < RESULTS && results[i]; i++)
        node_attach(step, node, results[i], i);
    for (int i = 0; i < SAVED_COUNT; i++)
        step_save(step, node, saved[i]);
    if (node)
        node->options = sizes;
}

/*
 * _cudnn_init_dropout_state, kept for good: RNN.cpp, get_dropout_state. What cudnnDropoutGetStatesSize says on an H200 is
 * 49,152 bytes a processor.
 */
static void
keep_dropout_states(struct step *step, const struct recurrent_sizes *s)
{
    enum { PROCESSOR_STATES = 48 * 1024 };

    if (s->call.drops && !step->cuda.dropout_states)
        step->cuda.dropout_states = value_buffer(step, (int64_t)step->cuda.gpu->processors * PROCESSOR_STATES);
}

/* The results, then the workspace beside the reserve, which is made for a layer that trains. */
void
cuda_recurrent(struct recurrence *r, const struct layer *layer, struct value *given)
{
    struct step *step = r->step;
    struct recurrent_sizes *sizes = sizes_of(r, given);
    struct value *results[RESULTS + 1] = {NULL}, *x, *work, *reserve = NULL, *output;

    if (!sizes)
        return;
    keep_dropout_states(step, sizes);
    x = sequence_first(step, given, r->batch_first);
    results[OUTPUT] = sequence_of(step, sizes, r->hidden->shape.dims[2] * r->directions);
    results[LAST_HIDDEN] = value_like(step, r->hidden);
    if (r->states)
        results[LAST_STATES] = value_like(step, r->states);
    work = workspace(step, sizes, false);
    if (r->training)
        reserve = value_buffer(step, recurrent_reserve_bytes(&sizes->call));
    value_drop(step, work);
    value_drop(step, x);
    record(r, given, results, reserve, sizes);
    value_drop(step, reserve);
    output = r->batch_first ? aten_transpose(step, results[OUTPUT], 0, 1) : value_keep(results[OUTPUT]);
    value_drop(step, results[OUTPUT]);
    step_output(step, layer, OUTPUT, output);
    for (int i = LAST_HIDDEN; i < RESULTS && results[i]; i++)
        step_output(step, layer, i, results[i]);
    layer_unmodelled(step, layer, "recurrent");
}

/* ---- the calls below autograd, whose inputs are x, weights, and what a `tail` counts ---- */

enum {
    FORWARD_TAIL = 4,
    BACKWARD_TAIL = 9
}; /* weight_buf, hx, cx, dropout_state; also output, its gradients, reserve */
enum { WEIGHT_BUFFER, HIDDEN, STATES, RESULT, OF_RESULT, OF_HIDDEN, OF_STATES };

static struct value *
tail_input(struct step *step, const struct layer *layer, int tail, int place)
{
    return step_input(step, layer, layer->input_count - tail + place);
}

/* NULL where it is called in another way, or memory is out. */
static struct recurrent_sizes *
sizes_of_call(struct step *step, const struct layer *layer, int tail)
{
    static const int kinds[] = {MEMMODEL_RECURRENT_RNN_RELU, MEMMODEL_RECURRENT_RNN_TANH, MEMMODEL_RECURRENT_LSTM,
                                MEMMODEL_RECURRENT_GRU}; /* by cudnnRNNMode_t */
    int64_t mode = attribute_integer(layer, "mode", -1);
    const struct value *x = step_input(step, layer, 0);
    struct recurrent_sizes *sizes;
    struct recurrence r = {
        .step = step,
        .layers = (int)min_i64(max_i64(attribute_integer(layer, "num_layers", 1), 0), layer->input_count),
        .directions = attribute_integer(layer, "bidirectional", 0) ? 2 : 1,
        .hidden_size = attribute_integer(layer, "hidden_size", 0),
        .batch_first = attribute_integer(layer, "batch_first", 0) != 0,
        .training = attribute_integer(layer, "train", 0) != 0,
        .dropout = attribute_number(layer, "dropout", 0),
        .projected = attribute_integer(layer, "proj_size", 0) > 0,
    };

    if (!step->cuda.gpu || mode < 0 || mode >= (int64_t)(sizeof kinds / sizeof kinds[0]) ||
        layer->input_count < tail + 2 || !x || x->shape.rank != 3 || !tail_input(step, layer, tail, HIDDEN))
        return NULL;
    r.kind = kinds[mode];
    sizes = sizes_of(&r, x);
    for (int i = 1; sizes && i < layer->input_count - tail; i++) {
        const struct value *weight = step_input(step, layer, i);

        if (weight)
            count_parameter(&sizes->call, weight);
    }
    return sizes;
}

static void
make_output(struct step *step, const struct layer *layer, int output)
{
    struct shape shape = step_output_shape(step, layer, output);

    step_output(step, layer, output, value_empty(step, &shape));
}

static void
call_forward(struct step *step, const struct layer *layer, int detail)
{
    enum { RESERVE = 3 };
    const struct recurrent_sizes *s = sizes_of_call(step, layer, FORWARD_TAIL);
    struct value *x, *work;

    (void)detail;
    if (!s || layer->output_count <= RESERVE) {
        aten_op_estimate(step, layer);
        return;
    }
    keep_dropout_states(step, s);
    x = sequence_first(step, step_input(step, layer, 0), s->batch_first);
    for (int i = OUTPUT; i < RESERVE; i++)
        make_output(step, layer, i);
    work = workspace(step, s, false);
    if (attribute_integer(layer, "train", 0))
        step_output(step, layer, RESERVE, value_buffer(step, recurrent_reserve_bytes(&s->call)));
    value_drop(step, work);
    value_drop(step, x);
    layer_unmodelled(step, layer, "recurrent");
}

/* Zeros where no gradient came; gradients of x and states, then of the weights, which lie in the first one's buffer. */
static void
call_backward(struct step *step, const struct layer *layer, int detail)
{
    const struct recurrent_sizes *s = sizes_of_call(step, layer, BACKWARD_TAIL);
    bool has_states = s && tail_input(step, layer, BACKWARD_TAIL, STATES);
    int first_weight = has_states ? 3 : 2;
    struct value *zeros[2] = {NULL}, *x, *of_result;

    (void)detail;
    if (!s) {
        aten_op_estimate(step, layer);
        return;
    }
    for (int i = 0; i < (has_states ? 2 : 1); i++)
        zeros[i] = state_gradient(step, tail_input(step, layer, BACKWARD_TAIL, HIDDEN + i),
                                  tail_input(step, layer, BACKWARD_TAIL, OF_HIDDEN + i));
    x = sequence_first(step, step_input(step, layer, 0), s->batch_first);
    of_result = tail_input(step, layer, BACKWARD_TAIL, OF_RESULT);
    of_result = of_result ? sequence_first(step, of_result, s->batch_first)
                          : value_like(step, tail_input(step, layer, BACKWARD_TAIL, RESULT));
    for (int i = 0; i < first_weight; i++)
        make_output(step, layer, i);
    value_drop(step, workspace(step, s, true));
    value_drop(step, of_result);
    if (layer->output_count > first_weight) {
        step_output(step, layer, first_weight, value_buffer(step, s->call.parameter_bytes));
        value_drop(step, workspace(step, s, true));
    }
    value_drop(step, x);
    value_drop_all(step, zeros, 2);
    layer_unmodelled(step, layer, "recurrent");
}

/* The weights become parts of the buffer that it returns. */
static void
call_flatten(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    make_output(step, layer, 0);
}

static const struct aten_op_rule calls[] = {
    {"aten._cudnn_rnn.default", call_forward, 0, "3"},
    {"aten._cudnn_rnn_backward.default", call_backward, 0, "3"},
    {"aten._cudnn_rnn_flatten_weight.default", call_flatten, 0, ""},
};

const struct aten_ops aten_op_cudnn = ATEN_OPS(calls);
