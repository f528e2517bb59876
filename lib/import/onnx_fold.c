/*
 * What exporters compute from shapes, computed here: nodes whose inputs are known become known elements, kept as
 * expressions of the symbols, and no layers. Floats are the fractions that they are.
 */
#include "import/onnx_import.h"

#include "base/checked.h"

#include <string.h>

/* A result while it is computed; elements NULL: not known after all. */
struct fold {
    struct import *import;
    struct memmodel_shape shape;
    expression *elements;
    size_t count;
};

/* ---- shapes of known values, which are constant ---- */

static size_t
count_of(const struct memmodel_shape *shape)
{
    int64_t count = 1;

    for (int i = 0; i < shape->rank; i++)
        if (shape->dims[i] < 0 || !checked_multiply(count, shape->dims[i], &count) || count > ONNX_MAX_NUMBERS)
            return SIZE_MAX;
    return (size_t)count;
}

/* Room for the elements of `shape`; false if they are too many. */
static bool
begin(struct fold *fold, const struct memmodel_shape *shape)
{
    fold->shape = *shape;
    fold->count = count_of(shape);
    if (fold->count == SIZE_MAX)
        return false;
    fold->elements = arena_allocate(fold->import->arena, (fold->count + 1) * sizeof *fold->elements);
    if (!fold->elements)
        import_failed(fold->import, MEMMODEL_ERROR_NO_MEMORY);
    return fold->elements;
}

/* The known value of input i; NULL if it is not known. */
static const struct value *
known(struct import *import, size_t i)
{
    const struct value *value = node_optional(import, i);

    return value && value->elements ? value : NULL;
}

/* The one element of input i as an integer. */
static bool
scalar(struct import *import, size_t i, int64_t *integer)
{
    const struct value *value = known(import, i);

    return value && value->count == 1 && element_integer(import, value->elements[0], integer);
}

static bool
copy_with_shape(struct fold *fold, const struct value *x, const struct memmodel_shape *shape)
{
    if (!begin(fold, shape) || fold->count != x->count)
        return false;
    memcpy(fold->elements, x->elements, x->count * sizeof *x->elements);
    return true;
}

/* ---- sources ---- */

static bool
fold_shape(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct value *x = node_value(import, 0);
    int64_t rank = x->shape.rank, start = node_integer(import, "start", 0), end = node_integer(import, "end", rank);

    (void)argument;
    start = max_i64(0, min_i64(rank, start < 0 ? start + rank : start));
    end = max_i64(start, min_i64(rank, end < 0 ? end + rank : end));
    if (!begin(fold, &(struct memmodel_shape){.dims = {end - start}, .rank = 1, .dtype = MEMMODEL_DTYPE_INT64}))
        return false;
    for (int64_t i = start; i < end; i++)
        fold->elements[i - start] = element_of_dim(import, x->shape.dims[i]);
    return true;
}

static bool
fold_size(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct value *x = node_value(import, 0);

    (void)argument;
    if (!begin(fold, &(struct memmodel_shape){.rank = 0, .dtype = MEMMODEL_DTYPE_INT64}))
        return false;
    fold->elements[0] = element_of_dim(import, import_product(import, x->shape.dims, x->shape.rank));
    return true;
}

/* The shape that the elements of a value are. */
static bool
shape_of_elements(struct import *import, const struct value *value, struct memmodel_shape *shape)
{
    if (!value || value->count > MEMMODEL_MAX_RANK)
        return false;
    shape->rank = (int32_t)value->count;
    for (int i = 0; i < shape->rank; i++)
        shape->dims[i] = dim_of_element(import, value->elements[i]);
    return true;
}

static bool
fold_constant_of_shape(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct onnx_attribute *attribute = node_attribute(import, "value");
    const struct onnx_tensor *tensor = attribute ? attribute->tensor : NULL;
    struct memmodel_shape shape = {.dtype = tensor ? tensor->shape.dtype : MEMMODEL_DTYPE_FLOAT32};
    expression fill = 0;

    (void)argument;
    if (!shape_of_elements(import, known(import, 0), &shape) || (tensor && (!tensor->numbers || tensor->count != 1)) ||
        !begin(fold, &shape))
        return false;
    fill = tensor ? expression_rational(import->pool, tensor->numbers[0].numerator, tensor->numbers[0].denominator)
                  : expression_integer(import->pool, 0);
    for (size_t i = 0; i < fold->count; i++)
        fold->elements[i] = import_expression(import, fill);
    return true;
}

