/* The CUDA driver among its own files. */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

enum driver_result {
    DRIVER_SUCCESS = 0,
    DRIVER_INVALID_VALUE = 1,
    DRIVER_OUT_OF_MEMORY = 2,
    DRIVER_NO_DEVICE = 100,
    DRIVER_INVALID_DEVICE = 101,
    DRIVER_INVALID_CONTEXT = 201,
    DRIVER_INVALID_HANDLE = 400,
    DRIVER_NOT_FOUND = 500,
    DRIVER_NOT_SUPPORTED = 801,
};

/* What cuMemCreate() makes (HANDLE_PHYSICAL); mapped or not, it is taken from the device until it is released. */
struct physical {
    size_t bytes;
    const void *caller;
    int device, owner; /* the process that has taken it from the device; 0: another one */
};

/* The address of a function of the driver, with or without the version at the end of its name; NULL if there is none. */
void *
driver_function(const char *name);

#endif
