/* NCCL among its own files. Numbers are the interface's: NCCL User Guide, Types. */
#ifndef CUDA_NCCL_H
#define CUDA_NCCL_H

#include "device.h"

/* ncclResult_t */
enum nccl_result {
    NCCL_SUCCESS = 0,
    NCCL_CUDA_ERROR = 1,
    NCCL_SYSTEM_ERROR = 2,
    NCCL_INTERNAL_ERROR = 3,
    NCCL_INVALID_ARGUMENT = 4,
    NCCL_INVALID_USAGE = 5,
    NCCL_REMOTE_ERROR = 6,
    NCCL_IN_PROGRESS = 7,
};

struct exchange;

/* How ranks are connected for an operation. */
enum nccl_path { NCCL_RING = 1, NCCL_TREE = 2, NCCL_SWITCH = 4 };

enum { NCCL_NEIGHBOURS = 1024 }; /* that are distinguished */

/* One rank of a communicator. */
struct communicator {
    int size, rank, device;
    int max_channels; /* that its configuration allows; 0: any number */
    bool is_shared;   /* takes what its parent has */
    bool is_suspended;
    unsigned paths;                                /* that are connected */
    unsigned char neighbours[NCCL_NEIGHBOURS / 8]; /* that it has sent to or received from, a bit each */
    int64_t taken;                                 /* of the device. @unit bytes */
    struct exchange *exchange;                     /* with the other ranks; NULL if they cannot be reached */
    uint64_t broadcasts;                           /* that it has made */
};

_Static_assert(sizeof(struct communicator) <= HANDLE_BYTES, "a communicator fits into its handle");

struct communicator *
nccl_communicator(const void *communicator);

/* Takes what a communicator has from its beginning. */
int
nccl_begin(struct communicator *communicator);

/* Connects the ranks by a path, or with one peer, where they are not yet; both take memory. */
int
nccl_connect(struct communicator *communicator, enum nccl_path path);

int
nccl_connect_peer(struct communicator *communicator, int peer);

/* The path of a sum over all ranks. */
enum nccl_path
nccl_path_of_sum(const struct communicator *communicator, size_t bytes);

enum { NCCL_SMALL = 1 << 20 }; /* bytes of the data that is moved */

/* Bytes of `count` values, more than any device has if they are too many; 0 for no values or no type. */
size_t
nccl_bytes(size_t count, int type);

/* The communicator of an operation whose arguments are right, or NULL. */
struct communicator *
nccl_of_operation(void *communicator, const void *from, const void *to, size_t count, int type);

/* In a group, what this rank brings for all, and where it wants what others bring. */
void
nccl_group_brings(const void *from, size_t bytes);

void
nccl_group_wants(void *to, size_t bytes);

/* Makes a way to exchange with those who get the identifier, of 128 bytes. */
void
nccl_exchange_offer(void *id);

/* NULL if there is none. */
struct exchange *
nccl_exchange_join(const void *id);

void
nccl_exchange_leave(struct exchange *exchange);

/* False if the data is not there: too large, or the other ranks are not. */
bool
nccl_exchange_broadcast(struct communicator *communicator, void *to, const void *from, size_t bytes, bool is_root);

/* Gives all back, and takes it again. */
void
nccl_give_back(struct communicator *communicator);

int
nccl_take_again(struct communicator *communicator);

#endif
