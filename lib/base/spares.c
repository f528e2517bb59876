/* A few blocks by their size, under a lock that is held for a look at all of them. */
#include "base/spares.h"

enum { MIN_BYTES = 8 << 10, MAX_BYTES = 2 << 20, MAX_BYTES_IN_ALL = 8 << 20 };

/* Who looks for errors in the use of memory sees each block come and go. */
#if defined(__has_feature)
#define FEATURE(name) __has_feature(name)
#else
#define FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || FEATURE(address_sanitizer) || FEATURE(memory_sanitizer)
enum { WATCHED = 1 };
#else
enum { WATCHED = 0 };
#endif

void
spares_start(struct spares *spares, bool keeps)
{
    *spares = (struct spares){.keeps = keeps && !WATCHED};
    atomic_flag_clear(&spares->busy);
    atomic_init(&spares->bytes, 0);
}

static bool
is_kept(const struct spares *spares, size_t bytes)
{
    return spares->keeps && bytes >= MIN_BYTES && bytes <= MAX_BYTES;
}

static void
lock(struct spares *spares)
{
    while (atomic_flag_test_and_set_explicit(&spares->busy, memory_order_acquire))
        ;
}

static void
unlock(struct spares *spares)
{
    atomic_flag_clear_explicit(&spares->busy, memory_order_release);
}

/* Makes the place empty; what was there. */
static void *
empty(struct spares *spares, struct spare *spare)
{
    void *block = spare->block;

    if (block)
        atomic_fetch_sub_explicit(&spares->bytes, spare->bytes, memory_order_relaxed);
    *spare = (struct spare){.bytes = 0};
    return block;
}

static struct spare *
find(struct spares *spares, size_t bytes)
{
    for (size_t i = 0; i < SPARES; i++)
        if (spares->kept[i].bytes == bytes)
            return &spares->kept[i];
    return NULL;
}

void *
spares_take(struct spares *spares, size_t bytes)
{
    struct spare *spare;
    void *block = NULL;

    if (!is_kept(spares, bytes) || atomic_load_explicit(&spares->bytes, memory_order_relaxed) == 0)
        return NULL;
    lock(spares);
    spare = find(spares, bytes);
    if (spare)
        block = empty(spares, spare);
    unlock(spares);
    return block;
}

/* An empty place, or that of the one that was kept for longest. */
static struct spare *
place(struct spares *spares)
{
    struct spare *spare = find(spares, 0);

    if (spare)
        return spare;
    spare = &spares->kept[spares->next];
    spares->next = (spares->next + 1) % SPARES;
    return spare;
}

void *
spares_give(struct spares *spares, void *block, size_t bytes)
{
    struct spare *spare;
    void *older;

    if (!is_kept(spares, bytes) ||
        atomic_load_explicit(&spares->bytes, memory_order_relaxed) + bytes > MAX_BYTES_IN_ALL)
        return block;
    lock(spares);
    spare = place(spares);
    older = empty(spares, spare);
    *spare = (struct spare){block, bytes};
    atomic_fetch_add_explicit(&spares->bytes, bytes, memory_order_relaxed);
    unlock(spares);
    return older;
}

void *
spares_take_any(struct spares *spares)
{
    void *block = NULL;

    lock(spares);
    for (size_t i = 0; i < SPARES && !block; i++)
        block = empty(spares, &spares->kept[i]);
    unlock(spares);
    return block;
}
