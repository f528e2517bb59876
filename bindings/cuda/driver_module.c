/* The CUDA driver: modules, functions, launches, streams and events. Compiled code is loaded into nothing. */
#include "driver.h"

#include "runtime.h"

#include <string.h>

static int
make(void **handle, enum handle_kind kind)
{
    if (!handle)
        return DRIVER_INVALID_VALUE;
    *handle = handle_new(kind);
    return *handle ? DRIVER_SUCCESS : DRIVER_OUT_OF_MEMORY;
}

static int
end(void *handle, enum handle_kind kind)
{
    return handle_delete(handle, kind) ? DRIVER_SUCCESS : DRIVER_INVALID_HANDLE;
}

/* ---- modules ---- */

ANSWER(int, cuModuleLoad, void **module, const char *path)
{
    return make(module, HANDLE_MODULE);
}

ANSWER(int, cuModuleLoadData, void **module, const void *image)
{
    return make(module, HANDLE_MODULE);
}

ANSWER(int, cuModuleLoadDataEx, void **module, const void *image)
{
    return make(module, HANDLE_MODULE);
}

ANSWER(int, cuModuleLoadFatBinary, void **module, const void *image)
{
    return make(module, HANDLE_MODULE);
}

ANSWER(int, cuModuleUnload, void *module)
{
    return end(module, HANDLE_MODULE);
}

ANSWER(int, cuModuleGetFunction, void **function, void *module, const char *name)
{
    return handle_get(module, HANDLE_MODULE) ? make(function, HANDLE_FUNCTION) : DRIVER_INVALID_HANDLE;
}

ANSWER(int, cuLibraryLoadData, void **library, const void *image)
{
    return make(library, HANDLE_MODULE);
}

ANSWER(int, cuLibraryLoadFromFile, void **library, const char *path)
{
    return make(library, HANDLE_MODULE);
}

ANSWER(int, cuLibraryUnload, void *library)
{
    return end(library, HANDLE_MODULE);
}

ANSWER(int, cuLibraryGetKernel, void **kernel, void *library, const char *name)
{
    return handle_get(library, HANDLE_MODULE) ? make(kernel, HANDLE_FUNCTION) : DRIVER_INVALID_HANDLE;
}

/* Every library is as if one kernel had been compiled into it. */
ANSWER(int, cuLibraryGetKernelCount, unsigned *count, void *library)
{
    if (!count || !handle_get(library, HANDLE_MODULE))
        return DRIVER_INVALID_VALUE;
    *count = 1;
    return DRIVER_SUCCESS;
}

ANSWER(int, cuLibraryEnumerateKernels, void **kernels, unsigned count, void *library)
{
    return count == 0 ? DRIVER_INVALID_VALUE : cuLibraryGetKernel(kernels, library, "");
}

ANSWER(int, cuLibraryGetModule, void **module, void *library)
{
    if (!module || !handle_get(library, HANDLE_MODULE))
        return DRIVER_INVALID_HANDLE;
    *module = library;
    return DRIVER_SUCCESS;
}

ANSWER(int, cuKernelGetFunction, void **function, void *kernel)
{
    if (!function || !handle_get(kernel, HANDLE_FUNCTION))
        return DRIVER_INVALID_HANDLE;
    *function = kernel;
    return DRIVER_SUCCESS;
}

ANSWER(int, cuLinkCreate_v2, unsigned count, void *options, void **values, void **state)
{
    return make(state, HANDLE_OTHER);
}

/* The state stands for what was linked: nobody reads it but cuModuleLoadData(). */
ANSWER(int, cuLinkComplete, void *state, void **image, size_t *bytes)
{
    if (!image || !bytes || !handle_get(state, HANDLE_OTHER))
        return DRIVER_INVALID_VALUE;
    *image = state;
    *bytes = HANDLE_BYTES;
    return DRIVER_SUCCESS;
}

/* ---- functions ---- */

/* By CUfunction_attribute; registers, as in runtime_kernel.c, few. */
ANSWER(int, cuFuncGetAttribute, int *value, int attribute, void *function)
{
    enum { THREADS = 0, REGISTERS = 4, DYNAMIC_SHARED = 8 };

    if (!value)
        return DRIVER_INVALID_VALUE;
    *value = attribute == THREADS ? 1024 : attribute == REGISTERS ? 32 : attribute == DYNAMIC_SHARED ? 49152 : 0;
    return DRIVER_SUCCESS;
}

