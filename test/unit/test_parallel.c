/*
 * Processes that train together: what jobs may say of them, and predicted ranks against recorded ones
 * (test/data/pytorch_parallel).
 */
#include "ranks.h"

/* ---- what is refused ---- */

static void
what_cannot_be_shared_is_refused_with_what_would_do(void **state)
{
    static const struct {
        struct memmodel_parallel parallel;
        const char *message;
    } wrong[] = {
        {{.mesh = "dp=8"}, "8 ranks share their data, but nothing says how; give a strategy such as ddp"},
        {{.data = "ddp"}, "ddp needs a mesh with the axis dp, such as \"dp=8\""},
        {{.mesh = "dp=8", .data = "dpp"}, "no strategy is called \"dpp\"; there "},
        {{.mesh = "dp=8", .data = "ddp(25"}, "\"ddp(25\" is no call"},
        {{.mesh = "dp=8", .data = "ddp(cap=25)"}, "ddp has no option \"cap\" here; it has bucket_cap_mb"},
        {{.mesh = "dp=8", .data = "ddp(bucket_cap_mb=0)"}, "bucket_cap_mb cannot be \"0\"; write bucket_cap_mb=25"},
        {{.mesh = "dp=8", .data = "ddp(static_graph=1)"}, "static_graph cannot be \"1\"; write static_graph=True"},
        {{.mesh = "dp=8", .data = "ddp", .rank = 8}, "rank 8 is none of the mesh, whose ranks are 0 to 7"},
        {{.mesh = "dp=8", .data = "ddp", .rank = -1}, "rank -1 is none of the mesh"},
        {{.mesh = "dp=8", .data = "ddp", .backend = "mpi"}, "unknown backend \"mpi\"; known are gloo, nccl"},
        {{.mesh = "xp=8", .data = "ddp"}, "there is no axis \"xp\""},
        {{.mesh = "pp=2"}, "2 ranks share the stages, but nothing says which; give a pipeline such as"},
        {{.mesh = "pp=2", .pipeline = "1f1b(4"}, "\"1f1b(4\" is no call, such as \"1f1b(microbatches=8"},
        {{.mesh = "pp=2", .pipeline = "1f1bx(microbatches=4)"}, "no schedule is called \"1f1bx\"; there are gpipe"},
        {{.mesh = "pp=2", .pipeline = "zb(microbatches=4)"}, "no schedule is called \"zb\"; there are gpipe, 1f1b and"},
        {{.mesh = "pp=2", .pipeline = "1f1b(cut=b)"}, "into how many parts is a batch cut? write microbatches=8"},
        {{.mesh = "pp=2", .pipeline = "1f1b(microbatches=1, cut=b)"}, "1f1b needs at least as many microbatches as"},
        {{.mesh = "pp=2", .pipeline = "1f1b(microbatches=0, cut=b)"}, "microbatches cannot be \"0\""},
        {{.mesh = "pp=2", .pipeline = "1f1b(parts=4, cut=b)"}, "a pipeline has no option \"parts\"; it has microba"},
        {{.mesh = "pp=3", .pipeline = "gpipe(microbatches=4, cut=b)"}, "2 stages for 3 ranks of the axis pp; gpipe"},
        {{.mesh = "pp=2", .pipeline = "interleaved(microbatches=4, cut=b)"}, "interleaved needs two or more for each"},
        {{.mesh = "pp=2", .pipeline = "gpipe(microbatches=4, cut=c)"}, "no module of the network is called \"c\""},
        {{.mesh = "pp=2", .pipeline = "gpipe(microbatches=4, cut=a)"}, "nothing with a gradient passes into a stage"},
        {{.mesh = "pp=3", .pipeline = "gpipe(microbatches=4, cut=b, a)"}, "\"a\" does not come after the stage before"},
        {{.mesh = "dp=2,pp=2", .data = "ddp", .pipeline = "gpipe(microbatches=4, cut=b)"},
         "PyTorch stops in the second step of a pipeline with ddp, but for 1f1b with more microbatches"},
        {{.mesh = "dp=2,tp=2", .data = "ddp"}, "2 ranks share the modules, but nothing says how; give a tensor plan"},
        {{.tensor = "colwise=a"}, "a tensor plan needs a mesh with the axis tp, such as \"tp=4\""},
        {{.mesh = "dp=2,tp=2", .data = "ddp", .tensor = "colwise=a"}, "ddp takes no modules whose parameters are DTen"},
        {{.mesh = "dp=2,fsdp=2", .data = "ddp"}, "the axis fsdp needs the strategy fsdp; ddp has the axis dp"},
        {{.mesh = "dp=8", .data = "zero1(pview=True)"}, "zero1 has no option \"pview\" here; it has bucket_cap_mb"},
        {{.mesh = "dp=8", .data = "fsdp(bucket_cap_mb=3)"}, "fsdp has no option \"bucket_cap_mb\" here"},
        {{.mesh = "dp=8", .data = "fsdp(block.*)"}, "fsdp: no module of the network is called \"block.*\""},
        {{.mesh = "dp=8", .data = "fsdp(a+c)"}, "fsdp: no module of the network is called \"c\""},
        {{.mesh = "dp=8", .data = "fsdp(param_dtype=bfloat16)"}, "needs the network as it is computed"},
        {{.mesh = "dp=8", .data = "fsdp(param_dtype=int8)"},
         "param_dtype cannot be \"int8\"; write param_dtype=bfloat16"},
        {{.mesh = "dp=8", .data = "fsdp(reshard_after_forward=3)"}, "reshard_after_forward=3 does not divide the 8"},
        {{.mesh = "dp=8", .data = "fsdp(reshard_after_forward=1)"}, "reshard_after_forward cannot be \"1\""},
    };
    memmodel_network *network = network_of(*state, "unused_16");

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct memmodel_parallel parallel = wrong[i].parallel;
        struct memmodel_job job = job_of(&parallel);
        memmodel_report *report = NULL;

        parallel.size = sizeof parallel;
        assert_true(memmodel_estimate(network, &job, *state, &report) < 0);
        assert_null(report);
        if (!strstr(memmodel_context_error(*state)->message, wrong[i].message))
            fail_msg("\"%s\" does not say \"%s\"", memmodel_context_error(*state)->message, wrong[i].message);
    }
    memmodel_network_unref(network);
}

