/* The tensors of the graph by name, and what a node has: its inputs, outputs and attributes. */
#include "import/onnx_import.h"
#include "base/text.h"

#include "network/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- errors ---- */

void
import_error(struct import *import, int status, const char *format, ...)
{
    va_list arguments;

    if (import->status)
        return;
    import->status = status;
    va_start(arguments, format);
    vsnprintf(import->message, sizeof import->message, format, arguments);
    va_end(arguments);
}

void
import_failed(struct import *import, int status)
{
    import_error(import, context_status(import->context, status), "%s",
                 memmodel_context_error(import->context)->message);
}

/* ---- by name ---- */

static struct value_slot *
slot_of(struct value_slot *slots, size_t capacity, uint32_t hash, const char *name)
{
    size_t i = hash & (capacity - 1);

    while (slots[i].value && (slots[i].hash != hash || strcmp(slots[i].value->name, name) != 0))
        i = (i + 1) & (capacity - 1);
    return &slots[i];
}

static bool
grow(struct import *import)
{
    enum { FIRST = 256 };
    size_t capacity = import->slot_capacity ? 2 * import->slot_capacity : FIRST;
    struct value_slot *slots;

    if (2 * import->value_count < import->slot_capacity)
        return true;
    slots = memory_allocate_zeroed(import->context, capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < import->slot_capacity; i++)
        if (import->slots[i].value)
            *slot_of(slots, capacity, import->slots[i].hash, import->slots[i].value->name) = import->slots[i];
    memory_release(import->context, import->slots);
    import->slots = slots;
    import->slot_capacity = capacity;
    return true;
}

struct value *
value_find(struct import *import, const char *name)
{
    uint32_t hash = text_hash(name);
    struct value_slot *slot;

    if (!grow(import))
        return NULL;
    slot = slot_of(import->slots, import->slot_capacity, hash, name);
    if (slot->value)
        return slot->value;
    slot->value = arena_allocate(import->arena, sizeof *slot->value);
    if (!slot->value)
        return NULL;
    *slot->value = (struct value){.name = name, .tensor = MEMMODEL_TENSOR_NONE};
    slot->hash = hash;
    import->value_count++;
    return slot->value;
}

/* ---- inputs ---- */

static const char *
name_at(const struct onnx_list *names, size_t i)
{
    return i < names->count ? *ONNX_ITEM(*names, const char *, i) : "";
}

struct value *
node_optional(struct import *import, size_t i)
{
    const char *name = name_at(&import->node->inputs, i);
    struct value *value = name[0] ? value_find(import, name) : NULL;

    if (!name[0])
        return NULL;
    if (!value)
        import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
    else if (!value->defined)
        import_error(import, MEMMODEL_ERROR_SHAPE, "its input \"%s\" is made by nothing before it", name);
    return value && value->defined ? value : &import->nothing;
}

struct value *
node_value(struct import *import, size_t i)
{
    struct value *value = node_optional(import, i);

    if (value)
        return value;
    import_error(import, MEMMODEL_ERROR_SHAPE, "input %zu is missing", i);
    return &import->nothing;
}

size_t
node_input_count(const struct import *import)
{
    return import->node->inputs.count;
}

/* A name that the network takes, and that no layer has. */
static const char *
free_name(const struct import *import, const char *name)
{
    enum { LONGEST = 255 };
    struct builder *builder = builder_of(import->network);
    size_t length = strlen(name);

    if (length == 0 || length > LONGEST)
        return NULL;
    for (size_t i = 0; i < length; i++)
        if (name[i] < ' ' || name[i] > '~')
            return NULL;
    return names_find(builder, name) < 0 ? name : NULL;
}

const char *
node_name(const struct import *import)
{
    return free_name(import, import->node->name);
}

/* What no gradient is for: indices, masks, and what is computed from shapes. */
static bool
is_trained(const struct import *import, const struct value *value)
{
    return value->stored && value->shape.dtype >= MEMMODEL_DTYPE_FLOAT32 &&
           value->shape.dtype <= MEMMODEL_DTYPE_BFLOAT16 && !import->options->frozen;
}

memmodel_tensor
value_tensor(struct import *import, struct value *value)
{
    const char *name = free_name(import, value->name);
    char other[32];

    if (value->tensor != MEMMODEL_TENSOR_NONE || import->status)
        return value->tensor;
    if (value->shape.dtype == 0) {
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "\"%s\" is of type %s, which has no counterpart", value->name,
                     value->stored ? onnx_type_name(value->stored->onnx_type) : "unknown");
        return MEMMODEL_TENSOR_NONE;
    }
    snprintf(other, sizeof other, "constant_%zu", import->network->layer_count);
    value->tensor = memmodel_network_parameter(import->network, name ? name : other, value->shape.dtype,
                                               value->shape.rank, value->shape.dims, is_trained(import, value));
    if (value->tensor < 0)
        import_failed(import, value->tensor);
    return value->tensor;
}

memmodel_tensor
node_tensor(struct import *import, size_t i)
{
    return value_tensor(import, node_value(import, i));
}

void
node_use(struct import *import, const char *role, size_t i)
{
    struct value *value = node_optional(import, i);
    bool own = value && value->uses < 2 && value->tensor == MEMMODEL_TENSOR_NONE && is_trained(import, value);

    if (!value || value == &import->nothing || own)
        return;
    if (import->used_count == ONNX_MAX_USED) {
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "more than %d parameters", ONNX_MAX_USED);
        return;
    }
    import->used[import->used_count].role = role;
    import->used[import->used_count++].tensor = value_tensor(import, value);
}

