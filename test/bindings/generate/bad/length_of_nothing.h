/* A length is something that is there. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] shares  some. @length size
 * @param[in] count   how many
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(const double *shares, size_t count);

// refused: memmodel/bad.h:13: memmodel_box_do.shares: @length size; allowed: a number, a name beside it, *name, or a function of these or of handles
