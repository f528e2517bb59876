/*
 * Convolutions of eager PyTorch on CPU against recordings: every allocation and every release, in order. How they were
 * recorded is in test/data/pytorch_convolution/README.md.
 */
#include "check.h"

#include "frameworks/pytorch/convolution.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { LONGEST_LINE = 1 << 16 };
enum { KNOWN_AVX2 = 7, KNOWN_AVX512 = 6, KNOWN_AMX = 1, KNOWN_BFLOAT16 = 6 }; /* lines that differ */

static const struct target_cpu avx512 = {CPU_ISA_AVX512, 1, 48 * 1024, 1024 * 1024, false};
static const struct target_cpu amx = {CPU_ISA_AVX512, 1, 48 * 1024, 2048 * 1024, true};
static const struct target_cpu without_onednn = {CPU_ISA_NONE, 1, 48 * 1024, 1024 * 1024, false};
static const struct target_cpu avx2 = {CPU_ISA_AVX2, 1, 32 * 1024, 512 * 1024, false};

static int64_t
integer(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);

    if (!json_is_integer(value))
        fail_msg("no number %s", key);
    return json_integer_value(value);
}

static bool
flag(const json_t *line, const char *key)
{
    return json_is_true(json_object_get(line, key));
}

static void
read_axes(const json_t *line, const char *key, int64_t values[CONVOLUTION_DIMS])
{
    size_t axis;
    const json_t *value;

    json_array_foreach (json_object_get(line, key), axis, value)
        values[axis] = json_integer_value(value);
}

/* As torch.Tensor says of itself. */
static struct dim_order
read_order(const json_t *line, const char *tensor)
{
    const json_t *order = json_object_get(json_object_get(line, "orders"), tensor);

    return (struct dim_order){.scattered = json_is_false(json_array_get(order, 0)),
                              .channels_last = json_is_true(json_array_get(order, 1)),
                              .suggests_channels_last = json_is_true(json_array_get(order, 2))};
}

static struct convolution
read_convolution(const json_t *line)
{
    const char *type = json_string_value(json_object_get(line, "dtype"));
    struct convolution convolution = {
        .dims = (int)integer(line, "dim"),
        .transposed = flag(line, "transposed"),
        .bias = flag(line, "bias"),
        .element = strcmp(type, "float64") == 0    ? 8
                   : strcmp(type, "bfloat16") == 0 ? 2
                                                   : 4,
        .batch = integer(line, "N"),
        .in_channels = integer(line, "C_in"),
        .out_channels = integer(line, "C_out"),
        .groups = integer(line, "groups"),
        .input_order = read_order(line, "input"),
        .weight_order = read_order(line, "weight"),
    };

    read_axes(line, "spatial", convolution.input);
    read_axes(line, "kernel", convolution.kernel);
    read_axes(line, "stride", convolution.stride);
    read_axes(line, "padding", convolution.padding);
    read_axes(line, "dilation", convolution.dilation);
    read_axes(line, "output_padding", convolution.output_padding);
    return convolution;
}

/* A slice of one image is contiguous, and so is anything of one element. */
static bool
is_gradient_contiguous(const json_t *line)
{
    const char *kind = json_string_value(json_object_get(line, "grad_output"));
    int64_t points = 1, out[CONVOLUTION_DIMS] = {1, 1, 1};

    read_axes(line, "out_spatial", out);
    for (int axis = 0; axis < CONVOLUTION_DIMS; axis++)
        points *= out[axis];
    if (strcmp(kind, "slice") == 0)
        return integer(line, "N") == 1;
    if (strcmp(kind, "expanded") == 0)
        return integer(line, "N") * integer(line, "C_out") * points == 1;
    return true;
}

static struct dim_order
read_grad_order(const json_t *line)
{
    if (json_object_get(line, "orders"))
        return read_order(line, "grad");
    return (struct dim_order){.scattered = !is_gradient_contiguous(line)};
}

static struct convolution_wants
read_wants(const json_t *line)
{
    return (struct convolution_wants){flag(line, "input_requires_grad"), flag(line, "weight_requires_grad"),
                                      flag(line, "bias") && flag(line, "bias_requires_grad")};
}

