/* How a network is run: framework, device, optimizer, precision, and the values of its symbols. */
#ifndef MEMMODEL_JOB_H
#define MEMMODEL_JOB_H

#include "memmodel/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which bytes of a job a budget limits, and savings are counted in. @since 0.1 */
enum memmodel_measure {
    MEMMODEL_MEASURE_DEFAULT = 0,  /**< those that decide whether the job lives: see memmodel_measure_default() */
    MEMMODEL_MEASURE_LIVE = 1,     /**< bytes of live tensors */
    MEMMODEL_MEASURE_RESERVED = 2, /**< bytes the framework's allocator has taken from the system */
    MEMMODEL_MEASURE_PROCESS = 3,  /**< bytes of the process, with the framework's libraries; on a GPU bytes of the
                                        device: reserved, with the CUDA context and kernels */
};

/**
 * Name of a measure, such as "process".
 *
 * @param[in] measure  enum memmodel_measure
 * @returns a static string; NULL if there is no such measure. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_measure_name(int measure);

/**
 * What MEMMODEL_MEASURE_DEFAULT stands for: the bytes that decide whether a job lives. They are those of the process, on a GPU
 * of the device; the textbook, which models no process, has live bytes.
 *
 * @param[in] framework  as in struct memmodel_job; NULL: its default. @nullable
 * @returns MEMMODEL_MEASURE_PROCESS or MEMMODEL_MEASURE_LIVE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_measure_default(const char *framework);

/** Value of a symbol. @since 0.1 */
struct memmodel_symbol_value {
    const char *name; /**< symbol of the network, such as "batch" */
    int64_t value;    /**< positive */
};

/**
 * How a network is run. Zero means the default for every field.
 *
 * Frameworks: "pytorch" simulates every allocation of PyTorch's eager mode; "tensorflow" those of Keras' model.fit
 * on one batch of arrays, compiled, with oneDNN on; "onnxruntime" the runs of a session on the CPU; "textbook" counts
 * by closed formulas, by the rule in `rule`:
 *   - "forward": parameters + input + all layer outputs;
 *   - "outputs": all layer outputs * batch + parameters, without the input (Eq. 1 + Eq. 2 of the 3D U-Net study);
 *   - "cs231n": 2 * activations * batch + 3 * parameters + input (Stanford CS231n, notes on convolutional networks);
 *   - "slots": as cs231n, with the optimizer's true number of slots in place of one: (2 + slots) * parameters.
 *
 * @since 0.1
 */
struct memmodel_job {
    size_t size;           /**< sizeof(struct memmodel_job) */
    const char *framework; /**< "pytorch", "tensorflow", "onnxruntime" or "textbook". @default "pytorch" */
    const char *rule;      /**< of the textbook. @default "slots" */
    const char *device;    /**< "cpu" or, for "pytorch", "cuda": a GPU, unverified; it needs `gpu`.
                                @default "cuda" where `gpu` is given, else "cpu" */
    const char *optimizer; /**< "none", "sgd", "momentum", "adam", "adamw", "nadam", "radam", "adamax", "rmsprop",
                                   "adagrad", "adadelta" or "adafactor", with options that change what it keeps written
                                   as in Python: "sgd(momentum=0.9, nesterov=True)", "adam(amsgrad)",
                                   "rmsprop(centered)", also weight_decay, maximize, decoupled_weight_decay. Of some
                                   parameters, or with options for groups of them: "adam: head.*" or
                                   "adamw(weight_decay=0.1): *.weight; adamw: *.bias", names with * for any letters
                                   and ? for one, those of a layer such as "conv1.weight"; a group without names has
                                   what no other before it has, a parameter in no group keeps its gradient
                                   ("pytorch", "textbook").
                                   @default "adam" */
    const char *isa;       /**< CPU of the job, by its instructions: "avx2", "avx512", "amx" (as "avx512", with
                                2 MiB of second cache), or "native", this machine's.
                                @default "avx512", whatever machine asks */
    const struct memmodel_symbol_value *symbols; /**< `symbol_count` values. @length symbol_count @nullable */
    size_t symbol_count;                         /**< number of `symbols` */
    memmodel_context *context; /**< takes memory and errors; NULL: the network's. Give each thread its own. @nullable */
    int32_t inference;         /**< 1: forward pass only, nothing kept for a backward pass. 2, with "pytorch": forward
                                    pass only, with autograd on: what a backward pass would need is kept */
    int32_t steps;             /**< steps to simulate. @default 3 */
    int32_t threads;           /**< threads the framework computes with. @default 2 */
    int32_t measure;           /**< enum memmodel_measure: which bytes a budget limits */
    int64_t base_bytes;        /**< "tensorflow": of the process just before training begins, with the model built and
                                    the arrays made. @default what it holds on the machine of the recordings
                                    @unit bytes */
    const char *precision; /**< "pytorch": "float32", "bfloat16" or, on a GPU, "float16": what torch.autocast() computes
                                the model and its loss in. @default "float32" */
    const char *checkpoint;   /**< "pytorch": scopes whose inside is computed again in the backward pass, as by
                                 torch.utils.checkpoint, separated by commas: "encoder.0, encoder.1" or, with a `*`
                                 for any letters, "encoder.*"; "encoder.*(use_reentrant=True)" as by its other way.
                                 "h.0..3": in one call all from h.0 to the next h.3 of the same scope.
                                 @default none */
    const char *gpu;          /**< kind of GPU, such as "h200", which makes "cuda" the device; an error with another.
                                 @default none */
    const char *allocator;    /**< settings of the GPU's allocator, as in PYTORCH_ALLOC_CONF:
                                 "expandable_segments:True"; an error without a GPU. @default none */
    const char *optimization; /**< "onnxruntime": how far it rewrites the graph before it runs: "disable", "basic",
                                   "extended" or "all". @default "all" */
    int32_t accumulate;       /**< "pytorch": batches whose gradients are added up before each step of the optimizer.
                                   @default 1 */
    int32_t keep_gradients;   /**< "pytorch": 1: gradients are set to zero after a step, not released:
                                   zero_grad(set_to_none=False) */
};

#ifdef __cplusplus
}
#endif

#endif
