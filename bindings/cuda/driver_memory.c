/* The CUDA driver: memory, and its virtual memory (addresses and memory apart), for expandable segments. */
#include "driver.h"

#include "device.h"
#include "host.h"

#include <string.h>
#include <unistd.h>

/* ---- allocations ---- */

ANSWER(int, cuMemGetInfo_v2, size_t *available, size_t *total)
{
    if (!available || !total || device_count() == 0)
        return DRIVER_INVALID_VALUE;
    device_enter(device_current());
    *available = (size_t)device_free_bytes(device_current());
    *total = (size_t)device_capacity(device_current());
    return DRIVER_SUCCESS;
}

ANSWER(int, cuMemAlloc_v2, void **address, size_t bytes)
{
    if (!address || bytes == 0 || device_count() == 0)
        return DRIVER_INVALID_VALUE;
    *address = memory_allocate(device_current(), bytes, CALLER);
    return *address ? DRIVER_SUCCESS : DRIVER_OUT_OF_MEMORY;
}

ANSWER(int, cuMemAllocAsync, void **address, size_t bytes, void *stream)
{
    if (!address || bytes == 0 || device_count() == 0)
        return DRIVER_INVALID_VALUE;
    *address = memory_allocate(device_current(), bytes, CALLER);
    return *address ? DRIVER_SUCCESS : DRIVER_OUT_OF_MEMORY;
}

ANSWER(int, cuMemFree_v2, void *address)
{
    return !address || memory_release(address) ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
}

ANSWER(int, cuMemFreeAsync, void *address, void *stream)
{
    return cuMemFree_v2(address);
}

ANSWER(int, cuMemHostAlloc, void **address, size_t bytes, unsigned flags)
{
    if (!address)
        return DRIVER_INVALID_VALUE;
    *address = host_allocate(bytes);
    return *address ? DRIVER_SUCCESS : DRIVER_OUT_OF_MEMORY;
}

ANSWER(int, cuMemFreeHost, void *address)
{
    return host_release(address) ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
}

ANSWER(int, cuMemGetAddressRange_v2, void **start, size_t *bytes, void *address)
{
    void *first;
    size_t length;

    if (!memory_range(address, &first, &length))
        return DRIVER_NOT_FOUND;
    if (start)
        *start = first;
    if (bytes)
        *bytes = length;
    return DRIVER_SUCCESS;
}

/* CUpointer_attribute */
enum {
    CONTEXT = 1,
    MEMORY_TYPE = 2,
    DEVICE_POINTER = 3,
    HOST_POINTER = 4,
    IS_MANAGED = 8,
    ORDINAL = 9,
    RANGE_START = 11,
    RANGE_SIZE = 12,
};

/* Of memory on a device; `value` gets an address or a length, which take as many bytes. */
static int
range_of(void *value, int attribute, void *address)
{
    void *first;
    size_t length;

    if (!memory_range(address, &first, &length))
        return DRIVER_NOT_SUPPORTED;
    if (attribute == RANGE_START)
        *(void **)value = first;
    else
        *(size_t *)value = length;
    return DRIVER_SUCCESS;
}

static int
attribute_of(void *value, int attribute, void *address)
{
    enum { HOST = 1, DEVICE = 2 }; /* types of memory */
    int device = memory_device(address);
    bool pinned = device < 0 && host_is_pinned(address);

    if (!value || (device < 0 && !pinned))
        return DRIVER_INVALID_VALUE;
    switch (attribute) {
    case MEMORY_TYPE:
        *(unsigned *)value = pinned ? HOST : DEVICE;
        break;
    case ORDINAL:
        *(int *)value = pinned ? device_current() : device;
        break;
    case DEVICE_POINTER:
        *(void **)value = address;
        break;
    case HOST_POINTER:
        *(void **)value = address;
        return pinned ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
    case CONTEXT:
        *(void **)value = NULL;
        break;
    case IS_MANAGED:
        *(bool *)value = false;
        break;
    case RANGE_START:
    case RANGE_SIZE:
        return range_of(value, attribute, address);
    default:
        return DRIVER_NOT_SUPPORTED;
    }
    return DRIVER_SUCCESS;
}

ANSWER(int, cuPointerGetAttribute, void *value, int attribute, void *address)
{
    return attribute_of(value, attribute, address);
}

/* What an address does not have is 0: an address of the host that is not pinned has no memory of CUDA's. */
ANSWER(int, cuPointerGetAttributes, unsigned count, const int *attributes, void **values, void *address)
{
    enum { MANY = 64, NO_DEVICE = -2 };

    if (!attributes || !values || count == 0 || count > MANY)
        return DRIVER_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if (!values[i])
            return DRIVER_INVALID_VALUE;
        if (attribute_of(values[i], attributes[i], address) == DRIVER_SUCCESS)
            continue;
        if (attributes[i] == CONTEXT || attributes[i] == DEVICE_POINTER || attributes[i] == HOST_POINTER)
            *(void **)values[i] = NULL;
        else if (attributes[i] == ORDINAL)
            *(int *)values[i] = NO_DEVICE;
        else if (attributes[i] == MEMORY_TYPE)
            *(unsigned *)values[i] = 0;
        else
            return DRIVER_NOT_SUPPORTED;
    }
    return DRIVER_SUCCESS;
}

/* ---- copies and fills ---- */

static int
copy(void *to, const void *from, size_t bytes, const void *caller)
{
    if (bytes > 0 && (!to || !from))
        return DRIVER_INVALID_VALUE;
    memory_copy(to, from, bytes, caller);
    return DRIVER_SUCCESS;
}

ANSWER(int, cuMemcpy, void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes, CALLER);
}

ANSWER(int, cuMemcpyAsync, void *to, const void *from, size_t bytes, void *stream)
{
    return copy(to, from, bytes, CALLER);
}

