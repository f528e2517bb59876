/*
 * Scaled dot-product attention: the flash kernel where it can, else products and a softmax.
 * PyTorch: aten/src/ATen/native/transformers/attention.cpp, sdp_utils_cpp.cpp, cpu/FlashAttentionKernel.cpp.
 */
#include "frameworks/pytorch/aten_ops.h"
#include "frameworks/pytorch/device.h"

enum { BATCH, HEADS, LENGTH, WIDTH };

/* ---- flash ---- */

/* Rows of a tile of queries and of keys: FlashAttentionKernel.cpp, cpu_flash_attention. */
static int64_t
query_tile(int64_t length)
{
    return min_i64(length >= 768 ? 256 : length >= 192 ? 64 : 32, length);
}

static int64_t
key_tile(int64_t keys)
{
    return min_i64(512, keys);
}

/* Laid out [batch, length, heads, width] in memory. */
static void
length_first_strides(const struct shape *shape, int64_t strides[MEMMODEL_MAX_RANK])
{
    static const int order[] = {BATCH, LENGTH, HEADS, WIDTH};

    shape_strides_in_order(shape, order, strides);
}

static bool
is_length_first(const struct value *x)
{
    int64_t strides[MEMMODEL_MAX_RANK];

    length_first_strides(&x->shape, strides);
    for (int i = 0; i < x->shape.rank; i++)
        if (x->shape.dims[i] != 1 && x->strides[i] != strides[i])
            return false;
    return true;
}

/* Saved: mask, key, query, value, logsumexp, output. */
enum { SAVED_MASK, SAVED_KEY, SAVED_QUERY };

/* The gradients of value, query and key, of one tile of many; the others fit into what it takes. */
static void
tile_products(struct step *step, const struct value *query, int64_t query_rows, int64_t key_rows)
{
    int64_t width = query->shape.dims[WIDTH];
    int dtype = query->shape.dtype;
    struct shape number = shape_scalar(MEMMODEL_DTYPE_FLOAT32);
    struct value *scale;

    cpu_tile_product(step, dtype, (int64_t[]){key_rows, query_rows, width}, true);
    if (!cpu_runs_tile_on_onednn(step, dtype, (int64_t[]){query_rows, key_rows, width}))
        return;
    scale = value_empty(step, &number);
    cpu_tile_product(step, dtype, (int64_t[]){query_rows, key_rows, width}, false);
    value_drop(step, scale);
    scale = value_empty(step, &number);
    cpu_tile_product(step, dtype, (int64_t[]){key_rows, query_rows, width}, true);
    value_drop(step, scale);
}

static void
flash_temporaries(struct step *step, const struct value *query, int64_t query_rows, int64_t key_rows)
{
    struct shape tiles = {
        .dims = {2 * step->job->intra_op_threads, query_rows, key_rows}, .rank = 3, .dtype = value_sum_type(query)};
    struct shape half_tiles = shape_typed(&tiles, query->shape.dtype), row = shape_vector(tiles.dtype, query_rows);
    struct value *wide = value_empty(step, &tiles),
                 *narrow = value_is_half(query) ? value_empty(step, &half_tiles) : NULL;
    struct value *sums = value_empty(step, &row);

    tile_products(step, query, query_rows, key_rows);
    value_drop(step, sums);
    value_drop(step, narrow);
    value_drop(step, wide);
}

static void
flash_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *query = node->saved[SAVED_QUERY], *key = node->saved[SAVED_KEY];
    struct value *made[3], *copy;

    for (int i = 0; i < 3; i++) {
        struct shape shape = shape_typed(&node->edges[i].shape, incoming[0]->shape.dtype);
        int64_t strides[MEMMODEL_MAX_RANK] = {0};

        length_first_strides(&shape, strides);
        made[i] = value_empty_strided(step, &shape, strides);
    }
    copy = is_length_first(incoming[0]) ? NULL : value_copy(step, incoming[0]);
    flash_temporaries(step, query, query_tile(query->shape.dims[LENGTH]), key_tile(key->shape.dims[LENGTH]));
    value_drop(step, copy);
    node_give(step, node, made, 3, gradients);
}

