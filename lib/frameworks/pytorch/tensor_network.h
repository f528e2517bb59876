/* A network that is rewritten for one rank, while its layers are gone through in order. */
#ifndef PYTORCH_TENSOR_NETWORK_H
#define PYTORCH_TENSOR_NETWORK_H

#include "frameworks/pytorch/tensor_parallel.h"

enum { SEQUENCE_AXIS = 1 }; /* of [batch, sequence, features] */

/* A tensor that a module sees gathered, to the layer where the module ends. */
struct gathered {
    int32_t end;
    memmodel_tensor tensor, name;
};

struct rewriting {
    struct step *step;
    struct tensor_parallel *made;
    const struct memmodel_network *from;
    struct tensor_axes axes;
    memmodel_tensor *names; /* of each tensor of `from`: the one that layers get in its place now */
    bool *grown;            /* of each tensor of `from`: rows that experts of this rank compute */
    int32_t *begin;         /* of each layer of `from`, and behind the last: where what stands for it begins */
    int32_t *inside;        /* the same without what its modules are handed */
    struct gathered *gathered;
    size_t gathered_count;
    size_t next_scope; /* of `from`, which has them in the order of their first layers */
    int32_t layer;     /* of `from`, that is rewritten */
    int status;
};

void
rewrite_refuse(struct rewriting *rewriting, int status, const char *object, const char *what);

/* A dim in numbers, of which this rank has its part. */
void
rewrite_cut_dim(struct rewriting *rewriting, memmodel_dim *dim);

/* The layer that is rewritten, with its inputs by the names that they have now. */
struct layer *
rewrite_copy(struct rewriting *rewriting);

memmodel_tensor
rewrite_add_tensor(struct rewriting *rewriting, const struct tensor *like);

/* An operator that the ranks run together. */
void
rewrite_add_together(struct rewriting *rewriting, const char *operation, memmodel_tensor input, memmodel_tensor output,
                     int32_t scope);

/* The layer that is rewritten, which belongs to no module with a style. */
void
rewrite_plain(struct rewriting *rewriting, const struct layer *layer);

/* Modules that begin or end at the layer that is rewritten, and are handed all of a sequence. */
void
rewrite_begin_modules(struct rewriting *rewriting);

void
rewrite_end_modules(struct rewriting *rewriting);

/* ---- tensor_styles.c ---- */

/* Which part of its parameters each module with a style has. */
void
rewrite_parameters(struct rewriting *rewriting);

/* A loss of cut logits, which the ranks compute together; false if the layer is none. */
bool
rewrite_loss(struct rewriting *rewriting, const struct layer *layer);

/* ---- tensor_experts.c ---- */

/* Which experts the rank has. */
void
rewrite_expert_parameters(struct rewriting *rewriting);

/* Products of rows with experts, and what is done with their rows; false if the layer has to do with neither. */
bool
rewrite_experts(struct rewriting *rewriting, const struct layer *layer);

/* ---- tensor_styles.c ---- */

void
rewrite_styled(struct rewriting *rewriting, enum tensor_style style, const struct layer *layer);

#endif
