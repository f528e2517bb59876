/* A pointer that is only read points to const. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] bytes  some. @unit bytes
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(int64_t *bytes);

// refused: memmodel/bad.h:12: memmodel_box_do.bytes: is [in], but not const; allowed: [out], [in,out], or a pointer to const
