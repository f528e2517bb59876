/*
 * Data-parallel strategies, one row each: functions for the points that a step passes. What such a strategy keeps is its
 * own, in step->data_state; all are called with step->data != NULL alone, by the functions below.
 */
#ifndef PYTORCH_DATA_PARALLEL_H
#define PYTORCH_DATA_PARALLEL_H

#include "frameworks/pytorch/state.h"

struct optimizer;

/* NULL where a strategy does nothing. */
struct data_strategy {
    void (*construct)(struct step *step);                  /* the module is there, its inputs are not */
    void (*forward_begin)(struct step *step);              /* of each batch */
    void (*layer_begin)(struct step *step, int32_t layer); /* of the forward pass, not where it is recomputed */
    void (*layer_end)(struct step *step, int32_t layer);   /* what it used has not been dropped yet */
    void (*recompute)(struct step *step, int32_t layer, bool ends); /* it begins to run again, or has run */
    void (*forward_end)(struct step *step);                 /* the model returns; its outputs have no names yet */
    void (*node)(struct step *step, struct node *node);     /* which is `hooked`: it is about to run */
    void (*gradient)(struct step *step, int32_t parameter); /* this backward pass gave a parameter all of it */
    void (*backward_end)(struct step *step);                /* the gradient that it began with is still there */

    /*
     * Between these two parameters and gradients are as the optimizer has them; `all` has all parameters. Returns the
     * optimizer of this rank.
     */
    const struct optimizer *(*optimizer_begin)(struct step *step, const struct optimizer *all);
    void (*optimizer_end)(struct step *step);

    void (*optimizer_construct)(struct step *step, const struct optimizer *all);

    /* Of a stage of a pipeline. */
    void (*reduce)(struct step *step);        /* gradients of all parts of the batch are there: REDUCE_GRAD */
    void (*unshard)(struct step *step);       /* an interleaved schedule will come to it soon */
    void (*await_unshard)(struct step *step); /* and has come to it */
    void (*reshard)(struct step *step);       /* it will not for a while */
};

extern const struct data_strategy pytorch_ddp, pytorch_zero1, pytorch_fsdp, pytorch_deepspeed3;

/* DeepSpeed's, by its stage. */
const struct data_strategy *
pytorch_deepspeed(const struct step *step);

/* ---- ddp.c, which others are built on ---- */

void
ddp_construct(struct step *step);

void
ddp_forward_begin(struct step *step);

void
ddp_forward_end(struct step *step);

void
ddp_gradient(struct step *step, int32_t parameter);

void
ddp_backward_end(struct step *step);

/* ---- where a step passes ---- */

/* The job's strategy, or none. 0, or what parallel_read() returns. */
int
data_open(struct step *step);

void
data_construct(struct step *step);

/* The stage of a pipeline, whose module the calls below are about; without a pipeline there is one, of number 0. */
void
data_select(struct step *step, int32_t stage);

/* Layers of that stage, and whether a parameter is one of its own. */
void
data_layers(const struct step *step, int32_t *first, int32_t *end);

bool
data_is_own(const struct step *step, size_t parameter);

/* Of a batch, each with a forward and a backward pass. */
int64_t
data_parts(const struct step *step);

void
data_reduce(struct step *step);

void
data_unshard(struct step *step);

void
data_await_unshard(struct step *step);

void
data_reshard(struct step *step);

void
data_forward_begin(struct step *step);

void
data_layer_begin(struct step *step, int32_t layer);

void
data_layer_end(struct step *step, int32_t layer);

void
data_recompute(struct step *step, int32_t layer, bool ends);

void
data_forward_end(struct step *step);

void
data_node(struct step *step, struct node *node);

void
data_gradient(struct step *step, const struct variable *variable);

void
data_backward_end(struct step *step);

void
data_optimizer_construct(struct step *step, const struct optimizer *all);

/* The optimizer that this rank runs. */
const struct optimizer *
data_optimizer_begin(struct step *step, const struct optimizer *all);

void
data_optimizer_end(struct step *step);

/* Whether no rank needs a parameter as a whole before it is gathered. */
bool
data_shards(const struct step *step);

/* The type that a parameter of `dtype` is built in, before a strategy computes in another. */
int
data_built_dtype(const struct step *step, int dtype);

/* ---- what strategies are made of ---- */

/* Whether gradients of this batch are shared: of all but the last they are added up first (no_sync). */
bool
data_is_synchronized(const struct step *step);

/* Parameters of the module, with and without gradients, are no buffers of it. */
bool
data_is_buffer(const struct step *step, size_t parameter);

int64_t
data_parameter_bytes(const struct step *step, size_t parameter);

/* The tensors that the model has returned become copies of themselves, each with a node that hands its gradient on. */
void
data_copy_outputs(struct step *step);

/* A backward function that hands each gradient on. */
void
data_hand_on(struct step *step, struct node *node, struct value **incoming, struct value **gradients);

/* The memory of a tensor that was just made is another stream's than the default one's, of a GPU. */
void
data_on_stream(struct step *step, const struct value *value, int stream);

/* A tensor that lies in what collectives work on, by the name of `what` it is for. */
struct value *
data_buffer(struct step *step, const char *what, int64_t bytes);

/* gloo copies what it gathers twice; `bytes` are those of all ranks. */
void
data_gloo_all_gather(struct step *step, int64_t bytes);

#endif
