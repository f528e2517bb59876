/*
 * An LSTM of one layer and direction: one oneDNN layer, with its workspace and scratchpad.
 * PyTorch: aten/src/ATen/native/mkldnn/RNN.cpp; sizes: oneDNN 3.12, src/cpu/rnn/rnn_utils.cpp.
 */
#include "frameworks/framework.h"
#include "frameworks/pytorch/autocast.h"
#include "frameworks/pytorch/recurrent.h"

/* ---- sizes of oneDNN's buffers ---- */

enum { FLOAT_BYTES = 4, BFLOAT16_BYTES = 2, PAGE = 4096, CACHE_LINE = 64, BAD_STRIDE = 256, BLOCK = 32, GATES = 4 };

struct lstm_sizes {
    int64_t length, batch, input, hidden;
    int64_t threads;
    int dtype; /* of all but sums and gradients, which are of float32 */
    bool before_2_11;
};

static bool
is_half(const struct lstm_sizes *s)
{
    return s->dtype != MEMMODEL_DTYPE_FLOAT32;
}

static int64_t
element(const struct lstm_sizes *s)
{
    return is_half(s) ? BFLOAT16_BYTES : FLOAT_BYTES;
}

/* Rows are padded to whole cache lines, and by one more where they would all fall on the same lines. */
static int64_t
row_bytes(int64_t elements, int64_t element)
{
    int64_t line = CACHE_LINE / element, padded = round_up(elements, line);

    return (padded % BAD_STRIDE == 0 ? padded + line : padded) * element;
}

static int64_t
leading_dimension(int64_t floats)
{
    return row_bytes(floats, FLOAT_BYTES) / FLOAT_BYTES;
}

static int64_t
pages(int64_t bytes)
{
    return round_up(bytes, PAGE);
}

static int64_t
widest(const struct lstm_sizes *s)
{
    return max_i64(s->input, s->hidden);
}

/* States of all steps and the one before, of the layer and of what goes into it. */
static int64_t
states(const struct lstm_sizes *s)
{
    return 2 * (s->length + 1) * s->batch;
}

/*
 * oneDNN 3.7, in PyTorch until 2.10, has states of an iteration twice more, and each part of the scratchpad once more
 * with as many floats as the part has bytes: src/cpu/rnn/rnn_utils.cpp, set_offsets(); ref_rnn.cpp, init_scratchpad().
 */
static int64_t
repeated_states(const struct lstm_sizes *s)
{
    return s->before_2_11 ? 2 : 0;
}

static int64_t
repeated_parts(const struct lstm_sizes *s, int64_t rows_of_gates, int64_t hidden_parts)
{
    enum { ALIGNMENT = 128 };
    int64_t floats =
        rows_of_gates * leading_dimension(GATES * s->hidden) + hidden_parts * s->batch * leading_dimension(s->hidden);

    return s->before_2_11 ? FLOAT_BYTES * FLOAT_BYTES * floats + (1 + hidden_parts) * ALIGNMENT : 0;
}

/* Gates, states, two of gradients of states, cells and their gradients, and the layer's hidden part. */
static int64_t
lstm_workspace(const struct lstm_sizes *s)
{
    int64_t steps = s->length * s->batch, bytes = element(s);

    return pages(steps * row_bytes(GATES * s->hidden, bytes)) +
           (1 + repeated_states(s)) * pages(states(s) * row_bytes(widest(s), bytes)) +
           2 * pages(states(s) * row_bytes(widest(s), FLOAT_BYTES)) + pages(states(s) * s->hidden * bytes) +
           pages(states(s) * s->hidden * FLOAT_BYTES) + pages(steps * row_bytes(s->hidden, bytes));
}

static int64_t
lstm_scratchpad(const struct lstm_sizes *s)
{
    enum { BOOKKEEPING = PAGE + 568 };

    return pages(s->length * s->batch * row_bytes(GATES * s->hidden, FLOAT_BYTES)) +
           2 * pages(s->batch * row_bytes(s->hidden, FLOAT_BYTES)) + BOOKKEEPING +
           repeated_parts(s, s->length * s->batch, 2);
}

