/* The answer: how much memory a job needs, which layer takes it, and what fits. */
#ifndef MEMMODEL_REPORT_H
#define MEMMODEL_REPORT_H

#include "memmodel/context.h"
#include "memmodel/job.h"
#include "memmodel/network.h"
#include "memmodel/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A report, immutable. @since 0.1 */
typedef struct memmodel_report memmodel_report;

/**
 * The result of an estimate: three peaks over all steps, and whether the job fits.
 *
 * @since 0.1
 */
struct memmodel_report_result {
    size_t size; /**< sizeof(struct memmodel_report_result) */
    /** peak of live tensors; on a GPU of their blocks, as torch.cuda.memory_allocated() counts. @unit bytes */
    int64_t live;
    /** peak of what the framework's allocator reserves. @unit bytes */
    int64_t reserved;
    /**
     * peak of the process: its base, and what the framework's allocator holds, for "pytorch" on a CPU in the heap of
     * glibc's malloc. What PyTorch's libraries keep for themselves is left out. On a GPU, bytes of the device:
     * reserved, with the CUDA context and kernels of its profile. -1 if not modelled, or if `metric` is another and
     * the peak alone is asked for, or recurrent layers have more time steps than malloc runs through within a second.
     * @unit bytes
     */
    int64_t process;
    int64_t budget; /**< of the job; 0: none. @unit bytes */
    int64_t
        headroom; /**< the budget, less what is to stay free, less the peak of `metric`; below 0 so much is missing. 0
                           without a verdict. @unit bytes */
    /** layer, its operator, phase and step of the peak, such as "decoder.3.conv1 (conv), backward pass of step 2"; ""
     *  for the textbook. Owned by the report */
    const char *peak_location;
    /** of the formulas, such as "dim is a multiple of 16"; "" for none. Owned by the report */
    const char *assumptions;
    /** what answered: "rules" for a network, "trace" for one that was read; of a recording, the
     *  text of memmodel_recording_set_engine(). Owned by the report */
    const char *engine;
    int32_t metric;     /**< enum memmodel_metric, never the default: what the budget limits and savings count */
    int32_t verdict;    /**< enum memmodel_verdict */
    int32_t step_count; /**< steps that were simulated; 1 for the textbook; 0 if the peak alone is asked for */
    /** 1: the bytes of such jobs were compared with measurements (doc/guide/accuracy.md): on the device "cuda" those of
     *  the GPU "h200"; 0 for other GPUs, whose profiles hold sizes that others reported, and for versions of the
     *  framework that are newer than those whose rules are known */
    int32_t validated;
    /** what makes the bytes doubtful besides, such as "pytorch 2.20 is newer than 2.15, the newest that is known"; ""
     *  for nothing. Owned by the report */
    const char *warning;
    /**
     * the verdict as a sentence: "takes 71.4 GiB of 79.6 GiB, fits with 8.2 GiB left". Of a job that does not fit, reports
     * of memmodel_estimate_what_if() say, too, what would: "takes 92 GiB of 79.6 GiB, does not fit, 12.4 GiB over; largest
     * batch that fits: 5; cheapest change that makes it fit: checkpoint layers.*". "" without a verdict. Owned by the
     * report
     */
    const char *summary;
    /** of memmodel_estimate_what_if(), for a job that does not fit: the change that makes it fit at the least cost, as
     *  memmodel_report_get_change() names it: gradients that are released, then batches in parts, recomputation, bfloat16,
     *  another optimizer; "" where none does, and of other jobs and reports. Owned by the report */
    const char *cheapest_change;
    int64_t max_batch; /**< of the same: largest batch that fits; 0: none does; -1: not known, or not asked */
    /**
     * an interval around the peak of `metric`, in which a real training lies with a probability of 90 %, by the errors of
     * recorded ones of its kind (framework, device, metric, memmodel_network_kind(); of a network without a kind the widest
     * of all): split conformal, so whatever their distribution, as far as the training is like those that were recorded.
     * Below and above it are 5 % each. A budget in it makes the verdict uncertain. 0 where none were recorded: inference,
     * ranks of several, traces and other frameworks. @unit bytes
     */
    int64_t peak_low;
    int64_t peak_high;      /**< its other end. @unit bytes */
    int32_t interval_runs;  /**< recorded trainings that it is of; 0: there is no interval */
    int32_t safety_percent; /**< of the job */
};

