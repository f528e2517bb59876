/*
 * Large blocks that a context does not give back to the system but keeps for its next call, which will want some of the
 * same sizes: the system would have to clear their pages anew.
 */
#ifndef BASE_SPARES_H
#define BASE_SPARES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { SPARES = 48 };

struct spare {
    void *block;
    size_t bytes;
};

/* For any thread. */
struct spares {
    bool keeps; /* any: else each block goes back at once */
    atomic_flag busy;
    atomic_size_t bytes; /* of all of them */
    size_t next;         /* that is the first to go */
    struct spare kept[SPARES];
};

void
spares_start(struct spares *spares, bool keeps);

/* A block of exactly that size, which is the caller's; NULL if there is none. */
void *
spares_take(struct spares *spares, size_t bytes);

/* Keeps a block; what the caller has to give back to the system instead: an older one, or this one, or NULL. */
void *
spares_give(struct spares *spares, void *block, size_t bytes);

/* Any of them, which is the caller's; NULL if there are none. */
void *
spares_take_any(struct spares *spares);

#endif
