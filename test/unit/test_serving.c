/*
 * Language models that answer. Weights, tokens and concurrency are what engines logged: the points of test/data/serving, whose
 * ids stand beside them. Bytes of one rule are computed in comments.
 */
#include "check.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define GIB 1073741824.0

static memmodel_llm *
model(memmodel_context *context, const char *name)
{
    char path[512];
    memmodel_llm *llm;

    snprintf(path, sizeof path, TEST_DATA "/serving/configs/%s.json", name);
    assert_int_equal(memmodel_llm_load(context, path, &llm), 0);
    return llm;
}

static struct memmodel_serving_result
served(memmodel_context *context, const char *name, struct memmodel_serve_options options)
{
    struct memmodel_serving_result result = {.size = sizeof result};
    memmodel_llm *llm = model(context, name);
    memmodel_serving *serving;

    options.size = sizeof options;
    assert_int_equal(memmodel_serve(llm, &options, NULL, &serving), 0);
    assert_int_equal(memmodel_serving_get_result(serving, &result), 0);
    memmodel_serving_unref(serving);
    memmodel_llm_unref(llm);
    return result;
}

#define SERVED(context, name, ...) served(context, name, (struct memmodel_serve_options){__VA_ARGS__})

/* ---- weights ---- */

/* Of logs of versions that split a segment for what is smaller. */
static void
assert_weights(memmodel_context *context, const char *name, const char *mesh, const char *quantization, double gib,
               double tolerance)
{
    struct memmodel_serving_result result =
        SERVED(context, name, .mesh = mesh, .quantization = quantization, .engine_version = "0.20");
    double own = (double)result.weight_bytes / GIB;

    if (!(own / gib - 1 < tolerance && own / gib - 1 > -tolerance))
        fail_msg("%s %s: %.4f GiB, logged %.4f", name, mesh ? mesh : "", own, gib);
}

static void
weights_are_what_vllm_logs(void **state)
{
    static const struct {
        const char *name, *mesh;
        double gib;
    } points[] = {
        {"llama32-1b", NULL, 2.3185},     /* 0f5d0b8de8d8, tied embedding */
        {"llama31-8b", "tp=4", 3.771},    /* 11f39217731d */
        {"llama3-8b", NULL, 14.9596},     /* d24d1149c93d */
        {"llama3-8b", "tp=4", 3.7418},    /* 93de4d */
        {"qwen25-14b", NULL, 27.5681},    /* d41fa3f64332 */
        {"qwen25-32b", "tp=4", 15.3916},  /* 35e3259e1723 */
        {"qwen25-3b", NULL, 5.7916},      /* 8d9f93 */
        {"qwen3-14b", NULL, 27.5185},     /* d6258e4759f6 */
        {"qwen3-emb-8b", NULL, 14.1062},  /* ea4dc21ce0ea, no head */
        {"qwen3-30b-a3b", NULL, 56.9342}, /* 201aeb441f5a, experts */
        {"mistral7b-v03", NULL, 13.5083}, /* 981fc1 */
        {"dsr1-qwen14b", NULL, 27.5916},  /* 7b0a08 */
        {"gemma4-26b", NULL, 47.47},      /* 2fe644, a dense part beside the experts, without its tower */
    };

    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        assert_weights(*state, points[i].name, points[i].mesh, NULL, points[i].gib, 1e-3);
}

static void
towers_are_weights_too(void **state)
{
    assert_weights(*state, "dots-ocr", NULL, NULL, 5.7174, 1e-3);         /* 6da3ee */
    assert_weights(*state, "llava-1.5-7b", NULL, NULL, 13.1343, 1e-3);    /* 78971d, one block less than CLIP has */
    assert_weights(*state, "mistral-small-24b", NULL, NULL, 44.76, 1e-3); /* 9ae328, Pixtral */
    assert_weights(*state, "qwen35-9b", NULL, NULL, 17.66, 1e-3);         /* 9aa6fe */
    assert_weights(*state, "qwen35-27b", "tp=2", NULL, 25.69, 1e-3);      /* 729e5d, cut as the others */
}

static bool
names(const memmodel_serving *serving, const char *what)
{
    const char *named;

    for (size_t i = 0; (named = memmodel_serving_unmodelled(serving, i)); i++)
        if (strcmp(named, what) == 0)
            return true;
    return false;
}

