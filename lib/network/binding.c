/* Numbers for symbols: every dimension of a network, checked. */
#include "base/checked.h"
#include "base/text.h"
#include "network/aten_products.h"
#include "network/builder.h"

#include <inttypes.h>

/* ---- products ---- */

bool
constant_bytes(const memmodel_dim *dims, int rank, int dtype, int64_t *bytes)
{
    *bytes = dtype_bytes(dtype);
    for (int i = 0; i < rank; i++)
        if (dims[i] == 0) {
            *bytes = 0;
            return true;
        }
    for (int i = 0; i < rank; i++)
        if (dims[i] > 0 && !checked_multiply(*bytes, dims[i], bytes))
            return false;
    return true;
}

bool
binding_elements(const struct binding *binding, const memmodel_dim *dims, int rank, int64_t *elements)
{
    memmodel_dim numbers[MAX_FACTORS];

    for (int i = 0; i < rank; i++)
        numbers[i] = binding_dim(binding, dims[i]);
    return constant_bytes(numbers, rank, MEMMODEL_DTYPE_BOOL, elements);
}

struct memmodel_shape
binding_shape(const struct binding *binding, memmodel_tensor tensor)
{
    const struct tensor *of = &binding->network->tensors[tensor];
    struct memmodel_shape shape = {.rank = of->rank, .dtype = of->dtype};

    for (int32_t i = 0; i < of->rank; i++)
        shape.dims[i] = binding_dim(binding, of->dims[i]);
    return shape;
}

bool
binding_tensor_bytes(const struct binding *binding, memmodel_tensor tensor, int64_t *bytes)
{
    const struct tensor *of = &binding->network->tensors[tensor];

    return binding_elements(binding, of->dims, of->rank, bytes) &&
           checked_multiply(*bytes, dtype_bytes(of->dtype), bytes);
}

bool
binding_parameter_bytes(const struct binding *binding, int32_t parameter, int64_t *bytes)
{
    const struct parameter *of = &binding->network->parameters[parameter];

    return binding_elements(binding, of->dims, of->rank, bytes) &&
           checked_multiply(*bytes, dtype_bytes(of->dtype), bytes);
}

bool
binding_multiply_adds(const struct binding *binding, const struct layer *layer, int64_t *count)
{
    const struct op_description *description = op_describe(layer->op);
    struct product products[MAX_PRODUCTS];
    int terms = description->multiply_adds ? description->multiply_adds(binding->network, layer, products) : 0;

    *count = 0;
    if (layer->op == OP_CUSTOM && binding_custom(binding, layer)->multiply_adds)
        return checked_accumulate(count, binding_custom(binding, layer)->multiply_adds);
    if (layer->op == OP_CUSTOM)
        return aten_multiply_adds(binding, layer, count);
    for (int i = 0; i < terms; i++) {
        int64_t product;

        if (!binding_elements(binding, products[i].factors, products[i].count, &product) ||
            !checked_accumulate(count, product))
            return false;
    }
    return true;
}

/* ---- messages ---- */

/* A dimension as the user knows it: a number, or without a binding the expression. */
static void
append_dim(struct text *text, const memmodel_network *network, const struct binding *binding, memmodel_dim dim)
{
    if (dim >= 0)
        text_printf(text, "%" PRId64, dim);
    else if (binding)
        text_printf(text, "%" PRId64, binding_dim(binding, dim));
    else
        expression_print(network->pool, expression_of_dim(dim), EXPRESSION_TEXT, text);
}

static void
append_tensor(struct text *text, const memmodel_network *network, memmodel_tensor tensor, const char *otherwise)
{
    if (tensor >= 0)
        text_printf(text, "\"%s\" has ", network->layers[network->tensors[tensor].layer].name);
    else
        text_append(text, otherwise);
}

static int
finish_message(struct text *text, memmodel_context *context, int status, const char *layer)
{
    status = text->failed ? MEMMODEL_ERROR_NO_MEMORY : context_error(context, status, layer, "%s", text->bytes);
    text_release(text);
    return status;
}

