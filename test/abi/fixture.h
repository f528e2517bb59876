/* Objects of every kind, and options with which each call on them succeeds: what generated tables of calls work on. */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

#include "check.h"

#include <stdlib.h>
#include <unistd.h>

/* What the calls of the table work on. The `new_` ones are what a call made. */
struct fixture {
    memmodel_context *context;
    struct memmodel_job job; /* with its size */
    struct memmodel_advise_options advise_options;
    struct memmodel_prediction prediction;
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
    memmodel_optimization *optimization;
    memmodel_device *device;
    memmodel_recording *recording; /* with one operator and one storage */
    memmodel_llm *llm;
    memmodel_serving *serving;
    memmodel_report *recorded; /* report of another one, with a line of its program */

    memmodel_context *new_context;
    memmodel_network *new_network;
    memmodel_model *new_model;
    memmodel_samples *new_samples;
    memmodel_monitor *new_monitor;
    memmodel_report *new_report;
    memmodel_replay *new_replay;
    memmodel_schedule *new_schedule;
    memmodel_tiling *new_tiling;
    memmodel_optimization *new_optimization;
    memmodel_device *new_device;
    memmodel_function *new_function;
    memmodel_plan *new_plan;
    memmodel_chain *new_chain;
    memmodel_recomputation *new_recomputation;
    memmodel_trace *new_trace;
    memmodel_recording *new_recording;
    memmodel_llm *new_llm;
    memmodel_serving *new_serving;
    int64_t number;
};

/* An ONNX model: y = Relu(x), of two numbers each, opset 13. */
static const char onnx[] = "\x08\x08\x42\x02\x10\x0d\x3a\x30"
                           "\x0a\x0c\x0a\x01x\x12\x01y\x22\x04Relu"
                           "\x5a\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x02"
                           "\x62\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x02";

/* A config.json of one layer. */
static const char config_json[] = "{\"model_type\": \"llama\", \"hidden_size\": 64, \"intermediate_size\": 128, "
                                  "\"num_hidden_layers\": 1, \"num_attention_heads\": 4, \"vocab_size\": 128, "
                                  "\"max_position_embeddings\": 64}";

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
    .allocate = plain_allocate, .reallocate = plain_reallocate, .deallocate = plain_release};
static const struct memmodel_symbol_value batch = {.name = "batch", .value = 4};
static const struct memmodel_job job = {.symbols = &batch,
                                        .symbol_count = 1,
                                        .optimizer = "sgd",
                                        .isa = "avx2",
                                        .steps = 2,
                                        .metric = 2,
                                        .budget = INT64_C(1) << 30};
static const struct memmodel_fit_options fit = {.target = "bytes", .max_terms = 2, .loss = MEMMODEL_FIT_LOSS_SQUARED};
static const char *const domain[] = {"batch=1,2,4"};
static const struct memmodel_advise_options advise = {
    .target = "bytes", .domain = domain, .domain_count = 1, .count = 2};
static const struct memmodel_plan_buffer buffer = {.name = "b", .bytes = 64, .lower = 1, .upper = 3, .alignment = 8};
static const struct memmodel_serve_options served = {.gpu = "h100", .max_length = 32};
static const struct memmodel_plan_options plan = {.budget = INT64_C(1) << 40, .max_nodes = 100};
static const struct memmodel_chain_block chain_block = {
    .name = "b", .input_bytes = 1, .saved_bytes = 64, .forward_cost = 1};
static const struct memmodel_chain_options chain = {.budget = 100};
static const struct memmodel_recompute_options recompute = {.max_simulations = 10};
static const struct memmodel_schedule_options inference = {
    .symbols = &batch, .symbol_count = 1, .disabled_passes = MEMMODEL_SCHEDULE_PASS_FUSION, .alignment = 64};
static const struct memmodel_device_options gpu = {.gpu = "h100"};
static const struct memmodel_shape shape = {.rank = 1, .dims = {4}};
static const struct memmodel_recording_owner owner = {
    .role = "weight", .layer = "linear", .line = "train.py:1", .category = MEMMODEL_CATEGORY_INPUTS};
