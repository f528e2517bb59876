/* FSDP2 from the inside: the units that parameters are gathered in, and what becomes of each parameter. */
#ifndef PYTORCH_FSDP_H
#define PYTORCH_FSDP_H

#include "frameworks/pytorch/data_parallel.h"
#include "frameworks/pytorch/modules.h"

/* A parameter of a unit: FSDPParam. */
struct fsdp_parameter {
    int32_t parameter; /* of the network */
    int64_t padded;    /* elements of each rank's shard; the last ranks have fewer, and room for as many */
    bool uneven;
    bool reduced;           /* its gradient is among those that are being reduced */
    struct value *whole;    /* what the operators have; empty where it is not gathered */
    struct value *shard;    /* what the optimizer has */
    struct value *gradient; /* of the shard */
    struct value *part;     /* kept after the forward pass by reshard_after_forward=N; else NULL */
    struct value *sum;      /* of gradients of batches that were not shared, in the type that they will be; else NULL */
};

/*
 * Streams of a GPU that FSDP2 allocates on besides the default one, whose blocks the allocator keeps apart: what is gathered
 * into, and what is scattered into. PyTorch: _fsdp_param_group.py, FSDPCommContext.
 */
enum { GATHER_STREAM = 1, SCATTER_STREAM = 2 };

enum fsdp_state { FSDP_IDLE, FSDP_FORWARD, FSDP_PRE_BACKWARD, FSDP_POST_BACKWARD };

/* Modules that one call of fully_shard() was given: FSDPParamGroup. */
struct fsdp_unit {
    struct fsdp_parameter *parameters;
    size_t count;
    enum fsdp_state state;
    bool gathered;          /* operators can use the parameters */
    struct value *incoming; /* result of an all-gather that they have not been copied from; else NULL */
    int32_t *passes;        /* where its forward passes stand in the order of all, the last on top */
    size_t pass_count;
};

/* One run of a unit's modules in a forward pass. */
struct fsdp_span {
    int32_t unit, first, end;
    int32_t inputs_end, outputs_first; /* of its first and last module, where it has several */
    memmodel_tensor *inputs;           /* made before and used inside; outputs: made inside and used after */
    memmodel_tensor *outputs;
    struct value **originals; /* of the inputs, while it runs */
    int32_t input_count, output_count;
};

/* A node that a unit's output came from. */
struct fsdp_hook {
    const struct node *node;
    int32_t unit;
    int batch; /* whose backward pass reaches it */
};

struct fsdp;

/* What becomes of a unit where passes reach it: fsdp_group.c, deepspeed_gather.c. */
struct fsdp_passes {
    void (*pre_forward)(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);
    void (*post_forward)(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);
    void (*pre_backward)(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);
    void (*post_backward)(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);
};

struct fsdp {
    const struct fsdp_passes *passes;
    struct fsdp_unit *units; /* in the order of the calls; the root is the last */
    size_t unit_count;
    struct fsdp_span *spans; /* by their first layers, the longest first */
    size_t span_count;
    size_t next;           /* span to begin, in this forward pass */
    struct value *held;    /* the all-gather's result that the forward pass still holds, or NULL */
    struct value *reduced; /* the reduce-scatter's input that the backward pass still holds, or NULL */
    int32_t *order;        /* units in the order of their forward passes */
    size_t order_count;
    struct fsdp_hook *hooks;
    size_t hook_count;
    bool reducing; /* in a pipeline: all parts of the batch are done */
};

static inline struct fsdp_unit *
fsdp_root(const struct fsdp *fsdp)
{
    return &fsdp->units[fsdp->unit_count - 1];
}

/* ---- fsdp_units.c ---- */

/* Which units the job asks for, with all but the tensors; false: the step has failed. */
bool
fsdp_find_units(struct step *step, struct fsdp *fsdp);

/* ---- fsdp.c, where passes reach units ---- */

void
fsdp_layer_begin(struct step *step, int32_t layer);

void
fsdp_layer_end(struct step *step, int32_t layer);

void
fsdp_forward_begin(struct step *step);

void
fsdp_forward_end(struct step *step);

void
fsdp_node(struct step *step, struct node *node);

/* The outputs of this batch have been passed. */
void
fsdp_drop_hooks(struct step *step, struct fsdp *fsdp);

/* ---- fsdp_spans.c ---- */

/* Sorts the spans of step->data_state, and lists what each is handed and hands back. */
void
fsdp_find_tensors(struct step *step);

/* ---- fsdp_group.c: a unit in the passes of a step ---- */

void
fsdp_pre_forward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);

void
fsdp_post_forward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);

void
fsdp_pre_backward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);

void
fsdp_post_backward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit);

/* All units of a stage, the root first: an interleaved schedule asks for it before it comes to the stage. */
void
fsdp_unshard(struct step *step);

void
fsdp_await_unshard(struct step *step);

void
fsdp_reshard_all(struct step *step);

/* ---- fsdp_shards.c: what a unit's parameters go through ---- */

/* Of so many elements of a tensor's type. */
int64_t
fsdp_bytes_of(const struct value *value, int64_t elements);

/* Of all ranks' shards, as operators have the parameter. */
int64_t
fsdp_whole_bytes(const struct step *step, const struct fsdp_parameter *parameter);

void
fsdp_mesh(struct step *step);

void
fsdp_shard(struct step *step, struct fsdp_unit *unit);

/* Begins to gather; the copies for the operators are not made yet. */
void
fsdp_all_gather(struct step *step, struct fsdp_unit *unit);

/* Makes the copies. Returns the all-gather's result, which the caller has to drop. */
struct value *
fsdp_copy_out(struct step *step, struct fsdp_unit *unit);

void
fsdp_reshard(struct step *step, struct fsdp_unit *unit, int64_t parts);

/* Gradients of a batch that are not shared yet are added to those before it, in the type that they will be shared in. */
void
fsdp_accumulate(struct step *step, struct fsdp_unit *unit);

void
fsdp_keep_gradients(struct step *step, struct fsdp_unit *unit);

/* Gradients become those of the shards. Returns the reduce-scatter's input, which is to be kept for a while, or NULL. */
struct value *
fsdp_reduce(struct step *step, struct fsdp_unit *unit);

#endif
