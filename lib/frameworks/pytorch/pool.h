/*
 * Small objects that come and go: storages, tensors, nodes. What is given back is handed out again for the same size.
 */
#ifndef PYTORCH_POOL_H
#define PYTORCH_POOL_H

#include "base/arena.h"

enum { POOL_SMALL = 64, POOL_LARGE = 24 };

struct pool {
    struct arena arena;
    void *small[POOL_SMALL]; /* free objects of each multiple of 16 bytes; each starts with a pointer to the next */
    void *large[POOL_LARGE]; /* and above that of each power of two */
};

#define POOL_INIT(context_) ((struct pool){.arena = ARENA_INIT(context_)})

/* Cleared memory, or NULL with the context's error set. */
void *
pool_take(struct pool *pool, size_t bytes);

/* `bytes` as it was taken. */
void
pool_give(struct pool *pool, void *object, size_t bytes);

void
pool_release(struct pool *pool);

#endif
