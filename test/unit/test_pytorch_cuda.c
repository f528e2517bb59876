/*
 * PyTorch on a GPU: what kernels take there, against sizes worked out by hand from PyTorch's source, and how its
 * allocator's bytes become the report's. How such jobs are asked for is in test_gpu_job.c.
 */
#include "gpu_job.h"
#include "trace/trace.h"

#define MIB INT64_C(1048576)

enum {
    CUBLAS_WORKSPACE = 4096 * 2 * 1024 + 16 * 8 * 1024,
    HOPPER_WORKSPACE = 32 * 1024 * 1024,
    CUBLASLT = 1024 * 1024
};

/* Blocks of a size that were allocated in a phase of the second step: how many, and the first of them. */
static int
list_blocks(const memmodel_report *report, int phase, int64_t bytes, const struct trace_block **blocks, int max)
{
    const memmodel_trace *trace = memmodel_report_trace(report);
    int count = 0;

    for (size_t i = 0; i < trace->block_count; i++) {
        const struct trace_event *event = &trace->events[trace->blocks[i].allocated];

        if (event->step != 2 || event->phase != phase || trace->blocks[i].bytes != bytes)
            continue;
        if (count < max)
            blocks[count] = &trace->blocks[i];
        count++;
    }
    return count;
}

static int
blocks_of(const memmodel_report *report, int phase, int64_t bytes)
{
    return list_blocks(report, phase, bytes, NULL, 0);
}

/* Most bytes of workspace that are alive together in the optimizer, of blocks that it made itself. */
static int64_t
optimizer_temporaries(const memmodel_report *report)
{
    const memmodel_trace *trace = memmodel_report_trace(report);
    int64_t now = 0, max = 0;

    for (size_t i = 0; i < trace->event_count; i++) {
        const struct trace_event *event = &trace->events[i];
        const struct trace_block *block = &trace->blocks[event->block];

        if (event->step != 2 || event->phase != MEMMODEL_PHASE_OPTIMIZER ||
            block->category != MEMMODEL_CATEGORY_WORKSPACE)
            continue;
        now += event->release ? -block->bytes : block->bytes;
        max = now > max ? now : max;
    }
    return max;
}

static void
mean_squared_error(memmodel_network *net, memmodel_tensor x, int rank, const int64_t *dims)
{
    memmodel_tensor target = memmodel_network_input(net, "target", MEMMODEL_DTYPE_FLOAT32, rank, dims);

    memmodel_network_mark_output(net, x);
    memmodel_network_loss(net, x, target, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_MEAN_SQUARED_ERROR));
}

/* ---- the allocator's bytes ---- */

/* The bias of 128 bytes counts 512; from the second step on the output before is still bound. */
static void
live_bytes_are_those_of_rounded_blocks(void **state)
{
    memmodel_report *report = predicted(*state, "a100");
    int64_t first = 2048 + 512 + 512 + 1024 + CUBLAS_WORKSPACE + CUBLASLT;

    assert_int_equal(memmodel_report_step_peak(report, 0), first);
    assert_int_equal(memmodel_report_step_peak(report, 1), first + 1024);
    assert_int_equal(result_of(report).live, first + 1024);
    assert_int_equal(memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_ALLOCATOR_OVERHEAD), 512 - 128);
    memmodel_report_unref(report);
}

/* What is at most 1 MiB shares a segment of 2 MiB, cuBLAS's workspace lies in one of 20 MiB. */
static void
reserved_bytes_are_those_of_segments(void **state)
{
    memmodel_report *report = predicted(*state, "a100");

    assert_int_equal(result_of(report).reserved, 2 * MIB + 20 * MIB);
    memmodel_report_unref(report);
}

static void
the_process_has_its_context_and_kernels_besides(void **state)
{
    memmodel_report *report = predicted(*state, "rtx3090");

    assert_int_equal(result_of(report).process, result_of(report).reserved + 256 * MIB + 60 * MIB);
    memmodel_report_unref(report);
}

static void
cublas_works_in_32_mib_from_hopper_on(void **state)
{
    memmodel_report *ampere = predicted(*state, "a100"), *hopper = predicted(*state, "h200");

    assert_int_equal(result_of(hopper).live - result_of(ampere).live, HOPPER_WORKSPACE - CUBLAS_WORKSPACE);
    memmodel_report_unref(ampere);
    memmodel_report_unref(hopper);
}

