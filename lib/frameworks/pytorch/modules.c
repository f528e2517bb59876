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

enum { PART_BYTES = 256 };

/* What stands before, between and behind the parentheses of "(q|k)_proj". */
static bool
is_one_of(struct text_part pattern, const char *open, const char *close, const char *part)
{
    struct text_part inside = {open + 1, (size_t)(close - open - 1)}, one;
    size_t before = (size_t)(open - pattern.text), behind = pattern.length - before - inside.length - 2;
    char whole[PART_BYTES];

    while (text_part_next(&inside, "|", &one)) {
        if (before + one.length + behind > sizeof whole)
            return false;
        memcpy(whole, pattern.text, before);
        memcpy(whole + before, one.text, one.length);
        memcpy(whole + before + one.length, close + 1, behind);
        if (text_matches(whole, before + one.length + behind, part))
            return true;
    }
    return false;
}

/* "*", "q", or one of several: "(q|k)" */
static bool
is_part(struct text_part pattern, const char *part)
{
    const char *open = memchr(pattern.text, '(', pattern.length), *close = memchr(pattern.text, ')', pattern.length);

    if (open && close && open < close)
        return is_one_of(pattern, open, close, part);
    return text_matches(pattern.text, pattern.length, part);
}

bool
module_is_named(struct text_part pattern, const char *name)
{
    char part[PART_BYTES];

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

/* The first module that the pattern would name, but for what stands before; NULL for none. */
static const char *
module_deeper(const struct memmodel_network *network, struct text_part pattern)
{
    struct module_run module;

    for (size_t i = 0; i < module_count(network); i++) {
        const char *inner = module_at(network, i, &module) ? strchr(module.name, '.') : NULL;

        for (; inner; inner = strchr(inner + 1, '.'))
            if (module_is_named(pattern, inner + 1))
                return module.name;
    }
    return NULL;
}

int
module_missing(const struct memmodel_network *network, memmodel_context *context, const char *object, const char *who,
               struct text_part pattern)
{
    const char *deeper = module_deeper(network, pattern);
    int length = (int)pattern.length;

    if (deeper)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, object,
                             "%sno module of the network is called \"%.*s\"; there is \"%s\"", who, length,
                             pattern.text, deeper);
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, object,
                         "%sno module of the network is called \"%.*s\"; a * stands for what is between points, (q|k) "
                         "for either, as in \"layers.*.(q|k)\"",
                         who, length, pattern.text);
}
