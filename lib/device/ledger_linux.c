/* The ledger: one mapping, one lock that outlives the process that held it (a robust mutex). */
#define _GNU_SOURCE
#include "device/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 2 };
static const char magic[8] = "mmledge";

struct ledger {
    char magic[8];
    int32_t version, device_count, process_count, note_count;
    int32_t overcommit, padding;
    int64_t notes_lost;
    pthread_mutex_t lock;
    struct ledger_gpu gpu;
    struct ledger_device devices[LEDGER_DEVICES];
    struct ledger_process processes[LEDGER_PROCESSES];
    struct ledger_note notes[LEDGER_NOTES];
};

static int64_t
sum_of(const struct ledger_use *use)
{
    int64_t sum = 0;

    for (int kind = 0; kind < LEDGER_KINDS; kind++)
        sum += use->bytes[kind];
    return sum;
}

/* What devices hold is what their processes hold. */
static void
count_again(struct ledger *ledger)
{
    for (int i = 0; i < ledger->device_count; i++) {
        ledger->devices[i].used = 0;
        for (int k = 0; k < ledger->process_count; k++)
            ledger->devices[i].used += sum_of(&ledger->processes[k].use[i]);
    }
}

/* A process that was killed while it held the lock may have left a change half done. */
static void
lock(struct ledger *ledger)
{
    if (pthread_mutex_lock(&ledger->lock) != EOWNERDEAD)
        return;
    count_again(ledger);
    pthread_mutex_consistent(&ledger->lock);
}

static void
unlock(struct ledger *ledger)
{
    pthread_mutex_unlock(&ledger->lock);
}

static int
make_lock(struct ledger *ledger)
{
    pthread_mutexattr_t shared;
    int error = pthread_mutexattr_init(&shared);

    if (error)
        return error;
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
    error = pthread_mutex_init(&ledger->lock, &shared);
    pthread_mutexattr_destroy(&shared);
    return error;
}

static struct ledger *
map(int descriptor)
{
    void *ledger = mmap(NULL, sizeof(struct ledger), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);

    return ledger == MAP_FAILED ? NULL : ledger;
}

struct ledger *
ledger_new(const struct ledger_gpu *gpu, int count, int64_t capacity, bool overcommit, int *descriptor)
{
    int file = memfd_create("memmodel-ledger", MFD_CLOEXEC);
    struct ledger *ledger = NULL;

    if (file < 0)
        return NULL;
    if (ftruncate(file, sizeof *ledger) == 0)
        ledger = map(file);
    if (!ledger || make_lock(ledger) != 0) {
        close(file);
        return NULL;
    }
    ledger->version = VERSION;
    ledger->device_count = count;
    ledger->overcommit = overcommit;
    ledger->gpu = *gpu;
    for (int i = 0; i < count; i++)
        ledger->devices[i] = (struct ledger_device){.capacity = capacity, .ended.allocated = -1};
    memcpy(ledger->magic, magic, sizeof magic);
    *descriptor = file;
    return ledger;
}

struct ledger *
ledger_open(const char *path)
{
    struct ledger *ledger;
    struct stat found;
    int file = open(path, O_RDWR | O_CLOEXEC);

    if (file < 0)
        return NULL;
    ledger = fstat(file, &found) == 0 && found.st_size == (off_t)sizeof *ledger ? map(file) : NULL;
    close(file);
    if (ledger && memcmp(ledger->magic, magic, sizeof magic) == 0 && ledger->version == VERSION)
        return ledger;
    ledger_close(ledger);
    errno = EINVAL;
    return NULL;
}

void
ledger_close(struct ledger *ledger)
{
    if (ledger)
        munmap(ledger, sizeof *ledger);
}

int
ledger_device_count(const struct ledger *ledger)
{
    return ledger->device_count;
}

const struct ledger_gpu *
ledger_gpu(const struct ledger *ledger)
{
    return &ledger->gpu;
}

/* ---- processes ---- */

static void
leave(struct ledger *ledger, struct ledger_process *process)
{
    process->ended = 1;
    for (int i = 0; i < ledger->device_count; i++)
        for (int kind = 0; kind < LEDGER_KINDS; kind++) {
            ledger->devices[i].used -= process->use[i].bytes[kind];
            process->use[i].bytes[kind] = 0;
        }
}

void
ledger_leave(struct ledger *ledger, int process)
{
    lock(ledger);
    leave(ledger, &ledger->processes[process]);
    unlock(ledger);
}

static void
reap(struct ledger *ledger)
{
    for (int i = 0; i < ledger->process_count; i++) {
        struct ledger_process *process = &ledger->processes[i];

        if (!process->ended && kill((pid_t)process->pid, 0) != 0 && errno == ESRCH)
            leave(ledger, process);
    }
}

/* What the report needs of a process that has ended: its part of the peaks. */
static void
keep_record(struct ledger *ledger, const struct ledger_process *process)
{
    for (int i = 0; i < ledger->device_count; i++) {
        struct ledger_device *device = &ledger->devices[i];
        const struct ledger_use *use = &process->use[i];

        for (int kind = 0; kind < LEDGER_KINDS; kind++)
            device->ended.at_peak[kind] += use->at_peak[kind];
        if (use->allocated >= 0)
            device->ended.allocated = (device->ended.allocated < 0 ? 0 : device->ended.allocated) + use->allocated;
        device->ended_count += use->peak > 0;
    }
}

