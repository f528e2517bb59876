/* The monitor: readings of a process tree, their peaks, and their memory timeline. */
#include "memmodel/monitor.h"
#include "base/environment.h"
#include "base/choice.h"
#include "base/checked.h"
#include "measure/timeline.h"
#include "measure/sharing.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const double DEFAULT_INTERVAL = 0.01, SHORTEST_INTERVAL = 0.001;
enum { DEFAULT_CURVE_LIMIT = 65536, MAX_PUT_OFF = 3 };

struct memmodel_monitor {
    atomic_int references, stop;
    memmodel_context *context;
    struct memmodel_monitor_options options;
    int pid, handle;
    double start; /* on process_clock() */
    struct tree tree;
    struct sharing sharing;
    int put_off; /* readings by which a look was */
    struct timeline timeline;
    struct cgroup cgroup;
    struct process_size cgroup_size;
    int64_t kills; /* of the cgroup before */
    struct memmodel_monitor_reading last;
    struct memmodel_monitor_result result;
};

/* ---- beginning and end ---- */

static int
check_options(memmodel_context *context, int64_t pid, struct memmodel_monitor_options *options)
{
    if (pid < 1 || pid > INT_MAX)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pid", "a process has a number from 1 to %d",
                             INT_MAX);
    if (options->interval_seconds == 0)
        options->interval_seconds = DEFAULT_INTERVAL;
    if (!isfinite(options->interval_seconds) || options->interval_seconds < SHORTEST_INTERVAL)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "interval_seconds", "must be %g seconds or more",
                             SHORTEST_INTERVAL);
    if (options->max_points == 0)
        options->max_points = DEFAULT_CURVE_LIMIT;
    if (options->max_points < 2 || (uint64_t)options->max_points > SIZE_MAX / sizeof(struct memmodel_monitor_point))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "max_points", "must be 2 or more");
    if (options->limit < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "limit", "must be 0 or more");
    if (flag_check(context, "is_child", "is_child", options->is_child) ||
        flag_check(context, "cgroup", "cgroup", options->cgroup) ||
        flag_check(context, "orphans", "orphans", options->orphans))
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
    monitor->timeline = TIMELINE_INIT(context, (size_t)options->max_points);
    monitor->last.size = sizeof monitor->last;
    monitor->result = (struct memmodel_monitor_result){
        .size = sizeof monitor->result, .peak_pss = -1, .peak_cgroup = -1, .exit_code = -1, .out_of_memory = -1};
    return monitor;
}

static int
open_tree(struct memmodel_monitor *monitor)
{
    const struct memmodel_monitor_options *options = &monitor->options;
    int status;

    (options->cgroup ? cgroup_make : cgroup_open)("/proc", monitor->pid, &monitor->cgroup);
    status = tree_open(&monitor->tree, monitor->context, monitor->pid, options->is_child != 0, &monitor->cgroup);
    if (status) {
        cgroup_close(&monitor->cgroup);
        return open_error(monitor->context, monitor->pid, status);
    }
    monitor->tree.reaper = options->orphans ? process_self() : 0;
    monitor->result.own_cgroup = *monitor->cgroup.made != '\0';
    monitor->result.cgroup_limit = monitor->cgroup.limit;
    monitor->kills = cgroup_kills(&monitor->cgroup);
    cgroup_read(&monitor->cgroup, &monitor->cgroup_size);
    return 0;
}

int
memmodel_monitor_new(memmodel_context *context, int64_t pid, const struct memmodel_monitor_options *options,
                     memmodel_monitor **monitor)
{
    OWN_ENVIRONMENT;
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
        return context_status(context, MEMMODEL_ERROR_NO_MEMORY);
    status = open_tree(new);
    if (status) {
        memory_release(context, new);
        return context_status(context, status);
    }
    new->handle = process_open_handle(new->pid);
    new->start = new->sharing.start = new->sharing.last = process_clock();
    new->result.start_time = new->last.time = process_calendar();
    memmodel_context_ref(context);
    *monitor = new;
    return 0;
}

DEFINE_REF(memmodel_monitor)

