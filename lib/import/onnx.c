/* A whole file: what is stored, the inputs, then node by node, and the outputs. */
#include "import/onnx_import.h"

#include "base/environment.h"
#include "base/checked.h"
#include "base/choice.h"
#include "import/onnx_ops.h"

#include <stdio.h>
#include <string.h>

enum { OLDEST_OPSET = 7 };

/* ---- errors with the node's name ---- */

/* The node's name; one without a name is known by what it makes. */
static const char *
label_of(const struct onnx_node *node)
{
    for (size_t i = 0; !node->name[0] && i < node->outputs.count; i++)
        if ((*ONNX_ITEM(node->outputs, const char *, i))[0])
            return *ONNX_ITEM(node->outputs, const char *, i);
    return node->name;
}

static int
raise_error(struct import *import)
{
    if (import->status == 0 || status_ends_call(import->status))
        return import->status;
    if (import->node)
        return context_error(import->context, import->status, import->label, "%s%s%s: %s", import->node->domain,
                             import->node->domain[0] ? "." : "", import->node->op, import->message);
    return context_error(import->context, import->status, import->label, "%s", import->message);
}

/* ---- what is stored ---- */

/* The elements of a small tensor, for what is computed with them. */
static const expression *
elements_of(struct import *import, const struct onnx_tensor *tensor)
{
    expression *elements = arena_allocate(import->arena, (tensor->count + 1) * sizeof *elements);

    if (!elements) {
        import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
        return NULL;
    }
    /* expressions have no INT64_MIN, which exporters write for "from the very beginning" */
    for (size_t i = 0; i < tensor->count; i++)
        elements[i] = import_expression(import, expression_rational(import->pool,
                                                                    max_i64(tensor->numbers[i].numerator, -INT64_MAX),
                                                                    tensor->numbers[i].denominator));
    return elements;
}

static void
define_stored(struct import *import, const char *name, const struct onnx_tensor *tensor)
{
    struct value *value = value_find(import, name);

    if (!value) {
        import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
        return;
    }
    if (value->defined)
        import_error(import, MEMMODEL_ERROR_SHAPE, "\"%s\" is stored or made twice", name);
    value->defined = true;
    value->stored = tensor;
    value->shape = tensor->shape;
    value->elements = tensor->numbers ? elements_of(import, tensor) : NULL;
    value->count = tensor->count;
}

static void
define_initializers(struct import *import)
{
    const struct onnx_list *stored = &import->model->initializers;

    for (size_t i = 0; i < stored->count && !import->status; i++) {
        const struct onnx_tensor *tensor = ONNX_ITEM(*stored, struct onnx_tensor, i);

        import->label = tensor->name;
        define_stored(import, tensor->name, tensor);
    }
}

/* ---- Constant: a stored tensor in a node ---- */

static struct onnx_tensor *
numbers_tensor(struct import *import, const struct onnx_attribute *attribute)
{
    size_t count = attribute->ints.count + attribute->floats.count;
    bool floats = attribute->has_real || attribute->floats.count > 0,
         scalar = attribute->has_integer || attribute->has_real;
    struct onnx_tensor *tensor = arena_allocate(import->arena, sizeof *tensor);
    struct onnx_number *numbers = arena_allocate(import->arena, (count + 1) * sizeof *numbers);

    if (!tensor || !numbers)
        return NULL;
    *tensor = (struct onnx_tensor){.name = "", .onnx_type = floats ? 1 : 7};
    tensor->shape = (struct memmodel_shape){.dims = {(memmodel_dim)count},
                                            .rank = scalar ? 0 : 1,
                                            .dtype = floats ? MEMMODEL_DTYPE_FLOAT32 : MEMMODEL_DTYPE_INT64};
    for (size_t i = 0; i < count && !floats; i++)
        numbers[i] = (struct onnx_number){*ONNX_ITEM(attribute->ints, int64_t, i), 1};
    if (scalar && !floats)
        numbers[0] = (struct onnx_number){attribute->integer, 1};
    tensor->count = scalar ? 1 : count;
    tensor->numbers = floats || tensor->count > ONNX_MAX_NUMBERS ? NULL : numbers;
    return tensor;
}

