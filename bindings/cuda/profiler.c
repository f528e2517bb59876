/* CUPTI, which is absent: programs profile nothing. Its version is asked where it is to be there at all. */
#include "device.h"

#include "runtime.h"

/* cupti_version.h: 18 of CUDA 12.0, 22 of 12.4; since CUDA 13 that of the toolkit. */
ANSWER(int, cuptiGetVersion, uint32_t *version)
{
    enum { OF_12_0 = 18, CUDA_12 = 12000, CUDA_13 = 13000, INVALID_PARAMETER = 1 };
    int cuda = runtime_version();

    if (!version)
        return INVALID_PARAMETER;
    *version = (uint32_t)(cuda >= CUDA_13 ? cuda * 10 : OF_12_0 + (cuda - CUDA_12) / 10);
    return 0;
}
