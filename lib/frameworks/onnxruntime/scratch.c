/*
 * What kernels take from the arena while they run. onnxruntime: core/mlas/lib/convolve.cpp (MlasConvPrepare),
 * core/providers/cpu/nn/conv_transpose.cc, core/providers/cpu/rnn, core/providers/cpu/tensor/where_op.cc,
 * core/providers/cpu/math/softmax.cc (ComputeImplOpset13), contrib_ops/cpu/bert/bias_gelu.cc.
 */
#include "frameworks/onnxruntime/plan.h"

#include "base/checked.h"
#include "memmodel/layers.h"

#include <string.h>

/* MLAS_CONV_WORKING_BUFFER_SIZE_PER_THREAD: a panel of 128 by 128 floats. */
enum { PANEL_FLOATS = 128 * 128, FLOAT_BYTES = 4 };

/* a * b * c bytes more */
static bool
take(struct ort_scratch *scratch, int64_t a, int64_t b, int64_t c)
{
    int64_t *bytes = &scratch->bytes[scratch->count++];

    return checked_multiply(a, b, bytes) && checked_multiply(*bytes, c, bytes);
}

static bool
spatial_elements(const struct ort_graph *graph, int32_t tensor, int64_t *elements)
{
    const struct ort_tensor *of = ort_tensor_of(graph, tensor);

    return ort_elements(of->dims + 2, of->rank - 2, elements);
}

static int64_t
kernel_elements(const struct memmodel_conv *conv, int spatial)
{
    int64_t elements = 1;

    for (int i = 0; i < spatial; i++)
        if (!checked_multiply(elements, conv->kernel[i], &elements))
            return INT64_MAX;
    return elements;
}

/* One element of the kernel, one step, no padding: a matrix product on the image as it is. */
static bool
is_pointwise(const struct memmodel_conv *conv, int spatial)
{
    for (int i = 0; i < spatial; i++)
        if (conv->kernel[i] != 1 || conv->stride[i] != 1 || conv->padding[i] != 0)
            return false;
    return true;
}

/* Few pixels: the whole image is expanded. Else panels of it, one a thread. */
static bool
conv_scratch(const struct ort_graph *graph, const struct ort_node *node, int threads, struct ort_scratch *scratch)
{
    const struct memmodel_conv *conv = node->layer->options;
    int spatial = ort_tensor_of(graph, node->outputs[0])->rank - 2;
    int64_t pixels, depth = kernel_elements(conv, spatial), filters = conv->filters / conv->groups;

    if (node->layer->op != OP_CONV || is_pointwise(conv, spatial))
        return true;
    if (!spatial_elements(graph, node->outputs[0], &pixels) ||
        !checked_multiply(depth, ort_tensor_of(graph, node->inputs[0])->dims[1] / conv->groups, &depth))
        return false;
    return filters > pixels ? take(scratch, pixels, depth, FLOAT_BYTES)
                            : take(scratch, PANEL_FLOATS, FLOAT_BYTES, threads);
}

/* Columns of one image and group. */
static bool
transposed_scratch(const struct ort_graph *graph, const struct ort_node *node, int threads, struct ort_scratch *scratch)
{
    const struct memmodel_conv *conv = node->layer->options;
    int spatial = ort_tensor_of(graph, node->outputs[0])->rank - 2;
    int64_t pixels;

    (void)threads;
    if (node->layer->op != OP_CONV_TRANSPOSE)
        return true;
    return spatial_elements(graph, node->inputs[0], &pixels) &&
           checked_multiply(pixels, kernel_elements(conv, spatial), &pixels) &&
           take(scratch, pixels, conv->filters / conv->groups, FLOAT_BYTES);
}

/*
 * What a direction has, or all have in common: vectors, states of one step, the gates of all steps, biases; what runs
 * backwards in reverse, and the length of each sequence.
 * onnxruntime: uni_directional_lstm.cc, deep_cpu_gru.cc, AllocateBuffers; rnn.cc.
 */
struct recurrent_needs {
    int gates, states; /* states: of a batch */
    int biased_states; /* more of them with a bias */
    int vectors, biased_vectors;
    bool by_direction;
};

static const struct recurrent_needs recurrent_needs[] = {
    [MEMMODEL_RECURRENT_LSTM] = {.gates = 4, .states = 3, .vectors = 2, .biased_vectors = 4, .by_direction = true},
    [MEMMODEL_RECURRENT_GRU] = {.gates = 3, .states = 3, .biased_states = 4, .by_direction = true},
    [MEMMODEL_RECURRENT_RNN_TANH] = {.gates = 1},
    [MEMMODEL_RECURRENT_RNN_RELU] = {.gates = 1},
};

