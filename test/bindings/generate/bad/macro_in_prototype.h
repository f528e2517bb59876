/* No macros in prototypes. */
#include "memmodel/box.h"

/* What stands for a type is not seen by bindings. */
#define COUNT size_t

/**
 * Does it.
 *
 * @param[in] first  one
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(COUNT first);

// refused: memmodel/bad.h:5: COUNT: a macro that is no constant; allowed: whole numbers, strings, and options as keyword arguments
// refused: memmodel/bad.h:15: memmodel_box_do: the macro COUNT in a prototype; allowed: MEMMODEL_API only
