/* One part of a batch at a stage. PyTorch: torch/distributed/pipelining/stage.py, _backward.py. */
#include "frameworks/pytorch/aten_ops.h"
#include "frameworks/pytorch/data_parallel.h"
#include "frameworks/pytorch/pipeline.h"
#include "frameworks/pytorch/step.h"

/* ---- buffers: _prepare_forward_infra, _prepare_backward_infra ---- */

static struct value *
buffer_like(struct step *step, memmodel_tensor tensor)
{
    const struct tensor *of = &step->network->tensors[tensor];
    struct shape shape = step_bound_shape(step, of->dims, of->rank, of->dtype);

    step->what = "pipeline buffer";
    return value_empty(step, &shape);
}

void
pipeline_prepare(struct step *step)
{
    struct pipeline *pipeline = step->pipeline;
    int64_t chunks = step->parallel.pipeline.microbatches;

    if (pipeline->ready)
        return;
    pipeline->ready = true;
    pipeline->model_end = step->model_end;
    step_enter(step, MEMMODEL_PHASE_FORWARD, -1);
    for (int32_t i = 0; i < pipeline->stage_count; i++) {
        struct pipeline_stage *stage = &pipeline->stages[i];

        for (int64_t k = 0; k < chunks && stage->input >= 0; k++)
            stage->chunks[k].received = buffer_like(step, stage->input);
        for (int64_t k = 0; k < chunks && stage->output >= 0; k++)
            stage->chunks[k].received_gradient = buffer_like(step, stage->output);
    }
}

/* ---- forward ---- */

/* What a network calls so that is not a stage's has no rule. */
void
pipeline_receive_forward(struct step *step, const struct layer *layer, int detail)
{
    struct pipeline_stage *stage = step->pipeline ? step->pipeline->running : NULL;
    struct pipeline_chunk *chunk = stage ? &stage->chunks[step->pipeline->chunk] : NULL;
    struct value *input;

    (void)detail;
    if (!chunk || !chunk->received || layer->first_output != stage->input) {
        aten_op_estimate(step, layer);
        return;
    }
    input = value_within(step, chunk->received, &chunk->received->shape, chunk->received->strides);
    node_leaf(step, input);
    chunk->input = value_keep(input);
    step_output(step, layer, 0, input);
}

/* A name's value becomes the chunk's: what is one number is the loss. */
static void
take_name(struct step *step, struct pipeline_chunk *chunk, struct name *name)
{
    struct value **place = name->held && name->held->shape.rank == 0 ? &chunk->loss : &chunk->output;

    value_drop(step, *place);
    *place = name->held;
    name->held = NULL;
}

void
pipeline_forward_chunk(struct step *step, struct names *names, struct pipeline_stage *stage, int64_t chunk)
{
    step->pipeline->running = stage;
    step->pipeline->chunk = chunk;
    step->batch = (int)chunk;
    step->model_end = stage->output < 0 ? step->pipeline->model_end : stage->end - 1;
    data_select(step, (int32_t)(stage - step->pipeline->stages));
    step_run_layers(step, names, stage->first, stage->end);
    for (size_t i = 0; i < names->count && !step->status; i++) {
        int32_t layer = step->network->tensors[names->items[i].tensor].layer;

        if (layer >= stage->first && layer < stage->end)
            take_name(step, &stage->chunks[chunk], &names->items[i]);
    }
}

/* ---- backward ---- */

static int
check_root(struct step *step, const struct value *root, const char *what)
{
    if (root && root->node)
        return 0;
    return context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pipeline",
                         "a stage has no %s with a gradient; the last one ends with a loss, a single number", what);
}

/* val.grad of the stage's input, which is the stage before's. */
static struct value *
input_gradient(struct step *step, struct pipeline_chunk *chunk)
{
    struct value *gradient = NULL;

    if (chunk->input && chunk->input->node) {
        gradient = chunk->input->node->gradient;
        chunk->input->node->gradient = NULL;
    }
    value_drop_all(step, &chunk->input, 1);
    return gradient;
}

struct value *
pipeline_backward_chunk(struct step *step, struct pipeline_stage *stage, int64_t chunk)
{
    struct pipeline_chunk *of = &stage->chunks[chunk];
    bool is_last = stage->output < 0;
    struct value *root = is_last ? of->loss : of->output;

    if (step->status)
        return NULL;
    step->batch = (int)chunk;
    step_fail(step, check_root(step, root, is_last ? "loss" : "output"));
    if (step->status)
        return NULL;
    data_select(step, (int32_t)(stage - step->pipeline->stages));
    step->grad_mode = false;
    if (is_last)
        autograd_backward(step, &root, 1);
    else
        autograd_backward_from(step, &root, &of->received_gradient, 1);
    step->grad_mode = true;
    if (!is_last || !step->parallel.pipeline.return_outputs)
        value_drop_all(step, &of->output, 1);
    return input_gradient(step, of);
}

/* Gradients are divided by the parts of the batch. */
static void
scale(struct step *step, const struct pipeline_stage *stage)
{
    if (!step->parallel.pipeline.scale_grads || step->parallel.pipeline.microbatches == 1)
        return;
    if (step->data && step->data->optimizer_begin)
        step->data->optimizer_begin(step, NULL);
    for (size_t i = 0; i < step->network->parameter_count; i++) {
        const struct variable *variable = &step->variables[i];
        int32_t layer = step->network->parameters[i].layer;

        if (!variable->gradient || (step->pipeline->stage_count > 1 && (layer < stage->first || layer >= stage->end)))
            continue;
        step_enter(step, MEMMODEL_PHASE_BACKWARD, layer);
        step->what = "gradients of all parts";
        number_in_place(step, variable->gradient->shape.dtype);
    }
    if (step->data && step->data->optimizer_end)
        step->data->optimizer_end(step);
}

void
pipeline_finish(struct step *step, const struct pipeline_stage *stage)
{
    data_select(step, (int32_t)(stage - step->pipeline->stages));
    data_reduce(step);
    scale(step, stage);
}

static const struct aten_op_rule rules[] = {
    {"memmodel.pipeline.receive", pipeline_receive_forward, 0, ""},
};

const struct aten_ops aten_op_pipeline = ATEN_OPS(rules);
