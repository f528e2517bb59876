/*
 * The executor's order: of the operations that are ready the first in program order runs next, on as many threads as
 * there are; memory is taken when an operation starts, its inputs go when it ends. TensorFlow 2.21:
 * core/common_runtime/executor.cc; forwarding: core/framework/op_kernel.cc, forward_input. How long operations take
 * differs from run to run, and with it the order: durations are drawn.
 */
#include "frameworks/tensorflow/schedule.h"

#include "base/arena.h"

#include <string.h>

enum { NONE = -1, MAX_WORKERS = 64 };

/* Memory of one or more outputs. */
struct buffer {
    int64_t bytes;
    int32_t block; /* NONE: no memory */
    int32_t references;
    bool kept;
};

struct worker {
    double end;
    int32_t operation; /* NONE: idle */
};

struct execution {
    struct schedule *schedule;
    const struct graph *graph;
    struct buffer *buffers; /* one per operation; used by the one that made it */
    int32_t *buffer_of;     /* per operation */
    int32_t *consumers;     /* per operation: uses of its output */
    int32_t *waiting;       /* per operation: inputs that are not there yet */
    int32_t *readers;       /* users of each output, one after another */
    int32_t *first_reader;  /* per operation, one more at the end */
    int32_t *ready;         /* heap of operations, the first in program order on top; or a queue */
    int32_t *replaced;      /* per operation: block of a parameter that goes when it has ended, or NONE */
    bool *done;             /* per operation */
    struct worker workers[MAX_WORKERS];
    size_t ready_first; /* of a queue; each operation enters it once */
    size_t ready_count;
    double now;
};

/* ---- what is ready ---- */

