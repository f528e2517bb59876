/* No closures: the library was built without libffi. */
#include "regression/model/closure.h"

int
closure_new(memmodel_context *context, double (*call)(const void *user, const double *inputs), const void *user,
            struct closure **closure, memmodel_formula_function *function)
{
    (void)call;
    (void)user;
    (void)closure;
    (void)function;
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "function", "this library was built without libffi");
}

void
closure_free(memmodel_context *context, struct closure *closure)
{
    (void)context;
    (void)closure;
}
