/* Limits of a context, the account of its memory, and the flag that ends its calls. */
#include "check.h"

#include "base/context.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

static void
set_limits(memmodel_context *context, struct memmodel_limits limits)
{
    limits.size = sizeof limits;
    assert_int_equal(memmodel_context_set_limits(context, &limits), 0);
}

static int64_t
memory_used(const memmodel_context *context)
{
    int64_t used = -1;

    memmodel_context_memory(context, &used, NULL);
    return used;
}

/* ---- memory ---- */

static void
blocks_are_on_the_account_until_they_are_released(void **state)
{
    int64_t used, peak;
    void *first, *second;

    memmodel_context_memory(*state, &used, &peak);
    assert_int_equal(used, 0);
    assert_int_equal(peak, 0);
    first = memory_allocate(*state, 1000);
    second = memory_allocate(*state, 3000);
    memmodel_context_memory(*state, &used, &peak);
    assert_in_range(used, 4000, 4100);
    assert_int_equal(peak, used);
    first = memory_reallocate(*state, first, 2000);
    assert_in_range(memory_used(*state), 5000, 5100);
    memory_release(*state, first);
    memory_release(*state, second);
    memory_release(*state, NULL);
    memmodel_context_memory(*state, &used, &peak);
    assert_int_equal(used, 0);
    assert_in_range(peak, 6000, 6100); /* while a block moves there are two */
}

static void
blocks_are_aligned_for_every_type(void **state)
{
    for (size_t bytes = 0; bytes < 40; bytes++) {
        void *block = memory_allocate(*state, bytes);

        assert_int_equal((uintptr_t)block % _Alignof(max_align_t), 0);
        memory_release(*state, block);
    }
}

static void
memory_beyond_the_limit_is_refused_by_name(void **state)
{
    void *block;

    set_limits(*state, (struct memmodel_limits){.memory_bytes = 10000});
    assert_null(memory_allocate(*state, 10000));
    assert_error(*state, memmodel_context_error(*state)->status, MEMMODEL_ERROR_LIMIT, "memory_bytes");
    assert_non_null(strstr(memmodel_context_error(*state)->message, "memmodel_context_set_limits()"));
    block = memory_allocate(*state, 6000);
    assert_non_null(block);
    assert_null(memory_reallocate(*state, block, 9000)); /* both at once are too many */
    assert_int_equal(memmodel_context_error(*state)->status, MEMMODEL_ERROR_LIMIT);
    assert_null(memory_allocate(*state, SIZE_MAX - 4));
    assert_int_equal(memmodel_context_error(*state)->status, MEMMODEL_ERROR_NO_MEMORY);
    memory_release(*state, block);
    assert_int_equal(memory_used(*state), 0);
}

/* ---- setting them ---- */

