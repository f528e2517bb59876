/*
 * Reading and writing by index as formulas. PyTorch: aten/src/ATen/native/TensorAdvancedIndexing.cpp,
 * GridSampler.cpp; torch/csrc/autograd/FunctionsManual.cpp, scatter_reduce_backward, masked_scatter_backward.
 */
#include "frameworks/pytorch/formula.h"

static const struct formula_rule indexing[] = {
    {"aten.gather.default", "self index", "scattered(sized(self, index))", {"scattered(first(input(), index, self))"}},
    {"aten.grid_sampler.default", "input grid", "output()", {"first(input(0), input, grid), input(1)", ""}},
    {"aten.index_copy.default",
     "self index source",
     "target(self)",
     {"first(like(grad), index)", NULL, "first(input(), index, source)"}},
    {"aten.index_fill.int_Scalar", "self index", "target(self)", {"first(like(grad), index)"}},
    {"aten.masked_scatter.default",
     "self mask source",
     "like(self)",
     {"first(like(grad), mask)", NULL,
      "count = first(integer(grad), integers(grad)); count = none; chosen = input(); "
      "places = first(integers(grad), integers(grad), mask); chosen"}},
    {"aten.one_hot.default",
     "self",
     "least = integer(self); most = integer(self); least = none; most = none; output()",
     {NULL}},
    {"aten.reduce_extreme.default",
     "self index src",
     "target(self)",
     {"extreme = gather(result, index); self_ones = cast(self == result, self); "
      "src_ones = cast(src == extreme, src); count = scatter_add(self_ones, index, src_ones); share = grad / count; "
      "of_self = (self == result) * share; shares = gather(share, index); of_src = (src == extreme) * shares; "
      "shares = none; share = none; count = none; src_ones = none; self_ones = none; extreme = none; "
      "of_self = given(include_self, 1) ? of_self : like(of_self); of_self, index, of_src",
      "", ""}},
    {"aten.reduce_mean.default",
     "self index src",
     "along_first = (dim == 0) + (dim == -rank(self)); wide = elements(index) > 15 * size(index, 0); "
     "same_rows = elements(src) * size(index, 0) == elements(index) * size(src, 0); "
     "counts_aside = on_cpu() * along_first * wide * same_rows * is_expanded(index) * is_float(self) * "
     "is_contiguous(src) * is_contiguous(self); whole = target(self); ones = counts_aside ? none : like(src); "
     "count = counts_aside ? none : like(self); zero = count == 0; whole",
     {"count = scatter_add(like(grad), index, like(src)); count = masked(count, count == 0); "
      "of_self = grad / count; of_src = gather(grad, index) / gather(count, index); count = none; "
      "of_self = given(include_self, 1) ? of_self : like(of_self); first(of_self, self, result), index, of_src",
      "", ""}},
    {"aten.reduce_product.default",
     "self index src",
     "target(self)",
     {"masked_self = masked_fill(self, self == 0); masked_result = like(masked_self); "
      "of_self = grad * masked_result / masked_self; src_zero = src == 0; "
      "zeros = gather(scatter_add(like(self), index, cast(src_zero, self)), index); "
      "single = src_zero & (zeros == 1); masked_src = masked_fill(src, single); src_result = like(self); "
      "of_src = where(single, gather(grad * src_result, index), gather(grad * result, index) / masked_fill(src, "
      "src_zero)); src_result = none; masked_src = none; single = none; zeros = none; src_zero = none; "
      "masked_result = none; masked_self = none; of_self = given(include_self, 1) ? of_self : like(of_self); "
      "of_self, index, of_src",
      "", ""}},
    {"aten.reduce_sum.default",
     "self index src",
     "target(self)",
     {"of_self = first(grad, self, src, result); of_src = gather(grad, index); "
      "of_self = given(include_self, 1) ? of_self : like(of_self); of_self, index, of_src",
      "", ""}},
    {"aten.scatter.src",
     "self index src",
     "scattered(target(self))",
     {"scattered(first(like(grad), index))", NULL, "scattered(first(input(), index))"}},
    {"aten.scatter.value", "self index", "scattered(target(self))", {"scattered(first(like(grad), index))"}},
    {"aten.scatter_add.default",
     "self index src",
     "scattered(target(self))",
     {"grad", NULL, "scattered(first(input(), index))"}},
    {"aten.scatter_reduce.two",
     "self index src",
     "is(reduce, sum) ? reduce_sum(self, index, src) : is(reduce, mean) ? reduce_mean(self, index, src) : "
     "is(reduce, prod) ? reduce_product(self, index, src) : is(reduce, amax) ? reduce_extreme(self, index, src) : "
     "is(reduce, amin) ? reduce_extreme(self, index, src)",
     {NULL}},
    {"aten.scatter_reduce_.two",
     "self index src",
     "is(reduce, sum) ? reduce_sum_(self, index, src) : is(reduce, mean) ? reduce_mean_(self, index, src) : "
     "is(reduce, prod) ? reduce_product_(self, index, src) : is(reduce, amax) ? reduce_extreme_(self, index, src) : "
     "is(reduce, amin) ? reduce_extreme_(self, index, src)",
     {NULL}},
    {"aten.take_along_dim.default",
     "self indices",
     "places = then(integer(self), like(indices)); gather(self, places)",
     {NULL}},
};

const struct formula_table formulas_indexing = FORMULA_TABLE(indexing);
