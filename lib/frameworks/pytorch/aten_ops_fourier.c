/*
 * Discrete Fourier transforms. PyTorch: aten/src/ATen/native/SpectralOps.cpp, aten/src/ATen/native/mkl/SpectralOps.cpp.
 */
#include "frameworks/pytorch/aten_ops.h"

#include <string.h>

enum { COMPLEX = DTYPE_COMPLEX64, REAL = MEMMODEL_DTYPE_FLOAT32 };

/* What is transformed: axes in their order, the last of which is halved where one side is real. */
struct transform {
    int axes[MEMMODEL_MAX_RANK];
    int64_t sizes[MEMMODEL_MAX_RANK]; /* to which each is cut or filled up with zeros; 0: as it is */
    int64_t last;                     /* size of the last axis in the real tensor */
    int count;
};

static struct transform *
transform_new(struct step *step)
{
    struct transform *transform = step_arena_allocate(step, sizeof *transform);

    if (transform)
        *transform = (struct transform){.count = 0};
    return transform;
}

/* ---- one call of the kernel ---- */

static bool
is_transformed(const struct transform *transform, int axis)
{
    for (int i = 0; i < transform->count; i++)
        if (transform->axes[i] == axis)
            return true;
    return false;
}

/* The other axes by stride, the largest first, then those that are transformed. */
static void
order_axes(const struct value *x, const struct transform *transform, int32_t *order)
{
    int count = 0;

    for (int axis = 0; axis < x->shape.rank; axis++) {
        int at = count;

        if (is_transformed(transform, axis))
            continue;
        for (; at > 0 && x->strides[order[at - 1]] < x->strides[axis]; at--)
            order[at] = order[at - 1];
        order[at] = axis;
        count++;
    }
    for (int i = 0; i < transform->count && count < MEMMODEL_MAX_RANK; i++)
        order[count++] = transform->axes[i];
}

/* Copies an input whose other axes are not one: _exec_fft, input.reshape(batched_sizes) */
static void
batch_scratch(struct step *step, const struct value *x, const struct transform *transform, const int32_t *order)
{
    int others = x->shape.rank - transform->count;
    struct shape turned = x->shape, batched = {.dims = {1}, .rank = 1, .dtype = x->shape.dtype};
    struct value *seen;
    int64_t strides[MEMMODEL_MAX_RANK] = {0};

    for (int i = 0; i < x->shape.rank; i++) {
        turned.dims[i] = x->shape.dims[order[i]];
        strides[i] = x->strides[order[i]];
        if (i < others && !checked_multiply(batched.dims[0], turned.dims[i], &batched.dims[0]))
            batched.dims[0] = INT64_MAX;
        else if (i >= others && batched.rank < MEMMODEL_MAX_RANK)
            batched.dims[batched.rank++] = turned.dims[i];
    }
    seen = value_view(step, x, &turned, strides);
    if (!value_viewable(seen, &batched, strides))
        value_scratch(step, &x->shape);
    value_drop(step, seen);
}

/* The result lies in memory as the kernel writes it. Without a node. */
static struct value *
transformed(struct step *step, const struct value *x, const struct transform *transform, const struct shape *shape)
{
    int32_t order[MEMMODEL_MAX_RANK] = {0};
    int backwards[MEMMODEL_MAX_RANK];
    int64_t strides[MEMMODEL_MAX_RANK] = {0};
    struct value *result;

    order_axes(x, transform, order);
    for (int i = 0; i < shape->rank; i++)
        backwards[i] = order[i];
    shape_strides_in_order(shape, backwards, strides);
    result = value_empty_strided(step, shape, strides);
    batch_scratch(step, x, transform, order);
    return result;
}

static struct shape
with_last(const struct value *x, const struct transform *transform, int64_t size, int dtype)
{
    struct shape shape = shape_typed(&x->shape, dtype);

    shape.dims[transform->axes[transform->count - 1]] = size;
    return shape;
}

/* ---- complex to complex ---- */

static void
complex_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *plain = value_resolved(step, incoming[0]);

    gradients[0] = transformed(step, plain, node->options, &incoming[0]->shape);
    value_drop(step, plain);
}

static struct value *
complex_transform(struct step *step, struct value *x, const struct transform *transform)
{
    static const struct derivative derivative = {"_fft_c2c", complex_backward};
    struct value *plain = value_resolved(step, x), *result = transformed(step, plain, transform, &x->shape);
    struct node *node = step_record(step, &derivative, result, 1, &x);

    if (node)
        node->options = transform;
    value_drop(step, plain);
    return result;
}

