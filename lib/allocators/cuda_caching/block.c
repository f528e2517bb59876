/* Blocks: in their segment, in their pool, cut and joined. */
#include "allocators/cuda_caching/caching.h"

static int
compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

struct cuda_block *
cuda_block_of(struct ordered_node *node)
{
    return node ? ORDERED_OBJECT(node, struct cuda_block, node) : NULL;
}

int
cuda_compare_by_address(const struct ordered_node *a, const struct ordered_node *b)
{
    const struct cuda_block *x = ORDERED_OBJECT(a, const struct cuda_block, node);
    const struct cuda_block *y = ORDERED_OBJECT(b, const struct cuda_block, node);

    return x->stream != y->stream ? compare_numbers(x->stream, y->stream) : compare_numbers(x->address, y->address);
}

int
cuda_compare_by_size(const struct ordered_node *a, const struct ordered_node *b)
{
    const struct cuda_block *x = ORDERED_OBJECT(a, const struct cuda_block, node);
    const struct cuda_block *y = ORDERED_OBJECT(b, const struct cuda_block, node);

    if (x->stream != y->stream || x->size == y->size)
        return cuda_compare_by_address(a, b);
    return compare_numbers(x->size, y->size);
}

struct cuda_block *
cuda_block_new(struct cuda_caching *caching, struct cuda_pool *pool, int64_t stream, int64_t address, int64_t size)
{
    struct cuda_block *block = caching->spare;

    if (block)
        caching->spare = block->older;
    else
        block = arena_allocate(&caching->arena, sizeof *block);
    if (!block)
        return NULL;
    *block = (struct cuda_block){
        .pool = pool, .stream = stream, .address = address, .size = size, .older = caching->newest, .owner = -1};
    block->changed = caching->calls;
    if (caching->newest)
        caching->newest->newer = block;
    caching->newest = block;
    return block;
}

void
cuda_block_delete(struct cuda_caching *caching, struct cuda_block *block)
{
    if (block->older)
        block->older->newer = block->newer;
    if (block->newer)
        block->newer->older = block->older;
    else
        caching->newest = block->older;
    block->older = caching->spare;
    caching->spare = block;
}

struct cuda_block *
cuda_block_cut(struct cuda_caching *caching, struct cuda_block *block, int64_t size)
{
    int64_t kept = block->size - size;
    struct cuda_block *rest = cuda_block_new(caching, block->pool, block->stream, block->address + kept, size);

    if (!rest)
        return NULL;
    rest->range = block->range;
    rest->unmapped = block->unmapped;
    rest->previous = block;
    rest->next = block->next;
    if (rest->next)
        rest->next->previous = rest;
    block->next = rest;
    block->size = kept;
    block->changed = caching->calls;
    return rest;
}

void
cuda_block_insert(struct cuda_block *block)
{
    block->freed_at = block->pool->searches;
    ordered_insert(block->unmapped ? &block->pool->unmapped : &block->pool->free, &block->node);
}

void
cuda_block_take(struct cuda_block *block)
{
    ordered_remove(block->unmapped ? &block->pool->unmapped : &block->pool->free, &block->node);
}

bool
cuda_block_is_idle(const struct cuda_block *block)
{
    return !block->allocated && !block->waiting;
}

bool
cuda_block_is_whole_segment(const struct cuda_block *block)
{
    return !block->previous && !block->next;
}

/* `second` becomes part of `first`, its neighbour in front. */
static void
swallow_next(struct cuda_caching *caching, struct cuda_block *first)
{
    struct cuda_block *second = first->next;

    first->size += second->size;
    first->next = second->next;
    if (first->next)
        first->next->previous = first;
    cuda_block_delete(caching, second);
}

/* The same the other way round: `second` lives on. */
static void
swallow_previous(struct cuda_caching *caching, struct cuda_block *second)
{
    struct cuda_block *first = second->previous;

    second->address = first->address;
    second->size += first->size;
    second->previous = first->previous;
    if (second->previous)
        second->previous->next = second;
    cuda_block_delete(caching, first);
}

static bool
may_join(const struct cuda_block *block, const struct cuda_block *other)
{
    return other && cuda_block_is_idle(other) && other->unmapped == block->unmapped;
}

void
cuda_block_merge(struct cuda_caching *caching, struct cuda_block *block)
{
    if (may_join(block, block->previous)) {
        cuda_block_take(block->previous);
        swallow_previous(caching, block);
    }
    if (may_join(block, block->next)) {
        cuda_block_take(block->next);
        swallow_next(caching, block);
    }
}
