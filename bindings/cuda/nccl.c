/*
 * NCCL: communicators, which know their size and this process's rank.
 *
 * Every rank runs for itself: nothing waits for the others, who may not be there.
 */
#include "nccl.h"

#include "runtime.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/random.h>

/* ncclUniqueId, which is handed over by value. */
struct unique_id {
    char bytes[128];
};

/* What ncclConfig_t begins with in every version. */
struct configuration {
    size_t size;
    unsigned magic, version;
    int blocking, group_size, min_channels, max_channels;
    const char *network;
    int is_shared;
};

struct communicator *
nccl_communicator(const void *communicator)
{
    return handle_get(communicator, HANDLE_COMMUNICATOR);
}

ANSWER(int, ncclGetVersion, int *version)
{
    if (!version)
        return NCCL_INVALID_ARGUMENT;
    *version = runtime_version() >= RUNTIME_13 ? 23007 : 22605; /* 10000 * major + 100 * minor + patch */
    return NCCL_SUCCESS;
}

ANSWER(int, ncclGetUniqueId, struct unique_id *id)
{
    ssize_t got;

    if (!id)
        return NCCL_INVALID_ARGUMENT;
    do
        got = getrandom(id, sizeof *id, 0);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof *id)
        return NCCL_SYSTEM_ERROR;
    nccl_exchange_offer(id);
    return NCCL_SUCCESS;
}

ANSWER(int, ncclCommGetUniqueId, void *communicator, struct unique_id *id)
{
    return nccl_communicator(communicator) ? ncclGetUniqueId(id) : NCCL_INVALID_ARGUMENT;
}

/* ---- beginning ---- */

static bool
has_field(const struct configuration *configuration, size_t end)
{
    return configuration && configuration->size >= end;
}

static int
begin(void **result, int size, int rank, int device, const struct configuration *configuration)
{
    struct communicator *made;
    int status;

    if (!result || size < 1 || rank < 0 || rank >= size)
        return NCCL_INVALID_ARGUMENT;
    if (device < 0 || device >= device_count())
        return NCCL_CUDA_ERROR;
    made = handle_new(HANDLE_COMMUNICATOR);
    if (!made)
        return NCCL_SYSTEM_ERROR;
    made->size = size;
    made->rank = rank;
    made->device = device;
    if (has_field(configuration, offsetof(struct configuration, network)) && configuration->max_channels > 0)
        made->max_channels = configuration->max_channels;
    status = nccl_begin(made);
    if (status != NCCL_SUCCESS)
        handle_delete(made, HANDLE_COMMUNICATOR);
    else
        *result = made;
    return status;
}

/* Begins with ranks that have the same identifier. */
static int
begin_with(void **result, int size, int rank, const struct unique_id *id, const struct configuration *configuration)
{
    int status = begin(result, size, rank, device_current(), configuration);

    if (status == NCCL_SUCCESS && size > 1 && id)
        ((struct communicator *)*result)->exchange = nccl_exchange_join(id);
    return status;
}

ANSWER(int, ncclCommInitRank, void **communicator, int size, struct unique_id id, int rank)
{
    return begin_with(communicator, size, rank, &id, NULL);
}

ANSWER(int, ncclCommInitRankConfig, void **communicator, int size, struct unique_id id, int rank,
       const struct configuration *configuration)
{
    return begin_with(communicator, size, rank, &id, configuration);
}

ANSWER(int, ncclCommInitRankScalable, void **communicator, int size, int rank, int id_count,
       const struct unique_id *ids, const struct configuration *configuration)
{
    return begin_with(communicator, size, rank, id_count > 0 ? ids : NULL, configuration);
}

ANSWER(int, ncclCommInitAll, void **communicators, int count, const int *devices)
{
    int status = communicators && count > 0 ? NCCL_SUCCESS : NCCL_INVALID_ARGUMENT;

    for (int i = 0; i < count && status == NCCL_SUCCESS; i++)
        status = begin(&communicators[i], count, i, devices ? devices[i] : i, NULL);
    return status;
}

/* Of the part that is split next: its size, and this rank's place in it; 0 where nobody said. */
static _Thread_local struct {
    int size, rank;
} next_part;

/* PyTorch knows them where it splits a group: python/memmodel_cuda/groups.py. */
ANSWER(void, memmodel_cuda_split, int size, int rank)
{
    next_part.size = size;
    next_part.rank = rank;
}

/*
 * How many ranks chose the same color is not known to one of them: unless it was said, the part is taken to be as large
 * as the whole, and the key to be the rank in it.
 */
ANSWER(int, ncclCommSplit, void *communicator, int color, int key, void **part,
       const struct configuration *configuration)
{
    const struct communicator *whole = nccl_communicator(communicator);
    int status;

    if (!whole || !part)
        return NCCL_INVALID_ARGUMENT;
    *part = NULL;
    if (color < 0)
        return NCCL_SUCCESS;
    if (next_part.size > 0)
        status = begin(part, next_part.size, next_part.rank, whole->device, configuration);
    else
        status =
            begin(part, whole->size, key >= 0 && key < whole->size ? key : whole->rank, whole->device, configuration);
    if (status == NCCL_SUCCESS && has_field(configuration, sizeof *configuration) && configuration->is_shared == 1)
        ((struct communicator *)*part)->is_shared = true;
    return status;
}

