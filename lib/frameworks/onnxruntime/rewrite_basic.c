/*
 * Level "basic": what does nothing, what can be done once, transposes. onnxruntime: core/optimizer, the rules and
 * transformers of level 1.
 */
#include "frameworks/onnxruntime/rewrite.h"

#include "memmodel/layers.h"

bool
ort_skip(struct ort_graph *graph, int32_t at)
{
    return node_of(graph, at)->output_count == 1 && ort_bypass(graph, at);
}

bool
ort_remove_same_cast(struct ort_graph *graph, int32_t at)
{
    const struct ort_node *node = node_of(graph, at);

    return node->input_count > 0 && node->inputs[0] >= 0 &&
           ort_tensor_of(graph, node->inputs[0])->dtype == ort_tensor_of(graph, node->outputs[0])->dtype &&
           ort_skip(graph, at);
}

bool
ort_remove_if_same(struct ort_graph *graph, int32_t at)
{
    const struct ort_node *node = node_of(graph, at);
    const struct ort_tensor *x = ort_tensor_of(graph, node->inputs[0]);

    return !x->symbolic && ort_same_shape(x, ort_tensor_of(graph, node->outputs[0])) && ort_skip(graph, at);
}

/* The tensor that stands for all that are computed as an output is: the first that was, until another is kept. */
static struct ort_tensor *
class_of(const struct ort_graph *graph, const struct ort_node *node, int32_t output)
{
    const memmodel_network *network = graph->binding->network;
    int32_t twin = node->sizes                              ? node->sizes->twin
                   : (size_t)output < network->tensor_count ? network->tensors[output].twin
                                                            : 0;

    if (!twin)
        return ort_tensor_of(graph, output);
    return ort_tensor_of(graph, node->sizes ? ort_tensor_of_number(graph, ~(twin - 1)) : twin - 1);
}

/* Nothing is computed twice: the node that runs first is kept. */
bool
ort_remove_twin(struct ort_graph *graph, int32_t at)
{
    const struct ort_node *node = node_of(graph, at);
    bool twins = node->output_count > 0;

    for (int32_t i = 0; i < node->output_count; i++) {
        struct ort_tensor *class = class_of(graph, node, node->outputs[i]);

        if (class->kept == 0 || ort_tensor_of(graph, class->kept - 1)->maker < 0)
            class->kept = node->outputs[i] + 1;
        twins = twins && class->kept != node->outputs[i] + 1 && !ort_tensor_of(graph, node->outputs[i])->output;
    }
    if (!twins)
        return false;
    ort_remove_node(graph, at);
    for (int32_t i = 0; i < node->output_count; i++) {
        int32_t output = node->outputs[i];

        ort_tensor_of(graph, output)->maker = -1;
        ort_replace_uses(graph, output, class_of(graph, node, output)->kept - 1);
    }
    return true;
}

static bool
is_shape_of_numbers(const struct ort_node *node)
{
    return node->sizes && node->sizes->fixed && strcmp(node->sizes->op, "Shape") == 0;
}

