/*
 * Networks of every family of layers at sizes where numbers of 32 and of 63 bits end: each framework answers, or says
 * clearly why not, within bounds; what it answers holds what the job must hold, and never falls as a size grows.
 */
#include "../unit/check.h"
#include "base/splitmix.h"
#include "frameworks/pytorch/formula.h"
#include "frameworks/pytorch/aten_ops.h"
#include "network/network.h"

#include <stdlib.h>

#define MEBIBYTE (INT64_C(1) << 20)

typedef memmodel_tensor tensor;

static const int64_t sizes[] = {
    0,
    1,
    2,
    100,
    INT32_MAX,
    INT64_C(1) << 31,
    (INT64_C(1) << 32) + 1,
    INT64_C(1) << 52,
    INT64_C(1) << 56,
    INT64_C(1) << 58,
    INT64_C(1) << 62,
};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* ---- one network a family, of [batch, length, ...] ---- */

struct plan {
    memmodel_network *net;
    memmodel_dim batch, length;
};

static tensor
input(const struct plan *p, int dtype, int rank, const memmodel_dim *dims)
{
    return memmodel_network_input(p->net, "x", dtype, rank, dims);
}

static tensor
rows(const struct plan *p)
{
    return input(p, MEMMODEL_DTYPE_FLOAT32, 3, (memmodel_dim[]){p->batch, p->length, 8});
}

static tensor
image(const struct plan *p)
{
    return input(p, MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){p->batch, 8, p->length, 8});
}

static tensor
lstm(const struct plan *p)
{
    return memmodel_network_recurrent(
        p->net, rows(p), MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_LSTM, .hidden_size = 4, .batch_first = 1));
}

static tensor
projected(const struct plan *p)
{
    return memmodel_network_recurrent(
        p->net, rows(p),
        MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_LSTM, .hidden_size = 4, .projection_size = 2, .batch_first = 1));
}

static tensor
gru(const struct plan *p)
{
    return memmodel_network_recurrent(p->net, rows(p),
                                      MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_GRU, .hidden_size = 4,
                                                         .batch_first = 1, .bidirectional = 1, .layer_count = 2));
}

static tensor
rnn(const struct plan *p)
{
    return memmodel_network_recurrent(
        p->net, rows(p), MEMMODEL_RECURRENT(.kind = MEMMODEL_RECURRENT_RNN_TANH, .hidden_size = 4, .batch_first = 1));
}

static tensor
dense(const struct plan *p)
{
    return memmodel_network_linear(p->net, rows(p), MEMMODEL_LINEAR(.units = 4));
}

static tensor
conv(const struct plan *p)
{
    return memmodel_network_conv(p->net, image(p), MEMMODEL_CONV(.filters = 16, .kernel = {3, 3}, .padding = {1, 1}));
}

static tensor
depthwise(const struct plan *p)
{
    return memmodel_network_conv(
        p->net, image(p), MEMMODEL_CONV(.filters = 8, .kernel = {3}, .padding = {1}, .groups = 8, .stride = {2}));
}

static tensor
transposed(const struct plan *p)
{
    return memmodel_network_conv_transpose(p->net, image(p), MEMMODEL_CONV(.filters = 4, .kernel = {2}, .stride = {2}));
}

static tensor
volume(const struct plan *p)
{
    tensor x = input(p, MEMMODEL_DTYPE_FLOAT32, 5, (memmodel_dim[]){p->batch, 4, p->length, 4, 4});

    return memmodel_network_conv(p->net, x, MEMMODEL_CONV(.filters = 4, .kernel = {3}, .padding = {1}));
}

static tensor
batch_norm(const struct plan *p)
{
    return memmodel_network_batch_norm(p->net, image(p), NULL);
}

static tensor
layer_norm(const struct plan *p)
{
    return memmodel_network_layer_norm(p->net, rows(p), NULL);
}

static tensor
pool(const struct plan *p)
{
    return memmodel_network_pool(p->net, image(p), MEMMODEL_POOL(.kernel = {2}, .ceil_mode = 1));
}

static tensor
adaptive_pool(const struct plan *p)
{
    return memmodel_network_adaptive_pool(p->net, image(p), MEMMODEL_ADAPTIVE_POOL(.output_size = {1}));
}

static tensor
upsample(const struct plan *p)
{
    return memmodel_network_upsample(p->net, image(p), MEMMODEL_UPSAMPLE(.scale = {3}));
}

static tensor
activation(const struct plan *p)
{
    return memmodel_network_activation(p->net, rows(p), MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_GELU));
}

static tensor
softmax(const struct plan *p)
{
    return memmodel_network_softmax(p->net, rows(p), NULL);
}

