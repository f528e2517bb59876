/* A network as JSON (doc/guide/formats.md): items in the order of the calls, options by the fields of their structs. */
#include "base/json.h"
#include "base/file.h"
#include "base/text.h"
#include "network/builder.h"
#include "network/json.h"

#include <string.h>

enum { MAX_OPEN = 256 };

struct writer {
    memmodel_context *context; /* of the call */
    const struct builder *builder;
    bool failed;
    json_t *lists[MAX_OPEN]; /* items of the open scopes; the outermost first; borrowed */
    int32_t scopes[MAX_OPEN];
    int depth;
    int32_t *first_release, *next_release; /* tensors by held_until, as linked lists of tensor + 1 */
};

/* ---- building blocks: a failure is remembered and checked once ---- */

static json_t *
made(struct writer *writer, json_t *value)
{
    writer->failed = writer->failed || !value;
    return value;
}

static void
set(struct writer *writer, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        writer->failed = true;
}

static void
append(struct writer *writer, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        writer->failed = true;
}

/* ---- dims, shapes, tensors ---- */

static json_t *
dim_json(struct writer *writer, memmodel_dim dim)
{
    struct text text = TEXT_INIT(writer->context);
    json_t *value;

    if (dim == MEMMODEL_DIM_INFER)
        return json_null();
    if (dim >= 0)
        return made(writer, json_integer(dim));
    expression_print(writer->builder->network.pool, expression_of_dim(dim), EXPRESSION_TEXT, &text);
    value = made(writer, text.failed ? NULL : json_string(text.bytes));
    text_release(&text);
    return value;
}

static json_t *
dims_json(struct writer *writer, const memmodel_dim *dims, int32_t count)
{
    json_t *array = made(writer, json_array());

    for (int32_t i = 0; i < count; i++)
        append(writer, array, dim_json(writer, dims[i]));
    return array;
}

static json_t *
shapes_json(struct writer *writer, const struct memmodel_shape *shapes, int32_t count)
{
    json_t *array = made(writer, json_array());

    for (int32_t i = 0; i < count; i++) {
        json_t *shape = made(writer, json_object());

        set(writer, shape, "dims", dims_json(writer, shapes[i].dims, shapes[i].rank));
        if (shapes[i].dtype)
            set(writer, shape, "dtype", made(writer, json_string(memmodel_dtype_name(shapes[i].dtype))));
        append(writer, array, shape);
    }
    return array;
}

/* The name of the layer that made the tensor; [name, index] of an output behind the first. */
static json_t *
tensor_json(struct writer *writer, memmodel_tensor tensor)
{
    const struct memmodel_network *network = &writer->builder->network;
    const struct layer *layer;
    json_t *pair;

    if (tensor < 0)
        return json_null();
    layer = &network->layers[network->tensors[tensor].layer];
    if (layer->fused)
        layer--;
    if (network->tensors[tensor].output == 0)
        return made(writer, json_string(layer->name));
    pair = made(writer, json_array());
    append(writer, pair, made(writer, json_string(layer->name)));
    append(writer, pair, made(writer, json_integer(network->tensors[tensor].output)));
    return pair;
}

/* ---- options ---- */

/* A list of at most `count` numbers without the zeros at its end; NULL if nothing is left. */
static json_t *
sizes_json(struct writer *writer, const int64_t *sizes, size_t count)
{
    json_t *array;

    while (count > 0 && sizes[count - 1] == 0)
        count--;
    if (count == 0)
        return NULL;
    array = made(writer, json_array());
    for (size_t i = 0; i < count; i++)
        append(writer, array, made(writer, json_integer(sizes[i])));
    return array;
}

static json_t *
axes_json(struct writer *writer, const int32_t *axes, int32_t count)
{
    json_t *array = made(writer, json_array());

    for (int32_t i = 0; i < count; i++)
        append(writer, array, made(writer, json_integer(axes[i])));
    return array;
}

static json_t *
number_json(struct writer *writer, const struct field *field, int32_t number)
{
    int32_t usual = field->kind == FIELD_LAYOUT ? writer->builder->layout : 0;

    if (number == usual || (field->kind == FIELD_LAYOUT && number == MEMMODEL_LAYOUT_DEFAULT))
        return NULL;
    switch (field->kind) {
    case FIELD_FLAG:
        return json_true();
    case FIELD_ENUM:
        return made(writer, json_string(field->names[number]));
    case FIELD_LAYOUT:
        return made(writer, json_string(layout_names[number]));
    default:
        return made(writer, json_integer(number));
    }
}

