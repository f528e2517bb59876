/*
 * Which sizes a run-time that plans its memory before the first run knows then: constants, and the symbols of the inputs
 * as long as it can follow them. Measured by the shapes that onnxruntime 1.31.1 writes beside an optimized graph.
 */
#include "import/onnx_import.h"

#include <string.h>

static uint32_t
bit_of(size_t i)
{
    return i < 32 ? (uint32_t)1 << i : 0;
}

static uint32_t
first_bits(size_t count)
{
    return count < 32 ? bit_of(count) - 1 : UINT32_MAX;
}

static bool
is_symbol(const struct expression_pool *pool, expression e)
{
    for (size_t i = 0; i < expression_symbol_count(pool); i++)
        if (expression_symbol((struct expression_pool *)pool, expression_symbol_name(pool, i)) == e)
            return true;
    return false;
}

/* ---- elements that are computed from shapes ---- */

static uint32_t
lost_by_concat(struct import *import)
{
    uint32_t lost = 0;
    size_t at = 0;

    for (size_t i = 0; i < node_input_count(import); i++) {
        const struct value *part = node_value(import, i);

        lost |= at < 32 ? (part->lost | part->symbolic) << at : 0;
        at += part->count;
    }
    return lost;
}

/* One number of a shape is followed, if it is asked for by a scalar; a part of a shape, and a symbol, is not. */
static uint32_t
lost_by_gather(struct import *import, size_t count)
{
    const struct value *x = node_value(import, 0), *index = node_value(import, 1);
    int64_t at = 0;

    if (index->shape.rank == 0 && index->elements && element_integer(import, index->elements[0], &at))
        return ((x->lost | x->symbolic) >> ((at < 0 ? at + (int64_t)x->count : at) & 31)) & 1;
    return x->lost | x->symbolic ? first_bits(count) : 0;
}

static uint32_t
lost_by_arithmetic(struct import *import, const expression *elements, size_t count)
{
    uint32_t lost = 0;
    int64_t integer;

    for (size_t i = 0; i < node_input_count(import); i++) {
        const struct value *x = node_optional(import, i);

        if (x && (x->lost | x->symbolic))
            lost = first_bits(count);
    }
    for (size_t i = 0; i < count; i++)
        if (!element_integer(import, elements[i], &integer))
            lost |= bit_of(i);
    return lost;
}

/* Of Shape's output: what is no constant, and what is not known of the tensor itself. */
static void
note_shape(struct import *import, struct value *value)
{
    const struct value *x = node_value(import, 0);
    int64_t start = node_integer(import, "start", 0), integer;

    start += start < 0 ? x->shape.rank : 0;
    value->lost = start >= 0 && start < 32 ? x->unknown >> start : 0;
    for (size_t i = 0; i < value->count; i++)
        if (!element_integer(import, value->elements[i], &integer))
            value->symbolic |= bit_of(i);
}

void
import_note_elements(struct import *import, struct value *value)
{
    static const char *const copies[] = {"Squeeze", "Unsqueeze", "Cast", "Identity", "Reshape"};
    const char *op = import->node->op;

    if (strcmp(op, "Shape") == 0) {
        note_shape(import, value);
        return;
    }
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        if (strcmp(op, copies[i]) == 0) {
            value->lost = node_value(import, 0)->lost;
            value->symbolic = node_value(import, 0)->symbolic;
            return;
        }
    if (strcmp(op, "Concat") == 0)
        value->lost = lost_by_concat(import);
    else if (strcmp(op, "Gather") == 0)
        value->lost = lost_by_gather(import, value->count);
    else if (strcmp(op, "Slice") == 0)
        value->lost = node_value(import, 0)->lost | node_value(import, 0)->symbolic ? first_bits(value->count) : 0;
    else if (node_input_count(import) > 0)
        value->lost = lost_by_arithmetic(import, value->elements, value->count);
}

/* ---- tensors ---- */

/* Axes whose size the file says, as a number or by a name. */
static uint32_t
said_by_file(const struct onnx_value_info *info, int rank)
{
    uint32_t said = 0;

    if (!info || !info->has_shape || info->dims.count != (size_t)rank)
        return 0;
    for (int axis = 0; axis < rank; axis++) {
        const struct onnx_dim *dim = ONNX_ITEM(info->dims, struct onnx_dim, axis);

        if (dim->value >= 0 || (dim->name && dim->name[0]))
            said |= bit_of((size_t)axis);
    }
    return said;
}

enum { RANK_KNOWN_SINCE = 13 }; /* opset: before, a -1 in a computed shape hides even how many dimensions there are */

static const uint32_t NOTHING_KNOWN = UINT32_MAX;

