/*
 * Weights of one GPU, tensor by tensor, in the order in which vLLM's models make them: vllm/model_executor/models/llama.py,
 * qwen2_moe.py, deepseek_v2.py, qwen3_next.py, nemotron_h.py, and layers/linear.py, vocab_parallel_embedding.py for what
 * tensor parallelism cuts. Sums of blocks are those of PyTorch's caching allocator, which vLLM logs as "Model loading took".
 */
#include "serving/weights.h"

#include "allocators/allocator.h"
#include "base/checked.h"

#include <inttypes.h>

enum { VOCABULARY_PADDING = 64 }; /* vocab_parallel_embedding.py: DEFAULT_VOCAB_PADDING_SIZE */
enum { HIDDEN_PADDING = 256 };    /* mxfp4.py: of experts in MXFP4, for the kernels that unpack them */

static const int64_t MAX_BYTES = INT64_C(1) << 58; /* of all: the allocator's rounding of them fits */

struct weights {
    memmodel_context *context;
    const memmodel_llm *llm;
    const struct place *place;
    const struct weights_options *options;
    const struct allocator *allocator;
    void *memory; /* the allocator's */
    int64_t bytes, elements;
    int status;
};

/* ---- tensors ---- */

static void
fail(struct weights *weights, int status)
{
    if (!weights->status)
        weights->status = status;
}

static void
overflow(struct weights *weights)
{
    fail(weights, context_error(weights->context, MEMMODEL_ERROR_OVERFLOW, weights->llm->model_type,
                                "the weights do not fit in 64 bits"));
}

static void
add_bytes(struct weights *weights, int64_t bytes)
{
    void *block;
    int status;

    if (weights->status || bytes <= 0)
        return;
    if (bytes > MAX_BYTES - weights->bytes) {
        overflow(weights);
        return;
    }
    weights->bytes += bytes;
    status = context_check(weights->context, 1);
    fail(weights, status ? status : weights->allocator->allocate(weights->memory, bytes, 0, 0, &block));
}

/* A tensor of numbers as they are. */
static void
add_plain(struct weights *weights, int64_t rows, int64_t columns)
{
    static const struct quantization none = {.packing = PACKING_NONE};
    struct packed packed;

    if (weights->status)
        return;
    if (!quantization_bytes(&none, weights->options->element, 1, rows, columns, &packed) ||
        !checked_accumulate(&weights->elements, rows * columns)) {
        overflow(weights);
        return;
    }
    add_bytes(weights, packed.weight);
}

/* What is kept beside the parameters, and is none. */
static void
add_buffer(struct weights *weights, int64_t rows, int64_t columns)
{
    int64_t elements = weights->elements;

    add_plain(weights, rows, columns);
    weights->elements = elements;
}

static const struct quantization *
quantization_of(const struct weights *weights, enum part part)
{
    static const struct quantization none = {.packing = PACKING_NONE};
    const struct quantization *own = weights->options->quantization;

    if (own->keeps[part] || (own->packing == PACKING_MXFP4 && part != PART_EXPERTS))
        return &none;
    return own;
}

/* `count` matrices in one tensor, packed. */
static void
add_matrices(struct weights *weights, enum part part, int64_t count, int64_t rows, int64_t columns)
{
    struct packed packed;

    if (weights->status)
        return;
    if (!quantization_bytes(quantization_of(weights, part), weights->options->element, count, rows, columns, &packed) ||
        !checked_accumulate(&weights->elements, count * rows * columns)) {
        overflow(weights);
        return;
    }
    add_bytes(weights, packed.weight);
    add_bytes(weights, packed.scales);
    add_bytes(weights, packed.zeros);
    add_bytes(weights, packed.order);
}

static void
add_linear(struct weights *weights, enum part part, int64_t rows, int64_t columns, bool bias)
{
    add_matrices(weights, part, 1, rows, columns);
    if (bias)
        add_plain(weights, 1, rows);
}

/* What one GPU has of `count` things that are cut into `parts`. */
static int64_t
share_of(struct weights *weights, int64_t count, int64_t parts, const char *what)
{
    if (count % parts)
        fail(weights, context_error(weights->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh",
                                    "tp=%" PRId64 " does not divide %" PRId64 " %s", parts, count, what));
    return count / parts;
}

