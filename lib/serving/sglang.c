/*
 * SGLang: a part of the memory that is free before the model is loaded, less the weights, is cut into tokens. Sources:
 * python/sglang/srt/model_executor/model_runner.py (profile_max_num_token, set_num_tokens_hybrid_swa), mem_cache/
 * memory_pool.py (a pool has one page more than it gives out), server_args.py (defaults by GPU memory).
 */
#include "serving/serve.h"

#include "base/checked.h"

#include <inttypes.h>

enum {
    SPARSE_FP8 = 656, /* of latent attention with an index: bytes a token of each layer */
    INDEX_FP8 = 132,  /* of its index */
    MIN_RUNNING = 2048,
    MAX_RUNNING = 4096,
    RUNNING_FACTOR = 512, /* max_running_requests */
    MAMBA_SHARE = 9,      /* tenths: mamba_full_memory_ratio */
    STATES_EACH = 3,      /* of a request, with those that prefixes keep */
};

/* Bytes a token of all layers of a kind, and of a request for recurrent ones. */
struct cells {
    int64_t full, sliding, index, state;
    int64_t full_layers, sliding_layers, recurrent_layers;
    enum mixer mixer; /* of those that keep all tokens */
};

/* ---- what a token takes ---- */

static int64_t
latent_bytes(const struct serve_query *query, const struct llm_layer *layer, int64_t *index)
{
    const struct llm_latent *latent = &query->llm->latent;
    bool is_fp8 = query->kv.block == 1 && query->kv.bytes == 1;

    *index = 0;
    if (latent->index_heads)
        *index = is_fp8 ? INDEX_FP8 : kv_bytes(&query->kv, latent->index_size);
    return latent->index_heads && is_fp8 ? SPARSE_FP8 : kv_bytes(&query->kv, layer->head_size);
}

/* Layers that read another's keys and values have a pool of their own all the same. */
static void
add_layer(const struct serve_query *query, const struct llm_layer *layer, struct cells *cells)
{
    int64_t parts = max_i64(1, query->tensor / query->data), index = 0, bytes;

    if (layer_is_recurrent(layer)) {
        cells->state += serve_state_bytes(query, layer);
        cells->recurrent_layers++;
    } else if (layer->mixer == MIXER_SLIDING) {
        cells->sliding += 2 * serve_kv_heads(layer, parts) * kv_bytes(&query->kv, layer->head_size);
        cells->sliding_layers++;
    } else if (layer->mixer != MIXER_NONE) {
        bytes = layer->mixer == MIXER_LATENT
                    ? latent_bytes(query, layer, &index)
                    : 2 * serve_kv_heads(layer, parts) * kv_bytes(&query->kv, layer->head_size);
        cells->full += bytes;
        cells->index += index;
        cells->mixer = layer->mixer;
        cells->full_layers++;
    }
}

static void
count_cells(const struct serve_query *query, const struct place *place, struct cells *cells)
{
    const struct llm_layer *last = NULL;

    *cells = (struct cells){.mixer = MIXER_FULL};
    for (size_t i = place->first; i < place->last; i++) {
        const struct llm_layer *layer = &query->llm->layers[i];

        add_layer(query, layer, cells);
        if (layer->mixer == MIXER_FULL || layer->mixer == MIXER_LATENT)
            last = layer;
    }
    for (int64_t i = 0; last && i < query->options.draft_layers; i++)
        add_layer(query, last, cells);
}

/* ---- pools ---- */

/* States of recurrent layers come first, as many as their share of the memory holds. */
static int64_t
take_states(const struct cells *cells, int64_t bytes)
{
    return cells->state ? bytes / (10 + MAMBA_SHARE) * MAMBA_SHARE / cells->state : 0;
}

static int
add_attention_pool(const struct serve_query *query, const struct answer *sizes, enum mixer mixer, int64_t layers,
                   int64_t tokens, int64_t token_bytes, struct answer *answer)
{
    int64_t page = sizes->result.block_size, bytes = multiply_saturating(tokens + page, token_bytes);
    bool is_whole = mixer == MIXER_LATENT;

    return serving_add_pool(query, answer,
                            &(struct memmodel_serving_pool){.kind = serving_kind(mixer),
                                                            .layer_count = layers,
                                                            .token_count = tokens,
                                                            .key_bytes = is_whole ? bytes : bytes / 2,
                                                            .value_bytes = is_whole ? 0 : bytes / 2,
                                                            .block_size = page});
}

static int
add_pools(const struct serve_query *query, const struct cells *cells, int64_t full, int64_t sliding, int64_t states,
          struct answer *answer)
{
    int status = 0;

    if (cells->sliding)
        status =
            add_attention_pool(query, answer, MIXER_SLIDING, cells->sliding_layers, sliding, cells->sliding, answer);
    if (!status && cells->full)
        status = add_attention_pool(query, answer, cells->mixer, cells->full_layers, full, cells->full + cells->index,
                                    answer);
    if (!status && cells->state)
        status =
            serving_add_pool(query, answer,
                             &(struct memmodel_serving_pool){.kind = "recurrent",
                                                             .layer_count = cells->recurrent_layers,
                                                             .token_count = states,
                                                             .key_bytes = multiply_saturating(states, cells->state)});
    return status;
}