/** An operator that the framework's rules do not know, estimated by its outputs alone. @since 0.1 */
struct memmodel_report_unmodelled {
    size_t size;    /**< sizeof(struct memmodel_report_unmodelled) */
    const char *op; /**< its name, owned by the report */
    int64_t bytes;  /**< of its outputs. @unit bytes */
};

/** A row of the per-layer table. @since 0.1 */
struct memmodel_report_layer {
    size_t size;                /**< sizeof(struct memmodel_report_layer) */
    const char *name;           /**< full name, owned by the report */
    const char *op;             /**< operator, such as "conv" */
    const char *shape;          /**< shape of the (first) output with the job's numbers, such as "2x16x32x32x32" */
    const char *symbolic_shape; /**< the same in symbols, such as "batch x 16 x dim x dim x dim" */
    int64_t activation_count;   /**< elements of all outputs; 0 for inputs and parameters */
    int64_t output_bytes;       /**< of all outputs. @unit bytes */
    int64_t parameter_count;    /**< elements, moving statistics included; shared ones count where they are owned */
    int64_t trainable_count;    /**< of them, elements that are trained */
    int64_t parameter_bytes;    /**< of `parameter_count`. @unit bytes */
    int64_t multiply_adds;      /**< multiplications with addition in the forward pass */
    int64_t peak_bytes;         /**< of this layer, live at the peak. @unit bytes */
    int64_t peak_by_category[MEMMODEL_MAX_CATEGORIES]; /**< the same by enum memmodel_category. @unit bytes */
};

/** A line of a recorded program. @since 0.1 */
struct memmodel_report_line {
    size_t size;          /**< sizeof(struct memmodel_report_line) */
    const char *line;     /**< such as "train.py:12", owned by the report */
    int64_t peak_bytes;   /**< that it allocated and that are live at the peak. @unit bytes */
    int64_t growth_bytes; /**< that it holds more after each step than before, at least; 0 if not after each from the
                               second on. @unit bytes */
};

/** Ranks of a mesh that need the same memory: one estimate answers for all of them. @since 0.1 */
struct memmodel_rank_class {
    size_t size;        /**< sizeof(struct memmodel_rank_class) */
    int64_t first_rank; /**< the lowest of them */
    int64_t rank_count; /**< how many they are */
    int64_t next_rank;  /**< the lowest rank of the next class; -1: there is none */
};

/**
 * The class that the rank of a job is of, struct memmodel_parallel. From rank 0 on, `next_rank` leads to each class once.
 *
 * Ranks of "ddp" all need the same memory; those of "fsdp" whose shards have the same shapes do; of "zero1" and
 * "deepspeed" with stage 1 or 2, where each rank has other parameters, each is a class of its own.
 *
 * @param[in]  network     built network, only read
 * @param[in]  job         as for memmodel_estimate(); NULL for defaults. @nullable
 * @param[in]  context     limits, memory and errors of this call; NULL: the network's own. @nullable
 * @param[out] rank_class  filled; untouched on error
 * @returns 0, what memmodel_estimate() returns before it simulates, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NO_MEMORY
 * @threads any: network and job are only read
 * @complexity O(parameters)
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_estimate_rank_class(const memmodel_network *network, const struct memmodel_job *job, memmodel_context *context,
                             struct memmodel_rank_class *rank_class);

/**
 * Estimate the memory of a job. Who asks again and again, and needs no more than whether it fits, sets the job's
 * `peak_only`.
 *
 * Of a recurrent layer of "pytorch" the live and reserved bytes take as much time and memory of the call at any length
 * of its sequence. Those of the process on a CPU take more with each time step, for malloc runs through it: ask for
 * them by the metric. So does a graph of "tensorflow", of which time steps are operations. Where either is sure to go
 * beyond a limit of the context it is refused before it begins.
 *
 * @param[in]  network  built network, only read
 * @param[in]  job      NULL for defaults; every symbol of the network needs a value. @nullable
 * @param[in]  context  limits, memory and errors of this call; NULL: the network's own. @nullable
 * @param[out] report   new report with one reference, untouched on error. @transfer full
 * @returns 0, the network's own status (memmodel_network_status()), MEMMODEL_ERROR_UNBOUND,
 *          MEMMODEL_ERROR_NOT_FOUND, MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_UNSUPPORTED
 *          (unknown framework, optimizer, ...), MEMMODEL_ERROR_CALLBACK (the rule of a custom operator),
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads any, each with a context of its own
 * @blocking
 * @since 0.1
 */
