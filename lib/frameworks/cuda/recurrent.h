/* What cuDNN's recurrent layers keep and work in, by rule: for PyTorch's layers, and for the stand-in for cuDNN. */
#ifndef CUDA_RECURRENT_H
#define CUDA_RECURRENT_H

#include <stdbool.h>
#include <stdint.h>

enum { RECURRENT_PLAIN_GATES = 1, RECURRENT_GRU_GATES = 3, RECURRENT_LSTM_GATES = 4 };

struct recurrent_call {
    int gates; /* says which kind of cell it is */
    int64_t layers, directions, length, batch, input, hidden;
    int64_t element_bytes, parameter_bytes;
    int64_t matrix_bytes; /* parameters without biases */
    bool drops;           /* numbers between layers */
    bool trains;
    bool packed;      /* given without padding */
    bool small_cells; /* by the kernels for few units, which bfloat16 has not */
};

/* For the backward pass. @unit bytes, INT64_MAX where they do not fit */
int64_t
recurrent_reserve_bytes(const struct recurrent_call *call);

/* @unit bytes, INT64_MAX where they do not fit */
int64_t
recurrent_workspace_bytes(const struct recurrent_call *call);

#endif
