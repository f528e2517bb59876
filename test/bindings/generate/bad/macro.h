/* Macros are constants. */
#include "memmodel/box.h"

/** The larger. @since 0.1 */
#define MEMMODEL_LARGER(a, b) ((a) > (b) ? (a) : (b))

// refused: memmodel/bad.h:5: MEMMODEL_LARGER: a macro that is no constant; allowed: whole numbers, strings, and options as keyword arguments
