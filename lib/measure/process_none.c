/* Systems whose processes this library cannot read: the first question is answered with "unsupported". */
#include "measure/cgroup.h"

int
process_open(int pid, struct process_files *files)
{
    (void)pid, (void)files;
    return MEMMODEL_ERROR_UNSUPPORTED;
}

/* No monitor can be made without process_open(), so nothing below is ever asked. */

void
process_close(struct process_files *files)
{
    (void)files;
}

bool
process_read_size(const struct process_files *files, struct process_size *size)
{
    (void)files, (void)size;
    return false;
}

bool
process_read_mark(const struct process_files *files, struct process_size *size)
{
    (void)files, (void)size;
    return false;
}

bool
process_read_pss(int pid, struct process_share *share)
{
    (void)pid, (void)share;
    return false;
}

bool
process_identify(int pid, struct process_identity *identity)
{
    (void)pid, (void)identity;
    return false;
}

size_t
process_list(int *pids, size_t capacity)
{
    (void)pids, (void)capacity;
    return 0;
}

int
process_open_newest(void)
{
    return -1;
}

int
process_newest(int file)
{
    (void)file;
    return -1;
}

bool
process_share_memory(int one, int other)
{
    (void)one, (void)other;
    return false;
}

bool
process_wait(int pid, struct process_end *end)
{
    (void)pid, (void)end;
    return false;
}

bool
process_wait_other(int pid, struct process_end *end)
{
    (void)pid, (void)end;
    return false;
}

int
process_open_handle(int pid)
{
    (void)pid;
    return -1;
}

void
process_close_file(int file)
{
    (void)file;
}

bool
process_sleep(int handle, double deadline)
{
    (void)handle, (void)deadline;
    return false;
}

double
process_clock(void)
{
    return 0;
}

double
process_calendar(void)
{
    return 0;
}

double
process_effort(void)
{
    return 0;
}

int
process_self(void)
{
    return 0;
}

void
cgroup_open(const char *proc, int pid, struct cgroup *cgroup)
{
    (void)proc, (void)pid;
    *cgroup = CGROUP_NONE;
}

void
cgroup_make(const char *proc, int pid, struct cgroup *cgroup)
{
    cgroup_open(proc, pid, cgroup);
}

void
cgroup_close(struct cgroup *cgroup)
{
    (void)cgroup;
}

void
cgroup_read(const struct cgroup *cgroup, struct process_size *size)
{
    (void)cgroup;
    *size = (struct process_size){-1, -1};
}

int64_t
cgroup_kills(const struct cgroup *cgroup)
{
    (void)cgroup;
    return -1;
}

size_t
cgroup_members(const struct cgroup *cgroup, int *pids, size_t capacity)
{
    (void)cgroup, (void)pids, (void)capacity;
    return 0;
}
