/*
 * The order of things in a job:
 *
 *     y = model(x); loss = loss_function(y, target); loss.backward(); optimizer.step(); optimizer.zero_grad()
 *
 * again and again, with y and loss of the step before alive until their names are bound anew. All up to the backward
 * pass is done job->accumulate times in each step.
 */
#include "base/checked.h"
#include "frameworks/pytorch/autocast.h"
#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/checkpoint.h"
#include "frameworks/pytorch/data_parallel.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/loops.h"
#include "frameworks/pytorch/operands.h"
#include "frameworks/pytorch/optimizers.h"
#include "frameworks/pytorch/pipeline.h"
#include "frameworks/pytorch/step.h"
#include "frameworks/pytorch/tensor.h"
#include "frameworks/pytorch/tensor_parallel.h"
#include "trace/copy_step.h"

#include <string.h>

/* About as many events as a few steps take; what is not needed is never touched. */
static size_t
likely_events(const struct step *step)
{
    enum { PER_LAYER = 30, PER_PARAMETER = 20, FEW_STEPS = 3 };
    size_t steps = step->job->steps < FEW_STEPS ? (size_t)step->job->steps : FEW_STEPS;

    return steps * (PER_LAYER * step->network->layer_count + PER_PARAMETER * step->network->parameter_count);
}

/* Names of the layers, and room for what happens in them. */
static void
begin_trace(struct step *step)
{
    const struct memmodel_network *network = step->asked;
    int status = trace_reserve(step->trace, likely_events(step));

    if (status)
        step_fail(step, status);
    for (size_t i = 0; i < network->layer_count && !step->status; i++) {
        int32_t name = trace_add_name(step->trace, network->layers[i].name);

        if (name < 0)
            step_fail(step, name);
    }
}

static void
set_up(struct step *step)
{
    if (!step->trace->peak_only)
        begin_trace(step);
    residents_make(step);
}

/* ---- the phases ---- */

void
step_run_layer(struct step *step, enum memmodel_phase phase, int32_t index, struct names *names)
{
    const struct layer *layer = &step->network->layers[index];
    const struct lifetimes *lifetimes = &step->lifetimes;

    step_enter(step, phase, index);
    step->what = op_name(layer->op);
    if (layer->op != OP_INPUT && layer->op != OP_PARAMETER)
        autocast_forward(step, layer);
    if (names)
        data_layer_end(step, index);
    if (names && index == step->model_end)
        data_forward_end(step);
    if (names)
        names_bind(step, names, index);
    for (int32_t k = lifetimes->first[index]; k < lifetimes->first[index + 1]; k++)
        value_drop_all(step, &step->values[lifetimes->released[k]], 1);
}

void
step_run_layers(struct step *step, struct names *names, int32_t first, int32_t end)
{
    loops_clear(step);
    data_forward_begin(step);
    checkpoint_forward_begin(step, first);
    for (int32_t i = first; i < end && !step->status; i++) {
        data_layer_begin(step, i);
        checkpoint_before(step, i);
        step_run_layer(step, MEMMODEL_PHASE_FORWARD, i, names);
        checkpoint_after(step, i);
    }
    autocast_exit(step);
}

static void
forward(struct step *step, struct names *names)
{
    step_run_layers(step, names, 0, (int32_t)step->network->layer_count);
}

static void
backward(struct step *step, const struct names *names)
{
    int count = names_roots(names);

    if (count == 0)
        return;
    step->grad_mode = false;
    autograd_backward(step, names->roots, count);
    step->grad_mode = true;
}

static void
zero_gradients_of(struct step *step, const struct optimizer_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        struct variable *variable = &step->variables[group->parameters[i]];

        step_enter(step, MEMMODEL_PHASE_OPTIMIZER, step->network->parameters[group->parameters[i]].layer);
        value_drop(step, variable->gradient);
        variable->gradient = NULL;
    }
}

