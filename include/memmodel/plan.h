/* Plans: buffers with known sizes and lifetimes, placed in one arena that is as small as can be. */
#ifndef MEMMODEL_PLAN_H
#define MEMMODEL_PLAN_H

#include "memmodel/context.h"
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
    int64_t lower;     /**< first moment at which it is in use, not below -2^62; the unit is the caller's, such as the
                        operator's number */
    int64_t upper;     /**< first moment at which it is no more, above `lower` and below 2^62 */
    int64_t alignment; /**< a power of two that the offset is a multiple of. @unit bytes @default 1 */
    int64_t offset;    /**< where it has to lie, if `fixed`; 0 or more. @unit bytes */
    int32_t fixed;     /**< 1: at `offset` and nowhere else */
    int32_t reserved;  /**< 0 */
};

/** A buffer of a plan. @since 0.1 */
struct memmodel_plan_place {
    size_t size;       /**< sizeof(struct memmodel_plan_place) */
    const char *name;  /**< "" for none; owned by the plan */
    int64_t offset;    /**< where it lies; -1: the plan is not solved. @unit bytes */
    int64_t bytes;     /**< as it was added. @unit bytes */
    int64_t lower;     /**< the same */
    int64_t upper;     /**< the same */
    int64_t alignment; /**< the same. @unit bytes */
};

/** What is known of a plan. @since 0.1 */
enum memmodel_plan_status {
    MEMMODEL_PLAN_UNSOLVED = 0,   /**< memmodel_plan_solve() was not called since a buffer was added */
    MEMMODEL_PLAN_OPTIMAL = 1,    /**< no smaller arena holds the buffers: proven */
    MEMMODEL_PLAN_FEASIBLE = 2,   /**< within the capacity that was given */
    MEMMODEL_PLAN_LIMIT = 3,      /**< the best found when the budget was used up */
    MEMMODEL_PLAN_CANCELLED = 4,  /**< the best found when `progress` said stop */
    MEMMODEL_PLAN_INFEASIBLE = 5, /**< none is within the capacity that was given: proven; the best found is larger */
};

/**
 * Name of a status, such as "optimal".
 *
 * @param[in] status  enum memmodel_plan_status
 * @returns a static string; NULL if there is no such status. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_plan_status_name(int status);

/** What a plan came to. @since 0.1 */
struct memmodel_plan_result {
    size_t size;         /**< sizeof(struct memmodel_plan_result) */
    int64_t peak;        /**< bytes that the arena needs. @unit bytes */
    int64_t lower_bound; /**< no plan needs less: the greatest sum of bytes in use at a moment, or more where a search
                              proved so. @unit bytes */
    int64_t total;       /**< all buffers side by side, without reuse. @unit bytes */
    int64_t nodes;       /**< placements that the search tried */
    double seconds;      /**< that it took. @unit seconds */
    int32_t status;      /**< enum memmodel_plan_status */
    int32_t reserved;    /**< 0 */
};

/**
 * Told of a search while it runs.
 *
 * @param[in] user  what the options were given. @nullable
 * @param[in] best  the best plan so far, valid during the call; a `peak` of 0: there is none yet
 * @returns 0: go on; anything else: stop, with the best plan so far
 * @threads the caller's of memmodel_plan_solve()
 * @since 0.1
 */
typedef int (*memmodel_plan_observer)(void *user, const struct memmodel_plan_result *best);

/** How a plan is searched for. Zero means the default for every field. @since 0.1 */
struct memmodel_plan_options {
    size_t size;      /**< sizeof(struct memmodel_plan_options) */
    int64_t capacity; /**< stop at a plan that needs no more than this. @unit bytes @default the least */
    int64_t nodes;    /**< most placements to try; the answer is the same on every machine.
                                          @default 1000000 */
    double seconds;   /**< most time to take; the answer depends on the machine. @unit seconds
                                          @default no limit */
    memmodel_plan_observer
        progress;     /**< called some hundred times a second by the calling thread. NULL: none. @nullable */
    void *user;       /**< handed to each call of `progress`. @nullable */
    uint64_t without; /**< rules of the search to leave out, to see what they are worth: a sum of enum
                                          memmodel_plan_rule. The answer stays right */
};

/** Rules of the search, see doc/planning.md. @since 0.1 */
enum memmodel_plan_rule {
    MEMMODEL_PLAN_GREEDY = 1,       /**< orders and fits to start from */
    MEMMODEL_PLAN_CANONICAL = 2,    /**< offsets never fall */
    MEMMODEL_PLAN_DOMINANCE = 4,    /**< no hole that an unplaced buffer would fit in */
    MEMMODEL_PLAN_SECTIONS = 8,     /**< what is unplaced in a section has to fit above its floor */
    MEMMODEL_PLAN_FLOOR = 16,       /**< and above the current offset */
    MEMMODEL_PLAN_HATLESS = 32,     /**< no alternatives to a buffer under which nothing lies */
    MEMMODEL_PLAN_SPLIT = 64,       /**< parts that share no time are solved apart */
    MEMMODEL_PLAN_RANK_AGAIN = 128, /**< and each in an order of its own */
    MEMMODEL_PLAN_RESTART = 256,    /**< several orders in turn, each with little at first */
};

