/* @since names a release. */
#include "memmodel/box.h"

/** A count. @since ever */
typedef int64_t memmodel_count;

// refused: memmodel/bad.h:5: memmodel_count: does not say since when it is there; allowed: @since MAJOR.MINOR
