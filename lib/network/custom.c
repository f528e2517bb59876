/* Operators declared by what they hold. */
#include "network/builder.h"

#include <string.h>

static const struct field custom_fields[] = {
    FIELD_LIST(memmodel_custom, outputs, FIELD_SHAPES, output_count),
    FIELD_CHOICE(memmodel_custom, parameter_dtype, dtype_names),
    FIELD(memmodel_custom, parameters, FIELD_DIM),
    FIELD(memmodel_custom, saved, FIELD_DIM),
    FIELD(memmodel_custom, forward_temporary, FIELD_DIM),
    FIELD(memmodel_custom, backward_temporary, FIELD_DIM),
    FIELD(memmodel_custom, multiply_adds, FIELD_DIM),
    FIELDS_END,
};

memmodel_dim
custom_number(const struct memmodel_custom *custom, int index)
{
    const memmodel_dim numbers[CUSTOM_NUMBERS] = {
        custom->parameters, custom->saved, custom->forward_temporary, custom->backward_temporary, custom->multiply_adds,
    };

    return numbers[index];
}

static int
infer_custom(struct draft *draft)
{
    const struct memmodel_custom *custom = draft->options;

    if (custom->output_count < 1 || !custom->outputs)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "at least one output must be given");
    if (custom->parameters != 0)
        draft_vector(draft, "weight", custom->parameter_dtype, custom->parameters);
    for (int32_t i = 0; i < custom->output_count && !draft->status; i++) {
        struct memmodel_shape shape = custom->outputs[i];

        if (shape.dtype == MEMMODEL_DTYPE_DEFAULT && draft->input_count)
            shape.dtype = draft_shape(draft, 0).dtype;
        draft_output(draft, &shape);
    }
    return draft->status;
}

static int
multiply_adds(const memmodel_network *network, const struct layer *layer, struct product *products)
{
    const struct memmodel_custom *custom = layer->options;

    (void)network;
    products[0] = (struct product){.factors = {custom->multiply_adds}, .count = 1};
    return 1;
}

const struct op_description op_custom = {
    .name = "custom",
    .struct_name = "memmodel_custom",
    .options_size = sizeof(struct memmodel_custom),
    .fields = custom_fields,
    .most_inputs = MOST_INPUTS_ANY,
    .needs_options = true,
    .infer = infer_custom,
    .multiply_adds = multiply_adds,
};

memmodel_tensor
memmodel_network_custom(memmodel_network *network, const memmodel_tensor *inputs, size_t count,
                        const struct memmodel_custom *options)
{
    return network_add(network, OP_CUSTOM, inputs, count, options);
}
