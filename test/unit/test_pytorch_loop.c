/* Options of the loop: gradients of several batches, gradients that are kept, checkpoints, predictions with autograd. */
#include "allocations.h"
#include "differ.h"

/*
 * x [8, 16] -> block { linear 32, relu, linear 32, GELU or nothing } -> linear 4 -> cross entropy. Of the block's inside
 * the backward pass needs x, the first linear's result after relu, and where there is a GELU the second's.
 */
enum { BATCH = 8, INNER_BYTES = 4 * BATCH * 32, RANDOM_STATE_BYTES = 5056 };
enum { PARAMETER_BYTES = 4 * (16 * 32 + 32 + 32 * 32 + 32 + 32 * 4 + 4) };

static memmodel_tensor
linear(memmodel_network *net, memmodel_tensor x, int64_t units)
{
    return memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = units));
}

static memmodel_tensor
block(memmodel_network *net, const char *name, memmodel_tensor x, bool gelu, bool checkpoint)
{
    memmodel_network_push_scope(net, name);
    if (checkpoint)
        memmodel_network_checkpoint_scope(net, MEMMODEL_CHECKPOINT_NON_REENTRANT);
    x = memmodel_network_activation(net, linear(net, x, 32), MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
    x = linear(net, x, 32);
    if (gelu)
        x = memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_GELU));
    memmodel_network_pop_scope(net);
    return x;
}

static void
cross_entropy(memmodel_network *net, memmodel_tensor x)
{
    memmodel_tensor target = memmodel_network_input(net, "class", MEMMODEL_DTYPE_INT64, 1, (int64_t[]){BATCH});

    memmodel_network_loss(net, linear(net, x, 4), target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_CROSS_ENTROPY));
}

/* Blocks one behind the other. */
static memmodel_network *
network_of(memmodel_context *context, int blocks, bool gelu, bool checkpoint)
{
    memmodel_network *net;
    memmodel_tensor x;
    char name[32];

    assert_int_equal(memmodel_network_new(context, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){BATCH, 16});
    for (int i = 0; i < blocks; i++) {
        snprintf(name, sizeof name, "body.%d", i);
        x = block(net, name, x, gelu, checkpoint);
    }
    cross_entropy(net, x);
    assert_int_equal(memmodel_network_status(net), 0);
    return net;
}

static struct memmodel_job
sgd_job(void)
{
    return (struct memmodel_job){.size = sizeof(struct memmodel_job), .isa = "avx2", .optimizer = "sgd"};
}

static memmodel_trace *
run(memmodel_context *context, memmodel_network *net, const struct memmodel_job *job)
{
    memmodel_trace *trace = simulated_trace(context, net, NULL, job);

    memmodel_network_unref(net);
    return trace;
}

static memmodel_trace *
run_checkpointed(memmodel_context *context, memmodel_network *net, const char *checkpoint)
{
    struct memmodel_job job = sgd_job();

    job.checkpoint = checkpoint;
    return run(context, net, &job);
}

/* First event of a phase of a step. */
static size_t
first_event(const memmodel_trace *trace, int step, enum memmodel_phase phase)
{
    for (size_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].step == step && trace->events[i].phase == phase)
            return i;
    fail_msg("no such event");
    return 0;
}

/* Live bytes when the backward pass of a step begins. */
static int64_t
live_after_forward(const memmodel_trace *trace, int step)
{
    return trace->events[first_event(trace, step, MEMMODEL_PHASE_BACKWARD) - 1].live;
}

/* Allocations of a phase of the first step by a layer, "" by any, of so many bytes, 0 of any. */
static int
count_allocations(const memmodel_trace *trace, enum memmodel_phase phase, const char *layer, int64_t bytes)
{
    int count = 0;

    for (size_t i = 0; i < trace->event_count; i++) {
        const struct trace_event *event = &trace->events[i];
        const struct trace_block *made = &trace->blocks[event->block];

        count += !event->release && event->step == 1 && event->phase == phase && (!bytes || made->bytes == bytes) &&
                 (!*layer || (made->layer >= 0 && strcmp(trace->names[made->layer], layer) == 0));
    }
    return count;
}

static int64_t
held(const memmodel_trace *trace, size_t event, enum memmodel_category category)
{
    int64_t bytes[MEMMODEL_MAX_CATEGORIES];

    trace_categories_at(trace, (int32_t)event, 0, bytes);
    return bytes[category];
}