/* CUBLAS handles are of a thread each, and the backward pass runs on one of its own. */
static void
training_has_two_workspaces_of_cublas(void **state)
{
    memmodel_network *net = one_linear_layer(*state);
    memmodel_report *report = trained(net);
    const memmodel_trace *trace = memmodel_report_trace(report);
    int count = 0;

    for (size_t i = 0; i < trace->block_count; i++)
        count += trace->blocks[i].bytes == CUBLAS_WORKSPACE && trace->blocks[i].released < 0;
    assert_int_equal(count, 2);
    memmodel_report_unref(report);
}

/* Sizes in KiB, each with how many of it; PyTorch adds up all that it finds in the text. */
static void
cublas_works_in_what_the_job_gives_it(void **state)
{
    static const struct {
        const char *config;
        int64_t bytes;
    } cases[] = {{":16:8", 16 * 8 * 1024},
                 {":4096:2:16:8", (4096 * 2 + 16 * 8) * 1024},
                 {":16:8:32:2x:8:1", (16 * 8 + 32 * 2 + 8) * 1024},
                 {":0:0", 0}};
    struct memmodel_job job = gpu_job("h100", "sgd");

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memmodel_report *report;
        const memmodel_trace *trace;
        int count = 0;

        job.cublas_workspace = cases[i].config;
        report = estimated(one_linear_layer(*state), &job);
        trace = memmodel_report_trace(report);
        for (size_t k = 0; k < trace->block_count; k++) {
            count += trace->blocks[k].bytes == cases[i].bytes && trace->blocks[k].released < 0;
            assert_true(trace->blocks[k].bytes < HOPPER_WORKSPACE);
        }
        assert_int_equal(count, cases[i].bytes ? 2 : 0);
        memmodel_report_unref(report);
    }
}

/* ---- kernels ---- */

/* x [2, 3, 16, 16] -> 8 filters of 3 x 3: 16384 bytes; no columns, no blocked copies. */
static void
a_convolution_takes_its_output_alone(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (int64_t[]){2, 3, 16, 16});
    memmodel_report *report;

    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 8, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
    mean_squared_error(net, x, 4, (int64_t[]){2, 8, 16, 16});
    report = trained(net);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 16384), 3); /* with the loss and its differences */
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 3 * 8 * 9 * 4), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 8 * 4), 1);
    memmodel_report_unref(report);
}

/* On a CPU the gradient of the input is allocated twice. */
static void
batch_norm_makes_one_gradient_of_its_input(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = memmodel_network_parameter(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (int64_t[]){2, 3, 8, 16}, 1);
    memmodel_report *report;

    memmodel_network_mark_output(net, memmodel_network_batch_norm(net, x, NULL));
    report = trained(net);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 2 * 3 * 8 * 16 * 4), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 3 * 4), 2);               /* mean and deviation */
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 3 * 4), 2);              /* of weight and bias */
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 2 * 3 * 8 * 16 * 4), 2); /* with the given gradient */
    memmodel_report_unref(report);
}

/* Rows of channels are PyTorch's own kernels': batch_norm_backward_reduce sums, and _elemt is called where it is asked for. */
static void
batch_norm_of_data_makes_no_gradient_of_its_input(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){8, 24});
    memmodel_report *report;

    memmodel_network_mark_output(net, memmodel_network_batch_norm(net, x, NULL));
    report = trained(net);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 24 * 4), 4);     /* two sums, of weight and bias */
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 8 * 24 * 4), 1); /* the given gradient */
    memmodel_report_unref(report);
}

static void
dropout_keeps_a_byte_an_element(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = memmodel_network_parameter(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){8, 125}, 1);
    memmodel_report *report;

    memmodel_network_mark_output(net, memmodel_network_dropout(net, x, NULL));
    report = trained(net);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 1000), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 4000), 1);
    memmodel_report_unref(report);
}

/* Query, key and value [2, 4, 40, 8]: parameters of their own, or one that is all three. */
static memmodel_report *
attended(memmodel_context *context, int dtype, bool one, const char *gpu)
{
    static const int64_t dims[] = {2, 4, 40, 8};
    struct memmodel_job job = gpu_job(gpu, "sgd");
    memmodel_network *net = empty_network(context);
    memmodel_tensor q = memmodel_network_parameter(net, "q", dtype, 4, dims, 1);
    memmodel_tensor k = one ? q : memmodel_network_parameter(net, "k", dtype, 4, dims, 1);
    memmodel_tensor v = one ? q : memmodel_network_parameter(net, "v", dtype, 4, dims, 1);

    memmodel_network_mark_output(net, memmodel_network_attention(net, q, k, v, MEMMODEL_TENSOR_NONE, NULL));
    return estimated(net, &job);
}