static void
only_training_by_pytorch_is_shared(void **state)
{
    const struct memmodel_parallel parallel = {.size = sizeof parallel, .mesh = "dp=2", .data = "ddp"};
    memmodel_network *network = network_of(*state, "mlp_8");
    struct memmodel_job job = job_of(&parallel);
    memmodel_report *report;

    job.mode = MEMMODEL_MODE_INFERENCE;
    assert_int_equal(memmodel_estimate(network, &job, *state, &report), MEMMODEL_ERROR_UNSUPPORTED);
    job.mode = MEMMODEL_MODE_TRAINING;
    job.framework = "textbook";
    job.framework_version = NULL;
    assert_int_equal(memmodel_estimate(network, &job, *state, &report), MEMMODEL_ERROR_UNSUPPORTED);
    memmodel_network_unref(network);
}

/* DistributedDataParallel raises "Expected to have finished reduction in the prior iteration" there. */
static void
ddp_names_a_parameter_that_gets_no_gradient(void **state)
{
    const struct memmodel_parallel parallel = {.size = sizeof parallel, .mesh = "dp=2", .data = "ddp"};
    memmodel_network *network = network_of(*state, "unused_16");
    struct memmodel_job job = job_of(&parallel);
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(network, &job, *state, &report), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(memmodel_context_error(*state)->object, "dead.weight");
    assert_non_null(strstr(memmodel_context_error(*state)->message, "find_unused_parameters=True"));
    memmodel_network_unref(network);
}

/* ---- one rank ---- */

static void
assert_same_events(const memmodel_report *a, const memmodel_report *b)
{
    const memmodel_trace *first = memmodel_report_trace(a), *second = memmodel_report_trace(b);

    assert_int_equal(memmodel_trace_event_count(first), memmodel_trace_event_count(second));
    for (size_t i = 0; i < memmodel_trace_event_count(first); i++) {
        struct memmodel_trace_event x = {.size = sizeof x}, y = {.size = sizeof y};

        memmodel_trace_get_event(first, i, &x);
        memmodel_trace_get_event(second, i, &y);
        assert_int_equal(x.bytes, y.bytes);
        assert_int_equal(x.live, y.live);
    }
}

