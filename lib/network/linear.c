/* Fully connected layers. */
#include "network/builder.h"

#include <string.h>

static const struct field linear_fields[] = {
    FIELD_ARRAY(memmodel_linear, units, 1),
    FIELD(memmodel_linear, no_bias, FIELD_FLAG),
    FIELD_CHOICE(memmodel_linear, activation, activation_names),
    FIELD(memmodel_linear, tied_to, FIELD_LAYER),
    FIELDS_END,
};

static int
infer_linear(struct draft *draft)
{
    const struct memmodel_linear *linear = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), weight = {.rank = 2, .dtype = x.dtype};

    if (draft_require_rank(draft, 0, 1, MEMMODEL_MAX_RANK))
        return draft->status;
    if (linear->units == 0)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "units is 0");
    weight.dims[0] = linear->units;
    weight.dims[1] = x.dims[x.rank - 1];
    draft_parameter(draft, "weight", true, &weight);
    if (!linear->no_bias)
        draft_vector(draft, "bias", x.dtype, linear->units);
    x.dims[x.rank - 1] = linear->units;
    return draft_output(draft, &x);
}

static int
multiply_adds(const memmodel_network *network, const struct layer *layer, struct product *products)
{
    const struct tensor *x = &network->tensors[layer->inputs[0]];
    const struct memmodel_linear *linear = layer->options;

    memcpy(products[0].factors, x->dims, (size_t)x->rank * sizeof x->dims[0]);
    products[0].factors[x->rank] = linear->units;
    products[0].count = x->rank + 1;
    return 1;
}

const struct op_description op_linear = {
    .name = "linear",
    OPTIONS(memmodel_linear, linear_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .activation = offsetof(struct memmodel_linear, activation),
    .shared = offsetof(struct memmodel_linear, tied_to),
    .infer = infer_linear,
    .multiply_adds = multiply_adds,
};

memmodel_tensor
memmodel_network_linear(memmodel_network *network, memmodel_tensor x, const struct memmodel_linear *options)
{
    return network_add(network, OP_LINEAR, &x, 1, options);
}