/**
 * Make a plan without buffers.
 *
 * @param[in]  context  the plan keeps a reference
 * @param[out] plan     new plan with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_new(memmodel_context *context, memmodel_plan **plan);

/**
 * Read buffers from CSV with the columns id, lower, upper and size, and, if wanted, alignment, offset (fixed there), gaps
 * (such as "7-9 12-16") and shares (the id of another buffer whose memory this one uses, and "+BYTES" into it):
 * doc/formats.md, "Buffers".
 *
 * @param[in]  context  the plan keeps a reference
 * @param[in]  path     file to read
 * @param[out] plan     new plan with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_PARSE (line and column say where), MEMMODEL_ERROR_OVERFLOW,
 *          MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_read(memmodel_context *context, const char *path, memmodel_plan **plan);

/**
 * As memmodel_plan_read(), from memory.
 *
 * @param[in]  context  the plan keeps a reference
 * @param[in]  name     what to call the text in errors
 * @param[in]  text     `length` characters. @length length
 * @param[in]  length   of `text`
 * @param[out] plan     new plan with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOMEM,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_parse(memmodel_context *context, const char *name, const char *text, size_t length, memmodel_plan **plan);

/**
 * The blocks of a trace as buffers, named after what they are; moments are the trace's events. What is never released
 * lives to the end.
 *
 * @param[in]  trace  trace, predicted or recorded
 * @param[out] plan   new plan with one reference, of the trace's context; untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's of the trace
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_from_trace(const memmodel_trace *trace, memmodel_plan **plan);

/**
 * Add a buffer; its number is the count of buffers before.
 *
 * @param[in] plan    plan
 * @param[in] buffer  copied
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (bytes or lifetime not above 0, moments out of range, an alignment that
 *          is no power of two, a fixed offset that is negative or not aligned), MEMMODEL_ERROR_OVERFLOW (the sum of
 *          all bytes), MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_add(memmodel_plan *plan, const struct memmodel_plan_buffer *buffer);

/**
 * Leave a buffer's memory to others for a part of its life: it need not keep what was in it.
 *
 * @param[in] plan    plan
 * @param[in] buffer  its number
 * @param[in] begin   first moment of the gap, after the buffer's own
 * @param[in] end     first moment after it, before the buffer's own end, and past every gap that was added before
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_gap(memmodel_plan *plan, size_t buffer, int64_t begin, int64_t end);

/**
 * Let a buffer use the memory of another: a view, an operator in place, a part of what is concatenated. Both are then
 * placed as one, which is in use from the first's begin to the last's end, but for moments at which one has a gap and the other
 * does not need it. `base` lies at the greatest alignment of those in it.
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
memmodel_plan_share(memmodel_plan *plan, size_t buffer, size_t base, int64_t displacement);

/**
 * Place all buffers. The plan is checked by a sweep over time that shares nothing with the search before it is kept.
 *
 * Used up budgets, cancellation and infeasible capacities are no errors: memmodel_plan_result() tells, and the best plan is
 * kept.
 *
 * @param[in] plan     plan with at least one buffer
 * @param[in] options  NULL: all defaults. @nullable
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (no buffers, fixed offsets that collide, a capacity below the largest
 *          buffer or beyond which something is fixed, options out of range), MEMMODEL_ERROR_OVERFLOW,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
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
 * @param[in,out] place  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_place(const memmodel_plan *plan, size_t index, struct memmodel_plan_place *place);

/**
 * What the plan came to.
 *
 * @param[in]     plan    plan
 * @param[in,out] result  its size is set by the caller; all but the status is 0 if the plan is not solved
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_result(const memmodel_plan *plan, struct memmodel_plan_result *result);

/**
 * Write a solved plan as CSV, atomically: what was read, with the column offset; or the buffers' columns.
 *
 * @param[in] plan  solved
 * @param[in] path  file to write
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (not solved, or two buffers of one name), MEMMODEL_ERROR_IO,
 *          MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_write(const memmodel_plan *plan, const char *path);

/**
 * A picture of a solved plan: time across, offsets up, a rectangle for each buffer.
 *
 * @param[in]  plan  solved
 * @param[out] svg   give it back with memmodel_free(context, svg); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (not solved), MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_to_svg(const memmodel_plan *plan, char **svg);

/**
 * A solved plan as a table in C for include/memmodel_arena.h, with which a runtime places its tensors: the constants
 * `name`, `name`_buffers, `name`_lives and `name`_count, and an enumerator NAME_BUFFER for each buffer whose name, in capitals
 * and with "_" for what C does not know, is nobody else's.
 *
 * @param[in]  plan  solved
 * @param[in]  name  what to call the table: letters, digits and "_"
 * @param[out] code  give it back with memmodel_free(context, code); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (not solved, no name in C), MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_plan_to_c(const memmodel_plan *plan, const char *name, char **code);

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
