/* The context: reference count, memory hook, last error, log. */
#include "base/context.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/spares.h"
#include "memmodel/version.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 512, OBJECT_BYTES = 256, STRUCT_LIMIT = 4096 };

struct memmodel_context {
    struct limits limits; /* first: context_limits() */
    atomic_int references;
    struct memmodel_allocator allocator;
    struct spares spares;
    struct memmodel_error error;
    char message[MESSAGE_BYTES];
    char object[OBJECT_BYTES];
    memmodel_log_callback log;
    void *log_user;
    bool quiet;               /* nothing is logged */
    enum cpu_vectors vectors; /* CPU_VECTORS_COUNT: not asked yet, since asking takes microseconds */
};

static const struct {
    int status;
    const char *name, *message;
} statuses[] = {
    {MEMMODEL_OK, "MEMMODEL_OK", "no error"},
    {MEMMODEL_ERROR_NO_MEMORY, "MEMMODEL_ERROR_NO_MEMORY", "out of memory"},
    {MEMMODEL_ERROR_INVALID_ARGUMENT, "MEMMODEL_ERROR_INVALID_ARGUMENT", "invalid argument"},
    {MEMMODEL_ERROR_OVERFLOW, "MEMMODEL_ERROR_OVERFLOW", "a count or a number of bytes does not fit in 63 bits"},
    {MEMMODEL_ERROR_SHAPE, "MEMMODEL_ERROR_SHAPE", "shapes do not fit together"},
    {MEMMODEL_ERROR_UNSUPPORTED, "MEMMODEL_ERROR_UNSUPPORTED", "not available here"},
    {MEMMODEL_ERROR_PARSE, "MEMMODEL_ERROR_PARSE", "not of the expected format"},
    {MEMMODEL_ERROR_IO, "MEMMODEL_ERROR_IO", "reading or writing failed"},
    {MEMMODEL_ERROR_STRUCT_SIZE, "MEMMODEL_ERROR_STRUCT_SIZE", "options struct of an unacceptable size"},
    {MEMMODEL_ERROR_NOT_FOUND, "MEMMODEL_ERROR_NOT_FOUND", "unknown symbol or column"},
    {MEMMODEL_ERROR_UNBOUND, "MEMMODEL_ERROR_UNBOUND", "a symbol has no value"},
    {MEMMODEL_ERROR_DATA, "MEMMODEL_ERROR_DATA", "samples cannot be used"},
    {MEMMODEL_ERROR_VERSION, "MEMMODEL_ERROR_VERSION", "written by a newer version"},
    {MEMMODEL_ERROR_PROCESS, "MEMMODEL_ERROR_PROCESS", "process cannot be read"},
    {MEMMODEL_ERROR_CALLBACK, "MEMMODEL_ERROR_CALLBACK", "function of the caller failed"},
    {MEMMODEL_ERROR_LIMIT, "MEMMODEL_ERROR_LIMIT", "a limit of the context was reached"},
    {MEMMODEL_ERROR_CANCELLED, "MEMMODEL_ERROR_CANCELLED", "cancelled by the caller"},
};

static void *
default_allocate(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void *
default_reallocate(void *user, void *block, size_t bytes)
{
    (void)user;
    return realloc(block, bytes);
}

static void
default_release(void *user, void *block)
{
    (void)user;
    free(block);
}

static const struct memmodel_allocator default_allocator = {
    .size = sizeof(struct memmodel_allocator),
    .allocate = default_allocate,
    .reallocate = default_reallocate,
    .deallocate = default_release,
};

const char *
memmodel_version(void)
{
    return MEMMODEL_VERSION;
}

const char *
memmodel_status_name(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "unknown status";
}

const char *
memmodel_status_message(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].status == status)
            return statuses[i].message;
    return "unknown status";
}

/* ---- structs that begin with their size ---- */

static size_t
struct_size(const void *given)
{
    size_t size;

    memcpy(&size, given, sizeof size);
    return size;
}

static int
size_absurd(size_t size)
{
    return size < sizeof size || size > STRUCT_LIMIT;
}

