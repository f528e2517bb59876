/*
 * A session of onnxruntime on the CPU, one run after the other: the weights and the caller's inputs all the time, in
 * each run the buffers of the plan and what kernels take besides, and the outputs until the run's end.
 * onnxruntime: core/framework/sequential_executor.cc, execution_frame.cc.
 */
#include "frameworks/framework.h"
#include "frameworks/onnxruntime/plan.h"

#include <string.h>

struct run {
    memmodel_context *context;
    const struct binding *binding;
    const struct memmodel_job *job;
    struct memmodel_trace *trace;
    struct ort_plan plan;
    int32_t *blocks; /* of each buffer; -1: none */
};

/* Its block, -1 for nothing; or a negative status below that. */
static int
allocate(struct run *run, int64_t bytes, const char *what, int32_t layer, enum memmodel_category category,
         int32_t *block)
{
    *block = -1;
    if (bytes == 0)
        return 0;
    *block = trace_allocate(run->trace, bytes, what, layer, category);
    return *block < 0 ? *block : 0;
}

static int
overflow(struct run *run, int32_t layer)
{
    return context_error(run->context, MEMMODEL_ERROR_OVERFLOW, run->binding->network->layers[layer].name,
                         "needs more bytes than 63 bits can count");
}

/* ---- before the first run: memory that is not the arena's, on a stream of its own ---- */

enum { OUTSIDE = 1 };

static int
set_up_block(struct run *run, int64_t bytes, const char *what, int32_t layer, enum memmodel_category category)
{
    int32_t block;
    int status;

    trace_enter(run->trace, 0, MEMMODEL_PHASE_SETUP, layer);
    status = allocate(run, bytes, what, layer, category, &block);
    if (!status && block >= 0)
        run->trace->blocks[block].stream = OUTSIDE;
    return status;
}

static int
set_up_parameters(struct run *run)
{
    const memmodel_network *network = run->binding->network;
    int status = 0;

    for (size_t i = 0; i < network->parameter_count && !status; i++) {
        const struct parameter *parameter = &network->parameters[i];
        int64_t bytes;

        if (!binding_parameter_bytes(run->binding, (int32_t)i, &bytes))
            return overflow(run, parameter->layer);
        status = set_up_block(run, bytes, parameter->role, parameter->layer, MEMMODEL_PARAMETERS);
    }
    return status;
}

static int
set_up_inputs(struct run *run)
{
    const memmodel_network *network = run->binding->network;
    int status = 0;

    for (size_t i = 0; i < network->layer_count && !status; i++) {
        int64_t bytes;

        status = trace_add_name(run->trace, network->layers[i].name) < 0 ? MEMMODEL_ERROR_NOMEM : 0;
        if (status || network->layers[i].op != OP_INPUT)
            continue;
        if (!binding_tensor_bytes(run->binding, network->layers[i].first_output, &bytes))
            return overflow(run, (int32_t)i);
        status = set_up_block(run, bytes, "input", (int32_t)i, MEMMODEL_INPUTS);
    }
    return status;
}

/* ---- a run ---- */

static int
allocate_outputs(struct run *run, int32_t index)
{
    const struct layer *layer = &run->binding->network->layers[index];

    for (int32_t i = 0; i < layer->output_count; i++) {
        int32_t buffer = run->plan.buffer_of[layer->first_output + i];
        int64_t bytes;
        int status;

        if (run->plan.buffers[buffer].tensor != layer->first_output + i || run->plan.buffers[buffer].given)
            continue;
        if (!binding_tensor_bytes(run->binding, layer->first_output + i, &bytes))
            return overflow(run, index);
        status = allocate(run, bytes, op_name(layer->op), index, MEMMODEL_TRANSIENT_ACTIVATIONS, &run->blocks[buffer]);
        if (status)
            return status;
    }
    return 0;
}

static int
release(struct run *run, int32_t buffer)
{
    int32_t block = run->blocks[buffer];

    run->blocks[buffer] = -1;
    return block < 0 ? 0 : trace_release(run->trace, block);
}

/* Buffers that the layer used last; those of the graph's outputs have a use left. */
static int
release_idle(struct run *run, int32_t index)
{
    const struct layer *layer = &run->binding->network->layers[index];
    int status = 0;

    for (int32_t i = 0; i < layer->input_count + layer->output_count && !status; i++) {
        memmodel_tensor tensor =
            i < layer->input_count ? layer->inputs[i] : layer->first_output + i - layer->input_count;
        int32_t buffer = tensor < 0 ? -1 : run->plan.buffer_of[tensor];

        if (buffer >= 0 && run->plan.buffers[buffer].last == index && run->plan.buffers[buffer].uses == 0)
            status = release(run, buffer);
    }
    return status;
}

static int
run_layer(struct run *run, int step, int32_t index)
{
    const struct layer *layer = &run->binding->network->layers[index];
    int64_t scratch;
    int32_t block;
    int status;

    if (layer->op == OP_INPUT || layer->op == OP_PARAMETER)
        return 0;
    trace_enter(run->trace, step, MEMMODEL_PHASE_FORWARD, index);
    status = allocate_outputs(run, index);
    if (!status && !ort_scratch_bytes(run->binding, layer, run->job->threads, &scratch))
        status = overflow(run, index);
    if (!status)
        status = allocate(run, scratch, "scratch", index, MEMMODEL_WORKSPACE, &block);
    if (!status && block >= 0)
        status = trace_release(run->trace, block);
    return status ? status : release_idle(run, index);
}

static int
run_all(struct run *run)
{
    int status = set_up_inputs(run);

    if (!status)
        status = set_up_parameters(run);
    for (int step = 1; step <= run->job->steps && !status; step++) {
        for (size_t i = 0; i < run->binding->network->layer_count && !status; i++)
            status = run_layer(run, step, (int32_t)i);
        for (size_t i = 0; i < run->plan.buffer_count && !status; i++)
            status = release(run, (int32_t)i);
    }
    return status;
}

int
onnxruntime_simulate(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                     struct simulation *simulation)
{
    struct run run = {.context = context, .binding = binding, .job = job};
    int status;

    if (!job->inference)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "onnxruntime",
                             "it runs networks and does not train them: set inference");
    if (strcmp(job->device, "cpu") != 0)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, job->device, "only the device \"cpu\" is simulated");
    status = ort_plan_new(context, binding, &run.plan);
    if (status)
        return status;
    status = trace_new(context, &run.trace);
    run.blocks = status ? NULL : memory_allocate_zeroed(context, run.plan.buffer_count + 1, sizeof *run.blocks);
    for (size_t i = 0; run.blocks && i < run.plan.buffer_count; i++)
        run.blocks[i] = -1;
    if (!status)
        status = run.blocks ? run_all(&run) : MEMMODEL_ERROR_NOMEM;
    memory_release(context, run.blocks);
    ort_plan_release(context, &run.plan);
    if (status)
        memmodel_trace_unref(run.trace);
    else
        simulation->trace = run.trace;
    return status;
}
