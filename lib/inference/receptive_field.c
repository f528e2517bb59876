/* The reach of a network's outputs, from the outputs back to the input. */
#include "inference/field_rule.h"

#include "base/checked.h"

#include <inttypes.h>

static int
refuse(const struct receptive_field *field, const char *object, const char *why)
{
    return context_error(field->context, MEMMODEL_ERROR_UNSUPPORTED, object, "%s: no tiles can be cut", why);
}

static const struct memmodel_network *
network_of(const struct receptive_field *field)
{
    return field->binding->network;
}

static int64_t
extent_of(const struct receptive_field *field, int32_t tensor, int32_t axis)
{
    return binding_dim(field->binding, network_of(field)->tensors[tensor].dims[field->first + axis]);
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
find_layout(struct receptive_field *field)
{
    const struct memmodel_network *network = network_of(field);
    int32_t found = MEMMODEL_LAYOUT_DEFAULT;

    for (size_t i = 0; i < network->layer_count; i++) {
        int32_t layout = layout_of(&network->layers[i]);

        if (layout == MEMMODEL_LAYOUT_DEFAULT)
            continue;
        if (found != MEMMODEL_LAYOUT_DEFAULT && layout != found)
            return refuse(field, network->layers[i].name, "has its channels elsewhere than the layers before");
        found = layout;
    }
    field->first = found == MEMMODEL_LAYOUT_CHANNELS_LAST ? 1 : 2;
    return 0;
}

static int
find_input(struct receptive_field *field)
{
    const struct memmodel_network *network = network_of(field);

    field->input = -1;
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];

        if (layer->op != OP_INPUT)
            continue;
        if (field->input >= 0)
            return refuse(field, layer->name, "the network has a second input");
        field->input = layer->first_output;
        field->axes = network->tensors[field->input].rank - 2;
    }
    if (field->input < 0 || field->axes < 1 || field->axes > MAX_AXES)
        return refuse(field, NULL, "the input is not of the shape [batch, channels, 1 to 3 spatial axes]");
    return 0;
}

/* ---- ratios, from the input on ---- */

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
ratio_of_layer(const struct field_rule *rule, struct receptive_field_ratio input, struct receptive_field_ratio *output)
{
    bool grows = rule->kind == FIELD_RULE_SPREAD || rule->kind == FIELD_RULE_SCALE;

    return ratio_times(input, grows ? rule->stride : 1, grows ? 1 : rule->stride, output);
}

/* Strides must meet what "same" padding adds: it depends on what is left of the last one. */
static int
check_same(const struct receptive_field *field, const struct layer *layer, const struct field_rule *rule, int32_t axis)
{
    if (rule->same && rule->kind == FIELD_RULE_WINDOW && extent_of(field, layer->inputs[0], axis) % rule->stride)
        return refuse(field, layer->name, "pads by what is left of the extent after its strides");
    return 0;
}

static int
enter_ratio(struct receptive_field *field, const struct layer *layer, int32_t axis)
{
    struct receptive_field_ratio ratio = {0, 1}, own;
    struct field_rule rule;
    int status = field_rule_of(field, layer, axis, &rule);

    for (int32_t i = 0; i < layer->input_count && !status; i++) {
        const struct receptive_field_tensor *input = layer->inputs[i] < 0 ? NULL : &field->tensors[layer->inputs[i]];

        if (!input || input->fixed)
            continue;
        if (!ratio_of_layer(&rule, input->ratio[axis], &own))
            return refuse(field, layer->name, "its strides are too large");
        if (ratio.numerator && (own.numerator != ratio.numerator || own.denominator != ratio.denominator))
            return refuse(field, layer->name, "its inputs have different scales");
        ratio = own;
    }
    for (int32_t i = 0; i < layer->output_count && !status; i++)
        field->tensors[layer->first_output + i].ratio[axis] = ratio;
    return status ? status : check_same(field, layer, &rule, axis);
}

