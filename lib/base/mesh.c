/* Meshes of devices: read from text, and asked for an axis. */
#include "base/mesh.h"

#include "base/checked.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

static int
unknown_axis(memmodel_context *context, const char *name, const char *const *known)
{
    struct text names = TEXT_INIT(context);
    int status;

    for (size_t i = 0; known[i]; i++)
        text_printf(&names, "%s%s", i ? ", " : "", known[i]);
    status = context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh", "there is no axis \"%s\"; there are %s",
                           name, names.failed ? "others" : names.bytes);
    text_release(&names);
    return status;
}

static bool
is_known(const char *name, const char *const *known)
{
    for (size_t i = 0; known[i]; i++)
        if (strcmp(known[i], name) == 0)
            return true;
    return false;
}

static bool
has_axis(const struct mesh *mesh, const char *name)
{
    for (size_t i = 0; i < mesh->count; i++)
        if (strcmp(mesh->axes[i].name, name) == 0)
            return true;
    return false;
}

/* Name and size of one axis, written NAME=SIZE in `length` characters; false if it is anything else. */
static bool
read_axis(const char *text, size_t length, struct mesh_axis *axis)
{
    const char *equals = memchr(text, '=', length);
    char digits[24];
    size_t name, number;

    if (!equals)
        return false;
    name = (size_t)(equals - text);
    number = length - name - 1;
    if (name == 0 || name >= sizeof axis->name || number == 0 || number >= sizeof digits || !is_digit(equals[1]))
        return false;
    memcpy(axis->name, text, name);
    axis->name[name] = 0;
    memcpy(digits, equals + 1, number);
    digits[number] = 0;
    return parse_int64(digits, &axis->size);
}

static int
add_axis(memmodel_context *context, const struct mesh_axis *axis, const char *const *known, struct mesh *mesh)
{
    if (!is_known(axis->name, known))
        return unknown_axis(context, axis->name, known);
    if (has_axis(mesh, axis->name))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh", "axis \"%s\" is there twice",
                             axis->name);
    if (axis->size < 1)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh",
                             "axis \"%s\" has the size %" PRId64 "; it is at least 1", axis->name, axis->size);
    if (mesh->count == MESH_MAX_AXES || axis->size > INT32_MAX / mesh->ranks)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh",
                             "at most 8 axes and 2147483647 devices make a mesh");
    mesh->axes[mesh->count++] = *axis;
    mesh->ranks *= axis->size;
    return 0;
}

int
mesh_parse(memmodel_context *context, const char *text, const char *const *known, struct mesh *mesh)
{
    struct mesh read = {.ranks = 1};

    while (text && *text) {
        size_t length = strcspn(text, ",");
        struct mesh_axis axis;
        int status;

        if (!read_axis(text, length, &axis))
            return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh",
                                 "\"%.*s\" is no axis; write NAME=SIZE, such as tp=4",
                                 (int)min_i64((int64_t)length, 60), text);
        status = add_axis(context, &axis, known, &read);
        if (status)
            return status;
        text += length + (text[length] == ',');
    }
    *mesh = read;
    return 0;
}

int64_t
mesh_size(const struct mesh *mesh, const char *name)
{
    for (size_t i = 0; i < mesh->count; i++)
        if (strcmp(mesh->axes[i].name, name) == 0)
            return mesh->axes[i].size;
    return 1;
}

int64_t
mesh_place(const struct mesh *mesh, int64_t rank, const char *name)
{
    for (size_t i = mesh->count; i-- > 0;) {
        if (strcmp(mesh->axes[i].name, name) == 0)
            return rank % mesh->axes[i].size;
        rank /= mesh->axes[i].size;
    }
    return 0;
}

int64_t
mesh_part(int64_t elements, int64_t size, int64_t place)
{
    int64_t chunk = ceil_divide(elements, size), before = multiply_saturating(chunk, place);

    return before >= elements ? 0 : min_i64(chunk, elements - before);
}
