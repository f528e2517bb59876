/*
 * ATen operators that rules are made of. Arguments stay the caller's; what is returned is a new reference, and carries
 * the operator's node if a gradient is wanted.
 */
#ifndef PYTORCH_OPERATORS_H
#define PYTORCH_OPERATORS_H

#include "base/checked.h"
#include "frameworks/pytorch/autocast.h"
#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operands.h"
#include "frameworks/pytorch/tensor.h"
#include "memmodel/layers.h"
#include "network/attributes.h"

/* ---- formula.c ---- */

/* aten.NAME.default of one tensor, which has a formula; "tanh_" in place: `x` is returned with one more reference. */
struct value *
aten_unary(struct step *step, const char *name, struct value *x);

/* ---- arithmetic.c: numbers. A Python number becomes a tensor of 8 bytes, then one of the operand's type ---- */

/* x.mul_(2) */
void
number_in_place(struct step *step, int dtype);

/* x * 2 inside a kernel: the number is not kept. */
struct value *
number_result(struct step *step, const struct value *x);

/* x > number, whose reference it takes. */
struct value *
number_compare(struct step *step, const struct value *x, struct value *number);

/* The result of a TensorIterator operation on two operands, their casts freed after it. `dtype` 0: the common type. */
struct value *
binary_result(struct step *step, const struct value *a, const struct value *b, int dtype);

/* ---- arithmetic.c: differentiable ---- */

struct value *
aten_binary(struct step *step, int kind, struct value *a, struct value *b);

/* Into `a`, which is returned with one more reference. */
struct value *
aten_binary_in_place(struct step *step, int kind, struct value *a, struct value *b);

/* A number is a tensor without dims. */
struct value *
aten_where(struct step *step, struct value *condition, struct value *a, struct value *b);

/* x * number inside a C++ composite. */
struct value *
aten_scale(struct step *step, struct value *x);

/* ---- activation.c ---- */

struct value *
aten_softmax(struct step *step, struct value *x);

struct value *
aten_log_softmax(struct step *step, struct value *x);

struct value *
aten_dropout(struct step *step, struct value *x);

/* x times noise of `shape` (NULL: of its own), in place or not. */
struct value *
aten_noise(struct step *step, struct value *x, const struct shape *shape, bool in_place);

/* The gradient of an elementwise operator, laid out after `gradient`, then `saved` (which may be NULL). */
struct value *
gradient_like(struct step *step, const struct value *gradient, const struct value *saved);

/* A copy of a gradient that is not row-major, made by many kernels after their result: freed on return. */
void
contiguous_scratch(struct step *step, const struct value *gradient);

/* ---- aten_ops_fourier.c ---- */

/* x.to(torch.complex64): itself if it is complex. */
struct value *
aten_to_complex(struct step *step, struct value *x);

/* x.conj(): a view of a complex tensor, a real one itself. */
struct value *
aten_conjugate(struct step *step, struct value *x);

/* x.resolve_conj(): itself unless it is a conjugate. */
struct value *
aten_resolve_conjugate(struct step *step, struct value *x);

/* ---- reduction.c: `axes` has a bit per axis; ALL_AXES reduces to one element ---- */

/* True of a half type whose sum over these axes is done in float32, on a copy of all of it. */
bool
is_summed_aside(const struct value *x, uint64_t axes);

struct shape
reduced_shape(const struct value *x, uint64_t axes, bool keep);

struct value *
aten_sum(struct step *step, struct value *x, uint64_t axes, bool keep);

struct value *
aten_mean(struct step *step, struct value *x, uint64_t axes, bool keep);

/* The same with a result of another type: x.sum(dtype=...) */
struct value *
aten_sum_typed(struct step *step, struct value *x, uint64_t axes, bool keep, int dtype);

struct value *
aten_mean_typed(struct step *step, struct value *x, uint64_t axes, bool keep, int dtype);

/* amax or amin */
struct value *
aten_extreme(struct step *step, struct value *x, uint64_t axes, bool keep);

/* Without a node. */
struct value *
mean_result(struct step *step, const struct value *x, uint64_t axes, bool keep);

/*
 * A sum over all of `x` into the one element of `result`, if it is one: from 32,768 elements on with one partial
 * result a thread. PyTorch: aten/src/ATen/native/TensorIteratorReduce.cpp, two_pass_reduction.
 */
void
step_parallel_sum(struct step *step, const struct value *x, const struct value *result);

/* Half types are added up in float32. */
int
reduction_sum_type(int dtype);

/* The same over `axes`; half types are summed in float32 where several axes go. */
void
sum_scratch(struct step *step, const struct value *x, uint64_t axes, const struct value *result);

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

/* .contiguous(memory_format=torch.channels_last) */
struct value *
aten_channels_last(struct step *step, struct value *x);

struct value *
aten_expand(struct step *step, struct value *x, const struct shape *shape);

struct value *
aten_clone(struct step *step, struct value *x);

/* A view whose gradient is zeros of the shape of `x`, filled in. */
struct value *
aten_part(struct step *step, struct value *x, const struct shape *shape, const int64_t *strides);

