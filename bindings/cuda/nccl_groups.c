/*
 * NCCL: groups of operations, and those of two ranks, which programs put into groups.
 *
 * Where a program gathers by one broadcast from each rank, or exchanges by sends and receives, this rank's own part is
 * what comes from the others as well (nccl_operations.c), if it has the same size.
 */
#include "nccl.h"

#include "runtime.h"

enum { MOST = 256 };

struct part {
    void *address;
    size_t bytes;
};

/* Of this thread. */
static _Thread_local struct part brought[MOST], wanted[MOST];
static _Thread_local int depth, brought_count, wanted_count;

/* ncclDataType_t: bytes of a value */
static size_t
type_bytes(int type)
{
    static const unsigned char bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

    return type >= 0 && (size_t)type < sizeof bytes ? bytes[type] : 0;
}

size_t
nccl_bytes(size_t count, int type)
{
    size_t bytes;

    return __builtin_mul_overflow(count, type_bytes(type), &bytes) ? SIZE_MAX : bytes;
}

struct communicator *
nccl_of_operation(void *communicator, const void *from, const void *to, size_t count, int type)
{
    struct communicator *found = nccl_communicator(communicator);

    return found && type_bytes(type) > 0 && (count == 0 || (from && to)) ? found : NULL;
}

static void
keep(struct part *parts, int *count, void *address, size_t bytes)
{
    if (depth > 0 && *count < MOST && bytes > 0 && bytes <= NCCL_SMALL)
        parts[(*count)++] = (struct part){address, bytes};
}

void
nccl_group_brings(const void *from, size_t bytes)
{
    keep(brought, &brought_count, (void *)from, bytes);
}

void
nccl_group_wants(void *to, size_t bytes)
{
    keep(wanted, &wanted_count, to, bytes);
}

static void
fill(const struct part *want)
{
    for (int i = 0; i < brought_count; i++)
        if (brought[i].bytes == want->bytes) {
            memory_copy(want->address, brought[i].address, want->bytes, NULL);
            return;
        }
}

ANSWER(int, ncclGroupStart, void)
{
    depth++;
    return NCCL_SUCCESS;
}

ANSWER(int, ncclGroupEnd, void)
{
    if (depth == 0)
        return NCCL_INVALID_USAGE;
    if (--depth > 0)
        return NCCL_SUCCESS;
    for (int i = 0; i < wanted_count; i++)
        fill(&wanted[i]);
    brought_count = wanted_count = 0;
    return NCCL_SUCCESS;
}

/* ncclSimInfo_t: its size, two numbers, and the time that the group would take. */
struct simulation {
    size_t size;
    unsigned magic, version;
    float seconds;
};

ANSWER(int, ncclGroupSimulateEnd, struct simulation *simulation)
{
    if (simulation && simulation->size >= sizeof *simulation)
        simulation->seconds = 0;
    return ncclGroupEnd();
}

/* ---- from one rank to another ---- */

static int
exchange(const void *values, size_t count, int type, int peer, void *communicator, void *stream)
{
    struct communicator *found = nccl_of_operation(communicator, values, values, count, type);

    if (!found || peer < 0 || peer >= found->size)
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    return nccl_connect_peer(found, peer);
}

ANSWER(int, ncclSend, const void *from, size_t count, int type, int peer, void *communicator, void *stream)
{
    int result = exchange(from, count, type, peer, communicator, stream);

    if (result == NCCL_SUCCESS && peer == nccl_communicator(communicator)->rank)
        nccl_group_brings(from, nccl_bytes(count, type));
    return result;
}

ANSWER(int, ncclRecv, void *to, size_t count, int type, int peer, void *communicator, void *stream)
{
    int result = exchange(to, count, type, peer, communicator, stream);

    if (result == NCCL_SUCCESS)
        nccl_group_wants(to, nccl_bytes(count, type));
    return result;
}
