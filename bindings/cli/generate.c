/* memmodel generate: what transformers' generate() takes with a language model. */
#include "llm.h"

#include <inttypes.h>

/* Named as the fields of struct memmodel_generate_options. */
struct generate_options {
    const char *dtype, *cache;
    int64_t batch, prompt_tokens, new_tokens, budget;
    bool json;
};

#define ROW(name, letter, kind, argument, help, field)                                                                 \
    {                                                                                                                  \
        name, letter, kind, argument, help, offsetof(struct generate_options, field)                                   \
    }

static const struct option options[] = {
    ROW("batch", 0, OPTION_COUNT, "N", "sequences; 1 unless given", batch),
    ROW("prompt-tokens", 0, OPTION_COUNT, "N", "of each; 128 unless given", prompt_tokens),
    ROW("new-tokens", 0, OPTION_COUNT, "N", "that are generated; 128 unless given", new_tokens),
    ROW("dtype", 0, OPTION_TEXT, "NAME", "of weights and activations, such as float32", dtype),
    ROW("cache", 0, OPTION_TEXT, "NAME", "dynamic, or static: made for all tokens at once", cache),
    ROW("budget", 'b', OPTION_BYTES, "BYTES", "that tensors may take, for a verdict", budget),
    ROW("json", 'j', OPTION_FLAG, NULL, "the answer as JSON", json),
    {0},
};

static void
print_json(const struct memmodel_generate_result *result)
{
    printf("{\"verdict\": \"%s\", \"weight_bytes\": %" PRId64 ", \"cache_bytes\": %" PRId64
           ", \"token_bytes\": %" PRId64 ", \"peak\": %" PRId64 ", \"prefill_peak\": %" PRId64
           ", \"first_peak\": %" PRId64 ", \"last_peak\": %" PRId64 ", \"headroom\": %" PRId64 "}\n",
           memmodel_verdict_name(result->verdict), result->weight_bytes, result->cache_bytes, result->token_bytes,
           result->peak, result->prefill_peak, result->first_peak, result->last_peak, result->headroom);
}

static void
print_text(const struct memmodel_generate_result *result, int64_t budget)
{
    char peak[QUANTITY_BYTES], limit[QUANTITY_BYTES], left[QUANTITY_BYTES];
    int64_t headroom = result->headroom;

    print_bytes("weights", result->weight_bytes, "");
    print_bytes("cache", result->cache_bytes, "in the end");
    print_bytes("per token", result->token_bytes, "of the cache");
    print_bytes("prompt", result->prefill_peak, "peak of its pass");
    if (result->first_peak)
        print_bytes("first step", result->first_peak, "peak");
    if (result->last_peak)
        print_bytes("last step", result->last_peak, "peak");
    print_bytes("peak", result->peak, "of live tensors");
    if (result->verdict != MEMMODEL_VERDICT_NONE)
        print_verdict(result->verdict, format_bytes(result->peak, peak), format_bytes(budget, limit),
                      format_bytes(headroom < 0 ? -headroom : headroom, left), NULL);
}

static int
answer(const struct command *command, memmodel_context *context, const struct generate_options *given,
       const memmodel_llm *llm)
{
    const struct memmodel_generate_options asked = {.size = sizeof asked,
                                                    .dtype = given->dtype,
                                                    .cache = given->cache,
                                                    .batch = given->batch,
                                                    .prompt_tokens = given->prompt_tokens,
                                                    .new_tokens = given->new_tokens,
                                                    .budget = given->budget};
    struct memmodel_generate_result result = {.size = sizeof result};

    if (memmodel_generate(llm, &asked, context, &result))
        return library_error(command, context);
    if (given->json)
        print_json(&result);
    else
        print_text(&result, given->budget);
    return result.verdict == MEMMODEL_VERDICT_EXCEEDS ? EXIT_EXCEEDS : EXIT_OK;
}

static int
work(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
{
    memmodel_llm *llm;
    int status;

    status = llm_load_operand(command, context, operands, count, &llm);
    if (status)
        return status;
    status = answer(command, context, given, llm);
    memmodel_llm_unref(llm);
    return status;
}

const struct command generate_command = {
    .name = "generate",
    .usage = "CONFIG [--batch N] [--prompt-tokens N] [--new-tokens N]",
    .summary = "what transformers' generate() takes with a language model: weights, cache, passes",
    .description =
        "Reads the config.json of a checkpoint, as Hugging Face's hub has it, and says what generate() of\n"
        "transformers takes: the weights, the cache of keys and values, and the peaks of live tensors in the pass\n"
        "over the prompt and in those of one token.",
    .examples = "  memmodel generate llama-3.1-8b/config.json --batch 8 --prompt-tokens 2048 --new-tokens 512\n"
                "  memmodel generate llama-3.1-8b/config.json --cache static --dtype float16 --budget 24GiB\n",
    .exits = "  3    the peak is above --budget\n",
    .options = options,
    .options_bytes = sizeof(struct generate_options),
    .work = work,
};
