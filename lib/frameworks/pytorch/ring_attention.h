/*
 * Attention of a rank that has a part of the sequence: with its own keys and values, then with those of each rank before
 * it, whose results are merged.
 */
#ifndef PYTORCH_RING_ATTENTION_H
#define PYTORCH_RING_ATTENTION_H

#include "frameworks/pytorch/cuda_attention.h"

struct ring {
    struct step *step;
    const struct attention_kernel *kernel;
    int64_t ranks, place;
    bool load_balance, causal;
};

/* What a rank computes with the keys and values of the rank that is so many places before it. */
enum ring_part { ALL, FIRST_KEYS, LAST_QUERIES, NOTHING };

enum ring_part
ring_part_of(const struct ring *ring, int64_t turn);

/* ---- what goes round ---- */

struct rotater {
    struct step *step;
    bool all_to_all;
    struct value *sent;   /* held until the ranks have it */
    struct value *buffer; /* what came from the rank before, or all that was gathered */
};

void
ring_exchange(struct rotater *rotater, struct value *buffer);

/* Stays the rotater's. */
struct value *
ring_next_buffer(struct rotater *rotater);

void
ring_end_rotation(struct rotater *rotater);

/* torch.cat([a.flatten(), b.flatten()]) */
struct value *
ring_flat(struct step *step, const struct value *a, const struct value *b);

/* x.contiguous(), without a node */
struct value *
ring_contiguous(struct step *step, const struct value *x);

/* A row-major part of a buffer takes the place of a value, whose shape it has, and whose type is the buffer's. */
void
ring_become_part_of(struct step *step, struct value **x, const struct value *buffer);

/* One half of a sequence is another now: _partial_update(). */
void
ring_update_half(struct step *step, struct value **x);

/* x.chunk(2, dim=2), either of them, or all of it. */
struct value *
ring_part_or_all(struct step *step, struct value *x, bool half);

/* x.to(dtype) */
struct value *
ring_typed(struct step *step, struct value *x, int dtype);

/* ---- ring_backward.c ---- */

void
ring_attention_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients);

/* The ring of a rank, for a kernel. */
struct ring
ring_new(struct step *step, const struct attention_kernel *kernel, const struct value *query, bool causal);

#endif
