/* No variable numbers of arguments. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] first  one
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(int first, ...);

// refused: memmodel/bad.h:12: memmodel_box_do: takes any number of arguments; allowed: a fixed number
