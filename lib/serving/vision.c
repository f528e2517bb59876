/*
 * Towers of models that see: blocks of a vision transformer and what leads from them to the language model. Sources:
 * vllm/model_executor/models/qwen2_vl.py, qwen2_5_vl.py, qwen3_vl.py, siglip.py, clip.py, pixtral.py, dots_ocr.py, and
 * mistral3.py, gemma3_mm.py, llava.py for projectors.
 */
#include "serving/config.h"

#include <string.h>

/* How a family's tower is built where its configuration does not say. */
struct tower {
    const char *model_type; /* of the vision_config, or of the model where that has none */
    const char *depth, *hidden;
    int64_t frames;     /* of a patch */
    bool gated;         /* gate, up and down */
    bool bias;          /* of linear layers */
    bool has_positions; /* learned, one for each patch of an image */
    int64_t dropped;    /* blocks whose output nobody reads */
    enum projector projector;
};

static const struct tower towers[] = {
    {"qwen2_5_vl", "depth", "hidden_size", 2, true, true, false, 0, PROJECTOR_MERGER},
    {"qwen2_vl", "depth", "embed_dim", 2, false, true, false, 0, PROJECTOR_MERGER},
    {"qwen3_vl", "depth", "hidden_size", 2, false, true, true, 0, PROJECTOR_MERGER},
    {"qwen3_vl_moe", "depth", "hidden_size", 2, false, true, true, 0, PROJECTOR_MERGER},
    {"qwen3_5", "depth", "hidden_size", 2, false, true, true, 0, PROJECTOR_MERGER},
    {"qwen3_5_moe", "depth", "hidden_size", 2, false, true, true, 0, PROJECTOR_MERGER},
    {"dots_ocr", "num_hidden_layers", "embed_dim", 1, true, false, false, 0, PROJECTOR_MERGER},
    {"siglip_vision_model", "num_hidden_layers", "hidden_size", 1, false, true, true, 0, PROJECTOR_LINEAR},
    {"clip_vision_model", "num_hidden_layers", "hidden_size", 1, false, true, true, 1, PROJECTOR_MLP},
    {"pixtral", "num_hidden_layers", "hidden_size", 1, true, false, false, 0, PROJECTOR_PATCHES},
};

static const struct tower *
tower_of_type(const char *model_type)
{
    for (size_t i = 0; model_type && i < sizeof towers / sizeof towers[0]; i++)
        if (strcmp(towers[i].model_type, model_type) == 0)
            return &towers[i];
    return NULL;
}

/* The type that the tower itself has comes first. */
static const struct tower *
find_tower(const struct config *config, const json_t *vision)
{
    const struct tower *tower = tower_of_type(json_string_value(json_object_get(vision, "model_type")));

    return tower ? tower : tower_of_type(json_string_value(json_object_get(config->document.root, "model_type")));
}

/* A size of the tower; `otherwise` where it has none of that key, and 0 where it is no size. */
static int64_t
size_of(const json_t *vision, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(vision, key);
    int64_t size = json_is_integer(value) ? (int64_t)json_integer_value(value) : value ? 0 : otherwise;

    return size >= 0 && size <= CONFIG_MAX_SIZE ? size : 0;
}

/* Elements of a patch, 0 of one that no image has. */
static int64_t
patch_elements(int64_t side, int64_t frames)
{
    enum { CHANNELS = 3, MAX_SIDE = 4096, MAX_FRAMES = 64 };

    return side <= MAX_SIDE && frames <= MAX_FRAMES ? CHANNELS * side * side * frames : 0;
}

static int64_t
positions_of(const json_t *vision, int64_t patch)
{
    int64_t side = patch ? size_of(vision, "image_size", 0) / patch : 0;

    return size_of(vision, "num_position_embeddings", side <= 4096 ? side * side : 0);
}

static void
read_tower(const struct tower *tower, const json_t *vision, const memmodel_llm *llm, struct llm_vision *own)
{
    int64_t patch = size_of(vision, "patch_size", 14), merge = size_of(vision, "spatial_merge_size", 2);
    int64_t depth = size_of(vision, tower->depth, 0);

    *own = (struct llm_vision){
        .depth = depth > tower->dropped ? depth - tower->dropped : 0,
        .hidden = size_of(vision, tower->hidden, 0),
        .patch = patch_elements(patch, size_of(vision, "temporal_patch_size", tower->frames)),
        .positions = tower->has_positions ? positions_of(vision, patch) : 0,
        .merge = merge * merge,
        .mergers = 1 + (int64_t)json_array_size(json_object_get(vision, "deepstack_visual_indexes")),
        .gated = tower->gated,
        .bias = tower->bias,
        .projector = tower->projector,
    };
    own->intermediate = size_of(vision, "intermediate_size", 4 * own->hidden);
    own->output = size_of(vision, "out_hidden_size", llm->hidden);
}

/* A tower that is not described has no depth: it stays a note. */
void
vision_read(struct config *config)
{
    const json_t *vision = json_object_get(config->document.root, "vision_config");
    struct llm_vision *own = &config->llm->vision;
    const struct tower *tower;

    if (!json_is_object(vision))
        return;
    tower = find_tower(config, vision);
    if (tower)
        read_tower(tower, vision, config->llm, own);
    if (!own->hidden || !own->intermediate || !own->patch || !own->merge || own->depth > CONFIG_MAX_LAYERS ||
        own->mergers > CONFIG_MAX_LAYERS || own->patch > CONFIG_MAX_SIZE || own->merge > 4096)
        own->depth = 0;
    config_note(config, own->depth ? NOTE_IMAGES : NOTE_VISION);
}
