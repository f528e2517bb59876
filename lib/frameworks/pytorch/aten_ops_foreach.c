/*
 * Operators on lists of tensors, as optimizers call them. On the CPU each tensor has its turn, and a Python number becomes
 * a tensor for each. PyTorch: aten/src/ATen/native/ForeachOpsKernels.cpp.
 */
#include "frameworks/pytorch/aten_ops.h"

#include <string.h>

enum { TENSORS, NUMBERS };

static bool
is_in_place(const struct layer *layer)
{
    const struct memmodel_custom *custom = layer->options;

    return strstr(custom->operation, "_.") != NULL;
}

/* Of an operator with a number all inputs are the list. */
static void
foreach_forward(struct step *step, const struct layer *layer, int detail)
{
    bool in_place = is_in_place(layer);
    int count = !in_place ? layer->output_count : detail == NUMBERS ? layer->input_count : 0;

    for (int i = 0; i < count && !step->status; i++) {
        const struct value *x = step_input(step, layer, i);
        struct shape shape;

        if (in_place && x) {
            number_in_place(step, x->shape.dtype);
        } else if (x && detail == NUMBERS) {
            step_output(step, layer, i, number_result(step, x));
        } else if (!in_place) {
            shape = step_output_shape(step, layer, i);
            step_output(step, layer, i, value_empty(step, &shape));
        }
    }
}

static const struct aten_op_rule lists[] = {
    {"aten._foreach_abs.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_abs_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_add.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_add.Scalar", foreach_forward, NUMBERS, ""},
    {"aten._foreach_add.ScalarList", foreach_forward, NUMBERS, ""},
    {"aten._foreach_add.Tensor", foreach_forward, TENSORS, ""},
    {"aten._foreach_add_.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_add_.Scalar", foreach_forward, NUMBERS, ""},
    {"aten._foreach_add_.ScalarList", foreach_forward, NUMBERS, ""},
    {"aten._foreach_add_.Tensor", foreach_forward, TENSORS, ""},
    {"aten._foreach_addcdiv.Scalar", foreach_forward, TENSORS, ""},
    {"aten._foreach_addcdiv.ScalarList", foreach_forward, TENSORS, ""},
    {"aten._foreach_addcdiv_.Scalar", foreach_forward, TENSORS, ""},
    {"aten._foreach_addcdiv_.ScalarList", foreach_forward, TENSORS, ""},
    {"aten._foreach_addcmul.Scalar", foreach_forward, TENSORS, ""},
    {"aten._foreach_addcmul.ScalarList", foreach_forward, TENSORS, ""},
    {"aten._foreach_addcmul_.Scalar", foreach_forward, TENSORS, ""},
    {"aten._foreach_addcmul_.ScalarList", foreach_forward, TENSORS, ""},
    {"aten._foreach_ceil.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_ceil_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_max.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_max.Scalar", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_max.ScalarList", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_max_.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_max_.Scalar", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_max_.ScalarList", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_min.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_min.Scalar", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_min.ScalarList", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_min_.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_min_.Scalar", foreach_forward, TENSORS, ""},
    {"aten._foreach_clamp_min_.ScalarList", foreach_forward, TENSORS, ""},
    {"aten._foreach_copy_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_cos.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_cos_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_div.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_div.Scalar", foreach_forward, NUMBERS, ""},
    {"aten._foreach_div.ScalarList", foreach_forward, NUMBERS, ""},
    {"aten._foreach_div.Tensor", foreach_forward, TENSORS, ""},
    {"aten._foreach_div_.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_div_.Scalar", foreach_forward, NUMBERS, ""},
    {"aten._foreach_div_.ScalarList", foreach_forward, NUMBERS, ""},
    {"aten._foreach_div_.Tensor", foreach_forward, TENSORS, ""},
    {"aten._foreach_erf.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_erf_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_exp.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_exp_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_expm1.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_expm1_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_floor.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_floor_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_frac.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_frac_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_lerp.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_lerp.Scalar", foreach_forward, TENSORS, ""},
    {"aten._foreach_lerp_.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_lerp_.Scalar", foreach_forward, TENSORS, ""},
    {"aten._foreach_log.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_log10.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_log10_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_log1p.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_log1p_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_log2.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_log2_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_log_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_maximum.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_maximum_.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_minimum.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_minimum_.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_mul.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_mul.Scalar", foreach_forward, NUMBERS, ""},
    {"aten._foreach_mul.ScalarList", foreach_forward, NUMBERS, ""},
    {"aten._foreach_mul.Tensor", foreach_forward, TENSORS, ""},
    {"aten._foreach_mul_.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_mul_.Scalar", foreach_forward, NUMBERS, ""},
    {"aten._foreach_mul_.ScalarList", foreach_forward, NUMBERS, ""},
    {"aten._foreach_mul_.Tensor", foreach_forward, TENSORS, ""},
    {"aten._foreach_neg.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_neg_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_norm.Scalar", foreach_forward, TENSORS, ""},
    {"aten._foreach_reciprocal.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_reciprocal_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_round.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_round_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_rsqrt.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_rsqrt_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_sigmoid.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_sigmoid_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_sign.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_sign_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_sin.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_sin_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_sqrt.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_sqrt_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_sub.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_sub.Scalar", foreach_forward, NUMBERS, ""},
    {"aten._foreach_sub.ScalarList", foreach_forward, NUMBERS, ""},
    {"aten._foreach_sub_.List", foreach_forward, TENSORS, ""},
    {"aten._foreach_sub_.Scalar", foreach_forward, NUMBERS, ""},
    {"aten._foreach_sub_.ScalarList", foreach_forward, NUMBERS, ""},
    {"aten._foreach_tan.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_tan_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_tanh.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_tanh_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_trunc.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_trunc_.default", foreach_forward, TENSORS, ""},
    {"aten._foreach_zero_.default", foreach_forward, TENSORS, ""},
    {"aten._fused_adagrad_.default", foreach_forward, TENSORS, ""},
    {"aten._fused_adam_.default", foreach_forward, TENSORS, ""},
    {"aten._fused_adamw_.default", foreach_forward, TENSORS, ""},
    {"aten._fused_sgd_.default", foreach_forward, TENSORS, ""},
};

const struct aten_ops aten_op_foreach = ATEN_OPS(lists);