/*
 * Copies what a caller set to `own`, which is zeroed but for its size. Returns how many bytes of the caller's struct
 * count: more than own_size, and this library cannot serve them; SIZE_MAX if the size is absurd.
 */
static size_t
struct_copy(const void *given, void *own, size_t own_size)
{
    const unsigned char *bytes = given;
    size_t used = struct_size(given);

    if (size_absurd(used))
        return SIZE_MAX;
    while (used > sizeof used && !bytes[used - 1])
        used--;
    if (used <= own_size)
        memcpy((unsigned char *)own + sizeof used, bytes + sizeof used, used - sizeof used);
    return used;
}

int
memmodel_context_new(const struct memmodel_allocator *allocator, memmodel_context **context)
{
    struct memmodel_allocator own = {.size = sizeof own};
    struct memmodel_context *new;

    if (!context)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (struct_copy(allocator ? allocator : &default_allocator, &own, sizeof own) > sizeof own)
        return MEMMODEL_ERROR_STRUCT_SIZE;
    if (!own.allocate || !own.reallocate || !own.deallocate)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;

    new = own.allocate(own.user, sizeof *new);
    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    memset(new, 0, sizeof *new);
    limits_start(&new->limits);
    spares_start(&new->spares, !allocator);
    atomic_init(&new->references, 1);
    new->allocator = own;
    new->error = (struct memmodel_error){.size = sizeof new->error, .message = new->message, .object = new->object};
    new->vectors = CPU_VECTORS_COUNT;
    *context = new;
    return 0;
}

enum cpu_vectors
context_vectors(memmodel_context *context)
{
    if (context->vectors == CPU_VECTORS_COUNT)
        context->vectors = cpu_vectors();
    return context->vectors;
}

void
context_limit_vectors(memmodel_context *context, enum cpu_vectors max)
{
    if (context_vectors(context) > max)
        context->vectors = max;
}

DEFINE_REF(memmodel_context)

static void
deallocate(memmodel_context *context, void *block)
{
    context->allocator.deallocate(context->allocator.user, block);
}

static void
give_spares_back(memmodel_context *context)
{
    for (void *block = spares_take_any(&context->spares); block; block = spares_take_any(&context->spares))
        deallocate(context, block);
}

void
memmodel_context_unref(memmodel_context *context)
{
    if (!context || atomic_fetch_sub(&context->references, 1) != 1)
        return;
    give_spares_back(context);
    deallocate(context, context);
}

const struct memmodel_error *
memmodel_context_error(const memmodel_context *context)
{
    return context ? &context->error : NULL;
}

void
memmodel_context_set_log(memmodel_context *context, memmodel_log_callback log, void *user)
{
    if (!context)
        return;
    context->log = log;
    context->log_user = user;
}

/*
 * ---- memory: each block of the caller's allocator begins with its size, for the account of the context, and with that
 * context, for memmodel_free() ----
 */

struct header {
    size_t whole; /* bytes, the header's included */
    memmodel_context *context;
};

enum { HEADER_BYTES = alignof(max_align_t) };

_Static_assert(HEADER_BYTES >= sizeof(struct header), "a header fits before memory that is aligned for any object");

static void *
out_of_memory(memmodel_context *context, size_t bytes)
{
    context_error(context, MEMMODEL_ERROR_NO_MEMORY, NULL, "out of memory: %zu bytes", bytes);
    return NULL;
}

static void *
beyond_limit(memmodel_context *context, size_t bytes)
{
    context->limits.refused = true;
    context_error(context, MEMMODEL_ERROR_LIMIT, "memory_bytes",
                  "%zu bytes more than the %zu in use are beyond the context's limit, %" PRId64
                  " of memory_bytes; memmodel_context_set_limits() raises it",
                  bytes, atomic_load(&context->limits.used), context->limits.max.memory_bytes);
    return NULL;
}

/* `block` as the caller's allocator handed it out, with its header written; what is behind that. */
static void *
block_with_header(memmodel_context *context, void *block, size_t whole)
{
    memcpy(block, &(struct header){whole, context}, sizeof(struct header));
    return (unsigned char *)block + HEADER_BYTES;
}

