/*
 * NCCL: operations, which end at once.
 *
 * The other ranks are taken to hold what this one holds, while that is small: so sizes that ranks tell each other
 * agree, a sum is a multiple, a mean is the value. Larger data stays what it was.
 */
#include "nccl.h"

#include "runtime.h"

#include <string.h>

enum { SUM = 0, FIRST_OWN_SUM = 5 };

enum { SMALL = 1 << 20, SUMMED = 1 << 16 };

/* ncclDataType_t: bytes of a value */
static size_t
type_bytes(int type)
{
    static const unsigned char bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

    return type >= 0 && (size_t)type < sizeof bytes ? bytes[type] : 0;
}

/* Bytes of `count` values, more than any device has if they are too many; 0 for no values or no type. */
static size_t
bytes_of(size_t count, int type)
{
    size_t bytes;

    return __builtin_mul_overflow(count, type_bytes(type), &bytes) ? SIZE_MAX : bytes;
}

/* The communicator of an operation whose arguments are right, or NULL. */
static struct communicator *
of_operation(void *communicator, const void *from, const void *to, size_t count, int type)
{
    struct communicator *found = nccl_communicator(communicator);

    return found && type_bytes(type) > 0 && (count == 0 || (from && to)) ? found : NULL;
}

static void
move(void *to, const void *from, size_t bytes)
{
    if (to != from && bytes <= SMALL)
        memory_copy(to, from, bytes, NULL);
}

static void
multiply(void *values, size_t count, int type, int factor)
{
    enum { INT32 = 2, UINT32 = 3, INT64 = 4, UINT64 = 5, FLOAT = 7, DOUBLE = 8 };

    for (size_t i = 0; i < count; i++)
        switch (type) {
        case INT32:
        case UINT32: ((uint32_t *)values)[i] *= (uint32_t)factor; break;
        case INT64:
        case UINT64: ((uint64_t *)values)[i] *= (uint64_t)factor; break;
        case FLOAT: ((float *)values)[i] *= (float)factor; break;
        case DOUBLE: ((double *)values)[i] *= factor; break;
        default: return;
        }
}

/* What all ranks' values give: their own many times over for a sum of few, else their own. */
static void
reduce(void *to, const void *from, size_t count, int type, int operation, int ranks)
{
    _Alignas(16) unsigned char values[SUMMED];
    size_t bytes = bytes_of(count, type);

    if (operation != SUM || ranks == 1 || bytes > sizeof values) {
        move(to, from, bytes);
        return;
    }
    memcpy(values, from, bytes);
    multiply(values, count, type, ranks);
    memory_copy(to, values, bytes, NULL);
}

/* ---- collectives ---- */

ANSWER(int, ncclAllReduce, const void *from, void *to, size_t count, int type, int operation, void *communicator,
       void *stream)
{
    struct communicator *found = of_operation(communicator, from, to, count, type);
    int result;

    if (!found)
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    result = nccl_connect(found, nccl_path_of_sum(found, bytes_of(count, type)));
    if (result == NCCL_SUCCESS && count > 0)
        reduce(to, from, count, type, operation, found->size);
    return result;
}

ANSWER(int, ncclReduce, const void *from, void *to, size_t count, int type, int operation, int root,
       void *communicator, void *stream)
{
    struct communicator *found = of_operation(communicator, from, from, count, type);
    int result;

    if (!found || root < 0 || root >= found->size || (root == found->rank && count > 0 && !to))
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    result = nccl_connect(found, NCCL_RING);
    if (result == NCCL_SUCCESS && count > 0 && root == found->rank)
        reduce(to, from, count, type, operation, found->size);
    return result;
}

ANSWER(int, ncclBroadcast, const void *from, void *to, size_t count, int type, int root, void *communicator,
       void *stream)
{
    struct communicator *found = of_operation(communicator, to, to, count, type);
    int result;

    if (!found || root < 0 || root >= found->size)
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    result = nccl_connect(found, NCCL_RING);
    if (result == NCCL_SUCCESS && root == found->rank && from)
        move(to, from, bytes_of(count, type));
    return result;
}

ANSWER(int, ncclBcast, void *values, size_t count, int type, int root, void *communicator, void *stream)
{
    return ncclBroadcast(values, values, count, type, root, communicator, stream);
}

/* Each rank's part is what this rank has. */
ANSWER(int, ncclAllGather, const void *from, void *to, size_t count, int type, void *communicator, void *stream)
{
    struct communicator *found = of_operation(communicator, from, to, count, type);
    size_t bytes = bytes_of(count, type);
    int result;

    if (!found)
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    result = nccl_connect(found, NCCL_RING);
    if (result != NCCL_SUCCESS || bytes > SMALL / (size_t)found->size)
        return result;
    for (int i = 0; i < found->size; i++)
        move((char *)to + (size_t)i * bytes, from, bytes);
    return NCCL_SUCCESS;
}

