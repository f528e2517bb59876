/* The monitor: readings of a process tree, their peaks, and their curve. */
#include "memmodel/monitor.h"
#include "base/choice.h"
#include "base/checked.h"
#include "measure/curve.h"
#include "measure/tree.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const double DEFAULT_INTERVAL = 0.01, SHORTEST_INTERVAL = 0.001;
enum { DEFAULT_CURVE_LIMIT = 65536 };

struct memmodel_monitor {
    atomic_int references, stop;
    memmodel_context *context;
    struct memmodel_monitor_options options;
    int pid, handle;
    double start; /* on process_clock() */
    struct tree tree;
    struct curve curve;
    struct process_cgroup cgroup;
    struct process_size cgroup_size;
    struct memmodel_monitor_reading last;
    struct memmodel_monitor_summary summary;
};

/* ---- beginning and end ---- */

static int
check_options(memmodel_context *context, int64_t pid, struct memmodel_monitor_options *options)
{
    if (pid < 1 || pid > INT_MAX)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pid", "a process has a number from 1 to %d",
                             INT_MAX);
    if (options->interval == 0)
        options->interval = DEFAULT_INTERVAL;
    if (!isfinite(options->interval) || options->interval < SHORTEST_INTERVAL)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "interval", "must be %g seconds or more",
                             SHORTEST_INTERVAL);
    if (options->curve_limit == 0)
        options->curve_limit = DEFAULT_CURVE_LIMIT;
    if (options->curve_limit < 2 || (uint64_t)options->curve_limit > SIZE_MAX / sizeof(struct memmodel_monitor_point))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "curve_limit", "must be 2 or more");
    if (flag_check(context, "own_child", "own_child", options->own_child))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return flag_check(context, "pss", "pss", options->pss);
}

static int
open_error(memmodel_context *context, int64_t pid, int status)
{
    if (status == MEMMODEL_ERROR_PROCESS)
        return context_error(context, status, "pid", "there is no process %lld, or it may not be read", (long long)pid);
    if (status == MEMMODEL_ERROR_UNSUPPORTED)
        return context_error(context, status, "monitor", "processes can be watched on Linux only");
    return status;
}

static struct memmodel_monitor *
new_monitor(memmodel_context *context, int pid, const struct memmodel_monitor_options *options)
{
    struct memmodel_monitor *monitor = memory_allocate_zeroed(context, 1, sizeof *monitor);

    if (!monitor)
        return NULL;
    atomic_init(&monitor->references, 1);
    atomic_init(&monitor->stop, 0);
    monitor->context = context;
    monitor->pid = pid;
    monitor->options = *options;
    monitor->curve = CURVE_INIT(context, (size_t)options->curve_limit);
    monitor->last.size = sizeof monitor->last;
    monitor->summary = (struct memmodel_monitor_summary){
        .size = sizeof monitor->summary, .peak_pss = -1, .peak_cgroup = -1, .exit_code = -1};
    return monitor;
}

int
memmodel_monitor_new(memmodel_context *context, int64_t pid, const struct memmodel_monitor_options *options,
                     memmodel_monitor **monitor)
{
    struct memmodel_monitor_options own;
    memmodel_monitor *new;
    int status;

    if (!context || !monitor)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = options_copy(context, "memmodel_monitor_options", options, &own, sizeof own);
    if (status || (status = check_options(context, pid, &own)) != 0)
        return status;
    new = new_monitor(context, (int)pid, &own);
    if (!new)
        return MEMMODEL_ERROR_NOMEM;
    status = tree_open(&new->tree, context, new->pid, own.own_child != 0);
    if (status) {
        memory_release(context, new);
        return open_error(context, pid, status);
    }
    process_open_cgroup("/proc", new->pid, &new->cgroup);
    process_read_cgroup(&new->cgroup, &new->cgroup_size);
    new->handle = process_open_handle(new->pid);
    new->start = process_clock();
    new->summary.start = new->last.time = process_calendar();
    memmodel_context_ref(context);
    *monitor = new;
    return 0;
}

memmodel_monitor *
memmodel_monitor_ref(memmodel_monitor *monitor)
{
    if (monitor)
        atomic_fetch_add(&monitor->references, 1);
    return monitor;
}

void
memmodel_monitor_unref(memmodel_monitor *monitor)
{
    memmodel_context *context;

    if (!monitor || atomic_fetch_sub(&monitor->references, 1) != 1)
        return;
    context = monitor->context;
    tree_close(&monitor->tree);
    curve_release(&monitor->curve);
    process_close_cgroup(&monitor->cgroup);
    process_close_file(monitor->handle);
    memory_release(context, monitor);
    memmodel_context_unref(context);
}

/* ---- one reading ---- */

/* memory.peak counts only if it rose while watching: before, somebody else may have set it. */
static void
read_cgroup(memmodel_monitor *monitor, struct memmodel_monitor_reading *reading)
{
    int64_t mark = monitor->cgroup_size.mark, *peak = &monitor->summary.peak_cgroup;

    process_read_cgroup(&monitor->cgroup, &monitor->cgroup_size);
    reading->cgroup = monitor->cgroup_size.rss;
    *peak = max_i64(*peak, monitor->cgroup_size.rss);
    if (monitor->cgroup_size.mark > mark)
        *peak = max_i64(*peak, monitor->cgroup_size.mark);
}