MEMMODEL_API int
memmodel_estimate(const memmodel_network *network, const struct memmodel_job *job, memmodel_context *context,
                  memmodel_report **report);

/**
 * The report of a trace that is there already: of a recording, of a file, or of another report. Its steps are the
 * trace's. Of the job count framework, device, gpu and allocator_settings, for the allocator that the trace runs
 * through, budget and metric, and steps: how many are whole, beyond which lines are not compared for their growth. Its
 * optimizer is shown as it is given, in words of its own, too; without one none is named.
 *
 * Layers are those that the trace names, in the order of their first allocations; of their columns there are
 * `parameter_bytes`, `output_bytes` (activations that the forward pass of the first step allocates) and what is live at
 * the peak. There are no formulas.
 *
 * @param[in]  trace    kept by the report
 * @param[in]  job      NULL for defaults. @nullable
 * @param[in]  context  limits, memory and errors of this call; NULL: the trace's own. @nullable
 * @param[out] report   new report with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_UNSUPPORTED (unknown framework, device, ..., and "textbook" and
 *          "tensorflow", which are not known by a trace alone), MEMMODEL_ERROR_PARSE (settings of the allocator),
 *          MEMMODEL_ERROR_NOT_FOUND, MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, each with a context of its own
 * @blocking
 * @complexity O(events * log(blocks))
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_trace_estimate(const memmodel_trace *trace, const struct memmodel_job *job, memmodel_context *context,
                        memmodel_report **report);

/** A change of a job that may save memory, and what the changed job needs. @since 0.1 */
struct memmodel_report_change {
    size_t size;      /**< sizeof(struct memmodel_report_change) */
    const char *name; /**< what is changed, such as "optimizer sgd" or "batch 32"; owned by the report */
    int64_t live;     /**< peak of the changed job, as in struct memmodel_report_result. @unit bytes */
    int64_t reserved; /**< the same. @unit bytes */
    int64_t process;  /**< the same; -1 if not modelled. @unit bytes */
    int64_t saving;   /**< how much less than without the change, of the report's metric; below 0: more.
                           @unit bytes */
};