static const struct memmodel_recording_tensor four = {.dims = {4}, .strides = {1}, .rank = 1, .dtype = 1};
static const struct memmodel_recording_operator signature = {
    .name = "aten.exp.default", .inputs = &four, .outputs = &four, .input_count = 1, .output_count = 1};

static const struct {
    const char *call;
    const void *options;
} valid[] = {
    {"memmodel_context_new", &allocator},
    {"memmodel_network_conv", MEMMODEL_CONV(.name = "c", .filters = 4, .kernel = {3}, .groups = 2, .no_bias = 1)},
    {"memmodel_network_conv_transpose",
     MEMMODEL_CONV(.filters = 4, .kernel = {3}, .stride = {2}, .output_padding = {1})},
    {"memmodel_network_linear", MEMMODEL_LINEAR(.units = 10, .activation = MEMMODEL_ACTIVATION_RELU)},
    {"memmodel_network_pool",
     MEMMODEL_POOL(.kernel = {2}, .stride = {3}, .kind = MEMMODEL_POOL_AVERAGE, .ceil_mode = 1)},
    {"memmodel_network_adaptive_pool", MEMMODEL_ADAPTIVE_POOL(.output_size = {3}, .kind = MEMMODEL_POOL_AVERAGE)},
    {"memmodel_network_global_pool", MEMMODEL_GLOBAL_POOL(.kind = MEMMODEL_POOL_AVERAGE, .keep_dims = 1)},
    {"memmodel_network_group_norm", MEMMODEL_GROUP_NORM(.groups = 2, .no_affine = 1)},
    {"memmodel_network_activation", MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_PRELU, .single_parameter = 1)},
    {"memmodel_network_softmax", MEMMODEL_SOFTMAX(.axis = 1, .logarithmic = 1)},
    {"memmodel_network_dropout", MEMMODEL_DROPOUT(.rate = 0.25, .channelwise = 1)},
    {"memmodel_network_embedding",
     MEMMODEL_EMBEDDING(.num_embeddings = 100, .embedding_dim = 16, .dtype = MEMMODEL_DTYPE_FLOAT64)},
    {"memmodel_network_upsample", MEMMODEL_UPSAMPLE(.scale = {2}, .kind = MEMMODEL_INTERPOLATION_LINEAR)},
    {"memmodel_network_pad", MEMMODEL_PAD(.before = {0, 1}, .after = {0, 0, 2}, .kind = MEMMODEL_PAD_REPLICATE)},
    {"memmodel_network_crop", MEMMODEL_PAD(.before = {0, 1}, .after = {0, 0, 2})},
    {"memmodel_network_concat", MEMMODEL_CONCAT(.axis = 1)},
    {"memmodel_network_split", MEMMODEL_SPLIT(.parts = 2, .axis = 1)},
    {"memmodel_network_slice", MEMMODEL_SLICE(.start = 1, .stop = 5, .step = 2, .axis = 2)},
    {"memmodel_network_reduce",
     MEMMODEL_REDUCE(.axes = {1}, .axis_count = 1, .kind = MEMMODEL_REDUCE_SUM, .keep_dims = 1)},
    {"memmodel_network_recurrent", MEMMODEL_RECURRENT(.hidden_size = 6, .layer_count = 2, .bidirectional = 1)},
    {"memmodel_network_custom", MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .saved_bytes = 400)},
    {"memmodel_fit", &fit},
    {"memmodel_advise", &advise},
    {"memmodel_plan_add_buffer", &buffer},
    {"memmodel_plan_solve", &plan},
    {"memmodel_chain_add_block", &chain_block},
    {"memmodel_chain_solve", &chain},
    {"memmodel_recompute_options", &recompute},
    {"memmodel_network_schedule", &inference},
    {"memmodel_network_tile", &inference},
    {"memmodel_estimate", &job},
    {"memmodel_estimate_rank_class", &job},
    {"memmodel_estimate_what_if", &job},
    {"memmodel_estimate_max", &job},
    {"memmodel_recompute", &job},
    {"memmodel_optimize", &job},
    {"memmodel_estimate_gpu", &job},
    {"memmodel_device_new", &gpu},
    {"memmodel_serve_min", &served},
    {"memmodel_recording_new", &job},
    {"memmodel_recording_allocate", &owner},
    {"memmodel_recording_add_operator", &signature},
    {"memmodel_recording_run", &owner},
    {"memmodel_trace_estimate", &job},
    {"memmodel_estimate_meshes",
     &(const struct memmodel_mesh_options){.gpu_count = 2, .length = 64, .max_tensor = 1, .max_pipeline = 1}},
    {"memmodel_estimate_megatron", &(const struct memmodel_megatron_options){.ranks = 8,
                                                                             .num_layers = 12,
                                                                             .hidden_size = 512,
                                                                             .num_attention_heads = 8,
                                                                             .vocab_size = 50257,
                                                                             .seq_length = 1024}},
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
    f->square = input(f, "square", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){batch_dim, 4, 8, 8});
    f->sequence = input(f, "sequence", MEMMODEL_DTYPE_FLOAT32, 3, (memmodel_dim[]){8, 3, 16});
    f->indices = input(f, "indices", MEMMODEL_DTYPE_INT64, 2, (memmodel_dim[]){3, 8});
    f->logits = input(f, "logits", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){3, 10});
    f->classes = input(f, "classes", MEMMODEL_DTYPE_INT64, 1, (memmodel_dim[]){3});
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
        assert_int_equal(memmodel_samples_add_row(f->samples, (double[]){i, 1000 + 200 * i + i % 3}), 0);
    f->advise_options = advise;
    f->advise_options.size = sizeof advise;
    f->prediction.size = sizeof f->prediction;
    options.size = sizeof options;
    assert_int_equal(memmodel_fit(f->samples, &options, NULL, &f->model), 0);
}

