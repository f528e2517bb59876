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

/* For rules that are the CPU's: on a GPU the report names the operator. */
static void
name_on_a_gpu(struct step *step, const struct layer *layer)
{
    if (step->cuda.gpu)
        layer_unmodelled(step, layer, ((const struct memmodel_custom *)layer->options)->operation);
}

/* Beside the numbers one for the swaps. PyTorch: aten/src/ATen/native/TensorFactories.cpp, randperm_cpu() */
static void
permutation_forward(struct step *step, const struct layer *layer, int detail)
{
    struct shape shape = step_output_shape(step, layer, 0);

    results_forward(step, layer, detail);
    name_on_a_gpu(step, layer);
    shape.rank = 0;
    value_scratch(step, &shape);
}

/* ---- connectionist temporal classification; PyTorch: aten/src/ATen/native/LossCTC.cpp ---- */

enum { CTC_LENGTHS = 2 };

/* Lengths are read as 64-bit integers. `first`: the input that the first of them is, 0 where they are numbers. */
static void
wide_lengths(struct step *step, const struct layer *layer, int first, struct value *wide[CTC_LENGTHS])
{
    for (int i = 0; i < CTC_LENGTHS; i++) {
        const struct value *lengths = first ? step_input(step, layer, first + i) : NULL;

        wide[i] = lengths && lengths->shape.dtype != MEMMODEL_DTYPE_INT64
                      ? value_like_typed(step, lengths, MEMMODEL_DTYPE_INT64)
                      : NULL;
    }
}

/* log_alpha, the second result, is made first. */
static void
ctc_loss_forward(struct step *step, const struct layer *layer, int first)
{
    struct value *wide[CTC_LENGTHS];

    wide_lengths(step, layer, first, wide);
    for (int i = layer->output_count - 1; i >= 0; i--) {
        struct shape shape = step_output_shape(step, layer, i);

        step_output(step, layer, i, value_empty(step, &shape));
    }
    name_on_a_gpu(step, layer);
    value_drop_all(step, wide, CTC_LENGTHS);
}

/* Beside the gradient log_beta, as large as log_alpha, the last of the inputs. */
static void
ctc_loss_backward_forward(struct step *step, const struct layer *layer, int first)
{
    const struct value *alphas = step_input(step, layer, first ? 6 : 4);
    struct value *wide[CTC_LENGTHS];

    wide_lengths(step, layer, first, wide);
    results_forward(step, layer, 0);
    name_on_a_gpu(step, layer);
    value_scratch(step, &alphas->shape);
    value_drop_all(step, wide, CTC_LENGTHS);
}

static const struct aten_op_rule backward[] = {
    {"aten._amp_foreach_non_finite_check_and_unscale_.default", results_forward, 0, ""},
    {"aten._amp_update_scale_.default", results_forward, 0, ""},
    {"aten._cdist_backward.default", results_forward, 0, ""},
    {"aten._ctc_loss.Tensor", ctc_loss_forward, 2, "3111"},
    {"aten._ctc_loss.default", ctc_loss_forward, 0, "31"},
    {"aten._ctc_loss_backward.Tensor", ctc_loss_backward_forward, 3, "1311113"},
    {"aten._ctc_loss_backward.default", ctc_loss_backward_forward, 0, "13113"},
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
    {"aten.randperm.default", permutation_forward, 0, ""},
    {"aten.randperm.generator", permutation_forward, 0, ""},
    {"aten.rrelu_with_noise_backward.default", results_forward, 0, ""},
    {"aten.select_backward.default", results_forward, 0, ""},
    {"aten.set_.source_Storage", results_forward, 0, ""},
    {"aten.set_.source_Storage_storage_offset", results_forward, 0, ""},
    {"aten.set_.source_Tensor", results_forward, 0, ""},
    {"aten.sigmoid_backward.default", results_forward, 0, ""},
    {"aten.slice_backward.default", results_forward, 0, ""},
    {"aten.smooth_l1_loss_backward.default", results_forward, 0, ""},
    {"aten.tanh_backward.default", results_forward, 0, ""},
    {"aten.transpose_.default", results_forward, 0, ""},
    {"aten.unfold_backward.default", unfold_backward_forward, 0, "0"},
    {"aten.unsqueeze_.default", results_forward, 0, ""},
};

const struct aten_ops aten_op_backward = ATEN_OPS(backward);
