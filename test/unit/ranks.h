/* Ranks that train together: the recorded ones of test/data/pytorch_parallel, as jobs and reports. */
#ifndef TEST_RANKS_H
#define TEST_RANKS_H

#include "check.h"

#include <jansson.h>
#include <stdbool.h>

static inline memmodel_network *
network_of(memmodel_context *context, const char *name)
{
    char path[512];
    memmodel_network *network;

    snprintf(path, sizeof path, "%s/pytorch_parallel/networks/%s.json", TEST_DATA, name);
    if (memmodel_network_load(context, path, &network))
        fail_msg("%s", memmodel_context_error(context)->message);
    return network;
}

/* As the recordings were made. */
static inline struct memmodel_job
job_of(const struct memmodel_parallel *parallel)
{
    return (struct memmodel_job){
        .size = sizeof(struct memmodel_job),
        .intra_op_threads = 1,
        .isa = "avx2",
        .framework_version = "2.13",
        .metric = MEMMODEL_METRIC_LIVE,
        .parallel = parallel,
    };
}

static inline memmodel_report *
report_of(memmodel_context *context, const memmodel_network *network, const struct memmodel_job *job)
{
    memmodel_report *report;

    if (memmodel_estimate(network, job, context, &report))
        fail_msg("%s: %s", memmodel_context_error(context)->object, memmodel_context_error(context)->message);
    return report;
}

/* What was predicted of a recorded rank. */
static inline memmodel_report *
report_of_row(memmodel_context *context, const json_t *row)
{
    const struct memmodel_parallel parallel = {
        .size = sizeof parallel,
        .mesh = json_string_value(json_object_get(row, "mesh")),
        .data = json_string_value(json_object_get(row, "data")),
        .tensor = json_string_value(json_object_get(row, "tensor")),
        .pipeline = json_string_value(json_object_get(row, "pipeline")),
        .backend = "gloo",
        .rank = json_integer_value(json_object_get(row, "rank")),
    };
    struct memmodel_job job = job_of(&parallel);
    memmodel_network *network;
    memmodel_report *report;
    char name[64];

    job.optimizer = json_string_value(json_object_get(row, "optimizer"));
    job.checkpoint = json_string_value(json_object_get(row, "checkpoint"));
    job.gradient_accumulation = (int32_t)json_integer_value(json_object_get(row, "gradient_accumulation"));
    job.keep_gradients = json_is_true(json_object_get(row, "keep_gradients"));
    if (json_object_get(row, "network"))
        snprintf(name, sizeof name, "%s", json_string_value(json_object_get(row, "network")));
    else
        snprintf(name, sizeof name, "%s_%d", json_string_value(json_object_get(row, "model")),
                 (int)json_integer_value(json_object_get(row, "batch")));
    network = network_of(context, name);
    report = report_of(context, network, &job);
    memmodel_network_unref(network);
    return report;
}

#endif
