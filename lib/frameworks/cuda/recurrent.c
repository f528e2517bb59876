/*
 * Recurrent layers of cuDNN, one call for all layers and directions. What it reserves for the backward pass and works in is
 * not published. The reserve is what 522 layers without projection took on an H100 and an H200 with cuDNN 9.19.
 *
 * The workspace is exact for 767 of 787 layers without projection, on an H100 and an H200 with cuDNN 9.19. The other 20 train
 * several layers in one direction, most of them on longer sequences, and take up to 5 % less, for a reason not known. With a
 * projection, of which the rule knows nothing, it is within 2 % of 22.
 */
#include "frameworks/cuda/recurrent.h"

#include "base/checked.h"

enum { PIECE = 32 }; /* what pieces of both are a multiple of */

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

/* What is kept of the cells: the gates, and of an LSTM its states in a piece of their own. */
static int64_t
kept_bytes(const struct recurrent_call *call)
{
    enum { GRU_SEQUENCES = 6 };
    int64_t all = multiply_saturating(cells(call), sequence_bytes(call));

    switch (call->gates) {
    case RECURRENT_LSTM_GATES:
        return add_saturating(aligned(multiply_saturating(call->gates, all), PIECE), aligned(all, PIECE));
    case RECURRENT_GRU_GATES:
        return aligned(multiply_saturating(GRU_SEQUENCES, all), PIECE);
    default:
        return aligned(all, PIECE);
    }
}

/* Beside the cells the results of inner layers, each in every direction, and a bit a number where some are dropped. */
int64_t
recurrent_reserve_bytes(const struct recurrent_call *call)
{
    enum { HEAD = 256, BITS = 8 };
    int64_t numbers = multiply_saturating(sequence_bytes(call) / call->element_bytes, call->directions);
    int64_t mask = call->drops ? aligned(numbers / BITS, PIECE) : 0;
    int64_t inner = multiply_saturating(call->layers - 1, call->directions);
    int64_t results = aligned(multiply_saturating(inner, sequence_bytes(call)), PIECE);

    return add_saturating(add_saturating(HEAD, kept_bytes(call)),
                          add_saturating(results, multiply_saturating(inner, mask)));
}

/* ---- the workspace, piece by piece ---- */

/* What the pieces are made of, in bytes. */
struct parts {
    int64_t sequence, input; /* units of a cell at each time; what the first layer reads */
    int64_t states;          /* units of all cells at one time */
    int state_kinds;         /* an LSTM has two */
};

static struct parts
parts_of(const struct recurrent_call *call)
{
    int64_t rows = multiply_saturating(call->length, call->batch);
    int64_t units = multiply_saturating(call->hidden, call->element_bytes);

    return (struct parts){
        .sequence = sequence_bytes(call),
        .input = multiply_saturating(rows, multiply_saturating(call->input, call->element_bytes)),
        .states = multiply_saturating(cells(call), multiply_saturating(call->batch, units)),
        .state_kinds = call->gates == RECURRENT_LSTM_GATES ? 2 : 1,
    };
}

/* So many pieces of so many numbers each. */
static void
add_pieces(int64_t *sum, int64_t count, int64_t size, int64_t bytes)
{
    int64_t piece = aligned(multiply_saturating(size, bytes), PIECE);

    *sum = add_saturating(*sum, multiply_saturating(count, piece));
}

/* Sequences of one length for all are packed first, and so are their states; backward their gradients, too. */
static void
add_packing(int64_t *sum, const struct recurrent_call *call, const struct parts *parts, int passes)
{
    enum { IN_AND_OUT = 2 };

    if (call->packed)
        return;
    add_pieces(sum, passes, 1, parts->input);
    add_pieces(sum, passes, call->directions, parts->sequence);
    add_pieces(sum, (int64_t)passes * IN_AND_OUT * parts->state_kinds, 1, parts->states);
}

/* States of both directions, of which kernels for small cells take half. */
static void
add_directions(int64_t *sum, const struct recurrent_call *call, const struct parts *parts)
{
    enum { SMALL = 1, USUAL = 2 };

    if (call->directions > 1)
        add_pieces(sum, 1, call->small_cells ? SMALL : USUAL, parts->states);
}

static int64_t
forward_bytes(const struct recurrent_call *call, const struct parts *parts)
{
    enum { JOINED = 4, SMALL_COPIES = 4, LSTM_STATES = 6 };
    int64_t sum = 0;

    add_packing(&sum, call, parts, 1);
    add_directions(&sum, call, parts);
    add_pieces(&sum, 1, (int64_t)call->gates * call->directions, parts->sequence);
    if (call->directions > 1)
        add_pieces(&sum, 1, JOINED, parts->sequence);
    else if (call->trains && call->drops)
        add_pieces(&sum, 1, 1, parts->sequence);
    if (call->small_cells) {
        add_pieces(&sum, 1, (int64_t)SMALL_COPIES * call->gates, parts->sequence);
        add_pieces(&sum, parts->state_kinds, 2, parts->states);
    } else {
        add_pieces(&sum, 1, call->gates == RECURRENT_LSTM_GATES ? LSTM_STATES : call->gates, parts->states);
    }
    return sum;
}

/* The sequences that kernels for small cells take beside the others. */
static int
small_backward_sequences(int gates)
{
    switch (gates) {
    case RECURRENT_LSTM_GATES:
        return 12;
    case RECURRENT_GRU_GATES:
        return 14;
    default:
        return 9;
    }
}

static int64_t
backward_bytes(const struct recurrent_call *call, const struct parts *parts)
{
    int64_t sum = 0, directions = call->directions;

    add_packing(&sum, call, parts, 2);
    add_directions(&sum, call, parts);
    add_pieces(&sum, 1, directions, parts->sequence);
    add_pieces(&sum, 1, directions * directions, max_i64(parts->input, parts->sequence));
    if (call->layers > 1 && (directions > 1 || call->small_cells))
        add_pieces(&sum, 1, directions, parts->sequence);
    if (call->small_cells) {
        add_pieces(&sum, 1, small_backward_sequences(call->gates), parts->sequence);
        add_pieces(&sum, parts->state_kinds, 2, parts->states);
    } else {
        add_pieces(&sum, 1, 1, parts->states);
        if (call->gates == RECURRENT_LSTM_GATES)
            add_pieces(&sum, 1, 2, parts->states);
    }
    return sum;
}

/* One size for both passes where it trains: 8 MiB a cell, the matrices, the lengths of sequences twice. */
int64_t
recurrent_workspace_bytes(const struct recurrent_call *call)
{
    enum { CELL = 8 * 1024 * 1024, HEAD = 256, LENGTHS = 2 * 4 };
    struct parts parts = parts_of(call);
    int64_t sum = add_saturating(multiply_saturating(cells(call), CELL), HEAD), pass = forward_bytes(call, &parts);

    add_pieces(&sum, 1, 1, call->matrix_bytes);
    if (!call->packed)
        add_pieces(&sum, 1, LENGTHS, call->batch);
    if (call->trains)
        pass = max_i64(pass, backward_bytes(call, &parts));
    return add_saturating(sum, pass);
}
