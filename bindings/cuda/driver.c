/* The CUDA driver: devices, contexts, errors. Numbers are the interface's: CUDA Driver API, CUresult. */
#define _GNU_SOURCE
#include "driver.h"

#include "runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static _Thread_local void *current;

/* One primary context for each device. */
static void *contexts[LEDGER_DEVICES];

static void *
primary(int device)
{
    if (!contexts[device]) {
        int *made = handle_new(HANDLE_CONTEXT);

        if (made)
            *made = device;
        contexts[device] = made;
    }
    return contexts[device];
}

static bool
is_device(int device)
{
    return device >= 0 && device < device_count();
}

/* With the versions that names may end in. */
static void *
versioned(void *library, const char *name)
{
    static const char *const versions[] = {"_v2", "", "_v3", "_v4"};
    void *found = NULL;

    for (size_t i = 0; i < sizeof versions / sizeof *versions && !found; i++) {
        char full[128];

        if (snprintf(full, sizeof full, "%s%s", name, versions[i]) < (int)sizeof full)
            found = dlsym(library, full);
    }
    return found;
}

/* What is written here before what was made from names. */
void *
driver_function(const char *name)
{
    void *own = dlopen("libmemmodel-cuda.so", RTLD_LAZY | RTLD_NOLOAD), *found = own ? versioned(own, name) : NULL;

    if (own)
        dlclose(own);
    return found ? found : versioned(RTLD_DEFAULT, name);
}

ANSWER(int, cuGetProcAddress_v2, const char *name, void **entry, int version, uint64_t flags, int *result)
{
    enum { FOUND = 0, NOT_FOUND = 1 };

    if (!name || !entry)
        return DRIVER_INVALID_VALUE;
    *entry = strcmp(name, "cuGetProcAddress") == 0 ? (void *)cuGetProcAddress_v2 : driver_function(name);
    if (result)
        *result = *entry ? FOUND : NOT_FOUND;
    return *entry ? DRIVER_SUCCESS : DRIVER_NOT_FOUND;
}

ANSWER(int, cuGetProcAddress, const char *name, void **entry, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, entry, version, flags, NULL);
}

/* cuDNN has a runtime in it, and what compiles its kernels asks, too; both go on without. */
static bool
goes_on_without(const char *module)
{
    static const char *const modules[] = {"libcudnn", "libnvrtc"};

    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strncmp(module, modules[i], strlen(modules[i])) == 0)
            return true;
    return false;
}

/* Tables of the driver that no document describes: what asks for one is a runtime that was linked into the program. */
ANSWER(int, cuGetExportTable, const void **table, const void *id)
{
    if (!goes_on_without(note_module(CALLER)))
        note_unanswered("libcuda.so.1", "private table (the CUDA runtime is linked statically here)", CALLER);
    return DRIVER_NOT_FOUND;
}

ANSWER(int, cuInit, unsigned flags)
{
    return device_count() > 0 ? DRIVER_SUCCESS : DRIVER_NO_DEVICE;
}

ANSWER(int, cuDriverGetVersion, int *version)
{
    if (!version)
        return DRIVER_INVALID_VALUE;
    *version = runtime_version();
    return DRIVER_SUCCESS;
}

ANSWER(int, cuGetErrorString, int error, const char **text)
{
    if (!text)
        return DRIVER_INVALID_VALUE;
    *text = error == DRIVER_SUCCESS         ? "no error"
            : error == DRIVER_OUT_OF_MEMORY ? "out of memory"
            : error == DRIVER_INVALID_VALUE ? "invalid argument"
            : error == DRIVER_NOT_SUPPORTED ? "operation not supported"
                                            : "error of a simulated GPU";
    return DRIVER_SUCCESS;
}

ANSWER(int, cuGetErrorName, int error, const char **text)
{
    if (!text)
        return DRIVER_INVALID_VALUE;
    *text = error == DRIVER_SUCCESS         ? "CUDA_SUCCESS"
            : error == DRIVER_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == DRIVER_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE"
            : error == DRIVER_NOT_SUPPORTED ? "CUDA_ERROR_NOT_SUPPORTED"
                                            : "CUDA_ERROR_UNKNOWN";
    return DRIVER_SUCCESS;
}

/* ---- devices ---- */

ANSWER(int, cuDeviceGetCount, int *count)
{
    if (!count)
        return DRIVER_INVALID_VALUE;
    *count = device_count();
    return DRIVER_SUCCESS;
}

ANSWER(int, cuDeviceGet, int *device, int ordinal)
{
    if (!device || !is_device(ordinal))
        return device ? DRIVER_INVALID_DEVICE : DRIVER_INVALID_VALUE;
    *device = ordinal;
    return DRIVER_SUCCESS;
}

ANSWER(int, cuDeviceGetName, char *text, int length, int device)
{
    if (!text || length < 1 || !is_device(device))
        return DRIVER_INVALID_VALUE;
    snprintf(text, (size_t)length, "%s", device_gpu()->name);
    return DRIVER_SUCCESS;
}