/*
 * optimizer.zero_grad(): of its own parameters; gradients of others stay. With set_to_none=False they are zeroed in
 * place, which takes nothing: torch/optim/optimizer.py.
 */
static void
zero_gradients(struct step *step, const struct optimizer *optimizer)
{
    for (size_t i = 0; i < optimizer->count && !step->job->keep_gradients; i++)
        zero_gradients_of(step, &optimizer->groups[i]);
}

static void
run_batches(struct step *step, struct names *names)
{
    for (step->batch = 0; step->batch < step->job->gradient_accumulation && !step->status; step->batch++) {
        forward(step, names);
        if (!step->status)
            backward(step, names);
    }
}

static void
train(struct step *step, const struct optimizer *optimizer, struct names *names)
{
    if (step->pipeline)
        pipeline_step(step, names);
    else
        run_batches(step, names);
    if (step->status)
        return;
    optimizer_run(step, data_optimizer_begin(step, optimizer));
    zero_gradients(step, optimizer);
    data_optimizer_end(step);
}

/* Writes the step before once more where nothing is new from it on. */
static bool
is_copied(struct step *step)
{
    bool alone = !step->data && !step->pipeline && !step->tensor && !step->device->open, copied = false;
    int status = 0;

    if (alone && !step->trace->peak_only && step->number > pytorch_settled_step(step->job))
        status = trace_copy_step(step->trace, &copied);
    if (status)
        step_fail(step, status);
    return copied;
}

static void
run_steps(struct step *step, const struct optimizer *optimizer, struct names *names)
{
    for (step->number = 1; step->number <= step->job->steps && !step->status; step->number++) {
        if (is_copied(step))
            continue;
        if (step->job->mode)
            forward(step, names);
        else
            train(step, optimizer, names);
    }
}

/* ---- all of it ---- */

/*
 * The stand-in of what could not be made: rules go on with it until the engine looks. Its rank is half the greatest, so
 * that up to four dims may be counted from its end, or added, and every dim is 1, so that each may be divided by.
 */
static void
make_nothing(struct step *step)
{
    step->no_storage = (struct storage){.block = -1};
    step->nothing = (struct value){.storage = &step->no_storage};
    step->nothing.shape = (struct shape){.rank = MEMMODEL_MAX_RANK / 2, .dtype = MEMMODEL_DTYPE_FLOAT32};
    for (int i = 0; i < MEMMODEL_MAX_RANK; i++)
        step->nothing.shape.dims[i] = step->nothing.strides[i] = 1;
}

