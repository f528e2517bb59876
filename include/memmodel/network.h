/*
 * Networks, built call by call. Dimensions may be symbols, so that one network answers for every batch size.
 *
 * Tensors are handles. A builder call returns the handle of its (first) output; a negative handle is the status of an
 * error, passes through every later call, and so a chain is checked once at its end: memmodel_network_status() returns the
 * status of the first error and puts its text on the context.
 *
 * Options read like keyword arguments: memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 16, .kernel = {3, 3, 3})).
 * Zero means the default for every field. C++ and foreign-function users fill the struct and set its size.
 *
 * Threads: a network belongs to one thread while it is built. Once no builder call is made any more it is only read, by any
 * number of threads.
 */
#ifndef MEMMODEL_NETWORK_H
#define MEMMODEL_NETWORK_H

#include "memmodel/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A network. @since 0.1 */
typedef struct memmodel_network memmodel_network;

/**
 * A dimension: 0 or positive is a constant, negative a symbol or an expression of symbols of one network.
 *
 * @since 0.1
 */
typedef int64_t memmodel_dim;

/** A tensor of one network; negative is an enum memmodel_status. @since 0.1 */
typedef int32_t memmodel_tensor;

/** Most dimensions a tensor can have. @since 0.1 */
#define MEMMODEL_MAX_RANK 8

/** In memmodel_network_reshape() and memmodel_network_expand(): the dimension that follows from the others. @since 0.1 */
#define MEMMODEL_INFER INT64_MIN

/** In place of an optional tensor. @since 0.1 */
#define MEMMODEL_NO_TENSOR (-1000)

/** Type of a tensor's elements. @since 0.1 */
enum memmodel_dtype {
    MEMMODEL_DTYPE_DEFAULT = 0, /**< float32, or the type of the first input */
    MEMMODEL_FLOAT32 = 1,
    MEMMODEL_FLOAT64 = 2,
    MEMMODEL_FLOAT16 = 3,
    MEMMODEL_BFLOAT16 = 4,
    MEMMODEL_INT64 = 5,
    MEMMODEL_INT32 = 6,
    MEMMODEL_INT8 = 7,
    MEMMODEL_UINT8 = 8,
    MEMMODEL_BOOL = 9,
};

/** Where the channels of an image are. @since 0.1 */
enum memmodel_layout {
    MEMMODEL_LAYOUT_DEFAULT = 0, /**< the network's */
    MEMMODEL_CHANNELS_FIRST = 1, /**< batch, channels, spatial dimensions */
    MEMMODEL_CHANNELS_LAST = 2,  /**< batch, spatial dimensions, channels */
};

/** Padding of a convolution or pooling. @since 0.1 */
enum memmodel_padding {
    MEMMODEL_EXPLICIT = 0, /**< as `pad` says, which is none by default */
    MEMMODEL_VALID = 1,    /**< none */
    MEMMODEL_SAME = 2,     /**< output = ceil(input / stride); the odd element goes to the end */
};

/** Element by element, none with parameters except PRELU. @since 0.1 */
enum memmodel_activation_kind {
    MEMMODEL_ACTIVATION_NONE = 0,
    MEMMODEL_RELU = 1,
    MEMMODEL_LEAKY_RELU = 2,
    MEMMODEL_ELU = 3,
    MEMMODEL_SELU = 4,
    MEMMODEL_GELU = 5,
    MEMMODEL_GELU_TANH = 6,
    MEMMODEL_SILU = 7,
    MEMMODEL_SIGMOID = 8,
    MEMMODEL_TANH = 9,
    MEMMODEL_HARDSWISH = 10,
    MEMMODEL_HARDSIGMOID = 11,
    MEMMODEL_RELU6 = 12,
    MEMMODEL_SOFTPLUS = 13,
    MEMMODEL_MISH = 14,
    MEMMODEL_PRELU = 15, /**< one parameter per channel, or one for all: see memmodel_activation */
    MEMMODEL_EXP = 16,
    MEMMODEL_LOG = 17,
    MEMMODEL_SQRT = 18,
    MEMMODEL_SQUARE = 19,
    MEMMODEL_ABS = 20,
    MEMMODEL_NEGATE = 21,
};

