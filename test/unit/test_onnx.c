/* ONNX files: what becomes of nodes, what is refused and how, and that weights are not read. */
#include "allocations.h"

#include "onnx_network.h"

#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- helpers ---- */

static int
status_of(memmodel_context *context, const struct onnx_file *file)
{
    memmodel_network *network = NULL;

    return memmodel_network_from_onnx(context, "test", file->bytes, file->length, NULL, &network);
}

/* The shape of what the network returns, bound to symbols: the last layer of its table. */
static const char *
last_shape(memmodel_network *network, const struct memmodel_symbol_value *symbols, size_t count, char text[64])
{
    struct memmodel_job job = {.size = sizeof job,
                               .framework = "textbook",
                               .textbook_rule = "forward",
                               .symbols = symbols,
                               .symbol_count = count};
    struct memmodel_report_layer layer = {.size = sizeof layer};
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    for (size_t i = 0; memmodel_report_get_layer(report, i, &layer) == 0; i++)
        snprintf(text, 64, "%s", layer.shape);
    memmodel_report_unref(report);
    return text;
}

/* ---- what becomes of nodes ---- */

static void
named_dimensions_become_symbols_and_shapes_follow(void **state)
{
    struct onnx_file file = {0};
    memmodel_network *network;
    char text[64];

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "batch,3,size,size");
    onnx_stored(&file, "w", ONNX_FLOAT, "8,3,3,3", NULL, 0);
    onnx_node(&file, "Conv", "x,w", "a", "strides=2,2");
    onnx_node(&file, "Relu", "a", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_int_equal(memmodel_network_symbol_count(network), 2);
    /* floor((33 - 3) / 2) + 1 = 16 */
    assert_string_equal(last_shape(network, SYMBOLS({"batch", 4}, {"size", 33}), text), "4x8x16x16");
    memmodel_network_unref(network);
    onnx_release(&file);
}

static void
shapes_that_exporters_compute_make_no_layers(void **state)
{
    static const int64_t zero[] = {0}, minus[] = {-1}, two[] = {2};
    struct onnx_file file = {0};
    memmodel_network *network;
    char text[64];

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "batch,length,6");
    onnx_stored(&file, "zero", ONNX_INT64, "", zero, 1);
    onnx_stored(&file, "axes", ONNX_INT64, "1", zero, 1);
    onnx_stored(&file, "minus", ONNX_INT64, "1", minus, 1);
    onnx_stored(&file, "two", ONNX_INT64, "", two, 1);
    onnx_node(&file, "Shape", "x", "shape", "");
    onnx_node(&file, "Gather", "shape,zero", "n", "");
    onnx_node(&file, "Mul", "n,two", "n2", "");
    onnx_node(&file, "Unsqueeze", "n2,axes", "n3", "");
    onnx_node(&file, "Concat", "n3,minus", "to", "axis=0");
    onnx_node(&file, "Reshape", "x,to", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_int_equal(memmodel_network_layer_count(network), 2); /* the input and the reshape */
    /* 5 * 8 * 6 elements in 10 rows */
    assert_string_equal(last_shape(network, SYMBOLS({"batch", 5}, {"length", 8}), text), "10x24");
    memmodel_network_unref(network);
    onnx_release(&file);
}

static void
a_weight_of_two_nodes_is_counted_once(void **state)
{
    struct onnx_file file = {0};
    memmodel_network *network;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "2,16");
    onnx_stored(&file, "w", ONNX_FLOAT, "16,16", NULL, 0);
    onnx_node(&file, "MatMul", "x,w", "a", "");
    onnx_node(&file, "MatMul", "a,w", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    /* forward: 16 * 16 weights, an input and two outputs of 2 * 16, in 4 bytes each */
    assert_int_equal(peak_of(network, "textbook", NULL, 0), 4 * (256 + 3 * 32));
    memmodel_network_unref(network);
    onnx_release(&file);
}

