/* A network without a backward pass: its plan, another order, tiles, a smaller batch. Weights are counted on top. */
#include "base/checked.h"
#include "base/text.h"
#include "optimize/optimize.h"
#include "memmodel/schedule.h"
#include "memmodel/tiling.h"

#include <inttypes.h>
#include <stdio.h>

static struct memmodel_schedule_options
how_of(const struct optimization_query *query)
{
    return (struct memmodel_schedule_options){.size = sizeof(struct memmodel_schedule_options),
                                              .symbols = query->job.symbols,
                                              .symbol_count = query->job.symbol_count};
}

static int
schedule(const struct optimization_query *query, struct memmodel_schedule_result *summary)
{
    const struct memmodel_schedule_options how = how_of(query);
    memmodel_schedule *schedule;
    int status = memmodel_network_schedule(query->network, &how, query->context, &schedule);

    if (status)
        return status;
    *summary = (struct memmodel_schedule_result){.size = sizeof *summary};
    status = memmodel_schedule_get_result(schedule, summary);
    memmodel_schedule_unref(schedule);
    return status;
}

/* Both are bytes of memory that was counted, so that their sum is far from 63 bits; if not, it is the most there is. */
static int64_t
with_weights(int64_t bytes, int64_t weights)
{
    int64_t sum;

    return checked_add(bytes, weights, &sum) ? sum : INT64_MAX;
}

/* ---- tiles ---- */

/* The extents of the largest tile, and how many there are. */
static void
write_tiles(struct text *text, const memmodel_tiling *tiling, const struct memmodel_tiling_result *result)
{
    for (size_t i = 0; i < memmodel_tiling_axis_count(tiling); i++) {
        struct memmodel_tiling_axis axis = {.size = sizeof axis};

        memmodel_tiling_get_axis(tiling, i, &axis);
        text_printf(text, "%s%" PRId64, i ? " x " : "", axis.max_extent);
    }
    text_printf(text, ", %" PRId64 " tiles", result->tile_count);
}

static int
take_tiling(memmodel_optimization *optimization, const memmodel_tiling *tiling, int64_t weights)
{
    struct memmodel_tiling_result result = {.size = sizeof result};
    struct text text = TEXT_INIT(optimization->context);
    int status = memmodel_tiling_get_result(tiling, &result);

    if (!status) {
        write_tiles(&text, tiling, &result);
        status = text.failed ? MEMMODEL_ERROR_NO_MEMORY : 0;
    }
    if (!status)
        status = optimization_apply(optimization, MEMMODEL_TECHNIQUE_TILE, with_weights(result.peak, weights),
                                    result.overhead, text.bytes, "no tile needs less");
    text_release(&text);
    return status;
}

/* Networks that cannot be cut, and tiles that would not be enough, are no errors here: their text says why. */
static int
try_tiles(memmodel_optimization *optimization, const struct optimization_query *query, int64_t weights)
{
    const struct memmodel_schedule_options how = how_of(query);
    memmodel_tiling *tiling;
    int status;

    if (weights >= optimization->budget)
        return optimization_skip(optimization, MEMMODEL_TECHNIQUE_TILE, "the weights alone are more than the budget");
    status = memmodel_network_tile(query->network, &how, optimization->budget - weights, query->context, &tiling);
    if (status == MEMMODEL_ERROR_UNSUPPORTED)
        return optimization_skip(optimization, MEMMODEL_TECHNIQUE_TILE,
                                 memmodel_context_error(optimization->context)->message);
    if (status)
        return status;
    status = take_tiling(optimization, tiling, weights);
    memmodel_tiling_unref(tiling);
    return status;
}

/* ---- the batch ---- */

/* The largest batch below the present one whose plan is within the budget, 1 if none is: `needs` is what it needs. */
static int
find_batch(const memmodel_optimization *optimization, struct optimization_query *query, int64_t *needs)
{
    int64_t low = 1, high = query->batch->value - 1;
    int status = 0;

    while (low < high && !status) {
        struct memmodel_schedule_result summary;

        query->batch->value = low + (high - low + 1) / 2;
        status = schedule(query, &summary);
        if (!status && with_weights(summary.peak, summary.parameter_bytes) <= optimization->budget)
            low = query->batch->value;
        else
            high = query->batch->value - 1;
    }
    if (!status) {
        struct memmodel_schedule_result summary;

        query->batch->value = low;
        status = schedule(query, &summary);
        *needs = status ? 0 : with_weights(summary.peak, summary.parameter_bytes);
    }
    return status;
}

static int
try_batch(memmodel_optimization *optimization, struct optimization_query *query)
{
    char detail[64];
    int64_t needs;
    int status;

    if (!query->batch || query->batch->value <= 1)
        return optimization_skip(optimization, MEMMODEL_TECHNIQUE_BATCH,
                                 query->batch ? "the batch is 1" : "the network has no symbol \"batch\"");
    status = find_batch(optimization, query, &needs);
    snprintf(detail, sizeof detail, "batch=%" PRId64, query->batch->value);
    return status ? status
                  : optimization_apply(optimization, MEMMODEL_TECHNIQUE_BATCH, needs, 0, detail,
                                       "a smaller batch needs no less");
}

/* ---- all ---- */

int
optimization_inference(memmodel_optimization *optimization, struct optimization_query *query)
{
    struct memmodel_schedule_result whole;
    int status = schedule(query, &whole);

    if (!status)
        status = optimization_apply(optimization, MEMMODEL_TECHNIQUE_NO_REUSE,
                                    with_weights(whole.tensor_bytes, whole.parameter_bytes), 0, "", "");
    if (!status && !optimization_is_met(optimization))
        status = optimization_apply(optimization, MEMMODEL_TECHNIQUE_REUSE,
                                    with_weights(whole.peak_program_order, whole.parameter_bytes), 0, "",
                                    "all is needed to the end");
    if (!status && !optimization_is_met(optimization))
        status = optimization_apply(optimization, MEMMODEL_TECHNIQUE_REORDER,
                                    with_weights(whole.peak, whole.parameter_bytes), 0, "", "no order needs less");
    if (!status && !optimization_is_met(optimization))
        status = try_tiles(optimization, query, whole.parameter_bytes);
    if (!status && !optimization_is_met(optimization))
        status = try_batch(optimization, query);
    return status;
}
