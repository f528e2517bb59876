/*
 * Any text read as a config.json is refused with a reason, or becomes a model of which every question is answered, or
 * refused with a reason. The bytes behind the text's end choose the question.
 */
#include "choices.h"
#include "fuzz.h"
#include "json_mutator.h"

static const char *const engines[] = {NULL, "vllm", "sglang", "llamacpp", "other"};
static const char *const versions[] = {NULL, "0.11.2", "0.22", "x"};
static const char *const gpus[] = {NULL, "h100", "a100-80gb", "t4"};
static const char *const meshes[] = {NULL, "tp=2", "tp=8,pp=3", "pp=2", "ep=8", "dp=2,tp=4", "tp=2147483647", "tp=x"};
static const char *const dtypes[] = {NULL, "float16", "float32", "int3"};
static const char *const packings[] = {NULL, "none", "fp8", "nf4", "awq", "gptq", "nvfp4", "mxfp4", "q4_0", "q9"};
static const char *const kinds[] = {NULL, "auto", "fp8", "nvfp4", "q8_0", "float32", "none"};
static const double parts[] = {0, 0.9, 1, 1e-300, -1, 2};
static const int64_t bytes[] = {0, 1, INT64_C(80) << 30, INT64_C(1) << 60, INT64_MAX, -1, INT64_MIN};
static const int64_t counts[] = {
    0, 1, 2, 16, 511, 4096, 65536, 1 << 24, INT64_C(1) << 31, (INT64_C(1) << 31) + 1, INT64_MAX, -1, INT64_MIN};
static const int32_t flags[] = {0, 1, 2, -1};

static struct memmodel_serve_options
choose_options(struct choices *c)
{
    return (struct memmodel_serve_options){.size = sizeof(struct memmodel_serve_options),
                                           .engine = CHOOSE(c, engines),
                                           .engine_version = CHOOSE(c, versions),
                                           .gpu = CHOOSE(c, gpus),
                                           .mesh = CHOOSE(c, meshes),
                                           .dtype = CHOOSE(c, dtypes),
                                           .quantization = CHOOSE(c, packings),
                                           .kv = CHOOSE(c, kinds),
                                           .utilization = CHOOSE(c, parts),
                                           .sliding_ratio = CHOOSE(c, parts),
                                           .gpu_bytes = CHOOSE(c, bytes),
                                           .weight_bytes = CHOOSE(c, bytes),
                                           .cache_bytes = CHOOSE(c, bytes),
                                           .max_length = CHOOSE(c, counts),
                                           .max_sequences = CHOOSE(c, counts),
                                           .batched_tokens = CHOOSE(c, counts),
                                           .block_size = CHOOSE(c, counts),
                                           .draft_layers = CHOOSE(c, counts),
                                           .kv_unified = CHOOSE(c, flags),
                                           .language_model_only = CHOOSE(c, flags)};
}

/* What is answered makes sense: no count is negative, and no more requests are there than fit. */
static void
check_result(const memmodel_serving *serving)
{
    struct memmodel_serving_result result = {.size = sizeof result};

    if (memmodel_serving_get_result(serving, &result))
        abort();
    if (result.weight_bytes < 0 || result.activation_bytes < 0 || result.token_count < 0 || result.block_count < 0 ||
        result.request_count < 0 || result.longest < 0 || result.longest > result.max_length ||
        result.request_bytes < 0)
        abort();
}

static void
ask(memmodel_context *context, const memmodel_llm *llm, struct choices *choices)
{
    struct memmodel_serve_options options = choose_options(choices);
    memmodel_serving *serving;
    char *text;
    int status = memmodel_serve(llm, &options, context, &serving);

    int64_t min;

    expect_explained(context, status);
    if (status)
        return;
    expect_explained(context, memmodel_serve_min(llm, &options, choose(choices, 2) ? "tp" : "pp", context, &min));
    check_result(serving);
    if (!memmodel_serving_to_json(serving, context, &text))
        memmodel_free(text);
    memmodel_serving_unref(serving);
}

/* What is answered is no less than the weights. */
static void
ask_generation(memmodel_context *context, const memmodel_llm *llm, struct choices *choices)
{
    static const char *const caches[] = {NULL, "dynamic", "static", "none"};
    struct memmodel_generate_options options = {.size = sizeof options,
                                                .dtype = CHOOSE(choices, dtypes),
                                                .cache = CHOOSE(choices, caches),
                                                .batch = CHOOSE(choices, counts),
                                                .prompt_tokens = CHOOSE(choices, counts),
                                                .new_tokens = CHOOSE(choices, counts),
                                                .budget = CHOOSE(choices, bytes)};
    struct memmodel_generate_result result = {.size = sizeof result};
    int status = memmodel_generate(llm, &options, context, &result);

    expect_explained(context, status);
    if (!status && (result.peak < result.weight_bytes || result.cache_bytes < 0 || result.token_bytes < 0))
        abort();
}

/* Little memory and work, so that what is beyond is stopped in time. */
static memmodel_context *
bounded_context(void)
{
    struct memmodel_limits limits = {.size = sizeof limits, .memory_bytes = 64 << 20, .nodes = 200000};
    memmodel_context *context;

    if (memmodel_context_new(NULL, &context) || memmodel_context_set_limits(context, &limits))
        abort();
    return context;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t length;
    struct choices choices = choices_behind_text(data, size, &length);
    memmodel_context *context = bounded_context();
    memmodel_llm *llm;
    int status = memmodel_llm_from_json(context, "input", (const char *)data, length, &llm);

    expect_explained(context, status);
    if (!status) {
        ask(context, llm, &choices);
        ask_generation(context, llm, &choices);
        memmodel_llm_unref(llm);
    }
    memmodel_context_unref(context);
    return 0;
}
