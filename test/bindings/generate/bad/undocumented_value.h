/* Every value of an enum has a comment. */
#include "memmodel/box.h"

/** A side. @since 0.1 */
enum memmodel_side {
    MEMMODEL_LEFT = 1, /**< one */
    MEMMODEL_RIGHT = 2,
};

// refused: memmodel/bad.h:7: MEMMODEL_RIGHT: is not documented; allowed: a comment /**< ... */ behind it
