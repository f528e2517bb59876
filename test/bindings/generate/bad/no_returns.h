/* A result is documented. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_box_do(void);

// refused: memmodel/bad.h:11: memmodel_box_do: does not say what it returns; allowed: @returns
