/* Meshes of devices as people write them: named axes with their sizes, outermost first, such as "dp=8,tp=4". */
#ifndef BASE_MESH_H
#define BASE_MESH_H

#include "base/context.h"

#include <stddef.h>
#include <stdint.h>

enum { MESH_MAX_AXES = 8, MESH_NAME_BYTES = 16 };

struct mesh_axis {
    char name[MESH_NAME_BYTES];
    int64_t size; /* at least 1 */
};

/* Of no axes: one device. */
struct mesh {
    struct mesh_axis axes[MESH_MAX_AXES];
    size_t count;
    int64_t ranks; /* product of the sizes */
};

/*
 * NULL and "" are the mesh of no axes. `known`, ended by NULL, are the names that axes may have. 0,
 * MEMMODEL_ERROR_INVALID_ARGUMENT (what stands there is no axis, a name that is unknown or there twice, sizes below 1,
 * more than 2^31 - 1 ranks); *mesh is untouched then.
 */
int
mesh_parse(memmodel_context *context, const char *text, const char *const *known, struct mesh *mesh);

/* 1 of an axis that is not there. */
int64_t
mesh_size(const struct mesh *mesh, const char *name);

/* Where a rank is along an axis, from 0: ranks are counted in row-major order. 0 of an axis that is not there. */
int64_t
mesh_place(const struct mesh *mesh, int64_t rank, const char *name);

/* What the place of an axis has of so many, of which the last places may have less or none: torch.chunk. */
int64_t
mesh_part(int64_t elements, int64_t size, int64_t place);

#endif
