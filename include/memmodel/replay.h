/* Replays: a trace, predicted or recorded, through the allocator of a framework: what it reserves, and when. */
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
    /** of cuda_caching: as in PYTORCH_ALLOC_CONF, such as "expandable_segments:True"; of glibc: "alignment:64",
     *  blocks as of posix_memalign(64), PyTorch's on a CPU. @nullable */
    const char *allocator_settings;
    int64_t capacity;   /**< of the device. @unit bytes @default unlimited */
    int64_t max_events; /**< stop after so many, to see the segments then. @default all */
};

/** Bytes after an event. @since 0.1 */
struct memmodel_replay_usage {
    size_t size;       /**< sizeof(struct memmodel_replay_usage) */
    int64_t requested; /**< asked for, of what may not be used again yet. @unit bytes */
    int64_t allocated; /**< of live blocks, with what rounding adds. @unit bytes */
    int64_t active;    /**< the same with released blocks that other streams still use. @unit bytes */
    int64_t reserved;  /**< reserved by the allocator. @unit bytes */
    int64_t resident;  /**< resident: pages ever written and still mapped; -1 if the allocator is not modelled by pages.
                            @unit bytes */
};

/** The result of a replay. @since 0.1 */
struct memmodel_replay_result {
    size_t size;            /**< sizeof(struct memmodel_replay_result) */
    int64_t peak_requested; /**< maximum requested at one time. @unit bytes */
    int64_t peak_allocated; /**< maximum in live blocks. @unit bytes */
    int64_t peak_active;    /**< maximum in blocks that were not free. @unit bytes */
    int64_t peak_reserved;  /**< maximum reserved. @unit bytes */
    int64_t peak_resident;  /**< maximum resident; -1 if not modelled. @unit bytes */
    int64_t peak_event;     /**< first event at which `peak_reserved` is reached; -1: no events */
    int64_t oom_event;      /**< event whose allocation the device refused, the last one replayed; -1: none */
    int64_t retry_count;    /**< times that unused memory had to be given back first */
    int64_t event_count;    /**< how many were replayed */
};

/** What a block is. @since 0.1 */
enum memmodel_block_state {
    MEMMODEL_BLOCK_STATE_FREE = 0,         /**< cached by the allocator */
    MEMMODEL_BLOCK_STATE_ALLOCATED = 1,    /**< live */
    MEMMODEL_BLOCK_STATE_PENDING_FREE = 2, /**< released, but used by other streams */
};

/**
 * Name of a block's state, such as "pending free".
 *
 * @param[in] state  enum memmodel_block_state
 * @returns a static string; NULL if there is no such state. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_block_state_name(int state);

/** A block of a segment at the end of a replay. @since 0.1 */
struct memmodel_replay_block {
    size_t size;        /**< sizeof(struct memmodel_replay_block) */
    int64_t segment;    /**< address of its segment; only the order of addresses means something */
    int64_t address;    /**< its own */
    int64_t bytes;      /**< of the block. @unit bytes */
    int64_t requested;  /**< of that, asked for; 0: free. @unit bytes */
    int64_t stream;     /**< of the device that it belongs to */
    int32_t block;      /**< of the trace, as in struct memmodel_trace_event; -1: free */
    int32_t state;      /**< enum memmodel_block_state */
    int32_t large;      /**< 1: of the pool for large requests */
    int32_t expandable; /**< 1: its segment grows */
};

/**
 * Run a trace through an allocator.
 *
 * An allocation that the device has no room for ends the replay; that is no error: the result says so.
 *
 * @param[in]  trace    kept by the replay
 * @param[in]  options  NULL: all defaults. @nullable
 * @param[in]  context  limits, memory and errors of this call; NULL: the trace's own. @nullable
 * @param[out] replay   new replay with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_UNSUPPORTED,
 *          MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, each with a context of its own
 * @complexity O(events * log(blocks))
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_trace_replay(const memmodel_trace *trace, const struct memmodel_replay_options *options,
                      memmodel_context *context, memmodel_replay **replay);

/** Take one more reference. @param[in] replay  not NULL @returns `replay` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_replay *
memmodel_replay_ref(memmodel_replay *replay);

/** Drop one reference. @param[in] replay  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_replay_unref(memmodel_replay *replay);

/**
 * The result of a replay.
 *
 * @param[in]     replay   replay
 * @param[in,out] result   its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_replay_get_result(const memmodel_replay *replay, struct memmodel_replay_result *result);

/**
 * The bytes right after an event.
 *
 * @param[in]     replay  replay
 * @param[in]     event   from 0, below the events replayed
 * @param[in,out] usage   its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_replay_get_usage(const memmodel_replay *replay, size_t event, struct memmodel_replay_usage *usage);

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
memmodel_replay_get_block(const memmodel_replay *replay, size_t index, struct memmodel_replay_block *block);

/**
 * Write a replay as PyTorch's memory snapshot, a pickle that https://pytorch.org/memory_viz opens and
 * memmodel_trace_load() reads: each allocation with its layer as a stack frame, and the segments at the end.
 *
 * @param[in] replay  of an allocator with segments
 * @param[in] path    file, replaced when it exists
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_UNSUPPORTED, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's of the trace
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_replay_save_snapshot(const memmodel_replay *replay, const char *path);

#ifdef __cplusplus
}
#endif

#endif
