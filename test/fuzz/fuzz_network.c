/*
 * Any text read as a network is refused with a reason, or becomes a network that is written and read again the same,
 * and of which every question is answered, or refused with a reason: by every framework, allocator and kind of job,
 * also with absurd sizes. The bytes behind the text's end choose the question.
 */
#include "choices.h"
#include "fuzz.h"
#include "json_mutator.h"

enum { MAX_SYMBOLS = 16 };

static void
check_round_trip(memmodel_context *context, memmodel_network *network)
{
    memmodel_network *again;
    char *first, *second;

    if (memmodel_network_to_json(network, NULL, &first))
        abort();
    if (memmodel_network_from_json(context, "written", first, strlen(first), &again))
        abort();
    if (memmodel_network_to_json(again, NULL, &second) || strcmp(first, second) != 0)
        abort();
    memmodel_free(first);
    memmodel_free(second);
    memmodel_network_unref(again);
}

/* ---- what is asked ---- */

struct query {
    memmodel_context *context;
    memmodel_network *network;
    struct memmodel_symbol_value values[MAX_SYMBOLS];
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
static const char *const workspaces[] = {NULL, ":4096:2:16:8", ":0:0", ":99999999999:99999999999", "4096"};
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
    query->job.mode = CHOOSE(c, few);
    query->job.device = CHOOSE(c, devices);
    query->job.gpu = query->job.device ? CHOOSE(c, gpus) : NULL;
    query->job.optimizer = CHOOSE(c, optimizers);
    query->job.precision = CHOOSE(c, precisions);
    query->job.checkpoint = CHOOSE(c, checkpoints);
    query->job.allocator_settings = CHOOSE(c, settings);
    query->job.cublas_workspace = CHOOSE(c, workspaces);
    query->job.isa = CHOOSE(c, isas);
    query->job.textbook_rule = CHOOSE(c, textbook_rules);
    query->job.graph_optimization = CHOOSE(c, optimizations);
    if (!query->job.framework || strcmp(query->job.framework, "onnxruntime") != 0)
        query->job.graph_optimization = NULL; /* which others refuse */
    query->job.gradient_accumulation = CHOOSE(c, few);
    query->job.keep_gradients = CHOOSE(c, few);
    query->job.metric = CHOOSE(c, few);
    query->job.intra_op_threads = CHOOSE(c, few);
    query->job.steps = CHOOSE(c, few);
    query->budget = CHOOSE(c, budgets);
    for (size_t i = 0; i < memmodel_network_symbol_count(query->network) && i < MAX_SYMBOLS; i++)
        query->values[query->job.symbol_count++] =
            (struct memmodel_symbol_value){memmodel_network_symbol_name(query->network, i), CHOOSE(c, sizes)};
}

static struct memmodel_schedule_options
inference_of(const struct query *query)
{
    return (struct memmodel_schedule_options){.size = sizeof(struct memmodel_schedule_options),
                                              .symbols = query->values,
                                              .symbol_count = query->job.symbol_count,
                                              .disabled_passes = choose(query->choices, 64),
                                              .include_parameters = (int32_t)choose(query->choices, 2)};
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
    struct memmodel_plan_options options = {.size = sizeof options, .max_nodes = 1000, .budget = query->budget};
    char *svg;

    expect_explained(query->context, memmodel_plan_solve(plan, &options));
    if (!memmodel_plan_to_svg(plan, query->context, &svg))
        memmodel_free(svg);
}

static void
expect_replay_or_reason(const struct query *query, const memmodel_trace *trace)
{
    static const char *const allocators[] = {"cuda_caching", "bfc", "glibc", "arena", "exact", "none"};
    struct memmodel_replay_options options = {.size = sizeof options,
                                              .allocator = CHOOSE(query->choices, allocators),
                                              .allocator_settings = CHOOSE(query->choices, settings)};
    memmodel_replay *replay;
    int status = memmodel_trace_replay(trace, &options, query->context, &replay);

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
    int status = memmodel_estimate(query->network, &query->job, query->context, &report);

    expect_explained(query->context, status);
    if (status)
        return;
    if (!memmodel_report_to_json(report, query->context, &text))
        memmodel_free(text);
    if (memmodel_report_trace(report)) {
        expect_live_follows(memmodel_report_trace(report));
        expect_replay_or_reason(query, memmodel_report_trace(report));
        if (!memmodel_plan_from_trace(query->context, memmodel_report_trace(report), &plan)) {
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
                     memmodel_estimate_max(query->network, &query->job, symbol_of(query), query->context, &largest));
}

static void
ask_scan(struct query *query)
{
    int64_t values[] = {CHOOSE(query->choices, sizes), CHOOSE(query->choices, sizes)};
    struct memmodel_estimate_row rows[2];

    expect_explained(query->context, memmodel_estimate_many(query->network, &query->job, symbol_of(query), values, 2,
                                                            query->context, rows));
}

static void
ask_what_if(struct query *query)
{
    memmodel_report *report;
    int status = memmodel_estimate_what_if(query->network, &query->job, query->context, &report);

    expect_explained(query->context, status);
    if (!status)
        memmodel_report_unref(report);
}

static void
ask_recomputation(struct query *query)
{
    const struct memmodel_recompute_options options = {.size = sizeof options, .max_simulations = 20};
    struct memmodel_job job = query->job;
    memmodel_recomputation *recomputation;
    char *text;
    int status;

    job.budget = query->budget;
    status = memmodel_recompute(query->network, &job, &options, query->context, &recomputation);
    expect_explained(query->context, status);
    if (status)
        return;
    if (!memmodel_recomputation_to_json(recomputation, query->context, &text))
        memmodel_free(text);
    memmodel_recomputation_unref(recomputation);
}

static void
ask_budget(struct query *query)
{
    struct memmodel_job job = query->job;
    memmodel_optimization *budget;
    int status;

    job.budget = query->budget;
    status = memmodel_optimize(query->network, &job, query->context, &budget);

    expect_explained(query->context, status);
    if (!status)
        memmodel_optimization_unref(budget);
}

static void
ask_schedule(struct query *query)
{
    struct memmodel_schedule_options how = inference_of(query);
    memmodel_schedule *schedule;
    char *svg;
    int status = memmodel_network_schedule(query->network, &how, query->context, &schedule);

    expect_explained(query->context, status);
    if (status)
        return;
    if (!memmodel_plan_to_svg(memmodel_schedule_plan(schedule), query->context, &svg))
        memmodel_free(svg);
    memmodel_schedule_unref(schedule);
}

static void
ask_tiling(struct query *query)
{
    struct memmodel_schedule_options how = inference_of(query);
    memmodel_tiling *tiling;
    int status = memmodel_network_tile(query->network, &how, query->budget, query->context, &tiling);

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
