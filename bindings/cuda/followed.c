/*
 * Places of device memory whose contents the hook in Python knows: a byte for each, which the hook sets and reads, and
 * which is cleared here when the place is handed out again. What is in memory that is new to its owner nobody knows.
 *
 * PyTorch's caching allocator hands out parts of its own blocks, and reports each to the profiler: the function that it
 * calls for that is found here first (c10/core/Allocator.h).
 */
#define _GNU_SOURCE
#include "device.h"

#include <dlfcn.h>
#include <sys/mman.h>

static unsigned char *marks;
static uintptr_t start;
static size_t count;

/* One byte for each MEMORY_ALIGNMENT bytes from `*from` on, and one more; NULL without devices. */
ANSWER(unsigned char *, memmodel_cuda_marks, uintptr_t *from, size_t *places)
{
    size_t bytes;
    void *found;

    if (!marks && memory_space(&start, &bytes)) {
        count = bytes / MEMORY_ALIGNMENT;
        found = mmap(NULL, count + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        marks = found == MAP_FAILED ? NULL : found;
    }
    *from = start;
    *places = count;
    return marks;
}

void
followed_clear(const void *address)
{
    size_t place = ((uintptr_t)address - start) / MEMORY_ALIGNMENT;

    if (marks && place < count && marks[place])
        marks[place] = 0;
}

/* c10::reportMemoryUsageToProfiler(pointer, bytes, all allocated, all reserved, device); `bytes` < 0: given back. */
typedef void
reporter(void *, int64_t, size_t, size_t, uint16_t);

static reporter *
next_reporter(void)
{
    static reporter *_Atomic next;
    reporter *found = next;
    void *library = found ? NULL : dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);

    if (library) {
        *(void **)&found = dlsym(library, "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE");
        next = found;
        dlclose(library);
    }
    return found;
}

ANSWER(void, _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE, void *address, int64_t bytes, size_t allocated,
       size_t reserved, uint16_t device)
{
    reporter *next = next_reporter();

    followed_clear(address);
    if (next)
        next(address, bytes, allocated, reserved, device);
}
