/*
 * Convolutions. Sizes: PyTorch, torch.nn.Conv2d and torch.nn.ConvTranspose2d; "same" as TensorFlow, tf.nn.convolution.
 */
#include "network/builder.h"

static const struct field conv_fields[] = {
    FIELD_ARRAY(memmodel_conv, filters, 1),
    FIELD_ARRAY(memmodel_conv, kernel, 3),
    FIELD_ARRAY(memmodel_conv, stride, 3),
    FIELD_ARRAY(memmodel_conv, dilation, 3),
    FIELD_ARRAY(memmodel_conv, padding, 3),
    FIELD_ARRAY(memmodel_conv, output_padding, 3),
    FIELD_ARRAY(memmodel_conv, groups, 1),
    FIELD_CHOICE(memmodel_conv, auto_pad, padding_names),
    FIELD(memmodel_conv, layout, FIELD_LAYOUT),
    FIELD(memmodel_conv, no_bias, FIELD_FLAG),
    FIELD_CHOICE(memmodel_conv, activation, activation_names),
    FIELD(memmodel_conv, tied_to, FIELD_LAYER),
    FIELDS_END,
};

/* ---- options ---- */

enum { MAX = 1 << 30 }; /* of a kernel, stride, ... : sums of their products stay far within 63 bits */

static int
check_numbers(struct draft *draft, const int64_t *numbers, const char *what)
{
    for (int i = 0; i < 3; i++)
        if (numbers[i] > MAX)
            return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "%s %lld is too large", what,
                               (long long)numbers[i]);
    return 0;
}

static int
complete(struct draft *draft, struct memmodel_conv *conv)
{
    if (conv->filters == 0)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "filters is 0");
    if (conv->kernel[0] == 0)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "kernel is 0");
    repeat_first(conv->kernel, 1);
    repeat_first(conv->stride, 1);
    repeat_first(conv->dilation, 1);
    if (conv->groups == 0)
        conv->groups = 1;
    if (conv->auto_pad != MEMMODEL_AUTO_PAD_EXPLICIT && (conv->padding[0] || conv->padding[1] || conv->padding[2]))
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "pad is given, but the padding is not explicit");
    if (check_numbers(draft, conv->kernel, "kernel") || check_numbers(draft, conv->stride, "stride") ||
        check_numbers(draft, conv->dilation, "dilation") || check_numbers(draft, conv->padding, "pad") ||
        check_numbers(draft, conv->output_padding, "output_padding"))
        return draft->status;
    if (conv->filters % conv->groups)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "%lld filters are not a multiple of %lld groups",
                           (long long)conv->filters, (long long)conv->groups);
    return 0;
}

static int64_t
window_extent(const struct memmodel_conv *conv, int spatial)
{
    return conv->dilation[spatial] * (conv->kernel[spatial] - 1) + 1;
}

static int64_t
min_input(const void *options, int spatial)
{
    const struct memmodel_conv *conv = options;

    return conv->auto_pad == MEMMODEL_AUTO_PAD_SAME ? 1 : window_extent(conv, spatial) - 2 * conv->padding[spatial];
}

/* ---- parameters ---- */

static int
add_parameters(struct draft *draft, const struct memmodel_shape *x, memmodel_dim first, memmodel_dim second)
{
    const struct memmodel_conv *conv = draft->options;
    struct memmodel_shape weight = {.dims = {first, second}, .rank = x->rank, .dtype = x->dtype};

    for (int i = 0; i < x->rank - 2; i++)
        weight.dims[2 + i] = conv->kernel[i];
    draft_parameter(draft, "weight", true, &weight);
    return conv->no_bias ? draft->status : draft_vector(draft, "bias", x->dtype, conv->filters);
}

/* Output elements (or, transposed, input elements) times what one of them takes. */
static int
multiply_adds(const memmodel_network *network, const struct layer *layer, const struct memmodel_shape *image,
              struct product *product)
{
    const struct parameter *weight = &network->parameters[layer->parameters[0]];

    product->count = 0;
    for (int i = 0; i < image->rank; i++)
        product->factors[product->count++] = image->dims[i];
    for (int i = 1; i < weight->rank; i++)
        product->factors[product->count++] = weight->dims[i];
    return 1;
}

/* ---- convolution ---- */

