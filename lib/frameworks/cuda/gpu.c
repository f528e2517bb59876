/*
 * The table of GPUs. Compute capability and processors: CUDA C++ Programming Guide and NVIDIA's data sheets. None of the
 * context sizes was measured with this library; where they come from:
 *
 * - 256 MiB, RTX 3090: torch 2.7.1+cu128, nvidia-smi, github.com/invoke-ai/InvokeAI issue 9413
 * - 426 MiB, RTX 6000 Ada: torch 2.10+cu130, nvidia-smi, github.com/unslothai/unsloth-zoo pull 1053
 * - 287,047,680 bytes: torch 1.13, lazy loading, GPU not named, github.com/pytorch/pytorch pull 86509
 * - 400 MB: "around 400MB", CUDA >= 11.7, GPU not named, github.com/pytorch/pytorch issue 109888
 * - 500 MiB: a guess for GPUs that no public source names, with more processors than those above
 */
#include "frameworks/cuda/gpu.h"

#include "base/checked.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)

#define RTX_3090_CONTEXT (256 * MIB)
#define RTX_ADA_CONTEXT (426 * MIB)
#define LAZY_CONTEXT INT64_C(287047680)
#define USUAL_CONTEXT INT64_C(400000000)
#define LARGE_CONTEXT (500 * MIB)

static const struct gpu gpus[] = {
    {"t4", 75, 40, 15 * GIB, LAZY_CONTEXT},
    {"v100", 70, 80, 16 * GIB, LAZY_CONTEXT},
    {"v100-32gb", 70, 80, 32 * GIB, LAZY_CONTEXT},
    {"rtx2080ti", 75, 68, 11 * GIB, LAZY_CONTEXT},
    {"a100", 80, 108, 40 * GIB, USUAL_CONTEXT},
    {"a100-80gb", 80, 108, 80 * GIB, USUAL_CONTEXT},
    {"a10", 86, 72, 24 * GIB, RTX_3090_CONTEXT},
    {"a40", 86, 84, 48 * GIB, RTX_3090_CONTEXT},
    {"rtx3060", 86, 28, INT64_C(12622168064), RTX_3090_CONTEXT}, /* memory: as torch reports it (xMem's records) */
    {"rtx3090", 86, 82, 24 * GIB, RTX_3090_CONTEXT},
    {"a6000", 86, 84, 48 * GIB, RTX_3090_CONTEXT},
    {"l4", 89, 58, 24 * GIB, RTX_ADA_CONTEXT},
    {"l40s", 89, 142, 48 * GIB, RTX_ADA_CONTEXT},
    {"rtx4060", 89, 24, INT64_C(8318222336), RTX_ADA_CONTEXT}, /* the same */
    {"rtx4090", 89, 128, 24 * GIB, RTX_ADA_CONTEXT},
    {"h100", 90, 132, 80 * GIB, LARGE_CONTEXT},
    {"h200", 90, 132, 141 * INT64_C(1000000000), LARGE_CONTEXT},
    {"b200", 100, 148, 180 * INT64_C(1000000000), LARGE_CONTEXT},
    {"rtx5090", 120, 170, 32 * GIB, LARGE_CONTEXT},
};

enum { GPU_COUNT = sizeof gpus / sizeof gpus[0] };

static int
unknown(memmodel_context *context, const char *name)
{
    struct text names = TEXT_INIT(context);
    int status;

    for (size_t i = 0; i < GPU_COUNT; i++)
        text_printf(&names, "%s%s", i ? ", " : "", gpus[i].name);
    if (*name)
        status = context_error(context, MEMMODEL_ERROR_UNSUPPORTED, name, "no profile of this GPU; there are %s",
                               names.failed ? "others" : names.bytes);
    else
        status = context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "gpu",
                               "which GPU is it? There are profiles of %s", names.failed ? "many" : names.bytes);
    text_release(&names);
    return status;
}

int
gpu_find(memmodel_context *context, const char *name, const struct gpu **gpu)
{
    for (size_t i = 0; i < GPU_COUNT; i++) {
        if (strcasecmp(gpus[i].name, name) != 0)
            continue;
        *gpu = &gpus[i];
        return 0;
    }
    return unknown(context, name);
}

/* PyTorch: aten/src/ATen/cuda/CublasHandlePool.cpp, parseChosenWorkspaceSize: ":4096:2:16:8", from Hopper on 32 MiB. */
int64_t
gpu_cublas_workspace(const struct gpu *gpu)
{
    enum { HOPPER = 90, KIB = 1024 };

    return gpu->capability >= HOPPER ? 4096 * 8 * KIB : 4096 * 2 * KIB + 16 * 8 * KIB;
}
