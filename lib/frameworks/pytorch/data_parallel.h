/*
 * Data-parallel strategies, one row each: functions for the points that a step passes. What such a strategy keeps is its
 * own, in step->data_state; all are called with step->data != NULL alone, by the functions below.
 */
#ifndef PYTORCH_DATA_PARALLEL_H
#define PYTORCH_DATA_PARALLEL_H

#include "frameworks/pytorch/state.h"

/* NULL where a strategy does nothing. */
struct data_strategy {
    void (*construct)(struct step *step);     /* the module is there, its inputs are not */
    void (*forward_begin)(struct step *step); /* of each batch */
    void (*forward_end)(struct step *step);   /* the model returns; its outputs have no names yet */
    void (*gradient)(struct step *step,
                     int32_t parameter);     /* of a parameter: what this backward pass gives it is there */
    void (*backward_end)(struct step *step); /* the gradient that it began with is still there */
};

extern const struct data_strategy pytorch_ddp;

/* The job's strategy, or none. 0, or what parallel_read() returns. */
int
data_open(struct step *step);

void
data_construct(struct step *step);

void
data_forward_begin(struct step *step);

void
data_forward_end(struct step *step);

void
data_gradient(struct step *step, const struct variable *variable);

void
data_backward_end(struct step *step);

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

/* A tensor that lies in what collectives work on, by the name of `what` it is for. */
struct value *
data_buffer(struct step *step, const char *what, int64_t bytes);

#endif