/* Logged 22.62 GiB, 180969b6ada9 and three more; vLLM 0.33 says the same of the configuration's text alone. */
static void
a_language_model_alone_has_no_tower(void **state)
{
    struct memmodel_serve_options options = {.size = sizeof options, .gpu = "h100", .language_model_only = 1};
    struct memmodel_serving_result result = served(*state, "gemma3-12b", options);
    memmodel_llm *llm = model(*state, "gemma3n-e4b");

    assert_true(fabs((double)result.weight_bytes / GIB / 22.62 - 1) < 1.5e-3); /* with its tower 3.4 % more */
    for (options.language_model_only = 0; options.language_model_only < 2; options.language_model_only++) {
        memmodel_serving *serving;

        assert_int_equal(memmodel_serve(llm, &options, NULL, &serving), 0);
        assert_int_equal(names(serving, "audio tower"), !options.language_model_only);
        assert_int_equal(names(serving, "vision tower"), !options.language_model_only);
        memmodel_serving_unref(serving);
    }
    memmodel_llm_unref(llm);
}

static void
packed_weights_are_what_vllm_logs(void **state)
{
    assert_weights(*state, "llama33-70b", NULL, "fp8", 67.72, 1e-2);     /* 4b075c71b4c7 */
    assert_weights(*state, "llama33-70b", "tp=2", "nvfp4", 19.92, 1e-2); /* d9d08b580c1a */
    assert_weights(*state, "llama33-70b", "tp=8", "nvfp4", 5.04, 1e-2);  /* 985707 */
    assert_weights(*state, "llama2-13b", NULL, "awq", 6.8147, 1e-2);     /* 527c1da66c84 */
    assert_weights(*state, "qwen25-32b", NULL, "awq", 18.1425, 1e-2);    /* 7385d8 */
    assert_weights(*state, "qwen3-30b-a3b", NULL, "fp8", 29.08, 1e-2);   /* fe9cf67b0b60 */
}

/* ---- vLLM's cache ---- */

/* A log prints GiB with two digits: the tokens are those of some number of bytes that it rounds so. */
static void
assert_tokens(memmodel_context *context, const char *name, struct memmodel_serve_options options, double gib,
              int64_t tokens, double concurrency)
{
    struct memmodel_serving_result low, high;

    options.cache_bytes = (int64_t)((gib - 0.005) * GIB);
    low = served(context, name, options);
    options.cache_bytes = (int64_t)((gib + 0.005) * GIB);
    high = served(context, name, options);
    if (!(low.token_count <= tokens && tokens <= high.token_count))
        fail_msg("%s: %lld to %lld tokens, logged %lld", name, (long long)low.token_count, (long long)high.token_count,
                 (long long)tokens);
    if (!(low.concurrency < concurrency + 0.0051 && concurrency - 0.0051 < high.concurrency))
        fail_msg("%s: %.3f to %.3f requests, logged %.2f", name, low.concurrency, high.concurrency, concurrency);
}

#define ASSERT_TOKENS(context, name, gib, tokens, concurrency, ...)                                                    \
    assert_tokens(context, name,                                                                                       \
                  (struct memmodel_serve_options){.size = sizeof(struct memmodel_serve_options), __VA_ARGS__}, gib,    \
                  tokens, concurrency)

static void
layers_that_are_alike_fill_the_cache_with_blocks(void **state)
{
    ASSERT_TOKENS(*state, "llama31-8b", 58.15, 476336, 14.54, .max_length = 32768);           /* 4da3101500df */
    ASSERT_TOKENS(*state, "qwen3-8b", 4.11, 59856, 7.31, .max_length = 8192, .mesh = "tp=2"); /* 54f61fecf53a */
    ASSERT_TOKENS(*state, "llama33-70b", 10.23, 268240, 2.05, .mesh = "tp=4", .kv = "fp8");   /* 1b3036466962 */
    ASSERT_TOKENS(*state, "gpt2-small", 5.71, 166160, 324.53, .max_length = 512);             /* 3c0e7252ffd1 */
}

