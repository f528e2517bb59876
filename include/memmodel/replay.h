/* Replays: a trace, predicted or recorded, through the allocator of a framework. What it takes from the system, when. */
#ifndef MEMMODEL_REPLAY_H
#define MEMMODEL_REPLAY_H

#include "memmodel/context.h"
#include "memmodel/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A trace that was run through an allocator, immutable. @since 0.1 */
typedef struct memmodel_replay memmodel_replay;

/** How a trace is replayed. @since 0.1 */
struct memmodel_replay_options {
    size_t size;           /**< sizeof(struct memmodel_replay_options) */
    const char *allocator; /**< "exact": what is asked for; "cuda_caching": PyTorch's on a CUDA device, as of version
                                2.13; "bfc": TensorFlow's; "glibc": malloc of a process. @nullable @default "exact" */
    const char *settings;  /**< of cuda_caching: as in PYTORCH_ALLOC_CONF, such as "expandable_segments:True"; of
                                glibc: "alignment:64", blocks as of posix_memalign(64), PyTorch's on a CPU. @nullable */
    int64_t capacity;      /**< of the device. @unit bytes @default unlimited */
    int64_t events;        /**< stop after so many, to see the segments then. @default all */
};

/** Bytes at a moment. @since 0.1 */
struct memmodel_replay_moment {
    size_t size;       /**< sizeof(struct memmodel_replay_moment) */
    int64_t requested; /**< asked for, of what may not be used again yet. @unit bytes */
    int64_t allocated; /**< of live blocks, with what rounding adds. @unit bytes */
    int64_t active;    /**< the same with released blocks that other streams still use. @unit bytes */
    int64_t reserved;  /**< taken from the system. @unit bytes */
    int64_t touched;   /**< resident: pages ever written and still held; -1 if the allocator is not modelled by pages.
                            @unit bytes */
};

/** What a replay came to. @since 0.1 */
struct memmodel_replay_summary {
    size_t size;            /**< sizeof(struct memmodel_replay_summary) */
    int64_t requested_peak; /**< most that was asked for at once. @unit bytes */
    int64_t allocated_peak; /**< most in live blocks. @unit bytes */
    int64_t active_peak;    /**< most in blocks that were not free. @unit bytes */
    int64_t reserved_peak;  /**< most taken from the system. @unit bytes */
    int64_t touched_peak;   /**< most resident; -1 if not modelled. @unit bytes */
    int64_t reserved_event; /**< first event at which `reserved_peak` is reached; -1: no events */
    int64_t out_of_memory;  /**< event whose allocation the device refused, the last one replayed; -1: none */
    int64_t retries;        /**< times that unused memory had to be given back first */
    int64_t events;         /**< how many were replayed */
};

/** What a block is. @since 0.1 */
enum memmodel_block_state {
    MEMMODEL_BLOCK_FREE = 0,      /**< cached by the allocator */
    MEMMODEL_BLOCK_ALLOCATED = 1, /**< live */
    MEMMODEL_BLOCK_AWAITED = 2,   /**< released, but used by other streams */
};

/** A block of a segment at the end of a replay. @since 0.1 */
struct memmodel_replay_block {
    size_t size;        /**< sizeof(struct memmodel_replay_block) */
    int64_t segment;    /**< address of its segment; only the order of addresses means something */
    int64_t address;    /**< its own */
    int64_t bytes;      /**< of the block. @unit bytes */
    int64_t requested;  /**< of that, asked for; 0: free. @unit bytes */
    int64_t stream;     /**< of the device that it belongs to */
    int32_t block;      /**< of the trace, as in struct memmodel_event; -1: free */
    int32_t state;      /**< enum memmodel_block_state */
    int32_t large;      /**< 1: of the pool for large requests */
    int32_t expandable; /**< 1: its segment grows */
};

/**
 * Run a trace through an allocator.
 *
 * An allocation that the device has no room for ends the replay; that is no error, the summary tells it.
 *
 * @param[in]  trace    kept by the replay
 * @param[in]  options  NULL: all defaults. @nullable
 * @param[out] replay   new replay with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_UNSUPPORTED,
 *          MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_NOMEM, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's of the trace
 * @complexity O(events * log(blocks))
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_replay_new(const memmodel_trace *trace, const struct memmodel_replay_options *options,
                    memmodel_replay **replay);

/** Take one more reference. @param[in] replay  not NULL @returns `replay` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_replay *
memmodel_replay_ref(memmodel_replay *replay);

/** Drop one reference. @param[in] replay  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_replay_unref(memmodel_replay *replay);

/**
 * What a replay came to.
 *
 * @param[in]     replay   replay
 * @param[in,out] summary  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_replay_summary(const memmodel_replay *replay, struct memmodel_replay_summary *summary);

/**
 * The bytes right after an event.
 *
 * @param[in]     replay  replay
 * @param[in]     event   from 0, below the events replayed
 * @param[in,out] moment  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_replay_moment(const memmodel_replay *replay, size_t event, struct memmodel_replay_moment *moment);

/**
 * Number of blocks that the allocator's segments are made of at the end; 0 for allocators without segments.
 *
 * @param[in] replay  replay
 * @returns blocks
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_replay_block_count(const memmodel_replay *replay);

/**
 * One block of the segments at the end, in the order of addresses.
 *
 * @param[in]     replay  replay
 * @param[in]     index   from 0
 * @param[in,out] block   its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_replay_block(const memmodel_replay *replay, size_t index, struct memmodel_replay_block *block);

/**
 * Write a replay as PyTorch's memory snapshot, a pickle that https://pytorch.org/memory_viz opens and
 * memmodel_trace_read() reads: each allocation with its layer as a stack frame, and the segments at the end.
 *
 * @param[in] replay  of an allocator with segments
 * @param[in] path    file, replaced when it exists
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_UNSUPPORTED, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NOMEM,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's of the trace
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_replay_write(const memmodel_replay *replay, const char *path);

#ifdef __cplusplus
}
#endif

#endif
