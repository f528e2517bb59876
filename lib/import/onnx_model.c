#include "import/onnx_model.h"

#include <string.h>

/* ---- lists ---- */

void *
onnx_list_add(struct arena *arena, struct onnx_list *list, size_t size)
{
    enum { FIRST = 4 };
    char *item;

    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : FIRST;
        void *items = capacity > SIZE_MAX / 2 / size ? NULL : arena_allocate(arena, capacity * size);

        if (!items)
            return NULL;
        if (list->count > 0)
            memcpy(items, list->items, list->count * size);
        list->items = items;
        list->capacity = capacity;
    }
    item = (char *)list->items + size * list->count++;
    return memset(item, 0, size);
}

/* ---- members ---- */

static int
onnx_text_read(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_reader *own = reader;

    return wire_text(field->message, own->arena, (const char **)(void *)((char *)target + rule->offset));
}

static int
read_integer(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    (void)reader;
    *(int64_t *)(void *)((char *)target + rule->offset) = (int64_t)field->value;
    return 0;
}

static int
read_type(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_reader *own = reader;

    if (field->value > 1000)
        return wire_error(own->source, field->at, "there is no type %llu", (unsigned long long)field->value);
    *(int32_t *)(void *)((char *)target + rule->offset) = (int32_t)field->value;
    return 0;
}

static int
read_name(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_reader *own = reader;
    const char **name =
        onnx_list_add(own->arena, (struct onnx_list *)(void *)((char *)target + rule->offset), sizeof *name);

    return name ? wire_text(field->message, own->arena, name) : MEMMODEL_ERROR_NO_MEMORY;
}

/* ---- types and shapes ---- */

static int
read_dim_value(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_dim *dim = target;

    (void)reader;
    (void)rule;
    dim->value = (int64_t)field->value < 0 ? -1 : (int64_t)field->value; /* some exporters write -1 for unknown */
    return 0;
}

static const struct wire_rule dim_rules[] = {
    {1, WIRE_VARINT, read_dim_value, 0},
    {2, WIRE_BYTES, onnx_text_read, offsetof(struct onnx_dim, name)},
    {0},
};

static int
read_dim(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_reader *own = reader;
    struct onnx_value_info *info = target;
    struct onnx_dim *dim;

    (void)rule;
    if (info->dims.count == MEMMODEL_MAX_RANK)
        return context_error(own->source->context, MEMMODEL_ERROR_UNSUPPORTED, own->source->name,
                             "byte %lld: a tensor with more than %d dimensions", (long long)field->at,
                             MEMMODEL_MAX_RANK);
    dim = onnx_list_add(own->arena, &info->dims, sizeof *dim);
    if (!dim)
        return MEMMODEL_ERROR_NO_MEMORY;
    dim->value = -1;
    return wire_read(field->message, dim_rules, reader, dim);
}

static const struct wire_rule shape_rules[] = {{1, WIRE_BYTES, read_dim, 0}, {0}};

static int
read_shape(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    (void)rule;
    ((struct onnx_value_info *)target)->has_shape = true;
    ((struct onnx_value_info *)target)->dims = (struct onnx_list){0};
    return wire_read(field->message, shape_rules, reader, target);
}

static const struct wire_rule tensor_type_rules[] = {
    {1, WIRE_VARINT, read_type, offsetof(struct onnx_value_info, onnx_type)},
    {2, WIRE_BYTES, read_shape, 0},
    {0},
};

static int
read_tensor_type(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    (void)rule;
    ((struct onnx_value_info *)target)->is_tensor = true;
    return wire_read(field->message, tensor_type_rules, reader, target);
}

static const struct wire_rule type_rules[] = {{1, WIRE_BYTES, read_tensor_type, 0}, {0}};

static int
read_type_proto(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    (void)rule;
    return wire_read(field->message, type_rules, reader, target);
}

static const struct wire_rule value_info_rules[] = {
    {1, WIRE_BYTES, onnx_text_read, offsetof(struct onnx_value_info, name)},
    {2, WIRE_BYTES, read_type_proto, 0},
    {0},
};