static void
limits_below_zero_are_refused_and_change_nothing(void **state)
{
    static const struct {
        struct memmodel_limits limits;
        const char *field;
    } wrong[] = {
        {{.size = sizeof wrong->limits, .memory_bytes = -1}, "memory_bytes"},
        {{.size = sizeof wrong->limits, .input_bytes = -1}, "input_bytes"},
        {{.size = sizeof wrong->limits, .nodes = INT64_MIN}, "nodes"},
        {{.size = sizeof wrong->limits, .layers = -1}, "layers"},
        {{.size = sizeof wrong->limits, .seconds = -0.5}, "seconds"},
        {{.size = sizeof wrong->limits, .seconds = NAN}, "seconds"},
    };

    set_limits(*state, (struct memmodel_limits){.memory_bytes = 50});
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_error(*state, memmodel_context_set_limits(*state, &wrong[i].limits), MEMMODEL_ERROR_INVALID_ARGUMENT,
                     wrong[i].field);
    assert_int_equal(memmodel_context_set_limits(NULL, NULL), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_null(memory_allocate(*state, 100));
    assert_int_equal(memmodel_context_set_limits(*state, NULL), 0);
    memory_release(*state, memory_allocate(*state, 100));
    assert_int_equal(memmodel_context_error(*state)->status, MEMMODEL_ERROR_LIMIT); /* the one before */
}

/* ---- work, time, and the flag ---- */

static int
loop(memmodel_context *context, int64_t times)
{
    int status = context_begin(context);

    for (int64_t i = 0; i < times && !status; i++)
        status = context_check(context, 1);
    return context_end(context, status);
}

static void
work_is_counted_exactly_and_anew_in_each_call(void **state)
{
    for (int64_t nodes = 1; nodes < 5000; nodes += 617) {
        set_limits(*state, (struct memmodel_limits){.nodes = nodes});
        assert_int_equal(loop(*state, nodes), 0);
        assert_error(*state, loop(*state, nodes + 1), MEMMODEL_ERROR_LIMIT, "nodes");
        assert_int_equal(loop(*state, nodes), 0);
    }
}

static void
calls_within_a_call_share_its_work(void **state)
{
    set_limits(*state, (struct memmodel_limits){.nodes = 5000});
    assert_int_equal(context_begin(*state), 0);
    assert_int_equal(loop(*state, 3000), 0);
    assert_int_equal(loop(*state, 3000), MEMMODEL_ERROR_LIMIT);
    assert_int_equal(context_check(*state, 1), MEMMODEL_ERROR_LIMIT); /* and it does not go on */
    assert_int_equal(context_end(*state, MEMMODEL_ERROR_LIMIT), MEMMODEL_ERROR_LIMIT);
    assert_int_equal(loop(*state, 3000), 0);
}

static void
no_amount_of_work_overflows_the_count(void **state)
{
    set_limits(*state, (struct memmodel_limits){.nodes = INT64_MAX});
    assert_int_equal(context_begin(*state), 0);
    assert_int_equal(context_check(*state, INT64_MAX), 0);
    assert_int_equal(context_check(*state, INT64_MAX), 0);
    assert_int_equal(context_end(*state, 0), 0);
    set_limits(*state, (struct memmodel_limits){.nodes = INT64_MAX - 1});
    assert_int_equal(context_begin(*state), 0);
    assert_int_equal(context_check(*state, INT64_MAX), MEMMODEL_ERROR_LIMIT);
    assert_int_equal(context_end(*state, 0), 0);
}

static void
a_call_ends_when_its_time_is_over(void **state)
{
    set_limits(*state, (struct memmodel_limits){.seconds = 1e-3});
    assert_error(*state, loop(*state, INT64_MAX), MEMMODEL_ERROR_LIMIT, "seconds");
    set_limits(*state, (struct memmodel_limits){.seconds = (double)INFINITY});
    assert_int_equal(loop(*state, 100000), 0);
}

static void
cancelling_ends_the_next_call_and_only_that(void **state)
{
    memmodel_context_cancel(NULL);
    memmodel_context_cancel(*state);
    assert_error(*state, loop(*state, 0), MEMMODEL_ERROR_CANCELLED, "memmodel_context_cancel()");
    assert_int_equal(loop(*state, 10), 0);
}

static void
cancelling_ends_the_call_that_runs(void **state)
{
    int status = context_begin(*state);
    int64_t times;

    assert_int_equal(status, 0);
    assert_int_equal(context_check(*state, 1), 0);
    memmodel_context_cancel(*state);
    assert_true(context_must_stop(*state));
    for (times = 0; !status && times < 100000; times++)
        status = context_check(*state, 1);
    assert_int_equal(status, MEMMODEL_ERROR_CANCELLED);
    assert_int_equal(context_end(*state, status), MEMMODEL_ERROR_CANCELLED);
    assert_int_equal(loop(*state, 10), 0);
}

static void
a_search_that_ends_with_its_answer_is_the_call_that_was_cancelled(void **state)
{
    assert_int_equal(context_begin(*state), 0);
    memmodel_context_cancel(*state);
    assert_true(context_must_stop(*state) && context_stop_status(*state) == MEMMODEL_SEARCH_STATUS_CANCELLED);
    assert_int_equal(context_end(*state, 0), 0);
    assert_int_equal(loop(*state, 10), 0);
}

/* Twice is as good as once. */
static void
cancelling_a_call_that_does_not_look_again_ends_the_next(void **state)
{
    assert_int_equal(context_begin(*state), 0);
    memmodel_context_cancel(*state);
    memmodel_context_cancel(*state);
    assert_int_equal(context_end(*state, 0), 0);
    assert_int_equal(loop(*state, 0), MEMMODEL_ERROR_CANCELLED);
    assert_int_equal(loop(*state, 10), 0);
}

static void
what_is_no_bounded_call_is_neither_counted_nor_ended(void **state)
{
    set_limits(*state, (struct memmodel_limits){.nodes = 10});
    memmodel_context_cancel(*state);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(context_check(*state, 1), 0);
    assert_int_equal(loop(*state, 1), MEMMODEL_ERROR_CANCELLED);
}

/* ---- the library's calls ---- */

/* Two linear layers: some dozens of events a step. */
static memmodel_network *
two_layers(memmodel_context *context)
{
    memmodel_network *network;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(context, &network), 0);
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2,
                               (memmodel_dim[]){memmodel_network_symbol(network, "batch"), 64});
    x = memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 64));
    x = memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 8));
    assert_int_equal(memmodel_network_status(network), 0);
    return network;
}

