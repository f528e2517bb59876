/* Trainings by Megatron-LM from their arguments: arithmetic shown beside it, and one of its own measurements. */
#include "check.h"

/* gpt3_mcore_te_tp1_pp1 of Megatron-LM's functional tests. */
static struct memmodel_megatron_options
small_gpt(void)
{
    return (struct memmodel_megatron_options){
        .size = sizeof(struct memmodel_megatron_options),
        .cublas_workspace = ":4096:8",
        .ranks = 8,
        .num_layers = 12,
        .hidden_size = 512,
        .num_attention_heads = 8,
        .vocab_size = 50257,
        .seq_length = 1024,
        .micro_batch_size = 4,
        .bf16 = 1,
    };
}

static struct memmodel_megatron_memory
memory_of(memmodel_context *context, const struct memmodel_megatron_options *options)
{
    struct memmodel_megatron_memory memory = {.size = sizeof memory};

    if (memmodel_estimate_megatron(options, context, &memory))
        fail_msg("%s: %s", memmodel_context_error(context)->object, memmodel_context_error(context)->message);
    return memory;
}

/* 527 MiB on an A100 and 555 on an H100, of which Transformer Engine's workspace is 28 more there: test/data/megatron */
static void
resident_bytes_are_those_that_were_measured(void **state)
{
    static const struct {
        const char *gpu;
        int64_t mib;
    } measured[] = {{"a100", 527}, {"h100", 555}};
    struct memmodel_megatron_options options = small_gpt();

    options.use_distributed_optimizer = 1;
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++) {
        options.gpu = measured[i].gpu;
        assert_int_equal((memory_of(*state, &options).resident + (1 << 19)) >> 20, measured[i].mib);
    }
}

/* 2 bytes a weight, 4 a gradient, 12 of Adam: of 18 bytes one of 8 ranks keeps 6 + 12 / 8. */
static void
a_distributed_optimizer_shares_out_what_adam_keeps(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t alone = memory_of(*state, &options).weights;

    options.use_distributed_optimizer = 1;
    assert_int_equal(memory_of(*state, &options).weights, alone * 15 / 36);
}

/* 4 sequences of 1,024 tokens, a vocabulary of 50,304 with its padding, 4 bytes and 2; Megatron's kernel has 4 more. */
static void
logits_are_in_float32_and_their_gradient_in_bfloat16(void **state)
{
    struct memmodel_megatron_options options = small_gpt();

    assert_int_equal(memory_of(*state, &options).logits, INT64_C(4) * 1024 * 50304 * 6);
    options.cross_entropy_loss_fusion = 1;
    assert_int_equal(memory_of(*state, &options).logits, INT64_C(4) * 1024 * 50304 * 10);
}

/* Three parts of one layer: those of 2 x 4 microbatches that are ahead, and one. */
static void
interleaved_stages_keep_what_they_run_ahead(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t layer = memory_of(*state, &options).activations / 12;

    options.pipeline_model_parallel_size = 4;
    assert_int_equal(memory_of(*state, &options).activations, 3 * layer);
    options.num_layers_per_virtual_pipeline_stage = 1;
    options.global_batch_size = 64;
    assert_int_equal(memory_of(*state, &options).activations, 9 * layer);
}

/* Between two layers at either end, eight are left for two stages; then five of six layers, the embedding and the loss. */
static void
stages_may_have_unlike_layers(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t layer = memory_of(*state, &options).activations / 12;

    options.pipeline_model_parallel_size = 4;
    options.decoder_first_pipeline_num_layers = options.decoder_last_pipeline_num_layers = 2;
    assert_int_equal(memory_of(*state, &options).activations, 2 * layer);
    options = small_gpt();
    options.num_layers = 6;
    options.pipeline_model_parallel_size = 4;
    options.num_virtual_stages_per_pipeline_rank = 2;
    options.global_batch_size = 64;
    options.account_for_embedding_in_pipeline_split = options.account_for_loss_in_pipeline_split = 1;
    assert_int_equal(memory_of(*state, &options).activations, 4 * layer);
}

/* The last of two ranks has the second of each two parts: tt, tt, tt and the loss; two microbatches of each are ahead. */
static void
a_layout_says_which_layers_a_stage_has(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t layer = memory_of(*state, &options).activations / 12;

    options.num_layers = 15;
    options.pipeline_model_parallel_size = 2;
    options.global_batch_size = 64;
    options.pipeline_model_parallel_layout = "Et*3|(tt|)*6L";
    assert_int_equal(memory_of(*state, &options).activations, 2 * (2 + 2 + 2) * layer);
}

