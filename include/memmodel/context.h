/*
 * The context: memory, the last error, the log. Every other object is made from one and keeps a reference to it.
 *
 * NULL for a parameter that is not documented to take it is no crash: a call gives MEMMODEL_ERROR_INVALID_ARGUMENT,
 * NULL or 0 (NaN for a number that may be 0). To drop a reference or to free NULL does nothing.
 *
 * A call needs at most 64 KiB of stack, its caller's functions not counted.
 */
#ifndef MEMMODEL_CONTEXT_H
#define MEMMODEL_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Imports from the shared library; MEMMODEL_STATIC: linked from the archive; MEMMODEL_BUILDING: compiled into either.
 */
#if defined(MEMMODEL_STATIC)
#define MEMMODEL_API
#elif defined(_WIN32) && defined(MEMMODEL_BUILDING)
#define MEMMODEL_API __declspec(dllexport)
#elif defined(_WIN32)
#define MEMMODEL_API __declspec(dllimport)
#elif defined(__GNUC__)
#define MEMMODEL_API __attribute__((visibility("default")))
#else
#define MEMMODEL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What a call returns: 0, or one of these. Numbers are never reused.
 *
 * @since 0.1
 */
enum memmodel_status {
    MEMMODEL_OK = 0,                      /**< no error */
    MEMMODEL_ERROR_NO_MEMORY = -1,        /**< the context's allocator returned NULL.
                                                 Free memory, or ask for less: fewer layers, steps, rows */
    MEMMODEL_ERROR_INVALID_ARGUMENT = -2, /**< an argument is outside what the call documents.
                                                 The error's message names it */
    MEMMODEL_ERROR_OVERFLOW = -3,         /**< a count or a number of bytes does not fit in 63 bits.
                                                 Bind smaller numbers to the symbols */
    MEMMODEL_ERROR_SHAPE = -4,            /**< the shapes of a layer do not fit together.
                                                 Correct the options or the inputs of the layer that the error names */
    MEMMODEL_ERROR_UNSUPPORTED = -5,      /**< known, but not available on this platform or for this framework.
                                                 Choose another, or a library that was built with it */
    MEMMODEL_ERROR_PARSE = -6,            /**< a file or a text is not of its format.
                                                 Correct it at the error's line and column */
    MEMMODEL_ERROR_IO = -7,               /**< the operating system refused to read or write.
                                                 The error's message has its reason */
    MEMMODEL_ERROR_STRUCT_SIZE = -8,      /**< an options struct has a size that this library cannot accept.
                                                 Set it to sizeof the struct, and to zero what is not used */
    MEMMODEL_ERROR_NOT_FOUND = -9,        /**< a name that is no symbol of the network, or no column of the table.
                                                 Compare it with their names */
    MEMMODEL_ERROR_UNBOUND = -10,         /**< a symbol has no value in this query.
                                                 Give it one in the job */
    MEMMODEL_ERROR_DATA = -11,            /**< the samples cannot be used: too few, constant or not finite.
                                                 Measure more, or leave out what the error's message names */
    MEMMODEL_ERROR_VERSION = -12,         /**< the file was written by a newer version of its format.
                                                 Use a library as new as the program that wrote it */
    MEMMODEL_ERROR_PROCESS = -13,         /**< the process does not exist or cannot be read.
                                                 Check its number, and whether it is yours */
    MEMMODEL_ERROR_CALLBACK = -14,        /**< a function that the caller gave said that it failed.
                                                 Ask that function why */
    MEMMODEL_ERROR_LIMIT = -15,           /**< the call would take more than a limit of its context.
                                                 The error's message names the limit; memmodel_context_set_limits()
                                                 raises it */
    MEMMODEL_ERROR_CANCELLED = -16,       /**< the caller ended the call, by memmodel_context_cancel().
                                                 Call again, if it is wanted after all */
};

/** Language that a formula is written in. @since 0.1 */
enum memmodel_language {
    MEMMODEL_LANGUAGE_TEXT = 0,   /**< 1291.125*batch*dim^3 */
    MEMMODEL_LANGUAGE_C = 1,      /**< an expression in C */
    MEMMODEL_LANGUAGE_PYTHON = 2, /**< an expression in Python */
    MEMMODEL_LANGUAGE_LATEX = 3,  /**< for a paper */
    MEMMODEL_LANGUAGE_SQL = 4,    /**< an expression in SQL */
};

/** Library context. @since 0.1 */
typedef struct memmodel_context memmodel_context;