/*
 * logsumexp: rows of 40 rounded up to 64. Backward: the given gradient, its copy with the length before the heads
 * (attention_backward.cu, grad_out_.contiguous()), three gradients in that order, each copied in its parameter's order, and the products of gradient and result.
 */
static void
attention_in_float32_is_memory_efficient(void **state)
{
    memmodel_report *report = attended(*state, MEMMODEL_DTYPE_FLOAT32, false, "rtx3090");

    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 2 * 4 * 40 * 8 * 4), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 2 * 4 * 64 * 4), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 2 * 4 * 40 * 8 * 4), 1 + 1 + 3 + 3 + 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 2 * 4 * 40 * 4), 2);
    memmodel_report_unref(report);
}

/*
 * Key and value are data. The kernel makes the gradients of all; those of key and value are gone when it returns
 * (gen_autograd_functions.py, task_should_compute_output), before the query's becomes that of a parameter, which the
 * engine does before it sums the mask's of 8 heads of 40 x 40: that is the gradient of a view (preprocess_mask).
 */
static void
gradients_of_data_go_when_attention_returns(void **state)
{
    enum { GIVEN, COPY, OF_QUERY, OF_KEY, OF_VALUE, PRODUCTS, COUNT };
    static const int64_t dims[] = {2, 4, 40, 8}, mask_dims[] = {1, 1, 40, 40};
    const struct trace_block *blocks[COUNT], *sum;
    memmodel_network *net = empty_network(*state);
    memmodel_tensor q = memmodel_network_parameter(net, "q", MEMMODEL_DTYPE_FLOAT32, 4, dims, 1);
    memmodel_tensor k = memmodel_network_input(net, "k", MEMMODEL_DTYPE_FLOAT32, 4, dims);
    memmodel_tensor v = memmodel_network_input(net, "v", MEMMODEL_DTYPE_FLOAT32, 4, dims);
    memmodel_tensor mask = memmodel_network_parameter(net, "mask", MEMMODEL_DTYPE_FLOAT32, 4, mask_dims, 1);
    memmodel_report *report;

    memmodel_network_mark_output(net, memmodel_network_attention(net, q, k, v, mask, NULL));
    report = trained(net);
    assert_true(list_blocks(report, MEMMODEL_PHASE_BACKWARD, 2 * 4 * 40 * 8 * 4, blocks, COUNT) >= COUNT);
    assert_int_equal(list_blocks(report, MEMMODEL_PHASE_BACKWARD, 40 * 40 * 4, &sum, 1), 1);
    assert_true(blocks[OF_KEY]->released < blocks[OF_QUERY]->released);
    assert_true(blocks[OF_VALUE]->released < blocks[OF_QUERY]->released);
    assert_true(blocks[OF_QUERY]->released < sum->allocated);
    memmodel_report_unref(report);
}

/* PyTorch 2.11: _efficient_attention_backward's shared_storage_dqdkdv is false where attention calls it. */
static void
gradients_of_one_storage_are_apart(void **state)
{
    memmodel_report *report = attended(*state, MEMMODEL_DTYPE_FLOAT32, true, "rtx3090");

    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 3 * 2 * 4 * 40 * 8 * 4), 0);
    memmodel_report_unref(report);
}

/*
 * Laid out [2, 40, 4, 8], as linear layers lead to: what they get in float16 lies so, too, and needs no copy.
 * PyTorch 2.15 on a simulated RTX 3090: strides of a result of flash attention follow the query's.
 */
static void
flash_attention_lays_its_result_out_as_the_query(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor q = memmodel_network_parameter(net, "q", MEMMODEL_DTYPE_FLOAT16, 4, (int64_t[]){2, 40, 4, 8}, 1);
    memmodel_tensor turned = memmodel_network_permute(net, q, 4, (int[]){0, 2, 1, 3}), y;
    memmodel_report *report;

    y = memmodel_network_attention(net, turned, turned, turned, MEMMODEL_TENSOR_NONE, NULL);
    y = memmodel_network_permute(net, y, 4, (int[]){0, 2, 1, 3});
    memmodel_network_mark_output(net, memmodel_network_reshape(net, y, 2, (int64_t[]){80, 32}));
    report = trained(net);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 2 * 4 * 40 * 8 * 2), 1);
    memmodel_report_unref(report);
}

/*
 * 64 rows in blocks of 64 of 2 heads are 2 tasks for the 82 processors of an RTX 3090; 1024 keys of 64 are 4 blocks of
 * 256, a part for each: 4 x 2 x 64 numbers and 4 x 2 x 64 x 64 results in float32 (flash_api.cpp, num_splits_heuristic).
 */
