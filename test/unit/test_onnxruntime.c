/* Networks of ONNX files as onnxruntime runs them. */
#include "allocations.h"

#include "onnx_network.h"

/*
 * Relu works in place: x -> Conv -> Relu -> Conv (output). Live in the second Conv: its input and its output of
 * 2 * 4 * 8 * 8 floats each, 1 by 1 kernels need no scratch; weights of 4 * 4 floats twice, and the input.
 */
static void
onnxruntime_works_in_place_where_it_can(void **state)
{
    struct onnx_file file = {0};
    memmodel_network *network;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "2,4,8,8");
    onnx_stored(&file, "v", ONNX_FLOAT, "4,4,1,1", NULL, 0);
    onnx_stored(&file, "w", ONNX_FLOAT, "4,4,1,1", NULL, 0);
    onnx_node(&file, "Conv", "x,v", "a", "");
    onnx_node(&file, "Relu", "a", "b", "");
    onnx_node(&file, "Conv", "b,w", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_int_equal(peak_of(network, "onnxruntime", NULL, 0), 4 * (3 * 512 + 2 * 16));
    memmodel_network_unref(network);
    onnx_release(&file);
}

/* x, one buffer for what the first three Tanh make, and the output's own; each of 1,000 floats. */
static void
onnxruntime_returns_what_no_layer_uses(void **state)
{
    memmodel_network *network;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(*state, &network), 0);
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){1, 1000});
    for (int i = 0; i < 4; i++)
        x = memmodel_network_activation(network, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_TANH));
    assert_int_equal(peak_of(network, "onnxruntime", NULL, 0), 3 * 4000);
    memmodel_network_unref(network);
}

static int64_t
peak_at(memmodel_network *network, const char *optimization)
{
    struct memmodel_job job = {.size = sizeof job,
                               .framework = "onnxruntime",
                               .isa = "avx2",
                               .mode = 1,
                               .steps = 1,
                               .intra_op_threads = 1,
                               .graph_optimization = optimization};

    return peak_of_job(network, &job);
}

/*
 * y = Relu(a + Conv(a)), a = Conv(x), each of 2 * 16 * 8 * 8 floats. As it is: a, the second convolution's output and
 * the sum are alive at once. Optimized: x is copied into blocks of 8 channels and gone after the first convolution; the
 * second adds a and does the Relu, so that a and its output are all, then this and its plain copy y. Outside: x and two
 * weights of 16 * 16.
 */
static void
a_residual_sum_is_part_of_its_convolution(void **state)
{
    enum { IMAGE = 4 * 2 * 16 * 8 * 8, OUTSIDE = IMAGE + 2 * 4 * 16 * 16 };
    struct onnx_file file = {0};
    memmodel_network *network;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "2,16,8,8");
    onnx_stored(&file, "v", ONNX_FLOAT, "16,16,1,1", NULL, 0);
    onnx_stored(&file, "w", ONNX_FLOAT, "16,16,1,1", NULL, 0);
    onnx_node(&file, "Conv", "x,v", "a", "");
    onnx_node(&file, "Conv", "a,w", "b", "");
    onnx_node(&file, "Add", "a,b", "c", "");
    onnx_node(&file, "Relu", "c", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_int_equal(peak_at(network, "disable"), OUTSIDE + 3 * IMAGE);
    assert_int_equal(peak_at(network, "all"), OUTSIDE + 2 * IMAGE);
    memmodel_network_unref(network);
    onnx_release(&file);
}

/*
 * y = Relu(Conv(z) + u), u is Conv(x) enlarged twice, of 2 * 16 * 8 * 8 floats as z is. With a batch of 2 in the file
 * the convolution adds to u in place: its input, z, and u are alive at once. Of a symbol nobody knows that u has it, too:
 * u, the convolution's output and the sum are. Outside: x, z and two weights of 16 * 16.
 * onnxruntime 1.31.1: 16,384 and 24,576 bytes.
 */
