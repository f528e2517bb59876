/*
 * Peaks of the passes of transformers' generate(): what is live where each pass has the most. Source: allocator events of
 * transformers 5.23 on PyTorch 2.13, CPU, which test/data/serving/generations.jsonl has the peaks of. Attention is PyTorch's own
 * (sdpa): scores are no tensors but with latent attention, whose values have another size than its keys.
 */
#include "serving/generate.h"

#include <math.h>
#include <string.h>

enum { INT64 = 8, FLOAT32 = 4 };

/* A pass of `tokens` tokens each sequence, with `before` tokens in the cache. */
struct pass {
    const struct generation *generation;
    double tokens, before;
    double cache; /* of all layers now */
    double base;  /* ids, masks, logits, tables of rotation */
    double peak;
    bool is_first;
};

static void
rise(struct pass *pass, double bytes)
{
    pass->peak = fmax(pass->peak, pass->base + pass->cache + bytes);
}

/* Bytes of so many elements for each token of the pass. */
static double
per_token(const struct pass *pass, double elements)
{
    return pass->generation->batch * pass->tokens * elements * pass->generation->element;
}

/* ---- the cache ---- */

static bool
slides(const struct llm_layer *layer)
{
    return layer->mixer == MIXER_SLIDING;
}

/* Keys of one token of a layer; of latent attention the vector and the rotary part of all heads. */
static double
key_bytes(const struct generation *generation, const struct llm_layer *layer)
{
    double heads = layer->mixer == MIXER_LATENT ? 1 : (double)layer->kv_heads;

    return generation->batch * heads * (double)layer->head_size * generation->element;
}

/* Tensors of keys and of values, or of both in one. */
static double
parts(const struct llm_layer *layer)
{
    return layer->mixer == MIXER_LATENT ? 1 : 2;
}

/* Tokens that a layer has memory for when `count` have passed. The prompt's tensor is kept whole until the next step. */
static double
kept_tokens(const struct generation *generation, const struct llm_layer *layer, double count)
{
    double window = (double)generation->llm->window;

    if (generation->is_static)
        count = generation->prompt + generation->new_tokens - 1;
    if (!slides(layer) || (!generation->is_static && count <= generation->prompt))
        return count;
    return fmin(count, window);
}

static double
layer_cache(const struct generation *generation, const struct llm_layer *layer, double count)
{
    if (!layer_has_cache(layer))
        return 0;
    return parts(layer) * key_bytes(generation, layer) * kept_tokens(generation, layer, count);
}

/* ---- what lies around the layers ---- */

/* Tables of sines and cosines: of each sequence, of one kind or, with layers that slide, of two. */
static double
rope_bytes(const struct pass *pass)
{
    const struct llm_tensors *tensors = &pass->generation->llm->tensors;
    double kinds = tensors->ropes > 2 ? 1 : (double)tensors->ropes;

    return 2 * kinds * per_token(pass, (double)tensors->rotary_size);
}

static double
count_sliding(const memmodel_llm *llm)
{
    double count = 0;

    for (size_t i = 0; i < llm->layer_count; i++)
        count += slides(&llm->layers[i]);
    return count;
}

/* The mask of a pass: of each sequence with a static cache. Without, where no window cuts, there is none. */
static double
mask_bytes(const struct pass *pass)
{
    const struct generation *generation = pass->generation;
    double sliding = count_sliding(generation->llm), window = (double)generation->llm->window;
    double all = generation->prompt + generation->new_tokens - 1,
           sequences = generation->is_static ? generation->batch : 1;

    if (generation->is_static && !pass->is_first)
        return sequences *
               ((sliding > 0 ? fmin(all, window) : 0) + (sliding < (double)generation->llm->layer_count ? all : 0));
    if (sliding == 0 || pass->before + pass->tokens < window)
        return 0;
    return sequences * (pass->is_first ? pass->tokens * pass->tokens : window);
}

