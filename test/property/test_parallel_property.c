/* Laws of ranks that train together, on random networks of blocks with residuals. */
#include "random_expression.h"

enum { NETWORKS = 60, MAX_BLOCKS = 4, MAX_RANKS = 5 };

static memmodel_tensor
add_block(memmodel_network *net, memmodel_tensor x, int64_t width, uint64_t *random)
{
    memmodel_tensor y = x;

    if (random_between(random, 0, 1))
        y = memmodel_network_layer_norm(net, y, NULL);
    y = memmodel_network_linear(net, y, MEMMODEL_LINEAR(.units = random_between(random, 1, 40)));
    y = memmodel_network_activation(net, y, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
    y = memmodel_network_linear(net, y, MEMMODEL_LINEAR(.units = width));
    return random_between(random, 0, 1) ? memmodel_network_binary(net, x, y, NULL) : y;
}

static memmodel_network *
random_network(memmodel_context *context, uint64_t *random)
{
    int64_t batch = random_between(random, 1, 8), width = random_between(random, 1, 30),
            blocks = random_between(random, 2, MAX_BLOCKS);
    memmodel_network *net;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){batch, width});
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = width));
    for (int64_t i = 0; i < blocks; i++) {
        char name[16];

        snprintf(name, sizeof name, "block%d", (int)i);
        memmodel_network_push_scope(net, name);
        x = add_block(net, x, width, random);
        memmodel_network_pop_scope(net);
    }
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = random_between(random, 1, 10)));
    memmodel_network_reduce(net, x, MEMMODEL_REDUCE(.kind = MEMMODEL_REDUCE_SUM));
    if (memmodel_network_status(net))
        fail_msg("%s", memmodel_context_error(context)->message);
    return net;
}

/* A random network, and how many ranks train it by which optimizer. */
struct training {
    memmodel_network *network;
    const char *optimizer;
    char mesh[16];
    int64_t ranks;
};

static memmodel_report *
report_of(memmodel_context *context, const struct training *training, const char *mesh, const char *data, int64_t rank)
{
    const struct memmodel_parallel parallel = {
        .size = sizeof parallel, .mesh = mesh, .data = data, .backend = "nccl", .rank = rank};
    const struct memmodel_job job = {.size = sizeof job,
                                     .optimizer = training->optimizer,
                                     .metric = MEMMODEL_METRIC_LIVE,
                                     .parallel = mesh ? &parallel : NULL};
    memmodel_report *report;

    if (memmodel_estimate(training->network, &job, context, &report))
        fail_msg("%s: %s", memmodel_context_error(context)->object, memmodel_context_error(context)->message);
    return report;
}

static int64_t
peak_of(memmodel_context *context, const struct training *training, const char *data)
{
    memmodel_report *report = report_of(context, training, training->mesh, data, 0);
    struct memmodel_report_result result = {.size = sizeof result};

    memmodel_report_get_result(report, &result);
    memmodel_report_unref(report);
    return result.live;
}

static void
for_each_training(memmodel_context *context, void (*law)(memmodel_context *context, const struct training *training))
{
    static const char *const optimizers[] = {"sgd", "momentum", "adam", "adagrad"};
    uint64_t random = 20261126;

    for (int i = 0; i < NETWORKS; i++) {
        struct training training = {
            .network = random_network(context, &random),
            .optimizer = optimizers[random_between(&random, 0, 3)],
            .ranks = random_between(&random, 2, MAX_RANKS),
        };

        snprintf(training.mesh, sizeof training.mesh, "dp=%d", (int)training.ranks);
        law(context, &training);
        memmodel_network_unref(training.network);
    }
}

/* Drops both. */
static void
assert_same_events(memmodel_report *a, memmodel_report *b)
{
    const memmodel_trace *first = memmodel_report_trace(a), *second = memmodel_report_trace(b);

    assert_int_equal(memmodel_trace_event_count(first), memmodel_trace_event_count(second));
    for (size_t i = 0; i < memmodel_trace_event_count(first); i++) {
        struct memmodel_trace_event x = {.size = sizeof x}, y = {.size = sizeof y};

        memmodel_trace_get_event(first, i, &x);
        memmodel_trace_get_event(second, i, &y);
        assert_int_equal(x.bytes, y.bytes);
    }
    memmodel_report_unref(a);
    memmodel_report_unref(b);
}

static void
one_rank_is_alone(memmodel_context *context, const struct training *training)
{
    static const char *const strategies[] = {"ddp", "zero1", "fsdp(*)"};

    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++)
        assert_same_events(report_of(context, training, "dp=1", strategies[i], 0),
                           report_of(context, training, NULL, NULL, 0));
}

static void
a_mesh_of_one_rank_is_no_mesh(void **state)
{
    for_each_training(*state, one_rank_is_alone);
}

static void
views_take_no_more(memmodel_context *context, const struct training *training)
{
    assert_true(peak_of(context, training, "ddp(gradient_as_bucket_view=True)") <= peak_of(context, training, "ddp"));
}

static void
gradients_that_are_views_of_buckets_take_no_more(void **state)
{
    for_each_training(*state, views_take_no_more);
}

static void
whole_takes_no_less(memmodel_context *context, const struct training *training)
{
    assert_true(peak_of(context, training, "fsdp") >= peak_of(context, training, "fsdp(block*)"));
}

static void
a_module_sharded_as_a_whole_takes_no_less_than_by_blocks(void **state)
{
    for_each_training(*state, whole_takes_no_less);
}

static void
class_is_alike(memmodel_context *context, const struct training *training)
{
    struct memmodel_rank_class ranks = {.size = sizeof ranks};
    int64_t count = 0;

    for (; ranks.next_rank >= 0; count += ranks.rank_count) {
        const struct memmodel_parallel parallel = {
            .size = sizeof parallel, .mesh = training->mesh, .data = "fsdp(block*)", .rank = ranks.next_rank};
        const struct memmodel_job job = {.size = sizeof job, .parallel = &parallel};

        assert_int_equal(memmodel_estimate_rank_class(training->network, &job, context, &ranks), 0);
        assert_same_events(
            report_of(context, training, training->mesh, parallel.data, ranks.first_rank),
            report_of(context, training, training->mesh, parallel.data, ranks.first_rank + ranks.rank_count - 1));
    }
    assert_int_equal(count, training->ranks);
}

static void
ranks_of_a_class_give_equal_traces(void **state)
{
    for_each_training(*state, class_is_alike);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_mesh_of_one_rank_is_no_mesh),
        WITH_CONTEXT(gradients_that_are_views_of_buckets_take_no_more),
        WITH_CONTEXT(a_module_sharded_as_a_whole_takes_no_less_than_by_blocks),
        WITH_CONTEXT(ranks_of_a_class_give_equal_traces),
    };

    return cmocka_run_group_tests_name("laws of ranks that train together", tests, NULL, NULL);
}
