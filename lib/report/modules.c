/* The table of layers rolled up by module, largest first: with what no layer owns, its rows add up to the peak. */
#include "base/checked.h"
#include "base/environment.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* A layer on its way into its module. */
struct member {
    const struct memmodel_report_layer *layer;
    size_t length; /* of its name that the module has */
    size_t index;
};

static bool
is_number(const char *part, size_t length)
{
    return length > 0 && strspn(part, "0123456789") >= length;
}

/* Letters of the first `depth` parts of a name. Numbers belong to the part before: "h.0" is one. All of it for 0. */
static size_t
module_length(const char *name, int32_t depth)
{
    size_t at = 0;
    int32_t parts = 0;

    while (depth > 0 && name[at]) {
        size_t begin = at > 0 ? at + 1 : 0, length = strcspn(name + begin, ".");

        parts += !is_number(name + begin, length);
        if (parts > depth)
            return at;
        at = begin + length;
    }
    return strlen(name);
}

static int
compare_names(const void *a, const void *b)
{
    const struct member *one = a, *other = b;
    size_t shorter = one->length < other->length ? one->length : other->length;
    int order = memcmp(one->layer->name, other->layer->name, shorter);

    if (order == 0 && one->length != other->length)
        order = one->length < other->length ? -1 : 1;
    return order ? order : (one->index > other->index) - (one->index < other->index);
}

static bool
same_module(const struct member *one, const struct member *other)
{
    return one->length == other->length && memcmp(one->layer->name, other->layer->name, one->length) == 0;
}

/* No sum is greater than that of the report's total. */
static void
add_layer(struct memmodel_report_layer *module, const struct memmodel_report_layer *layer)
{
    module->activation_count += layer->activation_count;
    module->output_bytes += layer->output_bytes;
    module->parameter_count += layer->parameter_count;
    module->trainable_count += layer->trainable_count;
    module->parameter_bytes += layer->parameter_bytes;
    module->multiply_adds += layer->multiply_adds;
    module->peak_bytes += layer->peak_bytes;
    for (int i = 0; i < CATEGORIES; i++)
        module->peak_by_category[i] += layer->peak_by_category[i];
}

/* A layer alone stays what it is; of several the module says how many. */
static int
fill_module(memmodel_report *modules, const struct member *members, size_t count, struct memmodel_report_layer *module)
{
    struct text text = TEXT_INIT(modules->context);

    *module = *members[0].layer;
    for (size_t i = 1; i < count; i++)
        add_layer(module, members[i].layer);
    if (count == 1)
        return 0;
    text_append_bytes(&text, members[0].layer->name, members[0].length);
    module->name = text.failed ? NULL : arena_copy_text(&modules->arena, text.bytes);
    text_release(&text);
    text = TEXT_INIT(modules->context);
    text_printf(&text, "%zu layers", count);
    module->op = text.failed ? NULL : arena_copy_text(&modules->arena, text.bytes);
    text_release(&text);
    module->shape = module->symbolic_shape = "";
    return module->name && module->op ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static int
group(memmodel_report *modules, struct member *members, size_t count)
{
    int status = 0;

    qsort(members, count, sizeof *members, compare_names);
    for (size_t begin = 0, end; begin < count && !status; begin = end) {
        struct memmodel_report_layer *module = &modules->layers[modules->layer_count++];

        for (end = begin + 1; end < count && same_module(&members[begin], &members[end]); end++)
            continue;
        status = fill_module(modules, members + begin, end - begin, module);
        module->size = members[begin].index; /* the order of the forward pass, until they are sorted */
    }
    return status;
}

static int
compare_peaks(const void *a, const void *b)
{
    const struct memmodel_report_layer *one = a, *other = b;

    if (one->peak_bytes != other->peak_bytes)
        return one->peak_bytes < other->peak_bytes ? 1 : -1;
    return (one->size > other->size) - (one->size < other->size);
}

/* A row of what nothing in the table has; none of 0 bytes. */
static void
add_rest(memmodel_report *modules, const char *name, const int64_t *by_category)
{
    struct memmodel_report_layer rest = {.name = name, .op = "", .shape = "", .symbolic_shape = ""};

    for (int i = 0; i < CATEGORIES; i++) {
        rest.peak_by_category[i] = by_category[i];
        rest.peak_bytes += by_category[i];
    }
    rest.size = SIZE_MAX;
    if (rest.peak_bytes > 0)
        modules->layers[modules->layer_count++] = rest;
}

/* Blocks that no layer owns, and what the allocator rounds up, which is in no block. */
static void
add_rests(memmodel_report *modules, const memmodel_report *report)
{
    int64_t unowned[MEMMODEL_MAX_CATEGORIES], overhead[MEMMODEL_MAX_CATEGORIES] = {0};

    memcpy(unowned, report->total.peak_by_category, sizeof unowned);
    for (size_t i = 0; i < report->layer_count; i++)
        for (int category = 0; category < CATEGORIES; category++)
            unowned[category] -= report->layers[i].peak_by_category[category];
    for (int i = 0; report->trace && i < CATEGORIES; i++)
        overhead[i] = report->categories[i] - report->total.peak_by_category[i];
    add_rest(modules, "(no layer)", unowned);
    add_rest(modules, "(allocator)", overhead);
    for (int i = 0; i < CATEGORIES; i++) {
        modules->total.peak_by_category[i] += overhead[i];
        modules->total.peak_bytes += overhead[i];
    }
}

enum { RESTS = 2, NODES_PER_LAYER = 4 };

static int
fill(memmodel_report *modules, const memmodel_report *report, int32_t depth, memmodel_context *context)
{
    size_t count = report->layer_count;
    struct member *members = memory_allocate(context, (count + 1) * sizeof *members);
    int status = context_check(context, context_nodes(count) * NODES_PER_LAYER);

    modules->layers = arena_allocate(&modules->arena, (count + RESTS + 1) * sizeof *modules->layers);
    if (!members || !modules->layers)
        status = MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < count && !status; i++)
        members[i] = (struct member){&report->layers[i], module_length(report->layers[i].name, depth), i};
    if (!status)
        status = group(modules, members, count);
    memory_release(context, members);
    if (status)
        return status;
    add_rests(modules, report);
    qsort(modules->layers, modules->layer_count, sizeof *modules->layers, compare_peaks);
    for (size_t i = 0; i < modules->layer_count; i++)
        modules->layers[i].size = sizeof *modules->layers;
    return 0;
}

/* All but its table is the other report's, which it keeps. */
static int
rolled_up(const memmodel_report *report, int32_t depth, memmodel_context *context, memmodel_report **modules)
{
    struct memmodel_report *new = memory_allocate_zeroed(context, 1, sizeof *new);
    int status;

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    *new = *report;
    new->context = memmodel_context_ref(context);
    atomic_init(&new->references, 1);
    new->arena = ARENA_INIT(context);
    new->layers = NULL;
    new->layer_count = 0;
    new->base = memmodel_report_ref((memmodel_report *)report);
    new->trace = report->trace ? memmodel_trace_ref(report->trace) : NULL;
    status = fill(new, report, depth, context);
    if (status)
        memmodel_report_unref(new);
    else
        *modules = new;
    return status;
}

int
memmodel_report_by_module(const memmodel_report *report, int32_t depth, memmodel_context *context,
                          memmodel_report **modules)
{
    OWN_ENVIRONMENT;
    int status;

    if (!report || !context || !modules)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(context);
    if (!status && depth < 0)
        status = context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "depth", "%d parts of a name; give 0 or more",
                               depth);
    if (!status)
        status = rolled_up(report, depth, context, modules);
    return context_end(context, status);
}
