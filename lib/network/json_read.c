/* A network from JSON (doc/guide/formats.md): every item becomes the builder call that it was, checked as that. */
#include "base/environment.h"
#include "base/json.h"
#include "base/file.h"
#include "base/text.h"
#include "network/builder.h"
#include "network/json.h"

#include <stdio.h>
#include <string.h>

enum { NODES_A_LAYER = 8 };

struct reader {
    struct json_document document;
    struct builder *builder;
    struct arena arena; /* options of the layer being read */
};

static int
parse_error(const struct reader *reader, const json_t *object, const char *key, const char *expected)
{
    return json_error_at_member(&reader->document, object, key, MEMMODEL_ERROR_PARSE, "\"%s\" must be %s", key,
                                expected);
}

/* What a builder call has refused, with the place in the text. */
static int
refused(const struct reader *reader, const json_t *value, int status)
{
    const struct memmodel_error *error = memmodel_context_error(reader->document.context);

    if (status_ends_call(status))
        return status;
    return json_error_at(&reader->document, value, status, "%s%s%s", error->object, *error->object ? ": " : "",
                         error->message);
}

/* ---- values ---- */

/* A member of an object. */
struct place {
    const json_t *object;
    const char *key;
    const json_t *value;
};

static int
wrong(const struct reader *reader, const struct place *place, const char *expected)
{
    return parse_error(reader, place->object, place->key, expected);
}

static int
read_integer(const struct reader *reader, const struct place *place, const json_t *value, int64_t min, int64_t max,
             int64_t *out)
{
    char range[80];
    int64_t number;

    if (!json_is_integer(value))
        return wrong(reader, place, "made of integers");
    number = (int64_t)json_integer_value(value);
    if (number >= min && number <= max) {
        *out = number;
        return 0;
    }
    snprintf(range, sizeof range, "from %lld to %lld", (long long)min, (long long)max);
    return wrong(reader, place, range);
}

/* A text of a dimension; its symbols must be among the network's. */
static int
read_expression(const struct reader *reader, const json_t *value, memmodel_dim *out)
{
    memmodel_network *network = &reader->builder->network;
    size_t symbols = expression_symbol_count(network->pool);

    *out = memmodel_network_expression(network, json_string_value(value));
    if (*out == 0)
        return refused(reader, value, memmodel_context_error(network->context)->status);
    if (expression_symbol_count(network->pool) != symbols)
        return json_error_at(&reader->document, value, MEMMODEL_ERROR_PARSE, "\"%s\" is not in \"symbols\"",
                             expression_symbol_name(network->pool, symbols));
    return 0;
}

static int
read_dim(const struct reader *reader, const struct place *place, const json_t *value, memmodel_dim *out)
{
    if (json_is_string(value))
        return read_expression(reader, value, out);
    if (json_is_null(value)) {
        *out = MEMMODEL_DIM_INFER;
        return 0;
    }
    return read_integer(reader, place, value, 0, INT64_MAX, out);
}

static int
read_dims(const struct reader *reader, const struct place *place, const json_t *array, memmodel_dim *dims)
{
    int status = 0;

    for (size_t i = 0; !status && i < json_array_size(array); i++)
        status = read_dim(reader, place, json_array_get(array, i), &dims[i]);
    return status;
}

/* ---- fields ---- */

static int
read_sizes(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    int64_t *sizes = at;
    size_t count = json_array_size(place->value);
    int status = 0;

    if (field->count == 1)
        return read_integer(reader, place, place->value, 0, INT64_MAX, sizes);
    if (!json_is_array(place->value) || count > field->count)
        return wrong(reader, place, field->count == 3 ? "an array of up to 3 sizes" : "an array of up to 8 sizes");
    for (size_t i = 0; !status && i < count; i++)
        status = read_integer(reader, place, json_array_get(place->value, i), 0, INT64_MAX, &sizes[i]);
    return status;
}

static int
read_number(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    int64_t number = 0;
    int32_t narrow;
    int status =
        read_integer(reader, place, place->value, field->kind == FIELD_AXIS ? INT32_MIN : 0, INT32_MAX, &number);

    narrow = (int32_t)number;
    if (!status)
        memcpy(at, &narrow, sizeof narrow);
    return status;
}

static int
read_flag(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    int32_t flag = json_is_true(place->value);

    (void)field;
    if (!json_is_boolean(place->value))
        return wrong(reader, place, "true or false");
    memcpy(at, &flag, sizeof flag);
    return 0;
}

