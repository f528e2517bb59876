/*
 * A GPU: what cuBLAS works in, and the kernels that are simple. PyTorch 2.11, compared with an H200: test/data/pytorch_cuda.
 */
#include "frameworks/cuda/gpu.h"
#include "frameworks/optimizer.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

/* ---- cuBLAS: aten/src/ATen/cuda/CublasHandlePool.cpp, CUDABlas.cpp ---- */

/* cublasLt, which adds a bias on the way: CUDABlas.cpp, _parseChosenWorkspaceSize */
enum { CUBLASLT_WORKSPACE = 1024 * 1024 };

static void
keep_workspace(struct step *step, struct value **workspace, int64_t bytes)
{
    if (!*workspace)
        *workspace = value_buffer(step, bytes);
}

/*
 * A handle gets its workspace when it is first used, and keeps it; each thread has a handle of its own. So does cublasLt:
 * CUDABlas.cpp, CublasLtWorkspace.
 */
static void
product(struct step *step, enum product_kind kind, const struct value *result, int64_t summed)
{
    bool backward = step->trace->phase == MEMMODEL_PHASE_BACKWARD;

    (void)result;
    (void)summed;
    if (kind == PRODUCT_WITH_VECTOR)
        return;
    keep_workspace(step, &step->cuda.workspaces[backward], gpu_cublas_workspace(step->cuda.gpu));
    if (kind == PRODUCT_WITH_BIAS)
        keep_workspace(step, &step->cuda.lt_workspaces[backward], CUBLASLT_WORKSPACE);
}

/* ---- dropout: aten/src/ATen/native/cuda/Dropout.cu. Kept is the mask, a byte an element ---- */

static void
dropout_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)node;
    gradients[0] = value_like(step, incoming[0]);
}

static struct value *
cuda_dropout(struct step *step, struct value *x)
{
    static const struct derivative native_dropout = {"native_dropout", dropout_backward};
    struct value *mask = value_like_typed(step, x, MEMMODEL_DTYPE_BOOL), *result = value_like(step, x);

    step_save(step, step_record(step, &native_dropout, result, 1, &x), mask);
    value_drop(step, mask);
    return result;
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
    .reduce = cuda_reduce,
    .convolution = cuda_convolution,
    .batch_norm = cuda_batch_norm,
    .dropout = cuda_dropout,
    .attention = cuda_attention,
    .embedding_backward = cuda_embedding_backward,
    .index_put = cuda_index_put,
    .recurrent = cuda_recurrent,
};
