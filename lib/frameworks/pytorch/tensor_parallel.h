/*
 * Tensor parallelism: one rank runs the same network with local shapes, and operators that the ranks run together between
 * its layers. The network is rewritten before the step, which then runs it as any other.
 */
#ifndef PYTORCH_TENSOR_PARALLEL_H
#define PYTORCH_TENSOR_PARALLEL_H

#include "frameworks/pytorch/state.h"

enum { UNCUT = -1 }; /* no axis */

/* How a module is parallelized: torch/distributed/tensor/parallel/style.py. */
enum tensor_style {
    TENSOR_WHOLE,
    TENSOR_COLWISE,    /* ColwiseParallel() */
    TENSOR_ROWWISE,    /* RowwiseParallel() */
    TENSOR_VOCABULARY, /* RowwiseParallel() of an embedding, whose rows are cut */
    TENSOR_HEAD,       /* ColwiseParallel(output_layouts=Replicate()) */
};

struct tensor_plan {
    unsigned char *styles;  /* of each layer */
    unsigned char *gathers; /* of each scope: PrepareModuleInput(), from the part of a sequence to all of it */
    bool loss;              /* logits stay cut: loss_parallel() */
    bool sequence;          /* between parallelized modules each rank has a part of the sequence */
};

/* What became of a parameter. */
struct tensor_cut {
    int32_t axis;    /* UNCUT: each rank has all of it */
    bool replicated; /* by a module that is parallelized */
    int32_t layer;   /* of the job's network, that is such a module; -1: none */
    int32_t whole;   /* its number in the job's network */
};

struct tensor_parallel {
    const struct binding *whole; /* of the job's network, as if there was one rank */
    int64_t ranks, place;        /* along the axis tp, or ep */
    struct tensor_plan plan;
    struct memmodel_network network;
    struct binding binding;
    struct tensor_cut *parameters; /* of each of the step's network, which may be a stage of `network` */
    struct value **built;          /* whole parameters, while a module's are being cut; else NULL */
    int32_t *origins; /* of each layer of `network`: the layer of the job's network that it is or belongs to */
};

/* ---- tensor_plan.c ---- */

/* What the job's text says of each layer. 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_UNSUPPORTED. */
int
tensor_plan_read(struct step *step, struct tensor_plan *plan);

/* ---- tensor_axes.c ---- */

/* What is known of tensors while their layers are gone through in order. */
struct tensor_axes {
    memmodel_context *context;
    const struct binding *whole;
    const memmodel_tensor *inputs; /* of the layer in question, by whose numbers `axes` is indexed */
    signed char *axes;             /* of each tensor: the axis that it is cut along, or UNCUT */
    int64_t ranks;
};

/*
 * The axis of each output of a layer without a style; 0, or an error of a cut that cannot be followed. Its inputs have
 * the shapes of the whole network's.
 */
int
tensor_axes_follow(struct tensor_axes *axes, const struct layer *layer);

/* ---- tensor_network.c ---- */

/* step->network and step->binding become those of the rank. 0, or why the network cannot be cut so. */
int
tensor_parallel_open(struct step *step);

/* ---- tensor_collectives.c ---- */

/* all_reduce(): the sum over the ranks, in a tensor of its own. */
struct value *
tensor_all_reduce(struct step *step, const struct value *x);

/* The same of which each rank gets a part of this shape. */
struct value *
tensor_reduce_scatter(struct step *step, const struct value *x, const struct shape *part);

/* ---- tensor_embedding.c ---- */

/* Looks up, puts together what the ranks have, and scatters it where the layer's output is a part of a sequence. */
void
tensor_embedding_forward(struct step *step, const struct layer *layer);

/* _MaskPartial: which indices are of other ranks, and what they are in this rank's part. */
struct value *
tensor_own_mask(struct step *step, const struct value *indices);

struct value *
tensor_own_rows(struct step *step, const struct value *indices);

/* ---- tensor_loss.c ---- */

/* The cross entropy of logits whose classes are cut. */
void
tensor_loss_forward(struct step *step, const struct layer *layer);

/* ---- tensor_experts.c ---- */

/* Rows go to the ranks whose experts compute them, or return. */
void
tensor_exchange_forward(struct step *step, const struct layer *layer);

/* ---- tensor_construct.c ---- */

/* The shape that a parameter is built in. */
struct shape
tensor_parallel_built(const struct step *step, size_t parameter);

/* parallelize_module(): whole parameters become local ones. */
void
tensor_parallel_construct(struct step *step);

/* Whether a parameter that has a part of a table has a gradient of all of it: FSDP takes the part alone. */
bool
tensor_parallel_has_all_rows(const struct step *step, const struct variable *variable);

#endif