/**
 * Takes memory, as malloc does.
 *
 * @param[in] user   of struct memmodel_allocator
 * @param[in] bytes  at least 1. @unit bytes
 * @returns a block aligned for any object, NULL when there is none. @transfer full @nullable
 * @threads the context's
 * @since 0.1
 */
typedef void *(*memmodel_allocate_callback)(void *user, size_t bytes);

/**
 * Changes the size of a block, as realloc does. The old block stays when it fails.
 *
 * @param[in] user   of struct memmodel_allocator
 * @param[in] block  NULL for a new one. @nullable
 * @param[in] bytes  at least 1. @unit bytes
 * @returns the block, which may have moved; NULL when there is no memory. @transfer full @nullable
 * @threads the context's
 * @since 0.1
 */
typedef void *(*memmodel_reallocate_callback)(void *user, void *block, size_t bytes);

/**
 * Gives a block back, as free does.
 *
 * @param[in] user   of struct memmodel_allocator
 * @param[in] block  may be NULL. @nullable
 * @threads the context's
 * @since 0.1
 */
typedef void (*memmodel_deallocate_callback)(void *user, void *block);

/**
 * Where a context takes its memory from. All three functions are given together, or none.
 *
 * @since 0.1
 */
struct memmodel_allocator {
    size_t size;                             /**< sizeof(struct memmodel_allocator) */
    memmodel_allocate_callback allocate;     /**< NULL when there is none. @nullable */
    memmodel_reallocate_callback reallocate; /**< as realloc. @nullable */
    memmodel_deallocate_callback deallocate; /**< as free. @nullable */
    void *user;                              /**< handed to each call. @nullable */
};

/**
 * What calls on a context may use, whatever their input is. 0 is the default of each field; INT64_MAX, and INFINITY for
 * seconds, are no limit.
 *
 * A call that would go beyond returns MEMMODEL_ERROR_LIMIT; a search that has an answer by then ends with it where its
 * result can say so. The answer of a call that completed does not depend on the limits.
 *
 * @since 0.1
 */
struct memmodel_limits {
    size_t size;          /**< sizeof(struct memmodel_limits) */
    int64_t memory_bytes; /**< of all objects of the context together.
                                    @default 1 GiB @unit bytes */
    /** of each input: a whole file, or a text of JSON or CSV that is handed over; of an ONNX file what is read of
     *  it, which its weights are not. While JSON is in use, memory_bytes has its length and 72 bytes a value, 136
     *  more for a member, 144 for an array, 240 for an object. @default 256 MiB @unit bytes */
    int64_t input_bytes;
    int64_t nodes;  /**< work of one call: events simulated, placements and formulas tried, elements read.
                                    The same on every machine. @default 10,000,000,000, which take an hour */
    int64_t layers; /**< of one network. @default 1,000,000 */
    double seconds; /**< of the clock, of one call. @default INFINITY @unit seconds */
};

/**
 * Detail of the last call on a context that failed.
 *
 * @since 0.1
 */
struct memmodel_error {
    size_t size;         /**< filled by the library */
    int status;          /**< enum memmodel_status */
    int line;            /**< line in the text that was read, from 1; 0 if none */
    int column;          /**< column in that line, from 1; 0 if none */
    int reserved;        /**< 0 */
    const char *message; /**< one line in English, without the layer's name. Never NULL */
    const char *object;  /**< layer, column or file that was wrong, "" if none. Never NULL */
};

/**
 * Called for each message the library would like somebody to read.
 *
 * @param[in] user     what memmodel_context_set_log() was given. @nullable
 * @param[in] message  one line, valid during the call
 * @threads the context's
 * @since 0.1
 */
typedef void (*memmodel_log_callback)(void *user, const char *message);

/**
 * How far a call is.
 *
 * @since 0.1
 */
struct memmodel_progress {
    size_t size;       /**< filled by the library */
    const char *stage; /**< what the call does now, such as "simulations"; static */
    int64_t done;      /**< of that, so far */
    int64_t total;     /**< at most; -1 if not known */
    double seconds;    /**< since the call began. @unit seconds */
    double best;       /**< the best answer so far: bytes of a plan or a job, error of a formula; NaN: none yet */
};

/**
 * Called now and then by calls that take long.
 *
 * @param[in] user      what memmodel_context_set_progress() was given. @nullable
 * @param[in] progress  valid during the call
 * @returns 0 to go on; anything else ends the call as memmodel_context_cancel() does
 * @threads that of the call
 * @since 0.1
 */
