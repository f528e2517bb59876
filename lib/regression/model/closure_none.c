/* No closures: the library was built without libffi. */
#include "regression/model/closure.h"

int
closure_new(memmodel_context *context, double (*call)(const void *user, const double *inputs), const void *user,
            struct closure **closure)
{
    (void)call;
    (void)user;
    (void)closure;
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "function", "this library was built without libffi");
}

memmodel_formula_function
closure_function(const struct closure *closure)
{
    (void)closure;
    return NULL;
}

void
closure_free(memmodel_context *context, struct closure *closure)
{
    (void)context;
    (void)closure;
}