static void
a_latent_cache_is_whole_on_each_gpu(void **state)
{
    ASSERT_TOKENS(*state, "deepseek-v3", 108.18, 3305920, 20.18, .mesh = "tp=8", .kv = "fp8"); /* 178582212920 */
    ASSERT_TOKENS(*state, "deepseek-v3", 62.22, 1901504, 11.61, .mesh = "tp=4", .kv = "fp8");  /* 3527c7c259cb */
}

static int64_t
parameters_of(memmodel_context *context, const char *text)
{
    struct memmodel_llm_result result = {.size = sizeof result};
    memmodel_llm *llm;

    if (memmodel_llm_from_json(context, "config.json", text, strlen(text), &llm))
        fail_msg("%s", memmodel_context_error(context)->message);
    assert_int_equal(memmodel_llm_get_result(llm, &result), 0);
    memmodel_llm_unref(llm);
    return result.parameter_count;
}

#define GEMMA3N(more)                                                                                                  \
    "{\"model_type\": \"gemma3n_text\", \"hidden_size\": 64, \"num_hidden_layers\": 4, \"num_attention_heads\": 2, "   \
    "\"num_key_value_heads\": 1, \"head_dim\": 32, \"vocab_size\": 128, \"intermediate_size\": 128, "                  \
    "\"max_position_embeddings\": 64, \"sliding_window\": 16, \"vocab_size_per_layer_input\": 128, "                   \
    "\"hidden_size_per_layer_input\": 8" more "}"

/*
 * By vllm/model_executor/models/gemma3n.py. Four streams: in each of four layers 4 x 4 and 16 x 4 coefficients, a router of 4 x 64,
 * its norm and a scale of 64; three matrices of 64 x 64 into the others, and three out of them. LAuReL of rank 16: two matrices
 * of 16 x 64 and a norm. A layer that shares has no keys, values and norm of keys: 2 x 32 x 64 + 32.
 */
static void
streams_of_gemma_3n_and_its_shared_layers_are_counted(void **state)
{
    int64_t plain = parameters_of(*state, GEMMA3N(", \"altup_num_inputs\": 1, \"laurel_rank\": 0"));
    int64_t streams = parameters_of(*state, GEMMA3N(", \"altup_num_inputs\": 4, \"laurel_rank\": 0"));
    int64_t laurel = parameters_of(*state, GEMMA3N(", \"altup_num_inputs\": 1, \"laurel_rank\": 16"));
    int64_t shared =
        parameters_of(*state, GEMMA3N(", \"altup_num_inputs\": 1, \"laurel_rank\": 0, \"num_kv_shared_layers\": 1"));

    assert_int_equal(streams - plain, 4 * (4 * 4 + 16 * 4 + 4 * 64 + 64 + 64) + 6 * 64 * 64);
    assert_int_equal(laurel - plain, 4 * (2 * 16 * 64 + 64));
    assert_int_equal(plain - shared, 2 * 32 * 64 + 32);
}

/*
 * 666a8feb7902 logs 51.54 GiB. Segments are of whole 2 MiB: of one for 220.5 MiB, a projection's of each of 62 layers, 1.5 were
 * split off before, and of that for the embedding's 262,208 by 5,376 numbers 1.34375.
 */
static void
what_a_weight_leaves_of_its_segment_is_counted_since_it_is_not_split(void **state)
{
    struct memmodel_serving_result before = SERVED(*state, "gemma3-27b", .engine_version = "0.20"),
                                   since = SERVED(*state, "gemma3-27b", .engine_version = "0.22");
    double mib = (double)(since.weight_bytes - before.weight_bytes) / (1 << 20);

    assert_true(fabs((double)since.weight_bytes / GIB - 51.54) < 0.005);
    assert_true(mib > 62 * 1.5 + 1.34375 - 1 && mib < 62 * 1.5 + 1.34375 + 1);
}

