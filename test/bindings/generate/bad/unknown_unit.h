/* A unit is one of a few. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] budget  most. @unit furlongs
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(int64_t budget);

// refused: memmodel/bad.h:12: memmodel_box_do.budget: @unit furlongs; allowed: @unit bytes, seconds, elements, target
