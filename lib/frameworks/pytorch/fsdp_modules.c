/*
 * Modules of a network, by their names: its scopes, or, where no scope is called so, layers with parameters of their own.
 */
#include "base/text.h"
#include "frameworks/pytorch/fsdp.h"

#include <string.h>

size_t
fsdp_module_count(const struct memmodel_network *network)
{
    return network->scope_count + network->layer_count;
}

bool
fsdp_module_at(const struct memmodel_network *network, size_t index, struct fsdp_module *module)
{
    const struct layer *layer;

    if (index < network->scope_count) {
        const struct scope *scope = &network->scopes[index];

        *module = (struct fsdp_module){scope->name, scope->first, scope->end};
        return scope->end > scope->first;
    }
    index -= network->scope_count;
    layer = &network->layers[index];
    *module = (struct fsdp_module){layer->name, (int32_t)index, (int32_t)index + 1};
    return layer->op != OP_PARAMETER && layer->parameter_count > 0;
}

bool
fsdp_names_module(struct text_part pattern, const char *name)
{
    char part[256];

    for (;;) {
        size_t asked = 0, given = strcspn(name, ".");

        while (asked < pattern.length && pattern.text[asked] != '.')
            asked++;
        if (given >= sizeof part)
            return false;
        memcpy(part, name, given);
        part[given] = '\0';
        if (!text_matches(pattern.text, asked, part))
            return false;
        if (asked == pattern.length || !name[given])
            return asked == pattern.length && !name[given];
        pattern = (struct text_part){pattern.text + asked + 1, pattern.length - asked - 1};
        name += given + 1;
    }
}