static void
flash_attention_of_few_rows_splits_the_keys(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor q = memmodel_network_parameter(net, "q", MEMMODEL_DTYPE_FLOAT16, 4, (int64_t[]){1, 2, 64, 64}, 1);
    memmodel_tensor k = memmodel_network_parameter(net, "k", MEMMODEL_DTYPE_FLOAT16, 4, (int64_t[]){1, 2, 1024, 64}, 1);
    memmodel_report *report;

    memmodel_network_mark_output(net, memmodel_network_attention(net, q, k, k, MEMMODEL_TENSOR_NONE, NULL));
    report = trained(net);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 4 * 2 * 64 * 4), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 4 * 2 * 64 * 64 * 4), 1);
    memmodel_report_unref(report);
}

/*
 * For each of the 8 heads one tile of 64 x 64 sums in float32, and a lock, a counter and two of padding: an H200 took
 * 131200 bytes. Heads of 96 take tiles of 128 x 64, two by two for 200 queries: 4196352 bytes for 32 heads.
 */
static void
efficient_attention_adds_up_the_gradient_of_the_query_in_tiles(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor q = memmodel_network_parameter(net, "q", 0, 4, (int64_t[]){8, 4, 200, 96}, 1);
    memmodel_report *narrow = attended(*state, MEMMODEL_DTYPE_FLOAT32, false, "h200"), *wide;

    memmodel_network_mark_output(net, memmodel_network_attention(net, q, q, q, MEMMODEL_TENSOR_NONE, NULL));
    wide = trained(net);
    assert_int_equal(blocks_of(narrow, MEMMODEL_PHASE_BACKWARD, 131200), 1);
    assert_int_equal(blocks_of(wide, MEMMODEL_PHASE_BACKWARD, 4196352), 1);
    memmodel_report_unref(narrow);
    memmodel_report_unref(wide);
}

/*
 * [2, 12, 16, 192] of bfloat16 on an H200: seed and offset of 8 bytes, 147456 of result, 1536 of log-sum-exp, and in the
 * backward pass 296704, as recorded.
 */
static void
attention_in_bfloat16_is_cudnn_on_hopper(void **state)
{
    struct memmodel_job job = gpu_job("h200", "sgd");
    memmodel_network *net = empty_network(*state);
    memmodel_tensor q[3];
    memmodel_report *report;

    for (int i = 0; i < 3; i++)
        q[i] = memmodel_network_parameter(net, (const char *[]){"q", "k", "v"}[i], MEMMODEL_DTYPE_BFLOAT16, 4,
                                          (int64_t[]){2, 12, 16, 192}, 1);
    memmodel_network_mark_output(
        net, memmodel_network_attention(net, q[0], q[1], q[2], MEMMODEL_TENSOR_NONE, MEMMODEL_ATTENTION(.causal = 1)));
    report = estimated(net, &job);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 8), 2);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 147456), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 1536), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 296704), 1);
    memmodel_report_unref(report);
}

/* The gradient [2, 4, 40, 40] of a mask of parameters has rows of 48. */
static void
a_mask_that_is_learnt_gets_a_gradient_of_padded_rows(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor q = memmodel_network_parameter(net, "q", 0, 4, (int64_t[]){2, 4, 40, 8}, 1);
    memmodel_tensor mask = memmodel_network_parameter(net, "mask", 0, 4, (int64_t[]){2, 4, 40, 40}, 1);
    memmodel_report *report;

    memmodel_network_mark_output(net, memmodel_network_attention(net, q, q, q, mask, NULL));
    report = trained(net);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 2 * 4 * 40 * 48 * 4), 1);
    memmodel_report_unref(report);
}

/* The gradient of the query is summed in float32: 128 rows for 40, 32 columns for 8. */
static void
attention_in_float16_is_flash_attention_from_ampere_on(void **state)
{
    memmodel_report *report = attended(*state, MEMMODEL_DTYPE_FLOAT16, false, "a100");
    memmodel_report *older = attended(*state, MEMMODEL_DTYPE_FLOAT16, false, "v100");

    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 2 * 4 * 40 * 4), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 2 * 128 * 4 * 32 * 4), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 2 * 4 * 128 * 4), 1);
    assert_int_equal(blocks_of(older, MEMMODEL_PHASE_BACKWARD, 2 * 128 * 4 * 32 * 4), 0);
    memmodel_report_unref(report);
    memmodel_report_unref(older);
}