static int64_t
lstm_inference_scratchpad(const struct lstm_sizes *s)
{
    enum { LINE_OF_FLOATS = 16, SQUARE = PAGE + 1016, OTHER = PAGE + 856 };
    bool square = s->input == s->hidden && s->hidden % LINE_OF_FLOATS == 0;

    return pages(s->batch * row_bytes(GATES * s->hidden, FLOAT_BYTES)) +
           (1 + repeated_states(s)) * pages(states(s) * row_bytes(widest(s), FLOAT_BYTES)) +
           pages(states(s) * s->hidden * FLOAT_BYTES) + pages(s->batch * row_bytes(s->hidden, FLOAT_BYTES)) +
           (square ? SQUARE : OTHER) + repeated_parts(s, s->batch, 1);
}

/* ---- the same in bfloat16, with AVX-512: src/cpu/x64/rnn/rnn_brgemm_utils.cpp ---- */

enum {
    HALF_BOOKKEEPING = PAGE + 552,
    ALIGNMENT = 128,
    BATCH_ELEMENT = 40, /* bytes that describe a product of a batch */
};

static int64_t
batch_bytes(const struct lstm_sizes *s, int64_t products)
{
    return ALIGNMENT + BATCH_ELEMENT * products * s->threads;
}

/* Products with the inputs of all steps at once where a step is a single row, else together with those of the states. */
static int64_t
half_forward_scratchpad(const struct lstm_sizes *s, bool training)
{
    bool merged = s->batch == 1 && s->length > 1, fused = s->input == s->hidden && !merged;
    int64_t rows = merged ? s->length : s->batch;
    int64_t bytes = pages(rows * row_bytes(GATES * s->hidden, FLOAT_BYTES)) +
                    pages(s->batch * row_bytes(s->hidden, BFLOAT16_BYTES)) + HALF_BOOKKEEPING +
                    batch_bytes(s, fused ? 4 : 2);

    if (training)
        return bytes + pages(s->batch * row_bytes(s->hidden, FLOAT_BYTES));
    return bytes + pages(states(s) * row_bytes(widest(s), BFLOAT16_BYTES)) +
           pages(states(s) * s->hidden * BFLOAT16_BYTES);
}

/* Inputs and states are transposed, by all threads together but where there is a single row. */
static int64_t
half_backward_scratchpad(const struct lstm_sizes *s)
{
    int64_t pairs = round_up(s->batch, 2) * BFLOAT16_BYTES, threads = s->batch > 1 ? 1 : s->threads;

    return pages(s->batch * row_bytes(GATES * s->hidden, BFLOAT16_BYTES)) +
           pages(s->batch * row_bytes(s->hidden, BFLOAT16_BYTES)) +
           pages(s->batch * row_bytes(s->hidden, FLOAT_BYTES)) + HALF_BOOKKEEPING + batch_bytes(s, GATES + 1) +
           3 * ALIGNMENT + s->threads * BLOCK * pairs + threads * (s->input + s->hidden) * pairs;
}

/* ---- one layer in one direction. Inputs: x, weights, biases; outputs: y, hy, cy ---- */

enum { MAX_BUFFERS = 8 };

static struct value *
matrix(struct step *step, int dtype, int64_t rows, int64_t columns)
{
    struct shape shape = {.dims = {rows, columns}, .rank = 2, .dtype = dtype};

    return value_empty(step, &shape);
}

static struct value *
sequence(struct step *step, const struct lstm_sizes *s, int dtype, int64_t width)
{
    struct shape shape = {.dims = {s->length, s->batch, width}, .rank = 3, .dtype = dtype};

    return value_empty(step, &shape);
}

/* Weights with `summed` rows in pairs, the columns of each gate in blocks. @unit bytes */
static int64_t
blocked_weights(int64_t summed, int64_t columns)
{
    return round_up(summed, 2) * GATES * round_up(columns, BLOCK) * BFLOAT16_BYTES;
}

/* Weights and their gradients in oneDNN's layout, then the scratchpad; all freed. */
static void
lstm_backward_buffers(struct step *step, const struct lstm_sizes *s)
{
    const int64_t widths[] = {s->input, s->hidden}, gates = GATES * s->hidden;
    struct value *buffers[MAX_BUFFERS];
    int count = 0;

    for (int i = 0; i < 2; i++)
        if (is_half(s))
            buffers[count++] = value_buffer(step, blocked_weights(s->hidden, widths[i]));
        else if (leading_dimension(widths[i]) != widths[i])
            buffers[count++] = matrix(step, MEMMODEL_DTYPE_FLOAT32, gates, leading_dimension(widths[i]));
    for (int i = 0; i < 2; i++)
        buffers[count++] =
            matrix(step, MEMMODEL_DTYPE_FLOAT32, widths[i], widths[i] > 1 ? leading_dimension(gates) : gates);
    buffers[count++] = value_vector(step, MEMMODEL_DTYPE_FLOAT32, gates);
    buffers[count++] = value_buffer(step, is_half(s) ? half_backward_scratchpad(s) : lstm_scratchpad(s));
    value_drop_all(step, buffers, count);
}