int
constraint_error(memmodel_context *context, const memmodel_network *network, const struct constraint *constraint,
                 const char *layer, const struct binding *binding, int64_t difference)
{
    struct text text = TEXT_INIT(context);

    text_printf(&text, "axis %d: ", constraint->axis);
    if (constraint->divisor) {
        append_dim(&text, network, binding, constraint->given);
        text_printf(&text, " is not a multiple of %" PRId64 " (%" PRId64 " too many)", constraint->divisor, difference);
        return finish_message(&text, context, MEMMODEL_ERROR_SHAPE, layer);
    }
    append_tensor(&text, network, constraint->given_tensor, "has ");
    append_dim(&text, network, binding, constraint->given);
    text_append(&text, ", but ");
    append_tensor(&text, network, constraint->needed_tensor, "needs ");
    append_dim(&text, network, binding, constraint->needed);
    text_printf(&text, " (%" PRId64 " too %s)", difference > 0 ? difference : -difference,
                difference > 0 ? "many" : "few");
    return finish_message(&text, context, MEMMODEL_ERROR_SHAPE, layer);
}

/* ---- checks ---- */

struct check {
    memmodel_context *context;
    const memmodel_network *network;
    const struct binding *binding;
};

/* Why a dimension of a layer's output has no usable value. */
static int
dim_error(const struct check *check, const struct layer *layer, int axis, memmodel_dim dim)
{
    struct text text = TEXT_INIT(check->context);
    int64_t value = binding_dim(check->binding, dim);

    text_printf(&text, "axis %d: ", axis);
    expression_print(check->network->pool, expression_of_dim(dim), EXPRESSION_TEXT, &text);
    if (value == EXPRESSION_UNDEFINED)
        text_append(&text, " is not whole, or does not fit in 63 bits");
    else
        text_printf(&text, " would be %" PRId64 ", needs at least 1", value);
    return finish_message(&text, check->context, MEMMODEL_ERROR_SHAPE, layer->name);
}

/* The input of a convolution or pooling along an axis, if it is smaller than the kernel reaches. */
static int
small_input_error(const struct check *check, const struct layer *layer, int axis)
{
    const struct op_description *description = op_describe(layer->op);
    const struct tensor *input = layer->input_count ? &check->network->tensors[layer->inputs[0]] : NULL;
    int first = 0;
    int64_t min, size;

    if (!description->min_input || axis >= input->rank)
        return 0;
    for (const struct field *field = description->fields; field->kind != FIELD_END; field++)
        if (field->kind == FIELD_LAYOUT)
            first = spatial_axis(option_number(layer->options, field->offset), 0);
    if (axis < first || axis >= first + input->rank - 2)
        return 0;
    min = description->min_input(layer->options, axis - first);
    size = binding_dim(check->binding, input->dims[axis]);
    if (size >= min)
        return 0;
    return context_error(check->context, MEMMODEL_ERROR_SHAPE, layer->name,
                         "axis %d: the kernel needs at least %" PRId64 " elements, the input has %" PRId64, axis, min,
                         size);
}

static int
check_dims(const struct check *check, int32_t layer, const memmodel_dim *dims, int rank)
{
    const struct layer *of = &check->network->layers[layer];

    for (int axis = 0; axis < rank; axis++) {
        int status;

        if (dims[axis] >= 0 || binding_dim(check->binding, dims[axis]) > 0)
            continue;
        status = small_input_error(check, of, axis);
        return status ? status : dim_error(check, of, axis, dims[axis]);
    }
    return 0;
}

static int
overflow_error(const struct check *check, int32_t layer, const char *what)
{
    return context_error(check->context, MEMMODEL_ERROR_OVERFLOW, check->network->layers[layer].name,
                         "a %s has more bytes than fit in 63 bits", what);
}

