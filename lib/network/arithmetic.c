/* Binary operators and matrix products with broadcasting, and reductions. */
#include "network/builder.h"

#include <string.h>

static const char *const binary_names[] = {"add", "subtract", "multiply", "divide", "maximum", "minimum", NULL};

static const struct field binary_fields[] = {
    FIELD_CHOICE(memmodel_binary, kind, binary_names),
    FIELD(memmodel_binary, in_place, FIELD_FLAG),
    FIELDS_END,
};

static const struct field matmul_fields[] = {
    FIELD(memmodel_matmul, transpose_a, FIELD_FLAG),
    FIELD(memmodel_matmul, transpose_b, FIELD_FLAG),
    FIELDS_END,
};

static const struct field reduce_fields[] = {
    FIELD_LIST(memmodel_reduce, axes, FIELD_AXES, axis_count),
    FIELD_CHOICE(memmodel_reduce, kind, reduction_names),
    FIELD(memmodel_reduce, keep_dims, FIELD_FLAG),
    FIELD(memmodel_reduce, reserved, FIELD_RESERVED),
    FIELDS_END,
};

/* ---- broadcasting ---- */

/* NumPy: a 1 stretches. A symbol is taken for what it meets, not for a 1. */
static memmodel_dim
broadcast_dim(struct draft *draft, int axis, memmodel_dim a, memmodel_dim b)
{
    if (a == 1 || a == b)
        return b;
    if (b != 1)
        draft_require_equal(draft, axis, b, draft->inputs[1], a, draft->inputs[0]);
    return a;
}

/* The first `a->rank - kept` and `b->rank - kept` dimensions, aligned at their ends, into `y`. */
static int
broadcast(struct draft *draft, const struct memmodel_shape *a, const struct memmodel_shape *b, int kept,
          struct memmodel_shape *y)
{
    int rank_a = a->rank - kept, rank_b = b->rank - kept, rank = rank_a > rank_b ? rank_a : rank_b;

    for (int i = 0; i < rank; i++) {
        int from_a = i - (rank - rank_a), from_b = i - (rank - rank_b);

        y->dims[i] = broadcast_dim(draft, i, from_a < 0 ? 1 : a->dims[from_a], from_b < 0 ? 1 : b->dims[from_b]);
    }
    y->rank = rank;
    return draft->status;
}

/* PyTorch's type promotion of two tensors: floats over integers over booleans, wider over narrower. */
static int32_t
promote(int32_t a, int32_t b)
{
    static const int8_t order[] = {
        [MEMMODEL_DTYPE_BOOL] = 1,     [MEMMODEL_DTYPE_UINT8] = 2,   [MEMMODEL_DTYPE_INT8] = 3,
        [MEMMODEL_DTYPE_INT32] = 4,    [MEMMODEL_DTYPE_INT64] = 5,   [MEMMODEL_DTYPE_FLOAT16] = 6,
        [MEMMODEL_DTYPE_BFLOAT16] = 7, [MEMMODEL_DTYPE_FLOAT32] = 8, [MEMMODEL_DTYPE_FLOAT64] = 9,
    };

    if ((a == MEMMODEL_DTYPE_FLOAT16 && b == MEMMODEL_DTYPE_BFLOAT16) ||
        (a == MEMMODEL_DTYPE_BFLOAT16 && b == MEMMODEL_DTYPE_FLOAT16))
        return MEMMODEL_DTYPE_FLOAT32;
    return order[a] > order[b] ? a : b;
}

/* ---- binary ---- */

static int
infer_binary(struct draft *draft)
{
    const struct memmodel_binary *binary = draft->options;
    struct memmodel_shape a = draft_shape(draft, 0), b = draft_shape(draft, 1), y = a;

    if (broadcast(draft, &a, &b, 0, &y))
        return draft->status;
    y.dtype = promote(a.dtype, b.dtype);
    if (!binary->in_place)
        return draft_output(draft, &y);
    if (y.rank != a.rank || memcmp(y.dims, a.dims, (size_t)a.rank * sizeof a.dims[0]) != 0 || y.dtype != a.dtype)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "the result does not fit in place of the first tensor");
    return draft_output(draft, &y);
}