static int
read_value_info(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_reader *own = reader;
    struct onnx_value_info *info =
        onnx_list_add(own->arena, (struct onnx_list *)(void *)((char *)target + rule->offset), sizeof *info);

    if (!info)
        return MEMMODEL_ERROR_NO_MEMORY;
    info->name = "";
    info->at = field->at;
    return wire_read(field->message, value_info_rules, reader, info);
}

/* ---- nodes ---- */

static double
real_of_bits(uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    float real;

    memcpy(&real, &narrow, sizeof real);
    return (double)real;
}

static int
read_real(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_attribute *attribute = target;

    (void)reader;
    (void)rule;
    attribute->real = real_of_bits(field->value);
    attribute->has_real = true;
    return 0;
}

static int
read_attribute_integer(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_attribute *attribute = target;

    (void)reader;
    (void)rule;
    attribute->integer = (int64_t)field->value;
    attribute->has_integer = true;
    return 0;
}

static int
add_attribute_number(struct onnx_reader *own, struct onnx_attribute *attribute, enum wire_type type, uint64_t value)
{
    int64_t *integer;
    double *real;

    if (type == WIRE_VARINT) {
        integer = onnx_list_add(own->arena, &attribute->ints, sizeof *integer);
        if (integer)
            *integer = (int64_t)value;
        return integer ? 0 : MEMMODEL_ERROR_NO_MEMORY;
    }
    real = onnx_list_add(own->arena, &attribute->floats, sizeof *real);
    if (real)
        *real = real_of_bits(value);
    return real ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

/* One number, or a packed list of them. The rule's offset is the type of the numbers. */
static int
read_attribute_numbers(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct wire_message numbers = field->message;
    enum wire_type type = (enum wire_type)rule->offset;
    uint64_t value;
    int status = 0;

    if (field->type == type)
        return add_attribute_number(reader, target, type, field->value);
    if (field->type != WIRE_BYTES)
        return wire_error(numbers.source, field->at, "field %u has wire type %d", rule->number, (int)field->type);
    while (!status && numbers.position < numbers.end) {
        status = wire_next_packed(&numbers, type, &value);
        if (!status)
            status = add_attribute_number(reader, target, type, value);
    }
    return status;
}

static int
read_attribute_tensor(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_reader *own = reader;
    struct onnx_attribute *attribute = target;

    (void)rule;
    attribute->tensor = arena_allocate(own->arena, sizeof *attribute->tensor);
    return attribute->tensor ? onnx_tensor_read(own, field->message, attribute->tensor) : MEMMODEL_ERROR_NO_MEMORY;
}

static int
read_graph_attribute(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    (void)reader;
    (void)rule;
    (void)field;
    ((struct onnx_attribute *)target)->has_graph = true;
    return 0;
}

/* Texts of attributes may be bytes of any kind: only short ones without zeros are of interest. */
static int
read_attribute_text(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    enum { LONGEST = 1024 };

    if (field->message.end - field->message.position > LONGEST)
        return 0;
    return onnx_text_read(reader, rule, field, target);
}

static const struct wire_rule attribute_rules[] = {
    {1, WIRE_BYTES, onnx_text_read, offsetof(struct onnx_attribute, name)},
    {2, WIRE_FIXED32, read_real, 0},
    {3, WIRE_VARINT, read_attribute_integer, 0},
    {4, WIRE_BYTES, read_attribute_text, offsetof(struct onnx_attribute, text)},
    {5, WIRE_BYTES, read_attribute_tensor, 0},
    {6, WIRE_BYTES, read_graph_attribute, 0},
    {7, WIRE_ANY, read_attribute_numbers, WIRE_FIXED32},
    {8, WIRE_ANY, read_attribute_numbers, WIRE_VARINT},
    {11, WIRE_BYTES, read_graph_attribute, 0},
    {0},
};

static int
read_attribute(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_reader *own = reader;
    struct onnx_attribute *attribute =
        onnx_list_add(own->arena, &((struct onnx_node *)target)->attributes, sizeof *attribute);

    (void)rule;
    if (!attribute)
        return MEMMODEL_ERROR_NO_MEMORY;
    attribute->name = "";
    return wire_read(field->message, attribute_rules, reader, attribute);
}

static const struct wire_rule node_rules[] = {
    {1, WIRE_BYTES, read_name, offsetof(struct onnx_node, inputs)},
    {2, WIRE_BYTES, read_name, offsetof(struct onnx_node, outputs)},
    {3, WIRE_BYTES, onnx_text_read, offsetof(struct onnx_node, name)},
    {4, WIRE_BYTES, onnx_text_read, offsetof(struct onnx_node, op)},
    {5, WIRE_BYTES, read_attribute, 0},
    {7, WIRE_BYTES, onnx_text_read, offsetof(struct onnx_node, domain)},
    {0},
};

static int
read_node(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_reader *own = reader;
    struct onnx_node *node = onnx_list_add(own->arena, &((struct onnx_model *)target)->nodes, sizeof *node);

    (void)rule;
    if (!node)
        return MEMMODEL_ERROR_NO_MEMORY;
    node->name = node->op = node->domain = "";
    node->at = field->at;
    return wire_read(field->message, node_rules, reader, node);
}

/* ---- the model ---- */

static int
read_initializer(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_reader *own = reader;
    struct onnx_tensor *tensor =
        onnx_list_add(own->arena, &((struct onnx_model *)target)->initializers, sizeof *tensor);

    (void)rule;
    return tensor ? onnx_tensor_read(own, field->message, tensor) : MEMMODEL_ERROR_NO_MEMORY;
}

static const struct wire_rule graph_rules[] = {
    {1, WIRE_BYTES, read_node, 0},
    {5, WIRE_BYTES, read_initializer, 0},
    {11, WIRE_BYTES, read_value_info, offsetof(struct onnx_model, inputs)},
    {12, WIRE_BYTES, read_value_info, offsetof(struct onnx_model, outputs)},
    {13, WIRE_BYTES, read_value_info, offsetof(struct onnx_model, value_infos)},
    {0},
};

static int
read_graph(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    (void)rule;
    ((struct onnx_model *)target)->has_graph = true;
    return wire_read(field->message, graph_rules, reader, target);
}

static const struct wire_rule opset_rules[] = {
    {1, WIRE_BYTES, onnx_text_read, offsetof(struct onnx_opset, domain)},
    {2, WIRE_VARINT, read_integer, offsetof(struct onnx_opset, version)},
    {0},
};

static int
read_opset(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_reader *own = reader;
    struct onnx_opset *opset = onnx_list_add(own->arena, &((struct onnx_model *)target)->opsets, sizeof *opset);

    (void)rule;
    if (!opset)
        return MEMMODEL_ERROR_NO_MEMORY;
    opset->domain = "";
    return wire_read(field->message, opset_rules, reader, opset);
}

static const struct wire_rule function_rules[] = {
    {1, WIRE_BYTES, onnx_text_read, offsetof(struct onnx_function, name)},
    {10, WIRE_BYTES, onnx_text_read, offsetof(struct onnx_function, domain)},
    {0},
};

static int
read_function(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct onnx_reader *own = reader;
    struct onnx_function *function =
        onnx_list_add(own->arena, &((struct onnx_model *)target)->functions, sizeof *function);

    (void)rule;
    if (!function)
        return MEMMODEL_ERROR_NO_MEMORY;
    function->name = function->domain = "";
    return wire_read(field->message, function_rules, reader, function);
}

static const struct wire_rule model_rules[] = {
    {7, WIRE_BYTES, read_graph, 0},
    {8, WIRE_BYTES, read_opset, 0},
    {25, WIRE_BYTES, read_function, 0},
    {0},
};

int
onnx_model_read(struct wire_source *source, struct arena *arena, struct onnx_model *model)
{
    struct onnx_reader reader = {.source = source, .arena = arena};
    struct wire_message message = {.source = source, .position = 0, .end = source->size};
    int status = wire_read(message, model_rules, &reader, model);

    if (!status && !model->has_graph)
        status = wire_error(source, source->size, "the file ends, and there was no graph in it");
    return status;
}
