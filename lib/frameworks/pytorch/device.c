/* The devices by name, and the CPU's row. */
#include "base/checked.h"
#include "frameworks/pytorch/autocast.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operands.h"
#include "frameworks/pytorch/tensor.h"

#include <string.h>

/*
 * Larger products of bfloat16 are oneDNN's where it has kernels for them, and its scratchpads are not modelled.
 * PyTorch: aten/src/ATen/native/mkldnn/Matmul.cpp, use_mkldnn_bf16_matmul, checksize.
 */
static void
cpu_product(struct step *step, enum product_kind kind, const struct value *result, int64_t summed)
{
    enum { MKLDNN_GEMM_MIN_SIZE = 16 * 16 * 16 };

    (void)kind;
    if (result->shape.dtype != MEMMODEL_DTYPE_BFLOAT16 || step->machine.isa != CPU_ISA_AVX512)
        return;
    if (multiply_saturating(value_elements(result), summed) > MKLDNN_GEMM_MIN_SIZE)
        step_unmodelled(step, "product of bfloat16", result->storage->bytes);
}

const struct device pytorch_cpu = {
    .name = "cpu",
    .host = true,
    .copying_casts = true,
    .partial_sums = true,
    .float_scatters = true,
    .autocast = &autocast_cpu,
    .product = cpu_product,
    .convolution = cpu_convolution,
    .batch_norm = cpu_batch_norm,
    .dropout = cpu_dropout,
    .attention = cpu_attention,
    .embedding_backward = cpu_embedding_backward,
    .recurrent = cpu_recurrent,
};

static const struct device *const devices[] = {&pytorch_cpu, &pytorch_cuda};

int
device_find(memmodel_context *context, const char *name, const struct device **device)
{
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        if (strcmp(devices[i]->name, name) != 0)
            continue;
        *device = devices[i];
        return 0;
    }
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, name, "PyTorch is simulated on cpu and cuda");
}
