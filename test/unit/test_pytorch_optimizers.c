/*
 * Each optimizer alone, with its options, against recordings: every allocation and release of its constructor and of the
 * 1st, 2nd and 9th step. How they were made: test/data/pytorch_operators/README.md.
 */
#include "stepping.h"

struct run {
    struct stepping stepping;
    struct optimizer optimizer;
};

static void
make_parameters(struct run *run)
{
    struct step *step = &run->stepping.step;

    for (size_t i = 0; i < step->network->parameter_count; i++) {
        const struct parameter *parameter = &step->network->parameters[i];
        struct variable *variable = &step->variables[i];
        struct shape shape = {.rank = parameter->rank, .dtype = parameter->dtype};

        for (int axis = 0; axis < shape.rank; axis++)
            shape.dims[axis] = parameter->dims[axis];
        variable->value = value_empty(step, &shape);
        variable->gradient = value_empty(step, &shape);
        variable->accumulate = node_accumulate(step, variable);
    }
}

static void
run_start(struct run *run, memmodel_context *context, const json_t *line)
{
    const json_t *shapes = json_object_get(line, "shapes");

    *run = (struct run){.stepping.context = context};
    assert_int_equal(memmodel_network_new(context, &run->stepping.network), 0);
    for (size_t i = 0; i < json_array_size(shapes); i++) {
        const json_t *shape = json_array_get(shapes, i);
        int64_t dims[MEMMODEL_MAX_RANK];
        char name[32];

        snprintf(name, sizeof name, "p%zu", i);
        for (size_t axis = 0; axis < json_array_size(shape); axis++)
            dims[axis] = json_integer_value(json_array_get(shape, axis));
        assert_true(memmodel_network_parameter(run->stepping.network, name, MEMMODEL_DTYPE_FLOAT32,
                                               (int)json_array_size(shape), dims, 1) >= 0);
    }
    stepping_start(&run->stepping, 2, true);
    assert_int_equal(optimizer_new(context, run->stepping.network, json_string_value(json_object_get(line, "job")), 0,
                                   &run->optimizer),
                     0);
    make_parameters(run);
}

/* Buffers are counted from the first of the phase on. */
static bool
same_phase(const struct run *run, const json_t *line, const char *phase, size_t first_event, size_t first_block)
{
    const memmodel_trace *trace = run->stepping.step.trace;
    struct sequence recorded = sequence_recorded(json_object_get(line, phase));
    struct sequence simulated = {calloc(trace->event_count - first_event + 1, sizeof(int64_t)), 0};
    bool same;

    assert_non_null(simulated.events);
    for (size_t i = first_event; i < trace->event_count; i++) {
        int64_t block = trace->events[i].block - (int64_t)first_block;

        simulated.events[simulated.count++] =
            trace->events[i].release ? -1 - block : trace->blocks[trace->events[i].block].bytes;
    }
    same = sequence_equal(&simulated, &recorded);
    if (!same) {
        print_message("%s, %s\n", json_string_value(json_object_get(line, "job")), phase);
        sequence_print("recorded ", &recorded);
        sequence_print("simulated", &simulated);
    }
    free(recorded.events);
    free(simulated.events);
    return same;
}

static bool
is_exact(struct run *run, const json_t *line)
{
    enum { STEPS = 9 };
    struct step *step = &run->stepping.step;
    size_t event = step->trace->event_count, block = step->trace->block_count;
    bool exact;

    optimizer_construct(step, &run->optimizer);
    exact = same_phase(run, line, "construct", event, block);
    for (step->number = 1; step->number <= STEPS; step->number++) {
        char phase[16];

        event = step->trace->event_count;
        block = step->trace->block_count;
        optimizer_run(step, &run->optimizer);
        snprintf(phase, sizeof phase, "step_%d", step->number);
        if (json_object_get(line, phase))
            exact &= same_phase(run, line, phase, event, block);
    }
    return exact && step->status == 0;
}

