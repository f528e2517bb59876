/* The CUDA runtime: streams, events and graphs. Work is done as soon as it is asked for. */
#include "runtime.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

enum { FIRST_REAL_STREAM = 3 }; /* 0, 1 and 2 stand for the default streams */

static unsigned long long
next_number(void)
{
    static unsigned long long last;

    return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* A default stream that is NULL or one of the small numbers has no record. */
static struct stream *
stream_of(const void *stream)
{
    return handle_get(stream, HANDLE_STREAM);
}

static bool
is_stream(const void *stream)
{
    return (uintptr_t)stream < FIRST_REAL_STREAM || stream_of(stream) != NULL;
}

static int
check_stream(const void *stream)
{
    return is_stream(stream) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_HANDLE);
}

/* ---- streams ---- */

ANSWER(int, cudaStreamCreateWithPriority, void **stream, unsigned flags, int priority)
{
    struct stream *made;

    if (!stream)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (device_count() == 0)
        return runtime_fail(RUNTIME_NO_DEVICE);
    device_enter(device_current());
    made = handle_new(HANDLE_STREAM);
    if (!made)
        return runtime_fail(RUNTIME_OUT_OF_MEMORY);
    *made = (struct stream){.device = device_current(), .priority = priority, .flags = flags, .id = next_number()};
    *stream = made;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaStreamCreateWithFlags, void **stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

ANSWER(int, cudaStreamCreate, void **stream)
{
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

ANSWER(int, cudaStreamDestroy, void *stream)
{
    return handle_delete(stream, HANDLE_STREAM) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_HANDLE);
}

ANSWER(int, cudaStreamSynchronize, void *stream)
{
    return check_stream(stream);
}

ANSWER(int, cudaStreamQuery, void *stream)
{
    return check_stream(stream);
}

ANSWER(int, cudaStreamWaitEvent, void *stream, void *event, unsigned flags)
{
    if (!handle_get(event, HANDLE_EVENT))
        return runtime_fail(RUNTIME_INVALID_HANDLE);
    return check_stream(stream);
}

ANSWER(int, cudaStreamGetPriority, void *stream, int *priority)
{
    const struct stream *found = stream_of(stream);

    if (!priority)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *priority = found ? found->priority : 0;
    return check_stream(stream);
}

ANSWER(int, cudaStreamGetFlags, void *stream, unsigned *flags)
{
    const struct stream *found = stream_of(stream);

    if (!flags)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *flags = found ? found->flags : 0;
    return check_stream(stream);
}

ANSWER(int, cudaStreamGetDevice, void *stream, int *device)
{
    const struct stream *found = stream_of(stream);

    if (!device)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *device = found ? found->device : device_current();
    return check_stream(stream);
}

ANSWER(int, cudaStreamGetId, void *stream, unsigned long long *id)
{
    const struct stream *found = stream_of(stream);

    if (!id)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *id = found ? found->id : 0;
    return check_stream(stream);
}

/* ---- what a stream calls back ---- */

ANSWER(int, cudaLaunchHostFunc, void *stream, void (*function)(void *), void *data)
{
    if (!function || !is_stream(stream))
        return runtime_fail(RUNTIME_INVALID_VALUE);
    function(data);
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaStreamAddCallback, void *stream, void (*function)(void *, int, void *), void *data, unsigned flags)
{
    if (!function || !is_stream(stream))
        return runtime_fail(RUNTIME_INVALID_VALUE);
    function(stream, RUNTIME_SUCCESS, data);
    return RUNTIME_SUCCESS;
}

/* ---- events ---- */

struct event {
    double time; /* of its record. @unit seconds */
};

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int
check_event(const void *event)
{
    return handle_get(event, HANDLE_EVENT) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_HANDLE);
}

ANSWER(int, cudaEventCreateWithFlags, void **event, unsigned flags)
{
    if (!event)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (device_count() == 0)
        return runtime_fail(RUNTIME_NO_DEVICE);
    *event = handle_new(HANDLE_EVENT);
    return *event ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_OUT_OF_MEMORY);
}

ANSWER(int, cudaEventCreate, void **event)
{
    return cudaEventCreateWithFlags(event, 0);
}

ANSWER(int, cudaEventDestroy, void *event)
{
    return handle_delete(event, HANDLE_EVENT) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_HANDLE);
}

