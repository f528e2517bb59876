/* How a network is run: framework, device, optimizer, precision, and the values of its symbols. */
#ifndef MEMMODEL_JOB_H
#define MEMMODEL_JOB_H

#include "memmodel/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which bytes of a job a budget limits, and savings are counted in. @since 0.1 */
enum memmodel_metric {
    MEMMODEL_METRIC_DEFAULT = 0,  /**< those that decide whether the job lives: see memmodel_metric_default() */
    MEMMODEL_METRIC_LIVE = 1,     /**< bytes of live tensors */
    MEMMODEL_METRIC_RESERVED = 2, /**< bytes that the framework's allocator has reserved */
    MEMMODEL_METRIC_PROCESS = 3,  /**< bytes of the process, with the framework's libraries; on a GPU bytes of the
                                        device: reserved, with the CUDA context and kernels */
};

/**
 * Name of a metric, such as "process".
 *
 * @param[in] metric  enum memmodel_metric
 * @returns a static string; NULL if there is no such metric. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_metric_name(int metric);

/**
 * What MEMMODEL_METRIC_DEFAULT stands for: the bytes that decide whether a job lives. They are those of the process, on
 * a GPU of the device; the textbook, which models no process, has live bytes.
 *
 * @param[in] framework  as in struct memmodel_job; NULL: its default. @nullable
 * @returns MEMMODEL_METRIC_PROCESS or MEMMODEL_METRIC_LIVE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_metric_default(const char *framework);

/**
 * Whether a larger job may take fewer of these bytes, since the framework's allocator grows in jumps: then the next
 * size after that of memmodel_estimate_max() does not fit, but one beyond may.
 *
 * @param[in] framework  as in struct memmodel_job; NULL: its default. @nullable
 * @param[in] metric     enum memmodel_metric
 * @returns 1 or 0; 0 of an unknown framework, too
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_metric_grows_in_jumps(const char *framework, int metric);

/** Whether something is within its budget. @since 0.1 */
enum memmodel_verdict {
    MEMMODEL_VERDICT_NONE = 0,      /**< there is no budget */
    MEMMODEL_VERDICT_FITS = 1,      /**< it is within */
    MEMMODEL_VERDICT_EXCEEDS = 2,   /**< it is not, and nothing that was found is */
    MEMMODEL_VERDICT_UNKNOWN = 3,   /**< the bytes that the budget limits are not modelled */
    MEMMODEL_VERDICT_UNCERTAIN = 4, /**< the budget lies in the interval of struct memmodel_report_result */
};

/**
 * Name of a verdict, such as "fits".
 *
 * @param[in] verdict  enum memmodel_verdict
 * @returns a static string; NULL if there is no such verdict. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_verdict_name(int verdict);

/**
 * The word that jobs and reports have for what people write: "bfloat16" for "bf16-mixed", "cuda" for "cuda:0", "h100" for
 * "NVIDIA H100 80GB HBM3", "adamw" for "torch.optim.AdamW".
 *
 * @param[in] field  of struct memmodel_job: "framework", "device", "optimizer" (a name alone), "precision" or "gpu"
 * @param[in] text   as somebody wrote it
 * @returns a static string; NULL if the library knows no such word, or no such field. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_estimate_word(const char *field, const char *text);

/** What of a network is run. @since 0.1 */
enum memmodel_mode {
    MEMMODEL_MODE_TRAINING = 0,  /**< forward and backward pass, and the optimizer's step */
    MEMMODEL_MODE_INFERENCE = 1, /**< the forward pass, with nothing kept for a backward pass */
    /** "pytorch": the forward pass with autograd on, so that what a backward pass would need is kept */
    MEMMODEL_MODE_FORWARD = 2,
};

