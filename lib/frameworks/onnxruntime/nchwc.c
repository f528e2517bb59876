/*
 * Convolutions on blocked copies: the channels of an image in groups of as many as a vector has floats, so that what is
 * between two convolutions stays in that layout. onnxruntime: core/optimizer/nchwc_transformer.cc, and what sessions of
 * 1.31.1 saved of small graphs.
 */
#include "frameworks/onnxruntime/graph.h"

#include "base/checked.h"
#include "memmodel/layers.h"

enum { CHANNELS = 1, IMAGE_RANK = 4, CHANNEL_ALIGNMENT = 4 };

static const char enlarging[] = "nchwc.Upsample";

/* A tensor that is there in blocks. */
struct blocked {
    int32_t tensor;    /* the blocked one; -1: it is not */
    int32_t uses;      /* of the plain one at first */
    int32_t remaining; /* of which still want it plain */
    int32_t origin;    /* plain tensor that its sizes, known or not, come from */
    int64_t channels;
};

struct blocking {
    struct ort_graph *graph;
    struct blocked *blocked; /* of each tensor that there was at first */
    int32_t *reordered;      /* blocked copies of plain tensors; -1: none */
    size_t count;
    int64_t block;
};

static struct blocked *
blocked_input(const struct blocking *blocking, const struct ort_node *node, int i)
{
    struct blocked *blocked = i < node->input_count && node->inputs[i] >= 0 && (size_t)node->inputs[i] < blocking->count
                                  ? &blocking->blocked[node->inputs[i]]
                                  : NULL;

    return blocked && blocked->tensor >= 0 ? blocked : NULL;
}

static int32_t
add_blocked_tensor(struct blocking *blocking, int32_t like)
{
    struct ort_tensor tensor = *ort_tensor_of(blocking->graph, like);

    tensor.dims[CHANNELS] = round_up(tensor.dims[CHANNELS], blocking->block);
    return ort_add_tensor(blocking->graph, &tensor);
}

static int32_t
origin_of(const struct blocking *blocking, int32_t plain)
{
    return blocking->blocked[plain].tensor >= 0 ? blocking->blocked[plain].origin : plain;
}

/* The node makes its output in blocks from now on; `unknown` are axes of it. */
static void
make_blocked(struct blocking *blocking, int32_t node, int32_t output, int32_t origin, uint32_t unknown)
{
    const struct ort_tensor *plain = ort_tensor_of(blocking->graph, output);
    struct blocked *blocked = &blocking->blocked[output];

    blocked->uses = blocked->remaining = plain->uses + plain->output;
    blocked->channels = plain->dims[CHANNELS];
    blocked->origin = origin;
    blocked->tensor = add_blocked_tensor(blocking, output);
    if (blocked->tensor < 0)
        return;
    ort_tensor_of(blocking->graph, blocked->tensor)->unknown = unknown;
    ort_make(blocking->graph, node, blocked->tensor);
}

/* The input in blocks: as it is, or by a copy that all who want one share. */
static int32_t
reordered_input(struct blocking *blocking, int32_t like, int32_t plain)
{
    struct ort_graph *graph = blocking->graph;
    int32_t node;

    if (blocking->blocked[plain].tensor >= 0) {
        blocking->blocked[plain].remaining--;
        return blocking->blocked[plain].tensor;
    }
    if (blocking->reordered[plain] >= 0)
        return blocking->reordered[plain];
    node = ort_add_node(graph, "nchwc.ReorderInput", like, &plain, 1);
    blocking->reordered[plain] = add_blocked_tensor(blocking, plain);
    if (!graph->status)
        ort_make(graph, node, blocking->reordered[plain]);
    return blocking->reordered[plain];
}

/*
 * Of what a window makes the batch is that of its input, and sizes are known that are numbers; enlarging keeps numbers
 * alone. onnxruntime: core/graph/contrib_ops/nchwc_schema_defs.cc.
 */
static uint32_t
unknown_axes(const struct blocking *blocking, const char *op, int32_t input, int32_t output)
{
    uint32_t symbolic = ort_tensor_of(blocking->graph, output)->symbolic, batch = 1;

    return strcmp(op, enlarging) == 0 ? symbolic
                                      : (symbolic & ~batch) | (ort_tensor_of(blocking->graph, input)->unknown & batch);
}