/* Gradients of y, hy and cy as oneDNN takes them: in float32. */
static void
widen_incoming(struct step *step, const struct lstm_sizes *s, struct value *wide[3])
{
    if (!is_half(s))
        return;
    wide[0] = sequence(step, s, MEMMODEL_DTYPE_FLOAT32, s->hidden);
    wide[1] = matrix(step, MEMMODEL_DTYPE_FLOAT32, s->batch, s->hidden);
    wide[2] = matrix(step, MEMMODEL_DTYPE_FLOAT32, s->batch, s->hidden);
}

static void
lstm_gradients(struct step *step, const struct lstm_sizes *s, struct value *made[7])
{
    const int dtype = MEMMODEL_DTYPE_FLOAT32;
    struct value *wide[3] = {NULL};

    made[0] = sequence(step, s, dtype, s->input);
    made[5] = matrix(step, dtype, s->batch, s->hidden);
    made[6] = matrix(step, dtype, s->batch, s->hidden);
    made[1] = matrix(step, dtype, GATES * s->hidden, s->input);
    made[2] = matrix(step, dtype, GATES * s->hidden, s->hidden);
    made[3] = value_vector(step, dtype, GATES * s->hidden);
    widen_incoming(step, s, wide);
    lstm_backward_buffers(step, s);
    made[4] = value_vector(step, dtype, GATES * s->hidden);
    value_drop_all(step, wide, 3);
}

static void
lstm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct lstm_sizes *s = node->options;
    struct value *made[7] = {NULL}, *zeros[4] = {NULL};

    if (!incoming[0] || !value_is_contiguous(incoming[0]))
        zeros[0] = sequence(step, s, s->dtype, s->hidden);
    for (int i = 1; i < 3; i++)
        zeros[i] = incoming[i] ? NULL : matrix(step, s->dtype, s->batch, s->hidden);
    zeros[3] = value_vector(step, s->dtype, GATES * s->hidden); /* sum of the biases */
    lstm_gradients(step, s, made);
    value_drop_all(step, zeros, 4);
    node_give(step, node, made, 7, gradients);
}

static void
half_forward_buffers(struct step *step, const struct lstm_sizes *s)
{
    struct value *buffers[] = {
        value_buffer(step, blocked_weights(s->input, s->hidden)),
        value_buffer(step, blocked_weights(s->hidden, s->hidden)),
        value_buffer(step, half_forward_scratchpad(s, step->grad_mode)),
    };

    value_drop_all(step, buffers, 3);
}

static void
lstm_training_buffers(struct step *step, const struct lstm_sizes *s)
{
    const int64_t widths[] = {s->input, s->hidden};
    struct value *buffers[MAX_BUFFERS];
    int count = 0;

    for (int i = 0; i < 2; i++)
        if (widths[i] > 1)
            buffers[count++] = matrix(step, MEMMODEL_DTYPE_FLOAT32, widths[i], leading_dimension(GATES * s->hidden));
    buffers[count++] = value_buffer(step, lstm_scratchpad(s));
    value_drop_all(step, buffers, count);
}

static void
lstm_inference_buffers(struct step *step, const struct lstm_sizes *s)
{
    int64_t padded = round_up(s->hidden, BLOCK);
    struct value *buffers[] = {
        matrix(step, MEMMODEL_DTYPE_FLOAT32, s->input, GATES * padded),
        matrix(step, MEMMODEL_DTYPE_FLOAT32, s->hidden, GATES * padded),
        value_buffer(step, lstm_inference_scratchpad(s)),
    };

    value_drop_all(step, buffers, 3);
}

static void
forward_buffers(struct step *step, const struct lstm_sizes *s)
{
    if (is_half(s))
        half_forward_buffers(step, s);
    else if (step->grad_mode)
        lstm_training_buffers(step, s);
    else
        lstm_inference_buffers(step, s);
}

