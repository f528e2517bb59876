/*
 * How to train a language model on many GPUs: which meshes of data, tensor and pipeline parallelism fit, and what their
 * ranks send each other.
 *
 * Trainings are as torchtitan has them: FSDP2 with shards in float32, computed in bfloat16 and reduced in float32, a tensor
 * plan of its linear layers, 1F1B pipelines whose stages have as many layers each; or as Megatron-LM has them. doc/guide/distributed.md has the rules.
 */
#ifndef MEMMODEL_MESH_H
#define MEMMODEL_MESH_H

#include "memmodel/context.h"
#include "memmodel/llm.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is to be trained, and on what. Zero means the default for every field but `gpu_count`. @since 0.1 */
struct memmodel_mesh_options {
    size_t size;           /**< sizeof(struct memmodel_mesh_options) */
    const char *gpu;       /**< kind of GPU, as in struct memmodel_job. @nullable @default "h100" */
    const char *optimizer; /**< as in struct memmodel_job. @nullable @default "adamw(fused)" */
    int64_t gpu_count;     /**< GPUs there are, 2 or more */
    int64_t length;        /**< tokens of a sequence. @default 8192 */
    int64_t global_batch;  /**< sequences of a step, over all GPUs. @default `gpu_count` */
    int64_t max_tensor;    /**< GPUs that share a layer, such as those of one machine. @default 8 */
    int64_t max_pipeline;  /**< stages. @default 16 */
    int64_t budget;        /**< of each GPU, context included. @unit bytes @default all of the GPU's */
};

/** A way to train it. @since 0.1 */
struct memmodel_mesh_row {
    int64_t data;       /**< ranks that parameters are sharded over, and batches shared out to */
    int64_t tensor;     /**< ranks that share a layer */
    int64_t pipeline;   /**< stages, of one rank each */
    int64_t batch;      /**< sequences of one forward pass of a rank */
    int64_t passes;     /**< forward passes of a rank in a step: microbatches of a pipeline, else accumulated batches */
    int64_t peak;       /**< live bytes of the fullest rank. @unit bytes */
    int64_t process;    /**< that its process takes of the GPU: what the allocator reserves, and the context; 0 where
                             live bytes and context exceed the budget alone. @unit bytes */
    int64_t traffic;    /**< that a rank sends in a step. @unit bytes */
    int32_t recomputed; /**< 1: each layer is recomputed in the backward pass, torch.utils.checkpoint */
    int32_t verdict;    /**< enum memmodel_verdict: whether the process is within the budget */
};

/**
 * Meshes of so many GPUs, those that fit first, in the order of what their ranks send; of each, batches of 1, 2, 4, ...
 * sequences up to the first that does not fit. With one data rank nothing is sharded: parameters are there as a whole in
 * float32, and computed with under autocast to bfloat16.
 *
 * Peaks are those of memmodel_estimate() on models of three and four layers a stage, with one and two sequences: at each
 * place of a step bytes grow by the same with each layer, and with each sequence, which is taken on. Whether a mesh fits is decided by
 * memmodel_estimate() of all layers, on the rank with most live bytes, where those alone do not exceed the budget; of a
 * pipeline with more parts than stages and one, by so many and what the others keep. What a rank sends is
 * that of ring algorithms (Thakur, Rabenseifner and Gropp 2005; Patarasuk and Yuan 2009): n - 1 n-th parts of what is
 * gathered or scattered, twice as much of what is reduced; all-reduces of tensor plans as in Megatron-LM (Shoeybi and
 * others 2019). Whether it is sent while others compute is not asked.
 *
 * @param[in]  llm       model, as memmodel_llm_build() takes it
 * @param[in]  options   what is trained, and on what
 * @param[in]  context   limits and errors of this call; NULL: the model's own. @nullable
 * @param[in]  capacity  of `rows`
 * @param[out] rows      the first of them. Untouched on error. @length capacity
 * @param[out] count     how many there are; more than `capacity`: the others are left out. Untouched on error.
 * @returns 0, what memmodel_llm_build() and memmodel_estimate() return, MEMMODEL_ERROR_INVALID_ARGUMENT (no mesh
 *          divides the GPUs, the layers and the batch)
 * @threads any, each with a context of its own
 * @complexity O(meshes) estimates of a few layers
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_estimate_meshes(const memmodel_llm *llm, const struct memmodel_mesh_options *options,
                         memmodel_context *context, size_t capacity, struct memmodel_mesh_row *rows, size_t *count);

/** What is recomputed in a backward pass of Megatron-LM: recompute_granularity and recompute_method. @since 0.1 */
enum memmodel_megatron_recompute {
    MEMMODEL_MEGATRON_RECOMPUTE_NONE = 0,      /**< nothing */
    MEMMODEL_MEGATRON_RECOMPUTE_SELECTIVE = 1, /**< scores of attention */
    MEMMODEL_MEGATRON_RECOMPUTE_UNIFORM = 2,   /**< all layers, recompute_num_layers of them together */
    MEMMODEL_MEGATRON_RECOMPUTE_BLOCK = 3      /**< recompute_num_layers of each stage */
};

