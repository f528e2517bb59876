/*
 * The options of layers: one struct per family of layers.
 *
 * Options read like keyword arguments: memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 16, .kernel = {3})). Zero
 * means the default for every field. C++ and foreign-function users fill the struct and set its size.
 */
#ifndef MEMMODEL_LAYERS_H
#define MEMMODEL_LAYERS_H

#include "memmodel/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Padding of a convolution or pooling. @since 0.1 */
enum memmodel_auto_pad {
    MEMMODEL_AUTO_PAD_EXPLICIT = 0, /**< as `pad` says, which is none by default */
    MEMMODEL_AUTO_PAD_VALID = 1,    /**< none */
    MEMMODEL_AUTO_PAD_SAME = 2,     /**< output = ceil(input / stride); the odd element goes to the end */
};

/** Element by element, none with parameters except PRELU. @since 0.1 */
enum memmodel_activation_kind {
    MEMMODEL_ACTIVATION_NONE = 0,         /**< the input itself */
    MEMMODEL_ACTIVATION_RELU = 1,         /**< max(x, 0) */
    MEMMODEL_ACTIVATION_LEAKY_RELU = 2,   /**< x above 0, a x below */
    MEMMODEL_ACTIVATION_ELU = 3,          /**< x above 0, a (exp(x) - 1) below */
    MEMMODEL_ACTIVATION_SELU = 4,         /**< ELU, scaled to keep mean and variance */
    MEMMODEL_ACTIVATION_GELU = 5,         /**< x times the normal distribution function of x */
    MEMMODEL_ACTIVATION_GELU_TANH = 6,    /**< GELU, approximated by a tanh */
    MEMMODEL_ACTIVATION_SILU = 7,         /**< x sigmoid(x) */
    MEMMODEL_ACTIVATION_SIGMOID = 8,      /**< 1 / (1 + exp(-x)) */
    MEMMODEL_ACTIVATION_TANH = 9,         /**< tanh(x) */
    MEMMODEL_ACTIVATION_HARDSWISH = 10,   /**< x hardsigmoid(x) */
    MEMMODEL_ACTIVATION_HARDSIGMOID = 11, /**< min(max(x + 3, 0), 6) / 6 */
    MEMMODEL_ACTIVATION_RELU6 = 12,       /**< min(max(x, 0), 6) */
    MEMMODEL_ACTIVATION_SOFTPLUS = 13,    /**< log(1 + exp(x)) */
    MEMMODEL_ACTIVATION_MISH = 14,        /**< x tanh(softplus(x)) */
    MEMMODEL_ACTIVATION_PRELU = 15,       /**< one parameter per channel, or one for all: see memmodel_activation */
    MEMMODEL_ACTIVATION_EXP = 16,         /**< exp(x) */
    MEMMODEL_ACTIVATION_LOG = 17,         /**< natural logarithm */
    MEMMODEL_ACTIVATION_SQRT = 18,        /**< square root */
    MEMMODEL_ACTIVATION_SQUARE = 19,      /**< x x */
    MEMMODEL_ACTIVATION_ABS = 20,         /**< absolute value */
    MEMMODEL_ACTIVATION_NEGATE = 21,      /**< -x */
};

/**
 * Convolution. With `d` spatial dimensions the first d numbers of each array count.
 *
 * Output, per dimension: floor((input + 2 pad - dilation (kernel - 1) - 1) / stride) + 1 (PyTorch, torch.nn.Conv2d);
 * transposed: (input - 1) stride - 2 pad + dilation (kernel - 1) + output_padding + 1 (torch.nn.ConvTranspose2d), and
 * with MEMMODEL_AUTO_PAD_SAME input * stride. Parameters: kernel elements * channels in / groups * filters, and the
 * bias.
 *
 * @since 0.1
 */
