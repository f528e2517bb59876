/* The CUDA runtime among its own files. Numbers are the interface's: CUDA Runtime API, Data types used by CUDA Runtime. */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include "device.h"

enum runtime_error {
    RUNTIME_SUCCESS = 0,
    RUNTIME_INVALID_VALUE = 1,
    RUNTIME_OUT_OF_MEMORY = 2,
    RUNTIME_NO_DEVICE = 100,
    RUNTIME_INVALID_DEVICE = 101,
    RUNTIME_NO_KERNEL_IMAGE = 209,
    RUNTIME_INVALID_HANDLE = 400,
    RUNTIME_SYMBOL_NOT_FOUND = 500,
    RUNTIME_NOT_SUPPORTED = 801,
};

enum { RUNTIME_13 = 13000 };

/* 1000 * major + 10 * minor, of the library that this stands in for. */
int
runtime_version(void);

/* Remembers an error for cudaGetLastError(), and returns it. */
int
runtime_fail(int error);

/* A launch on a stream, which may be recording a graph. */
void
runtime_launched(const void *stream);

/* Blocks of so many threads and so much shared memory that a multiprocessor holds at a time. */
int
kernel_blocks_per_processor(int threads, size_t shared);

struct stream {
    int device, priority;
    unsigned flags;
    unsigned long long id;      /* a different one for each stream */
    unsigned long long capture; /* number of the recording; 0: none */
    int64_t nodes;              /* that it has recorded */
};

#endif
