/*
 * What a session makes of the graph before it runs: one row a rewrite, in onnxruntime's order. Where a rewrite looks at
 * stored numbers (the 0.5 of a GELU) the shape of the pattern is taken as enough. onnxruntime: core/optimizer,
 * graph_transformer_utils.cc; compared with the graphs that sessions of 1.31.1 save.
 */
#include "frameworks/onnxruntime/graph.h"

#include "memmodel/layers.h"

enum level { DISABLE, BASIC, EXTENDED, ALL, LEVEL_COUNT };

static const char *const level_names[LEVEL_COUNT] = {"disable", "basic", "extended", "all"};

static struct ort_node *
node_of(const struct ort_graph *graph, int32_t node)
{
    return &graph->nodes[node];
}

static bool
is_one_of(const char *op, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(op, *names) == 0)
            return true;
    return false;
}

/* ---- finding what stands before a node ---- */

/* Which of two inputs is not the stored scalar; -1: none is one. */
static int
beside_scalar(const struct ort_graph *graph, const struct ort_node *node)
{
    for (int i = 0; i < 2 && node->input_count == 2; i++)
        if (ort_is_scalar(graph, node->inputs[1 - i]))
            return i;
    return -1;
}

/* Which of two inputs is made by that operator, for this node alone; -1: none. */
static int
input_made_by(const struct ort_graph *graph, const struct ort_node *node, const char *op)
{
    for (int i = 0; i < node->input_count && i < 2; i++)
        if (ort_feeder(graph, node, i, op) >= 0)
            return i;
    return -1;
}

static int32_t
maker_of(const struct ort_graph *graph, const struct ort_node *node, int i)
{
    return i < 0 ? -1 : ort_tensor_of(graph, node->inputs[i])->maker;
}

/* A vector of one number a channel, or for each of the last dimension. */
static bool
is_vector(const struct ort_graph *graph, int32_t tensor, int64_t length, bool channels)
{
    const struct ort_tensor *vector = tensor < 0 ? NULL : ort_tensor_of(graph, tensor);
    int axis = vector && channels ? vector->rank - 3 : vector ? vector->rank - 1 : -1;
    int64_t elements;

    return vector && vector->constant && axis >= 0 && vector->dims[axis] == length &&
           ort_elements(vector->dims, vector->rank, &elements) && elements == length;
}

/* The last of the nodes goes into a new one, which makes what it made. */
static bool
put_in_place(struct ort_graph *graph, const char *op, int32_t like, int32_t last, const int32_t *inputs, int32_t count)
{
    int32_t output = node_of(graph, last)->outputs[0], new = ort_add_node(graph, op, like, inputs, count);

    if (new < 0)
        return false;
    ort_remove_node(graph, last);
    if (like != last)
        ort_remove_node(graph, like);
    ort_make(graph, new, output);
    return true;
}

/* ---- basic: what does nothing, or can be done once ---- */

static bool
remove_node(struct ort_graph *graph, int32_t at)
{
    return node_of(graph, at)->output_count == 1 && ort_bypass(graph, at);
}

static bool
remove_if_same(struct ort_graph *graph, int32_t at)
{
    const struct ort_node *node = node_of(graph, at);
    const struct ort_tensor *x = ort_tensor_of(graph, node->inputs[0]);

    return x->fixed && ort_same_shape(x, ort_tensor_of(graph, node->outputs[0])) && remove_node(graph, at);
}

/* What is computed from stored tensors alone is computed when the model is loaded. */
static bool
fold(struct ort_graph *graph, int32_t at)
{
    struct ort_node *node = node_of(graph, at);
    bool stored = node->input_count > 0;

    for (int32_t i = 0; i < node->input_count; i++)
        stored = stored && (node->inputs[i] < 0 || ort_tensor_of(graph, node->inputs[i])->constant);
    for (int32_t i = 0; i < node->output_count; i++)
        stored =
            stored && !ort_tensor_of(graph, node->outputs[i])->output && ort_tensor_of(graph, node->outputs[i])->fixed;
    if (!stored || node->layer->parameter_count > 0)
        return false;
    ort_remove_node(graph, at);
    for (int32_t i = 0; i < node->output_count; i++) {
        ort_tensor_of(graph, node->outputs[i])->constant = true;
        ort_tensor_of(graph, node->outputs[i])->maker = -1;
    }
    return true;
}