struct count {
    memmodel_context *context;
    int cases, exact;
};

static void
count_case(const json_t *line, void *user)
{
    struct count *count = user;
    struct run run;

    run_start(&run, count->context, line);
    count->cases++;
    count->exact += is_exact(&run, line);
    optimizer_release(count->context, &run.optimizer);
    stepping_end(&run.stepping);
}

static void
optimizers_allocate_and_free_as_recorded(void **state)
{
    struct count count = {*state, 0, 0};

    for_each_line("pytorch_operators/optimizers.jsonl", count_case, &count);
    print_message("%d of %d optimizers are exact in each step\n", count.exact, count.cases);
    assert_int_equal(count.exact, count.cases);
}

static void
foreach_and_fused_optimizers_allocate_and_free_as_recorded(void **state)
{
    struct count count = {*state, 0, 0};

    for_each_line("pytorch_operators/optimizers_foreach.jsonl", count_case, &count);
    print_message("%d of %d foreach and fused optimizers are exact in each step\n", count.exact, count.cases);
    assert_int_equal(count.cases, 336);
    assert_int_equal(count.exact, count.cases);
}

static void
an_optimizer_without_a_rule_or_a_fused_kernel_is_refused(void **state)
{
    static const char *const wrong[] = {"nadam(fused)", "adafactor(fused=True)", "adam(foreach, fused)"};
    struct optimizer optimizer;
    memmodel_network *network;

    assert_int_equal(memmodel_network_new(*state, &network), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_error(*state, optimizer_new(*state, network, wrong[i], 0, &optimizer), MEMMODEL_ERROR_UNSUPPORTED,
                     wrong[i]);
        optimizer_release(*state, &optimizer);
    }
    assert_error(*state, optimizer_new(*state, network, "sgd9", 0, &optimizer), MEMMODEL_ERROR_UNSUPPORTED, "adamw");
    optimizer_release(*state, &optimizer);
    assert_int_equal(optimizer_new(*state, network, "nadam(foreach, fused=False)", 0, &optimizer), 0);
    optimizer_release(*state, &optimizer);
    memmodel_network_unref(network);
}

static void
options_are_read_as_python_writes_them(void **state)
{
    struct optimizer_choice choice;

    (void)state;
    assert_true(optimizer_parse("sgd(momentum=0.9, nesterov=True,weight_decay=0.0)", &choice));
    assert_string_equal(choice.name, "sgd");
    assert_int_equal(choice.on, OPTIMIZER_MOMENTUM | OPTIMIZER_NESTEROV);
    assert_int_equal(choice.off, OPTIMIZER_WEIGHT_DECAY);
    assert_true(optimizer_parse("momentum", &choice));
    assert_string_equal(choice.name, "sgd");
    assert_int_equal(choice.on, OPTIMIZER_MOMENTUM);
}

static void
what_is_no_optimizer_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",
        "(amsgrad)",
        "adam(",
        "adam()",
        "adam(amsgrad",
        "adam(amsgrad) ",
        "adam(colour=0.1)",
        "adam(lr)",
        "adam(betas=(0.9, 0.999",
        "adam(betas=(0.9, 0.999) amsgrad)",
        "adam(amsgrad=yes)",
        "adam(amsgrad=)",
        "adam(amsgrad,)",
        "an_optimizer_of_a_long_name",
    };
    struct optimizer_choice choice;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (optimizer_parse(wrong[i], &choice))
            fail_msg("\"%s\" was taken", wrong[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(optimizers_allocate_and_free_as_recorded),
        WITH_CONTEXT(foreach_and_fused_optimizers_allocate_and_free_as_recorded),
        WITH_CONTEXT(an_optimizer_without_a_rule_or_a_fused_kernel_is_refused),
        cmocka_unit_test(options_are_read_as_python_writes_them),
        cmocka_unit_test(what_is_no_optimizer_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
