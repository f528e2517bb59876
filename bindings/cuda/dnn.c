/* cuDNN: what programs ask of the library itself, and its graph interface, which the user's own cuDNN answers. */
#define _GNU_SOURCE
#include "dnn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what programs hold ---- */

static enum handle_kind
place_of(enum dnn_kind kind)
{
    return kind == DNN_HANDLE ? HANDLE_LIBRARY : HANDLE_DESCRIPTOR;
}

int
dnn_create(enum dnn_kind kind, void **out)
{
    int *object;

    if (!out)
        return DNN_BAD_PARAM;
    object = handle_new(place_of(kind));
    if (!object)
        return DNN_NO_HOST_MEMORY;
    *object = (int)kind;
    *out = object;
    return DNN_SUCCESS;
}

void *
dnn_get(const void *object, enum dnn_kind kind)
{
    int *found = handle_get(object, place_of(kind));

    return found && *found == (int)kind ? found : NULL;
}

int
dnn_destroy(void *object, enum dnn_kind kind)
{
    return dnn_get(object, kind) && handle_delete(object, place_of(kind)) ? DNN_SUCCESS : DNN_BAD_PARAM;
}

int64_t
dnn_element_bytes(int type)
{
    static const unsigned char bytes[DNN_TYPES] = {
        [DNN_FLOAT] = 4,   [DNN_DOUBLE] = 8,   [DNN_HALF] = 2,     [DNN_INT32] = 4, [DNN_INT8X4] = 4,
        [DNN_UINT8X4] = 4, [DNN_INT8X32] = 32, [DNN_BFLOAT16] = 2, [DNN_INT64] = 8,
    };

    if (type < 0 || type >= DNN_TYPES)
        return 0;
    return bytes[type] ? bytes[type] : 1;
}

/* ---- the library ---- */

enum { MAJOR_VERSION = 10000, MINOR_VERSION = 100, CUDART_VERSION_13 = 13000, MAX_DEVICE_VERSION = 1210 };

ANSWER(size_t, cudnnGetVersion, void)
{
    return dnn_version();
}

ANSWER(size_t, cudnnGetMaxDeviceVersion, void)
{
    return MAX_DEVICE_VERSION;
}

ANSWER(size_t, cudnnGetCudartVersion, void)
{
    return CUDART_VERSION_13;
}

ANSWER(int, cudnnGetProperty, int property, int *value)
{
    int version = (int)dnn_version();
    const int parts[] = {version / MAJOR_VERSION, version % MAJOR_VERSION / MINOR_VERSION, version % MINOR_VERSION};

    if (property < 0 || property >= (int)(sizeof parts / sizeof *parts) || !value)
        return DNN_BAD_PARAM;
    *value = parts[property];
    return DNN_SUCCESS;
}

ANSWER(const char *, cudnnGetErrorString, int status)
{
    enum { CATEGORY = 1000 };
    static const char *const categories[] = {"CUDNN_STATUS_SUCCESS",        "CUDNN_STATUS_NOT_INITIALIZED",
                                             "CUDNN_STATUS_BAD_PARAM",      "CUDNN_STATUS_NOT_SUPPORTED",
                                             "CUDNN_STATUS_INTERNAL_ERROR", "CUDNN_STATUS_EXECUTION_FAILED"};
    const char *text = dnn_status_text(status);
    int category = status / CATEGORY;

    if (text)
        return text;
    return status >= 0 && category < (int)(sizeof categories / sizeof *categories) ? categories[category]
                                                                                   : "CUDNN_STATUS_UNKNOWN";
}

ANSWER(void, cudnnGetLastErrorString, char *message, size_t bytes)
{
    if (message && bytes > 0 && !dnn_last_error(message, bytes))
        message[0] = 0;
}

ANSWER(int, cudnnQueryRuntimeError, const void *handle, int *status, int mode, void *tag)
{
    (void)mode, (void)tag;
    if (!dnn_is_handle(handle) || !status)
        return DNN_BAD_PARAM;
    *status = DNN_SUCCESS;
    return DNN_SUCCESS;
}

