/* Generated from the headers: where the fields of structs lie. Not edited by hand. */
#include "core.h"

#include <memmodel.h>

/* clang-format off */
#define STRUCT(name) {#name, sizeof(struct name)}
#define FIELD(name, field) {#name "." #field, offsetof(struct name, field)}

const struct layout layouts[] = {
    {"pointer", sizeof(void *)},
    STRUCT(memmodel_box_options),
    FIELD(memmodel_box_options, size),
    FIELD(memmodel_box_options, name),
    FIELD(memmodel_box_options, limit_bytes),
    FIELD(memmodel_box_options, max),
    FIELD(memmodel_box_options, lid),
    FIELD(memmodel_box_options, reserved),
    FIELD(memmodel_box_options, shares),
    FIELD(memmodel_box_options, share_count),
    {NULL, 0},
};
