/* What one generation takes besides the weights: transformers' generate() on a CPU, forward by forward. */
#ifndef SERVING_GENERATE_H
#define SERVING_GENERATE_H

#include "serving/llm.h"

/* Sizes are doubles: whole numbers, exact below 2^53, which the caller checks. */
struct generation {
    const memmodel_llm *llm;
    double batch, prompt, new_tokens;
    double element; /* bytes */
    bool is_static; /* the cache is made for all tokens at once */
};

struct generation_peaks {
    double prefill, first, last; /* of the prompt's pass, and of the first and last step of one token */
    double cache;                /* of keys and values when all tokens are there */
    double growth;               /* of the cache with each token */
};

/* Bytes of tensors at the peaks, ids and masks included, weights not. */
void
generation_measure(const struct generation *generation, struct generation_peaks *peaks);

/* Buffers that a module has besides its parameters: frequencies of rotation, in float32 and twice. */
double
generation_buffers(const memmodel_llm *llm);

#endif
