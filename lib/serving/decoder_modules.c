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

/* An operator by PyTorch's name, by a number or none. */
static memmodel_tensor
named(struct decoder *decoder, const char *operation, memmodel_tensor x, struct memmodel_shape shape)
{
    bool has_number = strstr(operation, "Tensor") != NULL;
    memmodel_tensor inputs[] = {x, NONE};

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

/* LlamaRMSNorm of the last axis: in float32, whatever its input is. The scope stays open. */
static memmodel_tensor
norm(struct decoder *decoder, const char *scope, memmodel_tensor x, memmodel_tensor weight,
     const struct memmodel_shape *narrow, const memmodel_tensor ended[2])
{
    bool casts = decoder->dtype != MEMMODEL_DTYPE_FLOAT32;
    struct memmodel_shape wide = *narrow, number;
    memmodel_tensor squares, mean, root, scaled, typed;

    wide.dtype = MEMMODEL_DTYPE_FLOAT32;
    number = wide;
    number.dims[number.rank - 1] = 1;
    memmodel_network_push_scope(decoder->network, scope);
    if (casts)
        x = decoder_cast(decoder, x, &wide);
    squares = named(decoder, "aten.pow.Tensor_Scalar", x, wide);
    mean = memmodel_network_reduce(
        decoder->network, squares,
        MEMMODEL_REDUCE(.axes = {-1}, .axis_count = 1, .kind = MEMMODEL_REDUCE_MEAN, .keep_dims = 1));
    root = named(decoder, "aten.add.Tensor", mean, number);
    root = named(decoder, "aten.rsqrt.default", root, number);
    scaled = decoder_binary(decoder, MEMMODEL_BINARY_MULTIPLY, x, root);
    decoder_end(decoder, root);
    typed = casts ? decoder_cast(decoder, scaled, narrow) : scaled;
    x = decoder_binary(decoder, MEMMODEL_BINARY_MULTIPLY, weight, typed);
    for (int i = 0; ended && i < 2; i++)
        decoder_end(decoder, ended[i]);
    decoder_end(decoder, mean);
    decoder_end(decoder, scaled);
    return x;
}

memmodel_tensor
decoder_norm(struct decoder *decoder, const char *scope, memmodel_tensor x, memmodel_tensor weight, int64_t hidden)
{
    const struct memmodel_shape shape = {{decoder->batch, decoder->length, hidden}, 3, decoder->dtype};

    return norm(decoder, scope, x, weight, &shape, NULL);
}

memmodel_tensor
decoder_norm_heads(struct decoder *decoder, const char *scope, memmodel_tensor flat, memmodel_tensor split,
                   memmodel_tensor weight, int64_t heads, int64_t size)
{
    const struct memmodel_shape shape = {{decoder->batch, decoder->length, heads, size}, 4, decoder->dtype};

    return norm(decoder, scope, split, weight, &shape, (memmodel_tensor[]){flat, split});
}