/* Nine of twelve layers: eight pairs of 2,048 by 512 and what routes in place of one pair, of 18 bytes each. */
static void
some_layers_have_experts_and_others_none(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t none, some;

    options.disable_bias_linear = 1;
    options.num_experts = 8;
    options.moe_layer_freq = "[0]*12";
    none = memory_of(*state, &options).weights;
    options.moe_layer_freq = "([0]*1+[1]*3)*3";
    some = memory_of(*state, &options).weights;
    assert_int_equal(some - none, INT64_C(9) * (7 * 2 * 2048 * 512 + 8 * 512) * 18);
    options.moe_layer_freq = "4";
    assert_int_equal(memory_of(*state, &options).weights - none, INT64_C(3) * (7 * 2 * 2048 * 512 + 8 * 512) * 18);
}

/* gpt3_mcore_te_tp2_pp2_mla's widths, of 18 bytes, where usual attention has four products of 512 by 512. */
static void
latent_attention_compresses_queries_keys_and_values(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t usual, latent = 512 * 192 + 192 * 8 * (16 + 8) + 512 * (64 + 8) + 64 * 8 * (16 + 16) + 8 * 16 * 512;

    options.disable_bias_linear = 1;
    usual = memory_of(*state, &options).weights;
    options.multi_latent_attention = 1;
    options.q_lora_rank = 192;
    options.kv_lora_rank = 64;
    options.qk_head_dim = options.v_head_dim = 16;
    options.qk_pos_emb_head_dim = 8;
    assert_int_equal(usual - memory_of(*state, &options).weights, 12 * (4 * 512 * 512 - latent) * 18);
}

/* One state in place of two for the products of twelve layers, 12 by 512 by 512 each. */
static void
muon_keeps_one_state_of_a_matrix(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t adam = memory_of(*state, &options).weights;

    options.muon = 1;
    assert_int_equal(adam - memory_of(*state, &options).weights, INT64_C(4) * 12 * 12 * 512 * 512);
}

/* 88 tensors of gpt3_moe_mcore_te_ep8_resume_torch_dist_dist_muon: of 8 ranks the last one gets the embedding, 12 bytes. */
static void
tensors_that_are_dealt_to_ranks_are_not_cut(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t even, dealt;

    options.disable_bias_linear = 1;
    options.num_experts = options.expert_model_parallel_size = 8;
    options.muon = options.use_distributed_optimizer = 1;
    even = memory_of(*state, &options).weights;
    options.no_layer_wise_param_layout = 1;
    dealt = memory_of(*state, &options).weights;
    assert_int_equal(dealt - even, INT64_C(50304) * 512 * 12 * 7 / 8);
    options.ranks = options.expert_model_parallel_size = 4;
    dealt = memory_of(*state, &options).weights;
    options.no_layer_wise_param_layout = 0;
    assert_int_equal(memory_of(*state, &options).weights - dealt, INT64_C(50304) * 512 * 12 / 4);
}

/* Of two of four microbatches, in bfloat16, and what the output layer was given for each. */
static void
gradients_of_logits_wait_where_they_are_deferred(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t logits;

    options.pipeline_model_parallel_size = 2;
    options.global_batch_size = 64;
    logits = memory_of(*state, &options).logits;
    options.defer_embedding_wgrad_compute = 1;
    options.wgrad_deferral_limit = 2;
    assert_int_equal(memory_of(*state, &options).logits - logits,
                     INT64_C(2) * 4096 * 50304 * 2 + INT64_C(4) * 4096 * 512 * 2);
}

/* A layer, its product of two inputs and three norms, of 18 bytes; logits that wait in float32. */
static void
further_tokens_take_a_layer_and_logits(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    struct memmodel_megatron_memory one, two;
    int64_t layer = 12 * 512 * 512 + (3 + 1 + 4 + 1 + 4) * 512;

    one = memory_of(*state, &options);
    options.mtp_num_layers = 1;
    two = memory_of(*state, &options);
    assert_int_equal(two.weights - one.weights, (layer + 2 * 512 * 512 + 6 * 512) * 18);
    assert_int_equal(two.logits - one.logits, INT64_C(4096) * 50304 * 4);
}

