/*
 * vLLM: what is left of its budget after weights and one pass, and how many blocks, tokens and requests that is. Sources:
 * vllm/v1/worker/gpu_worker.py (determine_available_memory), vllm/v1/worker/gpu_model_runner.py (profile_run),
 * vllm/engine/arg_utils.py (defaults by GPU), vllm/v1/core/kv_cache_utils.py (what is reported).
 */
#include "serving/vllm_cache.h"

#include "base/checked.h"
#include "frameworks/cuda/workspace.h"

#include <limits.h>
#include <string.h>

/* What arg_utils.py takes a GPU for: H100 and its like have at least 70 GiB and are no A100. */
static bool
is_large(const struct serve_query *query)
{
    return query->options.gpu_bytes >= 70 * GIB && !(query->gpu && strncmp(query->gpu->name, "a100", 4) == 0);
}

/* Before 0.8, with its first engine: 256 requests, and a pass that holds the longest of them. */
static void
fill_defaults(struct serve_query *query)
{
    enum { SECOND_ENGINE = 8, SEQUENCES = 256, TOKENS = 2048 };
    struct memmodel_serve_options *options = &query->options;
    bool is_first = query->version < SECOND_ENGINE, large = is_large(query);

    if (!options->max_sequences)
        options->max_sequences = large && !is_first ? 1024 : SEQUENCES;
    if (!options->batched_tokens)
        options->batched_tokens = is_first ? max_i64(options->max_length, TOKENS) : large ? 8192 : TOKENS;
    if (options->utilization == 0)
        options->utilization = 0.9;
}

/* ---- one pass ---- */

/* Elements a token of the widest part of a layer: gate, up and their product; of experts for each that is chosen. */
static int64_t
widest_feed(const struct serve_query *query, const struct place *place)
{
    const struct llm_experts *experts = &query->llm->experts;
    int64_t width = 0, expert = experts->intermediate / (query->experts > 1 ? 1 : query->tensor);

    for (size_t i = place->first; i < place->last; i++) {
        const struct llm_layer *layer = &query->llm->layers[i];

        if (layer->feed == FEED_DENSE)
            width = max_i64(width, 3 * layer->intermediate / query->tensor);
        else if (layer->feed == FEED_EXPERTS)
            width = max_i64(width, experts->chosen * (max_i64(2 * expert, query->llm->hidden) + expert));
    }
    return width;
}

/*
 * A forward pass of all batched tokens: the widest feed-forward part, and hidden states around it: before and after, the
 * residual and its sum, and one more where GPUs add up theirs.
 */
static double
forward_bytes(const struct serve_query *query, const struct place *place)
{
    double width = (double)widest_feed(query, place) + (double)(query->tensor > 1 ? 5 : 4) * (double)query->llm->hidden;

    return (double)query->options.batched_tokens * width * (double)element_bytes(query->element);
}

/*
 * Sampling for as many requests as there may be: logits in the model's type, and their sort in float32 with what it works in.
 * PyTorch 2.11 takes 36.02 bytes an element for that on an H100, of 4 that go in and 12 that come out; measured for 256 and 1,024
 * requests with vocabularies of 128,256 to 201,088, with all of vllm/v1/sample/ops/topk_topp_sampler.py around it.
 */
static double
sampler_bytes(const struct serve_query *query, const struct place *place)
{
    static const double SORT = 36.02;
    const struct memmodel_serve_options *options = &query->options;
    double element = (double)element_bytes(query->element);

    if (!place->has_head || query->llm->tensors.no_head)
        return 0;
    return (SORT + element) * (double)min_i64(options->max_sequences, options->batched_tokens) *
               (double)query->llm->vocabulary +
           (double)options->batched_tokens * (double)query->llm->hidden * element;
}

/* What cuBLAS works in is a tensor of PyTorch's, and stays. */
static double
workspace_bytes(const struct serve_query *query)
{
    return query->gpu ? (double)cublas_workspace_usual(query->gpu, INT_MAX) : 0;
}

static int
activation_bytes(const struct serve_query *query, const struct place *place, int64_t *bytes)
{
    double forward = forward_bytes(query, place), sampler = sampler_bytes(query, place);
    double most = (forward > sampler ? forward : sampler) + workspace_bytes(query);

    if (!(most < 0x1p60))
        return context_error(query->context, MEMMODEL_ERROR_OVERFLOW, "batched_tokens",
                             "a pass does not fit in 64 bits");
    *bytes = (int64_t)most;
    return 0;
}

/* Kernels that are loaded, and communicators: NVIDIA/nccl issue 964 has 544 MiB for two GPUs and 688 MiB for more. */
static int64_t
context_bytes(const struct serve_query *query)
{
    int64_t ranks = query->tensor * query->pipeline, bytes = query->gpu ? query->gpu->module_bytes : 0;

    return bytes + (ranks == 1 ? 0 : ranks == 2 ? 544 * MIB : 688 * MIB);
}

/* ---- the budget ---- */

static int
budget(const struct serve_query *query, const struct place *place, struct memmodel_serving_result *result)
{
    const struct memmodel_serve_options *options = &query->options;
    int status = serve_weights(query, place, true, &result->weight_bytes);

    if (!status)
        status = activation_bytes(query, place, &result->activation_bytes);
    result->context_bytes = context_bytes(query);
    result->gpu_bytes = options->gpu_bytes;
    result->budget = (int64_t)((double)options->gpu_bytes * options->utilization);
    result->cache_bytes =
        options->cache_bytes ? options->cache_bytes
                             : result->budget - result->weight_bytes - result->activation_bytes - result->context_bytes;
    return status;
}

