/* The backward pass: the order of nodes, and how gradients come together. PyTorch: torch/csrc/autograd/engine.cpp. */
#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/checkpoint.h"
#include "frameworks/pytorch/data_parallel.h"
#include "frameworks/pytorch/loops.h"
#include "frameworks/pytorch/operators.h"

#include <string.h>

/* ---- the order of nodes ---- */

/* The node with the highest sequence number runs first: engine.cpp, CompareNodeTaskTime. */
static void
queue_push(struct step *step, struct node *node)
{
    struct backward_queue *queue = &step->queue;
    size_t at = queue->heap_count;

    if (array_reserve(step->context, &queue->heap, &queue->heap_capacity, at + 1, sizeof(struct node *))) {
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
        return;
    }
    queue->heap_count++;
    for (; at > 0 && queue->heap[(at - 1) / 2]->sequence < node->sequence; at = (at - 1) / 2)
        queue->heap[at] = queue->heap[(at - 1) / 2];
    queue->heap[at] = node;
}

static struct node *
queue_pop(struct backward_queue *queue)
{
    struct node *top = queue->heap[0], *last = queue->heap[--queue->heap_count];
    size_t at = 0, child;

    while ((child = 2 * at + 1) < queue->heap_count) {
        if (child + 1 < queue->heap_count && queue->heap[child + 1]->sequence > queue->heap[child]->sequence)
            child++;
        if (queue->heap[child]->sequence <= last->sequence)
            break;
        queue->heap[at] = queue->heap[child];
        at = child;
    }
    queue->heap[at] = last;
    return top;
}

static bool
stack_push(struct step *step, size_t *depth, struct node *node)
{
    struct backward_queue *queue = &step->queue;

    if (array_reserve(step->context, &queue->stack, &queue->stack_capacity, *depth + 1, sizeof(struct node *))) {
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
        return false;
    }
    queue->stack[(*depth)++] = node;
    return true;
}

/* How many gradients each node below the roots waits for. */
static void
count_dependencies(struct step *step, struct value *const *roots, int root_count)
{
    struct backward_queue *queue = &step->queue;
    size_t depth = 0;

    queue->visit++;
    for (int i = 0; i < root_count; i++)
        if (roots[i]->node && !stack_push(step, &depth, roots[i]->node))
            return;
    while (depth > 0) {
        struct node *node = queue->stack[--depth];

        if (node->visited == queue->visit)
            continue;
        node->visited = queue->visit;
        for (int i = 0; i < node->edge_count; i++) {
            if (!node->edges[i].node)
                continue;
            node->edges[i].node->dependencies++;
            if (!stack_push(step, &depth, node->edges[i].node))
                return;
        }
    }
    for (int i = 0; i < root_count; i++)
        if (roots[i]->node)
            roots[i]->node->dependencies++;
}

/* ---- gradients ---- */

/*
 * input_buffer.cpp, accumulate(): in place only into a dense tensor that nothing else refers to; a view always keeps
 * its base. Takes the reference to `gradient`, unless it was added to another one: then true, and the caller drops it
 * later.
 */
static bool
add_gradient(struct step *step, struct value **waiting, struct value *gradient)
{
    struct value *old = *waiting;

    if (!old) {
        *waiting = gradient;
        return false;
    }
    if (!value_is_unique(old) || !value_is_dense(old)) {
        *waiting = value_like(step, old);
        value_becomes(step, *waiting, MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS);
        value_drop(step, old);
    }
    return true;
}

/* Hands one gradient (NULL: there is none) to the node it is for; true if it was added and is still the caller's. */
static bool
deliver(struct step *step, const struct edge *edge, struct value *gradient)
{
    struct node *node = edge->node;
    bool added = gradient && add_gradient(step, &node->incoming[edge->output], gradient);

    if (--node->dependencies == 0)
        queue_push(step, node);
    return added;
}

/* Axes that a tensor of `shape` was broadcast along. */
static uint64_t
broadcast_axes(const struct value *x, const struct shape *shape)
{
    int leading = x->shape.rank - shape->rank;
    uint64_t axes = 0;

    for (int i = 0; i < x->shape.rank; i++)
        if (i < leading || shape->dims[i - leading] != x->shape.dims[i])
            axes |= UINT64_C(1) << i;
    return axes;
}

