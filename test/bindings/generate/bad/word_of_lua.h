/* Names of fields can be used in Lua. */
#include "memmodel/box.h"

/** A pair. @since 0.1 */
struct memmodel_pair {
    int64_t end; /**< last */
};

// refused: memmodel/bad.h:6: memmodel_pair.end: is a word of Lua; allowed: names that every binding can use
