/* Limits of a context, and the flag that cancels its calls. */
#include "base/limits.h"
#include "base/checked.h"
#include "base/clock.h"
#include "base/context.h"
#include "memmodel/search.h"

#include <inttypes.h>
#include <math.h>

/*
 * Nodes between two looks at the clock and the flag: a node takes microseconds at most, so that a call ends within
 * milliseconds, and a look is not felt.
 */
enum { NODES_BETWEEN_LOOKS = 1024 };

static const double SECONDS_BETWEEN_REPORTS = 0.005;

/* Well above what the largest networks and tables need that the tests and examples have. */
static const struct memmodel_limits defaults = {
    .size = sizeof defaults,
    .memory_bytes = INT64_C(1) << 30,
    .input_bytes = INT64_C(1) << 28,
    .nodes = INT64_C(10000000000),
    .layers = 1000000,
    .seconds = (double)INFINITY,
};

void
limits_start(struct limits *limits)
{
    *limits = (struct limits){.max = defaults, .deadline = (double)INFINITY};
    atomic_init(&limits->cancelled, CANCEL_NONE);
    atomic_init(&limits->used, 0);
    atomic_init(&limits->peak, 0);
}

/* ---- the caller's side ---- */

static int
negative(memmodel_context *context, const char *field)
{
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, field, "a limit is 0, for the default, or above");
}

static void
complete(int64_t *field, int64_t value)
{
    if (*field == 0)
        *field = value;
}

int
memmodel_context_set_limits(memmodel_context *context, const struct memmodel_limits *limits)
{
    struct memmodel_limits own;
    int status;

    if (!context)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = options_copy(context, "memmodel_limits", limits, &own, sizeof own);
    if (status)
        return status;
    if (own.memory_bytes < 0)
        return negative(context, "memory_bytes");
    if (own.input_bytes < 0)
        return negative(context, "input_bytes");
    if (own.nodes < 0)
        return negative(context, "nodes");
    if (own.layers < 0)
        return negative(context, "layers");
    if (!(own.seconds >= 0))
        return negative(context, "seconds");
    complete(&own.memory_bytes, defaults.memory_bytes);
    complete(&own.input_bytes, defaults.input_bytes);
    complete(&own.nodes, defaults.nodes);
    complete(&own.layers, defaults.layers);
    if (own.seconds == 0)
        own.seconds = defaults.seconds;
    context_limits(context)->max = own;
    return 0;
}

void
memmodel_context_set_progress(memmodel_context *context, memmodel_progress_callback callback, void *user)
{
    if (!context)
        return;
    context_limits(context)->progress = callback;
    context_limits(context)->progress_user = user;
}

void
memmodel_context_cancel(memmodel_context *context)
{
    int none = CANCEL_NONE;

    if (context)
        atomic_compare_exchange_strong_explicit(&context_limits(context)->cancelled, &none, CANCEL_ASKED,
                                                memory_order_relaxed, memory_order_relaxed);
}

void
memmodel_context_memory(const memmodel_context *context, int64_t *used, int64_t *peak)
{
    const struct limits *limits;

    if (!context)
        return;
    limits = context_limits((memmodel_context *)context);
    if (used)
        *used = (int64_t)atomic_load_explicit(&limits->used, memory_order_relaxed);
    if (peak)
        *peak = (int64_t)atomic_load_explicit(&limits->peak, memory_order_relaxed);
}

/* ---- memory ---- */

bool
limits_take(struct limits *limits, size_t bytes)
{
    size_t before = atomic_fetch_add_explicit(&limits->used, bytes, memory_order_relaxed);
    size_t used = before + bytes, peak;

    if (used < before || (uint64_t)used > (uint64_t)limits->max.memory_bytes) {
        limits_give_back(limits, bytes);
        return false;
    }
    peak = atomic_load_explicit(&limits->peak, memory_order_relaxed);
    while (used > peak && !atomic_compare_exchange_weak_explicit(&limits->peak, &peak, used, memory_order_relaxed,
                                                                 memory_order_relaxed))
        ;
    return true;
}

/* ---- work and time of a call ---- */

static int
stop_error(memmodel_context *context, const struct limits *limits)
{
    if (limits->stopped == MEMMODEL_ERROR_CANCELLED)
        return context_error(context, MEMMODEL_ERROR_CANCELLED, NULL, "memmodel_context_cancel() ended the call");
    if (limits->nodes > limits->max.nodes)
        return context_error(context, MEMMODEL_ERROR_LIMIT, "nodes",
                             "the call needs more work than the context's limit, %" PRId64
                             " nodes; memmodel_context_set_limits() raises it",
                             limits->max.nodes);
    return context_error(context, MEMMODEL_ERROR_LIMIT, "seconds",
                         "the call needs longer than the context's limit, %g seconds; memmodel_context_set_limits() "
                         "raises it",
                         limits->max.seconds);
}

static bool
is_cancelled(struct limits *limits)
{
    int asked = CANCEL_ASKED;

    if (atomic_load_explicit(&limits->cancelled, memory_order_relaxed) == CANCEL_NONE)
        return false;
    atomic_compare_exchange_strong_explicit(&limits->cancelled, &asked, CANCEL_SEEN, memory_order_relaxed,
                                            memory_order_relaxed);
    return true;
}

