/*
 * Attention on a GPU: flash attention for half types, else the memory-efficient kernel.
 * PyTorch: aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, attention.cu, attention_backward.cu,
 * native/transformers/cuda/flash_attn/flash_api.cpp, mem_eff_attention/kernel_backward.h.
 */
#include "frameworks/cuda/gpu.h"
#include "frameworks/framework.h"
#include "frameworks/pytorch/cuda_attention.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

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
    rows.dims[2] = round_up(query->shape.dims[LENGTH], step_of_rows);
    return value_empty(step, &rows);
}

/* A row of the value's width for each of the query, laid out as the query is. */
static struct value *
like_query(struct step *step, const struct value *query, const struct value *value)
{
    struct shape shape = query->shape;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    shape.dims[WIDTH] = value->shape.dims[WIDTH];
    strides_after(&shape, &query, 1, strides);
    return value_empty_strided(step, &shape, strides);
}

/* Where heads of key and value are shared, their gradients for each head of the query, which are summed; else NULL. */
static void
make_expanded(struct step *step, struct value *const saved[], const struct value *incoming, struct value *expanded[2])
{
    int64_t heads = saved[SAVED_QUERY]->shape.dims[HEADS];

    for (int i = 0; i < 2; i++) {
        struct shape shape = shape_typed(&saved[SAVED_KEY + i]->shape, incoming->shape.dtype);
        bool grouped = shape.dims[HEADS] != heads;

        shape.dims[HEADS] = heads;
        expanded[i] = grouped ? length_first(step, &shape) : NULL;
    }
}

static void
make_generator(struct step *step, int64_t seed_bytes, struct attention_made *made)
{
    made->seed = value_buffer(step, seed_bytes);
    made->offset = value_scalar(step, MEMMODEL_DTYPE_INT64);
}

enum { SEED = 8, SEED_AND_OFFSET = 16 };

static bool
drops(const struct step *step, const struct memmodel_attention *options)
{
    return options->dropout > 0 && step->training;
}

/* Gradients of query, key and value, wanted or not, laid out as these are. */
static void
make_gradients(struct step *step, struct value *const saved[], struct value **gradients)
{
    for (int i = 0; i < 3; i++)
        gradients[i] = value_like(step, saved[SAVED_QUERY + i]);
}

static bool
trains(const struct step *step, struct value *const operands[3])
{
    return step->grad_mode && (operands[0]->node || operands[1]->node || operands[2]->node);
}

/* ---- memory-efficient ---- */

/*
 * (grad * result).sum(-1).transpose(-2, -1).contiguous(), all there until it is done; the kernel computes it itself for
 * half types.
 */
static struct value *
row_products(struct step *step, const struct value *query, const struct value *incoming)
{
    bool ordered = query->shape.dims[HEADS] == 1 || query->shape.dims[LENGTH] == 1;
    struct value *products, *sums, *rows;

    if (value_is_half(query))
        return row_numbers(step, query, 1);
    products = value_like(step, incoming);
    sums = row_numbers(step, query, 1);
    rows = ordered ? value_keep(sums) : row_numbers(step, query, 1);
    value_drop(step, products);
    value_drop(step, sums);
    return rows;
}

/* Rows and columns of the tiles that a kernel takes, for heads of at most `max_width`. */
struct tiles {
    int64_t rows, columns, max_width;
};

/*
 * The first kernel of mem_eff_attention/kernels/cutlassB.h whose heads are wide enough, as generate_kernels.py orders
 * them: the widest rows first.
 */
static struct tiles
tiles_of(const struct step *step, const struct value *query, int64_t width)
{
    enum { VOLTA = 70, AMPERE = 80, SMALL = 64, LARGE = 128, ANY_WIDTH = 1 << 16 };
    int capability = step->cuda.gpu->capability;
    bool half = value_is_half(query);
    struct tiles tiles = {SMALL, SMALL, width <= SMALL / 2 ? SMALL / 2 : width <= SMALL ? SMALL : LARGE};

    if (width > LARGE)
        tiles.max_width = ANY_WIDTH;
    if (tiles.max_width > SMALL && (capability >= AMPERE || (capability >= VOLTA && half)))
        tiles.rows = LARGE;
    if (half && capability >= AMPERE && tiles.max_width == LARGE)
        tiles.columns = LARGE;
    return tiles;
}

/*
 * In float32, for each head: tiles of the query's gradient with a lock, a counter and padding each; of half types whose
 * heads are too wide for registers those of key and value as well. kernel_backward.h, workspace_size.
 */