static tensor
embedding(const struct plan *p)
{
    tensor x = input(p, MEMMODEL_DTYPE_INT64, 2, (memmodel_dim[]){p->batch, p->length});

    return memmodel_network_embedding(p->net, x, MEMMODEL_EMBEDDING(.num_embeddings = 10, .embedding_dim = 4));
}

static tensor
attention(const struct plan *p)
{
    tensor x = input(p, MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){p->batch, 2, p->length, 8});

    return memmodel_network_attention(p->net, x, x, x, MEMMODEL_TENSOR_NONE, MEMMODEL_ATTENTION(.causal = 1));
}

static tensor
matmul(const struct plan *p)
{
    tensor x = rows(p);

    return memmodel_network_matmul(p->net, x, memmodel_network_permute(p->net, x, 3, (int[]){0, 2, 1}), NULL);
}

static tensor
binary(const struct plan *p)
{
    tensor x = rows(p);

    return memmodel_network_binary(p->net, x, x, MEMMODEL_BINARY(.kind = MEMMODEL_BINARY_MULTIPLY));
}

static tensor
concat(const struct plan *p)
{
    tensor x = rows(p);

    return memmodel_network_concat(p->net, (tensor[]){x, x}, 2, MEMMODEL_CONCAT(.axis = 1));
}

static tensor
split(const struct plan *p)
{
    return memmodel_network_split(p->net, rows(p), MEMMODEL_SPLIT(.parts = 2, .axis = 2));
}

static tensor
slice(const struct plan *p)
{
    return memmodel_network_slice(p->net, rows(p), MEMMODEL_SLICE(.axis = 1, .step = 3));
}

static tensor
flatten(const struct plan *p)
{
    return memmodel_network_flatten(p->net, rows(p), 0, 1);
}

static tensor
reduce(const struct plan *p)
{
    return memmodel_network_reduce(p->net, rows(p),
                                   MEMMODEL_REDUCE(.kind = MEMMODEL_REDUCE_MEAN, .axes = {1}, .axis_count = 1));
}

static tensor
padded(const struct plan *p)
{
    return memmodel_network_pad(p->net, image(p), MEMMODEL_PAD(.before = {0, 0, 1, 1}, .after = {0, 0, 1, 1}));
}

static tensor
dropout(const struct plan *p)
{
    return memmodel_network_dropout(p->net, rows(p), MEMMODEL_DROPOUT(.rate = 0.5));
}

static tensor
loss(const struct plan *p)
{
    tensor x = rows(p), y;

    y = memmodel_network_linear(p->net, x, MEMMODEL_LINEAR(.units = 8));
    return memmodel_network_loss(p->net, y, x, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_MEAN_SQUARED_ERROR));
}

static const struct family {
    const char *name;
    tensor (*build)(const struct plan *plan);
} families[] = {
    {"lstm", lstm},
    {"projected", projected},
    {"gru", gru},
    {"rnn", rnn},
    {"dense", dense},
    {"conv", conv},
    {"depthwise", depthwise},
    {"transposed", transposed},
    {"volume", volume},
    {"batch_norm", batch_norm},
    {"layer_norm", layer_norm},
    {"pool", pool},
    {"adaptive_pool", adaptive_pool},
    {"upsample", upsample},
    {"activation", activation},
    {"softmax", softmax},
    {"embedding", embedding},
    {"attention", attention},
    {"matmul", matmul},
    {"binary", binary},
    {"concat", concat},
    {"split", split},
    {"slice", slice},
    {"flatten", flatten},
    {"reduce", reduce},
    {"padded", padded},
    {"dropout", dropout},
    {"loss", loss},
};

/* ---- how they are run ---- */

static const struct run {
    const char *framework, *device, *isa, *gpu;
    int inference;
} runs[] = {
    {"pytorch", "cpu", "avx2", NULL, 0},  {"pytorch", "cpu", "avx512", NULL, 0}, {"pytorch", "cpu", "avx2", NULL, 1},
    {"pytorch", "cuda", NULL, "a100", 0}, {"tensorflow", NULL, NULL, NULL, 0},   {"tensorflow", NULL, NULL, NULL, 1},
    {"onnxruntime", NULL, NULL, NULL, 1}, {"textbook", NULL, NULL, NULL, 0},
};

/* Of what such sizes take: enough for every answer that is found, little for those that are not. */
static memmodel_context *
bounded_context(void)
{
    const struct memmodel_limits limits = {
        .size = sizeof limits, .memory_bytes = 64 * MEBIBYTE, .nodes = 3000000, .seconds = 60};
    memmodel_context *context;

    assert_int_equal(memmodel_context_new(NULL, &context), 0);
    assert_int_equal(memmodel_context_set_limits(context, &limits), 0);
    return context;
}

static bool
is_clear(int status)
{
    return status == MEMMODEL_ERROR_OVERFLOW || status == MEMMODEL_ERROR_LIMIT || status == MEMMODEL_ERROR_SHAPE ||
           status == MEMMODEL_ERROR_INVALID_ARGUMENT || status == MEMMODEL_ERROR_UNSUPPORTED;
}

