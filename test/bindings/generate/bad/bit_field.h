/* No bit-fields. */
#include "memmodel/box.h"

/** A pair. @since 0.1 */
struct memmodel_pair {
    int32_t first : 3; /**< one */
};

// refused: memmodel/bad.h:6: memmodel_pair.first: a bit-field; allowed: void, int, int32_t, int64_t, uint64_t, size_t, double, _Bool, const char *, handles, callbacks, aliases of integers, pointers to these and to structs, and in structs arrays of fixed length