static void
ready_push(struct execution *run, int32_t operation)
{
    size_t i = run->ready_count++;

    if (run->schedule->first_ready) {
        run->ready[run->ready_first + i] = operation;
        return;
    }
    while (i > 0 && run->ready[(i - 1) / 2] > operation) {
        run->ready[i] = run->ready[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    run->ready[i] = operation;
}

static int32_t
ready_pop(struct execution *run)
{
    size_t i = 0, count = --run->ready_count;
    int32_t top, last;

    if (run->schedule->first_ready)
        return run->ready[run->ready_first++];
    top = run->ready[0];
    last = run->ready[count];
    for (size_t child = 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && run->ready[child + 1] < run->ready[child])
            child++;
        if (run->ready[child] >= last)
            break;
        run->ready[i] = run->ready[child];
        i = child;
    }
    run->ready[i] = last;
    return top;
}

/* ---- memory ---- */

static const int32_t *
inputs_of(const struct execution *run, const struct operation *operation)
{
    return run->graph->inputs + operation->first_input;
}

static int32_t
uses_by(const struct execution *run, const struct operation *operation, int32_t buffer)
{
    int32_t uses = 0;

    for (int32_t i = 0; i < operation->input_count; i++)
        uses += run->buffer_of[inputs_of(run, operation)[i]] == buffer;
    return uses;
}

/* Buffer of an input that the output may be written to, or NONE. */
static int32_t
forwarded(const struct execution *run, const struct operation *operation)
{
    if (operation->place == PLACE_VIEW && operation->input_count > 0)
        return run->buffer_of[inputs_of(run, operation)[0]];
    if (operation->place != PLACE_FORWARD || !run->schedule->ledger->forwards)
        return NONE;
    for (int32_t i = 0; i < operation->input_count; i++) {
        int32_t index = run->buffer_of[inputs_of(run, operation)[i]];
        const struct buffer *buffer = &run->buffers[index];

        if (buffer->bytes == operation->bytes && !buffer->kept && buffer->references == uses_by(run, operation, index))
            return index;
    }
    return NONE;
}

static int
take_output(struct execution *run, int32_t index)
{
    const struct operation *operation = &run->graph->operations[index];
    const struct ledger *ledger = run->schedule->ledger;
    struct buffer *buffer = &run->buffers[index];
    bool slot = operation->place == PLACE_SLOT;
    int32_t shared = forwarded(run, operation);

    run->buffer_of[index] = index;
    if (shared != NONE) {
        run->buffer_of[index] = shared;
        run->buffers[shared].references += run->consumers[index];
        if (ledger->reuse && run->buffers[shared].block != NONE)
            ledger->reuse(ledger->self, run->buffers[shared].block, operation);
        return 0;
    }
    *buffer =
        (struct buffer){.bytes = operation->bytes, .block = NONE, .references = run->consumers[index], .kept = slot};
    if (operation->bytes == 0 || operation->place == PLACE_VARIABLE || (slot && !run->schedule->first))
        return 0;
    buffer->block = ledger->take(ledger->self, operation, operation->bytes);
    return buffer->block < 0 ? buffer->block : 0;
}

/* An update whose parameter is still read writes to fresh memory; the old goes with its reader. */
static int
take_parameter(struct execution *run, const struct operation *operation)
{
    const struct ledger *ledger = run->schedule->ledger;
    int32_t *variable, block;

    if (operation->place != PLACE_VARIABLE || operation->reader == NONE || run->done[operation->reader] ||
        !run->schedule->variables)
        return 0;
    variable = &run->schedule->variables[operation->variable];
    if (*variable == NONE || run->replaced[operation->reader] != NONE)
        return 0;
    block = ledger->take(ledger->self, operation, operation->bytes);
    if (block < 0)
        return block;
    run->replaced[operation->reader] = *variable;
    *variable = block;
    return 0;
}

static int
drop(struct execution *run, int32_t index, int32_t references)
{
    const struct ledger *ledger = run->schedule->ledger;
    struct buffer *buffer = &run->buffers[index];
    int32_t block = buffer->block;

    buffer->references -= references;
    if (buffer->references > 0 || buffer->kept || block == NONE)
        return 0;
    buffer->block = NONE;
    return ledger->give(ledger->self, block);
}

static int
drop_inputs(struct execution *run, int32_t index)
{
    const struct operation *operation = &run->graph->operations[index];
    int status = 0;

    for (int32_t i = 0; i < operation->input_count && !status; i++)
        status = drop(run, run->buffer_of[inputs_of(run, operation)[i]], 1);
    if (!status && run->consumers[index] == 0)
        status = drop(run, run->buffer_of[index], 0);
    if (!status && run->replaced[index] != NONE)
        status = run->schedule->ledger->give(run->schedule->ledger->self, run->replaced[index]);
    return status;
}

/* ---- time ---- */

/* Quantiles of the logarithmic normal distribution with deviation 1, exp(inverse normal((i + 1/2) / 32)). */
static const double quantiles[32] = {
    0.1160, 0.1871, 0.2422, 0.2923, 0.3404, 0.3880, 0.4358, 0.4846, 0.5347, 0.5866, 0.6408,
    0.6976, 0.7575, 0.8211, 0.8889, 0.9616, 1.0400, 1.1250, 1.2179, 1.3201, 1.4335, 1.5606,
    1.7047, 1.8703, 2.0637, 2.2945, 2.5774, 2.9374, 3.4207, 4.1280, 5.3438, 8.6182,
};

static double
draw(struct schedule *schedule)
{
    if (schedule->random == 0)
        return 1;
    schedule->random = schedule->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return quantiles[schedule->random >> 59];
}

static void
heap_changes(const struct execution *run, const struct operation *operation, int sign)
{
    const struct ledger *ledger = run->schedule->ledger;

    if (ledger->heap && operation->heap)
        ledger->heap(ledger->self, sign * operation->heap);
}

static int
start(struct execution *run, struct worker *worker, int32_t index)
{
    const struct operation *operation = &run->graph->operations[index];
    int status = take_parameter(run, operation);

    heap_changes(run, operation, 1);
    if (!status)
        status = take_output(run, index);
    worker->operation = index;
    worker->end = run->now + operation->duration * draw(run->schedule);
    return status;
}

static int
finish(struct execution *run, struct worker *worker)
{
    int32_t index = worker->operation;

    worker->operation = NONE;
    run->now = worker->end;
    run->done[index] = true;
    heap_changes(run, &run->graph->operations[index], -1);
    for (int32_t i = run->first_reader[index]; i < run->first_reader[index + 1]; i++)
        if (--run->waiting[run->readers[i]] == 0)
            ready_push(run, run->readers[i]);
    return drop_inputs(run, index);
}

/* The idle worker of least number, or NULL. */
static struct worker *
idle_worker(struct execution *run)
{
    for (int i = 0; i < run->schedule->workers; i++)
        if (run->workers[i].operation == NONE)
            return &run->workers[i];
    return NULL;
}

/* The worker that ends first, or NULL if all are idle. */
static struct worker *
next_worker(struct execution *run)
{
    struct worker *next = NULL;

    for (int i = 0; i < run->schedule->workers; i++) {
        struct worker *worker = &run->workers[i];

        if (worker->operation != NONE && (!next || worker->end < next->end))
            next = worker;
    }
    return next;
}

static int
execute(struct execution *run)
{
    int status = 0;

    for (;;) {
        struct worker *worker;

        while (!status && run->ready_count > 0 && (worker = idle_worker(run)) != NULL)
            status = start(run, worker, ready_pop(run));
        worker = next_worker(run);
        if (status || !worker)
            return status;
        status = finish(run, worker);
        if (!status)
            status = context_check(run->graph->context, 1);
    }
}

/* ---- all of it ---- */

/* Who reads what: first_reader[i] .. first_reader[i + 1] in readers. */
static void
link_readers(struct execution *run, int32_t *filled)
{
    const struct graph *graph = run->graph;
    int32_t next = 0;

    for (size_t i = 0; i < graph->input_count; i++)
        run->consumers[graph->inputs[i]]++;
    for (size_t i = 0; i < graph->count; i++) {
        run->first_reader[i] = next;
        next += run->consumers[i];
    }
    run->first_reader[graph->count] = next;
    memcpy(filled, run->first_reader, graph->count * sizeof *filled);
    for (size_t i = 0; i < graph->count; i++) {
        const struct operation *operation = &graph->operations[i];

        for (int32_t k = 0; k < operation->input_count; k++)
            run->readers[filled[inputs_of(run, operation)[k]]++] = (int32_t)i;
    }
}

static void
begin(struct execution *run, int32_t *filled)
{
    const struct graph *graph = run->graph;

    link_readers(run, filled);
    for (int i = 0; i < MAX_WORKERS; i++)
        run->workers[i].operation = NONE;
    for (size_t i = 0; i < graph->count; i++) {
        run->waiting[i] = graph->operations[i].input_count;
        run->replaced[i] = NONE;
        if (run->waiting[i] == 0)
            ready_push(run, (int32_t)i);
    }
}

int
schedule_run(struct schedule *schedule)
{
    const struct graph *graph = schedule->graph;
    struct arena arena = ARENA_INIT(graph->context);
    size_t n = graph->count + 1;
    struct execution run = {.schedule = schedule, .graph = graph};
    int32_t *numbers = arena_allocate(&arena, (7 * n + graph->input_count) * sizeof *numbers);
    int status = MEMMODEL_ERROR_NO_MEMORY;

    run.buffers = arena_allocate(&arena, n * sizeof *run.buffers);
    run.done = arena_allocate(&arena, n * sizeof *run.done);
    if (numbers && run.buffers && run.done) {
        memset(numbers, 0, 7 * n * sizeof *numbers);
        memset(run.done, 0, n * sizeof *run.done);
        run.buffer_of = numbers;
        run.consumers = numbers + n;
        run.waiting = numbers + 2 * n;
        run.first_reader = numbers + 3 * n;
        run.ready = numbers + 4 * n;
        run.replaced = numbers + 5 * n;
        run.readers = numbers + 7 * n;
        begin(&run, numbers + 6 * n);
        status = execute(&run);
    }
    arena_release(&arena);
    return status;
}