static bool
fold_range(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    int64_t start, limit, delta, count;

    (void)argument;
    if (!scalar(import, 0, &start) || !scalar(import, 1, &limit) || !scalar(import, 2, &delta) || delta == 0 ||
        !checked_subtract(limit, start, &count) || count / delta > ONNX_MAX_NUMBERS || delta == INT64_MIN)
        return false;
    count = delta > 0 ? ceil_divide(count, delta) : ceil_divide(-count, -delta);
    if (!begin(fold, &(struct memmodel_shape){
                         .dims = {max_i64(count, 0)}, .rank = 1, .dtype = node_value(import, 0)->shape.dtype}))
        return false;
    for (size_t i = 0; i < fold->count; i++)
        fold->elements[i] = import_expression(import, expression_integer(import->pool, start + (int64_t)i * delta));
    return true;
}

/* ---- the same elements ---- */

static int32_t
cast_type(struct import *import, const struct value *x)
{
    return onnx_dtype(node_integer(import, "to", x->stored ? x->stored->onnx_type : 0));
}

/* To an integer it cuts off the fraction; what is not negative is rounded down. */
static bool
fold_cast(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct value *x = known(import, 0);
    struct memmodel_shape shape;
    bool whole;

    (void)argument;
    if (!x)
        return false;
    shape = x->shape;
    shape.dtype = cast_type(import, x);
    whole = shape.dtype >= MEMMODEL_DTYPE_INT64 && shape.dtype <= MEMMODEL_DTYPE_UINT8;
    if (shape.dtype == 0 || shape.dtype == MEMMODEL_DTYPE_BOOL || !copy_with_shape(fold, x, &shape))
        return false;
    for (size_t i = 0; whole && i < fold->count; i++) {
        int64_t integer;

        if (element_integer(import, fold->elements[i], &integer))
            continue;
        if (element_compare(import, fold->elements[i], expression_integer(import->pool, 0)) == -1)
            return false;
        fold->elements[i] = import_expression(import, expression_floor_divide(import->pool, fold->elements[i], 1));
    }
    return true;
}

static bool
fold_squeeze(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct value *x = known(import, 0);
    struct memmodel_shape shape;

    (void)argument;
    if (!x || x->shape.rank != 1 || x->count != 1)
        return false;
    shape = (struct memmodel_shape){.rank = 0, .dtype = x->shape.dtype};
    return copy_with_shape(fold, x, &shape);
}

static bool
fold_unsqueeze(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct value *x = known(import, 0);
    struct memmodel_shape shape;
    int axes[MEMMODEL_MAX_RANK];

    (void)argument;
    if (!x || x->shape.rank != 0 || node_axes(import, 1, 1, axes) != 1)
        return false;
    shape = (struct memmodel_shape){.dims = {1}, .rank = 1, .dtype = x->shape.dtype};
    return copy_with_shape(fold, x, &shape);
}

/* To a shape of numbers, one of them as large as it must be. */
static bool
fold_reshape(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct value *x = known(import, 0), *to = known(import, 1);
    struct memmodel_shape shape = {.rank = 0};
    int64_t elements = 1;
    int inferred = -1;

    (void)argument;
    if (!x || !to || to->count > MEMMODEL_MAX_RANK)
        return false;
    shape.rank = (int32_t)to->count;
    shape.dtype = x->shape.dtype;
    for (int i = 0; i < shape.rank; i++) {
        if (!element_integer(import, to->elements[i], &shape.dims[i]) || shape.dims[i] == 0 || shape.dims[i] < -1)
            return false;
        if (shape.dims[i] == -1 && inferred >= 0)
            return false;
        if (shape.dims[i] == -1)
            inferred = i;
        else if (!checked_multiply(elements, shape.dims[i], &elements))
            return false;
    }
    if (inferred >= 0)
        shape.dims[inferred] = (int64_t)x->count / elements;
    return copy_with_shape(fold, x, &shape);
}