static struct value *
backward_workspace(struct step *step, struct value *const saved[])
{
    enum { LOCK_ELEMENTS = 4, MAX_SPLITS = 200, FLOAT = 4 };
    const struct value *query = saved[SAVED_QUERY], *key = saved[SAVED_KEY];
    int64_t key_width = query->shape.dims[WIDTH], value_width = saved[SAVED_VALUE]->shape.dims[WIDTH];
    struct tiles tiles = tiles_of(step, query, max_i64(key_width, value_width));
    int64_t groups = query->shape.dims[BATCH] * query->shape.dims[HEADS], splits, elements;

    elements = ceil_divide(query->shape.dims[LENGTH], tiles.rows) * ceil_divide(key_width, tiles.columns) *
               (tiles.rows * tiles.columns + LOCK_ELEMENTS);
    if (value_is_half(query) && tiles.max_width > tiles.rows) {
        splits = ceil_divide(key->shape.dims[LENGTH], tiles.columns);
        splits = max_i64(1, min_i64(splits, MAX_SPLITS / max_i64(groups, 1)));
        elements += splits * tiles.columns * (round_up(key_width, tiles.rows) + round_up(value_width, tiles.rows));
    }
    return value_buffer(step, multiply_saturating(multiply_saturating(groups, elements), FLOAT));
}

/* Of each head, rows laid out for 16 elements at a time; what was broadcast is summed afterwards. */
static struct value *
mask_gradient(struct step *step, struct value *const saved[])
{
    enum { ROW_ALIGNMENT = 16 };
    const struct value *query = saved[SAVED_QUERY], *key = saved[SAVED_KEY];
    struct shape part = {.rank = 4, .dtype = saved[SAVED_MASK]->shape.dtype}, all;
    struct value *whole, *result;

    part.dims[0] = query->shape.dims[BATCH];
    part.dims[1] = query->shape.dims[HEADS];
    part.dims[2] = query->shape.dims[LENGTH];
    part.dims[3] = key->shape.dims[LENGTH];
    all = part;
    all.dims[3] = round_up(part.dims[3], ROW_ALIGNMENT);
    whole = value_empty(step, &all);
    result = value_view(step, whole, &part, whole->strides);
    value_drop(step, whole);
    return result;
}

/* attention_backward.cu, _efficient_attention_backward: what is not laid out length first is copied for the call. */
static struct value *
length_first_copy(struct step *step, const struct value *x)
{
    static const int32_t order[] = {BATCH, LENGTH, HEADS, WIDTH};
    int64_t stride = 1;
    bool ready = true;

    for (int i = WIDTH; i >= 0; i--) {
        ready = ready && (x->shape.dims[order[i]] == 1 || x->strides[order[i]] == stride);
        stride = multiply_saturating(stride, x->shape.dims[order[i]]);
    }
    return ready ? NULL : length_first(step, &x->shape);
}

static void
efficient_backward(struct step *step, struct value *const saved[], const struct value *incoming,
                   struct value **gradients, bool mask)
{
    struct value *rows, *expanded[2], *copy = length_first_copy(step, incoming);

    for (int i = 0; i < 3; i++) {
        struct shape shape = shape_typed(&saved[SAVED_QUERY + i]->shape, incoming->shape.dtype);

        gradients[i] = length_first(step, &shape);
    }
    if (mask)
        gradients[SAVED_MASK] = mask_gradient(step, saved);
    make_expanded(step, saved, incoming, expanded);
    rows = row_products(step, saved[SAVED_QUERY], incoming);
    value_drop(step, backward_workspace(step, saved));
    value_drop(step, rows);
    value_drop_all(step, expanded, 2);
    value_drop(step, copy);
}

/* sdp_utils.cpp, check_head_dim_size_mem_efficient: four elements of float32 from Ampere on */
static bool
can_be_efficient(const struct step *step, struct value *const operands[3])
{
    enum { AMPERE = 80, ALIGNMENT = 4 };
    bool groups = step->version >= VERSION(2, 14);

    for (int i = 0; i < 3; i++)
        if (operands[i]->shape.rank != 4 || operands[i]->strides[WIDTH] != 1 ||
            (!groups && operands[i]->shape.dims[HEADS] != operands[0]->shape.dims[HEADS]) ||
            (step->cuda.gpu->capability >= AMPERE && operands[i]->shape.dims[WIDTH] % ALIGNMENT != 0))
            return false;
    return true;
}

