/* Every public thing has a comment. */
#include "memmodel/box.h"

MEMMODEL_API void
memmodel_box_do(void);

// refused: memmodel/bad.h:5: memmodel_box_do: is not documented; allowed: a comment /** ... */ right above it
// refused: memmodel/bad.h:5: memmodel_box_do: does not say since when it is there; allowed: @since MAJOR.MINOR
// refused: memmodel/bad.h:5: memmodel_box_do: does not say which threads may call it; allowed: @threads, such as `@threads any`