static void
flash_scratch(struct step *step, const struct value *query, const struct value *key)
{
    int64_t rows = query_tile(query->shape.dims[LENGTH]), keys = key_tile(key->shape.dims[LENGTH]);
    struct shape tile = {.dims = {step->job->intra_op_threads, rows, keys + 2 + query->shape.dims[WIDTH]}, .rank = 3};
    struct shape narrow = {.dims = {step->job->intra_op_threads, rows, keys}, .rank = 3, .dtype = query->shape.dtype};
    struct value *wide;

    tile.dtype = value_sum_type(query);
    wide = value_empty(step, &tile);
    if (value_is_half(query))
        value_scratch(step, &narrow);
    value_drop(step, wide);
}

static struct value *
flash_attention(struct step *step, struct value *query, struct value *key, struct value *value, struct value *mask)
{
    static const struct derivative flash = {"scaled_dot_product_flash_attention", flash_backward};
    struct shape rows = query->shape;
    struct value *result = value_like(step, query), *logsumexp;
    struct value *saved[] = {mask, key, query, value, NULL, result};
    struct node *node;

    rows.rank = 3;
    rows.dtype = value_sum_type(query);
    logsumexp = value_empty(step, &rows);
    saved[4] = logsumexp;
    flash_scratch(step, query, key);
    node = step_record(step, &flash, result, 3, (struct value *[]){query, key, value});
    for (int i = 0; i < 6; i++)
        step_save(step, node, saved[i]);
    value_drop(step, logsumexp);
    return result;
}

/* ---- math ---- */

static void
result_shaped_gradient(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)incoming;
    gradients[0] = value_copy(step, node->saved[0]);
}

/* On a GPU beside the gradient times the result: cuda/SoftMax.cu, softmax_backward_cuda_out. */
static void
safe_softmax_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    result_shaped_gradient(step, node, incoming, gradients);
    if (!step->device->host)
        value_scratch(step, &node->saved[0]->shape);
}

/* Rows in which everything is masked become zeros: _safe_softmax */
static struct value *
safe_softmax(struct step *step, struct value *x)
{
    static const struct derivative derivative = {"safe_softmax", safe_softmax_backward};
    struct shape rows = shape_typed(&x->shape, MEMMODEL_DTYPE_BOOL), zero = shape_scalar(x->shape.dtype);
    struct value *result = value_copy(step, x), *mask = value_like_typed(step, x, MEMMODEL_DTYPE_BOOL), *all;

    if (!step->status) /* else the value may have no axes */
        rows.dims[rows.rank - 1] = 1;
    all = value_empty(step, &rows);
    value_scratch(step, &zero);
    value_drop(step, all);
    value_drop(step, mask);
    step_save(step, step_record(step, &derivative, result, 1, &x), result);
    return result;
}

/* A bool mask as numbers to be added. */
static struct value *
float_mask(struct step *step, const struct shape *shape, int dtype)
{
    struct value *first = value_scalar(step, dtype), *second = value_scalar(step, dtype);
    struct shape typed = shape_typed(shape, dtype);
    struct value *result = value_empty(step, &typed);

    value_drop(step, second);
    value_drop(step, first);
    return result;
}

static struct value *
causal_mask(struct step *step, int64_t length, int64_t keys, int dtype)
{
    struct shape shape = {.dims = {length, keys}, .rank = 2, .dtype = MEMMODEL_DTYPE_BOOL};
    struct value *ones = value_empty(step, &shape), *triangle = value_empty(step, &shape), *result;

    value_drop(step, ones);
    result = float_mask(step, &shape, dtype);
    value_drop(step, triangle);
    return result;
}

