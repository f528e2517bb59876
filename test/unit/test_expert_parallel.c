/*
 * Ranks that share the experts of a mixture: what jobs may say of them, and what comes of an assumption about rows that no one
 * can know. The network is a Mixtral of transformers: two layers, 8 experts of 64 x 96, two for each of 64 tokens.
 */
#include "ranks.h"

#include <string.h>

enum { TOKENS = 64, CHOSEN = 2, LAYERS = 2, HIDDEN = 64, INNER = 96, EXPERT_COUNT = 8, FLOAT = 4 };

static const char units[] = "fsdp(model.layers.*.mlp.experts, model.layers.*)";

static struct memmodel_parallel
ranks_of(const char *mesh, const char *experts)
{
    return (struct memmodel_parallel){
        .size = sizeof(struct memmodel_parallel), .mesh = mesh, .data = units, .experts = experts, .backend = "nccl"};
}

static memmodel_report *
estimate(memmodel_context *context, const struct memmodel_parallel *parallel)
{
    struct memmodel_job job = job_of(parallel);
    const struct memmodel_symbol_value batch = {"batch", 2};
    memmodel_network *network = network_of(context, "mixtral_2");
    memmodel_report *report;

    job.optimizer = "sgd";
    job.symbols = &batch;
    job.symbol_count = 1;
    report = report_of(context, network, &job);
    memmodel_network_unref(network);
    return report;
}

/* Live bytes after the last event of a phase of the second step; the report goes. */
static int64_t
live_at_end(memmodel_report *report, int32_t phase)
{
    const memmodel_trace *trace = memmodel_report_trace(report);
    int64_t live = 0;

    for (size_t i = 0; i < memmodel_trace_event_count(trace); i++) {
        struct memmodel_trace_event event = {.size = sizeof event};

        memmodel_trace_get_event(trace, i, &event);
        if (event.step == 2 && event.phase == phase)
            live = event.live;
    }
    memmodel_report_unref(report);
    return live;
}

static int64_t
live_after(memmodel_context *context, const struct memmodel_parallel *parallel, int32_t phase)
{
    return live_at_end(estimate(context, parallel), phase);
}

/*
 * Each row that comes is kept for the backward pass as it came (64 numbers), as gate and up (2 x 96), behind the gate's
 * activation and as the product of both (96 each). Of four ranks that send 128 rows each 3 x 128 more come at most.
 */
static void
rows_of_all_ranks_are_kept_where_the_assumption_says_so(void **state)
{
    struct memmodel_parallel all = ranks_of("dp=2,ep=4", NULL), balanced = ranks_of("dp=2,ep=4", "balanced");
    int64_t more =
        live_after(*state, &all, MEMMODEL_PHASE_FORWARD) - live_after(*state, &balanced, MEMMODEL_PHASE_FORWARD);

    assert_int_equal(more, (int64_t)LAYERS * 3 * TOKENS * CHOSEN * (HIDDEN + 4 * INNER) * FLOAT);
    all.experts = "all";
    assert_int_equal(
        live_after(*state, &all, MEMMODEL_PHASE_FORWARD) - live_after(*state, &balanced, MEMMODEL_PHASE_FORWARD), more);
}

/*
 * Between steps a rank has shards alone: an eighth of all parameters, whether experts are shared out over four ranks and
 * sharded over two, or sharded over eight. Each of five calls of fully_shard() makes a mesh of its own there, 4 bytes a rank,
 * where ranks that share experts have one.
 */
static void
experts_are_sharded_over_the_ranks_that_have_the_same_ones(void **state)
{
    static const struct {
        const char *mesh, *without;
        int64_t ranks;
    } same[] = {{"dp=2,ep=4", "dp=8", 8}, {"ep=4", "dp=4", 4}, {"ep=8,dp=1", "dp=8", 8}};

    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        struct memmodel_parallel shared = ranks_of(same[i].mesh, NULL), sharded = ranks_of(same[i].without, NULL);

        assert_int_equal(live_after(*state, &sharded, MEMMODEL_PHASE_OPTIMIZER) -
                             live_after(*state, &shared, MEMMODEL_PHASE_OPTIMIZER),
                         4 * same[i].ranks * 4);
    }
}

/* The report names what it assumes of each exchange of rows: twice in each layer, there and back. */
static void
the_report_names_its_assumption(void **state)
{
    static const char *const words[][2] = {{"all", "to this rank: a bound"}, {"balanced", "a rank may get more rows"}};

    for (size_t i = 0; i < 2; i++) {
        struct memmodel_parallel parallel = ranks_of("dp=2,ep=4", words[i][0]);
        memmodel_report *report = estimate(*state, &parallel);
        size_t found = 0;

        for (size_t k = 0; k < memmodel_report_unmodelled_count(report); k++) {
            struct memmodel_report_unmodelled unmodelled = {.size = sizeof unmodelled};

            memmodel_report_get_unmodelled(report, k, &unmodelled);
            found += strstr(unmodelled.op, words[i][1]) != NULL;
        }
        assert_int_equal(found, 1);
        memmodel_report_unref(report);
    }
}

