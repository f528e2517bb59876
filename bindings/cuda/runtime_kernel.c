/* The CUDA runtime: kernels, which are registered and launched and do nothing; modules; the driver by name. */
#define _GNU_SOURCE
#include "runtime.h"

#include "driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct extent {
    unsigned x, y, z;
};

/* ---- launches ---- */

struct configuration {
    struct extent grid, block;
    size_t shared;
    void *stream;
};

enum { NESTED = 64 };
static _Thread_local struct configuration configurations[NESTED];
static _Thread_local unsigned depth;

ANSWER(unsigned, __cudaPushCallConfiguration, struct extent grid, struct extent block, size_t shared, void *stream)
{
    if (depth < NESTED)
        configurations[depth] = (struct configuration){grid, block, shared, stream};
    depth++;
    return 0;
}

ANSWER(int, __cudaPopCallConfiguration, struct extent *grid, struct extent *block, size_t *shared, void *stream)
{
    static const struct configuration none = {{1, 1, 1}, {1, 1, 1}, 0, NULL};
    const struct configuration *last = &none;

    if (!grid || !block || !shared || !stream)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (depth > 0 && --depth < NESTED)
        last = &configurations[depth];
    *grid = last->grid;
    *block = last->block;
    *shared = last->shared;
    *(void **)stream = last->stream;
    return RUNTIME_SUCCESS;
}

static int
launch(const void *kernel, const void *stream)
{
    if (!kernel)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (device_count() == 0)
        return runtime_fail(RUNTIME_NO_DEVICE);
    runtime_launched(stream);
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaLaunchKernel, const void *kernel, struct extent grid, struct extent block, void **arguments,
       size_t shared, void *stream)
{
    return launch(kernel, stream);
}

ANSWER(int, __cudaLaunchKernel, const void *kernel, struct extent grid, struct extent block, void **arguments,
       size_t shared, void *stream)
{
    return launch(kernel, stream);
}

ANSWER(int, cudaLaunchCooperativeKernel, const void *kernel, struct extent grid, struct extent block, void **arguments,
       size_t shared, void *stream)
{
    return launch(kernel, stream);
}

ANSWER(int, cudaLaunchKernelExC, const void *configuration, const void *kernel, void **arguments)
{
    const struct configuration *found = configuration;

    if (!found)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    return launch(kernel, found->stream);
}

/* ---- registration, by the code that the compiler puts into each library ---- */

struct kernel {
    const void *address;
    const char *name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel *kernels;
static size_t kernel_count, kernel_capacity;

ANSWER(void **, __cudaRegisterFatBinary, void *binary)
{
    static void *module[1];

    return module;
}

ANSWER(void, __cudaRegisterFatBinaryEnd, void **module)
{
}

ANSWER(void, __cudaUnregisterFatBinary, void **module)
{
}

ANSWER(char, __cudaInitModule, void **module)
{
    return 1;
}

ANSWER(void, __cudaRegisterVar, void **module, char *host, char *device, const char *name, int external, size_t bytes,
       int constant, int global)
{
}

ANSWER(void, __cudaRegisterManagedVar, void **module, void **host, char *device, const char *name, int external,
       size_t bytes, int constant, int global)
{
}

ANSWER(void, __cudaRegisterFunction, void **module, const char *address, char *device, const char *name)
{
    pthread_mutex_lock(&lock);
    if (kernel_count == kernel_capacity) {
        size_t capacity = kernel_capacity ? 2 * kernel_capacity : 1024;
        struct kernel *grown = realloc(kernels, capacity * sizeof *grown);

        kernels = grown ? grown : kernels;
        kernel_capacity = grown ? capacity : kernel_capacity;
    }
    if (kernel_count < kernel_capacity)
        kernels[kernel_count++] = (struct kernel){address, name};
    pthread_mutex_unlock(&lock);
}

ANSWER(int, cudaFuncGetName, const char **name, const void *address)
{
    if (!name)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *name = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < kernel_count && !*name; i++)
        if (kernels[i].address == address)
            *name = kernels[i].name;
    pthread_mutex_unlock(&lock);
    return *name ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_VALUE);
}

/* A kernel is its own handle. */
static int
same(void **handle, const void *kernel)
{
    if (!handle || !kernel)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *handle = (void *)(uintptr_t)kernel;
    return RUNTIME_SUCCESS;
}

ANSWER(int, __cudaGetKernel, void **handle, const void *kernel)
{
    return same(handle, kernel);
}

ANSWER(int, cudaGetKernel, void **handle, const void *kernel)
{
    return same(handle, kernel);
}

ANSWER(int, cudaGetFuncBySymbol, void **handle, const void *kernel)
{
    return same(handle, kernel);
}

/* ---- what kernels need ---- */

