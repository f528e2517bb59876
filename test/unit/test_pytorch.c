/* How PyTorch's steps are simulated: what is kept, when it goes, what an optimizer adds, and what is refused. */
#include "allocations.h"
#include "differ.h"

/* ---- a network of two linear layers: x [8, 16] -> 32 -> 4, cross entropy ---- */

enum { BATCH = 8, PARAMETER_BYTES = 4 * (16 * 32 + 32 + 32 * 4 + 4) };

static memmodel_network *
empty_network(memmodel_context *context)
{
    memmodel_network *net;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    return net;
}

static memmodel_tensor
input(memmodel_network *net, int64_t batch, int64_t width)
{
    return memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){batch, width});
}

static memmodel_tensor
linear(memmodel_network *net, memmodel_tensor x, int64_t units)
{
    return memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = units));
}

static memmodel_tensor
relu(memmodel_network *net, memmodel_tensor x)
{
    return memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
}

static void
cross_entropy(memmodel_network *net, memmodel_tensor x)
{
    memmodel_tensor target = memmodel_network_input(net, "class", MEMMODEL_DTYPE_INT64, 1, (int64_t[]){BATCH});

    memmodel_network_loss(net, x, target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_CROSS_ENTROPY));
}

static memmodel_network *
two_linear_layers(memmodel_context *context)
{
    memmodel_network *net = empty_network(context);

    cross_entropy(net, linear(net, relu(net, linear(net, input(net, BATCH, 16), 32)), 4));
    return net;
}

static struct memmodel_job
job_with(const char *optimizer)
{
    struct memmodel_job job = {.size = sizeof job, .isa = "avx2", .optimizer = optimizer};

    job_complete(&job);
    return job;
}

static memmodel_trace *
trained(memmodel_context *context, memmodel_network *net, const char *optimizer)
{
    struct memmodel_job job = job_with(optimizer);
    memmodel_trace *trace;

    assert_int_equal(memmodel_network_status(net), 0);
    trace = simulated_trace(context, net, NULL, &job);
    memmodel_network_unref(net);
    return trace;
}

/* Bytes of a category that are live before a step. */
static int64_t
held_before(const memmodel_trace *trace, int step, enum memmodel_category category)
{
    int64_t bytes[MEMMODEL_MAX_CATEGORIES];
    int32_t last = -1;

    while ((size_t)last + 1 < trace->event_count && trace->events[last + 1].step < step)
        last++;
    trace_categories_at(trace, last, 0, bytes);
    return bytes[category];
}

/* ---- optimizers ---- */

static void
the_first_step_begins_with_parameters_and_inputs(void **state)
{
    memmodel_trace *trace = trained(*state, two_linear_layers(*state), "adam");

    assert_int_equal(held_before(trace, 1, MEMMODEL_CATEGORY_PARAMETERS), PARAMETER_BYTES);
    assert_int_equal(held_before(trace, 1, MEMMODEL_CATEGORY_INPUTS), 4 * BATCH * 16 + 8 * BATCH);
    assert_int_equal(live_before_step(trace, 1), PARAMETER_BYTES + 4 * BATCH * 16 + 8 * BATCH);
    memmodel_trace_unref(trace);
}

static void
adam_keeps_two_regimes_and_a_counter_per_parameter(void **state)
{
    memmodel_trace *trace = trained(*state, two_linear_layers(*state), "adam");

    assert_int_equal(held_before(trace, 1, MEMMODEL_CATEGORY_OPTIMIZER_STATE), 0);
    assert_int_equal(held_before(trace, 2, MEMMODEL_CATEGORY_OPTIMIZER_STATE), 2 * PARAMETER_BYTES + 4 * 4);
    assert_int_equal(held_before(trace, 3, MEMMODEL_CATEGORY_OPTIMIZER_STATE), 2 * PARAMETER_BYTES + 4 * 4);
    memmodel_trace_unref(trace);
}

