/*
 * NVSHMEM is not there: its initialisation fails, and what would return a pointer returns none.
 *
 * PyTorch links it for memory that ranks share, which it makes only when a program asks for it.
 */
#include "device.h"

enum { FAILED = 1, NOT_INITIALIZED = 0, VERSION_MAJOR = 1, VERSION_MINOR = 3 };

ANSWER(int, nvshmemid_init_status, void)
{
    return NOT_INITIALIZED;
}

ANSWER(int, nvshmemid_hostlib_init_attr, void)
{
    note_unanswered("libnvshmem_host.so", "nvshmemid_hostlib_init_attr", CALLER);
    return FAILED;
}

ANSWER(void, nvshmemid_hostlib_finalize, void *device_context, void *transport_context)
{
}

ANSWER(void, nvshmem_info_get_version, int *major, int *minor)
{
    if (major)
        *major = VERSION_MAJOR;
    if (minor)
        *minor = VERSION_MINOR;
}

ANSWER(int, nvshmemx_get_uniqueid, void *id)
{
    note_unanswered("libnvshmem_host.so", "nvshmemx_get_uniqueid", CALLER);
    return FAILED;
}

#define NO_POINTER(name, ...)                                                                                          \
    ANSWER(void *, name, __VA_ARGS__)                                                                                  \
    {                                                                                                                  \
        note_unanswered("libnvshmem_host.so", #name, CALLER);                                                          \
        return NULL;                                                                                                   \
    }

NO_POINTER(nvshmem_malloc, size_t bytes)
NO_POINTER(nvshmem_calloc, size_t count, size_t bytes)
NO_POINTER(nvshmem_align, size_t alignment, size_t bytes)
NO_POINTER(nvshmem_ptr, const void *address, int rank)
NO_POINTER(nvshmemx_mc_ptr, int team, const void *address)
NO_POINTER(nvshmemx_buffer_register_symmetric, void *address, size_t bytes, int flags)

ANSWER(void, nvshmem_free, void *address)
{
}

ANSWER(int, nvshmem_my_pe, void)
{
    return 0;
}

ANSWER(int, nvshmem_n_pes, void)
{
    return 1;
}

ANSWER(int, nvshmem_team_my_pe, int team)
{
    return 0;
}

ANSWER(int, nvshmem_team_n_pes, int team)
{
    return 1;
}
