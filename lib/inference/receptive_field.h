/*
 * How far an output of a network over images or volumes looks: which elements of the input an interval of the output
 * depends on, along each spatial axis, and where a tile may begin so that its strides fall as those of the whole.
 */
#ifndef INFERENCE_RECEPTIVE_FIELD_H
#define INFERENCE_RECEPTIVE_FIELD_H

#include "network/network.h"

enum { MAX_AXES = 3 };

/* Elements of a tensor for each of the input: `numerator` / `denominator`, without common divisors. */
struct receptive_field_ratio {
    int64_t numerator, denominator;
};

struct receptive_field_tensor {
    bool fixed;  /* does not depend on the input */
    bool needed; /* by an output */
    struct receptive_field_ratio ratio[MAX_AXES];
};

struct receptive_field {
    memmodel_context *context;
    const struct binding *binding;
    struct receptive_field_tensor *tensors;
    int32_t input;            /* the one tensor that tiles are cut of */
    int32_t output;           /* the first; others have its sizes */
    int32_t axes;             /* spatial ones */
    int32_t first;            /* of them, in each tensor */
    int64_t extent[MAX_AXES]; /* of the input */
    int64_t output_extent[MAX_AXES];
    int64_t alignment[MAX_AXES];               /* tiles begin at multiples of it */
    int64_t before[MAX_AXES], after[MAX_AXES]; /* elements needed besides those under the output */
};

/*
 * MEMMODEL_ERROR_UNSUPPORTED names a layer whose outputs depend on all of an axis, or whose receptive field is not
 * known, or says what else tiles cannot be cut of.
 */
int
receptive_field_new(memmodel_context *context, const struct binding *binding, struct receptive_field *field);

void
receptive_field_release(struct receptive_field *field);

/* Extents of all tensors along an axis for an input of that extent; false: it is too small. */
bool
receptive_field_extents(const struct receptive_field *field, int32_t axis, int64_t extent, int64_t *extents);

#endif
