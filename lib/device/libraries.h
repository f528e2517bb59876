/* The stand-ins of one run: a folder of them, and how a program comes to load them. */
#ifndef DEVICE_LIBRARIES_H
#define DEVICE_LIBRARIES_H

#include "base/text.h"
#include "device/elf_names.h"
#include "device/run_folder.h"

struct libraries {
    memmodel_context *context;
    struct run_folder folder;
    char *home;            /* where this project's own libraries for this lie */
    char *cudnn;           /* NVIDIA's own, which is asked for sizes; NULL if there is none */
    struct elf_names made; /* names of stand-ins in `folder` */
    struct elf_names written, written_dnn;
    struct elf_names driver; /* that NVIDIA's header has */
    int32_t runtime;         /* version of the CUDA runtime, 1000 * major + 10 * minor; 0 if none was found */
};

/* 0, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NOT_FOUND if this project's own libraries are not where they belong. */
int
libraries_open(struct libraries *libraries, memmodel_context *context);

int
libraries_add(struct libraries *libraries, const char *directory, int32_t *count);

/* After the last folder. */
int
libraries_finish(struct libraries *libraries);

/* Lines NAME=VALUE. */
void
libraries_environment(const struct libraries *libraries, struct text *environment);

/* Removes the folder. */
void
libraries_close(struct libraries *libraries);

#endif