/* The same by tensor parallelism. */
static int64_t
share(struct weights *weights, int64_t count, const char *what)
{
    return share_of(weights, count, weights->place->tensor, what);
}

static void
add_norms(struct weights *weights, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        add_plain(weights, 1, weights->llm->hidden);
        if (weights->llm->tensors.norm_bias)
            add_plain(weights, 1, weights->llm->hidden);
    }
}

/* ---- attention ---- */

/* Tables of sines and cosines, made with the first attention that rotates: those of layers that slide are not scaled. */
static void
add_ropes(struct weights *weights)
{
    const struct llm_tensors *tensors = &weights->llm->tensors;
    int64_t scale = tensors->rope_float32 ? 4 / element_bytes(weights->options->element) : 1;
    bool slides = weights->llm->window > 0;

    if (!weights->options->rounds)
        return; /* of engines that compute them as they go */
    for (int32_t i = 0; i < tensors->ropes && tensors->rotary_size > 0; i++)
        add_buffer(weights, (i && slides ? weights->llm->positions : tensors->rope_length) * scale,
                   i == 0 && tensors->full_rotary_size ? tensors->full_rotary_size : tensors->rotary_size);
}

/* Norms of queries and keys. */
static void
add_query_norms(struct weights *weights, const struct llm_layer *layer, int64_t heads, int64_t kv_heads)
{
    int32_t kind = weights->llm->tensors.query_norm;

    if (!kind)
        return;
    add_plain(weights, 1, kind == 2 ? heads * layer->head_size : layer->head_size);
    if (kv_heads)
        add_plain(weights, 1, kind == 2 ? kv_heads * layer->head_size : layer->head_size);
}

static void
add_attention(struct weights *weights, const struct llm_layer *layer)
{
    const struct llm_tensors *tensors = &weights->llm->tensors;
    int64_t hidden = weights->llm->hidden, heads = share(weights, layer->heads, "attention heads");
    int64_t kv_heads = max_i64(1, layer->kv_heads / weights->place->tensor);
    int64_t queries = heads * (tensors->gated_query ? 2 : 1);

    if (layer->shares_cache && weights->options->shares)
        kv_heads = 0;
    add_linear(weights, PART_ATTENTION, (queries + 2 * kv_heads) * layer->head_size, hidden, tensors->qkv_bias);
    add_linear(weights, PART_ATTENTION, hidden, heads * layer->head_size, tensors->output_bias);
    if (tensors->sinks)
        add_plain(weights, 1, heads);
    add_query_norms(weights, layer, heads, kv_heads);
}

/* The indexer of sparse attention, whole on each GPU (DeepSeek V3.2). */
static void
add_indexer(struct weights *weights)
{
    const struct llm_latent *latent = &weights->llm->latent;

    if (!latent->index_heads)
        return;
    add_linear(weights, PART_ATTENTION, latent->index_heads * latent->index_size, latent->query_rank, false);
    add_linear(weights, PART_ATTENTION, latent->index_size, weights->llm->hidden, false);
    add_plain(weights, latent->index_heads, weights->llm->hidden);
    add_plain(weights, 2, latent->index_size);
}

static void
add_latent_queries(struct weights *weights, int64_t rows)
{
    const struct llm_latent *latent = &weights->llm->latent;
    int64_t hidden = weights->llm->hidden, latent_rows = latent->kv_rank + latent->rotary;

    if (latent->query_rank) {
        add_linear(weights, PART_ATTENTION, latent->query_rank + latent_rows, hidden, false);
        add_plain(weights, 1, latent->query_rank);
        add_linear(weights, PART_ATTENTION, rows, latent->query_rank, false);
    } else {
        add_linear(weights, PART_ATTENTION, rows, hidden, false);
        add_linear(weights, PART_ATTENTION, latent_rows, hidden, false);
    }
}

