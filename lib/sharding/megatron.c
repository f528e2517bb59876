/*
 * Memory of Megatron-LM's trainings of a GPT, in its own terms: its arguments, and the sum of what they mean. Transformer
 * Engine's workspaces: transformer_engine/pytorch/module/base.py, cpp_extensions/gemm.py.
 */
#include "sharding/megatron.h"

#include "base/checked.h"
#include "base/choice.h"
#include "base/context.h"
#include "base/environment.h"
#include "frameworks/cuda/gpu.h"
#include "frameworks/cuda/workspace.h"

#include <inttypes.h>
#include <string.h>

enum {
    MIB = 1 << 20,
    ENGINE_HOPPER = 32 * MIB,
    ENGINE_OLDER = 4 * MIB,
    HOPPER = 90,
    THREADS = 2,
    STREAMS = 4,
    OVERLAPPED = 3
};

/* ---- arguments ---- */

struct argument {
    const char *name;
    size_t field;
    bool needed;
    int64_t otherwise;
};

#define NEEDED(name)                                                                                                   \
    {                                                                                                                  \
#name, offsetof(struct memmodel_megatron_options, name), true, 0                                               \
    }
#define GIVEN(name, otherwise)                                                                                         \
    {                                                                                                                  \
#name, offsetof(struct memmodel_megatron_options, name), false, otherwise                                      \
    }

static const struct argument arguments[] = {
    NEEDED(ranks),
    NEEDED(num_layers),
    NEEDED(hidden_size),
    NEEDED(num_attention_heads),
    NEEDED(vocab_size),
    NEEDED(seq_length),
    GIVEN(ffn_hidden_size, 0),
    GIVEN(num_query_groups, 0),
    GIVEN(kv_channels, 0),
    GIVEN(make_vocab_size_divisible_by, 128),
    GIVEN(max_position_embeddings, 0),
    GIVEN(micro_batch_size, 1),
    GIVEN(global_batch_size, 0),
    GIVEN(tensor_model_parallel_size, 1),
    GIVEN(pipeline_model_parallel_size, 1),
    GIVEN(context_parallel_size, 1),
    GIVEN(expert_model_parallel_size, 1),
    GIVEN(expert_tensor_parallel_size, 0),
    GIVEN(num_layers_per_virtual_pipeline_stage, 0),
    GIVEN(microbatch_group_size, 0),
    GIVEN(num_distributed_optimizer_instances, 1),
    GIVEN(num_experts, 0),
    GIVEN(moe_ffn_hidden_size, 0),
    GIVEN(moe_router_topk, 2),
    GIVEN(recompute_num_layers, 1),
    GIVEN(num_virtual_stages_per_pipeline_rank, 0),
    GIVEN(decoder_first_pipeline_num_layers, 0),
    GIVEN(decoder_last_pipeline_num_layers, 0),
    GIVEN(moe_shared_expert_intermediate_size, 0),
    GIVEN(mtp_num_layers, 0),
    GIVEN(q_lora_rank, 0),
    GIVEN(kv_lora_rank, 32),
    GIVEN(qk_head_dim, 128),
    GIVEN(qk_pos_emb_head_dim, 64),
    GIVEN(v_head_dim, 128),
    GIVEN(wgrad_deferral_limit, 0),
};

