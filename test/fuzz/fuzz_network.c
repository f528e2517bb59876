/*
 * Any text read as a network is refused with a reason, or becomes a network that is written and read again the same, and
 * of which every question is answered, or refused with a reason: by every framework, allocator and kind of job, also with
 * absurd sizes. The bytes behind the text's end choose the question.
 */
#include "choices.h"
#include "fuzz.h"
#include "json_mutator.h"

enum { MOST_SYMBOLS = 16 };

static void
check_round_trip(memmodel_context *context, memmodel_network *network)
{
    memmodel_network *again;
    char *first, *second;

    if (memmodel_network_to_json(network, &first))
        abort();
    if (memmodel_network_from_json(context, "written", first, strlen(first), &again))
        abort();
    if (memmodel_network_to_json(again, &second) || strcmp(first, second) != 0)
        abort();
    memmodel_free(context, first);
    memmodel_free(context, second);
    memmodel_network_unref(again);
}

/* ---- what is asked ---- */

struct query {
    memmodel_context *context;
    memmodel_network *network;
    struct memmodel_symbol_value values[MOST_SYMBOLS];
    struct memmodel_job job;
    int64_t budget;
    struct choices *choices;
};

static const int64_t sizes[] = {16,
                                1,
                                2,
                                3,
                                7,
                                32,
                                100,
                                1000,
                                0,
                                -1,
                                INT32_MAX,
                                INT64_C(1) << 31,
                                (INT64_C(1) << 32) + 1,
                                INT64_C(1) << 62,
                                INT64_MAX,
                                INT64_MIN};
static const int64_t budgets[] = {INT64_C(16) << 30, 1, 1 << 20, 100 << 20, INT64_MAX, 0, -1};
static const char *const frameworks[] = {"pytorch", "tensorflow", "onnxruntime", "textbook", NULL, "none"};
static const char *const textbook_rules[] = {NULL, "forward", "outputs", "cs231n", "slots", "other"};
static const char *const optimizers[] = {NULL,           "sgd",
                                         "momentum",     "adam",
                                         "adamw",        "nadam",
                                         "radam",        "adamax",
                                         "rmsprop",      "adagrad",
                                         "none",         "adadelta",
                                         "adafactor",    "sgd(momentum=0.9, nesterov=True)",
                                         "adam(amsgrad", "rmsprop(centered)"};
static const char *const devices[] = {NULL, "cpu", "cuda"};
static const char *const gpus[] = {"a100", "h100", "h200", "v100", "t4", "a6000"};
static const char *const isas[] = {NULL, "avx2", "avx512", "amx", "native", "sse"};
static const char *const precisions[] = {NULL, "float32", "bfloat16", "float16"};
static const char *const checkpoints[] = {NULL, "*", "encoder.*", "h.0..3", "*(use_reentrant=True)", "..", "*,*"};
static const char *const settings[] = {NULL,
                                       "expandable_segments:True",
                                       "max_split_size_mb:20",
                                       "roundup_power2_divisions:4",
                                       "garbage_collection_threshold:0.6",
                                       "x:"};
static const char *const optimizations[] = {NULL, "disable", "basic", "extended", "all"};
static const int32_t few[] = {0, 1, 2, 3, 4, -1, 77, INT32_MAX, INT32_MIN};

static void
choose_job(struct query *query)
{
    struct choices *c = query->choices;

    query->job = (struct memmodel_job){.size = sizeof query->job, .symbols = query->values};
    query->job.framework = CHOOSE(c, frameworks);
    query->job.inference = CHOOSE(c, few);
    query->job.device = CHOOSE(c, devices);
    query->job.gpu = query->job.device ? CHOOSE(c, gpus) : NULL;
    query->job.optimizer = CHOOSE(c, optimizers);
    query->job.precision = CHOOSE(c, precisions);
    query->job.checkpoint = CHOOSE(c, checkpoints);
    query->job.allocator = CHOOSE(c, settings);
    query->job.isa = CHOOSE(c, isas);
    query->job.rule = CHOOSE(c, textbook_rules);
    query->job.optimization = CHOOSE(c, optimizations);
    if (!query->job.framework || strcmp(query->job.framework, "onnxruntime") != 0)
        query->job.optimization = NULL; /* which others refuse */
    query->job.accumulate = CHOOSE(c, few);
    query->job.keep_gradients = CHOOSE(c, few);
    query->job.measure = CHOOSE(c, few);
    query->job.threads = CHOOSE(c, few);
    query->job.steps = CHOOSE(c, few);
    query->budget = CHOOSE(c, budgets);
    for (size_t i = 0; i < memmodel_network_symbol_count(query->network) && i < MOST_SYMBOLS; i++)
        query->values[query->job.symbol_count++] =
            (struct memmodel_symbol_value){memmodel_network_symbol_name(query->network, i), CHOOSE(c, sizes)};
}

static struct memmodel_inference
inference_of(const struct query *query)
{
    return (struct memmodel_inference){.size = sizeof(struct memmodel_inference),
                                       .symbols = query->values,
                                       .symbol_count = query->job.symbol_count,
                                       .without = choose(query->choices, 64),
                                       .parameters = (int32_t)choose(query->choices, 2)};
}

