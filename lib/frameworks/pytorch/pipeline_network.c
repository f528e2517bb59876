/*
 * The network of the stages that a rank has: their layers, what these need that has no gradient, which each stage makes
 * for itself, and parameters of theirs alone.
 */
#include "frameworks/pytorch/pipeline.h"

#include <string.h>

struct cutting {
    struct step *step;
    struct pipeline *made;
    const struct memmodel_network *from;
    struct pipeline_cuts cuts;
    memmodel_tensor *names; /* of each tensor of `from`: that of the stage that is made, or MEMMODEL_TENSOR_NONE */
    bool *needed;           /* of each layer of `from`: a stage that is made needs it, from before its begin */
    int32_t *parameters;    /* of each parameter of `from`: its number here, or -1 */
    int32_t *place;         /* of each layer of `from`: where it is here, or -1 */
};

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
static void
copy_layer(struct cutting *cutting, int32_t index, bool apart)
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
            copy_layer(cutting, i, !layer_is_given(&from->layers[i]));
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

static void
make_stage(struct cutting *cutting, struct pipeline_stage *stage)
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
            copy_layer(cutting, i, false);
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

/* ---- what layers stand in ---- */

/* Tensors of parameters that stages of this rank use come first, as they stand. */
static void
copy_parameter_layers(struct cutting *cutting)
{
    const struct memmodel_network *from = cutting->from;
    bool *used = step_arena_allocate(cutting->step, from->parameter_count + 1);

    if (!used)
        return;
    memset(used, 0, from->parameter_count + 1);
    for (int32_t k = 0; k < cutting->made->stage_count; k++) {
        int32_t number = cutting->made->stages[k].number;

        for (int32_t i = cutting->cuts.first[number]; i < cutting->cuts.first[number + 1]; i++) {
            const struct layer *layer = &from->layers[i];

            for (int32_t p = 0; p < layer->parameter_count && layer->op != OP_PARAMETER; p++)
                used[layer->parameters[p]] = true;
            for (int32_t p = 0; p < layer->input_count; p++)
                if (layer->inputs[p] >= 0 && layer_of_tensor(from, layer->inputs[p])->op == OP_PARAMETER)
                    used[layer_of_tensor(from, layer->inputs[p])->parameters[0]] = true;
        }
    }
    for (size_t i = 0; i < from->layer_count; i++)
        if (from->layers[i].op == OP_PARAMETER && used[from->layers[i].parameters[0]])
            copy_layer(cutting, (int32_t)i, false);
}

/* The first place here of a layer from `index` on. */
static int32_t
place_from(const struct cutting *cutting, int32_t index, int32_t end)
{
    while (index < end && cutting->place[index] < 0)
        index++;
    return index < end ? cutting->place[index] : -1;
}

static void
move_scopes(struct cutting *cutting)
{
    const struct memmodel_network *from = cutting->from;
    struct memmodel_network *to = &cutting->made->network;

    for (size_t i = 0; i < from->scope_count; i++) {
        const struct scope *scope = &from->scopes[i];
        int32_t last = scope->end, first = place_from(cutting, scope->first, scope->end);

        while (last > scope->first && cutting->place[last - 1] < 0)
            last--;
        to->scopes[i].first = first < 0 ? 0 : first;
        to->scopes[i].end = first < 0 ? 0 : cutting->place[last - 1] + 1;
    }
    for (size_t i = 0; i < from->parameter_count; i++)
        if (cutting->parameters[i] >= 0) {
            int32_t layer = cutting->place[from->parameters[i].layer];

            to->parameters[cutting->parameters[i]].layer = layer < 0 ? 0 : layer;
        }
}

/* ---- all of it ---- */

static void *
room(struct step *step, const void *from, size_t count, size_t bytes)
{
    void *made = step_arena_allocate(step, (count + 1) * bytes);

    if (made && from)
        memcpy(made, from, count * bytes);
    return made;
}

