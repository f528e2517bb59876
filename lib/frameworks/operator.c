/* What is known of any operator: that its outputs need memory. */
#include "frameworks/operator.h"

int
operator_estimate(const struct memmodel_recording_operator *operation, struct arena *arena,
                  struct operator_events *events)
{
    struct operator_event *items = arena_allocate(arena, (operation->output_count + 1) * sizeof *items);

    if (!items)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < operation->output_count; i++)
        items[i] = (struct operator_event){.number = (int32_t)i, .memory = OPERATOR_OUTPUT};
    *events = (struct operator_events){.items = items, .count = operation->output_count};
    return 0;
}
