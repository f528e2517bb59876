/* Operators of a recording: each shape is simulated once, and then replayed whenever it runs. */
#include "recording/recording.h"

#include "base/checked.h"
#include "base/environment.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_TENSORS = 4096 };

/* ---- signatures ---- */

static uint32_t
hash_tensors(const struct memmodel_recording_tensor *tensors, size_t count, uint32_t hash)
{
    for (size_t i = 0; i < count; i++) {
        const struct memmodel_recording_tensor *tensor = &tensors[i];
        uint64_t words[2 * MEMMODEL_MAX_RANK + 1] = {(uint64_t)tensor->rank << 8 ^ (uint64_t)tensor->dtype};
        size_t used = 1;

        for (int32_t k = 0; k < tensor->rank; k++) {
            words[used++] = (uint64_t)tensor->dims[k];
            words[used++] = (uint64_t)tensor->strides[k];
        }
        hash = hash_words(hash, words, used);
    }
    return hash;
}

static uint32_t
hash_signature(const struct memmodel_recording_operator *signature)
{
    uint32_t hash = hash_text(signature->name) ^ 31 * hash_text(signature->attributes);

    hash = hash_tensors(signature->inputs, signature->input_count, hash);
    return hash_tensors(signature->outputs, signature->output_count, hash);
}

static bool
are_same_tensors(const struct memmodel_recording_tensor *a, const struct memmodel_recording_tensor *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t used = a[i].rank > 0 ? (size_t)a[i].rank * sizeof a[i].dims[0] : 0;

        if (a[i].rank != b[i].rank || a[i].dtype != b[i].dtype || memcmp(a[i].dims, b[i].dims, used) != 0 ||
            memcmp(a[i].strides, b[i].strides, used) != 0)
            return false;
    }
    return true;
}

static bool
is_same_operator(const void *owner, int32_t number, const void *key)
{
    const struct memmodel_recording_operator *a = &((const memmodel_recording *)owner)->operators[number].signature;
    const struct memmodel_recording_operator *b = key;

    return a->input_count == b->input_count && a->output_count == b->output_count && strcmp(a->name, b->name) == 0 &&
           strcmp(a->attributes, b->attributes) == 0 && are_same_tensors(a->inputs, b->inputs, a->input_count) &&
           are_same_tensors(a->outputs, b->outputs, a->output_count);
}

/* ---- what a signature may be ---- */

static int
refuse(memmodel_recording *recording, const char *name, const char *why)
{
    return context_error(recording->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name, "%s", why);
}

static bool
is_printable(const char *text)
{
    while (*text >= ' ' && *text <= '~')
        text++;
    return *text == 0;
}

static int
check_tensor(memmodel_recording *recording, const char *name, const struct memmodel_recording_tensor *tensor)
{
    if (tensor->rank < -1 || tensor->rank > MEMMODEL_MAX_RANK)
        return context_error(recording->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name,
                             "a tensor of rank %d; tensors have 0 to %d dims, and -1 is none", tensor->rank,
                             MEMMODEL_MAX_RANK);
    if (!memmodel_dtype_name(tensor->dtype))
        return refuse(recording, name, "a tensor of a type that there is not");
    for (int32_t i = 0; i < tensor->rank; i++)
        if (tensor->dims[i] < 0 || tensor->strides[i] < 0)
            return refuse(recording, name, "a tensor with negative dims or strides");
    return 0;
}

static int
check_tensors(memmodel_recording *recording, const char *name, const struct memmodel_recording_tensor *tensors,
              size_t count)
{
    int status = 0;

    if (count > MAX_TENSORS)
        return refuse(recording, name, "it has more than 4096 tensors");
    if (count > 0 && !tensors)
        return refuse(recording, name, "its tensors are NULL");
    for (size_t i = 0; i < count && !status; i++)
        status = check_tensor(recording, name, &tensors[i]);
    return status;
}

static int
take_signature(memmodel_recording *recording, const struct memmodel_recording_operator *given,
               struct memmodel_recording_operator *own)
{
    int status = options_copy(recording->context, "memmodel_recording_operator", given, own, sizeof *own);

    if (status)
        return status;
    if (!own->name || !*own->name || !is_printable(own->name))
        return refuse(recording, "name", "an operator has a name of printable ASCII");
    own->attributes = own->attributes ? own->attributes : "";
    if (!is_printable(own->attributes))
        return refuse(recording, own->name, "its attributes are not printable ASCII");
    status = check_tensors(recording, own->name, own->inputs, own->input_count);
    return status ? status : check_tensors(recording, own->name, own->outputs, own->output_count);
}

