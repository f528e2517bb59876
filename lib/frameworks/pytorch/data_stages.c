/*
 * Data strategies of the stages of a pipeline: each stage is a module of its own, which is wrapped by itself. PyTorch:
 * torch/distributed/pipelining/stage.py (backward_maybe_with_nosync, perform_reduce_grad).
 */
#include "frameworks/pytorch/data_parallel.h"

#include "frameworks/pytorch/pipeline.h"
#include "frameworks/pytorch/tensor.h"

#include <string.h>

static int32_t
stage_count(const struct step *step)
{
    return step->pipeline ? step->pipeline->stage_count : 1;
}

void
data_select(struct step *step, int32_t stage)
{
    step->data_stage = stage;
    step->data_state = step->data_states ? step->data_states[stage] : NULL;
}

int64_t
data_parts(const struct step *step)
{
    return step->pipeline ? step->parallel.pipeline.microbatches : 1;
}

void
data_layers(const struct step *step, int32_t *first, int32_t *end)
{
    *first = step->pipeline ? step->pipeline->stages[step->data_stage].first : 0;
    *end = step->pipeline ? step->pipeline->stages[step->data_stage].end : (int32_t)step->network->layer_count;
}

bool
data_is_own(const struct step *step, size_t parameter)
{
    return step->data_stages[parameter] == step->data_stage;
}

/* ---- which stage has which parameters ---- */

static void
take_parameter(struct step *step, int32_t parameter, int32_t stage)
{
    if (step->data_stages[parameter] < 0)
        step->data_stages[parameter] = stage;
}

static void
take_parameters(struct step *step, const struct layer *layer, int32_t stage)
{
    for (int32_t i = 0; i < layer->parameter_count; i++)
        take_parameter(step, layer->parameters[i], stage);
    for (int32_t i = 0; i < layer->input_count; i++) {
        const struct layer *from = layer->inputs[i] < 0 ? NULL : layer_of_tensor(step->network, layer->inputs[i]);

        if (from && from->op == OP_PARAMETER)
            take_parameter(step, from->parameters[0], stage);
    }
}

/* By the layers that use them; what none does belongs to the first. */
static bool
share_parameters(struct step *step)
{
    size_t count = step->network->parameter_count;

    step->data_stages = step_arena_allocate(step, (count + 1) * sizeof *step->data_stages);
    step->data_states = step_arena_allocate(step, (size_t)stage_count(step) * sizeof *step->data_states);
    if (step->status)
        return false;
    memset(step->data_stages, step->pipeline ? -1 : 0, (count + 1) * sizeof *step->data_stages);
    memset(step->data_states, 0, (size_t)stage_count(step) * sizeof *step->data_states);
    for (int32_t i = 0; step->pipeline && i < stage_count(step); i++)
        for (int32_t k = step->pipeline->stages[i].first; k < step->pipeline->stages[i].end; k++)
            if (step->network->layers[k].op != OP_PARAMETER)
                take_parameters(step, &step->network->layers[k], i);
    for (size_t i = 0; i < count; i++)
        take_parameter(step, (int32_t)i, 0);
    return true;
}

/* ---- all stages ---- */

/* A pipeline with more ranks than stages needs a mesh of both: init_device_mesh(). */
static void
make_mesh(struct step *step)
{
    if (!step->pipeline || step->tensor)
        return;
    step->what = "device mesh";
    value_vector_on_host(step, MEMMODEL_DTYPE_INT32, step->parallel.mesh.ranks);
}

void
data_construct(struct step *step)
{
    if (!step->data || step->status || !share_parameters(step))
        return;
    step_enter(step, MEMMODEL_PHASE_SETUP, -1);
    make_mesh(step);
    for (int32_t i = 0; i < stage_count(step) && !step->status; i++) {
        data_select(step, i);
        step->data->construct(step);
        step->data_states[i] = step->data_state;
    }
    data_select(step, 0);
}

const struct optimizer *
data_optimizer_begin(struct step *step, const struct optimizer *all)
{
    const struct optimizer *own = all;

    for (int32_t i = 0; i < stage_count(step) && step->data && step->data->optimizer_begin && !step->status; i++) {
        data_select(step, i);
        own = step->data->optimizer_begin(step, all);
    }
    return own;
}

void
data_optimizer_end(struct step *step)
{
    for (int32_t i = 0; i < stage_count(step) && step->data && step->data->optimizer_end && !step->status; i++) {
        data_select(step, i);
        step->data->optimizer_end(step);
    }
}

/* ---- what a schedule does to the stage that is selected ---- */

static void
run_hook(struct step *step, void (*hook)(struct step *step))
{
    if (hook && !step->status)
        hook(step);
}

void
data_reduce(struct step *step)
{
    run_hook(step, step->data ? step->data->reduce : NULL);
}

void
data_unshard(struct step *step)
{
    run_hook(step, step->data ? step->data->unshard : NULL);
}

void
data_await_unshard(struct step *step)
{
    run_hook(step, step->data ? step->data->await_unshard : NULL);
}

void
data_reshard(struct step *step)
{
    run_hook(step, step->data ? step->data->reshard : NULL);
}