/* Index of a name in a list ended by NULL, or -1. */
static int32_t
find_name(const char *const *names, const char *name)
{
    for (int32_t i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static int
read_name(struct reader *reader, const struct place *place, const char *const *names, void *at)
{
    int32_t index = json_is_string(place->value) ? find_name(names, json_string_value(place->value)) : -1;
    struct text expected = TEXT_INIT(reader->document.context);
    int status;

    if (index >= 0) {
        memcpy(at, &index, sizeof index);
        return 0;
    }
    for (int32_t i = 0; names[i]; i++)
        text_printf(&expected, "%s%s", i ? ", " : "one of ", names[i]);
    status = expected.failed ? MEMMODEL_ERROR_NO_MEMORY : wrong(reader, place, expected.bytes);
    text_release(&expected);
    return status;
}

static int
read_choice(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    return read_name(reader, place, field->kind == FIELD_LAYOUT ? layout_names : field->names, at);
}

static int
read_rate(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    double rate = json_number_value(place->value);

    (void)field;
    if (!json_is_number(place->value))
        return wrong(reader, place, "a number");
    memcpy(at, &rate, sizeof rate);
    return 0;
}

static int
read_layer_name(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    const char *name = json_string_value(place->value);

    (void)field;
    if (!name)
        return wrong(reader, place, "the name of a layer");
    memcpy(at, &name, sizeof name);
    return 0;
}

static int
read_text(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    const char *text = json_string_value(place->value);

    (void)field;
    if (!text)
        return wrong(reader, place, "a text");
    memcpy(at, &text, sizeof text);
    return 0;
}

static int
read_one_dim(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    (void)field;
    return read_dim(reader, place, place->value, at);
}

/* The int32_t that says how many elements a list has. */
static void
set_length(const struct field *field, void *at, int32_t length)
{
    memcpy((char *)at - field->offset + field->length, &length, sizeof length);
}

static int
read_axes(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    size_t count = json_array_size(place->value);

    if (!json_is_array(place->value) || count > MEMMODEL_MAX_RANK)
        return wrong(reader, place, "an array of up to 8 axes");
    for (size_t i = 0; i < count; i++) {
        int64_t axis = 0;
        int status = read_integer(reader, place, json_array_get(place->value, i), INT32_MIN, INT32_MAX, &axis);

        if (status)
            return status;
        ((int32_t *)at)[i] = (int32_t)axis;
    }
    set_length(field, at, (int32_t)count);
    return 0;
}

static int
read_dim_array(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    if (!json_is_array(place->value) || json_array_size(place->value) > MEMMODEL_MAX_RANK)
        return wrong(reader, place, "an array of up to 8 dimensions");
    set_length(field, at, (int32_t)json_array_size(place->value));
    return read_dims(reader, place, place->value, at);
}

/* A list of as many sizes as the field before it has said. */
static int
read_dim_list(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    size_t count = json_array_size(place->value);
    memmodel_dim *dims;

    if (!json_is_array(place->value) || count == 0 ||
        count != (size_t)option_number((char *)at - field->offset, field->length))
        return wrong(reader, place, "an array of as many sizes as there are parts");
    dims = arena_allocate(&reader->arena, count * sizeof *dims);
    if (!dims)
        return MEMMODEL_ERROR_NO_MEMORY;
    memcpy(at, &dims, sizeof dims);
    return read_dims(reader, place, place->value, dims);
}

static int
read_shape(struct reader *reader, const json_t *object, struct memmodel_shape *shape)
{
    static const char *const keys[] = {"dims", "dtype", NULL};
    struct place dims = {.object = object, .key = "dims"}, dtype = {.object = object, .key = "dtype"};
    const json_t *array;
    int status = json_get_array(&reader->document, object, "dims", &array);

    if (!status)
        status = json_check_keys(&reader->document, object, keys);
    if (status)
        return status;
    if (json_array_size(array) > MEMMODEL_MAX_RANK)
        return wrong(reader, &dims, "an array of up to 8 dimensions");
    memset(shape, 0, sizeof *shape);
    shape->rank = (int32_t)json_array_size(array);
    dtype.value = json_object_get(object, "dtype");
    status = read_dims(reader, &dims, array, shape->dims);
    return status || !dtype.value ? status : read_name(reader, &dtype, dtype_names, &shape->dtype);
}

static int
read_shapes(struct reader *reader, const struct field *field, const struct place *place, void *at)
{
    size_t count = json_array_size(place->value);
    struct memmodel_shape *shapes;
    int status = 0;

    if (!json_is_array(place->value) || count == 0 || count > INT32_MAX)
        return wrong(reader, place, "an array of shapes");
    shapes = arena_allocate(&reader->arena, count * sizeof *shapes);
    if (!shapes)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < count && !status; i++)
        status = read_shape(reader, json_array_get(place->value, i), &shapes[i]);
    memcpy(at, &shapes, sizeof shapes);
    set_length(field, at, (int32_t)count);
    return status;
}

static int
read_field(struct reader *reader, const struct field *field, const json_t *object, void *options)
{
    static int (*const readers[])(struct reader *, const struct field *, const struct place *, void *) = {
        [FIELD_SIZES] = read_sizes,   [FIELD_NUMBER] = read_number,  [FIELD_AXIS] = read_number,
        [FIELD_AXES] = read_axes,     [FIELD_FLAG] = read_flag,      [FIELD_ENUM] = read_choice,
        [FIELD_LAYOUT] = read_choice, [FIELD_RATE] = read_rate,      [FIELD_LAYER] = read_layer_name,
        [FIELD_DIM] = read_one_dim,   [FIELD_DIMS] = read_dim_array, [FIELD_DIM_LIST] = read_dim_list,
        [FIELD_SHAPES] = read_shapes, [FIELD_TEXT] = read_text,      [FIELD_RESERVED] = NULL,
    };
    struct place place = {.object = object, .key = field->name, .value = json_object_get(object, field->name)};

    if (!place.value || !readers[field->kind])
        return 0;
    return readers[field->kind](reader, field, &place, (char *)options + field->offset);
}

/* ---- tensors ---- */

/* The output of a layer whose activation is fused is the activation's. */
static int
find_tensor(const struct reader *reader, const json_t *value, const char *name, int64_t output, memmodel_tensor *tensor)
{
    const struct memmodel_network *network = &reader->builder->network;
    int32_t index = names_find(reader->builder, name);
    const struct layer *layer;

    if (index < 0)
        return json_error_at(&reader->document, value, MEMMODEL_ERROR_PARSE, "there is no earlier layer \"%.64s\"",
                             name);
    layer = &network->layers[index];
    if ((size_t)index + 1 < network->layer_count && layer[1].fused)
        layer++;
    if (output < 0 || output >= layer->output_count)
        return json_error_at(&reader->document, value, MEMMODEL_ERROR_PARSE, "\"%.64s\" has %d outputs", name,
                             layer->output_count);
    *tensor = layer->first_output + (memmodel_tensor)output;
    return 0;
}

/* "name", or ["name", output] */
static int
read_tensor(const struct reader *reader, const json_t *value, memmodel_tensor *tensor)
{
    const json_t *name = json_is_array(value) ? json_array_get(value, 0) : value,
                 *output = json_is_array(value) ? json_array_get(value, 1) : NULL;

    if (!json_is_string(name) || (json_is_array(value) && (json_array_size(value) != 2 || !json_is_integer(output))))
        return json_error_at(&reader->document, value, MEMMODEL_ERROR_PARSE,
                             "a tensor is the name of a layer, or [name, number of the output]");
    return find_tensor(reader, value, json_string_value(name), output ? json_integer_value(output) : 0, tensor);
}

static int
read_inputs(struct reader *reader, const json_t *item, memmodel_tensor **inputs, size_t *count)
{
    const json_t *array = json_object_get(item, "inputs");
    int status = 0;

    *count = json_array_size(array);
    *inputs = arena_allocate(&reader->arena, *count * sizeof **inputs);
    if (!*inputs)
        return MEMMODEL_ERROR_NO_MEMORY;
    if (array && !json_is_array(array))
        return parse_error(reader, item, "inputs", "an array");
    for (size_t i = 0; i < *count && !status; i++) {
        const json_t *value = json_array_get(array, i);

        (*inputs)[i] = MEMMODEL_TENSOR_NONE;
        if (!json_is_null(value))
            status = read_tensor(reader, value, &(*inputs)[i]);
    }
    return status;
}

/* {"weight": "name of a parameter", ...} */
static int
read_used(struct reader *reader, const json_t *item)
{
    const json_t *used = json_object_get(item, "uses");
    const char *role;
    json_t *value;

    if (used && !json_is_object(used))
        return parse_error(reader, item, "uses", "an object of roles and parameters");
    json_object_foreach ((json_t *)used, role, value) {
        memmodel_tensor tensor;
        int status = read_tensor(reader, value, &tensor);

        if (!status)
            status = memmodel_network_use_parameter(&reader->builder->network, role, tensor);
        if (status)
            return refused(reader, value, status);
    }
    return 0;
}

/* ---- items ---- */

static bool
is_field(const struct op_description *description, const char *key)
{
    for (const struct field *field = description->fields; field->kind != FIELD_END; field++)
        if (field->kind != FIELD_RESERVED && strcmp(field->name, key) == 0)
            return true;
    return strcmp(key, "op") == 0 || strcmp(key, "name") == 0 || strcmp(key, "inputs") == 0 || strcmp(key, "uses") == 0;
}

static int
check_layer_keys(const struct reader *reader, const struct op_description *description, const json_t *item)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)item, key, value)
        if (!is_field(description, key))
            return json_error_at_member(&reader->document, item, key, MEMMODEL_ERROR_PARSE,
                                        "%s has no option \"%.64s\"", description->name, key);
    return 0;
}

