/* Members of a config.json. */
#include "serving/config.h"

#include <inttypes.h>
#include <string.h>

/* What the same thing is called by other families, in the order in which it is looked for. */
static const struct {
    const char *key, *other;
} aliases[] = {
    {"hidden_size", "n_embd"},
    {"num_hidden_layers", "n_layer"},
    {"num_hidden_layers", "num_layers"},
    {"num_attention_heads", "n_head"},
    {"intermediate_size", "n_inner"},
    {"intermediate_size", "ffn_hidden_size"},
    {"intermediate_size", "ffn_dim"},
    {"max_position_embeddings", "n_positions"},
    {"max_position_embeddings", "seq_length"},
    {"num_key_value_heads", "multi_query_group_num"},
    {"num_experts", "num_local_experts"},
    {"num_experts", "n_routed_experts"},
    {"num_experts_per_tok", "experts_per_token"},
    {"num_experts_per_tok", "top_k_experts"},
    {"head_dim", "attention_head_dim"},
    {"dtype", "torch_dtype"},
};

static const json_t *
member(const struct config *config, const char *key)
{
    const json_t *value = json_object_get(config->text, key);

    if (!value || json_is_null(value))
        value = json_object_get(config->document.root, key);
    return value && !json_is_null(value) ? value : NULL;
}

const json_t *
config_find(const struct config *config, const char *key)
{
    const json_t *value = member(config, key);

    for (size_t i = 0; !value && i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcmp(aliases[i].key, key) == 0)
            value = member(config, aliases[i].other);
    return value;
}

int
config_missing(const struct config *config, const char *key)
{
    return json_error_at(&config->document, config->text, MEMMODEL_ERROR_PARSE,
                         "\"%s\" is missing, which %s models need", key, config->llm->model_type);
}

/* The object that a value lies in, so that its line is found by the key that it has there. */
static int
wrong(const struct config *config, const json_t *value, const char *key, const char *expected)
{
    const json_t *object =
        member(config, key) == json_object_get(config->text, key) ? config->text : config->document.root;

    if (member(config, key) == value && value)
        return json_error_at_member(&config->document, object, key, MEMMODEL_ERROR_PARSE, "\"%s\" is not %s", key,
                                    expected);
    return json_error_at(&config->document, value, MEMMODEL_ERROR_PARSE, "\"%s\" is not %s", key, expected);
}

static int
out_of_range(const struct config *config, const json_t *value, const char *key, int64_t min, int64_t max)
{
    return json_error_at(&config->document, value, MEMMODEL_ERROR_PARSE,
                         "\"%s\" is %" PRId64 "; it is a whole number from %" PRId64 " to %" PRId64, key,
                         (int64_t)json_integer_value(value), min, max);
}

int
config_integer(const struct config *config, const char *key, int64_t otherwise, int64_t min, int64_t max, int64_t *out)
{
    const json_t *value = config_find(config, key);

    if (!value) {
        *out = otherwise;
        return otherwise < 0 ? config_missing(config, key) : 0;
    }
    if (!json_is_integer(value))
        return wrong(config, value, key, "a whole number");
    if (json_integer_value(value) < min || json_integer_value(value) > max)
        return out_of_range(config, value, key, min, max);
    *out = json_integer_value(value);
    return 0;
}

int
config_size(const struct config *config, const char *key, int64_t otherwise, int64_t *out)
{
    return config_integer(config, key, otherwise, 1, CONFIG_MAX_SIZE, out);
}

int
config_number(const struct config *config, const char *key, double otherwise, double *out)
{
    const json_t *value = config_find(config, key);

    *out = otherwise;
    if (!value)
        return 0;
    if (!json_is_number(value))
        return wrong(config, value, key, "a number");
    *out = json_number_value(value);
    return 0;
}

int
config_flag(const struct config *config, const char *key, bool otherwise, bool *out)
{
    const json_t *value = config_find(config, key);

    *out = otherwise;
    if (!value)
        return 0;
    if (!json_is_boolean(value))
        return wrong(config, value, key, "true or false");
    *out = json_is_true(value);
    return 0;
}

int
config_text(const struct config *config, const char *key, const char **out)
{
    const json_t *value = config_find(config, key);

    *out = NULL;
    if (!value)
        return 0;
    if (!json_is_string(value))
        return wrong(config, value, key, "a text");
    *out = json_string_value(value);
    return 0;
}

int
config_object(const struct config *config, const char *key, const json_t **out)
{
    const json_t *value = config_find(config, key);

    *out = NULL;
    if (!value)
        return 0;
    if (!json_is_object(value))
        return wrong(config, value, key, "an object");
    *out = value;
    return 0;
}

void
config_note(struct config *config, const char *what)
{
    memmodel_llm *llm = config->llm;

    for (size_t i = 0; i < llm->note_count; i++)
        if (strcmp(llm->notes[i], what) == 0)
            return;
    if (llm->note_count < LLM_MAX_NOTES)
        llm->notes[llm->note_count++] = what;
}