/* The node by another of the same options, with its first input in blocks if `reorders`. */
static void
replace_node(struct blocking *blocking, int32_t old, const char *op, bool reorders)
{
    struct ort_graph *graph = blocking->graph;
    int32_t input = graph->nodes[old].inputs[0], output = graph->nodes[old].outputs[0];
    int32_t given = reorders ? -1 : input, new = ort_add_node(graph, op, old, &given, 1);

    if (reorders && !graph->status)
        given = reordered_input(blocking, old, input);
    if (graph->status)
        return;
    ort_remove_node(graph, old);
    ort_set_input(graph, new, 0, given);
    make_blocked(blocking, new, output, strcmp(op, enlarging) == 0 ? output : origin_of(blocking, input),
                 unknown_axes(blocking, op, given, output));
}

/* ---- convolutions and pooling ---- */

static bool
is_image(const struct blocking *blocking, int32_t tensor)
{
    const struct ort_tensor *x = ort_tensor_of(blocking->graph, tensor);

    return x->rank == IMAGE_RANK && x->dtype == MEMMODEL_DTYPE_FLOAT32 && (size_t)tensor < blocking->count;
}

/* Whether its weights can be blocked; *reorders: and whether the input must be, too. */
static bool
can_block_conv(const struct blocking *blocking, const struct memmodel_conv *conv, int64_t channels, bool *reorders)
{
    int64_t block = blocking->block, inner = channels / conv->groups, filters = conv->filters;

    *reorders = true;
    if (conv->groups > 1 && inner == 1 && filters == conv->groups) /* the weights are filled up */
        return channels % CHANNEL_ALIGNMENT == 0;
    if (conv->groups > 1)
        return inner % block == 0 && (filters / conv->groups) % block == 0;
    *reorders = inner >= block;
    return !*reorders || inner % CHANNEL_ALIGNMENT == 0;
}

static void
block_conv(struct blocking *blocking, int32_t at)
{
    const struct ort_node *node = &blocking->graph->nodes[at];
    bool reorders;

    if (node->layer->op == OP_CONV && node->input_count == 1 && is_image(blocking, node->inputs[0]) &&
        can_block_conv(blocking, node->layer->options, ort_tensor_of(blocking->graph, node->inputs[0])->dims[CHANNELS],
                       &reorders))
        replace_node(blocking, at, "nchwc.Conv", reorders);
}

static bool
has_whole_blocks(const struct blocking *blocking, int32_t tensor)
{
    return is_image(blocking, tensor) && ort_tensor_of(blocking->graph, tensor)->dims[CHANNELS] % blocking->block == 0;
}

static void
block_pool(struct blocking *blocking, int32_t at)
{
    const struct ort_node *node = &blocking->graph->nodes[at];

    if (node->layer->op == OP_POOL && has_whole_blocks(blocking, node->inputs[0]))
        replace_node(blocking, at, ort_node_is(node, "MaxPool") ? "nchwc.MaxPool" : "nchwc.AveragePool", true);
}

static void
block_global_pool(struct blocking *blocking, int32_t at)
{
    const struct ort_node *node = &blocking->graph->nodes[at];

    if (node->layer->op == OP_GLOBAL_POOL && has_whole_blocks(blocking, node->inputs[0]) &&
        blocked_input(blocking, node, 0))
        replace_node(blocking, at,
                     ort_node_is(node, "GlobalMaxPool") ? "nchwc.GlobalMaxPool" : "nchwc.GlobalAveragePool", true);
}

/* By whole factors, no cubic interpolation. */
static void
block_resize(struct blocking *blocking, int32_t at)
{
    const struct ort_node *node = &blocking->graph->nodes[at];

    if (node->layer->op == OP_UPSAMPLE && blocked_input(blocking, node, 0) &&
        ((const struct memmodel_upsample *)node->layer->options)->kind != MEMMODEL_INTERPOLATION_CUBIC)
        replace_node(blocking, at, enlarging, true);
}