static void
layers_that_slide_share_blocks_with_others(void **state)
{
    /* f0797cba6796: two groups of 18 layers */
    ASSERT_TOKENS(*state, "gpt-oss-120b", 45.32, 2640144, 284.25, .mesh = "tp=4", .max_length = 16384,
                  .batched_tokens = 2048, .engine_version = "0.10.1.1");
    /* 666a8f: 52 and 10 layers, eight of padding */
    ASSERT_TOKENS(*state, "gemma3-27b", 41.66, 884276, 6.75, .kv = "fp8", .max_length = 131072, .batched_tokens = 4096,
                  .engine_version = "0.25");
    /* a02768: the last 15 of 35 layers have no cache of their own */
    ASSERT_TOKENS(*state, "gemma3n-e4b", 4.08, 106848, 28.88, .max_length = 8192, .batched_tokens = 2048,
                  .engine_version = "0.10.1.1");
    /* 1a5936fe8c68: blocks of 16 and 32 tokens have pages of one size */
    ASSERT_TOKENS(*state, "gemma4-31b", 22.45, 123389, 15.06, .kv = "fp8", .max_length = 8192, .batched_tokens = 2048,
                  .engine_version = "0.25");
}

/* What vLLM 0.33 printed on a simulated GPU (test/cuda/compare_serving.py); 302,499 before: 180969b6ada9. */
static void
a_window_keeps_the_tokens_of_two_batches(void **state)
{
    ASSERT_TOKENS(*state, "gemma3-12b", 53.26, 211041, 25.76, .max_length = 8192, .batched_tokens = 2048);
    ASSERT_TOKENS(*state, "gemma3-12b", 53.26, 302499, 36.93, .max_length = 8192, .batched_tokens = 2048,
                  .engine_version = "0.25");
}

static void
recurrent_layers_make_blocks_as_long_as_their_state(void **state)
{
    struct memmodel_serving_result result;

    /* b5d60f562a5d...: 784 tokens, as its log says */
    ASSERT_TOKENS(*state, "qwen35-27b", 7.56, 123088, 9.42, .mesh = "tp=4", .max_length = 50000,
                  .engine_version = "0.19.0");
    ASSERT_TOKENS(*state, "qwen35-9b", 15.85, 129360, 51.74, .max_length = 8192, .engine_version = "0.18.0");
    ASSERT_TOKENS(*state, "nemotron3-nano-4b", 103.39, 1934432, 216.94, .max_length = 49152, .kv = "fp8",
                  .engine_version = "0.19.2");
    result = SERVED(*state, "qwen35-27b", .mesh = "tp=4", .cache_bytes = INT64_C(1) << 33);
    assert_int_equal(result.block_size, 784);
}

/* ---- the budget ---- */

/* H100 of 79.18 GiB, 90 %, 8,192 tokens and 1,024 requests (201aeb441f5a): 56.93 + 5.58 + 0.07 leave 8.68. */
static void
what_weights_and_a_pass_leave_is_the_cache(void **state)
{
    struct memmodel_serving_result result = SERVED(*state, "qwen3-30b-a3b", .gpu = "h100", .max_length = 6144);

    assert_true((double)result.activation_bytes > 5.0 * GIB && (double)result.activation_bytes < 6.1 * GIB);
    assert_true((double)result.token_count > 94784 * 0.97 && (double)result.token_count < 94784 * 1.03);
    assert_int_equal(result.verdict, MEMMODEL_VERDICT_FITS);
    assert_int_equal(result.request_count, result.block_count / (6144 / 16));
}

/* 67.72 GiB of weights and 4.84 of a pass leave -1.44 GiB of 90 % of an H100 (4b075c71b4c7). */
static void
what_does_not_fit_is_an_answer(void **state)
{
    struct memmodel_serving_result result =
        SERVED(*state, "llama33-70b", .gpu = "h100", .quantization = "fp8", .max_length = 16000);

    assert_int_equal(result.verdict, MEMMODEL_VERDICT_EXCEEDS);
    assert_true((double)result.cache_bytes < -1.2 * GIB && (double)result.cache_bytes > -1.7 * GIB);
    assert_int_equal(result.token_count, 0);
}

