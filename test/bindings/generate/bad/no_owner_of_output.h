/* A pointer that is handed out has an owner. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[out] text  a name
 * @returns 0, MEMMODEL_ERROR_FULL
 * @threads any
 * @since 0.1
 */
MEMMODEL_API int
memmodel_box_do(char **text);

// refused: memmodel/bad.h:13: memmodel_box_do.text: does not say who owns it afterwards; allowed: @transfer full, @transfer none
