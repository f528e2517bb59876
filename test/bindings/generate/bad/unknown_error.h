/* Errors are values of enum memmodel_status. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @returns 0, MEMMODEL_ERROR_HEAVY
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_box_do(void);

// refused: memmodel/bad.h:12: memmodel_box_do: MEMMODEL_ERROR_HEAVY is no status; allowed: the values of enum memmodel_status
