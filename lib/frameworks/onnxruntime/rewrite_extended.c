/*
 * Level "extended": several nodes by one kernel. onnxruntime: core/optimizer, *_fusion.cc.
 */
#include "frameworks/onnxruntime/rewrite.h"

#include "memmodel/layers.h"

/* Bounds that are stored are no inputs here, or constants. */
static bool
has_one_input(const struct ort_graph *graph, const struct ort_node *node)
{
    for (int32_t i = 1; i < node->input_count; i++)
        if (node->inputs[i] >= 0 && !ort_is_scalar(graph, node->inputs[i]))
            return false;
    return node->input_count > 0;
}

static bool
activation_into(struct ort_graph *graph, int32_t at, const char *op, const char *fused)
{
    int32_t product = ort_feeder(graph, node_of(graph, at), 0, op);
    const char *activation = node_of(graph, at)->op;

    if (product < 0 || node_of(graph, product)->activation || !has_one_input(graph, node_of(graph, at)))
        return false;
    ort_put_in_place(graph, fused, product, at, node_of(graph, product)->inputs, node_of(graph, product)->input_count);
    if (!graph->status)
        node_of(graph, (int32_t)graph->node_count - 1)->activation = activation;
    return true;
}

bool
ort_activation_into_gemm(struct ort_graph *graph, int32_t at)
{
    static const char *const fusable[] = {"Elu",  "HardSigmoid",     "LeakyRelu", "Relu",
                                          "Selu", "Sigmoid",         "Softplus",  "Softsign",
                                          "Tanh", "ThresholdedRelu", NULL};

    return ort_is_one_of(node_of(graph, at)->op, fusable) && activation_into(graph, at, "Gemm", "FusedGemm");
}

bool
ort_activation_into_conv(struct ort_graph *graph, int32_t at)
{
    static const char *const fusable[] = {"Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid", NULL};

    return ort_is_one_of(node_of(graph, at)->op, fusable) && activation_into(graph, at, "Conv", "FusedConv");
}

/* 1 + erf(x / sqrt 2), and its x. false: it is something else. */
static bool
is_gelu_gate(const struct ort_graph *graph, int32_t sum, int32_t nodes[3], int32_t *x)
{
    int32_t erf, scaled;

    if (sum < 0 || ort_beside_scalar(graph, node_of(graph, sum)) < 0)
        return false;
    erf = ort_feeder(graph, node_of(graph, sum), ort_beside_scalar(graph, node_of(graph, sum)), "Erf");
    scaled = erf < 0 ? -1 : ort_feeder(graph, node_of(graph, erf), 0, "Div");
    if (erf >= 0 && scaled < 0)
        scaled = ort_feeder(graph, node_of(graph, erf), 0, "Mul");
    if (scaled < 0 || ort_beside_scalar(graph, node_of(graph, scaled)) < 0)
        return false;
    nodes[0] = sum;
    nodes[1] = erf;
    nodes[2] = scaled;
    *x = node_of(graph, scaled)->inputs[ort_beside_scalar(graph, node_of(graph, scaled))];
    return true;
}

static bool
replace_gelu(struct ort_graph *graph, int32_t last, int32_t other, const int32_t nodes[3], int32_t x)
{
    ort_put_in_place(graph, "Gelu", other, last, &x, 1);
    for (int i = 0; i < 3 && !graph->status; i++)
        ort_remove_node(graph, nodes[i]);
    return true;
}

/* 0.5 (x gate) or (0.5 x) gate; but 0.5 gate times x is not recognised. */
bool
ort_to_gelu(struct ort_graph *graph, int32_t at)
{
    const struct ort_node *last = node_of(graph, at), *inner;
    int32_t nodes[3], x, other;
    int i = ort_beside_scalar(graph, last), gate;

    if (i >= 0) { /* 0.5 outside */
        other = ort_feeder(graph, last, i, "Mul");
        inner = other < 0 ? NULL : node_of(graph, other);
        gate = inner ? ort_input_made_by(graph, inner, "Add") : -1;
        return gate >= 0 && is_gelu_gate(graph, ort_maker_of(graph, inner, gate), nodes, &x) &&
               inner->inputs[1 - gate] == x && replace_gelu(graph, at, other, nodes, x);
    }
    gate = ort_input_made_by(graph, last, "Add");
    if (gate < 0 || !is_gelu_gate(graph, ort_maker_of(graph, last, gate), nodes, &x))
        return false;
    other = ort_feeder(graph, last, 1 - gate, "Mul");
    i = other < 0 ? -1 : ort_beside_scalar(graph, node_of(graph, other));
    return i >= 0 && node_of(graph, other)->inputs[i] == x && replace_gelu(graph, at, other, nodes, x);
}