/* ---- real to complex: half of the last axis, or all of it ---- */

/* The gradient, filled up with zeros where it is a half, transformed; its real part. */
static void
real_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct transform *transform = node->options;
    struct shape shape = with_last(incoming[0], transform, transform->last, COMPLEX);
    struct value *plain = value_resolved(step, incoming[0]), *full, *result;

    full = shape_equal(&shape, &plain->shape) ? value_keep(plain) : value_empty(step, &shape);
    value_drop(step, plain);
    result = transformed(step, full, transform, &shape);
    gradients[0] = value_real(step, result);
    value_drop(step, result);
    value_drop(step, full);
}

/* Saved is the input. */
static struct value *
real_transform(struct step *step, struct value *x, struct transform *transform, bool half)
{
    static const struct derivative derivative = {"_fft_r2c", real_backward};
    struct shape shape;
    struct value *result;
    struct node *node;

    transform->last = x->shape.dims[transform->axes[transform->count - 1]];
    shape = with_last(x, transform, half ? transform->last / 2 + 1 : transform->last, COMPLEX);
    result = transformed(step, x, transform, &shape);
    node = step_record(step, &derivative, result, 1, &x);
    step_save(step, node, x);
    if (node)
        node->options = transform;
    return result;
}

/* ---- complex to real ---- */

/* All but the ends of the half are doubled: a number as a tensor, then as a complex one. */
static void
half_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct transform *transform = node->options;
    struct shape shape = shape_typed(&node->edges[0].shape, COMPLEX);

    gradients[0] = transformed(step, incoming[0], transform, &shape);
    if (shape.dims[transform->axes[transform->count - 1]] < transform->last) {
        struct value *number = value_scalar(step, MEMMODEL_DTYPE_INT64), *typed = value_scalar(step, COMPLEX);

        value_drop(step, typed);
        value_drop(step, number);
    }
}

/* Several axes: all but the last as complex ones, before. */
static struct value *
half_transform(struct step *step, struct value *x, const struct transform *transform)
{
    static const struct derivative derivative = {"_fft_c2r", half_backward};
    struct transform last = {.axes = {transform->axes[transform->count - 1]}, .count = 1}, before = *transform;
    struct shape shape = with_last(x, transform, transform->last, REAL);
    struct value *plain = value_resolved(step, x), *inner = NULL, *result;
    struct node *node;

    before.count--;
    if (before.count > 0)
        inner = transformed(step, plain, &before, &x->shape);
    result = transformed(step, inner ? inner : plain, &last, &shape);
    value_drop(step, inner);
    value_drop(step, plain);
    node = step_record(step, &derivative, result, 1, &x);
    if (node)
        node->options = transform;
    return result;
}

/* ---- the public operators ---- */

static void
to_complex_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)node;
    gradients[0] = value_real(step, incoming[0]);
}

struct value *
aten_to_complex(struct step *step, struct value *x)
{
    static const struct derivative to_copy = {"_to_copy", to_complex_backward};
    struct value *result;

    if (x->shape.dtype == COMPLEX)
        return value_keep(x);
    result = value_like_typed(step, x, COMPLEX);
    step_record(step, &to_copy, result, 1, &x);
    return result;
}

/* ---- conjugates: seen, not computed ---- */

static void
conjugate_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)node;
    gradients[0] = value_conjugated(step, incoming[0]);
}

struct value *
aten_conjugate(struct step *step, struct value *x)
{
    static const struct derivative conj = {"_conj", conjugate_backward};
    struct value *result;

    if (!value_is_complex(x))
        return value_keep(x);
    result = value_conjugated(step, x);
    step_record(step, &conj, result, 1, &x);
    return result;
}

struct value *
aten_resolve_conjugate(struct step *step, struct value *x)
{
    return x->conjugate ? aten_clone(step, x) : value_keep(x);
}

/* ---- the size that is transformed ---- */

