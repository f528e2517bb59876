/* No unions. */
#include "memmodel/box.h"

/** Either. @since 0.1 */
union memmodel_either {
    int32_t first; /**< one */
};

// refused: memmodel/bad.h:5: memmodel_either: a union; allowed: enums, structs, typedefs and functions
