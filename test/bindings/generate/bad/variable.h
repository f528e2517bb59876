/* No variables. */
#include "memmodel/box.h"

/** A count. @since 0.1 */
extern int memmodel_count;

// refused: memmodel/bad.h:5: memmodel_count: a var; allowed: enums, structs, typedefs and functions
