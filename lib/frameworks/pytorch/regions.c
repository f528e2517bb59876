/* Which layers a job wants to be recomputed in the backward pass. */
#include "base/checked.h"
#include "base/text.h"
#include "frameworks/pytorch/checkpoint.h"
#include "network/network.h"

#include <string.h>

/* One of the patterns between commas. */
struct pattern {
    const char *text;
    size_t length;
    const char *last; /* of a group, as its first calls it: "3" of "h.0..3"; NULL: no group */
    size_t last_length;
    bool reentrant;
    int32_t products;
};

/* Of a region, by its first layer. */
struct mark {
    int32_t end; /* 0: there is none */
    bool reentrant;
    int32_t products;
};

/* What follows the newest `*` is tried at each place in turn. */
static bool
ends_in(struct pattern *pattern, const char *option)
{
    size_t length = strlen(option);

    if (pattern->length <= length || memcmp(pattern->text + pattern->length - length, option, length) != 0)
        return false;
    pattern->length -= length;
    return true;
}

/* "encoder.*(use_reentrant=True)", "encoder.*(save=matmul/2)" */
static void
take_option(struct pattern *pattern)
{
    pattern->reentrant = ends_in(pattern, "(use_reentrant=True)");
    pattern->products = ends_in(pattern, "(save=matmul)") ? 1 : ends_in(pattern, "(save=matmul/2)") ? 2 : 0;
}

static void
take_group(struct pattern *pattern)
{
    size_t first = checkpoint_group_first(pattern->text, pattern->length);

    pattern->last = NULL;
    pattern->last_length = 0;
    if (first == pattern->length)
        return;
    pattern->last = pattern->text + first + 2;
    pattern->last_length = pattern->length - first - 2;
    pattern->length = first;
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
    take_option(pattern);
    take_group(pattern);
    return pattern->length > 0 || pattern->last;
}

/* ---- parts ---- */

struct span
span_of_scope(const struct memmodel_network *network, size_t scope)
{
    const struct scope *found = &network->scopes[scope];

    return (struct span){found->name, found->parent, found->first, found->end};
}

struct span
span_of_layer(const struct memmodel_network *network, size_t layer)
{
    const struct layer *found = &network->layers[layer];

    return (struct span){found->name, found->scope, (int32_t)layer, (int32_t)layer + 1};
}

size_t
checkpoint_group_first(const char *name, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (name[i] == '.' && name[i + 1] == '.')
            return i;
    return length;
}

const char *
span_own_name(const struct span *span)
{
    const char *point = strrchr(span->name, '.');

    return point ? point + 1 : span->name;
}

static bool
is_sibling(const struct span *span, const struct span *first, const char *own, size_t length)
{
    size_t parent = (size_t)(span_own_name(first) - first->name);

    return span->parent == first->parent && span->first >= first->end &&
           strncmp(span->name, first->name, parent) == 0 && strncmp(span->name + parent, own, length) == 0 &&
           span->name[parent + length] == '\0';
}

static int32_t
end_of_scopes(const struct memmodel_network *network, const struct span *first, const char *last, size_t length)
{
    for (size_t i = 0; i < network->scope_count; i++) {
        struct span span = span_of_scope(network, i);

        if (is_sibling(&span, first, last, length))
            return span.end;
    }
    return 0;
}

static int32_t
end_of_layers(const struct memmodel_network *network, const struct span *first, const char *last, size_t length)
{
    for (size_t i = (size_t)first->end; i < network->layer_count; i++) {
        struct span span = span_of_layer(network, i);

        if (is_sibling(&span, first, last, length))
            return span.end;
    }
    return 0;
}

int32_t
checkpoint_group_end(const struct memmodel_network *network, const struct span *first, const char *last, size_t length)
{
    int32_t end = end_of_scopes(network, first, last, length);

    return end ? end : end_of_layers(network, first, last, length);
}

/* ---- marks ---- */

/* Of two with the same first layer the longer one counts, of two of the same length the later one. */
static void
mark_layers_between(int32_t first, struct mark mark, struct mark *marks)
{
    if (mark.end > first && mark.end >= marks[first].end)
        marks[first] = mark;
}

/* A span that is called so, or the group that begins with it; false if it is none. */
static bool
mark_span(const struct memmodel_network *network, const struct pattern *pattern, const struct span *span,
          struct mark *marks)
{
    int32_t end = span->end;

