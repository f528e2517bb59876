/*
 * llama.cpp: a cache of so many cells, made at the start, and the buffer that a pass computes in. Sources:
 * src/llama-kv-cache.cpp, llama-kv-cache-iswa.cpp (cells of layers that slide), llama-memory-recurrent.cpp,
 * llama-context.cpp. Layers are spread over GPUs; the bytes are those of all together.
 */
#include "serving/serve.h"

#include "base/checked.h"

#include <string.h>

enum { CELLS_PADDING = 256, UBATCH = 512, FLOAT = 4 };

/* Layers of a kind: the bytes of a cell. */
struct cells {
    int64_t layers, bytes; /* of keys; values take as many */
};

/* ---- cells ---- */

/* Sequences have caches of their own, or share one. */
static int64_t
streams(const struct serve_query *query)
{
    return query->options.kv_unified ? 1 : query->options.max_sequences;
}

static int64_t
full_cells(const struct serve_query *query)
{
    return round_up(query->options.max_length / streams(query), CELLS_PADDING);
}

/* A window of each sequence in the cache, and what one pass adds. */
static int64_t
sliding_cells(const struct serve_query *query)
{
    int64_t sequences = query->options.kv_unified ? query->options.max_sequences : 1;
    int64_t cells = multiply_saturating(query->llm->window, sequences);

    return cells > full_cells(query)
               ? full_cells(query)
               : min_i64(full_cells(query), round_up(cells + query->options.batched_tokens, CELLS_PADDING));
}

static struct cells
count_cells(const struct serve_query *query, enum mixer mixer)
{
    struct cells cells = {0};

    for (size_t i = 0; i < query->llm->layer_count; i++) {
        const struct llm_layer *layer = &query->llm->layers[i];
        int64_t heads = layer->mixer == MIXER_LATENT ? 1 : layer->kv_heads;

        if (layer->mixer != mixer || !layer_has_cache(layer))
            continue;
        cells.layers++;
        cells.bytes += kv_bytes(&query->kv, heads * layer->head_size);
    }
    return cells;
}

static int
add_attention(const struct serve_query *query, enum mixer mixer, int64_t count, struct answer *answer)
{
    struct cells cells = count_cells(query, mixer);
    int64_t tokens = multiply_saturating(count, streams(query)), bytes = multiply_saturating(tokens, cells.bytes);

    if (!cells.layers)
        return 0;
    if (bytes >= INT64_C(1) << 60)
        return context_error(query->context, MEMMODEL_ERROR_OVERFLOW, "max_length",
                             "the cache does not fit in 64 bits");
    answer->result.cache_bytes += mixer == MIXER_LATENT ? bytes : 2 * bytes;
    if (mixer != MIXER_SLIDING)
        answer->result.token_bytes += mixer == MIXER_LATENT ? cells.bytes : 2 * cells.bytes;
    return serving_add_pool(query, answer,
                            &(struct memmodel_serving_pool){.kind = serving_kind(mixer),
                                                            .layer_count = cells.layers,
                                                            .token_count = tokens,
                                                            .key_bytes = bytes,
                                                            .value_bytes = mixer == MIXER_LATENT ? 0 : bytes});
}

/* A state for each sequence, in float32. */
static int
add_states(const struct serve_query *query, struct answer *answer)
{
    int64_t convolution = 0, state = 0, layers = 0, sequences = query->options.max_sequences;

    for (size_t i = 0; i < query->llm->layer_count; i++) {
        int64_t own_convolution, own_state;

        if (!layer_is_recurrent(&query->llm->layers[i]))
            continue;
        serve_state_elements(query, &query->llm->layers[i], &own_convolution, &own_state);
        convolution += own_convolution;
        state += own_state;
        layers++;
    }
    if (!layers)
        return 0;
    answer->result.cache_bytes += FLOAT * sequences * (convolution + state);
    return serving_add_pool(query, answer,
                            &(struct memmodel_serving_pool){.kind = "recurrent",
                                                            .layer_count = layers,
                                                            .token_count = sequences,
                                                            .key_bytes = FLOAT * sequences * convolution,
                                                            .value_bytes = FLOAT * sequences * state});
}

/* ---- passes ---- */

/* With flash attention, all on one GPU: logits and hidden states of a pass in float32. */
static int64_t
compute_bytes(const struct serve_query *query)
{
    return query->options.batched_tokens * (query->llm->vocabulary + query->llm->hidden) * FLOAT;
}

/* ---- all ---- */

static int
fill(const struct serve_query *query, struct answer *answer)
{
    const struct place place = place_whole(query->llm);
    int status = serve_weights(query, &place, false, &answer->result.weight_bytes);

    if (!status)
        status = add_attention(query, MIXER_FULL, full_cells(query), answer);
    if (!status)
        status = add_attention(query, MIXER_LATENT, full_cells(query), answer);
    if (!status)
        status = add_attention(query, MIXER_SLIDING, sliding_cells(query), answer);
    if (!status)
        status = add_states(query, answer);
    answer->result.activation_bytes = compute_bytes(query);
    return status;
}

/* All of the context is there at once or not at all. */
static void
count_requests(const struct serve_query *query, struct answer *answer)
{
    struct memmodel_serving_result *result = &answer->result;
    int64_t others;

    result->gpu_bytes = query->options.gpu_bytes;
    result->budget = query->options.gpu_bytes;
    result->context_bytes = query->gpu ? query->gpu->context_bytes : 0;
    others = result->weight_bytes + result->activation_bytes + result->context_bytes;
    result->max_sequences = query->options.max_sequences;
    result->batched_tokens = query->options.batched_tokens;
    result->max_length = query->options.max_length;
    result->block_size = 1;
    result->group_count = 1;
    result->token_count = full_cells(query) * streams(query);
    result->block_count = result->token_count;
    result->request_bytes = result->cache_bytes / query->options.max_sequences;
    result->concurrency = (double)query->options.max_sequences;
    if (result->gpu_bytes && result->cache_bytes > result->gpu_bytes - others)
        return;
    result->request_count = query->options.max_sequences;
    result->longest = min_i64(full_cells(query), query->options.max_length);
}

static int
serve(const struct serve_query *asked, struct answer *answer)
{
    struct serve_query query = *asked;
    bool is_default = !query.options.kv || strcmp(query.options.kv, "auto") == 0;
    int status;

    if (query.mesh.ranks > 1)
        return context_error(query.context, MEMMODEL_ERROR_UNSUPPORTED, "mesh",
                             "llama.cpp spreads whole layers: ask without a mesh, the bytes are those of all GPUs");
    status = kv_find(query.context, is_default ? "f16" : query.options.kv, query.element, false, &query.kv);
    query.options.max_sequences = max_i64(1, query.options.max_sequences);
    query.options.batched_tokens = query.options.batched_tokens ? query.options.batched_tokens : UBATCH;
    if (!status)
        status = fill(&query, answer);
    count_requests(&query, answer);
    serving_note(answer, "the compute buffer without flash attention, or of several GPUs");
    return status;
}

const struct engine engine_llamacpp = {.name = "llamacpp", .serve = serve};
