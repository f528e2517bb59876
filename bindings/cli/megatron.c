/* memmodel megatron: memory of a training by Megatron-LM, from its arguments. */
#include "command.h"

#include <inttypes.h>
#include <string.h>

/* Numbers are named as the fields of struct memmodel_megatron_options. */
struct megatron_options {
    const char *gpu, *cublas_workspace, *position_embedding_type, *attention_backend, *transformer_impl;
    const char *recompute_granularity, *recompute_method, *recompute_modules, *moe_layer_freq, *layout, *optimizer;
    const char *normalization, *fp8_format, *fp8_recipe, *sharding;
    double attention_dropout, hidden_dropout;
    int64_t ranks, num_layers, hidden_size, ffn_hidden_size, num_attention_heads, num_query_groups, kv_channels;
    int64_t vocab_size, make_vocab_size_divisible_by, seq_length, max_position_embeddings, micro_batch_size;
    int64_t global_batch_size, tensor_model_parallel_size, pipeline_model_parallel_size, context_parallel_size;
    int64_t expert_model_parallel_size, expert_tensor_parallel_size, num_layers_per_virtual_pipeline_stage;
    int64_t microbatch_group_size, num_distributed_optimizer_instances, num_experts, moe_ffn_hidden_size;
    int64_t moe_router_topk, recompute_num_layers, num_virtual_stages_per_pipeline_rank, wgrad_deferral_limit;
    int64_t decoder_first_pipeline_num_layers, decoder_last_pipeline_num_layers, moe_shared_expert_intermediate_size;
    int64_t mtp_num_layers, q_lora_rank, kv_lora_rank, qk_head_dim, qk_pos_emb_head_dim, v_head_dim;
    bool bf16, fp16, swiglu, untie, use_distributed_optimizer, sequence_parallel, disable_bias_linear, fused_loss, json;
    bool account_for_embedding, account_for_loss, multi_latent_attention, qk_layernorm, no_layer_wise_param_layout;
    bool moe_grouped_gemm, defer_embedding_wgrad_compute, use_megatron_fsdp, tp_comm_overlap, fp8_param_gather;
};

#define NUMBER(name, field, help)                                                                                      \
    {                                                                                                                  \
        name, 0, OPTION_INTEGER, "N", help, offsetof(struct megatron_options, field)                                   \
    }
#define FLAG(name, field, help)                                                                                        \
    {                                                                                                                  \
        name, 0, OPTION_FLAG, NULL, help, offsetof(struct megatron_options, field)                                     \
    }
#define TEXT(name, argument, field, help)                                                                              \
    {                                                                                                                  \
        name, 0, OPTION_TEXT, argument, help, offsetof(struct megatron_options, field)                                 \
    }

#define REAL(name, field, help)                                                                                        \
    {                                                                                                                  \
        name, 0, OPTION_NUMBER, "P", help, offsetof(struct megatron_options, field)                                    \
    }

