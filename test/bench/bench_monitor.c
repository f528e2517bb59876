/*
 * What watching costs: processor time of the monitor per second of wall time, at 10 ms, for families of some sizes,
 * calm ones and ones in which each process takes and gives back memory all the time. JSON lines.
 */
#define _GNU_SOURCE
#include "memmodel.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 1 << 20, READINGS = 500 };

static double
seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* `bytes` of fresh memory, taken and given back 200 times a second. */
static void
breathe(size_t bytes)
{
    for (;;) {
        void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (block != MAP_FAILED) {
            memset(block, 1, bytes);
            usleep(2500);
            munmap(block, bytes);
        }
        usleep(2500);
    }
}

/* A process with `children` of its own; all of them busy or calm, until they are killed. */
static pid_t
start_family(int children, int busy)
{
    pid_t root = fork();

    if (root != 0)
        return root;
    setpgid(0, 0);
    for (int i = 0; i < children; i++)
        if (fork() == 0)
            break;
    if (busy)
        breathe(BLOCK);
    for (;;)
        pause();
}

static int
stop_after(void *user, const struct memmodel_monitor_reading *reading)
{
    (void)reading;
    return ++*(int *)user == READINGS;
}

static void
measure(memmodel_context *context, int processes, int busy)
{
    struct memmodel_monitor_options options = {.size = sizeof options, .is_child = 1};
    struct memmodel_monitor_result summary = {.size = sizeof summary};
    memmodel_monitor *monitor;
    pid_t root = start_family(processes - 1, busy);
    double wall, processor;
    int readings = 0;

    setpgid(root, root);
    usleep(200000);
    if (root < 0 || memmodel_monitor_new(context, root, &options, &monitor))
        exit(EXIT_FAILURE);
    wall = seconds_of(CLOCK_MONOTONIC);
    processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (memmodel_monitor_run(monitor, stop_after, &readings) || memmodel_monitor_get_result(monitor, &summary))
        exit(EXIT_FAILURE);
    processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
    wall = seconds_of(CLOCK_MONOTONIC) - wall;
    printf("{\"bench\": \"monitor\", \"processes\": %d, \"busy\": %s, \"interval\": 0.01, \"readings\": %lld, "
           "\"microseconds_per_reading\": %.1f, \"share_of_a_core\": %.5f}\n",
           (int)summary.process_count, busy ? "true" : "false", (long long)summary.reading_count,
           processor / (double)summary.reading_count * 1e6, processor / wall);
    fflush(stdout);
    kill(-root, SIGKILL);
    waitpid(root, NULL, 0);
    memmodel_monitor_unref(monitor);
}

/* What any program pays for waking up as often: to be taken off to see what the readings themselves cost. */
static void
measure_sleep(void)
{
    struct timespec interval = {.tv_nsec = 10000000};
    double wall = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);

    for (int i = 0; i < READINGS; i++)
        nanosleep(&interval, NULL);
    processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
    wall = seconds_of(CLOCK_MONOTONIC) - wall;
    printf("{\"bench\": \"monitor\", \"processes\": 0, \"busy\": false, \"interval\": 0.01, \"readings\": %d, "
           "\"microseconds_per_reading\": %.1f, \"share_of_a_core\": %.5f}\n",
           READINGS, processor / READINGS * 1e6, processor / wall);
}

int
main(void)
{
    static const int families[] = {1, 10, 100};
    memmodel_context *context;

    if (memmodel_context_new(NULL, &context))
        return EXIT_FAILURE;
    measure_sleep();
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        measure(context, families[i], 0);
        measure(context, families[i], 1);
    }
    memmodel_context_unref(context);
    return EXIT_SUCCESS;
}
