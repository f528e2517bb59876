/*
 * cuda.h declares a function as "CUresult CUDAAPI cuInit(...)", sometimes with a line's end before the name, and says in a
 * macro which version programs get: "#define cuMemAlloc cuMemAlloc_v2". Names on such lines are functions.
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
    while (!status && at && (at = next_name(at, name)) != NULL)
        if (!elf_names_has(names, name))
            status = elf_names_add(names, name);
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
