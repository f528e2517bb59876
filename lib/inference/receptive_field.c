/* The reach of a network's outputs, from the outputs back to the input. */
#include "inference/reach_rule.h"

#include "base/checked.h"

#include <inttypes.h>

static int
refuse(const struct receptive_field *reach, const char *object, const char *why)
{
    return context_error(reach->context, MEMMODEL_ERROR_UNSUPPORTED, object, "%s: no tiles can be cut", why);
}

static const struct memmodel_network *
network_of(const struct receptive_field *reach)
{
    return reach->binding->network;
}

static int64_t
extent_of(const struct receptive_field *reach, int32_t tensor, int32_t axis)
{
    return binding_dim(reach->binding, network_of(reach)->tensors[tensor].dims[reach->first + axis]);
}

/* ---- what kind of network it is ---- */

static int32_t
layout_of(const struct layer *layer)
{
    switch (layer->op) {
    case OP_CONV:
    case OP_CONV_TRANSPOSE:
        return ((const struct memmodel_conv *)layer->options)->layout;
    case OP_POOL:
        return ((const struct memmodel_pool *)layer->options)->layout;
    case OP_UPSAMPLE:
        return ((const struct memmodel_upsample *)layer->options)->layout;
    default:
        return MEMMODEL_LAYOUT_DEFAULT;
    }
}

/* The layers say where the spatial axes are: all the same. */
static int
find_layout(struct receptive_field *reach)
{
    const struct memmodel_network *network = network_of(reach);
    int32_t found = MEMMODEL_LAYOUT_DEFAULT;

    for (size_t i = 0; i < network->layer_count; i++) {
        int32_t layout = layout_of(&network->layers[i]);

        if (layout == MEMMODEL_LAYOUT_DEFAULT)
            continue;
        if (found != MEMMODEL_LAYOUT_DEFAULT && layout != found)
            return refuse(reach, network->layers[i].name, "has its channels elsewhere than the layers before");
        found = layout;
    }
    reach->first = found == MEMMODEL_LAYOUT_CHANNELS_LAST ? 1 : 2;
    return 0;
}

static int
find_input(struct receptive_field *reach)
{
    const struct memmodel_network *network = network_of(reach);

    reach->input = -1;
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];

        if (layer->op != OP_INPUT)
            continue;
        if (reach->input >= 0)
            return refuse(reach, layer->name, "the network has a second input");
        reach->input = layer->first_output;
        reach->axes = network->tensors[reach->input].rank - 2;
    }
    if (reach->input < 0 || reach->axes < 1 || reach->axes > MOST_AXES)
        return refuse(reach, NULL, "the input is not of the shape [batch, channels, 1 to 3 spatial axes]");
    return 0;
}

/* ---- ratios, from the input on ---- */

static int64_t
common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static bool
ratio_times(struct receptive_field_ratio ratio, int64_t numerator, int64_t denominator,
            struct receptive_field_ratio *result)
{
    int64_t divisor;

    if (!checked_multiply(ratio.numerator, numerator, &result->numerator) ||
        !checked_multiply(ratio.denominator, denominator, &result->denominator))
        return false;
    divisor = common_divisor(result->numerator, result->denominator);
    result->numerator /= divisor;
    result->denominator /= divisor;
    return true;
}

static bool
ratio_of_layer(const struct reach_rule *rule, struct receptive_field_ratio input, struct receptive_field_ratio *output)
{
    bool grows = rule->kind == REACH_SPREAD || rule->kind == REACH_SCALE;

    return ratio_times(input, grows ? rule->stride : 1, grows ? 1 : rule->stride, output);
}

/* Strides must meet what "same" padding adds: it depends on what is left of the last one. */
static int
check_same(const struct receptive_field *reach, const struct layer *layer, const struct reach_rule *rule, int32_t axis)
{
    if (rule->same && rule->kind == REACH_WINDOW && extent_of(reach, layer->inputs[0], axis) % rule->stride)
        return refuse(reach, layer->name, "pads by what is left of the extent after its strides");
    return 0;
}

