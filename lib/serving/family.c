/*
 * Families of models by their `model_type`: what their layers consist of where config.json does not say. Sources:
 * transformers/models/NAME/configuration_NAME.py for defaults, vllm/model_executor/models/NAME.py for tensors.
 */
#include "serving/family.h"

#include "base/checked.h"
#include "base/text.h"

#include <string.h>

enum trait {
    TIED = 1 << 0,        /* the head is the embedding unless tie_word_embeddings says no */
    QKV_BIAS = 1 << 1,    /* queries, keys and values have a bias */
    BIAS_KEY = 1 << 2,    /* the same if attention_bias says so */
    OUTPUT_BIAS = 1 << 3, /* the output of attention has one where these have */
    MLP_BIAS = 1 << 4,
    PLAIN_MLP = 1 << 5,
    NORM_BIAS = 1 << 6,
    HEAD_NORM = 1 << 7, /* norms of queries and keys, head by head */
    WIDE_NORM = 1 << 8, /* the same over all heads */
    POSITIONS = 1 << 9, /* learned */
    EXPERTS = 1 << 10,  /* has to have experts */
    GATED_QUERY = 1 << 11,
    ONE_KV_HEAD_EACH = 1 << 12, /* a head of keys for each of queries */
    CORRECTION = 1 << 13,       /* experts have a correction in float32 */
    SHARED_GATE = 1 << 14,
    QWEN3_NEXT = BIAS_KEY | HEAD_NORM | EXPERTS | GATED_QUERY | SHARED_GATE,
};

/* Sizes that a configuration inside of another leaves out where they are transformers' own. */
struct defaults {
    int64_t hidden, intermediate, layers, heads, kv_heads, vocabulary, positions;
};

struct family {
    const char *model_type;
    unsigned traits;
    enum pattern pattern;
    int64_t period;
    int32_t norm_count;
    int32_t ropes;
    int64_t head_size; /* 0: hidden size by heads */
    double rotary;     /* part of a head; 0: all */
    int (*extra)(struct config *config);
    struct defaults defaults;
};

/* ---- the table ---- */

#define LLAMA_SIZES                                                                                                    \
    {                                                                                                                  \
        4096, 11008, 32, 32, 32, 32000, 2048                                                                           \
    }
#define MISTRAL_SIZES                                                                                                  \
    {                                                                                                                  \
        4096, 14336, 32, 32, 8, 32000, 131072                                                                          \
    }
#define QWEN2_SIZES                                                                                                    \
    {                                                                                                                  \
        4096, 22016, 32, 32, 32, 151936, 32768                                                                         \
    }
#define GEMMA3_SIZES                                                                                                   \
    {                                                                                                                  \
        2304, 9216, 26, 8, 4, 262208, 131072                                                                           \
    }
#define GEMMA3N_SIZES                                                                                                  \
    {                                                                                                                  \
        2048, 16384, 35, 8, 2, 262400, 32768                                                                           \
    }