    if (!text_matches(pattern->text, pattern->length, span->name))
        return false;
    if (pattern->last)
        end = checkpoint_group_end(network, span, pattern->last, pattern->last_length);
    mark_layers_between(span->first, (struct mark){end, pattern->reentrant, pattern->products}, marks);
    return end > 0;
}

/* How many scopes there are that are called so, or begin a group. */
static size_t
mark_scopes(const struct memmodel_network *network, const struct pattern *pattern, struct mark *marks)
{
    size_t found = 0;

    for (size_t i = 0; i < network->scope_count; i++) {
        struct span span = span_of_scope(network, i);

        found += mark_span(network, pattern, &span, marks);
    }
    return found;
}

static size_t
mark_layers(const struct memmodel_network *network, const struct pattern *pattern, struct mark *marks)
{
    size_t found = 0;

    for (size_t i = 0; i < network->layer_count; i++) {
        struct span span = span_of_layer(network, i);

        found += mark_span(network, pattern, &span, marks);
    }
    return found;
}

static int
nothing_found(memmodel_context *context, const struct pattern *pattern)
{
    if (pattern->last)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "checkpoint",
                             "no group of the network goes from \"%.*s\" to \"%.*s\" behind it in the same scope",
                             (int)pattern->length, pattern->text, (int)pattern->last_length, pattern->last);
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "checkpoint",
                         "no scope or layer of the network is called \"%.*s\"", (int)pattern->length, pattern->text);
}

static int
mark_all(memmodel_context *context, const struct memmodel_network *network, const char *patterns, struct mark *marks)
{
    struct pattern pattern;

    for (size_t i = 0; i < network->scope_count; i++) {
        const struct scope *scope = &network->scopes[i];

        if (scope->checkpoint)
            mark_layers_between(
                scope->first, (struct mark){scope->end, scope->checkpoint == MEMMODEL_CHECKPOINT_REENTRANT, 0}, marks);
    }
    for (const char *rest = patterns; next_pattern(&rest, &pattern);) {
        if (mark_scopes(network, &pattern, marks) || mark_layers(network, &pattern, marks))
            continue;
        return nothing_found(context, &pattern);
    }
    return 0;
}

/* What an operator that the network has by its name is called there; "" for others. */
static const char *
operation_of(const struct layer *layer)
{
    const struct memmodel_custom *options = layer->options;

    return layer->op == OP_CUSTOM && options->operation ? options->operation : "";
}

static bool
is_hold(const struct layer *layer)
{
    return strcmp(operation_of(layer), "memmodel.hold") == 0;
}

/* PyTorch's names say so with a line at the end: "aten.add_.Tensor". */
bool
checkpoint_overwrites(const struct layer *layer)
{
    switch (layer->op) {
    case OP_ACTIVATION:
        return ((const struct memmodel_activation *)layer->options)->in_place;
    case OP_DROPOUT:
        return ((const struct memmodel_dropout *)layer->options)->in_place;
    case OP_BINARY:
        return ((const struct memmodel_binary *)layer->options)->in_place;
    default:
        return strstr(operation_of(layer), "_.") != NULL;
    }
}

static void
add_input(const struct memmodel_network *network, struct region *region, memmodel_tensor tensor, bool bound)
{
    int32_t at = 0;

    if (tensor < 0 || network->tensors[tensor].layer >= region->first ||
        layer_is_given(layer_of_tensor(network, tensor)))
        return;
    while (at < region->input_count && region->inputs[at] != tensor)
        at++;
    region->inputs[at] = tensor;
    region->bound[at] |= bound;
    if (at == region->input_count)
        region->input_count++;
}

static void
add_inputs(const struct memmodel_network *network, struct region *region, const struct layer *layer)
{
    for (int i = 0; i < layer->input_count; i++)
        add_input(network, region, layer->inputs[i], is_hold(layer));
}

/* As a call of checkpoint() cannot end in the middle of another. */
static int
check_overlap(memmodel_context *context, const struct memmodel_network *network, const struct mark *mark, int32_t layer,
              int32_t end)
{
    if (mark->end <= end)
        return 0;
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "checkpoint",
                         "two groups overlap: one of them ends within the other, behind layer \"%s\"",
                         network->layers[layer].name);
}

/* Where regions lie in one another the outermost counts. */
static int
add_regions(memmodel_context *context, const struct memmodel_network *network, const struct mark *marks,
            struct checkpoints *checkpoints)
{
    memmodel_tensor *inputs = checkpoints->inputs;
    int status = 0;