static void
what_is_enlarged_is_added_to_only_if_its_batch_is_a_number(void **state)
{
    enum { IMAGE = 4 * 2 * 16 * 8 * 8, OUTSIDE = IMAGE / 4 + IMAGE + 2 * 4 * 16 * 16 };
    static const char *const x[] = {"2,16,4,4", "batch,16,4,4"}, *const z[] = {"2,16,8,8", "batch,16,8,8"};
    static const int64_t one_one_two_two[] = {0x3f8000003f800000, 0x4000000040000000}; /* as floats */

    for (int symbolic = 0; symbolic < 2; symbolic++) {
        struct memmodel_job job = {.size = sizeof job,
                                   .framework = "onnxruntime",
                                   .isa = "avx2",
                                   .mode = 1,
                                   .steps = 1,
                                   .symbols = &(struct memmodel_symbol_value){"batch", 2},
                                   .symbol_count = (size_t)symbolic,
                                   .intra_op_threads = 1};
        struct onnx_file file = {0};
        memmodel_network *network;

        onnx_begin(&file);
        onnx_input(&file, "x", ONNX_FLOAT, x[symbolic]);
        onnx_input(&file, "z", ONNX_FLOAT, z[symbolic]);
        onnx_stored(&file, "v", ONNX_FLOAT, "16,16,1,1", NULL, 0);
        onnx_stored(&file, "w", ONNX_FLOAT, "16,16,1,1", NULL, 0);
        onnx_stored(&file, "scales", ONNX_FLOAT, "4", one_one_two_two, 2);
        onnx_node(&file, "Conv", "x,v", "a", "");
        onnx_node(&file, "Resize", "a,,scales", "u", "mode=nearest");
        onnx_node(&file, "Conv", "z,w", "b", "");
        onnx_node(&file, "Add", "b,u", "c", "");
        onnx_node(&file, "Relu", "c", "y", "");
        onnx_output(&file, "y");
        onnx_end(&file, 17);
        network = network_of(*state, &file);
        assert_int_equal(peak_of_job(network, &job), OUTSIDE + (2 + symbolic) * IMAGE);
        memmodel_network_unref(network);
        onnx_release(&file);
    }
}

/*
 * Of 2 * 4 * 8 * 8 floats: the input and the output, and along an inner axis since opset 13 both with that axis last.
 * onnxruntime 1.31.1: one allocation of 2,048 bytes, or three.
 */
static void
softmax_along_an_inner_axis_turns_copies(void **state)
{
    enum { IMAGE = 4 * 2 * 4 * 8 * 8 };
    static const struct {
        const char *axis;
        int opset, images;
    } rows[] = {{"axis=1", 17, 4}, {"axis=3", 17, 2}, {"axis=1", 11, 2}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct onnx_file file = {0};
        memmodel_network *network;

        onnx_begin(&file);
        onnx_input(&file, "x", ONNX_FLOAT, "2,4,8,8");
        onnx_node(&file, "Softmax", "x", "y", rows[i].axis);
        onnx_output(&file, "y");
        onnx_end(&file, rows[i].opset);
        network = network_of(*state, &file);
        assert_int_equal(peak_at(network, "disable"), rows[i].images * IMAGE);
        memmodel_network_unref(network);
        onnx_release(&file);
    }
}

/*
 * A convolution of 24 channels one by one, 8 * 8 pixels to 6 * 6, is blocked with AVX-512 by 32 channels: its input's
 * copy and its output are alive at once. Of 22 channels it is not, and works on a panel of 65,536 bytes.
 * onnxruntime 1.31.1: 16,384 + 9,216 and 6,336 + 65,536. Outside: x, and a weight of 3 * 3 for each channel.
 */
static void
a_depthwise_convolution_is_blocked_with_its_channels_filled_up(void **state)
{
    static const struct {
        const char *x, *weight, *groups;
        int64_t channels, bytes;
    } rows[] = {{"2,24,8,8", "24,1,3,3", "group=24", 24, 16384 + 9216},
                {"2,22,8,8", "22,1,3,3", "group=22", 22, 6336 + 65536}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct memmodel_job job = {.size = sizeof job,
                                   .framework = "onnxruntime",
                                   .isa = "avx512",
                                   .mode = 1,
                                   .steps = 1,
                                   .intra_op_threads = 1};
        struct onnx_file file = {0};
        memmodel_network *network;

        onnx_begin(&file);
        onnx_input(&file, "x", ONNX_FLOAT, rows[i].x);
        onnx_stored(&file, "w", ONNX_FLOAT, rows[i].weight, NULL, 0);
        onnx_node(&file, "Conv", "x,w", "y", rows[i].groups);
        onnx_output(&file, "y");
        onnx_end(&file, 17);
        network = network_of(*state, &file);
        assert_int_equal(peak_of_job(network, &job), rows[i].channels * 4 * (2 * 8 * 8 + 3 * 3) + rows[i].bytes);
        memmodel_network_unref(network);
        onnx_release(&file);
    }
}