/* ---- a new operator ---- */

static const struct memmodel_recording_tensor *
keep_tensors(memmodel_recording *recording, const struct memmodel_recording_tensor *tensors, size_t count)
{
    struct memmodel_recording_tensor *kept = arena_allocate(&recording->arena, (count + 1) * sizeof *kept);

    if (kept && count > 0)
        memcpy(kept, tensors, count * sizeof *kept);
    return kept;
}

static int
keep_signature(memmodel_recording *recording, struct memmodel_recording_operator *signature)
{
    signature->name = arena_copy_text(&recording->arena, signature->name);
    signature->attributes = arena_copy_text(&recording->arena, signature->attributes);
    signature->inputs = keep_tensors(recording, signature->inputs, signature->input_count);
    signature->outputs = keep_tensors(recording, signature->outputs, signature->output_count);
    if (signature->name && signature->attributes && signature->inputs && signature->outputs)
        return 0;
    return MEMMODEL_ERROR_NO_MEMORY;
}

/* Where the bytes of operators of that name are counted. */
static int
find_unmodelled(memmodel_recording *recording, int32_t name, int32_t *index)
{
    int status;

    for (*index = 0; *index < (int32_t)recording->unmodelled_count; ++*index)
        if (recording->unmodelled[*index].name == name)
            return 0;
    status = array_reserve(recording->context, &recording->unmodelled, &recording->unmodelled_capacity,
                           recording->unmodelled_count + 1, sizeof *recording->unmodelled);
    if (!status)
        recording->unmodelled[recording->unmodelled_count++] = (struct recorded_unmodelled){.name = name};
    return status;
}

static int
simulate(memmodel_recording *recording, struct recorded_operator *new)
{
    int status = keep_signature(recording, &new->signature);

    if (!status)
        status = recording_text(recording, "name", new->signature.name, &new->name);
    if (!status)
        status = recording->framework->run_operator(recording->context, &recording->job, &new->signature,
                                                    &recording->arena, &new->events);
    if (!status && !new->events.known)
        status = find_unmodelled(recording, new->name, &new->unmodelled);
    if (!status)
        status = array_reserve(recording->context, &recording->scratch, &recording->scratch_capacity,
                               new->signature.output_count + new->events.scratch_count + 1, sizeof *recording->scratch);
    return status;
}

static int32_t
add_operator(memmodel_recording *recording, const struct memmodel_recording_operator *given)
{
    struct recorded_operator new = {.unmodelled = -1};
    int status = take_signature(recording, given, &new.signature);
    uint32_t hash;
    int32_t number;

    if (status)
        return status;
    hash = hash_signature(&new.signature);
    number = table_find(&recording->signatures, hash, is_same_operator, recording, &new.signature);
    if (number >= 0)
        return number;
    status = table_reserve(recording->context, &recording->signatures);
    if (!status)
        status = array_reserve(recording->context, &recording->operators, &recording->operator_capacity,
                               recording->operator_count + 1, sizeof *recording->operators);
    if (!status)
        status = simulate(recording, &new);
    if (status)
        return status;
    table_put(&recording->signatures, hash, recording->operator_count);
    recording->operators[recording->operator_count] = new;
    return (int32_t)recording->operator_count++;
}

int32_t
memmodel_recording_add_operator(memmodel_recording *recording, const struct memmodel_recording_operator *signature)
{
    OWN_ENVIRONMENT;
    int status = recording && signature ? recording_check(recording) : MEMMODEL_ERROR_INVALID_ARGUMENT;

    if (!status)
        status = context_begin(recording->context);
    if (status)
        return status;
    return context_end(recording->context, add_operator(recording, signature));
}

/* ---- an operator runs ---- */

/* What run() works on. */
struct run {
    memmodel_recording *recording;
    const struct recorded_operator *operator;
    struct recorded_owner owner;
    const int64_t *bytes;
    int32_t *scratch;               /* blocks of what it takes inside */
    memmodel_recording_block *made; /* storages of its outputs */
};

static int
take_scratch(struct run *run, const struct operator_event *event)
{
    struct recorded_owner owner = run->owner;
    int32_t block = run->scratch[event->number];

    if (event->release)
        return trace_release(run->recording->trace, block);
    owner.category = MEMMODEL_CATEGORY_WORKSPACE;
    block = recording_block(run->recording, event->bytes, run->operator->name, &owner);
    run->scratch[event->number] = block;
    return block < 0 ? block : 0;
}

