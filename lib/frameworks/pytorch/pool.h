/* Small objects that come and go: storages, tensors, nodes. Sizes are rounded up to powers of two and given out again. */
#ifndef PYTORCH_POOL_H
#define PYTORCH_POOL_H

#include "base/arena.h"

enum { POOL_CLASSES = 24 };

struct pool {
    struct arena arena;
    void *free[POOL_CLASSES]; /* each starts with a pointer to the next */
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