struct dnn_handle {
    int kind;
    void *stream;
};

ANSWER(int, cudnnCreate, void **handle)
{
    return dnn_create(DNN_HANDLE, handle);
}

ANSWER(int, cudnnDestroy, void *handle)
{
    return dnn_destroy(handle, DNN_HANDLE);
}

ANSWER(int, cudnnSetStream, void *handle, void *stream)
{
    struct dnn_handle *found = dnn_get(handle, DNN_HANDLE);

    if (!found)
        return DNN_BAD_PARAM;
    found->stream = stream;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetStream, void *handle, void **stream)
{
    struct dnn_handle *found = dnn_get(handle, DNN_HANDLE);

    if (!found || !stream)
        return DNN_BAD_PARAM;
    *stream = found->stream;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnGetCallback, unsigned *mask, void **data, void **function)
{
    if (!mask || !data || !function)
        return DNN_BAD_PARAM;
    *mask = 0;
    *data = NULL;
    *function = NULL;
    return DNN_SUCCESS;
}

/* ---- the graph interface ---- */

enum { MAX_ELEMENTS = 1 << 16 };

static struct dnn_graph_part *
part_of(const void *descriptor)
{
    return dnn_get(descriptor, DNN_GRAPH_PART);
}

/*
 * A pack of addresses is for execution, which is none. A plan would compile kernels, for seconds, or load them; what it
 * works in its engine's configuration says as well, and that is all that is asked of it. In 60 drawn convolutions and
 * in attention both said the same.
 */
static bool
is_ours(int type)
{
    return type == PART_VARIANT_PACK || type == PART_PLAN;
}

static int
make_part(struct dnn_graph_part *part, int type)
{
    const struct dnn_real *real = dnn_real();

    part->type = type;
    return real && !is_ours(type) ? real->create(type, &part->real) : DNN_SUCCESS;
}

ANSWER(int, cudnnBackendCreateDescriptor, int type, void **descriptor)
{
    void *made;
    int status = descriptor ? dnn_create(DNN_GRAPH_PART, &made) : DNN_BAD_PARAM;

    if (status != DNN_SUCCESS)
        return status;
    status = make_part(made, type);
    if (status != DNN_SUCCESS)
        dnn_destroy(made, DNN_GRAPH_PART);
    else
        *descriptor = made;
    return status;
}

ANSWER(int, cudnnBackendDestroyDescriptor, void *descriptor)
{
    struct dnn_graph_part *part = part_of(descriptor);
    void *real = part ? part->real : NULL;

    if (!part)
        return DNN_BAD_PARAM;
    plain_free(part);
    if (dnn_destroy(descriptor, DNN_GRAPH_PART) != DNN_SUCCESS)
        return DNN_BAD_PARAM;
    return real ? dnn_real()->destroy(real) : DNN_SUCCESS;
}

ANSWER(int, cudnnBackendInitialize, void *descriptor)
{
    return part_of(descriptor) ? DNN_SUCCESS : DNN_BAD_PARAM;
}

/* The real library's descriptors in place of ours. NULL with *status where one is none. */
static void **
real_parts(const void *elements, int64_t count, int *status)
{
    void *const *ours = elements;
    void **theirs = calloc((size_t)count, sizeof *theirs);

    *status = theirs ? DNN_SUCCESS : DNN_NO_HOST_MEMORY;
    for (int64_t i = 0; i < count && *status == DNN_SUCCESS; i++) {
        struct dnn_graph_part *part = part_of(ours[i]);

        theirs[i] = part ? part->real : NULL;
        if (!theirs[i])
            *status = DNN_BAD_PARAM;
    }
    if (*status == DNN_SUCCESS)
        return theirs;
    free(theirs);
    return NULL;
}

static int
set_parts(struct dnn_graph_part *part, int name, int64_t count, const void *elements)
{
    int status;
    void **parts = real_parts(elements, count, &status);

    if (parts)
        status = dnn_real()->set(part->real, name, TYPE_PART, count, parts);
    part->has_parts |= status == DNN_SUCCESS;
    free(parts);
    return status;
}

