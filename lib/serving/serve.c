/* memmodel_serve(): the question with its defaults, the engine that answers it, and the answer. */
#include "serving/serve.h"

#include "base/checked.h"
#include "base/choice.h"
#include "base/environment.h"
#include "base/text.h"
#include "memmodel/job.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct engine *const engines[] = {&engine_vllm, &engine_sglang, &engine_llamacpp};

enum { ENGINE_COUNT = sizeof engines / sizeof engines[0] };

/* ---- what engines use ---- */

const char *
serving_kind(enum mixer mixer)
{
    static const char *const kinds[] = {
        [MIXER_NONE] = "none",     [MIXER_FULL] = "full",       [MIXER_SLIDING] = "sliding",
        [MIXER_LATENT] = "latent", [MIXER_DELTA] = "recurrent", [MIXER_MAMBA] = "recurrent",
    };

    return kinds[mixer];
}

void
serving_note(struct answer *answer, const char *what)
{
    if (answer->note_count < LLM_MAX_NOTES)
        answer->notes[answer->note_count++] = what;
}

int
serving_add_pool(const struct serve_query *query, struct answer *answer, const struct memmodel_serving_pool *pool)
{
    if (answer->pool_count == SERVING_MAX_POOLS)
        return context_error(query->context, MEMMODEL_ERROR_UNSUPPORTED, query->llm->model_type,
                             "more than %d kinds of layers have a cache", SERVING_MAX_POOLS);
    answer->pools[answer->pool_count] = *pool;
    answer->pools[answer->pool_count++].size = sizeof *pool;
    return 0;
}

/*
 * vllm/distributed/utils.py, get_pp_indices: what does not divide goes to the stages before the last, one layer each, from
 * behind.
 */
struct place
serve_place(const struct serve_query *query, int64_t index)
{
    int64_t layers = (int64_t)query->llm->layer_count, stages = query->pipeline;
    int64_t each = layers / stages, rest = layers % stages, first = 0, count = each;

    for (int64_t i = 0; i <= index; i++) {
        first += i ? count : 0;
        count = each + (i < stages - 1 && i >= stages - 1 - rest);
    }
    return (struct place){.tensor = query->tensor,
                          .experts = query->experts,
                          .cuts = query->cuts,
                          .first = (size_t)first,
                          .last = (size_t)(first + count),
                          .has_embedding = index == 0,
                          .has_head = index == stages - 1};
}

/* vllm/model_executor/layers/quantization/mxfp4.py: Triton's kernels on Hopper, TensorRT's on Blackwell, Marlin before. */
static int64_t
expert_padding(const struct gpu *gpu)
{
    enum { HOPPER = 90 };

    if (!gpu || gpu->capability == HOPPER)
        return 64;
    return gpu->capability > HOPPER ? 256 : 128;
}

/*
 * vLLM splits no block of 20 MiB and more while it loads a model, since pull request 41268 of April 2026: v1/worker/
 * gpu_worker.py, load_model(). What such a weight leaves of its segment is then counted with it.
 */
static const char *
loading_settings(const struct serve_query *query)
{
    enum { UNSPLIT_VERSION = 21 };

    return query->version >= UNSPLIT_VERSION ? "max_split_size_mb:20" : NULL;
}

int
serve_weights(const struct serve_query *query, const struct place *place, bool rounds, int64_t *bytes)
{
    const struct weights_options options = {.element = query->element,
                                            .quantization = &query->quantization,
                                            .batched_tokens = query->options.batched_tokens,
                                            .expert_padding = expert_padding(query->gpu),
                                            .rounds = rounds,
                                            .no_tower = query->options.language_model_only,
                                            .settings = loading_settings(query),
                                            .shares = query->shares,
                                            .absorbs = rounds};
    int64_t elements;
    int status = weights_measure(query->context, query->llm, place, &options, bytes, &elements);

    if (!status && query->options.weight_bytes)
        *bytes = query->options.weight_bytes;
    return status;
}

int64_t
serve_kv_heads(const struct llm_layer *layer, int64_t parts)
{
    return max_i64(1, layer->kv_heads / parts);
}

void
serve_state_elements(const struct serve_query *query, const struct llm_layer *layer, int64_t *convolution,
                     int64_t *state)
{
    const struct llm_recurrent *recurrent = &query->llm->recurrent;
    int64_t parts = query->tensor, channels;

    if (layer->mixer == MIXER_DELTA) {
        channels =
            (2 * recurrent->key_heads * recurrent->key_size + recurrent->value_heads * recurrent->value_size) / parts;
        *state = recurrent->value_heads / parts * recurrent->key_size * recurrent->value_size;
    } else {
        int64_t groups = recurrent->groups % parts ? round_up(recurrent->groups, parts) : recurrent->groups;

        channels = (recurrent->heads * recurrent->head_size + 2 * groups * recurrent->state) / parts;
        *state = recurrent->heads / parts * recurrent->head_size * recurrent->state;
    }
    *convolution = channels * (recurrent->kernel - 1);
}

