/* The frameworks by name: a row each. */
#include "frameworks/framework.h"

#include "base/text.h"
#include "frameworks/spelling.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/*
 * A PyTorch process besides its tensors: interpreter, libraries, kernels made on first use. Resident bytes of PyTorch
 * 2.13.0 (CPU build, Python 3.11) after three steps of a tiny network, 328.8 to 329.1 MB in four runs of
 * test/frameworks/process_base.py, of which 2 MB are free in its heap. What the C library's allocator keeps beyond live
 * tensors comes on top.
 */
#define PYTORCH_PROCESS_BYTES INT64_C(329000000)

/*
 * A TensorFlow process besides its tensors: interpreter, numpy, TensorFlow and Keras imported, one operation run.
 * Resident bytes of tensorflow-cpu 2.21.0 with Keras 3.15.1 and Python 3.11.7 on Linux x86-64.
 */
#define TENSORFLOW_PROCESS_BYTES INT64_C(517200000)

/*
 * A process with numpy and onnxruntime 1.31.1 imported, after three runs of a tiny network: resident bytes on Linux
 * x86-64 with Python 3.11.
 */
#define ONNXRUNTIME_PROCESS_BYTES INT64_C(57500000)

/*
 * PyTorch on a CPU: c10/core/impl/alloc_cpu.cpp asks posix_memalign() for gAlignment, 64 bytes.
 * TensorFlow: one draw differs from the mean by 1.7 % (3-D U-Nets), the mean of 45 by 0.3 %.
 */
static const struct framework frameworks[] = {
    {
        .name = "pytorch",
        .simulate = pytorch_simulate,
        .settled_step = pytorch_settled_step,
        .run_operator = pytorch_run_operator,
        .draws = 1,
        .options = FRAMEWORK_PRECISION | FRAMEWORK_CHECKPOINT | FRAMEWORK_ACCUMULATION | FRAMEWORK_KEPT_GRADIENTS |
                   FRAMEWORK_GPU | FRAMEWORK_VERSION | FRAMEWORK_PARALLEL,
        .versions = {.oldest = "2.6", .newest = "2.15"},
        .process_bytes = PYTORCH_PROCESS_BYTES,
        .memory = {{"cpu", "exact", "glibc", "alignment:64"}, {"cuda", "cuda_caching", NULL, NULL}},
    },
    {
        .name = "onnxruntime",
        .simulate = onnxruntime_simulate,
        .draws = 1,
        .options = FRAMEWORK_GRAPH_OPTIMIZATION,
        .process_bytes = ONNXRUNTIME_PROCESS_BYTES,
        .grows_in_jumps = true,
        .memory = {{"cpu", "onnxruntime", NULL, NULL}},
    },
    {
        .name = "tensorflow",
        .simulate = tensorflow_simulate,
        .draws = FRAMEWORK_MAX_DRAWS,
        .options = FRAMEWORK_BASE_BYTES,
        .process_bytes = TENSORFLOW_PROCESS_BYTES,
        .process_simulated = true,
        .grows_in_jumps = true,
        .memory = {{"cpu", "bfc", NULL, NULL}},
    },
    {.name = "textbook"},
};

enum { FRAMEWORKS = sizeof frameworks / sizeof frameworks[0] };

static int
unknown(memmodel_context *context, const char *name)
{
    struct text names = TEXT_INIT(context);
    int status;

    for (size_t i = 0; i < FRAMEWORKS; i++)
        text_printf(&names, "%s%s", i == 0 ? "" : i + 1 < FRAMEWORKS ? ", " : " and ", frameworks[i].name);
    status = context_error(context, MEMMODEL_ERROR_UNSUPPORTED, name, "unknown framework; known are %s",
                           names.failed ? "others" : names.bytes);
    text_release(&names);
    return status;
}

const struct framework *
framework_named(const char *name)
{
    name = spelling_framework(name);
    for (size_t i = 0; i < FRAMEWORKS; i++)
        if (strcmp(frameworks[i].name, name) == 0)
            return &frameworks[i];
    return NULL;
}

int
framework_find(memmodel_context *context, const char *name, const struct framework **framework)
{
    *framework = framework_named(name);
    return *framework ? 0 : unknown(context, name);
}

const struct framework *
framework_with(enum framework_option option)
{
    size_t i = 0;

    while (i + 1 < FRAMEWORKS && !(frameworks[i].options & option))
        i++;
    return &frameworks[i];
}

int
version_number(const char *text)
{
    char *end;
    long major, minor;

    if (!isdigit((unsigned char)text[0]))
        return -1;
    major = strtol(text, &end, 10);
    if (end[0] != '.' || !isdigit((unsigned char)end[1]))
        return -1;
    minor = strtol(end + 1, &end, 10);
    return major < VERSION(1, 0) && minor < VERSION(1, 0) ? VERSION((int)major, (int)minor) : -1;
}

int
framework_check_version(memmodel_context *context, const struct framework *framework, const char *version)
{
    int number = version_number(version);

    if (!framework->versions.oldest)
        return 0;
    if (number < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "framework_version",
                             "'%s' is no version, such as %s", version, framework->versions.newest);
    if (number < version_number(framework->versions.oldest))
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, version, "%s is known from %s to %s", framework->name,
                             framework->versions.oldest, framework->versions.newest);
    return 0;
}

bool
framework_is_newer(const struct framework *framework, const char *version)
{
    return framework->versions.newest && version_number(version) > version_number(framework->versions.newest);
}

const struct framework_memory *
framework_memory_on(const struct framework *framework, const char *device)
{
    for (int i = 0; i < FRAMEWORK_DEVICES && framework->memory[i].device; i++)
        if (strcmp(framework->memory[i].device, device) == 0)
            return &framework->memory[i];
    return NULL;
}
