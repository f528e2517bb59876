/* Values for a network's symbols, as a query gives them by name. */
#include "base/text.h"
#include "network/network.h"

#include <inttypes.h>
#include <string.h>

static int
unknown_symbol(memmodel_context *context, const memmodel_network *network, const char *name)
{
    struct text names = TEXT_INIT(context);
    int status;

    for (size_t i = 0; i < expression_symbol_count(network->pool); i++)
        text_printf(&names, "%s%s", i ? ", " : "", expression_symbol_name(network->pool, i));
    status = context_error(context, MEMMODEL_ERROR_NOT_FOUND, name, "no symbol of the network; it has %s",
                           names.length ? names.bytes : "none");
    text_release(&names);
    return status;
}

int
symbols_find(memmodel_context *context, const memmodel_network *network, const char *name, size_t *symbol)
{
    ptrdiff_t index = expression_find_symbol(network->pool, name);

    if (index < 0)
        return unknown_symbol(context, network, name);
    *symbol = (size_t)index;
    return 0;
}

int
symbols_set(memmodel_context *context, const memmodel_network *network, const char *name, int64_t value,
            int64_t *values)
{
    size_t symbol = 0;
    int status;

    if (!name)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "symbols", "a symbol has no name");
    status = symbols_find(context, network, name, &symbol);
    if (status)
        return status;
    if (value < 1)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, name, "%" PRId64 " is no size; give 1 or more",
                             value);
    if (values[symbol])
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, name, "the symbol is given twice");
    values[symbol] = value;
    return 0;
}

int
symbols_complete(memmodel_context *context, const memmodel_network *network, const int64_t *values, const char *free)
{
    for (size_t i = 0; i < expression_symbol_count(network->pool); i++) {
        const char *name = expression_symbol_name(network->pool, i);

        if (!values[i] && !(free && strcmp(name, free) == 0))
            return context_error(context, MEMMODEL_ERROR_UNBOUND, name,
                                 "the symbol has no value in this job; give it one, such as %s=8", name);
    }
    return 0;
}
