/*
 * cuda.h declares a function as "CUresult CUDAAPI cuInit(...)", sometimes with a line's end before the name, and says in a
 * macro which version programs get: "#define cuMemAlloc cuMemAlloc_v2". Names on such lines are functions. Those that work
 * on a stream have a second one, for programs whose threads have default streams of their own:
 * "#define cuMemcpyHtoD __CUDA_API_PTDS(cuMemcpyHtoD_v2)" stands for cuMemcpyHtoD_v2_ptds as well.
 */
#include "device/header_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 128 };

/* Copies the next name "cuXyz" of the line, and returns what is behind it; NULL if there is none. */
static const char *
next_name(const char *line, char name[NAME_BYTES])
{
    for (; *line; line++) {
        size_t length = 0;

        if (strncmp(line, "cu", 2) != 0 || !isupper((unsigned char)line[2]))
            continue;
        while (isalnum((unsigned char)line[length]) || line[length] == '_')
            length++;
        if (length < NAME_BYTES) {
            memcpy(name, line, length);
            name[length] = 0;
            return line + length;
        }
    }
    return NULL;
}

static int
add_once(struct elf_names *names, const char *name)
{
    return elf_names_has(names, name) ? 0 : elf_names_add(names, name);
}

/* `end` is behind the name in the line. */
static int
add_per_thread(struct elf_names *names, const char *line, const char *end, char name[NAME_BYTES])
{
    static const char sync[] = "__CUDA_API_PTDS(", async[] = "__CUDA_API_PTSZ(";
    size_t length = strlen(name);
    const char *before;
    bool is_sync;

    if ((size_t)(end - line) < length + strlen(sync) || length + sizeof "_ptds" > NAME_BYTES)
        return 0;
    before = end - length - strlen(sync);
    is_sync = strncmp(before, sync, strlen(sync)) == 0;
    if (!is_sync && strncmp(before, async, strlen(async)) != 0)
        return 0;
    strcpy(name + length, is_sync ? "_ptds" : "_ptsz");
    return add_once(names, name);
}

/* The name that is declared, or those of a macro. */
static int
add_names(struct elf_names *names, const char *line)
{
    const char *declared = strncmp(line, "cu", 2) == 0 ? line : strstr(line, "CUDAAPI cu"),
               *at = strstr(line, "#define cu");
    char name[NAME_BYTES];
    int status = 0;

    if (declared && next_name(declared, name))
        return elf_names_add(names, name);
    while (!status && at && (at = next_name(at, name)) != NULL) {
        status = add_once(names, name);
        if (!status)
            status = add_per_thread(names, line, at, name);
    }
    return status;
}

int
header_names_read(struct elf_names *names, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[1024];
    int status = 0;

    while (file && !status && fgets(line, sizeof line, file))
        status = add_names(names, line);
    if (file)
        fclose(file);
    return status;
}
