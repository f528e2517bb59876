/*
 * What the headers promise about threads: objects that are built may be asked by any number of them at the same time, each
 * with a context of its own, and dropped by any. The same answers come, and ThreadSanitizer sees no race (./run nightly
 * tsan).
 */
#include "fitted.h"
#include "networks.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 3 };

/* cmocka's asserts jump back within their own thread, which is not one of these. */
static void
must(int status)
{
    if (status) {
        fprintf(stderr, "a thread got %s\n", memmodel_status_name(status));
        abort();
    }
}

/* ---- a question that several threads ask of one object ---- */

/* Asks `shared` with the thread's own context; the answer is a number, or a text that becomes one. */
typedef uint64_t (*question)(const void *shared, memmodel_context *context);

struct asking {
    question ask;
    const void *shared;
    uint64_t answers[ROUNDS];
};

static void *
ask_often(void *user)
{
    struct asking *asking = user;
    memmodel_context *context;

    must(memmodel_context_new(NULL, &context));
    for (int round = 0; round < ROUNDS; round++)
        asking->answers[round] = asking->ask(asking->shared, context);
    memmodel_context_unref(context);
    return NULL;
}

static void
assert_threads_agree(question ask, const void *shared)
{
    struct asking alone = {.ask = ask, .shared = shared}, asking[THREADS];
    pthread_t threads[THREADS];

    ask_often(&alone);
    for (int i = 0; i < THREADS; i++) {
        asking[i] = (struct asking){.ask = ask, .shared = shared};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &asking[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_memory_equal(asking[i].answers, alone.answers, sizeof alone.answers);
    }
}

/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t
hash(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t result = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < bytes; i++)
        result = (result ^ at[i]) * UINT64_C(1099511628211);
    return result;
}

static uint64_t
hash_of_text(char *text)
{
    uint64_t result = hash(text, strlen(text));

    memmodel_free(text);
    return result;
}

/* ---- networks ---- */

static const struct memmodel_symbol_value symbols[] = {{"batch", 3}, {"dim", 32}};

static struct memmodel_job
job_with(const char *framework)
{
    return (struct memmodel_job){.size = sizeof(struct memmodel_job),
                                 .framework = framework,
                                 .isa = "avx2",
                                 .symbols = symbols,
                                 .symbol_count = 2};
}

static memmodel_network *
small_unet(memmodel_context *context)
{
    memmodel_network *network;

    must(network_unet3d(context, &(struct unet3d){.filters = 4, .depth = 2, .loss = true}, &network));
    return network;
}

static uint64_t
estimates_of(const void *network, memmodel_context *context)
{
    static const char *const frameworks[] = {"pytorch", "tensorflow", "textbook"};
    char *texts[3];
    uint64_t hashes[3];

    for (int i = 0; i < 3; i++) {
        struct memmodel_job job = job_with(frameworks[i]);
        memmodel_report *report;

        must(memmodel_estimate(network, &job, context, &report));
        must(memmodel_report_to_json(report, context, &texts[i]));
        hashes[i] = hash_of_text(texts[i]);
        memmodel_report_unref(report);
    }
    return hash(hashes, sizeof hashes);
}

static uint64_t
searches_in(const void *network, memmodel_context *context)
{
    struct memmodel_job job = job_with("pytorch");
    struct memmodel_estimate_row rows[2];
    int64_t numbers[4] = {0};
    memmodel_report *report;

    job.budget = INT64_C(1) << 30;
    must(memmodel_estimate_max(network, &job, "batch", context, &numbers[0]));
    must(memmodel_estimate_many(network, &job, "batch", (int64_t[]){1, 2}, 2, context, rows));
    numbers[1] = rows[0].peak;
    numbers[2] = rows[1].peak;
    must(memmodel_estimate_what_if(network, &job, context, &report));
    numbers[3] = (int64_t)memmodel_report_change_count(report);
    memmodel_report_unref(report);
    return hash(numbers, sizeof numbers);
}

static uint64_t
schedules_of(const void *network, memmodel_context *context)
{
    struct memmodel_schedule_options how = {.size = sizeof how, .symbols = symbols, .symbol_count = 2};
    struct memmodel_schedule_result summary = {.size = sizeof summary};
    memmodel_schedule *schedule;

    must(memmodel_network_schedule(network, &how, context, &schedule));
    must(memmodel_schedule_get_result(schedule, &summary));
    memmodel_schedule_unref(schedule);
    return hash(&summary, sizeof summary);
}

static uint64_t
shapes_of(const void *network, memmodel_context *context)
{
    uint64_t result = memmodel_network_layer_count(network);

    (void)context;
    for (size_t i = 0; i < memmodel_network_symbol_count(network); i++)
        result += hash(memmodel_network_symbol_name(network, i), strlen(memmodel_network_symbol_name(network, i)));
    return result;
}

static void
threads_ask_one_network(void **state)
{
    memmodel_network *network = small_unet(*state);

    assert_threads_agree(estimates_of, network);
    assert_threads_agree(searches_in, network);
    assert_threads_agree(schedules_of, network);
    assert_threads_agree(shapes_of, network);
    memmodel_network_unref(network);
}

