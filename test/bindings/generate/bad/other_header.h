/* Nothing but <stddef.h> and <stdint.h> is included. */
#include "memmodel/box.h"

#include <stdio.h>

// refused: memmodel/bad.h:4: 'stdio.h' file not found; allowed: C11 with <stddef.h> and <stdint.h>
