/*
 * Operators below autograd, as a recording of a program has them, against what PyTorch allocated and released inside
 * each: test/data/pytorch_operators/README.md. MEMMODEL_SHOW=NAME prints where calls of an operator part from their
 * recordings. MEMMODEL_CASES=FILE.gz reads other recordings instead, and prints what is not exact.
 */
#include "allocations.h"
#include "stepping.h"

#include "base/checked.h"
#include "frameworks/pytorch/aten_ops.h"
#include "frameworks/pytorch/lowering.h"

enum { MOST_TENSORS = 256 };

/* ---- what is not exact yet: this list may only shrink. Most are named in reports: they have no rule ---- */

static const struct {
    const char *name;
    int calls;
} inexact[] = {
    {"aten._embedding_bag.default", 3},
    {"aten._embedding_bag_backward.default", 3},
    {"aten._linalg_check_errors.default", 3},
    {"aten._linalg_solve_ex.default", 1},
    {"aten._trilinear.default", 3},
    {"aten.abs.default", 2},   /* of complex numbers, whose type a recording does not have */
    {"aten.copy_.default", 1}, /* a larger matrix, transposed tile by tile */
    {"aten.embedding_renorm_.default", 1},
    {"aten.histc.default", 2},     /* the least and the greatest */
    {"aten.index_put.default", 2}, /* by a mask */
    {"aten.linalg_lu_solve.default", 1},
    {"aten.log_sigmoid_forward.default", 1}, /* of a transposed tensor */
    {"aten.masked_select.default", 2},
    {"aten.mkldnn_rnn_layer.default", 1},          /* a scratchpad where input and hidden size are 24 */
    {"aten.mkldnn_rnn_layer_backward.default", 1}, /* without biases */
    {"aten.multilabel_margin_loss_backward.default", 1},
    {"aten.multilabel_margin_loss_forward.default", 1},
    {"aten.rrelu_with_noise.default", 2},
    {"aten.soft_margin_loss_backward.default", 4},
};

/* ---- one call ---- */

static int
dtype_of(const char *name)
{
    for (int dtype = MEMMODEL_DTYPE_FLOAT32; memmodel_dtype_name(dtype); dtype++)
        if (strcmp(memmodel_dtype_name(dtype), name) == 0)
            return dtype;
    fail_msg("type %s", name);
    return 0;
}

/* [type, dims, strides], or null */
static struct memmodel_recording_tensor
read_tensor(const json_t *row)
{
    struct memmodel_recording_tensor tensor = {.rank = -1, .dtype = MEMMODEL_DTYPE_FLOAT32};

    if (!json_is_array(row))
        return tensor;
    tensor.dtype = dtype_of(json_string_value(json_array_get(row, 0)));
    tensor.rank = (int32_t)json_array_size(json_array_get(row, 1));
    for (int32_t i = 0; i < tensor.rank; i++) {
        tensor.dims[i] = json_integer_value(json_array_get(json_array_get(row, 1), (size_t)i));
        tensor.strides[i] = json_integer_value(json_array_get(json_array_get(row, 2), (size_t)i));
    }
    return tensor;
}

/* Bytes from the first element to the last: what a shape function takes its storage to have. */
static int64_t
extent(const struct memmodel_recording_tensor *tensor)
{
    static const int sizes[] = {
        [MEMMODEL_DTYPE_FLOAT32] = 4,  [MEMMODEL_DTYPE_FLOAT64] = 8, [MEMMODEL_DTYPE_FLOAT16] = 2,
        [MEMMODEL_DTYPE_BFLOAT16] = 2, [MEMMODEL_DTYPE_INT64] = 8,   [MEMMODEL_DTYPE_INT32] = 4,
        [MEMMODEL_DTYPE_INT8] = 1,     [MEMMODEL_DTYPE_UINT8] = 1,   [MEMMODEL_DTYPE_BOOL] = 1};
    int64_t elements = 1;

    for (int32_t i = 0; i < tensor->rank; i++)
        if (tensor->dims[i] == 0)
            return 0;
    for (int32_t i = 0; i < tensor->rank; i++)
        elements += (tensor->dims[i] - 1) * tensor->strides[i];
    return elements * sizes[tensor->dtype];
}

