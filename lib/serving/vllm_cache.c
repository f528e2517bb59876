/*
 * Groups of layers that share a pool of blocks. Sources: vllm/v1/core/kv_cache_utils.py (get_kv_cache_groups,
 * unify_kv_cache_spec_page_size, _get_kv_cache_groups_uniform_page_size), vllm/v1/kv_cache_interface.py (page_size_bytes,
 * max_memory_usage_bytes), vllm/model_executor/models/config.py (HybridAttentionMambaModelConfig),
 * vllm/platforms/cuda.py (block sizes of latent attention).
 */
#include "serving/vllm_cache.h"

#include "base/checked.h"

#include <inttypes.h>

enum {
    BLOCK = 16,
    LATENT_BLOCK = 64,          /* FlashMLA's */
    SPARSE_FP8 = 656,           /* kv_cache_interface.py, fp8_ds_mla: bytes a token */
    INDEX_SCALE_ELEMENTS = 128, /* deepseek_v2.py: a float32 for so many elements of the index */
};

/* ---- layers that are alike ---- */

static bool
is_alike(const struct llm_layer *a, const struct llm_layer *b)
{
    return a->mixer == b->mixer &&
           (layer_is_recurrent(a) || (a->kv_heads == b->kv_heads && a->head_size == b->head_size));
}

/* Of the latent vector, and of the index that finds tokens for sparse attention. */
static int64_t
latent_bytes(const struct serve_query *query, const struct llm_layer *layer)
{
    const struct llm_latent *latent = &query->llm->latent;
    int64_t bytes = kv_bytes(&query->kv, layer->head_size);

    if (!latent->index_heads)
        return bytes;
    if (query->kv.block == 1 && query->kv.bytes == 1)
        bytes = SPARSE_FP8;
    return bytes + latent->index_size + 4 * ceil_divide(latent->index_size, INDEX_SCALE_ELEMENTS);
}

static int64_t
token_bytes(const struct serve_query *query, const struct llm_layer *layer)
{
    if (layer_is_recurrent(layer))
        return 0;
    if (layer->mixer == MIXER_LATENT)
        return latent_bytes(query, layer);
    return 2 * serve_kv_heads(layer, query->tensor) * kv_bytes(&query->kv, layer->head_size);
}

static int
add_layer(const struct serve_query *query, const struct llm_layer *layer, struct vllm_cache *cache)
{
    struct vllm_bucket *bucket;
    size_t i = 0;

    while (i < cache->bucket_count && !is_alike(&cache->buckets[i].layer, layer))
        i++;
    if (i == VLLM_MAX_BUCKETS)
        return context_error(query->context, MEMMODEL_ERROR_UNSUPPORTED, query->llm->model_type,
                             "more than %d kinds of layers have a cache", VLLM_MAX_BUCKETS);
    bucket = &cache->buckets[i];
    if (i == cache->bucket_count) {
        *bucket = (struct vllm_bucket){.layer = *layer, .token_bytes = token_bytes(query, layer)};
        cache->bucket_count++;
    }
    bucket->count++;
    return 0;
}

/* Layers of a draft model attend to all tokens as the model's own do. */
static void
add_drafts(const struct serve_query *query, struct vllm_cache *cache)
{
    for (size_t i = 0; i < cache->bucket_count; i++)
        if (cache->buckets[i].layer.mixer == MIXER_FULL || cache->buckets[i].layer.mixer == MIXER_LATENT) {
            cache->buckets[i].count += query->options.draft_layers;
            return;
        }
}

/* ---- pages of one size ---- */

/* Blocks of attention become as long as the state of a recurrent layer is large, in steps of 16 tokens. */
static void
stretch_blocks(const struct serve_query *query, struct vllm_cache *cache)
{
    int64_t state = 0, bytes = 0, page;

    for (size_t i = 0; i < cache->bucket_count; i++) {
        const struct vllm_bucket *bucket = &cache->buckets[i];

        if (layer_is_recurrent(&bucket->layer))
            state = max_i64(state, serve_state_bytes(query, &bucket->layer));
        bytes = max_i64(bytes, bucket->token_bytes);
    }
    if (!state)
        return;
    page = bytes ? max_i64(BLOCK * ceil_divide(state, BLOCK * bytes), query->options.block_size) * bytes : state;
    for (size_t i = 0; i < cache->bucket_count; i++) {
        struct vllm_bucket *bucket = &cache->buckets[i];

        bucket->block = bucket->token_bytes ? page / bucket->token_bytes : query->options.max_length;
        bucket->page = page;
    }
}