static void
a_mesh_of_one_rank_is_no_mesh(void **state)
{
    static const char *const strategies[] = {"ddp", "ddp(gradient_as_bucket_view=True)", "zero1", "fsdp(layers.*)"};
    memmodel_network *network = network_of(*state, "mlp_8");
    struct memmodel_job alone = job_of(NULL);
    memmodel_report *expected = report_of(*state, network, &alone);

    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++) {
        const struct memmodel_parallel parallel = {.size = sizeof parallel, .mesh = "dp=1", .data = strategies[i]};
        struct memmodel_job job = job_of(&parallel);
        memmodel_report *report = report_of(*state, network, &job);

        assert_same_events(report, expected);
        memmodel_report_unref(report);
    }
    memmodel_report_unref(expected);
    memmodel_network_unref(network);
}

/* ---- recorded ranks ---- */

static int64_t
construction_peak(const memmodel_report *report)
{
    const memmodel_trace *trace = memmodel_report_trace(report);
    int64_t peak = 0;

    for (size_t i = 0; i < memmodel_trace_event_count(trace); i++) {
        struct memmodel_trace_event event = {.size = sizeof event};

        memmodel_trace_get_event(trace, i, &event);
        if (event.phase == MEMMODEL_PHASE_SETUP && event.live > peak)
            peak = event.live;
    }
    return peak;
}

/* Where releases were lost the recording has too much. */
static void
assert_peak(const json_t *row, const char *what, int64_t predicted, int64_t measured)
{
    enum { MAX_LOST = 1024 };
    int64_t lost = json_object_get(row, "off") ? MAX_LOST : 0;

    if (predicted > measured || measured - predicted > lost)
        fail_msg("%s of %s, rank %d: %lld predicted, %lld measured", what,
                 json_string_value(json_object_get(row, "name")), (int)json_integer_value(json_object_get(row, "rank")),
                 (long long)predicted, (long long)measured);
}

static void
compare(memmodel_context *context, const json_t *row)
{
    const json_t *peaks = json_object_get(row, "peaks");
    memmodel_report *report = report_of_row(context, row);

    if (json_object_get(row, "construction") && !json_object_get(row, "construction_off"))
        assert_peak(row, "construction", construction_peak(report),
                    json_integer_value(json_object_get(row, "construction")));
    for (size_t i = 0; i < json_array_size(peaks); i++)
        assert_peak(row, "a step", memmodel_report_step_peak(report, i), json_integer_value(json_array_get(peaks, i)));
    memmodel_report_unref(report);
}

/* Of a data strategy alone, or of "tensor", whatever its data strategy, or "pipeline". */
static bool
is_of(const json_t *row, const char *strategy)
{
    const char *data = json_string_value(json_object_get(row, "data"));
    const char *other = json_object_get(row, "tensor")       ? "tensor"
                        : json_object_get(row, "pipeline")   ? "pipeline"
                        : json_object_get(row, "checkpoint") ? "checkpoint"
                                                             : NULL;
    size_t length = strlen(strategy);

    if (other || !data)
        return other && strcmp(strategy, other) == 0;
    return strncmp(data, strategy, length) == 0 && (!data[length] || data[length] == '(');
}

static void
compare_all(memmodel_context *context, const char *strategy)
{
    json_t *root = json_load_file(TEST_DATA "/pytorch_parallel/cases.json", 0, NULL), *cases;
    size_t compared = 0;

    assert_non_null(root);
    cases = json_object_get(root, "cases");
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *row = json_array_get(cases, i);

        if (!is_of(row, strategy))
            continue;
        compare(context, row);
        compared++;
    }
    assert_true(compared > 0);
    json_decref(root);
}

static void
ranks_of_ddp_take_what_recorded_ones_took(void **state)
{
    compare_all(*state, "ddp");
}

static void
ranks_of_tensor_parallel_modules_take_what_recorded_ones_took(void **state)
{
    compare_all(*state, "tensor");
}

static void
ranks_of_pipelines_take_what_recorded_ones_took(void **state)
{
    compare_all(*state, "pipeline");
}

/* torch.utils.checkpoint.create_selective_checkpoint_contexts() */
static void
layers_that_keep_some_products_take_what_recorded_ones_took(void **state)
{
    compare_all(*state, "checkpoint");
}

static void
ranks_of_zero1_take_what_recorded_ones_took(void **state)
{
    compare_all(*state, "zero1");
}

static void
ranks_of_fsdp_take_what_recorded_ones_took(void **state)
{
    compare_all(*state, "fsdp");
}

