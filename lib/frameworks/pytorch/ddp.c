/*
 * torch.nn.parallel.DistributedDataParallel: gradients are averaged in buckets, which a backend reduces in place. PyTorch:
 * torch/nn/parallel/distributed.py, torch/csrc/distributed/c10d/reducer.cpp.
 */
#include "frameworks/pytorch/ddp.h"
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/tensor.h"

static const struct data_options *
options_of(const struct step *step)
{
    return &step->parallel.options;
}

/* The gradients of the first backward pass, of a static graph of the second, give the order. */
static bool
must_rebuild(const struct step *step)
{
    const struct ddp *ddp = step->data_state;
    const struct data_options *options = options_of(step);

    if (ddp->rebuilt || (options->find_unused_parameters && !options->static_graph))
        return false;
    return ddp->synchronized >= (options->static_graph ? 2 : 1);
}

/* Of a static graph the first pass finds out which parameters are used, and reduces when it is over. */
static bool
is_delayed(const struct step *step)
{
    const struct ddp *ddp = step->data_state;

    return options_of(step)->static_graph && ddp->synchronized == 0;
}

/* Each tensor that the model returns is copied: distributed.py, _DDPSink. */
void
ddp_forward_end(struct step *step)
{
    const struct data_options *options = options_of(step);

    if (is_delayed(step) || (options->find_unused_parameters && !options->static_graph))
        data_copy_outputs(step);
}

/* In a forward pass after one whose gradients were shared: distributed.py, require_forward_param_sync. */
static bool
sends_buffers(const struct step *step)
{
    if (!options_of(step)->broadcast_buffers)
        return false;
    return step->pipeline ? step->number == 1 && step->batch == 0 : step->batch == 0 || !options_of(step)->no_sync;
}

void
ddp_forward_begin(struct step *step)
{
    if (must_rebuild(step))
        ddp_rebuild_buckets(step);
    if (sends_buffers(step))
        ddp_broadcast(step, false, true);
}

/* The whole gradient of a parameter, averaged, in its place in the bucket: mark_variable_ready_dense. */
static void
reduce(struct step *step, int32_t parameter)
{
    step->what = "ddp average";
    number_in_place(step, step->variables[parameter].gradient->shape.dtype);
    ddp_move_gradient(step, parameter);
}

void
ddp_gradient(struct step *step, int32_t parameter)
{
    struct ddp *ddp = step->data_state;

    if (!data_is_synchronized(step) || !step->variables[parameter].gradient)
        return;
    if (!is_delayed(step))
        reduce(step, parameter);
    if (ddp->synchronized == (options_of(step)->static_graph ? 1 : 0))
        ddp->order[ddp->ordered++] = parameter;
}

/* What the second forward pass of PyTorch stops at. */
static void
check_all_used(struct step *step)
{
    const struct ddp *ddp = step->data_state;
    const struct data_options *options = options_of(step);

    if (options->find_unused_parameters || options->static_graph)
        return;
    for (size_t i = 0; i < ddp->count && !step->status; i++) {
        const struct parameter *parameter = &step->network->parameters[ddp->parameters[i]];

        if (!step->variables[ddp->parameters[i]].gradient)
            step->status = context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT,
                                         step->network->layers[parameter->layer].name,
                                         "the parameter gets no gradient, and ddp stops there; give "
                                         "ddp(find_unused_parameters=True)");
    }
}

void
ddp_backward_end(struct step *step)
{
    struct ddp *ddp = step->data_state;

    if (!data_is_synchronized(step))
        return;
    for (size_t i = 0; i < ddp->count && is_delayed(step); i++)
        if (step->variables[ddp->parameters[i]].gradient)
            reduce(step, ddp->parameters[i]);
    check_all_used(step);
    ddp->synchronized++;
}

const struct data_strategy pytorch_ddp = {
    .construct = ddp_construct,
    .forward_begin = ddp_forward_begin,
    .forward_end = ddp_forward_end,
    .gradient = ddp_gradient,
    .backward_end = ddp_backward_end,
};