/**
 * Convolution. With `d` spatial dimensions the first d numbers of each array count.
 *
 * Output, per dimension: floor((input + 2 pad - dilation (kernel - 1) - 1) / stride) + 1 (PyTorch, torch.nn.Conv2d);
 * transposed: (input - 1) stride - 2 pad + dilation (kernel - 1) + output_padding + 1 (torch.nn.ConvTranspose2d), and with
 * MEMMODEL_SAME input * stride. Parameters: kernel elements * channels in / groups * filters, and filters for the bias.
 *
 * @since 0.1
 */
struct memmodel_conv {
    size_t size;               /**< sizeof(struct memmodel_conv) */
    const char *name;          /**< of the layer; NULL: made from the operator and a number */
    int64_t filters;           /**< channels of the output */
    int64_t kernel[3];         /**< size; a 0 after the first repeats the first */
    int64_t stride[3];         /**< @default 1; a 0 after the first repeats the first */
    int64_t dilation[3];       /**< @default 1; a 0 after the first repeats the first */
    int64_t pad[3];            /**< elements before and after, for MEMMODEL_EXPLICIT; not repeated */
    int64_t output_padding[3]; /**< transposed only: elements added at the end of the output; not repeated */
    int64_t groups;            /**< @default 1 */
    int32_t padding;           /**< enum memmodel_padding */
    int32_t layout;            /**< enum memmodel_layout */
    int32_t no_bias;           /**< 1: no bias */
    int32_t activation;        /**< enum memmodel_activation_kind applied to the result, counted as one layer with it */
    const char *shared;        /**< name of an earlier layer whose parameters this one uses; NULL: its own */
};

/** Fully connected: the last dimension becomes `units`. Parameters: in * units, and units for the bias. @since 0.1 */
struct memmodel_linear {
    size_t size;        /**< sizeof(struct memmodel_linear) */
    const char *name;   /**< of the layer */
    int64_t units;      /**< size of the last dimension of the output */
    int32_t no_bias;    /**< 1: no bias */
    int32_t activation; /**< enum memmodel_activation_kind applied to the result, counted as one layer with it */
    const char *shared; /**< name of an earlier layer whose parameters this one uses; NULL: its own */
};

/** How elements are pooled, or reduced. @since 0.1 */
enum memmodel_reduction_kind {
    MEMMODEL_MAX = 0,
    MEMMODEL_MEAN = 1,
    MEMMODEL_SUM = 2,
    MEMMODEL_MIN = 3,
    MEMMODEL_PRODUCT = 4,
};

/** Pooling over windows. @since 0.1 */
struct memmodel_pool {
    size_t size;         /**< sizeof(struct memmodel_pool) */
    const char *name;    /**< of the layer */
    int64_t kernel[3];   /**< size; a 0 after the first repeats the first */
    int64_t stride[3];   /**< @default the kernel; a 0 after the first repeats the first */
    int64_t dilation[3]; /**< @default 1; max only */
    int64_t pad[3];      /**< elements before and after, at most half the kernel; not repeated */
    int32_t padding;     /**< enum memmodel_padding */
    int32_t layout;      /**< enum memmodel_layout */
    int32_t kind;        /**< MEMMODEL_MAX or MEMMODEL_MEAN */
    int32_t ceil_mode;   /**< 1: the last window may begin inside and end outside (PyTorch's ceil_mode) */
};

/** Pooling to a given output size. @since 0.1 */
struct memmodel_adaptive_pool {
    size_t size;       /**< sizeof(struct memmodel_adaptive_pool) */
    const char *name;  /**< of the layer */
    int64_t output[3]; /**< size; a 0 after the first repeats the first. All zero: 1 */
    int32_t layout;    /**< enum memmodel_layout */
    int32_t kind;      /**< MEMMODEL_MAX or MEMMODEL_MEAN */
};

/** Pooling over all spatial dimensions. @since 0.1 */
struct memmodel_global_pool {
    size_t size;      /**< sizeof(struct memmodel_global_pool) */
    const char *name; /**< of the layer */
    int32_t layout;   /**< enum memmodel_layout */
    int32_t kind;     /**< MEMMODEL_MAX or MEMMODEL_MEAN */
    int32_t keep;     /**< 1: keep the spatial dimensions as 1 */
    int32_t reserved; /**< 0 */
};

