/* Names of functions of the CUDA driver, from its header. */
#ifndef DEVICE_HEADER_NAMES_H
#define DEVICE_HEADER_NAMES_H

#include "device/elf_names.h"

/* Adds those of the header; none if there is no such file. 0, MEMMODEL_ERROR_NO_MEMORY. */
int
header_names_read(struct elf_names *names, const char *path);

#endif