/* A matrix: exporters turn pairs of pads around. */
static bool
fold_transpose(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct value *x = known(import, 0);
    int64_t axes[2] = {1, 0};
    size_t rows, columns;

    (void)argument;
    if (!x || x->shape.rank != 2)
        return false;
    if (node_integers(import, "perm", axes, 2) == 2 && axes[0] == 0)
        return copy_with_shape(fold, x, &x->shape);
    rows = (size_t)x->shape.dims[0];
    columns = (size_t)x->shape.dims[1];
    if (!begin(fold, &(struct memmodel_shape){
                         .dims = {x->shape.dims[1], x->shape.dims[0]}, .rank = 2, .dtype = x->shape.dtype}))
        return false;
    for (size_t i = 0; i < fold->count; i++)
        fold->elements[i] = x->elements[(i % rows) * columns + i / rows];
    return true;
}

static bool
fold_identity(struct fold *fold, int64_t argument)
{
    const struct value *x = known(fold->import, 0);

    (void)argument;
    return x && copy_with_shape(fold, x, &x->shape);
}

/* A vector of n times a scalar. */
static bool
fold_expand(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct value *x = known(import, 0);
    struct memmodel_shape shape;

    (void)argument;
    if (!x || x->count != 1)
        return false;
    shape.dtype = x->shape.dtype;
    if (!shape_of_elements(import, known(import, 1), &shape) || !begin(fold, &shape))
        return false;
    for (size_t i = 0; i < fold->count; i++)
        fold->elements[i] = x->elements[0];
    return true;
}

/* ---- parts ---- */

static bool
fold_gather(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct value *x = known(import, 0), *indices = known(import, 1);
    struct memmodel_shape shape;

    (void)argument;
    if (!x || !indices || x->shape.rank != 1)
        return false;
    shape = indices->shape;
    shape.dtype = x->shape.dtype;
    if (!begin(fold, &shape) || fold->count != indices->count)
        return false;
    for (size_t i = 0; i < fold->count; i++) {
        int64_t index;

        if (!element_integer(import, indices->elements[i], &index))
            return false;
        index += index < 0 ? (int64_t)x->count : 0;
        if (index < 0 || index >= (int64_t)x->count) {
            import_error(import, MEMMODEL_ERROR_SHAPE, "index %lld of %zu elements", (long long)index, x->count);
            return false;
        }
        fold->elements[i] = x->elements[index];
    }
    return true;
}

static bool
fold_concat(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    struct memmodel_shape shape = {.rank = 1};
    size_t at = 0;

    (void)argument;
    for (size_t i = 0; i < node_input_count(import); i++) {
        const struct value *part = known(import, i);

        if (!part || part->shape.rank != 1 || !checked_add(shape.dims[0], (int64_t)part->count, &shape.dims[0]))
            return false;
        shape.dtype = part->shape.dtype;
    }
    if (node_input_count(import) == 0 || !begin(fold, &shape))
        return false;
    for (size_t i = 0; i < node_input_count(import); i++) {
        const struct value *part = known(import, i);

        memcpy(fold->elements + at, part->elements, part->count * sizeof *part->elements);
        at += part->count;
    }
    return true;
}

/* Input `i`, or the attribute of old opsets: one number. */
static bool
slice_number(struct import *import, size_t i, const char *name, int64_t otherwise, int64_t *number)
{
    const struct onnx_attribute *attribute = node_attribute(import, name);

    *number = otherwise;
    if (attribute && attribute->ints.count != 1)
        return false;
    if (attribute)
        *number = *ONNX_ITEM(attribute->ints, int64_t, 0);
    return attribute || !node_optional(import, i) || scalar(import, i, number);
}

/* A part of the first axis, forwards or backwards. */
static bool
fold_slice(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct value *x = known(import, 0);
    int64_t start, end, axis, step, size, row;
    struct memmodel_shape shape;

    (void)argument;
    if (!x || x->shape.rank < 1 || !slice_number(import, 1, "starts", 0, &start) ||
        !slice_number(import, 2, "ends", 0, &end) || !slice_number(import, 3, "axes", 0, &axis) ||
        !slice_number(import, 4, "steps", 1, &step) || (axis != 0 && axis != -x->shape.rank) ||
        (step != 1 && step != -1) || x->shape.dims[0] < 1)
        return false;
    shape = x->shape;
    size = shape.dims[0];
    row = (int64_t)x->count / size;
    start += start < 0 ? size : 0;
    end = end < 0 && end >= -size ? end + size : end;
    start = max_i64(step > 0 ? 0 : -1, min_i64(start, step > 0 ? size : size - 1));
    end = max_i64(step > 0 ? 0 : -1, min_i64(end, size));
    shape.dims[0] = max_i64(0, (end - start) * step);
    if (!begin(fold, &shape))
        return false;
    for (int64_t i = 0; i < shape.dims[0]; i++)
        memcpy(fold->elements + i * row, x->elements + (start + i * step) * row, (size_t)row * sizeof *fold->elements);
    return true;
}

