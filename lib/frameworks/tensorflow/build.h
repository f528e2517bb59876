/*
 * How the layers of a network become the operations of a training step. What a rule needs is here; the order of things
 * is in build.c, the operations themselves in graph.h.
 *
 * An operation is named by its index; NOTHING stands for none, is left out where it is an input, and comes back when
 * something failed, which build->status remembers.
 */
#ifndef TENSORFLOW_BUILD_H
#define TENSORFLOW_BUILD_H

#include "frameworks/framework.h"
#include "frameworks/target_cpu.h"
#include "frameworks/tensorflow/graph.h"

enum { NOTHING = -1, KEPT = 4 };

/* Tensors below this are malloc's, from here on the pool's. TensorFlow 2.21: core/common_runtime/mkl_cpu_allocator.h */
#define SMALL_BYTES (INT64_C(256) * 1024)

/* Constants up to this are folded while the graph is optimised. core/grappler/optimizers/constant_folding.cc */
#define FOLDED_BYTES (INT64_C(10) * 1024 * 1024)

struct optimizer;

/* What the forward pass of a layer leaves to its backward pass. */
struct kept {
    int32_t x, y;
    int32_t others[KEPT];
};

/* One of the gradients of a tensor that several layers read. */
struct contribution {
    int32_t operation;
    int32_t next; /* into build->contributions, or NOTHING */
};

struct build {
    memmodel_context *context;
    const struct memmodel_network *network;
    const struct binding *binding;
    const struct memmodel_job *job;
    const struct optimizer *optimizer;
    int slots; /* of the optimizer: tensors of the parameter's size */
    struct graph graph;
    int status;
    int32_t layer;      /* that is being built */
    uint8_t phase;      /* enum memmodel_phase */
    int32_t *outputs;   /* per tensor: the operation that makes it */
    int32_t *gradients; /* per tensor: the last of its contributions, or NOTHING */
    struct contribution *contributions;
    size_t contribution_count, contribution_capacity;
    bool *trained;     /* per tensor: whether a gradient is asked of it */
    bool *shared_slot; /* per parameter: a constant of its shape becomes one of its slots */
    bool *done;        /* per parameter: already updated in this step */
    int32_t *ahead;    /* per parameter: what its update prepared when the step began, or NOTHING */
    struct kept *kept; /* per layer */
    struct unmodelled *unmodelled;
    size_t unmodelled_count, unmodelled_capacity;
};

void
build_fail(struct build *build, int status);

/* ---- sizes; an overflow fails the step ---- */

int64_t
build_bytes(struct build *build, memmodel_tensor tensor);

/* Of the layer's first output. */
int64_t
build_output_bytes(struct build *build, const struct layer *layer);

int64_t
build_parameter_bytes(struct build *build, int32_t parameter);

int64_t
build_times(struct build *build, int64_t bytes, int64_t factor);

int64_t
build_dim(const struct build *build, memmodel_dim dim);

/* ---- operations ---- */

#define READS(...) (const int32_t[]){__VA_ARGS__}, (int32_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t))

/* An output with memory of its own. */
int32_t
build_new(struct build *build, const char *what, int64_t bytes, const int32_t *inputs, int32_t count);

/* An output in the memory of an input that is not read any more, if there is one of its size. */
int32_t
build_forward(struct build *build, const char *what, int64_t bytes, const int32_t *inputs, int32_t count);

/* The same memory in another shape. */
int32_t
build_view(struct build *build, const char *what, int32_t input);

/* Any other. */
int32_t
build_operation(struct build *build, const struct operation *operation, const int32_t *inputs, int32_t count);

/* ---- what a rule reads and leaves ---- */

/* Operation that makes the layer's input. */
int32_t
build_input(const struct build *build, const struct layer *layer, int input);

/* Leaves the layer's output, and what its backward pass reads. */
void
build_output(struct build *build, const struct layer *layer, int32_t operation);

struct kept *
build_kept(struct build *build, const struct layer *layer);

/* Whether a gradient is asked of an input. */
bool
build_wants_gradient(const struct build *build, const struct layer *layer, int input);

/* One more gradient of an input. */
void
build_gradient(struct build *build, const struct layer *layer, int input, int32_t gradient);

/* The passes of an operator whose output is a copy of its input. */
void
build_copy(struct build *build, const struct layer *layer);