static void
momentum_keeps_one_buffer_per_parameter(void **state)
{
    memmodel_trace *trace = trained(*state, two_linear_layers(*state), "momentum");

    assert_int_equal(held_before(trace, 2, MEMMODEL_CATEGORY_OPTIMIZER_STATE), PARAMETER_BYTES);
    memmodel_trace_unref(trace);
}

static void
gradients_are_gone_between_steps(void **state)
{
    memmodel_trace *trace = trained(*state, two_linear_layers(*state), "sgd");

    assert_int_equal(held_before(trace, 2, MEMMODEL_CATEGORY_GRADIENTS), 0);
    assert_int_equal(held_before(trace, 2, MEMMODEL_CATEGORY_OPTIMIZER_STATE), 0);
    memmodel_trace_unref(trace);
}

/* The prediction (8 x 4 floats) and the loss (one float) have names until the next step binds them anew. */
static void
prediction_and_loss_outlive_their_step(void **state)
{
    memmodel_trace *trace = trained(*state, two_linear_layers(*state), "sgd");

    assert_int_equal(live_before_step(trace, 2) - live_before_step(trace, 1), 4 * BATCH * 4 + 4);
    assert_int_equal(live_before_step(trace, 3), live_before_step(trace, 2));
    memmodel_trace_unref(trace);
}

static void
an_unused_head_gets_no_gradient_and_no_state(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor h = linear(net, input(net, BATCH, 16), 32);
    memmodel_trace *trace;

    linear(net, h, 1000);
    cross_entropy(net, linear(net, h, 4));
    trace = trained(*state, net, "adam");
    assert_int_equal(held_before(trace, 2, MEMMODEL_CATEGORY_OPTIMIZER_STATE), 2 * PARAMETER_BYTES + 4 * 4);
    memmodel_trace_unref(trace);
}

static void
a_shared_weight_has_one_gradient(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = memmodel_network_linear(net, input(net, BATCH, 4), MEMMODEL_LINEAR(.name = "f", .units = 4));
    memmodel_trace *trace;

    cross_entropy(net, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 4, .tied_to = "f")));
    trace = trained(*state, net, "adam");
    assert_int_equal(held_before(trace, 1, MEMMODEL_CATEGORY_PARAMETERS), 4 * (4 * 4 + 4));
    assert_int_equal(held_before(trace, 2, MEMMODEL_CATEGORY_OPTIMIZER_STATE), 2 * 4 * (4 * 4 + 4) + 2 * 4);
    memmodel_trace_unref(trace);
}

/* ---- what is kept ---- */

static void
nothing_is_saved_in_inference(void **state)
{
    memmodel_network *net = two_linear_layers(*state);
    struct memmodel_job job = job_with("none");
    memmodel_trace *trace;

    job.mode = 1;
    trace = simulated_trace(*state, net, NULL, &job);
    for (size_t i = 0; i < trace->block_count; i++) {
        assert_int_not_equal(trace->blocks[i].category, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS);
        assert_int_not_equal(trace->blocks[i].category, MEMMODEL_CATEGORY_GRADIENTS);
    }
    memmodel_trace_unref(trace);
    memmodel_network_unref(net);
}

/* Bytes that a trace has live after the layer's last event in the forward pass of step 1. */
static int64_t
live_after_layer(const memmodel_trace *trace, const char *layer)
{
    int64_t live = -1;

    for (size_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].step == 1 && trace->events[i].phase == MEMMODEL_PHASE_FORWARD &&
            trace->events[i].layer >= 0 && strcmp(trace->names[trace->events[i].layer], layer) == 0)
            live = trace->events[i].live;
    return live;
}

enum held { BY_NOTHING, BY_A_CALL, BY_A_NAME };