int
step_new(struct step *step)
{
    int status = step->trace ? 0 : trace_new(step->context, &step->trace);

    if (status)
        return status;
    step->trace->peak_only = step->updates != NULL;
    step->variables =
        memory_allocate_zeroed(step->context, step->network->parameter_count + 1, sizeof *step->variables);
    step->values = memory_allocate_zeroed(step->context, step->network->tensor_count + 1, sizeof *step->values);
    make_nothing(step);
    return step->variables && step->values ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

void
step_release(struct step *step)
{
    memory_release(step->context, step->variables);
    memory_release(step->context, step->values);
    memory_release(step->context, step->queue.heap);
    memory_release(step->context, step->queue.stack);
    convolution_cache_release(&step->convolutions, step->context);
    memory_release(step->context, step->inner_queue.heap);
    memory_release(step->context, step->inner_queue.stack);
    lifetimes_release(step->context, &step->lifetimes);
    checkpoints_release(step->context, &step->checkpoints);
    memory_release(step->context, step->autocast.sources);
    loops_release(step);
    object_pool_release(&step->pool);
}

static int
simulate(struct step *step, const struct optimizer *optimizer)
{
    struct names names;
    int status = names_new(step->context, step->network, &names);

    if (status)
        return status;
    status = lifetimes_new(step->context, step->network, &names, &step->lifetimes);
    if (!status)
        status = checkpoints_new(step->context, step->network, step->job->checkpoint, &step->checkpoints);
    if (status) {
        names_release(step->context, &names);
        return status;
    }
    step->names = &names;
    step->model_end = names_model_end(&names, step->network);
    set_up(step);
    if (!step->job->mode) {
        data_optimizer_construct(step, optimizer);
        optimizer_construct(step, data_optimizer_begin(step, optimizer));
        data_optimizer_end(step);
    }
    run_steps(step, optimizer, &names);
    names_release(step->context, &names);
    return step->status;
}

int
step_find_machine(struct step *step)
{
    const struct memmodel_job *job = step->job;
    int status = device_find(step->context, job->device, &step->device);

    step->version = version_number(job->framework_version);
    if (!status && step->device->open)
        status = step->device->open(step);
    return status ? status : target_cpu_find(step->context, job->isa, job->intra_op_threads, &step->machine);
}

/* Where it runs, and the network of its rank. */
static int
find_rank(struct step *step)
{
    int status = step_find_machine(step);

    if (!status)
        status = data_open(step);
    if (!status)
        status = tensor_parallel_open(step);
    return status ? status : pipeline_open(step);
}

static int
find_all(struct step *step, struct optimizer *optimizer)
{
    const struct memmodel_job *job = step->job;
    int status = find_rank(step);

    if (!status)
        status = optimizer_new(step->context, step->network, job->optimizer, step->device->optimizer, optimizer);
    if (!status)
        status = autocast_find(step->context, step->device->autocast, job->precision, &step->autocast.dtype);
    step->autocast.on = step->autocast.dtype != 0;
    return status;
}

static struct step
step_of(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job)
{
    return (struct step){
        .context = context,
        .network = binding->network,
        .asked = binding->network,
        .binding = binding,
        .job = job,
        .pool = OBJECT_POOL_INIT(context),
        .layer = -1,
        .grad_mode = job->mode != WITHOUT_GRADIENTS,
        .training = !job->mode,
    };
}

/* With all iterations of loops if `all`; *irregular: some must be simulated so. */
static int
simulate_job(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job, bool all,
             struct simulation *simulation, bool *irregular)
{
    struct optimizer optimizer = {.count = 0};
    struct step step = step_of(context, binding, job);
    int status;

    step.updates = simulation->updates;
    step.recomputed = simulation->recomputed;
    step.loops.all = all;
    status = find_all(&step, &optimizer);
    if (!status && simulation->spare)
        step.trace = memmodel_trace_ref(simulation->spare);
    if (!status)
        status = step_new(&step);
    if (!status)
        status = simulate(&step, &optimizer);
    *irregular = step.loops.irregular;
    optimizer_release(context, &optimizer);
    step_release(&step);
    if (status) {
        memory_release(context, step.unmodelled);
        memmodel_trace_unref(step.trace);
        return status;
    }
    *simulation = (struct simulation){
        .trace = step.trace,
        .unmodelled = step.unmodelled,
        .unmodelled_count = step.unmodelled_count,
    };
    return 0;
}

int
pytorch_simulate(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                 struct simulation *simulation)
{
    bool irregular;
    int status = simulate_job(context, binding, job, simulation->unrolled, simulation, &irregular);

    if (!irregular)
        return status;
    if (simulation->spare)
        trace_clear(simulation->spare);
    return simulate_job(context, binding, job, true, simulation, &irregular);
}

int
pytorch_sharded_rows(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                     int64_t **rows, size_t *count)
{
    struct step step = step_of(context, binding, job);
    int status = find_rank(&step);

    *rows = NULL;
    *count = 0;
    if (!status)
        *rows = memory_allocate(context, (step.network->parameter_count + 1) * sizeof **rows);
    if (!status && !*rows)
        status = MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; !status && i < step.network->parameter_count; i++) {
        const struct parameter *parameter = &step.network->parameters[i];

        if (parameter->rank > 0 && !data_is_buffer(&step, i))
            (*rows)[(*count)++] = binding_dim(step.binding, parameter->dims[0]);
    }
    step_release(&step);
    return status;
}
