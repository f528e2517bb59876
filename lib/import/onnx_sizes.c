/*
 * What the nodes of a file make and use, although no layer of the network does: for run-times that run them one by one.
 * Nodes that compute sizes, sizes that layers have as their dimensions, and nodes that compute the same.
 */
#include "base/text.h"
#include "import/onnx_import.h"

#include <string.h>

/* ---- nodes and uses ---- */

static bool
is_computed(const struct import *import, memmodel_tensor tensor)
{
    return tensor >= 0 && layer_of_tensor(import->network, tensor)->op != OP_PARAMETER;
}

/* As inputs of size nodes are numbered; false: it is stored. */
static bool
reference(const struct import *import, const struct value *value, int32_t *number)
{
    if (!value || value->stored)
        return false;
    *number = value->size_node ? ~(value->size_node - 1) : value->tensor;
    return value->size_node || is_computed(import, value->tensor);
}

static bool
has_numbers(const struct import *import, const struct value *value)
{
    int64_t integer;

    for (size_t i = 0; i < value->count; i++)
        if (!element_integer(import, value->elements[i], &integer))
            return false;
    return value->lost == 0;
}

/* What it makes is another name of its input. */
static bool
is_view(const struct onnx_node *node)
{
    static const char *const views[] = {"Identity", "Reshape", "Squeeze", "Unsqueeze"};

    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        if (strcmp(node->op, views[i]) == 0)
            return true;
    return false;
}

void
import_size_node(struct import *import)
{
    struct value *value = value_find(import, *ONNX_ITEM(import->node->outputs, const char *, 0));
    int32_t *inputs = arena_allocate(import->arena, (node_input_count(import) + 1) * sizeof *inputs);
    struct size_node node = {.op = import->node->op, .inputs = inputs};
    int32_t index;

    if (!value || !inputs) {
        import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < node_input_count(import); i++)
        node.input_count += reference(import, node_optional(import, i), &inputs[node.input_count]);
    if (node.input_count == 0 && is_view(import->node))
        return;
    node.output = value->shape;
    node.fixed = has_numbers(import, value);
    index = network_add_size_node(import->network, &node);
    if (index < 0)
        import_failed(import, index);
    value->size_node = index + 1;
}

static bool
uses_tensor(const struct import *import, size_t first, int32_t tensor)
{
    for (size_t i = first; i < import->network->layer_count; i++)
        for (int32_t j = 0; j < import->network->layers[i].input_count; j++)
            if (import->network->layers[i].inputs[j] == tensor)
                return true;
    return false;
}

void
import_size_uses(struct import *import, size_t first)
{
    const memmodel_network *network = import->network;
    struct size_use use = {.layer = (int32_t)first};

    while ((size_t)use.layer < network->layer_count && layer_is_given(&network->layers[use.layer]))
        use.layer++;
    for (size_t i = 0; i < node_input_count(import) && (size_t)use.layer < network->layer_count; i++) {
        const struct value *value = node_optional(import, i);

        if (!reference(import, value, &use.value) || uses_tensor(import, first, use.value))
            continue;
        use.parameter = value->tensor;
        if (network_add_size_use(import->network, use))
            import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
    }
}

/* ---- twins. onnxruntime: core/optimizer/common_subexpression_elimination.cc ---- */

struct seen_node {
    const struct onnx_node *node;
    struct seen_node *next;
};

static const struct value *
first_twin(const struct value *value)
{
    return value && value->twin ? value->twin : value;
}

/* One and the same, or stored numbers that are. */
static bool
same_value(const struct value *a, const struct value *b)
{
    a = first_twin(a);
    b = first_twin(b);
    return a == b || (a && b && a->stored && b->stored && a->elements && b->elements && a->count == b->count &&
                      a->shape.dtype == b->shape.dtype && a->shape.rank == b->shape.rank &&
                      memcmp(a->elements, b->elements, a->count * sizeof *a->elements) == 0);
}

static bool
same_items(const struct onnx_list *a, const struct onnx_list *b, size_t size)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->items, b->items, a->count * size) == 0);
}

static bool
same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
same_tensor(const struct onnx_tensor *a, const struct onnx_tensor *b)
{
    return a == b || (a && b && a->numbers && b->numbers && a->count == b->count && a->onnx_type == b->onnx_type &&
                      memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers) == 0);
}

static bool
same_attribute(const struct onnx_attribute *a, const struct onnx_attribute *b)
{
    return strcmp(a->name, b->name) == 0 && a->has_integer == b->has_integer && a->integer == b->integer &&
           a->has_real == b->has_real && !(a->real < b->real) && !(a->real > b->real) && same_text(a->text, b->text) &&
           same_items(&a->ints, &b->ints, sizeof(int64_t)) && same_items(&a->floats, &b->floats, sizeof(double)) &&
           same_tensor(a->tensor, b->tensor);
}

static bool
same_node(struct import *import, const struct onnx_node *node, const struct onnx_node *other)
{
    if (strcmp(node->op, other->op) != 0 || strcmp(node->domain, other->domain) != 0 ||
        node->inputs.count != other->inputs.count || node->outputs.count != other->outputs.count ||
        node->attributes.count != other->attributes.count)
        return false;
    for (size_t i = 0; i < node->inputs.count; i++)
        if (!same_value(value_find(import, *ONNX_ITEM(node->inputs, const char *, i)),
                        value_find(import, *ONNX_ITEM(other->inputs, const char *, i))))
            return false;
    for (size_t i = 0; i < node->attributes.count; i++)
        if (!same_attribute(ONNX_ITEM(node->attributes, struct onnx_attribute, i),
                            ONNX_ITEM(other->attributes, struct onnx_attribute, i)))
            return false;
    return true;
}

static uint32_t
hash_of(const struct value *value)
{
    value = first_twin(value);
    if (!value || (value->stored && value->elements))
        return value && value->count ? (uint32_t)value->elements[0] : 0;
    return text_hash(value->name);
}

/* By the operator and its inputs. */
static size_t
bucket_of(struct import *import)
{
    uint32_t hash = text_hash(import->node->op);

    for (size_t i = 0; i < node_input_count(import); i++)
        hash = 31 * hash + hash_of(node_optional(import, i));
    return hash % ONNX_BUCKETS;
}

static void
pair(struct import *import, const char *name, const char *other)
{
    struct value *value = value_find(import, name);
    const struct value *twin = first_twin(value_find(import, other));

    if (!value || !twin || value == twin || !name[0] || !other[0])
        return;
    value->twin = twin;
    if (value->size_node && twin->size_node)
        import->network->size_nodes[value->size_node - 1].twin = twin->size_node;
    else if (is_computed(import, value->tensor) && is_computed(import, twin->tensor) && value->tensor != twin->tensor)
        import->network->tensors[value->tensor].twin = twin->tensor + 1;
}

void
import_twins(struct import *import)
{
    size_t bucket = bucket_of(import);
    struct seen_node *seen = import->seen[bucket];

    while (seen && !same_node(import, import->node, seen->node))
        seen = seen->next;
    for (size_t i = 0; seen && i < import->node->outputs.count; i++)
        pair(import, *ONNX_ITEM(import->node->outputs, const char *, i),
             *ONNX_ITEM(seen->node->outputs, const char *, i));
    if (seen)
        return;
    seen = arena_allocate(import->arena, sizeof *seen);
    if (!seen) {
        import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
        return;
    }
    *seen = (struct seen_node){.node = import->node, .next = import->seen[bucket]};
    import->seen[bucket] = seen;
}
