/*
 * What layers of Megatron-LM take: their parameters with what an optimizer keeps, and what waits for backward passes.
 * Megatron-LM: megatron/core/distributed/param_and_grad_buffer.py, optimizer/distrib_optimizer.py, layer_wise_optimizer.py,
 * tensor_parallel/cross_entropy.py, transformer/moe/experts.py, multi_latent_attention.py, multi_token_prediction.py,
 * pipeline_parallel/schedules.py; activations of a layer: Korthikanti and others, "Reducing Activation Recomputation in
 * Large Transformer Models", 2022.
 */
#include "sharding/megatron.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

/* Of a rank: what Muon updates, and embeddings, norms and biases, of which one is large. */
struct parameters {
    double matrices, others, experts, largest;
    int64_t tensors; /* but for experts */
};

/* ---- parameters ---- */

static double
attended_width(const struct megatron *model)
{
    return model->given.multi_latent_attention
               ? model->value
               : model->value / (double)model->given.num_query_groups * (double)model->given.num_attention_heads;
}

/* Products of one layer's attention. Those that compress are whole on each tensor-parallel rank. */
static double
attention_matrices(const struct megatron *model)
{
    const struct memmodel_megatron_options *given = &model->given;
    double h = (double)given->hidden_size, t = (double)given->tensor_model_parallel_size;
    double heads = (double)given->num_attention_heads, position = (double)given->qk_pos_emb_head_dim;
    double query = heads * ((double)given->qk_head_dim + position), rank = (double)given->q_lora_rank;
    double key = (double)given->kv_lora_rank, out = attended_width(model) * h / t;

    if (!given->multi_latent_attention)
        return (model->query_key + model->value) * h / t + out;
    return (rank > 0 ? h * rank + rank * query / t : h * query / t) + h * (key + position) +
           key * heads * (double)(given->qk_head_dim + given->v_head_dim) / t + out;
}

/* Widths that a product in front of an activation gives, and the one behind takes. */
static double
inner_widths(const struct megatron *model, double inner)
{
    return inner * (model->given.swiglu ? 3 : 2);
}

static double
layer_matrices(const struct megatron *model, bool experts)
{
    const struct memmodel_megatron_options *given = &model->given;
    double h = (double)given->hidden_size, t = (double)given->tensor_model_parallel_size;
    double inner = experts ? (double)given->moe_shared_expert_intermediate_size : model->inner;

    return attention_matrices(model) + inner_widths(model, inner) * h / t +
           (experts ? (double)given->num_experts * h : 0);
}

/* Norms and biases. */
static double
layer_vectors(const struct megatron *model, bool experts)
{
    const struct memmodel_megatron_options *given = &model->given;
    double h = (double)given->hidden_size, t = (double)given->tensor_model_parallel_size;
    double norms = 2 * h * (given->rms_norm ? 1 : 2), inner = model->inner * (given->swiglu ? 2 : 1);

    if (given->disable_bias_linear)
        return norms;
    return norms + (model->query_key + model->value) / t + h + (experts ? 0 : inner / t + h);
}

/* Weights and biases of attention, norms, and products, or what routes tokens and experts of all of them. */
static int64_t
layer_tensors(const struct megatron *model, bool experts)
{
    const struct memmodel_megatron_options *given = &model->given;
    int64_t attention = given->multi_latent_attention ? (given->q_lora_rank ? 5 : 4) : 2;
    int64_t inner = experts ? 1 + (given->moe_shared_expert_intermediate_size ? 2 : 0) : 2;

    return attention + inner + (given->rms_norm ? 2 : 4) + (given->disable_bias_linear ? 0 : experts ? 2 : 4);
}

