/* No unions in structs. */
#include "memmodel/box.h"

/** A pair. @since 0.1 */
struct memmodel_pair {
    union {
        int32_t first; /**< one */
    };
};

// refused: memmodel/bad.h:6: memmodel_pair: a union within; allowed: void, int, int32_t, int64_t, uint64_t, size_t, double, _Bool, const char *, handles, callbacks, aliases of integers, pointers to these and to structs, and in structs arrays of fixed length