/* Of a thousand steps; the job's context is the network's. */
static int
estimate_long(memmodel_network *network)
{
    const struct memmodel_symbol_value batch = {.name = "batch", .value = 16};
    const struct memmodel_job job = {.size = sizeof job, .steps = 1000, .symbols = &batch, .symbol_count = 1};
    memmodel_report *report = NULL;
    int status = memmodel_estimate(network, &job, NULL, &report);

    memmodel_report_unref(report);
    return status;
}

static void
an_estimate_ends_at_each_limit_and_leaves_nothing_behind(void **state)
{
    memmodel_network *network = two_layers(*state);
    int64_t before;

    assert_int_equal(estimate_long(network), 0);
    before = memory_used(*state);
    set_limits(*state, (struct memmodel_limits){.nodes = 1000});
    assert_error(*state, estimate_long(network), MEMMODEL_ERROR_LIMIT, "nodes");
    set_limits(*state, (struct memmodel_limits){.seconds = 1e-9});
    assert_error(*state, estimate_long(network), MEMMODEL_ERROR_LIMIT, "seconds");
    set_limits(*state, (struct memmodel_limits){.memory_bytes = before + 100000});
    assert_error(*state, estimate_long(network), MEMMODEL_ERROR_LIMIT, "memory_bytes");
    assert_int_equal(memory_used(*state), before);
    set_limits(*state, (struct memmodel_limits){0});
    memmodel_context_cancel(*state);
    assert_error(*state, estimate_long(network), MEMMODEL_ERROR_CANCELLED, "memmodel_context_cancel()");
    assert_int_equal(estimate_long(network), 0);
    assert_int_equal(memory_used(*state), before);
    memmodel_network_unref(network);
    assert_int_equal(memory_used(*state), 0);
}

/* ---- loops over all that there is ---- */

enum { LAYERS = 400 };

static memmodel_network *
many_layers(memmodel_context *context)
{
    memmodel_network *network;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(context, &network), 0);
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){2, 8});
    for (int i = 0; i < LAYERS; i++)
        x = memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 8));
    assert_int_equal(memmodel_network_status(network), 0);
    return network;
}

/* Each layer that is written is work: with less than one node for it there is no text. */
static void
what_is_written_of_each_layer_is_work(void **state)
{
    int (*const writers[])(const memmodel_report *, memmodel_context *, char **) = {memmodel_report_to_json,
                                                                                    memmodel_report_to_html};
    memmodel_network *network = many_layers(*state);
    struct memmodel_job job = {.size = sizeof job};
    memmodel_report *report;
    char *text;

    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        set_limits(*state, (struct memmodel_limits){.nodes = LAYERS / 2});
        assert_error(*state, writers[i](report, *state, &text), MEMMODEL_ERROR_LIMIT, "nodes");
        set_limits(*state, (struct memmodel_limits){0});
        assert_int_equal(writers[i](report, *state, &text), 0);
        memmodel_free(text);
    }
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

/* ---- short calls, which only take memory ---- */

static int
make_samples(memmodel_context *context)
{
    memmodel_samples *samples;
    int status = memmodel_samples_new(context, (const char *const[]){"batch", "bytes"}, 2, &samples);

    if (status)
        return status;
    for (int i = 0; i < 20 && !status; i++)
        status = memmodel_samples_add_row(samples, (double[]){i + 1, 100 * i + 7});
    memmodel_samples_unref(samples);
    return status;
}

static int
make_plan(memmodel_context *context)
{
    memmodel_plan *plan;
    int status = memmodel_plan_new(context, &plan);

    if (status)
        return status;
    for (size_t i = 0; i < 20 && !status; i++) {
        status = memmodel_plan_add_buffer(
            plan, &(struct memmodel_plan_buffer){
                      .size = sizeof(struct memmodel_plan_buffer), .name = "buffer", .bytes = 8, .upper = 9});
        if (!status)
            status = memmodel_plan_add_gap(plan, i, 3, 4);
    }
    memmodel_plan_unref(plan);
    return status;
}

static int
make_chain(memmodel_context *context)
{
    memmodel_chain *chain;
    int status = memmodel_chain_new(context, 8, &chain);

    if (status)
        return status;
    for (int i = 0; i < 20 && !status; i++)
        status =
            memmodel_chain_add_block(chain, &(struct memmodel_chain_block){.size = sizeof(struct memmodel_chain_block),
                                                                           .name = "block",
                                                                           .input_bytes = 8,
                                                                           .saved_bytes = 8,
                                                                           .forward_cost = 1,
                                                                           .backward_cost = 1});
    memmodel_chain_unref(chain);
    return status;
}

