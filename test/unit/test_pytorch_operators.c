/*
 * Each operator of PyTorch alone, forward and backward, against recordings: every allocation and every release, in
 * order, each release of the right buffer. How they were made: test/data/pytorch_operators/README.md.
 *
 * MEMMODEL_SHOW=FAMILY prints where the cases of a family part from their recordings. MEMMODEL_CASES=FILE.gz reads
 * other recordings instead and prints a verdict of each: test/frameworks/sweep_operators.py.
 */
#include "allocations.h"
#include "stepping.h"

#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/aten_ops.h"

enum { MOST_VALUES = 256 };

/* ---- what is not exact yet: this list may only shrink ---- */

static const struct {
    const char *family;
    int cases;
} inexact[] = {
    {"autocast_sdpa", 1},
    {"lstm", 1},       /* a scratchpad of the backward pass; two releases in another order */
    {"reductions", 1}, /* local_response_norm: a name that the function keeps to its end */
    {"products", 1},   /* bilinear */
};

/* ---- one case as a network of one operator, or a few ---- */

struct run {
    struct stepping stepping;
    struct lifetimes lifetimes;
    struct variable variables[MOST_VALUES]; /* one a tensor; the last has no elements */
    int tensor_count;
    size_t skipped[2]; /* blocks that are no part of the recording */
};

static int
dtype_of(const json_t *name)
{
    static const struct {
        const char *name;
        int dtype;
    } types[] = {
        {"f32", MEMMODEL_DTYPE_FLOAT32}, {"f64", MEMMODEL_DTYPE_FLOAT64}, {"bf16", MEMMODEL_DTYPE_BFLOAT16},
        {"f16", MEMMODEL_DTYPE_FLOAT16}, {"i64", MEMMODEL_DTYPE_INT64},   {"i32", MEMMODEL_DTYPE_INT32},
        {"i16", MEMMODEL_DTYPE_FLOAT16}, {"i8", MEMMODEL_DTYPE_INT8},     {"u8", MEMMODEL_DTYPE_UINT8},
        {"c64", MEMMODEL_DTYPE_FLOAT64}, {"bool", MEMMODEL_DTYPE_BOOL}}; /* of the size, where the type is not known */

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, json_string_value(name)) == 0)
            return types[i].dtype;
    fail_msg("type %s", json_string_value(name));
    return 0;
}

static int
read_dims(const json_t *list, int64_t dims[MEMMODEL_MAX_RANK])
{
    for (size_t i = 0; i < json_array_size(list); i++)
        dims[i] = json_integer_value(json_array_get(list, i));
    return (int)json_array_size(list);
}

/* [name, kind, type, dims, order of the dims in memory] */
static void
add_input(struct run *run, const json_t *row)
{
    int64_t dims[MEMMODEL_MAX_RANK];
    int rank = read_dims(json_array_get(row, 3), dims);

    memmodel_network_input(run->stepping.network, json_string_value(json_array_get(row, 0)),
                           dtype_of(json_array_get(row, 2)), rank, dims);
}

/* [name, inputs, attributes, [[type, dims], ...]] */
static void
add_operation(struct run *run, const json_t *row)
{
    struct memmodel_shape shapes[MOST_VALUES] = {{.rank = 0}};
    memmodel_tensor inputs[MOST_VALUES];
    const json_t *from = json_array_get(row, 1), *outputs = json_array_get(row, 3);
    const char *attributes = json_string_value(json_array_get(row, 2));

    for (size_t i = 0; i < json_array_size(from); i++)
        inputs[i] = (memmodel_tensor)json_integer_value(json_array_get(from, i));
    for (size_t i = 0; i < json_array_size(from); i++)
        inputs[i] = inputs[i] < 0 ? MEMMODEL_TENSOR_NONE : inputs[i];
    for (size_t i = 0; i < json_array_size(outputs); i++) {
        const json_t *output = json_array_get(outputs, i);

        shapes[i].dtype = dtype_of(json_array_get(output, 0));
        shapes[i].rank = read_dims(json_array_get(output, 1), shapes[i].dims);
    }
    memmodel_network_custom(run->stepping.network, inputs, json_array_size(from),
                            MEMMODEL_CUSTOM(.outputs = shapes, .output_count = (int32_t)json_array_size(outputs),
                                            .operation = json_string_value(json_array_get(row, 0)),
                                            .attributes = attributes[0] ? attributes : NULL));
}

