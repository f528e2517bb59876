/*
 * Boxes: what is in them, and how they are closed.
 *
 * A box belongs to one thread at a time.
 */
#ifndef MEMMODEL_BOX_H
#define MEMMODEL_BOX_H

#include <stddef.h>
#include <stdint.h>

#define MEMMODEL_API __attribute__((visibility("default")))

/** Version of the headers. @since 0.1 */
#define MEMMODEL_VERSION "0.2.0"

/** Most weights in a box. @since 0.1 */
#define MEMMODEL_MAX_WEIGHTS 8

/** A box. @since 0.1 */
typedef struct memmodel_box memmodel_box;

/** A weight in grams; 0 is none. @since 0.1 */
typedef int64_t memmodel_weight;

/** What a call returns. @since 0.1 */
enum memmodel_status {
    MEMMODEL_OK = 0,               /**< no error */
    MEMMODEL_ERROR_NO_MEMORY = -1, /**< there is no memory. Free some */
    MEMMODEL_ERROR_FULL = -2,      /**< the box is full. Take a larger one */
};

/** How a box is closed. @since 0.1 */
enum memmodel_lid {
    MEMMODEL_LID_FLAT = 0,  /**< with a flat lid */
    MEMMODEL_LID_ROUND = 3, /**< with a round one, as high as MEMMODEL_MAX_WEIGHTS */
};

/**
 * How a box is made. Zero means the default for every field.
 *
 * @since 0.1
 */
struct memmodel_box_options {
    size_t size;                               /**< sizeof(struct memmodel_box_options) */
    const char *name;                          /**< of the box. @default "box" */
    int64_t limit_bytes;                       /**< most it may take; 0: any. @unit bytes */
    memmodel_weight max[MEMMODEL_MAX_WEIGHTS]; /**< of each place */
    int32_t lid;                               /**< enum memmodel_lid */
    int32_t reserved;                          /**< 0 */
    const double *shares;                      /**< `share_count` numbers. @length share_count @nullable @since 0.2 */
    size_t share_count;                        /**< how many @since 0.2 */
};

/**
 * Called for each weight.
 *
 * @param[in] user    as it was given
 * @param[in] weight  not 0
 * @returns 0 to go on
 * @threads the box's
 * @since 0.1
 */
typedef int (*memmodel_weight_callback)(void *user, memmodel_weight weight);

/**
 * Make a box: empty, and open.
 *
 * Its lid is a `memmodel_lid`:
 *   - flat ones are stacked;
 *   - round ones are not.
 *
 * @param[in]  options  NULL for defaults. @nullable
 * @param[out] box      new box with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_NO_MEMORY
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_box_new(const struct memmodel_box_options *options, memmodel_box **box);

/**
 * Put weights into a box.
 *
 * @param[in] box      box
 * @param[in] weights  at most MEMMODEL_MAX_WEIGHTS. @length count
 * @param[in] count    of `weights`
 * @returns 0, MEMMODEL_ERROR_FULL, or what memmodel_box_new() returns
 * @threads the box's
 * @complexity O(count)
 * @since 0.1
 */
MEMMODEL_API int
memmodel_box_fill(memmodel_box *box, const memmodel_weight *weights, size_t count);

/**
 * See each weight.
 *
 * @param[in] box       box
 * @param[in] callback  sees them. May call memmodel_box_name()
 * @param[in] user      handed to each call of `callback`. @nullable
 * @threads the box's
 * @blocking
 * @stability testing
 * @since 0.2
 */
MEMMODEL_API void
memmodel_box_each(const memmodel_box *box, memmodel_weight_callback callback, void *user);

/** Its name. @param[in] box  box @returns the name, owned by the box. @transfer none @threads any @since 0.1 */
MEMMODEL_API const char *
memmodel_box_name(const memmodel_box *box);

/** Take one more reference. @param[in] box  box @returns `box`. @transfer full @threads any @since 0.1 */
MEMMODEL_API memmodel_box *
memmodel_box_ref(memmodel_box *box);

/** Drop one reference. @param[in] box  may be NULL. @nullable @threads any @since 0.1 */
MEMMODEL_API void
memmodel_box_unref(memmodel_box *box);

#endif
