/* Parameters are documented in their order. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] second  two
 * @param[in] first   one
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(int first, int second);

// refused: memmodel/bad.h:13: memmodel_box_do: documents the parameters second, first; allowed: @param for first, second