/* ---- reports and traces ---- */

static uint64_t
documents_of(const void *report, memmodel_context *context)
{
    struct memmodel_report_result result = {.size = sizeof result};
    uint64_t hashes[5];
    char *text;

    must(memmodel_report_to_json(report, context, &text));
    hashes[0] = hash_of_text(text);
    must(memmodel_report_to_html(report, context, &text));
    hashes[1] = hash_of_text(text);
    must(memmodel_trace_to_perfetto(memmodel_report_trace(report), context, &text));
    hashes[2] = hash_of_text(text);
    must(memmodel_report_get_result(report, &result));
    hashes[3] = hash(result.peak_location, strlen(result.peak_location));
    hashes[4] = hash(result.assumptions, strlen(result.assumptions));
    return hash(hashes, sizeof hashes);
}

static uint64_t
numbers_of(const void *report, memmodel_context *context)
{
    struct memmodel_report_result peak = {.size = sizeof peak};
    struct memmodel_report_layer layer = {.size = sizeof layer};
    struct memmodel_trace_event event = {.size = sizeof event};
    const memmodel_trace *trace = memmodel_report_trace(report);
    uint64_t result;

    (void)context;
    must(memmodel_report_get_result(report, &peak));
    result = (uint64_t)peak.live;
    for (size_t i = 0; i < memmodel_report_layer_count(report); i++) {
        must(memmodel_report_get_layer(report, i, &layer));
        result = result * 31 + (uint64_t)layer.activation_count;
    }
    for (size_t i = 0; i < memmodel_trace_event_count(trace); i++) {
        must(memmodel_trace_get_event(trace, i, &event));
        result = result * 31 + (uint64_t)event.bytes;
    }
    for (size_t i = 0; i < memmodel_report_formula_count(report); i++)
        result += strlen(memmodel_report_formula(report, i, MEMMODEL_LANGUAGE_LATEX));
    return result;
}

static void
threads_read_one_report(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = job_with("pytorch");
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    memmodel_network_unref(network);
    assert_threads_agree(documents_of, report);
    assert_threads_agree(numbers_of, report);
    memmodel_report_unref(report);
}

/* ---- models ---- */

static uint64_t
texts_of(const void *model, memmodel_context *context)
{
    uint64_t result = 0;
    char *text;

    for (int language = MEMMODEL_LANGUAGE_TEXT; language <= MEMMODEL_LANGUAGE_SQL; language++) {
        must(memmodel_model_to_code(model, language, context, &text));
        result = result * 31 + hash_of_text(text);
    }
    must(memmodel_model_to_json(model, context, &text));
    return result * 31 + hash_of_text(text);
}

static uint64_t
answers_of(const void *model, memmodel_context *context)
{
    double columns[2][64], values[64], upper[64];
    int32_t outside[64];
    struct memmodel_prediction prediction = {.size = sizeof prediction};
    int64_t largest;

    (void)context;
    for (int i = 0; i < 64; i++) {
        columns[0][i] = 32 + i;
        columns[1][i] = 1 + i % 8;
    }
    memmodel_model_evaluate_many(model, (const double *[]){columns[0], columns[1]}, 1, 64, values);
    must(memmodel_model_predict_many(model, (const double *[]){columns[0], columns[1]}, 1, 64, NULL, values, upper,
                                     outside));
    must(memmodel_model_predict(model, (double[]){80, 3}, at_level(0.99), &prediction));
    must(memmodel_model_predict_max(model, (double[]){80, 1}, "batch", NULL, 1e10, NULL, &largest));
    return hash(values, sizeof values) + hash(upper, sizeof upper) + hash(outside, sizeof outside) +
           hash(&prediction.upper, sizeof prediction.upper) + (uint64_t)largest;
}

static void
threads_ask_one_model(void **state)
{
    memmodel_model *model = network_model(*state, 0.01);

    assert_threads_agree(texts_of, model);
    assert_threads_agree(answers_of, model);
    memmodel_model_unref(model);
}

/* ---- nothing is shared but the library ---- */

static uint64_t
all_from_nothing(const void *shared, memmodel_context *context)
{
    memmodel_network *network = small_unet(context);
    memmodel_model *model = network_model(context, 0.01);
    uint64_t result = searches_in(network, context) + texts_of(model, context);

    (void)shared;
    memmodel_model_unref(model);
    memmodel_network_unref(network);
    return result;
}

static void
threads_with_nothing_in_common_do_not_meet(void **state)
{
    (void)state;
    assert_threads_agree(all_from_nothing, NULL);
}

/* ---- references ---- */

struct shared {
    memmodel_report *report;
    memmodel_model *model;
    memmodel_network *network;
};

static void *
take_and_drop(void *user)
{
    struct shared *shared = user;

    for (int i = 0; i < 1000; i++) {
        memmodel_report_unref(memmodel_report_ref(shared->report));
        memmodel_model_unref(memmodel_model_ref(shared->model));
        memmodel_network_unref(memmodel_network_ref(shared->network));
    }
    memmodel_report_unref(shared->report);
    memmodel_model_unref(shared->model);
    memmodel_network_unref(shared->network);
    return NULL;
}