/* 16 rows for each query [2, 4, 16, 8], however many keys there are. */
static void
flash_attention_has_a_row_for_each_query(void **state)
{
    struct memmodel_job job = gpu_job("a100", "sgd");
    memmodel_network *net = empty_network(*state);
    memmodel_tensor q = memmodel_network_parameter(net, "q", MEMMODEL_DTYPE_FLOAT16, 4, (int64_t[]){2, 4, 16, 8}, 1);
    memmodel_tensor k = memmodel_network_parameter(net, "k", MEMMODEL_DTYPE_FLOAT16, 4, (int64_t[]){2, 4, 40, 8}, 1);
    memmodel_report *report;

    memmodel_network_mark_output(net, memmodel_network_attention(net, q, k, k, MEMMODEL_TENSOR_NONE, NULL));
    report = estimated(net, &job);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 2 * 4 * 16 * 8 * 2), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 2 * 4 * 40 * 8 * 2), 0);
    memmodel_report_unref(report);
}

/* Four heads of a query on two keys and values [2, 2, 40, 8]: no kernel takes them in float32, so both are repeated. */
static void
shared_keys_are_repeated_for_float32(void **state)
{
    struct memmodel_job job = gpu_job("a100", "sgd");
    memmodel_network *net = empty_network(*state);
    memmodel_tensor q = memmodel_network_parameter(net, "q", 0, 4, (int64_t[]){2, 4, 16, 8}, 1);
    memmodel_tensor k = memmodel_network_parameter(net, "k", 0, 4, (int64_t[]){2, 2, 40, 8}, 1);
    memmodel_tensor v = memmodel_network_parameter(net, "v", 0, 4, (int64_t[]){2, 2, 40, 8}, 1);
    memmodel_report *report;

    memmodel_network_mark_output(
        net, memmodel_network_attention(net, q, k, v, MEMMODEL_TENSOR_NONE, MEMMODEL_ATTENTION(.grouped_query = 1)));
    report = estimated(net, &job);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 2 * 4 * 40 * 8 * 4), 3); /* and the keys, scaled */
    memmodel_report_unref(report);
}

/* The same of one element of the batch: PyTorch counts the dim of the heads from the end. */
static void
shared_keys_without_a_batch_are_repeated_too(void **state)
{
    const struct memmodel_shape shape = {.dims = {4, 16, 8}, .rank = 3, .dtype = MEMMODEL_DTYPE_FLOAT32};
    struct memmodel_job job = gpu_job("a100", "sgd");
    memmodel_network *net = empty_network(*state);
    const memmodel_tensor operands[] = {memmodel_network_parameter(net, "q", 0, 3, (int64_t[]){4, 16, 8}, 1),
                                        memmodel_network_parameter(net, "k", 0, 3, (int64_t[]){2, 40, 8}, 1),
                                        memmodel_network_parameter(net, "v", 0, 3, (int64_t[]){2, 40, 8}, 1)};
    memmodel_report *report;

    memmodel_network_mark_output(
        net, memmodel_network_custom(net, operands, 3,
                                     MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .attributes = "enable_gqa=1",
                                                     .operation = "aten.scaled_dot_product_attention.default")));
    report = estimated(net, &job);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 4 * 40 * 8 * 4), 3); /* and the keys, scaled */
    memmodel_report_unref(report);
}

static memmodel_report *
looked_up(memmodel_context *context, int64_t count)
{
    memmodel_network *net = empty_network(context);
    memmodel_tensor words = memmodel_network_input(net, "words", MEMMODEL_DTYPE_INT64, 1, &count);

    memmodel_network_mark_output(
        net, memmodel_network_embedding(net, words, MEMMODEL_EMBEDDING(.num_embeddings = 50257, .embedding_dim = 64)));
    return trained(net);
}

/*
 * 10000 indices among 50257 rows of 64, as an H200 ran them: sorted, their places and a range, whose sort takes 180223
 * bytes; where runs begin, twice; parts of each and their offsets; then 11000 parts of runs with a row each.
 */
static void
embedding_gradients_sort_more_than_3072_indices(void **state)
{
    memmodel_report *few = looked_up(*state, 3072), *many = looked_up(*state, 10000);

    assert_int_equal(blocks_of(few, MEMMODEL_PHASE_BACKWARD, 3072 * 8), 0);
    assert_int_equal(blocks_of(many, MEMMODEL_PHASE_BACKWARD, 10000 * 8), 7);
    assert_int_equal(blocks_of(many, MEMMODEL_PHASE_BACKWARD, 180223), 1);
    assert_int_equal(blocks_of(many, MEMMODEL_PHASE_BACKWARD, 88000), 1);
    assert_int_equal(blocks_of(many, MEMMODEL_PHASE_BACKWARD, 2816000), 1);
    memmodel_report_unref(few);
    memmodel_report_unref(many);
}