/* gpt_b4_adamw_w4_fsdp of gpu_ranks.jsonl: FSDP2 itself on a simulated H100, where each stream has blocks of its own. */
static void
what_fsdp_gathers_and_scatters_has_blocks_of_its_own_on_a_gpu(void **state)
{
    const struct memmodel_parallel parallel = {
        .size = sizeof parallel, .mesh = "dp=4", .data = "fsdp(layers.*)", .rank = 1};
    struct memmodel_job job = {.size = sizeof job,
                               .framework_version = "2.15",
                               .device = "cuda",
                               .gpu = "h100",
                               .optimizer = "adamw",
                               .parallel = &parallel};
    struct memmodel_report_result result = {.size = sizeof result};
    memmodel_network *network = network_of(*state, "gpt_4");
    memmodel_report *report = report_of(*state, network, &job);

    memmodel_report_get_result(report, &result);
    assert_int_equal(result.reserved, 134217728);
    assert_int_equal(memmodel_report_step_peak(report, 1), 74328576);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

/* ---- identities ---- */

static int64_t
live_of_parts(memmodel_context *context, int parts, const char *checkpoint)
{
    char pipeline[64];
    struct memmodel_parallel parallel = {.size = sizeof parallel, .mesh = "pp=2", .pipeline = pipeline};
    struct memmodel_job job = job_of(&parallel);
    memmodel_network *network = network_of(context, "gpt_4");
    memmodel_report *report;
    int64_t peak;

    snprintf(pipeline, sizeof pipeline, "gpipe(microbatches=%d, cut=layers.2)", parts);
    job.checkpoint = checkpoint;
    report = report_of(context, network, &job);
    peak = memmodel_report_step_peak(report, 1);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
    return peak;
}

/*
 * Of each part of 4 x 64 tokens of 256 numbers, 262,144 bytes each: the inputs of two layers that are recomputed, what is sent,
 * the gradient's buffer, and the generator's state twice, 5,056 bytes; token ids, 2,048 bytes. All is less than two layers save.
 */
static void
layers_of_all_parts_of_a_batch_are_recomputed(void **state)
{
    int64_t grows = live_of_parts(*state, 5, "layers.*") - live_of_parts(*state, 4, "layers.*");

    assert_in_range(grows, 3 * 262144, 5 * 262144);
}

static struct memmodel_report_result
result_of(memmodel_context *context, const char *name, const struct memmodel_parallel *given)
{
    struct memmodel_report_result result = {.size = sizeof result};
    struct memmodel_parallel parallel = *given;
    struct memmodel_job job = job_of(&parallel);
    memmodel_network *network = network_of(context, name);
    memmodel_report *report;

    parallel.size = sizeof parallel;
    report = report_of(context, network, &job);
    memmodel_report_get_result(report, &result);
    result.peak_location = result.assumptions = result.warning = NULL;
    memmodel_report_unref(report);
    memmodel_network_unref(network);
    return result;
}

static const char *const models[] = {"mlp_8", "gpt_4", "conv_8"};

enum { MODELS = sizeof models / sizeof models[0] };

static void
gradients_that_are_views_of_buckets_take_no_more(void **state)
{
    const struct memmodel_parallel plain = {.mesh = "dp=3", .data = "ddp"},
                                   views = {.mesh = "dp=3", .data = "ddp(gradient_as_bucket_view=True)"};

    for (int i = 0; i < MODELS; i++)
        assert_true(result_of(*state, models[i], &views).live <= result_of(*state, models[i], &plain).live);
}

static void
a_module_sharded_as_a_whole_takes_no_less_than_by_blocks(void **state)
{
    const struct memmodel_parallel whole = {.mesh = "dp=3", .data = "fsdp"},
                                   blocks = {.mesh = "dp=3", .data = "fsdp(layers.*)"};

    for (int i = 0; i < 2; i++)
        assert_true(result_of(*state, models[i], &whole).live >= result_of(*state, models[i], &blocks).live);
}

/* nccl reduces and gathers where the tensors are. */
static void
gloo_takes_no_less_than_nccl(void **state)
{
    const struct memmodel_parallel gloo = {.mesh = "dp=2", .data = "fsdp(layers.*)", .backend = "gloo"},
                                   nccl = {.mesh = "dp=2", .data = "fsdp(layers.*)", .backend = "nccl"};

    for (int i = 0; i < MODELS; i++)
        assert_true(result_of(*state, models[i], &gloo).live >= result_of(*state, models[i], &nccl).live);
}

/* ---- tensor parallelism ---- */

static void
what_cannot_be_cut_names_the_module(void **state)
{
    static const struct {
        const char *mesh, *tensor, *object, *message;
    } wrong[] = {
        {"tp=2", "columns=layers.*.q", "tensor", "a tensor plan has no \"columns\"; it has colwise=, rowwise=, vocab="},
        {"tp=2", "layers.*.q", "tensor", "\"layers.*.q\" belongs to nothing; write colwise=layers.*.q"},
        {"tp=2", "colwise=layers.*.query", "tensor", "no module of the network is called \"layers.*.query\""},
        {"tp=2", "colwise=*.(q|k)", "tensor",
         "no module of the network is called \"*.(q|k)\"; there is \"layers.0.q\""},
        {"tp=2", "colwise=layers.0", "layers.0", "colwise= takes modules that are one Linear each"},
        {"tp=2", "colwise=emb", "emb", "colwise= takes modules that are one Linear each"},
        {"tp=3", "colwise=layers.*.up, rowwise=layers.*.down", "layers.0.up.linear_4",
         "weight: 1024 are no multiple of the 3 ranks of the axis tp"},
        {"tp=8", "colwise=layers.*.(q|k|v), rowwise=layers.*.o", "layers.0.reshape_1",
         "axis 2: 4 are no multiple of the 8 ranks of the axis tp"},
        {"tp=2", "rowwise=layers.*.down", "layers.0.down.linear_5", "needs an input whose last axis is cut"},
        {"tp=2", "colwise=layers.*.(up|down)", "layers.0.down.linear_5", "its input is cut already"},
        {"tp=2", "colwise=layers.*.up, rowwise=layers.*.down, loss_parallel", "tensor",
         "loss_parallel is of logits whose vocabulary is cut; write vocab="},
        {"tp=2", "colwise=layers.*.o", "layers.0.add_1", "is cut along axis 2, and binary needs all of it"},
    };
    memmodel_network *network = network_of(*state, "gpt_4");

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const struct memmodel_parallel parallel = {
            .size = sizeof parallel, .mesh = wrong[i].mesh, .tensor = wrong[i].tensor};
        struct memmodel_job job = job_of(&parallel);
        memmodel_report *report;

        assert_true(memmodel_estimate(network, &job, *state, &report) < 0);
        assert_string_equal(memmodel_context_error(*state)->object, wrong[i].object);
        if (!strstr(memmodel_context_error(*state)->message, wrong[i].message))
            fail_msg("\"%s\" does not say \"%s\"", memmodel_context_error(*state)->message, wrong[i].message);
    }
    memmodel_network_unref(network);
}