static void
build_constant(struct import *import)
{
    static const char *const names[] = {"value_int", "value_ints", "value_float", "value_floats"};
    const struct onnx_attribute *attribute = node_attribute(import, "value");
    const struct onnx_tensor *tensor = attribute ? attribute->tensor : NULL;

    for (size_t i = 0; !tensor && i < sizeof names / sizeof names[0]; i++) {
        attribute = node_attribute(import, names[i]);
        if (attribute && !(tensor = numbers_tensor(import, attribute)))
            import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
    }
    if (!tensor)
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "has no numbers as its value");
    else if (node_output_count(import) != 1)
        import_error(import, MEMMODEL_ERROR_SHAPE, "needs one output");
    else
        define_stored(import, *ONNX_ITEM(import->node->outputs, const char *, 0), tensor);
}

/* ---- inputs and outputs ---- */

static const char *
input_name(struct import *import, const char *name, char other[32])
{
    size_t length = strlen(name);

    for (size_t i = 0; i < length; i++)
        if (name[i] < ' ' || name[i] > '~')
            length = 0;
    snprintf(other, 32, "input_%zu", import->network->layer_count);
    return length > 0 && length <= 255 ? name : other;
}

/* The first dimension goes by the name that the caller gave. */
static void
rename_first(struct import *import, const struct onnx_value_info *info)
{
    if (import->options->batch_symbol && info->dims.count > 0)
        *ONNX_ITEM(info->dims, struct onnx_dim, 0) =
            (struct onnx_dim){.value = -1, .name = import->options->batch_symbol};
}

static void
define_input(struct import *import, const struct onnx_value_info *info)
{
    struct value *value = value_find(import, info->name);
    char other[32];

    rename_first(import, info);
    if (!value)
        import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
    else if (value->stored)
        return; /* before IR version 4 initializers stood among the inputs too */
    else if (value->defined)
        import_error(import, MEMMODEL_ERROR_SHAPE, "there are two inputs of this name");
    else if (!import_shape(import, info, &value->shape))
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "the file does not say what tensor this input is");
    if (import->status)
        return;
    value->defined = true;
    value->tensor = memmodel_network_input(import->network, input_name(import, info->name, other), value->shape.dtype,
                                           value->shape.rank, value->shape.dims);
    if (value->tensor < 0)
        import_failed(import, value->tensor);
}

static void
define_inputs(struct import *import)
{
    const struct onnx_list *inputs = &import->model->inputs;

    for (size_t i = 0; i < inputs->count && !import->status; i++) {
        import->label = ONNX_ITEM(*inputs, struct onnx_value_info, i)->name;
        define_input(import, ONNX_ITEM(*inputs, struct onnx_value_info, i));
    }
}

static void
define_outputs(struct import *import)
{
    const struct onnx_list *outputs = &import->model->outputs;

    import->node = NULL;
    for (size_t i = 0; i < outputs->count && !import->status; i++) {
        const char *name = ONNX_ITEM(*outputs, struct onnx_value_info, i)->name;
        struct value *value = value_find(import, name);
        memmodel_tensor tensor;
        int status;

        import->label = name;
        if (!value)
            import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
        else if (!value->defined)
            import_error(import, MEMMODEL_ERROR_SHAPE, "this output is made by no node");
        if (import->status)
            return;
        tensor = value_tensor(import, value);
        status = import->status ? 0 : memmodel_network_mark_output(import->network, tensor);
        if (status)
            import_failed(import, status);
    }
}

/* ---- nodes ---- */

static void
count_uses(struct import *import)
{
    const struct onnx_list *nodes = &import->model->nodes;

    for (size_t i = 0; i < nodes->count && !import->status; i++) {
        const struct onnx_list *inputs = &ONNX_ITEM(*nodes, struct onnx_node, i)->inputs;

        for (size_t j = 0; j < inputs->count; j++) {
            struct value *value = value_find(import, *ONNX_ITEM(*inputs, const char *, j));

            if (value && value->uses < INT32_MAX)
                value->uses++;
            else if (!value)
                import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
        }
    }
}

/* What the file says of tensors is found by their names, too. */
static void
find_infos(struct import *import)
{
    const struct onnx_list *infos = &import->model->value_infos;

    for (size_t i = 0; i < infos->count && !import->status; i++) {
        const struct onnx_value_info *info = ONNX_ITEM(*infos, struct onnx_value_info, i);
        struct value *value = value_find(import, info->name);

        if (value)
            value->info = info;
        else
            import_failed(import, MEMMODEL_ERROR_NO_MEMORY);
    }
}

