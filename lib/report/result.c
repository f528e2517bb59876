/*
 * The bytes of one estimate: simulated and replayed through the framework's allocator, or counted by a textbook rule.
 */
#include "allocators/allocator.h"
#include "base/checked.h"
#include "report/report.h"

#include <string.h>

/*
 * A PyTorch process besides its tensors: interpreter, libraries, kernels made on first use. Resident bytes of PyTorch
 * 2.13.0 (CPU build, Python 3.11) after three steps of a tiny network, 328.8 to 329.1 MB in four runs of
 * test/frameworks/process_base.py. What the C library's allocator keeps beyond live tensors comes on top and is not
 * modelled.
 */
#define PYTORCH_CONTEXT_BYTES INT64_C(329000000)

/* A framework, the allocator its traces are replayed through, and what its process holds besides. */
struct framework {
    const char *name;
    framework_simulate simulate; /* NULL: the textbook, which knows no time */
    const struct allocator *allocator;
    int64_t context_bytes; /* -1: not modelled */
};

static const struct framework frameworks[] = {
    {"pytorch", pytorch_simulate, &allocator_exact, PYTORCH_CONTEXT_BYTES},
    {"textbook", NULL, NULL, -1},
};

static int
find_framework(memmodel_context *context, const char *name, const struct framework **framework)
{
    for (size_t i = 0; i < sizeof frameworks / sizeof frameworks[0]; i++) {
        if (strcmp(frameworks[i].name, name) == 0) {
            *framework = &frameworks[i];
            return 0;
        }
    }
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, name,
                         "unknown framework; known are pytorch and textbook");
}

/* ---- textbook ---- */

static int
count(struct query *query, struct result *result)
{
    int64_t quantities[TEXTBOOK_QUANTITY_COUNT], total = 0;
    struct textbook_rule rule;
    int status = textbook_rule_of_job(query->context, &query->job, &rule);

    if (!status)
        status = textbook_count(query->context, &query->binding, quantities);
    if (!status)
        status = textbook_categories(query->context, &rule, quantities, result->categories);
    if (status)
        return status;
    for (int i = 0; i < MEMMODEL_CATEGORY_COUNT; i++)
        if (!checked_accumulate(&total, result->categories[i]))
            return context_error(query->context, MEMMODEL_ERROR_OVERFLOW, NULL, "the bytes do not fit in 63 bits");
    result->peak.live = result->peak.reserved = total;
    result->peak.process = -1;
    return 0;
}

/* ---- simulation ---- */

static int
replay(struct query *query, const struct framework *framework, struct result *result)
{
    const struct memmodel_trace *trace = result->simulation.trace;
    struct replay replayed;
    int status = allocator_replay(query->context, framework->allocator, trace, &replayed);

    if (status)
        return status;
    result->peak_event = trace_peak_event(trace, 0);
    result->peak.live = result->peak_event < 0 ? 0 : trace->events[result->peak_event].live;
    result->peak.reserved = replayed.reserved_peak;
    result->peak.process = framework->context_bytes < 0 ? -1 : replayed.reserved_peak + framework->context_bytes;
    if (result->peak_event >= 0)
        trace_categories_at(trace, result->peak_event, result->categories);
    return 0;
}

static int
simulate(struct query *query, const struct framework *framework, struct result *result)
{
    int status = framework->simulate(query->context, &query->binding, &query->job, &result->simulation);

    if (!status) {
        status = replay(query, framework, result);
        if (status)
            result_release(query->context, result);
    }
    return status;
}

int
result_of_query(struct query *query, struct result *result)
{
    const struct framework *framework = NULL;
    int status;

    memset(result, 0, sizeof *result);
    result->peak.size = sizeof result->peak;
    result->peak_event = -1;
    status = find_framework(query->context, query->job.framework, &framework);
    if (status)
        return status;
    return framework->simulate ? simulate(query, framework, result) : count(query, result);
}

void
result_release(memmodel_context *context, struct result *result)
{
    memmodel_trace_unref(result->simulation.trace);
    memory_release(context, result->simulation.unmodelled);
    memset(&result->simulation, 0, sizeof result->simulation);
}
