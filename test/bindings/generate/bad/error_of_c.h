/* It compiles. */
#include "memmodel/box.h"

/** A count. @since 0.1 */
typedef int65_t memmodel_count;

// refused: memmodel/bad.h:5: unknown type name 'int65_t'; allowed: C11 with <stddef.h> and <stdint.h>