/* Meanwhile the thread of the context that they were made with goes on working. */
static void
any_thread_drops_the_last_reference(void **state)
{
    struct shared shared = {.model = network_model(*state, 0.01), .network = small_unet(*state)};
    struct memmodel_job job = job_with("pytorch");
    pthread_t threads[THREADS];
    memmodel_network *other = small_unet(*state);

    assert_int_equal(memmodel_estimate(shared.network, &job, NULL, &shared.report), 0);
    for (int i = 0; i < THREADS; i++) {
        memmodel_report_ref(shared.report);
        memmodel_model_ref(shared.model);
        memmodel_network_ref(shared.network);
    }
    memmodel_report_unref(shared.report);
    memmodel_model_unref(shared.model);
    memmodel_network_unref(shared.network);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_drop, &shared), 0);
    estimates_of(other, *state);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    memmodel_network_unref(other);
}

/* ---- calls that another thread ends ---- */

static void *
run_until_stopped(void *monitor)
{
    must(memmodel_monitor_run(monitor, NULL, NULL));
    return NULL;
}

static void
any_thread_stops_a_monitor(void **state)
{
    memmodel_monitor *monitor;
    pthread_t thread;

    assert_int_equal(memmodel_monitor_new(*state, getpid(), NULL, &monitor), 0);
    assert_int_equal(pthread_create(&thread, NULL, run_until_stopped, monitor), 0);
    memmodel_monitor_stop(monitor);
    assert_int_equal(pthread_join(thread, NULL), 0);
    memmodel_monitor_unref(monitor);
}

static void *
cancel_soon(void *context)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    memmodel_context_cancel(context);
    return NULL;
}

static void
any_thread_cancels_a_call(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = job_with("pytorch");
    pthread_t thread;
    int status = 0;

    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, *state), 0);
    while (!status) {
        memmodel_report *report = NULL;

        status = memmodel_estimate(network, &job, NULL, &report);
        memmodel_report_unref(report);
    }
    assert_int_equal(status, MEMMODEL_ERROR_CANCELLED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    memmodel_network_unref(network);
}

/* ---- a fit that is cancelled ---- */

enum { FITTED_ROWS = 12000 };

struct cancelled_fit {
    memmodel_context *context;
    clockid_t clock; /* of the thread that fits: what others take of the machine is not counted */
    double cancel_at;
};

static double
seconds_of(clockid_t clock)
{
    struct timespec time = {0};

    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *
cancel_in_time(void *user)
{
    struct cancelled_fit *fit = user;

    while (seconds_of(fit->clock) < fit->cancel_at)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    memmodel_context_cancel(fit->context);
    return NULL;
}

static memmodel_samples *
many_samples(memmodel_context *context)
{
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_new(context, (const char *const[]){"batch", "width", "peak"}, 3, &samples), 0);
    for (int i = 0; i < FITTED_ROWS; i++) {
        double batch = 1 + i % 100, width = 1 + i / 100;
        double row[] = {batch, width, (100 + 3 * batch * width) * (1 + 1e-3 * (i * 7919 % 1000) / 1000)};

        assert_int_equal(memmodel_samples_add_row(samples, row), 0);
    }
    return samples;
}

/* Wherever it is. */
static void
a_fit_ends_when_it_is_cancelled(void **state)
{
    static const double shares[] = {0.01, 0.06, 0.2, 0.4};
    memmodel_samples *samples = many_samples(*state);
    const struct memmodel_fit_options options = {.size = sizeof options, .loss = MEMMODEL_FIT_LOSS_SQUARED};
    struct cancelled_fit fit = {.context = *state};
    memmodel_model *model;
    double began, whole;

    assert_int_equal(pthread_getcpuclockid(pthread_self(), &fit.clock), 0);
    began = seconds_of(fit.clock);
    assert_int_equal(memmodel_fit(samples, &options, *state, &model), 0);
    whole = seconds_of(fit.clock) - began;
    memmodel_model_unref(model);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        pthread_t thread;

        fit.cancel_at = seconds_of(fit.clock) + shares[i] * whole;
        assert_int_equal(pthread_create(&thread, NULL, cancel_in_time, &fit), 0);
        assert_int_equal(memmodel_fit(samples, &options, *state, &model), MEMMODEL_ERROR_CANCELLED);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    memmodel_samples_unref(samples);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_WITH_CONTEXT(threads_ask_one_network),
        LONG_WITH_CONTEXT(threads_read_one_report),
        WITH_CONTEXT(threads_ask_one_model),
        LONG_WITH_CONTEXT(threads_with_nothing_in_common_do_not_meet),
        WITH_CONTEXT(any_thread_drops_the_last_reference),
        WITH_CONTEXT(any_thread_stops_a_monitor),
        WITH_CONTEXT(any_thread_cancels_a_call),
        LONG_WITH_CONTEXT(a_fit_ends_when_it_is_cancelled),
    };

    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