static void
a_mesh_of_one_along_tp_is_no_mesh(void **state)
{
    const struct memmodel_parallel parallel = {
        .size = sizeof parallel, .mesh = "tp=1", .tensor = "colwise=layers.*.up, rowwise=layers.*.down"};
    memmodel_network *network = network_of(*state, "gpt_4");
    struct memmodel_job job = job_of(&parallel), alone = job_of(NULL);
    memmodel_report *report = report_of(*state, network, &job), *expected = report_of(*state, network, &alone);

    assert_same_events(report, expected);
    memmodel_report_unref(report);
    memmodel_report_unref(expected);
    memmodel_network_unref(network);
}

/* ---- pipelines ---- */

static int64_t
state_bytes(memmodel_context *context, const memmodel_network *network, const struct memmodel_parallel *parallel)
{
    struct memmodel_job job = job_of(parallel);
    memmodel_report *report;
    int64_t bytes;

    job.optimizer = "adam";
    report = report_of(context, network, &job);
    bytes = memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_OPTIMIZER_STATE);
    memmodel_report_unref(report);
    return bytes;
}

/* In a block of the decoder both its input and what its attention makes of it are used behind the attention's layers. */
static void
a_cut_inside_a_skip_names_the_module(void **state)
{
    const struct memmodel_parallel parallel = {
        .size = sizeof parallel, .mesh = "pp=2", .pipeline = "1f1b(microbatches=4, cut=layers.2.o)"};
    memmodel_network *network = network_of(*state, "gpt_4");
    struct memmodel_job job = job_of(&parallel);
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(network, &job, *state, &report), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(memmodel_context_error(*state)->object, "layers.2.o"));
    assert_non_null(strstr(memmodel_context_error(*state)->message, "would cut a skip: both \"layers.1.add"));
    memmodel_network_unref(network);
}