static int
describe_network(memmodel_network *network)
{
    memmodel_dim rows = memmodel_network_expression(network, "2 * batch + 1");
    char *text;
    int status;

    memmodel_network_push_scope(network, "encoder");
    memmodel_network_mark_output(
        network, memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){rows, 64}));
    status = memmodel_network_status(network);
    if (!status)
        status = memmodel_network_dim_to_text(network, rows, &text);
    if (!status)
        memmodel_free(text);
    return status;
}

static int
make_network(memmodel_context *context)
{
    memmodel_network *network;
    int status = memmodel_network_new(context, &network);

    if (status)
        return status;
    status = describe_network(network);
    memmodel_network_unref(network);
    return status;
}

static int
make_monitor(memmodel_context *context)
{
    memmodel_monitor *monitor;
    int status = memmodel_monitor_new(context, getpid(), NULL, &monitor);

    if (status)
        return status;
    status = memmodel_monitor_read(monitor, NULL);
    memmodel_monitor_unref(monitor);
    return status;
}

static memmodel_model *
fitted_model(memmodel_context *context)
{
    memmodel_samples *samples;
    memmodel_model *model;

    assert_int_equal(memmodel_samples_new(context, (const char *const[]){"batch", "bytes"}, 2, &samples), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(memmodel_samples_add_row(samples, (double[]){i + 1, 100 * i + 7}), 0);
    assert_int_equal(memmodel_fit(samples, NULL, NULL, &model), 0);
    memmodel_samples_unref(samples);
    return model;
}

/* Of a model with a context of its own. */
static memmodel_model *model_to_print;

static int
print_code(memmodel_context *context)
{
    memmodel_function *function;
    char *text;
    int status = memmodel_model_to_code(model_to_print, MEMMODEL_LANGUAGE_LATEX, context, &text);

    if (status)
        return status;
    memmodel_free(text);
    status = memmodel_function_new(context, model_to_print, 0.95, &function);
    if (status == MEMMODEL_ERROR_UNSUPPORTED)
        return 0;
    if (!status)
        memmodel_function_unref(function);
    return status;
}

/* With a limit of 0, 16, ... bytes beyond what is in use, until it is enough; 0 itself is the default. */
static void
assert_ends_at_the_limit_of_memory(memmodel_context *context, int (*work)(memmodel_context *context))
{
    int64_t before = memory_used(context), more = 1;
    int status;

    for (;; more += 16) {
        set_limits(context, (struct memmodel_limits){.memory_bytes = before + more});
        status = work(context);
        assert_int_equal(memory_used(context), before);
        if (!status)
            break;
        assert_error(context, status, MEMMODEL_ERROR_LIMIT, "memory_bytes");
    }
    assert_true(more > 1);
}

static void
short_calls_end_at_the_limit_of_memory_by_name(void **state)
{
    memmodel_context *other;

    assert_int_equal(memmodel_context_new(NULL, &other), 0);
    model_to_print = fitted_model(other);
    assert_ends_at_the_limit_of_memory(*state, make_samples);
    assert_ends_at_the_limit_of_memory(*state, make_plan);
    assert_ends_at_the_limit_of_memory(*state, make_chain);
    assert_ends_at_the_limit_of_memory(*state, make_network);
    assert_ends_at_the_limit_of_memory(*state, make_monitor);
    assert_ends_at_the_limit_of_memory(*state, print_code);
    memmodel_model_unref(model_to_print);
    memmodel_context_unref(other);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        WITH_CONTEXT(blocks_are_on_the_account_until_they_are_released),
        WITH_CONTEXT(blocks_are_aligned_for_every_type),
        WITH_CONTEXT(memory_beyond_the_limit_is_refused_by_name),
        WITH_CONTEXT(limits_below_zero_are_refused_and_change_nothing),
        WITH_CONTEXT(work_is_counted_exactly_and_anew_in_each_call),
        WITH_CONTEXT(calls_within_a_call_share_its_work),
        WITH_CONTEXT(no_amount_of_work_overflows_the_count),
        WITH_CONTEXT(a_call_ends_when_its_time_is_over),
        WITH_CONTEXT(cancelling_ends_the_next_call_and_only_that),
        WITH_CONTEXT(cancelling_ends_the_call_that_runs),
        WITH_CONTEXT(a_search_that_ends_with_its_answer_is_the_call_that_was_cancelled),
        WITH_CONTEXT(cancelling_a_call_that_does_not_look_again_ends_the_next),
        WITH_CONTEXT(what_is_no_bounded_call_is_neither_counted_nor_ended),
        WITH_CONTEXT(an_estimate_ends_at_each_limit_and_leaves_nothing_behind),
        WITH_CONTEXT(what_is_written_of_each_layer_is_work),
        WITH_CONTEXT(short_calls_end_at_the_limit_of_memory_by_name),
    };

    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
