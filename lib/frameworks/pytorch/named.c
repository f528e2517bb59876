/* Which rule an operator of PyTorch's own name has. */
#include "frameworks/pytorch/named.h"

#include <stdlib.h>
#include <string.h>

static int
compare_names(const void *name, const void *rule)
{
    return strcmp(name, ((const struct named_rule *)rule)->name);
}

static const struct named_table *const tables[] = {
    &named_functions,  &named_fourier,    &named_cells,     &named_convolution,   &named_elementwise,
    &named_arithmetic, &named_views,      &named_makers,    &named_joining,       &named_indexing,
    &named_scattering, &named_reductions, &named_products,  &named_normalization, &named_attention,
    &named_pooling,    &named_resampling, &named_recurrent, &named_losses,
};

enum { TABLE_COUNT = sizeof tables / sizeof tables[0] };

const struct named_rule *
named_rule_at(size_t index)
{
    for (size_t i = 0; i < TABLE_COUNT; index -= tables[i++]->count)
        if (index < tables[i]->count)
            return &tables[i]->rules[index];
    return NULL;
}

const struct named_rule *
named_rule_find(const char *operation)
{
    const struct named_rule *rule = NULL;

    for (size_t i = 0; i < TABLE_COUNT && !rule; i++)
        rule = bsearch(operation, tables[i]->rules, tables[i]->count, sizeof *rule, compare_names);
    return rule;
}

bool
named_rule_fits(struct step *step, const struct layer *layer, const struct named_rule *rule)
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
named_identity(struct step *step, const struct layer *layer, int detail)
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
named_maker(struct step *step, const struct layer *layer, int detail)
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
    step->grad_mode = attribute_integer(layer, "enabled", 1) && step->job->inference != WITHOUT_GRADIENTS;
}

/* The host language holds the inputs until here. */
static void
hold_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)step;
    (void)layer;
    (void)detail;
}

static const struct named_rule makers[] = {
    {"aten.__and__.Tensor", named_maker, 0, ""},
    {"aten.__or__.Tensor", named_maker, 0, ""},
    {"aten.arange.default", named_maker, 0, ""},
    {"aten.arange.start", named_maker, 0, ""},
    {"aten.arange.start_step", named_maker, 0, ""},
    {"aten.argmax.default", named_maker, 0, ""},
    {"aten.argmin.default", named_maker, 0, ""},
    {"aten.bitwise_and.Tensor", named_maker, 0, ""},
    {"aten.bitwise_not.default", named_maker, 0, ""},
    {"aten.bitwise_or.Tensor", named_maker, 0, ""},
    {"aten.detach.default", detach_forward, 0, "0"},
    {"aten.detach_.default", detach_forward, 0, "0"},
    {"aten.empty.memory_format", named_maker, 0, ""},
    {"aten.empty_like.default", named_maker, 0, ""},
    {"aten.eye.default", named_maker, 0, ""},
    {"aten.eye.m", named_maker, 0, ""},
    {"aten.full.default", named_maker, 0, ""},
    {"aten.full_like.default", named_maker, 0, ""},
    {"aten.isnan.default", named_maker, 0, ""},
    {"aten.lift_fresh_copy.default", named_maker, 0, ""},
    {"aten.linspace.default", named_maker, 0, ""},
    {"aten.logical_and.default", named_maker, 0, ""},
    {"aten.logical_not.default", named_maker, 0, ""},
    {"aten.logical_or.default", named_maker, 0, ""},
    {"aten.new_empty.default", named_maker, 0, ""},
    {"aten.new_full.default", named_maker, 0, ""},
    {"aten.new_ones.default", named_maker, 0, ""},
    {"aten.new_zeros.default", named_maker, 0, ""},
    {"aten.normal.float_float", named_maker, 0, ""},
    {"aten.ones.default", named_maker, 0, ""},
    {"aten.ones_like.default", named_maker, 0, ""},
    {"aten.rand.default", named_maker, 0, ""},
    {"aten.rand_like.default", named_maker, 0, ""},
    {"aten.randint.default", named_maker, 0, ""},
    {"aten.randn.default", named_maker, 0, ""},
    {"aten.randn_like.default", named_maker, 0, ""},
    {"aten.scalar_tensor.default", named_maker, 0, ""},
    {"aten.zeros.default", named_maker, 0, ""},
    {"aten.zeros_like.default", named_maker, 0, ""},
    {"memmodel.hold", hold_forward, 0, ""},
    {"memmodel.set_grad_enabled", set_grad_enabled_forward, 0, ""},
};

const struct named_table named_makers = NAMED_TABLE(makers);
