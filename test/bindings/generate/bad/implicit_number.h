/* Numbers of enums are written. */
#include "memmodel/box.h"

/** A side. @since 0.1 */
enum memmodel_side {
    MEMMODEL_LEFT, /**< one */
};

// refused: memmodel/bad.h:6: MEMMODEL_LEFT: its number is not written; allowed: explicit numbers in enums
