/* Where the program that somebody typed would find CUDA's libraries: as its Python, its environment and its file say. */
#define _GNU_SOURCE
#include "program.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <elf.h>
#endif

struct search {
    struct program *program;
    program_folder folder;
    void *user;
    int status;
};

/* ---- the file ---- */

/* As a shell finds a command. */
static bool
find_file(const char *name, char path[PATH_MAX])
{
    const char *list = getenv("PATH");

    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, R_OK) == 0;
    while (list && *list) {
        size_t length = strcspn(list, ":");

        if (snprintf(path, PATH_MAX, "%.*s/%s", (int)length, list, name) < PATH_MAX && access(path, X_OK) == 0)
            return true;
        list += length + (list[length] == ':');
    }
    return false;
}

/* The program that the first line of a script names; false if the file is none. */
static bool
read_shebang(const char *path, char interpreter[PATH_MAX])
{
    char line[PATH_MAX] = "", *word;
    FILE *file = fopen(path, "re");
    bool is_script = file && fgets(line, sizeof line, file) && strncmp(line, "#!", 2) == 0;

    if (file)
        fclose(file);
    word = is_script ? strtok(line + 2, " \t\n") : NULL;
    if (word && strcmp(word + (strrchr(word, '/') ? strrchr(word, '/') - word + 1 : 0), "env") == 0)
        word = strtok(NULL, " \t\n");
    return word && find_file(word, interpreter);
}

static bool
is_python(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strncmp(slash ? slash + 1 : path, "python", strlen("python")) == 0;
}

/* An executable for which no loader is named. */
static bool
is_static(const char *path)
{
    bool executable = false, loader = false;
#ifdef __linux__
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    FILE *file = fopen(path, "re");

    executable = file && fread(&header, sizeof header, 1, file) == 1 && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                 header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_phentsize == sizeof segment &&
                 fseek(file, (long)header.e_phoff, SEEK_SET) == 0;
    for (int i = 0; executable && i < header.e_phnum && fread(&segment, sizeof segment, 1, file) == 1; i++)
        loader = loader || segment.p_type == PT_INTERP;
    if (file)
        fclose(file);
#else
    (void)path;
#endif
    return executable && !loader;
}

/* ---- folders ---- */

static void
hand_out(struct search *search, const char *folder)
{
    if (search->status == 0 && access(folder, R_OK) == 0)
        search->status = search->folder(search->user, folder);
}

/* site-packages/nvidia/NAME/lib, for each NAME. */
static void
add_nvidia_packages(struct search *search, const char *packages)
{
    char path[PATH_MAX];
    DIR *folder = snprintf(path, sizeof path, "%s/nvidia", packages) < PATH_MAX ? opendir(path) : NULL;
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' &&
            snprintf(path, sizeof path, "%s/nvidia/%s/lib", packages, entry->d_name) < PATH_MAX)
            hand_out(search, path);
    if (folder)
        closedir(folder);
}

/* PyTorch's version.py has the version of CUDA that it was built with, or None. */
static enum torch_build
torch_of(const char *packages)
{
    char path[PATH_MAX], line[256];
    enum torch_build build = TORCH_NONE;
    FILE *file = snprintf(path, sizeof path, "%s/torch/version.py", packages) < PATH_MAX ? fopen(path, "re") : NULL;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "cuda:", strlen("cuda:")) == 0 || strncmp(line, "cuda =", strlen("cuda =")) == 0)
            build = strstr(line, "None") && !strchr(line, '\'') ? TORCH_CPU : TORCH_CUDA;
    if (file)
        fclose(file);
    return build;
}

static void
add_packages(struct search *search, const char *packages)
{
    char path[PATH_MAX];
    enum torch_build build = torch_of(packages);

    if (search->program->torch == TORCH_NONE)
        search->program->torch = build;
    add_nvidia_packages(search, packages);
    if (snprintf(path, sizeof path, "%s/torch/lib", packages) < PATH_MAX)
        hand_out(search, path);
}

/* Asks Python for the folders of its packages, one a line. */
static void
add_python(struct search *search, const char *python)
{
    char path[PATH_MAX], order[PATH_MAX + 64];
    FILE *lines;

    if (strchr(python, '\'') || snprintf(order, sizeof order, "'%s' -c 'import sys; print(*sys.path, sep=\"\\n\")'",
                                         python) >= (int)sizeof order)
        return;
    lines = popen(order, "re");
    while (lines && fgets(path, sizeof path, lines)) {
        path[strcspn(path, "\n")] = 0;
        if (*path)
            add_packages(search, path);
    }
    if (lines)
        pclose(lines);
}

static void
add_list(struct search *search, const char *list)
{
    char path[PATH_MAX];

    while (list && *list) {
        size_t length = strcspn(list, ":");

        if (length > 0 && snprintf(path, sizeof path, "%.*s", (int)length, list) < PATH_MAX)
            hand_out(search, path);
        list += length + (list[length] == ':');
    }
}

static void
add_environment(struct search *search)
{
    const char *conda = getenv("CONDA_PREFIX");
    char path[PATH_MAX];

    add_list(search, getenv("LD_LIBRARY_PATH"));
    if (conda && snprintf(path, sizeof path, "%s/lib", conda) < PATH_MAX)
        hand_out(search, path);
    hand_out(search, "/usr/local/cuda/lib64");
}

/* "python", perhaps with a version. */
static bool
is_python_alone(const char *word)
{
    const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;

    return is_python(name) && name[strlen("python") + strspn(name + strlen("python"), "0123456789.")] == 0;
}

/* The first Python among the words of a command, as in `env NAME=VALUE python` and `sh -c "python ..."`. */
static bool
find_python(char *const *arguments, char path[PATH_MAX])
{
    static const char space[] = " \t\n";
    char word[PATH_MAX];

    for (; *arguments; arguments++)
        for (const char *from = *arguments; *(from += strspn(from, space)); from += strcspn(from, space))
            if (snprintf(word, sizeof word, "%.*s", (int)strcspn(from, space), from) < PATH_MAX &&
                is_python_alone(word) && find_file(word, path) && access(path, X_OK) == 0)
                return true;
    return false;
}

int
program_look(struct program *program, char *const *arguments, program_folder folder, void *user)
{
    struct search search = {program, folder, user, 0};
    char path[PATH_MAX] = "", interpreter[PATH_MAX];

    if (find_file(arguments[0], path)) {
        if (is_python(path))
            add_python(&search, path);
        else if (read_shebang(path, interpreter) && is_python(interpreter))
            add_python(&search, interpreter);
        else
            program->is_static = is_static(path);
    }
    if (program->torch == TORCH_NONE && find_python(arguments + 1, path))
        add_python(&search, path);
    add_environment(&search);
    /* a shell script, or a program that starts a Python: the one that it would find */
    if (program->torch == TORCH_NONE && !program->is_static && find_file("python3", path))
        add_python(&search, path);
    return search.status;
}