struct memmodel_conv {
    size_t size;               /**< sizeof(struct memmodel_conv) */
    const char *name;          /**< of the layer; NULL: made from the operator and a number. @nullable */
    int64_t filters;           /**< channels of the output */
    int64_t kernel[3];         /**< size; a 0 after the first repeats the first */
    int64_t stride[3];         /**< @default 1; a 0 after the first repeats the first */
    int64_t dilation[3];       /**< @default 1; a 0 after the first repeats the first */
    int64_t padding[3];        /**< elements before and after, for MEMMODEL_AUTO_PAD_EXPLICIT; not repeated */
    int64_t output_padding[3]; /**< transposed only: elements added at the end of the output; not repeated */
    int64_t groups;            /**< @default 1 */
    int32_t auto_pad;          /**< enum memmodel_auto_pad */
    int32_t layout;            /**< enum memmodel_layout */
    int32_t no_bias;           /**< 1: no bias */
    int32_t activation;        /**< enum memmodel_activation_kind applied to the result, counted as one layer with it */
    const char *tied_to;       /**< name of an earlier layer whose parameters this one uses; NULL: its own. @nullable */
};

/** Fully connected: the last dimension becomes `units`. Parameters: in * units, and units for the bias. @since 0.1 */
struct memmodel_linear {
    size_t size;         /**< sizeof(struct memmodel_linear) */
    const char *name;    /**< of the layer. @nullable */
    int64_t units;       /**< size of the last dimension of the output */
    int32_t no_bias;     /**< 1: no bias */
    int32_t activation;  /**< enum memmodel_activation_kind applied to the result, counted as one layer with it */
    const char *tied_to; /**< name of an earlier layer whose parameters this one uses; NULL: its own. @nullable */
};

/** How a window is pooled. @since 0.1 */
enum memmodel_pool_kind {
    MEMMODEL_POOL_MAX = 0,     /**< greatest */
    MEMMODEL_POOL_AVERAGE = 1, /**< arithmetic mean */
};

/** How elements are reduced. @since 0.1 */
enum memmodel_reduce_kind {
    MEMMODEL_REDUCE_MAX = 0,     /**< greatest */
    MEMMODEL_REDUCE_MEAN = 1,    /**< arithmetic mean */
    MEMMODEL_REDUCE_SUM = 2,     /**< sum */
    MEMMODEL_REDUCE_MIN = 3,     /**< least */
    MEMMODEL_REDUCE_PRODUCT = 4, /**< product */
};

/** Pooling over windows. @since 0.1 */
struct memmodel_pool {
    size_t size;         /**< sizeof(struct memmodel_pool) */
    const char *name;    /**< of the layer. @nullable */
    int64_t kernel[3];   /**< size; a 0 after the first repeats the first */
    int64_t stride[3];   /**< @default the kernel; a 0 after the first repeats the first */
    int64_t dilation[3]; /**< @default 1; max only */
    int64_t padding[3];  /**< elements before and after, at most half the kernel; not repeated */
    int32_t auto_pad;    /**< enum memmodel_auto_pad */
    int32_t layout;      /**< enum memmodel_layout */
    int32_t kind;        /**< enum memmodel_pool_kind */
    int32_t ceil_mode;   /**< 1: the last window may begin inside and end outside (PyTorch's ceil_mode) */
};

/** Pooling to a given output size. @since 0.1 */
struct memmodel_adaptive_pool {
    size_t size;            /**< sizeof(struct memmodel_adaptive_pool) */
    const char *name;       /**< of the layer. @nullable */
    int64_t output_size[3]; /**< size; a 0 after the first repeats the first. All zero: 1 */
    int32_t layout;         /**< enum memmodel_layout */
    int32_t kind;           /**< enum memmodel_pool_kind */
};

/** Pooling over all spatial dimensions. @since 0.1 */
struct memmodel_global_pool {
    size_t size;       /**< sizeof(struct memmodel_global_pool) */
    const char *name;  /**< of the layer. @nullable */
    int32_t layout;    /**< enum memmodel_layout */
    int32_t kind;      /**< enum memmodel_pool_kind */
    int32_t keep_dims; /**< 1: keep the spatial dimensions as 1 */
    int32_t reserved;  /**< 0 */
};

/** Batch normalisation, per channel. Two parameters and two running statistics per channel. @since 0.1 */
struct memmodel_batch_norm {
    size_t size;              /**< sizeof(struct memmodel_batch_norm) */
    const char *name;         /**< of the layer. @nullable */
    int32_t layout;           /**< enum memmodel_layout */
    int32_t no_affine;        /**< 1: no scale and shift */
    int32_t no_running_stats; /**< 1: no running mean and variance */
    int32_t reserved;         /**< 0 */
};

