/*
 * What a training step is made of: the types that the rest of this folder works on, and the step's status. What is done
 * with them is declared beside each: tensor.h, autograd.h, loops.h, autocast.h, checkpoint.h, device.h, operands.h; the
 * order of things is in step.c.
 */
#ifndef PYTORCH_STATE_H
#define PYTORCH_STATE_H

#include "frameworks/framework.h"
#include "frameworks/optimizer.h"
#include "frameworks/parallel.h"
#include "frameworks/target_cpu.h"
#include "frameworks/onednn/matmul.h"
#include "frameworks/pytorch/convolution_cache.h"
#include "frameworks/pytorch/object_pool.h"
#include "memmodel/network.h"
#include "memmodel/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct autocast_table;
struct batch_statistics;
struct data_strategy;
struct formula_text;
struct gpu;
struct layer;
struct memmodel_attention;
struct names;
struct node;
struct optimizer_cache;
struct pipeline;
struct recurrence;
struct replay;
struct segment;
struct step;
struct tensor_parallel;
struct variable;

/* ---- tensors: tensor.h ---- */

struct shape {
    int64_t dims[MEMMODEL_MAX_RANK];
    int32_t rank;
    int32_t dtype;
};

/* Where a storage stands that was allocated in a middle iteration. */
struct loop_place {
    int64_t copies;        /* storages besides it that it stands for */
    int32_t layer, number; /* of the loop that keeps them */
    int32_t made;          /* its index, counted from 1, while the loop is not done; 0: none */
};

struct storage {
    int64_t bytes;
    int32_t block; /* of the trace; -1: it is empty */
    int32_t references;
    struct loop_place place;
};

struct value {
    struct shape shape;
    int64_t strides[MEMMODEL_MAX_RANK];
    struct storage *storage;
    struct node *node;     /* whose output it is; NULL: it needs no gradient */
    struct value *lowered; /* a parameter's cast that torch.autocast() keeps, or NULL */
    int32_t output;        /* which one */
    int32_t references;
    bool number;    /* a Python number made a tensor: any other type replaces its own */
    bool view;      /* keeps the tensor it looks into, and so counts twice on the storage */
    bool conjugate; /* of the numbers in its storage: a complex view that most operators copy first */
    bool parameter; /* a trainable parameter or a view of one, whether gradients are wanted now or not */
};

/* ---- what autograd keeps of operators: autograd.h ---- */

enum { MAX_SAVED = 12 };

/*
 * A derivative as in tools/autograd/derivatives.yaml. backward() gets the gradients of the outputs (NULL where there
 * is none; the engine drops them) and puts one reference per wanted gradient into `gradients`, which starts as all
 * NULL.
 */
struct derivative {
    const char *name;
    void (*backward)(struct step *step, struct node *node, struct value **incoming, struct value **gradients);
};

/* To the node that an input came from; node NULL: no gradient is wanted. */
struct edge {
    struct node *node;
    int32_t output;
    struct shape shape; /* of the input */
};

struct node {
    const struct derivative *derivative; /* NULL: AccumulateGrad of `variable` */
    struct variable *variable;
    int64_t sequence;
    struct node *next; /* in a list of nodes to release */
    struct value *saved[MAX_SAVED];
    struct value **incoming;        /* gradients of its outputs so far */
    const void *options;            /* what backward() must know, of the layer or in the pool's arena */
    const struct derivative *inner; /* of CopySlices: the operator that wrote into a view; else NULL */
    struct shape slice;             /* of that view */
    int64_t number;                 /* the same, where a number will do */
    struct value *gradient;         /* of a leaf that is no parameter; else NULL */
    struct value *leaf;             /* which lives as long as the node; else NULL */
    struct segment *segment;        /* of a checkpoint: it has what is to be saved when it is recomputed; else NULL */
    size_t first_slot;              /* of this node there */
    bool hooked;                    /* a data strategy has to know when it runs */
    struct replay *replay;          /* of a reentrant checkpoint, whose call the node stands for; else NULL */
    int32_t saved_count, edge_count, output_count, references, dependencies, visited, layer;
    struct edge edges[];
};

struct backward_queue {
    struct node **heap;
    struct node **stack;
    size_t heap_count, heap_capacity, stack_capacity;
    int32_t visit;
};

/* ---- repeated iterations: loops.h ---- */

enum { LOOP_STEPS = 64, LOOP_MIDDLE = LOOP_STEPS / 2 };

/* One loop in one forward pass. */
struct repeated_loop {
    int64_t left_out;
    int64_t sequence[LOOP_STEPS + 1]; /* of the first node of each iteration, and behind the last */
    int32_t layer, number;            /* which loop of the layer */
};

