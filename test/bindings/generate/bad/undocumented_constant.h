/* Every constant has a comment right above. */
#include "memmodel/box.h"

#define MEMMODEL_LEAST 1

// refused: memmodel/bad.h:4: MEMMODEL_LEAST: is not documented; allowed: a comment /** ... */ right above it
// refused: memmodel/bad.h:4: MEMMODEL_LEAST: does not say since when it is there; allowed: @since MAJOR.MINOR