/* Two additions, which save nothing, of 400-byte tensors; then what is live after the second. */
static int64_t
live_after_two_additions(memmodel_context *context, enum held held)
{
    memmodel_network *net = empty_network(context);
    memmodel_tensor x = input(net, 10, 10), first, second;
    struct memmodel_job job = job_with("none");
    memmodel_trace *trace;
    int64_t live;

    first = memmodel_network_binary(net, x, x, MEMMODEL_BINARY(.name = "first"));
    if (held == BY_A_CALL)
        memmodel_network_push_scope(net, "call");
    second = memmodel_network_binary(net, first, x, MEMMODEL_BINARY(.name = "second"));
    memmodel_network_binary(net, second, x, MEMMODEL_BINARY(.name = "third"));
    if (held == BY_A_NAME)
        memmodel_network_end_lifetime(net, first);
    if (held == BY_A_CALL)
        memmodel_network_pop_scope(net);
    assert_int_equal(memmodel_network_status(net), 0);
    job.mode = 1;
    trace = simulated_trace(context, net, NULL, &job);
    live = live_after_layer(trace, held == BY_A_CALL ? "call.second" : "second");
    memmodel_trace_unref(trace);
    memmodel_network_unref(net);
    return live;
}

static void
a_tensor_goes_after_its_last_use(void **state)
{
    assert_int_equal(live_after_two_additions(*state, BY_NOTHING), 2 * 400);
}

static void
an_argument_lives_until_its_call_returns(void **state)
{
    assert_int_equal(live_after_two_additions(*state, BY_A_CALL), 3 * 400);
}

static void
a_name_holds_its_tensor_until_it_is_released(void **state)
{
    assert_int_equal(live_after_two_additions(*state, BY_A_NAME), 3 * 400);
}

static void
an_activation_that_is_saved_counts_as_saved_from_the_start(void **state)
{
    memmodel_trace *trace = trained(*state, two_linear_layers(*state), "sgd");
    size_t i = 0;

    while (strcmp(trace->blocks[i].what, "relu") != 0)
        i++;
    assert_int_equal(trace->blocks[i].bytes, 4 * BATCH * 32);
    assert_int_equal(trace->blocks[i].category, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS);
    memmodel_trace_unref(trace);
}

static void
a_network_without_a_loss_gets_a_gradient_for_its_output(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_trace *trace;
    bool found = false;

    linear(net, input(net, BATCH, 16), 4);
    trace = trained(*state, net, "sgd");
    for (size_t i = 0; i < trace->block_count; i++)
        found =
            found || (strcmp(trace->blocks[i].what, "root gradient") == 0 && trace->blocks[i].bytes == 4 * BATCH * 4);
    assert_true(found);
    memmodel_trace_unref(trace);
}

/*
 * Heads that the model returns together, named or not: the old ones go when the names are bound anew. x and four
 * weights; while new outputs are made, the old ones; then new ones with a gradient each, and the weights' gradients.
 */
static void
what_a_model_returns_lives_until_it_is_done(void **state)
{
    enum { HEADS = 4, WIDTH = 64 };
    const int64_t square = WIDTH * WIDTH * (int64_t)sizeof(float);

    for (int named = 0; named <= 1; named++)
        for (int inference = 0; inference <= 1; inference++) {
            struct memmodel_job job = job_with("sgd");
            memmodel_network *net = empty_network(*state);
            memmodel_tensor x = input(net, WIDTH, WIDTH), y;
            memmodel_trace *trace;

            job.mode = inference;
            for (int i = 0; i < HEADS; i++) {
                y = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = WIDTH, .no_bias = 1));
                if (named)
                    memmodel_network_mark_output(net, y);
            }
            assert_int_equal(memmodel_network_status(net), 0);
            trace = simulated_trace(*state, net, NULL, &job);
            assert_int_equal(trace->events[trace_peak_event(trace, 2)].live,
                             square + HEADS * square + (inference ? 2 : 3) * HEADS * square);
            memmodel_trace_unref(trace);
            memmodel_network_unref(net);
        }
}

