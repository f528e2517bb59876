/*
 * NCCL: small broadcasts, which the ranks of a machine really hand to each other: programs learn from them how many
 * numbers follow, and check that all ranks agree.
 *
 * The one who makes an identifier makes shared memory with it; the others find it by the identifier, and it goes with
 * the last of them. A rank that waits for nothing goes on with what it has.
 */
#define _GNU_SOURCE
#include "nccl.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MAGIC = 0x6e63636c, SLOTS = 256, SLOT_BYTES = 4096 };
enum { PAUSE_NANOSECONDS = 100000, PAUSES_FOR_RANKS = 100000, PAUSES_FOR_DATA = 20000 }; /* 10 and 2 seconds */

struct slot {
    _Atomic uint64_t number; /* of the broadcast that it holds */
    unsigned char data[SLOT_BYTES];
};

struct exchange {
    uint32_t magic;
    _Atomic int joined; /* ranks */
    struct slot slots[SLOTS];
};

/* What an identifier begins with. */
struct place {
    uint32_t magic;
    int32_t pid, descriptor;
};

void
nccl_exchange_offer(void *id)
{
    struct place place = {.magic = MAGIC, .pid = (int32_t)getpid()};
    uint32_t magic = MAGIC;

    place.descriptor = memfd_create("memmodel-nccl", MFD_CLOEXEC);
    if (place.descriptor < 0)
        return;
    if (ftruncate(place.descriptor, sizeof(struct exchange)) || pwrite(place.descriptor, &magic, sizeof magic, 0) < 0)
        close(place.descriptor);
    else
        memcpy(id, &place, sizeof place);
}

struct exchange *
nccl_exchange_join(const void *id)
{
    struct exchange *found;
    struct place place;
    char path[64];
    int descriptor;

    memcpy(&place, id, sizeof place);
    if (place.magic != MAGIC)
        return NULL;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)place.pid, (int)place.descriptor);
    descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    found = lseek(descriptor, 0, SEEK_END) == (off_t)sizeof *found
                ? mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
                : MAP_FAILED;
    close(descriptor);
    if (found == MAP_FAILED)
        return NULL;
    if (found->magic != MAGIC) {
        munmap(found, sizeof *found);
        return NULL;
    }
    atomic_fetch_add(&found->joined, 1);
    return found;
}

void
nccl_exchange_leave(struct exchange *exchange)
{
    if (exchange)
        munmap(exchange, sizeof *exchange);
}

static void
pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOSECONDS}, NULL);
}

/* Ranks begin within seconds of each other, or never: then this process is alone, and waits for nobody again. */
static bool
are_all_there(struct exchange *exchange, int ranks)
{
    static _Atomic bool is_alone;

    if (getenv("MEMMODEL_CUDA_WORLD_SIZE")) /* the one rank that was asked for */
        return false;
    for (int i = 0; atomic_load(&exchange->joined) < ranks; i++) {
        if (i == PAUSES_FOR_RANKS)
            atomic_store(&is_alone, true);
        if (atomic_load(&is_alone))
            return false;
        pause_briefly();
    }
    return true;
}

static bool
comes(const struct slot *slot, uint64_t number)
{
    for (int i = 0; atomic_load(&slot->number) < number && i < PAUSES_FOR_DATA; i++)
        pause_briefly();
    return atomic_load(&slot->number) == number;
}

/* Once a rank has waited for nothing it no longer does. */
static bool
receive(struct communicator *communicator, const struct slot *slot, void *to, size_t bytes)
{
    if (!are_all_there(communicator->exchange, communicator->size) || !comes(slot, communicator->broadcasts)) {
        nccl_exchange_leave(communicator->exchange);
        communicator->exchange = NULL;
        return false;
    }
    memory_copy(to, slot->data, bytes, NULL);
    return true;
}

bool
nccl_exchange_broadcast(struct communicator *communicator, void *to, const void *from, size_t bytes, bool is_root)
{
    uint64_t number = ++communicator->broadcasts;
    struct slot *slot;

    if (!communicator->exchange || bytes == 0 || bytes > SLOT_BYTES)
        return false;
    slot = &communicator->exchange->slots[number % SLOTS];
    if (!is_root)
        return receive(communicator, slot, to, bytes);
    memcpy(slot->data, from, bytes);
    atomic_store(&slot->number, number);
    return true;
}
