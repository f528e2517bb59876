/* Names can be used in Python. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] from  one
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(int from);

// refused: memmodel/bad.h:12: memmodel_box_do.from: is a word of Python; allowed: names that every binding can use
