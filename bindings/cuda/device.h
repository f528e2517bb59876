/* What the stand-ins share: the devices of this run, their memory, handles, and notes for the one who reads the ledger. */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include "device/ledger.h"

#include <stddef.h>
#include <stdint.h>

/* Defines a function that programs find by its name. */
#define ANSWER(type, name, ...)                                                                                        \
    __attribute__((visibility("default"))) type name(__VA_ARGS__);                                                     \
    type name(__VA_ARGS__)

/* The same function by the name that a program calls which was built with `nvcc --default-stream per-thread`. */
#define PER_THREAD(name, ending)                                                                                       \
    extern __typeof__(name) name##_##ending __attribute__((alias(#name), visibility("default")));

/* Who called the function that this stands in. */
#define CALLER __builtin_return_address(0)

enum { MAJOR_OF_CAPABILITY = 10 };

/* ---- devices (device.c) ---- */

/* Devices of the run that the program can see, whose numbers all others take but for `place`; 0 without a ledger. */
int
device_count(void);

/* All of the run's, and which of them one is that can be seen. */
int
device_all(void);

int
device_place(int device);

enum { DEVICE_UUID_BYTES = 16, DEVICE_IDENTITY_BYTES = 48 };

void
device_uuid(int place, unsigned char uuid[DEVICE_UUID_BYTES]);

/* The same as text, "GPU-40414243-...". */
void
device_identity(int place, char text[DEVICE_IDENTITY_BYTES]);

const struct ledger_gpu *
device_gpu(void);

/* The calling thread's device. */
int
device_current(void);

/* False if there is no such device. */
bool
device_select(int device);

/* Makes the process's context on the device where it has none yet, which takes memory. */
void
device_enter(int device);

bool
device_has_context(int device);

/* The kernels of a library are loaded, which takes memory, once for each process and device. */
void
device_load_modules(int device);

int64_t
device_free_bytes(int device);

int64_t
device_capacity(int device);

/* An attribute by the number that the runtime and the driver have for it; 0 for what is not known. */
int
device_attribute(int attribute, int device);

/* ---- memory (memory.c) ---- */

/* The device that an address belongs to, or -1. */
int
memory_device(const void *address);

/* The addresses of all devices; false without devices. */
bool
memory_space(uintptr_t *start, size_t *bytes);

enum { MEMORY_ALIGNMENT = 512 };

/* NULL if it does not fit. `caller` distinguishes a framework's caching allocator from others. */
void *
memory_allocate(int device, size_t bytes, const void *caller);

/* False if nothing was allocated at that address. */
bool
memory_release(void *address);

/* The allocation that an address lies in; false if there is none. */
bool
memory_range(const void *address, void **start, size_t *bytes);

/* Addresses without memory, and memory without addresses: for the driver's virtual memory. */
void *
memory_reserve(int device, size_t bytes, size_t alignment);

bool
memory_unreserve(void *address);

bool
memory_charge(int device, size_t bytes, const void *caller);

void
memory_discharge(int device, size_t bytes, const void *caller);

/* What small copies bring to the device can be read again; larger ones read as zeros. */
void
memory_copy(void *to, const void *from, size_t bytes, const void *caller);

void
memory_fill(void *to, int value, size_t unit, size_t count);

/* ---- what the hook in Python knows of contents (followed.c) ---- */

/* The memory at that address is handed out. */
void
followed_clear(const void *address);

/* ---- handles (handle.c) ---- */

/* Each kind of object that the stand-ins hand out. Room for HANDLE_BYTES, zeroed; NULL if there is no more. */
enum handle_kind {
    HANDLE_NONE,
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_GRAPH,
    HANDLE_GRAPH_EXEC,
    HANDLE_NODE,
    HANDLE_POOL,
    HANDLE_CONTEXT,
    HANDLE_MODULE,
    HANDLE_FUNCTION,
    HANDLE_PHYSICAL,
    HANDLE_BLAS,
    HANDLE_LIBRARY,
    HANDLE_DESCRIPTOR,
    HANDLE_COMMUNICATOR,
    HANDLE_OTHER,
};

enum { HANDLE_BYTES = 256 };

void *
handle_new(enum handle_kind kind);

/* The handle itself if it is a living one of that kind, else NULL; any address may be asked about. */
void *
handle_get(const void *handle, enum handle_kind kind);

/* False if it was none. */
bool
handle_delete(void *handle, enum handle_kind kind);

/* ---- notes (note.c) ---- */

/* A function that no stand-in has was called. */
void
note_unanswered(const char *library, const char *name, const void *caller);

/* The program read `bytes` bytes that no computation wrote. */
void
note_made_up(size_t bytes, const void *caller);

/* Until the next call, somebody else notes what this thread reads. */
void
note_followed(bool yes);

/* A size that is a rule or a constant of ours, where the library would have its own: said once. */
void
note_profile(const char *what);

/* The file name of the library that an address lies in; "the program" where that is not known. */
const char *
note_module(const void *address);

#endif