/* Becomes a convolution of one channel at a time. */
static void
block_batch_norm(struct blocking *blocking, int32_t at)
{
    if (blocked_input(blocking, &blocking->graph->nodes[at], 0))
        replace_node(blocking, at, "nchwc.Conv", true);
}

/* From channels first to last is what a copy out of blocks can do at once. */
static void
block_transpose(struct blocking *blocking, int32_t at)
{
    static const int32_t channels_last[] = {0, 2, 3, 1};
    struct ort_graph *graph = blocking->graph;
    const struct ort_node *node = &graph->nodes[at];
    const struct permute_options *permute = node->permute;
    struct blocked *input = blocked_input(blocking, node, 0);
    int32_t output = node->outputs[0], new;

    if (!permute || !input || permute->rank != IMAGE_RANK ||
        memcmp(permute->axes, channels_last, sizeof channels_last) != 0)
        return;
    input->remaining--;
    new = ort_add_node(graph, "nchwc.ReorderOutput", at, &input->tensor, 1);
    if (graph->status)
        return;
    ort_remove_node(graph, at);
    ort_make(graph, new, output);
}

/* ---- what works on blocks as it is ---- */

static void
take_blocked_inputs(struct blocking *blocking, int32_t at)
{
    for (int32_t i = 0; i < blocking->graph->nodes[at].input_count; i++) {
        struct blocked *input = blocked_input(blocking, &blocking->graph->nodes[at], i);

        input->remaining--;
        ort_set_input(blocking->graph, at, i, input->tensor);
    }
}

static void
block_in_place(struct blocking *blocking, int32_t at)
{
    const struct ort_node *node = &blocking->graph->nodes[at];
    int32_t origin = origin_of(blocking, node->inputs[0]);
    uint32_t unknown = 0;

    take_blocked_inputs(blocking, at);
    for (int32_t i = 0; i < node->input_count; i++)
        unknown |= ort_tensor_of(blocking->graph, node->inputs[i])->unknown;
    make_blocked(blocking, at, node->outputs[0], origin, unknown);
}

/* The convolution that makes input `i` for this node alone, and does nothing else yet; -1: none. */
static int32_t
free_conv(const struct blocking *blocking, const struct ort_node *node, int i)
{
    const struct blocked *input = blocked_input(blocking, node, i);
    int32_t maker = input ? ort_tensor_of(blocking->graph, input->tensor)->maker : -1;

    return maker >= 0 && input->uses == 1 && ort_node_is(&blocking->graph->nodes[maker], "nchwc.Conv") &&
                   !blocking->graph->nodes[maker].activation
               ? maker
               : -1;
}

/* The node goes; what it made is what that convolution makes now. */
static void
fuse(struct blocking *blocking, int32_t at, int i)
{
    struct ort_graph *graph = blocking->graph;
    int32_t output = graph->nodes[at].outputs[0];
    const struct ort_tensor *plain = ort_tensor_of(graph, output);
    struct blocked *input = blocked_input(blocking, &graph->nodes[at], i);

    input->remaining--;
    blocking->blocked[output] =
        (struct blocked){.tensor = input->tensor, .origin = input->origin, .channels = input->channels};
    blocking->blocked[output].uses = blocking->blocked[output].remaining = plain->uses + plain->output;
    ort_remove_node(graph, at);
}

static void
block_activation(struct blocking *blocking, int32_t at)
{
    struct ort_graph *graph = blocking->graph;
    const struct ort_node *node = &graph->nodes[at];
    int32_t conv = free_conv(blocking, node, 0);

    if (!blocked_input(blocking, node, 0))
        return;
    if (conv < 0 || ort_node_is(node, "Gelu") || ort_node_is(node, "QuickGelu")) {
        block_in_place(blocking, at);
        return;
    }
    graph->nodes[conv].activation = node->op;
    fuse(blocking, at, 0);
}

/* The same sizes, and known to be: by where they come from, or what is known of each. */
static bool
known_same(const struct blocking *blocking, int32_t a, int32_t b)
{
    const struct ort_tensor *x = ort_tensor_of(blocking->graph, a), *y = ort_tensor_of(blocking->graph, b);

    return ort_same_shape(x, y) && (origin_of(blocking, a) == origin_of(blocking, b) || !(x->unknown | y->unknown));
}