static void *
block_of(void *memory, struct header *header)
{
    unsigned char *block = (unsigned char *)memory - HEADER_BYTES;

    memcpy(header, block, sizeof *header);
    return block;
}

/* `whole` is on the account already. With what is kept besides, no more than the limit is held. */
static void *
allocate(memmodel_context *context, size_t whole)
{
    if (atomic_load(&context->limits.used) + atomic_load(&context->spares.bytes) >
        (size_t)context->limits.max.memory_bytes)
        give_spares_back(context);
    return context->allocator.allocate(context->allocator.user, whole);
}

void *
memory_allocate(memmodel_context *context, size_t bytes)
{
    size_t whole = bytes + HEADER_BYTES;
    void *block;

    if (whole < bytes)
        return out_of_memory(context, bytes);
    if (!limits_take(&context->limits, whole))
        return beyond_limit(context, bytes);
    block = spares_take(&context->spares, whole);
    if (!block)
        block = allocate(context, whole);
    if (block)
        return block_with_header(context, block, whole);
    limits_give_back(&context->limits, whole);
    return out_of_memory(context, bytes);
}

void *
memory_allocate_zeroed(memmodel_context *context, size_t count, size_t size)
{
    size_t bytes;
    void *block;

    if (!checked_size(count, size, &bytes)) {
        context_error(context, MEMMODEL_ERROR_NO_MEMORY, NULL, "out of memory: %zu times %zu bytes", count, size);
        return NULL;
    }
    block = memory_allocate(context, bytes);
    if (block)
        memset(block, 0, bytes);
    return block;
}

/* Keeps the block for the next call, if it is of a size for that. */
static void
release(memmodel_context *context, void *block, size_t whole)
{
    block = spares_give(&context->spares, block, whole);
    if (block)
        deallocate(context, block);
}

static void *
reallocate(memmodel_context *context, void *block, size_t before, size_t whole)
{
    void *spare = spares_take(&context->spares, whole);

    if (!spare)
        return context->allocator.reallocate(context->allocator.user, block, whole);
    memcpy(spare, block, before < whole ? before : whole);
    release(context, block, before);
    return spare;
}

/* While a block moves there are two, and both count. */
void *
memory_reallocate(memmodel_context *context, void *memory, size_t bytes)
{
    size_t whole = bytes + HEADER_BYTES;
    struct header before;
    void *block;

    if (!memory)
        return memory_allocate(context, bytes);
    if (whole < bytes)
        return out_of_memory(context, bytes);
    if (!limits_take(&context->limits, whole))
        return beyond_limit(context, bytes);
    block = block_of(memory, &before);
    block = reallocate(context, block, before.whole, whole);
    limits_give_back(&context->limits, block ? before.whole : whole);
    return block ? block_with_header(context, block, whole) : out_of_memory(context, bytes);
}

void
memory_release(memmodel_context *context, void *memory)
{
    struct header header;
    void *block;

    if (!memory)
        return;
    block = block_of(memory, &header);
    limits_give_back(&context->limits, header.whole);
    release(context, block, header.whole);
}

char *
memory_hand_out(memmodel_context *context, char *text)
{
    memmodel_context_ref(context);
    return text;
}

void
memmodel_free(void *text)
{
    struct header header;

    if (!text)
        return;
    block_of(text, &header);
    memory_release(header.context, text);
    memmodel_context_unref(header.context);
}

int
memory_charge(memmodel_context *context, size_t bytes)
{
    if (limits_take(&context->limits, bytes))
        return 0;
    beyond_limit(context, bytes);
    return MEMMODEL_ERROR_LIMIT;
}

void
memory_discharge(memmodel_context *context, size_t bytes)
{
    limits_give_back(&context->limits, bytes);
}

int
memory_failed(memmodel_context *context, const char *doing)
{
    if (context->limits.refused && context->error.status == MEMMODEL_ERROR_LIMIT)
        return MEMMODEL_ERROR_LIMIT;
    return context_error(context, MEMMODEL_ERROR_NO_MEMORY, NULL, "out of memory while %s", doing);
}

