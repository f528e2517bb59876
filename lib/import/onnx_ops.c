/* The operators by name, and what stands for one that has no builder call. */
#include "import/onnx_import.h"

#include "import/onnx_ops.h"

#include <stdio.h>
#include <string.h>

/* ---- operators by their outputs ---- */

enum { MAX_OUTPUTS = 64 };

/* Numbers that only say how are no tensors: axes, shapes, bounds. */
static bool
says_how(const struct value *value, size_t input)
{
    bool whole = dtype_is_whole(value->shape.dtype);

    return value->elements && value->tensor == MEMMODEL_TENSOR_NONE && (input > 0 || whole);
}

/* Inputs that are tensors, known ones too; MEMMODEL_TENSOR_NONE where one is left out. */
static size_t
custom_inputs(struct import *import, memmodel_tensor *inputs, size_t max)
{
    size_t count = node_input_count(import);

    if (count > max)
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "%zu inputs", count);
    for (size_t i = 0; i < count && i < max; i++) {
        struct value *value = node_optional(import, i);

        inputs[i] = value && !says_how(value, i) ? value_tensor(import, value) : MEMMODEL_TENSOR_NONE;
    }
    return count;
}

static bool
is_plain(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

void
build_custom(struct import *import, const struct memmodel_shape *outputs, size_t count)
{
    enum { MAX_INPUTS = 256 };
    memmodel_tensor inputs[MAX_INPUTS], tensor;
    size_t input_count = custom_inputs(import, inputs, MAX_INPUTS);
    char operation[80];

    snprintf(operation, sizeof operation, "onnx.%.70s", is_plain(import->node->op) ? import->node->op : "?");
    if (import->status)
        return;
    tensor = memmodel_network_custom(import->network, inputs, input_count,
                                     MEMMODEL_CUSTOM(.name = node_name(import), .outputs = outputs,
                                                     .output_count = (int32_t)count, .operation = operation));
    for (size_t i = 0; i < count; i++)
        node_output(import, i, i ? memmodel_network_layer_output(import->network, tensor, (int)i) : tensor);
}

void
build_custom_one(struct import *import, const struct memmodel_shape *output)
{
    if (node_output_count(import) > 1)
        build_unknown(import);
    else
        build_custom(import, output, 1);
}

static bool
is_function(const struct import *import)
{
    const struct onnx_list *functions = &import->model->functions;

    for (size_t i = 0; i < functions->count; i++) {
        const struct onnx_function *function = ONNX_ITEM(*functions, struct onnx_function, i);

        if (strcmp(function->name, import->node->op) == 0 && strcmp(function->domain, import->node->domain) == 0)
            return true;
    }
    return false;
}

void
build_unknown(struct import *import)
{
    struct memmodel_shape shapes[MAX_OUTPUTS];
    size_t count = node_output_count(import);

    if (count > MAX_OUTPUTS || count == 0) {
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "has no rule, and %zu outputs", count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = *ONNX_ITEM(import->node->outputs, const char *, i);

        if (name[0] && import_shape(import, import_value_info(import, name), &shapes[i]))
            continue;
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED,
                     "has no rule, and the file does not say the shape of its output \"%s\"; "
                     "onnx.shape_inference may add it",
                     name);
        return;
    }
    build_custom(import, shapes, count);
}

/* ---- the table ---- */

static const struct onnx_rule *
find_rule(const struct onnx_node *node)
{
    static const struct onnx_rule *const tables[] = {onnx_elementwise_rules, onnx_window_rules, onnx_matrix_rules,
                                                     onnx_movement_rules, onnx_selection_rules};

    if (node->domain[0] && strcmp(node->domain, "ai.onnx") != 0)
        return NULL;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const struct onnx_rule *rule = tables[i]; rule->op; rule++)
            if (strcmp(rule->op, node->op) == 0)
                return rule;
    return NULL;
}

static bool
has_graph(const struct onnx_node *node)
{
    for (size_t i = 0; i < node->attributes.count; i++)
        if (ONNX_ITEM(node->attributes, struct onnx_attribute, i)->has_graph)
            return true;
    return false;
}

static void
build(struct import *import)
{
    const struct onnx_rule *rule = find_rule(import->node);
    size_t first = import->network->layer_count;

    if (import_fold(import)) {
        import_size_node(import);
        return;
    }
    if (import->status)
        return;
    if (rule)
        rule->build(import, rule->argument);
    else
        build_unknown(import);
    if (!import->status)
        import_size_uses(import, first);
}

void
import_node(struct import *import)
{

    if (has_graph(import->node))
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "has a graph of its own; what it does depends on the data");
    else if (is_function(import))
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED,
                     "is a function of the file; onnx.inliner puts its nodes in its place");
    else
        build(import);
    if (!import->status)
        import_twins(import);
}
