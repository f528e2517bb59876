/*
 * Adapters (LoRA) over the linear layers of a decoder, and which layers have one. Source: peft 0.21,
 * src/peft/tuners/lora/layer.py, Linear.forward(), and tuners_utils.py, check_target_module_exists().
 */
#include "base/context.h"
#include "serving/decoder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NONE = MEMMODEL_TENSOR_NONE };

static const char ALL_LINEAR[] = "all-linear", HEAD[] = "lm_head";

/* ---- which layers ---- */

/* TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING of peft/utils/constants.py, of the decoders that are built. */
static const char USUAL_TARGETS[] = "q_proj,v_proj";
static const char *const usual_types[] = {"llama", "mistral", "qwen2", "qwen3", "stablelm", "gemma", "gemma2"};

static const char *const linear_layers[] = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                                            "self_attn.o_proj", "mlp.gate_proj",    "mlp.up_proj",
                                            "mlp.down_proj"};

enum { LINEAR_LAYERS = sizeof linear_layers / sizeof linear_layers[0], MODULE_BYTES = 96 };

/* The next name of a list and its length, without the blanks around it; NULL after the last. */
static const char *
next_target(const char **list, size_t *length)
{
    const char *target = *list + strspn(*list, ", ");

    *length = strcspn(target, ",");
    *list = target + *length;
    while (*length && target[*length - 1] == ' ')
        --*length;
    return *length ? target : NULL;
}

static bool
matches(const char *module, const char *target, size_t length)
{
    size_t all = strlen(module);

    if (length == sizeof ALL_LINEAR - 1 && strncmp(target, ALL_LINEAR, length) == 0)
        return strcmp(module, HEAD) != 0;
    if (all < length || strncmp(module + all - length, target, length) != 0)
        return false;
    return all == length || module[all - length - 1] == '.';
}

bool
decoder_is_adapted(const struct decoder *decoder, const char *module)
{
    const char *list = decoder->lora_targets, *target;
    size_t length;

    while (decoder->lora_rank && (target = next_target(&list, &length)) != NULL)
        if (matches(module, target, length))
            return true;
    return false;
}

static bool
matches_any(const memmodel_llm *llm, const char *target, size_t length)
{
    char module[MODULE_BYTES];

    for (size_t i = 0; i < llm->layer_count * LINEAR_LAYERS; i++) {
        snprintf(module, sizeof module, "model.layers.%zu.%s", i / LINEAR_LAYERS, linear_layers[i % LINEAR_LAYERS]);
        if (matches(module, target, length))
            return true;
    }
    return matches(HEAD, target, length);
}

static const char *
usual_targets(const memmodel_llm *llm)
{
    for (size_t i = 0; i < sizeof usual_types / sizeof usual_types[0]; i++)
        if (strcmp(usual_types[i], llm->model_type) == 0)
            return USUAL_TARGETS;
    return "";
}

static int
check_targets(const memmodel_llm *llm, const char *targets, memmodel_context *context)
{
    const char *list = targets, *target;
    size_t length;

    while ((target = next_target(&list, &length)) != NULL)
        if (!matches_any(llm, target, length))
            return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "lora_targets",
                                 "\"%.*s\" is no linear layer of this model; there are q_proj, k_proj, v_proj, o_proj, "
                                 "gate_proj, up_proj, down_proj and lm_head, or all-linear",
                                 (int)(length < MODULE_BYTES ? length : MODULE_BYTES), target);
    return 0;
}

int
decoder_read_adapters(struct decoder *decoder, const struct memmodel_llm_build_options *options,
                      memmodel_context *context)
{
    const char *given = options->lora_targets && *options->lora_targets ? options->lora_targets : NULL;
    const char *targets = given ? given : usual_targets(decoder->llm), *list = targets;
    size_t length;

    if (options->lora_rank < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "lora_rank",
                             "%" PRId32 " is no rank; write one such as 16", options->lora_rank);
    if (!options->lora_rank)
        return given ? context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "lora_targets",
                                     "adapters need a rank, such as 16")
                     : 0;
    if (!next_target(&list, &length))
        return context_error(
            context, MEMMODEL_ERROR_INVALID_ARGUMENT, "lora_targets",
            "which layers have an adapter? peft has no usual ones for \"%s\"; write such as q_proj,v_proj",
            decoder->llm->model_type);
    decoder->lora_rank = options->lora_rank;
    decoder->lora_targets = targets;
    return check_targets(decoder->llm, targets, context);
}

