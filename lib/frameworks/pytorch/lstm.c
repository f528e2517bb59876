/*
 * An LSTM of one layer and direction: one oneDNN layer, with its workspace and scratchpad.
 * PyTorch: aten/src/ATen/native/mkldnn/RNN.cpp; sizes: oneDNN 3.12, src/cpu/rnn/rnn_utils.cpp.
 */
#include "frameworks/framework.h"
#include "frameworks/pytorch/recurrent.h"

/* ---- sizes of oneDNN's buffers ---- */

enum { FLOAT_BYTES = 4, PAGE = 4096, LINE = 64 / FLOAT_BYTES, BAD_STRIDE = 256 };

/* Rows are padded to whole cache lines, and by one more where they would all fall on the same lines. */
static int64_t
leading_dimension(int64_t elements)
{
    int64_t padded = round_up(elements, LINE);

    return padded % BAD_STRIDE == 0 ? padded + LINE : padded;
}

static int64_t
pages(int64_t elements)
{
    return round_up(elements * FLOAT_BYTES, PAGE);
}

struct lstm_sizes {
    int64_t length, batch, input, hidden;
    bool before_2_11;
};

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
        rows_of_gates * leading_dimension(4 * s->hidden) + hidden_parts * s->batch * leading_dimension(s->hidden);

    return s->before_2_11 ? FLOAT_BYTES * FLOAT_BYTES * floats + (1 + hidden_parts) * ALIGNMENT : 0;
}

/* Gates, then three of states and gradients of states for both passes, cells, and the layer's hidden part. */
static int64_t
lstm_workspace(const struct lstm_sizes *s)
{
    int64_t steps = s->length * s->batch, states = (s->length + 1) * s->batch;

    return pages(steps * leading_dimension(4 * s->hidden)) +
           (3 + repeated_states(s)) *
               round_up(states * leading_dimension(max_i64(s->input, s->hidden)) * 2 * FLOAT_BYTES, PAGE) +
           2 * pages(2 * states * s->hidden) + pages(steps * leading_dimension(s->hidden));
}

static int64_t
lstm_scratchpad(const struct lstm_sizes *s)
{
    enum { BOOKKEEPING = 4096 + 568 };

    return pages(s->length * s->batch * leading_dimension(4 * s->hidden)) +
           2 * pages(s->batch * leading_dimension(s->hidden)) + BOOKKEEPING +
           repeated_parts(s, s->length * s->batch, 2);
}

static int64_t
lstm_inference_scratchpad(const struct lstm_sizes *s)
{
    enum { LINE_OF_FLOATS = 16, SQUARE = 4096 + 1016, OTHER = 4096 + 856 };
    int64_t states = (s->length + 1) * s->batch;
    bool square = s->input == s->hidden && s->hidden % LINE_OF_FLOATS == 0;

    return pages(s->batch * leading_dimension(4 * s->hidden)) +
           (1 + repeated_states(s)) * pages(2 * states * leading_dimension(max_i64(s->input, s->hidden))) +
           pages(2 * states * s->hidden) + pages(s->batch * leading_dimension(s->hidden)) + (square ? SQUARE : OTHER) +
           repeated_parts(s, s->batch, 1);
}

/* ---- one layer in one direction. Inputs: x, weights, biases; outputs: y, hy, cy ---- */

enum { MAX_BUFFERS = 8 };

static struct value *
matrix(struct step *step, int64_t rows, int64_t columns)
{
    struct shape shape = {.dims = {rows, columns}, .rank = 2, .dtype = MEMMODEL_DTYPE_FLOAT32};

    return value_empty(step, &shape);
}

static struct value *
sequence(struct step *step, const struct lstm_sizes *s, int64_t width)
{
    struct shape shape = {.dims = {s->length, s->batch, width}, .rank = 3, .dtype = MEMMODEL_DTYPE_FLOAT32};

    return value_empty(step, &shape);
}

/* Weights and their gradients in oneDNN's layout, then the scratchpad; all freed. */
static void
lstm_backward_buffers(struct step *step, const struct lstm_sizes *s)
{
    const int64_t widths[] = {s->input, s->hidden};
    struct value *buffers[MAX_BUFFERS];
    int count = 0;

    for (int i = 0; i < 2; i++)
        if (leading_dimension(widths[i]) != widths[i])
            buffers[count++] = matrix(step, 4 * s->hidden, leading_dimension(widths[i]));
    for (int i = 0; i < 2; i++)
        buffers[count++] = matrix(step, widths[i], widths[i] > 1 ? leading_dimension(4 * s->hidden) : 4 * s->hidden);
    buffers[count++] = value_vector(step, MEMMODEL_DTYPE_FLOAT32, 4 * s->hidden);
    buffers[count++] = value_buffer(step, lstm_scratchpad(s));
    value_drop_all(step, buffers, count);
}

