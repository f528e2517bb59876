/*
 * Expert parallelism: a rank has some of the experts, and computes the rows of the tokens of all ranks that chose them. How
 * many come depends on what a router finds, so that what is simulated is an assumption: all rows of all ranks, the most that
 * can come, or as many as it sends. torchtitan: distributed/expert_parallel.py (ExpertParallel: experts are Shard(0), rows go
 * and return by all_to_all_single_autograd).
 */
#include "base/checked.h"
#include "frameworks/pytorch/aten_ops.h"
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/tensor_network.h"

#include <string.h>

extern const struct formula_table formulas_arithmetic, formulas_elementwise;

enum { ROWS, EXPERTS }; /* inputs of a product of groups */

static const char *
operation_of(const struct layer *layer)
{
    const char *operation = layer->op == OP_CUSTOM ? ((const struct memmodel_custom *)layer->options)->operation : NULL;

    return operation ? operation : "";
}

/* The parameter of experts, a matrix each, that a layer multiplies rows by; -1: it does not. */
static int32_t
experts_of(const struct memmodel_network *network, const struct layer *layer)
{
    const struct layer *from;

    if (strcmp(operation_of(layer), "aten._grouped_mm.default") != 0 || layer->input_count <= EXPERTS ||
        layer->inputs[EXPERTS] < 0)
        return -1;
    from = layer_of_tensor(network, layer->inputs[EXPERTS]);
    while (from->op == OP_PERMUTE && from->inputs[0] >= 0)
        from = layer_of_tensor(network, from->inputs[0]);
    return from->op == OP_PARAMETER && network->parameters[from->parameters[0]].rank == 3 ? from->parameters[0] : -1;
}

/* ---- their parameters ---- */

static void
cut_experts(struct rewriting *rewriting, int32_t index)
{
    const struct parameter *parameter = &rewriting->from->parameters[index];
    int64_t count = binding_dim(rewriting->axes.whole, parameter->dims[0]);
    struct tensor_cut *cut = &rewriting->made->parameters[index];

    if (count % rewriting->axes.ranks != 0) {
        rewriting->status = context_error(rewriting->step->context, MEMMODEL_ERROR_SHAPE,
                                          rewriting->from->layers[parameter->layer].name,
                                          "%lld experts are no multiple of the %lld ranks of the axis ep",
                                          (long long)count, (long long)rewriting->axes.ranks);
        return;
    }
    *cut = (struct tensor_cut){.axis = 0, .layer = parameter->layer, .whole = index};
    rewrite_cut_dim(rewriting, &rewriting->made->network.parameters[index].dims[0]);
}

void
rewrite_expert_parameters(struct rewriting *rewriting)
{
    const struct memmodel_network *from = rewriting->from;
    bool found = false;

    for (size_t i = 0; i < from->layer_count && !rewriting->status; i++) {
        int32_t experts = experts_of(from, &from->layers[i]);

        found = found || experts >= 0;
        if (experts >= 0 && rewriting->made->parameters[experts].axis == UNCUT)
            cut_experts(rewriting, experts);
    }
    if (!found)
        rewrite_refuse(rewriting, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh",
                       "the axis ep is for experts whose matrices are one parameter, multiplied by rows in groups "
                       "(aten._grouped_mm), as transformers 5 has them; this network has none");
}

/* ---- their rows ---- */

/* As many rows as are simulated to come. */
static void
grow(struct rewriting *rewriting, memmodel_tensor tensor)
{
    const struct parallel *parallel = &rewriting->step->parallel;
    memmodel_dim *rows = &rewriting->made->network.tensors[tensor].dims[0];

    *rows = multiply_saturating(binding_dim(rewriting->axes.whole, *rows),
                                parallel->balanced_experts ? 1 : parallel->expert_ranks);
}

