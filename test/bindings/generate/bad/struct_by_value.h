/* No structs by value. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] options  some
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(struct memmodel_box_options options);

// refused: memmodel/bad.h:12: options: the type struct memmodel_box_options; allowed: void, int, int32_t, int64_t, uint64_t, size_t, double, _Bool, const char *, handles, callbacks, aliases of integers, pointers to these and to structs, and in structs arrays of fixed length
