/* Handles: places in a range of addresses of their own, so that what a program hands in can be distinguished from any address. */
#define _GNU_SOURCE
#include "device.h"

#include "lock.h"

#include <string.h>
#include <sys/mman.h>

enum { COUNT = 1 << 20 };

LOCK_OF_FILE(lock)
static unsigned char *places; /* HANDLE_BYTES for each */
static unsigned char *kinds;
static uint32_t *unused; /* a stack of places that were given back */
static uint32_t made, unused_count;

static void *
room(size_t bytes)
{
    void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return found == MAP_FAILED ? NULL : found;
}

static bool
is_open(void)
{
    if (!unused) {
        places = room((size_t)COUNT * HANDLE_BYTES);
        kinds = room(COUNT);
        unused = places && kinds ? room(COUNT * sizeof *unused) : NULL;
    }
    return unused != NULL;
}

void *
handle_new(enum handle_kind kind)
{
    void *handle = NULL;
    uint32_t place;

    pthread_mutex_lock(&lock);
    if (is_open() && (unused_count > 0 || made < COUNT)) {
        place = unused_count > 0 ? unused[--unused_count] : made++;
        kinds[place] = (unsigned char)kind;
        handle = places + (size_t)place * HANDLE_BYTES;
        memset(handle, 0, HANDLE_BYTES);
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

/* The place of a living handle of the kind, or COUNT. */
static uint32_t
place_of(const void *handle, enum handle_kind kind)
{
    uintptr_t from = (uintptr_t)handle - (uintptr_t)places;

    if (!unused || from >= (uintptr_t)made * HANDLE_BYTES || from % HANDLE_BYTES != 0)
        return COUNT;
    return kinds[from / HANDLE_BYTES] == (unsigned char)kind ? (uint32_t)(from / HANDLE_BYTES) : COUNT;
}

void *
handle_get(const void *handle, enum handle_kind kind)
{
    uint32_t place;

    pthread_mutex_lock(&lock);
    place = place_of(handle, kind);
    pthread_mutex_unlock(&lock);
    return place < COUNT ? places + (size_t)place * HANDLE_BYTES : NULL;
}

bool
handle_delete(void *handle, enum handle_kind kind)
{
    uint32_t place;

    pthread_mutex_lock(&lock);
    place = place_of(handle, kind);
    if (place < COUNT) {
        kinds[place] = HANDLE_NONE;
        unused[unused_count++] = place;
    }
    pthread_mutex_unlock(&lock);
    return place < COUNT;
}
