/* The network itself: life, first error, symbols, scopes, and what can be asked of it. */
#include "base/choice.h"
#include "base/environment.h"
#include "base/text.h"
#include "network/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SCOPES = 60 }; /* open at a time: each is two levels of the JSON text (JSON_MAX_DEPTH) */

/* ---- life ---- */

int
memmodel_network_new(memmodel_context *context, memmodel_network **network)
{
    struct builder *builder;
    int status;

    if (!context)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (!network)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "network is NULL");
    builder = memory_allocate_zeroed(context, 1, sizeof *builder);
    if (!builder)
        return context_status(context, MEMMODEL_ERROR_NO_MEMORY);
    status = expression_pool_new(context, &builder->network.pool);
    if (status) {
        memory_release(context, builder);
        return context_status(context, status);
    }
    atomic_init(&builder->references, 1);
    builder->layout = MEMMODEL_LAYOUT_CHANNELS_FIRST;
    builder->scope = -1;
    builder->network.context = memmodel_context_ref(context);
    builder->network.arena = ARENA_INIT(context);
    *network = &builder->network;
    return 0;
}

memmodel_network *
memmodel_network_ref(memmodel_network *network)
{
    if (network)
        atomic_fetch_add(&builder_of(network)->references, 1);
    return network;
}

static void
network_free(struct builder *builder)
{
    struct memmodel_network *network = &builder->network;
    memmodel_context *context = network->context;
    void *const blocks[] = {network->tensors,    network->layers,
                            network->parameters, network->scopes,
                            network->outputs,    network->constraints,
                            builder->given,      builder->names.slots,
                            builder->scratch,    (void *)builder->scratch_roles,
                            builder->used,       network->size_nodes,
                            network->size_uses};

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        memory_release(context, blocks[i]);
    expression_pool_free(network->pool);
    arena_release(&network->arena);
    memory_release(context, builder);
    memmodel_context_unref(context);
}

void
memmodel_network_unref(memmodel_network *network)
{
    if (network && atomic_fetch_sub(&builder_of(network)->references, 1) == 1)
        network_free(builder_of(network));
}

/* ---- the first error ---- */

int
builder_fail(struct builder *builder, int status)
{
    const struct memmodel_error *error = memmodel_context_error(builder->network.context);

    status = context_status(builder->network.context, status);
    if (builder->status == 0) {
        builder->status = status;
        snprintf(builder->message, sizeof builder->message, "%s", error->message);
        snprintf(builder->object, sizeof builder->object, "%s", error->object);
    }
    return status;
}

int
builder_error(struct builder *builder, int status, const char *object, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    context_error_list(builder->network.context, status, object, 0, 0, format, arguments);
    va_end(arguments);
    return builder_fail(builder, status);
}

int
network_check(const memmodel_network *network, memmodel_context *context)
{
    const struct builder *builder = (const struct builder *)network;

    if (builder->status == 0)
        return 0;
    return context_error(context, builder->status, builder->object, "%s", builder->message);
}

int
memmodel_network_status(memmodel_network *network)
{
    return network ? network_check(network, network->context) : MEMMODEL_ERROR_INVALID_ARGUMENT;
}

/* ---- layout and symbols ---- */

void
memmodel_network_clear_error(memmodel_network *network)
{
    if (!network)
        return;
    builder_of(network)->status = 0;
    builder_of(network)->storage.named = false;
}

int
memmodel_network_set_layout(memmodel_network *network, int layout)
{
    struct builder *builder;

    if (!network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    builder = builder_of(network);
    if (layout != MEMMODEL_LAYOUT_CHANNELS_FIRST && layout != MEMMODEL_LAYOUT_CHANNELS_LAST)
        return builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "layout is %d; it may be 1 (channels_first) or 2 (channels_last)", layout);
    builder->layout = layout;
    return 0;
}

/* A handle of the pool as a public dimension; 0 on error. */
static memmodel_dim
public_dim(struct builder *builder, expression e)
{
    int64_t value;

    if (e < 0) {
        builder_fail(builder, e);
        return 0;
    }
    if (!expression_is_integer(builder->network.pool, e, &value))
        return dim_of_expression(e);
    if (value > 0)
        return value;
    builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "a dimension cannot be %lld", (long long)value);
    return 0;
}