static const struct family families[] = {
    {"llama", BIAS_KEY | OUTPUT_BIAS, PATTERN_FULL, 0, 2, 1, 0, 0, NULL, LLAMA_SIZES},
    {"mistral", 0, PATTERN_WINDOW, 0, 2, 1, 0, 0, NULL, MISTRAL_SIZES},
    {"mixtral", EXPERTS, PATTERN_WINDOW, 0, 2, 1, 0, 0, NULL, {0}},
    {"qwen2", QKV_BIAS, PATTERN_OPTIONAL, 0, 2, 1, 0, 0, NULL, QWEN2_SIZES},
    {"qwen2_vl", QKV_BIAS, PATTERN_OPTIONAL, 0, 2, 4, 0, 0, NULL, QWEN2_SIZES},
    {"qwen2_vl_text", QKV_BIAS, PATTERN_OPTIONAL, 0, 2, 4, 0, 0, NULL, QWEN2_SIZES},
    {"qwen2_5_vl", QKV_BIAS, PATTERN_OPTIONAL, 0, 2, 4, 0, 0, NULL, QWEN2_SIZES},
    {"qwen2_5_vl_text", QKV_BIAS, PATTERN_OPTIONAL, 0, 2, 4, 0, 0, NULL, QWEN2_SIZES},
    {"dots_ocr", QKV_BIAS, PATTERN_OPTIONAL, 0, 2, 1, 0, 0, NULL, {0}},
    {"qwen2_moe", QKV_BIAS | EXPERTS | SHARED_GATE, PATTERN_OPTIONAL, 0, 2, 1, 0, 0, NULL, {0}},
    {"qwen3", BIAS_KEY | HEAD_NORM, PATTERN_OPTIONAL, 0, 2, 1, 128, 0, NULL, {0}},
    {"qwen3_vl", BIAS_KEY | HEAD_NORM, PATTERN_FULL, 0, 2, 4, 128, 0, NULL, {0}},
    {"qwen3_vl_text", BIAS_KEY | HEAD_NORM, PATTERN_FULL, 0, 2, 4, 128, 0, NULL, {0}},
    {"qwen3_moe", BIAS_KEY | HEAD_NORM | EXPERTS, PATTERN_OPTIONAL, 0, 2, 1, 0, 0, NULL, {0}},
    {"qwen3_vl_moe", BIAS_KEY | HEAD_NORM | EXPERTS, PATTERN_FULL, 0, 2, 4, 0, 0, NULL, {0}},
    {"qwen3_vl_moe_text", BIAS_KEY | HEAD_NORM | EXPERTS, PATTERN_FULL, 0, 2, 4, 0, 0, NULL, {0}},
    {"qwen3_next", QWEN3_NEXT, PATTERN_INTERVAL, 4, 2, 1, 256, 0.25, family_read_delta, {0}},
    {"qwen3_5", BIAS_KEY | HEAD_NORM | GATED_QUERY, PATTERN_INTERVAL, 4, 2, 4, 256, 0.25, family_read_delta, {0}},
    {"qwen3_5_text", BIAS_KEY | HEAD_NORM | GATED_QUERY, PATTERN_INTERVAL, 4, 2, 4, 256, 0.25, family_read_delta, {0}},
    {"qwen3_5_moe", QWEN3_NEXT, PATTERN_INTERVAL, 4, 2, 4, 256, 0.25, family_read_delta, {0}},
    {"qwen3_5_moe_text", QWEN3_NEXT, PATTERN_INTERVAL, 4, 2, 4, 256, 0.25, family_read_delta, {0}},
    {"gemma", TIED, PATTERN_FULL, 0, 2, 1, 256, 0, NULL, {0}},
    {"gemma2", TIED, PATTERN_EVEN, 0, 4, 1, 256, 0, NULL, {0}},
    {"gemma3", TIED | HEAD_NORM, PATTERN_PERIODIC, 6, 4, 2, 256, 0, NULL, GEMMA3_SIZES},
    {"gemma3_text", TIED | HEAD_NORM, PATTERN_PERIODIC, 6, 4, 2, 256, 0, NULL, GEMMA3_SIZES},
    {"gemma3n", TIED | HEAD_NORM, PATTERN_PERIODIC, 5, 4, 2, 256, 0, family_read_gemma3n, GEMMA3N_SIZES},
    {"gemma3n_text", TIED | HEAD_NORM, PATTERN_PERIODIC, 5, 4, 2, 256, 0, family_read_gemma3n, GEMMA3N_SIZES},
    {"gemma4", TIED | HEAD_NORM, PATTERN_PERIODIC, 6, 4, 2, 256, 0, family_read_gemma4, {0}},
    {"gemma4_text", TIED | HEAD_NORM, PATTERN_PERIODIC, 6, 4, 2, 256, 0, family_read_gemma4, {0}},
    {"gemma4_unified", TIED | HEAD_NORM, PATTERN_PERIODIC, 6, 4, 2, 256, 0, family_read_gemma4, {0}},
    {"gemma4_unified_text", TIED | HEAD_NORM, PATTERN_PERIODIC, 6, 4, 2, 256, 0, family_read_gemma4, {0}},
    {"gpt2",
     TIED | QKV_BIAS | OUTPUT_BIAS | MLP_BIAS | PLAIN_MLP | NORM_BIAS | POSITIONS | ONE_KV_HEAD_EACH,
     PATTERN_FULL,
     0,
     2,
     0,
     0,
     0,
     NULL,
     {0}},
    {"gpt_neox",
     QKV_BIAS | OUTPUT_BIAS | MLP_BIAS | PLAIN_MLP | NORM_BIAS | ONE_KV_HEAD_EACH,
     PATTERN_FULL,
     0,
     2,
     1,
     0,
     0.25,
     NULL,
     {0}},
    {"gpt_oss", QKV_BIAS | OUTPUT_BIAS | EXPERTS, PATTERN_EVEN, 0, 2, 1, 64, 0, family_read_gpt_oss, {0}},
    {"phi3", 0, PATTERN_WINDOW, 0, 2, 1, 0, 0, family_read_phi3, {0}},
    {"olmo2", WIDE_NORM, PATTERN_FULL, 0, 2, 1, 0, 0, NULL, {0}},
    {"olmo3", WIDE_NORM, PATTERN_PERIODIC, 4, 2, 2, 0, 0, NULL, {0}},
    {"glm4", QKV_BIAS, PATTERN_FULL, 0, 4, 1, 0, 0.5, NULL, {0}},
    {"glm4_moe", BIAS_KEY | EXPERTS | CORRECTION, PATTERN_FULL, 0, 2, 1, 0, 0.5, NULL, {0}},
    {"minimax_m2", WIDE_NORM | EXPERTS | CORRECTION, PATTERN_FULL, 0, 2, 1, 128, 0.5, NULL, {0}},
    {"deepseek_v2", EXPERTS, PATTERN_LATENT, 0, 2, 1, 0, 0, family_read_latent, {0}},
    {"deepseek_v3", EXPERTS | CORRECTION, PATTERN_LATENT, 0, 2, 1, 0, 0, family_read_latent, {0}},
    {"deepseek_v32", EXPERTS | CORRECTION, PATTERN_LATENT, 0, 2, 1, 0, 0, family_read_latent, {0}},
    {"kimi_k2", EXPERTS | CORRECTION, PATTERN_LATENT, 0, 2, 1, 0, 0, family_read_latent, {0}},
    {"nemotron_h", PLAIN_MLP | BIAS_KEY | OUTPUT_BIAS, PATTERN_LETTERS, 0, 1, 0, 0, 0, family_read_mamba, {0}},
    {"granite", BIAS_KEY | OUTPUT_BIAS, PATTERN_FULL, 0, 2, 1, 0, 0, NULL, {0}},
    {"smollm3", TIED | BIAS_KEY, PATTERN_OPTIONAL, 0, 2, 1, 0, 0, NULL, {0}},
    {"ministral", 0, PATTERN_WINDOW, 0, 2, 1, 0, 0, NULL, {0}},
    {"ministral3", 0, PATTERN_WINDOW, 0, 2, 1, 128, 0, NULL, {0}},
    {"seed_oss", BIAS_KEY, PATTERN_FULL, 0, 2, 1, 128, 0, NULL, {0}},
    {"internlm2", 0, PATTERN_FULL, 0, 2, 1, 0, 0, NULL, {0}},
    {"internlm3", 0, PATTERN_FULL, 0, 2, 1, 0, 0, NULL, {0}},
    {"ernie4_5", TIED, PATTERN_FULL, 0, 2, 1, 0, 0, NULL, {0}},
    {"hunyuan_v1_dense", HEAD_NORM, PATTERN_FULL, 0, 2, 1, 0, 0, NULL, {0}},
    {"glm", QKV_BIAS, PATTERN_FULL, 0, 2, 1, 0, 0.5, NULL, {0}},
    {"cohere", TIED, PATTERN_FULL, 0, 1, 1, 0, 0, NULL, {0}},
    {"cohere2", TIED, PATTERN_PERIODIC, 4, 1, 1, 0, 0, NULL, {0}},
    {"starcoder2",
     TIED | QKV_BIAS | OUTPUT_BIAS | MLP_BIAS | PLAIN_MLP | NORM_BIAS,
     PATTERN_WINDOW,
     0,
     2,
     1,
     0,
     0,
     NULL,
     {0}},
    {"stablelm", NORM_BIAS, PATTERN_FULL, 0, 2, 1, 0, 0.25, NULL, {0}},
    {"opt",
     TIED | QKV_BIAS | OUTPUT_BIAS | MLP_BIAS | PLAIN_MLP | NORM_BIAS | POSITIONS | ONE_KV_HEAD_EACH,
     PATTERN_FULL,
     0,
     2,
     0,
     0,
     0,
     NULL,
     {0}},
    {"nemotron-nas", BIAS_KEY | OUTPUT_BIAS, PATTERN_BLOCKS, 0, 2, 1, 0, 0, NULL, {0}},
};

enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

static const struct family *
family_of_type(const char *model_type)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (strcmp(families[i].model_type, model_type) == 0)
            return &families[i];
    return NULL;
}

/* ---- sizes of all ---- */

/* Of a configuration inside of another, transformers' own where it is left out; -1: it has to be there. */
static int64_t
size_or(const struct config *config, int64_t size)
{
    return config->text != config->document.root && size ? size : -1;
}

static int
read_layer_count(struct config *config, const struct defaults *defaults)
{
    memmodel_llm *llm = config->llm;
    int64_t count;
    int status =
        config_integer(config, "num_hidden_layers", size_or(config, defaults->layers), 1, CONFIG_MAX_LAYERS, &count);

    if (status)
        return status;
    llm->layers = arena_allocate(&llm->arena, (size_t)count * sizeof *llm->layers);
    if (!llm->layers)
        return MEMMODEL_ERROR_NO_MEMORY;
    llm->layer_count = (size_t)count;
    for (size_t i = 0; i < llm->layer_count; i++)
        llm->layers[i] = (struct llm_layer){.mixer = MIXER_FULL, .feed = FEED_DENSE};
    return 0;
}

static int
read_sizes(struct config *config, const struct family *family)
{
    const struct defaults *defaults = &family->defaults;
    memmodel_llm *llm = config->llm;
    int status = config_size(config, "hidden_size", size_or(config, defaults->hidden), &llm->hidden);

    if (!status)
        status = config_size(config, "vocab_size", size_or(config, defaults->vocabulary), &llm->vocabulary);
    if (!status)
        status = config_size(config, "max_position_embeddings", size_or(config, defaults->positions), &llm->positions);
    return status ? status : read_layer_count(config, defaults);
}