static void
one_forward_one_backward_takes_no_more_than_gpipe(void **state)
{
    for (int64_t rank = 0; rank < 2; rank++) {
        const struct memmodel_parallel early = {.mesh = "pp=2",
                                                .pipeline = "1f1b(microbatches=6, cut=layers.2)",
                                                .rank = rank},
                                       late = {.mesh = "pp=2",
                                               .pipeline = "gpipe(microbatches=6, cut=layers.2)",
                                               .rank = rank};

        assert_true(result_of(*state, "gpt_4", &early).live <= result_of(*state, "gpt_4", &late).live);
    }
}

static void
stages_of_all_ranks_have_each_state_of_the_optimizer_once(void **state)
{
    memmodel_network *network = network_of(*state, "gpt_4");
    int64_t shared = 0;

    for (int64_t rank = 0; rank < 2; rank++) {
        const struct memmodel_parallel parallel = {.size = sizeof parallel,
                                                   .mesh = "pp=2",
                                                   .pipeline =
                                                       "interleaved(microbatches=4, cut=layers.1, layers.2, layers.3)",
                                                   .rank = rank};

        shared += state_bytes(*state, network, &parallel);
    }
    assert_int_equal(shared, state_bytes(*state, network, NULL));
    memmodel_network_unref(network);
}

static int64_t
bytes_by_role(const memmodel_report *report, const char *role)
{
    const memmodel_trace *trace = memmodel_report_trace(report);
    int64_t bytes = 0;

    for (size_t i = 0; i < memmodel_trace_event_count(trace); i++) {
        struct memmodel_trace_event event = {.size = sizeof event};

        memmodel_trace_get_event(trace, i, &event);
        if (event.phase == MEMMODEL_PHASE_SETUP && event.bytes > 0 && strcmp(event.role, role) == 0)
            bytes += event.bytes;
    }
    return bytes;
}

/* Each rank has room for ceil(rows / ranks) rows of each parameter. */
static void
the_shards_of_all_ranks_are_the_padded_parameters(void **state)
{
    enum { RANKS = 3 };
    memmodel_network *network = network_of(*state, "mlp_8");
    /* three blocks of 1024 x 256, 1024, 256 x 1024, 256, then 10 x 256 and 10 numbers, the first dim a multiple of 3 */
    int64_t padded = 4 * (3 * (1026 * 256 + 1026 + 258 * 1024 + 258) + 12 * 256 + 12), shards = 0;

    for (int64_t rank = 0; rank < RANKS; rank++) {
        const struct memmodel_parallel parallel = {
            .size = sizeof parallel, .mesh = "dp=3", .data = "fsdp(layers.*)", .rank = rank};
        struct memmodel_job job = job_of(&parallel);
        memmodel_report *report = report_of(*state, network, &job);

        shards += bytes_by_role(report, "fsdp shard");
        memmodel_report_unref(report);
    }
    assert_int_equal(shards, padded);
    memmodel_network_unref(network);
}

static void
each_state_of_the_optimizer_is_on_one_rank(void **state)
{
    enum { RANKS = 3 };
    memmodel_network *network = network_of(*state, "gpt_4");
    int64_t shared = 0;

    for (int64_t rank = 0; rank < RANKS; rank++) {
        const struct memmodel_parallel parallel = {
            .size = sizeof parallel, .mesh = "dp=3", .data = "zero1", .rank = rank};

        shared += state_bytes(*state, network, &parallel);
    }
    assert_int_equal(shared, state_bytes(*state, network, NULL));
    memmodel_network_unref(network);
}

/* ---- classes of ranks ---- */

static size_t
find_classes(memmodel_context *context, const memmodel_network *network, struct memmodel_job job,
             struct memmodel_rank_class *classes, size_t room)
{
    struct memmodel_parallel parallel = *job.parallel;
    size_t count = 0;

    job.parallel = &parallel;
    for (int64_t next = 0; next >= 0 && count < room; next = classes[count++].next_rank) {
        classes[count].size = sizeof classes[count];
        parallel.rank = next;
        assert_int_equal(memmodel_estimate_rank_class(network, &job, context, &classes[count]), 0);
        assert_int_equal(classes[count].first_rank, next);
    }
    return count;
}