static bool
same_events(const struct convolution_events *events, const json_t *recorded)
{
    if (events->count > json_array_size(recorded))
        return false;
    for (size_t i = 0; i < events->count; i++)
        if (events->items[i].bytes != json_integer_value(json_array_get(recorded, i)))
            return false;
    return true;
}

static bool
lies_as_result(const struct convolution_events *events, struct dim_order order)
{
    return events->channels_last ? order.channels_last : !order.scattered;
}

/* A gradient that lies otherwise than its leaf is cloned after the operator, the input's first. */
static size_t
clones(const struct convolution_events *events, const json_t *line, struct convolution_wants wants)
{
    bool input = wants.grad_input && !lies_as_result(events, read_order(line, "input"));
    bool weight = wants.grad_weight && !lies_as_result(events, read_order(line, "weight"));

    return 2 * ((size_t)input + (size_t)weight);
}

static void
print_events(const char *what, const struct convolution_events *events)
{
    print_error("%s predicted [", what);
    for (size_t i = 0; i < events->count; i++)
        print_error("%s%lld", i ? ", " : "", (long long)events->items[i].bytes);
    print_error("]\n");
}

/* What is left at the end is one buffer of each role that is wanted, and each release matches its allocation. */
static void
assert_only_results_stay(const struct convolution_events *events, unsigned wanted_roles)
{
    unsigned left = 0;

    for (size_t i = 0; i < events->count; i++) {
        const struct convolution_event *event = &events->items[i];
        bool released = false;

        for (size_t j = i + 1; j < events->count; j++)
            if (events->items[j].buffer == event->buffer) {
                assert_int_equal(events->items[j].bytes, -event->bytes);
                assert_int_equal(events->items[j].role, event->role);
                released = true;
            }
        if (released || event->bytes < 0)
            continue;
        assert_int_not_equal(event->role, CONVOLUTION_SCRATCH);
        assert_false(left & 1u << event->role);
        left |= 1u << event->role;
    }
    assert_int_equal(left, wanted_roles);
}

static unsigned
wanted_roles(struct convolution_wants wants)
{
    return (wants.grad_input ? 1u << CONVOLUTION_GRAD_INPUT : 0u) |
           (wants.grad_weight ? 1u << CONVOLUTION_GRAD_WEIGHT : 0u) |
           (wants.grad_bias ? 1u << CONVOLUTION_GRAD_BIAS : 0u);
}

/* Where the two orders differ the output lies in the one that was recorded. */
static bool
is_output_order(const struct convolution_events *events, const json_t *line)
{
    struct dim_order order = read_order(line, "output");

    return !json_object_get(line, "orders") || lies_as_result(events, order);
}

/* A line's events, as the rules have them; the machine's threads are those of the line. */
typedef bool (*replay_rule)(memmodel_context *context, const json_t *line, const struct target_cpu *machine,
                            struct convolution_events *events);

static bool
replay_forward(memmodel_context *context, const json_t *line, const struct target_cpu *machine,
               struct convolution_events *events)
{
    struct convolution convolution = read_convolution(line);
    bool same;

    assert_int_equal(convolution_forward(context, &convolution, machine, events), MEMMODEL_OK);
    assert_only_results_stay(events, 1u << CONVOLUTION_OUTPUT);
    same = same_events(events, json_object_get(line, "forward")) && is_output_order(events, line) &&
           events->count == json_array_size(json_object_get(line, "forward"));
    if (!same)
        print_events("forward", events);
    return same;
}

static bool
replay_backward(memmodel_context *context, const json_t *line, const struct target_cpu *machine,
                struct convolution_events *events)
{
    struct convolution convolution = read_convolution(line);
    struct convolution_wants wants = read_wants(line);
    bool same;

    assert_int_equal(convolution_backward(context, &convolution, machine, wants, read_grad_order(line), events),
                     MEMMODEL_OK);
    assert_only_results_stay(events, wanted_roles(wants));
    same = same_events(events, json_object_get(line, "backward")) &&
           events->count + clones(events, line, wants) == json_array_size(json_object_get(line, "backward"));
    if (!same)
        print_events("backward", events);
    return same;
}

