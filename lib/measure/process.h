/*
 * What the monitor asks the operating system. process_linux.c answers from /proc; process_none.c, everywhere else,
 * answers that there is nothing to be read.
 */
#ifndef MEASURE_PROCESS_H
#define MEASURE_PROCESS_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

/* Descriptors kept open for one process; -1 where there is none, and then the file is opened for each reading. */
struct process_files {
    int pid, size, marks;
};

/* One process at one time, in bytes. `high_water_mark` is VmHWM. */
struct process_size {
    int64_t rss, high_water_mark;
};

struct process_identity {
    int pid, parent, group;
};

struct process_end {
    int exit_code, exit_signal;
    int64_t peak; /* greatest size of it or of any descendant that was waited for */
};

/* Of one process, in bytes, at the same time: all it has, that with each shared page divided by its users, and what
 * others have too. */
struct process_share {
    int64_t rss, pss, shared;
};

/* 0, MEMMODEL_ERROR_PROCESS, MEMMODEL_ERROR_UNSUPPORTED; sets no error. */
int
process_open(int pid, struct process_files *files);

void
process_close(struct process_files *files);

/* Reads `rss` only, which is cheap. False once the process is gone. */
bool
process_read_size(const struct process_files *files, struct process_size *size);

/* Reads `rss` and `high_water_mark`. False once the process is gone, or only waits to be waited for. */
bool
process_read_mark(const struct process_files *files, struct process_size *size);

/* Walks all pages of the process. False if it may not be read, or is gone. */
bool
process_read_pss(int pid, struct process_share *share);

/* False if there is no such process, it has ended, or `pid` is a thread of one. */
bool
process_identify(int pid, struct process_identity *identity);

/* All processes, at most `capacity`; returns how many there are, or 0 if they cannot be listed. */
size_t
process_list(int *pids, size_t capacity);

/* A descriptor that process_newest() reads; -1 if the system does not say. */
int
process_open_newest(void);

/* The number the last new process or thread was given, or -1. */
int
process_newest(int file);

/* Whether two processes use the very same memory, as after vfork(). */
bool
process_share_memory(int one, int other);

/* Whether the child `pid` has ended; it is waited for then. */
bool
process_wait(int pid, struct process_end *end);

/* Whether any child but `pid` has ended; it is waited for then. */
bool
process_wait_other(int pid, struct process_end *end);

/* A descriptor with which process_sleep() sees the end of a process; -1 if the system has no such thing. */
int
process_open_handle(int pid);

/* Closes what process_open_newest() or process_open_handle() opened. */
void
process_close_file(int file);

/*
 * Sleeps until process_clock() is `deadline`, the process of `handle` ends, or a signal comes: true if it was the
 * first.
 */
bool
process_sleep(int handle, double deadline);

/* Seconds of a clock that never jumps, and of the calendar since 1970. */
double
process_clock(void);

double
process_calendar(void);

/* Seconds of processor time that this thread has used. */
double
process_effort(void);

/* The number of this process. */
int
process_self(void);

#endif