/* The monitor of a process that has ended reads the same each time. */
static void
new_monitor(struct fixture *f)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .is_child = 1};
    pid_t child = fork();

    if (!child)
        _exit(0);
    assert_int_equal(memmodel_monitor_new(f->context, child, &options, &f->monitor), 0);
    assert_int_equal(memmodel_monitor_run(f->monitor, NULL, NULL), 0);
}

/* An operator that no framework has a rule for. */
static void
add_unmodelled(struct fixture *f)
{
    assert_true(
        memmodel_network_custom(f->network, &f->square, 1,
                                MEMMODEL_CUSTOM(.operation = "none_such", .outputs = &shape, .output_count = 1)) >= 0);
}

static void
new_report(struct fixture *f)
{
    struct memmodel_replay_options replayed = {.size = sizeof replayed, .allocator = "cuda_caching"};
    struct memmodel_schedule_options scheduled = inference;
    struct memmodel_recompute_options few = recompute;
    struct memmodel_job own = job;

    own.size = sizeof own;
    f->job = own;
    new_network(f);
    assert_true(memmodel_network_linear(f->network, f->square, MEMMODEL_LINEAR(.units = 10)) >= 0);
    add_unmodelled(f);
    assert_int_equal(memmodel_estimate_what_if(f->network, &own, NULL, &f->report), 0);
    f->trace = memmodel_report_trace(f->report);
    assert_int_equal(memmodel_trace_replay(f->trace, &replayed, NULL, &f->replay), 0);
    scheduled.size = sizeof scheduled;
    assert_int_equal(memmodel_network_schedule(f->network, &scheduled, NULL, &f->schedule), 0);
    few.size = sizeof few;
    assert_int_equal(memmodel_recompute(f->network, &own, &few, NULL, &f->recomputation), 0);
    own.budget = INT64_MAX;
    assert_int_equal(memmodel_optimize(f->network, &own, NULL, &f->optimization), 0);
    end_network(f);
}