ANSWER(int, ncclReduceScatter, const void *from, void *to, size_t count, int type, int operation, void *communicator,
       void *stream)
{
    struct communicator *found = of_operation(communicator, from, to, count, type);
    int result;

    if (!found)
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    result = nccl_connect(found, NCCL_RING);
    if (result == NCCL_SUCCESS && count > 0 && bytes_of(count, type) <= SMALL)
        reduce(to, (const char *)from + (size_t)found->rank * bytes_of(count, type), count, type, operation,
               found->size);
    return result;
}

/* ---- from each to each ---- */

static int
connect_all(struct communicator *communicator)
{
    int result = NCCL_SUCCESS;

    for (int i = 0; i < communicator->size && result == NCCL_SUCCESS; i++)
        result = nccl_connect_peer(communicator, i);
    return result;
}

ANSWER(int, ncclAlltoAll, const void *from, void *to, size_t count, int type, void *communicator, void *stream)
{
    struct communicator *found = of_operation(communicator, from, to, count, type);
    size_t bytes = bytes_of(count, type);
    int result;

    if (!found)
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    result = connect_all(found);
    if (result != NCCL_SUCCESS || bytes > SMALL / (size_t)found->size)
        return result;
    for (int i = 0; i < found->size; i++)
        move((char *)to + (size_t)i * bytes, (const char *)from + (size_t)found->rank * bytes, bytes);
    return NCCL_SUCCESS;
}

ANSWER(int, ncclGather, const void *from, void *to, size_t count, int type, int root, void *communicator, void *stream)
{
    struct communicator *found = of_operation(communicator, from, from, count, type);
    size_t bytes = bytes_of(count, type);
    int result;

    if (!found || root < 0 || root >= found->size || (root == found->rank && count > 0 && !to))
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    if (root != found->rank)
        return nccl_connect_peer(found, root);
    result = connect_all(found);
    for (int i = 0; i < found->size && result == NCCL_SUCCESS && bytes <= SMALL / (size_t)found->size; i++)
        move((char *)to + (size_t)i * bytes, from, bytes);
    return result;
}

ANSWER(int, ncclScatter, const void *from, void *to, size_t count, int type, int root, void *communicator,
       void *stream)
{
    struct communicator *found = of_operation(communicator, to, to, count, type);
    int result;

    if (!found || root < 0 || root >= found->size || (root == found->rank && count > 0 && !from))
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    if (root != found->rank)
        return nccl_connect_peer(found, root);
    result = connect_all(found);
    if (result == NCCL_SUCCESS && bytes_of(count, type) <= SMALL)
        move(to, (const char *)from + (size_t)root * bytes_of(count, type), bytes_of(count, type));
    return result;
}

static int
exchange(const void *values, size_t count, int type, int peer, void *communicator, void *stream)
{
    struct communicator *found = of_operation(communicator, values, values, count, type);

    if (!found || peer < 0 || peer >= found->size)
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    return nccl_connect_peer(found, peer);
}

ANSWER(int, ncclSend, const void *from, size_t count, int type, int peer, void *communicator, void *stream)
{
    return exchange(from, count, type, peer, communicator, stream);
}

ANSWER(int, ncclRecv, void *to, size_t count, int type, int peer, void *communicator, void *stream)
{
    return exchange(to, count, type, peer, communicator, stream);
}

/* ---- groups, and operators of the caller's ---- */

ANSWER(int, ncclGroupStart, void)
{
    return NCCL_SUCCESS;
}

ANSWER(int, ncclGroupEnd, void)
{
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
    return NCCL_SUCCESS;
}

/* A sum whose factor is the caller's, most often one over the number of ranks: what this rank has. */
ANSWER(int, ncclRedOpCreatePreMulSum, int *operation, void *factor, int type, int residence, void *communicator)
{
    if (!operation || !factor || !nccl_communicator(communicator) || type_bytes(type) == 0)
        return NCCL_INVALID_ARGUMENT;
    *operation = FIRST_OWN_SUM;
    return NCCL_SUCCESS;
}

ANSWER(int, ncclRedOpDestroy, int operation, void *communicator)
{
    return nccl_communicator(communicator) && operation >= FIRST_OWN_SUM ? NCCL_SUCCESS : NCCL_INVALID_ARGUMENT;
}
