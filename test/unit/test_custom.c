/* Custom operators with a rule: a function of the caller's that says in each query what the operator needs. */
#include "check.h"

#include <pthread.h>

/*
 * An operator on [batch, width] that keeps 3 bytes and computes 2 multiply-adds an element, and takes 5 and 7 bytes
 * each while it runs. Both ways of saying so are of the same numbers.
 */
static int
needs_of_elements(void *user, const struct memmodel_shape *inputs, size_t count,
                  struct memmodel_custom_requirements *needs)
{
    int64_t elements = inputs[0].dims[0] * inputs[0].dims[1];

    (void)count;
    if (user)
        ++*(int *)user;
    needs->saved_bytes = 3 * elements;
    needs->forward_workspace_bytes = 5 * elements;
    needs->backward_workspace_bytes = 7 * elements;
    needs->multiply_adds = 2 * elements;
    return 0;
}

enum { WIDTH = 16 };

/* linear, the operator, linear, loss */
static memmodel_network *
network_with(memmodel_context *context, struct memmodel_custom custom)
{
    memmodel_network *net;
    memmodel_dim batch;
    memmodel_tensor x, classes;
    struct memmodel_shape shape;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    batch = memmodel_network_symbol(net, "batch");
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){batch, 8});
    classes = memmodel_network_input(net, "classes", MEMMODEL_DTYPE_INT64, 1, (memmodel_dim[]){batch});
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = WIDTH));
    shape = (struct memmodel_shape){.dims = {batch, WIDTH}, .rank = 2};
    custom.size = custom.size ? custom.size : sizeof custom;
    custom.name = "scan";
    custom.outputs = &shape;
    custom.output_count = 1;
    if (!custom.callback) {
        custom.saved_bytes = memmodel_network_expression(net, "48 * batch");
        custom.forward_workspace_bytes = memmodel_network_expression(net, "80 * batch");
        custom.backward_workspace_bytes = memmodel_network_expression(net, "112 * batch");
        custom.multiply_adds = memmodel_network_expression(net, "32 * batch");
    }
    x = memmodel_network_custom(net, &x, 1, &custom);
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 4));
    memmodel_network_loss(net, x, classes, NULL);
    assert_int_equal(memmodel_network_status(net), 0);
    return net;
}

static const struct memmodel_symbol_value batch_of_6[] = {{"batch", 6}};

static struct memmodel_job
job_of(const char *framework)
{
    return (struct memmodel_job){
        .size = sizeof(struct memmodel_job), .framework = framework, .symbols = batch_of_6, .symbol_count = 1};
}

static const char *const frameworks[] = {"pytorch", "textbook"};

/* ---- what it is asked, and what becomes of its answer ---- */

static char *
report_json(memmodel_context *context, memmodel_network *net, const char *framework)
{
    struct memmodel_job job = job_of(framework);
    memmodel_report *report;
    char *text;

    if (memmodel_estimate(net, &job, NULL, &report))
        fail_msg("%s", memmodel_context_error(context)->message);
    assert_int_equal(memmodel_report_to_json(report, context, &text), 0);
    memmodel_report_unref(report);
    return text;
}

static void
a_rule_gives_the_report_of_the_same_numbers_declared(void **state)
{
    memmodel_network *declared = network_with(*state, (struct memmodel_custom){0}),
                     *ruled = network_with(*state, (struct memmodel_custom){.callback = needs_of_elements});

    for (size_t i = 0; i < 2; i++) {
        char *one = report_json(*state, declared, frameworks[i]), *other = report_json(*state, ruled, frameworks[i]);

        assert_string_equal(one, other);
        memmodel_free(one);
        memmodel_free(other);
    }
    memmodel_network_unref(declared);
    memmodel_network_unref(ruled);
}

static void
the_layer_table_has_the_multiply_adds_of_the_rule(void **state)
{
    memmodel_network *net = network_with(*state, (struct memmodel_custom){.callback = needs_of_elements});

    for (size_t i = 0; i < 2; i++) {
        struct memmodel_job job = job_of(frameworks[i]);
        struct memmodel_report_layer row = {.size = sizeof row};
        memmodel_report *report;

        assert_int_equal(memmodel_estimate(net, &job, NULL, &report), 0);
        assert_int_equal(memmodel_report_get_layer(report, 3, &row), 0);
        assert_string_equal(row.name, "scan");
        assert_int_equal(row.multiply_adds, 2 * 6 * WIDTH);
        memmodel_report_unref(report);
    }
    memmodel_network_unref(net);
}

