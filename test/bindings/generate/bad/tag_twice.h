/* A tag is said once. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @threads one
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(void);

// refused: memmodel/bad.h:12: memmodel_box_do: @threads is said twice; allowed: the tags of doc/internals/conventions.md, each once
