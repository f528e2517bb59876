/* All parameters are documented. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] first  one
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(int first, int second);

// refused: memmodel/bad.h:12: memmodel_box_do: documents the parameters first; allowed: @param for first, second
