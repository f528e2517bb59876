/* Free lists over an arena, one per power of two. */
#include "frameworks/pytorch/pool.h"

#include <string.h>

enum { SMALLEST = 32 };

static unsigned
size_class(size_t bytes)
{
    unsigned class = 0;

    while (((size_t)SMALLEST << class) < bytes)
        class++;
    return class;
}

void *
pool_take(struct pool *pool, size_t bytes)
{
    unsigned class = bytes <= ((size_t)SMALLEST << (POOL_CLASSES - 1)) ? size_class(bytes) : POOL_CLASSES;
    void *object = class < POOL_CLASSES ? pool->free[class] : NULL;

    if (object)
        memcpy(&pool->free[class], object, sizeof(void *));
    else
        object = arena_allocate(&pool->arena, class < POOL_CLASSES ? (size_t)SMALLEST << class : bytes);
    if (object)
        memset(object, 0, bytes);
    return object;
}

void
pool_give(struct pool *pool, void *object, size_t bytes)
{
    unsigned class = bytes <= ((size_t)SMALLEST << (POOL_CLASSES - 1)) ? size_class(bytes) : POOL_CLASSES;

    if (class == POOL_CLASSES)
        return;
    memcpy(object, &pool->free[class], sizeof(void *));
    pool->free[class] = object;
}

void
pool_release(struct pool *pool)
{
    arena_release(&pool->arena);
}