static int
read_options(struct reader *reader, const struct op_description *description, const json_t *item, void **options)
{
    const char *name;
    int status = json_get_string(&reader->document, item, "name", &name);

    if (!status)
        status = check_layer_keys(reader, description, item);
    if (status)
        return status;
    *options = arena_allocate(&reader->arena, description->options_size);
    if (!*options)
        return MEMMODEL_ERROR_NO_MEMORY;
    memset(*options, 0, description->options_size);
    memcpy(*options, &description->options_size, sizeof description->options_size);
    memcpy((char *)*options + sizeof(size_t), &name, sizeof name);
    for (const struct field *field = description->fields; !status && field->kind != FIELD_END; field++)
        status = read_field(reader, field, item, *options);
    return status;
}

static int
read_layer(struct reader *reader, const json_t *item)
{
    const char *op;
    enum op number;
    memmodel_tensor *inputs, tensor;
    size_t count;
    void *options;
    int status = json_get_string(&reader->document, item, "op", &op);

    if (status)
        return status;
    number = op_find(op);
    if (number == OP_COUNT)
        return parse_error(reader, item, "op", "the name of an operator");
    status = read_options(reader, op_describe(number), item, &options);
    if (!status)
        status = read_inputs(reader, item, &inputs, &count);
    if (!status)
        status = read_used(reader, item);
    if (status)
        return status;
    tensor = network_add(&reader->builder->network, number, inputs, count, options);
    return tensor < 0 ? refused(reader, item, tensor) : 0;
}