static void
an_operator_without_a_rule_goes_by_what_the_file_says(void **state)
{
    struct onnx_file file = {0};
    memmodel_network *network;
    char text[64];

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "n,3");
    onnx_node(&file, "Unheard", "x", "y", "");
    onnx_value(&file, "y", ONNX_FLOAT, "n,7");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_string_equal(last_shape(network, SYMBOLS({"n", 5}), text), "5x7");
    memmodel_network_unref(network);
    onnx_release(&file);
}

static void
an_operator_whose_name_cannot_be_printed_has_none(void **state)
{
    struct onnx_file file = {0};
    memmodel_network *network;
    char *json;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "2,3");
    onnx_node(&file, "Un\theard", "x", "y", "");
    onnx_value(&file, "y", ONNX_FLOAT, "2,7");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_int_equal(memmodel_network_to_json(network, NULL, &json), 0);
    assert_non_null(strstr(json, "\"onnx.?\""));
    memmodel_free(json);
    memmodel_network_unref(network);
    onnx_release(&file);
}

static void
the_first_dimension_can_be_given_a_symbol(void **state)
{
    struct memmodel_onnx_options options = {.size = sizeof options, .batch_symbol = "batch"};
    struct onnx_file file = {0};
    memmodel_network *network;
    char text[64];

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "1,3");
    onnx_node(&file, "Relu", "x", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    assert_int_equal(memmodel_network_from_onnx(*state, "test", file.bytes, file.length, &options, &network), 0);
    assert_string_equal(last_shape(network, SYMBOLS({"batch", 9}), text), "9x3");
    memmodel_network_unref(network);
    onnx_release(&file);
}

/* Protocol Buffers' "Encoding": a parser takes repeated numbers packed as well as one by one. */
static void
dimensions_of_a_tensor_may_be_packed(void **state)
{
    struct onnx_file file = {0}, tensor = {0};
    memmodel_network *network;
    char text[64];

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "2,16");
    onnx_bytes(&tensor, 1, "\x10\x08", 2); /* dims: 16, 8 */
    onnx_tensor(&tensor, "w", ONNX_FLOAT, "");
    onnx_number(&tensor, 14, 1); /* its data lies in another file */
    onnx_message(&file, 5, &tensor);
    onnx_node(&file, "MatMul", "x,w", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_string_equal(last_shape(network, NULL, 0, text), "2x8");
    memmodel_network_unref(network);
    onnx_release(&file);
}

/* As onnx's own helper writes int64_data (onnx.proto: [packed = true]). */
static void
numbers_of_a_tensor_may_be_packed(void **state)
{
    struct onnx_file file = {0}, sizes = {0};
    memmodel_network *network;
    char text[64];

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "24");
    onnx_tensor(&sizes, "sizes", ONNX_INT64, "2");
    onnx_bytes(&sizes, 7, "\x04\x06", 2);
    onnx_message(&file, 5, &sizes);
    onnx_node(&file, "Reshape", "x,sizes", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_string_equal(last_shape(network, NULL, 0, text), "4x6");
    memmodel_network_unref(network);
    onnx_release(&file);
}

static void
assert_turns_into(memmodel_context *context, const char *op, const char *dims, const char *expected)
{
    struct onnx_file file = {0};
    memmodel_network *network;
    char text[64];

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, dims);
    onnx_node(&file, op, "x", "y", "blocksize=2");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(context, &file);
    assert_string_equal(last_shape(network, NULL, 0, text), expected);
    memmodel_network_unref(network);
    onnx_release(&file);
}

/* DepthToSpace of ONNX: [N, C, H, W] becomes [N, C / b^2, H b, W b]; SpaceToDepth turns that around. */
static void
blocks_of_channels_become_blocks_of_the_image_and_back(void **state)
{
    assert_turns_into(*state, "DepthToSpace", "1,8,3,5", "1x2x6x10");
    assert_turns_into(*state, "SpaceToDepth", "1,2,6,10", "1x8x3x5");
}