/* Cut where it is too long, then filled up with zeros. resize_fft_input */
static struct value *
resized(struct step *step, struct value *x, const struct transform *transform)
{
    struct value *result = value_keep(x), *next;
    struct shape wanted = x->shape;

    for (int i = 0; i < transform->count; i++) {
        struct shape cut = result->shape;
        int axis = transform->axes[i];

        if (transform->sizes[i] > 0)
            wanted.dims[axis] = transform->sizes[i];
        if (wanted.dims[axis] >= cut.dims[axis])
            continue;
        cut.dims[axis] = wanted.dims[axis];
        next = aten_part(step, result, &cut, result->strides);
        value_drop(step, result);
        result = next;
    }
    if (shape_equal(&wanted, &result->shape))
        return result;
    next = aten_constant_pad(step, result, &wanted);
    value_drop(step, result);
    return next;
}

/* The axes of the call: "dim", or as many of the last as "s" has, or `otherwise` of them, 0: all. */
static void
read_axes(const struct layer *layer, int rank, int otherwise, struct transform *transform)
{
    int64_t axes[MEMMODEL_MAX_RANK];
    int given = attribute_list(layer, "dim", axes, MEMMODEL_MAX_RANK);
    int sizes = attribute_list(layer, otherwise == 1 ? "n" : "s", transform->sizes, MEMMODEL_MAX_RANK);

    transform->count = given > 0 ? given : sizes > 0 ? sizes : otherwise > 0 ? otherwise : rank;
    transform->count = transform->count < rank ? transform->count : rank;
    for (int i = 0; i < transform->count; i++) {
        int64_t axis = given > 0 ? axes[i] : i - transform->count;

        axis = axis < 0 ? axis + rank : axis;
        transform->axes[i] = axis >= 0 && axis < rank ? (int)axis : 0;
        transform->sizes[i] = i < sizes && transform->sizes[i] > 0 ? transform->sizes[i] : 0;
    }
}

/* Which sides are real, and over how many axes. */
enum fourier { FULL = 0, HALF = 4, FROM_HALF = 8, INVERSE = 16, AXES = 3 };

/* The inverse is the conjugate of the transform. fft_r2c_maybe_out */
static struct value *
of_real(struct step *step, struct value *x, struct transform *transform, int kind)
{
    struct value *forward = real_transform(step, x, transform, (kind & HALF) != 0), *result;

    if (!(kind & INVERSE))
        return forward;
    result = aten_conjugate(step, forward);
    value_drop(step, forward);
    return result;
}

/* The size of the last axis in a half. */
static void
halve_last(struct transform *transform, const struct value *x)
{
    int last = transform->count - 1, axis = transform->axes[last];

    transform->last = transform->sizes[last] ? transform->sizes[last] : 2 * (x->shape.dims[axis] - 1);
    transform->sizes[last] = transform->last / 2 + 1;
}

static void
fourier_forward(struct step *step, const struct layer *layer, int kind)
{
    struct value *x = step_input(step, layer, 0), *typed, *input;
    struct transform *transform = transform_new(step);
    bool complex = x->shape.dtype == COMPLEX;

    if (!transform)
        return;
    read_axes(layer, x->shape.rank, kind & AXES, transform);
    if (transform->count == 0 || (x->shape.dtype != REAL && !complex)) {
        aten_op_estimate(step, layer);
        return;
    }
    if (kind & FROM_HALF)
        halve_last(transform, x);
    /* Over one axis a real tensor stays one; over several it becomes complex. */
    complex = complex || (kind & FROM_HALF) || (!(kind & HALF) && (kind & AXES) != 1);
    typed = complex ? aten_to_complex(step, x) : value_keep(x);
    input = resized(step, typed, transform);
    if (kind & FROM_HALF)
        step_output(step, layer, 0, half_transform(step, input, transform));
    else if (complex)
        step_output(step, layer, 0, complex_transform(step, input, transform));
    else
        step_output(step, layer, 0, of_real(step, input, transform, kind));
    value_drop(step, input);
    value_drop(step, typed);
}

/* ---- views between complex numbers and pairs ---- */

/* The gradient in the input's shape, in the same memory. */
static void
seen_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    int64_t strides[MEMMODEL_MAX_RANK];

    shape_strides(&node->edges[0].shape, strides);
    gradients[0] = value_view(step, incoming[0], &node->edges[0].shape, strides);
}

static struct value *
seen_as(struct step *step, struct value *x, const struct shape *shape)
{
    static const struct derivative view = {"view", seen_backward};
    int64_t strides[MEMMODEL_MAX_RANK];
    struct value *result;

    shape_strides(shape, strides);
    result = value_view(step, x, shape, strides);
    step_record(step, &view, result, 1, &x);
    return result;
}

