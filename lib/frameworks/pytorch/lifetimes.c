/*
 * How long the host language keeps what the network's layers make.
 *
 * A tensor goes right after its last use. What was made before a call (a scope) and is used inside it lives until the
 * call returns, because the caller's arguments hold it; what memmodel_network_end_lifetime() was called for lives until
 * there, and what the model returns until the caller has bound a name to it.
 */
#include "base/checked.h"
#include "frameworks/pytorch/step.h"

#include <string.h>

/* The last layer of the outermost call that `tensor`, made before it, is used in by `layer`. */
static int32_t
last_use(const struct memmodel_network *network, int32_t layer, const struct tensor *tensor)
{
    int32_t end = layer;

    for (int32_t i = network->layers[layer].scope; i >= 0; i = network->scopes[i].parent) {
        if (network->scopes[i].first <= tensor->layer)
            break;
        end = network->scopes[i].end - 1;
    }
    return end;
}

static void
find_last_uses(const struct memmodel_network *network, const struct names *names, int32_t *last_use_of)
{
    for (size_t i = 0; i < network->tensor_count; i++)
        last_use_of[i] =
            network->tensors[i].held_until > 0 ? network->tensors[i].held_until - 1 : network->tensors[i].layer;
    for (int32_t i = 0; i < (int32_t)network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];

        for (int k = 0; k < layer->input_count; k++) {
            memmodel_tensor input = layer->inputs[k];

            if (input >= 0)
                last_use_of[input] =
                    (int32_t)max_i64(last_use_of[input], last_use(network, i, &network->tensors[input]));
        }
    }
    for (size_t i = 0; i < names->count; i++) {
        int32_t *last = &last_use_of[names->items[i].tensor];

        if (names->items[i].returned)
            *last = (int32_t)max_i64(*last, names->items[i].bound);
    }
}

static bool
is_released(const struct memmodel_network *network, size_t tensor)
{
    enum op op = network->layers[network->tensors[tensor].layer].op;

    return op != OP_INPUT && op != OP_PARAMETER;
}

/* Sorts by last use, counting: first[i] is where those begin that are released after layer i. */
static void
sort_by_last_use(const struct memmodel_network *network, struct lifetimes *lifetimes)
{
    int32_t *first = lifetimes->first;
    size_t layers = network->layer_count;

    for (size_t i = 0; i < network->tensor_count; i++)
        if (is_released(network, i))
            first[lifetimes->last_use_of[i] + 1]++;
    for (size_t i = 0; i < layers; i++)
        first[i + 1] += first[i];
    for (size_t i = 0; i < network->tensor_count; i++)
        if (is_released(network, i))
            lifetimes->released[first[lifetimes->last_use_of[i]]++] = (int32_t)i;
    memmove(first + 1, first, layers * sizeof *first);
    first[0] = 0;
}

int
lifetimes_new(memmodel_context *context, const struct memmodel_network *network, const struct names *names,
              struct lifetimes *lifetimes)
{
    *lifetimes = (struct lifetimes){
        .last_use_of = memory_allocate_zeroed(context, network->tensor_count + 1, sizeof *lifetimes->last_use_of),
        .released = memory_allocate_zeroed(context, network->tensor_count + 1, sizeof *lifetimes->released),
        .first = memory_allocate_zeroed(context, network->layer_count + 2, sizeof *lifetimes->first),
    };
    if (!lifetimes->last_use_of || !lifetimes->released || !lifetimes->first) {
        lifetimes_release(context, lifetimes);
        return MEMMODEL_ERROR_NO_MEMORY;
    }
    find_last_uses(network, names, lifetimes->last_use_of);
    sort_by_last_use(network, lifetimes);
    return 0;
}

void
lifetimes_release(memmodel_context *context, struct lifetimes *lifetimes)
{
    memory_release(context, lifetimes->last_use_of);
    memory_release(context, lifetimes->released);
    memory_release(context, lifetimes->first);
    *lifetimes = (struct lifetimes){0};
}
