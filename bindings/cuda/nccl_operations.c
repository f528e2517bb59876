/*
 * NCCL: operations, which end at once.
 *
 * The other ranks are taken to hold what this one holds, while that is small: so sizes that ranks send each other
 * agree, a sum is a multiple, a mean is the value. Larger data stays what it was.
 */
#include "nccl.h"

#include "runtime.h"

#include <string.h>

enum { SUM = 0, FIRST_OWN_SUM = 5 };

enum { SUMMED = 1 << 16 };

static void
move(void *to, const void *from, size_t bytes)
{
    if (to != from && bytes <= NCCL_SMALL)
        memory_copy(to, from, bytes, NULL);
}

/* Of all ranks; no size: another thread has just destroyed the communicator. */
static bool
are_small(const struct communicator *communicator, size_t bytes)
{
    int size = __atomic_load_n(&communicator->size, __ATOMIC_RELAXED);

    return size > 0 && bytes <= NCCL_SMALL / (size_t)size;
}

static void
multiply(void *values, size_t count, int type, int factor)
{
    enum { INT32 = 2, UINT32 = 3, INT64 = 4, UINT64 = 5, FLOAT = 7, DOUBLE = 8 };

    for (size_t i = 0; i < count; i++)
        switch (type) {
        case INT32:
        case UINT32:
            ((uint32_t *)values)[i] *= (uint32_t)factor;
            break;
        case INT64:
        case UINT64:
            ((uint64_t *)values)[i] *= (uint64_t)factor;
            break;
        case FLOAT:
            ((float *)values)[i] *= (float)factor;
            break;
        case DOUBLE:
            ((double *)values)[i] *= factor;
            break;
        default:
            return;
        }
}

/* What all ranks' values give: their own many times over for a sum of few, else their own. */
static void
reduce(void *to, const void *from, size_t count, int type, int operation, int ranks)
{
    _Alignas(16) unsigned char values[SUMMED];
    size_t bytes = nccl_bytes(count, type);

    if (operation != SUM || ranks == 1 || bytes > sizeof values) {
        move(to, from, bytes);
        return;
    }
    memcpy(values, from, bytes);
    multiply(values, count, type, ranks);
    memory_copy(to, values, bytes, NULL);
}

/* ---- collectives ---- */

/* The communicator of an operation whose kernel is launched; NULL if an argument is wrong. */
static struct communicator *
launched(void *communicator, const void *from, const void *to, size_t count, int type, void *stream)
{
    struct communicator *found = nccl_of_operation(communicator, from, to, count, type);

    if (found)
        runtime_launched(stream);
    return found;
}

ANSWER(int, ncclAllReduce, const void *from, void *to, size_t count, int type, int operation, void *communicator,
       void *stream)
{
    struct communicator *found = launched(communicator, from, to, count, type, stream);
    int result;

    if (!found)
        return NCCL_INVALID_ARGUMENT;
    result = nccl_connect(found, nccl_path_of_sum(found, nccl_bytes(count, type)));
    if (result == NCCL_SUCCESS && count > 0)
        reduce(to, from, count, type, operation, found->size);
    return result;
}

ANSWER(int, ncclReduce, const void *from, void *to, size_t count, int type, int operation, int root, void *communicator,
       void *stream)
{
    struct communicator *found = nccl_of_operation(communicator, from, from, count, type);
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
    struct communicator *found = nccl_of_operation(communicator, to, to, count, type);
    size_t bytes = nccl_bytes(count, type);
    bool is_root, is_there;
    int result;

    if (!found || root < 0 || root >= found->size)
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    result = nccl_connect(found, NCCL_RING);
    if (result != NCCL_SUCCESS)
        return result;
    is_root = root == found->rank && from;
    is_there = nccl_exchange_broadcast(found, to, from, bytes, is_root);
    if (is_root) {
        move(to, from, bytes);
        nccl_group_brings(from, bytes);
    } else if (!is_there) {
        nccl_group_wants(to, bytes);
    }
    return NCCL_SUCCESS;
}

