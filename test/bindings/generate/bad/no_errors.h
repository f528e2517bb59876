/* A status names its errors. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @returns 0, or an error
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_box_do(void);

// refused: memmodel/bad.h:12: memmodel_box_do: does not say which errors it returns; allowed: @returns 0, MEMMODEL_ERROR_...
