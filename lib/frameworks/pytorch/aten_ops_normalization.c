/* Norms by name. PyTorch: aten/src/ATen/native/Normalization.cpp, layer_norm.cpp, group_norm.cpp. */
#include "frameworks/pytorch/aten_ops.h"

/* Inputs: x, weight, bias, running mean, running variance. `flag` says whether the batch's own statistics are used. */
static struct batch_statistics
statistics_of(struct step *step, const struct layer *layer, const char *flag)
{
    struct batch_statistics statistics = {
        .weight = step_input(step, layer, 1),
        .bias = step_input(step, layer, 2),
        .running_mean = step_input(step, layer, 3),
        .running_var = step_input(step, layer, 4),
    };

    statistics.training = attribute_integer(layer, flag, 0) || !statistics.running_mean;
    return statistics;
}

static void
batch_norm_forward(struct step *step, const struct layer *layer, int detail)
{
    struct batch_statistics statistics = statistics_of(step, layer, "training");

    (void)detail;
    step_output(step, layer, 0, aten_batch_norm(step, step_input(step, layer, 0), &statistics));
}

static void
instance_norm_forward(struct step *step, const struct layer *layer, int detail)
{
    struct batch_statistics statistics = statistics_of(step, layer, "use_input_stats");

    (void)detail;
    step_output(step, layer, 0, aten_instance_norm(step, step_input(step, layer, 0), &statistics));
}

static int
normalized_axes(const struct layer *layer, const struct value *x)
{
    int64_t shape[MEMMODEL_MAX_RANK];

    return attribute_list(layer, "normalized_shape", shape, x->shape.rank);
}

static void
layer_norm_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0), *weight = step_input(step, layer, 1);

    (void)detail;
    step_output(step, layer, 0,
                aten_layer_norm(step, x, normalized_axes(layer, x), weight, step_input(step, layer, 2)));
}

static void
rms_norm_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0), *weight = step_input(step, layer, 1);

    (void)detail;
    step_output(step, layer, 0, aten_rms_norm(step, x, normalized_axes(layer, x), weight));
}

static void
group_norm_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0), *weight = step_input(step, layer, 1);
    int64_t groups = attribute_integer(layer, "num_groups", 1);

    (void)detail;
    step_output(step, layer, 0, aten_group_norm(step, x, groups, weight, step_input(step, layer, 2)));
}

static const struct aten_op_rule normalization[] = {
    {"aten.batch_norm.default", batch_norm_forward, 0, "2"},
    {"aten.group_norm.default", group_norm_forward, 0, "2"},
    {"aten.instance_norm.default", instance_norm_forward, 0, "2"},
    {"aten.layer_norm.default", layer_norm_forward, 0, "1"},
    {"aten.rms_norm.default", rms_norm_forward, 0, "1"},
};

const struct aten_ops aten_op_normalization = ATEN_OPS(normalization);
