/* Where a network is cut into stages: one tensor with a gradient passes each cut. */
#include "frameworks/pytorch/modules.h"
#include "frameworks/pytorch/pipeline.h"

#include <string.h>

/* Tensors that come from trainable parameters. */
static void
find_tracked(const struct memmodel_network *network, bool *tracked)
{
    memset(tracked, 0, network->tensor_count + 1);
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];
        bool is_tracked = false;

        for (int32_t k = 0; k < layer->parameter_count; k++)
            is_tracked = is_tracked || network->parameters[layer->parameters[k]].trainable;
        for (int32_t k = 0; k < layer->input_count; k++)
            is_tracked = is_tracked || (layer->inputs[k] >= 0 && tracked[layer->inputs[k]]);
        for (int32_t k = 0; k < layer->output_count; k++) {
            int dtype = network->tensors[layer->first_output + k].dtype;

            tracked[layer->first_output + k] = is_tracked && !dtype_is_whole(dtype) && dtype != MEMMODEL_DTYPE_BOOL;
        }
    }
}

/* The first layer of the only run of a module. */
static int
find_module(const struct step *step, struct text_part name, int32_t *first)
{
    const struct memmodel_network *network = step->network;
    struct module_run module;
    int found = 0;

    for (size_t i = 0; i < module_count(network); i++) {
        if ((i >= network->scope_count && found) || !module_at(network, i, &module) ||
            !module_is_named(name, module.name))
            continue;
        *first = module.first;
        found++;
    }
    if (found == 1)
        return 0;
    if (!found)
        return module_missing(network, step->context, "pipeline", "", name);
    return context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pipeline",
                         "\"%.*s\" is called several times; a stage begins with a module that is called once",
                         (int)name.length, name.text);
}

static int
find_begins(const struct step *step, struct pipeline_cuts *cuts)
{
    struct call_text call = step->parallel.pipeline.call;
    struct text_part name;
    int32_t count = 1;
    int status = 0;

    cuts->first[0] = 0;
    while (!status && pipeline_next_cut(&call, &name)) {
        status = find_module(step, name, &cuts->first[count]);
        if (!status && cuts->first[count] <= cuts->first[count - 1])
            return context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pipeline",
                                 "\"%.*s\" does not come after the stage before; name cuts in the order of the "
                                 "forward pass",
                                 (int)name.length, name.text);
        count++;
    }
    cuts->first[count] = (int32_t)step->network->layer_count;
    return status;
}

static void
find_last_uses(const struct memmodel_network *network, int32_t *last_use)
{
    memset(last_use, -1, (network->tensor_count + 1) * sizeof *last_use);
    for (size_t i = 0; i < network->layer_count; i++)
        for (int32_t k = 0; k < network->layers[i].input_count; k++)
            if (network->layers[i].inputs[k] >= 0)
                last_use[network->layers[i].inputs[k]] = (int32_t)i;
    for (size_t i = 0; i < network->output_count; i++)
        last_use[network->outputs[i]] = INT32_MAX;
}

static int
refuse_skip(const struct step *step, int32_t first, memmodel_tensor a, memmodel_tensor b)
{
    const struct memmodel_network *network = step->network;

    return context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT, network->layers[first].name,
                         "a stage that begins here would cut a skip: both \"%s\" and \"%s\" are used from here on; cut "
                         "where one tensor passes",
                         layer_of_tensor(network, a)->name, layer_of_tensor(network, b)->name);
}

/* The one tensor with a gradient that passes into a stage. */
static int
find_passing(const struct step *step, const struct pipeline_cuts *cuts, int32_t stage, memmodel_tensor *passing)
{
    const struct memmodel_network *network = step->network;
    int32_t first = cuts->first[stage];

    *passing = MEMMODEL_TENSOR_NONE;
    for (memmodel_tensor i = 0; i < (memmodel_tensor)network->tensor_count; i++) {
        if (!cuts->tracked[i] || network->tensors[i].layer >= first || layer_is_given(layer_of_tensor(network, i)) ||
            cuts->last_use[i] < first)
            continue;
        if (*passing >= 0)
            return refuse_skip(step, first, *passing, i);
        *passing = i;
    }
    if (*passing >= 0)
        return 0;
    return context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT, network->layers[first].name,
                         "nothing with a gradient passes into a stage that begins here");
}

int
pipeline_find_cuts(struct step *step, struct pipeline_cuts *cuts)
{
    size_t stages = (size_t)step->parallel.pipeline.stages;
    int status;

    cuts->first = step_arena_allocate(step, (stages + 1) * sizeof *cuts->first);
    cuts->passing = step_arena_allocate(step, (stages + 1) * sizeof *cuts->passing);
    cuts->tracked = step_arena_allocate(step, step->network->tensor_count + 1);
    cuts->last_use = step_arena_allocate(step, (step->network->tensor_count + 1) * sizeof *cuts->last_use);
    if (step->status)
        return step->status;
    find_tracked(step->network, cuts->tracked);
    find_last_uses(step->network, cuts->last_use);
    status = find_begins(step, cuts);
    cuts->passing[0] = cuts->passing[stages] = MEMMODEL_TENSOR_NONE;
    for (size_t i = 1; i < stages && !status; i++)
        status = find_passing(step, cuts, (int32_t)i, &cuts->passing[i]);
    return status;
}
