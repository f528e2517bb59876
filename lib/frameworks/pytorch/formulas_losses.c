/* Losses as formulas. PyTorch: aten/src/ATen/native/Loss.cpp, LossMultiMargin.cpp, LossMultiLabelMargin.cpp, Distance.cpp. */
#include "frameworks/pytorch/formula.h"

static const struct formula_rule losses[] = {
    {"aten.binary_cross_entropy.default",
     "self target weight? reduction?",
     "in_its_memory(like(self), reduction)",
     {"whole = first(like(self), target, weight); given(reduction, 1) == 1 ? scaled(whole) : whole"}},
    {"aten.binary_cross_entropy_with_logits.default",
     "self target weight? pos_weight? reduction?",
     "log_sigmoid = log_sigmoid(self); positive = pos_weight ? add_((pos_weight - 1) * target, 1); positive = none; "
     "reduce(like(self), reduction)",
     {"t = pos_weight ? pos_weight * target; whole = pos_weight ? t + 1 : like(self); "
      "sigmoid = pos_weight ? sigmoid(self); sigmoid = none; t = none; whole = first(whole, target, weight); "
      "given(reduction, 1) == 1 ? scaled(whole) : whole"}},
    {"aten.cosine_embedding_loss.default",
     "input1 input2 target",
     "prod = sum(input1 * input2, -1); mag1 = sum(input1 * input1, -1) + 0.1; "
     "mag2 = sum(input2 * input2, -1) + 0.1; denom = sqrt_(mag1 * mag2); ratio = prod / denom; zeros = like(ratio); "
     "pos = 1 - ratio; neg = clamp_min_(ratio - given(margin, 0.0), 0); "
     "output_pos = where(target == 1, pos, zeros); output_neg = where(target == -1, neg, zeros); "
     "output = output_pos + output_neg; reduce(output, reduction)",
     {NULL}},
    {"aten.cross_entropy_loss.default",
     "self target weight? reduction?",
     "smoothing = given(label_smoothing, 0); shares = is_float(target); "
     "shares ? smoothing ? none : of_shares(self, target, reduction) : smoothing ? of_smoothed(self, target, "
     "weight, reduction) : nll_loss(as_wide(log_softmax(self)), target, weight, reduction)",
     {NULL}},
    {"aten.dice_loss.default",
     "self target",
     "overlap = sum(self * target); overlap = overlap * tensor(2); total = sum(self) + sum(target); "
     "share = overlap / total; overlap = none; total = none; rsub(share, 1.0)",
     {NULL}},
    {"aten.hinge_embedding_loss.default",
     "self target",
     "zeros = like(self); margin_diff = given(margin, 1) - self; margin_clamp = clamp_min_(margin_diff, 0); "
     "output_margin = where(target != 1, margin_clamp, zeros); output_self = where(target != -1, self, zeros); "
     "output = output_margin + output_self; reduce(output, reduction)",
     {NULL}},
    {"aten.huber_loss.default",
     "self target reduction?",
     "reduce(like(self), reduction)",
     {"first(row_major(self), target)", "first(row_major(self), target)"}},
    {"aten.in_its_memory.default",
     "loss reduction?",
     "reduced = given(reduction, 1) == 1 ? mean(loss) : given(reduction, 1) == 2 ? sum(loss); "
     "reduced ? shrunk(loss) : loss",
     {NULL}},
    {"aten.kl_div.default",
     "self target reduction?",
     "loss = log_target ? exp(target) * (target - self) : like(target) - self * target; reduce(loss, reduction)",
     {NULL}},
    {"aten.l1_loss.default", "self target reduction?", "loss = abs(self - target); reduce(loss, reduction)", {NULL}},
    {"aten.margin_ranking_loss.default",
     "input1 input2 target",
     "output = -target * (input1 - input2) + given(margin, 0); reduce(clamp_min_(output, 0), reduction)",
     {NULL}},
    {"aten.mean_by_weight.default",
     "terms mask weight",
     "unmasked = like(mask); count = integer(mask); places = vector_of_integers(elements(mask)); places = none; "
     "count = none; chosen = vector_of_integers(elements(mask)); gathered = vector(weight, elements(mask)); "
     "divisor = scalar(weight); sum(terms) / divisor",
     {NULL}},
    {"aten.mean_of_unmasked.default",
     "terms mask",
     "unmasked = like(mask); count = sum(unmasked); sum(terms) / count",
     {NULL}},
    {"aten.mse_loss.default",
     "self target reduction?",
     "loss = like(self, target); differences = given(reduction, 1) == 0 ? none : row_major(loss); "
     "reduce_(loss, reduction)",
     {"first(row_major(self), target)", "first(row_major(self), target)"}},
    {"aten.multi_margin_loss.default", "self target weight?", "output()", {"first(row_major(self), target, weight)"}},
    {"aten.multilabel_margin_loss.default",
     "self target",
     "loss = output(0); is_target = row_major(self); loss = first(loss, integer(self)); "
     "loss = first(loss, integer(self)); loss, is_target",
     {"whole = row_major(self); whole = first(whole, integer(self)); whole = first(whole, integer(self)); "
      "whole = first(whole, scalar(self)); whole = first(whole, scalar(self)); first(whole, target, result1)"}},
    {"aten.nll_loss.default",
     "self target weight? reduction?",
     "total = rank(self) > 2 ? scalar(self); loss = given(reduction, 1) == 0 ? sized(self, target) : scalar(self); "
     "total = total ? total : scalar(self); loss, total",
     {"first(like(self), target, weight, result1)"}},
    {"aten.nll_loss2d.default", "self target weight?", "nll_loss(self, target, weight, reduction)", {NULL}},
    {"aten.nll_loss_nd.default", "self target weight?", "nll_loss(self, target, weight, reduction)", {NULL}},
    {"aten.of_shares.default",
     "self target reduction?",
     "product = log_softmax(self) * target; total = given(reduction, 1) == 0 ? sum(product, 1) : sum(product); "
     "negative = -total; given(reduction, 1) == 1 ? negative * 1.0 : negative",
     {NULL}},
    {"aten.of_smoothed.default",
     "self target weight? reduction?",
     "logs = log_softmax(self); nll = nll_loss(as_wide(logs), target, weight, reduction); "
     "terms = -sum(weight ? logs * channelwise(weight, logs) : logs, 1); mask = target == 0; "
     "terms = masked_fill_(terms, mask); logs = none; smooth = given(reduction, 1) == 1 ? weight ? "
     "mean_by_weight(terms, mask, weight) : mean_of_unmasked(terms, mask) : reduce(terms, reduction); "
     "nll * 0.9 + smooth * 0.1",
     {NULL}},
    {"aten.poisson_nll_loss.default",
     "input target",
     "loss = log_input ? exp(input) - target * input : input - target * log(input + 0.00000001); "
     "reduce(loss, reduction)",
     {NULL}},
    {"aten.smooth_l1_loss.default", "self target reduction?", "mse_loss(self, target, reduction)", {NULL}},
    {"aten.soft_margin_loss.default",
     "self target reduction?",
     "in_its_memory(like(self), reduction)",
     {"z = exp(-target * self); scaled(scaled(first(like(self), z)))"}},
    {"aten.triplet_margin_loss.default",
     "anchor positive negative",
     "pos = pairwise_distance(anchor, positive); neg = pairwise_distance(anchor, negative); "
     "swapped = given(swap, 0) ? pairwise_distance(positive, negative); "
     "neg = swapped ? minimum(neg, swapped) : neg; output = clamp_min(given(margin, 1) + pos - neg, 0); "
     "reduce(output, reduction)",
     {NULL}},
};

const struct formula_table formulas_losses = FORMULA_TABLE(losses);
