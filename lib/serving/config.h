/* A config.json while it is read: its members, by the names that families of models give them. */
#ifndef SERVING_CONFIG_H
#define SERVING_CONFIG_H

#include "base/json.h"
#include "serving/llm.h"

/* More than any model has, so that sizes and their products stay small enough to be checked late. */
#define CONFIG_MAX_SIZE (INT64_C(1) << 24)
enum { CONFIG_MAX_LAYERS = 4096 };

struct config {
    struct json_document document;
    const json_t *text; /* the language model's object: the root, or a member of it */
    memmodel_llm *llm;
};

/* The member of that name, or of another that means the same; of the language model's object, or else of the root.
 * NULL: none, or null. */
const json_t *
config_find(const struct config *config, const char *key);

/* 0, or MEMMODEL_ERROR_PARSE with the key and its line. A missing member is `otherwise`, which is below 0 where it has to be
 * there. */
int
config_integer(const struct config *config, const char *key, int64_t otherwise, int64_t min, int64_t max, int64_t *out);

/* The same of a size: from 1 to CONFIG_MAX_SIZE. */
int
config_size(const struct config *config, const char *key, int64_t otherwise, int64_t *out);

int
config_number(const struct config *config, const char *key, double otherwise, double *out);

int
config_flag(const struct config *config, const char *key, bool otherwise, bool *out);

/* NULL where there is none. */
int
config_text(const struct config *config, const char *key, const char **out);

int
config_object(const struct config *config, const char *key, const json_t **out);

/* "needs \"key\"" and what it is for. */
int
config_missing(const struct config *config, const char *key);

/* Says that the model has something that is not counted; `what` is a static text. */
void
config_note(struct config *config, const char *what);

/* ---- family.c ---- */

/* Fills in the model by the rules of its `model_type`. */
int
family_read(struct config *config);

/* ---- vision.c ---- */

/* The tower of a model that sees, once the language model's size is known. */
void
vision_read(struct config *config);

/* ---- mixers.c ---- */

/* How the layers of a family mix tokens where `layer_types` does not say. */
enum pattern {
    PATTERN_FULL,
    PATTERN_WINDOW,   /* all slide if there is a window */
    PATTERN_OPTIONAL, /* the same, where use_sliding_window says so */
    PATTERN_EVEN,     /* even layers slide */
    PATTERN_PERIODIC, /* all but the last of each sliding_window_pattern */
    PATTERN_LATENT,
    PATTERN_INTERVAL, /* all but the last of each full_attention_interval are recurrent */
    PATTERN_LETTERS,  /* hybrid_override_pattern: M, *, - and E */
    PATTERN_BLOCKS,   /* block_configs: some layers have no attention */
};

int
mixers_read(struct config *config, enum pattern pattern, int64_t period);

/* ---- packing.c ---- */

/* quantization_config and what it leaves as it is. */
int
packing_read(struct config *config);

#endif