/* False if the calls are none that a network can hold, such as one without results. */
static bool
build_network(struct run *run, const json_t *line)
{
    const json_t *tensors = json_object_get(line, "tensors"), *operations = json_object_get(line, "operations");

    for (size_t i = 0; i < json_array_size(tensors); i++)
        add_input(run, json_array_get(tensors, i));
    for (size_t i = 0; i < json_array_size(operations); i++)
        add_operation(run, json_array_get(operations, i));
    return memmodel_network_status(run->stepping.network) == 0;
}

/* ---- the recorder's own nodes: a source in front of each input, a sink behind the outputs ---- */

static void
give_nothing(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)step;
    (void)node;
    (void)incoming;
    (void)gradients;
}

static void
give_gradients(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)incoming;
    for (int i = 0; i < node->edge_count; i++)
        if (node_wants(node, i))
            gradients[i] = value_empty(step, &node->edges[i].shape);
}

static const struct derivative source = {"source", give_nothing}, sink = {"sink", give_gradients};

/* A tensor as it was before the call: its layout, and what wants its gradient. */
static void
make_tensor(struct run *run, const json_t *row, int index)
{
    struct step *step = &run->stepping.step;
    struct shape shape = {.dtype = dtype_of(json_array_get(row, 2))};
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    const char *kind = json_string_value(json_array_get(row, 1));
    struct variable *variable = &run->variables[index];
    struct value *value;

    shape.rank = read_dims(json_array_get(row, 3), shape.dims);
    shape_strides(&shape, strides);
    if (json_array_size(row) > 4) {
        int order[MEMMODEL_MAX_RANK];

        for (int i = 0; i < shape.rank; i++)
            order[i] = (int)json_integer_value(json_array_get(json_array_get(row, 4), (size_t)i));
        shape_strides_in_order(&shape, order, strides);
    }
    value = value_empty_strided(step, &shape, strides);
    step->values[index] = value;
    if (!step->grad_mode)
        return;
    if (strcmp(kind, "input") == 0)
        step_record(step, &source, value, 1, &run->variables[MOST_VALUES - 1].value);
    if (strcmp(kind, "parameter") != 0)
        return;
    variable->value = value_keep(value);
    variable->accumulate = node_accumulate(step, variable);
    node_attach(step, variable->accumulate, value, 0);
}

static void
make_tensors(struct run *run, const json_t *line)
{
    const json_t *tensors = json_object_get(line, "tensors");
    struct variable *nothing = &run->variables[MOST_VALUES - 1];

    nothing->value = value_buffer(&run->stepping.step, 0);
    if (run->stepping.step.grad_mode) {
        nothing->accumulate = node_accumulate(&run->stepping.step, nothing);
        node_attach(&run->stepping.step, nothing->accumulate, nothing->value, 0);
    }
    run->tensor_count = (int)json_array_size(tensors);
    for (int i = 0; i < run->tensor_count; i++)
        make_tensor(run, json_array_get(tensors, (size_t)i), i);
}

/* ---- the phases ---- */

static bool
is_output(const json_t *line, int64_t tensor)
{
    const json_t *outputs = json_object_get(line, "outputs");

    for (size_t i = 0; i < json_array_size(outputs); i++)
        if (json_integer_value(json_array_get(outputs, i)) == tensor)
            return true;
    return false;
}

static void
forward(struct run *run, const json_t *line)
{
    const memmodel_network *network = run->stepping.step.network;
    const struct lifetimes *lifetimes = &run->lifetimes;

    for (int32_t i = run->tensor_count; i < (int32_t)network->layer_count && !run->stepping.step.status; i++) {
        run->stepping.step.layer = i;
        autocast_forward(&run->stepping.step, &network->layers[i]);
        for (int32_t k = lifetimes->first[i]; k < lifetimes->first[i + 1]; k++) {
            int32_t released = lifetimes->released[k];

            if (is_output(line, released))
                continue;
            value_drop(&run->stepping.step, run->stepping.step.values[released]);
            run->stepping.step.values[released] = NULL;
        }
    }
    autocast_exit(&run->stepping.step);
}

