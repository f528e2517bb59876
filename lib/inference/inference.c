/* struct memmodel_inference: defaults, checks, sizes. */
#include "inference/inference.h"

#include "base/choice.h"

#include <inttypes.h>

static const uint64_t ALL_RULES = 2 * MEMMODEL_SCHEDULE_ORDER - 1;

/* NULL if the caller gives none, or knows of none. */
static memmodel_context *
own_context(const struct memmodel_inference *how)
{
    size_t known = offsetof(struct memmodel_inference, context) + sizeof how->context;

    return how && how->size >= known ? how->context : NULL;
}

static int
check(memmodel_context *context, const struct memmodel_inference *how)
{
    if (how->symbol_count && !how->symbols)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "symbols",
                             "symbol_count is %zu, but symbols is NULL", how->symbol_count);
    if (how->without & ~ALL_RULES)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "without",
                             "there is no such rule to do without");
    if (how->alignment < 0 || (how->alignment & (how->alignment - 1)))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "alignment",
                             "an alignment must be a power of two, not %" PRId64, how->alignment);
    if (how->reserved)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "reserved", "it must be 0");
    return flag_check(context, "parameters", "parameters", how->parameters);
}

static int
bind(memmodel_context *context, const memmodel_network *network, const struct memmodel_inference *how,
     struct binding *binding)
{
    int64_t *values = memory_allocate_zeroed(context, expression_symbol_count(network->pool) + 1, sizeof *values);
    int status = values ? 0 : MEMMODEL_ERROR_NOMEM;

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
inference_bind(const memmodel_network *network, const struct memmodel_inference *how, struct memmodel_inference *own,
               memmodel_context **context, struct binding *binding)
{
    int status;

    *context = own_context(how) ? own_context(how) : network->context;
    *own = (struct memmodel_inference){0};
    status = context_begin(*context);
    if (!status)
        status = network_check(network, *context);
    if (!status)
        status = options_copy(*context, "memmodel_inference", how, own, sizeof *own);
    if (!status)
        status = check(*context, own);
    if (!status)
        status = bind(*context, network, own, binding);
    return status ? context_end(*context, status) : 0;
}

int
inference_end(memmodel_context *context, struct binding *binding, int status)
{
    binding_release(context, binding);
    return context_end(context, status);
}
