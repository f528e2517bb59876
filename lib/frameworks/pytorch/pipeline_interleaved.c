/*
 * ScheduleInterleaved1F1B: each rank has several stages. PyTorch: torch/distributed/pipelining/schedules.py
 * (_get_1f1b_rank_ops, _add_unshard_reshard, _add_reduce_grad; _PipelineScheduleRuntime waits for what was sent at its end).
 */
#include "frameworks/pytorch/pipeline_schedule.h"

#include "base/checked.h"
#include "frameworks/pytorch/data_parallel.h"
#include "frameworks/pytorch/operators.h"

enum { ACTIVE_STAGES = 3 }; /* whose parameters are gathered at once: max_active_stages */

struct interleaving {
    int64_t per_round, stages, warm_up;
};

/* A forward or backward pass of a stage of this rank. */
struct action {
    int32_t stage;
    bool backward;
};

static struct action
forward_action(const struct interleaving *of, int64_t operation)
{
    return (struct action){(int32_t)(operation / of->per_round % of->stages), false};
}

static struct action
backward_action(const struct interleaving *of, int64_t operation)
{
    return (struct action){(int32_t)(of->stages - 1 - (operation - of->warm_up) / of->per_round % of->stages), true};
}

static void
list_actions(const struct schedule *schedule, struct action *actions)
{
    const struct parallel *parallel = &schedule->step->parallel;
    int64_t rounds = max_i64(1, schedule->chunks / parallel->pipeline_ranks), all, count = 0;
    struct interleaving of = {
        .stages = schedule->step->pipeline->stage_count,
        .per_round = schedule->chunks / rounds,
    };

    all = of.stages * schedule->chunks;
    of.warm_up =
        min_i64((of.stages - 1) * of.per_round + 2 * (parallel->pipeline_ranks - 1 - parallel->pipeline_place), all);
    for (int64_t i = 0; i < all + of.warm_up; i++) {
        if (i < all)
            actions[count++] = forward_action(&of, i);
        if (i >= of.warm_up)
            actions[count++] = backward_action(&of, i);
    }
}

/* The next `stages` different ones; returns how many there are. */
static int
next_stages(const struct action *actions, int64_t count, int32_t *stages)
{
    int found = 0;

    for (int64_t i = 0; i < count && found < ACTIVE_STAGES; i++) {
        int k = 0;

        while (k < found && stages[k] != actions[i].stage)
            k++;
        if (k == found)
            stages[found++] = actions[i].stage;
    }
    return found;
}

static bool
is_among(int32_t stage, const int32_t *stages, int count)
{
    for (int i = 0; i < count; i++)
        if (stages[i] == stage)
            return true;
    return false;
}

/* Stages that come next are gathered, others are not: _add_unshard_reshard. */
static void
gather_stages(struct schedule *schedule, const struct action *actions, int64_t count)
{
    struct pipeline *pipeline = schedule->step->pipeline;
    int32_t next[ACTIVE_STAGES];
    int found = next_stages(actions, count, next);

    for (int32_t i = 0; i < pipeline->stage_count; i++) {
        if (!pipeline->stages[i].active || is_among(i, next, found))
            continue;
        data_select(schedule->step, i);
        data_reshard(schedule->step);
        pipeline->stages[i].active = false;
    }
    for (int i = 0; i < found; i++) {
        if (pipeline->stages[next[i]].active)
            continue;
        data_select(schedule->step, next[i]);
        data_unshard(schedule->step);
        pipeline->stages[next[i]].active = true;
    }
}

static void
run_action(struct schedule *schedule, const struct action *action, int64_t *next)
{
    struct pipeline *pipeline = schedule->step->pipeline;
    struct pipeline_stage *stage = &pipeline->stages[action->stage];
    int64_t chunk = next[action->stage + (action->backward ? pipeline->stage_count : 0)]++;

    data_select(schedule->step, action->stage);
    data_await_unshard(schedule->step);
    if (!action->backward) {
        schedule_forward(schedule, stage, chunk);
        schedule_keep(schedule, schedule_output(stage, chunk));
        return;
    }
    schedule_keep(schedule, pipeline_backward_chunk(schedule->step, stage, chunk));
    if (chunk == schedule->chunks - 1)
        pipeline_finish(schedule->step, stage);
}

void
schedule_interleaved(struct schedule *schedule)
{
    struct step *step = schedule->step;
    size_t stages = (size_t)step->pipeline->stage_count, bytes = 2 * stages * sizeof(int64_t);
    int64_t count = 2 * (int64_t)stages * schedule->chunks;
    int64_t *next = step_pool_take(step, bytes);
    struct action *actions = step_pool_take(step, (size_t)count * sizeof *actions);

    if (!next || !actions)
        return;
    list_actions(schedule, actions);
    for (int64_t i = 0; i < count && !step->status; i++) {
        gather_stages(schedule, &actions[i], count - i);
        run_action(schedule, &actions[i], next);
    }
    gather_stages(schedule, NULL, 0);
    object_pool_give(&step->pool, actions, (size_t)count * sizeof *actions);
    object_pool_give(&step->pool, next, bytes);
}
