/* The devices of this run as its ledger has them, and this process's place in it. */
#define _GNU_SOURCE
#include "device.h"

#include "ledger_of_process.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ledger *ledger;
static int process = -1; /* its number in the ledger, from its first charge to its end */
static bool has_left;
static bool has_context[LEDGER_DEVICES], has_modules[LEDGER_DEVICES];
static _Thread_local int current;

/* What the parent holds stays the parent's. */
static void
begin_anew(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    process = -1;
    has_left = false;
    memset(has_context, 0, sizeof has_context);
    memset(has_modules, 0, sizeof has_modules);
}

static void
attach(void)
{
    const char *path = getenv(LEDGER_VARIABLE), *off = getenv("MEMMODEL_CUDA");

    if (!path || !*path || (off && strcmp(off, "0") == 0))
        return;
    ledger = ledger_open(path);
    if (!ledger)
        fprintf(stderr, "memmodel: %s=%s is no ledger of simulated GPUs: there are none\n", LEDGER_VARIABLE, path);
    else
        pthread_atfork(NULL, NULL, begin_anew);
}

struct ledger *
device_ledger(void)
{
    pthread_once(&once, attach);
    return ledger;
}

__attribute__((destructor)) static void
leave(void)
{
    pthread_mutex_lock(&lock);
    if (ledger && process >= 0)
        ledger_leave(ledger, process);
    process = -1;
    has_left = true;
    pthread_mutex_unlock(&lock);
}

/* This process's number in the ledger; -1 where it cannot have one. */
int
ledger_of_process(void)
{
    char name[LEDGER_NAME_BYTES] = "";
    FILE *file;

    pthread_mutex_lock(&lock);
    if (process < 0 && !has_left && device_ledger()) {
        file = fopen("/proc/self/comm", "re");
        if (!file || !fgets(name, sizeof name, file))
            name[0] = 0;
        if (file)
            fclose(file);
        name[strcspn(name, "\n")] = 0;
        process = ledger_enter(ledger, (int)getpid(), name);
    }
    pthread_mutex_unlock(&lock);
    return process;
}

int
device_all(void)
{
    return device_ledger() ? ledger_device_count(ledger) : 0;
}

/* ---- those that CUDA_VISIBLE_DEVICES leaves, in its order: CUDA C++ Programming Guide, "CUDA Environment Variables" ---- */

static pthread_once_t looked = PTHREAD_ONCE_INIT;
static int places[LEDGER_DEVICES], place_count;

/* The device of a number or of the beginning of an identity, or -1. */
static int
place_of(const char *word)
{
    char identity[DEVICE_IDENTITY_BYTES];
    char *end;
    long number = strtol(word, &end, 10);

    if (end != word && *end == 0)
        return number >= 0 && number < device_all() ? (int)number : -1;
    for (int i = 0; i < device_all(); i++) {
        device_identity(i, identity);
        if (*word && strncmp(identity, word, strlen(word)) == 0)
            return i;
    }
    return -1;
}

/* The first word that is no device ends the list. */
static void
look(void)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    char copy[1024], *word, *rest = copy;

    for (int i = 0; !list && i < device_all(); i++)
        places[place_count++] = i;
    if (!list)
        return;
    snprintf(copy, sizeof copy, "%s", list);
    while ((word = strsep(&rest, ",")) != NULL && place_count < LEDGER_DEVICES) {
        int place = place_of(word + strspn(word, " "));

        if (place < 0)
            break;
        places[place_count++] = place;
    }
}

int
device_count(void)
{
    if (device_ledger())
        pthread_once(&looked, look);
    return place_count;
}

int
device_place(int device)
{
    return places[device];
}

void
device_identity(int place, char text[DEVICE_IDENTITY_BYTES])
{
    unsigned char bytes[DEVICE_UUID_BYTES];

    device_uuid(place, bytes);
    snprintf(text, DEVICE_IDENTITY_BYTES, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
             bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]);
}

void
device_uuid(int place, unsigned char uuid[DEVICE_UUID_BYTES])
{
    enum { FIRST = 0x40 };

    for (int i = 0; i < DEVICE_UUID_BYTES; i++)
        uuid[i] = (unsigned char)(FIRST + i + place);
}

const struct ledger_gpu *
device_gpu(void)
{
    static const struct ledger_gpu none;

    return device_ledger() ? ledger_gpu(ledger) : &none;
}

int
device_current(void)
{
    return current;
}

