/*
 * In which order a rank runs its forward and backward passes, and what the schedule's own variables hold meanwhile: the last
 * output, and what is being sent. PyTorch: torch/distributed/pipelining/schedules.py.
 */
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/pipeline_schedule.h"

#include "base/checked.h"

/* Takes the reference. */
static void
hold(struct schedule *schedule, struct value **variable, struct value *value)
{
    struct value *old = *variable;

    *variable = value;
    value_drop(schedule->step, old);
}

void
schedule_forward(struct schedule *schedule, struct pipeline_stage *stage, int64_t chunk)
{
    pipeline_forward_chunk(schedule->step, schedule->names, stage, chunk);
    hold(schedule, &schedule->output, value_keep(stage->chunks[chunk].output));
}

struct value *
schedule_output(const struct pipeline_stage *stage, int64_t chunk)
{
    return stage->output < 0 ? NULL : value_keep(stage->chunks[chunk].output);
}

/* ---- ScheduleGPipe: what is sent is waited for when all is done ---- */

void
schedule_keep(struct schedule *schedule, struct value *value)
{
    if (value)
        schedule->sent[schedule->sent_count++] = value;
}

static void
run_gpipe(struct schedule *schedule)
{
    struct pipeline_stage *stage = &schedule->step->pipeline->stages[0];

    for (int64_t i = 0; i < schedule->chunks; i++) {
        schedule_forward(schedule, stage, i);
        schedule_keep(schedule, schedule_output(stage, i));
    }
    for (int64_t i = 0; i < schedule->chunks; i++)
        schedule_keep(schedule, pipeline_backward_chunk(schedule->step, stage, i));
    pipeline_finish(schedule->step, stage);
}

/* ---- Schedule1F1B ---- */

static int64_t
warm_up(struct schedule *schedule, struct pipeline_stage *stage)
{
    int64_t count = min_i64(schedule->chunks, schedule->step->parallel.pipeline.stages - stage->number);

    for (int64_t i = 0; i < count; i++) {
        schedule_forward(schedule, stage, i);
        hold(schedule, &schedule->forward_sends, schedule_output(stage, i));
        if (i < count - 1)
            hold(schedule, &schedule->send_work, schedule_output(stage, i));
    }
    return count;
}

static void
run_1f1b(struct schedule *schedule)
{
    struct pipeline_stage *stage = &schedule->step->pipeline->stages[0];
    int64_t forwards = warm_up(schedule, stage), backwards = 0;

    while (!schedule->step->status) {
        hold(schedule, &schedule->backward_sends, pipeline_backward_chunk(schedule->step, stage, backwards));
        backwards++;
        if (forwards == schedule->chunks)
            break;
        schedule_forward(schedule, stage, forwards);
        hold(schedule, &schedule->forward_sends, schedule_output(stage, forwards));
        forwards++;
    }
    hold(schedule, &schedule->send_work, value_keep(schedule->backward_sends));
    for (; backwards < schedule->chunks && !schedule->step->status; backwards++) {
        struct value *gradient = pipeline_backward_chunk(schedule->step, stage, backwards);

        hold(schedule, &schedule->backward_sends, gradient);
        hold(schedule, &schedule->send_work, value_keep(gradient));
    }
    pipeline_finish(schedule->step, stage);
}

/* ---- schedule.step() ---- */

/* What the last stage kept of the step before: the caller's losses, then output_chunks. */
static void
clear(struct schedule *schedule, bool losses)
{
    struct pipeline *pipeline = schedule->step->pipeline;

    for (int32_t i = 0; i < pipeline->stage_count; i++)
        for (int64_t k = 0; k < schedule->chunks; k++)
            value_drop_all(schedule->step,
                           losses ? &pipeline->stages[i].chunks[k].loss : &pipeline->stages[i].chunks[k].output, 1);
}

/* merge_chunks(): torch.cat of all outputs, which the caller has a name for. */
static void
merge(struct schedule *schedule, const struct pipeline_stage *stage)
{
    struct step *step = schedule->step;
    const struct value *output = stage->chunks[0].output;
    struct value *merged, *old = step->pipeline->merged;

    if (!output || !step->parallel.pipeline.return_outputs)
        return;
    step_enter(step, MEMMODEL_PHASE_BACKWARD,
               step->network->layer_count ? (int32_t)step->network->layer_count - 1 : -1);
    step->what = "outputs of all parts";
    merged = value_buffer(
        step, multiply_saturating(schedule->chunks,
                                  multiply_saturating(value_elements(output), dtype_bytes(output->shape.dtype))));
    step->pipeline->merged = merged;
    value_drop(step, old);
}

void
pipeline_step(struct step *step, struct names *names)
{
    struct schedule schedule = {.step = step, .names = names, .chunks = step->parallel.pipeline.microbatches};
    struct pipeline_stage *last = &step->pipeline->stages[step->pipeline->stage_count - 1];

    size_t room = 2 * (size_t)(step->pipeline->stage_count * schedule.chunks) * sizeof *schedule.sent;

    clear(&schedule, true);
    clear(&schedule, false);
    pipeline_prepare(step);
    schedule.sent = step_pool_take(step, room);
    if (!schedule.sent)
        return;
    if (step->parallel.pipeline.kind == PIPELINE_GPIPE)
        run_gpipe(&schedule);
    else if (step->parallel.pipeline.kind == PIPELINE_1F1B)
        run_1f1b(&schedule);
    else
        schedule_interleaved(&schedule);
    value_drop(step, schedule.output);
    value_drop(step, schedule.forward_sends);
    value_drop(step, schedule.backward_sends);
    value_drop(step, schedule.send_work);
    for (size_t i = 0; i < schedule.sent_count; i++)
        value_drop(step, schedule.sent[i]);
    object_pool_give(&step->pool, schedule.sent, room);
    if (!step->status && last->output < 0)
        merge(&schedule, last);
}
