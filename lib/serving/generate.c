/* memmodel_generate(): what transformers' generate() takes. */
#include "serving/generate.h"

#include "base/environment.h"
#include "base/text.h"
#include "memmodel/job.h"
#include "serving/weights.h"

#include <inttypes.h>
#include <string.h>

struct question {
    memmodel_context *context;
    const memmodel_llm *llm;
    struct memmodel_generate_options options;
    struct generation generation;
    enum element element;
};

/* ---- the question ---- */

static int
check_range(const struct question *question, const char *name, int64_t value, int64_t max)
{
    if (value >= 0 && value <= max)
        return 0;
    return context_error(question->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name,
                         "%" PRId64 " is not from 0, the default, to %" PRId64, value, max);
}

static int
check_ranges(const struct question *question)
{
    const struct memmodel_generate_options *options = &question->options;
    int status = check_range(question, "batch", options->batch, 1 << 20);

    if (!status)
        status = check_range(question, "prompt_tokens", options->prompt_tokens, INT64_C(1) << 31);
    if (!status)
        status = check_range(question, "new_tokens", options->new_tokens, INT64_C(1) << 31);
    return status ? status : check_range(question, "budget", options->budget, INT64_MAX);
}

static int
read_types(struct question *question)
{
    const struct memmodel_generate_options *options = &question->options;
    const char *cache = options->cache ? options->cache : "dynamic";

    question->element = question->llm->dtype;
    if (options->dtype && !element_of_name(options->dtype, &question->element))
        return context_error(question->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "dtype",
                             "there is no \"%.40s\"; there are float32, float16 and bfloat16", options->dtype);
    if (strcmp(cache, "dynamic") != 0 && strcmp(cache, "static") != 0)
        return context_error(question->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "cache",
                             "there is no \"%.40s\"; there are dynamic and static", cache);
    question->generation.is_static = strcmp(cache, "static") == 0;
    return 0;
}

/* What no recording has shown is refused, not guessed. */
static int
check_model(const struct question *question)
{
    const memmodel_llm *llm = question->llm;

    if (llm->quantization.packing != PACKING_NONE)
        return context_error(question->context, MEMMODEL_ERROR_UNSUPPORTED, llm->model_type,
                             "passes with %s weights have no rule", llm->quantization.name);
    for (size_t i = 0; i < llm->layer_count; i++)
        if (layer_is_recurrent(&llm->layers[i]))
            return context_error(question->context, MEMMODEL_ERROR_UNSUPPORTED, llm->model_type,
                                 "passes of recurrent layers have no rule");
    if (llm->tensors.positions &&
        question->options.prompt_tokens + question->options.new_tokens > llm->tensors.positions)
        return context_error(question->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "new_tokens",
                             "prompt and new tokens are more than %" PRId64 " positions", llm->tensors.positions);
    return 0;
}

static int
question_start(struct question *question)
{
    struct memmodel_generate_options *options = &question->options;
    int status = check_ranges(question);

    if (!status)
        status = read_types(question);
    options->batch = options->batch ? options->batch : 1;
    options->prompt_tokens = options->prompt_tokens ? options->prompt_tokens : 128;
    options->new_tokens = options->new_tokens ? options->new_tokens : 128;
    question->generation.llm = question->llm;
    question->generation.batch = (double)options->batch;
    question->generation.prompt = (double)options->prompt_tokens;
    question->generation.new_tokens = (double)options->new_tokens;
    question->generation.element = (double)element_bytes(question->element);
    return status ? status : check_model(question);
}

/* ---- the answer ---- */

static int
measure_weights(const struct question *question, int64_t *bytes)
{
    static const struct quantization none = {.packing = PACKING_NONE};
    const struct weights_options options = {.element = question->element, .quantization = &none, .shares = true};
    const struct place place = place_whole(question->llm);
    int64_t elements;
    int status = weights_measure(question->context, question->llm, &place, &options, bytes, &elements);

    if (!status)
        *bytes += (int64_t)generation_buffers(question->llm);
    return status;
}

static int64_t
larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Doubles are exact below 2^53. */
static int
fill(const struct question *question, struct memmodel_generate_result *result)
{
    struct generation_peaks peaks;
    int64_t ids = 8 * question->options.batch * question->options.prompt_tokens;
    int status = measure_weights(question, &result->weight_bytes);

    generation_measure(&question->generation, &peaks);
    if (!status && !(peaks.prefill + peaks.first + peaks.last + peaks.cache < 0x1p53))
        return context_error(question->context, MEMMODEL_ERROR_OVERFLOW, question->llm->model_type,
                             "a pass takes more than 2^53 bytes");
    if (status)
        return status;
    result->cache_bytes = (int64_t)peaks.cache;
    result->token_bytes = (int64_t)peaks.growth;
    result->prefill_peak = result->weight_bytes + ids + (int64_t)peaks.prefill;
    result->first_peak = peaks.first > 0 ? result->weight_bytes + ids + (int64_t)peaks.first : 0;
    result->last_peak = peaks.last > 0 ? result->weight_bytes + ids + (int64_t)peaks.last : 0;
    result->peak = larger(result->prefill_peak, larger(result->first_peak, result->last_peak));
    if (question->options.budget) {
        result->headroom = question->options.budget - result->peak;
        result->verdict = result->headroom < 0 ? MEMMODEL_VERDICT_EXCEEDS : MEMMODEL_VERDICT_FITS;
    }
    return 0;
}

int
memmodel_generate(const memmodel_llm *llm, const struct memmodel_generate_options *options, memmodel_context *context,
                  struct memmodel_generate_result *result)
{
    OWN_ENVIRONMENT;
    struct question question = {.llm = llm};
    struct memmodel_generate_result own = {.size = sizeof own};
    int status;

    if (!llm || !result)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    question.context = context ? context : llm->context;
    status = context_begin(question.context);
    if (!status)
        status = result_check(question.context, "memmodel_generate_result", result);
    if (!status)
        status = options_copy(question.context, "memmodel_generate_options", options, &question.options,
                              sizeof question.options);
    if (!status)
        status = question_start(&question);
    if (!status)
        status = fill(&question, &own);
    if (!status)
        status = result_copy(&own, sizeof own, result);
    return context_end(question.context, status);
}
