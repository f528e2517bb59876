/*
 * How each layer mixes tokens: by `layer_types`, or by the pattern of its family (configuration_NAME.py of transformers,
 * and remote code of Nemotron's checkpoints).
 */
#include "serving/config.h"

#include <inttypes.h>
#include <string.h>

/* ---- by name ---- */

static const struct {
    const char *name;
    enum mixer mixer;
} mixer_names[] = {
    {"full_attention", MIXER_FULL},    {"attention", MIXER_FULL}, {"sliding_attention", MIXER_SLIDING},
    {"linear_attention", MIXER_DELTA}, {"mamba", MIXER_MAMBA},    {"mamba2", MIXER_MAMBA},
};

static int
read_type(const struct config *config, const json_t *value, enum mixer *mixer)
{
    const char *name = json_is_string(value) ? json_string_value(value) : "";

    for (size_t i = 0; i < sizeof mixer_names / sizeof mixer_names[0]; i++)
        if (strcmp(mixer_names[i].name, name) == 0) {
            *mixer = mixer_names[i].mixer;
            return 0;
        }
    return json_error_at(
        &config->document, value, MEMMODEL_ERROR_UNSUPPORTED,
        "\"layer_types\" has \"%.40s\"; known are full_attention, sliding_attention, linear_attention and "
        "mamba",
        name);
}

static int
read_types(const struct config *config, const json_t *types)
{
    memmodel_llm *llm = config->llm;
    int status = 0;

    if (!json_is_array(types) || json_array_size(types) != llm->layer_count)
        return json_error_at(&config->document, types, MEMMODEL_ERROR_PARSE,
                             "\"layer_types\" is not a list of %zu texts", llm->layer_count);
    for (size_t i = 0; !status && i < llm->layer_count; i++)
        status = read_type(config, json_array_get(types, i), &llm->layers[i].mixer);
    return status;
}

/* ---- by pattern ---- */

static void
set_all(memmodel_llm *llm, enum mixer mixer)
{
    for (size_t i = 0; i < llm->layer_count; i++)
        llm->layers[i].mixer = mixer;
}

/* Every `period`-th layer attends to all tokens, the others are of the kind `mixer`. */
static void
set_periodic(memmodel_llm *llm, enum mixer mixer, int64_t period)
{
    for (size_t i = 0; i < llm->layer_count; i++)
        llm->layers[i].mixer = ((int64_t)i + 1) % period ? mixer : MIXER_FULL;
}

static int
read_periodic(const struct config *config, const char *key, int64_t period, enum mixer mixer)
{
    int status = config_size(config, key, period, &period);

    if (!status)
        set_periodic(config->llm, mixer, period);
    return status;
}

static int
read_optional(const struct config *config)
{
    bool slides;
    int64_t first = 0;
    int status = config_flag(config, "use_sliding_window", false, &slides);

    if (!status)
        status = config_integer(config, "max_window_layers", 0, 0, CONFIG_MAX_SIZE, &first);
    for (size_t i = 0; !status && i < config->llm->layer_count; i++)
        config->llm->layers[i].mixer = slides && (int64_t)i >= first ? MIXER_SLIDING : MIXER_FULL;
    return status;
}

/* ---- Nemotron-H: a letter a layer ---- */

static int
set_letter(const struct config *config, struct llm_layer *layer, char letter)
{
    static const struct {
        char letter;
        enum mixer mixer;
        enum feed feed;
    } letters[] = {{'M', MIXER_MAMBA, FEED_NONE},
                   {'*', MIXER_FULL, FEED_NONE},
                   {'-', MIXER_NONE, FEED_DENSE},
                   {'E', MIXER_NONE, FEED_EXPERTS}};

    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (letters[i].letter == letter) {
            layer->mixer = letters[i].mixer;
            layer->feed = letters[i].feed;
            return 0;
        }
    return json_error_at(&config->document, config_find(config, "hybrid_override_pattern"), MEMMODEL_ERROR_PARSE,
                         "\"hybrid_override_pattern\" is made of M, *, - and E");
}

static int
read_letters(const struct config *config)
{
    memmodel_llm *llm = config->llm;
    const char *letters;
    int status = config_text(config, "hybrid_override_pattern", &letters);

    if (status)
        return status;
    if (!letters)
        return config_missing(config, "hybrid_override_pattern");
    if (strlen(letters) != llm->layer_count)
        return json_error_at(&config->document, config_find(config, "hybrid_override_pattern"), MEMMODEL_ERROR_PARSE,
                             "\"hybrid_override_pattern\" has %zu letters for %zu layers", strlen(letters),
                             llm->layer_count);
    for (size_t i = 0; !status && i < llm->layer_count; i++)
        status = set_letter(config, &llm->layers[i], letters[i]);
    return status;
}