static json_t *
list_json(struct writer *writer, const struct field *field, const void *options)
{
    const void *at = (const char *)options + field->offset, *list = NULL;
    int32_t length = option_number(options, field->length);

    if (length == 0)
        return NULL;
    if (field->kind == FIELD_AXES)
        return axes_json(writer, at, length);
    if (field->kind == FIELD_DIMS)
        return dims_json(writer, at, length);
    memcpy(&list, at, sizeof list);
    if (!list)
        return NULL;
    return field->kind == FIELD_SHAPES ? shapes_json(writer, list, length) : dims_json(writer, list, length);
}

static json_t *
text_json(struct writer *writer, const void *at)
{
    const char *text;

    memcpy(&text, at, sizeof text);
    return text ? made(writer, json_string(text)) : NULL;
}

static json_t *
rate_json(struct writer *writer, const void *at)
{
    double rate;

    memcpy(&rate, at, sizeof rate);
    return rate > 0 ? made(writer, json_real(rate)) : NULL;
}

/* NULL for a default, which is not written. */
static json_t *
field_json(struct writer *writer, const struct field *field, const void *options)
{
    const void *at = (const char *)options + field->offset;
    const int64_t *sizes = at;

    switch (field->kind) {
    case FIELD_SIZES:
        if (field->count > 1)
            return sizes_json(writer, sizes, field->count);
        return sizes[0] ? made(writer, json_integer(sizes[0])) : NULL;
    case FIELD_DIM:
        return sizes[0] ? dim_json(writer, sizes[0]) : NULL;
    case FIELD_RATE:
        return rate_json(writer, at);
    case FIELD_LAYER:
    case FIELD_TEXT:
        return text_json(writer, at);
    case FIELD_AXES:
    case FIELD_DIMS:
    case FIELD_DIM_LIST:
    case FIELD_SHAPES:
        return list_json(writer, field, options);
    default:
        return number_json(writer, field, option_number(options, field->offset));
    }
}

/* ---- items ---- */

/* Parameters by role that stand as tensors of their own; NULL if there are none. */
static json_t *
used_json(struct writer *writer, const struct layer *layer)
{
    const struct memmodel_network *network = &writer->builder->network;
    json_t *used = NULL;

    for (int32_t i = 0; i < layer->parameter_count; i++) {
        const struct layer *owner = &network->layers[network->parameters[layer->parameters[i]].layer];

        if (owner == layer || owner->op != OP_PARAMETER)
            continue;
        if (!used)
            used = made(writer, json_object());
        set(writer, used, layer->roles[i], made(writer, json_string(owner->name)));
    }
    return used;
}

static void
write_layer(struct writer *writer, int32_t index)
{
    const struct memmodel_network *network = &writer->builder->network;
    const struct layer *layer = &network->layers[index];
    const struct op_description *description = op_describe(layer->op);
    const char *scope = layer->scope < 0 ? NULL : network->scopes[layer->scope].name;
    json_t *item = made(writer, json_object()), *inputs, *used = used_json(writer, layer);

    set(writer, item, "op", made(writer, json_string(description->name)));
    set(writer, item, "name", made(writer, json_string(layer->name + (scope ? strlen(scope) + 1 : 0))));
    if (layer->input_count > 0) {
        inputs = made(writer, json_array());
        for (int32_t i = 0; i < layer->input_count; i++)
            append(writer, inputs, tensor_json(writer, layer->inputs[i]));
        set(writer, item, "inputs", inputs);
    }
    if (used)
        set(writer, item, "uses", used);
    for (const struct field *field = description->fields; field->kind != FIELD_END; field++) {
        json_t *value = field_json(writer, field, writer->builder->given[index]);

        if (value)
            set(writer, item, field->name, value);
    }
    append(writer, writer->lists[writer->depth], item);
}

static void
write_releases(struct writer *writer, int32_t position)
{
    for (int32_t next = writer->first_release[position]; next; next = writer->next_release[next - 1]) {
        json_t *item = made(writer, json_object());

        set(writer, item, "end_lifetime", tensor_json(writer, next - 1));
        append(writer, writer->lists[writer->depth], item);
    }
}

static void
close_scopes(struct writer *writer, int32_t until)
{
    while (writer->scopes[writer->depth] != until)
        writer->depth--;
}

