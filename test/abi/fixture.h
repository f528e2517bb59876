/* Objects of every kind, and options with which each call on them succeeds: what generated tables of calls work on. */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

#include "check.h"

#include <stdlib.h>
#include <unistd.h>

/* What the calls of the table work on. The `new_` ones are what a call made. */
struct fixture {
    memmodel_context *context;
    memmodel_network *network; /* a fresh one for each call that takes options */
    memmodel_tensor square, sequence, indices, logits, classes;
    memmodel_samples *samples;
    memmodel_model *model;
    memmodel_function *function; /* none in a library without libffi */
    memmodel_monitor *monitor;
    memmodel_report *report;
    const memmodel_trace *trace;
    memmodel_replay *replay;
    memmodel_plan *plan;
    memmodel_recomputation *recomputation;
    memmodel_chain *chain, *solved_chain; /* adding a block forgets what was solved */
    memmodel_schedule *schedule;
    memmodel_network *tiled; /* that tiles can be cut of */
    memmodel_tiling *tiling;
    memmodel_budget *budget;

    memmodel_context *new_context;
    memmodel_network *new_network;
    memmodel_model *new_model;
    memmodel_samples *new_samples;
    memmodel_monitor *new_monitor;
    memmodel_report *new_report;
    memmodel_replay *new_replay;
    memmodel_schedule *new_schedule;
    memmodel_tiling *new_tiling;
    memmodel_budget *new_budget;
    memmodel_function *new_function;
    memmodel_plan *new_plan;
    memmodel_chain *new_chain;
    memmodel_recomputation *new_recomputation;
    memmodel_trace *new_trace;
    int64_t number;
};

/* An ONNX model: y = Relu(x), of two numbers each, opset 13. */
static const char onnx[] = "\x08\x08\x42\x02\x10\x0d\x3a\x30"
                           "\x0a\x0c\x0a\x01x\x12\x01y\x22\x04Relu"
                           "\x5a\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x02"
                           "\x62\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x02";

/* ---- options with which each call succeeds; those that are not here succeed with all zeros ---- */