static void
assert_same_traces(const memmodel_trace *a, const memmodel_trace *b)
{
    assert_int_equal(a->event_count, b->event_count);
    for (size_t i = 0; i < a->event_count; i++)
        assert_int_equal(event_bytes(a, i), event_bytes(b, i));
}

/* ---- several batches ---- */

static void
one_batch_is_a_step(void **state)
{
    struct memmodel_job job = sgd_job(), one = sgd_job();
    memmodel_trace *plain, *accumulated;

    one.gradient_accumulation = 1;
    plain = run(*state, network_of(*state, 1, true, false), &job);
    accumulated = run(*state, network_of(*state, 1, true, false), &one);
    assert_same_traces(plain, accumulated);
    memmodel_trace_unref(plain);
    memmodel_trace_unref(accumulated);
}

/* Gradients are made in the first batch; later ones are added to them. */
static void
gradients_of_several_batches_are_added_in_place(void **state)
{
    struct memmodel_job job = sgd_job();
    memmodel_trace *trace;

    job.gradient_accumulation = 3;
    trace = run(*state, network_of(*state, 1, true, false), &job);
    assert_int_equal(count_allocations(trace, MEMMODEL_PHASE_FORWARD, "body.0.linear_1", INNER_BYTES), 3);
    assert_int_equal(held(trace, first_event(trace, 1, MEMMODEL_PHASE_OPTIMIZER) - 1, MEMMODEL_CATEGORY_GRADIENTS),
                     PARAMETER_BYTES);
    assert_int_equal(held(trace, first_event(trace, 2, MEMMODEL_PHASE_FORWARD) - 1, MEMMODEL_CATEGORY_GRADIENTS), 0);
    memmodel_trace_unref(trace);
}

/* Its outputs are those of one batch: 4 x 8 of 4 bytes. */
static void
what_is_not_modelled_counts_once_for_several_batches(void **state)
{
    struct memmodel_shape shape = {.dims = {4, 8}, .rank = 2};
    struct memmodel_custom custom = {.size = sizeof custom, .operation = "own", .outputs = &shape, .output_count = 1};
    struct memmodel_job job = {.size = sizeof job, .framework = "pytorch", .gradient_accumulation = 3};
    struct memmodel_report_unmodelled unmodelled = {.size = sizeof unmodelled};
    memmodel_network *net;
    memmodel_report *report;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){4, 8});
    memmodel_network_mark_output(net, memmodel_network_custom(net, &x, 1, &custom));
    assert_int_equal(memmodel_estimate(net, &job, NULL, &report), 0);
    assert_int_equal(memmodel_report_get_unmodelled(report, 0, &unmodelled), 0);
    assert_int_equal(unmodelled.bytes, 4 * 8 * 4);
    memmodel_report_unref(report);
    memmodel_network_unref(net);
}

/* The message says "of 1 to 1000". */
static void
gradients_of_a_thousand_batches_are_added_and_not_of_more(void **state)
{
    memmodel_network *net = network_of(*state, 1, false, false);
    struct memmodel_job job = sgd_job();
    memmodel_report *report;

    job.steps = 1;
    job.gradient_accumulation = 1000;
    assert_int_equal(memmodel_estimate(net, &job, NULL, &report), 0);
    memmodel_report_unref(report);
    job.gradient_accumulation = 1001;
    assert_error(*state, memmodel_estimate(net, &job, NULL, &report), MEMMODEL_ERROR_INVALID_ARGUMENT, "1 to 1000");
    memmodel_network_unref(net);
}

static void
kept_gradients_are_there_between_steps(void **state)
{
    struct memmodel_job job = sgd_job();
    memmodel_trace *trace;

    job.keep_gradients = 1;
    trace = run(*state, network_of(*state, 1, true, false), &job);
    for (int step = 2; step <= 3; step++)
        assert_int_equal(held(trace, first_event(trace, step, MEMMODEL_PHASE_FORWARD) - 1, MEMMODEL_CATEGORY_GRADIENTS),
                         PARAMETER_BYTES);
    memmodel_trace_unref(trace);
}

/* The second batch of a step finds the same as the first of the next, where gradients are kept and nothing else is. */
static void
accumulating_is_keeping_gradients_between_batches(void **state)
{
    struct memmodel_job accumulate = sgd_job(), keep = sgd_job();
    memmodel_trace *accumulated, *kept;

    accumulate.gradient_accumulation = 2;
    keep.keep_gradients = 1;
    accumulated = run(*state, network_of(*state, 1, true, false), &accumulate);
    kept = run(*state, network_of(*state, 1, true, false), &keep);
    assert_int_equal(accumulated->events[trace_peak_event(accumulated, 1)].live,
                     kept->events[trace_peak_event(kept, 2)].live);
    memmodel_trace_unref(accumulated);
    memmodel_trace_unref(kept);
}

