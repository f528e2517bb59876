/*
 * Rewrites of the graph: each looks whether its pattern ends at a node, and says whether it has changed something.
 */
#ifndef FRAMEWORKS_ONNXRUNTIME_REWRITE_H
#define FRAMEWORKS_ONNXRUNTIME_REWRITE_H

#include "frameworks/onnxruntime/graph.h"

static inline struct ort_node *
node_of(const struct ort_graph *graph, int32_t node)
{
    return &graph->nodes[node];
}

/* ---- finding what stands before a node: pattern.c ---- */

/* The list ends with NULL. */
bool
ort_is_one_of(const char *op, const char *const *names);

/* Which of two inputs is not the stored scalar; -1: none is one. */
int
ort_beside_scalar(const struct ort_graph *graph, const struct ort_node *node);

/* Which of two inputs is made by that operator, for this node alone; -1: none. */
int
ort_input_made_by(const struct ort_graph *graph, const struct ort_node *node, const char *op);

int32_t
ort_maker_of(const struct ort_graph *graph, const struct ort_node *node, int i);

/* A vector of one number a channel, or for each of the last dimension. */
bool
ort_is_vector(const struct ort_graph *graph, int32_t tensor, int64_t length, bool channels);

/* The last of the nodes goes into a new one, which makes what it made. */
bool
ort_put_in_place(struct ort_graph *graph, const char *op, int32_t like, int32_t last, const int32_t *inputs,
                 int32_t count);

const struct permute_options *
ort_permutation_of(const struct ort_graph *graph, int32_t node);

/* ---- basic: rewrite_basic.c ---- */

bool
ort_skip(struct ort_graph *graph, int32_t at);

bool
ort_remove_same_cast(struct ort_graph *graph, int32_t at);

bool
ort_remove_if_same(struct ort_graph *graph, int32_t at);

bool
ort_pad_into_window(struct ort_graph *graph, int32_t at);

bool
ort_batch_norm_into_conv(struct ort_graph *graph, int32_t at);

bool
ort_channels_into_conv(struct ort_graph *graph, int32_t at);

bool
ort_remove_twin(struct ort_graph *graph, int32_t at);

bool
ort_fold(struct ort_graph *graph, int32_t at);

bool
ort_to_gemm(struct ort_graph *graph, int32_t at);

bool
ort_cancel_transposes(struct ort_graph *graph, int32_t at);

bool
ort_merge_transposes(struct ort_graph *graph, int32_t at);

bool
ort_reshape_before_transpose(struct ort_graph *graph, int32_t at);

/* ---- extended: rewrite_extended.c ---- */

bool
ort_activation_into_gemm(struct ort_graph *graph, int32_t at);

bool
ort_activation_into_conv(struct ort_graph *graph, int32_t at);

bool
ort_to_gelu(struct ort_graph *graph, int32_t at);

bool
ort_to_layer_norm(struct ort_graph *graph, int32_t at);

bool
ort_to_rms_norm(struct ort_graph *graph, int32_t at);

bool
ort_to_split(struct ort_graph *graph, int32_t at);

bool
ort_transposes_into_matmul(struct ort_graph *graph, int32_t at);

bool
ort_to_skip_layer_norm(struct ort_graph *graph, int32_t at);

bool
ort_bias_into_gelu(struct ort_graph *graph, int32_t at);

bool
ort_to_quick_gelu(struct ort_graph *graph, int32_t at);

bool
ort_scale_into_matmul(struct ort_graph *graph, int32_t at);

#endif