static void *
plain_allocate(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void *
plain_reallocate(void *user, void *block, size_t bytes)
{
    (void)user;
    return realloc(block, bytes);
}

static void
plain_release(void *user, void *block)
{
    (void)user;
    free(block);
}

static const struct memmodel_allocator allocator = {
    .allocate = plain_allocate, .reallocate = plain_reallocate, .release = plain_release};
static const struct memmodel_symbol_value batch = {.name = "batch", .value = 4};
static const struct memmodel_job job = {
    .symbols = &batch, .symbol_count = 1, .optimizer = "sgd", .isa = "avx2", .steps = 2, .measure = 2};
static const struct memmodel_fit_options fit = {.target = "bytes", .max_terms = 2, .loss = MEMMODEL_FIT_LOSS_SQUARED};
static const char *const domain[] = {"batch=1,2,4"};
static const struct memmodel_advise_options advise = {
    .target = "bytes", .domain = domain, .domain_count = 1, .count = 2};
static const struct memmodel_plan_buffer buffer = {.name = "b", .bytes = 64, .lower = 1, .upper = 3, .alignment = 8};
static const struct memmodel_plan_options plan = {.capacity = INT64_C(1) << 40, .nodes = 100};
static const struct memmodel_chain_block chain_block = {.name = "b", .input = 1, .saved = 64, .forward_cost = 1};
static const struct memmodel_inference inference = {
    .symbols = &batch, .symbol_count = 1, .without = MEMMODEL_SCHEDULE_FUSION, .alignment = 64};
static const struct memmodel_shape shape = {.rank = 1, .dims = {4}};

static const struct {
    const char *call;
    const void *options;
} valid[] = {
    {"memmodel_context_new", &allocator},
    {"memmodel_network_conv", MEMMODEL_CONV(.name = "c", .filters = 4, .kernel = {3}, .groups = 2, .no_bias = 1)},
    {"memmodel_network_conv_transpose",
     MEMMODEL_CONV(.filters = 4, .kernel = {3}, .stride = {2}, .output_padding = {1})},
    {"memmodel_network_linear", MEMMODEL_LINEAR(.units = 10, .activation = MEMMODEL_RELU)},
    {"memmodel_network_pool", MEMMODEL_POOL(.kernel = {2}, .stride = {3}, .kind = MEMMODEL_MEAN, .ceil_mode = 1)},
    {"memmodel_network_adaptive_pool", MEMMODEL_ADAPTIVE_POOL(.output = {3}, .kind = MEMMODEL_MEAN)},
    {"memmodel_network_global_pool", MEMMODEL_GLOBAL_POOL(.kind = MEMMODEL_MEAN, .keep = 1)},
    {"memmodel_network_group_norm", MEMMODEL_NORM(.groups = 2, .no_affine = 1)},
    {"memmodel_network_activation", MEMMODEL_ACTIVATION(.kind = MEMMODEL_PRELU, .one_weight = 1)},
    {"memmodel_network_softmax", MEMMODEL_SOFTMAX(.axis = 1, .logarithmic = 1)},
    {"memmodel_network_dropout", MEMMODEL_DROPOUT(.rate = 0.25, .feature = 1)},
    {"memmodel_network_embedding", MEMMODEL_EMBEDDING(.rows = 100, .width = 16, .dtype = MEMMODEL_FLOAT64)},
    {"memmodel_network_upsample", MEMMODEL_UPSAMPLE(.scale = {2}, .mode = MEMMODEL_LINEAR)},
    {"memmodel_network_pad", MEMMODEL_PAD(.before = {0, 1}, .after = {0, 0, 2}, .mode = MEMMODEL_PAD_REPLICATE)},
    {"memmodel_network_crop", MEMMODEL_PAD(.before = {0, 1}, .after = {0, 0, 2})},
    {"memmodel_network_concat", MEMMODEL_CONCAT(.axis = 1)},
    {"memmodel_network_split", MEMMODEL_SPLIT(.parts = 2, .axis = 1)},
    {"memmodel_network_slice", MEMMODEL_SLICE(.start = 1, .stop = 5, .step = 2, .axis = 2)},
    {"memmodel_network_reduce", MEMMODEL_REDUCE(.axes = {1}, .axis_count = 1, .kind = MEMMODEL_SUM, .keep = 1)},
    {"memmodel_network_recurrent", MEMMODEL_RECURRENT(.hidden = 6, .layers = 2, .bidirectional = 1)},
    {"memmodel_network_custom", MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .saved = 400)},
    {"memmodel_fit", &fit},
    {"memmodel_advise", &advise},
    {"memmodel_plan_add", &buffer},
    {"memmodel_plan_solve", &plan},
    {"memmodel_chain_add", &chain_block},
    {"memmodel_schedule_new", &inference},
    {"memmodel_tiling_new", &inference},
    {"memmodel_estimate", &job},
    {"memmodel_report_what_if", &job},
    {"memmodel_solve", &job},
    {"memmodel_recomputation_solve", &job},
    {"memmodel_budget_new", &job},
};

/* ---- the fixture ---- */

static memmodel_tensor
input(struct fixture *f, const char *name, int dtype, int rank, const memmodel_dim *dims)
{
    memmodel_tensor tensor = memmodel_network_input(f->network, name, dtype, rank, dims);

    assert_true(tensor >= 0);
    return tensor;
}

static void
new_network(struct fixture *f)
{
    memmodel_dim batch_dim;

    assert_int_equal(memmodel_network_new(f->context, &f->network), 0);
    batch_dim = memmodel_network_symbol(f->network, "batch");
    f->square = input(f, "square", MEMMODEL_FLOAT32, 4, (memmodel_dim[]){batch_dim, 4, 8, 8});
    f->sequence = input(f, "sequence", MEMMODEL_FLOAT32, 3, (memmodel_dim[]){8, 3, 16});
    f->indices = input(f, "indices", MEMMODEL_INT64, 2, (memmodel_dim[]){3, 8});
    f->logits = input(f, "logits", MEMMODEL_FLOAT32, 2, (memmodel_dim[]){3, 10});
    f->classes = input(f, "classes", MEMMODEL_INT64, 1, (memmodel_dim[]){3});
}

static void
end_network(struct fixture *f)
{
    memmodel_network_unref(f->network);
    f->network = NULL;
}

