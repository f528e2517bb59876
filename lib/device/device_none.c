/* Simulated GPUs where there are none: on systems other than Linux. */
#include "memmodel/device.h"

#include "base/context.h"

int
memmodel_device_new(memmodel_context *context, const struct memmodel_device_options *options, memmodel_device **device)
{
    if (!context || !device || !options)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return context_status(context, context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "device",
                                                 "simulated GPUs are there on Linux only"));
}

int
memmodel_device_add_libraries(memmodel_device *device, const char *directory, int32_t *count)
{
    (void)device;
    (void)directory;
    (void)count;
    return MEMMODEL_ERROR_INVALID_ARGUMENT;
}

int
memmodel_device_environment(memmodel_device *device, char **environment)
{
    (void)device;
    (void)environment;
    return MEMMODEL_ERROR_INVALID_ARGUMENT;
}

int
memmodel_device_get_usage(memmodel_device *device, int32_t index, struct memmodel_device_usage *usage)
{
    (void)device;
    (void)index;
    (void)usage;
    return MEMMODEL_ERROR_INVALID_ARGUMENT;
}

int
memmodel_device_get_note(memmodel_device *device, int32_t index, struct memmodel_device_note *note)
{
    (void)device;
    (void)index;
    (void)note;
    return MEMMODEL_ERROR_INVALID_ARGUMENT;
}

const char *
memmodel_device_name(const memmodel_device *device)
{
    (void)device;
    return NULL;
}

memmodel_device *
memmodel_device_ref(memmodel_device *device)
{
    return device;
}

void
memmodel_device_unref(memmodel_device *device)
{
    (void)device;
}