static int
read_items(struct reader *reader, const json_t *items);

/* One of `checkpoint_names`; without it, none. */
static int
read_checkpoint(struct reader *reader, const json_t *item, int32_t *checkpoint)
{
    struct place place = {.object = item, .key = "checkpoint", .value = json_object_get(item, "checkpoint")};

    *checkpoint = MEMMODEL_CHECKPOINT_NONE;
    return place.value ? read_name(reader, &place, checkpoint_names, checkpoint) : 0;
}

static int
read_scope(struct reader *reader, const json_t *item)
{
    static const char *const keys[] = {"scope", "checkpoint", "layers", NULL};
    memmodel_network *network = &reader->builder->network;
    const json_t *items;
    const char *name;
    int32_t checkpoint;
    int status = json_check_keys(&reader->document, item, keys);

    if (!status)
        status = json_get_string(&reader->document, item, "scope", &name);
    if (!status)
        status = read_checkpoint(reader, item, &checkpoint);
    if (!status)
        status = json_get_array(&reader->document, item, "layers", &items);
    if (status)
        return status;
    status = memmodel_network_push_scope(network, name);
    if (status)
        return refused(reader, item, status);
    memmodel_network_checkpoint_scope(network, checkpoint);
    status = read_items(reader, items);
    return status ? status : memmodel_network_pop_scope(network);
}

static int
read_lifetime_end(struct reader *reader, const json_t *item)
{
    static const char *const keys[] = {"end_lifetime", NULL};
    memmodel_tensor tensor;
    int status = json_check_keys(&reader->document, item, keys);

    if (!status)
        status = read_tensor(reader, json_object_get(item, "end_lifetime"), &tensor);
    return status ? status : memmodel_network_end_lifetime(&reader->builder->network, tensor);
}

