/* No uint32_t. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] first  one
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(uint32_t first);

// refused: memmodel/bad.h:12: first: the type uint32_t; allowed: void, int, int32_t, int64_t, uint64_t, size_t, double, _Bool, const char *, handles, callbacks, aliases of integers, pointers to these and to structs, and in structs arrays of fixed length