/**
 * Name of a mode, such as "inference".
 *
 * @param[in] mode  enum memmodel_mode
 * @returns a static string; NULL if there is no such mode. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_mode_name(int mode);

/** Value of a symbol. @since 0.1 */
struct memmodel_symbol_value {
    const char *name; /**< symbol of the network, such as "batch" */
    int64_t value;    /**< positive */
};

/**
 * How the processes of one training share its work. What is estimated is one of them: the network is what that process
 * runs, its batch the part of the batch that it gets. Zero means the default for every field.
 *
 * Data strategies are written as their calls in Python:
 *   - "ddp(bucket_cap_mb=25, gradient_as_bucket_view=True)": torch.nn.parallel.DistributedDataParallel; also
 *     broadcast_buffers, find_unused_parameters, static_graph, no_sync (True, or False where each batch of
 *     `gradient_accumulation` is shared);
 *   - "zero1(parameters_as_bucket_view=True)": torch.distributed.optim.ZeroRedundancyOptimizer over
 *     DistributedDataParallel, whose options it has, too;
 *   - "fsdp(layers.*, reshard_after_forward=True)": torch.distributed.fsdp.fully_shard of modules, each of its own, and
 *     of the root. A * stands for what is between two points of a name; "layers.0+layers.1" are sharded in one call.
 *     reshard_after_forward is True, False or a number of ranks; without it all but the root are resharded. Also
 *     no_sync, offload_policy=CPUOffloadPolicy() on a CPU, and param_dtype and reduce_dtype of a MixedPrecisionPolicy: the
 *     network is then as it is computed, with parameters of param_dtype, and its shards are in float32;
 *   - "deepspeed(stage=2, reduce_bucket_size=5e8)": DeepSpeed's ZeRO 1 to 3 with an optimizer of torch.optim. Options are
 *     those of its zero_optimization: allgather_bucket_size, overlap_comm, contiguous_gradients, reduce_scatter,
 *     offload_optimizer=cpu and offload_param=cpu (on a GPU), sub_group_size, stage3_prefetch_bucket_size,
 *     stage3_param_persistence_threshold, stage3_max_live_parameters, stage3_max_reuse_distance; also bf16 or fp16, whose
 *     network has parameters of that type, and grad_accum_dtype.
 *
 * A tensor plan names modules as parallelize_module() does, patterns as above and "(q|k)" for either:
 * "colwise=layers.*.(q|k|v|up), rowwise=layers.*.(o|down), vocab=emb,head, sequence, loss_parallel".
 *   - colwise: ColwiseParallel() of Linear modules, rowwise: RowwiseParallel();
 *   - vocab: RowwiseParallel() of an Embedding, ColwiseParallel(output_layouts=Replicate()) of an output layer;
 *   - sequence: between these modules each rank has a part of axis 1, as with SequenceParallel(): what rowwise modules
 *     return is scattered, and gathered again for colwise ones, or for the modules that gather= names as a whole;
 *   - loss_parallel: logits of a layer in vocab= stay cut, and the ranks compute their mean cross entropy together.
 *
 * The network is then that of the whole module; the rank's part of it is found.
 *
 * Schedules of pipelines are those of torch.distributed.pipelining: "gpipe(microbatches=8, cut=layers.4)",
 * "1f1b(microbatches=8, cut=layers.2, layers.4, layers.6)", "interleaved(microbatches=8, cut=layers.1, layers.2, layers.3)".
 *   - microbatches: how many parts the batch has; the network is that of one part, with its loss;
 *   - cut: the modules that stages begin with, all but the first, in the order of the forward pass. Stage s is on rank s
 *     modulo pp; one tensor with a gradient passes from each to the next;
 *   - return_outputs=False: step() returns no outputs, scale_grads=False: gradients are not divided.
 *
 * @since 0.1
 */