/* All inputs in blocks, of the same channels; *same: and known to be of the same shape. */
static bool
all_blocked(const struct blocking *blocking, const struct ort_node *node, bool *same)
{
    const struct blocked *first = blocked_input(blocking, node, 0);

    *same = true;
    for (int32_t i = 0; i < node->input_count; i++) {
        const struct blocked *input = blocked_input(blocking, node, i);

        if (!input || !first || input->channels != first->channels)
            return false;
        *same = *same && known_same(blocking, node->inputs[0], node->inputs[i]);
    }
    return node->input_count == 2;
}

/* Another name of a tensor, of a shape that nobody knows before the run. */
static int32_t
reshaped(struct blocking *blocking, int32_t like, int32_t tensor)
{
    struct ort_graph *graph = blocking->graph;
    int32_t node = ort_add_node(graph, "Reshape", like, &tensor, 1);
    int32_t name = node < 0 ? -1 : ort_add_tensor(graph, ort_tensor_of(graph, tensor));

    if (name < 0)
        return -1;
    ort_tensor_of(graph, name)->unknown = UINT32_MAX;
    ort_make(graph, node, name);
    return name;
}

/* A sum of what may differ in shape: both sides as they lie in memory, and the sum as blocks again. */
static void
block_unsure_add(struct blocking *blocking, int32_t at)
{
    struct ort_graph *graph = blocking->graph;
    int32_t output = graph->nodes[at].outputs[0], sum, node;
    uint32_t unknown = 0;

    take_blocked_inputs(blocking, at);
    for (int32_t i = 0; i < graph->nodes[at].input_count && !graph->status; i++) {
        int32_t input = graph->nodes[at].inputs[i], name = reshaped(blocking, at, input);

        unknown |= ort_tensor_of(graph, input)->unknown;
        if (name >= 0)
            ort_set_input(graph, at, i, name);
    }
    sum = graph->status ? -1 : ort_add_tensor(graph, ort_tensor_of(graph, graph->nodes[at].inputs[0]));
    node = sum < 0 ? -1 : ort_add_node(graph, "Reshape", at, &sum, 1);
    if (node < 0)
        return;
    ort_make(graph, at, sum);
    make_blocked(blocking, node, output, output, unknown);
}

/* A sum is added to in place by the convolution that makes one side, if it can. */
static void
block_add(struct blocking *blocking, int32_t at)
{
    struct ort_graph *graph = blocking->graph;
    bool same;

    if (!all_blocked(blocking, &graph->nodes[at], &same))
        return;
    for (int i = 0; i < 2 && same; i++) {
        int32_t conv = free_conv(blocking, &graph->nodes[at], i);
        struct blocked *other = blocked_input(blocking, &graph->nodes[at], 1 - i);

        if (conv < 0 || graph->nodes[conv].input_count > 1)
            continue;
        other->remaining--;
        ort_add_input(graph, conv, other->tensor);
        fuse(blocking, at, i);
        return;
    }
    if (same)
        block_in_place(blocking, at);
    else
        block_unsure_add(blocking, at);
}

/* x times a hard sigmoid of x is an activation of the convolution. */
static bool
is_hard_swish(const struct blocking *blocking, const struct ort_node *node, int i)
{
    const struct ort_graph *graph = blocking->graph;
    const struct blocked *gate = blocked_input(blocking, node, i), *x = blocked_input(blocking, node, 1 - i);
    int32_t maker = gate ? ort_tensor_of(graph, gate->tensor)->maker : -1;

    return x && maker >= 0 && gate->uses == 1 && x->uses == 2 && ort_node_is(&graph->nodes[maker], "HardSigmoid") &&
           graph->nodes[maker].inputs[0] == x->tensor;
}

static bool
fuse_hard_swish(struct blocking *blocking, int32_t at, int i)
{
    struct ort_graph *graph = blocking->graph;
    struct blocked *gate = blocked_input(blocking, &graph->nodes[at], i);
    struct blocked *x = blocked_input(blocking, &graph->nodes[at], 1 - i);
    int32_t conv = ort_tensor_of(graph, x->tensor)->maker;

    if (!ort_node_is(&graph->nodes[conv], "nchwc.Conv") || graph->nodes[conv].activation ||
        graph->nodes[conv].input_count > 1)
        return false;
    graph->nodes[conv].activation = "HardSwish";
    ort_remove_node(graph, ort_tensor_of(graph, gate->tensor)->maker);
    gate->remaining = 0;
    fuse(blocking, at, 1 - i);
    return true;
}

