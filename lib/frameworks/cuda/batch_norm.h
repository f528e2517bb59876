/* What cuDNN's batch norm works in on channels-last tensors, by rule: for PyTorch's layers, and for the stand-in. */
#ifndef CUDA_BATCH_NORM_H
#define CUDA_BATCH_NORM_H

#include <stdbool.h>
#include <stdint.h>

struct batch_norm_call {
    int64_t channels, count; /* elements of one channel */
    int64_t element_bytes;
    bool backward;
};

/* @unit bytes, INT64_MAX where they do not fit */
int64_t
batch_norm_workspace_bytes(const struct batch_norm_call *call);

#endif
