/* What a network begins with: inputs, and tensors of parameters of their own. */
#include "network/builder.h"

#include <string.h>

static const struct field input_fields[] = {
    FIELD_LIST(tensor_options, dims, FIELD_DIMS, rank),
    FIELD_CHOICE(tensor_options, dtype, dtype_names),
    FIELDS_END,
};

static const struct field parameter_fields[] = {
    FIELD_LIST(tensor_options, dims, FIELD_DIMS, rank),
    FIELD_CHOICE(tensor_options, dtype, dtype_names),
    FIELD(tensor_options, trainable, FIELD_FLAG),
    FIELDS_END,
};

static struct memmodel_shape
shape_of(const struct tensor_options *options)
{
    struct memmodel_shape shape = {.rank = options->rank, .dtype = options->dtype};

    memcpy(shape.dims, options->dims, sizeof shape.dims);
    return shape;
}

static int
infer_input(struct draft *draft)
{
    struct tensor_options *options = draft->options;
    struct memmodel_shape shape;

    if (options->dtype == MEMMODEL_DTYPE_DEFAULT)
        options->dtype = MEMMODEL_FLOAT32;
    for (int i = 0; i < options->rank; i++)
        if (options->dims[i] == MEMMODEL_INFER)
            return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "dimension %d must be given", i);
    shape = shape_of(options);
    return draft_output(draft, &shape);
}

static int
infer_parameter(struct draft *draft)
{
    struct tensor_options *options = draft->options;
    int status = infer_input(draft);
    struct memmodel_shape shape = shape_of(options);

    return status ? status : draft_parameter(draft, "weight", options->trainable, &shape);
}

const struct op_description op_input = {
    .name = "input",
    .struct_name = "tensor_options",
    .options_size = sizeof(struct tensor_options),
    .fields = input_fields,
    .needs_options = true,
    .infer = infer_input,
};

const struct op_description op_parameter = {
    .name = "parameter",
    .struct_name = "tensor_options",
    .options_size = sizeof(struct tensor_options),
    .fields = parameter_fields,
    .needs_options = true,
    .infer = infer_parameter,
};

static memmodel_tensor
add_tensor(memmodel_network *network, enum op op, struct tensor_options *options, const memmodel_dim *dims)
{
    if (!network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (names_check(builder_of(network), op_name(op), options->name) != 0)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (options->rank > 0 && options->rank <= MEMMODEL_MAX_RANK && !dims)
        return builder_error(builder_of(network), MEMMODEL_ERROR_INVALID_ARGUMENT, options->name, "dims is NULL");
    if (options->rank > 0 && options->rank <= MEMMODEL_MAX_RANK)
        memcpy(options->dims, dims, (size_t)options->rank * sizeof *dims);
    return network_add(network, op, NULL, 0, options);
}

memmodel_tensor
memmodel_network_input(memmodel_network *network, const char *name, int dtype, int rank, const memmodel_dim *dims)
{
    struct tensor_options options = {.size = sizeof options, .name = name, .rank = rank, .dtype = dtype};

    return add_tensor(network, OP_INPUT, &options, dims);
}

memmodel_tensor
memmodel_network_parameter(memmodel_network *network, const char *name, int dtype, int rank, const memmodel_dim *dims,
                           int trainable)
{
    struct tensor_options options = {
        .size = sizeof options,
        .name = name,
        .rank = rank,
        .dtype = dtype,
        .trainable = trainable,
    };

    return add_tensor(network, OP_PARAMETER, &options, dims);
}

/* ---- parameters that a layer is given ---- */

int32_t
layer_parameter(const struct layer *layer, const char *role)
{
    for (int32_t i = 0; i < layer->parameter_count; i++)
        if (strcmp(layer->roles[i], role) == 0)
            return layer->parameters[i];
    return -1;
}

int
memmodel_network_use_parameter(memmodel_network *network, const char *role, memmodel_tensor tensor)
{
    struct builder *builder = builder_of(network);
    const struct layer *layer;
    char *own;

    if (!network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (names_check(builder, "a role", role) != 0)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (tensor < 0 && builder->status)
        return tensor;
    layer = builder_has_tensor(builder, tensor) ? &network->layers[network->tensors[tensor].layer] : NULL;
    if (!layer || layer->op != OP_PARAMETER)
        return builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, role, "%d is no tensor of parameters", tensor);
    own = arena_copy_text(&network->arena, role);
    if (!own || array_reserve(network->context, &builder->used, &builder->used_capacity, builder->used_count + 1,
                              sizeof *builder->used) != 0)
        return builder_fail(builder, MEMMODEL_ERROR_NOMEM);
    builder->used[builder->used_count++] = (struct used_parameter){.role = own, .parameter = layer->parameters[0]};
    return 0;
}