/* A node that the convolution before it can do with other weights. */
static bool
into_conv(struct ort_graph *graph, int32_t at, int i, const char *op)
{
    int32_t conv = ort_feeder(graph, node_of(graph, at), i, op), output = node_of(graph, at)->outputs[0];

    if (conv < 0 || node_of(graph, conv)->layer->parameter_count == 0)
        return false;
    ort_remove_node(graph, at);
    ort_make(graph, conv, output);
    node_of(graph, conv)->bias = true;
    return true;
}

static bool
batch_norm_into_conv(struct ort_graph *graph, int32_t at)
{
    return into_conv(graph, at, 0, "Conv") || into_conv(graph, at, 0, "ConvTranspose");
}

/* Plus or times one number a channel. */
static bool
channels_into_conv(struct ort_graph *graph, int32_t at)
{
    const struct ort_tensor *y = ort_tensor_of(graph, node_of(graph, at)->outputs[0]);

    for (int i = 0; i < 2 && y->rank >= 3; i++)
        if (is_vector(graph, node_of(graph, at)->inputs[1 - i], y->dims[1], y->rank == 4) &&
            into_conv(graph, at, i, "Conv"))
            return true;
    return false;
}

/* Zeros around an image are what its convolution can add. */
static bool
pad_into_window(struct ort_graph *graph, int32_t at)
{
    const struct memmodel_pad *pad =
        node_of(graph, at)->layer->op == OP_PAD ? node_of(graph, at)->layer->options : NULL;
    int32_t y = node_of(graph, at)->outputs[0], x = node_of(graph, at)->inputs[0], conv;

    if (!pad || pad->mode != MEMMODEL_PAD_CONSTANT || pad->before[0] || pad->before[1] || pad->after[0] ||
        pad->after[1])
        return false;
    conv = ort_follower(graph, y, "Conv");
    if (conv < 0)
        return false;
    ort_set_input(graph, conv, 0, x);
    ort_remove_node(graph, at);
    return true;
}

/* MatMul and a bias: of two dimensions at once, of more where every size is known, as a matrix. */
static bool
to_gemm(struct ort_graph *graph, int32_t at)
{
    int i = input_made_by(graph, node_of(graph, at), "MatMul");
    int32_t product = maker_of(graph, node_of(graph, at), i);
    const struct ort_tensor *y = ort_tensor_of(graph, node_of(graph, at)->outputs[0]);

    if (product < 0 || node_of(graph, product)->layer->op != OP_LINEAR || y->dtype != MEMMODEL_FLOAT32 ||
        !is_vector(graph, node_of(graph, at)->inputs[1 - i], y->dims[y->rank - 1], false) ||
        (y->rank != 2 && !y->fixed))
        return false;
    put_in_place(graph, "Gemm", product, at, node_of(graph, product)->inputs, 1);
    return true;
}

/* ---- transposes ---- */

static const struct permute_options *
permutation_of(const struct ort_graph *graph, int32_t node)
{
    const struct layer *layer = node < 0 ? NULL : node_of(graph, node)->layer;

    return layer && ort_node_is(node_of(graph, node), "Transpose") && layer->op == OP_PERMUTE ? layer->options : NULL;
}

static bool
are_inverse(const struct permute_options *a, const struct permute_options *b)
{
    bool inverse = a && b && a->rank == b->rank;

    for (int i = 0; inverse && i < a->rank; i++)
        inverse = a->axes[b->axes[i]] == i;
    return inverse;
}

/* A transpose, then nodes that do not care for the order, then its inverse: both go. */
static bool
cancel_transposes(struct ort_graph *graph, int32_t at)
{
    static const char *const indifferent[] = {"Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip",
                                              "Elu",  "Gelu",    "Erf",  NULL};
    int32_t last = node_of(graph, at)->inputs[0] >= 0 ? ort_tensor_of(graph, node_of(graph, at)->inputs[0])->maker : -1;
    int32_t first = last;

    while (first >= 0 && is_one_of(node_of(graph, first)->op, indifferent) &&
           ort_feeder(graph, node_of(graph, first), 0, node_of(graph, first)->op) < 0 &&
           ort_tensor_of(graph, node_of(graph, first)->outputs[0])->uses == 1)
        first = ort_tensor_of(graph, node_of(graph, first)->inputs[0])->maker;
    if (first < 0 || !are_inverse(permutation_of(graph, first), permutation_of(graph, at)) ||
        ort_tensor_of(graph, node_of(graph, first)->outputs[0])->uses != 1 ||
        ort_tensor_of(graph, node_of(graph, first)->outputs[0])->output || !remove_node(graph, at))
        return false;
    return ort_bypass(graph, first);
}

