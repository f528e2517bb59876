/*
 * How to train a language model on many GPUs: which meshes of data, tensor and pipeline parallelism fit, and what their
 * ranks send each other.
 *
 * Trainings are as torchtitan has them: FSDP2 with shards in float32, computed in bfloat16 and reduced in float32, a tensor
 * plan of its linear layers, 1F1B pipelines whose stages have as many layers each. doc/guide/distributed.md has the rules.
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
    int64_t budget;        /**< of each GPU for tensors. @unit bytes @default the GPU's without its CUDA context */
};

/** A way to train it. @since 0.1 */
struct memmodel_mesh_row {
    int64_t data;       /**< ranks that parameters are sharded over, and batches shared out to */
    int64_t tensor;     /**< ranks that share a layer */
    int64_t pipeline;   /**< stages, of one rank each */
    int64_t batch;      /**< sequences of one forward pass of a rank */
    int64_t passes;     /**< forward passes of a rank in a step: microbatches of a pipeline, else accumulated batches */
    int64_t peak;       /**< live bytes of the fullest rank. @unit bytes */
    int64_t traffic;    /**< that a rank sends in a step. @unit bytes */
    int32_t recomputed; /**< 1: each layer is recomputed in the backward pass, torch.utils.checkpoint */
    int32_t verdict;    /**< enum memmodel_verdict: whether `peak` is within the budget */
};

/**
 * Meshes of so many GPUs, those that fit first, in the order of what their ranks send.
 *
 * Peaks are those of memmodel_estimate() on models of three and four layers a stage, with one and two sequences: at each
 * place of a step bytes grow by the same with each layer, and with each sequence, which is taken on. What a rank sends is
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
 * @returns 0, what memmodel_llm_build() and memmodel_estimate() return, MEMMODEL_ERROR_INVALID_ARGUMENT (no mesh of two
 *          or more data ranks divides the GPUs, the layers and the batch)
 * @threads any, each with a context of its own
 * @complexity O(meshes) estimates of a few layers
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_estimate_meshes(const memmodel_llm *llm, const struct memmodel_mesh_options *options,
                         memmodel_context *context, size_t capacity, struct memmodel_mesh_row *rows, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