/** Layer normalisation over the last `axis_count` dimensions. @since 0.1 */
struct memmodel_layer_norm {
    size_t size;        /**< sizeof(struct memmodel_layer_norm) */
    const char *name;   /**< of the layer. @nullable */
    int64_t axis_count; /**< number of last dimensions. @default 1 */
    int32_t no_affine;  /**< 1: no scale and shift */
    int32_t no_bias;    /**< 1: scale only */
};

/** Group normalisation: over `groups` groups of channels. @since 0.1 */
struct memmodel_group_norm {
    size_t size;       /**< sizeof(struct memmodel_group_norm) */
    const char *name;  /**< of the layer. @nullable */
    int64_t groups;    /**< number of groups */
    int32_t layout;    /**< enum memmodel_layout */
    int32_t no_affine; /**< 1: no scale and shift */
};

/** Instance normalisation: per image and channel, without parameters unless `affine` is 1. @since 0.1 */
struct memmodel_instance_norm {
    size_t size;      /**< sizeof(struct memmodel_instance_norm) */
    const char *name; /**< of the layer. @nullable */
    int32_t layout;   /**< enum memmodel_layout */
    int32_t affine;   /**< 1: with scale and shift */
};

/** Root-mean-square normalisation over the last `axis_count` dimensions. @since 0.1 */
struct memmodel_rms_norm {
    size_t size;        /**< sizeof(struct memmodel_rms_norm) */
    const char *name;   /**< of the layer. @nullable */
    int64_t axis_count; /**< number of last dimensions. @default 1 */
    int32_t no_affine;  /**< 1: no scale */
    int32_t reserved;   /**< 0 */
};

/** Activation as a layer of its own. @since 0.1 */
struct memmodel_activation {
    size_t size;              /**< sizeof(struct memmodel_activation) */
    const char *name;         /**< of the layer. @nullable */
    int32_t kind;             /**< enum memmodel_activation_kind */
    int32_t in_place;         /**< 1: the input's memory becomes the output's, where the framework can */
    int32_t single_parameter; /**< PRELU, 1: one parameter for all channels */
    int32_t layout;           /**< PRELU: enum memmodel_layout */
};

/** Softmax over one axis. @since 0.1 */
struct memmodel_softmax {
    size_t size;         /**< sizeof(struct memmodel_softmax) */
    const char *name;    /**< of the layer. @nullable */
    int32_t axis;        /**< counts from the end if negative; 0 means the last */
    int32_t logarithmic; /**< 1: log softmax */
};

/** Dropout. @since 0.1 */
struct memmodel_dropout {
    size_t size;         /**< sizeof(struct memmodel_dropout) */
    const char *name;    /**< of the layer. @nullable */
    double rate;         /**< share that is dropped, 0 to 1. @default 0.5 */
    int32_t channelwise; /**< 1: whole channels (dropout2d, dropout3d) */
    int32_t in_place;    /**< 1: in place, where the framework can */
    int32_t identity;    /**< 1: rate 0, the input itself */
    int32_t layout;      /**< of `channelwise`: enum memmodel_layout */
};

/** Table lookup: adds a last dimension. Parameters: rows * width. @since 0.1 */
struct memmodel_embedding {
    size_t size;            /**< sizeof(struct memmodel_embedding) */
    const char *name;       /**< of the layer. @nullable */
    int64_t num_embeddings; /**< entries of the table */
    int64_t embedding_dim;  /**< elements of an entry */
    int32_t dtype;          /**< enum memmodel_dtype of the table. @default float32 */
    int32_t reserved;       /**< 0 */
    const char *tied_to;    /**< name of an earlier layer whose parameters this one uses; NULL: its own. @nullable */
};

/** How upsampling fills in. @since 0.1 */
enum memmodel_interpolation {
    MEMMODEL_INTERPOLATION_NEAREST = 0, /**< the nearest element */
    MEMMODEL_INTERPOLATION_LINEAR = 1,  /**< linear, bilinear or trilinear */
    MEMMODEL_INTERPOLATION_CUBIC = 2,   /**< bicubic */
};

