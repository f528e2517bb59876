/*
 * The network of one rank: layers of parallelized modules with their part of the parameters, operators that the ranks run
 * together before and behind them, and all shapes in between as that rank has them.
 */
#include "frameworks/pytorch/tensor_network.h"

#include "base/checked.h"

#include <string.h>

/* ---- parts ---- */

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
    *dim = mesh_part(binding_dim(rewriting->axes.whole, *dim), rewriting->axes.ranks, rewriting->made->place);
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

void
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

void
rewrite_begin_modules(struct rewriting *rewriting)
{
    for (; rewriting->next_scope < rewriting->from->scope_count; rewriting->next_scope++) {
        const struct scope *scope = &rewriting->from->scopes[rewriting->next_scope];

        if (scope->first > rewriting->layer)
            break;
        if (!rewriting->made->plan.gathers[rewriting->next_scope])
            continue;
        for (int32_t k = scope->first; k < scope->end; k++)
            for (int32_t input = 0; input < rewriting->from->layers[k].input_count; input++)
                gather_for(rewriting, scope, rewriting->from->layers[k].inputs[input]);
    }
}

void
rewrite_end_modules(struct rewriting *rewriting)
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
