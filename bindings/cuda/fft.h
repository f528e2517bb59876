/* cuFFT among its own files. Numbers are the interface's: cuFFT Library, section 3. */
#ifndef CUDA_FFT_H
#define CUDA_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* cufftResult */
enum fft_status {
    FFT_SUCCESS = 0,
    FFT_INVALID_PLAN = 1,
    FFT_ALLOC_FAILED = 2,
    FFT_INVALID_TYPE = 3,
    FFT_INVALID_VALUE = 4,
    FFT_INVALID_SIZE = 8,
};

/* What a plan transforms. */
struct fft_shape {
    int rank;
    int64_t n[3], batch;
    int64_t bytes; /* of a complex value; 0: no known type */
    bool is_real;  /* its input or its output */
};

/* Bytes of the work area. */
int
fft_work(const struct fft_shape *shape, size_t *work);

/* Gives the plan its shape, and its work area unless the caller brings one. `work` may be NULL. */
int
fft_make(int plan, const struct fft_shape *shape, size_t *work, const void *caller);

#endif