ANSWER(int, ncclBcast, void *values, size_t count, int type, int root, void *communicator, void *stream)
{
    return ncclBroadcast(values, values, count, type, root, communicator, stream);
}

/* Each rank's part is what this rank has. */
ANSWER(int, ncclAllGather, const void *from, void *to, size_t count, int type, void *communicator, void *stream)
{
    struct communicator *found = launched(communicator, from, to, count, type, stream);
    size_t bytes = nccl_bytes(count, type);
    int result;

    if (!found)
        return NCCL_INVALID_ARGUMENT;
    result = nccl_connect(found, NCCL_RING);
    if (result != NCCL_SUCCESS || !are_small(found, bytes))
        return result;
    for (int i = 0; i < found->size; i++)
        move((char *)to + (size_t)i * bytes, from, bytes);
    return NCCL_SUCCESS;
}

ANSWER(int, ncclReduceScatter, const void *from, void *to, size_t count, int type, int operation, void *communicator,
       void *stream)
{
    struct communicator *found = launched(communicator, from, to, count, type, stream);
    int result;

    if (!found)
        return NCCL_INVALID_ARGUMENT;
    result = nccl_connect(found, NCCL_RING);
    if (result == NCCL_SUCCESS && count > 0 && nccl_bytes(count, type) <= NCCL_SMALL)
        reduce(to, (const char *)from + (size_t)found->rank * nccl_bytes(count, type), count, type, operation,
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
    struct communicator *found = launched(communicator, from, to, count, type, stream);
    size_t bytes = nccl_bytes(count, type);
    int result;

    if (!found)
        return NCCL_INVALID_ARGUMENT;
    result = connect_all(found);
    if (result != NCCL_SUCCESS || !are_small(found, bytes))
        return result;
    for (int i = 0; i < found->size; i++)
        move((char *)to + (size_t)i * bytes, (const char *)from + (size_t)found->rank * bytes, bytes);
    return NCCL_SUCCESS;
}

ANSWER(int, ncclGather, const void *from, void *to, size_t count, int type, int root, void *communicator, void *stream)
{
    struct communicator *found = nccl_of_operation(communicator, from, from, count, type);
    size_t bytes = nccl_bytes(count, type);
    int result;

    if (!found || root < 0 || root >= found->size || (root == found->rank && count > 0 && !to))
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    if (root != found->rank)
        return nccl_connect_peer(found, root);
    result = connect_all(found);
    for (int i = 0; i < found->size && result == NCCL_SUCCESS && are_small(found, bytes); i++)
        move((char *)to + (size_t)i * bytes, from, bytes);
    return result;
}

ANSWER(int, ncclScatter, const void *from, void *to, size_t count, int type, int root, void *communicator, void *stream)
{
    struct communicator *found = nccl_of_operation(communicator, to, to, count, type);
    int result;

    if (!found || root < 0 || root >= found->size || (root == found->rank && count > 0 && !from))
        return NCCL_INVALID_ARGUMENT;
    runtime_launched(stream);
    if (root != found->rank)
        return nccl_connect_peer(found, root);
    result = connect_all(found);
    if (result == NCCL_SUCCESS && nccl_bytes(count, type) <= NCCL_SMALL)
        move(to, (const char *)from + (size_t)root * nccl_bytes(count, type), nccl_bytes(count, type));
    return result;
}

/* ---- operators of the caller's ---- */

/* A sum whose factor is the caller's, most often one over the number of ranks: what this rank has. */
ANSWER(int, ncclRedOpCreatePreMulSum, int *operation, void *factor, int type, int residence, void *communicator)
{
    if (!operation || !factor || !nccl_communicator(communicator) || nccl_bytes(1, type) == 0)
        return NCCL_INVALID_ARGUMENT;
    *operation = FIRST_OWN_SUM;
    return NCCL_SUCCESS;
}

ANSWER(int, ncclRedOpDestroy, int operation, void *communicator)
{
    return nccl_communicator(communicator) && operation >= FIRST_OWN_SUM ? NCCL_SUCCESS : NCCL_INVALID_ARGUMENT;
}
