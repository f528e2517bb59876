/* memmodel serve: how many tokens and requests an engine holds of a language model. */
#include "llm.h"
#include "table.h"

#include <inttypes.h>
#include <string.h>

/* Named as the fields of struct memmodel_serve_options. */
struct serve_options {
    const char *engine, *engine_version, *gpu, *mesh, *dtype, *quantization, *kv, *min;
    double utilization, sliding_ratio;
    int64_t gpu_bytes, weight_bytes, cache_bytes, max_length, max_sequences, batched_tokens, block_size, draft_layers;
    bool kv_unified, language_model_only, json;
};

#define ROW(name, kind, argument, help, field)                                                                         \
    {                                                                                                                  \
        name, 0, kind, argument, help, offsetof(struct serve_options, field)                                           \
    }

static const struct option options[] = {
    ROW("engine", OPTION_TEXT, "NAME", "vllm, sglang or llamacpp; vllm unless given", engine),
    ROW("engine-version", OPTION_TEXT, "VERSION", "such as 0.11; the newest unless given", engine_version),
    ROW("gpu", OPTION_TEXT, "NAME", "kind of GPU, such as h100", gpu),
    ROW("gpu-bytes", OPTION_BYTES, "BYTES", "of the GPU; sglang: free before the model is loaded", gpu_bytes),
    ROW("utilization", OPTION_NUMBER, "PART", "of the GPU's memory for the engine; 0.9 unless given", utilization),
    ROW("mesh", OPTION_TEXT, "AXES", "tensor, pipeline, data and expert parallel, such as tp=2,pp=1", mesh),
    ROW("min", OPTION_TEXT, "AXIS", "find the least size of this axis that fits: tp or pp", min),
    ROW("dtype", OPTION_TEXT, "NAME", "of weights and activations, such as float16", dtype),
    ROW("quantization", OPTION_TEXT, "NAME", "of the weights: none, fp8, int8, nf4, awq, gptq, nvfp4, mxfp4",
        quantization),
    ROW("kv", OPTION_TEXT, "NAME", "of the cache: auto, bfloat16, float16, fp8, nvfp4; llamacpp: f16, q8_0, q4_0", kv),
    ROW("max-length", OPTION_COUNT, "N", "tokens of a request; llamacpp: the whole context", max_length),
    ROW("max-sequences", OPTION_COUNT, "N", "requests at most at once", max_sequences),
    ROW("batched-tokens", OPTION_COUNT, "N", "tokens of one pass; llamacpp: --ubatch-size", batched_tokens),
    ROW("block-size", OPTION_COUNT, "N", "tokens of a block or page of the cache", block_size),
    ROW("draft-layers", OPTION_INTEGER, "N", "more layers of a draft model", draft_layers),
    ROW("sliding-ratio", OPTION_NUMBER, "RATIO",
        "sglang: tokens of sliding layers to those of others; 0.8 unless given", sliding_ratio),
    ROW("kv-unified", OPTION_FLAG, NULL, "llamacpp: one cache that all sequences share", kv_unified),
    ROW("language-model-only", OPTION_FLAG, NULL, "what sees or hears is not loaded", language_model_only),
    ROW("weight-bytes", OPTION_BYTES, "BYTES", "what the weights take, where it is known", weight_bytes),
    ROW("cache-bytes", OPTION_BYTES, "BYTES", "what the engine gives the cache, where it is known", cache_bytes),
    {"json", 'j', OPTION_FLAG, NULL, "the answer as JSON", offsetof(struct serve_options, json)},
    {0},
};

