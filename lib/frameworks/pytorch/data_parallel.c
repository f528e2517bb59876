#include "frameworks/pytorch/data_parallel.h"

#include "base/checked.h"
#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/names.h"
#include "frameworks/pytorch/tensor.h"

#include <string.h>

static const struct data_strategy *const strategies[DATA_KINDS] = {
    [DATA_DDP] = &pytorch_ddp, [DATA_ZERO1] = &pytorch_zero1, [DATA_FSDP] = &pytorch_fsdp};

int
data_open(struct step *step)
{
    int status = parallel_read(step->context, step->job, &step->parallel);

    step->data = status ? NULL : strategies[step->parallel.data];
    if (!status && step->parallel.data == DATA_DEEPSPEED)
        step->data = pytorch_deepspeed(step);
    return status;
}

void
data_forward_begin(struct step *step)
{
    if (!step->data || !step->data->forward_begin || step->status)
        return;
    step_enter(step, MEMMODEL_PHASE_FORWARD, -1);
    step->data->forward_begin(step);
}

void
data_layer_begin(struct step *step, int32_t layer)
{
    if (step->data && step->data->layer_begin && !step->status)
        step->data->layer_begin(step, layer);
}

void
data_layer_end(struct step *step, int32_t layer)
{
    if (step->data && step->data->layer_end && !step->status)
        step->data->layer_end(step, layer);
}

void
data_recompute(struct step *step, int32_t layer, bool ends)
{
    if (step->data && step->data->recompute && !step->status)
        step->data->recompute(step, layer, ends);
}

void
data_node(struct step *step, struct node *node)
{
    if (step->data && step->data->node && !step->status)
        step->data->node(step, node);
}

void
data_forward_end(struct step *step)
{
    if (step->data && step->data->forward_end && !step->status)
        step->data->forward_end(step);
}

void
data_gradient(struct step *step, const struct variable *variable)
{
    if (step->data && step->data->gradient && !variable->handed && !step->status)
        step->data->gradient(step, (int32_t)(variable - step->variables));
}

void
data_backward_end(struct step *step)
{
    if (step->data && step->data->backward_end && !step->status)
        step->data->backward_end(step);
}

void
data_optimizer_construct(struct step *step, const struct optimizer *all)
{
    if (step->data && step->data->optimizer_construct && !step->status)
        step->data->optimizer_construct(step, all);
}

/* Of DeepSpeed by zero.Init(). */
bool
data_shards(const struct step *step)
{
    return step->parallel.data == DATA_FSDP ||
           (step->parallel.data == DATA_DEEPSPEED && step->parallel.options.zero.stage == 3);
}

/* A MixedPrecisionPolicy is for modules in float32; DeepSpeed casts them, before it moves them to a GPU. */
int
data_built_dtype(const struct step *step, int dtype)
{
    bool is_sharded = step->parallel.data == DATA_FSDP || (step->parallel.data == DATA_DEEPSPEED && step->device->host);

    return is_sharded && step->parallel.options.param_dtype == dtype ? MEMMODEL_DTYPE_FLOAT32 : dtype;
}

/*
 * DDP's module is called once to learn shapes before a pipeline's first step, and its reducer waits for gradients since:
 * those of the first backward pass.
 */
bool
data_is_synchronized(const struct step *step)
{
    if (step->pipeline)
        return step->batch == data_parts(step) - 1 || (step->number == 1 && step->batch == 0);
    return step->batch == step->job->gradient_accumulation - 1 || !step->parallel.options.no_sync;
}

static size_t
last_trainable(const struct memmodel_network *network)
{
    size_t count = network->parameter_count;

    while (count > 0 && !network->parameters[count - 1].trainable)
        count--;
    return count;
}

/* As a layer calls its parameters, not its buffers. */
static bool
is_weight(const char *name)
{
    const char *dot = name ? strrchr(name, '.') : NULL;

    return dot && (strcmp(dot, ".weight") == 0 || strcmp(dot, ".bias") == 0);
}

/* Tensors of a module are declared parameters first; what is frozen is of a floating type. */
bool
data_is_buffer(const struct step *step, size_t index)
{
    const struct parameter *parameter = &step->network->parameters[index];
    const struct layer *layer = &step->network->layers[parameter->layer];

    if (parameter->trainable)
        return false;
    if (layer->op != OP_PARAMETER)
        return strncmp(parameter->role, "running_", strlen("running_")) == 0;
    return dtype_is_whole(parameter->dtype) || parameter->dtype == MEMMODEL_DTYPE_BOOL ||
           (index >= last_trainable(step->network) && !is_weight(layer->name));
}

int64_t
data_parameter_bytes(const struct step *step, size_t index)
{
    int64_t bytes = 0;

    return binding_parameter_bytes(step->binding, (int32_t)index, &bytes) ? bytes : INT64_MAX;
}

void
data_on_stream(struct step *step, const struct value *value, int stream)
{
    if (!step->device->host && !step->trace->peak_only && value->storage->block >= 0)
        step->trace->blocks[value->storage->block].stream = stream;
}

struct value *
data_buffer(struct step *step, const char *what, int64_t bytes)
{
    step->what = what;
    return value_buffer(step, bytes);
}

void
data_gloo_all_gather(struct step *step, int64_t bytes)
{
    for (int copy = 0; copy < 2 && step->parallel.gloo; copy++)
        value_drop(step, data_buffer(step, "gloo all-gather", bytes));
}

/* ---- a node that hands gradients on ---- */

void
data_hand_on(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)step;
    for (int i = 0; i < node->edge_count; i++)
        gradients[i] = value_keep(incoming[i]);
}

static void
copy_output(struct step *step, memmodel_tensor tensor)
{
    static const struct derivative sink = {"DDPSink", data_hand_on};
    struct value *output = step->values[tensor], *copy;

    if (!output || !output->node)
        return;
    step->what = "ddp output";
    copy = value_like(step, output);
    step_record(step, &sink, copy, 1, &output);
    step->values[tensor] = copy;
    value_drop(step, output);
}

void
data_copy_outputs(struct step *step)
{
    for (size_t i = 0; i < step->names->count; i++)
        if (step->names->items[i].returned &&
            step->network->tensors[step->names->items[i].tensor].layer <= step->model_end)
            copy_output(step, step->names->items[i].tensor);
}
