/* Jobs on a GPU, and a small network for them. Their PyTorch is the one of test/data/pytorch_cuda. */
#ifndef TEST_GPU_JOB_H
#define TEST_GPU_JOB_H

#include "check.h"

static inline struct memmodel_job
gpu_job(const char *gpu, const char *optimizer)
{
    return (struct memmodel_job){
        .size = sizeof(struct memmodel_job),
        .device = "cuda",
        .gpu = gpu,
        .optimizer = optimizer,
        .framework_version = "2.11",
    };
}

static inline memmodel_network *
empty_network(memmodel_context *context)
{
    memmodel_network *net;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    return net;
}

/* Takes the network. */
static inline memmodel_report *
estimated(memmodel_network *net, const struct memmodel_job *job)
{
    memmodel_report *report;

    assert_int_equal(memmodel_network_status(net), 0);
    assert_int_equal(memmodel_estimate(net, job, NULL, &report), 0);
    memmodel_network_unref(net);
    return report;
}

static inline memmodel_report *
trained(memmodel_network *net)
{
    struct memmodel_job job = gpu_job("rtx3090", "sgd");

    return estimated(net, &job);
}

static inline struct memmodel_report_result
result_of(const memmodel_report *report)
{
    struct memmodel_report_result peak = {.size = sizeof peak};

    assert_int_equal(memmodel_report_get_result(report, &peak), 0);
    return peak;
}

/* x [8, 16] -> 32, predicted: 2048 + 128 bytes of parameters, 512 of input, 1024 of output. */
static inline memmodel_network *
one_linear_layer(memmodel_context *context)
{
    memmodel_network *net = empty_network(context);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){8, 16});

    memmodel_network_mark_output(net, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 32)));
    return net;
}

static inline memmodel_report *
predicted(memmodel_context *context, const char *gpu)
{
    struct memmodel_job job = gpu_job(gpu, NULL);

    job.mode = 1;
    return estimated(one_linear_layer(context), &job);
}

#endif