static void
add_latent(struct weights *weights, const struct llm_layer *layer)
{
    const struct llm_latent *latent = &weights->llm->latent;
    int64_t heads = share(weights, layer->heads, "attention heads");

    add_latent_queries(weights, heads * (latent->plain + latent->rotary));
    add_plain(weights, 1, latent->kv_rank);
    add_linear(weights, PART_ATTENTION, heads * (latent->plain + latent->value), latent->kv_rank, false);
    add_linear(weights, PART_ATTENTION, weights->llm->hidden, heads * latent->value, false);
    add_indexer(weights);
    if (weights->options->absorbs) {
        add_buffer(weights, heads * latent->plain, latent->kv_rank);
        add_buffer(weights, heads * latent->value, latent->kv_rank);
    }
}

/* ---- recurrent layers ---- */

static void
add_delta(struct weights *weights)
{
    const struct llm_recurrent *recurrent = &weights->llm->recurrent;
    int64_t keys = share(weights, recurrent->key_heads, "heads of linear attention") * recurrent->key_size;
    int64_t heads = share(weights, recurrent->value_heads, "heads of linear attention");
    int64_t values = heads * recurrent->value_size, hidden = weights->llm->hidden;

    add_linear(weights, PART_RECURRENT, 2 * keys + 2 * values, hidden, false);
    add_linear(weights, PART_RECURRENT, 2 * heads, hidden, false);
    add_plain(weights, 2 * keys + values, recurrent->kernel);
    add_plain(weights, 2, heads);
    add_plain(weights, 1, recurrent->value_size);
    add_linear(weights, PART_RECURRENT, hidden, values, false);
}

static void
add_mamba(struct weights *weights)
{
    const struct llm_recurrent *recurrent = &weights->llm->recurrent;
    int64_t heads = share(weights, recurrent->heads, "heads of Mamba layers"), inner = heads * recurrent->head_size;
    int64_t groups = max_i64(1, recurrent->groups / weights->place->tensor), hidden = weights->llm->hidden;
    int64_t mixed = inner + 2 * groups * recurrent->state;

    add_linear(weights, PART_RECURRENT, inner + mixed + heads, hidden, false);
    add_plain(weights, mixed, recurrent->kernel + 1);
    add_plain(weights, 3, heads);
    add_plain(weights, 1, inner);
    add_linear(weights, PART_RECURRENT, hidden, inner, false);
}

/* ---- feed-forward parts ---- */

static void
add_mlp(struct weights *weights, enum part part, int64_t width)
{
    const struct llm_tensors *tensors = &weights->llm->tensors;
    int64_t own = share(weights, width, "of the feed-forward part");

    add_linear(weights, part, own * (tensors->plain_mlp ? 1 : 2), weights->llm->hidden, tensors->mlp_bias);
    add_linear(weights, part, weights->llm->hidden, own, tensors->mlp_bias);
}

/* Experts that a GPU has, each cut to what it has of an expert. */
static void
add_routed(struct weights *weights)
{
    const struct llm_experts *experts = &weights->llm->experts;
    const struct place *place = weights->place;
    int64_t count = ceil_divide(experts->count, place->experts), hidden = weights->llm->hidden;
    int64_t width = place->experts > 1 ? experts->intermediate
                                       : share_of(weights, experts->intermediate, place->cuts, "of an expert");

    if (quantization_of(weights, PART_EXPERTS)->packing == PACKING_MXFP4 && weights->options->rounds) {
        width = round_up(width, weights->options->expert_padding);
        hidden = round_up(hidden, HIDDEN_PADDING);
    }
    add_matrices(weights, PART_EXPERTS, count, width * (weights->llm->tensors.plain_mlp ? 1 : 2), hidden);
    add_matrices(weights, PART_EXPERTS, count, hidden, width);
    if (weights->llm->tensors.expert_bias) {
        add_plain(weights, count, 2 * width);
        add_plain(weights, count, hidden);
    }
}

static void
add_experts(struct weights *weights)
{
    const struct llm_experts *experts = &weights->llm->experts;

    add_plain(weights, experts->count, weights->llm->hidden);
    if (weights->llm->tensors.router_bias)
        add_plain(weights, 1, experts->count);
    if (experts->has_correction)
        add_bytes(weights, 4 * experts->count);
    if (experts->shared)
        add_mlp(weights, PART_SHARED_EXPERTS, experts->shared);
    if (experts->has_shared_gate)
        add_plain(weights, 1, weights->llm->hidden);
    add_routed(weights);
}

