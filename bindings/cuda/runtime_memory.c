/* The CUDA runtime: memory of the device and of the host, copies, pools. */
#include "host.h"
#include "runtime.h"

#include <string.h>

/* ---- the device's ---- */

static int
allocate(void **address, size_t bytes, const void *caller)
{
    if (!address)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (device_count() == 0)
        return runtime_fail(RUNTIME_NO_DEVICE);
    *address = bytes > 0 ? memory_allocate(device_current(), bytes, caller) : NULL;
    return *address || bytes == 0 ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_OUT_OF_MEMORY);
}

static int
release(void *address)
{
    device_enter(device_current());
    return !address || memory_release(address) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_VALUE);
}

ANSWER(int, cudaMalloc, void **address, size_t bytes)
{
    return allocate(address, bytes, CALLER);
}

ANSWER(int, cudaFree, void *address)
{
    return release(address);
}

/* Work is done as soon as it is asked for, so a stream's order is the order of calls. */
ANSWER(int, cudaMallocAsync, void **address, size_t bytes, void *stream)
{
    return allocate(address, bytes, CALLER);
}

ANSWER(int, cudaMallocFromPoolAsync, void **address, size_t bytes, void *pool, void *stream)
{
    return allocate(address, bytes, CALLER);
}

ANSWER(int, cudaFreeAsync, void *address, void *stream)
{
    return release(address);
}

/* Managed memory is counted where it would be used first: on the device. */
ANSWER(int, cudaMallocManaged, void **address, size_t bytes, unsigned flags)
{
    return allocate(address, bytes, CALLER);
}

ANSWER(int, cudaMallocPitch, void **address, size_t *pitch, size_t width, size_t height)
{
    enum { PITCH = 512 };
    size_t row = (width + PITCH - 1) / PITCH * PITCH;

    if (!pitch || (height > 0 && row > SIZE_MAX / height))
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *pitch = row;
    return allocate(address, row * height, CALLER);
}

/* ---- the host's ---- */

ANSWER(int, cudaHostAlloc, void **address, size_t bytes, unsigned flags)
{
    if (!address)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *address = host_allocate(bytes);
    return *address ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_OUT_OF_MEMORY);
}

ANSWER(int, cudaMallocHost, void **address, size_t bytes)
{
    return cudaHostAlloc(address, bytes, 0);
}

ANSWER(int, cudaFreeHost, void *address)
{
    return !address || host_release(address) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_VALUE);
}

ANSWER(int, cudaHostRegister, void *address, size_t bytes, unsigned flags)
{
    if (!address || bytes == 0)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    return host_register(address, bytes) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_OUT_OF_MEMORY);
}

ANSWER(int, cudaHostUnregister, void *address)
{
    return host_unregister(address) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_VALUE);
}

ANSWER(int, cudaHostGetDevicePointer, void **device, void *host, unsigned flags)
{
    if (!device || !host)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *device = host;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaHostGetFlags, unsigned *flags, void *host)
{
    if (!flags || !host_is_pinned(host))
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *flags = 0;
    return RUNTIME_SUCCESS;
}

/* The first fields, which all versions have. */
ANSWER(int, cudaPointerGetAttributes, void *attributes, const void *address)
{
    enum { UNREGISTERED = 0, HOST = 1, DEVICE = 2, NOWHERE = -2 };
    struct {
        int type, device;
        const void *device_address, *host_address;
    } *found = attributes;
    int device = memory_device(address);
    bool pinned = device < 0 && host_is_pinned(address);

    if (!found)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    found->type = device >= 0 ? DEVICE : pinned ? HOST : UNREGISTERED;
    found->device = device >= 0 ? device : pinned ? device_current() : NOWHERE;
    found->device_address = device >= 0 || pinned ? address : NULL;
    found->host_address = pinned ? address : NULL;
    return RUNTIME_SUCCESS;
}

/* ---- between processes: a handle is the address, which other processes have no memory at ---- */

struct ipc_handle {
    unsigned char bytes[64];
};

/* What another process opens is memory that its owner was charged for: addresses alone. */
ANSWER(int, cudaIpcGetMemHandle, struct ipc_handle *handle, void *address)
{
    void *start;
    size_t bytes;

    if (!handle || !memory_range(address, &start, &bytes))
        return runtime_fail(RUNTIME_INVALID_VALUE);
    memset(handle, 0, sizeof *handle);
    memcpy(handle->bytes, &bytes, sizeof bytes);
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaIpcOpenMemHandle, void **address, struct ipc_handle handle, unsigned flags)
{
    size_t bytes;

    if (!address)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    memcpy(&bytes, handle.bytes, sizeof bytes);
    *address = memory_reserve(device_current(), bytes, 0);
    return *address ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_VALUE);
}