static int
read_items(struct reader *reader, const json_t *items)
{
    int status = 0;

    for (size_t i = 0; i < json_array_size(items) && !status; i++) {
        const json_t *item = json_array_get(items, i);

        status = context_check(reader->builder->network.context, NODES_A_LAYER);
        if (status)
            return status;
        if (json_object_get(item, "scope"))
            status = read_scope(reader, item);
        else if (json_object_get(item, "end_lifetime"))
            status = read_lifetime_end(reader, item);
        else
            status = read_layer(reader, item);
        arena_release(&reader->arena);
    }
    return status;
}

/* ---- the whole ---- */

static int
read_symbols(struct reader *reader)
{
    memmodel_network *network = &reader->builder->network;
    const json_t *symbols;
    int status = json_get_array(&reader->document, reader->document.root, "symbols", &symbols);

    for (size_t i = 0; !status && i < json_array_size(symbols); i++) {
        const json_t *name = json_array_get(symbols, i);

        if (!json_is_string(name))
            return parse_error(reader, reader->document.root, "symbols", "an array of names");
        if (memmodel_network_symbol(network, json_string_value(name)) == 0)
            return refused(reader, name, memmodel_context_error(network->context)->status);
        if (expression_symbol_count(network->pool) != i + 1)
            return json_error_at(&reader->document, name, MEMMODEL_ERROR_PARSE, "the symbol stands twice");
    }
    return status;
}

static int
read_layout(struct reader *reader)
{
    struct place place = {
        .object = reader->document.root, .key = "layout", .value = json_object_get(reader->document.root, "layout")};
    int32_t layout = MEMMODEL_LAYOUT_CHANNELS_FIRST;
    int status = place.value ? read_name(reader, &place, layout_names, &layout) : 0;

    if (!status && layout == MEMMODEL_LAYOUT_DEFAULT)
        status = wrong(reader, &place, "channels_first or channels_last");
    return status ? status : memmodel_network_set_layout(&reader->builder->network, layout);
}

static int
read_outputs(struct reader *reader)
{
    const json_t *outputs = json_object_get(reader->document.root, "outputs");
    int status = 0;

    if (outputs && !json_is_array(outputs))
        return parse_error(reader, reader->document.root, "outputs", "an array");
    for (size_t i = 0; i < json_array_size(outputs) && !status; i++) {
        memmodel_tensor tensor;

        status = read_tensor(reader, json_array_get(outputs, i), &tensor);
        if (!status)
            status = memmodel_network_mark_output(&reader->builder->network, tensor);
    }
    return status;
}

static int
read_network(struct reader *reader)
{
    static const char *const keys[] = {"format", "version", "layout", "symbols", "layers", "outputs", NULL};
    const json_t *layers;
    int status = json_check_format(&reader->document, NETWORK_FORMAT, NETWORK_VERSION);

    if (!status)
        status = json_check_keys(&reader->document, reader->document.root, keys);
    if (!status)
        status = read_layout(reader);
    if (!status)
        status = read_symbols(reader);
    if (!status)
        status = json_get_array(&reader->document, reader->document.root, "layers", &layers);
    if (!status)
        status = read_items(reader, layers);
    return status ? status : read_outputs(reader);
}

static int
parse(memmodel_context *context, const char *name, const char *text, size_t length, void *network)
{
    struct reader reader = {.arena = ARENA_INIT(context)};
    memmodel_network *new;
    int status;

    status = json_document_parse(&reader.document, context, name, text, length);
    if (status)
        return status;
    status = memmodel_network_new(context, &new);
    if (!status) {
        reader.builder = builder_of(new);
        status = read_network(&reader);
        arena_release(&reader.arena);
        if (status)
            memmodel_network_unref(new);
        else
            *(memmodel_network **)network = new;
    }
    json_document_release(&reader.document);
    return status;
}

int
memmodel_network_from_json(memmodel_context *context, const char *name, const char *text, size_t length,
                           memmodel_network **network)
{
    return file_parse_text(context, name, text, length, parse, network);
}

int
memmodel_network_load(memmodel_context *context, const char *path, memmodel_network **network)
{
    return file_parse(context, path, parse, network);
}
