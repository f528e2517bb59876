/* What a network begins with: inputs, and tensors of parameters of their own. */
#include "base/checked.h"
#include "network/builder.h"

#include <inttypes.h>
#include <string.h>

static const struct field input_fields[] = {
    FIELD_LIST(tensor_options, dims, FIELD_DIMS, rank),
    FIELD_CHOICE(tensor_options, dtype, dtype_names),
    FIELD_LIST(tensor_options, strides, FIELD_DIMS, stride_count),
    FIELD(tensor_options, storage, FIELD_LAYER),
    FIELDS_END,
};

static const struct field parameter_fields[] = {
    FIELD_LIST(tensor_options, dims, FIELD_DIMS, rank), FIELD_CHOICE(tensor_options, dtype, dtype_names),
    FIELD(tensor_options, trainable, FIELD_FLAG),       FIELD_LIST(tensor_options, strides, FIELD_DIMS, stride_count),
    FIELD(tensor_options, storage, FIELD_LAYER),        FIELDS_END,
};

static struct memmodel_shape
shape_of(const struct tensor_options *options)
{
    struct memmodel_shape shape = {.rank = options->rank, .dtype = options->dtype};

    memcpy(shape.dims, options->dims, sizeof shape.dims);
    return shape;
}

/* ---- how it lies in memory ---- */

static const struct tensor_options *
options_of(const struct layer *layer)
{
    return layer->options;
}

/* Of numbers; false if it does not fit. */
static bool
extent_of(const int64_t *dims, const int64_t *strides, int count, int64_t *elements)
{
    *elements = 1;
    for (int i = 0; i < count; i++) {
        int64_t reach;

        if (dims[i] == 0) {
            *elements = 0;
            return true;
        }
        if (strides[i] < 0 || !checked_multiply(dims[i] - 1, strides[i], &reach) ||
            !checked_accumulate(elements, reach))
            return false;
    }
    return true;
}

bool
binding_extent(const struct binding *binding, const struct layer *layer, int64_t *elements)
{
    const struct tensor_options *options = options_of(layer);
    int64_t dims[MEMMODEL_MAX_RANK] = {0}, strides[MEMMODEL_MAX_RANK] = {0};

    for (int i = 0; i < options->stride_count; i++) {
        dims[i] = binding_dim(binding, options->dims[i]);
        strides[i] = binding_dim(binding, options->strides[i]);
    }
    return extent_of(dims, strides, options->stride_count, elements);
}

const struct layer *
layer_of_storage(const struct memmodel_network *network, const struct layer *layer)
{
    const char *name = layer_is_given(layer) ? options_of(layer)->storage : NULL;

    for (size_t i = 0; name && i < network->layer_count; i++)
        if (strcmp(network->layers[i].name, name) == 0)
            return &network->layers[i];
    return NULL;
}

static int
check_strides(struct draft *draft, const struct tensor_options *options)
{
    if (options->stride_count != 0 && options->stride_count != options->rank)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "strides of %d dimensions, the tensor has %d",
                           options->stride_count, options->rank);
    for (int i = 0; i < options->stride_count; i++)
        if (options->strides[i] == MEMMODEL_DIM_INFER)
            return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "stride %d must be given", i);
    return 0;
}

static bool
is_constant(const memmodel_dim *dims, int count)
{
    for (int i = 0; i < count; i++)
        if (dims[i] < 0)
            return false;
    return true;
}

/* Bytes that a tensor needs of its storage; -1 where symbols decide. */
static int64_t
reached_bytes(const struct tensor_options *options)
{
    int64_t elements, bytes;

    if (!is_constant(options->dims, options->rank) || !is_constant(options->strides, options->stride_count))
        return -1;
    if (!options->stride_count)
        return constant_bytes(options->dims, options->rank, options->dtype, &bytes) ? bytes : -1;
    if (!extent_of(options->dims, options->strides, options->stride_count, &elements) ||
        !checked_multiply(elements, dtype_bytes(options->dtype), &bytes))
        return INT64_MAX;
    return bytes;
}

