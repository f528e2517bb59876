/*
 * Layers that run as the last steps of another: normalisation folded into the weights, activations and sums applied to
 * what is still in registers. As oneDNN's post-operations: any chain of these, doc/dev_guide_attributes_post_ops.
 */
#include "inference/graph.h"

static const struct {
    bool leads; /* others can be its last steps */
    bool steps; /* it can be one, being element by element once parameters are known */
    bool first; /* it reads each element, or all that it depends on, before it writes: in place by its first input */
} traits[OP_COUNT] = {
    [OP_CONV] = {.leads = true},
    [OP_CONV_TRANSPOSE] = {.leads = true},
    [OP_LINEAR] = {.leads = true},
    [OP_MATMUL] = {.leads = true},
    [OP_BATCH_NORM] = {.steps = true, .first = true},
    [OP_ACTIVATION] = {.steps = true, .first = true},
    [OP_DROPOUT] = {.steps = true, .first = true},
    [OP_BINARY] = {.steps = true, .first = true},
    [OP_SOFTMAX] = {.first = true},
    [OP_LAYER_NORM] = {.first = true},
    [OP_GROUP_NORM] = {.first = true},
    [OP_INSTANCE_NORM] = {.first = true},
    [OP_RMS_NORM] = {.first = true},
};

static bool
same_shape(const struct binding *binding, const struct tensor *a, const struct tensor *b)
{
    bool same = a->rank == b->rank && dtype_bytes(a->dtype) == dtype_bytes(b->dtype);

    for (int32_t i = 0; i < a->rank && same; i++)
        same = binding_dim(binding, a->dims[i]) == binding_dim(binding, b->dims[i]);
    return same;
}

bool
input_is_pointwise(const struct graph *graph, const struct layer *layer, int32_t i)
{
    const struct tensor *tensors = graph->binding->network->tensors;

    return traits[layer->op].first && layer->inputs[i] >= 0 && (i == 0 || layer->op == OP_BINARY) &&
           same_shape(graph->binding, &tensors[layer->inputs[i]], &tensors[layer->first_output]);
}

/* Statistics of the batch itself are of what the whole layer before has made. */
static bool
can_step(const struct layer *layer)
{
    const struct memmodel_batch_norm *norm = layer->options;

    return traits[layer->op].steps && !(layer->op == OP_BATCH_NORM && norm->no_running_stats);
}

/* The operator whose result the tensor is, if it can go on to work on it: nobody else sees it. -1: none. */
static int32_t
leader(const struct graph *graph, memmodel_tensor tensor, const int32_t *uses)
{
    int32_t maker = tensor < 0 ? -1 : graph->tensors[tensor].maker;
    const struct layer *layers = graph->binding->network->layers;

    if (maker < 0 || uses[tensor] != 1 || graph->tensors[tensor].output || graph->operators[maker].kind != KERNEL)
        return -1;
    return traits[layers[graph->operators[maker].first].op].leads ? maker : -1;
}

/* A sum is a step of the later of the two: it stands where the other is made already. */
static int32_t
sum_leader(const struct graph *graph, const struct layer *layer, const int32_t *uses)
{
    int32_t best = -1;

    for (int32_t i = 0; i < 2; i++) {
        int32_t found = leader(graph, layer->inputs[i], uses), other = graph->tensors[layer->inputs[1 - i]].maker;

        if (found > other && input_is_pointwise(graph, layer, i))
            best = found;
    }
    return best;
}

int32_t
fusion_target(const struct graph *graph, const struct layer *layer, const int32_t *uses, uint64_t without)
{
    if (layer->fused)
        return leader(graph, layer->inputs[0], uses);
    if ((without & MEMMODEL_SCHEDULE_PASS_FUSION) || !can_step(layer))
        return -1;
    if (layer->op == OP_BINARY)
        return without & MEMMODEL_SCHEDULE_PASS_RESIDUAL_FUSION ? -1 : sum_leader(graph, layer, uses);
    return leader(graph, layer->inputs[0], uses);
}
