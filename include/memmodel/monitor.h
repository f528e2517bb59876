/*
 * Measured memory: watches a process and its descendants.
 *
 * What is measured. Resident memory (RSS) of the tree is the sum over its processes. Between two readings nothing is
 * lost of a process that lives: the kernel keeps each process's high-water mark (VmHWM), and where a mark rose since
 * the previous reading, that process had exactly this much at some time in between. The tree's high between two
 * readings is the sum of the marks that rose and, for the others, of the larger of both readings. The peak, the highest
 * of these, is exact for one process. For several it is too high where their tops fell between the same two readings at
 * different times; and since a rise below an earlier mark of the same process leaves no trace between two readings, a
 * sum made of such rises is known as far as the readings saw it.
 *
 * Shared pages. RSS counts a page in each process that has it; a scheduler that charges by control groups, and the
 * machine itself, have it once. So the peak of a tree counts it once: it is RSS less what PSS (proportional set size,
 * smaps_rollup) says is shared. PSS makes the kernel walk all pages, 25 ms for a GiB in pages of 4 KiB, so it is looked
 * at when processes come or go, when a new peak is at hand, and else every second, as long as this takes less than 2 %
 * of the time, and 0.1 s (1 % for those that only come by time). In between, what was shared at the last look is taken
 * off, and a new peak is confirmed by the next one; one that no look confirmed stays as RSS has it, which may be too
 * high. What processes cease to share without growing, by writing to it, is seen at the next look. A process alone is
 * never looked at: its peak is its mark, to the byte. The peak is never below that of any single process.
 *
 * Not in it are pages that no process has mapped: the page cache, and files in /dev/shm that nobody has open. A control
 * group counts them too, with kernel memory: `peak_cgroup`. It is exact, but a program that reads large files fills the
 * group up to its limit with cache that the kernel would give back, so it is no amount to ask a scheduler for.
 *
 * Processes that come and go. A descendant counts from the second reading that sees it: a process that was just forked
 * still has its parent's pages, and its parent's size, until it runs its own program. A process that shares its
 * parent's memory (vfork) does not count at all. Descendants too short-lived to be seen twice, and what a process did
 * after the last reading of its life, enter through the kernel's ru_maxrss, where the caller is the parent
 * (`is_child`): it is the greatest size of any single process of the tree that was waited for. A process that left
 * its parent and its group behind (a daemon, which forks twice) is still found where a control group was made for the
 * tree (`cgroup`), or where the caller gets such orphans (`orphans`).
 *
 * Cost. Less than 1 % of a core for 10 processes at 10 ms, without looks at PSS (`./run bench monitor` measures it). To
 * that end a reading of a tree of several processes takes one mark, in turn, and all of them as soon as one has risen;
 * and a process whose size did not change at its last three readings is left out of three. So `high_water` may have
 * been up to as many readings ago as there are processes, and `rss` is up to three readings old in processes at rest.
 * No process's own peak is touched by it.
 */
#ifndef MEMMODEL_MONITOR_H
#define MEMMODEL_MONITOR_H

#include "memmodel/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Watches one process and its descendants. @since 0.1 */
typedef struct memmodel_monitor memmodel_monitor;

/**
 * How to watch. Zero means the default for every field.
 *
 * @since 0.1
 */
struct memmodel_monitor_options {
    size_t size; /**< sizeof(struct memmodel_monitor_options) */
    /** time between readings of memmodel_monitor_run(), >= 0.001. @unit seconds @default 0.01 */
    double interval_seconds;
    int64_t max_points; /**< greatest number of points kept for the memory timeline, >= 2. @default 65536 (1 MiB) */
    /** 1: the process is a child of this one, and the monitor waits for it (wait4) when it ends. Marks then count from
     *  its start; otherwise from the first reading */
    int32_t is_child;
    int32_t pss; /**< 1: look at PSS at each reading. 0: only as often as it costs little */
    /** more than which the caller acts on: a reading of several processes that seems to be above it looks at PSS first,
     *  whatever that costs. @unit bytes @default 0 (none) */
    int64_t limit;
    /** 1: make a control group for the process, below its own, where this is allowed, and move it there. What it starts
     *  from then on is in it too. It goes with the monitor */
    int32_t cgroup;
    /** 1: each child of this process belongs to the tree, and is waited for: for a caller that gets the orphans among
     *  its descendants (PR_SET_CHILD_SUBREAPER) and has no other children */
    int32_t orphans;
};

