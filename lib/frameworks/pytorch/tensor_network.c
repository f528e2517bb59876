/*
 * The network of one rank: layers of parallelized modules with their part of the parameters, operators that the ranks run
 * together before and behind them, and all shapes in between as that rank has them.
 */
#include "frameworks/pytorch/tensor_network.h"

#include "base/checked.h"

#include <string.h>

/* ---- parts ---- */

/* What this rank has of so many; the last ranks have less: torch.chunk. */
static int64_t
part_of(const struct rewriting *rewriting, int64_t elements)
{
    int64_t ranks = rewriting->axes.ranks, chunk = elements / ranks + (elements % ranks != 0);
    int64_t before = multiply_saturating(chunk, rewriting->step->parallel.tensor_place);

    return before >= elements ? 0 : min_i64(chunk, elements - before);
}

void
rewrite_refuse(struct rewriting *rewriting, int status, const char *object, const char *what)
{
    if (!rewriting->status)
        rewriting->status = context_error(rewriting->step->context, status, object, "%s", what);
}

/* A dim in numbers, or this rank's part of it. */
void
rewrite_cut_dim(struct rewriting *rewriting, memmodel_dim *dim)
{
    *dim = part_of(rewriting, binding_dim(rewriting->axes.whole, *dim));
}

/* ---- making layers ---- */

static struct layer *
add_layer(struct rewriting *rewriting, const struct layer *like)
{
    struct memmodel_network *network = &rewriting->made->network;
    struct layer *layer = &network->layers[network->layer_count];

    *layer = *like;
    rewriting->made->origins[network->layer_count++] = rewriting->layer;
    for (int32_t i = 0; i < layer->output_count; i++)
        network->tensors[layer->first_output + i].layer = (int32_t)network->layer_count - 1;
    return layer;
}

memmodel_tensor
rewrite_add_tensor(struct rewriting *rewriting, const struct tensor *like)
{
    struct memmodel_network *network = &rewriting->made->network;
    struct tensor *tensor = &network->tensors[network->tensor_count];

    *tensor = *like;
    tensor->output = 0;
    tensor->held_until = 0;
    tensor->consumers = 1;
    return (memmodel_tensor)network->tensor_count++;
}

/* An operator that the ranks run together, in the scope of the layer that is rewritten unless another is given. */
void
rewrite_add_together(struct rewriting *rewriting, const char *operation, memmodel_tensor input, memmodel_tensor output,
             int32_t scope)
{
    struct step *step = rewriting->step;
    struct memmodel_custom *options = step_arena_allocate(step, sizeof *options);
    memmodel_tensor *inputs = step_arena_allocate(step, sizeof *inputs);
    const struct layer *beside = &rewriting->from->layers[rewriting->layer];

    if (step->status)
        return;
    *options = (struct memmodel_custom){.size = sizeof *options, .name = beside->name, .operation = operation};
    *inputs = input;
    add_layer(rewriting, &(struct layer){
                             .op = OP_CUSTOM,
                             .name = beside->name,
                             .scope = scope,
                             .options = options,
                             .inputs = inputs,
                             .input_count = 1,
                             .first_output = output,
                             .output_count = 1,
                         });
}

/* The layer itself, with its inputs by the names that they have here. */
struct layer *
rewrite_copy(struct rewriting *rewriting)
{
    const struct layer *from = &rewriting->from->layers[rewriting->layer];
    struct layer *layer = add_layer(rewriting, from);
    memmodel_tensor *inputs = step_arena_allocate(rewriting->step, ((size_t)from->input_count + 1) * sizeof *inputs);

    for (int32_t i = 0; inputs && i < from->input_count; i++)
        inputs[i] = from->inputs[i] < 0 ? from->inputs[i] : rewriting->names[from->inputs[i]];
    if (inputs)
        layer->inputs = inputs;
    return layer;
}

/* ---- all others ---- */

/* The tensor of a cut parameter is cut as well. */
static void
follow_parameter(struct rewriting *rewriting, const struct layer *layer)
{
    const struct tensor_cut *cut = &rewriting->made->parameters[layer->parameters[0]];

    rewriting->axes.axes[layer->first_output] = (signed char)cut->axis;
    if (cut->axis != UNCUT)
        rewriting->made->network.tensors[layer->first_output].dims[cut->axis] =
            rewriting->made->network.parameters[layer->parameters[0]].dims[cut->axis];
}

static void
rewrite_plain(struct rewriting *rewriting, const struct layer *layer)
{
    rewriting->axes.inputs = layer->inputs;
    if (layer->op == OP_PARAMETER)
        follow_parameter(rewriting, layer);
    else
        rewriting->status = tensor_axes_follow(&rewriting->axes, layer);
    for (int32_t i = 0; i < layer->parameter_count && layer->op != OP_PARAMETER && !rewriting->status; i++)
        if (rewriting->made->parameters[layer->parameters[i]].axis != UNCUT)
            rewrite_refuse(rewriting, MEMMODEL_ERROR_UNSUPPORTED, layer->name,
                   "its parameter belongs to a parallelized module, too; untie them");
    for (int32_t i = 0; i < layer->output_count && layer->op != OP_PARAMETER; i++) {
        memmodel_tensor output = layer->first_output + i;

        if (rewriting->axes.axes[output] != UNCUT)
            rewrite_cut_dim(rewriting, &rewriting->made->network.tensors[output].dims[rewriting->axes.axes[output]]);
    }
    rewrite_copy(rewriting);
}