/* Sums a gradient over the dims that the input was broadcast along. */
static struct value *
sum_to(struct step *step, const struct value *gradient, const struct shape *shape)
{
    struct value *sum = value_empty(step, shape), *view;

    sum_scratch(step, gradient, broadcast_axes(gradient, shape), sum);
    if (gradient->shape.rank == shape->rank)
        return sum;
    view = value_view(step, sum, shape, sum->strides);
    value_drop(step, sum);
    return view;
}

/* engine.cpp, validate_outputs(): each gradient gets the shape and type of its input. */
static void
validate(struct step *step, const struct node *node, struct value **gradients)
{
    for (int i = 0; i < node->edge_count; i++) {
        const struct shape *shape = &node->edges[i].shape;
        struct value *given = gradients[i];

        if (!given)
            continue;
        if (!shape_equal(&given->shape, shape)) {
            struct shape wanted = shape_typed(shape, given->shape.dtype);

            gradients[i] = sum_to(step, given, &wanted);
            value_drop(step, given);
            given = gradients[i];
        }
        if (given->shape.dtype != shape->dtype) {
            bool real = value_is_complex(given) && shape->dtype == MEMMODEL_DTYPE_FLOAT32;

            gradients[i] = real ? value_real(step, given) : value_like_typed(step, given, shape->dtype);
            value_drop(step, given);
        }
        value_becomes(step, gradients[i], MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS);
    }
}

static bool
same_layout(const struct value *a, const struct value *b)
{
    return memcmp(a->strides, b->strides, (size_t)b->shape.rank * sizeof b->strides[0]) == 0 ||
           (value_is_contiguous(a) && value_is_contiguous(b));
}

/*
 * accumulate_grad.h, accumulateGrad(): the gradient is stolen if nothing else needs it and it is laid out as the
 * parameter.
 */
static void
accumulate(struct step *step, struct node *node)
{
    struct variable *variable = node->variable;
    struct value *gradient = node->incoming[0], *value = variable->value;

    node->incoming[0] = NULL;
    if (gradient && !variable->gradient) {
        bool steal = gradient->references == 1 && value_is_dense(gradient) && same_layout(gradient, value);

        variable->gradient = steal ? value_keep(gradient) : value_like(step, value);
        value_becomes(step, variable->gradient,
                      variable->handed ? MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS : MEMMODEL_CATEGORY_GRADIENTS);
    }
    data_gradient(step, variable);
    value_drop(step, gradient);
}

/* ---- the pass ---- */

enum { FEW = 32 };

static bool
has_incoming(const struct node *node)
{
    for (int i = 0; i < node->output_count; i++)
        if (node->incoming[i])
            return true;
    return false;
}

/* What nobody asked for goes when the function returns: gen_autograd_functions.py, task_should_compute_output. */
static void
drop_unwanted(struct step *step, const struct node *node, struct value **gradients)
{
    for (int i = 0; i < node->edge_count; i++)
        if (!node_wants(node, i))
            value_drop_all(step, &gradients[i], 1);
}

/* A node that got no gradient at all has none to give. */
static void
run_node(struct step *step, struct node *node, struct value **gradients, bool *added)
{
    step->what = node->derivative->name;
    if (!node->inner)
        checkpoint_unpack(step, node);
    if (has_incoming(node) && !step->status) /* what a checkpoint could not recompute is not there */
        node->derivative->backward(step, node, node->incoming, gradients);
    drop_unwanted(step, node, gradients);
    if (node->segment)
        value_drop_all(step, node->saved, node->saved_count); /* what was unpacked goes when the function returns */
    validate(step, node, gradients);
    value_drop_all(step, node->incoming, node->output_count);
    value_drop_all(step, node->saved, node->saved_count);
    checkpoint_forget(step, node);
    for (int i = 0; i < node->edge_count; i++)
        added[i] = !node_wants(node, i) || deliver(step, &node->edges[i], gradients[i]);
    for (int i = 0; i < node->edge_count; i++)
        if (added[i])
            value_drop(step, gradients[i]);
}

/* Room for the gradients of a node with more inputs than most. */
static void
run_wide_node(struct step *step, struct node *node)
{
    size_t count = (size_t)node->edge_count;
    struct value **gradients = step_pool_take(step, count * sizeof *gradients);
    bool *added = gradients ? step_pool_take(step, count * sizeof *added) : NULL;

    if (!added)
        return;
    run_node(step, node, gradients, added);
    object_pool_give(&step->pool, added, count * sizeof *added);
    object_pool_give(&step->pool, gradients, count * sizeof *gradients);
}