ANSWER(int, cudaIpcCloseMemHandle, void *address)
{
    return memory_unreserve(address) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_VALUE);
}

/* ---- copies ---- */

static int
copy(void *to, const void *from, size_t bytes, const void *caller)
{
    if (bytes > 0 && (!to || !from))
        return runtime_fail(RUNTIME_INVALID_VALUE);
    memory_copy(to, from, bytes, caller);
    return RUNTIME_SUCCESS;
}

static int
copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
          const void *caller)
{
    int status = RUNTIME_SUCCESS;

    if (width > to_pitch || width > from_pitch)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    for (size_t i = 0; i < height && status == RUNTIME_SUCCESS; i++)
        status = copy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width, caller);
    return status;
}

ANSWER(int, cudaMemcpy, void *to, const void *from, size_t bytes, int kind)
{
    return copy(to, from, bytes, CALLER);
}

ANSWER(int, cudaMemcpyAsync, void *to, const void *from, size_t bytes, int kind, void *stream)
{
    return copy(to, from, bytes, CALLER);
}

ANSWER(int, cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return copy(to, from, bytes, CALLER);
}

ANSWER(int, cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device, size_t bytes, void *stream)
{
    return copy(to, from, bytes, CALLER);
}

ANSWER(int, cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
       int kind)
{
    return copy_rows(to, to_pitch, from, from_pitch, width, height, CALLER);
}

ANSWER(int, cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
       size_t height, int kind, void *stream)
{
    return copy_rows(to, to_pitch, from, from_pitch, width, height, CALLER);
}

static int
fill(void *to, int value, size_t bytes)
{
    if (bytes > 0 && !to)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    memory_fill(to, value, 1, bytes);
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaMemset, void *to, int value, size_t bytes)
{
    return fill(to, value, bytes);
}

ANSWER(int, cudaMemsetAsync, void *to, int value, size_t bytes, void *stream)
{
    return fill(to, value, bytes);
}

/* Variables of a module lie on the host here, and only their address is of use. */
ANSWER(int, cudaGetSymbolAddress, void **address, const void *symbol)
{
    if (!address || !symbol)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *address = (void *)(uintptr_t)symbol;
    return RUNTIME_SUCCESS;
}

/* ---- pools ---- */

ANSWER(int, cudaDeviceGetDefaultMemPool, void **pool, int device)
{
    static void *pools[LEDGER_DEVICES];

    if (!pool)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (device < 0 || device >= device_count())
        return runtime_fail(RUNTIME_INVALID_DEVICE);
    if (!pools[device])
        pools[device] = handle_new(HANDLE_POOL);
    *pool = pools[device];
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaDeviceGetMemPool, void **pool, int device)
{
    return cudaDeviceGetDefaultMemPool(pool, device);
}

ANSWER(int, cudaMemPoolCreate, void **pool, const void *properties)
{
    if (!pool)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *pool = handle_new(HANDLE_POOL);
    return *pool ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_OUT_OF_MEMORY);
}

ANSWER(int, cudaMemPoolDestroy, void *pool)
{
    return handle_delete(pool, HANDLE_POOL) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_VALUE);
}

/* Attributes up to ReuseAllowInternalDependencies are int, the others uint64_t. */
ANSWER(int, cudaMemPoolGetAttribute, void *pool, int attribute, void *value)
{
    enum { LAST_INT = 3 };

    if (!value || !handle_get(pool, HANDLE_POOL))
        return runtime_fail(RUNTIME_INVALID_VALUE);
    memset(value, 0, attribute <= LAST_INT ? sizeof(int) : sizeof(uint64_t));
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaDeviceGetGraphMemAttribute, int device, int attribute, void *value)
{
    if (!value)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    memset(value, 0, sizeof(uint64_t));
    return RUNTIME_SUCCESS;
}

/* ---- for programs with a default stream of each thread ---- */

PER_THREAD(cudaMallocAsync, ptsz)
PER_THREAD(cudaMallocFromPoolAsync, ptsz)
PER_THREAD(cudaFreeAsync, ptsz)
PER_THREAD(cudaMemcpy, ptds)
PER_THREAD(cudaMemcpyAsync, ptsz)
PER_THREAD(cudaMemcpy2D, ptds)
PER_THREAD(cudaMemcpy2DAsync, ptsz)
PER_THREAD(cudaMemset, ptds)
PER_THREAD(cudaMemsetAsync, ptsz)