/**
 * Normalisation. Batch: per channel, with moving mean and variance. Layer and RMS: over the last `axes` dimensions.
 * Group: over `groups` groups of channels. Instance: per image and channel, without parameters unless `affine` is 1.
 *
 * @since 0.1
 */
struct memmodel_norm {
    size_t size;           /**< sizeof(struct memmodel_norm) */
    const char *name;      /**< of the layer */
    int64_t groups;        /**< group norm: number of groups */
    int64_t axes;          /**< layer and RMS norm: number of last dimensions. @default 1 */
    int32_t layout;        /**< enum memmodel_layout */
    int32_t no_affine;     /**< 1: no scale and shift */
    int32_t no_statistics; /**< batch norm, 1: no moving statistics */
    int32_t no_shift;      /**< layer norm, 1: scale only */
    int32_t affine;        /**< instance norm, 1: with scale and shift */
    int32_t reserved;      /**< 0 */
};

/** Activation as a layer of its own. @since 0.1 */
struct memmodel_activation {
    size_t size;        /**< sizeof(struct memmodel_activation) */
    const char *name;   /**< of the layer */
    int32_t kind;       /**< enum memmodel_activation_kind */
    int32_t in_place;   /**< 1: the input's memory becomes the output's, where the framework can */
    int32_t one_weight; /**< PRELU, 1: one parameter for all channels */
    int32_t layout;     /**< PRELU: enum memmodel_layout */
};

/** Softmax over one axis. @since 0.1 */
struct memmodel_softmax {
    size_t size;          /**< sizeof(struct memmodel_softmax) */
    const char *name;     /**< of the layer */
    int32_t axis;         /**< counts from the end if negative; 0 means the last */
    int32_t logarithmic;  /**< 1: log softmax */
};

/** Dropout. @since 0.1 */
struct memmodel_dropout {
    size_t size;      /**< sizeof(struct memmodel_dropout) */
    const char *name; /**< of the layer */
    double rate;      /**< share that is dropped, 0 to 1. @default 0.5 */
    int32_t feature;  /**< 1: whole channels (dropout2d, dropout3d) */
    int32_t in_place; /**< 1: in place, where the framework can */
    int32_t identity; /**< 1: rate 0, the input itself */
    int32_t layout;   /**< of `feature`: enum memmodel_layout */
};

/** Table lookup: adds a last dimension. Parameters: rows * width. @since 0.1 */
struct memmodel_embedding {
    size_t size;        /**< sizeof(struct memmodel_embedding) */
    const char *name;   /**< of the layer */
    int64_t rows;       /**< entries of the table */
    int64_t width;      /**< elements of an entry */
    const char *shared; /**< name of an earlier layer whose parameters this one uses; NULL: its own */
};

/** How upsampling fills in. @since 0.1 */
enum memmodel_interpolation {
    MEMMODEL_NEAREST = 0,
    MEMMODEL_LINEAR = 1, /**< linear, bilinear or trilinear */
    MEMMODEL_CUBIC = 2,
};

/** Upsampling of the spatial dimensions. @since 0.1 */
struct memmodel_upsample {
    size_t size;       /**< sizeof(struct memmodel_upsample) */
    const char *name;  /**< of the layer */
    int64_t scale[3];  /**< whole factor; a 0 after the first repeats the first */
    int64_t output[3]; /**< instead of scale: sizes of the output */
    int32_t mode;      /**< enum memmodel_interpolation */
    int32_t layout;    /**< enum memmodel_layout */
};

/** How padding fills in. @since 0.1 */
enum memmodel_pad_mode {
    MEMMODEL_PAD_CONSTANT = 0,
    MEMMODEL_PAD_REFLECT = 1,
    MEMMODEL_PAD_REPLICATE = 2,
    MEMMODEL_PAD_CIRCULAR = 3,
};

/** Padding, or cropping, of any axis. @since 0.1 */
struct memmodel_pad {
    size_t size;                       /**< sizeof(struct memmodel_pad) */
    const char *name;                  /**< of the layer */
    int64_t before[MEMMODEL_MAX_RANK]; /**< elements added (pad) or removed (crop) at the start of each axis */
    int64_t after[MEMMODEL_MAX_RANK];  /**< the same at the end */
    int32_t mode;                      /**< enum memmodel_pad_mode; ignored by crop */
    int32_t reserved;                  /**< 0 */
};