static struct memmodel_serve_options
options_of(const struct serve_options *given)
{
    return (struct memmodel_serve_options){.size = sizeof(struct memmodel_serve_options),
                                           .engine = given->engine,
                                           .engine_version = given->engine_version,
                                           .gpu = given->gpu,
                                           .mesh = given->mesh,
                                           .dtype = given->dtype,
                                           .quantization = given->quantization,
                                           .kv = given->kv,
                                           .utilization = given->utilization,
                                           .sliding_ratio = given->sliding_ratio,
                                           .gpu_bytes = given->gpu_bytes,
                                           .weight_bytes = given->weight_bytes,
                                           .cache_bytes = given->cache_bytes,
                                           .max_length = given->max_length,
                                           .max_sequences = given->max_sequences,
                                           .batched_tokens = given->batched_tokens,
                                           .block_size = given->block_size,
                                           .draft_layers = given->draft_layers,
                                           .kv_unified = given->kv_unified,
                                           .language_model_only = given->language_model_only};
}

/* ---- text ---- */

/* Whether it was said what memory there is. */
static bool
is_known(const struct memmodel_serving_result *result)
{
    return result->gpu_bytes || result->cache_bytes > 0;
}

static void
print_budget(const struct memmodel_serving_result *result)
{
    if (result->gpu_bytes)
        print_bytes("GPU", result->gpu_bytes, "");
    if (result->gpu_bytes)
        print_bytes("budget", result->budget, "of the GPU, for the engine");
    print_bytes("weights", result->weight_bytes, "");
    if (result->activation_bytes)
        print_bytes("activations", result->activation_bytes, "the most that a pass takes");
    if (result->context_bytes)
        print_bytes("context", result->context_bytes, "kernels and communicators");
    if (is_known(result))
        print_bytes("cache", result->cache_bytes, "");
}

static void
print_cache(const struct memmodel_serving_result *result)
{
    char text[NUMBER_BYTES + 32], number[NUMBER_BYTES];

    snprintf(text, sizeof text, "of %s tokens", format_count(result->block_size, number));
    print_bytes("per token", result->token_bytes, "of a long request");
    print_bytes("per request", result->request_bytes, "");
    if (!is_known(result))
        return;
    if (result->block_size > 1)
        print_count("blocks", result->block_count, text);
    print_count("tokens", result->token_count, "in the cache");
    snprintf(text, sizeof text, "of %s tokens at once (%.2f)", format_count(result->max_length, number),
             result->concurrency);
    print_count("requests", result->request_count, text);
}

static void
print_pools(const memmodel_serving *serving)
{
    char keys[QUANTITY_BYTES], values[QUANTITY_BYTES], tokens[NUMBER_BYTES];

    for (size_t i = 0; i < memmodel_serving_pool_count(serving); i++) {
        struct memmodel_serving_pool pool = {.size = sizeof pool};

        memmodel_serving_get_pool(serving, i, &pool);
        printf("%s layers: %" PRId64 ", %s %s", pool.kind, pool.layer_count, format_count(pool.token_count, tokens),
               strcmp(pool.kind, "recurrent") == 0 ? "states" : "tokens");
        printf(", %s%s%s\n", format_bytes(pool.key_bytes, keys), pool.value_bytes ? " + " : "",
               pool.value_bytes ? format_bytes(pool.value_bytes, values) : "");
    }
}

static void
print_verdict_line(const struct memmodel_serving_result *result)
{
    char needs[QUANTITY_BYTES], has[QUANTITY_BYTES], longest[NUMBER_BYTES];
    const char *word = memmodel_verdict_name(result->verdict);

    if (!is_known(result))
        printf("no verdict: which GPU? --gpu, --gpu-bytes or --cache-bytes says what there is\n");
    else if (result->verdict == MEMMODEL_VERDICT_FITS)
        printf("verdict: %s, %" PRId64 " requests at once\n", word, result->request_count);
    else if (result->verdict == MEMMODEL_VERDICT_EXCEEDS && result->cache_bytes <= 0)
        printf("verdict: %s, weights and a pass take %s more than there is\n", word,
               format_bytes(-result->cache_bytes, needs));
    else if (result->verdict == MEMMODEL_VERDICT_EXCEEDS)
        printf("verdict: %s, one request takes %s of %s; the longest that fits has %s tokens\n", word,
               format_bytes(result->request_bytes, needs), format_bytes(result->cache_bytes, has),
               format_count(result->longest, longest));
}

