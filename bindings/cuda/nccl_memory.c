/*
 * NCCL: what a communicator takes of the device, a rule of this library.
 *
 * Each channel has a connection with each neighbour, which holds the buffers of three protocols: LL 8 * 512 * 8 * 16
 * bytes, LL128 120 * 640 * 8 * 8, Simple 4 MiB (NCCL User Guide, NCCL_BUFFSIZE; the other two are NCCL's defaults), in
 * pieces of 2 MiB together 10 MiB, and two pieces for what ranks send each other. So does an issue measure it:
 * github.com/NVIDIA/nccl/issues/1685, 8 H100, buffers of 10,485,760 and 2,097,152 bytes, 32 channels with each of 7
 * neighbours, 3.28 GB in all, which are 14 MiB each. Numbers of channels are those of NCCL's own logs there and elsewhere:
 * 24 for collectives, 32 for a peer and 16 through NVSwitch on H100, 24 and 32 on A100, 32, 32 and 24 on B200, 2
 * without NVLink. Sums through NVSwitch take two buffers of 1 MiB for each channel and rank of the node ("NVLS comm ...
 * nHeads 8 buffSize 1048576 nvlsTotalSize 268435456"). Since 2.22 connections are made when an operation first needs
 * them, which is what is done here. NCCL's own choice of a path follows its tuning; here sums below 1 MiB go by trees,
 * larger ones through a switch, everything else by rings.
 */
#include "nccl.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MIB ((int64_t)1 << 20)

enum { AMPERE = 80, HOPPER = 90, BLACKWELL = 100, GB300 = 103 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A number that the user set for NCCL; `otherwise` where there is none. */
static int64_t
setting(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    char *end;
    long long value;

    if (!text || !*text)
        return otherwise;
    value = strtoll(text, &end, 10);
    return *end || value < 0 ? otherwise : value;
}

/* GPUs for servers have NVLink, but for those on a PCI Express card. */
static bool
has_links(void)
{
    const struct ledger_gpu *gpu = device_gpu();
    bool is_for_servers = gpu->capability == AMPERE || gpu->capability == HOPPER || gpu->capability == BLACKWELL ||
                          gpu->capability == GB300;

    return is_for_servers && !strstr(gpu->name, "PCI");
}

static bool
has_switch(const struct communicator *communicator)
{
    return has_links() && device_gpu()->capability >= HOPPER && communicator->size > 2 &&
           setting("NCCL_NVLS_ENABLE", 1) != 0;
}

static int64_t
limited(const struct communicator *communicator, int64_t channels)
{
    int64_t most = setting("NCCL_MAX_CTAS", setting("NCCL_MAX_NCHANNELS", INT64_MAX));

    if (communicator->max_channels > 0 && communicator->max_channels < most)
        most = communicator->max_channels;
    return channels < most ? channels : most;
}

static int64_t
channels(const struct communicator *communicator)
{
    if (!has_links())
        return limited(communicator, 2);
    return limited(communicator, device_gpu()->capability >= BLACKWELL ? 32 : 24);
}

static int64_t
peer_channels(const struct communicator *communicator)
{
    return limited(communicator, has_links() ? 32 : 2);
}

static int64_t
connection_bytes(void)
{
    const int64_t ll = 8 * 512 * 8 * 16, ll128 = 120 * 640 * 8 * 8, piece = 2 * MIB;
    int64_t simple = setting("NCCL_BUFFSIZE", 4 * MIB);

    if (simple > 1024 * MIB)
        simple = 1024 * MIB;
    return (ll + ll128 + simple + piece - 1) / piece * piece + 2 * piece;
}

static int64_t
switch_bytes(const struct communicator *communicator)
{
    enum { NODE = 8 };
    int64_t heads = communicator->size < NODE ? communicator->size : NODE;

    return limited(communicator, device_gpu()->capability >= BLACKWELL ? 24 : 16) * 2 * heads * MIB;
}

static int
take(struct communicator *communicator, int64_t bytes)
{
    if (communicator->is_shared || bytes <= 0)
        return NCCL_SUCCESS;
    note_profile("NCCL: a communicator takes 14 MiB for each channel and neighbour, when an operation first needs it");
    if (!memory_charge(communicator->device, (size_t)bytes, NULL))
        return NCCL_CUDA_ERROR;
    communicator->taken += bytes;
    return NCCL_SUCCESS;
}

int
nccl_begin(struct communicator *communicator)
{
    return communicator->size > 1 ? take(communicator, 2 * MIB) : NCCL_SUCCESS; /* its state, and a queue of work */
}

/* A ring has a neighbour that sends and one that receives; a chain or tree, the other way round as well. */
int
nccl_connect(struct communicator *communicator, enum nccl_path path)
{
    int64_t bytes = path == NCCL_SWITCH ? switch_bytes(communicator) : channels(communicator) * connection_bytes();
    int result = NCCL_SUCCESS;

    pthread_mutex_lock(&lock);
    if (communicator->size > 1 && !(communicator->paths & (unsigned)path))
        result = take(communicator, bytes);
    if (result == NCCL_SUCCESS)
        communicator->paths |= (unsigned)path;
    pthread_mutex_unlock(&lock);
    return result;
}

int
nccl_connect_peer(struct communicator *communicator, int peer)
{
    unsigned char *byte = &communicator->neighbours[peer % NCCL_NEIGHBOURS / 8], bit = (unsigned char)(1 << peer % 8);
    int result = NCCL_SUCCESS;

    if (peer == communicator->rank)
        return NCCL_SUCCESS;
    pthread_mutex_lock(&lock);
    if (!(*byte & bit))
        result = take(communicator, peer_channels(communicator) * connection_bytes());
    if (result == NCCL_SUCCESS)
        *byte |= bit;
    pthread_mutex_unlock(&lock);
    return result;
}

enum nccl_path
nccl_path_of_sum(const struct communicator *communicator, size_t bytes)
{
    if (communicator->size <= 2)
        return NCCL_RING;
    if (bytes < (size_t)MIB)
        return NCCL_TREE;
    return has_switch(communicator) ? NCCL_SWITCH : NCCL_RING;
}

void
nccl_give_back(struct communicator *communicator)
{
    if (communicator->taken > 0 && !communicator->is_suspended)
        memory_discharge(communicator->device, (size_t)communicator->taken, NULL);
    communicator->is_suspended = true;
}

int
nccl_take_again(struct communicator *communicator)
{
    if (communicator->is_suspended && communicator->taken > 0 &&
        !memory_charge(communicator->device, (size_t)communicator->taken, NULL))
        return NCCL_CUDA_ERROR;
    communicator->is_suspended = false;
    return NCCL_SUCCESS;
}