static struct value *
masked_scores(struct step *step, struct value *query, struct value *key, struct value *mask)
{
    struct value *scaled = aten_scale(step, key), *turned = aten_transpose(step, scaled, -1, -2);
    struct value *scores;

    value_drop(step, scaled);
    scores = aten_matmul(step, query, turned);
    value_drop(step, turned);
    if (mask)
        value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_ADD, scores, mask));
    return scores;
}

/* The result in the type of the call; the shares are a result as well, which the caller releases. */
static struct value *
weighted_values(struct step *step, struct value *shares, struct value *value, int dtype, struct value **typed_shares)
{
    struct value *product, *result;

    *typed_shares = aten_cast(step, shares, dtype);
    product = aten_matmul(step, shares, value);
    result = aten_cast(step, product, dtype);
    value_drop(step, product);
    return result;
}

/* x.repeat_interleave(n, -3), where several heads of the query share one of the key. */
static struct value *
repeated_heads(struct step *step, struct value *x, int64_t heads)
{
    int axis = x->shape.rank - 3;
    struct shape groups = x->shape, all = x->shape;
    struct value *grouped, *expanded, *copy, *result;

    if (axis < 0 || x->shape.dims[axis] == heads)
        return value_keep(x);
    groups.rank++;
    for (int i = groups.rank - 1; i > axis + 1; i--)
        groups.dims[i] = x->shape.dims[i - 1];
    groups.dims[axis + 1] = 1;
    grouped = aten_reshape(step, x, &groups);
    groups.dims[axis + 1] = heads / x->shape.dims[axis];
    expanded = aten_expand(step, grouped, &groups);
    copy = aten_contiguous(step, expanded);
    all.dims[axis] = heads;
    result = aten_reshape(step, copy, &all);
    value_drop(step, copy);
    value_drop(step, expanded);
    value_drop(step, grouped);
    return result;
}

static struct value *
math_products(struct step *step, struct value *query, struct value *key, struct value *value, struct value *mask,
              const struct memmodel_attention *options, int dtype)
{
    struct value *scaled = aten_scale(step, query), *own_mask = NULL, *scores, *shares, *typed_shares, *result;
    int64_t heads = query->shape.rank > 2 ? query->shape.dims[query->shape.rank - 3] : 1;
    struct value *all_keys, *all_values;

    if (options->causal && !step->status)
        own_mask = causal_mask(step, query->shape.dims[query->shape.rank - 2], key->shape.dims[key->shape.rank - 2],
                               query->shape.dtype);
    all_keys =
        options->grouped_query ? repeated_heads(step, key, heads) : value_keep(key); /* else products broadcast */
    all_values = options->grouped_query ? repeated_heads(step, value, heads) : value_keep(value);
    scores = masked_scores(step, scaled, all_keys, own_mask ? own_mask : mask);
    shares = safe_softmax(step, scores);
    value_drop(step, scores);
    if (options->dropout > 0 && step->training) {
        struct value *all = shares;

        shares = aten_dropout(step, all);
        value_drop(step, all);
    }
    result = weighted_values(step, shares, all_values, dtype, &typed_shares);
    value_drop(step, all_values);
    value_drop(step, all_keys);
    value_drop(step, shares);
    value_drop(step, scaled);
    value_drop(step, own_mask);
    value_drop(step, typed_shares);
    return result;
}

/* Half types are computed in float32. */
static struct value *
math_attention(struct step *step, struct value *const operands[3], struct value *mask,
               const struct memmodel_attention *options)
{
    struct value *wide[3], *result;

    for (int i = 0; i < 3; i++)
        wide[i] = aten_cast(step, operands[i], value_sum_type(operands[i]));
    result = math_products(step, wide[0], wide[1], wide[2], mask, options, operands[0]->shape.dtype);
    value_drop_all(step, wide, 3);
    return result;
}

/* ---- which ---- */