/** Upsampling of the spatial dimensions. @since 0.1 */
struct memmodel_upsample {
    size_t size;            /**< sizeof(struct memmodel_upsample) */
    const char *name;       /**< of the layer. @nullable */
    int64_t scale[3];       /**< whole factor; a 0 after the first repeats the first */
    int64_t output_size[3]; /**< instead of scale: sizes of the output */
    int32_t kind;           /**< enum memmodel_interpolation */
    int32_t layout;         /**< enum memmodel_layout */
};

/** How padding fills in. @since 0.1 */
enum memmodel_pad_kind {
    MEMMODEL_PAD_CONSTANT = 0,  /**< one value */
    MEMMODEL_PAD_REFLECT = 1,   /**< mirrored at the outermost element, which is not repeated */
    MEMMODEL_PAD_REPLICATE = 2, /**< the outermost element */
    MEMMODEL_PAD_CIRCULAR = 3,  /**< from the other end */
};

/** Padding, or cropping, of any axis. @since 0.1 */
struct memmodel_pad {
    size_t size;                       /**< sizeof(struct memmodel_pad) */
    const char *name;                  /**< of the layer. @nullable */
    int64_t before[MEMMODEL_MAX_RANK]; /**< elements added (pad) or removed (crop) at the start of each axis */
    int64_t after[MEMMODEL_MAX_RANK];  /**< the same at the end */
    int32_t kind;                      /**< enum memmodel_pad_kind; ignored by crop */
    int32_t reserved;                  /**< 0 */
};

/** Concatenation. @since 0.1 */
struct memmodel_concat {
    size_t size;            /**< sizeof(struct memmodel_concat) */
    const char *name;       /**< of the layer. @nullable */
    int32_t axis;           /**< counts from the end if negative; see channels */
    int32_t along_channels; /**< 1: along the channels of `layout`; `axis` is ignored */
    int32_t layout;         /**< enum memmodel_layout */
    int32_t reserved;       /**< 0 */
};

/** Split into parts along an axis: `parts` equal ones, or `sizes`. Outputs: memmodel_network_layer_output().
 *  @since 0.1 */
struct memmodel_split {
    size_t size;               /**< sizeof(struct memmodel_split) */
    const char *name;          /**< of the layer. @nullable */
    const memmodel_dim *sizes; /**< `parts` sizes; NULL: equal parts. @length parts @nullable */
    int32_t parts;             /**< number of parts */
    int32_t axis;              /**< counts from the end if negative */
};

/** Part of one axis: elements start, start + step, ... below stop. @since 0.1 */
struct memmodel_slice {
    size_t size;        /**< sizeof(struct memmodel_slice) */
    const char *name;   /**< of the layer. @nullable */
    memmodel_dim start; /**< first element */
    memmodel_dim stop;  /**< one after the last; 0: the end */
    int64_t step;       /**< @default 1 */
    int32_t axis;       /**< counts from the end if negative */
    int32_t squeeze;    /**< 1: a single element, and the axis goes (x[:, 3]) */
};

/** Two tensors element by element, with NumPy's broadcasting. @since 0.1 */
enum memmodel_binary_kind {
    MEMMODEL_BINARY_ADD = 0,      /**< a + b */
    MEMMODEL_BINARY_SUBTRACT = 1, /**< a - b */
    MEMMODEL_BINARY_MULTIPLY = 2, /**< a b */
    MEMMODEL_BINARY_DIVIDE = 3,   /**< a / b */
    MEMMODEL_BINARY_MAXIMUM = 4,  /**< the greater one */
    MEMMODEL_BINARY_MINIMUM = 5,  /**< the lesser one */
};

/** Binary operator. @since 0.1 */
struct memmodel_binary {
    size_t size;      /**< sizeof(struct memmodel_binary) */
    const char *name; /**< of the layer. @nullable */
    int32_t kind;     /**< enum memmodel_binary_kind */
    int32_t in_place; /**< 1: into the first tensor's memory, where the framework can */
};

/** Matrix product of the last two dimensions, the others broadcast. @since 0.1 */
struct memmodel_matmul {
    size_t size;         /**< sizeof(struct memmodel_matmul) */
    const char *name;    /**< of the layer. @nullable */
    int32_t transpose_a; /**< 1: the first matrix is transposed */
    int32_t transpose_b; /**< 1: the second matrix is transposed */
};

