/* Plans: buffers with known sizes and lifetimes, placed in one arena that is as small as can be. */
#ifndef MEMMODEL_PLAN_H
#define MEMMODEL_PLAN_H

#include "memmodel/context.h"
#include "memmodel/search.h"
#include "memmodel/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Buffers and, once solved, their offsets. @since 0.1 */
typedef struct memmodel_plan memmodel_plan;

/** A buffer. Zero means the default for every field but `bytes` and `upper`. @since 0.1 */
struct memmodel_plan_buffer {
    size_t size;       /**< sizeof(struct memmodel_plan_buffer) */
    const char *name;  /**< for errors, files and pictures. @nullable */
    int64_t bytes;     /**< above 0. @unit bytes */
    int64_t lower;     /**< first time at which it is in use, not below -2^62; the unit is the caller's, such as the
                        operator's number */
    int64_t upper;     /**< first time at which it is no more, above `lower` and below 2^62 */
    int64_t alignment; /**< a power of two that the offset is a multiple of. @unit bytes @default 1 */
    int64_t offset; /**< where it has to lie, if `fixed`, 0 or more; of memmodel_plan_get_buffer() where it lies, -1 if
                            the plan is not solved. @unit bytes */
    int32_t fixed;  /**< 1: at `offset` and nowhere else */
    int32_t reserved; /**< 0 */
};

/** The result of a plan. @since 0.1 */
struct memmodel_plan_result {
    size_t size;         /**< sizeof(struct memmodel_plan_result) */
    int64_t peak;        /**< bytes that the arena needs. @unit bytes */
    int64_t lower_bound; /**< no plan needs less: the maximum of the bytes in use at one time, or more where a search
                              proved so. @unit bytes */
    int64_t total_bytes; /**< all buffers side by side, without reuse. @unit bytes */
    int64_t node_count;  /**< placements that the search tried */
    double seconds;      /**< that it took. @unit seconds */
    int32_t status;      /**< enum memmodel_search_status */
    int32_t reserved;    /**< 0 */
};

/** How a plan is searched for. Zero means the default for every field. @since 0.1 */
struct memmodel_plan_options {
    size_t size;        /**< sizeof(struct memmodel_plan_options) */
    int64_t budget;     /**< stop at a plan that needs no more than this. @unit bytes @default as little as can be */
    int64_t max_nodes;  /**< most placements to try; the answer is the same on every machine.
                                          @default 1000000 */
    double max_seconds; /**< most time to take; the answer depends on the machine. @unit seconds
                                          @default no limit */
};