/** What Megatron-FSDP shares out over data and context parallel ranks: data_parallel_sharding_strategy. @since 0.1 */
enum memmodel_megatron_sharding {
    MEMMODEL_MEGATRON_SHARDING_NO_SHARD = 0,          /**< nothing */
    MEMMODEL_MEGATRON_SHARDING_OPTIM = 1,             /**< states of the optimizer */
    MEMMODEL_MEGATRON_SHARDING_OPTIM_GRADS = 2,       /**< gradients, too */
    MEMMODEL_MEGATRON_SHARDING_OPTIM_GRADS_PARAMS = 3 /**< parameters, too */
};

/**
 * A training by Megatron-LM's pretrain_gpt.py: its arguments, by their names, and on what it runs. Zero means the default for
 * every field; those without one are needed. @since 0.1
 */
struct memmodel_megatron_options {
    size_t size;                          /**< sizeof(struct memmodel_megatron_options) */
    const char *gpu;                      /**< kind of GPU, as in struct memmodel_job. @nullable @default "h100" */
    const char *cublas_workspace;         /**< as in struct memmodel_job. @nullable @default the GPU's usual */
    int64_t ranks;                        /**< processes, of one GPU each */
    int64_t num_layers;                   /**< layers of all stages */
    int64_t hidden_size;                  /**< width of a layer */
    int64_t ffn_hidden_size;              /**< width inside. @default 4 hidden_size, or 8/3 of it with swiglu */
    int64_t num_attention_heads;          /**< heads of queries */
    int64_t num_query_groups;             /**< heads of keys and values. @default num_attention_heads */
    int64_t kv_channels;                  /**< width of a head. @default hidden_size / num_attention_heads */
    int64_t vocab_size;                   /**< tokens there are, before padding */
    int64_t make_vocab_size_divisible_by; /**< and by the tensor-parallel ranks. @default 128 */
    int64_t seq_length;                   /**< tokens of a sequence */
    int64_t max_position_embeddings;      /**< positions that are learned. @default seq_length */
    int64_t micro_batch_size;             /**< sequences of a forward pass. @default 1 */
    int64_t global_batch_size;            /**< sequences of a step; needed where stages are interleaved */
    int64_t tensor_model_parallel_size;   /**< ranks that share a layer. @default 1 */
    int64_t pipeline_model_parallel_size; /**< stages. @default 1 */
    int64_t context_parallel_size;        /**< ranks that share a sequence. @default 1 */
    int64_t expert_model_parallel_size;   /**< ranks that share the experts. @default 1 */
    int64_t expert_tensor_parallel_size;  /**< ranks that share one. @default tensor_model_parallel_size */
    int64_t num_layers_per_virtual_pipeline_stage; /**< layers of a part of a stage. @default all: not interleaved */
    int64_t microbatch_group_size;                 /**< ..._per_virtual_pipeline_stage. @default the stages */
    int64_t num_distributed_optimizer_instances;   /**< groups of ranks that share states out. @default 1 */
    int64_t num_experts;                           /**< of a layer. @default 0, a dense layer */
    int64_t moe_ffn_hidden_size;                   /**< width inside one. @default ffn_hidden_size */
    int64_t moe_router_topk;                       /**< experts of a token. @default 2 */
    int64_t recompute_num_layers;                  /**< see `recompute`. @default 1 */
    int32_t recompute;                             /**< enum memmodel_megatron_recompute */
    int32_t bf16;                                  /**< 1: in bfloat16, with gradients in float32 */
    int32_t fp16;                                  /**< 1: in float16 */
    int32_t swiglu;                                /**< 1: layers are gated */
    int32_t untie_embeddings_and_output_weights;   /**< 1: the output layer has weights of its own */
    int32_t use_distributed_optimizer;             /**< 1: states are shared out over data and context parallel ranks */
    int32_t sequence_parallel;         /**< 1: norms and dropout are shared over tensor-parallel ranks, too */
    int32_t disable_bias_linear;       /**< 1: products have no biases */
    int32_t rotary_positions;          /**< 1: no positions are learned */
    int32_t unfused_attention;         /**< 1: attention_backend unfused, or local: scores are kept */
    int32_t local_transformer;         /**< 1: transformer_impl local, without Transformer Engine */
    int32_t cross_entropy_loss_fusion; /**< 1: Megatron's own kernel of it */
    int32_t account_for_embedding_in_pipeline_split; /**< 1: the embedding is shared out as one of the layers */
    int32_t account_for_loss_in_pipeline_split;      /**< 1: the loss is, too */
    int32_t multi_latent_attention;                  /**< 1: keys and values are compressed, by the widths below */
    int32_t no_attention_dropout;                    /**< 1: attention_dropout is 0 */
    int32_t no_hidden_dropout;                       /**< 1: hidden_dropout is 0 */
    int32_t qk_layernorm;                            /**< 1: queries and keys are normed */
    int32_t rms_norm;                                /**< 1: normalization RMSNorm */
    int32_t muon;                                    /**< 1: optimizer muon, with Adam for what is no matrix */
    int32_t no_layer_wise_param_layout; /**< 1: whole tensors are dealt to ranks, where Muon's states are shared out */
    int32_t moe_grouped_gemm;           /**< 1: experts are computed on four streams */
    int32_t defer_embedding_wgrad_compute;      /**< 1: gradients of the output layer's weights wait for a step's end */
    int32_t tp_comm_overlap;                    /**< 1: tensor-parallel products overlap what is sent */
    int32_t fp8;                                /**< 1: fp8_format: products are computed in float8 */
    int32_t fp8_param_gather;                   /**< 1: their weights are kept in float8 alone */
    int32_t sharding;                           /**< enum memmodel_megatron_sharding, of use_megatron_fsdp */
    int32_t reserved;                           /**< 0 */
    const char *moe_layer_freq;                 /**< as Megatron-LM has it: "([0]*3+[1]*12)". @nullable @default "1" */
    const char *pipeline_model_parallel_layout; /**< stages in letters: "Et|(tt|)*6mL". @nullable @default even */
    const char *recompute_modules;              /**< of selective recomputation. @nullable @default "core_attn" */
    int64_t num_virtual_stages_per_pipeline_rank; /**< parts of a stage. @default see the layers of one */
    int64_t decoder_first_pipeline_num_layers;    /**< of the first stage. @default as the others */
    int64_t decoder_last_pipeline_num_layers;     /**< of the last stage. @default as the others */
    int64_t moe_shared_expert_intermediate_size;  /**< width of an expert that all tokens pass. @default 0, none */
    int64_t mtp_num_layers;                       /**< layers that predict further tokens. @default 0 */
    int64_t q_lora_rank;                          /**< width of compressed queries. @default 0, not compressed */
    int64_t kv_lora_rank;                         /**< width of compressed keys and values. @default 32 */
    int64_t qk_head_dim;                          /**< width of a head of queries and keys. @default 128 */
    int64_t qk_pos_emb_head_dim;                  /**< that of its positions. @default 64 */
    int64_t v_head_dim;                           /**< that of values. @default 128 */
    int64_t wgrad_deferral_limit;                 /**< so many microbatches wait. @default 0, all */
};