/* Transformer Engine has a workspace for each of four streams: 32 MiB on a Hopper GPU, 4 on older ones. */
static void
grouped_products_have_workspaces_of_their_own(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t alone = memory_of(*state, &options).workspace;

    options.moe_grouped_gemm = 1;
    assert_int_equal(memory_of(*state, &options).workspace - alone, 4 * 32 << 20);
    options.tp_comm_overlap = 1; /* three times one more: base.py, get_workspace() for what is sent meanwhile */
    assert_int_equal(memory_of(*state, &options).workspace - alone, (4 + 3) * 32 << 20);
    options.tp_comm_overlap = 0;
    options.gpu = "a100";
    options.moe_grouped_gemm = 0;
    alone = memory_of(*state, &options).workspace;
    options.moe_grouped_gemm = 1;
    assert_int_equal(memory_of(*state, &options).workspace - alone, 4 * 4 << 20);
}

/* Scores of 8 heads, 4 sequences of 1,024 by 1,024 in twelve layers: with dropout 5 bytes, else 2. */
static void
scores_without_dropout_are_kept_once(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t with;

    options.unfused_attention = 1;
    with = memory_of(*state, &options).activations;
    options.no_attention_dropout = 1;
    assert_int_equal(with - memory_of(*state, &options).activations, INT64_C(3) * 12 * 8 * 4 * 1024 * 1024);
    options.recompute = MEMMODEL_MEGATRON_RECOMPUTE_SELECTIVE;
    with = memory_of(*state, &options).activations;
    options.recompute_modules = "[core_attn mlp]";
    /* those of eleven layers: 4 bytes of 2,048 for each of 4,096 tokens */
    assert_int_equal(with - memory_of(*state, &options).activations, INT64_C(11) * 4096 * 2048 * 4);
}

/* Of 18 bytes 2 are the weight's, 4 the gradient's; gathered is the embedding with its positions. */
static void
megatron_fsdp_shares_out_what_its_strategy_says(void **state)
{
    static const struct {
        int32_t sharding;
        int64_t eighths, whole;
    } strategies[] = {{MEMMODEL_MEGATRON_SHARDING_OPTIM, 6 * 8 + 12, 0},
                      {MEMMODEL_MEGATRON_SHARDING_OPTIM_GRADS, 2 * 8 + 16, 4},
                      {MEMMODEL_MEGATRON_SHARDING_OPTIM_GRADS_PARAMS, 18, 6}};
    struct memmodel_megatron_options options = small_gpt();
    struct memmodel_megatron_memory alone = memory_of(*state, &options);

    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++) {
        struct memmodel_megatron_memory shared;

        options.sharding = strategies[i].sharding;
        shared = memory_of(*state, &options);
        assert_int_equal(shared.weights, (alone.weights / 18 * strategies[i].eighths + 4) / 8);
        assert_int_equal(shared.activations - alone.activations, INT64_C(512) * (50304 + 1024) * strategies[i].whole);
    }
}

/* 12 by 512 by 512 weights in twelve layers; a Hopper GPU needs them by rows and by columns. */
static void
weights_in_float8_are_kept_twice_on_hopper(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    const int64_t products = INT64_C(12) * 12 * 512 * 512;
    int64_t usual = memory_of(*state, &options).weights;

    options.fp8 = 1;
    assert_int_equal(memory_of(*state, &options).weights - usual, 2 * products);
    options.fp8_param_gather = 1;
    assert_int_equal(memory_of(*state, &options).weights, usual);
    options.gpu = "b200";
    assert_int_equal(usual - memory_of(*state, &options).weights, products);
    options.fp8_param_gather = 0;
    assert_int_equal(memory_of(*state, &options).weights - usual, products);
}

/* What four products take of 4,096 tokens: twice a norm's 512, attention's 512 and 2,048; a byte less of each. */
static void
what_products_take_is_kept_in_float8(void **state)
{
    struct memmodel_megatron_options options = small_gpt();
    int64_t usual = memory_of(*state, &options).activations;

    options.fp8 = 1;
    assert_int_equal(usual - memory_of(*state, &options).activations, INT64_C(12) * 4096 * (3 * 512 + 2048));
}

/* What is needed. */
#define WHOLE                                                                                                          \
    .ranks = 8, .num_layers = 12, .hidden_size = 512, .num_attention_heads = 8, .vocab_size = 9, .seq_length = 9

