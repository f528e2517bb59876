/*
 * quantization_config: which packing, and which modules it leaves as they are. vllm/model_executor/layers/quantization has a
 * class for each method.
 */
#include "serving/config.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* A member of a part of quantization_config, under either name. */
static int64_t
number_of(const json_t *object, const char *key, const char *other, int64_t otherwise)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_integer(value) && other)
        value = json_object_get(object, other);
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : otherwise;
}

static const char *
text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static int
wrong(const struct config *config, const json_t *object, const char *key, const char *expected)
{
    return json_error_at_member(&config->document, object, key, MEMMODEL_ERROR_UNSUPPORTED,
                                "\"%s\" of quantization_config is not %s", key, expected);
}

/* Bits and group of integers; a group of -1 is a whole row. */
static int
read_integers(struct config *config, const json_t *object, struct quantization *quantization)
{
    int64_t group = number_of(object, "group_size", "q_group_size", quantization->group);

    quantization->bits = number_of(object, "bits", "w_bit", 4);
    if (quantization->bits < 1 || quantization->bits > 8)
        return wrong(config, object, "bits", "a number from 1 to 8");
    if (group < -1 || group > CONFIG_MAX_SIZE)
        return wrong(config, object, "group_size", "-1 or a size");
    quantization->group = group > 0 ? group : 0;
    return 0;
}

static int
read_awq(struct config *config, const json_t *object)
{
    struct quantization *quantization = &config->llm->quantization;

    *quantization = (struct quantization){.packing = PACKING_INTEGERS, .name = "awq", .group = 128, .has_zeros = true};
    return read_integers(config, object, quantization);
}

static int
read_gptq(struct config *config, const json_t *object)
{
    struct quantization *quantization = &config->llm->quantization;

    *quantization = (struct quantization){.packing = PACKING_INTEGERS, .name = "gptq", .group = 128};
    quantization->has_order = json_is_true(json_object_get(object, "desc_act"));
    quantization->has_zeros = json_is_false(json_object_get(object, "sym"));
    return read_integers(config, object, quantization);
}

static int
read_fp8(struct config *config, const json_t *object)
{
    const json_t *square = json_object_get(object, "weight_block_size");
    int64_t side = json_is_array(square) ? (int64_t)json_integer_value(json_array_get(square, 0)) : 0;

    if (side < 0 || side > CONFIG_MAX_SIZE || (json_is_array(square) && !side))
        return wrong(config, object, "weight_block_size", "a list of sizes");
    config->llm->quantization = (struct quantization){.packing = PACKING_FP8, .name = "fp8", .square = side};
    return 0;
}

static int
read_bitsandbytes(struct config *config, const json_t *object)
{
    bool eight = json_is_true(json_object_get(object, "load_in_8bit"));

    config->llm->quantization = eight ? (struct quantization){.packing = PACKING_INT8, .name = "bnb-int8"}
                                      : (struct quantization){.packing = PACKING_NF4, .name = "nf4"};
    return 0;
}

static int
read_mxfp4(struct config *config, const json_t *object)
{
    (void)object;
    config->llm->quantization = (struct quantization){.packing = PACKING_MXFP4, .name = "mxfp4"};
    return 0;
}

static int
read_modelopt(struct config *config, const json_t *object)
{
    const char *algorithm = text_of(object, "quant_algo");

    if (strcmp(algorithm, "NVFP4") == 0 || strcmp(algorithm, "FP4") == 0)
        config->llm->quantization = (struct quantization){.packing = PACKING_NVFP4, .name = "nvfp4"};
    else if (strcmp(algorithm, "FP8") == 0)
        config->llm->quantization = (struct quantization){.packing = PACKING_FP8, .name = "fp8"};
    else
        return wrong(config, object, "quant_algo", "NVFP4 or FP8");
    return 0;
}

/* The weights of a group of compressed-tensors: bits, type and what has a scale. */
static int
read_compressed_weights(struct config *config, const json_t *weights)
{
    struct quantization *quantization = &config->llm->quantization;
    int64_t bits = number_of(weights, "num_bits", NULL, 0);
    bool is_float = strcmp(text_of(weights, "type"), "float") == 0;

    if (is_float && bits == 8)
        *quantization = (struct quantization){.packing = PACKING_FP8, .name = "fp8"};
    else if (is_float && bits == 4)
        *quantization = (struct quantization){.packing = PACKING_NVFP4, .name = "nvfp4"};
    else if (bits >= 1 && bits <= 8)
        *quantization = (struct quantization){.packing = PACKING_INTEGERS, .name = "compressed", .bits = bits};
    else
        return wrong(config, weights, "num_bits", "a number from 1 to 8");
    quantization->per_channel = strcmp(text_of(weights, "strategy"), "channel") == 0;
    quantization->has_zeros = json_is_false(json_object_get(weights, "symmetric"));
    quantization->group = number_of(weights, "group_size", NULL, 0);
    if (quantization->group < 0 || quantization->group > CONFIG_MAX_SIZE)
        return wrong(config, weights, "group_size", "a size");
    if (strcmp(text_of(weights, "strategy"), "block") == 0)
        quantization->square = 128;
    return 0;
}

/* Of groups that differ the first one stands for all, and it is said. */
static int
read_compressed(struct config *config, const json_t *object)
{
    const json_t *groups = json_object_get(object, "config_groups"), *weights;
    void *first = json_object_iter((json_t *)groups);

    weights = json_object_get(json_object_iter_value(first), "weights");
    if (!json_is_object(weights))
        return wrong(config, object, "config_groups", "an object of groups with \"weights\"");
    if (json_object_size(groups) > 1)
        config_note(config, "groups of quantized weights besides the first");
    return read_compressed_weights(config, weights);
}

