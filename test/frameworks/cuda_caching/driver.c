/*
 * A CUDA runtime that computes nothing and only hands out addresses, so that PyTorch's own allocator library
 * (libc10_cuda.so) runs on a machine without a GPU and can be asked what it does.
 *
 * MEMMODEL_CAPACITY: bytes of the device. Addresses rise with each allocation and are never used twice. Events are
 * complete when driver_synchronize() was called after they were recorded.
 */
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct allocation {
    uintptr_t address;
    size_t bytes;
};

enum { ALLOCATIONS = 1 << 20 };

static struct allocation allocations[ALLOCATIONS];
static size_t allocation_count, used;
static uintptr_t next_address = (uintptr_t)1 << 40;
static int64_t now, synchronized = -1;

static size_t
capacity(void)
{
    const char *text = getenv("MEMMODEL_CAPACITY");

    return text ? strtoull(text, NULL, 10) : (size_t)1 << 40;
}

void
driver_synchronize(void)
{
    synchronized = now;
}

cudaError_t
cudaMalloc(void **address, size_t bytes)
{
    if (used + bytes > capacity() || allocation_count == ALLOCATIONS)
        return cudaErrorMemoryAllocation;
    used += bytes;
    allocations[allocation_count++] = (struct allocation){next_address, bytes};
    *address = (void *)next_address;
    next_address += (bytes + 0x1fffff) & ~(size_t)0x1fffff;
    return cudaSuccess;
}

cudaError_t
cudaFree(void *address)
{
    for (size_t i = allocation_count; i-- > 0;) {
        if (allocations[i].address != (uintptr_t)address)
            continue;
        used -= allocations[i].bytes;
        allocations[i] = allocations[--allocation_count];
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    *total = capacity();
    *free_bytes = *total - used;
    return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    (void)device;
    memset(properties, 0, sizeof *properties);
    properties->totalGlobalMem = capacity();
    return cudaSuccess;
}

/* ---- one device, and events that end when they are asked to ---- */

cudaError_t
cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t
cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof(int64_t));
    return cudaSuccess;
}

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    *(int64_t *)event = ++now;
    return cudaSuccess;
}

cudaError_t
cudaEventQuery(cudaEvent_t event)
{
    return *(int64_t *)event <= synchronized ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t
cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    (void)stream;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetStreamPriorityRange(int *min, int *max)
{
    *min = 0;
    *max = -1;
    return cudaSuccess;
}

const char *
cudaGetErrorString(cudaError_t error)
{
    (void)error;
    return "error of the driver that counts";
}

const char *
cudaGetErrorName(cudaError_t error)
{
    return cudaGetErrorString(error);
}

/* ---- virtual memory: for expandable segments ---- */

static CUresult
reserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wanted, unsigned long long flags)
{
    (void)alignment;
    (void)wanted;
    (void)flags;
    *address = next_address;
    next_address += (bytes + 0x1fffff) & ~(size_t)0x1fffff;
    return CUDA_SUCCESS;
}

static CUresult
create(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,
       unsigned long long flags)
{
    (void)properties;
    (void)flags;
    if (used + bytes > capacity())
        return CUDA_ERROR_OUT_OF_MEMORY;
    used += bytes;
    *handle = bytes;
    return CUDA_SUCCESS;
}

static CUresult
release(CUmemGenericAllocationHandle handle)
{
    used -= handle;
    return CUDA_SUCCESS;
}

static CUresult
succeed(void)
{
    return CUDA_SUCCESS;
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **entry, unsigned version, unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *result)
{
    (void)version;
    (void)flags;
    *entry = (void *)succeed;
    if (strcmp(name, "cuMemAddressReserve") == 0)
        *entry = (void *)reserve;
    else if (strcmp(name, "cuMemCreate") == 0)
        *entry = (void *)create;
    else if (strcmp(name, "cuMemRelease") == 0)
        *entry = (void *)release;
    if (result)
        *result = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

/* ---- what is asked for on the way and changes nothing ---- */

#define NOTHING(name)                                                                                                  \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return 0;                                                                                                      \
    }
NOTHING(nvmlInit_v2)
NOTHING(nvmlDeviceGetHandleByPciBusId_v2)
NOTHING(nvmlDeviceGetNvLinkRemoteDeviceType)
NOTHING(nvmlDeviceGetNvLinkRemotePciInfo_v2)
NOTHING(nvmlSystemGetCudaDriverVersion_v2)

int
nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count, void *processes);
int
nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count, void *processes)
{
    (void)device;
    (void)processes;
    *count = 0;
    return 0;
}
