/*
 * Memory of Megatron-LM's trainings of a GPT, in its own terms. Megatron-LM: megatron/core/distributed/
 * param_and_grad_buffer.py, optimizer/distrib_optimizer.py, tensor_parallel/cross_entropy.py, pipeline_parallel/
 * schedules.py; activations of a layer: Korthikanti and others, "Reducing Activation Recomputation in Large Transformer
 * Models", 2022; Transformer Engine's workspace: transformer_engine/pytorch/module/base.py.
 */
#include "memmodel/mesh.h"

#include "base/checked.h"
#include "base/choice.h"
#include "base/context.h"
#include "base/environment.h"
#include "frameworks/cuda/gpu.h"
#include "frameworks/cuda/workspace.h"

#include <inttypes.h>
#include <math.h>

enum { MIB = 1 << 20, ENGINE_HOPPER = 32 * MIB, ENGINE_OLDER = 4 * MIB, HOPPER = 90, THREADS = 2 };

/* The arguments as one rank has them. */
struct megatron {
    struct memmodel_megatron_options given;
    memmodel_context *context;
    int64_t layers, data, experts, expert_data; /* layers of the stage, experts of the rank */
    double vocabulary, query_key_value, inner, expert_inner;
    double tokens, sequence; /* ranks that share what is replicated along tp otherwise */
    bool fused_attention;
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
};

/* What stands for one of several, and what is 0 or 1. */
static int
check_choices(const struct megatron *model)
{
    static const char *const recompute[] = {"none", "selective", "uniform", "block", NULL};
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
    };
    int status = choice_check(model->context, "recompute", "recompute", given->recompute, recompute);

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

static int
divide(struct megatron *model, const char *name, int64_t what, int64_t by, int64_t *quotient)
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
    int status = divide(model, "num_layers", given->num_layers, stages, &model->layers);

    if (!status)
        status = divide(model, "ranks", given->ranks, dense, &model->data);
    if (status || given->num_experts == 0)
        return status;
    status = divide(model, "ranks", given->ranks, experts, &model->expert_data);
    return status
               ? status
               : divide(model, "num_experts", given->num_experts, given->expert_model_parallel_size, &model->experts);
}

static int
find_sizes(struct megatron *model)
{
    struct memmodel_megatron_options *given = &model->given;
    int64_t width = given->hidden_size, unit = given->make_vocab_size_divisible_by * given->tensor_model_parallel_size;
    int64_t head = given->kv_channels;
    int status = head ? 0 : divide(model, "hidden_size", width, given->num_attention_heads, &head);

    if (status)
        return status;
    model->inner = (double)or_else(given->ffn_hidden_size, given->swiglu ? width * 8 / 3 / 64 * 64 : 4 * width);
    model->expert_inner = given->moe_ffn_hidden_size ? (double)given->moe_ffn_hidden_size : model->inner;
    model->query_key_value = (double)head * ((double)given->num_attention_heads +
                                             2 * (double)or_else(given->num_query_groups, given->num_attention_heads));
    model->vocabulary = (double)ceil_divide(given->vocab_size, unit) * (double)unit;
    model->tokens = (double)given->seq_length * (double)given->micro_batch_size / (double)given->context_parallel_size;
    model->sequence = given->sequence_parallel ? (double)given->tensor_model_parallel_size : 1;
    model->fused_attention = !given->local_transformer && !given->unfused_attention;
    return share_ranks(model);
}

/* ---- weights ---- */

/* Of the last stage, whose output layer is a copy of the embedding; without experts. */
static double
dense_parameters(const struct megatron *model)
{
    const struct memmodel_megatron_options *given = &model->given;
    double h = (double)given->hidden_size, t = (double)given->tensor_model_parallel_size;
    double inner = model->inner * (given->swiglu ? 2 : 1), bias = given->disable_bias_linear ? 0 : 1;
    double attention = (model->query_key_value + h) * h / t + bias * (model->query_key_value / t + h);
    double dense = (inner + model->inner) * h / t + bias * (inner / t + h);
    double layer = attention + 4 * h + (model->experts ? (double)given->num_experts * h : dense);
    double count = (double)model->layers * layer + 2 * h + model->vocabulary * h / t;

    if (given->pipeline_model_parallel_size > 1)
        return count;
    if (given->untie_embeddings_and_output_weights)
        count += model->vocabulary * h / t;
    if (!given->rotary_positions)
        count += (double)or_else(given->max_position_embeddings, given->seq_length) * h;
    return count;
}

static double
expert_parameters(const struct megatron *model)
{
    const struct memmodel_megatron_options *given = &model->given;
    double inner = model->expert_inner * (given->swiglu ? 2 : 1);
    double bias = given->disable_bias_linear ? 0 : inner;

    return (double)model->layers * (double)model->experts *
           ((inner + model->expert_inner) * (double)given->hidden_size + bias) /
           (double)or_else(given->expert_tensor_parallel_size, given->tensor_model_parallel_size);
}

/* Weight, gradient, which bfloat16 has in float32 and float16 in both, and what Adam keeps, which may be shared out. */
static double
bytes_of_parameter(const struct megatron *model, double shared_by)
{
    const struct memmodel_megatron_options *given = &model->given;
    bool half = given->bf16 || given->fp16;
    double kept = given->bf16 ? 6 : given->fp16 ? 4 : 8, states = given->bf16 ? 12 : given->fp16 ? 16 : 8;
    double part = given->use_distributed_optimizer ? states / shared_by : states;

    if (half && given->use_distributed_optimizer)
        part = fmin(part * (double)given->num_distributed_optimizer_instances, states);
    return kept + part;
}

