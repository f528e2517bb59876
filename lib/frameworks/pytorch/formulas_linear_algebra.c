/* Factors, inverses and solutions of matrices as formulas. PyTorch: aten/src/ATen/native/BatchLinearAlgebra.cpp, torch/csrc/autograd/FunctionsManual.cpp. */
#include "frameworks/pytorch/formula.h"

static const struct formula_rule linear_algebra[] = {
    {"aten._weight_norm.default",
     "v g",
     "whole = output(); norms = rows_of_threads(like(g), 0); whole, norms",
     {"first(input(0), v, g, result1), rows_of_threads(input(1), 1)", ""}},
    {"aten.cholesky.default",
     "self",
     "factor = output(); codes = codes(self); failed = truth(self); factor = first(factor, flags(self)); factor",
     {"factor_gradient(grad, result)"}},
    {"aten.factor_gradient.default",
     "grad factor",
     "phi = like(like(grad)); phi = like(like(phi)) * 0.5; phi = like(phi); like(phi)",
     {NULL}},
    {"aten.inverse.default", "self", "linalg_inv(self)", {NULL}},
    {"aten.inverse_by_factors.default",
     "self",
     "factors = row_major(self); places = pivots(self); places = pivot_bound(places); places = pivot_bound(places); "
     "self",
     {NULL}},
    {"aten.linalg_cholesky.default",
     "self",
     "factor = output(); codes = codes(self); failed = truth(self); factor = first(factor, flags(self)); factor",
     {"factor_gradient(grad, result)"}},
    {"aten.linalg_cholesky_ex.default",
     "self",
     "factor = output(0); code = output(1); factor, code",
     {"factor_gradient(grad, result)"}},
    {"aten.linalg_inv.default",
     "self",
     "result = output(); code = codes(self); whole = inverse_by_factors(self); failed = truth(self); "
     "flag = flags(self); result",
     {"-first(like(like(grad)), result)"}},
    {"aten.linalg_inv_ex.default",
     "A",
     "result = output(0); code = output(1); whole = inverse_by_factors(A); result, code",
     {"-first(like(like(grad)), result)"}},
    {"aten.linalg_solve.default",
     "A B",
     "result = output(); factors = row_major(A); places = pivots(A); code = codes(A); "
     "places = solved(places, B, rank(B) < rank(A)); failed = truth(A); flag = flags(A); result, factors, places",
     {"share = first(like(grad), pivot_bound(pivot_bound(result2))); -first(input(0), A, result, result1), share", ""}},
    {"aten.linalg_solve_triangular.default",
     "self B",
     "output()",
     {"share = like(grad); whole = wanted(0) ? -first(input(0), self, result); whole = whole ? like(whole); "
      "whole, share",
      ""}},
    {"aten.pivot_bound.default", "pivots", "bound = pivots < 1; first(pivots, truth(pivots))", {NULL}},
    {"aten.solved.default",
     "pivots B vector",
     "copy = vector ? like(B); pivots = pivot_bound(pivots); pivots = pivot_bound(pivots); pivots",
     {NULL}},
    {"aten.t_copy.default", "self", "output()", {"part(grad)"}},
};

const struct formula_table formulas_linear_algebra = FORMULA_TABLE(linear_algebra);
