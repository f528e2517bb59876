/* Sizes: between dimensions of the network and elements that are computed with, and names of the file. */
#include "import/onnx_import.h"

#include "base/checked.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- elements ---- */

expression
import_expression(struct import *import, expression e)
{
    if (e >= 0)
        return e;
    import_failed(import, e);
    return expression_integer(import->pool, 0);
}

expression
element_of_dim(struct import *import, memmodel_dim dim)
{
    if (dim >= 0)
        return import_expression(import, expression_integer(import->pool, dim));
    return import_expression(
        import, expression_copy_assuming(import->network->pool, expression_of_dim(dim), import->pool, NULL, NULL, 0));
}

bool
element_integer(const struct import *import, expression element, int64_t *integer)
{
    return element >= 0 && expression_is_integer(import->pool, element, integer);
}

memmodel_dim
dim_of_element(struct import *import, expression element)
{
    int64_t integer;
    expression own;

    if (!element_integer(import, element, &integer)) {
        if (element_compare(import, element, expression_integer(import->pool, 0)) == -1) {
            import_error(import, MEMMODEL_ERROR_SHAPE, "a dimension would be negative whatever the symbols are");
            return 0;
        }
        own = expression_copy_assuming(import->pool, element, import->network->pool, NULL, NULL, 0);
        return own >= 0 ? dim_of_expression(own) : (import_failed(import, own), 0);
    }
    if (integer >= 0)
        return integer;
    import_error(import, MEMMODEL_ERROR_SHAPE, "a dimension would be %lld", (long long)integer);
    return 0;
}

int
element_compare(struct import *import, expression a, expression b)
{
    enum { MAX_SYMBOLS = 64 };
    double lower[MAX_SYMBOLS], upper[MAX_SYMBOLS], min, max;
    expression difference = expression_subtract(import->pool, a, b);
    size_t symbols = expression_symbol_count(import->pool);
    int status;

    if (difference == MEMMODEL_ERROR_OVERFLOW || symbols > MAX_SYMBOLS)
        return 2;
    for (size_t i = 0; i < symbols; i++) {
        lower[i] = 1;
        upper[i] = INFINITY;
    }
    status = expression_bound(import->pool, difference, lower, upper, &min, &max);
    if (status) {
        import_failed(import, status);
        return 2;
    }
    if (min == 0 && max == 0)
        return 0;
    return min > 0 ? 1 : max < 0 ? -1 : 2;
}

/* ---- dimensions ---- */

memmodel_dim
import_product(struct import *import, const memmodel_dim *dims, int count)
{
    expression product = element_of_dim(import, 1);

    for (int i = 0; i < count; i++)
        product =
            import_expression(import, expression_multiply(import->pool, product, element_of_dim(import, dims[i])));
    return dim_of_element(import, product);
}

memmodel_dim
import_linear(struct import *import, memmodel_dim a, int64_t b, memmodel_dim c)
{
    struct expression_pool *pool = import->pool;
    expression product = expression_multiply(pool, expression_integer(pool, b), element_of_dim(import, c));

    return dim_of_element(import, import_expression(import, expression_add(pool, element_of_dim(import, a), product)));
}

static memmodel_dim
broadcast_dim(struct import *import, memmodel_dim a, memmodel_dim b)
{
    if (a == b || b == 1)
        return a;
    if (a == 1)
        return b;
    if (a >= 0 && b >= 0)
        import_error(import, MEMMODEL_ERROR_SHAPE, "dimensions of %lld and %lld do not broadcast", (long long)a,
                     (long long)b);
    return a >= 0 ? a : b >= 0 ? b : a;
}

void
import_broadcast(struct import *import, struct memmodel_shape *shape, const struct memmodel_shape *other)
{
    struct memmodel_shape y = *shape;

    y.rank = shape->rank > other->rank ? shape->rank : other->rank;
    for (int i = 1; i <= y.rank; i++) {
        memmodel_dim a = i <= shape->rank ? shape->dims[shape->rank - i] : 1;
        memmodel_dim b = i <= other->rank ? other->dims[other->rank - i] : 1;

        y.dims[y.rank - i] = broadcast_dim(import, a, b);
    }
    *shape = y;
}

/* ---- names of the file ---- */

static bool
may_follow(char c)
{
    return is_letter(c) || is_digit(c) || c == '.';
}

static bool
is_symbol(const char *name)
{
    bool good = is_letter(name[0]);

    for (const char *at = name; *at; at++)
        good = good && may_follow(*at);
    return good;
}

/* Only what could be arithmetic is tried as such: "2*s0 + 1", "floor(height/2)". */
static bool
is_arithmetic(const char *name)
{
    size_t length = strlen(name);

    return length < 256 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-*/(), ") == length &&
           strpbrk(name, "+-*/(");
}

static memmodel_dim
symbol_dim(struct import *import, const char *name)
{
    enum { LONGEST = 200 };
    char own[LONGEST + 3] = "d_";
    size_t start = is_letter(name[0]) ? 0 : 2, length = strlen(name);
    memmodel_dim dim;

    if (length > LONGEST)
        length = LONGEST;
    for (size_t i = 0; i < length; i++)
        own[start + i] = may_follow(name[i]) ? name[i] : '_';
    own[start + length] = '\0';
    dim = memmodel_network_symbol(import->network, own);
    if (dim == 0)
        import_failed(import, memmodel_context_error(import->context)->status);
    return dim;
}

/* Dimension of a name in the file: a symbol, or an expression of symbols. */
static memmodel_dim
import_named_dim(struct import *import, const char *name)
{
    expression e;
    int64_t integer;

    if (is_symbol(name) || !is_arithmetic(name))
        return symbol_dim(import, name);
    e = expression_parse(import->pool, import->label, name);
    if (status_ends_call(e))
        return import_failed(import, e), 0;
    if (e < 0 || (element_integer(import, e, &integer) && integer < 0))
        return symbol_dim(import, name);
    return dim_of_element(import, e);
}

static memmodel_dim
unnamed_dim(struct import *import, const char *tensor, size_t axis)
{
    char name[160];

    snprintf(name, sizeof name, "%.120s_%zu", tensor, axis);
    return symbol_dim(import, name);
}

bool
import_shape(struct import *import, const struct onnx_value_info *info, struct memmodel_shape *shape)
{
    if (!info || !info->has_shape || info->onnx_type == 0)
        return false;
    *shape = (struct memmodel_shape){.rank = (int32_t)info->dims.count, .dtype = onnx_dtype(info->onnx_type)};
    if (shape->dtype == 0)
        import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "\"%s\" is of type %s, which has no counterpart", info->name,
                     onnx_type_name(info->onnx_type));
    for (size_t i = 0; i < info->dims.count; i++) {
        const struct onnx_dim *dim = ONNX_ITEM(info->dims, struct onnx_dim, i);

        if (dim->value >= 0)
            shape->dims[i] = dim->value;
        else
            shape->dims[i] =
                dim->name && dim->name[0] ? import_named_dim(import, dim->name) : unnamed_dim(import, info->name, i);
    }
    return true;
}

static const struct onnx_value_info *
find_info(const struct onnx_list *infos, const char *name)
{
    for (size_t i = 0; i < infos->count; i++)
        if (strcmp(ONNX_ITEM(*infos, struct onnx_value_info, i)->name, name) == 0)
            return ONNX_ITEM(*infos, struct onnx_value_info, i);
    return NULL;
}

const struct onnx_value_info *
import_value_info(const struct import *import, const char *name)
{
    const struct onnx_value_info *info = find_info(&import->model->value_infos, name);

    return info ? info : find_info(&import->model->outputs, name);
}
