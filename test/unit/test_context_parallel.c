/*
 * Ranks that share a sequence: what jobs may say of them, and predicted ranks against those that PyTorch's own code ran on a
 * simulated GPU (test/data/pytorch_parallel/gpu_context.jsonl).
 */
#include "ranks.h"

#include <string.h>

/* ---- what is refused ---- */

static struct memmodel_job
gpu_job(const struct memmodel_parallel *parallel)
{
    struct memmodel_job job = job_of(parallel);

    job.gpu = "h100";
    job.isa = NULL;
    job.framework_version = "2.15";
    job.optimizer = "sgd";
    return job;
}

static void
what_cannot_share_a_sequence_is_refused_with_what_would_do(void **state)
{
    static const struct {
        struct memmodel_parallel parallel;
        const char *gpu, *message;
    } wrong[] = {
        {{.mesh = "cp=2", .data = "fsdp"},
         NULL,
         "the axis cp is modelled on a GPU alone, as context_parallel() is; give a"},
        {{.mesh = "cp=2"}, "h100", "2 ranks share their data, but nothing says how; give a strategy such as ddp"},
        {{.mesh = "cp=2", .data = "deepspeed(stage=2)"},
         "h100",
         "deepspeed is not modelled with the axis cp; fsdp and"},
        {{.mesh = "cp=2", .data = "fsdp", .context = "ulysses"},
         "h100",
         "\"ulysses\" is not modelled; ranks of the axis cp"},
        {{.mesh = "cp=2", .data = "fsdp", .context = "ring(2"}, "h100", "\"ring(2\" is not modelled"},
        {{.mesh = "cp=2", .data = "fsdp", .context = "ring(2)"},
         "h100",
         "ring has no option \"2\"; it has rotate_method"},
        {{.mesh = "cp=2", .data = "fsdp", .context = "ring(rotate_method=p2p)"},
         "h100",
         "rotate_method cannot be \"p2p\"; write"},
        {{.mesh = "cp=2", .data = "fsdp", .context = "ring(load_balance=1)"},
         "h100",
         "load_balance cannot be \"1\"; write"},
    };
    memmodel_network *network = network_of(*state, "gpt_4");

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct memmodel_parallel parallel = wrong[i].parallel;
        struct memmodel_job job = gpu_job(&parallel);
        memmodel_report *report = NULL;

        parallel.size = sizeof parallel;
        job.gpu = wrong[i].gpu;
        assert_true(memmodel_estimate(network, &job, *state, &report) < 0);
        assert_non_null(strstr(memmodel_context_error(*state)->message, wrong[i].message));
    }
    memmodel_network_unref(network);
}

/* PyTorch raises "Load balancing requires `is_causal=True`" there. */
static void
attention_that_is_not_causal_is_not_balanced(void **state)
{
    struct memmodel_parallel parallel = {.size = sizeof parallel, .mesh = "cp=2", .data = "fsdp"};
    struct memmodel_job job = gpu_job(&parallel);
    memmodel_network *network = NULL;
    memmodel_report *report = NULL;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(*state, &network), 0);
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 3, (memmodel_dim[]){2, 64, 128});
    x = memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 128));
    x = memmodel_network_reshape(network, x, 4, (memmodel_dim[]){2, 64, 2, 64});
    x = memmodel_network_permute(network, x, 4, (int[]){0, 2, 1, 3});
    memmodel_network_attention(network, x, x, x, MEMMODEL_TENSOR_NONE, NULL);
    assert_int_equal(memmodel_estimate(network, &job, *state, &report), MEMMODEL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(memmodel_context_error(*state)->message, "give context=\"ring(load_balance=False)\""));
    parallel.context = "ring(load_balance=False)";
    assert_int_equal(memmodel_estimate(network, &job, *state, &report), 0);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

/* ---- recorded ranks ---- */

/* Where a case is one of a network that is kept. */
struct recorded {
    const char *name, *network, *optimizer, *gpu;
    struct memmodel_parallel parallel;
};