/** What the last rank takes, which has the last stage. @since 0.1 */
struct memmodel_megatron_memory {
    size_t size;         /**< sizeof(struct memmodel_megatron_memory) */
    int64_t resident;    /**< live bytes between steps. @unit bytes */
    int64_t peak;        /**< live bytes at most. @unit bytes */
    int64_t weights;     /**< of the peak: parameters, gradients and states of Adam. @unit bytes */
    int64_t activations; /**< of the peak. @unit bytes */
    int64_t logits;      /**< of the peak, with their gradient. @unit bytes */
    int64_t workspace;   /**< of cuBLAS and Transformer Engine. @unit bytes */
};

/**
 * Memory of a training by Megatron-LM, by a closed formula. Experts get equally many tokens, which is an assumption.
 *
 * A parameter in bfloat16 has 2 bytes, its gradient 4, the states of Adam 12, of Muon 8; activations are those of Transformer Engine's
 * layers (Korthikanti and others 2022); logits are there in float32, their gradient in bfloat16.
 *
 * @param[in]  options  the training
 * @param[in]  context  errors of this call
 * @param[out] memory   filled; untouched on error
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (what is needed is missing, out of range, or not divided evenly; the context
 *          names the argument), MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_UNSUPPORTED (an unknown GPU),
 *          MEMMODEL_ERROR_PARSE (of cublas_workspace), MEMMODEL_ERROR_OVERFLOW
 * @threads any, each with a context of its own
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_estimate_megatron(const struct memmodel_megatron_options *options, memmodel_context *context,
                           struct memmodel_megatron_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