ANSWER(int, cuDeviceGetUuid, unsigned char *uuid, int device)
{
    if (!uuid || !is_device(device))
        return DRIVER_INVALID_VALUE;
    device_uuid(device_place(device), uuid);
    return DRIVER_SUCCESS;
}

ANSWER(int, cuDeviceGetUuid_v2, unsigned char *uuid, int device)
{
    return cuDeviceGetUuid(uuid, device);
}

ANSWER(int, cuDeviceGetAttribute, int *value, int attribute, int device)
{
    if (!value || !is_device(device))
        return value ? DRIVER_INVALID_DEVICE : DRIVER_INVALID_VALUE;
    *value = device_attribute(attribute, device);
    return DRIVER_SUCCESS;
}

ANSWER(int, cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    if (!bytes || !is_device(device))
        return DRIVER_INVALID_VALUE;
    *bytes = (size_t)device_capacity(device);
    return DRIVER_SUCCESS;
}

extern int
cudaDeviceGetPCIBusId(char *text, int length, int device);

ANSWER(int, cuDeviceGetPCIBusId, char *text, int length, int device)
{
    return cudaDeviceGetPCIBusId(text, length, device);
}

ANSWER(int, cuDeviceComputeCapability, int *major, int *minor, int device)
{
    if (!major || !minor || !is_device(device))
        return DRIVER_INVALID_VALUE;
    *major = device_gpu()->capability / MAJOR_OF_CAPABILITY;
    *minor = device_gpu()->capability % MAJOR_OF_CAPABILITY;
    return DRIVER_SUCCESS;
}

/* ---- contexts ---- */

/* The calling thread's device where that is no context. */
static int
device_of_context(const void *context)
{
    const int *found = handle_get(context, HANDLE_CONTEXT);

    return found ? *found : device_current();
}

ANSWER(int, cuDevicePrimaryCtxGetState, int device, unsigned *flags, int *active)
{
    if (!is_device(device))
        return DRIVER_INVALID_DEVICE;
    if (flags)
        *flags = 0;
    if (active)
        *active = device_has_context(device);
    return DRIVER_SUCCESS;
}

ANSWER(int, cuDevicePrimaryCtxRetain, void **context, int device)
{
    if (!context || !is_device(device))
        return context ? DRIVER_INVALID_DEVICE : DRIVER_INVALID_VALUE;
    device_enter(device);
    *context = primary(device);
    return DRIVER_SUCCESS;
}

ANSWER(int, cuDevicePrimaryCtxRelease_v2, int device)
{
    return is_device(device) ? DRIVER_SUCCESS : DRIVER_INVALID_DEVICE;
}

ANSWER(int, cuCtxGetCurrent, void **context)
{
    if (!context || device_count() == 0)
        return DRIVER_INVALID_VALUE;
    *context = current ? current : primary(device_current());
    return DRIVER_SUCCESS;
}

ANSWER(int, cuCtxSetCurrent, void *context)
{
    if (context && !handle_get(context, HANDLE_CONTEXT))
        return DRIVER_INVALID_CONTEXT;
    current = context;
    if (context)
        device_select(device_of_context(context));
    return DRIVER_SUCCESS;
}

ANSWER(int, cuCtxPushCurrent_v2, void *context)
{
    return cuCtxSetCurrent(context);
}

ANSWER(int, cuCtxPopCurrent_v2, void **context)
{
    return context ? cuCtxGetCurrent(context) : DRIVER_SUCCESS;
}

/* CUDA 13's has parameters between the first and the last two, which are not looked at. */
ANSWER(int, cuCtxCreate_v2, void **context, unsigned flags, int device)
{
    int status = cuDevicePrimaryCtxRetain(context, device);

    return status == DRIVER_SUCCESS ? cuCtxSetCurrent(*context) : status;
}

ANSWER(int, cuCtxCreate_v4, void **context, const void *parameters, unsigned flags, int device)
{
    return cuCtxCreate_v2(context, flags, device);
}

ANSWER(int, cuCtxDestroy_v2, void *context)
{
    return handle_get(context, HANDLE_CONTEXT) ? DRIVER_SUCCESS : DRIVER_INVALID_CONTEXT;
}

ANSWER(int, cuCtxGetDevice, int *device)
{
    if (!device)
        return DRIVER_INVALID_VALUE;
    *device = current ? device_of_context(current) : device_current();
    return DRIVER_SUCCESS;
}

ANSWER(int, cuCtxGetApiVersion, void *context, unsigned *version)
{
    if (!version)
        return DRIVER_INVALID_VALUE;
    *version = (unsigned)runtime_version();
    return DRIVER_SUCCESS;
}

ANSWER(int, cuCtxSynchronize, void)
{
    return DRIVER_SUCCESS;
}
