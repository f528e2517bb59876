/* memmodel_recomputation: which scopes of a network to run under torch.utils.checkpoint. */
#include "recompute/recomputation.h"

#include "base/environment.h"
#include "base/checked.h"
#include "memmodel/builder.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DEFAULT_SIMULATIONS = 2000, MIN_SIMULATIONS = 2, MAX_SIMULATIONS = 1000000 };

/* A step's time in forward passes: the backward pass computes gradients of what each layer reads and of its weights. */
static const double FORWARD_PASSES = 3;

/* ---- life ---- */

static memmodel_recomputation *
recomputation_start(memmodel_context *context, const memmodel_network *network, int64_t budget)
{
    memmodel_recomputation *new = memory_allocate_zeroed(context, 1, sizeof *new);

    if (!new)
        return NULL;
    *new = (struct memmodel_recomputation){.context = memmodel_context_ref(context),
                                           .network = memmodel_network_ref((memmodel_network *)network),
                                           .curve = {.arena = ARENA_INIT(context), .budget = budget}};
    atomic_init(&new->references, 1);
    return new;
}

DEFINE_REF(memmodel_recomputation)

void
memmodel_recomputation_unref(memmodel_recomputation *recomputation)
{
    memmodel_context *context;

    if (!recomputation || atomic_fetch_sub(&recomputation->references, 1) > 1)
        return;
    context = recomputation->context;
    arena_release(&recomputation->curve.arena);
    memmodel_network_unref(recomputation->network);
    memory_release(context, recomputation);
    memmodel_context_unref(context);
}

/* ---- the curve ---- */

/* As job->checkpoint has it, in the curve's arena. */
static int
write_checkpoint(struct curve *curve, const struct evaluated_sets *sets, const struct evaluated_set *evaluated,
                 struct point *point)
{
    struct text text = TEXT_INIT(sets->query->context);
    int status = patterns_write(sets->query->context, sets->query->network, sets->scopes, evaluated->set, &text);

    if (!status) {
        point->checkpoint = arena_copy_text(&curve->arena, text.length ? text.bytes : "");
        status = point->checkpoint ? 0 : MEMMODEL_ERROR_NO_MEMORY;
    }
    text_release(&text);
    return status;
}

/* Names are the network's, which outlives the curve, or lie in it. */
static int
add_point(struct curve *curve, const struct evaluated_sets *sets, const struct evaluated_set *evaluated)
{
    struct point *point = &curve->points[curve->count++];

    *point = (struct point){.peak = evaluated->peak};
    point->overhead = evaluated->cost > 0 ? evaluated->cost / (FORWARD_PASSES * sets->scopes->cost) : 0;
    for (size_t i = 0; i < sets->scopes->count; i++)
        point->count += set_has(evaluated->set, i);
    point->checkpointed = arena_allocate(&curve->arena, (point->count + 1) * sizeof *point->checkpointed);
    if (!point->checkpointed)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0, at = 0; i < sets->scopes->count; i++)
        if (set_has(evaluated->set, i))
            point->checkpointed[at++] = sets->scopes->items[i];
    return write_checkpoint(curve, sets, evaluated, point);
}

static int
fill_curve(struct curve *curve, const struct evaluated_sets *sets)
{
    int status = 0;

    curve->points = arena_allocate(&curve->arena, sets->front_count * sizeof *curve->points);
    if (!curve->points)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < sets->front_count && !status; i++)
        status = add_point(curve, sets, sets->front[i]);
    return status;
}

static struct memmodel_recomputation_result
advise(const struct curve *curve, const struct evaluated_sets *sets)
{
    struct memmodel_recomputation_result result = {
        .size = sizeof result, .peak_baseline = curve->points[0].peak, .metric = sets->query->job.metric};
    size_t at = 0;

    while (at + 1 < curve->count && curve->points[at].peak > curve->budget)
        at++;
    result.peak = curve->points[at].peak;
    result.min_peak = curve->points[curve->count - 1].peak;
    result.simulation_count = sets->count;
    result.overhead = curve->points[at].overhead;
    result.selected_point = (int32_t)at;
    result.verdict = verdict_of(curve->budget, result.peak);
    result.status = evaluated_sets_status(sets);
    return result;
}

/* ---- the search ---- */

static int
search(struct query *query, struct scopes *scopes, struct arena *arena, int64_t simulations,
       memmodel_recomputation *recomputation)
{
    struct curve *curve = &recomputation->curve;
    struct evaluated_sets sets;
    int status = evaluated_sets_new(query, scopes, arena, simulations, &sets);

    if (status)
        return status;
    status = scopes_profile(&sets, scopes);
    if (!status)
        status = seeds_try(&sets);
    if (!status)
        status = improve(&sets, curve->budget);
    status = evaluated_sets_end(&sets, status);
    if (!status)
        status = fill_curve(curve, &sets);
    if (!status)
        recomputation->result = advise(curve, &sets);
    evaluated_sets_release(&sets);
    return status;
}

