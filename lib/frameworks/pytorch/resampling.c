/* Upsampling and padding. PyTorch: aten/src/ATen/native/UpSample*.cpp, cpu/UpSampleKernel.cpp, PadNd.cpp. */
#include "frameworks/pytorch/operators.h"

/* ---- upsampling: nothing is saved ---- */

void
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
    enum { MAX = 2 * 3 * 4 };
    int weight_type = value_sum_type(result), count = 0;
    struct value *tables[MAX];

    for (int i = 2; i < result->shape.rank; i++)
        for (int tap = 0; tap < taps; tap++) {
            tables[count++] = value_vector(step, MEMMODEL_DTYPE_INT64, result->shape.dims[i]);
            tables[count++] = value_vector(step, weight_type, result->shape.dims[i]);
        }
    for (int i = 0; i < count; i++)
        value_drop(step, tables[i]);
}

/* Small images go through channels-last copies of input and output, where these are not so already. */
static void
channels_last_copies(struct step *step, const struct value *x, const struct value *result)
{
    struct value *input = value_is_channels_last(x) ? NULL : value_copy(step, x);

    if (!value_is_channels_last(result))
        value_scratch(step, &result->shape);
    value_drop(step, input);
}

/* On a CPU: upsample_nearest2d_kernel_impl, upsample_bilinear2d_kernel_impl and upsample_*3d_kernel_impl choose among these. */
static void
upsample_kernel(struct step *step, const struct value *x, const struct value *result, int mode)
{
    enum { VECTORIZED_EDGES = 128, VECTORIZED_CHANNELS = 3 };
    static const int taps[] = {
        [MEMMODEL_INTERPOLATION_NEAREST] = 1, [MEMMODEL_INTERPOLATION_LINEAR] = 2, [MEMMODEL_INTERPOLATION_CUBIC] = 4};
    bool last = value_is_channels_last(x), wide = last && x->shape.dims[1] > VECTORIZED_CHANNELS;
    bool small = x->shape.rank == 4 && result->shape.dims[2] + result->shape.dims[3] <= VECTORIZED_EDGES;

    if (!step->device->host)
        return;
    if (x->shape.rank == 4 && mode != MEMMODEL_INTERPOLATION_CUBIC && (wide || small)) {
        channels_last_copies(step, x, result);
    } else if (!(x->shape.rank == 5 && wide)) {
        interpolation_tables(step, result, taps[mode]);
    }
}

struct value *
aten_upsample(struct step *step, struct value *x, const struct shape *shape, int mode)
{
    bool last = value_is_only_channels_last(x);
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct value *result;

    shape_strides(shape, strides);
    if (last)
        shape_strides_channels_last(shape, strides);
    result = value_empty_strided(step, shape, strides);
    upsample_kernel(step, x, result, mode);
    step_record(step, last ? &upsample_channels_last : &upsample, result, 1, &x);
    return result;
}

static void
upsample_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_upsample *options = layer->options;
    struct value *x = step_channels_first(step, step_input(step, layer, 0), options->layout), *result;
    struct shape shape = step_output_shape(step, layer, 0), given = shape;

    if (options->layout == MEMMODEL_LAYOUT_CHANNELS_LAST) {
        for (int i = 2; i < shape.rank; i++)
            shape.dims[i] = given.dims[i - 1];
        shape.dims[1] = given.dims[shape.rank - 1];
    }
    result = aten_upsample(step, x, &shape, options->kind);
    value_drop(step, x);
    step_output(step, layer, 0, step_from_channels_first(step, result, options->layout));
}

const struct rule pytorch_upsample = {OP_UPSAMPLE, upsample_forward};

/* ---- padding: reflection and replication keep their input, also where nothing is added ---- */

/* clone() of a part of it: its dims lie in memory in the same order. */
static struct value *
part_of(struct step *step, const struct value *x, const struct shape *shape)
{
    struct value part = *x;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    part.shape = *shape;
    strides_after(shape, (const struct value *[]){&part}, 1, strides);
    return value_empty_strided(step, shape, strides);
}

static void
constant_pad_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape shape = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);

    gradients[0] = part_of(step, incoming[0], &shape);
}

static const struct derivative constant_pad = {"constant_pad_nd", constant_pad_backward};
static const struct derivative mirror_pad = {"reflection_pad", layout_following_backward};

