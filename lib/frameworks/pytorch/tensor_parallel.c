/* From the job's network to that of one rank: room, layer by layer, and which layer stands for which. */
#include "frameworks/pytorch/tensor_network.h"

#include <string.h>

static void
rewrite_layers(struct rewriting *rewriting)
{
    const struct memmodel_network *from = rewriting->from;
    struct memmodel_network *to = &rewriting->made->network;

    for (int32_t i = 0; i < (int32_t)from->layer_count && !rewriting->status && !rewriting->step->status; i++) {
        enum tensor_style style = (enum tensor_style)rewriting->made->plan.styles[i];

        rewriting->layer = i;
        rewrite_end_modules(rewriting);
        rewriting->begin[i] = (int32_t)to->layer_count;
        rewrite_begin_modules(rewriting);
        rewriting->inside[i] = (int32_t)to->layer_count;
        if (style == TENSOR_WHOLE &&
            (rewrite_loss(rewriting, &from->layers[i]) || rewrite_experts(rewriting, &from->layers[i])))
            continue;
        if (style == TENSOR_WHOLE)
            rewrite_plain(rewriting, &from->layers[i]);
        else
            rewrite_styled(rewriting, style, &from->layers[i]);
    }
    rewriting->begin[from->layer_count] = rewriting->inside[from->layer_count] = (int32_t)to->layer_count;
}

/* Modules begin behind what they are handed, those around them before it. */
static void
move_scopes(struct rewriting *rewriting)
{
    const struct memmodel_network *from = rewriting->from;
    struct memmodel_network *to = &rewriting->made->network;

    for (size_t i = 0; i < from->scope_count; i++) {
        const struct scope *scope = &from->scopes[i];
        bool inside = false;

        for (int32_t k = (int32_t)i; k >= 0 && from->scopes[k].first == scope->first; k = from->scopes[k].parent)
            inside = inside || rewriting->made->plan.gathers[k];
        to->scopes[i].first = inside ? rewriting->inside[scope->first] : rewriting->begin[scope->first];
        to->scopes[i].end = rewriting->begin[scope->end];
    }
    for (size_t i = 0; i < from->tensor_count; i++)
        to->tensors[i].held_until = rewriting->begin[from->tensors[i].held_until];
    for (size_t i = 0; i < from->parameter_count; i++)
        to->parameters[i].layer = rewriting->inside[from->parameters[i].layer];
}

/* Custom operators need what they did. */
static void
copy_customs(struct rewriting *rewriting)
{
    struct tensor_parallel *made = rewriting->made;
    size_t count = made->network.layer_count;

    made->binding = (struct binding){.network = &made->network, .values = rewriting->axes.whole->values};
    made->binding.customs = step_arena_allocate(rewriting->step, (count + 1) * sizeof *made->binding.customs);
    if (!made->binding.customs)
        return;
    memset(made->binding.customs, 0, (count + 1) * sizeof *made->binding.customs);
    for (size_t i = 0; i < count && rewriting->axes.whole->customs; i++)
        made->binding.customs[i] = rewriting->axes.whole->customs[made->origins[i]];
}

/* Tensors that a module with a style, or one that is handed all of a sequence, may make besides. */
static size_t
count_new(const struct rewriting *rewriting)
{
    const struct memmodel_network *from = rewriting->from;
    size_t count = 0;

    for (size_t i = 0; i < from->layer_count; i++)
        count += rewriting->made->plan.styles[i] == TENSOR_WHOLE ? 0 : 2;
    for (size_t i = 0; i < from->layer_count && rewriting->step->parallel.expert_ranks > 1; i++)
        count += (size_t)from->layers[i].input_count;
    for (size_t i = 0; i < from->scope_count; i++)
        for (int32_t k = from->scopes[i].first; k < from->scopes[i].end && rewriting->made->plan.gathers[i]; k++)
            count += (size_t)from->layers[k].input_count;
    return count;
}

static void *
copy_of(struct step *step, const void *from, size_t count, size_t more, size_t bytes)
{
    char *copy = step_arena_allocate(step, (count + more + 1) * bytes);

    if (copy && count > 0)
        memcpy(copy, from, count * bytes);
    return copy;
}