/**
 * Estimate a job, and the same job with each of the changes that a user might make to save memory: half the batch, also
 * with the gradients of two batches added up; repeated blocks of layers recomputed in the backward pass; bfloat16;
 * gradients released after a step; optimizers with less state; inference. Each is estimated in full. Changes that the
 * network or the framework does not allow, or that change nothing in this job, are left out; all of them where the
 * bytes that the job's metric means are not modelled.
 *
 * The batch is the symbol "batch" or, without one of that name, the first dimension of the first input if that is a
 * symbol.
 *
 * @param[in]  network  built network, only read
 * @param[in]  job      NULL for defaults; every symbol of the network needs a value. @nullable
 * @param[in]  context  limits, memory and errors of this call; NULL: the network's own. @nullable
 * @param[out] report   as of memmodel_estimate(), with its changes; untouched on error. @transfer full
 * @returns 0, what memmodel_estimate() returns
 * @threads any, each with a context of its own
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_estimate_what_if(const memmodel_network *network, const struct memmodel_job *job, memmodel_context *context,
                          memmodel_report **report);

/**
 * The same report with a row for each module in place of those of the layers, what holds most at the peak first.
 *
 * A module has the first `depth` parts of the names of its layers, where a number belongs to the part before it: of
 * "transformer.h.0.attn.c_attn" "transformer.h.0" is 2 parts deep. `op` is that of a layer alone, and "12 layers" of
 * several. Two rows more, "(no layer)" and "(allocator)", have what no layer owns and what the allocator of a GPU rounds
 * up, where there is any: `peak_bytes` of all rows add up to that of the total, the peak of live tensors.
 *
 * @param[in]  report   kept by the new one
 * @param[in]  depth    parts of names; 0: each layer is a row
 * @param[in]  context  limits, memory and errors of this call
 * @param[out] modules  new report with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own
 * @complexity O(layers * log(layers))
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_report_by_module(const memmodel_report *report, int32_t depth, memmodel_context *context,
                          memmodel_report **modules);

/**
 * Number of changes that were estimated: 0 for reports of memmodel_estimate().
 *
 * @param[in] report  report
 * @returns changes
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_report_change_count(const memmodel_report *report);

/**
 * A change and its result.
 *
 * @param[in]     report  report
 * @param[in]     index   from 0; what saves most comes first
 * @param[in,out] change  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_report_get_change(const memmodel_report *report, size_t index, struct memmodel_report_change *change);

/**
 * Largest value of a symbol for which a job stays within its budget.
 *
 * Found by doubling and bisection on the estimated peak. A value for which the shapes do not fit together (such as a
 * size that is no multiple of 16) is skipped: the answer is the largest value that both fits and can be built.
 * Where pools grow in jumps, in reserved and process bytes of tensorflow and onnxruntime, a peak may be lower again at
 * a larger value: there the answer fits and the next value does not, but one beyond may.
 *
 * @param[in]  network  network with at least one symbol
 * @param[in]  job      how it is run, with its budget and the metric that this limits; its value for `symbol`, if any,
 *                      is ignored
 * @param[in]  symbol   name of the dimension to solve for, such as "batch"
 * @param[in]  context  limits, memory and errors of this call; NULL: the network's own. @nullable
 * @param[out] max      greatest value that fits, 0 if not even the least does. Untouched on error
 * @returns 0, MEMMODEL_ERROR_NOT_FOUND, MEMMODEL_ERROR_INVALID_ARGUMENT (also a job without a budget), or what
 *          memmodel_estimate() returns
 * @threads any, each with a context of its own
 * @blocking
 * @complexity O(log(max)) estimates
 * @since 0.1
 */
MEMMODEL_API int
memmodel_estimate_max(const memmodel_network *network, const struct memmodel_job *job, const char *symbol,
                      memmodel_context *context, int64_t *max);

/** What is asked of each GPU. Zero means the default for every field. @since 0.1 */
struct memmodel_gpu_options {
    size_t size;        /**< sizeof(struct memmodel_gpu_options) */
    const char *symbol; /**< whose largest value is looked for, such as "batch". @default none */
    /** a file with lines "h100,2.49": a GPU by any of its names, and what an hour of it costs. Lines that begin with '#', and a
     *  first one "gpu,price_per_hour", are left out. @default no prices */
    const char *prices;
    int32_t max_gpus; /**< over how many its parameters may be sharded, 1 to 1024. @default 8 */
    int32_t reserved; /**< 0 */
};

/** A job on one kind of GPU. @since 0.1 */
struct memmodel_gpu_estimate {
    size_t size;       /**< sizeof(struct memmodel_gpu_estimate) */
    const char *gpu;   /**< its name, static */
    int64_t memory;    /**< that it has. @unit bytes */
    int64_t peak;      /**< of the device: reserved by the allocator, with context and kernels. @unit bytes */
    int64_t peak_low;  /**< as in struct memmodel_report_result. @unit bytes */
    int64_t peak_high; /**< the same. @unit bytes */
    int64_t max;       /**< largest value of the symbol that fits, by `peak_high`; 0: none; -1: not asked */
    double price;      /**< of an hour of one, in the unit of the file; 0: the file has none */
    int32_t gpu_count; /**< on how many it fits: 1, or 2, 4, 8... with FSDP2 of its blocks and this batch on each; 0: on
                            none, or not known */
    int32_t verdict;   /**< enum memmodel_verdict, on one */
    int32_t validated; /**< as in struct memmodel_report_result */
    int32_t reserved;  /**< 0 */
};

