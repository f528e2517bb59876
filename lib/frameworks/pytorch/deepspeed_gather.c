/*
 * ZeRO 3 gathers the parameters of a module when passes come to it, and, once it has seen one forward and backward pass,
 * those of the modules that will be next; what will be used again soon stays. DeepSpeed 0.19:
 * deepspeed/runtime/zero/partitioned_param_coordinator.py, partition_parameters.py.
 */
#include "base/checked.h"
#include "frameworks/pytorch/deepspeed.h"
#include "frameworks/pytorch/tensor.h"

static struct zero *
zero_of(struct fsdp *fsdp)
{
    return (struct zero *)fsdp;
}

static bool
is_complete(const struct zero *zero)
{
    return zero->trace.passes > 1;
}

/* ---- parameters ---- */

static int64_t
elements_of(const struct fsdp_parameter *parameter)
{
    return value_elements(parameter->whole);
}

int64_t
zero_padded_bytes(const struct step *step, const struct fsdp_parameter *parameter)
{
    return multiply_saturating(step->parallel.world, fsdp_bytes_of(parameter->whole, parameter->padded));
}

/* What is gathered has a stream of its own, whose blocks the allocator keeps apart, but without overlap_comm. */
static void
on_gather_stream(struct step *step, const struct value *value)
{
    if (zero_options(step)->overlap_comm)
        data_on_stream(step, value, GATHER_STREAM);
}

static void
fill(struct step *step, struct value *whole, int64_t bytes)
{
    step->what = "deepspeed gathered parameter";
    value_fill_storage(step, whole, bytes);
    value_becomes(step, whole, MEMMODEL_CATEGORY_PARAMETERS);
    on_gather_stream(step, whole);
}

/* all_gather_coalesced(): one by itself in its place, several in a buffer that they are copied from. */
static void
gather(struct step *step, struct zero *zero, struct fsdp_parameter *const *parameters, size_t count)
{
    struct zero_flight *flight = &zero->flights[zero->flight_count];
    int64_t bytes = 0;

    if (count == 0 || zero->listed + count > zero->flight_room)
        return;
    *flight = (struct zero_flight){.first = zero->listed, .count = count, .waiting = count};
    for (size_t i = 0; i < count; i++) {
        struct zero_status *status = &zero->statuses[parameters[i]->parameter];

        status->status = ZERO_IN_FLIGHT;
        status->flight = (int32_t)zero->flight_count;
        zero->flight_list[zero->listed++] = parameters[i]->parameter;
        bytes = add_saturating(bytes, zero_padded_bytes(step, parameters[i]));
        zero->trace.available += elements_of(parameters[i]);
    }
    zero->flight_count++;
    if (count == 1) {
        fill(step, parameters[0]->whole, bytes);
    } else {
        flight->incoming = data_buffer(step, "deepspeed all-gather", bytes);
        on_gather_stream(step, flight->incoming);
    }
    data_gloo_all_gather(step, bytes);
}

/* AllGatherCoalescedHandle.wait(): all that were gathered together arrive. */
static void
arrive(struct step *step, struct zero *zero, const struct zero_flight *flight)
{
    for (size_t i = 0; i < flight->count; i++) {
        int32_t parameter = zero->flight_list[flight->first + i];
        struct value *value = step->variables[parameter].value;

        if (flight->count > 1)
            fill(step, value, fsdp_bytes_of(value, value_elements(value)));
        zero->statuses[parameter].status = ZERO_ARRIVED;
    }
}

static void
wait_for(struct step *step, struct zero *zero, const struct fsdp_parameter *parameter)
{
    struct zero_status *status = &zero->statuses[parameter->parameter];
    struct zero_flight *flight;

    if (status->status != ZERO_IN_FLIGHT && status->status != ZERO_ARRIVED)
        return;
    flight = &zero->flights[status->flight];
    if (status->status == ZERO_IN_FLIGHT)
        arrive(step, zero, flight);
    status->status = ZERO_GATHERED;
    if (--flight->waiting == 0)
        value_drop_all(step, &flight->incoming, 1);
}

static void
release(struct step *step, struct zero *zero, const struct fsdp_parameter *parameter)
{
    struct zero_status *status = &zero->statuses[parameter->parameter];

    if (status->status != ZERO_GATHERED)
        return;
    value_empty_storage(step, parameter->whole);
    status->status = ZERO_GONE;
    zero->trace.available -= elements_of(parameter);
}

/* ---- what is fetched ahead ---- */

/* The next parameter of the trace, which leaves the queue; NULL at its end. */
static struct fsdp_parameter *
pop(struct zero *zero)
{
    struct zero_trace *trace = &zero->trace;

    for (; trace->queue < trace->count; trace->queue++, trace->within = 0) {
        struct fsdp_unit *unit = &zero->fsdp.units[trace->units[trace->queue]];
        struct fsdp_parameter *parameter;
        struct zero_status *status;

        if (trace->within == unit->count)
            continue;
        parameter = &unit->parameters[trace->within++];
        status = &zero->statuses[parameter->parameter];
        status->fetched_for = max_i64(status->fetched_for, (int64_t)trace->queue);
        return parameter;
    }
    return NULL;
}

/* Those of the unit leave the queue, if they are still in it. */
static void
discard(struct zero *zero, const struct fsdp_unit *unit)
{
    size_t waiting = 0;

    for (size_t i = 0; i < unit->count; i++)
        waiting += zero->statuses[unit->parameters[i].parameter].fetched_for < (int64_t)zero->trace.now;
    for (; waiting > 0 && pop(zero); waiting--) {
    }
}

