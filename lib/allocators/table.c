/* The allocators by name, and which one a framework uses on a device. */
#include "allocators/allocator.h"

#include <string.h>

static const struct allocator *const allocators[] = {
    &allocator_exact, &allocator_cuda_caching, &allocator_bfc, &allocator_onnxruntime, &allocator_glibc,
};

/* PyTorch: c10/core/impl/alloc_cpu.cpp asks posix_memalign() for gAlignment, 64 bytes. */
static const struct use {
    const char *framework, *device;
    const struct allocator *allocator;
    const struct allocator *process; /* what serves it from the process's memory */
    const char *settings;            /* of `process` */
} uses[] = {
    {"pytorch", "cpu", &allocator_exact, &allocator_glibc, "alignment:64"},
    {"pytorch", "cuda", &allocator_cuda_caching, NULL, NULL},
    {"onnxruntime", "cpu", &allocator_onnxruntime, NULL, NULL},
    {"tensorflow", "cpu", &allocator_bfc, NULL, NULL},
    {"tensorflow", "cuda", &allocator_bfc, NULL, NULL},
};

const struct allocator *
allocator_find(const char *name)
{
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++)
        if (strcmp(allocators[i]->name, name) == 0)
            return allocators[i];
    return NULL;
}

static const struct use *
find_use(const char *framework, const char *device)
{
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (strcmp(uses[i].framework, framework) == 0 && strcmp(uses[i].device, device) == 0)
            return &uses[i];
    return NULL;
}

const struct allocator *
allocator_of_framework(const char *framework, const char *device)
{
    const struct use *use = find_use(framework, device);

    return use ? use->allocator : NULL;
}

const struct allocator *
allocator_of_process(const char *framework, const char *device, const char **settings)
{
    const struct use *use = find_use(framework, device);

    *settings = use ? use->settings : NULL;
    return use ? use->process : NULL;
}