static const struct option options[] = {
    {"ranks", 'n', OPTION_INTEGER, "N", "processes, of one GPU each", offsetof(struct megatron_options, ranks)},
    TEXT("gpu", "NAME", gpu, "their kind; h100 unless given"),
    TEXT("cublas-workspace", "SIZES", cublas_workspace, "as in CUBLAS_WORKSPACE_CONFIG"),
    NUMBER("num-layers", num_layers, "layers of all stages"),
    NUMBER("hidden-size", hidden_size, "width of a layer"),
    NUMBER("ffn-hidden-size", ffn_hidden_size, "width inside; 4 hidden-size unless given"),
    NUMBER("num-attention-heads", num_attention_heads, "heads of queries"),
    NUMBER("num-query-groups", num_query_groups, "heads of keys and values"),
    NUMBER("kv-channels", kv_channels, "width of a head"),
    NUMBER("vocab-size", vocab_size, "tokens there are, before padding"),
    NUMBER("make-vocab-size-divisible-by", make_vocab_size_divisible_by, "128 unless given"),
    NUMBER("seq-length", seq_length, "tokens of a sequence"),
    NUMBER("max-position-embeddings", max_position_embeddings, "positions that are learned"),
    NUMBER("micro-batch-size", micro_batch_size, "sequences of a forward pass; 1 unless given"),
    NUMBER("global-batch-size", global_batch_size, "sequences of a step"),
    NUMBER("tensor-model-parallel-size", tensor_model_parallel_size, "ranks that share a layer"),
    NUMBER("pipeline-model-parallel-size", pipeline_model_parallel_size, "stages"),
    NUMBER("context-parallel-size", context_parallel_size, "ranks that share a sequence"),
    NUMBER("expert-model-parallel-size", expert_model_parallel_size, "ranks that share the experts"),
    NUMBER("expert-tensor-parallel-size", expert_tensor_parallel_size, "ranks that share one"),
    NUMBER("num-layers-per-virtual-pipeline-stage", num_layers_per_virtual_pipeline_stage, "of interleaved stages"),
    NUMBER("microbatch-group-size-per-virtual-pipeline-stage", microbatch_group_size, "the stages unless given"),
    NUMBER("num-virtual-stages-per-pipeline-rank", num_virtual_stages_per_pipeline_rank, "parts of interleaved stages"),
    NUMBER("decoder-first-pipeline-num-layers", decoder_first_pipeline_num_layers, "of the first stage"),
    NUMBER("decoder-last-pipeline-num-layers", decoder_last_pipeline_num_layers, "of the last stage"),
    FLAG("account-for-embedding-in-pipeline-split", account_for_embedding, "the embedding counts as a layer"),
    FLAG("account-for-loss-in-pipeline-split", account_for_loss, "the loss counts as a layer"),
    TEXT("pipeline-model-parallel-layout", "LAYOUT", layout, "stages in letters, such as Et|(tt|)*6mL"),
    NUMBER("num-distributed-optimizer-instances", num_distributed_optimizer_instances, "1 unless given"),
    NUMBER("num-experts", num_experts, "of a layer"),
    NUMBER("moe-ffn-hidden-size", moe_ffn_hidden_size, "width inside one"),
    NUMBER("moe-router-topk", moe_router_topk, "experts of a token; 2 unless given"),
    TEXT("moe-layer-freq", "PATTERN", moe_layer_freq,
         "which layers have experts, such as [0]*3+[1]*12; all unless given"),
    NUMBER("moe-shared-expert-intermediate-size", moe_shared_expert_intermediate_size, "width of one of all tokens"),
    FLAG("moe-grouped-gemm", moe_grouped_gemm, "experts are computed on four streams"),
    NUMBER("mtp-num-layers", mtp_num_layers, "layers that predict further tokens"),
    FLAG("multi-latent-attention", multi_latent_attention, "keys and values are compressed"),
    NUMBER("q-lora-rank", q_lora_rank, "width of compressed queries; not compressed unless given"),
    NUMBER("kv-lora-rank", kv_lora_rank, "width of compressed keys and values; 32 unless given"),
    NUMBER("qk-head-dim", qk_head_dim, "width of a head of queries and keys; 128 unless given"),
    NUMBER("qk-pos-emb-head-dim", qk_pos_emb_head_dim, "that of its positions; 64 unless given"),
    NUMBER("v-head-dim", v_head_dim, "that of values; 128 unless given"),
    FLAG("qk-layernorm", qk_layernorm, "queries and keys are normed"),
    TEXT("normalization", "NAME", normalization, "LayerNorm or RMSNorm"),
    REAL("attention-dropout", attention_dropout, "0.1 unless given"),
    REAL("hidden-dropout", hidden_dropout, "0.1 unless given"),
    TEXT("recompute-granularity", "NAME", recompute_granularity, "selective or full"),
    TEXT("recompute-method", "NAME", recompute_method, "of full: uniform or block"),
    NUMBER("recompute-num-layers", recompute_num_layers, "of uniform and block; 1 unless given"),
    TEXT("recompute-modules", "NAMES", recompute_modules, "of selective; core_attn unless given"),
    TEXT("position-embedding-type", "NAME", position_embedding_type, "learned_absolute, rope or none"),
    TEXT("attention-backend", "NAME", attention_backend, "flash, fused, unfused, local or auto"),
    TEXT("transformer-impl", "NAME", transformer_impl, "transformer_engine or local"),
    FLAG("bf16", bf16, "in bfloat16, with gradients in float32"),
    FLAG("fp16", fp16, "in float16"),
    FLAG("swiglu", swiglu, "layers are gated"),
    FLAG("untie-embeddings-and-output-weights", untie, "the output layer has weights of its own"),
    FLAG("use-distributed-optimizer", use_distributed_optimizer, "states of the optimizer are shared out"),
    FLAG("sequence-parallel", sequence_parallel, "norms and dropout are shared, too"),
    FLAG("disable-bias-linear", disable_bias_linear, "products have no biases"),
    FLAG("tp-comm-overlap", tp_comm_overlap, "tensor-parallel products overlap what is sent"),
    TEXT("fp8-format", "NAME", fp8_format, "products are computed in float8: e4m3 or hybrid"),
    TEXT("fp8-recipe", "NAME", fp8_recipe, "delayed, tensorwise or blockwise"),
    FLAG("fp8-param-gather", fp8_param_gather, "weights are kept in float8 alone"),
    FLAG("use-megatron-fsdp", use_megatron_fsdp, "Megatron-FSDP"),
    TEXT("data-parallel-sharding-strategy", "NAME", sharding,
         "of it: no_shard, optim, optim_grads, optim_grads_params"),
    TEXT("optimizer", "NAME", optimizer, "adam or muon"),
    FLAG("no-use-layer-wise-param-layout", no_layer_wise_param_layout, "whole tensors of Muon are dealt to ranks"),
    FLAG("defer-embedding-wgrad-compute", defer_embedding_wgrad_compute, "the output layer's gradients wait"),
    NUMBER("wgrad-deferral-limit", wgrad_deferral_limit, "so many of them; all unless given"),
    FLAG("cross-entropy-loss-fusion", fused_loss, "Megatron's own kernel of it"),
    {"json", 'j', OPTION_FLAG, NULL, "bytes as JSON", offsetof(struct megatron_options, json)},
    {0},
};