/**
 * The tree at one time. A metric that is not available is -1.
 *
 * @since 0.1
 */
struct memmodel_monitor_reading {
    size_t size;          /**< sizeof(struct memmodel_monitor_reading), set by the caller */
    double time;          /**< Unix time. @unit seconds */
    double previous_time; /**< Unix time of the reading before; in the first, when watching began. @unit seconds */
    int64_t rss;          /**< resident memory now. @unit bytes */
    int64_t high_water;   /**< most resident memory since the previous reading, never below `rss`. @unit bytes */
    int64_t pss;          /**< proportional share now; -1 at readings that did not look at it. @unit bytes */
    /** memory of the process's cgroup now (version 2: memory.current, version 1: memory.usage_in_bytes); -1 where there
     *  is none. @unit bytes */
    int64_t cgroup;
    int32_t process_count; /**< processes that count */
    int32_t exited;        /**< 1 if the watched process has ended; its descendants may live on */
    int64_t charge;        /**< `rss` with pages that processes share counted once, as far as is known. @unit bytes */
    /** `high_water` with pages that processes share counted once, as far as is known; never below `charge`.
     *  @unit bytes */
    int64_t charge_high;
};

/**
 * All readings so far. A metric that is not available is -1.
 *
 * @since 0.1
 */
struct memmodel_monitor_result {
    size_t size;           /**< sizeof(struct memmodel_monitor_result), set by the caller */
    double start_time;     /**< Unix time when watching began, by memmodel_monitor_new(). @unit seconds */
    double seconds;        /**< from `start_time` to the last reading. @unit seconds */
    int64_t reading_count; /**< number of readings */
    /** most resident memory of the tree, shared pages counted once: the greatest `charge_high`, less what a later look
     *  showed to be shared. What to ask a scheduler for. @unit bytes */
    int64_t peak;
    int64_t peak_sampled; /**< greatest `rss` of a reading, as a poller without marks sees it. @unit bytes */
    int64_t peak_process; /**< greatest mark of any single process. @unit bytes */
    int64_t peak_pss;     /**< greatest `pss` of a reading. @unit bytes */
    /** most memory of the cgroup while watching (its memory now, and its own peak if that rose: version 2: memory.peak,
     *  version 1: memory.max_usage_in_bytes); page cache and the cgroup's other processes included. @unit bytes */
    int64_t peak_cgroup;
    int32_t process_count; /**< processes that ever counted */
    int32_t exited;        /**< 1 if the watched process has ended */
    int32_t exit_code;     /**< of a child that exited; -1 otherwise */
    int32_t exit_signal;   /**< signal that ended a child; 0 otherwise */
    int64_t peak_rss;      /**< the greatest `high_water`: shared pages counted in each process. @unit bytes */
    double pss_seconds;    /**< processor time that looking at PSS took. @unit seconds */
    int32_t pss_readings;  /**< readings that looked at PSS */
    int32_t own_cgroup;    /**< 1 if the cgroup was made for the tree, so that nothing else is in `peak_cgroup` */
    /** most memory that the cgroup or one above it allows, as far as they can be seen, when watching began (version 2:
     *  memory.max, version 1: memory.limit_in_bytes); -1: no limit. @unit bytes */
    int64_t cgroup_limit;
    /** processes of the cgroup that the kernel has killed while watching because memory ran out (version 2: memory.events,
     *  version 1: memory.oom_control); others' too unless `own_cgroup`. -1 where they are not counted */
    int32_t out_of_memory;
    int32_t reserved; /**< 0 */
};

/**
 * A point of the memory timeline.
 *
 * @since 0.1
 */
struct memmodel_monitor_point {
    double time;   /**< Unix time. @unit seconds */
    int64_t bytes; /**< resident memory of the tree. @unit bytes */
};

