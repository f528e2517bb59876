/*
 * The calls that add a layer to a network. Each returns the handle of its (first) output, or a negative enum
 * memmodel_status.
 */
#ifndef MEMMODEL_BUILDER_H
#define MEMMODEL_BUILDER_H

#include "memmodel/layers.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An input of the network.
 *
 * @param[in] network  network
 * @param[in] name     of the input
 * @param[in] dtype    enum memmodel_dtype
 * @param[in] rank     0 to MEMMODEL_MAX_RANK
 * @param[in] dims     `rank` dimensions. @length rank
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_input(memmodel_network *network, const char *name, int dtype, int rank, const memmodel_dim *dims);

/**
 * A tensor of parameters of its own, such as a class token. `trainable` 0 makes it a buffer.
 *
 * @param[in] network  network
 * @param[in] name       of the tensor
 * @param[in] dtype      enum memmodel_dtype
 * @param[in] rank       0 to MEMMODEL_MAX_RANK
 * @param[in] dims       `rank` dimensions. @length rank
 * @param[in] trainable  1: it gets a gradient and optimizer state
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_parameter(memmodel_network *network, const char *name, int dtype, int rank, const memmodel_dim *dims,
                           int trainable);

/**
 * Say how the next input or tensor of parameters lies in memory, as torch.Tensor.stride() and untyped_storage() report
 * it: strides of torch.channels_last, a slice of a larger tensor, or a tensor that shares its memory with another.
 * Without it a tensor is row-major, in a storage of its own that its strides just reach over. "pytorch" follows it,
 * other frameworks take no notice.
 *
 * @param[in] network  network
 * @param[in] storage  input or tensor of parameters in whose storage it lies, which has one of its own and is large
 *                     enough; of a tensor of parameters that of one; MEMMODEL_TENSOR_NONE: in one of its own
 * @param[in] rank     that of the next tensor, or 0: row-major
 * @param[in] strides  distance in elements from one element to the next along each dimension. @length rank
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT. What does not fit the next tensor is refused with it, and so is another
 *          call than memmodel_network_input() or _parameter()
 * @threads the network's
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_network_use_storage(memmodel_network *network, memmodel_tensor storage, int rank, const memmodel_dim *strides);

/**
 * Let the next layer use a tensor of parameters in place of one that it would make for itself: for parameters that
 * stand in an order of their own, are frozen, or are used by several layers.
 *
 * @param[in] network  network
 * @param[in] role     of the parameter in that layer: "weight", "bias", "running_mean", "running_var", and of recurrent
 *                     layers as torch.nn.LSTM has them, such as "weight_ih_l0_reverse"
 * @param[in] tensor   of memmodel_network_parameter(), in the shape that the layer needs. A layer that has no such
 *                     parameter is refused with MEMMODEL_ERROR_INVALID_ARGUMENT, another shape with
 *                     MEMMODEL_ERROR_SHAPE
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (no such tensor, or none of parameters), MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_network_use_parameter(memmodel_network *network, const char *role, memmodel_tensor tensor);

/**
 * Convolution over the 1 to 3 spatial dimensions of [batch, channels, ...].
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_conv(memmodel_network *network, memmodel_tensor x, const struct memmodel_conv *options);

/**
 * Transposed convolution.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_conv_transpose(memmodel_network *network, memmodel_tensor x, const struct memmodel_conv *options);

/**
 * Fully connected layer.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_linear(memmodel_network *network, memmodel_tensor x, const struct memmodel_linear *options);

/**
 * Pooling over windows.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_pool(memmodel_network *network, memmodel_tensor x, const struct memmodel_pool *options);

/**
 * Pooling to a given size.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_adaptive_pool(memmodel_network *network, memmodel_tensor x,
                               const struct memmodel_adaptive_pool *options);

/**
 * Pooling over all spatial dimensions.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  NULL: maximum. @nullable
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_global_pool(memmodel_network *network, memmodel_tensor x, const struct memmodel_global_pool *options);

/**
 * Batch normalisation. Two parameters and two moving statistics per channel.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  NULL for defaults. @nullable
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_batch_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_batch_norm *options);

/**
 * Layer normalisation.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  NULL for defaults. @nullable
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_layer_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_layer_norm *options);

/**
 * Group normalisation.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_group_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_group_norm *options);

/**
 * Instance normalisation.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  NULL for defaults. @nullable
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_instance_norm(memmodel_network *network, memmodel_tensor x,
                               const struct memmodel_instance_norm *options);

/**
 * Root-mean-square normalisation.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  NULL for defaults. @nullable
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_rms_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_rms_norm *options);

/**
 * Activation.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_activation(memmodel_network *network, memmodel_tensor x, const struct memmodel_activation *options);

/**
 * Softmax.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  NULL for defaults. @nullable
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_softmax(memmodel_network *network, memmodel_tensor x, const struct memmodel_softmax *options);

/**
 * Dropout.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  NULL for defaults. @nullable
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_dropout(memmodel_network *network, memmodel_tensor x, const struct memmodel_dropout *options);

/**
 * Table lookup of integer indices.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_embedding(memmodel_network *network, memmodel_tensor x, const struct memmodel_embedding *options);

/**
 * Upsampling of the spatial dimensions.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_upsample(memmodel_network *network, memmodel_tensor x, const struct memmodel_upsample *options);

/**
 * Padding.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_pad(memmodel_network *network, memmodel_tensor x, const struct memmodel_pad *options);

/**
 * Cropping: `before` and `after` elements of each axis go.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_crop(memmodel_network *network, memmodel_tensor x, const struct memmodel_pad *options);

/**
 * Concatenation.
 *
 * @param[in] network  network
 * @param[in] tensors  `count` tensors of one rank and type, equal in all other dimensions. @length count
 * @param[in] count    at least 1
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_concat(memmodel_network *network, const memmodel_tensor *tensors, size_t count,
                        const struct memmodel_concat *options);

/**
 * Split into parts; the others are memmodel_network_layer_output() 1, 2, ...
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_split(memmodel_network *network, memmodel_tensor x, const struct memmodel_split *options);

/**
 * Part of one axis.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_slice(memmodel_network *network, memmodel_tensor x, const struct memmodel_slice *options);

/**
 * The same elements in another shape; at most one dimension is MEMMODEL_DIM_INFER.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] rank     0 to MEMMODEL_MAX_RANK
 * @param[in] dims     `rank` dimensions. @length rank
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_reshape(memmodel_network *network, memmodel_tensor x, int rank, const memmodel_dim *dims);

/**
 * Axes `first` to `last` become one.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] first    axis, from the end if negative
 * @param[in] last     axis, from the end if negative
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_flatten(memmodel_network *network, memmodel_tensor x, int first, int last);

/**
 * Axes in another order.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] rank     the rank of `x`
 * @param[in] axes     `rank` axes: one axis of the input per axis of the output, from the end if negative. @length rank
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_permute(memmodel_network *network, memmodel_tensor x, int rank, const int *axes);

/**
 * Axes of size 1 repeated, and new axes in front; MEMMODEL_DIM_INFER keeps an axis.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] rank     at least the rank of `x`
 * @param[in] dims     `rank` dimensions. @length rank
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_expand(memmodel_network *network, memmodel_tensor x, int rank, const memmodel_dim *dims);

/**
 * Two tensors element by element.
 *
 * @param[in] network  network
 * @param[in] a        first tensor
 * @param[in] b        second tensor
 * @param[in] options  NULL for defaults. @nullable
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_binary(memmodel_network *network, memmodel_tensor a, memmodel_tensor b,
                        const struct memmodel_binary *options);

/**
 * Matrix product.
 *
 * @param[in] network  network
 * @param[in] a        first tensor
 * @param[in] b        second tensor
 * @param[in] options  NULL for defaults. @nullable
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_matmul(memmodel_network *network, memmodel_tensor a, memmodel_tensor b,
                        const struct memmodel_matmul *options);

/**
 * Reduction.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_reduce(memmodel_network *network, memmodel_tensor x, const struct memmodel_reduce *options);

/**
 * Scaled dot-product attention.
 *
 * @param[in] network  network
 * @param[in] query    [batch, heads, length, width]
 * @param[in] key      [batch, heads, keys, width]
 * @param[in] value    [batch, heads, keys, value width]
 * @param[in] mask     added to the scores, broadcast to [batch, heads, length, keys]; MEMMODEL_TENSOR_NONE if none
 * @param[in] options  NULL for defaults. @nullable
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_attention(memmodel_network *network, memmodel_tensor query, memmodel_tensor key, memmodel_tensor value,
                           memmodel_tensor mask, const struct memmodel_attention *options);

/**
 * Recurrent layers; initial states are zero.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_recurrent(memmodel_network *network, memmodel_tensor x, const struct memmodel_recurrent *options);

/**
 * Loss.
 *
 * @param[in] network  network
 * @param[in] x        prediction
 * @param[in] target   target
 * @param[in] options  NULL for defaults. @nullable
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_loss(memmodel_network *network, memmodel_tensor x, memmodel_tensor target,
                      const struct memmodel_loss *options);

/**
 * An operator declared by what it holds.
 *
 * @param[in] network  network
 * @param[in] inputs   `count` tensors. @length count
 * @param[in] count    may be 0
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_custom(memmodel_network *network, const memmodel_tensor *inputs, size_t count,
                        const struct memmodel_custom *options);
#ifdef __cplusplus
}
#endif

#endif
