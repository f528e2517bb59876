/*
 * Networks, built call by call. Dimensions may be symbols, so that one network answers for every batch size.
 *
 * Tensors are handles. A builder call (builder.h) returns the handle of its (first) output; a negative handle is the
 * status of an error, passes through every later call, and so a chain is checked once at its end:
 * memmodel_network_status() returns the status of the first error and puts its text on the context.
 *
 * Threads: a network belongs to one thread while it is built. Once no builder call is made any more it is only read, by
 * any number of threads.
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

/** The dimension that follows from the others, in memmodel_network_reshape() and _expand(). @since 0.1 */
#define MEMMODEL_DIM_INFER INT64_MIN

/** In place of an optional tensor. @since 0.1 */
#define MEMMODEL_TENSOR_NONE (-1000)

/** Type of a tensor's elements. @since 0.1 */
enum memmodel_dtype {
    MEMMODEL_DTYPE_DEFAULT = 0,  /**< float32, or the type of the first input */
    MEMMODEL_DTYPE_FLOAT32 = 1,  /**< 4 bytes */
    MEMMODEL_DTYPE_FLOAT64 = 2,  /**< 8 bytes */
    MEMMODEL_DTYPE_FLOAT16 = 3,  /**< 2 bytes, IEEE */
    MEMMODEL_DTYPE_BFLOAT16 = 4, /**< 2 bytes, the exponent of float32 */
    MEMMODEL_DTYPE_INT64 = 5,    /**< 8 bytes */
    MEMMODEL_DTYPE_INT32 = 6,    /**< 4 bytes */
    MEMMODEL_DTYPE_INT8 = 7,     /**< 1 byte */
    MEMMODEL_DTYPE_UINT8 = 8,    /**< 1 byte */
    MEMMODEL_DTYPE_BOOL = 9,     /**< 1 byte */
};

/**
 * Name of a type, such as "float32".
 *
 * @param[in] dtype  enum memmodel_dtype
 * @returns a static string; NULL if there is no such type. @transfer none @nullable
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_dtype_name(int dtype);

/** Where the channels of an image are. @since 0.1 */
enum memmodel_layout {
    MEMMODEL_LAYOUT_DEFAULT = 0,        /**< the network's */
    MEMMODEL_LAYOUT_CHANNELS_FIRST = 1, /**< batch, channels, spatial dimensions */
    MEMMODEL_LAYOUT_CHANNELS_LAST = 2,  /**< batch, spatial dimensions, channels */
};

/** Whether a scope is recomputed in the backward pass, as by torch.utils.checkpoint. @since 0.1 */
enum memmodel_checkpoint {
    MEMMODEL_CHECKPOINT_NONE = 0,          /**< all that the backward pass needs is kept */
    MEMMODEL_CHECKPOINT_NON_REENTRANT = 1, /**< use_reentrant=False: tensors are recomputed when they are needed */
    /** use_reentrant=True: the scope runs without gradients at first, and when it is recomputed it has a backward
     *  pass of its own */
    MEMMODEL_CHECKPOINT_REENTRANT = 2,
};

/** Shape and type of a tensor. @since 0.1 */
struct memmodel_shape {
    memmodel_dim dims[MEMMODEL_MAX_RANK]; /**< the first `rank` count */
    int32_t rank;                         /**< 0 to MEMMODEL_MAX_RANK */
    int32_t dtype;                        /**< enum memmodel_dtype */
};

/**
 * Make an empty network.
 *
 * @param[in]  context  the network keeps a reference
 * @param[out] network  new network with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_new(memmodel_context *context, memmodel_network **network);

/** Take one more reference. @param[in] network  not NULL @returns `network` @transfer full @threads any @since 0.1 */
MEMMODEL_API memmodel_network *
memmodel_network_ref(memmodel_network *network);

/** Drop one reference. @param[in] network  may be NULL @nullable @threads any @since 0.1 */
MEMMODEL_API void
memmodel_network_unref(memmodel_network *network);

