/* Views and rearranged copies as formulas. PyTorch: aten/src/ATen/native/TensorShape.cpp, TensorTransformations.cpp. */
#include "frameworks/pytorch/formula.h"

static const struct formula_rule views[] = {
    {"aten._unsafe_view.default", "self", "view(self)", {NULL}},
    {"aten.alias.default", "self", "view(self)", {NULL}},
    {"aten.flatten.using_ints", "self", "rank(self) == result_rank() ? self : view(self)", {NULL}},
    {"aten.flip.default", "self", "like(self)", {"like(grad)"}},
    {"aten.fliplr.default", "self", "like(self)", {"like(grad)"}},
    {"aten.flipud.default", "self", "like(self)", {"like(grad)"}},
    {"aten.mH.default", "self", "rank(self) < 2 ? view(self) : transpose(self)", {NULL}},
    {"aten.mT.default", "self", "rank(self) < 2 ? view(self) : transpose(self)", {NULL}},
    {"aten.matrix_H.default", "self", "rank(self) < 2 ? view(self) : transpose(self)", {NULL}},
    {"aten.numpy_T.default", "self", "rank(self) < 2 ? view(self) : transpose(self)", {NULL}},
    {"aten.ravel.default", "self", "view(self)", {NULL}},
    {"aten.repeat_interleave.self_int", "self", "output()", {"input()"}},
    {"aten.reshape.default", "self", "view(self)", {NULL}},
    {"aten.reshape_as.default", "self", "view(self)", {NULL}},
    {"aten.rot90.default", "self", "output()", {"input()"}},
    {"aten.squeeze.default", "self", "view(self)", {NULL}},
    {"aten.squeeze.dim", "self", "view(self)", {NULL}},
    {"aten.squeeze.dims", "self", "view(self)", {NULL}},
    {"aten.swapaxes.default", "self", "transpose(self, dim0, dim1)", {NULL}},
    {"aten.t.default", "self", "rank(self) < 2 ? view(self) : transpose(self)", {NULL}},
    {"aten.transpose.int", "self", "transpose(self, dim0, dim1)", {NULL}},
    {"aten.tril.default", "self", "output()", {"like(grad)"}},
    {"aten.triu.default", "self", "output()", {"like(grad)"}},
    {"aten.unflatten.int", "self", "view(self)", {NULL}},
    {"aten.unsqueeze.default", "self", "view(self)", {NULL}},
    {"aten.view.default", "self", "view(self)", {NULL}},
    {"aten.view_as.default", "self", "view(self)", {NULL}},
};

const struct formula_table formulas_views = FORMULA_TABLE(views);
