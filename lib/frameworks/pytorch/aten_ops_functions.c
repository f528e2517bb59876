/*
 * torch.autograd.Function: operators without gradients, then one node of the program's own making. And
 * x.requires_grad_()
 */
#include "frameworks/pytorch/aten_ops.h"

/* The attribute is a factor: what backward() took, measured against the first result. */
static int64_t
workspace_bytes(const struct layer *layer, const struct value *result)
{
    const double max = 1e6;
    double factor = attribute_number(layer, "workspace", 0);

    return factor > 0 && factor < max ? (int64_t)(factor * (double)result->storage->bytes + 0.5) : 0;
}

/* Whether each output is a result, and what is saved has room. */
static bool
is_whole(const struct layer *layer, int results, int inputs)
{
    int saved = layer->input_count - layer->output_count - inputs;

    return results == layer->output_count && inputs >= 0 && inputs <= layer->input_count && saved >= 0 &&
           saved <= MAX_SAVED;
}

/* Inputs: what forward() returned, what it was handed, what it saved. Outputs: what it returned. */
static void
function_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative function = {"Function", estimate_backward};
    int results = 0, inputs = 0;
    size_t bytes = (size_t)layer->input_count * sizeof(struct value *);
    struct value **operands;
    struct node *node;

    (void)detail;
    if (!checked_int(attribute_integer(layer, "results", 0), &results) ||
        !checked_int(attribute_integer(layer, "inputs", 0), &inputs) || !is_whole(layer, results, inputs)) {
        aten_op_estimate(step, layer);
        return;
    }
    operands = step_pool_take(step, bytes);
    if (!operands)
        return;
    for (int i = 0; i < layer->input_count; i++)
        operands[i] = step_input(step, layer, i);
    node = node_new(step, &function, operands + results, inputs, results);
    if (node)
        node->number = workspace_bytes(layer, operands[0]);
    for (int i = 0; i < results; i++) {
        node_attach(step, node, operands[i], i);
        step_output(step, layer, i, value_keep(operands[i]));
    }
    for (int i = results + inputs; i < layer->input_count; i++)
        step_save(step, node, operands[i]);
    object_pool_give(&step->pool, operands, bytes);
}

/* x.requires_grad_() */
static void
requires_grad_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);

    (void)detail;
    node_leaf(step, x);
    step_output(step, layer, 0, value_keep(x));
}

static const struct aten_op_rule functions[] = {
    {"memmodel.function", function_forward, 0, "*"},
    {"memmodel.requires_grad", requires_grad_forward, 0, "0"},
};

const struct aten_ops aten_op_functions = ATEN_OPS(functions);