int64_t
serve_state_bytes(const struct serve_query *query, const struct llm_layer *layer)
{
    int64_t convolution, state;

    serve_state_elements(query, layer, &convolution, &state);
    return convolution * element_bytes(query->element) +
           state * (query->llm->recurrent.float32_state ? 4 : element_bytes(query->element));
}

/* ---- the question ---- */

static int
find_engine(memmodel_context *context, const char *name, const struct engine **engine)
{
    if (!name)
        name = engines[0]->name;
    for (size_t i = 0; i < ENGINE_COUNT; i++)
        if (strcmp(engines[i]->name, name) == 0) {
            *engine = engines[i];
            return 0;
        }
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "engine",
                         "there is no \"%.40s\"; there are vllm, sglang and llamacpp", name);
}

static int
check_range(memmodel_context *context, const char *name, int64_t value, int64_t max)
{
    if (value >= 0 && value <= max)
        return 0;
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, name,
                         "%" PRId64 " is not from 0, the default, to %" PRId64, value, max);
}

static int
check_ranges(memmodel_context *context, const struct memmodel_serve_options *options)
{
    const int64_t bytes = INT64_C(1) << 60, tokens = INT64_C(1) << 31;
    const struct {
        const char *name;
        int64_t value, max;
    } rows[] = {
        {"gpu_bytes", options->gpu_bytes, bytes},         {"weight_bytes", options->weight_bytes, bytes},
        {"cache_bytes", options->cache_bytes, bytes},     {"max_length", options->max_length, tokens},
        {"max_sequences", options->max_sequences, 65536}, {"batched_tokens", options->batched_tokens, 1 << 24},
        {"block_size", options->block_size, 65536},       {"draft_layers", options->draft_layers, 4096},
    };
    int status = 0;

    for (size_t i = 0; !status && i < sizeof rows / sizeof rows[0]; i++)
        status = check_range(context, rows[i].name, rows[i].value, rows[i].max);
    if (!status)
        status = flag_check(context, NULL, "kv_unified", options->kv_unified);
    if (!status)
        status = flag_check(context, NULL, "language_model_only", options->language_model_only);
    if (!status && !(options->utilization >= 0 && options->utilization <= 1))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "utilization",
                             "it is a part of the GPU's memory, above 0 and at most 1");
    if (!status && !(options->sliding_ratio >= 0 && options->sliding_ratio <= 1000))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "sliding_ratio",
                             "it is above 0 and at most 1000");
    return status;
}

static int
read_mesh(struct serve_query *query)
{
    static const char *const axes[] = {"dp", "pp", "tp", "ep", NULL};
    int status = mesh_parse(query->context, query->options.mesh, axes, &query->mesh);

    if (status)
        return status;
    query->tensor = mesh_size(&query->mesh, "tp");
    query->pipeline = mesh_size(&query->mesh, "pp");
    query->data = mesh_size(&query->mesh, "dp");
    query->experts = mesh_size(&query->mesh, "ep");
    query->cuts = query->tensor;
    if (query->pipeline > (int64_t)query->llm->layer_count)
        return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh",
                             "pp=%" PRId64 " is more than %zu layers", query->pipeline, query->llm->layer_count);
    return 0;
}

/* Heads of keys are cut as those of queries are, or each is there several times. */
static int
check_heads(const struct serve_query *query)
{
    for (size_t i = 0; i < query->llm->layer_count; i++) {
        const struct llm_layer *layer = &query->llm->layers[i];

        if ((layer->mixer == MIXER_FULL || layer->mixer == MIXER_SLIDING) && layer->kv_heads % query->tensor &&
            query->tensor % layer->kv_heads)
            return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh",
                                 "tp=%" PRId64 " does not divide %" PRId64 " key heads, nor is it a multiple of them",
                                 query->tensor, layer->kv_heads);
    }
    return 0;
}

/* "0.11.2rc1" is 11; development builds ("0.1.dev...") are the newest. */
static int
read_version(struct serve_query *query)
{
    const char *text = query->options.engine_version;
    int major, minor, end = 0;

    query->version = INT_MAX;
    if (!text || strncmp(text, "0.1.dev", 7) == 0)
        return 0;
    if (strlen(text) > 60 || sscanf(text, "%4d.%4d%n", &major, &minor, &end) != 2 || major < 0 || minor < 0)
        return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "engine_version",
                             "\"%.40s\" is no version such as 0.11", text);
    query->version = 100 * major + minor;
    return 0;
}