/* The caller's names go, its inputs' first; then only the sink knows the outputs. */
static struct value *
release(struct run *run, const json_t *line)
{
    const json_t *outputs = json_object_get(line, "outputs"), *tensors = json_object_get(line, "tensors");
    struct step *step = &run->stepping.step;
    struct value *results[MOST_VALUES], *root;
    int count = (int)json_array_size(outputs);

    for (int i = 0; i < count; i++)
        results[i] = value_keep(step->values[json_integer_value(json_array_get(outputs, (size_t)i))]);
    for (int i = 0; i < run->tensor_count; i++) {
        const char *kind = json_string_value(json_array_get(json_array_get(tensors, (size_t)i), 1));

        if (strcmp(kind, "input") != 0)
            continue;
        value_drop(step, step->values[i]);
        step->values[i] = NULL;
    }
    run->skipped[0] = step->trace->block_count;
    root = value_scalar(step, MEMMODEL_DTYPE_FLOAT32);
    step_record(step, &sink, root, count, results);
    for (size_t i = (size_t)run->tensor_count; i < step->network->tensor_count; i++) {
        value_drop(step, step->values[i]);
        step->values[i] = NULL;
    }
    value_drop_all(step, results, count);
    return root;
}

static void
backward(struct run *run, struct value *root)
{
    run->skipped[1] = run->stepping.step.trace->block_count;
    if (!root->node)
        return;
    run->stepping.step.grad_mode = false;
    autograd_backward(&run->stepping.step, &root, 1);
}

/* ---- comparison ---- */

/* Without what is no part of the recording. */
static struct sequence
simulated_events(const struct run *run, size_t first, size_t end)
{
    const memmodel_trace *trace = run->stepping.step.trace;
    struct sequence sequence = {calloc(end - first + 1, sizeof(int64_t)), 0};

    assert_non_null(sequence.events);
    for (size_t i = first; i < end; i++) {
        size_t block = (size_t)trace->events[i].block;
        size_t number = block - (block > run->skipped[0]) - (block > run->skipped[1]);

        if (block == run->skipped[0] || block == run->skipped[1])
            continue;
        sequence.events[sequence.count++] =
            trace->events[i].release ? -1 - (int64_t)number : trace->blocks[block].bytes;
    }
    return sequence;
}

static bool
same_phase(const struct run *run, const json_t *line, const char *phase, size_t first, size_t end, bool show)
{
    struct sequence recorded = sequence_recorded(json_object_get(line, phase));
    struct sequence simulated = simulated_events(run, first, end);
    bool same = sequence_equal(&simulated, &recorded);

    if (!same && show) {
        char *tensors = json_dumps(json_object_get(line, "tensors"), JSON_COMPACT);

        print_message("%s %s\n    %s\n", json_string_value(json_object_get(line, "call")), phase, tensors);
        sequence_print("recorded ", &recorded);
        sequence_print("simulated", &simulated);
        free(tensors);
    }
    free(recorded.events);
    free(simulated.events);
    return same;
}

/* ---- a case ---- */

/* Which pass of a case is wrong, or that there is no rule. */
enum verdict { EXACT, WRONG_BACKWARD, WRONG_RELEASE, WRONG_FORWARD, NO_RULE, FAILED };

static bool
run_start(struct run *run, memmodel_context *context, const json_t *line)
{
    const json_t *threads = json_object_get(line, "threads");

    *run = (struct run){.stepping.context = context, .skipped = {SIZE_MAX, SIZE_MAX}};
    assert_int_equal(memmodel_network_new(context, &run->stepping.network), 0);
    if (!build_network(run, line)) {
        memmodel_network_unref(run->stepping.network);
        return false;
    }
    stepping_start(&run->stepping, threads ? (int)json_integer_value(threads) : 2,
                   !json_is_false(json_object_get(line, "grad")));
    run->stepping.step.autocast.on = json_is_true(json_object_get(line, "autocast"));
    run->stepping.step.autocast.dtype = run->stepping.step.autocast.on ? MEMMODEL_DTYPE_BFLOAT16 : 0;
    assert_int_equal(lifetimes_new(context, run->stepping.step.network, &(struct names){.count = 0}, &run->lifetimes),
                     0);
    return true;
}

static void
run_end(struct run *run)
{
    lifetimes_release(run->stepping.context, &run->lifetimes);
    stepping_end(&run->stepping);
}