/* ---- extended ---- */

static bool
activation_into(struct ort_graph *graph, int32_t at, const char *op, const char *fused)
{
    int32_t product = ort_feeder(graph, node_of(graph, at), 0, op);
    const char *activation = node_of(graph, at)->op;

    if (product < 0 || node_of(graph, product)->activation || node_of(graph, at)->input_count != 1)
        return false;
    put_in_place(graph, fused, product, at, node_of(graph, product)->inputs, node_of(graph, product)->input_count);
    if (!graph->status)
        node_of(graph, (int32_t)graph->node_count - 1)->activation = activation;
    return true;
}

static bool
activation_into_gemm(struct ort_graph *graph, int32_t at)
{
    static const char *const fusable[] = {"Elu",  "HardSigmoid",     "LeakyRelu", "Relu",
                                          "Selu", "Sigmoid",         "Softplus",  "Softsign",
                                          "Tanh", "ThresholdedRelu", NULL};

    return is_one_of(node_of(graph, at)->op, fusable) && activation_into(graph, at, "Gemm", "FusedGemm");
}

static bool
activation_into_conv(struct ort_graph *graph, int32_t at)
{
    static const char *const fusable[] = {"Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid", NULL};

    return is_one_of(node_of(graph, at)->op, fusable) && activation_into(graph, at, "Conv", "FusedConv");
}

/* 1 + erf(x / sqrt 2), and its x. false: it is something else. */
static bool
is_gelu_gate(const struct ort_graph *graph, int32_t sum, int32_t nodes[3], int32_t *x)
{
    int32_t erf, scaled;

    if (sum < 0 || beside_scalar(graph, node_of(graph, sum)) < 0)
        return false;
    erf = ort_feeder(graph, node_of(graph, sum), beside_scalar(graph, node_of(graph, sum)), "Erf");
    scaled = erf < 0 ? -1 : ort_feeder(graph, node_of(graph, erf), 0, "Div");
    if (erf >= 0 && scaled < 0)
        scaled = ort_feeder(graph, node_of(graph, erf), 0, "Mul");
    if (scaled < 0 || beside_scalar(graph, node_of(graph, scaled)) < 0)
        return false;
    nodes[0] = sum;
    nodes[1] = erf;
    nodes[2] = scaled;
    *x = node_of(graph, scaled)->inputs[beside_scalar(graph, node_of(graph, scaled))];
    return true;
}

static bool
replace_gelu(struct ort_graph *graph, int32_t last, int32_t other, const int32_t nodes[3], int32_t x)
{
    put_in_place(graph, "Gelu", other, last, &x, 1);
    for (int i = 0; i < 3 && !graph->status; i++)
        ort_remove_node(graph, nodes[i]);
    return true;
}

/* 0.5 (x gate) or (0.5 x) gate; but 0.5 gate times x is not recognised. */
static bool
to_gelu(struct ort_graph *graph, int32_t at)
{
    const struct ort_node *last = node_of(graph, at), *inner;
    int32_t nodes[3], x, other;
    int i = beside_scalar(graph, last), gate;

    if (i >= 0) { /* 0.5 outside */
        other = ort_feeder(graph, last, i, "Mul");
        inner = other < 0 ? NULL : node_of(graph, other);
        gate = inner ? input_made_by(graph, inner, "Add") : -1;
        return gate >= 0 && is_gelu_gate(graph, maker_of(graph, inner, gate), nodes, &x) &&
               inner->inputs[1 - gate] == x && replace_gelu(graph, at, other, nodes, x);
    }
    gate = input_made_by(graph, last, "Add");
    if (gate < 0 || !is_gelu_gate(graph, maker_of(graph, last, gate), nodes, &x))
        return false;
    other = ort_feeder(graph, last, 1 - gate, "Mul");
    i = other < 0 ? -1 : beside_scalar(graph, node_of(graph, other));
    return i >= 0 && node_of(graph, other)->inputs[i] == x && replace_gelu(graph, at, other, nodes, x);
}

