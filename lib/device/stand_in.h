/* Shared libraries that take the places of NVIDIA's. */
#ifndef DEVICE_STAND_IN_H
#define DEVICE_STAND_IN_H

#include "device/elf_names.h"

struct stand_in {
    const char *path;   /* of its file */
    const char *soname; /* the name that programs ask for */
    const char *needed; /* another library that is loaded with it */
};

/*
 * Writes a shared library. It has each of `names` that `written` has not, as a function that hands its call to
 * memmodel_cuda_generic(), which is to be found at run time. 0, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NO_MEMORY,
 * MEMMODEL_ERROR_UNSUPPORTED on machines whose code is not known here.
 */
int
stand_in_write(memmodel_context *context, const struct stand_in *stand_in, const struct elf_names *names,
               const struct elf_names *written);

#endif
