/* A parameter has a direction. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param first  one
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(int first);

// refused: memmodel/bad.h:12: memmodel_box_do: @param first one has no direction, name and text; allowed: the tags of doc/internals/conventions.md, each once
