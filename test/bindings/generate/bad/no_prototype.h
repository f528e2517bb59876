/* No parameters are void. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do();

// refused: memmodel/bad.h:11: memmodel_box_do: no prototype; allowed: void in place of no parameters