/* The peak, or -1 with a status that is_clear(). */
static int64_t
peak_of(memmodel_context *context, const memmodel_network *net, const struct run *run, const char *what)
{
    struct memmodel_job job = {.size = sizeof job,
                               .framework = run->framework,
                               .device = run->device,
                               .isa = run->isa,
                               .gpu = run->gpu,
                               .mode = run->inference};
    struct memmodel_report_result peak = {.size = sizeof peak};
    memmodel_report *report;
    int status = memmodel_estimate(net, &job, NULL, &report);

    if (status && !is_clear(status))
        fail_msg("%s, %s: status %d, %s", what, run->framework, status, memmodel_context_error(context)->message);
    if (status)
        return -1;
    assert_int_equal(memmodel_report_get_result(report, &peak), 0);
    if (peak.live < 0 || peak.reserved < 0 || peak.process < -1)
        fail_msg("%s, %s: %lld bytes live, %lld reserved, %lld of the process", what, run->framework,
                 (long long)peak.live, (long long)peak.reserved, (long long)peak.process);
    memmodel_report_unref(report);
    return peak.live;
}

/* Bytes of the input, or INT64_MAX. */
static int64_t
min_bytes(int64_t batch, int64_t length)
{
    double bytes = (double)batch * (double)length * 4;

    return bytes < 0x1p62 ? batch * length * 4 : INT64_MAX;
}

/* The size of the one is `large`, of the other 2. */
static int64_t
try_size(const struct family *family, const struct run *run, int64_t large, bool of_length)
{
    memmodel_context *context = bounded_context();
    struct plan plan = {.batch = of_length ? 2 : large, .length = of_length ? large : 2};
    int64_t peak = -1;

    assert_int_equal(memmodel_network_new(context, &plan.net), 0);
    memmodel_network_mark_output(plan.net, family->build(&plan));
    if (memmodel_network_status(plan.net) == 0)
        peak = peak_of(context, plan.net, run, family->name);
    else if (!is_clear(memmodel_network_status(plan.net)))
        fail_msg("%s: %s", family->name, memmodel_context_error(context)->message);
    if (peak >= 0 && large > 0 && peak < min_bytes(plan.batch, plan.length))
        fail_msg("%s, %s: %lld bytes for %s %lld", family->name, run->framework, (long long)peak,
                 of_length ? "length" : "batch", (long long)large);
    memmodel_network_unref(plan.net);
    memmodel_context_unref(context);
    return peak;
}

static void
try_sizes(const struct family *family, const struct run *run, bool of_length)
{
    int64_t before = 0;

    for (int i = 0; i < SIZES; i++) {
        int64_t peak = try_size(family, run, sizes[i], of_length);

        if (peak >= 0 && peak < before)
            fail_msg("%s, %s: the peak falls to %lld at %lld", family->name, run->framework, (long long)peak,
                     (long long)sizes[i]);
        before = peak >= 0 ? peak : before;
    }
}

static void
layers_of_any_size_are_answered_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
            try_sizes(&families[i], &runs[k], false);
            try_sizes(&families[i], &runs[k], true);
        }
}

/* ---- long sequences ---- */

static int64_t
draw(uint64_t *random, int64_t below)
{
    *random += SPLITMIX_STEP;
    return (int64_t)(splitmix(*random) % (uint64_t)below);
}

/* A recurrent layer of random sizes that PyTorch runs time step by time step. */
static struct memmodel_recurrent
random_recurrence(uint64_t *random)
{
    struct memmodel_recurrent options = {
        .size = sizeof options,
        .kind = MEMMODEL_RECURRENT_LSTM + (int32_t)draw(random, 4),
        .hidden_size = 2 + draw(random, 100),
        .layer_count = 1 + draw(random, 3),
        .bidirectional = (int32_t)draw(random, 2),
        .no_bias = (int32_t)draw(random, 2),
        .batch_first = 1,
    };

    if (options.kind == MEMMODEL_RECURRENT_LSTM)
        options.projection_size = 1 + draw(random, options.hidden_size - 1);
    return options;
}

/* Within the bounds of a short one. */
static int64_t
live_of(const struct memmodel_recurrent *options, int64_t batch, int64_t length, int mode)
{
    memmodel_context *context = bounded_context();
    struct plan plan = {.batch = batch, .length = length};
    struct memmodel_job job = {.size = sizeof job, .metric = MEMMODEL_METRIC_LIVE, .mode = mode};
    struct memmodel_report_result peak = {.size = sizeof peak};
    memmodel_report *report;

    assert_int_equal(memmodel_network_new(context, &plan.net), 0);
    memmodel_network_mark_output(plan.net, memmodel_network_recurrent(plan.net, rows(&plan), options));
    if (memmodel_estimate(plan.net, &job, NULL, &report))
        fail_msg("length %lld: %s", (long long)length, memmodel_context_error(context)->message);
    assert_int_equal(memmodel_report_get_result(report, &peak), 0);
    memmodel_report_unref(report);
    memmodel_network_unref(plan.net);
    memmodel_context_unref(context);
    return peak.live;
}