/* The copy of a transposed convolution's weights is in the arena, which has one MiB for all; outside is x alone. */
static void
weights_that_are_turned_are_in_the_arena(void **state)
{
    enum { MIB = 1 << 20 };
    struct memmodel_job job = {.size = sizeof job, .framework = "onnxruntime", .mode = 1, .intra_op_threads = 1};
    struct memmodel_report_result peak = {.size = sizeof peak};
    struct onnx_file file = {0};
    memmodel_network *network;
    memmodel_report *report;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "2,8,8,8");
    onnx_stored(&file, "w", ONNX_FLOAT, "8,4,2,2", NULL, 0);
    onnx_node(&file, "ConvTranspose", "x,w", "y", "strides=2,2");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    memmodel_report_get_result(report, &peak);
    assert_int_equal(peak.reserved, 4 * 2 * 8 * 8 * 8 + MIB);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
    onnx_release(&file);
}

/*
 * Gelu(x + b) of 4 * 5 * 64 floats: as it is the sum is made first, and as one node its kernel takes as much.
 * onnxruntime 1.31.1: two allocations of 5,120 bytes. Outside: x and b.
 */
static void
a_gelu_with_a_bias_adds_it_elsewhere(void **state)
{
    struct onnx_file file = {0};
    memmodel_network *network;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "4,5,64");
    onnx_stored(&file, "b", ONNX_FLOAT, "64", NULL, 0);
    onnx_node(&file, "Add", "x,b", "a", "");
    onnx_node(&file, "Gelu", "a", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 20);
    network = network_of(*state, &file);
    assert_int_equal(peak_at(network, "disable"), 5120 + 256 + 2 * 5120);
    assert_int_equal(peak_at(network, "extended"), 5120 + 256 + 2 * 5120);
    memmodel_network_unref(network);
    onnx_release(&file);
}

/*
 * A sum of x, x plus it, its Sin, and the sum of that: buffers of x's size are alive twice at once. The second sum takes
 * the first one's buffer, which is kept for it meanwhile, if it has an axis; one without axes is freed.
 */
static void
what_has_no_axes_takes_no_idle_buffer(void **state)
{
    static const char *const keepdims[] = {"keepdims=0", "keepdims=1"};
    static const int64_t zero[] = {0};

    for (int kept = 0; kept < 2; kept++) {
        struct onnx_file file = {0};
        memmodel_network *network;

        onnx_begin(&file);
        onnx_input(&file, "x", ONNX_FLOAT, "1000");
        onnx_stored(&file, "axis", ONNX_INT64, "1", zero, 1);
        onnx_node(&file, "ReduceSum", "x,axis", "s", keepdims[kept]);
        onnx_node(&file, "Add", "x,s", "t", "");
        onnx_node(&file, "Sin", "t", "u", "");
        onnx_node(&file, "ReduceSum", "u,axis", "r", keepdims[kept]);
        onnx_node(&file, "Tanh", "r", "y", "");
        onnx_output(&file, "y");
        onnx_end(&file, 17);
        network = network_of(*state, &file);
        assert_int_equal(peak_at(network, "disable"), 4000 + 2 * 4000 + 4 * kept);
        memmodel_network_unref(network);
        onnx_release(&file);
    }
}

/*
 * x of 1 * 6,000 floats becomes r of [2 batch, 3,000], whose first size onnxruntime cannot compute and whose second it
 * has read (onnx/defs/tensor/defs.cc, Reshape): the sum over the first axis has a known size, and Tanh works in place.
 */
