/* An array that is filled says how long it is. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[out] shares  `count` numbers
 * @param[in]  count   how many
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(double *shares, size_t count);

// refused: memmodel/bad.h:13: memmodel_box_do.shares: an array whose length is not said; allowed: @length N
