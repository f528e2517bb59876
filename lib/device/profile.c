/*
 * What programs ask a GPU about, besides what frameworks/cuda/gpu.c has. By compute capability: CUDA C++ Programming Guide,
 * table "Technical Specifications per Compute Capability". Names and cache: as the driver reports them, from outputs of
 * deviceQuery and nvidia-smi that were published.
 */
#include "device/profile.h"

#include "base/text.h"
#include "memmodel/device.h"

#include <stdio.h>
#include <string.h>

#define KIB (INT64_C(1) << 10)
#define MIB (INT64_C(1) << 20)

struct generation {
    int32_t capability, threads, blocks;
    int64_t shared, block_shared;
};

static const struct generation generations[] = {
    {70, 2048, 32, 96 * KIB, 96 * KIB},    {75, 1024, 16, 64 * KIB, 64 * KIB},   {80, 2048, 32, 164 * KIB, 163 * KIB},
    {86, 1536, 16, 100 * KIB, 99 * KIB},   {89, 1536, 24, 100 * KIB, 99 * KIB},  {90, 2048, 32, 228 * KIB, 227 * KIB},
    {100, 2048, 32, 228 * KIB, 227 * KIB}, {120, 1536, 24, 100 * KIB, 99 * KIB},
};

struct product {
    const char *gpu, *name;
    int64_t l2;
};

static const struct product products[] = {
    {"t4", "Tesla T4", 4 * MIB},
    {"v100", "Tesla V100-SXM2-16GB", 6 * MIB},
    {"v100-32gb", "Tesla V100-SXM2-32GB", 6 * MIB},
    {"rtx2080ti", "NVIDIA GeForce RTX 2080 Ti", 5632 * KIB},
    {"a100", "NVIDIA A100-SXM4-40GB", 40 * MIB},
    {"a100-40gb", "NVIDIA A100-SXM4-40GB", 40 * MIB},
    {"a100-80gb", "NVIDIA A100-SXM4-80GB", 40 * MIB},
    {"a10", "NVIDIA A10", 6 * MIB},
    {"a40", "NVIDIA A40", 6 * MIB},
    {"rtx3060", "NVIDIA GeForce RTX 3060", 2304 * KIB},
    {"rtx3090", "NVIDIA GeForce RTX 3090", 6 * MIB},
    {"a6000", "NVIDIA RTX A6000", 6 * MIB},
    {"l4", "NVIDIA L4", 48 * MIB},
    {"l40s", "NVIDIA L40S", 48 * MIB},
    {"rtx4060", "NVIDIA GeForce RTX 4060", 24 * MIB},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 72 * MIB},
    {"h100", "NVIDIA H100 80GB HBM3", 50 * MIB},
    {"h200", "NVIDIA H200", 60 * MIB},
    {"b200", "NVIDIA B200", 126 * MIB},
    {"rtx5090", "NVIDIA GeForce RTX 5090", 96 * MIB},
};

/* The newest generation that is not newer than the GPU. */
static const struct generation *
generation_of(int32_t capability)
{
    const struct generation *found = generations;

    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (generations[i].capability <= capability)
            found = &generations[i];
    return found;
}

static struct product
product_of(const char *gpu)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (strcmp(products[i].gpu, gpu) == 0)
            return products[i];
    return (struct product){.gpu = gpu, .name = gpu, .l2 = 4 * MIB};
}

struct ledger_gpu
device_profile(const struct gpu *gpu)
{
    const struct generation *generation = generation_of(gpu->capability);
    struct product product = product_of(gpu->name);
    struct ledger_gpu profile = {.capability = gpu->capability,
                                 .processors = gpu->processors,
                                 .processor_threads = generation->threads,
                                 .processor_blocks = generation->blocks,
                                 .processor_shared = generation->shared,
                                 .block_shared = generation->block_shared,
                                 .l2 = product.l2,
                                 .memory = gpu->memory,
                                 .context_bytes = gpu->context_bytes,
                                 .module_bytes = gpu->module_bytes};

    snprintf(profile.name, sizeof profile.name, "%s", product.name);
    return profile;
}

size_t
memmodel_device_kind_count(void)
{
    return gpu_count();
}

/* "h100:8": kind and number. No other place reads that. */
static int
find_counted(memmodel_context *context, const char *text, const struct gpu **gpu, int32_t *count)
{
    const char *colon = strchr(text, ':');
    char kind[64];
    int64_t number;

    *count = 1;
    if (!colon)
        return gpu_find(context, text, gpu);
    if ((size_t)(colon - text) >= sizeof kind || !parse_int64(colon + 1, &number) || number < 1 ||
        number > LEDGER_DEVICES)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "gpu",
                             "'%.60s': a kind of GPU, and after a colon how many of it, 1 to %d, such as h100:8", text,
                             (int)LEDGER_DEVICES);
    snprintf(kind, sizeof kind, "%.*s", (int)(colon - text), text);
    *count = (int32_t)number;
    return gpu_find(context, kind, gpu);
}

int
memmodel_device_get_properties(memmodel_context *context, const char *gpu,
                               struct memmodel_device_properties *properties)
{
    struct memmodel_device_properties own = {.size = sizeof own};
    const struct gpu *found;
    struct ledger_gpu profile;
    int status;

    if (!context || !gpu || !properties)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = result_check(context, "memmodel_device_properties", properties);
    if (!status)
        status = find_counted(context, gpu, &found, &own.count);
    if (status)
        return context_status(context, status);
    profile = device_profile(found);
    own.kind = found->name;
    own.name = product_of(found->name).name;
    own.memory = profile.memory;
    own.capability = profile.capability;
    own.processors = profile.processors;
    own.processor_threads = profile.processor_threads;
    own.processor_shared_bytes = profile.processor_shared;
    own.block_shared_bytes = profile.block_shared;
    own.l2_bytes = profile.l2;
    result_copy(&own, sizeof own, properties);
    return context_status(context, 0);
}