static void
new_plan(struct fixture *f)
{
    assert_int_equal(memmodel_plan_from_trace(f->context, f->trace, &f->plan), 0);
    assert_int_equal(memmodel_plan_solve(f->plan, NULL), 0);
}

static void
new_chain(struct fixture *f)
{
    struct memmodel_chain_block own = chain_block;
    struct memmodel_chain_options options = chain;

    own.size = sizeof own;
    assert_int_equal(memmodel_chain_new(f->context, 1, &f->chain), 0);
    assert_int_equal(memmodel_chain_new(f->context, 1, &f->solved_chain), 0);
    assert_int_equal(memmodel_chain_add_block(f->solved_chain, &own), 0);
    options.size = sizeof options;
    assert_int_equal(memmodel_chain_solve(f->solved_chain, &options), 0);
}

static void
new_tiling(struct fixture *f)
{
    struct memmodel_schedule_options how = inference;
    memmodel_dim batch_size;

    how.size = sizeof how;
    assert_int_equal(memmodel_network_new(f->context, &f->tiled), 0);
    batch_size = memmodel_network_symbol(f->tiled, "batch");
    memmodel_network_conv(
        f->tiled, memmodel_network_input(f->tiled, "x", MEMMODEL_DTYPE_FLOAT32, 3, (memmodel_dim[]){batch_size, 2, 64}),
        MEMMODEL_CONV(.filters = 2, .kernel = {3}, .padding = {1}));
    assert_int_equal(memmodel_network_tile(f->tiled, &how, 0, NULL, &f->tiling), 0);
}

static void
new_device(struct fixture *f)
{
    struct memmodel_device_options own = gpu;

    own.size = sizeof own;
    assert_int_equal(memmodel_device_new(f->context, &own, &f->device), 0);
}

static void
new_recording(struct fixture *f)
{
    struct memmodel_recording_operator operation = signature;
    struct memmodel_recording_owner own = owner;

    operation.size = sizeof operation;
    own.size = sizeof own;
    assert_int_equal(memmodel_recording_new(f->context, NULL, &f->recording), 0);
    assert_int_equal(memmodel_recording_add_operator(f->recording, &operation), 0);
    assert_int_equal(memmodel_recording_allocate(f->recording, 64, &own), 0);
}

static void
new_recorded(struct fixture *f)
{
    struct memmodel_recording_owner own = owner;
    memmodel_recording *recording;
    memmodel_trace *trace;

    own.size = sizeof own;
    assert_int_equal(memmodel_recording_new(f->context, NULL, &recording), 0);
    assert_int_equal(memmodel_recording_enter(recording, 1, 0), 0);
    assert_int_equal(memmodel_recording_allocate(recording, 64, &own), 0);
    assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
    assert_int_equal(memmodel_trace_estimate(trace, NULL, NULL, &f->recorded), 0);
    memmodel_trace_unref(trace);
    memmodel_recording_unref(recording);
}

static void
new_serving(struct fixture *f)
{
    assert_int_equal(memmodel_llm_from_json(f->context, "config.json", config_json, sizeof config_json - 1, &f->llm),
                     0);
    assert_int_equal(memmodel_serve(f->llm, NULL, NULL, &f->serving), 0);
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
    new_device(f);
    new_recording(f);
    new_recorded(f);
    new_serving(f);
    *state = f;
    return 0;
}

static int
fixture_teardown(void **state)
{
    struct fixture *f = *state;

    memmodel_serving_unref(f->serving);
    memmodel_llm_unref(f->llm);
    memmodel_report_unref(f->recorded);
    memmodel_recording_unref(f->recording);
    memmodel_device_unref(f->device);
    memmodel_recomputation_unref(f->recomputation);
    memmodel_chain_unref(f->chain);
    memmodel_chain_unref(f->solved_chain);
    memmodel_plan_unref(f->plan);
    memmodel_schedule_unref(f->schedule);
    memmodel_tiling_unref(f->tiling);
    memmodel_optimization_unref(f->optimization);
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
