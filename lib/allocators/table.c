/* The allocators by name, and which one a framework uses on a device. */
#include "allocators/allocator.h"

#include <string.h>

static const struct allocator *const allocators[] = {
    &allocator_exact,
    &allocator_cuda_caching,
    &allocator_bfc,
    &allocator_onnxruntime,
    &allocator_glibc,
};

static const struct {
    const char *framework, *device;
    const struct allocator *allocator;
} uses[] = {
    {"pytorch", "cpu", &allocator_exact},     {"pytorch", "cuda", &allocator_cuda_caching},
    {"onnxruntime", "cpu", &allocator_onnxruntime}, {"tensorflow", "cpu", &allocator_bfc},
    {"tensorflow", "cuda", &allocator_bfc},
};

const struct allocator *
allocator_find(const char *name)
{
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++)
        if (strcmp(allocators[i]->name, name) == 0)
            return allocators[i];
    return NULL;
}

const struct allocator *
allocator_of_framework(const char *framework, const char *device)
{
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (strcmp(uses[i].framework, framework) == 0 && strcmp(uses[i].device, device) == 0)
            return uses[i].allocator;
    return NULL;
}
