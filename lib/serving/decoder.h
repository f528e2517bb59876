/* Decoders that are trained, built module by module. */
#ifndef SERVING_DECODER_H
#define SERVING_DECODER_H

#include "memmodel/builder.h"
#include "memmodel/layers.h"
#include "memmodel/network.h"
#include "serving/llm.h"

struct decoder {
    const memmodel_llm *llm;
    memmodel_network *network;
    memmodel_dim batch, length;
    int dtype;
    size_t layer; /* that is built */
    bool failed;  /* there was no memory for a name */
    memmodel_tensor positions, rows, cosine, sine, embedded;
};

struct decoder_projection {
    memmodel_tensor weight, bias;
    int64_t units;
};

struct decoder_block {
    struct decoder_projection query, key, value, output, gate, up, down;
    memmodel_tensor query_norm, key_norm, input_norm, post_norm;
};

/* ---- decoder_parameters.c ---- */

/* A tensor of parameters called as its module is. */
memmodel_tensor
decoder_parameter(struct decoder *decoder, const char *module, const char *role, int rank, const memmodel_dim *dims);

/* Those of decoder->layer. */
void
decoder_declare_block(struct decoder *decoder, struct decoder_block *block);

/* ---- decoder_modules.c ---- */

void
decoder_end(struct decoder *decoder, memmodel_tensor tensor);

memmodel_tensor
decoder_cast(struct decoder *decoder, memmodel_tensor x, const struct memmodel_shape *shape);

memmodel_tensor
decoder_binary(struct decoder *decoder, int kind, memmodel_tensor a, memmodel_tensor b);

/* A norm or a linear layer, whose scope stays open. */
memmodel_tensor
decoder_norm(struct decoder *decoder, const char *scope, memmodel_tensor x, memmodel_tensor weight, int64_t size);

memmodel_tensor
decoder_project(struct decoder *decoder, const char *scope, memmodel_tensor x,
                const struct decoder_projection *projection);

/* ---- decoder.c ---- */

/* The layer decoder->layer. */
memmodel_tensor
decoder_block(struct decoder *decoder, const struct decoder_block *block, memmodel_tensor x);

#endif