static int64_t
whole_pages(double tokens, int64_t page)
{
    return tokens >= 0x1p60 ? INT64_C(1) << 60 : tokens < 0 ? 0 : (int64_t)tokens / page * page;
}

static int
fill_pools(const struct serve_query *query, const struct cells *cells, struct answer *answer)
{
    struct memmodel_serving_result *result = &answer->result;
    int64_t bytes = max_i64(0, result->cache_bytes), states = take_states(cells, bytes), tokens, sliding;
    double ratio = query->options.sliding_ratio != 0 ? query->options.sliding_ratio : 0.8;
    double token_bytes = (double)(cells->full + cells->index) + ratio * (double)cells->sliding;

    bytes -= multiply_saturating(states, cells->state);
    if (!cells->full) /* all slide: one pool as if they did not */
        ratio = 1, token_bytes = (double)cells->sliding;
    tokens = token_bytes > 0 ? whole_pages((double)bytes / token_bytes, result->block_size) : 0;
    sliding = whole_pages((double)tokens * ratio, result->block_size);
    result->token_bytes = cells->full + cells->index;
    result->token_count = tokens;
    result->block_count = tokens / result->block_size;
    return add_pools(query, cells, tokens, sliding, states, answer);
}

/* ---- requests ---- */

static int64_t
states_of(const struct answer *answer)
{
    return answer->pool_count ? answer->pools[answer->pool_count - 1].token_count : 0;
}

static void
count_requests(const struct serve_query *query, const struct cells *cells, struct answer *answer)
{
    struct memmodel_serving_result *result = &answer->result;
    int64_t running = multiply_saturating(result->token_count, RUNNING_FACTOR) / result->max_length;

    result->max_sequences = query->options.max_sequences ? query->options.max_sequences
                                                         : min_i64(max_i64(running, MIN_RUNNING), MAX_RUNNING);
    if (cells->state)
        result->max_sequences = min_i64(result->max_sequences, states_of(answer) / STATES_EACH);
    result->concurrency = (double)result->token_count / (double)result->max_length;
    result->request_count = min_i64(result->token_count / result->max_length, result->max_sequences);
    result->longest = min_i64(result->token_count, result->max_length);
    result->request_bytes = multiply_saturating(result->max_length, cells->full + cells->index);
    if (result->request_bytes < INT64_C(1) << 60)
        result->request_bytes +=
            cells->state +
            multiply_saturating(min_i64(result->max_length, max_i64(query->llm->window, 1)), cells->sliding);
}

/* ---- the budget ---- */

/* server_args.py: what is set aside for passes grows with chunks of prefill and captured graphs, in MB. */
static double
default_fraction(int64_t gpu_bytes)
{
    static const struct {
        int64_t gib, chunk, graphs;
    } rows[] = {{20, 2048, 8},   {35, 2048, 24},   {60, 4096, 32},
                {90, 8192, 256}, {160, 8192, 256}, {INT64_MAX, 16384, 512}};
    double megabytes = (double)gpu_bytes / (double)MIB;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (gpu_bytes / GIB < rows[i].gib)
            return (megabytes - 1.5 * (double)rows[i].chunk - 2 * (double)rows[i].graphs) / megabytes;
    return 0.85;
}

static int
budget(const struct serve_query *query, const struct place *place, struct memmodel_serving_result *result)
{
    const struct memmodel_serve_options *options = &query->options;
    double fraction = options->utilization;
    int64_t free = options->gpu_bytes;
    int status = serve_weights(query, place, true, &result->weight_bytes);

    if (query->gpu && free == query->gpu->memory) {
        result->context_bytes = query->gpu->context_bytes;
        free -= result->context_bytes;
    }
    if (fraction == 0)
        fraction = default_fraction(options->gpu_bytes);
    result->gpu_bytes = options->gpu_bytes;
    result->budget = (int64_t)((double)free * (fraction > 0 ? fraction : 0));
    result->cache_bytes = options->cache_bytes ? options->cache_bytes : result->budget - result->weight_bytes;
    return status;
}

static int
serve_stage(const struct serve_query *query, int64_t index, struct answer *answer)
{
    const struct place place = serve_place(query, index);
    struct cells cells;
    int status = budget(query, &place, &answer->result);

    if (status)
        return status;
    answer->result.max_length = query->options.max_length;
    answer->result.batched_tokens = query->options.batched_tokens;
    answer->result.block_size = query->options.block_size ? query->options.block_size : 1;
    answer->result.group_count = 1;
    count_cells(query, &place, &cells);
    status = fill_pools(query, &cells, answer);
    count_requests(query, &cells, answer);
    return status;
}

static int
serve(const struct serve_query *query, struct answer *answer)
{
    int status = 0;

    if (query->tensor % query->data)
        return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh",
                             "dp=%" PRId64 " does not divide tp=%" PRId64 ": SGLang cuts attention into tp / dp",
                             query->data, query->tensor);
    for (int64_t i = 0; !status && i < query->pipeline; i++) {
        struct answer stage = {.note_count = 0};

        status = serve_stage(query, i, &stage);
        if (!status && (i == 0 || stage.result.token_count < answer->result.token_count))
            *answer = stage;
    }
    serving_note(answer, "passes and CUDA graphs, which SGLang leaves the rest of the memory for");
    return status;
}

const struct engine engine_sglang = {.name = "sglang", .serve = serve};
