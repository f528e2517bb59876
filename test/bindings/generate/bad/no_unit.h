/* A quantity has a unit. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] budget  most
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(int64_t budget);

// refused: memmodel/bad.h:12: memmodel_box_do.budget: a quantity without a unit; allowed: @unit bytes, seconds, elements, target