static memmodel_dim
conv_size(struct draft *draft, int axis, memmodel_dim size, int i)
{
    const struct memmodel_conv *conv = draft->options;

    if (conv->auto_pad == MEMMODEL_AUTO_PAD_SAME)
        return dim_ceil_divide(draft, size, conv->stride[i]);
    if (size >= 0 && size < min_input(conv, i)) {
        draft_error(draft, MEMMODEL_ERROR_SHAPE, "axis %d: the kernel needs at least %lld elements, the input has %lld",
                    axis, (long long)min_input(conv, i), (long long)size);
        return 0;
    }
    return dim_window(draft, axis, size, -min_input(conv, i), conv->stride[i], 1);
}

static int
infer_conv(struct draft *draft)
{
    struct memmodel_conv *conv = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), y = x;
    int channels = channel_axis(conv->layout, x.rank);
    memmodel_dim group;

    if (draft_require_rank(draft, 0, 3, 5) || complete(draft, conv))
        return draft->status;
    group = dim_divide_exactly(draft, channels, x.dims[channels], conv->groups);
    add_parameters(draft, &x, conv->filters, group);
    y.dims[channels] = conv->filters;
    for (int i = 0; i < x.rank - 2; i++) {
        int axis = spatial_axis(conv->layout, i);

        y.dims[axis] = conv_size(draft, axis, x.dims[axis], i);
    }
    return draft_output(draft, &y);
}

static int
conv_multiply_adds(const memmodel_network *network, const struct layer *layer, struct product *products)
{
    struct memmodel_shape y;

    memmodel_network_get_shape(network, layer->first_output, &y);
    return multiply_adds(network, layer, &y, products);
}

const struct op_description op_conv = {
    .name = "conv",
    OPTIONS(memmodel_conv, conv_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .activation = offsetof(struct memmodel_conv, activation),
    .shared = offsetof(struct memmodel_conv, tied_to),
    .infer = infer_conv,
    .multiply_adds = conv_multiply_adds,
    .min_input = min_input,
};

memmodel_tensor
memmodel_network_conv(memmodel_network *network, memmodel_tensor x, const struct memmodel_conv *options)
{
    return network_add(network, OP_CONV, &x, 1, options);
}

/* ---- transposed convolution ---- */

static memmodel_dim
transposed_size(struct draft *draft, int axis, memmodel_dim size, int i)
{
    const struct memmodel_conv *conv = draft->options;
    memmodel_dim scaled = dim_multiply(draft, size, conv->stride[i]);

    if (conv->auto_pad == MEMMODEL_AUTO_PAD_SAME)
        return scaled;
    return dim_window(draft, axis, scaled,
                      window_extent(conv, i) - conv->stride[i] - 2 * conv->padding[i] + conv->output_padding[i], 1, 0);
}

static int
infer_conv_transpose(struct draft *draft)
{
    struct memmodel_conv *conv = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), y = x;
    int channels = channel_axis(conv->layout, x.rank);

    if (draft_require_rank(draft, 0, 3, 5) || complete(draft, conv))
        return draft->status;
    dim_divide_exactly(draft, channels, x.dims[channels], conv->groups);
    add_parameters(draft, &x, x.dims[channels], conv->filters / conv->groups);
    y.dims[channels] = conv->filters;
    for (int i = 0; i < x.rank - 2; i++) {
        int axis = spatial_axis(conv->layout, i);

        if (conv->output_padding[i] && conv->output_padding[i] >= conv->stride[i] &&
            conv->output_padding[i] >= conv->dilation[i])
            return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT,
                               "axis %d: output_padding must be less than the stride or the dilation", axis);
        y.dims[axis] = transposed_size(draft, axis, x.dims[axis], i);
    }
    return draft_output(draft, &y);
}

static int
conv_transpose_multiply_adds(const memmodel_network *network, const struct layer *layer, struct product *products)
{
    struct memmodel_shape x;

    memmodel_network_get_shape(network, layer->inputs[0], &x);
    return multiply_adds(network, layer, &x, products);
}

const struct op_description op_conv_transpose = {
    .name = "conv_transpose",
    OPTIONS(memmodel_conv, conv_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .activation = offsetof(struct memmodel_conv, activation),
    .shared = offsetof(struct memmodel_conv, tied_to),
    .infer = infer_conv_transpose,
    .multiply_adds = conv_transpose_multiply_adds,
};

memmodel_tensor
memmodel_network_conv_transpose(memmodel_network *network, memmodel_tensor x, const struct memmodel_conv *options)
{
    return network_add(network, OP_CONV_TRANSPOSE, &x, 1, options);
}
