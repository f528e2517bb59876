/* Element by element: activations, softmax, dropout. */
#include "network/builder.h"

static const struct field activation_fields[] = {
    FIELD_CHOICE(memmodel_activation, kind, activation_names),
    FIELD(memmodel_activation, in_place, FIELD_FLAG),
    FIELD(memmodel_activation, single_parameter, FIELD_FLAG),
    FIELD(memmodel_activation, layout, FIELD_LAYOUT),
    FIELDS_END,
};

static const struct field softmax_fields[] = {
    FIELD(memmodel_softmax, axis, FIELD_AXIS),
    FIELD(memmodel_softmax, logarithmic, FIELD_FLAG),
    FIELDS_END,
};

static const struct field dropout_fields[] = {
    FIELD(memmodel_dropout, rate, FIELD_RATE),     FIELD(memmodel_dropout, channelwise, FIELD_FLAG),
    FIELD(memmodel_dropout, in_place, FIELD_FLAG), FIELD(memmodel_dropout, identity, FIELD_FLAG),
    FIELD(memmodel_dropout, layout, FIELD_LAYOUT), FIELDS_END,
};

/* torch.nn.PReLU: a weight per channel; a tensor without channels has one. */
static int
infer_activation(struct draft *draft)
{
    const struct memmodel_activation *activation = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0);
    bool single = activation->single_parameter || x.rank < 2;

    if (activation->kind == MEMMODEL_ACTIVATION_NONE)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "kind is not given");
    if (activation->kind == MEMMODEL_ACTIVATION_PRELU)
        draft_vector(draft, "weight", x.dtype, single ? 1 : x.dims[channel_axis(activation->layout, x.rank)]);
    return draft_output(draft, &x);
}

const struct op_description op_activation = {
    .name = "activation",
    OPTIONS(memmodel_activation, activation_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_activation,
};

memmodel_tensor
memmodel_network_activation(memmodel_network *network, memmodel_tensor x, const struct memmodel_activation *options)
{
    return network_add(network, OP_ACTIVATION, &x, 1, options);
}

static int
infer_softmax(struct draft *draft)
{
    struct memmodel_softmax *softmax = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0);
    int axis;

    if (draft_require_rank(draft, 0, 1, MEMMODEL_MAX_RANK) ||
        draft_axis(draft, softmax->axis ? softmax->axis : -1, x.rank, &axis))
        return draft->status;
    softmax->axis = axis;
    return draft_output(draft, &x);
}

const struct op_description op_softmax = {
    .name = "softmax",
    OPTIONS(memmodel_softmax, softmax_fields),
    INPUTS(1, 1),
    .infer = infer_softmax,
};

memmodel_tensor
memmodel_network_softmax(memmodel_network *network, memmodel_tensor x, const struct memmodel_softmax *options)
{
    return network_add(network, OP_SOFTMAX, &x, 1, options);
}

static int
infer_dropout(struct draft *draft)
{
    struct memmodel_dropout *dropout = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0);

    if (dropout->channelwise && draft_require_rank(draft, 0, 2, MEMMODEL_MAX_RANK))
        return draft->status;
    if (dropout->identity && dropout->rate > 0)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "a rate is given, but identity means rate 0");
    if (!dropout->identity && dropout->rate <= 0)
        dropout->rate = 0.5;
    return draft_output(draft, &x);
}

const struct op_description op_dropout = {
    .name = "dropout",
    OPTIONS(memmodel_dropout, dropout_fields),
    INPUTS(1, 1),
    .infer = infer_dropout,
};

memmodel_tensor
memmodel_network_dropout(memmodel_network *network, memmodel_tensor x, const struct memmodel_dropout *options)
{
    return network_add(network, OP_DROPOUT, &x, 1, options);
}