/* Any two time steps take the same. */
static void
live_bytes_grow_by_the_same_with_each_time_step(void **state)
{
    enum { TRIALS = 60 };
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct memmodel_recurrent options = random_recurrence(&random);
        int64_t batch = 1 + draw(&random, 8), length = INT64_C(1000) << draw(&random, 20);
        int64_t more = 1 + draw(&random, 100000), bytes[3];
        int mode = (int)draw(&random, 3);

        for (int k = 0; k < 3; k++)
            bytes[k] = live_of(&options, batch, length + k * more, mode);
        assert_int_equal(bytes[1] - bytes[0], bytes[2] - bytes[1]);
        assert_int_equal((bytes[1] - bytes[0]) % more, 0);
    }
}

/* ---- operators by name ---- */

/* The name of rule `index`, written in C or a formula; NULL after the last. */
static const char *
rule_name_at(size_t index)
{
    const struct aten_op_rule *rule;
    size_t count = 0;

    for (; (rule = aten_op_rule_at(count)) != NULL; count++)
        if (count == index)
            return rule->name;
    return formula_at(index - count) ? formula_at(index - count)->name : NULL;
}

static const char *const arguments[] = {
    "",
    "dim=0 dims=0,1 kernel_size=2,2 stride=2,2 padding=1,1 p=0.5 train=1 training=1 reduction=1 num_layers=1",
    "dim=-1 dims=-1 dim0=0 dim1=-1 equation=ij,jk->ik keepdim=True normalized_shape=2 num_groups=1 groups=1 pad=1,1",
};

/* `count` tensors of `rank` dims, all 2 but one. */
static void
call_operator(memmodel_context *context, const char *name, const char *attributes, int count, int rank, int axis,
              int64_t large)
{
    enum { MAX = 6 };
    static const struct run run = {"pytorch", "cpu", "avx2", NULL, 0};
    int64_t dims[MEMMODEL_MAX_RANK] = {2, 2, 2, 2, 2, 2, 2, 2};
    struct memmodel_shape output = {.dtype = MEMMODEL_DTYPE_FLOAT32, .rank = rank};
    memmodel_tensor inputs[MAX];
    memmodel_network *net;

    dims[axis] = large;
    memcpy(output.dims, dims, sizeof dims);
    assert_int_equal(memmodel_network_new(context, &net), 0);
    for (int i = 0; i < count; i++) {
        char text[16];

        snprintf(text, sizeof text, "p%d", i);
        inputs[i] = memmodel_network_parameter(net, text, MEMMODEL_DTYPE_FLOAT32, rank, dims, 1);
        if (strstr(name, "_.")) /* PyTorch changes no parameter in place */
            inputs[i] =
                memmodel_network_activation(net, inputs[i], MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
    }
    memmodel_network_custom(
        net, inputs, (size_t)count,
        MEMMODEL_CUSTOM(.outputs = &output, .output_count = 1, .operation = name, .attributes = attributes));
    if (memmodel_network_status(net) == 0)
        peak_of(context, net, &run, name);
    else if (!is_clear(memmodel_network_status(net)))
        fail_msg("%s: %s", name, memmodel_context_error(context)->message);
    memmodel_network_unref(net);
}

static void
call_operator_in_sizes(memmodel_context *context, const char *name, const char *attributes)
{
    static const int counts[] = {1, 2, 3, 6}, ranks[] = {1, 2, 4};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (size_t k = 0; k < sizeof ranks / sizeof ranks[0]; k++)
            for (int n = 0; n < SIZES; n++)
                if (sizes[n] == 0 || sizes[n] > 100)
                    call_operator(context, name, attributes, counts[i], ranks[k], (n + counts[i]) % ranks[k], sizes[n]);
}

static void
operators_of_any_size_are_answered_or_refused(void **state)
{
    memmodel_context *context = bounded_context();
    const char *name;

    (void)state;
    for (size_t i = 0; (name = rule_name_at(i)) != NULL; i++)
        for (size_t k = 0; k < sizeof arguments / sizeof arguments[0]; k++)
            call_operator_in_sizes(context, name, arguments[k]);
    memmodel_context_unref(context);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_of_any_size_are_answered_or_refused),
        cmocka_unit_test(layers_of_any_size_are_answered_or_refused),
        cmocka_unit_test(live_bytes_grow_by_the_same_with_each_time_step),
    };

    return cmocka_run_group_tests_name("sizes", tests, NULL, NULL);
}