/* Element `index` of an axis, which goes. */
struct value *
aten_select(struct step *step, struct value *x, int axis);

struct value *
aten_concat(struct step *step, struct value *const *parts, int count, int axis, int dtype);

/* Along a new axis. */
struct value *
aten_stack(struct step *step, struct value *const *parts, int count, int axis);

/* The same where the `count` parts stand for `length`: loops.h. */
struct value *
aten_stack_of(struct step *step, struct value *const *parts, int count, int64_t length, int axis);

/* Views of `count` parts; `parts` lives as long as the step's pool. */
void
aten_split(struct step *step, struct value *x, const struct shape *parts, const int64_t *strides, int count,
           struct value **results);

/* A layer's input in parts of the shapes of its outputs; unsafe: views that do not know they are (unsafe_split). */
void
split_layer(struct step *step, const struct layer *layer, bool unsafe);

/* `x` with its channels second, as PyTorch wants it: itself, or seen so. One more reference either way. */
struct value *
step_channels_first(struct step *step, struct value *x, int layout);

/* The way back; takes the reference. */
struct value *
step_from_channels_first(struct step *step, struct value *x, int layout);

/* ---- convolution_rule.c ---- */

struct convolution;

/* Whether there are rules for convolutions of its type. */
bool
convolution_is_listed(const struct step *step, const struct value *x);

/*
 * `inputs` are input, weight and bias or NULL; `problem` lives as long as the step's pool. `same`: its padding is found
 * so that output = ceil(input / stride).
 */
struct value *
aten_convolution(struct step *step, struct convolution *problem, struct value *const inputs[3], bool same);

/* ---- embedding.c ---- */

struct value *
aten_embedding(struct step *step, struct value *weight, struct value *indices);

/* ---- pooling.c ---- */

/* A derivative of kernels that follow the memory order of their input, which is saved first. */
void
layout_following_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients);

/* ---- resampling.c ---- */

/* torch.nn.functional.interpolate to `shape`; `mode` is of enum memmodel_upsample_mode. */
struct value *
aten_upsample(struct step *step, struct value *x, const struct shape *shape, int mode);

/* `before` and `after` per axis. */
struct value *
aten_circular_pad(struct step *step, struct value *x, const int64_t *before, const int64_t *after);

/* Reflected or replicated edges. */
struct value *
aten_mirror_pad(struct step *step, struct value *x, const struct shape *shape);

/* torch.nn.functional.pad with a constant, to `shape`. */
struct value *
aten_constant_pad(struct step *step, struct value *x, const struct shape *shape);

/* ---- linear.c ---- */

/* `weight` [out, in]; `bias` may be NULL. */
struct value *
aten_linear(struct step *step, struct value *x, struct value *weight, struct value *bias);

struct value *
aten_matmul(struct step *step, struct value *a, struct value *b);

struct value *
aten_mm(struct step *step, struct value *a, struct value *b);

struct value *
aten_bmm(struct step *step, struct value *a, struct value *b);

/* Which of the factors in beta * bias + alpha * a x b are not 1. */
enum addmm_factors { ADDMM_ALPHA = 1, ADDMM_BETA = 2 };

struct value *
aten_addmm(struct step *step, struct value *bias, struct value *a, struct value *b, int factors);

struct value *
aten_baddbmm(struct step *step, struct value *bias, struct value *a, struct value *b, int factors);

/* ---- grouped_products.c ---- */

/* Of matrices, or batches of them; `offsets` is NULL if both are batches. */
struct value *
aten_grouped_mm(struct step *step, struct value *a, struct value *b, struct value *offsets);

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

/* Over the last `axes` axes; weight and bias may be NULL. */
struct value *
aten_layer_norm(struct step *step, struct value *x, int axes, struct value *weight, struct value *bias);

struct value *
aten_group_norm(struct step *step, struct value *x, int64_t groups, struct value *weight, struct value *bias);

/* ---- normalization_composite.c ---- */

struct value *
aten_instance_norm(struct step *step, struct value *x, const struct batch_statistics *statistics);

/* Over the last `axes` axes; weight may be NULL. */
struct value *
aten_rms_norm(struct step *step, struct value *x, int axes, struct value *weight);

/* Tensor.repeat, to `shape`. */
struct value *
aten_repeat(struct step *step, struct value *x, const struct shape *shape);

/* ---- rules.c ---- */

/* For a layer without a rule: its outputs, its inputs saved, gradients like the inputs; named in the report. */
void
estimate_forward(struct step *step, const struct layer *layer);

/* A gradient of the input's shape and the incoming one's type. */
void
input_shaped_gradient(struct step *step, struct node *node, struct value **incoming, struct value **gradients);

/* A gradient like each input, and while they are made so many bytes as the node's number says. */
void
estimate_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients);

/* Names a layer, by its operator, whose bytes are no more than an estimate. */
void
layer_unmodelled(struct step *step, const struct layer *layer, const char *name);

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
