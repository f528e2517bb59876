/* Closures of libffi: https://sourceware.org/libffi/, "The Closure API" of its manual. */
#include "regression/model/closure.h"

#include <ffi.h>
#include <string.h>

struct closure {
    double (*call)(const void *user, const double *inputs);
    const void *user;
    ffi_cif interface;
    ffi_type *arguments[1];
    ffi_closure *code; /* where it is written; */
    void *entry;       /* where it is called: systems that forbid memory to be both have two addresses for it */
};

static void
forward(ffi_cif *interface, void *result, void **arguments, void *user)
{
    const struct closure *closure = user;
    const double *inputs;

    (void)interface;
    memcpy(&inputs, arguments[0], sizeof inputs);
    *(double *)result = closure->call(closure->user, inputs);
}

static int
make_code(memmodel_context *context, struct closure *closure)
{
    closure->arguments[0] = &ffi_type_pointer;
    closure->code = ffi_closure_alloc(sizeof *closure->code, &closure->entry);
    if (closure->code &&
        ffi_prep_cif(&closure->interface, FFI_DEFAULT_ABI, 1, &ffi_type_double, closure->arguments) == FFI_OK &&
        ffi_prep_closure_loc(closure->code, &closure->interface, forward, closure, closure->entry) == FFI_OK)
        return 0;
    return context_error(context, MEMMODEL_ERROR_NO_MEMORY, "function", "libffi got no memory that may hold code");
}

int
closure_new(memmodel_context *context, double (*call)(const void *user, const double *inputs), const void *user,
            struct closure **closure, memmodel_formula_function *function)
{
    struct closure *new = memory_allocate_zeroed(context, 1, sizeof *new);
    int status;

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    new->call = call;
    new->user = user;
    status = make_code(context, new);
    if (status) {
        closure_free(context, new);
        return status;
    }
    *closure = new;
    memcpy(function, &new->entry, sizeof *function); /* C has no conversion from an object's address to a function's */
    return 0;
}

void
closure_free(memmodel_context *context, struct closure *closure)
{
    if (closure && closure->code)
        ffi_closure_free(closure->code);
    memory_release(context, closure);
}