/* ---- layers, and what lies around them ---- */

static void
add_mixer(struct weights *weights, const struct llm_layer *layer)
{
    switch (layer->mixer) {
    case MIXER_FULL:
    case MIXER_SLIDING:
        add_attention(weights, layer);
        break;
    case MIXER_LATENT:
        add_latent(weights, layer);
        break;
    case MIXER_DELTA:
        add_delta(weights);
        break;
    case MIXER_MAMBA:
        add_mamba(weights);
        break;
    case MIXER_NONE:
        break;
    }
}

/* Coefficients, router and norm of hidden states side by side, whose scale is in float32. Source: gemma3n.py, Gemma3nAltUp. */
static void
add_altup(struct weights *weights)
{
    int64_t streams = weights->llm->tensors.streams, hidden = weights->llm->hidden;

    add_plain(weights, streams, streams);
    add_plain(weights, streams * streams, streams);
    add_plain(weights, streams, hidden);
    add_norms(weights, 1);
    add_bytes(weights, 4 * hidden);
    weights->elements += hidden;
}

/* Source: gemma3n.py, Gemma3nLaurelBlock. */
static void
add_laurel(struct weights *weights)
{
    int64_t rank = share(weights, weights->llm->tensors.laurel_rank, "of LAuReL's rank"), hidden = weights->llm->hidden;

    add_plain(weights, rank, hidden);
    add_plain(weights, hidden, rank);
    add_norms(weights, 1);
}

static void
add_layer(struct weights *weights, const struct llm_layer *layer)
{
    const struct llm_tensors *tensors = &weights->llm->tensors;

    add_mixer(weights, layer);
    if (layer->feed == FEED_DENSE)
        add_mlp(weights, PART_MLP, layer->intermediate);
    else if (layer->feed == FEED_EXPERTS)
        add_experts(weights);
    if (tensors->per_layer_size)
        for (int i = 0; i < 2; i++)
            add_plain(weights, tensors->per_layer_size, weights->llm->hidden);
    if (tensors->streams > 1)
        add_altup(weights);
    if (tensors->laurel_rank)
        add_laurel(weights);
    add_norms(weights, tensors->norm_count);
}

/* Tokens that one GPU has rows for: those of llama.cpp and of one GPU alone are padded as well. */
static int64_t
vocabulary_rows(struct weights *weights, int64_t vocabulary)
{
    if (!weights->options->rounds)
        return vocabulary;
    return ceil_divide(round_up(vocabulary, VOCABULARY_PADDING), weights->place->tensor);
}

static void
add_embedding(struct weights *weights)
{
    const memmodel_llm *llm = weights->llm;
    const struct llm_tensors *tensors = &llm->tensors;

    add_plain(weights, vocabulary_rows(weights, llm->vocabulary), llm->hidden);
    if (tensors->positions)
        add_plain(weights, tensors->positions, llm->hidden);
    if (tensors->per_layer_size) {
        add_plain(weights, vocabulary_rows(weights, tensors->per_layer_vocabulary),
                  tensors->per_layer_size * (int64_t)llm->layer_count);
        add_plain(weights, tensors->per_layer_size * (int64_t)llm->layer_count, llm->hidden);
        add_plain(weights, 1, tensors->per_layer_size);
        /* for what a pass looks up */
        add_buffer(weights, weights->options->batched_tokens, tensors->per_layer_size * (int64_t)llm->layer_count);
    }
    for (int64_t i = 1; i < tensors->streams; i++) /* into each other stream, and out of it */
        for (int out = 0; out < 2; out++)
            add_plain(weights, share(weights, llm->hidden, "of the hidden states"), llm->hidden);
}

static void
add_head(struct weights *weights)
{
    const memmodel_llm *llm = weights->llm;
    bool is_own = !llm->tensors.tied || !weights->place->has_embedding;

    add_norms(weights, 1);
    if (is_own && !llm->tensors.no_head)
        add_linear(weights, PART_HEAD, vocabulary_rows(weights, llm->vocabulary), llm->hidden, false);
}