static enum verdict
judge_line(struct run *run, const json_t *line, bool show)
{
    static const char *const phases[] = {"forward", "release", "backward"};
    const struct step *step = &run->stepping.step;
    enum verdict verdict = EXACT;
    size_t marks[4];
    struct value *root;

    make_tensors(run, line);
    marks[0] = step->trace->event_count;
    forward(run, line);
    marks[1] = step->trace->event_count;
    root = release(run, line);
    marks[2] = step->trace->event_count;
    backward(run, root);
    marks[3] = step->trace->event_count;
    if (step->status != 0 || step->unmodelled_count > 0)
        verdict = step->status ? FAILED : NO_RULE;
    if (verdict && show)
        print_message("%s: %s\n", json_string_value(json_object_get(line, "call")),
                      verdict == NO_RULE ? step->unmodelled[0].op : "failed");
    for (int i = 0; i < 3; i++)
        if (!same_phase(run, line, phases[i], marks[i], marks[i + 1], show) && verdict == EXACT)
            verdict = (enum verdict)(WRONG_FORWARD - i);
    return verdict;
}

/* ---- all of them ---- */

struct family {
    char name[64];
    int cases, exact;
};

struct count {
    memmodel_context *context;
    struct family *families;
    struct run *run;
    const char *show;
};

static struct family *
family_of(struct family *families, const char *name)
{
    while (families->name[0] && strcmp(families->name, name) != 0)
        families++;
    snprintf(families->name, sizeof families->name, "%s", name);
    return families;
}

static int
expected_inexact(const char *family)
{
    for (size_t i = 0; i < sizeof inexact / sizeof inexact[0]; i++)
        if (strcmp(inexact[i].family, family) == 0)
            return inexact[i].cases;
    return 0;
}

static void
count_case(const json_t *line, void *user)
{
    struct count *count = user;
    struct family *family = family_of(count->families, json_string_value(json_object_get(line, "operator")));

    if (!run_start(count->run, count->context, line))
        fail_msg("%s: %s", json_string_value(json_object_get(line, "call")),
                 memmodel_context_error(count->context)->message);
    family->cases++;
    family->exact += judge_line(count->run, line, count->show && strcmp(count->show, family->name) == 0) == EXACT;
    run_end(count->run);
}

static void
operators_allocate_and_free_as_recorded(void **state)
{
    enum { MAX_FAMILIES = 256 };
    static struct family families[MAX_FAMILIES];
    struct count count = {*state, families, calloc(1, sizeof(struct run)), getenv("MEMMODEL_SHOW")};
    int cases = 0, exact = 0, wrong = 0;

    assert_non_null(count.run);
    for_each_line("pytorch_operators/operators.jsonl", count_case, &count);
    for_each_line("pytorch_operators/operators_avx2.jsonl", count_case, &count);
    free(count.run);
    for (const struct family *family = families; family->name[0]; family++) {
        int expected = expected_inexact(family->name), found = family->cases - family->exact;

        cases += family->cases;
        exact += family->exact;
        wrong += found != expected;
        if (found != expected)
            print_message("%s: %d of %d cases are not exact, the list says %d%s\n", family->name, found, family->cases,
                          expected, found < expected ? ": shorten it" : "");
    }
    print_message("%d of %d sequences are exact\n", exact, cases);
    assert_int_equal(wrong, 0);
}

/* ---- recordings of the caller's ---- */

static void
print_verdict(const json_t *line, void *user)
{
    static const char *const words[] = {"exact", "backward", "release", "forward", "none", "failed"};
    struct count *count = user;
    enum verdict verdict;

    if (!run_start(count->run, count->context, line)) {
        print_message("verdict failed %s\n", memmodel_context_error(count->context)->message);
        return;
    }
    verdict = judge_line(count->run, line, count->show != NULL);
    print_message("verdict %s %s\n", words[verdict],
                  verdict == NO_RULE ? count->run->stepping.step.unmodelled[0].op : "");
    run_end(count->run);
}

static void
cases_of_a_file_get_verdicts(void **state)
{
    struct count count = {.context = *state, .run = calloc(1, sizeof(struct run)), .show = getenv("MEMMODEL_SHOW")};

    assert_non_null(count.run);
    for_each_line_of(getenv("MEMMODEL_CASES"), print_verdict, &count);
    free(count.run);
}

