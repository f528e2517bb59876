/*
 * Pipelines: a rank runs its stages of the network, in the order of a schedule, on the parts of a batch. The network is
 * that of one part; it is cut before the step, which then has the layers of this rank alone. PyTorch:
 * torch/distributed/pipelining/stage.py, schedules.py, _backward.py.
 */
#ifndef PYTORCH_PIPELINE_H
#define PYTORCH_PIPELINE_H

#include "frameworks/pytorch/names.h"
#include "frameworks/pytorch/state.h"

/* What one part of a batch has at a stage, from its forward to its backward pass. */
struct pipeline_chunk {
    struct value *received;          /* buffer of its input, made once; NULL: the stage is the first */
    struct value *received_gradient; /* the same of the gradient of its output; NULL: the stage is the last */
    struct value *input;             /* a leaf in that buffer */
    struct value *output;            /* of the stage; of the last one what the model returns */
    struct value *loss;
};

struct pipeline_stage {
    int32_t number;         /* among those of all ranks */
    int32_t first, end;     /* layers of the rank's network */
    memmodel_tensor input;  /* of `network`: what it receives; MEMMODEL_TENSOR_NONE: it is the first */
    memmodel_tensor output; /* MEMMODEL_TENSOR_NONE: it is the last */
    struct pipeline_chunk *chunks;
    bool active; /* in an interleaved schedule: among those that come next */
};

struct pipeline {
    struct memmodel_network network;
    struct binding binding;
    int32_t *origins;              /* of each layer of `network`: that of the job's network */
    struct pipeline_stage *stages; /* of this rank */
    int32_t stage_count;
    int64_t chunk; /* that runs */
    struct pipeline_stage *running;
    struct value *merged; /* what the step returned: all outputs of the last stage */
    bool ready;           /* buffers are there */
    int32_t model_end;    /* layer after which the model of the last stage returns */
};

/* ---- pipeline_cut.c ---- */

/* Where stages begin in the job's network, `count` layers, and what passes from each to the next. */
struct pipeline_cuts {
    int32_t *first;           /* layer of each stage; of one more, their number */
    memmodel_tensor *passing; /* from stage i - 1 to stage i; of the first none */
    bool *tracked;            /* of each tensor: it has a gradient */
    int32_t *last_use;        /* of each tensor: the layer that uses it last; INT32_MAX: the caller has it */
};

int
pipeline_find_cuts(struct step *step, struct pipeline_cuts *cuts);

/* ---- pipeline_network.c ---- */

/* step->network and step->binding become those of the rank's stages. 0, or why the network cannot be cut so. */
int
pipeline_open(struct step *step);

/* ---- pipeline_stage.c ---- */

/* All that is received lies in buffers that are made once. */
void
pipeline_prepare(struct step *step);

void
pipeline_forward_chunk(struct step *step, struct names *names, struct pipeline_stage *stage, int64_t chunk);

/* Returns the gradient of the stage's input, or NULL. */
struct value *
pipeline_backward_chunk(struct step *step, struct pipeline_stage *stage, int64_t chunk);

/* Gradients of all parts are there: perform_reduce_grad(). */
void
pipeline_finish(struct step *step, const struct pipeline_stage *stage);

/* The operator by which a stage has what it received. */
void
pipeline_receive_forward(struct step *step, const struct layer *layer, int detail);

/* ---- pipeline_schedule.c ---- */

/* schedule.step(): forward and backward passes of all parts. */
void
pipeline_step(struct step *step, struct names *names);

#endif
