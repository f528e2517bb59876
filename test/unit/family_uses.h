/*
 * Every public call that takes a network, or what came of one, in a form that can be made with each layer family. Files are
 * written to FAMILY_FILE, one of its own in each program.
 */
#ifndef TEST_FAMILY_USES_H
#define TEST_FAMILY_USES_H

#include "family_networks.h"

static const char family_file[] = FAMILY_FILE;
static const struct memmodel_symbol_value two_samples[] = {{"batch", 2}};

#define JOB(...)                                                                                                       \
    (&(struct memmodel_job){                                                                                           \
        .size = sizeof(struct memmodel_job), .symbols = two_samples, .symbol_count = 1, __VA_ARGS__})

/* What the calls work on: a network, and a report of it. */
struct subject {
    const struct family *family;
    memmodel_context *context;
    memmodel_network *net;
    memmodel_report *report;
};

/* Gives the text back that a call made, unless it failed. */
static int
forget(int status, char **text)
{
    if (!status)
        memmodel_free(*text);
    return status;
}

/* ---- the network itself ---- */

static int
build(const struct subject *subject)
{
    memmodel_network *net;
    int status = memmodel_network_new(subject->context, &net);

    if (status)
        return status;
    subject->family->build(net);
    status = memmodel_network_status(net);
    memmodel_network_unref(net);
    return status;
}

static int
write_and_read(const struct subject *subject)
{
    memmodel_network *again;
    char *text;
    int status = memmodel_network_to_json(subject->net, NULL, &text);

    if (status)
        return status;
    status = memmodel_network_from_json(subject->context, "text", text, strlen(text), &again);
    memmodel_free(text);
    if (!status)
        memmodel_network_unref(again);
    return status;
}

static int
save_and_load(const struct subject *subject)
{
    memmodel_network *again;
    int status = memmodel_network_save(subject->net, family_file, NULL);

    if (!status)
        status = memmodel_network_load(subject->context, family_file, &again);
    if (!status)
        memmodel_network_unref(again);
    remove(family_file);
    return status;
}

/* A new one each time: what failed in it stays known to it. */
static int
print_a_dim(const struct subject *subject)
{
    memmodel_network *net;
    memmodel_dim dim;
    char *text;
    int status = memmodel_network_new(subject->context, &net);

    if (status)
        return status;
    memmodel_network_symbol(net, "batch");
    dim = memmodel_network_expression(net, "2 * batch + 1");
    status = memmodel_network_status(net);
    if (!status)
        status = forget(memmodel_network_dim_to_text(net, dim, &text), &text);
    memmodel_network_unref(net);
    return status;
}

/* ---- simulations ---- */

static int
estimate(const struct subject *subject, const struct memmodel_job *job)
{
    memmodel_report *report;
    int status = memmodel_estimate(subject->net, job, NULL, &report);

    if (!status)
        memmodel_report_unref(report);
    return status;
}

static int
count_by_textbook(const struct subject *subject)
{
    return estimate(subject, JOB(.framework = "textbook"));
}

static int
simulate_pytorch(const struct subject *subject)
{
    return estimate(subject, JOB(.steps = 2));
}

static int
simulate_pytorch_on_gpu(const struct subject *subject)
{
    return estimate(subject, JOB(.steps = 1, .gpu = "a100", .allocator_settings = "expandable_segments:True"));
}

static int
simulate_autocast(const struct subject *subject)
{
    return estimate(subject, JOB(.steps = 1, .precision = "bfloat16", .gradient_accumulation = 2,
                                 .optimizer = "sgd(momentum=0.9)"));
}

static int
simulate_inference_with_autograd(const struct subject *subject)
{
    return estimate(subject, JOB(.mode = 2));
}

static int
simulate_checkpoints(const struct subject *subject)
{
    return estimate(subject, JOB(.steps = 1, .checkpoint = "*"));
}

static int
simulate_tensorflow(const struct subject *subject)
{
    return estimate(subject, JOB(.steps = 1, .framework = "tensorflow"));
}

static int
simulate_onnxruntime(const struct subject *subject)
{
    return estimate(subject, JOB(.framework = "onnxruntime", .mode = 1));
}

static int
solve_for_batch(const struct subject *subject)
{
    int64_t largest;

    return memmodel_estimate_max(subject->net, JOB(.steps = 1, .budget = 1 << 13), "batch", NULL, &largest);
}

static int
scan_batches(const struct subject *subject)
{
    struct memmodel_estimate_row rows[2];

    return memmodel_estimate_many(subject->net, JOB(.steps = 1), "batch", (int64_t[]){1, 9}, 2, NULL, rows);
}

static int
ask_what_if(const struct subject *subject)
{
    memmodel_report *report;
    int status = memmodel_estimate_what_if(subject->net, JOB(.steps = 1), NULL, &report);

    if (!status)
        memmodel_report_unref(report);
    return status;
}

/* ---- what comes of a report ---- */

static int
print_as_json(const struct subject *subject)
{
    char *text;

    return forget(memmodel_report_to_json(subject->report, subject->context, &text), &text);
}

static int
print_as_page(const struct subject *subject)
{
    char *text;

    return forget(memmodel_report_to_html(subject->report, subject->context, &text), &text);
}