/* attention.cpp, pad_bias: the mask's rows are laid out for so many elements at a time. */
static struct value *
padded_mask(struct step *step, struct value *mask)
{
    enum { ALIGNMENT = 8 };
    int last = mask->shape.rank - 1;
    struct shape shape = mask->shape;
    struct value *padded, *result;

    if (shape.dims[last] % ALIGNMENT == 0)
        return value_keep(mask);
    shape.dims[last] = round_up(shape.dims[last], ALIGNMENT);
    padded = aten_constant_pad(step, mask, &shape);
    result = aten_part(step, padded, &mask->shape, padded->strides);
    value_drop(step, padded);
    return result;
}

/* attention.cpp, preprocess_mask: a view for each head of each sequence. */
static struct value *
mask_of_heads(struct step *step, struct value *const operands[4])
{
    struct shape shape = operands[0]->shape;
    struct value *padded, *result;

    if (!operands[3])
        return NULL;
    padded = padded_mask(step, operands[3]);
    shape.dtype = padded->shape.dtype;
    shape.dims[WIDTH] = operands[1]->shape.dims[LENGTH];
    result = shape_equal(&shape, &padded->shape) ? value_keep(padded) : aten_expand(step, padded, &shape);
    value_drop(step, padded);
    return result;
}

/* logsumexp is for the backward pass; its rows come in blocks: mem_eff_attention/kernel_forward.h, kAlignLSE */
static void
efficient_forward(struct step *step, struct value *const operands[4], const struct memmodel_attention *options,
                  struct attention_made *made)
{
    enum { LOGSUMEXP_ROWS = 32 };
    struct shape shape = operands[0]->shape;

    if (step->version >= VERSION(2, 14) && !drops(step, options))
        make_generator(step, SEED, made);
    made->mask = mask_of_heads(step, operands);
    shape.dims[WIDTH] = operands[2]->shape.dims[WIDTH];
    made->result = length_first(step, &shape);
    if (made->wants_rows)
        made->rows = row_numbers(step, operands[0], LOGSUMEXP_ROWS);
}

/* ---- flash ---- */

enum { FLASH_ROWS = 128, FLASH_COLUMNS = 32 };

/*
 * The gradient of the query is added up in float32, its rows and columns rounded up; so is a product of each row. What is
 * not laid out length first is copied for the call: attention_backward.cu, _flash_attention_backward.
 */
static void
flash_backward(struct step *step, struct value *const saved[], const struct value *incoming, struct value **gradients,
               bool mask)
{
    const struct shape *shape = &saved[SAVED_QUERY]->shape;
    struct shape sums = {.rank = 4, .dtype = MEMMODEL_DTYPE_FLOAT32};
    struct value *copies[] = {length_first_copy(step, incoming), length_first_copy(step, saved[SAVED_RESULT])};
    struct value *rows, *sum, *expanded[2];

    (void)mask;
    make_gradients(step, saved, gradients);
    rows = row_numbers(step, saved[SAVED_QUERY], FLASH_ROWS);
    sums.dims[0] = shape->dims[BATCH];
    sums.dims[1] = round_up(shape->dims[LENGTH], FLASH_ROWS);
    sums.dims[2] = shape->dims[HEADS];
    sums.dims[3] = round_up(shape->dims[WIDTH], FLASH_COLUMNS);
    sum = value_empty(step, &sums);
    make_expanded(step, saved, incoming, expanded);
    value_drop(step, expanded[1]);
    value_drop(step, expanded[0]);
    value_drop(step, sum);
    value_drop(step, rows);
    value_drop_all(step, copies, 2);
}

/* Whether that many parts are other parts than one fewer are. */
static bool
is_eligible(int64_t blocks, int64_t splits)
{
    return splits == 1 || ceil_divide(blocks, splits) != ceil_divide(blocks, splits - 1);
}

/* How full the processors' last turn is, as a share of all turns. */
static double
efficiency(int64_t tasks, int64_t processors)
{
    return (double)tasks / (double)(ceil_divide(tasks, processors) * processors);
}

/* flash_api.cpp, num_splits_heuristic: the fewest parts with 85 % of the efficiency that can be had. */
static int64_t
splits_of(int64_t tasks, int64_t processors, int64_t blocks)
{
    enum { MAX_SPLITS = 128 };
    const double full = 0.8, good = 0.85;
    int64_t most = min_i64(MAX_SPLITS, min_i64(processors, blocks));
    double best = 0;

    if ((double)tasks >= full * (double)processors)
        return 1;
    for (int64_t i = 1; i <= most; i++)
        if (is_eligible(blocks, i) && efficiency(tasks * i, processors) > best)
            best = efficiency(tasks * i, processors);
    for (int64_t i = 1; i <= most; i++)
        if (is_eligible(blocks, i) && efficiency(tasks * i, processors) >= good * best)
            return i;
    return 1;
}

