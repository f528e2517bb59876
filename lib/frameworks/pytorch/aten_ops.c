/* Which rule an operator of PyTorch's own name has. */
#include "frameworks/pytorch/aten_ops.h"

#include <stdlib.h>
#include <string.h>

static int
compare_names(const void *name, const void *rule)
{
    return strcmp(name, ((const struct aten_op_rule *)rule)->name);
}

static const struct aten_ops *const tables[] = {
    &aten_op_functions,     &aten_op_fourier,   &aten_op_cells,   &aten_op_convolution, &aten_op_elementwise,
    &aten_op_views,         &aten_op_makers,    &aten_op_joining, &aten_op_indexing,    &aten_op_products,
    &aten_op_normalization, &aten_op_attention, &aten_op_pooling, &aten_op_resampling,  &aten_op_recurrent,
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
        rule = bsearch(operation, tables[i]->rules, tables[i]->count, sizeof *rule, compare_names);
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

/* ---- rules that are one call ---- */

void
aten_op_identity(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    step_output(step, layer, 0, value_keep(step_input(step, layer, 0)));
}

static void
detach_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    step_output(step, layer, 0, value_detach(step, step_input(step, layer, 0)));
}

void
aten_op_maker(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    for (int i = 0; i < layer->output_count; i++) {
        struct shape shape = step_output_shape(step, layer, i);

        step_output(step, layer, i, value_empty(step, &shape));
    }
}

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

static const struct aten_op_rule makers[] = {
    {"aten.__and__.Tensor", aten_op_maker, 0, ""},
    {"aten.__or__.Tensor", aten_op_maker, 0, ""},
    {"aten.arange.default", aten_op_maker, 0, ""},
    {"aten.arange.start", aten_op_maker, 0, ""},
    {"aten.arange.start_step", aten_op_maker, 0, ""},
    {"aten.argmax.default", aten_op_maker, 0, ""},
    {"aten.argmin.default", aten_op_maker, 0, ""},
    {"aten.bitwise_and.Tensor", aten_op_maker, 0, ""},
    {"aten.bitwise_not.default", aten_op_maker, 0, ""},
    {"aten.bitwise_or.Tensor", aten_op_maker, 0, ""},
    {"aten.detach.default", detach_forward, 0, "0"},
    {"aten.detach_.default", detach_forward, 0, "0"},
    {"aten.empty.memory_format", aten_op_maker, 0, ""},
    {"aten.empty_like.default", aten_op_maker, 0, ""},
    {"aten.eye.default", aten_op_maker, 0, ""},
    {"aten.eye.m", aten_op_maker, 0, ""},
    {"aten.full.default", aten_op_maker, 0, ""},
    {"aten.full_like.default", aten_op_maker, 0, ""},
    {"aten.isnan.default", aten_op_maker, 0, ""},
    {"aten.lift_fresh_copy.default", aten_op_maker, 0, ""},
    {"aten.linspace.default", aten_op_maker, 0, ""},
    {"aten.logical_and.default", aten_op_maker, 0, ""},
    {"aten.logical_not.default", aten_op_maker, 0, ""},
    {"aten.logical_or.default", aten_op_maker, 0, ""},
    {"aten.new_empty.default", aten_op_maker, 0, ""},
    {"aten.new_full.default", aten_op_maker, 0, ""},
    {"aten.new_ones.default", aten_op_maker, 0, ""},
    {"aten.new_zeros.default", aten_op_maker, 0, ""},
    {"aten.normal.float_float", aten_op_maker, 0, ""},
    {"aten.ones.default", aten_op_maker, 0, ""},
    {"aten.ones_like.default", aten_op_maker, 0, ""},
    {"aten.rand.default", aten_op_maker, 0, ""},
    {"aten.rand_like.default", aten_op_maker, 0, ""},
    {"aten.randint.default", aten_op_maker, 0, ""},
    {"aten.randn.default", aten_op_maker, 0, ""},
    {"aten.randn_like.default", aten_op_maker, 0, ""},
    {"aten.scalar_tensor.default", aten_op_maker, 0, ""},
    {"aten.zeros.default", aten_op_maker, 0, ""},
    {"aten.zeros_like.default", aten_op_maker, 0, ""},
    {"memmodel.hold", hold_forward, 0, ""},
    {"memmodel.set_grad_enabled", set_grad_enabled_forward, 0, ""},
};

const struct aten_ops aten_op_makers = ATEN_OPS(makers);