static int
take_output(struct run *run, const struct operator_event *event)
{
    int64_t given = run->bytes[event->number], bytes = max_i64(given, event->bytes);
    int32_t block = STORAGE_EMPTY;

    if (given < 0)
        return 0;
    if (bytes > 0)
        block = recording_block(run->recording, bytes, run->owner.role < 0 ? run->operator->name : run->owner.role,
                                &run->owner);
    if (bytes > 0 && block < 0)
        return block;
    run->made[event->number] = recording_storage(run->recording, block);
    return 0;
}

/* The first operator that needs it makes it, and nobody gives it back. */
static int
take_kept(struct run *run, const struct operator_event *event)
{
    int32_t *made = &run->recording->kept[event->number][run->recording->phase == MEMMODEL_PHASE_BACKWARD];
    struct recorded_owner owner = {.role = -1, .layer = -1, .line = -1, .category = MEMMODEL_CATEGORY_WORKSPACE};
    int32_t block = 0;

    if (!*made)
        block = recording_block(run->recording, event->bytes, run->operator->name, &owner);
    *made |= block >= 0;
    return block < 0 ? block : 0;
}

static int
play(struct run *run)
{
    static int (*const takers[])(struct run *, const struct operator_event *) = {
        [OPERATOR_SCRATCH] = take_scratch, [OPERATOR_OUTPUT] = take_output, [OPERATOR_KEPT] = take_kept};
    const struct operator_events *events = &run->operator->events;
    int status = 0;

    for (size_t i = 0; i < events->count && !status; i++)
        status = takers[events->items[i].memory](run, &events->items[i]);
    return status;
}

/* Overflow cannot be: the trace has counted them. */
static void
count_unmodelled(struct run *run, size_t count)
{
    struct recorded_unmodelled *unmodelled = &run->recording->unmodelled[run->operator->unmodelled];

    if (unmodelled->step != run->recording->step)
        unmodelled->now = 0;
    unmodelled->step = run->recording->step;
    for (size_t i = 0; i < count; i++)
        if (run->bytes[i] > 0 && !checked_accumulate(&unmodelled->now, run->bytes[i]))
            unmodelled->now = INT64_MAX;
    unmodelled->most = max_i64(unmodelled->most, unmodelled->now);
}

static int
check_bytes(const struct run *run, size_t count)
{
    memmodel_context *context = run->recording->context;

    if (count != run->operator->signature.output_count)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "count", "%s has %zu outputs, not %zu",
                             run->operator->signature.name, run->operator->signature.output_count, count);
    for (size_t i = 0; i < count; i++)
        if (run->bytes[i] < 0 && run->bytes[i] != MEMMODEL_RECORDING_NONE)
            return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "bytes", "a storage of %" PRId64 " bytes",
                                 run->bytes[i]);
    return 0;
}

static int
run_operator(struct run *run, const struct memmodel_recording_owner *owner, size_t count)
{
    memmodel_recording *recording = run->recording;
    int status = check_bytes(run, count);

    if (!status)
        status = recording_owner(recording, owner, &run->owner);
    if (!status)
        status = recording_reserve(recording, count);
    if (status)
        return status;
    run->made = recording->scratch;
    run->scratch = run->made + count;
    for (size_t i = 0; i < count; i++)
        run->made[i] = MEMMODEL_RECORDING_NONE;
    status = play(run);
    if (!status && run->operator->unmodelled >= 0)
        count_unmodelled(run, count);
    return status;
}

int
memmodel_recording_run(memmodel_recording *recording, int32_t number, const struct memmodel_recording_owner *owner,
                       const int64_t *bytes, size_t count, memmodel_recording_block *blocks)
{
    struct run run = {.recording = recording, .bytes = bytes};
    int status = recording && owner && bytes && blocks ? recording_check(recording) : MEMMODEL_ERROR_INVALID_ARGUMENT;

    if (!status && (number < 0 || (size_t)number >= recording->operator_count))
        status = context_error(recording->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "number", "there is no operator %d",
                               number);
    if (!status)
        status = context_begin(recording->context);
    if (status)
        return status;
    run.operator= & recording->operators[number];
    status = run_operator(&run, owner, count);
    if (!status && count > 0)
        memcpy(blocks, run.made, count * sizeof *blocks);
    return context_end(recording->context, status);
}