static void
add_layers(const struct megatron *model, bool experts, int64_t count, struct parameters *found)
{
    const struct memmodel_megatron_options *given = &model->given;
    double layers = (double)count, inner = model->expert_inner;
    double bias = given->disable_bias_linear ? 0 : inner * (given->swiglu ? 2 : 1);

    found->matrices += layers * layer_matrices(model, experts);
    found->others += layers * layer_vectors(model, experts);
    found->tensors += count * layer_tensors(model, experts);
    if (experts)
        found->experts += layers * (double)model->experts *
                          (inner_widths(model, inner) * (double)given->hidden_size + bias) /
                          (double)model->expert_tensor;
}

/* Of the last stage, whose output layer is a copy of the embedding. Further tokens are predicted from their embedding. */
static struct parameters
parameters_of(const struct megatron *model)
{
    const struct memmodel_megatron_options *given = &model->given;
    double h = (double)given->hidden_size, t = (double)given->tensor_model_parallel_size;
    double embedding = model->vocabulary * h / t, predictors = (double)model->stage.predictors;
    bool whole = given->pipeline_model_parallel_size == 1;
    struct parameters found = {
        .largest = embedding, .tensors = given->rms_norm ? 2 : 3, .others = h * (given->rms_norm ? 1 : 2) + embedding};

    add_layers(model, false, model->stage.dense + (model->predicts_experts ? 0 : model->stage.predictors), &found);
    add_layers(model, true, model->stage.experts + (model->predicts_experts ? model->stage.predictors : 0), &found);
    found.matrices += predictors * 2 * h * h / t;
    found.others += predictors * 3 * h * (given->rms_norm ? 1 : 2);
    if (given->untie_embeddings_and_output_weights && (whole || predictors > 0)) {
        found.others += embedding;
        found.tensors++;
    }
    if (whole && !given->rotary_positions) {
        found.others += (double)given->max_position_embeddings * h;
        found.tensors++;
    }
    return found;
}

/* ---- what is kept of a parameter ---- */

/* What a group of parameters has of each: `product` if it is one that may be computed in float8. */
struct group {
    double count;
    int64_t ranks; /* that may share it out */
    bool product;
};

/* In float8 beside or in place of the other, where the GPU reads columns twice, for backward passes. */
static double
weight_bytes(const struct megatron *model, bool product)
{
    double bytes = model->given.bf16 || model->given.fp16 ? 2 : 4, small = model->transposes ? 2 : 1;

    if (!model->given.fp8 || !product)
        return bytes;
    return model->given.fp8_param_gather ? small : bytes + small;
}

/* That of bfloat16 is in float32. */
static double
gradient_bytes(const struct megatron *model)
{
    return model->given.fp16 ? 2 : 4;
}

/* The two of Adam, with a copy in float32; Muon has one. */
static double
state_bytes(const struct megatron *model, bool product)
{
    return (model->given.bf16 ? 12 : model->given.fp16 ? 16 : 8) - (model->given.muon && product ? 4 : 0);
}

static double
shared_state_bytes(const struct megatron *model, const struct group *group)
{
    const struct memmodel_megatron_options *given = &model->given;
    double states = state_bytes(model, group->product), part = states / (double)group->ranks;

    if (given->sharding)
        return part;
    if (!given->use_distributed_optimizer)
        return states;
    return given->bf16 || given->fp16 ? fmin(part * (double)given->num_distributed_optimizer_instances, states) : part;
}

static double
group_bytes(const struct megatron *model, const struct group *group)
{
    double ranks = (double)group->ranks, weight = weight_bytes(model, group->product), gradient = gradient_bytes(model);

    if (model->given.sharding >= MEMMODEL_MEGATRON_SHARDING_OPTIM_GRADS)
        gradient /= ranks;
    if (model->given.sharding >= MEMMODEL_MEGATRON_SHARDING_OPTIM_GRADS_PARAMS)
        weight /= ranks;
    return group->count * (weight + gradient + shared_state_bytes(model, group));
}

/*
 * Where whole tensors are dealt to ranks, the smallest first and in turns of which every other runs backwards, who gets the
 * embeddings? Adds what the last rank has of them more, or less, than its even part.
 */