struct call {
    struct memmodel_recording_tensor inputs[MOST_TENSORS], outputs[MOST_TENSORS];
    int64_t bytes[MOST_TENSORS];
    memmodel_recording_block blocks[MOST_TENSORS];
    struct memmodel_recording_operator operation;
};

static size_t
read_tensors(const json_t *list, struct memmodel_recording_tensor *tensors)
{
    assert_true(json_array_size(list) <= MOST_TENSORS);
    for (size_t i = 0; i < json_array_size(list); i++)
        tensors[i] = read_tensor(json_array_get(list, i));
    return json_array_size(list);
}

static void
read_call(const json_t *line, struct call *call)
{
    call->operation = (struct memmodel_recording_operator){
        .size = sizeof call->operation,
        .name = json_string_value(json_object_get(line, "operator")),
        .attributes = json_string_value(json_object_get(line, "attributes")),
        .inputs = call->inputs,
        .outputs = call->outputs,
        .input_count = read_tensors(json_object_get(line, "inputs"), call->inputs),
        .output_count = read_tensors(json_object_get(line, "outputs"), call->outputs),
    };
    for (size_t i = 0; i < call->operation.output_count; i++) {
        int64_t made = json_integer_value(json_array_get(json_object_get(line, "bytes"), i));

        call->bytes[i] = made < 0 ? MEMMODEL_RECORDING_NONE : extent(&call->outputs[i]);
    }
}

static memmodel_trace *
run_call(memmodel_context *context, struct call *call)
{
    static const struct memmodel_job job = {.size = sizeof job, .isa = "avx2", .intra_op_threads = 2};
    static const struct memmodel_recording_owner owner = {.size = sizeof owner};
    memmodel_recording *recording;
    memmodel_trace *trace;
    int32_t number;

    assert_int_equal(memmodel_recording_new(context, &job, &recording), 0);
    number = memmodel_recording_add_operator(recording, &call->operation);
    if (number < 0 ||
        memmodel_recording_run(recording, number, &owner, call->bytes, call->operation.output_count, call->blocks))
        fail_msg("%s: %s", call->operation.name, memmodel_context_error(context)->message);
    assert_int_equal(memmodel_recording_finish(recording, &trace), 0);
    memmodel_recording_unref(recording);
    return trace;
}

static struct sequence
sequence_of(const memmodel_trace *trace)
{
    struct sequence sequence = {calloc(memmodel_trace_event_count(trace) + 1, sizeof(int64_t)),
                                memmodel_trace_event_count(trace)};

    assert_non_null(sequence.events);
    for (size_t i = 0; i < sequence.count; i++) {
        struct memmodel_trace_event event = {.size = sizeof event};

        assert_int_equal(memmodel_trace_get_event(trace, i, &event), 0);
        sequence.events[i] = event.bytes > 0 ? event.bytes : -1 - event.block;
    }
    return sequence;
}

/* Most that is there at once. */
static int64_t
peak_of(const struct sequence *sequence)
{
    int64_t *bytes = calloc(sequence->count + 1, sizeof *bytes), live = 0, peak = 0;
    size_t count = 0;

    assert_non_null(bytes);
    for (size_t i = 0; i < sequence->count; i++) {
        int64_t event = sequence->events[i];

        if (event > 0)
            bytes[count++] = event;
        live += event > 0 ? event : -bytes[-1 - event];
        peak = max_i64(peak, live);
    }
    free(bytes);
    return peak;
}

enum verdict { EXACT, SAME_PEAK, WRONG };

struct count {
    memmodel_context *context;
    struct call *call;
    const char *show;
    struct family {
        char name[64];
        int calls, exact, same_peak, unmodelled;
    } * families;
};