ANSWER(int, cudaEventRecordWithFlags, void *event, void *stream, unsigned flags)
{
    struct event *found = handle_get(event, HANDLE_EVENT);

    if (!found)
        return runtime_fail(RUNTIME_INVALID_HANDLE);
    found->time = now();
    return check_stream(stream);
}

ANSWER(int, cudaEventRecord, void *event, void *stream)
{
    return cudaEventRecordWithFlags(event, stream, 0);
}

ANSWER(int, cudaEventQuery, void *event)
{
    return check_event(event);
}

ANSWER(int, cudaEventSynchronize, void *event)
{
    return check_event(event);
}

ANSWER(int, cudaEventElapsedTime, float *milliseconds, void *start, void *end)
{
    const struct event *first = handle_get(start, HANDLE_EVENT), *second = handle_get(end, HANDLE_EVENT);

    if (!milliseconds || !first || !second)
        return runtime_fail(milliseconds ? RUNTIME_INVALID_HANDLE : RUNTIME_INVALID_VALUE);
    *milliseconds = (float)((second->time - first->time) * 1e3);
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaEventElapsedTime_v2, float *milliseconds, void *start, void *end)
{
    return cudaEventElapsedTime(milliseconds, start, end);
}

ANSWER(int, cudaIpcGetEventHandle, void *handle, void *event)
{
    enum { BYTES = 64 };

    if (!handle || !handle_get(event, HANDLE_EVENT))
        return runtime_fail(RUNTIME_INVALID_VALUE);
    memset(handle, 0, BYTES);
    return RUNTIME_SUCCESS;
}

struct event_handle {
    unsigned char bytes[64];
};

ANSWER(int, cudaIpcOpenEventHandle, void **event, struct event_handle handle)
{
    return cudaEventCreateWithFlags(event, 0);
}

/* ---- graphs: how many nodes they have is all that is kept ---- */

struct graph {
    int64_t nodes;
};

void
runtime_launched(const void *stream)
{
    struct stream *found = stream_of(stream);

    device_enter(device_current());
    if (found && found->capture)
        found->nodes++;
}

ANSWER(int, cudaStreamBeginCapture, void *stream, int mode)
{
    struct stream *found = stream_of(stream);

    if (!found)
        return runtime_fail(RUNTIME_INVALID_HANDLE);
    found->capture = next_number();
    found->nodes = 0;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaStreamBeginCaptureToGraph, void *stream, void *graph, const void *nodes, const void *edges,
       size_t count, int mode)
{
    return cudaStreamBeginCapture(stream, mode);
}

ANSWER(int, cudaGraphCreate, void **graph, unsigned flags)
{
    if (!graph)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *graph = handle_new(HANDLE_GRAPH);
    return *graph ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_OUT_OF_MEMORY);
}

ANSWER(int, cudaStreamEndCapture, void *stream, void **graph)
{
    struct stream *found = stream_of(stream);
    int status;

    if (!found || !graph)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    status = cudaGraphCreate(graph, 0);
    if (status == RUNTIME_SUCCESS)
        ((struct graph *)*graph)->nodes = found->nodes;
    found->capture = 0;
    return status;
}

ANSWER(int, cudaStreamIsCapturing, void *stream, int *status)
{
    const struct stream *found = stream_of(stream);

    if (!status)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *status = found && found->capture;
    return check_stream(stream);
}

/* CUDA 12's first form ends after `id`, and its second has no `edges`. */
static int
capture_info(void *stream, int *status, unsigned long long *id, void **graph, const void **nodes, const void **edges,
             size_t *count)
{
    const struct stream *found = stream_of(stream);

    if (id && found)
        *id = found->capture;
    if (graph)
        *graph = NULL;
    if (nodes)
        *nodes = NULL;
    if (edges)
        *edges = NULL;
    if (count)
        *count = 0;
    return cudaStreamIsCapturing(stream, status);
}

ANSWER(int, cudaStreamGetCaptureInfo, void *stream, int *status, unsigned long long *id, void **graph,
       const void **nodes, const void **edges, size_t *count)
{
    if (runtime_version() < RUNTIME_13)
        return capture_info(stream, status, id, NULL, NULL, NULL, NULL);
    return capture_info(stream, status, id, graph, nodes, edges, count);
}

