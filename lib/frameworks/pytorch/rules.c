/* The rule of each operator, and what stands in for a rule that is missing. */
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/aten_ops.h"

/* ---- estimate: what an operator cannot do without ---- */

void
estimate_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *temporary = node->number > 0 ? value_buffer(step, node->number) : NULL;

    (void)incoming;
    for (int i = 0; i < node->edge_count; i++)
        if (node_wants(node, i))
            gradients[i] = value_empty(step, &node->edges[i].shape);
    value_drop(step, temporary);
}

static const struct derivative estimate = {"estimate", estimate_backward};

enum { MAX_INPUTS = 16 };

/* Inputs and parameters, as far as they fit. */
static int
operands_of(struct step *step, const struct layer *layer, struct value *operands[MAX_INPUTS])
{
    int count = 0;

    for (int i = 0; i < layer->input_count && count < MAX_INPUTS; i++)
        if (step_input(step, layer, i))
            operands[count++] = step_input(step, layer, i);
    for (int i = 0; i < layer->parameter_count && count < MAX_INPUTS; i++)
        operands[count++] = step->variables[layer->parameters[i]].value;
    return count;
}

static struct node *
estimate_outputs(struct step *step, const struct layer *layer)
{
    struct value *operands[MAX_INPUTS] = {NULL};
    int count = operands_of(step, layer, operands);
    struct node *node = node_new(step, &estimate, operands, count, layer->output_count);

    for (int i = 0; i < layer->output_count; i++) {
        struct shape shape = step_output_shape(step, layer, i);
        struct value *output = value_empty(step, &shape);

        if (value_is_float(output))
            node_attach(step, node, output, i);
        step_output(step, layer, i, output);
    }
    for (int i = 0; i < count && i < MAX_SAVED - 1; i++)
        step_save(step, node, operands[i]);
    return node;
}

void
layer_unmodelled(struct step *step, const struct layer *layer, const char *name)
{
    int64_t bytes = 0;

    for (int i = 0; i < layer->output_count; i++)
        if (step->values[layer->first_output + i])
            checked_accumulate(&bytes, step->values[layer->first_output + i]->storage->bytes);
    step_unmodelled(step, name, bytes);
}

void
estimate_forward(struct step *step, const struct layer *layer)
{
    estimate_outputs(step, layer);
    layer_unmodelled(step, layer, op_name(layer->op));
}

static void
unknown_forward(struct step *step, const struct layer *layer)
{
    estimate_forward(step, layer);
}

/* ---- custom operator: by its name, or as declared, or as its own rule says ---- */

static void
declared_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_custom_requirements *needs = binding_custom(step->binding, layer);
    struct value *temporary = value_buffer(step, needs->forward_workspace_bytes), *saved;
    struct node *node = estimate_outputs(step, layer);

    value_drop(step, temporary);
    if (!node)
        return;
    saved = value_buffer(step, needs->saved_bytes);
    step_save(step, node, saved);
    value_drop(step, saved);
    node->number = needs->backward_workspace_bytes;
}

/* By a rule of that name; false if there is none, or the layer lacks an operand. */
static bool
ruled_forward(struct step *step, const struct layer *layer, const char *operation)
{
    const struct aten_op_rule *rule = aten_op_rule_find(operation);

    if (!rule)
        return formula_forward(step, layer, operation);
    if (!aten_op_rule_fits(step, layer, rule))
        return false;
    step->what = rule->name;
    rule->forward(step, layer, rule->detail);
    return true;
}

static void
custom_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_custom *custom = layer->options;
    char alias[64];

    if (custom->operation) {
        const char *name = aten_op_alias(custom->operation, alias, sizeof alias) ? alias : custom->operation;

        if (ruled_forward(step, layer, name))
            return;
    }
    declared_forward(step, layer);
    if (custom->operation)
        layer_unmodelled(step, layer, custom->operation);
}

void
aten_op_estimate(struct step *step, const struct layer *layer)
{
    const struct memmodel_custom *custom = layer->options;

    estimate_outputs(step, layer);
    layer_unmodelled(step, layer, custom->operation);
}

const struct rule pytorch_custom = {OP_CUSTOM, custom_forward};

/* ---- the table ---- */

const struct rule *
rule_of(enum op op)
{
    static const struct rule unknown = {OP_COUNT, unknown_forward};
    static const struct rule *const rules[] = {
        &pytorch_activation, &pytorch_adaptive_pool, &pytorch_attention,      &pytorch_batch_norm, &pytorch_binary,
        &pytorch_concat,     &pytorch_conv,          &pytorch_conv_transpose, &pytorch_crop,       &pytorch_custom,
        &pytorch_dropout,    &pytorch_embedding,     &pytorch_expand,         &pytorch_flatten,    &pytorch_global_pool,
        &pytorch_group_norm, &pytorch_instance_norm, &pytorch_layer_norm,     &pytorch_linear,     &pytorch_loss,
        &pytorch_matmul,     &pytorch_pad,           &pytorch_permute,        &pytorch_pool,       &pytorch_recurrent,
        &pytorch_reduce,     &pytorch_reshape,       &pytorch_rms_norm,       &pytorch_slice,      &pytorch_softmax,
        &pytorch_split,      &pytorch_upsample,
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i]->op == op)
            return rules[i];
    return &unknown;
}
