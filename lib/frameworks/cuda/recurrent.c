/*
 * Recurrent layers of cuDNN, one call for all layers and directions. What it reserves for the backward pass and works in is
 * not published. The reserve is what 244 layers took on an H200 with cuDNN 9.19, to within 128 bytes; the workspace is an
 * estimate, to within 40 % of theirs and 2 % in the median.
 */
#include "frameworks/cuda/recurrent.h"

#include "base/checked.h"

static int64_t
add(int64_t a, int64_t b)
{
    int64_t sum = INT64_MAX;

    checked_add(a, b, &sum);
    return sum;
}

static int64_t
cells(const struct recurrent_call *call)
{
    return multiply_saturating(call->layers, call->directions);
}

/* One number for each unit of a cell at each time, in bytes. */
static int64_t
sequence_bytes(const struct recurrent_call *call)
{
    int64_t rows = multiply_saturating(call->length, call->batch);

    return multiply_saturating(multiply_saturating(rows, call->hidden), call->element_bytes);
}

static int64_t
aligned(int64_t bytes, int64_t alignment)
{
    return multiply_saturating(ceil_divide(bytes, alignment), alignment);
}

/* What is kept of each cell: the gates, and of an LSTM its states, whose rows are of 16 bytes. */
static int64_t
kept_bytes(const struct recurrent_call *call)
{
    enum { GRU_SEQUENCES = 6, ROW = 16 };
    int64_t rows = multiply_saturating(call->length, call->batch);

    switch (call->gates) {
    case RECURRENT_LSTM_GATES:
        return add(multiply_saturating(call->gates, sequence_bytes(call)),
                   multiply_saturating(rows, aligned(multiply_saturating(call->hidden, call->element_bytes), ROW)));
    case RECURRENT_GRU_GATES:
        return multiply_saturating(GRU_SEQUENCES, sequence_bytes(call));
    default:
        return sequence_bytes(call);
    }
}

/* Beside the cells the results of inner layers, each in every direction, and a bit a number where some are dropped. */
int64_t
recurrent_reserve_bytes(const struct recurrent_call *call)
{
    enum { HEAD = 256, MASK = 32, BITS = 8 };
    int64_t numbers = multiply_saturating(sequence_bytes(call) / call->element_bytes, call->directions);
    int64_t mask = call->drops ? aligned(numbers / BITS, MASK) : 0;
    int64_t inner = multiply_saturating(call->layers - 1, call->directions);

    return add(add(HEAD, multiply_saturating(cells(call), kept_bytes(call))),
               multiply_saturating(inner, add(sequence_bytes(call), mask)));
}

/* About: 8 MiB a cell, its gates and two results, the weights, and what layers read. */
int64_t
recurrent_workspace_bytes(const struct recurrent_call *call)
{
    enum { CELL = 8 * 1024 * 1024, RESULTS_KEPT = 2 };
    int64_t each = add(multiply_saturating(call->gates + RESULTS_KEPT, sequence_bytes(call)), CELL);
    int64_t rows = multiply_saturating(call->length, call->batch);
    int64_t read = multiply_saturating(rows, multiply_saturating(call->input, call->element_bytes));

    return add(multiply_saturating(cells(call), each), add(call->parameter_bytes, read));
}