/* ---- what is reported ---- */

/* As many tokens as vLLM's log says. Up to 0.20 each group was taken to need as many blocks. */
static int64_t
reported_tokens(const struct serve_query *query, const struct vllm_cache *cache,
                const struct memmodel_serving_result *result)
{
    double tokens = result->concurrency * (double)result->max_length;

    if (query->version < 21)
        return result->block_count / cache->group_count * result->block_size;
    return tokens < 0x1p62 ? (int64_t)tokens : INT64_MAX;
}

/*
 * Tokens whose step may still run, so that a window keeps its blocks: a batch, and since 0.26 (pull request 47728) one of
 * each batch that is scheduled at once: one for each stage, and the next.
 */
static int64_t
tokens_in_flight(const struct serve_query *query)
{
    return query->options.batched_tokens * (query->version < 26 ? 1 : query->pipeline + 1);
}

/* The longest request whose blocks there are. */
static int64_t
longest_request(const struct serve_query *query, const struct vllm_cache *cache,
                const struct memmodel_serving_result *result)
{
    int64_t low = 0, high = result->max_length;

    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;

        if (vllm_cache_blocks(cache, middle, tokens_in_flight(query)) <= result->block_count)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int
add_pools(const struct serve_query *query, const struct vllm_cache *cache, struct answer *answer)
{
    int64_t blocks = answer->result.block_count / cache->group_count;
    int status = 0;

    for (size_t i = 0; !status && i < cache->bucket_count; i++) {
        const struct vllm_bucket *bucket = &cache->buckets[i];
        bool is_whole = layer_is_recurrent(&bucket->layer) || bucket->layer.mixer == MIXER_LATENT;
        int64_t bytes = blocks * bucket->page * bucket->count;
        int64_t tokens = layer_is_recurrent(&bucket->layer) ? blocks : blocks * bucket->block;

        status = serving_add_pool(query, answer,
                                  &(struct memmodel_serving_pool){.kind = serving_kind(bucket->layer.mixer),
                                                                  .layer_count = bucket->count,
                                                                  .token_count = tokens,
                                                                  .key_bytes = is_whole ? bytes : bytes / 2,
                                                                  .value_bytes = is_whole ? 0 : bytes / 2,
                                                                  .block_size = bucket->block});
    }
    return status;
}

static void
count_blocks(const struct serve_query *query, const struct vllm_cache *cache, struct answer *answer)
{
    struct memmodel_serving_result *result = &answer->result;
    int64_t needed = vllm_cache_blocks(cache, result->max_length, tokens_in_flight(query));

    result->block_count = result->cache_bytes > 0 ? result->cache_bytes / cache->block_bytes : 0;
    result->block_size = vllm_cache_block_size(cache);
    result->group_count = cache->group_count;
    result->concurrency = (double)result->block_count / (double)needed;
    result->token_count = reported_tokens(query, cache, result);
    result->request_count = min_i64(result->block_count / needed, result->max_sequences);
    result->longest = longest_request(query, cache, result);
    for (size_t i = 0; i < cache->bucket_count; i++)
        if (cache->buckets[i].layer.mixer != MIXER_SLIDING)
            result->token_bytes += cache->buckets[i].token_bytes * cache->buckets[i].count;
    if (!checked_multiply(needed, cache->block_bytes, &result->request_bytes))
        result->request_bytes = INT64_MAX;
}

static int
serve_stage(const struct serve_query *query, int64_t index, struct answer *answer)
{
    const struct place place = serve_place(query, index);
    struct vllm_cache cache;
    int status = budget(query, &place, &answer->result);

    answer->result.max_length = query->options.max_length;
    answer->result.max_sequences = query->options.max_sequences;
    answer->result.batched_tokens = query->options.batched_tokens;
    if (!status)
        status = vllm_cache_plan(query, &place, &cache);
    if (status || cache.bucket_count == 0)
        return status;
    count_blocks(query, &cache, answer);
    return add_pools(query, &cache, answer);
}

static void
name_what_is_not_counted(const struct serve_query *query, struct answer *answer)
{
    serving_note(answer, "CUDA graphs, which are captured outside of the budget");
    if (query->tensor * query->pipeline > 1)
        serving_note(answer, "what NCCL takes beyond a measured 544 or 688 MiB");
    if (!query->gpu && !query->options.cache_bytes)
        serving_note(answer, "kernels that are loaded: no profile of the GPU");
}

/*
 * Of stages the one with the fewest blocks says how many there are. Layers that read another's keys and values have had no
 * projections for them since pull request 54917 of September 2026: 0.33 is the first version that was read with it.
 */
static int
serve(const struct serve_query *asked, struct answer *answer)
{
    enum { SHARING_VERSION = 33 };
    struct serve_query query = *asked;
    int status = 0;

    fill_defaults(&query);
    query.shares = query.version >= SHARING_VERSION;
    query.cuts =
        multiply_saturating(query.tensor, query.data); /* fused_moe/config.py: data parallel cuts them as well */
    for (int64_t i = 0; !status && i < query.pipeline; i++) {
        struct answer stage = *answer;

        stage.pool_count = 0;
        stage.result = (struct memmodel_serving_result){.size = sizeof stage.result};
        status = serve_stage(&query, i, &stage);
        if (!status && (i == 0 || (stage.pool_count && stage.result.block_count < answer->result.block_count)))
            *answer = stage;
    }
    if (!status)
        name_what_is_not_counted(&query, answer);
    return status;
}

const struct engine engine_vllm = {.name = "vllm", .serve = serve};
