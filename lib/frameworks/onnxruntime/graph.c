/*
 * From layers to nodes, and the order in which they run. onnxruntime: core/graph/graph.cc, Graph::ReverseDFSFrom;
 * core/graph/graph_viewer.cc.
 */
#include "frameworks/onnxruntime/graph.h"

#include "base/checked.h"
#include "memmodel/layers.h"

/* ---- what layers are called ---- */

static const char *const activations[ACTIVATION_KINDS] = {
    [MEMMODEL_ACTIVATION_NONE] = "Identity",
    [MEMMODEL_ACTIVATION_RELU] = "Relu",
    [MEMMODEL_ACTIVATION_LEAKY_RELU] = "LeakyRelu",
    [MEMMODEL_ACTIVATION_ELU] = "Elu",
    [MEMMODEL_ACTIVATION_SELU] = "Selu",
    [MEMMODEL_ACTIVATION_GELU] = "Gelu",
    [MEMMODEL_ACTIVATION_GELU_TANH] = "Gelu",
    [MEMMODEL_ACTIVATION_SIGMOID] = "Sigmoid",
    [MEMMODEL_ACTIVATION_TANH] = "Tanh",
    [MEMMODEL_ACTIVATION_HARDSIGMOID] = "HardSigmoid",
    [MEMMODEL_ACTIVATION_RELU6] = "Clip",
    [MEMMODEL_ACTIVATION_SOFTPLUS] = "Softplus",
    [MEMMODEL_ACTIVATION_PRELU] = "PRelu",
    [MEMMODEL_ACTIVATION_EXP] = "Exp",
    [MEMMODEL_ACTIVATION_LOG] = "Log",
    [MEMMODEL_ACTIVATION_SQRT] = "Sqrt",
    [MEMMODEL_ACTIVATION_SQUARE] = "Pow",
    [MEMMODEL_ACTIVATION_ABS] = "Abs",
    [MEMMODEL_ACTIVATION_NEGATE] = "Neg",
};

static const char *const binaries[] = {
    [MEMMODEL_BINARY_ADD] = "Add",    [MEMMODEL_BINARY_SUBTRACT] = "Sub", [MEMMODEL_BINARY_MULTIPLY] = "Mul",
    [MEMMODEL_BINARY_DIVIDE] = "Div", [MEMMODEL_BINARY_MAXIMUM] = "Max",  [MEMMODEL_BINARY_MINIMUM] = "Min",
};

static const char *const reductions[] = {
    [MEMMODEL_REDUCE_MAX] = "ReduceMax", [MEMMODEL_REDUCE_MEAN] = "ReduceMean",    [MEMMODEL_REDUCE_SUM] = "ReduceSum",
    [MEMMODEL_REDUCE_MIN] = "ReduceMin", [MEMMODEL_REDUCE_PRODUCT] = "ReduceProd",
};

/* Those without a kind. */
static const char *const plain[OP_COUNT] = {
    [OP_CONV] = "Conv",
    [OP_CONV_TRANSPOSE] = "ConvTranspose",
    [OP_BATCH_NORM] = "BatchNormalization",
    [OP_LAYER_NORM] = "LayerNormalization",
    [OP_GROUP_NORM] = "GroupNormalization",
    [OP_INSTANCE_NORM] = "InstanceNormalization",
    [OP_RMS_NORM] = "SimplifiedLayerNormalization",
    [OP_SOFTMAX] = "Softmax",
    [OP_DROPOUT] = "Dropout",
    [OP_EMBEDDING] = "Gather",
    [OP_UPSAMPLE] = "Resize",
    [OP_PAD] = "Pad",
    [OP_CONCAT] = "Concat",
    [OP_SPLIT] = "Split",
    [OP_SLICE] = "Slice",
    [OP_RESHAPE] = "Reshape",
    [OP_FLATTEN] = "Flatten",
    [OP_PERMUTE] = "Transpose",
    [OP_EXPAND] = "Expand",
    [OP_MATMUL] = "MatMul",
};

