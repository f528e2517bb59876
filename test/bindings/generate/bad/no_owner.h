/* A pointer that is returned has an owner. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @returns a name
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_box_do(void);

// refused: memmodel/bad.h:12: memmodel_box_do: does not say who owns what it returns; allowed: @transfer full, @transfer none, or a static string
