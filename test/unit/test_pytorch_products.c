/*
 * Products of bfloat16 matrices on a CPU against recordings: what oneDNN takes beside the result. How they were made:
 * test/data/pytorch_products/README.md.
 */
#include "check.h"
#include "differ.h"

#include <stdio.h>

enum { HALF = 2, LONGEST_LINE = 200, RECORDED = 900 };

/* One line of the table. */
struct recorded {
    char call[8];
    int threads, transposed[2];
    int64_t batch, rows, summed, columns, scratchpad;
};

static bool
read_line(FILE *file, struct recorded *r)
{
    char line[LONGEST_LINE];
    long long sizes[5];

    if (!fgets(line, sizeof line, file))
        return false;
    if (sscanf(line, "%d,%7[a-z],%lld,%lld,%lld,%lld,%d,%d,%lld", &r->threads, r->call, &sizes[0], &sizes[1], &sizes[2],
               &sizes[3], &r->transposed[0], &r->transposed[1], &sizes[4]) != 9)
        fail_msg("line %s", line);
    r->batch = sizes[0];
    r->rows = sizes[1];
    r->summed = sizes[2];
    r->columns = sizes[3];
    r->scratchpad = sizes[4];
    return true;
}

static memmodel_tensor
matrix(memmodel_network *net, const struct recorded *r, const char *name, int64_t rows, int64_t columns, int transposed)
{
    int64_t dims[] = {r->batch, transposed ? columns : rows, transposed ? rows : columns};
    int rank = strcmp(r->call, "bmm") == 0 ? 3 : 2;
    memmodel_tensor made = memmodel_network_input(net, name, MEMMODEL_DTYPE_BFLOAT16, rank, dims + 3 - rank);

    if (!transposed)
        return made;
    return memmodel_network_permute(net, made, rank, rank == 3 ? (int[]){0, 2, 1} : (int[]){1, 0});
}

static memmodel_network *
network_of(memmodel_context *context, const struct recorded *r)
{
    bool vector = strcmp(r->call, "mv") == 0, batch = strcmp(r->call, "bmm") == 0;
    struct memmodel_shape result = {.dtype = MEMMODEL_DTYPE_BFLOAT16, .rank = vector ? 1 : batch ? 3 : 2};
    memmodel_tensor operands[2];
    memmodel_network *net;

    for (int i = 0; i < result.rank; i++)
        result.dims[i] = ((const int64_t[]){r->batch, r->rows, r->columns})[batch ? i : i + 1];
    assert_int_equal(memmodel_network_new(context, &net), 0);
    operands[0] = matrix(net, r, "a", r->rows, r->summed, r->transposed[0]);
    if (strcmp(r->call, "linear") == 0) {
        memmodel_network_linear(net, operands[0], MEMMODEL_LINEAR(.units = r->columns));
        return net;
    }
    operands[1] = vector ? memmodel_network_input(net, "b", MEMMODEL_DTYPE_BFLOAT16, 1, &r->summed)
                         : matrix(net, r, "b", r->summed, r->columns, r->transposed[1]);
    memmodel_network_custom(net, operands, 2,
                            MEMMODEL_CUSTOM(.outputs = &result, .output_count = 1,
                                            .operation = vector  ? "aten.mv.default"
                                                         : batch ? "aten.bmm.default"
                                                                 : "aten.mm.default"));
    assert_int_equal(memmodel_network_status(net), 0);
    return net;
}

/* The result, then the scratchpad, which goes at once. */
static bool
is_simulated_as_recorded(const memmodel_trace *trace, const struct recorded *r)
{
    int64_t result = HALF * r->batch * r->rows * r->columns;

    for (size_t i = 0; i + 2 < trace->event_count; i++) {
        const struct trace_event *events = &trace->events[i];

        if (events[0].phase != MEMMODEL_PHASE_FORWARD || events[0].release ||
            trace->blocks[events[0].block].bytes != result)
            continue;
        if (!events[1].release && trace->blocks[events[1].block].bytes == r->scratchpad && events[2].release &&
            events[2].block == events[1].block)
            return true;
    }
    return false;
}

static memmodel_trace *
trace_of(memmodel_context *context, const struct recorded *r, const char *isa)
{
    memmodel_network *net = network_of(context, r);
    struct memmodel_job job = {.size = sizeof job, .isa = isa, .mode = 1, .intra_op_threads = r->threads};
    memmodel_trace *trace;

    job_complete(&job);
    trace = simulated_trace(context, net, NULL, &job);
    memmodel_network_unref(net);
    return trace;
}

static void
scratchpads_are_as_large_as_recorded(void **state)
{
    FILE *file = fopen(TEST_DATA "/pytorch_products/products_avx512.csv", "r");
    int lines = 0, wrong = 0;
    struct recorded r;
    int c;

    assert_non_null(file);
    while ((c = fgetc(file)) != '\n')
        assert_int_not_equal(c, EOF);
    for (; read_line(file, &r); lines++) {
        memmodel_trace *trace = trace_of(*state, &r, "avx512");

        if (!is_simulated_as_recorded(trace, &r)) {
            print_error("%d threads: %s of %d x [%d, %d, %d], transposed %d, %d: %lld bytes recorded\n", r.threads,
                        r.call, (int)r.batch, (int)r.rows, (int)r.summed, (int)r.columns, r.transposed[0],
                        r.transposed[1], (long long)r.scratchpad);
            wrong++;
        }
        memmodel_trace_unref(trace);
    }
    fclose(file);
    assert_int_equal(lines, RECORDED);
    assert_int_equal(wrong, 0);
}