/* The mode is kept with the layer, for rules to which the way of interpolation matters. */
static void
assert_resizes_by(memmodel_context *context, const char *mode, const char *expected)
{
    static const float twice[] = {1, 1, 2, 2};
    struct onnx_file file = {0}, scales = {0};
    memmodel_network *network;
    char attributes[32], *json;

    snprintf(attributes, sizeof attributes, "mode=%s", mode);
    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "1,2,4,4");
    onnx_tensor(&scales, "scales", ONNX_FLOAT, "4");
    onnx_bytes(&scales, 9, twice, sizeof twice);
    onnx_message(&file, 5, &scales);
    onnx_node(&file, "Upsample", "x,scales", "y", attributes);
    onnx_output(&file, "y");
    onnx_end(&file, 9);
    network = network_of(context, &file);
    assert_int_equal(memmodel_network_to_json(network, NULL, &json), 0);
    if (expected)
        assert_non_null(strstr(json, expected));
    else
        assert_null(strstr(json, "\"kind\""));
    memmodel_free(json);
    memmodel_network_unref(network);
    onnx_release(&file);
}

static void
an_image_is_resized_by_the_mode_that_the_node_says(void **state)
{
    assert_resizes_by(*state, "nearest", NULL);
    assert_resizes_by(*state, "linear", "\"kind\": \"linear\"");
    assert_resizes_by(*state, "cubic", "\"kind\": \"cubic\"");
}

/* ONNX: the output has floor(size times scale) elements along each axis, whatever the number of axes. */
static void
a_matrix_can_be_resampled(void **state)
{
    static const float ones[] = {1, 1};
    struct onnx_file file = {0}, scales = {0};
    memmodel_network *network;
    char text[64];

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "4,6");
    onnx_tensor(&scales, "scales", ONNX_FLOAT, "2");
    onnx_bytes(&scales, 9, ones, sizeof ones);
    onnx_message(&file, 5, &scales);
    onnx_node(&file, "Upsample", "x,scales", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 9);
    network = network_of(*state, &file);
    assert_string_equal(last_shape(network, NULL, 0, text), "4x6");
    memmodel_network_unref(network);
    onnx_release(&file);
}

/* Range: max(ceil((limit - start) / delta), 0) elements. Before 4 and 6 there is none. */
static void
a_range_that_ends_where_it_begins_is_empty(void **state)
{
    static const int64_t start[] = {2}, one[] = {1}, sizes[] = {4, 6};
    struct onnx_file file = {0};
    memmodel_network *network;
    char text[64];

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "24");
    onnx_stored(&file, "start", ONNX_INT64, "", start, 1);
    onnx_stored(&file, "one", ONNX_INT64, "", one, 1);
    onnx_stored(&file, "sizes", ONNX_INT64, "2", sizes, 2);
    onnx_node(&file, "Range", "start,start,one", "none", "");
    onnx_node(&file, "Concat", "none,sizes", "to", "axis=0");
    onnx_node(&file, "Reshape", "x,to", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_string_equal(last_shape(network, NULL, 0, text), "4x6");
    memmodel_network_unref(network);
    onnx_release(&file);
}

/* 2, 402: two elements, however far they are apart. */
static void
a_range_has_as_many_elements_as_steps(void **state)
{
    static const int64_t start[] = {2}, limit[] = {802}, delta[] = {400};
    struct onnx_file file = {0};
    memmodel_network *network;
    char text[64];

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "804");
    onnx_stored(&file, "start", ONNX_INT64, "", start, 1);
    onnx_stored(&file, "limit", ONNX_INT64, "", limit, 1);
    onnx_stored(&file, "delta", ONNX_INT64, "", delta, 1);
    onnx_node(&file, "Range", "start,limit,delta", "to", "");
    onnx_node(&file, "Reshape", "x,to", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_string_equal(last_shape(network, NULL, 0, text), "2x402");
    memmodel_network_unref(network);
    onnx_release(&file);
}