/* What stands for one of several, and what is 0 or 1. */
static int
check_choices(const struct megatron *model)
{
    static const char *const recompute[] = {"none", "selective", "uniform", "block", NULL};
    static const char *const sharding[] = {"no_shard", "optim", "optim_grads", "optim_grads_params", NULL};
    const struct memmodel_megatron_options *given = &model->given;
    const struct {
        const char *name;
        int32_t value;
    } flags[] = {
        {"bf16", given->bf16},
        {"fp16", given->fp16},
        {"swiglu", given->swiglu},
        {"untie_embeddings_and_output_weights", given->untie_embeddings_and_output_weights},
        {"use_distributed_optimizer", given->use_distributed_optimizer},
        {"sequence_parallel", given->sequence_parallel},
        {"disable_bias_linear", given->disable_bias_linear},
        {"rotary_positions", given->rotary_positions},
        {"unfused_attention", given->unfused_attention},
        {"local_transformer", given->local_transformer},
        {"cross_entropy_loss_fusion", given->cross_entropy_loss_fusion},
        {"account_for_embedding_in_pipeline_split", given->account_for_embedding_in_pipeline_split},
        {"account_for_loss_in_pipeline_split", given->account_for_loss_in_pipeline_split},
        {"multi_latent_attention", given->multi_latent_attention},
        {"no_attention_dropout", given->no_attention_dropout},
        {"no_hidden_dropout", given->no_hidden_dropout},
        {"qk_layernorm", given->qk_layernorm},
        {"rms_norm", given->rms_norm},
        {"muon", given->muon},
        {"no_layer_wise_param_layout", given->no_layer_wise_param_layout},
        {"moe_grouped_gemm", given->moe_grouped_gemm},
        {"defer_embedding_wgrad_compute", given->defer_embedding_wgrad_compute},
        {"tp_comm_overlap", given->tp_comm_overlap},
        {"fp8", given->fp8},
        {"fp8_param_gather", given->fp8_param_gather},
    };
    int status = choice_check(model->context, "recompute", "recompute", given->recompute, recompute);

    if (given->reserved)
        return context_error(model->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "reserved", "it must be 0");
    if (!status)
        status = choice_check(model->context, "sharding", "sharding", given->sharding, sharding);

    for (size_t i = 0; i < sizeof flags / sizeof flags[0] && !status; i++)
        status = flag_check(model->context, flags[i].name, flags[i].name, flags[i].value);
    return status;
}

static int
check_arguments(struct megatron *model)
{
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        int64_t *value = (int64_t *)(void *)((char *)&model->given + arguments[i].field);

        if (*value == 0 && arguments[i].needed)
            return context_error(model->context, MEMMODEL_ERROR_INVALID_ARGUMENT, arguments[i].name,
                                 "give it, as on Megatron-LM's command line");
        if (*value < 0 || *value > INT32_MAX)
            return context_error(model->context, MEMMODEL_ERROR_INVALID_ARGUMENT, arguments[i].name,
                                 "%" PRId64 " is not within 1 and %" PRId32, *value, INT32_MAX);
        if (*value == 0)
            *value = arguments[i].otherwise;
    }
    return check_choices(model);
}

int
megatron_divide(struct megatron *model, const char *name, int64_t what, int64_t by, int64_t *quotient)
{
    if (by > 0 && what % by == 0) {
        *quotient = what / by;
        return 0;
    }
    return context_error(model->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name,
                         "%" PRId64 " is not divided by %" PRId64, what, by);
}

static int64_t
or_else(int64_t value, int64_t otherwise)
{
    return value ? value : otherwise;
}

static int
share_ranks(struct megatron *model)
{
    const struct memmodel_megatron_options *given = &model->given;
    int64_t tensor = given->tensor_model_parallel_size, stages = given->pipeline_model_parallel_size;
    int64_t expert_tensor = or_else(given->expert_tensor_parallel_size, tensor);
    int64_t dense = multiply_saturating(multiply_saturating(tensor, stages), given->context_parallel_size);
    int64_t experts =
        multiply_saturating(multiply_saturating(stages, expert_tensor), given->expert_model_parallel_size);
    int status = megatron_divide(model, "ranks", given->ranks, dense, &model->data);

    model->expert_tensor = expert_tensor;
    if (status || given->num_experts == 0)
        return status;
    status = megatron_divide(model, "ranks", given->ranks, experts, &model->expert_data);
    return status ? status
                  : megatron_divide(model, "num_experts", given->num_experts, given->expert_model_parallel_size,
                                    &model->experts);
}