/* torch.autograd.backward() is given a gradient for each, which its caller holds until it returns. */
static void
gradients_of_all_outputs_are_there_together(void **state)
{
    enum { OUTPUTS = 100 };
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = linear(net, input(net, BATCH, 16), 4), outputs[OUTPUTS];
    memmodel_trace *trace;
    int held = 0, most = 0;

    for (int i = 0; i < OUTPUTS; i++)
        outputs[i] = relu(net, x);
    for (int i = 0; i < OUTPUTS; i++)
        memmodel_network_mark_output(net, outputs[i]);
    trace = trained(*state, net, "sgd");
    for (size_t i = 0; i < trace->event_count; i++) {
        const struct trace_event *event = &trace->events[i];

        if (event->step != 2 || strcmp(trace->blocks[event->block].what, "root gradient") != 0)
            continue;
        held += event->release ? -1 : 1;
        most = held > most ? held : most;
    }
    assert_int_equal(most, OUTPUTS);
    assert_int_equal(held, 0);
    memmodel_trace_unref(trace);
}

/* ---- channels last: the same network, described the other way round ---- */

/* Convolution, norm, pooling and back up again, joined with what was before; batch 1 and 2 slice differently. */
static memmodel_trace *
trained_with_layout(memmodel_context *context, int layout, int64_t batch)
{
    memmodel_network *net = empty_network(context);
    int64_t first[] = {batch, 3, 8, 12}, last[] = {batch, 8, 12, 3};
    memmodel_tensor x, skip;

    memmodel_network_set_layout(net, layout);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4,
                               layout == MEMMODEL_LAYOUT_CHANNELS_LAST ? last : first);
    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
    skip = relu(net, memmodel_network_batch_norm(net, x, NULL));
    x = memmodel_network_pool(net, skip, MEMMODEL_POOL(.kernel = {2}));
    x = memmodel_network_conv_transpose(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {2}, .stride = {2}));
    x = memmodel_network_concat(net, (memmodel_tensor[]){x, skip}, 2, MEMMODEL_CONCAT(.along_channels = 1));
    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 5, .kernel = {1}));
    memmodel_network_global_pool(net, x, MEMMODEL_GLOBAL_POOL(.kind = MEMMODEL_POOL_AVERAGE));
    return trained(context, net, "adam");
}

static void
channels_last_takes_what_channels_first_takes(void **state)
{
    for (int64_t batch = 1; batch <= 2; batch++) {
        memmodel_trace *first = trained_with_layout(*state, MEMMODEL_LAYOUT_CHANNELS_FIRST, batch);
        memmodel_trace *last = trained_with_layout(*state, MEMMODEL_LAYOUT_CHANNELS_LAST, batch);

        assert_int_equal(first->event_count, last->event_count);
        for (size_t i = 0; i < first->event_count; i++)
            assert_int_equal(first->events[i].live, last->events[i].live);
        memmodel_trace_unref(first);
        memmodel_trace_unref(last);
    }
}

/* ---- operators without a rule, and custom ones ---- */

static void
a_custom_operator_takes_what_it_declares(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = linear(net, input(net, BATCH, 16), 4);
    struct memmodel_shape shape = {.dims = {BATCH, 4}, .rank = 2, .dtype = MEMMODEL_DTYPE_FLOAT32};
    const int64_t declared[] = {3001, 5003, 7013};
    memmodel_trace *trace;

    x = memmodel_network_custom(net, &x, 1,
                                MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .saved_bytes = declared[0],
                                                .forward_workspace_bytes = declared[1],
                                                .backward_workspace_bytes = declared[2]));
    cross_entropy(net, x);
    trace = trained(*state, net, "sgd");
    for (int k = 0; k < 3; k++) {
        int found = 0;

        for (size_t i = 0; i < trace->block_count; i++)
            found += trace->blocks[i].bytes == declared[k];
        assert_int_equal(found, 3);
    }
    memmodel_trace_unref(trace);
}