/* ---- arithmetic ---- */

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, MAXIMUM, MINIMUM, EQUAL, GREATER, LESS, AT_LEAST, AT_MOST, MODULO };

/* Of integers the quotient is cut off: rounded down, since sizes are not negative. */
static expression
quotient(struct import *import, expression a, expression b, bool whole)
{
    int64_t divisor;

    if (!whole)
        return expression_divide(import->pool, a, b);
    if (element_integer(import, b, &divisor) && divisor > 0)
        return expression_floor_divide(import->pool, a, divisor);
    return expression_floor_divide(import->pool, expression_divide(import->pool, a, b), 1);
}

/* a - b floor(a / b) */
static expression
remainder_of(struct import *import, expression a, expression b)
{
    expression times = expression_multiply(import->pool, quotient(import, a, b, true), b);

    return expression_subtract(import->pool, a, times);
}

/* A size that is not a number is taken for another than any given one. */
static expression
comparison(struct import *import, int64_t kind, expression a, expression b)
{
    int order = element_compare(import, a, b);
    bool truth = (kind == EQUAL && order == 0) || (kind == GREATER && order == 1) || (kind == LESS && order == -1) ||
                 (kind == AT_LEAST && (order == 0 || order == 1)) || (kind == AT_MOST && (order == 0 || order == -1));

    if (order == 2 && kind != EQUAL)
        return MEMMODEL_ERROR_UNBOUND;
    return expression_integer(import->pool, truth);
}

static expression
computed(struct import *import, int64_t kind, expression a, expression b, bool whole)
{
    switch (kind) {
    case ADD:
        return expression_add(import->pool, a, b);
    case SUBTRACT:
        return expression_subtract(import->pool, a, b);
    case MULTIPLY:
        return expression_multiply(import->pool, a, b);
    case DIVIDE:
        return quotient(import, a, b, whole);
    case MAXIMUM:
        return expression_max(import->pool, a, b);
    case MINIMUM:
        return expression_min(import->pool, a, b);
    case MODULO:
        return remainder_of(import, a, b);
    default:
        return comparison(import, kind, a, b);
    }
}

/* Scalars and vectors: element i of one that has a single one is that. */
static expression
element_at(const struct value *x, size_t i)
{
    return x->elements[x->count == 1 ? 0 : i];
}

/* False of one that cannot be said; the import has failed then if that ends the call. */
static bool
set_element(struct fold *fold, size_t i, expression element)
{
    fold->elements[i] = element;
    if (status_ends_call(element))
        import_failed(fold->import, element);
    return element >= 0;
}

static bool
fold_binary(struct fold *fold, int64_t kind)
{
    struct import *import = fold->import;
    const struct value *a = known(import, 0), *b = known(import, 1);
    struct memmodel_shape shape;

    if (!a || !b || node_input_count(import) != 2 || a->shape.rank > 1 || b->shape.rank > 1)
        return false;
    shape = a->shape;
    import_broadcast(import, &shape, &b->shape);
    if (kind >= EQUAL && kind <= AT_MOST)
        shape.dtype = MEMMODEL_DTYPE_BOOL;
    if (import->status || !begin(fold, &shape))
        return false;
    for (size_t i = 0; i < fold->count; i++)
        if (!set_element(fold, i,
                         computed(import, kind, element_at(a, i), element_at(b, i), dtype_is_whole(a->shape.dtype))))
            return false;
    return true;
}

enum { NEGATE, FLOOR, CEIL, SQUARE_ROOT, NOT };

static expression
unary(struct import *import, int64_t kind, expression a)
{
    int64_t integer;

    switch (kind) {
    case NEGATE:
        return expression_subtract(import->pool, expression_integer(import->pool, 0), a);
    case FLOOR:
        return expression_floor_divide(import->pool, a, 1);
    case CEIL:
        return expression_ceil_divide(import->pool, a, 1);
    case SQUARE_ROOT:
        return expression_power(import->pool, a, 1, 2);
    default:
        return element_integer(import, a, &integer) ? expression_integer(import->pool, !integer)
                                                    : MEMMODEL_ERROR_UNBOUND;
    }
}

