/*
 * Which parameters an optimizer has: all, or those of its groups, "adamw(weight_decay=0.1): *.weight; adamw", in the order
 * in which their names stand there, as torch.optim has them in its param_groups.
 */
#include "base/text.h"
#include "frameworks/optimizer.h"

#include <string.h>

/* What the groups are filled from. */
struct filling {
    memmodel_context *context;
    const memmodel_network *network;
    struct optimizer_members *members;
    struct text *names; /* one per parameter; NULL: no pattern asks for them */
    bool *taken;        /* of each: it is in a group */
    size_t count;       /* of those that are */
};

/* ---- names ---- */

int
parameter_name(memmodel_context *context, const memmodel_network *network, size_t index, struct text *name)
{
    const struct parameter *parameter = &network->parameters[index];
    const struct layer *layer = &network->layers[parameter->layer];

    *name = TEXT_INIT(context);
    text_append(name, layer->name);
    if (layer->op != OP_PARAMETER)
        text_printf(name, ".%s", parameter->role);
    return name->failed ? MEMMODEL_ERROR_NO_MEMORY : 0;
}

static int
name_parameters(struct filling *filling)
{
    size_t count = filling->network->parameter_count;
    int status = 0;

    filling->names = memory_allocate_zeroed(filling->context, count + 1, sizeof *filling->names);
    if (!filling->names)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < count && !status; i++)
        status = parameter_name(filling->context, filling->network, i, &filling->names[i]);
    return status;
}

static void
release_names(struct filling *filling)
{
    for (size_t i = 0; filling->names && i < filling->network->parameter_count; i++)
        if (filling->names[i].bytes)
            text_release(&filling->names[i]);
    memory_release(filling->context, filling->names);
}

/* ---- groups ---- */

static void
take(struct filling *filling, size_t parameter)
{
    if (filling->taken[parameter])
        return;
    filling->taken[parameter] = true;
    filling->members->parameters[filling->count++] = (int32_t)parameter;
}

static int
take_named(struct filling *filling, const char *pattern, size_t length)
{
    size_t count = filling->network->parameter_count;
    bool found = false;

    for (size_t i = 0; i < count; i++) {
        if (!text_matches(pattern, length, filling->names[i].bytes))
            continue;
        found = true;
        take(filling, i);
    }
    if (found)
        return 0;
    return context_error(filling->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "optimizer",
                         "no parameter of the network is called \"%.*s\"%s%s%s", (int)length, pattern,
                         count ? "; one is called \"" : "", count ? filling->names[0].bytes : "", count ? "\"" : "");
}

static int
take_all_named(struct filling *filling, const struct optimizer_part *part)
{
    const char *end = part->patterns + part->length;
    int status = 0;

    for (const char *at = part->patterns; at < end && !status;) {
        size_t length;

        at += strspn(at, ", ");
        length = strcspn(at, ",; ");
        if (length > 0)
            status = take_named(filling, at, length);
        at += length;
        at += strspn(at, ", ");
    }
    return status;
}

static int
fill_part(struct filling *filling, const struct optimizer_part *part)
{
    int status = 0;

    if (part->patterns)
        status = take_all_named(filling, part);
    for (size_t i = 0; !part->patterns && i < filling->network->parameter_count; i++)
        take(filling, i);
    filling->members->ends[filling->members->parts++] = filling->count;
    return status;
}

static size_t
count_parts(const char *text)
{
    struct optimizer_part part;
    size_t count = 0;

    while (optimizer_next_part(&text, &part))
        count++;
    return count;
}

static int
fill(struct filling *filling, const char *text)
{
    size_t count = filling->network->parameter_count;
    struct optimizer_members *members = filling->members;
    struct optimizer_part part;
    int status = 0;

    members->ends = memory_allocate_zeroed(filling->context, count_parts(text), sizeof *members->ends);
    members->parameters = memory_allocate(filling->context, (count + 1) * sizeof *members->parameters);
    filling->taken = memory_allocate_zeroed(filling->context, count + 1, sizeof *filling->taken);
    if (!members->ends || !members->parameters || !filling->taken)
        return MEMMODEL_ERROR_NO_MEMORY;
    if (strchr(text, ':'))
        status = name_parameters(filling);
    while (!status && optimizer_next_part(&text, &part))
        status = fill_part(filling, &part);
    return status;
}

int
optimizer_members_new(memmodel_context *context, const memmodel_network *network, const char *text,
                      struct optimizer_members *members)
{
    struct filling filling = {.context = context, .network = network, .members = members};
    int status;

    *members = (struct optimizer_members){.parts = 0};
    status = fill(&filling, text);
    release_names(&filling);
    memory_release(context, filling.taken);
    return status;
}

void
optimizer_members_release(memmodel_context *context, struct optimizer_members *members)
{
    memory_release(context, members->parameters);
    memory_release(context, members->ends);
    *members = (struct optimizer_members){.parts = 0};
}