static int
read_types(struct serve_query *query)
{
    const struct memmodel_serve_options *options = &query->options;
    bool is_fp8 = query->llm->cache_is_fp8 && !options->quantization;
    int status = 0;

    query->element = query->llm->dtype == ELEMENT_FLOAT32 ? ELEMENT_BFLOAT16 : query->llm->dtype;
    if (options->dtype && !element_of_name(options->dtype, &query->element))
        return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "dtype",
                             "there is no \"%.40s\"; there are float32, float16 and bfloat16", options->dtype);
    query->quantization = query->llm->quantization;
    if (options->quantization)
        status = quantization_find(query->context, options->quantization, &query->quantization);
    return status ? status : kv_find(query->context, options->kv, query->element, is_fp8, &query->kv);
}

static int
find_gpu(struct serve_query *query)
{
    struct memmodel_serve_options *options = &query->options;
    int status = options->gpu ? gpu_find(query->context, options->gpu, &query->gpu) : 0;

    if (!status && query->gpu && !options->gpu_bytes)
        options->gpu_bytes = query->gpu->memory;
    return status;
}

static int
query_start(struct serve_query *query)
{
    int status = check_ranges(query->context, &query->options);

    if (!status)
        status = read_mesh(query);
    if (!status)
        status = check_heads(query);
    if (!status)
        status = read_version(query);
    if (!status)
        status = read_types(query);
    if (!status)
        status = find_gpu(query);
    if (!query->options.max_length)
        query->options.max_length = query->llm->max_length;
    return status;
}

/* ---- the answer ---- */

/* Weights have to fit, and at least one request. */
static int32_t
verdict(const struct memmodel_serve_options *options, const struct memmodel_serving_result *result)
{
    if (!options->gpu_bytes && !options->cache_bytes)
        return MEMMODEL_VERDICT_NONE;
    return result->cache_bytes >= 0 && result->request_count > 0 ? MEMMODEL_VERDICT_FITS : MEMMODEL_VERDICT_EXCEEDS;
}

static bool
is_of_tower(const char *note)
{
    return strcmp(note, NOTE_VISION) == 0 || strcmp(note, NOTE_IMAGES) == 0 || strcmp(note, NOTE_AUDIO) == 0;
}

static int
answer(struct serve_query *query, const struct engine *engine, struct answer *answer)
{
    int status = engine->serve(query, answer);

    answer->result.size = sizeof answer->result;
    answer->result.verdict = verdict(&query->options, &answer->result);
    for (size_t i = 0; i < query->llm->note_count; i++)
        if (!query->options.language_model_only || !is_of_tower(query->llm->notes[i]))
            serving_note(answer, query->llm->notes[i]);
    return status;
}

static int
make(struct serve_query *query, memmodel_serving **serving)
{
    const struct engine *engine = NULL;
    memmodel_serving *new;
    int status = find_engine(query->context, query->options.engine, &engine);

    if (!status)
        status = query_start(query);
    if (status)
        return status;
    new = memory_allocate_zeroed(query->context, 1, sizeof *new);
    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    new->context = memmodel_context_ref(query->context);
    new->engine = engine->name;
    atomic_init(&new->references, 1);
    status = answer(query, engine, &new->answer);
    if (status)
        memmodel_serving_unref(new);
    else
        *serving = new;
    return status;
}

int
memmodel_serve(const memmodel_llm *llm, const struct memmodel_serve_options *options, memmodel_context *context,
               memmodel_serving **serving)
{
    OWN_ENVIRONMENT;
    struct serve_query query = {.llm = llm};
    int status;

    if (!llm || !serving)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    query.context = context ? context : llm->context;
    status = context_begin(query.context);
    if (!status)
        status = options_copy(query.context, "memmodel_serve_options", options, &query.options, sizeof query.options);
    if (!status)
        status = make(&query, serving);
    return context_end(query.context, status);
}

/* ---- reading it ---- */

int
memmodel_serving_get_result(const memmodel_serving *serving, struct memmodel_serving_result *result)
{
    if (!serving || !result)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&serving->answer.result, sizeof serving->answer.result, result);
}

size_t
memmodel_serving_pool_count(const memmodel_serving *serving)
{
    return serving ? serving->answer.pool_count : 0;
}

int
memmodel_serving_get_pool(const memmodel_serving *serving, size_t index, struct memmodel_serving_pool *pool)
{
    if (!serving || !pool || index >= serving->answer.pool_count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&serving->answer.pools[index], sizeof *pool, pool);
}

const char *
memmodel_serving_unmodelled(const memmodel_serving *serving, size_t index)
{
    return serving && index < serving->answer.note_count ? serving->answer.notes[index] : NULL;
}

DEFINE_REF(memmodel_serving)

void
memmodel_serving_unref(memmodel_serving *serving)
{
    memmodel_context *context;

    if (!serving || atomic_fetch_sub(&serving->references, 1) > 1)
        return;
    context = serving->context;
    memory_release(context, serving);
    memmodel_context_unref(context);
}