int
context_stop_status(const memmodel_context *context)
{
    return is_cancelled(context_limits((memmodel_context *)context)) ? MEMMODEL_SEARCH_STATUS_CANCELLED
                                                                     : MEMMODEL_SEARCH_STATUS_LIMIT;
}

static bool
is_late(const struct limits *limits)
{
    return isfinite(limits->deadline) && seconds_now() >= limits->deadline;
}

bool
context_is_used_up(memmodel_context *context, int64_t nodes)
{
    struct limits *limits = context_limits(context);
    int64_t spent = limits->granted - limits->left;

    limits->granted = limits->left = 0;
    if (limits->depth == 0 || limits->answered) {
        limits->left = NODES_BETWEEN_LOOKS;
        return false;
    }
    if (limits->stopped)
        return true;
    if (!checked_accumulate(&limits->nodes, spent) || !checked_accumulate(&limits->nodes, nodes))
        limits->nodes = INT64_MAX;
    if (is_cancelled(limits))
        limits->stopped = MEMMODEL_ERROR_CANCELLED;
    else if (limits->nodes > limits->max.nodes || is_late(limits))
        limits->stopped = MEMMODEL_ERROR_LIMIT;
    else
        limits->granted = limits->left = min_i64(limits->max.nodes - limits->nodes, NODES_BETWEEN_LOOKS);
    return limits->stopped != 0;
}

int
context_look(memmodel_context *context, int64_t nodes)
{
    return context_is_used_up(context, nodes) ? stop_error(context, context_limits(context)) : 0;
}

int
context_foresee(memmodel_context *context, int64_t nodes, int64_t bytes)
{
    const struct limits *limits = context_limits(context);
    int64_t spent = limits->nodes + limits->granted - limits->left;
    size_t more = (size_t)min_i64(bytes, PTRDIFF_MAX);
    int status = nodes > limits->max.nodes - spent ? context_look(context, nodes) : 0;

    if (!status)
        status = memory_charge(context, more);
    if (!status)
        memory_discharge(context, more);
    return status;
}

bool
context_must_stop(const memmodel_context *context)
{
    struct limits *limits = context_limits((memmodel_context *)context);

    return is_cancelled(limits) || is_late(limits);
}

void
context_answered(memmodel_context *context)
{
    struct limits *limits = context_limits(context);

    limits->answered = limits->depth == 1;
}

void
context_report(memmodel_context *context, const char *stage, int64_t done, int64_t total, double best)
{
    struct limits *limits = context_limits(context);
    struct memmodel_progress progress = {sizeof progress, stage, done, total, 0, best};
    double now;

    if (!limits->progress || limits->depth == 0)
        return;
    now = seconds_now();
    if (now < limits->next_report)
        return;
    limits->next_report = now + SECONDS_BETWEEN_REPORTS;
    progress.seconds = now - limits->began;
    if (limits->progress(limits->progress_user, &progress))
        atomic_store_explicit(&limits->cancelled, CANCEL_SEEN, memory_order_relaxed);
}

int
context_begin(memmodel_context *context)
{
    struct limits *limits = context_limits(context);

    if (limits->depth++ > 0)
        return 0;
    limits->granted = limits->left = limits->nodes = 0;
    limits->stopped = 0;
    limits->refused = limits->answered = false;
    limits->began = limits->progress || isfinite(limits->max.seconds) ? seconds_now() : 0;
    limits->next_report = limits->began;
    limits->deadline = limits->began + limits->max.seconds;
    return context_look(context, 0);
}

int
context_end(memmodel_context *context, int status)
{
    struct limits *limits = context_limits(context);
    int seen = CANCEL_SEEN;

    /* The flag stays until then, for threads that work for the call see nothing else, and so does a search that ends with
       the answer that it has. One that came after the call's last look is for the next call. */
    if (--limits->depth == 0)
        atomic_compare_exchange_strong_explicit(&limits->cancelled, &seen, CANCEL_NONE, memory_order_relaxed,
                                                memory_order_relaxed);
    return context_status(context, status);
}

int
context_status(const memmodel_context *context, int status)
{
    int said = memmodel_context_error(context)->status;

    return status == MEMMODEL_ERROR_NO_MEMORY && said ? said : status;
}

int
context_check_input(memmodel_context *context, const char *name, int64_t bytes)
{
    int64_t max = context_limits(context)->max.input_bytes;

    if (bytes <= max)
        return 0;
    return context_error(context, MEMMODEL_ERROR_LIMIT, name,
                         "%" PRId64 " bytes are more than the context's limit, %" PRId64
                         " of input_bytes; memmodel_context_set_limits() raises it",
                         bytes, max);
}

int
context_check_layers(memmodel_context *context, int64_t layers)
{
    int64_t max = context_limits(context)->max.layers;

    if (layers <= max)
        return 0;
    return context_error(context, MEMMODEL_ERROR_LIMIT, "layers",
                         "the network has more layers than the context's limit, %" PRId64
                         "; memmodel_context_set_limits() raises it",
                         max);
}
