/*
 * What some families have besides: latent attention, recurrent layers, layers that share keys, experts. Sources:
 * transformers/models/NAME/configuration_NAME.py.
 */
#include "serving/family.h"

#include <string.h>

int
family_read_latent(struct config *config)
{
    struct llm_latent *latent = &config->llm->latent;
    int status = config_integer(config, "q_lora_rank", 0, 0, CONFIG_MAX_SIZE, &latent->query_rank);

    if (!status)
        status = config_size(config, "kv_lora_rank", -1, &latent->kv_rank);
    if (!status)
        status = config_size(config, "qk_rope_head_dim", -1, &latent->rotary);
    if (!status)
        status = config_size(config, "qk_nope_head_dim", -1, &latent->plain);
    if (!status)
        status = config_size(config, "v_head_dim", -1, &latent->value);
    if (!status)
        status = config_integer(config, "index_n_heads", 0, 0, CONFIG_MAX_SIZE, &latent->index_heads);
    if (!status && latent->index_heads)
        status = config_size(config, "index_head_dim", -1, &latent->index_size);
    for (size_t i = 0; !status && i < config->llm->layer_count; i++)
        config->llm->layers[i].head_size = latent->kv_rank + latent->rotary;
    config->llm->tensors.rotary_size = latent->rotary;
    return status;
}

/* State of recurrent layers is in float32 unless the key says otherwise. */
static int
read_state_type(const struct config *config, const char *key)
{
    enum element element = ELEMENT_FLOAT32;
    const char *name;
    int status = config_text(config, key, &name);

    if (!status && name && !element_of_name(name, &element))
        return json_error_at(&config->document, config_find(config, key), MEMMODEL_ERROR_UNSUPPORTED,
                             "\"%s\" is \"%.40s\"; known are float32, float16 and bfloat16", key, name);
    config->llm->recurrent.float32_state = element == ELEMENT_FLOAT32;
    return status;
}

static int
too_large(const struct config *config)
{
    return json_error_at(&config->document, config->text, MEMMODEL_ERROR_PARSE,
                         "the state of a recurrent layer has more than %lld elements",
                         (long long)(16 * CONFIG_MAX_SIZE));
}

int
family_read_delta(struct config *config)
{
    struct llm_recurrent *recurrent = &config->llm->recurrent;
    int status = config_size(config, "linear_num_key_heads", -1, &recurrent->key_heads);

    if (!status)
        status = config_size(config, "linear_num_value_heads", -1, &recurrent->value_heads);
    if (!status)
        status = config_size(config, "linear_key_head_dim", -1, &recurrent->key_size);
    if (!status)
        status = config_size(config, "linear_value_head_dim", -1, &recurrent->value_size);
    if (!status)
        status = config_size(config, "linear_conv_kernel_dim", 4, &recurrent->kernel);
    if (!status && recurrent->value_heads * recurrent->key_size > 16 * CONFIG_MAX_SIZE / recurrent->value_size)
        return too_large(config);
    return status ? status : read_state_type(config, "mamba_ssm_dtype");
}

int
family_read_mamba(struct config *config)
{
    struct llm_recurrent *recurrent = &config->llm->recurrent;
    int status = config_size(config, "mamba_num_heads", -1, &recurrent->heads);

    if (!status)
        status = config_size(config, "mamba_head_dim", -1, &recurrent->head_size);
    if (!status)
        status = config_size(config, "ssm_state_size", -1, &recurrent->state);
    if (!status)
        status = config_size(config, "n_groups", 8, &recurrent->groups);
    if (!status)
        status = config_size(config, "conv_kernel", 4, &recurrent->kernel);
    if (!status && recurrent->heads * recurrent->head_size > 16 * CONFIG_MAX_SIZE / recurrent->state)
        return too_large(config);
    return status ? status : read_state_type(config, "mamba_ssm_cache_dtype");
}

/* The last layers read keys and values of earlier ones. */
static int
read_sharing(struct config *config)
{
    memmodel_llm *llm = config->llm;
    int64_t shared;
    int status = config_integer(config, "num_kv_shared_layers", 0, 0, (int64_t)llm->layer_count, &shared);

    for (size_t i = llm->layer_count - (size_t)(status ? 0 : shared); !status && i < llm->layer_count; i++)
        llm->layers[i].shares_cache = true;
    return status;
}

enum { MAX_STREAMS = 64 };

int
family_read_gemma3n(struct config *config)
{
    struct llm_tensors *tensors = &config->llm->tensors;
    int status = read_sharing(config);

    if (!status)
        status = config_integer(config, "vocab_size_per_layer_input", 262144, 0, CONFIG_MAX_SIZE,
                                &tensors->per_layer_vocabulary);
    if (!status)
        status =
            config_integer(config, "hidden_size_per_layer_input", 256, 0, CONFIG_MAX_SIZE, &tensors->per_layer_size);
    if (!status)
        status = config_integer(config, "altup_num_inputs", 4, 1, MAX_STREAMS, &tensors->streams);
    if (!status)
        status = config_integer(config, "laurel_rank", 64, 0, CONFIG_MAX_SIZE, &tensors->laurel_rank);
    tensors->norm_count += tensors->per_layer_size > 0; /* post_per_layer_input_norm */
    return status;
}

/* Feed-forward parts of layers that share keys and values may be twice as wide. */
static void
widen_shared(struct config *config)
{
    memmodel_llm *llm = config->llm;
    const json_t *given = config_find(config, "use_double_wide_mlp");

    for (size_t i = 0; json_is_true(given) && i < llm->layer_count; i++)
        if (llm->layers[i].shares_cache)
            llm->layers[i].intermediate *= 2;
}

