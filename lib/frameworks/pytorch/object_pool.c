/* Free lists over an arena, by size. */
#include "frameworks/pytorch/object_pool.h"

/* The free list for a size, and the size of its objects; NULL for one too large to be handed out again. */
static void **
list_of(struct object_pool *pool, size_t *bytes)
{
    size_t class = 0, size = POOL_SMALL_BYTES;

    if (*bytes <= POOL_SMALL_BYTES) {
        class = (*bytes + POOL_GRAIN - 1) / POOL_GRAIN;
        *bytes = class * POOL_GRAIN;
        return &pool->small[class];
    }
    for (; class < POOL_LARGE; class ++) {
        size *= 2;
        if (*bytes <= size) {
            *bytes = size;
            return &pool->large[class];
        }
    }
    return NULL;
}

void *
object_pool_take_other(struct object_pool *pool, size_t bytes)
{
    size_t rounded = bytes > 0 ? bytes : 1;
    void **list = list_of(pool, &rounded), *object = list ? *list : NULL;

    if (object)
        memcpy(list, object, sizeof(void *));
    else
        object = arena_allocate(&pool->arena, rounded);
    return object;
}

void
object_pool_give_other(struct object_pool *pool, void *object, size_t bytes)
{
    size_t rounded = bytes > 0 ? bytes : 1;
    void **list = list_of(pool, &rounded);

    if (!list)
        return;
    memcpy(object, list, sizeof(void *));
    *list = object;
}

void
object_pool_release(struct object_pool *pool)
{
    arena_release(&pool->arena);
}