/* ---- names ---- */

static void
each_rule_is_found_by_its_name(void **state)
{
    const struct aten_op_rule *rule;
    const struct formula_rule *formula;

    (void)state;
    for (size_t i = 0; (rule = aten_op_rule_at(i)) != NULL; i++)
        if (aten_op_rule_find(rule->name) != rule || formula_find(rule->name))
            fail_msg("%s is not in its place: tables are sorted by name, and it has no formula", rule->name);
    for (size_t i = 0; (formula = formula_at(i)) != NULL; i++)
        if (formula_find(formula->name) != formula)
            fail_msg("%s is not in its place: tables are sorted by name", formula->name);
    assert_null(aten_op_rule_find("aten.no_such_operator.default"));
    assert_null(formula_find("aten.no_such_operator.default"));
}

static void
second_names_lead_to_the_first(void **state)
{
    char name[64];

    (void)state;
    assert_true(aten_op_alias("aten.multiply_.Tensor", name, sizeof name));
    assert_string_equal(name, "aten.mul_.Tensor");
    assert_false(aten_op_alias("aten.mul.Tensor", name, sizeof name));
    assert_false(aten_op_alias("memmodel.hold", name, sizeof name));
}

/* "aten.cos_.default" of "aten.cos.default", where the formula has such a form; else its own name. */
static const char *
in_place_name(const struct formula_rule *formula)
{
    static char name[64];
    int length = (int)(strchr(formula->name + strlen("aten."), '.') - formula->name);

    snprintf(name, sizeof name, "%.*s_%s", length, formula->name, formula->name + length);
    return formula_find_form(name) == formula ? name : formula->name;
}

/* The name of rule `index`, written in C, as a formula, or the in-place form of one; NULL after the last. */
static const char *
rule_name_at(size_t index)
{
    size_t count = 0, formulas = 0;

    for (const struct aten_op_rule *rule; (rule = aten_op_rule_at(count)) != NULL; count++)
        if (count == index)
            return rule->name;
    index -= count;
    while (formula_at(formulas))
        formulas++;
    if (index < formulas)
        return formula_at(index)->name;
    return index < 2 * formulas ? in_place_name(formula_at(index - formulas)) : NULL;
}

/* ---- what a file may say: operators with operands, results and arguments that are not theirs ---- */

static const char *const nonsense[] = {
    "",
    "dim=99 dims=7,-9,3 dim0=-50 dim1=50 source=99,1 destination=-99,0 step=4611686018427387904 pad=1,-7,9,9",
    "normalized_shape=1,1,1,1,1,1,1,1,1 num_groups=-3 num_layers=1000 equation=ijk,q->z mode=circular p=1 train=1",
    "equation=abcdefghijklmnop,b->a mode=2 dim=-1 dimension=-1 bidirectional=1 num_layers=-5 mode=reflect p=0.5",
    "equation=abcdefgh,abcdefgh->abcdefgh memory_format=channels_last is_causal=1 label_smoothing=0.1 reduction=7",
};

/* An operator of a rule with `count` tensors of `rank` dims. */
struct call {
    const char *name, *attributes;
    int count, rank;
};

