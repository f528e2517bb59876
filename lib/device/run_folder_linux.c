/* flock() ends with the process that took it, however that one ends. */
#define _GNU_SOURCE
#include "device/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char prefix[] = "memmodel-cuda-", template[] = "XXXXXX";

/* A younger one may be another run's that has not locked it yet. */
enum { YOUNG_SECONDS = 60 };

static int
lock_folder(int parent, const char *path)
{
    int lock = openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        return lock;
    if (lock >= 0)
        close(lock);
    return -1;
}

static void
remove_files(int folder)
{
    int own = dup(folder);
    DIR *files = own < 0 ? NULL : fdopendir(own);
    const struct dirent *file;

    if (!files && own >= 0)
        close(own);
    while (files && (file = readdir(files)) != NULL)
        if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0)
            unlinkat(folder, file->d_name, 0);
    if (files)
        closedir(files);
}

static bool
is_left(int lock)
{
    struct stat found;

    return fstat(lock, &found) == 0 && found.st_uid == geteuid() && found.st_mtime + YOUNG_SECONDS < time(NULL);
}

static void
remove_if_left(int parent, const char *name)
{
    int lock = lock_folder(parent, name);

    if (lock < 0)
        return;
    if (is_left(lock)) {
        remove_files(lock);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
    close(lock);
}

static bool
is_of_a_run(const char *name)
{
    return strncmp(name, prefix, strlen(prefix)) == 0 && strlen(name) == strlen(prefix) + strlen(template);
}

static void
remove_left(const char *base)
{
    DIR *all = opendir(base);
    const struct dirent *entry;

    while (all && (entry = readdir(all)) != NULL)
        if (is_of_a_run(entry->d_name))
            remove_if_left(dirfd(all), entry->d_name);
    if (all)
        closedir(all);
}

static int
make(struct run_folder *folder, const char *base)
{
    struct text path = TEXT_INIT(folder->context);
    char *made;

    text_printf(&path, "%s/%s%s", base, prefix, template);
    made = text_finish(&path);
    if (!made)
        return MEMMODEL_ERROR_NO_MEMORY;
    if (mkdtemp(made)) {
        folder->path = made;
        folder->lock = lock_folder(AT_FDCWD, made);
        return 0;
    }
    memory_release(folder->context, made);
    return context_error(folder->context, MEMMODEL_ERROR_IO, "stand-ins", "cannot make a folder for them: %s",
                         strerror(errno));
}

int
run_folder_new(struct run_folder *folder, memmodel_context *context)
{
    const char *base = getenv("TMPDIR");

    *folder = (struct run_folder){.context = context, .lock = -1};
    base = base && *base ? base : "/tmp";
    remove_left(base);
    return make(folder, base);
}

void
run_folder_remove(struct run_folder *folder)
{
    if (!folder->path)
        return;
    if (folder->lock >= 0) {
        remove_files(folder->lock);
        close(folder->lock);
    }
    rmdir(folder->path);
    memory_release(folder->context, folder->path);
    folder->path = NULL;
}
