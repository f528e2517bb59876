/* No result is documented where there is none. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @returns the answer
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(void);

// refused: memmodel/bad.h:12: memmodel_box_do: returns nothing, but has @returns; allowed: no @returns