static bool
is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

static int
recompute_of(const struct megatron_options *given)
{
    if (is(given->recompute_granularity, "selective"))
        return MEMMODEL_MEGATRON_RECOMPUTE_SELECTIVE;
    if (!is(given->recompute_granularity, "full"))
        return given->recompute_granularity ? -1 : MEMMODEL_MEGATRON_RECOMPUTE_NONE;
    return is(given->recompute_method, "block") ? MEMMODEL_MEGATRON_RECOMPUTE_BLOCK
                                                : MEMMODEL_MEGATRON_RECOMPUTE_UNIFORM;
}

/* -1: no such strategy. */
static int
sharding_of(const struct megatron_options *given)
{
    static const char *const strategies[] = {"no_shard", "optim", "optim_grads", "optim_grads_params"};

    if (!given->use_megatron_fsdp || !given->sharding)
        return MEMMODEL_MEGATRON_SHARDING_NO_SHARD;
    for (int i = 0; i < (int)(sizeof strategies / sizeof strategies[0]); i++)
        if (is(given->sharding, strategies[i]))
            return i;
    return -1;
}

/* What has a name of its own in Megatron-LM's arguments, or stands for a word. */
static void
set_words(const struct megatron_options *given, struct memmodel_megatron_options *found)
{
    found->recompute = recompute_of(given);
    found->sharding = sharding_of(given);
    found->fp8 = given->fp8_format != NULL;
    found->untie_embeddings_and_output_weights = given->untie;
    found->cross_entropy_loss_fusion = given->fused_loss;
    found->rotary_positions = given->position_embedding_type && !is(given->position_embedding_type, "learned_absolute");
    found->unfused_attention = is(given->attention_backend, "unfused") || is(given->attention_backend, "local");
    found->local_transformer = is(given->transformer_impl, "local");
    found->pipeline_model_parallel_layout = given->layout;
    found->account_for_embedding_in_pipeline_split = given->account_for_embedding;
    found->account_for_loss_in_pipeline_split = given->account_for_loss;
    found->no_attention_dropout = given->attention_dropout == 0;
    found->no_hidden_dropout = given->hidden_dropout == 0;
    found->rms_norm = is(given->normalization, "RMSNorm");
    found->muon = is(given->optimizer, "muon");
}

#define SAME(field) .field = given->field