struct memmodel_parallel {
    size_t size; /**< sizeof(struct memmodel_parallel) */
    /** the processes as a mesh of named axes with their sizes, outermost first: "dp=8", "dp=4,fsdp=8". Axes are dp, data
     *  parallel, fsdp, over which parameters are sharded where dp replicates them, tp, tensor parallel,
     *  cp, parts of a sequence, ep, experts, and pp, stages of a pipeline.
     *  @default one process */
    const char *mesh;
    const char *data; /**< strategy of the axes dp and fsdp; needed where they have more than one rank. @default none */
    const char *backend;  /**< what collectives run on: "gloo", which makes copies where the tensors are, or "nccl".
                              @default "nccl" on a GPU, else "gloo" */
    int64_t rank;         /**< which process is estimated, counted from 0 in row-major order of the mesh */
    const char *tensor;   /**< tensor plan of the axis tp; needed where it has more than one rank. @default none */
    const char *pipeline; /**< schedule of the axis pp; needed where it has more than one rank. @default none */
    int32_t
        meta_device; /**< 1: the module is built under torch.device("meta"), so that no process ever has more of it than
                              its part: parameters come by to_empty() when they are sharded or cut */
    int32_t reserved; /**< 0 */
    /** how ranks of the axis cp attend to all of a sequence, of which the network has one rank's part:
     *  "ring(rotate_method=alltoall, load_balance=False)". @default "ring": they gather keys and values, and
     *  causal attention is balanced */
    const char *context;
    /** how many tokens come to a rank's experts on the axis ep, which no one knows before: "all", of all its
     *  ranks, a bound, or "balanced", as many as the rank has. Reports name it as unmodelled. @default "all" */
    const char *experts;
};

/**
 * How a network is run. Zero means the default for every field.
 *
 * Names of frameworks, devices, optimizers, precisions and GPUs may be written in any case and as elsewhere: "PyTorch",
 * "cuda:0", "torch.optim.AdamW(lr=1e-3)", "torch.bfloat16", "bf16-mixed", "NVIDIA H100 80GB HBM3" as nvidia-smi prints it.
 * Reports have the names that stand here.
 *
 * Frameworks: "pytorch" simulates every allocation of PyTorch's eager mode; "tensorflow" those of Keras' model.fit
 * on one batch of arrays, compiled, with oneDNN on; "onnxruntime" the runs of a session on the CPU; "textbook" counts
 * by closed formulas, by the rule in `textbook_rule`:
 *   - "forward": parameters + input + all layer outputs;
 *   - "outputs": all layer outputs * batch + parameters, without the input (Eq. 1 + Eq. 2 of the 3D U-Net study);
 *   - "cs231n": 2 * activations * batch + 3 * parameters + input (Stanford CS231n, notes on convolutional networks);
 *   - "slots": as cs231n, with the optimizer's true number of slots in place of one: (2 + slots) * parameters.
 *
 * @since 0.1
 */