bool
device_select(int device)
{
    if (device < 0 || device >= device_count())
        return false;
    current = device;
    return true;
}

/* True the first time for this process and device. */
static bool
is_first(bool *done)
{
    bool first;

    pthread_mutex_lock(&lock);
    first = !*done;
    *done = true;
    pthread_mutex_unlock(&lock);
    return first;
}

void
device_enter(int device)
{
    if (device_count() > 0 && is_first(&has_context[device]))
        ledger_charge(ledger, ledger_of_process(), device_place(device), LEDGER_CONTEXT, device_gpu()->context_bytes);
}

bool
device_has_context(int device)
{
    return has_context[device];
}

void
device_load_modules(int device)
{
    device_enter(device);
    if (device_count() > 0 && is_first(&has_modules[device]))
        ledger_charge(ledger, ledger_of_process(), device_place(device), LEDGER_CONTEXT, device_gpu()->module_bytes);
}

int64_t
device_free_bytes(int device)
{
    return device_count() > 0 ? ledger_free_bytes(ledger, device_place(device)) : 0;
}

int64_t
device_capacity(int device)
{
    struct ledger_device found = {0};

    if (device_count() > 0)
        ledger_device(ledger, device_place(device), false, &found);
    return found.capacity;
}

/* ---- attributes, by CUdevice_attribute, whose numbers cudaDeviceAttr has as well ---- */

struct attribute {
    int number, value;
};

/* What all of NVIDIA's GPUs since Volta have: CUDA C++ Programming Guide, table of technical specifications. */
static const struct attribute common[] = {
    {1, 1024}, /* threads of a block */
    {2, 1024},        {3, 1024},
    {4, 64}, /* and along its axes */
    {5, 2147483647},  {6, 65535},
    {7, 65535},                   /* blocks of a grid along its axes */
    {8, 49152},                   /* shared memory of a block */
    {9, 65536},                   /* constant memory */
    {10, 32},                     /* threads of a warp */
    {11, 2147483647},             /* pitch */
    {12, 65536},                  /* registers of a block */
    {13, 1980000},                /* clock, kHz */
    {14, 512},                    /* alignment of textures */
    {15, 1},                      /* copies and kernels at the same time */
    {19, 1},                      /* host memory can be mapped */
    {31, 1},                      /* kernels at the same time */
    {32, 1},                      /* error correction */
    {36, 2619000},    {37, 5120}, /* memory: clock, kHz; width, bits */
    {40, 3},                      /* engines for copies */
    {41, 1},                      /* unified addresses */
    {78, 1},                      /* stream priorities */
    {79, 1},          {80, 1},    /* caching of global and local memory */
    {82, 65536},                  /* registers of a multiprocessor */
    {83, 1},                      /* managed memory */
    {86, 1},                      /* native atomics of the host */
    {89, 1},          {90, 1},
    {91, 1},                    /* managed memory from both sides, preemption, registered memory by its address */
    {95, 1},                    /* cooperative launches */
    {99, 1},                    /* registration of host memory */
    {102, 1},         {103, 1}, /* virtual memory, shared by file descriptors */
    {111, 1024},                /* shared memory of a block that the system has */
    {115, 1},                   /* memory pools */
};

int
device_attribute(int number, int device)
{
    enum {
        BUS = 33,
        L2 = 38,
        PROCESSORS = 16,
        PROCESSOR_THREADS = 39,
        MAJOR = 75,
        MINOR = 76,
        PROCESSOR_SHARED = 81,
        BLOCK_SHARED = 97,
        PROCESSOR_BLOCKS = 106,
        CLUSTERS = 120,
        HOPPER = 90
    };
    const struct ledger_gpu *gpu = device_gpu();

    switch (number) {
    case BUS:
        return 1 + device;
    case L2:
        return (int)gpu->l2;
    case PROCESSORS:
        return gpu->processors;
    case PROCESSOR_THREADS:
        return gpu->processor_threads;
    case PROCESSOR_BLOCKS:
        return gpu->processor_blocks;
    case PROCESSOR_SHARED:
        return (int)gpu->processor_shared;
    case BLOCK_SHARED:
        return (int)gpu->block_shared;
    case MAJOR:
        return gpu->capability / MAJOR_OF_CAPABILITY;
    case MINOR:
        return gpu->capability % MAJOR_OF_CAPABILITY;
    case CLUSTERS:
        return gpu->capability >= HOPPER;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (common[i].number == number)
            return common[i].value;
    return 0;
}