static int
read_heads(struct config *config, const struct family *family)
{
    memmodel_llm *llm = config->llm;
    int64_t heads, kv_heads, size;
    int status = config_size(config, "num_attention_heads", size_or(config, family->defaults.heads), &heads);

    if (!status)
        status = config_size(config, "num_key_value_heads", heads, &kv_heads);
    if (!status)
        status = config_size(config, "head_dim",
                             family->head_size ? family->head_size : max_i64(llm->hidden / heads, 1), &size);
    if (status)
        return status;
    if (family->traits & ONE_KV_HEAD_EACH)
        kv_heads = heads;
    if (size_or(config, family->defaults.kv_heads) > 0 && !config_find(config, "num_key_value_heads"))
        kv_heads = family->defaults.kv_heads;
    if (heads % kv_heads)
        return json_error_at(&config->document, config_find(config, "num_key_value_heads"), MEMMODEL_ERROR_PARSE,
                             "\"num_key_value_heads\" is %lld, which does not divide %lld heads", (long long)kv_heads,
                             (long long)heads);
    if (heads * size > 16 * CONFIG_MAX_SIZE)
        return json_error_at(&config->document, config->text, MEMMODEL_ERROR_PARSE,
                             "heads of \"head_dim\" %lld are too large", (long long)size);
    for (size_t i = 0; i < llm->layer_count; i++) {
        llm->layers[i].heads = heads;
        llm->layers[i].kv_heads = kv_heads;
        llm->layers[i].head_size = size;
    }
    return 0;
}

/* A number, or one for each layer. */
static int
read_intermediate(struct config *config, const struct family *family)
{
    memmodel_llm *llm = config->llm;
    const json_t *value = config_find(config, "intermediate_size");
    int64_t size = 4 * llm->hidden;
    int status = 0;

    if (!json_is_array(value))
        status = config_size(
            config, "intermediate_size",
            family->traits & (POSITIONS | EXPERTS) ? size : size_or(config, family->defaults.intermediate), &size);
    for (size_t i = 0; !status && i < llm->layer_count; i++) {
        if (json_is_array(value))
            size = json_integer_value(json_array_get(value, i));
        if (size < 1 || size > CONFIG_MAX_SIZE)
            return json_error_at(&config->document, value, MEMMODEL_ERROR_PARSE,
                                 "\"intermediate_size\" has no size for layer %zu", i);
        llm->layers[i].intermediate = size;
    }
    return status;
}

