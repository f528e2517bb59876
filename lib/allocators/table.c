/* The allocators by name. */
#include "allocators/allocator.h"

#include <string.h>

static const struct allocator *const allocators[] = {
    &allocator_exact, &allocator_cuda_caching, &allocator_bfc, &allocator_onnxruntime, &allocator_glibc,
};

const struct allocator *
allocator_find(const char *name)
{
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++)
        if (strcmp(allocators[i]->name, name) == 0)
            return allocators[i];
    return NULL;
}