/* ---- predictions ---- */

/* relu's result and what GELU was given, besides the inputs of the network; no gradient is made. */
static void
autograd_keeps_the_graph_of_a_prediction(void **state)
{
    struct memmodel_job job = sgd_job();
    memmodel_trace *trace;

    job.mode = 2;
    trace = run(*state, network_of(*state, 1, true, false), &job);
    assert_true(held(trace, trace->event_count - 1, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS) >= 3 * INNER_BYTES);
    assert_int_equal(held(trace, trace->event_count - 1, MEMMODEL_CATEGORY_GRADIENTS), 0);
    memmodel_trace_unref(trace);
}

/* relu's result, [8, 16] as x, is named when the other layer has run, and still there at the end. */
static void
what_is_returned_is_held_from_where_its_name_is_bound(void **state)
{
    struct memmodel_job job = sgd_job();
    memmodel_network *net;
    memmodel_tensor x, y;
    memmodel_trace *trace;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){BATCH, 16});
    y = memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
    memmodel_network_activation(net, y, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_TANH));
    memmodel_network_mark_output(net, y);
    memmodel_network_end_lifetime(net, y);
    job.mode = 1;
    trace = run(*state, net, &job);
    assert_int_equal(trace->events[trace->event_count - 1].live, 2 * 4 * BATCH * 16);
    memmodel_trace_unref(trace);
}

/* torch.nn.AdaptiveAvgPool3d((2, 1, 1)) of [8, 3, 4, 4, 4]: [8, 3, 2, 1, 1]. */
static void
an_adaptive_mean_of_two_rows_has_two_rows(void **state)
{
    struct memmodel_job job = sgd_job();
    memmodel_network *net;
    memmodel_trace *trace;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 5, (int64_t[]){BATCH, 3, 4, 4, 4});
    memmodel_network_adaptive_pool(net, x,
                                   MEMMODEL_ADAPTIVE_POOL(.output_size = {2, 1, 1}, .kind = MEMMODEL_POOL_AVERAGE));
    job.mode = 1;
    trace = run(*state, net, &job);
    assert_int_equal(count_allocations(trace, MEMMODEL_PHASE_FORWARD, "", 4 * BATCH * 3 * 2), 1);
    memmodel_trace_unref(trace);
}

/* ---- checkpoints ---- */

/* Of relu's result (1,024 bytes) and GELU's operand (1,024) nothing is left, but for the state of the generator. */
static void
the_inside_of_a_checkpoint_is_not_kept(void **state)
{
    memmodel_trace *plain = run_checkpointed(*state, network_of(*state, 1, true, false), "");
    memmodel_trace *trace = run_checkpointed(*state, network_of(*state, 1, true, false), "body.0");

    for (int step = 1; step <= 3; step++)
        assert_int_equal(live_after_forward(trace, step),
                         live_after_forward(plain, step) - 2 * INNER_BYTES + RANDOM_STATE_BYTES);
    memmodel_trace_unref(plain);
    memmodel_trace_unref(trace);
}

/* What the second block is given is its predecessor's result, which nothing else needs. */
static void
the_inputs_of_a_checkpoint_are_kept(void **state)
{
    memmodel_trace *plain = run_checkpointed(*state, network_of(*state, 2, true, false), "");
    memmodel_trace *trace = run_checkpointed(*state, network_of(*state, 2, true, false), "body.*");

    assert_int_equal(live_after_forward(trace, 1),
                     live_after_forward(plain, 1) - 4 * INNER_BYTES + 2 * RANDOM_STATE_BYTES);
    memmodel_trace_unref(plain);
    memmodel_trace_unref(trace);
}

