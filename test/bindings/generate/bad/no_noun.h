/* Functions are named after what they act on. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_crate_open(void);

// refused: memmodel/bad.h:11: memmodel_crate_open: is named after no handle or enum; allowed: memmodel_<noun>_<verb>, or memmodel_ and advise, estimate, fit, free, generate, optimize, recompute, serve, version