static int
print_trace(const struct subject *subject)
{
    const memmodel_trace *trace = memmodel_report_trace(subject->report);
    char *text;

    return forget(memmodel_trace_to_perfetto(trace, subject->context, &text), &text);
}

static int
replay_by(const struct subject *subject, const char *allocator)
{
    struct memmodel_replay_options options = {.size = sizeof options, .allocator = allocator};
    memmodel_replay *replay;
    int status = memmodel_trace_replay(memmodel_report_trace(subject->report), &options, NULL, &replay);

    if (status)
        return status;
    if (strcmp(allocator, "cuda_caching") == 0)
        status = memmodel_replay_save_snapshot(replay, family_file);
    memmodel_replay_unref(replay);
    remove(family_file);
    return status;
}

static int
replay(const struct subject *subject)
{
    static const char *const allocators[] = {"exact", "cuda_caching", "bfc", "glibc"};
    int status = 0;

    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0] && !status; i++)
        status = replay_by(subject, allocators[i]);
    return status;
}

static int
solve_plan(memmodel_plan *plan)
{
    struct memmodel_plan_options options = {.size = sizeof options, .max_nodes = 50};
    char *text;
    int status = memmodel_plan_solve(plan, &options);

    if (!status)
        status = forget(memmodel_plan_to_svg(plan, NULL, &text), &text);
    if (!status)
        status = forget(memmodel_plan_to_c(plan, "plan", NULL, &text), &text);
    if (!status)
        status = memmodel_plan_save(plan, family_file);
    remove(family_file);
    return status;
}

static int
plan(const struct subject *subject)
{
    memmodel_plan *made;
    int status = memmodel_plan_from_trace(subject->context, memmodel_report_trace(subject->report), &made);

    if (status)
        return status;
    status = solve_plan(made);
    memmodel_plan_unref(made);
    return status;
}

/* ---- recomputation, inference, budgets ---- */

static int
print_advice(const memmodel_recomputation *recomputation)
{
    char *text;
    int status = forget(memmodel_recomputation_to_json(recomputation, NULL, &text), &text);

    return status ? status : forget(memmodel_recomputation_to_svg(recomputation, NULL, &text), &text);
}

static int
recompute(const struct subject *subject)
{
    enum { BUDGET = 1 << 20, SIMULATIONS = 3 };
    const struct memmodel_recompute_options options = {.size = sizeof options, .max_simulations = SIMULATIONS};
    memmodel_recomputation *recomputation;
    int status =
        memmodel_recompute(subject->net, JOB(.steps = 1, .budget = BUDGET), &options, subject->context, &recomputation);

    if (status)
        return status;
    status = print_advice(recomputation);
    memmodel_recomputation_unref(recomputation);
    return status;
}

static const struct memmodel_schedule_options how = {.size = sizeof how, .symbols = two_samples, .symbol_count = 1};

static int
schedule(const struct subject *subject)
{
    memmodel_schedule *made;
    int status = memmodel_network_schedule(subject->net, &how, NULL, &made);

    if (!status)
        memmodel_schedule_unref(made);
    return status;
}

static int
tile(const struct subject *subject)
{
    memmodel_tiling *made;
    int status = memmodel_network_tile(subject->net, &how, 3000, NULL, &made);

    if (!status)
        memmodel_tiling_unref(made);
    return status;
}

static int
keep_within(const struct subject *subject, const struct memmodel_job *job)
{
    memmodel_optimization *optimization;
    int status = memmodel_optimize(subject->net, job, NULL, &optimization);

    if (!status)
        memmodel_optimization_unref(optimization);
    return status;
}

static int
keep_inference_within_a_budget(const struct subject *subject)
{
    return keep_within(subject, JOB(.mode = MEMMODEL_MODE_INFERENCE, .budget = 2048));
}

static int
keep_training_within_a_budget(const struct subject *subject)
{
    return keep_within(subject, JOB(.steps = 1, .budget = 2048));
}

/* ---- all of them ---- */

static const struct use {
    const char *name;
    int (*use)(const struct subject *subject);
} uses[] = {
    {"built", build},
    {"written and read", write_and_read},
    {"saved and loaded", save_and_load},
    {"a dim printed", print_a_dim},
    {"counted by the textbook", count_by_textbook},
    {"simulated by PyTorch", simulate_pytorch},
    {"simulated by PyTorch on a GPU", simulate_pytorch_on_gpu},
    {"simulated under autocast", simulate_autocast},
    {"simulated without a backward pass, with autograd", simulate_inference_with_autograd},
    {"simulated with checkpoints", simulate_checkpoints},
    {"simulated by TensorFlow", simulate_tensorflow},
    {"simulated by onnxruntime", simulate_onnxruntime},
    {"solved for the batch", solve_for_batch},
    {"scanned over batches", scan_batches},
    {"asked what if", ask_what_if},
    {"its report printed as JSON", print_as_json},
    {"its report printed as a page", print_as_page},
    {"its trace printed", print_trace},
    {"its trace replayed", replay},
    {"its trace planned", plan},
    {"recomputed", recompute},
    {"scheduled", schedule},
    {"tiled", tile},
    {"kept within a budget without training", keep_inference_within_a_budget},
    {"kept within a budget while training", keep_training_within_a_budget},
};
enum { USES = sizeof uses / sizeof uses[0] };

#endif