/* A new place, or that of a process that has ended; -1 if all run. */
static int
free_place(struct ledger *ledger)
{
    if (ledger->process_count < LEDGER_PROCESSES)
        return ledger->process_count++;
    reap(ledger);
    for (int i = 0; i < LEDGER_PROCESSES; i++)
        if (ledger->processes[i].ended) {
            keep_record(ledger, &ledger->processes[i]);
            return i;
        }
    return -1;
}

int
ledger_enter(struct ledger *ledger, int pid, const char *name)
{
    int number;

    lock(ledger);
    number = free_place(ledger);
    if (number >= 0) {
        struct ledger_process *process = &ledger->processes[number];

        *process = (struct ledger_process){.pid = pid};
        snprintf(process->name, sizeof process->name, "%s", name);
        for (int i = 0; i < LEDGER_DEVICES; i++)
            process->use[i].allocated = -1;
    }
    unlock(ledger);
    return number;
}

void
ledger_reap(struct ledger *ledger)
{
    lock(ledger);
    reap(ledger);
    unlock(ledger);
}

/* ---- bytes ---- */

static void
note_peak(struct ledger *ledger, int number)
{
    struct ledger_device *device = &ledger->devices[number];

    if (device->used > device->high)
        device->high = device->used;
    if (device->used <= device->peak)
        return;
    device->peak = device->used;
    memset(device->ended.at_peak, 0, sizeof device->ended.at_peak);
    for (int i = 0; i < ledger->process_count; i++)
        memcpy(ledger->processes[i].use[number].at_peak, ledger->processes[i].use[number].bytes,
               sizeof ledger->processes[i].use[number].at_peak);
}

static bool
fits(struct ledger *ledger, const struct ledger_device *device, int64_t bytes)
{
    if (bytes <= 0 || bytes <= device->capacity - device->used)
        return true;
    reap(ledger);
    return bytes <= device->capacity - device->used;
}

bool
ledger_charge(struct ledger *ledger, int process, int number, enum ledger_kind kind, int64_t bytes)
{
    struct ledger_device *device = &ledger->devices[number];
    struct ledger_use *use;
    bool taken;

    if (process < 0)
        return false;
    use = &ledger->processes[process].use[number];
    lock(ledger);
    taken = fits(ledger, device, bytes);
    device->failures += !taken;
    if (device->used + bytes > device->wanted)
        device->wanted = device->used + bytes;
    taken = taken || ledger->overcommit;
    if (taken) {
        device->used += bytes;
        use->bytes[kind] += bytes;
        if (sum_of(use) > use->peak)
            use->peak = sum_of(use);
        note_peak(ledger, number);
    }
    unlock(ledger);
    return taken;
}

void
ledger_allocated(struct ledger *ledger, int process, int device, int64_t bytes)
{
    lock(ledger);
    ledger->processes[process].use[device].allocated = bytes;
    unlock(ledger);
}

int64_t
ledger_free_bytes(struct ledger *ledger, int device)
{
    int64_t bytes;

    lock(ledger);
    bytes = ledger->devices[device].capacity - ledger->devices[device].used;
    unlock(ledger);
    return bytes > 0 ? bytes : 0;
}

/* ---- notes ---- */

static struct ledger_note *
find_note(struct ledger *ledger, enum ledger_note_kind kind, const char *text)
{
    for (int i = 0; i < ledger->note_count; i++)
        if (ledger->notes[i].kind == (int32_t)kind && strncmp(ledger->notes[i].text, text, LEDGER_NOTE_BYTES - 1) == 0)
            return &ledger->notes[i];
    return NULL;
}

bool
ledger_note(struct ledger *ledger, enum ledger_note_kind kind, int pid, const char *text)
{
    struct ledger_note *note;
    bool is_new;

    lock(ledger);
    note = find_note(ledger, kind, text);
    is_new = !note;
    if (note) {
        note->count++;
    } else if (ledger->note_count < LEDGER_NOTES) {
        note = &ledger->notes[ledger->note_count++];
        *note = (struct ledger_note){.kind = (int32_t)kind, .pid = pid, .count = 1};
        snprintf(note->text, sizeof note->text, "%s", text);
    } else {
        ledger->notes_lost++;
    }
    unlock(ledger);
    return is_new;
}

/* ---- reading ---- */

bool
ledger_device(struct ledger *ledger, int number, bool reset, struct ledger_device *device)
{
    if (number < 0 || number >= ledger->device_count)
        return false;
    lock(ledger);
    *device = ledger->devices[number];
    if (reset)
        ledger->devices[number].high = device->used;
    unlock(ledger);
    return true;
}

bool
ledger_process(struct ledger *ledger, int number, struct ledger_process *process)
{
    bool found;

    lock(ledger);
    found = number >= 0 && number < ledger->process_count;
    if (found)
        *process = ledger->processes[number];
    unlock(ledger);
    return found;
}

bool
ledger_note_at(struct ledger *ledger, int number, struct ledger_note *note)
{
    bool found;

    lock(ledger);
    found = number >= 0 && number < ledger->note_count;
    if (found)
        *note = ledger->notes[number];
    unlock(ledger);
    return found;
}

int64_t
ledger_notes_lost(struct ledger *ledger)
{
    int64_t lost;

    lock(ledger);
    lost = ledger->notes_lost;
    unlock(ledger);
    return lost;
}
