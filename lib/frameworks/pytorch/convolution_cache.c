/* A table of convolutions by their arguments. Of two that fall on one place the later stays. */
#include "frameworks/pytorch/convolution_cache.h"
#include "base/context.h"

#include <string.h>

struct recalled {
    struct convolution_call call;
    struct convolution_events events;
};

/* FNV-1a over the bytes, eight at a time. */
static size_t
place_of(const struct convolution_call *call)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325), word;

    for (size_t i = 0; i + sizeof word <= sizeof *call; i += sizeof word) {
        memcpy(&word, (const char *)call + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return (size_t)((hash ^ hash >> 32) % RECALL_SLOTS);
}

static int
find_events(memmodel_context *context, const struct target_cpu *machine, struct recalled *recalled)
{
    const struct convolution_call *call = &recalled->call;

    return call->backward ? convolution_backward(context, &call->convolution, machine, call->wants, call->grad_order,
                                                 &recalled->events)
                          : convolution_forward(context, &call->convolution, machine, &recalled->events);
}

static void
recalled_release(struct recalled *recalled, memmodel_context *context)
{
    if (recalled)
        convolution_events_release(context, &recalled->events);
    memory_release(context, recalled);
}

int
convolution_cache(struct convolution_cache *recall, memmodel_context *context, const struct target_cpu *machine,
                  const struct convolution_call *call, const struct convolution_events **events)
{
    struct recalled **slot = &recall->slots[place_of(call)];
    int status = 0;

    if (!*slot || memcmp(&(*slot)->call, call, sizeof *call) != 0) {
        recalled_release(*slot, context);
        *slot = memory_allocate_zeroed(context, 1, sizeof **slot);
        if (!*slot)
            return MEMMODEL_ERROR_NO_MEMORY;
        memcpy(&(*slot)->call, call, sizeof *call);
        status = find_events(context, machine, *slot);
    }
    if (status) {
        recalled_release(*slot, context);
        *slot = NULL;
        return status;
    }
    *events = &(*slot)->events;
    return 0;
}

void
convolution_cache_release(struct convolution_cache *recall, memmodel_context *context)
{
    for (int i = 0; i < RECALL_SLOTS; i++)
        recalled_release(recall->slots[i], context);
}
