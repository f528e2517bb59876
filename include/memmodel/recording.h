/*
 * Recordings: the memory events of a program, reported by whoever watches it run without its data, as PyTorch's
 * FakeTensorMode does. The watcher reports each storage when it is made and when it is gone, and each operator with the
 * shapes of its tensors; what an operator takes inside while it runs is added by the framework's rules.
 *
 * Only storages on the job's device are reported. A recording is built by one thread; memmodel_recording_finish() makes it a
 * trace, of which memmodel_trace_estimate() makes a report.
 */
#ifndef MEMMODEL_RECORDING_H
#define MEMMODEL_RECORDING_H

#include "memmodel/context.h"
#include "memmodel/job.h"
#include "memmodel/network.h"
#include "memmodel/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A recording in the making. @since 0.1 */
typedef struct memmodel_recording memmodel_recording;

/** A storage of one recording; negative is an enum memmodel_status or none. @since 0.1 */
typedef int32_t memmodel_recording_block;

/** In place of a storage: there is none. @since 0.1 */
#define MEMMODEL_RECORDING_NONE (-1000)

/**
 * Begin a recording.
 *
 * @param[in]  context    the recording keeps a reference
 * @param[in]  job        what ran: framework ("pytorch"), device, isa, gpu, intra_op_threads decide what operators take;
 *                        NULL for defaults. @nullable
 * @param[out] recording  new recording with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_UNSUPPORTED (another framework, an unknown device or ISA), MEMMODEL_ERROR_NOT_FOUND,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recording_new(memmodel_context *context, const struct memmodel_job *job, memmodel_recording **recording);

/**
 * Say what the events that follow belong to.
 *
 * @param[in] recording  recording
 * @param[in] step       from 1; 0 before the first. At most 32767
 * @param[in] phase      enum memmodel_phase
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (also a recording that is finished)
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recording_enter(memmodel_recording *recording, int32_t step, int phase);

/**
 * Who watches, as reports of the recording have it: struct memmodel_report_result, `engine`.
 *
 * @param[in] recording  recording
 * @param[in] engine     such as "tensors without memory"; "recording" unless it is said. Copied
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (also a recording that is finished), MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recording_set_engine(memmodel_recording *recording, const char *engine);

/** Whose memory it is. @since 0.1 */
struct memmodel_recording_owner {
    size_t size;       /**< sizeof(struct memmodel_recording_owner) */
    const char *role;  /**< what the memory is, such as "weight". @default an operator's name, else "". @nullable */
    const char *layer; /**< module that runs, such as "encoder.0.linear". @default "". @nullable */
    const char *line;  /**< line of the program, such as "train.py:12". @default "". @nullable */
    int64_t stream;    /**< of the device that it is allocated for. @default the device's own */
    int32_t category;  /**< enum memmodel_category */
    int32_t reserved;  /**< 0 */
};

/**
 * A storage that no operator made: a parameter that was there before, or data that were loaded.
 *
 * A storage that grows or shrinks is a new one: allocate, then release, as its allocator does.
 *
 * @param[in] recording  recording
 * @param[in] bytes      0 or above; one of 0 bytes leaves no event. @unit bytes
 * @param[in] owner      whose it is. Texts are copied
 * @returns the storage, or a negative enum memmodel_status: MEMMODEL_ERROR_INVALID_ARGUMENT (also a recording that is
 *          finished), MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API memmodel_recording_block
memmodel_recording_allocate(memmodel_recording *recording, int64_t bytes, const struct memmodel_recording_owner *owner);

/**
 * A storage is gone.
 *
 * @param[in] recording  recording
 * @param[in] block      that is there
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (no such storage, one that is gone, or a recording that is finished),
 *          MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recording_release(memmodel_recording *recording, memmodel_recording_block block);

/**
 * What a storage is for, where that is known only later: a gradient, optimizer state, a saved activation. It
 * counts so from its allocation on.
 *
 * @param[in] recording  recording
 * @param[in] block      there or gone
 * @param[in] category   enum memmodel_category
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (also a recording that is finished)
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recording_set_category(memmodel_recording *recording, memmodel_recording_block block, int category);

/**
 * Which module a storage belongs to, where that is known only later: a parameter, its gradient, its optimizer state.
 *
 * @param[in] recording  recording
 * @param[in] block      there or gone
 * @param[in] layer      such as "encoder.0.linear"; "" for none. Copied
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (also a recording that is finished), MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recording_set_layer(memmodel_recording *recording, memmodel_recording_block block, const char *layer);

/** A tensor of an operator. @since 0.1 */
struct memmodel_recording_tensor {
    int64_t dims[MEMMODEL_MAX_RANK];    /**< the first `rank` count */
    int64_t strides[MEMMODEL_MAX_RANK]; /**< distance in elements along each of them */
    int32_t rank;                       /**< 0 to MEMMODEL_MAX_RANK; -1: there is none, as where an argument is None */
    int32_t dtype;                      /**< enum memmodel_dtype */
};

