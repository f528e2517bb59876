/* Pinned memory of the host. */
#ifndef CUDA_HOST_H
#define CUDA_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* NULL if there is none. It takes no memory before it is written to. */
void *
host_allocate(size_t bytes);

/* False if it was not allocated here. */
bool
host_release(void *address);

/* Memory that the program made itself. False if there is no room for the record. */
bool
host_register(void *address, size_t bytes);

bool
host_unregister(void *address);

bool
host_is_pinned(const void *address);

#endif