/* sqrt(mean(d^2) + e), of which tensor d. -1: it is something else. Its nodes are added to the list. */
static int32_t
deviation_of(const struct ort_graph *graph, const struct ort_node *divided, int i, int32_t nodes[5])
{
    static const char *const steps[] = {"Sqrt", "Add", "ReduceMean", "Pow"};
    const struct ort_node *node = divided;

    for (int step = 0; step < 4; step++) {
        int from = step == 0 ? i : step == 2 ? beside_scalar(graph, node) : 0;
        int32_t next = from < 0 ? -1 : ort_feeder(graph, node, from, steps[step]);

        if (next < 0)
            return -1;
        nodes[step] = next;
        node = node_of(graph, next);
    }
    return node->inputs[0];
}

static void
remove_all(struct ort_graph *graph, const int32_t *nodes, int count)
{
    for (int i = 0; i < count && !graph->status; i++)
        if (node_of(graph, nodes[i])->op)
            ort_remove_node(graph, nodes[i]);
}

/* (x - mean) / sqrt(mean((x - mean)^2) + e) scale + shift, written out. */
static bool
to_layer_norm(struct ort_graph *graph, int32_t at)
{
    const struct ort_node *scaled, *divided;
    int32_t nodes[8], d, x, mean;
    int i = input_made_by(graph, node_of(graph, at), "Mul");

    if (i < 0 || !ort_tensor_of(graph, node_of(graph, at)->inputs[1 - i])->constant)
        return false;
    nodes[4] = maker_of(graph, node_of(graph, at), i);
    scaled = node_of(graph, nodes[4]);
    i = input_made_by(graph, scaled, "Div");
    if (i < 0 || !ort_tensor_of(graph, scaled->inputs[1 - i])->constant)
        return false;
    nodes[5] = maker_of(graph, scaled, i);
    divided = node_of(graph, nodes[5]);
    d = deviation_of(graph, divided, 1, nodes);
    if (d < 0 || divided->inputs[0] != d || ort_tensor_of(graph, d)->maker < 0 ||
        !ort_node_is(node_of(graph, ort_tensor_of(graph, d)->maker), "Sub"))
        return false;
    nodes[6] = ort_tensor_of(graph, d)->maker;
    x = node_of(graph, nodes[6])->inputs[0];
    mean = ort_feeder(graph, node_of(graph, nodes[6]), 1, "ReduceMean");
    if (mean < 0 || node_of(graph, mean)->inputs[0] != x)
        return false;
    nodes[7] = mean;
    put_in_place(graph, "LayerNormalization", nodes[4], at, &x, 1);
    remove_all(graph, nodes, 8);
    return true;
}

/* x / sqrt(mean(x^2) + e) scale, or x times the reciprocal. */
static bool
to_rms_norm(struct ort_graph *graph, int32_t at)
{
    static const char *const kinds[] = {"Div", "Mul"};
    int32_t nodes[6] = {0}, x = -1, normed = -1, count = 4;

    for (int kind = 0; kind < 2 && x < 0; kind++) {
        int i = input_made_by(graph, node_of(graph, at), kinds[kind]);

        normed = maker_of(graph, node_of(graph, at), i);
        if (normed < 0 || !ort_tensor_of(graph, node_of(graph, at)->inputs[1 - i])->constant)
            continue;
        for (int side = 0; side < 2 && x < 0; side++) {
            int32_t inverse = ort_feeder(graph, node_of(graph, normed), side, kind ? "Div" : "Sqrt");

            if (kind && inverse < 0)
                inverse = ort_feeder(graph, node_of(graph, normed), side, "Reciprocal");
            if (inverse < 0)
                continue;
            x = kind ? deviation_of(graph, node_of(graph, inverse), node_of(graph, inverse)->input_count - 1, nodes)
                     : deviation_of(graph, node_of(graph, normed), side, nodes);
            if (x >= 0 && node_of(graph, normed)->inputs[1 - side] != x)
                x = -1;
            nodes[4] = inverse;
            count = kind ? 5 : 4;
        }
    }
    if (x < 0)
        return false;
    put_in_place(graph, "SimplifiedLayerNormalization", normed, at, &x, 1);
    remove_all(graph, nodes, count);
    return true;
}