/* Of the configuration that a plan is made of. */
static int
ask_workspace(void *const *elements, int64_t count)
{
    struct dnn_graph_part *config = count == 1 ? part_of(elements[0]) : NULL;
    int64_t given = 0;

    if (!config || config->type != PART_ENGINE_CONFIG)
        return DNN_BAD_PARAM;
    if (!config->real)
        return DNN_SUCCESS;
    return dnn_real()->get(config->real, CONFIG_WORKSPACE, TYPE_INT64, 1, &given, &config->workspace);
}

static int
set_plan(struct dnn_graph_part *part, int name, int type, int64_t count, const void *elements)
{
    int status = name == PLAN_CONFIG && type == TYPE_PART ? ask_workspace(elements, count) : DNN_SUCCESS;

    return status == DNN_SUCCESS ? plain_set(part, name, type, count, elements) : status;
}

/* A handle stands for the device, which the real library gets in another way. */
static int
set_handle(struct dnn_graph_part *part, int64_t count, const void *elements)
{
    void *handle;

    if (count != 1)
        return DNN_BAD_PARAM;
    memcpy(&handle, elements, sizeof handle);
    if (!dnn_is_handle(handle))
        return DNN_BAD_PARAM;
    part->handle = handle;
    return DNN_SUCCESS;
}

ANSWER(int, cudnnBackendSetAttribute, void *descriptor, int name, int type, int64_t count, const void *elements)
{
    struct dnn_graph_part *part = part_of(descriptor);

    if (!part || count < 0 || count > MAX_ELEMENTS || (count > 0 && !elements))
        return DNN_BAD_PARAM;
    if (type == TYPE_HANDLE)
        return set_handle(part, count, elements);
    if (part->type == PART_VARIANT_PACK)
        return part->finalized ? DNN_NOT_SUPPORTED : DNN_SUCCESS;
    if (part->type == PART_PLAN)
        return set_plan(part, name, type, count, elements);
    if (!part->real)
        return plain_set(part, name, type, count, elements);
    if (type == TYPE_PART && count > 0)
        return set_parts(part, name, count, elements);
    return dnn_real()->set(part->real, name, type, count, elements);
}

static int
get_handle(const struct dnn_graph_part *part, int64_t wanted, int64_t *count, void *elements)
{
    if (wanted > 0)
        memcpy(elements, &part->handle, sizeof part->handle);
    if (count)
        *count = 1;
    return DNN_SUCCESS;
}

/* The real library fills in descriptors that the program has made; it does not replace them. */
static int
get_parts(const struct dnn_graph_part *part, int name, int64_t wanted, int64_t *count, void *elements)
{
    int status;
    void **parts = real_parts(elements, wanted, &status);

    if (parts)
        status = dnn_real()->get(part->real, name, TYPE_PART, wanted, count, parts);
    free(parts);
    return status;
}

/* Makes the plan in the real library for as long as it is asked. */
static int
ask_plan(void *config, int name, int type, int64_t wanted, int64_t *count, void *elements)
{
    const struct dnn_real *real = dnn_real();
    void *plan;
    int status = real->create(PART_PLAN, &plan);

    if (status != DNN_SUCCESS)
        return status;
    status = real->set(plan, PLAN_CONFIG, TYPE_PART, 1, &config);
    if (status == DNN_SUCCESS)
        status = real->set(plan, PLAN_DEVICE, TYPE_PART, 1, &real->device);
    if (status == DNN_SUCCESS)
        status = real->finalize(plan);
    if (status == DNN_SUCCESS)
        status = real->get(plan, name, type, wanted, count, elements);
    real->destroy(plan);
    return status;
}

/* Only what it is made of needs the plan itself: PyTorch 2.15 asks for that where it knows of engines that are wrong. */
static int
get_of_plan(const struct dnn_graph_part *part, int name, int type, int64_t room, int64_t *count, void *elements)
{
    const struct dnn_graph_part *config = plain_operand(part, PLAN_CONFIG);

    if (name == PLAN_JSON && config && config->real)
        return ask_plan(config->real, name, type, room, count, elements);
    return plain_get(part, name, type, room, count, elements);
}

