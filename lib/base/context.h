/* The context from the inside: memory through its hook, and errors on it. */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include "base/cpu.h"
#include "base/limits.h"
#include "memmodel/context.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define BASE_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define BASE_PRINTF(string, first)
#endif

/* ---- memory: NULL when there is none, and then the context's error is already set ---- */

void *
memory_allocate(memmodel_context *context, size_t bytes);

/* `count` * `size` bytes of zeros. */
void *
memory_allocate_zeroed(memmodel_context *context, size_t count, size_t size);

void *
memory_reallocate(memmodel_context *context, void *block, size_t bytes);

void
memory_release(memmodel_context *context, void *block);

/* memmodel_x_ref(): one more reference to what counts its `references`, with NULL for none. */
#define DEFINE_REF(handle)                                                                                             \
    handle *handle##_ref(handle *object)                                                                               \
    {                                                                                                                  \
        if (object)                                                                                                    \
            atomic_fetch_add(&object->references, 1);                                                                  \
        return object;                                                                                                 \
    }

/*
 * Makes a text of memory_allocate() the caller's of the library, who gives it back with memmodel_free(): until then it
 * keeps the context. Every text that is handed out goes through here. Returns it.
 */
char *
memory_hand_out(memmodel_context *context, char *text);

char *
memory_copy_text(memmodel_context *context, const char *text);

/*
 * For memory that comes from elsewhere: puts it on the context's account, until memory_discharge(). 0,
 * MEMMODEL_ERROR_LIMIT.
 */
int
memory_charge(memmodel_context *context, size_t bytes);

void
memory_discharge(memmodel_context *context, size_t bytes);

/*
 * In a bounded call, of what is NULL either for want of such memory, which the context knows nothing of, or for want of
 * memory of the context: MEMMODEL_ERROR_NO_MEMORY, "out of memory while `doing`", or the MEMMODEL_ERROR_LIMIT that was
 * said.
 */
int
memory_failed(memmodel_context *context, const char *doing);

/* What array_reserve() does where there is too little room. */
int
array_grow(memmodel_context *context, void *array, size_t *capacity, size_t needed, size_t size);

/*
 * Makes room for `needed` elements of `size` bytes in a growing array, doubling its capacity; 0 or
 * MEMMODEL_ERROR_NO_MEMORY. `array` is the address of the pointer: array_reserve(context, &list->items,
 * &list->capacity, n, sizeof *list->items).
 */
static inline int
array_reserve(memmodel_context *context, void *array, size_t *capacity, size_t needed, size_t size)
{
    return needed <= *capacity ? 0 : array_grow(context, array, capacity, needed, size);
}

/* ---- limits: which public calls are bounded, and where their loops look ---- */

/* What begins every context. */
static inline struct limits *
context_limits(memmodel_context *context)
{
    return (struct limits *)context;
}

/*
 * A public call that may run for long lies between these two: `status = context_begin(context)`, its work unless that
 * is an error, `return context_end(context, status)`. A bounded call may make others, which then count as its own work.
 * context_end() makes MEMMODEL_ERROR_NO_MEMORY what the context's error says it was: MEMMODEL_ERROR_LIMIT where the
 * account of memory was used up, MEMMODEL_ERROR_OVERFLOW where a formula was too long to print.
 */
int
context_begin(memmodel_context *context);

int
context_end(memmodel_context *context, int status);

/*
 * The last of what context_end() does, for calls that are short: what they return is the status of the context's error
 * where something that they needed is NULL, or a text that failed.
 */
int
context_status(const memmodel_context *context, int status);

int
context_look(memmodel_context *context, int64_t nodes);

bool
context_is_used_up(memmodel_context *context, int64_t nodes);

/*
 * In every loop whose length the input decides: counts work worth `nodes`, each of some microseconds at most, and looks
 * at the clock and the flag now and then. 0, MEMMODEL_ERROR_LIMIT or MEMMODEL_ERROR_CANCELLED with the context's error
 * set, and then again whenever it is asked in the same call.
 */
static inline int
context_check(memmodel_context *context, int64_t nodes)
{
    struct limits *limits = context_limits(context);

    if (nodes > limits->left)
        return context_look(context, nodes);
    limits->left -= nodes;
    return 0;
}

