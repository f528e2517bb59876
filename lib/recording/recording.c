/* Recordings: storages as they are allocated and released. */
#include "recording/recording.h"

#include "base/checked.h"
#include "base/environment.h"
#include "base/text.h"
#include "frameworks/job.h"

#include <string.h>

/* ---- life ---- */

static int
begin(memmodel_recording *recording, const struct memmodel_job *job)
{
    struct memmodel_job own;
    int status = job_take(recording->context, job, &own, &recording->framework);

    if (!status && !recording->framework->run_operator)
        status = context_error(recording->context, MEMMODEL_ERROR_UNSUPPORTED, own.framework,
                               "has no rules for single operators; pytorch has");
    if (!status)
        status = job_keep(&recording->arena, &own, &recording->job);
    if (!status)
        status = trace_new(recording->context, &recording->trace);
    if (!status)
        recording->trace->engine = "recording";
    return status;
}

int
memmodel_recording_new(memmodel_context *context, const struct memmodel_job *job, memmodel_recording **recording)
{
    memmodel_recording *new;
    int status;

    if (!context || !recording)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    new = memory_allocate_zeroed(context, 1, sizeof *new);
    if (!new)
        return context_status(context, MEMMODEL_ERROR_NO_MEMORY);
    atomic_init(&new->references, 1);
    new->context = memmodel_context_ref(context);
    new->arena = ARENA_INIT(context);
    status = begin(new, job);
    if (status) {
        memmodel_recording_unref(new);
        return context_status(context, status);
    }
    *recording = new;
    return 0;
}

DEFINE_REF(memmodel_recording)

void
memmodel_recording_unref(memmodel_recording *recording)
{
    memmodel_context *context;

    if (!recording || atomic_fetch_sub(&recording->references, 1) > 1)
        return;
    context = recording->context;
    memmodel_trace_unref(recording->trace);
    table_release(context, &recording->texts);
    table_release(context, &recording->signatures);
    memory_release(context, recording->storages);
    memory_release(context, recording->operators);
    memory_release(context, recording->unmodelled);
    memory_release(context, recording->scratch);
    arena_release(&recording->arena);
    memory_release(context, recording);
    memmodel_context_unref(context);
}

int
recording_check(const memmodel_recording *recording)
{
    if (!recording)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (recording->trace)
        return 0;
    return context_error(recording->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "recording", "it is finished");
}

/* ---- texts, each of which the trace has once ---- */

static bool
is_same_text(const void *owner, int32_t number, const void *key)
{
    const struct memmodel_trace *trace = owner;

    return strcmp(trace->names[number], key) == 0;
}

static int
check_text(memmodel_recording *recording, const char *what, const char *text)
{
    for (size_t at = 0; text[at];) {
        int bytes = text_character_bytes(text + at);

        if (bytes == 0)
            return context_error(recording->context, MEMMODEL_ERROR_INVALID_ARGUMENT, what,
                                 "has a control character or is not UTF-8, at byte %zu", at);
        at += (size_t)bytes;
    }
    return 0;
}

static int
add_text(memmodel_recording *recording, const char *what, const char *text, uint32_t hash, int32_t *number)
{
    int status = check_text(recording, what, text);

    if (!status)
        status = table_reserve(recording->context, &recording->texts);
    if (status)
        return status;
    *number = trace_add_name(recording->trace, text);
    if (*number < 0)
        return *number;
    table_put(&recording->texts, hash, (size_t)*number);
    return 0;
}

int
recording_text(memmodel_recording *recording, const char *what, const char *text, int32_t *number)
{
    uint32_t hash;

    *number = -1;
    if (!text || !*text)
        return 0;
    hash = hash_text(text);
    *number = table_find(&recording->texts, hash, is_same_text, recording->trace, text);
    return *number >= 0 ? 0 : add_text(recording, what, text, hash, number);
}

/* ---- owners ---- */

int
recording_owner(memmodel_recording *recording, const struct memmodel_recording_owner *given,
                struct recorded_owner *owner)
{
    struct memmodel_recording_owner own;
    int status = options_copy(recording->context, "memmodel_recording_owner", given, &own, sizeof own);

    if (!status)
        status = category_check(recording->context, own.category);
    if (!status && own.reserved)
        status = context_error(recording->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "reserved", "must be 0");
    if (!status)
        status = recording_text(recording, "role", own.role, &owner->role);
    if (!status)
        status = recording_text(recording, "layer", own.layer, &owner->layer);
    if (!status)
        status = recording_text(recording, "line", own.line, &owner->line);
    owner->stream = own.stream;
    owner->category = (enum memmodel_category)own.category;
    return status;
}

/* ---- storages ---- */

int32_t
recording_block(memmodel_recording *recording, int64_t bytes, int32_t role, const struct recorded_owner *owner)
{
    struct memmodel_trace *trace = recording->trace;
    int32_t block;

    trace->line = owner->line;
    trace_enter(trace, recording->step, recording->phase, owner->layer);
    block = trace_allocate(trace, bytes, role < 0 ? "" : trace->names[role], owner->layer, owner->category);
    if (block >= 0)
        trace->blocks[block].stream = owner->stream;
    return block;
}

int
recording_reserve(memmodel_recording *recording, size_t count)
{
    if (recording->storage_count + count > INT32_MAX)
        return context_error(recording->context, MEMMODEL_ERROR_OVERFLOW, NULL, "the recording has too many storages");
    return array_reserve(recording->context, &recording->storages, &recording->storage_capacity,
                         recording->storage_count + count, sizeof *recording->storages);
}

