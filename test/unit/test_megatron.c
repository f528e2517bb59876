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
        WITH_CONTEXT(arguments_that_do_not_fit_are_named),
    };

    return cmocka_run_group_tests_name("megatron", tests, NULL, NULL);
}
