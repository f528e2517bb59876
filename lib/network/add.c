/* The one call behind every builder call: checks, infers, and enters the layer, or leaves the network as it was. */
#include "network/builder.h"

#include <string.h>

/* ---- inputs ---- */

static int
check_input(struct builder *builder, const struct op_description *description, memmodel_tensor tensor, size_t index)
{
    if (builder_has_tensor(builder, tensor))
        return 0;
    if (tensor == MEMMODEL_TENSOR_NONE && (description->optional_input == OPTIONAL_INPUT_ANY ||
                                           (index > 0 && index == (size_t)description->optional_input)))
        return 0;
    if (tensor < 0 && builder->status)
        return tensor; /* an earlier error passes through */
    return context_error(builder->network.context, MEMMODEL_ERROR_INVALID_ARGUMENT, description->name,
                         "input %zu: %d is no tensor of this network", index, tensor);
}

static int
check_inputs(struct builder *builder, const struct op_description *description, const memmodel_tensor *inputs,
             size_t count)
{
    for (size_t i = 0; inputs && i < count; i++) {
        int status = check_input(builder, description, inputs[i], i);

        if (status)
            return status;
    }
    if ((count > 0 && !inputs) || count > INT32_MAX || count < (size_t)description->min_inputs ||
        (description->max_inputs != MAX_INPUTS_ANY && count > (size_t)description->max_inputs))
        return context_error(
            builder->network.context, MEMMODEL_ERROR_INVALID_ARGUMENT, description->name, "%zu inputs, needs %s%d",
            count, description->max_inputs == description->min_inputs ? "" : "at least ", description->min_inputs);
    return 0;
}

/* ---- name and shared parameters ---- */

static const char *
text_option(const void *options, size_t offset)
{
    const char *text;

    memcpy(&text, (const char *)options + offset, sizeof text);
    return text;
}

static int
name_layer(struct draft *draft, enum op op, const void *given)
{
    const char *name = text_option(given, sizeof(size_t)); /* the second member of every options struct */
    int status = name ? names_check(draft->builder, "a layer", name) : 0;

    if (status)
        return status;
    draft->name = name ? names_given(draft->builder, name) : names_generated(draft->builder, op);
    if (!draft->name)
        return memmodel_context_error(draft->builder->network.context)->status;
    if (name && names_find(draft->builder, draft->name) >= 0)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "there is a layer of this name already");
    return 0;
}

static int
find_shared(struct draft *draft)
{
    const char *name = draft->description->shared ? text_option(draft->options, draft->description->shared) : NULL;

    draft->shared = -1;
    if (!name)
        return 0;
    draft->shared = names_find(draft->builder, name);
    if (draft->shared < 0)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "there is no earlier layer \"%s\" to share with",
                           name);
    return 0;
}

/* ---- entering the layer ---- */

static int
reserve_layer(struct builder *builder)
{
    struct memmodel_network *network = &builder->network;
    int status = network->layer_count >= INT32_MAX ? MEMMODEL_ERROR_NO_MEMORY : names_reserve(builder);

    if (!status)
        status = array_reserve(network->context, &network->layers, &builder->layer_capacity, network->layer_count + 1,
                               sizeof *network->layers);
    if (!status)
        status = array_reserve(network->context, &builder->given, &builder->given_capacity, network->layer_count + 1,
                               sizeof *builder->given);
    return status;
}

/* Every open scope now ends behind the newest layer. */
static void
extend_scopes(struct builder *builder)
{
    for (int32_t scope = builder->scope; scope >= 0; scope = builder->network.scopes[scope].parent)
        builder->network.scopes[scope].end = (int32_t)builder->network.layer_count;
}

