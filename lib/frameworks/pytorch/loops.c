/* Loops whose iterations are alike: the middle one stands for those that are left out. */
#include "base/checked.h"
#include "frameworks/pytorch/loops.h"
#include "trace/repeat.h"

#include <inttypes.h>

enum { BEFORE, MIDDLE, AFTER };

int
loops_steps(struct step *step, int64_t length)
{
    int steps = 0;

    if (!step->loops.all)
        return (int)min_i64(length, LOOP_STEPS);
    if (!checked_int(length, &steps) && !step->status)
        step->status = context_error(step->context, MEMMODEL_ERROR_OVERFLOW, step->network->layers[step->layer].name,
                                     "%" PRId64 " time steps that differ are more than can be simulated", length);
    return steps;
}

/* ---- the middle iteration ---- */

static int
place_of(const struct loops *loops)
{
    int offset = loops->iteration - LOOP_MIDDLE;

    return MIDDLE + (loops->backward ? -offset : offset);
}

static bool
is_near_middle(const struct loops *loops)
{
    return loops->now > 0 && place_of(loops) >= BEFORE && place_of(loops) <= AFTER;
}

/* The job is to be simulated again. */
static void
give_up(struct step *step)
{
    step->loops.irregular = true;
    step_fail(step, MEMMODEL_ERROR_UNSUPPORTED);
}

/* Storages of the middle iteration that are still there have copies; the bytes of one each. */
static int64_t
keep_copies(struct loops *loops, const struct repeated_loop *loop)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < loops->made_count; i++) {
        struct storage *storage = loops->made[i];

        if (!storage)
            continue;
        storage->place = (struct loop_place){.copies = loop->left_out, .layer = loop->layer, .number = loop->number};
        bytes += storage->bytes; /* live at the same time */
    }
    loops->made_count = 0;
    return bytes;
}

/* In a trace of the peak only. */
static int
move_live(struct step *step, int64_t times, int64_t growth)
{
    int64_t more;

    if (!checked_multiply(times, growth, &more) || !checked_add(step->trace->live, more, &step->trace->live))
        return context_error(step->context, MEMMODEL_ERROR_OVERFLOW, NULL, "live bytes do not fit in 63 bits");
    step->trace->peak = max_i64(step->loops.peak, step->trace->peak + more);
    return 0;
}

/* The iteration after the middle one has ended. */
static void
repeat_middle(struct step *step, const struct repeated_loop *loop)
{
    struct loops *loops = &step->loops;
    int64_t growth = step->trace->live - loops->live, kept = keep_copies(loops, loop);
    bool regular = loops->signatures[BEFORE] == loops->signatures[MIDDLE] &&
                   loops->signatures[MIDDLE] == loops->signatures[AFTER] && growth == kept - loops->drained;
    struct trace_iterations iterations = {loops->first[BEFORE], loops->first[MIDDLE], loops->first[AFTER]};
    int status = 0;

    if (regular && step->trace->peak_only)
        status = move_live(step, loop->left_out, growth);
    else if (regular)
        status = trace_add_repeat(step->trace, &iterations, loop->left_out, growth, &regular);
    if (status && !step->status)
        step->status = status;
    if (!regular)
        give_up(step);
}

/* ---- from one iteration to the next ---- */

static void
leave(struct step *step)
{
    struct loops *loops = &step->loops;
    int place = place_of(loops);

    if (is_near_middle(loops))
        loops->signatures[place] = loops->signature;
    if (place == MIDDLE) {
        loops->live = step->trace->live;
        loops->peak = step->trace->peak;
        step->trace->peak = step->trace->live;
    }
    if (place == AFTER && !step->status)
        repeat_middle(step, &loops->items[loops->now - 1]);
    loops->now = 0;
}

static void
enter(struct step *step, size_t loop, int iteration, bool backward)
{
    struct loops *loops = &step->loops;
    int place;

    loops->now = loop;
    loops->iteration = iteration;
    loops->backward = backward;
    loops->signature = 0;
    place = place_of(loops);
    if (!is_near_middle(loops))
        return;
    loops->first[place] = (int32_t)step->trace->event_count;
    if (place == BEFORE) {
        loops->made_count = 0;
        loops->drained = 0;
    }
}

/* ---- the forward pass ---- */

