/*
 * Networks from ONNX files (opsets 7 and later; the operators of opsets 9 to 21 that exporters write).
 *
 * The graph is read and its weights are skipped, whether they stand in the file or beside it: a file of 10 GB
 * takes no longer than its graph. Dimensions that have a name in the file become symbols; what exporters compute from
 * shapes is computed from the symbols, and makes no layers.
 */
#ifndef MEMMODEL_ONNX_H
#define MEMMODEL_ONNX_H

#include "memmodel/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How an ONNX file is read. Zero means the default for every field. @since 0.1 */
struct memmodel_onnx_options {
    size_t size; /**< sizeof(struct memmodel_onnx_options) */
    /** a symbol that takes the place of each input's first dimension; NULL: as the file says. @nullable */
    const char *batch_symbol;
    int32_t frozen;   /**< 1: no weight is trained */
    int32_t reserved; /**< 0 */
};

/**
 * Read a network from an ONNX file, without its weights.
 *
 * An operator without a rule becomes a custom operator where the file says the shapes of its outputs; without them it
 * is an error that names the node. So are functions of the file, and operators with a graph of their own (If, Loop,
 * Scan), whose memory depends on the data. Layers have the names of their nodes.
 *
 * @param[in]  context  the network keeps a reference
 * @param[in]  path     file to read
 * @param[in]  options  NULL for defaults. @nullable
 * @param[out] network  new network with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_PARSE (with the byte where the file is wrong),
 *          MEMMODEL_ERROR_UNSUPPORTED (the error's object is the node), MEMMODEL_ERROR_SHAPE (the same),
 *          MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW,
 *          MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_network_load_onnx(memmodel_context *context, const char *path, const struct memmodel_onnx_options *options,
                           memmodel_network **network);

/**
 * The same for a file that is in memory.
 *
 * @param[in]  context  the network keeps a reference
 * @param[in]  name     what to call the bytes in errors
 * @param[in]  bytes    `length` bytes. @length length
 * @param[in]  length   of `bytes`. @unit bytes
 * @param[in]  options  NULL for defaults. @nullable
 * @param[out] network  new network with one reference, untouched on error. @transfer full
 * @returns 0, what memmodel_network_load_onnx() returns
 * @threads the context's
 * @since 0.1
 * @stability testing
 */
MEMMODEL_API int
memmodel_network_from_onnx(memmodel_context *context, const char *name, const void *bytes, size_t length,
                           const struct memmodel_onnx_options *options, memmodel_network **network);

#ifdef __cplusplus
}
#endif

#endif
