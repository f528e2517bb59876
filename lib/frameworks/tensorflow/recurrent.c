/*
 * Recurrent layers: a loop over the time steps, each of which keeps its gates and states for the backward pass. The
 * loop's iterations may overlap: products of the input with its weights, which wait for no state, run ahead by as many
 * steps as iterations may. TensorFlow 2.21: python/ops/while_v2.py, parallel_iterations; Keras 3.15:
 * src/backend/tensorflow/rnn.py. Kept sets are those of a log of its allocations.
 */
#include "frameworks/tensorflow/build.h"

#include <inttypes.h>

enum { MAX_KEPT = 7, LSTM_KEPT = 7, GRU_KEPT = 6, RNN_KEPT = 2, PARALLEL_ITERATIONS = 32 };

struct loop {
    struct build *build;
    int64_t steps;   /* of all directions, at most INT32_MAX */
    int64_t state;   /* bytes of one */
    int64_t slice;   /* bytes of the input of a time step */
    int gates, kept; /* states that go into the product with the input, and that a time step keeps */
    int32_t *slices; /* operation of each time step's input, and after the forward pass of its gradient */
    int32_t *products;
};

/* A time step's operations in the forward pass: the slice of its input, a product, what it keeps. */
static void
foresee(const struct loop *loop)
{
    struct build *build = loop->build;
    int64_t operations = build_times(build, loop->steps, 2 + loop->kept);
    int64_t bytes = build_times(build, operations, (int64_t)sizeof(struct operation));

    if (!build->status)
        build_fail(build, context_foresee(build->context, operations, bytes));
}

static struct loop
loop_of(struct build *build, const struct layer *layer)
{
    static const int8_t kept[] = {LSTM_KEPT, GRU_KEPT, RNN_KEPT, RNN_KEPT}, gates[] = {4, 3, 1, 1};
    const struct memmodel_recurrent *options = layer->options;
    const struct tensor *x = &build->network->tensors[layer->inputs[0]];
    struct loop loop = {.build = build, .gates = gates[options->kind], .kept = kept[options->kind]};
    int64_t length = build_dim(build, x->dims[options->batch_first ? 1 : 0]);
    int64_t batch = build_dim(build, x->dims[options->batch_first ? 0 : 1]);

    loop.steps = build_times(build, length, options->bidirectional ? 2 : 1);
    loop.state = build_times(build, dtype_bytes(x->dtype), build_times(build, batch, options->hidden_size));
    loop.slice = build_bytes(build, layer->inputs[0]) / length;
    if (loop.steps > INT32_MAX)
        build_fail(build, context_error(build->context, MEMMODEL_ERROR_OVERFLOW, layer->name,
                                        "%" PRId64 " time steps are more than TensorFlow's step can have", loop.steps));
    foresee(&loop);
    if (build->status)
        return loop;
    loop.slices = memory_allocate_zeroed(build->context, (size_t)loop.steps, 2 * sizeof *loop.slices);
    if (loop.slices)
        loop.products = loop.slices + loop.steps;
    else
        build_fail(build, MEMMODEL_ERROR_NO_MEMORY);
    return loop;
}

static bool
uses_sequence(const struct build *build, const struct layer *layer)
{
    return build->network->tensors[layer->first_output].consumers > 0;
}

/* ---- forward ---- */

/*
 * The product of a time step's input, which waits for the state `before` only as the number of iterations is limited.
 */
static void
add_product(struct loop *loop, int64_t t, int32_t before)
{
    if (t < loop->steps)
        loop->products[t] = build_new(loop->build, "while/MatMul", build_times(loop->build, loop->state, loop->gates),
                                      READS(loop->slices[t], before));
    else
        build_new(loop->build, "while/NoOp", 0, READS(before)); /* every time step has as many operations */
}

/* The states of a time step stand one after another in the graph, then a product. */
static int32_t
time_step(struct loop *loop, int64_t t, int32_t before)
{
    int32_t state = before;

    for (int k = 0; k < loop->kept; k++)
        state = build_new(loop->build, "while/state", loop->state, READS(before, loop->products[t]));
    add_product(loop, t + PARALLEL_ITERATIONS, state);
    return state;
}