memmodel_dim
memmodel_network_symbol(memmodel_network *network, const char *name)
{
    struct builder *builder;

    if (!network)
        return 0;
    builder = builder_of(network);
    if (names_check(builder, "a symbol", name) != 0)
        return 0;
    return public_dim(builder, expression_symbol(network->pool, name));
}

memmodel_dim
memmodel_network_expression(memmodel_network *network, const char *text)
{
    OWN_ENVIRONMENT;
    struct builder *builder;

    if (!network)
        return 0;
    builder = builder_of(network);
    if (!text) {
        builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "the expression is NULL");
        return 0;
    }
    return public_dim(builder, expression_parse(network->pool, text, text));
}

int
memmodel_network_dim_to_text(memmodel_network *network, memmodel_dim dim, char **text)
{
    OWN_ENVIRONMENT;
    struct text printed;
    struct expression_pool *pool;

    if (!network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    printed = TEXT_INIT(network->context);
    pool = network->pool;
    if (!text || (dim < 0 && (dim == MEMMODEL_DIM_INFER || -(dim + 1) >= (int64_t)expression_count(pool))))
        return context_error(network->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "%lld is no dimension here",
                             (long long)dim);
    if (dim >= 0)
        text_printf(&printed, "%lld", (long long)dim);
    else
        expression_print(pool, expression_of_dim(dim), EXPRESSION_TEXT, &printed);
    return context_status(network->context, text_hand_out(&printed, text));
}

/* ---- scopes ---- */

static int
open_scope(struct builder *builder, const char *full_name)
{
    struct memmodel_network *network = &builder->network;
    int32_t here = (int32_t)network->layer_count;

    if (array_reserve(network->context, &network->scopes, &builder->scope_capacity, network->scope_count + 1,
                      sizeof *network->scopes) != 0)
        return builder_fail(builder, MEMMODEL_ERROR_NO_MEMORY);
    network->scopes[network->scope_count] =
        (struct scope){.name = full_name, .parent = builder->scope, .first = here, .end = here};
    builder->scope = (int32_t)network->scope_count++;
    builder->depth++;
    return 0;
}

int
memmodel_network_push_scope(memmodel_network *network, const char *name)
{
    struct builder *builder;
    const char *full_name;
    int status;

    if (!network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    builder = builder_of(network);
    status = names_check(builder, "a scope", name);
    if (status)
        return status;
    if (builder->depth == MAX_SCOPES)
        return builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, name, "more than %d scopes in each other",
                             MAX_SCOPES);
    full_name = names_given(builder, name);
    return full_name ? open_scope(builder, full_name) : memmodel_context_error(network->context)->status;
}

/* `purpose`: what the scope is needed for. */
static int
check_in_scope(memmodel_network *network, const char *purpose)
{
    if (!network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (builder_of(network)->scope >= 0)
        return 0;
    return builder_error(builder_of(network), MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "there is no scope to %s",
                         purpose);
}

int
memmodel_network_pop_scope(memmodel_network *network)
{
    int status = check_in_scope(network, "end");
    struct builder *builder;

    if (status)
        return status;
    builder = builder_of(network);
    builder->scope = network->scopes[builder->scope].parent;
    builder->depth--;
    return 0;
}

int
memmodel_network_checkpoint_scope(memmodel_network *network, int mode)
{
    int status = check_in_scope(network, "be recomputed; begin one first");

    if (status)
        return status;
    if (choice_check(network->context, NULL, "mode", mode, checkpoint_names))
        return builder_fail(builder_of(network), MEMMODEL_ERROR_INVALID_ARGUMENT);
    network->scopes[builder_of(network)->scope].checkpoint = mode;
    return 0;
}

/* ---- what the host language holds ---- */

bool
builder_has_tensor(const struct builder *builder, memmodel_tensor tensor)
{
    const struct memmodel_network *network = &builder->network;
    size_t next;

    if (tensor < 0 || (size_t)tensor >= network->tensor_count)
        return false;
    next = (size_t)network->tensors[tensor].layer + 1;
    return next >= network->layer_count || !network->layers[next].fused;
}

static int
check_tensor(memmodel_network *network, memmodel_tensor tensor)
{
    struct builder *builder;

    if (!network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    builder = builder_of(network);
    if (builder_has_tensor(builder, tensor))
        return 0;
    if (tensor < 0 && builder->status)
        return builder->status;
    return builder_error(builder, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "%d is no tensor of this network", tensor);
}

int
memmodel_network_end_lifetime(memmodel_network *network, memmodel_tensor tensor)
{
    int status = check_tensor(network, tensor);

    if (status == 0)
        network->tensors[tensor].held_until = (int32_t)network->layer_count;
    return status;
}

int
memmodel_network_mark_output(memmodel_network *network, memmodel_tensor tensor)
{
    struct builder *builder;
    int status = check_tensor(network, tensor);

    if (status)
        return status;
    builder = builder_of(network);
    if (array_reserve(network->context, &network->outputs, &builder->output_capacity, network->output_count + 1,
                      sizeof *network->outputs) != 0)
        return builder_fail(builder, MEMMODEL_ERROR_NO_MEMORY);
    network->outputs[network->output_count++] = tensor;
    return 0;
}

int32_t
network_add_size_node(memmodel_network *network, const struct size_node *node)
{
    struct builder *builder = builder_of(network);
    struct size_node copy = *node;

    copy.op = arena_copy_text(&network->arena, node->op);
    copy.inputs = arena_copy(&network->arena, node->inputs, (size_t)node->input_count * sizeof *node->inputs);
    copy.layer = (int32_t)network->layer_count;
    if (!copy.op || !copy.inputs ||
        array_reserve(network->context, &network->size_nodes, &builder->size_node_capacity,
                      network->size_node_count + 1, sizeof *network->size_nodes))
        return builder_fail(builder, MEMMODEL_ERROR_NO_MEMORY);
    network->size_nodes[network->size_node_count] = copy;
    return (int32_t)network->size_node_count++;
}

int
network_add_size_use(memmodel_network *network, struct size_use use)
{
    struct builder *builder = builder_of(network);

    if (array_reserve(network->context, &network->size_uses, &builder->size_use_capacity, network->size_use_count + 1,
                      sizeof *network->size_uses))
        return builder_fail(builder, MEMMODEL_ERROR_NO_MEMORY);
    network->size_uses[network->size_use_count++] = use;
    return 0;
}

/* ---- questions ---- */

memmodel_tensor
memmodel_network_layer_output(memmodel_network *network, memmodel_tensor tensor, int index)
{
    const struct layer *layer;
    int status = check_tensor(network, tensor);

    if (status)
        return status;
    layer = &network->layers[network->tensors[tensor].layer];
    if (index < 0 || index >= layer->output_count)
        return builder_error(builder_of(network), MEMMODEL_ERROR_INVALID_ARGUMENT, layer->name,
                             "has %d outputs, not an output %d", layer->output_count, index);
    return layer->first_output + index;
}

int
memmodel_network_get_shape(const memmodel_network *network, memmodel_tensor tensor, struct memmodel_shape *shape)
{
    const struct tensor *found;

    if (!network || tensor < 0 || (size_t)tensor >= network->tensor_count || !shape)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    found = &network->tensors[tensor];
    memset(shape, 0, sizeof *shape);
    memcpy(shape->dims, found->dims, (size_t)found->rank * sizeof shape->dims[0]);
    shape->rank = found->rank;
    shape->dtype = found->dtype;
    return 0;
}

size_t
memmodel_network_layer_count(const memmodel_network *network)
{
    return network ? network->layer_count : 0;
}

const char *
memmodel_network_kind(const memmodel_network *network)
{
    size_t convolutions = 0, attentions = 0;

    for (size_t i = 0; network && i < network->layer_count; i++)
        switch (network->layers[i].op) {
        case OP_CONV:
        case OP_CONV_TRANSPOSE:
            convolutions++;
            break;
        case OP_ATTENTION:
        case OP_SOFTMAX:
        case OP_MATMUL:
            attentions++;
            break;
        default:
            break;
        }
    if (!network)
        return NULL;
    return convolutions > attentions ? "cnn" : attentions > 0 ? "transformer" : "";
}

size_t
memmodel_network_symbol_count(const memmodel_network *network)
{
    return network ? expression_symbol_count(network->pool) : 0;
}

const char *
memmodel_network_symbol_name(const memmodel_network *network, size_t symbol)
{
    if (!network)
        return NULL;
    return symbol < expression_symbol_count(network->pool) ? expression_symbol_name(network->pool, symbol) : NULL;
}
