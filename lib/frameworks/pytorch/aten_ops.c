/* Which rule an operator of PyTorch's own name has. */
#include "frameworks/pytorch/aten_ops.h"
#include "base/text.h"

static const struct aten_ops *const tables[] = {
    &aten_op_functions,     &aten_op_fourier,   &aten_op_cells,   &aten_op_convolution, &aten_op_dropout,
    &aten_op_views,         &aten_op_scopes,    &aten_op_joining, &aten_op_indexing,    &aten_op_products,
    &aten_op_normalization, &aten_op_backward,  &aten_op_foreach, &aten_op_attention,   &aten_op_pooling,
    &aten_op_resampling,    &aten_op_recurrent, &aten_op_cudnn,   &aten_op_tensor,      &aten_op_pipeline,
    &aten_op_quantized,
};

enum { TABLE_COUNT = sizeof tables / sizeof tables[0] };

const struct aten_op_rule *
aten_op_rule_at(size_t index)
{
    for (size_t i = 0; i < TABLE_COUNT; index -= tables[i++]->count)
        if (index < tables[i]->count)
            return &tables[i]->rules[index];
    return NULL;
}

const struct aten_op_rule *
aten_op_rule_find(const char *operation)
{
    const struct aten_op_rule *rule = NULL;

    for (size_t i = 0; i < TABLE_COUNT && !rule; i++)
        rule = text_find(operation, tables[i]->rules, tables[i]->count, sizeof *rule);
    return rule;
}

bool
aten_op_rule_fits(struct step *step, const struct layer *layer, const struct aten_op_rule *rule)
{
    const char *operands = rule->operands;
    bool all = operands[0] == '*';

    for (int i = 0; all ? i < layer->input_count : operands[i] != 0; i++) {
        const struct value *operand = step_input(step, layer, i);

        if (!operand || (!all && operand->shape.rank < operands[i] - '0'))
            return false;
    }
    return !all || layer->input_count > 0;
}

bool
attribute_channels_last(const struct layer *layer, const struct value *x)
{
    if (x->shape.rank < 4)
        return false;
    return attribute_is(layer, "memory_format", "channels_last") ||
           attribute_is(layer, "memory_format", "channels_last_3d");
}

/* ---- what a program does besides operators ---- */

/* torch.no_grad() begins or ends. */
static void
set_grad_enabled_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    step->grad_mode = attribute_integer(layer, "enabled", 1) && step->job->mode != WITHOUT_GRADIENTS;
}

/* The host language holds the inputs until here. */
static void
hold_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)step;
    (void)layer;
    (void)detail;
}

static const struct aten_op_rule scopes[] = {
    {"memmodel.hold", hold_forward, 0, ""},
    {"memmodel.set_grad_enabled", set_grad_enabled_forward, 0, ""},
};

const struct aten_ops aten_op_scopes = ATEN_OPS(scopes);