static bool
fold_unary(struct fold *fold, int64_t kind)
{
    struct import *import = fold->import;
    const struct value *x = known(import, 0);

    if (!x || !begin(fold, &x->shape))
        return false;
    for (size_t i = 0; i < fold->count; i++)
        if (!set_element(fold, i, unary(import, kind, x->elements[i])))
            return false;
    return true;
}

static bool
fold_where(struct fold *fold, int64_t argument)
{
    struct import *import = fold->import;
    const struct value *condition = known(import, 0), *a = known(import, 1), *b = known(import, 2);
    struct memmodel_shape shape;

    (void)argument;
    if (!condition || !a || !b || condition->shape.rank > 1 || a->shape.rank > 1 || b->shape.rank > 1)
        return false;
    shape = a->shape;
    import_broadcast(import, &shape, &b->shape);
    import_broadcast(import, &shape, &condition->shape);
    if (import->status || !begin(fold, &shape))
        return false;
    for (size_t i = 0; i < fold->count; i++) {
        int64_t truth;

        if (!element_integer(import, element_at(condition, i), &truth))
            return false;
        fold->elements[i] = truth ? element_at(a, i) : element_at(b, i);
    }
    return true;
}

/* Of a vector: the product, sum, ... of its elements. */
static bool
fold_reduce(struct fold *fold, int64_t kind)
{
    struct import *import = fold->import;
    const struct value *x = known(import, 0);
    struct memmodel_shape shape;
    expression total;

    if (!x || x->shape.rank != 1 || x->count == 0)
        return false;
    shape = (struct memmodel_shape){
        .dims = {1}, .rank = node_integer(import, "keepdims", 1) ? 1 : 0, .dtype = x->shape.dtype};
    total = x->elements[0];
    for (size_t i = 1; i < x->count; i++)
        total = import_expression(import, computed(import, kind, total, x->elements[i], true));
    if (!begin(fold, &shape))
        return false;
    fold->elements[0] = total;
    return true;
}

/* ---- the table ---- */

static const struct {
    const char *op;
    bool (*fold)(struct fold *fold, int64_t argument);
    int64_t argument;
} folds[] = {
    {"Shape", fold_shape, 0},
    {"Size", fold_size, 0},
    {"ConstantOfShape", fold_constant_of_shape, 0},
    {"Range", fold_range, 0},
    {"Cast", fold_cast, 0},
    {"CastLike", fold_identity, 0},
    {"Identity", fold_identity, 0},
    {"Squeeze", fold_squeeze, 0},
    {"Unsqueeze", fold_unsqueeze, 0},
    {"Reshape", fold_reshape, 0},
    {"Transpose", fold_transpose, 0},
    {"Expand", fold_expand, 0},
    {"Gather", fold_gather, 0},
    {"Concat", fold_concat, 0},
    {"Slice", fold_slice, 0},
    {"Where", fold_where, 0},
    {"Add", fold_binary, ADD},
    {"Sub", fold_binary, SUBTRACT},
    {"Mul", fold_binary, MULTIPLY},
    {"Div", fold_binary, DIVIDE},
    {"Max", fold_binary, MAXIMUM},
    {"Min", fold_binary, MINIMUM},
    {"Mod", fold_binary, MODULO},
    {"Equal", fold_binary, EQUAL},
    {"Greater", fold_binary, GREATER},
    {"Less", fold_binary, LESS},
    {"GreaterOrEqual", fold_binary, AT_LEAST},
    {"LessOrEqual", fold_binary, AT_MOST},
    {"Neg", fold_unary, NEGATE},
    {"Floor", fold_unary, FLOOR},
    {"Ceil", fold_unary, CEIL},
    {"Sqrt", fold_unary, SQUARE_ROOT},
    {"Not", fold_unary, NOT},
    {"ReduceProd", fold_reduce, MULTIPLY},
    {"ReduceSum", fold_reduce, ADD},
    {"ReduceMax", fold_reduce, MAXIMUM},
    {"ReduceMin", fold_reduce, MINIMUM},
};

bool
import_fold(struct import *import)
{
    struct fold fold = {.import = import};

    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++) {
        if (strcmp(folds[i].op, import->node->op) != 0)
            continue;
        if (!folds[i].fold(&fold, folds[i].argument) || import->status)
            return false;
        node_elements(import, 0, &fold.shape, fold.elements, fold.count);
        return true;
    }
    return false;
}