/**
 * Status of the first builder call that failed; its text is put on the context again. The error's object is the layer.
 *
 * @param[in] network  network
 * @returns 0, or that status: MEMMODEL_ERROR_SHAPE, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE,
 *          MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_status(memmodel_network *network);

/**
 * Forget the first error: the call that failed left the network as it was. For languages with exceptions, which report
 * each error when it happens, so that the next call can do better.
 *
 * @param[in] network  network
 * @threads the network's
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API void
memmodel_network_clear_error(memmodel_network *network);

/**
 * Layout of the layers that do not name one.
 *
 * @param[in] network  network
 * @param[in] layout   enum memmodel_layout. A new network has MEMMODEL_LAYOUT_CHANNELS_FIRST
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
 * @returns the dimension (negative). 0 on error: MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_dim
memmodel_network_symbol(memmodel_network *network, const char *name);

/**
 * A dimension computed from symbols, such as "batch * floor(dim / 16)": numbers, names, + - * / ^, floor(a / b),
 * ceil(a / b), max, min. A value that is not whole and positive when symbols are bound is an error of that query.
 *
 * @param[in] network  network
 * @param[in] text     the expression
 * @returns the dimension. 0 on error: MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API memmodel_dim
memmodel_network_expression(memmodel_network *network, const char *text);

/**
 * A dimension as text, such as "floor(dim / 16)"; memmodel_network_expression() makes the same dimension of it.
 *
 * @param[in]  network  network
 * @param[in]  dim      a dimension of this network
 * @param[out] text     give it back with memmodel_free(); untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (no dimension of this network), MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_network_dim_to_text(memmodel_network *network, memmodel_dim dim, char **text);

/**
 * Begin a scope: the layers that follow belong to it, and their names begin with its own and a dot. A scope is a call
 * of the host language: what is made before it and used in it lives until it ends.
 *
 * @param[in] network  network
 * @param[in] name     such as "encoder.0"
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
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
 * Say whether what the innermost scope makes is kept for the backward pass or recomputed there, as by
 * torch.utils.checkpoint around its call. Trainings with "pytorch" do so, besides what memmodel_job names; other
 * frameworks take no notice.
 *
 * @param[in] network  network
 * @param[in] mode     enum memmodel_checkpoint
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT if no scope is open
 * @threads the network's
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_network_checkpoint_scope(memmodel_network *network, int mode);

/**
 * Say that the host language held a tensor by a name until here. Without it a tensor goes after its last use (and the
 * end of the scopes it was handed to).
 *
 * @param[in] network  network
 * @param[in] tensor   tensor
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_end_lifetime(memmodel_network *network, memmodel_tensor tensor);

/**
 * Name what the network returns, which its caller holds until the next step. Without it: what no layer uses. The
 * caller's name is bound where memmodel_network_end_lifetime() was called for it last, else as soon as the model is
 * done.
 *
 * @param[in] network  network
 * @param[in] tensor   tensor
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads the network's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_mark_output(memmodel_network *network, memmodel_tensor tensor);

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
memmodel_network_layer_output(memmodel_network *network, memmodel_tensor tensor, int index);

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
memmodel_network_get_shape(const memmodel_network *network, memmodel_tensor tensor, struct memmodel_shape *shape);

/**
 * What kind of network it is, as far as errors of estimates are distinguished: a "transformer" has at least as many attentions,
 * softmaxes or products of two activations as convolutions, a "cnn" more convolutions than these.
 *
 * @param[in] network  network
 * @returns "cnn", "transformer", or "" for a network without any of them; NULL for NULL. @transfer none @nullable
 * @threads any, once the network is built
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_network_kind(const memmodel_network *network);

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
 * @returns the name, owned by the network; NULL if there is no such symbol. @transfer none @nullable
 * @threads any, once the network is built
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_network_symbol_name(const memmodel_network *network, size_t symbol);

/**
 * The network as JSON text (doc/guide/formats.md); memmodel_network_from_json() makes the same network of it.
 *
 * @param[in]  network  built network, only read
 * @param[in]  context  limits, memory and errors of this call; NULL: the network's own. @nullable
 * @param[out] text     give it back with memmodel_free(); untouched on error. @transfer full
 * @returns 0, the network's own status (memmodel_network_status()), MEMMODEL_ERROR_UNSUPPORTED (the rule of a custom
 *          operator is a function), MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads any, each with a context of its own
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_to_json(const memmodel_network *network, memmodel_context *context, char **text);

/**
 * Read a network. Everything in the text is checked as if it came through the builder calls.
 *
 * @param[in]  context  the network keeps a reference
 * @param[in]  name     what to call the text in errors
 * @param[in]  text     `length` characters. @length length
 * @param[in]  length   of `text`
 * @param[out] network  new network with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_PARSE or what the builder calls return (each with line and column): MEMMODEL_ERROR_SHAPE,
 *          MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED; MEMMODEL_ERROR_VERSION
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_from_json(memmodel_context *context, const char *name, const char *text, size_t length,
                           memmodel_network **network);

/**
 * Write the network as JSON, atomically.
 *
 * @param[in] network  built network, only read
 * @param[in] path     file to write
 * @param[in] context  limits, memory and errors of this call; NULL: the network's own. @nullable
 * @returns 0, the network's own status (memmodel_network_status()), MEMMODEL_ERROR_UNSUPPORTED (the rule of a custom
 *          operator is a function), MEMMODEL_ERROR_IO, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY,
 *          MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, each with a context of its own
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_save(const memmodel_network *network, const char *path, memmodel_context *context);

/**
 * Read a network from a file.
 *
 * @param[in]  context  the network keeps a reference
 * @param[in]  path     file to read
 * @param[out] network  new network with one reference, untouched on error. @transfer full
 * @returns 0, what memmodel_network_from_json() returns, MEMMODEL_ERROR_IO
 * @threads the context's
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_load(memmodel_context *context, const char *path, memmodel_network **network);

#ifdef __cplusplus
}
#endif

#endif
