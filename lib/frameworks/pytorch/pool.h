/*
 * Small objects that come and go: storages, tensors, nodes. What is given back is handed out again for the same size.
 */
#ifndef PYTORCH_POOL_H
#define PYTORCH_POOL_H

#include "base/arena.h"

#include <string.h>

enum { POOL_GRAIN = 16, POOL_SMALL = 64, POOL_LARGE = 24, POOL_SMALL_BYTES = POOL_GRAIN * (POOL_SMALL - 1) };

struct pool {
    void *small[POOL_SMALL]; /* free objects of each multiple of 16 bytes; each starts with a pointer to the next */
    void *large[POOL_LARGE]; /* and above that of each power of two */
    struct arena arena;      /* not first: GCC 14 would take the one's address for the other's, and warn of the lists */
};

#define POOL_INIT(context_) ((struct pool){.arena = ARENA_INIT(context_)})

/* What pool_take_uncleared() and pool_give() do for large objects, and where there is no free one. */
void *
pool_take_other(struct pool *pool, size_t bytes);

void
pool_give_other(struct pool *pool, void *object, size_t bytes);

/* The free list of small objects; `bytes` is mostly a constant. */
static inline void **
pool_list_of(struct pool *pool, size_t bytes)
{
    return &pool->small[(bytes + POOL_GRAIN - 1) / POOL_GRAIN];
}

/* Memory with anything in it, or NULL with the context's error set. */
static inline void *
pool_take_uncleared(struct pool *pool, size_t bytes)
{
    void *object = bytes <= POOL_SMALL_BYTES ? *pool_list_of(pool, bytes) : NULL;

    if (!object)
        return pool_take_other(pool, bytes);
    memcpy(pool_list_of(pool, bytes), object, sizeof(void *));
    return object;
}

/* The same, cleared. */
static inline void *
pool_take(struct pool *pool, size_t bytes)
{
    void *object = pool_take_uncleared(pool, bytes);

    return object ? memset(object, 0, bytes) : NULL;
}

/* `bytes` as it was taken. */
static inline void
pool_give(struct pool *pool, void *object, size_t bytes)
{
    if (bytes == 0 || bytes > POOL_SMALL_BYTES) {
        pool_give_other(pool, object, bytes);
        return;
    }
    memcpy(object, pool_list_of(pool, bytes), sizeof(void *));
    *pool_list_of(pool, bytes) = object;
}

void
pool_release(struct pool *pool);

#endif