/* Of the last two axes: the product reads its matrix the other way round. */
static bool
transposes_into_matmul(struct ort_graph *graph, int32_t at)
{
    bool found = false;
    int32_t inputs[2];

    if (node_of(graph, at)->input_count != 2)
        return false;
    for (int i = 0; i < 2; i++) {
        int32_t maker = ort_tensor_of(graph, node_of(graph, at)->inputs[i])->maker;
        const struct permute_options *permute = permutation_of(graph, maker);
        bool last = permute && permute->rank >= 2 && permute->axes[permute->rank - 1] == permute->rank - 2;

        for (int axis = 0; last && axis < permute->rank - 2; axis++)
            last = permute->axes[axis] == axis;
        inputs[i] = last ? node_of(graph, maker)->inputs[0] : node_of(graph, at)->inputs[i];
        found = found || last;
    }
    for (int i = 0; i < 2 && found; i++) {
        int32_t old = node_of(graph, at)->inputs[i], maker = ort_tensor_of(graph, old)->maker;

        ort_set_input(graph, at, i, inputs[i]);
        if (old != inputs[i] && ort_tensor_of(graph, old)->uses == 0 && !ort_tensor_of(graph, old)->output)
            ort_remove_node(graph, maker);
    }
    if (found && ort_node_is(node_of(graph, at), "MatMul"))
        put_in_place(graph, "FusedMatMul", at, at, node_of(graph, at)->inputs, 2);
    return found;
}

/* Times a number, before or after: the product does it. */
static bool
scale_into_matmul(struct ort_graph *graph, int32_t at)
{
    static const char *const products[] = {"MatMul", "FusedMatMul"};
    int i = beside_scalar(graph, node_of(graph, at));

    if (i < 0 || (i == 1 && ort_node_is(node_of(graph, at), "Div")))
        return false;
    for (int kind = 0; kind < 2; kind++) {
        int32_t before = ort_feeder(graph, node_of(graph, at), i, products[kind]);
        int32_t after = ort_follower(graph, node_of(graph, at)->outputs[0], products[kind]);

        if (before >= 0 && node_of(graph, before)->input_count == 2)
            return put_in_place(graph, "FusedMatMul", before, at, node_of(graph, before)->inputs, 2);
        if (after >= 0 && node_of(graph, after)->input_count == 2) {
            int side = node_of(graph, after)->inputs[0] == node_of(graph, at)->outputs[0] ? 0 : 1;

            ort_set_input(graph, after, side, node_of(graph, at)->inputs[i]);
            ort_remove_node(graph, at);
            return put_in_place(graph, "FusedMatMul", after, after, node_of(graph, after)->inputs, 2);
        }
    }
    return false;
}

/* x + (y + bias), normalised: all at once, if nobody else wants the sums. */
static bool
to_skip_layer_norm(struct ort_graph *graph, int32_t at)
{
    int32_t sum = ort_feeder(graph, node_of(graph, at), 0, "Add"), inputs[2], biased = -1;
    const struct ort_tensor *y;

    if (sum < 0 || node_of(graph, sum)->input_count != 2)
        return false;
    memcpy(inputs, node_of(graph, sum)->inputs, sizeof inputs);
    y = ort_tensor_of(graph, node_of(graph, sum)->outputs[0]);
    if (y->rank != 3 || !ort_same_shape(y, ort_tensor_of(graph, inputs[0])) ||
        !ort_same_shape(y, ort_tensor_of(graph, inputs[1])) || ort_tensor_of(graph, inputs[0])->constant ||
        ort_tensor_of(graph, inputs[1])->constant)
        return false;
    for (int i = 0; i < 2 && biased < 0; i++) {
        int32_t added = ort_feeder(graph, node_of(graph, sum), i, "Add");
        int from = added < 0 ? -1 : input_made_by(graph, node_of(graph, added), "MatMul");

        if (from < 0 || !is_vector(graph, node_of(graph, added)->inputs[1 - from], y->dims[2], false))
            continue;
        biased = added;
        inputs[i] = node_of(graph, added)->inputs[from];
    }
    put_in_place(graph,
                 ort_node_is(node_of(graph, at), "LayerNormalization") ? "SkipLayerNormalization"
                                                                       : "SkipSimplifiedLayerNormalization",
                 at, at, inputs, 2);
    ort_remove_node(graph, sum);
    if (biased >= 0)
        ort_remove_node(graph, biased);
    return true;
}