static const struct {
    const char *name;
    int (*read)(struct config *config, const json_t *object);
} methods[] = {
    {"awq", read_awq},
    {"gptq", read_gptq},
    {"fp8", read_fp8},
    {"bitsandbytes", read_bitsandbytes},
    {"mxfp4", read_mxfp4},
    {"modelopt", read_modelopt},
    {"modelopt_fp4", read_modelopt},
    {"compressed-tensors", read_compressed},
};

static int
unknown_method(const struct config *config, const json_t *object, const char *method)
{
    enum { COUNT = sizeof methods / sizeof methods[0] };
    struct text names = TEXT_INIT(config->document.context);
    int status;

    for (size_t i = 0; i < COUNT; i++)
        text_printf(&names, "%s%s", i ? ", " : "", methods[i].name);
    status = json_error_at_member(&config->document, object, "quant_method", MEMMODEL_ERROR_UNSUPPORTED,
                                  "the \"quant_method\" \"%.40s\" is not modelled; there are %s", method,
                                  names.failed ? "others" : names.bytes);
    text_release(&names);
    return status;
}

/* ---- what is left as it is ---- */

/* A module of each part, as checkpoints name them, between dots. */
static const char *const modules[PARTS] = {
    [PART_ATTENTION] = ".model.layers.1.self_attn.q_proj.",
    [PART_MLP] = ".model.layers.1.mlp.gate_proj.",
    [PART_EXPERTS] = ".model.layers.1.mlp.experts.0.gate_proj.",
    [PART_SHARED_EXPERTS] = ".model.layers.1.mlp.shared_expert.gate_proj.",
    [PART_RECURRENT] = ".model.layers.1.linear_attn.in_proj_qkvz.",
    [PART_HEAD] = ".lm_head.",
};

/* Of a regular expression that has to fit from the beginning: ".*" stands for anything. */
static void
append_expression(struct text *pattern, const char *entry)
{
    bool ends = *entry && entry[strlen(entry) - 1] == '$';

    for (const char *at = entry; *at; at++)
        if (*at != '^' && *at != '$' && *at != '\\' && !(*at == '.' && at[1] == '*'))
            text_append_bytes(pattern, at, 1);
    text_append(pattern, ends ? "." : "*");
}

/* An entry is an expression after "re:", or one or more of the words between the dots of a module's name. */
static int
entry_matches(memmodel_context *context, const char *entry, int part, bool *matches)
{
    struct text pattern = TEXT_INIT(context);
    bool is_expression = strncmp(entry, "re:", 3) == 0, failed;

    if (is_expression)
        append_expression(&pattern, entry + 3);
    else
        text_printf(&pattern, "*.%s.*", entry);
    failed = pattern.failed;
    if (!failed)
        *matches = text_matches(pattern.bytes, pattern.length, modules[part] + (is_expression ? 1 : 0));
    text_release(&pattern);
    return failed ? MEMMODEL_ERROR_NO_MEMORY : 0;
}

static int
keep_entry(struct config *config, const char *entry)
{
    memmodel_context *context = config->document.context;
    int status = context_check(context, 1);

    if (!*entry || strlen(entry) > 200)
        return 0; /* what is so long names no part */
    for (int part = 0; !status && part < PARTS; part++) {
        bool matches = false;

        status = entry_matches(context, entry, part, &matches);
        config->llm->quantization.keeps[part] |= matches;
    }
    return status;
}

static int
keep_entries(struct config *config, const json_t *entries)
{
    int status = 0;

    for (size_t i = 0; !status && i < json_array_size(entries); i++)
        if (json_is_string(json_array_get(entries, i)))
            status = keep_entry(config, json_string_value(json_array_get(entries, i)));
    return status;
}

static int
read_kept(struct config *config, const json_t *object)
{
    static const char *const keys[] = {"ignore", "modules_to_not_convert", "ignored_layers", "llm_int8_skip_modules"};
    int status = 0;

    for (size_t i = 0; !status && i < sizeof keys / sizeof keys[0]; i++)
        status = keep_entries(config, json_object_get(object, keys[i]));
    config->llm->quantization.keeps[PART_HEAD] = true; /* none of the methods packs the head by itself */
    return status;
}

/* Checkpoints may say that the cache is in 8 bits as well. */
static bool
has_fp8_cache(const json_t *object)
{
    const json_t *scheme = json_object_get(object, "kv_cache_scheme");

    return strcmp(text_of(object, "kv_cache_quant_algo"), "FP8") == 0 ||
           (json_is_object(scheme) && number_of(scheme, "num_bits", NULL, 0) == 8);
}

static int
read_method(struct config *config, const json_t *object)
{
    const char *method = text_of(object, "quant_method");

    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(methods[i].name, method) == 0)
            return methods[i].read(config, object);
    return unknown_method(config, object, method);
}

int
packing_read(struct config *config)
{
    const json_t *object;
    int status = config_object(config, "quantization_config", &object);

    config->llm->quantization = (struct quantization){.packing = PACKING_NONE, .name = "none"};
    if (!status && !object)
        status = config_object(config, "compression_config", &object);
    if (status || !object)
        return status;
    config->llm->cache_is_fp8 = has_fp8_cache(object);
    status = read_method(config, object);
    return status ? status : read_kept(config, object);
}