ANSWER(int, cuKernelGetAttribute, int *value, int attribute, void *kernel, int device)
{
    return cuFuncGetAttribute(value, attribute, kernel);
}

ANSWER(int, cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, void *function, int threads, size_t shared)
{
    if (!blocks)
        return DRIVER_INVALID_VALUE;
    *blocks = kernel_blocks_per_processor(threads, shared);
    return DRIVER_SUCCESS;
}

ANSWER(int, cuOccupancyMaxActiveClusters, int *clusters, void *function, const void *configuration)
{
    if (!clusters)
        return DRIVER_INVALID_VALUE;
    *clusters = device_gpu()->processors;
    return DRIVER_SUCCESS;
}

/* Nobody but the device reads what it describes. */
ANSWER(int, cuTensorMapEncodeTiled, void *map)
{
    enum { BYTES = 128 };

    if (!map)
        return DRIVER_INVALID_VALUE;
    memset(map, 0, BYTES);
    return DRIVER_SUCCESS;
}

/* ---- launches ---- */

static int
launch(void *function, const void *stream)
{
    if (!function)
        return DRIVER_INVALID_HANDLE;
    if (device_count() == 0)
        return DRIVER_NO_DEVICE;
    runtime_launched(stream);
    return DRIVER_SUCCESS;
}

ANSWER(int, cuLaunchKernel, void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
       unsigned block_y, unsigned block_z, unsigned shared, void *stream)
{
    return launch(function, stream);
}

ANSWER(int, cuLaunchCooperativeKernel, void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream)
{
    return launch(function, stream);
}

ANSWER(int, cuLaunchKernelEx, const void *configuration, void *function)
{
    const struct {
        unsigned grid[3], block[3], shared;
        void *stream;
    } *found = configuration;

    return found ? launch(function, found->stream) : DRIVER_INVALID_VALUE;
}

/* ---- streams and events: the runtime's ---- */

extern int
cudaStreamCreateWithFlags(void **stream, unsigned flags);
extern int
cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority);
extern int
cudaStreamDestroy(void *stream);
extern int
cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data);
extern int
cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
extern int
cudaEventCreateWithFlags(void **event, unsigned flags);
extern int
cudaEventDestroy(void *event);
extern int
cudaEventRecord(void *event, void *stream);
extern int
cudaEventElapsedTime(float *milliseconds, void *start, void *end);
extern int
cudaStreamIsCapturing(void *stream, int *status);

ANSWER(int, cuStreamCreate, void **stream, unsigned flags)
{
    return cudaStreamCreateWithFlags(stream, flags);
}

ANSWER(int, cuStreamCreateWithPriority, void **stream, unsigned flags, int priority)
{
    return cudaStreamCreateWithPriority(stream, flags, priority);
}

ANSWER(int, cuCtxGetStreamPriorityRange, int *least, int *greatest)
{
    return cudaDeviceGetStreamPriorityRange(least, greatest);
}

ANSWER(int, cuLaunchHostFunc, void *stream, void (*function)(void *), void *data)
{
    return cudaLaunchHostFunc(stream, function, data);
}

ANSWER(int, cuStreamDestroy_v2, void *stream)
{
    return cudaStreamDestroy(stream);
}

ANSWER(int, cuStreamIsCapturing, void *stream, int *status)
{
    return cudaStreamIsCapturing(stream, status);
}

ANSWER(int, cuEventCreate, void **event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

ANSWER(int, cuEventDestroy_v2, void *event)
{
    return cudaEventDestroy(event);
}

ANSWER(int, cuEventRecord, void *event, void *stream)
{
    return cudaEventRecord(event, stream);
}

ANSWER(int, cuEventElapsedTime_v2, float *milliseconds, void *start, void *end)
{
    return cudaEventElapsedTime(milliseconds, start, end);
}

/* ---- for programs with a default stream of each thread ---- */

PER_THREAD(cuLaunchKernel, ptsz)
PER_THREAD(cuLaunchCooperativeKernel, ptsz)
PER_THREAD(cuLaunchKernelEx, ptsz)
PER_THREAD(cuStreamIsCapturing, ptsz)
PER_THREAD(cuLaunchHostFunc, ptsz)
PER_THREAD(cuEventRecord, ptsz)