static void
one_unknown_size_of_a_target_leaves_the_others_known(void **state)
{
    static const int64_t zero[] = {0}, two[] = {2}, columns[] = {3000};
    struct onnx_file file = {0};
    memmodel_network *network;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "batch,6000");
    onnx_stored(&file, "zero", ONNX_INT64, "", zero, 1);
    onnx_stored(&file, "axis", ONNX_INT64, "1", zero, 1);
    onnx_stored(&file, "two", ONNX_INT64, "", two, 1);
    onnx_stored(&file, "columns", ONNX_INT64, "1", columns, 1);
    onnx_node(&file, "Shape", "x", "shape", "");
    onnx_node(&file, "Gather", "shape,zero", "n", "");
    onnx_node(&file, "Mul", "n,two", "rows", "");
    onnx_node(&file, "Unsqueeze", "rows,axis", "first", "");
    onnx_node(&file, "Concat", "first,columns", "to", "axis=0");
    onnx_node(&file, "Reshape", "x,to", "r", "");
    onnx_node(&file, "ReduceSum", "r,axis", "sum", "keepdims=0");
    onnx_node(&file, "Tanh", "sum", "t", "");
    onnx_node(&file, "ReduceSum", "t,axis", "y", "keepdims=0");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_int_equal(peak_of(network, "onnxruntime", SYMBOLS({"batch", 1})), 4 * (6000 + 3000 + 1));
    memmodel_network_unref(network);
    onnx_release(&file);
}

/*
 * a of [2, 6, 4], transposed, its 6 split into 2 x 3, and transposed back: onnxruntime reshapes first, so that the
 * transposes cancel and Tanh works in a's place: x and a of 48 floats, and the sum.
 */
static void
a_split_before_a_transpose_leaves_the_sizes_of_its_parts(void **state)
{
    static const int64_t sizes[] = {2, 4, 2, 3};
    struct onnx_file file = {0};
    memmodel_network *network;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "2,6,4");
    onnx_stored(&file, "sizes", ONNX_INT64, "4", sizes, 4);
    onnx_node(&file, "Tanh", "x", "a", "");
    onnx_node(&file, "Transpose", "a", "turned", "perm=0,2,1");
    onnx_node(&file, "Reshape", "turned,sizes", "split", "");
    onnx_node(&file, "Transpose", "split", "back", "perm=0,2,3,1");
    onnx_node(&file, "Tanh", "back", "b", "");
    onnx_node(&file, "ReduceSum", "b", "y", "keepdims=0");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_int_equal(peak_at(network, "basic"), 4 * (48 + 48 + 1));
    memmodel_network_unref(network);
    onnx_release(&file);
}

/* A vector of a row's length for each row of `of`: its shape is computed, and the numbers are zeros. */
static void
zeros_like(struct onnx_file *file, const char *of, const char *shape, const char *rows, const char *first,
           const char *to, const char *zeros)
{
    char inputs[64];

    onnx_node(file, "Shape", of, shape, "");
    snprintf(inputs, sizeof inputs, "%s,zero", shape);
    onnx_node(file, "Gather", inputs, rows, "axis=0");
    snprintf(inputs, sizeof inputs, "%s,axis", rows);
    onnx_node(file, "Unsqueeze", inputs, first, "");
    snprintf(inputs, sizeof inputs, "%s,columns", first);
    onnx_node(file, "Concat", inputs, to, "axis=0");
    onnx_node(file, "ConstantOfShape", to, zeros, "");
}

/*
 * y = b + zeros + zeros, b = Sin(Tanh(x)) of 3 * 1,000 floats, the zeros twice by nodes of their own. In the block of the
 * second run the computed shape lies where Tanh's output was, so that the zeros do not fit there, and next time again:
 * onnxruntime 1.31.1 takes 48,128 bytes, and 36,096 from "basic" on, where the same is not computed twice.
 * Besides the block there are x and y of 12,000.
 */