static double
dealt_states(const struct megatron *model, const struct parameters *found, int64_t ranks)
{
    int64_t large = found->largest > 0 ? (int64_t)(found->others / found->largest) : 0, mine = 0;

    for (int64_t i = 1; i <= large && i <= found->tensors; i++) {
        int64_t place = (found->tensors - i) % (2 * ranks);

        mine += place == ranks - 1 || place == ranks;
    }
    return ((double)mine - (double)large / (double)ranks) * found->largest * state_bytes(model, false);
}

static int64_t
sharing_ranks(const struct megatron *model)
{
    return multiply_saturating(model->data, model->given.context_parallel_size);
}

double
megatron_weights(const struct megatron *model)
{
    const struct memmodel_megatron_options *given = &model->given;
    struct parameters found = parameters_of(model);
    int64_t ranks = sharing_ranks(model);
    const struct group groups[] = {
        {found.matrices, ranks, true},
        {found.others, ranks, false},
        {found.experts, model->experts ? model->expert_data : ranks, true},
    };
    double bytes = 0;

    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        bytes += group_bytes(model, &groups[i]);
    if (given->muon && given->use_distributed_optimizer && given->no_layer_wise_param_layout)
        bytes += dealt_states(model, &found, ranks);
    return bytes;
}

/* Megatron-FSDP gathers one layer at a time, or the embedding with its positions. */
double
megatron_gathered(const struct megatron *model)
{
    const struct memmodel_megatron_options *given = &model->given;
    struct parameters dense = {0}, experts = {0};
    double gradient = gradient_bytes(model), layer, root;

    if (given->sharding < MEMMODEL_MEGATRON_SHARDING_OPTIM_GRADS)
        return 0;
    add_layers(model, false, model->stage.dense > 0, &dense);
    add_layers(model, true, model->stage.experts > 0, &experts);
    layer = fmax(dense.matrices + dense.others, experts.matrices + experts.others + experts.experts);
    root = model->vocabulary * (double)given->hidden_size / (double)given->tensor_model_parallel_size;
    if (!given->rotary_positions)
        root += (double)given->max_position_embeddings * (double)given->hidden_size;
    if (given->sharding < MEMMODEL_MEGATRON_SHARDING_OPTIM_GRADS_PARAMS)
        return fmax(layer, root) * gradient;
    return fmax(layer * (weight_bytes(model, true) + gradient), root * (weight_bytes(model, false) + gradient));
}

/* ---- activations of a layer and a microbatch ---- */

/* Is it named among what is recomputed? Nothing named means scores of attention. */
static bool
recomputes(const struct megatron *model, const char *module)
{
    const char *modules = model->given.recompute_modules, *at;
    size_t length = strlen(module);

    if (model->given.recompute != MEMMODEL_MEGATRON_RECOMPUTE_SELECTIVE)
        return false;
    for (at = modules && *modules ? modules : "core_attn"; *at; at += at[0] != '\0') {
        size_t word = strcspn(at, " ,[]'\"");

        if (word == length && memcmp(at, module, length) == 0)
            return true;
        at += word;
        if (!*at)
            break;
    }
    return false;
}

static double
score_elements(const struct megatron *model)
{
    const struct memmodel_megatron_options *given = &model->given;

    return model->fused_attention
               ? 0
               : (double)given->num_attention_heads / (double)given->tensor_model_parallel_size *
                     (double)given->seq_length * (double)given->seq_length * (double)given->micro_batch_size;
}

/* Of scores, with dropout in two copies and its mask. */
static double
scores_of(const struct megatron *model)
{
    return score_elements(model) * (model->given.no_attention_dropout ? 2 : 5);
}

/* What a product takes, which float8 halves. */
static double
taken_bytes(const struct megatron *model, double width)
{
    return width * (model->given.fp8 ? 1 : 2);
}