static bool
replay(memmodel_context *context, const json_t *line, const struct target_cpu *machine,
       struct convolution_events *events)
{
    bool forward = replay_forward(context, line, machine, events);

    return replay_backward(context, line, machine, events) && forward;
}

/* `known`: lines that are known to differ; why, the caller says. */
static void
max_replay_by(replay_rule rule, memmodel_context *context, const char *path, struct target_cpu machine, int known)
{
    FILE *file = fopen(path, "r");
    char *text = malloc(LONGEST_LINE);
    struct convolution_events events = {0};
    int lines = 0, wrong = 0;

    assert_non_null(file);
    assert_non_null(text);
    for (; fgets(text, LONGEST_LINE, file); lines++) {
        json_t *line = json_loads(text, 0, NULL);

        assert_non_null(line);
        machine.threads = integer(line, "threads");
        if (!rule(context, line, &machine, &events)) {
            print_error("line %d: %s\n", lines + 1, text);
            wrong++;
        }
        json_decref(line);
    }
    convolution_events_release(context, &events);
    free(text);
    fclose(file);
    assert_true(lines > 0);
    if (wrong != known)
        fail_msg("%d of %d configurations of %s differ", wrong, lines, path);
}

static void
max_replay(memmodel_context *context, const char *path, struct target_cpu machine, int known)
{
    max_replay_by(replay, context, path, machine, known);
}

static void
replay_file(memmodel_context *context, const char *path, struct target_cpu machine)
{
    max_replay(context, path, machine, 0);
}

static void
configurations_of_bfloat16_are_reproduced_event_by_event(void **state)
{
    replay_file(*state, TEST_DATA "/pytorch_convolution/bfloat16_avx512.jsonl", avx512);
}

static void
layers_of_networks_on_avx2_are_reproduced_event_by_event(void **state)
{
    replay_file(*state, TEST_DATA "/pytorch_convolution/networks_avx2.jsonl", avx2);
}

static void
random_convolutions_on_avx2_are_reproduced_event_by_event(void **state)
{
    replay_file(*state, TEST_DATA "/pytorch_convolution/random_avx2.jsonl", avx2);
}

static void
more_threads_than_two_on_avx2_are_reproduced_event_by_event(void **state)
{
    replay_file(*state, TEST_DATA "/pytorch_convolution/threads_avx2.jsonl", avx2);
}

/* Columns folded into channels, tails of channels, the target of each thread: the next best block has another size. */
static void
close_decisions_about_blocks_on_avx2_are_reproduced_event_by_event(void **state)
{
    replay_file(*state, TEST_DATA "/pytorch_convolution/close_avx2.jsonl", avx2);
}

/* Some kernels count bytes in 32 bits and leave larger batches to others. */
static void
convolutions_around_2_gib_on_avx2_are_reproduced_event_by_event(void **state)
{
    replay_file(*state, TEST_DATA "/pytorch_convolution/large_avx2.jsonl", avx2);
}

static void
random_convolutions_on_avx512_are_reproduced_event_by_event(void **state)
{
    replay_file(*state, TEST_DATA "/pytorch_convolution/random_avx512.jsonl", avx512);
}

static void
random_convolutions_on_amx_are_reproduced_event_by_event(void **state)
{
    replay_file(*state, TEST_DATA "/pytorch_convolution/random_amx.jsonl", amx);
}

static void
convolutions_with_onednn_switched_off_are_reproduced_event_by_event(void **state)
{
    replay_file(*state, TEST_DATA "/pytorch_convolution/onednn_off.jsonl", without_onednn);
}

static struct convolution
three_by_three(void)
{
    return (struct convolution){.dims = 2,
                                .element = 4,
                                .batch = 4,
                                .in_channels = 16,
                                .out_channels = 32,
                                .groups = 1,
                                .input = {20, 20},
                                .kernel = {3, 3},
                                .stride = {1, 1},
                                .padding = {1, 1},
                                .dilation = {1, 1}};
}