/* It lies in that of an input or parameter before it, which has one of its own; a parameter in another's. */
static int
check_storage(struct draft *draft, const struct tensor_options *options)
{
    const memmodel_network *network = &draft->builder->network;
    int32_t index = options->storage ? names_find(draft->builder, options->storage) : -1;
    const struct layer *layer = index < 0 ? NULL : &network->layers[index];
    int64_t reached = reached_bytes(options);

    if (reached == INT64_MAX)
        return draft_error(draft, MEMMODEL_ERROR_OVERFLOW, "the strides reach over more than 63 bits");
    if (!options->storage)
        return 0;
    if (!layer || !layer_is_given(layer) || (draft->description == &op_parameter && layer->op != OP_PARAMETER))
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT,
                           "it cannot lie in the storage of \"%s\", which is no %s before it", options->storage,
                           draft->description == &op_parameter ? "tensor of parameters"
                                                               : "input or tensor of parameters");
    if (options_of(layer)->storage)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT,
                           "\"%s\" has no storage of its own, it lies in \"%s\"", layer->name,
                           options_of(layer)->storage);
    if (reached_bytes(options_of(layer)) >= 0 && reached > reached_bytes(options_of(layer)))
        return draft_error(draft, MEMMODEL_ERROR_SHAPE,
                           "it reaches over %" PRId64 " bytes of \"%s\", which has %" PRId64, reached, layer->name,
                           reached_bytes(options_of(layer)));
    return 0;
}

static int
infer_input(struct draft *draft)
{
    struct tensor_options *options = draft->options;
    struct memmodel_shape shape;
    int status;

    if (options->dtype == MEMMODEL_DTYPE_DEFAULT)
        options->dtype = MEMMODEL_DTYPE_FLOAT32;
    for (int i = 0; i < options->rank; i++)
        if (options->dims[i] == MEMMODEL_DIM_INFER)
            return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "dimension %d must be given", i);
    status = check_strides(draft, options);
    if (!status)
        status = check_storage(draft, options);
    if (status)
        return status;
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
    OPTIONS(tensor_options, input_fields),
    .needs_options = true,
    .infer = infer_input,
};

const struct op_description op_parameter = {
    .name = "parameter",
    OPTIONS(tensor_options, parameter_fields),
    .needs_options = true,
    .infer = infer_parameter,
};

static void
take_used_storage(struct builder *builder, struct tensor_options *options)
{
    if (!builder->storage.named)
        return;
    memcpy(options->strides, builder->storage.strides, sizeof options->strides);
    options->stride_count = builder->storage.stride_count;
    options->storage = builder->storage.storage;
    builder->storage.named = false;
}

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
    take_used_storage(builder_of(network), options);
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
        return builder_fail(builder, MEMMODEL_ERROR_NO_MEMORY);
    builder->used[builder->used_count++] = (struct used_parameter){.role = own, .parameter = layer->parameters[0]};
    return 0;
}

int
memmodel_network_use_storage(memmodel_network *network, memmodel_tensor storage, int rank, const memmodel_dim *strides)
{
    struct builder *builder = builder_of(network);
    struct used_storage used = {.stride_count = rank, .named = true};

    if (!network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (storage < 0 && storage != MEMMODEL_TENSOR_NONE && builder->status)
        return storage;
    if (rank < 0 || rank > MEMMODEL_MAX_RANK || (rank > 0 && !strides))
        return builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, "strides", "0 to %d are needed, not %d",
                             MEMMODEL_MAX_RANK, rank);
    if (storage != MEMMODEL_TENSOR_NONE && !builder_has_tensor(builder, storage))
        return builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, "storage", "%d is no tensor of this network",
                             storage);
    if (storage != MEMMODEL_TENSOR_NONE)
        used.storage = network->layers[network->tensors[storage].layer].name;
    if (rank > 0)
        memcpy(used.strides, strides, (size_t)rank * sizeof *strides);
    builder->storage = used;
    return 0;
}