/* What a product in front of an activation gives, and what that gives. Experts weigh it by a probability. */
static double
inner_bytes(const struct megatron *model, double inner, bool weighed)
{
    return inner * (model->given.swiglu || weighed ? 4 : 2) + taken_bytes(model, inner);
}

/* Bytes of what is kept, and of what of it is recomputed in the backward pass. */
struct kept {
    double all, again;
};

static void
keep(struct kept *kept, double bytes, bool again)
{
    kept->all += bytes;
    kept->again += again ? bytes : 0;
}

static void
keep_attention(const struct megatron *model, struct kept *kept)
{
    const struct memmodel_megatron_options *given = &model->given;
    double t = (double)given->tensor_model_parallel_size, tokens = model->tokens;
    double compressed = 2 * (double)(given->q_lora_rank + given->kv_lora_rank);

    keep(kept, tokens / t * 2 * (model->query_key + model->value), recomputes(model, "mla_up_proj"));
    keep(kept, tokens / t * taken_bytes(model, attended_width(model)), false);
    if (given->multi_latent_attention)
        keep(kept,
             tokens / model->sequence *
                 (compressed * (given->qk_layernorm ? 2 : 1) + 2 * (double)given->qk_pos_emb_head_dim),
             false);
    else if (given->qk_layernorm)
        keep(kept, tokens / t * 2 * model->query_key, false);
    keep(kept, scores_of(model), recomputes(model, "core_attn"));
}

/* Tokens are there as the layer has them, and as those experts have them that share tensors. */
static void
keep_experts(const struct megatron *model, struct kept *kept)
{
    const struct memmodel_megatron_options *given = &model->given;
    double routed = model->tokens / model->sequence * (double)given->moe_router_topk;
    double shared = (double)given->moe_shared_expert_intermediate_size, inner = model->expert_inner;
    bool all = recomputes(model, "moe"), activation = all || recomputes(model, "moe_act");
    double before = given->swiglu ? 4 : 2, h = (double)given->hidden_size;

    keep(kept, routed * (double)model->expert_tensor * (2 * h + taken_bytes(model, h)), all);
    keep(kept, routed * before * inner, all);
    keep(kept, routed * (inner_bytes(model, inner, true) - before * inner), activation);
    keep(kept, model->tokens / (double)given->tensor_model_parallel_size * inner_bytes(model, shared, false),
         all || recomputes(model, "shared_experts"));
}

/* Two norms' inputs and outputs, and two masks; what is between. */
static struct kept
kept_by_layer(const struct megatron *model, bool experts)
{
    const struct memmodel_megatron_options *given = &model->given;
    double h = (double)given->hidden_size, tokens = model->tokens / model->sequence;
    bool norms = recomputes(model, "layernorm");
    struct kept kept = {0};

    keep(&kept, tokens * h * (given->no_hidden_dropout ? 4 : 6), false);
    keep(&kept, tokens * taken_bytes(model, h), norms && given->multi_latent_attention);
    keep(&kept, tokens * taken_bytes(model, h), norms && experts);
    keep_attention(model, &kept);
    if (experts)
        keep_experts(model, &kept);
    else
        keep(&kept, model->tokens / (double)given->tensor_model_parallel_size * inner_bytes(model, model->inner, false),
             recomputes(model, "mlp"));
    return kept;
}

/* ---- activations that wait ---- */

/* How often parts of each kind wait: the last part of one microbatch, those before of a group that runs ahead. */
static int
find_waiting(struct megatron *model, struct megatron_part *waiting)
{
    const struct memmodel_megatron_options *given = &model->given;
    int64_t group = given->microbatch_group_size ? given->microbatch_group_size : given->pipeline_model_parallel_size;
    const struct megatron_part *last = &model->parts[model->part_count - 1];

    if (model->part_count > 1 && given->global_batch_size == 0)
        return context_error(model->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "global_batch_size",
                             "give it: interleaved stages run so many microbatches ahead");
    if (model->part_count > 1)
        group = min_i64(
            group, max_i64(given->global_batch_size / multiply_saturating(given->micro_batch_size, model->data), 1));
    *waiting = *last;
    for (int64_t i = 0; i < model->part_count - 1; i++) {
        waiting->dense = add_saturating(waiting->dense, multiply_saturating(group, model->parts[i].dense));
        waiting->experts = add_saturating(waiting->experts, multiply_saturating(group, model->parts[i].experts));
    }
    return 0;
}

