/* Padding is a field. */
#include "memmodel/box.h"

/** A pair. @since 0.1 */
struct memmodel_pair {
    int32_t first;  /**< one */
    int64_t second; /**< two */
};

// refused: memmodel/bad.h:6: memmodel_pair.first: is followed by 4 bytes of padding; allowed: a field that fills them, such as int32_t reserved