/* ---- the forward pass ---- */

static memmodel_tensor
linear(struct decoder *decoder, const char *scope, memmodel_tensor x, memmodel_tensor weight, int64_t units)
{
    const struct decoder_projection alone = {weight, NONE, NONE, NONE, NONE, NONE, .units = units};
    memmodel_tensor result = decoder_project(decoder, scope, x, &alone);

    memmodel_network_pop_scope(decoder->network);
    return result;
}

static struct memmodel_shape
shape_of(const struct decoder *decoder, int64_t width, int dtype)
{
    return (struct memmodel_shape){{decoder->batch, decoder->length, width}, 3, dtype};
}

static memmodel_tensor
narrowed(struct decoder *decoder, memmodel_tensor x, const struct decoder_projection *projection)
{
    const struct memmodel_shape narrow = shape_of(decoder, projection->units, decoder->dtype);

    return decoder_cast(decoder, x, &narrow);
}

static memmodel_tensor
cloned(struct decoder *decoder, memmodel_tensor x, const struct decoder_projection *projection)
{
    const struct memmodel_shape shape = shape_of(decoder, projection->units, decoder->dtype);

    return memmodel_network_custom(
        decoder->network, &x, 1,
        MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .operation = "aten.clone.default"));
}

/*
 * result + lora_B(lora_A(x)) * scaling, in float32; over a packed weight a sum in the layer's own type. peft 0.21,
 * tuners/lora/bnb.py, Linear4bit.forward().
 */
static memmodel_tensor
add_adapter(struct decoder *decoder, memmodel_tensor result, memmodel_tensor x,
            const struct decoder_projection *projection)
{
    const struct memmodel_shape wide = shape_of(decoder, projection->units, MEMMODEL_DTYPE_FLOAT32);
    bool is_wide = decoder->dtype == MEMMODEL_DTYPE_FLOAT32, is_packed = projection->scales >= 0;
    memmodel_tensor low = linear(decoder, "lora_A.default", x, projection->lora_a, decoder->lora_rank);
    memmodel_tensor high = linear(decoder, "lora_B.default", low, projection->lora_b, projection->units);
    memmodel_tensor scaled, sum;

    scaled = memmodel_network_custom(decoder->network, (memmodel_tensor[]){high, NONE}, 2,
                                     MEMMODEL_CUSTOM(.outputs = &wide, .output_count = 1,
                                                     .operation = "aten.mul.Tensor", .attributes = "other=1.0"));
    if (is_packed && !is_wide)
        scaled = narrowed(decoder, scaled, projection);
    if (is_packed || is_wide)
        sum = decoder_binary(decoder, MEMMODEL_BINARY_ADD, result, scaled);
    else
        sum = memmodel_network_custom(
            decoder->network, (memmodel_tensor[]){result, scaled}, 2,
            MEMMODEL_CUSTOM(.outputs = &wide, .output_count = 1, .operation = "aten.add.Tensor"));
    decoder_end(decoder, result);
    decoder_end(decoder, scaled);
    return sum;
}

/* lora.Linear.forward(): its scope stays open. */
memmodel_tensor
decoder_project_adapted(struct decoder *decoder, const char *scope, memmodel_tensor x,
                        const struct decoder_projection *projection)
{
    const struct memmodel_shape wide = shape_of(decoder, projection->inputs, MEMMODEL_DTYPE_FLOAT32);
    bool is_packed = projection->scales >= 0;
    struct decoder_projection base = *projection;
    memmodel_tensor result, cast;

    base.lora_a = base.lora_b = NONE;
    memmodel_network_push_scope(decoder->network, scope);
    result = decoder_project(decoder, "base_layer", x, &base);
    memmodel_network_pop_scope(decoder->network);
    if (is_packed)
        result = cloned(decoder, result, projection);
    if (decoder->dtype == MEMMODEL_DTYPE_FLOAT32)
        return add_adapter(decoder, result, x, projection);
    cast = decoder_cast(decoder, x, &wide);
    result = add_adapter(decoder, result, cast, projection);
    if (!is_packed)
        result = narrowed(decoder, result, projection);
    decoder_end(decoder, cast);
    return result;
}
