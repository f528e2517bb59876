/* struct memmodel_schedule_options: defaults, checks, sizes. */
#include "inference/inference.h"

#include "base/choice.h"

#include <inttypes.h>

static const uint64_t ALL_PASSES = 2 * MEMMODEL_SCHEDULE_PASS_REORDERING - 1;

static int
check(memmodel_context *context, const struct memmodel_schedule_options *how)
{
    if (how->symbol_count && !how->symbols)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "symbols",
                             "symbol_count is %zu, but symbols is NULL", how->symbol_count);
    if (how->disabled_passes & ~ALL_PASSES)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "disabled_passes",
                             "there is no such pass to do without");
    if (how->alignment < 0 || (how->alignment & (how->alignment - 1)))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "alignment",
                             "an alignment must be a power of two, not %" PRId64, how->alignment);
    if (how->reserved)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "reserved", "it must be 0");
    return flag_check(context, "include_parameters", "include_parameters", how->include_parameters);
}

static int
bind(memmodel_context *context, const memmodel_network *network, const struct memmodel_schedule_options *how,
     struct binding *binding)
{
    int64_t *values = memory_allocate_zeroed(context, expression_symbol_count(network->pool) + 1, sizeof *values);
    int status = values ? 0 : MEMMODEL_ERROR_NO_MEMORY;

    for (size_t i = 0; i < how->symbol_count && !status; i++)
        status = symbols_set(context, network, how->symbols[i].name, how->symbols[i].value, values);
    if (!status)
        status = symbols_complete(context, network, values, NULL);
    if (!status)
        status = binding_new(context, network, values, binding);
    memory_release(context, values);
    return status;
}

int
inference_bind(memmodel_context *context, const memmodel_network *network,
               const struct memmodel_schedule_options *options, struct memmodel_schedule_options *own,
               struct binding *binding)
{
    int status = context_begin(context);

    *own = (struct memmodel_schedule_options){0};
    if (!status)
        status = network_check(network, context);
    if (!status)
        status = options_copy(context, "memmodel_schedule_options", options, own, sizeof *own);
    if (!status)
        status = check(context, own);
    if (!status)
        status = bind(context, network, own, binding);
    return status ? context_end(context, status) : 0;
}

int
inference_end(memmodel_context *context, struct binding *binding, int status)
{
    binding_release(context, binding);
    return context_end(context, status);
}