/* Two elements of 3: x of 9 becomes 3 x 3. */
static void
a_constant_of_a_shape_has_its_value_everywhere(void **state)
{
    static const int64_t two[] = {2}, three[] = {3};
    struct onnx_file file = {0}, node = {0}, attribute = {0}, value = {0};
    memmodel_network *network;
    char text[64];

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "9");
    onnx_stored(&file, "two", ONNX_INT64, "1", two, 1);
    onnx_tensor(&value, "", ONNX_INT64, "1");
    onnx_bytes(&value, 9, three, sizeof three);
    onnx_bytes(&attribute, 1, "value", 5);
    onnx_message(&attribute, 5, &value);
    onnx_bytes(&node, 1, "two", 3);
    onnx_bytes(&node, 2, "to", 2);
    onnx_bytes(&node, 4, "ConstantOfShape", 15);
    onnx_message(&node, 5, &attribute);
    onnx_message(&file, 1, &node);
    onnx_node(&file, "Reshape", "x,to", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    network = network_of(*state, &file);
    assert_string_equal(last_shape(network, NULL, 0, text), "3x3");
    memmodel_network_unref(network);
    onnx_release(&file);
}

/* ---- refusals ---- */

static void
an_unknown_operator_without_a_shape_is_named(void **state)
{
    struct onnx_file file = {0};

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "n,3");
    onnx_node(&file, "Unheard", "x", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    assert_error(*state, status_of(*state, &file), MEMMODEL_ERROR_UNSUPPORTED, "Unheard: has no rule");
    assert_string_equal(memmodel_context_error(*state)->object, "Unheard_y");
    onnx_release(&file);
}

static void
a_branch_is_refused(void **state)
{
    struct onnx_file file = {0};

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "1");
    onnx_node(&file, "If", "x", "y", "graph");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    assert_error(*state, status_of(*state, &file), MEMMODEL_ERROR_UNSUPPORTED, "If: has a graph of its own");
    onnx_release(&file);
}

static void
a_shape_that_does_not_fit_names_the_node(void **state)
{
    struct onnx_file file = {0};

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "2,15");
    onnx_stored(&file, "w", ONNX_FLOAT, "16,16", NULL, 0);
    onnx_node(&file, "MatMul", "x,w", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    assert_error(*state, status_of(*state, &file), MEMMODEL_ERROR_SHAPE, "a row of 15 elements times a column of 16");
    assert_string_equal(memmodel_context_error(*state)->object, "MatMul_y");
    onnx_release(&file);
}

/* -2^63 twice is 0 in 64 bits that wrap around. */
static void
pads_whose_sum_does_not_fit_are_refused(void **state)
{
    struct onnx_file file = {0};

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "2,4");
    onnx_node(&file, "Pad", "x", "y", "pads=0,-9223372036854775808,0,-9223372036854775808");
    onnx_output(&file, "y");
    onnx_end(&file, 9);
    assert_error(*state, status_of(*state, &file), MEMMODEL_ERROR_OVERFLOW,
                 "pads of -9223372036854775808 and -9223372036854775808 do not fit in 63 bits");
    onnx_release(&file);
}

static void
an_old_opset_is_refused(void **state)
{
    struct onnx_file file = {0};

    onnx_begin(&file);
    onnx_end(&file, 6);
    assert_error(*state, status_of(*state, &file), MEMMODEL_ERROR_UNSUPPORTED, "opset 6");
    onnx_release(&file);
}

