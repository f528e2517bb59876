/*
 * parallelize_module(): each module's parameters become local ones, which rank 0 of the axis hands out. PyTorch:
 * torch/distributed/tensor/_api.py (distribute_tensor), placement_types.py (Shard._shard_tensor), device_mesh.py.
 */
#include "base/checked.h"
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/tensor_parallel.h"

#include "frameworks/pytorch/data_parallel.h"

struct shape
tensor_parallel_built(const struct step *step, size_t index)
{
    const struct binding *whole = step->tensor ? step->tensor->whole : step->binding;
    size_t number = step->tensor ? (size_t)step->tensor->parameters[index].whole : index;
    const struct parameter *parameter = &whole->network->parameters[number];
    struct shape shape = {.rank = parameter->rank, .dtype = parameter->dtype};

    for (int i = 0; i < shape.rank; i++)
        shape.dims[i] = binding_dim(whole, parameter->dims[i]);
    return shape;
}

/* A part as large as the largest, of which a rank may use less. */
static struct shape
padded_part(const struct step *step, const struct shape *whole, int axis)
{
    struct shape part = *whole;

    part.dims[axis] = ceil_divide(whole->dims[axis], step->tensor->ranks);
    return part;
}

/* Parts that are not rows as they lie, or are too small, are copied before they are sent. */
static int64_t
copied_parts(const struct step *step, const struct shape *whole, int axis)
{
    int64_t ranks = step->tensor->ranks, part = padded_part(step, whole, axis).dims[axis];

    return axis > 0 ? ranks : ranks - whole->dims[axis] / part;
}

static int64_t
bytes_of(const struct shape *shape)
{
    return multiply_saturating(shape_elements(shape), dtype_bytes(shape->dtype));
}

/* Shard._shard_tensor: mesh_scatter of parts; rank 0 of gloo sends a copy of them all. */
static struct value *
scattered(struct step *step, const struct shape *whole, const struct shape *own, int axis)
{
    struct shape part = padded_part(step, whole, axis);
    int64_t strides[MEMMODEL_MAX_RANK] = {0}, bytes = bytes_of(&part);
    struct value *copies = NULL, *room, *local;
    bool meta = step->parallel.meta_device;

    if (!meta && copied_parts(step, whole, axis) > 0)
        copies = data_buffer(step, "parts to send", multiply_saturating(bytes, copied_parts(step, whole, axis)));
    step->what = "part of a parameter";
    step->silent = meta && step->parallel.data == DATA_FSDP; /* which has a part of the part */
    room = value_vector(step, part.dtype, shape_elements(&part));
    step->silent = false;
    value_becomes(step, room, MEMMODEL_CATEGORY_PARAMETERS);
    if (!meta && step->parallel.gloo && step->tensor->place == 0)
        value_drop(step, data_buffer(step, "gloo scatter", multiply_saturating(bytes, step->tensor->ranks)));
    value_drop(step, copies);
    shape_strides(own, strides);
    local = value_within(step, room, own, strides);
    value_drop(step, room);
    return local;
}

/* A module's parameters, first <= index < end; the whole ones go when all are there. */
static void
distribute(struct step *step, size_t first, size_t end)
{
    for (size_t index = first; index < end && !step->status; index++) {
        int axis = step->tensor->parameters[index].axis;
        const struct parameter *parameter = &step->network->parameters[index];
        struct shape own = step_bound_shape(step, parameter->dims, parameter->rank, 0);
        struct variable *variable = &step->variables[index];
        struct value *whole = variable->value, *local;

        if (axis == UNCUT)
            continue;
        own.dtype = whole->shape.dtype;
        local = scattered(step, &whole->shape, &own, axis);
        local->parameter = whole->parameter;
        if (variable->accumulate)
            node_attach(step, variable->accumulate, local, 0);
        variable->value = local;
        step->tensor->built[index] = whole;
    }
    for (size_t index = first; index < end; index++)
        value_drop_all(step, &step->tensor->built[index], 1);
}

/* Modules in the order of their parameters, those that have a part of the vocabulary last, as plans are given. */
static void
distribute_all(struct step *step, bool vocabulary)
{
    const struct tensor_cut *cuts = step->tensor->parameters;
    size_t count = step->network->parameter_count, end;

    for (size_t i = 0; i < count && !step->status; i = end) {
        int32_t layer = cuts[i].layer;
        int style = layer < 0 ? TENSOR_WHOLE : step->tensor->plan.styles[layer];

        for (end = i + 1; end < count && cuts[end].layer == layer;)
            end++;
        if (layer >= 0 && (style == TENSOR_VOCABULARY || style == TENSOR_HEAD) == vocabulary)
            distribute(step, i, end);
    }
}

void
tensor_parallel_construct(struct step *step)
{
    if (!step->tensor || step->status)
        return;
    step_enter(step, MEMMODEL_PHASE_SETUP, -1);
    step->what = "device mesh";
    value_vector_on_host(step, MEMMODEL_DTYPE_INT32, step->parallel.mesh.ranks);
    distribute_all(step, false);
    distribute_all(step, true);
}

bool
tensor_parallel_has_all_rows(const struct step *step, const struct variable *variable)
{
    int32_t layer = step->tensor ? step->tensor->parameters[variable - step->variables].layer : -1;

    return layer >= 0 && variable->gradient && step->tensor->plan.styles[layer] == TENSOR_VOCABULARY &&
           step->parallel.data != DATA_FSDP;
}