static void
an_operator_without_a_rule_is_named_once(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = linear(net, input(net, BATCH, 16), 4);
    struct memmodel_job job = job_with("sgd");
    struct simulation simulation = {0};
    struct binding binding;

    x = memmodel_network_reduce(
        net, x, MEMMODEL_REDUCE(.axes = {1}, .axis_count = 1, .keep_dims = 1, .kind = MEMMODEL_REDUCE_PRODUCT));
    linear(net, x, 2);
    assert_int_equal(memmodel_network_status(net), 0);
    assert_int_equal(binding_new(*state, net, NULL, &binding), 0);
    assert_int_equal(pytorch_simulate(*state, &binding, &job, &simulation), 0);
    assert_int_equal(simulation.unmodelled_count, 1);
    assert_string_equal(simulation.unmodelled[0].op, "reduce");
    assert_int_equal(simulation.unmodelled[0].bytes, 4 * BATCH);
    memory_release(*state, simulation.unmodelled);
    memmodel_trace_unref(simulation.trace);
    binding_release(*state, &binding);
    memmodel_network_unref(net);
}

static void
a_convolution_in_half_precision_is_named_as_not_modelled(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_BFLOAT16, 4, (int64_t[]){2, 3, 8, 8});
    struct memmodel_job job = job_with("sgd");
    struct simulation simulation = {0};
    struct binding binding;

    job.isa = "amx"; /* on AVX2 PyTorch runs it without oneDNN */
    memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {1}));
    assert_int_equal(memmodel_network_status(net), 0);
    assert_int_equal(binding_new(*state, net, NULL, &binding), 0);
    assert_int_equal(pytorch_simulate(*state, &binding, &job, &simulation), 0);
    assert_int_equal(simulation.unmodelled_count, 1);
    assert_int_equal(simulation.unmodelled[0].bytes, 2 * 2 * 4 * 8 * 8);
    memory_release(*state, simulation.unmodelled);
    memmodel_trace_unref(simulation.trace);
    binding_release(*state, &binding);
    memmodel_network_unref(net);
}

static void
a_tensor_with_two_names_gets_one_gradient(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor y = linear(net, input(net, BATCH, 16), 4);
    memmodel_trace *trace;

    memmodel_network_mark_output(net, y);
    memmodel_network_mark_output(net, memmodel_network_dropout(net, y, MEMMODEL_DROPOUT(.identity = 1)));
    trace = trained(*state, net, "adam");
    assert_int_equal(held_before(trace, 2, MEMMODEL_CATEGORY_OPTIMIZER_STATE), 2 * 4 * (16 * 4 + 4) + 2 * 4);
    memmodel_trace_unref(trace);
}

/* Blocks of a size that the backward pass allocates. */
static int
made_backward(const memmodel_trace *trace, int step, int64_t bytes)
{
    int count = 0;

    for (size_t i = 0; i < trace->event_count; i++) {
        const struct trace_event *event = &trace->events[i];

        count += event->step == step && event->phase == MEMMODEL_PHASE_BACKWARD && !event->release &&
                 trace->blocks[event->block].bytes == bytes;
    }
    return count;
}

/*
 * y = relu(relu(x)) of data, to half of which a parameter is added. CopySlices::apply_impl copies the whole gradient
 * into one of its own, of y's 8 * 16 floats as well. custom_function.cpp
 */
static void
a_parameter_added_to_a_part_of_data_gives_all_of_it_a_gradient(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor y = relu(net, relu(net, input(net, 8, 16)));
    memmodel_tensor half = memmodel_network_slice(net, y, MEMMODEL_SLICE(.stop = 4));
    memmodel_tensor p = memmodel_network_parameter(net, "p", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){4, 16}, 1);
    memmodel_trace *trace;

    memmodel_network_binary(net, half, p, MEMMODEL_BINARY(.kind = MEMMODEL_BINARY_ADD, .in_place = 1));
    memmodel_network_mark_output(net, linear(net, y, 4));
    trace = trained(*state, net, "sgd");
    assert_int_equal(made_backward(trace, 2, 4 * 8 * 16), 2);
    memmodel_trace_unref(trace);
}

