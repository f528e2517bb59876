/*
 * Tilings: images and volumes too large for memory in tiles, each with what around it the network looks at, so that the
 * tiles' outputs together are those of the whole.
 */
#ifndef MEMMODEL_TILING_H
#define MEMMODEL_TILING_H

#include "memmodel/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a network's input is cut into tiles. @since 0.1 */
typedef struct memmodel_tiling memmodel_tiling;

/** A spatial axis of a tiling. @since 0.1 */
struct memmodel_tiling_axis {
    size_t size;         /**< sizeof(struct memmodel_tiling_axis) */
    int64_t extent;      /**< of the input. @unit elements */
    int64_t alignment;   /**< tiles begin at multiples of it: the network's strides together. @unit elements */
    int64_t halo_before; /**< of the input that is needed before what lies under a tile's output. @unit elements */
    int64_t halo_after;  /**< the same behind it. @unit elements */
    int64_t stride;      /**< from a tile to the next: of the input, without what is around. @unit elements */
    int64_t tile_count;  /**< tiles along this axis */
    int64_t max_extent;  /**< extent of the largest tile's input, with what is around. @unit elements */
};

/** Where a tile lies along an axis. @since 0.1 */
struct memmodel_tiling_range {
    size_t size;          /**< sizeof(struct memmodel_tiling_range) */
    int64_t input_start;  /**< first element of the input that the tile reads. @unit elements */
    int64_t input_stop;   /**< one after the last. @unit elements */
    int64_t output_start; /**< first element of the output that is right in it. @unit elements */
    int64_t output_stop;  /**< one after the last. @unit elements */
    int64_t crop;         /**< elements of the tile's own output before `output_start`. @unit elements */
};

/** The result of a tiling. @since 0.1 */
struct memmodel_tiling_result {
    size_t size;          /**< sizeof(struct memmodel_tiling_result) */
    int64_t peak;         /**< of the largest tile's plan. @unit bytes */
    int64_t peak_untiled; /**< of the plan without tiles. @unit bytes */
    int64_t tensor_bytes; /**< all tensors without tiles and without reuse. @unit bytes */
    int64_t tile_count;   /**< in all */
    double overhead;      /**< multiplications with addition of all tiles against those without: 0.1 are 10 % more */
    int32_t verdict;  /**< enum memmodel_verdict: whether the peak is within the budget; if not, no tiles need less */
    int32_t reserved; /**< 0 */
};

/**
 * Cut the input of a network into tiles whose planned peak is within a budget. Of those that fit, these cost least:
 * they have the least overhead. The whole input and output lie elsewhere: only a tile's are in its memory.
 *
 * @param[in]  network  with one input [batch, channels, 1 to 3 spatial axes], or with the channels last, and outputs
 *                      of one size. Linear upsampling is taken to be that without align_corners
 * @param[in]  options  as of memmodel_network_schedule(). @nullable
 * @param[in]  budget   of a tile's plan; 0: no limit, one tile. @unit bytes
 * @param[in]  context  limits, memory and errors of this call; NULL: the network's own. @nullable
 * @param[out] tiling   new tiling with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_UNSUPPORTED (names a layer whose output depends on all of an axis, or whose reach is not
 *          known), MEMMODEL_ERROR_INVALID_ARGUMENT (a negative budget),
 *          what memmodel_network_schedule() returns
 * @threads any, with a context of its own: the network is only read
 * @blocking
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_network_tile(const memmodel_network *network, const struct memmodel_schedule_options *options, int64_t budget,
                      memmodel_context *context, memmodel_tiling **tiling);

/**
 * The result of a tiling.
 *
 * @param[in]     tiling  tiling
 * @param[in,out] result  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_tiling_get_result(const memmodel_tiling *tiling, struct memmodel_tiling_result *result);

/**
 * Number of spatial axes.
 *
 * @param[in] tiling  tiling
 * @returns axes, 1 to 3
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_tiling_axis_count(const memmodel_tiling *tiling);

/**
 * A spatial axis.
 *
 * @param[in]     tiling  tiling
 * @param[in]     axis    from 0
 * @param[in,out] about   its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_tiling_get_axis(const memmodel_tiling *tiling, size_t axis, struct memmodel_tiling_axis *about);

/**
 * Where a tile lies along an axis. A tile is one range of each axis; the output's from `output_start` on is the
 * tile's own from `crop` on.
 *
 * @param[in]     tiling  tiling
 * @param[in]     axis    from 0
 * @param[in]     index   of the tile along this axis, from 0
 * @param[in,out] range   its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_tiling_get_range(const memmodel_tiling *tiling, size_t axis, int64_t index,
                          struct memmodel_tiling_range *range);

/**
 * The plan of the largest tile.
 *
 * @param[in] tiling  tiling
 * @returns the plan, owned by the tiling; NULL if `tiling` is. @transfer none @nullable
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const memmodel_plan *
memmodel_tiling_plan(const memmodel_tiling *tiling);

/** Take one more reference. @param[in] tiling  not NULL @returns `tiling` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_tiling *
memmodel_tiling_ref(memmodel_tiling *tiling);

/** Drop one reference. @param[in] tiling  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_tiling_unref(memmodel_tiling *tiling);

#ifdef __cplusplus
}
#endif

#endif
