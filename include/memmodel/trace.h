/* Memory events of a step, predicted or recorded: what was allocated and released, when, by whom and what for. */
#ifndef MEMMODEL_TRACE_H
#define MEMMODEL_TRACE_H

#include "memmodel/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A trace, immutable.
 *
 * Of a recurrent layer that PyTorch runs step by step, a long sequence is represented by 64 of its time steps: one in
 * the middle stands for those that are left out, which allocate and release what it does. Its events say how many those
 * are, and the live bytes of the events behind it count them all; peaks, replays and plans are those of the whole
 * sequence.
 *
 * @since 0.1
 */
typedef struct memmodel_trace memmodel_trace;

/** Elements of an array by enum memmodel_category: never fewer than there are categories. @since 0.1 */
#define MEMMODEL_MAX_CATEGORIES 16

/** What memory is for. @since 0.1 */
enum memmodel_category {
    MEMMODEL_CATEGORY_PARAMETERS = 0,            /**< moving statistics included */
    MEMMODEL_CATEGORY_GRADIENTS = 1,             /**< of parameters */
    MEMMODEL_CATEGORY_OPTIMIZER_STATE = 2,       /**< moments and the like */
    MEMMODEL_CATEGORY_INPUTS = 3,                /**< inputs and targets */
    MEMMODEL_CATEGORY_SAVED_ACTIVATIONS = 4,     /**< kept from the forward to the backward pass */
    MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS = 5, /**< outputs that nothing is kept for */
    MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS = 6,  /**< of everything but parameters */
    MEMMODEL_CATEGORY_WORKSPACE = 7,             /**< scratch memory within an operator */
    MEMMODEL_CATEGORY_ALLOCATOR_OVERHEAD = 8,    /**< reserved but not live */
    MEMMODEL_CATEGORY_RUNTIME = 9,               /**< libraries and their state */
};

/**
 * Name of a category, such as "saved activations".
 *
 * @param[in] category  enum memmodel_category
 * @returns a static string; NULL if there is no such category. @transfer none @nullable
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_category_name(int category);

/** Part of a step. @since 0.1 */
enum memmodel_phase {
    MEMMODEL_PHASE_SETUP = 0,     /**< before the first step */
    MEMMODEL_PHASE_FORWARD = 1,   /**< forward pass */
    MEMMODEL_PHASE_BACKWARD = 2,  /**< backward pass */
    MEMMODEL_PHASE_OPTIMIZER = 3, /**< update of the parameters */
};

/**
 * Name of a phase, such as "backward pass".
 *
 * @param[in] phase  enum memmodel_phase
 * @returns a static string; NULL if there is no such phase. @transfer none @nullable
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_phase_name(int phase);

/** One allocation or release. @since 0.1 */
struct memmodel_trace_event {
    size_t size;       /**< sizeof(struct memmodel_trace_event) */
    int64_t bytes;     /**< positive: allocated; negative: released. @unit bytes */
    int64_t live;      /**< live after it. @unit bytes */
    const char *role;  /**< what the memory is, such as "output" or "weight"; owned by the trace */
    const char *layer; /**< layer it belongs to, "" if none; owned by the trace */
    int32_t block;     /**< which allocation: the same number for its allocation and its release */
    int32_t step;      /**< from 1; 0 before the first */
    int32_t category;  /**< enum memmodel_category of the block */
    int32_t phase;     /**< enum memmodel_phase */
    /** how often it happens: 1, or, of a time step that stands for others like it, how many those are */
    int64_t times;
    /** line of the program that allocated the block, such as "train.py:12", of a recording; "" if it is not known. Owned
     *  by the trace */
    const char *line;
};

/**
 * Number of events.
 *
 * @param[in] trace  trace
 * @returns events
 * @threads any
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_trace_event_count(const memmodel_trace *trace);

/**
 * One event.
 *
 * @param[in]     trace  trace
 * @param[in]     index  from 0
 * @param[in,out] event  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_trace_get_event(const memmodel_trace *trace, size_t index, struct memmodel_trace_event *event);

/**
 * Read a trace that was recorded from a real run, as JSON (doc/guide/formats.md, "Trace").
 *
 * @param[in]  context  the trace keeps a reference
 * @param[in]  path     file to read
 * @param[out] trace    new trace with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_VERSION, MEMMODEL_ERROR_OVERFLOW,
 *          MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED, MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_trace_load(memmodel_context *context, const char *path, memmodel_trace **trace);

/**
 * What memmodel_trace_load() reads, from memory.
 *
 * @param[in]  context  the trace keeps a reference
 * @param[in]  name     what to call the bytes in errors
 * @param[in]  bytes    `length` bytes of a trace as JSON, or of a snapshot of PyTorch's allocator. @length length
 * @param[in]  length   of `bytes`. @unit bytes
 * @param[out] trace    new trace with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_VERSION, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED, MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_trace_from_bytes(memmodel_context *context, const char *name, const void *bytes, size_t length,
                          memmodel_trace **trace);

/**
 * The trace as JSON for https://ui.perfetto.dev and chrome://tracing (doc/guide/formats.md, "Perfetto"): counters of
 * live bytes, in all and by category, and slices of steps, phases and layers. A microsecond of its clock is one event.
 *
 * @param[in]  trace    trace
 * @param[in]  context  takes the memory of `text` and the error
 * @param[out] text     give it back with memmodel_free(); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, with a context of its own
 * @complexity O(events)
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_trace_to_perfetto(const memmodel_trace *trace, memmodel_context *context, char **text);

/** Take one more reference. @param[in] trace  not NULL @returns `trace` @transfer full @threads any @since 0.1 */
MEMMODEL_API memmodel_trace *
memmodel_trace_ref(memmodel_trace *trace);

/** Drop one reference. @param[in] trace  may be NULL @nullable @threads any @since 0.1 */
MEMMODEL_API void
memmodel_trace_unref(memmodel_trace *trace);

#ifdef __cplusplus
}
#endif

#endif
