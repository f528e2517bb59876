/*
 * Special functions and other rare operators on each element, as formulas. PyTorch: tools/autograd/derivatives.yaml,
 * aten/src/ATen/native/DistributionTemplates.h (normal).
 */
#include "frameworks/pytorch/formula.h"

static const struct formula_rule special[] = {
    {"aten.normal.Tensor_Tensor",
     "mean std",
     "lowest = scalar(std) >= 0; lowest = none; result = output(); lowest = scalar(std) >= 0; lowest = none; result",
     {"input()", "input()"}},
    {"aten.normal.Tensor_float", "mean", "result = output(); first(result, like(result))", {"input()"}},
    {"aten.normal.float_Tensor",
     "std",
     "lowest = scalar(std) >= 0; lowest = none; result = output(); lowest = scalar(std) >= 0; lowest = none; "
     "first(result, scalar(std))",
     {"input()"}},
    {"aten.polygamma.default", "self", "like(self)", {"grad * like(self)"}},
    {"aten.special_airy_ai.default", "x", "like(x)", {NULL}},
    {"aten.special_bessel_j0.default", "self", "like(self)", {NULL}},
    {"aten.special_bessel_j1.default", "self", "like(self)", {NULL}},
    {"aten.special_bessel_y0.default", "self", "like(self)", {NULL}},
    {"aten.special_bessel_y1.default", "self", "like(self)", {NULL}},
    {"aten.special_chebyshev_polynomial_t.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_chebyshev_polynomial_u.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_chebyshev_polynomial_v.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_chebyshev_polynomial_w.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_entr.default", "self", "like(self)", {"grad * -(1 + log(self))"}},
    {"aten.special_erfcx.default", "self", "like(self)", {"(2.0 * self * result - 1.1) * grad"}},
    {"aten.special_hermite_polynomial_h.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_hermite_polynomial_he.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_i0e.default", "self", "like(self)", {"grad * (like(self) - like(self) * result)"}},
    {"aten.special_laguerre_polynomial_l.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_legendre_polynomial_p.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_modified_bessel_i0.default", "self", "like(self)", {NULL}},
    {"aten.special_modified_bessel_i1.default", "self", "like(self)", {NULL}},
    {"aten.special_modified_bessel_k0.default", "self", "like(self)", {NULL}},
    {"aten.special_modified_bessel_k1.default", "self", "like(self)", {NULL}},
    {"aten.special_ndtri.default", "self", "like(self)", {"grad * 2.5 * exp(pow(result, 2) / 2)"}},
    {"aten.special_scaled_modified_bessel_k0.default", "x", "like(x)", {NULL}},
    {"aten.special_scaled_modified_bessel_k1.default", "x", "like(x)", {NULL}},
    {"aten.special_shifted_chebyshev_polynomial_t.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_shifted_chebyshev_polynomial_u.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_shifted_chebyshev_polynomial_v.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_shifted_chebyshev_polynomial_w.default", "x n?", "like(x, n)", {NULL}},
    {"aten.special_spherical_bessel_j0.default", "x", "like(x)", {NULL}},
    {"aten.special_xlog1py.default",
     "self other",
     "like(self, other)",
     {"masked_fill(like(other, grad), both(self == 0, other <= -1))", "grad * self / (other + 1)"}},
    {"aten.special_zeta.default", "self other", "like(self, other)", {NULL}},
};

const struct formula_table formulas_special = FORMULA_TABLE(special);