static int
enter_ratio(struct receptive_field *reach, const struct layer *layer, int32_t axis)
{
    struct receptive_field_ratio ratio = {0, 1}, own;
    struct reach_rule rule;
    int status = reach_rule_of(reach, layer, axis, &rule);

    for (int32_t i = 0; i < layer->input_count && !status; i++) {
        const struct receptive_field_tensor *input = layer->inputs[i] < 0 ? NULL : &reach->tensors[layer->inputs[i]];

        if (!input || input->fixed)
            continue;
        if (!ratio_of_layer(&rule, input->ratio[axis], &own))
            return refuse(reach, layer->name, "its strides are too large");
        if (ratio.numerator && (own.numerator != ratio.numerator || own.denominator != ratio.denominator))
            return refuse(reach, layer->name, "its inputs have different scales");
        ratio = own;
    }
    for (int32_t i = 0; i < layer->output_count && !status; i++)
        reach->tensors[layer->first_output + i].ratio[axis] = ratio;
    return status ? status : check_same(reach, layer, &rule, axis);
}

static bool
all_fixed(const struct receptive_field *reach, const struct layer *layer)
{
    for (int32_t i = 0; i < layer->input_count; i++)
        if (layer->inputs[i] >= 0 && !reach->tensors[layer->inputs[i]].fixed)
            return false;
    return true;
}

static int
enter_layer(struct receptive_field *reach, const struct layer *layer)
{
    const struct tensor *tensors = network_of(reach)->tensors;
    bool fixed = layer->op != OP_INPUT && all_fixed(reach, layer);
    int status = 0;

    for (int32_t i = 0; i < layer->output_count; i++)
        reach->tensors[layer->first_output + i].fixed = fixed;
    for (int32_t axis = 0; axis < reach->axes && layer->op == OP_INPUT; axis++)
        reach->tensors[layer->first_output].ratio[axis] = (struct receptive_field_ratio){1, 1};
    if (fixed || layer_is_given(layer))
        return 0;
    for (int32_t axis = 0; axis < reach->axes && !status; axis++)
        status = enter_ratio(reach, layer, axis);
    if (!status && tensors[layer->first_output].rank != reach->axes + 2)
        status = refuse(reach, layer->name, "its output has another number of axes than the input");
    return status;
}

static int
find_alignment(struct receptive_field *reach)
{
    for (int32_t axis = 0; axis < reach->axes; axis++) {
        reach->alignment[axis] = 1;
        for (size_t i = 0; i < network_of(reach)->tensor_count; i++) {
            const struct receptive_field_tensor *tensor = &reach->tensors[i];
            int64_t by = tensor->fixed ? 1 : tensor->ratio[axis].denominator;

            by /= common_divisor(by, reach->alignment[axis]);
            if (!checked_multiply(reach->alignment[axis], by, &reach->alignment[axis]))
                return refuse(reach, NULL, "strides together are too large");
        }
    }
    return 0;
}

/* ---- outputs ---- */

static int
enter_output(struct receptive_field *reach, int32_t tensor)
{
    const struct layer *layers = network_of(reach)->layers;
    const char *name = layers[network_of(reach)->tensors[tensor].layer].name;

    if (reach->tensors[tensor].fixed)
        return refuse(reach, name, "an output does not depend on the input");
    if (reach->output < 0)
        reach->output = tensor;
    for (int32_t axis = 0; axis < reach->axes; axis++) {
        struct receptive_field_ratio a = reach->tensors[tensor].ratio[axis],
                                     b = reach->tensors[reach->output].ratio[axis];

        if (a.numerator != b.numerator || a.denominator != b.denominator ||
            extent_of(reach, tensor, axis) != extent_of(reach, reach->output, axis))
            return refuse(reach, name, "the outputs have different sizes");
        reach->output_extent[axis] = extent_of(reach, tensor, axis);
    }
    reach->tensors[tensor].needed = true;
    return 0;
}

static int
find_outputs(struct receptive_field *reach)
{
    const struct memmodel_network *network = network_of(reach);
    int status = 0;

    reach->output = -1;
    for (size_t i = 0; i < network->output_count && !status; i++)
        status = enter_output(reach, network->outputs[i]);
    for (size_t i = 0; i < network->tensor_count && !network->output_count && !status; i++)
        if (!network->tensors[i].consumers && !reach->tensors[i].fixed)
            status = enter_output(reach, (int32_t)i);
    return status;
}

/* ---- ranges, from the outputs back ---- */

struct range {
    int64_t first, last;
    bool known;
};

static void
widen(struct range *range, int64_t first, int64_t last)
{
    range->first = range->known ? min_i64(range->first, first) : first;
    range->last = range->known ? max_i64(range->last, last) : last;
    range->known = true;
}

