/* Simulated GPUs, from the side of the one who runs programs on them: the ledger, the stand-ins, the environment. */
#define _GNU_SOURCE
#include "memmodel/device.h"

#include "base/choice.h"
#include "base/text.h"
#include "device/libraries.h"
#include "device/profile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct memmodel_device {
    memmodel_context *context;
    atomic_int references;
    struct ledger *ledger;
    int descriptor; /* the ledger's, by which processes of the run find it */
    struct libraries libraries;
    struct ledger_note note; /* whose text was handed out last */
};

static int
check_options(memmodel_context *context, const struct memmodel_device_options *options)
{
    if (options->count < 0 || options->count > LEDGER_DEVICES)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "count", "between 1 and %d devices",
                             (int)LEDGER_DEVICES);
    if (options->capacity < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "capacity", "must be above 0");
    return flag_check(context, NULL, "overcommit", options->overcommit);
}

static int
open_ledger(memmodel_device *device, const struct memmodel_device_options *options, const struct ledger_gpu *gpu)
{
    device->ledger =
        ledger_new(gpu, options->count ? options->count : 1, options->capacity ? options->capacity : gpu->memory,
                   options->overcommit != 0, &device->descriptor);
    if (!device->ledger)
        return context_error(device->context, MEMMODEL_ERROR_IO, "ledger", "cannot share memory between processes: %s",
                             strerror(errno));
    ledger_note(device->ledger, LEDGER_PROFILE, (int)getpid(), "CUDA's context and kernels: a profile of the GPU");
    return 0;
}

/* The stand-ins have a folder from the first one on. */
static int
open_libraries(memmodel_device *device)
{
    return device->libraries.context ? 0 : libraries_open(&device->libraries, device->context);
}

int
memmodel_device_new(memmodel_context *context, const struct memmodel_device_options *options, memmodel_device **device)
{
    struct memmodel_device_options own;
    const struct gpu *gpu;
    struct ledger_gpu profile;
    memmodel_device *new;
    int status;

    if (!context || !device || !options)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = options_copy(context, "memmodel_device_options", options, &own, sizeof own);
    if (status || (status = check_options(context, &own)) != 0 ||
        (status = gpu_find(context, own.gpu ? own.gpu : "", &gpu)) != 0)
        return context_status(context, status);
    new = memory_allocate_zeroed(context, 1, sizeof *new);
    if (!new)
        return context_status(context, MEMMODEL_ERROR_NO_MEMORY);
    *new = (memmodel_device){.context = memmodel_context_ref(context), .references = 1, .descriptor = -1};
    profile = device_profile(gpu);
    status = open_ledger(new, &own, &profile);
    if (status)
        memmodel_device_unref(new);
    else
        *device = new;
    return context_status(context, status);
}

DEFINE_REF(memmodel_device)

void
memmodel_device_unref(memmodel_device *device)
{
    memmodel_context *context;

    if (!device || atomic_fetch_sub(&device->references, 1) != 1)
        return;
    context = device->context;
    libraries_close(&device->libraries);
    ledger_close(device->ledger);
    if (device->descriptor >= 0)
        close(device->descriptor);
    memory_release(context, device);
    memmodel_context_unref(context);
}

const char *
memmodel_device_name(const memmodel_device *device)
{
    return device ? ledger_gpu(device->ledger)->name : NULL;
}

int
memmodel_device_add_libraries(memmodel_device *device, const char *directory, int32_t *count)
{
    int32_t made = 0;
    int status;

    if (!device || !directory)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = open_libraries(device);
    if (!status)
        status = libraries_add(&device->libraries, directory, &made);
    if (!status && count)
        *count = made;
    return context_status(device->context, status);
}

