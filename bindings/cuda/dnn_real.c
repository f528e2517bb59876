/*
 * The user's own cuDNN, asked without a device: cuDNN 9.8 and later take a descriptor of one, as JSON, in place of a handle
 * (NVIDIA cuDNN Backend, release notes of 9.8, "deviceless ahead-of-time compilation"). Its heuristics then choose
 * engines, and its plans say what they work in; nothing is executed.
 *
 * compared with calls recorded on an H200 with cuDNN 9.19 (test/data/pytorch_cuda): 9.26 says the same workspace for attention
 * in all of 20 calls, forward and backward. Trainings of 30 CNNs peak within 0.9 % of the recorded ones in the median, up
 * to 4.8 %, once the 64 MiB of cuBLAS that torch 2.15 gives back are counted.
 *
 * Seen: 9.10 (torch 2.8) and 9.26 (torch 2.15) take the description below. 9.1 (torch 2.6) has no such descriptor. The
 * keys are not documented; cuDNN names them where one is missing. 9.10 aborts where no cuBLASLt can be opened.
 */
#define _GNU_SOURCE
#include "dnn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_VARIABLE "MEMMODEL_CUDNN"

enum { VERSION_ASSUMED = 99900 }; /* at least what any framework was built with; 9.x */

static pthread_once_t opened = PTHREAD_ONCE_INIT, described = PTHREAD_ONCE_INIT;
static struct dnn_real real;
static bool has_device;
static size_t (*real_version)(void);
static void (*real_last_error)(char *, size_t);
static const char *(*real_status_text)(int);

/* dlsym() gives an object pointer where it means a function. */
static void
find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, sizeof found);
}

/* RTLD_LOCAL, as this library itself: calls of its own libraries among each other must not end here. */
static void
open_library(void)
{
    const char *path = getenv(PATH_VARIABLE);
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

    if (path && *path && !library)
        fprintf(stderr, "memmodel: cannot open cuDNN, named by %s: %s\n", PATH_VARIABLE, dlerror());
    if (!library)
        return;
    find(library, "cudnnBackendCreateDescriptor", &real.create);
    find(library, "cudnnBackendDestroyDescriptor", &real.destroy);
    find(library, "cudnnBackendFinalize", &real.finalize);
    find(library, "cudnnBackendSetAttribute", &real.set);
    find(library, "cudnnBackendGetAttribute", &real.get);
    find(library, "cudnnGetVersion", &real_version);
    find(library, "cudnnGetLastErrorString", &real_last_error);
    find(library, "cudnnGetErrorString", &real_status_text);
}

/* The simulated GPU; clocks and what is the same on all GPUs since Volta are one guess for all. */
static int
describe(char *json, size_t bytes)
{
    const struct ledger_gpu *gpu = device_gpu();

    return snprintf(
        json, bytes,
        "{\"deviceVer\":%d,\"driverVer\":13020,\"cudaDeviceId\":0,\"maxGridSize\":[2147483647,65535,65535],"
        "\"maxBlockSize\":[1024,1024,64],\"regsPerBlock\":65536,\"multiProcessorCount\":%d,\"smCountOrigin\":0,"
        "\"warpSize\":32,\"maxSharedMemoryPerBlock\":49152,\"maxSharedMemoryPerBlockOptin\":%lld,"
        "\"oversizedSharedMemoryPerBlock\":0,\"reservedSharedMemoryPerBlock\":1024,\"maxRegistersPerSM\":65536,"
        "\"maxCtasPerSM\":%d,\"maxThreadsPerBlock\":1024,\"maxThreadsPerSM\":%d,\"pciDeviceId\":0,"
        "\"isTccDriver\":0,\"supportCoopLaunch\":1,\"smClockRateKHz\":1980000,\"memClockRateKHz\":2619000,"
        "\"l2CacheSize\":%lld,\"totalGlobalMem\":%lld,\"deviceName\":\"%s\"}",
        MAJOR_OF_CAPABILITY * gpu->capability, gpu->processors, (long long)gpu->block_shared, gpu->processor_blocks,
        gpu->processor_threads, (long long)gpu->l2, (long long)gpu->memory, gpu->name);
}

static bool
make_device(void)
{
    enum { DEVICE_DESCRIPTIONS_FROM = 90800, TEXT = 2048 };
    char json[TEXT];
    int length = describe(json, sizeof json);

    if (!real.create || !real.destroy || !real.finalize || !real.set || !real.get)
        return false;
    if (!real_version || real_version() < DEVICE_DESCRIPTIONS_FROM || length < 0 || length >= TEXT)
        return false;
    return real.create(PART_DEVICE, &real.device) == DNN_SUCCESS &&
           real.set(real.device, DEVICE_JSON, TYPE_CHAR, length, json) == DNN_SUCCESS &&
           real.finalize(real.device) == DNN_SUCCESS;
}

static void
describe_device(void)
{
    pthread_once(&opened, open_library);
    has_device = make_device();
    if (has_device)
        note_profile(
            "cuDNN's workspaces are those that its own heuristics choose for the GPU as described, clocks guessed");
    else
        note_profile("cuDNN's workspaces are by rule or left out: there is no cuDNN from 9.8 on to ask");
}

const struct dnn_real *
dnn_real(void)
{
    pthread_once(&described, describe_device);
    return has_device ? &real : NULL;
}

size_t
dnn_version(void)
{
    pthread_once(&opened, open_library);
    return real_version ? real_version() : VERSION_ASSUMED;
}

bool
dnn_last_error(char *text, size_t bytes)
{
    enum { LONGEST = 2048 };
    char found[LONGEST] = "";

    pthread_once(&opened, open_library);
    if (!real_last_error)
        return false;
    real_last_error(found, sizeof found); /* which fills all of the room with zeros */
    found[LONGEST - 1] = 0;
    snprintf(text, bytes, "%s", found);
    return true;
}

const char *
dnn_status_text(int status)
{
    pthread_once(&opened, open_library);
    return real_status_text ? real_status_text(status) : NULL;
}