static void
solving_finds_what_the_same_numbers_declared_find(void **state)
{
    memmodel_network *declared = network_with(*state, (struct memmodel_custom){0}),
                     *ruled = network_with(*state, (struct memmodel_custom){.callback = needs_of_elements});
    struct memmodel_job job = job_of("pytorch");
    int64_t one = -1, other = -2;

    job.symbol_count = 0;
    job.metric = MEMMODEL_METRIC_LIVE;
    job.budget = 1 << 20;
    assert_int_equal(memmodel_estimate_max(declared, &job, "batch", NULL, &one), 0);
    job.budget = 1 << 20;
    assert_int_equal(memmodel_estimate_max(ruled, &job, "batch", NULL, &other), 0);
    assert_true(one > 0);
    assert_int_equal(one, other);
    memmodel_network_unref(declared);
    memmodel_network_unref(ruled);
}

struct seen {
    size_t count;
    struct memmodel_shape inputs[2];
    struct memmodel_custom_requirements needs;
};

static int
look(void *user, const struct memmodel_shape *inputs, size_t count, struct memmodel_custom_requirements *needs)
{
    struct seen *seen = user;

    seen->count = count;
    memcpy(seen->inputs, inputs, 2 * sizeof *inputs);
    seen->needs = *needs;
    return 0;
}

static void
a_rule_sees_numbers_and_what_is_declared(void **state)
{
    struct seen seen = {0};
    struct memmodel_shape shape = {.rank = 0, .dtype = MEMMODEL_DTYPE_FLOAT32};
    memmodel_report *report;
    memmodel_network *net;
    memmodel_tensor inputs[2];
    memmodel_dim batch;
    struct memmodel_job job = job_of("pytorch");

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    batch = memmodel_network_symbol(net, "batch");
    inputs[0] = memmodel_network_input(net, "a", MEMMODEL_DTYPE_INT64, 1, (memmodel_dim[]){batch});
    inputs[1] = memmodel_network_input(net, "b", MEMMODEL_DTYPE_FLOAT32, 3, (memmodel_dim[]){3, batch, batch});
    memmodel_network_custom(net, inputs, 2,
                            MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .saved_bytes = 11,
                                            .forward_workspace_bytes = memmodel_network_expression(net, "2 * batch"),
                                            .callback = look, .user = &seen));
    assert_int_equal(memmodel_estimate(net, &job, NULL, &report), 0);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.inputs[0].rank, 1);
    assert_int_equal(seen.inputs[0].dtype, MEMMODEL_DTYPE_INT64);
    assert_int_equal(seen.inputs[0].dims[0], 6);
    assert_int_equal(seen.inputs[1].rank, 3);
    assert_int_equal(seen.inputs[1].dtype, MEMMODEL_DTYPE_FLOAT32);
    assert_int_equal(seen.inputs[1].dims[0], 3);
    assert_int_equal(seen.inputs[1].dims[2], 6);
    assert_int_equal(seen.needs.size, sizeof seen.needs);
    assert_int_equal(seen.needs.saved_bytes, 11);
    assert_int_equal(seen.needs.forward_workspace_bytes, 12);
    assert_int_equal(seen.needs.backward_workspace_bytes, 0);
    memmodel_report_unref(report);
    memmodel_network_unref(net);
}

static void
an_estimate_asks_once(void **state)
{
    int calls = 0;
    memmodel_network *net =
        network_with(*state, (struct memmodel_custom){.callback = needs_of_elements, .user = &calls});

    for (size_t i = 0; i < 2; i++) {
        char *text = report_json(*state, net, frameworks[i]);

        memmodel_free(text);
        assert_int_equal(calls, i + 1);
    }
    memmodel_network_unref(net);
}

/* A shorter struct, of a caller from before there were rules: what lies behind it is none of the library's business. */
static void
an_older_caller_has_no_rule(void **state)
{
    int calls = 0;
    struct memmodel_custom older = {
        .size = offsetof(struct memmodel_custom, callback), .callback = needs_of_elements, .user = &calls};
    memmodel_network *net = network_with(*state, older);
    char *text;

    assert_int_equal(memmodel_network_to_json(net, NULL, &text), 0);
    memmodel_free(text);
    memmodel_free(report_json(*state, net, "pytorch"));
    assert_int_equal(calls, 0);
    memmodel_network_unref(net);
}

/* ---- what goes wrong ---- */

struct answer {
    int status;
    int64_t saved;
};

static int
answer(void *user, const struct memmodel_shape *inputs, size_t count, struct memmodel_custom_requirements *needs)
{
    const struct answer *given = user;

    (void)inputs;
    (void)count;
    needs->saved_bytes = given->saved;
    return given->status;
}