const struct op_description op_binary = {
    .name = "binary",
    OPTIONS(memmodel_binary, binary_fields),
    INPUTS(2, 2),
    .infer = infer_binary,
};

memmodel_tensor
memmodel_network_binary(memmodel_network *network, memmodel_tensor a, memmodel_tensor b,
                        const struct memmodel_binary *options)
{
    return network_add(network, OP_BINARY, (memmodel_tensor[]){a, b}, 2, options);
}

/* ---- matrix product ---- */

static int
infer_matmul(struct draft *draft)
{
    const struct memmodel_matmul *matmul = draft->options;
    struct memmodel_shape a = draft_shape(draft, 0), b = draft_shape(draft, 1), y = {.rank = 0};
    int inner_a, inner_b;

    if (draft_require_rank(draft, 0, 2, MEMMODEL_MAX_RANK) || draft_require_rank(draft, 1, 2, MEMMODEL_MAX_RANK))
        return draft->status;
    inner_a = a.rank - (matmul->transpose_a ? 2 : 1);
    inner_b = b.rank - (matmul->transpose_b ? 1 : 2);
    draft_require_equal(draft, inner_b, b.dims[inner_b], draft->inputs[1], a.dims[inner_a], draft->inputs[0]);
    if (broadcast(draft, &a, &b, 2, &y))
        return draft->status;
    y.dims[y.rank++] = a.dims[a.rank - (matmul->transpose_a ? 1 : 2)];
    y.dims[y.rank++] = b.dims[b.rank - (matmul->transpose_b ? 2 : 1)];
    y.dtype = promote(a.dtype, b.dtype);
    return draft_output(draft, &y);
}

static int
matmul_multiply_adds(const memmodel_network *network, const struct layer *layer, struct product *products)
{
    const struct memmodel_matmul *matmul = layer->options;
    const struct tensor *a = &network->tensors[layer->inputs[0]], *y = &network->tensors[layer->first_output];

    memcpy(products[0].factors, y->dims, (size_t)y->rank * sizeof y->dims[0]);
    products[0].factors[y->rank] = a->dims[a->rank - (matmul->transpose_a ? 2 : 1)];
    products[0].count = y->rank + 1;
    return 1;
}

const struct op_description op_matmul = {
    .name = "matmul",
    OPTIONS(memmodel_matmul, matmul_fields),
    INPUTS(2, 2),
    .infer = infer_matmul,
    .multiply_adds = matmul_multiply_adds,
};

memmodel_tensor
memmodel_network_matmul(memmodel_network *network, memmodel_tensor a, memmodel_tensor b,
                        const struct memmodel_matmul *options)
{
    return network_add(network, OP_MATMUL, (memmodel_tensor[]){a, b}, 2, options);
}

/* ---- reduction ---- */

/* Marks the axes to reduce, all if none is named, and leaves them in the options from 0. */
static int
mark_axes(struct draft *draft, int rank, bool *marked)
{
    struct memmodel_reduce *reduce = draft->options;

    for (int i = 0; i < rank; i++)
        marked[i] = reduce->axis_count == 0;
    for (int i = 0; i < reduce->axis_count; i++) {
        int axis = 0;

        if (draft_axis(draft, reduce->axes[i], rank, &axis))
            return draft->status;
        if (marked[axis])
            return draft_error(draft, MEMMODEL_ERROR_SHAPE, "axis %d stands twice", axis);
        marked[axis] = true;
        reduce->axes[i] = axis;
    }
    return 0;
}

static int
infer_reduce(struct draft *draft)
{
    const struct memmodel_reduce *reduce = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), y = {.dtype = x.dtype};
    bool marked[MEMMODEL_MAX_RANK] = {false};

    if (mark_axes(draft, x.rank, marked))
        return draft->status;
    for (int i = 0; i < x.rank; i++)
        if (!marked[i] || reduce->keep_dims)
            y.dims[y.rank++] = marked[i] ? 1 : x.dims[i];
    return draft_output(draft, &y);
}

const struct op_description op_reduce = {
    .name = "reduce",
    OPTIONS(memmodel_reduce, reduce_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_reduce,
};

memmodel_tensor
memmodel_network_reduce(memmodel_network *network, memmodel_tensor x, const struct memmodel_reduce *options)
{
    return network_add(network, OP_REDUCE, &x, 1, options);
}
