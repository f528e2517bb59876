/* Public names have the prefix. */
#include "memmodel/box.h"

/** A count. @since 0.1 */
typedef int64_t memmodel_Count;

// refused: memmodel/bad.h:5: memmodel_Count: is no public name; allowed: memmodel_<noun>_<verb>, MEMMODEL_<NAME>