/* ---- Nemotron of neural architecture search: a block a layer ---- */

static bool
is_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

/* Width of a block's feed-forward part: 2/3 of 4 times the hidden size, by a factor, in steps of 256. */
static int64_t
block_width(const memmodel_llm *llm, double factor)
{
    int64_t width = (int64_t)(2 * factor * (double)llm->hidden / 3);

    return (width + 255) / 256 * 256;
}

static int
read_block(const struct config *config, const json_t *block, struct llm_layer *layer)
{
    const json_t *attention = json_object_get(block, "attention"), *feed = json_object_get(block, "ffn");
    int64_t shared = json_integer_value(json_object_get(attention, "n_heads_in_group"));
    double factor = json_number_value(json_object_get(feed, "ffn_mult"));

    layer->mixer = MIXER_FULL;
    if (is_true(attention, "no_op") || is_true(attention, "replace_with_linear"))
        layer->mixer = MIXER_NONE;
    else if (shared < 1 || layer->heads % shared)
        return json_error_at(&config->document, block, MEMMODEL_ERROR_PARSE,
                             "\"n_heads_in_group\" of a block does not divide %" PRId64 " heads", layer->heads);
    else
        layer->kv_heads = layer->heads / shared;
    if (is_true(feed, "no_op") || is_true(feed, "replace_with_linear"))
        layer->feed = FEED_NONE;
    else if (!(factor > 0 && factor < 1024))
        return json_error_at(&config->document, block, MEMMODEL_ERROR_PARSE, "\"ffn_mult\" of a block is missing");
    else
        layer->intermediate = block_width(config->llm, factor);
    return 0;
}

static int
read_blocks(struct config *config)
{
    memmodel_llm *llm = config->llm;
    const json_t *blocks = config_find(config, "block_configs");
    int status = 0;

    if (!blocks)
        return config_missing(config, "block_configs");
    if (!json_is_array(blocks) || json_array_size(blocks) != llm->layer_count)
        return json_error_at(&config->document, blocks, MEMMODEL_ERROR_PARSE, "\"block_configs\" is not a list of %zu",
                             llm->layer_count);
    config_note(config, "linear layers in place of attention or of feed-forward parts");
    for (size_t i = 0; !status && i < llm->layer_count; i++)
        status = read_block(config, json_array_get(blocks, i), &llm->layers[i]);
    return status;
}

/* ---- all ---- */

static int
read_pattern(struct config *config, enum pattern pattern, int64_t period)
{
    memmodel_llm *llm = config->llm;

    switch (pattern) {
    case PATTERN_FULL:
        break;
    case PATTERN_WINDOW:
        set_all(llm, llm->window ? MIXER_SLIDING : MIXER_FULL);
        break;
    case PATTERN_OPTIONAL:
        return read_optional(config);
    case PATTERN_EVEN:
        for (size_t i = 0; i < llm->layer_count; i++)
            llm->layers[i].mixer = i % 2 ? MIXER_FULL : MIXER_SLIDING;
        break;
    case PATTERN_PERIODIC:
        return read_periodic(config, "sliding_window_pattern", period, MIXER_SLIDING);
    case PATTERN_LATENT:
        set_all(llm, MIXER_LATENT);
        break;
    case PATTERN_INTERVAL:
        return read_periodic(config, "full_attention_interval", period, MIXER_DELTA);
    case PATTERN_LETTERS:
        return read_letters(config);
    case PATTERN_BLOCKS:
        return read_blocks(config);
    }
    return 0;
}

/* A layer that slides needs a window. */
static int
check_window(const struct config *config)
{
    for (size_t i = 0; i < config->llm->layer_count; i++)
        if (config->llm->layers[i].mixer == MIXER_SLIDING && !config->llm->window)
            return config_missing(config, "sliding_window");
    return 0;
}

int
mixers_read(struct config *config, enum pattern pattern, int64_t period)
{
    const json_t *types = config_find(config, "layer_types");
    int status = config_integer(config, "sliding_window", 0, 0, INT64_C(1) << 31, &config->llm->window);

    set_all(config->llm, MIXER_FULL);
    if (status)
        return status;
    status = types && pattern != PATTERN_OPTIONAL ? read_types(config, types) : read_pattern(config, pattern, period);
    return status ? status : check_window(config);
}
