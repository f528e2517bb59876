/* Arithmetic of sizes while a layer is built: constants never touch the pool, and the first error is remembered. */
#include "base/checked.h"
#include "network/builder.h"

memmodel_dim
dim_result(struct draft *draft, expression e)
{
    memmodel_context *context = draft->builder->network.context;
    int64_t value;

    if (e < 0) {
        if (!draft->status && !status_ends_call(e))
            context_error(context, e, draft->name, "%s", memmodel_context_error(context)->message);
        if (!draft->status)
            draft->status = e;
        return 0;
    }
    if (!expression_is_integer(draft->builder->network.pool, e, &value))
        return dim_of_expression(e);
    if (value >= 0)
        return value;
    draft_error(draft, MEMMODEL_ERROR_SHAPE, "a dimension would be %lld", (long long)value);
    return 0;
}

expression
dim_expression(struct expression_pool *pool, memmodel_dim dim)
{
    return dim >= 0 ? expression_integer(pool, dim) : expression_of_dim(dim);
}

static memmodel_dim
overflow(struct draft *draft)
{
    draft_error(draft, MEMMODEL_ERROR_OVERFLOW, "a size does not fit in 63 bits");
    return 0;
}

memmodel_dim
dim_add(struct draft *draft, memmodel_dim a, memmodel_dim b)
{
    struct expression_pool *pool = draft->builder->network.pool;
    int64_t sum;

    if (a == 0 || b == 0)
        return a == 0 ? b : a;
    if (a < 0 || b < 0)
        return dim_result(draft, expression_add(pool, dim_expression(pool, a), dim_expression(pool, b)));
    return checked_add(a, b, &sum) ? sum : overflow(draft);
}

memmodel_dim
dim_subtract(struct draft *draft, int axis, memmodel_dim a, memmodel_dim b)
{
    struct expression_pool *pool = draft->builder->network.pool;

    if (b == 0)
        return a;
    if (a < 0 || b < 0)
        return dim_result(draft, expression_subtract(pool, dim_expression(pool, a), dim_expression(pool, b)));
    if (a >= b)
        return a - b;
    draft_error(draft, MEMMODEL_ERROR_SHAPE, "axis %d: %lld is behind %lld", axis, (long long)b, (long long)a);
    return 0;
}

memmodel_dim
dim_multiply(struct draft *draft, memmodel_dim a, memmodel_dim b)
{
    struct expression_pool *pool = draft->builder->network.pool;
    int64_t product;

    if (a == 1 || b == 1)
        return a == 1 ? b : a;
    if (a < 0 || b < 0)
        return dim_result(draft, expression_multiply(pool, dim_expression(pool, a), dim_expression(pool, b)));
    return checked_multiply(a, b, &product) ? product : overflow(draft);
}

memmodel_dim
dim_product(struct draft *draft, const memmodel_dim *dims, int count)
{
    memmodel_dim product = 1;

    for (int i = 0; i < count; i++)
        product = dim_multiply(draft, product, dims[i]);
    return product;
}

static memmodel_dim
constant_window(struct draft *draft, int axis, int64_t a, int64_t offset, int64_t divisor, int64_t plus)
{
    int64_t size;

    if (!checked_add(a, offset, &size) || !checked_add(floor_divide(size, divisor), plus, &size))
        return overflow(draft);
    if (size > 0 || (size == 0 && a == 0))
        return size;
    draft_error(draft, MEMMODEL_ERROR_SHAPE, "axis %d: %lld elements would be left of %lld", axis, (long long)size,
                (long long)a);
    return 0;
}

memmodel_dim
dim_window(struct draft *draft, int axis, memmodel_dim a, int64_t offset, int64_t divisor, int64_t plus)
{
    struct expression_pool *pool = draft->builder->network.pool;
    expression size;

    if (a >= 0)
        return constant_window(draft, axis, a, offset, divisor, plus);
    if (divisor == 1) {
        if (!checked_add(offset, plus, &plus))
            return overflow(draft);
        offset = 0;
    }
    size = expression_of_dim(a);
    if (offset != 0)
        size = expression_add(pool, size, expression_integer(pool, offset));
    if (divisor != 1)
        size = expression_floor_divide(pool, size, divisor);
    if (plus != 0)
        size = expression_add(pool, size, expression_integer(pool, plus));
    return dim_result(draft, size);
}

memmodel_dim
dim_ceil_divide(struct draft *draft, memmodel_dim a, int64_t divisor)
{
    if (a >= 0)
        return ceil_divide(a, divisor);
    if (divisor == 1)
        return a;
    return dim_result(draft, expression_ceil_divide(draft->builder->network.pool, expression_of_dim(a), divisor));
}

/* ---- division ---- */

/* divisor * floor(a / divisor), and the floor itself. */
static memmodel_dim
multiple_below(struct draft *draft, memmodel_dim a, int64_t divisor, memmodel_dim *quotient)
{
    *quotient = a >= 0 ? a / divisor : dim_window(draft, 0, a, 0, divisor, 0);
    return dim_multiply(draft, *quotient, divisor);
}

memmodel_dim
dim_divide_exactly(struct draft *draft, int axis, memmodel_dim a, int64_t divisor)
{
    memmodel_dim quotient = 0, below = multiple_below(draft, a, divisor, &quotient);
    struct constraint constraint = {
        .given = a,
        .needed = below,
        .divisor = divisor,
        .given_tensor = MEMMODEL_TENSOR_NONE,
        .needed_tensor = MEMMODEL_TENSOR_NONE,
        .axis = axis,
    };

    if (!draft->status && a != below)
        draft_constrain(draft, &constraint);
    return quotient;
}

memmodel_dim
dim_ratio(struct draft *draft, memmodel_dim a, memmodel_dim b)
{
    struct expression_pool *pool = draft->builder->network.pool;

    if (b == 1)
        return a;
    return dim_result(draft, expression_divide(pool, dim_expression(pool, a), dim_expression(pool, b)));
}
