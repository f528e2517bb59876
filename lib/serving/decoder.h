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
    size_t layer;             /* that is built */
    bool failed;              /* there was no memory for a name */
    int32_t lora_rank;        /* 0: all weights are trained */
    const char *lora_targets; /* layers with an adapter */
    bool packed;              /* linear layers but the head are bitsandbytes' Linear4bit */
    bool nested;              /* and their scales are quantized as well */
    int product;              /* type of what they multiply, and of what that gives */
    int unpacked;             /* type of their weights before they were packed */
    bool recomputed;          /* layers are, as peft prepares a model */
    memmodel_tensor positions, rows, cosine, sine, embedded;
};

struct decoder_projection {
    memmodel_tensor weight, bias;
    memmodel_tensor lora_a, lora_b; /* of an adapter; MEMMODEL_TENSOR_NONE: it has none */
    memmodel_tensor scales, offset; /* of a packed weight, the second where they are nested; else none */
    int64_t units, inputs;
};

struct decoder_block {
    struct decoder_projection query, key, value, output, gate, up, down;
    memmodel_tensor query_norm, key_norm, input_norm, post_norm;
    memmodel_tensor router, gate_up, down_rows; /* of experts, gate_up and down_rows a matrix for each */
};

/* ---- decoder_parameters.c ---- */

/* A tensor of parameters called as its module is. */
memmodel_tensor
decoder_parameter(struct decoder *decoder, const char *module, const char *role, int rank, const memmodel_dim *dims);

/* Those of a linear layer, and of its adapter; `shared` is its weight where another layer has made it. */
struct decoder_projection
decoder_declare_projection(struct decoder *decoder, const char *module, int64_t units, int64_t inputs, bool has_bias,
                           memmodel_tensor shared);

/* A tensor of a type of its own. */
memmodel_tensor
decoder_tensor(struct decoder *decoder, const char *module, const char *role, const struct memmodel_shape *shape,
               bool trainable);

/* A table of numbers that are never trained. */
memmodel_tensor
decoder_buffer(struct decoder *decoder, const char *module, const char *role, int64_t size);

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

/* The same of each of so many heads; what is normalized goes at its end, and what that is a view of. */
memmodel_tensor
decoder_norm_heads(struct decoder *decoder, const char *scope, memmodel_tensor flat, memmodel_tensor split,
                   memmodel_tensor weight, int64_t heads, int64_t size);

memmodel_tensor
decoder_project(struct decoder *decoder, const char *scope, memmodel_tensor x,
                const struct decoder_projection *projection);

/* ---- decoder_adapters.c ---- */

/* Which layers have an adapter; what is wrong with the options is the context's error. */
int
decoder_read_adapters(struct decoder *decoder, const struct memmodel_llm_build_options *options,
                      memmodel_context *context);

bool
decoder_is_adapted(const struct decoder *decoder, const char *module);

/* A linear layer with its adapter, whose scope stays open. */
memmodel_tensor
decoder_project_adapted(struct decoder *decoder, const char *scope, memmodel_tensor x,
                        const struct decoder_projection *projection);

/* ---- build.c ---- */

/* The memmodel_dtype of a name that is an option's value. */
int
decoder_type_of(memmodel_context *context, const char *option, const char *name, int *dtype);

/* ---- decoder_packed.c ---- */

/* How weights are packed; what is wrong with the options is the context's error. */
int
decoder_read_quantization(struct decoder *decoder, const struct memmodel_llm_build_options *options,
                          memmodel_context *context);

/* The weight of a linear layer called `module` with what its quantization needs. */
void
decoder_declare_packed(struct decoder *decoder, const char *module, bool adapted,
                       struct decoder_projection *projection);

/* The product with such a weight. */
memmodel_tensor
decoder_multiply_packed(struct decoder *decoder, memmodel_tensor x, const struct decoder_projection *projection);

/* ---- decoder_experts.c ---- */

/* The sum of what the chosen experts make of each token, in the scope of the layer's "mlp", which closes. */
memmodel_tensor
decoder_experts(struct decoder *decoder, const struct decoder_block *block, memmodel_tensor x);

/* ---- decoder.c ---- */

/* The layer decoder->layer. */
memmodel_tensor
decoder_block(struct decoder *decoder, const struct decoder_block *block, memmodel_tensor x);

#endif
