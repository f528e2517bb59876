/*
 * Small objects that come and go: storages, tensors, nodes. What is given back is handed out again for the same size.
 */
#ifndef PYTORCH_OBJECT_POOL_H
#define PYTORCH_OBJECT_POOL_H

#include "base/arena.h"

#include <string.h>

enum { POOL_GRAIN = 16, POOL_SMALL = 64, POOL_LARGE = 24, POOL_SMALL_BYTES = POOL_GRAIN * (POOL_SMALL - 1) };

struct object_pool {
    void *small[POOL_SMALL]; /* free objects of each multiple of 16 bytes; each starts with a pointer to the next */
    void *large[POOL_LARGE]; /* and above that of each power of two */
    struct arena arena;      /* not first: GCC 14 would take the one's address for the other's, and warn of the lists */
};

#define OBJECT_POOL_INIT(context_) ((struct object_pool){.arena = ARENA_INIT(context_)})

/* What object_pool_take_uncleared() and object_pool_give() do for large objects, and where there is no free one. */
void *
object_pool_take_other(struct object_pool *pool, size_t bytes);

void
object_pool_give_other(struct object_pool *pool, void *object, size_t bytes);

/* The free list of small objects; `bytes` is mostly a constant. */
static inline void **
object_pool_list_of(struct object_pool *pool, size_t bytes)
{
    return &pool->small[(bytes + POOL_GRAIN - 1) / POOL_GRAIN];
}

/* Memory with anything in it, or NULL with the context's error set. */
static inline void *
object_pool_take_uncleared(struct object_pool *pool, size_t bytes)
{
    void *object = bytes <= POOL_SMALL_BYTES ? *object_pool_list_of(pool, bytes) : NULL;

    if (!object)
        return object_pool_take_other(pool, bytes);
    memcpy(object_pool_list_of(pool, bytes), object, sizeof(void *));
    return object;
}

/* The same, cleared. */
static inline void *
object_pool_take(struct object_pool *pool, size_t bytes)
{
    void *object = object_pool_take_uncleared(pool, bytes);

    return object ? memset(object, 0, bytes) : NULL;
}

/* `bytes` as it was taken. */
static inline void
object_pool_give(struct object_pool *pool, void *object, size_t bytes)
{
    if (bytes == 0 || bytes > POOL_SMALL_BYTES) {
        object_pool_give_other(pool, object, bytes);
        return;
    }
    memcpy(object, object_pool_list_of(pool, bytes), sizeof(void *));
    *object_pool_list_of(pool, bytes) = object;
}

void
object_pool_release(struct object_pool *pool);

#endif