static void
print_text(const memmodel_serving *serving, const struct memmodel_serving_result *result)
{
    print_budget(result);
    print_cache(result);
    if (is_known(result))
        print_pools(serving);
    for (size_t i = 0; memmodel_serving_unmodelled(serving, i); i++)
        printf("%s%s", i ? ", " : "not counted: ", memmodel_serving_unmodelled(serving, i));
    if (memmodel_serving_unmodelled(serving, 0))
        putchar('\n');
    print_verdict_line(result);
}

/* ---- the answer ---- */

static int
print_answer(const struct command *command, memmodel_context *context, const memmodel_serving *serving, bool json)
{
    struct memmodel_serving_result result = {.size = sizeof result};
    char *text = NULL;
    int status = EXIT_OK;

    memmodel_serving_get_result(serving, &result);
    if (json) {
        int made = memmodel_serving_to_json(serving, context, &text);

        status = command_print(command, context, made, text);
    } else {
        print_text(serving, &result);
    }
    if (!status && result.verdict == MEMMODEL_VERDICT_EXCEEDS)
        return EXIT_EXCEEDS;
    return status;
}

static int
answer(const struct command *command, memmodel_context *context, const struct serve_options *given,
       const memmodel_llm *llm)
{
    const struct memmodel_serve_options asked = options_of(given);
    memmodel_serving *serving;
    int status;

    if (memmodel_serve(llm, &asked, context, &serving))
        return library_error(command, context);
    status = print_answer(command, context, serving, given->json);
    memmodel_serving_unref(serving);
    return status;
}

static int
answer_min(const struct command *command, memmodel_context *context, const struct serve_options *given,
           const memmodel_llm *llm)
{
    const struct memmodel_serve_options asked = options_of(given);
    int64_t min;

    if (memmodel_serve_min(llm, &asked, given->min, context, &min))
        return library_error(command, context);
    if (given->json)
        printf("{\"axis\": \"%s\", \"min\": %" PRId64 "}\n", given->min, min);
    else
        printf("min %s: %" PRId64 "%s\n", given->min, min, min ? "" : "; none fits");
    return min ? EXIT_OK : EXIT_EXCEEDS;
}

static int
work(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
{
    struct serve_options *own = given;
    memmodel_llm *llm;
    int status;

    status = llm_load_operand(command, context, operands, count, &llm);
    if (status)
        return status;
    status = own->min ? answer_min(command, context, own, llm) : answer(command, context, own, llm);
    memmodel_llm_unref(llm);
    return status;
}

const struct command serve_command = {
    .name = "serve",
    .usage = "CONFIG [--gpu NAME] [--mesh AXES] [--max-length N]",
    .summary = "how many requests vLLM, SGLang or llama.cpp holds of a language model",
    .description =
        "Reads the config.json of a checkpoint, as Hugging Face's hub has it, and says what an engine makes of a GPU's\n"
        "memory: weights, the most that a pass takes, the cache in blocks and tokens, and how many requests of\n"
        "--max-length it holds at once. What is known from an engine's log can be given instead of computed:\n"
        "--weight-bytes, --cache-bytes.",
    .examples = "  memmodel serve llama-3.1-8b/config.json --gpu h100 --max-length 32768\n"
                "  memmodel serve llama-3.1-8b/config.json --gpu a100-80gb --mesh tp=2 --kv fp8 --utilization 0.95\n"
                "  memmodel serve llama-3.3-70b/config.json --gpu h100 --max-length 32768 --min tp\n"
                "  memmodel serve llama-3.1-8b/config.json --engine llamacpp --max-length 65536 --kv q8_0\n",
    .exits = "  3    weights or one request of --max-length do not fit\n",
    .options = options,
    .options_bytes = sizeof(struct serve_options),
    .work = work,
};
