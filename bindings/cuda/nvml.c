/* NVML, with which programs look at GPUs from outside. Numbers are the interface's: NVML API Reference, nvmlReturn_t. */
#include "runtime.h"

#include "ledger_of_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum nvml_return { NVML_SUCCESS = 0, NVML_INVALID_ARGUMENT = 2, NVML_NOT_SUPPORTED = 3, NVML_NOT_FOUND = 6 };

/* A handle is the number of the device, from 1 on. */
static int
device_of(const void *handle)
{
    uintptr_t number = (uintptr_t)handle;

    return number >= 1 && number <= (uintptr_t)device_all() ? (int)number - 1 : -1;
}

static int
hand_out(unsigned device, void **handle)
{
    if (!handle || device >= (unsigned)device_all())
        return NVML_INVALID_ARGUMENT;
    *handle = (void *)(uintptr_t)(device + 1);
    return NVML_SUCCESS;
}

static int
write_text(char *text, unsigned length, const char *value)
{
    if (!text || length == 0)
        return NVML_INVALID_ARGUMENT;
    snprintf(text, length, "%s", value);
    return NVML_SUCCESS;
}

ANSWER(int, nvmlInit_v2, void)
{
    return device_all() > 0 ? NVML_SUCCESS : NVML_NOT_FOUND;
}

ANSWER(int, nvmlInit, void)
{
    return nvmlInit_v2();
}

ANSWER(int, nvmlInitWithFlags, unsigned flags)
{
    return nvmlInit_v2();
}

ANSWER(int, nvmlShutdown, void)
{
    return NVML_SUCCESS;
}

ANSWER(const char *, nvmlErrorString, int error)
{
    return error == NVML_SUCCESS            ? "Success"
           : error == NVML_INVALID_ARGUMENT ? "Invalid Argument"
           : error == NVML_NOT_FOUND        ? "Not Found"
                                            : "Not Supported";
}

ANSWER(int, nvmlSystemGetDriverVersion, char *text, unsigned length)
{
    return write_text(text, length, "595.0");
}

ANSWER(int, nvmlSystemGetNVMLVersion, char *text, unsigned length)
{
    return write_text(text, length, "13.595.0");
}

ANSWER(int, nvmlSystemGetCudaDriverVersion, int *version)
{
    if (!version)
        return NVML_INVALID_ARGUMENT;
    *version = runtime_version();
    return NVML_SUCCESS;
}

ANSWER(int, nvmlSystemGetCudaDriverVersion_v2, int *version)
{
    return nvmlSystemGetCudaDriverVersion(version);
}

/* ---- which device ---- */

ANSWER(int, nvmlDeviceGetCount_v2, unsigned *count)
{
    if (!count)
        return NVML_INVALID_ARGUMENT;
    *count = (unsigned)device_all();
    return NVML_SUCCESS;
}

ANSWER(int, nvmlDeviceGetCount, unsigned *count)
{
    return nvmlDeviceGetCount_v2(count);
}

ANSWER(int, nvmlDeviceGetHandleByIndex_v2, unsigned device, void **handle)
{
    return hand_out(device, handle);
}

ANSWER(int, nvmlDeviceGetHandleByIndex, unsigned device, void **handle)
{
    return hand_out(device, handle);
}

ANSWER(int, nvmlDeviceGetHandleByPciBusId_v2, const char *text, void **handle)
{
    unsigned domain, bus;

    if (!text || sscanf(text, "%x:%x", &domain, &bus) != 2 || bus < 1)
        return NVML_INVALID_ARGUMENT;
    return hand_out(bus - 1, handle);
}

ANSWER(int, nvmlDeviceGetHandleByUUID, const char *uuid, void **handle)
{
    for (int i = 0; uuid && i < device_all(); i++) {
        char text[DEVICE_IDENTITY_BYTES];

        device_identity(i, text);
        if (strcmp(uuid, text) == 0)
            return hand_out((unsigned)i, handle);
    }
    return NVML_NOT_FOUND;
}

ANSWER(int, nvmlDeviceGetUUID, void *handle, char *text, unsigned length)
{
    char uuid[DEVICE_IDENTITY_BYTES];

    if (device_of(handle) < 0)
        return NVML_INVALID_ARGUMENT;
    device_identity(device_of(handle), uuid);
    return write_text(text, length, uuid);
}

ANSWER(int, nvmlDeviceGetIndex, void *handle, unsigned *index)
{
    if (!index || device_of(handle) < 0)
        return NVML_INVALID_ARGUMENT;
    *index = (unsigned)device_of(handle);
    return NVML_SUCCESS;
}

ANSWER(int, nvmlDeviceGetName, void *handle, char *text, unsigned length)
{
    return device_of(handle) < 0 ? NVML_INVALID_ARGUMENT : write_text(text, length, device_gpu()->name);
}

ANSWER(int, nvmlDeviceGetCudaComputeCapability, void *handle, int *major, int *minor)
{
    if (device_of(handle) < 0 || !major || !minor)
        return NVML_INVALID_ARGUMENT;
    *major = device_gpu()->capability / MAJOR_OF_CAPABILITY;
    *minor = device_gpu()->capability % MAJOR_OF_CAPABILITY;
    return NVML_SUCCESS;
}