static void
new_samples(struct fixture *f)
{
    struct memmodel_fit_options options = fit; /* gives a model with a front */

    assert_int_equal(memmodel_samples_new(f->context, (const char *[]){"batch", "bytes"}, 2, &f->samples), 0);
    for (int i = 1; i <= 12; i++)
        assert_int_equal(memmodel_samples_add(f->samples, (double[]){i, 1000 + 200 * i + i % 3}), 0);
    options.size = sizeof options;
    assert_int_equal(memmodel_fit(f->samples, &options, &f->model), 0);
}

/* The monitor of a process that has ended reads the same each time. */
static void
new_monitor(struct fixture *f)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .own_child = 1};
    pid_t child = fork();

    if (!child)
        _exit(0);
    assert_int_equal(memmodel_monitor_new(f->context, child, &options, &f->monitor), 0);
    assert_int_equal(memmodel_monitor_run(f->monitor, NULL, NULL), 0);
}

static void
new_report(struct fixture *f)
{
    struct memmodel_replay_options replayed = {.size = sizeof replayed, .allocator = "cuda_caching"};
    struct memmodel_inference scheduled = inference;
    struct memmodel_job own = job;

    own.size = sizeof own;
    new_network(f);
    assert_true(memmodel_network_linear(f->network, f->square, MEMMODEL_LINEAR(.units = 10)) >= 0);
    assert_int_equal(memmodel_report_what_if(f->network, &own, &f->report), 0);
    f->trace = memmodel_report_trace(f->report);
    assert_int_equal(memmodel_replay_new(f->trace, &replayed, &f->replay), 0);
    scheduled.size = sizeof scheduled;
    assert_int_equal(memmodel_schedule_new(f->network, &scheduled, &f->schedule), 0);
    assert_int_equal(memmodel_recomputation_new(f->network, &f->recomputation), 0);
    assert_int_equal(memmodel_recomputation_solve(f->recomputation, &own, 0, 10), 0);
    assert_int_equal(memmodel_budget_new(f->network, &own, INT64_MAX, &f->budget), 0);
    end_network(f);
}

static void
new_plan(struct fixture *f)
{
    assert_int_equal(memmodel_plan_from_trace(f->trace, &f->plan), 0);
    assert_int_equal(memmodel_plan_solve(f->plan, NULL), 0);
}

static void
new_chain(struct fixture *f)
{
    struct memmodel_chain_block own = chain_block;

    own.size = sizeof own;
    assert_int_equal(memmodel_chain_new(f->context, 1, &f->chain), 0);
    assert_int_equal(memmodel_chain_new(f->context, 1, &f->solved_chain), 0);
    assert_int_equal(memmodel_chain_add(f->solved_chain, &own), 0);
    assert_int_equal(memmodel_chain_solve(f->solved_chain, 100, 0), 0);
}

static void
new_tiling(struct fixture *f)
{
    struct memmodel_inference how = inference;
    memmodel_dim batch_size;

    how.size = sizeof how;
    assert_int_equal(memmodel_network_new(f->context, &f->tiled), 0);
    batch_size = memmodel_network_symbol(f->tiled, "batch");
    memmodel_network_conv(
        f->tiled, memmodel_network_input(f->tiled, "x", MEMMODEL_FLOAT32, 3, (memmodel_dim[]){batch_size, 2, 64}),
        MEMMODEL_CONV(.filters = 2, .kernel = {3}, .pad = {1}));
    assert_int_equal(memmodel_tiling_new(f->tiled, &how, 0, &f->tiling), 0);
}

static int
fixture_setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    if (!f || memmodel_context_new(NULL, &f->context))
        return -1;
    new_samples(f);
    new_monitor(f);
    new_report(f);
    new_plan(f);
    new_tiling(f);
    new_chain(f);
    *state = f;
    return 0;
}

static int
fixture_teardown(void **state)
{
    struct fixture *f = *state;

    memmodel_recomputation_unref(f->recomputation);
    memmodel_chain_unref(f->chain);
    memmodel_chain_unref(f->solved_chain);
    memmodel_plan_unref(f->plan);
    memmodel_schedule_unref(f->schedule);
    memmodel_tiling_unref(f->tiling);
    memmodel_budget_unref(f->budget);
    memmodel_network_unref(f->tiled);
    memmodel_replay_unref(f->replay);
    memmodel_report_unref(f->report);
    memmodel_monitor_unref(f->monitor);
    memmodel_model_unref(f->model);
    memmodel_samples_unref(f->samples);
    memmodel_context_unref(f->context);
    free(f);
    return 0;
}

#endif
