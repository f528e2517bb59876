/*
 * ATen operators that rules are made of. Arguments stay the caller's; what is returned is a new reference, and carries
 * the operator's node if a gradient is wanted.
 */
#ifndef PYTORCH_OPERATORS_H
#define PYTORCH_OPERATORS_H

#include "base/checked.h"
#include "frameworks/pytorch/step.h"
#include "memmodel/layers.h"

/* ---- arithmetic.c: numbers. A Python number becomes a tensor of 8 bytes, then one of the operand's type ---- */

/* x.mul_(2) */
void
number_in_place(struct step *step, int dtype);

/* x * 2 inside a kernel: the number is not kept. */
struct value *
number_result(struct step *step, const struct value *x);

/* x > 0 */
struct value *
number_compare(struct step *step, const struct value *x);

/* The result of a TensorIterator operation on two operands, their casts freed after it. `dtype` 0: the common type. */
struct value *
binary_result(struct step *step, const struct value *a, const struct value *b, int dtype);

/* ---- arithmetic.c: differentiable ---- */

struct value *
aten_binary(struct step *step, int kind, struct value *a, struct value *b);

/* Into `a`, which is returned with one more reference. */
struct value *
aten_binary_in_place(struct step *step, int kind, struct value *a, struct value *b);

/* x * number, the number kept for the backward pass. */
struct value *
aten_times_number(struct step *step, struct value *x);

/* x * number inside a C++ composite. */
struct value *
aten_scale(struct step *step, struct value *x);

/* number - x */
struct value *
aten_number_minus(struct step *step, struct value *x);

/* ---- activation.c ---- */

struct value *
aten_pointwise(struct step *step, int kind, struct value *x);

/* In place where PyTorch can; `x` is returned with one more reference. */
struct value *
aten_pointwise_in_place(struct step *step, int kind, struct value *x);

struct value *
aten_softmax(struct step *step, struct value *x);

struct value *
aten_dropout(struct step *step, struct value *x);

/* The gradient of an elementwise operator, laid out after `gradient`, then `saved` (which may be NULL). */
struct value *
gradient_like(struct step *step, const struct value *gradient, const struct value *saved);

/* A copy of a gradient that is not row-major, made by many kernels after their result: freed on return. */
void
contiguous_scratch(struct step *step, const struct value *gradient);

/* ---- reduction.c: `axes` has a bit per axis; ALL_AXES reduces to one element ---- */

#define ALL_AXES (~UINT64_C(0))

struct shape
reduced_shape(const struct value *x, uint64_t axes, bool keep);

struct value *
aten_sum(struct step *step, struct value *x, uint64_t axes, bool keep);

struct value *
aten_mean(struct step *step, struct value *x, uint64_t axes, bool keep);

/* amax or amin */
struct value *
aten_extreme(struct step *step, struct value *x, uint64_t axes, bool keep);

/* Without a node. */
struct value *
mean_result(struct step *step, const struct value *x, uint64_t axes, bool keep);

/* ---- movement.c ---- */

/* A view, or a copy where there is none. */
struct value *
aten_reshape(struct step *step, struct value *x, const struct shape *shape);

struct value *
aten_permute(struct step *step, struct value *x, const int32_t *axes);

struct value *
aten_transpose(struct step *step, struct value *x, int a, int b);

struct value *
aten_contiguous(struct step *step, struct value *x);

struct value *
aten_expand(struct step *step, struct value *x, const struct shape *shape);

struct value *
aten_clone(struct step *step, struct value *x);

/* Element `index` of an axis, which goes. */
struct value *
aten_select(struct step *step, struct value *x, int axis);

struct value *
aten_concat(struct step *step, struct value *const *parts, int count, int axis);

/* Along a new axis in front of all. */
struct value *
aten_stack(struct step *step, struct value *const *parts, int count);

/* Views of `count` parts; `parts` lives as long as the step's pool. */
void
aten_split(struct step *step, struct value *x, const struct shape *parts, const int64_t *strides, int count,
           struct value **results);

/* ---- resampling.c ---- */

/* torch.nn.functional.pad with a constant, to `shape`. */
struct value *
aten_constant_pad(struct step *step, struct value *x, const struct shape *shape);

/* ---- linear.c ---- */

/* `weight` [out, in]; `bias` may be NULL. */
struct value *
aten_linear(struct step *step, struct value *x, struct value *weight, struct value *bias);

struct value *
aten_matmul(struct step *step, struct value *a, struct value *b);

/* ---- normalization.c ---- */

struct batch_statistics {
    struct value *weight, *bias, *running_mean, *running_var; /* NULL where there is none */
    bool training;                                            /* statistics of the batch, not the running ones */
};

/* Of a batch or instance norm. */
struct batch_statistics
batch_statistics_of(struct step *step, const struct layer *layer);

struct value *
aten_batch_norm(struct step *step, struct value *x, const struct batch_statistics *statistics);

/* ---- rules.c ---- */

/* For a layer without a rule: its outputs, its inputs saved, gradients like the inputs; named in the report. */
void
estimate_forward(struct step *step, const struct layer *layer);

/* ---- rules, by operator ---- */

extern const struct rule pytorch_activation, pytorch_softmax, pytorch_dropout;
extern const struct rule pytorch_batch_norm, pytorch_layer_norm, pytorch_group_norm, pytorch_instance_norm,
    pytorch_rms_norm;
extern const struct rule pytorch_conv, pytorch_conv_transpose;
extern const struct rule pytorch_linear, pytorch_matmul;
extern const struct rule pytorch_pool, pytorch_adaptive_pool, pytorch_global_pool;
extern const struct rule pytorch_upsample, pytorch_pad, pytorch_crop;
extern const struct rule pytorch_concat, pytorch_split, pytorch_slice, pytorch_reshape, pytorch_flatten,
    pytorch_permute, pytorch_expand;
extern const struct rule pytorch_binary, pytorch_reduce;
extern const struct rule pytorch_embedding, pytorch_attention, pytorch_recurrent;
extern const struct rule pytorch_loss, pytorch_custom;

#endif