static const char *
custom_name(const struct memmodel_custom *custom)
{
    static const char prefix[] = "onnx.";

    if (!custom->operation)
        return "Custom";
    return strncmp(custom->operation, prefix, sizeof prefix - 1) == 0 ? custom->operation + sizeof prefix - 1
                                                                      : custom->operation;
}

static const char *
name_of(const struct layer *layer)
{
    const void *options = layer->options;

    switch (layer->op) {
    case OP_ACTIVATION:
        return activations[((const struct memmodel_activation *)options)->kind];
    case OP_BINARY:
        return binaries[((const struct memmodel_binary *)options)->kind];
    case OP_REDUCE:
        return reductions[((const struct memmodel_reduce *)options)->kind];
    case OP_POOL:
        return ((const struct memmodel_pool *)options)->kind == MEMMODEL_POOL_MAX ? "MaxPool" : "AveragePool";
    case OP_GLOBAL_POOL:
        return ((const struct memmodel_global_pool *)options)->kind == MEMMODEL_POOL_MAX ? "GlobalMaxPool"
                                                                                         : "GlobalAveragePool";
    case OP_LINEAR:
        return layer_parameter(layer, "bias") >= 0 ? "Gemm" : "MatMul";
    case OP_CUSTOM:
        return custom_name(options);
    default:
        return plain[layer->op] ? plain[layer->op] : op_name(layer->op);
    }
}

/* ---- looking ---- */

int32_t
ort_feeder(const struct ort_graph *graph, const struct ort_node *node, int i, const char *op)
{
    const struct ort_tensor *tensor =
        i < node->input_count && node->inputs[i] >= 0 ? &graph->tensors[node->inputs[i]] : NULL;

    if (!tensor || tensor->maker < 0 || tensor->uses != 1 || tensor->output ||
        !ort_node_is(&graph->nodes[tensor->maker], op))
        return -1;
    return tensor->maker;
}

int32_t
ort_follower(const struct ort_graph *graph, int32_t tensor, const char *op)
{
    const struct ort_tensor *made = &graph->tensors[tensor];

    if (made->uses != 1 || made->output || !ort_node_is(&graph->nodes[made->users], op))
        return -1;
    return (int32_t)made->users;
}

bool
ort_elements(const int64_t *dims, int rank, int64_t *elements)
{
    *elements = 1;
    for (int i = 0; i < rank; i++)
        if (!checked_multiply(*elements, dims[i], elements))
            return false;
    return true;
}

bool
ort_tensor_bytes(const struct ort_tensor *tensor, int64_t *bytes)
{
    return ort_elements(tensor->dims, tensor->rank, bytes) &&
           checked_multiply(*bytes, dtype_bytes(tensor->dtype), bytes);
}