/* The first symbol, or a name that the network does not have. */
static const char *
symbol_of(const struct query *query)
{
    return query->job.symbol_count ? query->values[0].name : "none";
}

static void
expect_plan_or_reason(const struct query *query, memmodel_plan *plan)
{
    struct memmodel_plan_options options = {.size = sizeof options, .nodes = 1000, .capacity = query->budget};
    char *svg;

    expect_explained(query->context, memmodel_plan_solve(plan, &options));
    if (!memmodel_plan_to_svg(plan, &svg))
        memmodel_free(query->context, svg);
}

static void
expect_replay_or_reason(const struct query *query, const memmodel_trace *trace)
{
    static const char *const allocators[] = {"cuda_caching", "bfc", "glibc", "arena", "exact", "none"};
    struct memmodel_replay_options options = {.size = sizeof options,
                                              .allocator = CHOOSE(query->choices, allocators),
                                              .settings = CHOOSE(query->choices, settings)};
    memmodel_replay *replay;
    int status = memmodel_replay_new(trace, &options, &replay);

    expect_explained(query->context, status);
    if (!status)
        memmodel_replay_unref(replay);
}

static void
ask_estimate(struct query *query)
{
    memmodel_report *report;
    memmodel_plan *plan;
    char *text;
    int status = memmodel_estimate(query->network, &query->job, &report);

    expect_explained(query->context, status);
    if (status)
        return;
    if (!memmodel_report_to_json(report, query->context, &text))
        memmodel_free(query->context, text);
    if (memmodel_report_trace(report)) {
        expect_live_follows(memmodel_report_trace(report));
        expect_replay_or_reason(query, memmodel_report_trace(report));
        if (!memmodel_plan_from_trace(memmodel_report_trace(report), &plan)) {
            expect_plan_or_reason(query, plan);
            memmodel_plan_unref(plan);
        }
    }
    memmodel_report_unref(report);
}

static void
ask_solve(struct query *query)
{
    int64_t largest;

    expect_explained(query->context,
                     memmodel_solve(query->network, &query->job, symbol_of(query), query->budget, &largest));
}

static void
ask_scan(struct query *query)
{
    int64_t values[] = {CHOOSE(query->choices, sizes), CHOOSE(query->choices, sizes)}, bytes[2];

    expect_explained(query->context, memmodel_scan(query->network, &query->job, symbol_of(query), values, 2, bytes));
}

static void
ask_what_if(struct query *query)
{
    memmodel_report *report;
    int status = memmodel_report_what_if(query->network, &query->job, &report);

    expect_explained(query->context, status);
    if (!status)
        memmodel_report_unref(report);
}

static void
ask_recomputation(struct query *query)
{
    memmodel_recomputation *recomputation;
    char *text;

    if (memmodel_recomputation_new(query->network, &recomputation))
        return;
    expect_explained(query->context, memmodel_recomputation_solve(recomputation, &query->job, query->budget, 20));
    if (!memmodel_recomputation_to_json(recomputation, &text))
        memmodel_free(query->context, text);
    memmodel_recomputation_unref(recomputation);
}

static void
ask_budget(struct query *query)
{
    memmodel_budget *budget;
    int status = memmodel_budget_new(query->network, &query->job, query->budget, &budget);

    expect_explained(query->context, status);
    if (!status)
        memmodel_budget_unref(budget);
}

static void
ask_schedule(struct query *query)
{
    struct memmodel_inference how = inference_of(query);
    memmodel_schedule *schedule;
    memmodel_plan *plan;
    int status = memmodel_schedule_new(query->network, &how, &schedule);

    expect_explained(query->context, status);
    if (status)
        return;
    plan = memmodel_schedule_plan(schedule);
    if (plan)
        expect_plan_or_reason(query, plan);
    memmodel_plan_unref(plan);
    memmodel_schedule_unref(schedule);
}

static void
ask_tiling(struct query *query)
{
    struct memmodel_inference how = inference_of(query);
    memmodel_tiling *tiling;
    int status = memmodel_tiling_new(query->network, &how, query->budget, &tiling);

    expect_explained(query->context, status);
    if (!status)
        memmodel_tiling_unref(tiling);
}

static void
ask(memmodel_context *context, memmodel_network *network, struct choices *choices)
{
    static void (*const questions[])(struct query *) = {
        ask_estimate, ask_solve, ask_scan, ask_what_if, ask_recomputation, ask_budget, ask_schedule, ask_tiling,
    };
    struct query query = {.context = context, .network = network, .choices = choices};
    void (*question)(struct query *) = CHOOSE(choices, questions);

    choose_job(&query);
    question(&query);
}

/* Little memory and work, so that what is beyond is stopped in time. */
static memmodel_context *
bounded_context(void)
{
    struct memmodel_limits limits = {.size = sizeof limits, .memory_bytes = 256 << 20, .nodes = 200000};
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
    memmodel_network *network;
    int status = memmodel_network_from_json(context, "input", (const char *)data, length, &network);

    expect_explained(context, status);
    if (!status) {
        check_round_trip(context, network);
        ask(context, network, &choices);
        memmodel_network_unref(network);
    }
    memmodel_context_unref(context);
    return 0;
}