/** Concatenation. @since 0.1 */
struct memmodel_concat {
    size_t size;      /**< sizeof(struct memmodel_concat) */
    const char *name; /**< of the layer */
    int32_t axis;     /**< counts from the end if negative; see channels */
    int32_t channels; /**< 1: along the channels of `layout`; `axis` is ignored */
    int32_t layout;   /**< enum memmodel_layout */
    int32_t reserved; /**< 0 */
};

/** Split into parts along an axis: `parts` equal ones, or `sizes`. Outputs: memmodel_network_result(). @since 0.1 */
struct memmodel_split {
    size_t size;               /**< sizeof(struct memmodel_split) */
    const char *name;          /**< of the layer */
    const memmodel_dim *sizes; /**< `parts` sizes; NULL: equal parts */
    int32_t parts;             /**< number of parts */
    int32_t axis;              /**< counts from the end if negative */
};

/** Part of one axis: elements start, start + step, ... below stop. @since 0.1 */
struct memmodel_slice {
    size_t size;        /**< sizeof(struct memmodel_slice) */
    const char *name;   /**< of the layer */
    memmodel_dim start; /**< first element */
    memmodel_dim stop;  /**< one after the last; 0: the end */
    int64_t step;       /**< @default 1 */
    int32_t axis;       /**< counts from the end if negative */
    int32_t drop;       /**< 1: a single element, and the axis goes (x[:, 3]) */
};

/** Two tensors element by element, with NumPy's broadcasting. @since 0.1 */
enum memmodel_binary_kind {
    MEMMODEL_ADD = 0,
    MEMMODEL_SUBTRACT = 1,
    MEMMODEL_MULTIPLY = 2,
    MEMMODEL_DIVIDE = 3,
    MEMMODEL_MAXIMUM = 4,
    MEMMODEL_MINIMUM = 5,
};

/** Binary operator. @since 0.1 */
struct memmodel_binary {
    size_t size;      /**< sizeof(struct memmodel_binary) */
    const char *name; /**< of the layer */
    int32_t kind;     /**< enum memmodel_binary_kind */
    int32_t in_place; /**< 1: into the first tensor's memory, where the framework can */
};

/** Matrix product of the last two dimensions, the others broadcast. @since 0.1 */
struct memmodel_matmul {
    size_t size;             /**< sizeof(struct memmodel_matmul) */
    const char *name;        /**< of the layer */
    int32_t transpose_first; /**< 1: the first matrix is transposed */
    int32_t transpose_second; /**< 1: the second matrix is transposed */
};

/** Reduction over axes. @since 0.1 */
struct memmodel_reduce {
    size_t size;                     /**< sizeof(struct memmodel_reduce) */
    const char *name;                /**< of the layer */
    int32_t axes[MEMMODEL_MAX_RANK]; /**< `axis_count` axes, from the end if negative */
    int32_t axis_count;              /**< 0: all axes */
    int32_t kind;                    /**< enum memmodel_reduction_kind */
    int32_t keep;                    /**< 1: keep the axes as 1 */
    int32_t reserved;                /**< 0 */
};

/** Scaled dot-product attention of query, key and value [batch, heads, length, width]. @since 0.1 */
struct memmodel_attention {
    size_t size;      /**< sizeof(struct memmodel_attention) */
    const char *name; /**< of the layer */
    double dropout;   /**< rate of the attention dropout. @default 0 */
    int32_t causal;   /**< 1: no element attends to a later one */
    int32_t grouped;  /**< 1: fewer key and value heads than query heads */
};

/** Kind of a recurrent layer. @since 0.1 */
enum memmodel_recurrent_kind {
    MEMMODEL_LSTM = 0,
    MEMMODEL_GRU = 1,
    MEMMODEL_RNN_TANH = 2,
    MEMMODEL_RNN_RELU = 3,
};

/**
 * Recurrent layers over [length, batch, features]. Outputs: memmodel_network_result() 0 is the sequence
 * [length, batch, directions * width], 1 the last hidden states [layers * directions, batch, width], 2 the last cell states
 * (LSTM). Parameters as torch.nn.LSTM: per layer and direction gates * hidden * (input + width) and two biases.
 *
 * @since 0.1
 */
