/*
 * Device memory: addresses of a reserved range, charged to the ledger as CUDA's driver takes memory.
 *
 * The driver takes memory in pieces of 2 MiB; small allocations of a process share such pieces. It takes addresses in
 * chunks of whole 32 MiB, the highest that are free, fills the lowest place in its chunks, and gives a chunk back with its
 * last allocation. On these addresses it depends which of two free blocks of a size PyTorch's allocator takes: the lower.
 * Observed on an H100 with driver 580, where a process has other addresses in use, so that some chunks lie elsewhere.
 * What the host copies to the device stays there, up to 1 MiB a copy and 256 MiB in all, and reads back. Everything else
 * reads as zeros: the pages of the range are the system's zero page until something is written.
 */
#define _GNU_SOURCE
#include "device.h"

#include "ledger_of_process.h"
#include "lock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SPACE ((size_t)1 << 42) /* addresses of one device */
#define CHUNK ((size_t)32 << 20)
#define PIECE ((size_t)2 << 20)
#define SMALL ((size_t)1 << 20)
#define KEPT_COPY ((size_t)1 << 20)
#define KEPT_IN_ALL ((size_t)256 << 20)
#define PAGE ((size_t)4096) /* of x86-64's, the least that is given back */

struct range {
    uintptr_t start;
    size_t bytes, room; /* asked for; addresses taken */
    size_t kept;        /* bytes that copies wrote, an upper bound */
    enum ledger_kind kind;
    bool reserved;  /* addresses alone */
    bool inherited; /* charged to the parent */
};

/* Addresses that the driver has; each range lies in one chunk. */
struct chunk {
    uintptr_t start;
    size_t bytes, ranges;
};

/* Ranges of one device and their chunks, by address. */
struct space {
    struct range *ranges;
    size_t count, capacity;
    struct chunk *chunks;
    size_t chunk_count, chunk_capacity;
    size_t small[LEDGER_KINDS]; /* bytes of small allocations */
};

LOCK_OF_FILE(lock)
static struct space spaces[LEDGER_DEVICES];
static uintptr_t base;
static size_t kept_in_all;

/* What a parent has taken is not its child's to give back. */
static void
begin_anew(void)
{
    for (int i = 0; i < LEDGER_DEVICES; i++) {
        for (size_t k = 0; k < spaces[i].count; k++)
            spaces[i].ranges[k].inherited = true;
        memset(spaces[i].small, 0, sizeof spaces[i].small);
    }
}

__attribute__((constructor)) static void
follow_forks(void)
{
    pthread_atfork(NULL, NULL, begin_anew);
}

static size_t
round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static uintptr_t
space_start(int device)
{
    return base + (uintptr_t)device * SPACE;
}

static bool
is_open(void)
{
    size_t bytes = SPACE * (size_t)(device_count() + 1);
    void *found;

    if (base || device_count() == 0)
        return base != 0;
    found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED)
        return false;
    madvise(found, bytes, MADV_DONTDUMP);
    madvise(found, bytes, MADV_NOHUGEPAGE); /* a byte written takes a page, not 2 MiB */
    base = round_up((uintptr_t)found, CHUNK);
    return true;
}

bool
memory_space(uintptr_t *start, size_t *bytes)
{
    bool opened;

    pthread_mutex_lock(&lock);
    opened = is_open();
    *start = base;
    *bytes = SPACE * (size_t)device_count();
    pthread_mutex_unlock(&lock);
    return opened;
}

int
memory_device(const void *address)
{
    uintptr_t from = (uintptr_t)address - base;

    return base && from < SPACE * (uintptr_t)device_count() ? (int)(from / SPACE) : -1;
}

/* ---- ranges ---- */