static struct memmodel_megatron_options
options_of(const struct megatron_options *given)
{
    struct memmodel_megatron_options found = {
        .size = sizeof(struct memmodel_megatron_options),
        SAME(gpu),
        SAME(cublas_workspace),
        SAME(ranks),
        SAME(num_layers),
        SAME(hidden_size),
        SAME(ffn_hidden_size),
        SAME(num_attention_heads),
        SAME(num_query_groups),
        SAME(kv_channels),
        SAME(vocab_size),
        SAME(make_vocab_size_divisible_by),
        SAME(seq_length),
        SAME(max_position_embeddings),
        SAME(micro_batch_size),
        SAME(global_batch_size),
        SAME(tensor_model_parallel_size),
        SAME(pipeline_model_parallel_size),
        SAME(context_parallel_size),
        SAME(expert_model_parallel_size),
        SAME(expert_tensor_parallel_size),
        SAME(num_layers_per_virtual_pipeline_stage),
        SAME(microbatch_group_size),
        SAME(num_distributed_optimizer_instances),
        SAME(num_experts),
        SAME(moe_ffn_hidden_size),
        SAME(moe_router_topk),
        SAME(recompute_num_layers),
        SAME(num_virtual_stages_per_pipeline_rank),
        SAME(decoder_first_pipeline_num_layers),
        SAME(decoder_last_pipeline_num_layers),
        SAME(moe_shared_expert_intermediate_size),
        SAME(mtp_num_layers),
        SAME(q_lora_rank),
        SAME(kv_lora_rank),
        SAME(qk_head_dim),
        SAME(qk_pos_emb_head_dim),
        SAME(v_head_dim),
        SAME(wgrad_deferral_limit),
        SAME(moe_layer_freq),
        SAME(recompute_modules),
        SAME(multi_latent_attention),
        SAME(qk_layernorm),
        SAME(no_layer_wise_param_layout),
        SAME(moe_grouped_gemm),
        SAME(tp_comm_overlap),
        SAME(fp8_param_gather),
        SAME(defer_embedding_wgrad_compute),
        SAME(bf16),
        SAME(fp16),
        SAME(swiglu),
        SAME(use_distributed_optimizer),
        SAME(sequence_parallel),
        SAME(disable_bias_linear),
    };

    set_words(given, &found);
    return found;
}

static void
print_memory(const struct memmodel_megatron_memory *memory, bool json)
{
    const struct {
        const char *name, *text;
        int64_t bytes;
    } rows[] = {
        {"resident", "between steps", memory->resident},
        {"peak", "at most", memory->peak},
        {"weights", "  weights, gradients, states", memory->weights},
        {"activations", "  activations", memory->activations},
        {"logits", "  logits and their gradient", memory->logits},
        {"workspace", "  workspace", memory->workspace},
    };
    char bytes[QUANTITY_BYTES];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (json)
            printf("%s\"%s\": %" PRId64, i ? ", " : "{", rows[i].name, rows[i].bytes);
        else
            printf("%-30s%14s\n", rows[i].text, format_bytes(rows[i].bytes, bytes));
    if (json)
        printf("}\n");
}

/* What an option may be that is something else. */
static const char *
wrong_word(const struct megatron_options *given, const struct memmodel_megatron_options *arguments)
{
    if (arguments->recompute < 0)
        return "--recompute-granularity is selective or full";
    if (arguments->sharding < 0)
        return "--data-parallel-sharding-strategy is no_shard, optim, optim_grads or optim_grads_params";
    if (given->optimizer && !is(given->optimizer, "adam") && !arguments->muon)
        return "--optimizer is adam or muon";
    if (given->fp8_recipe && !is(given->fp8_recipe, "delayed") && !is(given->fp8_recipe, "tensorwise") &&
        !is(given->fp8_recipe, "blockwise"))
        return "--fp8-recipe is delayed, tensorwise or blockwise";
    return NULL;
}

static int
work(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
{
    const struct megatron_options *asked = given;
    const struct memmodel_megatron_options arguments = options_of(asked);
    struct memmodel_megatron_memory memory = {.size = sizeof memory};
    const char *wrong;

    (void)operands;
    if (count > 0)
        return usage_error(command, "Megatron-LM's arguments are options, such as --num-layers 12");
    wrong = wrong_word(asked, &arguments);
    if (wrong)
        return usage_error(command, "%s", wrong);
    if (memmodel_estimate_megatron(&arguments, context, &memory))
        return library_error(command, context);
    print_memory(&memory, asked->json);
    return EXIT_OK;
}

static const struct megatron_options defaults = {.attention_dropout = 0.1, .hidden_dropout = 0.1};

const struct command megatron_command = {
    .name = "megatron",
    .usage = "--ranks N --num-layers N --hidden-size N --num-attention-heads N --vocab-size N --seq-length N [...]",
    .summary = "what a rank of Megatron-LM takes, from its arguments",
    .description =
        "Says what the last rank of a training by Megatron-LM's pretrain_gpt.py keeps between steps and takes at most,\n"
        "by a closed formula. Options are Megatron-LM's own; what is not modelled, such as FSDP2, has none. Experts are\n"
        "taken to get equally many tokens.",
    .examples =
        "  memmodel megatron --ranks 8 --num-layers 12 --hidden-size 512 --num-attention-heads 8 --vocab-size 50257 \\\n"
        "      --seq-length 1024 --micro-batch-size 4 --bf16 --use-distributed-optimizer\n",
    .options = options,
    .defaults = &defaults,
    .options_bytes = sizeof(struct megatron_options),
    .work = work,
};