static void
import_nodes(struct import *import)
{
    const struct onnx_list *nodes = &import->model->nodes;

    for (size_t i = 0; i < nodes->count && !import->status; i++) {
        import->node = ONNX_ITEM(*nodes, struct onnx_node, i);
        import->label = label_of(import->node);
        if (strcmp(import->node->op, "Constant") == 0 && !import->node->domain[0])
            build_constant(import);
        else
            import_node(import);
    }
}

/* ---- the model ---- */

static void
find_opset(struct import *import)
{
    const struct onnx_list *opsets = &import->model->opsets;

    import->opset = 1;
    for (size_t i = 0; i < opsets->count; i++) {
        const struct onnx_opset *opset = ONNX_ITEM(*opsets, struct onnx_opset, i);

        if (opset->domain[0] == '\0' || strcmp(opset->domain, "ai.onnx") == 0)
            import->opset = opset->version;
    }
    if (import->opset < OLDEST_OPSET)
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED,
                     "written for opset %lld; %d and later can be read, onnx.version_converter makes one of them",
                     (long long)import->opset, OLDEST_OPSET);
}

static int
import_model(struct import *import)
{
    find_opset(import);
    count_uses(import);
    find_infos(import);
    define_initializers(import);
    define_inputs(import);
    import_nodes(import);
    if (!import->status)
        define_outputs(import);
    return raise_error(import);
}

/* The network of a model that was read. */
static int
network_of_model(struct wire_source *source, struct arena *arena, const struct onnx_model *model,
                 const struct memmodel_onnx_options *options, memmodel_network *network)
{
    struct import import = {
        .context = source->context,
        .options = options,
        .network = network,
        .arena = arena,
        .model = model,
        .label = source->name,
        .nothing = {.name = "", .tensor = MEMMODEL_TENSOR_NONE, .shape = {.dtype = MEMMODEL_DTYPE_FLOAT32}},
    };
    int status = expression_pool_new(source->context, &import.pool);

    if (status)
        return status;
    status = import_model(&import);
    expression_pool_free(import.pool);
    memory_release(source->context, import.slots);
    return status ? status : memmodel_network_status(network);
}

static int
read_source(struct wire_source *source, const struct memmodel_onnx_options *given, memmodel_network **network)
{
    struct memmodel_onnx_options options = {0};
    struct arena arena = ARENA_INIT(source->context);
    struct onnx_model model = {.has_graph = false};
    memmodel_network *new;
    int status = options_copy(source->context, "memmodel_onnx_options", given, &options, sizeof options);

    if (!status && options.reserved)
        status = context_error(source->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "memmodel_onnx_options",
                               "a reserved field is not zero");
    if (!status)
        status = flag_check(source->context, "memmodel_onnx_options", "frozen", options.frozen);
    if (!status)
        status = onnx_model_read(source, &arena, &model);
    if (!status) {
        status = memmodel_network_new(source->context, &new);
        if (!status && (status = network_of_model(source, &arena, &model, &options, new)) != 0)
            memmodel_network_unref(new);
    }
    arena_release(&arena);
    if (!status)
        *network = new;
    return status;
}

static int
load(memmodel_context *context, const char *path, const struct memmodel_onnx_options *options,
     memmodel_network **network)
{
    OWN_ENVIRONMENT;
    struct wire_source source;
    int status;

    status = wire_open(&source, context, path);
    if (status)
        return status;
    status = read_source(&source, options, network);
    wire_close(&source);
    return status;
}

int
memmodel_network_load_onnx(memmodel_context *context, const char *path, const struct memmodel_onnx_options *options,
                           memmodel_network **network)
{
    int status;

    if (!context || !path || !network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(context);
    return context_end(context, status ? status : load(context, path, options, network));
}

static int
parse(memmodel_context *context, const char *name, const void *bytes, size_t length,
      const struct memmodel_onnx_options *options, memmodel_network **network)
{
    OWN_ENVIRONMENT;
    struct wire_source source;

    wire_open_memory(&source, context, name, bytes, length);
    return read_source(&source, options, network);
}

int
memmodel_network_from_onnx(memmodel_context *context, const char *name, const void *bytes, size_t length,
                           const struct memmodel_onnx_options *options, memmodel_network **network)
{
    int status;

    if (!context || !name || (!bytes && length) || !network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(context);
    return context_end(context, status ? status : parse(context, name, bytes, length, options, network));
}
