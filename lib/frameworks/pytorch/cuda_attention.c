/*
 * Attention on a GPU: flash attention for half types, else the memory-efficient kernel.
 * PyTorch: aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, attention.cu, attention_backward.cu,
 * native/transformers/cuda/flash_attn/flash_api.cpp, mem_eff_attention/kernel_backward.h.
 */
#include "frameworks/cuda/gpu.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

enum { BATCH, HEADS, LENGTH, WIDTH };

static bool
is_half(const struct value *x)
{
    return x->shape.dtype == MEMMODEL_DTYPE_BFLOAT16 || x->shape.dtype == MEMMODEL_DTYPE_FLOAT16;
}

/* Laid out [batch, length, heads, width] in memory. */
static struct value *
length_first(struct step *step, const struct shape *shape)
{
    static const int order[] = {BATCH, LENGTH, HEADS, WIDTH};
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    shape_strides_in_order(shape, order, strides);
    return value_empty_strided(step, shape, strides);
}

/* A float32 of each row of scores, rows rounded up. */
static struct value *
row_numbers(struct step *step, const struct value *query, int64_t step_of_rows)
{
    struct shape rows = {.rank = 3, .dtype = MEMMODEL_DTYPE_FLOAT32};

    rows.dims[0] = query->shape.dims[BATCH];
    rows.dims[1] = query->shape.dims[HEADS];
    rows.dims[2] = ceil_divide(query->shape.dims[LENGTH], step_of_rows) * step_of_rows;
    return value_empty(step, &rows);
}

/* Gradients of query, key and value; what is not wanted goes at the end. */
static void
make_gradients(struct step *step, const struct node *node, const struct value *incoming, struct value **gradients)
{
    for (int i = 0; i < 3; i++) {
        struct shape shape = shape_typed(&node->edges[i].shape, incoming->shape.dtype);

        gradients[i] = length_first(step, &shape);
    }
}

static void
drop_unwanted(struct step *step, const struct node *node, struct value **gradients)
{
    for (int i = 0; i < 3; i++) {
        if (node_wants(node, i))
            continue;
        value_drop(step, gradients[i]);
        gradients[i] = NULL;
    }
}

/* Saved: query, key, value, mask, result, logsumexp. */
enum { SAVED_QUERY, SAVED_KEY, SAVED_VALUE, SAVED_MASK, SAVED_RESULT, SAVED_ROWS, SAVED_COUNT };

static struct value *
record(struct step *step, const struct derivative *derivative, struct value *const operands[4], struct value *result,
       struct value *rows)
{
    struct value *inputs[] = {operands[0], operands[1], operands[2]};
    struct value *saved[SAVED_COUNT] = {operands[0], operands[1], operands[2], operands[3], result, rows};
    struct node *node = step_record(step, derivative, result, 3, inputs);

    for (int i = 0; i < SAVED_COUNT; i++)
        step_save(step, node, saved[i]);
    value_drop(step, rows);
    return result;
}

/* ---- memory-efficient ---- */

/* One buffer for all three gradients where query, key and value are parts of one tensor. */
static bool
share_storage(const struct node *node)
{
    const struct value *query = node->saved[SAVED_QUERY], *key = node->saved[SAVED_KEY];
    const struct value *value = node->saved[SAVED_VALUE];

    return query->storage == key->storage && query->storage == value->storage &&
           query->shape.dims[LENGTH] == key->shape.dims[LENGTH] && query->shape.dims[WIDTH] == value->shape.dims[WIDTH];
}

static void
chunk_of_gradients(struct step *step, const struct node *node, const struct value *incoming, struct value **gradients)
{
    const struct shape *shape = &node->edges[0].shape;
    struct shape all = {.rank = 5, .dtype = incoming->shape.dtype}, part = shape_typed(shape, all.dtype);
    int64_t strides[MEMMODEL_MAX_RANK] = {0}, row = 3 * shape->dims[HEADS] * shape->dims[WIDTH];
    struct value *chunk;

    all.dims[0] = shape->dims[BATCH];
    all.dims[1] = shape->dims[LENGTH];
    all.dims[2] = 3;
    all.dims[3] = shape->dims[HEADS];
    all.dims[4] = shape->dims[WIDTH];
    chunk = value_empty(step, &all);
    strides[BATCH] = shape->dims[LENGTH] * row;
    strides[HEADS] = shape->dims[WIDTH];
    strides[LENGTH] = row;
    strides[WIDTH] = 1;
    for (int i = 0; i < 3; i++)
        gradients[i] = value_view(step, chunk, &part, strides);
    value_drop(step, chunk);
}

/* (grad * result).sum(-1), which the kernel computes itself for half types; there it adds up in float32 instead. */
static struct value *
row_products(struct step *step, const struct value *query, const struct value *incoming)
{
    struct value *products, *sums, *rows;

    if (is_half(query))
        return row_numbers(step, query, 1);
    products = value_like(step, incoming);
    sums = row_numbers(step, query, 1);
    value_drop(step, products);
    rows = row_numbers(step, query, 1);
    value_drop(step, sums);
    return rows;
}