/* 131 GiB of weights: a half is too much for 90 % of 79 GiB with a pass, an eighth for 90 % of a T4's 14.6 GiB. */
static void
the_least_number_of_gpus_is_found(void **state)
{
    struct memmodel_serve_options options = {.size = sizeof options, .gpu = "h100", .max_length = 32768};
    memmodel_llm *llm = model(*state, "llama33-70b");
    int64_t min;

    assert_int_equal(memmodel_serve_min(llm, &options, "tp", NULL, &min), 0);
    assert_int_equal(min, 4);
    options.mesh = "pp=2,tp=1";
    assert_int_equal(memmodel_serve_min(llm, &options, "tp", NULL, &min), 0);
    assert_int_equal(min, 2);
    options.gpu = "t4";
    options.mesh = NULL;
    assert_int_equal(memmodel_serve_min(llm, &options, "tp", NULL, &min), 0);
    assert_int_equal(min, 16);
    options.max_length = INT64_C(1) << 31;
    assert_int_equal(memmodel_serve_min(llm, &options, "tp", NULL, &min), 0);
    assert_int_equal(min, 0);
    assert_error(*state, memmodel_serve_min(llm, &options, "dp", *state, &min), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "tp and pp");
    options.gpu = NULL;
    assert_error(*state, memmodel_serve_min(llm, &options, "tp", *state, &min), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "which GPU");
    memmodel_llm_unref(llm);
}

/* One block of Llama-3.1-8B has 16 tokens of 2 * 8 * 128 * 2 bytes in 32 layers: 2 MiB. */
static void
the_longest_request_is_what_the_blocks_hold(void **state)
{
    struct memmodel_serving_result result =
        SERVED(*state, "llama31-8b", .cache_bytes = 100 << 20, .max_length = 131072);

    assert_int_equal(result.block_count, 50);
    assert_int_equal(result.longest, 800);
    assert_int_equal(result.token_bytes, 131072);
    assert_int_equal(result.request_bytes, INT64_C(131072) * 131072);
    assert_int_equal(result.verdict, MEMMODEL_VERDICT_EXCEEDS);
}

/* ---- other engines ---- */

static struct memmodel_serving_pool
pool_of(memmodel_context *context, const char *name, struct memmodel_serve_options options, size_t index)
{
    struct memmodel_serving_pool pool = {.size = sizeof pool};
    memmodel_llm *llm = model(context, name);
    memmodel_serving *serving;

    options.size = sizeof options;
    assert_int_equal(memmodel_serve(llm, &options, NULL, &serving), 0);
    assert_int_equal(memmodel_serving_get_pool(serving, index, &pool), 0);
    memmodel_serving_unref(serving);
    memmodel_llm_unref(llm);
    return pool;
}

#define POOL(context, name, index, ...) pool_of(context, name, (struct memmodel_serve_options){__VA_ARGS__}, index)

/* b8ad32: "12 layers, K (f16): 384.00 MiB" of 32,768 cells, and 2,304 cells of 27.00 MiB that slide. */
static void
llama_cpp_has_cells_for_its_context(void **state)
{
    struct memmodel_serving_pool full =
        POOL(*state, "gpt-oss-20b", 0, .engine = "llamacpp", .max_length = 32768, .batched_tokens = 2048);
    struct memmodel_serving_pool sliding =
        POOL(*state, "gpt-oss-20b", 1, .engine = "llamacpp", .max_length = 32768, .batched_tokens = 2048);

    assert_int_equal(full.key_bytes, INT64_C(384) << 20);
    assert_int_equal(full.value_bytes, INT64_C(384) << 20);
    assert_int_equal(sliding.token_count, 2304);
    assert_int_equal(sliding.key_bytes, INT64_C(27) << 20);
}

/* f3557d: R 5.62 MiB and S 144.00 MiB of a sequence. */
static void
llama_cpp_keeps_a_state_for_each_sequence(void **state)
{
    struct memmodel_serving_pool states = POOL(*state, "qwen35-27b", 1, .engine = "llamacpp", .max_length = 16384);

    assert_int_equal(states.value_bytes, INT64_C(144) << 20);
    assert_int_equal(states.key_bytes, INT64_C(5625) * 1048576 / 1000);
}