static enum verdict
judge(struct count *count, const json_t *line, bool *unmodelled)
{
    struct sequence recorded = sequence_recorded(json_object_get(line, "events")), simulated;
    memmodel_trace *trace;
    enum verdict verdict = EXACT;

    read_call(line, count->call);
    trace = run_call(count->context, count->call);
    simulated = sequence_of(trace);
    if (!sequence_equal(&simulated, &recorded))
        verdict = peak_of(&simulated) == peak_of(&recorded) ? SAME_PEAK : WRONG;
    if (verdict && count->show && strcmp(count->show, count->call->operation.name) == 0) {
        char *inputs = json_dumps(json_object_get(line, "inputs"), JSON_COMPACT);

        print_message("%s %s\n    %s\n", count->call->operation.name, count->call->operation.attributes, inputs);
        sequence_print("recorded ", &recorded);
        sequence_print("simulated", &simulated);
        free(inputs);
    }
    free(recorded.events);
    free(simulated.events);
    *unmodelled = trace->unmodelled_count > 0;
    memmodel_trace_unref(trace);
    return verdict;
}

static struct family *
family_of(struct family *families, const char *name)
{
    while (families->name[0] && strcmp(families->name, name) != 0)
        families++;
    snprintf(families->name, sizeof families->name, "%s", name);
    return families;
}

static void
count_call(const json_t *line, void *user)
{
    struct count *count = user;
    const char *name = json_string_value(json_object_get(line, "operator"));
    struct family *family = family_of(count->families, name);
    bool unmodelled = false;
    enum verdict verdict = judge(count, line, &unmodelled);

    family->unmodelled += unmodelled;
    family->calls++;
    family->exact += verdict == EXACT;
    family->same_peak += verdict != WRONG;
}

static int
expected_inexact(const char *name)
{
    for (size_t i = 0; i < sizeof inexact / sizeof inexact[0]; i++)
        if (strcmp(inexact[i].name, name) == 0)
            return inexact[i].calls;
    return 0;
}

static void
count_calls(memmodel_context *context, const char *path)
{
    enum { MAX_FAMILIES = 1024 };
    static struct family families[MAX_FAMILIES];
    struct count count = {context, calloc(1, sizeof(struct call)), getenv("MEMMODEL_SHOW"), families};
    int calls = 0, exact = 0, same_peak = 0, wrong = 0;

    assert_non_null(count.call);
    if (path)
        for_each_line_of(path, count_call, &count);
    else
        for_each_line("pytorch_operators/dispatched_avx2.jsonl", count_call, &count);
    free(count.call);
    for (const struct family *family = families; family->name[0]; family++) {
        int found = family->calls - family->exact, expected = path ? 0 : expected_inexact(family->name);

        calls += family->calls;
        exact += family->exact;
        same_peak += family->same_peak;
        wrong += found != expected;
        if (count.show && family->unmodelled)
            print_message("unmodelled %s\n", family->name);
        if (found != expected)
            print_message("%s: %d of %d calls are not exact (%d have another peak), the list says %d%s\n", family->name,
                          found, family->calls, family->calls - family->same_peak, expected,
                          found < expected ? ": shorten it" : "");
    }
    print_message("%d of %d calls are exact, %d have the exact peak\n", exact, calls, same_peak);
    assert_true(path || wrong == 0);
}

static void
operators_allocate_and_free_as_recorded(void **state)
{
    count_calls(*state, NULL);
}

static void
calls_of_a_file_get_verdicts(void **state)
{
    count_calls(*state, getenv("MEMMODEL_CASES"));
}

/* ---- operators of other operands, results and arguments than theirs ---- */

static const char *const nonsense[] = {
    "",
    "dim=99 stride=0,-1 padding=4611686018427387904 dilation=-3 groups=-2 num_groups=0 group=7 train=1 normalized_shape=1,1",
    "output_mask=0,1,0 stride=1 padding=1 dilation=1 transposed=1 output_padding=3 groups=1 train=0 kernel_size=2,2",
};

