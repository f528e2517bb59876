/* Numbers that stand for one of several, such as those of an enum: any other is refused with what it may be. */
#ifndef BASE_CHOICE_H
#define BASE_CHOICE_H

#include "base/context.h"

#include <stdint.h>

/*
 * `names`, ended by NULL, are what 0, 1, ... stand for. 0 if `number` is one of them, else MEMMODEL_ERROR_INVALID_ARGUMENT
 * whose message names the field: "mode is 77; it may be 0 (nearest), 1 (linear) or 2 (cubic)". `object` as for
 * context_error().
 */
int
choice_check(memmodel_context *context, const char *object, const char *field, int64_t number,
             const char *const *names);

/* The same for 0 (no) and 1 (yes). */
int
flag_check(memmodel_context *context, const char *object, const char *field, int64_t number);

#endif