struct loops {
    struct repeated_loop *items;
    size_t count, capacity;
    bool all;       /* iterations are run */
    bool irregular; /* iterations were not alike after all */
    bool running;   /* the last of them, in the forward pass */
    /* the iteration that runs */
    size_t now; /* its loop, counted from 1; 0: none */
    int32_t iteration;
    bool backward;
    uint64_t signature;     /* of what it allocated and released */
    uint64_t signatures[3]; /* of the middle one and its neighbours, in the order of running */
    int32_t first[3];       /* their first events */
    int64_t live;           /* when the middle one ended */
    int64_t peak;           /* of the trace then */
    int64_t drained;        /* bytes released that stood for others */
    struct storage **made;  /* in the middle one; NULL: gone */
    size_t made_count, made_capacity;
};

/* ---- operands that are cast: autocast.h ---- */

/* A layer's inputs, then its parameters, as its operator gets them; NULL where one is missing. */
struct casts {
    const struct layer *layer;
    struct value **values;
};

struct autocast {
    int dtype;              /* computed in; 0: there is no autocast, ever */
    bool on;                /* now: no operator runs whose operands have been cast */
    struct casts casts;     /* of the layer that runs */
    struct value **sources; /* parameters whose cast is kept until the context ends */
    size_t source_count, source_capacity;
};

/* ---- regions that are recomputed: checkpoint.h ---- */

/* Layers first <= i < end that one call of checkpoint() runs. */
struct region {
    int32_t first, end;
    memmodel_tensor *inputs; /* made before and used inside */
    bool *bound;             /* of each: bound to the function beforehand, as by functools.partial */
    int32_t input_count;
    memmodel_tensor *outputs; /* made inside and used after; of reentrant ones alone */
    int32_t output_count;
    bool reentrant;
    int32_t products; /* every so many a matrix product's result is kept, and what attention gives; 0: nothing is */
};

/* Where layers that run again have made all that is needed. */
struct checkpoint_stop {
    int32_t layer;
    size_t blocks; /* of that layer */
};

struct checkpoints {
    struct region *regions; /* in the order of the layers */
    memmodel_tensor *inputs, *outputs;
    bool *bound;
    size_t region_count;
    size_t next;                        /* region to begin, in this forward pass */
    struct segment *open;               /* what runs for the first time and keeps nothing, or NULL */
    struct segment *recomputed;         /* what runs again and fills what was not kept, or NULL */
    struct replay *first;               /* what runs for the first time, without gradients, or NULL */
    const struct checkpoint_stop *stop; /* of what runs again; NULL: nothing does */
    bool keeping;                       /* the results of the layer that runs, or has run: region->products */
    int32_t replaying;                  /* reentrant regions that run again */
    size_t layer_begin;                 /* blocks of the trace before the layer that runs, */
    size_t operator_begin;              /* before the operator whose node was made last, */
    size_t operator_end;                /* and when that node was done */
};

/* ---- the device: device.h ---- */

enum product_kind {
    PRODUCT,
    PRODUCT_WITH_BIAS,
    PRODUCT_OF_BATCH,  /* bmm */
    PRODUCT_OF_VECTOR, /* mv, dot */
    PRODUCT_UNSUMMED,  /* each element is one product */
    PRODUCT_OF_GROUPS, /* sizes are only known to the program */
};

/* A product that oneDNN ran, and its scratchpad; 0 bytes: none. */
struct matmul_recalled {
    struct matmul matmul;
    int64_t bytes;
};

enum { PRODUCT_SLOTS = 32 };

/* Its result has been made, each element a sum of `summed` products of the operands; NULL where it is unsummed. */
struct matrix_product {
    enum product_kind kind;
    const struct value *result, *first, *second;
    int64_t summed;
};

struct device {
    const char *name;

    bool host;              /* what a Python number becomes, and the counters of optimizers, are in its memory, too */
    bool copying_casts;     /* a kernel gets copies of operands of another type than it computes in */
    bool partial_sums;      /* a sum keeps a partial result for each thread */
    bool half_convolutions; /* convolutions of half types are like those of float32 */
    bool wide_statistics;   /* means and deviations of half types are kept in float32 */
    bool float_scatters;    /* gather and scatter of half types write into a buffer of floats first */
    const struct autocast_table *autocast;
    uint32_t optimizer; /* options that are on by default, enum optimizer_option */

    /* Finds what of the job is the device's own. NULL: nothing. */
    int (*open)(struct step *step);

    /* A matrix product begins. */
    void (*product)(struct step *step, const struct matrix_product *product);

    /* `inputs`: input, weight, bias or NULL. */
    struct value *(*convolution)(struct step *step, struct convolution *problem, struct value *const inputs[3]);
    struct value *(*batch_norm)(struct step *step, struct value *x, const struct batch_statistics *statistics);
    struct value *(*dropout)(struct step *step, struct value *x);