    for (int32_t i = 0; i < (int32_t)network->layer_count && !status; i++) {
        struct region *region = &checkpoints->regions[checkpoints->region_count];

        if (marks[i].end == 0)
            continue;
        *region = (struct region){.first = i,
                                  .end = marks[i].end,
                                  .inputs = inputs,
                                  .reentrant = marks[i].reentrant,
                                  .products = marks[i].products};
        region->bound = checkpoints->bound + (inputs - checkpoints->inputs);
        for (; i < region->end && !status; i++) {
            status = check_overlap(context, network, &marks[i], i, region->end);
            add_inputs(network, region, &network->layers[i]);
        }
        i--;
        inputs += region->input_count;
        checkpoints->region_count++;
    }
    return status;
}

/* The last layer that uses each tensor; those that the network returns are used for ever. */
static void
find_last_uses(const struct memmodel_network *network, int32_t *last_use)
{
    for (size_t i = 0; i < network->layer_count; i++)
        for (int k = 0; k < network->layers[i].input_count; k++)
            if (network->layers[i].inputs[k] >= 0)
                last_use[network->layers[i].inputs[k]] = (int32_t)i;
    for (size_t i = 0; i < network->output_count; i++)
        last_use[network->outputs[i]] = INT32_MAX;
}

static void
add_outputs(const struct memmodel_network *network, const int32_t *last_use, struct checkpoints *checkpoints)
{
    memmodel_tensor *outputs = checkpoints->outputs;

    for (size_t r = 0; r < checkpoints->region_count; r++) {
        struct region *region = &checkpoints->regions[r];

        region->outputs = outputs;
        for (int32_t i = region->first; i < region->end && region->reentrant; i++) {
            const struct layer *layer = &network->layers[i];

            for (memmodel_tensor t = layer->first_output; t < layer->first_output + layer->output_count; t++)
                if (last_use[t] >= region->end)
                    *outputs++ = t;
        }
        region->output_count = (int32_t)(outputs - region->outputs);
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

/* With everything allocated. */
static int
find_regions(memmodel_context *context, const struct memmodel_network *network, const char *patterns,
             struct mark *marks, int32_t *last_use, struct checkpoints *checkpoints)
{
    int status = mark_all(context, network, patterns, marks);

    if (!status)
        status = add_regions(context, network, marks, checkpoints);
    if (status)
        return status;
    find_last_uses(network, last_use);
    add_outputs(network, last_use, checkpoints);
    return 0;
}

int
checkpoints_new(memmodel_context *context, const struct memmodel_network *network, const char *patterns,
                struct checkpoints *checkpoints)
{
    size_t layers = network->layer_count + 1, tensors = network->tensor_count + 1;
    int32_t *last_use;
    struct mark *marks;
    int status = MEMMODEL_ERROR_NO_MEMORY;

    *checkpoints = (struct checkpoints){.regions = NULL};
    if (!*patterns && !has_checkpoints(network))
        return 0;
    marks = memory_allocate_zeroed(context, layers, sizeof *marks);
    last_use = memory_allocate_zeroed(context, tensors, sizeof *last_use);
    checkpoints->regions = memory_allocate_zeroed(context, layers, sizeof *checkpoints->regions);
    checkpoints->inputs = memory_allocate_zeroed(context, count_inputs(network) + 1, sizeof *checkpoints->inputs);
    checkpoints->bound = memory_allocate_zeroed(context, count_inputs(network) + 1, sizeof *checkpoints->bound);
    checkpoints->outputs = memory_allocate_zeroed(context, tensors, sizeof *checkpoints->outputs);
    if (marks && last_use && checkpoints->regions && checkpoints->inputs && checkpoints->bound && checkpoints->outputs)
        status = find_regions(context, network, patterns, marks, last_use, checkpoints);
    if (status)
        checkpoints_release(context, checkpoints);
    memory_release(context, last_use);
    memory_release(context, marks);
    return status;
}

void
checkpoints_release(memmodel_context *context, struct checkpoints *checkpoints)
{
    memory_release(context, checkpoints->regions);
    memory_release(context, checkpoints->inputs);
    memory_release(context, checkpoints->bound);
    memory_release(context, checkpoints->outputs);
    *checkpoints = (struct checkpoints){.regions = NULL};
}
