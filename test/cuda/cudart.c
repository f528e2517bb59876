/* A library of CUDA's name whose functions must not be called: the stand-in takes its place. */
#include <stdlib.h>

#define NEVER(name)                                                                                                    \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        abort();                                                                                                       \
    }

NEVER(cudaSetDevice)
NEVER(cudaGetDeviceCount)
NEVER(cudaMalloc)
NEVER(cudaFree)
NEVER(cudaMemGetInfo)
NEVER(cudaMemcpy)
NEVER(cudaGetErrorString)
NEVER(cudaNobodyKnowsThis)