/* The same without a word on the context: for searches that end with what they have. */
static inline bool
context_spend(memmodel_context *context, int64_t nodes)
{
    struct limits *limits = context_limits(context);

    if (nodes > limits->left)
        return context_is_used_up(context, nodes);
    limits->left -= nodes;
    return false;
}

/* Work in nodes of a loop over so many items with next to nothing to do for each: 64 of them take a microsecond. */
static inline int64_t
context_nodes(size_t items)
{
    return 1 + (int64_t)(items / 64);
}

/*
 * Of work that is known before it begins: 0, or MEMMODEL_ERROR_LIMIT with the context's error set where that many nodes
 * or bytes more are beyond a limit. Counts nothing.
 */
int
context_foresee(memmodel_context *context, int64_t nodes, int64_t bytes);

/* Whether the call is cancelled or its time is over, asked by a thread that works for it. Looks each time. */
bool
context_must_stop(const memmodel_context *context);

/* What a search that has to stop says of itself: MEMMODEL_SEARCH_STATUS_CANCELLED or _LIMIT. */
int
context_stop_status(const memmodel_context *context);

/*
 * A search that was stopped has an answer all the same: what is left to do is to write it, and nothing stops that. A
 * call that another one made goes on as before: whether there is an answer is for the outer one to say.
 */
void
context_answered(memmodel_context *context);

/*
 * Reports to the caller how far the call is, if it is time to. `total` is -1 and `best` NAN where they are not known.
 */
void
context_report(memmodel_context *context, const char *stage, int64_t done, int64_t total, double best);

/* Of what is read as a whole: 0, or MEMMODEL_ERROR_LIMIT. `name` is that of the file, NULL if none. */
int
context_check_input(memmodel_context *context, const char *name, int64_t bytes);

/* Of a network that is to have so many layers: 0, or MEMMODEL_ERROR_LIMIT. */
int
context_check_layers(memmodel_context *context, int64_t layers);

/* Whether a status is no answer to what was asked but the end of the call: for want of memory, work or time. */
static inline bool
status_ends_call(int status)
{
    return status == MEMMODEL_ERROR_NO_MEMORY || status == MEMMODEL_ERROR_LIMIT || status == MEMMODEL_ERROR_CANCELLED;
}

/* ---- errors: each sets the context's last error and returns its status ---- */

/* `object` is the layer, column or file that is wrong; NULL or "" if none. */
int
context_error(memmodel_context *context, int status, const char *object, const char *format, ...) BASE_PRINTF(4, 5);

/* The same for something read from a text: `line` and `column` count from 1. */
int
context_error_at(memmodel_context *context, int status, const char *object, int line, int column, const char *format,
                 ...) BASE_PRINTF(6, 7);

/* The same with its arguments in a list; of what is no text, `line` and `column` are 0. */
int
context_error_list(memmodel_context *context, int status, const char *object, int line, int column, const char *format,
                   va_list arguments);

void
context_log(memmodel_context *context, const char *format, ...) BASE_PRINTF(2, 3);

/* Whether nothing is logged for now: what is done again has been logged once. */
void
context_set_quiet(memmodel_context *context, bool quiet);

/*
 * Accepts a caller's options struct whose first field is its size: copies it over the zeroed `own` of `own_size` bytes.
 * A caller's struct may be shorter (an older caller), or longer if what this library does not know is zero.
 * NULL `options` is all defaults. Returns 0, MEMMODEL_ERROR_STRUCT_SIZE.
 */
int
options_copy(memmodel_context *context, const char *name, const void *options, void *own, size_t own_size);

/* The same for calls that leave the context's error alone. */
int
options_copy_quietly(const void *options, void *own, size_t own_size);

/* Whether result_copy() will fill the struct: 0, or MEMMODEL_ERROR_STRUCT_SIZE with a text. */
int
result_check(memmodel_context *context, const char *name, const void *result);

/*
 * The other way round: fills a caller's result struct, whose first field is its size, from `own`. An older caller
 * gets the fields it knows, a newer one zeros behind those that this library knows. 0, MEMMODEL_ERROR_STRUCT_SIZE:
 * without a text.
 */
int
result_copy(const void *own, size_t own_size, void *result);

/* ---- processor ---- */

/* The widest vectors that programs of this context use. */
enum cpu_vectors
context_vectors(memmodel_context *context);

/* From now on at most these: for tests, which compare what they compute. */
void
context_limit_vectors(memmodel_context *context, enum cpu_vectors max);

#endif
