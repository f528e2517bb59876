/* What decoders are made of. Source: transformers 5.23, models/llama/modeling_llama.py, as torch.export sees it. */
#include "base/text.h"
#include "serving/decoder.h"

#include <string.h>

enum { NONE = MEMMODEL_TENSOR_NONE };

void
decoder_end(struct decoder *decoder, memmodel_tensor tensor)
{
    memmodel_network_end_lifetime(decoder->network, tensor);
}

/* An operator by PyTorch's name whose result has the shape of a tensor but for its last axis. */
static memmodel_tensor
named(struct decoder *decoder, const char *operation, memmodel_tensor x, memmodel_dim last, int dtype)
{
    bool has_number = strstr(operation, "Tensor") != NULL;
    memmodel_tensor inputs[] = {x, NONE};
    struct memmodel_shape shape = {.dims = {decoder->batch, decoder->length, last}, .rank = 3, .dtype = dtype};

    return memmodel_network_custom(decoder->network, inputs, has_number ? 2 : 1,
                                   MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .operation = operation,
                                                   .attributes = strstr(operation, ".pow") ? "exponent=2"
                                                                 : has_number              ? "other=1e-06"
                                                                                           : NULL));
}

memmodel_tensor
decoder_binary(struct decoder *decoder, int kind, memmodel_tensor a, memmodel_tensor b)
{
    return memmodel_network_binary(decoder->network, a, b, MEMMODEL_BINARY(.kind = kind));
}

static const char *
cast_attributes(int dtype)
{
    return dtype == MEMMODEL_DTYPE_FLOAT32    ? "dtype=float32"
           : dtype == MEMMODEL_DTYPE_BFLOAT16 ? "dtype=bfloat16"
                                              : "dtype=float16";
}

memmodel_tensor
decoder_cast(struct decoder *decoder, memmodel_tensor x, const struct memmodel_shape *shape)
{
    return memmodel_network_custom(decoder->network, &x, 1,
                                   MEMMODEL_CUSTOM(.outputs = shape, .output_count = 1, .operation = "aten.to.dtype",
                                                   .attributes = cast_attributes(shape->dtype)));
}

memmodel_tensor
decoder_project(struct decoder *decoder, const char *scope, memmodel_tensor x,
                const struct decoder_projection *projection)
{
    memmodel_tensor result;

    if (projection->lora_a >= 0)
        return decoder_project_adapted(decoder, scope, x, projection);
    memmodel_network_push_scope(decoder->network, scope);
    if (projection->scales >= 0)
        return decoder_multiply_packed(decoder, x, projection);
    memmodel_network_use_parameter(decoder->network, "weight", projection->weight);
    if (projection->bias >= 0)
        memmodel_network_use_parameter(decoder->network, "bias", projection->bias);
    result = memmodel_network_linear(decoder->network, x,
                                     MEMMODEL_LINEAR(.units = projection->units, .no_bias = projection->bias < 0));
    return result;
}

/* LlamaRMSNorm: in float32, whatever its input is. The scope stays open. */
memmodel_tensor
decoder_norm(struct decoder *decoder, const char *scope, memmodel_tensor x, memmodel_tensor weight, int64_t hidden)
{
    bool casts = decoder->dtype != MEMMODEL_DTYPE_FLOAT32;
    const struct memmodel_shape wide = {{decoder->batch, decoder->length, hidden}, 3, MEMMODEL_DTYPE_FLOAT32},
                                narrow = {{decoder->batch, decoder->length, hidden}, 3, decoder->dtype};
    memmodel_tensor squares, mean, root, scaled, typed;

    memmodel_network_push_scope(decoder->network, scope);
    if (casts)
        x = decoder_cast(decoder, x, &wide);
    squares = named(decoder, "aten.pow.Tensor_Scalar", x, hidden, MEMMODEL_DTYPE_FLOAT32);
    mean = memmodel_network_reduce(
        decoder->network, squares,
        MEMMODEL_REDUCE(.axes = {-1}, .axis_count = 1, .kind = MEMMODEL_REDUCE_MEAN, .keep_dims = 1));
    root = named(decoder, "aten.add.Tensor", mean, 1, MEMMODEL_DTYPE_FLOAT32);
    root = named(decoder, "aten.rsqrt.default", root, 1, MEMMODEL_DTYPE_FLOAT32);
    scaled = decoder_binary(decoder, MEMMODEL_BINARY_MULTIPLY, x, root);
    decoder_end(decoder, root);
    typed = casts ? decoder_cast(decoder, scaled, &narrow) : scaled;
    x = decoder_binary(decoder, MEMMODEL_BINARY_MULTIPLY, weight, typed);
    decoder_end(decoder, mean);
    decoder_end(decoder, scaled);
    return x;
}
