/*
 * What oneDNN's kernel for the gradient of a convolution's weights takes from malloc. With AVX2 it is a matrix product
 * on columns of the image, which for channels last needs the image transposed besides: taken for volumes. oneDNN 3.7
 * (Apache-2.0): src/cpu/gemm_convolution_utils.cpp, init_conf; which kernel is taken was seen with ONEDNN_VERBOSE on
 * TensorFlow 2.21.
 */
#include "frameworks/tensorflow/build.h"

#include "base/checked.h"

enum {
    FLOAT_BYTES = 4,
    POINTS_A_THREAD = 256, /* below, threads take whole images */
    LIMIT_FACTOR = 15,     /* scratchpad against the tensors */
};

static const int64_t max_scratchpad = INT64_C(1) << 30;

struct columns {
    int64_t channels, kernel;       /* channels of the input; points of the kernel */
    int64_t image, target, slice;   /* points of the input, of the output, and of that in a depth slice */
    int64_t batch, groups, tensors; /* bytes of input, weights and output */
};

static int64_t
spatial_points(struct build *build, memmodel_tensor tensor, int layout, bool slice)
{
    const struct tensor *t = &build->network->tensors[tensor];
    int first = layout == MEMMODEL_LAYOUT_CHANNELS_LAST ? 1 : 2, last = first + t->rank - 2;
    int64_t points = 1;

    for (int i = slice && last - first > 2 ? last - 2 : first; i < last; i++)
        points = build_times(build, points, build_dim(build, t->dims[i]));
    return points;
}

static struct columns
columns_of(struct build *build, const struct layer *layer)
{
    const struct memmodel_conv *conv = layer->options;
    const struct tensor *x = &build->network->tensors[layer->inputs[0]];
    int32_t weight = build_parameter(layer, "weight");
    struct columns c = {.kernel = 1, .groups = conv->groups};
    int64_t y = build_output_bytes(build, layer), tensors = build_bytes(build, layer->inputs[0]);

    for (int i = 0; i < x->rank - 2; i++)
        c.kernel = build_times(build, c.kernel, conv->kernel[i]);
    c.batch = build_dim(build, x->dims[0]);
    c.channels = build_dim(build, x->dims[conv->layout == MEMMODEL_LAYOUT_CHANNELS_LAST ? x->rank - 1 : 1]) / c.groups;
    c.image = spatial_points(build, layer->inputs[0], conv->layout, false);
    c.target = spatial_points(build, layer->first_output, conv->layout, false);
    c.slice = spatial_points(build, layer->first_output, conv->layout, true);
    if (!checked_accumulate(&tensors, y) || !checked_accumulate(&tensors, build_parameter_bytes(build, weight)))
        build_times(build, INT64_MAX, 2);
    c.tensors = tensors;
    return c;
}

/* The direct kernel for AVX2 refuses padded volumes. */
static bool
is_padded_volume(const struct build *build, const struct layer *layer)
{
    const struct memmodel_conv *conv = layer->options;
    bool volume = build->network->tensors[layer->first_output].rank == 5;

    return volume && conv->kernel[0] > 1 && (conv->auto_pad == MEMMODEL_AUTO_PAD_SAME || conv->padding[0] > 0);
}

static bool
is_product(const struct build *build, const struct layer *layer)
{
    return layer->op == OP_CONV && target_cpu_isa(build->job->isa) == CPU_ISA_AVX2 && is_padded_volume(build, layer) &&
           ((const struct memmodel_conv *)layer->options)->groups == 1;
}

static struct heap_need
product_need(struct build *build, const struct columns *c, int64_t weights)
{
    int64_t column = build_times(build, build_times(build, FLOAT_BYTES * c->channels, c->kernel), c->slice);
    int64_t image = build_times(build, FLOAT_BYTES * c->channels, c->image), threads = build->job->intra_op_threads,
            each = column;
    struct heap_need need = {0, 0, 0};
    bool reduced;

    if (build->status || !checked_accumulate(&each, image))
        return need;
    if (c->slice / threads >= POINTS_A_THREAD || c->batch == 1 ||
        build_times(build, threads, each + weights) >=
            min_i64(max_scratchpad, build_times(build, LIMIT_FACTOR * threads, c->tensors)))
        threads = 1;
    reduced = threads > 1;
    /*
     * the reduction buffer is booked in floats by its size in bytes: four times what is used, and unused by one thread
     */
    need.columns = build_times(build, build_times(build, column / c->slice, c->target), c->batch);
    need.booked = build_times(build, threads, each + FLOAT_BYTES * weights);
    need.touched = build_times(build, threads, each + (reduced ? weights : 0));
    return need;
}

struct heap_need
convolution_heap(struct build *build, const struct layer *layer)
{
    struct heap_need none = {0, 0, 0};
    struct columns c;

    if (!is_product(build, layer))
        return none;
    c = columns_of(build, layer);
    return build->status ? none
                         : product_need(build, &c, build_parameter_bytes(build, build_parameter(layer, "weight")));
}