/* ---- tensors ---- */

static int
read_biases(struct config *config, unsigned traits)
{
    struct llm_tensors *tensors = &config->llm->tensors;
    bool bias = false;
    int status = config_flag(config, "attention_bias", traits & QKV_BIAS, &bias);

    if (status)
        return status;
    tensors->qkv_bias = traits & QKV_BIAS ? true : traits & BIAS_KEY && bias;
    tensors->output_bias = tensors->qkv_bias && traits & OUTPUT_BIAS;
    tensors->norm_bias = traits & NORM_BIAS;
    return config_flag(config, "mlp_bias", traits & MLP_BIAS, &tensors->mlp_bias);
}

/* Architectures that give a vector and no words have no head. */
static bool
has_no_head(const struct config *config)
{
    const json_t *names = config_find(config, "architectures");
    const char *name = json_string_value(json_array_get(names, 0));
    size_t length = name ? strlen(name) : 0;

    return length > 5 && strcmp(name + length - 5, "Model") == 0;
}

static int
read_tensors(struct config *config, const struct family *family)
{
    struct llm_tensors *tensors = &config->llm->tensors;
    int status = config_flag(config, "tie_word_embeddings", family->traits & TIED, &tensors->tied);

    if (status)
        return status;
    tensors->no_head = has_no_head(config);
    tensors->plain_mlp = family->traits & PLAIN_MLP;
    tensors->gated_query = family->traits & GATED_QUERY;
    tensors->query_norm = family->traits & HEAD_NORM ? 1 : family->traits & WIDE_NORM ? 2 : 0;
    tensors->norm_count = family->norm_count;
    tensors->positions = family->traits & POSITIONS ? config->llm->positions : 0;
    return read_biases(config, family->traits);
}

/* ---- rotation ---- */

/* Positions that a scaling of some kind adds to the table: vllm/model_executor/layers/rotary_embedding. */
static int64_t
scaled_length(const struct config *config, const json_t *scaling)
{
    const char *type = json_string_value(json_object_get(scaling, "rope_type"));
    double factor = json_number_value(json_object_get(scaling, "factor"));
    int64_t original = json_integer_value(json_object_get(scaling, "original_max_position_embeddings"));

    if (!type)
        type = json_string_value(json_object_get(scaling, "type"));
    if (!type || !(factor >= 1 && factor <= 1024) || original < 0 || original > CONFIG_MAX_SIZE)
        return config->llm->positions;
    if (strcmp(type, "yarn") == 0 || strcmp(type, "deepseek_yarn") == 0)
        return (int64_t)(factor * (double)(original ? original : config->llm->positions));
    if (strcmp(type, "linear") == 0 || strcmp(type, "dynamic") == 0)
        return (int64_t)(factor * (double)config->llm->positions);
    return config->llm->positions;
}

static int
read_rope(struct config *config, const struct family *family)
{
    struct llm_tensors *tensors = &config->llm->tensors;
    const json_t *scaling;
    double part;
    int status = config_object(config, "rope_scaling", &scaling);

    if (!status && !scaling)
        status = config_object(config, "rope_parameters", &scaling);
    if (!status)
        status = config_number(config, "partial_rotary_factor", family->rotary > 0 ? family->rotary : 1, &part);
    if (!status && strcmp(family->model_type, "gpt_neox") == 0)
        status = config_number(config, "rotary_pct", part, &part);
    if (status)
        return status;
    if (!(part > 0 && part <= 1))
        return json_error_at(&config->document, config->text, MEMMODEL_ERROR_PARSE,
                             "the part of a head that is rotated is not above 0 and at most 1");
    tensors->ropes = family->ropes;
    tensors->rope_length = scaled_length(config, scaling);
    config->llm->max_length = family->pattern == PATTERN_PERIODIC ? config->llm->positions : tensors->rope_length;
    tensors->rope_float32 = family->pattern == PATTERN_LATENT && tensors->rope_length != config->llm->positions;
    tensors->rotary_size = (int64_t)(part * (double)config->llm->layers[0].head_size);
    return 0;
}