/**
 * A job on one of the kinds of GPUs that are known, of which there are memmodel_device_kind_count().
 *
 * @param[in]  network   built network, only read
 * @param[in]  job       how it is run, NULL for defaults; its device, gpu, budget and metric are those of the GPU. @nullable
 * @param[in]  options   what is asked, NULL for defaults. @nullable
 * @param[in]  index     which GPU, from 0
 * @param[in]  context   limits, memory and errors of this call
 * @param[out] estimate  filled; its `size` is set by the caller
 * @returns 0, what memmodel_estimate() and memmodel_estimate_max() return, MEMMODEL_ERROR_PARSE for a line of the prices,
 *          MEMMODEL_ERROR_IO, MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads any, each with a context of its own
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_estimate_gpu(const memmodel_network *network, const struct memmodel_job *job,
                      const struct memmodel_gpu_options *options, size_t index, memmodel_context *context,
                      struct memmodel_gpu_estimate *estimate);

/** What a job needs with one value of a symbol: fields of struct memmodel_report_result. @since 0.1 */
struct memmodel_estimate_row {
    int64_t peak;          /**< of the job's metric; -1: the network cannot be built with this value. @unit bytes */
    int64_t peak_low;      /**< of its interval. @unit bytes */
    int64_t peak_high;     /**< its other end. @unit bytes */
    int32_t interval_runs; /**< recorded trainings that it is of; 0: there is no interval */
    int32_t verdict;       /**< enum memmodel_verdict, as memmodel_estimate() gives it; none where there is no peak */
};

