/* An array in a struct says how long it is. */
#include "memmodel/box.h"

/** A pair. @since 0.1 */
struct memmodel_pair {
    const double *both; /**< two */
};

// refused: memmodel/bad.h:6: memmodel_pair.both: an array whose length is not said; allowed: @length N