struct memmodel_recurrent {
    size_t size;           /**< sizeof(struct memmodel_recurrent) */
    const char *name;      /**< of the layer */
    int64_t hidden;        /**< size of the state */
    int64_t layers;        /**< @default 1 */
    int64_t projection;    /**< LSTM: width of the projected output; 0: none */
    double dropout;        /**< between layers */
    int32_t kind;          /**< enum memmodel_recurrent_kind */
    int32_t bidirectional; /**< 1: both directions */
    int32_t batch_first;   /**< 1: input and output are [batch, length, features] */
    int32_t no_bias;       /**< 1: no biases */
};

/** Loss functions. @since 0.1 */
enum memmodel_loss_kind {
    MEMMODEL_CROSS_ENTROPY = 0,   /**< of logits [batch, classes, ...] and integer classes [batch, ...] */
    MEMMODEL_BINARY_CROSS_ENTROPY = 1,
    MEMMODEL_BINARY_CROSS_ENTROPY_WITH_LOGITS = 2,
    MEMMODEL_MEAN_SQUARED_ERROR = 3,
    MEMMODEL_MEAN_ABSOLUTE_ERROR = 4,
    MEMMODEL_SMOOTH_L1 = 5,
    MEMMODEL_NEGATIVE_LOG_LIKELIHOOD = 6,
    MEMMODEL_KL_DIVERGENCE = 7,
    MEMMODEL_DICE = 8, /**< 1 - 2 sum(p t) / (sum(p) + sum(t)) */
};

/** Loss: a scalar, or the shape of the target with MEMMODEL_REDUCE_NONE. @since 0.1 */
struct memmodel_loss {
    size_t size;       /**< sizeof(struct memmodel_loss) */
    const char *name;  /**< of the layer */
    int32_t kind;      /**< enum memmodel_loss_kind */
    int32_t reduction; /**< enum memmodel_loss_reduction */
};

/** How a loss is reduced. @since 0.1 */
enum memmodel_loss_reduction {
    MEMMODEL_REDUCE_MEAN = 0,
    MEMMODEL_REDUCE_SUM = 1,
    MEMMODEL_REDUCE_NONE = 2,
};

/** Shape of a custom operator's output. @since 0.1 */
struct memmodel_shape {
    memmodel_dim dims[MEMMODEL_MAX_RANK]; /**< the first `rank` count */
    int32_t rank;                         /**< 0 to MEMMODEL_MAX_RANK */
    int32_t dtype;                        /**< enum memmodel_dtype */
};

/**
 * An operator that this library does not know, declared by what it holds. Each number may be an expression
 * (memmodel_network_expression()).
 *
 * @since 0.1
 */
struct memmodel_custom {
    size_t size;                          /**< sizeof(struct memmodel_custom) */
    const char *name;                     /**< of the layer */
    const struct memmodel_shape *outputs; /**< `output_count` shapes */
    int32_t output_count;                 /**< at least 1 */
    int32_t parameter_dtype;              /**< enum memmodel_dtype */
    memmodel_dim parameters;              /**< trainable parameters. @unit elements */
    memmodel_dim saved;                   /**< kept from forward to backward, besides inputs and outputs. @unit bytes */
    memmodel_dim forward_temporary;       /**< needed while the forward pass of the operator runs. @unit bytes */
    memmodel_dim backward_temporary;      /**< needed while its backward pass runs. @unit bytes */
    memmodel_dim multiply_adds;           /**< multiplications with addition of the forward pass */
};

/* Options as keyword arguments: MEMMODEL_CONV(.filters = 16, ...) is a pointer to a struct with its size set. */
#ifndef __cplusplus
#define MEMMODEL_CONV(...) (&(struct memmodel_conv){.size = sizeof(struct memmodel_conv), __VA_ARGS__})
#define MEMMODEL_LINEAR(...) (&(struct memmodel_linear){.size = sizeof(struct memmodel_linear), __VA_ARGS__})
#define MEMMODEL_POOL(...) (&(struct memmodel_pool){.size = sizeof(struct memmodel_pool), __VA_ARGS__})
#define MEMMODEL_ADAPTIVE_POOL(...) \
    (&(struct memmodel_adaptive_pool){.size = sizeof(struct memmodel_adaptive_pool), __VA_ARGS__})
#define MEMMODEL_GLOBAL_POOL(...) \
    (&(struct memmodel_global_pool){.size = sizeof(struct memmodel_global_pool), __VA_ARGS__})
