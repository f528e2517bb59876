/*
 * Control groups as Linux shows them. Sources: the kernel's Documentation/admin-guide/cgroup-v2.rst ("memory.current",
 * "memory.peak", "memory.max", "memory.events", "cgroup.subtree_control") and cgroup-v1/memory.rst (its "oom_kill" in
 * memory.oom_control since Linux 4.13: mem_cgroup_oom_control_read() of mm/memcontrol-v1.c), cgroups(7), and for mountinfo proc(5).
 *
 * A group is made below that of the process, never beside it: all limits that the process had keep holding. Version 2
 * allows this only where the group it is in hands the memory controller down.
 */
#define _GNU_SOURCE
#include "measure/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_BYTES = 4096, NAME_BYTES = 64, MAX_LEFT_OVER = 256 };

struct version {
    const char *type, *current, *peak, *limit, *events;
    const char *controller; /* by which a line of /proc/PID/cgroup is found; "" in the one hierarchy of version 2 */
};

static const struct version versions[] = {
    {"cgroup2", "memory.current", "memory.peak", "memory.max", "memory.events", ""},
    {"cgroup", "memory.usage_in_bytes", "memory.max_usage_in_bytes", "memory.limit_in_bytes", "memory.oom_control",
     "memory"},
};
enum { VERSION_COUNT = sizeof versions / sizeof versions[0] };

/* From here on version 1 means that there is no limit: its greatest is LONG_MAX in whole pages. Version 2 says "max". */
static const int64_t NO_LIMIT = INT64_C(1) << 62;

/* ---- small files ---- */

static bool
join(char path[CGROUP_PATH_BYTES], const char *directory, const char *name)
{
    int length = snprintf(path, CGROUP_PATH_BYTES, "%s/%s", directory, name);

    return length > 0 && length < CGROUP_PATH_BYTES;
}

static int
open_below(const char *directory, const char *name, int flags)
{
    char path[CGROUP_PATH_BYTES];

    return join(path, directory, name) ? open(path, flags | O_CLOEXEC) : -1;
}

