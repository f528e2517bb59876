/*
 * What a TensorFlow process holds besides base, pool and tensors: traced and optimised graphs, kernels compiled for
 * them, and what malloc keeps of the kernels' buffers. Measured with TensorFlow 2.21 and Keras 3.15 on networks with
 * tiny tensors, where it is linear in the number of layers.
 */
#include "frameworks/tensorflow/build.h"

#include "base/checked.h"

enum { PASSES = 3, PACKING_BUFFERS = 10, PACKING_BYTES = 1130 };

static const int64_t first_step = 16100000;
static const int64_t layer_objects = 80000; /* of Keras */
static const int64_t layer_otherwise = 300000;
static const int64_t bias_graph = 270000;  /* of a convolution or matrix product, besides its own */
static const int64_t swish_graph = 530000; /* its gradient is a function of its own */
static const int64_t compiled = 520000;    /* the kernels of a distinct convolution */

/* Graph of a layer, forward and backward, without its parameters. */
static const int64_t layer_graphs[OP_COUNT] = {
    [OP_CONV] = 430000,        [OP_CONV_TRANSPOSE] = 430000, [OP_LINEAR] = 430000,     [OP_BATCH_NORM] = 2150000,
    [OP_LAYER_NORM] = 2300000, [OP_RECURRENT] = 21500000,    [OP_ACTIVATION] = 150000, [OP_DROPOUT] = 500000,
    [OP_POOL] = 400000,        [OP_CONCAT] = 400000,         [OP_BINARY] = 200000,     [OP_ATTENTION] = 2500000,
    [OP_MATMUL] = 700000,
};

static bool
is_swish(const struct layer *layer)
{
    return layer->op == OP_ACTIVATION &&
           ((const struct memmodel_activation *)layer->options)->kind == MEMMODEL_ACTIVATION_SILU;
}

static bool
is_convolution(const struct layer *layer)
{
    return layer->op == OP_CONV || layer->op == OP_CONV_TRANSPOSE;
}

static int64_t
graph_of_layer(const struct layer *layer)
{
    bool weighted = is_convolution(layer) || layer->op == OP_LINEAR;
    int64_t bias = weighted && build_parameter(layer, "bias") != NOTHING ? bias_graph : 0;

    if (layer_is_given(layer) || layer->op == OP_LOSS || layer->fused)
        return 0;
    if (is_swish(layer))
        return swish_graph;
    return bias + (layer_graphs[layer->op] ? layer_graphs[layer->op] : layer_otherwise);
}

int64_t
process_object_bytes(const struct build *build)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < build->network->layer_count; i++)
        bytes += graph_of_layer(&build->network->layers[i]) ? layer_objects : 0;
    return bytes;
}

/* ---- compiled kernels ---- */

static bool
same_shape(const struct build *build, memmodel_tensor a, memmodel_tensor b)
{
    const struct tensor *x = &build->network->tensors[a], *y = &build->network->tensors[b];

    for (int i = 0; i < x->rank; i++)
        if (x->rank != y->rank || build_dim(build, x->dims[i]) != build_dim(build, y->dims[i]))
            return false;
    return true;
}

static bool
same_convolution(struct build *build, const struct layer *a, const struct layer *b)
{
    return a->op == b->op && same_shape(build, a->inputs[0], b->inputs[0]) &&
           same_shape(build, a->first_output, b->first_output) &&
           build_parameter_bytes(build, build_parameter(a, "weight")) ==
               build_parameter_bytes(build, build_parameter(b, "weight"));
}

static bool
seen_before(struct build *build, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_convolution(&build->network->layers[i]) &&
            same_convolution(build, &build->network->layers[i], &build->network->layers[index]))
            return true;
    return false;
}

/* ---- what malloc keeps ---- */

/* Largest buffer of one kernel that is not given back: of the weights in its own order, or of columns. */
static int64_t
max_kept(struct build *build)
{
    int64_t largest = 0;

    for (size_t i = 0; i < build->network->layer_count; i++) {
        const struct layer *layer = &build->network->layers[i];
        struct heap_need need;

        if (!is_convolution(layer))
            continue;
        need = convolution_heap(build, layer);
        largest = max_i64(largest, build_parameter_bytes(build, build_parameter(layer, "weight")));
        if (need.booked <= MAX_KEPT_BYTES)
            largest = max_i64(largest, need.touched);
    }
    return largest;
}

/*
 * With AVX-512 all three passes of a convolution keep their reordered weights (fitted: six copies with two threads);
 * with AVX2 a thread's largest buffer serves all.
 */
static int
kept_at_once(const struct build *build)
{
    return target_cpu_isa(build->job->isa) == CPU_ISA_AVX512 ? PASSES : 1;
}

static int64_t
middle_of(int64_t a, int64_t b, int64_t c)
{
    return max_i64(min_i64(a, b), min_i64(max_i64(a, b), c));
}

/* A matrix product packs its operands: by the middle one of its three sizes. */
static int64_t
largest_packing(struct build *build)
{
    int64_t largest = 0;

    for (size_t i = 0; i < build->network->layer_count; i++) {
        const struct layer *layer = &build->network->layers[i];
        const struct tensor *x, *y;
        int64_t rows = 1;

        if (layer->op != OP_LINEAR)
            continue;
        x = &build->network->tensors[layer->inputs[0]];
        y = &build->network->tensors[layer->first_output];
        for (int k = 0; k < x->rank - 1; k++)
            rows = build_times(build, rows, build_dim(build, x->dims[k]));
        largest = max_i64(
            largest, middle_of(rows, build_dim(build, x->dims[x->rank - 1]), build_dim(build, y->dims[y->rank - 1])));
    }
    return build_times(build, largest, PACKING_BUFFERS * PACKING_BYTES);
}

static void
add(struct build *build, int64_t *sum, int64_t bytes)
{
    if (!checked_accumulate(sum, bytes))
        build_times(build, INT64_MAX, 2);
}

int64_t
process_graph_bytes(struct build *build)
{
    int64_t bytes = first_step;

    for (size_t i = 0; i < build->network->layer_count; i++) {
        add(build, &bytes, graph_of_layer(&build->network->layers[i]));
        if (is_convolution(&build->network->layers[i]) && !seen_before(build, i))
            add(build, &bytes, compiled);
    }
    for (size_t i = 0; i < build->network->parameter_count; i++)
        if (build->network->parameters[i].trainable)
            add(build, &bytes, optimizer_graph_bytes(build->optimizer));
    add(build, &bytes,
        build_times(build, max_kept(build), build_times(build, build->job->intra_op_threads, kept_at_once(build))));
    add(build, &bytes, largest_packing(build));
    return bytes;
}