/* How many tokens have passed: a number for each layer that slides, of a static cache for each layer. */
static double
counter_bytes(const struct generation *generation)
{
    return INT64 * (generation->is_static ? (double)generation->llm->layer_count : count_sliding(generation->llm));
}

/* Ids and masks of generate(); in later steps the logits of the last one, and their copy in float32. */
static double
base_bytes(const struct pass *pass)
{
    const struct generation *generation = pass->generation;
    double batch = generation->batch, ids = INT64 * batch, vocabulary = (double)generation->llm->vocabulary;
    double bytes = 2 * ids * generation->prompt + 3 * INT64 + ids + rope_bytes(pass) + mask_bytes(pass) +
                   counter_bytes(generation);

    if (pass->is_first)
        return bytes + ids * generation->prompt;
    return bytes + batch * vocabulary * (generation->element + FLOAT32) + 2 * ids * (pass->before + 1) + 3 * ids;
}

/* ---- feed-forward parts ---- */

/* Gate, its activation and the other projection; GPT-2's activation makes four. */
static double
dense_bytes(const struct pass *pass, const struct llm_layer *layer)
{
    const memmodel_llm *llm = pass->generation->llm;
    double hidden = per_token(pass, (double)llm->hidden), width = per_token(pass, (double)layer->intermediate);

    if (llm->tensors.plain_mlp)
        return 6 * hidden + 4 * width + INT64 + FLOAT32;
    return 4 * hidden + 3 * width;
}

/* Tokens gathered for their experts, both projections in one, and what the router made. */
static double
expert_bytes(const struct pass *pass)
{
    const struct generation *generation = pass->generation;
    const struct llm_experts *experts = &generation->llm->experts;
    double tokens = generation->batch * pass->tokens, count = (double)experts->count, chosen = (double)experts->chosen;
    double element = generation->element, width = (double)experts->intermediate,
           hidden = (double)generation->llm->hidden;
    double router = tokens * count * FLOAT32 + tokens * chosen * (3 * element + 3 * INT64) + 2 * FLOAT32 * count;

    return 4 * per_token(pass, hidden) + router + tokens * chosen * (hidden + 4 * width) * element;
}

static void
run_feed(struct pass *pass, const struct llm_layer *layer)
{
    if (layer->feed == FEED_DENSE)
        rise(pass, dense_bytes(pass, layer));
    else if (layer->feed == FEED_EXPERTS)
        rise(pass, expert_bytes(pass));
}

/* ---- attention ---- */

/* Queries, keys and values of the pass; GPT-2 has them in one tensor, and positions besides. */
static double
attention_inputs(const struct pass *pass, const struct llm_layer *layer)
{
    const memmodel_llm *llm = pass->generation->llm;
    double hidden = per_token(pass, (double)llm->hidden);
    double own = per_token(pass, (double)((layer->heads + 2 * layer->kv_heads) * layer->head_size));
    bool is_input = layer == llm->layers; /* whose residual is the embedding itself */

    return (llm->tensors.positions ? 4 : is_input ? 2 : 3) * hidden + own;
}

/* Tokens that have memory of a layer before the pass. */
static double
old_cache(const struct pass *pass, const struct llm_layer *layer)
{
    return pass->is_first ? 0 : layer_cache(pass->generation, layer, pass->before);
}

/*
 * New tensors of all tokens take the place of the old ones: keys, then values; of layers that slide both at once. A static cache
 * is written into, but moved by one token in layers that slide.
 */
static double
transient_bytes(const struct pass *pass, const struct llm_layer *layer)
{
    double old = old_cache(pass, layer);

    if (pass->is_first || layer->shares_cache)
        return 0;
    if (pass->generation->is_static)
        return slides(layer) && pass->before + pass->tokens > (double)pass->generation->llm->window ? old + INT64 : 0;
    return slides(layer) ? old : old / 2;
}

