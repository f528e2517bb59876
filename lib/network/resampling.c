/* Upsampling of images. */
#include "network/builder.h"

static const char *const interpolation_names[] = {"nearest", "linear", "cubic", NULL};

static const struct field upsample_fields[] = {
    FIELD_ARRAY(memmodel_upsample, scale, 3),
    FIELD_ARRAY(memmodel_upsample, output_size, 3),
    FIELD_CHOICE(memmodel_upsample, kind, interpolation_names),
    FIELD(memmodel_upsample, layout, FIELD_LAYOUT),
    FIELDS_END,
};

static int
infer_upsample(struct draft *draft)
{
    struct memmodel_upsample *upsample = draft->options;
    struct memmodel_shape shape = draft_shape(draft, 0);
    bool sized = upsample->output_size[0] != 0;

    if (draft_require_rank(draft, 0, 3, 5))
        return draft->status;
    if (sized == (upsample->scale[0] != 0))
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "either scale or output must be given");
    if (upsample->kind == MEMMODEL_INTERPOLATION_CUBIC && shape.rank != 4)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "cubic upsampling needs 4 dimensions, the input has %d",
                           shape.rank);
    repeat_first(sized ? upsample->output_size : upsample->scale, 0);
    for (int i = 0; i < shape.rank - 2; i++) {
        memmodel_dim *size = &shape.dims[spatial_axis(upsample->layout, i)];

        *size = sized ? upsample->output_size[i] : dim_multiply(draft, *size, upsample->scale[i]);
    }
    return draft_output(draft, &shape);
}

const struct op_description op_upsample = {
    .name = "upsample",
    OPTIONS(memmodel_upsample, upsample_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_upsample,
};

memmodel_tensor
memmodel_network_upsample(memmodel_network *network, memmodel_tensor x, const struct memmodel_upsample *options)
{
    return network_add(network, OP_UPSAMPLE, &x, 1, options);
}
