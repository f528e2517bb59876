/*
 * TensorFlow's graph optimiser estimates the peak of a step from static shapes, and where it exceeds a share of what it
 * takes a processor to have turns each sum of three or more tensors that is alive at that peak into a temporary
 * variable: one more constant of zeros, and the sum is not in place any more. TensorFlow 2.21:
 * core/grappler/optimizers/memory_optimizer.cc, SchedulingPass; the estimate knows no forwarding.
 */
#include "base/checked.h"
#include "frameworks/tensorflow/schedule.h"
#include "frameworks/tensorflow/build.h"

#include <string.h>

/* Above 0.8 of 256 MiB; what this estimate leaves out is a tenth (both cases at each side of it in two networks). */
static const double max_bytes = 0.8 * 256 * 1024 * 1024 / 1.1;

/* Memory that was taken; times count takes and gives. */
struct claim {
    const struct operation *operation;
    int64_t bytes;
    size_t taken, given; /* 0: not yet */
};

struct estimate {
    memmodel_context *context;
    struct claim *claims;
    size_t count, time, peak_time;
    int64_t live, peak;
};

static int32_t
take(void *self, const struct operation *operation, int64_t bytes)
{
    struct estimate *estimate = self;

    bytes = operation->hidden ? 0 : bytes;
    estimate->claims[estimate->count] =
        (struct claim){.operation = operation, .bytes = bytes, .taken = ++estimate->time};
    if (!checked_accumulate(&estimate->live, bytes))
        return context_error(estimate->context, MEMMODEL_ERROR_OVERFLOW, NULL, "the bytes do not fit in 63 bits");
    if (estimate->live > estimate->peak) {
        estimate->peak = estimate->live;
        estimate->peak_time = estimate->time;
    }
    return (int32_t)estimate->count++;
}

static int
give(void *self, int32_t block)
{
    struct estimate *estimate = self;

    estimate->live -= estimate->claims[block].bytes;
    estimate->claims[block].given = ++estimate->time;
    return 0;
}

static bool
is_live_at_peak(const struct estimate *estimate, const struct claim *claim)
{
    return claim->taken <= estimate->peak_time && (claim->given == 0 || claim->given > estimate->peak_time);
}

/* A sum of more than two, of which any is alive at the peak. */
static bool
is_rewritten(const struct build *build, const struct operation *sum, const bool *is_live)
{
    if (strcmp(sum->what, "AddN") != 0 || sum->input_count <= 2)
        return false;
    for (int32_t i = 0; i < sum->input_count; i++)
        if (is_live[build->graph.inputs[sum->first_input + i]])
            return true;
    return false;
}

static int
rewrite(struct build *build, const struct estimate *estimate)
{
    bool *is_live = memory_allocate_zeroed(build->context, build->graph.count + 1, sizeof *is_live);

    if (!is_live)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < estimate->count; i++)
        is_live[estimate->claims[i].operation - build->graph.operations] =
            is_live_at_peak(estimate, &estimate->claims[i]);
    for (size_t i = 0; i < build->graph.count; i++)
        if (is_rewritten(build, &build->graph.operations[i], is_live))
            build->graph.operations[i].place = PLACE_TEMPORARY;
    memory_release(build->context, is_live);
    return 0;
}

static int
run(struct build *build, struct estimate *estimate)
{
    struct ledger ledger = {.self = estimate, .take = take, .give = give};
    struct schedule schedule = {.graph = &build->graph, .ledger = &ledger, .workers = 1, .first_ready = true};

    for (size_t i = 0; i < build->network->parameter_count; i++)
        if (!checked_accumulate(&estimate->live, build_parameter_bytes(build, (int32_t)i)))
            build_times(build, INT64_MAX, 2);
    estimate->peak = estimate->live;
    return build->status ? build->status : schedule_run(&schedule);
}

int
sums_rewrite(struct build *build)
{
    struct estimate estimate = {.context = build->context};
    int status;

    estimate.claims = memory_allocate_zeroed(build->context, build->graph.count + 1, sizeof *estimate.claims);
    if (!estimate.claims)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = run(build, &estimate);
    if (!status && (double)estimate.peak > max_bytes)
        status = rewrite(build, &estimate);
    memory_release(build->context, estimate.claims);
    return status;
}
