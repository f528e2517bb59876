/* memmodel_recomputation: which scopes of a network to wrap in torch.utils.checkpoint. */
#include "recompute/recomputation.h"

#include "base/environment.h"
#include "base/checked.h"
#include "memmodel/builder.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DEFAULT_SIMULATIONS = 2000, LEAST_SIMULATIONS = 2, MOST_SIMULATIONS = 1000000 };

/* A step's time in forward passes: the backward pass computes gradients of what each layer reads and of its weights. */
static const double FORWARD_PASSES = 3;

/* ---- life ---- */

/* Its memory is of the context of the job that it was found for, which may go before the search. */
static struct curve
curve_start(memmodel_context *context, int64_t budget)
{
    return (struct curve){.arena = ARENA_INIT(memmodel_context_ref(context)), .budget = budget};
}

static void
curve_release(struct curve *curve)
{
    arena_release(&curve->arena);
    memmodel_context_unref(curve->arena.context);
}

int
memmodel_recomputation_new(memmodel_network *network, memmodel_recomputation **recomputation)
{
    memmodel_recomputation *new;
    int status;

    if (!network || !recomputation)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = network_check(network, network->context);
    if (status)
        return status;
    new = memory_allocate_zeroed(network->context, 1, sizeof *new);
    if (!new)
        return context_status(network->context, MEMMODEL_ERROR_NOMEM);
    *new = (struct memmodel_recomputation){.context = memmodel_context_ref(network->context),
                                           .network = memmodel_network_ref(network),
                                           .arena = ARENA_INIT(network->context),
                                           .curve = curve_start(network->context, 0),
                                           .result = {.size = sizeof new->result}};
    atomic_init(&new->references, 1);
    *recomputation = new;
    return 0;
}

memmodel_recomputation *
memmodel_recomputation_ref(memmodel_recomputation *recomputation)
{
    if (recomputation)
        atomic_fetch_add(&recomputation->references, 1);
    return recomputation;
}

void
memmodel_recomputation_unref(memmodel_recomputation *recomputation)
{
    memmodel_context *context;

    if (!recomputation || atomic_fetch_sub(&recomputation->references, 1) > 1)
        return;
    context = recomputation->context;
    curve_release(&recomputation->curve);
    arena_release(&recomputation->arena);
    memmodel_network_unref(recomputation->network);
    memory_release(context, recomputation);
    memmodel_context_unref(context);
}

/* ---- what is said before ---- */

int
memmodel_recomputation_cost(memmodel_recomputation *recomputation, const char *name, double cost)
{
    OWN_ENVIRONMENT;
    struct given_cost *given;

    if (!recomputation || !name)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (!(cost >= 0) || !isfinite(cost))
        return context_error(recomputation->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name,
                             "a cost is 0 or more, and finite");
    given = arena_allocate(&recomputation->arena, sizeof *given);
    if (!given)
        return context_status(recomputation->context, MEMMODEL_ERROR_NOMEM);
    *given = (struct given_cost){.name = arena_copy_text(&recomputation->arena, name), .cost = cost};
    if (!given->name)
        return context_status(recomputation->context, MEMMODEL_ERROR_NOMEM);
    *(recomputation->last_cost ? &recomputation->last_cost->next : &recomputation->costs) = given;
    recomputation->last_cost = given;
    return 0;
}

int
memmodel_recomputation_observe(memmodel_recomputation *recomputation, memmodel_recomputation_observer observer,
                               void *user)
{
    if (!recomputation)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    recomputation->observer = observer;
    recomputation->user = user;
    return 0;
}

/* ---- the curve ---- */

/* As job->checkpoint has it, in the curve's arena. */
static int
write_checkpoint(struct curve *curve, const struct trials *trials, const struct trial *trial, struct point *point)
{
    struct text text = TEXT_INIT(trials->query->context);
    int status = patterns_write(trials->query->context, trials->query->network, trials->scopes, trial->set, &text);

    if (!status) {
        point->checkpoint = arena_copy_text(&curve->arena, text.length ? text.bytes : "");
        status = point->checkpoint ? 0 : MEMMODEL_ERROR_NOMEM;
    }
    text_release(&text);
    return status;
}

/* Names are the network's, which outlives the curve, or lie in it. */
static int
add_point(struct curve *curve, const struct trials *trials, const struct trial *trial)
{
    struct point *point = &curve->points[curve->count++];

    *point = (struct point){.peak = trial->peak};
    point->extra = trial->cost > 0 ? trial->cost / (FORWARD_PASSES * trials->scopes->cost) : 0;
    for (size_t i = 0; i < trials->scopes->count; i++)
        point->count += set_has(trial->set, i);
    point->wrapped = arena_allocate(&curve->arena, (point->count + 1) * sizeof *point->wrapped);
    if (!point->wrapped)
        return MEMMODEL_ERROR_NOMEM;
    for (size_t i = 0, at = 0; i < trials->scopes->count; i++)
        if (set_has(trial->set, i))
            point->wrapped[at++] = trials->scopes->items[i];
    return write_checkpoint(curve, trials, trial, point);
}

static int
fill_curve(struct curve *curve, const struct trials *trials)
{
    int status = 0;

    curve->points = arena_allocate(&curve->arena, trials->front_count * sizeof *curve->points);
    if (!curve->points)
        return MEMMODEL_ERROR_NOMEM;
    for (size_t i = 0; i < trials->front_count && !status; i++)
        status = add_point(curve, trials, trials->front[i]);
    return status;
}