/* Number of the first range that ends beyond the address. */
static size_t
first_beyond(const struct space *space, uintptr_t address)
{
    size_t low = 0, high = space->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (space->ranges[middle].start + space->ranges[middle].room > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static struct range *
find_range(const void *address)
{
    int device = memory_device(address);
    struct space *space = &spaces[device < 0 ? 0 : device];
    size_t at = device < 0 ? space->count : first_beyond(space, (uintptr_t)address);

    return at < space->count && space->ranges[at].start <= (uintptr_t)address ? &space->ranges[at] : NULL;
}

/* ---- chunks ---- */

/* Room for one more element of `size` bytes in an array, given by the address of its pointer; false without memory. */
static bool
make_room(void *array, size_t count, size_t *capacity, size_t size)
{
    void *elements, *grown;
    size_t wanted = *capacity ? 2 * *capacity : 64;

    if (count < *capacity)
        return true;
    memcpy(&elements, array, sizeof elements);
    grown = realloc(elements, wanted * size);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

/* Number of the first chunk that ends beyond the address. */
static size_t
chunk_beyond(const struct space *space, uintptr_t address)
{
    size_t i = 0;

    while (i < space->chunk_count && space->chunks[i].start + space->chunks[i].bytes <= address)
        i++;
    return i;
}

/* The lowest free place of a chunk; 0 if it has none. */
static uintptr_t
place_in(const struct space *space, const struct chunk *chunk, size_t room)
{
    size_t alignment = room % PIECE == 0 ? PIECE : MEMORY_ALIGNMENT, i = first_beyond(space, chunk->start);
    uintptr_t from = chunk->start, end = chunk->start + chunk->bytes;

    for (; i < space->count && space->ranges[i].start < end && from + room > space->ranges[i].start; i++)
        from = round_up(space->ranges[i].start + space->ranges[i].room, alignment);
    return from < end && room <= end - from ? from : 0;
}

/* A new chunk, at the highest addresses that are free in the space from `begin` on; NULL if there are none. */
static struct chunk *
add_chunk(struct space *space, uintptr_t begin, size_t bytes)
{
    uintptr_t end = begin + SPACE;
    size_t at = space->chunk_count;

    if (!make_room(&space->chunks, space->chunk_count, &space->chunk_capacity, sizeof *space->chunks))
        return NULL;
    for (; at > 0 && end - (space->chunks[at - 1].start + space->chunks[at - 1].bytes) < bytes; at--)
        end = space->chunks[at - 1].start;
    if (end - begin < bytes)
        return NULL;
    memmove(&space->chunks[at + 1], &space->chunks[at], (space->chunk_count - at) * sizeof *space->chunks);
    space->chunks[at] = (struct chunk){.start = end - bytes, .bytes = bytes};
    space->chunk_count++;
    return &space->chunks[at];
}

static void
leave_chunk(struct space *space, uintptr_t address)
{
    size_t at = chunk_beyond(space, address);

    if (--space->chunks[at].ranges > 0)
        return;
    space->chunk_count--;
    memmove(&space->chunks[at], &space->chunks[at + 1], (space->chunk_count - at) * sizeof *space->chunks);
}

static struct range *
add_range(int device, size_t bytes, size_t room)
{
    struct space *space = &spaces[device];
    struct chunk *chunk = NULL;
    uintptr_t start = 0;
    size_t at;

    if (!make_room(&space->ranges, space->count, &space->capacity, sizeof *space->ranges))
        return NULL;
    for (size_t i = 0; i < space->chunk_count && start == 0; i++) {
        chunk = &space->chunks[i];
        start = place_in(space, chunk, room);
    }
    if (start == 0) {
        chunk = add_chunk(space, space_start(device), round_up(room, CHUNK));
        if (!chunk)
            return NULL;
        start = chunk->start;
    }
    chunk->ranges++;
    at = first_beyond(space, start);
    memmove(&space->ranges[at + 1], &space->ranges[at], (space->count - at) * sizeof *space->ranges);
    space->ranges[at] = (struct range){.start = start, .bytes = bytes, .room = room};
    space->count++;
    return &space->ranges[at];
}

/* Its whole pages read as zeros again; the ends of a small range share theirs with others. */
static void
forget(const struct range *range)
{
    uintptr_t start = round_up(range->start, PAGE), end = (range->start + range->room) / PAGE * PAGE;

    if (range->kept > 0 && end > start)
        madvise((void *)start, end - start, MADV_DONTNEED);
}

static void
remove_range(struct range *range)
{
    struct space *space = &spaces[memory_device((void *)range->start)];

    forget(range);
    kept_in_all -= range->kept;
    leave_chunk(space, range->start);
    space->count--;
    memmove(range, range + 1, (size_t)(space->ranges + space->count - range) * sizeof *range);
}

/* ---- allocations ---- */

/* The caching allocator of PyTorch lies in a library of this name; everyone else is an other. */
static enum ledger_kind
kind_of(const void *caller)
{
    return strncmp(note_module(caller), "libc10_cuda.so", strlen("libc10_cuda.so")) == 0 ? LEDGER_ALLOCATOR
                                                                                         : LEDGER_OTHER;
}

/* Bytes that the driver takes more when allocations of `bytes` are added to (or, negative, go from) a device. */
static int64_t
taken(int device, enum ledger_kind kind, size_t bytes, bool added)
{
    size_t *small = &spaces[device].small[kind], before = round_up(*small, PIECE);

    if (bytes > SMALL)
        return added ? (int64_t)round_up(bytes, PIECE) : -(int64_t)round_up(bytes, PIECE);
    *small = added ? *small + bytes : *small - bytes;
    return (int64_t)round_up(*small, PIECE) - (int64_t)before;
}

static bool
charge(int device, enum ledger_kind kind, size_t bytes)
{
    int64_t more = taken(device, kind, bytes, true);

    if (more == 0 || ledger_charge(device_ledger(), ledger_of_process(), device_place(device), kind, more))
        return true;
    taken(device, kind, bytes, false);
    return false;
}

static void
discharge(int device, enum ledger_kind kind, size_t bytes)
{
    int64_t more = taken(device, kind, bytes, false);

    if (more != 0)
        ledger_charge(device_ledger(), ledger_of_process(), device_place(device), kind, more);
}

void *
memory_allocate(int device, size_t bytes, const void *caller)
{
    enum ledger_kind kind = kind_of(caller);
    size_t room = round_up(bytes, bytes > SMALL ? PIECE : MEMORY_ALIGNMENT);
    struct range *range = NULL;
    void *address = NULL;

    device_enter(device);
    pthread_mutex_lock(&lock);
    if (bytes > 0 && bytes < SPACE && is_open() && ledger_of_process() >= 0 && charge(device, kind, room)) {
        range = add_range(device, bytes, room);
        if (range) {
            range->kind = kind;
            address = (void *)range->start;
            followed_clear(address);
        } else {
            discharge(device, kind, room);
        }
    }
    pthread_mutex_unlock(&lock);
    return address;
}

bool
memory_release(void *address)
{
    struct range *range;
    bool found;

    pthread_mutex_lock(&lock);
    range = find_range(address);
    found = range && !range->reserved && range->start == (uintptr_t)address;
    if (found) {
        if (!range->inherited)
            discharge(memory_device(address), range->kind, range->room);
        remove_range(range);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool
memory_range(const void *address, void **start, size_t *bytes)
{
    struct range *range;

    pthread_mutex_lock(&lock);
    range = find_range(address);
    if (range) {
        *start = (void *)range->start;
        *bytes = range->bytes;
    }
    pthread_mutex_unlock(&lock);
    return range != NULL;
}

void *
memory_reserve(int device, size_t bytes, size_t alignment)
{
    struct range *range = NULL;
    size_t room = round_up(bytes, alignment > PIECE ? alignment : PIECE);

    pthread_mutex_lock(&lock);
    if (bytes > 0 && bytes < SPACE && alignment <= PIECE && is_open())
        range = add_range(device, bytes, room);
    if (range)
        range->reserved = true;
    pthread_mutex_unlock(&lock);
    return range ? (void *)range->start : NULL;
}

bool
memory_unreserve(void *address)
{
    struct range *range;
    bool found;

    pthread_mutex_lock(&lock);
    range = find_range(address);
    found = range && range->reserved && range->start == (uintptr_t)address;
    if (found)
        remove_range(range);
    pthread_mutex_unlock(&lock);
    return found;
}

bool
memory_charge(int device, size_t bytes, const void *caller)
{
    device_enter(device);
    return bytes < SPACE && ledger_of_process() >= 0 &&
           ledger_charge(device_ledger(), ledger_of_process(), device_place(device), kind_of(caller),
                         (int64_t)round_up(bytes, PIECE));
}

void
memory_discharge(int device, size_t bytes, const void *caller)
{
    ledger_charge(device_ledger(), ledger_of_process(), device_place(device), kind_of(caller),
                  -(int64_t)round_up(bytes, PIECE));
}

/* ---- contents ---- */

/* Room for `bytes` more at a place of the device; false where they are too many. */
static bool
keep(void *to, size_t bytes)
{
    struct range *range;
    size_t more;
    bool kept = false;

    pthread_mutex_lock(&lock);
    range = find_range(to);
    if (range && bytes <= KEPT_COPY && bytes <= range->start + range->room - (uintptr_t)to) {
        more = range->kept + bytes > range->room ? range->room - range->kept : bytes;
        kept = kept_in_all + more <= KEPT_IN_ALL;
        if (kept) {
            range->kept += more;
            kept_in_all += more;
        }
    }
    pthread_mutex_unlock(&lock);
    return kept;
}

void
memory_copy(void *to, const void *from, size_t bytes, const void *caller)
{
    bool to_device = memory_device(to) >= 0, from_device = memory_device(from) >= 0;

    if (bytes == 0 || !to || !from)
        return;
    if (from_device && !to_device)
        note_made_up(bytes, caller);
    if (!to_device && from_device && bytes > KEPT_COPY)
        memset(to, 0, bytes);
    else if (!to_device || keep(to, bytes))
        memmove(to, from, bytes);
}

/* Device memory without pages behind it reads as zeros, and takes none of the host's: whole pages are given back. */
static void
clear(unsigned char *to, size_t bytes)
{
    enum { WORTH_A_CALL = 1 << 14 };
    uintptr_t start = round_up((uintptr_t)to, PAGE), end = ((uintptr_t)to + bytes) / PAGE * PAGE;

    if (bytes < WORTH_A_CALL || start >= end || madvise((void *)start, end - start, MADV_DONTNEED) != 0) {
        memset(to, 0, bytes);
        return;
    }
    memset(to, 0, start - (uintptr_t)to);
    memset((void *)end, 0, (uintptr_t)to + bytes - end);
}

void
memory_fill(void *to, int value, size_t unit, size_t count)
{
    unsigned char *bytes = to;
    bool on_device = memory_device(to) >= 0;

    if (!to || unit == 0 || count > SIZE_MAX / unit || (on_device && !keep(to, unit * count)))
        return;
    if (on_device && value == 0) {
        clear(to, unit * count);
        return;
    }
    if (unit == 1) {
        memset(to, value, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + i * unit, &value, unit);
}