/* Each stage may need all that is before it. */
static bool
make_room(struct cutting *cutting)
{
    struct step *step = cutting->step;
    const struct memmodel_network *from = cutting->from;
    struct pipeline *made = cutting->made;
    size_t stages = (size_t)made->stage_count;

    made->network = *from;
    made->network.tensor_count = made->network.layer_count = made->network.parameter_count =
        made->network.output_count = 0;
    made->network.tensors = room(step, NULL, (stages + 1) * (from->tensor_count + 1), sizeof *from->tensors);
    made->network.layers = room(step, NULL, (stages + 1) * (from->layer_count + 1), sizeof *from->layers);
    made->network.parameters = room(step, NULL, from->parameter_count, sizeof *from->parameters);
    made->network.scopes = room(step, from->scopes, from->scope_count, sizeof *from->scopes);
    made->network.outputs = room(step, NULL, from->output_count + stages, sizeof *from->outputs);
    made->origins = room(step, NULL, (stages + 1) * (from->layer_count + 1), sizeof *made->origins);
    cutting->names = room(step, NULL, from->tensor_count, sizeof *cutting->names);
    cutting->needed = room(step, NULL, from->layer_count, sizeof *cutting->needed);
    cutting->parameters = room(step, NULL, from->parameter_count, sizeof *cutting->parameters);
    cutting->place = room(step, NULL, from->layer_count, sizeof *cutting->place);
    if (step->status)
        return false;
    memset(cutting->names, -1, (from->tensor_count + 1) * sizeof *cutting->names);
    memset(cutting->parameters, -1, (from->parameter_count + 1) * sizeof *cutting->parameters);
    memset(cutting->place, -1, (from->layer_count + 1) * sizeof *cutting->place);
    return true;
}

/* Stage s is that of rank s modulo the ranks. */
static bool
number_stages(struct step *step, struct pipeline *made)
{
    int64_t ranks = step->parallel.pipeline_ranks, chunks = step->parallel.pipeline.microbatches;

    made->stage_count = (int32_t)(step->parallel.pipeline.stages / ranks);
    made->stages = step_arena_allocate(step, (size_t)made->stage_count * sizeof *made->stages);
    for (int32_t i = 0; made->stages && i < made->stage_count; i++) {
        struct pipeline_stage *stage = &made->stages[i];

        *stage = (struct pipeline_stage){.number = (int32_t)(step->parallel.pipeline_place + i * ranks),
                                         .input = MEMMODEL_TENSOR_NONE};
        stage->chunks = step_arena_allocate(step, (size_t)chunks * sizeof *stage->chunks);
        if (stage->chunks)
            memset(stage->chunks, 0, (size_t)chunks * sizeof *stage->chunks);
    }
    return !step->status;
}

static void
copy_customs(struct cutting *cutting)
{
    struct pipeline *made = cutting->made;
    const struct binding *whole = cutting->step->binding;
    size_t count = made->network.layer_count;

    made->binding = (struct binding){.network = &made->network, .values = whole->values};
    made->binding.customs = step_arena_allocate(cutting->step, (count + 1) * sizeof *made->binding.customs);
    for (size_t i = 0; made->binding.customs && i < count; i++)
        made->binding.customs[i] =
            whole->customs ? whole->customs[made->origins[i]] : (struct memmodel_custom_requirements){.size = 0};
}

int
pipeline_open(struct step *step)
{
    struct cutting cutting = {.step = step, .from = step->network};
    int status;

    if (step->parallel.pipeline_ranks == 1)
        return 0;
    cutting.made = step_arena_allocate(step, sizeof *cutting.made);
    if (!cutting.made)
        return step->status;
    memset(cutting.made, 0, sizeof *cutting.made);
    status = pipeline_find_cuts(step, &cutting.cuts);
    if (status || !number_stages(step, cutting.made) || !make_room(&cutting))
        return status ? status : step->status;
    copy_parameter_layers(&cutting);
    for (int32_t i = 0; i < cutting.made->stage_count && !step->status; i++)
        make_stage(&cutting, &cutting.made->stages[i]);
    if (step->status)
        return step->status;
    move_scopes(&cutting);
    copy_customs(&cutting);
    step->pipeline = cutting.made;
    step->network = &cutting.made->network;
    step->binding = &cutting.made->binding;
    step->origins = cutting.made->origins;
    return step->status;
}