typedef int (*memmodel_progress_callback)(void *user, const struct memmodel_progress *progress);

/**
 * Make a context. With malloc it keeps up to 8 MiB that its objects gave back for its next calls, until its last
 * reference goes; with another allocator nothing.
 *
 * @param[in]  allocator  where to take memory from, copied; NULL for malloc. @nullable
 * @param[out] context    new context with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any; the context then belongs to one thread at a time
 * @since 0.1
 */
MEMMODEL_API int
memmodel_context_new(const struct memmodel_allocator *allocator, memmodel_context **context);

/**
 * Take one more reference.
 *
 * @param[in] context  not NULL
 * @returns `context`. @transfer full
 * @threads any
 * @since 0.1
 */
MEMMODEL_API memmodel_context *
memmodel_context_ref(memmodel_context *context);

/**
 * Drop one reference. The context goes with its last reference, its objects' included.
 *
 * @param[in] context  may be NULL. @nullable
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_context_unref(memmodel_context *context);

/**
 * Detail of the last error on this context. Needs no memory, so it is there for MEMMODEL_ERROR_NO_MEMORY too.
 *
 * @param[in] context  not NULL
 * @returns never NULL; owned by the context and valid until its next failing call. Status 0 if nothing failed yet.
 *          @transfer none
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API const struct memmodel_error *
memmodel_context_error(const memmodel_context *context);

/**
 * Choose who reads the library's messages. Without a log the library is silent.
 *
 * @param[in] context  not NULL
 * @param[in] log      NULL for silence. @nullable
 * @param[in] user     handed to each call of `log`. @nullable
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API void
memmodel_context_set_log(memmodel_context *context, memmodel_log_callback log, void *user);

/**
 * Choose what calls on this context may use from now on.
 *
 * @param[in] context  not NULL
 * @param[in] limits   copied; NULL for all defaults. @nullable
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT for a limit below 0, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_context_set_limits(memmodel_context *context, const struct memmodel_limits *limits);

/**
 * Set the callback that learns how far calls on this context are: some hundred times a second, by plans, chains, fits
 * and searches for what to recompute.
 *
 * @param[in] context   not NULL
 * @param[in] callback  NULL for nobody. @nullable
 * @param[in] user      handed to each call of `callback`. @nullable
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API void
memmodel_context_set_progress(memmodel_context *context, memmodel_progress_callback callback, void *user);

/**
 * End the call that runs on this context, or else the next that may run for long: it returns MEMMODEL_ERROR_CANCELLED,
 * or the best answer that its search has. Only sets a flag, at which calls look every few milliseconds; a call that is
 * done before it looks again leaves the flag to the next.
 *
 * @param[in] context  may be NULL. @nullable
 * @threads any, and signal handlers
 * @since 0.1
 */
MEMMODEL_API void
memmodel_context_cancel(memmodel_context *context);

/**
 * How much memory the objects of a context hold, and the maximum that they ever held.
 *
 * @param[in]  context  not NULL
 * @param[out] used     NULL if not wanted; 0 before the first object. @unit bytes @nullable
 * @param[out] peak     NULL if not wanted. @unit bytes @nullable
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_context_memory(const memmodel_context *context, int64_t *used, int64_t *peak);

/**
 * A size as people write it: a number with a unit, in any case, of 1024 (K, Ki, KiB, M, ..., P, Pi, PiB) or of 1000 (kB,
 * MB, GB, TB, PB), or of one (B, bytes); "1.5 GB". A number alone is bytes; one below 1024 is refused, since "16" is
 * meant as 16GiB, but for 0.
 *
 * @param[in]  context  errors of this call
 * @param[in]  text     such as "16GiB"
 * @param[out] bytes    0 or more, rounded down. Untouched on error. @unit bytes
 * @returns 0, MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_context_parse_bytes(memmodel_context *context, const char *text, int64_t *bytes);

/**
 * Give back a text that a call of this library handed over, such as that of memmodel_network_to_json(). Until then the
 * text keeps its context.
 *
 * @param[in] text  may be NULL. @nullable
 * @threads that of the context that the text was made with
 * @since 0.1
 */
MEMMODEL_API void
memmodel_free(void *text);

/**
 * Name of a status, such as "MEMMODEL_ERROR_SHAPE".
 *
 * @param[in] status  any number
 * @returns a static string, never NULL
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_status_name(int status);

/**
 * What a status means, in one line.
 *
 * @param[in] status  any number
 * @returns a static string, never NULL
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_status_message(int status);

#ifdef __cplusplus
}
#endif

#endif
