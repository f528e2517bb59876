/*
 * Machine code made at run time: a C function without a user pointer that calls one with. closure_ffi.c makes it with
 * libffi; closure_none.c, in a library built without, says that it cannot.
 */
#ifndef REGRESSION_CLOSURE_H
#define REGRESSION_CLOSURE_H

#include "base/context.h"
#include "memmodel/function.h"

struct closure;

/*
 * `call` of `user` and the inputs, as a function of the inputs: *function, as long as the closure lives. 0,
 * MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_UNSUPPORTED.
 */
int
closure_new(memmodel_context *context, double (*call)(const void *user, const double *inputs), const void *user,
            struct closure **closure, memmodel_formula_function *function);

/* NULL is none. */
void
closure_free(memmodel_context *context, struct closure *closure);

#endif