/**
 * What a job needs for each of some values of a symbol, such as 1,000 batch sizes, and whether that fits:
 * memmodel_estimate() without its tables, so many times faster.
 *
 * @param[in]  network  network with at least one symbol
 * @param[in]  job      how it is run, NULL for defaults; its value for `symbol`, if any, is ignored. @nullable
 * @param[in]  symbol   name of the dimension that varies, such as "batch"
 * @param[in]  values   positive, in any order. @length count
 * @param[in]  count    number of values
 * @param[in]  context  limits, memory and errors of this call; NULL: the network's own. @nullable
 * @param[out] rows     one for each value, also for one with which the network cannot be built, such as a size that
 *                      is no multiple of 16. Untouched on error. @length count
 * @returns 0, MEMMODEL_ERROR_NOT_FOUND, MEMMODEL_ERROR_INVALID_ARGUMENT, or what memmodel_estimate() returns
 * @threads any, each with a context of its own
 * @blocking
 * @complexity O(count) simulations
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_estimate_many(const memmodel_network *network, const struct memmodel_job *job, const char *symbol,
                       const int64_t *values, size_t count, memmodel_context *context,
                       struct memmodel_estimate_row *rows);

/**
 * The result of an estimate.
 *
 * @param[in]     report  report
 * @param[in,out] result  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_report_get_result(const memmodel_report *report, struct memmodel_report_result *result);

/**
 * Number of operators that the framework's rules do not know.
 *
 * @param[in] report  report
 * @returns operators
 * @threads any
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_report_unmodelled_count(const memmodel_report *report);

/**
 * An operator that the framework's rules do not know.
 *
 * @param[in]     report      report
 * @param[in]     index       from 0
 * @param[in,out] unmodelled  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_report_get_unmodelled(const memmodel_report *report, size_t index,
                               struct memmodel_report_unmodelled *unmodelled);

/**
 * Live bytes at the peak of one step.
 *
 * @param[in] report  report
 * @param[in] index   of the step, from 0
 * @returns bytes, or MEMMODEL_ERROR_INVALID_ARGUMENT. @unit bytes
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int64_t
memmodel_report_step_peak(const memmodel_report *report, size_t index);

/**
 * Bytes of one category at the peak.
 *
 * @param[in] report    report
 * @param[in] category  enum memmodel_category
 * @returns bytes, or MEMMODEL_ERROR_INVALID_ARGUMENT. @unit bytes
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int64_t
memmodel_report_category_bytes(const memmodel_report *report, int category);

/**
 * Number of rows of the per-layer table. An activation fused with its layer has no row of its own.
 *
 * @param[in] report  report
 * @returns rows
 * @threads any
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_report_layer_count(const memmodel_report *report);

/**
 * A row of the per-layer table.
 *
 * @param[in]     report  report
 * @param[in]     index   from 0, in the order of the forward pass
 * @param[in,out] layer   its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_report_get_layer(const memmodel_report *report, size_t index, struct memmodel_report_layer *layer);

/**
 * Number of lines of the program that allocated memory; 0 of a network.
 *
 * @param[in] report  report
 * @returns lines
 * @threads any
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_report_line_count(const memmodel_report *report);

/**
 * A line of the program: those that hold most at the peak come first.
 *
 * @param[in]     report  report
 * @param[in]     index   from 0
 * @param[in,out] line    its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_report_get_line(const memmodel_report *report, size_t index, struct memmodel_report_line *line);

/**
 * Sums over all layers, in a row of their own: activations, parameters, multiply-adds and bytes. Its name is "total".
 *
 * @param[in]     report  report
 * @param[in,out] total   its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_report_get_total(const memmodel_report *report, struct memmodel_report_layer *total);

/**
 * Number of closed formulas: one per category that the textbook counts, and one for their sum.
 *
 * @param[in] report  report
 * @returns formulas
 * @threads any
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_report_formula_count(const memmodel_report *report);

/**
 * Name of a formula: a category's, "layer outputs", "total", ...
 *
 * @param[in] report   report
 * @param[in] formula  from 0
 * @returns the name, owned by the report; NULL if there is no such formula. @transfer none @nullable
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_report_formula_name(const memmodel_report *report, size_t formula);

/**
 * A closed formula in the network's symbols, such as "1291.125*batch*dim^3". It counts bytes by the job's textbook rule
 * ("slots" if the framework is another), and holds under the assumptions of struct memmodel_report_result.
 *
 * @param[in] report    report
 * @param[in] formula   from 0
 * @param[in] language  enum memmodel_language
 * @returns the text, owned by the report; NULL if there is no such formula or language. @transfer none @nullable
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_report_formula(const memmodel_report *report, size_t formula, int language);

/**
 * All events of the simulated steps.
 *
 * @param[in] report  report
 * @returns the trace, owned by the report; NULL for the textbook. @transfer none @nullable
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const memmodel_trace *
memmodel_report_trace(const memmodel_report *report);

/**
 * The report as JSON text (doc/guide/formats.md).
 *
 * @param[in]  report   report
 * @param[in]  context  takes the memory of `text` and the error
 * @param[out] text     give it back with memmodel_free(); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own
 * @since 0.1
 */
MEMMODEL_API int
memmodel_report_to_json(const memmodel_report *report, memmodel_context *context, char **text);

/**
 * The report as one HTML page: peaks, categories, changes, the per-layer table, formulas, a timeline of the live
 * bytes to look around in, and where the blocks of the last step lie in the smallest arena, if they are 4000 at most.
 * It holds all it needs and asks for nothing from a network. Of long traces it shows the highest points: the peak of
 * every step is always among them.
 *
 * @param[in]  report   report
 * @param[in]  context  takes the memory of `text` and the error
 * @param[out] text     give it back with memmodel_free(); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_report_to_html(const memmodel_report *report, memmodel_context *context, char **text);

/** Take one more reference. @param[in] report  not NULL @returns `report` @transfer full @threads any @since 0.1 */
MEMMODEL_API memmodel_report *
memmodel_report_ref(memmodel_report *report);

/** Drop one reference. @param[in] report  may be NULL @nullable @threads any @since 0.1 */
MEMMODEL_API void
memmodel_report_unref(memmodel_report *report);

#ifdef __cplusplus
}
#endif

#endif