void
memmodel_monitor_unref(memmodel_monitor *monitor)
{
    memmodel_context *context;

    if (!monitor || atomic_fetch_sub(&monitor->references, 1) != 1)
        return;
    context = monitor->context;
    tree_close(&monitor->tree);
    timeline_release(&monitor->timeline);
    cgroup_close(&monitor->cgroup);
    process_close_file(monitor->handle);
    memory_release(context, monitor);
    memmodel_context_unref(context);
}

/* ---- one reading ---- */

/* memory.peak counts only if it rose while watching: before, somebody else may have set it. */
static void
read_cgroup(memmodel_monitor *monitor, struct memmodel_monitor_reading *reading)
{
    int64_t high_water_mark = monitor->cgroup_size.high_water_mark, *peak = &monitor->result.peak_cgroup;

    cgroup_read(&monitor->cgroup, &monitor->cgroup_size);
    reading->cgroup = monitor->cgroup_size.rss;
    *peak = max_i64(*peak, monitor->cgroup_size.rss);
    if (monitor->cgroup_size.high_water_mark > high_water_mark)
        *peak = max_i64(*peak, monitor->cgroup_size.high_water_mark);
}

/* An end also reports the maximum size of it, and of any process that it waited for. */
static void
note_end(memmodel_monitor *monitor, struct memmodel_monitor_reading *reading, const struct process_end *end)
{
    struct memmodel_monitor_result *result = &monitor->result;

    result->peak_process = max_i64(result->peak_process, end->peak);
    if (end->peak > result->peak) {
        reading->high_water = max_i64(reading->high_water, end->peak);
        reading->charge_high = max_i64(reading->charge_high, end->peak);
    }
    sharing_note_process(&monitor->sharing, end->peak);
}

static void
read_end(memmodel_monitor *monitor, struct memmodel_monitor_reading *reading)
{
    struct memmodel_monitor_result *result = &monitor->result;
    struct process_end end;

    if (tree_has(&monitor->tree, monitor->pid))
        return;
    reading->exited = !monitor->options.is_child;
    if (monitor->options.is_child && process_wait(monitor->pid, &end)) {
        reading->exited = 1;
        result->exit_code = end.exit_code;
        result->exit_signal = end.exit_signal;
        note_end(monitor, reading, &end);
    }
    result->exited = reading->exited;
}

/* Orphans that this process adopted, as the system's init does elsewhere. */
static void
read_ends_of_orphans(memmodel_monitor *monitor, struct memmodel_monitor_reading *reading)
{
    struct process_end end;

    while (monitor->options.orphans && process_wait_other(monitor->pid, &end))
        note_end(monitor, reading, &end);
}

/* After an end, which a kill is counted before. */
static void
read_kills(memmodel_monitor *monitor)
{
    int64_t kills = cgroup_kills(&monitor->cgroup);

    if (kills >= 0 && monitor->kills >= 0)
        monitor->result.out_of_memory = (int32_t)min_i64(max_i64(kills - monitor->kills, 0), INT32_MAX);
}

static void
summarize(memmodel_monitor *monitor, const struct memmodel_monitor_reading *reading)
{
    struct memmodel_monitor_result *result = &monitor->result;

    result->reading_count++;
    result->seconds = reading->time - result->start_time;
    result->peak = sharing_peak(&monitor->sharing);
    if (result->own_cgroup) /* what no look has confirmed is no more than all that was there, caches included */
        result->peak = max_i64(monitor->sharing.known, min_i64(result->peak, result->peak_cgroup));
    result->peak_rss = max_i64(result->peak_rss, reading->high_water);
    result->peak_sampled = max_i64(result->peak_sampled, reading->rss);
    result->peak_pss = max_i64(result->peak_pss, reading->pss);
    result->pss_readings = monitor->sharing.looks;
    result->pss_seconds = monitor->sharing.spent;
    result->process_count = monitor->tree.ever;
}

static int
draw(memmodel_monitor *monitor, const struct memmodel_monitor_reading *reading)
{
    int status = 0;

    if (reading->charge_high > max_i64(reading->charge, monitor->last.charge))
        status = timeline_add(&monitor->timeline, (reading->previous_time + reading->time) / 2, reading->charge_high);
    return status ? status : timeline_add(&monitor->timeline, reading->time, reading->charge);
}