/** Reduction over axes. @since 0.1 */
struct memmodel_reduce {
    size_t size;                     /**< sizeof(struct memmodel_reduce) */
    const char *name;                /**< of the layer. @nullable */
    int32_t axes[MEMMODEL_MAX_RANK]; /**< `axis_count` axes, from the end if negative */
    int32_t axis_count;              /**< 0: all axes */
    int32_t kind;                    /**< enum memmodel_reduce_kind */
    int32_t keep_dims;               /**< 1: keep the axes as 1 */
    int32_t reserved;                /**< 0 */
};

/** Scaled dot-product attention of query, key and value [batch, heads, length, width]. @since 0.1 */
struct memmodel_attention {
    size_t size;           /**< sizeof(struct memmodel_attention) */
    const char *name;      /**< of the layer. @nullable */
    double dropout;        /**< rate of the attention dropout. @default 0 */
    int32_t causal;        /**< 1: no element attends to a later one */
    int32_t grouped_query; /**< 1: fewer key and value heads than query heads */
};

/** Kind of a recurrent layer. @since 0.1 */
enum memmodel_recurrent_kind {
    MEMMODEL_RECURRENT_LSTM = 0,     /**< long short-term memory: 4 gates */
    MEMMODEL_RECURRENT_GRU = 1,      /**< gated recurrent unit: 3 gates */
    MEMMODEL_RECURRENT_RNN_TANH = 2, /**< 1 gate, tanh */
    MEMMODEL_RECURRENT_RNN_RELU = 3, /**< 1 gate, ReLU */
};

/**
 * Recurrent layers over [length, batch, features]. Outputs: memmodel_network_layer_output() 0 is the sequence
 * [length, batch, directions * width], 1 the last hidden states [layers * directions, batch, width], 2 the last cell
 * states (LSTM). Parameters as torch.nn.LSTM: per layer and direction gates * hidden * (input + width) and two biases.
 *
 * @since 0.1
 */
struct memmodel_recurrent {
    size_t size;             /**< sizeof(struct memmodel_recurrent) */
    const char *name;        /**< of the layer. @nullable */
    int64_t hidden_size;     /**< size of the state */
    int64_t layer_count;     /**< @default 1 */
    int64_t projection_size; /**< LSTM: width of the projected output; 0: none */
    double dropout;          /**< between layers */
    int32_t kind;            /**< enum memmodel_recurrent_kind */
    int32_t bidirectional;   /**< 1: both directions */
    int32_t batch_first;     /**< 1: input and output are [batch, length, features] */
    int32_t no_bias;         /**< 1: no biases */
};

/** Loss functions. @since 0.1 */
enum memmodel_loss_kind {
    MEMMODEL_LOSS_CROSS_ENTROPY = 0,        /**< of logits [batch, classes, ...] and integer classes [batch, ...] */
    MEMMODEL_LOSS_BINARY_CROSS_ENTROPY = 1, /**< of probabilities */
    MEMMODEL_LOSS_BINARY_CROSS_ENTROPY_WITH_LOGITS = 2, /**< of logits */
    MEMMODEL_LOSS_MEAN_SQUARED_ERROR = 3,               /**< (x - target)^2 */
    MEMMODEL_LOSS_MEAN_ABSOLUTE_ERROR = 4,              /**< |x - target| */
    MEMMODEL_LOSS_SMOOTH_L1 = 5,                        /**< squared near 0, absolute beyond */
    MEMMODEL_LOSS_NEGATIVE_LOG_LIKELIHOOD = 6, /**< of log probabilities [batch, classes, ...] and integer classes */
    MEMMODEL_LOSS_KL_DIVERGENCE = 7,           /**< of log probabilities and probabilities */
    MEMMODEL_LOSS_DICE = 8,                    /**< 1 - 2 sum(p t) / (sum(p) + sum(t)) */
};

/** Loss: a scalar, or the shape of the target with MEMMODEL_LOSS_REDUCTION_NONE. @since 0.1 */
struct memmodel_loss {
    size_t size;       /**< sizeof(struct memmodel_loss) */
    const char *name;  /**< of the layer. @nullable */
    int32_t kind;      /**< enum memmodel_loss_kind */
    int32_t reduction; /**< enum memmodel_loss_reduction */
};

