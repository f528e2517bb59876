/* A result that is an array says how long it is. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @returns shares, owned by the box. @transfer none
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const double *
memmodel_box_do(void);

// refused: memmodel/bad.h:12: memmodel_box_do: does not say how many it returns; allowed: @length