/* Allocations of a layer in the backward pass that a checkpoint adds, but for the state of the generator. */
static int
recomputed(memmodel_context *context, bool gelu, const char *layer)
{
    memmodel_trace *plain = run_checkpointed(context, network_of(context, 1, gelu, false), "");
    memmodel_trace *trace = run_checkpointed(context, network_of(context, 1, gelu, false), "body.0");
    int count = count_allocations(trace, MEMMODEL_PHASE_BACKWARD, layer, 0) -
                count_allocations(trace, MEMMODEL_PHASE_BACKWARD, layer, RANDOM_STATE_BYTES) -
                count_allocations(plain, MEMMODEL_PHASE_BACKWARD, layer, 0);

    assert_true(count_allocations(plain, MEMMODEL_PHASE_FORWARD, layer, 0) > 0);
    memmodel_trace_unref(plain);
    memmodel_trace_unref(trace);
    return count;
}

/* GELU keeps its operand, which the second linear makes; a linear keeps its own operand, and its result is not needed. */
static void
computing_again_stops_at_the_last_tensor_that_is_needed(void **state)
{
    assert_int_equal(recomputed(*state, true, "body.0.linear_2"), 1);
    assert_int_equal(recomputed(*state, true, "body.0.activation_2"), 0);
    assert_int_equal(recomputed(*state, false, "body.0.linear_1"), 1);
    assert_int_equal(recomputed(*state, false, "body.0.linear_2"), 0);
}

/* Whatever is checkpointed: what the forward pass leaves is at most the generator's states more, and gradients and names
   are the same in the end. */
static void
checkpoints_keep_no_more_than_the_states_of_generators(void **state)
{
    static const struct {
        const char *checkpoint;
        int segments;
    } cases[] = {{"body.*", 4}, {"body.0", 1}, {"body.1, body.3", 2}, {"*", 4}, {"body.?.linear_2", 0}};
    memmodel_trace *plain = run_checkpointed(*state, network_of(*state, 4, true, false), "");

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memmodel_trace *trace = run_checkpointed(*state, network_of(*state, 4, true, false), cases[i].checkpoint);

        if (cases[i].segments > 0)
            assert_true(live_after_forward(trace, 2) <=
                        live_after_forward(plain, 2) + cases[i].segments * RANDOM_STATE_BYTES);
        assert_int_equal(live_before_step(trace, 2), live_before_step(plain, 2));
        assert_int_equal(live_before_step(trace, 3), live_before_step(plain, 3));
        memmodel_trace_unref(trace);
    }
    memmodel_trace_unref(plain);
}

/* The outer scope is one call of checkpoint(): one state of the generator, not two. */
static void
of_scopes_in_one_another_the_outermost_counts(void **state)
{
    memmodel_network *net;
    memmodel_trace *trace;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    memmodel_network_push_scope(net, "outer");
    block(net, "inner", memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){BATCH, 16}), true,
          false);
    memmodel_network_pop_scope(net);
    trace = run_checkpointed(*state, net, "outer.inner,outer");
    assert_int_equal(count_allocations(trace, MEMMODEL_PHASE_FORWARD, "", RANDOM_STATE_BYTES), 1);
    assert_int_equal(count_allocations(trace, MEMMODEL_PHASE_BACKWARD, "", RANDOM_STATE_BYTES), 1);
    memmodel_trace_unref(trace);
}

static void
a_frozen_block_has_nothing_to_compute_again(void **state)
{
    memmodel_network *net;
    memmodel_tensor x, weight;
    memmodel_trace *trace;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){BATCH, 16});
    weight = memmodel_network_parameter(net, "frozen", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){16, 32}, 0);
    memmodel_network_push_scope(net, "body");
    x = memmodel_network_matmul(net, x, weight, MEMMODEL_MATMUL(.name = "product"));
    memmodel_network_pop_scope(net);
    cross_entropy(net, x);
    assert_int_equal(memmodel_network_status(net), 0);
    trace = run_checkpointed(*state, net, "body");
    assert_int_equal(count_allocations(trace, MEMMODEL_PHASE_FORWARD, "", RANDOM_STATE_BYTES), 1);
    assert_int_equal(count_allocations(trace, MEMMODEL_PHASE_BACKWARD, "", RANDOM_STATE_BYTES), 0);
    assert_int_equal(count_allocations(trace, MEMMODEL_PHASE_BACKWARD, "body.product", 0), 0);
    memmodel_trace_unref(trace);
}