static void
shapes_that_are_computed_lie_in_the_block_of_later_runs(void **state)
{
    static const int64_t zero[] = {0}, columns[] = {1000};
    static const struct {
        const char *optimization;
        int64_t block;
    } rows[] = {{"disable", 48128}, {"basic", 36096}};
    struct onnx_file file = {0};
    memmodel_network *network;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "batch,1000");
    onnx_stored(&file, "zero", ONNX_INT64, "", zero, 1);
    onnx_stored(&file, "axis", ONNX_INT64, "1", zero, 1);
    onnx_stored(&file, "columns", ONNX_INT64, "1", columns, 1);
    onnx_node(&file, "Tanh", "x", "a", "");
    onnx_node(&file, "Sin", "a", "b", "");
    zeros_like(&file, "b", "shape", "rows", "first", "to", "zeros");
    onnx_node(&file, "Add", "b,zeros", "c", "");
    zeros_like(&file, "b", "shape2", "rows2", "first2", "to2", "zeros2");
    onnx_node(&file, "Add", "c,zeros2", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct memmodel_job job = {.size = sizeof job,
                                   .framework = "onnxruntime",
                                   .mode = 1,
                                   .steps = 2,
                                   .symbols = &(struct memmodel_symbol_value){"batch", 3},
                                   .symbol_count = 1,
                                   .intra_op_threads = 1,
                                   .graph_optimization = rows[i].optimization};

        assert_int_equal(peak_of_job(network, &job), 12000 + rows[i].block + 12000);
    }
    memmodel_network_unref(network);
    onnx_release(&file);
}

/*
 * An LSTM in both directions over 7 steps of 5 sequences, 9 features, 100 units. onnxruntime 1.31.1 allocates 28,000
 * bytes of output and 2 * 4,000 of last states; in each direction 2 * 400 + 3 * 2,000 of states, 56,000 of gates,
 * 4 * 400 of biases and 20 of lengths; 1,260 and 14,000 for what runs backwards. Outside: 1,260 of x, 355,200 of weights.
 */
static void
a_recurrent_kernel_takes_states_gates_and_biases(void **state)
{
    struct onnx_file file = {0};
    memmodel_network *network;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "7,5,9");
    onnx_stored(&file, "w", ONNX_FLOAT, "2,400,9", NULL, 0);
    onnx_stored(&file, "r", ONNX_FLOAT, "2,400,100", NULL, 0);
    onnx_stored(&file, "b", ONNX_FLOAT, "2,800", NULL, 0);
    onnx_node(&file, "LSTM", "x,w,r,b", "y", "direction=bidirectional");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_int_equal(peak_at(network, "disable"),
                     28000 + 2 * 4000 + 2 * (2 * 400 + 3 * 2000 + 56000 + 4 * 400 + 20) + 1260 + 14000 + 1260 + 355200);
    memmodel_network_unref(network);
    onnx_release(&file);
}

static void
an_unknown_level_of_optimization_is_refused(void **state)
{
    struct memmodel_job job = {
        .size = sizeof job, .framework = "onnxruntime", .mode = 1, .graph_optimization = "somewhat"};
    struct onnx_file file = {0};
    memmodel_network *network;
    memmodel_report *report;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "2,4");
    onnx_node(&file, "Relu", "x", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), MEMMODEL_ERROR_UNSUPPORTED);
    assert_string_equal(memmodel_context_error(*state)->object, "somewhat");
    memmodel_network_unref(network);
    onnx_release(&file);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(onnxruntime_works_in_place_where_it_can),
        WITH_CONTEXT(onnxruntime_returns_what_no_layer_uses),
        WITH_CONTEXT(a_residual_sum_is_part_of_its_convolution),
        WITH_CONTEXT(what_is_enlarged_is_added_to_only_if_its_batch_is_a_number),
        WITH_CONTEXT(softmax_along_an_inner_axis_turns_copies),
        WITH_CONTEXT(a_depthwise_convolution_is_blocked_with_its_channels_filled_up),
        WITH_CONTEXT(weights_that_are_turned_are_in_the_arena),
        WITH_CONTEXT(a_gelu_with_a_bias_adds_it_elsewhere),
        WITH_CONTEXT(what_has_no_axes_takes_no_idle_buffer),
        WITH_CONTEXT(one_unknown_size_of_a_target_leaves_the_others_known),
        WITH_CONTEXT(a_split_before_a_transpose_leaves_the_sizes_of_its_parts),
        WITH_CONTEXT(shapes_that_are_computed_lie_in_the_block_of_later_runs),
        WITH_CONTEXT(a_recurrent_kernel_takes_states_gates_and_biases),
        WITH_CONTEXT(an_unknown_level_of_optimization_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