/* What is computed from stored tensors alone is computed when the model is loaded, and so is a shape that is known. */
bool
ort_fold(struct ort_graph *graph, int32_t at)
{
    struct ort_node *node = node_of(graph, at);
    bool stored = node->input_count > 0 || node->sizes;

    for (int32_t i = 0; i < node->input_count; i++)
        stored = stored &&
                 (node->inputs[i] < 0 || ort_tensor_of(graph, node->inputs[i])->constant || is_shape_of_numbers(node));
    for (int32_t i = 0; i < node->output_count; i++)
        stored = stored && !ort_tensor_of(graph, node->outputs[i])->output &&
                 !ort_tensor_of(graph, node->outputs[i])->symbolic;
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

bool
ort_batch_norm_into_conv(struct ort_graph *graph, int32_t at)
{
    return into_conv(graph, at, 0, "Conv") || into_conv(graph, at, 0, "ConvTranspose");
}

/* Plus or times one number a channel. */
bool
ort_channels_into_conv(struct ort_graph *graph, int32_t at)
{
    const struct ort_tensor *y = ort_tensor_of(graph, node_of(graph, at)->outputs[0]);

    for (int i = 0; i < 2 && y->rank >= 3; i++)
        if (ort_is_vector(graph, node_of(graph, at)->inputs[1 - i], y->dims[1], y->rank == 4) &&
            into_conv(graph, at, i, "Conv"))
            return true;
    return false;
}

/* Zeros around an image are what its convolution can add. */
bool
ort_pad_into_window(struct ort_graph *graph, int32_t at)
{
    const struct memmodel_pad *pad =
        node_of(graph, at)->layer->op == OP_PAD ? node_of(graph, at)->layer->options : NULL;
    int32_t y = node_of(graph, at)->outputs[0], x = node_of(graph, at)->inputs[0], conv;

    if (!pad || pad->kind != MEMMODEL_PAD_CONSTANT || pad->before[0] || pad->before[1] || pad->after[0] ||
        pad->after[1])
        return false;
    conv = ort_follower(graph, y, "Conv");
    if (conv < 0)
        return false;
    ort_set_input(graph, conv, 0, x);
    ort_remove_node(graph, at);
    return true;
}

/* A tensor of the same elements as a matrix of `width` columns. */
static int32_t
add_matrix(struct ort_graph *graph, int32_t like, int64_t width)
{
    struct ort_tensor matrix = *ort_tensor_of(graph, like);
    int64_t elements = 0;

    if (!ort_elements(matrix.dims, matrix.rank, &elements))
        elements = 0; /* cannot be: the binding has checked each tensor */
    matrix.rank = 2;
    matrix.dims[0] = width ? elements / width : 0;
    matrix.dims[1] = width;
    return ort_add_tensor(graph, &matrix);
}

/* Reshape, Gemm, Reshape in the place of a product of more than two dimensions. */
static void
to_reshaped_gemm(struct ort_graph *graph, int32_t product, int32_t at)
{
    int32_t x = node_of(graph, product)->inputs[0], y = node_of(graph, at)->outputs[0];
    const struct ort_tensor *in = ort_tensor_of(graph, x), *out = ort_tensor_of(graph, y);
    int64_t columns = in->dims[in->rank - 1], units = out->dims[out->rank - 1];
    int32_t given = add_matrix(graph, x, columns), made = add_matrix(graph, y, units);
    int32_t before = ort_add_node(graph, "Reshape", product, &x, 1);
    int32_t gemm = graph->status ? -1 : ort_add_node(graph, "Gemm", product, &given, 1);
    int32_t after = graph->status ? -1 : ort_add_node(graph, "Reshape", product, &made, 1);

    if (graph->status)
        return;
    ort_make(graph, before, given);
    ort_make(graph, gemm, made);
    ort_remove_node(graph, at);
    ort_remove_node(graph, product);
    ort_make(graph, after, y);
}

/* MatMul and a bias: of two dimensions at once, of more where every size is known, as a matrix. */
bool
ort_to_gemm(struct ort_graph *graph, int32_t at)
{
    int i = ort_input_made_by(graph, node_of(graph, at), "MatMul");
    int32_t product = ort_maker_of(graph, node_of(graph, at), i);
    const struct ort_tensor *y = ort_tensor_of(graph, node_of(graph, at)->outputs[0]);

    if (product < 0 || node_of(graph, product)->layer->op != OP_LINEAR || y->dtype != MEMMODEL_DTYPE_FLOAT32 ||
        !ort_is_vector(graph, node_of(graph, at)->inputs[1 - i], y->dims[y->rank - 1], false) ||
        (y->rank != 2 && y->symbolic))
        return false;
    if (y->rank == 2)
        return ort_put_in_place(graph, "Gemm", product, at, node_of(graph, product)->inputs, 1);
    to_reshaped_gemm(graph, product, at);
    return true;
}

/* ---- transposes ---- */

const struct permute_options *
ort_permutation_of(const struct ort_graph *graph, int32_t node)
{
    return node >= 0 && ort_node_is(node_of(graph, node), "Transpose") ? node_of(graph, node)->permute : NULL;
}

/* A Transpose by other axes in the place of a node, of a tensor. */
static bool
put_transpose(struct ort_graph *graph, int32_t like, int32_t last, int32_t input, const struct permute_options *permute)
{
    const struct permute_options *copy = arena_copy(&graph->arena, permute, sizeof *permute);

    if (!copy)
        graph->status = MEMMODEL_ERROR_NO_MEMORY;
    if (!copy || !ort_put_in_place(graph, "Transpose", like, last, &input, 1))
        return false;
    node_of(graph, (int32_t)graph->node_count - 1)->permute = copy;
    return true;
}

/* Two at once. */
bool
ort_merge_transposes(struct ort_graph *graph, int32_t at)
{
    int32_t before = ort_feeder(graph, node_of(graph, at), 0, "Transpose");
    const struct permute_options *first = ort_permutation_of(graph, before), *second = ort_permutation_of(graph, at);
    struct permute_options both;

    if (!first || !second || first->rank != second->rank)
        return false;
    both = *second;
    for (int i = 0; i < both.rank; i++)
        both.axes[i] = first->axes[second->axes[i]];
    return put_transpose(graph, before, at, node_of(graph, before)->inputs[0], &both);
}

/* How many axes of `to` each axis of `from` becomes; false: some come together. */
static bool
splits_axes(const struct ort_tensor *from, const struct ort_tensor *to, int parts[MEMMODEL_MAX_RANK])
{
    int at = 0;

    for (int axis = 0; axis < from->rank; axis++) {
        int64_t product = 1;

        parts[axis] = 0;
        while (at < to->rank && (parts[axis] == 0 || product < from->dims[axis])) {
            product *= to->dims[at++];
            parts[axis]++;
        }
        if (product != from->dims[axis])
            return false;
    }
    return at == to->rank;
}

/* A Reshape that splits axes after a Transpose: the Reshape goes first. */
bool
ort_reshape_before_transpose(struct ort_graph *graph, int32_t at)
{
    int32_t before = ort_feeder(graph, node_of(graph, at), 0, "Transpose"), output = node_of(graph, at)->outputs[0];
    const struct permute_options *permute = ort_permutation_of(graph, before);
    struct ort_tensor middle = *ort_tensor_of(graph, output);
    struct permute_options after = {.rank = middle.rank};
    int parts[MEMMODEL_MAX_RANK], first_of[MEMMODEL_MAX_RANK], place[MEMMODEL_MAX_RANK] = {0}, next = 0, reshaped;

    if (!permute || middle.symbolic || middle.rank <= permute->rank || middle.output ||
        !splits_axes(ort_tensor_of(graph, node_of(graph, before)->outputs[0]), &middle, parts))
        return false;
    for (int i = 0, at_axis = 0; i < permute->rank; at_axis += parts[i++])
        first_of[i] = at_axis;
    for (int axis = 0; axis < permute->rank; axis++) /* of the tensor before it was transposed */
        for (int i = 0; i < permute->rank; i++)
            for (int part = 0; permute->axes[i] == axis && part < parts[i]; part++) {
                middle.dims[next] = ort_tensor_of(graph, output)->dims[first_of[i] + part];
                place[first_of[i] + part] = next++;
            }
    for (int i = 0; i < after.rank; i++)
        after.axes[i] = place[i];
    reshaped = ort_add_tensor(graph, &middle);
    if (graph->status || !put_transpose(graph, before, at, reshaped, &after))
        return false;
    next = ort_add_node(graph, "Reshape", at, node_of(graph, before)->inputs, 1);
    if (next >= 0)
        ort_make(graph, next, reshaped);
    return true;
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
bool
ort_cancel_transposes(struct ort_graph *graph, int32_t at)
{
    static const char *const indifferent[] = {"Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip",
                                              "Elu",  "Gelu",    "Erf",  NULL};
    int32_t last = node_of(graph, at)->inputs[0] >= 0 ? ort_tensor_of(graph, node_of(graph, at)->inputs[0])->maker : -1;
    int32_t first = last;

    while (first >= 0 && ort_is_one_of(node_of(graph, first)->op, indifferent) &&
           ort_feeder(graph, node_of(graph, first), 0, node_of(graph, first)->op) < 0 &&
           ort_tensor_of(graph, node_of(graph, first)->outputs[0])->uses == 1)
        first = ort_tensor_of(graph, node_of(graph, first)->inputs[0])->maker;
    if (first < 0 || !are_inverse(ort_permutation_of(graph, first), ort_permutation_of(graph, at)) ||
        ort_tensor_of(graph, node_of(graph, first)->outputs[0])->uses != 1 ||
        ort_tensor_of(graph, node_of(graph, first)->outputs[0])->output || !ort_skip(graph, at))
        return false;
    return ort_bypass(graph, first);
}