void
loops_begin(struct step *step, int32_t number, int64_t length)
{
    struct loops *loops = &step->loops;

    if (step->loops.all || length <= LOOP_STEPS || step->status)
        return;
    if (array_reserve(step->context, &loops->items, &loops->capacity, loops->count + 1, sizeof *loops->items)) {
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
        return;
    }
    if (is_near_middle(loops)) /* of a loop's backward pass, where a checkpoint is recomputed */
        give_up(step);
    loops->now = 0;
    loops->items[loops->count++] =
        (struct repeated_loop){.left_out = length - LOOP_STEPS, .layer = step->layer, .number = number};
    loops->running = true;
}

void
loops_forward(struct step *step, int iteration)
{
    struct loops *loops = &step->loops;

    if (!loops->running)
        return;
    if (loops->now > 0)
        leave(step);
    loops->items[loops->count - 1].sequence[iteration] = step->sequence;
    enter(step, loops->count, iteration, false);
}

void
loops_forward_end(struct step *step)
{
    struct loops *loops = &step->loops;

    if (!loops->running)
        return;
    leave(step);
    loops->items[loops->count - 1].sequence[LOOP_STEPS] = step->sequence;
    loops->running = false;
}

/* ---- the backward pass ---- */

static bool
has_node(const struct repeated_loop *loop, int iteration, int64_t sequence)
{
    return sequence >= loop->sequence[iteration] && sequence < loop->sequence[iteration + 1];
}

/* The loop whose node it is, counted from 1, or 0, and the iteration. */
static size_t
find_node(const struct loops *loops, int64_t sequence, int *iteration)
{
    for (size_t i = loops->count; i > 0; i--) {
        const struct repeated_loop *loop = &loops->items[i - 1];

        if (sequence < loop->sequence[0] || sequence >= loop->sequence[LOOP_STEPS])
            continue;
        for (*iteration = LOOP_STEPS - 1; !has_node(loop, *iteration, sequence);)
            --*iteration;
        return i;
    }
    return 0;
}

void
loops_backward(struct step *step, int64_t sequence)
{
    struct loops *loops = &step->loops;
    int iteration = 0;
    size_t loop;

    if (loops->count == 0 || (loops->now > 0 && has_node(&loops->items[loops->now - 1], loops->iteration, sequence)))
        return;
    if (loops->now > 0)
        leave(step);
    loop = find_node(loops, sequence, &iteration);
    if (loop > 0)
        enter(step, loop, iteration, true);
}

void
loops_clear(struct step *step)
{
    step->loops.count = 0;
    step->loops.now = 0;
}

void
loops_release(struct step *step)
{
    memory_release(step->context, step->loops.items);
    memory_release(step->context, step->loops.made);
}

/* ---- storages ---- */

static void
sign(struct loops *loops, int64_t bytes, bool release)
{
    const uint64_t prime = UINT64_C(1099511628211); /* of the hash FNV-1a */

    loops->signature = (loops->signature ^ (2 * (uint64_t)bytes + release)) * prime;
    loops->signature ^= loops->signature >> 32;
}

void
loops_allocated(struct step *step, struct storage *storage)
{
    struct loops *loops = &step->loops;

    if (loops->now == 0)
        return;
    sign(loops, storage->bytes, false);
    if (place_of(loops) != MIDDLE)
        return;
    if (array_reserve(step->context, &loops->made, &loops->made_capacity, loops->made_count + 1, sizeof *loops->made)) {
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
        return;
    }
    loops->made[loops->made_count++] = storage;
    storage->place.made = (int32_t)loops->made_count;
}

/* Its copies go with it. */
static void
release_copies(struct step *step, const struct storage *storage)
{
    struct memmodel_trace *trace = step->trace;

    trace->live -= storage->place.copies * storage->bytes;
    if (trace->peak_only)
        return;
    trace->events[trace->event_count - 1].live = trace->live;
    trace->blocks[storage->block].drained = (int32_t)trace->event_count - 1;
}

void
loops_released(struct step *step, struct storage *storage)
{
    struct loops *loops = &step->loops;
    const struct loop_place *place = &storage->place;
    bool own = loops->now > 0 && loops->items[loops->now - 1].layer == place->layer &&
               loops->items[loops->now - 1].number == place->number;

    if (loops->now > 0)
        sign(loops, storage->bytes, true);
    if (place->made > 0 && (size_t)place->made <= loops->made_count && loops->made[place->made - 1] == storage)
        loops->made[place->made - 1] = NULL;
    if (place->copies == 0)
        return;
    if (loops->now == 0)
        release_copies(step, storage);
    else if (own && loops->backward && is_near_middle(loops))
        loops->drained += storage->bytes;
    else
        give_up(step);
}