static size_t
classes_of(memmodel_context *context, const char *name, struct memmodel_parallel *parallel,
           struct memmodel_rank_class *classes, size_t room)
{
    memmodel_network *network = network_of(context, name);
    size_t count;

    parallel->size = sizeof *parallel;
    count = find_classes(context, network, job_of(parallel), classes, room);
    memmodel_network_unref(network);
    return count;
}

static void
ranks_of_ddp_are_one_class_and_those_of_zero1_stand_alone(void **state)
{
    struct memmodel_parallel parallel = {.mesh = "dp=5", .data = "ddp"};
    struct memmodel_rank_class classes[8];

    assert_int_equal(classes_of(*state, "mlp_8", &parallel, classes, 8), 1);
    assert_int_equal(classes[0].rank_count, 5);
    parallel.data = "zero1";
    assert_int_equal(classes_of(*state, "mlp_8", &parallel, classes, 8), 5);
    assert_int_equal(classes[4].rank_count, 1);
}

/*
 * First dims 1024, 256 and 10. Of 1,024 ranks each has at most one row: those below 10 of all, below 256 of two, the
 * others of one.
 */
static void
ranks_of_fsdp_with_shards_alike_are_a_class(void **state)
{
    struct memmodel_parallel parallel = {.mesh = "dp=1024", .data = "fsdp(layers.*)"};
    struct memmodel_rank_class classes[8];

    assert_int_equal(classes_of(*state, "mlp_8", &parallel, classes, 8), 3);
    assert_int_equal(classes[0].rank_count, 10);
    assert_int_equal(classes[1].rank_count, 246);
    assert_int_equal(classes[2].rank_count, 768);
    /* over two axes each shard is on two ranks, 1,024 apart where the axis inside has as many */
    parallel.mesh = "fsdp=1024,dp=2";
    assert_int_equal(classes_of(*state, "mlp_8", &parallel, classes, 8), 3);
    assert_int_equal(classes[1].first_rank, 20);
    assert_int_equal(classes[1].rank_count, 492);
}

/*
 * Llama 3.1 8B: 128,256 rows of its vocabulary are 126 for each of 1,017 ranks, 114 for the next, and none for six; 4,096,
 * 1,024 and 14,336 rows of its layers are alike for 1,024 ranks, and the 64 frequencies of its positions, a buffer, are not
 * shared out. A stage that has layers alone is one class.
 */
static void
buffers_and_what_other_stages_have_make_no_classes(void **state)
{
    static const struct memmodel_symbol_value symbols[] = {{"batch", 3}, {"length", 128}};
    struct memmodel_parallel parallel = {.size = sizeof parallel, .mesh = "dp=1024", .data = "fsdp(model.layers.*)"};
    struct memmodel_job job = {.size = sizeof job, .parallel = &parallel, .symbols = symbols, .symbol_count = 2};
    struct memmodel_rank_class classes[16];
    memmodel_network *network;
    memmodel_llm *llm;

    assert_int_equal(memmodel_llm_load(*state, TEST_DATA "/serving/configs/llama31-8b.json", &llm), 0);
    assert_int_equal(memmodel_llm_build(llm, NULL, *state, &network), 0);
    assert_int_equal(find_classes(*state, network, job, classes, 16), 3);
    assert_int_equal(classes[0].rank_count, 1017);
    assert_int_equal(classes[1].rank_count, 1);
    assert_int_equal(classes[2].rank_count, 6);
    parallel.mesh = "pp=3,dp=1024";
    parallel.pipeline = "1f1b(microbatches=3, cut=model.layers.10, model.layers.20)";
    assert_int_equal(find_classes(*state, network, job, classes, 16), 3 + 1 + 3);
    assert_int_equal(classes[3].rank_count, 1024);
    memmodel_network_unref(network);
    memmodel_llm_unref(llm);
}

/*
 * Of 1,003 rows of a vocabulary four ranks have 251, 251, 251 and 250. The first hands out the others' parts, for which
 * gloo takes a copy.
 */
static void
ranks_along_tp_are_classes_by_what_they_hold(void **state)
{
    struct memmodel_parallel parallel = {.mesh = "tp=4", .tensor = "vocab=emb, head", .backend = "gloo"};
    struct memmodel_rank_class classes[8];

    assert_int_equal(classes_of(*state, "gpt_4", &parallel, classes, 8), 3);
    assert_int_equal(classes[0].rank_count, 1);
    assert_int_equal(classes[1].rank_count, 2);
    assert_int_equal(classes[2].first_rank, 3);
    parallel.backend = "nccl";
    assert_int_equal(classes_of(*state, "gpt_4", &parallel, classes, 8), 2);
    assert_int_equal(classes[0].rank_count, 3);
}

