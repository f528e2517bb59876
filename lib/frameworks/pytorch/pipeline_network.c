/*
 * The network of the stages that a rank has: what their layers stand in, parameters of theirs alone, and room for all.
 */
#include "frameworks/pytorch/pipeline_network.h"

#include "frameworks/pytorch/tensor_parallel.h"

#include <string.h>

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
            cutting_copy_layer(cutting, (int32_t)i, false);
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

/* What a tensor plan cut, by the numbers that parameters have here; origins are layers of the job's network. */
static void
follow_tensor_plan(struct cutting *cutting)
{
    struct step *step = cutting->step;
    struct pipeline *made = cutting->made;
    struct tensor_cut *cuts;

    for (size_t i = 0; i < made->network.layer_count; i++)
        made->origins[i] = step_origin(step, made->origins[i]);
    if (!step->tensor)
        return;
    cuts = step_arena_allocate(step, (made->network.parameter_count + 1) * sizeof *cuts);
    for (size_t i = 0; cuts && i < cutting->from->parameter_count; i++)
        if (cutting->parameters[i] >= 0)
            cuts[cutting->parameters[i]] = step->tensor->parameters[i];
    step->tensor->parameters = cuts;
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
        cutting_make_stage(&cutting, &cutting.made->stages[i]);
    if (step->status)
        return step->status;
    move_scopes(&cutting);
    copy_customs(&cutting);
    follow_tensor_plan(&cutting);
    step->pipeline = cutting.made;
    step->network = &cutting.made->network;
    step->binding = &cutting.made->binding;
    step->origins = cutting.made->origins;
    return step->status;
}