/* A file that is cut, or with any byte changed, is a network or an error with its place; never anything else. */
static void
every_cut_file_is_refused_with_the_byte(void **state)
{
    struct onnx_file file = {0};

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "2,16");
    onnx_stored(&file, "w", ONNX_FLOAT, "16,16", NULL, 0);
    onnx_node(&file, "MatMul", "x,w", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    for (size_t length = 1; length < file.length - 6; length++) { /* the last 6 bytes are the opset */
        struct onnx_file cut = {.bytes = file.bytes, .length = length};

        assert_error(*state, status_of(*state, &cut), MEMMODEL_ERROR_PARSE, "byte ");
    }
    onnx_release(&file);
}

/* 2^61 elements of 8 bytes are 2^64: none, if they are counted in 64 bits. */
static void
more_bytes_than_64_bits_can_count_are_not_none(void **state)
{
    static const int64_t none[1];
    struct onnx_file file = {0};

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_INT64, "2305843009213693952");
    onnx_stored(&file, "w", ONNX_INT64, "2305843009213693952", none, 0);
    onnx_node(&file, "Add", "x,w", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    assert_error(*state, status_of(*state, &file), MEMMODEL_ERROR_PARSE,
                 "\"w\" has 0 bytes for 2305843009213693952 elements");
    onnx_release(&file);
}

static void
what_is_no_onnx_file_is_refused(void **state)
{
    memmodel_network *network = NULL;

    assert_error(*state, memmodel_network_from_onnx(*state, "test", "", 0, NULL, &network), MEMMODEL_ERROR_PARSE,
                 "no graph");
    assert_error(*state, memmodel_network_from_onnx(*state, "test", "{\"format\": 1}", 13, NULL, &network),
                 MEMMODEL_ERROR_PARSE, "byte 0");
    assert_error(*state, memmodel_network_load_onnx(*state, "/nowhere/model.onnx", NULL, &network), MEMMODEL_ERROR_IO,
                 "No such file");
    assert_null(network);
}

/* ---- weights are stepped over ---- */

/* A file with one matrix of 50,000 times 50,000, 10 GB of zeros that the file system does not store. */
static void
write_large_file(const char *path)
{
    struct onnx_file file = {0};
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "batch,50000");
    onnx_stored_elsewhere(&file, "w", "50000,50000", INT64_C(10000000000));
    onnx_node(&file, "MatMul", "x,w", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    assert_int_equal(fwrite(file.bytes, 1, file.hole, out), file.hole);
    assert_int_equal(fseeko(out, (off_t)INT64_C(10000000000), SEEK_CUR), 0);
    assert_int_equal(fwrite(file.bytes + file.hole, 1, file.length - file.hole, out), file.length - file.hole);
    assert_int_equal(fclose(out), 0);
    onnx_release(&file);
}