/* The gradients of the inputs begin as a list of zeros, which is ready when the step begins. */
static void
add_zeros(struct loop *loop, struct kept *kept)
{
    kept->others[1] = (int32_t)loop->build->graph.count;
    for (int64_t t = 0; t < loop->steps && !loop->build->status; t++)
        build_new(loop->build, "zeros_like", loop->slice, NULL, 0);
}

static void
run_loop(struct loop *loop, int32_t x, struct kept *kept, int32_t *last)
{
    kept->others[2] = (int32_t)loop->build->graph.count;
    for (int64_t t = 0; t < loop->steps && !loop->build->status; t++)
        loop->slices[t] = build_new(loop->build, "TensorListFromTensor", loop->slice, READS(x));
    for (int64_t t = 0; t < PARALLEL_ITERATIONS && t < loop->steps && !loop->build->status; t++)
        add_product(loop, t, NOTHING);
    kept->others[0] = (int32_t)loop->build->graph.count;
    for (int64_t t = 0; t < loop->steps && !loop->build->status; t++)
        *last = time_step(loop, t, *last);
}

static void
recurrent(struct build *build, const struct layer *layer)
{
    struct loop loop = loop_of(build, layer);
    struct kept *kept = build_kept(build, layer);
    int32_t last = build_input(build, layer, 0);

    kept->x = last;
    if (build_wants_gradient(build, layer, 0) && !build->job->mode)
        add_zeros(&loop, kept);
    if (!build->status)
        run_loop(&loop, last, kept, &last);
    for (int32_t i = 0; i < layer->output_count; i++)
        build->outputs[layer->first_output + i] =
            i == 0 && !uses_sequence(build, layer)
                ? NOTHING
                : build_new(build, "TensorListStack", build_bytes(build, layer->first_output + i), READS(last));
    kept->y = build->outputs[layer->first_output];
    memory_release(build->context, loop.slices);
}

/* ---- backward ---- */

/*
 * What a time step's backward pass reads: the first operation of the loop's states, input slices and their gradients.
 */
struct first {
    int32_t state, slice, zeros;
};

/* Of one time step, in the reverse order; reads what it kept, and its input for the gradient of the weights. */
static int32_t
time_step_backward(struct loop *loop, int64_t t, int32_t after, const struct first *first)
{
    int32_t reads[MAX_KEPT + 2] = {after, first->slice + (int32_t)t}, gates;

    for (int k = 0; k < loop->kept; k++)
        reads[2 + k] = first->state + (int32_t)t * (loop->kept + 1) + k;
    gates = build_new(loop->build, "while/concat", build_times(loop->build, loop->state, loop->gates), reads,
                      loop->kept + 2);
    if (first->zeros != NOTHING)
        loop->slices[t] =
            build_forward(loop->build, "while/AddN", loop->slice, READS(gates, first->zeros + (int32_t)t));
    return build_new(loop->build, "while/gradient", loop->state, READS(gates));
}

static void
weight_gradients(struct build *build, const struct layer *layer, int32_t gradient)
{
    for (int32_t i = 0; i < layer->parameter_count; i++) {
        int64_t bytes = build_parameter_bytes(build, layer->parameters[i]);
        int32_t addend = build_new(build, "while/MatMul", bytes, READS(gradient));
        struct operation sum = {.what = "while/add", .bytes = bytes, .category = MEMMODEL_CATEGORY_GRADIENTS};

        build_parameter_gradient(build, layer->parameters[i], build_operation(build, &sum, READS(gradient, addend)),
                                 NOTHING);
    }
}

static void
recurrent_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    struct loop loop = loop_of(build, layer);
    const struct kept *kept = build_kept(build, layer);
    const struct first first = {kept->others[0], kept->others[2], kept->others[1]};
    int32_t list = gradient;

    if (uses_sequence(build, layer))
        list = build_new(build, "TensorListFromTensor", build_output_bytes(build, layer), READS(gradient));
    for (int64_t t = loop.steps - 1; t >= 0 && !build->status; t--)
        list = time_step_backward(&loop, t, list, &first);
    if (kept->others[1] != NOTHING && !build->status)
        build_gradient(build, layer, 0,
                       build_new(build, "TensorListStack", build_bytes(build, layer->inputs[0]), loop.slices,
                                 (int32_t)loop.steps));
    weight_gradients(build, layer, list);
    memory_release(build->context, loop.slices);
}

const struct rule tensorflow_recurrent = {OP_RECURRENT, recurrent, recurrent_backward};