/* The end of an own child also tells the greatest size that any process of the tree ever had. */
static void
read_end(memmodel_monitor *monitor, struct memmodel_monitor_reading *reading)
{
    struct memmodel_monitor_summary *summary = &monitor->summary;
    struct process_end end;

    if (tree_has(&monitor->tree, monitor->pid))
        return;
    reading->ended = !monitor->options.own_child;
    if (monitor->options.own_child && process_wait(monitor->pid, &end)) {
        reading->ended = 1;
        summary->exit_code = end.exit_code;
        summary->exit_signal = end.exit_signal;
        summary->peak_process = max_i64(summary->peak_process, end.peak);
        if (end.peak > summary->peak)
            reading->high = max_i64(reading->high, end.peak);
    }
    summary->ended = reading->ended;
}

static void
summarize(memmodel_monitor *monitor, const struct memmodel_monitor_reading *reading)
{
    struct memmodel_monitor_summary *summary = &monitor->summary;

    summary->readings++;
    summary->seconds = reading->time - summary->start;
    summary->peak = max_i64(summary->peak, reading->high);
    summary->peak_sampled = max_i64(summary->peak_sampled, reading->rss);
    summary->peak_pss = max_i64(summary->peak_pss, reading->pss);
    summary->processes = monitor->tree.ever;
}

static int
draw(memmodel_monitor *monitor, const struct memmodel_monitor_reading *reading)
{
    int status = 0;

    if (reading->high > max_i64(reading->rss, monitor->last.rss))
        status = curve_add(&monitor->curve, (reading->previous + reading->time) / 2, reading->high);
    return status ? status : curve_add(&monitor->curve, reading->time, reading->rss);
}

/* Unix time that does not jump when somebody sets the clock. */
static double
time_now(const memmodel_monitor *monitor)
{
    return monitor->summary.start + (process_clock() - monitor->start);
}

static int
take_reading(memmodel_monitor *monitor)
{
    struct memmodel_monitor_reading reading = {.size = sizeof reading};
    struct tree_size size;
    int status = tree_read(&monitor->tree, monitor->options.pss != 0, &size);

    if (status)
        return status;
    reading.time = time_now(monitor);
    reading.previous = monitor->last.time;
    reading.rss = size.rss;
    reading.high = size.high;
    reading.pss = size.pss;
    reading.processes = size.count;
    monitor->summary.peak_process = max_i64(monitor->summary.peak_process, size.mark);
    read_cgroup(monitor, &reading);
    read_end(monitor, &reading);
    status = draw(monitor, &reading);
    summarize(monitor, &reading);
    monitor->last = reading;
    return status;
}

int
memmodel_monitor_read(memmodel_monitor *monitor, struct memmodel_monitor_reading *reading)
{
    int status = 0;

    if (!monitor)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (reading)
        status = result_check(monitor->context, "memmodel_monitor_reading", reading);
    if (!status && !monitor->summary.ended)
        status = take_reading(monitor);
    if (!status && reading)
        result_copy(&monitor->last, sizeof monitor->last, reading);
    return status;
}

/* ---- many readings ---- */

/* Seconds after which a stop that another thread asked for is seen, however long the interval. */
static const double stop_delay = 0.1;

static void
sleep_until(const memmodel_monitor *monitor, double due)
{
    double now = process_clock();

    while (now < due && !atomic_load(&monitor->stop) && process_sleep(monitor->handle, fmin(due, now + stop_delay)))
        now = process_clock();
}

int
memmodel_monitor_run(memmodel_monitor *monitor, memmodel_monitor_observer observer, void *user)
{
    double due = process_clock();
    int status;

    if (!monitor)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    for (;;) {
        status = memmodel_monitor_read(monitor, NULL);
        if (status || (observer && observer(user, &monitor->last)) || monitor->last.ended ||
            atomic_exchange(&monitor->stop, 0))
            return status;
        due = fmax(due + monitor->options.interval, process_clock());
        sleep_until(monitor, due);
    }
}

void
memmodel_monitor_stop(memmodel_monitor *monitor)
{
    if (!monitor)
        return;
    atomic_store(&monitor->stop, 1);
}

/* ---- what was seen ---- */

int
memmodel_monitor_summarize(const memmodel_monitor *monitor, struct memmodel_monitor_summary *summary)
{
    int status;

    if (!monitor)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = result_check(monitor->context, "memmodel_monitor_summary", summary);
    if (!status)
        result_copy(&monitor->summary, sizeof monitor->summary, summary);
    return status;
}

const struct memmodel_monitor_point *
memmodel_monitor_curve(const memmodel_monitor *monitor, size_t *count)
{
    if (!monitor || !count)
        return NULL;
    *count = monitor->curve.count;
    return monitor->curve.points;
}

size_t
memmodel_monitor_processes(const memmodel_monitor *monitor, int64_t *pids, size_t capacity)
{
    if (!monitor || (capacity && !pids))
        return 0;
    for (size_t i = 0; i < monitor->tree.count && i < capacity; i++)
        pids[i] = monitor->tree.members[i].files.pid;
    return monitor->tree.count;
}
