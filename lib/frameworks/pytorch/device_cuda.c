/*
 * A GPU: what cuBLAS works in, and the kernels that are simple. PyTorch 2.6 to 2.11; by what is known of its sources, not measured.
 */
#include "frameworks/cuda/gpu.h"
#include "frameworks/optimizer.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

/* ---- cuBLAS: aten/src/ATen/cuda/CublasHandlePool.cpp, CUDABlas.cpp ---- */

/* cublasLt, which adds the bias on the way: CUDABlas.cpp, _parseChosenWorkspaceSize */
enum { CUBLASLT_WORKSPACE = 1024 * 1024 };

/* A handle gets its workspace when it is first used, and keeps it; each thread has a handle of its own. */
static void
product(struct step *step, enum product_kind kind, const struct value *result, int64_t summed)
{
    struct value **workspace = &step->cuda.workspaces[step->trace->phase == MEMMODEL_PHASE_BACKWARD];

    (void)result;
    (void)summed;
    if (kind == PRODUCT_WITH_VECTOR)
        return;
    if (!*workspace)
        *workspace = value_buffer(step, gpu_cublas_workspace(step->cuda.gpu));
    if (kind == PRODUCT_WITH_BIAS)
        value_drop(step, value_buffer(step, CUBLASLT_WORKSPACE));
}

/* ---- dropout: aten/src/ATen/native/cuda/Dropout.cu. Kept is the mask, a byte an element ---- */

static void
dropout_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)node;
    gradients[0] = value_like(step, incoming[0]);
}

struct value *
cuda_dropout(struct step *step, struct value *x)
{
    static const struct derivative native_dropout = {"native_dropout", dropout_backward};
    struct value *mask = value_like_typed(step, x, MEMMODEL_DTYPE_BOOL), *result = value_like(step, x);

    step_save(step, step_record(step, &native_dropout, result, 1, &x), mask);
    value_drop(step, mask);
    return result;
}

/* ---- embedding: aten/src/ATen/native/cuda/Embedding.cu, EmbeddingBackwardKernel.cu ---- */

/* Up to this many indices no sorting is needed. */
enum { UNSORTED_INDICES = 3072 };

/* Sorts the indices with their places, then sums row by row: offsets of segments, and a row for each index. */
static void
sort_and_sum(struct step *step, const struct value *gradient, int dtype, int64_t count)
{
    enum { SORTED, PLACES, RANGE, SEGMENTS = RANGE, PARTIALS, OFFSETS, PARTIAL_OFFSETS, MADE };
    struct shape rows = {.dims = {count, gradient->shape.dims[gradient->shape.rank - 1]}, .rank = 2};
    struct value *made[MADE];

    for (int i = SORTED; i <= RANGE; i++)
        made[i] = value_vector(step, dtype, count);
    value_scratch(step, &(struct shape){.dims = {2 * count}, .rank = 1, .dtype = dtype}); /* of the radix sort */
    value_drop(step, made[RANGE]);
    for (int i = SEGMENTS; i < MADE; i++)
        made[i] = value_vector(step, dtype, count);
    rows.dtype = gradient->shape.dtype == MEMMODEL_DTYPE_FLOAT64 ? MEMMODEL_DTYPE_FLOAT64 : MEMMODEL_DTYPE_FLOAT32;
    value_scratch(step, &rows);
    value_drop_all(step, made, MADE);
}

void
cuda_embedding_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct value *indices = node->saved[0];
    struct value *copy = value_is_contiguous(incoming[0]) ? NULL : value_copy(step, incoming[0]);
    struct value *flat = value_is_contiguous(indices) ? NULL : value_copy(step, indices);

    gradients[0] = value_empty(step, &node->edges[0].shape);
    if (value_elements(indices) > UNSORTED_INDICES)
        sort_and_sum(step, incoming[0], indices->shape.dtype, value_elements(indices));
    value_drop(step, flat);
    value_drop(step, copy);
}

/* ---- the row ---- */

static int
open(struct step *step)
{
    return gpu_find(step->context, step->job->gpu, &step->cuda.gpu);
}

const struct device pytorch_cuda = {
    .name = "cuda",
    .half_convolutions = true,
    .wide_statistics = true,
    .autocast = &autocast_cuda,
    .optimizer = OPTIMIZER_FOREACH,
    .open = open,
    .product = product,
    .convolution = cuda_convolution,
    .batch_norm = cuda_batch_norm,
    .dropout = cuda_dropout,
    .attention = cuda_attention,
    .embedding_backward = cuda_embedding_backward,
};
