/* A network without a backward pass: its plan, another order, tiles, a smaller batch. Weights are counted on top. */
#include "base/checked.h"
#include "base/text.h"
#include "budget/budget.h"
#include "memmodel/schedule.h"
#include "memmodel/tiling.h"

#include <inttypes.h>
#include <stdio.h>

static struct memmodel_inference
how_of(const struct budget_query *query)
{
    return (struct memmodel_inference){.size = sizeof(struct memmodel_inference),
                                       .symbols = query->job.symbols,
                                       .symbol_count = query->job.symbol_count,
                                       .context = query->job.context};
}

static int
schedule(const struct budget_query *query, struct memmodel_schedule_summary *summary)
{
    const struct memmodel_inference how = how_of(query);
    memmodel_schedule *schedule;
    int status = memmodel_schedule_new(query->network, &how, &schedule);

    if (status)
        return status;
    *summary = (struct memmodel_schedule_summary){.size = sizeof *summary};
    status = memmodel_schedule_summary(schedule, summary);
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

        memmodel_tiling_axis(tiling, i, &axis);
        text_printf(text, "%s%" PRId64, i ? " x " : "", axis.largest);
    }
    text_printf(text, ", %" PRId64 " tiles", result->tiles);
}

static int
take_tiling(memmodel_budget *budget, const memmodel_tiling *tiling, int64_t weights)
{
    struct memmodel_tiling_result result = {.size = sizeof result};
    struct text text = TEXT_INIT(budget->context);
    int status = memmodel_tiling_result(tiling, &result);

    if (!status) {
        write_tiles(&text, tiling, &result);
        status = text.failed ? MEMMODEL_ERROR_NOMEM : 0;
    }
    if (!status)
        status = budget_take(budget, MEMMODEL_BUDGET_TILE, with_weights(result.peak, weights), result.overhead,
                             text.bytes, "no tile needs less");
    text_release(&text);
    return status;
}

/* Networks that cannot be cut, and tiles that would not be enough, are no errors here: their text says why. */
static int
try_tiles(memmodel_budget *budget, const struct budget_query *query, int64_t weights)
{
    const struct memmodel_inference how = how_of(query);
    memmodel_tiling *tiling;
    int status;

    if (weights >= budget->bytes)
        return budget_pass(budget, MEMMODEL_BUDGET_TILE, "the weights alone are more than the budget");
    status = memmodel_tiling_new(query->network, &how, budget->bytes - weights, &tiling);
    if (status == MEMMODEL_ERROR_UNSUPPORTED || status == MEMMODEL_ERROR_INVALID_ARGUMENT)
        return budget_pass(budget, MEMMODEL_BUDGET_TILE, memmodel_context_error(budget->context)->message);
    if (status)
        return status;
    status = take_tiling(budget, tiling, weights);
    memmodel_tiling_unref(tiling);
    return status;
}

/* ---- the batch ---- */

/* The largest batch below `most` whose plan is within the budget, 1 if none is: `needs` is what it needs. */
static int
find_batch(const memmodel_budget *budget, struct budget_query *query, int64_t *needs)
{
    int64_t low = 1, high = query->batch->value - 1;
    int status = 0;

    while (low < high && !status) {
        struct memmodel_schedule_summary summary;

        query->batch->value = low + (high - low + 1) / 2;
        status = schedule(query, &summary);
        if (!status && with_weights(summary.peak, summary.parameters) <= budget->bytes)
            low = query->batch->value;
        else
            high = query->batch->value - 1;
    }
    if (!status) {
        struct memmodel_schedule_summary summary;

        query->batch->value = low;
        status = schedule(query, &summary);
        *needs = status ? 0 : with_weights(summary.peak, summary.parameters);
    }
    return status;
}

static int
try_batch(memmodel_budget *budget, struct budget_query *query)
{
    char what[64];
    int64_t needs;
    int status;

    if (!query->batch || query->batch->value <= 1)
        return budget_pass(budget, MEMMODEL_BUDGET_BATCH,
                           query->batch ? "the batch is 1" : "the network has no symbol \"batch\"");
    status = find_batch(budget, query, &needs);
    snprintf(what, sizeof what, "batch=%" PRId64, query->batch->value);
    return status ? status
                  : budget_take(budget, MEMMODEL_BUDGET_BATCH, needs, 0, what, "a smaller batch needs no less");
}

/* ---- all ---- */

int
budget_inference(memmodel_budget *budget, struct budget_query *query)
{
    struct memmodel_schedule_summary whole;
    int status = schedule(query, &whole);

    if (!status)
        status = budget_take(budget, MEMMODEL_BUDGET_APART, with_weights(whole.tensors, whole.parameters), 0, "", "");
    if (!status && !budget_is_met(budget))
        status = budget_take(budget, MEMMODEL_BUDGET_REUSE, with_weights(whole.built_peak, whole.parameters), 0, "",
                             "all is needed to the end");
    if (!status && !budget_is_met(budget))
        status = budget_take(budget, MEMMODEL_BUDGET_ORDER, with_weights(whole.peak, whole.parameters), 0, "",
                             "no order needs less");
    if (!status && !budget_is_met(budget))
        status = try_tiles(budget, query, whole.parameters);
    if (!status && !budget_is_met(budget))
        status = try_batch(budget, query);
    return status;
}
