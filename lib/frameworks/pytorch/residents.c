/* What is there before the first step: parameters, buffers and inputs, as they lie in memory. */
#include "base/checked.h"
#include "frameworks/pytorch/data_parallel.h"
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/step.h"
#include "frameworks/pytorch/tensor_parallel.h"

#include <string.h>

/* Strides that a given tensor was declared with; false: none. */
static bool
declared_strides(const struct step *step, const struct layer *layer, int64_t strides[MEMMODEL_MAX_RANK])
{
    const struct tensor_options *options = layer->options;

    if (!layer_is_given(layer) || options->stride_count == 0)
        return false;
    for (int i = 0; i < options->stride_count; i++)
        strides[i] = step_dim(step, options->strides[i]);
    return true;
}

static struct value *
storage_holder(struct step *step, const struct layer *layer)
{
    return layer->op == OP_PARAMETER ? step->variables[layer->parameters[0]].value : step->values[layer->first_output];
}

/* A storage that the strides just reach over, where that is not what the elements take. */
static struct value *
reaching_over(struct step *step, const struct layer *layer, const struct shape *shape, const int64_t *strides)
{
    int64_t elements = 0, bytes = 0;
    struct value *all, *value;

    if (!binding_extent(step->binding, layer, &elements) ||
        !checked_multiply(elements, dtype_bytes(shape->dtype), &bytes))
        step_fail(step, MEMMODEL_ERROR_OVERFLOW);
    if (elements == shape_elements(shape))
        return value_empty_strided(step, shape, strides);
    all = value_buffer(step, bytes);
    value = value_within(step, all, shape, strides);
    value_drop(step, all);
    return value;
}

/* What a layer has besides its tensor is as it comes: `layer` NULL. */
static struct value *
resident(struct step *step, const struct layer *layer, const struct shape *shape, const char *what,
         enum memmodel_category category)
{
    const struct layer *other = layer ? layer_of_storage(step->network, layer) : NULL;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    bool strided = layer && declared_strides(step, layer, strides);
    struct value *value;

    step->what = what;
    if (!strided)
        shape_strides(shape, strides);
    if (other)
        return value_within(step, storage_holder(step, other), shape, strides);
    value = strided ? reaching_over(step, layer, shape, strides) : value_empty_strided(step, shape, strides);
    value_becomes(step, value, category);
    return value;
}

/* ---- parameters of recurrent layers, which lie in one buffer on a GPU: torch/nn/modules/rnn.py, flatten_parameters ---- */

static bool
is_recurrent(const struct layer *layer)
{
    static const char *const operations[] = {"aten.lstm.input", "aten.gru.input", "aten.rnn_tanh.input",
                                             "aten.rnn_relu.input"};

    const struct memmodel_custom *custom = layer->options;

    if (layer->op != OP_CUSTOM || !custom->operation)
        return layer->op == OP_RECURRENT;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(custom->operation, operations[i]) == 0)
            return true;
    return false;
}

/* Index of a layer's parameter, in the order in which it uses them; -1: that input is none. */
static int32_t
used_parameter(const struct step *step, const struct layer *layer, int index)
{
    const struct layer *made_by;

    if (layer->op == OP_RECURRENT)
        return layer->parameters[index];
    if (layer->inputs[index] < 0)
        return -1;
    made_by = layer_of_tensor(step->network, layer->inputs[index]);
    return made_by->op == OP_PARAMETER ? made_by->parameters[0] : -1;
}

static int64_t
parameter_bytes(const struct step *step, int32_t index)
{
    const struct parameter *parameter = &step->network->parameters[index];
    struct shape shape = step_bound_shape(step, parameter->dims, parameter->rank, parameter->dtype);

    return multiply_saturating(shape_elements(&shape), dtype_bytes(shape.dtype));
}