struct memmodel_job {
    size_t size;               /**< sizeof(struct memmodel_job) */
    const char *framework;     /**< "pytorch", "tensorflow", "onnxruntime" or "textbook". @default "pytorch" */
    const char *textbook_rule; /**< of the textbook. @default "slots" */
    const char *device;        /**< "cpu" or, for "pytorch", "cuda": a GPU, not validated; it needs `gpu`.
                                @default "cuda" where `gpu` is given, else "cpu" */
    const char *optimizer;     /**< "none", "sgd", "momentum", "adam", "adamw", "nadam", "radam", "adamax", "rmsprop",
                                   "adagrad", "adadelta" or "adafactor", with options that change what it keeps written
                                   as in Python: "sgd(momentum=0.9, nesterov=True)", "adam(amsgrad)",
                                   "rmsprop(centered)", also weight_decay, maximize, decoupled_weight_decay. Of some
                                   parameters, or with options for groups of them: "adam: head.*" or
                                   "adamw(weight_decay=0.1): *.weight; adamw: *.bias", names with * for any letters
                                   and ? for one, those of a layer such as "conv1.weight"; a group without names has
                                   what no other before it has, a parameter in no group keeps its gradient
                                   ("pytorch", "textbook").
                                   @default "adam" */
    const char *isa;           /**< CPU of the job, by its instructions: "avx2", "avx512", "amx" (as "avx512", with
                                2 MiB of second cache), or "native", this machine's.
                                @default "avx512", whatever machine asks */
    const struct memmodel_symbol_value *symbols; /**< `symbol_count` values. @length symbol_count @nullable */
    size_t symbol_count;                         /**< number of `symbols` */
    /** bytes of `metric` that the job may take, for a verdict and for what has to fit.
     *  @default the memory of the `gpu`, where `metric` is that of the device; else none @unit bytes */
    int64_t budget;
    int32_t mode;             /**< enum memmodel_mode: what is run */
    int32_t steps;            /**< steps to simulate. @default 3 */
    int32_t intra_op_threads; /**< threads the framework computes with. @default 2 */
    int32_t metric;           /**< enum memmodel_metric: which bytes a budget limits */
    int64_t base_bytes;       /**< "tensorflow": of the process just before training begins, with the model built and
                                    the arrays made. @default what it holds on the machine of the recordings
                                    @unit bytes */
    const char *precision; /**< "pytorch": "float32", "bfloat16" or, on a GPU, "float16": what torch.autocast() computes
                                the model and its loss in. @default "float32" */
    const char *checkpoint; /**< "pytorch": scopes whose inside is recomputed in the backward pass, as by
                                 torch.utils.checkpoint, separated by commas: "encoder.0, encoder.1" or, with a `*`
                                 for any letters, "encoder.*"; "encoder.*(use_reentrant=True)" as by its other way;
                                 "encoder.*(save=matmul)" keeps what attention and linear layers without bias give,
                                 "(save=matmul/2)" of these layers every second, as torchtitan's "op".
                                 "h.0..3": in one call all from h.0 to the next h.3 of the same scope.
                                 @default none */
    const char *gpu;        /**< kind of GPU, such as "h200", which makes "cuda" the device; an error with another.
                                 @default none */
    const char *allocator_settings; /**< settings of the GPU's allocator, as in PYTORCH_ALLOC_CONF:
                                 "expandable_segments:True"; an error without a GPU. @default none */
    /** "onnxruntime": how far it rewrites the graph before it runs: "disable", "basic", "extended" or "all".
     *  @default "all" */
    const char *graph_optimization;
    /** "pytorch": batches whose gradients are added up before each step of the optimizer. @default 1 */
    int32_t gradient_accumulation;
    int32_t keep_gradients; /**< "pytorch": 1: gradients are set to zero after a step, not released:
                                   zero_grad(set_to_none=False) */
    /** "pytorch": its version, such as "2.14" or what torch.__version__ says, "2.15.0+cu132": on a GPU the workspaces of
     *  cuBLAS and the kernels of attention depend on it, on a CPU those of an LSTM. Before 2.6 it is an error; what is
     *  newer than the newest that is known is taken for that, and the result has a `warning`.
     *  @default the newest that is known, "2.15" */
    const char *framework_version;
    /** "pytorch": the processes that train together. NULL: one alone. @length 1 @nullable */
    const struct memmodel_parallel *parallel;
    const char
        *cublas_workspace;  /**< "pytorch": what cuBLAS works in on a GPU, as in CUBLAS_WORKSPACE_CONFIG: ":4096:8",
                                 eight buffers of 4096 KiB; an error without a GPU. @default PyTorch's, by GPU */
    int32_t safety_percent; /**< of the budget, that are to stay free, 0 to 99 */
    /** 1: only the peak of `metric` is asked for, with its interval and verdict. It takes a fraction of the time: the report
     *  has no categories, steps, layers, formulas or trace, and other bytes than those of `metric` may be -1 */
    int32_t peak_only;
};

#ifdef __cplusplus
}
#endif

#endif
