/* memmodel/context.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/context.h"
#include "memmodel/context.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_allocator)
        + (int)sizeof(struct memmodel_limits)
        + (int)sizeof(struct memmodel_error)
        + (int)sizeof(MEMMODEL_OK)
        + (int)sizeof(MEMMODEL_TEXT)
        + (int)sizeof(&memmodel_context_new)
        + (int)sizeof(&memmodel_context_ref)
        + (int)sizeof(&memmodel_context_unref)
        + (int)sizeof(&memmodel_context_error)
        + (int)sizeof(&memmodel_context_set_log)
        + (int)sizeof(&memmodel_context_set_limits)
        + (int)sizeof(&memmodel_context_cancel)
        + (int)sizeof(&memmodel_context_memory)
        + (int)sizeof(&memmodel_free)
        + (int)sizeof(&memmodel_status_name)
        + (int)sizeof(&memmodel_status_message)
};
