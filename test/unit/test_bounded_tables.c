/*
 * Calls that take a table, a plan, a chain or a file of another program: in a thread with 64 KiB of stack, cancelled, and with
 * too little memory.
 */
#include "fitted.h"
#include "little_stack.h"

#include <math.h>
#include <string.h>

/* What the calls work on: a table, and a model fitted to it. */
struct subject {
    memmodel_context *context;
    memmodel_samples *samples;
    memmodel_model *model;
};

static int
forget(int status, char **text)
{
    if (!status)
        memmodel_free(*text);
    return status;
}

/* ---- fits ---- */

static int
fit_by(const struct subject *subject, struct memmodel_fit_options options)
{
    memmodel_model *model = NULL;
    int status;

    options.size = sizeof options;
    status = memmodel_fit(subject->samples, &options, NULL, &model);
    memmodel_model_unref(model);
    return status;
}

static int
fit_relative(const struct subject *subject)
{
    return fit_by(subject, (struct memmodel_fit_options){0});
}

static int
fit_squared(const struct subject *subject)
{
    return fit_by(subject, (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_SQUARED, .change_points = 1});
}

static int
fit_pinball(const struct subject *subject)
{
    return fit_by(subject, (struct memmodel_fit_options){.loss = MEMMODEL_FIT_LOSS_PINBALL});
}

static int
fit_with_structure(const struct subject *subject)
{
    static const char *const rising[] = {"dim", "batch"};

    return fit_by(subject,
                  (struct memmodel_fit_options){.increasing = rising, .increasing_count = 2, .non_negative = 1});
}

static int
search_formulas(const struct subject *subject)
{
    return fit_by(subject, (struct memmodel_fit_options){
                               .loss = MEMMODEL_FIT_LOSS_SQUARED, .search = 1, .max_evaluations = 4000, .threads = 2});
}

static int
advise(const struct subject *subject)
{
    static const char *const domain[] = {"dim=32:128:16", "batch=1,2,4,8"};
    const struct memmodel_advise_options options = {
        .size = sizeof options, .domain = domain, .domain_count = 2, .count = 3};
    struct memmodel_advise_result result = {.size = sizeof result};
    memmodel_samples *advised;
    int status = memmodel_advise(subject->samples, &options, subject->context, &result, &advised);

    if (!status)
        memmodel_samples_unref(advised);
    return status;
}

/* ---- models and tables ---- */

static int
write_and_read_model(const struct subject *subject)
{
    memmodel_model *again;
    char *text;
    int status = memmodel_model_to_json(subject->model, NULL, &text);

    if (status)
        return status;
    status = memmodel_model_from_json(subject->context, "text", text, strlen(text), &again);
    memmodel_free(text);
    if (!status)
        memmodel_model_unref(again);
    return status;
}

static int
export_model(const struct subject *subject)
{
    static const int formats[] = {MEMMODEL_LANGUAGE_C, MEMMODEL_LANGUAGE_PYTHON, MEMMODEL_LANGUAGE_SQL,
                                  MEMMODEL_LANGUAGE_LATEX};
    char *text;
    int status = 0;

    for (size_t i = 0; i < sizeof formats / sizeof formats[0] && !status; i++)
        status = forget(memmodel_model_to_code(subject->model, formats[i], subject->context, &text), &text);
    return status;
}

static int
read_table(const struct subject *subject)
{
    static const char text[] = "dim,batch,peak_bytes\n32,1,1000\n32,2,2000\n64,4,4000\n";
    memmodel_samples *samples, *filtered;
    int status = memmodel_samples_from_csv(subject->context, "text", text, sizeof text - 1, &samples);

    if (status)
        return status;
    status = memmodel_samples_filter(samples, "dim", "32", NULL, &filtered);
    if (!status)
        memmodel_samples_unref(filtered);
    memmodel_samples_unref(samples);
    return status;
}

/* ---- plans and chains ---- */

/* Of sizes and lives that no simple order serves: the search goes to its last depth. */
static int
search_plan(const struct subject *subject)
{
    struct memmodel_plan_options options = {.size = sizeof options, .max_nodes = 3000};
    memmodel_plan *plan = NULL;
    uint64_t seed = 7;
    char *text;
    int status = memmodel_plan_new(subject->context, &plan);

    for (int i = 0; i < 60 && !status; i++) {
        int64_t lower = (int64_t)(next_random(&seed) % 60);
        const struct memmodel_plan_buffer buffer = {.size = sizeof buffer,
                                                    .bytes = 1 + (int64_t)(next_random(&seed) % 900),
                                                    .lower = lower,
                                                    .upper = lower + 1 + (int64_t)(next_random(&seed) % 12)};

        status = memmodel_plan_add_buffer(plan, &buffer);
    }
    if (!status)
        status = memmodel_plan_solve(plan, &options);
    if (!status)
        status = forget(memmodel_plan_to_svg(plan, NULL, &text), &text);
    memmodel_plan_unref(plan);
    return status;
}