/* ---- refusals ---- */

static void
expect_refused(memmodel_context *context, struct memmodel_job job, const char *object)
{
    memmodel_network *net = two_linear_layers(context);
    struct simulation simulation = {0};
    struct binding binding;

    assert_int_equal(binding_new(context, net, NULL, &binding), 0);
    assert_error(context, pytorch_simulate(context, &binding, &job, &simulation), MEMMODEL_ERROR_UNSUPPORTED, object);
    binding_release(context, &binding);
    memmodel_network_unref(net);
}

static void
an_unknown_optimizer_device_or_isa_is_refused_by_name(void **state)
{
    struct memmodel_job job = job_with("lion");

    expect_refused(*state, job, "lion");
    job = job_with("adam");
    job.device = "tpu";
    expect_refused(*state, job, "tpu");
    job = job_with("adam");
    job.isa = "mmx";
    expect_refused(*state, job, "mmx");
    job = job_with("adam");
    job.precision = "float8";
    expect_refused(*state, job, "float8");
}

/* 2^60 floats are 2^62 bytes; two such tensors do not fit in 63 bits. */
static void
more_live_bytes_than_63_bits_are_an_error(void **state)
{
    memmodel_network *net = empty_network(*state);
    struct memmodel_job job = job_with("none");
    struct simulation simulation = {0};
    struct binding binding;

    relu(net, input(net, INT64_C(1) << 30, INT64_C(1) << 30));
    assert_int_equal(binding_new(*state, net, NULL, &binding), 0);
    assert_int_equal(pytorch_simulate(*state, &binding, &job, &simulation), MEMMODEL_ERROR_OVERFLOW);
    assert_int_equal(memmodel_context_error(*state)->status, MEMMODEL_ERROR_OVERFLOW);
    binding_release(*state, &binding);
    memmodel_network_unref(net);
}

/* ---- memory ---- */

/* Convolution, norms, attention, a recurrent layer and a loss: each kind of object that a step makes. */
static void
build_a_bit_of_everything(memmodel_network *net)
{
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (int64_t[]){2, 3, 8, 8}), target;

    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
    x = relu(net, memmodel_network_batch_norm(net, x, NULL));
    x = memmodel_network_concat(net, (memmodel_tensor[]){x, x}, 2, MEMMODEL_CONCAT(.along_channels = 1));
    x = memmodel_network_attention(net, x, x, x, MEMMODEL_TENSOR_NONE, NULL);
    x = memmodel_network_reshape(net, x, 3, (int64_t[]){2, 16, 32});
    x = memmodel_network_split(net, x, MEMMODEL_SPLIT(.parts = 2, .axis = 2));
    x = memmodel_network_recurrent(
        net, x, MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_GRU, .hidden_size = 4, .bidirectional = 1));
    x = memmodel_network_recurrent(net, x, MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_LSTM, .hidden_size = 4));
    target = memmodel_network_input(net, "t", MEMMODEL_DTYPE_FLOAT32, 3, (int64_t[]){2, 16, 4});
    memmodel_network_loss(net, x, target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_DICE));
}

static memmodel_network *everything;

static int
simulate_everything(memmodel_context *context)
{
    struct memmodel_job job = job_with("adam");
    struct simulation simulation = {0};
    struct binding binding;
    int status = binding_new(context, everything, NULL, &binding);

    if (status)
        return status;
    job.steps = 2;
    status = pytorch_simulate(context, &binding, &job, &simulation);
    binding_release(context, &binding);
    if (status)
        return status;
    memory_release(context, simulation.unmodelled);
    memmodel_trace_unref(simulation.trace);
    return 0;
}