static bool
take_several(struct ort_scratch *scratch, int count, int64_t a, int64_t b)
{
    for (int i = 0; i < count; i++)
        if (!take(scratch, a, b, FLOAT_BYTES))
            return false;
    return true;
}

static bool
direction_scratch(struct ort_scratch *scratch, const struct recurrent_needs *needs, bool bias, int64_t width,
                  int64_t batch, int64_t steps)
{
    int64_t gates;

    return take_several(scratch, needs->vectors, width, 1) &&
           take_several(scratch, needs->states + bias * needs->biased_states, width, batch) &&
           checked_multiply(needs->gates, width, &gates) && take(scratch, gates, steps, FLOAT_BYTES) &&
           take_several(scratch, bias * needs->biased_vectors, width, 1) &&
           take_several(scratch, needs->by_direction, batch, 1);
}

static bool
recurrent_scratch(const struct ort_graph *graph, const struct ort_node *node, int threads, struct ort_scratch *scratch)
{
    const struct memmodel_recurrent *recurrent = node->layer->options;
    const struct recurrent_needs *needs = &recurrent_needs[recurrent->kind];
    const struct ort_tensor *x = ort_tensor_of(graph, node->inputs[0]);
    int directions = needs->by_direction && recurrent->bidirectional ? 2 : 1;
    int64_t width = recurrent->hidden_size, batch = x->dims[recurrent->batch_first ? 0 : 1], steps;

    (void)threads;
    if (!ort_elements(x->dims, 2, &steps))
        return false;
    for (int i = 0; i < directions; i++)
        if (!direction_scratch(scratch, needs, !recurrent->no_bias, width, batch, steps))
            return false;
    return directions == 1 ||
           (take(scratch, x->dims[2], steps, FLOAT_BYTES) && take(scratch, width, steps, FLOAT_BYTES));
}

/* Size of axis `back`, from the end, of an input; 1 where it has none, as a number that the file gives. */
static int64_t
dim_from_end(const struct ort_graph *graph, int32_t tensor, int back)
{
    int rank = tensor < 0 ? 0 : ort_tensor_of(graph, tensor)->rank;

    return back <= rank ? ort_tensor_of(graph, tensor)->dims[rank - back] : 1;
}

/* Where: what is chosen from either side, each the size of the condition and that side, before it is put together. */
static bool
where_scratch(const struct ort_graph *graph, const struct ort_node *node, int threads, struct ort_scratch *scratch)
{
    int64_t element = dtype_bytes(ort_tensor_of(graph, node->outputs[0])->dtype);

    (void)threads;
    for (int side = 1; side < node->input_count && side <= 2; side++) {
        int64_t part = 1;

        for (int back = 1; back <= MEMMODEL_MAX_RANK; back++) {
            int64_t a = dim_from_end(graph, node->inputs[0], back);
            int64_t b = dim_from_end(graph, node->inputs[side], back);

            if (!checked_multiply(part, a == 1 ? b : a, &part))
                return false;
        }
        if (!take(scratch, part, element, 1))
            return false;
    }
    return true;
}

/* Along another axis than the last: the input with that axis last, and the output before it is turned back. */
static bool
softmax_scratch(const struct ort_graph *graph, const struct ort_node *node, int threads, struct ort_scratch *scratch)
{
    const struct ort_tensor *y = ort_tensor_of(graph, node->outputs[0]);
    const struct memmodel_softmax *softmax = node->layer->op == OP_SOFTMAX ? node->layer->options : NULL;
    int64_t bytes;

    (void)threads;
    return !softmax || softmax->axis == y->rank - 1 ||
           (ort_tensor_bytes(y, &bytes) && take(scratch, bytes, 1, 1) && take(scratch, bytes, 1, 1));
}

/* x + bias, before the function. */
static bool
bias_gelu_scratch(const struct ort_graph *graph, const struct ort_node *node, int threads, struct ort_scratch *scratch)
{
    int64_t bytes;

    (void)threads;
    return ort_tensor_bytes(ort_tensor_of(graph, node->outputs[0]), &bytes) && take(scratch, bytes, 1, 1);
}

static const struct {
    const char *op;
    bool (*take)(const struct ort_graph *graph, const struct ort_node *node, int threads, struct ort_scratch *scratch);
} rows[] = {
    {"Conv", conv_scratch},           {"FusedConv", conv_scratch}, {"ConvTranspose", transposed_scratch},
    {"recurrent", recurrent_scratch}, {"Where", where_scratch},    {"Softmax", softmax_scratch},
    {"BiasGelu", bias_gelu_scratch},
};

bool
ort_scratch_of(const struct ort_graph *graph, const struct ort_node *node, int threads, struct ort_scratch *scratch)
{
    scratch->count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].op, node->op) == 0)
            return rows[i].take(graph, node, threads, scratch);
    return true;
}