/* sdp_utils_cpp.cpp, use_flash_attention_cpp */
static bool
can_flash(const struct step *step, const struct value *query, const struct value *key, const struct value *value,
          const struct value *mask, const struct memmodel_attention *options)
{
    const struct value *operands[] = {query, key, value};

    if ((options->dropout > 0 && step->training) || query->shape.dims[WIDTH] != value->shape.dims[WIDTH])
        return false;
    if (mask && (mask->node || (mask->shape.rank != 2 && mask->shape.rank != 4)))
        return false;
    for (int i = 0; i < 3; i++)
        if (operands[i]->shape.rank != 4 || operands[i]->strides[WIDTH] != 1 ||
            operands[i]->shape.dims[BATCH] != query->shape.dims[BATCH] ||
            (!options->grouped_query && operands[i]->shape.dims[HEADS] != query->shape.dims[HEADS]))
            return false;
    return true;
}

struct value *
cpu_attention(struct step *step, struct value *query, struct value *key, struct value *value, struct value *mask,
              const struct memmodel_attention *options)
{
    if (!can_flash(step, query, key, value, mask, options))
        return NULL;
    return flash_attention(step, query, key, value, mask);
}

static struct value *
attention(struct step *step, struct value *const operands[4], const struct memmodel_attention *options)
{
    struct value *query = operands[0], *key = operands[1], *value = operands[2], *mask = operands[3], *made = NULL;
    struct value *result;

    if (mask && mask->shape.dtype == MEMMODEL_DTYPE_BOOL)
        mask = made = float_mask(step, &mask->shape, query->shape.dtype);
    result = step->device->attention(step, query, key, value, mask, options);
    if (!result)
        result = math_attention(step, operands, mask, options);
    value_drop(step, made);
    return result;
}

static void
attention_forward(struct step *step, const struct layer *layer)
{
    struct value *operands[4];

    for (int i = 0; i < 4; i++)
        operands[i] = step_input(step, layer, i);
    step_output(step, layer, 0, attention(step, operands, layer->options));
}

const struct rule pytorch_attention = {OP_ATTENTION, attention_forward};

/* By name; dropout is what the call says, also while not training. */
static void
aten_op_attention_forward(struct step *step, const struct layer *layer, int detail)
{
    struct memmodel_attention options = {
        .dropout = attribute_number(layer, "dropout_p", 0),
        .causal = attribute_integer(layer, "is_causal", 0) != 0,
        .grouped_query = attribute_integer(layer, "enable_gqa", 0) != 0,
    };
    struct value *operands[4];

    (void)detail;
    for (int i = 0; i < 4; i++)
        operands[i] = step_input(step, layer, i);
    step_output(step, layer, 0, attention(step, operands, &options));
}

/* Over another axis than the last it is estimated. */
static void
safe_softmax_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0);

    (void)detail;
    if (attribute_axis(layer, "dim", x->shape.rank, -1) == x->shape.rank - 1)
        step_output(step, layer, 0, safe_softmax(step, x));
    else
        aten_op_estimate(step, layer);
}

/* Below autograd it is the kernel, whatever the operands; of other ranks there are none. */
static void
flash_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *operands[4];

    (void)detail;
    for (int i = 0; i < 4; i++) {
        operands[i] = step_input(step, layer, i);
        if (i < 3 && operands[i]->shape.rank != WIDTH + 1) {
            aten_op_estimate(step, layer);
            return;
        }
    }
    step_output(step, layer, 0, flash_attention(step, operands[0], operands[1], operands[2], operands[3]));
}

static const struct aten_op_rule aten_op_rules[] = {
    {"aten._safe_softmax.default", safe_softmax_forward, 0, "1"},
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", flash_forward, 0, "444"},
    {"aten.scaled_dot_product_attention.default", aten_op_attention_forward, 0, "222"},
};

const struct aten_ops aten_op_attention = ATEN_OPS(aten_op_rules);
