/* The memory of a control group: that of a process, or one that is made for it. */
#ifndef MEASURE_CGROUP_H
#define MEASURE_CGROUP_H

#include "measure/process.h"

#include <stddef.h>

enum { CGROUP_PATH_BYTES = 1024 };

/* Descriptors, -1 where there is none. */
struct cgroup {
    int current, peak, events;
    int members;                  /* of a group that was made; -1 for one that was there */
    int64_t limit;                /* most memory that it or any above it allows; -1: no limit */
    char made[CGROUP_PATH_BYTES]; /* its directory; "" for one that was there */
};

#define CGROUP_NONE ((struct cgroup){.current = -1, .peak = -1, .events = -1, .members = -1, .limit = -1})

/* The group that the process is in, of version 2 or 1. `proc` is where the system shows its processes: "/proc". */
void
cgroup_open(const char *proc, int pid, struct cgroup *cgroup);

/*
 * Makes a group below that one, where this is allowed, and moves the process there; else opens the one it is in. Groups
 * that dead processes have left behind are removed.
 */
void
cgroup_make(const char *proc, int pid, struct cgroup *cgroup);

/* A group that was made is removed; who is still in it goes where the group was made. */
void
cgroup_close(struct cgroup *cgroup);

/* rss is what it has now and high_water_mark its maximum so far, -1 each where there is none. */
void
cgroup_read(const struct cgroup *cgroup, struct process_size *size);

/* Processes that the kernel has killed in it for want of memory, whosever limit was reached; -1 where they are not counted. */
int64_t
cgroup_kills(const struct cgroup *cgroup);

/* The processes in a group that was made, at most `capacity`; 0 for one that was there. */
size_t
cgroup_members(const struct cgroup *cgroup, int *pids, size_t capacity);

#endif