void
build_copy_backward(struct build *build, const struct layer *layer, int32_t gradient);

/* One more gradient of a tensor. */
void
build_contribute(struct build *build, memmodel_tensor tensor, int32_t gradient);

/* The gradient of a parameter, which its update reads at once. `reader` still reads the parameter. */
void
build_parameter_gradient(struct build *build, int32_t parameter, int32_t gradient, int32_t reader);

/* Index into the network's parameters of a role such as "weight", or NOTHING. */
int32_t
build_parameter(const struct layer *layer, const char *role);

/* Names an operator that was estimated by its outputs alone. */
void
build_unmodelled(struct build *build, const char *op, int64_t bytes);

/* ---- rules ---- */

struct rule {
    enum op op;
    void (*forward)(struct build *build, const struct layer *layer);
    void (*backward)(struct build *build, const struct layer *layer, int32_t gradient); /* NULL: has none */
};

/* Never NULL: an operator without a rule is estimated by its outputs. */
const struct rule *
tensorflow_rule(enum op op);

extern const struct rule tensorflow_convolution, tensorflow_transposed, tensorflow_linear, tensorflow_batch_norm,
    tensorflow_layer_norm, tensorflow_activation, tensorflow_softmax, tensorflow_dropout, tensorflow_pool,
    tensorflow_adaptive_pool, tensorflow_global_pool, tensorflow_upsample, tensorflow_pad, tensorflow_crop,
    tensorflow_concat, tensorflow_split, tensorflow_slice, tensorflow_reshape, tensorflow_flatten, tensorflow_permute,
    tensorflow_expand, tensorflow_binary, tensorflow_matmul, tensorflow_reduce, tensorflow_attention,
    tensorflow_recurrent, tensorflow_parameter, tensorflow_embedding, tensorflow_loss, tensorflow_custom;

/* Gradient operation of an activation, which reads the gradient and what the forward pass kept. */
int32_t
activation_forward(struct build *build, int kind, int32_t x, int64_t bytes, struct kept *kept);

/* ---- convolution_heap.c ---- */

/* What the kernel of the weights' gradient takes from the C library: booked, and of that ever written. */
struct heap_need {
    int64_t booked, touched;
    int64_t columns; /* bytes of all that it writes and reads there for the whole batch */
};

/* Largest block that malloc keeps when it is freed. glibc: malloc/malloc.c, DEFAULT_MMAP_THRESHOLD_MAX */
#define MAX_KEPT_BYTES (INT64_C(32) << 20)

struct heap_need
convolution_heap(struct build *build, const struct layer *layer);

/* ---- optimizers.c ---- */

/* NULL if there is none of that name; else how many tensors of its size it keeps of each parameter. */
const struct optimizer *
tensorflow_optimizer(const char *text, int *slots);

/* MEMMODEL_ERROR_UNSUPPORTED with those that it has. */
int
tensorflow_unknown_optimizer(memmodel_context *context, const char *text);

/* What tracing the update of one parameter array costs. @unit bytes */
int64_t
optimizer_graph_bytes(const struct optimizer *optimizer);

/* What updates do when a step begins. */
void
optimizer_begin(struct build *build);

void
optimizer_update(struct build *build, int32_t parameter, int32_t gradient, int32_t reader);

/* ---- loss.c ---- */

/* Tensor whose values the loss reads: the logits where the last layer is the sigmoid or softmax it is made for. */
memmodel_tensor
loss_logits(const struct memmodel_network *network, const struct layer *loss);

/* Whether the loss works without that sigmoid or softmax. */
bool
loss_bypasses(const struct memmodel_network *network, const struct layer *loss, const struct layer *layer);

/* How many constants of the prediction's size, `bytes`, folding leaves behind. */
int
loss_constants(const struct layer *loss, int64_t bytes);

/* ---- build.c ---- */

/* Builds the operations of a step. */
int
build_step(struct build *build);

/* ---- sums.c ---- */

/* Marks the sums of gradients that TensorFlow's graph optimiser turns into temporary variables: PLACE_TEMPORARY. */
int
sums_rewrite(struct build *build);

/* ---- process.c ---- */

/* Bytes of the process besides base, pool and tensors: graphs, kernels, and what the C library keeps. */
int64_t
process_graph_bytes(struct build *build);

/* Bytes of the model's objects. */
int64_t
process_object_bytes(const struct build *build);

#endif
