/* Tags are those of the table. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @remark nice
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(void);

// refused: memmodel/bad.h:12: memmodel_box_do: @remark is no tag; allowed: the tags of doc/internals/conventions.md, each once
