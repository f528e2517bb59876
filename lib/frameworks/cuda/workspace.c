/* Workspaces of cuBLAS. PyTorch: aten/src/ATen/cuda/CublasHandlePool.cpp, parseChosenWorkspaceSize. */
#include "frameworks/cuda/workspace.h"

#include "base/checked.h"
#include "frameworks/framework.h"

enum { KIB = 1024 };

/* ":4096:2:16:8"; on Hopper 32 MiB; also on Blackwell since 2.12 (pull request 175344). */
int64_t
cublas_workspace_usual(const struct gpu *gpu, int version)
{
    enum { HOPPER = 90, BLACKWELL = 100 };
    bool large = gpu->capability == HOPPER || (gpu->capability >= BLACKWELL && version >= VERSION(2, 12));

    return large ? 4096 * 8 * KIB : 4096 * 2 * KIB + 16 * 8 * KIB;
}

/* The number after a colon; the text behind it, or NULL where there is none. It saturates. */
static const char *
after_number(const char *text, int64_t *number)
{
    if (text[0] != ':' || text[1] < '0' || text[1] > '9')
        return NULL;
    *number = 0;
    for (text++; *text >= '0' && *text <= '9'; text++)
        *number = add_saturating(multiply_saturating(*number, 10), *text - '0');
    return text;
}

/* All that look like ":SIZE:COUNT" are added up, wherever they stand, and what is between them is read past. */
int
cublas_workspace_bytes(memmodel_context *context, const struct gpu *gpu, int version, const char *config,
                       int64_t *bytes)
{
    int64_t size, count, total = 0;
    bool found = false;

    if (!*config) {
        *bytes = cublas_workspace_usual(gpu, version);
        return 0;
    }
    for (const char *at = config; *at;) {
        const char *after = after_number(at, &size);

        after = after ? after_number(after, &count) : NULL;
        at = after ? after : at + 1;
        found |= after != NULL;
        if (after)
            total = add_saturating(total, multiply_saturating(multiply_saturating(size, KIB), count));
    }
    if (!found)
        return context_error(context, MEMMODEL_ERROR_PARSE, "cublas_workspace",
                             "\"%s\" has no size and count, such as \":4096:8\"; PyTorch would take its default",
                             config);
    if (total == INT64_MAX)
        return context_error(context, MEMMODEL_ERROR_OVERFLOW, "cublas_workspace",
                             "the bytes of \"%s\" do not fit in 63 bits", config);
    *bytes = total;
    return 0;
}
