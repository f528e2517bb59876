/*
 * Training steps as PyTorch's eager mode runs them, without the numbers. What a rule needs is here, in value.h and in
 * autograd.h; the order of things is in step.c.
 */
#ifndef PYTORCH_STEP_H
#define PYTORCH_STEP_H

#include "frameworks/framework.h"
#include "frameworks/target_cpu.h"
#include "frameworks/optimizer.h"
#include "frameworks/pytorch/autocast.h"
#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/checkpoint.h"
#include "frameworks/pytorch/convolution_cache.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/loops.h"
#include "frameworks/pytorch/object_pool.h"
#include "frameworks/pytorch/tensor.h"

/* Values of job->inference. */
enum { TRAINING, WITHOUT_GRADIENTS, WITH_GRADIENTS };

enum { OPTIMIZER_STATES = 5 };

/* A parameter or buffer of the network, with all that is made for it. */
struct variable {
    struct value *value;
    struct value *gradient;
    struct node *accumulate; /* its AccumulateGrad; NULL for a buffer */
    struct value *counter;   /* num_batches_tracked of a batch norm, held by its first parameter; NULL if none */
    struct value *state[OPTIMIZER_STATES];
    bool has_state;
    bool handed; /* no parameter, but what a reentrant checkpoint was handed */
};

/* What the host language keeps: lifetimes.c. */
struct lifetimes {
    int32_t *last_use_of; /* per value, the layer after which it goes; INT32_MAX: never */
    int32_t *released;    /* tensors in the order of their last uses */
    int32_t *first;       /* per layer, the first that is released after it; one more at the end */
};

struct step {
    memmodel_context *context;
    const struct memmodel_network *network;
    const struct binding *binding;
    const struct memmodel_job *job;
    struct memmodel_trace *trace;
    struct optimizer_cache *updates; /* NULL: all events are wanted */
    bool *recomputed;                /* of each layer: it was recomputed; NULL: nobody asks */
    struct object_pool pool;
    struct target_cpu machine;
    struct convolution_cache convolutions;
    const struct device *device;
    struct cuda cuda;
    int status; /* of the first failure; everything stops at the next layer */
    int number; /* from 1; 0 before the first */
    bool grad_mode;
    bool training;              /* false: model.eval() */
    int32_t layer;              /* that runs, index */
    const char *what;           /* runs: the name its memory gets */
    int64_t sequence;           /* of the next node */
    struct variable *variables; /* of the network's parameters */
    struct value **values;      /* of the network's tensors; NULL: not made or gone */
    struct loops loops;
    struct backward_queue queue, inner_queue; /* inner: idle, for a backward pass inside of another */
    struct lifetimes lifetimes;
    struct checkpoints checkpoints;
    struct autocast autocast;
    struct unmodelled *unmodelled;
    size_t unmodelled_count, unmodelled_capacity;
    struct value nothing; /* what failing functions return */
    struct storage no_storage;
};

/* Remembers the first failure. */
void
step_fail(struct step *step, int status);

/* What follows belongs to this phase and layer. */
void
step_enter(struct step *step, enum memmodel_phase phase, int32_t layer);

/*
 * A sum over all of `x` into the one element of `result`, if it is one: from 32,768 elements on with one partial
 * result a thread. PyTorch: aten/src/ATen/native/TensorIteratorReduce.cpp, two_pass_reduction.
 */
void
step_parallel_sum(struct step *step, const struct value *x, const struct value *result);

/* The same over `axes`; half types are summed in float32 where several axes go. */
void
sum_scratch(struct step *step, const struct value *x, uint64_t axes, const struct value *result);

/* ---- what a layer's rule uses; what is returned stays the step's unless stated ---- */

/* NULL where an optional input is missing. */
struct value *
step_input(struct step *step, const struct layer *layer, int input);

/* Parameter or buffer of a role such as "weight"; NULL if the layer has none. */
struct value *
step_parameter(struct step *step, const struct layer *layer, const char *role);

struct variable *
step_variable(struct step *step, const struct layer *layer, const char *role);

struct shape
step_output_shape(struct step *step, const struct layer *layer, int output);

struct shape
step_bound_shape(const struct step *step, const memmodel_dim *dims, int rank, int dtype);

/* The layer's output; takes the reference. */
void
step_output(struct step *step, const struct layer *layer, int output, struct value *value);

int64_t
step_dim(const struct step *step, memmodel_dim dim);

/* `x` with its channels second, as PyTorch wants it: itself, or seen so. One more reference either way. */
struct value *
step_channels_first(struct step *step, struct value *x, int layout);

/* The way back; takes the reference. */
struct value *
step_from_channels_first(struct step *step, struct value *x, int layout);

/* Names an operator that was estimated by its outputs alone. */
void
step_unmodelled(struct step *step, const char *op, int64_t bytes);

/* ---- rules ---- */

/* How an operator of the network is run. */
struct rule {
    enum op op;
    void (*forward)(struct step *step, const struct layer *layer);
};

/* The rule of an operator; never NULL. */
const struct rule *
rule_of(enum op op);

/* ---- lifetimes.c: what the host language keeps ---- */

int
lifetimes_new(memmodel_context *context, const struct memmodel_network *network, struct lifetimes *lifetimes);

void
lifetimes_release(memmodel_context *context, struct lifetimes *lifetimes);

/* ---- step.c ---- */

struct names;

/* Runs a layer, binds the names that are due after it (NULL: none), and drops what is used no more. */
void
step_run_layer(struct step *step, enum memmodel_phase phase, int32_t index, struct names *names);

/* ---- residents.c ---- */

/* Parameters and buffers, then inputs. */
void
residents_make(struct step *step);

/* ---- names.c: what the caller holds ---- */

/* A tensor that the caller has a name for, such as y or loss. */
struct name {
    memmodel_tensor tensor;
    int32_t bound; /* layer after which the name is bound anew */
    struct value *held;
    bool beside; /* returned, and not what the caller named last: no loss of its own */
};

struct names {
    struct name *items;
    struct value **roots; /* room for as many */
    size_t count;
};

int
names_new(memmodel_context *context, const struct memmodel_network *network, struct names *names);

void
names_release(memmodel_context *context, struct names *names);

/* Binds the names that are due after this layer; what they held goes. */
void
names_bind(struct step *step, struct names *names, int32_t layer);

/*
 * Number of values in names->roots that a backward pass starts from: the losses; for a network without one, each
 * output, as if its gradient was given.
 */
int
names_roots(const struct names *names);

/* ---- optimizers.c ---- */

struct optimizer_row;

/* One of torch.optim's param_groups. */
struct optimizer_group {
    const char *name; /* of the optimizer */
    const struct optimizer_row *row;
    uint32_t options; /* enum optimizer_option */
    const int32_t *parameters;
    size_t count;
};

struct optimizer {
    struct optimizer_group *groups;
    size_t count;
    struct optimizer_members members;
};

/*
 * `on`: options that are on by default on the device. Returns 0, MEMMODEL_ERROR_UNSUPPORTED for an optimizer without a
 * rule, or what optimizer_members_new() returns.
 */
int
optimizer_new(memmodel_context *context, const struct memmodel_network *network, const char *text, uint32_t on,
              struct optimizer *optimizer);

void
optimizer_release(memmodel_context *context, struct optimizer *optimizer);

/* torch.optim.NAME(parameters) */
void
optimizer_construct(struct step *step, const struct optimizer *optimizer);

/* optimizer.step() */
void
optimizer_run(struct step *step, const struct optimizer *optimizer);

#endif
