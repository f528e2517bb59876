/* vLLM's cache: how layers are grouped, and what a block and a request take. */
#ifndef SERVING_VLLM_CACHE_H
#define SERVING_VLLM_CACHE_H

#include "serving/serve.h"

enum { VLLM_MAX_BUCKETS = 8 };

/* Layers that are alike. */
struct vllm_bucket {
    struct llm_layer layer;
    int64_t count;       /* of layers, those of a draft model among them */
    int64_t token_bytes; /* of one layer; 0 of a recurrent one */
    int64_t block;       /* tokens */
    int64_t page;        /* bytes of a block of one layer */
    int64_t groups;
};

struct vllm_cache {
    struct vllm_bucket buckets[VLLM_MAX_BUCKETS];
    size_t bucket_count;
    int64_t group_count, group_size; /* groups of layers, and layers of each */
    int64_t block_bytes;             /* of one block for all layers of a group */
    int64_t window;
};

/*
 * Groups the layers there; no layers with a cache: `bucket_count` is 0. 0, MEMMODEL_ERROR_UNSUPPORTED (pages that cannot
 * be made equal), MEMMODEL_ERROR_OVERFLOW.
 */
int
vllm_cache_plan(const struct serve_query *query, const struct place *place, struct vllm_cache *cache);

/* Blocks of a request of `length` tokens; `in_flight` ones are in steps that may still run. */
int64_t
vllm_cache_blocks(const struct vllm_cache *cache, int64_t length, int64_t in_flight);

/* The least tokens of a block of all groups. */
int64_t
vllm_cache_block_size(const struct vllm_cache *cache);

#endif
