/*
 * What depends on PyTorch's version: which are known, and on a GPU cuBLAS' workspaces and the kernel of attention. Expected
 * are the sizes that the memory history of each version had on a simulated H100 (`memmodel run --gpu h100`), torch 2.8,
 * 2.9.1, 2.10, 2.11, 2.13, 2.14 and 2.15 of PyPI.
 */
#include "gpu_job.h"
#include "trace/trace.h"

enum { MIB = 1024 * 1024, CUBLAS = 32 * MIB, CUBLASLT = MIB };

/* ---- which versions ---- */

static int
status_of(memmodel_context *context, const char *framework, const char *version)
{
    memmodel_network *net = one_linear_layer(context);
    struct memmodel_job job = {.size = sizeof job, .framework = framework, .framework_version = version};
    memmodel_report *report = NULL;
    int status = memmodel_estimate(net, &job, context, &report);

    memmodel_report_unref(report);
    memmodel_network_unref(net);
    return status;
}

static void
versions_before_2_6_are_refused(void **state)
{
    assert_int_equal(status_of(*state, NULL, "2.6"), 0);
    assert_int_equal(status_of(*state, NULL, "2.15.0+cu132"), 0);
    assert_error(*state, status_of(*state, NULL, "2.5.1"), MEMMODEL_ERROR_UNSUPPORTED, "2.6");
    assert_error(*state, status_of(*state, NULL, "1.13"), MEMMODEL_ERROR_UNSUPPORTED, "2.6");
}

static void
what_is_no_version_is_refused(void **state)
{
    static const char *const texts[] = {"",      "latest", "2", "2.", "2.x", "2a.6", "-2.8", "2.99999999999999999999",
                                        "5000.1"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_error(*state, status_of(*state, NULL, texts[i]), MEMMODEL_ERROR_INVALID_ARGUMENT, "version");
}

static void
only_frameworks_whose_versions_differ_have_one(void **state)
{
    assert_error(*state, status_of(*state, "textbook", "2.8"), MEMMODEL_ERROR_UNSUPPORTED, "pytorch");
    assert_error(*state, status_of(*state, "tensorflow", "2.8"), MEMMODEL_ERROR_UNSUPPORTED, "pytorch");
}

static memmodel_report *
of_version(memmodel_context *context, const char *version)
{
    struct memmodel_job job = gpu_job("h200", NULL);

    job.mode = MEMMODEL_MODE_INFERENCE;
    job.framework_version = version;
    return estimated(one_linear_layer(context), &job);
}

static void
a_newer_version_is_taken_for_the_newest_with_a_warning(void **state)
{
    memmodel_report *newest = of_version(*state, NULL), *newer = of_version(*state, "2.20.1");

    assert_string_equal(result_of(newest).warning, "");
    assert_non_null(strstr(result_of(newer).warning, "2.20.1 is newer than 2.15"));
    assert_int_equal(result_of(newest).validated, 1);
    assert_int_equal(result_of(newer).validated, 0);
    assert_int_equal(result_of(newest).live, result_of(newer).live);
    memmodel_report_unref(newest);
    memmodel_report_unref(newer);
}

/* ---- cuBLAS and cublasLt, which adds the bias ---- */

struct found {
    int made, kept;
};

static struct found
blocks_of(const memmodel_report *report, int64_t bytes)
{
    const memmodel_trace *trace = memmodel_report_trace(report);
    struct found found = {0, 0};

    for (size_t i = 0; i < trace->block_count; i++) {
        found.made += trace->blocks[i].bytes == bytes;
        found.kept += trace->blocks[i].bytes == bytes && trace->blocks[i].released < 0;
    }
    return found;
}

/* Three times y = x W + b in inference: a call each. */
static void
workspaces_belong_to_a_handle_or_a_call(void **state)
{
    static const struct {
        const char *version;
        struct found cublas, cublaslt;
    } expected[] = {
        {"2.6", {1, 1}, {3, 0}},  {"2.8", {1, 1}, {3, 0}},  {"2.9", {1, 1}, {1, 1}},  {"2.10", {1, 1}, {1, 1}},
        {"2.11", {1, 1}, {1, 1}}, {"2.13", {1, 1}, {0, 0}}, {"2.14", {1, 1}, {0, 0}}, {"2.15", {0, 0}, {3, 0}},
    };

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        memmodel_report *report = of_version(*state, expected[i].version);
        struct found cublas = blocks_of(report, CUBLAS), cublaslt = blocks_of(report, CUBLASLT);

        assert_int_equal(cublas.made, expected[i].cublas.made);
        assert_int_equal(cublas.kept, expected[i].cublas.kept);
        assert_int_equal(cublaslt.made, expected[i].cublaslt.made);
        assert_int_equal(cublaslt.kept, expected[i].cublaslt.kept);
        memmodel_report_unref(report);
    }
}

/* The layer's only gradient is its weight's, since x needs none: three steps, three products without a bias. */
static void
products_without_a_bias_are_of_cublas(void **state)
{
    struct memmodel_job job = gpu_job("h100", "sgd");
    memmodel_report *report;
    struct found found;

    job.framework_version = "2.15";
    report = estimated(one_linear_layer(*state), &job);
    found = blocks_of(report, CUBLAS);
    assert_int_equal(found.made, 3);
    assert_int_equal(found.kept, 0);
    memmodel_report_unref(report);
}

/* cublasLtMatmulAlgoGetHeuristic refuses matrices of one column. */
static void
a_single_column_is_of_cublas(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){8, 16});
    struct memmodel_job job = gpu_job("h100", NULL);
    memmodel_report *report;

    memmodel_network_mark_output(net, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 1)));
    job.mode = MEMMODEL_MODE_INFERENCE;
    job.framework_version = "2.15";
    report = estimated(net, &job);
    assert_int_equal(blocks_of(report, CUBLAS).made, 3);
    assert_int_equal(blocks_of(report, CUBLASLT).made, 0);
    memmodel_report_unref(report);
}

