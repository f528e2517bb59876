/* No structs in structs. */
#include "memmodel/box.h"

/** A pair. @since 0.1 */
struct memmodel_pair {
    struct memmodel_box_options options; /**< some */
};

// refused: memmodel/bad.h:6: options: the type struct memmodel_box_options; allowed: void, int, int32_t, int64_t, uint64_t, size_t, double, _Bool, const char *, handles, callbacks, aliases of integers, pointers to these and to structs, and in structs arrays of fixed length
