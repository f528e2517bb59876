/*
 * What a session makes of the graph before it runs: one row a rewrite, in onnxruntime's order. Where a rewrite looks at
 * stored numbers (the 0.5 of a GELU) the shape of the pattern is taken as enough. onnxruntime: core/optimizer,
 * graph_transformer_utils.cc; compared with the graphs that sessions of 1.31.1 save.
 */
#include "frameworks/onnxruntime/rewrite.h"

enum level { DISABLE, BASIC, EXTENDED, ALL, LEVEL_COUNT };

static const char *const level_names[LEVEL_COUNT] = {"disable", "basic", "extended", "all"};

/* ---- the table ---- */

static const struct {
    enum level level;
    const char *op; /* of the node at which the pattern ends; NULL: any */
    bool (*apply)(struct ort_graph *graph, int32_t at);
} rewrites[] = {
    {BASIC, "Dropout", ort_skip},
    {BASIC, "Identity", ort_skip},
    {BASIC, "Cast", ort_remove_same_cast},
    {BASIC, "Expand", ort_remove_if_same},
    {BASIC, "Slice", ort_remove_if_same},
    {BASIC, "Pad", ort_pad_into_window},
    {BASIC, "BatchNormalization", ort_batch_norm_into_conv},
    {BASIC, "Add", ort_channels_into_conv},
    {BASIC, "Mul", ort_channels_into_conv},
    {BASIC, NULL, ort_remove_twin},
    {BASIC, NULL, ort_fold},
    {BASIC, "Add", ort_to_gemm},
    {BASIC, "Transpose", ort_cancel_transposes},
    {BASIC, "Transpose", ort_merge_transposes},
    {BASIC, "Reshape", ort_reshape_before_transpose},
    {EXTENDED, NULL, ort_activation_into_gemm},
    {EXTENDED, NULL, ort_activation_into_conv},
    {EXTENDED, "Mul", ort_to_gelu},
    {EXTENDED, "Add", ort_to_layer_norm},
    {EXTENDED, "Mul", ort_to_rms_norm},
    {EXTENDED, "Slice", ort_to_split},
    {EXTENDED, "MatMul", ort_transposes_into_matmul},
    {EXTENDED, "FusedMatMul", ort_transposes_into_matmul},
    {EXTENDED, "LayerNormalization", ort_to_skip_layer_norm},
    {EXTENDED, "SimplifiedLayerNormalization", ort_to_skip_layer_norm},
    {EXTENDED, "Gelu", ort_bias_into_gelu},
    {EXTENDED, "Mul", ort_to_quick_gelu},
    {EXTENDED, "Mul", ort_scale_into_matmul},
    {EXTENDED, "Div", ort_scale_into_matmul},
};

/* One row over all nodes, in the order in which they would run. */
static bool
apply_row(struct ort_graph *graph, size_t row)
{
    bool changed = false;

    for (size_t i = 0; i < graph->order_count && !graph->status; i++) {
        const struct ort_node *node = node_of(graph, graph->order[i]);

        graph->status = context_check(graph->context, 1);
        if (!graph->status && node->op && (!rewrites[row].op || ort_node_is(node, rewrites[row].op)))
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
    enum { MAX_PASSES = 10 };
    bool changed = true;

    for (int pass = 0; pass < MAX_PASSES && changed && !graph->status; pass++) {
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
