/* What cannot be written to is no output. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[out] first  one
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(int first);

// refused: memmodel/bad.h:12: memmodel_box_do.first: is [out], but cannot be written to; allowed: [in]