bool
node_ready(struct import *import)
{
    for (size_t i = 0; i < import->used_count && !import->status; i++) {
        int status = memmodel_network_use_parameter(import->network, import->used[i].role, import->used[i].tensor);

        if (status)
            import_failed(import, status);
    }
    import->used_count = 0;
    return import->status == 0;
}

/* ---- outputs ---- */

size_t
node_output_count(const struct import *import)
{
    size_t count = import->node->outputs.count;

    while (count > 0 && !name_at(&import->node->outputs, count - 1)[0])
        count--;
    return count;
}

/* The value of an output, which nothing has made yet; NULL if it is left out, or on an error. */
static struct value *
new_output(struct import *import, size_t i)
{
    const char *name = name_at(&import->node->outputs, i);
    struct value *value;

    if (!name[0] || import->status)
        return NULL;
    value = value_find(import, name);
    if (!value)
        import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
    else if (value->defined)
        import_error(import, MEMMODEL_ERROR_SHAPE, "its output \"%s\" is made twice", name);
    if (import->status)
        return NULL;
    value->defined = true;
    return value;
}

void
node_output(struct import *import, size_t i, memmodel_tensor tensor)
{
    struct value *value;

    if (tensor < 0)
        import_failed(import, tensor);
    value = new_output(import, i);
    if (!value)
        return;
    value->tensor = tensor;
    memmodel_network_get_shape(import->network, tensor, &value->shape);
    value->unknown = import_unknown_axes(import, value);
    import->network->tensors[tensor].unknown |= value->unknown;
}

void
node_alias(struct import *import, struct value *of)
{
    struct value *value = new_output(import, 0);
    const char *name;

    if (!value)
        return;
    name = value->name;
    if (of->stored)
        value_tensor(import, of);
    of->uses += value->uses;
    *value = *of;
    value->name = name;
}

void
node_elements(struct import *import, size_t i, const struct memmodel_shape *shape, const expression *elements,
              size_t count)
{
    struct value *value = new_output(import, i);

    if (!value)
        return;
    value->shape = *shape;
    value->elements = elements;
    value->count = count;
    import_note_elements(import, value);
}

/* ---- attributes ---- */

const struct onnx_attribute *
node_attribute(const struct import *import, const char *name)
{
    const struct onnx_list *attributes = &import->node->attributes;

    for (size_t i = 0; i < attributes->count; i++)
        if (strcmp(ONNX_ITEM(*attributes, struct onnx_attribute, i)->name, name) == 0)
            return ONNX_ITEM(*attributes, struct onnx_attribute, i);
    return NULL;
}

int64_t
node_integer(const struct import *import, const char *name, int64_t otherwise)
{
    const struct onnx_attribute *attribute = node_attribute(import, name);

    return attribute && attribute->has_integer ? attribute->integer : otherwise;
}

double
node_real(const struct import *import, const char *name, double otherwise)
{
    const struct onnx_attribute *attribute = node_attribute(import, name);

    return attribute && attribute->has_real ? attribute->real : otherwise;
}

const char *
node_text(const struct import *import, const char *name, const char *otherwise)
{
    const struct onnx_attribute *attribute = node_attribute(import, name);

    return attribute && attribute->text ? attribute->text : otherwise;
}

size_t
node_integers(struct import *import, const char *name, int64_t *integers, size_t max)
{
    const struct onnx_attribute *attribute = node_attribute(import, name);
    size_t count = attribute ? attribute->ints.count : 0;

    if (count > max) {
        import_error(import, MEMMODEL_ERROR_SHAPE, "%s has %zu numbers", name, count);
        count = 0;
    }
    for (size_t i = 0; i < count; i++)
        integers[i] = *ONNX_ITEM(attribute->ints, int64_t, i);
    return count;
}

int
import_axis(struct import *import, int64_t axis, int rank)
{
    if (axis >= -rank && axis < rank)
        return (int)(axis < 0 ? axis + rank : axis);
    import_error(import, MEMMODEL_ERROR_SHAPE, "axis %lld of a tensor with %d dimensions", (long long)axis, rank);
    return 0;
}

/* The integers of a value with known elements; -1 if they are not known. */
static int
known_integers(struct import *import, const struct value *value, int64_t integers[MEMMODEL_MAX_RANK])
{
    if (!value->elements || value->count > MEMMODEL_MAX_RANK)
        return -1;
    for (size_t i = 0; i < value->count; i++)
        if (!element_integer(import, value->elements[i], &integers[i]))
            return -1;
    return (int)value->count;
}

int
node_axes(struct import *import, size_t input, int rank, int axes[MEMMODEL_MAX_RANK])
{
    const struct onnx_attribute *attribute = node_attribute(import, "axes");
    struct value *value = attribute ? NULL : node_optional(import, input);
    int64_t integers[MEMMODEL_MAX_RANK];
    int count = attribute ? (int)node_integers(import, "axes", integers, MEMMODEL_MAX_RANK) : -1;

    if (value) {
        count = known_integers(import, value, integers);
        if (count < 0)
            import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "its axes are computed from data");
    }
    for (int i = 0; i < count; i++)
        axes[i] = import_axis(import, integers[i], rank);
    return count;
}
