/* A GPU: the kernels that are simple. PyTorch 2.11, compared with an H200: test/data/pytorch_cuda. */
#include "frameworks/cuda/workspace.h"
#include "frameworks/optimizer.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

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
    int status = gpu_find(step->context, step->job->gpu, &step->cuda.gpu);

    return status ? status
                  : cublas_workspace_bytes(step->context, step->cuda.gpu, step->version, step->job->cublas_workspace,
                                           &step->cuda.workspace_bytes);
}

const struct device pytorch_cuda = {
    .name = "cuda",
    .half_convolutions = true,
    .wide_statistics = true,
    .autocast = &autocast_cuda,
    .optimizer = OPTIMIZER_FOREACH,
    .open = open,
    .product = cuda_product,
    .reduce = cuda_reduce,
    .convolution = cuda_convolution,
    .batch_norm = cuda_batch_norm,
    .dropout = cuda_dropout,
    .attention = cuda_attention,
    .embedding_backward = cuda_embedding_backward,
    .index_put = cuda_index_put,
    .recurrent = cuda_recurrent,
};
