/* Operators declared by what they hold. */
#include "network/builder.h"
#include "base/environment.h"

#include <string.h>

static const struct field custom_fields[] = {
    FIELD_LIST(memmodel_custom, outputs, FIELD_SHAPES, output_count),
    FIELD_CHOICE(memmodel_custom, parameter_dtype, dtype_names),
    FIELD(memmodel_custom, parameter_count, FIELD_DIM),
    FIELD(memmodel_custom, saved_bytes, FIELD_DIM),
    FIELD(memmodel_custom, forward_workspace_bytes, FIELD_DIM),
    FIELD(memmodel_custom, backward_workspace_bytes, FIELD_DIM),
    FIELD(memmodel_custom, multiply_adds, FIELD_DIM),
    FIELD(memmodel_custom, operation, FIELD_TEXT),
    FIELD(memmodel_custom, attributes, FIELD_TEXT),
    FIELDS_END,
};

static int
infer_custom(struct draft *draft)
{
    const struct memmodel_custom *custom = draft->options;

    if (custom->output_count < 1 || !custom->outputs)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "at least one output must be given");
    if (custom->parameter_count != 0)
        draft_vector(draft, "weight", custom->parameter_dtype, custom->parameter_count);
    for (int32_t i = 0; i < custom->output_count && !draft->status; i++) {
        struct memmodel_shape shape = custom->outputs[i];

        if (shape.dtype == MEMMODEL_DTYPE_DEFAULT && draft->input_count && draft->inputs[0] >= 0)
            shape.dtype = draft_shape(draft, 0).dtype;
        draft_output(draft, &shape);
    }
    return draft->status;
}

const struct op_description op_custom = {
    .name = "custom",
    OPTIONS(memmodel_custom, custom_fields),
    .max_inputs = MAX_INPUTS_ANY,
    .optional_input = OPTIONAL_INPUT_ANY,
    .needs_options = true,
    .infer = infer_custom,
};

memmodel_tensor
memmodel_network_custom(memmodel_network *network, const memmodel_tensor *inputs, size_t count,
                        const struct memmodel_custom *options)
{
    OWN_ENVIRONMENT;

    return network_add(network, OP_CUSTOM, inputs, count, options);
}

/* ---- what it needs ---- */

static struct memmodel_custom_requirements
declared_needs(const struct binding *binding, const struct memmodel_custom *custom)
{
    return (struct memmodel_custom_requirements){
        .size = sizeof(struct memmodel_custom_requirements),
        .saved_bytes = binding_dim(binding, custom->saved_bytes),
        .forward_workspace_bytes = binding_dim(binding, custom->forward_workspace_bytes),
        .backward_workspace_bytes = binding_dim(binding, custom->backward_workspace_bytes),
        .multiply_adds = binding_dim(binding, custom->multiply_adds),
    };
}

static bool
any_negative(const struct memmodel_custom_requirements *needs)
{
    return needs->saved_bytes < 0 || needs->forward_workspace_bytes < 0 || needs->backward_workspace_bytes < 0 ||
           needs->multiply_adds < 0;
}

static int
ask_rule(memmodel_context *context, const struct binding *binding, const struct layer *layer,
         struct memmodel_custom_requirements *needs)
{
    const struct memmodel_custom *custom = layer->options;
    size_t count = (size_t)layer->input_count;
    struct memmodel_shape *inputs = memory_allocate_zeroed(context, count + 1, sizeof *inputs);
    int answer;

    if (!inputs)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (layer->inputs[i] >= 0)
            inputs[i] = binding_shape(binding, layer->inputs[i]);
    answer = custom->callback(custom->user, inputs, count, needs);
    memory_release(context, inputs);
    if (answer)
        return context_error(context, MEMMODEL_ERROR_CALLBACK, layer->name, "its rule failed with %d", answer);
    if (any_negative(needs))
        return context_error(context, MEMMODEL_ERROR_CALLBACK, layer->name,
                             "its rule gave a negative number of bytes or multiply-adds");
    return 0;
}

int
custom_needs(memmodel_context *context, const struct binding *binding, const struct layer *layer,
             struct memmodel_custom_requirements *needs)
{
    const struct memmodel_custom *custom = layer->options;

    *needs = declared_needs(binding, custom);
    if (any_negative(needs) || binding_dim(binding, custom->parameter_count) < 0)
        return context_error(context, MEMMODEL_ERROR_SHAPE, layer->name,
                             "bytes, parameters or multiply-adds are negative or not whole");
    return custom->callback ? ask_rule(context, binding, layer, needs) : 0;
}

int
custom_check_written(const memmodel_network *network, memmodel_context *context)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];

        if (layer->op == OP_CUSTOM && ((const struct memmodel_custom *)layer->options)->callback)
            return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, layer->name,
                                 "its rule is a function, which cannot be written as JSON");
    }
    return 0;
}
