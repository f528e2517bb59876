/* memmodel_serve_min(): how many GPUs it takes. */
#include "base/environment.h"
#include "memmodel/job.h"
#include "serving/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SIZE = 1024, MESH_TEXT = MESH_MAX_AXES * (MESH_NAME_BYTES + 16) };

static const char *const axes[] = {"dp", "pp", "tp", "ep", NULL};

static int
check_axis(memmodel_context *context, const char *axis)
{
    if (strcmp(axis, "tp") == 0 || strcmp(axis, "pp") == 0)
        return 0;
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "axis",
                         "there is no \"%.40s\" to solve for; there are tp and pp", axis);
}

static int
check_memory(memmodel_context *context, const struct memmodel_serve_options *options)
{
    if (options->gpu || options->gpu_bytes || options->cache_bytes)
        return 0;
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "gpu",
                         "in which GPU is it to fit? Give its kind or its bytes");
}

/* The other axes as they are. */
static void
write_mesh(const struct mesh *mesh, const char *axis, int64_t size, char text[MESH_TEXT])
{
    int length = snprintf(text, MESH_TEXT, "%s=%" PRId64, axis, size);

    for (size_t i = 0; i < mesh->count; i++)
        if (strcmp(mesh->axes[i].name, axis) != 0)
            length += snprintf(text + length, (size_t)(MESH_TEXT - length), ",%s=%" PRId64, mesh->axes[i].name,
                               mesh->axes[i].size);
}

static int
ask(const memmodel_llm *llm, const struct memmodel_serve_options *options, memmodel_context *context, bool *fits)
{
    struct memmodel_serving_result result = {.size = sizeof result};
    memmodel_serving *serving;
    int status = memmodel_serve(llm, options, context, &serving);

    if (status)
        return status;
    memmodel_serving_get_result(serving, &result);
    memmodel_serving_unref(serving);
    *fits = result.verdict == MEMMODEL_VERDICT_FITS;
    return 0;
}

/* The least of 1, 2, 4, ... that fits into *min, 0 where there is none. What does not divide ends the search. */
static int
search(const memmodel_llm *llm, struct memmodel_serve_options *options, memmodel_context *context, const char *axis,
       int64_t *min)
{
    char text[MESH_TEXT];
    struct mesh mesh;
    bool fits = false;
    int64_t size = 1;
    int status = mesh_parse(context, options->mesh, axes, &mesh);

    for (; !status && !fits && size <= MAX_SIZE; size *= 2) {
        write_mesh(&mesh, axis, size, text);
        options->mesh = text;
        status = ask(llm, options, context, &fits);
        if (status == MEMMODEL_ERROR_INVALID_ARGUMENT && size > 1) {
            *min = 0;
            return 0;
        }
    }
    if (!status)
        *min = fits ? size / 2 : 0;
    return status;
}

int
memmodel_serve_min(const memmodel_llm *llm, const struct memmodel_serve_options *options, const char *axis,
                   memmodel_context *context, int64_t *min)
{
    OWN_ENVIRONMENT;
    struct memmodel_serve_options own;
    int status;

    if (!llm || !axis || !min)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (!context)
        context = llm->context;
    status = context_begin(context);
    if (!status)
        status = options_copy(context, "memmodel_serve_options", options, &own, sizeof own);
    if (!status)
        status = check_axis(context, axis);
    if (!status)
        status = check_memory(context, &own);
    if (!status) {
        own.size = sizeof own;
        status = search(llm, &own, context, axis, min);
    }
    return context_end(context, status);
}