/* ---- reductions ---- */

/*
 * The gradient of 768 biases is the sum of 3152 rows. On an H200 it took 19660800 bytes and 24 of counters: 6 blocks of 32
 * x 4 threads with four columns each, and 50 blocks for each column.
 */
static void
blocks_of_a_large_reduction_meet_in_a_buffer(void **state)
{
    struct memmodel_job job = gpu_job("h200", "sgd");
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){3152, 16});
    memmodel_report *report;

    memmodel_network_mark_output(net, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 768)));
    report = estimated(net, &job);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 19660800), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 24), 1);
    memmodel_report_unref(report);
}

/* ---- layers ---- */

/*
 * An LSTM of 64 units on [16, 3, 16], as an H200 ran it: 61696 bytes are reserved for the backward pass, four gates and the
 * states of each step and 256 bytes; its 20992 parameters lie in one buffer, and so do their gradients.
 */
static void
an_lstm_reserves_its_gates_and_states(void **state)
{
    struct memmodel_job job = gpu_job("h200", "sgd");
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 3, (int64_t[]){16, 3, 16});
    memmodel_report *report;

    memmodel_network_mark_output(
        net,
        memmodel_network_recurrent(net, x, MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_LSTM, .hidden_size = 64)));
    report = estimated(net, &job);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 61696), 1);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 3 * 64 * 4), 4); /* first and last states */
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 20992 * 4), 1);
    memmodel_report_unref(report);
}

/* x, the product of gradient and result beside the gradient, and the given gradient. */
static void
softmax_multiplies_gradient_and_result_first(void **state)
{
    memmodel_network *net = empty_network(*state);
    memmodel_tensor x = memmodel_network_parameter(net, "x", 0, 2, (int64_t[]){8, 125}, 1);
    memmodel_report *report;

    memmodel_network_mark_output(net, memmodel_network_softmax(net, x, NULL));
    report = trained(net);
    assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 4000), 3);
    memmodel_report_unref(report);
}

/*
 * [24, 128, 56, 56] of bfloat16 -> 32 filters of 3 x 3: an H200's plan took 24158224 bytes, input, weight and output
 * channels-last, and 16. Ampere's is not known.
 */
static void
convolutions_on_hopper_copy_their_tensors(void **state)
{
    static const char *const gpus[] = {"h200", "a100"};

    for (int i = 0; i < 2; i++) {
        struct memmodel_job job = gpu_job(gpus[i], NULL);
        memmodel_network *net = empty_network(*state);
        memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_BFLOAT16, 4, (int64_t[]){24, 128, 56, 56});
        memmodel_report *report;

        job.mode = 1;
        x = memmodel_network_conv(
            net, x, MEMMODEL_CONV(.filters = 32, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME, .no_bias = 1));
        memmodel_network_mark_output(net, x);
        report = estimated(net, &job);
        assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 24158224), i == 0);
        memmodel_report_unref(report);
    }
}

/*
 * [16, 128, 28, 28] -> 512 filters of one point: cuDNN 9.26, asked for an H100, takes a gradient of the weight for each of
 * the 16 images, 16 x 512 x 128 x 4 bytes. At one point an image the product is one.
 */
static void
weights_of_one_point_have_a_gradient_for_each_image(void **state)
{
    static const int64_t sizes[] = {28, 1};

    for (int i = 0; i < 2; i++) {
        struct memmodel_job job = gpu_job("h100", "sgd");
        memmodel_network *net = empty_network(*state);
        memmodel_tensor x = memmodel_network_input(net, "x", 0, 4, (int64_t[]){16, 128, sizes[i], sizes[i]});
        memmodel_report *report;

        job.framework_version = "2.15";
        x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 512, .kernel = {1}, .no_bias = 1));
        memmodel_network_mark_output(net, x);
        report = estimated(net, &job);
        assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 16 * 512 * 128 * 4), i == 0);
        memmodel_report_unref(report);
    }
}

/*
 * [2, 1024, 30, 30] of float32 -> 512 filters of 3 x 3 on a V100: 8 x 8 tiles of 4 x 4 points in each image, and of each
 * tile and of the weight 6 x 6 points in float32, in the forward pass and for the gradient of the weight. Not so with a
 * stride, with fewer filters, in float16 or where there are tensor cores for float32.
 */