static int
enter_layer(struct draft *draft, enum op op, const void *given)
{
    struct builder *builder = draft->builder;
    struct memmodel_network *network = &builder->network;
    struct layer layer = {
        .op = op,
        .name = draft->name,
        .scope = builder->scope,
        .options = draft->options,
        .inputs = arena_copy(&network->arena, draft->inputs, draft->input_count * sizeof *draft->inputs),
        .input_count = (int32_t)draft->input_count,
        .first_output = (int32_t)network->tensor_count - draft->output_count,
        .output_count = draft->output_count,
        .parameters =
            arena_copy(&network->arena, builder->scratch, (size_t)draft->parameter_count * sizeof *builder->scratch),
        .roles = arena_copy(&network->arena, builder->scratch_roles,
                            (size_t)draft->parameter_count * sizeof *builder->scratch_roles),
        .parameter_count = draft->parameter_count,
    };

    if (!layer.inputs || !layer.parameters || !layer.roles || reserve_layer(builder) != 0)
        return MEMMODEL_ERROR_NO_MEMORY;
    if (context_check_layers(network->context, (int64_t)network->layer_count + 1))
        return MEMMODEL_ERROR_LIMIT;
    builder->given[network->layer_count] = given;
    network->layers[network->layer_count++] = layer;
    names_enter(builder, (int32_t)network->layer_count - 1);
    for (size_t i = 0; i < draft->input_count; i++)
        if (draft->inputs[i] >= 0)
            network->tensors[draft->inputs[i]].consumers++;
    extend_scopes(builder);
    return 0;
}

/* ---- one layer ---- */

/* Each parameter that was named for the layer has been taken. */
static int
check_used(struct draft *draft)
{
    for (size_t i = 0; i < draft->builder->used_count; i++)
        if (!draft->builder->used[i].taken)
            return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "%s has no parameter \"%s\"",
                               draft->description->name, draft->builder->used[i].role);
    return 0;
}

/* Infers and enters; what infer() added goes again on failure. */
static int
build_layer(struct draft *draft, enum op op, const void *given)
{
    struct memmodel_network *network = &draft->builder->network;
    size_t tensors = network->tensor_count, parameters = network->parameter_count,
           constraints = network->constraint_count;
    int status = find_shared(draft);

    if (!status)
        status = draft->description->infer(draft);
    if (!status)
        status = draft->status;
    if (!status)
        status = check_used(draft);
    if (!status)
        status = enter_layer(draft, op, given);
    if (status) {
        network->tensor_count = tensors;
        network->parameter_count = parameters;
        network->constraint_count = constraints;
    }
    return status;
}

/* `name` NULL: from the options. */
static int
add_layer(struct builder *builder, enum op op, const char *name, const memmodel_tensor *inputs, size_t count,
          const void *options)
{
    struct draft draft = {
        .builder = builder,
        .description = op_describe(op),
        .name = name,
        .inputs = inputs,
        .input_count = count,
    };
    void *given = NULL;
    int status = check_inputs(builder, draft.description, inputs, count);

    if (!status)
        status = options_take(builder, draft.description, options, &given);
    if (!status && !name)
        status = name_layer(&draft, op, given);
    if (status)
        return status;
    draft.options = arena_copy(&builder->network.arena, given, draft.description->options_size);
    if (!draft.options)
        return MEMMODEL_ERROR_NO_MEMORY;
    memcpy((char *)draft.options + sizeof(size_t), &draft.name, sizeof draft.name);
    return build_layer(&draft, op, given);
}

/* The activation that the newest layer's options ask for, as a layer of its own that is counted with it. */
static int
add_fused(struct builder *builder, int32_t kind)
{
    struct memmodel_network *network = &builder->network;
    const struct layer *layer = &network->layers[network->layer_count - 1];
    memmodel_tensor input = layer->first_output;
    struct memmodel_activation options = {.size = sizeof options, .kind = kind};
    const char *name = names_derived(builder, layer->name, activation_name(kind));
    int status;

    if (!name)
        return memmodel_context_error(network->context)->status;
    status = add_layer(builder, OP_ACTIVATION, name, &input, 1, &options);
    if (!status)
        network->layers[network->layer_count - 1].fused = true;
    return status;
}

memmodel_tensor
network_add(memmodel_network *network, enum op op, const memmodel_tensor *inputs, size_t count, const void *options)
{
    struct builder *builder = builder_of(network);
    const struct op_description *description = op_describe(op);
    const struct layer *layer;
    int32_t kind = 0;
    int status;

    if (!network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (builder->storage.named) {
        builder->storage.named = false;
        return builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, op_name(op),
                             "strides were named for an input or a tensor of parameters, which must come next");
    }
    status = add_layer(builder, op, NULL, inputs, count, options);
    builder->used_count = 0;
    if (status)
        return builder_fail(builder, status);
    layer = &network->layers[network->layer_count - 1];
    if (description->activation)
        kind = option_number(layer->options, description->activation);
    status = kind ? add_fused(builder, kind) : 0;
    if (status)
        return builder_fail(builder, status);
    return network->layers[network->layer_count - 1].first_output;
}
