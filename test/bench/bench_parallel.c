/*
 * What the estimate of ranks that train together costs: a decoder of four blocks, one process and one rank of eight by
 * each strategy, then all classes of 1,024 ranks, whose shards differ as the network is so small; Llama 3.1 of 8 billion
 * weights on one GPU and all classes of 1,024; of 405 billion on 16,384, from its configuration on. JSON lines, in
 * milliseconds and as a ratio to one process.
 */
#define _POSIX_C_SOURCE 200809L
#include "memmodel.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 21 };

static const char network_path[] = "test/data/pytorch_parallel/networks/gpt_4.json";

struct bench {
    memmodel_context *context;
    memmodel_network *network;
    struct memmodel_job job;
    struct memmodel_parallel parallel;
};

static void
check(const struct bench *bench, int status)
{
    if (!status)
        return;
    fprintf(stderr, "bench_parallel: %s\n", memmodel_context_error(bench->context)->message);
    exit(1);
}

static void
estimate(struct bench *bench)
{
    memmodel_report *report;

    check(bench, memmodel_estimate(bench->network, &bench->job, bench->context, &report));
    memmodel_report_unref(report);
}

static void
estimate_classes(struct bench *bench)
{
    struct memmodel_rank_class ranks = {.size = sizeof ranks};

    for (int64_t next = 0; next >= 0; next = ranks.next_rank) {
        bench->parallel.rank = next;
        check(bench, memmodel_estimate_rank_class(bench->network, &bench->job, bench->context, &ranks));
        estimate(bench);
    }
    bench->parallel.rank = 0;
}

/* The median of so many runs. */
static double
median_time(struct bench *bench, void (*run)(struct bench *bench))
{
    double times[REPEATS];

    for (int i = 0; i < REPEATS; i++) {
        double begin = milliseconds();

        run(bench);
        times[i] = milliseconds() - begin;
    }
    qsort(times, REPEATS, sizeof *times, compare_times);
    return times[REPEATS / 2];
}

static void
print(const char *what, double time, double single)
{
    printf("{\"what\": \"%s\", \"milliseconds\": %.3f, \"ratio\": %.2f}\n", what, time, time / single);
}

/* ---- Llama 3.1 ---- */

static void
build(struct bench *bench, const char *config)
{
    struct memmodel_llm_build_options options = {.size = sizeof options, .dtype = "bfloat16"};
    memmodel_llm *llm;

    check(bench, memmodel_llm_load(bench->context, config, &llm));
    check(bench, memmodel_llm_build(llm, &options, bench->context, &bench->network));
    memmodel_llm_unref(llm);
}

static struct bench
llama_of(memmodel_context *context)
{
    static const struct memmodel_symbol_value symbols[] = {{"batch", 1}, {"length", 8192}};

    return (struct bench){
        .context = context,
        .job = {.size = sizeof(struct memmodel_job),
                .gpu = "h100",
                .optimizer = "adamw",
                .checkpoint = "model.layers.*",
                .symbols = symbols,
                .symbol_count = 2},
        .parallel = {.size = sizeof(struct memmodel_parallel), .data = "fsdp(model.layers.*)", .meta_device = 1}};
}

static void
bench_8b(memmodel_context *context)
{
    struct bench bench = llama_of(context);
    double single;

    build(&bench, "test/data/serving/configs/llama31-8b.json");
    single = median_time(&bench, estimate);
    print("Llama 3.1 8B, one GPU", single, single);
    bench.job.parallel = &bench.parallel;
    bench.parallel.mesh = "dp=1024";
    print("Llama 3.1 8B, 1,024 GPUs of fsdp(model.layers.*) by classes", median_time(&bench, estimate_classes), single);
    memmodel_network_unref(bench.network);
}

static void
estimate_405b(struct bench *bench)
{
    build(bench, "test/data/published_ranks/llama31-405b.json");
    estimate_classes(bench);
    memmodel_network_unref(bench->network);
}

static void
bench_405b(memmodel_context *context)
{
    static const struct memmodel_symbol_value symbols[] = {{"batch", 8}, {"length", 8192}};
    struct bench bench = llama_of(context);

    bench.job.symbols = symbols;
    bench.job.parallel = &bench.parallel;
    bench.parallel.mesh = "pp=8,dp=256,tp=8";
    bench.parallel.tensor = "colwise=model.layers.*.self_attn.(q|k|v)_proj, model.layers.*.mlp.(gate|up)_proj, "
                            "rowwise=model.layers.*.self_attn.o_proj, model.layers.*.mlp.down_proj, "
                            "vocab=model.embed_tokens, lm_head, sequence";
    bench.parallel.pipeline = "1f1b(microbatches=8, cut=model.layers.16, model.layers.32, model.layers.48, "
                              "model.layers.64, model.layers.80, model.layers.96, model.layers.112)";
    printf("{\"what\": \"Llama 3.1 405B, 16,384 GPUs by classes, from its configuration\", \"milliseconds\": %.0f}\n",
           median_time(&bench, estimate_405b));
}

int
main(void)
{
    static const char *const strategies[] = {"ddp", "zero1", "fsdp(layers.*)"};
    struct bench bench = {.job = {.size = sizeof bench.job, .metric = MEMMODEL_METRIC_LIVE}};
    double single;

    if (memmodel_context_new(NULL, &bench.context))
        return 1;
    check(&bench, memmodel_network_load(bench.context, network_path, &bench.network));
    single = median_time(&bench, estimate);
    print("one process", single, single);
    bench.parallel.size = sizeof bench.parallel;
    bench.job.parallel = &bench.parallel;
    bench.parallel.mesh = "dp=8";
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++) {
        bench.parallel.data = strategies[i];
        print(strategies[i], median_time(&bench, estimate), single);
    }
    bench.parallel.data = NULL;
    bench.parallel.mesh = "tp=4";
    bench.parallel.tensor = "colwise=layers.*.(q|k|v|up), rowwise=layers.*.(o|down), vocab=emb, head";
    print("a tensor plan", median_time(&bench, estimate), single);
    bench.parallel.mesh = "pp=2";
    bench.parallel.tensor = NULL;
    bench.parallel.pipeline = "1f1b(microbatches=4, cut=layers.2)";
    print("1f1b of 4 microbatches, a rank of 2", median_time(&bench, estimate), single);
    bench.parallel.pipeline = NULL;
    bench.parallel.data = strategies[2];
    bench.parallel.mesh = "dp=1024";
    print("1,024 ranks of fsdp(layers.*) by classes", median_time(&bench, estimate_classes), single);
    memmodel_network_unref(bench.network);
    bench_8b(bench.context);
    bench_405b(bench.context);
    memmodel_context_unref(bench.context);
    return 0;
}
