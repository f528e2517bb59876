/* Which kernel a program runs with: asked once, when it is compiled. */
#include "expression/kernels.h"

/* What is not built has the next narrower one in its place. */
static const kernel kernels[CPU_VECTORS_COUNT] = {
    [CPU_VECTORS_128] = kernel_128,
#if defined(KERNEL_256)
    [CPU_VECTORS_256] = kernel_256,
#else
    [CPU_VECTORS_256] = kernel_128,
#endif
#if defined(KERNEL_512)
    [CPU_VECTORS_512] = kernel_512,
#elif defined(KERNEL_256)
    [CPU_VECTORS_512] = kernel_256,
#else
    [CPU_VECTORS_512] = kernel_128,
#endif
};

kernel
kernel_for(enum cpu_vectors vectors)
{
    return kernels[vectors];
}
