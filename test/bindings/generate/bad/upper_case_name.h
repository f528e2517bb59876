/* Names are lower case. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] First  one
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(int First);

// refused: memmodel/bad.h:12: memmodel_box_do.First: is no name; allowed: names in lower case