static void
ranks_of_stages_are_classes_of_their_own(void **state)
{
    struct memmodel_parallel parallel = {.mesh = "pp=3,tp=2",
                                         .backend = "nccl",
                                         .tensor = "colwise=layers.*.up, rowwise=layers.*.down",
                                         .pipeline = "1f1b(microbatches=4, cut=layers.1, layers.2)"};
    struct memmodel_rank_class classes[8];

    assert_int_equal(classes_of(*state, "gpt_4", &parallel, classes, 8), 6); /* 1,003 words leave 502 and 501 */
    assert_int_equal(classes[1].first_rank, 1);
    assert_int_equal(classes[5].first_rank, 5);
}

static void
ranks_of_a_class_give_equal_traces(void **state)
{
    memmodel_network *network = network_of(*state, "gpt_4");
    struct memmodel_parallel parallel = {.size = sizeof parallel, .mesh = "dp=5", .data = "fsdp(layers.*)"};
    struct memmodel_job job = job_of(&parallel);
    struct memmodel_rank_class ranks = {.size = sizeof ranks};

    for (; ranks.next_rank >= 0; parallel.rank = ranks.next_rank) {
        memmodel_report *first, *last;

        assert_int_equal(memmodel_estimate_rank_class(network, &job, *state, &ranks), 0);
        first = report_of(*state, network, &job);
        parallel.rank = ranks.first_rank + ranks.rank_count - 1;
        last = report_of(*state, network, &job);
        assert_same_events(first, last);
        memmodel_report_unref(first);
        memmodel_report_unref(last);
    }
    memmodel_network_unref(network);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(what_cannot_be_shared_is_refused_with_what_would_do),
        WITH_CONTEXT(only_training_by_pytorch_is_shared),
        WITH_CONTEXT(ddp_names_a_parameter_that_gets_no_gradient),
        WITH_CONTEXT(a_mesh_of_one_rank_is_no_mesh),
        WITH_CONTEXT(ranks_of_ddp_take_what_recorded_ones_took),
        WITH_CONTEXT(ranks_of_zero1_take_what_recorded_ones_took),
        WITH_CONTEXT(ranks_of_fsdp_take_what_recorded_ones_took),
        WITH_CONTEXT(ranks_of_tensor_parallel_modules_take_what_recorded_ones_took),
        WITH_CONTEXT(ranks_of_pipelines_take_what_recorded_ones_took),
        WITH_CONTEXT(layers_of_all_parts_of_a_batch_are_recomputed),
        WITH_CONTEXT(layers_that_keep_some_products_take_what_recorded_ones_took),
        WITH_CONTEXT(what_fsdp_gathers_and_scatters_has_blocks_of_its_own_on_a_gpu),
        WITH_CONTEXT(what_cannot_be_cut_names_the_module),
        WITH_CONTEXT(a_cut_inside_a_skip_names_the_module),
        WITH_CONTEXT(one_forward_one_backward_takes_no_more_than_gpipe),
        WITH_CONTEXT(stages_of_all_ranks_have_each_state_of_the_optimizer_once),
        WITH_CONTEXT(ranks_of_stages_are_classes_of_their_own),
        WITH_CONTEXT(a_mesh_of_one_along_tp_is_no_mesh),
        WITH_CONTEXT(buffers_and_what_other_stages_have_make_no_classes),
        WITH_CONTEXT(ranks_along_tp_are_classes_by_what_they_hold),
        WITH_CONTEXT(gradients_that_are_views_of_buckets_take_no_more),
        WITH_CONTEXT(a_module_sharded_as_a_whole_takes_no_less_than_by_blocks),
        WITH_CONTEXT(gloo_takes_no_less_than_nccl),
        WITH_CONTEXT(the_shards_of_all_ranks_are_the_padded_parameters),
        WITH_CONTEXT(each_state_of_the_optimizer_is_on_one_rank),
        WITH_CONTEXT(ranks_of_ddp_are_one_class_and_those_of_zero1_stand_alone),
        WITH_CONTEXT(ranks_of_fsdp_with_shards_alike_are_a_class),
        WITH_CONTEXT(ranks_of_a_class_give_equal_traces),
    };

    return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
