/* Upsampling and padding. PyTorch: aten/src/ATen/native/UpSample*.cpp, cpu/UpSampleKernel.cpp, PadNd.cpp. */
#include "frameworks/pytorch/operators.h"

/* ---- upsampling: nothing is saved ---- */

static void
input_shaped_gradient(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape shape = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);

    gradients[0] = value_empty(step, &shape);
}

static void
upsample_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    input_shaped_gradient(step, node, incoming, gradients);
    contiguous_scratch(step, incoming[0]);
}

static const struct derivative upsample = {"upsample", upsample_backward};
static const struct derivative upsample_channels_last = {"upsample", input_shaped_gradient};

/* Per dim and tap an index and a weight for each point of the output, all freed when it is done. */
static void
interpolation_tables(struct step *step, const struct value *result, int taps)
{
    enum { MOST = 2 * 3 * 4 };
    int weight_type = result->shape.dtype == MEMMODEL_FLOAT64 ? MEMMODEL_FLOAT64 : MEMMODEL_FLOAT32, count = 0;
    struct value *tables[MOST];

    for (int i = 2; i < result->shape.rank; i++)
        for (int tap = 0; tap < taps; tap++) {
            tables[count++] = value_vector(step, MEMMODEL_INT64, result->shape.dims[i]);
            tables[count++] = value_vector(step, weight_type, result->shape.dims[i]);
        }
    for (int i = 0; i < count; i++)
        value_drop(step, tables[i]);
}

/* Small images go through channels-last copies of input and output. */
static void
channels_last_copies(struct step *step, const struct value *x, const struct value *result)
{
    struct value *input = value_copy(step, x);

    value_scratch(step, &result->shape);
    value_drop(step, input);
}

/* upsample_nearest2d_kernel_impl, upsample_bilinear2d_kernel_impl and upsample_*3d_kernel_impl choose among these. */
static void
upsample_kernel(struct step *step, const struct value *x, const struct value *result, int mode)
{
    enum { VECTORIZED_EDGES = 128, VECTORIZED_CHANNELS = 3 };
    static const int taps[] = {[MEMMODEL_NEAREST] = 1, [MEMMODEL_LINEAR] = 2, [MEMMODEL_CUBIC] = 4};
    bool last = value_is_channels_last(x), wide = last && x->shape.dims[1] > VECTORIZED_CHANNELS;
    bool small = x->shape.rank == 4 && result->shape.dims[2] + result->shape.dims[3] <= VECTORIZED_EDGES;

    if (x->shape.rank == 4 && mode != MEMMODEL_CUBIC && (wide || small)) {
        if (!last)
            channels_last_copies(step, x, result);
    } else if (!(x->shape.rank == 5 && wide)) {
        interpolation_tables(step, result, taps[mode]);
    }
}

static void
upsample_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_upsample *options = layer->options;
    struct value *x = step_channels_first(step, step_input(step, layer, 0), options->layout), *result;
    bool last = value_is_only_channels_last(x);
    struct shape shape = step_output_shape(step, layer, 0), given = shape;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    if (options->layout == MEMMODEL_CHANNELS_LAST) {
        for (int i = 2; i < shape.rank; i++)
            shape.dims[i] = given.dims[i - 1];
        shape.dims[1] = given.dims[shape.rank - 1];
    }
    shape_strides(&shape, strides);
    if (last)
        shape_strides_channels_last(&shape, strides);
    result = value_empty_strided(step, &shape, strides);
    upsample_kernel(step, x, result, options->mode);
    step_record(step, last ? &upsample_channels_last : &upsample, result, 1, &x);
    value_drop(step, x);
    step_output(step, layer, 0, step_from_channels_first(step, result, options->layout));
}

const struct rule pytorch_upsample = {OP_UPSAMPLE, upsample_forward};

/* ---- padding: reflection and replication keep their input, also where nothing is added ---- */

static const struct derivative constant_pad = {"constant_pad_nd", input_shaped_gradient};
static const struct derivative mirror_pad = {"reflection_pad", upsample_backward};

struct value *
aten_constant_pad(struct step *step, struct value *x, const struct shape *shape)
{
    struct value *result;

    if (shape_equal(shape, &x->shape))
        return aten_clone(step, x);
    result = value_empty(step, shape);
    step_record(step, &constant_pad, result, 1, &x);
    return result;
}

static void
pad_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_pad *options = layer->options;
    struct value *x = step_input(step, layer, 0), *result;
    struct shape shape = step_output_shape(step, layer, 0);

    if (options->mode == MEMMODEL_PAD_CIRCULAR) {
        estimate_forward(step, layer);
        return;
    }
    if (options->mode == MEMMODEL_PAD_CONSTANT) {
        step_output(step, layer, 0, aten_constant_pad(step, x, &shape));
        return;
    }
    result = value_empty(step, &shape);
    step_save(step, step_record(step, &mirror_pad, result, 1, &x), x);
    step_output(step, layer, 0, result);
}

const struct rule pytorch_pad = {OP_PAD, pad_forward};