static int
solve_chain_of(const struct subject *subject, struct memmodel_chain_block block, int blocks, int64_t budget,
               int64_t slots)
{
    const struct memmodel_chain_options options = {.size = sizeof options, .budget = budget, .slots = slots};
    memmodel_chain *chain = NULL;
    int status = memmodel_chain_new(subject->context, block.input_bytes, &chain);

    block.size = sizeof block;
    for (int i = 0; i < blocks && !status; i++)
        status = memmodel_chain_add_block(chain, &block);
    if (!status)
        status = memmodel_chain_solve(chain, &options);
    memmodel_chain_unref(chain);
    return status;
}

static int
solve_chain(const struct subject *subject)
{
    const struct memmodel_chain_block block = {
        .input_bytes = 100, .saved_bytes = 300, .forward_cost = 1, .backward_cost = 2};

    return solve_chain_of(subject, block, 100, 6000, 20);
}

/* Nearly all of its blocks are saved, one in the other. */
static int
solve_deep_chain(const struct subject *subject)
{
    const struct memmodel_chain_block block = {
        .input_bytes = 1, .saved_bytes = 1, .forward_cost = 1, .backward_cost = 2};

    return solve_chain_of(subject, block, 330, 330, 330);
}

/* ---- ONNX ---- */

static int
load_onnx(const struct subject *subject)
{
    memmodel_network *network;
    int status = memmodel_network_load_onnx(subject->context, TEST_DATA "/onnxruntime/llama.onnx", NULL, &network);

    if (!status)
        memmodel_network_unref(network);
    return status;
}

static const struct use {
    const char *name;
    int (*use)(const struct subject *subject);
} uses[] = {
    {"fitted for relative errors", fit_relative},
    {"fitted for squared errors", fit_squared},
    {"fitted for a quantile", fit_pinball},
    {"fitted with a known structure", fit_with_structure},
    {"fitted by search", search_formulas},
    {"advised", advise},
    {"its model written and read", write_and_read_model},
    {"its model exported", export_model},
    {"read", read_table},
    {"a plan solved", search_plan},
    {"a chain solved", solve_chain},
    {"an ONNX file loaded", load_onnx},
};
enum { USES = sizeof uses / sizeof uses[0] };

static const struct use deep_chain = {"a deep chain solved", solve_deep_chain};

/* ---- the checks ---- */

static struct subject
new_subject(void)
{
    struct subject subject;

    assert_int_equal(memmodel_context_new(NULL, &subject.context), 0);
    subject.samples = network_samples(subject.context, 0.01, 1);
    subject.model = fit(subject.samples, NULL);
    return subject;
}

static int64_t
memory_used(const memmodel_context *context)
{
    int64_t used = -1;

    memmodel_context_memory(context, &used, NULL);
    return used;
}

static void
release_subject(struct subject *subject)
{
    memmodel_model_unref(subject->model);
    memmodel_samples_unref(subject->samples);
    assert_int_equal(memory_used(subject->context), 0);
    memmodel_context_unref(subject->context);
}

struct work {
    const struct use *use;
    const struct subject *subject;
};

static int
run_work(const void *argument)
{
    const struct work *work = argument;

    return work->use->use(work->subject);
}

static void
takes_64_kib_of_stack(void **state)
{
    struct subject subject = new_subject();

    if (run_on_little_stack(run_work, &(struct work){*state, &subject}))
        fail_msg("%s", memmodel_context_error(subject.context)->message);
    release_subject(&subject);
}

static void
ends_when_cancelled_and_serves_again(void **state)
{
    const struct use *use = *state;
    struct subject subject = new_subject();

    memmodel_context_cancel(subject.context);
    assert_int_equal(use->use(&subject), MEMMODEL_ERROR_CANCELLED);
    assert_int_equal(use->use(&subject), 0);
    release_subject(&subject);
}

/* With ever more memory beyond what is in use, until it is enough. */
static void
ends_at_the_limit_of_memory_and_says_so(void **state)
{
    const struct use *use = *state;
    struct subject subject = new_subject();
    int64_t used = memory_used(subject.context);
    int status = MEMMODEL_ERROR_LIMIT;

    for (int64_t more = 16; status; more += more / 4) {
        const struct memmodel_limits limits = {.size = sizeof limits, .memory_bytes = used + more};

        assert_int_equal(memmodel_context_set_limits(subject.context, &limits), 0);
        status = use->use(&subject);
        assert_int_equal(memory_used(subject.context), used);
        if (status)
            assert_error(subject.context, status, MEMMODEL_ERROR_LIMIT, "memory_bytes");
    }
    release_subject(&subject);
}

int
main(void)
{
    struct CMUnitTest tests[3 * USES + 1];
    size_t count = 0;

    for (size_t i = 0; i < USES; i++) {
        void *use = (void *)(uintptr_t)&uses[i];

        tests[count++] = (struct CMUnitTest){uses[i].name, takes_64_kib_of_stack, NULL, NULL, use};
        tests[count++] = (struct CMUnitTest){uses[i].name, ends_when_cancelled_and_serves_again, NULL, NULL, use};
        tests[count++] = (struct CMUnitTest){uses[i].name, ends_at_the_limit_of_memory_and_says_so, NULL, NULL, use};
    }
    tests[count++] =
        (struct CMUnitTest){deep_chain.name, LONG(takes_64_kib_of_stack), NULL, NULL, (void *)(uintptr_t)&deep_chain};
    return _cmocka_run_group_tests("calls without a network within limits", tests, count, NULL, NULL);
}