static void
wide_convolutions_on_volta_transform_tiles(void **state)
{
    static const struct {
        const char *gpu;
        int dtype, filters, stride, count;
    } cases[] = {{"v100", MEMMODEL_DTYPE_FLOAT32, 512, 1, 1},
                 {"v100", MEMMODEL_DTYPE_FLOAT32, 512, 2, 0},
                 {"v100", MEMMODEL_DTYPE_FLOAT32, 256, 1, 0},
                 {"v100", MEMMODEL_DTYPE_FLOAT16, 512, 1, 0},
                 {"a100", MEMMODEL_DTYPE_FLOAT32, 512, 1, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t numbers = 2 * 8 * 8 * (1024 + cases[i].filters) + 1024 * cases[i].filters;
        struct memmodel_job job = gpu_job(cases[i].gpu, "sgd");
        memmodel_network *net = empty_network(*state);
        memmodel_tensor x = memmodel_network_input(net, "x", cases[i].dtype, 4, (int64_t[]){2, 1024, 30, 30});
        memmodel_report *report;

        x = memmodel_network_conv(net, x,
                                  MEMMODEL_CONV(.filters = cases[i].filters, .kernel = {3}, .no_bias = 1,
                                                .stride = {cases[i].stride}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
        memmodel_network_mark_output(net, x);
        report = estimated(net, &job);
        assert_int_equal(blocks_of(report, MEMMODEL_PHASE_FORWARD, 6 * 6 * 4 * numbers), cases[i].count);
        assert_int_equal(blocks_of(report, MEMMODEL_PHASE_BACKWARD, 6 * 6 * 4 * numbers), cases[i].count);
        memmodel_report_unref(report);
    }
}

/* ---- optimizers: lists of tensors like all parameters, torch/optim/NAME.py, _multi_tensor_NAME ---- */

static const struct {
    const char *optimizer;
    int lists;
} temporaries[] = {
    {"sgd", 0},
    {"sgd(weight_decay=0.1)", 1},
    {"sgd(momentum=0.9, nesterov=True)", 0},
    {"sgd(maximize=True)", 1},
    {"adam", 1},
    {"adam(weight_decay=0.1)", 1}, /* added to a copy of the gradients, which goes before the roots are made */
    {"adamw", 1},
    {"adam(fused=True)", 0},
    {"nadam", 1},
    {"nadam(weight_decay=0.1)", 2},
    {"radam", 1},
    {"adamax", 1},
    {"rmsprop", 1},
    {"rmsprop(weight_decay=0.1)", 2},
    {"adagrad", 2},
    {"adagrad(weight_decay=0.1)", 2},
    {"adadelta", 2},
    {"adadelta(weight_decay=0.1)", 3},
};

static void
optimizers_update_all_parameters_at_once(void **state)
{
    for (size_t i = 0; i < sizeof temporaries / sizeof temporaries[0]; i++) {
        struct memmodel_job job = gpu_job("a100", temporaries[i].optimizer);
        memmodel_report *report = estimated(one_linear_layer(*state), &job);

        if (optimizer_temporaries(report) != temporaries[i].lists * (2048 + 128))
            fail_msg("%s: %lld bytes", temporaries[i].optimizer, (long long)optimizer_temporaries(report));
        memmodel_report_unref(report);
    }
}

/* Parameter by parameter: the roots of the weight and their quotient. */
static void
foreach_can_be_turned_off(void **state)
{
    struct memmodel_job job = gpu_job("a100", "adam(foreach=False)");
    memmodel_report *report = estimated(one_linear_layer(*state), &job);

    assert_int_equal(optimizer_temporaries(report), 2 * 2048);
    memmodel_report_unref(report);
}

/* Moments like the parameters: 2048 + 512 each; the counters are the host's, or a block each where a kernel counts. */
static void
counters_are_on_the_host_unless_fused(void **state)
{
    struct memmodel_job job = gpu_job("a100", "adam"), fused = gpu_job("a100", "adam(fused)");
    memmodel_report *plain = estimated(one_linear_layer(*state), &job);
    memmodel_report *counting = estimated(one_linear_layer(*state), &fused);

    assert_int_equal(memmodel_report_category_bytes(plain, MEMMODEL_CATEGORY_OPTIMIZER_STATE), 2 * (2048 + 128));
    assert_int_equal(memmodel_report_category_bytes(counting, MEMMODEL_CATEGORY_OPTIMIZER_STATE),
                     2 * (2048 + 128) + 2 * 4);
    memmodel_report_unref(plain);
    memmodel_report_unref(counting);
}

/* ---- autocast: torch/aten autocast_mode.h ---- */

/* x [8, 125] normalized, then 40 outputs, predicted: blocks of a size in a forward pass. */
static int
autocast_blocks(memmodel_context *context, const char *precision, int64_t bytes)
{
    struct memmodel_job job = gpu_job("a100", NULL);
    memmodel_network *net = empty_network(context);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){8, 125});
    memmodel_report *report;
    int count;

    x = memmodel_network_layer_norm(net, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 40)), NULL);
    memmodel_network_mark_output(net, x);
    job.precision = precision;
    job.mode = 1;
    report = estimated(net, &job);
    count = blocks_of(report, MEMMODEL_PHASE_FORWARD, bytes);
    memmodel_report_unref(report);
    return count;
}

