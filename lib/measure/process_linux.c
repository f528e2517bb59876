/*
 * Processes as Linux shows them. Sources: proc(5), wait4(2), kcmp(2), pidfd_open(2), and the kernel's
 * Documentation/admin-guide/cgroup-v2.rst ("memory.current", "memory.peak") and sysctl/kernel.rst ("ns_last_pid").
 */
#define _GNU_SOURCE
#include "measure/process.h"

#include <dirent.h>
#include <errno.h>
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

enum { FILE_BYTES = 4096, PATH_BYTES = 4096, KIBIBYTE = 1024 };

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

bool
process_read_mark(const struct process_files *files, struct process_size *size)
{
    char text[FILE_BYTES];
    const char *state;

    if (!read_of(files->pid, files->marks, "status", text))
        return false;
    state = strstr(text, "\nState:\t");
    if (state && strchr("ZX", state[strlen("\nState:\t")]))
        return false;
    size->rss = field(text, "\nVmRSS:", 0) * KIBIBYTE;
    size->mark = field(text, "\nVmHWM:", 0) * KIBIBYTE;
    return true;
}

int64_t
process_read_pss(int pid)
{
    char text[FILE_BYTES];
    int64_t kibibytes = read_once(open_of(pid, "smaps_rollup"), text) ? field(text, "\nPss:", -1) : -1;

    return kibibytes < 0 ? -1 : kibibytes * KIBIBYTE;
}

bool
process_identify(int pid, struct process_identity *identity)
{
    char text[FILE_BYTES];

    if (!read_once(open_of(pid, "status"), text) || field(text, "\nTgid:", 0) != pid)
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

/* ---- control groups ---- */

/* Where version 2 is mounted: in mountinfo the mount point is the fifth word, and "- cgroup2 " names the type. */
static bool
find_cgroup_mount(const char *proc, char mount[PATH_BYTES])
{
    char path[PATH_BYTES], line[2 * PATH_BYTES];
    FILE *mounts;
    bool found = false;

    snprintf(path, sizeof path, "%s/self/mountinfo", proc);
    mounts = fopen(path, "re");
    while (mounts && !found && fgets(line, sizeof line, mounts))
        found = strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %*s %4095s", mount) == 1;
    if (mounts)
        fclose(mounts);
    return found;
}

/* The path of the process's group below the mount: the line "0::PATH". */
static bool
find_cgroup_path(const char *proc, int pid, char path[FILE_BYTES])
{
    char text[FILE_BYTES], name[PATH_BYTES];
    const char *line;

    snprintf(name, sizeof name, "%s/%d/cgroup", proc, pid);
    if (!read_once(open(name, O_RDONLY | O_CLOEXEC), text))
        return false;
    line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
    if (!line)
        return false;
    line = strchr(line, '/');
    snprintf(path, FILE_BYTES, "%.*s", line ? (int)strcspn(line, "\n") : 0, line ? line : "");
    return true;
}

static int
open_below(const char *mount, const char *path, const char *name)
{
    char full[PATH_BYTES + FILE_BYTES + 64];

    snprintf(full, sizeof full, "%s%s/%s", mount, path, name);
    return open(full, O_RDONLY | O_CLOEXEC);
}

void
process_open_cgroup(const char *proc, int pid, struct process_cgroup *cgroup)
{
    char mount[PATH_BYTES], path[FILE_BYTES];

    *cgroup = (struct process_cgroup){-1, -1};
    if (!find_cgroup_mount(proc, mount) || !find_cgroup_path(proc, pid, path))
        return;
    cgroup->current = open_below(mount, path, "memory.current");
    cgroup->peak = open_below(mount, path, "memory.peak");
}

void
process_close_cgroup(struct process_cgroup *cgroup)
{
    process_close_file(cgroup->current);
    process_close_file(cgroup->peak);
    *cgroup = (struct process_cgroup){-1, -1};
}

void
process_read_cgroup(const struct process_cgroup *cgroup, struct process_size *size)
{
    char text[FILE_BYTES];

    size->rss = read_text(cgroup->current, text) ? strtoll(text, NULL, 10) : -1;
    size->mark = read_text(cgroup->peak, text) ? strtoll(text, NULL, 10) : -1;
}
