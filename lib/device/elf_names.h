/* Names that a shared library exports, read from its file. */
#ifndef DEVICE_ELF_NAMES_H
#define DEVICE_ELF_NAMES_H

#include "base/context.h"

struct elf_names {
    memmodel_context *context;
    char *soname; /* "" if it has none */
    char **names; /* of functions and variables, in the file's order */
    size_t count, capacity;
};

#define ELF_NAMES_INIT(context_)                                                                                       \
    (struct elf_names)                                                                                                 \
    {                                                                                                                  \
        .context = (context_)                                                                                          \
    }

/* 0, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_PARSE if it is no shared library of this machine, MEMMODEL_ERROR_NO_MEMORY. */
int
elf_names_read(struct elf_names *names, const char *path);

/* 0, MEMMODEL_ERROR_NO_MEMORY. */
int
elf_names_add(struct elf_names *names, const char *name);

bool
elf_names_has(const struct elf_names *names, const char *name);

void
elf_names_release(struct elf_names *names);

#endif