char *
memory_copy_text(memmodel_context *context, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = memory_allocate(context, bytes);

    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

int
array_grow(memmodel_context *context, void *array, size_t *capacity, size_t needed, size_t size)
{
    size_t wanted = *capacity ? *capacity : 8, bytes;
    void *old, *block;

    while (wanted < needed)
        wanted = wanted > SIZE_MAX / 2 ? needed : wanted * 2;
    if (!checked_size(wanted, size, &bytes))
        return context_error(context, MEMMODEL_ERROR_NO_MEMORY, NULL, "out of memory: %zu times %zu bytes", wanted,
                             size);

    memcpy(&old, array, sizeof old);
    block = memory_reallocate(context, old, bytes);
    if (!block)
        return MEMMODEL_ERROR_NO_MEMORY;
    memcpy(array, &block, sizeof block);
    *capacity = wanted;
    return 0;
}

/* ---- errors ---- */

/* Arguments may point into the old message, so the new one is written beside it first. */
int
context_error_list(memmodel_context *context, int status, const char *object, int line, int column, const char *format,
                   va_list arguments)
{
    char message[MESSAGE_BYTES], name[OBJECT_BYTES];

    vsnprintf(message, sizeof message, format, arguments);
    snprintf(name, sizeof name, "%s", object ? object : "");
    memcpy(context->message, message, sizeof message);
    memcpy(context->object, name, sizeof name);
    context->error.status = status;
    context->error.line = line;
    context->error.column = column;
    return status;
}

int
context_error(memmodel_context *context, int status, const char *object, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    context_error_list(context, status, object, 0, 0, format, arguments);
    va_end(arguments);
    return status;
}

int
context_error_at(memmodel_context *context, int status, const char *object, int line, int column, const char *format,
                 ...)
{
    va_list arguments;

    va_start(arguments, format);
    context_error_list(context, status, object, line, column, format, arguments);
    va_end(arguments);
    return status;
}

void
context_set_quiet(memmodel_context *context, bool quiet)
{
    context->quiet = quiet;
}

void
context_log(memmodel_context *context, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list arguments;

    if (!context->log || context->quiet)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(context->log_user, message);
}

/* ---- options and results ---- */

static int
size_error(memmodel_context *context, const char *name, const void *given)
{
    return context_error(context, MEMMODEL_ERROR_STRUCT_SIZE, name, "size is %zu; set it to sizeof(struct %s)",
                         struct_size(given), name);
}

int
options_copy_quietly(const void *options, void *own, size_t own_size)
{
    memset(own, 0, own_size);
    memcpy(own, &own_size, sizeof own_size);
    return options && struct_copy(options, own, own_size) > own_size ? MEMMODEL_ERROR_STRUCT_SIZE : 0;
}

int
options_copy(memmodel_context *context, const char *name, const void *options, void *own, size_t own_size)
{
    size_t used;

    memset(own, 0, own_size);
    memcpy(own, &own_size, sizeof own_size);
    if (!options)
        return 0;
    used = struct_copy(options, own, own_size);
    if (used == SIZE_MAX)
        return size_error(context, name, options);
    if (used > own_size)
        return context_error(context, MEMMODEL_ERROR_STRUCT_SIZE, name,
                             "byte %zu is set, but this library knows only the first %zu", used - 1, own_size);
    return 0;
}

int
result_check(memmodel_context *context, const char *name, const void *result)
{
    if (!result)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, name, "there is no struct to fill");
    return size_absurd(struct_size(result)) ? size_error(context, name, result) : 0;
}

int
result_copy(const void *own, size_t own_size, void *result)
{
    size_t given, known;

    if (!result)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    given = struct_size(result);
    known = given < own_size ? given : own_size;
    if (size_absurd(given))
        return MEMMODEL_ERROR_STRUCT_SIZE;
    memcpy((unsigned char *)result + sizeof given, (const unsigned char *)own + sizeof given, known - sizeof given);
    memset((unsigned char *)result + known, 0, given - known);
    return 0;
}