/** An operator and the shapes that it runs on. @since 0.1 */
struct memmodel_recording_operator {
    size_t size;      /**< sizeof(struct memmodel_recording_operator) */
    const char *name; /**< by the framework: "aten.convolution.default"; printable ASCII */
    /** the arguments that it was given and that are no tensors, as in struct memmodel_custom: "stride=1,1 groups=1".
     *  @nullable */
    const char *attributes;
    /** tensors among its arguments in the order of its schema, lists of them laid out one after the other; of those
     *  that may be tensors None is none, and so is a number, which is in `attributes`. @length input_count @nullable */
    const struct memmodel_recording_tensor *inputs;
    /** what it returns, in order, whether it made a storage for it or not; what is no tensor is none.
     *  @length output_count @nullable */
    const struct memmodel_recording_tensor *outputs;
    size_t input_count;  /**< at most 4096 */
    size_t output_count; /**< at most 4096 */
};

/**
 * Make an operator known, once for each of its shapes: the same one gets the same number.
 *
 * @param[in] recording     recording
 * @param[in] signature     copied
 * @returns number of the operator, or a negative enum memmodel_status: MEMMODEL_ERROR_INVALID_ARGUMENT (also a recording
 *          that is finished), MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_STRUCT_SIZE,
 *          MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @complexity a new one is simulated alone, one that is known is looked up
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int32_t
memmodel_recording_add_operator(memmodel_recording *recording, const struct memmodel_recording_operator *signature);

/**
 * An operator runs: the storages of its outputs are made, and what it takes inside comes and goes around them.
 *
 * @param[in]  recording  recording
 * @param[in]  number     of the operator
 * @param[in]  owner      whose its outputs are; what it takes inside is workspace. Texts are copied
 * @param[in]  bytes      of the new storage of each output; MEMMODEL_RECORDING_NONE for one that lies in a storage that
 *                        was there before, as a view does. An output that the rules know to take more, such as the
 *                        workspace that a shape function leaves out, takes that. @length count @unit bytes
 * @param[in]  count      of outputs, as many as the operator has
 * @param[out] blocks     storage of each output, or MEMMODEL_RECORDING_NONE; untouched on error. @length count
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (also a recording that is finished), MEMMODEL_ERROR_STRUCT_SIZE,
 *          MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recording_run(memmodel_recording *recording, int32_t number, const struct memmodel_recording_owner *owner,
                       const int64_t *bytes, size_t count, memmodel_recording_block *blocks);

/**
 * End the recording: its events as a trace. What is there then stays to the end of the trace.
 *
 * @param[in]  recording  that is not finished; afterwards it is
 * @param[out] trace      new trace with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_recording_finish(memmodel_recording *recording, memmodel_trace **trace);

/** Take one more reference. @param[in] recording  not NULL @returns `recording` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_recording *
memmodel_recording_ref(memmodel_recording *recording);

/** Drop one reference. @param[in] recording  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_recording_unref(memmodel_recording *recording);

#ifdef __cplusplus
}
#endif

#endif