/* ---- the tower of a model that sees: cut as the language model is, in its own type ---- */

static void
add_biased(struct weights *weights, int64_t rows, int64_t columns, bool bias)
{
    add_plain(weights, rows, columns);
    if (bias)
        add_plain(weights, 1, rows);
}

static void
add_block(struct weights *weights, const struct llm_vision *vision)
{
    int64_t parts = weights->place->tensor, hidden = vision->hidden;
    int64_t own = ceil_divide(hidden, parts), width = ceil_divide(vision->intermediate, parts);

    for (int i = 0; i < (vision->bias ? 4 : 2); i++)
        add_plain(weights, 1, hidden);
    add_biased(weights, 3 * own, hidden, vision->bias);
    add_biased(weights, hidden, own, vision->bias);
    add_biased(weights, width * (vision->gated ? 2 : 1), hidden, vision->bias);
    add_biased(weights, hidden, width, vision->bias);
}

static void
add_projector(struct weights *weights, const struct llm_vision *vision)
{
    int64_t parts = weights->place->tensor, merged = vision->hidden * vision->merge, hidden = weights->llm->hidden;

    if (vision->projector == PROJECTOR_LINEAR) {
        add_plain(weights, vision->hidden, hidden);
    } else if (vision->projector == PROJECTOR_MLP) {
        add_biased(weights, ceil_divide(hidden, parts), vision->hidden, true);
        add_biased(weights, hidden, ceil_divide(hidden, parts), true);
    } else if (vision->projector == PROJECTOR_PATCHES) {
        add_plain(weights, vision->hidden, merged);
        add_plain(weights, ceil_divide(hidden, parts), vision->hidden);
        add_plain(weights, hidden, ceil_divide(hidden, parts));
    } else {
        add_biased(weights, ceil_divide(merged, parts), merged, true);
        add_biased(weights, vision->output, ceil_divide(merged, parts), true);
    }
}

static void
add_tower(struct weights *weights)
{
    const struct llm_vision *vision = &weights->llm->vision;
    int64_t elements = weights->elements;

    if (!vision->depth || !weights->options->rounds || weights->options->no_tower)
        return; /* which llama.cpp keeps in another file */
    add_biased(weights, vision->hidden, vision->patch, vision->bias);
    if (vision->positions)
        add_plain(weights, vision->positions, vision->hidden);
    for (int64_t i = 0; i < vision->depth && !weights->status; i++)
        add_block(weights, vision);
    for (int64_t i = 0; i < vision->mergers && !weights->status; i++)
        add_projector(weights, vision);
    for (int64_t i = 1; i < vision->mergers && !weights->status; i++) /* a buffer for what each of the others adds */
        add_plain(weights, weights->options->batched_tokens, weights->llm->hidden);
    weights->elements = elements; /* parameter_count is the language model's */
}

static void
add_all(struct weights *weights)
{
    const struct place *place = weights->place;

    if (place->has_embedding) {
        add_tower(weights);
        add_embedding(weights);
    }
    for (size_t i = place->first; i < place->last && !weights->status; i++) {
        add_layer(weights, &weights->llm->layers[i]);
        if (i == place->first)
            add_ropes(weights);
    }
    if (place->has_head)
        add_head(weights);
}

int
weights_measure(memmodel_context *context, const memmodel_llm *llm, const struct place *place,
                const struct weights_options *options, int64_t *bytes, int64_t *elements)
{
    const struct allocator_options allocator = {.settings = options->rounds ? options->settings : NULL};
    struct weights weights = {.context = context, .llm = llm, .place = place, .options = options};
    int status;

    weights.allocator = options->rounds ? &allocator_cuda_caching : &allocator_exact;
    status = weights.allocator->open(context, &allocator, &weights.memory);
    if (status)
        return status;
    add_all(&weights);
    *bytes = weights.allocator->counters(weights.memory)->allocated;
    *elements = weights.elements;
    weights.allocator->close(weights.memory);
    return weights.status;
}

struct place
place_whole(const memmodel_llm *llm)
{
    return (struct place){
        .tensor = 1, .experts = 1, .cuts = 1, .last = llm->layer_count, .has_embedding = true, .has_head = true};
}