ANSWER(int, cudaStreamGetCaptureInfo_v2, void *stream, int *status, unsigned long long *id, void **graph,
       const void **nodes, size_t *count)
{
    return capture_info(stream, status, id, graph, nodes, NULL, count);
}

ANSWER(int, cudaStreamGetCaptureInfo_v3, void *stream, int *status, unsigned long long *id, void **graph,
       const void **nodes, const void **edges, size_t *count)
{
    return capture_info(stream, status, id, graph, nodes, edges, count);
}

ANSWER(int, cudaThreadExchangeStreamCaptureMode, int *mode)
{
    static _Thread_local int current;
    int before = current;

    if (!mode)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    current = *mode;
    *mode = before;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaGraphGetNodes, void *graph, void **nodes, size_t *count)
{
    const struct graph *found = handle_get(graph, HANDLE_GRAPH);

    if (!count || !found)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    for (size_t i = 0; nodes && i < *count && i < (size_t)found->nodes; i++)
        nodes[i] = NULL;
    *count = (size_t)found->nodes;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaGraphNodeGetDependencies, void *node, void **nodes, void *edges, size_t *count)
{
    size_t *counted = runtime_version() < RUNTIME_13 ? edges : count;

    if (!counted)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *counted = 0;
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaGraphInstantiate, void **executable, void *graph, unsigned long long flags)
{
    if (!executable || !handle_get(graph, HANDLE_GRAPH))
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *executable = handle_new(HANDLE_GRAPH_EXEC);
    return *executable ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_OUT_OF_MEMORY);
}

ANSWER(int, cudaGraphInstantiateWithFlags, void **executable, void *graph, unsigned long long flags)
{
    return cudaGraphInstantiate(executable, graph, flags);
}

ANSWER(int, cudaGraphDestroy, void *graph)
{
    return handle_delete(graph, HANDLE_GRAPH) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_VALUE);
}

ANSWER(int, cudaGraphExecDestroy, void *executable)
{
    return handle_delete(executable, HANDLE_GRAPH_EXEC) ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_INVALID_VALUE);
}

ANSWER(int, cudaGraphLaunch, void *executable, void *stream)
{
    if (!handle_get(executable, HANDLE_GRAPH_EXEC))
        return runtime_fail(RUNTIME_INVALID_VALUE);
    return check_stream(stream);
}

ANSWER(int, cudaGraphAddNode, void **node, void *graph)
{
    struct graph *found = handle_get(graph, HANDLE_GRAPH);

    if (!node || !found)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *node = handle_new(HANDLE_NODE);
    found->nodes += *node != NULL;
    return *node ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_OUT_OF_MEMORY);
}

ANSWER(int, cudaGraphConditionalHandleCreate, unsigned long long *handle, void *graph, unsigned value, unsigned flags)
{
    if (!handle || !handle_get(graph, HANDLE_GRAPH))
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *handle = next_number();
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaUserObjectCreate, void **object, void *data, void (*destroy)(void *), unsigned count, unsigned flags)
{
    if (!object)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    *object = handle_new(HANDLE_OTHER);
    return *object ? RUNTIME_SUCCESS : runtime_fail(RUNTIME_OUT_OF_MEMORY);
}

/* ---- for programs with a default stream of each thread ---- */

PER_THREAD(cudaStreamSynchronize, ptsz)
PER_THREAD(cudaStreamQuery, ptsz)
PER_THREAD(cudaStreamWaitEvent, ptsz)
PER_THREAD(cudaStreamGetPriority, ptsz)
PER_THREAD(cudaStreamGetFlags, ptsz)
PER_THREAD(cudaStreamGetDevice, ptsz)
PER_THREAD(cudaStreamGetId, ptsz)
PER_THREAD(cudaLaunchHostFunc, ptsz)
PER_THREAD(cudaStreamAddCallback, ptsz)
PER_THREAD(cudaEventRecordWithFlags, ptsz)
PER_THREAD(cudaEventRecord, ptsz)
PER_THREAD(cudaStreamBeginCapture, ptsz)
PER_THREAD(cudaStreamBeginCaptureToGraph, ptsz)
PER_THREAD(cudaStreamEndCapture, ptsz)
PER_THREAD(cudaStreamIsCapturing, ptsz)
PER_THREAD(cudaStreamGetCaptureInfo, ptsz)
PER_THREAD(cudaGraphLaunch, ptsz)
