/*
 * Operators that only programs below autograd call, and that belong to no other's rule: those of the backward pass, and
 * those that change what a tensor is seen as. Most take their results alone.
 */
#include "frameworks/pytorch/aten_ops.h"

static void
results_forward(struct step *step, const struct layer *layer, int detail)
{
    (void)detail;
    for (int i = 0; i < layer->output_count; i++) {
        struct shape shape = step_output_shape(step, layer, i);

        step_output(step, layer, i, value_empty(step, &shape));
    }
}

/* The mean's gradient is divided by a number. PyTorch: aten/src/ATen/native/Loss.cpp, binary_cross_entropy_backward */
static void
averaged_forward(struct step *step, const struct layer *layer, int detail)
{
    enum { MEAN = 1 };

    results_forward(step, layer, detail);
    if (attribute_integer(layer, "reduction", MEAN) == MEAN)
        number_in_place(step, step_output_shape(step, layer, 0).dtype);
}

/* Beside the gradient the numbers of all elements along the axis. PyTorch: UnfoldBackward.cpp */
static void
unfold_backward_forward(struct step *step, const struct layer *layer, int detail)
{
    struct shape shape = step_output_shape(step, layer, 0), places;
    int axis = attribute_axis(layer, "dim", shape.rank, 0);

    results_forward(step, layer, detail);
    if (shape.rank == 0)
        return;
    places = shape_vector(MEMMODEL_DTYPE_INT64, shape.dims[axis]);
    value_scratch(step, &places);
}

static const struct aten_op_rule backward[] = {
    {"aten._cdist_backward.default", results_forward, 0, ""},
    {"aten._local_scalar_dense.default", results_forward, 0, ""},
    {"aten.as_strided_.default", results_forward, 0, ""},
    {"aten.binary_cross_entropy_backward.default", averaged_forward, 0, "01"},
    {"aten.diagonal_backward.default", results_forward, 0, ""},
    {"aten.fractional_max_pool2d_backward.default", results_forward, 0, ""},
    {"aten.grid_sampler_2d.default", results_forward, 0, ""},
    {"aten.grid_sampler_2d_backward.default", results_forward, 0, ""},
    {"aten.grid_sampler_3d.default", results_forward, 0, ""},
    {"aten.grid_sampler_3d_backward.default", results_forward, 0, ""},
    {"aten.huber_loss_backward.default", results_forward, 0, ""},
    {"aten.lift_fresh.default", results_forward, 0, ""},
    {"aten.maximum.out", results_forward, 0, ""},
    {"aten.median.dim", results_forward, 0, ""},
    {"aten.mse_loss_backward.default", results_forward, 0, ""},
    {"aten.multi_margin_loss_backward.default", results_forward, 0, ""},
    {"aten.native_dropout_backward.default", results_forward, 0, ""},
    {"aten.randint.low", results_forward, 0, ""},
    {"aten.rrelu_with_noise_backward.default", results_forward, 0, ""},
    {"aten.select_backward.default", results_forward, 0, ""},
    {"aten.sigmoid_backward.default", results_forward, 0, ""},
    {"aten.slice_backward.default", results_forward, 0, ""},
    {"aten.smooth_l1_loss_backward.default", results_forward, 0, ""},
    {"aten.tanh_backward.default", results_forward, 0, ""},
    {"aten.transpose_.default", results_forward, 0, ""},
    {"aten.unfold_backward.default", unfold_backward_forward, 0, "0"},
    {"aten.unsqueeze_.default", results_forward, 0, ""},
};

const struct aten_ops aten_op_backward = ATEN_OPS(backward);