/* Rows of a tensor go where they are computed, or return: another tensor that layers get in its place. */
static memmodel_tensor
exchange(struct rewriting *rewriting, const struct layer *layer, memmodel_tensor tensor, const char *operation)
{
    memmodel_tensor other = rewrite_add_tensor(rewriting, &rewriting->from->tensors[tensor]);

    rewrite_add_together(rewriting, operation, rewriting->names[tensor], other, layer->scope);
    rewriting->names[tensor] = other;
    return other;
}

static void
copy_grown(struct rewriting *rewriting, const struct layer *layer)
{
    for (int32_t i = 0; i < layer->output_count; i++) {
        grow(rewriting, layer->first_output + i);
        rewriting->grown[layer->first_output + i] = true;
    }
    rewrite_copy(rewriting);
}

static void
multiply_by_experts(struct rewriting *rewriting, const struct layer *layer)
{
    memmodel_tensor rows = layer->inputs[ROWS], before;

    if (rows < 0 || rewriting->grown[rows]) {
        copy_grown(rewriting, layer);
        return;
    }
    before = rewriting->names[rows];
    grow(rewriting, exchange(rewriting, layer, rows, "memmodel.experts.dispatch"));
    copy_grown(rewriting, layer);
    rewriting->names[rows] = before;
}

static bool
is_in(const struct formula_table *table, const char *operation)
{
    return text_find(operation, table->formulas, table->count, sizeof *table->formulas) != NULL;
}

/* Whether what a layer does is done row by row. */
static bool
is_by_row(const struct layer *layer)
{
    const char *operation = operation_of(layer);

    return layer->op == OP_SPLIT || layer->op == OP_SLICE || layer->op == OP_ACTIVATION || layer->op == OP_BINARY ||
           is_in(&formulas_arithmetic, operation) || is_in(&formulas_elementwise, operation);
}

/* What is not done row by row with such rows alone is done where they came from. */
static void
use_grown(struct rewriting *rewriting, const struct layer *layer)
{
    bool all = is_by_row(layer);

    for (int32_t i = 0; i < layer->input_count; i++)
        all = all && (layer->inputs[i] < 0 || rewriting->grown[layer->inputs[i]]);
    if (all) {
        copy_grown(rewriting, layer);
        return;
    }
    for (int32_t i = 0; i < layer->input_count; i++)
        if (layer->inputs[i] >= 0 && rewriting->grown[layer->inputs[i]]) {
            exchange(rewriting, layer, layer->inputs[i], "memmodel.experts.combine");
            rewriting->grown[layer->inputs[i]] = false;
        }
    rewrite_plain(rewriting, layer);
}

bool
rewrite_experts(struct rewriting *rewriting, const struct layer *layer)
{
    if (rewriting->step->parallel.expert_ranks == 1)
        return false;
    if (experts_of(rewriting->from, layer) >= 0) {
        multiply_by_experts(rewriting, layer);
        return true;
    }
    for (int32_t i = 0; i < layer->input_count; i++)
        if (layer->inputs[i] >= 0 && rewriting->grown[layer->inputs[i]]) {
            use_grown(rewriting, layer);
            return true;
        }
    return false;
}

/* ---- the exchange: all_to_all_single() into a tensor of its own, and back ---- */

static void
exchange_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct shape shape = shape_typed(&node->edges[0].shape, incoming[0]->shape.dtype);

    step->what = "rows of experts";
    gradients[0] = value_empty(step, &shape);
}

void
tensor_exchange_forward(struct step *step, const struct layer *layer)
{
    static const struct derivative derivative = {"AllToAllSingle", exchange_backward};
    struct shape shape = step_output_shape(step, layer, 0);
    struct value *x = step_input(step, layer, 0), *result;

    shape.dtype = x->shape.dtype;
    step->what = "rows of experts";
    result = value_empty(step, &shape);
    step_record(step, &derivative, result, 1, &x);
    step_unmodelled(step,
                    step->parallel.balanced_experts
                        ? "routing of tokens to experts, taken to be balanced: a rank may get more rows"
                        : "routing of tokens to experts, taken to send all tokens of the axis ep to this rank: a bound",
                    result->storage->bytes);
    step_output(step, layer, 0, result);
}