static void
block_multiply(struct blocking *blocking, int32_t at)
{
    const struct ort_node *node = &blocking->graph->nodes[at];
    bool same;

    if (!all_blocked(blocking, node, &same) || !same)
        return;
    for (int i = 0; i < 2; i++)
        if (is_hard_swish(blocking, node, i) && fuse_hard_swish(blocking, at, i))
            return;
    block_in_place(blocking, at);
}

static void
block_concat(struct blocking *blocking, int32_t at)
{
    const struct ort_node *node = &blocking->graph->nodes[at];
    const struct memmodel_concat *concat = node->layer->op == OP_CONCAT ? node->layer->options : NULL;
    int rank = ort_tensor_of(blocking->graph, node->outputs[0])->rank;

    if (!concat || (!concat->along_channels && (concat->axis + rank) % rank != CHANNELS))
        return;
    for (int32_t i = 0; i < node->input_count; i++) {
        const struct blocked *input = blocked_input(blocking, node, i);

        if (!input || input->channels % blocking->block != 0)
            return;
    }
    block_in_place(blocking, at);
}

/* ---- all of it ---- */

static const struct {
    const char *op;
    void (*block)(struct blocking *blocking, int32_t at);
} rows[] = {
    {"Conv", block_conv},
    {"FusedConv", block_conv},
    {"MaxPool", block_pool},
    {"AveragePool", block_pool},
    {"GlobalMaxPool", block_global_pool},
    {"GlobalAveragePool", block_global_pool},
    {"Add", block_add},
    {"Sum", block_add},
    {"Mul", block_multiply},
    {"Concat", block_concat},
    {"Relu", block_activation},
    {"Sigmoid", block_activation},
    {"Tanh", block_activation},
    {"HardSigmoid", block_activation},
    {"Gelu", block_activation},
    {"QuickGelu", block_activation},
    {"BatchNormalization", block_batch_norm},
    {"Transpose", block_transpose},
    {"Resize", block_resize},
};

/* Plain copies for those that still want one. */
static void
reorder_outputs(struct blocking *blocking)
{
    struct ort_graph *graph = blocking->graph;

    for (size_t i = 0; i < blocking->count && !graph->status; i++) {
        const struct blocked *blocked = &blocking->blocked[i];
        int32_t maker, node;

        if (blocked->tensor < 0 || blocked->remaining <= 0)
            continue;
        maker = ort_tensor_of(graph, blocked->tensor)->maker;
        node = ort_add_node(graph, "nchwc.ReorderOutput", maker, &blocked->tensor, 1);
        if (!graph->status)
            ort_make(graph, node, (int32_t)i);
    }
}

static void
block_nodes(struct blocking *blocking)
{
    struct ort_graph *graph = blocking->graph;

    for (size_t i = 0; i < graph->order_count && !graph->status; i++)
        for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++)
            if (ort_node_is(&graph->nodes[graph->order[i]], rows[row].op)) {
                rows[row].block(blocking, graph->order[i]);
                break;
            }
    reorder_outputs(blocking);
}

void
ort_graph_block(struct ort_graph *graph, int block)
{
    struct blocking blocking = {
        .graph = graph,
        .blocked = memory_allocate_zeroed(graph->context, graph->tensor_count + 1, sizeof *blocking.blocked),
        .reordered = memory_allocate_zeroed(graph->context, graph->tensor_count + 1, sizeof *blocking.reordered),
        .count = graph->tensor_count,
        .block = block,
    };

    if (!blocking.blocked || !blocking.reordered)
        graph->status = MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < blocking.count && !graph->status; i++)
        blocking.blocked[i].tensor = blocking.reordered[i] = -1;
    if (!graph->status)
        block_nodes(&blocking);
    memory_release(graph->context, blocking.blocked);
    memory_release(graph->context, blocking.reordered);
}