/**
 * Called after each reading of memmodel_monitor_run().
 *
 * @param[in] user     what memmodel_monitor_run() was given. @nullable
 * @param[in] reading  valid during the call
 * @returns 0 to go on, anything else to stop
 * @threads that of memmodel_monitor_run()
 * @since 0.1
 */
typedef int (*memmodel_monitor_callback)(void *user, const struct memmodel_monitor_reading *reading);

/**
 * Start to watch a process. Nothing is read before the first memmodel_monitor_read().
 *
 * @param[in]  context  the monitor keeps a reference
 * @param[in]  pid      process to watch, with its descendants
 * @param[in]  options  NULL for the defaults. @nullable
 * @param[out] monitor  new monitor with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_PROCESS (no such process, or it may not be read), MEMMODEL_ERROR_UNSUPPORTED (not on
 *          Linux), MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the context's; the monitor starts no thread
 * @since 0.1
 */
MEMMODEL_API int
memmodel_monitor_new(memmodel_context *context, int64_t pid, const struct memmodel_monitor_options *options,
                     memmodel_monitor **monitor);

/**
 * Take one reading now, and add it to the result and the memory timeline. After the process has ended it says so again.
 *
 * @param[in]     monitor  monitor
 * @param[in,out] reading  its size is set by the caller; may be NULL; untouched on error. @nullable
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_monitor_read(memmodel_monitor *monitor, struct memmodel_monitor_reading *reading);

/**
 * Take readings at the chosen interval until the process ends, `callback` says so, or memmodel_monitor_stop() is
 * called. The end of the process is seen at once, not at the next interval. A reading that is late is not made up for.
 *
 * @param[in] monitor   monitor
 * @param[in] callback  NULL for none. @nullable
 * @param[in] user      handed to each call of `callback`. @nullable
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the context's; blocks the calling thread
 * @blocking
 * @since 0.1
 */
MEMMODEL_API int
memmodel_monitor_run(memmodel_monitor *monitor, memmodel_monitor_callback callback, void *user);

/**
 * Make memmodel_monitor_run() return after its next reading.
 *
 * @param[in] monitor  monitor
 * @threads any; also from a signal handler
 * @since 0.1
 */
MEMMODEL_API void
memmodel_monitor_stop(memmodel_monitor *monitor);

/**
 * The peaks so far.
 *
 * @param[in]     monitor  monitor
 * @param[in,out] result   its size is set by the caller; untouched on error
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_monitor_get_result(const memmodel_monitor *monitor, struct memmodel_monitor_result *result);

/**
 * The memory timeline so far: a point for each reading, and before it, half-way since the reading before, one for a
 * `high_water` above both; shared pages counted once, as far as was known then. When the timeline has reached its
 * limit, each two neighbours become the larger of them, and so on from there: the timeline never loses its top, and
 * memory stays bounded.
 *
 * @param[in]  monitor  monitor
 * @param[out] count    number of points
 * @returns the points in the order of time, owned by the monitor and valid until its next reading.
 *          @length *count @transfer none
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API const struct memmodel_monitor_point *
memmodel_monitor_curve(const memmodel_monitor *monitor, size_t *count);

/**
 * The processes of the tree that the last reading saw alive, those that do not count yet included; the watched one
 * first.
 *
 * @param[in]  monitor   monitor
 * @param[out] pids      the first `capacity` of them. @length capacity
 * @param[in]  capacity  of `pids`
 * @returns how many there are
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_monitor_processes(const memmodel_monitor *monitor, int64_t *pids, size_t capacity);

/** Take one more reference. @param[in] monitor  not NULL @returns `monitor` @transfer full @threads any @since 0.1 */
MEMMODEL_API memmodel_monitor *
memmodel_monitor_ref(memmodel_monitor *monitor);

/** Drop one reference; the process goes on. @param[in] monitor  may be NULL @nullable @threads any @since 0.1 */
MEMMODEL_API void
memmodel_monitor_unref(memmodel_monitor *monitor);

#ifdef __cplusplus
}
#endif

#endif