/* 57877e: tp=2, fp8, 73,714 tokens that slide and 92,143 others from 31.49 - 10.95 - 31.49 * 0.15 GiB. */
static void
sglang_cuts_what_is_left_into_two_pools(void **state)
{
    struct memmodel_serve_options options = {.engine = "sglang",
                                             .mesh = "tp=2",
                                             .kv = "fp8",
                                             .utilization = 0.85,
                                             .gpu_bytes = (int64_t)(31.49 * GIB),
                                             .weight_bytes = (int64_t)(10.95 * GIB)};
    struct memmodel_serving_pool sliding = pool_of(*state, "gemma4-31b", options, 0);
    struct memmodel_serving_pool full = pool_of(*state, "gemma4-31b", options, 1);

    assert_true((double)sliding.token_count > 73714 * 0.98 && (double)sliding.token_count < 73714 * 1.02);
    assert_true((double)full.token_count > 92143 * 0.98 && (double)full.token_count < 92143 * 1.02);
}

/* ---- generate() of transformers ---- */

/*
 * Peaks of live tensors that transformers 5.23 had on PyTorch 2.13: in the pass over the prompt, and in the first and the last
 * over one token; test/data/serving/generations.jsonl.
 */
static void
passes_peak_as_transformers_do(void **state)
{
    static const struct {
        const char *name;
        int64_t batch, prompt, new_tokens;
        const char *cache;
        int64_t prefill, first, last;
    } runs[] = {
        {"tiny-llama", 2, 64, 32, NULL, 17067176, 15533096, 15672296},
        {"tiny-llama", 4, 200, 4, NULL, 26937528, 17154232, 17172792},
        {"tiny-llama", 2, 64, 8, "static", 17095880, 15540566, 15540758},
        {"tiny-gpt2", 3, 150, 16, NULL, 29576316, 19997376, 20385120},
        {"tiny-gpt2", 2, 64, 4, "static", 19723348, 16918106, 16918170},
        {"tiny-qwen3", 2, 64, 4, NULL, 17068200, 15534120, 15543400},
        {"tiny-mistral", 1, 40, 40, NULL, 15774656, 15314112, 15374176}, /* fills its window */
        {"tiny-mistral", 2, 100, 8, NULL, 18134744, 15710152, 15564936}, /* a prompt beyond it */
        {"tiny-mistral", 2, 200, 4, "static", 20585288, 15572816, 15572880},
        {"tiny-mixtral", 2, 64, 4, NULL, 28090568, 25244920, 25251128},
        {"tiny-deepseek", 1, 40, 12, NULL, 15591780, 15218112, 15279392},
        {"tiny-gemma3", 2, 100, 4, NULL, 19734116, 17613636, 17095556},
        {"tiny-mistralb", 2, 30, 20, NULL, 11078032, 10604880, 10689976},
        {"tiny-mixtralb", 2, 48, 5, NULL, 27483880, 25841624, 25850936},
        {"tiny-gpt2b", 2, 70, 5, NULL, 23052212, 19347496, 19401352},
    };

    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct memmodel_generate_options options = {.size = sizeof options,
                                                    .batch = runs[i].batch,
                                                    .prompt_tokens = runs[i].prompt,
                                                    .new_tokens = runs[i].new_tokens,
                                                    .cache = runs[i].cache};
        struct memmodel_generate_result result = {.size = sizeof result};
        memmodel_llm *llm = model(*state, runs[i].name);

        assert_int_equal(memmodel_generate(llm, &options, NULL, &result), 0);
        if (result.prefill_peak != runs[i].prefill || result.first_peak != runs[i].first ||
            result.last_peak != runs[i].last)
            fail_msg("%s %s: %lld, %lld, %lld", runs[i].name, runs[i].cache ? runs[i].cache : "",
                     (long long)result.prefill_peak, (long long)result.first_peak, (long long)result.last_peak);
        memmodel_llm_unref(llm);
    }
}

/* Keys and values of Llama-3.1-8B are 131,072 bytes a token: 8 sequences of 2,048 + 512 - 1 tokens. */
static void
a_generation_has_a_cache_and_a_verdict(void **state)
{
    struct memmodel_generate_options options = {
        .size = sizeof options, .batch = 8, .prompt_tokens = 2048, .new_tokens = 512, .budget = INT64_C(18) << 30};
    struct memmodel_generate_result result = {.size = sizeof result};
    memmodel_llm *llm = model(*state, "llama31-8b");

    assert_int_equal(memmodel_generate(llm, &options, NULL, &result), 0);
    assert_int_equal(result.cache_bytes, INT64_C(131072) * 8 * 2559);
    assert_int_equal(result.token_bytes, 131072 * 8);
    assert_int_equal(result.verdict, MEMMODEL_VERDICT_EXCEEDS);
    assert_int_equal(result.headroom, options.budget - result.peak);
    memmodel_llm_unref(llm);
}

