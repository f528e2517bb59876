/* Functions are exported. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @threads any
 * @since 0.1
 */
void
memmodel_box_do(void);

// refused: memmodel/bad.h:11: memmodel_box_do: not exported; allowed: MEMMODEL_API before every function