static bool
all_fixed(const struct receptive_field *field, const struct layer *layer)
{
    for (int32_t i = 0; i < layer->input_count; i++)
        if (layer->inputs[i] >= 0 && !field->tensors[layer->inputs[i]].fixed)
            return false;
    return true;
}

static int
enter_layer(struct receptive_field *field, const struct layer *layer)
{
    const struct tensor *tensors = network_of(field)->tensors;
    bool fixed = layer->op != OP_INPUT && all_fixed(field, layer);
    int status = 0;

    for (int32_t i = 0; i < layer->output_count; i++)
        field->tensors[layer->first_output + i].fixed = fixed;
    for (int32_t axis = 0; axis < field->axes && layer->op == OP_INPUT; axis++)
        field->tensors[layer->first_output].ratio[axis] = (struct receptive_field_ratio){1, 1};
    if (fixed || layer_is_given(layer))
        return 0;
    for (int32_t axis = 0; axis < field->axes && !status; axis++)
        status = enter_ratio(field, layer, axis);
    if (!status && tensors[layer->first_output].rank != field->axes + 2)
        status = refuse(field, layer->name, "its output has another number of axes than the input");
    return status;
}

static int
find_alignment(struct receptive_field *field)
{
    for (int32_t axis = 0; axis < field->axes; axis++) {
        field->alignment[axis] = 1;
        for (size_t i = 0; i < network_of(field)->tensor_count; i++) {
            const struct receptive_field_tensor *tensor = &field->tensors[i];
            int64_t by = tensor->fixed ? 1 : tensor->ratio[axis].denominator;

            by /= common_divisor(by, field->alignment[axis]);
            if (!checked_multiply(field->alignment[axis], by, &field->alignment[axis]))
                return refuse(field, NULL, "strides together are too large");
        }
    }
    return 0;
}

/* ---- outputs ---- */

static int
enter_output(struct receptive_field *field, int32_t tensor)
{
    const struct layer *layers = network_of(field)->layers;
    const char *name = layers[network_of(field)->tensors[tensor].layer].name;

    if (field->tensors[tensor].fixed)
        return refuse(field, name, "an output does not depend on the input");
    if (field->output < 0)
        field->output = tensor;
    for (int32_t axis = 0; axis < field->axes; axis++) {
        struct receptive_field_ratio a = field->tensors[tensor].ratio[axis],
                                     b = field->tensors[field->output].ratio[axis];

        if (a.numerator != b.numerator || a.denominator != b.denominator ||
            extent_of(field, tensor, axis) != extent_of(field, field->output, axis))
            return refuse(field, name, "the outputs have different sizes");
        field->output_extent[axis] = extent_of(field, tensor, axis);
    }
    field->tensors[tensor].needed = true;
    return 0;
}

