/* Every handle has a comment. */
#include "memmodel/box.h"

typedef struct memmodel_crate memmodel_crate;

// refused: memmodel/bad.h:4: memmodel_crate: is not documented; allowed: a comment /** ... */ right above it
// refused: memmodel/bad.h:4: memmodel_crate: does not say since when it is there; allowed: @since MAJOR.MINOR
// refused: memmodel/bad.h:4: memmodel_crate: a handle without memmodel_crate_ref; allowed: handles with _ref and _unref
// refused: memmodel/bad.h:4: memmodel_crate: a handle without memmodel_crate_unref; allowed: handles with _ref and _unref
