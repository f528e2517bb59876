/* Pinned memory of the host: what was allocated or registered, in no order; a program has few of them. */
#define _GNU_SOURCE
#include "host.h"

#include "lock.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

struct pinned {
    uintptr_t start;
    size_t bytes;
    bool allocated;
};

LOCK_OF_FILE(lock)
static struct pinned *ranges;
static size_t count, capacity;

static bool
add(void *address, size_t bytes, bool allocated)
{
    bool added = true;

    pthread_mutex_lock(&lock);
    if (count == capacity) {
        size_t wanted = capacity ? 2 * capacity : 64;
        struct pinned *grown = realloc(ranges, wanted * sizeof *grown);

        added = grown != NULL;
        ranges = grown ? grown : ranges;
        capacity = grown ? wanted : capacity;
    }
    if (added)
        ranges[count++] = (struct pinned){(uintptr_t)address, bytes, allocated};
    pthread_mutex_unlock(&lock);
    return added;
}

/* Its bytes; 0 if there is none. */
static size_t
take(const void *address, bool allocated)
{
    size_t bytes = 0;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].start != (uintptr_t)address || ranges[i].allocated != allocated)
            continue;
        bytes = ranges[i].bytes;
        ranges[i] = ranges[--count];
        break;
    }
    pthread_mutex_unlock(&lock);
    return bytes;
}

void *
host_allocate(size_t bytes)
{
    size_t length = bytes ? bytes : 1;
    void *address = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (address == MAP_FAILED)
        return NULL;
    if (add(address, length, true))
        return address;
    munmap(address, length);
    return NULL;
}

bool
host_release(void *address)
{
    size_t bytes = take(address, true);

    return bytes > 0 && munmap(address, bytes) == 0;
}

bool
host_register(void *address, size_t bytes)
{
    return add(address, bytes, false);
}

bool
host_unregister(void *address)
{
    return take(address, false) > 0;
}

bool
host_is_pinned(const void *address)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count && !found; i++)
        found = (uintptr_t)address - ranges[i].start < ranges[i].bytes;
    pthread_mutex_unlock(&lock);
    return found;
}