memmodel_recording_block
recording_storage(memmodel_recording *recording, int32_t block)
{
    recording->storages[recording->storage_count] = block;
    return (memmodel_recording_block)recording->storage_count++;
}

static memmodel_recording_block
allocate(memmodel_recording *recording, int64_t bytes, const struct memmodel_recording_owner *given)
{
    struct recorded_owner owner;
    int32_t block = STORAGE_EMPTY;
    int status = recording_owner(recording, given, &owner);

    if (!status && bytes < 0)
        status = context_error(recording->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "bytes", "a storage of %lld bytes",
                               (long long)bytes);
    if (!status)
        status = recording_reserve(recording, 1);
    if (status)
        return status;
    if (bytes > 0) {
        block = recording_block(recording, bytes, owner.role, &owner);
        if (block < 0)
            return block;
    }
    return recording_storage(recording, block);
}

memmodel_recording_block
memmodel_recording_allocate(memmodel_recording *recording, int64_t bytes, const struct memmodel_recording_owner *owner)
{
    OWN_ENVIRONMENT;
    int status = recording && owner ? recording_check(recording) : MEMMODEL_ERROR_INVALID_ARGUMENT;

    if (!status)
        status = context_begin(recording->context);
    if (status)
        return status;
    return context_end(recording->context, allocate(recording, bytes, owner));
}

static int
no_storage(memmodel_recording *recording, memmodel_recording_block block)
{
    return context_error(recording->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "block", "there is no storage %d", block);
}

static int
release(memmodel_recording *recording, int32_t *storage)
{
    struct memmodel_trace *trace = recording->trace;
    bool dead = *storage < 0 ? *storage == STORAGE_EMPTY_DEAD : trace->blocks[*storage].released >= 0;

    if (dead)
        return context_error(recording->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "block",
                             "storage %d is released already", (int)(storage - recording->storages));
    if (*storage < 0) {
        *storage = STORAGE_EMPTY_DEAD;
        return 0;
    }
    trace_enter(trace, recording->step, recording->phase, trace->blocks[*storage].layer);
    return trace_release(trace, *storage);
}

int
memmodel_recording_release(memmodel_recording *recording, memmodel_recording_block block)
{
    int status = recording_check(recording);

    if (!status && (block < 0 || (size_t)block >= recording->storage_count))
        status = no_storage(recording, block);
    if (!status)
        status = context_begin(recording->context);
    if (status)
        return status;
    return context_end(recording->context, release(recording, &recording->storages[block]));
}

int
memmodel_recording_set_category(memmodel_recording *recording, memmodel_recording_block block, int category)
{
    int status = recording_check(recording);

    if (!status && (block < 0 || (size_t)block >= recording->storage_count))
        status = no_storage(recording, block);
    if (!status)
        status = category_check(recording->context, category);
    if (!status && recording->storages[block] >= 0)
        recording->trace->blocks[recording->storages[block]].category = category;
    return status;
}

int
memmodel_recording_set_layer(memmodel_recording *recording, memmodel_recording_block block, const char *layer)
{
    int status = recording && layer ? recording_check(recording) : MEMMODEL_ERROR_INVALID_ARGUMENT;
    int32_t name;

    if (!status && (block < 0 || (size_t)block >= recording->storage_count))
        status = no_storage(recording, block);
    if (!status)
        status = recording_text(recording, "layer", layer, &name);
    if (!status && recording->storages[block] >= 0)
        recording->trace->blocks[recording->storages[block]].layer = name;
    return status;
}

int
memmodel_recording_enter(memmodel_recording *recording, int32_t step, int phase)
{
    int status = recording_check(recording);

    if (!status && (step < 0 || step > INT16_MAX))
        status = context_error(recording->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "step",
                               "step %d; steps are 0 to %d", step, INT16_MAX);
    if (!status)
        status = phase_check(recording->context, phase);
    if (status)
        return status;
    recording->step = step;
    recording->phase = (enum memmodel_phase)phase;
    return 0;
}

int
memmodel_recording_set_engine(memmodel_recording *recording, const char *engine)
{
    int status = engine ? recording_check(recording) : MEMMODEL_ERROR_INVALID_ARGUMENT;
    int32_t number;

    if (status)
        return status;
    status = recording_text(recording, "engine", engine, &number);
    if (status)
        return context_status(recording->context, status);
    recording->trace->engine = number < 0 ? "" : recording->trace->names[number];
    return 0;
}

/* ---- the end ---- */

static int
hand_over_unmodelled(memmodel_recording *recording)
{
    struct memmodel_trace *trace = recording->trace;

    trace->unmodelled = arena_allocate(&trace->arena, (recording->unmodelled_count + 1) * sizeof *trace->unmodelled);
    if (!trace->unmodelled)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < recording->unmodelled_count; i++)
        trace->unmodelled[i] = (struct unmodelled){
            .op = trace->names[recording->unmodelled[i].name],
            .bytes = recording->unmodelled[i].most,
        };
    trace->unmodelled_count = recording->unmodelled_count;
    return 0;
}

int
memmodel_recording_finish(memmodel_recording *recording, memmodel_trace **trace)
{
    int status = recording && trace ? recording_check(recording) : MEMMODEL_ERROR_INVALID_ARGUMENT;

    if (status)
        return status;
    status = hand_over_unmodelled(recording);
    if (status)
        return context_status(recording->context, status);
    *trace = recording->trace;
    recording->trace = NULL;
    return 0;
}
