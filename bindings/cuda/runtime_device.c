/* The CUDA runtime: devices, versions, errors. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int last;

int
runtime_fail(int error)
{
    return last = error;
}

int
runtime_version(void)
{
    const char *text = getenv("MEMMODEL_CUDA_RUNTIME");
    int version = text ? atoi(text) : 0;

    return version > 0 ? version : RUNTIME_13;
}

/* ---- errors ---- */

struct error {
    int number;
    const char *name, *text;
};

static const struct error errors[] = {
    {RUNTIME_SUCCESS, "cudaSuccess", "no error"},
    {RUNTIME_INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"},
    {RUNTIME_OUT_OF_MEMORY, "cudaErrorMemoryAllocation", "out of memory"},
    {RUNTIME_NO_DEVICE, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {RUNTIME_INVALID_DEVICE, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {RUNTIME_NO_KERNEL_IMAGE, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {RUNTIME_INVALID_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {RUNTIME_SYMBOL_NOT_FOUND, "cudaErrorSymbolNotFound", "named symbol not found"},
    {RUNTIME_NOT_SUPPORTED, "cudaErrorNotSupported", "operation not supported"},
};

static const struct error *
error_of(int number)
{
    static const struct error unknown = {0, "cudaErrorUnknown", "unknown error"};

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == number)
            return &errors[i];
    return &unknown;
}

ANSWER(int, cudaGetLastError, void)
{
    int error = last;

    last = RUNTIME_SUCCESS;
    return error;
}

ANSWER(int, cudaPeekAtLastError, void)
{
    return last;
}

ANSWER(const char *, cudaGetErrorName, int error)
{
    return error_of(error)->name;
}

ANSWER(const char *, cudaGetErrorString, int error)
{
    return error_of(error)->text;
}

/* ---- devices ---- */

ANSWER(int, cudaGetDeviceCount, int *count)
{
    if (!count)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *count = device_count();
    return *count > 0 ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_NO_DEVICE);
}

ANSWER(int, cudaGetDevice, int *device)
{
    if (!device)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *device = device_current();
    return device_count() > 0 ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_NO_DEVICE);
}

/* From CUDA 12 on it makes the context. */
ANSWER(int, cudaSetDevice, int device)
{
    if (!device_select(device))
        return runtime_fail(RUNTIME_INVALID_DEVICE);
    device_enter(device);
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaInitDevice, int device, unsigned device_flags, unsigned flags)
{
    return cudaSetDevice(device);
}

ANSWER(int, cudaSetValidDevices, int *devices, int count)
{
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaChooseDevice, int *device, const void *properties)
{
    return cudaGetDevice(device);
}

ANSWER(int, cudaGetDeviceFlags, unsigned *flags)
{
    if (!flags)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *flags = 0;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaSetDeviceFlags, unsigned flags)
{
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaDeviceGetAttribute, int *value, int attribute, int device)
{
    if (!value)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (device < 0 || device >= device_count())
        return runtime_fail(RUNTIME_INVALID_DEVICE);
    *value = device_attribute(attribute, device);
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaDeviceGetPCIBusId, char *text, int length, int device)
{
    if (!text || length < 1)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (device < 0 || device >= device_count())
        return runtime_fail(RUNTIME_INVALID_DEVICE);
    snprintf(text, (size_t)length, "0000:%02X:00.0", 1U + (unsigned)device);
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaDeviceGetByPCIBusId, int *device, const char *text)
{
    unsigned domain, bus;

    if (!device || !text || sscanf(text, "%x:%x", &domain, &bus) != 2)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (bus < 1 || bus > (unsigned)device_count())
        return runtime_fail(RUNTIME_INVALID_DEVICE);
    *device = (int)bus - 1;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
    enum { GREATEST = -5 };

    if (least)
        *least = 0;
    if (greatest)
        *greatest = GREATEST;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaDeviceCanAccessPeer, int *can, int device, int peer)
{
    if (!can)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (device < 0 || device >= device_count() || peer < 0 || peer >= device_count())
        return runtime_fail(RUNTIME_INVALID_DEVICE);
    *can = device != peer;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaDeviceEnablePeerAccess, int peer, unsigned flags)
{
    return peer >= 0 && peer < device_count() ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_DEVICE);
}

ANSWER(int, cudaDeviceDisablePeerAccess, int peer)
{
    return cudaDeviceEnablePeerAccess(peer, 0);
}

ANSWER(int, cudaDeviceGetP2PAttribute, int *value, int attribute, int device, int peer)
{
    return cudaDeviceCanAccessPeer(value, device, peer);
}

ANSWER(int, cudaDeviceSynchronize, void)
{
    if (device_count() == 0)
        return runtime_fail(RUNTIME_NO_DEVICE);
    device_enter(device_current());
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaThreadSynchronize, void)
{
    return cudaDeviceSynchronize();
}

ANSWER(int, cudaDeviceGetLimit, size_t *value, int limit)
{
    enum { STACK = 0, PRINTF = 1, HEAP = 2 };
    static const size_t bytes[] = {[STACK] = 1024, [PRINTF] = 1 << 20, [HEAP] = 8 << 20};

    if (!value || limit < 0)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *value = limit <= HEAP ? bytes[limit] : 0;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaDriverGetVersion, int *version)
{
    if (!version)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *version = runtime_version();
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaRuntimeGetVersion, int *version)
{
    return cudaDriverGetVersion(version);
}

ANSWER(int, cudaMemGetInfo, size_t *available, size_t *total)
{
    if (device_count() == 0)
        return runtime_fail(RUNTIME_NO_DEVICE);
    device_enter(device_current());
    if (available)
        *available = (size_t)device_free_bytes(device_current());
    if (total)
        *total = (size_t)device_capacity(device_current());
    return RUNTIME_SUCCESS;
}
