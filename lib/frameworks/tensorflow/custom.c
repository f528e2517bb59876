/* Table lookup; and operators without a rule of their own, by what is declared or by their outputs alone. */
#include "frameworks/tensorflow/build.h"

static void
embedding(struct build *build, const struct layer *layer)
{
    build_output(build, layer,
                 build_new(build, "GatherV2", build_output_bytes(build, layer), READS(build_input(build, layer, 0))));
}

/* The table's gradient is sparse, and becomes dense for the optimizer. */
static void
embedding_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    int32_t table = build_parameter(layer, "weight");
    struct operation dense = {.what = "UnsortedSegmentSum", .category = MEMMODEL_CATEGORY_GRADIENTS};

    dense.bytes = build_parameter_bytes(build, table);
    build_parameter_gradient(build, table, build_operation(build, &dense, READS(gradient)), NOTHING);
}

/* Several inputs are read as one: the first that there is stays until the operator has run. */
static int32_t
first_input(const struct build *build, const struct layer *layer)
{
    for (int32_t i = 0; i < layer->input_count; i++)
        if (build_input(build, layer, i) != NOTHING)
            return build_input(build, layer, i);
    return NOTHING;
}

static void
outputs_only(struct build *build, const struct layer *layer)
{
    int64_t saved = 0, temporary = 0;
    int32_t x = first_input(build, layer), scratch;

    if (layer->op == OP_CUSTOM) {
        const struct memmodel_custom *custom = layer->options;

        if (custom->operation)
            build_unmodelled(build, custom->operation, build_output_bytes(build, layer));
        saved = binding_custom(build->binding, layer)->saved_bytes;
        temporary = binding_custom(build->binding, layer)->forward_workspace_bytes;
    } else {
        build_unmodelled(build, op_name(layer->op), build_output_bytes(build, layer));
    }
    scratch = temporary ? build_new(build, "temporary", temporary, READS(x)) : NOTHING;
    for (int32_t i = 0; i < layer->output_count; i++)
        build->outputs[layer->first_output + i] =
            build_new(build, op_name(layer->op), build_bytes(build, layer->first_output + i), READS(x, scratch));
    build_kept(build, layer)->x = x;
    build_kept(build, layer)->y = build->outputs[layer->first_output];
    if (saved)
        build_kept(build, layer)->others[0] = build_new(build, "saved", saved, READS(x));
}

static void
inputs_only(struct build *build, const struct layer *layer, int32_t gradient)
{
    const struct kept *kept = build_kept(build, layer);
    int64_t temporary = layer->op == OP_CUSTOM ? binding_custom(build->binding, layer)->backward_workspace_bytes : 0;
    int32_t scratch = temporary ? build_new(build, "temporary", temporary, READS(gradient)) : NOTHING;

    for (int32_t i = 0; i < layer->input_count; i++)
        if (build_wants_gradient(build, layer, i))
            build_gradient(build, layer, i,
                           build_new(build, "gradient", build_bytes(build, layer->inputs[i]),
                                     READS(gradient, kept->x, kept->y, kept->others[0], scratch)));
    for (int32_t i = 0; i < layer->parameter_count; i++) {
        struct operation sum = {.what = "gradient", .category = MEMMODEL_CATEGORY_GRADIENTS};

        sum.bytes = build_parameter_bytes(build, layer->parameters[i]);
        build_parameter_gradient(build, layer->parameters[i], build_operation(build, &sum, READS(gradient, kept->x)),
                                 NOTHING);
    }
}

/* A tensor of parameters that stands in the network as one. */
static void
nothing(struct build *build, const struct layer *layer)
{
    build_output(build, layer, NOTHING);
}

static void
parameter_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    build_parameter_gradient(build, layer->parameters[0], gradient, NOTHING);
}

const struct rule tensorflow_parameter = {OP_PARAMETER, nothing, parameter_backward};
const struct rule tensorflow_embedding = {OP_EMBEDDING, embedding, embedding_backward};
const struct rule tensorflow_custom = {OP_CUSTOM, outputs_only, inputs_only};