static void
arguments_that_do_not_fit_are_named(void **state)
{
    static const struct {
        struct memmodel_megatron_options options;
        const char *object;
    } wrong[] = {
        {{.num_layers = 12}, "ranks"},
        {{.ranks = 8, .num_layers = -1}, "num_layers"},
        {{.ranks = 8, .num_layers = 12, .hidden_size = 512, .num_attention_heads = 7, .vocab_size = 9, .seq_length = 9},
         "hidden_size"},
        {{WHOLE, .pipeline_model_parallel_size = 5}, "num_layers"},
        {{WHOLE, .tensor_model_parallel_size = 3}, "ranks"},
        {{WHOLE, .num_experts = 5, .expert_model_parallel_size = 2}, "num_experts"},
        {{WHOLE, .recompute = 9}, "recompute"},
        {{WHOLE, .num_experts = 4, .moe_layer_freq = "[0]*3"}, "moe_layer_freq"},
        {{WHOLE, .num_experts = 4, .moe_layer_freq = "[0*12"}, "moe_layer_freq"},
        {{WHOLE, .num_experts = 4, .moe_layer_freq = "[1]*12]"}, "moe_layer_freq"},
        {{WHOLE, .num_experts = 4, .moe_layer_freq = "[1]*99999999999999999999"}, "moe_layer_freq"},
        {{WHOLE, .num_experts = 4, .moe_layer_freq = "[1]*"}, "moe_layer_freq"},
        {{WHOLE, .num_experts = 4, .moe_layer_freq = "((((((((((1))))))))))*12"}, "moe_layer_freq"},
        {{WHOLE, .num_experts = 4, .moe_layer_freq = "0"}, "moe_layer_freq"},
        {{WHOLE, .pipeline_model_parallel_size = 2, .pipeline_model_parallel_layout = "Et*12"},
         "pipeline_model_parallel_layout"},
        {{WHOLE, .pipeline_model_parallel_size = 2, .pipeline_model_parallel_layout = "Et|tL"},
         "pipeline_model_parallel_layout"},
        {{WHOLE, .pipeline_model_parallel_size = 2, .pipeline_model_parallel_layout = "Ex|tL"},
         "pipeline_model_parallel_layout"},
        {{WHOLE, .pipeline_model_parallel_size = 2, .num_virtual_stages_per_pipeline_rank = 5},
         "num_virtual_stages_per_pipeline_rank"},
        {{WHOLE, .pipeline_model_parallel_size = 4, .decoder_first_pipeline_num_layers = 1},
         "decoder_first_pipeline_num_layers"},
        {{WHOLE, .pipeline_model_parallel_size = 2, .decoder_last_pipeline_num_layers = 13},
         "decoder_last_pipeline_num_layers"},
        {{WHOLE, .muon = 2}, "muon"},
        {{WHOLE, .sharding = 4}, "sharding"},
        {{.ranks = 1,
          .num_layers = INT32_MAX,
          .hidden_size = INT32_MAX,
          .num_attention_heads = 1,
          .vocab_size = INT32_MAX,
          .seq_length = INT32_MAX},
         "ranks"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct memmodel_megatron_options options = wrong[i].options;
        struct memmodel_megatron_memory memory = {.size = sizeof memory};

        options.size = sizeof options;
        assert_true(memmodel_estimate_megatron(&options, *state, &memory) < 0);
        assert_string_equal(memmodel_context_error(*state)->object, wrong[i].object);
        assert_int_equal(memory.peak, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(resident_bytes_are_those_that_were_measured),
        WITH_CONTEXT(a_distributed_optimizer_shares_out_what_adam_keeps),
        WITH_CONTEXT(logits_are_in_float32_and_their_gradient_in_bfloat16),
        WITH_CONTEXT(interleaved_stages_keep_what_they_run_ahead),
        WITH_CONTEXT(stages_may_have_unlike_layers),
        WITH_CONTEXT(a_layout_says_which_layers_a_stage_has),
        WITH_CONTEXT(some_layers_have_experts_and_others_none),
        WITH_CONTEXT(latent_attention_compresses_queries_keys_and_values),
        WITH_CONTEXT(muon_keeps_one_state_of_a_matrix),
        WITH_CONTEXT(tensors_that_are_dealt_to_ranks_are_not_cut),
        WITH_CONTEXT(gradients_of_logits_wait_where_they_are_deferred),
        WITH_CONTEXT(further_tokens_take_a_layer_and_logits),
        WITH_CONTEXT(grouped_products_have_workspaces_of_their_own),
        WITH_CONTEXT(scores_without_dropout_are_kept_once),
        WITH_CONTEXT(megatron_fsdp_shares_out_what_its_strategy_says),
        WITH_CONTEXT(weights_in_float8_are_kept_twice_on_hopper),
        WITH_CONTEXT(what_products_take_is_kept_in_float8),
        WITH_CONTEXT(arguments_that_do_not_fit_are_named),
    };

    return cmocka_run_group_tests_name("megatron", tests, NULL, NULL);
}