/* ---- which family ---- */

static int
unknown_type(const struct config *config, const char *model_type)
{
    struct text names = TEXT_INIT(config->document.context);
    int status;

    for (size_t i = 0; i < FAMILY_COUNT; i++)
        text_printf(&names, "%s%s", i ? ", " : "", families[i].model_type);
    status = json_error_at_member(&config->document, config->text, "model_type", MEMMODEL_ERROR_UNSUPPORTED,
                                  "no rules for the layers of \"model_type\" \"%.60s\"; there are some for %s",
                                  model_type, names.failed ? "others" : names.bytes);
    text_release(&names);
    return status;
}

/* The language model inside of one that also sees or hears. */
static void
find_text(struct config *config)
{
    static const char *const keys[] = {"text_config", "llm_config", "language_config"};
    const json_t *root = config->document.root;

    config->text = root;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (json_is_object(json_object_get(root, keys[i])))
            config->text = json_object_get(root, keys[i]);
    if (json_is_object(json_object_get(root, "audio_config")))
        config_note(config, NOTE_AUDIO);
}

/* A model of its own name may be one that is known, as its class says. */
static const struct family *
family_of_architecture(const struct config *config)
{
    static const struct {
        const char *name, *model_type;
    } classes[] = {{"LlamaForCausalLM", "llama"},
                   {"MistralForCausalLM", "mistral"},
                   {"Qwen2ForCausalLM", "qwen2"},
                   {"Qwen3ForCausalLM", "qwen3"}};
    const char *name = json_string_value(json_array_get(config_find(config, "architectures"), 0));

    for (size_t i = 0; name && i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(classes[i].name, name) == 0)
            return family_of_type(classes[i].model_type);
    return NULL;
}

static int
find_family(struct config *config, const struct family **family)
{
    const char *own = json_string_value(json_object_get(config->text, "model_type"));
    const char *outer = json_string_value(json_object_get(config->document.root, "model_type"));

    config->llm->model_type = own ? own : outer;
    if (!config->llm->model_type)
        return json_error_at(&config->document, config->text, MEMMODEL_ERROR_PARSE,
                             "\"model_type\" is missing, such as \"llama\"; is this the config.json of a model?");
    *family = family_of_type(config->llm->model_type);
    if (!*family && outer)
        *family = family_of_type(outer);
    if (!*family)
        *family = family_of_architecture(config);
    return *family ? 0 : unknown_type(config, config->llm->model_type);
}

static int
read_dtype(struct config *config)
{
    const char *name;
    int status = config_text(config, "dtype", &name);

    config->llm->dtype = ELEMENT_BFLOAT16;
    if (status || !name || strcmp(name, "auto") == 0)
        return status;
    if (!element_of_name(name, &config->llm->dtype))
        return json_error_at(&config->document, config_find(config, "dtype"), MEMMODEL_ERROR_UNSUPPORTED,
                             "the type \"%.40s\" of elements is not known; there are float32, float16 and bfloat16",
                             name);
    return 0;
}

static int
read_all(struct config *config, const struct family *family)
{
    int status = read_sizes(config, family);

    if (!status)
        status = read_dtype(config);
    if (!status)
        status = read_heads(config, family);
    if (!status)
        status = read_intermediate(config, family);
    if (!status)
        status = mixers_read(config, family->pattern, family->period);
    if (!status)
        status = family_read_experts(config, family->traits & EXPERTS, family->traits & CORRECTION,
                                     family->traits & SHARED_GATE);
    if (!status)
        status = read_tensors(config, family);
    if (!status)
        status = read_rope(config, family);
    if (!status && family->extra)
        status = family->extra(config);
    if (!status)
        vision_read(config);
    return status ? status : packing_read(config);
}

int
family_read(struct config *config)
{
    memmodel_llm *llm = config->llm;
    const struct family *family;
    int status;

    if (!json_is_object(config->document.root))
        return json_error_at(&config->document, config->document.root, MEMMODEL_ERROR_PARSE,
                             "a config.json holds an object");
    find_text(config);
    status = find_family(config, &family);
    if (!status)
        status = read_all(config, family);
    if (status)
        return status;
    llm->model_type = arena_copy_text(&llm->arena, llm->model_type);
    return llm->model_type ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}
