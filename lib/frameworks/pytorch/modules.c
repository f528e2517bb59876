/*
 * Modules of a network, by their names: its scopes, or, where no scope is called so, layers with parameters of their own.
 */
#include "frameworks/pytorch/modules.h"

#include "base/text.h"

#include <string.h>

size_t
module_count(const struct memmodel_network *network)
{
    return network->scope_count + network->layer_count;
}

bool
module_at(const struct memmodel_network *network, size_t index, struct module_run *module)
{
    const struct layer *layer;

    if (index < network->scope_count) {
        const struct scope *scope = &network->scopes[index];

        *module = (struct module_run){scope->name, scope->first, scope->end};
        return scope->end > scope->first;
    }
    index -= network->scope_count;
    layer = &network->layers[index];
    *module = (struct module_run){layer->name, (int32_t)index, (int32_t)index + 1};
    return layer->op != OP_PARAMETER && layer->parameter_count > 0;
}

/* "*", "q", or one of several: "(q|k)" */
static bool
is_part(struct text_part pattern, const char *part)
{
    struct text_part one;

    if (pattern.length < 2 || pattern.text[0] != '(' || pattern.text[pattern.length - 1] != ')')
        return text_matches(pattern.text, pattern.length, part);
    pattern = (struct text_part){pattern.text + 1, pattern.length - 2};
    while (text_part_next(&pattern, "|", &one))
        if (text_matches(one.text, one.length, part))
            return true;
    return false;
}

bool
module_is_named(struct text_part pattern, const char *name)
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
        if (!is_part((struct text_part){pattern.text, asked}, part))
            return false;
        if (asked == pattern.length || !name[given])
            return asked == pattern.length && !name[given];
        pattern = (struct text_part){pattern.text + asked + 1, pattern.length - asked - 1};
        name += given + 1;
    }
}
