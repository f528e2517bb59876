/* Generated from the headers: how libffi calls the library. Not edited by hand. */
#include "core.h"

#include <memmodel.h>

/* clang-format off */
#define FUNCTION(kinds, name) {#name, kinds, (any_function)name}

const struct signature signatures[] = {
    FUNCTION("ipp", memmodel_box_new),
    FUNCTION("ippz", memmodel_box_fill),
    FUNCTION("vppp", memmodel_box_each),
    FUNCTION("sp", memmodel_box_name),
    FUNCTION("pp", memmodel_box_ref),
    FUNCTION("vp", memmodel_box_unref),
};

const size_t signature_count = 6;

static void
drop_memmodel_box(void *pointer)
{
    memmodel_box_unref(pointer);
}

const struct destructor destructors[] = {
    {"memmodel_box", drop_memmodel_box},
    {NULL, NULL},
};
