/* A language model from the inside: what its configuration says of each layer. */
#ifndef SERVING_LLM_H
#define SERVING_LLM_H

#include "base/arena.h"
#include "base/context.h"
#include "memmodel/llm.h"
#include "serving/quantization.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What mixes tokens in a layer. */
enum mixer {
    MIXER_NONE,
    MIXER_FULL,    /* attention to all tokens */
    MIXER_SLIDING, /* attention to a window of tokens */
    MIXER_LATENT,  /* attention whose keys and values are kept as one latent vector a token */
    MIXER_DELTA,   /* gated delta rule: a state of constant size */
    MIXER_MAMBA,   /* Mamba 2: the same */
};

/* What a layer does with each token by itself. */
enum feed { FEED_NONE, FEED_DENSE, FEED_EXPERTS };

struct llm_layer {
    enum mixer mixer;
    enum feed feed;
    int64_t heads;        /* of queries */
    int64_t kv_heads;     /* of attention */
    int64_t head_size;    /* the same; of latent attention its latent vector with the rotary part */
    int64_t intermediate; /* of FEED_DENSE */
    bool shares_cache;    /* reads the keys and values of an earlier layer */
};

/* Whether a layer has keys and values of its own. */
static inline bool
layer_has_cache(const struct llm_layer *layer)
{
    return !layer->shares_cache &&
           (layer->mixer == MIXER_FULL || layer->mixer == MIXER_SLIDING || layer->mixer == MIXER_LATENT);
}

static inline bool
layer_is_recurrent(const struct llm_layer *layer)
{
    return layer->mixer == MIXER_DELTA || layer->mixer == MIXER_MAMBA;
}

/* Of latent attention (DeepSeek V2 and later). */
struct llm_latent {
    int64_t query_rank; /* 0: queries are not compressed */
    int64_t kv_rank;
    int64_t rotary, plain, value;    /* sizes of a head: with rotation, without, of values */
    int64_t index_heads, index_size; /* of the indexer of sparse attention; 0: none */
};

/* Of recurrent layers. */
struct llm_recurrent {
    int64_t key_heads, value_heads, key_size, value_size; /* gated delta rule */
    int64_t heads, head_size, state, groups;              /* Mamba 2 */
    int64_t kernel;                                       /* of the convolution */
    bool float32_state;
};

struct llm_experts {
    int64_t count;        /* that are routed to; 0: none */
    int64_t chosen;       /* for each token */
    int64_t intermediate; /* of each */
    int64_t shared;       /* of the experts that all tokens pass, together; 0: none */
    bool has_correction;  /* a number for each expert in float32 */
    bool has_shared_gate;
    bool normalized;    /* weights of those that are chosen are divided by their sum */
    bool casts_weights; /* to the model's type, as Qwen's routers do and Mixtral's does not */
};

/* What differs in the tensors of layers that are otherwise alike. */
struct llm_tensors {
    bool tied;    /* the head is the embedding */
    bool no_head; /* a model that embeds, and has no head */
    bool qkv_bias, output_bias, mlp_bias, norm_bias, expert_bias, router_bias;
    bool plain_mlp;      /* one projection up, not a gate and one */
    bool gated_query;    /* queries come with a gate of the same size */
    bool sinks;          /* a number for each head */
    int32_t query_norm;  /* 0: none, 1: one for all heads, 2: of all heads side by side */
    int32_t norm_count;  /* of a layer, each of `hidden` elements */
    int32_t ropes;       /* tables of sines that differ */
    int64_t positions;   /* learned embeddings of positions; 0: none */
    int64_t rotary_size; /* of a head; 0: no rotation */
    int64_t rope_length; /* positions in the table */
    bool rope_float32;
    int64_t per_layer_vocabulary, per_layer_size; /* an embedding for each layer (Gemma 3n); 0: none */
    int64_t full_rotary_size; /* of heads of layers that attend to all tokens, where theirs differ (Gemma 4); else 0 */
    int64_t streams;          /* of hidden states side by side (AltUp of Gemma 3n); 0: one */
    int64_t laurel_rank;      /* of the residual's own projections (LAuReL of Gemma 3n); 0: none */
};

/* What leads from a tower to the language model. */
enum projector {
    PROJECTOR_MERGER,  /* of neighbouring patches, two linear layers */
    PROJECTOR_LINEAR,  /* one matrix and a norm (Gemma 3) */
    PROJECTOR_MLP,     /* two linear layers (LLaVA) */
    PROJECTOR_PATCHES, /* a merger and two linear layers (Mistral 3) */
};

/* What is named of towers. */
#define NOTE_VISION "vision tower"
#define NOTE_IMAGES "encoding of images"
#define NOTE_AUDIO "audio tower"

/* The tower of a model that sees. */
struct llm_vision {
    int64_t depth; /* blocks; 0: none, or not described */
    int64_t hidden, intermediate;
    int64_t patch;     /* elements of one */
    int64_t positions; /* learned embeddings of them */
    int64_t merge;     /* patches that become one token */
    int64_t mergers;
    int64_t output; /* elements of a token */
    bool gated, bias;
    enum projector projector;
};

enum { LLM_MAX_NOTES = 16 };

struct memmodel_llm {
    memmodel_context *context;
    atomic_int references;
    struct arena arena;
    const char *model_type;
    enum element dtype;
    int64_t hidden, vocabulary, positions, window;
    int64_t max_length; /* tokens of a request, as engines derive it */
    struct llm_layer *layers;
    size_t layer_count;
    struct llm_latent latent;
    struct llm_recurrent recurrent;
    struct llm_experts experts;
    struct llm_tensors tensors;
    struct llm_vision vision;
    struct quantization quantization;
    bool cache_is_fp8; /* the checkpoint says so */
    int64_t parameter_count;
    const char *notes[LLM_MAX_NOTES]; /* what it has and the numbers do not count */
    size_t note_count;
};

#endif