static void
a_scope_may_say_itself_that_it_is_checkpointed(void **state)
{
    memmodel_network *marked = network_of(*state, 2, true, true), *read;
    memmodel_trace *named = run_checkpointed(*state, network_of(*state, 2, true, false), "body.*"), *trace;
    char *json;

    assert_int_equal(memmodel_network_to_json(marked, NULL, &json), 0);
    assert_int_equal(memmodel_network_from_json(*state, "text", json, strlen(json), &read), 0);
    memmodel_free(json);
    trace = run_checkpointed(*state, marked, "");
    assert_same_traces(trace, named);
    memmodel_trace_unref(trace);
    trace = run_checkpointed(*state, read, NULL);
    assert_same_traces(trace, named);
    memmodel_trace_unref(trace);
    memmodel_trace_unref(named);
}

static void
a_checkpoint_needs_a_scope(void **state)
{
    memmodel_network *net;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    assert_error(*state, memmodel_network_checkpoint_scope(net, MEMMODEL_CHECKPOINT_NON_REENTRANT),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "no scope");
    memmodel_network_unref(net);
}

static void
a_name_that_no_scope_has_is_reported(void **state)
{
    static const struct {
        const char *checkpoint, *wrong;
    } cases[] = {{"body", "\"body\""}, {"body.*, head.*", "\"head.*\""}, {"body.1?", "\"body.1?\""}};
    memmodel_network *net = network_of(*state, 2, true, false);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct memmodel_job job = sgd_job();
        memmodel_report *report;

        job.checkpoint = cases[i].checkpoint;
        assert_error(*state, memmodel_estimate(net, &job, NULL, &report), MEMMODEL_ERROR_INVALID_ARGUMENT,
                     cases[i].wrong);
    }
    memmodel_network_unref(net);
}

/* ---- checkpoints with use_reentrant=True ---- */

/* What a category holds when the optimizer begins. */
static int64_t
held_after_backward(const memmodel_trace *trace, int step, enum memmodel_category category)
{
    return held(trace, first_event(trace, step, MEMMODEL_PHASE_OPTIMIZER) - 1, category);
}

static void
a_reentrant_checkpoint_keeps_as_much_as_the_other(void **state)
{
    memmodel_trace *other = run_checkpointed(*state, network_of(*state, 2, true, false), "body.1");
    memmodel_trace *trace = run_checkpointed(*state, network_of(*state, 2, true, false), "body.1(use_reentrant=True)");

    assert_int_equal(live_after_forward(trace, 1), live_after_forward(other, 1));
    assert_int_equal(held_after_backward(trace, 1, MEMMODEL_CATEGORY_GRADIENTS),
                     held_after_backward(other, 1, MEMMODEL_CATEGORY_GRADIENTS));
    memmodel_trace_unref(other);
    memmodel_trace_unref(trace);
}

/* The state belongs to the node of the call, which is there until the loss is made anew. */
static void
the_random_state_of_a_reentrant_checkpoint_lives_as_long_as_the_loss(void **state)
{
    memmodel_trace *other = run_checkpointed(*state, network_of(*state, 2, true, false), "body.1");
    memmodel_trace *trace = run_checkpointed(*state, network_of(*state, 2, true, false), "body.1(use_reentrant=True)");

    assert_int_equal(held_after_backward(trace, 2, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS),
                     held_after_backward(other, 2, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS) + RANDOM_STATE_BYTES);
    memmodel_trace_unref(other);
    memmodel_trace_unref(trace);
}

/* "None of the inputs have requires_grad=True. Gradients will be None": only the last linear has any. */
static void
a_reentrant_checkpoint_of_the_data_alone_trains_nothing(void **state)
{
    memmodel_trace *trace = run_checkpointed(*state, network_of(*state, 1, true, false), "body.0(use_reentrant=True)");

    assert_int_equal(held_after_backward(trace, 1, MEMMODEL_CATEGORY_GRADIENTS), 4 * (32 * 4 + 4));
    assert_int_equal(held_after_backward(trace, 1, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS), 0);
    memmodel_trace_unref(trace);
}

static void
a_scope_may_say_that_its_checkpoint_is_reentrant(void **state)
{
    memmodel_trace *named = run_checkpointed(*state, network_of(*state, 1, true, false), "body.0(use_reentrant=True)");
    memmodel_network *net, *read;
    memmodel_tensor x;
    memmodel_trace *trace;
    char *json;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    assert_error(*state, memmodel_network_checkpoint_scope(net, MEMMODEL_CHECKPOINT_REENTRANT),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "no scope");
    memmodel_network_unref(net);
    assert_int_equal(memmodel_network_new(*state, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){BATCH, 16});
    memmodel_network_push_scope(net, "body.0");
    assert_int_equal(memmodel_network_checkpoint_scope(net, MEMMODEL_CHECKPOINT_REENTRANT), 0);
    x = memmodel_network_activation(net, linear(net, x, 32), MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
    x = memmodel_network_activation(net, linear(net, x, 32), MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_GELU));
    memmodel_network_pop_scope(net);
    cross_entropy(net, x);
    assert_int_equal(memmodel_network_to_json(net, NULL, &json), 0);
    memmodel_network_unref(net);
    assert_int_equal(memmodel_network_from_json(*state, "text", json, strlen(json), &read), 0);
    memmodel_free(json);
    trace = run_checkpointed(*state, read, "");
    assert_same_traces(trace, named);
    memmodel_trace_unref(trace);
    memmodel_trace_unref(named);
}