static void
flatten(struct step *step, const struct layer *layer)
{
    int count = layer->op == OP_RECURRENT ? layer->parameter_count : layer->input_count;
    struct value *flat;
    int64_t bytes = 0;

    for (int i = 0; i < count; i++) {
        int32_t index = used_parameter(step, layer, i);

        if (index >= 0 && !checked_accumulate(&bytes, parameter_bytes(step, index)))
            step_fail(step, MEMMODEL_ERROR_OVERFLOW);
    }
    step->what = "weights";
    step_enter(step, MEMMODEL_PHASE_SETUP, (int32_t)(layer - step->network->layers));
    flat = value_buffer(step, bytes);
    value_becomes(step, flat, MEMMODEL_CATEGORY_PARAMETERS);
    for (int i = 0; i < count; i++) {
        int32_t index = used_parameter(step, layer, i);

        if (index >= 0 && !step->variables[index].flat)
            step->variables[index].flat = value_keep(flat);
    }
    value_drop(step, flat);
}

static void
flatten_recurrent(struct step *step)
{
    for (size_t i = 0; i < step->network->layer_count && !step->status; i++)
        if (is_recurrent(&step->network->layers[i]))
            flatten(step, &step->network->layers[i]);
}

static struct value *
within_flat(struct step *step, struct variable *variable, const struct shape *shape)
{
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct value *value;

    shape_strides(shape, strides);
    value = value_within(step, variable->flat, shape, strides);
    value_drop_all(step, &variable->flat, 1);
    return value;
}

/* torch.nn.BatchNorm2d counts its batches in one int64 of its own. */
static void
make_parameter(struct step *step, int32_t index)
{
    const struct parameter *parameter = &step->network->parameters[index];
    const struct layer *layer = &step->network->layers[parameter->layer];
    struct variable *variable = &step->variables[index];
    struct shape shape = tensor_parallel_built(step, (size_t)index);
    struct shape counter = shape_scalar(MEMMODEL_DTYPE_INT64);
    const char *role = trace_text(step->trace, parameter->role);

    if (!role)
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
    step_enter(step, MEMMODEL_PHASE_SETUP, parameter->layer);
    if (!data_is_buffer(step, (size_t)index))
        shape.dtype = data_built_dtype(step, shape.dtype);
    step->silent =
        step->parallel.meta_device && (step->tensor || data_shards(step)) && !data_is_buffer(step, (size_t)index);
    variable->value = variable->flat ? within_flat(step, variable, &shape)
                                     : resident(step, layer->op == OP_PARAMETER ? layer : NULL, &shape, role,
                                                MEMMODEL_CATEGORY_PARAMETERS);
    step->silent = false;
    variable->value->shape.dtype = parameter->dtype;
    variable->value->parameter = parameter->trainable;
    if (parameter->trainable && step->grad_mode) {
        variable->accumulate = node_accumulate(step, variable);
        node_attach(step, variable->accumulate, variable->value, 0);
    }
    if (strcmp(parameter->role, "running_var") == 0)
        variable->counter = resident(step, NULL, &counter, "num_batches_tracked", MEMMODEL_CATEGORY_PARAMETERS);
}

/* Of a batch that a pipeline runs in parts, which the network has one of. */
static void
make_other_parts(struct step *step, const struct shape *part)
{
    int64_t others = step->pipeline ? step->parallel.pipeline.microbatches - 1 : 0;
    struct value *value;

    if (others == 0)
        return;
    step->what = "input";
    value = value_buffer(
        step, multiply_saturating(others, multiply_saturating(shape_elements(part), dtype_bytes(part->dtype))));
    value_becomes(step, value, MEMMODEL_CATEGORY_INPUTS);
}

static void
make_input(struct step *step, const struct layer *layer)
{
    struct shape shape;

    step_enter(step, MEMMODEL_PHASE_SETUP, (int32_t)(layer - step->network->layers));
    if (layer->op == OP_INPUT) {
        shape = step_output_shape(step, layer, 0);
        step->values[layer->first_output] = resident(step, layer, &shape, "input", MEMMODEL_CATEGORY_INPUTS);
        make_other_parts(step, &shape);
    } else if (layer->op == OP_PARAMETER) {
        step->values[layer->first_output] = value_keep(step->variables[layer->parameters[0]].value);
    }
}

void
residents_make(struct step *step)
{
    if (!step->device->host)
        flatten_recurrent(step);
    for (size_t i = 0; i < step->network->parameter_count && !step->status; i++)
        make_parameter(step, (int32_t)i);
    tensor_parallel_construct(step);
    data_construct(step);
    for (size_t i = 0; i < step->network->layer_count; i++)
        make_input(step, &step->network->layers[i]);
}
