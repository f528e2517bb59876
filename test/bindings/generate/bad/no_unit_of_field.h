/* A quantity in a struct has a unit. */
#include "memmodel/box.h"

/** A pair. @since 0.1 */
struct memmodel_pair {
    double start_time; /**< when */
};

// refused: memmodel/bad.h:6: memmodel_pair.start_time: a quantity without a unit; allowed: @unit bytes, seconds, elements, target