static struct memmodel_recomputation_result
advise(const struct curve *curve, const struct trials *trials)
{
    struct memmodel_recomputation_result result = {
        .size = sizeof result, .before = curve->points[0].peak, .measure = trials->query->job.measure};
    size_t at = 0;

    while (at + 1 < curve->count && (curve->budget == 0 || curve->points[at].peak > curve->budget))
        at++;
    result.peak = curve->points[at].peak;
    result.least = curve->points[curve->count - 1].peak;
    result.simulations = trials->count;
    result.extra = curve->points[at].extra;
    result.point = (int32_t)at;
    result.fits = curve->budget == 0 || result.peak <= curve->budget;
    result.settled = !trials_are_over(trials);
    return result;
}

/* ---- the search ---- */

static int
search(struct query *query, const struct memmodel_recomputation *recomputation, struct scopes *scopes,
       struct arena *arena, struct curve *curve, int64_t simulations, struct memmodel_recomputation_result *result)
{
    struct trials trials;
    int status = trials_new(query, scopes, arena, simulations, &trials);

    if (status)
        return status;
    trials.progress = recomputation->observer;
    trials.user = recomputation->user;
    status = scopes_weigh(&trials, scopes);
    if (!status)
        status = seeds_try(&trials);
    if (!status)
        status = improve(&trials, curve->budget);
    if (!status)
        status = fill_curve(curve, &trials);
    if (!status)
        *result = advise(curve, &trials);
    trials_release(&trials);
    return status;
}

static int
check_job(const struct query *query, int64_t budget, int64_t simulations)
{
    if (strcmp(query->job.framework, "pytorch") != 0)
        return context_error(query->context, MEMMODEL_ERROR_UNSUPPORTED, query->job.framework,
                             "only trainings with pytorch are simulated with what is computed again");
    if (query->job.inference)
        return context_error(query->context, MEMMODEL_ERROR_UNSUPPORTED, "inference",
                             "nothing is kept for a backward pass, so nothing can be computed again");
    if (budget < 0)
        return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "budget", "the budget is negative");
    if (simulations < LEAST_SIMULATIONS || simulations > MOST_SIMULATIONS)
        return context_error(query->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "simulations",
                             "%" PRId64 " simulations; give %d to %d", simulations, LEAST_SIMULATIONS,
                             MOST_SIMULATIONS);
    return 0;
}

static int
solve(struct query *query, const struct memmodel_recomputation *recomputation, int64_t simulations, struct curve *curve,
      struct memmodel_recomputation_result *result)
{
    struct arena arena = ARENA_INIT(query->context);
    struct scopes scopes;
    int status = check_job(query, curve->budget, simulations);

    query->job.checkpoint = "";
    if (!status)
        status = query_bind(query);
    if (!status)
        status = scopes_find(query, recomputation->costs, &arena, &curve->arena, &scopes);
    if (!status)
        status = search(query, recomputation, &scopes, &arena, curve, simulations, result);
    arena_release(&arena);
    return status;
}

int
memmodel_recomputation_solve(memmodel_recomputation *recomputation, const struct memmodel_job *job, int64_t budget,
                             int64_t simulations)
{
    OWN_ENVIRONMENT;
    struct memmodel_recomputation_result result;
    struct curve curve;
    struct query query;
    int status;

    if (!recomputation)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = query_new(recomputation->network, job, NULL, &query);
    if (status)
        return status;
    curve = curve_start(query.context, budget);
    status = solve(&query, recomputation, simulations ? simulations : DEFAULT_SIMULATIONS, &curve, &result);
    status = query_end(&query, status);
    if (status) {
        curve_release(&curve);
        return status;
    }
    curve_release(&recomputation->curve);
    recomputation->curve = curve;
    recomputation->result = result;
    return 0;
}

/* ---- asking ---- */

int
memmodel_recomputation_result(const memmodel_recomputation *recomputation, struct memmodel_recomputation_result *result)
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
memmodel_recomputation_point(const memmodel_recomputation *recomputation, size_t index,
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
    own = (struct memmodel_recomputation_point){sizeof own, found->peak, found->extra, found->count, found->checkpoint};
    return result_copy(&own, sizeof own, point);
}

static const struct candidate *
find_wrapped(const memmodel_recomputation *recomputation, size_t point, size_t index)
{
    if (!recomputation || point >= recomputation->curve.count || index >= recomputation->curve.points[point].count)
        return NULL;
    return &recomputation->curve.points[point].wrapped[index];
}

const char *
memmodel_recomputation_scope(const memmodel_recomputation *recomputation, size_t point, size_t index)
{
    const struct candidate *wrapped = find_wrapped(recomputation, point, index);

    return wrapped ? wrapped->name : NULL;
}

const char *
memmodel_recomputation_module(const memmodel_recomputation *recomputation, size_t point, size_t scope, size_t index)
{
    const struct candidate *wrapped = find_wrapped(recomputation, point, scope);

    if (!wrapped)
        return NULL;
    if (wrapped->modules)
        return index < wrapped->module_count ? wrapped->modules[index] : NULL;
    return index == 0 ? wrapped->name : NULL;
}