/* CublasHandlePool.cpp: 32 MiB on Hopper, on Blackwell since pull request 175344; else ":4096:2:16:8". */
static void
blackwell_works_in_32_mib_since_2_12(void **state)
{
    static const struct {
        const char *gpu, *version;
        int64_t bytes;
    } expected[] = {
        {"b200", "2.11", 8519680},   {"b200", "2.13", CUBLAS},  {"rtx5090", "2.11", 8519680},
        {"rtx5090", "2.13", CUBLAS}, {"a100", "2.13", 8519680}, {"h100", "2.6", CUBLAS},
    };

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct memmodel_job job = gpu_job(expected[i].gpu, NULL);
        memmodel_report *report;

        job.mode = MEMMODEL_MODE_INFERENCE;
        job.framework_version = expected[i].version;
        report = estimated(one_linear_layer(*state), &job);
        assert_int_equal(blocks_of(report, expected[i].bytes).kept, 1);
        memmodel_report_unref(report);
    }
}

/* ---- attention ---- */

static memmodel_report *
attended(memmodel_context *context, const char *version, int dtype, int64_t shared_heads)
{
    memmodel_network *net = empty_network(context);
    int64_t dims[] = {2, 8, 128, 64}, shared[] = {2, shared_heads, 128, 64};
    memmodel_tensor query = memmodel_network_parameter(net, "q", dtype, 4, dims, 1);
    memmodel_tensor key = memmodel_network_parameter(net, "k", dtype, 4, shared, 1);
    memmodel_tensor value = memmodel_network_parameter(net, "v", dtype, 4, shared, 1);
    struct memmodel_job job = gpu_job("h100", "sgd");

    memmodel_network_mark_output(net,
                                 memmodel_network_attention(net, query, key, value, MEMMODEL_TENSOR_NONE,
                                                            MEMMODEL_ATTENTION(.grouped_query = shared_heads != 8)));
    job.framework_version = version;
    job.steps = 1;
    return estimated(net, &job);
}

/* Products of all scores (2 x 8 x 128 x 128 x 4 bytes) are there where the kernel takes no shared heads. */
static void
shared_heads_in_float32_take_a_kernel_since_2_14(void **state)
{
    memmodel_report *before = attended(*state, "2.13", MEMMODEL_DTYPE_FLOAT32, 2);
    memmodel_report *since = attended(*state, "2.14", MEMMODEL_DTYPE_FLOAT32, 2);

    assert_true(blocks_of(before, 1048576).made > 0);
    assert_int_equal(blocks_of(since, 1048576).made, 0);
    assert_int_equal(blocks_of(since, 8).made, 2); /* seed and offset of the generator */
    memmodel_report_unref(before);
    memmodel_report_unref(since);
}

/* cuDNN's backward pass works in 532,736 bytes; flash attention adds up 524,288 and keeps a state of 16 bytes. */
static void
hopper_prefers_cudnn_since_2_11(void **state)
{
    memmodel_report *before = attended(*state, "2.10", MEMMODEL_DTYPE_BFLOAT16, 8);
    memmodel_report *since = attended(*state, "2.11", MEMMODEL_DTYPE_BFLOAT16, 8);
    memmodel_report *shared = attended(*state, "2.15", MEMMODEL_DTYPE_BFLOAT16, 2);

    assert_int_equal(blocks_of(before, 524288).made, 1);
    assert_int_equal(blocks_of(before, 16).made, 1);
    assert_int_equal(blocks_of(since, 532736).made, 1);
    assert_int_equal(blocks_of(shared, 1057024).made, 1);
    memmodel_report_unref(before);
    memmodel_report_unref(since);
    memmodel_report_unref(shared);
}

/* ---- autocast: the history of cross_entropy(y of bfloat16) is half, whole, 4, 4, backward whole, half, half ---- */

/* y [4, 40]: 640 bytes in float32, for nll_loss and its gradient in each of three steps. */
static void
cross_entropy_takes_its_log_softmax_in_half(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){4, 16});
    memmodel_tensor target = memmodel_network_input(net, "target", MEMMODEL_DTYPE_INT64, 1, (int64_t[]){4});
    struct memmodel_job job = gpu_job("h100", "sgd");
    memmodel_report *report;

    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 40));
    memmodel_network_mark_output(net, x);
    memmodel_network_loss(net, x, target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_CROSS_ENTROPY));
    job.precision = "bfloat16";
    report = estimated(net, &job);
    assert_int_equal(blocks_of(report, 640).made, 2 * 3);
    memmodel_report_unref(report);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        WITH_CONTEXT(versions_before_2_6_are_refused),
        WITH_CONTEXT(what_is_no_version_is_refused),
        WITH_CONTEXT(only_frameworks_whose_versions_differ_have_one),
        WITH_CONTEXT(a_newer_version_is_taken_for_the_newest_with_a_warning),
        WITH_CONTEXT(workspaces_belong_to_a_handle_or_a_call),
        WITH_CONTEXT(products_without_a_bias_are_of_cublas),
        WITH_CONTEXT(a_single_column_is_of_cublas),
        WITH_CONTEXT(blackwell_works_in_32_mib_since_2_12),
        WITH_CONTEXT(shared_heads_in_float32_take_a_kernel_since_2_14),
        WITH_CONTEXT(hopper_prefers_cudnn_since_2_11),
        WITH_CONTEXT(cross_entropy_takes_its_log_softmax_in_half),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