/* Whatever it is, there is an answer. */
static void
report_anyhow(memmodel_recording *recording, struct call *call, const char *name, int inputs, int rank)
{
    static const struct memmodel_recording_owner owner = {.size = sizeof owner};

    call->operation = (struct memmodel_recording_operator){.size = sizeof call->operation,
                                                           .name = name,
                                                           .attributes = nonsense[(inputs + rank) % 3],
                                                           .inputs = call->inputs,
                                                           .outputs = call->outputs,
                                                           .input_count = (size_t)inputs,
                                                           .output_count = (size_t)((inputs + rank) % 4)};
    for (int i = 0; i < 14; i++) {
        call->inputs[i] = call->outputs[i] = (struct memmodel_recording_tensor){
            .rank = i % 5 == 4 ? -1 : rank, .dtype = 1 + (i * rank) % MEMMODEL_DTYPE_BOOL};
        for (int k = 0; k < rank; k++) {
            call->inputs[i].dims[k] = call->outputs[i].dims[k] = 1 + (k + i) % 3;
            call->inputs[i].strides[k] = (k * i) % 5;
        }
        call->bytes[i] = i == 1 ? MEMMODEL_RECORDING_NONE : 64;
    }
    if (memmodel_recording_run(recording, memmodel_recording_add_operator(recording, &call->operation), &owner,
                               call->bytes, call->operation.output_count, call->blocks))
        fail_msg("%s of %d inputs of rank %d", name, inputs, rank);
}

static void
operators_reported_in_other_ways_have_an_answer(void **state)
{
    const struct memmodel_job jobs[] = {{.size = sizeof jobs[0]}, {.size = sizeof jobs[0], .gpu = "h200"}};
    struct call *call = calloc(1, sizeof *call);

    assert_non_null(call);
    for (size_t job = 0; job < 2; job++) {
        memmodel_recording *recording;
        const struct lowering *lowering;
        const struct aten_op_rule *rule;

        assert_int_equal(memmodel_recording_new(*state, &jobs[job], &recording), 0);
        for (int rank = 0; rank <= MEMMODEL_MAX_RANK; rank++)
            for (int inputs = 0; inputs <= 14; inputs++) {
                for (size_t i = 0; (lowering = lowering_at(i)) != NULL; i++)
                    report_anyhow(recording, call, lowering->name, inputs, rank);
                for (size_t i = 0; (rule = aten_op_rule_at(i)) != NULL && inputs < 4; i++)
                    report_anyhow(recording, call, rule->name, inputs, rank);
            }
        memmodel_recording_unref(recording);
    }
    free(call);
}

/* A convolution's backward pass has all that an operator can have. */
static int
report_convolution(memmodel_context *context)
{
    static const struct memmodel_job job = {.size = sizeof job, .isa = "avx2"};
    static const struct memmodel_recording_tensor tensors[] = {
        {.dims = {2, 8, 6, 6}, .strides = {288, 36, 6, 1}, .rank = 4, .dtype = MEMMODEL_DTYPE_FLOAT32},
        {.dims = {2, 4, 8, 8}, .strides = {256, 64, 8, 1}, .rank = 4, .dtype = MEMMODEL_DTYPE_FLOAT32},
        {.dims = {8, 4, 3, 3}, .strides = {36, 9, 3, 1}, .rank = 4, .dtype = MEMMODEL_DTYPE_FLOAT32},
        {.dims = {8}, .strides = {1}, .rank = 1, .dtype = MEMMODEL_DTYPE_FLOAT32}};
    const struct memmodel_recording_operator backward = {.size = sizeof backward,
                                                         .name = "aten.convolution_backward.default",
                                                         .attributes = "stride=1,1 padding=0,0 dilation=1,1 groups=1",
                                                         .inputs = tensors,
                                                         .outputs = tensors + 1,
                                                         .input_count = 3,
                                                         .output_count = 3};
    memmodel_recording *recording;
    int32_t number;
    int status = memmodel_recording_new(context, &job, &recording);

    if (status)
        return status;
    number = memmodel_recording_add_operator(recording, &backward);
    memmodel_recording_unref(recording);
    return number < 0 ? number : 0;
}

static void
memory_may_run_out_in_an_operator(void **state)
{
    (void)state;
    assert_survives_failing_allocations(report_convolution);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_WITH_CONTEXT(operators_allocate_and_free_as_recorded),
        LONG_WITH_CONTEXT(operators_reported_in_other_ways_have_an_answer),
        cmocka_unit_test(memory_may_run_out_in_an_operator),
    };
    const struct CMUnitTest others[] = {
        WITH_CONTEXT(calls_of_a_file_get_verdicts),
    };

    if (getenv("MEMMODEL_CASES"))
        return cmocka_run_group_tests(others, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
