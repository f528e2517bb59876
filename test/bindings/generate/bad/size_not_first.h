/* The size comes first. */
#include "memmodel/box.h"

/** A pair. @since 0.1 */
struct memmodel_pair {
    int64_t first; /**< one */
    size_t size;   /**< of it */
};

// refused: memmodel/bad.h:7: memmodel_pair.size: is not the first field, or no size_t; allowed: size_t size, first
