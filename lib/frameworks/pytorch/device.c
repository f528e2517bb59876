/* The devices by name, and the CPU's row. */
#include "base/checked.h"
#include "frameworks/pytorch/autocast.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operands.h"
#include "frameworks/pytorch/tensor.h"

#include <string.h>

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
