/* Which layers a job wants to be computed again in the backward pass. */
#include "base/checked.h"
#include "frameworks/pytorch/checkpoint.h"
#include "network/network.h"

#include <string.h>

/* One of the patterns between commas. */
struct pattern {
    const char *text;
    size_t length;
};

/* `*` stands for any letters, `?` for one. What follows the newest `*` is tried at each place in turn. */
static bool
pattern_matches(const struct pattern *pattern, const char *text)
{
    size_t at = 0, after_star = SIZE_MAX;
    const char *from = text;

    while (*text) {
        if (at < pattern->length && pattern->text[at] == '*') {
            after_star = ++at;
            from = text;
        } else if (at < pattern->length && (pattern->text[at] == '?' || pattern->text[at] == *text)) {
            at++;
            text++;
        } else if (after_star == SIZE_MAX) {
            return false;
        } else {
            at = after_star;
            text = ++from;
        }
    }
    while (at < pattern->length && pattern->text[at] == '*')
        at++;
    return at == pattern->length;
}

/* False after the last. */
static bool
next_pattern(const char **rest, struct pattern *pattern)
{
    pattern->text = *rest + strspn(*rest, ", ");
    pattern->length = strcspn(pattern->text, ",");
    *rest = pattern->text + pattern->length;
    while (pattern->length > 0 && pattern->text[pattern->length - 1] == ' ')
        pattern->length--;
    return pattern->length > 0;
}

/* Notes in end_of[first layer] where a scope ends. */
static void
mark_scope(const struct scope *scope, int32_t *end_of)
{
    if (scope->end > scope->first)
        end_of[scope->first] = (int32_t)max_i64(end_of[scope->first], scope->end);
}

/* The scopes that are called so; how many there are. */
static size_t
mark_scopes(const struct memmodel_network *network, const struct pattern *pattern, int32_t *end_of)
{
    size_t found = 0;

    for (size_t i = 0; i < network->scope_count; i++) {
        if (!pattern_matches(pattern, network->scopes[i].name))
            continue;
        mark_scope(&network->scopes[i], end_of);
        found++;
    }
    return found;
}

static size_t
mark_layers(const struct memmodel_network *network, const struct pattern *pattern, int32_t *end_of)
{
    size_t found = 0;

    for (size_t i = 0; i < network->layer_count; i++) {
        if (!pattern_matches(pattern, network->layers[i].name))
            continue;
        end_of[i] = (int32_t)max_i64(end_of[i], (int64_t)i + 1);
        found++;
    }
    return found;
}

static int
mark_all(memmodel_context *context, const struct memmodel_network *network, const char *patterns, int32_t *end_of)
{
    struct pattern pattern;

    for (size_t i = 0; i < network->scope_count; i++)
        if (network->scopes[i].checkpoint)
            mark_scope(&network->scopes[i], end_of);
    for (const char *rest = patterns; next_pattern(&rest, &pattern);) {
        if (mark_scopes(network, &pattern, end_of) || mark_layers(network, &pattern, end_of))
            continue;
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "checkpoint",
                             "no scope or layer of the network is called \"%.*s\"", (int)pattern.length, pattern.text);
    }
    return 0;
}

static bool
is_resident(const struct memmodel_network *network, memmodel_tensor tensor)
{
    enum op op = network->layers[network->tensors[tensor].layer].op;

    return op == OP_INPUT || op == OP_PARAMETER;
}

static void
add_input(const struct memmodel_network *network, struct region *region, memmodel_tensor tensor)
{
    if (tensor < 0 || network->tensors[tensor].layer >= region->first || is_resident(network, tensor))
        return;
    for (int32_t i = 0; i < region->input_count; i++)
        if (region->inputs[i] == tensor)
            return;
    region->inputs[region->input_count++] = tensor;
}

/* Where regions lie in one another the outermost counts. */
static void
add_regions(const struct memmodel_network *network, const int32_t *end_of, struct checkpoints *checkpoints)
{
    memmodel_tensor *inputs = checkpoints->inputs;

    for (int32_t i = 0; i < (int32_t)network->layer_count; i++) {
        struct region *region = &checkpoints->regions[checkpoints->region_count];

        if (end_of[i] == 0)
            continue;
        *region = (struct region){.first = i, .end = end_of[i], .inputs = inputs};
        for (; i < region->end; i++)
            for (int k = 0; k < network->layers[i].input_count; k++)
                add_input(network, region, network->layers[i].inputs[k]);
        i--;
        inputs += region->input_count;
        checkpoints->region_count++;
    }
}

static size_t
count_inputs(const struct memmodel_network *network)
{
    size_t count = 0;

    for (size_t i = 0; i < network->layer_count; i++)
        count += (size_t)network->layers[i].input_count;
    return count;
}

static bool
has_checkpoints(const struct memmodel_network *network)
{
    for (size_t i = 0; i < network->scope_count; i++)
        if (network->scopes[i].checkpoint)
            return true;
    return false;
}

int
checkpoints_new(memmodel_context *context, const struct memmodel_network *network, const char *patterns,
                struct checkpoints *checkpoints)
{
    int32_t *end_of;
    int status = MEMMODEL_ERROR_NOMEM;

    *checkpoints = (struct checkpoints){.regions = NULL};
    if (!*patterns && !has_checkpoints(network))
        return 0;
    end_of = memory_allocate_zeroed(context, network->layer_count + 1, sizeof *end_of);
    checkpoints->regions = memory_allocate_zeroed(context, network->layer_count + 1, sizeof *checkpoints->regions);
    checkpoints->inputs = memory_allocate_zeroed(context, count_inputs(network) + 1, sizeof *checkpoints->inputs);
    if (end_of && checkpoints->regions && checkpoints->inputs)
        status = mark_all(context, network, patterns, end_of);
    if (!status)
        add_regions(network, end_of, checkpoints);
    else
        checkpoints_release(context, checkpoints);
    memory_release(context, end_of);
    return status;
}

void
checkpoints_release(memmodel_context *context, struct checkpoints *checkpoints)
{
    memory_release(context, checkpoints->regions);
    memory_release(context, checkpoints->inputs);
    *checkpoints = (struct checkpoints){.regions = NULL};
}