bool
ort_same_shape(const struct ort_tensor *a, const struct ort_tensor *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

bool
ort_is_scalar(const struct ort_graph *graph, int32_t tensor)
{
    int64_t elements;

    return tensor >= 0 && graph->tensors[tensor].constant &&
           ort_elements(graph->tensors[tensor].dims, graph->tensors[tensor].rank, &elements) && elements == 1;
}

/* ---- rewriting ---- */

static void
use(struct ort_graph *graph, int32_t node, int32_t tensor, int32_t times)
{
    if (tensor < 0)
        return;
    graph->tensors[tensor].uses += times;
    graph->tensors[tensor].users += (int64_t)times * node;
}

static void *
allocate(struct ort_graph *graph, size_t count, size_t size)
{
    void *block = arena_allocate(&graph->arena, (count + 1) * size);

    if (!block)
        graph->status = MEMMODEL_ERROR_NO_MEMORY;
    return block;
}

int32_t
ort_add_tensor(struct ort_graph *graph, const struct ort_tensor *like)
{
    struct ort_tensor tensor = *like;

    if (array_reserve(graph->context, &graph->tensors, &graph->tensor_capacity, graph->tensor_count + 1,
                      sizeof *graph->tensors)) {
        graph->status = MEMMODEL_ERROR_NO_MEMORY;
        return -1;
    }
    tensor.maker = -1;
    tensor.uses = 0;
    tensor.users = 0;
    tensor.kept = 0;
    tensor.output = tensor.constant = false;
    graph->tensors[graph->tensor_count] = tensor;
    return (int32_t)graph->tensor_count++;
}

static int32_t
append_node(struct ort_graph *graph, struct ort_node node, const int32_t *inputs, int32_t input_count)
{
    int32_t index = (int32_t)graph->node_count;

    node.inputs = allocate(graph, (size_t)input_count, sizeof *node.inputs);
    node.outputs = allocate(graph, (size_t)node.output_count, sizeof *node.outputs);
    if (graph->status || array_reserve(graph->context, &graph->nodes, &graph->node_capacity, graph->node_count + 1,
                                       sizeof *graph->nodes)) {
        graph->status = MEMMODEL_ERROR_NO_MEMORY;
        return -1;
    }
    node.input_count = input_count;
    for (int32_t i = 0; i < input_count; i++) {
        node.inputs[i] = inputs[i];
        use(graph, index, inputs[i], 1);
    }
    graph->nodes[graph->node_count++] = node;
    return index;
}

int32_t
ort_add_node(struct ort_graph *graph, const char *op, int32_t like, const int32_t *inputs, int32_t count)
{
    struct ort_node node = graph->nodes[like];

    node.sizes = NULL;
    node.op = op;
    node.output_count = 0;
    return append_node(graph, node, inputs, count);
}

/* A node that makes a tensor in another's place was added without outputs, or has one already. */
void
ort_make(struct ort_graph *graph, int32_t node, int32_t tensor)
{
    struct ort_node *new = &graph->nodes[node];

    new->outputs[0] = tensor;
    new->output_count = new->output_count > 1 ? new->output_count : 1;
    graph->tensors[tensor].maker = node;
}

void
ort_make_all(struct ort_graph *graph, int32_t node, const int32_t *tensors, int32_t count)
{
    int32_t *outputs = allocate(graph, (size_t)count, sizeof *outputs);

    if (!outputs)
        return;
    memcpy(outputs, tensors, (size_t)count * sizeof *outputs);
    graph->nodes[node].outputs = outputs;
    graph->nodes[node].output_count = count;
    for (int32_t i = 0; i < count; i++)
        graph->tensors[tensors[i]].maker = node;
}

void
ort_remove_node(struct ort_graph *graph, int32_t node)
{
    struct ort_node *old = &graph->nodes[node];

    for (int32_t i = 0; i < old->input_count; i++)
        use(graph, node, old->inputs[i], -1);
    old->op = NULL;
}

void
ort_set_input(struct ort_graph *graph, int32_t node, int32_t i, int32_t tensor)
{
    use(graph, node, graph->nodes[node].inputs[i], -1);
    graph->nodes[node].inputs[i] = tensor;
    use(graph, node, tensor, 1);
}

void
ort_add_input(struct ort_graph *graph, int32_t node, int32_t tensor)
{
    struct ort_node *old = &graph->nodes[node];
    int32_t *inputs = allocate(graph, (size_t)old->input_count + 1, sizeof *inputs);

    if (!inputs)
        return;
    memcpy(inputs, old->inputs, (size_t)old->input_count * sizeof *inputs);
    inputs[old->input_count++] = tensor;
    old->inputs = inputs;
    use(graph, node, tensor, 1);
}

void
ort_spend_on_nodes(struct ort_graph *graph)
{
    if (!graph->status)
        graph->status = context_check(graph->context, context_nodes(graph->node_count));
}

void
ort_replace_uses(struct ort_graph *graph, int32_t from, int32_t to)
{
    ort_spend_on_nodes(graph);
    for (size_t n = 0; n < graph->node_count && graph->tensors[from].uses > 0; n++)
        for (int32_t i = 0; graph->nodes[n].op && i < graph->nodes[n].input_count; i++)
            if (graph->nodes[n].inputs[i] == from)
                ort_set_input(graph, (int32_t)n, i, to);
}

bool
ort_bypass(struct ort_graph *graph, int32_t node)
{
    int32_t from = graph->nodes[node].outputs[0], to = graph->nodes[node].inputs[0];
    int32_t maker = graph->tensors[to].maker;

    if (!graph->tensors[from].output) {
        ort_remove_node(graph, node);
        ort_replace_uses(graph, from, to);
        return true;
    }
    /* what the graph gives out keeps its name: the maker of the input makes it, if nobody else wants the input */
    if (maker < 0 || graph->tensors[to].output || graph->tensors[to].uses != 1 || graph->nodes[maker].output_count != 1)
        return false;
    ort_remove_node(graph, node);
    ort_make(graph, maker, from);
    return true;
}

/* ---- from layers ---- */

static void
add_network_tensors(struct ort_graph *graph)
{
    const memmodel_network *network = graph->binding->network;

    for (size_t i = 0; i < network->tensor_count && !graph->status; i++) {
        const struct tensor *of = &network->tensors[i];
        enum op op = network->layers[of->layer].op;
        struct ort_tensor tensor = {.rank = of->rank, .dtype = of->dtype, .unknown = of->unknown};
        int32_t index;

        for (int axis = 0; axis < of->rank; axis++) {
            tensor.dims[axis] = binding_dim(graph->binding, of->dims[axis]);
            tensor.symbolic |= (uint32_t)(of->dims[axis] < 0) << axis;
        }
        index = ort_add_tensor(graph, &tensor);
        if (index < 0)
            return;
        graph->tensors[index].constant = op == OP_PARAMETER;
        graph->tensors[index].output = network->output_count == 0 && of->consumers == 0 && op != OP_PARAMETER;
    }
    for (size_t i = 0; i < network->output_count && !graph->status; i++)
        graph->tensors[network->outputs[i]].output = true;
}

/* Behind those of the network. */
static void
add_size_tensors(struct ort_graph *graph)
{
    const memmodel_network *network = graph->binding->network;

    for (size_t i = 0; i < network->size_node_count && !graph->status; i++) {
        const struct memmodel_shape *shape = &network->size_nodes[i].output;
        struct ort_tensor tensor = {.rank = shape->rank, .dtype = shape->dtype};

        memcpy(tensor.dims, shape->dims, sizeof tensor.dims);
        ort_add_tensor(graph, &tensor);
    }
}

/* x f(x) in terms of other operators, since no kernel does it: f's, then the product. */
static const char *const factors[ACTIVATION_KINDS][2] = {
    [MEMMODEL_ACTIVATION_SILU] = {"Sigmoid"},
    [MEMMODEL_ACTIVATION_HARDSWISH] = {"HardSigmoid"},
    [MEMMODEL_ACTIVATION_MISH] = {"Softplus", "Tanh"},
};

static void
add_product(struct ort_graph *graph, struct ort_node node)
{
    const struct memmodel_activation *activation = node.layer->options;
    int32_t inputs[] = {node.layer->inputs[0], node.layer->inputs[0]}, at;

    node.output_count = 1;
    for (int i = 0; i < 2 && factors[activation->kind][i] && !graph->status; i++) {
        node.op = factors[activation->kind][i];
        at = append_node(graph, node, &inputs[1], 1);
        inputs[1] = ort_add_tensor(graph, ort_tensor_of(graph, inputs[0]));
        if (!graph->status)
            ort_make(graph, at, inputs[1]);
    }
    node.op = "Mul";
    at = graph->status ? -1 : append_node(graph, node, inputs, 2);
    if (at >= 0)
        ort_make(graph, at, node.layer->first_output);
}

static bool
is_product(const struct layer *layer)
{
    int32_t kind = layer->op == OP_ACTIVATION ? ((const struct memmodel_activation *)layer->options)->kind : 0;

    return kind < (int32_t)(sizeof factors / sizeof factors[0]) && factors[kind][0];
}

/* What it is to the plan and to rewrites: another name of its input, an operator that may work in place, or neither. */
static const char *
name_of_size_node(const struct size_node *node)
{
    static const char *const rows[][2] = {{"Squeeze", "Reshape"},   {"Unsqueeze", "Reshape"}, {"Reshape", "Reshape"},
                                          {"Identity", "Identity"}, {"Cast", "Cast"},         {"Not", "Not"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(node->op, rows[i][0]) == 0)
            return rows[i][1];
    return "sizes";
}

/* Those that the file has before a layer. */
static void
add_size_nodes(struct ort_graph *graph, size_t *next, int32_t layer)
{
    static const struct layer no_layer = {.op = OP_CUSTOM, .name = "sizes"};
    const memmodel_network *network = graph->binding->network;

    for (; *next < network->size_node_count && network->size_nodes[*next].layer <= layer; ++*next) {
        const struct size_node *sizes = &network->size_nodes[*next];
        struct ort_node node = {
            .op = name_of_size_node(sizes), .layer = &no_layer, .sizes = sizes, .index = layer, .output_count = 1};
        int32_t at = append_node(graph, node, NULL, 0);

        for (int32_t i = 0; at >= 0 && i < sizes->input_count; i++)
            ort_add_input(graph, at, ort_tensor_of_number(graph, sizes->inputs[i]));
        if (at >= 0)
            ort_make(graph, at, ort_tensor_of_number(graph, ~(int32_t)*next));
    }
}

static void
add_size_use(struct ort_graph *graph, int32_t node, const struct size_use *use)
{
    int32_t tensor = ort_tensor_of_number(graph, use->value), i = 0;

    while (i < graph->nodes[node].input_count &&
           (use->parameter == MEMMODEL_TENSOR_NONE || graph->nodes[node].inputs[i] != use->parameter))
        i++;
    if (i < graph->nodes[node].input_count)
        ort_set_input(graph, node, i, tensor);
    else
        ort_add_input(graph, node, tensor);
}

/* What the nodes of layers in the file use besides the layers' inputs. */
static void
add_size_uses(struct ort_graph *graph)
{
    const memmodel_network *network = graph->binding->network;
    int32_t node = 0;

    for (size_t i = 0; i < network->size_use_count && !graph->status; i++) {
        const struct size_use *use = &network->size_uses[i];

        while (node < (int32_t)graph->node_count && (graph->nodes[node].sizes || graph->nodes[node].index < use->layer))
            node++;
        if (node < (int32_t)graph->node_count && graph->nodes[node].index == use->layer)
            add_size_use(graph, node, use);
    }
}

static void
add_layer(struct ort_graph *graph, int32_t index)
{
    const struct layer *layer = &graph->binding->network->layers[index];
    struct ort_node node = {.op = name_of(layer),
                            .layer = layer,
                            .index = index,
                            .output_count = layer->output_count,
                            .permute = layer->op == OP_PERMUTE ? layer->options : NULL,
                            .bias = layer_parameter(layer, "bias") >= 0};
    int32_t at;

    if (layer_is_given(layer))
        return;
    if (is_product(layer)) {
        add_product(graph, node);
        return;
    }
    at = append_node(graph, node, layer->inputs, layer->input_count);
    for (int32_t i = 0; at >= 0 && i < layer->output_count; i++) {
        graph->nodes[at].outputs[i] = layer->first_output + i;
        graph->tensors[layer->first_output + i].maker = at;
    }
}

static bool
is_unused(const struct ort_graph *graph, const struct ort_node *node)
{
    for (int32_t i = 0; i < node->output_count; i++)
        if (graph->tensors[node->outputs[i]].uses > 0 || graph->tensors[node->outputs[i]].output)
            return false;
    return true;
}

/*
 * onnxruntime's recurrent layers make [length, directions, batch, width] at once; the network has a reshape and a
 * permutation for it.
 */
static void
make_directions(struct ort_graph *graph, int32_t recurrent)
{
    int32_t reshape = ort_follower(graph, graph->nodes[recurrent].outputs[0], "Reshape"), permute;

    if (reshape < 0)
        return;
    permute = ort_follower(graph, graph->nodes[reshape].outputs[0], "Transpose");
    if (permute >= 0 && graph->tensors[graph->nodes[permute].outputs[0]].rank == 4) {
        int32_t output = graph->nodes[permute].outputs[0];

        ort_remove_node(graph, permute);
        ort_remove_node(graph, reshape);
        ort_make(graph, recurrent, output);
    }
}

/* What only leads to inputs that the network leaves out, such as the first state of a recurrent layer. */
static void
remove_unused(struct ort_graph *graph)
{
    for (size_t i = graph->node_count; i-- > 0;)
        if (is_unused(graph, &graph->nodes[i]))
            ort_remove_node(graph, (int32_t)i);
}

int
ort_graph_new(memmodel_context *context, const struct binding *binding, struct ort_graph *graph)
{
    size_t size_node = 0;

    *graph = (struct ort_graph){.context = context, .binding = binding, .arena = ARENA_INIT(context)};
    add_network_tensors(graph);
    add_size_tensors(graph);
    for (size_t i = 0; i < binding->network->layer_count && !graph->status; i++) {
        add_size_nodes(graph, &size_node, (int32_t)i);
        add_layer(graph, (int32_t)i);
    }
    add_size_uses(graph);
    if (!graph->status) {
        for (size_t i = 0; i < graph->node_count; i++)
            if (ort_node_is(&graph->nodes[i], op_name(OP_RECURRENT)))
                make_directions(graph, (int32_t)i);
        remove_unused(graph);
        ort_graph_sort(graph);
    }
    if (graph->status)
        ort_graph_release(graph);
    return graph->status;
}

void
ort_graph_release(struct ort_graph *graph)
{
    arena_release(&graph->arena);
    memory_release(graph->context, graph->tensors);
    memory_release(graph->context, graph->nodes);
    memory_release(graph->context, graph->order);
    graph->tensors = NULL;
    graph->nodes = NULL;
    graph->order = NULL;
}

/* ---- the order: depth first from the last leaf, of a node's inputs the latest node first ---- */

struct walk {
    struct ort_graph *graph;
    int32_t *stack; /* nodes to enter; ~node: to leave */
    size_t depth, capacity;
    bool *seen;
};

static void
push(struct walk *walk, int32_t entry)
{
    if (walk->graph->status)
        return;
    if (array_reserve(walk->graph->context, &walk->stack, &walk->capacity, walk->depth + 1, sizeof *walk->stack))
        walk->graph->status = MEMMODEL_ERROR_NO_MEMORY;
    else
        walk->stack[walk->depth++] = entry;
}

/* The makers of a node's inputs that have not been seen, sorted. */
static void
push_makers(struct walk *walk, const struct ort_node *node)
{
    size_t first = walk->depth;

    for (int32_t i = 0; i < node->input_count; i++) {
        int32_t maker = node->inputs[i] < 0 ? -1 : walk->graph->tensors[node->inputs[i]].maker;

        if (maker < 0 || walk->seen[maker])
            continue;
        push(walk, maker);
        for (size_t at = walk->depth; !walk->graph->status && --at > first && walk->stack[at - 1] > maker;) {
            walk->stack[at] = walk->stack[at - 1];
            walk->stack[at - 1] = maker;
        }
    }
}

static void
visit(struct walk *walk)
{
    struct ort_graph *graph = walk->graph;

    while (walk->depth > 0 && !graph->status) {
        int32_t entry = walk->stack[--walk->depth];

        if (entry < 0) {
            graph->order[graph->order_count++] = ~entry;
        } else if (!walk->seen[entry]) {
            walk->seen[entry] = true;
            push(walk, ~entry);
            push_makers(walk, &graph->nodes[entry]);
        }
    }
}

static bool
is_leaf(const struct ort_graph *graph, const struct ort_node *node)
{
    for (int32_t i = 0; i < node->output_count; i++)
        if (graph->tensors[node->outputs[i]].uses > 0)
            return false;
    return true;
}

int
ort_graph_sort(struct ort_graph *graph)
{
    struct walk walk = {.graph = graph,
                        .seen = memory_allocate_zeroed(graph->context, graph->node_count + 1, sizeof *walk.seen)};

    memory_release(graph->context, graph->order);
    graph->order_count = 0;
    graph->order = memory_allocate_zeroed(graph->context, graph->node_count + 1, sizeof *graph->order);
    if (!walk.seen || !graph->order)
        graph->status = MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < graph->node_count && !graph->status; i++)
        if (graph->nodes[i].op && is_leaf(graph, &graph->nodes[i]))
            push(&walk, (int32_t)i);
    visit(&walk);
    memory_release(graph->context, walk.seen);
    memory_release(graph->context, walk.stack);
    return graph->status;
}
