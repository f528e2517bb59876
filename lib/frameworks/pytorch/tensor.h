/*
 * Tensors without numbers: shape, strides, and a storage whose references are counted as PyTorch counts them.
 *
 * Functions that make a tensor hand over one reference; value_drop() gives it back. Nothing here returns NULL: when
 * memory or 63 bits run out, the step's status says so and an empty stand-in is returned, so that a rule reads like
 * the operator it describes and the engine checks once after it.
 */
#ifndef PYTORCH_TENSOR_H
#define PYTORCH_TENSOR_H

#include "frameworks/pytorch/state.h"

/* ---- shapes ---- */

struct shape
shape_scalar(int dtype);

struct shape
shape_vector(int dtype, int64_t elements);

/* The same dims with another type. */
struct shape
shape_typed(const struct shape *shape, int dtype);

/* NumPy's broadcasting of two shapes that fit together; the type is that of `a`. */
struct shape
shape_broadcast(const struct shape *a, const struct shape *b);

/* Product of the dims, INT64_MAX if it does not fit. */
int64_t
shape_elements(const struct shape *shape);

/* Product of dims first <= i < end. */
int64_t
shape_product(const struct shape *shape, int first, int end);

bool
shape_equal(const struct shape *a, const struct shape *b);

/* Strides of row-major order. */
void
shape_strides(const struct shape *shape, int64_t strides[MEMMODEL_MAX_RANK]);

/* Strides with the dims laid out in memory order `order`, slowest first. */
void
shape_strides_in_order(const struct shape *shape, const int *order, int64_t strides[MEMMODEL_MAX_RANK]);

/* Strides of memory_format=torch.channels_last. */
void
shape_strides_channels_last(const struct shape *shape, int64_t strides[MEMMODEL_MAX_RANK]);

/* ---- layout ---- */

int64_t
value_elements(const struct value *value);

bool
value_is_contiguous(const struct value *value);

/* Non-overlapping and dense, in any order. */
bool
value_is_dense(const struct value *value);

bool
value_is_channels_last(const struct value *value);

/* Channels-last and not contiguous as well. */
bool
value_is_only_channels_last(const struct value *value);

/*
 * Tensor.suggest_memory_format(): strides fall in the order channels, width, height, depth, batch, dense or not. A
 * tensor that would do so in row-major order, too, does not count. PyTorch: c10/core/MemoryFormat.h,
 * is_channels_last_strides_2d_s4.
 */
bool
value_suggests_channels_last(const struct value *value);

/* Real or complex. */
bool
value_is_float(const struct value *value);

bool
value_is_complex(const struct value *value);

/* bfloat16 or float16 */
bool
value_is_half(const struct value *value);

/* What it is summed up in: float64, or float32 of all narrower types. */
static inline int
value_sum_type(const struct value *value)
{
    return value->shape.dtype == MEMMODEL_DTYPE_FLOAT64 ? MEMMODEL_DTYPE_FLOAT64 : MEMMODEL_DTYPE_FLOAT32;
}

/*
 * Strides of a result of `shape` whose dims lie in memory in the order of those of the operands, broadcast to it; the
 * first operand that distinguishes two dims decides. PyTorch: TensorIterator.cpp, reorder_dimensions; ExpandUtils.cpp,
 * infer_dense_strides.
 */
void
strides_after(const struct shape *shape, const struct value *const *operands, int count,
              int64_t strides[MEMMODEL_MAX_RANK]);

/* ---- making and dropping ---- */

struct value *
value_empty(struct step *step, const struct shape *shape);

struct value *
value_empty_strided(struct step *step, const struct shape *shape, const int64_t *strides);

/* In the storage of another, and no view of it. */
struct value *
value_within(struct step *step, const struct value *other, const struct shape *shape, const int64_t *strides);

struct value *
value_scalar(struct step *step, int dtype);

struct value *
value_vector(struct step *step, int dtype, int64_t elements);

/*
 * One element that lies on the host whatever the device is, such as a Python number: counted if the host is the device.
 */
struct value *
value_on_host(struct step *step, int dtype);

/* The same of several elements, such as the state of a random generator. */
struct value *
value_vector_on_host(struct step *step, int dtype, int64_t elements);

/* empty_like: the memory order of a dense tensor is kept, else row-major. */
struct value *
value_like(struct step *step, const struct value *value);

struct value *
value_like_typed(struct step *step, const struct value *value, int dtype);

/* Row-major, of the tensor's shape. */
struct value *
value_copy(struct step *step, const struct value *value);

/* A buffer that is no tensor of the network's: `bytes` of it. */
struct value *
value_buffer(struct step *step, int64_t bytes);

/* Allocates and frees at once. */
void
value_scratch(struct step *step, const struct shape *shape);

/* One more reference; NULL stays NULL. */
/* A value whose storage is empty gets what another's holds, if that alone holds it. */
void
value_take_storage(struct value *value, struct value *from);

struct value *
value_keep(struct value *value);

/* One reference less; NULL is allowed. */
void
value_drop(struct step *step, struct value *value);

/* Drops each and leaves NULL in its place. */
void
value_drop_all(struct step *step, struct value **values, int count);

/* The same storage without the node. */
struct value *
value_detach(struct step *step, const struct value *value);

/* The same storage seen otherwise. */
struct value *
value_view(struct step *step, const struct value *value, const struct shape *shape, const int64_t *strides);

/* A view of the real part of a complex tensor. */
struct value *
value_real(struct step *step, const struct value *value);

/* x.conj(): a view. */
struct value *
value_conjugated(struct step *step, const struct value *value);

/* What a kernel gets that knows no conjugates: a copy, or the tensor with one more reference. ConjugateFallback.cpp */
struct value *
value_resolved(struct step *step, struct value *value);

/* untyped_storage().resize_(0): its memory goes; what lies in it stays, without numbers. */
void
value_empty_storage(struct step *step, struct value *value);

/* The other way round, to that many bytes; nothing if it is not empty. */
void
value_fill_storage(struct step *step, struct value *value, int64_t bytes);

/* A view that PyTorch does not know as one (unsafe_chunk). */
void
value_forget_base(struct step *step, struct value *value);

/* Strides of a view of `value` with `shape`; false if there is none without a copy. */
bool
value_viewable(const struct value *value, const struct shape *shape, int64_t strides[MEMMODEL_MAX_RANK]);

/* True if nothing else refers to the tensor or its storage. */
bool
value_is_unique(const struct value *value);

/* What the storage is for is decided by what becomes of it; see tensor.c for which change is allowed. */
void
value_becomes(struct step *step, const struct value *value, enum memmodel_category category);

#endif
