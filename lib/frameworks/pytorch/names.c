/* What the caller holds: y and loss, each until its name is bound anew in the next step. */
#include "frameworks/pytorch/names.h"

#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/tensor.h"

static int32_t
first_loss_layer(const struct memmodel_network *network)
{
    for (size_t i = 0; i < network->layer_count; i++)
        if (network->layers[i].op == OP_LOSS)
            return (int32_t)i;
    return (int32_t)network->layer_count;
}

static bool
feeds_loss(const struct memmodel_network *network, int32_t loss, memmodel_tensor tensor)
{
    for (size_t i = (size_t)loss; i < network->layer_count; i++)
        if (network->layers[i].op == OP_LOSS && network->layers[i].inputs[0] == tensor)
            return true;
    return false;
}

/* Is it among the first `count` that were named? */
static bool
is_named(const struct memmodel_network *network, size_t count, memmodel_tensor index)
{
    for (size_t i = 0; i < count; i++)
        if (network->outputs[i] == index)
            return true;
    return false;
}

/*
 * Besides what was named, an unused number that nobody releases is a loss; where nothing was named, all that is not
 * used counts.
 */
static bool
is_output(const struct memmodel_network *network, int32_t loss, memmodel_tensor index)
{
    const struct tensor *tensor = &network->tensors[index];
    const struct layer *layer = layer_of_tensor(network, index);

    if (is_named(network, network->output_count, index))
        return true;
    if (layer_is_given(layer))
        return false;
    if (tensor->consumers == 0 && tensor->output == 0)
        return network->output_count == 0 || layer->op == OP_LOSS || (tensor->rank == 0 && tensor->held_until == 0);
    return network->output_count == 0 && feeds_loss(network, loss, index);
}

/*
 * Where the network says until when the name was held, there it is bound. Else y = model(x) is done before the first
 * loss. Without a loss layer an output that is used on is a name of its own.
 */
static int32_t
bound_after(const struct memmodel_network *network, int32_t loss, memmodel_tensor index)
{
    const struct tensor *tensor = &network->tensors[index];

    if (tensor->held_until > tensor->layer)
        return tensor->held_until - 1;
    if (tensor->layer >= loss || (loss == (int32_t)network->layer_count && tensor->consumers > 0))
        return tensor->layer;
    return loss - 1;
}

/* What is named before others is handed back beside them, such as a part of the loss that the model returns. */
static bool
is_beside(const struct memmodel_network *network, memmodel_tensor index)
{
    return network->output_count > 0 && is_named(network, network->output_count - 1, index);
}

int
names_new(memmodel_context *context, const struct memmodel_network *network, struct names *names)
{
    int32_t loss = first_loss_layer(network);

    *names = (struct names){
        .items = memory_allocate_zeroed(context, network->tensor_count + 1, sizeof *names->items),
        .roots = memory_allocate_zeroed(context, network->tensor_count + 1, sizeof *names->roots),
    };
    if (!names->items || !names->roots) {
        names_release(context, names);
        return MEMMODEL_ERROR_NO_MEMORY;
    }
    for (memmodel_tensor i = 0; i < (memmodel_tensor)network->tensor_count; i++)
        if (is_output(network, loss, i))
            names->items[names->count++] = (struct name){
                .tensor = i,
                .bound = bound_after(network, loss, i),
                .returned = network->output_count == 0 || is_named(network, network->output_count, i),
                .beside = is_beside(network, i),
            };
    return 0;
}

/* Where a loss is handed back beside what the model returns, it is the last that was named. */
int32_t
names_model_end(const struct names *names, const struct memmodel_network *network)
{
    int32_t loss = first_loss_layer(network), end = -1;

    if (loss < (int32_t)network->layer_count)
        return loss - 1;
    for (size_t i = 0; i < names->count; i++)
        if (names->items[i].beside && names->items[i].bound > end)
            end = names->items[i].bound;
    return end >= 0 ? end : (int32_t)network->layer_count - 1;
}

void
names_bind(struct step *step, struct names *names, int32_t layer)
{
    for (size_t i = 0; i < names->count; i++) {
        struct name *name = &names->items[i];
        struct value *old = name->held;

        if (name->bound != layer)
            continue;
        name->held = value_keep(step->values[name->tensor]);
        value_drop(step, old);
    }
}

/* The names that hold something to be differentiated; only single numbers that are losses if `scalars`. */
static int
collect_roots(const struct names *names, bool scalars)
{
    int count = 0;

    for (size_t i = 0; i < names->count; i++) {
        const struct name *name = &names->items[i];
        struct value *held = name->held;

        if (held && held->node && (!scalars || (value_elements(held) == 1 && !name->beside)))
            names->roots[count++] = held;
    }
    return count;
}

int
names_roots(const struct names *names)
{
    int losses = collect_roots(names, true);

    return losses > 0 ? losses : collect_roots(names, false);
}

void
names_release(memmodel_context *context, struct names *names)
{
    memory_release(context, names->items);
    memory_release(context, names->roots);
    *names = (struct names){0};
}
