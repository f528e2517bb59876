/* An enum that is spoken of is there. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] side  enum memmodel_side
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(int side);

// refused: memmodel/bad.h:12: memmodel_box_do.side: enum memmodel_side is nowhere; allowed: the enums of these headers