/* The target of a Reshape. A -1 in what was computed hides all of it. */
static uint32_t
unknown_target(struct import *import, const struct value *x, const struct value *target)
{
    uint32_t unknown = target->lost | target->symbolic;
    bool computed = !target->stored, inferred = false;
    int64_t integer;

    for (size_t i = 0; i < target->count; i++)
        if (element_integer(import, target->elements[i], &integer) && integer == -1) {
            inferred = true;
            if (x->unknown || !target->stored)
                unknown |= bit_of(i);
            for (int axis = 0; axis < x->shape.rank; axis++)
                if (x->shape.dims[axis] < 0 && (size_t)axis < target->count &&
                    (!element_integer(import, target->elements[axis], &integer) || integer != 0))
                    unknown |= bit_of(i);
        }
    if (!computed || !(target->symbolic || (inferred && unknown)))
        return unknown;
    return inferred && import->opset < RANK_KNOWN_SINCE ? NOTHING_KNOWN : first_bits(target->count);
}

/* An axis of an input, counted from the end, whose size is not known, and which is the output's. */
static uint32_t
unknown_of_inputs(struct import *import, const struct memmodel_shape *y)
{
    uint32_t unknown = 0;

    for (size_t i = 0; i < node_input_count(import); i++) {
        const struct value *x = node_optional(import, i);

        for (int axis = 0; x && x->unknown && axis < y->rank; axis++) {
            int from = axis - y->rank + x->shape.rank;

            if (from >= 0 && (x->unknown & bit_of((size_t)from)) && x->shape.dims[from] == y->dims[axis])
                unknown |= bit_of((size_t)axis);
        }
    }
    return unknown;
}

static uint32_t
unknown_after_transpose(struct import *import, const struct value *x, int rank)
{
    int64_t axes[MEMMODEL_MAX_RANK];
    size_t count = node_integers(import, "perm", axes, MEMMODEL_MAX_RANK);
    uint32_t unknown = 0;

    for (int axis = 0; axis < rank; axis++)
        if (x->unknown & bit_of((size_t)(count == (size_t)rank ? axes[axis] : rank - 1 - axis)))
            unknown |= bit_of((size_t)axis);
    return unknown;
}

/* Where axes come or go, those of the sizes that are not known. */
static uint32_t
unknown_of_size(const struct value *x, const struct memmodel_shape *y)
{
    uint32_t unknown = 0;

    for (int axis = 0; axis < y->rank; axis++)
        for (int from = 0; from < x->shape.rank; from++)
            if ((x->unknown & bit_of((size_t)from)) && x->shape.dims[from] == y->dims[axis])
                unknown |= bit_of((size_t)axis);
    return unknown;
}

/* Sizes that are numbers are followed alone, and those that are computed only if all are numbers. */
static uint32_t
unknown_after_resize(struct import *import, const struct memmodel_shape *y)
{
    const struct value *sizes = node_optional(import, 3);
    uint32_t symbolic = 0;

    for (int axis = 0; axis < y->rank; axis++)
        symbolic |= y->dims[axis] < 0 ? bit_of((size_t)axis) : 0;
    return symbolic && sizes && sizes->count ? first_bits((size_t)y->rank) : symbolic;
}

/* A size that is computed, and is no symbol itself. */
static uint32_t
computed_axes(const struct import *import, const struct memmodel_shape *y)
{
    uint32_t computed = 0;

    for (int axis = 0; axis < y->rank; axis++)
        if (y->dims[axis] < 0 && !is_symbol(import->network->pool, expression_of_dim(y->dims[axis])))
            computed |= bit_of((size_t)axis);
    return computed;
}

uint32_t
import_unknown_axes(struct import *import, const struct value *y)
{
    const char *op = import->node->op;
    const struct value *x = node_input_count(import) > 0 ? node_optional(import, 0) : NULL;
    const struct value *target = node_input_count(import) > 1 ? node_optional(import, 1) : NULL;
    uint32_t said = said_by_file(y->info, y->shape.rank), unknown;

    if (!x || said == first_bits((size_t)y->shape.rank))
        return 0;
    for (size_t i = 0; i < node_input_count(import); i++)
        if (node_optional(import, i) && node_optional(import, i)->unknown == NOTHING_KNOWN)
            return NOTHING_KNOWN;
    if (strcmp(op, "Reshape") == 0 && target && target->elements)
        unknown = unknown_target(import, x, target);
    else if (strcmp(op, "Transpose") == 0)
        unknown = unknown_after_transpose(import, x, y->shape.rank);
    else if (strcmp(op, "Squeeze") == 0 || strcmp(op, "Unsqueeze") == 0 || strcmp(op, "Flatten") == 0)
        unknown = unknown_of_size(x, &y->shape);
    else if (strcmp(op, "Resize") == 0 || strcmp(op, "Upsample") == 0)
        unknown = unknown_after_resize(import, &y->shape);
    else
        unknown = unknown_of_inputs(import, &y->shape);
    if (strcmp(op, "Gather") == 0 && target)
        unknown = unknown_of_size(x, &y->shape) | unknown_of_size(target, &y->shape);
    if (strcmp(op, "Range") == 0)
        unknown = y->shape.dims[0] < 0 ? bit_of(0) : 0;
    if (strcmp(op, "ConstantOfShape") == 0)
        unknown = x->lost | x->symbolic;
    if (strcmp(op, "Expand") == 0 && target && (!target->elements || (target->lost | target->symbolic)))
        return NOTHING_KNOWN;
    return (unknown | computed_axes(import, &y->shape)) & ~said;
}
