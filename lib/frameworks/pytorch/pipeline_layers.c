/* Layers of a stage: what it needs from before its begin and makes for itself, what it receives, and its own. */
#include "frameworks/pytorch/pipeline_network.h"

#include <string.h>

/* ---- layers ---- */

/* The parameter of the same number in `from` becomes one here. */
static int32_t
take_parameter(struct cutting *cutting, int32_t parameter)
{
    struct memmodel_network *to = &cutting->made->network;

    if (cutting->parameters[parameter] < 0) {
        cutting->parameters[parameter] = (int32_t)to->parameter_count;
        to->parameters[to->parameter_count++] = cutting->from->parameters[parameter];
    }
    return cutting->parameters[parameter];
}

static memmodel_tensor
add_tensor(struct cutting *cutting, memmodel_tensor like)
{
    struct memmodel_network *to = &cutting->made->network;
    struct tensor *tensor = &to->tensors[to->tensor_count];

    *tensor = cutting->from->tensors[like];
    tensor->consumers = 0;
    tensor->held_until = 0;
    tensor->layer = (int32_t)to->layer_count;
    return (memmodel_tensor)to->tensor_count++;
}

static void
copy_inputs(struct cutting *cutting, struct layer *layer)
{
    memmodel_tensor *inputs = step_arena_allocate(cutting->step, ((size_t)layer->input_count + 1) * sizeof *inputs);

    for (int32_t i = 0; inputs && i < layer->input_count; i++) {
        inputs[i] = layer->inputs[i] < 0 ? layer->inputs[i] : cutting->names[layer->inputs[i]];
        if (inputs[i] >= 0)
            cutting->made->network.tensors[inputs[i]].consumers++;
    }
    layer->inputs = inputs;
}

static void
copy_parameters(struct cutting *cutting, struct layer *layer)
{
    int32_t *parameters = step_arena_allocate(cutting->step, ((size_t)layer->parameter_count + 1) * sizeof *parameters);

    for (int32_t i = 0; parameters && i < layer->parameter_count; i++)
        parameters[i] = take_parameter(cutting, layer->parameters[i]);
    layer->parameters = parameters;
}

/* A layer of `from`, where it is new with outputs of its own. */
void
cutting_copy_layer(struct cutting *cutting, int32_t index, bool apart)
{
    struct memmodel_network *to = &cutting->made->network;
    struct layer layer = cutting->from->layers[index];
    memmodel_tensor first = (memmodel_tensor)to->tensor_count;

    for (int32_t i = 0; i < layer.output_count; i++)
        cutting->names[layer.first_output + i] = add_tensor(cutting, layer.first_output + i);
    layer.first_output = first;
    copy_inputs(cutting, &layer);
    copy_parameters(cutting, &layer);
    if (apart)
        layer.scope = -1;
    else
        cutting->place[index] = (int32_t)to->layer_count;
    cutting->made->origins[to->layer_count] = index;
    to->layers[to->layer_count++] = layer;
}

/* ---- a stage ---- */

/* Marks what layers need that is made before the stage, but for what it receives. */
static void
need_inputs(struct cutting *cutting, const struct layer *layer, int32_t first, memmodel_tensor received)
{
    for (int32_t i = 0; i < layer->input_count; i++) {
        memmodel_tensor input = layer->inputs[i];

        if (input >= 0 && input != received && cutting->from->tensors[input].layer < first)
            cutting->needed[cutting->from->tensors[input].layer] = true;
    }
}

/* What is given, the model's inputs and parameters, is there once for all stages of a rank. */
static void
copy_needed(struct cutting *cutting, int32_t number)
{
    const struct memmodel_network *from = cutting->from;
    int32_t first = cutting->cuts.first[number], end = cutting->cuts.first[number + 1];
    memmodel_tensor received = cutting->cuts.passing[number];

    memset(cutting->needed, 0, from->layer_count + 1);
    for (int32_t i = end; i-- > 0;)
        if (i >= first || cutting->needed[i])
            need_inputs(cutting, &from->layers[i], first, received);
    for (int32_t i = 0; i < first; i++)
        if (cutting->needed[i] && !(layer_is_given(&from->layers[i]) && cutting->place[i] >= 0))
            cutting_copy_layer(cutting, i, !layer_is_given(&from->layers[i]));
}

static void
add_receiver(struct cutting *cutting, struct pipeline_stage *stage)
{
    struct memmodel_network *to = &cutting->made->network;
    int32_t at = cutting->cuts.first[stage->number];
    struct memmodel_custom *options = step_arena_allocate(cutting->step, sizeof *options);
    memmodel_tensor passing = cutting->cuts.passing[stage->number];

    if (!options)
        return;
    *options = (struct memmodel_custom){.size = sizeof *options, .operation = "memmodel.pipeline.receive"};
    stage->input = cutting->names[passing] = add_tensor(cutting, passing);
    cutting->made->origins[to->layer_count] = at;
    to->layers[to->layer_count++] = (struct layer){
        .op = OP_CUSTOM,
        .name = cutting->from->layers[at].name,
        .scope = -1,
        .options = options,
        .first_output = stage->input,
        .output_count = 1,
    };
}

/* Tensors of the stage are held until the layer that they were held to, or to its end. */
static void
hold_tensors(struct cutting *cutting, int32_t first, int32_t end, int32_t here)
{
    const struct memmodel_network *from = cutting->from;
    struct memmodel_network *to = &cutting->made->network;

    for (size_t i = 0; i < from->tensor_count; i++) {
        int32_t until = from->tensors[i].held_until;

        if (cutting->names[i] < 0 || until <= from->tensors[i].layer || until <= first)
            continue;
        to->tensors[cutting->names[i]].held_until = until >= end ? here : cutting->place[until - 1] + 1;
    }
}

void
cutting_make_stage(struct cutting *cutting, struct pipeline_stage *stage)
{
    const struct pipeline_cuts *cuts = &cutting->cuts;
    struct memmodel_network *to = &cutting->made->network;
    int32_t first = cuts->first[stage->number], end = cuts->first[stage->number + 1];
    memmodel_tensor passed = cuts->passing[stage->number + 1];

    for (size_t i = 0; i < cutting->from->tensor_count; i++)
        if (!layer_is_given(layer_of_tensor(cutting->from, (memmodel_tensor)i)))
            cutting->names[i] = MEMMODEL_TENSOR_NONE;
    stage->first = (int32_t)to->layer_count;
    copy_needed(cutting, stage->number);
    if (stage->number > 0)
        add_receiver(cutting, stage);
    for (int32_t i = first; i < end && !cutting->step->status; i++)
        if (cutting->place[i] < 0 && !(cutting->from->layers[i].op == OP_PARAMETER))
            cutting_copy_layer(cutting, i, false);
    stage->end = (int32_t)to->layer_count;
    hold_tensors(cutting, first, end, stage->end);
    stage->output = passed < 0 ? MEMMODEL_TENSOR_NONE : cutting->names[passed];
    if (passed >= 0) {
        to->tensors[stage->output].held_until = stage->end;
        to->outputs[to->output_count++] = stage->output;
    }
    for (size_t i = 0; i < cutting->from->output_count && passed < 0; i++)
        to->outputs[to->output_count++] = cutting->names[cutting->from->outputs[i]];
}