static void
pairs_forward(struct step *step, const struct layer *layer, int dtype)
{
    struct shape declared = step_output_shape(step, layer, 0), shape = shape_typed(&declared, dtype);

    step_output(step, layer, 0, seen_as(step, step_input(step, layer, 0), &shape));
}

/* ---- stft: overlapping frames, times a window, transformed. SpectralOps.cpp, stft ---- */

/* Where frames overlap the gradient is added up, by the places that are left of all. as_strided_backward */
static void
frames_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *all, *places;

    gradients[0] = value_empty(step, &node->edges[0].shape);
    all = value_vector(step, MEMMODEL_DTYPE_INT64, value_elements(gradients[0]));
    places = value_vector(step, MEMMODEL_DTYPE_INT64, value_elements(incoming[0]));
    value_drop(step, places);
    value_drop(step, all);
}

/* [batch, frames, length] */
static struct value *
frames_of(struct step *step, struct value *x, int64_t length, int64_t hop)
{
    static const struct derivative as_strided = {"as_strided", frames_backward};
    int64_t samples = x->shape.dims[x->shape.rank - 1],
            frames = hop > 0 && samples >= length ? (samples - length) / hop + 1 : 0;
    struct shape shape = {
        .dims = {x->shape.rank > 1 ? x->shape.dims[0] : 1, frames, length}, .rank = 3, .dtype = x->shape.dtype};
    struct value *result = value_view(step, x, &shape, (const int64_t[MEMMODEL_MAX_RANK]){samples, hop, 1});

    step_record(step, &as_strided, result, 1, &x);
    return result;
}

static void
short_time_forward(struct step *step, const struct layer *layer, int detail)
{
    struct value *x = step_input(step, layer, 0), *window = step_input(step, layer, 1), *frames, *weighed, *spectrum;
    struct transform *transform = transform_new(step);
    int64_t length = attribute_integer(layer, "n_fft", 0), hop = attribute_integer(layer, "hop_length", length / 4);
    struct shape shape = step_output_shape(step, layer, 0);
    bool pairs = !attribute_integer(layer, "return_complex", 0);

    (void)detail;
    if (!transform)
        return;
    if (x->shape.rank > 2 || x->shape.dtype != REAL || length < 1 || (window && value_elements(window) != length)) {
        aten_op_estimate(step, layer);
        return;
    }
    *transform = (struct transform){.axes = {2}, .count = 1};
    frames = frames_of(step, x, length, hop);
    weighed = window ? aten_binary(step, MEMMODEL_BINARY_MULTIPLY, frames, window) : value_keep(frames);
    spectrum = real_transform(step, weighed, transform, attribute_integer(layer, "onesided", 1) != 0);
    value_drop(step, weighed);
    value_drop(step, frames);
    shape = shape_typed(&shape, pairs ? REAL : COMPLEX);
    step_output(step, layer, 0, seen_as(step, spectrum, &shape));
    value_drop(step, spectrum);
}

static const struct aten_op_rule fourier[] = {
    {"aten.fft_fft.default", fourier_forward, FULL | 1, "1"},
    {"aten.fft_fft2.default", fourier_forward, FULL | 2, "1"},
    {"aten.fft_fftn.default", fourier_forward, FULL, "1"},
    {"aten.fft_ifft.default", fourier_forward, FULL | INVERSE | 1, "1"},
    {"aten.fft_ifft2.default", fourier_forward, FULL | INVERSE | 2, "1"},
    {"aten.fft_ifftn.default", fourier_forward, FULL | INVERSE, "1"},
    {"aten.fft_irfft.default", fourier_forward, FROM_HALF | 1, "1"},
    {"aten.fft_irfft2.default", fourier_forward, FROM_HALF | 2, "1"},
    {"aten.fft_irfftn.default", fourier_forward, FROM_HALF, "1"},
    {"aten.fft_rfft.default", fourier_forward, HALF | 1, "1"},
    {"aten.fft_rfft2.default", fourier_forward, HALF | 2, "1"},
    {"aten.fft_rfftn.default", fourier_forward, HALF, "1"},
    {"aten.stft.default", short_time_forward, 0, "1"},
    {"aten.view_as_complex.default", pairs_forward, COMPLEX, "1"},
    {"aten.view_as_real.default", pairs_forward, REAL, "0"},
};

const struct aten_ops aten_op_fourier = ATEN_OPS(fourier);
