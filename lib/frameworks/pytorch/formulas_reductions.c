/* Reductions, norms and choices as formulas. PyTorch: tools/autograd/derivatives.yaml, torch/csrc/autograd/FunctionsManual.cpp (norm_backward, var_backward, std_backward, evenly_distribute_backward, scale_grad_by_count). */
#include "frameworks/pytorch/formula.h"

static const struct formula_rule reductions[] = {
    {"aten._cdist_forward.default",
     "x1 x2",
     "output()",
     {"first(input(), x1, x2, result)", "then(like(grad), then(like(result), first(input(), x1, x2)))"}},
    {"aten._euclidean_dist.default",
     "x1 x2",
     "norm1 = sum(pow(x1, 2), -1, 1); pad1 = like(norm1); norm2 = sum(pow(x2, 2), -1, 1); "
     "pad2 = like(norm2); left = then(x1 * -2, widened(x1, 2)); norm1 = none; pad1 = none; "
     "right = widened(x2, 2); norm2 = none; pad2 = none; matmul(left, transpose(right))",
     {"ratio = grad / result; ratio = masked(ratio, result == 0); "
      "x1 * sum(ratio, -1, 1) - matmul(ratio, x2), x2 * unsqueeze(sum(ratio, -2, 0), -1) - "
      "matmul(transpose(ratio), x1)",
      ""}},
    {"aten.all.default", "self", "result = output(); is_boolean(self) ? result : first(result, bools(self))", {NULL}},
    {"aten.all.dim", "self", "result = output(); is_boolean(self) ? result : first(result, bools(self))", {NULL}},
    {"aten.aminmax.default",
     "self",
     "least = output(0); most = output(1); least, most",
     {"first = among(grad, self, unreduced(result, self, dim, keepdim), dim, keepdim); "
      "second = among(grad1, self, unreduced(result1, self, dim, keepdim), dim, keepdim); "
      "first ? second ? add_(first, second) : first : second"}},
    {"aten.among.default",
     "grad self result dim keepdim",
     "mask = self == result; unreduced(grad, self, dim, keepdim) / sum(mask, dim, 1) * mask",
     {NULL}},
    {"aten.any.default", "self", "result = output(); is_boolean(self) ? result : first(result, bools(self))", {NULL}},
    {"aten.any.dim", "self", "result = output(); is_boolean(self) ? result : first(result, bools(self))", {NULL}},
    {"aten.argsort.default",
     "self",
     "values = like(self); indices = output(); "
     "places = vector_of_integers(size(self, given(dim, -1))); indices",
     {NULL}},
    {"aten.argsort.stable",
     "self",
     "values = like(self); indices = output(); "
     "places = vector_of_integers(size(self, given(dim, -1))); indices",
     {NULL}},
    {"aten.cdist.default",
     "x1 x2",
     "given(compute_mode, 0) == 2 ? _cdist_forward(x1, x2) : given(p, 2) != 2 ? _cdist_forward(x1, x2) "
     ": given(compute_mode, 0) == 1 ? _euclidean_dist(x1, x2) : size(x1, -2) > 25 ? _euclidean_dist(x1, "
     "x2) : size(x2, -2) > 25 ? _euclidean_dist(x1, x2) : _cdist_forward(x1, x2)",
     {NULL}},
    {"aten.cosine_similarity.default",
     "x1 x2",
     "x1 = expand(x1, x2); x2 = expand(x2, x1); norm1 = clone(norm(x1, 2, given(dim, 1), 1)); "
     "norm2 = clone(norm(x2, 2, given(dim, 1), 1)); eps_t = scalar(x1); "
     "sum((x1 / norm1) * (x2 / norm2), given(dim, 1), 0)",
     {NULL}},
    {"aten.count_nonzero.default", "self", "given(dim, 99) == 99 ? output() : sum(self != 0, dim)", {NULL}},
    {"aten.count_nonzero.dim_IntList", "self", "sum(self != 0, dim)", {NULL}},
    {"aten.cummax.default",
     "self",
     "values = output(0); indices = output(1); values, indices",
     {"scattered(first(input(), self, result1))"}},
    {"aten.cummin.default",
     "self",
     "values = output(0); indices = output(1); values, indices",
     {"scattered(first(input(), self, result1))"}},
    {"aten.cumprod.default",
     "self",
     "like(self)",
     {"elements(self) < 2 ? grad; w = grad * result; mask = self == 0; "
      "mask = first(mask, truth(self)); reversed = like(like(like(w))); reversed / self"}},
    {"aten.diff.default",
     "self prepend? append?",
     "prepend ? none : append ? none : given(n, 1) == 1 ? cut(self, given(dim, -1)) - cut(self, "
     "given(dim, -1))",
     {NULL}},
    {"aten.dist.default",
     "self other",
     "norm(self - other, given(p, 2))",
     {"norm_gradient(grad, self - other, result, given(p, 2))",
      "-norm_gradient(grad, self - other, result, given(p, 2))"}},
    {"aten.evenly.default",
     "grad self result",
     "mask = then(truth(self), bools(self)); whole = like(self); "
     "count = first(integer(self), integers(self)); masked(whole, grad / count)",
     {NULL}},
    {"aten.histc.default",
     "self",
     "edges = output(0, 1); bins = output(); first(bins, rows_of_threads(unsqueeze(bins, 0)))",
     {NULL}},
    {"aten.kthvalue.default",
     "self",
     "values = output(0); indices = output(1); aside = rank(self) > 0 ? like(self); "
     "places = rank(self) > 0 ? integers(self); values, indices",
     {"scattered(first(input(), result1))"}},
    {"aten.linalg_norm.default", "self", "norm(self, given(ord, 2), dim, keepdim)", {NULL}},
    {"aten.linalg_vector_norm.default", "self", "norm(self, given(ord, 2), dim, keepdim)", {NULL}},
    {"aten.median.default", "self", "copy = row_major(self); scalar(self)", {"evenly(grad, self, result)"}},
    {"aten.mode.default",
     "self",
     "values = output(0); indices = output(1); values, indices",
     {"scattered(first(input(), result1))"}},
    {"aten.msort.default",
     "self",
     "values = output(); indices = integers(self); "
     "indices = first(indices, vector_of_integers(size(self, 0))); values, indices",
     {"scattered(first(input(), result1))"}},
    {"aten.nanmedian.default", "self", "copy = row_major(self); scalar(self)", {"evenly(grad, self, result)"}},
    {"aten.nansum.default",
     "self",
     "output()",
     {"expand(unreduced(grad, self, dim, keepdim), self) * bools(bools(self))"}},
    {"aten.norm.Scalar", "self", "norm(self, given(p, 2))", {NULL}},
    {"aten.norm.ScalarOpt_dim", "self", "norm(self, given(p, 2), dim, keepdim)", {NULL}},
    {"aten.norm.default",
     "self p dim? keepdim?",
     "flat(self, dim, keepdim)",
     {"norm_gradient(grad, self, result, p, dim, keepdim)"}},
    {"aten.norm_gradient.default",
     "grad self norm p dim",
     "order = given(p, 2); infinite = order > 1000000 ? order : order < -1000000 ? order : none; "
     "grad = unreduced(grad, self, dim); norm = unreduced(norm, self, dim); "
     "size = infinite ? like(self); mask = infinite ? both(size == norm, bools(self)); "
     "power = infinite ? none : order == 2 ? none : order == 1 ? none : order == 0 ? none : order < 1 ? "
     "like(self) * masked(like(self), self == 0) : order < 2 ? like(self) * like(self) : self * "
     "like(self); "
     "share = infinite ? none : order == 2 ? none : order > 1 ? grad / pow(norm, 1); "
     "share = share ? masked(share, norm == 0); "
     "infinite ? like(self) * (grad / sum(mask, dim, 1) * mask) : order == 2 ? grad * masked(self / "
     "norm, norm == 0) : order == 1 ? like(self) * grad : order == 0 ? none : order < 1 ? power * grad "
     "* pow(norm, 1) : power * share",
     {NULL}},
    {"aten.of_deviation.default",
     "grad self result dim keepdim",
     "share = masked(grad / (result * 2), result == 0); of_variance(share, self, dim, keepdim)",
     {NULL}},
    {"aten.of_mean.default", "grad self dim keepdim", "expand(unreduced(grad, self, dim, keepdim), self) / 2", {NULL}},
    {"aten.of_variance.default",
     "grad self dim keepdim",
     "2 * unreduced(grad, self, dim, keepdim) * (self - mean(self, dim, 1))",
     {NULL}},
    {"aten.pairwise_distance.default",
     "x1 x2",
     "norm(x1 - x2 + given(eps, 0.000001), given(p, 2), -1, keepdim)",
     {NULL}},
    {"aten.prod.default", "self", "output()", {"grad = first(grad, self == 0); grad * (result / self)"}},
    {"aten.prod.dim_int",
     "self",
     "output()",
     {"mask = self == 0; count = sum(mask, dim, 1); mask = first(mask, integer(self)); "
      "unreduced(grad, self, dim, keepdim) * (unreduced(result, self, dim, keepdim) / self)"}},
    {"aten.std_mean.correction",
     "self",
     "std = output(0); average = output(1); std, average",
     {"spread = of_deviation(grad, self, result, dim, keepdim); "
      "average = of_mean(grad1, self, dim, keepdim); spread + average"}},
    {"aten.std_mean.default",
     "self",
     "std = output(0); average = output(1); std, average",
     {"spread = of_deviation(grad, self, result, dim, keepdim); "
      "average = of_mean(grad1, self, dim, keepdim); spread + average"}},
    {"aten.std_mean.dim",
     "self",
     "std = output(0); average = output(1); std, average",
     {"spread = of_deviation(grad, self, result, dim, keepdim); "
      "average = of_mean(grad1, self, dim, keepdim); spread + average"}},
    {"aten.var_mean.correction",
     "self",
     "var = output(0); average = output(1); var, average",
     {"spread = of_variance(grad, self, dim, keepdim); average = of_mean(grad1, self, dim, keepdim); "
      "spread + average"}},
    {"aten.var_mean.default",
     "self",
     "var = output(0); average = output(1); var, average",
     {"spread = of_variance(grad, self, dim, keepdim); average = of_mean(grad1, self, dim, keepdim); "
      "spread + average"}},
    {"aten.var_mean.dim",
     "self",
     "var = output(0); average = output(1); var, average",
     {"spread = of_variance(grad, self, dim, keepdim); average = of_mean(grad1, self, dim, keepdim); "
      "spread + average"}},
};

const struct formula_table formulas_reductions = FORMULA_TABLE(reductions);