    /* A reduction runs; its result has been made. NULL: it takes nothing. */
    void (*reduce)(struct step *step, const struct value *x, uint64_t axes, int dtype);

    /* A kernel made for attention, or NULL if there is none for these. */
    struct value *(*attention)(struct step *step, struct value *query, struct value *key, struct value *value,
                               struct value *mask, const struct memmodel_attention *options);

    void (*embedding_backward)(struct step *step, struct node *node, struct value **incoming, struct value **gradients);

    /* The gradients of x[indices] are added to zeros like `x`; NULL: that takes nothing more. */
    void (*index_put)(struct step *step, const struct value *x, const struct value *added,
                      const struct value *const *indices, int count);

    /* All layers and directions of an LSTM, GRU or RNN on `x`. */
    void (*recurrent)(struct recurrence *recurrence, const struct layer *layer, struct value *x);
};

/* What a GPU keeps between operators. */
struct cuda {
    const struct gpu *gpu;
    int64_t workspace_bytes;        /* of cuBLAS. @unit bytes */
    struct value *workspaces[2];    /* of cuBLAS, for the thread of the forward and of the backward pass */
    struct value *lt_workspaces[2]; /* of cublasLt */
    struct value *dropout_states;   /* of cuDNN's generators */
};

/* ---- the step ---- */

/* Values of job->inference. */
/* Values of job->inference. */
enum { TRAINING, WITHOUT_GRADIENTS, WITH_GRADIENTS };

enum { FORMULA_SLOTS = 64 };

/* A parameter or buffer of the network, with all that is made for it. */
struct variable {
    struct value *value;
    struct value *gradient;
    struct node *accumulate; /* its AccumulateGrad; NULL for a buffer */
    struct value *counter;   /* num_batches_tracked of a batch norm, held by its first parameter; NULL if none */
    struct value *state[OPTIMIZER_STATES];
    struct value *flat; /* while residents are made: the buffer that a recurrent layer's parameters share; else NULL */
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
    struct matmul_recalled products[PRODUCT_SLOTS]; /* scratchpads, by what was asked: cpu_products.c */
    struct convolution_cache convolutions;
    struct formula_text *formulas[FORMULA_SLOTS]; /* that were read, by their addresses; in the pool's arena */
    int version;                                  /* of PyTorch: version_number */
    const struct device *device;
    struct cuda cuda;
    int status; /* of the first failure; everything stops at the next layer */
    int number; /* from 1; 0 before the first */
    int batch;  /* of the step, from 0: several where gradients are accumulated */
    bool grad_mode;
    bool training;              /* false: model.eval() */
    bool silent;                /* what runs is no part of the trace */
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
    struct parallel parallel;
    const struct data_strategy *data;     /* NULL: one process */
    void *data_state, *data_optimizer;    /* the strategy's own, in the pool's arena */
    void **data_states;                   /* of each stage of a pipeline; data_state is that of the stage that runs */
    int32_t *data_stages;                 /* of each parameter: the stage that it belongs to */
    int32_t data_stage;                   /* that runs, or is being wrapped */
    const struct memmodel_network *asked; /* the job's */
    struct pipeline *pipeline;            /* NULL: each rank has all stages */
    struct tensor_parallel *tensor;       /* NULL: each rank has the whole network */
    const int32_t *origins;               /* NULL: the network is the job's own */
    const struct names *names;            /* that the caller has */
    int32_t model_end;                    /* layer after which the model returns; what follows is the loss */
    struct unmodelled *unmodelled;
    size_t unmodelled_count, unmodelled_capacity;
    struct value nothing; /* what failing functions return */
    struct storage no_storage;
};

/* Remembers the first failure. */
void
step_fail(struct step *step, int status);

/* Memory with anything in it that lives as long as the step; NULL: the step has failed. */
void *
step_arena_allocate(struct step *step, size_t bytes);

/* Cleared memory, until object_pool_give(); NULL: the step has failed. */
void *
step_pool_take(struct step *step, size_t bytes);

/* What follows belongs to this phase and layer. */
void
step_enter(struct step *step, enum memmodel_phase phase, int32_t layer);

/* True of what has run before, in the forward pass. */
bool
step_is_recomputing(const struct step *step);

/* The layer of the job's network that a layer of the step's is or belongs to; -1 of none. */
int32_t
step_origin(const struct step *step, int32_t layer);

/* Blocks that the layer that runs has allocated. */
size_t
step_layer_blocks(const struct step *step);

/* True if the layers that run again have made all that is needed: no more are run, and nothing is allocated. */
bool
step_is_over(const struct step *step);

#endif