/*
 * 2^58 images [1, 0, 50] padded to [1, 99, 149], as a kernel of 100 asks: 2^58 * 99 * 149 * 4 bytes are more than 2^63. The
 * convolution behind that has nothing to work on, and no word in it.
 */
static void
what_is_too_large_to_pad_is_reported_as_that(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x =
        memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (int64_t[]){INT64_C(1) << 58, 1, 0, 50});
    memmodel_report *report;

    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {100}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
    assert_true(x >= 0);
    memmodel_network_mark_output(net, x);
    assert_error(*state, memmodel_estimate(net, NULL, NULL, &report), MEMMODEL_ERROR_OVERFLOW,
                 "more bytes than 63 bits");
    memmodel_network_unref(net);
}

static void
simulating_survives_failing_allocations(void **state)
{
    everything = empty_network(*state);
    build_a_bit_of_everything(everything);
    assert_int_equal(memmodel_network_status(everything), 0);
    assert_survives_failing_allocations(simulate_everything);
    memmodel_network_unref(everything);
}

static void
the_same_job_gives_the_same_events(void **state)
{
    memmodel_trace *first = trained(*state, two_linear_layers(*state), "adam");
    memmodel_trace *second = trained(*state, two_linear_layers(*state), "adam");

    assert_int_equal(first->event_count, second->event_count);
    for (size_t i = 0; i < first->event_count; i++) {
        assert_int_equal(first->events[i].live, second->events[i].live);
        assert_int_equal(first->events[i].block, second->events[i].block);
    }
    memmodel_trace_unref(first);
    memmodel_trace_unref(second);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_first_step_begins_with_parameters_and_inputs),
        WITH_CONTEXT(adam_keeps_two_regimes_and_a_counter_per_parameter),
        WITH_CONTEXT(momentum_keeps_one_buffer_per_parameter),
        WITH_CONTEXT(gradients_are_gone_between_steps),
        WITH_CONTEXT(prediction_and_loss_outlive_their_step),
        WITH_CONTEXT(an_unused_head_gets_no_gradient_and_no_state),
        WITH_CONTEXT(a_shared_weight_has_one_gradient),
        WITH_CONTEXT(nothing_is_saved_in_inference),
        WITH_CONTEXT(a_tensor_goes_after_its_last_use),
        WITH_CONTEXT(an_argument_lives_until_its_call_returns),
        WITH_CONTEXT(a_name_holds_its_tensor_until_it_is_released),
        WITH_CONTEXT(an_activation_that_is_saved_counts_as_saved_from_the_start),
        WITH_CONTEXT(a_network_without_a_loss_gets_a_gradient_for_its_output),
        WITH_CONTEXT(what_a_model_returns_lives_until_it_is_done),
        WITH_CONTEXT(gradients_of_all_outputs_are_there_together),
        WITH_CONTEXT(channels_last_takes_what_channels_first_takes),
        WITH_CONTEXT(a_custom_operator_takes_what_it_declares),
        WITH_CONTEXT(an_operator_without_a_rule_is_named_once),
        WITH_CONTEXT(a_convolution_in_half_precision_is_named_as_not_modelled),
        WITH_CONTEXT(a_tensor_with_two_names_gets_one_gradient),
        WITH_CONTEXT(a_parameter_added_to_a_part_of_data_gives_all_of_it_a_gradient),
        WITH_CONTEXT(an_unknown_optimizer_device_or_isa_is_refused_by_name),
        WITH_CONTEXT(more_live_bytes_than_63_bits_are_an_error),
        WITH_CONTEXT(what_is_too_large_to_pad_is_reported_as_that),
        WITH_CONTEXT(simulating_survives_failing_allocations),
        WITH_CONTEXT(the_same_job_gives_the_same_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
