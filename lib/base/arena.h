/* Small objects that live as long as their owner: one release for all, no single frees. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/context.h"

struct arena_block;

struct arena {
    memmodel_context *context;
    struct arena_block *newest;
};

#define ARENA_INIT(context_) ((struct arena){.context = (context_)})

/* Memory aligned for any type, not cleared; NULL with the context's error set when there is none. */
void *
arena_allocate(struct arena *arena, size_t bytes);

void *
arena_copy(struct arena *arena, const void *bytes, size_t length);

char *
arena_copy_text(struct arena *arena, const char *text);

void
arena_release(struct arena *arena);

#endif