static void
lstm_gradients(struct step *step, const struct lstm_sizes *s, struct value *made[7])
{
    made[0] = sequence(step, s, s->input);
    made[5] = matrix(step, s->batch, s->hidden);
    made[6] = matrix(step, s->batch, s->hidden);
    made[1] = matrix(step, 4 * s->hidden, s->input);
    made[2] = matrix(step, 4 * s->hidden, s->hidden);
    made[3] = value_vector(step, MEMMODEL_DTYPE_FLOAT32, 4 * s->hidden);
    lstm_backward_buffers(step, s);
    made[4] = value_vector(step, MEMMODEL_DTYPE_FLOAT32, 4 * s->hidden);
}

static void
lstm_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct lstm_sizes *s = node->options;
    struct value *made[7] = {NULL}, *zeros[4] = {NULL};

    if (!incoming[0] || !value_is_contiguous(incoming[0]))
        zeros[0] = sequence(step, s, s->hidden);
    for (int i = 1; i < 3; i++)
        zeros[i] = incoming[i] ? NULL : matrix(step, s->batch, s->hidden);
    zeros[3] = value_vector(step, MEMMODEL_DTYPE_FLOAT32, 4 * s->hidden); /* sum of the biases */
    lstm_gradients(step, s, made);
    value_drop_all(step, zeros, 4);
    node_give(step, node, made, 7, gradients);
}

static void
lstm_training_buffers(struct step *step, const struct lstm_sizes *s)
{
    const int64_t widths[] = {s->input, s->hidden};
    struct value *buffers[MAX_BUFFERS];
    int count = 0;

    for (int i = 0; i < 2; i++)
        if (widths[i] > 1)
            buffers[count++] = matrix(step, widths[i], leading_dimension(4 * s->hidden));
    buffers[count++] = value_buffer(step, lstm_scratchpad(s));
    value_drop_all(step, buffers, count);
}

static void
lstm_inference_buffers(struct step *step, const struct lstm_sizes *s)
{
    enum { BLOCK = 32 };
    int64_t padded = round_up(s->hidden, BLOCK);
    struct value *buffers[] = {
        matrix(step, s->input, 4 * padded),
        matrix(step, s->hidden, 4 * padded),
        value_buffer(step, lstm_inference_scratchpad(s)),
    };

    value_drop_all(step, buffers, 3);
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

static void
lstm_record(struct step *step, struct value *x, const struct cell *cell, struct value *hx, struct value *cx,
            struct value *results[3], struct value *workspace, const struct lstm_sizes *sizes)
{
    static const struct derivative lstm = {"mkldnn_rnn_layer", lstm_backward};
    struct value *inputs[] = {x, cell->input_weight, cell->hidden_weight, cell->input_bias, cell->hidden_bias, hx, cx};
    struct value *saved[] = {
        cx,
        hx,
        x,
        cell->input_weight,
        cell->hidden_weight,
        cell->hidden_bias,
        cell->input_bias,
        results[0],
        results[1],
        results[2],
        workspace,
    };
    struct node *node = node_new(step, &lstm, inputs, 7, 3);

    for (int i = 0; i < 3; i++)
        node_attach(step, node, results[i], i);
    for (size_t i = 0; i < sizeof saved / sizeof saved[0]; i++)
        step_save(step, node, saved[i]);
    if (node)
        node->options = sizes;
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

void
lstm_cell(struct step *step, struct value *x, struct cell given, struct value *hx, struct value *cx,
          struct value *results[3])
{
    struct cell cell = with_biases(step, given);
    struct lstm_sizes *sizes = step_arena_allocate(step, sizeof *sizes);
    struct value *bias, *workspace = NULL;

    if (!sizes)
        return;
    *sizes = (struct lstm_sizes){
        .length = x->shape.dims[0],
        .batch = x->shape.dims[1],
        .input = x->shape.dims[2],
        .hidden = hx->shape.dims[1],
        .before_2_11 = step->version < VERSION(2, 11),
    };
    results[0] = sequence(step, sizes, sizes->hidden);
    results[1] = matrix(step, sizes->batch, sizes->hidden);
    results[2] = matrix(step, sizes->batch, sizes->hidden);
    bias = value_vector(step, MEMMODEL_DTYPE_FLOAT32, 4 * sizes->hidden);
    if (step->grad_mode) {
        workspace = value_buffer(step, lstm_workspace(sizes));
        lstm_training_buffers(step, sizes);
    } else {
        lstm_inference_buffers(step, sizes);
    }
    value_drop(step, bias);
    lstm_record(step, x, &cell, hx, cx, results, workspace, sizes);
    value_drop(step, workspace);
    value_drop(step, cell.input_bias);
    value_drop(step, cell.hidden_bias);
}