static void
a_generation_that_has_no_rule_is_refused(void **state)
{
    static const struct {
        const char *name;
        struct memmodel_generate_options options;
        int status;
        const char *part;
    } wrong[] = {
        {"qwen35-9b", {0}, MEMMODEL_ERROR_UNSUPPORTED, "recurrent layers have no rule"},
        {"gpt-oss-20b", {0}, MEMMODEL_ERROR_UNSUPPORTED, "mxfp4 weights have no rule"},
        {"tiny-gpt2", {.new_tokens = 2000}, MEMMODEL_ERROR_INVALID_ARGUMENT, "more than 1024 positions"},
        {"tiny-llama", {.cache = "paged"}, MEMMODEL_ERROR_INVALID_ARGUMENT, "there are dynamic and static"},
        {"tiny-llama", {.dtype = "int8"}, MEMMODEL_ERROR_INVALID_ARGUMENT, "there are float32"},
        {"tiny-llama", {.batch = -1}, MEMMODEL_ERROR_INVALID_ARGUMENT, "-1 is not from 0"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct memmodel_generate_options options = wrong[i].options;
        struct memmodel_generate_result result = {.size = sizeof result};
        memmodel_llm *llm = model(*state, wrong[i].name);

        options.size = sizeof options;
        assert_error(*state, memmodel_generate(llm, &options, *state, &result), wrong[i].status, wrong[i].part);
        memmodel_llm_unref(llm);
    }
}

/* ---- what is refused ---- */

static int
read_text(memmodel_context *context, const char *text)
{
    memmodel_llm *llm = NULL;
    int status = memmodel_llm_from_json(context, "config.json", text, strlen(text), &llm);

    memmodel_llm_unref(llm);
    return status;
}

static void
a_config_that_is_not_understood_is_refused_by_its_key(void **state)
{
    static const struct {
        const char *text;
        int status;
        const char *part;
    } wrong[] = {
        {"{}", MEMMODEL_ERROR_PARSE, "\"model_type\" is missing"},
        {"[1]", MEMMODEL_ERROR_PARSE, "an object"},
        {"{\"model_type\": \"llama\"}", MEMMODEL_ERROR_PARSE, "\"hidden_size\" is missing"},
        {"{\"model_type\": \"llama\", \"hidden_size\": 0}", MEMMODEL_ERROR_PARSE, "\"hidden_size\" is 0"},
        {"{\"model_type\": \"llama\", \"hidden_size\": \"x\"}", MEMMODEL_ERROR_PARSE,
         "\"hidden_size\" is not a whole number"},
        {"{\"model_type\": \"bert\", \"hidden_size\": 64}", MEMMODEL_ERROR_UNSUPPORTED, "\"bert\""},
        {"{\"model_type\": \"mixtral\", \"hidden_size\": 64, \"num_hidden_layers\": 1, \"num_attention_heads\": 4, "
         "\"vocab_size\": 8, \"max_position_embeddings\": 8}",
         MEMMODEL_ERROR_PARSE, "\"num_experts\" is missing"},
        {"{\"model_type\": \"llama\", \"hidden_size\": 64, \"intermediate_size\": 64, \"num_hidden_layers\": 1, "
         "\"num_attention_heads\": 4, \"vocab_size\": 8, \"max_position_embeddings\": 8, \"quantization_config\": "
         "{\"quant_method\": \"exl3\"}}",
         MEMMODEL_ERROR_UNSUPPORTED, "\"exl3\" is not modelled"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_error(*state, read_text(*state, wrong[i].text), wrong[i].status, wrong[i].part);
}

static void
a_question_that_is_wrong_is_refused_by_its_option(void **state)
{
    static const struct {
        struct memmodel_serve_options options;
        const char *part;
    } wrong[] = {
        {{.engine = "tgi"}, "there are vllm"},
        {{.mesh = "tp=3"}, "tp=3 does not divide 8 key heads"},
        {{.mesh = "tp=64"}, "tp=64 does not divide"},
        {{.mesh = "pp=33"}, "more than 32 layers"},
        {{.kv = "int3"}, "int3"},
        {{.quantization = "q9"}, "q9"},
        {{.dtype = "int8"}, "int8"},
        {{.utilization = 1.5}, "at most 1"},
        {{.max_length = -1}, "-1 is not from 0"},
        {{.engine_version = "new"}, "no version"},
    };
    memmodel_llm *llm = model(*state, "llama31-8b");

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct memmodel_serve_options options = wrong[i].options;
        memmodel_serving *serving;

        options.size = sizeof options;
        assert_error(*state, memmodel_serve(llm, &options, *state, &serving), MEMMODEL_ERROR_INVALID_ARGUMENT,
                     wrong[i].part);
    }
    memmodel_llm_unref(llm);
}

/* Parameters as the model cards count them: 8.03 and 1.24 billion, 30.5 of Qwen3-30B-A3B. */
static void
parameters_are_counted(void **state)
{
    static const struct {
        const char *name;
        int64_t count;
    } models[] = {{"llama31-8b", 8030261248}, {"llama32-1b", 1235814400}, {"qwen3-30b-a3b", 30532122624}};

    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct memmodel_llm_result result = {.size = sizeof result};
        memmodel_llm *llm = model(*state, models[i].name);

        assert_int_equal(memmodel_llm_get_result(llm, &result), 0);
        assert_int_equal(result.parameter_count, models[i].count);
        memmodel_llm_unref(llm);
    }
}

/* Cut over a pipeline, the bytes of all stages are those of the whole model, but for tables that each of them has. */
static void
stages_hold_the_model_between_them(void **state)
{
    struct memmodel_serving_result whole = SERVED(*state, "llama31-8b", .engine = "sglang");
    struct memmodel_serving_result half = SERVED(*state, "llama31-8b", .engine = "sglang", .mesh = "pp=2");
    double ratio = (double)whole.weight_bytes / (double)half.weight_bytes;

    assert_true(ratio > 1.95 && ratio < 2.05);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(weights_are_what_vllm_logs),
        WITH_CONTEXT(towers_are_weights_too),
        WITH_CONTEXT(a_language_model_alone_has_no_tower),
        WITH_CONTEXT(what_a_weight_leaves_of_its_segment_is_counted_since_it_is_not_split),
        WITH_CONTEXT(packed_weights_are_what_vllm_logs),
        WITH_CONTEXT(layers_that_are_alike_fill_the_cache_with_blocks),
        WITH_CONTEXT(a_latent_cache_is_whole_on_each_gpu),
        WITH_CONTEXT(streams_of_gemma_3n_and_its_shared_layers_are_counted),
        WITH_CONTEXT(layers_that_slide_share_blocks_with_others),
        WITH_CONTEXT(a_window_keeps_the_tokens_of_two_batches),
        WITH_CONTEXT(recurrent_layers_make_blocks_as_long_as_their_state),
        WITH_CONTEXT(what_weights_and_a_pass_leave_is_the_cache),
        WITH_CONTEXT(what_does_not_fit_is_an_answer),
        WITH_CONTEXT(the_least_number_of_gpus_is_found),
        WITH_CONTEXT(the_longest_request_is_what_the_blocks_hold),
        WITH_CONTEXT(llama_cpp_has_cells_for_its_context),
        WITH_CONTEXT(llama_cpp_keeps_a_state_for_each_sequence),
        WITH_CONTEXT(sglang_cuts_what_is_left_into_two_pools),
        WITH_CONTEXT(passes_peak_as_transformers_do),
        WITH_CONTEXT(a_generation_has_a_cache_and_a_verdict),
        WITH_CONTEXT(a_generation_that_has_no_rule_is_refused),
        WITH_CONTEXT(a_config_that_is_not_understood_is_refused_by_its_key),
        WITH_CONTEXT(a_question_that_is_wrong_is_refused_by_its_option),
        WITH_CONTEXT(parameters_are_counted),
        WITH_CONTEXT(stages_hold_the_model_between_them),
    };

    return cmocka_run_group_tests_name("serving", tests, NULL, NULL);
}