static void
set_pages(const struct serve_query *query, struct vllm_cache *cache)
{
    for (size_t i = 0; i < cache->bucket_count; i++) {
        struct vllm_bucket *bucket = &cache->buckets[i];

        bucket->block = query->options.block_size             ? query->options.block_size
                        : bucket->layer.mixer == MIXER_LATENT ? LATENT_BLOCK
                                                              : BLOCK;
        bucket->page = bucket->block * bucket->token_bytes;
    }
}

/* Blocks of layers with smaller pages become longer. */
static int
unify_pages(const struct serve_query *query, struct vllm_cache *cache)
{
    int64_t max = 0;

    for (size_t i = 0; i < cache->bucket_count; i++)
        max = max_i64(max, cache->buckets[i].page);
    for (size_t i = 0; i < cache->bucket_count; i++) {
        struct vllm_bucket *bucket = &cache->buckets[i];

        if (max % bucket->page)
            return context_error(query->context, MEMMODEL_ERROR_UNSUPPORTED, query->llm->model_type,
                                 "vLLM has no pages for layers of %" PRId64 " and of %" PRId64
                                 " bytes a block: one has to divide the other",
                                 bucket->page, max);
        bucket->block *= max / bucket->page;
        bucket->page = max;
    }
    return 0;
}

/* ---- groups ---- */

/* Layers that all need the same tokens make one group, whatever their sizes. */
static bool
is_uniform(const struct vllm_cache *cache)
{
    for (size_t i = 0; i < cache->bucket_count; i++)
        if (cache->buckets[i].layer.mixer != cache->buckets[0].layer.mixer ||
            layer_is_recurrent(&cache->buckets[i].layer))
            return cache->bucket_count == 1;
    return true;
}

static void
make_one_group(struct vllm_cache *cache)
{
    cache->group_count = 1;
    for (size_t i = 0; i < cache->bucket_count; i++) {
        cache->buckets[i].groups = 1;
        cache->group_size += cache->buckets[i].count;
        cache->block_bytes += cache->buckets[i].page * cache->buckets[i].count;
    }
}

/* As many layers to a group as the kind with the fewest has; as the one with the most, if that is not half as many again. */
static void
make_groups(struct vllm_cache *cache)
{
    int64_t min = INT64_MAX, max = 0;

    for (size_t i = 0; i < cache->bucket_count; i++) {
        min = min_i64(min, cache->buckets[i].count);
        max = max_i64(max, cache->buckets[i].count);
    }
    cache->group_size = 2 * max < 3 * min ? max : min;
    for (size_t i = 0; i < cache->bucket_count; i++) {
        cache->buckets[i].groups = ceil_divide(cache->buckets[i].count, cache->group_size);
        cache->group_count += cache->buckets[i].groups;
    }
    cache->block_bytes = cache->buckets[0].page * cache->group_size;
}

int
vllm_cache_plan(const struct serve_query *query, const struct place *place, struct vllm_cache *cache)
{
    int status = 0;

    *cache = (struct vllm_cache){.window = query->llm->window};
    for (size_t i = place->first; !status && i < place->last; i++)
        if (layer_has_cache(&query->llm->layers[i]) || layer_is_recurrent(&query->llm->layers[i]))
            status = add_layer(query, &query->llm->layers[i], cache);
    if (status || cache->bucket_count == 0)
        return status;
    add_drafts(query, cache);
    set_pages(query, cache);
    stretch_blocks(query, cache);
    if (is_uniform(cache)) {
        make_one_group(cache);
        return 0;
    }
    status = unify_pages(query, cache);
    if (!status)
        make_groups(cache);
    return status;
}

/* ---- a request ---- */

/* A window may begin inside of a block: one more. */
static int64_t
bucket_blocks(const struct vllm_cache *cache, const struct vllm_bucket *bucket, int64_t length, int64_t in_flight)
{
    if (layer_is_recurrent(&bucket->layer))
        return 1;
    if (bucket->layer.mixer == MIXER_SLIDING)
        return ceil_divide(min_i64(cache->window - 1 + in_flight, length), bucket->block) + 1;
    return ceil_divide(length, bucket->block);
}

int64_t
vllm_cache_blocks(const struct vllm_cache *cache, int64_t length, int64_t in_flight)
{
    int64_t blocks = 0;

    if (cache->group_count == 1)
        return bucket_blocks(cache, &cache->buckets[0], length, in_flight);
    for (size_t i = 0; i < cache->bucket_count; i++)
        blocks += cache->buckets[i].groups * bucket_blocks(cache, &cache->buckets[i], length, in_flight);
    return blocks;
}

int64_t
vllm_cache_block_size(const struct vllm_cache *cache)
{
    int64_t size = INT64_MAX;

    for (size_t i = 0; i < cache->bucket_count; i++)
        if (!layer_is_recurrent(&cache->buckets[i].layer))
            size = min_i64(size, cache->buckets[i].block);
    return size == INT64_MAX ? 0 : size;
}
