/* Every field has a comment. */
#include "memmodel/box.h"

/** A pair. @since 0.1 */
struct memmodel_pair {
    int64_t first; /**< one */
    int64_t second;
};

// refused: memmodel/bad.h:7: memmodel_pair.second: is not documented; allowed: a comment /**< ... */ behind it
