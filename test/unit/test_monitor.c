/* The monitor, on puppets (puppet.h): processes that do what they are asked. */
#define _GNU_SOURCE
#include "allocations.h"
#include "puppet.h"

#include "measure/timeline.h"
#include "measure/sharing.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    TOLERANCE = 4 << 20, /* the kernel counts pages per core first, and a process has some of its own */
};

/* ---- monitors ---- */

static memmodel_monitor *
watch(memmodel_context *context, pid_t pid, const struct memmodel_monitor_options *options)
{
    memmodel_monitor *monitor = NULL;

    assert_int_equal(memmodel_monitor_new(context, pid, options, &monitor), 0);
    return monitor;
}

static memmodel_monitor *
watch_child(memmodel_context *context, pid_t pid)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .is_child = 1};

    return watch(context, pid, &options);
}

static struct memmodel_monitor_reading
read_now(memmodel_monitor *monitor)
{
    struct memmodel_monitor_reading reading = {.size = sizeof reading};

    assert_int_equal(memmodel_monitor_read(monitor, &reading), 0);
    return reading;
}

static struct memmodel_monitor_result
summary_of(const memmodel_monitor *monitor)
{
    struct memmodel_monitor_result summary = {.size = sizeof summary};

    assert_int_equal(memmodel_monitor_get_result(monitor, &summary), 0);
    return summary;
}

static void
assert_near(int64_t bytes, int64_t expected)
{
    if (bytes < expected - TOLERANCE || bytes > expected + TOLERANCE)
        fail_msg("%lld is not near %lld", (long long)bytes, (long long)expected);
}

static double
seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- peaks ---- */

