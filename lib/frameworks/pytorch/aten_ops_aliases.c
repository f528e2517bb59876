/* Second names of operators, which do as the first: PyTorch's torch.multiply is torch.mul. */
#include "frameworks/pytorch/aten_ops.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

struct alias {
    const char *name, *of;
};

/* Sorted. */
static const struct alias aliases[] = {
    {"absolute", "abs"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"clip", "clamp"},
    {"divide", "div"},
    {"fix", "trunc"},
    {"ger", "outer"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"moveaxis", "movedim"},
    {"multiply", "mul"},
    {"negative", "neg"},
    {"not_equal", "ne"},
    {"row_stack", "vstack"},
    {"special_digamma", "digamma"},
    {"special_erf", "erf"},
    {"special_erfc", "erfc"},
    {"special_exp2", "exp2"},
    {"special_expit", "sigmoid"},
    {"special_expm1", "expm1"},
    {"special_gammaln", "lgamma"},
    {"special_i0", "i0"},
    {"special_log1p", "log1p"},
    {"special_log_softmax", "log_softmax"},
    {"special_logit", "logit"},
    {"special_logsumexp", "logsumexp"},
    {"special_polygamma", "polygamma"},
    {"special_psi", "digamma"},
    {"special_round", "round"},
    {"special_sinc", "sinc"},
    {"special_softmax", "softmax"},
    {"special_xlogy", "xlogy"},
    {"subtract", "sub"},
    {"true_divide", "div"},
};

bool
aten_op_alias(const char *operation, char *name, size_t max)
{
    static const char prefix[] = "aten.";
    const char *from = operation + strlen(prefix);
    const struct alias *alias;
    size_t length;
    bool in_place;

    if (strncmp(operation, prefix, strlen(prefix)) != 0)
        return false;
    length = strcspn(from, ".");
    in_place = length > 0 && from[length - 1] == '_';
    length -= in_place;
    if (length >= max)
        return false;
    memcpy(name, from, length);
    name[length] = 0;
    alias = text_find(name, aliases, sizeof aliases / sizeof aliases[0], sizeof aliases[0]);
    if (!alias)
        return false;
    length = (size_t)snprintf(name, max, "%s%s%s", prefix, alias->of, from + length);
    return length < max;
}