/* What the layer's inputs must have for what is needed of its outputs. */
static void
need_inputs(const struct receptive_field *reach, const struct layer *layer, int32_t axis, struct range *ranges)
{
    struct range need = {0, 0, false};
    struct reach_rule rule;

    for (int32_t i = 0; i < layer->output_count; i++)
        if (ranges[layer->first_output + i].known)
            widen(&need, ranges[layer->first_output + i].first, ranges[layer->first_output + i].last);
    if (!need.known || layer_is_given(layer) || reach_rule_of(reach, layer, axis, &rule))
        return;
    reach_rule_inputs(&rule, &need.first, &need.last);
    for (int32_t i = 0; i < layer->input_count; i++)
        if (layer->inputs[i] >= 0 && !reach->tensors[layer->inputs[i]].fixed)
            widen(&ranges[layer->inputs[i]], need.first, need.last);
}

/* Of a tile of one alignment somewhere in a volume without ends: all that begin at multiples of it are alike. */
static void
find_halo(struct receptive_field *reach, int32_t axis, struct range *ranges)
{
    const struct memmodel_network *network = network_of(reach);
    int64_t size = reach->alignment[axis];

    for (size_t i = 0; i < network->tensor_count; i++) {
        const struct receptive_field_tensor *tensor = &reach->tensors[i];
        int64_t last = size / (tensor->fixed ? 1 : tensor->ratio[axis].denominator) * tensor->ratio[axis].numerator - 1;

        ranges[i] = (struct range){0, last, tensor->needed};
    }
    for (size_t i = network->layer_count; i-- > 0;)
        need_inputs(reach, &network->layers[i], axis, ranges);
    reach->before[axis] = max_i64(-ranges[reach->input].first, 0);
    reach->after[axis] = max_i64(ranges[reach->input].last + 1 - size, 0);
}

static int
find_halos(struct receptive_field *reach)
{
    struct range *ranges = memory_allocate_zeroed(reach->context, network_of(reach)->tensor_count + 1, sizeof *ranges);

    for (int32_t axis = 0; axis < reach->axes && ranges; axis++)
        find_halo(reach, axis, ranges);
    memory_release(reach->context, ranges);
    return ranges ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

/* ---- the whole ---- */

static int
fill(struct receptive_field *reach)
{
    int status = find_input(reach);

    if (!status)
        status = find_layout(reach);
    for (int32_t axis = 0; axis < reach->axes && !status; axis++)
        reach->extent[axis] = extent_of(reach, reach->input, axis);
    for (size_t i = 0; i < network_of(reach)->layer_count && !status; i++)
        status = enter_layer(reach, &network_of(reach)->layers[i]);
    if (!status)
        status = find_outputs(reach);
    if (!status)
        status = find_alignment(reach);
    return status ? status : find_halos(reach);
}

int
receptive_field_new(memmodel_context *context, const struct binding *binding, struct receptive_field *reach)
{
    int status = MEMMODEL_ERROR_NO_MEMORY;

    *reach = (struct receptive_field){.context = context, .binding = binding};
    reach->tensors = memory_allocate_zeroed(context, binding->network->tensor_count + 1, sizeof *reach->tensors);
    if (reach->tensors)
        status = fill(reach);
    if (status)
        receptive_field_release(reach);
    return status;
}

void
receptive_field_release(struct receptive_field *reach)
{
    memory_release(reach->context, reach->tensors);
    reach->tensors = NULL;
}

/* Those that depend on the input are what their layer makes of its first input that does. */
static int64_t
extent_made(const struct receptive_field *reach, const struct layer *layer, int32_t axis, const int64_t *extents)
{
    struct reach_rule rule;
    int64_t extent = 0;

    for (int32_t i = 0; i < layer->input_count; i++) {
        if (layer->inputs[i] < 0 || reach->tensors[layer->inputs[i]].fixed)
            continue;
        if (extent && extents[layer->inputs[i]] != extent)
            return 0;
        extent = extents[layer->inputs[i]];
    }
    return reach_rule_of(reach, layer, axis, &rule) ? 0 : reach_rule_extent(&rule, extent);
}

bool
receptive_field_extents(const struct receptive_field *reach, int32_t axis, int64_t extent, int64_t *extents)
{
    const struct memmodel_network *network = network_of(reach);

    for (size_t i = 0; i < network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];
        bool fixed = reach->tensors[layer->first_output].fixed;
        int64_t made = fixed ? 0 : layer->op == OP_INPUT ? extent : extent_made(reach, layer, axis, extents);

        if (!fixed && made < 1)
            return false;
        for (int32_t k = 0; k < layer->output_count; k++)
            extents[layer->first_output + k] = made;
    }
    return true;
}
