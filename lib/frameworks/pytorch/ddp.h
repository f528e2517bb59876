/* DistributedDataParallel from the inside: its buckets, and in which order parameters fill them. */
#ifndef PYTORCH_DDP_H
#define PYTORCH_DDP_H

#include "frameworks/pytorch/data_parallel.h"

enum { DDP_TYPES = DTYPE_COMPLEX64 + 1 }; /* of tensors, one bucket each */

struct ddp {
    int32_t *parameters; /* with gradients, in the order of the module */
    int32_t *order;      /* the same in the order in which their gradients were there first */
    int32_t *bucket_of;  /* of each of the network's parameters */
    struct value **buckets;
    size_t count, ordered, bucket_count;
    int synchronized; /* backward passes */
    bool rebuilt;
};

/* ---- ddp_buckets.c ---- */

/* Before the first backward pass the order of gradients is not known: one bucket, unless it must not change later. */
void
ddp_make_buckets(struct step *step);

/* In the order of the gradients. */
void
ddp_rebuild_buckets(struct step *step);

/* With gradient_as_bucket_view a gradient becomes a view of its place in its bucket. */
void
ddp_move_gradient(struct step *step, int32_t parameter);

/* ---- ddp_construct.c ---- */

/* Tensors of all ranks become those of the first: parameters as well, or buffers alone. */
void
ddp_broadcast(struct step *step, bool parameters, bool buffers);

#endif
