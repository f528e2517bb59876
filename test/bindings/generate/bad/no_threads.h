/* Every function says which threads may call it. */
#include "memmodel/box.h"

/** Does it. @since 0.1 */
MEMMODEL_API void
memmodel_box_do(void);

// refused: memmodel/bad.h:6: memmodel_box_do: does not say which threads may call it; allowed: @threads, such as `@threads any`
