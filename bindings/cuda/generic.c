/*
 * Functions that no file of this room has. The stand-in of each library is made from the names that the library itself
 * exports (lib/device/stand_in.c); those that nobody here defines come to memmodel_cuda_generic(), with their first
 * argument. A table of names says of which families it is known what a call leaves behind: nothing (a launch, a
 * setting), a new object in the first argument, one object less. All others say that they are not answered, and return
 * the library's own word for it.
 */
#define _GNU_SOURCE
#include "device.h"

#include "launches_dnn.h"
#include "launches_libraries.h"
#include "launches_runtime.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum state { UNKNOWN, SUCCEEDS, CREATES, DESTROYS, UNANSWERED, ABSENT };

/* As the stand-in has it for each of its functions; `name` goes on to its zero. */
struct record {
    int32_t state, status;
    char name[];
};

struct family {
    const char *const *patterns;
    enum state state;
};

/* What libraries of NVIDIA's return for what they do not support, by the beginning of their names; 0 ends. */
struct refusal {
    const char *library;
    int32_t status;
};

static const struct refusal refusals[] = {
    {"libcublas", 15},  {"libcudnn", 3000},  {"libcufft", 16}, {"libcusparse", 10},
    {"libcusolver", 9}, {"libcurand", 999},  {"libnccl", 5},   {"libnvidia-ml", 3},
    {"libcupti", 27},   {"libcufile", 5001}, {"libcuda", 801},
};

static const char *const profilers[] = {"cupti*", NULL};

static const struct family families[] = {
    {runtime_launches, SUCCEEDS}, {library_launches, SUCCEEDS}, {library_settings, SUCCEEDS},
    {library_creates, CREATES},   {library_destroys, DESTROYS}, {dnn_launches, SUCCEEDS},
    {dnn_settings, SUCCEEDS},     {dnn_creates, CREATES},       {dnn_destroys, DESTROYS},
    {profilers, ABSENT},
};

/* Functions on the default stream of each thread do what those of the same name do: its length without the ending. */
static size_t
length_of(const char *name)
{
    enum { ENDING = 5 };
    size_t length = strlen(name);
    const char *ending = length > ENDING ? name + length - ENDING : "";

    return strcmp(ending, "_ptsz") == 0 || strcmp(ending, "_ptds") == 0 ? length - ENDING : length;
}

static enum state
state_of(const char *whole)
{
    char name[256];

    snprintf(name, sizeof name, "%.*s", (int)length_of(whole), whole);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (const char *const *pattern = families[i].patterns; *pattern; pattern++)
            if (fnmatch(*pattern, name, 0) == 0)
                return families[i].state;
    return UNANSWERED;
}

static int32_t
refusal_of(const char *library)
{
    enum { NOT_SUPPORTED = 801 };

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (strncmp(library, refusals[i].library, strlen(refusals[i].library)) == 0)
            return refusals[i].status;
    return NOT_SUPPORTED;
}

/* Looks the record's name up, at its first call. */
static void
look_up(struct record *record, const char *library, const void *caller)
{
    record->status = refusal_of(library);
    __atomic_store_n(&record->state, (int32_t)state_of(record->name), __ATOMIC_RELEASE);
    if (record->state == UNANSWERED)
        note_unanswered(library, record->name, caller);
}

static int
create(void **object, int32_t refusal)
{
    if (!object)
        return refusal;
    *object = handle_new(HANDLE_DESCRIPTOR);
    return *object ? 0 : refusal;
}

__attribute__((visibility("default"))) int
memmodel_cuda_generic(void *first, struct record *record, const char *library);

int
memmodel_cuda_generic(void *first, struct record *record, const char *library)
{
    if (__atomic_load_n(&record->state, __ATOMIC_ACQUIRE) == UNKNOWN)
        look_up(record, library, CALLER);
    switch ((enum state)record->state) {
    case SUCCEEDS:
        return 0;
    case CREATES:
        return create(first, record->status);
    case DESTROYS:
        return handle_delete(first, HANDLE_DESCRIPTOR) || !first ? 0 : record->status;
    default:
        return record->status;
    }
}
