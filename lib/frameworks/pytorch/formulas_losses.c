/* Losses as formulas. PyTorch: aten/src/ATen/native/Loss.cpp, LossMultiMargin.cpp, LossMultiLabelMargin.cpp, Distance.cpp. */
#include "frameworks/pytorch/formula.h"

static const struct formula_rule losses[] = {
    {"aten.cosine_embedding_loss.default",
     "input1 input2 target",
     "prod = sum(input1 * input2, -1); mag1 = sum(input1 * input1, -1) + 0.1; "
     "mag2 = sum(input2 * input2, -1) + 0.1; denom = sqrt_(mag1 * mag2); ratio = prod / denom; "
     "zeros = like(ratio); pos = 1 - ratio; neg = clamp_min_(ratio - given(margin, 0.0), 0); "
     "output_pos = where(target == 1, pos, zeros); output_neg = where(target == -1, neg, zeros); "
     "output = output_pos + output_neg; reduce(output)",
     {NULL}},
    {"aten.hinge_embedding_loss.default",
     "self target",
     "zeros = like(self); margin_diff = given(margin, 1) - self; "
     "margin_clamp = clamp_min_(margin_diff, 0); "
     "output_margin = where(target != 1, margin_clamp, zeros); "
     "output_self = where(target != -1, self, zeros); output = output_margin + output_self; "
     "reduce(output)",
     {NULL}},
    {"aten.margin_ranking_loss.default",
     "input1 input2 target",
     "output = -target * (input1 - input2) + given(margin, 0); reduce(clamp_min_(output, 0))",
     {NULL}},
    {"aten.multi_margin_loss.default", "self target weight?", "output()", {"first(row_major(self), target, weight)"}},
    {"aten.multilabel_margin_loss.default",
     "self target",
     "loss = output(0); is_target = row_major(self); loss = first(loss, integer(self)); "
     "loss = first(loss, integer(self)); loss, is_target",
     {"whole = row_major(self); whole = first(whole, integer(self)); "
      "whole = first(whole, integer(self)); whole = first(whole, scalar(self)); "
      "whole = first(whole, scalar(self)); first(whole, target, result1)"}},
    {"aten.poisson_nll_loss.default",
     "input target",
     "loss = log_input ? exp(input) - target * input : input - target * log(input + 0.00000001); "
     "reduce(loss)",
     {NULL}},
    {"aten.soft_margin_loss.default",
     "self target",
     "output = like(self); "
     "reduced = given(reduction, 1) == 1 ? mean(output) : given(reduction, 1) == 2 ? sum(output); "
     "reduced ? shrunk(output) : output",
     {"z = exp(-target * self); scaled(scaled(first(like(self), z)))"}},
    {"aten.triplet_margin_loss.default",
     "anchor positive negative",
     "pos = pairwise_distance(anchor, positive); neg = pairwise_distance(anchor, negative); "
     "swapped = given(swap, 0) ? pairwise_distance(positive, negative); "
     "neg = swapped ? minimum(neg, swapped) : neg; output = clamp_min(given(margin, 1) + pos - neg, 0); "
     "reduce(output)",
     {NULL}},
};

const struct formula_table formulas_losses = FORMULA_TABLE(losses);
