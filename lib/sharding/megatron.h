/* A training by Megatron-LM as its last rank has it, and what that rank's layers keep. */
#ifndef SHARDING_MEGATRON_H
#define SHARDING_MEGATRON_H

#include "memmodel/mesh.h"

#include "base/context.h"

enum { MEGATRON_MAX_PARTS = 256, MEGATRON_MAX_PATTERN = 8192 };

/* Of a stage: what is computed without a pause. Layers that predict further tokens are of the last layer's kind. */
struct megatron_part {
    int64_t dense, experts, predictors;
};

/* The arguments as one rank has them. */
struct megatron {
    struct memmodel_megatron_options given;
    memmodel_context *context;
    int64_t data, experts, expert_tensor, expert_data; /* ranks that share out, experts of the rank */
    double vocabulary, query_key, value, inner, expert_inner;
    double tokens, sequence;                            /* ranks that share what is replicated along tp otherwise */
    bool fused_attention, predicts_experts, transposes; /* weights in float8, for what reads columns only */
    struct megatron_part parts[MEGATRON_MAX_PARTS];
    int64_t part_count;
    struct megatron_part stage; /* the sum of its parts */
};

/* `what` in `by` equal numbers; else MEMMODEL_ERROR_INVALID_ARGUMENT, which names the argument. */
int
megatron_divide(struct megatron *model, const char *name, int64_t what, int64_t by, int64_t *quotient);

/* Fills in the parts of the last stage. */
int
megatron_find_parts(struct megatron *model);

/* Bytes of parameters, gradients and the optimizer's states. */
double
megatron_weights(const struct megatron *model);

/* Bytes of weights and gradients that are gathered, where they are shared out otherwise. */
double
megatron_gathered(const struct megatron *model);

/* Bytes that layers keep for their backward passes when most of them wait for it. */
int
megatron_activations(struct megatron *model, double *bytes);

/* Bytes of logits, of their gradient, and of gradients that wait until a step's end for the output layer's own. */
double
megatron_logits(const struct megatron *model);

#endif