/* 4 images: 16 and 32 channels of 400 points; 4,608 weights: nothing to pad, so each buffer has its tensor's size. */
static void
blocked_copies_of_whole_blocks_are_as_large_as_the_tensors(void **state)
{
    const int64_t expected[] = {102400, 18432, 204800, -18432, -102400, 204800, -204800};
    struct convolution convolution = three_by_three();
    struct convolution_events events = {0};

    assert_int_equal(convolution_forward(*state, &convolution, &avx512, &events), MEMMODEL_OK);
    assert_int_equal(events.count, 7);
    for (size_t i = 0; i < events.count; i++)
        assert_int_equal(events.items[i].bytes, expected[i]);
    convolution_events_release(*state, &events);
}

/* Whether the source, 7 images of 18 x 364 in blocks of 16 of the 163 channels, is copied. */
static bool
copies_blocks(memmodel_context *context, int64_t padding)
{
    const struct target_cpu machine = {CPU_ISA_AVX512, 32, 48 * 1024, 1024 * 1024, false};
    struct convolution convolution = {.dims = 2,
                                      .element = 4,
                                      .batch = 7,
                                      .in_channels = 163,
                                      .out_channels = 256,
                                      .groups = 1,
                                      .input = {18, 364},
                                      .kernel = {9, 3},
                                      .stride = {1, 1},
                                      .padding = {0, padding},
                                      .dilation = {1, padding}};
    struct convolution_events events = {0};
    bool copied = false;

    assert_int_equal(convolution_forward(context, &convolution, &machine, &events), MEMMODEL_OK);
    for (size_t i = 0; i < events.count; i++)
        copied |= events.items[i].bytes == INT64_C(7) * 18 * 364 * 176 * 4;
    convolution_events_release(context, &events);
    return copied;
}

/*
 * jit_avx512_common_conv_kernel.cpp, init_conf: of 16 blocks of output channels 4 at a time have tiles of 31 / 5 = 6
 * points. Of the 229376 floats in 7/8 of the cache their weights take 2 * 27648, and a piece of 6 points 2 * 384 of
 * target and 2 * 864 of source: 69 pieces fit, which is the whole row of 364 points. So the 7 * 10 * 4 rows keep 32
 * threads busy for 280 / 288 = 0.972 of the time, of which nothing can be 1.05 times. A tile must be as wide as the
 * padding.
 */
static void
no_blocks_are_copied_where_the_padding_is_wider_than_a_tile(void **state)
{
    assert_true(copies_blocks(*state, 6));
    assert_false(copies_blocks(*state, 7));
}

/* 16 channels of 4 images of 20 x 56, which a kernel of 3 x `width` leaves as large. */
static size_t
events_of_width(memmodel_context *context, int64_t width)
{
    struct convolution convolution = three_by_three();
    struct convolution_events events = {0};
    size_t count;

    convolution.input[1] = 56;
    convolution.kernel[1] = width;
    convolution.padding[1] = width / 2;
    assert_int_equal(convolution_forward(context, &convolution, &avx512, &events), MEMMODEL_OK);
    count = events.count;
    convolution_events_release(context, &events);
    return count;
}

/*
 * Of rows of two tiles of 28 points the one has padding before it, the other behind it: with none that is three variants
 * of width * 16 channels * 28 points * 15 bytes of code, which must be 262144 at most: 262080 for 13, 302400 for 15. With
 * a kernel there are seven events: copies in blocks of source, weights and target come and go; without, columns do.
 */
static void
a_kernel_whose_code_is_too_long_is_not_made(void **state)
{
    assert_int_equal(events_of_width(*state, 13), 7);
    assert_true(events_of_width(*state, 15) < 7);
}

static void
without_onednn_the_columns_of_the_whole_batch_are_made(void **state)
{
    struct convolution convolution = three_by_three();
    struct convolution_events events = {0};

    assert_int_equal(convolution_forward(*state, &convolution, &without_onednn, &events), MEMMODEL_OK);
    assert_int_equal(events.count, 3);
    assert_int_equal(events.items[0].bytes, 4 * 16 * 9 * 400 * 4);
    convolution_events_release(*state, &events);
}