/** How a loss is reduced. @since 0.1 */
enum memmodel_loss_reduction {
    MEMMODEL_LOSS_REDUCTION_MEAN = 0, /**< mean over all elements */
    MEMMODEL_LOSS_REDUCTION_SUM = 1,  /**< sum over all elements */
    MEMMODEL_LOSS_REDUCTION_NONE = 2, /**< one loss per element */
};

/**
 * What an operator needs for inputs of known shapes.
 *
 * @since 0.1
 */
struct memmodel_custom_requirements {
    size_t size;                      /**< filled by the library */
    int64_t saved_bytes;              /**< kept from forward to backward, besides inputs and outputs. @unit bytes */
    int64_t forward_workspace_bytes;  /**< needed while the forward pass of the operator runs. @unit bytes */
    int64_t backward_workspace_bytes; /**< needed while its backward pass runs. @unit bytes */
    int64_t multiply_adds;            /**< multiplications with addition of the forward pass */
};

/**
 * Says what a custom operator needs where no expression can. Called by memmodel_estimate() once for each layer that has
 * one, and by memmodel_estimate_max() once for each such layer and value that it tries; layers in the order of the
 * network, when every shape has been checked, whatever the framework.
 *
 * The same shapes must give the same requirements, and larger ones no smaller ones. It may not use the objects of the
 * running call nor their contexts, and may not leave by longjmp() or an exception.
 *
 * @param[in]     user          of struct memmodel_custom. @nullable
 * @param[in]     inputs        shapes of the layer's inputs, all of numbers. @length count
 * @param[in]     count         number of inputs
 * @param[in,out] requirements  the numbers of struct memmodel_custom; those that the callback knows better are set,
 *                              none negative
 * @returns 0; anything else lets the running call fail with MEMMODEL_ERROR_CALLBACK, which names the layer
 * @threads that of the running call; calls in several threads on one network call it at the same time
 * @since 0.1
 */
typedef int (*memmodel_custom_callback)(void *user, const struct memmodel_shape *inputs, size_t count,
                                        struct memmodel_custom_requirements *requirements);

/**
 * An operator that is no layer of this library, declared by what it holds. Each number may be an expression
 * (memmodel_network_expression()). A network with a `rule` cannot be written as JSON.
 *
 * With an `operation` it is an operator of a framework by the framework's own name. A framework that has a rule of that
 * name runs it by that rule, with the layer's inputs (MEMMODEL_TENSOR_NONE where an optional one is missing), outputs
 * and `attributes`; any other takes what is declared, and "pytorch" names it among the unmodelled.
 *
 * @since 0.1
 */
struct memmodel_custom {
    size_t size;                          /**< sizeof(struct memmodel_custom) */
    const char *name;                     /**< of the layer. @nullable */
    const struct memmodel_shape *outputs; /**< `output_count` shapes. @length output_count */
    int32_t output_count;                 /**< at least 1 */
    int32_t parameter_dtype;              /**< enum memmodel_dtype */
    memmodel_dim parameter_count;         /**< trainable parameters. @unit elements */
    memmodel_dim saved_bytes;             /**< kept from forward to backward, besides inputs and outputs. @unit bytes */
    memmodel_dim forward_workspace_bytes; /**< needed while the forward pass of the operator runs. @unit bytes */
    memmodel_dim backward_workspace_bytes; /**< needed while its backward pass runs. @unit bytes */
    memmodel_dim multiply_adds; /**< multiplications with addition of the forward pass. @default those of the matrix
                                     products and convolutions that an ATen `operation` is made of, else 0 */
    /** corrects these numbers in each query; lives as long as the network. @nullable */
    memmodel_custom_callback callback;
    void *user;             /**< handed to each call of `callback`. @nullable */
    const char *operation;  /**< such as "aten.pow.Tensor_Scalar"; printable ASCII. @nullable */
    const char *attributes; /**< what else it was called with, such as "dim=1 keepdim=1 size=2,3"; printable ASCII:
                                    names with numbers, lists of numbers or words. @nullable */
};

