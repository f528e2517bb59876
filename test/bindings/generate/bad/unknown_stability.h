/* Stability is one of three. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @stability shaky
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(void);

// refused: memmodel/bad.h:12: memmodel_box_do: @stability shaky; allowed: stable, testing, deprecated