/* Architectures that libraries are built for: the newest that a GPU can run is what it runs. 0: there is none. */
static int
architecture(int capability)
{
    static const int built[] = {50, 60, 70, 75, 80, 86, 90, 100, 120};
    int first_of_13 = 75, found = 0;

    for (size_t i = 0; i < sizeof built / sizeof *built; i++)
        if (built[i] <= capability && (runtime_version() < RUNTIME_13 || built[i] >= first_of_13))
            found = built[i];
    return found;
}

/* Registers and shared memory of a kernel are not known: few of them, so that its blocks are limited by threads. */
ANSWER(int, cudaFuncGetAttributes, void *attributes, const void *kernel)
{
    enum { REGISTERS = 32, THREADS = 1024, DYNAMIC_SHARED = 49152 };
    struct {
        size_t shared, constant, local;
        int threads, registers, ptx_version, binary_version, cache_mode, dynamic_shared, carveout, cluster[5];
    } *found = attributes;
    int version = architecture(device_gpu()->capability);

    if (!found)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (version == 0)
        return runtime_fail(RUNTIME_NO_KERNEL_IMAGE);
    memset(found, 0, sizeof *found);
    found->threads = THREADS;
    found->registers = REGISTERS;
    found->ptx_version = found->binary_version = version;
    found->dynamic_shared = DYNAMIC_SHARED;
    return RUNTIME_SUCCESS;
}

static int
least(int a, int b)
{
    return a < b ? a : b;
}

/* CUDA C++ Programming Guide, "Occupancy Calculator": by threads, by shared memory, by the number of blocks. */
int
kernel_blocks_per_processor(int threads, size_t shared)
{
    enum { WARP = 32, SYSTEM_SHARED = 1024 };
    const struct ledger_gpu *gpu = device_gpu();
    int by_threads = threads > 0 ? gpu->processor_threads / ((threads + WARP - 1) / WARP * WARP) : 0;
    int64_t by_shared = shared > 0 && shared < INT32_MAX ? gpu->processor_shared / (int64_t)(shared + SYSTEM_SHARED)
                                                         : gpu->processor_blocks;

    return least(by_threads, least((int)by_shared, gpu->processor_blocks));
}

ANSWER(int, cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const void *kernel, int threads, size_t shared)
{
    if (!blocks)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *blocks = kernel_blocks_per_processor(threads, shared);
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *kernel, int threads,
       size_t shared, unsigned flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}

ANSWER(int, cudaOccupancyMaxActiveClusters, int *clusters, const void *kernel, const void *configuration)
{
    if (!clusters)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *clusters = device_gpu()->processors;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaOccupancyMaxPotentialClusterSize, int *blocks, const void *kernel, const void *configuration)
{
    enum { PORTABLE = 8 };

    if (!blocks)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *blocks = PORTABLE;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *kernel, int blocks, int threads)
{
    if (!bytes || blocks < 1)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *bytes = (size_t)(device_gpu()->processor_shared / blocks);
    return RUNTIME_SUCCESS;
}

/* ---- modules that are loaded while the program runs ---- */

static int
make(void **handle, enum handle_kind kind)
{
    if (!handle)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *handle = handle_new(kind);
    return *handle ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_OUT_OF_MEMORY);
}

ANSWER(int, cudaLibraryLoadData, void **library)
{
    return make(library, HANDLE_MODULE);
}

ANSWER(int, cudaLibraryLoadFromFile, void **library)
{
    return make(library, HANDLE_MODULE);
}

ANSWER(int, cudaLibraryUnload, void *library)
{
    return handle_delete(library, HANDLE_MODULE) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_HANDLE);
}

ANSWER(int, cudaLibraryGetKernel, void **kernel, void *library, const char *name)
{
    return make(kernel, HANDLE_FUNCTION);
}

ANSWER(int, cudaLibraryGetKernelCount, unsigned *count, void *library)
{
    if (!count)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *count = 0;
    return RUNTIME_SUCCESS;
}

/* ---- the driver, by name ---- */

static int
driver_entry(const char *name, void **entry, int *result)
{
    enum { FOUND = 0, NOT_FOUND = 1 };

    if (!name || !entry)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *entry = driver_function(name);
    if (result)
        *result = *entry ? FOUND : NOT_FOUND;
    return *entry || result ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_SYMBOL_NOT_FOUND);
}

ANSWER(int, cudaGetDriverEntryPointByVersion, const char *name, void **entry, unsigned version,
       unsigned long long flags, int *result)
{
    return driver_entry(name, entry, result);
}

ANSWER(int, cudaGetDriverEntryPoint, const char *name, void **entry, unsigned long long flags, int *result)
{
    return driver_entry(name, entry, result);
}

/* ---- for programs with a default stream of each thread ---- */

PER_THREAD(cudaLaunchKernel, ptsz)
PER_THREAD(__cudaLaunchKernel, ptsz)
PER_THREAD(cudaLaunchCooperativeKernel, ptsz)
PER_THREAD(cudaLaunchKernelExC, ptsz)
PER_THREAD(cudaGetDriverEntryPointByVersion, ptsz)
PER_THREAD(cudaGetDriverEntryPoint, ptsz)