/* sqrt(mean(d^2) + e), of which tensor d. -1: it is something else. Its nodes are added to the list. */
static int32_t
deviation_of(const struct ort_graph *graph, const struct ort_node *divided, int i, int32_t nodes[5])
{
    static const char *const steps[] = {"Sqrt", "Add", "ReduceMean", "Pow"};
    const struct ort_node *node = divided;

    for (int step = 0; step < 4; step++) {
        int from = step == 0 ? i : step == 2 ? ort_beside_scalar(graph, node) : 0;
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
bool
ort_to_layer_norm(struct ort_graph *graph, int32_t at)
{
    const struct ort_node *scaled, *divided;
    int32_t nodes[8], d, x, mean;
    int i = ort_input_made_by(graph, node_of(graph, at), "Mul");

    if (i < 0 || !ort_tensor_of(graph, node_of(graph, at)->inputs[1 - i])->constant)
        return false;
    nodes[4] = ort_maker_of(graph, node_of(graph, at), i);
    scaled = node_of(graph, nodes[4]);
    i = ort_input_made_by(graph, scaled, "Div");
    if (i < 0 || !ort_tensor_of(graph, scaled->inputs[1 - i])->constant)
        return false;
    nodes[5] = ort_maker_of(graph, scaled, i);
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
    ort_put_in_place(graph, "LayerNormalization", nodes[4], at, &x, 1);
    remove_all(graph, nodes, 8);
    return true;
}

/* x / sqrt(mean(x^2) + e) scale, or x times the reciprocal. */
bool
ort_to_rms_norm(struct ort_graph *graph, int32_t at)
{
    static const char *const kinds[] = {"Div", "Mul"};
    int32_t nodes[6] = {0}, x = -1, normed = -1, count = 4;

    for (int kind = 0; kind < 2 && x < 0; kind++) {
        int i = ort_input_made_by(graph, node_of(graph, at), kinds[kind]);

        normed = ort_maker_of(graph, node_of(graph, at), i);
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
    ort_put_in_place(graph, "SimplifiedLayerNormalization", normed, at, &x, 1);
    remove_all(graph, nodes, count);
    return true;
}

/* The last two axes change places, or the first one goes before one of them: a product can read its matrices so. */
static bool
is_read_by_products(const struct permute_options *permute)
{
    int rank = permute ? permute->rank : 0, first = rank - 2, last = rank - 1;
    bool in_order = true, rotated = true;

    for (int axis = 0; axis < first; axis++) {
        in_order = in_order && permute->axes[axis] == axis;
        rotated = rotated && permute->axes[axis] == axis + 1;
    }
    if (rank < 2)
        return false;
    return (in_order && permute->axes[first] == last && permute->axes[last] == first) ||
           (rank > 2 && rotated && permute->axes[first] == 0 && permute->axes[last] == last) ||
           (rank > 2 && rotated && permute->axes[first] == last && permute->axes[last] == 0);
}

bool
ort_transposes_into_matmul(struct ort_graph *graph, int32_t at)
{
    bool found = false;
    int32_t inputs[2];

    if (node_of(graph, at)->input_count != 2)
        return false;
    for (int i = 0; i < 2; i++) {
        int32_t maker = ort_tensor_of(graph, node_of(graph, at)->inputs[i])->maker;
        bool last = is_read_by_products(ort_permutation_of(graph, maker));

        inputs[i] = last ? node_of(graph, maker)->inputs[0] : node_of(graph, at)->inputs[i];
        found = found || last;
    }
    for (int i = 0; i < 2 && found; i++) {
        int32_t old = node_of(graph, at)->inputs[i], maker = ort_tensor_of(graph, old)->maker;

        ort_set_input(graph, at, i, inputs[i]);
        if (old != inputs[i] && ort_tensor_of(graph, old)->uses == 0 && !ort_tensor_of(graph, old)->output)
            ort_remove_node(graph, maker);
    }
    if (found)
        ort_put_in_place(graph, "FusedMatMul", at, at, node_of(graph, at)->inputs, 2);
    return found;
}

/* Times a number, before or after: the product does it. */
bool
ort_scale_into_matmul(struct ort_graph *graph, int32_t at)
{
    static const char *const products[] = {"MatMul", "FusedMatMul"};
    int i = ort_beside_scalar(graph, node_of(graph, at));

    if (i < 0 || (i == 1 && ort_node_is(node_of(graph, at), "Div")))
        return false;
    for (int kind = 0; kind < 2; kind++) {
        int32_t before = ort_feeder(graph, node_of(graph, at), i, products[kind]);
        int32_t after = ort_follower(graph, node_of(graph, at)->outputs[0], products[kind]);

        if (before >= 0 && node_of(graph, before)->input_count == 2)
            return ort_put_in_place(graph, "FusedMatMul", before, at, node_of(graph, before)->inputs, 2);
        if (after >= 0 && node_of(graph, after)->input_count == 2) {
            int side = node_of(graph, after)->inputs[0] == node_of(graph, at)->outputs[0] ? 0 : 1;

            ort_set_input(graph, after, side, node_of(graph, at)->inputs[i]);
            ort_remove_node(graph, at);
            return ort_put_in_place(graph, "FusedMatMul", after, after, node_of(graph, after)->inputs, 2);
        }
    }
    return false;
}

/* How many axes both have is known, and which are numbers is the same. */
static bool
may_be_same(const struct ort_tensor *a, const struct ort_tensor *b)
{
    for (int axis = 0; axis < a->rank; axis++) {
        uint32_t bit = (uint32_t)1 << axis;

        if (((a->unknown | a->symbolic) & bit) != ((b->unknown | b->symbolic) & bit))
            return false;
    }
    return a->unknown != UINT32_MAX && b->unknown != UINT32_MAX && ort_same_shape(a, b);
}

/* x + (y + bias), normalised: all at once, if nobody else wants the sums. */
bool
ort_to_skip_layer_norm(struct ort_graph *graph, int32_t at)
{
    int32_t sum = ort_feeder(graph, node_of(graph, at), 0, "Add"), inputs[2], biased = -1;
    const struct ort_tensor *y;

    if (sum < 0 || node_of(graph, sum)->input_count != 2)
        return false;
    memcpy(inputs, node_of(graph, sum)->inputs, sizeof inputs);
    y = ort_tensor_of(graph, node_of(graph, sum)->outputs[0]);
    if (y->rank != 3 || !ort_same_shape(y, ort_tensor_of(graph, inputs[0])) ||
        !may_be_same(ort_tensor_of(graph, inputs[0]), ort_tensor_of(graph, inputs[1])) ||
        ort_tensor_of(graph, inputs[0])->constant || ort_tensor_of(graph, inputs[1])->constant)
        return false;
    for (int i = 0; i < 2 && biased < 0; i++) {
        int32_t added = ort_feeder(graph, node_of(graph, sum), i, "Add");
        int from = added < 0 ? -1 : ort_input_made_by(graph, node_of(graph, added), "MatMul");

        if (from < 0 || !ort_is_vector(graph, node_of(graph, added)->inputs[1 - from], y->dims[2], false))
            continue;
        biased = added;
        inputs[i] = node_of(graph, added)->inputs[from];
    }
    ort_put_in_place(graph,
                     ort_node_is(node_of(graph, at), "LayerNormalization") ? "SkipLayerNormalization"
                                                                           : "SkipSimplifiedLayerNormalization",
                     at, at, inputs, 2);
    ort_remove_node(graph, sum);
    if (biased >= 0)
        ort_remove_node(graph, biased);
    return true;
}

/* ---- the elements of an axis one by one ---- */

enum { MAX_PARTS = 8 };

/* The element of its axis that a Slice takes alone; -1: it takes something else. */
static int64_t
element_taken(const struct ort_graph *graph, const struct ort_node *node, int32_t x, int *axis)
{
    const struct memmodel_slice *slice =
        ort_node_is(node, "Slice") && node->layer->op == OP_SLICE ? node->layer->options : NULL;
    int rank = ort_tensor_of(graph, x)->rank;

    if (!slice || !slice->squeeze || node->inputs[0] != x || slice->start < 0)
        return -1;
    *axis = slice->axis < 0 ? slice->axis + rank : slice->axis;
    return slice->start;
}

/* The nodes that take all elements of the axis that this one takes one of; false: not all of them are taken. */
static bool
find_parts(const struct ort_graph *graph, int32_t at, int32_t parts[MAX_PARTS], int *axis)
{
    int32_t x = node_of(graph, at)->inputs[0];
    const struct ort_tensor *tensor = ort_tensor_of(graph, x);
    int other = 0, found = 0;

    if (element_taken(graph, node_of(graph, at), x, axis) < 0 || tensor->dims[*axis] != tensor->uses ||
        tensor->uses > MAX_PARTS || tensor->uses < 2)
        return false;
    for (size_t i = 0; i < graph->node_count; i++) {
        int64_t element =
            node_of(graph, (int32_t)i)->op ? element_taken(graph, node_of(graph, (int32_t)i), x, &other) : -1;

        if (element < 0)
            continue;
        if (element >= tensor->uses || other != *axis)
            return false;
        parts[element] = (int32_t)i;
        found++;
    }
    return found == tensor->uses;
}

/* Becomes one Split, and a Squeeze of each part. */
bool
ort_to_split(struct ort_graph *graph, int32_t at)
{
    int32_t x = node_of(graph, at)->inputs[0], nodes[MAX_PARTS], parts[MAX_PARTS], split, squeeze;
    int axis = 0, count = ort_tensor_of(graph, x)->uses;
    struct ort_tensor part = *ort_tensor_of(graph, x);

    ort_spend_on_nodes(graph);
    if (graph->status || !find_parts(graph, at, nodes, &axis))
        return false;
    part.dims[axis] = 1;
    for (int i = 0; i < count; i++)
        parts[i] = ort_add_tensor(graph, &part);
    split = graph->status ? -1 : ort_add_node(graph, "Split", at, &x, 1);
    if (split >= 0)
        ort_make_all(graph, split, parts, count);
    for (int i = 0; i < count && !graph->status; i++) {
        squeeze = ort_add_node(graph, "Reshape", nodes[i], &parts[i], 1);
        if (squeeze < 0)
            return false;
        ort_remove_node(graph, nodes[i]);
        ort_make(graph, squeeze, node_of(graph, nodes[i])->outputs[0]);
    }
    return true;
}

/* GELU of x + bias. */
bool
ort_bias_into_gelu(struct ort_graph *graph, int32_t at)
{
    const struct ort_node *node = node_of(graph, at);
    int32_t sum = ort_feeder(graph, node, 0, "Add"), x;
    bool by_tanh = node->layer->op == OP_ACTIVATION &&
                   ((const struct memmodel_activation *)node->layer->options)->kind == MEMMODEL_ACTIVATION_GELU_TANH;
    const struct ort_tensor *y = ort_tensor_of(graph, node->outputs[0]);

    for (int i = 0; sum >= 0 && i < 2; i++) {
        if (!ort_is_vector(graph, node_of(graph, sum)->inputs[1 - i], y->dims[y->rank - 1], false))
            continue;
        x = node_of(graph, sum)->inputs[i];
        ort_put_in_place(graph, by_tanh ? "FastGelu" : "BiasGelu", at, at, &x, 1);
        ort_remove_node(graph, sum);
        return true;
    }
    if (!by_tanh)
        return false;
    x = node->inputs[0];
    return ort_put_in_place(graph, "FastGelu", at, at, &x, 1);
}

/* x sigmoid(x) */
bool
ort_to_quick_gelu(struct ort_graph *graph, int32_t at)
{
    int i = ort_input_made_by(graph, node_of(graph, at), "Sigmoid");
    int32_t gate = ort_maker_of(graph, node_of(graph, at), i);
    int32_t x = gate < 0 ? -1 : node_of(graph, gate)->inputs[0];

    return gate >= 0 && node_of(graph, at)->inputs[1 - i] == x && ort_put_in_place(graph, "QuickGelu", gate, at, &x, 1);
}