static int
find_sizes(struct megatron *model)
{
    struct memmodel_megatron_options *given = &model->given;
    int64_t width = given->hidden_size, unit = given->make_vocab_size_divisible_by * given->tensor_model_parallel_size;
    int64_t head = given->kv_channels;
    int status = head ? 0 : megatron_divide(model, "hidden_size", width, given->num_attention_heads, &head);

    if (status)
        return status;
    given->num_query_groups = or_else(given->num_query_groups, given->num_attention_heads);
    given->max_position_embeddings = or_else(given->max_position_embeddings, given->seq_length);
    model->inner = (double)or_else(given->ffn_hidden_size, given->swiglu ? width * 8 / 3 / 64 * 64 : 4 * width);
    model->expert_inner = given->moe_ffn_hidden_size ? (double)given->moe_ffn_hidden_size : model->inner;
    model->query_key = (double)head * (double)(given->num_attention_heads + given->num_query_groups);
    model->value = (double)head * (double)given->num_query_groups;
    if (given->multi_latent_attention) {
        model->query_key =
            2 * (double)given->num_attention_heads * (double)(given->qk_head_dim + given->qk_pos_emb_head_dim);
        model->value = (double)given->num_attention_heads * (double)given->v_head_dim;
    }
    model->vocabulary = (double)ceil_divide(given->vocab_size, unit) * (double)unit;
    model->tokens = (double)given->seq_length * (double)given->micro_batch_size / (double)given->context_parallel_size;
    model->sequence = given->sequence_parallel ? (double)given->tensor_model_parallel_size : 1;
    model->fused_attention = !given->local_transformer && !given->unfused_attention;
    status = megatron_find_parts(model);
    return status ? status : share_ranks(model);
}

/* ---- all of it ---- */

/* Transformer Engine has one, one more for each of four streams of experts, and one of three times its size for overlap. */
static int64_t
engine_workspaces(const struct megatron *model)
{
    return 1 + (model->given.moe_grouped_gemm ? STREAMS : 0) + (model->given.tp_comm_overlap ? OVERLAPPED : 0);
}

/* Of cuBLAS for the threads of forward and backward passes, and Transformer Engine's. */
static int
find_workspace(struct megatron *model, int64_t *bytes)
{
    const struct gpu *gpu;
    const char *kind = model->given.gpu && *model->given.gpu ? model->given.gpu : "h100";
    const char *config = model->given.cublas_workspace ? model->given.cublas_workspace : "";
    int status = gpu_find(model->context, kind, &gpu);

    if (!status) /* NVIDIA's containers have a PyTorch before 2.12 */
        status = cublas_workspace_bytes(model->context, gpu, 0, config, bytes);
    if (status)
        return status;
    model->transposes = gpu->capability <= HOPPER;
    *bytes = multiply_saturating(*bytes, THREADS);
    if (!model->given.local_transformer)
        *bytes = add_saturating(*bytes,
                                engine_workspaces(model) * (gpu->capability >= HOPPER ? ENGINE_HOPPER : ENGINE_OLDER));
    return 0;
}

static int
add_up(struct megatron *model, struct memmodel_megatron_memory *memory)
{
    int64_t workspace = 0;
    double weights, gathered, logits, activations = 0;
    int status = find_workspace(model, &workspace);

    if (!status)
        status = megatron_activations(model, &activations);
    if (status)
        return status;
    weights = megatron_weights(model);
    gathered = megatron_gathered(model);
    logits = megatron_logits(model);
    if (!(weights + gathered + activations + logits < (double)(INT64_MAX / 4)))
        return context_error(model->context, MEMMODEL_ERROR_OVERFLOW, "ranks", "that takes more than 63 bits of bytes");
    *memory = (struct memmodel_megatron_memory){
        .size = sizeof *memory,
        .weights = (int64_t)(weights + 0.5),
        .activations = (int64_t)(activations + gathered + 0.5),
        .logits = (int64_t)(logits + 0.5),
        .workspace = workspace,
    };
    memory->resident = memory->weights + workspace;
    memory->peak = memory->resident + memory->activations + memory->logits;
    return 0;
}

int
memmodel_estimate_megatron(const struct memmodel_megatron_options *options, memmodel_context *context,
                           struct memmodel_megatron_memory *memory)
{
    OWN_ENVIRONMENT;
    struct megatron model = {.context = context};
    struct memmodel_megatron_memory found;
    int status;

    if (!options || !context || !memory)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = result_check(context, "memmodel_megatron_memory", memory);
    if (!status)
        status = options_copy(context, "memmodel_megatron_options", options, &model.given, sizeof model.given);
    if (!status)
        status = check_arguments(&model);
    if (!status)
        status = find_sizes(&model);
    if (!status)
        status = add_up(&model, &found);
    return status ? status : result_copy(&found, sizeof found, memory);
}
