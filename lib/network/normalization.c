/* Normalisations. Parameters: torch.nn.BatchNorm2d, LayerNorm, GroupNorm, InstanceNorm2d, RMSNorm. */
#include "network/builder.h"

#include <string.h>

static const struct field batch_fields[] = {
    FIELD(memmodel_batch_norm, layout, FIELD_LAYOUT),
    FIELD(memmodel_batch_norm, no_affine, FIELD_FLAG),
    FIELD(memmodel_batch_norm, no_running_stats, FIELD_FLAG),
    FIELD(memmodel_batch_norm, reserved, FIELD_RESERVED),
    FIELDS_END,
};

static const struct field layer_fields[] = {
    FIELD_ARRAY(memmodel_layer_norm, axis_count, 1),
    FIELD(memmodel_layer_norm, no_affine, FIELD_FLAG),
    FIELD(memmodel_layer_norm, no_bias, FIELD_FLAG),
    FIELDS_END,
};

static const struct field rms_fields[] = {
    FIELD_ARRAY(memmodel_rms_norm, axis_count, 1),
    FIELD(memmodel_rms_norm, no_affine, FIELD_FLAG),
    FIELD(memmodel_rms_norm, reserved, FIELD_RESERVED),
    FIELDS_END,
};

static const struct field group_fields[] = {
    FIELD_ARRAY(memmodel_group_norm, groups, 1),
    FIELD(memmodel_group_norm, layout, FIELD_LAYOUT),
    FIELD(memmodel_group_norm, no_affine, FIELD_FLAG),
    FIELDS_END,
};

static const struct field instance_fields[] = {
    FIELD(memmodel_instance_norm, layout, FIELD_LAYOUT),
    FIELD(memmodel_instance_norm, affine, FIELD_FLAG),
    FIELDS_END,
};

/* Scale and shift of one element per channel. */
static int
add_channel_parameters(struct draft *draft, const struct memmodel_shape *x, memmodel_dim channels)
{
    draft_vector(draft, "weight", x->dtype, channels);
    return draft_vector(draft, "bias", x->dtype, channels);
}

/* ---- per channel ---- */

static int
infer_batch(struct draft *draft)
{
    const struct memmodel_batch_norm *norm = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), statistics = {.rank = 1, .dtype = x.dtype};

    if (draft_require_rank(draft, 0, 2, 5))
        return draft->status;
    statistics.dims[0] = x.dims[channel_axis(norm->layout, x.rank)];
    if (!norm->no_affine)
        add_channel_parameters(draft, &x, statistics.dims[0]);
    if (!norm->no_running_stats) {
        draft_parameter(draft, "running_mean", false, &statistics);
        draft_parameter(draft, "running_var", false, &statistics);
    }
    return draft_output(draft, &x);
}

static int
infer_instance(struct draft *draft)
{
    const struct memmodel_instance_norm *norm = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0);

    if (draft_require_rank(draft, 0, 3, 5))
        return draft->status;
    if (norm->affine)
        add_channel_parameters(draft, &x, x.dims[channel_axis(norm->layout, x.rank)]);
    return draft_output(draft, &x);
}

static int
infer_group(struct draft *draft)
{
    const struct memmodel_group_norm *norm = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0);
    int channels = channel_axis(norm->layout, x.rank);

    if (draft_require_rank(draft, 0, 2, MEMMODEL_MAX_RANK))
        return draft->status;
    if (norm->groups == 0)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "groups is 0");
    dim_divide_exactly(draft, channels, x.dims[channels], norm->groups);
    if (!norm->no_affine)
        add_channel_parameters(draft, &x, x.dims[channels]);
    return draft_output(draft, &x);
}

/* ---- over the last dimensions ---- */

/* The last `axis_count` dimensions of x; 0 is 1. */
static int
normalized_shape(struct draft *draft, int64_t *axis_count, struct memmodel_shape *shape)
{
    struct memmodel_shape x = draft_shape(draft, 0);

    if (*axis_count == 0)
        *axis_count = 1;
    if (*axis_count > x.rank)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "%lld axes of a tensor with %d dimensions",
                           (long long)*axis_count, x.rank);
    *shape = (struct memmodel_shape){.rank = (int32_t)*axis_count, .dtype = x.dtype};
    memcpy(shape->dims, x.dims + (x.rank - shape->rank), (size_t)shape->rank * sizeof shape->dims[0]);
    return 0;
}

static int
infer_layer(struct draft *draft)
{
    struct memmodel_layer_norm *norm = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), weight;

    if (normalized_shape(draft, &norm->axis_count, &weight))
        return draft->status;
    if (!norm->no_affine)
        draft_parameter(draft, "weight", true, &weight);
    if (!norm->no_affine && !norm->no_bias)
        draft_parameter(draft, "bias", true, &weight);
    return draft_output(draft, &x);
}

static int
infer_rms(struct draft *draft)
{
    struct memmodel_rms_norm *norm = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), weight;

    if (normalized_shape(draft, &norm->axis_count, &weight))
        return draft->status;
    if (!norm->no_affine)
        draft_parameter(draft, "weight", true, &weight);
    return draft_output(draft, &x);
}

#define NORM(name_, fields_, infer_)                                                                                   \
    {                                                                                                                  \
        .name = #name_, OPTIONS(memmodel_##name_, fields_), INPUTS(1, 1), .infer = (infer_)                            \
    }

const struct op_description op_batch_norm = NORM(batch_norm, batch_fields, infer_batch);
const struct op_description op_layer_norm = NORM(layer_norm, layer_fields, infer_layer);
const struct op_description op_group_norm = NORM(group_norm, group_fields, infer_group);
const struct op_description op_instance_norm = NORM(instance_norm, instance_fields, infer_instance);
const struct op_description op_rms_norm = NORM(rms_norm, rms_fields, infer_rms);

memmodel_tensor
memmodel_network_batch_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_batch_norm *options)
{
    return network_add(network, OP_BATCH_NORM, &x, 1, options);
}

memmodel_tensor
memmodel_network_layer_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_layer_norm *options)
{
    return network_add(network, OP_LAYER_NORM, &x, 1, options);
}

memmodel_tensor
memmodel_network_group_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_group_norm *options)
{
    return network_add(network, OP_GROUP_NORM, &x, 1, options);
}

memmodel_tensor
memmodel_network_instance_norm(memmodel_network *network, memmodel_tensor x,
                               const struct memmodel_instance_norm *options)
{
    return network_add(network, OP_INSTANCE_NORM, &x, 1, options);
}

memmodel_tensor
memmodel_network_rms_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_rms_norm *options)
{
    return network_add(network, OP_RMS_NORM, &x, 1, options);
}