/* Without room for elements the call only asks how many there are. */
ANSWER(int, cudnnBackendGetAttribute, void *descriptor, int name, int type, int64_t wanted, int64_t *count,
       void *elements)
{
    const struct dnn_graph_part *part = part_of(descriptor);
    int64_t room = elements ? wanted : 0;

    if (!part || wanted < 0 || wanted > MAX_ELEMENTS || (room == 0 && !count))
        return DNN_BAD_PARAM;
    if (type == TYPE_HANDLE)
        return get_handle(part, room, count, elements);
    if (part->type == PART_VARIANT_PACK)
        return DNN_NOT_SUPPORTED;
    if (part->type == PART_PLAN)
        return get_of_plan(part, name, type, room, count, elements);
    if (!part->real)
        return plain_get(part, name, type, room, count, elements);
    if (type == TYPE_PART && room > 0)
        return get_parts(part, name, room, count, elements);
    return dnn_real()->get(part->real, name, type, wanted, count, elements);
}

/* Where the real library wants to know the device, which it would have of a handle; 0 for all else. */
static int
device_attribute_of(int type)
{
    switch (type) {
    case PART_HEURISTIC:
        return HEURISTIC_DEVICE;
    case PART_ENGINE:
        return ENGINE_DEVICE;
    default:
        return 0;
    }
}

/* What is made of other descriptors; without them cuDNN 9.26 crashes. */
static bool
is_incomplete(const struct dnn_graph_part *part)
{
    switch (part->type) {
    case PART_ENGINE:
    case PART_ENGINE_CONFIG:
    case PART_HEURISTIC:
    case PART_GRAPH:
        return !part->has_parts;
    default:
        return false;
    }
}

ANSWER(int, cudnnBackendFinalize, void *descriptor)
{
    struct dnn_graph_part *part = part_of(descriptor);
    const struct dnn_real *real = dnn_real();
    int name, status;

    if (!part)
        return DNN_BAD_PARAM;
    part->finalized = true;
    if (part->type == PART_VARIANT_PACK)
        return DNN_SUCCESS;
    if (!part->real)
        return plain_finalize(part);
    if (is_incomplete(part))
        return DNN_BAD_PARAM;
    name = device_attribute_of(part->type);
    status = name ? real->set(part->real, name, TYPE_PART, 1, &real->device) : DNN_SUCCESS;
    return status == DNN_SUCCESS ? real->finalize(part->real) : status;
}

static bool
can_run(const void *handle, const void *plan, const void *pack)
{
    const struct dnn_graph_part *of_plan = part_of(plan), *of_pack = part_of(pack);

    return dnn_is_handle(handle) && of_plan && of_plan->type == PART_PLAN && of_pack &&
           of_pack->type == PART_VARIANT_PACK;
}

/* Nothing is executed. */
ANSWER(int, cudnnBackendExecute, void *handle, void *plan, void *pack)
{
    return can_run(handle, plan, pack) ? DNN_SUCCESS : DNN_BAD_PARAM;
}

ANSWER(int, cudnnBackendPopulateCudaGraph, void *handle, void *plan, void *pack, void *graph)
{
    return can_run(handle, plan, pack) && graph ? DNN_SUCCESS : DNN_BAD_PARAM;
}

ANSWER(int, cudnnBackendUpdateCudaGraph, void *handle, void *plan, void *pack, void *graph)
{
    return can_run(handle, plan, pack) && graph ? DNN_SUCCESS : DNN_BAD_PARAM;
}

ANSWER(int, cudnnGetExecutionPlanWorkspaceSize, void *handle, void *plan, void *pack, size_t *bytes)
{
    int64_t count = 0, workspace = 0;
    int status;

    if (!can_run(handle, plan, pack) || !bytes)
        return DNN_BAD_PARAM;
    status = cudnnBackendGetAttribute(plan, PLAN_WORKSPACE, TYPE_INT64, 1, &count, &workspace);
    if (status == DNN_SUCCESS)
        *bytes = (size_t)workspace;
    return status;
}