static bool
read_text(int file, off_t offset, char text[TEXT_BYTES])
{
    ssize_t length = file < 0 ? -1 : pread(file, text, TEXT_BYTES - 1, offset);

    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static bool
read_below(const char *directory, const char *name, char text[TEXT_BYTES])
{
    int file = open_below(directory, name, O_RDONLY);
    bool read = read_text(file, 0, text);

    process_close_file(file);
    return read;
}

/* Whether a list that `separator` parts has the word; the list ends at any of `ends`. */
static bool
has_word(const char *list, const char *word, char separator, const char *ends)
{
    size_t length = strcspn(list, ends), size = strlen(word);

    for (const char *at = list; at + size <= list + length; at++) {
        bool begins = at == list || at[-1] == separator, stops = at + size == list + length || at[size] == separator;

        if (begins && stops && strncmp(at, word, size) == 0)
            return true;
    }
    return false;
}

/* ---- where a process's group is ---- */

struct mount {
    char root[CGROUP_PATH_BYTES], point[CGROUP_PATH_BYTES];
};

/* A line of mountinfo: "ID PARENT DEVICE ROOT POINT OPTIONS... - TYPE SOURCE SUPER,OPTIONS". */
static bool
is_mount_of(const char *line, const struct version *version, struct mount *mount)
{
    const char *end = strstr(line, " - ");
    char type[16];
    int options = 0;

    if (!end || sscanf(end, " - %15s %*s %n", type, &options) != 1 || strcmp(type, version->type) != 0)
        return false;
    if (*version->controller && (!options || !has_word(end + options, version->controller, ',', "\n")))
        return false;
    return sscanf(line, "%*s %*s %*s %1023s %1023s", mount->root, mount->point) == 2;
}

static bool
find_mount(const char *proc, const struct version *version, struct mount *mount)
{
    char path[CGROUP_PATH_BYTES], line[TEXT_BYTES];
    FILE *mounts = join(path, proc, "self/mountinfo") ? fopen(path, "re") : NULL;
    bool found = false;

    while (mounts && !found && fgets(line, sizeof line, mounts))
        found = is_mount_of(line, version, mount);
    if (mounts)
        fclose(mounts);
    return found;
}

/* The path in a line "NUMBER:CONTROLLER,CONTROLLER:PATH" of the version; NULL if there is none. Cuts the text there. */
static const char *
find_path(char *text, const struct version *version)
{
    char *next;

    for (char *line = text; line; line = next) {
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;

        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (path && has_word(controllers + 1, version->controller, ',', ":"))
            return path + 1;
    }
    return NULL;
}

/* A container may see a part of the hierarchy only: the mount's root is where it begins. */
static const char *
below_root(const char *path, const char *root)
{
    size_t length = strlen(root);

    if (length > 1 && strncmp(path, root, length) == 0 && (path[length] == '/' || !path[length]))
        path += length;
    return strcmp(path, "/") == 0 ? "" : path;
}

/* A group's directory, of which the first `top` characters are that of the highest one that can be seen. */
struct place {
    char directory[CGROUP_PATH_BYTES];
    size_t top;
};

static bool
find_place(const char *proc, int pid, const struct version *version, struct place *place)
{
    char text[TEXT_BYTES], name[NAME_BYTES];
    struct mount mount;
    const char *path;
    int length;

    snprintf(name, sizeof name, "%d/cgroup", pid);
    if (!find_mount(proc, version, &mount) || !read_below(proc, name, text))
        return false;
    path = find_path(text, version);
    if (!path)
        return false;
    place->top = strlen(mount.point);
    length = snprintf(place->directory, CGROUP_PATH_BYTES, "%s%s", mount.point, below_root(path, mount.root));
    return length > 0 && length < CGROUP_PATH_BYTES;
}

/* -1 where no group from this one up has a limit. */
static int64_t
find_limit(const struct place *place, const struct version *version)
{
    char directory[CGROUP_PATH_BYTES], text[TEXT_BYTES];
    int64_t limit = NO_LIMIT;

    memcpy(directory, place->directory, sizeof directory);
    for (size_t length = strlen(directory); length >= place->top; length = strlen(directory)) {
        char *end, *slash = strrchr(directory, '/');
        int64_t own = read_below(directory, version->limit, text) ? strtoll(text, &end, 10) : NO_LIMIT;

        if (own < limit && end != text)
            limit = own;
        if (!slash || length == place->top)
            break;
        *slash = '\0';
    }
    return limit == NO_LIMIT ? -1 : limit;
}

/* ---- a group that is there ---- */

static bool
open_files(const char *directory, const struct version *version, struct cgroup *cgroup)
{
    *cgroup = CGROUP_NONE;
    cgroup->current = open_below(directory, version->current, O_RDONLY);
    if (cgroup->current < 0)
        return false;
    cgroup->peak = open_below(directory, version->peak, O_RDONLY);
    cgroup->events = open_below(directory, version->events, O_RDONLY);
    return true;
}

void
cgroup_open(const char *proc, int pid, struct cgroup *cgroup)
{
    struct place place;

    *cgroup = CGROUP_NONE;
    for (size_t i = 0; i < VERSION_COUNT; i++) {
        if (!find_place(proc, pid, &versions[i], &place) || !open_files(place.directory, &versions[i], cgroup))
            continue;
        cgroup->limit = find_limit(&place, &versions[i]);
        return;
    }
}

void
cgroup_read(const struct cgroup *cgroup, struct process_size *size)
{
    char text[TEXT_BYTES];

    size->rss = read_text(cgroup->current, 0, text) ? strtoll(text, NULL, 10) : -1;
    size->high_water_mark = read_text(cgroup->peak, 0, text) ? strtoll(text, NULL, 10) : -1;
}

/* A line "oom_kill 2" of several such. */
int64_t
cgroup_kills(const struct cgroup *cgroup)
{
    static const char word[] = "oom_kill ";
    char text[TEXT_BYTES];

    if (!read_text(cgroup->events, 0, text))
        return -1;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, sizeof word - 1) == 0)
            return strtoll(line + sizeof word - 1, NULL, 10);
    }
    return -1;
}

