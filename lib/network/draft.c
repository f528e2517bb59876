/* A layer while it is built: what infer() may ask and add, and the one call behind every builder call. */
#include "network/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- errors ---- */

int
draft_error(struct draft *draft, int status, const char *format, ...)
{
    va_list arguments;

    if (draft->status)
        return draft->status;
    va_start(arguments, format);
    draft->status = context_error_list(draft->builder->network.context, status, draft->name, 0, 0, format, arguments);
    va_end(arguments);
    return draft->status;
}

static int
draft_fail(struct draft *draft, int status)
{
    if (!draft->status)
        draft->status = status;
    return draft->status;
}

/* ---- questions ---- */

struct memmodel_shape
draft_shape(const struct draft *draft, size_t input)
{
    struct memmodel_shape shape;

    memmodel_network_get_shape(&draft->builder->network, draft->inputs[input], &shape);
    return shape;
}

int
draft_require_rank(struct draft *draft, size_t input, int min, int max)
{
    int rank = draft->builder->network.tensors[draft->inputs[input]].rank;

    if (rank >= min && rank <= max)
        return 0;
    if (min == max)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "input %zu has %d dimensions, needs %d", input, rank, min);
    return draft_error(draft, MEMMODEL_ERROR_SHAPE, "input %zu has %d dimensions, needs %d to %d", input, rank, min,
                       max);
}

int
draft_axis(struct draft *draft, int32_t axis, int rank, int *out)
{
    if (axis < -rank || axis >= rank)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "axis %d of a tensor with %d dimensions", axis, rank);
    *out = axis < 0 ? axis + rank : axis;
    return 0;
}

int
channel_axis(int32_t layout, int rank)
{
    return layout == MEMMODEL_LAYOUT_CHANNELS_LAST ? rank - 1 : 1;
}

void
repeat_first(int64_t numbers[3], int64_t otherwise)
{
    if (numbers[0] == 0)
        numbers[0] = otherwise;
    for (int i = 1; i < 3; i++)
        if (numbers[i] == 0)
            numbers[i] = numbers[0];
}

/* ---- constraints ---- */

/* given - needed, if that is decided at build time: constants, or expressions that differ by a number. */
static bool
decided(struct draft *draft, const struct constraint *constraint, int64_t *difference)
{
    struct expression_pool *pool = draft->builder->network.pool;
    expression e;

    if (constraint->given >= 0 && constraint->needed >= 0) {
        *difference = constraint->given - constraint->needed;
        return true;
    }
    e = expression_subtract(pool, dim_expression(pool, constraint->given), dim_expression(pool, constraint->needed));
    if (e < 0)
        dim_result(draft, e);
    return e >= 0 && expression_is_integer(pool, e, difference);
}

static int
add_constraint(struct draft *draft, const struct constraint *constraint)
{
    struct memmodel_network *network = &draft->builder->network;

    if (array_reserve(network->context, &network->constraints, &draft->builder->constraint_capacity,
                      network->constraint_count + 1, sizeof *network->constraints) != 0)
        return draft_fail(draft, MEMMODEL_ERROR_NO_MEMORY);
    network->constraints[network->constraint_count] = *constraint;
    network->constraints[network->constraint_count++].layer = (int32_t)network->layer_count;
    return 0;
}

int
draft_constrain(struct draft *draft, const struct constraint *constraint)
{
    struct memmodel_network *network = &draft->builder->network;
    int64_t difference;

    if (draft->status || constraint->given == constraint->needed)
        return draft->status;
    if (!decided(draft, constraint, &difference))
        return draft->status ? draft->status : add_constraint(draft, constraint);
    if (constraint->at_most && difference <= 0)
        return 0;
    return draft_fail(draft, constraint_error(network->context, network, constraint, draft->name, NULL, difference));
}

int
draft_require_equal(struct draft *draft, int axis, memmodel_dim given, memmodel_tensor given_tensor,
                    memmodel_dim needed, memmodel_tensor needed_tensor)
{
    struct constraint constraint = {
        .given = given,
        .needed = needed,
        .given_tensor = given_tensor,
        .needed_tensor = needed_tensor,
        .axis = axis,
    };

    return draft_constrain(draft, &constraint);
}

int
draft_require_at_most(struct draft *draft, int axis, memmodel_dim given, memmodel_dim needed,
                      memmodel_tensor needed_tensor)
{
    struct constraint constraint = {
        .given = given,
        .needed = needed,
        .given_tensor = MEMMODEL_TENSOR_NONE,
        .needed_tensor = needed_tensor,
        .axis = axis,
        .at_most = true,
    };

    return draft_constrain(draft, &constraint);
}

/* ---- outputs and parameters ---- */

/* What is constant in a shape must not overflow; its symbols are at least 1. */
static int
check_size(struct draft *draft, const memmodel_dim *dims, int rank, int dtype)
{
    int64_t bytes;

    if (!constant_bytes(dims, rank, dtype, &bytes))
        return draft_error(draft, MEMMODEL_ERROR_OVERFLOW, "a tensor has more bytes than fit in 63 bits");
    return draft->status;
}