/* Options as keyword arguments: MEMMODEL_CONV(.filters = 16, ...) is a pointer to a struct with its size set. */
#ifndef __cplusplus
#define MEMMODEL_CONV(...) (&(struct memmodel_conv){.size = sizeof(struct memmodel_conv), __VA_ARGS__})
#define MEMMODEL_LINEAR(...) (&(struct memmodel_linear){.size = sizeof(struct memmodel_linear), __VA_ARGS__})
#define MEMMODEL_POOL(...) (&(struct memmodel_pool){.size = sizeof(struct memmodel_pool), __VA_ARGS__})
#define MEMMODEL_ADAPTIVE_POOL(...)                                                                                    \
    (&(struct memmodel_adaptive_pool){.size = sizeof(struct memmodel_adaptive_pool), __VA_ARGS__})
#define MEMMODEL_GLOBAL_POOL(...)                                                                                      \
    (&(struct memmodel_global_pool){.size = sizeof(struct memmodel_global_pool), __VA_ARGS__})
#define MEMMODEL_BATCH_NORM(...)                                                                                       \
    (&(struct memmodel_batch_norm){.size = sizeof(struct memmodel_batch_norm), __VA_ARGS__})
#define MEMMODEL_LAYER_NORM(...)                                                                                       \
    (&(struct memmodel_layer_norm){.size = sizeof(struct memmodel_layer_norm), __VA_ARGS__})
#define MEMMODEL_GROUP_NORM(...)                                                                                       \
    (&(struct memmodel_group_norm){.size = sizeof(struct memmodel_group_norm), __VA_ARGS__})
#define MEMMODEL_INSTANCE_NORM(...)                                                                                    \
    (&(struct memmodel_instance_norm){.size = sizeof(struct memmodel_instance_norm), __VA_ARGS__})
#define MEMMODEL_RMS_NORM(...) (&(struct memmodel_rms_norm){.size = sizeof(struct memmodel_rms_norm), __VA_ARGS__})
#define MEMMODEL_ACTIVATION(...)                                                                                       \
    (&(struct memmodel_activation){.size = sizeof(struct memmodel_activation), __VA_ARGS__})
#define MEMMODEL_SOFTMAX(...) (&(struct memmodel_softmax){.size = sizeof(struct memmodel_softmax), __VA_ARGS__})
#define MEMMODEL_DROPOUT(...) (&(struct memmodel_dropout){.size = sizeof(struct memmodel_dropout), __VA_ARGS__})
#define MEMMODEL_EMBEDDING(...) (&(struct memmodel_embedding){.size = sizeof(struct memmodel_embedding), __VA_ARGS__})
#define MEMMODEL_UPSAMPLE(...) (&(struct memmodel_upsample){.size = sizeof(struct memmodel_upsample), __VA_ARGS__})
#define MEMMODEL_PAD(...) (&(struct memmodel_pad){.size = sizeof(struct memmodel_pad), __VA_ARGS__})
#define MEMMODEL_CONCAT(...) (&(struct memmodel_concat){.size = sizeof(struct memmodel_concat), __VA_ARGS__})
#define MEMMODEL_SPLIT(...) (&(struct memmodel_split){.size = sizeof(struct memmodel_split), __VA_ARGS__})
#define MEMMODEL_SLICE(...) (&(struct memmodel_slice){.size = sizeof(struct memmodel_slice), __VA_ARGS__})
#define MEMMODEL_BINARY(...) (&(struct memmodel_binary){.size = sizeof(struct memmodel_binary), __VA_ARGS__})
#define MEMMODEL_MATMUL(...) (&(struct memmodel_matmul){.size = sizeof(struct memmodel_matmul), __VA_ARGS__})
#define MEMMODEL_REDUCE(...) (&(struct memmodel_reduce){.size = sizeof(struct memmodel_reduce), __VA_ARGS__})
#define MEMMODEL_ATTENTION(...) (&(struct memmodel_attention){.size = sizeof(struct memmodel_attention), __VA_ARGS__})
#define MEMMODEL_RECURRENT(...) (&(struct memmodel_recurrent){.size = sizeof(struct memmodel_recurrent), __VA_ARGS__})
#define MEMMODEL_LOSS(...) (&(struct memmodel_loss){.size = sizeof(struct memmodel_loss), __VA_ARGS__})
#define MEMMODEL_CUSTOM(...) (&(struct memmodel_custom){.size = sizeof(struct memmodel_custom), __VA_ARGS__})
#endif
#ifdef __cplusplus
}
#endif

#endif