/* ---- a group that is made ---- */

/* "memmodel-WATCHER-WATCHED": of watchers that are no more, what they could not remove. */
static void
remove_left_behind(const char *directory)
{
    DIR *groups = opendir(directory);
    const struct dirent *entry;
    char path[CGROUP_PATH_BYTES];
    int watcher;

    while (groups && (entry = readdir(groups)) != NULL)
        if (sscanf(entry->d_name, "memmodel-%d-", &watcher) == 1 && watcher > 0 && kill(watcher, 0) != 0 &&
            errno == ESRCH && join(path, directory, entry->d_name))
            rmdir(path);
    if (groups)
        closedir(groups);
}

static bool
move(const char *directory, int pid)
{
    char text[NAME_BYTES];
    int file = open_below(directory, "cgroup.procs", O_WRONLY), length = snprintf(text, sizeof text, "%d\n", pid);
    bool moved = file >= 0 && write(file, text, (size_t)length) == length;

    process_close_file(file);
    return moved;
}

static bool
make_below(const char *directory, int pid, const struct version *version, struct cgroup *cgroup)
{
    char name[NAME_BYTES], made[CGROUP_PATH_BYTES], handed_down[TEXT_BYTES];

    snprintf(name, sizeof name, "memmodel-%d-%d", (int)getpid(), pid);
    if (!*version->controller &&
        !(read_below(directory, "cgroup.subtree_control", handed_down) && has_word(handed_down, "memory", ' ', "\n")))
        return false;
    if (!join(made, directory, name) || mkdir(made, 0755) != 0)
        return false;
    if (open_files(made, version, cgroup) && move(made, pid)) {
        cgroup->members = open_below(made, "cgroup.procs", O_RDONLY);
        memcpy(cgroup->made, made, sizeof made);
        return true;
    }
    cgroup_close(cgroup);
    rmdir(made);
    return false;
}

void
cgroup_make(const char *proc, int pid, struct cgroup *cgroup)
{
    struct place place;

    for (size_t i = 0; i < VERSION_COUNT; i++) {
        if (!find_place(proc, pid, &versions[i], &place))
            continue;
        remove_left_behind(place.directory);
        if (!make_below(place.directory, pid, &versions[i], cgroup))
            continue;
        cgroup->limit = find_limit(&place, &versions[i]);
        return;
    }
    cgroup_open(proc, pid, cgroup);
}

/* A text that is longer than a reading of it goes on behind the last whole line. */
size_t
cgroup_members(const struct cgroup *cgroup, int *pids, size_t capacity)
{
    char text[TEXT_BYTES];
    off_t offset = 0;
    size_t count = 0;

    while (count < capacity && read_text(cgroup->members, offset, text)) {
        const char *line = text;

        for (const char *end = strchr(line, '\n'); end && count < capacity; end = strchr(line, '\n')) {
            pids[count++] = atoi(line);
            line = end + 1;
        }
        if (line == text)
            break;
        offset += line - text;
    }
    return count;
}

static void
remove_made(struct cgroup *cgroup)
{
    char above[CGROUP_PATH_BYTES];
    int pids[MAX_LEFT_OVER];
    size_t count = cgroup_members(cgroup, pids, MAX_LEFT_OVER);

    memcpy(above, cgroup->made, sizeof above);
    *strrchr(above, '/') = '\0';
    for (size_t i = 0; i < count; i++)
        move(above, pids[i]);
    rmdir(cgroup->made);
}

void
cgroup_close(struct cgroup *cgroup)
{
    if (*cgroup->made)
        remove_made(cgroup);
    process_close_file(cgroup->current);
    process_close_file(cgroup->peak);
    process_close_file(cgroup->events);
    process_close_file(cgroup->members);
    *cgroup = CGROUP_NONE;
}