static void
run(struct step *step, struct node *node)
{
    struct value *gradients[FEW] = {NULL};
    bool added[FEW];

    if (!node->derivative) {
        accumulate(step, node);
        return;
    }
    step_enter(step, MEMMODEL_PHASE_BACKWARD, node->layer);
    if (node->hooked)
        data_node(step, node);
    loops_backward(step, node->sequence);
    if (node->edge_count > FEW)
        run_wide_node(step, node);
    else
        run_node(step, node, gradients, added);
}

/* The caller of backward() keeps each root gradient to the end. */
static struct value **
start_gradients(struct step *step, struct value *const *roots, int root_count)
{
    struct value **held = step_pool_take(step, (size_t)root_count * sizeof *held);

    if (!held)
        return NULL;
    step->what = "root gradient";
    for (int i = 0; i < root_count; i++) {
        struct edge edge = {.node = roots[i]->node, .output = roots[i]->output};
        struct value *given;

        step_enter(step, MEMMODEL_PHASE_BACKWARD, roots[i]->node->layer);
        held[i] = value_empty(step, &roots[i]->shape);
        value_becomes(step, held[i], MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS);
        given = value_detach(step, held[i]);
        if (deliver(step, &edge, given))
            value_drop(step, given); /* two names for one tensor */
    }
    return held;
}

void
autograd_backward(struct step *step, struct value *const *roots, int root_count)
{
    struct value **held;

    step->queue.heap_count = 0;
    count_dependencies(step, roots, root_count);
    held = step->status ? NULL : start_gradients(step, roots, root_count);
    if (!held)
        return;
    while (step->queue.heap_count > 0 && !step->status)
        run(step, queue_pop(&step->queue));
    loops_backward(step, INT64_MIN);
    data_backward_end(step);
    value_drop_all(step, held, root_count);
    object_pool_give(&step->pool, held, (size_t)root_count * sizeof *held);
}

static void
run_from(struct step *step, struct value *const *roots, struct value *const *gradients, int root_count)
{
    count_dependencies(step, roots, root_count);
    for (int i = 0; i < root_count && !step->status; i++) {
        struct edge edge = {.node = roots[i]->node, .output = roots[i]->output};

        if (edge.node && deliver(step, &edge, value_keep(gradients[i])))
            value_drop(step, gradients[i]);
    }
    while (step->queue.heap_count > 0 && !step->status)
        run(step, queue_pop(&step->queue));
    loops_backward(step, INT64_MIN);
}

void
autograd_backward_from(struct step *step, struct value *const *roots, struct value *const *gradients, int root_count)
{
    step->queue.heap_count = 0;
    run_from(step, roots, gradients, root_count);
    data_backward_end(step);
}

/* ---- a pass inside of another ---- */

/* What a parameter waits for in the outer pass: engine.h, each GraphTask has its own dependencies and buffers. */
struct waiting {
    struct value *gradient;
    int32_t dependencies;
};

static void
swap_waiting(struct step *step, struct waiting *waiting)
{
    for (size_t i = 0; i < step->network->parameter_count; i++) {
        struct node *node = step->variables[i].accumulate;
        struct waiting now;

        if (!node)
            continue;
        now = (struct waiting){node->incoming[0], node->dependencies};
        node->incoming[0] = waiting[i].gradient;
        node->dependencies = waiting[i].dependencies;
        waiting[i] = now;
    }
}

static void
swap_queues(struct step *step)
{
    struct backward_queue queue = step->queue;

    step->queue = step->inner_queue;
    step->inner_queue = queue;
    step->queue.visit = queue.visit;
}

void
autograd_backward_inside(struct step *step, struct value *const *roots, struct value *const *gradients, int root_count)
{
    size_t bytes = (step->network->parameter_count + 1) * sizeof(struct waiting);
    struct waiting *waiting = step_pool_take(step, bytes);

    if (!waiting)
        return;
    swap_waiting(step, waiting);
    swap_queues(step);
    step->queue.heap_count = 0;
    run_from(step, roots, gradients, root_count);
    swap_queues(step);
    swap_waiting(step, waiting);
    object_pool_give(&step->pool, waiting, bytes);
}