/*
 * Each layer has a dense part beside its experts, three norms more, and in its router a number for each element and each
 * expert. Source: vllm/model_executor/models/gemma4.py, Gemma4DecoderLayer, Gemma4Router.
 */
static int
read_gemma4_experts(struct config *config)
{
    enum { NORMS = 3, ROUTER_SCALE = 1 };
    struct llm_experts *experts = &config->llm->experts;

    if (!experts->count)
        return 0;
    experts->shared = config->llm->layers[0].intermediate;
    experts->has_correction = true;
    config->llm->tensors.norm_count += NORMS + ROUTER_SCALE;
    return config_size(config, "top_k_experts", 1, &experts->chosen);
}

/* Layers that attend to all tokens have heads of their own size and number (Gemma 4). */
int
family_read_gemma4(struct config *config)
{
    memmodel_llm *llm = config->llm;
    int64_t size, count;
    int status = read_sharing(config);

    if (!status)
        status = config_size(config, "global_head_dim", 512, &size);
    if (!status)
        status = config_integer(config, "num_global_key_value_heads", 0, 0, CONFIG_MAX_SIZE, &count);
    for (size_t i = 0; !status && i < llm->layer_count; i++)
        if (llm->layers[i].mixer == MIXER_FULL) {
            llm->layers[i].head_size = size;
            llm->layers[i].kv_heads = count ? count : llm->layers[i].kv_heads;
        }
    if (!status && llm->layers[0].heads * size > 16 * CONFIG_MAX_SIZE)
        return json_error_at(&config->document, config->text, MEMMODEL_ERROR_PARSE, "\"global_head_dim\" is too large");
    if (!status)
        status = config_integer(config, "vocab_size_per_layer_input", 262144, 0, CONFIG_MAX_SIZE,
                                &llm->tensors.per_layer_vocabulary);
    if (!status)
        status =
            config_integer(config, "hidden_size_per_layer_input", 0, 0, CONFIG_MAX_SIZE, &llm->tensors.per_layer_size);
    if (status)
        return status;
    llm->tensors.norm_count += llm->tensors.per_layer_size > 0; /* post_per_layer_input_norm */
    llm->tensors.full_rotary_size = size;                       /* "proportional": all of a head is in the table */
    widen_shared(config);
    return read_gemma4_experts(config);
}

int
family_read_gpt_oss(struct config *config)
{
    struct llm_tensors *tensors = &config->llm->tensors;

    tensors->sinks = tensors->expert_bias = tensors->router_bias = true;
    return 0;
}

int
family_read_phi3(struct config *config)
{
    const json_t *scaling;
    int64_t original;
    int status = config_object(config, "rope_scaling", &scaling);

    if (!status)
        status = config_integer(config, "original_max_position_embeddings", 0, 0, CONFIG_MAX_SIZE, &original);
    if (!status && scaling)
        config->llm->tensors.rope_length += original; /* a table for short texts and one for long ones */
    return status;
}

/* ---- experts ---- */

static bool
array_has(const json_t *array, size_t number)
{
    size_t index;
    json_t *item;

    json_array_foreach (array, index, item)
        if (json_is_integer(item) && json_integer_value(item) == (json_int_t)number)
            return true;
    return false;
}

/* Which layers have experts: all but the first ones, those that are named, and those between two of `step`. */
static int
place_experts(struct config *config)
{
    memmodel_llm *llm = config->llm;
    const json_t *dense = config_find(config, "mlp_only_layers");
    int64_t first, step;
    int status = config_integer(config, "first_k_dense_replace", 0, 0, CONFIG_MAX_SIZE, &first);

    if (!status)
        status = config_size(config, "decoder_sparse_step", 1, &step);
    for (size_t i = 0; !status && i < llm->layer_count; i++)
        if ((int64_t)i >= first && ((int64_t)i + 1) % step == 0 && !array_has(dense, i) &&
            llm->layers[i].feed == FEED_DENSE)
            llm->layers[i].feed = FEED_EXPERTS;
    return status;
}

static int
read_shared(struct config *config)
{
    struct llm_experts *experts = &config->llm->experts;
    int64_t count;
    int status = config_integer(config, "shared_expert_intermediate_size", 0, 0, CONFIG_MAX_SIZE, &experts->shared);

    if (!status && !experts->shared)
        status = config_integer(config, "moe_shared_expert_intermediate_size", 0, 0, CONFIG_MAX_SIZE, &experts->shared);
    if (!status)
        status = config_integer(config, "n_shared_experts", 0, 0, 1024, &count);
    if (!status && !experts->shared)
        experts->shared = count * experts->intermediate;
    return status;
}

int
family_read_experts(struct config *config, bool required, bool has_correction, bool has_shared_gate)
{
    memmodel_llm *llm = config->llm;
    struct llm_experts *experts = &llm->experts;
    int status = config_integer(config, "num_experts", required ? -1 : 0, 0, 65536, &experts->count);

    if (status || !experts->count)
        return status;
    status = config_size(config, "num_experts_per_tok", 1, &experts->chosen);
    if (!status)
        status = config_size(config, "moe_intermediate_size", llm->layers[0].intermediate, &experts->intermediate);
    if (!status)
        status = read_shared(config);
    experts->casts_weights = strcmp(llm->model_type, "mixtral") != 0;
    if (!status)
        status = config_flag(config, "norm_topk_prob", !experts->casts_weights, &experts->normalized);
    experts->has_correction = has_correction;
    experts->has_shared_gate = has_shared_gate && experts->shared;
    return status ? status : place_experts(config);
}