static void
efficient_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *rows;

    if (share_storage(node))
        chunk_of_gradients(step, node, incoming[0], gradients);
    else
        make_gradients(step, node, incoming[0], gradients);
    rows = row_products(step, node->saved[SAVED_QUERY], incoming[0]);
    value_drop(step, rows);
    drop_unwanted(step, node, gradients);
}

/* sdp_utils.cpp, check_head_dim_size_mem_efficient: four elements of float32 from Ampere on */
static bool
can_be_efficient(const struct step *step, struct value *const operands[3])
{
    enum { AMPERE = 80, ALIGNMENT = 4 };

    for (int i = 0; i < 3; i++)
        if (operands[i]->shape.rank != 4 || operands[i]->strides[WIDTH] != 1 ||
            operands[i]->shape.dims[HEADS] != operands[0]->shape.dims[HEADS] ||
            (step->cuda.gpu->capability >= AMPERE && operands[i]->shape.dims[WIDTH] % ALIGNMENT != 0))
            return false;
    return true;
}

/* attention.cpp, pad_bias: the mask's rows are laid out for 16 elements at a time. */
static struct value *
padded_mask(struct step *step, struct value *mask)
{
    enum { ALIGNMENT = 16 };
    int last = mask->shape.rank - 1;
    struct shape shape = mask->shape;
    struct value *padded, *result;

    if (shape.dims[last] % ALIGNMENT == 0)
        return value_keep(mask);
    shape.dims[last] = ceil_divide(shape.dims[last], ALIGNMENT) * ALIGNMENT;
    padded = value_empty(step, &shape);
    result = value_view(step, padded, &mask->shape, padded->strides);
    value_drop(step, padded);
    return result;
}

/* logsumexp is for the backward pass; its rows come in blocks: mem_eff_attention/kernel_forward.h, kAlignLSE */
static struct value *
efficient_attention(struct step *step, struct value *const operands[4])
{
    enum { LOGSUMEXP_ROWS = 32 };
    static const struct derivative efficient = {"scaled_dot_product_efficient_attention", efficient_backward};
    struct value *mask = operands[3] ? padded_mask(step, operands[3]) : NULL;
    struct value *given[] = {operands[0], operands[1], operands[2], mask};
    struct shape shape = operands[0]->shape;
    struct value *result, *rows = NULL;
    bool trains = step->grad_mode && (operands[0]->node || operands[1]->node || operands[2]->node);

    shape.dims[WIDTH] = operands[2]->shape.dims[WIDTH];
    result = length_first(step, &shape);
    if (trains)
        rows = row_numbers(step, operands[0], LOGSUMEXP_ROWS);
    record(step, &efficient, given, result, rows);
    value_drop(step, mask);
    return result;
}

/* ---- flash ---- */

enum { FLASH_ROWS = 128, FLASH_COLUMNS = 32 };

/* The gradient of the query is added up in float32, its rows and columns rounded up; so is a product of each row. */
static void
flash_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct shape *shape = &node->saved[SAVED_QUERY]->shape;
    struct shape sums = {.rank = 4, .dtype = MEMMODEL_DTYPE_FLOAT32};
    struct value *rows;

    make_gradients(step, node, incoming[0], gradients);
    rows = row_numbers(step, node->saved[SAVED_QUERY], FLASH_ROWS);
    sums.dims[0] = shape->dims[BATCH];
    sums.dims[1] = ceil_divide(shape->dims[LENGTH], FLASH_ROWS) * FLASH_ROWS;
    sums.dims[2] = shape->dims[HEADS];
    sums.dims[3] = ceil_divide(shape->dims[WIDTH], FLASH_COLUMNS) * FLASH_COLUMNS;
    value_scratch(step, &sums);
    value_drop(step, rows);
    drop_unwanted(step, node, gradients);
}

/* sdp_utils.cpp, use_flash_attention: half types from Ampere on, no mask, heads of at most 256 */
static bool
can_flash(const struct step *step, struct value *const operands[4])
{
    enum { AMPERE = 80, WIDEST = 256, ALIGNMENT = 8 };

    if (operands[3] || step->cuda.gpu->capability < AMPERE)
        return false;
    for (int i = 0; i < 3; i++)
        if (!is_half(operands[i]) || operands[i]->shape.rank != 4 || operands[i]->strides[WIDTH] != 1 ||
            operands[i]->shape.dims[WIDTH] > WIDEST || operands[i]->shape.dims[WIDTH] % ALIGNMENT != 0)
            return false;
    return true;
}

static struct value *
flash_attention(struct step *step, struct value *const operands[4])
{
    static const struct derivative flash = {"scaled_dot_product_flash_attention", flash_backward};
    struct value *result = length_first(step, &operands[0]->shape);

    return record(step, &flash, operands, result, row_numbers(step, operands[0], 1));
}

/* ---- which ---- */

struct value *
cuda_attention(struct step *step, struct value *query, struct value *key, struct value *value, struct value *mask,
               const struct memmodel_attention *options)
{
    struct value *const operands[] = {query, key, value, mask};

    (void)options;
    if (can_flash(step, operands))
        return flash_attention(step, operands);
    return can_be_efficient(step, operands) ? efficient_attention(step, operands) : NULL;
}