/* Unix time that does not jump when somebody sets the clock. */
static double
time_now(const memmodel_monitor *monitor)
{
    return monitor->result.start_time + (process_clock() - monitor->start);
}

static bool
needs_look(const memmodel_monitor *monitor, const struct tree_size *size)
{
    return sharing_needs_look(&monitor->sharing, size, monitor->options.limit, process_clock());
}

static bool
is_due(const memmodel_monitor *monitor, const struct tree_size *size)
{
    return needs_look(monitor, size) || sharing_look_is_due(&monitor->sharing, size, process_clock());
}

/* Those that do not count yet have their part of what the others share: a look is better when they do. */
static bool
is_put_off(memmodel_monitor *monitor, const struct tree_size *size)
{
    monitor->put_off = size->growing && monitor->put_off < MAX_PUT_OFF ? monitor->put_off + 1 : 0;
    return monitor->put_off > 0;
}

/*
 * What is shared is known by looks at PSS: first at newcomers, since a process just forked shares all with its parent.
 */
static void
account_sharing(memmodel_monitor *monitor, struct tree_size *size)
{
    struct tree_size before;
    double effort = process_effort();
    bool complete;

    if (needs_look(monitor, size))
        tree_look_at_newcomers(&monitor->tree, size);
    before = *size;
    complete = (monitor->options.pss || (is_due(monitor, size) && !is_put_off(monitor, size))) &&
               tree_look(&monitor->tree, size);
    if (complete)
        sharing_confirm(&monitor->sharing, &before, size, process_clock());
    else
        sharing_note(&monitor->sharing, size);
    if (monitor->options.pss || size->count > 1)
        monitor->sharing.spent += process_effort() - effort;
}

static int
take_reading(memmodel_monitor *monitor)
{
    struct memmodel_monitor_reading reading = {.size = sizeof reading};
    struct tree_size size;
    int status = tree_read(&monitor->tree, &size);

    if (status)
        return status;
    account_sharing(monitor, &size);
    reading.time = time_now(monitor);
    reading.previous_time = monitor->last.time;
    reading.rss = size.rss;
    reading.high_water = size.high_water;
    reading.charge = size.charge;
    reading.charge_high = size.charge_high;
    reading.pss = size.pss;
    reading.process_count = size.count;
    monitor->result.peak_process = max_i64(monitor->result.peak_process, size.high_water_mark);
    read_cgroup(monitor, &reading);
    read_end(monitor, &reading);
    read_ends_of_orphans(monitor, &reading);
    read_kills(monitor);
    status = draw(monitor, &reading);
    summarize(monitor, &reading);
    monitor->last = reading;
    return status;
}

int
memmodel_monitor_read(memmodel_monitor *monitor, struct memmodel_monitor_reading *reading)
{
    OWN_ENVIRONMENT;
    int status = 0;

    if (!monitor)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (reading)
        status = result_check(monitor->context, "memmodel_monitor_reading", reading);
    if (!status && !monitor->result.exited)
        status = take_reading(monitor);
    if (!status && reading)
        result_copy(&monitor->last, sizeof monitor->last, reading);
    return context_status(monitor->context, status);
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
memmodel_monitor_run(memmodel_monitor *monitor, memmodel_monitor_callback callback, void *user)
{
    OWN_ENVIRONMENT;
    double due = process_clock();
    int status;

    if (!monitor)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    for (;;) {
        status = memmodel_monitor_read(monitor, NULL);
        if (status || (callback && callback(user, &monitor->last)) || monitor->last.exited ||
            atomic_exchange(&monitor->stop, 0))
            return status;
        due = fmax(due + monitor->options.interval_seconds, process_clock());
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
memmodel_monitor_get_result(const memmodel_monitor *monitor, struct memmodel_monitor_result *result)
{
    int status;

    if (!monitor)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = result_check(monitor->context, "memmodel_monitor_result", result);
    if (!status)
        result_copy(&monitor->result, sizeof monitor->result, result);
    return status;
}

const struct memmodel_monitor_point *
memmodel_monitor_curve(const memmodel_monitor *monitor, size_t *count)
{
    if (!monitor || !count)
        return NULL;
    *count = monitor->timeline.count;
    return monitor->timeline.points;
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