static int
find_outputs(struct receptive_field *field)
{
    const struct memmodel_network *network = network_of(field);
    int status = 0;

    field->output = -1;
    for (size_t i = 0; i < network->output_count && !status; i++)
        status = enter_output(field, network->outputs[i]);
    for (size_t i = 0; i < network->tensor_count && !network->output_count && !status; i++)
        if (!network->tensors[i].consumers && !field->tensors[i].fixed)
            status = enter_output(field, (int32_t)i);
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
need_inputs(const struct receptive_field *field, const struct layer *layer, int32_t axis, struct range *ranges)
{
    struct range need = {0, 0, false};
    struct field_rule rule;

    for (int32_t i = 0; i < layer->output_count; i++)
        if (ranges[layer->first_output + i].known)
            widen(&need, ranges[layer->first_output + i].first, ranges[layer->first_output + i].last);
    if (!need.known || layer_is_given(layer) || field_rule_of(field, layer, axis, &rule))
        return;
    field_rule_inputs(&rule, &need.first, &need.last);
    for (int32_t i = 0; i < layer->input_count; i++)
        if (layer->inputs[i] >= 0 && !field->tensors[layer->inputs[i]].fixed)
            widen(&ranges[layer->inputs[i]], need.first, need.last);
}

/* Of a tile of one alignment somewhere in a volume without ends: all that begin at multiples of it are alike. */
static void
find_halo(struct receptive_field *field, int32_t axis, struct range *ranges)
{
    const struct memmodel_network *network = network_of(field);
    int64_t size = field->alignment[axis];

    for (size_t i = 0; i < network->tensor_count; i++) {
        const struct receptive_field_tensor *tensor = &field->tensors[i];
        int64_t last = size / (tensor->fixed ? 1 : tensor->ratio[axis].denominator) * tensor->ratio[axis].numerator - 1;

        ranges[i] = (struct range){0, last, tensor->needed};
    }
    for (size_t i = network->layer_count; i-- > 0;)
        need_inputs(field, &network->layers[i], axis, ranges);
    field->before[axis] = max_i64(-ranges[field->input].first, 0);
    field->after[axis] = max_i64(ranges[field->input].last + 1 - size, 0);
}

static int
find_halos(struct receptive_field *field)
{
    struct range *ranges = memory_allocate_zeroed(field->context, network_of(field)->tensor_count + 1, sizeof *ranges);

    for (int32_t axis = 0; axis < field->axes && ranges; axis++)
        find_halo(field, axis, ranges);
    memory_release(field->context, ranges);
    return ranges ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

/* ---- the whole ---- */

static int
fill(struct receptive_field *field)
{
    int status = find_input(field);

    if (!status)
        status = find_layout(field);
    for (int32_t axis = 0; axis < field->axes && !status; axis++)
        field->extent[axis] = extent_of(field, field->input, axis);
    for (size_t i = 0; i < network_of(field)->layer_count && !status; i++)
        status = enter_layer(field, &network_of(field)->layers[i]);
    if (!status)
        status = find_outputs(field);
    if (!status)
        status = find_alignment(field);
    return status ? status : find_halos(field);
}

int
receptive_field_new(memmodel_context *context, const struct binding *binding, struct receptive_field *field)
{
    int status = MEMMODEL_ERROR_NO_MEMORY;

    *field = (struct receptive_field){.context = context, .binding = binding};
    field->tensors = memory_allocate_zeroed(context, binding->network->tensor_count + 1, sizeof *field->tensors);
    if (field->tensors)
        status = fill(field);
    if (status)
        receptive_field_release(field);
    return status;
}

void
receptive_field_release(struct receptive_field *field)
{
    memory_release(field->context, field->tensors);
    field->tensors = NULL;
}

/* Those that depend on the input are what their layer makes of its first input that does. */
static int64_t
extent_made(const struct receptive_field *field, const struct layer *layer, int32_t axis, const int64_t *extents)
{
    struct field_rule rule;
    int64_t extent = 0;

    for (int32_t i = 0; i < layer->input_count; i++) {
        if (layer->inputs[i] < 0 || field->tensors[layer->inputs[i]].fixed)
            continue;
        if (extent && extents[layer->inputs[i]] != extent)
            return 0;
        extent = extents[layer->inputs[i]];
    }
    return field_rule_of(field, layer, axis, &rule) ? 0 : field_rule_extent(&rule, extent);
}

bool
receptive_field_extents(const struct receptive_field *field, int32_t axis, int64_t extent, int64_t *extents)
{
    const struct memmodel_network *network = network_of(field);

    for (size_t i = 0; i < network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];
        bool fixed = field->tensors[layer->first_output].fixed;
        int64_t made = fixed ? 0 : layer->op == OP_INPUT ? extent : extent_made(field, layer, axis, extents);

        if (!fixed && made < 1)
            return false;
        for (int32_t k = 0; k < layer->output_count; k++)
            extents[layer->first_output + k] = made;
    }
    return true;
}