static int
estimate_call(memmodel_context *context, const struct call *call)
{
    enum { MAX = 6 };
    int64_t dims[MEMMODEL_MAX_RANK] = {2, 2, 2, 2, 2, 2, 2, 2};
    struct memmodel_shape outputs[2] = {{.dtype = MEMMODEL_DTYPE_FLOAT32, .rank = call->rank},
                                        {.dtype = MEMMODEL_DTYPE_INT64}};
    struct memmodel_job job = {.size = sizeof job, .optimizer = "none", .isa = "avx2", .steps = 1};
    memmodel_tensor inputs[MAX];
    memmodel_network *network;
    memmodel_report *report;
    int status = memmodel_network_new(context, &network);

    if (status)
        return status;
    memcpy(outputs[0].dims, dims, sizeof dims);
    for (int i = 0; i < call->count; i++) {
        char name[16];

        snprintf(name, sizeof name, "p%d", i);
        inputs[i] = memmodel_network_parameter(network, name, MEMMODEL_DTYPE_FLOAT32, call->rank, dims, 1);
        if (strstr(call->name, "_.")) /* PyTorch changes no parameter in place */
            inputs[i] =
                memmodel_network_activation(network, inputs[i], MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
    }
    memmodel_network_custom(network, inputs, (size_t)call->count,
                            MEMMODEL_CUSTOM(.outputs = outputs, .output_count = 1 + (call->rank & 1),
                                            .operation = call->name, .attributes = call->attributes));
    status = memmodel_estimate(network, &job, NULL, &report);
    if (status == 0)
        memmodel_report_unref(report);
    memmodel_network_unref(network);
    return status;
}

static void
operators_called_in_other_ways_are_survived(void **state)
{
    struct call call;

    for (size_t i = 0; (call.name = rule_name_at(i)) != NULL; i++)
        for (size_t k = 0; k < sizeof nonsense / sizeof nonsense[0]; k++)
            for (call.count = 0; call.count <= 6; call.count++)
                for (call.rank = call.count == 0 ? 3 : 0; call.rank <= MEMMODEL_MAX_RANK; call.rank++) {
                    int status;

                    call.attributes = nonsense[k];
                    status = estimate_call(*state, &call);
                    if (status != 0 && status != MEMMODEL_ERROR_OVERFLOW && status != MEMMODEL_ERROR_SHAPE)
                        fail_msg("%s: %s", call.name, memmodel_context_error(*state)->message);
                }
}

/* PyTorch 2.13: "a leaf Variable that requires grad is being used in an in-place operation". */
static void
a_parameter_is_not_changed_in_place(void **state)
{
    struct memmodel_shape output = {.dims = {2}, .rank = 1, .dtype = MEMMODEL_DTYPE_FLOAT32};
    struct memmodel_job job = {.size = sizeof job};
    memmodel_network *network;
    memmodel_report *report;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(*state, &network), 0);
    x = memmodel_network_parameter(network, "p", MEMMODEL_DTYPE_FLOAT32, 1, output.dims, 1);
    memmodel_network_custom(network, &x, 1,
                            MEMMODEL_CUSTOM(.outputs = &output, .output_count = 1, .operation = "aten.clamp_.default",
                                            .attributes = "min=0"));
    assert_error(*state, memmodel_estimate(network, &job, NULL, &report), MEMMODEL_ERROR_INVALID_ARGUMENT, "in place");
    memmodel_network_unref(network);
}

static struct call failing;

static int
estimate_failing(memmodel_context *context)
{
    return estimate_call(context, &failing);
}

static void
memory_may_run_out_in_each_operator(void **state)
{
    (void)state;
    failing = (struct call){.attributes = "mode=circular pad=1,1,1,1 train=1 p=0.5", .count = 3, .rank = 4};
    for (size_t i = 0; (failing.name = rule_name_at(i)) != NULL; i++)
        for (int64_t good = 0; !survives_failure_after(good, false, estimate_failing); good++)
            continue;
}

/* TensorIterator keeps the order of an operand's strides: a matrix of 2 columns, transposed, has strides of 1 and 2. */
static void
a_result_lies_as_its_transposed_operand_does(void **state)
{
    const struct value operand = {.shape = {.rank = 2, .dims = {2, 3}, .dtype = MEMMODEL_DTYPE_FLOAT32},
                                  .strides = {1, 2}};
    const struct value *const operands[] = {&operand};
    int64_t strides[MEMMODEL_MAX_RANK];

    (void)state;
    strides_after(&operand.shape, operands, 1, strides);
    assert_int_equal(strides[0], 1);
    assert_int_equal(strides[1], 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(operators_allocate_and_free_as_recorded),
        cmocka_unit_test(each_rule_is_found_by_its_name),
        cmocka_unit_test(second_names_lead_to_the_first),
        cmocka_unit_test(a_result_lies_as_its_transposed_operand_does),
        WITH_CONTEXT(a_parameter_is_not_changed_in_place),
        LONG_WITH_CONTEXT(operators_called_in_other_ways_are_survived),
        LONG_UNIT_TEST(memory_may_run_out_in_each_operator),
    };
    const struct CMUnitTest others[] = {
        WITH_CONTEXT(cases_of_a_file_get_verdicts),
    };

    if (getenv("MEMMODEL_CASES"))
        return cmocka_run_group_tests(others, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
