/* Ownership is full or none. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @returns a name. @transfer half
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_box_do(void);

// refused: memmodel/bad.h:12: memmodel_box_do: @transfer half; allowed: @transfer full, none