/* Layers that predict further tokens join their embedding and what the layer before gave, both normed. */
static double
predictors_of(const struct megatron *model, int64_t count)
{
    return (double)count * model->tokens / model->sequence * 12 * (double)model->given.hidden_size;
}

static double
recomputed_layers(const struct megatron *model, const struct megatron_part *waiting, double bytes, double layer)
{
    const struct memmodel_megatron_options *given = &model->given;
    double all = (double)add_saturating(waiting->dense, waiting->experts), layers;
    double input = 2 * model->tokens * (double)given->hidden_size / model->sequence, some;

    layers = (double)add_saturating(model->stage.dense, model->stage.experts);
    some = fmin((double)given->recompute_num_layers, layers);
    if (given->recompute == MEMMODEL_MEGATRON_RECOMPUTE_UNIFORM)
        return some > 0 ? all * input / some + layer * some : 0;
    return layers > 0 ? all / layers * some * input + (layers - some) / layers * bytes + layer : 0;
}

int
megatron_activations(struct megatron *model, double *bytes)
{
    struct kept dense = kept_by_layer(model, false), experts = kept_by_layer(model, true);
    struct megatron_part waiting;
    int status = find_waiting(model, &waiting);
    int64_t *predicting = model->predicts_experts ? &waiting.experts : &waiting.dense;
    bool selective = model->given.recompute == MEMMODEL_MEGATRON_RECOMPUTE_SELECTIVE;

    if (status)
        return status;
    *predicting = add_saturating(*predicting, waiting.predictors);
    *bytes =
        (double)waiting.dense * (dense.all - dense.again) + (double)waiting.experts * (experts.all - experts.again);
    if (model->given.recompute != MEMMODEL_MEGATRON_RECOMPUTE_NONE && !selective)
        *bytes = recomputed_layers(model, &waiting, *bytes,
                                   fmax(waiting.dense ? dense.all : 0, waiting.experts ? experts.all : 0));
    *bytes += fmax(waiting.dense ? dense.again : 0, waiting.experts ? experts.again : 0);
    *bytes += predictors_of(model, waiting.predictors);
    return 0;
}

/* ---- logits ---- */

/* Their gradients and the output layer's inputs wait for the end of a step, so many of them as are let to. */
static double
deferred_of(const struct megatron *model)
{
    const struct memmodel_megatron_options *given = &model->given;
    int64_t batches = given->global_batch_size / multiply_saturating(given->micro_batch_size, model->data);
    int64_t limit = given->wgrad_deferral_limit ? given->wgrad_deferral_limit : batches;

    if (!given->defer_embedding_wgrad_compute || given->pipeline_model_parallel_size == 1)
        return 0;
    return model->tokens * (2 * model->vocabulary / (double)given->tensor_model_parallel_size *
                                (double)max_i64(min_i64(limit, batches - 1), 0) +
                            2 * (double)given->hidden_size / model->sequence * (double)batches);
}

/*
 * In float32 from the forward pass of the cross entropy on, and the gradient in bfloat16; fused in both types. Those of
 * further tokens wait in float32. Scores of a layer have two gradients, when logits are gone.
 */
double
megatron_logits(const struct megatron *model)
{
    const struct memmodel_megatron_options *given = &model->given;
    double each = model->tokens * model->vocabulary / (double)given->tensor_model_parallel_size;
    double logits = each * ((given->cross_entropy_loss_fusion ? 10 : 6) + 4 * (double)model->stage.predictors);

    return fmax(logits, 4 * score_elements(model)) + deferred_of(model);
}
