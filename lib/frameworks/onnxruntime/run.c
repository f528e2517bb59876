/*
 * A session of onnxruntime on the CPU, one run after the other: the weights and the caller's inputs all the time, in
 * the first run the buffers of the plan one by one, in later ones a block for all of them, and in each what kernels take
 * besides, and the outputs until the run's end.
 * onnxruntime: core/framework/sequential_executor.cc, execution_frame.cc.
 */
#include "frameworks/framework.h"
#include "frameworks/target_cpu.h"
#include "frameworks/onnxruntime/plan.h"
#include "memmodel/layers.h"

#include <string.h>

struct run {
    memmodel_context *context;
    const struct binding *binding;
    const struct memmodel_job *job;
    struct memmodel_trace *trace;
    struct ort_graph graph;
    struct ort_plan plan;
    int32_t *blocks; /* of each buffer; -1: none */
    int step;
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

/* ---- before the first run: memory that is mostly not the arena's, on a stream of its own ---- */

enum { ARENA = 0, OUTSIDE = 1 };

static int
set_up_block(struct run *run, int64_t bytes, const char *what, int32_t layer, enum memmodel_category category,
             int32_t stream)
{
    int32_t block;
    int status;

    trace_enter(run->trace, 0, MEMMODEL_PHASE_SETUP, layer);
    status = allocate(run, bytes, what, layer, category, &block);
    if (!status && block >= 0)
        run->trace->blocks[block].stream = stream;
    return status;
}

/*
 * Whether its kernel keeps a copy that it has turned, for which it asks the arena; the parameter itself is gone then.
 * onnxruntime: core/providers/cpu/nn/conv_transpose.cc, PrePack.
 */
static bool
is_packed(const struct run *run, const struct parameter *parameter)
{
    const struct layer *layer = &run->binding->network->layers[parameter->layer];
    const struct memmodel_conv *conv = layer->op == OP_CONV_TRANSPOSE ? layer->options : NULL;
    bool alone = true; /* one filter of one element */

    if (!conv || parameter->rank < 3)
        return false;
    for (int axis = 1; axis < parameter->rank; axis++)
        alone = alone && binding_dim(run->binding, parameter->dims[axis]) == 1;
    return !alone && binding_dim(run->binding, parameter->dims[0]) > conv->groups;
}

static int
set_up_parameters(struct run *run)
{
    const memmodel_network *network = run->binding->network;
    int status = 0;

    for (size_t i = 0; i < network->parameter_count && !status; i++) {
        const struct parameter *parameter = &network->parameters[i];
        const char *role = trace_text(run->trace, parameter->role);
        int64_t bytes;

        if (!role)
            return MEMMODEL_ERROR_NO_MEMORY;
        if (!binding_parameter_bytes(run->binding, (int32_t)i, &bytes))
            return overflow(run, parameter->layer);
        status = set_up_block(run, bytes, role, parameter->layer, MEMMODEL_CATEGORY_PARAMETERS,
                              is_packed(run, parameter) ? ARENA : OUTSIDE);
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

        status = trace_add_name(run->trace, network->layers[i].name) < 0 ? MEMMODEL_ERROR_NO_MEMORY : 0;
        if (status || network->layers[i].op != OP_INPUT)
            continue;
        if (!binding_tensor_bytes(run->binding, network->layers[i].first_output, &bytes))
            return overflow(run, (int32_t)i);
        status = set_up_block(run, bytes, "input", (int32_t)i, MEMMODEL_CATEGORY_INPUTS, OUTSIDE);
    }
    return status;
}

/* ---- a run ---- */

static int
allocate_outputs(struct run *run, const struct ort_node *node)
{
    for (int32_t i = 0; i < node->output_count; i++) {
        int32_t buffer = run->plan.buffer_of[node->outputs[i]];
        int64_t bytes;
        int status;

        if (run->plan.buffers[buffer].tensor != node->outputs[i] || run->plan.buffers[buffer].given ||
            (run->step > 1 && ort_is_of_block(&run->plan, buffer)))
            continue;
        if (!ort_tensor_bytes(ort_tensor_of(&run->graph, node->outputs[i]), &bytes))
            return overflow(run, node->index);
        status = allocate(run, bytes, op_name(node->layer->op), node->index, MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS,
                          &run->blocks[buffer]);
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

/* Buffers that the node used last; those of the graph's outputs have a use left, and what nobody uses stays. */
static int
release_idle(struct run *run, int32_t place, const struct ort_node *node)
{
    int status = 0;

    for (int32_t i = 0; i < node->input_count && !status; i++) {
        int32_t buffer = node->inputs[i] < 0 ? -1 : run->plan.buffer_of[node->inputs[i]];

        if (buffer >= 0 && run->plan.buffers[buffer].last == place && run->plan.buffers[buffer].uses == 0)
            status = release(run, buffer);
    }
    return status;
}

/* What the kernel takes while it runs, and gives back at its end. */
static int
run_kernel(struct run *run, const struct ort_node *node)
{
    struct ort_scratch scratch;
    int32_t blocks[ORT_MAX_SCRATCH];
    int status = 0, count = 0;

    if (!ort_scratch_of(&run->graph, node, run->job->intra_op_threads, &scratch))
        return overflow(run, node->index);
    for (; count < scratch.count && !status; count++)
        status =
            allocate(run, scratch.bytes[count], "scratch", node->index, MEMMODEL_CATEGORY_WORKSPACE, &blocks[count]);
    while (count-- > 0 && !status)
        if (blocks[count] >= 0)
            status = trace_release(run->trace, blocks[count]);
    return status;
}

static int
run_node(struct run *run, int32_t place)
{
    const struct ort_node *node = &run->graph.nodes[run->graph.order[place]];
    int status;

    trace_enter(run->trace, run->step, MEMMODEL_PHASE_FORWARD, node->index);
    status = allocate_outputs(run, node);
    if (!status)
        status = run_kernel(run, node);
    return status ? status : release_idle(run, place, node);
}

/* One run; `block` bytes, which belong to no layer, are taken at its beginning unless it is the first. */
static int
run_once(struct run *run, int64_t block)
{
    int32_t all = -1;
    int status = 0;

    if (run->step > 1) {
        trace_enter(run->trace, run->step, MEMMODEL_PHASE_FORWARD, -1);
        status = allocate(run, block, "all buffers", -1, MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS, &all);
    }
    for (size_t i = 0; i < run->graph.order_count && !status; i++)
        status = run_node(run, (int32_t)i);
    for (size_t i = 0; i < run->plan.buffer_count && !status; i++)
        status = release(run, (int32_t)i);
    return status || all < 0 ? status : trace_release(run->trace, all);
}

static int
run_all(struct run *run)
{
    int64_t block = 0;
    int status = set_up_inputs(run);

    if (!status)
        status = set_up_parameters(run);
    if (!status)
        status = ort_block_bytes(run->context, &run->plan, &block);
    for (run->step = 1; run->step <= run->job->steps && !status; run->step++)
        status = run_once(run, block);
    return status;
}

/* ---- the session ---- */

static int
simulate(struct run *run)
{
    int status = ort_plan_new(run->context, &run->graph, &run->plan);

    if (status)
        return status;
    run->blocks = memory_allocate_zeroed(run->context, run->plan.buffer_count + 1, sizeof *run->blocks);
    for (size_t i = 0; run->blocks && i < run->plan.buffer_count; i++)
        run->blocks[i] = -1;
    status = run->blocks ? trace_new(run->context, &run->trace) : MEMMODEL_ERROR_NO_MEMORY;
    if (!status && (status = run_all(run)) != 0)
        memmodel_trace_unref(run->trace);
    memory_release(run->context, run->blocks);
    ort_plan_release(run->context, &run->plan);
    return status;
}

/* Floats in a vector register. */
static int
block_of_isa(const char *isa)
{
    return target_cpu_isa(isa) == CPU_ISA_AVX512 ? 16 : 8;
}

int
onnxruntime_simulate(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                     struct simulation *simulation)
{
    struct run run = {.context = context, .binding = binding, .job = job};
    int status;

    if (!job->mode)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "onnxruntime",
                             "it runs networks and does not train them: set inference");
    if (strcmp(job->device, "cpu") != 0)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, job->device, "only the device \"cpu\" is simulated");
    status = ort_graph_new(context, binding, &run.graph);
    if (status)
        return status;
    status = ort_graph_optimize(&run.graph, job->graph_optimization, block_of_isa(job->isa));
    if (!status)
        status = simulate(&run);
    ort_graph_release(&run.graph);
    if (!status)
        simulation->trace = run.trace;
    return status;
}