/* Nothing is added anywhere. */
static bool
is_part(const struct shape *part, const struct shape *whole)
{
    for (int i = 0; i < part->rank; i++)
        if (part->dims[i] > whole->dims[i])
            return false;
    return true;
}

struct value *
aten_constant_pad(struct step *step, struct value *x, const struct shape *shape)
{
    struct value *result;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    if (is_part(shape, &x->shape)) {
        result = part_of(step, x, shape);
    } else if (value_suggests_channels_last(x)) {
        shape_strides_channels_last(shape, strides);
        result = value_empty_strided(step, shape, strides);
    } else {
        result = value_empty(step, shape);
    }
    step_record(step, &constant_pad, result, 1, &x);
    return result;
}

/* ---- circular padding: an empty result, x copied into it, then slices of itself, the last axis first ---- */

struct circular {
    struct shape padded;
    int64_t copied[2 * MEMMODEL_MAX_RANK]; /* elements of the slices, in order */
    int copies, axes;
};

/* The copy of one slice: a gradient of the base, the slice's own laid out, zeros around it. Takes `gradient`. */
static struct value *
slice_copy_gradient(struct step *step, const struct circular *circular, int copy, struct value *gradient)
{
    struct value *base = value_empty(step, &circular->padded), *slice, *zeros;
    int dtype = circular->padded.dtype;

    slice = value_vector(step, dtype, circular->copied[copy]);
    value_drop(step, value_vector(step, dtype, circular->copied[copy]));
    value_drop(step, gradient);
    zeros = value_empty(step, &circular->padded);
    value_drop(step, slice);
    value_drop(step, zeros);
    return base;
}

static void
circular_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct circular *circular = node->options;
    struct value *gradient = incoming[0], *base, *inner;

    incoming[0] = NULL;
    for (int i = circular->copies - 1; i >= 0; i--)
        gradient = slice_copy_gradient(step, circular, i, gradient);
    base = value_empty(step, &circular->padded);
    inner = value_empty(step, &node->edges[0].shape);
    value_drop(step, base);
    value_drop(step, gradient);
    for (int i = 0; i < circular->axes; i++) {
        struct value *outer = inner;

        inner = value_empty(step, &node->edges[0].shape);
        value_drop(step, outer);
    }
    gradients[0] = inner;
}

/* Which slices are copied; `before` and `after` per axis. */
static void
find_slices(struct circular *circular, const int64_t *before, const int64_t *after)
{
    int64_t elements = shape_elements(&circular->padded);

    for (int i = circular->padded.rank - 1; i >= 0; i--) {
        int64_t pads[] = {before[i], after[i]};

        circular->axes += before[i] > 0 || after[i] > 0;
        for (int k = 0; k < 2; k++)
            if (pads[k] > 0)
                circular->copied[circular->copies++] = elements / max_i64(circular->padded.dims[i], 1) * pads[k];
    }
}

struct value *
aten_circular_pad(struct step *step, struct value *x, const int64_t *before, const int64_t *after)
{
    static const struct derivative pad_circular = {"pad_circular", circular_backward};
    struct circular *circular = step_arena_allocate(step, sizeof *circular);
    struct value *result;
    struct node *node;

    if (!circular)
        return &step->nothing;
    *circular = (struct circular){.padded = x->shape};
    for (int i = 0; i < x->shape.rank; i++)
        circular->padded.dims[i] += before[i] + after[i];
    find_slices(circular, before, after);
    result = value_empty(step, &circular->padded);
    node = step_record(step, &pad_circular, result, 1, &x);
    if (node)
        node->options = circular;
    return result;
}

/* ---- the others ---- */

struct value *
aten_mirror_pad(struct step *step, struct value *x, const struct shape *shape)
{
    struct value *result = value_empty(step, shape);

    step_save(step, step_record(step, &mirror_pad, result, 1, &x), x);
    return result;
}

static void
pad_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_pad *options = layer->options;
    struct value *x = step_input(step, layer, 0);
    struct shape shape = step_output_shape(step, layer, 0);

    if (options->kind == MEMMODEL_PAD_CIRCULAR)
        step_output(step, layer, 0, aten_circular_pad(step, x, options->before, options->after));
    else if (options->kind == MEMMODEL_PAD_CONSTANT)
        step_output(step, layer, 0, aten_constant_pad(step, x, &shape));
    else
        step_output(step, layer, 0, aten_mirror_pad(step, x, &shape));
}

const struct rule pytorch_pad = {OP_PAD, pad_forward};
