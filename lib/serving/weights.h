/* Tensors of a model's weights that one GPU holds, and what an allocator makes of them. */
#ifndef SERVING_WEIGHTS_H
#define SERVING_WEIGHTS_H

#include "serving/llm.h"

/* A GPU's place: parts that layers are cut into, and the layers that it has. */
struct place {
    int64_t tensor;  /* GPUs that share each layer */
    int64_t experts; /* GPUs that hold whole experts of each layer; 1: all are cut */
    int64_t cuts;    /* of each expert then */
    size_t first, last;
    bool has_embedding, has_head;
};

struct weights_options {
    enum element element;
    const struct quantization *quantization;
    int64_t batched_tokens; /* of a pass; 0: no buffers for one */
    int64_t expert_padding; /* of the width of experts in MXFP4, of engines whose weights are rounded */
    bool rounds;            /* as PyTorch's caching allocator */
    bool no_tower;          /* of a model that sees, which then reads alone */
    const char *settings;   /* of that allocator; NULL: its defaults */
    bool shares;            /* layers that read another's keys and values have no projections for them */
    bool absorbs;           /* latent attention keeps two more matrices, made of those that it was loaded with */
};

/*
 * Bytes of the weights there, and how many elements they have. 0, MEMMODEL_ERROR_INVALID_ARGUMENT (what does not divide),
 * MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT.
 */
int
weights_measure(memmodel_context *context, const memmodel_llm *llm, const struct place *place,
                const struct weights_options *options, int64_t *bytes, int64_t *elements);

/* The whole model on one GPU. */
struct place
place_whole(const memmodel_llm *llm);

#endif