/* Zeros of the weights' shapes stand in for missing biases. */
static struct cell
with_biases(struct step *step, struct cell cell)
{
    if (cell.input_bias) {
        value_keep(cell.input_bias);
        value_keep(cell.hidden_bias);
    } else {
        cell.input_bias = value_copy(step, cell.hidden_weight);
        cell.hidden_bias = value_copy(step, cell.input_weight);
    }
    return cell;
}

/* In the order of the call. */
enum operand { X, INPUT_WEIGHT, HIDDEN_WEIGHT, INPUT_BIAS, HIDDEN_BIAS, HX, CX, OPERANDS };

static void
lstm_record(struct step *step, struct value *const inputs[OPERANDS], struct value *results[3], struct value *workspace,
            const struct lstm_sizes *sizes)
{
    static const struct derivative lstm = {"mkldnn_rnn_layer", lstm_backward};
    struct value *saved[] = {
        inputs[CX],          inputs[HX],         inputs[X],  inputs[INPUT_WEIGHT], inputs[HIDDEN_WEIGHT],
        inputs[HIDDEN_BIAS], inputs[INPUT_BIAS], results[0], results[1],           results[2],
        workspace,
    };
    struct node *node = node_new(step, &lstm, inputs, OPERANDS, 3);

    for (int i = 0; i < 3; i++)
        node_attach(step, node, results[i], i);
    for (size_t i = 0; i < sizeof saved / sizeof saved[0]; i++)
        step_save(step, node, saved[i]);
    if (node)
        node->options = sizes;
}

static void
run_cell(struct step *step, struct value *const operands[OPERANDS], struct value *results[3])
{
    struct lstm_sizes *sizes = step_arena_allocate(step, sizeof *sizes);
    const struct shape *x = &operands[X]->shape;
    struct value *bias, *workspace = NULL;

    if (!sizes)
        return;
    *sizes = (struct lstm_sizes){
        .length = x->dims[0],
        .batch = x->dims[1],
        .input = x->dims[2],
        .hidden = operands[HX]->shape.dims[1],
        .threads = step->machine.threads,
        .dtype = x->dtype,
        .before_2_11 = step->version < VERSION(2, 11),
    };
    results[0] = sequence(step, sizes, sizes->dtype, sizes->hidden);
    results[1] = matrix(step, sizes->dtype, sizes->batch, sizes->hidden);
    results[2] = matrix(step, sizes->dtype, sizes->batch, sizes->hidden);
    bias = value_vector(step, sizes->dtype, GATES * sizes->hidden);
    if (step->grad_mode)
        workspace = value_buffer(step, lstm_workspace(sizes));
    forward_buffers(step, sizes);
    value_drop(step, bias);
    lstm_record(step, operands, results, workspace, sizes);
    value_drop(step, workspace);
}

void
lstm_cell(struct step *step, struct value *x, struct cell given, struct value *hx, struct value *cx,
          struct value *results[3])
{
    struct cell cell = with_biases(step, given);
    struct value *operands[OPERANDS] = {x, cell.input_weight, cell.hidden_weight, cell.input_bias, cell.hidden_bias, hx,
                                        cx};

    for (int i = OPERANDS - 1; i >= 0; i--) /* autocast takes arguments from the last to the first */
        operands[i] = autocast_operand(step, operands[i]);
    if (!step->status)
        run_cell(step, operands, results);
    value_drop_all(step, operands, OPERANDS);
    value_drop(step, cell.input_bias);
    value_drop(step, cell.hidden_bias);
}

/* Below autograd, by name: torch.mkldnn_rnn_layer() of one LSTM, whose biases are there. */
void
mkldnn_lstm_forward(struct step *step, const struct layer *layer, int detail)
{
    struct cell cell = {.input_weight = step_input(step, layer, 1),
                        .hidden_weight = step_input(step, layer, 2),
                        .input_bias = step_input(step, layer, 3),
                        .hidden_bias = step_input(step, layer, 4)};
    struct value *results[3] = {NULL};
    bool grad_mode = step->grad_mode;

    (void)detail;
    step->grad_mode = attribute_integer(layer, "train", 0) != 0;
    lstm_cell(step, step_input(step, layer, 0), cell, step_input(step, layer, 5), step_input(step, layer, 6), results);
    step->grad_mode = grad_mode;
    for (int i = 0; i < 3 && results[i]; i++)
        step_output(step, layer, i, results[i]);
}