int
memmodel_device_environment(memmodel_device *device, char **environment)
{
    struct text text;
    int status;

    if (!device || !environment)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = open_libraries(device);
    if (!status)
        status = libraries_finish(&device->libraries);
    if (status)
        return context_status(device->context, status);
    text = TEXT_INIT(device->context);
    text_printf(&text, "%s=/proc/%d/fd/%d\n", LEDGER_VARIABLE, (int)getpid(), device->descriptor);
    libraries_environment(&device->libraries, &text);
    return context_status(device->context, text_hand_out(&text, environment));
}

/* ---- what the ledger says ---- */

static void
add_use(const struct ledger_use *use, struct memmodel_device_usage *usage)
{
    usage->peak_context += use->at_peak[LEDGER_CONTEXT];
    usage->peak_allocator += use->at_peak[LEDGER_ALLOCATOR];
    usage->peak_other += use->at_peak[LEDGER_OTHER];
    if (use->allocated >= 0)
        usage->allocated = (usage->allocated < 0 ? 0 : usage->allocated) + use->allocated;
}

static struct memmodel_device_usage
usage_of(struct ledger *ledger, int32_t number, const struct ledger_device *found)
{
    struct memmodel_device_usage usage = {.size = sizeof usage,
                                          .capacity = found->capacity,
                                          .used = found->used,
                                          .high = found->high,
                                          .peak = found->peak,
                                          .wanted = found->wanted,
                                          .failures = found->failures,
                                          .process_count = (int32_t)found->ended_count,
                                          .allocated = -1};
    struct ledger_process process;

    add_use(&found->ended, &usage);
    for (int i = 0; ledger_process(ledger, i, &process); i++) {
        add_use(&process.use[number], &usage);
        usage.process_count += process.use[number].peak > 0;
    }
    return usage;
}

int
memmodel_device_get_usage(memmodel_device *device, int32_t index, struct memmodel_device_usage *usage)
{
    struct memmodel_device_usage own;
    struct ledger_device found;
    int status;

    if (!device)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = result_check(device->context, "memmodel_device_usage", usage);
    if (status)
        return context_status(device->context, status);
    ledger_reap(device->ledger);
    if (!ledger_device(device->ledger, index, true, &found))
        return context_status(device->context, context_error(device->context, MEMMODEL_ERROR_NOT_FOUND, "index",
                                                             "there is no device of that number"));
    own = usage_of(device->ledger, index, &found);
    result_copy(&own, sizeof own, usage);
    return context_status(device->context, 0);
}

static const enum memmodel_device_note_kind kinds[] = {
    [LEDGER_UNANSWERED] = MEMMODEL_DEVICE_NOTE_UNANSWERED,
    [LEDGER_MADE_UP] = MEMMODEL_DEVICE_NOTE_MADE_UP,
    [LEDGER_ASSUMED] = MEMMODEL_DEVICE_NOTE_ASSUMED,
    [LEDGER_PROFILE] = MEMMODEL_DEVICE_NOTE_PROFILE,
};

static bool
note_of(memmodel_device *device, int32_t number)
{
    int64_t lost = ledger_notes_lost(device->ledger);

    if (number != LEDGER_NOTES || lost == 0)
        return ledger_note_at(device->ledger, number, &device->note);
    device->note = (struct ledger_note){.kind = LEDGER_UNANSWERED, .count = lost};
    strcpy(device->note.text, "more notes, which found no room");
    return true;
}

int
memmodel_device_get_note(memmodel_device *device, int32_t index, struct memmodel_device_note *note)
{
    struct memmodel_device_note own = {.size = sizeof own};
    int status;

    if (!device)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = result_check(device->context, "memmodel_device_note", note);
    if (status)
        return context_status(device->context, status);
    if (!note_of(device, index))
        return context_status(device->context, context_error(device->context, MEMMODEL_ERROR_NOT_FOUND, "index",
                                                             "there is no note of that number"));
    own.kind = (int32_t)kinds[device->note.kind];
    own.process = device->note.pid;
    own.count = device->note.count;
    own.text = device->note.text;
    result_copy(&own, sizeof own, note);
    return context_status(device->context, 0);
}
