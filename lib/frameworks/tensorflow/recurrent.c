/*
 * Recurrent layers: a loop over the time steps, each of which keeps its gates and states for the backward pass. With
 * its list of gradients where the whole sequence is used. Kept sets measured with TensorFlow 2.21 and Keras 3.15,
 * src/backend/tensorflow/rnn.py.
 */
#include "frameworks/tensorflow/build.h"

enum { MOST_KEPT = 7, LSTM_KEPT = 7, GRU_KEPT = 6, RNN_KEPT = 2 };

struct loop {
    int64_t length, batch, hidden, directions;
    int64_t state; /* bytes of one */
    int kept;      /* states a time step */
};

static struct loop
loop_of(struct build *build, const struct layer *layer)
{
    static const int8_t kept[] = {LSTM_KEPT, GRU_KEPT, RNN_KEPT, RNN_KEPT};
    const struct memmodel_recurrent *options = layer->options;
    const struct tensor *x = &build->network->tensors[layer->inputs[0]];
    struct loop loop = {.hidden = options->hidden, .directions = options->bidirectional ? 2 : 1};

    loop.length = build_dim(build, x->dims[options->batch_first ? 1 : 0]);
    loop.batch = build_dim(build, x->dims[options->batch_first ? 0 : 1]);
    loop.state = build_times(build, dtype_bytes(x->dtype), build_times(build, loop.batch, loop.hidden));
    loop.kept = kept[options->kind];
    return loop;
}

static bool
uses_sequence(const struct build *build, const struct layer *layer)
{
    return build->network->tensors[layer->first_output].consumers > 0;
}

/* The states of a time step; they stand one after another in the graph. */
static int32_t
time_step(struct build *build, const struct loop *loop, int32_t before)
{
    int32_t state = before;

    for (int k = 0; k < loop->kept; k++)
        state = build_new(build, "while/state", loop->state, READS(before));
    return state;
}

static void
recurrent(struct build *build, const struct layer *layer)
{
    struct loop loop = loop_of(build, layer);
    int64_t input = build_bytes(build, layer->inputs[0]);
    int32_t x = build_input(build, layer, 0), unstacked = build_new(build, "TensorListFromTensor", input, READS(x)), last;
    struct kept *kept = build_kept(build, layer);

    kept->x = unstacked;
    last = unstacked;
    kept->others[0] = (int32_t)build->graph.count;
    for (int64_t t = 0; t < loop.length * loop.directions && !build->status; t++)
        last = time_step(build, &loop, last);
    for (int32_t i = 0; i < layer->output_count; i++)
        build->outputs[layer->first_output + i] =
            i == 0 && !uses_sequence(build, layer)
                ? NOTHING
                : build_new(build, "TensorListStack", build_bytes(build, layer->first_output + i), READS(last));
    kept->y = build->outputs[layer->first_output];
}

/* Of one time step, in the reverse order; reads what it kept. */
static int32_t
time_step_backward(struct build *build, const struct loop *loop, int32_t after, int32_t first)
{
    int32_t reads[MOST_KEPT + 1] = {after};

    for (int k = 0; k < loop->kept; k++)
        reads[1 + k] = first + k;
    return build_new(build, "while/gradient", loop->state, reads, loop->kept + 1);
}

static void
weight_gradients(struct build *build, const struct layer *layer, int32_t gradient)
{
    for (int32_t i = 0; i < layer->parameter_count; i++) {
        int64_t bytes = build_parameter_bytes(build, layer->parameters[i]);
        int32_t addend = build_new(build, "while/MatMul", bytes, READS(gradient));
        struct operation sum = {.what = "while/add", .bytes = bytes, .category = MEMMODEL_GRADIENTS};

        build_parameter_gradient(build, layer->parameters[i],
                                build_operation(build, &sum, READS(gradient, addend)), NOTHING);
    }
}

static void
recurrent_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    struct loop loop = loop_of(build, layer);
    const struct kept *kept = build_kept(build, layer);
    int32_t list = gradient;

    if (uses_sequence(build, layer))
        list = build_new(build, "TensorListFromTensor", build_output_bytes(build, layer), READS(gradient));
    for (int64_t t = loop.length * loop.directions - 1; t >= 0 && !build->status; t--)
        list = time_step_backward(build, &loop, list, kept->others[0] + (int32_t)t * loop.kept);
    if (build_wants_gradient(build, layer, 0))
        build_gradient(build, layer, 0,
                      build_new(build, "TensorListStack", build_bytes(build, layer->inputs[0]), READS(list, kept->x)));
    weight_gradients(build, layer, list);
}

const struct rule tensorflow_recurrent = {OP_RECURRENT, recurrent, recurrent_backward};
