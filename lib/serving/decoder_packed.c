/*
 * Linear layers whose weights are packed: bitsandbytes' Linear4bit. Source: bitsandbytes 0.50, functional.py,
 * quantize_4bit(), and of nested scales quantize_blockwise(); nn/modules.py, Linear4bit.forward().
 */
#include "base/checked.h"
#include "base/text.h"
#include "serving/decoder.h"

#include <inttypes.h>

enum { BLOCK = 64, CODES = 16, SCALES_BLOCK = 256, SCALES_CODES = 256 };

/* ---- what is asked for ---- */

/* prepare_model_for_kbit_training() of peft 0.21, utils/other.py: what is not packed is in float32 afterwards. */
static int
read_preparation(struct decoder *decoder, const struct memmodel_llm_build_options *options, memmodel_context *context)
{
    if (!options->prepare_kbit && options->without_gradient_checkpointing)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "without_gradient_checkpointing",
                             "it is of prepare_kbit");
    if (!options->prepare_kbit)
        return 0;
    if (!decoder->packed || options->lora_rank == 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "prepare_kbit",
                             "it freezes quantized weights: give quantization \"nf4\" and a lora_rank");
    decoder->dtype = MEMMODEL_DTYPE_FLOAT32;
    decoder->recomputed = !options->without_gradient_checkpointing;
    return 0;
}

/* The type of products; else that of the model before it was prepared. */
static int
read_product(struct decoder *decoder, const struct memmodel_llm_build_options *options, memmodel_context *context)
{
    decoder->product = decoder->unpacked = decoder->dtype;
    if (!options->compute_dtype || !*options->compute_dtype)
        return 0;
    if (!decoder->packed)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "compute_dtype",
                             "it is of \"nf4\", and these weights are not quantized");
    return decoder_type_of(context, "compute_dtype", options->compute_dtype, &decoder->product);
}

int
decoder_read_quantization(struct decoder *decoder, const struct memmodel_llm_build_options *options,
                          memmodel_context *context)
{
    struct quantization quantization = decoder->llm->quantization;
    int status = options->quantization && *options->quantization
                     ? quantization_find(context, options->quantization, &quantization)
                     : 0;

    if (status)
        return status;
    if (quantization.packing != PACKING_NONE && quantization.packing != PACKING_NF4)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "quantization",
                             "training over weights packed as \"%s\" is not modelled; over \"nf4\" and \"none\" it is",
                             quantization.name);
    decoder->packed = quantization.packing == PACKING_NF4;
    decoder->nested = decoder->packed && options->double_quantization;
    if (options->double_quantization && !decoder->packed)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "double_quantization",
                             "it is of the scales of \"nf4\", and these weights are not quantized");
    status = read_product(decoder, options, context);
    return status ? status : read_preparation(decoder, options, context);
}

/* ---- parameters ---- */

static memmodel_tensor
part(struct decoder *decoder, const char *module, bool adapted, const char *role, const struct memmodel_shape *shape)
{
    struct text text = TEXT_INIT(decoder->llm->context);
    memmodel_tensor tensor = MEMMODEL_ERROR_NO_MEMORY;

    text_printf(&text, "%s%s", adapted ? "base_layer." : "", role);
    if (!text.failed)
        tensor = decoder_tensor(decoder, module, text.bytes, shape, false);
    decoder->failed = decoder->failed || text.failed;
    text_release(&text);
    return tensor;
}

/* Two elements a byte, a scale for each 64, the 16 numbers that there are; of nested scales a byte each. */
void
decoder_declare_packed(struct decoder *decoder, const char *module, bool adapted, struct decoder_projection *projection)
{
    int64_t elements = multiply_saturating(projection->units, projection->inputs);
    int64_t blocks = ceil_divide(elements, BLOCK);
    int type = decoder->nested ? MEMMODEL_DTYPE_UINT8 : MEMMODEL_DTYPE_FLOAT32;
    const struct memmodel_shape bytes = {{ceil_divide(elements, 2), 1}, 2, MEMMODEL_DTYPE_UINT8},
                                scales = {{blocks}, 1, type}, codes = {{CODES}, 1, MEMMODEL_DTYPE_FLOAT32},
                                offset = {{0}, 0, MEMMODEL_DTYPE_FLOAT32},
                                nested = {{ceil_divide(blocks, SCALES_BLOCK)}, 1, MEMMODEL_DTYPE_FLOAT32},
                                nested_codes = {{SCALES_CODES}, 1, MEMMODEL_DTYPE_FLOAT32};

    projection->weight = part(decoder, module, adapted, "weight", &bytes);
    projection->scales = part(decoder, module, adapted, "weight.absmax", &scales);
    part(decoder, module, adapted, "weight.quant_map", &codes);
    if (!decoder->nested)
        return;
    projection->offset = part(decoder, module, adapted, "weight.nested_offset", &offset);
    part(decoder, module, adapted, "weight.nested_absmax", &nested);
    part(decoder, module, adapted, "weight.nested_quant_map", &nested_codes);
}

/* ---- the product ---- */

/* What the product computes, as an expression. */
static memmodel_dim
multiply_adds(struct decoder *decoder, const struct decoder_projection *projection)
{
    struct text text = TEXT_INIT(decoder->llm->context);
    memmodel_dim work = 0;

    text_printf(&text, "batch * length * %" PRId64 " * %" PRId64, projection->units, projection->inputs);
    decoder->failed = decoder->failed || text.failed;
    if (!text.failed)
        work = memmodel_network_expression(decoder->network, text.bytes);
    text_release(&text);
    return work;
}

static const char *
weight_attribute(const struct decoder *decoder)
{
    if (decoder->unpacked == decoder->product)
        return NULL;
    return decoder->unpacked == MEMMODEL_DTYPE_FLOAT32    ? "weight=float32"
           : decoder->unpacked == MEMMODEL_DTYPE_BFLOAT16 ? "weight=bfloat16"
                                                          : "weight=float16";
}

/* Its operator's inputs are in the order of frameworks/pytorch/quantized_products.c. */
static memmodel_tensor
multiply(struct decoder *decoder, memmodel_tensor x, const struct decoder_projection *projection)
{
    const struct memmodel_shape shape = {{decoder->batch, decoder->length, projection->units}, 3, decoder->product};
    memmodel_tensor inputs[] = {x, projection->weight, projection->scales, projection->bias, projection->offset};
    memmodel_dim work = multiply_adds(decoder, projection);

    return memmodel_network_custom(decoder->network, inputs, sizeof inputs / sizeof inputs[0],
                                   MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .multiply_adds = work,
                                                   .operation = "bitsandbytes.matmul_4bit",
                                                   .attributes = weight_attribute(decoder)));
}

/* Linear4bit.forward(): in the type of products, and back. */
memmodel_tensor
decoder_multiply_packed(struct decoder *decoder, memmodel_tensor x, const struct decoder_projection *projection)
{
    struct memmodel_shape shape = {{decoder->batch, decoder->length, projection->inputs}, 3, decoder->product};
    memmodel_tensor cast, result;

    if (decoder->product == decoder->dtype)
        return multiply(decoder, x, projection);
    cast = decoder_cast(decoder, x, &shape);
    result = multiply(decoder, cast, projection);
    shape.dims[2] = projection->units;
    shape.dtype = decoder->dtype;
    result = decoder_cast(decoder, result, &shape);
    decoder_end(decoder, cast);
    return result;
}