ANSWER(int, ncclCommShrink, void *communicator, const int *excluded, int count, void **part,
       const struct configuration *configuration, int flags)
{
    const struct communicator *whole = nccl_communicator(communicator);
    int rank;

    if (!whole || !part || count < 0 || count >= whole->size || (!excluded && count > 0))
        return NCCL_INVALID_ARGUMENT;
    rank = whole->rank;
    for (int i = 0; i < count; i++)
        rank -= excluded[i] < whole->rank;
    return begin(part, whole->size - count, rank < 0 ? 0 : rank, whole->device, configuration);
}

ANSWER(int, ncclCommGrow, void *communicator, int size, const struct unique_id *id, int rank, void **result,
       const struct configuration *configuration)
{
    const struct communicator *old = nccl_communicator(communicator);

    return begin(result, size, old ? old->rank : rank, old ? old->device : device_current(), configuration);
}

/* ---- end ---- */

static int
end(void *communicator)
{
    struct communicator *found = nccl_communicator(communicator);

    if (!found)
        return NCCL_INVALID_ARGUMENT;
    nccl_give_back(found);
    nccl_exchange_leave(found->exchange);
    handle_delete(found, HANDLE_COMMUNICATOR);
    return NCCL_SUCCESS;
}

ANSWER(int, ncclCommDestroy, void *communicator)
{
    return communicator ? end(communicator) : NCCL_SUCCESS;
}

ANSWER(int, ncclCommAbort, void *communicator)
{
    return communicator ? end(communicator) : NCCL_SUCCESS;
}

static int
is_there(const void *communicator)
{
    return nccl_communicator(communicator) ? NCCL_SUCCESS : NCCL_INVALID_ARGUMENT;
}

ANSWER(int, ncclCommFinalize, void *communicator)
{
    return is_there(communicator);
}

ANSWER(int, ncclCommRevoke, void *communicator, int flags)
{
    return is_there(communicator);
}

ANSWER(int, ncclCommSuspend, void *communicator, int flags)
{
    struct communicator *found = nccl_communicator(communicator);

    if (!found)
        return NCCL_INVALID_ARGUMENT;
    nccl_give_back(found);
    return NCCL_SUCCESS;
}

ANSWER(int, ncclCommResume, void *communicator)
{
    struct communicator *found = nccl_communicator(communicator);

    return found ? nccl_take_again(found) : NCCL_INVALID_ARGUMENT;
}

/* ---- questions ---- */

#define QUESTION(name, field)                                                                                          \
    ANSWER(int, ncclComm##name, const void *communicator, int *value)                                                  \
    {                                                                                                                  \
        const struct communicator *found = nccl_communicator(communicator);                                            \
                                                                                                                       \
        if (!found || !value)                                                                                          \
            return NCCL_INVALID_ARGUMENT;                                                                              \
        *value = found->field;                                                                                         \
        return NCCL_SUCCESS;                                                                                           \
    }

QUESTION(Count, size)
QUESTION(UserRank, rank)
QUESTION(CuDevice, device)

ANSWER(int, ncclCommGetAsyncError, const void *communicator, int *error)
{
    if (!nccl_communicator(communicator) || !error)
        return NCCL_INVALID_ARGUMENT;
    *error = NCCL_SUCCESS;
    return NCCL_SUCCESS;
}

ANSWER(int, ncclCommMemStats, const void *communicator, int which, uint64_t *value)
{
    enum { SUSPENDABLE, IS_SUSPENDED, PERSISTENT, TOTAL };
    const struct communicator *found = nccl_communicator(communicator);

    if (!found || !value || which < SUSPENDABLE || which > TOTAL)
        return NCCL_INVALID_ARGUMENT;
    *value = which == IS_SUSPENDED ? found->is_suspended : which == PERSISTENT ? 0 : (uint64_t)found->taken;
    return NCCL_SUCCESS;
}

ANSWER(const char *, ncclGetErrorString, int result)
{
    static const char *const texts[] = {
        [NCCL_SUCCESS] = "no error",
        [NCCL_CUDA_ERROR] = "unhandled cuda error",
        [NCCL_SYSTEM_ERROR] = "unhandled system error",
        [NCCL_INTERNAL_ERROR] = "internal error",
        [NCCL_INVALID_ARGUMENT] = "invalid argument",
        [NCCL_INVALID_USAGE] = "invalid usage",
        [NCCL_REMOTE_ERROR] = "remote process exited or there was a network error",
        [NCCL_IN_PROGRESS] = "NCCL operation in progress",
    };

    return result >= 0 && (size_t)result < sizeof texts / sizeof *texts ? texts[result] : "unknown result code";
}

ANSWER(const char *, ncclGetLastError, const void *communicator)
{
    return "";
}