/* GELU of x + bias. */
static bool
bias_into_gelu(struct ort_graph *graph, int32_t at)
{
    const struct ort_node *node = node_of(graph, at);
    int32_t sum = ort_feeder(graph, node, 0, "Add"), x;
    bool by_tanh = node->layer->op == OP_ACTIVATION &&
                   ((const struct memmodel_activation *)node->layer->options)->kind == MEMMODEL_GELU_TANH;
    const struct ort_tensor *y = ort_tensor_of(graph, node->outputs[0]);

    for (int i = 0; sum >= 0 && i < 2; i++) {
        if (!is_vector(graph, node_of(graph, sum)->inputs[1 - i], y->dims[y->rank - 1], false))
            continue;
        x = node_of(graph, sum)->inputs[i];
        put_in_place(graph, by_tanh ? "FastGelu" : "BiasGelu", at, at, &x, 1);
        ort_remove_node(graph, sum);
        return true;
    }
    if (!by_tanh)
        return false;
    x = node->inputs[0];
    return put_in_place(graph, "FastGelu", at, at, &x, 1);
}

/* x sigmoid(x) */
static bool
to_quick_gelu(struct ort_graph *graph, int32_t at)
{
    int i = input_made_by(graph, node_of(graph, at), "Sigmoid");
    int32_t gate = maker_of(graph, node_of(graph, at), i);
    int32_t x = gate < 0 ? -1 : node_of(graph, gate)->inputs[0];

    return gate >= 0 && node_of(graph, at)->inputs[1 - i] == x && put_in_place(graph, "QuickGelu", gate, at, &x, 1);
}

/* ---- the table ---- */

static const struct {
    enum level level;
    const char *op; /* of the node at which the pattern ends; NULL: any */
    bool (*apply)(struct ort_graph *graph, int32_t at);
} rewrites[] = {
    {BASIC, "Dropout", remove_node},
    {BASIC, "Identity", remove_node},
    {BASIC, "Expand", remove_if_same},
    {BASIC, "Slice", remove_if_same},
    {BASIC, "Pad", pad_into_window},
    {BASIC, "BatchNormalization", batch_norm_into_conv},
    {BASIC, "Add", channels_into_conv},
    {BASIC, "Mul", channels_into_conv},
    {BASIC, NULL, fold},
    {BASIC, "Add", to_gemm},
    {BASIC, "Transpose", cancel_transposes},
    {EXTENDED, NULL, activation_into_gemm},
    {EXTENDED, NULL, activation_into_conv},
    {EXTENDED, "Mul", to_gelu},
    {EXTENDED, "Add", to_layer_norm},
    {EXTENDED, "Mul", to_rms_norm},
    {EXTENDED, "MatMul", transposes_into_matmul},
    {EXTENDED, "LayerNormalization", to_skip_layer_norm},
    {EXTENDED, "SimplifiedLayerNormalization", to_skip_layer_norm},
    {EXTENDED, "Gelu", bias_into_gelu},
    {EXTENDED, "Mul", to_quick_gelu},
    {EXTENDED, "Mul", scale_into_matmul},
    {EXTENDED, "Div", scale_into_matmul},
};

/* One row over all nodes, in the order in which they would run. */
static bool
apply_row(struct ort_graph *graph, size_t row)
{
    bool changed = false;

    for (size_t i = 0; i < graph->order_count && !graph->status; i++) {
        const struct ort_node *node = node_of(graph, graph->order[i]);

        if (node->op && (!rewrites[row].op || ort_node_is(node, rewrites[row].op)))
            changed = rewrites[row].apply(graph, graph->order[i]) || changed;
    }
    if (changed && !graph->status)
        ort_graph_sort(graph);
    return changed;
}

/* The rows of a level, until they change nothing more. */
static void
apply_level(struct ort_graph *graph, enum level level)
{
    enum { MOST_PASSES = 10 };
    bool changed = true;

    for (int pass = 0; pass < MOST_PASSES && changed && !graph->status; pass++) {
        changed = false;
        for (size_t row = 0; row < sizeof rewrites / sizeof rewrites[0] && !graph->status; row++)
            if (rewrites[row].level == level)
                changed = apply_row(graph, row) || changed;
    }
}

int
ort_graph_optimize(struct ort_graph *graph, const char *level, int block)
{
    int last = -1;

    for (int i = 0; i < LEVEL_COUNT; i++)
        if (strcmp(level, level_names[i]) == 0)
            last = i;
    if (last < 0)
        return context_error(graph->context, MEMMODEL_ERROR_UNSUPPORTED, level,
                             "unknown optimization; known are disable, basic, extended and all");
    for (int i = BASIC; i <= last && i <= EXTENDED && !graph->status; i++)
        apply_level(graph, (enum level)i);
    if (last == ALL && !graph->status) {
        ort_graph_block(graph, block);
        if (!graph->status)
            ort_graph_sort(graph);
    }
    return graph->status;
}