/* ---- what modules are handed ---- */

static bool
is_seen(const struct rewriting *rewriting, memmodel_tensor tensor)
{
    return rewriting->names[tensor] != tensor;
}

/* A module sees all of the sequence of what it is handed: PrepareModuleInput. */
static void
gather_for(struct rewriting *rewriting, const struct scope *scope, memmodel_tensor tensor)
{
    memmodel_tensor whole;

    if (tensor < 0 || is_seen(rewriting, tensor) || rewriting->from->tensors[tensor].layer >= scope->first ||
        rewriting->axes.axes[tensor] != SEQUENCE_AXIS)
        return;
    whole = rewrite_add_tensor(rewriting, &rewriting->from->tensors[tensor]);
    rewrite_add_together(rewriting, "memmodel.tensor.gather", tensor, whole, scope->parent);
    rewriting->gathered[rewriting->gathered_count++] = (struct gathered){scope->end, tensor, whole};
    rewriting->names[tensor] = whole;
    rewriting->axes.axes[tensor] = UNCUT;
}

static void
begin_modules(struct rewriting *rewriting)
{
    for (size_t i = 0; i < rewriting->from->scope_count; i++) {
        const struct scope *scope = &rewriting->from->scopes[i];

        if (!rewriting->made->plan.gathers[i] || scope->first != rewriting->layer)
            continue;
        for (int32_t k = scope->first; k < scope->end; k++)
            for (int32_t input = 0; input < rewriting->from->layers[k].input_count; input++)
                gather_for(rewriting, scope, rewriting->from->layers[k].inputs[input]);
    }
}

static void
end_modules(struct rewriting *rewriting)
{
    size_t kept = 0;

    for (size_t i = 0; i < rewriting->gathered_count; i++) {
        const struct gathered *gathered = &rewriting->gathered[i];

        if (gathered->end != rewriting->layer) {
            rewriting->gathered[kept++] = *gathered;
            continue;
        }
        rewriting->names[gathered->tensor] = gathered->tensor;
        rewriting->axes.axes[gathered->tensor] = SEQUENCE_AXIS;
    }
    rewriting->gathered_count = kept;
}

/* ---- all of it ---- */

static void
rewrite_layers(struct rewriting *rewriting)
{
    const struct memmodel_network *from = rewriting->from;
    struct memmodel_network *to = &rewriting->made->network;

    for (int32_t i = 0; i < (int32_t)from->layer_count && !rewriting->status && !rewriting->step->status; i++) {
        enum tensor_style style = (enum tensor_style)rewriting->made->plan.styles[i];

        rewriting->layer = i;
        end_modules(rewriting);
        rewriting->begin[i] = (int32_t)to->layer_count;
        begin_modules(rewriting);
        rewriting->inside[i] = (int32_t)to->layer_count;
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
    rewriting->begin = step_arena_allocate(step, (from->layer_count + 1) * sizeof *rewriting->begin);
    rewriting->inside = step_arena_allocate(step, (from->layer_count + 1) * sizeof *rewriting->inside);
    rewriting->gathered = step_arena_allocate(step, (new + 1) * sizeof *rewriting->gathered);
    if (step->status)
        return false;
    memset(rewriting->axes.axes, UNCUT, tensors * sizeof *rewriting->axes.axes);
    for (size_t i = 0; i < from->tensor_count; i++)
        rewriting->names[i] = (memmodel_tensor)i;
    memset(made->built, 0, (from->parameter_count + 1) * sizeof *made->built);
    for (size_t i = 0; i < from->parameter_count; i++)
        made->parameters[i] = (struct tensor_cut){.axis = UNCUT};
    return true;
}

int
tensor_parallel_open(struct step *step)
{
    struct tensor_parallel *made;
    struct rewriting rewriting = {.step = step, .from = step->network};
    int status;

    if (step->parallel.tensor_ranks == 1)
        return 0;
    made = rewriting.made = step_arena_allocate(step, sizeof *made);
    if (!made)
        return step->status;
    made->whole = step->binding;
    rewriting.axes = (struct tensor_axes){
        .context = step->context, .whole = step->binding, .ranks = step->parallel.tensor_ranks};
    status = tensor_plan_read(step, &made->plan);
    if (status || !make_room(&rewriting))
        return status ? status : step->status;
    rewrite_parameters(&rewriting);
    if (!rewriting.status)
        rewrite_layers(&rewriting);
    if (rewriting.status || step->status)
        return rewriting.status ? rewriting.status : step->status;
    move_scopes(&rewriting);
    copy_customs(&rewriting);
    step->tensor = made;
    step->network = &made->network;
    step->binding = &made->binding;
    return step->status;
}