static void
a_spike_between_two_readings_is_seen(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_child(*state, puppet.pid);
    struct memmodel_monitor_reading before = read_now(monitor), after, later;

    tell(&puppet, 's');
    after = read_now(monitor);
    later = read_now(monitor);
    assert_near(after.rss, before.rss);
    assert_near(after.high_water, before.rss + BLOCK);
    assert_near(later.high_water, before.rss);
    assert_near(summary_of(monitor).peak, before.rss + BLOCK);
    assert_near(summary_of(monitor).peak_sampled, before.rss);
    assert_near(summary_of(monitor).peak_process, before.rss + BLOCK);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
memory_that_stays_is_read(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_child(*state, puppet.pid);
    struct memmodel_monitor_reading before = read_now(monitor), after;

    tell(&puppet, 'a');
    after = read_now(monitor);
    assert_near(after.rss, before.rss + BLOCK);
    assert_true(after.high_water >= after.rss);
    assert_true(after.time > before.time && after.previous_time == before.time);
    tell(&puppet, 'r');
    assert_near(read_now(monitor).rss, before.rss);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
what_was_before_an_attached_monitor_is_not_its_peak(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor;
    struct memmodel_monitor_reading reading;

    tell(&puppet, 's');
    monitor = watch(*state, puppet.pid, NULL);
    reading = read_now(monitor);
    assert_near(summary_of(monitor).peak, reading.rss);
    assert_near(summary_of(monitor).peak_process, reading.rss + BLOCK);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
a_reading_has_its_control_group_s_memory_where_there_is_one(void **state)
{
    memmodel_monitor *monitor = watch(*state, getpid(), NULL);
    const struct memmodel_monitor_reading reading = read_now(monitor);
    const int64_t peak = summary_of(monitor).peak_cgroup;

    if (peak < 0)
        assert_int_equal(reading.cgroup, -1);
    else
        assert_true(reading.cgroup > 0 && reading.cgroup <= peak);
    memmodel_monitor_unref(monitor);
}

static void
what_was_before_the_first_reading_is_the_peak_of_an_own_child(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_child(*state, puppet.pid);
    struct memmodel_monitor_reading reading;

    tell(&puppet, 's');
    reading = read_now(monitor);
    assert_near(reading.high_water, reading.rss + BLOCK);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
proportional_share_counts_shared_pages_once(void **state)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .pss = 1};
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor;
    struct memmodel_monitor_reading reading;

    tell(&puppet, 'a');
    tell(&puppet, 'h'); /* its child shares the block and has one of its own: 3 blocks by RSS, 2 by PSS */
    monitor = watch(*state, puppet.pid, &options);
    reading = read_now(monitor);
    assert_int_equal(reading.process_count, 2);
    assert_true(reading.rss > (int64_t)3 * BLOCK);
    assert_true(reading.pss > (int64_t)2 * BLOCK - TOLERANCE && reading.pss < reading.rss - BLOCK / 2);
    assert_int_equal(summary_of(monitor).peak_pss, reading.pss);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

/* ---- shared memory ---- */

/* A block, and a child that shares it and has one of its own; read until the child counts. */
static memmodel_monitor *
watch_sharing(memmodel_context *context, const struct puppet *puppet, bool each_reading)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .is_child = 1, .pss = each_reading};
    memmodel_monitor *monitor = watch(context, puppet->pid, &options);

    tell(puppet, 'a');
    tell(puppet, 'h');
    while (read_now(monitor).process_count < 2)
        continue;
    return monitor;
}

static void
assert_blocks(int64_t bytes, int64_t blocks)
{
    /* a process has some MiB besides; what it shares with others than its tree is not all its own */
    if (bytes < blocks * BLOCK - TOLERANCE || bytes >= blocks * BLOCK + BLOCK / 2)
        fail_msg("%lld is not %lld blocks and a little", (long long)bytes, (long long)blocks);
}

static void
the_peak_counts_shared_pages_once(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_sharing(*state, &puppet, false);
    struct memmodel_monitor_reading reading = read_now(monitor);

    assert_blocks(reading.rss, 3);
    assert_blocks(reading.charge, 2);
    assert_true(reading.charge_high >= reading.charge);
    assert_blocks(summary_of(monitor).peak, 2);
    assert_blocks(summary_of(monitor).peak_rss, 3);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
a_spike_of_one_who_shares_is_seen(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_sharing(*state, &puppet, false);

    tell(&puppet, 's');
    for (int i = 0; i < 3; i++) /* marks are read in turn */
        read_now(monitor);
    assert_blocks(summary_of(monitor).peak, 3);
    assert_blocks(summary_of(monitor).peak_rss, 4);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
pages_that_are_written_to_are_shared_no_more(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_sharing(*state, &puppet, true);

    assert_blocks(summary_of(monitor).peak, 2);
    tell(&puppet, 'w');
    read_now(monitor);
    assert_blocks(summary_of(monitor).peak, 3);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
a_process_alone_is_its_mark_and_never_looked_at(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_child(*state, puppet.pid);
    struct memmodel_monitor_result summary;

    tell(&puppet, 's');
    read_now(monitor);
    summary = summary_of(monitor);
    assert_int_equal(summary.peak, summary.peak_process);
    assert_int_equal(summary.peak, summary.peak_rss);
    assert_int_equal(summary.pss_readings, 0);
    assert_int_equal(summary.peak_pss, -1);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
a_new_peak_is_settled_by_the_next_look(void **state)
{
    struct sharing sharing = {.start = 0};
    struct tree_size before = {.count = 5, .rss = 500, .shared = 0, .charge = 500, .charge_high = 500, .max = 100};
    struct tree_size after = before;

    (void)state;
    sharing_note(&sharing, &before);
    assert_int_equal(sharing_peak(&sharing), 500); /* all of it, as long as nobody knows better */
    after.shared = 400;
    after.charge = after.charge_high = 100;
    sharing_confirm(&sharing, &before, &after, 1);
    assert_int_equal(sharing_peak(&sharing), 100); /* what had come since was shared */
    sharing_note(&sharing, &(struct tree_size){.count = 5, .charge_high = 900, .max = 100});
    sharing_confirm(&sharing, &after, &after, 2);
    assert_int_equal(sharing_peak(&sharing), 900); /* what had come since was not, and has gone */
    assert_int_equal(sharing.looks, 2);
}

static void
looks_take_a_small_share_of_the_time_unless_a_limit_is_at_stake(void **state)
{
    struct sharing sharing = {.spent = 1};
    struct tree_size size = {.count = 2, .rss = 200, .charge = 200, .charge_high = 200, .max = 100};
    struct tree_size mostly_one = {.count = 2, .rss = 101, .charge = 101, .charge_high = 101, .max = 100};

    (void)state;
    assert_false(sharing_needs_look(&sharing, &size, 0, 10)); /* a second of ten is more than 2 % */
    assert_true(sharing_needs_look(&sharing, &size, 0, 60));
    assert_false(sharing_needs_look(&sharing, &mostly_one, 0, 60)); /* 1 % cannot matter */
    assert_true(sharing_needs_look(&sharing, &size, 150, 10));
    assert_false(sharing_needs_look(&sharing, &size, 250, 10));
    assert_false(sharing_needs_look(&sharing, &size, 90, 10)); /* one process alone is above that */
    assert_false(sharing_look_is_due(&sharing, &size, 60));
    assert_true(sharing_look_is_due(&sharing, &size, 101));
}

/* ---- families ---- */

static void
a_child_counts_from_the_second_reading_that_sees_it(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_child(*state, puppet.pid);
    struct memmodel_monitor_reading alone = read_now(monitor), first, second;

    tell(&puppet, 'h');
    first = read_now(monitor);
    second = read_now(monitor);
    assert_int_equal(first.process_count, 1);
    assert_near(first.rss, alone.rss);
    assert_int_equal(second.process_count, 2);
    assert_true(second.rss > alone.rss + BLOCK - TOLERANCE);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
children_that_are_there_already_count_at_once(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor;
    int64_t pids[2] = {0};

    tell(&puppet, 'h');
    monitor = watch(*state, puppet.pid, NULL);
    assert_int_equal(read_now(monitor).process_count, 2);
    assert_int_equal(memmodel_monitor_processes(monitor, pids, 1), 2);
    assert_int_equal(pids[0], puppet.pid);
    assert_int_equal(pids[1], 0);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

/* More processes than marks are read at each reading: a spike of the last one still is found, within a few readings. */
static void
spikes_of_large_families_are_seen(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_child(*state, puppet.pid);
    int64_t sampled;

    for (int i = 0; i < 8; i++)
        tell(&puppet, 'h');
    read_now(monitor);
    assert_int_equal(read_now(monitor).process_count, 9);
    tell(&puppet, 's');
    for (int i = 0; i < 9; i++)
        read_now(monitor);
    sampled = summary_of(monitor).peak_sampled;
    assert_near(summary_of(monitor).peak_rss, sampled + BLOCK);
    assert_true(summary_of(monitor).peak > (int64_t)9 * BLOCK - TOLERANCE);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

/*
 * A process that was calm is left out of three readings at most, so that the fourth has what it took or gave back,
 * though its mark is only read at every ninth: at two of the three changes at the latest.
 */
static void
memory_that_comes_and_goes_in_large_families_is_seen_at_the_fourth_reading(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_child(*state, puppet.pid);
    int64_t before;

    for (int i = 0; i < 8; i++)
        tell(&puppet, 'h');
    for (int i = 0; i < 4; i++)
        before = read_now(monitor).rss;
    for (const char *change = "ara"; *change; change++) {
        int64_t after = 0;

        tell(&puppet, *change);
        for (int i = 0; i < 4; i++)
            after = read_now(monitor).rss;
        assert_near(after, before + (*change == 'a' ? BLOCK : -BLOCK));
        before = after;
    }
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
an_orphan_of_the_process_group_still_counts(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_child(*state, puppet.pid);

    read_now(monitor);
    tell(&puppet, 'o');
    read_now(monitor);
    assert_int_equal(read_now(monitor).process_count, 2);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
a_daemon_counts_where_its_watcher_gets_the_orphans(void **state)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .is_child = 1, .orphans = 1};
    struct puppet puppet;
    memmodel_monitor *monitor;
    int64_t pids[2];

    if (prctl(PR_SET_CHILD_SUBREAPER, 1UL)) {
        print_message("no process may get the orphans here\n");
        skip();
    }
    puppet = new_puppet();
    monitor = watch(*state, puppet.pid, &options);
    tell(&puppet, 'd');
    read_now(monitor);
    assert_int_equal(read_now(monitor).process_count, 2);
    assert_int_equal(memmodel_monitor_processes(monitor, pids, 2), 2);
    kill((pid_t)pids[1], SIGKILL);
    while (read_now(monitor).process_count > 1)
        continue;
    while (kill((pid_t)pids[1], 0) == 0) /* it is waited for */
        read_now(monitor);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0UL), 0);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
a_daemon_counts_where_a_control_group_could_be_made(void **state)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .is_child = 1, .cgroup = 1};
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch(*state, puppet.pid, &options);
    int64_t pids[2] = {0};
    bool made = summary_of(monitor).own_cgroup;

    if (made) {
        tell(&puppet, 'd');
        read_now(monitor);
        assert_int_equal(read_now(monitor).process_count, 2);
        assert_int_equal(memmodel_monitor_processes(monitor, pids, 2), 2);
        assert_true(summary_of(monitor).peak_cgroup >= BLOCK && summary_of(monitor).peak_cgroup < 2 * BLOCK);
        kill((pid_t)pids[1], SIGKILL);
    }
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
    if (!made) {
        print_message("no control group may be made here\n");
        skip();
    }
}

/* qemu, which runs programs of another machine, makes a fork of it. */
static bool
vfork_shares_memory(void)
{
    volatile bool shared = false;
    pid_t child = vfork();

    if (child == 0) {
        shared = true;
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    return shared;
}

static void
a_child_in_its_parents_own_memory_does_not_count(void **state)
{
    struct puppet puppet;
    memmodel_monitor *monitor;
    struct memmodel_monitor_reading reading;

    if (!vfork_shares_memory()) {
        print_message("no child lives in its parent's memory here\n");
        skip();
    }
    puppet = new_puppet();
    monitor = watch_child(*state, puppet.pid);
    tell(&puppet, 'a');
    tell(&puppet, 'v');
    usleep(50000);
    for (int i = 0; i < 5; i++)
        reading = read_now(monitor);
    assert_int_equal(memmodel_monitor_processes(monitor, NULL, 0), 2);
    assert_int_equal(reading.process_count, 1);
    assert_true(summary_of(monitor).peak < (int64_t)2 * BLOCK);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
a_child_that_came_and_went_between_readings_enters_at_the_end(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_child(*state, puppet.pid);
    struct memmodel_monitor_reading before = read_now(monitor), end;

    tell(&puppet, 'p');
    assert_near(read_now(monitor).high_water, before.rss);
    tell(&puppet, 'x');
    while (!(end = read_now(monitor)).exited)
        usleep(1000);
    assert_true(summary_of(monitor).peak > BLOCK);
    assert_int_equal(summary_of(monitor).peak, end.high_water);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

/* ---- ends ---- */

static void
an_own_child_leaves_its_exit_code_or_signal(void **state)
{
    struct puppet one = new_puppet(), other = new_puppet();
    memmodel_monitor *exits = watch_child(*state, one.pid), *is_killed = watch_child(*state, other.pid);

    assert_int_equal(summary_of(exits).exit_code, -1);
    tell(&one, 'x');
    kill(other.pid, SIGKILL);
    assert_int_equal(memmodel_monitor_run(exits, NULL, NULL), 0);
    assert_int_equal(memmodel_monitor_run(is_killed, NULL, NULL), 0);
    assert_int_equal(summary_of(exits).exit_code, 7);
    assert_int_equal(summary_of(exits).exit_signal, 0);
    assert_int_equal(summary_of(is_killed).exit_code, -1);
    assert_int_equal(summary_of(is_killed).exit_signal, SIGKILL);
    assert_int_equal(read_now(exits).exited, 1);
    memmodel_monitor_unref(exits);
    memmodel_monitor_unref(is_killed);
    end_puppet(&one);
    end_puppet(&other);
}

static void
an_end_is_seen_where_each_reading_looks_at_shares(void **state)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .is_child = 1, .pss = 1};
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch(*state, puppet.pid, &options);

    read_now(monitor);
    tell(&puppet, 'x');
    assert_int_equal(memmodel_monitor_run(monitor, NULL, NULL), 0);
    assert_int_equal(summary_of(monitor).exit_code, 7);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void
an_attached_process_is_left_for_its_parent(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch(*state, puppet.pid, NULL);
    int status;

    assert_int_equal(read_now(monitor).exited, 0);
    tell(&puppet, 'x');
    assert_int_equal(memmodel_monitor_run(monitor, NULL, NULL), 0);
    assert_int_equal(summary_of(monitor).exited, 1);
    assert_int_equal(summary_of(monitor).exit_code, -1);
    assert_int_equal(waitpid(puppet.pid, &status, 0), puppet.pid);
    assert_int_equal(WEXITSTATUS(status), 7);
    memmodel_monitor_unref(monitor);
    close(puppet.to);
    close(puppet.from);
}

static void
the_end_is_seen_before_the_next_interval(void **state)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .interval_seconds = 30, .is_child = 1};
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch(*state, puppet.pid, &options);
    double start = seconds();

    tell(&puppet, 's');
    read_now(monitor);
    tell(&puppet, 'x');
    assert_int_equal(memmodel_monitor_run(monitor, NULL, NULL), 0);
    assert_true(seconds() - start < 10);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static int
stop_at_third(void *user, const struct memmodel_monitor_reading *reading)
{
    assert_true(reading->high_water >= reading->rss);
    return ++*(int *)user == 3;
}

static void
an_observer_or_a_stop_ends_a_run(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_child(*state, puppet.pid);
    int readings = 0;

    assert_int_equal(memmodel_monitor_run(monitor, stop_at_third, &readings), 0);
    assert_int_equal(readings, 3);
    memmodel_monitor_stop(monitor);
    assert_int_equal(memmodel_monitor_run(monitor, NULL, NULL), 0);
    assert_int_equal(summary_of(monitor).reading_count, 4);
    assert_int_equal(summary_of(monitor).exited, 0);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

static void *
run_to_the_end(void *monitor)
{
    return memmodel_monitor_run(monitor, NULL, NULL) ? monitor : NULL;
}

static void
a_stop_does_not_wait_for_a_long_interval(void **state)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .interval_seconds = 1e300};
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor;
    pthread_t thread;
    void *failed;
    double start;

    assert_int_equal(memmodel_monitor_new(*state, puppet.pid, &options, &monitor), 0);
    assert_int_equal(pthread_create(&thread, NULL, run_to_the_end, monitor), 0);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    start = seconds();
    memmodel_monitor_stop(monitor);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    assert_true(seconds() - start < 10);
    assert_true(summary_of(monitor).reading_count <= 2);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

/* ---- curves ---- */

static void
the_curve_has_each_reading_and_each_spike(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = watch_child(*state, puppet.pid);
    const struct memmodel_monitor_point *points;
    struct memmodel_monitor_reading first = read_now(monitor), second;
    size_t count;

    tell(&puppet, 's');
    second = read_now(monitor);
    points = memmodel_monitor_curve(monitor, &count);
    assert_true(count >= 3);
    points += count - 3;
    assert_true(points[0].time == first.time && points[0].bytes == first.rss);
    assert_true(points[1].time > first.time && points[1].time < second.time && points[1].bytes == second.high_water);
    assert_true(points[2].time == second.time && points[2].bytes == second.rss);
    memmodel_monitor_unref(monitor);
    end_puppet(&puppet);
}

/* A saw of 1000 points with one tooth longer than the others, wherever that is. */
static void
a_full_curve_keeps_its_top_its_order_and_its_limit(void **state)
{
    for (int64_t limit = 2; limit <= 17; limit += 5)
        for (int64_t top = 0; top < 1000; top += 37) {
            struct timeline timeline = TIMELINE_INIT(*state, (size_t)limit);
            int64_t max = 0;

            for (int64_t i = 0; i < 1000; i++)
                assert_int_equal(timeline_add(&timeline, (double)i, i == top ? 1000000 : i * 7919 % 1000), 0);
            assert_true(timeline.count <= (size_t)limit && 2 * timeline.count >= (size_t)limit);
            for (size_t i = 0; i < timeline.count; i++) {
                max = timeline.points[i].bytes > max ? timeline.points[i].bytes : max;
                assert_true(i == 0 || timeline.points[i].time > timeline.points[i - 1].time);
            }
            assert_int_equal(max, 1000000);
            timeline_release(&timeline);
        }
}

/* ---- errors ---- */

static void
wrong_arguments_are_refused(void **state)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .interval_seconds = 1e-4};
    struct memmodel_monitor_reading unsized = {.size = 0};
    memmodel_monitor *monitor = NULL;

    assert_error(*state, memmodel_monitor_new(*state, getpid(), &options, &monitor), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "interval_seconds");
    options = (struct memmodel_monitor_options){.size = sizeof options, .max_points = 1};
    assert_error(*state, memmodel_monitor_new(*state, getpid(), &options, &monitor), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "max_points");
    options = (struct memmodel_monitor_options){.size = sizeof options, .limit = -1};
    assert_error(*state, memmodel_monitor_new(*state, getpid(), &options, &monitor), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "limit");
    assert_error(*state, memmodel_monitor_new(*state, 0, NULL, &monitor), MEMMODEL_ERROR_INVALID_ARGUMENT, "pid");
    assert_null(monitor);
    monitor = watch(*state, getpid(), NULL);
    assert_error(*state, memmodel_monitor_read(monitor, &unsized), MEMMODEL_ERROR_STRUCT_SIZE, "sizeof");
    memmodel_monitor_unref(monitor);
}

static void
a_process_that_is_not_there_is_an_error(void **state)
{
    struct puppet puppet = new_puppet();
    memmodel_monitor *monitor = NULL;

    end_puppet(&puppet);
    assert_error(*state, memmodel_monitor_new(*state, puppet.pid, NULL, &monitor), MEMMODEL_ERROR_PROCESS,
                 "no process");
    assert_null(monitor);
}

static void
shorter_structs_of_older_callers_are_filled_as_far_as_they_go(void **state)
{
    memmodel_monitor *monitor = watch(*state, getpid(), NULL);
    struct memmodel_monitor_reading reading = {.size = offsetof(struct memmodel_monitor_reading, pss), .pss = 42};

    assert_int_equal(memmodel_monitor_read(monitor, &reading), 0);
    assert_true(reading.rss > 0 && reading.high_water >= reading.rss);
    assert_int_equal(reading.pss, 42);
    memmodel_monitor_unref(monitor);
}

static int
watch_myself(memmodel_context *context)
{
    memmodel_monitor *monitor;
    int status = memmodel_monitor_new(context, getpid(), NULL, &monitor);

    if (status)
        return status;
    for (int i = 0; !status && i < 40; i++)
        status = memmodel_monitor_read(monitor, NULL);
    memmodel_monitor_unref(monitor);
    return status;
}

static void
monitors_survive_failing_allocations(void **state)
{
    (void)state;
    assert_survives_failing_allocations(watch_myself);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_spike_between_two_readings_is_seen),
        WITH_CONTEXT(memory_that_stays_is_read),
        WITH_CONTEXT(what_was_before_an_attached_monitor_is_not_its_peak),
        WITH_CONTEXT(a_reading_has_its_control_group_s_memory_where_there_is_one),
        WITH_CONTEXT(what_was_before_the_first_reading_is_the_peak_of_an_own_child),
        WITH_CONTEXT(proportional_share_counts_shared_pages_once),
        WITH_CONTEXT(the_peak_counts_shared_pages_once),
        WITH_CONTEXT(a_spike_of_one_who_shares_is_seen),
        WITH_CONTEXT(pages_that_are_written_to_are_shared_no_more),
        WITH_CONTEXT(a_process_alone_is_its_mark_and_never_looked_at),
        cmocka_unit_test(a_new_peak_is_settled_by_the_next_look),
        cmocka_unit_test(looks_take_a_small_share_of_the_time_unless_a_limit_is_at_stake),
        WITH_CONTEXT(a_child_counts_from_the_second_reading_that_sees_it),
        WITH_CONTEXT(children_that_are_there_already_count_at_once),
        WITH_CONTEXT(spikes_of_large_families_are_seen),
        WITH_CONTEXT(memory_that_comes_and_goes_in_large_families_is_seen_at_the_fourth_reading),
        WITH_CONTEXT(an_orphan_of_the_process_group_still_counts),
        WITH_CONTEXT(a_daemon_counts_where_its_watcher_gets_the_orphans),
        WITH_CONTEXT(a_daemon_counts_where_a_control_group_could_be_made),
        WITH_CONTEXT(a_child_in_its_parents_own_memory_does_not_count),
        WITH_CONTEXT(a_child_that_came_and_went_between_readings_enters_at_the_end),
        WITH_CONTEXT(an_own_child_leaves_its_exit_code_or_signal),
        WITH_CONTEXT(an_end_is_seen_where_each_reading_looks_at_shares),
        WITH_CONTEXT(an_attached_process_is_left_for_its_parent),
        WITH_CONTEXT(the_end_is_seen_before_the_next_interval),
        WITH_CONTEXT(an_observer_or_a_stop_ends_a_run),
        WITH_CONTEXT(a_stop_does_not_wait_for_a_long_interval),
        WITH_CONTEXT(the_curve_has_each_reading_and_each_spike),
        WITH_CONTEXT(a_full_curve_keeps_its_top_its_order_and_its_limit),
        WITH_CONTEXT(wrong_arguments_are_refused),
        WITH_CONTEXT(a_process_that_is_not_there_is_an_error),
        WITH_CONTEXT(shorter_structs_of_older_callers_are_filled_as_far_as_they_go),
        cmocka_unit_test(monitors_survive_failing_allocations),
    };

    return cmocka_run_group_tests_name("monitor", tests, NULL, NULL);
}