ANSWER(int, cuMemcpyHtoD_v2, void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes, CALLER);
}

ANSWER(int, cuMemcpyHtoDAsync_v2, void *to, const void *from, size_t bytes, void *stream)
{
    return copy(to, from, bytes, CALLER);
}

ANSWER(int, cuMemcpyDtoH_v2, void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes, CALLER);
}

ANSWER(int, cuMemcpyDtoHAsync_v2, void *to, const void *from, size_t bytes, void *stream)
{
    return copy(to, from, bytes, CALLER);
}

ANSWER(int, cuMemcpyDtoD_v2, void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes, CALLER);
}

ANSWER(int, cuMemcpyDtoDAsync_v2, void *to, const void *from, size_t bytes, void *stream)
{
    return copy(to, from, bytes, CALLER);
}

static int
fill(void *to, unsigned value, size_t unit, size_t count)
{
    if (count > 0 && !to)
        return DRIVER_INVALID_VALUE;
    memory_fill(to, (int)value, unit, count);
    return DRIVER_SUCCESS;
}

ANSWER(int, cuMemsetD8_v2, void *to, unsigned char value, size_t count)
{
    return fill(to, value, 1, count);
}

ANSWER(int, cuMemsetD8Async, void *to, unsigned char value, size_t count, void *stream)
{
    return fill(to, value, 1, count);
}

ANSWER(int, cuMemsetD32_v2, void *to, unsigned value, size_t count)
{
    return fill(to, value, sizeof value, count);
}

ANSWER(int, cuMemsetD32Async, void *to, unsigned value, size_t count, void *stream)
{
    return fill(to, value, sizeof value, count);
}

ANSWER(int, cuStreamWriteValue32_v2, void *stream, void *to, unsigned value, unsigned flags)
{
    return fill(to, value, sizeof value, 1);
}

/* ---- addresses and memory apart ---- */

/* CUmemAllocationProp as far as its first fields. */
struct allocation {
    int type, handle_types;
    int location_type, location;
};

ANSWER(int, cuMemGetAllocationGranularity, size_t *bytes, const void *allocation, int option)
{
    enum { PIECE = 2 << 20 };

    if (!bytes || !allocation)
        return DRIVER_INVALID_VALUE;
    *bytes = PIECE;
    return DRIVER_SUCCESS;
}

ANSWER(int, cuMemAddressReserve, void **address, size_t bytes, size_t alignment, void *wanted, unsigned long long flags)
{
    if (!address || bytes == 0 || device_count() == 0)
        return DRIVER_INVALID_VALUE;
    *address = memory_reserve(device_current(), bytes, alignment);
    return *address ? DRIVER_SUCCESS : DRIVER_OUT_OF_MEMORY;
}

ANSWER(int, cuMemAddressFree, void *address, size_t bytes)
{
    return memory_unreserve(address) ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
}

ANSWER(int, cuMemCreate, void **handle, size_t bytes, const struct allocation *allocation, unsigned long long flags)
{
    enum { ON_DEVICE = 1 };
    int device = allocation && allocation->location_type == ON_DEVICE ? allocation->location : -1;
    struct physical *made;

    if (!handle || bytes == 0 || device < 0 || device >= device_count())
        return DRIVER_INVALID_VALUE;
    if (!memory_charge(device, bytes, CALLER))
        return DRIVER_OUT_OF_MEMORY;
    made = handle_new(HANDLE_PHYSICAL);
    if (!made) {
        memory_discharge(device, bytes, CALLER);
        return DRIVER_OUT_OF_MEMORY;
    }
    *made = (struct physical){.bytes = bytes, .caller = CALLER, .device = device, .owner = (int)getpid()};
    *handle = made;
    return DRIVER_SUCCESS;
}

ANSWER(int, cuMemRelease, void *handle)
{
    const struct physical *found = handle_get(handle, HANDLE_PHYSICAL);

    if (!found)
        return DRIVER_INVALID_VALUE;
    if (found->owner == (int)getpid())
        memory_discharge(found->device, found->bytes, found->caller);
    handle_delete(handle, HANDLE_PHYSICAL);
    return DRIVER_SUCCESS;
}

ANSWER(int, cuMemMap, void *address, size_t bytes, size_t offset, void *handle, unsigned long long flags)
{
    return memory_device(address) >= 0 && handle_get(handle, HANDLE_PHYSICAL) ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
}

ANSWER(int, cuMemUnmap, void *address, size_t bytes)
{
    return memory_device(address) >= 0 ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
}

ANSWER(int, cuMemSetAccess, void *address, size_t bytes, const void *access, size_t count)
{
    return memory_device(address) >= 0 && access ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
}

/* ---- for programs with a default stream of each thread ---- */

PER_THREAD(cuMemAllocAsync, ptsz)
PER_THREAD(cuMemFreeAsync, ptsz)
PER_THREAD(cuMemcpy, ptds)
PER_THREAD(cuMemcpyAsync, ptsz)
PER_THREAD(cuMemcpyHtoD_v2, ptds)
PER_THREAD(cuMemcpyHtoDAsync_v2, ptsz)
PER_THREAD(cuMemcpyDtoH_v2, ptds)
PER_THREAD(cuMemcpyDtoHAsync_v2, ptsz)
PER_THREAD(cuMemcpyDtoD_v2, ptds)
PER_THREAD(cuMemcpyDtoDAsync_v2, ptsz)
PER_THREAD(cuMemsetD8_v2, ptds)
PER_THREAD(cuMemsetD8Async, ptsz)
PER_THREAD(cuMemsetD32_v2, ptds)
PER_THREAD(cuMemsetD32Async, ptsz)
PER_THREAD(cuStreamWriteValue32_v2, ptsz)