static void
what_a_rule_says_wrong_names_the_layer(void **state)
{
    static const struct {
        struct answer answer;
        int status;
        const char *part;
    } wrong[] = {
        {{17, 0}, MEMMODEL_ERROR_CALLBACK, "its rule failed with 17"},
        {{-3, 0}, MEMMODEL_ERROR_CALLBACK, "its rule failed with -3"},
        {{0, -1}, MEMMODEL_ERROR_CALLBACK, "negative"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        for (size_t k = 0; k < 2; k++) {
            struct answer given = wrong[i].answer;
            memmodel_network *net = network_with(*state, (struct memmodel_custom){.callback = answer, .user = &given});
            struct memmodel_job job = job_of(frameworks[k]);
            memmodel_report *report = NULL;
            int64_t largest = -7;

            assert_error(*state, memmodel_estimate(net, &job, NULL, &report), wrong[i].status, wrong[i].part);
            assert_string_equal(memmodel_context_error(*state)->object, "scan");
            assert_null(report);
            job.symbol_count = 0;
            job.budget = 1 << 20;
            assert_error(*state, memmodel_estimate_max(net, &job, "batch", NULL, &largest), wrong[i].status,
                         wrong[i].part);
            assert_int_equal(largest, -7);
            memmodel_network_unref(net);
        }
}

static void
bytes_beyond_63_bits_overflow_and_fit_nowhere(void **state)
{
    struct answer given = {.saved = INT64_MAX};
    memmodel_network *net = network_with(*state, (struct memmodel_custom){.callback = answer, .user = &given});
    struct memmodel_job job = job_of("pytorch");
    memmodel_report *report = NULL;
    int64_t largest = -7;

    assert_error(*state, memmodel_estimate(net, &job, NULL, &report), MEMMODEL_ERROR_OVERFLOW, "");
    job.symbol_count = 0;
    job.budget = 1 << 20;
    assert_int_equal(memmodel_estimate_max(net, &job, "batch", NULL, &largest), 0);
    assert_int_equal(largest, 0);
    memmodel_network_unref(net);
}

static void
a_network_with_a_rule_is_not_written(void **state)
{
    memmodel_network *net = network_with(*state, (struct memmodel_custom){.callback = needs_of_elements});
    char *text = NULL;

    assert_error(*state, memmodel_network_to_json(net, NULL, &text), MEMMODEL_ERROR_UNSUPPORTED,
                 "its rule is a function");
    assert_string_equal(memmodel_context_error(*state)->object, "scan");
    assert_null(text);
    assert_error(*state, memmodel_network_save(net, "test_custom.json", NULL), MEMMODEL_ERROR_UNSUPPORTED, "scan");
    assert_int_equal(memmodel_network_status(net), 0);
    memmodel_network_unref(net);
}

/* ---- threads ---- */

enum { THREADS = 4, ESTIMATES = 20 };

struct estimates {
    memmodel_network *net;
    int64_t live;
    int status;
};

static void *
estimate_often(void *user)
{
    struct estimates *estimates = user;
    struct memmodel_job job = job_of("pytorch");
    struct memmodel_report_result peak = {.size = sizeof peak};
    memmodel_context *context = NULL;
    memmodel_report *report;

    estimates->status = memmodel_context_new(NULL, &context);
    for (int i = 0; i < ESTIMATES && !estimates->status; i++) {
        estimates->status = memmodel_estimate(estimates->net, &job, context, &report);
        if (estimates->status)
            break;
        memmodel_report_get_result(report, &peak);
        estimates->live = peak.live;
        memmodel_report_unref(report);
    }
    memmodel_context_unref(context);
    return NULL;
}

static void
threads_ask_the_rule_at_the_same_time(void **state)
{
    memmodel_network *net = network_with(*state, (struct memmodel_custom){.callback = needs_of_elements});
    struct estimates estimates[THREADS];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        estimates[i] = (struct estimates){.net = net};
        assert_int_equal(pthread_create(&threads[i], NULL, estimate_often, &estimates[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(estimates[i].status, 0);
        assert_true(estimates[i].live > 0);
        assert_int_equal(estimates[i].live, estimates[0].live);
    }
    memmodel_network_unref(net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_rule_gives_the_report_of_the_same_numbers_declared),
        WITH_CONTEXT(the_layer_table_has_the_multiply_adds_of_the_rule),
        WITH_CONTEXT(solving_finds_what_the_same_numbers_declared_find),
        WITH_CONTEXT(a_rule_sees_numbers_and_what_is_declared),
        WITH_CONTEXT(an_estimate_asks_once),
        WITH_CONTEXT(an_older_caller_has_no_rule),
        WITH_CONTEXT(what_a_rule_says_wrong_names_the_layer),
        WITH_CONTEXT(bytes_beyond_63_bits_overflow_and_fit_nowhere),
        WITH_CONTEXT(a_network_with_a_rule_is_not_written),
        WITH_CONTEXT(threads_ask_the_rule_at_the_same_time),
    };

    return cmocka_run_group_tests_name("custom operators", tests, NULL, NULL);
}