static bool
make_room(struct rewriting *rewriting)
{
    const struct memmodel_network *from = rewriting->from;
    struct tensor_parallel *made = rewriting->made;
    struct step *step = rewriting->step;
    size_t new = count_new(rewriting), tensors = from->tensor_count + 1;

    made->network = *from;
    made->network.tensors = copy_of(step, from->tensors, from->tensor_count, new, sizeof *from->tensors);
    made->network.layers = copy_of(step, NULL, 0, from->layer_count + new, sizeof *from->layers);
    made->network.parameters = copy_of(step, from->parameters, from->parameter_count, 0, sizeof *from->parameters);
    made->network.scopes = copy_of(step, from->scopes, from->scope_count, 0, sizeof *from->scopes);
    made->network.layer_count = 0;
    made->origins = step_arena_allocate(step, (from->layer_count + new + 1) * sizeof *made->origins);
    made->parameters = step_arena_allocate(step, (from->parameter_count + 1) * sizeof *made->parameters);
    made->built = step_arena_allocate(step, (from->parameter_count + 1) * sizeof *made->built);
    rewriting->axes.axes = step_arena_allocate(step, tensors * sizeof *rewriting->axes.axes);
    rewriting->names = step_arena_allocate(step, tensors * sizeof *rewriting->names);
    rewriting->grown = step_arena_allocate(step, tensors * sizeof *rewriting->grown);
    rewriting->begin = step_arena_allocate(step, (from->layer_count + 1) * sizeof *rewriting->begin);
    rewriting->inside = step_arena_allocate(step, (from->layer_count + 1) * sizeof *rewriting->inside);
    rewriting->gathered = step_arena_allocate(step, (new + 1) * sizeof *rewriting->gathered);
    if (step->status)
        return false;
    memset(rewriting->grown, 0, tensors * sizeof *rewriting->grown);
    memset(rewriting->axes.axes, UNCUT, tensors * sizeof *rewriting->axes.axes);
    for (size_t i = 0; i < from->tensor_count; i++)
        rewriting->names[i] = (memmodel_tensor)i;
    memset(made->built, 0, (from->parameter_count + 1) * sizeof *made->built);
    for (size_t i = 0; i < from->parameter_count; i++)
        made->parameters[i] = (struct tensor_cut){.axis = UNCUT, .layer = -1, .whole = (int32_t)i};
    return true;
}

/* Of modules with a style, or of experts. */
static void
rewrite(struct rewriting *rewriting)
{
    rewrite_parameters(rewriting);
    if (!rewriting->status && rewriting->step->parallel.expert_ranks > 1)
        rewrite_expert_parameters(rewriting);
    if (!rewriting->status)
        rewrite_layers(rewriting);
}

int
tensor_parallel_open(struct step *step)
{
    const struct parallel *parallel = &step->parallel;
    bool experts = parallel->expert_ranks > 1;
    struct tensor_parallel *made;
    struct rewriting rewriting = {.step = step, .from = step->network};
    int status;

    if (parallel->tensor_ranks == 1 && !experts)
        return 0;
    made = rewriting.made = step_arena_allocate(step, sizeof *made);
    if (!made)
        return step->status;
    made->whole = step->binding;
    made->ranks = experts ? parallel->expert_ranks : parallel->tensor_ranks;
    made->place = experts ? parallel->beside_place : parallel->tensor_place;
    rewriting.axes = (struct tensor_axes){.context = step->context, .whole = step->binding, .ranks = made->ranks};
    status = tensor_plan_read(step, &made->plan);
    if (status || !make_room(&rewriting))
        return status ? status : step->status;
    rewrite(&rewriting);
    if (rewriting.status || step->status)
        return rewriting.status ? rewriting.status : step->status;
    move_scopes(&rewriting);
    copy_customs(&rewriting);
    step->tensor = made;
    step->origins = made->origins;
    step->network = &made->network;
    step->binding = &made->binding;
    return step->status;
}
