/* Generated from the headers by `./run generate`: how libffi calls the library. Not edited by hand. */
#include "core.h"

#include <memmodel.h>

/* clang-format off */
#define FUNCTION(kinds, name) {#name, kinds, (any_function)name}
#define STRUCT(name) {#name, sizeof(struct name)}
#define FIELD(name, field) {#name "." #field, offsetof(struct name, field)}

const struct signature signatures[] = {
    FUNCTION("ipp", memmodel_box_new),
    FUNCTION("ippz", memmodel_box_fill),
    FUNCTION("vppp", memmodel_box_each),
    FUNCTION("sp", memmodel_box_name),
    FUNCTION("pp", memmodel_box_ref),
    FUNCTION("vp", memmodel_box_unref),
};

const size_t signature_count = 6;

const struct layout layouts[] = {
    {"pointer", sizeof(void *)},
    STRUCT(memmodel_box_options),
    FIELD(memmodel_box_options, size),
    FIELD(memmodel_box_options, name),
    FIELD(memmodel_box_options, limit_bytes),
    FIELD(memmodel_box_options, most),
    FIELD(memmodel_box_options, lid),
    FIELD(memmodel_box_options, reserved),
    FIELD(memmodel_box_options, shares),
    FIELD(memmodel_box_options, share_count),
    {NULL, 0},
};

static void
drop_memmodel_box(void *pointer)
{
    memmodel_box_unref(pointer);
}

const struct destructor destructors[] = {
    {"memmodel_box", drop_memmodel_box},
    {NULL, NULL},
};