static void
impossible_convolutions_are_refused(void **state)
{
    struct convolution_events events = {0};
    struct convolution groups = three_by_three(), kernel = three_by_three(), huge = three_by_three(),
                       empty = three_by_three();

    groups.groups = 3;
    assert_error(*state, convolution_forward(*state, &groups, &avx2, &events), MEMMODEL_ERROR_SHAPE, "3 groups");
    kernel.kernel[1] = 23;
    assert_error(*state, convolution_forward(*state, &kernel, &avx2, &events), MEMMODEL_ERROR_SHAPE, "kernel of 23");
    huge.batch = INT64_MAX / 1000;
    assert_error(*state, convolution_forward(*state, &huge, &avx2, &events), MEMMODEL_ERROR_OVERFLOW, "too large");
    empty.stride[0] = 0;
    assert_error(*state, convolution_forward(*state, &empty, &avx2, &events), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "axis 0");
    convolution_events_release(*state, &events);
}

/* Off are groups of channels-last tensors in PyTorch's own kernels (float64), which ask each slice for its order. */
static void
channels_last_tensors_on_avx2_are_reproduced_event_by_event(void **state)
{
    max_replay(*state, TEST_DATA "/pytorch_convolution/channels_last_avx2.jsonl", avx2, KNOWN_AVX2);
}

/* The same, and convolutions of a single channel, which oneDNN folds into its kernel from a copy of the source. */
static void
channels_last_tensors_on_avx512_are_reproduced_event_by_event(void **state)
{
    max_replay(*state, TEST_DATA "/pytorch_convolution/channels_last_avx512.jsonl", avx512, KNOWN_AVX512);
}

/* Recorded with AMX switched off. Off is a single input channel, as above. */
static void
channels_last_tensors_of_bfloat16_are_reproduced_event_by_event(void **state)
{
    static const struct target_cpu without_amx = {CPU_ISA_AVX512, 1, 48 * 1024, 2048 * 1024, false};

    max_replay(*state, TEST_DATA "/pytorch_convolution/channels_last_bfloat16.jsonl", without_amx, KNOWN_BFLOAT16);
}

/* Of the forward and data passes with AMX the scratchpads are not listed. */
static void
weights_passes_of_bfloat16_on_amx_are_reproduced_event_by_event(void **state)
{
    max_replay_by(replay_backward, *state, TEST_DATA "/pytorch_convolution/weights_bfloat16_amx.jsonl", amx, 0);
}

static void
channels_last_tensors_on_amx_are_reproduced_event_by_event(void **state)
{
    max_replay(*state, TEST_DATA "/pytorch_convolution/channels_last_amx.jsonl", amx, KNOWN_AMX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(configurations_of_bfloat16_are_reproduced_event_by_event),
        WITH_CONTEXT(layers_of_networks_on_avx2_are_reproduced_event_by_event),
        WITH_CONTEXT(random_convolutions_on_avx2_are_reproduced_event_by_event),
        WITH_CONTEXT(more_threads_than_two_on_avx2_are_reproduced_event_by_event),
        WITH_CONTEXT(close_decisions_about_blocks_on_avx2_are_reproduced_event_by_event),
        WITH_CONTEXT(convolutions_around_2_gib_on_avx2_are_reproduced_event_by_event),
        WITH_CONTEXT(random_convolutions_on_avx512_are_reproduced_event_by_event),
        WITH_CONTEXT(random_convolutions_on_amx_are_reproduced_event_by_event),
        WITH_CONTEXT(convolutions_with_onednn_switched_off_are_reproduced_event_by_event),
        WITH_CONTEXT(channels_last_tensors_on_avx2_are_reproduced_event_by_event),
        WITH_CONTEXT(channels_last_tensors_on_avx512_are_reproduced_event_by_event),
        WITH_CONTEXT(channels_last_tensors_of_bfloat16_are_reproduced_event_by_event),
        WITH_CONTEXT(weights_passes_of_bfloat16_on_amx_are_reproduced_event_by_event),
        WITH_CONTEXT(channels_last_tensors_on_amx_are_reproduced_event_by_event),
        WITH_CONTEXT(blocked_copies_of_whole_blocks_are_as_large_as_the_tensors),
        WITH_CONTEXT(no_blocks_are_copied_where_the_padding_is_wider_than_a_tile),
        WITH_CONTEXT(a_kernel_whose_code_is_too_long_is_not_made),
        WITH_CONTEXT(without_onednn_the_columns_of_the_whole_batch_are_made),
        WITH_CONTEXT(impossible_convolutions_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