/* bmm reads matrices whose rows or columns lie one behind the other; recorded: [4, 50, 32] of heads, 12,800 bytes. */
static void
a_scattered_batch_is_copied_first(void **state)
{
    enum { LENGTH = 50, HEADS = 4, WIDTH = 32, COPY = HALF * HEADS * LENGTH * WIDTH, SCRATCHPAD = 29856 };
    int64_t dims[] = {LENGTH, HEADS, WIDTH};
    struct memmodel_job job = {.size = sizeof job, .isa = "avx512", .mode = 1, .intra_op_threads = 2};
    memmodel_network *net;
    memmodel_tensor heads;
    memmodel_trace *trace;
    int64_t made[4] = {0};
    int count = 0;

    job_complete(&job);
    assert_int_equal(memmodel_network_new(*state, &net), 0);
    heads = memmodel_network_input(net, "x", MEMMODEL_DTYPE_BFLOAT16, 3, dims);
    heads = memmodel_network_permute(net, heads, 3, (int[]){1, 0, 2});
    memmodel_network_matmul(net, heads, heads, MEMMODEL_MATMUL(.transpose_b = 1));
    trace = simulated_trace(*state, net, NULL, &job);
    for (size_t i = 0; i < trace->event_count && count < 4; i++)
        if (!trace->events[i].release && trace->events[i].phase == MEMMODEL_PHASE_FORWARD)
            made[count++] = trace->blocks[trace->events[i].block].bytes;
    assert_int_equal(made[0], HALF * HEADS * LENGTH * LENGTH);
    assert_int_equal(made[1], COPY);
    assert_int_equal(made[2], COPY);
    assert_int_equal(made[3], SCRATCHPAD);
    memmodel_trace_unref(trace);
    memmodel_network_unref(net);
}

/* Of [1, 1, 34, 8] and 39 keys, one thread: recorded are 8,992 bytes, 10,240 beside a number, 8,992 beside a number. */
static void
the_backward_pass_of_attention_multiplies_tiles(void **state)
{
    struct memmodel_job job = {.size = sizeof job, .isa = "avx512", .optimizer = "sgd", .intra_op_threads = 1};
    int64_t queries[] = {1, 1, 34, 8}, keys[] = {1, 1, 39, 8}, made[8] = {0};
    static const int64_t recorded[] = {8992, 4, 10240, 4, 8992};
    memmodel_network *net;
    memmodel_tensor q, k, v;
    memmodel_trace *trace;
    int count = 0;

    job_complete(&job);
    assert_int_equal(memmodel_network_new(*state, &net), 0);
    q = memmodel_network_parameter(net, "q", MEMMODEL_DTYPE_BFLOAT16, 4, queries, 1);
    k = memmodel_network_parameter(net, "k", MEMMODEL_DTYPE_BFLOAT16, 4, keys, 1);
    v = memmodel_network_parameter(net, "v", MEMMODEL_DTYPE_BFLOAT16, 4, keys, 1);
    memmodel_network_attention(net, q, k, v, MEMMODEL_TENSOR_NONE, NULL);
    assert_int_equal(memmodel_network_status(net), 0);
    trace = simulated_trace(*state, net, NULL, &job);
    for (size_t i = 0; i < trace->event_count && count < 5; i++) {
        const struct trace_event *event = &trace->events[i];
        int64_t bytes = trace->blocks[event->block].bytes;

        if (!event->release && event->phase == MEMMODEL_PHASE_BACKWARD && (count > 0 || bytes == recorded[0]))
            made[count++] = bytes;
    }
    assert_int_equal(count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(made[i], recorded[i]);
    memmodel_trace_unref(trace);
    memmodel_network_unref(net);
}

static int
unmodelled_of(memmodel_context *context, const char *isa)
{
    const struct recorded r = {.call = "mm", .threads = 2, .batch = 1, .rows = 64, .summed = 64, .columns = 64};
    memmodel_network *net = network_of(context, &r);
    struct memmodel_job job = {.size = sizeof job, .isa = isa, .mode = 1};
    memmodel_report *report;
    int count;

    assert_int_equal(memmodel_estimate(net, &job, context, &report), 0);
    count = (int)memmodel_report_unmodelled_count(report);
    memmodel_report_unref(report);
    memmodel_network_unref(net);
    return count;
}

static void
products_with_tiles_are_named_as_not_modelled(void **state)
{
    assert_int_equal(unmodelled_of(*state, "avx512"), 0);
    assert_int_equal(unmodelled_of(*state, "avx2"), 0);
    assert_int_equal(unmodelled_of(*state, "amx"), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(scratchpads_are_as_large_as_recorded),
        WITH_CONTEXT(a_scattered_batch_is_copied_first),
        WITH_CONTEXT(the_backward_pass_of_attention_multiplies_tiles),
        WITH_CONTEXT(products_with_tiles_are_named_as_not_modelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