/* ---- how much it holds ---- */

static unsigned long long
capacity_of(int place)
{
    struct ledger_device found = {0};

    ledger_device(device_ledger(), place, false, &found);
    return (unsigned long long)found.capacity;
}

static unsigned long long
free_of(int place)
{
    return (unsigned long long)ledger_free_bytes(device_ledger(), place);
}

ANSWER(int, nvmlDeviceGetMemoryInfo, void *handle, unsigned long long memory[3])
{
    int device = device_of(handle);

    if (device < 0 || !memory)
        return NVML_INVALID_ARGUMENT;
    memory[0] = capacity_of(device);
    memory[1] = free_of(device);
    memory[2] = memory[0] - memory[1];
    return NVML_SUCCESS;
}

ANSWER(int, nvmlDeviceGetMemoryInfo_v2, void *handle, void *memory)
{
    struct {
        unsigned version;
        unsigned long long total, reserved, available, used;
    } *found = memory;
    int device = device_of(handle);

    if (device < 0 || !found)
        return NVML_INVALID_ARGUMENT;
    found->total = capacity_of(device);
    found->reserved = 0;
    found->available = free_of(device);
    found->used = found->total - found->available;
    return NVML_SUCCESS;
}

struct process_info {
    unsigned pid;
    unsigned long long used;
    unsigned instance, compute;
};

/* Processes of the run that hold some of the device. */
static int
list_processes(int device, unsigned *count, struct process_info *list)
{
    struct ledger_process process;
    unsigned room = *count, found = 0;

    for (int i = 0; ledger_process(device_ledger(), i, &process); i++) {
        unsigned long long used = 0;

        for (int kind = 0; kind < LEDGER_KINDS; kind++)
            used += (unsigned long long)process.use[device].bytes[kind];
        if (used == 0)
            continue;
        if (found < room && list)
            list[found] = (struct process_info){(unsigned)process.pid, used, ~0U, ~0U};
        found++;
    }
    *count = found;
    return found <= room ? NVML_SUCCESS : 7; /* NVML_ERROR_INSUFFICIENT_SIZE */
}

ANSWER(int, nvmlDeviceGetComputeRunningProcesses_v3, void *handle, unsigned *count, struct process_info *list)
{
    int device = device_of(handle);

    return device < 0 || !count ? NVML_INVALID_ARGUMENT : list_processes(device, count, list);
}

ANSWER(int, nvmlDeviceGetComputeRunningProcesses_v2, void *handle, unsigned *count, struct process_info *list)
{
    return nvmlDeviceGetComputeRunningProcesses_v3(handle, count, list);
}

/* The first form's records are shorter: none is written. */
ANSWER(int, nvmlDeviceGetComputeRunningProcesses, void *handle, unsigned *count, void *list)
{
    if (device_of(handle) < 0 || !count)
        return NVML_INVALID_ARGUMENT;
    *count = 0;
    return NVML_SUCCESS;
}

ANSWER(int, nvmlDeviceGetUtilizationRates, void *handle, unsigned rates[2])
{
    if (device_of(handle) < 0 || !rates)
        return NVML_INVALID_ARGUMENT;
    rates[0] = rates[1] = 0;
    return NVML_SUCCESS;
}

/* ---- where it is: every processor is near ---- */

ANSWER(int, nvmlDeviceGetNumaNodeId, void *handle, unsigned *node)
{
    if (device_of(handle) < 0 || !node)
        return NVML_INVALID_ARGUMENT;
    *node = 0;
    return NVML_SUCCESS;
}

ANSWER(int, nvmlDeviceGetCpuAffinity, void *handle, unsigned size, unsigned long *set)
{
    if (device_of(handle) < 0 || !set)
        return NVML_INVALID_ARGUMENT;
    memset(set, 0xff, size * sizeof *set);
    return NVML_SUCCESS;
}

ANSWER(int, nvmlDeviceGetP2PStatus, void *handle, void *peer, int capability, int *status)
{
    if (device_of(handle) < 0 || device_of(peer) < 0 || !status)
        return NVML_INVALID_ARGUMENT;
    *status = 0; /* it can */
    return NVML_SUCCESS;
}

/* No switch and no other GPU at a link. */
ANSWER(int, nvmlDeviceGetNvLinkRemoteDeviceType, void *handle, unsigned link, unsigned *type)
{
    return NVML_NOT_SUPPORTED;
}

ANSWER(int, nvmlDeviceGetNvLinkRemotePciInfo_v2, void *handle, unsigned link, void *information)
{
    return NVML_NOT_SUPPORTED;
}

ANSWER(int, nvmlDeviceGetNvLinkState, void *handle, unsigned link, unsigned *active)
{
    return NVML_NOT_SUPPORTED;
}

/* There is none, which GPUs before Hopper do not know how to say: its state in what the caller zeroed stays "none". */
ANSWER(int, nvmlDeviceGetGpuFabricInfoV, void *handle, void *information)
{
    enum { HOPPER = 90 };

    return device_gpu()->capability >= HOPPER && information ? NVML_SUCCESS : NVML_NOT_SUPPORTED;
}
