/*
 * The plan of buffers, made before the first run.
 *
 * onnxruntime: core/framework/allocation_planner.cc, PlannerImpl::ComputeReusePlan, FindReusableInput and
 * FindReusableTensor. For each output in turn: what a Reshape makes is its input; an operator that may work in place
 * takes an input's buffer if this is the last use of it and the shapes are the same; else the latest idle buffer of that
 * shape and element size is taken again, and lives on meanwhile; else there is a new one. Outputs of the graph get
 * buffers of their own, and so does what nobody uses.
 */
#include "frameworks/onnxruntime/plan.h"

/*
 * ---- what kernels may do ----
 *
 * Measured with onnxruntime 1.31.1 by the number of allocations of x -> Sin -> operator -> Sin -> y:
 * test/frameworks/onnx/in_place.py.
 */

enum sharing { OWN, IN_PLACE, ALIAS };

static const struct {
    const char *op;
    enum sharing sharing;
    int input;
} sharings[] = {
    {"Reshape", ALIAS, 0},     {"Flatten", ALIAS, 0},        {"Identity", ALIAS, 0},
    {"Cast", IN_PLACE, 0},     {"Celu", IN_PLACE, 0},        {"Clip", IN_PLACE, 0},
    {"Elu", IN_PLACE, 0},      {"HardSigmoid", IN_PLACE, 0}, {"LeakyRelu", IN_PLACE, 0},
    {"Not", IN_PLACE, 0},      {"Relu", IN_PLACE, 0},        {"Selu", IN_PLACE, 0},
    {"Sigmoid", IN_PLACE, 0},  {"Softmax", IN_PLACE, 0},     {"Softplus", IN_PLACE, 0},
    {"Softsign", IN_PLACE, 0}, {"Tanh", IN_PLACE, 0},        {"ThresholdedRelu", IN_PLACE, 0},
    {"Trilu", IN_PLACE, 0},    {"nchwc.Conv", IN_PLACE, 1}, /* adds to it */
};

/* The input whose buffer the node's output may be in; -1: none. */
static int32_t
shared_input(const struct ort_node *node, enum sharing *sharing)
{
    *sharing = OWN;
    for (size_t i = 0; i < sizeof sharings / sizeof sharings[0]; i++) {
        if (strcmp(sharings[i].op, node->op) != 0)
            continue;
        *sharing = sharings[i].sharing;
        return sharings[i].input < node->input_count ? node->inputs[sharings[i].input] : -1;
    }
    return -1;
}

/* Known to be of one size before the run. */
static bool
same_size(const struct ort_graph *graph, int32_t a, int32_t b)
{
    const struct ort_tensor *x = ort_tensor_of(graph, a), *y = ort_tensor_of(graph, b);

    return !x->unknown && !y->unknown && dtype_bytes(x->dtype) == dtype_bytes(y->dtype) && ort_same_shape(x, y);
}

/* ---- one output ---- */

static int32_t
new_buffer(struct ort_plan *plan, int32_t tensor, int32_t place, bool given)
{
    plan->buffers[plan->buffer_count] =
        (struct ort_buffer){.tensor = tensor, .first = place, .last = place, .given = given};
    return (int32_t)plan->buffer_count++;
}

/* An input's buffer, if the output can be in it; -1: it cannot. */
static int32_t
reusable_input(const struct ort_plan *plan, const struct ort_node *node, int32_t output)
{
    enum sharing sharing;
    int32_t input = shared_input(node, &sharing);
    const struct ort_buffer *buffer = input < 0 ? NULL : &plan->buffers[plan->buffer_of[input]];

    if (!buffer || output != node->outputs[0])
        return -1;
    if (sharing == ALIAS || (buffer->uses == 1 && !buffer->given && same_size(plan->graph, input, output)))
        return plan->buffer_of[input];
    return -1;
}

/* The latest idle buffer of the output's shape; -1: none. A tensor without axes never takes one. */
static int32_t
reusable_idle(struct ort_plan *plan, int32_t output)
{
    for (size_t i = ort_tensor_of(plan->graph, output)->rank > 0 ? plan->idle_count : 0; i-- > 0;) {
        int32_t buffer = plan->idle[i];

        if (!same_size(plan->graph, plan->buffers[buffer].tensor, output))
            continue;
        memmove(plan->idle + i, plan->idle + i + 1, (plan->idle_count - i - 1) * sizeof *plan->idle);
        plan->idle_count--;
        return buffer;
    }
    return -1;
}

static void
place_output(struct ort_plan *plan, int32_t place, const struct ort_node *node, int32_t output)
{
    const struct ort_tensor *tensor = ort_tensor_of(plan->graph, output);
    int32_t buffer = tensor->output ? -1 : reusable_input(plan, node, output);

    if (buffer < 0 && !tensor->output)
        buffer = reusable_idle(plan, output);
    if (buffer < 0)
        buffer = new_buffer(plan, output, place, false);
    plan->buffer_of[output] = buffer;
    plan->buffers[buffer].uses += tensor->uses + tensor->output;
    plan->buffers[buffer].last = place;
}

/* After a use of the buffer. What is made and never used stays until the run's end, and is not taken again. */
static void
rest(struct ort_plan *plan, int32_t place, int32_t buffer)
{
    plan->buffers[buffer].last = place;
    if (plan->buffers[buffer].uses == 0 && !plan->buffers[buffer].given)
        plan->idle[plan->idle_count++] = buffer;
}

static void
place_node(struct ort_plan *plan, int32_t place)
{
    const struct ort_node *node = &plan->graph->nodes[plan->graph->order[place]];

    for (int32_t i = 0; i < node->output_count; i++)
        place_output(plan, place, node, node->outputs[i]);
    for (int32_t i = 0; i < node->input_count; i++) {
        int32_t buffer = node->inputs[i] < 0 ? -1 : plan->buffer_of[node->inputs[i]];

        if (buffer < 0)
            continue;
        plan->buffers[buffer].uses--;
        rest(plan, place, buffer);
    }
}

/* ---- the plan ---- */

/* Inputs, parameters and what was computed from them have buffers that are not the run's. */
static void
place_given(struct ort_plan *plan)
{
    for (size_t i = 0; i < plan->graph->tensor_count; i++)
        plan->buffer_of[i] = plan->graph->tensors[i].maker < 0 ? new_buffer(plan, (int32_t)i, -1, true) : -1;
}

int
ort_plan_new(memmodel_context *context, const struct ort_graph *graph, struct ort_plan *plan)
{
    size_t count = graph->tensor_count;
    int status = 0;

    *plan = (struct ort_plan){
        .graph = graph,
        .buffers = memory_allocate_zeroed(context, count + 1, sizeof *plan->buffers),
        .buffer_of = memory_allocate_zeroed(context, count + 1, sizeof *plan->buffer_of),
        .idle = memory_allocate_zeroed(context, 4 * count + 1, sizeof *plan->idle),
    };
    if (!plan->buffers || !plan->buffer_of || !plan->idle) {
        ort_plan_release(context, plan);
        return MEMMODEL_ERROR_NO_MEMORY;
    }
    place_given(plan);
    for (size_t i = 0; i < graph->order_count && !status; i++) {
        status = context_check(context, context_nodes(plan->idle_count));
        place_node(plan, (int32_t)i);
    }
    if (status)
        ort_plan_release(context, plan);
    return status;
}

void
ort_plan_release(memmodel_context *context, struct ort_plan *plan)
{
    memory_release(context, plan->buffers);
    memory_release(context, plan->buffer_of);
    memory_release(context, plan->idle);
}