static void
predictions_take_no_notice_of_checkpoints(void **state)
{
    struct memmodel_job job = sgd_job(), checkpointed = sgd_job();
    memmodel_trace *plain, *trace;

    job.mode = checkpointed.mode = 1;
    checkpointed.checkpoint = "body.*";
    plain = run(*state, network_of(*state, 2, true, false), &job);
    trace = run(*state, network_of(*state, 2, true, false), &checkpointed);
    assert_same_traces(plain, trace);
    memmodel_trace_unref(plain);
    memmodel_trace_unref(trace);
}

/* ---- memory that runs out ---- */

static int
estimate_with_all_options(memmodel_context *context)
{
    struct memmodel_job job = sgd_job();
    memmodel_network *net;
    memmodel_report *report = NULL;
    memmodel_tensor x;
    int status = memmodel_network_new(context, &net);

    if (status)
        return status;
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){BATCH, 16});
    x = block(net, "body.2", block(net, "body.1", block(net, "body.0", x, true, true), true, false), true, false);
    cross_entropy(net, x);
    job.checkpoint = "body.1, body.2(use_reentrant=True)";
    job.gradient_accumulation = 2;
    job.keep_gradients = 1;
    job.optimizer = "adafactor(foreach, maximize)";
    status = memmodel_estimate(net, &job, NULL, &report);
    memmodel_report_unref(report);
    memmodel_network_unref(net);
    return status;
}

static void
estimating_survives_failing_allocations(void **state)
{
    (void)state;
    assert_survives_failing_allocations(estimate_with_all_options);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(one_batch_is_a_step),
        WITH_CONTEXT(gradients_of_several_batches_are_added_in_place),
        WITH_CONTEXT(what_is_not_modelled_counts_once_for_several_batches),
        WITH_CONTEXT(gradients_of_a_thousand_batches_are_added_and_not_of_more),
        WITH_CONTEXT(kept_gradients_are_there_between_steps),
        WITH_CONTEXT(accumulating_is_keeping_gradients_between_batches),
        WITH_CONTEXT(autograd_keeps_the_graph_of_a_prediction),
        WITH_CONTEXT(what_is_returned_is_held_from_where_its_name_is_bound),
        WITH_CONTEXT(an_adaptive_mean_of_two_rows_has_two_rows),
        WITH_CONTEXT(the_inside_of_a_checkpoint_is_not_kept),
        WITH_CONTEXT(the_inputs_of_a_checkpoint_are_kept),
        WITH_CONTEXT(computing_again_stops_at_the_last_tensor_that_is_needed),
        WITH_CONTEXT(checkpoints_keep_no_more_than_the_states_of_generators),
        WITH_CONTEXT(of_scopes_in_one_another_the_outermost_counts),
        WITH_CONTEXT(a_frozen_block_has_nothing_to_compute_again),
        WITH_CONTEXT(a_scope_may_say_itself_that_it_is_checkpointed),
        WITH_CONTEXT(a_checkpoint_needs_a_scope),
        WITH_CONTEXT(a_name_that_no_scope_has_is_reported),
        WITH_CONTEXT(a_reentrant_checkpoint_keeps_as_much_as_the_other),
        WITH_CONTEXT(the_random_state_of_a_reentrant_checkpoint_lives_as_long_as_the_loss),
        WITH_CONTEXT(a_reentrant_checkpoint_of_the_data_alone_trains_nothing),
        WITH_CONTEXT(a_scope_may_say_that_its_checkpoint_is_reentrant),
        WITH_CONTEXT(predictions_take_no_notice_of_checkpoints),
        WITH_CONTEXT(estimating_survives_failing_allocations),
    };

    return cmocka_run_group_tests_name("pytorch loop", tests, NULL, NULL);
}