/*
 * Few rows leave processors idle: the keys are split, each part with a result and a row of numbers of its own in float32,
 * which are joined. flash_api.cpp, set_params_splitkv.
 */
static void
flash_splits(struct step *step, const struct value *query, const struct value *key, struct value *made[2])
{
    enum { ROWS = 64, NARROW = 64, USUAL = 128, BLOCK = 64, PER_PROCESSOR = 2 };
    int64_t width = query->shape.dims[WIDTH], block = width <= NARROW ? 4 * BLOCK : width <= USUAL ? 2 * BLOCK : BLOCK;
    int64_t groups = query->shape.dims[BATCH] * query->shape.dims[HEADS];
    int64_t tasks = groups * ceil_divide(query->shape.dims[LENGTH], ROWS);
    int64_t splits = splits_of(tasks, (int64_t)PER_PROCESSOR * step->cuda.gpu->processors,
                               ceil_divide(key->shape.dims[LENGTH], block));
    struct shape sums = {.rank = 4, .dtype = MEMMODEL_DTYPE_FLOAT32};

    if (splits == 1)
        return;
    sums.dims[0] = splits;
    sums.dims[1] = groups;
    sums.dims[2] = query->shape.dims[LENGTH];
    sums.dims[3] = 1;
    made[0] = value_empty(step, &sums);
    sums.dims[3] = round_up(width, FLASH_COLUMNS);
    made[1] = value_empty(step, &sums);
}

/* Query, key and value of half types, in heads of at most 256 that are a multiple of 8 wide. */
static bool
are_narrow_halves(struct value *const operands[4])
{
    enum { WIDEST = 256, ALIGNMENT = 8 };

    for (int i = 0; i < 3; i++)
        if (!value_is_half(operands[i]) || operands[i]->shape.rank != 4 || operands[i]->strides[WIDTH] != 1 ||
            operands[i]->shape.dims[WIDTH] > WIDEST || operands[i]->shape.dims[WIDTH] % ALIGNMENT != 0)
            return false;
    return true;
}

/* sdp_utils.cpp, use_flash_attention: half types from Ampere on, no mask, heads of at most 256 */
static bool
can_flash(const struct step *step, struct value *const operands[4])
{
    enum { AMPERE = 80 };

    return !operands[3] && step->cuda.gpu->capability >= AMPERE && are_narrow_halves(operands);
}

static void
flash_forward(struct step *step, struct value *const operands[4], const struct memmodel_attention *options,
              struct attention_made *made)
{
    struct value *sums[2] = {NULL};

    made->result = value_like(step, operands[0]);
    made->rows = row_numbers(step, operands[0], 1);
    if (!drops(step, options))
        flash_splits(step, operands[0], operands[1], sums);
    make_generator(step, SEED_AND_OFFSET, made);
    if (drops(step, options))
        value_drop(step, value_buffer(step, SEED_AND_OFFSET));
    value_drop_all(step, sums, 2);
}

/*
 * ---- cuDNN ---- native/cudnn/MHA.cpp, run_cudnn_SDP_fprop and _bprop. What its plans work in is not published:
 * on an H200 256 bytes forward; backward the gradient of the query and a number for each row in float32, and 256 bytes;
 * with shared keys and values (cuDNN 9.26, asked for an H100) their gradients for each head of the query besides.
 */

enum { CUDNN_WORKSPACE = 256 };

/* Gradients of shared keys and values for each head of the query. */
static int64_t
expanded_bytes(struct value *const saved[])
{
    int64_t heads = saved[SAVED_QUERY]->shape.dims[HEADS], bytes = 0;

    for (int i = 1; i < 3; i++) {
        struct shape shape = saved[SAVED_QUERY + i]->shape;
        bool grouped = shape.dims[HEADS] != heads;

        shape.dims[HEADS] = heads;
        bytes += grouped ? multiply_saturating(shape_elements(&shape), dtype_bytes(shape.dtype)) : 0;
    }
    return bytes;
}

static void
cudnn_backward(struct step *step, struct value *const saved[], const struct value *incoming, struct value **gradients,
               bool mask)
{
    const struct value *query = saved[SAVED_QUERY], *rows = saved[SAVED_ROWS];
    int64_t sums = multiply_saturating(value_elements(query), dtype_bytes(MEMMODEL_DTYPE_FLOAT32));

    (void)incoming;
    (void)mask;
    make_gradients(step, saved, gradients);
    value_drop(step, value_buffer(step, sums + expanded_bytes(saved) + rows->storage->bytes + CUDNN_WORKSPACE));
}

