#include "base/checked.h"
#include "frameworks/pytorch/autocast.h"
#include "frameworks/pytorch/operands.h"
#include "frameworks/pytorch/tensor.h"
#include "network/attributes.h"

#include <string.h>

struct value *
step_input(struct step *step, const struct layer *layer, int input)
{
    memmodel_tensor tensor = input < layer->input_count ? layer->inputs[input] : MEMMODEL_TENSOR_NONE;

    if (tensor >= 0 && step->autocast.casts.layer == layer)
        return step->autocast.casts.values[input];
    return tensor >= 0 ? step->values[tensor] : NULL;
}

static struct variable *
step_variable(struct step *step, const struct layer *layer, const char *role)
{
    int32_t parameter = layer_parameter(layer, role);

    return parameter < 0 ? NULL : &step->variables[parameter];
}

struct value *
step_parameter(struct step *step, const struct layer *layer, const char *role)
{
    struct variable *variable = step_variable(step, layer, role);

    if (variable && step->autocast.casts.layer == layer)
        return autocast_parameter(step, (int32_t)(variable - step->variables));
    return variable ? variable->value : NULL;
}

int64_t
step_dim(const struct step *step, memmodel_dim dim)
{
    return binding_dim(step->binding, dim);
}

struct shape
step_bound_shape(const struct step *step, const memmodel_dim *dims, int rank, int dtype)
{
    struct shape shape = {.rank = rank, .dtype = dtype};

    for (int i = 0; i < rank; i++)
        shape.dims[i] = step_dim(step, dims[i]);
    return shape;
}

/* A network has complex tensors as those of eight bytes an element. */
static bool
has_complex_input(struct step *step, const struct layer *layer)
{
    for (int i = 0; i < layer->input_count; i++) {
        const struct value *input = step_input(step, layer, i);

        if (input && value_is_complex(input))
            return true;
    }
    return false;
}

struct shape
step_output_shape(struct step *step, const struct layer *layer, int output)
{
    const struct tensor *tensor = &step->network->tensors[layer->first_output + output];
    int dtype = step->autocast.dtype ? autocast_output_type(step, layer, tensor->dtype) : tensor->dtype;

    if (dtype == MEMMODEL_DTYPE_FLOAT64 &&
        (has_complex_input(step, layer) || attribute_is(layer, "dtype", "complex64")))
        dtype = DTYPE_COMPLEX64;
    return step_bound_shape(step, tensor->dims, tensor->rank, dtype);
}

void
step_output(struct step *step, const struct layer *layer, int output, struct value *value)
{
    struct value **slot = &step->values[layer->first_output + output];

    if (output >= layer->output_count) {
        value_drop(step, value); /* an operator by name that was declared with fewer */
        return;
    }
    value_becomes(step, value, MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS);
    value_drop(step, *slot);
    *slot = value;
}

void
step_unmodelled(struct step *step, const char *op, int64_t bytes)
{
    if (step->number > 1 || step->batch > 0 || step_is_recomputing(step))
        return;
    for (size_t i = 0; i < step->unmodelled_count; i++) {
        if (strcmp(step->unmodelled[i].op, op) != 0)
            continue;
        if (!checked_accumulate(&step->unmodelled[i].bytes, bytes))
            step_fail(step, MEMMODEL_ERROR_OVERFLOW);
        return;
    }
    if (array_reserve(step->context, &step->unmodelled, &step->unmodelled_capacity, step->unmodelled_count + 1,
                      sizeof *step->unmodelled)) {
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
        return;
    }
    step->unmodelled[step->unmodelled_count++] = (struct unmodelled){.op = op, .bytes = bytes};
}

/* ---- before the first step ---- */
