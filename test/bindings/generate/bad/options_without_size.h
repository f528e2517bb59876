/* Options begin with their size. */
#include "memmodel/box.h"

/** A pair. @since 0.1 */
struct memmodel_pair {
    int64_t first; /**< one */
};

/**
 * Does it.
 *
 * @param[in] pair  options
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(const struct memmodel_pair *pair);

// refused: memmodel/bad.h:6: memmodel_pair.first: options that do not begin with their size; allowed: size_t size, first
// refused: memmodel/bad.h:17: memmodel_box_do.pair: an array whose length is not said; allowed: @length N