/* The product is of 2 bytes an element and its operands are copied for it; a norm copies it back and is of 4. */
static void
autocast_multiplies_in_half_and_normalizes_in_float32(void **state)
{
    assert_int_equal(autocast_blocks(*state, "float16", 8 * 125 * 2), 1);
    assert_int_equal(autocast_blocks(*state, "float16", 125 * 40 * 2), 1);
    assert_int_equal(autocast_blocks(*state, "float16", 8 * 40 * 2), 1);
    assert_int_equal(autocast_blocks(*state, "float16", 8 * 40 * 4), 2);
    assert_int_equal(autocast_blocks(*state, "bfloat16", 8 * 40 * 4), 2);
    assert_int_equal(autocast_blocks(*state, "float32", 8 * 40 * 2), 0);
    assert_int_equal(autocast_blocks(*state, "float32", 8 * 40 * 4), 2);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        WITH_CONTEXT(live_bytes_are_those_of_rounded_blocks),
        WITH_CONTEXT(reserved_bytes_are_those_of_segments),
        WITH_CONTEXT(the_process_has_its_context_and_kernels_besides),
        WITH_CONTEXT(cublas_works_in_32_mib_from_hopper_on),
        WITH_CONTEXT(training_has_two_workspaces_of_cublas),
        WITH_CONTEXT(cublas_works_in_what_the_job_gives_it),
        WITH_CONTEXT(a_convolution_takes_its_output_alone),
        WITH_CONTEXT(batch_norm_makes_one_gradient_of_its_input),
        WITH_CONTEXT(batch_norm_of_data_makes_no_gradient_of_its_input),
        WITH_CONTEXT(dropout_keeps_a_byte_an_element),
        WITH_CONTEXT(attention_in_float32_is_memory_efficient),
        WITH_CONTEXT(gradients_of_data_go_when_attention_returns),
        WITH_CONTEXT(gradients_of_one_storage_are_apart),
        WITH_CONTEXT(flash_attention_lays_its_result_out_as_the_query),
        WITH_CONTEXT(flash_attention_of_few_rows_splits_the_keys),
        WITH_CONTEXT(efficient_attention_adds_up_the_gradient_of_the_query_in_tiles),
        WITH_CONTEXT(attention_in_bfloat16_is_cudnn_on_hopper),
        WITH_CONTEXT(a_mask_that_is_learnt_gets_a_gradient_of_padded_rows),
        WITH_CONTEXT(blocks_of_a_large_reduction_meet_in_a_buffer),
        WITH_CONTEXT(an_lstm_reserves_its_gates_and_states),
        WITH_CONTEXT(softmax_multiplies_gradient_and_result_first),
        WITH_CONTEXT(convolutions_on_hopper_copy_their_tensors),
        WITH_CONTEXT(wide_convolutions_on_volta_transform_tiles),
        WITH_CONTEXT(weights_of_one_point_have_a_gradient_for_each_image),
        WITH_CONTEXT(attention_in_float16_is_flash_attention_from_ampere_on),
        WITH_CONTEXT(flash_attention_has_a_row_for_each_query),
        WITH_CONTEXT(shared_keys_are_repeated_for_float32),
        WITH_CONTEXT(shared_keys_without_a_batch_are_repeated_too),
        WITH_CONTEXT(embedding_gradients_sort_more_than_3072_indices),
        WITH_CONTEXT(optimizers_update_all_parameters_at_once),
        WITH_CONTEXT(foreach_can_be_turned_off),
        WITH_CONTEXT(counters_are_on_the_host_unless_fused),
        WITH_CONTEXT(autocast_multiplies_in_half_and_normalizes_in_float32),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
