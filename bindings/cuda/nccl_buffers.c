/* NCCL: memory of its own, and buffers and windows that are registered with it. */
#include "nccl.h"

struct window {
    void *start;
    size_t bytes;
};

ANSWER(int, ncclMemAlloc, void **address, size_t bytes)
{
    if (!address)
        return NCCL_INVALID_ARGUMENT;
    if (device_count() == 0)
        return NCCL_CUDA_ERROR;
    *address = memory_allocate(device_current(), bytes, CALLER);
    return *address ? NCCL_SUCCESS : NCCL_CUDA_ERROR;
}

ANSWER(int, ncclMemFree, void *address)
{
    return !address || memory_release(address) ? NCCL_SUCCESS : NCCL_INVALID_ARGUMENT;
}

static int
enter(const void *communicator, void *start, size_t bytes, void **window)
{
    struct window *made;

    if (!nccl_communicator(communicator) || !start || bytes == 0 || !window)
        return NCCL_INVALID_ARGUMENT;
    made = handle_new(HANDLE_DESCRIPTOR);
    if (!made)
        return NCCL_SYSTEM_ERROR;
    made->start = start;
    made->bytes = bytes;
    *window = made;
    return NCCL_SUCCESS;
}

static int
leave(const void *communicator, void *window)
{
    if (!nccl_communicator(communicator))
        return NCCL_INVALID_ARGUMENT;
    return !window || handle_delete(window, HANDLE_DESCRIPTOR) ? NCCL_SUCCESS : NCCL_INVALID_ARGUMENT;
}

ANSWER(int, ncclCommRegister, const void *communicator, void *start, size_t bytes, void **handle)
{
    return enter(communicator, start, bytes, handle);
}

ANSWER(int, ncclCommDeregister, const void *communicator, void *handle)
{
    return leave(communicator, handle);
}

ANSWER(int, ncclCommWindowRegister, const void *communicator, void *start, size_t bytes, void **window, int flags)
{
    return enter(communicator, start, bytes, window);
}

ANSWER(int, ncclCommWindowDeregister, const void *communicator, void *window)
{
    return leave(communicator, window);
}

ANSWER(int, ncclWinGetUserPtr, const void *communicator, const void *window, void **start)
{
    const struct window *found = handle_get(window, HANDLE_DESCRIPTOR);

    if (!nccl_communicator(communicator) || !found || !start)
        return NCCL_INVALID_ARGUMENT;
    *start = found->start;
    return NCCL_SUCCESS;
}