static const struct recorded cases[] = {
    {"gpt_b4_float32_adamw_cp=2_fsdp_ring_r0_h100",
     "gpt_4",
     "adamw",
     "h100",
     {.mesh = "cp=2", .data = "fsdp(layers.*)"}},
    {"gpt_b4_bfloat16_sgd_cp=4_fsdp_ring(rotate_method=alltoall)_r1_a100",
     "gpt_4_bfloat16",
     "sgd",
     "a100",
     {.mesh = "cp=4", .data = "fsdp(layers.*)", .context = "ring(rotate_method=alltoall)", .rank = 1}},
    {"titan_b2_float32_sgd_dp=2,cp=2_fsdp_ring_r3_h100",
     "titan_2",
     "sgd",
     "h100",
     {.mesh = "dp=2,cp=2", .data = "fsdp(layers.*)", .rank = 3}},
};

struct comparison {
    memmodel_context *context;
    size_t count;
};

static void
compare(const struct recorded *of, const json_t *row, memmodel_context *context)
{
    struct memmodel_parallel parallel = of->parallel;
    struct memmodel_job job = gpu_job(&parallel);
    memmodel_network *network = network_of(context, of->network);
    memmodel_report *report;

    parallel.size = sizeof parallel;
    job.optimizer = of->optimizer;
    job.gpu = of->gpu;
    report = report_of(context, network, &job);
    for (size_t step = 0; step < 3; step++)
        assert_int_equal(memmodel_report_step_peak(report, step),
                         json_integer_value(json_array_get(json_object_get(row, "peaks"), step)));
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
compare_line(const json_t *row, void *user)
{
    struct comparison *comparison = user;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(cases[i].name, json_string_value(json_object_get(row, "name"))) != 0)
            continue;
        compare(&cases[i], row, comparison->context);
        comparison->count++;
    }
}

static void
ranks_with_a_part_of_a_sequence_have_the_peaks_of_torch_cuda(void **state)
{
    struct comparison comparison = {*state, 0};

    FILE *file = fopen(TEST_DATA "/pytorch_parallel/gpu_context.jsonl", "r");
    json_t *row;

    assert_non_null(file);
    while ((row = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
        compare_line(row, &comparison);
        json_decref(row);
    }
    fclose(file);
    assert_int_equal(comparison.count, sizeof cases / sizeof cases[0]);
}

/* ---- classes ---- */

/* How many classes there are, whose counts are added up; `counts` are those of the first. */
static size_t
count_classes(memmodel_context *context, const char *mesh, int64_t counts[], size_t room, int64_t *ranks)
{
    struct memmodel_parallel parallel = {.size = sizeof parallel, .mesh = mesh, .data = "fsdp(layers.*)"};
    struct memmodel_job job = gpu_job(&parallel);
    memmodel_network *network = network_of(context, "mlp_8");
    size_t count = 0;

    *ranks = 0;
    while (parallel.rank >= 0) {
        struct memmodel_rank_class found = {.size = sizeof found};

        assert_int_equal(memmodel_estimate_rank_class(network, &job, context, &found), 0);
        if (count < room)
            counts[count] = found.rank_count;
        count++;
        *ranks += found.rank_count;
        parallel.rank = found.next_rank;
    }
    memmodel_network_unref(network);
    return count;
}

/*
 * First dims 1024, 256 and 10, over 1,024 ranks: those below 10 have a row of all, those below 256 of two, the others of one.
 * Number place x 128 + c along cp=128: of each c below 10 one, one and six, of the others two and six. Number c x 256 + place
 * where cp is outside: 10 and 246 of the first, 256 of each other.
 */
static void
each_place_along_a_sequence_has_classes_of_its_own(void **state)
{
    int64_t counts[5], ranks;

    assert_int_equal(count_classes(*state, "dp=8,cp=128", counts, 5, &ranks), 10 * 3 + 118 * 2);
    assert_int_equal(ranks, 1024);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[2], 6);
    assert_int_equal(count_classes(*state, "cp=4,dp=256", counts, 5, &ranks), 5);
    assert_int_equal(ranks, 1024);
    assert_int_equal(counts[0], 10);
    assert_int_equal(counts[1], 246);
    assert_int_equal(counts[4], 256);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(what_cannot_share_a_sequence_is_refused_with_what_would_do),
        WITH_CONTEXT(attention_that_is_not_causal_is_not_balanced),
        WITH_CONTEXT(ranks_with_a_part_of_a_sequence_have_the_peaks_of_torch_cuda),
        WITH_CONTEXT(each_place_along_a_sequence_has_classes_of_its_own),
    };

    return cmocka_run_group_tests_name("context parallel", tests, NULL, NULL);
}
