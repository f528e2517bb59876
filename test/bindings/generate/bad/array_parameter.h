/* Arrays are pointers with a length. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] shares  three. @length 3
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(const double shares[3]);

// refused: memmodel/bad.h:12: shares: the type const double[3]; allowed: void, int, int32_t, int64_t, uint64_t, size_t, double, _Bool, const char *, handles, callbacks, aliases of integers, pointers to these and to structs, and in structs arrays of fixed length
