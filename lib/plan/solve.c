/* Solving a plan: its buffers are packed, what was found is verified, and the result is kept. */
#include "plan/plan.h"

#include "base/environment.h"
#include "base/checked.h"
#include "plan/pack.h"
#include "plan/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_NODES = 1000000 };

static int
check_options(const memmodel_plan *plan, const struct memmodel_plan_options *options)
{
    if (options->budget < 0 || options->max_nodes < 0 || !(options->max_seconds >= 0))
        return context_error(plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "budget, max_nodes and max_seconds must not be negative");
    return 0;
}

/* Fixed buffers that collide cannot be mended by any plan of the others. */
static int
check_fixed(const memmodel_plan *plan, const struct problem *problem)
{
    int64_t *offsets, peak;
    int status;

    if (!problem->has_fixed)
        return 0;
    offsets = memory_allocate_zeroed(plan->context, plan->count, sizeof *offsets);
    if (!offsets)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < plan->count; i++) {
        int64_t fixed = problem->items[problem->item_of[i]].fixed;

        offsets[i] = fixed < 0 ? VERIFY_UNPLACED : fixed + problem->displacement[i];
    }
    status = verify_offsets(plan, offsets, &peak);
    memory_release(plan->context, offsets);
    return status;
}

static int64_t *
buffer_offsets(const memmodel_plan *plan, const struct problem *problem, const struct packing *packing)
{
    int64_t *offsets = memory_allocate_zeroed(plan->context, plan->count, sizeof *offsets);

    for (size_t i = 0; offsets && i < plan->count; i++) {
        offsets[i] = problem->displacement[i];
        if (problem->item_of[i] != SIZE_MAX)
            offsets[i] += problem->bottom + packing->offsets[problem->item_of[i]];
    }
    return offsets;
}

static int32_t
status_of(const struct search_limits *limits, int64_t peak, int64_t lower_bound)
{
    int64_t capacity = limits->options->budget;

    if (capacity && lower_bound > capacity)
        return MEMMODEL_SEARCH_STATUS_INFEASIBLE;
    if (peak <= lower_bound)
        return MEMMODEL_SEARCH_STATUS_OPTIMAL;
    if (capacity && peak <= capacity)
        return MEMMODEL_SEARCH_STATUS_FEASIBLE;
    return limits->status > 0 ? limits->status : MEMMODEL_SEARCH_STATUS_LIMIT;
}

/* Verifies what was found and keeps it. */
static int
set_result(memmodel_plan *plan, const struct problem *problem, const struct packing *packing,
           const struct search_limits *limits)
{
    int64_t *offsets = buffer_offsets(plan, problem, packing), peak = 0;
    int status = offsets ? verify_offsets(plan, offsets, &peak) : MEMMODEL_ERROR_NO_MEMORY;

    if (status) {
        memory_release(plan->context, offsets);
        return status;
    }
    plan_forget_offsets(plan);
    plan->offsets = offsets;
    plan->result = (struct memmodel_plan_result){
        .size = sizeof plan->result,
        .peak = peak,
        .lower_bound = min_i64(peak, problem->bottom + problem->lower_bound),
        .total_bytes = plan->total,
        .node_count = limits->nodes,
        .seconds = search_limits_seconds(limits),
    };
    plan->result.status = status_of(limits, peak, problem->bottom + problem->lower_bound);
    return 0;
}

static int
solve(memmodel_plan *plan, const struct memmodel_plan_options *options, struct problem *problem)
{
    struct packing packing = {0};
    struct search_limits limits;
    int status;

    search_limits_start(&limits, plan->context, options);
    limits.without = plan->without;
    limits.best = (struct memmodel_plan_result){.size = sizeof limits.best, .total_bytes = plan->total};
    limits.best.lower_bound = problem->bottom + problem->lower_bound;
    packing.offsets = memory_allocate_zeroed(plan->context, problem->count + 1, sizeof *packing.offsets);
    if (!packing.offsets)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = pack(problem, options->budget ? max_i64(options->budget - problem->bottom, 1) : 0, &limits, &packing);
    if (!status)
        status = set_result(plan, problem, &packing, &limits);
    memory_release(plan->context, packing.offsets);
    return status;
}

static int
solve_own(memmodel_plan *plan, const struct memmodel_plan_options *options)
{
    OWN_ENVIRONMENT;
    struct memmodel_plan_options own = {0};
    struct problem problem;
    int status;

    status = options_copy(plan->context, "struct memmodel_plan_options", options, &own, sizeof own);
    if (!status && !plan->count)
        status =
            context_error(plan->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "a plan needs at least one buffer");
    if (!status)
        status = check_options(plan, &own);
    if (!status)
        status = problem_make(plan, &problem);
    if (status)
        return status;
    own.max_nodes = own.max_nodes ? own.max_nodes : DEFAULT_NODES;
    status = check_fixed(plan, &problem);
    if (!status)
        status = solve(plan, &own, &problem);
    problem_release(&problem);
    return status;
}

void
plan_leave_out(memmodel_plan *plan, uint64_t rules)
{
    plan->without = rules;
}

int
memmodel_plan_solve(memmodel_plan *plan, const struct memmodel_plan_options *options)
{
    int status;

    if (!plan)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(plan->context);
    return context_end(plan->context, status ? status : solve_own(plan, options));
}
