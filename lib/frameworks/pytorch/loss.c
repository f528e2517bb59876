/* Losses: which formula each has, formulas_losses.c. */
#include "frameworks/pytorch/formula.h"

/* at::Reduction */
static const double reductions[] = {
    [MEMMODEL_LOSS_REDUCTION_NONE] = 0,
    [MEMMODEL_LOSS_REDUCTION_MEAN] = 1,
    [MEMMODEL_LOSS_REDUCTION_SUM] = 2,
};

static const struct {
    const char *name;
    int operands; /* the last is the reduction, between it and the target are weights that a layer has none of */
} losses[] = {
    [MEMMODEL_LOSS_CROSS_ENTROPY] = {"cross_entropy_loss", 4},
    [MEMMODEL_LOSS_BINARY_CROSS_ENTROPY] = {"binary_cross_entropy", 4},
    [MEMMODEL_LOSS_BINARY_CROSS_ENTROPY_WITH_LOGITS] = {"binary_cross_entropy_with_logits", 5},
    [MEMMODEL_LOSS_MEAN_SQUARED_ERROR] = {"mse_loss", 3},
    [MEMMODEL_LOSS_MEAN_ABSOLUTE_ERROR] = {"l1_loss", 3},
    [MEMMODEL_LOSS_SMOOTH_L1] = {"smooth_l1_loss", 3},
    [MEMMODEL_LOSS_NEGATIVE_LOG_LIKELIHOOD] = {"nll_loss", 4},
    [MEMMODEL_LOSS_KL_DIVERGENCE] = {"kl_div", 3},
    [MEMMODEL_LOSS_DICE] = {"dice_loss", 3},
};

static void
loss_forward(struct step *step, const struct layer *layer)
{
    const struct memmodel_loss *options = layer->options;
    int count = losses[options->kind].operands;
    struct formula_operand operands[FORMULA_INPUTS] = {formula_tensor(step_input(step, layer, 0)),
                                                       formula_tensor(step_input(step, layer, 1))};

    operands[count - 1] = formula_number(reductions[options->reduction], true);
    step_output(step, layer, 0, aten_formula(step, losses[options->kind].name, operands, count));
}

const struct rule pytorch_loss = {OP_LOSS, loss_forward};
