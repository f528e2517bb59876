/*
 * The CUDA driver: memory that a process hands to another one.
 *
 * What travels is a descriptor of a file, or bytes, that say how large the memory is and on which device. It is taken
 * from the device once, by the process that made it; contents are not shared.
 */
#define _GNU_SOURCE
#include "driver.h"

#include "device.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DESCRIPTOR = 1, FABRIC = 8, FABRIC_BYTES = 64 };

#define MARK UINT64_C(0x6d656d6d6f64656c)

struct exported {
    uint64_t mark, bytes;
    int64_t place;
};

static int
file_of(const struct exported *exported)
{
    int file = memfd_create("memmodel device memory", MFD_CLOEXEC);

    if (file >= 0 && write(file, exported, sizeof *exported) != sizeof *exported) {
        close(file);
        return -1;
    }
    return file;
}

ANSWER(int, cuMemExportToShareableHandle, void *out, void *handle, int type, unsigned long long flags)
{
    const struct physical *found = handle_get(handle, HANDLE_PHYSICAL);
    struct exported exported;
    int file;

    if (!out || !found)
        return DRIVER_INVALID_VALUE;
    exported = (struct exported){MARK, found->bytes, device_place(found->device)};
    switch (type) {
    case DESCRIPTOR:
        file = file_of(&exported);
        if (file < 0)
            return DRIVER_OUT_OF_MEMORY;
        memcpy(out, &file, sizeof file);
        return DRIVER_SUCCESS;
    case FABRIC:
        memset(out, 0, FABRIC_BYTES);
        memcpy(out, &exported, sizeof exported);
        return DRIVER_SUCCESS;
    default:
        return DRIVER_NOT_SUPPORTED;
    }
}

/* A descriptor comes as the pointer itself. */
static bool
read_exported(struct exported *exported, const void *shared, int type)
{
    if (type == DESCRIPTOR && pread((int)(intptr_t)shared, exported, sizeof *exported, 0) != sizeof *exported)
        return false;
    if (type == FABRIC && shared)
        memcpy(exported, shared, sizeof *exported);
    return exported->mark == MARK;
}

/* The exporter's device as this process numbers it; its first one where it may not see that. */
static int
device_at(int64_t place)
{
    for (int device = 0; device < device_count(); device++)
        if (device_place(device) == place)
            return device;
    return 0;
}

ANSWER(int, cuMemImportFromShareableHandle, void **handle, const void *shared, int type)
{
    struct exported exported = {0};
    struct physical *made;

    if (!handle || device_count() == 0 || !read_exported(&exported, shared, type))
        return DRIVER_INVALID_VALUE;
    made = handle_new(HANDLE_PHYSICAL);
    if (!made)
        return DRIVER_OUT_OF_MEMORY;
    *made = (struct physical){.bytes = exported.bytes, .device = device_at(exported.place)};
    *handle = made;
    return DRIVER_SUCCESS;
}