static double
seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long
resident_kilobytes(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void
ten_gigabytes_of_weights_take_neither_time_nor_memory(void **state)
{
    char path[] = "onnx-large-XXXXXX";
    int descriptor = mkstemp(path);
    memmodel_network *network;
    long before;
    double start;

    assert_true(descriptor >= 0);
    close(descriptor);
    write_large_file(path);
    before = resident_kilobytes();
    start = seconds();
    assert_int_equal(memmodel_network_load_onnx(*state, path, NULL, &network), 0);
    assert_true(seconds() - start < 0.1);
    assert_true(resident_kilobytes() - before < 10000);
    assert_int_equal(memmodel_network_layer_count(network), 2);
    memmodel_network_unref(network);
    remove(path);
}

/* ---- without memory ---- */

static int
load_something(memmodel_context *context)
{
    static const int64_t zero[] = {0}, minus[] = {-1};
    struct onnx_file file = {0};
    memmodel_network *network = NULL;
    int status;

    onnx_begin(&file);
    onnx_input(&file, "x", ONNX_FLOAT, "batch,3,size+1,size");
    onnx_stored(&file, "w", ONNX_FLOAT, "8,3,3,3", NULL, 0);
    onnx_stored(&file, "zero", ONNX_INT64, "1", zero, 1);
    onnx_stored(&file, "minus", ONNX_INT64, "1", minus, 1);
    onnx_node(&file, "Conv", "x,w", "a", "");
    onnx_node(&file, "Conv", "x,w", "b", "");
    onnx_node(&file, "Add", "a,b", "c", "");
    onnx_node(&file, "Shape", "c", "shape", "");
    onnx_node(&file, "Gather", "shape,zero", "n", "");
    onnx_node(&file, "Concat", "n,minus", "to", "axis=0");
    onnx_node(&file, "Reshape", "c,to", "d", "");
    onnx_node(&file, "Greater", "n,zero", "some", "");
    onnx_node(&file, "Erf", "d", "y", "");
    onnx_output(&file, "y");
    onnx_end(&file, 17);
    status = memmodel_network_from_onnx(context, "test", file.bytes, file.length, NULL, &network);
    if (!status) {
        struct memmodel_symbol_value symbols[] = {{"batch", 2}, {"size", 9}};
        struct memmodel_job job = {
            .size = sizeof job, .framework = "onnxruntime", .symbols = symbols, .symbol_count = 2, .mode = 1};
        memmodel_report *report;

        status = memmodel_estimate(network, &job, NULL, &report);
        if (!status)
            memmodel_report_unref(report);
        memmodel_network_unref(network);
    }
    onnx_release(&file);
    return status;
}

static void
reading_without_memory_fails_cleanly(void **state)
{
    (void)state;
    assert_survives_failing_allocations(load_something);
}

/* What failed before has nothing to do with it. */
static int
load_something_after_a_failure(memmodel_context *context)
{
    assert_null(memory_allocate(context, SIZE_MAX));
    return load_something(context);
}

static void
reading_without_memory_fails_after_a_failure_as_well(void **state)
{
    (void)state;
    assert_survives_failing_allocations(load_something_after_a_failure);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(named_dimensions_become_symbols_and_shapes_follow),
        WITH_CONTEXT(shapes_that_exporters_compute_make_no_layers),
        WITH_CONTEXT(a_weight_of_two_nodes_is_counted_once),
        WITH_CONTEXT(an_operator_without_a_rule_goes_by_what_the_file_says),
        WITH_CONTEXT(an_operator_whose_name_cannot_be_printed_has_none),
        WITH_CONTEXT(the_first_dimension_can_be_given_a_symbol),
        WITH_CONTEXT(dimensions_of_a_tensor_may_be_packed),
        WITH_CONTEXT(numbers_of_a_tensor_may_be_packed),
        WITH_CONTEXT(blocks_of_channels_become_blocks_of_the_image_and_back),
        WITH_CONTEXT(an_image_is_resized_by_the_mode_that_the_node_says),
        WITH_CONTEXT(a_matrix_can_be_resampled),
        WITH_CONTEXT(a_range_that_ends_where_it_begins_is_empty),
        WITH_CONTEXT(a_range_has_as_many_elements_as_steps),
        WITH_CONTEXT(a_constant_of_a_shape_has_its_value_everywhere),
        WITH_CONTEXT(an_unknown_operator_without_a_shape_is_named),
        WITH_CONTEXT(a_branch_is_refused),
        WITH_CONTEXT(a_shape_that_does_not_fit_names_the_node),
        WITH_CONTEXT(pads_whose_sum_does_not_fit_are_refused),
        WITH_CONTEXT(an_old_opset_is_refused),
        WITH_CONTEXT(every_cut_file_is_refused_with_the_byte),
        WITH_CONTEXT(more_bytes_than_64_bits_can_count_are_not_none),
        WITH_CONTEXT(what_is_no_onnx_file_is_refused),
        WITH_CONTEXT(ten_gigabytes_of_weights_take_neither_time_nor_memory),
        cmocka_unit_test(reading_without_memory_fails_cleanly),
        cmocka_unit_test(reading_without_memory_fails_after_a_failure_as_well),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
