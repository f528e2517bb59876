/*
 * Blocks are scopes of names that differ in the number at their end only, each with a few layers; where such scopes lie
 * in one another the outermost count.
 */
#include "report/blocks.h"

#include <string.h>

enum { FEWEST_BLOCKS = 2, FEWEST_LAYERS = 3 };

/* Characters before the number at the end; 0 without one. */
static size_t
stem_length(const char *name)
{
    size_t length = strlen(name), digits = 0;

    while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
        digits++;
    return digits > 0 ? length - digits : 0;
}

static bool
same_stem(const struct scope *a, const struct scope *b)
{
    size_t length = stem_length(a->name);

    return a->parent == b->parent && length > 0 && length == stem_length(b->name) &&
           strncmp(a->name, b->name, length) == 0;
}

static bool
is_large(const struct scope *scope)
{
    return scope->end - scope->first >= FEWEST_LAYERS;
}

/* How many large scopes have the stem of this one, itself among them; 0 if it is not the first. */
static int
count_alike(const struct memmodel_network *network, size_t scope)
{
    const struct scope *first = &network->scopes[scope];
    int count = 0;

    for (size_t i = 0; i < network->scope_count; i++) {
        if (!is_large(&network->scopes[i]) || !same_stem(first, &network->scopes[i]))
            continue;
        if (i < scope)
            return 0;
        count++;
    }
    return count;
}

void
blocks_find(const struct memmodel_network *network, struct text *patterns)
{
    int32_t covered = 0; /* layers before it belong to blocks that were found, or lie before them */

    for (size_t i = 0; i < network->scope_count; i++) {
        const struct scope *scope = &network->scopes[i];

        if (scope->first < covered || !is_large(scope) || count_alike(network, i) < FEWEST_BLOCKS)
            continue;
        text_printf(patterns, "%s%.*s*", patterns->length ? ", " : "", (int)stem_length(scope->name), scope->name);
        for (size_t k = i; k < network->scope_count; k++)
            if (same_stem(scope, &network->scopes[k]) && network->scopes[k].end > covered)
                covered = network->scopes[k].end;
    }
}