/**
 * Make a plan without buffers.
 *
 * @param[in]  context  the plan keeps a reference
 * @param[out] plan     new plan with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_new(memmodel_context *context, memmodel_plan **plan);

/**
 * Read buffers from CSV with the columns id, lower, upper and size, and, if wanted, alignment, offset (fixed there),
 * gaps (such as "7-9 12-16") and shares (the id of another buffer whose memory this one uses, and "+BYTES" into it):
 * doc/guide/formats.md, "Buffers".
 *
 * @param[in]  context  the plan keeps a reference
 * @param[in]  path     file to read
 * @param[out] plan     new plan with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_PARSE (line and column say where), MEMMODEL_ERROR_OVERFLOW,
 *          MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_load(memmodel_context *context, const char *path, memmodel_plan **plan);

/**
 * As memmodel_plan_load(), from memory.
 *
 * @param[in]  context  the plan keeps a reference
 * @param[in]  name     what to call the text in errors
 * @param[in]  text     `length` characters. @length length
 * @param[in]  length   of `text`
 * @param[out] plan     new plan with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_from_csv(memmodel_context *context, const char *name, const char *text, size_t length,
                       memmodel_plan **plan);

/**
 * The blocks of a trace as buffers, named after what they are; times are the trace's events. What is never released
 * lives to the end.
 *
 * @param[in]  context  the plan keeps a reference
 * @param[in]  trace    trace, predicted or recorded
 * @param[out] plan     new plan with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_from_trace(memmodel_context *context, const memmodel_trace *trace, memmodel_plan **plan);

/**
 * Add a buffer; its number is the count of buffers before.
 *
 * @param[in] plan    plan
 * @param[in] buffer  copied
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (bytes or lifetime not above 0, times out of range, an alignment that
 *          is no power of two, a fixed offset that is negative or not aligned), MEMMODEL_ERROR_OVERFLOW (the sum of
 *          all bytes), MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_add_buffer(memmodel_plan *plan, const struct memmodel_plan_buffer *buffer);

/**
 * Leave a buffer's memory to others for a part of its lifetime (a hole in its live range): its content need not be
 * kept.
 *
 * @param[in] plan    plan
 * @param[in] buffer  its number
 * @param[in] begin   first time of the gap, after the buffer's own
 * @param[in] end     first time after it, before the buffer's own end, and past every gap that was added before
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_add_gap(memmodel_plan *plan, size_t buffer, int64_t begin, int64_t end);

/**
 * Let a buffer use the memory of another: a view, an operator in place, a part of what is concatenated. Both are then
 * placed as one, which is in use from the first's begin to the last's end, but for times at which one has a gap and the
 * other does not need it. `base` lies at the greatest alignment of those in it.
 *
 * @param[in] plan          plan
 * @param[in] buffer        its number; it may share only one
 * @param[in] base          number of the other, which may itself share a third
 * @param[in] displacement  how far into `base` it begins, 0 or more. @unit bytes
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (no such buffer, one that already shares, a circle),
 *          MEMMODEL_ERROR_OVERFLOW
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_add_alias(memmodel_plan *plan, size_t buffer, size_t base, int64_t displacement);

/**
 * Place all buffers. The plan is checked by a sweep over time that shares nothing with the search before it is kept.
 *
 * Used up limits, cancellation and budgets that no plan is within are no errors: the status of
 * memmodel_plan_get_result() says so, and the best plan is kept.
 *
 * @param[in] plan     plan with at least one buffer
 * @param[in] options  NULL: all defaults. @nullable
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (no buffers, fixed offsets that collide, options out of range),
 *          MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_solve(memmodel_plan *plan, const struct memmodel_plan_options *options);

/**
 * Number of buffers.
 *
 * @param[in] plan  plan
 * @returns buffers
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_plan_buffer_count(const memmodel_plan *plan);

/**
 * A buffer and where it lies.
 *
 * @param[in]     plan   plan
 * @param[in]     index  from 0
 * @param[in,out] buffer its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_get_buffer(const memmodel_plan *plan, size_t index, struct memmodel_plan_buffer *buffer);

/**
 * The result of a plan.
 *
 * @param[in]     plan    plan
 * @param[in,out] result  its size is set by the caller; all but the status is 0 if the plan is not solved
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_get_result(const memmodel_plan *plan, struct memmodel_plan_result *result);

/**
 * Write a solved plan as CSV, atomically: what was read, with the column offset; or the buffers' columns.
 *
 * @param[in] plan  solved
 * @param[in] path  file to write
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (not solved, or two buffers of one name), MEMMODEL_ERROR_IO,
 *          MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_save(const memmodel_plan *plan, const char *path);

/**
 * A picture of a solved plan: time across, offsets up, a rectangle for each buffer.
 *
 * @param[in]  plan     solved
 * @param[in]  context  limits, memory and errors of this call; NULL: the plan's own. @nullable
 * @param[out] svg      give it back with memmodel_free(); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (not solved), MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_to_svg(const memmodel_plan *plan, memmodel_context *context, char **svg);

/**
 * A solved plan as a table in C for include/memmodel_arena.h, with which a runtime places its tensors: the constants
 * `name`, `name`_buffers, `name`_live_ranges and `name`_count, and an enumerator NAME_BUFFER for each buffer whose
 * name, in capitals and with "_" for what C does not know, is nobody else's.
 *
 * @param[in]  plan     solved
 * @param[in]  name     what to call the table: letters, digits and "_"
 * @param[in]  context  limits, memory and errors of this call; NULL: the plan's own. @nullable
 * @param[out] code     give it back with memmodel_free(); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (not solved, no name in C), MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_to_c(const memmodel_plan *plan, const char *name, memmodel_context *context, char **code);

/** Take one more reference. @param[in] plan  not NULL @returns `plan` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_plan *
memmodel_plan_ref(memmodel_plan *plan);

/** Drop one reference. @param[in] plan  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_plan_unref(memmodel_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
