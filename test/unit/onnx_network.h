/* Networks from ONNX files that a test writes, and their peaks. */
#ifndef TEST_ONNX_NETWORK_H
#define TEST_ONNX_NETWORK_H

#include "onnx_file.h"

static inline memmodel_network *
network_of(memmodel_context *context, const struct onnx_file *file)
{
    memmodel_network *network = NULL;

    if (memmodel_network_from_onnx(context, "test", file->bytes, file->length, NULL, &network))
        fail_msg("%s: %s", memmodel_context_error(context)->object, memmodel_context_error(context)->message);
    return network;
}

#define SYMBOLS(...)                                                                                                   \
    (const struct memmodel_symbol_value[]){__VA_ARGS__},                                                               \
        sizeof((const struct memmodel_symbol_value[]){__VA_ARGS__}) / sizeof(struct memmodel_symbol_value)

static inline int64_t
peak_of_job(const memmodel_network *network, const struct memmodel_job *job)
{
    struct memmodel_report_result peak = {.size = sizeof peak};
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(network, job, NULL, &report), 0);
    memmodel_report_get_result(report, &peak);
    memmodel_report_unref(report);
    return peak.live;
}

static inline int64_t
peak_of(memmodel_network *network, const char *framework, const struct memmodel_symbol_value *symbols, size_t count)
{
    struct memmodel_job job = {.size = sizeof job,
                               .framework = framework,
                               .symbols = symbols,
                               .symbol_count = count,
                               .mode = 1,
                               .steps = 1,
                               .intra_op_threads = 1,
                               .textbook_rule = "forward"};

    if (strcmp(framework, "onnxruntime") == 0)
        job.graph_optimization = "disable";
    return peak_of_job(network, &job);
}

#endif