static void
each_place_along_experts_is_a_class(void **state)
{
    struct memmodel_parallel parallel = ranks_of("dp=2,ep=4", NULL);
    struct memmodel_job job = job_of(&parallel);
    const struct memmodel_symbol_value batch = {"batch", 2};
    memmodel_network *network = network_of(*state, "mixtral_2");
    int64_t ranks = 0;

    job.symbols = &batch;
    job.symbol_count = 1;
    while (parallel.rank >= 0) {
        struct memmodel_rank_class found = {.size = sizeof found};

        assert_int_equal(memmodel_estimate_rank_class(network, &job, *state, &found), 0);
        ranks += found.rank_count;
        parallel.rank = found.next_rank;
    }
    assert_int_equal(ranks, 8);
    memmodel_network_unref(network);
}

/* The same model from its configuration. */
static int64_t
configured_live_after_forward(memmodel_context *context, const struct memmodel_parallel *parallel)
{
    static const char config[] =
        "{\"architectures\": [\"MixtralForCausalLM\"], \"model_type\": \"mixtral\", \"hidden_size\": 64, "
        "\"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"vocab_size\": 128, "
        "\"intermediate_size\": 96, \"num_local_experts\": 8, \"num_experts_per_tok\": 2, "
        "\"tie_word_embeddings\": false, \"sliding_window\": null, \"max_position_embeddings\": 128, \"torch_dtype\": \"float32\"}";
    const struct memmodel_symbol_value values[] = {{"batch", 2}, {"length", 32}};
    struct memmodel_job job = job_of(parallel);
    memmodel_network *network;
    memmodel_llm *llm;
    int64_t live;

    job.optimizer = "sgd";
    job.symbols = values;
    job.symbol_count = 2;
    if (memmodel_llm_from_json(context, "config.json", config, strlen(config), &llm))
        fail_msg("%s", memmodel_context_error(context)->message);
    if (memmodel_llm_build(llm, NULL, context, &network))
        fail_msg("%s", memmodel_context_error(context)->message);
    live = live_at_end(report_of(context, network, &job), MEMMODEL_PHASE_FORWARD);
    memmodel_network_unref(network);
    memmodel_llm_unref(llm);
    return live;
}

static void
a_network_from_a_configuration_keeps_the_same_rows(void **state)
{
    struct memmodel_parallel all = ranks_of("dp=2,ep=4", NULL), balanced = ranks_of("dp=2,ep=4", "balanced");

    assert_int_equal(configured_live_after_forward(*state, &all) - configured_live_after_forward(*state, &balanced),
                     (int64_t)LAYERS * 3 * TOKENS * CHOSEN * (HIDDEN + 4 * INNER) * FLOAT);
}

static void
what_cannot_share_experts_is_refused_with_what_would_do(void **state)
{
    static const struct {
        struct memmodel_parallel parallel;
        const char *network, *message;
    } wrong[] = {
        {{.mesh = "ep=2"}, "mixtral_2", "the axis ep needs the strategy fsdp, which does not share experts with"},
        {{.mesh = "ep=2", .data = "ddp"}, "mixtral_2", "the axis ep needs the strategy fsdp"},
        {{.mesh = "ep=2,tp=2", .data = "fsdp"},
         "mixtral_2",
         "the axis ep is not modelled with tp; it is with dp or fsdp"},
        {{.mesh = "ep=2,cp=2", .data = "fsdp"}, "mixtral_2", "the axis ep is not modelled with cp"},
        {{.mesh = "ep=3", .data = "fsdp"}, "mixtral_2", "8 experts are no multiple of the 3 ranks of the axis ep"},
        {{.mesh = "ep=2", .data = "fsdp", .experts = "most"},
         "mixtral_2",
         "\"most\" is no assumption of how tokens are"},
        {{.mesh = "ep=2", .data = "fsdp"},
         "gpt_4",
         "multiplied by rows in groups (aten._grouped_mm), as transformers 5"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct memmodel_parallel parallel = wrong[i].parallel;
        struct memmodel_job job = job_of(&parallel);
        const struct memmodel_symbol_value batch = {"batch", 2};
        memmodel_network *network = network_of(*state, wrong[i].network);
        memmodel_report *report = NULL;

        parallel.size = sizeof parallel;
        job.symbols = &batch;
        job.symbol_count = strcmp(wrong[i].network, "gpt_4") != 0;
        assert_true(memmodel_estimate(network, &job, *state, &report) < 0);
        assert_non_null(strstr(memmodel_context_error(*state)->message, wrong[i].message));
        memmodel_network_unref(network);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(rows_of_all_ranks_are_kept_where_the_assumption_says_so),
        WITH_CONTEXT(experts_are_sharded_over_the_ranks_that_have_the_same_ones),
        WITH_CONTEXT(the_report_names_its_assumption),
        WITH_CONTEXT(each_place_along_experts_is_a_class),
        WITH_CONTEXT(a_network_from_a_configuration_keeps_the_same_rows),
        WITH_CONTEXT(what_cannot_share_experts_is_refused_with_what_would_do),
    };

    return cmocka_run_group_tests_name("expert parallel", tests, NULL, NULL);
}
