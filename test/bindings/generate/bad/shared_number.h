/* Numbers of enums differ. */
#include "memmodel/box.h"

/** A side. @since 0.1 */
enum memmodel_side {
    MEMMODEL_LEFT = 1,  /**< one */
    MEMMODEL_RIGHT = 1, /**< other */
};

// refused: memmodel/bad.h:6: MEMMODEL_LEFT: shares its number; allowed: a number of its own for each value
// refused: memmodel/bad.h:7: MEMMODEL_RIGHT: shares its number; allowed: a number of its own for each value