static double
weights_of(const struct megatron *model)
{
    double found = dense_parameters(model) *
                   bytes_of_parameter(model, (double)model->data * (double)model->given.context_parallel_size);

    return model->experts ? found + expert_parameters(model) * bytes_of_parameter(model, (double)model->expert_data)
                          : found;
}

/* ---- activations ---- */

/* In two copies, with the mask of a dropout. */
static double
scores_of(const struct megatron *model)
{
    const struct memmodel_megatron_options *given = &model->given;

    return 5 * (double)given->num_attention_heads / (double)given->tensor_model_parallel_size *
           (double)given->seq_length * (double)given->seq_length * (double)given->micro_batch_size;
}

/* What a product in front of an activation gives, and what that gives. */
static double
inner_bytes(const struct megatron *model, double inner)
{
    return inner * (model->given.swiglu ? 4 : 2) + 2 * inner;
}

/* Of a layer and a microbatch. Tokens of experts are there as they are sent, as they come, and as they are given back. */
static double
layer_of(const struct megatron *model)
{
    double h = (double)model->given.hidden_size, t = (double)model->given.tensor_model_parallel_size;
    double dense = model->experts ? 0 : inner_bytes(model, model->inner);
    double found = model->tokens * (10 * h / model->sequence + (2 * model->query_key_value + 2 * h + dense) / t);

    if (model->experts)
        found += model->tokens / model->sequence * (double)model->given.moe_router_topk *
                 (3 * 2 * h + inner_bytes(model, model->expert_inner));
    return model->fused_attention ? found : found + scores_of(model);
}

/* Layers that wait for their backward passes: the last stage has one microbatch, interleaved parts those run ahead. */
static int
find_waiting(struct megatron *model, int64_t *layers)
{
    const struct memmodel_megatron_options *given = &model->given;
    int64_t part = given->num_layers_per_virtual_pipeline_stage, parts = 1, batches, ahead;
    int status;

    *layers = model->layers;
    if (part == 0 || given->pipeline_model_parallel_size == 1)
        return 0;
    status = divide(model, "num_layers_per_virtual_pipeline_stage", model->layers, part, &parts);
    if (status)
        return status;
    if (given->global_batch_size == 0)
        return context_error(model->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "global_batch_size",
                             "give it: interleaved stages run so many microbatches ahead");
    batches = max_i64(given->global_batch_size / multiply_saturating(given->micro_batch_size, model->data), 1);
    ahead = add_saturating(
        multiply_saturating(parts - 1, or_else(given->microbatch_group_size, given->pipeline_model_parallel_size)), 1);
    *layers = multiply_saturating(part, min_i64(ahead, multiply_saturating(parts, batches)));
    return 0;
}

static double
activations_of(const struct megatron *model, int64_t waiting)
{
    const struct memmodel_megatron_options *given = &model->given;
    double layer = layer_of(model), all = (double)waiting, layers = (double)model->layers;
    double kept = 2 * model->tokens * (double)given->hidden_size / model->sequence;
    double some = fmin((double)given->recompute_num_layers, layers);

    switch (given->recompute) {
    case MEMMODEL_MEGATRON_RECOMPUTE_UNIFORM:
        return all * kept / some + layer * some;
    case MEMMODEL_MEGATRON_RECOMPUTE_BLOCK:
        return all / layers * (some * kept + (layers - some) * layer) + layer;
    case MEMMODEL_MEGATRON_RECOMPUTE_SELECTIVE:
        return model->fused_attention ? all * layer : all * (layer - scores_of(model)) + scores_of(model);
    default:
        return all * layer;
    }
}

/* In float32 from the forward pass of the cross entropy on, and the gradient in bfloat16; fused in both types. */
static double
logits_of(const struct megatron *model)
{
    return model->tokens * model->vocabulary / (double)model->given.tensor_model_parallel_size *
           (model->given.cross_entropy_loss_fusion ? 10 : 6);
}

/* ---- all of it ---- */

/* Of cuBLAS for the threads of forward and backward passes, and Transformer Engine's. */
static int
find_workspace(const struct megatron *model, int64_t *bytes)
{
    const struct gpu *gpu;
    const char *kind = model->given.gpu && *model->given.gpu ? model->given.gpu : "h100";
    const char *config = model->given.cublas_workspace ? model->given.cublas_workspace : "";
    int status = gpu_find(model->context, kind, &gpu);

    if (!status) /* NVIDIA's containers have a PyTorch before 2.12 */
        status = cublas_workspace_bytes(model->context, gpu, 0, config, bytes);
    if (status)
        return status;
    *bytes = multiply_saturating(*bytes, THREADS);
    if (!model->given.local_transformer)
        *bytes = add_saturating(*bytes, gpu->capability >= HOPPER ? ENGINE_HOPPER : ENGINE_OLDER);
    return 0;
}

static int
add_up(struct megatron *model, struct memmodel_megatron_memory *memory)
{
    int64_t waiting, workspace = 0;
    double weights = weights_of(model), logits = logits_of(model), activations;
    int status = find_waiting(model, &waiting);

    if (!status)
        status = find_workspace(model, &workspace);
    if (status)
        return status;
    activations = activations_of(model, waiting);
    if (!(weights + activations + logits < (double)(INT64_MAX / 4)))
        return context_error(model->context, MEMMODEL_ERROR_OVERFLOW, "ranks", "that takes more than 63 bits of bytes");
    *memory = (struct memmodel_megatron_memory){
        .size = sizeof *memory,
        .weights = (int64_t)(weights + 0.5),
        .activations = (int64_t)(activations + 0.5),
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
