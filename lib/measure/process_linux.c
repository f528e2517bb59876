/*
 * Processes as Linux shows them. Sources: proc(5), wait4(2), kcmp(2), pidfd_open(2), and the kernel's
 * Documentation/admin-guide/sysctl/kernel.rst ("ns_last_pid").
 */
#define _GNU_SOURCE
#include "measure/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FILE_BYTES = 4096, KIBIBYTE = 1024 };

/* ---- small files ---- */

static int
open_of(int pid, const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* The file as text, from its start; false if nothing could be read. */
static bool
read_text(int file, char text[FILE_BYTES])
{
    ssize_t length = file < 0 ? -1 : pread(file, text, FILE_BYTES - 1, 0);

    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static bool
read_once(int file, char text[FILE_BYTES])
{
    bool read = read_text(file, text);

    if (file >= 0)
        close(file);
    return read;
}

/* From the descriptor that is kept, or where there was none left to keep, from one just for this. */
static bool
read_of(int pid, int kept, const char *name, char text[FILE_BYTES])
{
    return kept >= 0 ? read_text(kept, text) : read_once(open_of(pid, name), text);
}

/* The number after "\nKEY:", or `missing`. */
static int64_t
field(const char *text, const char *key, int64_t missing)
{
    const char *found = strstr(text, key);

    return found ? strtoll(found + strlen(key), NULL, 10) : missing;
}

/* ---- one process ---- */

int
process_open(int pid, struct process_files *files)
{
    char text[FILE_BYTES];

    files->pid = pid;
    files->size = open_of(pid, "statm");
    files->marks = open_of(pid, "status");
    if (read_of(pid, files->marks, "status", text))
        return 0;
    process_close(files);
    return MEMMODEL_ERROR_PROCESS;
}

void
process_close(struct process_files *files)
{
    process_close_file(files->size);
    process_close_file(files->marks);
    files->size = files->marks = -1;
}

bool
process_read_size(const struct process_files *files, struct process_size *size)
{
    char text[FILE_BYTES], *resident;

    if (!read_of(files->pid, files->size, "statm", text))
        return false;
    resident = strchr(text, ' ');
    size->rss = resident ? strtoll(resident, NULL, 10) * sysconf(_SC_PAGESIZE) : 0;
    return true;
}

/* Whether it has ended and only waits to be waited for, by its file "status". */
static bool
has_ended(const char *text)
{
    const char *state = strstr(text, "\nState:\t");

    return state && strchr("ZX", state[strlen("\nState:\t")]);
}

bool
process_read_mark(const struct process_files *files, struct process_size *size)
{
    char text[FILE_BYTES];

    if (!read_of(files->pid, files->marks, "status", text) || has_ended(text))
        return false;
    size->rss = field(text, "\nVmRSS:", 0) * KIBIBYTE;
    size->high_water_mark = field(text, "\nVmHWM:", 0) * KIBIBYTE;
    return true;
}

bool
process_read_pss(int pid, struct process_share *share)
{
    char text[FILE_BYTES];

    if (!read_once(open_of(pid, "smaps_rollup"), text) || field(text, "\nPss:", -1) < 0)
        return false;
    share->rss = field(text, "\nRss:", 0) * KIBIBYTE;
    share->pss = field(text, "\nPss:", 0) * KIBIBYTE;
    share->shared = (field(text, "\nShared_Clean:", 0) + field(text, "\nShared_Dirty:", 0)) * KIBIBYTE;
    return true;
}

bool
process_identify(int pid, struct process_identity *identity)
{
    char text[FILE_BYTES];

    if (!read_once(open_of(pid, "status"), text) || has_ended(text) || field(text, "\nTgid:", 0) != pid)
        return false;
    *identity = (struct process_identity){
        .pid = pid, .parent = (int)field(text, "\nPPid:", 0), .group = (int)field(text, "\nNSpgid:", 0)};
    return true;
}

bool
process_share_memory(int one, int other)
{
    return syscall(SYS_kcmp, one, other, KCMP_VM, 0L, 0L) == 0;
}

/* ---- all processes ---- */

size_t
process_list(int *pids, size_t capacity)
{
    DIR *all = opendir("/proc");
    const struct dirent *entry;
    size_t count = 0;

    if (!all)
        return 0;
    while ((entry = readdir(all)) != NULL) {
        int pid = atoi(entry->d_name);

        if (pid > 0 && count++ < capacity)
            pids[count - 1] = pid;
    }
    closedir(all);
    return count;
}

int
process_open_newest(void)
{
    return open("/proc/sys/kernel/ns_last_pid", O_RDONLY | O_CLOEXEC);
}

int
process_newest(int file)
{
    char text[FILE_BYTES];

    return read_text(file, text) ? atoi(text) : -1;
}

/* ---- time and ends ---- */

bool
process_wait(int pid, struct process_end *end)
{
    struct rusage usage;
    int status;

    if (wait4(pid, &status, WNOHANG, &usage) != pid)
        return false;
    *end = (struct process_end){
        .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
        .exit_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        .peak = (int64_t)usage.ru_maxrss * KIBIBYTE,
    };
    return true;
}

bool
process_wait_other(int pid, struct process_end *end)
{
    siginfo_t ended = {.si_pid = 0};

    if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0 || ended.si_pid == pid)
        return false;
    return process_wait(ended.si_pid, end);
}

int
process_open_handle(int pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    return (void)pid, -1;
#endif
}

void
process_close_file(int file)
{
    if (file >= 0)
        close(file);
}

bool
process_sleep(int handle, double deadline)
{
    struct pollfd watched = {.fd = handle, .events = POLLIN};
    double seconds = deadline - process_clock();
    struct timespec left;

    if (seconds <= 0)
        return true;
    left.tv_sec = (time_t)seconds;
    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    return ppoll(&watched, 1, &left, NULL) == 0;
}

static double
seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double
process_clock(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double
process_calendar(void)
{
    return seconds_of(CLOCK_REALTIME);
}

double
process_effort(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

int
process_self(void)
{
    return (int)getpid();
}