static int
check_costs(const struct query *query, const struct memmodel_recompute_options *options)
{
    if (options->cost_count && !options->costs)
        return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "costs",
                             "cost_count is %zu, but costs is NULL", options->cost_count);
    for (size_t i = 0; i < options->cost_count; i++) {
        const struct memmodel_layer_cost *given = &options->costs[i];

        if (!given->name)
            return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "costs", "cost %zu has no name", i);
        if (!(given->cost >= 0) || !isfinite(given->cost))
            return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, given->name,
                                 "a cost is 0 or more, and finite");
    }
    return 0;
}

static int
check(const struct query *query, const struct memmodel_recompute_options *options)
{
    if (!(query->framework->options & FRAMEWORK_CHECKPOINT))
        return context_error(query->context, MEMMODEL_ERROR_UNSUPPORTED, query->job.framework,
                             "recomputation is simulated only for trainings with %s",
                             framework_with(FRAMEWORK_CHECKPOINT)->name);
    if (query->job.mode)
        return context_error(query->context, MEMMODEL_ERROR_UNSUPPORTED, "mode",
                             "nothing is kept for a backward pass, so nothing can be recomputed");
    if (options->max_simulations < MIN_SIMULATIONS || options->max_simulations > MAX_SIMULATIONS)
        return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "max_simulations",
                             "%" PRId64 " simulations; give %d to %d", options->max_simulations, MIN_SIMULATIONS,
                             MAX_SIMULATIONS);
    return check_costs(query, options);
}

static int
solve(struct query *query, const struct memmodel_recompute_options *options, memmodel_recomputation *recomputation)
{
    struct arena arena = ARENA_INIT(query->context);
    struct scopes scopes;
    int status;

    query->job.checkpoint = "";
    status = query_bind(query);
    if (!status)
        status = scopes_find(query, options, &arena, &recomputation->curve.arena, &scopes);
    if (!status)
        status = search(query, &scopes, &arena, options->max_simulations, recomputation);
    arena_release(&arena);
    return status;
}

static int
recompute(struct query *query, const struct memmodel_recompute_options *options, memmodel_recomputation **recomputation)
{
    struct memmodel_recompute_options own;
    memmodel_recomputation *new;
    int status = options_copy(query->context, "memmodel_recompute_options", options, &own, sizeof own);

    own.max_simulations = status || own.max_simulations ? own.max_simulations : DEFAULT_SIMULATIONS;
    if (!status)
        status = check(query, &own);
    if (status)
        return status;
    new = recomputation_start(query->context, query->network, job_limit(&query->job));
    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    new->validated = job_is_validated(&query->job);
    status = solve(query, &own, new);
    if (!status)
        status = unmodelled_copy(&new->curve.arena, query->unmodelled, query->unmodelled_count, &new->unmodelled);
    new->unmodelled_count = query->unmodelled_count;
    if (status)
        memmodel_recomputation_unref(new);
    else
        *recomputation = new;
    return status;
}

int
memmodel_recompute(const memmodel_network *network, const struct memmodel_job *job,
                   const struct memmodel_recompute_options *options, memmodel_context *context,
                   memmodel_recomputation **recomputation)
{
    OWN_ENVIRONMENT;
    struct query query;
    int status;

    if (!network || !recomputation)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = query_new(network, job, NULL, context, &query);
    if (status)
        return status;
    status = recompute(&query, options, recomputation);
    return query_end(&query, status);
}

/* ---- asking ---- */

int
memmodel_recomputation_get_result(const memmodel_recomputation *recomputation,
                                  struct memmodel_recomputation_result *result)
{
    if (!recomputation || !result)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&recomputation->result, sizeof recomputation->result, result);
}

size_t
memmodel_recomputation_point_count(const memmodel_recomputation *recomputation)
{
    return recomputation ? recomputation->curve.count : 0;
}

int
memmodel_recomputation_get_point(const memmodel_recomputation *recomputation, size_t index,
                                 struct memmodel_recomputation_point *point)
{
    const struct point *found;
    struct memmodel_recomputation_point own;

    if (!recomputation || !point)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (index >= recomputation->curve.count)
        return context_error(recomputation->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "there is no point %zu",
                             index);
    found = &recomputation->curve.points[index];
    own = (struct memmodel_recomputation_point){sizeof own, found->peak, found->overhead, found->count,
                                                found->checkpoint};
    return result_copy(&own, sizeof own, point);
}

static const struct candidate *
find_checkpointed(const memmodel_recomputation *recomputation, size_t point, size_t index)
{
    if (!recomputation || point >= recomputation->curve.count || index >= recomputation->curve.points[point].count)
        return NULL;
    return &recomputation->curve.points[point].checkpointed[index];
}

const char *
memmodel_recomputation_segment(const memmodel_recomputation *recomputation, size_t point, size_t index)
{
    const struct candidate *checkpointed = find_checkpointed(recomputation, point, index);

    return checkpointed ? checkpointed->name : NULL;
}

const char *
memmodel_recomputation_segment_module(const memmodel_recomputation *recomputation, size_t point, size_t segment,
                                      size_t index)
{
    const struct candidate *checkpointed = find_checkpointed(recomputation, point, segment);

    if (!checkpointed)
        return NULL;
    if (checkpointed->modules)
        return index < checkpointed->module_count ? checkpointed->modules[index] : NULL;
    return index == 0 ? checkpointed->name : NULL;
}