/* In the first pass rotation takes most: queries, times cosines and sines, and turned. */
static void
run_attention(struct pass *pass, const struct llm_layer *layer)
{
    double inputs = attention_inputs(pass, layer), queries = per_token(pass, (double)(layer->heads * layer->head_size));
    double new = layer_cache(pass->generation, layer, pass->before + pass->tokens);

    if (pass->is_first)
        rise(pass, inputs + 3 * queries);
    pass->cache += new - old_cache(pass, layer);
    if (!pass->is_first)
        rise(pass, inputs + transient_bytes(pass, layer));
}

/*
 * Keys and values of all tokens are made anew from their latent vectors, and the scores of PyTorch's plain attention: with a
 * mask, its softmax, and which of its rows are all masked, in the first pass; or then the output, and of several sequences a copy of
 * the values.
 */
static void
run_latent(struct pass *pass, const struct llm_layer *layer)
{
    const struct generation *generation = pass->generation;
    const struct llm_latent *latent = &generation->llm->latent;
    double count = pass->before + pass->tokens, element = generation->element, heads = (double)layer->heads;
    double size = (double)(latent->plain + latent->rotary), rows = generation->batch * heads * pass->tokens;
    double query = rows * size * element, scores = rows * count;
    double inputs = 3 * per_token(pass, (double)generation->llm->hidden) +
                    per_token(pass, (double)(latent->kv_rank + latent->rotary)) +
                    rows * (double)latent->rotary * element;
    double all = generation->batch * count * heads * element, expanded = all * (double)(latent->plain + latent->value);

    pass->cache += layer_cache(generation, layer, count) - old_cache(pass, layer);
    if (!pass->is_first) {
        rise(pass, inputs + 3 * query + expanded + 2 * all * size + scores * element);
        return;
    }
    inputs += 2 * query + expanded + 2 * all * size + count * count * FLOAT32 + scores * element;
    rise(pass, inputs + scores * element + scores + rows + FLOAT32);
    rise(pass, inputs + (generation->batch > 1 ? 2 : 1) * all * (double)latent->value);
}

/* ---- passes ---- */

static void
run_layer(struct pass *pass, const struct llm_layer *layer)
{
    if (layer->mixer == MIXER_LATENT)
        run_latent(pass, layer);
    else if (layer->mixer == MIXER_FULL || layer->mixer == MIXER_SLIDING)
        run_attention(pass, layer);
    run_feed(pass, layer);
}

static double
all_caches(const struct generation *generation, double count)
{
    double bytes = 0;

    for (size_t i = 0; count > 0 && i < generation->llm->layer_count; i++)
        bytes += layer_cache(generation, &generation->llm->layers[i], count);
    return bytes;
}

static double
run_pass(const struct generation *generation, double tokens, double before)
{
    struct pass pass = {.generation = generation, .tokens = tokens, .before = before, .is_first = before == 0};

    pass.base = base_bytes(&pass);
    pass.cache = pass.is_first ? 0 : all_caches(generation, before);
    for (size_t i = 0; i < generation->llm->layer_count; i++)
        run_layer(&pass, &generation->llm->layers[i]);
    return pass.peak;
}

void
generation_measure(const struct generation *generation, struct generation_peaks *peaks)
{
    double last = generation->prompt + generation->new_tokens - 2; /* tokens in the cache before the last step */
    bool steps = generation->new_tokens > 1;

    peaks->prefill = run_pass(generation, generation->prompt, 0);
    peaks->first = steps ? run_pass(generation, 1, generation->prompt) : 0;
    peaks->last = steps ? run_pass(generation, 1, last) : 0;
    peaks->cache = all_caches(generation, generation->prompt + generation->new_tokens - 1);
    peaks->growth =
        steps ? fmax(0, peaks->cache - all_caches(generation, last)) : 0; /* a prompt's tensor is released */
}

/* Gemma 3 scales its embedding by a number that is a buffer. */
double
generation_buffers(const memmodel_llm *llm)
{
    double scale = strncmp(llm->model_type, "gemma3", 6) == 0 ? FLOAT32 : 0;

    return scale +
           FLOAT32 * (double)llm->tensors.rotary_size * (llm->tensors.ropes > 2 ? 1 : (double)llm->tensors.ropes);
}