static void
open_scope(struct writer *writer, int32_t index)
{
    const struct scope *scope = &writer->builder->network.scopes[index];
    const char *parent = scope->parent < 0 ? NULL : writer->builder->network.scopes[scope->parent].name;
    json_t *item = made(writer, json_object()), *list = made(writer, json_array());

    close_scopes(writer, scope->parent);
    set(writer, item, "scope", made(writer, json_string(scope->name + (parent ? strlen(parent) + 1 : 0))));
    if (scope->checkpoint)
        set(writer, item, "checkpoint", made(writer, json_string(checkpoint_names[scope->checkpoint])));
    set(writer, item, "layers", list);
    append(writer, writer->lists[writer->depth], item);
    writer->depth++;
    writer->lists[writer->depth] = list;
    writer->scopes[writer->depth] = index;
}

static void
write_items(struct writer *writer)
{
    const struct memmodel_network *network = &writer->builder->network;
    int32_t scope = 0, scopes = (int32_t)network->scope_count, layers = (int32_t)network->layer_count;

    /* once a part is lost, the list that should hold the rest may be gone with it */
    for (int32_t i = 0; i <= layers && !writer->failed; i++) {
        write_releases(writer, i);
        while (scope < scopes && network->scopes[scope].first == i && !writer->failed)
            open_scope(writer, scope++);
        if (i == layers || writer->failed || network->layers[i].fused)
            continue;
        close_scopes(writer, network->layers[i].scope);
        write_layer(writer, i);
    }
}

/* ---- the whole ---- */

static int
sort_releases(struct writer *writer)
{
    const struct memmodel_network *network = &writer->builder->network;
    memmodel_context *context = writer->context;

    writer->first_release = memory_allocate_zeroed(context, network->layer_count + 1, sizeof *writer->first_release);
    writer->next_release = memory_allocate_zeroed(context, network->tensor_count + 1, sizeof *writer->next_release);
    if (!writer->first_release || !writer->next_release)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (int32_t i = (int32_t)network->tensor_count - 1; i >= 0; i--) {
        int32_t position = network->tensors[i].held_until;

        if (position == 0)
            continue;
        writer->next_release[i] = writer->first_release[position];
        writer->first_release[position] = i + 1;
    }
    return 0;
}

static json_t *
network_json(struct writer *writer)
{
    const struct memmodel_network *network = &writer->builder->network;
    json_t *root = made(writer, json_object()), *symbols = made(writer, json_array()),
           *outputs = made(writer, json_array());

    for (size_t i = 0; i < expression_symbol_count(network->pool); i++)
        append(writer, symbols, made(writer, json_string(expression_symbol_name(network->pool, i))));
    for (size_t i = 0; i < network->output_count; i++)
        append(writer, outputs, tensor_json(writer, network->outputs[i]));
    writer->lists[0] = made(writer, json_array());
    writer->scopes[0] = -1;

    set(writer, root, "format", made(writer, json_string(NETWORK_FORMAT)));
    set(writer, root, "version", made(writer, json_integer(NETWORK_VERSION)));
    set(writer, root, "layout", made(writer, json_string(layout_names[writer->builder->layout])));
    set(writer, root, "symbols", symbols);
    set(writer, root, "layers", writer->lists[0]);
    if (network->output_count)
        set(writer, root, "outputs", outputs);
    else
        json_decref(outputs);
    if (!writer->failed)
        write_items(writer);
    return root;
}

static int
json_of_network(const void *object, memmodel_context *context, char **text)
{
    const memmodel_network *network = object;
    struct writer writer = {.context = context, .builder = object};
    int status = network_check(network, context);

    if (!status)
        status = custom_check_written(network, context);
    if (!status)
        status = sort_releases(&writer);
    if (!status) {
        json_t *root = network_json(&writer);

        if (writer.failed) {
            json_decref(root);
            root = NULL;
        }
        status = json_write(context, root, text);
    }
    memory_release(context, writer.first_release);
    memory_release(context, writer.next_release);
    return status;
}

int
memmodel_network_to_json(const memmodel_network *network, memmodel_context *context, char **text)
{
    return file_hand_out(network, context || !network ? context : network->context, json_of_network, text);
}

int
memmodel_network_save(const memmodel_network *network, const char *path, memmodel_context *context)
{
    return file_save(network, context || !network ? context : network->context, json_of_network, path);
}