int
draft_output(struct draft *draft, const struct memmodel_shape *shape)
{
    struct memmodel_network *network = &draft->builder->network;
    struct tensor tensor = {
        .rank = shape->rank,
        .dtype = shape->dtype ? shape->dtype : MEMMODEL_DTYPE_FLOAT32,
        .layer = (int32_t)network->layer_count,
        .output = draft->output_count,
    };

    if (draft->status || check_size(draft, shape->dims, shape->rank, tensor.dtype))
        return draft->status;
    if (network->tensor_count >= INT32_MAX ||
        array_reserve(network->context, &network->tensors, &draft->builder->tensor_capacity, network->tensor_count + 1,
                      sizeof *network->tensors) != 0)
        return draft_fail(draft, MEMMODEL_ERROR_NO_MEMORY);
    memcpy(tensor.dims, shape->dims, (size_t)shape->rank * sizeof tensor.dims[0]);
    network->tensors[network->tensor_count++] = tensor;
    draft->output_count++;
    return 0;
}

/* Adds a parameter's index to those of the layer. */
static int
use_parameter(struct draft *draft, const char *role, int32_t parameter)
{
    struct builder *builder = draft->builder;
    size_t count = (size_t)draft->parameter_count + 1;

    if (array_reserve(builder->network.context, &builder->scratch, &builder->scratch_capacity, count,
                      sizeof *builder->scratch) != 0 ||
        array_reserve(builder->network.context, &builder->scratch_roles, &builder->roles_capacity, count,
                      sizeof *builder->scratch_roles) != 0)
        return draft_fail(draft, MEMMODEL_ERROR_NO_MEMORY);
    builder->scratch_roles[draft->parameter_count] = role;
    builder->scratch[draft->parameter_count++] = parameter;
    return 0;
}

/* The same dims, or a transposed matrix. */
static bool
same_parameter(const struct parameter *parameter, const struct memmodel_shape *shape)
{
    if (parameter->rank != shape->rank)
        return false;
    if (shape->rank == 2 && parameter->dims[0] == shape->dims[1] && parameter->dims[1] == shape->dims[0])
        return true;
    return memcmp(parameter->dims, shape->dims, (size_t)shape->rank * sizeof shape->dims[0]) == 0;
}

static int
share_parameter(struct draft *draft, const char *role, const struct memmodel_shape *shape)
{
    const struct memmodel_network *network = &draft->builder->network;
    const struct layer *owner = &network->layers[draft->shared];
    int32_t parameter = layer_parameter(owner, role);

    if (parameter < 0)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "\"%s\" has no %s to share", owner->name, role);
    if (!same_parameter(&network->parameters[parameter], shape))
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "the shared %s of \"%s\" has another shape", role, owner->name);
    return use_parameter(draft, role, parameter);
}

/* The parameter of that role that the caller has named for this layer; NULL if there is none. */
static struct used_parameter *
find_used(const struct builder *builder, const char *role)
{
    for (size_t i = 0; i < builder->used_count; i++)
        if (strcmp(builder->used[i].role, role) == 0)
            return &builder->used[i];
    return NULL;
}

static int
take_used(struct draft *draft, struct used_parameter *used, const struct memmodel_shape *shape)
{
    const struct memmodel_network *network = &draft->builder->network;
    const struct parameter *parameter = &network->parameters[used->parameter];

    used->taken = true;
    if (!same_parameter(parameter, shape))
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "\"%s\" has not the shape of its %s",
                           network->layers[parameter->layer].name, used->role);
    return use_parameter(draft, used->role, used->parameter);
}

int
draft_parameter(struct draft *draft, const char *role, bool trainable, const struct memmodel_shape *shape)
{
    struct memmodel_network *network = &draft->builder->network;
    struct parameter parameter = {
        .role = role,
        .rank = shape->rank,
        .dtype = shape->dtype ? shape->dtype : MEMMODEL_DTYPE_FLOAT32,
        .layer = (int32_t)network->layer_count,
        .trainable = trainable,
    };

    struct used_parameter *used = find_used(draft->builder, role);

    if (draft->status || check_size(draft, shape->dims, shape->rank, parameter.dtype))
        return draft->status;
    if (used)
        return take_used(draft, used, shape);
    if (draft->shared >= 0)
        return share_parameter(draft, role, shape);
    if (network->parameter_count >= INT32_MAX ||
        array_reserve(network->context, &network->parameters, &draft->builder->parameter_capacity,
                      network->parameter_count + 1, sizeof *network->parameters) != 0)
        return draft_fail(draft, MEMMODEL_ERROR_NO_MEMORY);
    memcpy(parameter.dims, shape->dims, (size_t)shape->rank * sizeof parameter.dims[0]);
    network->parameters[network->parameter_count] = parameter;
    return use_parameter(draft, role, (int32_t)network->parameter_count++);
}

int
draft_vector(struct draft *draft, const char *role, int dtype, memmodel_dim elements)
{
    return draft_parameter(draft, role, true, &(struct memmodel_shape){.dims = {elements}, .rank = 1, .dtype = dtype});
}