/* False where strides have no value, or reach over more bytes than can be counted. */
static bool
reaches_over_bytes(const struct check *check, const struct layer *layer)
{
    int64_t elements, bytes;

    if (!layer_is_given(layer))
        return true;
    return binding_extent(check->binding, layer, &elements) &&
           checked_multiply(elements, dtype_bytes(check->network->tensors[layer->first_output].dtype), &bytes);
}

static int
check_tensors(const struct check *check)
{
    const memmodel_network *network = check->network;
    int64_t bytes;

    for (size_t i = 0; i < network->tensor_count; i++) {
        const struct tensor *tensor = &network->tensors[i];
        int status = check_dims(check, tensor->layer, tensor->dims, tensor->rank);

        if (status)
            return status;
        if (!binding_tensor_bytes(check->binding, (memmodel_tensor)i, &bytes) ||
            !reaches_over_bytes(check, &network->layers[tensor->layer]))
            return overflow_error(check, tensor->layer, "tensor");
    }
    return 0;
}

static int
check_parameters(const struct check *check)
{
    const memmodel_network *network = check->network;
    int64_t bytes;

    for (size_t i = 0; i < network->parameter_count; i++) {
        const struct parameter *parameter = &network->parameters[i];
        int status = check_dims(check, parameter->layer, parameter->dims, parameter->rank);

        if (status)
            return status;
        if (!binding_parameter_bytes(check->binding, (int32_t)i, &bytes))
            return overflow_error(check, parameter->layer, "parameter");
    }
    return 0;
}

static int
check_constraints(const struct check *check)
{
    const memmodel_network *network = check->network;

    for (size_t i = 0; i < network->constraint_count; i++) {
        const struct constraint *constraint = &network->constraints[i];
        int64_t given = binding_dim(check->binding, constraint->given),
                needed = binding_dim(check->binding, constraint->needed);

        if (given == EXPRESSION_UNDEFINED || needed == EXPRESSION_UNDEFINED)
            return overflow_error(check, constraint->layer, "dimension");
        if (constraint->at_most ? given > needed : given != needed)
            return constraint_error(check->context, network, constraint, network->layers[constraint->layer].name,
                                    check->binding, given - needed);
    }
    return 0;
}

static bool
has_customs(const memmodel_network *network)
{
    for (size_t i = 0; i < network->layer_count; i++)
        if (network->layers[i].op == OP_CUSTOM)
            return true;
    return false;
}

static int
fill_customs(const struct check *check, struct binding *binding)
{
    const memmodel_network *network = check->network;
    int status = 0;

    if (!has_customs(network))
        return 0;
    binding->customs = memory_allocate_zeroed(check->context, network->layer_count, sizeof *binding->customs);
    if (!binding->customs)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < network->layer_count && !status; i++)
        if (network->layers[i].op == OP_CUSTOM)
            status = custom_needs(check->context, binding, &network->layers[i], &binding->customs[i]);
    return status;
}

int
binding_new(memmodel_context *context, const memmodel_network *network, const int64_t *symbols, struct binding *binding)
{
    struct binding new = {.network = network};
    struct check check = {.context = context, .network = network, .binding = &new};
    int status;

    new.values = memory_allocate_zeroed(context, expression_count(network->pool) + 1, sizeof *new.values);
    if (!new.values)
        return MEMMODEL_ERROR_NO_MEMORY;
    expression_evaluate_integers(network->pool, symbols, new.values);
    /* constraints first: they say more than a dimension that came out wrong behind them */
    status = check_constraints(&check);
    if (!status)
        status = check_tensors(&check);
    if (!status)
        status = check_parameters(&check);
    if (!status)
        status = fill_customs(&check, &new);
    if (status)
        binding_release(context, &new);
    else
        *binding = new;
    return status;
}

void
binding_release(memmodel_context *context, struct binding *binding)
{
    memory_release(context, binding->values);
    memory_release(context, binding->customs);
    binding->values = NULL;
    binding->customs = NULL;
}