static void
prefetch(struct step *step, struct zero *zero)
{
    const struct zero_options *options = zero_options(step);
    int64_t most = min_i64(options->max_live_parameters - zero->trace.available, options->prefetch_bucket_size);
    size_t room = step->network->parameter_count + 1, count = 0;
    struct fsdp_parameter **list = step_pool_take(step, room * sizeof *list), *next;

    for (int64_t elements = 0; list && elements < most && count < room && (next = pop(zero));) {
        struct zero_status *status = &zero->statuses[next->parameter];

        if (status->status != ZERO_GONE)
            continue;
        status->status = ZERO_IN_FLIGHT; /* not twice */
        list[count++] = next;
        elements += elements_of(next);
    }
    if (!list)
        return;
    gather(step, zero, list, count);
    object_pool_give(&step->pool, list, room * sizeof *list);
}

static void
fetch(struct step *step, struct zero *zero, struct fsdp_unit *unit)
{
    size_t bytes = (unit->count + 1) * sizeof(struct fsdp_parameter *), count = 0;
    struct fsdp_parameter **list = step_pool_take(step, bytes);

    if (!list)
        return;
    if (!is_complete(zero) && zero->trace.count < zero->trace.capacity)
        zero->trace.units[zero->trace.count++] = (int32_t)(unit - zero->fsdp.units);
    for (size_t i = 0; i < unit->count; i++)
        if (zero->statuses[unit->parameters[i].parameter].status == ZERO_GONE)
            list[count++] = &unit->parameters[i];
    gather(step, zero, list, count);
    object_pool_give(&step->pool, list, bytes);
    for (size_t i = 0; i < unit->count; i++)
        wait_for(step, zero, &unit->parameters[i]);
    if (is_complete(zero)) {
        discard(zero, unit);
        prefetch(step, zero);
    }
    zero->trace.now++;
}

/* ---- what is released ---- */

/* Whether the trace comes to the unit within max_reuse_distance elements. */
static bool
is_used_soon(const struct step *step, const struct zero *zero, const struct fsdp_unit *unit)
{
    const struct zero_trace *trace = &zero->trace;
    int64_t passed = 0;

    for (size_t i = trace->now; i < trace->count && passed < zero_options(step)->max_reuse_distance; i++) {
        const struct fsdp_unit *next = &zero->fsdp.units[trace->units[i]];

        if (next == unit)
            return true;
        for (size_t k = 0; k < next->count; k++)
            passed = add_saturating(passed, elements_of(&next->parameters[k]));
    }
    return false;
}

static void
release_unit(struct step *step, struct zero *zero, struct fsdp_unit *unit)
{
    bool complete = is_complete(zero);

    if (complete && unit->count > 0 && is_used_soon(step, zero, unit))
        return;
    for (size_t i = 0; i < unit->count; i++) {
        const struct zero_status *status = &zero->statuses[unit->parameters[i].parameter];

        if (!complete || (!status->persistent && status->fetched_for <= (int64_t)zero->trace.now))
            release(step, zero, &unit->parameters[i]);
    }
}

/* ---- passes ---- */

void
zero_pre_forward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    unit->state = FSDP_FORWARD;
    fetch(step, zero_of(fsdp), unit);
}

void
zero_post_forward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    unit->state = FSDP_IDLE;
    release_unit(step, zero_of(fsdp), unit);
}

void
zero_pre_backward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    if (unit->state == FSDP_PRE_BACKWARD)
        return;
    unit->state = FSDP_PRE_BACKWARD;
    fetch(step, zero_of(fsdp), unit);
}

void
zero_post_backward(struct step *step, struct fsdp *fsdp, struct fsdp_unit *unit)
{
    unit->state = FSDP_POST_BACKWARD;
    release_unit(step, zero_of(fsdp), unit);
}

/* A unit whose backward pass has begun keeps what it has: ds_active_sub_modules. */
void
zero_fetch_again(struct step *step, struct zero *zero, struct fsdp_unit *unit)
{
    fetch(step, zero, unit);
}

void
zero_release_again(struct step *step, struct zero *zero, struct fsdp_unit *unit)
{
    if (unit->state != FSDP_PRE_BACKWARD)
        release_unit(step, zero, unit);
}

void
zero_reset_trace(struct step *step, struct zero *zero)
{
    zero->trace.passes++;
    zero->trace.now = zero->trace.queue = zero->trace.within = 0;
    zero->trace.available = 0; /* __n_available_params, which forgets what is persistent */
    zero->flight_count = zero->listed = 0;
    for (size_t i = 0; i < step->network->parameter_count; i++)
        zero->statuses[i].fetched_for = -1;
}

/* release_backward_leftovers(), and what is still on its way when the next pass begins; a step begins with nothing. */
void
zero_release_all(struct step *step, struct zero *zero, bool persistent)
{
    for (size_t i = 0; i < zero->fsdp.unit_count; i++)
        for (size_t k = 0; k < zero->fsdp.units[i].count; k++) {
            struct fsdp_parameter *parameter = &zero->fsdp.units[i].parameters[k];

            wait_for(step, zero, parameter);
            if (persistent || !zero->statuses[parameter->parameter].persistent || !is_complete(zero))
                release(step, zero, parameter);
        }
}

/* _post_step() */
void
zero_gather_persistent(struct step *step, struct zero *zero)
{
    zero->flight_count = zero->listed = 0;
    for (size_t i = 0; i < zero->fsdp.unit_count; i++)
        for (size_t k = 0; k < zero->fsdp.units[i].count; k++) {
            struct fsdp_parameter *parameter = &zero->fsdp.units[i].parameters[k];
            struct fsdp_parameter *const one[] = {parameter};

            if (!zero->statuses[parameter->parameter].persistent ||
                zero->statuses[parameter->parameter].status != ZERO_GONE)
                continue;
            gather(step, zero, one, 1);
            wait_for(step, zero, parameter);
        }
}