/* sdp_utils.cpp, check_cudnn_tensor_shapes. From 2.14 on heads of up to 128, or all of 256, or a query's of 192. */
static bool
has_cudnn_widths(const struct step *step, struct value *const operands[4])
{
    enum { USUAL = 128, LARGE = 192, LARGEST = 256 };
    int64_t width = operands[0]->shape.dims[WIDTH], value_width = operands[2]->shape.dims[WIDTH];

    if (step->version < VERSION(2, 14) || max_i64(width, value_width) <= USUAL)
        return true;
    return (width == LARGEST && value_width == LARGEST) || (width == LARGE && value_width == USUAL);
}

/*
 * sdp_utils.cpp, check_prefer_cudnn_attention: Hopper and the first Blackwell, since 2.11; no gradient of a mask; more than
 * one query; from 2.12 on no dropout.
 */
static bool
can_cudnn(const struct step *step, struct value *const operands[4], const struct memmodel_attention *options)
{
    enum { HOPPER = 90, BLACKWELL = 100 };
    int capability = step->cuda.gpu->capability;

    if (step->version < VERSION(2, 11) || (capability != HOPPER && capability != BLACKWELL))
        return false;
    if (step->version >= VERSION(2, 12) && drops(step, options))
        return false;
    if (!are_narrow_halves(operands) || operands[0]->shape.dims[LENGTH] == 1)
        return false;
    return !(operands[3] && operands[3]->node) && has_cudnn_widths(step, operands);
}

/* Seed and offset of the generator, the result, and the log-sum-exp of each row if there will be a backward pass. */
static void
cudnn_forward(struct step *step, struct value *const operands[4], const struct memmodel_attention *options,
              struct attention_made *made)
{
    (void)options;
    make_generator(step, SEED, made);
    made->result = like_query(step, operands[0], operands[2]);
    if (made->wants_rows)
        made->rows = row_numbers(step, operands[0], 1);
    value_drop(step, value_buffer(step, CUDNN_WORKSPACE));
}

/* ---- which ---- */

static void
attention_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct attention_kernel *kernel = node->options;

    kernel->backward(step, node->saved, incoming[0], gradients, node_wants(node, SAVED_MASK));
}

static const struct attention_kernel *
kernel_of(const struct step *step, struct value *const operands[4], const struct memmodel_attention *options)
{
    static const struct attention_kernel efficient = {
        {"scaled_dot_product_efficient_attention", attention_backward}, efficient_forward, efficient_backward};
    static const struct attention_kernel flash = {
        {"scaled_dot_product_flash_attention", attention_backward}, flash_forward, flash_backward};
    static const struct attention_kernel cudnn = {
        {"scaled_dot_product_cudnn_attention", attention_backward}, cudnn_forward, cudnn_backward};

    if (can_cudnn(step, operands, options))
        return &cudnn;
    if (can_flash(step, operands))
        return &flash;
    return can_be_efficient(step, operands) ? &efficient : NULL;
}

struct value *
attention_record(struct step *step, const struct derivative *derivative, const struct attention_kernel *kernel,
                 struct value *const operands[4], struct attention_made *made)
{
    struct value *inputs[] = {operands[0], operands[1], operands[2], made->mask};
    struct value *saved[] = {operands[0],  operands[1], operands[2], made->mask ? made->mask : operands[3],
                             made->result, made->rows,  made->seed,  made->offset};
    struct node *node = step_record(step, derivative, made->result, 4, inputs);

    if (node)
        node->options = kernel;
    for (int i = 0; i < SAVED_COUNT; i++)
        step_save(step, node, saved[i]);
    for (int i = SAVED_ROWS; i < SAVED_COUNT; i++)
        value_drop(step, saved[i]);
    value_drop(step, made->mask);
    return made->result;
}

struct value *
cuda_attention(struct step *step, struct value *query, struct value *key, struct value *value, struct value *mask,
               const struct memmodel_attention *options)
{
    struct value *const operands[] = {query, key, value, mask};
    const struct attention_kernel *kernel = kernel_of(step, operands, options);
    struct attention_made made = {.wants_rows = trains(step, operands)};

    if (step->parallel.context_ranks > 1)
        return ring_attention(step, kernel, operands, options);
    if (!kernel)
        return NULL;
    kernel->forward(step, operands, options, &made);
    return attention_record(step, &kernel->derivative, kernel, operands, &made);
}