#define MEMMODEL_NORM(...) (&(struct memmodel_norm){.size = sizeof(struct memmodel_norm), __VA_ARGS__})
#define MEMMODEL_ACTIVATION(...) \
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

/**
 * Make an empty network.
 *
 * @param[in]  context  the network keeps a reference
 * @param[out] network  new network with one reference, untouched on error
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOMEM
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_new(memmodel_context *context, memmodel_network **network);

/** Take one more reference. @param[in] network  not NULL @returns `network` @threads any @since 0.1 */
MEMMODEL_API memmodel_network *
memmodel_network_ref(memmodel_network *network);

/** Drop one reference. @param[in] network  may be NULL @threads any @since 0.1 */
MEMMODEL_API void
memmodel_network_unref(memmodel_network *network);

/**
 * Status of the first builder call that failed; its text is put on the context again. The error's object is the layer.
 *
 * @param[in] network  network
 * @returns 0, or that status
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_status(memmodel_network *network);

/**
 * Layout of the layers that do not name one.
 *
 * @param[in] network  network
 * @param[in] layout   enum memmodel_layout. A new network has MEMMODEL_CHANNELS_FIRST
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_set_layout(memmodel_network *network, int layout);

/**
 * A symbolic dimension, new or known.
 *
 * @param[in] network  network
 * @param[in] name     letters, digits and underscores, such as "batch"
 * @returns the dimension (negative). 0 on error: MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_dim
memmodel_network_symbol(memmodel_network *network, const char *name);

/**
 * A dimension computed from symbols, such as "batch * floor(dim / 16)": numbers, names, + - * / ^, floor(a / b), ceil(a / b),
 * max, min. A value that is not whole and positive when symbols are bound is an error of that query.
 *
 * @param[in] network  network
 * @param[in] text     the expression
 * @returns the dimension. 0 on error: MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_dim
memmodel_network_expression(memmodel_network *network, const char *text);

/**
 * Begin a scope: the layers that follow belong to it, and their names begin with its own and a dot. A scope is a call of
 * the host language: what is made before it and used in it lives until it ends.
 *
 * @param[in] network  network
 * @param[in] name     such as "encoder.0"
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_push_scope(memmodel_network *network, const char *name);

/**
 * End the innermost scope.
 *
 * @param[in] network  network
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT if there is none
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_pop_scope(memmodel_network *network);

/**
 * Say that the host language held a tensor by a name until here. Without it a tensor goes after its last use (and the end
 * of the scopes it was handed to).
 *
 * @param[in] network  network
 * @param[in] tensor   tensor
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_release(memmodel_network *network, memmodel_tensor tensor);

/**
 * Name what the network returns, which its caller holds until the next step. Without it: what no layer uses.
 *
 * @param[in] network  network
 * @param[in] tensor   tensor
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_output(memmodel_network *network, memmodel_tensor tensor);

/**
 * An input of the network.
 *
 * @param[in] network  network
 * @param[in] name     of the input
 * @param[in] dtype    enum memmodel_dtype
 * @param[in] rank     0 to MEMMODEL_MAX_RANK
 * @param[in] dims     `rank` dimensions
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 * @param[in] dims       `rank` dimensions
 * @param[in] trainable  1: it gets a gradient and optimizer state
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_parameter(memmodel_network *network, const char *name, int dtype, int rank, const memmodel_dim *dims,
                           int trainable);

/**
 * Convolution over the 1 to 3 spatial dimensions of [batch, channels, ...].
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 * @param[in] options  NULL: maximum
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 * @param[in] options  NULL for defaults
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_batch_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_norm *options);

/**
 * Layer normalisation.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  NULL for defaults
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_layer_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_norm *options);

/**
 * Group normalisation.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_group_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_norm *options);

/**
 * Instance normalisation.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  NULL for defaults
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_instance_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_norm *options);

/**
 * Root-mean-square normalisation.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  NULL for defaults
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_rms_norm(memmodel_network *network, memmodel_tensor x, const struct memmodel_norm *options);

/**
 * Activation.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 * @param[in] options  NULL for defaults
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 * @param[in] options  NULL for defaults
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_crop(memmodel_network *network, memmodel_tensor x, const struct memmodel_pad *options);

/**
 * Concatenation.
 *
 * @param[in] network  network
 * @param[in] tensors  `count` tensors of one rank and type, equal in all other dimensions
 * @param[in] count    at least 1
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_concat(memmodel_network *network, const memmodel_tensor *tensors, size_t count,
                        const struct memmodel_concat *options);

/**
 * Split into parts; the others are memmodel_network_result() 1, 2, ...
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_slice(memmodel_network *network, memmodel_tensor x, const struct memmodel_slice *options);

/**
 * The same elements in another shape; at most one dimension is MEMMODEL_INFER.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] rank     0 to MEMMODEL_MAX_RANK
 * @param[in] dims     `rank` dimensions
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 * @param[in] axes     one axis of the input per axis of the output
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_permute(memmodel_network *network, memmodel_tensor x, const int *axes);

/**
 * Axes of size 1 repeated, and new axes in front; MEMMODEL_INFER keeps an axis.
 *
 * @param[in] network  network
 * @param[in] x        input
 * @param[in] rank     at least the rank of `x`
 * @param[in] dims     `rank` dimensions
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 * @param[in] options  NULL for defaults
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 * @param[in] options  NULL for defaults
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 * @param[in] mask     added to the scores, broadcast to [batch, heads, length, keys]; MEMMODEL_NO_TENSOR if none
 * @param[in] options  NULL for defaults
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 * @param[in] options  NULL for defaults
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
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
 * @param[in] inputs   `count` tensors
 * @param[in] count    may be 0
 * @param[in] options  not NULL
 * @returns tensor, or a negative enum memmodel_status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_custom(memmodel_network *network, const memmodel_tensor *inputs, size_t count,
                        const struct memmodel_custom *options);

/**
 * A further output of the layer that made `tensor`.
 *
 * @param[in] network  network
 * @param[in] tensor   the first output, as the builder call returned it
 * @param[in] index    from 0
 * @returns tensor, or MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_tensor
memmodel_network_result(memmodel_network *network, memmodel_tensor tensor, int index);

/**
 * Shape of a tensor.
 *
 * @param[in]  network  network
 * @param[in]  tensor   tensor
 * @param[out] shape    dimensions may be symbolic
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads any, once the network is built
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_shape(const memmodel_network *network, memmodel_tensor tensor, struct memmodel_shape *shape);

/**
 * Number of layers, inputs included.
 *
 * @param[in] network  network
 * @returns layers
 * @threads any, once the network is built
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_network_layer_count(const memmodel_network *network);

/**
 * Number of symbols.
 *
 * @param[in] network  network
 * @returns symbols
 * @threads any, once the network is built
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_network_symbol_count(const memmodel_network *network);

/**
 * Name of a symbol.
 *
 * @param[in] network  network
 * @param[in] symbol   from 0
 * @returns the name, owned by the network; NULL if there is no such symbol
 * @threads any, once the network is built
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_network_symbol_name(const memmodel_network *network, size_t symbol);

/**
 * The network as JSON text (doc/formats.md); memmodel_network_from_json() makes the same network of it.
 *
 * @param[in]  network  network
 * @param[out] text     give it back with memmodel_free(); untouched on error
 * @returns 0, the network's own status, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_to_json(memmodel_network *network, char **text);

/**
 * Read a network. Everything in the text is checked as if it came through the builder calls.
 *
 * @param[in]  context  the network keeps a reference
 * @param[in]  name     what to call the text in errors
 * @param[in]  text     `length` characters
 * @param[in]  length   of `text`
 * @param[out] network  new network with one reference, untouched on error
 * @returns 0, MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_OVERFLOW (each with line and column), MEMMODEL_ERROR_NEWER,
 *          MEMMODEL_ERROR_NOMEM
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_from_json(memmodel_context *context, const char *name, const char *text, size_t length,
                           memmodel_network **network);

/**
 * Write the network as JSON, atomically.
 *
 * @param[in] network  network
 * @param[in] path     file to write
 * @returns 0, the network's own status, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NOMEM
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_save(memmodel_network *network, const char *path);

/**
 * Read a network from a file.
 *
 * @param[in]  context  the network keeps a reference
 * @param[in]  path     file to read
 * @param[out] network  new network with one reference, untouched on error
 * @returns as memmodel_network_from_json(), and MEMMODEL_ERROR_IO
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_load(memmodel_context *context, const char *path, memmodel_network **network);

#ifdef __cplusplus
}
#endif

#endif
